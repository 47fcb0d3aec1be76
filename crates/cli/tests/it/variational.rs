//! Actions, motions between two configurations, variational methods and complete integrals on the command line.

use crate::support::with_input;

const THROW: &str =
    "parameter g = 10\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential g*y\nsimulate until 2\n";
const LINE: &str = "coordinate x\nkinetic x'^2/2\ncomplete_integral (a) = a*x - a^2*t/2\ninitial x = 1, x' = 2\nsimulate until 1\n";

#[test]
fn connect_in_words_and_json() {
    let answer = with_input(&["connect", "-", "--to", "x=10, y=0"], THROW);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    for words in ["start with", "arrive with", "a minimum: no conjugate point", "missed by"] {
        assert!(answer.stdout.contains(words), "{words}: {}", answer.stdout);
    }
    let said = with_input(&["connect", "-", "--to", "x=10, y=0", "--json"], THROW).json();
    assert!((said["start_rates"]["y'"].as_f64().unwrap() - 10.0).abs() < 1e-9);
    assert_eq!((&said["stationary"], &said["index"]), (&"minimum".into(), &0.into()));
    let table = with_input(&["connect", "-", "--to", "x=10", "--every", "1", "--out", "-"], THROW);
    assert_eq!(table.stdout.lines().count(), 4, "{}", table.stdout);
    let wrong = with_input(&["connect", "-", "--to", "z=1"], THROW);
    assert!(wrong.code == 1 && wrong.stderr.contains("`z` is not a coordinate"), "{}", wrong.stderr);
    assert_eq!(with_input(&["connect", "-"], THROW).code, 2);
}

#[test]
fn steps_and_action() {
    let answer = with_input(
        &["simulate", "-", "--method", "variational4", "--step", "0.1", "--action", "--json"],
        THROW,
    );
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let said = answer.json();
    assert_eq!(said["summary"]["steps"], 20);
    // Free fall from rest: L = g^2 t^2, S = g^2 T^3/3.
    assert!((said["action"].as_f64().unwrap() - 800.0 / 3.0).abs() < 1e-9, "{}", said["action"]);
    let wrong = with_input(&["simulate", "-", "--step", "0.1"], THROW);
    assert!(wrong.code == 1 && wrong.stderr.contains("chooses its steps itself"), "{}", wrong.stderr);
}

#[test]
fn a_complete_integral_is_used() {
    let answer = with_input(&["simulate", "-", "--form", "hamilton-jacobi"], LINE);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(
        answer.stdout.contains("proved") && answer.stdout.contains("a = 2, b_a = 1"),
        "{}",
        answer.stdout
    );
    let written = with_input(&["derive", "-", "--form", "hamilton-jacobi"], LINE);
    assert!(written.stdout.contains("it vanishes identically"), "{}", written.stdout);
    let wrong = LINE.replace("a^2*t/2", "a^2*t");
    let answer = with_input(&["derive", "-", "--form", "hamilton-jacobi"], &wrong);
    assert!(answer.code == 1 && answer.stderr.contains("E0740"), "{}", answer.stderr);
    assert!(answer.stderr.contains("complete_integral (a)"), "the place is shown: {}", answer.stderr);
    // The model itself runs as ever.
    assert_eq!(with_input(&["simulate", "-"], &wrong).code, 0);
}
