//! `analyze`: integrability of constraints against a table of known sets, and laws that its answers obey.

use crate::support::*;
use dalembert::analyze::{Analysis, Certainty, RowKind, Verdict, analyze};
use dalembert::{Overrides, Source, Workspace};

fn ask(text: &str) -> Analysis {
    analyze(&mut load(text)).unwrap_or_else(|d| panic!("{}", d.message))
}

/// A model with the given coordinates and velocity constraints.
fn pfaffian(coordinates: &str, rows: &[&str]) -> String {
    let kinetic: Vec<String> = coordinates.split(',').map(|c| format!("{}'^2/2", c.trim())).collect();
    let rows: Vec<String> =
        rows.iter().enumerate().map(|(k, row)| format!("constraint c{k}: {row} = 0\n")).collect();
    format!("coordinate {coordinates}\nkinetic {}\n{}", kinetic.join(" + "), rows.concat())
}

/// What the constraints keep constant.
fn kept(said: &Analysis) -> Vec<&str> {
    said.set.integrals.iter().map(|i| i.expression.as_str()).collect()
}

/// id, coordinates, rows, verdict, rank, growth, closure, integrals, exact, alone
type Known = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static str,
    usize,
    &'static [usize],
    usize,
    &'static [&'static str],
    &'static [bool],
    &'static [bool],
);

/// Table G of the reference answers, and sets of the same kinds with known growth.
const TABLE: &[Known] = &[
    ("G01", "x, y, z", &["y*x' + x*y'"], "holonomic", 1, &[2], 2, &["x*y"], &[true], &[true]),
    ("G02", "x, y, z", &["y*x' - x*y'"], "holonomic", 1, &[2], 2, &["x/y"], &[false], &[true]),
    (
        "G03",
        "x, y, z",
        &["y*z*x' + 2*x*z*y' + 3*x*y*z'"],
        "holonomic",
        1,
        &[2],
        2,
        &["x*y^2*z^3"],
        &[false],
        &[true],
    ),
    (
        "G04",
        "x, y, z",
        &["x*x' + y*y' + z*z'"],
        "holonomic",
        1,
        &[2],
        2,
        &["x^2 + y^2 + z^2"],
        &[true],
        &[true],
    ),
    ("G05", "x, y, z", &["z' - y*x'"], "nonholonomic", 1, &[2, 3], 3, &[], &[false], &[false]),
    (
        "G06",
        "x, y, theta",
        &["sin(theta)*x' - cos(theta)*y'"],
        "nonholonomic",
        1,
        &[2, 3],
        3,
        &[],
        &[false],
        &[false],
    ),
    (
        "G07",
        "x, y, theta, phi",
        &["x' - cos(phi)/2*theta'", "y' - sin(phi)/2*theta'"],
        "nonholonomic",
        2,
        &[2, 3, 4],
        4,
        &[],
        &[false, false],
        &[false, false],
    ),
    ("G08", "x, theta", &["x' - theta'/2"], "holonomic", 1, &[1], 1, &["2*x - theta"], &[true], &[true]),
    (
        "G09",
        "x, y, psi, theta1, theta2",
        &[
            "-sin(psi)*x' + cos(psi)*y'",
            "cos(psi)*x' + sin(psi)*y' + 3/4*psi' - theta1'/2",
            "cos(psi)*x' + sin(psi)*y' - 3/4*psi' - theta2'/2",
        ],
        "mixed",
        3,
        &[2, 3, 4],
        4,
        &["3*psi - theta1 + theta2"],
        &[false, false, false],
        &[false, false, false],
    ),
    (
        "G10",
        "x, y, z, w",
        &["y' - z*x'", "z' - w*x'"],
        "nonholonomic",
        2,
        &[2, 3, 4],
        4,
        &[],
        &[false, false],
        &[false, false],
    ),
    ("G19", "x, y", &["x' - 2*t"], "holonomic", 1, &[2], 2, &["x - t^2"], &[true], &[true]),
    ("G20", "x, y", &["x' - y"], "nonholonomic", 1, &[2, 3], 3, &[], &[false], &[false]),
    // Car with one and with two trailers: Goursat.
    (
        "car",
        "x, y, theta, phi",
        &["sin(theta)*x' - cos(theta)*y'", "sin(theta + phi)*x' - cos(theta + phi)*y' - cos(phi)*theta'"],
        "nonholonomic",
        2,
        &[2, 3, 4],
        4,
        &[],
        &[false, false],
        &[false, false],
    ),
    (
        "trailers",
        "x, y, a, b, c",
        &[
            "sin(a)*x' - cos(a)*y'",
            "sin(b)*x' - cos(b)*y' - cos(b - a)*a'",
            "sin(c)*x' - cos(c)*y' - cos(c - a)*a' - cos(c - b)*b'",
        ],
        "nonholonomic",
        3,
        &[2, 3, 4, 5],
        5,
        &[],
        &[false; 3],
        &[false; 3],
    ),
    // Snakeboard: wheels at both ends turn oppositely, rotor psi.
    (
        "snakeboard",
        "x, y, theta, psi, phi",
        &[
            "-sin(theta + phi)*x' + cos(theta + phi)*y' - 2/5*cos(phi)*theta'",
            "-sin(theta - phi)*x' + cos(theta - phi)*y' + 2/5*cos(phi)*theta'",
        ],
        "nonholonomic",
        2,
        &[3, 4, 5],
        5,
        &[],
        &[false, false],
        &[false, false],
    ),
    // Unit ball on a plane in zyx Euler angles.
    (
        "ball",
        "x, y, a, b, c",
        &["x' + sin(a)*b' - cos(a)*cos(b)*c'", "y' - cos(a)*b' - sin(a)*cos(b)*c'"],
        "nonholonomic",
        2,
        &[3, 5],
        5,
        &[],
        &[false, false],
        &[false, false],
    ),
    // Together integrable, though the first is not alone.
    (
        "pair",
        "x, y, z",
        &["z' - y*x'", "y'"],
        "holonomic",
        2,
        &[1],
        1,
        &["y", "x*y - z"],
        &[false, true],
        &[false, true],
    ),
    // One of them, given twice.
    (
        "twice",
        "x, y, z",
        &["y*x' + x*y'", "2*y*x' + 2*x*y'"],
        "holonomic",
        1,
        &[2],
        2,
        &["x*y"],
        &[true, true],
        &[true, true],
    ),
    // Contact in five dimensions, Martinet's form, an integrable form that needs an exponential factor.
    (
        "contact5",
        "x, y, z, u, w",
        &["w' - y*x' - u*z'"],
        "nonholonomic",
        1,
        &[4, 5],
        5,
        &[],
        &[false],
        &[false],
    ),
    ("martinet", "x, y, z", &["z' - y^2*x'"], "nonholonomic", 1, &[2, 3], 3, &[], &[false], &[false]),
    (
        "exponential",
        "x, y",
        &["x' + (x + 1)*y'"],
        "holonomic",
        1,
        &[1],
        1,
        &["y + log(x + 1)"],
        &[false],
        &[true],
    ),
    (
        "cartan",
        "x, y, z, u, w",
        &["y' - z*x'", "z' - u*x'", "w' - u^2*x'"],
        "nonholonomic",
        3,
        &[2, 3, 5],
        5,
        &[],
        &[false; 3],
        &[false; 3],
    ),
];

