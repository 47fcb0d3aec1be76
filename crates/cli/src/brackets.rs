//! `dalembert brackets`: Poisson brackets, evolution, and multipliers by brackets.

use crate::args::BracketsArgs;
use crate::failure::Failure;
use crate::input::{Loaded, Remarks, load};
use crate::output::{print, print_json};
use dalembert_view::documents;

pub fn run(args: &BracketsArgs) -> Result<(), Failure> {
    let Loaded { source, model } = load(&args.common, Remarks::Warnings)?;
    let written = model.brackets(&args.f, &args.g, args.format.format());
    let written = written.map_err(|d| Failure::of(*d, &source))?;
    if args.common.json {
        return print_json(&documents::brackets(&model, &written, &source));
    }
    print(&written.lines)
}
