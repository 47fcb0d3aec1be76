//! Friction on a constraint that constrains nothing: no force, a warning, and no panic.

use crate::support::{evaluate, load, refusal, run, start, until};
use dalembert::diagnostic::Code;

/// How often a model says that something holds always.
fn warnings(text: &str) -> usize {
    load(text).diagnostics.iter().filter(|d| d.code == Code::AlwaysTrue).count()
}

#[test]
fn friction_on_a_constraint_that_holds_always_does_nothing_and_says_so() {
    let text = "coordinate x, y\nkinetic (x'^2 + y'^2 + x'*y')/2\nconstraint k: 1 = 1\n\
                friction on k: coefficient 0.3, velocity x'\ninitial x' = 1\n\
                output f = friction(k)\noutput m = multiplier(k)\noutput r = reaction(k)\n";
    assert_eq!(warnings(text), 2, "the constraint, and the friction on it");
    let mut model = load(text);
    let state = start(&mut model);
    assert_eq!(evaluate(&model, &state).outputs, [0.0; 3]);
    let motion = run(&mut model, &until(1.0));
    let last = motion.table.rows().last().expect("rows").to_vec();
    assert!((last[1] - 1.0).abs() < 1e-12 && last[2].abs() < 1e-12, "{last:?}");
}

#[test]
fn vectors_and_families_of_which_nothing_or_a_part_constrains_are_taken() {
    let vector = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint k: [0, 0] = [0, 0]\n\
                  friction on k: coefficient 0.3, velocity [x', y']\noutput f = friction(k)\n\
                  constraint l: [0, 0, y] = [0, 0, 0]\nfriction on l: coefficient 0.3, velocity x'\n";
    let mut model = load(vector);
    let state = start(&mut model);
    assert_eq!(evaluate(&model, &state).outputs, [0.0, 0.0]);
    let family = "coordinate x[1..3], y[1..3]\nfor i in 1..3 {\nkinetic (x[i]'^2 + y[i]'^2)/2\npotential 9.81*y[i]\n\
                  constraint k[i]: (i - 1)*y[i] = 0\nfriction on k[i]: coefficient 0.3, velocity x[i]'\n\
                  initial x[i]' = 1\n}\n";
    let motion = run(&mut load(family), &until(0.2));
    let last = motion.table.rows().last().expect("rows").to_vec();
    let braked = 0.2 - 0.3 * 9.81 * 0.02;
    assert!((last[1] - 0.2).abs() < 1e-12, "the first one falls freely: {last:?}");
    assert!((last[2] - braked).abs() < 1e-9 && (last[3] - braked).abs() < 1e-9, "{last:?}");
}

#[test]
fn rows_without_a_gradient_beside_others_are_taken() {
    for row in ["sin(x)^2 + cos(x)^2 = 1", "[sin(x)^2 + cos(x)^2, y] = [1, 0]", "[x - x, y] = [0, 0]"] {
        for kinetic in ["(x'^2 + y'^2)/2", "(x'^2 + y'^2 + x'*y')/2", "(x'^2 + (1 + x^2)*y'^2)/2"] {
            let text = format!(
                "coordinate x, y\nkinetic {kinetic}\nconstraint k: {row}\nfriction on k: coefficient 0.3, velocity x'\n\
                 initial x' = 1\n"
            );
            run(&mut load(&text), &until(0.1));
        }
    }
}

#[test]
fn friction_twice_on_what_holds_always_is_refused_and_on_two_of_them_is_not() {
    let two = "coordinate x\nkinetic x'^2/2\nconstraint k: 1 = 1\nconstraint l: 2 = 2\n\
               friction on k: coefficient 0.3, velocity x'\nfriction on l: coefficient 0.3, velocity x'\n";
    assert_eq!(warnings(two), 4);
    let twice = format!("{two}friction on l: coefficient 0.1, velocity x'\n");
    assert!(refusal(&twice).iter().any(|d| d.code == Code::StatementTwice));
}
