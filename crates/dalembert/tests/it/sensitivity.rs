//! Sensitivities of motions against closed forms and against differences that are extrapolated twice.

use crate::support::{below, load, load_with, model_text};
use dalembert::diagnostic::{Code, Diagnostic};
use dalembert::run::Flow;
use dalembert::{Overrides, Request, Table, Workspace};

fn request(until: f64, names: &[&str]) -> Request {
    Request {
        until: Some(until),
        times: Some(vec![0.5 * until]),
        rtol: Some(1e-11),
        atol: Some(1e-13),
        sensitivity: names.iter().map(|n| (*n).to_owned()).collect(),
        ..Request::default()
    }
}

fn try_run(model: &mut Workspace, request: &Request) -> Result<Table, Box<Diagnostic>> {
    let motion = model.simulate(request, |_| Flow::Continue)?;
    match motion.failure {
        Some(failure) => Err(Box::new(failure)),
        None => Ok(motion.table),
    }
}

fn run(text: &str, until: f64, names: &[&str]) -> Table {
    try_run(&mut load(text), &request(until, names)).unwrap_or_else(|d| panic!("{}\n{text}", d.message))
}

fn last(table: &Table, name: &str) -> f64 {
    let column = table.column(name).unwrap_or_else(|| panic!("{name} of {:?}", table.columns));
    *column.last().unwrap()
}

/// All columns by all names, against differences of motions.
fn agrees(text: &str, until: f64, names: &[&str], tolerance: f64) {
    let table = run(text, until, names);
    let plain = table.columns.iter().filter(|c| !c.starts_with("d(")).count();
    for name in names {
        let mut model = load(text);
        let state = model.start().unwrap().state;
        let target = name.strip_suffix("(0)");
        let at_start = |n: &str| {
            let k = model.state_names().iter().position(|s| *s == n).unwrap();
            state.x.iter().chain(&state.eta).nth(k).copied().unwrap()
        };
        let value = match target {
            Some(n) => at_start(n),
            None => {
                let k = model.system.parameters.iter().position(|p| p.name == *name).unwrap();
                model.compiled.parameters()[k]
            }
        };
        let at = |v: f64| {
            let overrides = match target {
                Some(n) => Overrides { initial: vec![format!("{n} = {v:?}")], ..Overrides::default() },
                None => {
                    let set = vec![((*name).to_owned(), format!("{v:?}"))];
                    Overrides { set, ..Overrides::default() }
                }
            };
            try_run(&mut load_with(text, &overrides), &request(until, &[])).unwrap().values
        };
        let h = 1e-3 * if value.abs() > 1e-6 { value.abs() } else { 1.0 };
        let slope = |h: f64| -> Vec<f64> {
            at(value + h).iter().zip(at(value - h)).map(|(a, b)| (a - b) / (2.0 * h)).collect()
        };
        let (one, two, four) = (slope(h), slope(h / 2.0), slope(h / 4.0));
        let expected: Vec<f64> =
            (0..one.len()).map(|i| (one[i] - 20.0 * two[i] + 64.0 * four[i]) / 45.0).collect();
        for k in 1..plain {
            let column = table.column(&format!("d({})/d({name})", table.columns[k])).unwrap();
            // Differences of motions at 1e-11 over steps of 1e-4: columns that vanish show their rounding.
            let size = column.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
            for (row, found) in column.iter().enumerate() {
                let what = format!("d({})/d({name}) in row {row}", table.columns[k]);
                below(&what, (found - expected[row * plain + k]).abs() / size, tolerance);
            }
        }
    }
}

/// x = x0 cos(w t) with w^2 = k/m: every derivative in closed form, through a derived parameter too.
#[test]
fn oscillator() {
    let text = "parameter c = 1.5, k = 2*c, m = 2
        coordinate x\nkinetic m/2*x'^2\npotential k/2*x^2\ninitial x = 0.7\noutput f = k*x\n";
    let table = run(text, 3.0, &["c", "m", "x(0)", "x'(0)"]);
    let (k, m, x0, t) = (3.0f64, 2.0, 0.7, 3.0);
    let w = (k / m).sqrt();
    let by_w = -x0 * t * (w * t).sin();
    for (name, expected) in [
        ("d(x)/d(c)", by_w * w / (2.0 * k) * 2.0),
        ("d(x)/d(m)", -by_w * w / (2.0 * m)),
        ("d(x)/d(x(0))", (w * t).cos()),
        ("d(x)/d(x'(0))", (w * t).sin() / w),
        ("d(x')/d(x(0))", -w * (w * t).sin()),
        ("d(f)/d(c)", k * by_w * w / (2.0 * k) * 2.0 + 2.0 * x0 * (w * t).cos()),
    ] {
        // A hundred times the tolerance of the run.
        below(name, (last(&table, name) - expected).abs(), 1e-9);
    }
}

