//! Models from files and from standard input.

use crate::args::Common;
use crate::failure::{Failure, reason};
use crate::output::show;
use dalembert::diagnostic::{Diagnostic, Severity};
use dalembert::source::MAX_SOURCE_BYTES;
use dalembert::{Model, Overrides, Source};
use dalembert_files::up_to;
use std::fs::File;

/// A model and the text it was read from.
pub struct Loaded {
    pub source: Source,
    pub model: Model,
}

/// Reads a model text; `-` is standard input.
pub fn read(path: &str) -> Result<Source, Failure> {
    // One byte more than a model may have shows that there is too much; the rest is not read.
    let most = MAX_SOURCE_BYTES + 1;
    let (name, read) = match path {
        "-" => ("standard input", up_to(std::io::stdin().lock(), most)),
        path => (path, File::open(path).and_then(|file| up_to(file, most))),
    };
    let bytes = read.map_err(|error| Failure::plain(format!("cannot read `{name}`: {}", reason(&error))))?;
    Source::from_bytes(name, bytes).map_err(|d| Failure::of(*d, &Source::new(name, "")))
}

/// How much of what is remarkable about a model a command repeats.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Remarks {
    /// Notes too.
    All,
    /// What may be a mistake.
    Warnings,
}

/// Reads and derives the model of a command; remarks go to standard error unless JSON carries them.
pub fn load(common: &Common, remarks: Remarks) -> Result<Loaded, Failure> {
    let source = read(&common.model)?;
    let overrides = Overrides { set: common.set.clone(), initial: common.initial.clone() };
    match Model::load(&source, &overrides) {
        Ok(model) => {
            let model = if common.no_self_check { model.without_self_check() } else { model };
            if !common.json {
                let worth = |d: &&Diagnostic| remarks == Remarks::All || d.severity >= Severity::Warning;
                let shown: Vec<Diagnostic> = model.diagnostics.iter().filter(worth).cloned().collect();
                show(&shown, &source, common.quiet);
            }
            Ok(Loaded { source, model })
        }
        Err(diagnostics) => Err(Failure::Model { diagnostics: diagnostics.into(), source }),
    }
}
