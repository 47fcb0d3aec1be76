//! Two roads, one place: constraints rewritten, coordinates and speeds exchanged, and the motion stays the same.

use crate::support::*;

/// Runs to rtol 1e-12; what is left is the growth of rounding over some seconds of a regular motion.
const SAME_MOTION: f64 = 1e-9;

/// A mechanism with a place for its constraints, and the columns that are compared.
struct Mechanism {
    base: &'static str,
    columns: &'static [&'static str],
    until: f64,
}

impl Mechanism {
    fn motion(&self, constraints: &str) -> dalembert::Motion {
        run_text(&self.base.replace("CONSTRAINTS", constraints), &sharply_until(self.until))
    }

    /// Every rewriting gives the motion of the first.
    fn same_for_all(&self, what: &str, rewritings: &[(&str, String)]) {
        let reference = self.motion(&rewritings[0].1);
        for (how, constraints) in &rewritings[1..] {
            let apart = motions_apart(&reference, &self.motion(constraints), self.columns);
            below(&format!("{what}, {how}"), apart, SAME_MOTION);
        }
    }
}

const DOUBLE_PENDULUM: Mechanism = Mechanism {
    base: "
        coordinate x1, y1, x2, y2
        kinetic (x1'^2 + y1'^2)/2 + (x2'^2 + y2'^2)
        potential 9.81*(y1 + 2*y2)
        CONSTRAINTS
        initial x1 ~ 0.6, y1 ~ -0.8, x2 ~ 1.6, y2 ~ -0.8, y2' = 0.5, x1' = 0",
    columns: &["x1", "y1", "x2", "y2", "x1'", "y2'"],
    until: 3.0,
};

const FOUR_BAR: Mechanism = Mechanism {
    base: "
        coordinate x1, y1, x2, y2
        kinetic (x1'^2 + y1'^2)/2 + (x2'^2 + y2'^2 + x2'*y1')/2
        potential 9.81*(y1 + y2)
        CONSTRAINTS
        initial x1 = 0.6, y1 ~ 0.8, x2 ~ 2.1, y2 ~ 2.8, x1' = 0.4",
    columns: &["x1", "y1", "x2", "y2", "x1'", "y2'"],
    until: 3.0,
};

