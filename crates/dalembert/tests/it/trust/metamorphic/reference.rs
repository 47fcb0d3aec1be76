//! Accelerations and forces by the equations of a textbook: every derivative one by one, every system of equations by
//! Gaussian elimination with full pivoting. Slow, dense, and without a line of the engine's code.

use super::description::{Description, Reads, Row};
use super::expression::{Expression as E, HyperDual, Place};

pub struct Reference {
    pub acceleration: Vec<f64>,
    pub ideal: Vec<f64>,
    pub nonideal: Vec<f64>,
    pub control: Vec<f64>,
    pub multipliers: Vec<f64>,
    /// Sides of the rows apart, at the level the row is written at.
    pub residual: f64,
    /// The smallest pivot over the largest in any elimination.
    pub pivots: f64,
}

/// The direction of a derivative.
#[derive(Clone, Copy, PartialEq)]
enum Along {
    Nothing,
    Coordinate(usize),
    Rate(usize),
    Time,
    /// Coordinates and time along the motion, rates held.
    Motion,
}

/// A state.
struct At<'a> {
    q: &'a [f64],
    v: &'a [f64],
    t: f64,
    parameters: Vec<f64>,
}

impl At<'_> {
    fn derivative(&self, e: &E, first: Along, second: Along) -> HyperDual {
        let unit = |b: bool| f64::from(u8::from(b));
        let q =
            |i: usize, d: Along| if d == Along::Motion { self.v[i] } else { unit(d == Along::Coordinate(i)) };
        let n = self.q.len();
        let coordinates: Vec<_> =
            (0..n).map(|i| HyperDual::new(self.q[i], q(i, first), q(i, second))).collect();
        let v = |i: usize, d: Along| unit(d == Along::Rate(i));
        let rates: Vec<_> = (0..n).map(|i| HyperDual::new(self.v[i], v(i, first), v(i, second))).collect();
        let t = |d: Along| unit(d == Along::Time || d == Along::Motion);
        let t = HyperDual::new(self.t, t(first), t(second));
        e.at(&Place { q: &coordinates, v: &rates, t, parameters: &self.parameters })
    }

    fn gradient(&self, e: &E, along: impl Fn(usize) -> Along) -> Vec<f64> {
        (0..self.q.len()).map(|i| self.derivative(e, along(i), Along::Nothing).a).collect()
    }

    /// A and b of a row (K5, K6), with what decay adds to b.
    fn row(&self, row: &Row, k1: f64, k0: f64) -> (Vec<f64>, f64) {
        let e = row.left.clone() - row.right.clone();
        let d = self.derivative(&e, Along::Motion, Along::Motion);
        if row.holonomic {
            (self.gradient(&e, Along::Coordinate), -d.ab - k1 * d.a - k0 * d.f)
        } else {
            (self.gradient(&e, Along::Rate), -d.a - k0 * d.f)
        }
    }
}

