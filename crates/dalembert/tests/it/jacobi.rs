//! Complete integrals: verified, refused where wrong, and their motions against integrated ones and closed forms.

use crate::support::*;
use dalembert::equations::{self, Form};
use dalembert::hamilton_jacobi::HamiltonJacobi;
use dalembert::run::Flow;
use dalembert::simulate::IntegralReport;
use dalembert::{Motion, MotionForm, Request, Workspace};
use dalembert_expr::Format;

fn by_integral(model: &mut Workspace, until: f64) -> (Motion, IntegralReport) {
    let request = Request { form: MotionForm::HamiltonJacobi, ..self::until(until) };
    let motion = run(model, &request);
    let report = motion.integral.clone().expect("a report");
    println!("{report:?}");
    (motion, report)
}

fn refused(text: &str, time: f64) -> (String, String) {
    let request = Request { form: MotionForm::HamiltonJacobi, ..until(time) };
    let said = load(text).simulate(&request, |_| Flow::Continue).err().map(|d| *d);
    let said = said.unwrap_or_else(|| panic!("not refused:\n{text}"));
    println!("{}: {}", said.code.id(), said.message);
    (said.code.id().to_owned(), said.message)
}

const FREE: &str = "parameter m = 2
    coordinate x, y
    kinetic m/2*(x'^2 + y'^2)
    complete_integral (a, c) = a*x + c*y - (a^2 + c^2)/(2*m)*t
    initial x = 1, y = -2, x' = 0.5, y' = 0.25";

const OSCILLATOR: &str = "parameter m = 1.5, w = 2
    coordinate x
    kinetic m/2*x'^2
    potential m*w^2/2*x^2
    complete_integral (E) = x/2*sqrt(2*m*E - m^2*w^2*x^2) + E/w*asin(x*sqrt(m*w^2/(2*E))) - E*t
    initial x = 0, x' = 1";

/// Hamilton's principal function from a place a at t = -1.
const MEHLER: &str = "parameter w = 1
    coordinate x
    kinetic x'^2/2
    potential w^2/2*x^2
    complete_integral (a) = w/(2*sin(w*(t + 1)))*((x^2 + a^2)*cos(w*(t + 1)) - 2*a*x)
    initial x = 0.7, x' = 0.4";

const PROJECTILE: &str = "parameter m = 1.5, g = 9.81
    coordinate x, y
    kinetic m/2*(x'^2 + y'^2)
    potential m*g*y
    complete_integral (E, a) = a*x - E*t - (2*m*E - a^2 - 2*m^2*g*y)^(3/2)/(3*m^2*g)
    initial x' = 3, y' = 8";

#[test]
fn the_circle_of_the_reference() {
    let mut model = load_file("hj_circle");
    let (motion, report) = by_integral(&mut model, 4.0);
    assert!(report.verified.proved && report.verified.rank == 1);
    below("alpha", (report.constants[0].1 - 0.7).abs(), 1e-14);
    below("beta", (report.b[0] - 0.3).abs(), 1e-14);
    below("x(4)", (last(&motion, "x") - 0.906_075_987_970_358_4).abs(), 1e-12);
    below("y(4)", (last(&motion, "y") - 1.195_418_882_243_182).abs(), 1e-12);
    below("integrated", report.difference, 1e-11);
    // Round and round: S jumps at the cut of the angle, the motion does not.
    let (_, report) = by_integral(&mut model, 100.0);
    assert_eq!(report.cuts, 3, "an angle of 100*0.7/4.5 + 0.3 passes pi, 3 pi, 5 pi");
    below("three times round", report.difference, 1e-8);
    let written = equations::write(&mut model, Form::HamiltonJacobi, Format::Text).expect("written");
    assert!(written.contains("vanishes identically on the constraints"), "{written}");
}

#[test]
fn known_integrals_give_known_motions() {
    for (what, text, time, proved) in [
        ("free", FREE.to_owned(), 3.0, true),
        ("oscillator", OSCILLATOR.to_owned(), 0.7, false),
        ("principal function", MEHLER.to_owned(), 1.5, true),
        ("projectile", PROJECTILE.to_owned(), 0.8, true),
        ("kepler", model_text("hj_kepler"), 1.5, false),
    ] {
        let (motion, report) = by_integral(&mut load(&text), time);
        println!("{what}: proved {}", report.verified.proved);
        assert!(report.verified.proved || !proved, "{what}");
        assert!(report.verified.points >= 8 && report.verified.worst < 1e-9, "{what}");
        // Newton to rounding against an integration at 1e-12.
        below(what, report.difference, 1e-9);
        assert_eq!(motion.table.rows().count(), 51);
    }
}

