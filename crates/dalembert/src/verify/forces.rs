//! What friction and control promise.
//!
//! ```text
//! sliding   f = -mu N V/|V|      sticking   |f| <= mu_s N, V' = 0      N = |P lambda|
//! C1        A_c eta' = b_c
//! ```

use super::reading::Difference;
use super::small::dot;
use super::{Reading, Tally, Verification};
use crate::workspace::Workspace;
use dalembert_run::{ContactTerms, Contacts, Control, ControlTerms, Dynamics};

/// What is slower than this, relative to the other speeds, has no direction to slide in.
const AT_REST: f64 = 1e-9;
/// Agreement of forces that a search found; a sticking contact may be at its limit.
const LAW: f64 = 1e-8;

pub(super) fn judge(model: &Workspace, readings: &[Reading], found: &mut Verification) {
    if !model.system.contacts.is_empty() {
        found.take(friction(model, readings));
    }
    if !model.system.control.rows.is_empty() {
        found.take(requirements(model, readings));
    }
}

fn friction(model: &Workspace, readings: &[Reading]) -> Tally {
    let mut tally = Tally::new("friction_law", "friction against the sliding velocity, at most mu N");
    let kernel = &model.compiled;
    let shape = kernel.shape();
    let mut scratch = vec![0.0; kernel.scratch_len()];
    for reading in readings {
        let mut room = vec![0.0; ContactTerms::room(&shape)];
        let (mut terms, _) = ContactTerms::carve(&shape, &mut room);
        kernel.contact_terms(reading.state.point(), &mut scratch, &mut terms);
        let s = &reading.solution;
        let fastest = reading.state.eta.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        for (k, contact) in kernel.contacts().iter().enumerate() {
            let (V, f) = (&terms.V[contact.slide.clone()], &s.friction[contact.slide.clone()]);
            let P = &terms.P[contact.normal.start * shape.n_con..contact.normal.end * shape.n_con];
            let pressed =
                || P.chunks(shape.n_con.max(1)).map(|row| dot(row, &s.lambda)).fold(0.0, f64::hypot);
            let N = if contact.has_given_limit() { 1.0 } else { pressed() };
            let (speed, size) = (dot(V, V).sqrt(), dot(f, f).sqrt());
            let force = N.max(size).max(f64::MIN_POSITIVE);
            let worst = if reading.sticks[k] {
                (size - terms.mu_static[k].max(terms.mu[k]) * N).max(0.0) / force
            } else if speed > AT_REST * fastest {
                (0..V.len()).map(|i| f[i] + terms.mu[k] * N * V[i] / speed).fold(0.0, f64::hypot) / force
            } else {
                (size - terms.mu[k] * N).abs() / force
            };
            tally.take(Difference { worst, tolerance: LAW });
        }
    }
    tally
}

fn requirements(model: &Workspace, readings: &[Reading]) -> Tally {
    let mut tally = Tally::new("requirements", "what control is required to do, done");
    let kernel = &model.compiled;
    let mut scratch = vec![0.0; kernel.scratch_len()];
    for reading in readings {
        let mut terms = ControlTerms::new(&kernel.shape());
        kernel.control_terms(reading.state.point(), &mut scratch, &mut terms);
        let s = &reading.solution;
        if s.demand != s.inputs {
            continue; // at a bound, what is required is not done
        }
        let eta_dot = &s.eta_dot;
        let d = reading.weights();
        for (row, b) in terms.A.chunks(eta_dot.len().max(1)).zip(&terms.b) {
            let length = row.iter().zip(&d).map(|(a, d)| a / d).fold(0.0, f64::hypot);
            if length > 0.0 {
                let Difference { worst, .. } = reading.relative(&[(dot(row, eta_dot) - b) / length], 1.0);
                tally.take(Difference { worst, tolerance: LAW });
            }
        }
    }
    tally
}
