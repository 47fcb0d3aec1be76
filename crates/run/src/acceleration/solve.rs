//! The solve itself: terms from the kernel, checks, U1-U9 by [`Factor`], then friction and control.

mod rows;

pub use rows::{CONSISTENCY_TOL, COUPLING, REFINE};

use super::control::Steering;
use super::factor::{Massless, Rules};
use super::{AccelerationError, Path, Reporter, Saddle, Solution, Term};
use crate::friction::{NormalForces, Paradox, Relief, settle};
use crate::integrate::Baumgarte;
use crate::linalg::{RANK_TOL, axpy, dot, mat_vec, norm_max};
use crate::{Contact, ControlTerms, Gripped, IdealForces, Kernel, Point, Shape, Sliding, Terms};

/// Accelerations and forces at one state, with a workspace of its own (convenience; see [`Accelerator`]). Contacts with
/// friction stick or slide as the state says.
pub fn accelerate(kernel: &dyn Kernel, at: Point<'_>) -> Result<Solution, AccelerationError> {
    let gripped = Gripped::new(kernel, settle(kernel, at, Steer::Own)?);
    let mut reporter = Reporter::new(&gripped);
    reporter.solve(&gripped, at, Steer::Own)?;
    Ok(reporter.into_solution())
}

/// Rows that stand for all at a state, the best-conditioned first: as many as the rank there. `None` where there is no
/// acceleration, and for systems given by their entries.
pub fn independent_rows(kernel: &dyn Kernel, at: Point<'_>) -> Option<Vec<usize>> {
    let mut accelerator = Accelerator { path: Path::Cod, ..Accelerator::new(kernel) };
    accelerator.solve(kernel, at).ok()?;
    accelerator.factor.pivot_rows()
}

/// Where control forces come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Steer<'a> {
    /// From this model's own requirements (C1).
    Own,
    /// These inputs, whatever the requirements say.
    Inputs(&'a [f64]),
}

/// Workspace for accelerations of one kernel, sized once.
#[derive(Clone, Debug)]
pub struct Accelerator {
    shape: Shape,
    terms: Terms,
    solution: Solution,
    pub(crate) factor: Saddle,
    scratch: Vec<f64>,
    /// Results and workspace of the kernel's own fast way; empty if it has none.
    quick: Vec<f64>,
    quick_workspace: Vec<f64>,
    C: Vec<f64>,
    /// Q + S u.
    force: Vec<f64>,
    contacts: Vec<Contact>,
    sliding: Sliding,
    normals: NormalForces,
    /// Accelerations and multipliers which answer each sliding contact's force for N = 1.
    slip_z: Vec<f64>,
    slip_lambda: Vec<f64>,
    control: ControlTerms,
    steering: Steering,
    /// Changes by refinement.
    correction: Solution,
    work_n: Vec<f64>,
    work_m: Vec<f64>,
    phi: Vec<f64>,
    psi: Vec<f64>,
    /// Which factorisation to use.
    pub path: Path,
    /// Largest scaled residual (U6) that passes; [`CONSISTENCY_TOL`] unless set.
    pub consistency_tol: f64,
    /// Rank known from the motion, if any: no more directions than these are kept.
    pub max_rank: Option<usize>,
    /// Constraint stabilisation (C2).
    pub baumgarte: Option<Baumgarte>,
    /// Only accelerations are wanted, and rows may disagree (stages of a step): no unconstrained accelerations, no Gauss
    /// function, no residual (U6), and multipliers of a sparse system need not be of minimum norm.
    pub(crate) lean: bool,
}

impl Accelerator {
    /// Sized for a kernel.
    pub fn new(kernel: &dyn Kernel) -> Self {
        let shape = kernel.shape();
        Self {
            contacts: kernel.contacts().to_vec(),
            quick: vec![0.0; shape.n_x + shape.n_eta + 2 * kernel.quick_rows().len() + 1],
            quick_workspace: kernel.quick_workspace(),
            ..Self::with_terms(kernel.shape(), kernel.scratch_len(), Terms::of(kernel))
        }
    }

    /// Sized for a kernel with a grip.
    pub fn gripped(kernel: &Gripped<'_>) -> Self {
        let natural = kernel.shape().n_con - kernel.stuck_rows();
        Self { sliding: Sliding::new(&kernel.shape(), natural), ..Self::new(kernel) }
    }

