//! What the linear system says about stability, and what it does not say.
//!
//! - Lyapunov's first method: an eigenvalue to the right of the axis makes it unstable, all to the left asymptotically stable.
//! - Dirichlet's theorem: rest of a conservative system (dissipation allowed) at a minimum of V - T0 is stable.
//! - The same on a family of equilibria: motions stay near the family, not near its member.
//! - Lyapunov and Malkin: if all others lie to the left and the zero eigenvalues are as many as the dimensions of a family of
//!   equilibria or steady motions through this one, it is stable, and motions near it tend to a member of the family.
//!   This is how rolling systems behave (Neimark and Fufaev; Zenkov, Bloch and Marsden 1998).
//!
//! The family must be proved (`proof`); zeros alone may belong to an isolated equilibrium that is unstable, as that of -x^8 is.
//! Otherwise eigenvalues on the axis decide nothing, and the answer is `Undecided`. Statements are about the states that are
//! not ignorable. An eigenvalue is on the axis if its real part is below what its condition makes of rounding,
//! and of the distance that is left to the exact equilibrium.

use super::proof::symmetric_along;
use super::reduce::Local;
use super::{LATER, Linearizer, OperatingPoint, fixed};
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool, Symbol};
use dalembert_linalg::{Cod, Complex, Eigen, Lu, eigen, eigenvalues, symmetric_eigen};
use dalembert_run::State;

/// The verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StabilityVerdict {
    /// Motions near it stay near it.
    Stable,
    /// They also tend to it.
    AsymptoticallyStable,
    /// Some leave it.
    Unstable,
    /// The linear terms do not tell.
    Undecided,
}

impl StabilityVerdict {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            StabilityVerdict::Stable => "stable",
            StabilityVerdict::AsymptoticallyStable => "asymptotically stable",
            StabilityVerdict::Unstable => "unstable",
            StabilityVerdict::Undecided => "undecided",
        }
    }
}

/// A verdict with its reason.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Stability {
    /// The verdict.
    pub verdict: StabilityVerdict,
    /// Why, in a few words.
    pub reason: String,
    /// The states it is about, as indices.
    pub states: Vec<usize>,
}

/// Real parts within this many units of rounding, times the condition, are zero.
const ROUNDING: f64 = 200.0 * f64::EPSILON;
/// Newton steps that a state may be away from where it should be: at a root of multiplicity m there are m to go.
const STEPS: f64 = 12.0;
/// Curvatures of the potential below this part of the largest are none.
const LEVEL: f64 = 1e-9;
/// Coinciding vectors: no eigenvalue is taken for less exact than this.
const WORST: f64 = 3e-5;

impl Linearizer {
    pub(super) fn stability(
        &self,
        model: &mut Workspace,
        state: &State,
        here: &Local,
        ignorable: &[usize],
        kind: &OperatingPoint,
    ) -> Stability {
        let d = here.dimension();
        let states: Vec<usize> = (0..d).filter(|i| !ignorable.contains(i)).collect();
        let told =
            |verdict: StabilityVerdict, reason: String| Stability { verdict, reason, states: states.clone() };
        let r = states.len();
        if r == 0 {
            return told(StabilityVerdict::Stable, "nothing is free to move".to_owned());
        }
        let S: Vec<f64> = states.iter().flat_map(|i| states.iter().map(move |j| here.S[[*i, *j]])).collect();
        let Ok(e) = eigen(&S, r) else {
            return told(StabilityVerdict::Undecided, "the eigenvalues were not found".to_owned());
        };
        let varies = |later: &f64| !self.unchanged(model, state, here, ignorable, &[], *later);
        if self.derivatives.timed_derivatives && LATER.iter().any(varies) {
            let reason = "the matrix changes with the time, and eigenvalues of an instant do not decide";
            return told(StabilityVerdict::Undecided, reason.to_owned());
        }
        let off = self.unsettled(model, state, here, &states, &S);
        let fuzz = |k: usize| rounding(&e, k) + off * e.condition[k];
        if let Some(k) = (0..r).find(|&k| e.values[k].re > fuzz(k)) {
            return told(
                StabilityVerdict::Unstable,
                format!("an eigenvalue has the real part {:.6}", e.values[k].re),
            );
        }
        if !self.forces_ignore(model, here, ignorable) {
            let reason = "forces contain coordinates that seem to be ignorable: their effect is below rounding, but may decide";
            return told(StabilityVerdict::Undecided, reason.to_owned());
        }
        let central: Vec<Complex> =
            (0..r).filter(|&k| e.values[k].re >= -fuzz(k)).map(|k| e.values[k]).collect();
        if central.is_empty() {
            return told(
                StabilityVerdict::AsymptoticallyStable,
                "all eigenvalues have negative real parts".to_owned(),
            );
        }
        if *kind == OperatingPoint::Equilibrium && self.minimum_of_energy(model, state, here, &states, off) {
            let level = states.iter().all(|i| *i >= here.positions.dimension());
            let reason = match level {
                true => "the energy is constant, and all of it is in these speeds (Dirichlet)",
                false => "the potential energy has a minimum here (Dirichlet)",
            };
            return told(StabilityVerdict::Stable, reason.to_owned());
        }
        if *kind == OperatingPoint::Equilibrium && self.minimum_on_family(model, state, here, &states, off) {
            let reason = "the potential energy has a minimum along a family of equilibria (Dirichlet): motions stay near the family, and may drift along it";
            return told(StabilityVerdict::Stable, reason.to_owned());
        }
        let zeros = central.iter().filter(|v| v.abs() <= e.size * WORST).count();
        if zeros == central.len() && zeros < r && self.family(model, state, here, &states, &S, zeros) {
            let reason = format!(
                "{} of {r} eigenvalues zero, along a family of such motions; the others have negative real parts (Lyapunov-Malkin)",
                zeros
            );
            return told(StabilityVerdict::Stable, reason);
        }
        let count = central.len();
        let reason = format!("{count} of {r} eigenvalues on the imaginary axis: linear terms do not decide");
        told(StabilityVerdict::Undecided, reason)
    }

