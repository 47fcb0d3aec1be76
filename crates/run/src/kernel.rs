//! The kernel form as numbers: what a system must answer so that the rest of this crate can move it.
//!
//! State: configuration `x` (n_x numbers), speeds `eta` (n_eta numbers), time `t`.
//!
//! ```text
//! K1  x'        = X0(x,t) + X(x,t) eta
//! K2  M eta'    = Q                        M(x,eta,t), Q(x,eta,t)
//! K3  A eta'    = b                        n_con rows, any rank
//! K4  W         = v^T C                    non-ideal work, C(x,eta,t, ideal forces)
//! ```
//!
//! All matrices are flat, row-major; M and A of a large system may be given by their entries alone (see
//! [`Capabilities::sparsity`]). What only some systems have (non-ideal work, contacts, control, events, ...) is a
//! capability, a trait of its own. Methods take a scratch slice of at least [`Dynamics::scratch_len`] numbers, so
//! that a kernel is immutable and shared between threads and allocates nothing.

mod capabilities;
mod contacts;
mod differentiable;
mod lagrangian;
mod solution;
mod sparsity;

pub use capabilities::{
    Action, Capabilities, Control, ControlTerms, Events, Fused, IdealForces, Nonideal, PartialDerivatives,
    Partials, Quadratures, Switches, TimeSwitches,
};
pub use contacts::{Contact, ContactTerms, Contacts, Sliding, SlidingContacts};
pub use differentiable::{
    Differentiable, Direction, FusedAdjoint, FusedDerivatives, FusedProgram, Refusal, Solved,
};
pub use lagrangian::{Lagrangian, SecondVariation, Variation};
pub use solution::{AccelerationError, Path, Solution, Taken, Term};
pub(crate) use sparsity::Plan;
pub use sparsity::{Line, MAX_FILL, Pattern, Sparsity};

use dalembert_linalg::mat_vec;
use std::sync::Arc;

/// Sizes of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Configuration variables, N.
    pub n_x: usize,
    /// Speeds, n.
    pub n_eta: usize,
    /// Constraint rows, m (rows of A).
    pub n_con: usize,
    /// Functions of x which the kinematics K1 conserve (a quaternion's norm).
    pub n_invariant: usize,
    /// Event functions.
    pub n_event: usize,
    /// Functions that vanish where constraint rows may have kinks or jump.
    pub n_switch: usize,
    /// Functions of time that vanish where anything may have kinks or jump.
    pub n_time_switch: usize,
    /// How many of them, the first ones, vanish at an instant that is known (see [`TimeSwitches::instants`]).
    pub n_instant: usize,
    /// Contacts with Coulomb friction (see [`crate::contact`]).
    pub n_contact: usize,
    /// Components of all sliding velocities together.
    pub n_slide: usize,
    /// Components of all normal forces together.
    pub n_normal: usize,
    /// Rows of the requirements that control has to meet (C1).
    pub n_require: usize,
    /// Control inputs u.
    pub n_input: usize,
    /// Integrals along the motion.
    pub n_quadrature: usize,
    /// X0 = 0 and X = identity (eta = x'); then n_x = n_eta and [`Dynamics::frame`] need not be written.
    pub identity_frame: bool,
}

/// Where a constraint row was imposed before the engine differentiated it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// `f(x,t) = 0`, differentiated twice (K5). Positions and speeds are projected.
    Position,
    /// `psi(x,eta,t) = 0`, differentiated once (K6). Speeds are projected.
    Velocity,
    /// Imposed on accelerations only (a control requirement with its own error decay, C2). Never projected; its
    /// residuals are zero.
    Acceleration,
}

/// A state and a time, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// Time.
    pub t: f64,
    /// Configuration.
    pub x: &'a [f64],
    /// Speeds.
    pub eta: &'a [f64],
}

/// A state and a time, owned.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct State {
    /// Time.
    pub t: f64,
    /// Configuration.
    pub x: Vec<f64>,
    /// Speeds.
    pub eta: Vec<f64>,
}

impl State {
    /// A state from its parts.
    pub fn new(t: f64, x: &[f64], eta: &[f64]) -> Self {
        Self { t, x: x.to_vec(), eta: eta.to_vec() }
    }

    /// Borrow it.
    pub fn point(&self) -> Point<'_> {
        Point { t: self.t, x: &self.x, eta: &self.eta }
    }
}

/// The numbers of K1-K3 at one state. Sized once by [`Terms::new`], then overwritten.
#[derive(Debug, Default, PartialEq)]
pub struct Terms {
    /// x' (K1), n_x.
    pub x_dot: Vec<f64>,
    /// Mass matrix, n_eta * n_eta, both triangles; or the numbers of its pattern.
    pub M: Vec<f64>,
    /// Unconstrained generalised force, n_eta.
    pub Q: Vec<f64>,
    /// Constraint matrix, n_con * n_eta; or the numbers of its pattern.
    pub A: Vec<f64>,
    /// Right side of the constraint rows, n_con.
    pub b: Vec<f64>,
    /// The patterns of M and A, where only their entries are given.
    pub sparsity: Option<Arc<Sparsity>>,
}

/// The derived `clone_from` would allocate every array anew, at every state.
impl Clone for Terms {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Self) {
        let Self { x_dot, M, Q, A, b, sparsity } = other;
        self.x_dot.clone_from(x_dot);
        self.M.clone_from(M);
        self.Q.clone_from(Q);
        self.A.clone_from(A);
        self.b.clone_from(b);
        self.sparsity.clone_from(sparsity);
    }
}

