//! Runs the tests against each mutant.

use crate::STAGES;
use crate::build::{self, Tests};
use crate::list::Mutant;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::error::Error;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

const MISSED: &str = "missed";

/// What tests say about a mutant. All but `Passed` catch it.
enum Verdict {
    Passed,
    /// The first test that failed.
    Failed(String),
    Aborted,
    TimedOut,
}

/// Tests that take longer with a mutant than this, or than ten times what they take without, do not end.
const PATIENCE: Duration = Duration::from_secs(60);
/// Memory a program of tests may map, in KiB: a mutant that allocates without end must not take the machine with it.
const MEMORY: u32 = 8_000_000;

/// Judges all mutants by one stage after the other; what a stage catches, the next one is spared.
pub fn all(
    tree: &Path,
    outcomes: &Path,
    mutants: &[Mutant],
    unviable: &BTreeSet<u32>,
) -> Result<(), Box<dyn Error>> {
    let mut known = read(outcomes);
    known.retain(|_, fate| fate != MISSED);
    for (k, stage) in STAGES.iter().enumerate() {
        let tests = baseline(build::tests(tree, stage)?)?;
        for mutant in mutants {
            // Tests of a package do not see mutants of those above it.
            let above = STAGES[k + 1..].iter().any(|s| s.package == mutant.package);
            if above || known.get(&mutant.name).is_some_and(|fate| fate != MISSED) {
                continue;
            }
            let fate = if unviable.contains(&mutant.id) {
                "unviable".to_owned()
            } else {
                judge(mutant, &tests)?.unwrap_or(MISSED.to_owned())
            };
            println!("{} {fate}\t{}", mutant.id, mutant.name);
            known.insert(mutant.name.clone(), fate);
            write(outcomes, mutants, &known)?;
        }
    }
    summarise(mutants, &known);
    Ok(())
}

/// Runs tests without a mutant: they must pass, and what they take bounds what they may take with one.
fn baseline(tests: Vec<Tests>) -> Result<Vec<(Tests, Duration)>, Box<dyn Error>> {
    let mut timed = Vec::new();
    for program in tests {
        let began = Instant::now();
        if let Some(fate) = judge_by(&program, 0, PATIENCE * 20)? {
            return Err(format!("without a mutant: {fate}").into());
        }
        println!("{} {}: {:.1} s", program.package, program.target, began.elapsed().as_secs_f64());
        timed.push((program, PATIENCE.max(began.elapsed() * 10)));
    }
    Ok(timed)
}

fn judge(mutant: &Mutant, tests: &[(Tests, Duration)]) -> Result<Option<String>, Box<dyn Error>> {
    for (program, patience) in tests {
        if let Some(fate) = judge_by(program, mutant.id, *patience)? {
            return Ok(Some(fate));
        }
    }
    Ok(None)
}

/// How a program of tests catches a mutant, if it does.
fn judge_by(tests: &Tests, mutant: u32, patience: Duration) -> Result<Option<String>, Box<dyn Error>> {
    let place = format!("{} {}", tests.package, tests.target);
    Ok(match run(tests, mutant, patience)? {
        Verdict::Passed => None,
        Verdict::Failed(test) => Some(format!("caught by {place} {test}")),
        Verdict::Aborted => Some(format!("caught by {place}, which ends early")),
        Verdict::TimedOut => Some(format!("timeout in {place}")),
    })
}

/// Runs a program of tests until the first one fails.
fn run(tests: &Tests, mutant: u32, patience: Duration) -> Result<Verdict, Box<dyn Error>> {
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -v {MEMORY}; exec \"$0\"")])
        .arg(&tests.program)
        .current_dir(&tests.directory)
        .env("CARGO_MANIFEST_DIR", &tests.directory)
        .env("MUTANT", mutant.to_string())
        // The same cases every time, and failures leave nothing behind.
        .env("PROPTEST_RNG_SEED", "1")
        .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "true")
        .env("INSTA_UPDATE", "no")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let (sender, lines) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
    }
    let until = Instant::now() + patience;
    loop {
        match lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                if let Some(test) = line.strip_prefix("test ").and_then(|l| l.strip_suffix(" ... FAILED")) {
                    end(&mut child)?;
                    return Ok(Verdict::Failed(test.to_owned()));
                }
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                end(&mut child)?;
                return Ok(Verdict::TimedOut);
            }
        }
    }
    Ok(if child.wait()?.success() { Verdict::Passed } else { Verdict::Aborted })
}

fn end(child: &mut Child) -> std::io::Result<()> {
    child.kill()?;
    child.wait().map(drop)
}

/// Fates by the names of mutants.
fn read(outcomes: &Path) -> HashMap<String, String> {
    let text = std::fs::read_to_string(outcomes).unwrap_or_default();
    text.lines()
        .filter_map(|l| l.split_once('\t'))
        .map(|(fate, name)| (name.to_owned(), fate.to_owned()))
        .collect()
}

fn write(outcomes: &Path, mutants: &[Mutant], known: &HashMap<String, String>) -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    for mutant in mutants {
        if let Some(fate) = known.get(&mutant.name) {
            writeln!(text, "{fate}\t{}", mutant.name)?;
        }
    }
    Ok(std::fs::write(outcomes, text)?)
}

fn summarise(mutants: &[Mutant], known: &HashMap<String, String>) {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for mutant in mutants {
        let fate = known.get(&mutant.name).and_then(|f| f.split(' ').next()).unwrap_or("not judged");
        *counts.entry((&mutant.package, fate)).or_default() += 1;
    }
    for ((package, fate), count) in counts {
        println!("{package} {fate} {count}");
    }
}
