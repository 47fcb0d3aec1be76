//! Tolerances of the driver, in one table: when a run stands still, where a step ends, when something happens in it.
//!
//! All are ratios free of units. Unless they say otherwise times are in parts of the span of the run. Lanes use the
//! same numbers; the acceleration solve and the methods have tables of their own ([`crate::tolerance`] and
//! `method/tolerances.rs`).

use crate::tolerance::CONSISTENCY;

// Steps

/// A run that moves by less than this part of its span in [`STANDSTILL_STEPS`] attempts will not arrive: forces that jump
/// back and forth (dry friction by a sign function) lead there.
pub(crate) const STANDSTILL: f64 = 1e-7;
/// See [`STANDSTILL`].
pub(crate) const STANDSTILL_STEPS: usize = 20_000;
/// Difference of times, in parts of the step, below which a step ends where it must end: no sliver is left behind.
pub(crate) const SLIVER: f64 = 1e-10;
/// Difference of times, in parts of the step, below which a time inside the step is its end.
pub(crate) const SAME_TIME: f64 = 1e-12;
/// Scaled residuals that a step may leave which satisfies the constraints by itself: rounding, with room for its growth.
pub(crate) const KEPT_BY_STEP: f64 = 1e-12;
/// Residual of a row (U6) that is accepted at states on the constraints. Stages lie off them, so rows that are redundant
/// disagree there and are not compared.
pub(crate) const STATE_CONSISTENCY: f64 = 10.0 * CONSISTENCY;
/// [`STATE_CONSISTENCY`] of a run without projection, whose states drift off the constraints.
pub(crate) const DRIFTING_CONSISTENCY: f64 = 1e-2;
/// Margins of the evaluations of one step that are remembered.
pub(crate) const MAX_MARGINS: usize = 32;
/// Change of a component for a derivative by differences, relative to the largest component, and at least.
pub(crate) const LEAST_DIFFERENCES: [f64; 2] = [1e-3, 1e-5];

// Event functions: samples of a step and zeros between them

/// Parabolas a step is first sampled by; each takes five samples.
pub(crate) const PARABOLAS: usize = 4;
/// How often a stretch is halved at most.
pub(crate) const MAX_DEPTH: usize = 9;
/// Samples of one step at most.
pub(crate) const MAX_SAMPLES: usize = 5000;
/// What a parabola may miss, relative to the largest value in the step.
pub(crate) const MISSED: f64 = 0.02;
/// An extremum this near to zero, in parts of the values around it, is sampled by itself.
pub(crate) const DOUBTFUL: f64 = 0.1;
/// Factor by which lanes narrow [`MISSED`] and [`DOUBTFUL`] when they screen a step for events: what passes the screen has
/// none.
pub(crate) const SCREEN_MARGIN: f64 = 0.99;
/// Value of a function at the start, relative to the state, that is zero.
pub(crate) const ZERO_AT_START: f64 = 1e-14;
/// Width of the bracket, in parts of the step or of the time, at which a zero is located.
pub(crate) const LOCATED: f64 = 1e-14;
/// Value, relative to those at the ends of the bracket, at which a zero is located.
pub(crate) const ZERO_VALUE: f64 = 1e-16;
/// Most steps of locating a zero.
pub(crate) const MAX_LOCATING: usize = 100;
/// A function within this part of its largest value so far is zero where a contact sticks: what is left is rounding.
pub(crate) const ARRIVED: f64 = 1e-10;
/// A crossing this part of a step before an arrival is the same.
pub(crate) const JUST_CROSSED: f64 = 1e-6;
/// Time after which an event function that stays at zero is still there.
pub(crate) const STAYS: f64 = 1e-6;
/// Rows this close behind the end of a step of a lane, in parts of it, may turn out to be due.
pub(crate) const DUE_SOON: f64 = 1e-6;

// Events that assign

/// Values that two events assign to a variable are the same up to this part.
pub(crate) const SAME_VALUE: f64 = 1e-12;
/// Scaled residual that an event may leave; the projection takes it away.
pub(crate) const ACTION_RESIDUAL: f64 = 1e-9;
/// So many ratios of successive intervals must agree up to this for events to count as converging.
pub(crate) const STEADY_RATIO: (usize, f64) = (6, 0.02);
/// Converging events have arrived when this part of the span is left. Less is lost in the rounding of the state: a bounce
/// of duration d has the height g d^2/8.
pub(crate) const ACCUMULATED: f64 = 1e-7;
/// So many events ...
pub(crate) const CROWD: usize = 2000;
/// ... within this part of the span have no end.
pub(crate) const CROWDED: f64 = 1e-6;

// Discontinuities of constraint rows

/// Distance in time at which a discontinuity counts as reached.
pub(crate) const REACHED: f64 = 1e-10;
/// Least and greatest distance in time from a discontinuity at which rows are compared.
pub(crate) const COMPARED_AT: [f64; 2] = [1e-11, 1e-6];
/// The second distance, in parts of the first.
pub(crate) const COMPARED_FURTHER: f64 = 16.0;
/// A change that keeps this part of itself at the shorter distance is a jump; a slope keeps 1/16, a root 1/4.
pub(crate) const LASTING: f64 = 0.6;
/// How far ahead a step looks for jumps, in parts of itself.
pub(crate) const LOOK_AHEAD: f64 = 1.1;
/// Scaled change of a row, as residuals are scaled, below which pieces fit.
pub(crate) const FITTING: f64 = 1e-8;
/// Values of a switching function, relative to the state, that are rounding: a motion along the switch does not pass it.
pub(crate) const SWITCH_ROUNDING: f64 = 1e-14;
/// Part of a step on both sides of a switch over which the rate of the motion is taken.
pub(crate) const SWITCH_RATE: f64 = 0.01;

