//! The motion of a model: what was asked, the table of results, and how well it went.

use crate::diagnostic::{Code, Diagnostic};
use crate::failure;
use crate::model::Model;
use dalembert_run::{
    Accelerator, Baumgarte, Counters, Crossing, EventHit, EventRule, Flow, Method, Observer, Options,
    Outcome, Output, Progress, Row, Solution, State, Stop, integrate,
};

/// Rows a run gives when no spacing is asked for.
const DEFAULT_INTERVALS: f64 = 500.0;
/// Tables larger than this many numbers are refused before the run.
const MAX_TABLE: f64 = 1e8;

/// What to do; what is left out comes from the model's `simulate` statement, then from defaults.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Last time.
    pub until: Option<f64>,
    /// Spacing of the rows.
    pub every: Option<f64>,
    /// Rows at just these times (besides start and end) instead.
    pub times: Option<Vec<f64>>,
    /// Integrator, by name.
    pub method: Option<String>,
    /// Relative tolerance.
    pub rtol: Option<f64>,
    /// Absolute tolerance.
    pub atol: Option<f64>,
    /// Stabilisation by Baumgarte in place of projection: velocity and position gain.
    pub baumgarte: Option<(f64, f64)>,
    /// Budget of steps.
    pub max_steps: Option<usize>,
    /// Starting state, if not the model's.
    pub start: Option<State>,
}

/// A table of results with names.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// `t`, coordinates, speeds, outputs.
    pub columns: Vec<String>,
    /// Row after row.
    pub values: Vec<f64>,
}

impl Table {
    /// The rows.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks(self.columns.len().max(1))
    }

    /// One column by name.
    pub fn column(&self, name: &str) -> Option<Vec<f64>> {
        let k = self.columns.iter().position(|c| c == name)?;
        Some(self.rows().map(|row| row[k]).collect())
    }
}

/// An event that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its name.
    pub name: String,
    /// When.
    pub t: f64,
    /// Whether its function rises there.
    pub rising: bool,
}

/// A computed motion. On failure the table holds what was computed before it.
#[derive(Clone, Debug)]
pub struct Motion {
    /// The results.
    pub table: Table,
    /// Events, in the order of time.
    pub events: Vec<Found>,
    /// How the run ended.
    pub outcome: Outcome,
    /// The integrator used.
    pub method: Method,
    /// Energy at the start and its largest deviation from that in the table, where the model has an energy.
    pub energy: Option<(f64, f64)>,
    /// Energy at the end less that at the start.
    pub energy_change: Option<f64>,
    /// Why it ended early, if it did.
    pub failure: Option<Diagnostic>,
}

impl Motion {
    /// Work done.
    pub fn counters(&self) -> Counters {
        self.outcome.counters
    }
}

impl Model {
    /// Computes the motion. `progress` is told the time reached and may stop the run.
    pub fn simulate(
        &mut self,
        request: &Request,
        mut progress: impl FnMut(f64) -> Flow,
    ) -> Result<Motion, Box<Diagnostic>> {
        let options = self.options(request)?;
        if options.options.method == Method::Radau {
            self.compiled.with_partials(&mut self.system, &self.form);
            self.check_memory()?;
        }
        let start = match &request.start {
            Some(state) => state.clone(),
            None => self.start()?.state,
        };
        let mut columns = vec!["t".to_owned()];
        columns.extend(self.state_names().into_iter().map(str::to_owned));
        columns.extend(self.system.outputs.iter().map(|o| o.name.clone()));
        let mut recorder = Recorder {
            model: self,
            accelerator: Accelerator::new(&self.compiled),
            outputs: vec![0.0; self.compiled.output_count()],
            values: Vec::new(),
            hits: Vec::new(),
            energies: Vec::new(),
            trouble: None,
            progress: &mut progress,
        };
        let outcome = integrate(&self.compiled, &start, options.until, &options.options, &mut recorder);
        let Recorder { values, hits, energies, trouble, .. } = recorder;
        let events = hits
            .iter()
            .map(|hit| Found {
                name: self.system.events[hit.index].name.clone(),
                t: hit.t,
                rising: hit.rising,
            })
            .collect();
        let failure = match &outcome.stop {
            Stop::Failed(reason) => Some(failure::of_motion(reason, self)),
            _ => trouble,
        };
        let first = energies.first().copied();
        let energy = first.map(|e0| (e0, energies.iter().fold(0.0f64, |m, e| m.max((e - e0).abs()))));
        let energy_change = first.zip(energies.last()).map(|(e0, e1)| e1 - e0);
        let method = options.options.method;
        Ok(Motion {
            table: Table { columns, values },
            events,
            outcome,
            method,
            energy,
            energy_change,
            failure,
        })
    }

