//! Expressions that are given from outside, when a model has been read: their values, or the expressions
//! themselves.

use super::roles::{Allowed, Role, State};
use super::scope::Binding;
use super::value::Value;
use super::{Elaborator, Fallible, Overrides, Reported};
use crate::system::{Coordinate, Parameter};
use dalembert_expr::{Expr, Pool, Symbol};
use dalembert_syntax::ast::{self, StatementKind};
use dalembert_syntax::diagnostic::{Code, Diagnostic, nearest};
use dalembert_syntax::parse;
use dalembert_syntax::source::{Source, Span};
use dalembert_syntax::units::UnitInfo;
use rustc_hash::FxHashMap;

/// The value of an expression of parameters, in a unit that is wanted. Places in its text are none of the
/// model's.
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

/// The names that an expression from outside may use, besides `t`.
pub(crate) struct Names<'a> {
    pub parameters: &'a [Parameter],
    /// Coordinates, with their rates.
    pub coordinates: &'a [Coordinate],
    /// Further names, without rates.
    pub others: Vec<String>,
}

/// A scalar expression in a pool of its own, over symbols called as in the model. Places in its text are
/// none of the model's.
pub(crate) fn expression_over(text: &str, names: &Names<'_>) -> Result<(Pool, Expr), Box<Diagnostic>> {
    let bad = |message: String| Box::new(Diagnostic::error(Code::BadOption, None, message));
    let (ast, said) = parse(&Source::new("expression", format!("let value = {text}")));
    let kinds: Vec<&StatementKind> = ast.body.statements.iter().map(|s| &s.kind).collect();
    let value = match kinds.as_slice() {
        [StatementKind::Let(list)] if said.is_empty() && list.len() == 1 && list[0].arguments.is_empty() => {
            &list[0].value
        }
        _ => return Err(bad(format!("`{text}` is not an expression"))),
    };
    let overrides = Overrides::default();
    let mut this = Elaborator::new(&overrides);
    this.foreign = Some(text.to_owned());
    let read = this.declare_outside(names).and_then(|()| Ok(this.scalar(value)?.0));
    let Ok(read) = read else {
        let said = this.diagnostics.pop().unwrap_or_else(|| *bad(format!("`{text}` is not an expression")));
        return Err(Box::new(match said.code {
            Code::UnknownName if !said.help.as_ref().is_some_and(|help| help.starts_with("did you mean")) => {
                said.help(format!("known here are {}", names.list()))
            }
            _ => said,
        }));
    };
    let known: Vec<Symbol> = names.all().iter().map(|name| this.pool.symbol(name)).collect();
    let foreign = this.pool.symbols(&[read]).into_iter().find(|s| !known.contains(s));
    if let Some(symbol) = foreign {
        let name = this.pool.name(symbol);
        let d = bad(format!("`{name}` in `{text}` is not a function of the names known here"));
        return Err(Box::new(match nearest(name, names.all().iter().map(String::as_str)) {
            Some(near) => d.help(format!("did you mean `{near}`?")),
            None => d.help(format!("known here are {}", names.list())),
        }));
    }
    Ok((this.pool, read))
}

impl Names<'_> {
    fn all(&self) -> Vec<String> {
        let coordinates = self.coordinates.iter().flat_map(|c| [c.name.clone(), format!("{}'", c.name)]);
        let parameters = self.parameters.iter().map(|p| p.name.clone());
        let others = self.others.iter().cloned();
        ["t".to_owned()].into_iter().chain(coordinates).chain(others).chain(parameters).collect()
    }

    fn list(&self) -> String {
        self.all().join(", ")
    }
}

impl Elaborator<'_> {
    /// Declares the names of an expression that is not part of a model.
    fn declare_outside(&mut self, names: &Names<'_>) -> Fallible<()> {
        self.declare_again(names.parameters)?;
        for c in names.coordinates {
            let symbol = self.symbol_with_role(&c.name, Role::Coordinate);
            let rate = self.symbol_with_role(&format!("{}'", c.name), Role::Acceleration);
            let rate = self.pool.var(rate);
            self.dot.define(symbol, rate);
            let value = Value::Scalar(self.pool.var(symbol), c.kind.clone());
            self.declare(&c.name, Binding::Value(value), c.span)?;
        }
        for name in &names.others {
            let symbol = self.symbol_with_role(name, Role::Result);
            let value = Value::Scalar(self.pool.var(symbol), UnitInfo::Missing);
            self.declare(name, Binding::Value(value), Span::default())?;
        }
        Ok(())
    }

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
