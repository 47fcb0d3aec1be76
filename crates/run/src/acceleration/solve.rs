//! The solve itself: terms from the kernel, checks, U1-U9 by [`Factor`], then friction and control.

mod contacts;
mod forces;
mod requirements;
mod rows;

use super::Saddle;
use super::control::Steering;
use super::factor::{Factor, Massless, Rules};
use super::load_path::{Carriers, LoadPath};
use crate::coulomb::NormalForces;
use crate::kernel::{AccelerationError, Path, Solution, Term};
use crate::row_sensitivity::{RowSensitivity, nudged};
use crate::tolerance;
use crate::{
    Capabilities, Contact, ControlTerms, Dynamics, Fused, IdealForces, Point, Shape, Sliding, Terms,
};
use dalembert_linalg::{RANK_TOL, axpy};

/// Rows that stand for all at a state, the best-conditioned first: as many as the rank there. `None` where there is no
/// acceleration, and for systems given by their entries.
pub fn independent_rows(kernel: &dyn Dynamics, at: Point<'_>) -> Option<Vec<usize>> {
    let mut accelerator = Accelerator { path: Path::Cod, ..Accelerator::new(kernel) };
    accelerator.solve(kernel, at).ok()?;
    accelerator.factor.pivot_rows()
}

/// C2 as constraint stabilisation: `b -= 2 alpha psi + beta^2 phi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Baumgarte {
    /// Velocity gain.
    pub alpha: f64,
    /// Position gain.
    pub beta: f64,
}

/// Where control forces come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ControlInput<'a> {
    /// From this model's own requirements (C1).
    Required,
    /// These inputs, whatever the requirements say.
    Given(&'a [f64]),
}

/// Workspace for accelerations of one kernel, sized once.
#[derive(Clone, Debug)]
pub struct Accelerator {
    shape: Shape,
    terms: Terms,
    solution: Solution,
    pub(crate) factor: Saddle,
    scratch: Vec<f64>,
    /// Whether C is asked for (K4).
    has_nonideal: bool,
    /// Results and workspace of the kernel's fused program; empty if it has none.
    fused_results: Vec<f64>,
    fused_workspace: Vec<f64>,
    C: Vec<f64>,
    /// Q + S u.
    force: Vec<f64>,
    contacts: Vec<Contact>,
    sliding: Sliding,
    normals: NormalForces,
    /// Accelerations and multipliers which answer each sliding contact's force for N = 1.
    slip_z: Vec<f64>,
    slip_lambda: Vec<f64>,
    /// Rows that force laws read, and those that carry them at this state where rows are redundant.
    pub(crate) load_path: Option<LoadPath>,
    carriers: Option<Carriers>,
    /// The natural rows by themselves, for non-ideal forces while contacts stick.
    natural: Option<Box<forces::NaturalRows>>,
    control: ControlTerms,
    steering: Steering,
    /// Changes by refinement.
    correction: Solution,
    work_n: Vec<f64>,
    work_m: Vec<f64>,
    /// What a change of the whole state makes of b, where that was asked (see [`crate::row_sensitivity`]).
    grain: Vec<f64>,
    /// Whether rows that vanish at the first state have been looked for.
    rows_known: bool,
    phi: Vec<f64>,
    psi: Vec<f64>,
    /// Which factorisation to use.
    pub path: Path,
    /// Largest scaled residual (U6) that passes; [`tolerance::CONSISTENCY`] unless set.
    pub consistency_tol: f64,
    /// Rank known from the motion, if any: no more directions than these are kept.
    pub max_rank: Option<usize>,
    /// Constraint stabilisation (C2).
    pub baumgarte: Option<Baumgarte>,
    /// Only accelerations are wanted, and rows may disagree (stages of a step): no unconstrained accelerations, no Gauss
    /// function, no residual (U6), and multipliers of a sparse system need not be of minimum norm.
    pub(crate) accelerations_only: bool,
    /// Whether anybody looks at the multipliers: then they are those of minimum norm.
    pub(crate) minimum_norm: bool,
}