#[test]
fn known_sets_are_classified() {
    for (id, coordinates, rows, verdict, rank, growth, closure, integrals, exact, alone) in TABLE {
        let said = ask(&pfaffian(coordinates, rows));
        let set = &said.set;
        assert_eq!(set.verdict.name(), *verdict, "{id}: {set:?}");
        assert_eq!(set.rank, *rank, "{id}");
        assert_eq!(set.growth.as_deref(), Some(*growth), "{id}");
        assert_eq!(set.closure, Some(*closure), "{id}");
        assert_eq!(said.rows.iter().map(|r| r.exact.unwrap()).collect::<Vec<_>>(), *exact, "{id}");
        assert_eq!(said.rows.iter().map(|r| r.integrable_alone.unwrap()).collect::<Vec<_>>(), *alone, "{id}");
        if !integrals.is_empty() || *verdict == "nonholonomic" {
            assert_eq!(kept(&said), *integrals, "{id}");
        }
        assert_eq!(
            set.integrals.len() + set.integrals_not_found,
            set.integrable_combinations.unwrap(),
            "{id}"
        );
    }
}

/// Every model is classified, and what is claimed to be constant is so: by the equations, exactly, and along a motion.
#[test]
fn every_model_can_be_asked() {
    let mut claimed = 0;
    for name in model_names() {
        let source = Source::new(name.clone(), model_text(&name));
        let Ok(mut model) = Workspace::load(&source, &Overrides::default()) else { continue };
        let said = analyze(&mut model).unwrap_or_else(|d| panic!("{name}: {}", d.message));
        assert_eq!(said.set.undecided, None, "{name}");
        let velocity = said.rows.iter().any(|row| !row.position);
        assert!(velocity || said.set.nonholonomic == Some(false), "{name}");
        for quantity in &said.conserved {
            claimed += 1;
            assert!(quantity.proved, "{name}: {quantity:?}");
            below(&format!("{name}: {}", quantity.name), quantity.drift.unwrap_or(f64::INFINITY), 1e-8);
            assert!(quantity.verified, "{name}: {quantity:?}");
        }
    }
    assert!(claimed > 60, "only {claimed} quantities were claimed");
}

