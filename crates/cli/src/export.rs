//! `dalembert export`: the motion as source text for elsewhere.

use crate::args::{ExportArgs, TargetName};
use crate::failure::Failure;
use crate::files::{probe, put};
use crate::input::{Loaded, Remarks, load};
use crate::output::{print, print_json};
use clap::ValueEnum;
use dalembert::diagnostic;
use dalembert_codegen::{self as code, Target, identifier};
use serde_json::json;
use std::io::Write;
use std::path::Path;

pub fn run(args: &ExportArgs) -> Result<(), Failure> {
    let target = match args.target {
        TargetName::C => Target::C,
        TargetName::Rust => Target::Rust,
        TargetName::Python => Target::Python,
        TargetName::Fmu => {
            return Err(Failure::plain("`--target fmu` is not available yet")
                .help("available now: --target c, rust, python"));
        }
    };
    let file = args.out.as_deref().filter(|path| *path != "-");
    if let Some(path) = file {
        probe(path, &args.common.model)?;
    }
    let Loaded { source, model } = load(&args.common, Remarks::Warnings)?;
    if let Ok(start) = model.start() {
        model.check_once(&start.state).map_err(|d| Failure::of(*d, &source))?;
    }
    let stem = Path::new(&args.common.model).file_stem().map(|s| s.to_string_lossy().into_owned());
    let stem = stem.filter(|_| args.common.model != "-").or(model.system.title.clone());
    let name = args.name.clone().unwrap_or_else(|| identifier(&stem.unwrap_or_default()));
    let text = code::write(&model, target, &name).map_err(|d| Failure::of(*d, &source))?;
    if let Some(path) = file {
        put(path, |out| out.write_all(text.as_bytes()))?;
    }
    if args.common.json {
        let target = args.target.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned());
        return print_json(&json!({
            "target": target,
            "name": name,
            "file": file,
            "code": if file.is_none() { Some(&text) } else { None },
            "diagnostics": diagnostic::json(&model.diagnostics, &source),
        }));
    }
    match file {
        None => print(&text),
        Some(path) if !args.common.quiet => print(&format!("wrote {path}\n")),
        Some(_) => Ok(()),
    }
}