impl Accelerator {
    /// Sized for a kernel.
    pub fn new(kernel: &dyn Dynamics) -> Self {
        let Capabilities { fused, nonideal, contacts, .. } = kernel.capabilities();
        Self {
            contacts: contacts.map_or(Vec::new(), |contacts| contacts.contacts().to_vec()),
            load_path: LoadPath::of(kernel),
            has_nonideal: nonideal.is_some(),
            fused_results: fused.map_or(Vec::new(), |fused| fused.results()),
            fused_workspace: fused.map_or(Vec::new(), |fused| fused.workspace()),
            ..Self::with_terms(kernel.shape(), kernel.scratch_len(), Terms::of(kernel))
        }
    }

    /// Sized for a kernel whose last rows are those of sticking contacts, added to the rows of `base`.
    pub(crate) fn with_contact_rows(kernel: &dyn Dynamics, base: &dyn Dynamics) -> Self {
        let sliding = Sliding::new(&kernel.shape(), base.shape().n_con);
        Self { sliding, load_path: LoadPath::of(base), ..Self::new(kernel) }
    }

    /// Sized without a kernel, for terms that come from elsewhere (see [`solve_terms`](Accelerator::solve_terms)).
    pub fn with_shape(shape: Shape, scratch_len: usize) -> Self {
        Self::with_terms(shape, scratch_len, Terms::new(&shape))
    }

    /// With a non-ideal C (K4), which [`solve_terms`](Accelerator::solve_terms) then asks for.
    #[must_use]
    pub fn with_nonideal(self) -> Self {
        Self { has_nonideal: true, ..self }
    }

    /// Sized for terms of a layout.
    pub(super) fn with_terms(shape: Shape, scratch_len: usize, terms: Terms) -> Self {
        let (n, m) = (shape.n_eta, shape.n_con);
        Self {
            shape,
            solution: Solution::new(&shape),
            factor: Saddle::new(n, m, terms.sparsity.as_ref()),
            terms,
            scratch: vec![0.0; scratch_len],
            has_nonideal: false,
            fused_results: Vec::new(),
            fused_workspace: Vec::new(),
            C: vec![0.0; n],
            force: vec![0.0; n],
            contacts: Vec::new(),
            sliding: Sliding::default(),
            normals: NormalForces::new(shape.n_contact),
            slip_z: vec![0.0; shape.n_contact * n],
            slip_lambda: vec![0.0; shape.n_contact * m],
            load_path: None,
            carriers: None,
            natural: None,
            control: ControlTerms::new(&shape),
            steering: Steering::new(&shape),
            correction: Solution::new(&shape),
            work_n: vec![0.0; n],
            work_m: vec![0.0; m],
            grain: vec![0.0; m],
            rows_known: m == 0,
            phi: vec![0.0; m],
            psi: vec![0.0; m],
            path: Path::Auto,
            consistency_tol: tolerance::CONSISTENCY,
            max_rank: None,
            baumgarte: None,
            accelerations_only: false,
            minimum_norm: true,
        }
    }

    /// The result of the last successful solve.
    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    /// The terms of the last solve.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// U1-U9 and C1 at a state of the kernel.
    pub fn solve(&mut self, kernel: &dyn Dynamics, at: Point<'_>) -> Result<&Solution, AccelerationError> {
        self.solve_with_input(kernel, at, ControlInput::Required)
    }

    /// U1-U9 at a state, with control forces from the requirements or given.
    pub fn solve_with_input(
        &mut self,
        kernel: &dyn Dynamics,
        at: Point<'_>,
        input: ControlInput<'_>,
    ) -> Result<&Solution, AccelerationError> {
        kernel.terms(at, &mut self.scratch, &mut self.terms);
        if let Some(Baumgarte { alpha, beta }) = self.baumgarte {
            kernel.residuals(at, &mut self.scratch, &mut self.phi, &mut self.psi);
            for i in 0..self.shape.n_con {
                self.terms.b[i] -= 2.0 * alpha * self.psi[i] + beta * beta * self.phi[i];
            }
        }
        if !self.sliding.unit.is_empty()
            && let Some(contacts) = kernel.capabilities().sliding
        {
            contacts.sliding(at, &mut self.scratch, &mut self.sliding);
        }
        if self.shape.n_require > 0
            && let Some(control) = kernel.capabilities().control
        {
            control.control_terms(at, &mut self.scratch, &mut self.control);
        }
        let mut solved = self.unless_rounding(kernel, at, |this| this.solve_at(kernel, at, input));
        if !self.rows_known && self.find_vanishing_rows(kernel, at) {
            solved = self.unless_rounding(kernel, at, |this| this.solve_at(kernel, at, input));
        }
        let unsure = self.steering.redundant || matches!(solved, Err(AccelerationError::Unreachable { .. }));
        if unsure && self.compare_requirements(kernel, at) {
            self.unless_rounding(kernel, at, |this| this.solve_at(kernel, at, input))?;
        } else {
            solved?;
        }
        Ok(&self.solution)
    }

