//! Who follows a motion step by step, with its dense output and everything that happens between steps: sensitivities.

use super::{EventHit, Failure};
use crate::ContactModes;

/// A state that the motion has reached.
#[derive(Clone, Copy)]
pub struct Moment<'a> {
    /// Time.
    pub t: f64,
    /// Coordinates, then speeds.
    pub y: &'a [f64],
    /// Which contacts stick.
    pub modes: &'a ContactModes,
    /// The stretch of time between switches in which derivatives are taken.
    pub stretch: [f64; 2],
}

/// The stages of a step of DOP853.
#[derive(Clone, Copy)]
pub struct StepStages<'a> {
    /// Where it begins.
    pub t: f64,
    /// Its length, signed.
    pub h: f64,
    /// The state where it begins.
    pub y: &'a [f64],
    /// The state where it ends.
    pub y_new: &'a [f64],
    /// The derivatives of its stages one after the other; behind them those of the dense output where there is one.
    pub k: &'a [f64],
    /// The stretch of time between switches in which it lies.
    pub stretch: [f64; 2],
}

/// A step with its dense output.
#[derive(Clone, Copy)]
pub struct FollowedStep<'a> {
    /// Where it begins.
    pub t: f64,
    /// Its length, signed.
    pub h: f64,
    /// Which contacts stick in it.
    pub modes: &'a ContactModes,
    /// The stretch of time between switches in which it lies.
    pub stretch: [f64; 2],
    /// Its stages, where the method is DOP853 and they are what it says.
    pub stages: Option<StepStages<'a>>,
    /// Whether it has a dense output.
    pub has_dense: bool,
    /// The state at a fraction of it; that of the end without a dense output too.
    pub inside: &'a dyn Fn(f64, &mut [f64]),
}

/// What a motion has come to between two steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Guard {
    /// An event function of the model, by index.
    Event(usize),
    /// The function that ends the mode of a contact.
    Contact(usize),
    /// An instant at which time switches something.
    Time,
}

impl Guard {
    /// The event, if it is one of the model.
    pub fn event(&self) -> Option<usize> {
        if let Guard::Event(event) = self { Some(*event) } else { None }
    }
}

/// Follows a motion. The order of calls is that of the motion: `begin`, then `advance`, `row` and `cross`.
pub trait Follower {
    /// The motion begins here.
    fn begin(&mut self, at: Moment<'_>) -> Result<(), Failure>;

    /// A step was accepted: whether it can be followed as a whole without a dense output.
    fn anticipate(&mut self, step: &FollowedStep<'_>) -> bool {
        let _ = step;
        false
    }

    /// The motion goes on to a time inside a step, or to its end.
    fn advance(&mut self, step: &FollowedStep<'_>, until: f64) -> Result<(), Failure>;

    /// What belongs to a row at the time reached, at an event if there is one.
    fn row(&mut self, at: Moment<'_>, integrals: &[f64], event: Option<EventHit>) -> Result<&[f64], Failure>;

    /// Guards have vanished together at `before`, at least one, and the motion goes on from `after`.
    fn cross(&mut self, guards: &[Guard], before: Moment<'_>, after: Moment<'_>) -> Result<(), Failure>;
}
