//! Statements behind the terms of the equations of motion, so that a message can name them.

use dalembert_expr::Expr;
use dalembert_syntax::source::Span;

/// What one statement adds to the equations of motion.
#[derive(Clone, Debug)]
pub struct Contribution {
    /// Where it is written.
    pub span: Span,
    /// What it says.
    pub law: Law,
}

/// The kinds of such statements.
#[derive(Clone, Debug)]
pub enum Law {
    /// A kinetic or potential energy, or a Lagrangian.
    Energy(Expr),
    /// A Rayleigh function.
    Dissipation(Expr),
    /// Generalised forces on speeds, by index.
    Forces(Vec<(usize, Expr)>),
}
