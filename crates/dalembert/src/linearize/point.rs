//! Operating points: values given in words, the rest from the start, on the constraints.

use crate::diagnostic::Diagnostic;
use crate::failure;
use crate::model::Model;
use dalembert_run::{StartGuess, State, find_start};

impl Model {
    /// The state on the constraints with the given values (`x=1, x'=0.2, t=0`), nearest to the start in the rest.
    pub fn operating_point(&mut self, at: &str) -> Result<State, Box<Diagnostic>> {
        if at.trim().is_empty() {
            return Ok(self.start()?.state);
        }
        // Values given here replace starting values, which may contradict the constraints together with them.
        let mut state = match self.start() {
            Ok(started) => started.state,
            Err(_) => self.guess()?.state,
        };
        self.set_state(&mut state, at)?;
        let names = crate::requests::assignments(at)?;
        let given = |name: &String| names.iter().any(|(n, _)| n == name);
        let guess = StartGuess {
            x_fixed: self.system.coordinates.iter().map(|c| given(&c.name)).collect(),
            eta_fixed: self.system.speeds.iter().map(|s| given(&s.name)).collect(),
            conditions: Vec::new(),
            state,
        };
        let found = find_start(&self.compiled, &guess);
        found.map(|s| s.state).map_err(|error| Box::new(failure::of_start(&error, &guess, self)))
    }

    /// A state on the constraints with these entries as they are, nearest to `state` in the others.
    pub(crate) fn on_constraints(
        &self,
        state: &State,
        coordinates: &[usize],
        speeds: &[usize],
    ) -> Option<State> {
        let flags = |n: usize, held: &[usize]| (0..n).map(|i| held.contains(&i)).collect();
        let guess = StartGuess {
            x_fixed: flags(state.x.len(), coordinates),
            eta_fixed: flags(state.eta.len(), speeds),
            conditions: Vec::new(),
            state: state.clone(),
        };
        find_start(&self.compiled, &guess).ok().map(|s| s.state)
    }
}
