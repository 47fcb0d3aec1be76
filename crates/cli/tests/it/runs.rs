//! `dalembert simulate`: tables, plots, summaries, failures.

use crate::support::{command, dalembert, model, scratch, with_input};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

const FALL: &str = "system \"Fall & <rise>\"\nparameter g = 10\ncoordinate y\nkinetic y'^2/2\npotential g*y\n\
                    initial y = 5, y' = 0\noutput height = y\nevent ground: y falling stop\nsimulate until 3 every 0.4\n";
/// Runs into a singularity at t = 1.
const BLOW_UP: &str =
    "coordinate x\nmass [[1]]\nforce [2*x^3]\ninitial x = 1, x' = 1\noutput a = x''\nsimulate until 2\n";

#[test]
fn tables_start_with_time() {
    let answer = with_input(&["simulate", "-", "--out", "-"], FALL);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert_eq!((lines[0], lines[1]), ("t,y,y',height", "0,5,0,5"));
    assert_eq!(lines.len(), 5, "t = 0, 0.4, 0.8 and the event at 1: {}", answer.stdout);
    let last: Vec<f64> = lines[4].split(',').map(|v| v.parse().unwrap()).collect();
    assert!((last[0] - 1.0).abs() < 1e-9 && last[1].abs() < 1e-8 && (last[2] + 10.0).abs() < 1e-8);
    assert!(
        answer.stderr.contains("stopped by event `ground`"),
        "words go to standard error: {}",
        answer.stderr
    );
    assert!(with_input(&["simulate", "-", "--out", "-", "--quiet"], FALL).stderr.is_empty());
}

#[test]
fn json_tells_the_run() {
    let answer = with_input(&["simulate", "-", "--json", "--until", "0.75", "--every", "0.25"], FALL);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let said = answer.json();
    assert_eq!(said["columns"], serde_json::json!(["t", "y", "y'", "height"]));
    assert_eq!((&said["stop"], &said["final"]["t"]), (&"end_time".into(), &0.75.into()));
    assert!((said["final"]["y'"].as_f64().unwrap() + 7.5).abs() < 1e-9);
    for key in [
        "steps",
        "rejected",
        "evaluations",
        "wall_time",
        "largest_position_residual",
        "energy_change",
        "energy_deviation",
    ] {
        assert!(said["summary"][key].is_number(), "{key}");
    }
    let stopped = with_input(&["simulate", "-", "--json"], FALL).json();
    assert_eq!((&stopped["stop"], &stopped["events"][0]["name"]), (&"event".into(), &"ground".into()));
    assert_eq!(stopped["events"][0]["rising"], false);
}

#[test]
fn every_file_format_is_written() {
    let dir = scratch("formats");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let names = ["a.csv", "a.parquet", "a.json", "a.svg", "a.png", "a.html"].map(path);
    let [csv, parquet, json, svg, png, html] = &names;
    let args = [
        "simulate", "-", "--out", csv, "--out", parquet, "--out", json, "--plot", svg, "--plot", png,
        "--plot", html,
    ];
    let answer = with_input(&args, FALL);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    for name in &names {
        assert!(answer.stdout.contains(name.as_str()), "{name} is not announced");
    }
    let read = |name: &str| std::fs::read(name).unwrap();
    let table: serde_json::Value = serde_json::from_slice(&read(json)).unwrap();
    assert_eq!((table["columns"].as_array().unwrap().len(), table["rows"].as_array().unwrap().len()), (4, 4));
    let text = String::from_utf8(read(csv)).unwrap();
    let last: f64 = text.lines().last().unwrap().split(',').next().unwrap().parse().unwrap();
    assert_eq!(table["rows"][3][0].as_f64(), Some(last), "digits read back exactly");
    assert!(read(parquet).starts_with(b"PAR1") && read(parquet).ends_with(b"PAR1"));
    assert!(read(png).starts_with(b"\x89PNG\r\n\x1a\n") && read(png).ends_with(b"IEND\xaeB`\x82"));
    let drawing = String::from_utf8(read(svg)).unwrap();
    assert!(drawing.starts_with("<svg ") && drawing.trim_end().ends_with("</svg>"));
    assert!(drawing.contains("Fall &amp; &lt;rise&gt;") && !drawing.contains("NaN"));
    let page = String::from_utf8(read(html)).unwrap();
    assert!(page.contains("<svg ") && page.contains("wall time") && page.trim_end().ends_with("</html>"));
}

#[test]
fn plots_show_chosen_columns() {
    let dir = scratch("columns");
    let svg = dir.join("a.svg").to_str().unwrap().to_owned();
    let path = model("n_four_bar");
    let args = ["simulate", &path, "--until", "0.5", "--plot", &svg, "--columns", "y[1], x[1]'"];
    assert_eq!(dalembert(&args).code, 0);
    let drawing = std::fs::read_to_string(&svg).unwrap();
    assert!(drawing.contains(">y[1]<") && drawing.contains(">x[1]'<") && !drawing.contains(">x[2]<"));
    let wrong = dalembert(&["simulate", &path, "--plot", &svg, "--columns", "z"]);
    assert!(wrong.code == 1 && wrong.stderr.contains("no column `z`"), "{}", wrong.stderr);
}

