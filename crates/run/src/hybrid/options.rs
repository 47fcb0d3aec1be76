//! What can be asked of an integration.

use super::Crossing;
use crate::acceleration::Baumgarte;
use std::fmt;
use std::str::FromStr;

/// Integration method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Dormand-Prince of order 8 with dense output of order 7.
    #[default]
    Dop853,
    /// Tsitouras of order 5 with dense output of order 4.
    Tsit5,
    /// Classical Runge-Kutta of order 4 with fixed step.
    Rk4,
    /// Radau IIA of order 5, implicit, for stiff systems.
    Radau,
    /// Variational of order 2 with fixed step: symplectic (Stoermer and Verlet; RATTLE with constraints).
    Variational2,
    /// Variational of order 4 with fixed step.
    Variational4,
    /// Variational of order 6 with fixed step.
    Variational6,
}

impl Method {
    /// All of them, in the order in which they are listed to people.
    pub const ALL: [Method; 7] = [
        Method::Dop853,
        Method::Tsit5,
        Method::Rk4,
        Method::Radau,
        Method::Variational2,
        Method::Variational4,
        Method::Variational6,
    ];

    /// The name used in options and files.
    pub fn name(self) -> &'static str {
        match self {
            Method::Dop853 => "dop853",
            Method::Tsit5 => "tsit5",
            Method::Rk4 => "rk4",
            Method::Radau => "radau",
            Method::Variational2 => "variational2",
            Method::Variational4 => "variational4",
            Method::Variational6 => "variational6",
        }
    }

    /// Whether it works from the Lagrangian, by Hamilton's principle.
    pub fn is_variational(self) -> bool {
        matches!(self, Method::Variational2 | Method::Variational4 | Method::Variational6)
    }

    /// Whether its steps all have the same length, [`Options::fixed_step`].
    pub fn has_fixed_step(self) -> bool {
        self == Method::Rk4 || self.is_variational()
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A method name that is not known; its message lists those that are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownMethod(pub String);

impl fmt::Display for UnknownMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown method `{}`; known: ", self.0)?;
        for (i, method) in Method::ALL.iter().enumerate() {
            write!(f, "{}{method}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownMethod {}

impl FromStr for Method {
    type Err = UnknownMethod;

    /// ```
    /// use dalembert_run::Method;
    /// assert_eq!("radau".parse(), Ok(Method::Radau));
    /// let error = "euler".parse::<Method>().unwrap_err();
    /// assert_eq!(error.to_string(), "unknown method `euler`; known: dop853, tsit5, rk4, radau, variational2, variational4, variational6");
    /// ```
    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        Method::ALL.into_iter().find(|m| m.name() == name).ok_or_else(|| UnknownMethod(name.into()))
    }
}

/// When rows are given to the observer. The start and the end are always given.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Output {
    /// At every accepted step.
    #[default]
    Steps,
    /// At start, start + interval, start + 2 interval, ...
    Every(f64),
    /// At every accepted step and at every interval.
    StepsAndEvery(f64),
    /// At these times (in the order of the motion; those outside it are left out).
    Times(Vec<f64>),
    /// Only start and end.
    Ends,
}

/// What to do about the event function with the same index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventRule {
    /// Which sign changes count.
    pub crossing: Crossing,
    /// Whether the motion ends there.
    pub stop: bool,
}

/// Everything that can be asked of [`crate::integrate()`].
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Integration method.
    pub method: Method,
    /// Relative tolerance of each state component, a step.
    pub rtol: f64,
    /// Absolute tolerance of each state component, a step.
    pub atol: f64,
    /// First step; chosen from the equations if absent.
    pub h_initial: Option<f64>,
    /// Largest step.
    pub h_max: Option<f64>,
    /// Smallest step, relative to max(|t|, |t_end - t_start|); below it the run fails with `StepTooSmall`.
    pub h_min_relative: f64,
    /// Budget of attempted steps.
    pub max_steps: usize,
    /// Step of fixed-step methods; the output interval, or 1/1000 of the span, if absent.
    pub fixed_step: Option<f64>,
    /// Constraint stabilisation in place of, or besides, projection.
    pub baumgarte: Option<Baumgarte>,
    /// Whether states are projected onto the constraints.
    pub projection: bool,
    /// Whether singular configurations are stepped over (see [`crate::constraint::singular`]); off is for comparison.
    pub singular_care: bool,
    /// When rows are wanted.
    pub output: Output,
    /// One rule for each event function; functions beyond the list are not watched.
    pub events: Vec<EventRule>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            method: Method::Dop853,
            rtol: 1e-10,
            atol: 1e-12,
            h_initial: None,
            h_max: None,
            h_min_relative: 1e-14,
            max_steps: 10_000_000,
            fixed_step: None,
            baumgarte: None,
            projection: true,
            singular_care: true,
            output: Output::Steps,
            events: Vec::new(),
        }
    }
}

/// The output times, walked once in the order of the motion.
pub(crate) struct OutputTimes {
    output: Output,
    t_start: f64,
    direction: f64,
    /// Index of the next time.
    next: usize,
}

impl OutputTimes {
    /// From the start towards `t_end`; the start itself is not part of it.
    pub fn new(output: &Output, t_start: f64, t_end: f64) -> Self {
        let direction = if t_end < t_start { -1.0 } else { 1.0 };
        let mut output = output.clone();
        match &mut output {
            Output::Every(interval) | Output::StepsAndEvery(interval) => *interval = interval.abs(),
            Output::Times(times) => {
                times.retain(|t| (t - t_start) * direction > 0.0);
                times.sort_by(|a, b| (a * direction).total_cmp(&(b * direction)));
            }
            Output::Steps | Output::Ends => {}
        }
        let next = usize::from(!matches!(output, Output::Times(_)));
        Self { output, t_start, direction, next }
    }

    /// Whether every accepted step is a row.
    pub fn every_step(&self) -> bool {
        matches!(self.output, Output::Steps | Output::StepsAndEvery(_))
    }

    /// The next time due, if any.
    pub fn peek(&self) -> Option<f64> {
        match &self.output {
            Output::Every(interval) | Output::StepsAndEvery(interval)
                if *interval > 0.0 && interval.is_finite() =>
            {
                Some(self.t_start + self.direction * self.next as f64 * interval)
            }
            Output::Times(times) => times.get(self.next).copied(),
            _ => None,
        }
    }

    /// The next time due not after `t` (within `slack`), and moves on.
    pub fn pop_until(&mut self, t: f64, slack: f64) -> Option<f64> {
        let due = self.peek()?;
        if (due - t) * self.direction > slack {
            return None;
        }
        self.next += 1;
        Some(due)
    }
}
