//! `linearize` and `equilibrium` as people and programs meet them.

use crate::support::{dalembert, model, scratch, with_input};
use serde_json::{Value, json};

const STRAIGHT: &str = "roll=0, steer=0, roll'=0, steer'=0, spinR'=-16.666666666666668";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

#[test]
fn linearize_gives_the_contract() {
    let said = dalembert(&[
        "linearize",
        &model("bicycle"),
        "--at",
        STRAIGHT,
        "--independent",
        "roll,steer",
        "--json",
    ]);
    assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
    let said = said.json();
    for key in [
        "state_matrix",
        "eigenvalues",
        "mass",
        "damping",
        "stiffness",
        "states",
        "modes",
        "kind",
        "stability",
    ] {
        assert!(!said[key].is_null(), "{key}");
    }
    assert_eq!(said["split_coordinates"], json!(["roll", "steer"]));
    assert!((number(&said["mass"][0][0]) - 80.81722).abs() < 1e-12);
    let d = said["states"].as_array().unwrap().len();
    assert_eq!((d, said["state_matrix"].as_array().unwrap().len()), (10, 10));
    assert_eq!(said["eigenvalues"].as_array().unwrap().len(), d);
    assert_eq!(said["kind"], "steady motion");
    assert_eq!(said["stability"], "stable");
    let words = dalembert(&["linearize", &model("bicycle"), "--at", STRAIGHT]).stdout;
    assert!(words.contains("steady motion") && words.contains("state matrix"), "{words}");
}

#[test]
fn what_is_no_equilibrium_is_called_none() {
    let said = dalembert(&["linearize", &model("pendulum"), "--at", "theta=1", "--json"]).json();
    assert_eq!(
        (&said["kind"], &said["equilibrium"], &said["stability"]),
        (&json!("instantaneous"), &json!(false), &Value::Null)
    );
    assert!((number(&said["changing"]["theta'"]) + 9.81 * 1f64.sin()).abs() < 1e-12, "{}", said["changing"]);
    let words = dalembert(&["linearize", &model("pendulum"), "--at", "theta=1"]).stdout;
    assert!(words.contains("no equilibrium and no steady motion"), "{words}");
    // The split has a reason where it does not exist.
    let said = dalembert(&["linearize", &model("rigid_body"), "--json"]).json();
    assert!(said["mass"].is_null() && said["split_reason"].as_str().unwrap().contains("w1"));
}

#[test]
fn equilibria_with_forces_and_stability() {
    let text = "parameter m = 2, l = 0.5, g = 9.81\ncoordinate x, y\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\n\
                constraint rod: x^2 + y^2 = l^2\ninitial x ~ 0.1, y ~ -1\n";
    let said = with_input(&["equilibrium", "-", "--json"], text).json();
    let list = said["equilibria"].as_array().unwrap();
    assert_eq!(list.len(), 2);
    assert_eq!((&list[0]["stability"], &list[1]["stability"]), (&json!("stable"), &json!("unstable")));
    assert!((number(&list[0]["multipliers"]["rod"]) + 19.62).abs() < 1e-12);
    assert!((number(&list[0]["constraint_forces"]["rod"]["y'"]) - 19.62).abs() < 1e-12);
    let words = with_input(&["equilibrium", "-"], text).stdout;
    assert!(words.contains("2 equilibria found") && words.contains("Dirichlet"), "{words}");
    let none = with_input(&["equilibrium", "-"], "coordinate x\nkinetic x'^2/2\npotential x\n");
    assert_eq!(none.code, 0);
    assert!(none.stdout.contains("0 equilibria found"), "{}", none.stdout);
}

