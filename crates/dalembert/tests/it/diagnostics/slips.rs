//! Slips of people who come from other languages: what is said, and what the text becomes when it is followed.

use super::said;
use dalembert::{Overrides, Source, elaborate};

/// The first diagnostic of a text: its code, its help, and the line it is about with the suggestion followed.
fn mended(text: &str) -> (String, String) {
    let source = Source::new("model.dal", text);
    let (_, diagnostics) = elaborate::read(&source, &Overrides::default());
    let first = diagnostics.first().expect("something is wrong");
    let text = match &first.suggestion {
        Some((span, replacement)) => {
            let mut text = text.to_owned();
            text.replace_range(span.range(), replacement);
            text
        }
        None => format!("{} / {}", first.message, first.help.clone().unwrap_or_default()),
    };
    (first.code.id().to_owned(), text)
}

const HEAD: &str = "parameter m = 1, k = 2\ncoordinate x, theta\nkinetic m/2*x'^2 + theta'^2/2\n";

#[test]
fn what_people_write_first_is_mended_in_one_step() {
    let cases = [
        ("potential sin^2(theta)", "E0212", "potential sin(theta)^2"),
        ("potential k*cos**2 (x + theta) - 1", "E0212", "potential k*cos(x + theta)^2 - 1"),
        ("initial theta = 30 deg", "E0213", "initial theta = 30 {deg}"),
        ("parameter c = 30 cm, d = 1", "E0213", "parameter c = 30 {cm}, d = 1"),
        ("simulate until 10 s", "E0213", "simulate until 10 {s}"),
        ("lagrangian 0.5 m x'^2", "E0206", "lagrangian 0.5*m*x'^2"),
        ("potential 1/2 k x^2 theta + 1", "E0206", "potential 1/2*k*x^2*theta + 1"),
        ("potential m k (x - 1)", "E0206", "potential m*k (x - 1)"),
        ("// the spring", "E0214", "# the spring"),
        ("potential k*x // linear", "E0214", "potential k*x # linear"),
        ("% the spring", "E0214", "# the spring"),
        ("c = 1", "E0203", "parameter c = 1"),
        ("c = -0.5 {N}", "E0203", "parameter c = -0.5 {N}"),
        ("c = k*x", "E0203", "let c = k*x"),
        ("simulate 10", "E0215", "simulate until 10"),
        ("potential cos^2 theta", "E0212", "potential cos(theta)^2"),
        ("potential tan^-1(theta)", "E0212", "potential atan(theta)"),
        ("parameter c = 3 N/m", "E0213", "parameter c = 3 {N/m}"),
        ("parameter c = 3 [N/m]", "E0213", "parameter c = 3 {N/m}"),
        ("parameter c = 9.81 m/s^2, d = 1", "E0213", "parameter c = 9.81 {m/s^2}, d = 1"),
        ("initial theta = 30 degrees", "E0213", "initial theta = 30 {deg}"),
        ("initial theta = 30°", "E0101", "initial theta = 30 {deg}"),
        ("initial theta = 30 - 2 deg", "E0213", "initial theta = 30 - 2 {deg}"),
        ("potential 0.5 m*g*x", "E0206", "potential 0.5*m*g*x"),
        ("/* the spring */", "E0214", "# the spring"),
        ("params c = 1", "E0203", "parameter c = 1"),
        ("V = k*x^2", "E0203", "potential k*x^2"),
        ("x = 3", "E0203", "initial x = 3"),
        ("theta' = 3", "E0203", "initial theta' = 3"),
        ("initial theta(0) = 1", "E0201", "initial theta = 1"),
        ("simulate until 10 step 0.01", "E0201", "simulate until 10 every 0.01"),
        ("draw rod [0, 0], [x, 0]", "E0201", "draw line [0, 0], [x, 0]"),
        ("simulate until 10 with rk4", "E0201", "simulate until 10 method rk4"),
        ("simulate for 10 every 0.1", "E0215", "simulate until 10 every 0.1"),
        ("force -k*x on x", "E0216", "force x = -k*x"),
    ];
    for (line, code, right) in cases {
        let (found, text) = mended(&format!("{HEAD}{line}\n"));
        assert_eq!(found, code, "{line}: {text}");
        assert_eq!(text.lines().last(), Some(right), "{line}");
    }
}

/// What is mended can be read, unless another slip is left in it.
#[test]
fn the_mended_text_is_read() {
    for line in
        ["potential sin^2(theta)", "lagrangian 0.5 m x'^2", "initial theta = 30 deg", "c = 1", "simulate 10"]
    {
        let (_, text) = mended(&format!("{HEAD}{line}\n"));
        let (system, diagnostics) = elaborate::read(&Source::new("model.dal", text), &Overrides::default());
        assert!(system.is_some() && diagnostics.is_empty(), "{line}: {diagnostics:?}");
    }
}