    /// Takes note of what changes of the state make of requirements that are redundant or out of reach, once. Whether that is
    /// news.
    fn compare_requirements(&mut self, kernel: &dyn Dynamics, at: Point<'_>) -> bool {
        if self.shape.n_require == 0 || self.steering.known {
            return false;
        }
        let Some(control) = kernel.capabilities().control else { return false };
        self.steering.known = true;
        let mut near = ControlTerms::new(&self.shape);
        for round in 0..tolerance::NUDGES {
            control.control_terms(nudged(at, round).point(), &mut self.scratch, &mut near);
            self.steering.compare(&self.control, &near, tolerance::NUDGE, &mut self.factor, &self.terms);
        }
        true
    }

    /// With the terms that have been loaded.
    fn solve_at(
        &mut self,
        kernel: &dyn Dynamics,
        at: Point<'_>,
        input: ControlInput<'_>,
    ) -> Result<(), AccelerationError> {
        let terms = std::mem::take(&mut self.terms);
        let mut scratch = std::mem::take(&mut self.scratch);
        let result = self.solve_loaded(at.t, at.eta, &terms, input, |ideal, C| {
            if let Some(nonideal) = kernel.capabilities().nonideal {
                nonideal.nonideal(at, ideal, &mut scratch, C);
            }
        });
        self.terms = terms;
        self.scratch = scratch;
        result
    }

    /// x' and eta' (U1) at a state, by the kernel's fused program where it can be trusted there; otherwise as
    /// [`solve`](Accelerator::solve) finds them.
    pub fn rates(
        &mut self,
        kernel: &dyn Dynamics,
        at: Point<'_>,
        x_dot: &mut [f64],
        eta_dot: &mut [f64],
    ) -> Result<(), AccelerationError> {
        let fused = if self.fused_workspace.is_empty() { None } else { kernel.capabilities().fused };
        if !self.solve_fused(fused, at, x_dot, eta_dot) {
            self.solve(kernel, at)?;
            x_dot.copy_from_slice(&self.terms.x_dot);
            eta_dot.copy_from_slice(&self.solution.eta_dot);
        }
        Ok(())
    }

    /// The parameters of the kernel have changed.
    pub fn refresh(&mut self, kernel: &dyn Dynamics) {
        if let Some(fused) = kernel.capabilities().fused.filter(|_| !self.fused_workspace.is_empty()) {
            fused.refresh(&mut self.fused_workspace);
        }
    }

    /// x' and eta' by the kernel's fused program, if it has one that can be trusted here. The rest of the solution is
    /// left as it was, but for rank and margin.
    pub(crate) fn solve_fused(
        &mut self,
        fused: Option<&dyn Fused>,
        at: Point<'_>,
        x_dot: &mut [f64],
        eta_dot: &mut [f64],
    ) -> bool {
        let Some(fused) = fused else { return false };
        let rows = fused.rows();
        let plain = self.path == Path::Auto && self.baumgarte.is_none();
        let rank = self.max_rank.unwrap_or(self.shape.n_con);
        if self.fused_workspace.is_empty() || !plain || rank != rows.len() {
            return false;
        }
        if !fused.accelerate(at, &mut self.fused_workspace, &mut self.fused_results) {
            return false;
        }
        let (n_x, n) = (x_dot.len(), eta_dot.len());
        let (pivots, squares) = self.fused_results[n_x + n..n_x + n + 2 * rank].split_at(rank);
        if !Factor::trusts(pivots, squares) {
            return false;
        }
        x_dot.copy_from_slice(&self.fused_results[..n_x]);
        eta_dot.copy_from_slice(&self.fused_results[n_x..n_x + n]);
        let margin = self.factor.take_measure(rows, pivots, squares);
        if rank > 1 && margin <= RANK_TOL {
            return false; // a row that is rounding beside others, see `Factor::factor_gram`
        }
        (self.solution.rank, self.solution.margin, self.solution.path) =
            (rank, margin, crate::kernel::Taken::Gram);
        true
    }

