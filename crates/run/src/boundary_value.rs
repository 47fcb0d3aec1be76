//! The motion between two configurations in a given time: Hamilton's principle as a boundary value problem.
//!
//! The time is cut into elements, each with a cubic through four Lobatto nodes (`method/discrete_action.rs`). The positions at
//! all inner nodes are the unknowns, with impulses of the constraints:
//!
//! ```text
//! sum of dL_d/dq_g over the elements of node g + A_g^T Lambda_g = 0,     f(q_g, t_g) = 0       every inner node g
//! ```
//!
//! Newton on a band matrix, time linear in the number of nodes, damped by natural monotonicity (Deuflhard). If the first
//! path leads nowhere, the action is made smaller step by step, on the constraints; and if that does not help either, a path is
//! taken over from the motion that the given rates start, whose end is drawn to the wanted one.
//! Elements are halved until two solutions agree; the nodes have order six. What is found is a stationary point, not
//! always a minimum: `index` tells (see `second`). Knows no symbols. Checked by `tests/it/connect.rs` in the crate above.

mod grid;
mod morse_index;
mod search;

use crate::{Dynamics, Lagrangian, Level, Point, Projector, State};
use grid::Grid;
pub use morse_index::MorseIndex;
use search::PathSearch;

/// Numbers in the largest matrix.
const MAX_ROOM: usize = 20_000_000;
/// Elements at most.
const MOST: usize = 2048;
/// Ends that are off the constraints by more than this, scaled, are refused.
const END_TOL: f64 = 1e-8;
/// Sensitivity of the rates at the start to the end position, relative to free motion, from which the ends count as conjugate,
/// and from which they do where it still changes from grid to grid.
const CONJUGATE: f64 = 1e9;
const DOUBTFUL: f64 = 1e6;
/// Largest change of the sensitivity from grid to grid, relative, with which it counts as known.
const KNOWN: f64 = 0.02;
/// Largest difference of two solutions, relative, that is taken for rounding where it no longer shrinks.
const STALLED: f64 = 1e-7;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Ends<'a> {
    /// Time and configuration at the start; its rates begin the second attempt.
    pub start: &'a State,
    /// Time at the end.
    pub t_end: f64,
    /// Configuration at the end.
    pub x_end: &'a [f64],
    /// Configurations through which the first path goes, with equal speed.
    pub via: Vec<Vec<f64>>,
    /// Error of the nodes that is aimed at, relative to the size of the configuration.
    pub tolerance: f64,
}

/// A motion between two configurations.
#[derive(Clone, Debug)]
pub struct Connection {
    /// The start with the rates that lead to the end.
    pub start: State,
    /// The end with the rates on arrival.
    pub end: State,
    /// Integral of L.
    pub action: f64,
    /// Estimated error of positions at the nodes.
    pub error: f64,
    /// Elements used, and Newton's steps altogether.
    pub elements: usize,
    /// Newton's steps altogether.
    pub iterations: usize,
    /// Times and configurations of the nodes, row after row.
    pub path: Vec<(f64, Vec<f64>)>,
    /// The second variation; `None` where it is too large or its signs depend on the elements.
    pub second: Option<MorseIndex>,
    /// How much more the rates at the start depend on the end than in free motion.
    pub sensitivity: f64,
    /// For each way point, whether the motion passes near it.
    pub passed: Vec<bool>,
}

/// Why there is none.
#[derive(Clone, Debug, PartialEq)]
pub enum ConnectError {
    /// The kernel has no Lagrangian in rates with position constraints, or lengths and times do not fit.
    BadArguments,
    /// An end is off a constraint.
    EndOff {
        /// Whether it is the end rather than the start.
        at_end: bool,
        /// The row.
        row: usize,
        /// Its residual.
        residual: f64,
    },
    /// Newton's iteration did not arrive.
    NotConverged {
        /// Steps taken.
        iterations: usize,
        /// Size of the last correction.
        correction: f64,
    },
    /// The ends are conjugate: rates at the start are not determined.
    Conjugate {
        /// As in [`Connection`].
        sensitivity: f64,
    },
    /// Elements were halved to the limit and solutions still differ by this much.
    NotResolved {
        /// Difference of the last two.
        error: f64,
    },
}

impl std::fmt::Display for ConnectError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ConnectError::BadArguments => f.write_str(
                "the system has no Lagrangian in rates with position constraints, or the ends do not fit it",
            ),
            ConnectError::EndOff { at_end, row, residual } => {
                let which = if *at_end { "end" } else { "start" };
                write!(f, "the {which} violates constraint row {row} by {residual:.2e}")
            }
            ConnectError::NotConverged { iterations, correction } => {
                write!(
                    f,
                    "Newton's iteration did not converge in {iterations} steps: last correction {correction:.2e}"
                )
            }
            ConnectError::Conjugate { sensitivity } => {
                write!(f, "the ends are conjugate: the start depends on the end {sensitivity:.2e}-fold")
            }
            ConnectError::NotResolved { error } => {
                write!(f, "the finest elements leave an error of {error:.2e}")
            }
        }
    }
}

impl std::error::Error for ConnectError {}

