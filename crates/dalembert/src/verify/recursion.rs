//! Recursions over the tree of bodies against M, Q, A and b in symbols: the two roads from bodies to numbers.
//!
//! Judged is the force `(M eta' - Q)` of either road at the accelerations that were found, and `A eta' - b`. Models
//! without bodies have one road.

use super::{Reading, Tally, Verification};
use crate::compile::{Compiled, has_recursion};
use crate::workspace::Workspace;
use dalembert_run::{Dynamics, Terms};

pub(super) fn judge(model: &mut Workspace, readings: &[Reading], found: &mut Verification) {
    if model.form.besides_bodies.is_none() {
        return;
    }
    let what = "inertia and forces of bodies by recursions over their tree";
    let mut tally = Tally::new("recursion", what);
    if !has_recursion(&mut model.system) {
        tally.because("a joint of the tree has speeds that are not its own rates");
        return found.take(tally);
    }
    let (mut symbols, mut recursive) = (model.form.clone(), model.form.clone());
    (symbols.besides_bodies, recursive.is_deferred) = (None, true);
    let parameters = model.compiled.parameters().to_vec();
    let roads = [symbols, recursive]
        .map(|form| Compiled::without_contacts(&mut model.system, &form, parameters.clone()));
    for reading in readings {
        let [a, b] = [&roads[0], &roads[1]].map(|road| forces(road, reading));
        let d = reading.weights();
        let off: Vec<f64> = a.iter().zip(&b).zip(&d).map(|((a, b), d)| (a - b) / d).collect();
        tally.take(reading.relative(&off, 1.0));
    }
    found.take(tally);
}

/// `M eta' - Q`
fn forces(road: &Compiled, reading: &Reading) -> Vec<f64> {
    let (mut terms, mut scratch) = (Terms::of(road), vec![0.0; road.scratch_len()]);
    road.terms(reading.state.point(), &mut scratch, &mut terms);
    let eta_dot = &reading.solution.eta_dot;
    let row = |p: usize| terms.mass_row(p).entries().map(|(q, m)| m * eta_dot[q]).sum::<f64>();
    (0..eta_dot.len()).map(|p| row(p) - terms.Q[p]).collect()
}
