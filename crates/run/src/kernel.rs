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
//! [`Kernel::sparsity`]). Methods take a scratch slice of at least [`Kernel::scratch_len`] numbers, so
//! that a kernel is immutable and shared between threads and allocates nothing.

mod differentiable;
mod solution;
mod sparsity;

pub use differentiable::{Differentiable, Direction, FusedAdjoint, FusedDerivatives, Refusal, Solved};
pub use solution::{AccelerationError, Path, Solution, Taken, Term};
pub(crate) use sparsity::Plan;
pub use sparsity::{Line, MAX_FILL, Pattern, Sparsity};

use dalembert_linalg::mat_vec;
use std::ops::Range;
use std::sync::Arc;

/// Sizes and features of a kernel.
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
    /// Whether [`Kernel::nonideal`] gives a C (K4).
    pub has_nonideal: bool,
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
    /// X0 = 0 and X = identity (eta = x'); then n_x = n_eta and [`Kernel::frame`] need not be written.
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
#[derive(Clone, Debug, Default, PartialEq)]
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

impl Terms {
    /// Zeros for a kernel, by entries where it has patterns.
    pub fn of(kernel: &dyn Kernel) -> Self {
        let shape = kernel.shape();
        match kernel.sparsity() {
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

/// What is known of the constraint forces when C is evaluated (U8: the ideal force does not depend on C).
#[derive(Clone, Copy, Debug)]
pub struct IdealForces<'a> {
    /// Multiplier of each row. Where rows are redundant, rows that no force law reads carry nothing that the others can
    /// carry, and the others share the rest as equally stiff supports do.
    pub lambda: &'a [f64],
    /// The constraint matrix as in [`Terms`], so that a row's own force is `A[row]^T lambda[row]`.
    pub A: &'a [f64],
    /// The patterns, where A is given by its entries.
    pub sparsity: Option<&'a Sparsity>,
    /// Their sum A^T lambda (U2): the whole constraint force, for a law that asks for no row in particular. More
    /// accurate than the sum of the rows' own where multipliers of nearly dependent rows cancel.
    pub Q_i: &'a [f64],
}

/// Derivatives for implicit methods, taken with eta' and lambda held fixed. Row-major, sized by [`Partials::new`].
///
/// ```text
/// F = M eta' - Q - C - A^T lambda   (n_eta rows)
/// G = A eta' - b                    (n_con rows)
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Partials {
    /// dF/dx, n_eta * n_x.
    pub dF_dx: Vec<f64>,
    /// dF/d eta, n_eta * n_eta.
    pub dF_deta: Vec<f64>,
    /// dG/dx, n_con * n_x.
    pub dG_dx: Vec<f64>,
    /// dG/d eta, n_con * n_eta.
    pub dG_deta: Vec<f64>,
    /// d x'/dx, n_x * n_x.
    pub dx_dot_dx: Vec<f64>,
    /// d x'/d eta, n_x * n_eta (the frame X).
    pub dx_dot_deta: Vec<f64>,
}

impl Partials {
    /// Zeros of the right sizes.
    pub fn new(shape: &Shape) -> Self {
        let (n_x, n, m) = (shape.n_x, shape.n_eta, shape.n_con);
        Self {
            dF_dx: vec![0.0; n * n_x],
            dF_deta: vec![0.0; n * n],
            dG_dx: vec![0.0; m * n_x],
            dG_deta: vec![0.0; m * n],
            dx_dot_dx: vec![0.0; n_x * n_x],
            dx_dot_deta: vec![0.0; n_x * n],
        }
    }
}

/// A contact with Coulomb friction: where its numbers stand. One without components of a normal force has a given limit:
/// its coefficients are forces, and its normal force is 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact {
    /// Rows of the constraint whose force presses.
    pub rows: Range<usize>,
    /// Components of its sliding velocity among the `n_slide`.
    pub slide: Range<usize>,
    /// Components of its normal force among the `n_normal`.
    pub normal: Range<usize>,
}

impl Contact {
    /// Whether its coefficients are forces themselves, so that nothing needs to press.
    pub fn has_given_limit(&self) -> bool {
        self.normal.is_empty()
    }
}

/// What an event does: it gives a variable of (x, eta) another value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// Index of the event function.
    pub event: usize,
    /// Index in (x, eta).
    pub variable: usize,
}

