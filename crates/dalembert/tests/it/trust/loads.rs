//! What presses: friction beside non-ideal work, and force laws that read redundant constraints.

use crate::support::*;
use dalembert::diagnostic::Code;

const FLOOR: &str = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint floor: y = 0\n";

fn normal(text: &str) -> f64 {
    let mut model = load(text);
    let state = start(&mut model);
    evaluate(&model, &state).solution.normal[0]
}

#[test]
fn work_that_the_constraint_forbids_does_not_press() {
    for start in ["initial x' = 2", "initial x' = 0", "initial x' = 0\nforce x = 1"] {
        let text = format!(
            "{FLOOR}friction on floor: coefficient 0.3, velocity x'\nnonideal work -5*delta(y)\n{start}\n"
        );
        below("normal force", (normal(&text) - 9.81).abs(), 1e-13);
    }
    // The same on a slope, with work of both kinds and constraints in another scale.
    let slope = |work: &str| {
        format!(
            "parameter a = 0.4\ncoordinate x, y\nkinetic (x'^2 + 2*y'^2)/2 + 0.3*x'*y'\npotential 9.81*y\n\
             constraint plane: 3*(y*cos(a) - x*sin(a)) = 0\n\
             friction on plane: coefficient 0.3, velocity x'*cos(a) + y'*sin(a), normal multiplier(plane)\n\
             nonideal work -0.1*x'*delta(x) + {work}\noutput N = reaction(plane)\ninitial x' = 2\n"
        )
    };
    let plain = run_text(&slope("0*delta(y)"), &sharply_until(1.0));
    let pressed = run_text(&slope("(4 + y')*(delta(y)*cos(a) - delta(x)*sin(a))"), &sharply_until(1.0));
    below("forbidden work", motions_apart(&plain, &pressed, &["x", "y", "x'", "N"]), 1e-9);
}

#[test]
fn contacts_that_stick_hold_against_non_ideal_work() {
    // 3 N along the floor exceeds the static limit of 2.943 N, 2.5 N do not.
    let text = |push: f64| {
        format!(
            "{FLOOR}friction on floor: coefficient 0.3, velocity x'\nnonideal work {push}*delta(x) - 7*delta(y)\n"
        )
    };
    for (push, moves) in [(2.5, false), (3.0, true)] {
        let mut model = load(&text(push));
        let state = start(&mut model);
        let now = evaluate(&model, &state);
        let friction = if moves { -2.943 } else { -2.5 };
        below("friction", (now.solution.friction[0] - friction).abs(), 1e-12);
        below("normal force", (now.solution.normal[0] - 9.81).abs(), 1e-12);
        let motion = run(&mut model, &until(1.0));
        below("motion", (last(&motion, "x") - if moves { 0.0285 } else { 0.0 }).abs(), 1e-9);
    }
}

#[test]
fn friction_of_coefficient_zero_changes_nothing() {
    let laws = [
        "nonideal work -5*delta(y) - 0.2*reaction(floor)*sign(x')*delta(x)",
        "nonideal work -0.1*multiplier(floor)*delta(x) + x*delta(y)",
        "force x = -x\nnonideal work -0.3*x'*delta(x) - x'^2*delta(y)",
    ];
    for law in laws {
        let text = format!(
            "{FLOOR}{law}\noutput l = multiplier(floor), q = nonideal(x), N = reaction(floor)\ninitial x' = 2, x = 0.3\n"
        );
        let smooth = format!("{text}friction on floor: coefficient 0, velocity x'\n");
        let (a, b) = (run_text(&text, &sharply_until(0.5)), run_text(&smooth, &sharply_until(0.5)));
        below(law, motions_apart(&a, &b, &["x", "x'", "l", "q", "N"]), 1e-11);
    }
}

#[test]
fn control_does_not_keep_to_contacts_without_friction() {
    let text = "coordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint floor: z = 0\n\
        require goal: x + y = 0.5 decay 1.7, 1.1\ninitial x' = {start}\n";
    // From rest, and through rest.
    for start in ["0", "-0.05"] {
        let text = text.replace("{start}", start);
        let smooth = format!("{text}friction on floor: coefficient 0, velocity x'\n");
        let (a, b) = (run_text(&text, &sharply_until(1.0)), run_text(&smooth, &sharply_until(1.0)));
        below(start, motions_apart(&a, &b, &["x", "y", "x'", "y'"]), 1e-11);
    }
}