    fn options(&mut self, request: &Request) -> Result<Resolved, Box<Diagnostic>> {
        let run = self.system.run.clone();
        let mut stated = |e: Option<dalembert_expr::Expr>| e.map(|e| self.constant(e));
        let until = request.until.or_else(|| stated(run.as_ref().map(|r| r.until)));
        let every = request.every.or_else(|| stated(run.as_ref().and_then(|r| r.every)));
        let tolerance = stated(run.as_ref().and_then(|r| r.tolerance));
        let Some(until) = until else {
            let d = Diagnostic::error(Code::BadOption, None, "nothing says how long to simulate");
            return Err(Box::new(d.help("write `simulate until 10` in the model, or give `--until 10`")));
        };
        let span = run.as_ref().map(|r| r.span);
        let bad = |what: &str, value: f64, help: &str| {
            Err(Box::new(
                Diagnostic::error(Code::BadOption, span, format!("{what} cannot be {value}")).help(help),
            ))
        };
        if !until.is_finite() || until <= 0.0 {
            return bad("the end time", until, "runs start at t = 0 and go forward");
        }
        if let Some(every) = every
            && !(every.is_finite() && every > 0.0)
        {
            return bad("the spacing of the output", every, "give a positive number");
        }
        let width = 1.0 + (self.state_names().len() + self.system.outputs.len()) as f64;
        let spacing = every.unwrap_or(until / DEFAULT_INTERVALS);
        if until / spacing * width > MAX_TABLE {
            return bad(
                "the spacing of the output",
                spacing,
                "that would be more numbers than fit in memory; choose a larger one",
            );
        }
        let defaults = Options::default();
        let rtol = request.rtol.or(tolerance).unwrap_or(defaults.rtol);
        let atol = request.atol.unwrap_or(rtol * (defaults.atol / defaults.rtol));
        if !(1e-15..0.5).contains(&rtol) || !(0.0..1e6).contains(&atol) {
            return bad(
                "the tolerance",
                if (1e-15..0.5).contains(&rtol) { atol } else { rtol },
                "choose a relative tolerance between 1e-14 and 1e-1",
            );
        }
        let named = request
            .method
            .clone()
            .map(|m| (m, None))
            .or(run.and_then(|r| r.method.map(|(m, s)| (m, Some(s)))));
        let method = match named {
            None => Method::default(),
            Some((name, span)) => name.parse().map_err(|error: integrate::UnknownMethod| {
                Box::new(Diagnostic::error(Code::BadOption, span, error.to_string()))
            })?,
        };
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
            fixed_step: every.filter(|_| method == Method::Rk4),
            baumgarte: request.baumgarte.map(|(alpha, beta)| Baumgarte { alpha, beta }),
            projection: request.baumgarte.is_none(),
            max_steps: request.max_steps.unwrap_or(defaults.max_steps),
            events: self.system.events.iter().map(rule).collect(),
            ..defaults
        };
        Ok(Resolved { until, options })
    }
}

struct Resolved {
    until: f64,
    options: Options,
}

/// Turns rows of the motion into rows of the table.
struct Recorder<'m, P> {
    model: &'m Model,
    accelerator: Accelerator,
    outputs: Vec<f64>,
    values: Vec<f64>,
    hits: Vec<EventHit>,
    energies: Vec<f64>,
    trouble: Option<Diagnostic>,
    progress: &'m mut P,
}

impl<P> Recorder<'_, P> {
    /// A stopping event within rounding of a row that was asked for takes its place.
    fn forget_same_time(&mut self, t: f64) {
        let width = 1 + self.model.state_names().len() + self.model.system.outputs.len();
        let Some(last) = self.values.len().checked_sub(width) else { return };
        if (t - self.values[last]).abs() <= 16.0 * f64::EPSILON * t.abs() {
            self.values.truncate(last);
            self.energies.pop();
        }
    }
}

impl<P: FnMut(f64) -> Flow> Observer for Recorder<'_, P> {
    fn row(&mut self, row: Row<'_>) {
        if let Some(hit) = row.event {
            self.hits.push(hit);
            // Rows stand at the times asked for; only a stopping event ends the table out of step.
            if !self.model.system.events[hit.index].stop {
                return;
            }
        }
        self.forget_same_time(row.t);
        let model = self.model;
        let at = dalembert_run::Point { t: row.t, x: row.x, eta: row.eta };
        self.values.push(row.t);
        self.values.extend_from_slice(row.x);
        self.values.extend_from_slice(row.eta);
        let n_outputs = model.system.outputs.len();
        if self.outputs.is_empty() {
            return;
        }
        match self.accelerator.solve(&model.compiled, at) {
            Ok(_) => {
                let (terms, solution) = (self.accelerator.terms(), self.accelerator.solution());
                model.compiled.outputs(at, &terms.Q, &terms.A, solution, &mut self.outputs);
            }
            Err(error) => {
                // What depends on the state alone is known all the same.
                let (n, m) = (row.eta.len(), model.system.rows.len());
                let unknown = Solution {
                    eta_dot: vec![f64::NAN; n],
                    ideal_force: vec![f64::NAN; n],
                    nonideal_force: vec![f64::NAN; n],
                    lambda: vec![f64::NAN; m],
                    gauss: f64::NAN,
                    ..Solution::default()
                };
                model.compiled.outputs(
                    at,
                    &vec![f64::NAN; n],
                    &vec![f64::NAN; m * n],
                    &unknown,
                    &mut self.outputs,
                );
                self.trouble.get_or_insert_with(|| failure::of_acceleration(&error, model));
            }
        }
        self.values.extend_from_slice(&self.outputs[..n_outputs]);
        self.energies.extend(self.outputs.get(n_outputs));
    }

    fn progress(&mut self, progress: &Progress) -> Flow {
        (self.progress)(progress.t)
    }
}
