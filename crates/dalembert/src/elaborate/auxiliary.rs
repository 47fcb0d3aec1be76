//! Auxiliary variables: `state z' = E` with a rate of its own, `discrete m = 1` that only events change; and what is given for
//! inputs from outside.
//!
//! They are variables of x behind the coordinates, with a rate that need not be linear in the speeds, and rows of zeros in the
//! frame X: no virtual displacement changes them, so the equations of motion (L3) see them in forces only.

use super::roles::{Allowed, Role, State};
use super::scope::Binding;
use super::speeds::Kinematics;
use super::{Elaborator, Fallible, RawInitial, Signal};
use crate::system::{Coordinate, CoordinateSort};
use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_syntax::ast::{self, Definition, StatementKind};
use dalembert_syntax::diagnostic::{Code, Diagnostic, nearest};
use dalembert_syntax::parse;
use dalembert_syntax::source::{Source, Span};
use dalembert_syntax::units::UnitInfo;

/// A variable as far as it has been read.
pub(super) struct Auxiliary {
    name: String,
    pub symbol: Symbol,
    sort: CoordinateSort,
    /// Its rate, over rates and speeds as they are written.
    rate: Expr,
    pub kind: UnitInfo,
    span: Span,
}

impl Elaborator<'_> {
    /// All names of the statement are known to all its rates.
    pub(super) fn auxiliary_states(&mut self, definitions: &[Definition]) -> Fallible<()> {
        let first = self.frame.auxiliaries.len();
        let mut of = Vec::new();
        for d in definitions {
            let kind = self.state_unit(d.unit.as_ref()).inspect_err(|_| self.poison(&d.target))?;
            for name in self.members(&d.target).inspect_err(|_| self.poison(&d.target))? {
                self.new_auxiliary(&name, kind.clone(), CoordinateSort::State, d.target.span)?;
                of.push(d);
            }
        }
        for (k, d) in of.into_iter().enumerate() {
            let allowed = Allowed::only("the rate of a state", State::Velocity).with_signals();
            let part = self.part(&d.value, allowed)?;
            let per_time = self.frame.auxiliaries[first + k].kind.per_time();
            self.same_unit(&per_time, &part.kind, d.value.span)?;
            self.frame.auxiliaries[first + k].rate = part.expr;
            self.dot.define(self.frame.auxiliaries[first + k].symbol, part.expr);
        }
        Ok(())
    }

    /// `discrete mode = 1`
    pub(super) fn discrete(&mut self, d: &Definition) -> Fallible<()> {
        let kind = self.state_unit(d.unit.as_ref()).inspect_err(|_| self.poison(&d.target))?;
        let names = self.members(&d.target).inspect_err(|_| self.poison(&d.target))?;
        let values =
            self.value_of_each(&d.target, names.len(), &d.value).inspect_err(|_| self.poison(&d.target))?;
        for (k, name) in names.into_iter().enumerate() {
            let (value, given) = values[k % values.len()].clone();
            self.allow(&[value], Allowed::only("a discrete value", State::Nothing), d.value.span)?;
            let kind = if kind == UnitInfo::Missing { given } else { kind.clone() };
            let index = self.new_auxiliary(&name, kind, CoordinateSort::Discrete, d.target.span)?;
            self.dot.define(self.frame.auxiliaries[index].symbol, Pool::ZERO);
            let on = Binding::Auxiliary(index);
            // A guess, so that `initial` and `--initial` may say something else.
            let start =
                RawInitial { on, order: 0, fixed: false, value, span: Some(d.target.span), option: None };
            self.store(start, &name)?;
        }
        Ok(())
    }

    /// Puts signals from outside in the place of inputs: a number is another value, anything else replaces the symbol.
    pub(super) fn give_inputs(&mut self) {
        for (name, signal) in self.overrides.input.clone() {
            let _reported = self.give_input(&name, &signal);
            self.foreign = None;
        }
    }

    fn give_input(&mut self, name: &str, signal: &Signal) -> Fallible<()> {
        let inputs: Vec<String> =
            self.parameters.iter().filter(|p| p.is_input).map(|p| p.name.clone()).collect();
        let Some(k) = self.parameters.iter().position(|p| p.is_input && p.name == name) else {
            let d =
                Diagnostic::error(Code::UnknownParameter, None, format!("the model has no input `{name}`"));
            return self.fail(match nearest(name, inputs.iter().map(String::as_str)) {
                Some(near) => d.help(format!("did you mean `{near}`?")),
                None if inputs.is_empty() => d.help("declare it with `input u = 0`"),
                None => d.help(format!("its inputs are {}", inputs.join(", "))),
            });
        };
        self.foreign = Some(format!("--input {name}"));
        let value = match signal {
            Signal::Samples(samples) => {
                if let Err(message) = samples.check() {
                    return self.fail(Diagnostic::error(Code::BadOption, None, message));
                }
                let time = self.pool.var(self.time);
                samples.at(&mut self.pool, time)
            }
            Signal::Expression(text) => self.signal_expression(k, text)?,
        };
        match self.pool.symbols(&[value]).is_empty() {
            true => self.parameters[k].value = value,
            false => {
                // Nothing reads it any more: for `linearize` it is no input of the system.
                self.parameters[k].is_input = false;
                self.input_images.push((self.parameters[k].symbol, value));
            }
        }
        Ok(())
    }

    fn signal_expression(&mut self, k: usize, text: &str) -> Fallible<Expr> {
        let (ast, said) = parse(&Source::new("--input", format!("let value = {text}")));
        let kinds: Vec<&StatementKind> = ast.body.statements.iter().map(|s| &s.kind).collect();
        let [StatementKind::Let(list)] = kinds.as_slice() else {
            let d = Diagnostic::error(Code::BadOption, None, format!("`{text}` is not a signal"));
            return self.fail(d.help(
                "write a number, an expression as `--input \"u=-2*x\"`, or a file `u=data.csv:column`",
            ));
        };
        if !said.is_empty() || list.len() != 1 || !list[0].arguments.is_empty() {
            return self.fail(Diagnostic::error(Code::BadOption, None, format!("`{text}` is not a signal")));
        }
        // Plain numbers may be gains in SI units, as in `-3*x - 2*x'`.
        self.mixed_units = (!text.contains('{')).then_some(false);
        let read = self.signal_value(k, &list[0].value);
        if self.mixed_units.take() == Some(true) {
            let name = &self.parameters[k].name;
            let message =
                format!("units differ in the signal of `{name}`: its numbers are taken in SI units");
            let help = "numbers with units are checked, as in `-3 {N/m}*x`";
            self.diagnostics.push(Diagnostic::warning(Code::SignalUnits, None, message).help(help));
        }
        read
    }

    fn signal_value(&mut self, k: usize, written: &ast::Expr) -> Fallible<Expr> {
        let (value, kind) = self.scalar(written)?;
        let allowed = Allowed::only("a signal", State::Velocity).with_auxiliaries();
        self.allow(&[value], allowed, written.span)?;
        if kind == UnitInfo::Number && self.pool.symbols(&[value]).is_empty() {
            // A bare number is in the unit of the file.
            let size = Rational::from_f64(self.parameters[k].unit_size).unwrap_or(Rational::ONE);
            return Ok(self.pool.scale(value, size));
        }
        let declared = self.parameters[k].kind.clone();
        self.same_unit(&declared, &kind, written.span)?;
        Ok(value)
    }

    /// What stands for inputs once the speeds are known.
    pub(super) fn add_input_images(&mut self, images: &mut Vec<(Symbol, Expr)>) {
        let given = std::mem::take(&mut self.input_images);
        let (symbols, values): (Vec<Symbol>, Vec<Expr>) = given.into_iter().unzip();
        let values = self.pool.substitute(&values, images);
        self.signals = symbols.into_iter().zip(values).collect();
        images.extend(self.signals.iter().copied());
    }

    fn new_auxiliary(
        &mut self,
        name: &str,
        kind: UnitInfo,
        sort: CoordinateSort,
        span: Span,
    ) -> Fallible<usize> {
        let index = self.frame.auxiliaries.len();
        self.declare(name, Binding::Auxiliary(index), span)?;
        let symbol = self.symbol_with_role(name, Role::Auxiliary);
        self.frame.auxiliaries.push(Auxiliary {
            name: name.to_owned(),
            symbol,
            sort,
            rate: Pool::ZERO,
            kind,
            span,
        });
        Ok(index)
    }

    /// Their rates in the speeds.
    pub(super) fn auxiliary_rates(&mut self, images: &[(Symbol, Expr)]) -> Vec<Expr> {
        let rates: Vec<Expr> = self.frame.auxiliaries.iter().map(|z| z.rate).collect();
        self.pool.substitute(&rates, images)
    }

    /// Where an auxiliary variable stands behind the coordinates: state variables come before discrete values.
    pub(super) fn auxiliary_place(&self, k: usize) -> usize {
        let before = |z: &&Auxiliary| z.sort == self.frame.auxiliaries[k].sort;
        let same = self.frame.auxiliaries[..k].iter().filter(before).count();
        let states = || self.frame.auxiliaries.iter().filter(|z| z.sort == CoordinateSort::State).count();
        if self.frame.auxiliaries[k].sort == CoordinateSort::State { same } else { states() + same }
    }

    /// Puts them behind the coordinates.
    pub(super) fn append_auxiliaries(&mut self, kinematics: &mut Kinematics, rates: Vec<Expr>) {
        let mut sorted: Vec<(Auxiliary, Expr)> =
            std::mem::take(&mut self.frame.auxiliaries).into_iter().zip(rates).collect();
        sorted.sort_by_key(|(z, _)| z.sort == CoordinateSort::Discrete);
        for (z, rate) in sorted {
            kinematics.rates.push(rate);
            let [rate, acceleration] =
                ["'", "''"].map(|primes| self.pool.symbol(&format!("{}{primes}", z.name)));
            let displacement = self.pool.symbol(&format!("delta({})", z.name));
            self.frame.coordinates.push(Coordinate {
                sort: z.sort,
                name: z.name,
                symbol: z.symbol,
                rate,
                acceleration,
                displacement,
                kind: z.kind,
                span: z.span,
            });
        }
        for row in kinematics.inverse.iter_mut().flatten() {
            row.resize(self.frame.coordinates.len(), Pool::ZERO);
        }
    }
}