/// The numbers of all contacts at one state. Row-major; borrowed so that they can live in scratch.
#[derive(Debug)]
pub struct ContactTerms<'a> {
    /// Sliding velocities V, n_slide.
    pub V: &'a mut [f64],
    /// dV/d eta, n_slide * n_eta.
    pub J: &'a mut [f64],
    /// Right side of V' = 0 as rows J eta' = b (K6), n_slide.
    pub b: &'a mut [f64],
    /// Coefficient of sliding friction, n_contact.
    pub mu: &'a mut [f64],
    /// Coefficient of static friction, n_contact.
    pub mu_static: &'a mut [f64],
    /// The normal force of contact k is |N|, N = P lambda over its own rows: P has n_normal rows of n_con entries.
    pub P: &'a mut [f64],
}

impl<'a> ContactTerms<'a> {
    /// How much room they take.
    pub fn room(shape: &Shape) -> usize {
        shape.n_slide * (shape.n_eta + 2) + 2 * shape.n_contact + shape.n_normal * shape.n_con
    }

    /// Takes their room from a slice; returns what is left of it.
    pub fn carve(shape: &Shape, room: &'a mut [f64]) -> (Self, &'a mut [f64]) {
        let (V, rest) = room.split_at_mut(shape.n_slide);
        let (J, rest) = rest.split_at_mut(shape.n_slide * shape.n_eta);
        let (b, rest) = rest.split_at_mut(shape.n_slide);
        let (mu, rest) = rest.split_at_mut(shape.n_contact);
        let (mu_static, rest) = rest.split_at_mut(shape.n_contact);
        let (P, rest) = rest.split_at_mut(shape.n_normal * shape.n_con);
        (Self { V, J, b, mu, mu_static, P }, rest)
    }
}

/// Friction of the contacts that slide, for normal forces of one, and where that of the others is found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sliding {
    /// The contacts that slide.
    pub contacts: Vec<usize>,
    /// Friction force on each component of sliding velocity, n_slide; zeros for contacts that stick.
    pub unit: Vec<f64>,
    /// Generalised force of each contact that slides, in the order of `contacts`, n_eta numbers each.
    pub force: Vec<f64>,
    /// P of [`ContactTerms`].
    pub P: Vec<f64>,
    /// For contacts that stick: component of sliding velocity, row, and the factor that makes a force of its multiplier.
    pub held: Vec<(usize, usize, f64)>,
    /// Constraint rows that are no contact's.
    pub natural: usize,
}

impl Sliding {
    /// Room for the contacts of a shape; rows beyond the first `natural` belong to contacts that stick.
    pub fn new(shape: &Shape, natural: usize) -> Self {
        Self {
            contacts: Vec::with_capacity(shape.n_contact),
            unit: vec![0.0; shape.n_slide],
            force: vec![0.0; shape.n_contact * shape.n_eta],
            P: vec![0.0; shape.n_normal * natural],
            held: Vec::with_capacity(shape.n_slide),
            natural,
        }
    }
}

/// What control is asked for and has to work with (C1): rows `A eta' = b`, forces `S u`, cost `u^T W u`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ControlTerms {
    /// Requirement rows, n_require * n_eta.
    pub A: Vec<f64>,
    /// Their right sides, decay of errors included (C2), n_require.
    pub b: Vec<f64>,
    /// Generalised force of each input, n_eta * n_input.
    pub S: Vec<f64>,
    /// Cost of the inputs, n_input * n_input, both triangles; empty for the inverse mass, S^T M^-1 S.
    pub W: Vec<f64>,
    /// Least and greatest value of each input, n_input; empty where none has bounds.
    pub bounds: Vec<[f64; 2]>,
}

impl ControlTerms {
    /// Zeros of the right sizes, with the default cost.
    pub fn new(shape: &Shape) -> Self {
        let (n, r, k) = (shape.n_eta, shape.n_require, shape.n_input);
        Self { A: vec![0.0; r * n], b: vec![0.0; r], S: vec![0.0; n * k], W: Vec::new(), bounds: Vec::new() }
    }
}

/// The Lagrangian and its first derivatives at a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variation {
    /// L, one number.
    pub L: [f64; 1],
    /// y = dL/dx', n_eta.
    pub y: Vec<f64>,
    /// r = dL/dx + Q', n_eta.
    pub r: Vec<f64>,
}