#[test]
fn a_failed_run_keeps_what_it_has() {
    let dir = scratch("failed");
    let csv = dir.join("a.csv").to_str().unwrap().to_owned();
    let answer = with_input(&["simulate", "-", "--out", &csv], BLOW_UP);
    assert_eq!(answer.code, 1);
    assert!(answer.stderr.contains("error[E07"), "{}", answer.stderr);
    assert!(std::fs::read_to_string(&csv).unwrap().lines().count() > 100);
    let answer = with_input(&["simulate", "-", "--json"], BLOW_UP);
    assert_eq!(answer.code, 1);
    let said = answer.json();
    assert_eq!(said["stop"], "failed");
    assert!(said["error"].is_string() && said["final"]["x"].is_number());
    let few = dalembert(&["simulate", &model("double_pendulum"), "--max-steps", "3"]);
    assert!(few.code == 1 && few.stderr.contains("E0702"), "{}", few.stderr);
}

#[test]
fn unwritable_files_are_refused_before_the_run() {
    let dir = scratch("unwritable");
    let missing = dir.join("no/such/a.csv").to_str().unwrap().to_owned();
    let answer = with_input(&["simulate", "-", "--out", &missing], FALL);
    assert_eq!(answer.code, 1);
    assert!(
        answer.stderr.contains("cannot write") && answer.stderr.contains("does not exist"),
        "{}",
        answer.stderr
    );
    assert!(answer.stdout.is_empty(), "nothing was run");
    let answer = with_input(&["simulate", "-", "--json", "--out", &missing], FALL);
    assert!(answer.code == 1 && answer.json()["error"].is_string());
}

#[test]
fn options_reach_the_run() {
    let said =
        with_input(&["simulate", "-", "--json", "--method", "rk4", "--every", "0.1", "--until", "0.5"], FALL)
            .json();
    assert_eq!((&said["summary"]["method"], &said["summary"]["steps"]), (&"rk4".into(), &5.into()));
    let path = model("pendulum_index3");
    let drift = |extra: &[&str]| {
        let args = [&["simulate", &path, "--json", "--until", "1", "--rtol", "1e-6"], extra].concat();
        dalembert(&args).json()["summary"]["largest_position_residual"].as_f64().unwrap()
    };
    assert!(drift(&[]) < 1e-12, "projected");
    assert!(drift(&["--baumgarte", "5,5"]) > 1e-12, "stabilised only");
    for form in ["hamilton", "suslov"] {
        let other = with_input(&["simulate", "-", "--form", form], FALL);
        assert_eq!(other.code, 0, "{}", other.stderr);
        let refused = dalembert(&["simulate", &model("rough_incline"), "--form", form]);
        assert!(refused.code == 1 && refused.stderr.contains("E0804"), "{}", refused.stderr);
    }
    let endless = with_input(&["simulate", "-"], "coordinate x\nkinetic x'^2/2\n");
    assert!(endless.code == 1 && endless.stderr.contains("--until"), "{}", endless.stderr);
}

/// What is accepted is what the messages say.
#[test]
fn tolerances_have_bounds() {
    let run =
        |option: &str, value: &str| with_input(&["simulate", "-", "--until", "0.5", option, value], FALL);
    for (option, value) in [("--rtol", "0.5"), ("--rtol", "1e-15"), ("--atol", "1e6"), ("--atol", "1e-300")] {
        assert_eq!(run(option, value).code, 0, "{option} {value}: {}", run(option, value).stderr);
    }
    for (option, value, words) in [
        ("--rtol", "0.6", "a relative tolerance from 1e-15 to 0.5"),
        ("--rtol", "1e-16", "a relative tolerance from 1e-15 to 0.5"),
        ("--atol", "1e300", "a positive number up to 1e6"),
    ] {
        let refused = run(option, value);
        assert!(refused.code == 1 && refused.stderr.contains(words), "{option} {value}: {}", refused.stderr);
        assert!(!refused.stderr.contains("-->"), "the model is not to blame: {}", refused.stderr);
    }
    let zero = run("--atol", "0");
    assert!(zero.code == 2 && zero.stderr.contains("a positive number is wanted"), "{}", zero.stderr);
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let mut child =
        command(&["simulate", &model("double_pendulum"), "--until", "20", "--every", "0.001", "--out", "-"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
    let mut line = String::new();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    reader.read_line(&mut line).unwrap();
    drop(reader);
    let end = child.wait_with_output().unwrap();
    assert!(line.starts_with("t,"));
    assert_eq!(end.status.code(), Some(0));
    assert!(!String::from_utf8_lossy(&end.stderr).contains("panicked"));
}

/// Hardened systems let no memory become executable. Then equations are interpreted: the same digits, and it is said.
#[test]
fn without_executable_pages_a_run_has_the_same_digits_and_says_that_it_interprets() {
    // PR_SET_MDWE with PR_MDWE_REFUSE_EXEC_GAIN (Linux 6.3) stays with what is started.
    let refuse = "import ctypes, os, sys\n\
                  sys.exit(77) if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) else os.execv(sys.argv[1], sys.argv[1:])";
    let args = ["simulate", &model("double_pendulum"), "--until", "1", "--json"];
    let free = dalembert(&args).json();
    let output = std::process::Command::new("python3")
        .args(["-c", refuse, env!("CARGO_BIN_EXE_dalembert")])
        .args(args)
        .output();
    let Ok(output) = output.as_ref().map(Clone::clone) else {
        return eprintln!("SKIPPED: `python3` is not on this machine");
    };
    if output.status.code() == Some(77) || !cfg!(target_os = "linux") {
        return eprintln!("SKIPPED: this kernel cannot refuse executable pages to one process");
    }
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    let refused: serde_json::Value = serde_json::from_str(&said).expect("one document");
    assert_eq!(free["final"], refused["final"], "digit by digit");
    assert_eq!(refused["summary"]["code"]["native_bytes"], 0, "{}", refused["summary"]);
}
