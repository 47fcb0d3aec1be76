//! Starting states and last states: consistent in the scale of each constraint, or refused.

use crate::support::{below, last, load, run_text, sharply_until, start, until};
use dalembert::Request;
use dalembert::diagnostic::Code;
use dalembert::run::Flow;

/// The code with which a model is refused at its start.
fn refused_start(text: &str) -> Option<Code> {
    load(text).start().err().map(|d| d.code)
}

/// A rod beside a coordinate that has nothing to do with it: measured by the coordinates in its own row.
#[test]
fn a_rod_is_kept_beside_a_coordinate_of_any_size() {
    let rod = "coordinate x, y, far\nkinetic (x'^2 + y'^2 + far'^2)/2\npotential 9.81*y\n\
        constraint rod: x^2 + y^2 = 0.25\ninitial x = 0.5, y ~ 0\noutput length = sqrt(x^2 + y^2)\n";
    for far in ["0", "1.5e11", "-3e14"] {
        let text = format!("{rod}initial far = {far}");
        for method in ["dop853", "radau"] {
            let request = Request { method: Some(method.into()), rtol: Some(1e-9), ..until(3.0) };
            let motion = run_text(&text, &request);
            below(&format!("{far} {method}"), (last(&motion, "length") - 0.5).abs(), 1e-14);
            below("residual", motion.outcome.largest_position_residual, 1e-14);
        }
    }
}

#[test]
fn contradictions_are_found_beside_a_coordinate_of_any_size() {
    let text = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: y = 0\nconstraint b: y = 1\ninitial x = 1e13";
    assert_eq!(refused_start(text), Some(Code::InconsistentStart));
    let text = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: y' = 0\nconstraint b: y' = 1\ninitial x' = 1e13";
    assert_eq!(refused_start(text), Some(Code::InconsistentStart));
    // Accelerations that contradict each other (U6), beside one that is fast.
    let text = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: y' = t\nconstraint b: y' = 2*t\n\
        force x = 1e9\ninitial x' = 1e9";
    let mut model = load(text);
    let state = start(&mut model);
    assert_eq!(model.evaluate(&state).err().map(|d| d.code), Some(Code::ContradictoryConstraints));
}

#[test]
fn rows_whose_roots_are_at_infinity_have_no_start() {
    let head = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\n";
    for (row, guess) in [
        ("exp(-100*(x - y)^2) = 1", "x ~ 1, y ~ -1"),
        ("exp(-100*(x - y)^2) = 1", "x = 1, y ~ -1"),
        ("1/(1 + x^2) = 0", "x ~ 1"),
        ("atan2(0.1, x) = 3.2", "x ~ -1"),
        ("exp(x) = 0", "x ~ 0"),
        ("tanh(x) = 1 + 1e-6", "x ~ 1"),
    ] {
        let text = format!("{head}constraint c: {row}\ninitial {guess}");
        let mut model = load(&text);
        match model.start() {
            Err(d) => assert_eq!(d.code, Code::InconsistentStart, "{row}"),
            // Found after all: then it must hold as it is written.
            Ok(started) => {
                let residual = model.evaluate(&started.state).expect("an acceleration").residuals[0];
                below(row, residual.abs(), 1e-12);
            }
        }
    }
}

/// What projection does not keep is told: an error for methods that project, a warning for the others.
#[test]
fn the_end_of_a_run_is_judged_by_the_rows_as_written() {
    let text = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\ninitial x = 1, y ~ 0";
    let fine = run_text(text, &sharply_until(2.0));
    assert!(fine.warnings.is_empty(), "{:?}", fine.warnings);
    let loose = Request { baumgarte: Some((5.0, 5.0)), rtol: Some(1e-4), ..until(2.0) };
    let motion = load(text).simulate(&loose, |_| Flow::Continue).expect("a motion");
    assert!(motion.failure.is_none());
    assert_eq!(motion.warnings.iter().map(|w| w.code).collect::<Vec<_>>(), [Code::RowMissed]);
}

/// Requirements are measured by what is in them too.
#[test]
fn a_requirement_off_at_the_start_is_told_beside_a_coordinate_of_any_size() {
    let text =
        "coordinate x, far\nkinetic (x'^2 + far'^2)/2\nrequire r: x = 0\ninitial x = 0.5, far = 1.5e11";
    let refused = load(text).simulate(&until(1.0), |_| Flow::Continue).err().map(|d| d.code);
    assert_eq!(refused, Some(Code::RequirementNotMet));
}
