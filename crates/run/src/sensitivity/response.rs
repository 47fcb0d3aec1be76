//! Changes of accelerations, multipliers and all forces along a direction (S2).
//!
//! ```text
//! S2  M dz - A^T dL = dQ + dC + d(S u) - dM z + dA^T L,    A dz = db - dA z
//! ```
//!
//! The factor of the acceleration serves; L are the multipliers that answer C too. Beyond S2:
//!
//! ```text
//! non-ideal   dC by the change of the ideal multipliers (U8): the ideal problem is differentiated first
//! friction    F_k N_k with N_k = |P_k lambda|: dN solves a small system in the contacts that slide
//! control     A_c dz = db_c - dA_c z, and W u = R^T nu differentiated, R = A_c P S (C1)
//! redundant   d lambda of the least lambda: v^T d lambda = v^T dA w for A^T v = 0, A w = lambda
//! ```
//!
//! dz and d(A^T lambda) do not depend on how redundant rows share a load, since A keeps its rank along the direction.
//! Refused: laws that read forces which redundant rows share; non-ideal work or control together with friction.
//! Checked over random systems by differences of accelerations and forces (`tests/it/sensitivity.rs` of the facade).

mod control;
mod friction;

use self::control::Requirements;
use crate::acceleration::{Accelerator, Factor};
use crate::contact::{ContactModes, StickingKernel};
use crate::kernel::{Differentiable, Direction, Refusal, Solved};
use crate::{
    AccelerationError, Capabilities, ContactTerms, ControlTerms, Dynamics, IdealForces, Level, Nonideal,
    Point, Shape, Sliding, Solution, State, Terms,
};
use dalembert_linalg::{Cod, RANK_TOL, axpy, dot, mat_vec};

/// Why there is no derivative at a state.
#[derive(Clone, Debug, PartialEq)]
pub enum ResponseError {
    /// There is no acceleration.
    Acceleration(AccelerationError),
    /// What the state needs is not differentiated.
    Refused(Refusal),
}

/// Changes along one direction.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Of x', M, Q, A, b, with the rows of contacts that stick.
    pub terms: Terms,
    /// Of accelerations and forces, as they are reported; multipliers of the natural rows.
    pub solution: Solution,
    /// Of the multipliers with those of contacts that stick.
    pub multipliers: Vec<f64>,
}

/// The linear response of a system at a state, for many directions.
pub struct Response<'k> {
    base: &'k dyn Differentiable,
    capabilities: Capabilities<'k>,
    kernel: StickingKernel<'k>,
    accelerator: Accelerator,
    /// The natural rows alone, where contacts make them fewer or forces apart.
    natural: Option<Natural>,
    state: Reached,
    scratch: Vec<f64>,
}

/// What is known at the state, whatever the direction.
#[derive(Clone, Debug, Default)]
struct Reached {
    t: f64,
    x: Vec<f64>,
    eta: Vec<f64>,
    terms: Terms,
    solution: Solution,
    /// Multipliers that answer everything.
    whole: Vec<f64>,
    sliding: Sliding,
    contact: ContactRoom,
    /// Accelerations and multipliers for a unit normal force at each contact that slides.
    slip: Vec<(Vec<f64>, Vec<f64>)>,
    /// Non-ideal C, and the accelerations it makes.
    C: Vec<f64>,
    extra: Vec<f64>,
    control: ControlTerms,
    /// P S by columns.
    reach: Vec<(Vec<f64>, Vec<f64>)>,
    requirements: Option<Requirements>,
}

/// Owned room for [`ContactTerms`].
#[derive(Clone, Debug, Default)]
struct ContactRoom(Vec<f64>);

/// The ideal problem of the natural rows.
struct Natural {
    factor: Factor,
    z: Vec<f64>,
    lambda: Vec<f64>,
}