impl Terms {
    /// Zeros for a kernel, by entries where it has patterns.
    pub fn of(kernel: &dyn Dynamics) -> Self {
        let shape = kernel.shape();
        match kernel.capabilities().sparsity {
            None => Self::new(&shape),
            Some(sparsity) => Self {
                x_dot: vec![0.0; shape.n_x],
                M: vec![0.0; sparsity.mass.len()],
                Q: vec![0.0; shape.n_eta],
                A: vec![0.0; sparsity.constraint.len()],
                b: vec![0.0; shape.n_con],
                sparsity: Some(sparsity.clone()),
            },
        }
    }

    /// The terms with M and A as full matrices.
    pub fn written_out(&self) -> Self {
        let Some(s) = &self.sparsity else { return self.clone() };
        let (n, m) = (self.Q.len(), self.b.len());
        let (mut M, mut A) = (vec![0.0; n * n], vec![0.0; m * n]);
        s.mass.expand(&self.M, &mut M);
        s.constraint.expand(&self.A, &mut A);
        let Self { x_dot, Q, b, .. } = self.clone();
        Self { x_dot, M, Q, A, b, sparsity: None }
    }

    /// Where an entry of M or A would stand in the matrix written out; others stand where they are.
    pub(crate) fn written_out_place(&self, term: Term, index: usize) -> usize {
        let pattern = match (&self.sparsity, term) {
            (Some(s), Term::MassMatrix) => &s.mass,
            (Some(s), Term::ConstraintMatrix) => &s.constraint,
            _ => return index,
        };
        let (row, column) = pattern.entry(index);
        row * self.Q.len() + column
    }

    /// A row of A.
    pub fn row(&self, i: usize) -> Line<'_> {
        match &self.sparsity {
            None => {
                let n = self.Q.len();
                Line { columns: None, values: &self.A[i * n..(i + 1) * n] }
            }
            Some(s) => Line { columns: Some(s.constraint.row(i)), values: &self.A[s.constraint.range(i)] },
        }
    }

    /// A row of M.
    pub fn mass_row(&self, i: usize) -> Line<'_> {
        match &self.sparsity {
            None => {
                let n = self.Q.len();
                Line { columns: None, values: &self.M[i * n..(i + 1) * n] }
            }
            Some(s) => Line { columns: Some(s.mass.row(i)), values: &self.M[s.mass.range(i)] },
        }
    }

    /// out = M v.
    pub fn mass_times(&self, v: &[f64], out: &mut [f64]) {
        match &self.sparsity {
            None => mat_vec(&self.M, v, out),
            Some(s) => s.mass.times(&self.M, v, out),
        }
    }

    /// Zeros of the right sizes, matrices written out.
    pub fn new(shape: &Shape) -> Self {
        let (n, m) = (shape.n_eta, shape.n_con);
        Self {
            x_dot: vec![0.0; shape.n_x],
            M: vec![0.0; n * n],
            Q: vec![0.0; n],
            A: vec![0.0; m * n],
            b: vec![0.0; m],
            sparsity: None,
        }
    }
}

/// A mechanical system in kernel form. See the crate page for a complete one.
///
/// Only [`shape`](Dynamics::shape), [`levels`](Dynamics::levels) and [`terms`](Dynamics::terms) are always needed;
/// [`residuals`](Dynamics::residuals) with Position or Velocity rows, [`position_gradient`](Dynamics::position_gradient)
/// with Position rows, [`frame`](Dynamics::frame) unless the frame is the identity,
/// [`invariants`](Dynamics::invariants) where there are any. What else a system has it names in its
/// [`capabilities`](Dynamics::capabilities). Outputs arrive with arbitrary contents and must be overwritten completely.
pub trait Dynamics: Sync {
    /// Sizes; constant.
    fn shape(&self) -> Shape;

    /// Level of each constraint row, n_con of them; constant.
    fn levels(&self) -> &[Level];

    /// How many numbers of scratch the methods below need, and those of the capabilities that take scratch.
    fn scratch_len(&self) -> usize {
        0
    }

    /// K1-K3: x', M, Q, A, b.
    fn terms(&self, at: Point<'_>, scratch: &mut [f64], out: &mut Terms);

    /// Residual of each row: `phi` at position level (0 for other rows), `psi` at velocity level (f' for Position
    /// rows, psi for Velocity rows, 0 for Acceleration rows).
    fn residuals(&self, at: Point<'_>, scratch: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
        let _ = (at, scratch);
        phi.fill(0.0);
        psi.fill(0.0);
    }

    /// df/dx of the Position rows, n_con * n_x; zero rows for the others.
    fn position_gradient(&self, t: f64, x: &[f64], scratch: &mut [f64], out: &mut [f64]) {
        let _ = (t, x, scratch);
        out.fill(0.0);
    }

    /// The frame X of K1, n_x * n_eta. The default is the identity.
    fn frame(&self, t: f64, x: &[f64], scratch: &mut [f64], X: &mut [f64]) {
        let _ = (t, x, scratch);
        let Shape { n_x, n_eta, .. } = self.shape();
        X.fill(0.0);
        for i in 0..n_x.min(n_eta) {
            X[i * n_eta + i] = 1.0;
        }
    }

    /// Functions of x which K1 conserves for all eta (|quaternion|^2), with gradients, n_invariant * n_x. The
    /// integrator holds them at their starting values.
    fn invariants(&self, x: &[f64], scratch: &mut [f64], value: &mut [f64], gradient: &mut [f64]) {
        let _ = (x, scratch);
        value.fill(0.0);
        gradient.fill(0.0);
    }

    /// What the system has beyond K1-K3; the same along a motion. Nothing by default.
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities::default()
    }
}
