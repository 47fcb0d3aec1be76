//! `dalembert sweep`: many runs, their table, and a directory that survives being interrupted.

mod join;
mod journal;
mod store;
mod tell;

use crate::args::{SweepArgs, SweepFormat};
use crate::input::{Loaded, Remarks, load};
use crate::progress::listen;
use crate::report::Failure;
use dalembert::diagnostic::Diagnostic;
use dalembert::export::{field, number};
use dalembert::run::Flow;
use dalembert::sweep::{Axis, Block, Plan, Sample, Sweep};
use dalembert::{Request, Source};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use store::{Opened, Store};

pub fn run(args: &SweepArgs) -> Result<(), Failure> {
    let began = Instant::now();
    let Loaded { source, model } = load(&args.common, Remarks::Warnings)?;
    let plan = plan(args).map_err(|d| Failure::of(*d, &source))?;
    let sweep = Sweep::new(model, plan).map_err(|d| Failure::of(*d, &source))?;
    let manifest = manifest(args, &source, &sweep);
    let mut store = match store::open(args, &manifest, &sweep)? {
        Opened::Finished(summary) => return tell::finished(args, &summary),
        Opened::Ready(store) => store,
    };
    let before = store.runs_done(&sweep);
    let made = make(args, &sweep, &mut store, before)?;
    if made.interrupted {
        return Err(tell::interrupted(args, &sweep, store.runs_done(&sweep)));
    }
    let tally = join::join(args, &sweep, &mut store)?;
    let summary = tell::summary(args, &sweep, &tally, sweep.runs() - before, began.elapsed());
    store.finish(&summary)?;
    tell::finished(args, &summary)
}

/// What is asked for, in the units of the file.
fn plan(args: &SweepArgs) -> Result<Plan, Box<Diagnostic>> {
    let vary = args.vary.iter().map(|text| Axis::read(text)).collect::<Result<_, _>>()?;
    let sample = args.sample.iter().map(|text| Sample::read(text)).collect::<Result<_, _>>()?;
    let request = Request { every: args.every, ..args.stepping.request() };
    let plan =
        Plan { vary, sample, runs: args.runs, seed: args.seed, request, motions: args.every.is_some() };
    let started = args.common.initial.iter().filter_map(|text| text.split(['=', '~']).next());
    plan.refuse_given(args.common.set.iter().map(|(name, _)| name.as_str()).chain(started))?;
    Ok(plan)
}

/// Everything the numbers depend on.
fn manifest(args: &SweepArgs, source: &Source, sweep: &Sweep) -> Value {
    let set: Vec<String> = args.common.set.iter().map(|(name, value)| format!("{name}={value}")).collect();
    json!({
        "program": concat!("dalembert ", env!("CARGO_PKG_VERSION")),
        "model": format!("{:016x}", journal::checksum(&[source.text.as_bytes()])),
        "set": set,
        "initial": args.common.initial,
        "vary": args.vary,
        "sample": args.sample,
        "runs": args.runs,
        "seed": args.seed,
        "until": args.stepping.until,
        "every": args.every,
        "method": args.stepping.method,
        "rtol": args.stepping.rtol,
        "atol": args.stepping.atol,
        "step": args.stepping.step,
        "max-steps": args.stepping.max_steps,
        "format": match args.format { SweepFormat::Csv => "csv", SweepFormat::Parquet => "parquet" },
        "runs_in_all": sweep.runs(),
        "blocks": sweep.blocks(),
        "columns": sweep.columns(),
    })
}

struct Made {
    interrupted: bool,
}

/// Makes what is missing.
fn make(args: &SweepArgs, sweep: &Sweep, store: &mut Store, before: usize) -> Result<Made, Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    listen(&interrupted);
    let bar = bar(args, sweep, before);
    let missing = store.missing(sweep.blocks());
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or_else(cores, usize::from);
    let mut trouble = None;
    sweep.execute(threads, missing, &interrupted, |block| {
        bar.inc(block.rows.len() as u64);
        match store.keep(args, &block, &lines(&block)) {
            Ok(()) => Flow::Continue,
            Err(failure) => {
                trouble = Some(failure);
                Flow::Cancel
            }
        }
    });
    bar.finish_and_clear();
    match trouble {
        Some(failure) => Err(failure),
        None => {
            let complete = store.missing(sweep.blocks()).next().is_none();
            Ok(Made { interrupted: !complete && interrupted.load(Ordering::Relaxed) })
        }
    }
}

/// The bar shows on a terminal only.
fn bar(args: &SweepArgs, sweep: &Sweep, before: usize) -> ProgressBar {
    if args.common.quiet {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(sweep.runs() as u64).with_position(before as u64);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} runs  {per_sec}  {eta} left") {
        bar.set_style(style);
    }
    bar.reset_eta();
    bar.tick();
    bar
}

/// The rows of a block as lines of CSV.
fn lines(block: &Block) -> String {
    let mut text = String::new();
    for row in &block.rows {
        for value in &row.numbers {
            let _ = write!(text, "{},", number(*value));
        }
        text.push_str(&field(&row.status.text()));
        text.push('\n');
    }
    text
}
