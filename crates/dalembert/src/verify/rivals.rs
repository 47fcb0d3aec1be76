//! The roads of Appell, Maggi and Jourdain, and the orthogonality of the two constraint forces.
//!
//! ```text
//! P6  d(1/2 D^2 T - 3/2 T_q . q'')/dq''_p = Q'_p + Q_i + Q_ni + S u        D twice along the motion, T as written
//! P7  Z^T M Z w' = Z^T (Q + C - M z_0),   eta' = Z w' + z_0,   A Z = 0, A z_0 = b
//! P8  v . (D(L_p) - X_p L - ... - Q' - C) = 0 for variations v of the velocities, (d psi/d eta) v = 0
//! U5  Q_i . M^-1 Q_ni = 0
//! ```
//!
//! In P6 the bracket is Appell's function up to terms without accelerations, found from T alone: neither M nor Q occur
//! (with T_p = dT/dq'_p, d(D^2 T)/dq''_p = T_q + 2 D T_p). Rows are those of the constraints as they are written.

use super::small::{RowSpace, dot, eliminate, times};
use super::symbols::{balance, constraint_matrix, evaluate, motion, structure, values};
use super::{Reading, Tally, Verification};
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Rational, Symbol};
use dalembert_linalg::Rng;

pub(super) fn judge(model: &mut Workspace, readings: &[Reading], found: &mut Verification) {
    found.take(appell(model, readings));
    found.take(maggi(model, readings));
    found.take(jourdain(model, readings));
    if model.form.nonideal.is_some() || !model.system.contacts.is_empty() {
        found.take(orthogonality(readings));
    }
}

fn appell(model: &mut Workspace, readings: &[Reading]) -> Tally {
    const NAME: &str = "appell";
    let system = &model.system;
    let Some(kinetic) = system
        .energies
        .kinetic
        .filter(|_| system.energies.lagrangian.is_none() && system.forces.mass.is_none())
    else {
        return Tally::skipped(NAME, "the model does not give its kinetic energy by itself");
    };
    if model.form.frame.is_some() {
        return Tally::skipped(NAME, "Appell's function is found from T in rates of coordinates only");
    }
    let forces = model.applied_forces();
    let mut along = motion(&mut model.system);
    let (form, system) = (&model.form, &mut model.system);
    let pool = &mut system.pool;
    let first = along.apply(pool, kinetic);
    let second = along.apply(pool, first);
    let accelerations: Vec<Symbol> = system.frame.speeds.iter().map(|s| s.acceleration).collect();
    let (slopes, own) = (pool.gradient(second, &accelerations), pool.gradient(kinetic, &form.coordinates));
    let less = Rational::new(-3, 2).unwrap_or(Rational::MINUS_ONE);
    let parts = slopes.iter().zip(&own).zip(&forces);
    let sides: Vec<Expr> = parts
        .map(|((s, q), f)| {
            pool.combine([(*s, Rational::HALF), (*q, less.clone()), (*f, Rational::MINUS_ONE)])
        })
        .collect();
    let mut tally = Tally::new(NAME, "derivatives of Appell's function, found from the kinetic energy");
    for reading in readings {
        let (values, d, s) = (values(model, reading), reading.weights(), &reading.solution);
        let others = reading.other_forces();
        let off = evaluate(model, &sides, &values);
        let off: Vec<f64> = (0..d.len()).map(|p| (off[p] - s.ideal_force[p] - others[p]) / d[p]).collect();
        tally.take(reading.relative(&off, 1.0));
    }
    tally
}

/// M, in the unit common to all speeds.
fn scaled_mass(reading: &Reading, d: &[f64]) -> Vec<f64> {
    let n = d.len();
    reading.terms.M.iter().enumerate().map(|(k, m)| m / (d[k / n] * d[k % n])).collect()
}

fn over(list: &[f64], d: &[f64]) -> Vec<f64> {
    list.iter().zip(d).map(|(f, d)| f / d).collect()
}

/// The rows as written, in the common unit.
fn scaled_rows(model: &mut Workspace, A: &[Expr], reading: &Reading, d: &[f64]) -> RowSpace {
    let n = d.len();
    let values = values(model, reading);
    let A: Vec<f64> = evaluate(model, A, &values).iter().enumerate().map(|(k, a)| a / d[k % n]).collect();
    RowSpace::of(&A, &reading.terms.b, n)
}

