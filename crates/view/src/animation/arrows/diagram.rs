//! The forces of a free-body diagram as numbers over the rows of a motion.

use crate::scene::Scene;
use dalembert::Workspace;
use dalembert::simulate::Motion;
use dalembert::system::{PlacedForce, PlacedKind, System};
use dalembert_expr::{Expr, Pool, Symbol};
use dalembert_tape::Program;
use rustc_hash::FxHashSet;

/// Forces of a diagram at most.
const MAX_FORCES: usize = 2000;

/// A force, by the places of its numbers.
pub(super) struct DiagramForce {
    pub kind: PlacedKind,
    pub of_energy: bool,
    /// Index of its point.
    pub point: usize,
    /// Where its components begin.
    pub force: usize,
    /// Where its generalised force begins, part by part.
    pub on_speeds: usize,
    /// The speeds of these parts.
    pub speeds: Vec<usize>,
}

/// Points with forces; numbers are positions of points, then those of the forces.
#[derive(Default)]
pub(super) struct Diagram {
    /// What the points are called.
    pub points: Vec<String>,
    pub forces: Vec<DiagramForce>,
    program: Option<Program>,
    /// Numbers of a row that are inputs, before the parameters.
    state: usize,
}

impl Diagram {
    pub fn new(model: &mut Workspace, scene: &Scene, dimension: usize) -> Diagram {
        let Some(mut system) = model.free_body_diagram() else { return Diagram::default() };
        let names: FxHashSet<String> = scene.places(model).into_iter().map(|place| place.name).collect();
        let vectors: FxHashSet<String> =
            model.system.drawing.vectors.iter().map(|v| v.name.clone()).collect();
        // A named vector that is no point, such as a direction, carries no force.
        let is_point = |f: &PlacedForce| names.contains(&f.name) || !vectors.contains(&f.name);
        let inputs = inputs(&system);
        let known: FxHashSet<Symbol> = inputs.iter().copied().collect();
        let mut placed: Vec<PlacedForce> = std::mem::take(&mut system.forces.placed);
        placed.retain(|f| f.at.len() <= dimension && is_point(f));
        placed.retain(|f| {
            let all: Vec<Expr> = f.at.iter().chain(&f.force).copied().collect();
            system.pool.symbols(&all).iter().all(|s| known.contains(s))
        });
        if placed.len() > MAX_FORCES {
            return Diagram::default();
        }
        Diagram::of(system, &inputs, placed, dimension)
    }

    fn of(mut system: System, inputs: &[Symbol], placed: Vec<PlacedForce>, dimension: usize) -> Diagram {
        let mut places: Vec<Vec<Expr>> = Vec::new();
        let (mut points, mut numbers) = (Vec::new(), Vec::new());
        for force in &placed {
            if !places.contains(&force.at) {
                let mut at = force.at.clone();
                at.resize(dimension, Pool::ZERO);
                numbers.extend(at);
                places.push(force.at.clone());
                points.push(force.name.clone());
            }
        }
        let mut forces = Vec::new();
        for f in placed {
            let point = places.iter().position(|at| *at == f.at).unwrap_or(0);
            let force = numbers.len();
            let mut components = f.force;
            components.resize(dimension, Pool::ZERO);
            numbers.extend(components);
            let on_speeds = numbers.len();
            let (speeds, values): (Vec<usize>, Vec<Expr>) = f.on_speeds.into_iter().unzip();
            numbers.extend(values);
            forces.push(DiagramForce {
                kind: f.kind,
                of_energy: f.of_energy,
                point,
                force,
                on_speeds,
                speeds,
            });
        }
        let state = 1 + system.frame.coordinates.len() + system.frame.speeds.len();
        let program = system.pool.lower(inputs, &numbers);
        Diagram { points, forces, program: Some(program), state }
    }

    /// Numbers of a row.
    pub fn size(&self) -> usize {
        self.program.as_ref().map_or(0, Program::register_count)
    }

    /// Whether constraint rows act at points.
    pub fn has_rows(&self) -> bool {
        self.forces.iter().any(|force| matches!(force.kind, PlacedKind::Row(_)))
    }

    /// All numbers at a row of the motion.
    pub fn at(&self, row: &[f64], motion: &Motion) -> Vec<f64> {
        let Some(program) = &self.program else { return Vec::new() };
        let inputs: Vec<f64> = row[..self.state].iter().chain(&motion.parameters).copied().collect();
        let mut registers = vec![0.0; program.register_count()];
        let mut outputs = vec![0.0; program.output_count()];
        program.run(&inputs, &mut registers, &mut outputs);
        outputs
    }
}

/// Time, state and parameters of a system, in the order of a row.
fn inputs(system: &System) -> Vec<Symbol> {
    let state =
        system.frame.coordinates.iter().map(|c| c.symbol).chain(system.frame.speeds.iter().map(|s| s.symbol));
    [system.time].into_iter().chain(state).chain(system.parameters.iter().map(|p| p.symbol)).collect()
}
