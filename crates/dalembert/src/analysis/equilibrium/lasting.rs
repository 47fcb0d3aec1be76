//! Whether a state at which accelerations vanish is an equilibrium or a steady motion.

use crate::analysis::linearize::{Linearization, Linearizer, OperatingPoint};
use crate::workspace::Workspace;
use dalembert_linalg::eigenvalues;
use dalembert_run::{Dynamics, State, Terms};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// What to try where a search ends at no equilibrium.
pub(super) const NOT_FOUND: &str = "start nearer to it with --initial or --at, or leave `--settle` out to linearise about the state as it is";

impl Linearizer {
    /// The linear system at a state that a search from `base` led to; an error where it does not last.
    pub(super) fn lasting(
        &self,
        model: &mut Workspace,
        base: &State,
        state: &State,
    ) -> Result<Linearization, Box<Diagnostic>> {
        let refuse = |code: Code, message: &str, help: &str| {
            Err(Box::new(Diagnostic::error(code, None, message).help(help)))
        };
        if inertia_vanishes(model, base, state) {
            return refuse(
                Code::MassSingular,
                "inertia vanishes at a state where accelerations do: the coordinates are singular there",
                "start elsewhere with --initial or --at, or describe the system by coordinates that are regular there",
            );
        }
        let linear = self.at(model, state)?;
        let OperatingPoint::Neither { driven, .. } = linear.kind else { return Ok(linear) };
        let size = |x: &[f64]| x.iter().fold(1.0f64, |m, v| m.max(v.abs()));
        let message = match driven {
            true => "accelerations vanish at a state that does not last: time occurs in the equations",
            false if size(&state.x) > 10.0 * size(&base.x) => {
                "accelerations become small far away, but do not vanish"
            }
            false => "accelerations become small, but do not vanish",
        };
        refuse(Code::NotConverged, message, NOT_FOUND)
    }
}

/// Whether the mass matrix loses rank at a state that it has beside it: poles of spherical angles and the like.
fn inertia_vanishes(model: &Workspace, base: &State, state: &State) -> bool {
    let n = state.eta.len();
    let mass = |at: &State| {
        let mut scratch = vec![0.0; model.compiled.scratch_len()];
        let mut terms = Terms::new(&model.compiled.shape());
        model.compiled.terms(at.point(), &mut scratch, &mut terms);
        terms.M
    };
    let shifted = |sign: f64| {
        let mut other = state.clone();
        let shift = |i: usize| 0.03 * (0.5 + (i as f64 * 0.618_033_988_75).fract());
        other.x.iter_mut().enumerate().for_each(|(i, v)| *v += sign * shift(i) * v.abs().max(1.0));
        other
    };
    let here = mass(state);
    let others = [mass(&shifted(1.0)), mass(&shifted(-1.0)), mass(base)];
    let scale: Vec<f64> = (0..n)
        .map(|i| others.iter().chain([&here]).map(|M| M[i * n + i].abs()).fold(0.0, f64::max).sqrt())
        .collect();
    if scale.iter().any(|s| *s == 0.0 || !s.is_finite()) {
        return false;
    }
    let smallest = |M: &[f64]| {
        let unit: Vec<f64> = (0..n * n).map(|e| M[e] / (scale[e / n] * scale[e % n])).collect();
        let list = eigenvalues(&unit, n).unwrap_or_default();
        list.iter().map(|v| v.abs()).fold(f64::INFINITY, f64::min)
    };
    let usual = others.iter().map(|M| smallest(M)).filter(|v| v.is_finite()).fold(0.0, f64::max);
    usual > 1e-9 && smallest(&here) < 1e-10 * usual.max(1e-3)
}