    /// x' and eta' one after the other at t and (x, eta), by the kernel's fused program, of a system without rows; `false`
    /// where it cannot be trusted. The solution is left as it was.
    #[inline]
    pub(crate) fn fused_derivative(&mut self, fused: &dyn Fused, t: f64, y: &[f64], out: &mut [f64]) -> bool {
        let Some([time, state @ ..]) = self.fused_workspace.get_mut(..=y.len()) else { return false };
        *time = t;
        copy_few(y, state);
        let done = fused.accelerate_in_place(&mut self.fused_workspace, &mut self.fused_results);
        if done {
            copy_few(&self.fused_results, out);
        }
        done
    }

    /// Workspace and results of the kernel's fused program, where it has one that is trusted.
    pub(crate) fn fused_room(&mut self) -> Option<(&mut [f64], &mut [f64])> {
        (!self.fused_workspace.is_empty()).then_some((&mut self.fused_workspace, &mut self.fused_results))
    }

    /// Whether the fused program stands for a redundant set by some of its rows.
    pub(crate) fn fused_stands_for_more(&self, fused: Option<&dyn Fused>) -> bool {
        !self.fused_workspace.is_empty() && fused.is_some_and(|fused| fused.rows().len() < self.shape.n_con)
    }

    /// Margins are compared with each other, so they must come by one way.
    pub(crate) fn keep_margin(&mut self, margin: f64) {
        self.solution.margin = margin;
    }

    /// From now on the general way is taken.
    pub(crate) fn forget_fused(&mut self) {
        self.fused_workspace.clear();
    }

    /// A contradiction (U6) is one only if it remains when it is known what rounding makes of the rows.
    fn unless_rounding(
        &mut self,
        kernel: &dyn Dynamics,
        at: Point<'_>,
        mut solve: impl FnMut(&mut Self) -> Result<(), AccelerationError>,
    ) -> Result<(), AccelerationError> {
        match solve(self) {
            Err(AccelerationError::Inconsistent { .. }) if self.feel_grain(kernel, at) => solve(self),
            result => result,
        }
    }

    /// Looks for rows that are rounding at the first state, once. Whether there are any.
    fn find_vanishing_rows(&mut self, kernel: &dyn Dynamics, at: Point<'_>) -> bool {
        self.rows_known = true;
        let felt = RowSensitivity::new(kernel, at, &mut self.scratch);
        felt.vanishing().for_each(|(i, length)| self.factor.keep_long(i, length, &self.terms));
        felt.vanishing().next().is_some()
    }

    /// Takes note of what rounding of a state makes of the rows. Whether that may change a verdict.
    fn feel_grain(&mut self, kernel: &dyn Dynamics, at: Point<'_>) -> bool {
        let felt = RowSensitivity::new(kernel, at, &mut self.scratch);
        let mut more = false;
        for i in 0..self.shape.n_con {
            more |= felt.right[i] > self.grain[i] || felt.times_longer[i] > 0.0;
            self.grain[i] = self.grain[i].max(felt.right[i]);
            self.factor.lengthen(i, felt.times_longer[i]);
        }
        more
    }

