//! A landscape over two coordinates: colours for heights, level lines by steps of colour, signs for equilibria.

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, Color, Typeface};
use super::numbers::MAX_NUMBERS;
use super::raster::Raster;
use super::svg::Svg;
use super::{BLACK, Drawing, Frame, GREY, MARGIN, Mark, PNG_SCALE, TEXT_SIZE, TITLE_SIZE, WHITE, WIDTH, png};
use crate::animation::doubles;
use dalembert::equilibrium::Landscape;
use serde_json::{Value, json};

/// Steps of colour.
const LEVELS: usize = 24;
const HEIGHT: f64 = 620.0;
const BAR: f64 = 22.0;
/// By how much cells cover those that are drawn after them.
const SEAM: f64 = 0.4;

/// A picture of a landscape over two coordinates.
#[derive(Clone, Debug)]
pub struct Field<'a> {
    title: String,
    landscape: &'a Landscape,
    /// Of the two coordinates and of the potential, as far as they are known.
    units: Vec<Option<String>>,
}

impl<'a> Field<'a> {
    /// Of a landscape with two axes; units of the columns of its table.
    pub fn new(title: &str, landscape: &'a Landscape, units: &[Option<String>]) -> Field<'a> {
        Field { title: title.to_owned(), landscape, units: units.to_vec() }
    }

    /// The name of a column of the landscape with its unit.
    fn named(&self, column: usize) -> String {
        let name = self.landscape.names.get(column).map_or("potential", String::as_str);
        match self.units.get(column) {
            Some(Some(unit)) => format!("{name} [{unit}]"),
            _ => name.to_owned(),
        }
    }

    fn draw(&self, canvas: &mut dyn Canvas) {
        let face = Typeface::default();
        canvas.fill([0.0, 0.0, WIDTH, HEIGHT], WHITE);
        let title = face.fitted(&self.title, TITLE_SIZE, WIDTH - 2.0 * MARGIN);
        canvas.text((MARGIN + 40.0, MARGIN + TITLE_SIZE - 3.0), Anchor::Left, TITLE_SIZE, BLACK, &title);
        let [xs, ys] = [&self.landscape.axes[0], &self.landscape.axes[1]];
        let (x_axis, y_axis) = (Axis::tight(xs, 10), Axis::tight(ys, 10));
        let height = Axis::tight(&self.landscape.values, 10);
        let frame = self.frame(&face, &y_axis, &height);
        self.cells(canvas, &frame, &x_axis, &y_axis, &height);
        frame.grid(canvas, &x_axis, &y_axis, true);
        let [x_name, y_name] = [self.named(0), self.named(1)];
        canvas.text(
            (0.5 * (frame.left + frame.right), frame.bottom + 36.0),
            Anchor::Middle,
            TEXT_SIZE,
            BLACK,
            &x_name,
        );
        canvas.text((frame.left, frame.top - 7.0), Anchor::Left, TEXT_SIZE, GREY, &y_name);
        for (at, stable) in &self.landscape.marks {
            Mark::draw(canvas, (frame.x(&x_axis, at[0]), frame.y(&y_axis, at[1])), *stable);
        }
        let left = frame.right + 18.0;
        for k in 0..LEVELS {
            let y = |k: usize| frame.bottom - (frame.bottom - frame.top) * k as f64 / LEVELS as f64;
            canvas.fill([left, y(k + 1) - SEAM, left + BAR, y(k)], shade(k));
        }
        for (tick, label) in height.ticks.iter().zip(&height.labels) {
            let y = frame.y(&height, *tick);
            canvas.text((left + BAR + 6.0, y + 4.2), Anchor::Left, TEXT_SIZE, BLACK, label);
        }
        canvas.text((left, frame.top - 7.0), Anchor::Left, TEXT_SIZE, GREY, &self.named(2));
    }

    fn frame(&self, face: &Typeface, y_axis: &Axis, height: &Axis) -> Frame {
        let widest = |a: &Axis| a.labels.iter().map(|l| face.width(l, TEXT_SIZE)).fold(24.0, f64::max);
        Frame {
            left: MARGIN + 30.0 + widest(y_axis),
            right: WIDTH - MARGIN - widest(height) - BAR - 34.0,
            top: MARGIN + TITLE_SIZE + 30.0,
            bottom: HEIGHT - 54.0,
        }
    }

    /// Runs of cells of one colour are one rectangle.
    fn cells(&self, canvas: &mut dyn Canvas, frame: &Frame, x_axis: &Axis, y_axis: &Axis, height: &Axis) {
        let [xs, ys] = [&self.landscape.axes[0], &self.landscape.axes[1]];
        let edge = |axis: &[f64], k: usize| match k {
            0 => axis[0],
            k if k == axis.len() => axis[k - 1],
            k => 0.5 * (axis[k - 1] + axis[k]),
        };
        let level = |i: usize, j: usize| {
            let place = height.place(self.landscape.values[i * ys.len() + j]);
            place.is_finite().then(|| ((place * LEVELS as f64) as usize).min(LEVELS - 1))
        };
        for i in 0..xs.len() {
            let (a, b) = (frame.x(x_axis, edge(xs, i)), frame.x(x_axis, edge(xs, i + 1)));
            let mut j = 0;
            while j < ys.len() {
                let here = level(i, j);
                let end = (j..ys.len()).find(|k| level(i, *k) != here).unwrap_or(ys.len());
                if let Some(k) = here {
                    let (c, d) = (frame.y(y_axis, edge(ys, j)), frame.y(y_axis, edge(ys, end)));
                    // A little over its edges, or the ground shows through between cells.
                    canvas.fill([a.min(b), c.min(d) - SEAM, a.max(b) + SEAM, c.max(d)], shade(k));
                }
                j = end;
            }
        }
    }
}

impl Drawing for Field<'_> {
    fn title(&self) -> &str {
        &self.title
    }

