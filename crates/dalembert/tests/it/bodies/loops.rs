//! Loops in space that are redundant on purpose: they close and move.

use crate::support::{below, load, run, start, stray, until};
use dalembert::constraint_kind::Freedom;
use dalembert::diagnostic::Code;
use dalembert::run::Flow;

/// Four bars with skew axes, opposite ones equal: a/sin(alpha) = b/sin(beta). Gruebler counts -2, and it moves.
#[test]
fn a_bennett_linkage_closes_and_moves() {
    let mut model = load(
        "parameter alpha = 0.6, a = 1, beta = 1.1, b = a*sin(beta)/sin(alpha)
        gravity [0, 0, -9.81]
        body one: rod 1 from [0, 0, 0] to [a, 0, 0]
        body two: rod 2 from [0, 0, 0] to [b, 0, 0]
        body three: rod 1 from [0, 0, 0] to [a, 0, 0]
        joint q1: pin ground to one
        joint q2: pin one at [a, 0, 0] turned axis [1, 0, 0] by alpha to two
        joint q3: pin two at [b, 0, 0] turned axis [1, 0, 0] by beta to three
        joint q4: pin three at [a, 0, 0] turned axis [1, 0, 0] by alpha to ground at [-b, 0, 0] turned axis [1, 0, 0] by -beta
        initial q1 = 0.8, q1' = 1, q2 ~ 2, q3 ~ -0.8
        output E = energy",
    );
    let state = start(&mut model);
    let (_, freedom) = Freedom::at_start(&mut model).unwrap_or_else(|d| panic!("{}", d.message));
    assert_eq!((freedom.rank, freedom.degrees(&model)), (2, 1));
    let mobility = dalembert::mobility::Mobility::at(&model, &state).expect("there are bodies");
    assert_eq!(mobility.counted, -2);
    let motion = run(&mut model, &until(1.0));
    below("energy", stray(&motion, "E"), 1e-6);
}

/// All axes meet in a point: three rows of six are dependent.
#[test]
fn a_spherical_four_bar_closes_and_moves() {
    let mut model = load(
        "gravity [0, 0, -9.81]
        body one: ball 1 radius 0.2 at [0.5, 0, 0]
        body two: ball 1 radius 0.2 at [0.5, 0, 0]
        body three: ball 1 radius 0.2 at [0.5, 0, 0]
        joint q1: pin ground to one
        joint q2: pin one turned axis [1, 0, 0] by 0.5 to two
        joint q3: pin two turned axis [1, 0, 0] by 1.2 to three
        joint q4: pin three turned axis [1, 0, 0] by 0.9 to ground turned axis [1, 0, 0] by 1.1
        initial q1 = 0.4, q1' = 1, q2 ~ 1, q3 ~ 1
        output E = energy",
    );
    let (_, freedom) = Freedom::at_start(&mut model).unwrap_or_else(|d| panic!("{}", d.message));
    assert_eq!((freedom.rank, freedom.degrees(&model)), (2, 1));
    let motion = run(&mut model, &until(1.0));
    below("energy", stray(&motion, "E"), 1e-6);
}

/// Hinges share the weight of a door, whichever one of them is cut.
#[test]
fn redundant_hinges_share_their_forces() {
    let door = |first: &str, second: &str| {
        let mut model = load(&format!(
            "gravity [0, 0, -9.81]
            body door: box 20 size [0.8, 0.04, 2] at [0.4, 0, 0]
            joint lower: pin ground at [0, 0, -0.6] to door at [0, 0, -0.6]{first}
            joint upper: pin ground at [0, 0, 0.6] to door at [0, 0, 0.6]{second}
            output low = force(lower), up = force(upper), turn = torque(lower) + torque(upper)"
        ));
        let state = start(&mut model);
        crate::support::evaluate(&model, &state).outputs
    };
    let outputs = door("", "");
    below("weight", (outputs[2] + outputs[5] - 196.2).abs(), 1e-10);
    below("halves", (outputs[2] - outputs[5]).abs(), 1e-10);
    // Moments about the lower hinge: of the weight, of the upper hinge, and of both torques.
    below("moment", (outputs[7] + 1.2 * outputs[3] + 196.2 * 0.4).abs(), 1e-9);
    for other in [door(", cut", ""), door("", ", cut")] {
        outputs.iter().zip(other).take(9).for_each(|(a, b)| below("cut elsewhere", (a - b).abs(), 1e-9));
    }
}