impl<'k> Response<'k> {
    /// For a kernel whose contacts have these modes.
    pub fn new(base: &'k dyn Differentiable, modes: ContactModes) -> Result<Self, ResponseError> {
        let kernel = StickingKernel::new(base, modes);
        let shape = kernel.shape();
        let refuse = |refusal| Err(ResponseError::Refused(refusal));
        let capabilities = base.capabilities();
        if shape.n_contact > 0 && capabilities.nonideal.is_some() {
            return refuse(Refusal::NonidealWithFriction);
        }
        let reads = !capabilities.rows_read().is_empty();
        if shape.n_require > 0 && (shape.n_contact > 0 || reads) {
            return refuse(Refusal::ControlWithReactions);
        }
        if kernel.shares_directions() {
            return refuse(Refusal::SharedDirections);
        }
        let natural = (shape.n_contact > 0).then(|| Natural {
            factor: Factor::new(shape.n_eta, base.shape().n_con),
            z: vec![0.0; shape.n_eta],
            lambda: vec![0.0; base.shape().n_con],
        });
        let accelerator = kernel.accelerator();
        let scratch = vec![0.0; kernel.scratch_len().max(base.derivative_scratch_len())];
        let sliding = Sliding::new(&base.shape(), base.shape().n_con);
        let state = Reached { sliding, ..Reached::default() };
        Ok(Self { base, capabilities, kernel, accelerator, natural, state, scratch })
    }

    /// The modes that the contacts have.
    pub fn modes(&self) -> &ContactModes {
        self.kernel.modes()
    }

    /// Other tolerance for rows that disagree (U6): states off the constraints.
    pub(crate) fn accept_disagreement(&mut self) {
        self.accelerator.consistency_tol = f64::INFINITY;
    }

    /// Solves at a state.
    pub fn at(&mut self, at: Point<'_>) -> Result<(), ResponseError> {
        self.motion_at(at)?;
        self.natural_at();
        Ok(())
    }

    /// Solves at a state for what [`motion_along`](Response::motion_along) needs: without the ideal forces of the natural rows
    /// where there are contacts.
    pub(crate) fn motion_at(&mut self, at: Point<'_>) -> Result<(), ResponseError> {
        self.accelerator.solve(&self.kernel, at).map_err(ResponseError::Acceleration)?;
        let shape = self.kernel.shape();
        let s = &mut self.state;
        s.t = at.t;
        for (kept, now) in [(&mut s.x, at.x), (&mut s.eta, at.eta)] {
            kept.clear();
            kept.extend_from_slice(now);
        }
        s.terms.clone_from(self.accelerator.terms());
        s.solution.clone_from(self.accelerator.solution());
        s.whole.clone_from(&s.solution.lambda);
        let short = s.solution.rank < shape.n_con;
        if short && (shape.n_contact > 0 || !self.capabilities.rows_read().is_empty()) {
            return Err(ResponseError::Refused(Refusal::SharedLoad));
        }
        let special = shape.n_contact > 0 || shape.n_require > 0 || self.capabilities.nonideal.is_some();
        if special && !self.accelerator.factor.mass_is_positive() {
            return Err(ResponseError::Refused(Refusal::SingularMass));
        }
        if shape.n_contact > 0 {
            self.contacts_at(at);
        }
        if shape.n_require > 0 {
            self.control_at(at)?;
        }
        if let Some(nonideal) = self.capabilities.nonideal {
            self.nonideal_at(nonideal, at);
        }
        Ok(())
    }

    /// x', M, Q, A, b and the solution at the state.
    pub fn here(&self) -> (&Terms, &Solution) {
        (&self.state.terms, &self.state.solution)
    }

    /// The time of the state.
    pub(crate) fn time(&self) -> f64 {
        self.state.t
    }

    /// Constraint rows, with those of contacts that stick.
    pub(crate) fn row_count(&self) -> usize {
        self.kernel.shape().n_con
    }

