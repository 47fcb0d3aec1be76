//! `dalembert export`: names, files, refusals. That the code is right is asked in `crates/dalembert/tests/it/export_code.rs`.

use crate::support::{dalembert, model, scratch, with_input};
use std::process::Command;

#[test]
fn code_goes_to_standard_output_or_a_file() {
    let disk = model("rolling_disk");
    let answer = dalembert(&["export", &disk, "--target", "c"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.contains("int rolling_disk_evaluate("));
    let named = dalembert(&["export", &disk, "--target", "c", "--name", "wheel", "--set", "r=0.25"]);
    assert!(named.stdout.contains("int wheel_evaluate(") && named.stdout.contains("0.25"));
    let folder = scratch("export");
    for (target, file, word) in
        [("c", "a.c", "#include"), ("rust", "a.rs", "pub fn evaluate"), ("python", "a.py", "def evaluate")]
    {
        let path = folder.join(file);
        let answer = dalembert(&[
            "export",
            &disk,
            "--target",
            target,
            "--out",
            path.to_str().expect("UTF-8"),
            "--json",
        ]);
        assert_eq!(answer.json()["name"], "rolling_disk");
        assert!(std::fs::read_to_string(path).expect("it was written").contains(word), "{target}");
    }
    let json = dalembert(&["export", &disk, "--target", "python", "--json"]).json();
    assert!(json["code"].as_str().is_some_and(|text| text.contains("def evaluate")));
}

#[test]
fn names_are_identifiers() {
    let text = "system \"2 balls: α/β\"\ncoordinate q\nkinetic q'^2/2";
    let answer = with_input(&["export", "-", "--target", "c"], text);
    assert!(answer.stdout.contains("int n2_balls_alpha_beta_evaluate("), "{}", answer.stdout);
    let answer = dalembert(&["export", &model("pendulum"), "--target", "c", "--name", "a b"]);
    assert_eq!(answer.code, 2);
}

#[test]
fn what_cannot_be_exported_is_refused_with_the_reason() {
    let answer = dalembert(&["export", &model("rough_incline"), "--target", "rust"]);
    assert_eq!(answer.code, 1);
    assert!(answer.stderr.contains("E0804") && answer.stderr.contains("nonideal work"), "{}", answer.stderr);
    // An archive does not go to standard output.
    assert_eq!(dalembert(&["export", &model("pendulum"), "--target", "fmu"]).code, 2);
    let answer = dalembert(&["export", &model("pendulum"), "--target", "c", "--out", "no/such/folder/a.c"]);
    assert!(answer.code == 1 && answer.stderr.contains("does not exist"), "{}", answer.stderr);
    assert_eq!(dalembert(&["export", &model("pendulum")]).code, 2);
}

/// The worked example of docs/cli.md, word for word.
#[test]
fn the_example_of_the_manual_prints_what_it_says() {
    if Command::new("cc").arg("--version").output().is_err() {
        eprintln!("SKIPPED: `cc` is not on this machine");
        return;
    }
    let page = include_str!("../../../../docs/cli.md");
    let main = page.split("```c\n").nth(1).and_then(|rest| rest.split("```").next()).expect("the example");
    let (_, said) = page.split_once("It prints `").expect("what it prints");
    let said = said.split('`').next().expect("the end of it");
    let folder = scratch("export_example");
    std::fs::write(folder.join("main.c"), main).expect("written");
    let code = folder.join("rolling_disk.c");
    let out = code.to_str().expect("UTF-8");
    assert_eq!(dalembert(&["export", &model("rolling_disk"), "--target", "c", "--out", out]).code, 0);
    let flags = ["-std=c99", "-O2", "-Wall", "-Wextra", "main.c", "rolling_disk.c", "-lm", "-o", "disk"];
    let built = Command::new("cc").current_dir(&folder).args(flags).output().expect("cc runs");
    assert!(built.status.success() && built.stderr.is_empty(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(folder.join("disk")).output().expect("the example runs");
    assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), said);
}

/// Steps of exported code against the engine: a closed loop with a redundant row, in fixed steps and with error control.
#[test]
fn steps_in_c_stay_on_the_constraints_and_with_the_engine() {
    if Command::new("cc").arg("--version").output().is_err() {
        eprintln!("SKIPPED: `cc` is not on this machine");
        return;
    }
    let folder = scratch("export_steps");
    let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    for (name, states) in [("pendulum_redundant", 4), ("rolling_disk", 8)] {
        let written = dalembert(&[
            "export",
            &model(name),
            "--target",
            "c",
            "--step",
            "--out",
            &path("m.c"),
            "--name",
            "m",
        ]);
        assert_eq!(written.code, 0, "{}", written.stderr);
        let start = dalembert(&["check", &model(name), "--json"]).json();
        let start: Vec<String> =
            start["initial"].as_object().expect("a start").values().map(ToString::to_string).collect();
        assert_eq!(start.len(), states);
        let (x, eta) = start.split_at(states / 2);
        let main = format!(
            "#include <stdio.h>\n#include \"m.h\"\nint main(void)\n{{\n    double x[] = {{{}}}, eta[] = {{{}}}, t = 0;\n\
             \x20   int k, code = 0;\n    for (k = 0; k < 1000 && !code; k++) code = m_step(&t, x, eta, m_default_parameters, 0.0005);\n\
             \x20   if (!code) code = m_advance(&t, x, eta, m_default_parameters, 1.0, 1e-12);\n\
             \x20   for (k = 0; k < m_NX; k++) printf(\"%.17g\\n\", x[k]);\n    return code;\n}}\n",
            x.join(", "),
            eta.join(", ")
        );
        std::fs::write(folder.join("main.c"), main).expect("it is written");
        let compiled = Command::new("cc")
            .args([
                "-std=c99",
                "-O1",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-pedantic",
                "-o",
                &path("m"),
                &path("main.c"),
                &path("m.c"),
                "-lm",
            ])
            .output()
            .expect("cc runs");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let run = Command::new(path("m")).output().expect("it runs");
        assert!(run.status.success());
        let found: Vec<f64> = String::from_utf8_lossy(&run.stdout)
            .lines()
            .map(|line| line.parse().expect("a number"))
            .collect();
        let table = dalembert(&[
            "simulate",
            &model(name),
            "--until",
            "1",
            "--every",
            "1",
            "--rtol",
            "1e-12",
            "--out",
            "-",
        ]);
        let last: Vec<f64> = table
            .stdout
            .lines()
            .last()
            .expect("a row")
            .split(',')
            .map(|v| v.parse().expect("a number"))
            .collect();
        for (found, wanted) in found.iter().zip(&last[1..]) {
            // A step of 0.5 ms of order 4 is good for 1e-10 here.
            assert!((found - wanted).abs() < 1e-9, "{name}: {found} {wanted}");
        }
    }
}

/// What FMPy says of units of both versions, and what it computes with them in both ways, at every row.
const FMPY: &str = r#"
import sys, csv, fmpy
from fmpy.validation import validate_fmu
fmu, table, names = sys.argv[1], sys.argv[2], [pair.split("=") for pair in sys.argv[3].split(";")]
problems = validate_fmu(fmu)
rows = list(csv.reader(open(table)))
rows = [dict(zip(rows[0], map(float, row))) for row in rows[1:]]
last, worst = rows[-1]["t"], {}
for kind in ("ModelExchange", "CoSimulation"):
    found = fmpy.simulate_fmu(fmu, fmi_type=kind, stop_time=last, output_interval=last / 20,
                              relative_tolerance=1e-12, output=[n for n, _ in names])
    def apart(row):
        near = [k for k in range(len(found)) if abs(found["time"][k] - row["t"]) < 1e-9]
        return min(max(abs(found[n][k] - row[m]) for n, m in names) for k in near) if near else 0
    worst[kind] = max(apart(row) for row in rows)
sys.exit(0 if not problems and all(v < 1e-8 for v in worst.values()) else str((problems, worst)))
"#;

/// A free motion, rolling, redundant constraints, control, quasi-velocities, friction that stops and sticks, an input, and
/// events that assign.
#[test]
fn units_of_fmi_move_as_the_engine_does() {
    let has = |python: &str| {
        Command::new(python).args(["-c", "import fmpy"]).output().is_ok_and(|done| done.status.success())
    };
    let python = std::env::var("FMPY_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let folder = scratch("export_fmu");
    let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let text = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).expect("written");
        path(name)
    };
    let ball = "coordinate y\ndiscrete n = 0\nkinetic y'^2/2\npotential 9.81*y\n\
                event hit: y falling do y' = -0.8*y', n = n + 1\ninitial y = 1";
    let cases = [
        (model("double_pendulum"), "theta1=theta1;der(theta2)=theta2'", "1"),
        (model("rolling_disk"), "x=x;der(psi)=psi'", "1"),
        (model("pendulum_redundant"), "x=x;der(y)=y'", "1"),
        (model("satellite_circle"), "x=x;thrust=thrust", "1"),
        (model("rigid_body"), "e0=e0;w1=w1", "1"),
        (model("rough_incline"), "x=x;der(x)=x';N=N;friction_along=friction_along", "1"),
        (model("stacked_blocks"), "x1=x1;der(x2)=x2';f_top=f_top", "6"),
        (text("clutch.dal", crate::export_motion::CLUTCH), "a=a;slip=slip;wb=wb", "6"),
        (text("ball.dal", ball), "y=y;der(y)=y';n=n", "2"),
    ];
    for (k, (file, compared, until)) in cases.iter().enumerate() {
        let table = path("table.csv");
        let every = format!("{}", until.parse::<f64>().expect("a number") / 10.0);
        let run = dalembert(&[
            "simulate", file, "--until", until, "--every", &every, "--rtol", "1e-10", "--out", &table,
        ]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        for version in ["3", "2"] {
            let fmu = path(&format!("m{k}{version}.fmu"));
            let answer = dalembert(&[
                "export", file, "--target", "fmu", "--fmi", version, "--name", "m", "--out", &fmu,
            ]);
            assert_eq!(answer.code, 0, "{}", answer.stderr);
            let bytes = std::fs::read(&fmu).expect("it was written");
            assert!(bytes.starts_with(b"PK\x03\x04"));
            if !has(&python) {
                continue;
            }
            let run =
                Command::new(&python).args(["-c", FMPY, &fmu, &table, compared]).output().expect("it runs");
            assert!(run.status.success(), "{file} {version}: {}", String::from_utf8_lossy(&run.stderr));
        }
    }
    if !has(&python) {
        eprintln!("SKIPPED: FMPy is not on this machine (FMPY_PYTHON names a Python that has it)");
    }
}

/// With Baumgarte's gains the errors of the constraints decay and no event is asked for.
#[test]
fn an_fmu_may_stabilise_instead_of_projecting() {
    let folder = scratch("export_baumgarte");
    let fmu = folder.join("m.fmu").to_str().expect("UTF-8").to_owned();
    let file = model("pendulum_redundant");
    let answer =
        dalembert(&["export", &file, "--target", "fmu", "--baumgarte", "5,5", "--name", "m", "--out", &fmu]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let bytes = std::fs::read(&fmu).expect("it was written");
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("#define m_ALPHA 5.0") && text.contains("2.0 * m_ALPHA * psi[i]"));
    assert!(!answer.stdout.contains("no library") || Command::new("cc").arg("--version").output().is_err());
}