/// Statics decides the sum of vertical forces and the moments, and nothing of what each hinge carries.
#[test]
fn unique_combinations_of_a_door_are_told() {
    let text = "gravity [0, 0, -9.81]
        body door: box 20 size [0.8, 0.04, 2] at [0.4, 0, 0]
        joint lower: pin ground at [0, 0, -0.6] to door at [0, 0, -0.6]
        joint upper: pin ground at [0, 0, 0.6] to door at [0, 0, 0.6]
        output low = force(lower), up = force(upper), turn = torque(lower) + torque(upper), size = norm(low)";
    let mut model = load(text);
    let state = start(&mut model);
    let note = model.unique_forces_at(&state).expect("the loop is redundant");
    for name in ["`low.x`", "`up.z`", "`turn.y`", "`size`"] {
        assert!(note.message.contains(name), "{}", note.message);
    }
    assert!(!note.message.contains("`turn.z`"), "{}", note.message);
    let help = note.help.unwrap_or_default();
    for told in ["`low.x + up.x`", "`low.z + up.z`", "`low.x - 0.8333*turn.y`"] {
        assert!(help.contains(told), "{told} is not in {help}");
    }
    // A loop that is not redundant leaves nothing open.
    let mut single = load(
        "gravity [0, -9.81]\nbody a: rod 1 from [0, 0] to [2, 1.5]\nbody b: rod 1 from [0, 0] to [2, -1.5]
        joint A: pin ground to a\njoint B: pin a at [2, 1.5] to b\njoint C: pin b at [2, -1.5] to ground at [4, 0]
        output F = force(C)",
    );
    let state = start(&mut single);
    assert!(single.unique_forces_at(&state).is_none());
}

/// Two pins on one line: five rows that say nothing new, and ten of a free door of which five do.
#[test]
fn a_door_on_two_hinges_counts_its_rows() {
    let door = |cut: &str| {
        format!(
            "gravity [0, 0, -9.81]
            body door: box 20 size [0.8, 0.04, 2] at [0.4, 0, 0]
            joint lower: pin ground at [0, 0, -0.6] to door at [0, 0, -0.6]{cut}
            joint upper: pin ground at [0, 0, 0.6] to door at [0, 0, 0.6]{cut}"
        )
    };
    for (cut, rows, rank) in [("", 5, 0), (", cut", 10, 5)] {
        let mut model = load(&door(cut));
        let (_, freedom) = Freedom::at_start(&mut model).unwrap_or_else(|d| panic!("{}", d.message));
        assert_eq!((model.system.constraints.rows.len(), freedom.rank), (rows, rank));
        assert_eq!(freedom.degrees(&model), 1);
    }
}

/// A loop that its joints lock, at rest and without weight: every force is rounding, and nothing disagrees.
#[test]
fn a_locked_loop_without_forces_is_not_refused() {
    let text = "body b0: mass 1.154, centre [0.979, 0.04, 0.512], inertia [0.3, 0.4, 0.5]
        body b1: mass 1.01, centre [-0.552, -0.672, 0.025], inertia [0.3, 0.4, 0.5]
        body b2: mass 1.772, centre [0.787, -0.354, 0.54], inertia [0.3, 0.4, 0.5]
        joint j0: pin ground turned rpy(-0.633, -0.761, -0.959) to b0, axis [0, 0, 1]
        joint j1: pin b0 at [0.504, 0.978, 0] to b1, axis [0, 1, 0]
        joint j2: pin b1 at [0.774, -0.493, 0] to b2, axis [0, 1, 0]
        joint C0: planar b2 at [0.927, -0.046, 0] to ground at [0.621, 0.335, 0.027] \
            turned rpy(-0.633, -0.761, -0.959), axis [0, 0, 1], cut
        initial j1' ~ -0.482";
    let motion = run(&mut load(text), &until(0.05));
    let (first, last) = (motion.table.row(0), motion.table.row(motion.table.rows().count() - 1));
    assert!(first[1..4].iter().zip(&last[1..4]).all(|(a, b)| (a - b).abs() < 1e-9), "it is locked");
}

/// At t = 0.0024 all that is left of the row of a torque is rounding of the others (E0510 before).
#[test]
fn a_row_that_is_rounding_contradicts_nothing() {
    let text = "gravity [0, 0, -9.81]
        body b0: mass 1.456, centre [0.855, -0.47, 0.754], inertia [0.3, 0.4, 0.5]
        body b1: mass 1.959, centre [-0.25, 0.146, -0.824], inertia [0.3, 0.4, 0.5]
        body b2: mass 1.504, centre [0.592, 0.662, 0.215], inertia [0.3, 0.4, 0.5]
        body b3: mass 0.997, centre [-0.719, -0.147, 0.25], inertia [0.3, 0.4, 0.5]
        joint j0: pin ground turned rpy(0.283, -0.856, -0.86) to b0, axis [1, 0, 0]
        joint j1: pin b0 at [0.679, -0.351, 0] to b1, axis [1, 0, 0]
        joint j2: pin b1 at [0.919, 0.944, 0] to b2, axis [1, 0, 0]
        joint j3: slider b2 at [0.957, -0.74, 0] to b3, axis [1, 0, 0]
        joint C0: universal b3 at [0.527, -0.812, 0] to ground at [0.791, 0.016, -0.022] \
            turned rpy(0.283, -0.856, -0.86), cut";
    let motion = run(&mut load(text), &until(0.05));
    let (_, deviation) = motion.energy.expect("known");
    below("energy", deviation, 1e-8);
}