/// Accelerations and forces at a state; `None` where this reference has no answer of its own: contacts near rest, several
/// solutions, and control beside a force law that reads what control does to the constraints.
#[allow(non_snake_case)]
pub fn solve(model: &Description, q: &[f64], v: &[f64], t: f64) -> Option<Reference> {
    let reads = model.laws.iter().any(|law| law.reads != Reads::Nothing);
    if !model.requirements.is_empty() && (reads || !model.contacts.is_empty()) {
        return None;
    }
    let at = At { q, v, t, parameters: model.values() };
    let n = q.len();
    let (M, Q) = unconstrained(model, &at);
    let rows: Vec<(Vec<f64>, f64)> = model.rows.iter().map(|r| at.row(r, 0.0, 0.0)).collect();
    let A: Vec<Vec<f64>> = rows.iter().map(|r| r.0.clone()).collect();
    let b: Vec<f64> = rows.iter().map(|r| r.1).collect();
    let (mut z, mut pivots) = saddle(&M, &A, &Q, &b);
    let of_rows = |lambda: &[f64]| -> Vec<f64> {
        (0..n).map(|i| A.iter().zip(lambda).map(|(r, l)| r[i] * l).sum()).collect()
    };
    // (U2) does not depend on friction: what the constraints answer to it counts as non-ideal.
    let mut ideal = of_rows(&z[n..]);
    let mut nonideal = vec![0.0; n];
    if let Some(c) = model.contacts.first() {
        let V = at.derivative(&c.velocity, Along::Nothing, Along::Nothing).f;
        let scale = at.derivative(&model.rows[c.row].scale, Along::Nothing, Along::Nothing).f;
        let J = at.gradient(&c.velocity, Along::Rate);
        // Friction is -mu |scale lambda| sign(V) along J: linear once the sign of lambda is known.
        let candidates = [1.0, -1.0].map(|sign: f64| {
            let push: Vec<f64> = J.iter().map(|j| -c.coefficient * sign * scale * V.signum() * j).collect();
            let (z, p) = coupled(&M, &A, &Q, &b, c.row, &push);
            let force: Vec<f64> = push.iter().map(|f| f * z[n + c.row]).collect();
            (sign * scale * z[n + c.row] >= 0.0, z, force, p)
        });
        let right: Vec<_> = candidates.into_iter().filter(|c| c.0).collect();
        if right.len() != 1 || V.abs() < 0.05 {
            return None;
        }
        (z, nonideal) = (right[0].1.clone(), right[0].2.clone());
        add(&mut nonideal, &of_rows(&z[n..]));
        nonideal.iter_mut().zip(&ideal).for_each(|(f, i)| *f -= i);
        pivots = pivots.min(right[0].3);
    }
    let mut acceleration = z[..n].to_vec();
    let mut lambda = z[n..].to_vec();
    // (U3): what the constraints permit of the prescribed work.
    let none = vec![0.0; A.len()];
    let (z, p) = saddle(&M, &A, &prescribed(model, &at, &A, &lambda), &none);
    pivots = pivots.min(p);
    add(&mut acceleration, &z[..n]);
    add(&mut nonideal, &times(&M, &z[..n]));
    // (C1): the cheapest inputs that meet the requirements.
    let (control, p) = control(model, &at, &M, &A, &acceleration);
    pivots = pivots.min(p);
    let (z, _) = saddle(&M, &A, &control, &none);
    add(&mut acceleration, &z[..n]);
    add(&mut lambda, &z[n..]);
    add(&mut ideal, &of_rows(&z[n..]));
    let side =
        |r: &Row| at.derivative(&(r.left.clone() - r.right.clone()), Along::Nothing, Along::Nothing).f.abs();
    let residual = model.rows.iter().map(side).fold(0.0, f64::max);
    Some(Reference { acceleration, ideal, nonideal, control, multipliers: lambda, residual, pivots })
}

/// M and Q of Lagrange's equations with all applied forces.
#[allow(non_snake_case)]
fn unconstrained(model: &Description, at: &At) -> (Vec<Vec<f64>>, Vec<f64>) {
    let n = at.q.len();
    let signed = [(&model.kinetic, 1.0), (&model.potential, -1.0), (&model.lagrangian, 1.0)];
    let mut M = vec![vec![0.0; n]; n];
    let mut Q = vec![0.0; n];
    for (list, sign) in signed {
        for L in list {
            for i in 0..n {
                for j in 0..n {
                    M[i][j] += sign * at.derivative(L, Along::Rate(i), Along::Rate(j)).ab;
                    Q[i] -= sign * at.derivative(L, Along::Rate(i), Along::Coordinate(j)).ab * at.v[j];
                }
                Q[i] -= sign * at.derivative(L, Along::Rate(i), Along::Time).ab;
                Q[i] += sign * at.derivative(L, Along::Coordinate(i), Along::Nothing).a;
            }
        }
    }
    let value = |e: &E| at.derivative(e, Along::Nothing, Along::Nothing).f;
    for R in &model.dissipation {
        at.gradient(R, Along::Rate).iter().zip(&mut Q).for_each(|(d, q)| *q -= d);
    }
    for (i, e) in &model.forces {
        Q[*i] += value(e);
    }
    for (force, point) in &model.forces_at {
        for (f, p) in force.iter().zip(point) {
            at.gradient(p, Along::Coordinate).iter().zip(&mut Q).for_each(|(d, q)| *q += value(f) * d);
        }
    }
    (M, Q)
}

/// The coefficients C of the prescribed work.
#[allow(non_snake_case)]
fn prescribed(model: &Description, at: &At, A: &[Vec<f64>], lambda: &[f64]) -> Vec<f64> {
    let mut C = vec![0.0; at.q.len()];
    let value = |e: &E| at.derivative(e, Along::Nothing, Along::Nothing).f;
    for law in &model.laws {
        let read = match law.reads {
            Reads::Nothing => 1.0,
            Reads::Multiplier(r) => value(&model.rows[r].scale) * lambda[r],
            Reads::Reaction(r) => lambda[r].abs() * A[r].iter().map(|a| a * a).sum::<f64>().sqrt(),
        };
        C[law.coordinate] += value(&law.coefficient) * read;
    }
    C
}

