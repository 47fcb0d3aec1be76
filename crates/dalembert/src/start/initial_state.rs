//! Consistent initial conditions: what the model states, completed by the constraints.

use crate::explain;
use crate::kernel_form::Places;
use crate::system::{Initial, InitialTarget};
use crate::workspace::Workspace;
use dalembert_linalg::{Cod, RANK_TOL, dot};
use dalembert_run::{ConsistentState, Dynamics, StartGuess, State, Terms, VelocityCondition, find_start};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;

impl Workspace {
    /// Value of an expression over parameters only.
    pub(crate) fn constant(&mut self, e: dalembert_expr::Expr) -> f64 {
        let places = Places::new(&self.form.parameters);
        self.constant_by(&places, e)
    }

    /// Value of an expression over parameters, which are looked up in a table.
    fn constant_by(&mut self, places: &Places, e: dalembert_expr::Expr) -> f64 {
        let values = self.compiled.parameters();
        self.system.pool.evaluate(e, |s| places.of(s).map_or(f64::NAN, |i| values[i]))
    }

    /// The starting values as they are written, and what is fixed of them.
    pub fn guess(&mut self) -> Result<StartGuess, Box<Diagnostic>> {
        self.guess_with(&[])
    }

    /// The initial values as written, with some replaced by given ones, which are fixed.
    pub(crate) fn guess_with(
        &mut self,
        given: &[(InitialTarget, f64)],
    ) -> Result<StartGuess, Box<Diagnostic>> {
        self.guess_at(0.0, given)
    }

    pub(crate) fn guess_at(
        &mut self,
        t: f64,
        given: &[(InitialTarget, f64)],
    ) -> Result<StartGuess, Box<Diagnostic>> {
        let (n_x, n) = (self.form.coordinates.len(), self.form.speeds.len());
        let mut guess = StartGuess {
            state: State::new(t, &vec![0.0; n_x], &vec![0.0; n]),
            x_fixed: vec![false; n_x],
            eta_fixed: vec![false; n],
            conditions: Vec::new(),
            bodies: self.system.bodies.is_some(),
        };
        let (mut rates, places) = (Vec::new(), Places::new(&self.form.parameters));
        let mut values: Vec<(InitialTarget, f64, bool, Option<Span>)> = Vec::new();
        for k in 0..self.system.experiment.initial.len() {
            let Initial { target, fixed, value, span } = self.system.experiment.initial[k];
            if given.iter().all(|(known, _)| *known != target) {
                values.push((target, self.constant_by(&places, value), fixed, span));
            }
        }
        values.extend(given.iter().map(|(target, value)| (*target, *value, true, None)));
        for (target, value, fixed, span) in values {
            if !value.is_finite() {
                let message = "this starting value is not a finite number";
                return Err(Box::new(Diagnostic::error(Code::NotFinite, span, message)));
            }
            match target {
                InitialTarget::Coordinate(i) => {
                    guess.state.x[i] = value;
                    guess.x_fixed[i] = fixed;
                }
                InitialTarget::Speed(p) => {
                    guess.state.eta[p] = value;
                    guess.eta_fixed[p] = fixed;
                }
                InitialTarget::Rate(i) => rates.push((i, value, fixed)),
            }
        }
        if !rates.is_empty() {
            self.guess_rates(&mut guess, &rates);
        }
        Ok(guess)
    }

    /// Rates that are no speeds, as (coordinate, value, fixed): linear conditions on the speeds at the configuration
    /// found first. Fixed ones are imposed; guessed ones move the guess of the speeds, by as little as possible.
    fn guess_rates(&self, guess: &mut StartGuess, rates: &[(usize, f64, bool)]) {
        let (n_x, n) = (self.form.coordinates.len(), self.form.speeds.len());
        let configuration = find_start(&self.compiled, guess).map_or(guess.state.x.clone(), |s| s.state.x);
        let mut scratch = vec![0.0; self.compiled.scratch_len()];
        let mut terms = Terms::of(&self.compiled);
        let still = State::new(guess.state.t, &configuration, &vec![0.0; n]);
        self.compiled.terms(still.point(), &mut scratch, &mut terms);
        let mut frame = vec![0.0; n_x * n];
        self.compiled.frame(guess.state.t, &configuration, &mut scratch, &mut frame);
        let (mut rows, mut missing) = (Vec::new(), Vec::new());
        for &(i, value, fixed) in rates {
            let (row, right) = (&frame[i * n..(i + 1) * n], value - terms.x_dot[i]);
            if fixed {
                guess.conditions.push(VelocityCondition { row: row.to_vec(), right });
            } else {
                missing.push(right - dot(row, &guess.state.eta));
                // Fixed speeds keep their values: the others take the whole change.
                rows.extend(row.iter().zip(&guess.eta_fixed).map(|(v, fixed)| if *fixed { 0.0 } else { *v }));
            }
        }
        let mut least_squares = Cod::new(missing.len(), n);
        let mut change = vec![0.0; n];
        least_squares.factor(&rows, RANK_TOL);
        least_squares.solve(&missing, &mut change);
        for (eta, change) in guess.state.eta.iter_mut().zip(change) {
            *eta += change;
        }
    }