    /// Dirichlet: conserved (or dissipated) h = eta . dL/deta - L, positive definite about the state in all that is not ignorable.
    fn minimum_of_energy(
        &self,
        model: &mut Workspace,
        state: &State,
        here: &Local,
        states: &[usize],
        off: f64,
    ) -> bool {
        let Some(mut V) = self.potential_curvature(model, state, here) else { return false };
        let (d_x, d_w) = (here.positions.dimension(), here.speeds.dimension());
        // The minimum must be one wherever the state should be exactly.
        let inertia = here.mass.chunks(d_w.max(1)).map(|row| row.iter().map(|v| v.abs()).sum::<f64>());
        let slack = off * inertia.fold(0.0, f64::max);
        (0..d_x).for_each(|i| V[i * d_x + i] -= slack);
        let kept: Vec<usize> = states.iter().copied().filter(|i| *i < d_x).collect();
        let V: Vec<f64> =
            kept.iter().flat_map(|i| kept.iter().map(|j| V[i * d_x + j]).collect::<Vec<_>>()).collect();
        positive_definite(&V, kept.len()) && positive_definite(&here.mass, d_w)
    }

    /// Second derivatives of the potential energy (V - T0) by the independent positions, at rest of a conservative system
    /// (dissipation allowed); `None` for others.
    fn potential_curvature(&self, model: &mut Workspace, state: &State, here: &Local) -> Option<Vec<f64>> {
        let (d_x, d_w) = (here.positions.dimension(), here.speeds.dimension());
        let at_rest = state.eta.iter().all(|v| v.abs() <= 1e-12);
        if !at_rest || d_x != d_w || self.derivatives.timed || !conservative(model) {
            return None;
        }
        // K by speeds and positions is B^T V_pp with p' = B w.
        let mut lu = Lu::new(d_x);
        (0..d_x * d_x).for_each(|e| lu.matrix(d_x)[e] = here.S[[e % d_x, d_x + e / d_x]]);
        if lu.factor(1e-12).is_err() {
            return None;
        }
        let mut V = vec![0.0; d_x * d_x];
        for c in 0..d_x {
            let mut column: Vec<f64> = (0..d_x).map(|k| -here.B[[k, c]]).collect();
            lu.solve(&mut column);
            (0..d_x).for_each(|k| V[k * d_x + c] = column[k]);
        }
        Some(V)
    }

    /// Dirichlet on a family: second derivatives that are positive across directions in which equilibria provably go on,
    /// because a symmetry of potential and constraints carries one into the other (see `proof`).
    fn minimum_on_family(
        &self,
        model: &mut Workspace,
        state: &State,
        here: &Local,
        states: &[usize],
        off: f64,
    ) -> bool {
        let Some(V) = self.potential_curvature(model, state, here) else { return false };
        let (d_x, d_w) = (here.positions.dimension(), here.speeds.dimension());
        let kept: Vec<usize> = states.iter().copied().filter(|i| *i < d_x).collect();
        let r = kept.len();
        let mut part: Vec<f64> =
            kept.iter().flat_map(|i| kept.iter().map(|j| V[i * d_x + j]).collect::<Vec<_>>()).collect();
        let size = part.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let symmetric = (0..r * r).all(|e| (part[e] - part[(e % r) * r + e / r]).abs() <= 1e-7 * size);
        if r == 0 || !symmetric || !positive_definite(&here.mass, d_w) {
            return false;
        }
        let mut vectors = vec![0.0; r * r];
        symmetric_eigen(&mut part, r, &mut vectors);
        let values: Vec<f64> = (0..r).map(|k| part[k * r + k]).collect();
        let highest = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let inertia = here.mass.chunks(d_w.max(1)).map(|row| row.iter().map(|v| v.abs()).sum::<f64>());
        let slack = (LEVEL * highest).max(off * inertia.fold(0.0, f64::max));
        let flat: Vec<usize> = (0..r).filter(|&k| values[k].abs() <= slack).collect();
        if flat.is_empty() || flat.len() == r || values.iter().any(|v| *v < -slack) {
            return false;
        }
        let image = |k: usize, i: usize| -> f64 {
            kept.iter().enumerate().map(|(c, s)| here.directions[[i, *s]] * vectors[c * r + k]).sum()
        };
        let along: Vec<Vec<f64>> =
            flat.iter().map(|&k| (0..state.x.len()).map(|i| image(k, i)).collect()).collect();
        symmetric_along(model, state, &along)
    }

