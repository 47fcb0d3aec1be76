//! Linear systems and equilibria against published matrices and closed forms.

#![allow(clippy::excessive_precision, reason = "published values with all their digits")]

use crate::support::*;
use dalembert::Workspace;
use dalembert::equilibrium::{Equilibrium, EquilibriumSearch};
use dalembert::linearize::{Linearization, Linearizer, OperatingPoint, Over, Range, StabilityVerdict};
use dalembert_linalg::Complex;

fn linear(model: &mut Workspace, at: &str, independent: &[&str]) -> Linearization {
    let names: Vec<String> = independent.iter().map(|s| (*s).to_owned()).collect();
    let state = model.operating_point(at).unwrap_or_else(|d| panic!("{}", d.message));
    model.linearize(&state, &names).unwrap_or_else(|d| panic!("{}", d.message))
}

fn verdict(l: &Linearization) -> StabilityVerdict {
    l.stability.as_ref().expect("an equilibrium or a steady motion").verdict
}

fn at(text: &str, starts: &str) -> Vec<Equilibrium> {
    let mut model = load(text);
    let search = EquilibriumSearch { at: starts.to_owned(), ..EquilibriumSearch::default() };
    model.equilibria(&search).unwrap_or_else(|d| panic!("{}", d.message)).equilibria
}

