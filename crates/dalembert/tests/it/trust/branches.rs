//! Momenta with several speeds: Hamilton's form stays on the branch of the start.

use crate::support::*;
use dalembert::Request;
use dalembert::run::Flow;
use dalembert::run::Stop;
use dalembert::simulate::MotionForm;

/// dL/dx' = x'^3 - x' has three speeds for momenta near zero.
const QUARTIC: &str = "coordinate x\nlagrangian x'^4/4 - x'^2/2 - x^2/2\ninitial x = 0.1, x' = ";

fn in_momenta(request: Request) -> Request {
    Request { form: MotionForm::Hamilton, ..request }
}

#[test]
fn hamiltons_form_starts_with_the_rates_of_the_start_and_stays_on_their_branch() {
    for rate in ["0.9", "-0.9", "1.1", "0.2", "-0.05"] {
        let text = format!("{QUARTIC}{rate}");
        let explicit = run_text(&text, &sharply_until(0.25));
        let hamilton = run_text(&text, &in_momenta(sharply_until(0.25)));
        below(rate, (column(&hamilton, "x'")[0] - rate.parse::<f64>().unwrap()).abs(), 1e-14);
        below(rate, motions_apart(&explicit, &hamilton, &["x", "x'"]), 1e-9);
    }
    // Two freedoms that are coupled, one of them with two branches.
    let text = "coordinate x, y\nlagrangian (x'^2 - 1)^2/4 + y'^2/2 + 0.1*x'*y' - x^2/2 - y^2\ninitial x = 0.1, x' = 1.3, y' = 2\n";
    let (explicit, hamilton) =
        (run_text(text, &sharply_until(0.8)), run_text(text, &in_momenta(sharply_until(0.8))));
    below("coupled", motions_apart(&explicit, &hamilton, &["x", "y", "x'", "y'"]), 1e-8);
}

#[test]
fn a_branch_that_ends_ends_the_run_with_the_time() {
    // From x' = 0.9 the motion slows down to x' = 1/sqrt(3), where two branches meet.
    let mut model = load(&format!("{QUARTIC}0.9"));
    let motion = model.simulate(&in_momenta(until(10.0)), |_| Flow::Continue).unwrap();
    assert!(matches!(motion.outcome.stop, Stop::Failed(_)), "{:?}", motion.outcome.stop);
    let said = motion.failure.as_ref().expect("a reason").message.clone();
    assert!(said.contains("at t = ") && said.contains("branch"), "{said}");
    let speeds = column(&motion, "x'");
    assert!(speeds.iter().all(|v| *v > 0.577), "{speeds:?}");
}
