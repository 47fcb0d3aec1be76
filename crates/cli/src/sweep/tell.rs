//! What a sweep says when it ends.

use crate::args::{SweepArgs, SweepFormat};
use crate::report::{Failure, print, print_json};
use crate::words::{cells, entry, plain, table};
use dalembert::sweep::{Sweep, Tally};
use serde_json::{Value, json};
use std::time::Duration;

/// The summary as it is kept and, with `--json`, printed.
pub fn summary(args: &SweepArgs, sweep: &Sweep, tally: &Tally, made: usize, wall: Duration) -> Value {
    let outputs: serde_json::Map<String, Value> = tally
        .outputs()
        .map(|(name, s)| (name.to_owned(), json!({ "min": s.min, "mean": s.mean, "max": s.max })))
        .collect();
    let mut files = vec![match args.format {
        SweepFormat::Csv => "results.csv",
        SweepFormat::Parquet => "results.parquet",
    }];
    if args.every.is_some() {
        files.push("motions");
    }
    let seconds = wall.as_secs_f64();
    json!({
        "runs": sweep.runs(),
        "done": tally.done,
        "events": tally.events,
        "failed": tally.failed,
        "in_lanes": sweep.in_lanes(),
        "runs_made": made,
        "seconds": seconds,
        "runs_per_second": made as f64 / seconds,
        "columns": sweep.columns(),
        "outputs": outputs,
        "files": files,
    })
}

/// Prints the summary of a sweep that is complete.
pub fn finished(args: &SweepArgs, summary: &Value) -> Result<(), Failure> {
    if args.common.json {
        let mut document = summary.clone();
        document["directory"] = json!(args.out);
        print_json(&document)?;
    } else if !args.common.quiet {
        print(&words(args, summary))?;
    }
    let ended_well = |key: &str| {
        summary[key].as_object().is_some_and(|m| !m.is_empty())
            || summary[key].as_u64().is_some_and(|n| n > 0)
    };
    if ended_well("done") || ended_well("events") {
        return Ok(());
    }
    if args.common.json {
        return Err(Failure::Told);
    }
    Err(Failure::plain("every run failed")
        .help("`dalembert explain CODE` tells more about a code; try one run with `dalembert simulate`"))
}

fn words(args: &SweepArgs, summary: &Value) -> String {
    let counts = |key: &str, word: &str| -> Vec<String> {
        let pairs = summary[key].as_object().into_iter().flatten();
        pairs.map(|(name, n)| format!("{n} {word}{name}")).collect()
    };
    let mut ends = vec![format!("{} done", summary["done"])];
    ends.extend(counts("events", "stopped by "));
    ends.extend(counts("failed", "failed with "));
    let mut out = String::new();
    entry(&mut out, "runs", 12, &[format!("{}: {}", summary["runs"], ends.join(", "))]);
    let number = |key: &str| summary[key].as_f64().unwrap_or(f64::NAN);
    let way =
        if summary["in_lanes"] == json!(true) { "in vector lanes" } else { "one by one on each thread" };
    let made = format!(
        "{:.2} s for {} runs, {:.0} a second, {way}",
        number("seconds"),
        summary["runs_made"],
        number("runs_per_second")
    );
    entry(&mut out, "time", 12, &[made]);
    let outputs: Vec<(&String, &Value)> = summary["outputs"].as_object().into_iter().flatten().collect();
    if !outputs.is_empty() {
        let mut rows = vec![cells(["output", "min", "mean", "max"])];
        for (name, spread) in outputs {
            let value = |key: &str| spread[key].as_f64().map_or("?".to_owned(), plain);
            rows.push(vec![name.clone(), value("min"), value("mean"), value("max")]);
        }
        table(&mut out, "", &rows);
    }
    for file in summary["files"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        out.push_str(&format!("wrote {}\n", std::path::Path::new(&args.out).join(file).display()));
    }
    out
}

/// What to say after Ctrl-C.
pub fn interrupted(args: &SweepArgs, sweep: &Sweep, done: usize) -> Failure {
    let message = format!("interrupted: {done} of {} runs are kept in `{}`", sweep.runs(), args.out);
    let mut command: Vec<String> = std::env::args().map(|word| quoted(&word)).collect();
    if !args.resume {
        command.push("--resume".to_owned());
    }
    Failure::plain(message).help(format!("go on with `{}`", command.join(" ")))
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(safe) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
