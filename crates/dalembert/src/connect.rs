//! The motion between two configurations: in a given time by Hamilton's principle, or with a given energy by least action.
//!
//! ```text
//! S = integral of L dt is stationary among the paths that begin and end there and keep the constraints
//! ```
//!
//! The numbers are found by [`dalembert_run::connect()`]: positions at nodes, all at once. Then the motion is integrated
//! from the rates found, as any motion is; `missed_by` is how far it ends from where it should, a check by another road. The
//! second variation tells a minimum from a saddle (Morse), and where conjugate points lie. With forces that have no
//! potential the path satisfies d'Alembert's principle, and the action is stationary no more. In quasi-velocities the path is sought in the
//! rates of the coordinates (`rates.rs`); fixed energy is `least_action.rs`. Knows nothing of files.

mod least_action;
pub(crate) mod rates;

use crate::explain;
use crate::number::short;
use crate::simulate::{Motion, Request};
use crate::workspace::Workspace;
use dalembert_run::{ConnectError, Connection, Ends, Flow, StartGuess, State, find_start};
use dalembert_syntax::ast::StatementKind;
use dalembert_syntax::diagnostic::{Code, Diagnostic, nearest};
pub use least_action::LeastAction;

/// Error of the nodes that is aimed at, and tolerance of the motion that checks them.
const TOLERANCE: f64 = 1e-10;

/// A motion between two configurations, found and checked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Connected {
    /// Rates, action, path and second variation.
    pub connection: Connection,
    /// The motion integrated from the start with these rates.
    pub motion: Motion,
    /// How far it ends from where it should, relative to the size of the configuration.
    pub missed_by: f64,
    /// Whether every force has a potential, so that the action is stationary.
    pub stationary: bool,
    /// What the principle of least action says, where the energy was given instead of the time.
    pub least_action: Option<LeastAction>,
}

impl Workspace {
    /// Finds the motion from the model's start to the configuration `to` at the time `until` of the request.
    ///
    /// `to` is written as starting values are: `=` fixes, `~` guesses; coordinates left out are as at the start, as far as
    /// the constraints let them. `via` are configurations that a first path passes with equal speed, to choose
    /// among several motions (`passed` tells whether the motion does); the rates at the start are the second attempt.
    ///
    /// ```
    /// use dalembert::{Model, Request, Source};
    /// let text = "parameter g = 9.81\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential g*y";
    /// let model = Model::load(&Source::new("throw.dal", text), &Default::default()).unwrap();
    /// let request = Request { until: Some(2.0), ..Request::default() };
    /// let found = model.connect("x = 10, y = 0", &[], &request).map_err(|d| d.message)?;
    /// let rates = &found.connection.start.eta;
    /// assert!((rates[0] - 5.0).abs() < 1e-9 && (rates[1] - 9.81).abs() < 1e-9);
    /// assert!(found.missed_by < 1e-9);
    /// # Ok::<(), String>(())
    /// ```
    pub fn connect(
        &mut self,
        to: &str,
        via: &[String],
        request: &Request,
    ) -> Result<Connected, Box<Diagnostic>> {
        let until = self.options(request)?.until;
        let mut field = rates::field(self, "`connect`", request.interpret)?;
        let start = self.start()?.state;
        // Something without inertia goes anywhere in no time.
        if let Err(d) = self.evaluate(&start)
            && d.code == Code::MassSingular
        {
            return Err(d);
        }
        let end = self.configuration(to, "--to", until, &start)?;
        let points = self.stations(via, until, &start)?;
        let at = rates::in_rates_at(self, field.is_some(), &start);
        let ends = Ends { start: &at, t_end: until, x_end: &end, via: points, tolerance: TOLERANCE };
        let kernel = field.as_mut().map_or(&self.compiled, |field| &field.compiled);
        let mut connection = dalembert_run::connect(kernel, &ends).map_err(|e| self.unconnected(&e))?;
        if field.is_some() {
            rates::in_speeds(self, &mut connection)?;
        }
        let stationary = !self.has_forces_without_potential();
        if !stationary {
            connection.second = None;
        }
        self.follow(connection, until, request, stationary)
    }

    /// Configurations on the way, at times that divide it evenly.
    fn stations(
        &mut self,
        via: &[String],
        until: f64,
        start: &State,
    ) -> Result<Vec<Vec<f64>>, Box<Diagnostic>> {
        let mut points = Vec::new();
        for (k, text) in via.iter().enumerate() {
            let t = until * (k + 1) as f64 / (via.len() + 1) as f64;
            points.push(self.configuration(text, "--via", t, start)?);
        }
        Ok(points)
    }

