//! Starting values on the constraints, nearest to a guess.
//!
//! ```text
//! first   x     nearest to its guess (Euclidean) among  phi(x,t) = 0,  invariants as at the guess,  given entries fixed;
//!               if there is none, without the invariants: a row may say what they are (a quaternion of norm 1).
//!               Of bodies: nearest by the masses, and always with the invariants, which are lengths of quaternions
//! then    eta   nearest to its guess among              psi(x,eta,t) = 0,  further conditions,      given entries fixed
//! ```
//!
//! Damped Newton with minimum-norm steps finds a solution; then the step is anchored at the guess,
//! `v <- guess + J^+ (J (v - guess) - r(v))`, whose fixed points are the nearest ones. Where all gradients vanish though the
//! residual does not (a guess on a point of symmetry) the guess is shifted a little, by the same amounts every time.
//! Checked by `tests/it/start.rs`.

mod by_mass;
mod least_gap;
mod search;
mod slopes;

use crate::row_sensitivity::nudged;
use crate::{Dynamics, Level, Point, Projector, Sparsity, State, Terms};
use dalembert_linalg::{dot, norm};
use std::sync::Arc;

use by_mass::Metric;
pub use least_gap::least_gap;
use search::{Equations, Left, NoSolution, nearest};

/// A guess, with what must not be touched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StartGuess {
    /// Guess of time, configuration and speeds.
    pub state: State,
    /// Configuration variables that are given, not guessed (n_x flags, or empty for none).
    pub x_fixed: Vec<bool>,
    /// Speeds that are given, not guessed (n_eta flags, or empty for none).
    pub eta_fixed: Vec<bool>,
    /// Further linear conditions on the speeds.
    pub conditions: Vec<VelocityCondition>,
    /// Whether the coordinates are those of rigid bodies: distances are measured by the masses, so that the start does not
    /// depend on the choice of coordinates, and invariants (lengths of quaternions) are held in any case.
    pub bodies: bool,
}

/// `row . eta = right`, for given rates that are not themselves speeds.
#[derive(Clone, Debug, PartialEq)]
pub struct VelocityCondition {
    /// Coefficients, n_eta.
    pub row: Vec<f64>,
    /// Right side.
    pub right: f64,
}

/// A start on the constraints.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsistentState {
    /// The state.
    pub state: State,
    /// Rank of the constraint rows there.
    pub rank: usize,
    /// Largest scaled residuals left (position, velocity).
    pub residuals: (f64, f64),
    /// How far the configuration moved from the guess (Euclidean).
    pub moved: f64,
}

/// Why there is no start.
#[derive(Clone, Debug, PartialEq)]
pub enum StartError {
    /// Lengths do not fit the kernel.
    BadArguments {
        /// Which.
        what: &'static str,
    },
    /// A number in the guess, or a residual at it, is NaN or infinite; the row if it is a residual.
    NotFinite {
        /// Constraint row.
        row: Option<usize>,
    },
    /// No configuration near the guess satisfies this position row together with the others.
    Position {
        /// Row with the largest residual.
        row: usize,
        /// Its scaled residual.
        residual: f64,
        /// The rows that contradict each other; of a large system they are not known, and the list is empty.
        together: Vec<usize>,
    },
    /// No speeds satisfy this row together with the others.
    Velocity {
        /// Row with the largest residual.
        row: usize,
        /// Its scaled residual.
        residual: f64,
        /// The rows that contradict each other, and further conditions counted on after them; empty if not known.
        together: Vec<usize>,
    },
    /// No speeds satisfy this further condition together with the rows.
    Condition {
        /// Index in the conditions.
        index: usize,
        /// Its scaled residual.
        residual: f64,
        /// As for [`StartError::Velocity`].
        together: Vec<usize>,
    },
}

impl std::fmt::Display for StartError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StartError::BadArguments { what } => write!(f, "the guess does not fit the system: {what}"),
            StartError::NotFinite { row: None } => f.write_str("a number of the guess is not finite"),
            StartError::NotFinite { row: Some(row) } => {
                write!(f, "constraint row {row} is not finite at the guess")
            }
            StartError::Position { row, residual, .. } => {
                write!(f, "no configuration satisfies constraint row {row}: scaled residual {residual:.2e}")
            }
            StartError::Velocity { row, residual, .. } => {
                write!(f, "no speeds satisfy constraint row {row}: scaled residual {residual:.2e}")
            }
            StartError::Condition { index, residual, .. } => {
                write!(f, "no speeds satisfy condition {index}: scaled residual {residual:.2e}")
            }
        }
    }
}