/// Derivatives of y, and of r with the constraint forces, multipliers held. All n_eta * n_eta, row-major.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SecondVariation {
    /// dy/dx
    pub y_x: Vec<f64>,
    /// dy/dx', the mass matrix.
    pub y_v: Vec<f64>,
    /// d(r + lambda_a df_a/dx)/dx
    pub r_x: Vec<f64>,
    /// dr/dx'
    pub r_v: Vec<f64>,
}

impl Variation {
    /// Zeros of the right sizes.
    pub fn new(shape: &Shape) -> Self {
        Self { L: [0.0], y: vec![0.0; shape.n_eta], r: vec![0.0; shape.n_eta] }
    }
}

impl SecondVariation {
    /// Zeros of the right sizes.
    pub fn new(shape: &Shape) -> Self {
        let square = || vec![0.0; shape.n_eta * shape.n_eta];
        Self { y_x: square(), y_v: square(), r_x: square(), r_v: square() }
    }
}

/// A mechanical system in kernel form. See the crate page for a complete one.
///
/// Only [`shape`](Kernel::shape), [`levels`](Kernel::levels) and [`terms`](Kernel::terms) are always needed;
/// [`residuals`](Kernel::residuals) with Position or Velocity rows, [`position_gradient`](Kernel::position_gradient)
/// with Position rows, [`frame`](Kernel::frame) unless the frame is the identity, and the others with the features
/// that [`Shape`] announces. Outputs arrive with arbitrary contents and must be overwritten completely.
pub trait Kernel: Sync {
    /// Sizes and features; constant.
    fn shape(&self) -> Shape;

    /// Level of each constraint row, n_con of them; constant.
    fn levels(&self) -> &[Level];

    /// How many numbers of scratch the methods below need.
    fn scratch_len(&self) -> usize {
        0
    }

    /// The patterns of M and A of a large system whose matrices are mostly zeros. A kernel that has them fills the terms
    /// by entries where these say so, and written out where they do not.
    fn sparsity(&self) -> Option<&Arc<Sparsity>> {
        None
    }