    /// Makes a change of the state tangent to the rows at the state: phi and psi change by nothing.
    pub(crate) fn make_tangent(&mut self, parameters: &[f64], column: &mut [f64], n_x: usize, n: usize) {
        let (m, natural) = (self.kernel.shape().n_con, self.base.shape().n_con);
        if m == 0 {
            return;
        }
        let at = State::new(self.state.t, &self.state.x, &self.state.eta);
        let (mut phi, mut psi) = (vec![0.0; m], vec![0.0; m]);
        let (x, eta) = column[..n_x + n].split_at(n_x);
        let along = Direction { t: 0.0, x, eta, parameters };
        self.base.residuals_along(
            at.point(),
            along,
            &mut self.scratch,
            &mut phi[..natural],
            &mut psi[..natural],
        );
        phi.iter_mut().zip(self.base.levels()).for_each(|(v, l)| {
            if *l != Level::Position {
                *v = 0.0;
            }
        });
        let zeros = vec![0.0; n];
        let (mut v, mut lambda) = (vec![0.0; n], vec![0.0; m]);
        phi.iter_mut().for_each(|v| *v = -*v);
        if phi.iter().any(|v| *v != 0.0) {
            self.accelerator.factor.solve(&zeros, &phi, &mut v, &mut lambda);
            let mut frame = vec![0.0; n_x * n];
            self.base.frame(at.t, &at.x, &mut self.scratch, &mut frame);
            for i in 0..n_x {
                column[i] += dot(&frame[i * n..(i + 1) * n], &v);
            }
        }
        // Sliding velocities of contacts that stick stay zero.
        let mut room = vec![0.0; ContactTerms::room(&self.base.shape())];
        let (x, eta) = column[..n_x + n].split_at(n_x);
        let along = Direction { t: 0.0, x, eta, parameters };
        let mut spare = vec![0.0; natural];
        self.base.residuals_along(at.point(), along, &mut self.scratch, &mut spare, &mut psi[..natural]);
        psi[natural..].fill(0.0);
        if m > natural {
            let (mut change, _) = ContactTerms::carve(&self.base.shape(), &mut room);
            self.base.contact_terms_along(at.point(), along, &mut self.scratch, &mut change);
            for &(i, row, factor) in &self.state.sliding.held {
                psi[row] += factor * change.V[i];
            }
        }
        psi.iter_mut().for_each(|v| *v = -*v);
        for (i, level) in self.kernel.levels().iter().enumerate() {
            if *level == Level::Acceleration {
                psi[i] = 0.0;
            }
        }
        self.accelerator.factor.solve(&zeros, &psi, &mut v, &mut lambda);
        axpy(1.0, &v, &mut column[n_x..n_x + n]);
    }

    /// The state's own derivative (x', eta').
    pub fn derivative(&self, out: &mut [f64]) {
        let (x_dot, eta_dot) = out.split_at_mut(self.state.terms.x_dot.len());
        x_dot.copy_from_slice(&self.state.terms.x_dot);
        eta_dot.copy_from_slice(&self.state.solution.eta_dot);
    }

    /// The integrands along the motion at the state.
    pub(crate) fn integrands(&mut self, out: &mut [f64]) {
        let s = &self.state;
        let mut natural = s.solution.clone();
        natural.lambda.truncate(self.base.shape().n_con);
        let at = Point { t: s.t, x: &s.x, eta: &s.eta };
        match self.capabilities.quadratures {
            Some(quadratures) => quadratures.rates(at, &natural, &mut self.scratch, out),
            None => out.fill(0.0),
        }
    }

    fn nonideal_at(&mut self, nonideal: &dyn Nonideal, at: Point<'_>) {
        let s = &mut self.state;
        let ideal = IdealForces {
            lambda: &s.solution.lambda,
            A: &s.terms.A,
            sparsity: s.terms.sparsity.as_deref(),
            Q_i: &s.solution.ideal_force,
        };
        s.C.resize(s.terms.Q.len(), 0.0);
        nonideal.nonideal(at, &ideal, &mut self.scratch, &mut s.C);
        let (extra, more) = solved(&mut self.accelerator, &s.C, None);
        axpy(1.0, &more, &mut s.whole);
        s.extra = extra;
    }

    /// Changes along a direction at the state of the last [`at`](Response::at).
    pub fn along(&mut self, along: Direction<'_>, out: &mut Change) {
        let multipliers = self.motion_along(along, out);
        self.finish(&multipliers, out);
    }

