//! The start of a model that says by `cut` where its loops are cut.
//!
//! Guesses that do not close the loops place bodies differently for every choice of cuts, and the nearest position at which
//! the loops are closed is then another one. So the start is that of the same model without these words, and the state
//! here is what its coordinates and speeds are there.

use crate::bodies::{JointRole, Multibody};
use crate::elaborate::without_chosen_cuts;
use crate::system::InitialTarget;
use crate::workspace::{OwnCuts, Workspace};
use dalembert_run::State;
use dalembert_syntax::diagnostic::Diagnostic;

impl Workspace {
    /// The state at the start that the model has without `cut`; `None` where the model does without the word, or the
    /// start cannot be told by it.
    pub(super) fn start_by_own_cuts(
        &mut self,
        t: f64,
        given: &[(InitialTarget, f64)],
    ) -> Result<Option<State>, Box<Diagnostic>> {
        if self.system.bodies.as_ref().is_none_or(|bodies| !bodies.has_chosen_cuts) {
            return Ok(None);
        }
        let names: Vec<String> = given.iter().map(|(target, _)| self.name_of_target(*target)).collect();
        let known = self.own_cuts.take().filter(|known| known.given == names);
        let mut known = known.unwrap_or_else(|| Box::new(self.without_cuts(names)));
        let state = match &mut known.other {
            None => Ok(None),
            Some((other, asked)) => {
                other.compiled.set_parameters(self.compiled.parameters());
                let there = known.given.iter().zip(given);
                let there: Option<Vec<(InitialTarget, f64)>> =
                    there.map(|(name, (_, value))| Some((other.initial_target(name)?, *value))).collect();
                let start = there.map(|given| other.start_near(t, &given)).transpose();
                start.map(|start| {
                    let values = other.values_at(asked, &start?.state);
                    let (x, eta) = values.split_at(self.form.coordinates.len());
                    values.iter().all(|v| v.is_finite()).then(|| State::new(t, x, eta))
                })
            }
        };
        self.own_cuts = Some(known);
        state
    }

    fn without_cuts(&self, given: Vec<String>) -> OwnCuts {
        let other = || {
            let (source, overrides) = self.origin()?;
            let mut overrides = overrides.clone();
            overrides.kept.extend(given.iter().map(|name| format!("{name} = 0")));
            let (ast, _) = dalembert_syntax::parse(source);
            let (system, asked) = without_chosen_cuts(ast, &overrides, &self.state_names())?;
            if system.bodies.as_ref().map(closing) != self.system.bodies.as_ref().map(closing) {
                return None;
            }
            Some((Workspace::of(system, Vec::new()).ok()?, asked))
        };
        OwnCuts { other: other(), given }
    }

    fn name_of_target(&self, target: InitialTarget) -> String {
        let (x, speeds) = (&self.system.frame.coordinates, &self.system.frame.speeds);
        match target {
            InitialTarget::Coordinate(i) => x[i].name.clone(),
            InitialTarget::Speed(p) => speeds[p].name.clone(),
            InitialTarget::Rate(i) => format!("{}'", x[i].name),
        }
    }

    /// What a starting value of this name is about.
    fn initial_target(&self, name: &str) -> Option<InitialTarget> {
        let n_x = self.form.coordinates.len();
        let names = self.state_names();
        let place = |name: &str| names.iter().position(|known| *known == name);
        match place(name).map(|k| (k, k.checked_sub(n_x))) {
            Some((k, None)) => Some(InitialTarget::Coordinate(k)),
            Some((_, Some(p))) => Some(InitialTarget::Speed(p)),
            None => place(name.strip_suffix('\'')?).filter(|i| *i < n_x).map(InitialTarget::Rate),
        }
    }
}

/// How many joints close loops.
fn closing(bodies: &Multibody) -> usize {
    bodies.joints.iter().filter(|joint| matches!(joint.role, JointRole::Cut { .. })).count()
}
