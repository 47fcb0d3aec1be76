//! The start of a model that says by `cut` where its loops are cut.
//!
//! Guesses that do not close the loops place bodies differently for every choice of cuts, and the nearest position at which
//! the loops are closed is then another one. So the start is that of the same model without these words, and the state
//! here is what its coordinates and speeds are there.

use crate::bodies::{JointRole, Multibody};
use crate::elaborate::without_chosen_cuts;
use crate::system::InitialTarget;
use crate::workspace::Workspace;
use dalembert_run::State;
use dalembert_syntax::diagnostic::Diagnostic;

impl Workspace {
    /// The state at the start that the model has without `cut`; `None` where it has none, or where a body would not be
    /// free that is free here.
    pub(super) fn start_by_own_cuts(
        &self,
        t: f64,
        given: &[(InitialTarget, f64)],
    ) -> Result<Option<State>, Box<Diagnostic>> {
        let Some(bodies) = self.system.bodies.as_ref().filter(|bodies| bodies.has_chosen_cuts) else {
            return Ok(None);
        };
        let Some((source, overrides)) = self.origin() else { return Ok(None) };
        let names = self.state_names();
        let mut overrides = overrides.clone();
        let rates = self.form.coordinates.len();
        let named = given.iter().map(|(target, value)| match *target {
            InitialTarget::Coordinate(i) => (names[i].to_owned(), *value),
            InitialTarget::Speed(p) => (names[rates + p].to_owned(), *value),
            InitialTarget::Rate(i) => (format!("{}'", names[i]), *value),
        });
        let named: Vec<(String, f64)> = named.collect();
        overrides.kept.extend(named.iter().map(|(name, _)| format!("{name} = 0")));
        let (ast, _) = dalembert_syntax::parse(source);
        let Some((system, asked)) = without_chosen_cuts(ast, &overrides, &names) else { return Ok(None) };
        if system.bodies.as_ref().map(closing) != Some(closing(bodies)) {
            return Ok(None);
        }
        let Ok(mut other) = Workspace::of(system, Vec::new()) else { return Ok(None) };
        other.compiled.set_parameters(self.compiled.parameters());
        let Some(given) =
            named.iter().map(|(name, value)| Some((other.initial_target(name)?, *value))).collect()
        else {
            return Ok(None);
        };
        let given: Vec<(InitialTarget, f64)> = given;
        let there = other.start_near(t, &given)?.state;
        let values = other.values_at(&asked, &there);
        let (x, eta) = values.split_at(self.form.coordinates.len());
        let is_known = values.iter().all(|v| v.is_finite());
        Ok(is_known.then(|| State::new(t, x, eta)))
    }

    /// What a starting value of this name is about.
    fn initial_target(&self, name: &str) -> Option<InitialTarget> {
        let n_x = self.form.coordinates.len();
        if let Some(k) = self.state_names().iter().position(|known| *known == name) {
            return Some(match k.checked_sub(n_x) {
                None => InitialTarget::Coordinate(k),
                Some(p) => InitialTarget::Speed(p),
            });
        }
        let of = name.strip_suffix('\'')?;
        self.state_names()[..n_x].iter().position(|known| *known == of).map(InitialTarget::Rate)
    }
}

/// How many joints close loops.
fn closing(bodies: &Multibody) -> usize {
    bodies.joints.iter().filter(|joint| matches!(joint.role, JointRole::Cut { .. })).count()
}
