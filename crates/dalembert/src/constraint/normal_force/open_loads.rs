//! Forces of redundant constraints that a force law reads and that no rule decides.

use super::View;
use crate::workspace::Workspace;
use dalembert_linalg::{Cod, RANK_TOL, norm};
use dalembert_run::{Nonideal, carrying_rows};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

impl Workspace {
    /// Says where the constraints that friction or non-ideal work read share a load, so that each one's part is a matter
    /// of choice.
    pub(super) fn warn_open_loads(&mut self, view: &View) {
        let carrying = carrying_rows(&self.compiled, view.state.point());
        let whole = rank(view, &carrying);
        if whole == carrying.len() {
            return;
        }
        let rows_read = self.compiled.rows_read();
        let mut said = Vec::new();
        for constraint in &self.system.constraints.named {
            let contact = self.system.contacts.iter().find(|c| c.rows == constraint.rows);
            let (own, others): (Vec<usize>, Vec<usize>) =
                carrying.iter().partition(|r| constraint.rows.contains(r));
            let read = contact.is_some() || own.iter().any(|r| rows_read.contains(r));
            if !read || rank(view, &own) + rank(view, &others) == whole {
                continue;
            }
            let (what, span) = match contact {
                Some(contact) => (format!("the normal force at `{}`", contact.name), contact.span),
                None => {
                    (format!("the force of `{}` that non-ideal work reads", constraint.name), constraint.span)
                }
            };
            let message = format!(
                "{what} is not determined: constraints that force laws read follow from each other and share the load, as equally stiff supports would"
            );
            said.push(Diagnostic::warning(Code::NormalForceOpen, span, message).help(
                "remove the redundant constraint, or let one force law read the whole group as one constraint",
            ));
        }
        self.diagnostics.extend(said);
    }
}

fn rank(view: &View, rows: &[usize]) -> usize {
    let unit = |&r: &usize| {
        let length = norm(view.row(r));
        view.row(r).iter().map(move |a| if length > 0.0 { a / length } else { 0.0 })
    };
    let A: Vec<f64> = rows.iter().flat_map(unit).collect();
    if rows.is_empty() { 0 } else { Cod::new(rows.len(), view.n).factor(&A, RANK_TOL) }
}
