//! What a command must survive: endless input, signals, links, time limits; and what it must not pass over in silence.

use crate::support::{command, dalembert, model, scratch, with_input};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const FALL: &str = "parameter g = 10\ncoordinate y\nkinetic y'^2/2\npotential g*y\ninitial y = 5\n\
                    output inverse = 1/(y - 5)\nsimulate until 1 every 0.5\n";

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// A model of its own in a directory of its own.
fn written(test: &str, content: &str) -> (PathBuf, PathBuf) {
    let dir = scratch(test);
    let path = dir.join("model.dal");
    fs::write(&path, content).unwrap();
    (dir, path)
}

#[test]
#[cfg(target_os = "linux")]
fn endless_input_is_read_up_to_the_limit() {
    let check = dalembert(&["check", "/dev/zero"]);
    assert!(check.code == 1 && check.stderr.contains("E0106"), "{}", check.stderr);
    let fmt = dalembert(&["fmt", "--check", "/dev/zero"]);
    assert!(fmt.code == 1 && fmt.stderr.contains("E0106"), "{}", fmt.stderr);
    let endless = fs::File::open("/dev/zero").unwrap();
    let piped = command(&["check", "-"]).stdin(endless).output().unwrap();
    assert!(piped.status.code() == Some(1) && String::from_utf8_lossy(&piped.stderr).contains("E0106"));
}

#[test]
fn a_deep_model_is_formatted_into_one_that_can_be_read() {
    let levels = 50;
    let deep = format!(
        "coordinate x\nkinetic   x'^2/2\npotential {}x{}\n",
        "if x < 1 then ".repeat(levels),
        " else 2".repeat(levels)
    );
    let (_, path) = written("deep", &deep);
    assert_eq!(dalembert(&["fmt", text(&path)]).code, 0);
    assert_ne!(fs::read_to_string(&path).unwrap(), deep, "it was formatted");
    assert_eq!(dalembert(&["fmt", "--check", text(&path)]).code, 0, "and can be read again");
}

#[test]
fn outputs_that_are_not_finite_are_a_warning() {
    let answer = with_input(&["simulate", "-", "--out", "-"], FALL);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(
        answer
            .stderr
            .contains("warning[W0703]: `inverse` is not a finite number in 1 of 3 rows, first at t = 0")
    );
    let said = with_input(&["simulate", "-", "--json"], FALL).json();
    assert_eq!(said["diagnostics"][0]["code"], "W0703");
    let at = with_input(&["evaluate", "-"], FALL);
    assert!(at.code == 0 && at.stderr.contains("W0703"), "{}", at.stderr);
}

#[test]
fn a_value_given_twice_is_refused() {
    let twice = with_input(&["simulate", "-", "--set", "g=1", "--set", "g=2"], FALL);
    assert!(twice.code == 1 && twice.stderr.contains("`--set g=1` and `--set g=2`"), "{}", twice.stderr);
    let twice = with_input(&["check", "-", "--initial", "y=1", "--initial", "y=1"], FALL);
    assert!(twice.code == 1 && twice.stderr.contains("`y` is given twice"), "{}", twice.stderr);
}

#[test]
#[cfg(unix)]
fn the_model_is_never_written_over() {
    use std::os::unix::fs::symlink;
    let (dir, path) = written("over", FALL);
    let (soft, hard) = (dir.join("soft.csv"), dir.join("hard.csv"));
    symlink(&path, &soft).unwrap();
    fs::hard_link(&path, &hard).unwrap();
    for link in [&soft, &hard] {
        let answer = dalembert(&["simulate", text(&path), "--out", text(link)]);
        assert!(answer.code == 2 && answer.stderr.contains("is the model itself"), "{}", answer.stderr);
    }
    let export = dalembert(&["export", text(&path), "--target", "c", "--out", text(&path)]);
    assert_eq!(export.code, 2, "{}", export.stderr);
    assert_eq!(fs::read_to_string(&path).unwrap(), FALL);
}

#[test]
#[cfg(unix)]
fn a_link_stays_a_link_and_nothing_is_left_beside() {
    let (dir, path) = written("links", FALL);
    let (real, link) = (dir.join("real.csv"), dir.join("link.csv"));
    fs::write(&real, "old").unwrap();
    std::os::unix::fs::symlink("real.csv", &link).unwrap();
    assert_eq!(dalembert(&["simulate", text(&path), "--out", text(&link)]).code, 0);
    assert!(link.is_symlink() && fs::read_to_string(&real).unwrap().starts_with("t,y"));
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 3);
}

