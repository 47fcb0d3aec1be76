//! What symbols are for, and which of them a statement may use.

use super::{Elaborator, Fallible, Reported};
use dalembert_expr::{Expr, Symbol};
use dalembert_syntax::ast::{self, ExprKind};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;

/// What a symbol is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Time,
    Parameter,
    /// A signal from outside.
    Input,
    /// An auxiliary variable, `state` or `discrete`.
    Auxiliary,
    Coordinate,
    /// The rate of a coordinate, or a declared speed.
    Rate,
    /// A second rate, or the derivative of a speed.
    Acceleration,
    /// A virtual displacement.
    Displacement,
    /// A multiplier or reaction of the ideal solution.
    IdealResult,
    /// Another result of the solved motion.
    Result,
    /// A constant of integration.
    Constant,
}

impl Role {
    pub(crate) fn has_no_rate(self) -> bool {
        matches!(
            self,
            Role::Acceleration | Role::Displacement | Role::IdealResult | Role::Result | Role::Input
        )
    }
}

/// How messages call the contents of `draw`.
pub(super) const DRAWN: &str = "what is drawn";

/// What a statement may be written over.
#[derive(Clone, Copy)]
pub(super) struct Allowed {
    /// How messages call the statement.
    pub what: &'static str,
    pub state: State,
    pub displacements: bool,
    pub ideal_results: bool,
    pub results: bool,
    /// Accelerations, where results are not asked for.
    pub accelerations: bool,
    pub constants: bool,
    /// Signals from outside: where their rates are not asked for.
    pub inputs: bool,
    /// `state` and `discrete` variables.
    pub auxiliaries: bool,
}

/// How much of the state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Nothing,
    Position,
    Velocity,
}

impl Allowed {
    pub const fn only(what: &'static str, state: State) -> Self {
        Allowed {
            what,
            state,
            displacements: false,
            ideal_results: false,
            results: false,
            accelerations: false,
            constants: false,
            inputs: false,
            auxiliaries: false,
        }
    }
}

impl Allowed {
    /// Inputs and auxiliary variables too.
    pub(crate) const fn with_signals(self) -> Self {
        Allowed { inputs: true, auxiliaries: true, ..self }
    }

    /// Auxiliary variables too.
    pub(crate) const fn with_auxiliaries(self) -> Self {
        Allowed { auxiliaries: true, ..self }
    }
}

