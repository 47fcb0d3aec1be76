//! `cargo xtask gate`: every command of the program on every model, compared with what was recorded.
//!
//! It guards the digits while code is moved: a case is a command line, its result is the exit code, the codes of the
//! diagnostics and all bytes of standard output and of the files written. Hashes of them are in `xtask/gate.txt`. They
//! hold for one family of processors and one mathematical library, because sines differ in last digits elsewhere; so
//! the gate compares two versions on one machine and is not a test.

mod cases;
mod filter;
mod hash;
mod record;
mod run;

use crate::cargo;
use crate::workspace::{Outcome, root};
use record::{Differences, Record};
use run::Binary;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Options of the command.
pub const HELP: &str = "  [FILTER]        Run only the cases whose name contains FILTER
  --bless         Record the results instead of comparing them
  --binary PATH   Use this binary instead of building one
  --threads N     Cases at a time, and threads of a sweep (without it one for each core)
  --keep DIR      Keep the outputs of changed cases in DIR/new
  --against PATH  With --keep: run changed cases with this binary too and keep them in DIR/old
  --times         List the slowest cases
";

/// Names of a kind that are printed.
const SHOWN: usize = 20;

#[derive(Default)]
struct Options {
    filter: String,
    bless: bool,
    times: bool,
    binary: Option<PathBuf>,
    against: Option<PathBuf>,
    keep: Option<PathBuf>,
    threads: Option<usize>,
}

/// Runs the gate.
pub fn command(arguments: &[String]) -> Outcome {
    let options = options(arguments)?;
    let threads =
        options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()));
    let path = options.binary.clone().map_or_else(cargo::release_binary, Ok)?;
    let binary = Binary::new(&path, threads)?;
    let mut cases = cases::all(&root().join("models"))?;
    cases.retain(|case| case.name().contains(&options.filter));

    let file = root().join("xtask/gate.txt");
    let recorded = record::read(&std::fs::read_to_string(&file).unwrap_or_default())?;
    let (mut now, mut times, began) = (Record::new(), Vec::new(), Instant::now());
    binary.run(&cases, |answer| {
        let name = cases[answer.case].name();
        let changed = recorded.get(&name).is_some_and(|before| *before != answer.result);
        if let (Some(keep), true) = (&options.keep, changed) {
            answer.keep(&name, &keep.join("new"))?;
        }
        times.push((answer.time, answer.out_of_time(), name.clone()));
        now.insert(name, answer.result);
        Ok(())
    })?;
    println!("{} cases in {:.0} s on {threads} threads", now.len(), began.elapsed().as_secs_f64());
    if options.times {
        slowest(&mut times);
    }

    // Nothing is recorded that depends on the clock.
    let late: Vec<String> = times.into_iter().filter(|(_, late, _)| *late).map(|(.., name)| name).collect();
    show("out of time", &late);
    if options.bless {
        return Ok(late.is_empty() && bless(&file, recorded, now, &options.filter)?);
    }
    let recorded: Record = recorded.into_iter().filter(|(name, _)| name.contains(&options.filter)).collect();
    let found = record::compare(&recorded, &now);
    if let (Some(keep), Some(against)) = (&options.keep, &options.against) {
        cases.retain(|case| found.changed.contains(&case.name()));
        let keep = keep.join("old");
        Binary::new(against, threads)?
            .run(&cases, |answer| answer.keep(&cases[answer.case].name(), &keep))?;
    }
    report(&found);
    Ok(late.is_empty() && found == Differences::default())
}

fn options(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().ok_or(format!("`{argument}` requires a value"));
        match argument.as_str() {
            "--bless" => options.bless = true,
            "--times" => options.times = true,
            "--binary" => options.binary = Some(value()?.into()),
            "--against" => options.against = Some(value()?.into()),
            "--keep" => options.keep = Some(value()?.into()),
            "--threads" => {
                let number = value()?;
                let threads = number.parse().ok().filter(|&n| n > 0);
                options.threads = Some(threads.ok_or(format!("`{number}` is not a number of threads"))?);
            }
            other if other.starts_with('-') || !options.filter.is_empty() => {
                return Err(format!("`{other}` is not an option of gate:\n{HELP}"));
            }
            other => options.filter = other.to_owned(),
        }
    }
    Ok(options)
}

/// Records results. Cases that the filter leaves out keep theirs.
fn bless(file: &Path, mut recorded: Record, now: Record, filter: &str) -> Outcome {
    recorded.retain(|name, _| !name.contains(filter));
    recorded.extend(now);
    std::fs::write(file, record::write(&recorded)).map_err(|error| format!("{}: {error}", file.display()))?;
    println!("recorded {} cases", recorded.len());
    Ok(true)
}

fn report(found: &Differences) {
    show("changed", &found.changed);
    show("missing", &found.missing);
    show("new", &found.new);
    if *found == Differences::default() {
        println!("all as recorded");
    }
}

fn show(kind: &str, names: &[String]) {
    if names.is_empty() {
        return;
    }
    println!("{kind}: {}", names.len());
    names.iter().take(SHOWN).for_each(|name| println!("  {name}"));
    if names.len() > SHOWN {
        println!("  ... and {} more", names.len() - SHOWN);
    }
}

fn slowest(times: &mut [(Duration, bool, String)]) {
    times.sort_by_key(|(time, ..)| std::cmp::Reverse(*time));
    times.iter().take(SHOWN).for_each(|(time, _, name)| println!("  {:6.2} s  {name}", time.as_secs_f64()));
}