    /// Starting values that keep the constraints, nearest to what the model gives.
    pub fn start(&mut self) -> Result<ConsistentState, Box<Diagnostic>> {
        self.start_with(&[])
    }

    /// Consistent initial conditions at another time, or from coordinates and speeds given in full: these are fixed, and refused where they
    /// break a constraint.
    ///
    /// ```
    /// # use dalembert::{Model, Source};
    /// let text = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint wall: x = t\ninitial y = 2";
    /// let model = Model::load(&Source::new("wall.dal", text), &Default::default()).unwrap();
    /// assert_eq!(model.start_at(3.0, None).unwrap().state.x, [3.0, 2.0]);
    /// assert!(model.start_at(3.0, Some(&[0.0, 0.0, 1.0, 0.0])).is_err());
    /// ```
    pub fn start_at(&mut self, t: f64, state: Option<&[f64]>) -> Result<ConsistentState, Box<Diagnostic>> {
        let bad = |message: String| Box::new(Diagnostic::error(Code::BadOption, None, message));
        if !t.is_finite() {
            return Err(bad(format!("a motion cannot start at t = {t}")));
        }
        let Some(values) = state else {
            return self.start_near(t, &[]);
        };
        let (names, n_x) = (self.state_names(), self.form.coordinates.len());
        if values.len() != names.len() {
            let message = format!("{} numbers do not form a state of {}", values.len(), names.len());
            return Err(Box::new(bad(message).help(format!("the state is {}", names.join(", ")))));
        }
        if let Some(k) = values.iter().position(|v| !v.is_finite()) {
            return Err(bad(format!("`{}` cannot start at {}", names[k], values[k])));
        }
        self.find(StartGuess {
            state: State::new(t, &values[..n_x], &values[n_x..]),
            x_fixed: vec![true; n_x],
            eta_fixed: vec![true; values.len() - n_x],
            conditions: Vec::new(),
            bodies: self.system.bodies.is_some(),
        })
    }

    /// Consistent initial conditions with some values given and fixed.
    pub(crate) fn start_with(
        &mut self,
        given: &[(InitialTarget, f64)],
    ) -> Result<ConsistentState, Box<Diagnostic>> {
        self.start_near(0.0, given)
    }

    /// Consistent initial conditions at a time, nearest to what the model says, with some values given and fixed.
    pub(crate) fn start_near(
        &mut self,
        t: f64,
        given: &[(InitialTarget, f64)],
    ) -> Result<ConsistentState, Box<Diagnostic>> {
        let mut guess = self.guess_at(t, given)?;
        match self.start_by_own_cuts(t, given)? {
            // It keeps the constraints and has the rates: there is nothing to look for.
            Some(state) => {
                guess.conditions.clear();
                guess.x_fixed.fill(true);
                guess.eta_fixed.fill(true);
                self.find_by(StartGuess { state, ..guess }, Self::nearest)
            }
            None => self.find(guess),
        }
    }

    /// The state on the constraints nearest to a guess.
    fn find(&mut self, guess: StartGuess) -> Result<ConsistentState, Box<Diagnostic>> {
        match self.system.bodies.is_some() {
            true => self.find_by(guess, Self::assemble),
            false => self.find_by(guess, Self::nearest),
        }
    }

    fn nearest(&mut self, guess: &StartGuess) -> Result<ConsistentState, Box<Diagnostic>> {
        find_start(&self.compiled, guess).map_err(|error| Box::new(explain::of_start(&error, guess, self)))
    }

    /// The state that a search finds near a guess, judged.
    fn find_by(
        &mut self,
        guess: StartGuess,
        search: fn(&mut Self, &StartGuess) -> Result<ConsistentState, Box<Diagnostic>>,
    ) -> Result<ConsistentState, Box<Diagnostic>> {
        let guess = self.with_unit_invariants(guess);
        let started = search(self, &guess)?;
        self.check_invariants(&started.state.x)?;
        self.warn_other_lengths(&started.state.x);
        match self.judge_rows(&started.state, Code::InconsistentStart, true, false) {
            Some(d) if d.is_error() => Err(Box::new(
                d.help("no solution was found near the starting values: give better guesses with `~`"),
            )),
            _ => Ok(started),
        }
    }

    /// A quaternion of zeros turns nothing, whatever its speeds.
    fn check_invariants(&self, x: &[f64]) -> Result<(), Box<Diagnostic>> {
        let (n, k) = (x.len(), self.form.invariants.len());
        let (mut values, mut gradients) = (vec![0.0; k], vec![0.0; k * n]);
        let mut scratch = vec![0.0; self.compiled.scratch_len()];
        self.compiled.invariants(x, &mut scratch, &mut values, &mut gradients);
        if gradients.chunks(n.max(1)).all(|g| g.iter().any(|v| *v != 0.0)) {
            return Ok(());
        }
        let d = Diagnostic::error(
            Code::InconsistentStart,
            None,
            "redundant coordinates are all zero at the start: no speed can move them",
        );
        Err(Box::new(d.help("give them a starting value, as `initial e0 = 1` for a quaternion")))
    }
}