impl std::error::Error for StartError {}

/// Finds the state on the constraints nearest to the guess.
///
/// ```
/// # use dalembert_run::*;
/// # struct Circle;
/// # impl Dynamics for Circle {
/// #     fn shape(&self) -> Shape { Shape { n_x: 2, n_eta: 2, n_con: 1, identity_frame: true, ..Shape::default() } }
/// #     fn levels(&self) -> &[Level] { &[Level::Position] }
/// #     fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
/// #         out.x_dot.copy_from_slice(at.eta);
/// #         out.M.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
/// #         out.Q.fill(0.0);
/// #         out.A.copy_from_slice(&[2.0 * at.x[0], 2.0 * at.x[1]]);
/// #         out.b[0] = -2.0 * (at.eta[0].powi(2) + at.eta[1].powi(2));
/// #     }
/// #     fn residuals(&self, at: Point, _: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
/// #         phi[0] = at.x[0].powi(2) + at.x[1].powi(2) - 1.0;
/// #         psi[0] = 2.0 * (at.x[0] * at.eta[0] + at.x[1] * at.eta[1]);
/// #     }
/// #     fn position_gradient(&self, _: f64, x: &[f64], _: &mut [f64], out: &mut [f64]) {
/// #         out.copy_from_slice(&[2.0 * x[0], 2.0 * x[1]]);
/// #     }
/// # }
/// // A point on the unit circle: x is given, y is guessed; the speed along x is given.
/// let guess = StartGuess {
///     state: State::new(0.0, &[0.6, 0.5], &[0.4, 0.0]),
///     x_fixed: vec![true, false],
///     eta_fixed: vec![true, false],
///     ..StartGuess::default()
/// };
/// let started = find_start(&Circle, &guess).unwrap();
/// assert!((started.state.x[1] - 0.8).abs() < 1e-15 && (started.state.eta[1] + 0.3).abs() < 1e-15);
/// ```
pub fn find_start(kernel: &dyn Dynamics, guess: &StartGuess) -> Result<ConsistentState, StartError> {
    let free = check(kernel, guess)?;
    let mut state = guess.state.clone();
    find_positions(kernel, &mut state, &free.0, guess.bodies).map_err(NoSolution::position)?;
    let mut speeds = Speeds::new(kernel, state.t, state.x.clone(), &guess.conditions);
    let n_con = kernel.shape().n_con;
    nearest(&mut speeds, &mut state.eta, &free.1).map_err(|e| e.velocity(n_con))?;
    if guess.bodies
        && let Some(metric) = Metric::of_speeds(kernel, state.t, &state.x)
    {
        let guess = guess.state.eta.iter().zip(&free.1).map(|(eta, free)| if *free { *eta } else { 0.0 });
        metric.anchor(&mut speeds, &guess.collect::<Vec<_>>(), &mut state.eta, &free.1);
    }

    let mut projector = Projector::new(kernel);
    projector.measure(kernel, state.point());
    let left = projector.residuals(kernel, state.point());
    let rank = projector.ranks(kernel, state.point(), 1e-9).1;
    let moved = norm(&state.x.iter().zip(&guess.state.x).map(|(a, b)| a - b).collect::<Vec<_>>());
    Ok(ConsistentState { state, rank, residuals: (left.position, left.velocity), moved })
}

/// x nearest to its guess with the invariants held; failing that, without, unless they are those of bodies.
fn find_positions(
    kernel: &dyn Dynamics,
    state: &mut State,
    free: &[bool],
    bodies: bool,
) -> Result<(), NoSolution> {
    let mut positions = Positions::new(kernel, state.t, &state.x);
    if bodies {
        let guess = state.x.clone();
        nearest(&mut positions, &mut state.x, free).map_err(|none| none.within(kernel.shape().n_con))?;
        if let Some(metric) = Metric::of_positions(kernel, state.t, &guess) {
            metric.anchor(&mut positions, &guess, &mut state.x, free);
        }
        return Ok(());
    }
    if !positions.held.is_empty() {
        let mut x = state.x.clone();
        match nearest(&mut positions, &mut x, free) {
            Ok(()) => {
                state.x = x;
                return Ok(());
            }
            // Beyond the range of numbers: nothing is gained by not looking.
            Err(none) if none.left.residual.is_nan() => return Err(none),
            Err(_) => positions.held.clear(),
        }
    }
    nearest(&mut positions, &mut state.x, free)
}