/// Models of every kind: free, with constraints of any rank, nonholonomic, non-ideal, with friction, control and bodies.
#[test]
fn models_of_many_kinds() {
    for (name, until, names) in [
        ("double_pendulum", 1.0, &["m1", "l2", "theta1(0)"][..]),
        ("pendulum_redundant", 1.0, &["g"]),
        ("rolling_disk", 1.0, &["r", "psi'(0)"]),
        ("appell_nonideal", 0.6, &["a0"]),
        ("satellite_circle", 1.5, &["R", "w"]),
        ("four_bar_bodies", 0.3, &["a", "A(0)"]),
        ("rough_incline", 0.4, &["mu", "alpha"]),
        ("kepler", 1.0, &["mu"]),
    ] {
        agrees(&model_text(name), until, names, 2e-8);
    }
}

/// Sticks, slips and sticks again; works of the forces among the outputs.
#[test]
fn stick_and_slip() {
    agrees(&model_text("stick_slip_belt"), 6.0, &["mu", "k", "v"], 1e-8);
}

/// Time switches a force at an instant that is varied.
#[test]
fn switches_of_time() {
    let text = "parameter t1 = 0.6, F = 2\ncoordinate x\nkinetic x'^2/2\nforce x = if t < t1 then F else 0\n";
    let table = run(text, 2.0, &["t1", "F"]);
    for (name, expected) in [
        ("d(x)/d(t1)", 2.0 * 1.4),
        ("d(x')/d(t1)", 2.0),
        ("d(x)/d(F)", 0.6 * (2.0 - 0.3)),
        ("d(x')/d(F)", 0.6),
    ] {
        below(name, (last(&table, name) - expected).abs(), 1e-10);
    }
}

/// A force jumps where the motion passes a place: x' = 1 + ..., the two sides meet at x = a.
#[test]
fn jumps_of_forces() {
    // From x = 0 at speed 1; behind a the force is -1/2. tau = a, then v = 1 - (t - a)/2.
    let text = "parameter a = 0.4, F = 0.5\ncoordinate x\nkinetic x'^2/2\nforce x = if x > a then -F else 0\ninitial x' = 1\n";
    let table = run(text, 1.0, &["a", "F", "x'(0)"]);
    // v(1) = v0 - F (1 - a/v0); x(1) = v0 - F (1 - a/v0)^2/2.
    for (name, expected) in [
        ("d(x')/d(a)", 0.5),
        ("d(x)/d(a)", 0.5 * 0.6),
        ("d(x')/d(F)", -0.6),
        ("d(x')/d(x'(0))", 1.0 - 0.5 * 0.4),
        ("d(x)/d(x'(0))", 1.0 - 0.5 * 0.6 * 0.4),
    ] {
        // The jump is passed by steps as short as the tolerance asks for.
        below(name, (last(&table, name) - expected).abs(), 1e-7);
    }
}

/// The row of a stopping event moves with the event: total derivatives.
#[test]
fn stopping_events() {
    let text = "parameter h = 1.25, g = 10\ncoordinate y\nkinetic y'^2/2\npotential g*y\ninitial y = h\nevent floor: y falling stop\n";
    let table = run(text, 2.0, &["h", "g"]);
    for (name, expected) in [("d(y)/d(h)", 0.0), ("d(y')/d(h)", -2.0), ("d(y')/d(g)", -0.25)] {
        below(name, (last(&table, name) - expected).abs(), 1e-9);
    }
}

