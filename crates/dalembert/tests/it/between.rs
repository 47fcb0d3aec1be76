//! What broke between two statements that each work alone.

use crate::support::*;
use dalembert::equilibrium::EquilibriumSearch;

/// Bearing forces of the plainest body in space: nothing else of the model asks how the body moves.
#[test]
fn the_bearing_of_a_ball_joint_is_known() {
    let mut model = load(
        "gravity [0, 0, -10]\nbody L: mass 2, inertia [1, 2, 2.5]\njoint U: ball ground to L\noutput f = force(U)",
    );
    let state = start(&mut model);
    let now = evaluate(&model, &state);
    below("weight", apart(&now.outputs, &[0.0, 0.0, 20.0]), 1e-12);
}

/// What only events change is given in a search for equilibria.
#[test]
fn discrete_values_are_not_unknowns_of_equilibria() {
    let text = "parameter k = 4, c = 0.5\ndiscrete load = 1\ncoordinate x\nkinetic x'^2/2\npotential k/2*x^2
                force x = load - c*x'\nevent out: x - 3 rising do load = 0\ninitial x = 0.8";
    let found = load(text).equilibria(&EquilibriumSearch::default()).expect("an equilibrium").equilibria;
    assert_eq!(found.len(), 1);
    below("x and the load", apart(&found[0].now.state.x, &[0.25, 1.0]), 1e-12);
}

/// State variables and discrete values beside a contact do not change its normal force.
#[test]
fn friction_beside_other_variables_is_the_same() {
    for other in ["", "discrete b = 1", "state p' = 1"] {
        let text = format!(
            "parameter g = 9.81\ncoordinate x, y\n{other}\nkinetic (x'^2 + y'^2)/2\npotential g*y
             constraint slope: y = 0.75*x\nfriction on slope: coefficient 0.3, velocity x'/0.8
             initial x' = 0.5\noutput N = reaction(slope), a = x''"
        );
        let mut model = load(&text);
        let state = start(&mut model);
        let now = evaluate(&model, &state);
        below(other, apart(&now.outputs, &[9.81 * 0.8, -9.81 * 0.8 * (0.6 + 0.3 * 0.8)]), 1e-10);
    }
}

/// A plain zero fits every unit.
#[test]
fn zeros_in_vectors_have_every_unit() {
    let model =
        "parameter m = 1 {kg}, g = 9.81 {m/s^2}\ncoordinate x {m}, y {m}\nkinetic m/2*(x'^2 + y'^2)\n";
    for rest in [
        "force [0, -m*g] at [x, y]",
        "force [2 {N}, 0] at [x, y]",
        "force [2 {N}, 0 {N}] at [x, 0]",
        "work dot([0, -m*g], delta([x, y]))",
        "potential dot([0, m*g], [x, y])",
    ] {
        load(&format!("{model}{rest}"));
    }
}

/// The force of control on a joint that closes a loop is an input of its own; its drive was 0.
#[test]
fn the_drive_of_a_controlled_closing_joint_is_refused() {
    let text = "gravity [0, 0]\nbody A: rod 1 from [0, 0] to [1, 0]\njoint P: pin ground to A\njoint Q: pin ground to A, cut
                require r: Q'' = 2\nactuate Q\noutput d = drive(Q)\ninitial P' = 1";
    assert!(
        refusal(text).iter().any(|d| d.message.contains("the drive of `Q` is not known")),
        "{:?}",
        refusal(text)
    );
}