#[test]
fn non_ideal_work_reads_the_same_force_however_often_a_row_is_written() {
    let rows = |more: &str| {
        format!(
            "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint floor: y = 0\n{more}\n\
             nonideal work -0.3*reaction(floor)*sign(x')*delta(x)\n\
             output N = reaction(floor), l = multiplier(floor)\ninitial x' = 3\n"
        )
    };
    let plain = run_text(&rows(""), &sharply_until(0.9));
    below("closed form", (last(&plain, "x") - (3.0 * 0.9 - 0.15 * 9.81 * 0.81)).abs(), 1e-10);
    for more in [
        "constraint b: 2*y = 0",
        "constraint b: 2*y = 0\nconstraint c: -y = 0\nconstraint d: 1000*y = 0",
        "constraint b: [y, 5*y] = [0, 0]",
        "constraint b: y^3 + y = 0",
    ] {
        let other = run_text(&rows(more), &sharply_until(0.9));
        below(more, motions_apart(&plain, &other, &["x", "x'", "N", "l"]), 1e-9);
        let mut model = load(&rows(more));
        assert!(model.diagnostics.iter().all(|d| d.code != Code::NormalForceOpen), "{more}");
        let state = start(&mut model);
        let (a, b) = (load(&rows("")).linearize(&state, &[]), model.linearize(&state, &[]));
        let (a, b) = (a.unwrap().state_matrix, b.unwrap().state_matrix);
        below("linear system", apart(&a, &b), 1e-12);
    }
    // A row of several components that has the law's row among them, and one that follows from two.
    let pin = |more: &str| {
        format!(
            "coordinate x, y, z\nkinetic (x'^2 + y'^2 + 2*z'^2)/2\npotential 9.81*y + 3*x\n\
             constraint guide: [x, y] = [0.1*z, 0]\n{more}\nnonideal work -0.3*reaction(guide)*sign(z')*delta(z)\n\
             initial z' = 3\n"
        )
    };
    let plain = run_text(&pin(""), &sharply_until(0.9));
    for more in
        ["constraint b: x + y = 0.1*z", "constraint b: 7*x - 2*y = 0.7*z\nconstraint c: x + y = 0.1*z"]
    {
        let other = run_text(&pin(more), &sharply_until(0.9));
        below(more, motions_apart(&plain, &other, &["z", "z'"]), 1e-9);
    }
}

#[test]
fn control_beside_a_law_that_reads_redundant_rows_is_that_of_one_row() {
    for law in [
        "nonideal work -0.3*reaction(floor)*sign(x')*delta(x)",
        "friction on floor: coefficient 0.3, velocity x'",
    ] {
        let rows = |more: &str| {
            format!(
                "{FLOOR}{more}{law}\nrequire goal: x = 2 decay 2, 1\noutput u = control(x)\ninitial x' = 3\n"
            )
        };
        let plain = run_text(&rows(""), &sharply_until(0.3));
        let other = run_text(&rows("constraint again: 2*y = 0\n"), &sharply_until(0.3));
        below(law, motions_apart(&plain, &other, &["x", "x'", "u"]), 1e-9);
    }
}

#[test]
fn friction_reads_the_same_force_however_often_a_row_is_written() {
    let rows = |more: &str| {
        format!(
            "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint floor: y = 0\n{more}\n\
             friction on floor: coefficient 0.3, velocity x'\noutput N = reaction(floor)\ninitial x' = 3\n"
        )
    };
    let plain = run_text(&rows(""), &until(2.0));
    for more in ["constraint b: 2*y = 0", "constraint b: 2*y = 0\nconstraint c: -y = 0"] {
        let other = run_text(&rows(more), &until(2.0));
        below(more, motions_apart(&plain, &other, &["x", "x'", "N"]), 1e-11);
    }
}

#[test]
fn loads_that_no_rule_decides_are_said_and_shared_by_force() {
    // Two laws on one floor: each constraint carries half, whatever its scale.
    let text = |law: &str| {
        format!(
            "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint a: y = 0\nconstraint b: 2*y = 0\n\
             {law}\noutput R = reaction(a)\ninitial x' = 3\n"
        )
    };
    for law in [
        "friction on a: coefficient 0.3, velocity x'\nfriction on b: coefficient 0.1, velocity x', normal 2*multiplier(b)",
        "nonideal work -(0.3*reaction(a) + 0.1*reaction(b))*sign(x')*delta(x)",
    ] {
        let mut model = load(&text(law));
        assert!(model.diagnostics.iter().any(|d| d.code == Code::NormalForceOpen), "{law}");
        let state = start(&mut model);
        let now = evaluate(&model, &state);
        below(law, (now.solution.eta_dot[0] + 0.2 * 9.81).abs(), 1e-12);
    }
    let shared = text("nonideal work -(0.3*reaction(a) + 0.1*reaction(b))*x'*delta(x)");
    let mut model = load(&shared);
    let state = start(&mut model);
    assert_eq!(model.linearize(&state, &[]).unwrap_err().code, Code::NotApplicable);
}

#[test]
fn code_that_would_read_an_open_load_is_not_exported() {
    use dalembert_codegen::{Target, write};
    let text = |more: &str| {
        format!("{FLOOR}{more}\nnonideal work -0.3*reaction(floor)*sign(x')*delta(x)\ninitial x' = 3\n")
    };
    assert!(write(&load(&text("")), Target::Python, "m").is_ok());
    assert_eq!(
        write(&load(&text("constraint b: 2*y = 0")), Target::Python, "m").unwrap_err().code,
        Code::NotApplicable
    );
}
