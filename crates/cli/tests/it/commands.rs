//! The command as people and programs meet it: exit codes, words, JSON, files.

use crate::support::{Answer, dalembert, model, scratch, with_input};
use serde_json::Value;

/// A model that says three wrong things.
const BROKEN: &str = "coordinate x\nkinetic m/2*x'^2\npotential 2*z\nforce y = 1\n";
/// Free fall with an event.
const FALL: &str = "system \"Fall\"\nparameter g = 10\ncoordinate y\nkinetic y'^2/2\npotential g*y\n\
                    initial y = 5, y' = 0\noutput height = y\nevent ground: y falling stop\nsimulate until 3 every 0.5\n";

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().map(|map| map.keys().map(String::as_str).collect()).unwrap_or_default()
}

#[test]
fn check_gives_the_contract() {
    let answer = dalembert(&["check", &model("rolling_disk"), "--json"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let said = answer.json();
    assert_eq!(said["coordinates"], serde_json::json!(["x", "y", "psi", "theta"]));
    assert_eq!(said["speeds"], serde_json::json!(["x'", "y'", "psi'", "theta'"]));
    assert_eq!(said["parameters"]["r"], 0.5);
    assert_eq!((&said["rank"], &said["degrees_of_freedom"]), (&2.into(), &2.into()));
    let rolling = &said["constraints"][0];
    assert_eq!(
        (&rolling["name"], &rolling["kind"], &rolling["level"]),
        (&"rolling".into(), &"velocity".into(), &"velocity".into())
    );
    for key in ["linear", "scleronomic", "catastatic"] {
        assert_eq!(rolling[key], true, "{key}");
    }
    assert_eq!(said["initial"]["psi'"], 0.5);
    assert!((said["initial"]["x'"].as_f64().unwrap() - 1.0).abs() < 1e-12);
    assert!(said["operations"]["total"].as_u64().unwrap() > 0);
    let words = dalembert(&["check", &model("rolling_disk")]);
    assert!(words.stdout.contains("degrees of freedom  2"), "{}", words.stdout);
}

#[test]
fn analyze_gives_the_contract() {
    let answer = dalembert(&["analyze", &model("cart_two_wheels"), "--json"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let said = answer.json();
    for (key, wanted) in [
        ("verdict", serde_json::json!("mixed")),
        ("nonholonomic", true.into()),
        ("integrable_combinations", 1.into()),
        ("rank", 3.into()),
        ("degrees_of_freedom", 2.into()),
        ("growth", serde_json::json!([2, 3, 4])),
        ("closure", 4.into()),
        ("integrals", serde_json::json!(["2*b*psi - R*theta1 + R*theta2"])),
        ("certainty", "exact".into()),
    ] {
        assert_eq!(said[key], wanted, "{key}");
    }
    let row = &said["constraints"][0];
    assert_eq!((&row["name"], &row["kind"]), (&"axle".into(), &"nonholonomic".into()));
    assert_eq!((&row["exact"], &row["integrable_alone"]), (&false.into(), &false.into()));
    let energy = &said["conserved"][0];
    assert_eq!(
        (&energy["name"], &energy["verified"], &energy["proved"]),
        (&"energy".into(), &true.into(), &true.into())
    );
    let words = dalembert(&["analyze", &model("kepler")]).stdout;
    assert!(words.contains("angular momentum in x, y = m*x*y' - m*x'*y"), "{words}");
    let refused = with_input(&["analyze", "-"], BROKEN);
    assert_eq!(refused.code, 1);
}

#[test]
fn constraint_kinds_are_told_apart() {
    let kind = |name: &str| dalembert(&["check", &model(name), "--json"]).json()["constraints"][0].clone();
    let cone = kind("appell_nonideal");
    assert_eq!((&cone["kind"], &cone["linear"]), (&"velocity".into(), &false.into()));
    let text =
        "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint belt: x = sin(t)\nconstraint wind: y' = 1\n";
    let said = with_input(&["check", "-", "--json"], text).json();
    let (belt, wind) = (&said["constraints"][0], &said["constraints"][1]);
    assert_eq!(
        (&belt["kind"], &belt["scleronomic"], &belt["catastatic"]),
        (&"holonomic".into(), &false.into(), &false.into())
    );
    assert_eq!(
        (&wind["kind"], &wind["scleronomic"], &wind["catastatic"]),
        (&"velocity".into(), &true.into(), &false.into())
    );
}

#[test]
fn redundant_rows_and_degenerate_starts_are_named() {
    let twice = "coordinate x, y\nkinetic (x'^2+y'^2)/2\nconstraint a: x = y\nconstraint b: 2*x = 2*y\n";
    let said = with_input(&["check", "-", "--json"], twice).json();
    assert_eq!(said["redundant"], serde_json::json!(["b"]));
    assert_eq!((&said["rank"], &said["degrees_of_freedom"]), (&1.into(), &1.into()));
    assert!(said["diagnostics"].as_array().unwrap().iter().any(|d| d["code"] == "N0501"));
    let rest = "coordinate x, y\nkinetic (x'^2+y'^2)/2\nconstraint c: x'^2 = y'^2\n";
    let said = with_input(&["check", "-", "--json"], rest).json();
    assert_eq!((&said["rank"], &said["degrees_of_freedom"]), (&0.into(), &1.into()));
    assert!(said["diagnostics"].as_array().unwrap().iter().any(|d| d["code"] == "W0502"));
    let said = with_input(&["evaluate", "-", "--json"], rest).json();
    assert!(said["diagnostics"].as_array().unwrap().iter().any(|d| d["code"] == "W0502"));
}

#[test]
fn a_start_that_cannot_be_found_fails_but_shows_the_rest() {
    let text = "coordinate x, y\nkinetic (x'^2+y'^2)/2\nconstraint c: x = y\ninitial x = 1, y = 2\n";
    let answer = with_input(&["check", "-", "--json"], text);
    assert_eq!(answer.code, 1);
    let said = answer.json();
    assert!(said["error"].is_string() && said["initial"].is_null());
    assert_eq!(said["constraints"][0]["name"], "c");
    let words = with_input(&["check", "-"], text);
    assert_eq!(words.code, 1);
    assert!(
        words.stdout.contains("holonomic") && words.stderr.contains("E0512"),
        "{}{}",
        words.stdout,
        words.stderr
    );
    let evaluated = with_input(&["evaluate", "-"], text);
    assert_eq!(evaluated.code, 0, "the guess is evaluated with a warning: {}", evaluated.stderr);
    assert!(evaluated.stderr.contains("warning[E0512]"));
}

#[test]
fn evaluate_gives_the_contract() {
    let answer = dalembert(&["evaluate", &model("appell_nonideal"), "--json", "--at", "x=2, t=0.5"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let said = answer.json();
    for key in "mass impressed constraint_matrix constraint_rhs acceleration unconstrained_acceleration ideal nonideal \
                control multipliers residuals rank gauss energy outputs state speeds reactions"
        .split_whitespace()
    {
        assert!(keys(&said).contains(&key), "{key} is missing");
    }
    assert_eq!((&said["state"]["x"], &said["state"]["t"]), (&2.0.into(), &0.5.into()));
    assert_eq!(said["mass"][1][1], 1.0);
    assert_eq!(said["control"], serde_json::json!([0.0, 0.0, 0.0]));
    assert!(said["multipliers"]["cone"].is_number() && said["residuals"]["cone"].is_number());
    let wrong = dalembert(&["evaluate", &model("appell_nonideal"), "--at", "w=1"]);
    assert_eq!(wrong.code, 1);
    assert!(wrong.stderr.contains("`w`"), "{}", wrong.stderr);
}

#[test]
fn a_state_may_be_given_by_parameters() {
    let text = "parameter l = 30 {cm}, m = 2 {kg}, T = 1 {s}\ncoordinate x {m}\nkinetic m/2*x'^2\noutput at = x + t\n";
    let answer = with_input(&["evaluate", "-", "--json", "--at", "x = l/2, x' = l/T, t = T"], text).json();
    assert_eq!(answer["outputs"]["at"], 1.15);
    for (at, message) in [
        ("x = m", "units differ: m and kg in `x = m`"),
        ("x = q/2", "unknown name `q` in `x = q/2`"),
        ("x = 1/0", "division by zero in `x = 1/0`"),
        ("x + 1", "`x + 1` is not a list of values"),
    ] {
        let refused = with_input(&["evaluate", "-", "--at", at], text);
        assert!(refused.code == 1 && refused.stderr.contains(message), "{at}: {}", refused.stderr);
    }
}

#[test]
fn derive_writes_every_format() {
    for form in ["kernel", "lagrange", "explicit", "poincare", "hamilton", "suslov", "energies"] {
        for format in ["text", "latex", "python"] {
            let answer =
                dalembert(&["derive", &model("pendulum"), "--form", form, "--format", format, "--json"]);
            assert_eq!(answer.code, 0, "{form} {format}: {}", answer.stderr);
            let said = answer.json();
            assert_eq!((&said["form"], &said["format"]), (&form.into(), &format.into()));
            assert!(!said["equations"].as_str().unwrap().is_empty());
        }
    }
}

#[test]
fn parameters_and_starts_can_be_changed() {
    let args = ["check", "-", "--set", "g=3", "--initial", "y=7", "--initial", "y' ~ 2", "--json"];
    let said = with_input(&args, FALL).json();
    assert_eq!(said["parameters"]["g"], 3.0);
    assert_eq!((&said["initial"]["y"], &said["initial"]["y'"]), (&7.0.into(), &2.0.into()));
    let unknown = with_input(&["check", "-", "--set", "q=1"], FALL);
    assert_eq!(unknown.code, 1);
    assert!(unknown.stderr.contains("`q`"), "{}", unknown.stderr);
}

#[test]
fn wrong_usage_is_code_two() {
    let path = model("pendulum");
    let cases: [&[&str]; 12] = [
        &[],
        &["frobnicate"],
        &["check"],
        &["check", &path, "--frob"],
        &["check", &path, "--set", "m"],
        &["simulate", &path, "--until", "minus"],
        &["simulate", &path, "--every", "0"],
        &["simulate", &path, "--method", "magic"],
        &["simulate", &path, "--out", "x.doc"],
        &["simulate", &path, "--plot", "x.csv"],
        &["simulate", &path, "--out", "-", "--json"],
        &["explain", "E9999"],
    ];
    for args in cases {
        let answer = dalembert(args);
        assert_eq!(answer.code, 2, "{args:?}: {}", answer.stderr);
        assert!(answer.stdout.is_empty() && !answer.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn broken_models_say_everything_with_places() {
    let answer = with_input(&["check", "-"], BROKEN);
    assert_eq!((answer.code, answer.stdout.as_str()), (1, ""));
    for place in ["standard input:2:", "standard input:3:", "standard input:4:"] {
        assert!(answer.stderr.contains(place), "{place} in {}", answer.stderr);
    }
    let answer = with_input(&["simulate", "-", "--json"], BROKEN);
    assert_eq!(answer.code, 1);
    let said = answer.json();
    assert!(said["error"].is_string() && said["diagnostics"].as_array().unwrap().len() >= 3);
    assert_eq!(said["diagnostics"][0]["line"].as_u64().map(|line| line > 0), Some(true));
}

#[test]
fn missing_and_unreadable_files_are_named() {
    for path in ["no/such/model.dal", "."] {
        let answer = dalembert(&["check", path]);
        assert_eq!(answer.code, 1);
        assert!(answer.stderr.contains(path), "{}", answer.stderr);
    }
    assert!(dalembert(&["check", "no/such/model.dal", "--json"]).json()["error"].is_string());
}

#[test]
fn messages_can_be_explained() {
    let answer = dalembert(&["explain", "e0512"]);
    assert!(answer.code == 0 && answer.stdout.starts_with("E0512"));
    assert!(dalembert(&["explain"]).stdout.contains("N0501"));
    assert_eq!(dalembert(&["explain", "E0301", "--json"]).json()["code"], "E0301");
}

#[test]
fn completions_and_version() {
    for shell in ["bash", "zsh", "fish"] {
        let answer = dalembert(&["completions", shell]);
        assert!(answer.code == 0 && answer.stdout.contains("simulate"), "{shell}");
    }
    let Answer { code, stdout, .. } = dalembert(&["--version"]);
    assert!(code == 0 && stdout.starts_with("dalembert "));
    assert!(dalembert(&["simulate", "--help"]).stdout.contains("--baumgarte"));
}

#[test]
fn files_are_formatted() {
    let dir = scratch("fmt");
    let path = dir.join("draft.dal");
    let name = path.to_str().unwrap();
    std::fs::write(&path, "coordinate   x\nkinetic x'^2 / 2\n").unwrap();
    assert_eq!(dalembert(&["fmt", "--check", name]).code, 1);
    assert_eq!(dalembert(&["fmt", name]).code, 0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "coordinate x\nkinetic x'^2/2\n");
    assert_eq!(dalembert(&["fmt", "--check", name]).code, 0);
    assert_eq!(with_input(&["fmt", "-"], "coordinate   x\n").stdout, "coordinate x\n");
    assert_eq!(with_input(&["fmt", "-"], "coordinate x\n").stdout, "coordinate x\n");
    std::fs::write(&path, "coordinate (  x\n").unwrap();
    let answer = dalembert(&["fmt", name]);
    assert!(answer.code == 1 && answer.stderr.contains("error["), "{}", answer.stderr);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "coordinate (  x\n");
    assert_eq!(dalembert(&["fmt", "--json", name]).json()["files"][0]["changed"], false);
}

/// What `output r1 = residual(r)` tells is told without it.
#[test]
fn residuals_of_requirements_are_evaluated() {
    let text = "coordinate x\nkinetic x'^2/2\nrequire r: x = 1 decay 2\ninitial x = 3, x' = 0\noutput r1 = residual(r)";
    let said = with_input(&["evaluate", "-", "--json"], text).json();
    assert_eq!((&said["residuals"]["r"], &said["outputs"]["r1"]), (&2.0.into(), &2.0.into()), "{said}");
}
