//! Virtual work of the constraint forces.
//!
//! ```text
//! v^T Q_i = 0,   v^T Q_ni = v^T C       for every v with A v = 0
//! ```
//!
//! The v are random vectors less their part along the rows of A, A taken from the constraints as they are written. With
//! friction, C contains J^T f, J = dV/d eta of each sliding velocity V and f the friction force against it.

use super::small::{RowSpace, dot};
use super::symbols::{constraint_matrix, evaluate, values};
use super::{Reading, Tally, Verification};
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Symbol};
use dalembert_linalg::Rng;

pub(super) fn judge(model: &mut Workspace, readings: &[Reading], found: &mut Verification) {
    const NAME: &str = "virtual_work";
    if model.system.constraints.rows.is_empty() {
        return found.take(Tally::skipped(NAME, "the model has no constraint forces"));
    }
    let n = model.form.speeds.len();
    let eta: Vec<Symbol> = model.form.speeds.clone();
    let A = constraint_matrix(&mut model.system);
    let C: Vec<Expr> = model.system.constraints.nonideal.clone().unwrap_or_default();
    let velocities: Vec<Expr> = model.system.contacts.iter().flat_map(|c| c.velocity.clone()).collect();
    let J: Vec<Expr> = velocities.iter().flat_map(|V| model.system.pool.gradient(*V, &eta)).collect();
    let mut tally = Tally::new(NAME, "work of the constraint forces on virtual displacements");
    let mut rng = Rng::new(2);
    for reading in readings {
        let values = values(model, reading);
        let mut prescribed = evaluate(model, &C, &values);
        prescribed.resize(n, 0.0);
        for (row, f) in evaluate(model, &J, &values).chunks(n.max(1)).zip(&reading.solution.friction) {
            prescribed.iter_mut().zip(row).for_each(|(c, j)| *c += f * j);
        }
        let d = reading.weights();
        let A: Vec<f64> =
            evaluate(model, &A, &values).iter().enumerate().map(|(k, a)| a / d[k % n]).collect();
        let rows = RowSpace::of(&A, &vec![0.0; model.system.constraints.rows.len()], n);
        let ideal: Vec<f64> = (0..n).map(|p| reading.solution.ideal_force[p] / d[p]).collect();
        let other: Vec<f64> =
            (0..n).map(|p| (reading.solution.nonideal_force[p] - prescribed[p]) / d[p]).collect();
        // As many as there are directions, so that no force is orthogonal to all by chance.
        for _ in 0..n.saturating_sub(rows.basis.len()).min(12) {
            let mut v: Vec<f64> = (0..n).map(|_| rng.symmetric()).collect();
            rows.project(&mut v);
            let length = dot(&v, &v).sqrt();
            if length > 1e-3 {
                let off = [dot(&v, &ideal) / length, dot(&v, &other) / length];
                tally.take(reading.relative(&off, rows.conditioning));
            }
        }
    }
    tally.because("the constraints leave nothing free to be displaced");
    found.take(tally);
}
