//! The kernel as y' = f(t, y) on the flat state y = (x, eta).
//!
//! In near mode (close to a loss of rank, see `singular`) the derivative is taken at the projection of the state,
//! f(P(y)), which is smooth along the branch where f alone is not.

use super::controller::{Controller, SampledController};
use super::outcome::Counters;
use super::tolerances::{LEAST_DIFFERENCES, MAX_MARGINS};
use crate::method::stepper::{EvalError, Field, FusedField};
use crate::{
    AccelerationError, Accelerator, Baumgarte, ContactModes, Dynamics, Fused, Lagrangian, Partials, Point,
    Projector, Reporter, Shape, Solution, StickingKernel,
};
use dalembert_linalg::norm_max;

/// The kernel with everything needed to evaluate it.
pub(super) struct RightHandSide<'k> {
    pub kernel: StickingKernel<'k>,
    pub shape: Shape,
    pub accelerator: Accelerator,
    pub controller: SampledController<'k>,
    /// For event functions and integrals, where contacts stick.
    reporter: Option<Reporter>,
    pub projector: Projector,
    pub counters: Counters,
    /// The kernel's fused program; not where another model or a sample decides the control, which is in it.
    fused: Option<&'k dyn Fused>,
    /// The fused program of a system whose derivative is given by it alone: without rows, contacts, requirements and
    /// switches of time. Decided once, so that evaluations of such a system pay for none of them.
    free: Option<&'k dyn Fused>,
    /// Whether states are projected before their derivative is taken.
    pub near: bool,
    /// A redundant set is stood for by some of its rows, which agree with the others on the constraints only ...
    pub by_some_rows: bool,
    /// ... until these rows are no longer well independent.
    pub outgrown: bool,
    /// Derivatives are those of this stretch of time: of the near side where it ends at a switch.
    pub stretch: [f64; 2],
    /// (time, margin) of the evaluations since the driver last cleared it; bounded, later ones replace equal times.
    pub samples: Vec<(f64, f64)>,
    state: Vec<f64>,
    bumped: Vec<f64>,
    column: Vec<f64>,
    partials: Partials,
    r1: Vec<f64>,
    r2: Vec<f64>,
    dz: Vec<f64>,
    dl: Vec<f64>,
}

impl<'k> RightHandSide<'k> {
    pub fn new(base: &'k dyn Dynamics, controller: &Controller<'k>) -> Self {
        let modes = ContactModes::new(&base.shape());
        let controller = SampledController::new(base, controller, &modes);
        Self::with_modes(StickingKernel::new(base, modes), controller)
    }

    fn with_modes(kernel: StickingKernel<'k>, controller: SampledController<'k>) -> Self {
        let shape = kernel.shape();
        let d = shape.n_x + shape.n_eta;
        Self {
            accelerator: kernel.accelerator(),
            projector: Projector::new(&kernel),
            reporter: (kernel.stuck_rows() > 0).then(|| Reporter::new(&kernel)),
            fused: kernel.fused().filter(|_| !controller.is_apart()),
            controller,
            free: kernel.fused().filter(|_| is_free(&shape)),
            kernel,
            shape,
            counters: Counters::default(),
            near: false,
            by_some_rows: false,
            outgrown: false,
            stretch: [f64::NEG_INFINITY, f64::INFINITY],
            samples: Vec::with_capacity(MAX_MARGINS),
            state: vec![0.0; d],
            bumped: vec![0.0; d],
            column: vec![0.0; d],
            partials: Partials::default(),
            r1: vec![0.0; shape.n_eta],
            r2: vec![0.0; shape.n_con],
            dz: vec![0.0; shape.n_eta],
            dl: vec![0.0; shape.n_con],
        }
    }

    /// Stabilises the constraints, if there are any gains.
    pub fn stabilise(&mut self, gains: Option<Baumgarte>) {
        self.accelerator.baumgarte = gains;
        self.free = self.free.filter(|_| gains.is_none());
    }