/// The generalised force of control (C1): least `u^T W u` with `D u = e`.
#[allow(non_snake_case)]
fn control(
    model: &Description,
    at: &At,
    M: &[Vec<f64>],
    A: &[Vec<f64>],
    acceleration: &[f64],
) -> (Vec<f64>, f64) {
    let n = at.q.len();
    if model.requirements.is_empty() {
        return (vec![0.0; n], 1.0);
    }
    let actuated = if model.actuated.is_empty() { (0..n).collect() } else { model.actuated.clone() };
    let unit = |i: usize| (0..n).map(|j| f64::from(u8::from(i == j))).collect::<Vec<f64>>();
    let none = vec![0.0; A.len()];
    let responses: Vec<Vec<f64>> =
        actuated.iter().map(|i| saddle(M, A, &unit(*i), &none).0[..n].to_vec()).collect();
    let inverse: Vec<Vec<f64>> = (0..n).map(|i| saddle(M, &[], &unit(i), &[]).0).collect();
    let W: Vec<Vec<f64>> =
        actuated.iter().map(|i| actuated.iter().map(|j| inverse[*i][*j]).collect()).collect();
    let (mut D, mut e) = (Vec::new(), Vec::new());
    for r in &model.requirements {
        let (a, b) = at.row(&r.row, r.k1, r.k0);
        D.push(responses.iter().map(|z| dot(&a, z)).collect::<Vec<f64>>());
        e.push(b - dot(&a, acceleration));
    }
    let (u, pivots) = saddle(&W, &D, &vec![0.0; actuated.len()], &e);
    let mut force = vec![0.0; n];
    actuated.iter().zip(&u).for_each(|(i, u)| force[*i] += u);
    (force, pivots)
}

/// `M a = Q + A^T lambda` with `A a = b`: a, then lambda.
#[allow(non_snake_case)]
fn saddle(M: &[Vec<f64>], A: &[Vec<f64>], Q: &[f64], b: &[f64]) -> (Vec<f64>, f64) {
    coupled(M, A, Q, b, 0, &vec![0.0; Q.len()])
}

/// The saddle system with the force `push lambda_row` beside Q: friction that follows its own multiplier.
#[allow(non_snake_case)]
fn coupled(
    M: &[Vec<f64>],
    A: &[Vec<f64>],
    Q: &[f64],
    b: &[f64],
    row: usize,
    push: &[f64],
) -> (Vec<f64>, f64) {
    let (n, m) = (Q.len(), b.len());
    let mut system = vec![vec![0.0; n + m + 1]; n + m];
    for i in 0..n {
        system[i][..n].copy_from_slice(&M[i]);
        for k in 0..m {
            system[i][n + k] = -A[k][i] - if k == row { push[i] } else { 0.0 };
            system[n + k][i] = A[k][i];
        }
        system[i][n + m] = Q[i];
    }
    for k in 0..m {
        system[n + k][n + m] = b[k];
    }
    eliminate(system)
}

/// Gaussian elimination with full pivoting; also the smallest pivot over the largest.
fn eliminate(mut rows: Vec<Vec<f64>>) -> (Vec<f64>, f64) {
    let n = rows.len();
    let mut order: Vec<usize> = (0..n).collect();
    let (mut least, mut most) = (f64::INFINITY, 0.0);
    for k in 0..n {
        let places = (k..n).flat_map(|i| (k..n).map(move |j| (i, j)));
        let best = places.max_by(|a, b| rows[a.0][a.1].abs().total_cmp(&rows[b.0][b.1].abs()));
        let (i, j) = best.expect("a place is left");
        rows.swap(k, i);
        rows.iter_mut().for_each(|row| row.swap(k, j));
        order.swap(k, j);
        let pivot = rows[k][k];
        least = f64::min(least, pivot.abs());
        most = f64::max(most, pivot.abs());
        let top = rows[k].clone();
        for row in &mut rows[k + 1..] {
            let factor = row[k] / pivot;
            row.iter_mut().zip(&top).for_each(|(r, t)| *r -= factor * t);
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| rows[k][j] * x[order[j]]).sum();
        x[order[k]] = (rows[k][n] - known) / rows[k][k];
    }
    (x, if most > 0.0 { least / most } else { 1.0 })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn times(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, vector)).collect()
}

fn add(to: &mut [f64], more: &[f64]) {
    to.iter_mut().zip(more).for_each(|(a, b)| *a += b);
}