/// Checks the guess; returns which entries are free.
fn check(kernel: &dyn Dynamics, guess: &StartGuess) -> Result<(Vec<bool>, Vec<bool>), StartError> {
    let (shape, s) = (kernel.shape(), &guess.state);
    let fits = |flags: &[bool], n: usize| flags.is_empty() || flags.len() == n;
    let checks = [
        (s.x.len() == shape.n_x, "configuration length"),
        (s.eta.len() == shape.n_eta, "speeds length"),
        (kernel.levels().len() == shape.n_con, "levels length"),
        (fits(&guess.x_fixed, shape.n_x), "x_fixed length"),
        (fits(&guess.eta_fixed, shape.n_eta), "eta_fixed length"),
        (guess.conditions.iter().all(|c| c.row.len() == shape.n_eta), "condition length"),
    ];
    if let Some((_, what)) = checks.into_iter().find(|(good, _)| !good) {
        return Err(StartError::BadArguments { what });
    }
    let numbers = s.x.iter().chain(&s.eta).chain([&s.t]);
    let conditions = guess.conditions.iter().flat_map(|c| c.row.iter().chain([&c.right]));
    if numbers.chain(conditions).any(|v| !v.is_finite()) {
        return Err(StartError::NotFinite { row: None });
    }
    let free = |flags: &[bool], n: usize| (0..n).map(|i| !flags.get(i).copied().unwrap_or(false)).collect();
    Ok((free(&guess.x_fixed, shape.n_x), free(&guess.eta_fixed, shape.n_eta)))
}

/// phi = 0 and invariants held, unless `held` is empty.
struct Positions<'k> {
    kernel: &'k dyn Dynamics,
    t: f64,
    eta: Vec<f64>,
    held: Vec<f64>,
    gradient: Vec<f64>,
    psi: Vec<f64>,
    /// Where the Jacobian is given by its entries.
    terms: Option<Terms>,
    scratch: Vec<f64>,
}

impl<'k> Positions<'k> {
    fn new(kernel: &'k dyn Dynamics, t: f64, x: &[f64]) -> Self {
        let shape = kernel.shape();
        let mut held = vec![0.0; shape.n_invariant];
        let mut gradient = vec![0.0; shape.n_invariant * shape.n_x];
        let mut scratch = vec![0.0; kernel.scratch_len()];
        kernel.invariants(x, &mut scratch, &mut held, &mut gradient);
        let terms = (by_entries(kernel, &held) && shape.identity_frame).then(|| Terms::of(kernel));
        let (eta, psi) = (vec![0.0; shape.n_eta], vec![0.0; shape.n_con]);
        Self { kernel, t, eta, held, gradient, psi, terms, scratch }
    }
}

impl Equations for Positions<'_> {
    fn count(&self) -> usize {
        self.psi.len() + self.held.len()
    }

    fn residual(&mut self, v: &[f64], r: &mut [f64]) {
        let (phi, change) = r.split_at_mut(self.psi.len());
        let at = Point { t: self.t, x: v, eta: &self.eta };
        self.kernel.residuals(at, &mut self.scratch, phi, &mut self.psi);
        if self.held.is_empty() {
            return;
        }
        self.kernel.invariants(v, &mut self.scratch, change, &mut self.gradient);
        for (value, held) in change.iter_mut().zip(&self.held) {
            *value -= held;
        }
    }

    fn sparsity(&self) -> Option<Arc<Sparsity>> {
        self.terms.as_ref().and_then(|terms| terms.sparsity.clone())
    }

    fn jacobian(&mut self, v: &[f64], J: &mut [f64]) {
        if let Some(terms) = &mut self.terms {
            // x' = eta: the slopes of f are the rows of A.
            let at = Point { t: self.t, x: v, eta: &self.eta };
            self.kernel.terms(at, &mut self.scratch, terms);
            clear_rows(terms, J, |i| self.kernel.levels()[i] == Level::Position);
            return;
        }
        let (df, dc) = J.split_at_mut(self.psi.len() * v.len());
        self.kernel.position_gradient(self.t, v, &mut self.scratch, df);
        if self.held.is_empty() {
            return;
        }
        let mut values = self.held.clone();
        self.kernel.invariants(v, &mut self.scratch, &mut values, dc);
    }

    fn jacobian_near(&mut self, v: &[f64], round: u64, J: &mut [f64]) {
        let near = nudged(Point { t: self.t, x: v, eta: &self.eta }, round);
        let t = std::mem::replace(&mut self.t, near.t);
        self.jacobian(&near.x, J);
        self.t = t;
    }
}