    /// K1-K3: x', M, Q, A, b.
    fn terms(&self, at: Point<'_>, scratch: &mut [f64], out: &mut Terms);

    /// Workspace for [`quick`](Kernel::quick), for this kernel as it is now; its first numbers are t, x, eta. Empty (the
    /// default) if there is no such way.
    fn quick_workspace(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Brings a workspace of [`quick`](Kernel::quick) up to date after parameters have changed.
    fn refresh_quick(&self, workspace: &mut [f64]) {
        let _ = workspace;
    }

    /// Whether events, outputs or integrals read the multipliers. If not, those of a large redundant set need not be of
    /// minimum norm along the motion.
    fn reads_multipliers(&self) -> bool {
        true
    }

    /// Rows whose multipliers or reactions [`nonideal`](Kernel::nonideal) reads. Where rows are redundant, these carry
    /// what they can (see [`IdealForces::lambda`]); those of contacts do so by themselves.
    fn rows_read(&self) -> &[usize] {
        &[]
    }

    /// The rows that [`quick`](Kernel::quick) solves for: all of them, or, of a redundant set, as many as are
    /// independent; in the order of its pivots.
    fn quick_rows(&self) -> &[usize] {
        &[]
    }

    /// The whole acceleration at once, for kernels that have a faster way to it: x', eta' (U1), the pivots of
    /// A M^-1 A^T for r rows, its diagonal, and one number more, n_x + n_eta + 2 r + 1 in all. `false` where its pivots
    /// are too small to do without a rank-revealing factorisation: then terms are asked for instead. Only for systems
    /// whose forces are impressed or ideal.
    fn quick(&self, at: Point<'_>, workspace: &mut [f64], out: &mut [f64]) -> bool {
        let (n_x, end) = (at.x.len(), 1 + at.x.len() + at.eta.len());
        let Some([t, state @ ..]) = workspace.get_mut(..end) else { return false };
        *t = at.t;
        let (x, eta) = state.split_at_mut(n_x);
        x.copy_from_slice(at.x);
        eta.copy_from_slice(at.eta);
        self.quick_in_place(workspace, out)
    }

    /// What [`quick`](Kernel::quick) gives for the t, x, eta that are the first numbers of its workspace.
    fn quick_in_place(&self, workspace: &mut [f64], out: &mut [f64]) -> bool {
        let _ = (workspace, out);
        false
    }

    /// K4: the non-ideal C, n_eta numbers, which may depend on the ideal forces (U8).
    fn nonideal(&self, at: Point<'_>, ideal: &IdealForces<'_>, scratch: &mut [f64], C: &mut [f64]) {
        let _ = (at, ideal, scratch);
        C.fill(0.0);
    }

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

    /// Event functions, n_event numbers, whose zeros are located. They may use accelerations and multipliers.
    fn events(&self, at: Point<'_>, solution: &Solution, scratch: &mut [f64], g: &mut [f64]) {
        let _ = (at, solution, scratch);
        g.fill(1.0);
    }

    /// Whether the event functions read their `solution` argument. If not, it is left stale and time is saved.
    fn events_need_solution(&self) -> bool {
        true
    }

    /// What events do, constant. An event that does something ends a step, and the motion goes on from the state with these
    /// values.
    fn actions(&self) -> &[Action] {
        &[]
    }

    /// The value that each of the [`actions`](Kernel::actions) assigns, from the state before the event.
    fn action_values(&self, at: Point<'_>, solution: &Solution, scratch: &mut [f64], values: &mut [f64]) {
        let _ = (at, solution, scratch);
        values.fill(0.0);
    }

    /// Functions of the state, n_switch numbers, that change their sign where constraint rows are put together from
    /// pieces. A motion passes such a place only where the pieces fit.
    fn switches(&self, at: Point<'_>, scratch: &mut [f64], g: &mut [f64]) {
        let _ = (at, scratch);
        g.fill(1.0);
    }

    /// Functions of time alone, n_time_switch numbers, that change their sign where forces, masses, rows or anything else
    /// here has kinks or jumps. No step of the integrator lies across such an instant, whichever of the two values holds
    /// at the instant itself (but for variational methods).
    fn time_switches(&self, t: f64, scratch: &mut [f64], g: &mut [f64]) {
        let _ = (t, scratch);
        g.fill(1.0);
    }

    /// The contacts with friction; constant.
    fn contacts(&self) -> &[Contact] {
        &[]
    }

    /// Sliding velocities, their rows, coefficients and the way to the normal forces.
    fn contact_terms(&self, at: Point<'_>, scratch: &mut [f64], out: &mut ContactTerms<'_>) {
        let _ = (at, scratch, out);
    }

    /// The friction of contacts that slide. Kernels leave this to [`crate::StickingKernel`], which knows which ones do.
    fn sliding(&self, at: Point<'_>, scratch: &mut [f64], out: &mut Sliding) {
        let _ = (at, scratch, out);
    }

    /// Whether control inputs have bounds; constant.
    fn has_control_bounds(&self) -> bool {
        false
    }

    /// Requirements, inputs and their cost. `W` is resized to n_input * n_input where the model gives a cost.
    fn control_terms(&self, at: Point<'_>, scratch: &mut [f64], out: &mut ControlTerms) {
        let _ = (at, scratch, out);
    }

    /// What is integrated along the motion, n_quadrature numbers.
    fn rates(&self, at: Point<'_>, solution: &Solution, scratch: &mut [f64], out: &mut [f64]) {
        let _ = (at, solution, scratch);
        out.fill(0.0);
    }

    /// Derivatives for implicit methods, eta' and lambda held. Return `false` (the default) to have them taken by
    /// finite differences.
    fn partials(
        &self,
        at: Point<'_>,
        eta_dot: &[f64],
        lambda: &[f64],
        scratch: &mut [f64],
        out: &mut Partials,
    ) -> bool {
        let _ = (at, eta_dot, lambda, scratch, out);
        false
    }

    /// Whether [`variation`](Kernel::variation) and [`second_variation`](Kernel::second_variation) are written: for
    /// variational methods, where eta = x', every row is a Position row and no other forces than those in r act.
    fn has_lagrangian(&self) -> bool {
        false
    }

    /// L, y = dL/dx', r = dL/dx + Q'.
    fn variation(&self, at: Point<'_>, scratch: &mut [f64], out: &mut Variation) {
        let _ = (at, scratch, out);
    }

    /// Derivatives of y, and of r with the forces of the multipliers `lambda`.
    fn second_variation(
        &self,
        at: Point<'_>,
        lambda: &[f64],
        scratch: &mut [f64],
        out: &mut SecondVariation,
    ) {
        let _ = (at, lambda, scratch, out);
    }
}
