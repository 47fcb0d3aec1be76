//! Putting bodies together at the start: loops that close the right way round, within the limits of joints.
//!
//! Rows of loops also hold for axes that point opposite ways and for half turns (B2), and Newton's method may end
//! nowhere from a poor guess. So a start that fails is tried again from guesses beside it, always the same ones and
//! farther and farther away; the first that is right counts. A joint beyond a limit is put at the limit, and the rest is found anew.

use crate::bodies::{JointRole, Limit};
use crate::explain;
use crate::number;
use crate::system::InitialTarget;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Symbol};
use dalembert_linalg::Lcg;
use dalembert_run::{ConsistentState, StartGuess, State, find_start, least_gap};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use rustc_hash::FxHashMap;

/// Guesses that are tried besides the one given.
const TRIES: u32 = 24;
/// A start that is farther from its guess is worth a look for a nearer one: angles beyond several turns, say.
const FAR: f64 = 20.0;
/// How far beyond a limit counts as rounding.
const LIMIT_TOL: f64 = 1e-9;
/// How far a value that is given to a joint that closes a loop may be from what the others give: what is typed has few
/// digits.
const FIXED_TOL: f64 = 1e-4;

impl Workspace {
    /// The start of a model with bodies nearest to a guess.
    pub(crate) fn assemble(&mut self, guess: &StartGuess) -> Result<ConsistentState, Box<Diagnostic>> {
        let mut guess = guess.clone();
        self.bring_within_limits(&mut guess)?;
        let limits = self.limits();
        // Each turn puts one joint at its limit.
        for _ in 0..=limits.len() {
            let found = self.closed_start(&guess)?;
            let Some((k, at)) = self.beyond(&limits, &found.state.x) else {
                return self.with_fixed_freedoms(found);
            };
            let coordinate = self.coordinate_of(limits[k].value);
            match coordinate.filter(|&i| !guess.x_fixed[i]) {
                Some(i) => {
                    guess.x_fixed[i] = true;
                    guess.state.x[i] = at;
                }
                None => return Err(Box::new(excluded(&limits[k], at))),
            }
        }
        let found = self.closed_start(&guess)?;
        self.with_fixed_freedoms(found)
    }

    /// A start at which joints that close loops have the values they were given.
    fn with_fixed_freedoms(&mut self, found: ConsistentState) -> Result<ConsistentState, Box<Diagnostic>> {
        let fixed = self.system.bodies.as_ref().map_or(Vec::new(), |bodies| bodies.fixed_freedoms.clone());
        for freedom in fixed {
            let values = self.numbers(&[freedom.value, freedom.given], &found.state.x);
            let turns = ((values[0] - values[1]) / std::f64::consts::TAU).round();
            let off =
                values[0] - values[1] - if freedom.slides { 0.0 } else { turns * std::f64::consts::TAU };
            if off.abs() > FIXED_TOL * (1.0 + values[1].abs()) {
                let message = format!(
                    "`{}` closes a loop: the other joints give it the value {}",
                    freedom.name,
                    number::short(values[0])
                );
                let d = Diagnostic::error(Code::InconsistentStart, freedom.span, message);
                return Err(Box::new(d.help("give that value, write `~`, or fix fewer joints of the loop")));
            }
        }
        Ok(found)
    }

    /// The state that `name = value` pairs describe. Where bodies are, what is not given follows: the rest is put
    /// together around it, as at the start. A full state, or one that no position fits, is taken as it is.
    ///
    /// ```
    /// # use dalembert::{Model, Source};
    /// let text = "gravity [0, -9.81]\nbody a: rod 1 from [0, 0] to [1, 0]\njoint p: pin ground to a\n\
    ///             body b: rod 1 from [0, 0] to [1, 0]\njoint q: pin ground to b\nconstraint gear: q = 2*p";
    /// let mut model = Model::load(&Source::new("gear.dal", text), &Default::default()).unwrap();
    /// let start = model.start().unwrap().state;
    /// assert!((model.state_at(start, "p = 0.5").unwrap().x[1] - 1.0).abs() < 1e-14);
    /// ```
    pub fn state_at(&mut self, mut state: State, assignments: &str) -> Result<State, Box<Diagnostic>> {
        let given = self.assignments(assignments)?;
        let named: Vec<&str> = given.iter().map(|(name, _)| name.as_str()).collect();
        let is_full = self.state_names().iter().all(|name| named.contains(name));
        self.set_state(&mut state, assignments)?;
        if self.system.bodies.is_none() || is_full || given.is_empty() {
            return Ok(state);
        }
        let names = self.state_names();
        let n_x = self.form.coordinates.len();
        let targets: Vec<(InitialTarget, f64)> = given
            .iter()
            .filter_map(|(name, value)| {
                let k = names.iter().position(|known| known == name)?;
                let target = match k.checked_sub(n_x) {
                    None => InitialTarget::Coordinate(k),
                    Some(p) => InitialTarget::Speed(p),
                };
                Some((target, *value))
            })
            .collect();
        let mut guess = self.guess_at(state.t, &targets)?;
        // What the model fixes gives way to what is given now, and is where the search begins.
        for i in 0..n_x {
            let is_given = targets.iter().any(|(target, _)| *target == InitialTarget::Coordinate(i));
            if !is_given && !guess.x_fixed[i] {
                guess.state.x[i] = state.x[i];
            }
        }
        Ok(self.assemble(&guess).map_or(state, |found| found.state))
    }

