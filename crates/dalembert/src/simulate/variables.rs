//! In which variables a motion is integrated, and the way between them and coordinates with speeds.

use super::Request;
use crate::compile::Compiled;
use crate::momentum_form::{Momenta, SuslovKernel};
use crate::workspace::Workspace;
use dalembert_run::{AccelerationError, Failure, Kernel, Method, State, Term};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// The equations that are integrated. Columns and outputs are the same for all.
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
    Suslov(Box<SuslovKernel>),
}

/// Options that a form does not go with.
pub(super) fn check(model: &Workspace, request: &Request) -> Result<(), Box<Diagnostic>> {
    let baumgarte = request.baumgarte.is_some() && request.form == MotionForm::Suslov;
    if baumgarte && !model.system.rows.is_empty() {
        let message =
            "Suslov's form keeps constraints of itself: there is nothing for Baumgarte to stabilise";
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
            format!("`{method}` keeps its steps, and an event that changes the state would cut one short"),
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
        let message =
            format!("`{method}` keeps constraints of itself: there is nothing for Baumgarte to stabilise");
        return refuse(message, "leave one of the two out");
    }
    Ok(())
}

impl Variables {
    pub fn new(model: &mut Workspace, form: MotionForm) -> Result<Self, Box<Diagnostic>> {
        Ok(match form {
            MotionForm::Explicit | MotionForm::HamiltonJacobi => Variables::Speeds,
            MotionForm::Hamilton => Variables::Momenta(Box::new(Momenta::new(model)?)),
            MotionForm::Suslov => Variables::Suslov(Box::new(SuslovKernel::new(model)?)),
        })
    }

    pub fn kernel<'a>(&'a self, compiled: &'a Compiled) -> &'a dyn Kernel {
        match self {
            Variables::Speeds => compiled,
            Variables::Momenta(kernel) => &**kernel,
            Variables::Suslov(kernel) => &**kernel,
        }
    }

    /// The kernel knows no constraint rows: its equations keep them.
    pub fn keeps_constraints(&self) -> bool {
        matches!(self, Variables::Suslov(_))
    }

    /// A start in these variables; refused where the way back is not there.
    pub fn momenta_of(&self, state: &State) -> Result<State, Box<Diagnostic>> {
        match self {
            Variables::Speeds => Ok(state.clone()),
            Variables::Momenta(kernel) => kernel.momenta_of(state),
            Variables::Suslov(kernel) => kernel.momenta_of(state, &vec![0.0; kernel.multipliers()]),
        }
    }

    /// What is to be said where a motion in momenta ends because they do not determine the speeds any more.
    pub fn branch_lost(&self, reason: &Failure) -> Option<Diagnostic> {
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

    /// The way back; NaN where there is none.
    pub fn speeds_of(&self, state: &State) -> State {
        let eta = match self {
            Variables::Speeds => return state.clone(),
            Variables::Momenta(kernel) => kernel.speeds_of(state.point()),
            Variables::Suslov(kernel) => kernel.speeds_of(state.point()).map(|(eta, _)| eta),
        };
        State { eta: eta.unwrap_or_else(|| vec![f64::NAN; state.eta.len()]), ..state.clone() }
    }
}