fn names(said: &Analysis) -> Vec<&str> {
    said.conserved.iter().map(|c| c.name.as_str()).collect()
}

#[test]
fn textbook_systems_have_their_constants() {
    let known: [(&str, &[&str]); 9] = [
        (
            "kepler",
            &[
                "energy",
                "angular momentum in x, y",
                "angular momentum in x, z",
                "angular momentum in y, z",
                "Runge-Lenz vector along x",
                "Runge-Lenz vector along y",
                "Runge-Lenz vector along z",
            ],
        ),
        ("lagrange_top", &["energy", "momentum of phi", "momentum of psi"]),
        ("heavy_top", &["energy", "angular momentum in e0, e1, e2, e3"]),
        ("spherical_pendulum", &["energy", "angular momentum in x, y"]),
        ("spherical_pendulum_angles", &["energy", "momentum of phi"]),
        (
            "rolling_disk",
            &["energy", "momentum of psi", "boost along psi", "momentum with theta' on the constraints"],
        ),
        ("chaplygin_sleigh", &["energy"]),
        ("chaplygin_sleigh_quasi", &["energy"]),
        ("suslov", &["energy"]),
    ];
    for (name, wanted) in known {
        assert_eq!(names(&ask(&model_text(name))), wanted, "{name}");
    }
}

#[test]
fn nothing_is_claimed_for_forces_that_work() {
    let base = "parameter k = 2\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential k*(x^2 + y^2)^2\ninitial x = 1, y' = 0.5\n";
    assert_eq!(names(&ask(base)), ["energy", "angular momentum in x, y"]);
    let with = |more: &str| ask(&format!("{base}{more}\n"));
    assert!(with("dissipation 0.1*(x'^2 + y'^2)").conserved.is_empty());
    assert!(with("force x = sin(t)").conserved.is_empty());
    assert_eq!(names(&with("potential 0.1*x")), ["energy"]);
    assert_eq!(names(&with("potential 0.1*t*(x^2 + y^2)")), ["angular momentum in x, y"]);
    // Gyroscopic: no work.
    assert_eq!(names(&with("force [-3*y', 3*x']")), ["energy", "angular momentum in x, y"]);
    // A constraint that moves does work; one that is not ideal takes it.
    assert!(with("constraint belt: x = 1 + t/10").conserved.is_empty());
    assert!(with("constraint c: x' = 2*y'\nnonideal work -0.1*x'*delta(x)").conserved.is_empty());
}

/// A trap that drifts and turns keeps a moving energy, in speeds that drift and turn with it as in rates.
#[test]
fn frames_that_move_hide_nothing() {
    let trap = |speeds: &str| {
        format!(
            "parameter m = 1, w = 0.7, c = 0.4, k = 2, h = 1
             coordinate x, y
             {speeds}
             let X = (x - c*t)*cos(w*t) + y*sin(w*t), Y = y*cos(w*t) - (x - c*t)*sin(w*t)
             kinetic m/2*(x'^2 + y'^2)
             potential k/2*X^2 + h/2*Y^2
             initial x = 1, y = 0.5"
        )
    };
    let turning = "speed u = x'*cos(w*t) + y'*sin(w*t) - c, v = y'*cos(w*t) - x'*sin(w*t)";
    for speeds in ["", turning, "speed u = x' - c"] {
        assert_eq!(names(&ask(&trap(speeds))), ["moving energy"], "{speeds}");
    }
}

/// State variables are behind the speeds in tables, and before them in the equations.
#[test]
fn state_variables_do_not_hide_what_is_kept() {
    let base = "coordinate x\nstate z' = x - z\nkinetic x'^2/2\npotential x^2/2\ninitial x = 1\n";
    let said = ask(base);
    assert_eq!(names(&said), ["energy"], "{:?}", said.remarks);
    assert!(said.remarks.is_empty(), "{:?}", said.remarks);
    assert!(ask(&format!("{base}force x = -z\n")).conserved.is_empty());
}

