//! What an integration gives: rows as they come, and how it ended.

use crate::{AccelerationError, ContactModes, Point, Solution, State, Terms};

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Stop here; the outcome is [`Stop::Cancelled`].
    Cancel,
}

/// Direction of a sign change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Crossing {
    /// From negative to positive.
    Rising,
    /// From positive to negative.
    Falling,
    /// Either.
    #[default]
    Both,
}

/// A row of the motion. At an event there is a row too, with its index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<'a> {
    /// Time.
    pub t: f64,
    /// Configuration, on the constraints.
    pub x: &'a [f64],
    /// Speeds, on the constraints.
    pub eta: &'a [f64],
    /// The event that put the row here, if one did.
    pub event: Option<EventHit>,
    /// Which contacts stick.
    pub modes: &'a ContactModes,
    /// Control inputs that are held or come from another model; empty where the system's own requirements give them.
    pub inputs: &'a [f64],
    /// Integrals along the motion since the start, n_quadrature.
    pub integrals: &'a [f64],
    /// Where sensitivities are followed, for each direction: change of the time of the event that put the row here (0
    /// without one), of x, of eta, of outputs.
    pub sensitivity: &'a [f64],
    /// Accelerations and forces there, if the observer wants them ([`Observer::wants_solution`]).
    pub solved: Option<Result<SolvedRow<'a>, &'a AccelerationError>>,
}

/// Accelerations and forces at a row, as they are reported: natural constraints apart from contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolvedRow<'a> {
    /// x', M, Q, A, b of the natural system.
    pub terms: &'a Terms,
    /// Accelerations, multipliers, forces of each kind.
    pub solution: &'a Solution,
}

/// A contact that began to stick or to slide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactChange {
    /// Which.
    pub contact: usize,
    /// Whether it sticks now.
    pub sticks: bool,
}

/// An event that was located.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventHit {
    /// Index of the event function.
    pub index: usize,
    /// When.
    pub t: f64,
    /// Whether its function rises there.
    pub rising: bool,
}

/// Where the run is, after each accepted step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Time reached.
    pub t: f64,
    /// Last step size.
    pub h: f64,
    /// Work so far.
    pub counters: Counters,
}

/// Receives rows. Any `FnMut(Row)` is one.
pub trait Observer {
    /// A row, in the order of time; event rows included.
    fn row(&mut self, row: Row<'_>);

    /// Whether rows, or those at an event, are to have their accelerations and forces. They are solved for once.
    fn wants_solution(&self, event: Option<EventHit>) -> bool {
        let _ = event;
        false
    }

    /// A contact began to stick, to slide, or to slide the other way, at time `t`.
    fn contact(&mut self, t: f64, change: ContactChange) {
        let _ = (t, change);
    }

    /// A control input has reached a bound at time `t`, or has left it.
    fn saturation(&mut self, t: f64, input: usize, at_bound: bool) {
        let _ = (t, input, at_bound);
    }

    /// An event has changed the state: that before it and that behind it, at the same time.
    fn jump(&mut self, before: Point<'_>, after: Point<'_>) {
        let _ = (before, after);
    }

    /// After each accepted step; return [`Flow::Cancel`] to stop.
    fn progress(&mut self, progress: &Progress) -> Flow {
        let _ = progress;
        Flow::Continue
    }
}

impl<F: FnMut(Row<'_>)> Observer for F {
    fn row(&mut self, row: Row<'_>) {
        self(row);
    }
}

/// Work done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Accepted steps.
    pub steps: usize,
    /// Rejected steps.
    pub rejected: usize,
    /// Evaluations of the acceleration.
    pub evaluations: usize,
    /// Jacobians (implicit methods).
    pub jacobians: usize,
    /// Factorisations of the iteration matrices (implicit methods).
    pub factorisations: usize,
    /// Projections that moved a state.
    pub projections: usize,
    /// Rank losses stepped over.
    pub rank_crossings: usize,
    /// Steps chosen again to keep clear of a rank loss.
    pub singular_retries: usize,
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// The end time was reached.
    EndTime,
    /// A stopping event.
    Event(EventHit),
    /// The observer asked for it.
    Cancelled,
    /// It could not go on.
    Failed(Failure),
}

/// Why a motion has no derivative by its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum NotDifferentiable {
    /// An event function of the model vanishes with its rate: a little more or less, and there is no event.
    GrazingEvent(usize),
    /// The function that ends the mode of a contact vanishes with its rate.
    GrazingContact(usize),
    /// A force or a rate jumps where the motion only touches the switch.
    GrazingSwitch,
    /// Contacts change in a way that no function of theirs announces.
    Unannounced,
    /// The function of an event of the model jumps through zero: what makes it jump decides the time.
    JumpedEvent(usize),
    /// What is set at an event has no derivative.
    Reset(usize),
    /// A direction breaks a constraint row: it cannot be varied alone.
    CannotVary {
        /// The direction.
        direction: usize,
        /// The row.
        row: usize,
    },
    /// A combination of force laws that is not differentiated.
    Refused(crate::kernel::Refusal),
    /// There is no acceleration at a state nearby.
    Acceleration(AccelerationError),
    /// The equations of the sensitivities take too many steps.
    TooManySteps,
}

