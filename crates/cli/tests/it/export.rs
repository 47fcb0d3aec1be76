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
    let answer = dalembert(&["export", &model("rough_incline"), "--target", "c"]);
    assert_eq!(answer.code, 1);
    assert!(answer.stderr.contains("E0804") && answer.stderr.contains("nonideal work"), "{}", answer.stderr);
    let answer = dalembert(&["export", &model("pendulum"), "--target", "fmu"]);
    assert!(answer.code == 1 && answer.stderr.contains("not available yet"));
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
