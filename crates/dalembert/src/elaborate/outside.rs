//! Values of expressions that are given from outside, when a model has been read.

use super::roles::{Allowed, Role, State};
use super::scope::Binding;
use super::{Elaborator, Fallible, Overrides, Reported};
use crate::system::Parameter;
use dalembert_expr::Symbol;
use dalembert_syntax::ast;
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::units::UnitInfo;
use rustc_hash::FxHashMap;

/// The value of an expression of parameters, in a unit that is wanted. Places in its text are none of the model's.
pub(crate) fn value_in(
    parameters: &[Parameter],
    values: &[f64],
    e: &ast::Expr,
    unit: &UnitInfo,
) -> Result<f64, Box<Diagnostic>> {
    let overrides = Overrides::default();
    let mut this = Elaborator::new(&overrides);
    let read = this.declare_again(parameters).and_then(|()| {
        let (value, kind) = this.scalar(e)?;
        this.allow(&[value], Allowed::only("a value of the state", State::Nothing), e.span)?;
        this.same_unit(unit, &kind, e.span)?;
        Ok(value)
    });
    let value = match read {
        Ok(value) => {
            let symbols: FxHashMap<Symbol, f64> =
                this.parameters.iter().map(|p| p.symbol).zip(values.iter().copied()).collect();
            this.pool.evaluate(value, |s| symbols.get(&s).copied().unwrap_or(f64::NAN))
        }
        Err(Reported) => {
            let said = this.diagnostics.pop();
            let said =
                said.unwrap_or_else(|| Diagnostic::error(Code::BadOption, None, "this is not a value"));
            let said = Diagnostic { span: None, labels: Vec::new(), suggestion: None, ..said };
            let near = said.help.as_ref().is_some_and(|help| help.starts_with("did you mean"));
            return Err(Box::new(match said.code {
                Code::UnknownName if !near => {
                    said.help("write values with numbers and the model's parameters")
                }
                _ => said,
            }));
        }
    };
    match value.is_finite() {
        true => Ok(value),
        false => Err(Box::new(Diagnostic::error(Code::NotFinite, None, "a value is not a finite number"))),
    }
}

/// The value of an expression that uses no name but `pi`.
pub(crate) fn constant_value(e: &ast::Expr) -> Option<f64> {
    let overrides = Overrides::default();
    let mut this = Elaborator::new(&overrides);
    let (value, _) = this.scalar(e).ok()?;
    if !this.pool.symbols(&[value]).is_empty() {
        return None;
    }
    Some(this.pool.evaluate(value, |_| f64::NAN))
}

impl Elaborator<'_> {
    /// Declares parameters of a model that was read before.
    fn declare_again(&mut self, parameters: &[Parameter]) -> Fallible<()> {
        for (k, p) in parameters.iter().enumerate() {
            self.declare(&p.name, Binding::Parameter(k), p.span)?;
            let symbol = self.symbol_with_role(&p.name, Role::Parameter);
            self.parameters.push(Parameter { symbol, ..p.clone() });
        }
        Ok(())
    }
}
