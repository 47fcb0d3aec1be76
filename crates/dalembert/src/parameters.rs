//! Other values for a model that is already derived: parameters and starting values by name.
//!
//! What faces with sliders need. Values are in SI units. Nothing is derived again, so a `const`, which changes the
//! equations, is not among the names.

use crate::compile::parameter_values_with;
use crate::system::InitialTarget;
use crate::workspace::Workspace;
use dalembert_expr::Symbol;
use dalembert_run::ConsistentState;
use dalembert_syntax::diagnostic::{Code, Diagnostic, nearest};

/// What a name stands for.
pub(crate) enum Target {
    /// A parameter, or all members of a family.
    Parameters(Vec<usize>),
    /// A starting value.
    Start(InitialTarget),
}

impl Workspace {
    /// Gives parameters the values named, and all others those of the model; parameters defined from them follow. The
    /// name of a family stands for all its members.
    ///
    /// ```
    /// use dalembert::{Model, Source};
    /// let text = "parameter m = 1, l = 2, I = m*l^2\ncoordinate q\nkinetic I/2*q'^2\npotential -9.81*m*l*cos(q)";
    /// let mut model = Model::load(&Source::new("pendulum.dal", text), &Default::default()).unwrap().workspace();
    /// model.set_parameters(&[("l".to_owned(), 3.0)]).unwrap();
    /// assert_eq!(model.compiled.parameters(), [1.0, 3.0, 9.0]);
    /// model.set_parameters(&[]).unwrap();
    /// assert_eq!(model.compiled.parameters(), [1.0, 2.0, 4.0]);
    /// assert!(model.set_parameters(&[("L".to_owned(), 3.0)]).is_err());
    /// ```
    pub fn set_parameters(&mut self, values: &[(String, f64)]) -> Result<(), Box<Diagnostic>> {
        let mut given = vec![None; self.system.parameters.len()];
        for (name, value) in values {
            match self.target(name) {
                Some(Target::Parameters(places)) => places.iter().for_each(|k| given[*k] = Some(*value)),
                _ => return Err(self.unknown(name, "parameter")),
            }
        }
        self.give_parameters(&given)
    }

    /// Sets parameters by index; those that are not given are as the model defines them.
    pub(crate) fn give_parameters(&mut self, given: &[Option<f64>]) -> Result<(), Box<Diagnostic>> {
        let parameters = parameter_values_with(&mut self.system, given);
        if let Some(k) = parameters.iter().position(|v| !v.is_finite()) {
            let p = &self.system.parameters[k];
            let message = format!("the parameter `{}` has no finite value", p.name);
            return Err(Box::new(Diagnostic::error(Code::NotFinite, p.span, message)));
        }
        self.compiled.set_parameters(&parameters);
        // What is said about coefficients is said about these values.
        self.diagnostics.retain(|d| d.code != Code::StaticBelowSliding);
        let known = self.diagnostics.len();
        self.check_coefficients();
        self.compile_contacts_again();
        let new = self.diagnostics.split_off(known);
        self.diagnostics.extend(new.iter().filter(|d| d.code == Code::StaticBelowSliding).cloned());
        new.into_iter().find(Diagnostic::is_error).map_or(Ok(()), |d| Err(Box::new(d)))
    }

    /// Starting values that keep the constraints, with those named fixed over what the model says: coordinates, speeds
    /// and rates.
    ///
    /// ```
    /// use dalembert::{Model, Source};
    /// let text = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\ninitial x = 1";
    /// let mut model = Model::load(&Source::new("pendulum.dal", text), &Default::default()).unwrap().workspace();
    /// let start = model.start_from(&[("x".to_owned(), 0.6), ("y'".to_owned(), 0.3)]).unwrap();
    /// assert!((start.state.x[1].abs() - 0.8).abs() < 1e-14);
    /// ```
    pub fn start_from(&mut self, values: &[(String, f64)]) -> Result<ConsistentState, Box<Diagnostic>> {
        let mut given = Vec::with_capacity(values.len());
        for (name, value) in values {
            match self.target(name) {
                Some(Target::Start(target)) => given.push((target, *value)),
                _ => return Err(self.unknown(name, "coordinate, speed or rate")),
            }
        }
        self.start_with(&given)
    }

    /// The parameters and their values.
    pub(crate) fn constants(&self) -> Vec<(Symbol, f64)> {
        self.form.parameters.iter().copied().zip(self.compiled.parameters().iter().copied()).collect()
    }

    /// What a name stands for, if it is a parameter, a family of them, a coordinate, a speed or a rate.
    pub(crate) fn target(&self, name: &str) -> Option<Target> {
        let system = &self.system;
        let family = |p: &str| p.split_once('[').is_some_and(|(family, _)| family == name);
        let parameters = system.parameters.iter().enumerate();
        let places: Vec<usize> =
            parameters.filter(|(_, p)| p.name == name || family(&p.name)).map(|(k, _)| k).collect();
        if !places.is_empty() {
            return Some(Target::Parameters(places));
        }
        let coordinate = |name: &str| system.frame.coordinates.iter().position(|c| c.name == name);
        let speed = || system.frame.speeds.iter().position(|s| s.name == name).map(InitialTarget::Speed);
        let rate = || name.strip_suffix('\'').and_then(coordinate).map(InitialTarget::Rate);
        coordinate(name).map(InitialTarget::Coordinate).or_else(speed).or_else(rate).map(Target::Start)
    }

    fn unknown(&self, name: &str, what: &str) -> Box<Diagnostic> {
        let d = Diagnostic::error(Code::BadOption, None, format!("`{name}` is not a {what} of this model"));
        if let Some(help) = self.system.names_of_joint_in(name) {
            return Box::new(d.help(help));
        }
        let parameters = self.system.parameters.iter().map(|p| p.name.as_str());
        Box::new(match nearest(name, parameters.chain(self.state_names())) {
            Some(near) => d.help(format!("did you mean `{near}`?")),
            None => d.help("names are those of the model, members with their subscripts"),
        })
    }
}
