//! Two roads from bodies to numbers: recursions over the tree, and energies in symbols. Random trees with all kinds of
//! joints, springs, motors, drives, loops and constraints of the user.

use crate::support::{Rng, load};
use dalembert::Workspace;
use dalembert::compile::Compiled;
use dalembert::run::{Accelerator, Dynamics, Point, Terms};

const KINDS: [&str; 9] =
    ["pin", "slider", "cylindrical", "screw pitch 0.3", "universal", "ball", "planar", "free", "weld"];

fn number(rng: &mut Rng) -> String {
    format!("{:.3}", rng.between(-1.0, 1.0))
}

fn vector(rng: &mut Rng) -> String {
    match rng.below(3) {
        0 => format!("[0, 0, {}]", number(rng)),
        _ => format!("[{}, {}, {}]", number(rng), number(rng), number(rng)),
    }
}

/// A place on a body, turned somehow.
fn place(rng: &mut Rng, body: &str) -> String {
    let turned = match rng.below(4) {
        0 => " turned rpy(pi/2, 0, 0)".to_owned(),
        1 => format!(" turned rpy({}, {}, {})", number(rng), number(rng), number(rng)),
        2 => " turned axis [0, 1, 0] by gamma".to_owned(),
        _ => String::new(),
    };
    format!("{body} at {}{turned}", vector(rng))
}

fn body(rng: &mut Rng, k: usize) -> String {
    let centre = vector(rng);
    let (a, b, c) = (number(rng), number(rng), number(rng));
    let inertia = match rng.below(2) {
        0 => "[0.3, 0.4, 0.5]".to_owned(),
        _ => format!("[[1, 0.2*{a}, 0.2*{b}], [0.2*{a}, 1.2, 0.2*{c}], [0.2*{b}, 0.2*{c}, 0.9*J]]"),
    };
    let mass = if rng.below(3) == 0 { "m".to_owned() } else { format!("1.{k}") };
    format!("body b{k}: mass {mass}, centre {centre}, inertia {inertia}\n")
}

fn axis(rng: &mut Rng, kind: &str) -> String {
    let one = ["[1, 0, 0]", "[0, 1, 0]", "[0, 0, -1]", "[1, 2, -2]"];
    match kind {
        "ball" | "free" | "weld" => String::new(),
        "universal" => {
            ["", ", axes [0, 0, 1], [1, 0, 0]", ", axes [1, 1, 0], [1, -1, 0]"][rng.below(3)].to_owned()
        }
        _ => format!(", axis {}", one[rng.below(4)]),
    }
}

/// A tree of `n` bodies; `turns` of joints that carry their first body.
pub(super) fn tree(rng: &mut Rng, n: usize) -> String {
    let mut text = String::from("parameter m = 1.3, J = 1.1, gamma = 0.4, k = 3\ngravity [0.3, -1, -9.81]\n");
    for k in 0..n {
        text += &body(rng, k);
    }
    for k in 0..n {
        let kind = KINDS[rng.below(KINDS.len())];
        let parent = match rng.below(k + 1) {
            0 => "ground".to_owned(),
            p => format!("b{}", p - 1),
        };
        let (from, to) = (place(rng, &parent), place(rng, &format!("b{k}")));
        let several = matches!(kind, "ball" | "free");
        let (first, second) = if !several && rng.below(3) == 0 { (&to, &from) } else { (&from, &to) };
        let drive = if !several && kind != "weld" && rng.below(4) == 0 { ", armature 0.2" } else { "" };
        text += &format!("joint j{k}: {kind} {first} to {second}{}{drive}\n", axis(rng, kind));
        if matches!(kind, "pin" | "slider" | "screw pitch 0.3") {
            text += &format!("force j{k} = 0.7*sin(t) - 0.1*j{k}'\nspring s{k}: k angle 0.2 at j{k}\n");
        }
    }
    text + "body last: mass 0.2, inertia [0.1, 0.1, 0.1]\njoint jl: pin b0 at [0.1, 0, 0] to last\n"
}