    /// Other contacts stick from now on.
    pub fn set_modes(&mut self, modes: ContactModes) {
        let mut controller = std::mem::take(&mut self.controller);
        controller.set_modes(&modes);
        let mut new = Self::with_modes(StickingKernel::new(self.kernel.base(), modes), controller);
        new.counters = self.counters;
        new.stretch = self.stretch;
        new.projector.inherit(&self.projector);
        new.accelerator.baumgarte = self.accelerator.baumgarte;
        new.accelerator.minimum_norm = self.accelerator.minimum_norm;
        new.accelerator.consistency_tol = self.accelerator.consistency_tol;
        *self = new;
    }

    /// Accelerations and forces at a flat state, as they are reported: natural constraints apart from contacts.
    pub fn report(&mut self, t: f64, y: &[f64]) -> Result<&Solution, AccelerationError> {
        let (x, eta) = y.split_at(self.shape.n_x);
        let at = Point { t, x, eta };
        let input = self.controller.input(at, self.accelerator.consistency_tol)?;
        match &mut self.reporter {
            Some(reporter) => reporter.solve(&self.kernel, at, input),
            None => self.accelerator.solve_with_input(&self.kernel, at, input),
        }
    }

    /// What the last [`report`](RightHandSide::report) found.
    pub fn reported(&self) -> &Solution {
        self.reporter.as_ref().map_or(self.accelerator.solution(), Reporter::solution)
    }

    /// Accelerations with the rows of contacts that stick, into the accelerator.
    pub fn solve(&mut self, t: f64, y: &[f64]) -> Result<&Solution, AccelerationError> {
        let (x, eta) = y.split_at(self.shape.n_x);
        let at = Point { t, x, eta };
        let input = self.controller.input(at, self.accelerator.consistency_tol)?;
        self.accelerator.solve_with_input(&self.kernel, at, input)
    }

    /// Whether the requirements of the system decide its control, at every state.
    pub fn steers_itself(&self) -> bool {
        self.shape.n_require > 0 && !self.controller.is_apart()
    }

    /// Whether control inputs have bounds.
    pub fn has_control_bounds(&self) -> bool {
        self.kernel.base_capabilities().control.is_some_and(|control| control.has_control_bounds())
    }

