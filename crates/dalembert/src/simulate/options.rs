//! What a run is to do: the request, the model's `simulate` statement, and defaults, in this order.

use super::Request;
use super::record::KINDS;
use crate::workspace::Workspace;
use dalembert_run::{Baumgarte, Crossing, EventRule, Method, Options, Output, UnknownMethod};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;

/// Rows a run gives when no spacing is asked for.
const DEFAULT_INTERVALS: f64 = 500.0;
/// Tables larger than this many numbers are refused before the run.
const MAX_TABLE: f64 = 1e8;

/// Relative tolerances that make sense: below, rounding decides; above, an error is no small part of its value.
const RTOL: (f64, f64) = (1e-15, 0.5);
/// The largest absolute tolerance. It is positive: for a value that is zero nothing else says what error is small.
const MAX_ATOL: f64 = 1e6;

/// What a request comes to for a model.
pub struct Resolved {
    /// End time.
    pub until: f64,
    /// Options of the integrator.
    pub options: Options,
}

impl Workspace {
    /// End time and options of the integrator, from the request, the model's `run` statement and defaults.
    pub fn options(&mut self, request: &Request) -> Result<Resolved, Box<Diagnostic>> {
        let run = self.system.experiment.run.clone();
        let mut stated = |e: Option<dalembert_expr::Expr>| e.map(|e| self.constant(e));
        let until = request.until.or_else(|| stated(run.as_ref().map(|r| r.until)));
        let every = request.every.or_else(|| stated(run.as_ref().and_then(|r| r.every)));
        let tolerance = stated(run.as_ref().and_then(|r| r.tolerance));
        let Some(until) = until else {
            let d = Diagnostic::error(Code::BadOption, None, "no end time is given for the simulation");
            return Err(Box::new(d.help("write `simulate until 10` in the model, or give `--until 10`")));
        };
        // What was asked for from outside has no place in the model.
        let place = |asked: Option<f64>| run.as_ref().map(|r| r.span).filter(|_| asked.is_none());
        let begin = request.start.as_ref().map_or(0.0, |start| start.t);
        if !until.is_finite() || until <= begin {
            let help = format!("runs start at t = {begin} and go forward");
            return bad(place(request.until), "the end time", until, &help);
        }
        if let Some(every) = every
            && !(every.is_finite() && every > 0.0)
        {
            return bad(place(request.every), "the spacing of the output", every, "give a positive number");
        }
        for (what, given) in [("the step", request.step), ("the interval of held control", request.hold)] {
            if let Some(value) = given.filter(|v| !(v.is_finite() && *v > 0.0)) {
                return bad(None, what, value, "give a positive number");
            }
        }
        if let Some((alpha, beta)) = request.baumgarte.filter(|(a, b)| !(a.is_finite() && b.is_finite())) {
            let gain = if alpha.is_finite() { beta } else { alpha };
            return bad(None, "a gain of Baumgarte's stabilisation", gain, "give finite numbers");
        }
        if request.hold.is_some() && self.system.control.rows.is_empty() {
            let d = Diagnostic::error(Code::BadOption, None, "the model has no control that could be held");
            return Err(Box::new(d.help("require something with `require`, or leave `--hold` out")));
        }
        let forces = if request.forces { KINDS * self.form.speeds.len() } else { 0 };
        let added = self.form_columns(request.form).len();
        let width =
            1.0 + (self.state_names().len() + added + self.system.experiment.outputs.len() + forces) as f64;
        let spacing = every.unwrap_or((until - begin) / DEFAULT_INTERVALS);
        if spacing == 0.0 {
            let help = "so short a run has no room for rows; choose a later end";
            return bad(place(request.until), "the end time", until, help);
        }
        if (until - begin) / spacing * width > MAX_TABLE {
            let help = "that would be more numbers than fit in memory; choose a larger one";
            return bad(place(request.every), "the spacing of the output", spacing, help);
        }
        let defaults = Options::default();
        let rtol = request.rtol.or(tolerance).unwrap_or(defaults.rtol);
        let atol = request.atol.unwrap_or(rtol * (defaults.atol / defaults.rtol));
        let (least, most) = RTOL;
        if !(least..=most).contains(&rtol) {
            let help = format!("choose a relative tolerance from {least:e} to {most}");
            return bad(place(request.rtol), "the tolerance", rtol, &help);
        }
        if !(atol > 0.0 && atol <= MAX_ATOL) {
            let help = format!(
                "choose a positive number up to {MAX_ATOL:e}, in the units of the state: it alone counts where a value is zero"
            );
            return bad(place(request.atol), "the absolute tolerance", atol, &help);
        }
        let named = request
            .method
            .clone()
            .map(|m| (m, None))
            .or(run.and_then(|r| r.method.map(|(m, s)| (m, Some(s)))));
        let method = match named {
            None => Method::default(),
            Some((name, span)) => name.parse().map_err(|error: UnknownMethod| {
                Box::new(Diagnostic::error(Code::BadOption, span, error.to_string()))
            })?,
        };
        if request.step.is_some() && !method.has_fixed_step() {
            let message = format!("`{method}` chooses its steps itself");
            let help = "`--step` is for rk4, variational2, variational4 and variational6; tolerances rule the others";
            return Err(Box::new(Diagnostic::error(Code::BadOption, None, message).help(help)));
        }
        let rule = |e: &crate::system::Event| EventRule {
            crossing: match e.rising {
                Some(true) => Crossing::Rising,
                Some(false) => Crossing::Falling,
                None => Crossing::Both,
            },
            stop: e.stop,
        };
        let options = Options {
            method,
            rtol,
            atol,
            output: request.times.clone().map_or(Output::Every(spacing), Output::Times),
            fixed_step: method.has_fixed_step().then_some(request.step.unwrap_or(spacing)),
            baumgarte: request.baumgarte.map(|(alpha, beta)| Baumgarte { alpha, beta }),
            projection: request.baumgarte.is_none(),
            max_steps: request.max_steps.unwrap_or(defaults.max_steps),
            events: self.system.experiment.events.iter().map(rule).collect(),
            ..defaults
        };
        Ok(Resolved { until, options })
    }

    /// The end time that the model's `simulate` statement gives, with the parameters as they are.
    pub fn end_time(&mut self) -> Option<f64> {
        let until = self.system.experiment.run.as_ref().map(|run| run.until)?;
        Some(self.constant(until)).filter(|t| t.is_finite() && *t > 0.0)
    }
}

/// Refuses a number.
fn bad<T>(place: Option<Span>, what: &str, value: f64, help: &str) -> Result<T, Box<Diagnostic>> {
    // Hundreds of zeros are no number for people.
    let plain = value == 0.0 || !value.is_finite() || (1e-6..1e15).contains(&value.abs());
    let value = if plain { format!("{value}") } else { format!("{value:e}") };
    let message = format!("{what} cannot be {value}");
    Err(Box::new(Diagnostic::error(Code::BadOption, place, message).help(help)))
}
