//! Up to which size equations are written in closed form, and how larger ones are refused.

use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// Speeds of forms that invert M in symbols.
pub(crate) const MAX_SPEEDS: usize = 12;
/// Independent constraint rows of such forms.
pub(crate) const MAX_ROWS: usize = 6;
/// Operations in one entry.
pub(crate) const MAX_COST: u64 = 20_000;

/// Different parts of the entries of a matrix whose entries are longer than that: as many lines with names at most.
pub(crate) const MAX_PARTS: usize = 1_500;

/// Work of tidying the equations of one form, in visits of nodes of expressions: about a second.
pub(crate) const MAX_EFFORT: u64 = 12_000_000;

/// A form that does not apply, with the one that always does.
pub(crate) fn refuse(message: String) -> Box<Diagnostic> {
    let d = Diagnostic::error(Code::NotApplicable, None, message);
    Box::new(d.help(
        "`--form lagrange` writes the equations with multipliers, for any size and rank; `evaluate` gives the numbers at a state",
    ))
}
