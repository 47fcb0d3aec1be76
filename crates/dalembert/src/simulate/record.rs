//! Rows of the motion as rows of the table.

use super::variables::Variables;
use super::{EventRecord, Request};
use crate::compile::Compiled;
use crate::explain;
use crate::workspace::Workspace;
use dalembert_run::{
    AccelerationError, ContactChange, ControlInput, Dynamics, EventHit, Events, Flow, Observer, Point,
    Progress, Projector, Reporter, Residuals, Row, Solution, SolvedRow, State, StickingKernel, Terms,
};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// Events kept of a run. More of them come from a function that oscillates through the whole run, and would fill the memory.
const MAX_EVENTS: usize = 1_000_000;

/// Kinds of forces that are told apart: impressed, ideal, non-ideal, control.
pub const KINDS: usize = 4;

/// The forces on each speed by kind, as [`Motion::forces`](super::Motion::forces) has them.
pub fn forces_of(terms: &Terms, solution: &Solution, out: &mut Vec<f64>) {
    let n = terms.Q.len();
    for part in [&terms.Q, &solution.ideal_force, &solution.nonideal_force, &solution.control_force] {
        let end = out.len() + n;
        out.extend_from_slice(part);
        out.resize(end, 0.0); // without control there is no such force
    }
}

/// Turns rows of the motion into rows of the table.
pub(super) struct Recorder<'m, P> {
    model: &'m Workspace,
    variables: &'m Variables,
    /// Measures constraints that the integrated equations keep of themselves.
    projector: Option<Projector>,
    pub residuals: Option<Residuals>,
    /// For rows that bring no forces along.
    reporter: Option<Reporter>,
    outputs: Vec<f64>,
    pub values: Vec<f64>,
    pub events: Vec<EventRecord>,
    /// Numbers of a row of the table, and directions of sensitivities in it.
    width: usize,
    directions: usize,
    /// With so many events the run ends.
    max_events: usize,
    pub energies: Vec<f64>,
    /// What events have changed the energy by, where some change the state.
    pub jumped: Option<f64>,
    /// When an input first was at a bound, and which.
    pub saturated: Option<(f64, usize)>,
    /// Forces at each row, where they are wanted.
    pub forces: Option<Vec<f64>>,
    /// Work so far at the last row.
    pub integrals: Vec<f64>,
    pub trouble: Option<Diagnostic>,
    progress: &'m mut P,
}

impl<'m, P> Recorder<'m, P> {
    /// `width` is that of the table without sensitivities.
    pub fn new(
        model: &'m Workspace,
        variables: &'m Variables,
        width: usize,
        request: &Request,
        progress: &'m mut P,
    ) -> Self {
        Recorder {
            model,
            variables,
            projector: variables.keeps_constraints().then(|| Projector::new(&model.compiled)),
            residuals: None,
            reporter: None,
            outputs: vec![0.0; model.compiled.output_count()],
            values: Vec::new(),
            events: Vec::new(),
            width,
            directions: 0,
            max_events: request.max_events.unwrap_or(MAX_EVENTS),
            energies: Vec::new(),
            jumped: (!model.compiled.actions().is_empty()).then_some(0.0),
            saturated: None,
            forces: request.forces.then(Vec::new),
            integrals: Vec::new(),
            trouble: None,
            progress,
        }
    }

    /// Rows have columns of sensitivities by so many directions.
    pub(crate) fn with_sensitivities(mut self, directions: usize) -> Self {
        self.width = 1 + (self.width - 1) * (1 + directions);
        self.directions = directions;
        self
    }

    /// A stopping event within rounding of a row that was asked for takes its place.
    fn forget_same_time(&mut self, t: f64) {
        let Some(last) = self.values.len().checked_sub(self.width) else { return };
        if (t - self.values[last]).abs() <= 16.0 * f64::EPSILON * t.abs() {
            self.values.truncate(last);
            self.energies.pop();
            if let Some(forces) = &mut self.forces {
                forces.truncate(forces.len().saturating_sub(KINDS * self.model.form.speeds.len()));
            }
        }
    }

    /// Residuals at a row, where nothing else measures them.
    fn measure(&mut self, row: &Row<'_>) {
        let Some(projector) = &mut self.projector else { return };
        let at = Point { t: row.t, x: row.x, eta: row.eta };
        let now = projector.residuals(&self.model.compiled, at);
        let largest = self.residuals.get_or_insert(now);
        largest.position = largest.position.max(now.position);
        largest.velocity = largest.velocity.max(now.velocity);
    }

    /// The columns of sensitivities: of each direction the time of the event, the state, outputs and energy.
    fn differentiate(&mut self, row: &Row<'_>) {
        if self.directions == 0 {
            return;
        }
        let columns = self.width - 1;
        let columns = columns / (1 + self.directions);
        let each = row.sensitivity.len() / self.directions;
        for k in 0..self.directions {
            let own = &row.sensitivity[k * each..(k + 1) * each];
            match own.get(1..1 + columns) {
                Some(values) => {
                    let (state, outputs) = values.split_at(row.x.len() + row.eta.len());
                    let (x, eta) = state.split_at(row.x.len());
                    self.values.extend(self.model.system.table_state(x, eta));
                    self.values.extend_from_slice(outputs);
                }
                None => self.values.extend(vec![f64::NAN; columns]),
            }
        }
    }