    /// Changes of x' and eta' alone, which is all that a motion needs; returns those of the multipliers that answer everything.
    pub(crate) fn motion_along(&mut self, along: Direction<'_>, out: &mut Change) -> Vec<f64> {
        let shape = self.kernel.shape();
        let s = &self.state;
        out.terms.clone_from(&s.terms);
        self.terms_along(along, &mut out.terms);
        let d = &mut out.solution;
        if d.eta_dot.len() != shape.n_eta {
            *d = Solution::new(&self.base.shape());
        }
        let s = &self.state;
        let z = &s.solution.eta_dot;
        // What a change of the matrices does with accelerations, multipliers and inputs held.
        let mut force = out.terms.Q.clone();
        mass_times(&out.terms, z, -1.0, &mut force);
        transposed(&out.terms, &s.whole, &mut force);
        let mut right = out.terms.b.clone();
        row_times(&out.terms, z, -1.0, &mut right);
        d.control_force.fill(0.0);
        let control = (shape.n_require > 0).then(|| self.control_along(along));
        if let Some(control) = &control {
            mat_vec(&control.S, &self.state.solution.inputs, &mut d.control_force);
            axpy(1.0, &d.control_force, &mut force);
        }
        if self.capabilities.nonideal.is_some() && shape.n_require == 0 {
            let (change, ideal) = self.nonideal_along(along, &out.terms, &d.control_force);
            axpy(1.0, &change, &mut force);
            self.finish_ideal(&out.terms, &ideal, &mut out.solution);
        } else if self.capabilities.nonideal.is_some() {
            // C reads no multipliers here.
            let zeros = vec![0.0; shape.n_con];
            let change = self.nonideal_change(along, &out.terms, &zeros);
            axpy(1.0, &change, &mut force);
        }
        let sliding = (shape.n_contact > 0).then(|| self.sliding_along(along, &mut force));
        let (mut dz, mut dl) = solved(&mut self.accelerator, &force, Some(&right));
        if let Some(change) = &sliding {
            self.follow_normals(change, &mut dz, &mut dl, &mut out.solution);
        }
        if let Some(control) = &control {
            self.follow_requirements(control, &out.terms, &mut dz, &mut dl, &mut out.solution);
        }
        out.solution.eta_dot.copy_from_slice(&dz);
        dl
    }

    /// x', M, Q, A, b with the rows of contacts that stick.
    fn terms_along(&mut self, along: Direction<'_>, out: &mut Terms) {
        let at = Point { t: self.state.t, x: &self.state.x, eta: &self.state.eta };
        if self.kernel.stuck_rows() == 0 {
            return self.base.terms_along(at, along, &mut self.scratch, out);
        }
        let (n, m) = (self.base.shape().n_eta, self.base.shape().n_con);
        out.A.truncate(m * n);
        out.b.truncate(m);
        self.base.terms_along(at, along, &mut self.scratch, out);
        out.A.resize(self.kernel.shape().n_con * n, 0.0);
        out.b.resize(self.kernel.shape().n_con, 0.0);
        let mut room = vec![0.0; ContactTerms::room(&self.base.shape())];
        let (mut change, _) = ContactTerms::carve(&self.base.shape(), &mut room);
        self.base.contact_terms_along(at, along, &mut self.scratch, &mut change);
        for &(i, row, factor) in &self.state.sliding.held {
            axpy(factor, &change.J[i * n..(i + 1) * n], &mut out.A[row * n..(row + 1) * n]);
            out.b[row] += factor * change.b[i];
        }
    }

    /// dC, and the changes of the ideal problem: accelerations and multipliers.
    fn nonideal_along(
        &mut self,
        along: Direction<'_>,
        terms: &Terms,
        control: &[f64],
    ) -> (Vec<f64>, (Vec<f64>, Vec<f64>)) {
        let s = &self.state;
        let ideal: Vec<f64> = s.solution.eta_dot.iter().zip(&s.extra).map(|(z, y)| z - y).collect();
        let mut force = terms.Q.clone();
        axpy(1.0, control, &mut force);
        mass_times(terms, &ideal, -1.0, &mut force);
        transposed(terms, &s.solution.lambda, &mut force);
        let mut right = terms.b.clone();
        row_times(terms, &ideal, -1.0, &mut right);
        let (dz, mut dl) = solved(&mut self.accelerator, &force, Some(&right));
        self.least_change(terms, &mut dl);
        (self.nonideal_change(along, terms, &dl), (dz, dl))
    }

    fn nonideal_change(&mut self, along: Direction<'_>, terms: &Terms, dl: &[f64]) -> Vec<f64> {
        let s = &self.state;
        let at = Point { t: s.t, x: &s.x, eta: &s.eta };
        let ideal = IdealForces {
            lambda: &s.solution.lambda,
            A: &s.terms.A,
            sparsity: s.terms.sparsity.as_deref(),
            Q_i: &s.solution.ideal_force,
        };
        let mut dC = vec![0.0; s.terms.Q.len()];
        self.base.nonideal_along(at, along, &ideal, (dl, &terms.A), &mut self.scratch, &mut dC);
        dC
    }

