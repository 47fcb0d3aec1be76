//! `dalembert import`: files, summary, JSON, refusals, and the page of the manual about the arm.

use crate::support::{dalembert, scratch, with_input};

fn file(name: &str) -> String {
    format!("{}/../../{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_robot_becomes_a_model_that_passes_check() {
    let folder = scratch("import");
    let out = folder.join("arm.dal");
    let out = out.to_str().expect("UTF-8");
    let answer = dalembert(&["import", &file("models/arm.urdf"), "-o", out]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.contains("3 bodies, 3 joints, 3 inputs; total mass 6.3 kg"), "{}", answer.stdout);
    assert!(answer.stderr.contains("N1001") && answer.stderr.contains("arm.urdf:"), "{}", answer.stderr);
    let checked = dalembert(&["check", out, "--json"]).json();
    assert_eq!(checked["degrees_of_freedom"], 3);
    assert_eq!(dalembert(&["fmt", "--check", out]).code, 0);
    let json = dalembert(&["import", &file("models/arm.urdf"), "--json"]).json();
    assert_eq!(json["inputs"], serde_json::json!(["turn_motor", "shoulder_motor", "elbow_motor"]));
    assert!(
        json["text"].as_str().is_some_and(|text| text == std::fs::read_to_string(out).expect("it is there"))
    );
}

#[test]
fn what_cannot_be_imported_is_refused_with_its_place() {
    let answer = with_input(&["import", "-"], "<robot name='x'>\n<link/>\n</robot>");
    assert!(
        answer.code == 1 && answer.stderr.contains("E1004") && answer.stderr.contains(":2:1"),
        "{}",
        answer.stderr
    );
    let answer = with_input(&["import", "-", "--json"], "not xml");
    assert!(answer.code == 1 && answer.json()["diagnostics"][0]["code"] == "E1001");
    assert_eq!(dalembert(&["import", "no_such.urdf"]).code, 1);
    let arm = file("models/arm.urdf");
    assert_eq!(dalembert(&["import", &arm, "-o", &arm]).code, 2);
}

/// The commands of docs/robot_arm.md, in their order, with the lines that it adds to the model.
#[test]
fn the_page_about_the_arm_does_what_it_says() {
    let page = std::fs::read_to_string(file("docs/robot_arm.md")).expect("the page is there");
    let block = |fence: &str| -> String {
        let rest = page.split(fence).nth(1).unwrap_or_else(|| panic!("no {fence}"));
        rest.split("```").next().unwrap_or_default().trim_start_matches('\n').to_owned()
    };
    let folder = scratch("robot_arm");
    let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let (model, table, film) = (path("arm.dal"), path("arm.csv"), path("arm.html"));
    assert_eq!(dalembert(&["import", &file("models/arm.urdf"), "-o", &model, "-q"]).code, 0);
    let mut text = std::fs::read_to_string(&model).expect("it is there");
    text.push_str(&block("```dal fragment"));
    std::fs::write(&model, text).expect("it is written");
    let answer = dalembert(&["simulate", &model, "--out", &table, "--animate", &film]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let rows = std::fs::read_to_string(&table).expect("a table");
    let names: Vec<&str> = rows.lines().next().unwrap_or_default().split(',').collect();
    let last: Vec<f64> =
        rows.lines().last().unwrap_or_default().split(',').filter_map(|v| v.parse().ok()).collect();
    let value = |name: &str| last[names.iter().position(|n| *n == name).unwrap_or_else(|| panic!("{name}"))];
    // The tip is where the line is after four seconds, and the numbers of the page are those of the table.
    assert!((value("tip.y") + 0.2).abs() < 1e-6 && (value("tip.z") - 0.5).abs() < 1e-6);
    for name in ["torque_shoulder", "torque_elbow"] {
        let shown = format!("| `{name}` | {:.2} |", value(name));
        assert!(page.contains(&shown), "the page should have {shown}");
    }
}
