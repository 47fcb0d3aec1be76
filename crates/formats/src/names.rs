//! Names of the file as names of the language: each once, and nothing that a statement would read otherwise.

use crate::xml::Log;
use dalembert_syntax::diagnostic::Code;
use dalembert_syntax::source::{Source, Span};
use dalembert_syntax::words::is_reserved;
use std::collections::HashSet;

/// Longest name that is kept as it is.
const LONGEST: usize = 100;

/// The names that are taken.
#[derive(Default)]
pub struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// A name for something that the file calls `wanted`; a change is said. `kind` is added where the name is taken.
    pub fn of_file(&mut self, wanted: &str, kind: &str, span: Span, log: &mut Log) -> String {
        let name = self.fresh(wanted, kind);
        if name != wanted {
            let shown: String = wanted.chars().take(LONGEST).collect();
            log.say(
                Code::ImportRenamed,
                span,
                format!("the {kind} `{shown}` is called `{name}` in the model"),
            );
        }
        name
    }

    /// A name like `wanted` for something that the file has no name for.
    pub fn fresh(&mut self, wanted: &str, kind: &str) -> String {
        let base = spelt(wanted);
        let mut name = base.clone();
        let mut tries = 1;
        while !is_usable(&name) || self.taken.contains(&name) {
            name = if tries == 1 { format!("{base}_{kind}") } else { format!("{base}_{kind}{tries}") };
            tries += 1;
        }
        self.taken.insert(name.clone());
        name
    }
}

/// The name in letters, digits and `_`.
fn spelt(wanted: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    let name: String = wanted.chars().take(LONGEST).map(letter).collect();
    match name.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => name,
        Some(_) if name.chars().any(|c| c.is_ascii_alphanumeric()) => format!("n{name}"),
        _ => "unnamed".to_owned(),
    }
}

/// Whether a name means itself wherever the importer writes one. The grammar is asked, so that no list of words is needed.
fn is_usable(name: &str) -> bool {
    if is_reserved(name) || name == "ground" || name == "g" {
        return false;
    }
    // No word of the language that is not reserved has capital letters or digits inside, so most names need no further look.
    if name.bytes().any(|b| b.is_ascii_uppercase() || b.is_ascii_digit()) {
        return true;
    }
    let probe = format!(
        "input {name} = 0\nbody {name}: mass 1\nframe {name}: {name} at [0, 0, 0] turned rpy(0, 0, 0)\n\
         joint {name}: pin {name} at [0, 0, 0] turned axis [0, 0, 1] by 1 to {name} at [0, 0, 0], axis [0, 0, 1]\n\
         joint {name}: free {name} to {name}, cut\ndamper {name}: 1 at {name}\nspring {name}: 1 angle 1 at {name}\n\
         force {name} = 2*{name} - {name}'\nforce [0, 0, 1] of {name} at {name}.centre\ntorque [0, 0, 1] in {name} on {name}\n\
         constraint {name}: {name} = {name}^2\ninitial {name} ~ 1, {name}.x ~ 2\nstate {name}' = {name}\n"
    );
    let (ast, diagnostics) = dalembert_syntax::parse(&Source::new("", probe));
    diagnostics.is_empty() && ast.body.statements.len() == 13
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_become_names_of_models() {
        let (mut names, mut log) = (Names::default(), Log::default());
        let mut of = |wanted: &str, kind: &str| names.of_file(wanted, kind, Span::at(0), &mut log);
        assert_eq!(of("shoulder", "joint"), "shoulder");
        assert_eq!(of("shoulder", "link"), "shoulder_link");
        assert_eq!(of("shoulder", "link"), "shoulder_link2");
        assert_eq!(of("base_link-base", "joint"), "base_link_base");
        assert_eq!(of("3rd/finger", "joint"), "n3rd_finger");
        assert_eq!(of("", "link"), "unnamed");
        assert_eq!(of("sin", "joint"), "sin_joint");
        assert_eq!(of("ground", "link"), "ground_link");
        // A body may be called like a shape.
        assert_eq!(of("ball", "body"), "ball");
        assert_eq!(log.messages.len(), 7);
    }
}
