//! `dalembert derive`: the equations of motion in symbols.

use crate::args::DeriveArgs;
use crate::failure::Failure;
use crate::input::{Loaded, Remarks, load};
use crate::output::{print, print_json};
use clap::ValueEnum;
use dalembert::diagnostic;
use dalembert::equations::Form;
use serde_json::json;

pub fn run(args: &DeriveArgs) -> Result<(), Failure> {
    let Loaded { source, model } = load(&args.common, Remarks::Warnings)?;
    let form: Form = name_of(args.form).parse().map_err(|d: Box<_>| Failure::of(*d, &source))?;
    let written = model.equations(form, args.format.format()).map_err(|d| Failure::of(*d, &source))?;
    if args.common.json {
        return print_json(&json!({
            "form": name_of(args.form),
            "format": name_of(args.format),
            "equations": written,
            "diagnostics": diagnostic::json(&model.diagnostics, &source),
        }));
    }
    let end = if written.ends_with('\n') { "" } else { "\n" };
    print(&format!("{written}{end}"))
}

pub fn name_of(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned())
}
