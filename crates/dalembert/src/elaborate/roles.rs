//! What symbols are for, and which of them a statement may use.

use super::{Elaborator, Fallible};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use dalembert_expr::{Expr, Symbol};

/// What a symbol is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Time,
    Parameter,
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
}

impl Role {
    pub fn has_no_rate(self) -> bool {
        matches!(self, Role::Acceleration | Role::Displacement | Role::IdealResult | Role::Result)
    }
}

/// What a statement may be written over.
#[derive(Clone, Copy)]
pub(super) struct Allowed {
    /// How messages call the statement.
    pub what: &'static str,
    pub state: State,
    pub displacements: bool,
    pub ideal_results: bool,
    pub results: bool,
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
        Allowed { what, state, displacements: false, ideal_results: false, results: false }
    }
}

impl Elaborator<'_> {
    pub(super) fn role(&self, symbol: Symbol) -> Role {
        self.roles.get(&symbol).copied().unwrap_or(Role::Result)
    }

    pub(super) fn symbol_with_role(&mut self, name: &str, role: Role) -> Symbol {
        let symbol = self.pool.symbol(name);
        self.pool.var(symbol); // terms print in the order in which names are declared
        self.roles.insert(symbol, role);
        symbol
    }

    /// Checks that a statement uses only what it may.
    pub(super) fn allow(&mut self, exprs: &[Expr], allowed: Allowed, span: Span) -> Fallible<()> {
        for symbol in self.pool.symbols(exprs) {
            let role = self.role(symbol);
            let fine = match role {
                Role::Parameter => true,
                Role::Time | Role::Coordinate => allowed.state != State::Nothing,
                Role::Rate => allowed.state == State::Velocity,
                Role::Displacement => allowed.displacements,
                Role::IdealResult => allowed.ideal_results,
                Role::Acceleration | Role::Result => allowed.results,
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
                make(Code::RateNotAllowed, format!("{what} cannot depend on the rate `{name}`"))
                    .help("forces that depend on rates are given by `force`, `work` or `dissipation`")
            }
            Role::Acceleration => make(
                Code::AccelerationNotAllowed,
                format!("{what} cannot depend on the acceleration `{name}`"),
            )
            .help("accelerations are results: use them in `output`"),
            Role::Displacement => make(
                Code::DeltaOutsideWork,
                format!("{what} cannot contain the virtual displacement `{name}`"),
            )
            .help("virtual displacements belong into `work` and `nonideal work`"),
            Role::IdealResult | Role::Result => {
                make(Code::ObservableOutsideOutput, format!("{what} cannot depend on the result `{name}`"))
                    .help("results are used in `output`; `reaction` and `multiplier` also in `nonideal work`")
            }
            _ => make(
                Code::NotConstant,
                format!("{what} must be known beforehand, it cannot depend on `{name}`"),
            ),
        }
    }
}