#[test]
fn names_of_units_that_the_model_declares_are_factors() {
    let (code, text) = mended(&format!("{HEAD}potential 3 m x\n"));
    assert_eq!(code, "E0206");
    assert!(text.ends_with("potential 3*m*x\n"), "{text}");
}

#[test]
fn used_before_declared_says_where_it_is_declared() {
    let text = format!("{HEAD}potential b*x\nparameter b = 2\n");
    let source = Source::new("model.dal", text);
    let (_, diagnostics) = elaborate::read(&source, &Overrides::default());
    let first = &diagnostics[0];
    assert_eq!(first.message, "`b` is used before it is declared");
    let (place, label) = &first.labels[0];
    assert_eq!((source.slice(*place), label.as_str()), ("b", "declared here"));
    assert_eq!(source.line_at(*place), "parameter b = 2");
}

#[test]
fn a_partial_derivative_over_time_is_warned_of_where_it_is_zero() {
    let (code, text) = mended(&format!("{HEAD}force x = -k*diff(x, t)\n"));
    assert_eq!(code, "W0430");
    assert!(text.ends_with("force x = -k*x'\n"), "{text}");
    let (code, text) = mended(&format!("{HEAD}let P = x*theta\nforce x = -k*diff(P + x, t)\n"));
    assert_eq!(code, "W0430");
    assert!(text.ends_with("force x = -k*(P + x)'\n"), "{text}");
    // A partial derivative of what depends on time is meant.
    let source = Source::new("model.dal", format!("{HEAD}force x = diff(x*sin(t), t)\n"));
    assert!(elaborate::read(&source, &Overrides::default()).1.is_empty());
}

/// A declaration that names a range is the only thing that is said, not every use of its members.
#[test]
fn a_range_of_bodies_is_one_mistake() {
    let uses = "joint J[1]: pin ground to P[1]\njoint J[2]: pin P[1] at [0, -1] to P[2]\ninitial J[1] = 0.3\n\
                spring s: 3 at J[2]\noutput b = P[2].x, f = torque(J[1]), g = force(P[1])\nconstraint P[1].x = P[2].x\n";
    let text = |bodies: &str| format!("gravity [0, -9.81]\n{bodies}\n{uses}");
    let told = said(&text("body P[1..2]: point 1 at [0, -1]"));
    assert!(told.contains("`body` declares one `P`, not a range of them"), "{told}");
    assert!(told.contains("for i in 1..N { body P[i] ... }"), "{told}");
    assert_eq!(told.matches("error[").count(), 1, "{told}");
    let twice = said(&text("body P[1..2]: point 1 at [0, -1]\ntable road[1..2] = [[0, 0], [1, 1]]"));
    assert_eq!(twice.matches("error[").count(), 2, "{twice}");
}

/// Bodies and joints as other tools write them: the message names our form.
#[test]
fn bodies_in_the_words_of_other_tools() {
    let of = |body: &str| said(&format!("gravity [0, -9.81]\nparameter m = 1, l = 0.5\n{body}\n"));
    for (text, message, help) in [
        (
            "body a: rod mass m from [0, 0] to [0, -l]",
            "the mass follows `rod` directly",
            "write `rod m from P to Q`",
        ),
        ("body a: rod m length l", "`rod` has no `length`", "write `rod m from P to Q`"),
        (
            "body a: ball m, radius l",
            "sizes of a shape have no commas between them",
            "write `ball m radius r`",
        ),
        ("body a: mass m inertia 1", "a comma belongs before `inertia`", "body a: mass m, inertia 1"),
        (
            "body a: rod m from [0, 0] to [0, -l]\njoint J: pin ground to a, damping 3",
            "`damping` of a joint is a statement of its own",
            "write `damper D: c at J` after the joint",
        ),
    ] {
        let told = of(text);
        assert!(told.contains(message) && told.contains(help), "{text}\n{told}");
        assert_eq!(told.matches("error[").count(), 1, "{text}\n{told}");
    }
    // Names that a model gives are still names.
    let model = "gravity [0, -9.81]\nparameter mass = 1, length = 0.5\nbody a: rod mass*length from [0, 0] to [0, -length]\n\
                 body b: rod mass from [0, 0] to [0, -length]\njoint J: pin ground to a\njoint K: pin a to b\n";
    assert_eq!(crate::support::load(model).system.frame.speeds.len(), 2);
}