    /// Ideal force and multipliers of a problem with non-ideal work.
    fn finish_ideal(&self, terms: &Terms, (_, dl): &(Vec<f64>, Vec<f64>), out: &mut Solution) {
        out.lambda.copy_from_slice(dl);
        out.ideal_force.fill(0.0);
        transposed(terms, &self.state.solution.lambda, &mut out.ideal_force);
        transposed(&self.state.terms, dl, &mut out.ideal_force);
    }

    /// Multipliers and forces from the change of all multipliers.
    fn finish(&mut self, dl: &[f64], out: &mut Change) {
        let (shape, natural) = (self.kernel.shape(), self.base.shape().n_con);
        let terms = &out.terms;
        let d = &mut out.solution;
        // Gauss's function v^T M^-1 v of the whole constraint force v.
        let s = &self.state;
        let mut v = vec![0.0; shape.n_eta];
        transposed(&s.terms, &s.whole, &mut v);
        let mut dv = vec![0.0; shape.n_eta];
        transposed(terms, &s.whole, &mut dv);
        transposed(&s.terms, dl, &mut dv);
        if self.accelerator.factor.mass_is_positive() {
            self.accelerator.factor.unconstrained(&mut v);
            let mut bend = vec![0.0; shape.n_eta];
            mass_times(terms, &v, 1.0, &mut bend);
            d.gauss = 2.0 * dot(&v, &dv) - dot(&v, &bend);
        } else {
            d.gauss = f64::NAN;
        }
        // Change of M eta' - Q - control: all constraint forces.
        let s = &self.state;
        let mut whole = vec![0.0; shape.n_eta];
        mass_times(terms, &s.solution.eta_dot, 1.0, &mut whole);
        mass_times(&s.terms, &d.eta_dot, 1.0, &mut whole);
        (0..shape.n_eta).for_each(|j| whole[j] -= terms.Q[j] + d.control_force[j]);
        out.multipliers.clear();
        out.multipliers.extend_from_slice(dl);
        if shape.n_contact > 0 {
            self.natural_ideal(terms, &mut out.solution.ideal_force);
            out.solution.lambda.copy_from_slice(&dl[..natural]);
        } else if self.capabilities.nonideal.is_some() && shape.n_require == 0 {
            // Told by the ideal problem.
        } else {
            self.least_change(&out.terms, &mut out.multipliers);
            let d = &mut out.solution;
            d.lambda.copy_from_slice(&out.multipliers);
            match self.capabilities.nonideal.is_some() {
                false => d.ideal_force.copy_from_slice(&whole),
                true => self.ideal_with_control(&out.terms, d),
            }
        }
        let d = &mut out.solution;
        (0..shape.n_eta).for_each(|j| d.nonideal_force[j] = whole[j] - d.ideal_force[j]);
    }

    /// The ideal part where control acts and C reads no multipliers.
    fn ideal_with_control(&mut self, terms: &Terms, d: &mut Solution) {
        let s = &self.state;
        let ideal: Vec<f64> = s.solution.eta_dot.iter().zip(&s.extra).map(|(z, y)| z - y).collect();
        let mut force = terms.Q.clone();
        axpy(1.0, &d.control_force, &mut force);
        mass_times(terms, &ideal, -1.0, &mut force);
        transposed(terms, &s.solution.lambda, &mut force);
        let mut right = terms.b.clone();
        row_times(terms, &ideal, -1.0, &mut right);
        let (_, mut dl) = solved(&mut self.accelerator, &force, Some(&right));
        self.least_change(terms, &mut dl);
        d.lambda.copy_from_slice(&dl);
        d.ideal_force.fill(0.0);
        transposed(terms, &self.state.solution.lambda, &mut d.ideal_force);
        transposed(&self.state.terms, &dl, &mut d.ideal_force);
    }

    /// Where rows are redundant, the change of the multipliers of least norm.
    fn least_change(&self, terms: &Terms, dl: &mut [f64]) {
        let (m, s) = (self.kernel.shape().n_con, &self.state);
        if s.solution.rank == m || m == 0 {
            return;
        }
        let n = s.terms.Q.len();
        let A = s.terms.written_out().A;
        let w = least_squares(&A, m, n, &s.solution.lambda);
        let mut turned = vec![0.0; m];
        row_times(terms, &w, 1.0, &mut turned);
        // What of it lies across the range of A; dl by itself keeps to the range.
        let inside = |v: &[f64]| {
            let mut image = vec![0.0; m];
            mat_vec(&A, &least_squares(&A, m, n, v), &mut image);
            image
        };
        let (range, kept) = (inside(&turned), inside(dl));
        (0..m).for_each(|i| dl[i] = kept[i] + turned[i] - range[i]);
    }