pub(super) fn state(model: &Workspace, rng: &mut Rng) -> (Vec<f64>, Vec<f64>) {
    let mut x: Vec<f64> = model.form.coordinates.iter().map(|_| rng.between(-1.0, 1.0)).collect();
    let eta = model.form.speeds.iter().map(|_| rng.between(-2.0, 2.0)).collect();
    let joints = model.system.bodies.iter().flat_map(|bodies| &bodies.joints);
    for joint in joints.filter(|joint| !joint.speeds.is_empty()) {
        let e = &joint.coordinates[joint.coordinates.len() - 4..];
        let length = e.iter().map(|&i| x[i] * x[i]).sum::<f64>().sqrt();
        e.iter().for_each(|&i| x[i] /= length);
    }
    (x, eta)
}

fn difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let size = a.iter().chain(b).fold(1e-300f64, |m, v| m.max(v.abs()));
    a.iter().zip(b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs())) / size
}

/// The system by symbols and by recursions, with states at which they are compared.
struct Roads {
    symbols: Compiled,
    recursion: Compiled,
    states: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Roads {
    fn of(text: &str, rng: &mut Rng) -> Roads {
        let mut model = load(text);
        model.derive_symbols().unwrap_or_else(|d| panic!("{}", d.message));
        let parameters = model.compiled.parameters().to_vec();
        let (mut by_symbols, mut by_recursion) = (model.form.clone(), model.form.clone());
        (by_symbols.besides_bodies, by_recursion.is_deferred) = (None, true);
        let symbols = Compiled::new(&mut model.system, &by_symbols, parameters.clone());
        let mut recursion = Compiled::new(&mut model.system, &by_recursion, parameters);
        recursion.compile_native(&mut model.system, &by_recursion);
        Roads { symbols, recursion, states: (0..3).map(|_| state(&model, rng)).collect() }
    }

    /// x', M, Q, A, b at states that need not be on the constraints.
    fn terms_agree(&self, text: &str) {
        let read = |kernel: &Compiled, at: Point<'_>| {
            let (mut terms, mut scratch) = (Terms::of(kernel), vec![0.0; kernel.scratch_len()]);
            kernel.terms(at, &mut scratch, &mut terms);
            terms.written_out()
        };
        for (x, eta) in &self.states {
            let at = Point { t: 0.3, x, eta };
            let (a, b) = (read(&self.symbols, at), read(&self.recursion, at));
            let parts = [
                ("x'", &a.x_dot, &b.x_dot),
                ("M", &a.M, &b.M),
                ("Q", &a.Q, &b.Q),
                ("A", &a.A, &b.A),
                ("b", &a.b, &b.b),
            ];
            for (name, a, b) in parts {
                let off = difference(a, b);
                assert!(off < 1e-12, "{name} differs by {off:.1e}\n{text}");
            }
        }
    }

    /// Accelerations of the fused program where it trusts itself.
    fn accelerations_agree(&self, text: &str) {
        for (x, eta) in &self.states {
            let at = Point { t: 0.3, x, eta };
            let wanted =
                Accelerator::new(&self.symbols).solve(&self.symbols, at).expect("regular").eta_dot.clone();
            let (n_x, n) = (x.len(), eta.len());
            let Some(fused) = self.recursion.fused() else { continue };
            let mut out = fused.results();
            if fused.accelerate(at, &mut fused.workspace(), &mut out) {
                let off = difference(&wanted, &out[n_x..n_x + n]);
                assert!(off < 1e-10, "accelerations differ by {off:.1e}\n{text}");
            }
        }
    }
}

fn agree(text: &str, rng: &mut Rng) {
    let roads = Roads::of(text, rng);
    roads.terms_agree(text);
    roads.accelerations_agree(text);
}

#[test]
fn rows_of_loops_agree() {
    let kinds = [
        ("pin", ", axis [0, 1, 0]"),
        ("slider", ", axis [0, 1, 0]"),
        ("cylindrical", ", axis [1, 0, 0]"),
        ("screw pitch 0.3", ", axis [0, 1, 0]"),
        ("universal", ""),
        ("ball", ""),
        ("planar", ", axis [1, 0, 0]"),
        ("weld", ""),
        ("rod length 0.7", ""),
    ];
    for (kind, axis) in kinds {
        let text = format!(
            "gravity [0, 0, -9.81]
            body a: box 1 size [1, 0.5, 0.25]
            body b: box 1 size [0.5, 1, 0.25]
            joint s: universal ground to a
            joint e: universal a at [1, 0, 0.5] to b
            joint c: {kind} a at [0.5, 0.5, 0] turned rpy(0, pi/2, 0) \
            to b at [0, 0.5, 0.5] turned rpy(pi/2, 0, 0){axis}, cut"
        );
        Roads::of(&text, &mut Rng::new(8)).terms_agree(&text);
    }
}