/// A ball that bounces by an event with an action: height and speed behind two bounces in closed form.
#[test]
fn events_that_assign() {
    let text =
        "parameter h = 1.25, g = 10, e = 0.8\ncoordinate y\nkinetic y'^2/2\npotential g*y\ninitial y = h
        event bounce: y falling do y' = -e*y'\n";
    agrees(text, 1.2, &["h", "e", "g"], 1e-8);
    let table = run(text, 1.0, &["e", "h"]);
    // Behind the first bounce at t1 = sqrt(2 h/g) = 1/2: y = e v (t - t1) - g (t - t1)^2/2 with v = 5.
    below("by e", (last(&table, "d(y)/d(e)") - 2.5).abs(), 1e-9);
    // dv/dh = g/v = 2 and dt1/dh = 1/v = 0.2: e dv (t - t1) - (e v - g (t - t1)) dt1.
    below("by h", (last(&table, "d(y)/d(h)") - (0.8 * 2.0 * 0.5 - (4.0 - 5.0) * 0.2)).abs(), 1e-9);
}

/// Events at one instant: two with one function, one that follows from what another assigns, from a switch of time and from
/// contacts. Their times change alike, whatever the slope of their own functions is.
#[test]
fn events_at_one_instant() {
    let swing = "parameter m = 1, k = 3\ncoordinate x\nkinetic m*x'^2/2\npotential k*x^2/2\ninitial x = 1, x' = 0.3\n";
    let rubbing = "parameter m = 1, mu = 0.3\ncoordinate x, y\nkinetic m*(x'^2 + y'^2)/2\npotential 9.81*m*y\n\
        constraint c: y = 0\nfriction on c: coefficient mu, velocity x'\nforce x = 5*sin(3*t)\ninitial x = 0, x' = 1\n";
    for (text, names) in [
        (
            format!(
                "{swing}discrete n = 0.3, l = 0\nforce x = l - n\nevent e: x falling do n = n + x'\n\
                 event f: x falling do x' = 0.9*x', l = x'"
            ),
            ["m", "k"],
        ),
        (
            format!(
                "{swing}discrete n = 0\nevent e: x falling do n = n + 1\nevent f: n - 0.5 rising do x' = 1.3*x'"
            ),
            ["m", "x(0)"],
        ),
        (
            format!(
                "{swing}discrete n = 0, l = 0\nforce x = -l\nevent e: x falling do n = n + x'\n\
                 event f: n + 0.5 falling do l = x'"
            ),
            ["m", "k"],
        ),
        (
            format!(
                "{swing}force x = if t > k/3 then -3 else 0\nevent e: x'' + 2.5 falling do x' = 1.3*x' + 1"
            ),
            ["m", "k"],
        ),
        // A force jumps where the event happens: once, twice or not at all behind it.
        (
            format!(
                "{swing}force x = if x*x' > 0 then -0.3 else 0.4*x\ndiscrete n = 0.2\nforce x = n\nevent e: x do n = m"
            ),
            ["m", "k"],
        ),
        (
            format!("{swing}force x = if x > 0.2 then -1 else 0.4*x\nevent e: x - 0.2 do x' = -0.7*x'"),
            ["m", "k"],
        ),
        (
            format!("{swing}force x = if x > 0.2 then -1 else 0.4*x\nevent e: x - 0.2 do x' = 0.7*x'"),
            ["m", "k"],
        ),
        // A contact slides because a force jumps in time.
        (
            "parameter a = 0.535, b = 1.567, c = 0.108\ncoordinate x, y\nkinetic (1 + 0.2*a)*(x'^2 + b*y'^2)/2\n\
             potential 9.81*y*b + b*x^2/2\nconstraint k: y = 0\nfriction on k: coefficient c, velocity x'\n\
             force x = if t > 0.8 and t < 1.4 then -1 else 0.2\nforce x = 0.5*cos(b*t)\n\
             initial x = 0.374, x' = 0.989"
                .to_owned(),
            ["c", "x(0)"],
        ),
        (format!("{rubbing}event e: friction(c) - 2.5 rising do x' = 1.3*x' + 1"), ["m", "mu"]),
    ] {
        // Differences of motions across jumps at places are good to a few 1e-7.
        agrees(&text, 2.2, &names, 1e-6);
    }
    // By chance at one instant: a little more or less, and one of them is the first.
    let chance = "parameter a = 1, b = 1\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\ninitial x = a, y = b, x' = -1, y' = -2
        discrete n = 0\nevent e: x falling do x' = -x'\nevent f: y + 1 falling do n = x'\n";
    let said = try_run(&mut load(chance), &request(2.0, &["a"])).expect_err("no derivative");
    assert_eq!(said.code, Code::NoSensitivity);
    // What makes the function jump is a place, not an instant.
    let jump =
        format!("{swing}force x = if x < 0.2 then -3 else 0\nevent e: x'' + 2 falling do x' = 1.3*x' + 1");
    let said = try_run(&mut load(&jump), &request(2.0, &["m"])).expect_err("not differentiated");
    assert!(
        said.code == Code::NoSensitivity && said.message.contains("jumps through zero"),
        "{}",
        said.message
    );
}