/// psi = 0 and the further conditions.
struct Speeds<'k> {
    kernel: &'k dyn Dynamics,
    t: f64,
    x: Vec<f64>,
    conditions: &'k [VelocityCondition],
    terms: Terms,
    phi: Vec<f64>,
    scratch: Vec<f64>,
}

impl<'k> Speeds<'k> {
    fn new(kernel: &'k dyn Dynamics, t: f64, x: Vec<f64>, conditions: &'k [VelocityCondition]) -> Self {
        let shape = kernel.shape();
        let terms = if by_entries(kernel, conditions) { Terms::of(kernel) } else { Terms::new(&shape) };
        let phi = vec![0.0; shape.n_con];
        Self { kernel, t, x, conditions, terms, phi, scratch: vec![0.0; kernel.scratch_len()] }
    }
}

impl Equations for Speeds<'_> {
    fn count(&self) -> usize {
        self.phi.len() + self.conditions.len()
    }

    fn residual(&mut self, v: &[f64], r: &mut [f64]) {
        let (psi, further) = r.split_at_mut(self.phi.len());
        let at = Point { t: self.t, x: &self.x, eta: v };
        self.kernel.residuals(at, &mut self.scratch, &mut self.phi, psi);
        for (value, c) in further.iter_mut().zip(self.conditions) {
            *value = dot(&c.row, v) - c.right;
        }
    }

    fn sparsity(&self) -> Option<Arc<Sparsity>> {
        self.terms.sparsity.clone()
    }

    fn jacobian(&mut self, v: &[f64], J: &mut [f64]) {
        let n = v.len();
        let at = Point { t: self.t, x: &self.x, eta: v };
        self.kernel.terms(at, &mut self.scratch, &mut self.terms);
        if self.terms.sparsity.is_some() {
            return clear_rows(&self.terms, J, |i| self.kernel.levels()[i] != Level::Acceleration);
        }
        J[..self.terms.A.len()].copy_from_slice(&self.terms.A);
        for (i, level) in self.kernel.levels().iter().enumerate() {
            if *level == Level::Acceleration {
                J[i * n..(i + 1) * n].fill(0.0);
            }
        }
        for (c, row) in self.conditions.iter().zip(J[self.terms.A.len()..].chunks_exact_mut(n.max(1))) {
            row.copy_from_slice(&c.row);
        }
    }

    fn jacobian_near(&mut self, v: &[f64], round: u64, J: &mut [f64]) {
        let near = nudged(Point { t: self.t, x: &self.x, eta: v }, round);
        let here = (std::mem::replace(&mut self.t, near.t), std::mem::replace(&mut self.x, near.x));
        self.jacobian(&near.eta, J);
        (self.t, self.x) = here;
    }
}

/// Whether Jacobians of a kernel are given by their entries: where the rows of A are all there is.
fn by_entries<T>(kernel: &dyn Dynamics, further: &[T]) -> bool {
    kernel.capabilities().sparsity.is_some() && further.is_empty()
}

/// The entries of A, zero in rows that are not asked for.
fn clear_rows(terms: &Terms, J: &mut [f64], wanted: impl Fn(usize) -> bool) {
    J.copy_from_slice(&terms.A);
    let Some(sparsity) = &terms.sparsity else { return };
    for i in (0..terms.b.len()).filter(|&i| !wanted(i)) {
        J[sparsity.constraint.range(i)].fill(0.0);
    }
}

impl NoSolution {
    /// Named by rows alone: that a length is held is not what contradicts them.
    fn within(mut self, rows: usize) -> NoSolution {
        self.together.retain(|row| *row < rows);
        if self.left.row >= rows {
            self.left.row = self.together.first().copied().unwrap_or(0);
        }
        self
    }

    fn position(self) -> StartError {
        let NoSolution { left: Left { row, residual }, together } = self;
        if residual.is_nan() {
            StartError::NotFinite { row: Some(row) }
        } else {
            StartError::Position { row, residual, together }
        }
    }

    fn velocity(self, n_con: usize) -> StartError {
        let NoSolution { left: Left { row, residual }, together } = self;
        match row.checked_sub(n_con) {
            _ if residual.is_nan() => StartError::NotFinite { row: Some(row) },
            Some(index) => StartError::Condition { index, residual, together },
            None => StartError::Velocity { row, residual, together },
        }
    }
}