#[test]
fn pictures_and_tables() {
    let dir = scratch("linear");
    let file = |name: &str| dir.join(name).to_string_lossy().into_owned();
    let (csv, svg, png, html) = (file("roots.csv"), file("roots.svg"), file("roots.png"), file("roots.html"));
    let hoop = model("bead_hoop");
    let args = [
        "linearize",
        &hoop,
        "--at",
        "theta=0",
        "--over",
        "W=0..10:51",
        "--out",
        &csv,
        "--plot",
        &svg,
        "--plot",
        &png,
        "--plot",
        &html,
    ];
    let answer = dalembert(&args);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.contains("becomes positive at W = 4.42945"), "{}", answer.stdout);
    let table = std::fs::read_to_string(&csv).unwrap();
    assert!(table.starts_with("W,re1,im1,re2,im2\n") && table.lines().count() == 52, "{table}");
    let drawing = std::fs::read_to_string(&svg).unwrap();
    assert!(drawing.contains("real parts") && drawing.contains(">W<"), "the axis is named");
    assert!(
        std::fs::read(&png).unwrap().starts_with(b"\x89PNG")
            && std::fs::metadata(&html).unwrap().len() > 1000
    );

    let (one, two) = (file("one.svg"), file("two.png"));
    let answer =
        dalembert(&["equilibrium", &hoop, "--landscape", "theta=-3..3:80", "--plot", &one, "--json"]);
    assert_eq!(answer.json()["equilibria"].as_array().unwrap().len(), 4);
    assert!(std::fs::read_to_string(&one).unwrap().contains("potential energy"));
    let pendulum = model("double_pendulum");
    let axes = ["--landscape", "theta1=-3..3:20", "--landscape", "theta2=-3..3:30"];
    let answer =
        dalembert(&[&["equilibrium", &pendulum], &axes[..], &["--plot", &two, "--out", &csv]].concat());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert_eq!(std::fs::read_to_string(&csv).unwrap().lines().count(), 601);
    assert!(std::fs::read(&two).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn wrong_requests_are_refused_with_advice() {
    let refused = |args: &[&str], words: &str| {
        let answer = dalembert(args);
        assert_eq!(answer.code, 1, "{args:?}: {}", answer.stdout);
        assert!(answer.stderr.contains(words), "{args:?}: {}", answer.stderr);
    };
    let (hoop, disk) = (model("bead_hoop"), model("rolling_disk"));
    refused(&["linearize", &hoop, "--over", "Q=0..1:5"], "not a parameter, coordinate or speed");
    refused(&["linearize", &hoop, "--over", "W=0..1:1"], "not a range of values");
    refused(&["linearize", &hoop, "--over", "W=1..1:5"], "not a range of values");
    refused(&["linearize", &hoop, "--independent", "tetha"], "did you mean `theta`?");
    refused(&["linearize", &disk, "--independent", "x',y',theta'"], "cannot be independent");
    refused(&["linearize", &hoop, "--at", "theta=a"], "numbers and the model's parameters");
    refused(&["equilibrium", &hoop, "--landscape", "phi=0..1:5"], "not a coordinate");
    refused(&["equilibrium", &hoop, "--within", "phi=0..1"], "not a coordinate");
    refused(&["equilibrium", &hoop, "--within", "theta=2..1"], "before it begins");
    refused(&["equilibrium", &hoop, "--starts", "0"], "nothing to search from");
    refused(&["equilibrium", &model("vibration_absorber"), "--landscape", "x1=0..1:5"], "direct form");
    let usage = dalembert(&["linearize", &hoop, "--plot", "a.svg"]);
    assert_eq!(usage.code, 2, "--plot needs --over");
    let kink = with_input(&["linearize", "-"], "coordinate x\nkinetic x'^2/2\nforce x = -sign(x')\n");
    assert!(kink.code == 1 && kink.stderr.contains("E0520"), "{}", kink.stderr);
    let top = "coordinate psi, th, phi\nkinetic (th'^2 + psi'^2*sin(th)^2)/4 + 0.15*(phi' + psi'*cos(th))^2\n\
        potential 2*cos(th)\ninitial th = 0.6, psi' = 1, phi' = 20\n";
    let pole = with_input(&["linearize", "-", "--settle"], top);
    assert!(pole.code == 1 && pole.stdout.is_empty(), "{}", pole.stdout);
    assert!(
        pole.stderr.contains("E0503") && pole.stderr.contains("help: start elsewhere"),
        "{}",
        pole.stderr
    );
    let large = with_input(
        &["linearize", "-"],
        "const N = 600\ncoordinate q[1..N]\nkinetic sum(i in 1..N, q[i]'^2)\n",
    );
    assert!(large.code == 1 && large.stderr.contains("E0802"), "{}", large.stderr);
}

/// A parameter given in another unit is swept in that unit, as `--set` takes it.
#[test]
fn sweeps_use_the_unit_of_the_file() {
    let dir = scratch("linear_units");
    let path = dir.join("pendulum.dal").to_string_lossy().into_owned();
    let text =
        "parameter l = 50 {cm}, g = 9.81 {m/s^2}\ncoordinate a\nkinetic l^2*a'^2/2\npotential -g*l*cos(a)\n";
    std::fs::write(&path, text).unwrap();
    let said = dalembert(&["linearize", &path, "--over", "l=50..100:2", "--json"]).json();
    let im = number(&said["points"][0]["eigenvalues"][0][1]).abs();
    assert!((im - (9.81f64 / 0.5).sqrt()).abs() < 1e-12, "{im}");
}

/// Reasons reach the reader: a massless coordinate, a kink, a matrix that changes with the time.
#[test]
fn reasons_are_told() {
    let said = |command: &str, text: &str| with_input(&[command, "-"], text).stdout;
    let massless =
        said("equilibrium", "coordinate x, y\nkinetic x'^2/2\npotential (x - y)^2/2 + y^2\ninitial x = 0\n");
    assert!(massless.contains("note:") && massless.contains("mass"), "{massless}");
    let kink = said("equilibrium", "coordinate x\nkinetic x'^2/2\npotential abs(x)\n");
    assert!(kink.contains("kinks"), "{kink}");
    let driven = said("linearize", "coordinate x\nkinetic x'^2/2\npotential (1 + 0.2*cos(2*t))*x^2/2\n");
    assert!(driven.contains("an equilibrium; the linear system changes with the time"), "{driven}");
    assert!(driven.contains("undecided"), "{driven}");
}
