//! `dalembert export`: the motion as source text for elsewhere, or as an FMU.

use crate::args::{ExportArgs, TargetName};
use crate::failure::Failure;
use crate::files::{extension, probe_all, put};
use crate::input::{Loaded, Remarks, load};
use crate::output::{print, print_json};
use clap::ValueEnum;
use dalembert::diagnostic;
use dalembert_codegen::{self as code, COptions, FmiVersion, Target, identifier};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

pub fn run(args: &ExportArgs) -> Result<(), Failure> {
    let file = args.out.as_deref().filter(|path| *path != "-");
    if let (TargetName::Fmu, None) = (args.target, file) {
        let message = "an FMU is an archive and needs the name of a file\n";
        let help = "as in `--out model.fmu`\n";
        clap::Error::raw(clap::error::ErrorKind::MissingRequiredArgument, format!("{message}{help}")).exit();
    }
    let header = header_path(args, file);
    let paths: Vec<String> = file.map(str::to_owned).into_iter().chain(header.clone()).collect();
    probe_all(&paths, &args.common.model)?;
    let Loaded { source, model } = load(&args.common, Remarks::Warnings)?;
    if let Ok(start) = model.start() {
        model.check_once(&start.state).map_err(|d| Failure::of(*d, &source))?;
    }
    let stem = Path::new(&args.common.model).file_stem().map(|s| s.to_string_lossy().into_owned());
    let stem = stem.filter(|_| args.common.model != "-").or(model.system.title.clone());
    let name = args.name.clone().unwrap_or_else(|| identifier(&stem.unwrap_or_default()));
    let failed = |d: Box<diagnostic::Diagnostic>| Failure::of(*d, &source);
    let mut document = json!({});
    let text = match args.target {
        TargetName::Fmu => {
            let version = if args.fmi == 2 { FmiVersion::Two } else { FmiVersion::Three };
            let fmu = code::write_fmu(&model, &name, version, args.baumgarte.map(|(a, b)| [a, b]))
                .map_err(failed)?;
            document["binary"] = packed(&fmu, file.unwrap_or_default())?;
            String::new()
        }
        TargetName::C => {
            let options = COptions { step: args.step, jacobian: args.jacobian };
            let (declarations, text) = code::write_c(&model, &name, options).map_err(failed)?;
            if let Some(path) = &header {
                put(path, |out| out.write_all(declarations.as_bytes()))?;
                document["header"] = json!(path);
            }
            text
        }
        TargetName::Rust => code::write(&model, Target::Rust, &name).map_err(failed)?,
        TargetName::Python => code::write(&model, Target::Python, &name).map_err(failed)?,
    };
    if let (Some(path), false) = (file, text.is_empty()) {
        put(path, |out| out.write_all(text.as_bytes()))?;
    }
    if args.common.json {
        let target = args.target.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned());
        document["target"] = json!(target);
        document["name"] = json!(name);
        document["file"] = json!(file);
        document["code"] = json!(if file.is_none() { Some(&text) } else { None });
        document["diagnostics"] = diagnostic::json(&model.diagnostics, &source);
        return print_json(&document);
    }
    match file {
        None => print(&text),
        Some(path) if !args.common.quiet => {
            let extra = match &document["binary"] {
                Value::String(why) => format!("no library for this machine: {why}\n"),
                _ => String::new(),
            };
            let header = header.map_or_else(String::new, |path| format!("wrote {path}\n"));
            print(&format!("{extra}wrote {path}\n{header}"))
        }
        Some(_) => Ok(()),
    }
}

/// The header beside a C file.
fn header_path(args: &ExportArgs, file: Option<&str>) -> Option<String> {
    let path = file.filter(|path| matches!(args.target, TargetName::C) && extension(path) == "c")?;
    Some(Path::new(path).with_extension("h").to_string_lossy().into_owned())
}

/// Packs an FMU: description, sources, and a library where a C compiler makes one. True, or why there is no library.
fn packed(fmu: &code::Fmu, path: &str) -> Result<Value, Failure> {
    let made = dalembert_files::compile_library(&fmu.name, &fmu.source);
    let archive = fmu.archive(made.as_deref().ok());
    put(path, |out| out.write_all(&archive))?;
    Ok(made.map_or_else(Value::String, |_| Value::Bool(true)))
}
