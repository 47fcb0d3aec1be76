//! `dalembert-fuzz [--seconds N] [--seed N] [--target NAME] [--time-limit SECONDS] [--memory MIB] [FILE]`
//!
//! Mutates and runs cases until the time is over; what is found is kept in `fuzz/cases/TARGET/`. With a file, runs that
//! case of the target alone. Exit codes: 0 nothing found, 1 something found, 2 wrong usage.

use dalembert_fuzz::corpus::{Corpus, cases, repository};
use dalembert_fuzz::targets::Target;
use dalembert_fuzz::watch::{Limits, Outcome, Watch};
use dalembert_fuzz::{Rng, number_of};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Threads that hang or hold memory cannot be ended: after so many the session is.
const MOST_LEFT_BEHIND: usize = 3;

struct Options {
    seconds: u64,
    seed: u64,
    targets: Vec<Target>,
    limits: Limits,
    file: Option<String>,
}

fn options() -> Option<Options> {
    let mut options =
        Options { seconds: 120, seed: 1, targets: Vec::new(), limits: Limits::default(), file: None };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seconds" => options.seconds = words.next()?.parse().ok()?,
            "--seed" => options.seed = words.next()?.parse().ok()?,
            "--target" => options.targets.push(Target::by_name(&words.next()?)?),
            "--time-limit" => options.limits.time = Duration::from_secs(words.next()?.parse().ok()?),
            "--memory" => options.limits.memory = words.next()?.parse().ok()?,
            file if !file.starts_with('-') => options.file = Some(file.to_owned()),
            _ => return None,
        }
    }
    if options.targets.is_empty() {
        // Texts reach the most, so they get the most.
        options.targets = [Target::Text; 7].into_iter().chain(Target::ALL).collect();
    }
    Some(options)
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        let names: Vec<&str> = Target::ALL.iter().map(|t| t.name()).collect();
        eprintln!(
            "usage: dalembert-fuzz [--seconds N] [--seed N] [--target {}] [--time-limit SECONDS] [--memory MIB] [FILE]",
            names.join("|")
        );
        return ExitCode::from(2);
    };
    let found = match &options.file {
        Some(file) => one(&options, file),
        None => session(&options),
    };
    if found { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// One case from a file.
fn one(options: &Options, file: &str) -> bool {
    let Ok(bytes) = std::fs::read(file) else {
        eprintln!("cannot read `{file}`");
        return true;
    };
    let outcome = Watch::new(options.limits).run(options.targets[0], &bytes);
    eprintln!("{outcome:?}");
    outcome.find().is_some()
}

/// Mutants until the time is over.
fn session(options: &Options) -> bool {
    let (mut corpus, mut rng) = (Corpus::load(), Rng::new(options.seed));
    let mut watch = Watch::new(options.limits);
    let (began, mut run, mut understood) = (Instant::now(), 0u64, 0u64);
    let (mut finds, mut left_behind) = (BTreeMap::<String, u64>::new(), 0);
    // What ends the whole process (a stack that overflows, memory that is refused) leaves its case here.
    let current = repository().join("target").join(format!("fuzz-current-{}", std::process::id()));
    eprintln!("seed {}, {} s; the case at hand is in {}", options.seed, options.seconds, current.display());
    while began.elapsed() < Duration::from_secs(options.seconds) && left_behind < MOST_LEFT_BEHIND {
        let target = options.targets[rng.below(options.targets.len())];
        let case = corpus.next(target, &mut rng);
        let _ = std::fs::write(&current, &case);
        let outcome = watch.run(target, &case);
        run += 1;
        match &outcome {
            Outcome::Done(true) => {
                understood += 1;
                if let (Target::Text, Ok(text)) = (target, std::str::from_utf8(&case)) {
                    corpus.keep_alive(text, &mut rng);
                }
            }
            Outcome::Hung | Outcome::Gorged => left_behind += 1,
            _ => {}
        }
        if let Some(find) = outcome.find() {
            let times = finds.entry(find.clone()).or_default();
            *times += 1;
            if *times == 1 || matches!(outcome, Outcome::Hung | Outcome::Gorged) {
                keep(&mut watch, target, &case, &outcome, &find);
            }
        }
    }
    let _ = std::fs::remove_file(&current);
    eprintln!("{run} cases in {:.0} s, {understood} understood", began.elapsed().as_secs_f64());
    for (find, times) in &finds {
        eprintln!("  {times} times: {find}");
    }
    !finds.is_empty()
}

/// Writes a find where the test of the cases sees it.
fn keep(watch: &mut Watch, target: Target, case: &[u8], outcome: &Outcome, find: &str) {
    let small = match outcome {
        Outcome::Panicked(..) => watch.shrink(target, case, find),
        _ => case.to_vec(),
    };
    let path = cases(target).join(format!("{:016x}", number_of(&small)));
    let kept = std::fs::create_dir_all(cases(target)).and_then(|()| std::fs::write(&path, &small));
    let place = kept.map_or_else(|error| error.to_string(), |()| path.display().to_string());
    eprintln!("FOUND in {}: {outcome:?}\n  kept: {place}", target.name());
}
