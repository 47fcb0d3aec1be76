//! The motion: from a start to an end time, with projection, events and dense output.
//!
//! [`integrate()`] is the door. Rows go to an [`Observer`] as they come, so that a failure loses nothing. Explicit
//! methods `dop853`, `tsit5`, `rk4`, the implicit `radau` and the structure-preserving `variational2`, `4`, `6` share one
//! driver. Whatever can happen to a motion besides its equations is a source of events; singular configurations are the
//! subject of [`crate::constraint::singular`].

mod contact_modes;
mod controller;
mod discontinuities;
mod driver;
pub(crate) mod events;
pub(crate) mod follower;
mod integration;
mod methods;
mod one_step;
pub(crate) mod options;
pub(crate) mod outcome;
mod right_hand_side;
mod rows;
pub(crate) mod rules;
mod saturation;
mod singular_start;
mod slip_onset;
mod source;
mod time_events;
pub(crate) mod tolerances;
mod user_events;

pub use controller::Controller;
pub use follower::{FollowedStep, Follower, Guard, Moment, StepStages};
pub use one_step::OneStep;
pub use options::{EventRule, Method, Options, Output, UnknownMethod};
pub use outcome::{
    ContactChange, Counters, Crossing, EventHit, Failure, Flow, NotDifferentiable, Observer, Outcome,
    Progress, Row, SolvedRow, Stop,
};

use crate::{Capabilities, Dynamics, Level, State};

/// Moves `kernel` from `start` to `t_end` (which may lie before the start).
///
/// Never panics on numbers; every way to end is a [`Stop`]. The start is projected onto the constraints (unless
/// projection is off); use [`crate::find_start`] for a guess. After each accepted step the state is projected, and so is
/// every row given out.
pub fn integrate(
    kernel: &dyn Dynamics,
    start: &State,
    t_end: f64,
    options: &Options,
    observer: &mut dyn Observer,
) -> Outcome {
    integrate_controlled(kernel, &Controller::default(), start, t_end, options, observer)
}

/// Moves `kernel` from `start` to `t_end` with a controller that uses another model, or samples at intervals.
pub fn integrate_controlled(
    kernel: &dyn Dynamics,
    controller: &Controller<'_>,
    start: &State,
    t_end: f64,
    options: &Options,
    observer: &mut dyn Observer,
) -> Outcome {
    integrate_followed(kernel, controller, start, t_end, options, observer, None)
}

/// Moves `kernel` as [`integrate_controlled`] does, with somebody who follows every step.
pub fn integrate_followed<'a>(
    kernel: &'a dyn Dynamics,
    controller: &Controller<'a>,
    start: &State,
    t_end: f64,
    options: &'a Options,
    observer: &'a mut dyn Observer,
    follower: Option<&'a mut (dyn Follower + 'a)>,
) -> Outcome {
    let bad = bad_arguments(kernel, start, t_end, options).or_else(|| bad_controller(kernel, controller));
    match bad {
        None => driver::Driver::new(kernel, controller, start, t_end, options, observer, follower).run(),
        Some(what) => Outcome::new(Stop::Failed(Failure::BadArguments { what }), start),
    }
}

/// Variables up to which an implicit method has room for its matrices (a gigabyte).
const MAX_IMPLICIT: usize = 5000;

fn bad_controller(kernel: &dyn Dynamics, controller: &Controller<'_>) -> Option<&'static str> {
    if controller.hold.is_some_and(|hold| !(hold > 0.0 && hold.is_finite())) {
        return Some("interval of the control");
    }
    let other = |model: &dyn Dynamics| {
        let contacts = |kernel: &dyn Dynamics| kernel.capabilities().contact_list().to_vec();
        model.shape() != kernel.shape() || contacts(model) != contacts(kernel)
    };
    controller.model.is_some_and(other).then_some("controller's model of another shape")
}

fn bad_arguments(
    kernel: &dyn Dynamics,
    start: &State,
    t_end: f64,
    options: &Options,
) -> Option<&'static str> {
    let shape = kernel.shape();
    let positive = |v: f64| v > 0.0 && v.is_finite();
    let checks = [
        (start.x.len() == shape.n_x, "configuration length"),
        (start.eta.len() == shape.n_eta, "speeds length"),
        (kernel.levels().len() == shape.n_con, "levels length"),
        (!shape.identity_frame || shape.n_x == shape.n_eta, "identity frame with n_x != n_eta"),
        (start.t.is_finite() && t_end.is_finite(), "time"),
        (positive(options.rtol), "rtol"),
        (positive(options.atol), "atol"),
        (options.h_max.is_none_or(positive), "h_max"),
        (options.h_initial.is_none_or(positive), "h_initial"),
        (options.fixed_step.is_none_or(positive), "fixed_step"),
        (options.h_min_relative >= 0.0, "h_min_relative"),
        (
            !options.method.is_variational() || fits_variational(kernel),
            "a variational method for this system",
        ),
        (
            options.method != Method::Radau || shape.n_x + shape.n_eta <= MAX_IMPLICIT,
            "method for so many variables",
        ),
    ];
    checks.into_iter().find(|(good, _)| !good).map(|(_, what)| what)
}

/// Hamilton's principle speaks of a Lagrangian in the rates of coordinates, and of constraints on positions.
fn fits_variational(kernel: &dyn Dynamics) -> bool {
    let shape = kernel.shape();
    let Capabilities { nonideal, lagrangian, .. } = kernel.capabilities();
    let plain = shape.identity_frame && nonideal.is_none() && shape.n_contact == 0 && shape.n_require == 0;
    plain && lagrangian.is_some() && kernel.levels().iter().all(|level| *level == Level::Position)
}