    /// U1-U9 at a state with a given control force, and C from elsewhere; no friction, no requirements.
    pub(crate) fn solve_with(
        &mut self,
        kernel: &dyn Dynamics,
        at: Point<'_>,
        control: &[f64],
        mut nonideal: impl FnMut(&IdealForces<'_>, &mut [f64], &mut [f64]),
    ) -> Result<(), AccelerationError> {
        kernel.terms(at, &mut self.scratch, &mut self.terms);
        let mut terms = std::mem::take(&mut self.terms);
        axpy(1.0, control, &mut terms.Q);
        let result = self.unless_rounding(kernel, at, |this| {
            let mut scratch = std::mem::take(&mut this.scratch);
            let result = this.solve_terms(at.t, at.eta, &terms, |ideal, C| {
                nonideal(ideal, &mut scratch, C);
            });
            this.scratch = scratch;
            result
        });
        axpy(-1.0, control, &mut terms.Q);
        self.terms = terms;
        result
    }

    /// U1-U9 for given terms; `nonideal` is asked for C once the ideal forces are known (U8).
    pub fn solve_terms(
        &mut self,
        t: f64,
        eta: &[f64],
        terms: &Terms,
        nonideal: impl FnMut(&IdealForces<'_>, &mut [f64]),
    ) -> Result<(), AccelerationError> {
        self.solve_loaded(t, eta, terms, ControlInput::Required, nonideal)
    }

    /// U1-U9 and C1, with the friction and the requirements that have been loaded.
    fn solve_loaded(
        &mut self,
        t: f64,
        eta: &[f64],
        terms: &Terms,
        input: ControlInput<'_>,
        mut nonideal: impl FnMut(&IdealForces<'_>, &mut [f64]),
    ) -> Result<(), AccelerationError> {
        check_finite(t, terms)?;
        let rules = Rules {
            path: self.path,
            rank_tol: RANK_TOL,
            max_rank: self.max_rank.unwrap_or(usize::MAX),
            judged: true,
        };
        self.force.copy_from_slice(&terms.Q);
        if !self.solution.inputs.is_empty() {
            self.solution.control_force.fill(0.0);
        }
        if let ControlInput::Given(inputs) = input {
            self.push(inputs);
        }
        let s = &mut self.solution;
        self.factor
            .factor_and_solve(
                (&terms.M, &terms.A),
                rules,
                (&self.force, &terms.b),
                (&mut s.eta_dot, &mut s.lambda),
            )
            .map_err(|Massless { speed, pivot }| AccelerationError::MassSingular { t, speed, pivot })?;
        if !self.factor.mass_is_positive() {
            // Elimination of M first, as the fused program does it, cannot be trusted near here either.
            self.fused_workspace.clear();
        }
        self.respond(t, eta, terms, &mut nonideal)?;
        if self.shape.n_require > 0 && input == ControlInput::Required {
            self.meet_requirements(t, eta, terms, &mut nonideal)?;
        }
        if self.shape.n_require > 0 && self.shape.n_con == 0 && self.has_nonideal {
            // No constraint of nature could exert C: it is the part of the control law that is free.
            let s = &mut self.solution;
            axpy(1.0, &s.nonideal_force, &mut s.control_force);
            s.nonideal_force.fill(0.0);
        }
        match first_bad(&self.solution.eta_dot) {
            Some(index) => Err(AccelerationError::NotFinite { t, term: Term::Acceleration, index }),
            None => Ok(()),
        }
    }

    /// The motion under the forces for which the saddle system has just been solved: ideal, non-ideal and friction.
    fn respond(
        &mut self,
        t: f64,
        eta: &[f64],
        terms: &Terms,
        nonideal: &mut impl FnMut(&IdealForces<'_>, &mut [f64]),
    ) -> Result<(), AccelerationError> {
        self.ideal(eta, terms);
        self.check_consistent(t, eta, terms)?;
        self.choose_carriers(terms);
        self.solve_nonideal(t, terms, nonideal)?;
        if !self.sliding.unit.is_empty() {
            self.solve_friction(t, terms)?;
        }
        Ok(())
    }

    /// Whether nothing but accelerations is wanted.
    fn accelerations_alone(&self) -> bool {
        self.accelerations_only && self.consistency_tol == f64::INFINITY
    }
}

/// Copies as many numbers as there is room for, without a call for what is mostly a few of them.
#[inline(always)]
fn copy_few(from: &[f64], to: &mut [f64]) {
    let (fours, rest) = from[..to.len()].as_chunks::<4>();
    let (to_fours, to_rest) = to.as_chunks_mut::<4>();
    to_fours.iter_mut().zip(fours).for_each(|(to, from)| *to = *from);
    to_rest.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
}

fn first_bad(values: &[f64]) -> Option<usize> {
    // All at once, without a branch for each.
    let all_good = values.iter().fold(true, |good, v| good & v.is_finite());
    if all_good { None } else { values.iter().position(|v| !v.is_finite()) }
}

fn check_finite(t: f64, terms: &Terms) -> Result<(), AccelerationError> {
    let all = [
        (Term::XDot, &terms.x_dot),
        (Term::MassMatrix, &terms.M),
        (Term::Force, &terms.Q),
        (Term::ConstraintMatrix, &terms.A),
        (Term::ConstraintRight, &terms.b),
    ];
    for (term, values) in all {
        if let Some(index) = first_bad(values) {
            let index = terms.written_out_place(term, index);
            return Err(AccelerationError::NotFinite { t, term, index });
        }
    }
    Ok(())
}
