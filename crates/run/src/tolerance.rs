//! Tolerances of the acceleration solve, in one table: what decides rank, consistency and reach.
//!
//! All are ratios free of units, so that none depends on the units of a model or on the scale of a constraint.
//! Exported controllers use the same numbers. Counts end in the unit they count; the other rooms have tables of
//! their own.

// Rank

/// Relative size of a direction, among rows of unit length, below which it depends on the others.
pub use dalembert_linalg::RANK_TOL as RANK;

/// Pivot ratio above which B B^T loses no significant digits.
pub const GRAM_SAFE: f64 = 1e-4;
/// Pivot ratio above which one step of iterative refinement restores the digits lost in B B^T.
pub const GRAM_REFINED: f64 = 1e-10;
/// Pivot ratio, times the smallest pivot ratio before it, above which a pivot is more than rounding: a small pivot
/// amplifies rounding in those that follow.
pub const PIVOT_TRUST: f64 = 1e-13;
/// Length of a row at an accepted state, relative to its recent length, below which the row counts as vanishing.
pub const SHORTEST: f64 = 1e-6;
/// Share of a pivot of M (see [`dalembert_linalg::pivot_share`]) below which M is singular (U9), and inertia in a
/// free direction, relative to what the entries of M could contribute, below which there is none.
pub const MASS: f64 = 1e-13;
/// Pivot ratio of M above which its pivots are beyond doubt.
pub const MASS_SAFE: f64 = 1e-2;
/// Pivot of a row in a sparse factor, relative to its diagonal entry, that is rounding.
pub const DROPPED: f64 = 1e-13;
/// [`DROPPED`] where no known rank confirms the decision.
pub const PLAINLY_DROPPED: f64 = 1e-14;
/// Number of speeds and rows together up to which doubtful sparse cases are decided by dense decompositions.
pub const DENSE_FALLBACK: usize = 600;

// Consistency (U6)

/// Largest residual of a row (U6) that is accepted.
///
/// The residual is measured against the row's own numbers, `|b_i| + sum_j |A_ij| (|eta'_j| + |a_j|)`, so it does not
/// depend on the units of the row; but against no less than [`COUPLING`] of what the largest accelerations and squared
/// speeds of the row's part of the system would contribute, or [`SENSITIVITY`] of how much b changes with the state:
/// where a row's own numbers vanish, what remains is the rounding of the others.
pub const CONSISTENCY: f64 = 1e-7;
/// A row whose terms are below this share of those of the largest row is rounding: it contradicts nothing until what is left
/// of it is [`CONSISTENCY`] of that share, 1e-15 of the largest row.
pub const VANISHED_ROW: f64 = 1e-8;
/// Rounding of the whole solve that a row may contain, relative to [`CONSISTENCY`] of its own numbers.
pub const COUPLING: f64 = 1e-5;
/// Part of the accelerations of other parts of the system that rounding carries into a row: the decompositions mix all
/// rows, and one refinement leaves the square of the rounding unit. A part at rest consists of nothing else.
pub const REMOTE: f64 = 1e-12;
/// Weight of the change of b with the state: states satisfy the constraints to 1e-9.
pub const SENSITIVITY: f64 = 1e-2;
/// Residual of a row, against its own numbers, above which it is refined: very unequal masses cost digits.
pub const REFINE: f64 = 1e-13;
/// Most steps of refinement.
pub const MAX_REFINEMENTS: u64 = 3;
/// Factor by which a refinement step must reduce the residual for another to follow.
pub const REFINEMENT_GAIN: f64 = 0.1;

// Rows that vanish (see `row_sensitivity`)

/// Relative displacement of the states at which the sensitivity of rows is sampled.
pub const NUDGE: f64 = 1e-6;
/// Number of displaced states.
pub const NUDGES: u64 = 3;
/// Length of a row, relative to its change over the displaced states, that is rounding.
pub const VANISHED: f64 = 1e-12;
/// Relative length below which a row is short, so that rounding of its right side counts for more.
pub const SHORT: f64 = 1e-2;
/// Relative length below which a row at the first state of a motion is taken for one that vanishes there.
pub const VANISHED_AT_START: f64 = 1e-6;
/// Part of its change over the displaced states by which such a row is measured afterwards: a row that vanishes
/// wherever the constraints hold (a diagonal entry of R = 1) would otherwise be measured by its own rounding.
pub const VANISHING_SCALE: f64 = 1e-4;

// Sparse refinement

/// Residual of an equation, relative to the sizes of its terms, that is rounding.
pub const SPARSE_ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Most refinement steps of a sparse solve.
pub const MAX_SPARSE_REFINEMENTS: usize = 4;
/// Factor by which a sparse refinement step must reduce the residual for another to follow.
pub const SPARSE_GAIN: f64 = 0.25;
/// Number of dropped rows up to which their combinations are formed for multipliers of minimum norm.
pub const FEW_DROPPED: usize = 24;
/// Relative residual at which conjugate gradients end. They take two solves an iteration and stop where forming all
/// combinations would be cheaper.
pub const CONVERGED: f64 = 1e-14;

// Control (C1)

/// Directions of the requirements weaker than this, among rows that all forces together could move by one, are out of
/// reach.
pub const REACH: f64 = 1e-10;
/// Residual of a requirement, against its own numbers, at which it is met.
pub const MET: f64 = 1e-14;
/// Trial forces, relative to those that act, by which the effect of inputs is measured where forces depend on the
/// multipliers.
pub const TRIAL: f64 = 1e-3;

// Sliding velocities

/// Directions of sliding that the constraints determine up to this part are determined: dead points are found as
/// instants, up to rounding.
pub const DETERMINED_SLIDING: f64 = 1e-9;
/// V' that the constraints require below this, against the numbers it consists of, is zero (as in U6).
pub const FORCED_SLIDING: f64 = 10.0 * CONSISTENCY;
