//! A motion ready to be shown: what a scene draws at each instant, forces as arrows, energies and residuals.
//!
//! A film is made of the rows of a motion's table, so it shows what was computed and nothing else. It knows no screen:
//! [`crate::animation_page`] and [`crate::Frames`] show it.

mod arrows;
mod columns;
mod flaws;
mod json;
mod layout;

use crate::scene::Scene;
use arrows::Placement;
pub use arrows::{Arrows, Couple, ForceKind};
use dalembert::simulate::{Motion, Table};
use dalembert::system::System;
use dalembert::{Model, Workspace};
use dalembert_expr::Expr;
use dalembert_run::Projector;
use dalembert_syntax::diagnostic::Diagnostic;
use dalembert_syntax::units::UnitInfo;
pub(crate) use json::{base64, doubles, shape};
pub(crate) use layout::FrameLayout;
pub use layout::Shape;

/// Frames of a film at most.
pub const MAX_FRAMES: usize = 2000;
/// Numbers of a film at most, positions and arrows together.
pub const MAX_NUMBERS: usize = 4_000_000;

/// Values over the frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it is.
    pub name: String,
    /// One value a frame.
    pub values: Vec<f64>,
}

/// A parameter as it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value, in the unit of the file.
    pub value: f64,
    /// That unit, where there is one.
    pub unit: Option<String>,
}

/// Frames of a motion with everything that is shown of them.
///
/// ```
/// use dalembert::{Model, Request, Source, run::Flow};
/// use dalembert_view::{Animation};
/// let text = "
///     parameter l = 0.5
///     coordinate x, y
///     kinetic (x'^2 + y'^2)/2
///     potential 9.81*y
///     constraint rod: x^2 + y^2 = l^2
///     initial x = 0.3, y ~ -1
///     draw point [x, y]
///     simulate until 1
/// ";
/// let model = Model::load(&Source::new("pendulum.dal", text), &Default::default()).unwrap();
/// let request = Request { forces: true, ..Request::default() };
/// let motion = model.simulate(&request, |_| Flow::Continue).unwrap();
/// let film = Animation::new(&model, &motion).unwrap();
/// assert_eq!(film.times.len(), 501);
/// assert!((film.tracks[0] - 0.3).abs() < 1e-12 && (film.tracks[1] + 0.4).abs() < 1e-12);
/// assert!(film.arrows.iter().any(|a| a.kind.name() == "ideal" && a.unplaced < 1e-9));
/// ```
#[derive(Clone, Debug)]
pub struct Animation {
    /// The title of the model.
    pub title: String,
    /// 2 or 3: numbers of a position.
    pub dimension: usize,
    /// The unit of lengths, where it is known.
    pub unit: Option<String>,
    /// The unit of energies, where it is known.
    pub energy_unit: Option<String>,
    /// The parameters of the system that moved.
    pub parameters: Vec<Setting>,
    /// Time of each frame.
    pub times: Vec<f64>,
    /// What is drawn, in order.
    pub shapes: Vec<Shape>,
    /// Numbers of one frame in `tracks`.
    pub width: usize,
    /// Positions, radii, normals and values, frame after frame; shapes say where theirs are.
    pub tracks: Vec<f64>,
    /// Points at which arrows stand: name, and the place of the position in a frame of `tracks`.
    pub points: Vec<(String, usize)>,
    /// Forces at these points, of each kind that acts.
    pub arrows: Vec<Arrows>,
    /// Couples in the plane.
    pub couples: Vec<Couple>,
    /// A large force: one that few frames exceed. Pictures show it with a fixed length.
    pub force_scale: f64,
    /// Kinetic, potential and total energy, as far as the model has them.
    pub energies: Vec<Series>,
    /// Scaled residuals of the constraints on positions and on speeds.
    pub residuals: Vec<Series>,
    /// Corner of the box around all that is drawn, with the least components.
    pub low: Vec<f64>,
    /// The opposite corner.
    pub high: Vec<f64>,
    /// What was chosen or left out.
    pub remarks: Vec<String>,
}

