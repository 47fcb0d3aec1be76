//! Quaternions and direction cosines that start off their surface are brought there, and that is said.

use crate::support::*;
use dalembert::Workspace;
use dalembert::diagnostic::Code;

fn body(initial: &str) -> String {
    format!(
        "coordinate e0, e1, e2, e3\nspeed w1, w2, w3\n\
         kinematics e0' = (-e1*w1 - e2*w2 - e3*w3)/2\nkinematics e1' = (e0*w1 + e2*w3 - e3*w2)/2\n\
         kinematics e2' = (e0*w2 + e3*w1 - e1*w3)/2\nkinematics e3' = (e0*w3 + e1*w2 - e2*w1)/2\n\
         kinetic (w1^2 + 2*w2^2 + 3*w3^2)/2\npotential 9.81*(1 - 2*(e1^2 + e2^2))\ninitial w1 = 1, w2 = 0.2, {initial}\n"
    )
}

fn warned(model: &Workspace) -> usize {
    model.diagnostics.iter().filter(|d| d.code == Code::StartScaled).count()
}

fn length(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[test]
fn a_quaternion_given_with_few_digits_is_scaled_to_a_rotation_and_that_is_said() {
    let mut model = load(&body("e0 = 0.9, e1 = 0.3, e2 = 0.3, e3 = 0.0995"));
    assert_eq!(warned(&model), 1);
    let state = start(&mut model);
    below("length", (length(&state.x) - 1.0).abs(), 1e-15);
    below("moved", (state.x[0] - 0.9).abs(), 1e-4);
    assert_eq!(warned(&model), 1, "it is said once");
    let given = model.start_at(0.0, Some(&[0.6, 0.79999, 0.0, 0.0, 0.0, 0.0, 0.0])).unwrap();
    below("length of a given state", (length(&given.state.x) - 1.0).abs(), 1e-15);
    assert_eq!(warned(&model), 2);
}

#[test]
fn coordinates_that_are_given_stay_where_others_can_give_way() {
    let mut model = load(&body("e0 ~ 1, e1 = 0.1"));
    assert_eq!(warned(&model), 1);
    let state = start(&mut model);
    assert_eq!(state.x[1], 0.1);
    below("length", (length(&state.x) - 1.0).abs(), 1e-15);
}

#[test]
fn exact_rotations_pass_in_silence_and_other_lengths_are_kept_but_said() {
    for exact in
        ["e0 = 1", "e0 = 0.6, e1 = 0.8", "e0 = cos(0.3), e3 = sin(0.3)", "e0 = 1/sqrt(2), e2 = -1/sqrt(2)"]
    {
        assert_eq!(warned(&load(&body(exact))), 0, "{exact}");
    }
    let mut model = load(&body("e0 = 1, e1 = 1"));
    assert_eq!(warned(&model), 1);
    assert_eq!(start(&mut model).x[..2], [1.0, 1.0]);
}

#[test]
fn unit_vectors_are_scaled_and_vectors_of_other_lengths_are_not_touched() {
    let vector = |initial: &str| {
        format!(
            "coordinate a, b, c\nspeed w1, w2, w3\nkinematics a' = b*w3 - c*w2\nkinematics b' = c*w1 - a*w3\n\
             kinematics c' = a*w2 - b*w1\nkinetic (w1^2 + 2*w2^2 + 3*w3^2)/2\npotential 9.81*c\ninitial {initial}\n"
        )
    };
    let mut model = load(&vector("a = 0.6, b = 0.0001, c = 0.80001"));
    assert_eq!(warned(&model), 1);
    below("length", (length(&start(&mut model).x) - 1.0).abs(), 1e-15);
    let mut model = load(&vector("a = 3, b = 0.1, c = 9"));
    assert_eq!(warned(&model), 0);
    assert_eq!(start(&mut model).x, [3.0, 0.1, 9.0]);
}