    /// A start whose loops are closed the right way round.
    fn closed_start(&mut self, guess: &StartGuess) -> Result<ConsistentState, Box<Diagnostic>> {
        let first = find_start(&self.compiled, guess);
        let (mut wrong, mut best) = (None, None);
        if let Ok(found) = &first {
            wrong = self.turned_over(&found.state.x);
            match wrong {
                None if found.moved <= FAR && self.misses(&found.state.x) <= 1.0 => return Ok(found.clone()),
                None => {
                    let moved = found.moved + FAR * self.misses(&found.state.x);
                    best = Some(ConsistentState { moved, ..found.clone() });
                }
                Some(_) => {}
            }
        }
        let mut rng = Lcg::new(1);
        for k in 0..TRIES {
            let mut other = guess.clone();
            let reach = 0.2 + 3.0 * f64::from(k) / f64::from(TRIES);
            for (x, _) in other.state.x.iter_mut().zip(&guess.x_fixed).filter(|(_, fixed)| !**fixed) {
                *x += reach * (2.0 * rng.uniform() - 1.0) * x.abs().max(1.0);
            }
            let other = self.with_unit_quaternions(other);
            let Ok(mut found) = find_start(&self.compiled, &other) else { continue };
            if self.turned_over(&found.state.x).is_some() {
                continue;
            }
            found.moved = distance(&found.state.x, &guess.state.x) + FAR * self.misses(&found.state.x);
            if best.as_ref().is_none_or(|best: &ConsistentState| found.moved < best.moved) {
                best = Some(found);
            }
            if best.as_ref().is_some_and(|best| best.moved <= FAR) {
                break; // with guesses of freedoms met as well
            }
        }
        match (best, first, wrong) {
            (Some(best), ..) => Ok(self.fewest_turns(best, guess)),
            (None, Err(error), _) => match self.closed_from_least_gap(guess) {
                Some(found) => Ok(self.fewest_turns(found, guess)),
                None => Err(Box::new(explain::of_start(&error, guess, self))),
            },
            (None, Ok(_), joint) => Err(Box::new(self.opposite(joint.unwrap_or(0)))),
        }
    }

    /// A start from where the loops are closed best in the sense of least squares.
    fn closed_from_least_gap(&mut self, guess: &StartGuess) -> Option<ConsistentState> {
        let mut near = guess.clone();
        near.state.x = least_gap(&self.compiled, guess)?;
        let found = find_start(&self.compiled, &near).ok()?;
        self.turned_over(&found.state.x).is_none().then_some(found)
    }

    /// The same position with angles less than half a turn from their guesses, where whole turns make no difference.
    fn fewest_turns(&self, found: ConsistentState, guess: &StartGuess) -> ConsistentState {
        let mut near = StartGuess { state: found.state.clone(), ..guess.clone() };
        let joints = self.system.bodies.iter().flat_map(|bodies| &bodies.joints);
        for i in joints.flat_map(|joint| joint.angles()) {
            let turns = ((found.state.x[i] - guess.state.x[i]) / std::f64::consts::TAU).round();
            near.state.x[i] -= turns * std::f64::consts::TAU;
        }
        match find_start(&self.compiled, &near) {
            Ok(again) if again.moved <= 1e-6 => again,
            _ => found,
        }
    }

    /// Quaternions of joints at length 1, whatever the guess.
    fn with_unit_quaternions(&self, mut guess: StartGuess) -> StartGuess {
        for joint in self.system.bodies.iter().flat_map(|bodies| &bodies.joints) {
            let Some(e) = joint.quaternion() else { continue };
            if e.iter().any(|&i| guess.x_fixed[i]) {
                continue;
            }
            let length = e.iter().map(|&i| guess.state.x[i].powi(2)).sum::<f64>().sqrt();
            e.iter().for_each(|&i| guess.state.x[i] /= length);
        }
        guess
    }

