//! A complete integral of the Hamilton-Jacobi equation, as it is written.

use super::roles::{Allowed, Role, State};
use super::scope::Binding;
use super::value::Value;
use super::{Elaborator, Fallible};
use crate::system::CompleteIntegral;
use dalembert_syntax::ast::{self, Target};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;

impl Elaborator<'_> {
    /// `complete_integral (a1, a2) = S`: its constants are known to S alone.
    pub(super) fn complete_integral(
        &mut self,
        targets: &[Target],
        action: &ast::Expr,
        span: Span,
    ) -> Fallible<()> {
        if let Some(first) = &self.experiment.complete_integral {
            let first = first.span;
            let d = Diagnostic::error(Code::StatementTwice, span, "a complete integral is given twice");
            return self.fail(d.label(first, "first here"));
        }
        let mut constants = Vec::new();
        for target in targets {
            for name in self.members(target)? {
                let symbol = self.symbol_with_role(&name, Role::Constant);
                let value = Value::Scalar(self.pool.var(symbol), UnitInfo::Missing);
                self.declare(&name, Binding::Value(value), target.span)?;
                constants.push((name, symbol));
            }
        }
        let base = Allowed::only("a complete integral", State::Position);
        let action = self.part(action, Allowed { constants: true, ..base })?.expr;
        self.experiment.complete_integral = Some(CompleteIntegral { constants, action, span });
        Ok(())
    }
}