/// Where a function changes sign, by bisection and to rounding.
fn root(mut low: f64, mut high: f64, mut f: impl FnMut(f64) -> f64) -> f64 {
    let sign = f(low) > 0.0;
    assert_ne!(sign, f(high) > 0.0, "no change of sign");
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if (f(middle) > 0.0) == sign { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[track_caller]
fn close(what: &str, a: &[f64], b: &[f64], bound: f64) {
    below(what, apart(a, b), bound);
}

// --- The bicycle of Meijaard, Papadopoulos, Ruina and Schwab 2007, from the nonlinear model.

struct Bicycle {
    model: Workspace,
    linearizer: Linearizer,
}

impl Bicycle {
    fn new() -> Self {
        let mut model = load_file("bicycle");
        let names = ["roll".to_owned(), "steer".to_owned()];
        let linearizer = Linearizer::new(&mut model, &names).unwrap_or_else(|d| panic!("{}", d.message));
        Bicycle { model, linearizer }
    }

    /// Straight running, upright, at a speed.
    fn at(&mut self, v: f64) -> Linearization {
        let at = format!("roll=0, steer=0, roll'=0, steer'=0, spinR'={:e}", -v / 0.3);
        let state = self.model.operating_point(&at).unwrap_or_else(|d| panic!("{}", d.message));
        self.linearizer.at(&mut self.model, &state).unwrap_or_else(|d| panic!("{}", d.message))
    }

    /// The four roots that are not zero.
    fn roots(&mut self, v: f64) -> Vec<Complex> {
        let l = self.at(v);
        l.eigen.values.iter().copied().filter(|s| s.abs() > 1e-12).collect()
    }
}

/// Published to 15 digits; the model reaches the published rounding, 1e-12 and better.
#[test]
fn bicycle_matrices() {
    let mut bicycle = Bicycle::new();
    let still = bicycle.at(0.0).split.expect("lean and steer are closed");
    let g = 9.81;
    close("M", &still.mass, &[80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686], 1e-12);
    let K0: Vec<f64> = still.stiffness.iter().map(|v| v / g).collect();
    close("K0", &K0, &[-80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618], 1e-12);
    close("D at rest", &still.damping, &[0.0; 4], 1e-12);
    for v in [1.0, 4.0, 9.0] {
        let moving = bicycle.at(v).split.expect("lean and steer are closed");
        let C1: Vec<f64> = moving.damping.iter().map(|d| d / v).collect();
        close("C1", &C1, &[0.0, 33.86641391492494, -0.85035641456978, 1.68540397397560], 1e-12);
        let K2: Vec<f64> =
            moving.stiffness.iter().zip(&still.stiffness).map(|(a, b)| (a - b) / (v * v)).collect();
        close("K2", &K2, &[0.0, 76.59734589573222, 0.0, 2.65431523794604], 2e-12);
        assert_eq!(moving.coordinates, ["roll", "steer"]);
    }
}

#[test]
fn bicycle_eigenvalues() {
    let mut bicycle = Bicycle::new();
    let still: Vec<f64> = bicycle.roots(0.0).iter().map(|s| s.re).collect();
    let known = [5.53094371765393464, 3.13164324790655567, -3.13164324790655567, -5.53094371765393464];
    close("v = 0", &still, &known, 1e-12);
    let five = bicycle.roots(5.0);
    let flat: Vec<f64> = five.iter().flat_map(|s| [s.re, s.im]).collect();
    let (re, im) = (-0.775341882195841925, 4.46486771378822514);
    close("v = 5", &flat, &[-0.322866429004087078, 0.0, re, im, re, -im, -14.0783896927982472, 0.0], 1e-12);
}

#[test]
fn bicycle_speeds() {
    let mut bicycle = Bicycle::new();
    // Weave: the real part of the pair; capsize: the small real root; double: the square of the difference of two roots.
    let weave = root(4.0, 5.0, |v| bicycle.roots(v).iter().find(|s| s.im > 0.0).expect("a pair").re);
    below("weave speed", (weave - 4.2923825363411039587).abs(), 1e-10);
    let capsize = root(5.5, 6.5, |v| bicycle.roots(v).iter().find(|s| s.im == 0.0).expect("real").re);
    below("capsize speed", (capsize - 6.0242620153883588899).abs(), 1e-10);
    let double = root(0.6, 0.75, |v| {
        let r = bicycle.roots(v);
        let d = r[0] - r[1];
        (d * d).re
    });
    below("double root", (double - 0.684283078892456).abs(), 1e-8);
}

#[test]
fn bicycle_is_steady_and_stable_in_between() {
    let mut bicycle = Bicycle::new();
    let l = bicycle.at(5.0);
    assert!(matches!(l.kind, OperatingPoint::Steady { .. }), "{:?}", l.kind);
    assert_eq!(verdict(&l), StabilityVerdict::Stable, "{:?}", l.stability);
    let named: Vec<&str> = l.ignorable.iter().map(|i| l.states[*i].as_str()).collect();
    assert_eq!(named, ["x", "y", "yaw", "spinR", "spinF"]);
    assert_eq!(verdict(&bicycle.at(4.0)), StabilityVerdict::Unstable);
    assert_eq!(verdict(&bicycle.at(7.0)), StabilityVerdict::Unstable);
    // Six zeros: five ignorable coordinates and the speed itself.
    assert_eq!(l.eigen.values.iter().filter(|v| v.abs() == 0.0).count(), 6);
}

/// A motion near straight running is the linear one: weave excited by a small amount.
#[test]
fn bicycle_motion_follows_its_mode() {
    let mut bicycle = Bicycle::new();
    let l = bicycle.at(4.6);
    let k = l.eigen.values.iter().position(|s| s.im > 0.0).expect("weave");
    let (s, mode, size) = (l.eigen.values[k], l.mode(k), 1e-5);
    let mut start = l.state.clone();
    start.x.iter_mut().chain(&mut start.eta).zip(&mode).for_each(|(v, m)| *v += size * m.0);
    let T = 0.5;
    let motion = run(&mut bicycle.model, &dalembert::Request { start: Some(start), ..sharply_until(T) });
    let grown = |m: &(f64, f64)| size * (s.re * T).exp() * (m.0 * (s.im * T).cos() - m.1 * (s.im * T).sin());
    for (name, i) in [("roll", 4), ("steer", 6), ("yaw", 3)] {
        below(name, (last(&motion, name) - grown(&mode[i])).abs() / size, 1e-4); // terms of second order
    }
}

// --- Rolling disk and torus.

/// The square of the largest root, which is analytic where it changes sign.
fn square_of_pair(model: &mut Workspace, linearizer: &Linearizer, spin: f64) -> f64 {
    let state = model.operating_point(&format!("theta=0, z=0.5, psi'=0, theta'=0, phi'={spin}")).unwrap();
    let l = linearizer.at(model, &state).unwrap();
    l.eigen.values.iter().map(|s| *s * *s).fold(0.0, |m, s| if s.re.abs() > f64::abs(m) { s.re } else { m })
}

#[test]
fn critical_spin_of_the_disk() {
    let mut model = load_file("rolling_disk_lean");
    let linearizer = Linearizer::new(&mut model, &[]).unwrap();
    let critical = root(2.0, 3.0, |spin| square_of_pair(&mut model, &linearizer, spin));
    below("critical spin", (critical / 2.55734237050888437 - 1.0).abs(), 1e-8);
    let slow = linear(&mut model, "theta=0, z=0.5, psi'=0, theta'=0, phi'=2.4", &[]);
    assert_eq!(verdict(&slow), StabilityVerdict::Unstable);
    let fast = linear(&mut model, "theta=0, z=0.5, psi'=0, theta'=0, phi'=2.7", &[]);
    // The disk neither falls nor settles: nothing in the linear terms decides.
    assert_eq!(verdict(&fast), StabilityVerdict::Undecided);
}

#[test]
fn critical_spin_of_the_torus() {
    let (m, R, a, g) = (1.0f64, 0.5f64, 0.1f64, 9.81f64);
    let (A, C) = (m * (R * R / 2.0 + 5.0 * a * a / 8.0), m * (R * R + 3.0 * a * a / 4.0));
    let known = (A * m * g * R / (C * (C + m * (R + a) * (R + a)))).sqrt();
    let mut model = load_file("rolling_torus");
    let linearizer = Linearizer::new(&mut model, &[]).unwrap();
    let critical = root(1.0, 3.0, |spin| {
        let state = model.operating_point(&format!("theta=0, z=0.6, psi'=0, theta'=0, phi'={spin}")).unwrap();
        let l = linearizer.at(&mut model, &state).unwrap();
        l.eigen
            .values
            .iter()
            .map(|s| *s * *s)
            .fold(0.0, |m, s| if s.re.abs() > f64::abs(m) { s.re } else { m })
    });
    below("critical spin", (critical / known - 1.0).abs(), 1e-8);
}

#[test]
fn steady_turning_of_the_disk() {
    let lean = 20f64.to_radians();
    let found = at(&model_text("rolling_disk_lean"), &format!("theta={lean}, psi'=3"));
    let e = found.first().expect("a steady motion");
    let (theta, psi, phi) = (e.linear.state.x[4], e.linear.state.eta[3], e.linear.state.eta[5]);
    below("spin about the axle", (phi + psi * theta.sin() + 1.41590014973780793).abs(), 1e-12);
    assert!(theta == lean && psi == 3.0 && matches!(e.linear.kind, OperatingPoint::Steady { .. }));
}

/// A nonholonomic equilibrium: the disk on its edge, at rest.
#[test]
fn upright_disk_at_rest() {
    let found = at(&model_text("rolling_disk_lean"), "");
    let upright =
        found.iter().find(|e| e.linear.kind == OperatingPoint::Equilibrium && e.linear.state.x[4] == 0.0);
    let e = upright.expect("upright rest is found");
    let falls = (9.81f64 * 0.5 / (0.0625 + 0.25)).sqrt();
    below("falling", (e.linear.eigen.values[0].re - falls).abs(), 1e-13);
    assert_eq!(verdict(&e.linear), StabilityVerdict::Unstable);
    // The ground carries the weight.
    let force: f64 = (0..3).map(|r| e.now.terms.A[r * 6 + 2] * e.now.solution.lambda[r]).sum();
    below("weight", (force - 9.81).abs(), 1e-12);
}

// --- Bead on a hoop (D7).

#[test]
fn bead_on_a_hoop() {
    let found = at(&model_text("bead_hoop"), "");
    assert_eq!(found.len(), 4);
    let side =
        found.iter().find(|e| e.linear.state.x[0] > 0.1 && e.linear.state.x[0] < 3.0).expect("at the side");
    below("angle", (side.linear.state.x[0] - 0.9944072120586994554).abs(), 1e-12);
    below("frequency", (side.linear.eigen.values[0].im - 5.0306162644352033701).abs(), 1e-12);
    assert_eq!(verdict(&side.linear), StabilityVerdict::Stable);
    let mut slow = load_with(&model_text("bead_hoop"), &sets(&[("W", "3")]));
    let bottom = linear(&mut slow, "theta=0", &[]);
    below("at the bottom", (bottom.eigen.values[0].im - 3.2588341473600647172).abs(), 1e-12);
    let critical = root(4.0, 5.0, |W| {
        let mut model = load_with(&model_text("bead_hoop"), &sets(&[("W", &format!("{W:e}"))]));
        let s = linear(&mut model, "theta=0", &[]).eigen.values[0];
        (s * s).re
    });
    below("critical speed", (critical / 4.4294469180700201727 - 1.0).abs(), 1e-12);
}

/// The same hoop as a steady motion: free to turn, its angle ignorable.
#[test]
fn bead_on_a_hoop_that_turns_freely() {
    let text = "coordinate theta, phi
        kinetic 0.25/2*theta'^2 + (1 + 0.25*sin(theta)^2)/2*phi'^2
        potential -9.81*0.5*cos(theta)
        initial theta = 0.8, phi' = 6";
    let found = at(text, "");
    let steady: Vec<&Equilibrium> =
        found.iter().filter(|e| matches!(e.linear.kind, OperatingPoint::Steady { .. })).collect();
    let side =
        steady.iter().find(|e| e.linear.state.x[0] > 0.1 && e.linear.state.x[0] < 3.0).expect("at the side");
    below("angle", (side.linear.state.x[0].cos() - 9.81 / (0.5 * 36.0)).abs(), 1e-13);
    assert_eq!(side.linear.state.eta[1], 6.0);
    // Rest is there too.
    assert!(found.iter().any(|e| e.linear.kind == OperatingPoint::Equilibrium));
}

// --- Tops.

#[test]
fn sleeping_top() {
    let (A, C, h) = (2.0f64, 1.0f64, 3.0f64);
    let threshold = (4.0 * A * h).sqrt() / C;
    for (factor, stable) in [(0.9, false), (1.1, true)] {
        let n = factor * threshold;
        let mut model = load_with(&model_text("sleeping_top"), &sets(&[("n", &format!("{n:e}"))]));
        let l = linear(&mut model, "", &[]);
        // A s^2 - i C n s - h = 0.
        let disc = 4.0 * A * h - C * C * n * n;
        let (re, im) = if disc > 0.0 { (disc.sqrt(), C * n) } else { (0.0, C * n + (-disc).sqrt()) };
        let found = l.eigen.values.iter().find(|s| s.re >= 0.0 && s.im > 0.0).expect("a pair");
        let largest = l.eigen.values.iter().map(|s| s.im).fold(0.0, f64::max);
        below("real part", (found.re - re / (2.0 * A)).abs(), 1e-13);
        below("imaginary part", (largest - im / (2.0 * A)).abs(), 1e-13);
        assert_eq!(
            verdict(&l),
            if stable { StabilityVerdict::Undecided } else { StabilityVerdict::Unstable }
        );
        assert!(matches!(l.kind, OperatingPoint::Steady { .. }));
    }
    // The threshold itself, where the pairs meet: (s1 - s2)^2 changes sign.
    let critical = root(4.0, 6.0, |n| {
        let mut model = load_with(&model_text("sleeping_top"), &sets(&[("n", &format!("{n:e}"))]));
        let upper: Vec<Complex> =
            linear(&mut model, "", &[]).eigen.values.into_iter().filter(|s| s.im > 0.0).collect();
        let d = upper[0] - upper[1];
        (d * d).re
    });
    below("threshold", (critical / threshold - 1.0).abs(), 1e-9);
}

#[test]
fn body_about_its_middle_axis() {
    let mut model = load_file("rigid_body");
    let l = linear(&mut model, "w1=0, w2=5, w3=0", &[]);
    let grows = 5.0 * (1.0f64 / 3.0).sqrt();
    below("growth", (l.eigen.values[0].re - grows).abs(), 1e-13);
    assert_eq!(verdict(&l), StabilityVerdict::Unstable);
    assert!(l.split.is_err(), "body rates are no rates of coordinates");
    assert_eq!(l.dimension(), 6, "a quaternion has three free directions");
}

// --- Ziegler's column and the vibration absorber.

#[test]
fn ziegler_flutter() {
    let text = model_text("ziegler_column");
    // Without damping the roots meet at (7/2 - sqrt 2) k/l; with equal dampers flutter comes at (41/28) k/l + c^2/(2 m l^2).
    let grows = |P: f64, c: &str| {
        let mut model = load_with(&text, &sets(&[("P", &format!("{P:e}")), ("c", c)]));
        linear(&mut model, "q1=0, q2=0", &[]).eigen.values[0].re
    };
    let undamped = root(15.0, 25.0, |P| grows(P, "0") - 1e-6);
    below("undamped flutter", (undamped / (35.0 - 10.0 * 2f64.sqrt()) - 1.0).abs(), 1e-9);
    let damped = root(12.0, 16.0, |P| grows(P, "0.2"));
    below("damped flutter", (damped / (410.0 / 28.0 + 0.02) - 1.0).abs(), 1e-12);
    let mut model = load_with(&text, &sets(&[("P", "12")]));
    assert_eq!(verdict(&linear(&mut model, "q1=0, q2=0", &[])), StabilityVerdict::AsymptoticallyStable);
}

#[test]
fn vibration_absorber() {
    let mut model = load_file("vibration_absorber");
    let l = linear(&mut model, "x1=0, x2=0", &[]);
    let split = l.split.as_ref().expect("plain coordinates");
    assert_eq!(split.mass, [11.0, 1.0, 1.0, 1.0]);
    assert_eq!(split.stiffness, [1000.0, 0.0, 0.0, 90.0]);
    assert_eq!(split.damping, [0.0, 0.0, 0.0, 3.0]);
    // det(M s^2 + D s + K) by hand.
    for s in &l.eigen.values {
        let c = |v: f64| Complex::new(v, 0.0);
        let s2 = *s * *s;
        let det = (c(11.0) * s2 + c(1000.0)) * (s2 + c(3.0) * *s + c(90.0)) - s2 * s2;
        below("characteristic polynomial", det.abs(), 1e-9);
    }
    // Driven by F0 sin(w t): no equilibrium, though nothing moves at t = 0.
    assert_eq!(l.kind, OperatingPoint::Neither { changing: vec![], driven: true });
    assert!(l.time_dependent && !l.matrix_time_dependent && l.stability.is_none());
}

// --- Pendula, redundant and minimal.

#[test]
fn pendulum_hanging_and_standing() {
    let text = "parameter m = 2, l = 0.5, g = 9.81
        coordinate x, y
        kinetic m/2*(x'^2 + y'^2)
        potential m*g*y
        constraint rod: x^2 + y^2 = l^2
        constraint again: 3*x^2 + 3*y^2 = 3*l^2
        initial x ~ 0.1, y ~ -1";
    let found = at(text, "");
    assert_eq!(found.len(), 2);
    for e in &found {
        let down = e.linear.state.x[1] < 0.0;
        assert_eq!(
            verdict(&e.linear),
            if down { StabilityVerdict::Stable } else { StabilityVerdict::Unstable }
        );
        let s = e.linear.eigen.values[0];
        below("root", ((s * s).re + if down { 19.62 } else { -19.62 }).abs(), 1e-12);
        // Two rods share the weight; the force does not depend on how.
        below("force", (e.now.solution.ideal_force[1] - 19.62).abs(), 1e-12);
    }
    let damped = format!("{text}\ndissipation 0.1*(x'^2 + y'^2)");
    assert_eq!(verdict(&at(&damped, "")[0].linear), StabilityVerdict::AsymptoticallyStable);
}

/// The unit of length is the user's: both equilibria are found in micrometres and in millions of metres.
#[test]
fn equilibria_of_any_size() {
    for l in [1e-4f64, 1.0, 1e4, 1e7] {
        let text = format!(
            "parameter l = {l:e}, g = 9.81
            coordinate x, y
            kinetic (x'^2 + y'^2)/2
            potential g*y
            constraint rod: x^2 + y^2 = l^2
            initial x = 0.6*{l:e}, y ~ -0.8*{l:e}"
        );
        let found = at(&text, "");
        assert_eq!(found.len(), 2, "l = {l:e}");
        for e in &found {
            let s = e.linear.eigen.values[0];
            below("root", ((s * s).re.abs() * l / 9.81 - 1.0).abs(), 1e-9);
        }
    }
}

#[test]
fn double_pendulum_both_ways() {
    let minimal = linear(&mut load_file("double_pendulum"), "theta1=0, theta2=0, theta1'=0, theta2'=0", &[]);
    let mut cartesian = load_file("double_pendulum_cartesian");
    let hanging = "x1=0, y1=-1, x2=0, y2=-2, x1'=0, x2'=0";
    let redundant = linear(&mut cartesian, hanging, &[]);
    let frequency = |s: &Linearization| s.eigen.values.iter().map(|v| v.im).fold(0.0, f64::max);
    let known = (9.81f64 * (2.0 + 2f64.sqrt())).sqrt();
    below("minimal", (frequency(&minimal) - known).abs(), 1e-13);
    below("redundant", (frequency(&redundant) - known).abs(), 1e-12);
}

// --- What is not decided, and what is refused.

#[test]
fn verdicts_are_sound() {
    let told = |text: &str| {
        let l = linear(&mut load(text), "", &[]);
        (verdict(&l), l.kind)
    };
    // x^4 is stable, but the linear terms do not know.
    assert_eq!(
        told("coordinate x\nkinetic x'^2/2\npotential x^4"),
        (StabilityVerdict::Undecided, OperatingPoint::Equilibrium)
    );
    assert_eq!(told("coordinate x\nkinetic x'^2/2\npotential -x^4").0, StabilityVerdict::Undecided);
    // Gyroscopic stabilisation at a maximum: the axis, hence undecided.
    let gyro =
        "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential -(x^2 + y^2)/2\nlagrangian 3*(x*y' - y*x')";
    assert_eq!(told(gyro).0, StabilityVerdict::Undecided);
    // Circulatory forces have no energy: undecided with roots on the axis.
    assert_eq!(told("coordinate x\nkinetic x'^2/2\nforce x = -x").0, StabilityVerdict::Undecided);
    // A free cart with a pendulum: stable in what is not ignorable, by energy.
    let cart = "coordinate x, a\nkinetic x'^2/2 + (x'^2 + 2*x'*a'*cos(a) + a'^2)/2\npotential -cos(a)";
    let l = linear(&mut load(cart), "", &[]);
    assert_eq!(verdict(&l), StabilityVerdict::Stable);
    assert_eq!(l.ignorable, [0]);
}

#[test]
fn no_equilibrium_is_said_to_be_none() {
    let l = linear(&mut load("coordinate x\nkinetic x'^2/2\npotential 9.81*x"), "", &[]);
    assert_eq!(l.kind, OperatingPoint::Neither { changing: vec![1], driven: false });
    assert_eq!(l.rates, [0.0, -9.81]);
    let mut model = load_file("pendulum");
    let l = linear(&mut model, "theta=1", &[]);
    assert!(matches!(l.kind, OperatingPoint::Neither { .. }) && l.stability.is_none());
    below("slope", (l.state_matrix[2] + 9.81 * 1f64.cos()).abs(), 1e-13);
}

#[test]
fn kinks_are_refused_and_smooth_laws_are_not() {
    let refused = |text: &str| {
        let mut model = load(text);
        let state = model.operating_point("").unwrap();
        model.linearize(&state, &[]).expect_err("has no derivative").code.id()
    };
    assert_eq!(refused("coordinate x\nkinetic x'^2/2\nforce x = -sign(x')"), "E0520");
    assert_eq!(refused("coordinate x\nkinetic x'^2/2\nforce x = -abs(x)"), "E0520");
    assert_eq!(refused("coordinate x\nkinetic x'^2/2\nforce x = -sqrt(abs(x))"), "E0520");
    assert_eq!(refused("coordinate x\nkinetic x'^2/2\nforce x = if x > 0 then -x else 0"), "E0520");
    let mut smooth = load("coordinate x\nkinetic x'^2/2\npotential x^2/2\nforce x = -x'*abs(x')");
    assert_eq!(linear(&mut smooth, "", &[]).state_matrix, [0.0, 1.0, -1.0, 0.0]);
    // Degenerate rows: Appell-Hamel at rest.
    let mut cone = load_file("appell_hamel");
    let rest = dalembert::run::State::new(0.0, &[0.0; 3], &[0.0; 3]);
    assert!(cone.linearize(&rest, &[]).is_err());
    let mut cross =
        load("coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential x^2/2\nconstraint c: x'*y' = 0");
    let rest = dalembert::run::State::new(0.0, &[0.0; 2], &[0.0; 2]);
    assert_eq!(cross.linearize(&rest, &[]).expect_err("the row vanishes at rest").code.id(), "E0515");
    // Dependent variables cannot all be asked for.
    let mut disk = load_file("rolling_disk");
    let state = disk.operating_point("").unwrap();
    let names = ["x'".to_owned(), "y'".to_owned(), "theta'".to_owned()];
    assert_eq!(disk.linearize(&state, &names).expect_err("they depend").code.id(), "E0803");
    assert!(disk.linearize(&state, &["thta".to_owned()]).is_err());
}

#[test]
fn sweeps_follow_branches() {
    let model = load_file("bead_hoop");
    let range = Range::read("W=0..10:201").unwrap();
    let over = Over { at: "theta=0".to_owned(), ..Over::default() };
    let sweep = model.eigenvalues_over(&range, &over).unwrap_or_else(|d| panic!("{}", d.message));
    assert_eq!(sweep.table.columns, ["W", "re1", "im1", "re2", "im2"]);
    for row in sweep.table.rows() {
        let square = row[0] * row[0] - 9.81 / 0.5;
        let (re, im) = (square.max(0.0).sqrt(), (-square).max(0.0).sqrt());
        let found = (row[1].abs(), row[2].abs());
        assert!((found.0 - re).abs() < 1e-12 && (found.1 - im).abs() < 1e-12, "{row:?}");
    }
    // Each branch is continuous: nowhere faster than the square root allows.
    let rows: Vec<&[f64]> = sweep.table.rows().collect();
    for pair in rows.windows(2) {
        (1..5).for_each(|k| assert!((pair[1][k] - pair[0][k]).abs() < 1.0, "{pair:?}"));
    }
    // The parameter is as it was.
    assert_eq!(model.compiled.parameters()[3], 6.0);
    // Settled onto the side branch, the frequency is W sin(theta).
    let range = Range::read("W=6..8:5").unwrap();
    let over = Over { at: "theta=1".to_owned(), settle: true, ..Over::default() };
    let sweep = model.eigenvalues_over(&range, &over).unwrap_or_else(|d| panic!("{}", d.message));
    for row in sweep.table.rows() {
        let cos = 9.81 / (0.5 * row[0] * row[0]);
        below("frequency", (row[2].abs() - row[0] * (1.0 - cos * cos).sqrt()).abs(), 1e-11);
    }
    assert!(model.eigenvalues_over(&Range::read("Q=0..1:3").unwrap(), &over).is_err());
}

/// Masses on light links between two pins at the same height.
fn hanging_chain(n: usize) -> String {
    format!(
        "const N = {n}
        parameter m = 1, l = 0.5, g = 9.81, D = 4
        coordinate x[1..N], y[1..N]
        kinetic sum(i in 1..N, m/2*(x[i]'^2 + y[i]'^2))
        potential sum(i in 1..N, m*g*y[i])
        constraint first: x[1]^2 + y[1]^2 = l^2
        for i in 2..N {{ constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2 }}
        constraint last: (x[N] - D)^2 + y[N]^2 = l^2
        for i in 1..N {{ initial x[i] ~ i*D/(N+1), y[i] ~ -0.5 }}"
    )
}

/// Its shape: the horizontal tension is the same in all links, the vertical one grows by a weight from link to link.
fn hanging_shape(n: usize) -> (Vec<f64>, Vec<f64>) {
    let (l, weight, D) = (0.5f64, 9.81f64, 4.0f64);
    let links = |H: f64| {
        (0..=n).map(move |j| {
            let V = weight * (j as f64 - 0.5 * n as f64);
            (l * H / H.hypot(V), l * V / H.hypot(V))
        })
    };
    let H = root(1e-6, 1e6, |H| links(H).map(|(dx, _)| dx).sum::<f64>() - D);
    let (mut x, mut y) = (vec![0.0], vec![0.0]);
    for (dx, dy) in links(H).take(n) {
        x.push(x[x.len() - 1] + dx);
        y.push(y[y.len() - 1] + dy);
    }
    (x[1..].to_vec(), y[1..].to_vec())
}

/// Folded shapes are equilibria too; the one in which a chain comes to rest must be among what is found, and is what it settles to.
#[test]
fn chains_hang_as_statics_says() {
    for (n, V) in [(8, -51.1157), (12, -174.891), (15, -285.648)] {
        let (x, y) = hanging_shape(n);
        let off = |found: &[f64]| {
            found.iter().zip(x.iter().chain(&y)).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
        };
        below("published", (9.81 * y.iter().sum::<f64>() - V).abs(), 1e-3);
        let mut model = load(&hanging_chain(n));
        let found =
            model.equilibria(&EquilibriumSearch { starts: 10, ..EquilibriumSearch::default() }).unwrap();
        let stable: Vec<&Equilibrium> =
            found.equilibria.iter().filter(|e| verdict(&e.linear) == StabilityVerdict::Stable).collect();
        assert_eq!(stable.len(), 1, "{n} links");
        below("shape", off(&stable[0].linear.state.x), 1e-10);
        below("potential", (stable[0].potential.unwrap() - 9.81 * y.iter().sum::<f64>()).abs(), 1e-9);

        let linearizer = Linearizer::new(&mut model, &[]).unwrap();
        let start = model.operating_point("").unwrap();
        let settled = linearizer.settle(&mut model, &start).unwrap_or_else(|d| panic!("{n}: {}", d.message));
        below("settled", off(&settled.x), 1e-10);
    }
}

/// Settling near an equilibrium goes to it though it is unstable.
#[test]
fn settling_near_the_top_stays_there() {
    let mut model = load("coordinate a\nkinetic a'^2/2\npotential -cos(a)\ninitial a = 3\n");
    let linearizer = Linearizer::new(&mut model, &[]).unwrap();
    let start = model.operating_point("").unwrap();
    let settled = linearizer.settle(&mut model, &start).unwrap();
    below("top", (settled.x[0] - std::f64::consts::PI).abs(), 1e-14);
}

/// A search that its budget ends says so, and has looked down the potential before.
#[test]
fn searches_of_large_models_end_and_say_so() {
    let mut model = load(&hanging_chain(40));
    let mut told = Vec::new();
    let search = EquilibriumSearch { starts: 5000, ..EquilibriumSearch::default() };
    let found = model.equilibria_watched(&search, &mut |done, count| told.push((done, count))).unwrap();
    assert!(
        found.starts < 5000 && found.notes.iter().any(|n| n.contains("of 5000 starts")),
        "{:?}",
        found.notes
    );
    assert!(told.last().is_some_and(|(done, count)| *done + 1 == found.starts && *count == 5000));
    let lowest = found.equilibria.iter().filter_map(|e| e.potential).fold(0.0, f64::min);
    below("potential", (lowest / (9.81 * hanging_shape(40).1.iter().sum::<f64>()) - 1.0).abs(), 1e-12);
}

/// The examples of docs/theory.md say what the manual says about them.
#[test]
fn examples_of_the_manual() {
    let page = file_text("docs/theory.md");
    let block = |heading: &str| {
        let section = page.split(heading).nth(1).expect("the section is there");
        let text = section.split("```dal run\n").nth(1).expect("a model is there");
        text.split("```").next().expect("the model ends").to_owned()
    };
    let found = at(&block("\n## Equilibrium\n"), "");
    let steady = found.iter().filter(|e| matches!(e.linear.kind, OperatingPoint::Steady { .. }));
    let sides = steady.filter(|e| (e.linear.state.x[0].cos() - 9.81 / 18.0).abs() < 1e-13);
    assert_eq!(sides.count(), 2);
    assert_eq!(found.iter().filter(|e| e.linear.kind == OperatingPoint::Equilibrium).count(), 2);

    let l = linear(&mut load(&block("\n## Linearisation\n")), "", &[]);
    let (m, R, g, A, C, spin) = (1.0f64, 0.5f64, 9.81f64, 0.0625f64, 0.125f64, 2.5f64);
    let square = m * g * R / (A + m * R * R) - C * (C + m * R * R) / (A * (A + m * R * R)) * spin * spin;
    below("disk", (l.eigen.values[0].re - square.sqrt()).abs(), 1e-12);
    below("as printed", (l.eigen.values[0].re - 0.834).abs(), 5e-4);
    assert_eq!((l.dimension(), l.eigen.values.iter().filter(|v| v.abs() < 1e-12).count()), (9, 7));
    assert_eq!(verdict(&l), StabilityVerdict::Unstable);
}