/// Directions that the rows leave free.
fn complement(rows: &RowSpace, n: usize) -> Vec<Vec<f64>> {
    let mut free: Vec<Vec<f64>> = Vec::new();
    while free.len() + rows.basis.len() < n {
        let rest = |k: usize| -> Vec<f64> {
            let mut v: Vec<f64> = (0..n).map(|j| f64::from(u8::from(j == k))).collect();
            for _ in 0..2 {
                rows.project(&mut v);
                for f in &free {
                    let along = dot(&v, f);
                    v.iter_mut().zip(f).for_each(|(v, f)| *v -= along * f);
                }
            }
            v
        };
        let longest = (0..n).map(rest).max_by(|a, b| dot(a, a).total_cmp(&dot(b, b)));
        let Some(mut v) = longest else { break };
        let length = dot(&v, &v).sqrt();
        v.iter_mut().for_each(|x| *x /= length);
        free.push(v);
    }
    free
}

/// Forces besides Q that do work on virtual displacements: C, or what friction and control came to.
fn working(reading: &Reading) -> Vec<f64> {
    if reading.steered { reading.other_forces() } else { reading.nonideal.clone() }
}

fn maggi(model: &mut Workspace, readings: &[Reading]) -> Tally {
    let A = constraint_matrix(&mut model.system);
    let mut tally = Tally::new("maggi", "accelerations by Maggi's (Kane's) equations in independent speeds");
    for reading in readings {
        let d = reading.weights();
        let rows = scaled_rows(model, &A, reading, &d);
        let (M, free) = (scaled_mass(reading, &d), complement(&rows, d.len()));
        let mut force = over(&reading.terms.Q, &d);
        force.iter_mut().zip(over(&working(reading), &d)).for_each(|(f, c)| *f += c);
        let held = times(&M, &rows.point);
        let lost: Vec<f64> = force.iter().zip(&held).map(|(f, h)| f - h).collect();
        let moved: Vec<Vec<f64>> = free.iter().map(|z| times(&M, z)).collect();
        let matrix: Vec<f64> = free.iter().flat_map(|z| moved.iter().map(|m| dot(z, m))).collect();
        let right: Vec<f64> = free.iter().map(|z| dot(z, &lost)).collect();
        let (w, conditioning) = eliminate(&matrix, &right);
        let mut eta_dot = rows.point.clone();
        for (z, w) in free.iter().zip(&w) {
            eta_dot.iter_mut().zip(z).for_each(|(a, z)| *a += w * z);
        }
        let eta_dot = over(&eta_dot, &d);
        tally.take(reading.compare(Some(&eta_dot), None, None, conditioning * rows.conditioning));
    }
    tally
}

fn jourdain(model: &mut Workspace, readings: &[Reading]) -> Tally {
    const NAME: &str = "jourdain";
    let Some(structure) = structure(model) else {
        return Tally::skipped(NAME, "brackets of the frame are not combinations of it");
    };
    let balance = balance(model, &structure);
    let A = constraint_matrix(&mut model.system);
    let mut tally = Tally::new(NAME, "power of the lost forces on variations of the velocities");
    let mut rng = Rng::new(8);
    for reading in readings {
        let (values, d) = (values(model, reading), reading.weights());
        let left = over(&evaluate(model, &balance, &values), &d);
        let working = over(&working(reading), &d);
        let rows = scaled_rows(model, &A, reading, &d);
        for _ in 0..d.len().saturating_sub(rows.basis.len()).min(12) {
            let mut v: Vec<f64> = d.iter().map(|_| rng.symmetric()).collect();
            rows.project(&mut v);
            let length = dot(&v, &v).sqrt();
            if length > 1e-3 {
                let off = (dot(&v, &left) - dot(&v, &working)) / length;
                tally.take(reading.relative(&[off], rows.conditioning));
            }
        }
    }
    tally.because("the constraints leave nothing free to be varied");
    tally
}

fn orthogonality(readings: &[Reading]) -> Tally {
    let mut tally =
        Tally::new("orthogonality", "ideal and non-ideal parts of the acceleration, M-orthogonal");
    tally.because("no non-ideal force acts at these states");
    for reading in readings {
        let (d, s) = (reading.weights(), &reading.solution);
        let (ideal, other) = (over(&s.ideal_force, &d), over(&s.nonideal_force, &d));
        let (moved, conditioning) = eliminate(&scaled_mass(reading, &d), &ideal);
        let length = dot(&ideal, &moved).sqrt();
        if length > 0.0 && other.iter().any(|f| *f != 0.0) {
            let off = dot(&moved, &other) / length;
            tally.take(reading.relative(&[off], conditioning / s.margin.max(1e-12)));
        }
    }
    tally
}