    /// A flat state as a point.
    pub fn point<'a>(&self, t: f64, y: &'a [f64]) -> Point<'a> {
        let (x, eta) = y.split_at(self.shape.n_x);
        Point { t, x, eta }
    }

    /// Projects a flat state in place; whether that moved it.
    #[inline]
    pub fn project(&mut self, t: f64, y: &mut [f64]) -> Result<bool, EvalError> {
        if self.shape.n_con + self.shape.n_invariant == 0 {
            return Ok(false);
        }
        let (x, eta) = y.split_at_mut(self.shape.n_x);
        let moved = self.projector.project(&self.kernel, t, x, eta).map_err(EvalError::Projection)?;
        self.counters.projections += usize::from(moved);
        Ok(moved)
    }

    /// Derivatives are those behind this time from now on.
    pub fn stretch_from(&mut self, behind: f64, direction: f64) {
        let (near, far) = if direction > 0.0 { (0, 1) } else { (1, 0) };
        self.stretch[near] = behind;
        self.stretch[far] = f64::INFINITY * direction;
    }

    /// The nearest time of the stretch: at most roundings away.
    pub fn within_stretch(&self, t: f64) -> f64 {
        t.max(self.stretch[0]).min(self.stretch[1])
    }

    /// Conditioning of the constraints at the last evaluation.
    pub fn margin(&self) -> f64 {
        self.accelerator.solution().margin
    }

    /// The state of the last evaluation was accepted after a step of length `h`: its rows are what later ones are measured
    /// against.
    pub fn update_references(&mut self, h: f64, y: &[f64], f: &[f64]) {
        if self.shape.n_con > 0 {
            let kept = (-h.abs() / self.time_scale(y, f)).exp();
            self.accelerator.factor.update_references(kept);
            self.projector.update_references();
        }
    }

    /// Where some rows stand for all: an error if the others contradict them at this state (U6).
    pub fn check_other_rows(&mut self, t: f64, y: &[f64]) -> Result<(), EvalError> {
        if !self.by_some_rows {
            return Ok(());
        }
        let margin = self.margin();
        self.solve(t, y).map_err(EvalError::Acceleration)?;
        self.accelerator.keep_margin(margin);
        Ok(())
    }

    /// Takes the margin by the kernel's own fast way; whether that can be trusted here.
    pub fn margin_of_some_rows(&mut self, t: f64, y: &[f64]) -> bool {
        let at = self.point(t, y);
        let (x_dot, eta_dot) = self.column.split_at_mut(self.shape.n_x);
        self.accelerator.solve_fused(self.fused, at, x_dot, eta_dot)
    }

    /// A time in which a motion with this derivative changes its configuration by its own size; may be infinite.
    pub fn time_scale(&self, y: &[f64], f: &[f64]) -> f64 {
        let n_x = self.shape.n_x;
        let (size, rate, push) = (1.0 + norm_max(&y[..n_x]), norm_max(&f[..n_x]), norm_max(&f[n_x..]));
        (size / rate).min((size / push).sqrt())
    }

    fn derivative(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<(), EvalError> {
        self.counters.evaluations += 1;
        let (x_dot, eta_dot) = out.split_at_mut(self.shape.n_x);
        let at = self.point(t, y);
        if !self.accelerator.solve_fused(self.fused, at, x_dot, eta_dot) {
            self.outgrown |= self.by_some_rows;
            self.general_derivative(t, y, out)?;
        }
        if self.shape.n_con > 0 {
            self.note_margin(t);
        }
        Ok(())
    }

    /// The derivative by the acceleration solve, where the kernel has no fused program or it cannot be trusted.
    fn general_derivative(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<(), EvalError> {
        // Where nothing else depends on the multipliers they need not be those of minimum norm.
        self.accelerator.accelerations_only = self.kernel.base_capabilities().nonideal.is_none();
        let solved = self.solve(t, y).map(|_| ());
        self.accelerator.accelerations_only = false;
        solved.map_err(EvalError::Acceleration)?;
        let (x_dot, eta_dot) = out.split_at_mut(self.shape.n_x);
        eta_dot.copy_from_slice(&self.accelerator.solution().eta_dot);
        x_dot.copy_from_slice(&self.accelerator.terms().x_dot);
        Ok(())
    }

    /// Takes note of the margin of the last evaluation.
    fn note_margin(&mut self, t: f64) {
        let margin = self.margin();
        match self.samples.iter().position(|s| s.0 == t) {
            Some(k) => self.samples[k].1 = margin,
            None if self.samples.len() < MAX_MARGINS => self.samples.push((t, margin)),
            None => {}
        }
    }

    /// The derivative of a system without rows, contacts, requirements and switches of time.
    #[inline]
    fn free_derivative(
        &mut self,
        fused: &dyn Fused,
        t: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), EvalError> {
        self.counters.evaluations += 1;
        if self.accelerator.fused_derivative(fused, t, y, out) {
            return Ok(());
        }
        self.general_derivative(t, y, out)
    }

    /// J of (x', eta') by implicit differentiation: M dz - A^T dl = -dF, A dz = -dG. `false` if the kernel has no
    /// derivatives to offer.
    fn exact_jacobian(&mut self, t: f64, y: &[f64], J: &mut [f64]) -> Result<bool, EvalError> {
        let Shape { n_x, n_eta: n, n_con: m, .. } = self.shape;
        // Newton's matrix may be a little off: near a rank loss the projection, and with non-ideal forces the way C
        // follows the multipliers, are left out of it. Stabilising terms are too stiff to be left out.
        if self.accelerator.baumgarte.is_some() {
            return Ok(false);
        }
        self.counters.evaluations += 1;
        self.solve(t, y).map_err(EvalError::Acceleration)?;
        let Some(derivatives) = self.kernel.capabilities().partials else { return Ok(false) };
        let (x, eta) = y.split_at(n_x);
        let s = self.accelerator.solution();
        if self.partials == Partials::default() {
            self.partials = Partials::new(&self.shape);
        }
        let mut scratch = std::mem::take(&mut self.bumped);
        scratch.resize(scratch.len().max(self.kernel.scratch_len()), 0.0);
        let at = Point { t, x, eta };
        derivatives.partials(at, &s.eta_dot, &s.lambda, &mut scratch, &mut self.partials);
        self.bumped = scratch;
        let (d, p) = (n_x + n, &self.partials);
        for j in 0..d {
            let pick = |dx: &[f64], deta: &[f64], i: usize| {
                if j < n_x { dx[i * n_x + j] } else { deta[i * n + j - n_x] }
            };
            for i in 0..n {
                self.r1[i] = -pick(&p.dF_dx, &p.dF_deta, i);
            }
            for i in 0..m {
                self.r2[i] = -pick(&p.dG_dx, &p.dG_deta, i);
            }
            self.accelerator.factor.solve(&self.r1, &self.r2, &mut self.dz, &mut self.dl);
            for i in 0..n_x {
                J[i * d + j] = pick(&p.dx_dot_dx, &p.dx_dot_deta, i);
            }
            for i in 0..n {
                J[(n_x + i) * d + j] = self.dz[i];
            }
        }
        Ok(true)
    }

    /// J by forward differences, for kernels without derivatives and for stabilised constraints.
    fn difference_jacobian(&mut self, t: f64, y: &[f64], f: &[f64], J: &mut [f64]) -> Result<(), EvalError> {
        let d = y.len();
        let (size, [relative, least]) = (norm_max(y), LEAST_DIFFERENCES);
        for j in 0..d {
            let mut bumped = std::mem::take(&mut self.bumped);
            let mut column = std::mem::take(&mut self.column);
            bumped[..d].copy_from_slice(y);
            let wanted = f64::EPSILON.sqrt() * y[j].abs().max(relative * size).max(least);
            bumped[j] += wanted;
            let bump = bumped[j] - y[j];
            let done = self.eval(t, &bumped[..d], &mut column);
            for i in 0..d {
                J[i * d + j] = (column[i] - f[i]) / bump;
            }
            (self.bumped, self.column) = (bumped, column);
            done?;
        }
        Ok(())
    }
}

/// Whether nothing but x' and eta' of the kernel makes up the derivative.
fn is_free(shape: &Shape) -> bool {
    shape.n_con + shape.n_contact + shape.n_require + shape.n_time_switch == 0
}

impl Field for RightHandSide<'_> {
    fn dim(&self) -> usize {
        self.shape.n_x + self.shape.n_eta
    }

    fn eval(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<(), EvalError> {
        if let Some(fused) = self.free {
            return self.free_derivative(fused, t, y, out);
        }
        let t = self.within_stretch(t);
        if !self.near {
            return self.derivative(t, y, out);
        }
        let mut state = std::mem::take(&mut self.state);
        state.copy_from_slice(y);
        let result = self.project(t, &mut state).and_then(|_| self.derivative(t, &state, out));
        self.state = state;
        result
    }

    fn fused(&mut self) -> Option<FusedField<'_>> {
        let program = self.free?;
        let (workspace, out) = self.accelerator.fused_room()?;
        Some(FusedField { program, workspace, out, evaluations: &mut self.counters.evaluations })
    }

    fn jacobian(&mut self, t: f64, y: &[f64], f: &[f64], J: &mut [f64]) -> Result<(), EvalError> {
        self.counters.jacobians += 1;
        let (t, samples) = (self.within_stretch(t), self.samples.len());
        if !self.exact_jacobian(t, y, J)? {
            self.difference_jacobian(t, y, f, J)?;
        }
        self.samples.truncate(samples);
        Ok(())
    }

    fn prepare_tangent(&mut self, t: f64, y: &[f64]) -> bool {
        if self.near && y.iter().all(|v| v.is_finite()) {
            let (x, eta) = y.split_at(self.shape.n_x);
            self.projector.prepare_tangent(&self.kernel, Point { t, x, eta });
        }
        self.near
    }

    fn tangent(&mut self, error: &mut [f64]) {
        let (dx, deta) = error.split_at_mut(self.shape.n_x);
        self.projector.tangent(dx, deta);
    }

    fn count_factorisation(&mut self) {
        self.counters.factorisations += 1;
    }

    fn lagrangian(&self) -> Option<&dyn Lagrangian> {
        self.kernel.base_capabilities().lagrangian
    }

    fn count_work(&mut self, evaluations: usize, factored: bool) {
        self.counters.evaluations += evaluations;
        self.counters.jacobians += usize::from(factored);
        self.counters.factorisations += usize::from(factored);
    }
}