    fn svg(&self) -> String {
        let mut canvas = Svg::new((WIDTH, HEIGHT));
        self.draw(&mut canvas);
        canvas.finish()
    }

    fn png(&self) -> Vec<u8> {
        let mut canvas = Raster::new((WIDTH, HEIGHT), PNG_SCALE);
        self.draw(&mut canvas);
        png::encode(&canvas)
    }

    fn figure(&self) -> String {
        Field { title: String::new(), ..self.clone() }.svg()
    }

    /// `{"field": {"frame": [left, top, right, bottom], "names": [x, y, value], "units": [...], "axes": [f64[n], f64[m]],
    /// "values": f64[n * m]}}`, the frame in units of the drawing.
    fn numbers(&self) -> Option<Value> {
        let [xs, ys] = [&self.landscape.axes[0], &self.landscape.axes[1]];
        let face = Typeface::default();
        let frame = self.frame(&face, &Axis::tight(ys, 10), &Axis::tight(&self.landscape.values, 10));
        let unit = |k: usize| self.units.get(k).cloned().flatten();
        (self.landscape.values.len() <= MAX_NUMBERS).then(|| {
            json!({ "field": {
                "frame": [frame.left, frame.top, frame.right, frame.bottom],
                "names": [self.landscape.names[0], self.landscape.names[1], "potential"],
                "units": [unit(0), unit(1), unit(2)],
                "axes": [doubles(xs), doubles(ys)],
                "values": doubles(&self.landscape.values),
            } })
        })
    }
}

/// From dark blue in the valleys to pale yellow on the hills, evenly in lightness.
fn shade(level: usize) -> Color {
    const STOPS: [[f64; 3]; 5] = [
        [40.0, 50.0, 120.0],
        [45.0, 110.0, 150.0],
        [70.0, 165.0, 140.0],
        [165.0, 205.0, 110.0],
        [250.0, 235.0, 150.0],
    ];
    let at = level as f64 / (LEVELS - 1) as f64 * (STOPS.len() - 1) as f64;
    let (k, f) = ((at as usize).min(STOPS.len() - 2), at.fract());
    let f = if at as usize == STOPS.len() - 1 { 1.0 } else { f };
    let mix = |c: usize| (STOPS[k][c] * (1.0 - f) + STOPS[k + 1][c] * f) as u8;
    Color(mix(0), mix(1), mix(2))
}