/// A space loop of four joints that cannot move: a given speed is refused, and no quaternion shrinks to make it possible.
#[test]
fn a_speed_that_a_structure_cannot_have_is_refused() {
    let text = "gravity [0, 0, -9.81]
body b0: mass 1.669, centre [0.0479, 0.3242, 0.0807], inertia [0.167, 0.194, 0.142]
body b1: mass 1.735, centre [0.5456, -0.0312, -0.1362], inertia [0.160, 0.172, 0.125]
body b2: mass 1.417, centre [0.1225, -0.3788, -0.0855], inertia [0.103, 0.168, 0.132]
joint J0: pin ground to b0, axis [0.634, 0.1164, 0.0033]
joint J1: pin b0 at [0.0958, 0.6485, 0.1614] to b1, axis [-0.8525, -0.4156, 0.2626]
joint J2: ball b1 at [1.0913, -0.0624, -0.2724] to b2
joint J3: pin b2 at [0.245, -0.7576, -0.171] to ground at [1.4321, -0.1715, -0.282], axis [-0.0339, 0.654, 0.9811]
initial J0' = 2";
    let refused = load(text).start().expect_err("the structure is rigid").message;
    assert!(refused.contains("no starting speeds satisfy"), "{refused}");
    assert!(refused.contains("the rates of its sides differ"), "{refused}");
}

/// Which joint is cut changes the coordinates, not the start: of all motions with the given speed the one of least energy.
#[test]
fn the_start_does_not_depend_on_the_cut() {
    let text = |cut: usize| {
        let tail = |k: usize| if k == cut { ", cut" } else { "" };
        format!(
            "gravity [0, -9.81]
body a: mass 1.2, centre [0.2, 0.3], inertia 0.1
body b: mass 0.7, centre [0.4, 0.1], inertia 0.05
body c: mass 1.5, centre [0.3, -0.2], inertia 0.2
body d: mass 0.9, centre [0.1, -0.2], inertia 0.08
joint J0: pin ground to a
joint J1: pin a at [0.4, 0.6] to b{}
joint J2: pin b at [0.8, 0.2] to c{}
joint J3: pin c at [0.6, -0.4] to d{}
joint J4: pin d at [0.2, -0.4] to ground at [2, 0]{}
initial J0' = 2",
            tail(1),
            tail(2),
            tail(3),
            tail(4)
        )
    };
    let energies: Vec<f64> = (1..5)
        .map(|cut| {
            let mut model = load(&text(cut));
            let state = start(&mut model);
            model.evaluate(&state).expect("numbers").energy.expect("an energy")
        })
        .collect();
    for energy in &energies {
        assert!((energy - energies[0]).abs() < 1e-12 * energies[0].abs(), "{energies:?}");
    }
}

/// Two bars that are stretched between two pins can have speeds, and no accelerations that go with them. Where the places are
/// off by rounding, a row of the closure is rounding too: it is no row of its own.
#[test]
fn stretched_bars_that_are_off_by_rounding_do_not_move() {
    for (angle, end) in [("0", "[2, 0]"), ("pi", "[-2, 2.4492935982947064e-16]"), ("pi", "[-2, 1e-15]")] {
        let text = format!(
            "gravity [0, 0]\nbody a: rod 1 from [0, 0] to [1, 0]\nbody b: rod 1 from [0, 0] to [1, 0]\n\
             joint A: pin ground to a\njoint B: pin a at [1, 0] to b\njoint C: pin b at [1, 0] to ground at {end}\n\
             initial A ~ {angle}, B ~ 0, A' = -1.25"
        );
        let mut model = load(&text);
        let code = match model.simulate(&until(1.0), |_| Flow::Continue) {
            Ok(motion) => motion.failure.expect("these bars cannot move").code,
            Err(refused) => refused.code,
        };
        let told = [Code::DegenerateConfiguration, Code::ContradictoryConstraints];
        assert!(told.contains(&code), "{end}: {code:?}");
    }
}