/// Two equal balls in a row exchange their velocities: derivatives are exactly 0 and 1.
#[test]
fn velocities_that_exchange() {
    let text = "coordinate a, b\nkinetic (a'^2 + b'^2)/2\ninitial a = 0, b = 1, a' = 2
        event hit: b - a falling do a' = b', b' = a'\n";
    let table = run(text, 2.0, &["a'(0)", "b'(0)"]);
    let exact =
        [("d(a')/d(a'(0))", 0.0), ("d(b')/d(a'(0))", 1.0), ("d(a')/d(b'(0))", 1.0), ("d(b')/d(b'(0))", 0.0)];
    for (name, expected) in exact {
        below(name, (last(&table, name) - expected).abs(), 1e-12);
    }
    // b goes on where a would be: b(2) = 2 a'(0).
    below("position", (last(&table, "d(b)/d(a'(0))") - 2.0).abs(), 1e-10);
}

/// Dry friction with a given limit, which sticks in the end.
#[test]
fn dry_friction_in_a_coordinate() {
    let text = "parameter F = 0.7, k = 2\ncoordinate x\nkinetic x'^2/2\npotential k/2*x^2\nfriction in x: limit F\ninitial x = 3\n";
    agrees(text, 3.0, &["F", "k", "x(0)"], 1e-8);
}

/// A start that is nearest to its guess follows the length of its rod; one that is fixed on both ends cannot.
#[test]
fn starts_that_follow_and_starts_that_cannot() {
    let text = "parameter l = 1, g = 9.81\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential g*y
        constraint rod: x^2 + y^2 = l^2\n";
    let follows = format!("{text}initial x ~ 0.6, y ~ -0.9\n");
    agrees(&follows, 0.5, &["l"], 1e-8);
    let table = run(&format!("{text}initial x = 0.6, y ~ -1\n"), 0.5, &["l", "x(0)"]);
    below("follows", (table.column("d(y)/d(l)").unwrap()[0] + 1.25).abs(), 1e-12);
    below("follows", (table.column("d(y)/d(x(0))").unwrap()[0] - 0.75).abs(), 1e-12);
    let fixed = format!("{text}initial x = 0.6, y = -0.8\n");
    let refused = try_run(&mut load(&fixed), &request(0.5, &["l"])).unwrap_err();
    assert_eq!(refused.code, Code::CannotVaryAlone);
    assert!(refused.message.contains("`l`") && refused.message.contains("`rod`"), "{}", refused.message);
    let refused = try_run(&mut load(&fixed), &request(0.5, &["L"])).unwrap_err();
    assert_eq!((refused.code, refused.help.as_deref()), (Code::BadOption, Some("did you mean `l`?")));
}

/// Sensitivities go along with the stages of the motion: nearly no further evaluation of the motion, and one of the derivatives
/// for each of its own, for any number of directions. Rows inside steps cost the stages of the dense output.
#[test]
fn the_stages_of_the_motion_serve() {
    for (name, names) in [
        ("double_pendulum", &["m1", "m2", "l1", "l2", "g", "theta1(0)", "theta2(0)", "theta1'(0)"][..]),
        ("four_bar_bodies", &["rho", "g"]),
    ] {
        let mut model = load(&model_text(name));
        let mut count = |names: &[&str]| {
            let request = Request { rtol: Some(1e-9), atol: Some(1e-11), ..request(3.0, names) };
            let motion = model.simulate(&request, |_| Flow::Continue).expect("it moves");
            (motion.counters().evaluations, motion.sensitivity_evaluations)
        };
        let (plain, none) = count(&[]);
        let (motion, derivatives) = count(names);
        assert_eq!(none, 0);
        assert!(motion * 100 <= plain * 103, "{name}: {motion} evaluations of the motion, {plain} without");
        assert!(
            derivatives * 100 <= plain * 130,
            "{name}: {derivatives} of the derivatives, {plain} of the motion"
        );
    }
}

