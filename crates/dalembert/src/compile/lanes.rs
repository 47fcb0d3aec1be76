//! The system for several runs at a time: its derivative, with a watch on the rank, the way back to its constraints, and
//! the events that stop a run.

mod returning;

use super::unrolled_solve::{UnrolledSolve, Wanted};
use super::{Compiled, Inputs};
use crate::kernel_form::KernelForm;
use crate::system::System;
use dalembert_expr::Expr;
use dalembert_run::ensemble::{Keep, LaneKernel, Programs};
use dalembert_run::{Dynamics, Level};
use dalembert_tape::{Builder, Hoisted, Lanes, Op, Program, Value};
use returning::Returning;

/// The programs of a system that can go in lanes.
pub(crate) struct InLanes {
    motion: Hoisted,
    /// Where there is something to keep; after the parameters its constants read the invariants at the start.
    keep: Option<Hoisted>,
    /// Where events stop a run.
    stops: Option<Hoisted>,
    /// How many numbers a state has.
    dim: usize,
    /// How many rows the constraints have.
    rows: usize,
}

impl InLanes {
    /// With these rows, which stand for all. `None` where the system does not lend itself to it (see [`UnrolledSolve`]), or an
    /// event that stops needs more than the state.
    pub fn new(
        system: &mut System,
        form: &KernelForm,
        compiled: &Compiled,
        mut rows: Vec<usize>,
    ) -> Option<Self> {
        let (dim, shape) = (form.coordinates.len() + form.speeds.len(), compiled.shape());
        let stops = stops(system, form)?;
        if shape.n_con + shape.n_invariant == 0 {
            let motion = match compiled.whole.unrolled.as_ref() {
                Some(quick) => Hoisted { once: quick.once.clone(), each: quick.each.clone() },
                // A long tree is in loops otherwise.
                None => {
                    compiled
                        .whole
                        .looped
                        .as_ref()
                        .and_then(|_| UnrolledSolve::new(system, form, Wanted::accelerations(&[], None)))?
                        .hoisted
                }
            };
            return Some(Self { motion, keep: None, stops, dim, rows: 0 });
        }
        // What only accelerations keep leaves no residual to judge by.
        let measured = compiled.levels.iter().all(|level| *level != Level::Acceleration);
        if rows.len() < shape.n_con && !measured {
            return None;
        }
        rows.sort_by_key(|r| match compiled.levels[*r] {
            Level::Position => 0,
            Level::Velocity => 1,
            Level::Acceleration => 2,
        });
        let motion = UnrolledSolve::new(system, form, Wanted::accelerations(&rows, None))?.hoisted;
        let keep = Returning::new(system, form, &rows, &compiled.levels).program()?;
        Some(Self { motion, keep: Some(keep), stops, dim, rows: rows.len() })
    }

    /// The lane programs as native code. Inputs of all programs: t, the state, constants of the motion, of the way back and of
    /// events, least pivots.
    pub fn kernel(&self) -> Box<dyn LaneKernel> {
        let count = |part: Option<&Hoisted>| part.map_or(0, |part| part.once.output_count());
        let (own, returning) = (count(Some(&self.motion)), count(self.keep.as_ref()));
        let first = 1 + self.dim;
        let inputs = first + own + returning + count(self.stops.as_ref()) + self.rows;
        // A program that reads the state and its own constants from the place given.
        let part = |each: &Program, place: usize| {
            let mut tape = Builder::new(inputs);
            let own = place..place + each.input_count() - first;
            let given: Vec<Value> = (0..first).chain(own).map(|k| tape.input(k)).collect();
            let out = tape.inline(&each.listing(), &given);
            (tape, out)
        };

        let (mut tape, mut out) = part(&self.motion.each, first);
        let mut trusted = out[out.len() - 1];
        for i in 0..self.rows {
            let least = tape.input(inputs - self.rows + i);
            let sound = tape.push(Op::Less, &[least, out[self.dim + i]]);
            trusted = tape.push(Op::And, &[trusted, sound]);
        }
        out.truncate(self.dim);
        out.push(trusted);
        let motion = Lanes::new(tape.finish(&out));

        let other = |hoisted: &Hoisted, place: usize| {
            let (tape, out) = part(&hoisted.each, place);
            Lanes::new(tape.finish(&out))
        };
        let keep = self.keep.as_ref().map(|keep| Keep { lanes: other(keep, first + own), rows: self.rows });
        let events = self.stops.as_ref().map(|stops| other(stops, first + own + returning));
        Box::new(Programs { motion, keep, events })
    }

    /// What a run with the parameters of `compiled` that starts at `x` needs besides its state.
    pub fn constants(&self, compiled: &Compiled, x: &[f64]) -> Vec<f64> {
        let mut constants = constants(&self.motion.once, compiled.parameters());
        if let Some(keep) = &self.keep {
            let shape = compiled.shape();
            let mut held = vec![0.0; shape.n_invariant];
            let mut scratch = vec![0.0; compiled.scratch_len()];
            compiled.invariants(x, &mut scratch, &mut held, &mut vec![0.0; shape.n_invariant * shape.n_x]);
            let given: Vec<f64> = compiled.parameters().iter().chain(&held).copied().collect();
            constants.extend(self::constants(&keep.once, &given));
        }
        if let Some(stops) = &self.stops {
            constants.extend(self::constants(&stops.once, compiled.parameters()));
        }
        constants
    }
}

/// The functions of the events that stop, if there are any; `None` where they need more than the state.
fn stops(system: &mut System, form: &KernelForm) -> Option<Option<Hoisted>> {
    let values: Vec<Expr> = system.experiment.events.iter().filter(|e| e.stop).map(|e| e.value).collect();
    let inputs = Inputs::of(system, form);
    let beyond = &inputs.results[inputs.state.len()..];
    if values.iter().any(|e| system.pool.depends_on(*e, beyond)) {
        return None;
    }
    let hoisted = |program: Program| {
        let Hoisted { once, each } = program.hoist(1 + form.coordinates.len() + form.speeds.len());
        Hoisted { once, each: each.fused() }
    };
    Some((!values.is_empty()).then(|| hoisted(system.pool.lower(&inputs.state, &values))))
}

fn constants(once: &Program, given: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; once.output_count()];
    once.run(given, &mut vec![0.0; once.register_count()], &mut out);
    out
}
