//! Eigenvalues over a range: tables, pictures, where they cross the axis.

use crate::args::LinearizeArgs;
use crate::failure::Failure;
use crate::files::{About, TableTarget, probe_all};
use crate::output::{complain, print, print_json};
use crate::text_table::{entry, plain, quantity};
use dalembert::linearize::{Over, Range, RootLocus};
use dalembert::{Model, Source};
use dalembert_view::Plot;
use dalembert_view::documents;

const MARGIN: usize = 14;

pub fn over(
    args: &LinearizeArgs,
    source: &Source,
    model: &Model,
    text: &str,
    independent: Vec<String>,
) -> Result<(), Failure> {
    let paths = args.out.iter().filter_map(TableTarget::path).chain(args.plot.iter().map(|p| p.path()));
    let files: Vec<String> = paths.map(str::to_owned).collect();
    probe_all(&files, &args.common.model)?;
    let range = Range::read(text).map_err(|d| Failure::of(*d, source))?;
    let request = Over { at: args.at.clone(), independent, settle: args.settle };
    let sweep = model.eigenvalues_over(&range, &request).map_err(|d| Failure::of(*d, source))?;
    let title = model.system.title.clone().unwrap_or_default();
    let first = sweep.table.columns.first();
    let unit = |name: &str| match first.is_some_and(|first| first == name) {
        true => range.unit(&model.system),
        false => Some("1/s".to_owned()),
    };
    let about = About::new(model, &sweep.table, args.units_row).with(&sweep.table, unit);
    for target in &args.out {
        match target.write(&sweep.table, &about) {
            Err(Failure::ReaderGone) if !files.is_empty() => {}
            other => other?,
        }
    }
    let plot = Plot::of_eigenvalues(&title, &sweep.table, about.units());
    let facts = facts(&range, &sweep, range.unit(&model.system).as_deref());
    args.plot.iter().try_for_each(|target| target.write(&plot, &facts))?;
    if args.common.json {
        return print_json(&documents::eigenvalues(model, &range, &sweep, &files));
    }
    if args.common.quiet {
        return Ok(());
    }
    let mut words = String::new();
    facts.iter().for_each(|(name, value)| entry(&mut words, name, MARGIN, std::slice::from_ref(value)));
    files.iter().for_each(|file| words.push_str(&format!("wrote {file}\n")));
    if args.out.contains(&TableTarget::Standard) {
        complain(&words);
        return Ok(());
    }
    print(&words)
}

fn facts(range: &Range, sweep: &RootLocus, unit: Option<&str>) -> Vec<(String, String)> {
    let pair = |name: &str, value: String| (name.to_owned(), value);
    let mut out = vec![
        pair(
            "over",
            format!(
                "{} from {} to {}, {} points",
                range.name,
                plain(range.low),
                quantity(range.high, unit),
                range.count
            ),
        ),
        pair("states", sweep.states.join(", ")),
    ];
    for &(value, positive) in &sweep.crossings {
        let word = if positive { "becomes positive" } else { "ceases to be positive" };
        out.push(pair(
            "crossing",
            format!("a real part {word} at {} = {}", range.name, quantity(value, unit)),
        ));
    }
    if sweep.unsteady > 0 {
        out.push(pair(
            "note",
            format!("{} operating points are neither equilibria nor steady motions", sweep.unsteady),
        ));
    }
    if let Some((value, reason)) = sweep.gaps.first() {
        out.push(pair(
            "gaps",
            format!("{}, the first at {}: {reason}", sweep.gaps.len(), quantity(*value, unit)),
        ));
    }
    out
}