    /// Changes of outputs along a direction whose change is known.
    pub fn outputs_along(
        &mut self,
        along: Direction<'_>,
        change: &Change,
        integrals: (&[f64], &[f64]),
        out: &mut [f64],
    ) {
        let s = &self.state;
        let at = Point { t: s.t, x: &s.x, eta: &s.eta };
        let here = Solved { terms: &s.terms, solution: &s.solution, integrals: integrals.0 };
        let d = Solved { terms: &change.terms, solution: &change.solution, integrals: integrals.1 };
        self.base.outputs_along(at, along, here, d, &mut self.scratch, out);
    }

    /// Changes of what events assign, along a direction whose change is known.
    pub(crate) fn actions_along(&mut self, along: Direction<'_>, change: &Change, out: &mut [f64]) {
        let s = &self.state;
        let at = Point { t: s.t, x: &s.x, eta: &s.eta };
        let here = Solved { terms: &s.terms, solution: &s.solution, integrals: &[] };
        let d = Solved { terms: &change.terms, solution: &change.solution, integrals: &[] };
        self.base.actions_along(at, along, here, d, &mut self.scratch, out);
    }

    /// Event functions at the state.
    pub(crate) fn event_values(&mut self, out: &mut [f64]) {
        let s = &self.state;
        let at = Point { t: s.t, x: &s.x, eta: &s.eta };
        if let Some(events) = self.capabilities.events {
            events.events(at, &s.solution, &mut self.scratch, out);
        }
    }

    /// Changes of event functions along a direction whose change is known.
    pub fn events_along(&mut self, along: Direction<'_>, change: &Change, out: &mut [f64]) {
        let s = &self.state;
        let at = Point { t: s.t, x: &s.x, eta: &s.eta };
        let here = Solved { terms: &s.terms, solution: &s.solution, integrals: &[] };
        let d = Solved { terms: &change.terms, solution: &change.solution, integrals: &[] };
        self.base.events_along(at, along, here, d, &mut self.scratch, out);
    }
}

/// Solves the saddle system of the accelerator for a force and right sides, zeros by default.
fn solved(accelerator: &mut Accelerator, force: &[f64], right: Option<&[f64]>) -> (Vec<f64>, Vec<f64>) {
    let m = accelerator.terms().b.len();
    let zeros = vec![0.0; m];
    let (mut z, mut lambda) = (vec![0.0; force.len()], vec![0.0; m]);
    accelerator.factor.solve(force, right.unwrap_or(&zeros), &mut z, &mut lambda);
    (z, lambda)
}

/// The least v with A v = right, in the sense of least squares.
fn least_squares(A: &[f64], rows: usize, columns: usize, right: &[f64]) -> Vec<f64> {
    let mut cod = Cod::new(rows, columns);
    cod.factor(A, RANK_TOL);
    let mut v = vec![0.0; columns];
    cod.solve(right, &mut v);
    v
}

/// out += factor M v.
fn mass_times(terms: &Terms, v: &[f64], factor: f64, out: &mut [f64]) {
    if terms.sparsity.is_none() {
        let rows = terms.M.chunks_exact(v.len().max(1));
        return out.iter_mut().zip(rows).for_each(|(out, row)| *out += factor * dot(row, v));
    }
    let mut product = vec![0.0; v.len()];
    terms.mass_times(v, &mut product);
    axpy(factor, &product, out);
}

/// out += factor A v.
fn row_times(terms: &Terms, v: &[f64], factor: f64, out: &mut [f64]) {
    for (i, out) in out.iter_mut().enumerate() {
        *out += factor * terms.row(i).entries().map(|(j, a)| a * v[j]).sum::<f64>();
    }
}

/// out += A^T lambda.
fn transposed(terms: &Terms, lambda: &[f64], out: &mut [f64]) {
    for (i, l) in lambda.iter().enumerate().filter(|(_, l)| **l != 0.0) {
        terms.row(i).entries().for_each(|(j, a)| out[j] += a * l);
    }
}

/// Sizes that [`Response`] refers to, for callers that keep room.
impl Change {
    /// Zeros of the right sizes.
    pub fn new(shape: &Shape) -> Self {
        Self { terms: Terms::new(shape), solution: Solution::new(shape), multipliers: Vec::new() }
    }
}
