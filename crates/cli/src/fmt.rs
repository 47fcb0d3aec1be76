//! `dalembert fmt`: canonical text, in place.

use crate::args::FmtArgs;
use crate::failure::Failure;
use crate::files::put;
use crate::input::read;
use crate::output::{complain, print, print_json, report_failure, show};
use dalembert::Source;
use dalembert::diagnostic::{self, Diagnostic, any_error};
use dalembert::syntax::{parse, reformat};
use serde_json::{Value, json};
use std::io::Write;

/// What became of a file.
enum Fate {
    Same,
    Changed(String),
    Broken(Vec<Diagnostic>),
}

pub fn run(args: &FmtArgs) -> Result<(), Failure> {
    let mut failed = false;
    let mut entries = Vec::new();
    for path in &args.files {
        if let Some(out_of_time) = crate::limit::ended(&format!("`{path}` and what follows is as it was")) {
            return Err(out_of_time);
        }
        match one(args, path) {
            Ok((bad, entry)) => {
                failed |= bad;
                entries.push(entry);
            }
            Err(Failure::ReaderGone) => return Err(Failure::ReaderGone),
            Err(failure) if args.json => {
                failed = true;
                entries.push(refused(path, &failure));
            }
            Err(failure) => {
                failed = true;
                report_failure(&failure, false);
            }
        }
    }
    if args.json {
        let mut document = json!({ "files": entries });
        if failed {
            let error =
                if args.check { "some files are not formatted" } else { "some files were left as they are" };
            document["error"] = json!(error);
        }
        print_json(&document)?;
    }
    if failed { Err(Failure::Reported) } else { Ok(()) }
}

/// Formats one file; whether that is to be counted as a failure, and what to report of it.
fn one(args: &FmtArgs, path: &str) -> Result<(bool, Value), Failure> {
    let source = read(path)?;
    let fate = decide(&source);
    let changed = matches!(fate, Fate::Changed(_));
    let broken = matches!(fate, Fate::Broken(_));
    let diagnostics = match &fate {
        Fate::Broken(diagnostics) => {
            if !args.json {
                show(diagnostics, &source, args.quiet);
            }
            diagnostic::json(diagnostics, &source)
        }
        Fate::Changed(text) => {
            apply(args, path, text)?;
            json!([])
        }
        Fate::Same => {
            if path == "-" && !args.check && !args.json {
                print(&source.text)?;
            }
            json!([])
        }
    };
    let mut entry = json!({ "file": path, "changed": changed, "diagnostics": diagnostics });
    if let (Fate::Changed(text), "-", false) = (&fate, path, args.check) {
        entry["text"] = json!(text);
    }
    Ok((broken || (args.check && changed), entry))
}

fn decide(source: &Source) -> Fate {
    let (ast, diagnostics) = parse(source);
    if any_error(&diagnostics) {
        return Fate::Broken(diagnostics);
    }
    match reformat(&ast) {
        Ok(text) if text == source.text => Fate::Same,
        Ok(text) => Fate::Changed(text),
        Err(diagnostic) => Fate::Broken(vec![*diagnostic]),
    }
}

fn apply(args: &FmtArgs, path: &str, text: &str) -> Result<(), Failure> {
    let say = |words: &str| {
        if !args.quiet && !args.json {
            complain(&format!("{words} {path}\n"));
        }
    };
    match (args.check, path) {
        (true, _) => say("would format"),
        (false, "-") if args.json => {}
        (false, "-") => print(text)?,
        (false, path) => {
            put(path, |out| out.write_all(text.as_bytes()))?;
            say("formatted");
        }
    }
    Ok(())
}

fn refused(path: &str, failure: &Failure) -> Value {
    let (error, diagnostics) = match failure {
        Failure::Plain { message, .. } => (message.clone(), json!([])),
        Failure::Model { diagnostics, source } => {
            (crate::output::headline(diagnostics), diagnostic::json(diagnostics, source))
        }
        Failure::Reported | Failure::ReaderGone => (String::new(), json!([])),
    };
    json!({ "file": path, "changed": false, "error": error, "diagnostics": diagnostics })
}