/// Inside a step the sensitivities have a dense output of their own, for one direction and for several.
#[test]
fn rows_inside_steps() {
    let text = model_text("double_pendulum");
    let rows = |rtol: f64, names: &[&str]| {
        let times = (1..40).map(|k| 0.05 * f64::from(k)).collect();
        let request =
            Request { times: Some(times), rtol: Some(rtol), atol: Some(1e-2 * rtol), ..request(2.0, names) };
        try_run(&mut load(&text), &request).expect("it moves")
    };
    for names in [&["l1"][..], &["l1", "m2", "g"], &["m1", "m2", "l1", "l2", "g"]] {
        let (coarse, fine) = (rows(1e-8, names), rows(1e-13, names));
        for name in names {
            let column = format!("d(theta2)/d({name})");
            let (a, b) = (coarse.column(&column).expect("a column"), fine.column(&column).expect("a column"));
            let size = b.iter().fold(1.0f64, |m, v| m.max(v.abs()));
            let off = a.iter().zip(&b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            below(&format!("{column} of {}", names.len()), off / size, 1e-6);
        }
    }
}

/// The last step of a run is rounded to the end: following it ends for every end time, by every method.
#[test]
fn sensitivities_end_where_the_run_ends() {
    let text = "parameter l = 1\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y
        constraint rod: x^2 + y^2 = l^2\ninitial x = 0.6, y ~ -1";
    for (method, forced) in [("dop853", ""), ("tsit5", ""), ("dop853", "\nforce x = -0.1*abs(x - 0.3)")] {
        for end in [0.6, 0.7, 1.2, 2.3, 2.4] {
            let mut model = load(&format!("{text}{forced}"));
            let request = Request {
                until: Some(end),
                every: Some(0.1),
                method: Some(method.to_owned()),
                sensitivity: vec!["l".to_owned()],
                ..Request::default()
            };
            let motion = crate::support::run(&mut model, &request);
            assert!(
                motion.table.column("d(x)/d(l)").is_some_and(|column| column.iter().all(|v| v.is_finite()))
            );
        }
    }
}

/// A mass bounces on a spring that only pushes. In contact y = (m g/k)(cos w s - 1) - (v/w) sin w s, w^2 = k/m, and it leaves with the
/// speed v = sqrt(2 g h) that it came with. The law has kinks at both ends, and its slope k is steep.
#[test]
fn a_steep_spring_is_entered_and_left() {
    let closed = |m: f64, g: f64, k: f64| {
        let (h, t) = (0.5, 0.5);
        let (v, w, y0) = ((2.0 * g * h).sqrt(), (k / m).sqrt(), m * g / k);
        let left = (2.0 * h / g).sqrt() + 2.0 * (std::f64::consts::PI - (v / (w * y0)).atan()) / w;
        let s = t - left;
        [v * s - g * s * s / 2.0, v - g * s]
    };
    let table = run(&model_text("one_sided_spring"), 0.5, &["m", "g", "k"]);
    for (j, name) in ["m", "g", "k"].iter().enumerate() {
        let value = [1.0, 9.81, 400.0];
        let at = |h: f64| {
            let mut p = value;
            p[j] *= 1.0 + h;
            closed(p[0], p[1], p[2])
        };
        for (i, column) in ["y", "y'"].iter().enumerate() {
            let slope = |h: f64| (at(h)[i] - at(-h)[i]) / (2.0 * h * value[j]);
            let expected = (slope(4e-3) - 20.0 * slope(2e-3) + 64.0 * slope(1e-3)) / 45.0;
            let found = last(&table, &format!("d({column})/d({name})"));
            below(&format!("{column} by {name}"), (found - expected).abs() / expected.abs().max(1.0), 1e-9);
        }
    }
}