    /// How far entries of S may be off because the state is not exactly where it should be: what a few Newton steps change.
    fn unsettled(&self, model: &Workspace, state: &State, here: &Local, states: &[usize], S: &[f64]) -> f64 {
        let r = states.len();
        let rates: Vec<f64> = states.iter().map(|i| -here.rates[*i]).collect();
        if rates.iter().all(|v| *v == 0.0) {
            return 0.0;
        }
        let mut cod = Cod::new(r, r);
        cod.factor(S, 1e-14);
        let mut step = vec![0.0; r];
        cod.solve(&rates, &mut step);
        let longest = step.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let factor = STEPS.min(0.1 / longest);
        let same = fixed(model, here);
        let mut most = 0.0f64;
        for sign in [factor, -factor] {
            let mut guess = state.clone();
            for (i, v) in guess.x.iter_mut().chain(&mut guess.eta).enumerate() {
                *v += sign * states.iter().zip(&step).map(|(c, s)| here.directions[[i, *c]] * s).sum::<f64>();
            }
            let (x, w) = (&here.positions.independent, &here.speeds.independent);
            let found = model.on_constraints(&guess, &state.x, x, w);
            let Some(there) = found.and_then(|s| self.plain(model, &s, &same)) else { return f64::INFINITY };
            for i in states {
                let row: f64 = states.iter().map(|j| (there.S[[*i, *j]] - here.S[[*i, *j]]).abs()).sum();
                most = most.max(row);
            }
        }
        most
    }
}

/// What rounding may make of a real part.
pub(super) fn rounding(e: &Eigen, k: usize) -> f64 {
    e.size * (ROUNDING * e.condition[k]).min(WORST)
}

/// Only energies, holonomic constraints, and dissipation by a constant quadratic form that never feeds energy in.
fn conservative(model: &mut Workspace) -> bool {
    let system = &mut model.system;
    let direct = system.forces.mass.is_some() || system.constraints.nonideal.is_some();
    let forced = system.forces.applied.iter().any(|e| *e != Pool::ZERO);
    let energies = system.energies.kinetic.is_some() || system.energies.lagrangian.is_some();
    if direct || forced || !energies || system.constraints.rows.iter().any(|row| !row.holonomic) {
        return false;
    }
    let zeros: Vec<(Symbol, Expr)> = model.form.speeds.iter().map(|s| (*s, Pool::ZERO)).collect();
    let drift = system.pool.substitute(&model.form.x_dot, &zeros);
    if drift.iter().any(|e| *e != Pool::ZERO) {
        return false;
    }
    let Some(R) = system.forces.dissipation else { return true };
    let gradient = system.pool.gradient(R, &model.form.speeds);
    if system.pool.substitute(&gradient, &zeros).iter().any(|e| *e != Pool::ZERO) {
        return false;
    }
    let n = model.form.speeds.len();
    let entries: Vec<Expr> =
        gradient.iter().flat_map(|g| system.pool.gradient(*g, &model.form.speeds)).collect();
    let state: Vec<Symbol> = model.form.coordinates.iter().chain(&model.form.speeds).copied().collect();
    if entries.iter().any(|e| system.pool.depends_on(*e, &state)) {
        return false;
    }
    let values: Vec<f64> = entries.iter().map(|e| model.constant(*e)).collect();
    let size = values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    eigenvalues(&values, n).is_ok_and(|list| list.iter().all(|v| v.re >= -1e-12 * size))
}

/// Symmetric, and positive by a margin that does not depend on units.
fn positive_definite(V: &[f64], n: usize) -> bool {
    let scale: Vec<f64> = (0..n).map(|i| V[i * n + i].sqrt()).collect();
    if scale.iter().any(|s| s.is_nan() || *s == 0.0) {
        return false;
    }
    let unit: Vec<f64> = (0..n * n).map(|e| V[e] / (scale[e / n] * scale[e % n])).collect();
    let symmetric = (0..n * n).all(|e| (unit[e] - unit[(e % n) * n + e / n]).abs() <= 1e-7);
    symmetric && eigenvalues(&unit, n).is_ok_and(|list| list.iter().all(|v| v.re > 1e-9))
}
