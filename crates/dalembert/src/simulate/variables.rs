//! In which variables a motion is integrated, and the way between them and coordinates with speeds.

use super::Request;
use crate::compile::Compiled;
use crate::formalism::momentum_form::{Momenta, SuslovKernel};
use crate::formalism::poincare::labels;
use crate::formalism::suslov::multiplier_name;
use crate::workspace::Workspace;
use dalembert_run::{AccelerationError, Dynamics, Events, Failure, Method, State, Term};
use dalembert_syntax::diagnostic::{Code, Diagnostic, nearest};

/// The equations that are integrated. Outputs are the same for all; momenta and M are columns of the forms
/// that have them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MotionForm {
    /// U1 in (x, eta).
    #[default]
    Explicit,
    /// H1 in (x, y), y = dL/d eta.
    Hamilton,
    /// H3 and H4 in (x, y), y = dL/d eta + M_a A_a.
    Suslov,
    /// Nothing is integrated: the model's complete integral gives the motion (H8).
    HamiltonJacobi,
}

pub(super) enum Variables {
    Speeds,
    Momenta(Box<Momenta>),
    /// With M_a at the start, one for each row.
    Suslov(Box<SuslovKernel>, Vec<f64>),
}

impl Workspace {
    /// Names of the columns that a form adds behind the speeds: momenta, and Suslov's multipliers.
    pub fn form_columns(&self, form: MotionForm) -> Vec<String> {
        let momenta = labels(&self.system).into_iter().map(|label| format!("p_{label}"));
        let rows = self.system.constraints.rows.iter().map(|row| multiplier_name(&row.name));
        match form {
            MotionForm::Explicit | MotionForm::HamiltonJacobi => Vec::new(),
            MotionForm::Hamilton => momenta.collect(),
            MotionForm::Suslov => momenta.chain(rows).collect(),
        }
    }
}

/// M_a at the start, by name; 0 where nothing is said.
fn multipliers(model: &Workspace, request: &Request) -> Result<Vec<f64>, Box<Diagnostic>> {
    let names: Vec<String> =
        model.system.constraints.rows.iter().map(|row| multiplier_name(&row.name)).collect();
    let refuse = |message: String| Diagnostic::error(Code::BadOption, None, message);
    let mut values = vec![0.0; names.len()];
    for (name, value) in &request.multipliers {
        if request.form != MotionForm::Suslov {
            let message = format!("`{name}` is a multiplier of Suslov's form, and another one is integrated");
            return Err(Box::new(refuse(message).help("add `--form suslov`")));
        }
        let Some(a) = names.iter().position(|known| known == name) else {
            let d = refuse(format!("the model has no multiplier `{name}`"));
            return Err(Box::new(match nearest(name, names.iter().map(String::as_str)) {
                Some(near) => d.help(format!("did you mean `{near}`?")),
                None if names.is_empty() => d.help("it has no constraints"),
                None => d.help(format!("its multipliers are {}", names.join(", "))),
            }));
        };
        if !value.is_finite() {
            return Err(Box::new(refuse(format!("the multiplier `{name}` cannot be {value} at the start"))));
        }
        values[a] = *value;
    }
    Ok(values)
}

/// Options that a form does not go with.
pub(super) fn check(model: &Workspace, request: &Request) -> Result<(), Box<Diagnostic>> {
    multipliers(model, request)?;
    let baumgarte = request.baumgarte.is_some() && request.form == MotionForm::Suslov;
    if baumgarte && !model.system.constraints.rows.is_empty() {
        let message =
            "Suslov's form satisfies the constraints by itself: there is nothing for Baumgarte to stabilise";
        return Err(Box::new(
            Diagnostic::error(Code::BadOption, None, message).help("leave one of the two out"),
        ));
    }
    if request.form != MotionForm::Explicit && !model.compiled.actions().is_empty() {
        let message = "events that change the state are computed in the speeds of the model";
        return Err(Box::new(Diagnostic::error(Code::BadOption, None, message).help("leave `--form` out")));
    }
    if request.fold && request.form != MotionForm::Explicit {
        let message = "parameters are folded into the explicit equations only";
        return Err(Box::new(
            Diagnostic::error(Code::BadOption, None, message).help("leave `--fold` or `--form` out"),
        ));
    }
    if request.form == MotionForm::Suslov && model.compiled.shape().n_switch > 0 {
        let message = "Suslov's form cannot tell whether constraints in pieces (`abs`, `if`, `min`, `max`) are passed smoothly";
        return Err(Box::new(Diagnostic::error(Code::BadOption, None, message).help("leave `--form` out")));
    }
    Ok(())
}

