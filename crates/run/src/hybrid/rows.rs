//! Rows of the motion as they are given out, and integrals along it.

use super::integration::Integration;
use super::options::OutputTimes;
use super::tolerances::SAME_TIME;
use super::{EventHit, Row, SolvedRow};
use crate::{AccelerationError, ContactModes, ControlInput, Point, Reporter, StickingKernel};
use dalembert_linalg::axpy;

/// Gauss-Legendre nodes and weights on (0, 1), five of them: order ten.
const NODES: [(f64, f64); 5] = [
    (0.046_910_077_030_668, 0.118_463_442_528_094_54),
    (0.230_765_344_947_158_45, 0.239_314_335_249_683_23),
    (0.5, 0.284_444_444_444_444_45),
    (0.769_234_655_052_841_5, 0.239_314_335_249_683_23),
    (0.953_089_922_969_332, 0.118_463_442_528_094_54),
];

/// When rows are due, and what they have besides the state.
pub(super) struct Rows {
    times: OutputTimes,
    /// Time of the last row.
    pub last: f64,
    /// Integrals along the motion, their rates, and how far they have come.
    integrals: Vec<f64>,
    rates: Vec<f64>,
    integrated_to: f64,
    reporter: RowReporter,
}

impl Rows {
    pub fn new(run: &Integration<'_>) -> Self {
        let zero = vec![0.0; run.field.shape.n_quadrature];
        Self {
            times: OutputTimes::new(&run.options.output, run.t_start, run.t_end),
            last: f64::NAN,
            integrals: zero.clone(),
            rates: zero,
            integrated_to: run.t_start,
            reporter: RowReporter::default(),
        }
    }

    /// Whether there are integrals along the motion.
    pub fn has_integrals(&self) -> bool {
        !self.integrals.is_empty()
    }

    /// Whether every step is a row.
    pub fn every_step(&self) -> bool {
        self.times.every_step()
    }

    /// Whether a row is due inside a step of length `h` that ends at `t_new`, or at its end.
    pub fn due(&self, t_new: f64, h: f64) -> bool {
        self.times.peek().is_some_and(|due| (due - t_new) * h.signum() <= SAME_TIME * h.abs())
    }

    /// Whether a row is due before the end of that step, so that its dense output is needed.
    pub fn due_inside(&self, t_new: f64, h: f64) -> bool {
        self.times.peek().is_some_and(|due| (due - t_new) * h.signum() <= 0.0)
    }

    /// Rows due up to `until`, from the dense output; integrals go on to there. Inside the step nothing that is due later
    /// comes early, so that rows and events stay in the order of the motion.
    pub fn give_due(&mut self, run: &mut Integration<'_>, until: f64, t_new: f64, h: f64) {
        let slack = if until == t_new { SAME_TIME * h.abs() } else { 0.0 };
        while let Some(due) = self.times.pop_until(until, slack) {
            // The end is given by its step, once.
            if self.times.every_step() && (due - t_new).abs() <= SAME_TIME * h.abs() {
                continue;
            }
            self.integrate_to(run, due, t_new, h);
            run.dense_row(due, t_new, h);
            self.give(run, due, None);
        }
        self.integrate_to(run, until, t_new, h);
    }

    /// Rows due before an instant of so short a duration, from the dense output; integrals go on to it.
    pub fn give_before(&mut self, run: &mut Integration<'_>, until: f64, instant: f64, t_new: f64, h: f64) {
        while let Some(due) = self.times.pop_until(until, -instant) {
            self.integrate_to(run, due, t_new, h);
            run.dense_row(due, t_new, h);
            self.give(run, due, None);
        }
        self.integrate_to(run, until, t_new, h);
    }

    /// Rows due at the state that is reached, within an instant of so short a duration.
    pub fn give_here(&mut self, run: &mut Integration<'_>, instant: f64) {
        while let Some(due) = self.times.pop_until(run.t, instant) {
            run.row.copy_from_slice(&run.y);
            self.give(run, due, None);
        }
        if self.times.every_step() {
            self.give_now(run, None);
        }
    }

