//! What stands in the way of a linear system, in the user's names.

use super::Linearizer;
use super::work::ReductionError;
use crate::explain;
use crate::workspace::Workspace;
use dalembert_linalg::EigenError;
use dalembert_run::{Refusal, ResponseError, State};
use dalembert_syntax::diagnostic::{Code, Diagnostic, nearest};

impl Linearizer {
    pub(super) fn explain(
        &self,
        model: &Workspace,
        state: &State,
        trouble: ReductionError,
    ) -> Box<Diagnostic> {
        let span = model.system.constraints.rows.first().map(|r| r.span);
        Box::new(match trouble {
            ReductionError::Acceleration(error) => explain::of_acceleration(&error, model, Some(state.point())),
            ReductionError::NotFinite => Diagnostic::error(
                Code::NotDifferentiable,
                None,
                format!("at t = {} a derivative of the equations of motion is not a finite number", state.t),
            )
            .help("roots and norms have no derivative at zero: linearise at another state, or write the law so that it has one there"),
            ReductionError::Degenerate => Diagnostic::error(
                Code::DegenerateConfiguration,
                span,
                "the constraints degenerate at this state: no linear system describes the motions near it",
            )
            .help("linearise at a state away from it; velocity constraints that are nonlinear in the rates degenerate at rest"),
            ReductionError::CoordinateFollows(i) => follows(&model.system.frame.coordinates[i].name),
            ReductionError::SpeedFollows(p) => follows(&model.system.frame.speeds[p].name),
            ReductionError::SharedLoad => Diagnostic::error(
                Code::NotApplicable,
                span,
                "non-ideal work reads the forces of constraints that share a load, and the way they share it is not linearised",
            )
            .help("remove the constraints that follow from others"),
            ReductionError::Incomplete => Diagnostic::error(
                Code::NotApplicable,
                None,
                "forces act here that cannot be linearised: friction that sticks or slips, or control",
            )
            .help("leave the `friction` and `require` statements out, or write the forces as `force` or `nonideal work`"),
            ReductionError::MassSingular => Diagnostic::error(
                Code::MassSingular,
                None,
                "the mass matrix is singular in the directions that the constraints leave free",
            )
            .help("give every free direction inertia, or constrain it"),
        })
    }
}

impl Linearizer {
    /// Outputs or inputs have no derivative at a state.
    pub(super) fn not_differentiable(
        &self,
        model: &Workspace,
        state: &State,
        error: ResponseError,
    ) -> Box<Diagnostic> {
        self.explain(
            model,
            state,
            match error {
                ResponseError::Acceleration(error) => ReductionError::Acceleration(error),
                ResponseError::Refused(Refusal::SharedLoad) => ReductionError::SharedLoad,
                ResponseError::Refused(_) => ReductionError::Incomplete,
            },
        )
    }
}

pub(super) fn unknown_variable(model: &Workspace, name: &str) -> Diagnostic {
    let names = model.state_names();
    let d = Diagnostic::error(
        Code::BadOption,
        None,
        format!("`{name}` is not a coordinate or speed of this model"),
    );
    match nearest(name, names.iter().copied()) {
        Some(near) => d.help(format!("did you mean `{near}`?")),
        None => d.help(format!("the state is {}", names.join(", "))),
    }
}

fn follows(name: &str) -> Diagnostic {
    let message =
        format!("`{name}` cannot be independent: the constraints determine it by the others asked for");
    Diagnostic::error(Code::BadOption, None, message)
        .help("leave it out, or leave out one that it follows from")
}

pub(super) fn kinked() -> Diagnostic {
    let message = "a force has a kink or a jump at this state: there is no linear system about it";
    Diagnostic::error(Code::NotDifferentiable, None, message)
        .help("`abs`, `sign`, `min`, `max` and `if` change sides here; linearise on one side, as in --at \"x'=0.1\"")
}

pub(super) fn of_eigen(error: EigenError) -> Diagnostic {
    let message = match error {
        EigenError::NotFinite => "the state matrix has entries that are not finite",
        EigenError::NotConverged => "the eigenvalues were not found within the bound on sweeps",
    };
    Diagnostic::error(Code::NotConverged, None, message)
        .help("rescale the model so that its numbers are of comparable size")
}