/// Options that a variational method does not go with.
pub(super) fn check_variational(
    model: &Workspace,
    request: &Request,
    method: Method,
) -> Result<(), Box<Diagnostic>> {
    let refuse = |message: String, help: &str| {
        Err(Box::new(Diagnostic::error(Code::BadOption, None, message).help(help)))
    };
    if !model.compiled.actions().is_empty() {
        return refuse(
            format!("`{method}` has fixed steps, and an event that changes the state would cut one short"),
            "choose `dop853`, `tsit5`, `radau` or `rk4`",
        );
    }
    if request.form != MotionForm::Explicit {
        return refuse(
            format!("`{method}` works from the Lagrangian, not from another form"),
            "leave `--form` out",
        );
    }
    if request.baumgarte.is_some() {
        let message = format!(
            "`{method}` satisfies the constraints by itself: there is nothing for Baumgarte to stabilise"
        );
        return refuse(message, "leave one of the two out");
    }
    Ok(())
}

impl Variables {
    pub fn new(model: &mut Workspace, request: &Request) -> Result<Self, Box<Diagnostic>> {
        Ok(match request.form {
            MotionForm::Explicit | MotionForm::HamiltonJacobi => Variables::Speeds,
            MotionForm::Hamilton => Variables::Momenta(Box::new(Momenta::new(model)?)),
            MotionForm::Suslov => {
                let M = multipliers(model, request)?;
                Variables::Suslov(Box::new(SuslovKernel::new(model)?), M)
            }
        })
    }

    pub fn kernel<'a>(&'a self, compiled: &'a Compiled) -> &'a dyn Dynamics {
        match self {
            Variables::Speeds => compiled,
            Variables::Momenta(kernel) => &**kernel,
            Variables::Suslov(kernel, _) => &**kernel,
        }
    }

    /// The kernel knows no constraint rows: its equations keep them.
    pub fn keeps_constraints(&self) -> bool {
        matches!(self, Variables::Suslov(..))
    }

    /// A start in these variables; refused where the way back is not there.
    pub fn momenta_of(&self, state: &State) -> Result<State, Box<Diagnostic>> {
        match self {
            Variables::Speeds => Ok(state.clone()),
            Variables::Momenta(kernel) => kernel.momenta_of(state),
            Variables::Suslov(kernel, M) => kernel.momenta_of(state, M),
        }
    }

    /// What is to be said where a motion in momenta ends because they do not determine the speeds any more.
    pub(crate) fn branch_lost(&self, reason: &Failure) -> Option<Diagnostic> {
        let Failure::Acceleration(AccelerationError::NotFinite { t, term: Term::MassMatrix, .. }) = reason
        else {
            return None;
        };
        let Variables::Momenta(_) = self else { return None };
        let message =
            format!("at t = {t} the momenta no longer determine the speeds on the branch of the start");
        let d = Diagnostic::error(Code::MassSingular, None, message);
        Some(d.help("d2L/d eta2 becomes singular there: momenta have several speeds, and two of them meet"))
    }

    /// The way back, with what the form adds to a row (momenta, M); NaN where there is none.
    pub(crate) fn row_of(&self, state: &State) -> (State, Vec<f64>) {
        let none = || vec![f64::NAN; state.eta.len()];
        let (eta, M) = match self {
            Variables::Speeds => return (state.clone(), Vec::new()),
            Variables::Momenta(kernel) => (kernel.speeds_of(state.point()).unwrap_or_else(none), Vec::new()),
            Variables::Suslov(kernel, M) => {
                kernel.speeds_of(state.point()).unwrap_or_else(|| (none(), vec![f64::NAN; M.len()]))
            }
        };
        let added = state.eta.iter().copied().chain(M).collect();
        (State { eta, ..state.clone() }, added)
    }

    /// The state in speeds; NaN where there is none.
    pub fn speeds_of(&self, state: &State) -> State {
        self.row_of(state).0
    }
}
