//! `dalembert import`: a robot in URDF or MJCF as model text.

use crate::args::ImportArgs;
use crate::failure::{Failure, reason};
use crate::files::{probe, put};
use crate::input::read;
use crate::output::{complain, print, print_json, show};
use dalembert::Source;
use dalembert::diagnostic::{self, Diagnostic, Severity};
use dalembert::source::MAX_SOURCE_BYTES;
use dalembert_files::read_text;
use dalembert_formats::{Imported, Options, import, include, rounded};
use serde_json::json;
use std::io::Write;
use std::path::Path;

pub fn run(args: &ImportArgs) -> Result<(), Failure> {
    let file = args.out.as_deref().filter(|path| *path != "-");
    if let Some(path) = file {
        probe(path, &args.file)?;
    }
    let source = with_included(&args.file, read(&args.file)?)?;
    let options = Options { fixed_base: args.fixed_base };
    let made = import(&source, &options)
        .map_err(|diagnostics| Failure::Model { diagnostics: diagnostics.into(), source: source.clone() })?;
    if let Some(path) = file {
        put(path, |out| out.write_all(made.text.as_bytes()))?;
    }
    if args.json {
        return print_json(&json!({
            "format": made.format.name(),
            "title": made.title,
            "file": file,
            "text": if file.is_none() { Some(&made.text) } else { None },
            "total_mass": made.total_mass,
            "ground_mass": made.ground_mass,
            "bodies": made.bodies,
            "joints": made.joints,
            "inputs": made.inputs,
            "diagnostics": diagnostic::json(&made.diagnostics, &source),
        }));
    }
    let worth = |d: &&Diagnostic| !args.quiet || d.severity >= Severity::Warning;
    let shown: Vec<Diagnostic> = made.diagnostics.iter().filter(worth).cloned().collect();
    show(&shown, &source, false);
    match file {
        None => {
            print(&made.text)?;
            if !args.quiet {
                complain(&summary(&made));
            }
            Ok(())
        }
        Some(path) if !args.quiet => print(&format!("{}wrote {path}\n", summary(&made))),
        Some(_) => Ok(()),
    }
}

/// The text with the files that it includes, which are in its folder.
fn with_included(path: &str, source: Source) -> Result<Source, Failure> {
    let Some(folder) = Path::new(path).parent().filter(|_| path != "-") else { return Ok(source) };
    let whole = include(&source, |file| {
        read_text(&folder.join(file), MAX_SOURCE_BYTES).map_err(|error| reason(&error))
    });
    whole.map_err(|diagnostics| Failure::Model { diagnostics: diagnostics.into(), source })
}

/// What was made, in a line.
fn summary(made: &Imported) -> String {
    let of = |n: usize, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
    let bodies = if made.bodies == 1 { "1 body".to_owned() } else { format!("{} bodies", made.bodies) };
    let fixed = match made.ground_mass {
        0.0 => String::new(),
        mass => format!(" ({} kg of it fixed to the ground)", rounded(mass)),
    };
    format!(
        "{} {}: {bodies}, {}, {}; total mass {} kg{fixed}\n",
        made.format.name(),
        made.title,
        of(made.joints, "joint"),
        of(made.inputs.len(), "input"),
        rounded(made.total_mass)
    )
}