    /// The joint that closes a loop with its axes or turn the wrong way round, if one does.
    fn turned_over(&mut self, x: &[f64]) -> Option<usize> {
        let bodies = self.system.bodies.as_ref()?;
        let cut = bodies.joints.iter().enumerate().filter(|(_, j)| matches!(j.role, JointRole::Cut { .. }));
        let checks: Vec<(usize, Expr)> =
            cut.flat_map(|(k, joint)| joint.same_way.iter().map(move |e| (k, *e))).collect();
        let exprs: Vec<Expr> = checks.iter().map(|(_, e)| *e).collect();
        let values = self.numbers(&exprs, x);
        checks.iter().zip(values).find(|(_, value)| *value < 0.0).map(|((k, _), _)| *k)
    }

    /// How far freedoms of joints that close loops are from their guesses; whole turns do not count.
    fn misses(&mut self, x: &[f64]) -> f64 {
        let guesses = self.system.bodies.as_ref().map_or(Vec::new(), |bodies| bodies.guesses.clone());
        let exprs: Vec<Expr> = guesses.iter().flat_map(|(value, guess)| [*value, *guess]).collect();
        let values = self.numbers(&exprs, x);
        let off = |pair: &[f64]| {
            let difference = pair[0] - pair[1];
            (difference - (difference / std::f64::consts::TAU).round() * std::f64::consts::TAU).abs()
        };
        values.chunks(2).map(off).fold(0.0, f64::max)
    }

    fn opposite(&self, joint: usize) -> Diagnostic {
        let joint = self.system.bodies.as_ref().and_then(|bodies| bodies.joints.get(joint));
        let (name, span) = joint.map_or(("", None), |joint| (joint.name.as_str(), Some(joint.span)));
        let message = format!("the loop closes at joint `{name}` only with its axes turned the opposite way");
        Diagnostic::error(Code::LoopNotClosed, span, message)
            .help("turn an axis round, or give better guesses with `~`")
    }

    /// Values of expressions of coordinates and parameters.
    fn numbers(&mut self, exprs: &[Expr], x: &[f64]) -> Vec<f64> {
        let coordinates = self.form.coordinates.iter().copied().zip(x.iter().copied());
        let parameters = self.form.parameters.iter().copied().zip(self.compiled.parameters().iter().copied());
        let values: FxHashMap<Symbol, f64> = coordinates.chain(parameters).collect();
        self.system.pool.evaluate_all(exprs, |s| values.get(&s).copied().unwrap_or(f64::NAN))
    }

    fn limits(&self) -> Vec<Limit> {
        self.system.bodies.iter().flat_map(|b| &b.joints).flat_map(|joint| joint.limits.clone()).collect()
    }

    fn coordinate_of(&self, value: Expr) -> Option<usize> {
        let symbol = self.system.pool.as_symbol(value)?;
        self.form.coordinates.iter().position(|s| *s == symbol)
    }

    /// Guesses are moved into the limits; a value that is fixed outside of them contradicts them.
    fn bring_within_limits(&mut self, guess: &mut StartGuess) -> Result<(), Box<Diagnostic>> {
        for limit in self.limits() {
            let ends = self.numbers(&[limit.lower, limit.upper], &guess.state.x);
            let Some(i) = self.coordinate_of(limit.value) else { continue };
            let inside = guess.state.x[i].max(ends[0]).min(ends[1]);
            if guess.x_fixed[i] && (inside - guess.state.x[i]).abs() > LIMIT_TOL * (1.0 + inside.abs()) {
                return Err(Box::new(excluded(&limit, inside)));
            }
            if !guess.x_fixed[i] {
                guess.state.x[i] = inside;
            }
        }
        Ok(())
    }

    /// The first joint that is beyond a limit, and that limit.
    fn beyond(&mut self, limits: &[Limit], x: &[f64]) -> Option<(usize, f64)> {
        for (k, limit) in limits.iter().enumerate() {
            let values = self.numbers(&[limit.value, limit.lower, limit.upper], x);
            let inside = values[0].max(values[1]).min(values[2]);
            if (inside - values[0]).abs() > LIMIT_TOL * (1.0 + inside.abs()) {
                return Some((k, inside));
            }
        }
        None
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn excluded(limit: &Limit, at: f64) -> Diagnostic {
    let message = format!("the start of `{}` is beyond its limit {}", limit.name, number::short(at));
    Diagnostic::error(Code::LimitsExcludeStart, limit.span, message)
        .help("start within the limits, or give better guesses with `~`")
}
