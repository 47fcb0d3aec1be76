//! Models from files and from standard input.

use crate::args::Common;
use crate::failure::{Failure, reason};
use crate::output::show;
use dalembert::diagnostic::{Diagnostic, Severity};
use dalembert::elaborate::points_of_columns;
use dalembert::source::MAX_SOURCE_BYTES;
use dalembert::syntax::ast::{Block, StatementKind, TableSource};
use dalembert::{Model, Overrides, Samples, Signal, Source};
use dalembert_files::up_to;
use std::fs::File;
use std::path::Path;

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

/// What is given for an input: a file of samples, or an expression.
fn signal(common: &Common, name: &str, text: &str) -> Result<(String, Signal), Failure> {
    let (path, column) = match text.split_once(".csv:") {
        Some((path, column)) => (format!("{path}.csv"), Some(column)),
        None if text.ends_with(".csv") => (text.to_owned(), None),
        None => return Ok((name.to_owned(), Signal::Expression(text.to_owned()))),
    };
    let table = read_table(&path)?;
    let header = table.lines().find(|line| !line.trim_start().starts_with('#')).unwrap_or_default();
    let others: Vec<&str> = header.split(',').map(str::trim).filter(|name| *name != "t").collect();
    let column = match (column, &others[..]) {
        (Some(column), _) => column,
        (None, [only]) => only,
        (None, _) => {
            let message = format!("`{path}` has several columns: {}", others.join(", "));
            return Err(Failure::plain(message)
                .help(format!("name one: `--input {name}={path}:{}`", others.first().unwrap_or(&"u"))));
        }
    };
    let points = points_of_columns(&table, "t", column)
        .map_err(|why| Failure::plain(format!("{why} (in `{path}`)")))?;
    let samples = Samples { points, interpolation: common.interpolate };
    Ok((name.to_owned(), Signal::Samples(samples)))
}

/// The files that the model's tables name, beside the model. From standard input there is no folder to look in.
fn table_files(common: &Common, source: &Source) -> Result<Vec<(String, String)>, Failure> {
    fn collect(block: &Block, found: &mut Vec<String>) {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::For { body, .. } => collect(body, found),
                StatementKind::Table(table) => match &table.source {
                    TableSource::File { path, .. } if !found.contains(path) => found.push(path.clone()),
                    _ => {}
                },
                _ => {}
            }
        }
    }
    let mut paths = Vec::new();
    if common.model != "-" {
        collect(&dalembert::syntax::parse(source).0.body, &mut paths);
    }
    let folder = Path::new(&common.model).parent().map(Path::to_path_buf).unwrap_or_default();
    let read = |path: String| Ok((path.clone(), read_table(&folder.join(&path).to_string_lossy())?));
    paths.into_iter().map(read).collect()
}

/// The text of a file of samples.
pub fn read_table(path: &str) -> Result<String, Failure> {
    let wrong = |why: String| Failure::plain(format!("cannot read `{path}`: {why}"));
    let bytes = File::open(path).and_then(|file| up_to(file, MAX_SOURCE_BYTES + 1));
    let bytes = bytes.map_err(|error| wrong(reason(&error)))?;
    if bytes.len() > MAX_SOURCE_BYTES {
        return Err(wrong(format!("it has more than {MAX_SOURCE_BYTES} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8 text".to_owned()))
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
    load_for(common, remarks, "")
}

/// Reads and derives the model of a command that asks for a state, `--at`: joints that it names keep their coordinates.
pub fn load_for(common: &Common, remarks: Remarks, at: &str) -> Result<Loaded, Failure> {
    let source = read(&common.model)?;
    let overrides = Overrides {
        set: common.set.clone(),
        initial: common.initial.clone(),
        kept: if at.trim().is_empty() { Vec::new() } else { vec![at.to_owned()] },
        input: common
            .input
            .iter()
            .map(|(name, text)| signal(common, name, text))
            .collect::<Result<_, _>>()?,
        files: table_files(common, &source)?,
    };
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
