//! Files whose operations fail one after the other: whatever fails, what was good stays, and what is left can be mended.

use crate::args::Cli;
use crate::failure::Failure;
use clap::Parser;
use dalembert_files::{LEFTOVER, faults};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const MODEL: &str = "parameter g = 10\ncoordinate y\nkinetic  y'^2/2\npotential g*y\ninitial y = 5\n\
                     output height = y\nsimulate until 1 every 0.01\n";

/// A folder with a model, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("dalembert-cli-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("model.dal"), MODEL).unwrap();
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn run(words: &[&str]) -> Result<(), Failure> {
    let cli = Cli::try_parse_from([&["dalembert"], words].concat()).unwrap_or_else(|error| panic!("{error}"));
    crate::run(cli.command)
}

/// All files below a folder with their content.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.path().is_dir() {
            true => found.extend(content(&entry.path())),
            false => drop(found.insert(entry.path(), fs::read(entry.path()).unwrap())),
        }
    }
    found
}

fn leftovers(folder: &Path) -> usize {
    let ours = |path: &PathBuf| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(LEFTOVER));
    content(folder).keys().filter(|path| ours(path)).count()
}

/// Runs a command that writes `files`, with each of its operations failing once: every file is the old one or whole.
fn each_is_old_or_whole(test: &str, words: &[&str], files: &[&str]) {
    let folder = Folder::new(test);
    let words: Vec<String> =
        words.iter().map(|w| if w.contains('.') { folder.path(w) } else { (*w).to_owned() }).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let good = |name: &str| if name == "model.dal" { MODEL.as_bytes() } else { b"good" };
    let reset = || files.iter().for_each(|name| fs::write(folder.path(name), good(name)).unwrap());
    reset();
    run(&words).map_err(|_| "it fails by itself").unwrap();
    let whole: Vec<usize> = files.iter().map(|name| fs::read(folder.path(name)).unwrap().len()).collect();
    let steps = faults::each(
        || {
            reset();
            run(&words)
        },
        |k, outcome| {
            assert!(outcome.is_err(), "{test}: operation {k} failed and nobody said so");
            for (name, length) in files.iter().zip(&whole) {
                let now = fs::read(folder.path(name)).unwrap();
                // Times of day make pages differ by a digit or two.
                let complete = now.len().abs_diff(*length) < 16 && now != good(name);
                assert!(now == good(name) || complete, "{test}: operation {k} damaged {name}");
            }
            assert_eq!(leftovers(&folder.0), 0, "{test}: operation {k} left a file behind");
        },
    );
    assert!(steps >= 5 * files.len(), "{test}: {steps} operations");
}

#[test]
fn tables_and_plots_are_old_or_whole() {
    let words =
        ["simulate", "model.dal", "--quiet", "--out", "a.csv", "--out", "a.parquet", "--out", "a.json"];
    each_is_old_or_whole("tables", &words, &["a.csv", "a.parquet", "a.json"]);
    let words =
        ["simulate", "model.dal", "--quiet", "--plot", "a.svg", "--plot", "a.png", "--plot", "a.html"];
    each_is_old_or_whole("plots", &words, &["a.svg", "a.png"]);
    let words = ["simulate", "model.dal", "--quiet", "--animate", "film.html"];
    each_is_old_or_whole("film", &words, &["film.html"]);
}

#[test]
fn code_pages_and_formatted_models_are_old_or_whole() {
    let words = ["export", "model.dal", "--quiet", "--target", "c", "--out", "a.c"];
    each_is_old_or_whole("code", &words, &["a.c"]);
    each_is_old_or_whole("page", &["report", "model.dal", "--quiet", "--out", "page.html"], &["page.html"]);
    each_is_old_or_whole("fmt", &["fmt", "--quiet", "model.dal"], &["model.dal"]);
}

/// A sweep that meets a fault can be resumed, and gives what it gives without one.
#[test]
fn a_sweep_is_complete_after_any_fault_and_a_resume() {
    let folder = Folder::new("sweep");
    let model = folder.path("model.dal");
    let words = |dir: &str| {
        let out = folder.path(dir);
        let words = [
            "sweep",
            &model,
            "--quiet",
            "--threads",
            "1",
            "--vary",
            "g=1..3:40",
            "--every",
            "0.1",
            "--out",
            &out,
        ];
        words.map(str::to_owned)
    };
    let sweep = |dir: &str, resume: bool| {
        let mut words: Vec<String> = words(dir).into();
        words.extend(resume.then(|| "--resume".to_owned()));
        run(&words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let result = |dir: &str| {
        let root = folder.0.join(dir);
        let results = fs::read(root.join("results.csv")).unwrap();
        let motions: Vec<Vec<u8>> = content(&root.join("motions")).into_values().collect();
        (results, motions)
    };
    sweep("plain", false).map_err(|_| "it fails by itself").unwrap();
    let expected = result("plain");
    let mut number = 0;
    let steps = faults::each(
        || {
            number += 1;
            sweep(&format!("d{number}"), false)
        },
        |k, outcome| {
            let dir = format!("d{}", k + 1);
            assert!(outcome.is_err(), "operation {k} failed and nobody said so");
            sweep(&dir, true).map_err(|_| k).unwrap();
            assert!(result(&dir) == expected, "operation {k} changed the results");
            assert_eq!(leftovers(&folder.0.join(&dir)), 0, "operation {k} left a file behind");
            // A fault after that finds everything done.
            sweep(&dir, true).map_err(|_| k).unwrap();
        },
    );
    assert!(steps > 15, "{steps} operations");
}

/// A complete sweep stays complete, whatever fails when it is resumed.
#[test]
fn a_fault_after_the_end_loses_nothing() {
    let folder = Folder::new("complete");
    let (model, out) = (folder.path("model.dal"), folder.path("out"));
    let words = ["sweep", &model, "--quiet", "--threads", "1", "--vary", "g=1,2", "--out", &out, "--resume"];
    run(&words).map_err(|_| "it fails by itself").unwrap();
    let before = content(&folder.0.join("out"));
    faults::each(|| run(&words).is_ok(), |_, _| {});
    assert!(content(&folder.0.join("out")) == before);
}
