//! Tolerances of the methods of integration, in one table: step-size control, dense output, Newton iterations.
//!
//! All are ratios free of units unless they say otherwise; errors are in units of the tolerance of a step. Coefficients
//! of a method are part of the method and not listed here.

// Step size (Hairer, Norsett, Wanner I, section II.4; Hairer, Wanner II, section IV.2)

/// Factor on the step that the error estimate allows, so that most steps pass.
pub const SAFETY: f64 = 0.9;
/// Least factor on a step: an estimate from a step that was much too long is not to be trusted further.
pub const SHRINK: f64 = 0.2;
/// Largest factor on a step after an accepted one.
pub const GROW: f64 = 5.0;
/// Largest factor on a step after a rejected one.
pub const SHRINK_AT_LEAST: f64 = 0.9;
/// Power of the last error in the proportional-integral control, to be divided by the order.
pub const PROPORTIONAL: f64 = 0.7;
/// Power of the error before that.
pub const INTEGRAL: f64 = 0.4;
/// Least error that the step size follows: below, an estimate says only that the step may be longer.
pub const LEAST_ERROR: f64 = 1e-10;
/// Least error that is remembered for the next step, and the one that a run begins with.
pub const LEAST_ERROR_BEFORE: f64 = 1e-4;
/// Factor on a step that could not be tried: its error is not known.
pub const NOT_TRIED: f64 = 0.4;

// First step

/// Scaled sizes of state and derivative below which they say nothing about the scale of the motion.
pub const NO_SCALE: f64 = 1e-5;
/// First trial step, in parts of the time in which the state changes by its own size.
pub const FIRST_TRIAL: f64 = 0.01;
/// Scaled derivatives below which the motion does not move.
pub const STILL: f64 = 1e-15;
/// First step of a motion without a scale, in parts of the run.
pub const FIRST_WITHOUT_SCALE: f64 = 1e-6;
/// First step in trial steps of a motion that does not move, and in trial steps at most.
pub const FIRST_IN_TRIALS: [f64; 2] = [1e-3, 100.0];
/// Least first step, in parts of the run: a state of almost nothing says nothing about scales, and a step that is too
/// long is rejected.
pub const LEAST_FIRST: f64 = 1e-10;
/// Steps of a run by a method with fixed steps where nothing says how long they are.
pub const FIXED_STEPS: f64 = 1000.0;

// Dense output of DOP853

/// The dense output has stepped into something that the step did not see where its slope misses stages of the step by so
/// many tolerances and by [`ASTRAY`] of the largest slope. The interpolant has the slopes of its further stages, so these
/// themselves show nothing; smooth motions stay far below.
pub const UNRESOLVED: f64 = 1e3;
/// See [`UNRESOLVED`].
pub const ASTRAY: f64 = 0.2;

// Newton's method of Radau

/// Most iterations of a step of Radau.
pub const MAX_RADAU_ITERATIONS: usize = 8;
/// Iteration error of Radau, in parts of the tolerance, at most; for loose tolerances the root of rtol.
pub const RADAU_ITERATION: f64 = 0.03;
/// Rate of convergence above which Radau takes a new Jacobian for the next step.
pub const RADAU_SLOW: f64 = 1e-3;

// Newton's method of variational steps, which goes on to rounding. Corrections are in units of the noise: what rounding of
// the residual makes of each component.

/// Most iterations of a variational step.
pub const MAX_VARIATIONAL_ITERATIONS: usize = 40;
/// Corrections of no more than this, in units of the noise, end the iteration.
pub const CORRECTED: f64 = 0.5;
/// A matrix is made anew where corrections shrink by less than this.
pub const SHRINKS_SLOWLY: f64 = 0.3;
/// Number of corrections that may be larger than the one before.
pub const MAX_GROWN: usize = 3;
/// Corrections that stop shrinking below this, in units of the noise, are rounding.
pub const NOISY: f64 = 1e6;
/// Corrections that stop shrinking below this part of the whole state are rounding, in components that consist of it.
pub const ROUNDING: f64 = 1e-9;
/// Corrections below this, in units of the noise, need not shrink; larger ones ask for a new matrix first.
pub const QUIET: f64 = 30.0;
/// A correction this much smaller than others may be nothing but what the solve has rounded off them.
pub const HIDDEN: f64 = 1e-8;
/// Number of steps after which the noise is estimated anew.
pub const NOISE_STEPS: usize = 16;
/// Size of a state, in its own units, that divisions by it survive.
pub const SMALLEST_STATE: f64 = 1e-250;

// Rates at the end of a variational step

/// Most Newton iterations for the rates; one is enough where L is quadratic, a second is for rounding.
pub const MAX_RATE_ITERATIONS: usize = 30;
/// Relative correction of rates that is rounding where it has stopped shrinking.
pub const RATE_ROUNDING: f64 = 1e-9;