impl Animation {
    /// The film of a motion of this model, which need not have reached its end.
    pub fn new(model: &Model, motion: &Motion) -> Result<Animation, Box<Diagnostic>> {
        let mut work = model.workspace();
        let scene = Scene::new(&mut work);
        Animation::of_scene(&mut work, motion, &scene)
    }

    /// An animation of a motion with a scene made in the same workspace.
    pub fn of_scene(
        model: &mut Workspace,
        motion: &Motion,
        scene: &Scene,
    ) -> Result<Animation, Box<Diagnostic>> {
        let dimension = scene.dimension();
        let mut layout = FrameLayout::new(scene, dimension);
        let placement = Placement::new(model, scene, &mut layout, dimension);
        model.system.write_body_energies();
        let energies = energies(model);
        model.check_memory()?;
        let mut remarks = scene.remarks.clone();
        let width = layout.values.len() + placement.numbers();
        let numbers = width + ForceKind::ALL.len() * (layout.points.len() * dimension + placement.numbers());
        let rows = shown_rows(&motion.table, numbers, &mut remarks);
        let mut film = Animation {
            title: model.system.title.clone().unwrap_or_default(),
            dimension,
            unit: unit_of(scene, &model.system),
            energy_unit: model.system.unit_of_energy(),
            parameters: settings(model, motion),
            times: rows.iter().map(|k| motion.table.row(*k)[0]).collect(),
            shapes: layout.shapes.clone(),
            width,
            tracks: Vec::new(),
            points: Vec::new(),
            arrows: Vec::new(),
            couples: Vec::new(),
            force_scale: 0.0,
            energies: energies.iter().map(|(name, _)| Series::new(name)).collect(),
            residuals: Vec::new(),
            low: Vec::new(),
            high: Vec::new(),
            remarks,
        };
        film.expose(model, motion, (&layout, &placement), &energies, &rows);
        film.measure_residuals(model, motion, &rows);
        placement.aim(&mut film, model, motion, &rows);
        film.find_box();
        film.tell_flaws();
        layout::set_ranges(&mut film.shapes, film.width, &film.tracks);
        Ok(film)
    }

    /// One frame of `tracks`.
    pub fn frame(&self, k: usize) -> &[f64] {
        &self.tracks[k * self.width..(k + 1) * self.width]
    }

