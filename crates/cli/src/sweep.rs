//! `dalembert sweep`: many runs, their table, and a directory that survives being interrupted.

mod blocks;
mod checksum;
mod merge;
mod store;
mod summary;

use crate::args::SweepArgs;
use crate::failure::Failure;
use crate::input::{Loaded, Remarks, load};
use crate::progress::listen;
use dalembert::diagnostic::Diagnostic;
use dalembert::run::Flow;
use dalembert::sweep::{Axis, Figure, Plan, Sample, Sweep};
use dalembert::{Request, Source};
use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use store::{Opened, Store};
use summary::Completed;

pub(crate) use blocks::rows;

pub fn run(args: &SweepArgs) -> Result<(), Failure> {
    let began = Instant::now();
    let Loaded { source, model } = load(&args.common, Remarks::Warnings)?;
    let plan = plan(args).map_err(|d| Failure::of(*d, &source))?;
    let sweep = Sweep::new(model, plan).map_err(|d| Failure::of(*d, &source))?;
    let manifest = manifest(args, &source, &sweep);
    let (store, mut done) = match store::open(args, &manifest, &sweep)? {
        Opened::Finished(summary) => return summary::finished(args, &summary, Completed::Before),
        Opened::Ready(store, done) => (store, done),
    };
    let made = match args.merge {
        true => RunCounts::default(),
        false => make(args, &sweep, &store, &mut done)?,
    };
    if made.interrupted {
        return Err(summary::interrupted(args, &sweep, runs_done(&sweep, &done)));
    }
    if let Some(shard) = args.shard {
        // Others may have made blocks in the meantime.
        let done = store.blocks.done(sweep.blocks());
        return summary::shard(args, shard, &sweep, &made, runs_done(&sweep, &done));
    }
    if let Some(first) = done.iter().position(|done| !done) {
        return Err(summary::not_all(args, &done, first));
    }
    let (tally, results) = merge::merge(args, &sweep, &store)?;
    let summary = summary::summary(args, &sweep, &tally, &made, began.elapsed());
    store.finish(results, &summary, sweep.blocks())?;
    summary::finished(args, &summary, Completed::Now)
}

/// What is asked for, in the units of the file.
fn plan(args: &SweepArgs) -> Result<Plan, Box<Diagnostic>> {
    let vary = args.vary.iter().map(|text| Axis::read(text)).collect::<Result<_, _>>()?;
    let sample = args.sample.iter().map(|text| Sample::read(text)).collect::<Result<_, _>>()?;
    let request = Request { every: args.every, ..args.stepping.request() };
    let keep = args.keep.as_deref().map_or(Ok(Vec::new()), Figure::read)?;
    let motions = args.every.is_some();
    let plan = Plan { vary, sample, runs: args.runs, seed: args.seed, request, motions, keep };
    let started = args.common.initial.iter().filter_map(|text| text.split(['=', '~']).next());
    plan.refuse_given(args.common.set.iter().map(|(name, _)| name.as_str()).chain(started))?;
    Ok(plan)
}

/// Everything the numbers depend on.
fn manifest(args: &SweepArgs, source: &Source, sweep: &Sweep) -> Value {
    let set: Vec<String> = args.common.set.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut manifest = json!({
        "program": concat!("dalembert ", env!("CARGO_PKG_VERSION")),
        "model": format!("{:016x}", checksum::Checksum::of(&[source.text.as_bytes()]).sum()),
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
        "format": args.format.name(),
        "runs_in_all": sweep.runs(),
        "blocks": sweep.blocks(),
        "columns": sweep.columns(),
    });
    if let Some(keep) = &args.keep {
        manifest["keep"] = json!(keep);
    }
    manifest
}

fn runs_done(sweep: &Sweep, done: &[bool]) -> usize {
    (0..done.len()).filter(|block| done[*block]).map(|block| sweep.runs_of(block).len()).sum()
}

/// What this process made.
#[derive(Default)]
struct RunCounts {
    runs: usize,
    /// Those that went all the way in lanes.
    in_lanes: usize,
    interrupted: bool,
}

/// Makes what is missing of the sweep or of a shard.
fn make(args: &SweepArgs, sweep: &Sweep, store: &Store, done: &mut [bool]) -> Result<RunCounts, Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    listen(&interrupted);
    let wanted = |block: &usize| args.shard.is_none_or(|shard| shard.has(*block));
    let missing: Vec<usize> = (0..done.len()).filter(|block| !done[*block]).filter(wanted).collect();
    let all: usize = (0..done.len()).filter(wanted).map(|block| sweep.runs_of(block).len()).sum();
    let left: usize = missing.iter().map(|block| sweep.runs_of(*block).len()).sum();
    let bar = bar(args, all, all - left);
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or_else(cores, usize::from);
    let mut trouble = None;
    let mut made = RunCounts::default();
    sweep.execute(threads, missing, &interrupted, |block| {
        bar.inc(block.rows.len() as u64);
        match store.blocks.keep(&block) {
            Ok(()) => {
                done[block.index] = true;
                made.runs += block.rows.len();
                made.in_lanes += block.in_lanes;
                Flow::Continue
            }
            Err(failure) => {
                trouble = Some(failure);
                Flow::Cancel
            }
        }
    });
    crate::limit::writing();
    bar.finish_and_clear();
    match trouble {
        Some(failure) => Err(failure),
        None => {
            let complete = made.runs == left;
            made.interrupted = !complete && interrupted.load(Ordering::Relaxed);
            Ok(made)
        }
    }
}

/// The bar shows on a terminal only.
fn bar(args: &SweepArgs, all: usize, before: usize) -> ProgressBar {
    if args.common.quiet {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(all as u64).with_position(before as u64);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} runs{pace}") {
        bar.set_style(style.with_key("pace", |state: &ProgressState, out: &mut dyn Write| {
            let _ =
                out.write_str(&pace(state.per_sec(), state.len().unwrap_or(0).saturating_sub(state.pos())));
        }));
    }
    bar.reset_eta();
    bar.tick();
    bar
}

/// Runs a second and the time left, in round numbers; nothing before anything is known.
fn pace(rate: f64, left: u64) -> String {
    let known = rate.is_finite() && rate > 0.0;
    if !known {
        return String::new();
    }
    let digits = match rate {
        _ if rate < 1.0 => 2,
        _ if rate < 10.0 => 1,
        _ => 0,
    };
    let time = HumanDuration(Duration::from_secs_f64((left as f64 / rate).ceil().min(1e9)));
    format!("  {rate:.digits$} a second  {time:#} left")
}

#[cfg(test)]
mod tests {
    use super::pace;

    #[test]
    fn the_bar_says_what_it_knows_in_round_numbers() {
        assert_eq!(pace(0.0, 100), "");
        assert_eq!(pace(f64::NAN, 100), "");
        assert_eq!(pace(15367.4026, 30000), "  15367 a second  2s left");
        assert_eq!(pace(1.26, 100), "  1.3 a second  80s left");
        assert_eq!(pace(20.0, 0), "  20 a second  0s left");
    }
}
