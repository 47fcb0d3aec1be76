//! The facade: a model file, ready to be asked. Nothing that is asked changes it.

use crate::analysis::analyze;
use crate::analysis::analyze::Analysis;
use crate::analysis::equilibrium::{Equilibria, EquilibriumSearch};
use crate::analysis::linearize::{Linearization, Over, Range, RootLocus};
use crate::connect::Connected;
use crate::elaborate::Overrides;
use crate::equations::{Form, Style, WrittenBrackets};
use crate::simulate::{Motion, Request};
use crate::system::System;
use crate::verify::Verification;
use crate::workspace::Workspace;
use crate::{equations, verify};
use dalembert_expr::Format;
use dalembert_run::{ConsistentState, Flow, StartGuess, State};
use dalembert_syntax::diagnostic::{Diagnostic, Diagnostics};
use dalembert_syntax::source::Source;
use std::ops::Deref;
use std::sync::Arc;

/// A model: its system, its equations of motion and their compiled form.
///
/// It never changes, so threads share it and a copy costs nothing. What a question has to change (expressions that are made
/// on the way, programs that a method adds) lives in a [`Workspace`] of its own, which the methods here take and drop; who
/// asks many questions in a row, or works with the expressions themselves, keeps one.
///
/// ```
/// use dalembert::{Model, Source};
/// let text = "
///     parameter m = 2, g = 9.81, alpha = 0.6
///     coordinate x, y
///     kinetic m/2*(x'^2 + y'^2)
///     potential m*g*y
///     constraint plane: y = x*tan(alpha)
/// ";
/// let model = Model::load(&Source::new("slope.dal", text), &Default::default())?;
/// let start = model.start()?.state;
/// let now = model.evaluate(&start)?;
/// let a = -9.81 * 0.6f64.sin() * 0.6f64.cos();
/// assert!((now.solution.eta_dot[0] - a).abs() < 1e-14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Model(Arc<Workspace>);

impl Deref for Model {
    type Target = Workspace;

    fn deref(&self) -> &Workspace {
        &self.0
    }
}

/// Nothing changes it any more.
impl From<Workspace> for Model {
    fn from(work: Workspace) -> Model {
        Model(Arc::new(work))
    }
}

impl From<&Model> for Model {
    fn from(model: &Model) -> Model {
        model.clone()
    }
}

impl Model {
    /// Reads, derives and compiles a model. On error: everything that is wrong with it.
    pub fn load(source: &Source, overrides: &Overrides) -> Result<Model, Diagnostics> {
        Workspace::load(source, overrides).map(Model::from)
    }

    /// Derives and compiles a system; `diagnostics` is what has been said about it so far.
    pub fn of(system: System, diagnostics: Vec<Diagnostic>) -> Result<Model, Diagnostics> {
        Workspace::of(system, diagnostics).map(Model::from)
    }

    /// A workspace of one's own on this model. Costs a copy of its expressions.
    pub fn workspace(&self) -> Workspace {
        Workspace::clone(&self.0)
    }

    /// The model without the comparison of its equations with a second derivation ([`Workspace::self_check`]).
    pub fn without_self_check(self) -> Model {
        let mut work = self.workspace();
        work.skip_self_check();
        Model::from(work)
    }

