//! Plots of a table against its first column: what is shown, and where it stands on the page.
//!
//! One drawing code for all formats: [`Plot`] lays panels out in logical units and draws them on a [`Canvas`], which is
//! text ([`svg`]) or pixels ([`raster`], [`png`]). Values that are no finite numbers leave gaps.

mod axis;
mod camera;
mod canvas;
mod field;
mod figures;
mod frames;
mod numbers;
mod png;
mod raster;
mod solids;
mod strobe;
mod svg;
mod thin;

use axis::Axis;
use canvas::{Anchor, Canvas, Color, Typeface};
use dalembert::Model;
use dalembert::simulate::Table;
use raster::Raster;
use std::collections::BTreeSet;
use svg::Svg;

pub use field::Field;
pub use frames::{FRAME_RATE, Frames};
pub use strobe::strobe;

/// Lines that one panel shows at most.
pub const MAX_LINES: usize = 8;
/// Panels a group of columns (coordinates, speeds, outputs) is spread over at most.
const MAX_SPREAD: usize = 3;
/// Panels a group of columns is spread over at most where they have several units.
const MAX_UNITS: usize = 8;
/// Columns share a panel while the largest is at most this many times the smallest.
const MAX_RATIO: f64 = 40.0;
/// Pixels a logical unit in PNG.
const PNG_SCALE: f64 = 2.0;

const WIDTH: f64 = 900.0;
const MARGIN: f64 = 18.0;
const TITLE_SIZE: f64 = 17.0;
const TEXT_SIZE: f64 = 12.0;
const LEGEND_MAX: f64 = 190.0;
const LEGEND_STEP: f64 = 19.0;
const DASH: f64 = 22.0;

const WHITE: Color = Color(255, 255, 255);
const BLACK: Color = Color(34, 34, 34);
const GREY: Color = Color(110, 110, 110);
const GRID: Color = Color(226, 226, 226);
/// Distinct for the colour-blind as far as eight can be, and readable on white.
const COLORS: [Color; MAX_LINES] = [
    Color(31, 105, 180),
    Color(204, 62, 40),
    Color(30, 140, 80),
    Color(225, 140, 0),
    Color(125, 80, 170),
    Color(20, 165, 185),
    Color(200, 90, 150),
    Color(120, 100, 75),
];

/// A picture that can be written in any format.
pub trait Drawing {
    /// Heading.
    fn title(&self) -> &str;
    /// As SVG text.
    fn svg(&self) -> String;
    /// As a PNG file's bytes.
    fn png(&self) -> Vec<u8>;
    /// As SVG text without the heading, for a page that has one.
    fn figure(&self) -> String;
    /// What a page needs to draw it itself, with values and zoom; the form is that of `plot/numbers.rs`. `None` for what
    /// is only a picture.
    fn numbers(&self) -> Option<serde_json::Value> {
        None
    }
}

/// A sign at a point of the last panel: full for what is stable, open for what is not, half for what is not known.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mark {
    at: (f64, f64),
    stable: Option<bool>,
}

impl Mark {
    fn draw(canvas: &mut dyn Canvas, (x, y): (f64, f64), stable: Option<bool>) {
        if !(x.is_finite() && y.is_finite()) {
            return;
        }
        canvas.fill([x - 5.0, y - 5.0, x + 5.0, y + 5.0], BLACK);
        match stable {
            Some(true) => {}
            Some(false) => canvas.fill([x - 3.0, y - 3.0, x + 3.0, y + 3.0], WHITE),
            None => canvas.fill([x - 3.0, y - 3.0, x, y + 3.0], WHITE),
        }
    }
}

/// A panel: its heading and the columns it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel {
    /// Heading.
    pub title: String,
    /// Indices of columns in the table.
    pub columns: Vec<usize>,
}

/// A plot of a table, ready to be written in any format.
#[derive(Clone, Debug)]
pub struct Plot<'a> {
    /// Heading of the whole.
    pub title: String,
    /// Panels, from top to bottom.
    pub panels: Vec<Panel>,
    table: &'a Table,
    /// Of the columns; empty where none are known.
    units: Vec<Option<String>>,
    marks: Vec<Mark>,
    /// Name and unit of what the first column is the decimal logarithm of.
    power: Option<(&'static str, &'static str)>,
}