/// Finds the motion from `ends.start` to `ends.x_end`.
///
/// ```
/// use dalembert_run::*;
/// /// A unit mass on a spring of unit stiffness.
/// struct Oscillator;
/// impl Dynamics for Oscillator {
///     fn shape(&self) -> Shape {
///         Shape { n_x: 1, n_eta: 1, identity_frame: true, ..Shape::default() }
///     }
///     fn levels(&self) -> &[Level] {
///         &[]
///     }
///     fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
///         (out.x_dot[0], out.M[0], out.Q[0]) = (at.eta[0], 1.0, -at.x[0]);
///     }
///     fn capabilities(&self) -> Capabilities<'_> {
///         Capabilities { lagrangian: Some(self), ..Capabilities::default() }
///     }
/// }
///
/// impl Lagrangian for Oscillator {
///     fn variation(&self, at: Point, _: &mut [f64], out: &mut Variation) {
///         out.L[0] = (at.eta[0].powi(2) - at.x[0].powi(2)) / 2.0;
///         (out.y[0], out.r[0]) = (at.eta[0], -at.x[0]);
///     }
///     fn second_variation(&self, _: Point, _: &[f64], _: &mut [f64], out: &mut SecondVariation) {
///         (out.y_x[0], out.y_v[0], out.r_x[0], out.r_v[0]) = (0.0, 1.0, -1.0, 0.0);
///     }
/// }
/// let start = State::new(0.0, &[0.0], &[0.0]);
/// let ends = Ends { start: &start, t_end: 1.0, x_end: &[0.5], via: vec![], tolerance: 1e-10 };
/// let found = connect(&Oscillator, &ends).unwrap();
/// assert!((found.start.eta[0] - 0.5 / 1f64.sin()).abs() < 1e-9);
/// assert_eq!(found.second.unwrap().index, 0); // a minimum: less than half a period
/// ```
pub fn connect(kernel: &dyn Dynamics, ends: &Ends<'_>) -> Result<Connection, ConnectError> {
    let lagrangian = kernel.capabilities().lagrangian.ok_or(ConnectError::BadArguments)?;
    check(lagrangian, ends)?;
    let mut search = PathSearch::new(lagrangian, ends);
    let first = search.first()?;
    let found = refine(&mut search, first);
    if !matches!(found, Err(ConnectError::NotResolved { .. })) {
        return found;
    }
    // A path that jumps across a hole of the constraints: another one goes around it.
    match search.aside() {
        Some(grid) => grid.and_then(|grid| refine(&mut search, grid)).or_else(|error| match error {
            ConnectError::Conjugate { .. } => Err(error),
            _ => found,
        }),
        None => found,
    }
}

/// Halves elements until two solutions agree, and so do the motions near them.
fn refine(search: &mut PathSearch<'_>, mut grid: Grid) -> Result<Connection, ConnectError> {
    let (kernel, ends) = (search.kernel, search.ends);
    let (mut before, mut last) = (grid.sensitivity(kernel), f64::INFINITY);
    loop {
        let mut fine = grid.halved();
        let affordable = fine.elements() <= MOST && fine.room() <= MAX_ROOM;
        if !affordable {
            return Err(ConnectError::NotResolved { error: f64::NAN });
        }
        search.solve(&mut fine)?;
        let sensitivity = fine.sensitivity(kernel);
        if !(sensitivity < CONJUGATE) {
            return Err(ConnectError::Conjugate { sensitivity });
        }
        let apart = fine.apart(&grid).max(search.rates_apart(&mut grid, &mut fine));
        let size = 1.0 + fine.size();
        // Order six: the finer solution is off by a sixty-third of the difference; twice that, to be safe. Where
        // differences shrink no more they are rounding.
        let stalled = apart <= STALLED * size && apart > 0.2 * last;
        let error = if stalled { apart } else { apart / 32.0 };
        // A path that jumps between two nodes has an action that grows with their number.
        let (coarse, after) = (grid.action(kernel), fine.action(kernel));
        let settled = (after - coarse).abs() <= 1e-4 * (1e-9 + after.abs().max(coarse.abs()));
        // The path may be simple, and what is near it not.
        let known = (sensitivity - before).abs() <= KNOWN * sensitivity.max(before);
        if settled && known && (stalled || error <= ends.tolerance * size) {
            return search.finish(grid, fine, error, sensitivity);
        }
        if fine.elements() * 2 > MOST || fine.halved().room() > MAX_ROOM {
            if settled && known && error <= STALLED * size {
                return search.finish(grid, fine, error, sensitivity);
            }
            return Err(match sensitivity > DOUBTFUL {
                true => ConnectError::Conjugate { sensitivity },
                false => ConnectError::NotResolved { error: apart },
            });
        }
        (grid, before, last) = (fine, sensitivity, apart);
    }
}

fn check(kernel: &dyn Lagrangian, ends: &Ends<'_>) -> Result<(), ConnectError> {
    let shape = kernel.shape();
    let n = shape.n_x;
    let lengths = ends.start.x.len() == n
        && ends.start.eta.len() == n
        && ends.x_end.len() == n
        && ends.via.iter().all(|x| x.len() == n);
    let positions = kernel.levels().iter().all(|level| *level == Level::Position);
    let finite = ends.start.x.iter().chain(&ends.start.eta).chain(ends.x_end).all(|v| v.is_finite());
    let span = ends.t_end - ends.start.t;
    if !(lengths && positions && finite && shape.identity_frame)
        || !(span.is_finite() && span != 0.0 && n > 0)
    {
        return Err(ConnectError::BadArguments);
    }
    let mut projector = Projector::new(kernel);
    for (at_end, t, x) in [(false, ends.start.t, &ends.start.x[..]), (true, ends.t_end, ends.x_end)] {
        let still = vec![0.0; n];
        let off = projector.residuals(kernel, Point { t, x, eta: &still });
        if shape.n_con > 0 && !(off.position <= END_TOL) {
            return Err(ConnectError::EndOff { at_end, row: off.position_row, residual: off.position });
        }
    }
    Ok(())
}