#[test]
fn free_particles_have_boosts_and_falling_ones_too() {
    let said = ask(
        "parameter m = 1.2, g = 9.81\ncoordinate x, y\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\ninitial x' = 1",
    );
    for (name, expression) in [("momentum of y", "m*(y' + g*t)"), ("boost along x", "m*x'*t - m*x")] {
        let found =
            said.conserved.iter().find(|c| c.name == name).unwrap_or_else(|| panic!("{:?}", said.conserved));
        assert_eq!(found.expression, expression);
    }
}

#[test]
fn position_and_velocity_constraints_are_seen_together() {
    let head = "coordinate x, y, z, w\nkinetic (x'^2 + y'^2 + z'^2 + w'^2)/2\n";
    // On w = 0 alone the form is dz, on every other level it is the contact form.
    let special = ask(&format!("{head}constraint level: w = 0\nconstraint form: z' = w*y*x'\n"));
    assert_eq!((special.set.verdict, special.set.integrable_combinations), (Verdict::Holonomic, Some(2)));
    let general = ask(&format!("{head}constraint level: w = 1\nconstraint form: z' = w*y*x'\n"));
    assert_eq!((general.set.verdict, general.set.growth), (Verdict::Mixed, Some(vec![2, 3])));
    // Integrable on the sphere only together with it.
    let both = ask(&format!(
        "{head}constraint ball: x^2 + y^2 = 1\nconstraint form: z' = x*x'\nconstraint c: w' = 2*z*z'\n"
    ));
    assert_eq!((both.set.verdict, both.set.rank), (Verdict::Holonomic, 3));
}

#[test]
fn nonlinear_and_singular_rows_are_told_apart() {
    let head = "coordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\ninitial x' = 1, y' ~ 1\n";
    let cone =
        ask("coordinate x, y, z, w\nkinetic (x'^2 + y'^2 + z'^2 + w'^2)/2\ninitial x' = 1, y' ~ 1, z' ~ 1\n\
         constraint cone: x'^2 + y'^2 = z'^2\nconstraint plane: x = 2*w\n");
    assert_eq!(cone.rows[0].kind, RowKind::NonlinearNonholonomic);
    assert_eq!(
        (cone.set.verdict, cone.set.integrable_combinations, cone.set.rank),
        (Verdict::Mixed, Some(1), 2)
    );
    let square = ask(&format!("{head}constraint c: (y*x' + x*y')^2 = 0\n"));
    assert!(square.rows[0].factored && square.set.verdict == Verdict::Holonomic, "{square:?}");
    let drop = ask("coordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint c: y*x' = x*y'\n");
    assert_eq!((drop.set.rank, drop.set.rank_at_start), (1, Some(0)));
    assert_eq!(drop.set.singular[0].place, "x = 0, y = 0");
}

/// Nothing tells the brackets of a speed that moves no coordinate.
#[test]
fn constraints_on_speeds_that_move_nothing_are_undecided() {
    let said = ask("coordinate a\nspeed w1, w2, w3\nkinematics a' = w1\nmass [[1,0,0],[0,2,0],[0,0,3]]\n\
         force [0, 0, 0]\nconstraint k: w2 = a*w3\n");
    assert!(said.set.verdict == Verdict::Undecided && said.set.undecided.is_some(), "{said:?}");
}

/// Two planes written as one row, and a cone cut by a plane: what may be linear in disguise is decided for nobody.
#[test]
fn rows_that_may_be_linear_in_disguise_are_undecided() {
    let head = "coordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\ninitial x' = 1, y' ~ 1, z' ~ 1\n";
    for rows in ["constraint c: x'^2 = y'^2", "constraint c: x'^2 + y'^2 = z'^2\nconstraint d: y' = x'"] {
        let said = ask(&format!("{head}{rows}\n"));
        assert_eq!((said.rows[0].kind, said.rows[0].integrable_alone), (RowKind::Undecided, None), "{rows}");
        assert_eq!((said.set.verdict, said.set.nonholonomic), (Verdict::Undecided, None), "{rows}");
        assert_eq!(said.set.integrable_combinations, None, "{rows}");
        assert!(said.set.undecided.as_ref().is_some_and(|reason| reason.contains("`c`")), "{said:?}");
    }
    let cone = ask(&format!("{head}constraint c: x'^2 + y'^2 = z'^2\n"));
    assert_eq!((cone.set.nonholonomic, cone.set.undecided), (Some(true), None));
    // A linear row that cannot be integrated is nonholonomic whatever the other is.
    let both = ask(&format!("{head}constraint c: x'^2 = y'^2\nconstraint d: z' = y*x'\n"));
    assert!(both.set.nonholonomic == Some(true) && both.set.undecided.is_some(), "{both:?}");
}