/// Why a run could not go on.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The step fell below the smallest allowed.
    StepTooSmall {
        /// Time.
        t: f64,
        /// Step.
        h: f64,
        /// Index in (x, eta) of the component with the largest error.
        fastest: usize,
    },
    /// The equations of a step of fixed length were not solved.
    StepNotSolved {
        /// Time.
        t: f64,
        /// Step.
        h: f64,
    },
    /// The state or its derivative left the finite numbers.
    NotFinite {
        /// Time.
        t: f64,
        /// Index in (x, eta).
        index: usize,
    },
    /// No acceleration at a state that cannot be avoided.
    Acceleration(AccelerationError),
    /// The state could not be brought onto the constraints.
    ProjectionFailed {
        /// Time.
        t: f64,
        /// Row with the largest residual.
        row: usize,
        /// Its scaled residual.
        residual: f64,
    },
    /// The start sits where the constraints lose rank and the motion from there is not determined by them.
    DegenerateStart {
        /// Time.
        t: f64,
        /// Rank at the start.
        rank: usize,
        /// Rank around it.
        generic_rank: usize,
    },
    /// A constraint jumps at a switch, or what it demands of the speeds does.
    ConstraintJump {
        /// Time; the state is the last one before it.
        t: f64,
        /// Its row.
        row: usize,
        /// Of the speeds: going on would take an impact. Otherwise positions would have to jump.
        of_speeds: bool,
        /// By how much the row jumps, in its own unit.
        jump: f64,
    },
    /// Events follow each other ever faster.
    Accumulation {
        /// Time reached.
        t: f64,
        /// The last of them.
        event: usize,
        /// Where they accumulate, as far as that can be told.
        limit: f64,
    },
    /// Events at one instant assign different values to a variable.
    Contradiction {
        /// Time.
        t: f64,
        /// Index in (x, eta).
        variable: usize,
        /// The two events.
        events: [usize; 2],
    },
    /// What an event assigns does not satisfy a constraint.
    OffConstraints {
        /// Time.
        t: f64,
        /// The event.
        event: usize,
        /// Row of the constraint.
        row: usize,
        /// Its scaled residual.
        residual: f64,
        /// Whether it is the speeds that do not satisfy it.
        of_rate: bool,
    },
    /// A contact changes between sticking and sliding without end.
    Chatter {
        /// Time.
        t: f64,
        /// The contact.
        contact: usize,
    },
    /// The budget of steps is spent.
    TooManySteps {
        /// Time reached.
        t: f64,
        /// Steps spent.
        steps: usize,
    },
    /// Sensitivities cannot be followed any further.
    NotDifferentiable {
        /// Time.
        t: f64,
        /// Why.
        reason: NotDifferentiable,
    },
    /// The arguments do not fit the kernel: wrong lengths, or times that are not numbers.
    BadArguments {
        /// Which.
        what: &'static str,
    },
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::StepTooSmall { t, h, .. } => write!(f, "the step size fell to {h:.2e} at t = {t}"),
            Failure::StepNotSolved { t, h } => write!(f, "a step of {h:.2e} was not solved at t = {t}"),
            Failure::NotFinite { t, index } => {
                write!(f, "component {index} of the state is not finite at t = {t}")
            }
            Failure::Acceleration(error) => error.fmt(f),
            Failure::ProjectionFailed { t, row, residual } => {
                write!(
                    f,
                    "projection failed at t = {t}: constraint row {row} has a scaled residual of {residual:.2e}"
                )
            }
            Failure::DegenerateStart { t, rank, generic_rank } => {
                write!(f, "the constraints have rank {rank} at the start t = {t}, {generic_rank} around it")
            }
            Failure::ConstraintJump { t, row, jump, .. } => {
                write!(f, "constraint row {row} jumps by {jump:.2e} at t = {t}")
            }
            Failure::Accumulation { t, event, limit } => {
                write!(f, "event {event} happens ever faster at t = {t}, without end before t = {limit}")
            }
            Failure::Contradiction { t, variable, events: [a, b] } => {
                write!(f, "events {a} and {b} assign different values to component {variable} at t = {t}")
            }
            Failure::OffConstraints { t, event, row, residual, .. } => {
                write!(
                    f,
                    "event {event} leaves constraint row {row} with a scaled residual of {residual:.2e} at t = {t}"
                )
            }
            Failure::Chatter { t, contact } => {
                write!(f, "contact {contact} changes between sticking and sliding without end at t = {t}")
            }
            Failure::TooManySteps { t, steps } => write!(f, "{steps} steps reached only t = {t}"),
            Failure::NotDifferentiable { t, .. } => write!(f, "the motion has no derivative at t = {t}"),
            Failure::BadArguments { what } => write!(f, "the arguments do not fit the system: {what}"),
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Failure::Acceleration(error) => Some(error),
            _ => None,
        }
    }
}

/// How a run ended, what it cost and how well it kept the constraints.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Why it ended.
    pub stop: Stop,
    /// Work done.
    pub counters: Counters,
    /// Largest scaled position residual of any row given out.
    pub largest_position_residual: f64,
    /// Largest scaled velocity residual of any row given out.
    pub largest_velocity_residual: f64,
    /// Smallest conditioning of the constraints met at an accepted step (see [`crate::Solution::margin`]).
    pub smallest_margin: f64,
    /// Rank of the constraints along the motion, apart from isolated instants.
    pub generic_rank: usize,
    /// Whether the start sat on a rank loss and its acceleration was found as a limit along the branch.
    pub degenerate_start: bool,
    /// How often a contact began to stick or to slide.
    pub contact_changes: usize,
    /// Last state reached.
    pub state: State,
}

impl Outcome {
    /// Of a run that has done nothing yet.
    pub(super) fn new(stop: Stop, start: &State) -> Self {
        Self {
            stop,
            counters: Counters::default(),
            largest_position_residual: 0.0,
            largest_velocity_residual: 0.0,
            smallest_margin: 1.0,
            generic_rank: 0,
            degenerate_start: false,
            contact_changes: 0,
            state: start.clone(),
        }
    }
}