    /// Positions and energies at the rows.
    fn expose(
        &mut self,
        model: &mut Workspace,
        motion: &Motion,
        (layout, placement): (&FrameLayout, &Placement),
        energies: &[(&'static str, Expr)],
        rows: &[usize],
    ) {
        let outputs: Vec<Expr> =
            layout.values.iter().copied().chain(energies.iter().map(|(_, e)| *e)).collect();
        let tape = Tape::new(model, &outputs, motion);
        for k in rows {
            let values = tape.at(motion.table.row(*k));
            let (positions, energies) = values.split_at(layout.values.len());
            self.tracks.extend_from_slice(positions);
            self.tracks.extend(placement.positions(motion.table.row(*k), motion));
            self.energies.iter_mut().zip(energies).for_each(|(series, e)| series.values.push(*e));
        }
    }

    fn measure_residuals(&mut self, model: &Workspace, motion: &Motion, rows: &[usize]) {
        if model.system.constraints.rows.is_empty() {
            return;
        }
        let compiled = model.compiled.with_parameters(motion.parameters.clone());
        let mut projector = Projector::new(&compiled);
        let (mut positions, mut speeds) = (Series::new("positions"), Series::new("speeds"));
        for k in rows {
            let state = model.system.state_of_row(motion.table.row(*k));
            projector.measure(&compiled, state.point());
            let now = projector.residuals(&compiled, state.point());
            positions.values.push(now.position);
            speeds.values.push(now.velocity);
        }
        let holonomic = model.system.constraints.rows.iter().any(|row| row.holonomic);
        self.residuals.extend(holonomic.then_some(positions));
        self.residuals.push(speeds);
    }

    /// The box around every finite position, circles with their radii.
    fn find_box(&mut self) {
        let (mut low, mut high) =
            (vec![f64::INFINITY; self.dimension], vec![f64::NEG_INFINITY; self.dimension]);
        for frame in self.tracks.chunks(self.width.max(1)) {
            for shape in &self.shapes {
                let around = shape.around(frame, self.dimension);
                for at in shape.at.iter().filter(|_| shape.value.is_none()) {
                    let position = &frame[*at..at + self.dimension];
                    for (c, v) in position.iter().enumerate().filter(|(_, v)| (**v + around).is_finite()) {
                        low[c] = low[c].min(v - around);
                        high[c] = high[c].max(v + around);
                    }
                }
            }
        }
        let empty = low.iter().zip(&high).any(|(l, h)| l > h);
        (self.low, self.high) = match empty {
            true => (vec![-1.0; self.dimension], vec![1.0; self.dimension]),
            false => (low, high),
        };
    }
}

impl Series {
    fn new(name: &str) -> Series {
        Series { name: name.to_owned(), values: Vec::new() }
    }
}

/// Expressions over state and parameters, evaluated at rows of a table.
struct Tape {
    program: dalembert_tape::Program,
    parameters: Vec<f64>,
    state: usize,
}

impl Tape {
    fn new(model: &mut Workspace, outputs: &[Expr], motion: &Motion) -> Tape {
        let mut inputs = vec![model.form.time];
        inputs.extend(model.system.table_symbols());
        let state = inputs.len();
        inputs.extend(&model.form.parameters);
        let program = model.system.pool.lower(&inputs, outputs);
        Tape { program, parameters: motion.parameters.clone(), state }
    }

    fn at(&self, row: &[f64]) -> Vec<f64> {
        let inputs: Vec<f64> = row[..self.state].iter().chain(&self.parameters).copied().collect();
        let mut registers = vec![0.0; self.program.register_count()];
        let mut outputs = vec![0.0; self.program.output_count()];
        self.program.run(&inputs, &mut registers, &mut outputs);
        outputs
    }
}

/// Energies that the model has; a potential of zero is not worth a line.
pub(crate) fn energies(model: &Workspace) -> Vec<(&'static str, Expr)> {
    let s = &model.system;
    let potential = s.energies.potential_part.filter(|v| *v != dalembert_expr::Pool::ZERO);
    let all = [("kinetic", s.energies.kinetic_part), ("potential", potential), ("total", s.energies.total)];
    all.into_iter().filter_map(|(name, e)| e.map(|e| (name, e))).collect()
}

fn settings(model: &Workspace, motion: &Motion) -> Vec<Setting> {
    let parameters = model.system.parameters.iter().zip(&motion.parameters);
    parameters
        .map(|(p, value)| Setting {
            name: p.name.clone(),
            value: p.in_file_unit(*value),
            unit: p.file_unit(),
        })
        .collect()
}

fn known(kind: &UnitInfo) -> Option<String> {
    kind.shown()
}

/// The unit of lengths; bodies whose masses have units are in metres.
pub(crate) fn unit_of(scene: &Scene, system: &System) -> Option<String> {
    let drawn = scene.figures.iter().flat_map(|figure| figure.places()).find_map(|place| known(&place.kind));
    drawn.or_else(|| (system.bodies.is_some() && system.unit_of_energy().is_some()).then(|| "m".to_owned()))
}

/// The rows that become frames: all, or every so many so that the film keeps its limits; the last one always.
fn shown_rows(table: &Table, numbers: usize, remarks: &mut Vec<String>) -> Vec<usize> {
    let rows = table.rows().count();
    let most = MAX_FRAMES.min(MAX_NUMBERS / numbers.max(1)).max(2);
    let stride = rows.saturating_sub(1).div_ceil(most - 1).max(1);
    let mut shown: Vec<usize> = (0..rows).step_by(stride).collect();
    if shown.last().is_some_and(|last| last + 1 < rows) {
        shown.push(rows - 1);
    }
    if stride > 1 {
        remarks.push(format!("one row of {stride} is shown: a film has {most} frames of this size at most"));
    }
    shown
}
