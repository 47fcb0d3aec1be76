//! Everything that is wrong with a text, as an editor shows it.

use dalembert::Workspace;
use dalembert::constraint_kind::Freedom;
use dalembert::elaborate::{Overrides, read};
use dalembert::system::System;
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Source;

/// Speeds and constraint rows together up to which equations and start are checked while a model is typed.
pub const MAX_CHECKED: usize = 150;
/// Expressions of a model up to which they are.
pub const MAX_CHECKED_EXPRESSIONS: usize = 20_000;

/// What is to be said about a text: grammar, names, values and units always; equations, start and rank where the
/// model is not large. Where they are left out, a note says so.
///
/// ```
/// use dalembert::{Source, diagnostic::Code};
///
/// let text = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint x = 1\nconstraint x + y = 2\ninitial y = 3\n";
/// let said = dalembert_ide::diagnostics(&Source::new("", text));
/// assert_eq!(said[0].code, Code::InconsistentStart);
/// ```
pub fn diagnostics(source: &Source) -> Vec<Diagnostic> {
    let (system, mut diagnostics) = read(source, &Overrides::default());
    let Some(system) = system else { return diagnostics };
    if is_large(&system) {
        diagnostics.push(left_out(&system));
        return diagnostics;
    }
    let mut model = match Workspace::of(system, diagnostics) {
        Ok(model) => model,
        Err(diagnostics) => return diagnostics.into(),
    };
    let mut diagnostics = std::mem::take(&mut model.diagnostics);
    match Freedom::at_start(&mut model) {
        Ok((_, freedom)) => diagnostics.extend(freedom.remarks(&model)),
        Err(diagnostic) => diagnostics.push(*diagnostic),
    }
    diagnostics
}

fn is_large(system: &System) -> bool {
    system.frame.speeds.len() + system.constraints.rows.len() > MAX_CHECKED
        || system.pool.len() > MAX_CHECKED_EXPRESSIONS
}

fn left_out(system: &System) -> Diagnostic {
    let message = format!(
        "a large model, of {} speeds, {} constraint rows and {} expressions: names and units are checked, equations and start are not",
        system.frame.speeds.len(),
        system.constraints.rows.len(),
        system.pool.len()
    );
    Diagnostic::note(Code::NotCheckedYet, None, message).help("`dalembert check` does all of it")
}