    /// Integrates the motion that a connection begins, and measures by how much it misses the end.
    fn follow(
        &mut self,
        connection: Connection,
        until: f64,
        request: &Request,
        stationary: bool,
    ) -> Result<Connected, Box<Diagnostic>> {
        let rtol = request.rtol.or(Some(TOLERANCE / 10.0));
        // The check needs a method that answers for its error, whatever the model asks for otherwise.
        let method = request.method.clone().or(Some("dop853".into()));
        let request = Request {
            method,
            start: Some(connection.start.clone()),
            until: Some(until),
            rtol,
            ..request.clone()
        };
        let motion = self.simulate(&request, |_| Flow::Continue)?;
        let end = &connection.end.x;
        let size = end.iter().fold(1.0f64, |m, v| m.max(v.abs()));
        let off = motion.outcome.state.x.iter().zip(end).map(|(a, b)| (a - b).abs());
        let missed_by = off.fold(0.0, f64::max) / size;
        let missed_by = if motion.failure.is_some() { f64::NAN } else { missed_by };
        Ok(Connected { connection, motion, missed_by, stationary, least_action: None })
    }

    /// A configuration in words, on the constraints at a time.
    fn configuration(
        &mut self,
        text: &str,
        option: &str,
        t: f64,
        like: &State,
    ) -> Result<Vec<f64>, Box<Diagnostic>> {
        let n = like.x.len();
        let mut guess = StartGuess {
            state: State::new(t, &like.x, &vec![0.0; like.eta.len()]),
            x_fixed: vec![false; n],
            eta_fixed: vec![false; like.eta.len()],
            conditions: Vec::new(),
            bodies: self.system.bodies.is_some(),
        };
        let values = self.assignments(text)?;
        let fixed = fixed_ones(text);
        let mut given = vec![false; n];
        for (k, (name, value)) in values.into_iter().enumerate() {
            let names: Vec<&str> = self.system.frame.coordinates.iter().map(|c| c.name.as_str()).collect();
            let Some(i) = names.iter().position(|known| *known == name) else {
                let d = Diagnostic::error(
                    Code::BadOption,
                    None,
                    format!("`{option}` gives a configuration, and `{name}` is not a coordinate"),
                );
                return Err(Box::new(match nearest(&name, names.iter().copied()) {
                    Some(near) => d.help(format!("did you mean `{near}`?")),
                    None => d.help(format!("the coordinates are {}", names.join(", "))),
                }));
            };
            if given[i] {
                let message = format!("`{option}` gives `{name}` twice");
                return Err(Box::new(
                    Diagnostic::error(Code::BadOption, None, message).help("leave one of the values out"),
                ));
            }
            given[i] = true;
            guess.state.x[i] = value;
            guess.x_fixed[i] = fixed.get(k).copied().unwrap_or(true);
        }
        match find_start(&self.compiled, &guess) {
            Ok(found) => Ok(found.state.x),
            Err(error) => {
                let mut d = explain::of_start(&error, &guess, self);
                d.message = format!("no configuration as `{option}` gives it: {}", d.message);
                Err(Box::new(d))
            }
        }
    }

    fn unconnected(&self, error: &ConnectError) -> Box<Diagnostic> {
        let lost = |message: String| Diagnostic::error(Code::NoConnection, None, message);
        Box::new(match error {
            ConnectError::BadArguments => lost("there is nothing to connect".into()),
            ConnectError::EndOff { at_end, row, residual } => {
                let which = if *at_end { "end" } else { "start" };
                let row = &self.system.constraints.rows[*row];
                let message = format!("the {which} is off the constraint `{}` by {}", row.name, short(*residual));
                Diagnostic::error(Code::InconsistentStart, row.span, message)
                    .help("write `~` instead of `=` for values that may be adjusted")
            }
            ConnectError::NotConverged { iterations, .. } => {
                lost(format!("no motion between these configurations was found in {iterations} steps of Newton's method"))
                    .help("there may be none in this time; `--via` gives a configuration to pass near, and rates in `initial` another first path")
            }
            ConnectError::NotResolved { .. } => {
                lost("the motion between these configurations changes too fast to be resolved".into())
                    .help("it may pass a singularity; `--via` leads around it, a shorter time makes the problem easier")
            }
            ConnectError::Conjugate { .. } => {
                let message = "these configurations are conjugate in this time: motions from the first come together at the second, or none arrives there";
                Diagnostic::error(Code::ConjugateEnds, None, message)
                    .help("the second variation of the action is singular; choose another time or another end")
            }
        })
    }
}

/// Which of the assignments in a text are fixed rather than guessed.
fn fixed_ones(text: &str) -> Vec<bool> {
    let source = dalembert_syntax::source::Source::new("--to", format!("initial {text}"));
    let (ast, _) = dalembert_syntax::parse(&source);
    match ast.body.statements.as_slice() {
        [statement] => match &statement.kind {
            StatementKind::Initial(items) => items.iter().map(|item| item.fixed).collect(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}
