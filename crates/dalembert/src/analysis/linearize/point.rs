//! Operating points: values given in words, the rest from the start, on the constraints.

use crate::explain;
use crate::workspace::Workspace;
use dalembert_linalg::{Cod, RANK_TOL};
use dalembert_run::{Dynamics, StartGuess, State, find_start};
use dalembert_syntax::diagnostic::Diagnostic;

impl Workspace {
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
        let like = state.x.clone();
        self.set_state(&mut state, at)?;
        let names = self.assignments(at)?;
        let given = |name: &String| names.iter().any(|(n, _)| n == name);
        let guess = StartGuess {
            x_fixed: self.system.frame.coordinates.iter().map(|c| given(&c.name)).collect(),
            eta_fixed: self.system.frame.speeds.iter().map(|s| given(&s.name)).collect(),
            conditions: Vec::new(),
            bodies: self.system.bodies.is_some(),
            state,
        };
        let mut guess = guess;
        self.keep_invariants(&like, &mut guess.state.x, &guess.x_fixed);
        let found = find_start(&self.compiled, &guess);
        found.map(|s| s.state).map_err(|error| Box::new(explain::of_start(&error, &guess, self)))
    }

    /// A state on the constraints with some coordinates and speeds (by index) as they are, nearest to `state` in the others.
    /// What the kinematics conserve (the norm of a quaternion) is as at the configuration `like`.
    pub fn on_constraints(
        &self,
        state: &State,
        like: &[f64],
        coordinates: &[usize],
        speeds: &[usize],
    ) -> Option<State> {
        let flags = |n: usize, held: &[usize]| (0..n).map(|i| held.contains(&i)).collect();
        let mut guess = StartGuess {
            x_fixed: flags(state.x.len(), coordinates),
            eta_fixed: flags(state.eta.len(), speeds),
            conditions: Vec::new(),
            bodies: self.system.bodies.is_some(),
            state: state.clone(),
        };
        if !self.keep_invariants(like, &mut guess.state.x, &guess.x_fixed) {
            return None;
        }
        find_start(&self.compiled, &guess).ok().map(|s| s.state)
    }

    /// Newton towards the invariants of another configuration, in the coordinates that are not fixed.
    fn keep_invariants(&self, like: &[f64], x: &mut [f64], fixed: &[bool]) -> bool {
        let (n, k) = (x.len(), self.compiled.shape().n_invariant);
        if k == 0 {
            return true;
        }
        let mut scratch = vec![0.0; self.compiled.scratch_len()];
        let mut invariants = |x: &[f64]| {
            let (mut values, mut gradients) = (vec![0.0; k], vec![0.0; k * n]);
            self.compiled.invariants(x, &mut scratch, &mut values, &mut gradients);
            (values, gradients)
        };
        let (target, _) = invariants(like);
        for _ in 0..40 {
            let (values, mut J) = invariants(x);
            let left: Vec<f64> = target.iter().zip(&values).map(|(t, v)| t - v).collect();
            if left.iter().zip(&target).all(|(l, t)| l.abs() <= 1e-15 * (1.0 + t.abs())) {
                return true;
            }
            J.chunks_mut(n)
                .for_each(|row| row.iter_mut().zip(fixed).filter(|(_, f)| **f).for_each(|(v, _)| *v = 0.0));
            let mut cod = Cod::new(k, n);
            cod.factor(&J, RANK_TOL);
            let mut change = vec![0.0; n];
            cod.solve(&left, &mut change);
            x.iter_mut().zip(change).for_each(|(x, c)| *x += c);
        }
        let (values, _) = invariants(x);
        target.iter().zip(&values).all(|(t, v)| (t - v).abs() <= 1e-12 * (1.0 + t.abs()))
    }
}
