//! What a system may have beyond K1-K3, each part a trait of its own: non-ideal work, contacts, control, events, ...
//!
//! [`Capabilities`] is the list of a system's parts. A system that wraps another names the parts it changes and takes
//! the others over: `Capabilities { nonideal: Some(self), ..self.base.capabilities() }`. Who evaluates a part many times
//! looks it up once and holds it. Scratch has at least [`Dynamics::scratch_len`](super::Dynamics::scratch_len) numbers,
//! and outputs arrive with arbitrary contents and must be overwritten completely.

use super::{Contact, Contacts, Lagrangian, Point, Shape, SlidingContacts, Solution, Sparsity};
use std::sync::Arc;

/// What a system has beyond K1-K3. Nothing by default.
#[derive(Clone, Copy, Default)]
pub struct Capabilities<'a> {
    /// The patterns of M and A of a large system whose matrices are mostly zeros. A system that has them fills the terms
    /// by entries where these say so, and written out where they do not.
    pub sparsity: Option<&'a Arc<Sparsity>>,
    /// The whole acceleration as one program.
    pub fused: Option<&'a dyn Fused>,
    /// Non-ideal work (K4).
    pub nonideal: Option<&'a dyn Nonideal>,
    /// Contacts with Coulomb friction; `n_contact`, `n_slide` and `n_normal` of the [`Shape`] are their sizes.
    pub contacts: Option<&'a dyn Contacts>,
    /// The friction of contacts that slide. Systems leave this to [`crate::StickingKernel`], which knows which ones do.
    pub sliding: Option<&'a dyn SlidingContacts>,
    /// Requirements and inputs (C1), `n_require` and `n_input` of them.
    pub control: Option<&'a dyn Control>,
    /// Event functions, `n_event` of them.
    pub events: Option<&'a dyn Events>,
    /// Functions of the state at whose zeros constraint rows are put together from pieces, `n_switch` of them.
    pub switches: Option<&'a dyn Switches>,
    /// Functions of time at whose zeros something jumps, `n_time_switch` of them.
    pub time_switches: Option<&'a dyn TimeSwitches>,
    /// Integrals along the motion, `n_quadrature` of them.
    pub quadratures: Option<&'a dyn Quadratures>,
    /// Derivatives for implicit methods; without them they are taken by finite differences.
    pub partials: Option<&'a dyn PartialDerivatives>,
    /// The Lagrangian, for variational methods.
    pub lagrangian: Option<&'a dyn Lagrangian>,
    /// No event, output or integral reads the multipliers: those of a large redundant set need not be of minimum norm
    /// along the motion.
    pub multipliers_unread: bool,
}

impl<'a> Capabilities<'a> {
    /// The contacts with friction, if any.
    pub fn contact_list(&self) -> &'a [Contact] {
        self.contacts.map_or(&[], |contacts| contacts.contacts())
    }

    /// Rows whose multipliers or reactions the non-ideal C reads, if any.
    pub fn rows_read(&self) -> &'a [usize] {
        self.nonideal.map_or(&[], |nonideal| nonideal.rows_read())
    }

    /// What events assign, if anything.
    pub fn actions(&self) -> &'a [Action] {
        self.events.map_or(&[], |events| events.actions())
    }
}

/// The whole acceleration as one program: a faster way to x' and eta' (U1) of systems whose forces are impressed or
/// ideal.
pub trait Fused: Sync {
    /// The rows that it solves for: all of them, or, of a redundant set, as many as are independent; in the order of its
    /// pivots.
    fn rows(&self) -> &[usize];

    /// Room for the program, for the system as it is now; its first numbers are t, x, eta.
    fn workspace(&self) -> Vec<f64>;

    /// Brings a workspace up to date after parameters have changed.
    fn refresh(&self, workspace: &mut [f64]);

    /// Room for results: x', eta', the pivots of A M^-1 A^T for r rows, its diagonal, and one number more,
    /// n_x + n_eta + 2 r + 1 in all.
    fn results(&self) -> Vec<f64>;

    /// The results for the t, x, eta that are the first numbers of the workspace. `false` where the pivots are too small to
    /// do without a rank-revealing factorisation: then terms are asked for instead.
    fn accelerate_in_place(&self, workspace: &mut [f64], out: &mut [f64]) -> bool;

