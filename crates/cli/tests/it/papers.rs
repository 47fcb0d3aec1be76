//! The commands of the page that leads from the equations of the papers to commands, as they stand there.

use crate::support::{command, dalembert, model};
use std::path::Path;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/papers.md");
    std::fs::read_to_string(path).expect("the page")
}

/// The words of a line of a shell with double quotes.
fn words(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (k, piece) in line.split('"').enumerate() {
        match k % 2 {
            0 => found.extend(piece.split_whitespace().map(str::to_owned)),
            _ => found.push(piece.to_owned()),
        }
    }
    found
}

/// The commands of the block, each with the parts of its output in the comments below it.
fn lines(page: &str) -> Vec<(Vec<String>, Vec<String>)> {
    let block = page.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block");
    let mut found: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    for line in block.lines() {
        match line.strip_prefix("# ") {
            Some(part) => found.last_mut().expect("a command before it").1.push(one_line(part)),
            None => found.push((words(line), Vec::new())),
        }
    }
    found
}

/// Columns and lines of a matrix do not matter.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_command_of_the_page_runs_and_prints_what_it_says() {
    let page = page();
    let lines = lines(&page);
    assert!(lines.len() > 20, "{}", lines.len());
    for (line, parts) in &lines {
        assert_eq!(line[0], "dalembert");
        let args: Vec<&str> = line[1..].iter().map(String::as_str).collect();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let output = command(&args).current_dir(root).output().expect("the command runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && !parts.is_empty(), "{}: {said}", line.join(" "));
        let printed = one_line(&String::from_utf8_lossy(&output.stdout));
        for part in parts {
            assert!(printed.contains(part), "{} does not print {part}:\n{printed}", line.join(" "));
        }
    }
    // Every command of the tables is among them, with its options.
    let rows = page.lines().filter(|l| l.starts_with("| ") && l.contains("::"));
    for row in rows {
        let cell = row.trim_matches('|').split(" | ").nth(3).expect("five cells");
        let asked = words(cell.trim().trim_matches('`'));
        let run = |(line, _): &(Vec<String>, Vec<String>)| {
            let mut rest = line[1..].iter();
            asked.iter().all(|word| rest.any(|other| other == word))
        };
        assert!(lines.iter().any(run), "{cell} is not run");
    }
}

/// Keys of the documents that these commands print.
#[test]
fn documents_have_their_keys() {
    let has = |args: &[&str], keys: &[&str]| {
        let mut args = args.to_vec();
        args.push("--json");
        let answer = dalembert(&args).json();
        for key in keys {
            let found = key.split('.').try_fold(&answer, |value, key| value.get(key));
            assert!(found.is_some(), "{args:?} has no {key}: {answer}");
        }
    };
    let (appell, disk) = (model("appell_nonideal"), model("rolling_disk"));
    let (tip, throw) = (model("satellite_circle"), model("kepler"));
    has(
        &["evaluate", &appell, "--possible", "x''=1"],
        &[
            "nonideal_term",
            "constraint_scaled",
            "constraint_scaled_pinv",
            "error_signal",
            "gain",
            "virtual_displacements",
            "nonideal_acceleration",
            "multipliers.cone",
            "possible.kept",
            "possible.residual",
            "possible.gauss",
            "possible.gauss_excess",
            "possible.deviation",
        ],
    );
    has(
        &["evaluate", &appell, "--virtual", "x=1"],
        &[
            "virtual.kept",
            "virtual.work.applied",
            "virtual.work.ideal",
            "virtual.work.nonideal",
            "virtual.work.control",
        ],
    );
    has(&["evaluate", &tip], &["requirement_matrix", "requirement_rhs", "control", "inputs", "input_values"]);
    has(&["brackets", &disk, "x", "p_x"], &["bracket", "evolution", "multipliers"]);
    has(
        &["connect", &throw, "--to", "x=0, y=1", "--energy", "-0.4"],
        &["time", "energy", "abbreviated_action", "jacobi_length"],
    );
    has(&["derive", &appell, "--form", "udwadia"], &["form", "format", "equations"]);
    has(&["analyze", &disk], &["constraints", "integrable_combinations", "nonholonomic", "conserved"]);
    has(&["verify", &appell], &["checks"]);
    has(
        &["check", &disk],
        &["coordinates", "speeds", "constraints", "rank", "degrees_of_freedom", "initial"],
    );
}

/// Names of a script are those that the manual promises.
#[test]
fn scripts_have_their_names() {
    for (name, form, words) in [
        (
            "appell_nonideal",
            "udwadia",
            &[
                "constraint_scaled",
                "constraint_scaled_pinv",
                "error_signal",
                "gain",
                "nonideal_acceleration",
                "ideal_force",
                "nonideal_force",
                "x_ddot",
            ][..],
        ),
        ("particle_circle", "udwadia", &["control_force", "requirement_matrix", "requirement_rhs"]),
        ("rolling_disk", "appell", &["appell_function"]),
        ("spherical_pendulum_angles", "routh", &["routhian"]),
        ("rolling_disk", "kane", &["speed_basis", "active_force", "inertia_force"]),
    ] {
        let script = dalembert(&["derive", &model(name), "--form", form, "--format", "python"]).stdout;
        for word in words {
            assert!(script.lines().any(|l| l.starts_with(&format!("{word} = "))), "{name} {form}: {word}");
        }
    }
}
