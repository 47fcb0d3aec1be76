//! Speeds defined by other declared speeds: earlier definitions are substituted (K1).

use crate::support::{Rng, ShortNumbers, apart, below, column, last, load, refusal, run_text, sharply_until};
use dalembert::diagnostic::Code;

/// A rolling wheel's slip, from speeds along and across the wheel.
#[test]
fn a_speed_defined_by_other_speeds_gives_the_motion_of_the_rates() {
    let text = "parameter R = 0.7\n\
        coordinate x, y, th, phi\n\
        speed v = x'*cos(th) + y'*sin(th)\n\
        speed u = -x'*sin(th) + y'*cos(th)\n\
        speed slip = v - R*phi'\n\
        kinetic (x'^2 + y'^2)/2 + 0.3*th'^2 + 0.2*phi'^2\n\
        initial x = 0.3, y = -0.2, x' = 1, th' = 0.5, phi' = 2, y' = 0.4";
    let motion = run_text(text, &sharply_until(2.0));
    for (name, value) in [("x", 2.3), ("y", 0.6), ("th", 1.0), ("phi", 4.0)] {
        below(name, (last(&motion, name) - value).abs(), 1e-10);
    }
}

#[test]
fn what_is_not_linear_in_the_rates_after_substitution_is_refused() {
    let head = "coordinate x, y\nspeed u = x'\n";
    for definition in ["y' + u^2", "y'*u", "y' + sin(u)", "y' + sign(u)"] {
        let text = format!("{head}speed v = {definition}\nkinetic x'^2/2 + y'^2/2");
        assert_eq!(refusal(&text)[0].code, Code::NotLinear, "{definition}");
    }
    // Speeds of `kinematics` are variables too.
    let text = "coordinate x, y\nspeed p\nspeed v = y' + p^2\nkinematics x' = p\nkinetic x'^2/2 + y'^2/2";
    assert_eq!(refusal(text)[0].code, Code::NotLinear);
    load("coordinate x, y\nspeed p\nspeed v = y' + x*p\nkinematics x' = p\nkinetic x'^2/2 + y'^2/2");
}

/// A system moves alike in rates and in speeds that are nested at random.
#[test]
fn nested_speeds_agree_with_rates_in_random_systems() {
    let mut random = Rng::new(7);
    for case in 0..24 {
        let n = 2 + case % 3;
        let names = &["a", "b", "c", "d"][..n];
        let mut number = |low: f64, high: f64| random.number(low, high).to_string();
        let mut speeds = String::new();
        let mut earlier: Vec<String> = Vec::new();
        for (i, q) in names.iter().enumerate() {
            // Triangular in the rates, so that the set is invertible; turned by a coordinate, so that brackets count.
            let mut definition = format!("(2 + {}*sin({}))*{q}'", number(-0.9, 0.9), names[(i + 1) % n]);
            for e in &earlier {
                definition += &format!(" + ({} + {}*cos({q}))*{e}", number(-1.0, 1.0), number(-1.0, 1.0));
            }
            speeds += &format!("speed s{i} = {definition} + {}*{q}\n", number(-0.3, 0.3));
            earlier.push(format!("s{i}"));
        }
        let mut body = format!("coordinate {}\n{{speeds}}", names.join(", "));
        for (i, q) in names.iter().enumerate() {
            let r = names[(i + 1) % n];
            body += &format!(
                "kinetic (1 + {}*sin({r})^2)*{q}'^2/2 + {}*{q}'*{r}'\n",
                number(0.0, 1.0),
                number(0.0, 0.2)
            );
            body += &format!("potential {}*cos({q}) + {}*{q}^2\n", number(-1.0, 1.0), number(0.2, 1.0));
            body += &format!("initial {q} = {}, {q}' = {}\n", number(-1.0, 1.0), number(-1.0, 1.0));
        }
        let plain = run_text(&body.replace("{speeds}", ""), &sharply_until(1.0));
        let nested = run_text(&body.replace("{speeds}", &speeds), &sharply_until(1.0));
        for q in names {
            below(&format!("case {case}, {q}"), apart(&column(&plain, q), &column(&nested, q)), 1e-8);
        }
    }
}
