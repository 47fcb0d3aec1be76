//! The Lagrangian in numbers, with its first and second derivatives: what Hamilton's principle needs.
//!
//! ```text
//! y = dL/dx',   r = dL/dx + Q',   and the derivatives of y and of r + lambda_a df_a/dx
//! ```
//!
//! For speeds that are rates of coordinates and constraints on positions; everything else is refused, with the statement
//! that stands in the way. Dissipation and forces without a potential are in Q'. Used by the variational methods of
//! [`dalembert_run::integrate()`] and by [`crate::connect`]. Checked by `tests/it/variational.rs`.

use super::{Compiled, Inputs, Scattered, dense};
use crate::diagnostic::{Code, Diagnostic};
use crate::kernel_form::Places;
use crate::model::Model;
use crate::poincare::Poincare;
use crate::source::Span;
use dalembert_expr::{Expr, Pool, Symbol};
use dalembert_run::{Point, SecondVariation, Variation};

/// The tapes.
#[derive(Clone)]
pub(super) struct Lagrangian {
    /// L, y, r.
    pub first: Scattered,
    /// y_x, y_v, r_x, r_v over multipliers too.
    pub second: Scattered,
}

fn refuse(span: Option<Span>, message: String, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(Code::NotApplicable, span, message).help(help))
}

/// What a model has that Hamilton's principle has no place for. `what` is who asks.
fn obstacle(model: &Model, what: &str) -> Option<Box<Diagnostic>> {
    let system = &model.system;
    let other = "the other methods (dop853, tsit5, radau, rk4) take any model";
    if let Some(speed) = system.speeds.iter().find(|s| s.rate_of.is_none()) {
        let message =
            format!("{what} works in rates of coordinates, and `{}` is a speed of its own", speed.name);
        return Some(refuse(Some(speed.span), message, "write the model in the rates, without `speed`"));
    }
    if model.form.frame.is_some() {
        let message = format!("{what} works in rates of coordinates, one for each");
        return Some(refuse(None, message, "write the model in the rates, without `speed`"));
    }
    if let Some(contact) = system.contacts.first() {
        let message = format!("{what} is for ideal constraints, and there is friction on `{}`", contact.name);
        return Some(refuse(Some(contact.span), message, other));
    }
    if let Some(row) = system.requirement_rows.first() {
        let message = format!("{what} has no place for the control forces of `{}`", row.name);
        return Some(refuse(Some(row.span), message, other));
    }
    if system.nonideal.is_some() {
        let message = format!("{what} is for ideal constraints, and this model has `nonideal work`");
        return Some(refuse(system.nonideal_span, message, other));
    }
    if system.mass.is_some() {
        let message = format!("{what} starts from a Lagrangian, and this model gives its inertia as `mass`");
        let help = "give energies: `kinetic`, `potential` or `lagrangian`; the other methods (dop853, tsit5, radau, rk4) take any model";
        return Some(refuse(system.mass_span, message, help));
    }
    if let Some(row) = system.rows.iter().find(|row| !row.holonomic) {
        let message = format!("{what} is for constraints on positions, and `{}` is one on rates", row.name);
        let help = "if it is integrable, `dalembert analyze` gives it as one on positions; otherwise take another method";
        return Some(refuse(Some(row.span), message, help));
    }
    None
}

impl Model {
    /// Makes the Lagrangian ready for Hamilton's principle, or says what stands in the way of it.
    pub(crate) fn make_variation(&mut self, what: &str) -> Result<(), Box<Diagnostic>> {
        if let Some(diagnostic) = obstacle(self, what) {
            return Err(diagnostic);
        }
        if self.compiled.lagrangian.is_some() {
            return Ok(());
        }
        let equations = Poincare::of(self)?;
        let inputs = Inputs::of(&self.system, &self.form);
        let multipliers = self.system.observables.multipliers.clone();
        let (form, pool) = (&self.form, &mut self.system.pool);
        let n = form.speeds.len();
        let mut forces: Vec<Vec<Expr>> = equations.rates.iter().map(|r| vec![*r]).collect();
        let places = Places::new(&form.coordinates);
        for (f, symbol) in form.position_residuals.iter().zip(&multipliers) {
            let lambda = pool.var(*symbol);
            for (i, slope) in f.map(|f| places.gradient(pool, f)).into_iter().flatten() {
                forces[i].push(pool.mul(lambda, slope));
            }
        }
        let forces: Vec<Expr> = forces.into_iter().map(|parts| pool.total(parts)).collect();
        let first = Scattered::new(
            pool,
            &inputs.state,
            &[vec![(0, equations.lagrangian)], dense(&equations.momenta), dense(&equations.rates)],
        );
        let mut by = |list: &[Expr], symbols: &[Symbol]| -> Vec<(usize, Expr)> {
            let (mut entries, places) = (Vec::new(), Places::new(symbols));
            for (p, e) in list.iter().enumerate() {
                let row = places.gradient(pool, *e);
                entries.extend(row.into_iter().map(|(i, e)| (p * n + i, e)));
            }
            entries
        };
        let arrays = [
            by(&equations.momenta, &form.coordinates),
            by(&equations.momenta, &form.speeds),
            by(&forces, &form.coordinates),
            by(&forces, &form.speeds),
        ];
        let with_multipliers: Vec<Symbol> = inputs.state.iter().chain(&multipliers).copied().collect();
        let second = Scattered::new(pool, &with_multipliers, &arrays);
        self.compiled.lagrangian = Some(Lagrangian { first, second });
        self.compiled.size_scratch();
        self.check_memory()
    }

    /// Forces without a potential act: the motion does not make the action stationary.
    pub(crate) fn has_forces_without_potential(&self) -> bool {
        self.system.dissipation.is_some() || self.system.applied.iter().any(|e| *e != Pool::ZERO)
    }
}

impl Compiled {
    pub(super) fn run_variation(&self, at: Point<'_>, scratch: &mut [f64], out: &mut Variation) {
        let Some(tapes) = &self.lagrangian else { return };
        let inputs = self.load(at.t, at.x, at.eta, scratch);
        tapes.first.run(inputs, scratch, [&mut out.L, &mut out.y, &mut out.r]);
    }

    pub(super) fn run_second(
        &self,
        at: Point<'_>,
        lambda: &[f64],
        scratch: &mut [f64],
        out: &mut SecondVariation,
    ) {
        let Some(tapes) = &self.lagrangian else { return };
        let end = self.load(at.t, at.x, at.eta, scratch);
        scratch[end..end + lambda.len()].copy_from_slice(lambda);
        let inputs = end + lambda.len();
        tapes.second.run(inputs, scratch, [&mut out.y_x, &mut out.y_v, &mut out.r_x, &mut out.r_v]);
    }
}

/// L of a model that has one; refused for the direct form.
pub(crate) fn lagrangian_of(model: &mut Model) -> Result<Expr, Box<Diagnostic>> {
    let system = &mut model.system;
    if system.mass.is_some() || (system.kinetic.is_none() && system.lagrangian.is_none()) {
        let message = "the action is the integral of a Lagrangian, and the model gives its inertia as `mass`";
        return Err(refuse(
            system.mass_span,
            message.into(),
            "give energies: `kinetic`, `potential` or `lagrangian`",
        ));
    }
    Ok(system.whole_lagrangian())
}
