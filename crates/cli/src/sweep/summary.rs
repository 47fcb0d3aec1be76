//! What a sweep says when it ends.

use super::RunCounts;
use super::blocks::MOTIONS;
use super::merge::DATASET;
use super::store::results_name;
use crate::args::{Shard, SweepArgs, SweepFormat};
use crate::failure::Failure;
use crate::limit;
use crate::output::{complain, print, print_json};
use crate::text_table::{cells, entry, plain, table};
use dalembert::sweep::{Sweep, Tally};
use serde_json::{Value, json};
use std::time::Duration;

/// When a sweep that is complete was made.
#[derive(Clone, Copy, PartialEq)]
pub enum Completed {
    /// By this process, at least what was missing.
    Now,
    /// Before: nothing was left to do.
    Before,
}

/// The summary as it is kept and, with `--json`, printed.
pub fn summary(args: &SweepArgs, sweep: &Sweep, tally: &Tally, made: &RunCounts, wall: Duration) -> Value {
    let outputs: serde_json::Map<String, Value> = tally
        .outputs()
        .map(|(name, s)| (name.to_owned(), json!({ "min": s.min, "mean": s.mean, "max": s.max })))
        .collect();
    let mut files = vec![results_name(args)];
    if args.format == SweepFormat::Dataset {
        files.push(DATASET);
    }
    if args.every.is_some() && args.keep.is_none() {
        files.push(MOTIONS);
    }
    let seconds = wall.as_secs_f64();
    let units = sweep.columns().iter().zip(sweep.units_of(sweep.columns()));
    let units: serde_json::Map<String, Value> =
        units.filter_map(|(name, unit)| Some((name.clone(), json!(unit?)))).collect();
    json!({
        "runs": sweep.runs(),
        "done": tally.done,
        "events": tally.events,
        "failed": tally.failed,
        "in_lanes": sweep.in_lanes(),
        "runs_made": made.runs,
        "runs_made_in_lanes": made.in_lanes,
        "seconds": seconds,
        "runs_per_second": made.runs as f64 / seconds,
        "columns": sweep.columns(),
        "units": units,
        "outputs": outputs,
        "not_finite": tally.not_finite().collect::<std::collections::BTreeMap<_, _>>(),
        "files": files,
    })
}

/// Prints the summary of a sweep that is complete.
pub fn finished(args: &SweepArgs, summary: &Value, completed: Completed) -> Result<(), Failure> {
    if args.common.json {
        let mut document = summary.clone();
        document["directory"] = json!(args.out);
        document["already_complete"] = json!(completed == Completed::Before);
        print_json(&document)?;
    } else if !args.common.quiet {
        print(&words(args, summary, completed))?;
        for (name, runs) in summary["not_finite"].as_object().into_iter().flatten() {
            complain(&format!("warning: `{name}` is not a finite number at the end of {runs} runs\n"));
        }
    }
    let ended_well = |key: &str| {
        summary[key].as_object().is_some_and(|m| !m.is_empty())
            || summary[key].as_u64().is_some_and(|n| n > 0)
    };
    if ended_well("done") || ended_well("events") {
        return Ok(());
    }
    if args.common.json {
        return Err(Failure::Reported);
    }
    Err(Failure::plain("every run failed")
        .help("`dalembert explain CODE` explains a code; try one run with `dalembert simulate`"))
}