#[test]
fn contradictions_and_absurd_rows_do_not_break_it() {
    let head = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\n";
    let torn = ask(&format!("{head}constraint a: x' = 1\nconstraint b: x' = 2\n"));
    assert!(torn.set.undecided.is_some() && torn.set.verdict == Verdict::Undecided);
    for row in [
        "x' = abs(y)*y'",
        "x' = (if y > 0 then y else 2)*y'",
        "x' = atan(y)*y'",
        "x' = y^y*y'",
        "x' = exp(log(y))*y'",
    ] {
        let said = ask(&format!("{head}constraint c: {row}\n"));
        assert_eq!(said.set.verdict, Verdict::Holonomic, "{row}");
        assert_eq!(said.set.growth, Some(vec![1]), "{row}");
    }
}

/// The worked examples of the theory say what the analysis says.
#[test]
fn the_worked_examples_of_the_manual_are_right() {
    let page = file_text("docs/theory.md");
    let example = |title: &str| {
        let from = page.find(&format!("system \"{title}\"")).expect("the example is there");
        page[from..].split("```").next().map(str::to_owned).unwrap_or_default()
    };
    let cart = ask(&example("Cart with two wheels"));
    assert_eq!((cart.set.verdict, cart.set.growth.clone()), (Verdict::Mixed, Some(vec![2, 3, 4])));
    assert_eq!(kept(&cart), ["2*b*psi - R*theta1 + R*theta2"]);
    assert!(page.contains(&format!("`{}`", kept(&cart)[0])));
    let masses = ask(&example("Two masses on a spring, falling"));
    assert!(names(&masses).contains(&"energy"));
    for expression in ["M*u' + m*x'", "M*w' + m*y' + g*t*(m + M)"] {
        assert!(masses.conserved.iter().any(|c| c.expression == expression), "{:?}", masses.conserved);
        assert!(page.contains(&format!("`{expression}`")));
    }
    assert_eq!(names(&masses).iter().filter(|name| name.contains("angular")).count(), 1);
}