impl<'a> Plot<'a> {
    /// Coordinates, speeds and outputs of a motion, each group in panels of its own.
    pub fn of_motion(model: &Model, table: &'a Table) -> Plot<'a> {
        let (n_q, n) = (model.system.positions(), model.form.speeds.len());
        let mut panels = Vec::new();
        let units = model.system.units_of(&table.columns);
        let last = table.columns.len();
        let (speeds, states) = (1 + n_q, 1 + n_q + n);
        let momenta = 1 + model.form.coordinates.len() + n;
        let outputs = last.saturating_sub(model.system.experiment.outputs.len()).max(momenta);
        for (title, columns) in [
            ("coordinates", 1..speeds),
            ("speeds", speeds..states),
            ("states", states..momenta),
            ("momenta", momenta..outputs),
            ("outputs", outputs..last),
        ] {
            panels.extend(spread(title, table, &units, columns));
        }
        Plot { title: title_of(model), panels, table, units, marks: Vec::new(), power: None }
    }

    /// Chosen columns, in the order given; those of one unit share a panel.
    pub fn of_columns(model: &Model, table: &'a Table, columns: &[usize]) -> Plot<'a> {
        let units = model.system.units_of(&table.columns);
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for column in columns {
            match groups.iter_mut().find(|group| units[group[0]] == units[*column]) {
                Some(group) => group.push(*column),
                None => groups.push(vec![*column]),
            }
        }
        let panel = |c: &[usize]| Panel { title: String::new(), columns: c.to_vec() };
        let panels = groups.iter().flat_map(|group| group.chunks(MAX_LINES).map(panel)).collect();
        Plot { title: title_of(model), panels, table, units, marks: Vec::new(), power: None }
    }

    /// All columns of a table, in panels of one unit and comparable size.
    pub fn of_table(title: &str, table: &'a Table, units: &[Option<String>]) -> Plot<'a> {
        let panels = spread(title, table, units, 1..table.columns.len());
        Plot { title: String::new(), panels, table, units: units.to_vec(), marks: Vec::new(), power: None }
    }

    /// Real and imaginary parts over the first column, of branches that are not zero all along.
    pub fn of_eigenvalues(title: &str, table: &'a Table, units: &[Option<String>]) -> Plot<'a> {
        let shown = |first: usize| -> Vec<usize> {
            let varied = |c: &usize| table.rows().any(|row| row[*c].abs() > 1e-9);
            (first..table.columns.len()).step_by(2).filter(varied).take(2 * MAX_LINES).collect()
        };
        let panel = |title: &str, columns: Vec<usize>| Panel { title: title.to_owned(), columns };
        let panels = vec![panel("real parts", shown(1)), panel("imaginary parts", shown(2))];
        Plot { title: title.to_owned(), panels, table, units: units.to_vec(), marks: Vec::new(), power: None }
    }

    /// Magnitudes and phases over the logarithm of the frequency.
    pub fn of_bode(title: &str, table: &'a Table) -> Plot<'a> {
        let count = (table.columns.len() - 1) / 2;
        let panels = [("magnitude [dB]", 1..1 + count), ("phase [deg]", 1 + count..1 + 2 * count)]
            .into_iter()
            .map(|(title, columns)| Panel {
                title: title.to_owned(),
                columns: columns.take(MAX_LINES).collect(),
            });
        Plot {
            title: title.to_owned(),
            panels: panels.collect(),
            table,
            units: Vec::new(),
            marks: Vec::new(),
            power: Some(("f", "Hz")),
        }
    }

    /// Eigenvalues in the complex plane, one a row: full where they decay, open where they grow.
    pub fn of_poles(title: &str, table: &'a Table) -> Plot<'a> {
        let mark = |row: &[f64]| {
            let stable = if row[0] == 0.0 { None } else { Some(row[0] < 0.0) };
            Mark { at: (row[0], row[1]), stable }
        };
        // No line joins them: the panel shows its marks alone.
        let panels = vec![Panel { title: table.columns[1].clone(), columns: vec![1] }];
        Plot {
            title: title.to_owned(),
            panels,
            table,
            units: Vec::new(),
            marks: table.rows().filter(|row| row[1].is_finite()).map(mark).collect(),
            power: None,
        }
    }

    /// The potential energy over one coordinate, with equilibria as (place, whether stable).
    pub fn of_landscape(
        title: &str,
        table: &'a Table,
        units: &[Option<String>],
        equilibria: &[(Vec<f64>, Option<bool>)],
    ) -> Plot<'a> {
        let height = |x: f64| {
            let rows: Vec<&[f64]> = table.rows().collect();
            let pair = rows.windows(2).find(|p| (x - p[0][0]) * (x - p[1][0]) <= 0.0)?;
            let f = (x - pair[0][0]) / (pair[1][0] - pair[0][0]);
            Some(pair[0][1] + f * (pair[1][1] - pair[0][1]))
        };
        let mark = |(at, stable): &(Vec<f64>, Option<bool>)| {
            let x = *at.first()?;
            Some(Mark { at: (x, height(x)?), stable: *stable })
        };
        let panels = vec![Panel { title: "potential energy".to_owned(), columns: vec![1] }];
        let marks = equilibria.iter().filter_map(mark).collect();
        Plot { title: title.to_owned(), panels, table, units: units.to_vec(), marks, power: None }
    }

    /// The plot as SVG text.
    pub fn svg(&self) -> String {
        let mut canvas = Svg::new(self.size());
        self.draw(&mut canvas);
        canvas.finish()
    }

    /// The plot as a PNG file's bytes.
    pub fn png(&self) -> Vec<u8> {
        let mut canvas = Raster::new(self.size(), PNG_SCALE);
        self.draw(&mut canvas);
        png::encode(&canvas)
    }

    fn panel_height(&self) -> f64 {
        match self.panels.len() {
            0 | 1 => 340.0,
            2 => 250.0,
            3 => 195.0,
            _ => 165.0,
        }
    }

    fn top(&self) -> f64 {
        if self.title.is_empty() { MARGIN } else { MARGIN + TITLE_SIZE + 8.0 }
    }

    fn size(&self) -> (f64, f64) {
        (WIDTH, self.top() + self.panels.len() as f64 * self.panel_height() + 46.0)
    }

    fn draw(&self, canvas: &mut dyn Canvas) {
        let type_ = Typeface::default();
        let (width, height) = self.size();
        canvas.fill([0.0, 0.0, width, height], WHITE);
        let times = self.column(0);
        let time = Axis::tight(&times, 10);
        let values: Vec<Axis> = self.panels.iter().map(|panel| self.value_axis(panel)).collect();
        let widest = |labels: &mut dyn Iterator<Item = &str>| {
            labels.map(|text| type_.width(text, TEXT_SIZE)).fold(0.0, f64::max)
        };
        let left = MARGIN
            + 8.0
            + widest(&mut values.iter().flat_map(|a| a.labels.iter().map(String::as_str))).max(24.0);
        let shown =
            self.panels.iter().flat_map(|p| p.columns.iter().map(|c| self.table.columns[*c].as_str()));
        let legend = (widest(&mut { shown }) + DASH + 8.0).min(LEGEND_MAX);
        let right = width - MARGIN - legend - 12.0;
        let title = type_.fitted(&self.title, TITLE_SIZE, width - left - MARGIN);
        canvas.text((left, MARGIN + TITLE_SIZE - 3.0), Anchor::Left, TITLE_SIZE, BLACK, &title);
        for (k, (panel, axis)) in self.panels.iter().zip(&values).enumerate() {
            let y0 = self.top() + k as f64 * self.panel_height();
            let frame = Frame { left, right, top: y0 + 22.0, bottom: y0 + self.panel_height() - 8.0 };
            let last = k + 1 == self.panels.len();
            frame.grid(canvas, &time, axis, last);
            canvas.text((left, frame.top - 7.0), Anchor::Left, TEXT_SIZE, GREY, &self.heading(panel));
            for (line, column) in panel.columns.iter().enumerate() {
                let color = COLORS[line % COLORS.len()];
                let points = frame.points(&times, &self.column(*column), &time, axis);
                for piece in thin::pieces(&points) {
                    canvas.line(&piece, color, 1.6);
                }
                let y = frame.top + 10.0 + line as f64 * LEGEND_STEP;
                let x = right + 12.0;
                canvas.line(&[(x, y), (x + DASH, y)], color, 2.4);
                let name = type_.fitted(&self.table.columns[*column], TEXT_SIZE, legend - DASH - 8.0);
                canvas.text((x + DASH + 8.0, y + 4.2), Anchor::Left, TEXT_SIZE, BLACK, &name);
            }
            if last {
                for mark in &self.marks {
                    Mark::draw(canvas, (frame.x(&time, mark.at.0), frame.y(axis, mark.at.1)), mark.stable);
                }
                canvas.text(
                    (0.5 * (left + right), frame.bottom + 36.0),
                    Anchor::Middle,
                    TEXT_SIZE,
                    BLACK,
                    &self.with_unit(0),
                );
            }
        }
    }

    /// The name of a column with its unit, as in `t [s]`.
    fn with_unit(&self, column: usize) -> String {
        let name = self.table.columns.get(column).map_or("", String::as_str);
        match self.unit(column) {
            Some(unit) => format!("{name} [{unit}]"),
            None => name.to_owned(),
        }
    }

    fn unit(&self, column: usize) -> Option<&str> {
        self.units.get(column)?.as_deref()
    }

    /// What a panel shows, with the unit of its values where they have one.
    fn heading(&self, panel: &Panel) -> String {
        let unit = panel.columns.first().and_then(|first| self.unit(*first));
        let shared = unit.filter(|unit| panel.columns.iter().all(|c| self.unit(*c) == Some(unit)));
        match shared {
            Some(unit) => format!("{} [{unit}]", panel.title).trim_start().to_owned(),
            None => panel.title.clone(),
        }
    }

    fn column(&self, k: usize) -> Vec<f64> {
        self.table.rows().map(|row| row[k]).collect()
    }

    fn value_axis(&self, panel: &Panel) -> Axis {
        let values: Vec<f64> =
            self.table.rows().flat_map(|row| panel.columns.iter().map(|c| row[*c])).collect();
        Axis::padded(&values, (self.panel_height() / 30.0) as usize)
    }
}

impl Drawing for Plot<'_> {
    fn title(&self) -> &str {
        &self.title
    }

    fn svg(&self) -> String {
        Plot::svg(self)
    }

    fn png(&self) -> Vec<u8> {
        Plot::png(self)
    }

    fn figure(&self) -> String {
        Plot { title: String::new(), ..self.clone() }.svg()
    }

    fn numbers(&self) -> Option<serde_json::Value> {
        Some(Plot::numbers(self))
    }
}

fn title_of(model: &Model) -> String {
    model.system.title.clone().unwrap_or_default()
}

/// The drawing area of one panel.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Frame {
    fn grid(&self, canvas: &mut dyn Canvas, time: &Axis, value: &Axis, label_times: bool) {
        for (tick, label) in time.ticks.iter().zip(&time.labels) {
            let x = crisp(self.x(time, *tick));
            canvas.line(&[(x, self.top), (x, self.bottom)], GRID, 1.0);
            if label_times {
                canvas.text((x, self.bottom + 17.0), Anchor::Middle, TEXT_SIZE, BLACK, label);
            }
        }
        for (tick, label) in value.ticks.iter().zip(&value.labels) {
            let y = crisp(self.y(value, *tick));
            canvas.line(&[(self.left, y), (self.right, y)], GRID, 1.0);
            canvas.text((self.left - 7.0, y + 4.2), Anchor::Right, TEXT_SIZE, BLACK, label);
        }
        let (l, r, t, b) = (crisp(self.left), crisp(self.right), crisp(self.top), crisp(self.bottom));
        canvas.line(&[(l, t), (r, t), (r, b), (l, b), (l, t)], GREY, 1.0);
    }

    fn x(&self, axis: &Axis, v: f64) -> f64 {
        self.left + (self.right - self.left) * axis.place(v)
    }

    fn y(&self, axis: &Axis, v: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * axis.place(v)
    }

    fn points(&self, times: &[f64], values: &[f64], time: &Axis, axis: &Axis) -> Vec<(f64, f64)> {
        times.iter().zip(values).map(|(t, v)| (self.x(time, *t), self.y(axis, *v))).collect()
    }
}

/// The nearest place where a line one unit wide covers whole pixels.
fn crisp(v: f64) -> f64 {
    v.floor() + 0.5
}

/// The vector that a column is a component of: `pull` of `pull.x`.
fn vector_of(column: &str) -> Option<&str> {
    column
        .rsplit_once('.')
        .filter(|(_, component)| ["x", "y", "z"].contains(component))
        .map(|(vector, _)| vector)
}

/// Spreads columns over panels so that those of one panel have one unit and comparable size; components of a vector stay
/// together.
fn spread(
    title: &str,
    table: &Table,
    units: &[Option<String>],
    columns: std::ops::Range<usize>,
) -> Vec<Panel> {
    let total = columns.len();
    let unit = |column: usize| units.get(column).and_then(Option::as_ref);
    let different: BTreeSet<Option<&String>> = columns.clone().map(unit).collect();
    let most = MAX_SPREAD.max(different.len().min(MAX_UNITS));
    let mut panels: Vec<(Panel, f64, f64)> = Vec::new();
    let mut shown = 0;
    let together = |a: &usize, b: &usize| {
        let vector = vector_of(&table.columns[*a]);
        vector.is_some() && vector == vector_of(&table.columns[*b]) && unit(*a) == unit(*b)
    };
    let columns: Vec<usize> = columns.collect();
    for group in columns.chunk_by(together) {
        let values = table.rows().flat_map(|row| group.iter().map(|column| row[*column].abs()));
        let size = values.filter(|v| v.is_finite()).fold(0.0, f64::max);
        let fits = |(panel, least, most): &&mut (Panel, f64, f64)| {
            let one_unit = panel.columns.first().is_none_or(|first| unit(*first) == unit(group[0]));
            let alike = size == 0.0 || *most == 0.0 || most.max(size) <= MAX_RATIO * least.min(size);
            panel.columns.len() + group.len() <= MAX_LINES && one_unit && alike
        };
        shown += group.len();
        if let Some((panel, least, most)) = panels.iter_mut().find(fits) {
            panel.columns.extend(group);
            if size > 0.0 {
                (*least, *most) = (if *most == 0.0 { size } else { least.min(size) }, most.max(size));
            }
        } else if panels.len() < most {
            panels.push((Panel { title: title.to_owned(), columns: group.to_vec() }, size, size));
        } else {
            shown -= group.len();
        }
    }
    if shown < total
        && let Some((last, _, _)) = panels.last_mut()
    {
        last.title = format!("{title} ({shown} of {total} shown)");
    }
    panels.into_iter().map(|(panel, _, _)| panel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Components of one vector share a panel, however their sizes differ; what is much smaller has one of its own.
    #[test]
    fn components_of_a_vector_stay_together() {
        let columns = ["t", "theta", "E", "pull.x", "pull.y"].map(str::to_owned).to_vec();
        let table = Table { columns, values: vec![0.0, 1.0, 1e-12, 0.1, 40.0, 1.0, 2.0, -1e-12, 0.2, 90.0] };
        let plot = Plot::of_table("motion", &table, &vec![None; 5]);
        let shown: Vec<&[usize]> = plot.panels.iter().map(|panel| &panel.columns[..]).collect();
        assert_eq!(shown, [&[1][..], &[2], &[3, 4]]);
    }
}