    /// Carries the integrals along the motion on to a time inside the step.
    fn integrate_to(&mut self, run: &mut Integration<'_>, until: f64, t_new: f64, h: f64) {
        let (from, span) = (self.integrated_to, until - self.integrated_to);
        if self.integrals.is_empty() || span == 0.0 {
            return;
        }
        let Some(quadratures) = run.field.kernel.base_capabilities().quadratures else { return };
        for (node, weight) in NODES {
            let t = from + node * span;
            run.dense_row(t, t_new, h);
            // Without an acceleration (a rank loss on the way) the last one stands in: an instant has no weight.
            let _ = run.field.report(t, &run.row);
            let at = run.field.point(t, &run.row);
            quadratures.rates(at, run.field.reported(), &mut run.scratch, &mut self.rates);
            axpy(weight * span, &self.rates, &mut self.integrals);
        }
        self.integrated_to = until;
    }

    /// Gives out the state that is reached.
    pub fn give_now(&mut self, run: &mut Integration<'_>, event: Option<EventHit>) {
        run.row.copy_from_slice(&run.y);
        let t = run.t;
        self.give(run, t, event);
    }

    /// Gives out the state in `run.row`.
    pub fn give(&mut self, run: &mut Integration<'_>, t: f64, event: Option<EventHit>) {
        let sensitivity = match run.follower {
            Some(_) => run.followed_row(t, &self.integrals, event),
            None => Vec::new(),
        };
        let at = run.field.point(t, &run.row);
        run.field.projector.measure(&run.field.kernel, at);
        let left = run.field.projector.residuals(&run.field.kernel, at);
        let o = &mut run.outcome;
        o.largest_position_residual = o.largest_position_residual.max(left.position);
        o.largest_velocity_residual = o.largest_velocity_residual.max(left.velocity);
        // Rows of events are not among those that were asked for.
        self.last = if event.is_none() { t } else { self.last };
        let inputs = run.field.controller.inputs_at(at);
        let wanted = run.observer.wants_solution(event);
        let solved = wanted.then(|| self.reporter.solve(&run.field.kernel, at, &inputs));
        run.observer.row(Row {
            t,
            x: at.x,
            eta: at.eta,
            event,
            modes: run.field.kernel.modes(),
            inputs: &inputs,
            integrals: &self.integrals,
            sensitivity: &sensitivity,
            solved: solved.as_ref().map(|solved| solved.as_ref().copied()),
        });
    }
}

/// Accelerations and forces at rows. A row is judged by itself (U6): nothing of the motion is in its solution.
#[derive(Default)]
struct RowReporter {
    reporter: Option<(ContactModes, Reporter)>,
    /// Time, state and inputs of what was solved for last.
    at: Option<(f64, Vec<f64>, Vec<f64>)>,
}

impl RowReporter {
    /// Solves at a row under these inputs, or those required where there are none; not twice at one row.
    fn solve(
        &mut self,
        kernel: &StickingKernel<'_>,
        at: Point<'_>,
        inputs: &[f64],
    ) -> Result<SolvedRow<'_>, AccelerationError> {
        if self.reporter.as_ref().is_none_or(|(modes, _)| modes != kernel.modes()) {
            (self.reporter, self.at) = (None, None);
        }
        let new = || (kernel.modes().clone(), reporter_of(kernel));
        let (_, reporter) = self.reporter.get_or_insert_with(new);
        let state = at.x.iter().chain(at.eta);
        let same =
            |(t, y, given): &(f64, Vec<f64>, Vec<f64>)| *t == at.t && state.clone().eq(y) && given == inputs;
        if !self.at.take().as_ref().is_some_and(same) {
            let input = if inputs.is_empty() { ControlInput::Required } else { ControlInput::Given(inputs) };
            reporter.solve(kernel, at, input)?;
        }
        self.at = Some((at.t, state.copied().collect(), inputs.to_vec()));
        Ok(SolvedRow { terms: reporter.terms(), solution: reporter.solution() })
    }
}

fn reporter_of(kernel: &StickingKernel<'_>) -> Reporter {
    let reporter = Reporter::new(kernel);
    let unread = kernel.base_capabilities().multipliers_unread;
    if unread { reporter.without_multipliers() } else { reporter }
}