/// Six distances under roots: points where all of them exist are found, and so are the ten classical constants.
#[test]
fn many_bodies_have_the_classical_integrals() {
    let said = ask("const N = 4
        parameter G = sqrt(7)
        coordinate x[1..N], y[1..N], z[1..N]
        kinetic sum(i in 1..N, i/2*(x[i]'^2 + y[i]'^2 + z[i]'^2))
        for i in 2..N { for j in 1..i-1 {
            potential -G*i*j/sqrt((x[i] - x[j])^2 + (y[i] - y[j])^2 + (z[i] - z[j])^2)
        } }
        for i in 1..N { initial x[i] = i, y[i] = i^2/3, z[i] = 0.1*i, y[i]' = 0.1*(i - 3) }
        simulate until 0.3");
    let count = |word: &str| names(&said).iter().filter(|name| name.starts_with(word)).count();
    // Energy, momentum, centre of mass; angular momentum in all and about the centre of mass.
    assert_eq!(
        (count("energy"), count("momentum along"), count("boost"), count("angular momentum")),
        (1, 3, 3, 6)
    );
    assert!(said.conserved.iter().all(|c| c.proved && c.verified), "{:?}", said.conserved);
}

/// Claims about functions given in pieces have to hold on every piece and across.
#[test]
fn pieces_are_all_looked_at() {
    let one = "coordinate x\nkinetic x'^2/2\n";
    let two = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\n";
    let switched = ask(&format!("{one}potential if t > 50 then x^2/2 else 0\ninitial x = 1\n"));
    assert!(names(&switched).is_empty(), "{switched:?}");
    for force in
        ["sign(x) - 1", "x/abs(x) - 1", "sqrt(x^2) - x", "abs(x) - x", "min(x, 0)", "if x < 0 then 1 else 0"]
    {
        let said = ask(&format!("{two}force y = {force}\ninitial x = 1, x' = -0.01\n"));
        assert!(names(&said).iter().all(|n| !n.contains('y') && *n != "energy"), "{force} {said:?}");
        assert!(names(&said).contains(&"momentum of x"), "{force} {said:?}");
    }
    for step in ["sign(x)", "if x < 1 then 0 else 1", "x/abs(x)", "x/sqrt(x^2)", "sign(x + y)*(x + 2)"] {
        let said = ask(&format!("{two}potential {step}\ninitial x = 1, x' = -0.01\n"));
        assert!(names(&said).is_empty(), "{step} {said:?}");
    }
    // What is continuous is kept.
    for kept in [
        "if x < 0 then x^2/2 else 0",
        "abs(x)",
        "max(x, 0)^2",
        "sqrt(x^2)",
        "min(x, 2*x)",
        "1/abs(x)",
        "x*abs(x)",
        "x^2*sign(x)",
    ] {
        let said = ask(&format!("{two}potential {kept}\ninitial x = 1, x' = -0.01\n"));
        assert!(names(&said).contains(&"energy"), "{kept} {said:?}");
        assert!(names(&said).contains(&"momentum of y"), "{kept} {said:?}");
    }
    let said = ask(&format!("{two}constraint c: y' = abs(x)*x'\ninitial x = -1, x' = 1\n"));
    assert_eq!(said.set.verdict, Verdict::Holonomic);
    assert!(kept(&said).iter().all(|e| e.contains("abs(x)")), "{:?}", said.set.integrals);
}

/// Rows that say the same as a linear one are that one; about others nothing exact is said.
#[test]
fn rows_that_are_linear_in_disguise() {
    let head = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\ninitial x' = 1, y' ~ 1\n";
    for row in ["x'^3 = y'^3", "(x' - y')*(1 + x'^2) = 0", "exp(x') = exp(y')"] {
        let said = ask(&format!("{head}constraint c: {row}\n"));
        assert_eq!(said.set.verdict, Verdict::Holonomic, "{row} {said:?}");
        assert_eq!(kept(&said), ["x - y"], "{row}");
    }
    let said = ask(&format!("{head}constraint c: x'^2 = y'^2\n"));
    assert_eq!(said.set.certainty, Certainty::Generic);
    assert!(said.set.undecided.is_some(), "{said:?}");
}

/// Integrals have values at the model's own start.
#[test]
fn integrals_are_defined_at_the_start() {
    let head = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\n";
    let said = ask(&format!("{head}constraint c: x' = x\ninitial x = -1\n"));
    assert_eq!(kept(&said), ["x*exp(-t)"]);
    let said = ask(&format!("{head}constraint c: y' + 2*x*y*x' = x*x'\ninitial x = 1\n"));
    assert!(!kept(&said)[0].contains("log"), "{:?}", said.set.integrals);
    let said = ask(&format!("{head}constraint c: y*x' = x*y'\ninitial x = 1, y = 0, x' = 1\n"));
    assert_eq!(kept(&said), ["y/x"]);
}

#[test]
fn hidden_conditions_are_named() {
    let said = ask(
        "coordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint a: x' = y\nconstraint b: x' = z\n\
         initial y = 1, z = 1\n",
    );
    assert!(said.set.undecided.as_ref().is_some_and(|r| r.contains("hidden condition")), "{said:?}");
    assert!(said.remarks.iter().all(|r| !r.contains("no state was found")), "{said:?}");
}

#[test]
fn what_no_motion_confirms_is_not_listed() {
    let said = ask("coordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint c: (x' - y*z')^2 = 0\n");
    assert!(said.conserved.iter().all(|c| c.verified), "{said:?}");
}

/// Plain momenta lead.
#[test]
fn momenta_come_in_plain_form() {
    let said = ask("parameter m1 = 1.3, m2 = 2.7, k = 5\ncoordinate x1, y1, x2, y2\n\
         kinetic m1/2*(x1'^2 + y1'^2) + m2/2*(x2'^2 + y2'^2)\n\
         potential k/2*((x1 - x2)^2 + (y1 - y2)^2)\ninitial x1 = 1, y1' = 0.4, x2' = 0.3, y2 = 0.2\n");
    let symmetry: Vec<&str> = said.conserved.iter().map(|c| c.generator.as_str()).collect();
    assert_eq!(symmetry[1..3], ["δx1 = 1, δx2 = 1", "δy1 = 1, δy2 = 1"], "{symmetry:#?}");
    assert_eq!(symmetry[3], "δx1 = -y1, δy1 = x1, δx2 = -y2, δy2 = x2", "{symmetry:#?}");
}
