//! Tables of the model that a motion asks beyond their points: they have their end value there, which is worth a note.

use super::Table;
use crate::number::short;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Symbol};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// Part of the width of a table by which an argument must be beyond its end: less is rounding.
const BEYOND: f64 = 1e-9;

impl Workspace {
    /// A note for each table that is asked beyond its points at a row of the motion.
    pub(super) fn tables_left(&mut self, table: &Table) -> Vec<Diagnostic> {
        let mut inputs: Vec<Symbol> = vec![self.form.time];
        inputs.extend(self.system.table_symbols());
        let state = inputs.len();
        inputs.extend(&self.form.parameters);
        let pool = &mut self.system.pool;
        let known = |e: Expr| pool.symbols(&[e]).iter().all(|s| inputs.contains(s));
        let uses: Vec<_> =
            self.system.experiment.table_uses.iter().map(|used| used.argument).map(known).collect();
        let uses: Vec<_> =
            self.system.experiment.table_uses.iter().zip(uses).filter(|(_, known)| *known).collect();
        let uses: Vec<_> = uses.into_iter().map(|(used, _)| used.clone()).collect();
        if uses.is_empty() {
            return Vec::new();
        }
        let arguments: Vec<Expr> = uses.iter().map(|used| used.argument).collect();
        let program = self.system.pool.lower(&inputs, &arguments);
        let (mut registers, mut values) = (vec![0.0; program.register_count()], vec![0.0; uses.len()]);
        let mut told: Vec<&str> = Vec::new();
        let mut notes = Vec::new();
        for row in table.rows() {
            let given: Vec<f64> = row[..state].iter().chain(self.compiled.parameters()).copied().collect();
            program.run(&given, &mut registers, &mut values);
            for (used, value) in uses.iter().zip(&values) {
                let [first, last] = used.range;
                let slack = BEYOND * (last - first).abs().max(f64::MIN_POSITIVE);
                let beyond = *value < first - slack || *value > last + slack;
                if beyond && !told.contains(&used.name.as_str()) {
                    told.push(&used.name);
                    let message = format!(
                        "the table `{}` is asked at {}, beyond its points from {} to {}: it has its end value there",
                        used.name,
                        short(*value),
                        short(first),
                        short(last)
                    );
                    let d = Diagnostic::note(Code::TableLeft, used.span, message);
                    notes.push(d.help(format!("first at t = {}", short(row[0]))));
                }
            }
        }
        notes
    }
}