    /// Sized without a kernel, for terms that come from elsewhere (see [`solve_terms`](Accelerator::solve_terms)).
    pub fn with_shape(shape: Shape, scratch_len: usize) -> Self {
        Self::with_terms(shape, scratch_len, Terms::new(&shape))
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
            quick: Vec::new(),
            quick_workspace: Vec::new(),
            C: vec![0.0; n],
            force: vec![0.0; n],
            contacts: Vec::new(),
            sliding: Sliding::default(),
            normals: NormalForces::new(shape.n_contact),
            slip_z: vec![0.0; shape.n_contact * n],
            slip_lambda: vec![0.0; shape.n_contact * m],
            control: ControlTerms::new(&shape),
            steering: Steering::new(&shape),
            correction: Solution::new(&shape),
            work_n: vec![0.0; n],
            work_m: vec![0.0; m],
            phi: vec![0.0; m],
            psi: vec![0.0; m],
            path: Path::Auto,
            consistency_tol: CONSISTENCY_TOL,
            max_rank: None,
            baumgarte: None,
            lean: false,
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
    pub fn solve(&mut self, kernel: &dyn Kernel, at: Point<'_>) -> Result<&Solution, AccelerationError> {
        self.solve_steered(kernel, at, Steer::Own)
    }

    /// The same with control forces from elsewhere.
    pub fn solve_steered(
        &mut self,
        kernel: &dyn Kernel,
        at: Point<'_>,
        steer: Steer<'_>,
    ) -> Result<&Solution, AccelerationError> {
        kernel.terms(at, &mut self.scratch, &mut self.terms);
        if let Some(Baumgarte { alpha, beta }) = self.baumgarte {
            kernel.residuals(at, &mut self.scratch, &mut self.phi, &mut self.psi);
            for i in 0..self.shape.n_con {
                self.terms.b[i] -= 2.0 * alpha * self.psi[i] + beta * beta * self.phi[i];
            }
        }
        if !self.sliding.unit.is_empty() {
            kernel.sliding(at, &mut self.scratch, &mut self.sliding);
        }
        if self.shape.n_require > 0 {
            kernel.control_terms(at, &mut self.scratch, &mut self.control);
        }
        let terms = std::mem::take(&mut self.terms);
        let mut scratch = std::mem::take(&mut self.scratch);
        let result = self.solve_loaded(at.t, norm_max(at.eta), &terms, steer, |ideal, C| {
            kernel.nonideal(at, ideal, &mut scratch, C);
        });
        self.terms = terms;
        self.scratch = scratch;
        result?;
        Ok(&self.solution)
    }

    /// x' and eta' (U1) at a state, by the kernel's own fast way where it can be trusted there; otherwise as
    /// [`solve`](Accelerator::solve) finds them.
    pub fn rates(
        &mut self,
        kernel: &dyn Kernel,
        at: Point<'_>,
        x_dot: &mut [f64],
        eta_dot: &mut [f64],
    ) -> Result<(), AccelerationError> {
        if !self.solve_quick(kernel, at, x_dot, eta_dot) {
            self.solve(kernel, at)?;
            x_dot.copy_from_slice(&self.terms.x_dot);
            eta_dot.copy_from_slice(&self.solution.eta_dot);
        }
        Ok(())
    }

    /// x' and eta' by the kernel's own fast way (see [`Kernel::quick`]), if it has one that can be trusted here.
    /// The rest of the solution is left as it was, but for rank and margin.
    pub(crate) fn solve_quick(
        &mut self,
        kernel: &dyn Kernel,
        at: Point<'_>,
        x_dot: &mut [f64],
        eta_dot: &mut [f64],
    ) -> bool {
        let rows = kernel.quick_rows();
        let plain = self.path == Path::Auto && self.baumgarte.is_none();
        let rank = self.max_rank.unwrap_or(self.shape.n_con);
        if self.quick_workspace.is_empty() || !plain || rank != rows.len() {
            return false;
        }
        if !kernel.quick(at, &mut self.quick_workspace, &mut self.quick) {
            return false;
        }
        let (n_x, n) = (x_dot.len(), eta_dot.len());
        x_dot.copy_from_slice(&self.quick[..n_x]);
        eta_dot.copy_from_slice(&self.quick[n_x..n_x + n]);
        let (pivots, squares) = self.quick[n_x + n..n_x + n + 2 * rank].split_at(rank);
        let margin = self.factor.take_measure(rows, pivots, squares);
        (self.solution.rank, self.solution.margin, self.solution.path) = (rank, margin, super::Taken::Gram);
        true
    }

    /// Whether the fast way stands for a redundant set by some of its rows.
    pub(crate) fn quick_stands_for_more(&self, kernel: &dyn Kernel) -> bool {
        !self.quick_workspace.is_empty() && kernel.quick_rows().len() < self.shape.n_con
    }

    /// Margins are compared with each other, so they must come by one way.
    pub(crate) fn keep_margin(&mut self, margin: f64) {
        self.solution.margin = margin;
    }

    /// From now on the general way is taken.
    pub(crate) fn forget_quick(&mut self) {
        self.quick_workspace.clear();
    }

    /// U1-U9 at a state with a given control force, and C from elsewhere; no friction, no requirements.
    pub(super) fn solve_with(
        &mut self,
        kernel: &dyn Kernel,
        at: Point<'_>,
        control: &[f64],
        mut nonideal: impl FnMut(&IdealForces<'_>, &mut [f64], &mut [f64]),
    ) -> Result<(), AccelerationError> {
        kernel.terms(at, &mut self.scratch, &mut self.terms);
        let mut terms = std::mem::take(&mut self.terms);
        let mut scratch = std::mem::take(&mut self.scratch);
        axpy(1.0, control, &mut terms.Q);
        let result = self.solve_terms(at.t, norm_max(at.eta), &terms, |ideal, C| {
            nonideal(ideal, &mut scratch, C);
        });
        axpy(-1.0, control, &mut terms.Q);
        self.terms = terms;
        self.scratch = scratch;
        result
    }

    /// U1-U9 for given terms; `nonideal` is asked for C once the ideal forces are known (U8).
    pub fn solve_terms(
        &mut self,
        t: f64,
        speed: f64,
        terms: &Terms,
        nonideal: impl FnMut(&IdealForces<'_>, &mut [f64]),
    ) -> Result<(), AccelerationError> {
        self.solve_loaded(t, speed, terms, Steer::Own, nonideal)
    }

    /// The same, and C1, with the friction and the requirements that have been loaded.
    fn solve_loaded(
        &mut self,
        t: f64,
        speed: f64,
        terms: &Terms,
        steer: Steer<'_>,
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
        if let Steer::Inputs(inputs) = steer {
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
        self.respond(t, speed, terms, &mut nonideal)?;
        if self.shape.n_require > 0 && steer == Steer::Own {
            self.meet_requirements(t, speed, terms, &mut nonideal)?;
        }
        match first_bad(&self.solution.eta_dot) {
            Some(index) => Err(AccelerationError::NotFinite { t, term: Term::Acceleration, index }),
            None => Ok(()),
        }
    }

    /// Adds S u to the forces.
    fn push(&mut self, inputs: &[f64]) {
        self.solution.inputs.copy_from_slice(inputs);
        if !inputs.is_empty() {
            mat_vec(&self.control.S, inputs, &mut self.solution.control_force);
            axpy(1.0, &self.solution.control_force, &mut self.force);
        }
    }

    /// The motion under the forces for which the saddle system has just been solved: ideal, non-ideal and friction.
    fn respond(
        &mut self,
        t: f64,
        speed: f64,
        terms: &Terms,
        nonideal: &mut impl FnMut(&IdealForces<'_>, &mut [f64]),
    ) -> Result<(), AccelerationError> {
        self.ideal(speed, terms);
        self.check_consistent(t, speed, terms)?;
        self.solve_nonideal(t, terms, nonideal)?;
        if !self.sliding.unit.is_empty() {
            self.solve_friction(t, terms)?;
        }
        Ok(())
    }

    /// C1: inputs for what the motion leaves of the requirements, until nothing is left. Without friction and non-ideal
    /// forces that follow the multipliers the motion is linear in the inputs and the first ones are right.
    fn meet_requirements(
        &mut self,
        t: f64,
        speed: f64,
        terms: &Terms,
        nonideal: &mut impl FnMut(&IdealForces<'_>, &mut [f64]),
    ) -> Result<(), AccelerationError> {
        let mut steering = std::mem::take(&mut self.steering);
        let control = std::mem::take(&mut self.control);
        let slips = self.sliding.contacts.len();
        let result = (|| {
            steering.prepare(t, &control, &mut self.factor, terms, &self.solution.eta_dot, |z, lambda| {
                follow_friction(
                    &self.normals,
                    &self.sliding,
                    z,
                    lambda,
                    &self.slip_z[..slips * self.shape.n_eta],
                )
            })?;
            let linear = !self.shape.has_nonideal && slips == 0;
            for _ in 0..if linear { 2 } else { 40 } {
                if !steering.correct(&control, &self.solution.eta_dot) {
                    break;
                }
                self.force.copy_from_slice(&terms.Q);
                self.control.S.clone_from(&control.S);
                self.push(&steering.inputs);
                let s = &mut self.solution;
                self.factor.solve(&self.force, &terms.b, &mut s.eta_dot, &mut s.lambda);
                self.respond(t, speed, terms, nonideal)?;
            }
            steering.check(t, self.consistency_tol, &control, &self.solution, &mut self.factor)
        })();
        self.steering = steering;
        self.control = control;
        result
    }

    /// Whether nothing but accelerations is wanted.
    fn lean(&self) -> bool {
        self.lean && self.consistency_tol == f64::INFINITY
    }

    /// U2: what follows from eta' without C and lambda: Q_i = A^T lambda, and how well the rows hold.
    fn ideal(&mut self, speed: f64, terms: &Terms) {
        let (n, lean, s) = (self.shape.n_eta, self.lean(), &mut self.solution);
        (s.rank, s.margin, s.path) = (self.factor.rank(), self.factor.margin(), self.factor.taken());
        // Rows that leave nothing free and ask for nothing: no acceleration, not even by rounding.
        if s.rank == n && terms.b.iter().all(|b| *b == 0.0) {
            s.eta_dot.fill(0.0);
        }
        self.factor.force(&self.force, &s.eta_dot, &s.lambda, &mut s.ideal_force);
        if !self.factor.mass_is_positive() {
            s.a_free.fill(f64::NAN);
            self.look_at_rows(speed, terms);
            return;
        }
        if !lean {
            s.a_free.copy_from_slice(&self.force);
            self.factor.unconstrained(&mut s.a_free);
        }
        if self.look_at_rows(speed, terms) {
            self.improve(terms);
            self.look_at_rows(speed, terms);
        }
        if !lean {
            self.factor.least(&mut self.solution.lambda);
        }
    }

    /// One step of refinement: solves again for what is left of the rows in `work_m`, and keeps it if that became less.
    fn improve(&mut self, terms: &Terms) {
        let (s, change) = (&mut self.solution, &mut self.correction);
        self.work_n.fill(0.0);
        self.factor.solve(&self.work_n, &self.work_m, &mut change.eta_dot, &mut change.lambda);
        let better =
            |i: usize| (self.work_m[i] - terms.row(i).dot(&change.eta_dot)).abs() <= self.work_m[i].abs();
        if (0..self.shape.n_con).all(better) {
            self.factor.force(&self.work_n, &change.eta_dot, &change.lambda, &mut change.ideal_force);
            axpy(1.0, &change.eta_dot, &mut s.eta_dot);
            axpy(1.0, &change.lambda, &mut s.lambda);
            axpy(1.0, &change.ideal_force, &mut s.ideal_force);
        }
    }

    /// Friction of the contacts that slide, with the normal forces that act (see [`crate::friction`]).
    fn solve_friction(&mut self, t: f64, terms: &Terms) -> Result<(), AccelerationError> {
        let (n, m, natural) = (self.shape.n_eta, self.shape.n_con, self.sliding.natural);
        let slips = self.sliding.contacts.len();
        let bad = self.sliding.unit.iter().chain(&self.sliding.P).any(|v| !v.is_finite());
        if bad {
            let contact = self.sliding.contacts.first().copied().unwrap_or(0);
            return Err(AccelerationError::NotFinite { t, term: Term::Friction, index: contact });
        }
        self.phi.fill(0.0);
        for k in 0..slips {
            let force = &self.sliding.force[k * n..(k + 1) * n];
            let (z, lambda) =
                (&mut self.slip_z[k * n..(k + 1) * n], &mut self.slip_lambda[k * m..(k + 1) * m]);
            self.factor.solve(force, &self.phi, z, lambda);
        }
        self.relieve_contacts(terms);
        // p and q of the contacts that slide, by components.
        self.normals.clear();
        for &c in &self.sliding.contacts {
            for i in self.contacts[c].normal.clone() {
                let row = &self.sliding.P[i * natural..(i + 1) * natural];
                self.normals.push(dot(row, &self.solution.lambda[..natural]), i);
                for k in 0..slips {
                    self.normals.q.push(dot(row, &self.slip_lambda[k * m..k * m + natural]));
                }
            }
            self.normals.close();
        }
        self.normals.solve().map_err(|Paradox { contact, solutions }| {
            let contact = self.sliding.contacts[contact];
            AccelerationError::FrictionParadox { t, contact, solutions }
        })?;
        let s = &mut self.solution;
        for (i, unit) in self.sliding.unit.iter().enumerate() {
            s.friction[i] = *unit; // times N below; contacts that stick follow
        }
        if !self.shape.has_nonideal {
            self.C.fill(0.0);
        }
        for (k, &c) in self.sliding.contacts.iter().enumerate() {
            let N = self.normals.N[k];
            axpy(N, &self.sliding.force[k * n..(k + 1) * n], &mut self.C);
            axpy(N, &self.slip_z[k * n..(k + 1) * n], &mut s.eta_dot);
            axpy(N, &self.slip_lambda[k * m..(k + 1) * m], &mut s.lambda);
            terms.mass_times(&self.slip_z[k * n..(k + 1) * n], &mut self.work_n);
            axpy(N, &self.work_n, &mut s.nonideal_force);
            self.contacts[c].slide.clone().for_each(|i| s.friction[i] *= N);
        }
        for (c, contact) in self.contacts.iter().enumerate() {
            let component =
                |i: usize| dot(&self.sliding.P[i * natural..(i + 1) * natural], &s.lambda[..natural]);
            s.normal[c] = contact.normal.clone().map(component).fold(0.0, f64::hypot);
        }
        for &(i, row, factor) in &self.sliding.held {
            s.friction[i] += factor * s.lambda[row];
        }
        if self.factor.mass_is_positive() {
            (0..n).for_each(|j| self.work_n[j] = s.ideal_force[j] + s.nonideal_force[j] - self.C[j]);
            s.gauss = self.factor.inverse_mass_square(&self.work_n);
        }
        Ok(())
    }

    /// Multipliers where rows of contacts that stick depend on each other and on constraints.
    fn relieve_contacts(&mut self, terms: &Terms) {
        let (m, natural) = (self.shape.n_con, self.sliding.natural);
        if m == natural || natural == 0 || self.solution.rank == m {
            return;
        }
        if let Some(mut relief) = Relief::new(terms, natural) {
            relief.apply(terms, natural, &mut self.solution.lambda);
            for lambda in self.slip_lambda.chunks_mut(m).take(self.sliding.contacts.len()) {
                relief.apply(terms, natural, lambda);
            }
        }
    }

    /// U8, U3, U7: C, then Q_ni and its acceleration, then Gauss's function.
    fn solve_nonideal(
        &mut self,
        t: f64,
        terms: &Terms,
        nonideal: &mut impl FnMut(&IdealForces<'_>, &mut [f64]),
    ) -> Result<(), AccelerationError> {
        let (lean, s) = (self.lean(), &mut self.solution);
        s.nonideal_force.fill(0.0);
        if self.shape.has_nonideal {
            let ideal = IdealForces {
                lambda: &s.lambda,
                A: &terms.A,
                sparsity: terms.sparsity.as_deref(),
                Q_i: &s.ideal_force,
            };
            nonideal(&ideal, &mut self.C);
            if let Some(index) = first_bad(&self.C) {
                return Err(AccelerationError::NotFinite { t, term: Term::Nonideal, index });
            }
            // M z - A^T mu = C, A z = 0: then Q_ni = M z = C + A^T mu.
            self.phi.fill(0.0);
            self.factor.solve(&self.C, &self.phi, &mut self.work_n, &mut self.psi);
            if !self.contacts.is_empty() {
                axpy(1.0, &self.psi, &mut s.lambda);
            }
            terms.mass_times(&self.work_n, &mut s.nonideal_force);
            for j in 0..self.shape.n_eta {
                s.eta_dot[j] += self.work_n[j];
                self.work_n[j] = s.ideal_force[j] + s.nonideal_force[j] - self.C[j];
            }
        }
        // Of M eta' - Q - C.
        let beyond = if self.shape.has_nonideal { &self.work_n } else { &s.ideal_force };
        s.gauss = match !lean && self.factor.mass_is_positive() {
            true => self.factor.inverse_mass_square(beyond),
            false => f64::NAN,
        };
        Ok(())
    }
}

/// How the normal forces change with multipliers that change by `lambda`, and what that adds to the change `z` of the
/// accelerations. With P lambda of one component this is exact, otherwise the slope.
fn follow_friction(normals: &NormalForces, sliding: &Sliding, z: &mut [f64], lambda: &[f64], slip_z: &[f64]) {
    let n = z.len();
    for (change, w) in normals.follow(&sliding.P, sliding.natural, lambda).iter().zip(slip_z.chunks(n.max(1)))
    {
        axpy(*change, w, z);
    }
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