fn words(args: &SweepArgs, summary: &Value, completed: Completed) -> String {
    let counts = |key: &str, word: &str| -> Vec<String> {
        let pairs = summary[key].as_object().into_iter().flatten();
        pairs.map(|(name, n)| format!("{n} {word}{name}")).collect()
    };
    let mut ends = vec![format!("{} done", summary["done"])];
    ends.extend(counts("events", "stopped by "));
    ends.extend(counts("failed", "failed with "));
    let mut out = String::new();
    entry(&mut out, "runs", 12, &[format!("{}: {}", summary["runs"], ends.join(", "))]);
    let key = if completed == Completed::Before { "time then" } else { "time" };
    entry(&mut out, key, 12, &[time(summary)]);
    let outputs: Vec<(&String, &Value)> = summary["outputs"].as_object().into_iter().flatten().collect();
    if !outputs.is_empty() {
        let mut rows = vec![cells(["output", "min", "mean", "max"])];
        for (name, spread) in outputs {
            let value = |key: &str| spread[key].as_f64().map_or("?".to_owned(), plain);
            let named = match summary["units"][name].as_str() {
                Some(unit) => format!("{name} [{unit}]"),
                None => name.clone(),
            };
            rows.push(vec![named, value("min"), value("mean"), value("max")]);
        }
        table(&mut out, "", &rows);
    }
    for file in summary["files"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let path = std::path::Path::new(&args.out).join(file);
        match completed {
            Completed::Now => out.push_str(&format!("wrote {}\n", path.display())),
            Completed::Before => out.push_str(&format!("already complete: {}\n", path.display())),
        }
    }
    out
}

/// How long it took, and in which way.
fn time(summary: &Value) -> String {
    let number = |key: &str| summary[key].as_f64().unwrap_or(f64::NAN);
    let count = |key: &str| summary[key].as_u64().unwrap_or_default();
    let (made, in_lanes) = (count("runs_made"), count("runs_made_in_lanes"));
    if made == 0 {
        return format!("{:.2} s, no run was left to make", number("seconds"));
    }
    let way = match made.saturating_sub(in_lanes) {
        0 => "in vector lanes".to_owned(),
        alone if in_lanes > 0 => {
            format!("{in_lanes} in vector lanes, {alone} made again one by one")
        }
        _ if summary["in_lanes"] == json!(true) => "all made again one by one after vector lanes".to_owned(),
        _ => "one by one on each thread".to_owned(),
    };
    let rate = number("runs_per_second");
    format!("{:.2} s for {made} runs, {rate:.0} a second, {way}", number("seconds"))
}

/// What to say of a sweep that was ended by a signal or by its time limit.
pub fn interrupted(args: &SweepArgs, sweep: &Sweep, done: usize) -> Failure {
    let kept = format!("{done} of {} runs are kept in `{}`", sweep.runs(), args.out);
    let failure = limit::ended(&kept).unwrap_or_else(|| Failure::plain(format!("interrupted: {kept}")));
    let mut command: Vec<String> = std::env::args().map(|word| quoted(&word)).collect();
    if !args.resume {
        command.push("--resume".to_owned());
    }
    failure.help(format!("go on with `{}`", command.join(" ")))
}

/// What a shard says when it is done.
pub fn shard(
    args: &SweepArgs,
    shard: Shard,
    sweep: &Sweep,
    made: &RunCounts,
    done: usize,
) -> Result<(), Failure> {
    let Shard { number, of } = shard;
    if args.common.json {
        return print_json(&json!({ "shard": number, "shards": of, "runs_made": made.runs,
            "runs_made_in_lanes": made.in_lanes, "runs_done": done, "runs": sweep.runs(),
            "complete": done == sweep.runs(), "directory": args.out }));
    }
    if args.common.quiet {
        return Ok(());
    }
    let mut out = String::new();
    entry(&mut out, "shard", 12, &[format!("{number} of {of}: {} runs made", made.runs)]);
    let more = if done == sweep.runs() { "; write the results with `--merge`" } else { "" };
    entry(
        &mut out,
        "directory",
        12,
        &[format!("{done} of {} runs are in `{}`{more}", sweep.runs(), args.out)],
    );
    print(&out)
}

/// Why the results cannot be written yet.
pub fn not_all(args: &SweepArgs, done: &[bool], first: usize) -> Failure {
    let missing = done.iter().filter(|done| !**done).count();
    let blocks = done.len();
    Failure::plain(format!(
        "{missing} of {blocks} blocks of runs are missing in `{}`, block {first} is the first",
        args.out
    ))
    .help(format!(
        "make them with `--resume` in the place of `--merge`; of N shards, number {first} mod N plus 1 has it"
    ))
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(safe) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
