//! `dalembert derive`: the equations of motion in symbols.

use crate::args::{DeriveArgs, FormName};
use crate::failure::Failure;
use crate::input::{Loaded, Remarks, load};
use crate::output::{print, print_json};
use crate::text_table::split_names;
use clap::ValueEnum;
use dalembert::Model;
use dalembert::diagnostic::{self, Diagnostic};
use dalembert::equations::Style;
use serde_json::json;

pub fn run(args: &DeriveArgs) -> Result<(), Failure> {
    let Loaded { source, model } = load(&args.common, Remarks::Warnings)?;
    let written = written(args, &model).map_err(|d| Failure::of(*d, &source))?;
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

fn written(args: &DeriveArgs, model: &Model) -> Result<String, Box<Diagnostic>> {
    let format = args.format.format();
    match args.form {
        FormName::Legendre => {
            let variables = split_names(args.variables.as_deref().unwrap_or_default());
            let (function, at) = (args.function.as_deref(), args.at.as_deref());
            model.legendre(function.unwrap_or_default(), &variables, at.unwrap_or_default(), format)
        }
        FormName::HamiltonJacobi if args.operators.is_some() => {
            let operators = split_names(args.operators.as_deref().unwrap_or_default());
            model.hamilton_jacobi(&operators, Style { format, names: args.names })
        }
        form => model.equations(name_of(form).parse()?, Style { format, names: args.names }),
    }
}

pub fn name_of(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned())
}