    /// The outputs at a row, into `outputs`.
    fn evaluate(&mut self, row: &Row<'_>) {
        let at = Point { t: row.t, x: row.x, eta: row.eta };
        match row.solved {
            Some(Ok(SolvedRow { terms, solution })) => self.take(row, terms, solution),
            Some(Err(error)) => self.unknown(row, error),
            // The motion is computed in other variables than the speeds.
            None => {
                let sticking = StickingKernel::new(&self.model.compiled, row.modes.clone());
                let mut reporter = self.reporter.take().unwrap_or_else(|| Reporter::new(&sticking));
                match reporter.solve(&sticking, at, ControlInput::Required) {
                    Ok(_) => self.take(row, reporter.terms(), reporter.solution()),
                    Err(error) => self.unknown(row, &error),
                }
                self.reporter = Some(reporter);
            }
        }
    }

    /// The outputs of a row with its forces.
    fn take(&mut self, row: &Row<'_>, terms: &Terms, solution: &Solution) {
        let at = Point { t: row.t, x: row.x, eta: row.eta };
        self.model.compiled.outputs(at, terms, solution, row.integrals, &mut self.outputs);
        self.forces.iter_mut().for_each(|forces| forces_of(terms, solution, forces));
    }

    /// The outputs of a row without an acceleration: what depends on the state alone is known all the same.
    fn unknown(&mut self, row: &Row<'_>, error: &AccelerationError) {
        let (terms, unknown) = nothing_known(&self.model.compiled);
        self.take(row, &terms, &unknown);
        let (model, at) = (self.model, Point { t: row.t, x: row.x, eta: row.eta });
        self.trouble.get_or_insert_with(|| explain::of_acceleration(error, model, Some(at)));
    }
}

/// Terms and a solution of NaN.
fn nothing_known(compiled: &Compiled) -> (Terms, Solution) {
    let shape = compiled.shape();
    let (mut terms, mut s) = (Terms::of(compiled), Solution::new(&shape));
    let parts = [&mut terms.Q, &mut terms.A, &mut s.eta_dot, &mut s.ideal_force, &mut s.nonideal_force];
    let more = [&mut s.control_force, &mut s.lambda, &mut s.friction, &mut s.normal];
    parts.into_iter().chain(more).for_each(|part| part.fill(f64::NAN));
    s.gauss = f64::NAN;
    (terms, s)
}

impl<P: FnMut(f64) -> Flow> Observer for Recorder<'_, P> {
    fn wants_solution(&self, event: Option<EventHit>) -> bool {
        let kept = event.is_none_or(|hit| self.model.system.experiment.events[hit.index].stop);
        let asked = !self.outputs.is_empty() || self.forces.is_some();
        kept && asked && matches!(self.variables, Variables::Speeds)
    }

    fn row(&mut self, row: Row<'_>) {
        if let Some(hit) = row.event {
            let event = &self.model.system.experiment.events[hit.index];
            let state = Some(self.variables.speeds_of(&State::new(row.t, row.x, row.eta)));
            self.events.push(EventRecord { name: event.name.clone(), t: hit.t, rising: hit.rising, state });
            // Rows stand at the times asked for; only a stopping event ends the table out of step.
            if !event.stop {
                return;
            }
        }
        self.forget_same_time(row.t);
        let (state, added) = self.variables.row_of(&State::new(row.t, row.x, row.eta));
        let row = Row { eta: &state.eta, ..row };
        self.measure(&row);
        self.values.push(row.t);
        self.values.extend(self.model.system.table_state(row.x, row.eta));
        self.values.extend(added);
        self.integrals.clear();
        self.integrals.extend_from_slice(row.integrals);
        let n_outputs = self.model.system.experiment.outputs.len();
        if !self.outputs.is_empty() || self.forces.is_some() {
            self.evaluate(&row);
            self.values.extend_from_slice(&self.outputs[..n_outputs]);
            self.energies.extend(self.outputs.get(n_outputs));
        }
        self.differentiate(&row);
    }

    fn contact(&mut self, t: f64, change: ContactChange) {
        let name = &self.model.system.contacts[change.contact].name;
        let what = if change.sticks { "sticks" } else { "slides" };
        self.events.push(EventRecord {
            name: format!("{name} {what}"),
            t,
            rising: !change.sticks,
            state: None,
        });
    }

    fn saturation(&mut self, t: f64, input: usize, at_bound: bool) {
        let name = self.model.input_names().get(input).cloned().unwrap_or_default();
        let what = if at_bound { "saturates" } else { "recovers" };
        let name = format!("{name} {what}");
        self.events.push(EventRecord { name, t, rising: at_bound, state: None });
        self.saturated.get_or_insert((t, input));
    }

    fn jump(&mut self, before: Point<'_>, after: Point<'_>) {
        let compiled = &self.model.compiled;
        let mut scratch = vec![0.0; compiled.scratch_len()];
        let mut energy = |at: Point<'_>| {
            compiled.glance(at, &mut scratch, &mut self.outputs);
            self.outputs.get(self.model.system.experiment.outputs.len()).copied().unwrap_or(0.0)
        };
        let change = energy(after) - energy(before);
        self.jumped = self.jumped.map(|sum| sum + change);
    }

    fn progress(&mut self, progress: &Progress) -> Flow {
        if let Some(last) = self.events.last().filter(|_| self.events.len() >= self.max_events) {
            let message = format!(
                "there are more than {} events until t = {}, the last of them `{}`",
                self.max_events,
                crate::number::short(progress.t),
                last.name
            );
            let d = Diagnostic::error(Code::TooManySteps, None, message);
            self.trouble.get_or_insert(
                d.help("leave the event out, or end the run earlier; what was computed is kept"),
            );
            return Flow::Cancel;
        }
        (self.progress)(progress.t)
    }
}
