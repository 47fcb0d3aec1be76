//! `verify` as people and programs meet it.

use crate::support::{dalembert, model, with_input};

#[test]
fn verify_gives_the_contract() {
    let said = dalembert(&["verify", &model("rolling_disk"), "--json"]);
    assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
    let said = said.json();
    let checks = said["checks"].as_array().expect("checks");
    assert!(checks.len() >= 10, "{said}");
    for check in checks {
        assert!(check["name"].is_string() && check["passed"] == true, "{check}");
        let (worst, tolerance) = (check["worst"].as_f64().unwrap(), check["tolerance"].as_f64().unwrap());
        assert!(worst <= tolerance && tolerance < 1e-6, "{check}");
    }
    assert_eq!(said["skipped"], serde_json::json!([]));
    let words = dalembert(&["verify", &model("appell_hamel")]).stdout;
    assert!(words.contains("gauss") && words.contains("not applicable"), "{words}");
    assert!(words.contains("linear in the speeds; `cone` is not"), "{words}");
}

#[test]
fn verify_takes_the_common_options() {
    let said = dalembert(&["verify", &model("pendulum"), "--set", "m=3", "--initial", "theta=1", "--quiet"]);
    assert!(said.code == 0 && said.stderr.is_empty(), "{}{}", said.stdout, said.stderr);
    let said = dalembert(&["verify", &model("pendulum"), "--set", "nothing=3"]);
    assert_eq!(said.code, 1);
}

#[test]
fn a_model_that_cannot_start_is_refused() {
    let text = "coordinate x\nkinetic x'^2/2\nconstraint a: x = 1\ninitial x = 2";
    let said = with_input(&["verify", "-", "--json"], text);
    assert!(said.code == 1 && said.json()["error"].is_string(), "{}", said.stdout);
}

#[test]
fn a_wrong_complete_integral_fails() {
    let text = "coordinate x\nkinetic x'^2/2\ncomplete_integral (a) = a*x - a^2*t\ninitial x = 1, x' = 2\nsimulate until 1";
    let said = with_input(&["verify", "-"], text);
    assert_eq!(said.code, 1, "{}", said.stdout);
    assert!(said.stdout.contains("hamilton_jacobi") && said.stdout.contains("FAILED"), "{}", said.stdout);
    let right = with_input(&["verify", "-"], &text.replace("a^2*t", "a^2*t/2"));
    assert_eq!(right.code, 0, "{}", right.stdout);
}