    /// The model with other values of parameters (SI units), and all others as it says; parameters defined from them
    /// follow. The name of a family stands for all its members.
    ///
    /// ```
    /// use dalembert::{Model, Source};
    /// let text = "parameter m = 1, l = 2, I = m*l^2\ncoordinate q\nkinetic I/2*q'^2\npotential -9.81*m*l*cos(q)";
    /// let model = Model::load(&Source::new("pendulum.dal", text), &Default::default())?;
    /// let longer = model.with_parameters(&[("l".to_owned(), 3.0)])?;
    /// assert_eq!(longer.compiled.parameters(), [1.0, 3.0, 9.0]);
    /// assert_eq!(model.compiled.parameters(), [1.0, 2.0, 4.0]);
    /// assert!(model.with_parameters(&[("L".to_owned(), 3.0)]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_parameters(&self, values: &[(String, f64)]) -> Result<Model, Box<Diagnostic>> {
        let mut work = self.workspace();
        work.set_parameters(values)?;
        Ok(Model::from(work))
    }

    /// Starting values that keep the constraints, nearest to what the model gives.
    pub fn start(&self) -> Result<ConsistentState, Box<Diagnostic>> {
        self.workspace().start()
    }

    /// Consistent initial conditions at another time, or from a state given in full ([`Workspace::start_at`]).
    pub fn start_at(&self, t: f64, state: Option<&[f64]>) -> Result<ConsistentState, Box<Diagnostic>> {
        self.workspace().start_at(t, state)
    }

    /// Starting values with those named fixed over what the model says ([`Workspace::start_from`]).
    pub fn start_from(&self, values: &[(String, f64)]) -> Result<ConsistentState, Box<Diagnostic>> {
        self.workspace().start_from(values)
    }

    /// The starting values as they are written, and what is fixed of them.
    pub fn guess(&self) -> Result<StartGuess, Box<Diagnostic>> {
        self.workspace().guess()
    }

    /// The end time of the model's `simulate` statement, if it has one.
    pub fn end_time(&self) -> Option<f64> {
        self.workspace().end_time()
    }

    /// The state that `name = value` pairs over the start describe, on the constraints ([`Workspace::operating_point`]).
    pub fn operating_point(&self, at: &str) -> Result<State, Box<Diagnostic>> {
        self.workspace().operating_point(at)
    }

    /// The state that `name = value` pairs over another describe; bodies are put together around it
    /// ([`Workspace::state_at`]).
    pub fn state_at(&self, state: State, assignments: &str) -> Result<State, Box<Diagnostic>> {
        self.workspace().state_at(state, assignments)
    }

    /// Computes the motion. `progress` is told the time reached and may stop the run.
    pub fn simulate(
        &self,
        request: &Request,
        progress: impl FnMut(f64) -> Flow,
    ) -> Result<Motion, Box<Diagnostic>> {
        self.workspace().simulate(request, progress)
    }

    /// The motion between two configurations ([`Workspace::connect`]).
    pub fn connect(&self, to: &str, via: &[String], request: &Request) -> Result<Connected, Box<Diagnostic>> {
        self.workspace().connect(to, via, request)
    }

    /// The motion between two configurations with a given energy ([`Workspace::connect_at_energy`]).
    pub fn connect_at_energy(
        &self,
        to: &str,
        via: &[String],
        energy: f64,
        request: &Request,
    ) -> Result<Connected, Box<Diagnostic>> {
        self.workspace().connect_at_energy(to, via, energy, request)
    }

    /// The equations of motion in symbols ([`equations::write`]).
    pub fn equations(&self, form: Form, style: impl Into<Style>) -> Result<String, Box<Diagnostic>> {
        equations::write(&mut self.workspace(), form, style)
    }

    /// The Poisson bracket of two functions of the phase space, and the rate of the first ([`Workspace::brackets`]).
    pub fn brackets(&self, f: &str, g: &str, format: Format) -> Result<WrittenBrackets, Box<Diagnostic>> {
        equations::brackets(&mut self.workspace(), [f, g], format)
    }

    /// The Legendre transform of a function over some variables ([`equations::legendre`]).
    pub fn legendre(
        &self,
        function: &str,
        variables: &[String],
        at: &str,
        format: Format,
    ) -> Result<String, Box<Diagnostic>> {
        equations::legendre(&mut self.workspace(), function, variables, at, format)
    }

    /// The Hamilton-Jacobi equation with constants by operators ([`equations::hamilton_jacobi`]).
    pub fn hamilton_jacobi(
        &self,
        operators: &[String],
        style: impl Into<Style>,
    ) -> Result<String, Box<Diagnostic>> {
        equations::hamilton_jacobi(&mut self.workspace(), operators, style)
    }

    /// Constraints classified, symmetries, conserved quantities ([`analyze::analyze`]).
    pub fn analyze(&self) -> Result<Analysis, Box<Diagnostic>> {
        analyze::analyze(&mut self.workspace())
    }

    /// The equations compared with other formulations and with the laws of mechanics ([`verify::verify`]).
    pub fn verify(&self) -> Result<Verification, Box<Diagnostic>> {
        verify::verify(&mut self.workspace())
    }

    /// The linear system about a state. `independent` names the variables it should be about; the others are chosen.
    pub fn linearize(&self, state: &State, independent: &[String]) -> Result<Linearization, Box<Diagnostic>> {
        self.workspace().linearize(state, independent)
    }

    /// Eigenvalues over a range of a parameter or of a starting value.
    pub fn eigenvalues_over(&self, range: &Range, over: &Over) -> Result<RootLocus, Box<Diagnostic>> {
        self.workspace().eigenvalues_over(range, over)
    }

    /// Finds equilibria and steady motions ([`Workspace::equilibria`]).
    pub fn equilibria(&self, search: &EquilibriumSearch) -> Result<Equilibria, Box<Diagnostic>> {
        self.workspace().equilibria(search)
    }

    /// Compares the equations with a second derivation, unless that has been done ([`Workspace::check_once`]).
    pub fn check_once(&self, state: &State) -> Result<(), Box<Diagnostic>> {
        self.workspace().check_once(state)
    }
}
