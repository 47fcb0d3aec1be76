//! `dalembert fit`: parameters and starting values from measured columns.

use crate::args::FitArgs;
use crate::failure::Failure;
use crate::input::{Loaded, Remarks, load, read_table};
use crate::output::{print, print_json, show};
use crate::progress::RunProgress;
use crate::text_table::split_names;
use crate::text_table::{cells, entry, plain, table};
use dalembert::Model;
use dalembert::diagnostic::{Code, Diagnostic};
use dalembert::fit::{Fit, FitRequest, Measurements};

const MARGIN: usize = 14;

pub fn run(args: &FitArgs) -> Result<(), Failure> {
    let Loaded { source, model } = load(&args.common, Remarks::Warnings)?;
    let fail = |d: Box<Diagnostic>| Failure::of(*d, &source);
    let data = Measurements::read(&read_table(&args.data)?).map_err(fail)?;
    let free = free_names(&model, &args.free).map_err(fail)?;
    let request = FitRequest { free, motion: args.stepping.request() };
    let mut watch = RunProgress::new(data.times.last().copied(), !args.common.quiet);
    let fit = model.workspace().fit(&data, &request, |now| watch.at(now.t));
    watch.done();
    let fit = fit.map_err(fail)?;
    if args.common.json {
        return print_json(&dalembert_view::documents::fit(&model, &fit, &source));
    }
    print(&text(&fit))?;
    show(&fit.warnings, &source, args.common.quiet);
    Ok(())
}

/// `k=1, c=0.1, theta(0)`: names with values to begin with, in the units of the file.
fn free_names(model: &Model, text: &str) -> Result<Vec<(String, Option<f64>)>, Box<Diagnostic>> {
    let mut free = Vec::new();
    for part in split_names(text) {
        let (name, value) = match part.split_once('=') {
            None => (part.clone(), None),
            Some((name, value)) => (name.trim().to_owned(), Some(value.trim().to_owned())),
        };
        let value = match value {
            None => None,
            Some(value) => {
                let pairs = dalembert::assignments::assignments(&format!("x = {value}"));
                let number = pairs.ok().and_then(|p| p.first().map(|(_, v)| *v));
                let Some(number) = number else {
                    let message = format!("`{value}` is not a number to begin with for `{name}`");
                    return Err(Box::new(
                        Diagnostic::error(Code::BadOption, None, message).help("write `k=1`"),
                    ));
                };
                let parameter = model.system.parameters.iter().find(|p| p.name == name);
                Some(number * parameter.map_or(1.0, |p| p.unit_size))
            }
        };
        free.push((name, value));
    }
    Ok(free)
}

fn text(fit: &Fit) -> String {
    let mut out = String::new();
    let mut rows = vec![cells(["", "value", "standard error"])];
    for e in &fit.estimates {
        let error = e.error.map_or("not determined".to_owned(), plain);
        rows.push(vec![e.name.clone(), plain(e.value), error]);
    }
    table(&mut out, "", &rows);
    out.push('\n');
    let left: Vec<String> = fit
        .columns
        .iter()
        .map(|c| format!("{} {} ({} values)", c.name, plain(c.residual), c.count))
        .collect();
    entry(&mut out, "residual", MARGIN, &[format!("{} (root mean square)", plain(fit.residual))]);
    entry(&mut out, "by column", MARGIN, &left);
    entry(&mut out, "iterations", MARGIN, &[format!("{}, {} motions", fit.iterations, fit.motions)]);
    let n = fit.estimates.len();
    if n > 1 {
        out.push_str("\ncorrelations\n");
        let names: Vec<&str> = fit.estimates.iter().map(|e| e.name.as_str()).collect();
        let mut rows = vec![cells([""].into_iter().chain(names.iter().copied()))];
        for (name, row) in names.iter().zip(fit.correlations.chunks(n)) {
            let short = |v: &f64| if v.is_finite() { format!("{v:.3}") } else { "-".to_owned() };
            rows.push([(*name).to_owned()].into_iter().chain(row.iter().map(short)).collect());
        }
        table(&mut out, "  ", &rows);
    }
    out
}
