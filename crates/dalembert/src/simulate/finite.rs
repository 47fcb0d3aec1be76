//! Numbers of a table that are not finite: of the state an error, of outputs a warning.
//!
//! An output such as 1/x may have no value at some instants, and its table says so by NaN or inf there; the motion is
//! right all the same. A state that is not finite is not a motion.

use super::Table;
use crate::workspace::Workspace;
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// Entries of one column that are not finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NotFinite {
    /// Which column.
    pub column: usize,
    /// How many of its rows.
    pub rows: usize,
    /// Which row is the first of them.
    pub first: usize,
}

impl Table {
    /// Columns with entries that are not finite.
    pub fn not_finite(&self) -> Vec<NotFinite> {
        if self.values.iter().all(|v| v.is_finite()) {
            return Vec::new();
        }
        let in_column = |column: usize| {
            let mut bad = self.rows().enumerate().filter(|(_, row)| !row[column].is_finite()).map(|(k, _)| k);
            let first = bad.next()?;
            Some(NotFinite { column, rows: 1 + bad.count(), first })
        };
        (0..self.columns.len()).filter_map(in_column).collect()
    }
}

/// What is wrong with the state in a table, and what is to be said of its outputs.
pub(crate) fn judge(model: &Workspace, table: &Table) -> (Option<Diagnostic>, Vec<Diagnostic>) {
    let states = 1 + model.state_names().len();
    let (mut error, mut remarks) = (None, Vec::new());
    for found in table.not_finite() {
        let NotFinite { column, rows, first } = found;
        let (name, t) = (&table.columns[column], table.row(first)[0]);
        if column < states {
            let message = format!("the motion left the finite numbers: `{name}` has no value at t = {t}");
            error.get_or_insert_with(|| Diagnostic::error(Code::StateNotFinite, None, message));
            continue;
        }
        let all = table.rows().count();
        let message = format!("`{name}` is not a finite number in {rows} of {all} rows, first at t = {t}");
        let span = model
            .system
            .experiment
            .outputs
            .iter()
            .find(|output| output.name == *name)
            .map(|output| output.span);
        let help = "the table has NaN or inf there; say what the output is where its formula has no value, as in `if abs(x) > 1e-9 then 1/x else 0`";
        remarks.push(Diagnostic::warning(Code::OutputNotFinite, span, message).help(help));
    }
    (error, remarks)
}
