//! Statements about bodies as text: read, written back, read again.

use dalembert::Source;
use dalembert::syntax::{format, parse};

fn formatted(text: &str) -> String {
    let (ast, said) = parse(&Source::new("model.dal", text));
    assert!(said.is_empty(), "{said:?}");
    let out = format(&ast);
    let (again, said) = parse(&Source::new("model.dal", out.as_str()));
    assert!(said.is_empty() && again.without_spans() == ast.without_spans(), "{out}");
    out
}

#[test]
fn statements_are_written_as_they_are_read() {
    for text in [
        "gravity [0, 0, -g]",
        "body B: mass m, centre [0, 0, h], inertia [a, b, c] about origin",
        "body B: rod m from [0, 0] to [l, 0] + point 2*m at [l, 0]",
        "body B: cylinder m radius r from P to Q + (a + b)",
        "body wheel[i]: disk m radius r axis [0, 1, 0] at P",
        "body B: box m size [a, b, c]",
        "frame F: B at P turned axis [0, 0, 1] by pi/2",
        "frame F: B turned rpy(0, pi/2, 0)",
        "joint J: pin ground to B",
        "joint J[i]: pin B[i-1] at [l, 0] to B[i], axis [0, 1, 0], limits -1..1, armature 0.1, cut",
        "joint J: universal A to B, axes [1, 0, 0], [0, 1, 0], limits first -1..1, restitution 0.5",
        "joint J: screw pitch h A at P turned R to B at Q",
        "joint J: rod length (a + b) A to B",
        "spring s: k length l0 between P of A and [0, 0]",
        "spring s: 3 angle pi/2 at J",
        "spring s: k at J.slide",
        "damper d: c between A and Q + 2*u of B",
        "bushing U: [k, k, 0], [c, c, 0] between F and G",
        "torque [0, 0, T] on B from A",
        "torque T on B",
        "initial J.turn = 1, disk.wx ~ 2, J[2].x' = 3",
        "force J.wx = tau",
        "actuate J.turn, K",
        "output a = (P of B)', b = 2*u in F, c = (P of B[i]).x, d = -P of B",
    ] {
        assert_eq!(formatted(text), format!("{text}\n"));
    }
}

#[test]
fn a_plus_before_the_name_of_a_shape_begins_a_part() {
    assert_eq!(
        formatted("body B: point m + box m size [1, 1, 1]"),
        "body B: point m + box m size [1, 1, 1]\n"
    );
    assert_eq!(formatted("body B: point (m + box)"), "body B: point (m + box)\n");
}
