//! `sweep --shard`, `--merge`, `--keep` and data sets.

use crate::support::{Answer, command, dalembert, model, scratch};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A sweep of chains, which are slow enough to be killed in the middle.
fn chains(out: &Path, more: &[&str]) -> Vec<String> {
    let (chain, out) = (model("pendulum_chain"), out.to_string_lossy().into_owned());
    let fixed =
        ["sweep", &chain, "--sample", "g~uniform(9,10)", "--runs", "60", "--until", "0.3", "--out", &out];
    fixed.iter().chain(more).map(|word| (*word).to_owned()).collect()
}

fn run(args: &[String]) -> Answer {
    dalembert(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

fn results(dir: &Path) -> Vec<u8> {
    std::fs::read(dir.join("results.csv")).unwrap()
}

/// One process, and shards that are started in any order and killed at random: the same bytes.
#[test]
fn killed_shards_merge_to_the_bytes_of_one_process() {
    let dir = scratch("sweep_shards");
    let (whole, parts) = (dir.join("whole"), dir.join("parts"));
    assert_eq!(run(&chains(&whole, &["--quiet"])).code, 0);
    let shard = |k: usize| chains(&parts, &["--shard", &format!("{k}/5"), "--threads", "1", "--quiet"]);
    let mut rng = 1u64;
    let mut random = |n: u64| {
        rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (rng >> 33) % n
    };
    let files = || std::fs::read_dir(parts.join("blocks")).map_or(0, |files| files.count());
    for round in 0..10 {
        let args = shard(1 + random(5) as usize);
        let words: Vec<&str> = args.iter().map(String::as_str).collect();
        let (before, began) = (files(), Instant::now());
        let mut child = command(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // At any moment, or just after a block was begun or written.
        std::thread::sleep(Duration::from_millis(random(100)));
        while round % 2 == 0
            && files() == before
            && child.try_wait().unwrap().is_none()
            && began.elapsed() < Duration::from_secs(60)
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let early = run(&chains(&parts, &["--merge"]));
    assert!(early.code == 0 || early.stderr.contains("blocks of runs are missing"), "{}", early.stderr);
    for k in [4, 2, 5, 1, 3] {
        let answer = run(&shard(k));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
    }
    let merged = run(&chains(&parts, &["--merge", "--json"]));
    assert_eq!(merged.code, 0, "{}", merged.stderr);
    assert!(results(&whole) == results(&parts), "shards left a trace");
    assert!(!parts.join("blocks").exists());
    // What is complete is told again, whatever is asked.
    for more in [&["--merge", "--json"][..], &["--shard", "2/5", "--json"]] {
        assert_eq!(run(&chains(&parts, more)).json()["already_complete"], true);
    }
}

#[test]
fn shards_that_run_at_the_same_time_share_a_new_directory() {
    let dir = scratch("sweep_together");
    let (whole, parts) = (dir.join("whole"), dir.join("parts"));
    assert_eq!(run(&chains(&whole, &["--quiet"])).code, 0);
    let children: Vec<_> = (1..=4)
        .map(|k| {
            let args = chains(&parts, &["--shard", &format!("{k}/4"), "--threads", "1", "--json"]);
            let words: Vec<&str> = args.iter().map(String::as_str).collect();
            command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut made = 0;
    for child in children {
        let answer = child.wait_with_output().unwrap();
        assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
        let said: serde_json::Value = serde_json::from_slice(&answer.stdout).unwrap();
        made += said["runs_made"].as_u64().unwrap();
    }
    assert_eq!(made, 60, "each run is made once");
    assert_eq!(run(&chains(&parts, &["--merge"])).code, 0);
    assert!(results(&whole) == results(&parts));
}

#[test]
fn shards_and_merges_that_make_no_sense_are_refused() {
    let out = scratch("sweep_senseless").join("out");
    for more in
        [&["--shard", "0/4"][..], &["--shard", "5/4"], &["--shard", "3"], &["--shard", "1/2", "--merge"]]
    {
        assert_eq!(run(&chains(&out, more)).code, 2, "{more:?}");
    }
    let none = run(&chains(&out, &["--merge"]));
    assert!(none.code == 1 && none.stderr.contains("there is no sweep"), "{}", none.stderr);
    assert!(!out.exists());
}

/// Figures over the rows of a run against the rows themselves.
#[test]
fn kept_figures_are_those_of_the_motions() {
    let dir = scratch("sweep_keep");
    let (figures, motions) = (dir.join("figures"), dir.join("motions"));
    let args = |out: &Path, more: &[&str]| -> Vec<String> {
        let (pendulum, out) = (model("double_pendulum"), out.to_string_lossy().into_owned());
        let fixed =
            ["sweep", &pendulum, "--vary", "theta1=0.5,1,1.5,2,2.5", "--until", "2", "--every", "0.1"];
        fixed.iter().chain(&["--out", &out, "--json"]).chain(more).map(|word| (*word).to_owned()).collect()
    };
    let said = run(&args(&figures, &["--keep", "max(theta2), rms(theta1'), last(E), mean(t)"])).json();
    let names = ["run", "theta1(0)", "max(theta2)", "rms(theta1')", "last(E)", "mean(t)"];
    assert_eq!(said["columns"].as_array().unwrap()[..6], names);
    assert!(
        said["outputs"]["max(theta2)"]["max"].as_f64().is_some()
            && said["files"].as_array().unwrap().len() == 1
    );
    assert!(!figures.join("motions").exists());
    assert_eq!(run(&args(&motions, &[])).code, 0);
    let table = |path: &Path| -> Vec<Vec<f64>> {
        let text = std::fs::read_to_string(path).unwrap();
        let numbers = |line: &str| line.split(',').map_while(|word| word.parse().ok()).collect();
        text.lines().skip(1).map(numbers).collect()
    };
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut files: Vec<_> =
        std::fs::read_dir(motions.join("motions")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().for_each(|file| rows.extend(table(file)));
    // run, t, theta1, theta2, theta1', theta2', E
    for figure in table(&figures.join("results.csv")) {
        let own: Vec<&Vec<f64>> = rows.iter().filter(|row| row[0] == figure[0]).collect();
        let max = own.iter().map(|row| row[3]).fold(f64::NEG_INFINITY, f64::max);
        let rms = (own.iter().map(|row| row[4] * row[4]).sum::<f64>() / own.len() as f64).sqrt();
        let mean = own.iter().map(|row| row[1]).sum::<f64>() / own.len() as f64;
        assert_eq!((figure[2], figure[4]), (max, own[own.len() - 1][6]));
        assert!((figure[3] / rms - 1.0).abs() < 1e-14 && (figure[5] - mean).abs() < 1e-13, "{figure:?}");
    }
    let wrong = run(&args(&dir.join("wrong"), &["--keep", "max(theta3)"]));
    assert!(wrong.code == 1 && wrong.stdout.contains("did you mean `theta"), "{}", wrong.stdout);
    assert_eq!(run(&args(&dir.join("wrong"), &["--keep", "largest(theta1)"])).code, 2);
    let other = run(&args(&figures, &["--keep", "max(theta1)", "--resume"]));
    assert!(other.code == 1 && other.stdout.contains("cannot resume"), "{}", other.stdout);
}

#[test]
fn a_data_set_lists_its_files() {
    let dir = scratch("sweep_dataset");
    let out = dir.join("cloud");
    let answer = run(&chains(&out, &["--format", "dataset", "--every", "0.1", "--json"]));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert_eq!(answer.json()["files"].as_array().unwrap()[..], ["results", "dataset.json", "motions"]);
    let list: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("dataset.json")).unwrap()).unwrap();
    assert_eq!((&list["rows"], &list["format"]), (&60.into(), &"parquet".into()));
    for part in list["partitions"].as_array().unwrap() {
        let bytes = std::fs::read(out.join(part["path"].as_str().unwrap())).unwrap();
        assert!(bytes.starts_with(b"PAR1") && bytes.len() as u64 == part["bytes"].as_u64().unwrap());
    }
    let again = run(&chains(&out, &["--format", "dataset", "--every", "0.1", "--json", "--resume"]));
    assert_eq!(again.json()["already_complete"], true);
}
