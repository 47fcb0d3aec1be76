//! Runs against each mutant the tests that reach it, the quickest first.

use crate::build::{self, Program};
use crate::list::Mutant;
use crate::{STAGES, Stage, UNIT_TESTS};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const UNVIABLE: &str = "unviable";
const MISSED: &str = "missed";

/// A test that takes longer with a mutant than this, or than ten times what it takes without, does not end.
const PATIENCE: Duration = Duration::from_secs(30);
/// Memory a test may map, in KiB: a mutant that allocates without end must not take the machine with it.
const MEMORY: u32 = 8_000_000;

/// One test, and what it does without a mutant.
struct Test<'a> {
    program: &'a Program,
    name: String,
    time: Duration,
    /// The mutants whose places it comes by.
    reaches: BTreeSet<u32>,
}

enum Verdict {
    Passed,
    Failed,
    TimedOut,
}

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
        let programs = build::tests(tree, stage)?;
        let tests = baseline(stage, &programs, &tree.join("target/reached"))?;
        for mutant in mutants {
            // Tests of a package do not see mutants of those above it.
            let above = STAGES[k + 1..].iter().any(|s| s.package == mutant.package);
            if above || known.get(&mutant.name).is_some_and(|fate| fate != MISSED) {
                continue;
            }
            let fate =
                if unviable.contains(&mutant.id) { UNVIABLE.to_owned() } else { judge(mutant, &tests)? };
            println!("{} {fate}\t{}", mutant.id, mutant.name);
            known.insert(mutant.name.clone(), fate);
            write(outcomes, mutants, &known)?;
        }
    }
    summarise(mutants, &known);
    Ok(())
}

/// The mutants that did not compile the last time.
pub fn unviable(outcomes: &Path, mutants: &[Mutant]) -> BTreeSet<u32> {
    let known = read(outcomes);
    mutants.iter().filter(|m| known.get(&m.name).is_some_and(|f| f == UNVIABLE)).map(|m| m.id).collect()
}

/// Runs every test without a mutant: it must pass; what it takes and what it reaches is noted.
fn baseline<'a>(
    stage: &Stage,
    programs: &'a [Program],
    note: &Path,
) -> Result<Vec<Test<'a>>, Box<dyn Error>> {
    if let Some(directory) = note.parent() {
        std::fs::create_dir_all(directory)?;
    }
    let mut tests = Vec::new();
    for program in programs {
        let list = Command::new(&program.path).args(["--list", "--format", "terse"]).output()?;
        for line in String::from_utf8(list.stdout)?.lines() {
            let Some(name) = line.strip_suffix(": test") else { continue };
            if program.target != UNIT_TESTS && !stage.includes(name) {
                continue;
            }
            let _ = std::fs::remove_file(note);
            let began = Instant::now();
            if !matches!(run(program, name, 0, Some(note), PATIENCE * 20)?, Verdict::Passed) {
                return Err(format!("{} {name} fails without a mutant", program.target).into());
            }
            let reached = std::fs::read_to_string(note).unwrap_or_default();
            let reaches = reached.lines().filter_map(|l| l.parse().ok()).collect();
            tests.push(Test { program, name: name.to_owned(), time: began.elapsed(), reaches });
        }
    }
    tests.sort_by_key(|t| t.time);
    let whole: Duration = tests.iter().map(|t| t.time).sum();
    println!("{}: {} tests pass in {:.0} s", stage.package, tests.len(), whole.as_secs_f64());
    Ok(tests)
}

fn judge(mutant: &Mutant, tests: &[Test<'_>]) -> Result<String, Box<dyn Error>> {
    for test in tests.iter().filter(|t| t.reaches.contains(&mutant.id)) {
        let place = format!("{} {} {}", test.program.package, test.program.target, test.name);
        match run(test.program, &test.name, mutant.id, None, PATIENCE.max(test.time * 10))? {
            Verdict::Passed => {}
            Verdict::Failed => return Ok(format!("caught by {place}")),
            Verdict::TimedOut => return Ok(format!("timeout in {place}")),
        }
    }
    Ok(MISSED.to_owned())
}

/// Runs one test with a mutant (0: none).
fn run(
    program: &Program,
    test: &str,
    mutant: u32,
    note: Option<&Path>,
    patience: Duration,
) -> Result<Verdict, Box<dyn Error>> {
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("ulimit -v {MEMORY}; exec \"$0\" --exact \"$1\"")])
        .arg(&program.path)
        .arg(test)
        .current_dir(&program.directory)
        .env("CARGO_MANIFEST_DIR", &program.directory)
        .env("MUTANT", mutant.to_string())
        // The same cases every time, and failures leave nothing behind.
        .env("PROPTEST_RNG_SEED", "1")
        .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "true")
        .env("INSTA_UPDATE", "no")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Some(note) = note {
        command.env("MUTANTS_REACHED", note);
    }
    let mut child = command.spawn()?;
    let until = Instant::now() + patience;
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(if status.success() { Verdict::Passed } else { Verdict::Failed });
        }
        if Instant::now() > until {
            child.kill()?;
            child.wait()?;
            return Ok(Verdict::TimedOut);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// Fates by the names of mutants.
fn read(outcomes: &Path) -> HashMap<String, String> {
    let text = std::fs::read_to_string(outcomes).unwrap_or_default();
    let rows = text.lines().filter_map(|l| l.split_once('\t'));
    rows.map(|(fate, name)| (name.to_owned(), fate.to_owned())).collect()
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