/// A run that would take hours, from when it listens to signals on.
#[cfg(target_os = "linux")]
fn long_run(program: &mut Command, csv: &Path) -> Child {
    let path = model("double_pendulum");
    let args = [
        "simulate",
        &path,
        "--until",
        "1e6",
        "--every",
        "1",
        "--max-steps",
        "1000000000",
        "--out",
        text(csv),
    ];
    let mut child = program
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    let listens = |id: u32| {
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or_default();
        u64::from_str_radix(caught.trim(), 16).is_ok_and(|caught| caught >> 14 & 1 == 1)
    };
    while !listens(child.id()) {
        assert!(began.elapsed() < Duration::from_secs(60), "it does not begin");
        assert!(child.try_wait().unwrap().is_none(), "it has ended");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    child
}

#[cfg(target_os = "linux")]
fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[cfg(target_os = "linux")]
fn keeps_its_table(child: Child, csv: &Path) {
    let end = child.wait_with_output().unwrap();
    assert_eq!(end.status.code(), Some(1), "{}", String::from_utf8_lossy(&end.stderr));
    let table = fs::read_to_string(csv).expect("a table");
    assert!(table.lines().count() > 2 && table.ends_with('\n'), "{table}");
}

#[test]
#[cfg(target_os = "linux")]
fn every_signal_to_end_keeps_the_table() {
    let dir = scratch("signals");
    // What ignores a signal, as everything under `nohup` does, goes on when it comes.
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap().trim();
    let ignored = u64::from_str_radix(ignored, 16).unwrap();
    for (signal, number) in [("-INT", 2), ("-TERM", 15), ("-HUP", 1)] {
        if ignored >> (number - 1) & 1 == 1 {
            continue;
        }
        let csv = dir.join(format!("a{signal}.csv"));
        let child = long_run(&mut Command::new(env!("CARGO_BIN_EXE_dalembert")), &csv);
        send(signal, &child);
        keeps_its_table(child, &csv);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn what_nohup_started_goes_on_after_a_hang_up() {
    let csv = scratch("nohup").join("a.csv");
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' HUP; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_dalembert")]);
    let mut child = long_run(&mut shell, &csv);
    send("-HUP", &child);
    std::thread::sleep(Duration::from_millis(500));
    assert!(child.try_wait().unwrap().is_none(), "it goes on");
    send("-TERM", &child);
    keeps_its_table(child, &csv);
}

#[test]
fn a_run_keeps_its_table_at_the_time_limit() {
    let csv = scratch("limit").join("a.csv");
    let path = model("double_pendulum");
    let run = ["simulate", &path, "--until", "1e6", "--every", "1", "--max-steps", "1000000000"];
    let began = Instant::now();
    let answer = dalembert(&[&run[..], &["--time-limit", "2", "--out", text(&csv)]].concat());
    assert!(began.elapsed() < Duration::from_secs(60));
    assert_eq!(answer.code, 1);
    assert!(answer.stderr.contains("the time limit of 2 s was reached"), "{}", answer.stderr);
    assert!(fs::read_to_string(&csv).unwrap().lines().count() > 2);
    let said = dalembert(&[&run[..], &["--time-limit", "2", "--json"]].concat()).json();
    assert_eq!(said["stop"], "cancelled");
    assert!(said["error"].as_str().unwrap().contains("time limit of 2 s"));
}

#[test]
fn other_commands_end_at_the_time_limit() {
    let path = model("double_pendulum");
    // The faster ones may be done before the clock is looked at.
    for command in ["verify", "equilibrium", "analyze"] {
        let answer = dalembert(&[command, &path, "--time-limit", "1e-6"]);
        assert_eq!(answer.code, 1, "{command}: {}", answer.stderr);
        assert!(answer.stderr.contains("the time limit of 0.000001 s was reached"), "{}", answer.stderr);
        assert!(answer.stderr.contains("--time-limit"), "{}", answer.stderr);
    }
    let said = dalembert(&["verify", &path, "--time-limit", "1e-6", "--json"]).json();
    assert!(said["error"].as_str().unwrap().contains("time limit"));
    assert_eq!(dalembert(&["check", &path, "--time-limit", "0"]).code, 2);
    assert_eq!(dalembert(&["check", &path, "--time-limit", "1e300"]).code, 0);
}

#[test]
fn a_sweep_keeps_its_runs_at_the_time_limit_and_goes_on() {
    let dir = scratch("sweep-limit").join("out");
    let path = model("double_pendulum");
    let sweep = ["sweep", &path, "--vary", "m1=1..2:400000", "--until", "20", "--out", text(&dir)];
    let answer = dalembert(&[&sweep[..], &["--time-limit", "1"]].concat());
    assert_eq!(answer.code, 1, "{}", answer.stdout);
    assert!(answer.stderr.contains("the time limit of 1 s was reached"), "{}", answer.stderr);
    assert!(answer.stderr.contains("--resume"), "{}", answer.stderr);
    let again = dalembert(&[&sweep[..], &["--resume", "--time-limit", "1"]].concat());
    assert!(again.code == 1 && again.stderr.contains("of 400000 runs are kept"), "{}", again.stderr);
}