#[test]
fn turning_points_end_the_description() {
    // x' = 0 after a quarter of a period, pi/(2 w).
    let request = Request { form: MotionForm::HamiltonJacobi, ..until(2.0) };
    let motion = load(OSCILLATOR).simulate(&request, |_| Flow::Continue).expect("a beginning");
    let said = motion.failure.clone().expect("a message");
    assert_eq!(said.code.id(), "E0741");
    let t = column(&motion, "t");
    let end = *t.last().expect("rows");
    assert!(end > 0.7 && end < std::f64::consts::PI / 4.0, "{end}");
    below("before that", motion.integral.expect("a report").difference, 1e-7);
}

#[test]
fn what_is_no_complete_integral_is_refused() {
    let wrong = FREE.replace("(a^2 + c^2)/(2*m)*t", "(a^2 + c^2)/m*t");
    let (code, message) = refused(&wrong, 1.0);
    assert_eq!(code, "E0740");
    assert!(message.contains("dS/dt + H is"), "{message}");
    // A constant that is only added does not count.
    let added =
        FREE.replace("(a, c) = a*x + c*y - (a^2 + c^2)/(2*m)*t", "(a, c) = a*x + y - (a^2 + 1)/(2*m)*t + c");
    let (code, message) = refused(&added, 1.0);
    assert_eq!(code, "E0740");
    assert!(message.contains("rank 1"), "{message}");
    // On the circle the residual must vanish on the circle only; with another radius it does not.
    let off = model_text("hj_circle").replace("alpha^2*t/(2*m*l^2)", "alpha^2*t/(3*m*l^2)");
    assert_eq!(refused(&off, 1.0).0, "E0740");
    // The root has the other sign: y' < 0 at the start.
    assert_eq!(refused(&PROJECTILE.replace("y' = 8", "y' = -8"), 0.5).0, "E0740");
    assert_eq!(refused("coordinate x\nkinetic x'^2/2", 1.0).0, "E0804");
    assert_eq!(
        refused("coordinate x\nkinetic x'^2/2\ndissipation x'^2\ncomplete_integral (a) = a*x - a^2*t/2", 1.0)
            .0,
        "E0804"
    );
}

#[test]
fn the_statement_keeps_its_constants_to_itself() {
    for (text, code) in [
        ("coordinate x\nkinetic x'^2/2\ncomplete_integral (a) = a*x' - a^2*t/2", "E0"),
        ("coordinate x\nkinetic x'^2/2\ncomplete_integral (x) = x - t", "E0"),
        ("coordinate x\nkinetic x'^2/2\ncomplete_integral (a) = a*x - a^2*t/2\noutput q = a*x", "E0"),
        (
            "coordinate x\nkinetic x'^2/2\ncomplete_integral (a) = a*x - a^2*t/2\ncomplete_integral (c) = c*x - c^2*t/2",
            "E0805",
        ),
    ] {
        let said = refusal(text);
        println!("{}: {}", said[0].code.id(), said[0].message);
        assert!(said[0].code.id().starts_with(code), "{}", said[0].message);
        assert!(said[0].span.is_some());
    }
    // Families of constants, and a model that runs as ever besides.
    let mut model = load(
        "const N = 3\ncoordinate q[1..N]\nkinetic sum(i in 1..N, q[i]'^2)/2\ncomplete_integral (a[1..N]) = sum(i in 1..N, a[i]*q[i] - a[i]^2*t/2)\ninitial q[2]' = 1",
    );
    run(&mut model, &until(1.0));
    let jacobi = HamiltonJacobi::of(&mut model).expect("an integral");
    assert_eq!(jacobi.verify(&mut model).expect("verified").rank, 3);
}

#[test]
fn an_integral_that_is_wrong_further_on_ends_there() {
    let text = "coordinate x\nkinetic x'^2/2\npotential max(x - 6, 0)^2
        complete_integral (a) = a*x - a^2/2*t\ninitial x = 0, x' = 2";
    let request = Request { form: MotionForm::HamiltonJacobi, ..until(6.0) };
    let motion = load(text).simulate(&request, |_| Flow::Continue).expect("a beginning");
    let said = motion.failure.clone().expect("a message");
    assert_eq!(said.code.id(), "E0740");
    assert!(said.message.contains("x = 6."), "{}", said.message);
    let end = *column(&motion, "t").last().expect("rows");
    assert!(end > 2.8 && end <= 3.0, "{end}");
    below("energy of the rows that are kept", motion.energy.expect("energy").1, 1e-12);
}