const SPHERICAL_PENDULUM: Mechanism = Mechanism {
    base: "
        parameter g = 9.81
        coordinate x, y, z
        kinetic (x'^2 + y'^2 + z'^2)/2
        potential g*z
        CONSTRAINTS
        initial x = 0.6, z ~ -0.8, y' = 1.5, x' = 0.2",
    columns: &["x", "y", "z", "x'", "y'", "z'"],
    until: 4.0,
};

/// The ways to write two scalar equations `f = 0` and `g = 0` that must not matter.
fn rewritings(f: &str, g: &str, f_root: &str, factor: &str) -> Vec<(&'static str, String)> {
    vec![
        ("as it is", format!("constraint f: {f} = 0\nconstraint g: {g} = 0")),
        ("reordered", format!("constraint g: {g} = 0\nconstraint f: {f} = 0")),
        ("times 1e6", format!("constraint f: 1e6*({f}) = 0\nconstraint g: {g} = 0")),
        ("times 1e-6", format!("constraint f: {f} = 0\nconstraint g: 1e-6*({g}) = 0")),
        ("both scales", format!("constraint f: 1e6*({f}) = 0\nconstraint g: 1e-6*({g}) = 0")),
        ("one twice", format!("constraint f: {f} = 0\nconstraint g: {g} = 0\nconstraint h: {f} = 0")),
        ("each twice", format!("constraint a: [{f}, {g}] = [0, 0]\nconstraint b: 1e3*[{g}, {f}] = [0, 0]")),
        (
            "their sum added",
            format!("constraint f: {f} = 0\nconstraint g: {g} = 0\nconstraint h: {f} + 2*({g}) = 0"),
        ),
        ("as a root", format!("constraint f: {f_root} = 0\nconstraint g: {g} = 0")),
        ("times a function", format!("constraint f: {f} = 0\nconstraint g: ({factor})*({g}) = 0")),
        ("mixed", format!("constraint f: {f} - 3*({g}) = 0\nconstraint g: 0.5*({f}) + {g} = 0")),
        ("as rates", format!("constraint f: ({f})' = 0\nconstraint g: ({g})' = 0")),
        ("one as rate", format!("constraint f: {f} = 0\nconstraint g: ({g})' = 0")),
        (
            "position and rate",
            format!("constraint f: {f} = 0\nconstraint g: {g} = 0\nconstraint h: ({g})' = 0"),
        ),
    ]
}

#[test]
fn double_pendulum_does_not_care_how_its_rods_are_written() {
    let f = "x1^2 + y1^2 - 1";
    let g = "(x2 - x1)^2 + (y2 - y1)^2 - 1";
    DOUBLE_PENDULUM
        .same_for_all("double pendulum", &rewritings(f, g, "sqrt(x1^2 + y1^2) - 1", "2 + sin(x2)*cos(3*t)"));
}

#[test]
fn four_bar_does_not_care_how_its_bars_are_written() {
    let fixed = "constraint coupler: (x2 - x1)^2 + (y2 - y1)^2 = 6.25\n";
    let with_coupler = |(how, text): (&'static str, String)| (how, format!("{fixed}{text}"));
    let f = "x1^2 + y1^2 - 1";
    let g = "(x2 - 3)^2 + y2^2 - 8.65";
    let list: Vec<_> =
        rewritings(f, g, "norm([x1, y1]) - 1", "exp(y1) + x2^2").into_iter().map(with_coupler).collect();
    FOUR_BAR.same_for_all("four-bar", &list);
}

#[test]
fn spherical_pendulum_does_not_care_how_its_rod_is_written() {
    let length = "x^2 + y^2 + z^2";
    let list = [
        ("squared", format!("constraint {length} = 1")),
        ("root", format!("constraint sqrt({length}) = 1")),
        ("inverse", format!("constraint 1/({length}) = 1")),
        ("logarithm", format!("constraint 0.5*log({length}) = 0")),
        ("scaled up", format!("constraint 1e6*({length}) = 1e6")),
        ("scaled down", format!("constraint 1e-6*({length}) = 1e-6")),
        ("times a function", format!("constraint (2 + x*y)*({length} - 1) = 0")),
        ("two forms at once", format!("constraint {length} = 1\nconstraint sqrt({length}) = 1")),
        ("as a rate", format!("constraint ({length})' = 0")),
        ("as a rate of the root", "constraint (norm([x, y, z]))' = 0".to_string()),
    ];
    SPHERICAL_PENDULUM.same_for_all("spherical pendulum", &list);
}

#[test]
fn rolling_disk_does_not_care_how_its_contact_is_written() {
    let file = model_text("rolling_disk_lean");
    let rolling = "constraint rolling: [x', y', z'] + cross(omega, -R*up) = [0, 0, 0]";
    let slip = "let slip = [x', y', z'] + cross(omega, -R*up)\n";
    let motion = |rows: &str| run_text(&file.replace(rolling, &format!("{slip}{rows}")), &sharply_until(3.0));
    let reference = motion("constraint slip = [0, 0, 0]");
    for (how, rows) in [
        ("row by row, reordered", "constraint slip.z = 0\nconstraint slip.x = 0\nconstraint slip.y = 0"),
        ("scaled", "constraint 1e6*slip.x = 0\nconstraint 1e-6*slip.y = 0\nconstraint slip.z = 0"),
        ("twice", "constraint slip = [0, 0, 0]\nconstraint 1e3*slip = [0, 0, 0]"),
        ("times a function", "constraint (2 + sin(psi))*slip = [0, 0, 0]"),
        ("height as a position", "constraint slip.x = 0\nconstraint slip.y = 0\nconstraint z = R*cos(theta)"),
        ("height both ways", "constraint slip = [0, 0, 0]\nconstraint z = R*cos(theta)"),
        ("along and across", "constraint [dot(slip, ahead), dot(slip, axle), dot(slip, up)] = [0, 0, 0]"),
    ] {
        let columns = ["x", "y", "z", "psi", "theta", "phi", "psi'", "theta'"];
        below(
            &format!("rolling disk, {how}"),
            motions_apart(&reference, &motion(rows), &columns),
            SAME_MOTION,
        );
    }
}

#[test]
fn sleigh_in_quasi_velocities_is_the_sleigh_in_rates() {
    let quasi = model_text("chaplygin_sleigh_quasi");
    let (a, b) = (
        run_text(&model_text("chaplygin_sleigh"), &sharply_until(3.0)),
        run_text(&quasi, &sharply_until(3.0)),
    );
    below("sleigh", motions_apart(&a, &b, &["x", "y", "theta", "v", "omega", "blade_force"]), SAME_MOTION);
}

const PENDULUM_IN_ANGLES: &str = "
    parameter m1 = 1.2, m2 = 0.7, l1 = 1, l2 = 0.8, g = 9.81
    coordinate q1, q2
    SPEEDS
    let P1 = [l1*sin(q1), -l1*cos(q1)]
    let P2 = P1 + [l2*sin(q2), -l2*cos(q2)]
    kinetic m1/2*dot(P1', P1') + m2/2*dot(P2', P2')
    potential g*(m1*P1.y + m2*P2.y)
    force q1 = -0.3*q1'
    output r1 = q1'
    output r2 = q2'
    output F1 = impressed(q1)
    output E = energy
    initial q1 = 0.9, q2 = -0.4, q1' = 0.3, q2' = 1.1";

#[test]
fn any_invertible_change_of_speeds_leaves_the_motion_alone() {
    let plain = run_text(&PENDULUM_IN_ANGLES.replace("SPEEDS", ""), &sharply_until(3.0));
    let mut rng = Rng::new(11);
    for _ in 0..4 {
        let c: Vec<f64> = (0..6).map(|_| rng.number(-1.0, 1.0)).collect();
        // Diagonally dominant, so that it is invertible everywhere; affine in the rates and dependent on q and t.
        let speeds = format!(
            "speed u = (3 + {}*sin(q2))*q1' + {}*cos(q1)*q2' + {}*t\n\
             speed w = {}*q1*q1' + (3 + {}*cos(q1 - q2))*q2' + {}*sin(t)*q2",
            c[0], c[1], c[2], c[3], c[4], c[5]
        );
        let changed = run_text(&PENDULUM_IN_ANGLES.replace("SPEEDS", &speeds), &sharply_until(3.0));
        below(
            "change of speeds",
            motions_apart(&plain, &changed, &["q1", "q2", "r1", "r2", "E"]),
            SAME_MOTION,
        );
    }
}

#[test]
fn heavy_top_in_euler_angles_is_the_heavy_top_in_quaternions() {
    let euler = "
        parameter I1 = 1, I2 = 2, I3 = 3, v1 = 0.2, v3 = 0.5
        coordinate psi, theta, phi
        let w1 = psi'*sin(theta)*sin(phi) + theta'*cos(phi)
        let w2 = psi'*sin(theta)*cos(phi) - theta'*sin(phi)
        let w3 = psi'*cos(theta) + phi'
        kinetic (I1*w1^2 + I2*w2^2 + I3*w3^2)/2
        potential v1*sin(theta)*sin(phi) + v3*cos(theta)
        output gamma1 = sin(theta)*sin(phi)
        output gamma2 = sin(theta)*cos(phi)
        output gamma3 = cos(theta)
        output w[1] = w1
        output w[2] = w2
        output w[3] = w3
        initial theta = 2*atan(1/3), theta' = 0.3, psi' = 2/3, phi' = 1 - 2/3*0.8";
    let (q, e) =
        (run_text(&model_text("heavy_top"), &sharply_until(5.0)), run_text(euler, &sharply_until(5.0)));
    below("heavy top, vertical", motions_apart(&q, &e, &["gamma1", "gamma2", "gamma3"]), SAME_MOTION);
    for k in 1..=3 {
        let rate = apart(&column(&q, &format!("w{k}")), &column(&e, &format!("w[{k}]")));
        below("heavy top, body rates", rate, SAME_MOTION);
    }
}

#[test]
fn double_pendulum_in_redundant_coordinates_is_the_one_in_angles() {
    let minimal =
        model_text("double_pendulum").replace("theta1 = pi/2, theta2 = pi/2", "theta1 = 0.9, theta2 = -0.5");
    let cartesian = model_text("double_pendulum_cartesian").replace(
        "initial x1 = 1, y1 ~ 0, x2 = 2, y2 ~ 0",
        "initial x1 = sin(0.9), y1 ~ -cos(0.9), x2 = sin(0.9) - sin(0.5), y2 ~ -cos(0.9) - cos(0.5)",
    );
    let (a, b) = (run_text(&minimal, &sharply_until(5.0)), run_text(&cartesian, &sharply_until(5.0)));
    below("double pendulum", motions_apart(&a, &b, &["theta1", "theta2"]), SAME_MOTION);
    let rates = [("theta1'", "theta1_rate"), ("theta2'", "theta2_rate")];
    for (minimal, redundant) in rates {
        below("double pendulum, rates", apart(&column(&a, minimal), &column(&b, redundant)), SAME_MOTION);
    }
}

#[test]
fn a_coordinate_without_mass_follows_its_constraints() {
    let minimal = "
        parameter m = 1, l = 0.7, g = 9.81
        coordinate theta
        kinetic m*l^2/2*theta'^2
        potential -m*g*l*cos(theta)
        initial theta = 1.2";
    let (a, b) = (
        run_text(minimal, &sharply_until(2.0)),
        run_text(&model_text("pendulum_massless"), &sharply_until(2.0)),
    );
    below("massless angle", motions_apart(&a, &b, &["theta", "theta'"]), SAME_MOTION);
}
