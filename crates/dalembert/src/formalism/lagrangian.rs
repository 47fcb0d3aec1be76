//! The Lagrangian of a model, for Hamilton's principle: what it applies to, and its tapes.
//!
//! For speeds that are rates of coordinates and constraints on positions; everything else is refused, with the statement
//! that prevents it. Dissipation and forces without a potential are in Q'. Used by the variational methods and by
//! [`crate::connect`]. Checked by the tests `variational`.

use crate::compile::{Inputs, Lagrangian};
use crate::formalism::poincare::Poincare;
use crate::system::CoordinateSort;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;

fn refuse(span: Option<Span>, message: String, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(Code::NotApplicable, span, message).help(help))
}

/// What a model has that Hamilton's principle has no place for. `what` is who asks.
fn obstacle(model: &Workspace, what: &str) -> Option<Box<Diagnostic>> {
    let system = &model.system;
    let other_methods = "the other methods (dop853, tsit5, radau, rk4) take any model";
    if let Some(speed) = system.frame.speeds.iter().find(|s| s.rate_of.is_none()) {
        let message =
            format!("{what} works in rates of coordinates, and `{}` is a speed of its own", speed.name);
        return Some(refuse(Some(speed.span), message, "write the model in the rates, without `speed`"));
    }
    if let Some(other) = system.frame.coordinates.iter().find(|c| c.sort != CoordinateSort::Position) {
        let (what_it_is, help) = match other.sort {
            CoordinateSort::State => {
                ("a state variable with an equation of its own", "leave the `state` out")
            }
            _ => ("a discrete value that events change", "write a parameter instead"),
        };
        let message = format!("{what} compares paths of coordinates, and `{}` is {what_it_is}", other.name);
        return Some(refuse(Some(other.span), message, &format!("{help}; {other_methods}")));
    }
    if model.form.frame.is_some() {
        let message = format!("{what} works in rates of coordinates, one for each");
        return Some(refuse(None, message, "write the model in the rates, without `speed`"));
    }
    if let Some(contact) = system.contacts.first() {
        let message = format!("{what} is for ideal constraints, and there is friction on `{}`", contact.name);
        return Some(refuse(Some(contact.span), message, other_methods));
    }
    if let Some(row) = system.control.rows.first() {
        let message = format!("{what} has no place for the control forces of `{}`", row.name);
        return Some(refuse(Some(row.span), message, other_methods));
    }
    if system.constraints.nonideal.is_some() {
        let message = format!("{what} is for ideal constraints, and this model has `nonideal work`");
        return Some(refuse(system.constraints.nonideal_span, message, other_methods));
    }
    if system.forces.mass.is_some() {
        let message = format!("{what} starts from a Lagrangian, and this model gives its inertia as `mass`");
        let help = "give energies: `kinetic`, `potential` or `lagrangian`; the other methods (dop853, tsit5, radau, rk4) take any model";
        return Some(refuse(system.forces.mass_span, message, help));
    }
    if let Some(row) = system.constraints.rows.iter().find(|row| !row.holonomic) {
        let message = format!("{what} is for constraints on positions, and `{}` is one on rates", row.name);
        let help = "if it is integrable, `dalembert analyze` gives it as one on positions; otherwise take another method";
        return Some(refuse(Some(row.span), message, help));
    }
    None
}

impl Workspace {
    /// Makes the Lagrangian ready for Hamilton's principle, or says what stands in the way of it.
    pub(crate) fn make_variation(&mut self, what: &str) -> Result<(), Box<Diagnostic>> {
        if let Some(diagnostic) = obstacle(self, what) {
            return Err(diagnostic);
        }
        if self.compiled.has_lagrangian_tapes() {
            return Ok(());
        }
        let equations = Poincare::of(self)?;
        let inputs = Inputs::of(&self.system, &self.form);
        let multipliers = self.system.observables.multipliers.clone();
        let tapes = Lagrangian::new(
            &mut self.system.pool,
            &self.form,
            &inputs,
            &multipliers,
            equations.lagrangian,
            &equations.momenta,
            &equations.rates,
        );
        self.compiled.set_lagrangian(tapes);
        self.check_memory()
    }

    /// Forces without a potential act: the motion does not make the action stationary.
    pub(crate) fn has_forces_without_potential(&self) -> bool {
        self.system.forces.dissipation.is_some()
            || self.system.forces.applied.iter().any(|e| *e != Pool::ZERO)
    }
}

/// L of a model that has one; refused for the direct form.
pub(crate) fn lagrangian_of(model: &mut Workspace) -> Result<Expr, Box<Diagnostic>> {
    let system = &mut model.system;
    if system.forces.mass.is_some()
        || (system.energies.kinetic.is_none() && system.energies.lagrangian.is_none())
    {
        let message = "the action is the integral of a Lagrangian, and the model gives its inertia as `mass`";
        return Err(refuse(
            system.forces.mass_span,
            message.into(),
            "give energies: `kinetic`, `potential` or `lagrangian`",
        ));
    }
    Ok(system.whole_lagrangian())
}
