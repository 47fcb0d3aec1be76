//! Friction in the language: worked examples, ways of writing one contact, paradoxes, work.

use crate::support::*;
use dalembert::diagnostic::Code;
use dalembert::run::{Flow, State};
use dalembert::{Overrides, Request, Source, Workspace};

/// [U05a] example 2: both parts of the constraint force, in closed form, at random states.
#[test]
fn block_on_a_rough_incline_in_closed_form() {
    let model = load_file("rough_incline");
    let (m, g, alpha, mu) = (2.0, 9.81, 0.6_f64, 0.3);
    let (s, c) = alpha.sin_cos();
    let mut rng = Rng::new(11);
    for _ in 0..50 {
        let v = rng.numbers(1)[0];
        let now = evaluate(&model, &State::new(0.0, &[0.0, 0.0], &[v * c, v * s]));
        let ideal = [-m * g * s * c, m * g * c * c];
        let friction = [c * c, c * s].map(|part| -mu * m * g * part * v.signum());
        below("ideal force", apart(&now.solution.ideal_force, &ideal), 1e-13);
        below("friction", apart(&now.solution.nonideal_force, &friction), 1e-13);
    }
}

/// [U05a] example 1: a constraint nonlinear in the velocities that does work, at random states on it.
#[test]
fn appells_particle_with_non_ideal_work_in_closed_form() {
    let text = "
        parameter a0 = 0.3, Fx = 0.2, Fy = -0.7, Fz = -9.81
        coordinate x, y, z
        kinetic (x'^2 + y'^2 + z'^2)/2
        force x = Fx
        force y = Fy
        force z = Fz
        constraint cone: x'^2 + y'^2 - z'^2 = 2*0.5*(1 + sin(t))
        let u = sqrt(x'^2 + y'^2 + z'^2)
        nonideal work -a0*u*(x'*delta(x) + y'*delta(y) + z'*delta(z))
        initial x' = 1
    ";
    let model = load(text);
    let (a0, F) = (0.3, [0.2, -0.7, -9.81]);
    let mut rng = Rng::new(5);
    for _ in 0..50 {
        let t = rng.numbers(1)[0];
        let [x, z] = [rng.numbers(1)[0] + 2.0, rng.numbers(1)[0]];
        let y = (z * z + (1.0 + f64::sin(t)) - x * x).abs().sqrt();
        let v = [x, y, z];
        let u2: f64 = v.iter().map(|v| v * v).sum();
        let lift = (0.5 * t.cos() - x * F[0] - y * F[1] + z * F[2]) / u2;
        let drag = a0 / u2.sqrt();
        let closed = [
            F[0] + lift * x - drag * 2.0 * x * z * z,
            F[1] + lift * y - drag * 2.0 * y * z * z,
            F[2] - lift * z - drag * 2.0 * z * (x * x + y * y),
        ];
        let now = evaluate(&model, &State::new(t, &[0.0; 3], &v));
        below("acceleration", apart(&now.solution.eta_dot, &closed), 1e-12 * (1.0 + u2));
    }
}

/// However a plane is written, what presses is the same, and so is the motion.
#[test]
fn one_contact_written_in_many_ways() {
    let model = |constraint: &str, velocity: &str, more: &str| {
        format!(
            "parameter m = 2, g = 9.81, alpha = 0.6, mu = 0.8
             coordinate x, y
             kinetic m/2*(x'^2 + y'^2)
             potential m*g*y
             constraint plane: {constraint}
             friction on plane: coefficient mu, velocity {velocity}{more}
             initial x = 0, x' = 1.5
             output N = reaction(plane), f = friction(plane)"
        )
    };
    let along = "x'*cos(alpha) + y'*sin(alpha)";
    let ways = [
        model("y = x*tan(alpha)", along, ""),
        model("y*cos(alpha) = x*sin(alpha)", along, ""),
        model("7*(x*sin(alpha) - y*cos(alpha)) = 0", along, ""),
        model("(y - x*tan(alpha))*(2 + x^2) = 0", along, ""),
        model("y' = x'*tan(alpha)", along, ""),
        model("y*cos(alpha) = x*sin(alpha)", along, ", normal multiplier(plane)"),
        model("y = x*tan(alpha)", along, ", normal multiplier(plane)/cos(alpha)"),
    ];
    let motions: Vec<_> = ways.iter().map(|text| run(&mut load(text), &until(2.0))).collect();
    for (way, motion) in ways.iter().zip(&motions) {
        for name in ["x", "y", "x'", "N"] {
            let (one, other) = (column(motion, name), column(&motions[0], name));
            assert!(apart(&one, &other) < 1e-9, "{name} of {way}");
        }
        assert_eq!(motion.events.len(), 1);
        assert!((motion.events[0].t - motions[0].events[0].t).abs() < 1e-10);
    }
}

/// The vector of a point's whole velocity is as good as its component along the surface.
#[test]
fn the_whole_velocity_of_a_point_may_be_given() {
    let text = |velocity: &str| {
        format!(
            "coordinate x, y
             kinetic (x'^2 + y'^2)/2
             potential 9.81*y
             constraint slope: y = x/2
             friction on slope: coefficient 0.3, velocity {velocity}
             initial x' = 2
             output N = reaction(slope)"
        )
    };
    let one = run(&mut load(&text("(2*x' + y')/sqrt(5)")), &until(1.5));
    let two = run(&mut load(&text("[x', y']")), &until(1.5));
    for name in ["x", "x'", "N"] {
        below(name, apart(&column(&one, name), &column(&two, name)), 1e-8);
    }
}

/// What presses on a rod is the force at its end, not a mixture of force and moment; the wedge below does not count.
#[test]
fn normal_forces_are_forces_on_a_point() {
    let rod = load_file("painleve_rod");
    let now = evaluate(&rod, &State::new(0.0, &[0.0, 1.0_f64.sin(), 1.0], &[0.3, 0.0, 0.0]));
    below("rod", (now.solution.normal[0] - now.solution.lambda[0].abs()).abs(), 1e-12);
    let wedge = load_file("rough_wedge");
    let now = evaluate(&wedge, &State::new(0.0, &[0.0; 3], &[0.0, -0.1, -0.1]));
    below("wedge", (now.solution.normal[0] - now.solution.lambda[0].abs() * 2f64.sqrt()).abs(), 1e-12);
}

#[test]
fn a_tip_of_turning_links_is_said_to_be_assumed() {
    let text = "
        coordinate a, b
        kinetic (a'^2 + b'^2)/2 + cos(a - b)*a'*b'/4
        let P = [cos(a) + cos(b), sin(a) + sin(b)]
        constraint floor: P.y = 1
        friction on floor: coefficient 0.2, velocity P.x'
        initial a = 0.2, b ~ 0.9, a' = 1
    ";
    let model = load(text);
    assert!(model.diagnostics.iter().any(|d| d.code == Code::NormalForceAssumed));
    let said = load(&text.replace("velocity P.x'", "velocity P.x', normal multiplier(floor)")).diagnostics;
    assert!(said.is_empty());
}

/// Above mu = 4/3 the uniform rod has angles at which the law has no solution, or two; below it never has.
#[test]
fn painleves_paradox_is_said() {
    let text = model_text("painleve_rod");
    for mu in [0.5, 1.0, 1.3, 1.4, 2.0, 3.0] {
        let overrides = Overrides { set: vec![("mu".into(), mu.to_string())], ..Overrides::default() };
        let model = Workspace::load(&Source::new("rod", &*text), &overrides)
            .map_err(|d| d[0].message.clone())
            .unwrap();
        let (mut none, mut several) = (0, 0);
        for k in 1..100 {
            let theta = std::f64::consts::PI * k as f64 / 100.0;
            for v in [-1.0, 1.0] {
                let state = State::new(0.0, &[0.0, theta.sin(), theta], &[v, 0.0, 0.0]);
                match model.evaluate(&state) {
                    Ok(now) => {
                        // Closed form, slow rotation: N (1 + 3 cos (cos + mu sgn sin)) = m g.
                        let (s, c) = theta.sin_cos();
                        let N = 9.81 / (1.0 + 3.0 * c * (c + mu * v.signum() * s));
                        assert!(
                            (now.solution.normal[0] - N.abs()).abs() < 1e-9 * N.abs(),
                            "{mu} {theta} {v}"
                        );
                    }
                    Err(d) => {
                        assert_eq!(d.code, Code::FrictionParadox);
                        none += usize::from(d.message.contains("no solution"));
                        several += usize::from(d.message.contains("solutions"));
                    }
                }
            }
        }
        assert_eq!(none + several > 0, mu > 4.0 / 3.0, "mu = {mu}: none {none}, several {several}");
    }
}

/// At rest on a rough slope for an hour, at many slopes: not a step, not a creep.
#[test]
fn blocks_at_rest_stay_for_an_hour() {
    for alpha in ["0.05", "0.3", "atan(0.7)*0.999999"] {
        let overrides = Overrides {
            set: vec![("mu".into(), "0.7".into()), ("alpha".into(), alpha.into())],
            initial: vec!["x' = 0".into()],
            ..Overrides::default()
        };
        let source = Source::new("rough_incline", model_text("rough_incline"));
        let mut model = Workspace::load(&source, &overrides).map_err(|d| d[0].message.clone()).unwrap();
        let motion = model.simulate(&until(3600.0), |_| Flow::Continue).unwrap();
        assert!(motion.failure.is_none() && motion.events.is_empty());
        for name in ["x", "y", "x'", "y'"] {
            assert!(column(&motion, name).iter().all(|v| *v == 0.0), "{name} at alpha = {alpha}");
        }
    }
}

/// Work of friction is what the energy loses, whatever the method.
#[test]
fn friction_accounts_for_what_is_lost() {
    for name in
        ["rough_incline", "rough_hoop", "rough_puck", "stick_slip_belt", "bowling_ball", "stacked_blocks"]
    {
        for method in ["dop853", "tsit5", "radau"] {
            let request = Request { method: Some(method.into()), rtol: Some(1e-9), ..until(2.0) };
            let motion = run(&mut load_file(name), &request);
            let balance = motion.balance.expect("a balance");
            below(
                &format!("{name} {method} {balance:?}"),
                balance.defect.abs() / (1.0 + balance.nonideal.abs()),
                1e-7,
            );
        }
    }
}

/// `power` and `work` as outputs: the one is the rate of the other.
#[test]
fn work_is_the_integral_of_power() {
    let text = model_text("rough_hoop").replace(
        "simulate",
        "output p = power(nonideal), w = work(nonideal), pi1 = power(impressed), wi = work(impressed)\nsimulate",
    );
    let motion = run(&mut load(&text), &Request { every: Some(1e-3), ..until(0.3) });
    let [t, p, w, wi, E] = ["t", "p", "w", "wi", "v"].map(|name| column(&motion, name));
    let mut sum = 0.0;
    for k in 2..t.len() {
        if k % 2 == 0 {
            sum += (p[k - 2] + 4.0 * p[k - 1] + p[k]) * (t[k] - t[k - 2]) / 6.0;
            below("Simpson", (sum - w[k]).abs(), 1e-9);
        }
        // All work changes the kinetic energy.
        let kinetic = 0.1 * (E[k] * E[k] - E[0] * E[0]);
        below("work and kinetic energy", (wi[k] + w[k] - kinetic).abs(), 1e-10);
    }
}

/// The work of a class of forces does not depend on the speeds, also where they are affine in the rates.
#[test]
fn work_is_the_same_in_affine_speeds() {
    let model = |speed: &str| {
        format!(
            "parameter V = 0.5, b = 0.3
             coordinate x, y, z
             {speed}
             kinetic (x'^2 + y'^2 + z'^2)/2
             potential 9.81*y + z^2
             force x = -0.2*x'
             dissipation 0.1*z'^2
             constraint plane: y = x
             nonideal work -b*x'*delta(x) + 0.4*delta(y)
             initial x' = 3, z = 1
             output i = work(impressed), n = work(nonconservative), c = work(ideal), w = work(nonideal)
             simulate until 1"
        )
    };
    let ends = |speed: &str| {
        let motion = run(&mut load(&model(speed)), &Request { rtol: Some(1e-11), ..until(1.0) });
        let balance = motion.balance.expect("a balance");
        below(speed, balance.defect.abs(), 1e-10);
        assert_eq!(balance.explicit, 0.0, "{speed}: proved to be 0");
        ["i", "n", "c", "w"].map(|name| last(&motion, name))
    };
    let plain = ends("");
    below("ideal", plain[2].abs(), 1e-12);
    for speed in [
        "speed v = x' - V",
        "speed v = x' - V*t\nspeed u = y' + x*x' - 2",
        "speed v = x'*cos(t) + y'*sin(t) - V\nspeed u = y'*cos(t) - x'*sin(t) + x",
    ] {
        below(speed, apart(&ends(speed), &plain), 1e-9);
    }
}

/// What presses does not depend on coordinates: right-angled in any order, polar, skew, cylindrical.
#[test]
fn normal_forces_in_many_coordinates() {
    let b: f64 = 0.6;
    let groove = |order: &str| {
        format!(
            "parameter m = 1, g = 10, mu = 0.2, b = 0.6
             coordinate {order}
             kinetic m/2*(x'^2 + y'^2 + z'^2)
             potential m*g*z
             constraint w1: y*sin(b) + z*cos(b) = 0
             constraint w2: -y*sin(b) + z*cos(b) = 0
             friction on w1: coefficient mu, velocity x'
             friction on w2: coefficient mu, velocity x'
             initial x' = 1
             output n = reaction(w1)"
        )
    };
    for order in ["x, y, z", "x, z, y", "z, x, y"] {
        let motion = run(&mut load(&groove(order)), &until(0.2));
        below(order, (last(&motion, "n") - 5.0 / b.cos()).abs(), 1e-10);
        below(order, (last(&motion, "x'") - (1.0 - 0.2 * 0.2 * 10.0 / b.cos())).abs(), 1e-10);
    }
    // A bead on a turning rod, a plane in polar coordinates and by a skew one, a cone in cylindrical coordinates.
    let cases = [
        (
            "coordinate r, th\nkinetic m/2*(r'^2 + r^2*th'^2)\nconstraint c: th = 2*t\nfriction on c: coefficient 0.3, velocity r'\ninitial r = 2, r' = 0.5",
            3.0,
        ),
        (
            "coordinate r, th\nkinetic m/2*(r'^2 + r^2*th'^2)\npotential m*9.81*r*sin(th)\nconstraint c: th = 0.6\nfriction on c: coefficient 0.3, velocity r'\ninitial r = 2, r' = 0.5",
            1.5 * 9.81 * b.cos(),
        ),
        (
            "coordinate x, n\nlet P = [x, x*tan(0.6) + n]\nkinetic m/2*dot(P', P')\npotential m*9.81*P.y\nconstraint c: n = 0\nfriction on c: coefficient 0.3, velocity P'\ninitial x' = 1",
            1.5 * 9.81 * b.cos(),
        ),
        (
            "coordinate r, ph, z\nkinetic m/2*(r'^2 + r^2*ph'^2 + z'^2)\npotential m*9.81*z\nconstraint c: z = r\nfriction on c: coefficient 0.3, velocity [(r' + z')/sqrt(2), r*ph']\ninitial r = 1, z ~ 1, ph' = 2",
            1.5 * (9.81 + 4.0) / 2f64.sqrt(),
        ),
    ];
    for (text, N) in cases {
        let mut model = load(&format!("parameter m = 1.5\n{text}\noutput N = reaction(c)"));
        assert!(model.diagnostics.is_empty(), "{text}: {:?}", model.diagnostics[0].message);
        let start = start(&mut model);
        below(text, (evaluate(&model, &start).solution.normal[0] - N).abs(), 1e-9);
    }
}

/// A point in cylindrical coordinates is one point, whatever else the constraint holds; coordinates may have a scale.
#[test]
fn normal_forces_on_a_point_of_curved_and_scaled_coordinates() {
    let bead = "parameter m = 2, g = 9.81\ncoordinate r, th, z\nkinetic m/2*(r'^2 + r^2*th'^2 + z'^2)\npotential m*g*z";
    let (turning, coriolis) = (2.0 * 9.81_f64, 2.0 * 2.0 * 2.0 * 1.5);
    let cases = [
        // A rod that turns as told: gravity and Coriolis's force press at right angles.
        (
            format!("{bead}\nconstraint c: [th - 2*t, z] = 0\nfriction on c: coefficient 0.3, velocity r'\ninitial r = 0.5, r' = -1.5, th = 0"),
            turning.hypot(coriolis),
        ),
        // A rod that turns freely: th'' = -2 m r r' th'/(J + m r^2), so that m (r th'' + 2 r' th') = 2 m r' th' J/(J + m r^2).
        (
            "parameter m = 2, g = 9.81, J = 0.7\ncoordinate r, th, z, phi\nkinetic m/2*(r'^2 + r^2*th'^2 + z'^2) + J/2*phi'^2\npotential m*g*z\n\
             constraint c: [th - phi, z] = 0\nfriction on c: coefficient 0.3, velocity r'\ninitial r = 0.4, r' = -1.5, phi' = 3"
                .to_owned(),
            turning.hypot(2.0 * 2.0 * 1.5 * 3.0 * 0.7 / (0.7 + 2.0 * 0.16)),
        ),
        // A mass that is not a parameter by itself.
        (
            "parameter m = 0.5\ncoordinate r, th\nkinetic 2*m*(r'^2 + r^2*th'^2)\npotential 4*m*9.81*r*sin(th)\nconstraint c: r*sin(th) = 1\n\
             friction on c: coefficient 0.3, velocity r'*cos(th) - r*th'*sin(th)\ninitial th = 1, r ~ 1.2, r' = 0.1"
                .to_owned(),
            turning,
        ),
        (
            "parameter m = 2, l = 0.5\ncoordinate xi, eta\nlet P = l*[xi, eta]\nkinetic m/2*dot(P', P')\npotential m*9.81*P.y\n\
             constraint c: P.y = 0\nfriction on c: coefficient 0.3, velocity P.x'\ninitial xi' = 1"
                .to_owned(),
            turning,
        ),
        (
            "parameter m = 2, l = 0.5\ncoordinate xi, eta\nlet P = [l*xi, 3*eta]\nkinetic m/2*dot(P', P')\npotential m*9.81*P.y\n\
             constraint c: P.y = 0\nfriction on c: coefficient 0.3, velocity P.x'\ninitial xi' = 1"
                .to_owned(),
            turning,
        ),
    ];
    for (text, N) in cases {
        let mut model = load(&text);
        assert!(model.diagnostics.is_empty(), "{text}: {:?}", model.diagnostics[0].message);
        let start = start(&mut model);
        below(&text, (evaluate(&model, &start).solution.normal[0] - N).abs(), 1e-9);
    }
    // A sleeve with inertia of its own: where it is pressed is not told.
    let sleeve = "coordinate r, th, z\nkinetic (r'^2 + (0.1 + r^2)*th'^2 + z'^2)/2\npotential 9.81*z\n\
                  constraint c: [th - 2*t, z] = 0\nfriction on c: coefficient 0.3, velocity r'\ninitial r = 0.5, r' = 1, th = 0";
    assert!(load(sleeve).diagnostics.iter().any(|d| d.code == Code::NormalForceAssumed));
}

/// A sliding speed that is one on the constraint only: friction of a point on its own surface does not press.
#[test]
fn sliding_speeds_that_hold_on_the_constraint_only() {
    let pairs = [
        // An incline, a wire, a helicoid, a floor; sliding and coming to rest.
        (
            "parameter m = 2, mu = 0.8, alpha = 0.6\ncoordinate x, y\nkinetic m/2*(x'^2 + y'^2)\npotential m*9.81*y\nconstraint c: y = x*tan(alpha)\n\
             friction on c: coefficient mu, velocity V\ninitial x = 0, x' = 1.5",
            ["x'/cos(alpha)", "x'*cos(alpha) + y'*sin(alpha)"],
        ),
        (
            "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint c: y = x^2/2\nfriction on c: coefficient 0.4, velocity V\n\
             initial x = 1, x' = -0.5",
            ["x'*sqrt(1 + x^2)", "(x' + x*y')/sqrt(1 + x^2)"],
        ),
        (
            "parameter k = 2\ncoordinate r, th, z\nkinetic (r'^2 + r^2*th'^2 + z'^2)/2\npotential 9.81*z\nconstraint c: th = k*z\n\
             friction on c: coefficient 0.35, velocity V\ninitial r = 0.5, r' = -2, th = 0, th' = 1",
            ["[r', z'*sqrt(1 + k^2*r^2)]", "[r', (z' + k*r^2*th')/sqrt(1 + k^2*r^2)]"],
        ),
        (
            "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint c: y = 0.1*sin(3*t)\nfriction on c: coefficient 0.4, velocity V\n\
             initial x' = 2, y ~ 0",
            ["x' + 0.5*(y' - 0.3*cos(3*t))", "x'"],
        ),
    ];
    for (text, ways) in pairs {
        let motions = ways.map(|V| {
            let text = text.replace("velocity V", &format!("velocity {V}")) + "\noutput N = reaction(c)";
            let mut model = load(&text);
            assert!(model.diagnostics.is_empty(), "{text}: {:?}", model.diagnostics[0].message);
            run(&mut model, &until(0.8))
        });
        for name in ["x", "x'", "r", "r'", "z", "z'", "N"] {
            let Some(one) = motions[0].table.column(name) else { continue };
            below(&format!("{name} of {text}"), apart(&one, &column(&motions[1], name)), 1e-7);
        }
    }
}

/// V by all components of the space, on a plane and in a bowl: it comes to rest, and there the friction force is
/// tangential, what presses is what presses.
#[test]
fn components_that_depend_on_each_other_come_to_rest() {
    let plane = "coordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z\nconstraint floor: z = 0.3*x\n\
                 friction on floor: coefficient 0.6, velocity [x', y', z']\ninitial y' = 1, x' = 0.2\n\
                 output N = reaction(floor), fx = friction(floor).x, fy = friction(floor).y, fz = friction(floor).z";
    let motion = run(&mut load(plane), &until(2.0));
    let along = 9.81 * 0.3 / 1.09;
    for (name, value) in [("N", 9.81 / f64::sqrt(1.09)), ("fx", along), ("fy", 0.0), ("fz", 0.3 * along)] {
        below(name, (last(&motion, name) - value).abs(), 1e-12);
    }
    let bowl = "parameter m = 0.5, g = 9.81\ncoordinate x, y, z\nkinetic m/2*(x'^2 + y'^2 + z'^2)\npotential m*g*z\n\
                constraint bowl: x^2 + y^2 + z^2 = 1\nfriction on bowl: coefficient 0.3, velocity V\n\
                initial x = 0.8, z ~ -0.6, y' = 1.5\n\
                output N = reaction(bowl), fx = friction(bowl).x, fy = friction(bowl).y, fz = friction(bowl).z";
    // Also with other lengths for the constraint, and with a component twice.
    let ways = [("x^2 + y^2 + z^2 = 1", "[x', y', z']"), ("1e3*(x^2 + y^2 + z^2) = 1e3", "[z', x', y']")];
    for (surface, velocity) in ways {
        let text = bowl
            .replace("x^2 + y^2 + z^2 = 1", surface)
            .replace("velocity V", &format!("velocity {velocity}"));
        let motion = run(&mut load(&text), &until(4.0));
        assert!(motion.failure.is_none(), "{:?}", motion.failure);
        // The same system in angles.
        below("instant", (motion.events[0].t - 1.4076063327).abs(), 1e-8);
        let place = [("x", -0.233605022941), ("y", -0.010011583105), ("z", -0.972280032429)];
        for (name, value) in place {
            below(name, (last(&motion, name) - value).abs(), 1e-8);
        }
        let z = last(&motion, "z");
        below("N", (last(&motion, "N") + 0.5 * 9.81 * z).abs(), 1e-10);
        let f = ["fx", "fy", "fz"].map(|name| last(&motion, name));
        let size = f.iter().map(|f| f * f).sum::<f64>().sqrt();
        below("|f|", (size - 0.5 * 9.81 * (1.0 - z * z).sqrt()).abs(), 1e-10);
    }
}

/// A puck on a turntable that turns faster and faster begins to slide, where the direction of friction is stiff. The
/// numbers are from the expansion of V after release, continued by another program; axes that turn change nothing.
#[test]
fn a_puck_leaves_a_turntable_within_the_tolerance() {
    let puck = "parameter mu = 0.3\ncoordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z\nlet W = t/2\n\
                let u = x' + W*y, v = y' - W*x, c = cos(W*t/2), s = sin(W*t/2)\n\
                constraint floor: z = 0\nfriction on floor: coefficient mu, LAW\ninitial x = 1";
    let laws = [
        ("velocity [u, v]", 4.24404787),
        ("velocity [c*u + s*v, c*v - s*u]", 4.24404787),
        ("velocity [u, z', v]", 4.24404787),
        ("velocity [u, v], static 0.31", 4.23166364),
    ];
    for (law, x) in laws {
        for method in ["dop853", "tsit5", "radau"] {
            for (rtol, allowed) in [(1e-6, 1e-5), (1e-10, 1e-7)] {
                let request = Request { method: Some(method.to_owned()), rtol: Some(rtol), ..until(6.0) };
                let motion = run(&mut load(&puck.replace("LAW", law)), &request);
                assert_eq!(motion.events.len(), 1, "{law} {method}");
                below(&format!("{law} {method} {rtol}"), (last(&motion, "x") - x).abs(), allowed);
            }
        }
    }
}

/// A disc in a groove: the constraints hold V of both flanks together, though neither by itself. Friction carries a
/// torque, and without one nothing of the weight; in closed form.
#[test]
fn friction_in_a_groove_carries_the_torque_alone() {
    let groove = "parameter R = 0.2, b = 0.7, T = 0\ncoordinate x, y, a\nkinetic (x'^2 + y'^2)/2 + 0.01*a'^2\n\
                  potential 9.81*y\nconstraint l: SIZE*(x*cos(b) + y*sin(b)) = SIZE*R\nconstraint r: -x*cos(b) + y*sin(b) = R\n\
                  friction on l: coefficient 0.2, velocity -x'*sin(b) + y'*cos(b) + R*a'\n\
                  friction on r: coefficient 0.2, velocity x'*sin(b) + y'*cos(b) - R*a'\nforce a = T";
    let (R, b) = (0.2, 0.7_f64);
    for (size, T) in [("1", 0.0), ("1", 0.2), ("1", -0.4), ("30", 0.2)] {
        let text = groove.replace("SIZE", size);
        let mut model = load_with(&text, &sets(&[("T", &T.to_string())]));
        let state = start(&mut model);
        let now = evaluate(&model, &state);
        // Equal use of both limits: f = k N on either side, with the sum of both f and the balance in x and y.
        let (pair, weight) = (T / R, 9.81 / b.sin());
        let both = (weight + (weight * weight - 4.0 * pair * pair).sqrt()) / 2.0;
        let N = [both - pair * b.tan(), both + pair * b.tan()].map(|twice| twice / 2.0);
        below("friction", apart(&now.solution.friction, &[-N[0] * pair / both, N[1] * pair / both]), 1e-8);
        below("normal", apart(&now.solution.normal, &N), 1e-8);
        let motion = run(&mut model, &until(3.0));
        below("rest", last(&motion, "a").abs(), 1e-14);
        assert!(motion.events.is_empty());
    }
}

#[test]
fn a_normal_force_shared_by_redundant_rows_is_said() {
    let text = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint a: y = 0\nconstraint b: 2*y = 0\n\
                friction on a: coefficient 0.3, velocity x'\nfriction on b: coefficient 0.1, velocity x'\ninitial x' = 1";
    assert!(load(text).diagnostics.iter().any(|d| d.code == Code::NormalForceOpen));
}

#[test]
fn coefficients_that_make_no_sense_are_said() {
    let text = |law: &str| {
        format!(
            "parameter mu = 0.3\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: y = 0\nfriction on a: {law}"
        )
    };
    assert_eq!(refusal(&text("coefficient -mu, velocity x'"))[0].code, Code::BadCoefficient);
    assert_eq!(refusal(&text("coefficient mu, velocity x"))[0].code, Code::NotApplicable);
    assert!(
        load(&text("coefficient mu, velocity x', static 0.1"))
            .diagnostics
            .iter()
            .any(|d| d.code == Code::StaticBelowSliding)
    );
}

/// Between two bodies of one mass acts one normal force, whether they turn or not. Where one of them cannot slide the
/// numbers do not tell two bodies from one, and that is said.
#[test]
fn bodies_of_equal_mass_that_turn_press_once() {
    let plank = "parameter m = 1, R = 0.2, g = 9.81, mu = 0.3, J = m*R^2/2
        coordinate X, Y, x, y, a
        kinetic m/2*(X'^2 + Y'^2 + x'^2 + y'^2) + J/2*a'^2
        potential m*g*(y + Y)
        constraint floor: Y = 0
        constraint top: y - Y = R
        friction on top: coefficient mu, velocity x' - X' - R*a'
        initial X = 0, a' = 30
        output N = reaction(top), f = friction(top)";
    let discs = "parameter m = 1, R = 0.2, F = 10, mu = 0.3, J = m*R^2/2
        coordinate x1, y1, a1, x2, y2, a2
        kinetic m/2*(x1'^2 + y1'^2) + m/2*(x2'^2 + y2'^2) + J/2*(a1'^2 + a2'^2)
        constraint touch: x2 - x1 = 2*R
        friction on touch: coefficient mu, velocity (y2' - y1') + R*a1' + R*a2'
        force x1 = F
        force x2 = -F
        initial x1 = 0, a1' = 30
        output N = reaction(touch), f = friction(touch)";
    let lift = plank.replace("X, Y", "Y").replace("X'^2 + ", "").replace(" - X'", "").replace("X = 0, ", "");
    for (text, N, f, told) in
        [(plank, 9.81, 2.943, false), (discs, 10.0, -3.0, false), (&lift, 9.81, 2.943, true)]
    {
        let mut model = load(text);
        let start = model.start().expect("a start").state;
        let now = evaluate(&model, &start);
        below("normal force and friction", apart(&now.outputs, &[N, f]), 1e-12);
        assert_eq!(model.diagnostics.iter().any(|d| d.code == Code::NormalForceAssumed), told, "{text}");
    }
}

/// Under a load between both coefficients a contact at rest lets go and cannot slide: the coefficients are the reason.
#[test]
fn static_friction_below_sliding_friction_is_the_reason() {
    let text = "parameter mu = 0.5, mus = 0.2\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y
        force x = 3.5\nconstraint floor: y = 0\nfriction on floor: coefficient mu, velocity x', static mus
        simulate until 1";
    let mut model = load(text);
    let warned = model.diagnostics.iter().find(|d| d.code.id() == "W0712").expect("a warning");
    assert!(warned.span.is_some() && warned.help.iter().any(|h| h.contains("E0711")), "{warned:?}");
    let stuck = |model: &mut Workspace| match model.simulate(&until(1.0), |_| Flow::Continue) {
        Ok(motion) => motion.failure.expect("no motion"),
        Err(d) => *d,
    };
    let said = stuck(&mut model);
    assert_eq!(said.code.id(), "E0711", "{said:?}");
    assert!(said.help.iter().any(|h| h.contains("static coefficient is below")), "{said:?}");
    // The same for values that come later, and no longer for others.
    let mut model = load(&text.replace("mus = 0.2", "mus = 0.6"));
    model.set_parameters(&[("mus".to_owned(), 0.2)]).expect("a warning is not an error");
    assert!(stuck(&mut model).help.iter().any(|h| h.contains("static coefficient is below")));
    model.set_parameters(&[("mus".to_owned(), 0.6)]).expect("good values");
    assert!(!model.diagnostics.iter().any(|d| d.code.id() == "W0712"));
    // Coefficients of the state are not known before.
    let varying = text.replace("static mus", "static mus*cos(x)");
    assert!(stuck(&mut load(&varying)).help.iter().any(|h| h.contains("look whether its static")));
}

/// A puck rests on a turntable: friction is the centripetal force W^2 r, for the speed the model states and for another
/// one that is set afterwards.
#[test]
fn a_puck_that_rests_on_a_turntable_is_held_on_its_circle() {
    let mut model = load(
        "parameter W = 1\ncoordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z\n\
         constraint floor: z = 0\nfriction on floor: coefficient 0.9, velocity [x' + W*y, y' - W*x]\n\
         initial x = 1, y' = W\noutput fx = friction(floor).x, fy = friction(floor).y",
    );
    for W in [1.0, 2.0, 0.5] {
        model.set_parameters(&[("W".to_owned(), W)]).unwrap_or_else(|d| panic!("{}", d.message));
        let state = start(&mut model);
        let f = evaluate(&model, &state).outputs;
        below(&format!("friction {f:?} at {W}"), apart(&f, &[-W * W, 0.0]), 1e-12);
        let motion = run(&mut model, &until(2.0));
        assert!(motion.events.is_empty(), "{W}");
        let there = [last(&motion, "x"), last(&motion, "y")];
        below(&format!("place at {W}"), apart(&there, &[(2.0 * W).cos(), (2.0 * W).sin()]), 1e-8);
    }
}