#[test]
fn random_trees_agree() {
    let mut rng = Rng::new(20);
    for _ in 0..8 {
        let n = 2 + rng.below(2);
        let text = tree(&mut rng, n);
        agree(&text, &mut rng);
    }
}

#[test]
fn chains_by_articulated_bodies_agree() {
    let mut text = String::from("gravity [0, 0, -9.81]\n");
    for k in 0..7 {
        let axis = ["[1, 0, 0]", "[0, 0, 1]"][k % 2];
        let from = if k == 0 { "ground".to_owned() } else { format!("b{} at [0, 0.1, -0.3]", k - 1) };
        text += &format!(
            "body b{k}: rod 1 from [0, 0, 0] to [0, 0.1, -0.3]\njoint j{k}: pin {from} to b{k}, axis {axis}\n"
        );
    }
    agree(&text, &mut Rng::new(3));
}

#[test]
fn bodies_mix_with_coordinates_and_constraints() {
    let text = "parameter m = 1
        gravity [0, 0, -9.81]
        coordinate s
        body a: rod 2 from [0, 0, 0] to [1, 0, 0]
        body b: box 1 size [0.2, 0.3, 0.4]
        body c: ball 1 radius 0.2
        joint arm: pin ground to a, axis [0, 1, 0]
        joint elbow: pin a at [1, 0, 0] to b, axis [0, 1, 0]
        joint wrist: universal b at [0, 0, 0.3] to c
        spring pull: 30 length 0.5 between [0, 0, 0] of c and [0, 0, 1] of ground
        damper slow: 0.4 between [0, 0, 0] of b and [1, 0, 0] of ground
        kinetic 2*s'^2 + 0.1*s'*arm'
        constraint tie: s = sin(arm)
        initial arm = 0.2, s ~ 0.1";
    agree(text, &mut Rng::new(5));
}

#[test]
fn verify_compares_the_roads() {
    let text = "gravity [0, 0, -9.81]
        body a: box 2 size [1, 0.2, 0.3] at [0.5, 0, 0]
        body b: box 1 size [0.2, 0.3, 1] at [0, 0, 0.5]
        joint arm: universal ground to a
        joint elbow: universal a at [1, 0, 0] to b
        initial arm.first = 0.3, elbow.second = 0.2, elbow.first' = 1";
    let mut model = load(text);
    assert!(model.form.is_deferred);
    let found = dalembert::verify::verify(&mut model).unwrap_or_else(|d| panic!("{}", d.message));
    let check = found.check("recursion").expect("there are bodies");
    assert!(check.passed && check.worst < 1e-12, "{check:?}");
    assert!(found.passed());
}

#[test]
fn friction_of_given_limits_leaves_the_recursion_alone() {
    let mut arm = String::from("gravity [0, 0, -9.81]\n");
    for k in 0..4 {
        let from = if k == 0 { "ground".to_owned() } else { format!("b{} at [0.4, 0.1, 0]", k - 1) };
        arm += &format!(
            "body b{k}: mass 1.2, centre [0.21, 0.013, -0.07], inertia [0.02, 0.05, 0.04]
            joint j{k}: pin {from} turned rpy(0.612372, -0.35355, 0.4148) to b{k}, axis [0.3, 1, 0]\n"
        );
    }
    let start = "initial j0 = 0.3, j1 = 0.2, j0' = 1, j1' = 0.5, j2' = -0.4, j3' = 2\n";
    let accelerations = |laws: &str| {
        let mut model = load(&format!("{arm}{laws}{start}"));
        assert!(model.form.is_deferred, "{laws}");
        let start = model.start().unwrap_or_else(|d| panic!("{}", d.message));
        let now = model.evaluate(&start.state).unwrap_or_else(|d| panic!("{}", d.message));
        now.solution.eta_dot.clone()
    };
    let by_friction = accelerations("friction in j1: limit 0.7\nfriction in j2: limit 0.4\n");
    let by_hand = accelerations("force j1 = -0.7\nforce j2 = 0.4\n");
    assert!(difference(&by_friction, &by_hand) < 1e-13, "{by_friction:?} {by_hand:?}");
}