impl Elaborator<'_> {
    pub(super) fn role(&self, symbol: Symbol) -> Role {
        self.roles.get(symbol.index()).copied().unwrap_or(Role::Result)
    }

    pub(super) fn symbol_with_role(&mut self, name: &str, role: Role) -> Symbol {
        let symbol = self.pool.symbol(name);
        self.pool.var(symbol); // terms print in the order in which names are declared
        self.set_role(symbol, role);
        symbol
    }

    pub(super) fn set_role(&mut self, symbol: Symbol, role: Role) {
        if symbol.index() >= self.roles.len() {
            self.roles.resize(symbol.index() + 1, Role::Result);
        }
        self.roles[symbol.index()] = role;
    }

    /// Checks that a statement uses only what it may.
    pub(super) fn allow(&mut self, exprs: &[Expr], allowed: Allowed, span: Span) -> Fallible<()> {
        for symbol in self.pool.symbols(exprs) {
            let role = self.role(symbol);
            let fine = match role {
                Role::Parameter => true,
                Role::Input => allowed.inputs,
                Role::Auxiliary => allowed.auxiliaries,
                Role::Time | Role::Coordinate => allowed.state != State::Nothing,
                Role::Rate => allowed.state == State::Velocity,
                Role::Displacement => allowed.displacements,
                Role::IdealResult => allowed.ideal_results,
                Role::Acceleration => allowed.results || allowed.accelerations,
                Role::Result => allowed.results,
                Role::Constant => allowed.constants,
            };
            if !fine {
                let d = self.not_allowed(symbol, role, allowed, span);
                return self.fail(d);
            }
        }
        Ok(())
    }

    fn not_allowed(&self, symbol: Symbol, role: Role, allowed: Allowed, span: Span) -> Diagnostic {
        let (name, what) = (self.pool.name(symbol), allowed.what);
        let make = |code, message: String| Diagnostic::error(code, span, message);
        match role {
            Role::Rate if allowed.state == State::Position => {
                let d = make(Code::RateNotAllowed, format!("{what} cannot depend on the rate `{name}`"));
                if what == DRAWN {
                    return d.help("pictures show positions; give what depends on rates as an `output`");
                }
                d.help("forces that depend on rates are given by `force`, `work` or `dissipation`, gyroscopic terms by `lagrangian`")
            }
            Role::Acceleration => make(
                Code::AccelerationNotAllowed,
                format!("{what} cannot depend on the acceleration `{name}`"),
            )
            .help("accelerations are results: use them in `output`; `constraint` and `require` may be linear in them"),
            Role::Displacement => make(
                Code::DeltaOutsideWork,
                format!("{what} cannot contain the virtual displacement `{name}`"),
            )
            .help("virtual displacements belong into `work` and `nonideal work`"),
            Role::Input => make(
                Code::NotConstant,
                format!("{what} cannot depend on the input `{name}`: its rate would be needed, and it has none"),
            )
            .help("inputs stand in `force`, `work`, `nonideal work`, `state`, `output`, `event`, `friction ... limit` and requirements on accelerations, as in `require x'' = u`"),
            Role::Auxiliary => make(
                Code::NotConstant,
                format!("{what} cannot depend on the auxiliary variable `{name}`"),
            )
            .help("`state` and `discrete` variables stand in forces, work, outputs and events"),
            Role::Constant => {
                let message = format!("`{name}` is a constant of the complete integral, unknown to {what}");
                make(Code::ObservableOutsideOutput, message)
                    .help("constants of integration stand in `complete_integral` only; use a `parameter`")
            }
            Role::IdealResult | Role::Result => {
                make(Code::ObservableOutsideOutput, format!("{what} cannot depend on the result `{name}`"))
                    .help("results are used in `output`; `reaction` and `multiplier` also in `nonideal work`")
            }
            _ => make(
                Code::NotConstant,
                format!("{what} must be known beforehand, it cannot depend on `{name}`"),
            )
            .help("write it with numbers, parameters and constants"),
        }
    }

    /// Checks an expression as [`Self::allow`] does, with the caret at the smallest part that is to blame.
    pub(super) fn allow_in(&mut self, e: &ast::Expr, exprs: &[Expr], allowed: Allowed) -> Fallible<()> {
        let before = self.diagnostics.len();
        if self.allow(exprs, allowed, e.span).is_ok() {
            return Ok(());
        }
        let symbols = self.pool.symbols(exprs);
        let culprit = symbols.into_iter().find(|s| {
            let var = self.pool.var(*s);
            let refused = self.allow(&[var], allowed, e.span).is_err();
            self.diagnostics.truncate(before + 1);
            refused
        });
        if let Some(symbol) = culprit {
            let span = self.narrow(e, symbol);
            if let Some(d) = self.diagnostics.get_mut(before)
                && d.span.is_some()
            {
                d.span = Some(span);
            }
        }
        Err(Reported)
    }

    /// The smallest part of `e` whose value contains the symbol.
    fn narrow(&mut self, e: &ast::Expr, symbol: Symbol) -> Span {
        let (mut part, before) = (e, self.diagnostics.len());
        loop {
            let inner = children(part).into_iter().find(|child| {
                let value = self.value(child);
                self.diagnostics.truncate(before); // parts may not make sense by themselves
                value.is_ok_and(|v| self.pool.symbols(&v.scalars()).contains(&symbol))
            });
            match inner {
                Some(inner) => part = inner,
                None => return part.span,
            }
        }
    }
}

/// The parts an expression is made of.
pub(super) fn children(e: &ast::Expr) -> Vec<&ast::Expr> {
    match &e.kind {
        ExprKind::Number(_)
        | ExprKind::Quantity(..)
        | ExprKind::Name(_)
        | ExprKind::Index(..)
        | ExprKind::Slice(..)
        | ExprKind::Prime(..) => Vec::new(),
        ExprKind::Component(inner, _) | ExprKind::Neg(inner) | ExprKind::Not(inner) => vec![inner],
        ExprKind::Of(inner, _) | ExprKind::In(inner, _) => vec![inner],
        ExprKind::Call(_, parts) | ExprKind::Vector(parts) | ExprKind::And(parts) | ExprKind::Or(parts) => {
            parts.iter().collect()
        }
        ExprKind::SumOver(sum) => vec![&sum.body],
        ExprKind::Sum(terms) => terms.iter().map(|t| &t.expr).collect(),
        ExprKind::Product(factors) => factors.iter().map(|f| &f.expr).collect(),
        ExprKind::Power(a, b) | ExprKind::Compare(_, a, b) => vec![a, b],
        ExprKind::If(choice) => vec![&choice.condition, &choice.then, &choice.otherwise],
    }
}