    /// As [`accelerate_in_place`](Fused::accelerate_in_place), but `true` may come with results that are not finite: for a
    /// method that asks once for all stages of a step.
    fn accelerate_unchecked(&self, workspace: &mut [f64], out: &mut [f64]) -> bool {
        self.accelerate_in_place(workspace, out)
    }

    /// The results at a state; see [`accelerate_in_place`](Fused::accelerate_in_place).
    fn accelerate(&self, at: Point<'_>, workspace: &mut [f64], out: &mut [f64]) -> bool {
        let (n_x, end) = (at.x.len(), 1 + at.x.len() + at.eta.len());
        let Some([t, state @ ..]) = workspace.get_mut(..end) else { return false };
        *t = at.t;
        let (x, eta) = state.split_at_mut(n_x);
        x.copy_from_slice(at.x);
        eta.copy_from_slice(at.eta);
        self.accelerate_in_place(workspace, out)
    }
}

/// Non-ideal work (K4).
pub trait Nonideal: Sync {
    /// The non-ideal C, n_eta numbers, which may depend on the ideal forces (U8).
    fn nonideal(&self, at: Point<'_>, ideal: &IdealForces<'_>, scratch: &mut [f64], C: &mut [f64]);

    /// Rows whose multipliers or reactions C reads. Where rows are redundant, these carry what they can (see
    /// [`IdealForces::lambda`]); those of contacts do so by themselves.
    fn rows_read(&self) -> &[usize] {
        &[]
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

/// Requirements that inputs have to meet (C1).
pub trait Control: Sync {
    /// Requirements, inputs and their cost. `W` is resized to n_input * n_input where the model gives a cost.
    fn control_terms(&self, at: Point<'_>, scratch: &mut [f64], out: &mut ControlTerms);

    /// Whether inputs have bounds; constant.
    fn has_control_bounds(&self) -> bool {
        false
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

/// Functions whose zeros are located along a motion, and what happens there.
pub trait Events: Sync {
    /// Event functions, n_event numbers. They may use accelerations and multipliers.
    fn events(&self, at: Point<'_>, solution: &Solution, scratch: &mut [f64], g: &mut [f64]);

    /// Whether the event functions read their `solution` argument. If not, it is left stale and time is saved.
    fn events_need_solution(&self) -> bool {
        true
    }

    /// What events do, constant. An event that does something ends a step, and the motion goes on from the state with these
    /// values.
    fn actions(&self) -> &[Action] {
        &[]
    }

    /// The value that each of the [`actions`](Events::actions) assigns, from the state before the event.
    fn action_values(&self, at: Point<'_>, solution: &Solution, scratch: &mut [f64], values: &mut [f64]) {
        let _ = (at, solution, scratch);
        values.fill(0.0);
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

/// Constraint rows that are put together from pieces.
pub trait Switches: Sync {
    /// Functions of the state, n_switch numbers, that change their sign where one piece ends and another begins. A motion
    /// passes such a place only where the pieces fit.
    fn switches(&self, at: Point<'_>, scratch: &mut [f64], g: &mut [f64]);
}

/// Forces, masses, rows or anything else that has kinks or jumps at instants.
pub trait TimeSwitches: Sync {
    /// Functions of time alone, n_time_switch numbers, that change their sign at these instants. No step of the integrator
    /// lies across such an instant, whichever of the two values holds at the instant itself (but for variational methods).
    fn time_switches(&self, t: f64, scratch: &mut [f64], g: &mut [f64]);

    /// The instants of the first n_instant functions, those that are t less a constant: they need not be searched for.
    fn instants(&self, _scratch: &mut [f64]) -> Vec<f64> {
        Vec::new()
    }
}

/// Integrals along the motion.
pub trait Quadratures: Sync {
    /// What is integrated, n_quadrature numbers.
    fn rates(&self, at: Point<'_>, solution: &Solution, scratch: &mut [f64], out: &mut [f64]);
}

/// Derivatives of the equations of motion for implicit methods.
pub trait PartialDerivatives: Sync {
    /// The derivatives, eta' and lambda held.
    fn partials(
        &self,
        at: Point<'_>,
        eta_dot: &[f64],
        lambda: &[f64],
        scratch: &mut [f64],
        out: &mut Partials,
    );
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
