//! `dalembert sweep`: grids, draws, directories that survive being killed.

use crate::support;

use crate::support::{command, dalembert, model, scratch};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The command of a sweep of double pendulums, in lanes.
fn cloud(out: &Path, more: &[&str]) -> Vec<String> {
    let fixed = [
        "sweep",
        &model("double_pendulum"),
        "--out",
        &text(out),
        "--runs",
        "300",
        "--seed",
        "3",
        "--until",
        "2",
    ];
    let samples = ["--rtol", "1e-6", "--sample", "theta1~uniform(-3,3)", "--sample", "theta2'~normal(0,1)"];
    fixed.iter().chain(&samples).chain(more).map(|s| (*s).to_owned()).collect()
}

fn run(args: &[String]) -> support::Answer {
    dalembert(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn a_grid_becomes_a_table() {
    let dir = scratch("sweep_grid");
    let out = dir.join("grid");
    let pendulum = model("double_pendulum");
    let args = [
        "sweep",
        &pendulum,
        "--vary",
        "m1=1,2",
        "--vary",
        "theta1=0.1..0.3:3",
        "--until",
        "1",
        "--out",
        &text(&out),
        "--json",
    ];
    let answer = dalembert(&args);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let said = answer.json();
    assert_eq!((&said["runs"], &said["done"], &said["in_lanes"]), (&6.into(), &6.into(), &true.into()));
    assert!(said["outputs"]["E"]["min"].as_f64().unwrap() <= said["outputs"]["E"]["mean"].as_f64().unwrap());
    let table = std::fs::read_to_string(out.join("results.csv")).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(
        lines[0],
        "run,m1,theta1(0),t,theta1,theta2,theta1',theta2',E,energy_change,residual,steps,status"
    );
    assert!(lines[1].starts_with("0,1,0.1,1,") && lines[6].starts_with("5,2,0.3,1,"), "{table}");
    assert!(lines[1..].iter().all(|line| line.ends_with(",done")) && lines.len() == 7);
    assert!(!out.join("blocks").exists());

    // The same row from `simulate`.
    let one = dalembert(&[
        "simulate",
        &pendulum,
        "--set",
        "m1=2",
        "--initial",
        "theta1=0.3",
        "--until",
        "1",
        "--json",
    ])
    .json();
    let theta2: f64 = lines[6].split(',').nth(5).unwrap().parse().unwrap();
    assert!((one["final"]["theta2"].as_f64().unwrap() - theta2).abs() < 1e-8);

    // A second sweep does not write over the first; resuming a complete one tells it again.
    let again = dalembert(&args);
    assert!(again.code == 1 && again.stdout.contains("--resume"), "{}", again.stdout);
    let told: Vec<&str> = args.iter().copied().chain(["--resume"]).collect();
    let again = dalembert(&told).json();
    assert_eq!((&said["already_complete"], &again["already_complete"]), (&false.into(), &true.into()));
    // Every digit, of times and means too: numbers are read from JSON as they were written.
    for key in said.as_object().unwrap().keys().filter(|key| *key != "already_complete") {
        assert_eq!(said[key].to_string(), again[key].to_string(), "{key}");
    }
}

/// Without the feature `float_roundtrip` of `serde_json` some of these lose their last digit.
#[test]
fn numbers_read_from_json_are_those_that_were_written() {
    for k in 1..2000 {
        let value = f64::from(k).sqrt() / 7.3e-5;
        let read: serde_json::Value = serde_json::from_str(&serde_json::json!(value).to_string()).unwrap();
        assert_eq!(read.as_f64(), Some(value));
    }
}

/// Files of a complete sweep are known by length and checksum: a changed one is neither told nor written over, a missing
/// one is made again.
#[test]
fn a_complete_sweep_whose_files_changed_is_not_told() {
    let dir = scratch("sweep_changed");
    for format in ["csv", "parquet"] {
        let out = dir.join(format);
        let more = ["--resume", "--every", "0.5", "--format", format];
        assert_eq!(run(&cloud(&out, &more[1..])).code, 0);
        let again = run(&cloud(&out, &more));
        assert_eq!(again.code, 0, "{}", again.stderr);
        assert!(again.stdout.contains("already complete: "), "{}", again.stdout);
        assert!(!again.stdout.contains("wrote"), "{}", again.stdout);
        for name in [format!("results.{format}"), format!("motions/00000001.{format}"), "summary.json".into()]
        {
            let path = out.join(&name);
            let whole = std::fs::read(&path).unwrap();
            let mut edited = whole.clone();
            edited[whole.len() / 2] ^= 1;
            for (changed, why) in [(&whole[..whole.len() / 3], "bytes and had"), (&edited, "checksum")] {
                std::fs::write(&path, changed).unwrap();
                let refused = run(&cloud(&out, &more));
                assert_eq!(refused.code, 1, "{name}: {}", refused.stdout);
                let said = refused.stderr;
                assert!(said.contains(&name) && said.contains(why) && said.contains("delete it"), "{said}");
                assert_eq!(std::fs::read(&path).unwrap(), changed, "nothing is written over");
            }
            std::fs::remove_file(&path).unwrap();
            let mended = run(&cloud(&out, &more));
            assert_eq!(mended.code, 0, "{}", mended.stderr);
            assert!(mended.stdout.contains("wrote"), "{}", mended.stdout);
            // The summary tells its own time.
            assert!(name == "summary.json" || std::fs::read(&path).unwrap() == whole, "{name}");
        }
        assert!(!out.join("blocks").exists());
        std::fs::remove_file(out.join("checksums")).unwrap();
        let refused = run(&cloud(&out, &more));
        assert!(refused.code == 1 && refused.stderr.contains("nobody knows"), "{}", refused.stderr);
    }
}

/// Motions of an interrupted sweep are looked at like results of a complete one.
#[test]
fn motions_that_are_gone_are_made_again() {
    let out = scratch("sweep_gone").join("out");
    let more = ["--resume", "--every", "0.5", "--json"];
    assert_eq!(run(&cloud(&out, &more[1..])).code, 0);
    let (results, block) = (out.join("results.csv"), out.join("motions").join("00000001.csv"));
    let whole = [&results, &block].map(|path| std::fs::read(path).unwrap());
    // Every block is made, and the results cannot be written: the blocks stay.
    for name in ["results.csv", "summary.json", "checksums"] {
        std::fs::remove_file(out.join(name)).unwrap();
    }
    let obstacle = out.join("results.csv");
    std::fs::create_dir(&obstacle).unwrap();
    assert_eq!(run(&cloud(&out, &more)).code, 1);
    std::fs::remove_dir(&obstacle).unwrap();
    // A block that does not hold its runs is named and not taken in.
    let damaged = out.join("blocks").join("00000002.csv");
    let good = std::fs::read(&damaged).unwrap();
    std::fs::write(&damaged, &good[1..]).unwrap();
    let refused = run(&cloud(&out, &more));
    assert!(refused.code == 1 && refused.stdout.contains("00000002.csv"), "{}", refused.stdout);
    std::fs::write(&damaged, &good).unwrap();
    std::fs::remove_file(&block).unwrap();
    let said = run(&cloud(&out, &more)).json();
    let made = said["runs_made"].as_u64().unwrap();
    assert!(0 < made && made < 300, "one block alone is made: {made} runs");
    assert_eq!([&results, &block].map(|path| std::fs::read(path).unwrap()), whole);
    assert_eq!(run(&cloud(&out, &more)).json()["already_complete"], true);
}

/// Runs that lanes could not finish are counted.
#[test]
fn the_way_of_the_runs_is_told() {
    let dir = scratch("sweep_way");
    let said = run(&cloud(&dir.join("lanes"), &[]));
    assert!(said.stdout.contains(", in vector lanes"), "{}", said.stdout);
    let path = text(&dir.join("blow.dal"));
    let file =
        "parameter k = 1\ncoordinate x\nmass [[1]]\nforce [2*x^3]\ninitial x = 1, x' = k\nsimulate until 2\n";
    std::fs::write(&path, file).unwrap();
    let args = ["sweep", &path, "--vary", "k=1,-1", "--out", &text(&dir.join("some"))];
    let said = dalembert(&args);
    assert!(said.stdout.contains("1 in vector lanes, 1 made again one by one"), "{}", said.stdout);
    let again: Vec<&str> = args.iter().copied().chain(["--resume", "--json"]).collect();
    let again = dalembert(&again).json();
    assert_eq!((&again["runs_made"], &again["runs_made_in_lanes"]), (&2.into(), &1.into()));
}

#[test]
fn threads_change_no_byte() {
    let dir = scratch("sweep_threads");
    let results = |threads: &str, format: &str| {
        let out = dir.join(format!("{threads}{format}"));
        let answer = run(&cloud(&out, &["--threads", threads, "--format", format, "--quiet"]));
        assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{}", answer.stderr);
        std::fs::read(out.join(format!("results.{format}"))).unwrap()
    };
    let (csv, parquet) = (results("1", "csv"), results("1", "parquet"));
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    for threads in ["2", "3"] {
        assert!(
            results(threads, "csv") == csv && results(threads, "parquet") == parquet,
            "{threads} threads"
        );
    }
}

/// Killed in the middle, several times, and continued: the same bytes as a sweep that was left alone.
#[test]
fn killed_and_resumed_gives_the_same_bytes() {
    let dir = scratch("sweep_killed");
    // Constraints make each run slow enough to be caught in the middle.
    let chain = model("pendulum_chain");
    let args = |out: &Path| -> Vec<String> {
        let fixed = [
            "sweep",
            &chain,
            "--sample",
            "g~uniform(9,10)",
            "--runs",
            "40",
            "--until",
            "1",
            "--threads",
            "2",
        ];
        fixed.iter().map(|s| (*s).to_owned()).chain(["--out".to_owned(), text(out)]).collect()
    };
    let (whole, broken) = (dir.join("whole"), dir.join("broken"));
    assert_eq!(run(&args(&whole)).code, 0);
    let mut resumed = args(&broken);
    let blocks = broken.join("blocks");
    let size = || std::fs::read_dir(&blocks).map_or(0, |files| files.count());
    for round in 0..3 {
        if round == 1 {
            resumed.push("--resume".to_owned());
        }
        let words: Vec<&str> = resumed.iter().map(String::as_str).collect();
        let before = size();
        let mut child = command(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let began = Instant::now();
        while size() <= before
            && child.try_wait().unwrap().is_none()
            && began.elapsed() < Duration::from_secs(60)
        {
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    if !resumed.contains(&"--resume".to_owned()) {
        resumed.push("--resume".to_owned());
    }
    let answer = run(&resumed);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let read = |dir: &Path| std::fs::read(dir.join("results.csv")).unwrap();
    assert!(read(&whole) == read(&broken), "interruptions left a trace");
}

#[test]
fn another_sweep_is_not_resumed() {
    let dir = scratch("sweep_other");
    let out = dir.join("out");
    assert_eq!(run(&cloud(&out, &[])).code, 0);
    let changed = run(&cloud(&out, &["--resume", "--atol", "1e-3"]));
    assert!(
        changed.code == 1 && changed.stderr.contains("`--atol` was null and is 0.001 now"),
        "{}",
        changed.stderr
    );
    let mut other = cloud(&out, &["--resume"]);
    other[1] = model("double_pendulum_tip");
    let changed = run(&other);
    assert!(changed.code == 1 && changed.stderr.contains("cannot resume"), "{}", changed.stderr);

    let full = dir.join("full");
    std::fs::create_dir_all(&full).unwrap();
    std::fs::write(full.join("thesis.tex"), "years of work").unwrap();
    for more in [&[][..], &["--resume"]] {
        let answer = run(&cloud(&full, more));
        assert!(answer.code == 1 && answer.stderr.contains("not empty"), "{}", answer.stderr);
    }
    assert_eq!(std::fs::read_dir(&full).unwrap().count(), 1);
}

#[test]
fn motions_are_written_by_block() {
    let dir = scratch("sweep_motions");
    for format in ["csv", "parquet"] {
        let out = dir.join(format);
        let answer = run(&cloud(&out, &["--every", "0.5", "--format", format]));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let files: Vec<PathBuf> =
            std::fs::read_dir(out.join("motions")).unwrap().map(|e| e.unwrap().path()).collect();
        assert!(!files.is_empty() && files.iter().all(|f| f.extension().unwrap() == format));
        if format == "csv" {
            let rows: usize =
                files.iter().map(|f| std::fs::read_to_string(f).unwrap().lines().count() - 1).sum();
            assert_eq!(rows, 300 * 5);
        }
    }
}

/// Units of the file, failures that are counted, and wrong usage.
#[test]
fn units_failures_and_usage() {
    let dir = scratch("sweep_units");
    let path = text(&dir.join("pendulum.dal"));
    let file = "parameter l = 50 {cm}, g = 9.81 {m/s^2}\ncoordinate a\nkinetic l^2*a'^2/2\npotential -g*l*cos(a)\n\
                output L = l\nsimulate until 1\n";
    std::fs::write(&path, file).unwrap();
    let out = text(&dir.join("out"));
    let said = dalembert(&["sweep", &path, "--vary", "l=50,100", "--out", &out, "--json"]).json();
    assert_eq!((&said["outputs"]["L"]["min"], &said["outputs"]["L"]["max"]), (&0.5.into(), &1.0.into()));

    std::fs::write(
        &path,
        "parameter k = 1\ncoordinate x\nmass [[1]]\nforce [2*x^3]\ninitial x = 1, x' = k\nsimulate until 2\n",
    )
    .unwrap();
    let answer = dalembert(&["sweep", &path, "--vary", "k=1,-1", "--out", &text(&dir.join("some"))]);
    assert!(
        answer.code == 0 && answer.stdout.contains("1 done, 1 failed with E07"),
        "{}{}",
        answer.stdout,
        answer.stderr
    );
    let answer = dalembert(&["sweep", &path, "--vary", "k=1,1.1", "--out", &text(&dir.join("none"))]);
    assert!(answer.code == 1 && answer.stderr.contains("every run failed"), "{}", answer.stderr);

    for (wrong, code) in [
        (&["--vary", "k=1.."][..], 2),
        (&["--sample", "k~x(1)"], 2),
        (&["--threads", "0", "--vary", "k=1,2"], 2),
        (&[], 1),
    ] {
        let out = text(&dir.join("wrong"));
        let args: Vec<&str> =
            ["sweep", &path, "--out", &out].into_iter().chain(wrong.iter().copied()).collect();
        let answer = dalembert(&args);
        assert_eq!(answer.code, code, "{wrong:?}: {}", answer.stderr);
        assert!(!Path::new(&out).exists(), "nothing is written for {wrong:?}");
    }
}

/// Ctrl-C keeps what is done and says how to go on.
#[cfg(unix)]
#[test]
fn an_interrupted_sweep_says_how_to_go_on() {
    let dir = scratch("sweep_interrupted");
    let out = dir.join("out");
    let chain = model("pendulum_chain");
    let args = [
        "sweep",
        &chain,
        "--sample",
        "g~uniform(9,10)",
        "--runs",
        "100000",
        "--until",
        "1",
        "--out",
        &text(&out),
    ];
    let child = command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while std::fs::read_dir(out.join("blocks")).map_or(0, |files| files.count()) == 0
        && began.elapsed() < Duration::from_secs(60)
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let answer = child.wait_with_output().unwrap();
    let words = String::from_utf8(answer.stderr).unwrap();
    assert_eq!(answer.status.code(), Some(1), "{words}");
    assert!(
        words.contains("interrupted: ") && words.contains("'g~uniform(9,10)'") && words.contains("--resume`"),
        "{words}"
    );
}

#[test]
fn what_is_varied_cannot_have_one_value() {
    let pendulum = model("double_pendulum");
    let out = text(&scratch("sweep_fixed").join("out"));
    for (varied, given) in
        [(["--vary", "m2=1,2"], ["--set", "m2=1"]), (["--vary", "theta1=1,2"], ["--initial", "theta1 ~ 1"])]
    {
        let args: Vec<&str> =
            ["sweep", &pendulum, "--out", &out].into_iter().chain(varied).chain(given).collect();
        let answer = dalembert(&args);
        assert_eq!(answer.code, 1, "{}", answer.stderr);
        assert!(answer.stderr.contains("is given one value and varied"), "{}", answer.stderr);
    }
}

#[test]
fn a_member_that_is_given_one_value_and_varied_with_its_family_is_refused() {
    let folder = scratch("sweep_member");
    let file = folder.join("springs.dal");
    let source = "parameter k[1..2] = 1\ncoordinate x[1..2]\nkinetic sum(i in 1..2, x[i]'^2/2)\n\
        potential sum(i in 1..2, k[i]/2*x[i]^2)\ninitial x[1] = 1\nsimulate until 1\n";
    std::fs::write(&file, source).expect("a model");
    let (file, out) = (text(&file), text(&folder.join("out")));
    for (given, varied) in [("k[2]=7", "k=5"), ("k=7", "k[2]=5"), ("k[2]=7", "k[2]=5")] {
        let answer = dalembert(&["sweep", &file, "--out", &out, "--set", given, "--vary", varied]);
        assert_eq!(answer.code, 1, "{}", answer.stderr);
        assert!(answer.stderr.contains("is given one value and varied"), "{}", answer.stderr);
    }
    let answer = dalembert(&["sweep", &file, "--out", &out, "--set", "k[2]=7", "--vary", "k[1]=5"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
}

#[test]
fn lists_and_distributions_that_cannot_be_read_are_wrong_usage() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/pendulum.dal");
    for (option, text, word) in [
        ("--vary", "g=1..2", "write it as"),
        ("--vary", "g=1..2:1", "two values or more"),
        ("--vary", "g=2..2:3", "no length"),
        ("--vary", "g=0..1:3:log", "begin or end at zero"),
        ("--vary", "g=-1..1:3:log", "cannot pass zero"),
        ("--sample", "g~cauchy(0,1)", "write it as"),
        ("--sample", "g~uniform(2,1)", "lower bound is above the upper"),
        ("--sample", "g~loguniform(2,1)", "lower bound is above the upper"),
        ("--sample", "g~loguniform(0,1)", "positive bounds"),
        ("--sample", "g~normal(1,-1)", "deviation is negative"),
    ] {
        let answer = dalembert(&["sweep", model, option, text, "--out", "never"]);
        assert!(answer.code == 2 && answer.stderr.contains(word), "{}", answer.stderr);
    }
}

/// A `const` is named as one, where it is varied and where names are listed.
#[test]
fn constants_are_named_as_such() {
    let folder = scratch("sweep_const");
    let file = folder.join("chain.dal");
    let source = "const N = 2\nparameter k = 1\ncoordinate x[1..N]\nkinetic sum(i in 1..N, x[i]'^2/2)\n\
        potential sum(i in 1..N, k/2*x[i]^2)\ninitial x[1] = 1\nsimulate until 1\n";
    std::fs::write(&file, source).expect("a model");
    let (file, out) = (text(&file), text(&folder.join("out")));
    let answer = dalembert(&["sweep", &file, "--vary", "N=2,3", "--out", &out]);
    assert!(answer.code == 1 && answer.stderr.contains("`N` is a `const`"), "{}", answer.stderr);
    assert!(!answer.stderr.contains("x[1]"), "{}", answer.stderr);
    let answer = dalembert(&["check", &file, "--set", "zeta=1"]);
    assert!(answer.code == 1, "{}", answer.stderr);
    assert!(answer.stderr.contains("its parameters are: k; its constants are: N"), "{}", answer.stderr);
}