#[test]
fn a_radius_is_not_asked_below_zero() {
    let free = "coordinate r, phi\nkinetic (r'^2 + r^2*phi'^2)/2
        complete_integral (k, J) = sqrt(k^2*r^2 - J^2) - J*acos(J/(k*r)) + J*phi - k^2/2*t
        initial r = 1, r' = 0.5, phi' = 0.8";
    let inverse_square = "coordinate r, th\nkinetic (r'^2 + r^2*th'^2)/2\npotential 1/(2*r^2)
        complete_integral (E, J) = -E*t + J*th + sqrt(2*E*r^2 - J^2 - 1) - sqrt(J^2 + 1)*acos(sqrt(J^2 + 1)/(r*sqrt(2*E)))
        initial r = 1, r' = 0.5, th' = 0.8";
    for text in [free, inverse_square] {
        below("difference", by_integral(&mut load(text), 2.0).1.difference, 1e-9);
    }
    // A constant that is merely added is one too many.
    let more = FREE.replace("(a, c) = ", "(a, c, d) = d + ");
    let (code, message) = refused(&more, 1.0);
    assert!(code == "E0740" && message.contains("3 constants"), "{message}");
}

/// A constant for each redundant coordinate (P12): accepted, the free ones named, the motion the same.
#[test]
fn a_constant_for_each_coordinate() {
    let text = "parameter m = 2, l = 1.5
        coordinate x, y
        kinetic m/2*(x'^2 + y'^2)
        constraint circle: x^2 + y^2 = l^2
        complete_integral (a, c) = a*atan2(y, x) + c*sqrt(x^2 + y^2) - a^2*t/(2*m*l^2)
        initial x = 1.2, y = 0.9, x' = -0.3, y' ~ 0.4";
    let (motion, report) = by_integral(&mut load(text), 1.0);
    assert_eq!(report.verified.free, [0]);
    below("a", (report.constants[0].1 - 2.0 * (1.2 * 0.4 + 0.9 * 0.3)).abs(), 1e-12);
    let plain = run(&mut load(text), &sharply_until(1.0));
    below("motion", motions_apart(&motion, &plain, &["x", "y", "x'", "y'"]), 1e-10);
    let written = equations::write(&mut load(text), Form::HamiltonJacobi, Format::Text).expect("written");
    assert!(
        written.contains("of the 4 constants 2 are free: a, b_a; the motion does not depend on c"),
        "{written}"
    );
    // A constant that is merely added, and one too many.
    let added = text.replace("c*sqrt(x^2 + y^2)", "c");
    assert_eq!(refused(&added, 1.0).0, "E0740");
    let many = text.replace("(a, c)", "(a, c, d)").replace("c*sqrt", "(c + d*x)*sqrt");
    assert_eq!(refused(&many, 1.0).0, "E0740");
}

/// b_p = A_p(S) by operators on the constants: combinations of dS/da with coefficients over a.
#[test]
fn operators_on_the_constants() {
    let text = "parameter m = 2\ncoordinate x, y\nkinetic m*(x'^2 + y'^2)/2
        complete_integral (a, c) = a*x + c*y - (a^2 + c^2)*t/(2*m)\ninitial x' = 1";
    let ask = |list: &[&str]| {
        let list: Vec<String> = list.iter().map(|s| (*s).to_owned()).collect();
        equations::hamilton_jacobi(&mut load(text), &list, Format::Text)
    };
    let written = ask(&["a*d_a + c*d_c", "a*d_c - c*d_a"]).unwrap_or_else(|d| panic!("{}", d.message));
    // a x + c y - (a^2 + c^2) t/m, and a y - c x: the angular momentum.
    assert!(written.contains("b_2 = y*a - x*c") || written.contains("b_2 = -(x*c - y*a)"), "{written}");
    assert!(written.contains("det_A = a^2 + c^2"), "{written}");
    for wrong in ["a*x", "d_a^2", "t*d_a", "d_a + 1", "d_q"] {
        assert!(ask(&[wrong]).is_err(), "{wrong}");
    }
}