// Time events

/// Samples of a window beyond which it is halved.
pub(crate) const WINDOW_SAMPLES: usize = 400;
/// Shortest and longest window; between them it goes by the steps.
pub(crate) const WINDOW: [f64; 2] = [1.0 / 4096.0, 1.0 / 32.0];
/// The first window behind an instant, in times of the way to it.
pub(crate) const WINDOW_BEHIND: f64 = 2.5;
/// How many steps a window is long.
pub(crate) const WINDOW_STEPS: f64 = 8.0;
/// A window is not halved more often than this.
pub(crate) const MAX_HALVED: usize = 60;
/// Roundings of time by which a step stays away from a switch: the equations may round otherwise than the search does.
pub(crate) const TIME_ROUNDINGS: f64 = 4.0;
/// Times near zero are rounded as this part of the run.
pub(crate) const TIME_NEAR_ZERO: f64 = 1e-3;

// Contacts with friction

/// Changes of contacts within this time are at one instant.
pub(crate) const AT_ONCE: f64 = 1e-12;
/// Changes at one instant beyond which they are chatter.
pub(crate) const MAX_AT_ONCE: usize = 30;
/// A contact that comes to rest within this time keeps its direction until then.
pub(crate) const REST_SOON: f64 = 1e-11;
/// Speeds below this part of the largest so far are rest where another contact comes to rest.
pub(crate) const AT_REST: f64 = 1e-12;
/// A step towards rest does not go beyond this part of the way.
pub(crate) const APPROACH: f64 = 0.5;
/// A step this short is an instant where contacts begin to slide because they cannot all stick.
pub(crate) const SUDDEN: f64 = 1e-6;
/// Residual of a requirement (C1) where contacts stick: what cannot be reached must be noticed at every state.
pub(crate) const REACHED_WHILE_STICKING: f64 = 1e-6;

// Contacts with several components that begin to slide

/// Change of directions by which derivatives are taken.
pub(crate) const TURN: f64 = 1e-6;
/// Part of the time scale of the motion by which derivatives are taken.
pub(crate) const ONSET_MOMENT: f64 = 1e-5;
/// What answers to a turn by less than this part of the largest answer is led by the constraints, and does not turn.
pub(crate) const LED: f64 = 1e-6;
/// Part of the tolerance that the prescribed direction may be wrong by.
pub(crate) const ONSET_SHARE: f64 = 0.1;
/// The direction is prescribed for a part of the time in which the motion turns between these.
pub(crate) const ONSET: [f64; 2] = [1e-3, 0.02];
/// Part of that time that is left when it counts as over.
pub(crate) const ONSET_SLIVER: f64 = 1e-6;

// Start near a loss of rank

/// Margin at the start, relative to that around it, below which its acceleration is taken as a limit.
pub(crate) const DEGENERATE: f64 = 5e-3;
/// Margin at the start above which nothing around it is looked at.
pub(crate) const WELL_CONDITIONED: f64 = 0.2;
/// Scaled residuals at which a probe is near enough to the constraints: far less than its distance from the start.
pub(crate) const ON_CONSTRAINTS: f64 = 1e-12;
/// Directions weaker than this are not counted in the rank of projected rows.
pub(crate) const PROBED_RANK: f64 = 1e-6;
/// Number of probes.
pub(crate) const PROBES: usize = 9;
/// Number of probes that are near: two each at 1e-3, 1e-2 and 1e-1 of the size of the state; the others are further out.
pub(crate) const NEAR_PROBES: usize = 6;
/// Distance of the nearest probes, in parts of the state.
pub(crate) const NEAREST_PROBE: f64 = 1e-3;
/// Size of coordinates and speeds that are zero.
pub(crate) const LEAST_SIZE: f64 = 1e-2;
/// Rows that are this many times longer ten times further out vanish at the start: their length around is not known yet.
pub(crate) const GROWS: f64 = 3.0;
/// Shortest and longest distance from a degenerate start at which accelerations are taken, in parts of its time scale.
pub(crate) const LIMIT_DISTANCE: [f64; 2] = [1e-4, 0.2];
/// Factor by which that distance grows until accelerations can be trusted.
pub(crate) const LIMIT_GROWTH: f64 = 1.5;
/// Margin, relative to that around the start, at which accelerations can be trusted.
pub(crate) const LIMIT_MARGIN: f64 = 0.02;
/// Most iterations for the limit.
pub(crate) const MAX_LIMIT_ITERATIONS: usize = 12;
/// Change of the acceleration, relative to itself, at which the iteration ends, and above which there is no limit.
pub(crate) const LIMIT_CHANGE: [f64; 2] = [1e-9, 1e-5];
/// Acceleration that is added to the size of the acceleration, so that one that vanishes has a limit.
pub(crate) const LIMIT_SIZE: f64 = 1e-3;
/// First step from a degenerate start, in distances at which accelerations were taken.
pub(crate) const LIMIT_STEP: f64 = 10.0;
