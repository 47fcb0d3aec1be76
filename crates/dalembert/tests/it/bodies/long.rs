//! Long trees: accelerations in loops over classes of links (B1), against the solve with M and along a motion.

use crate::support::{Rng, load, run, until};
use dalembert::run::{Accelerator, Point};
use dalembert::simulate::Request;

/// A chain of pins about x, y and z in turn, each with a spring, a damper and a drive, and arms of two links at every fifth.
fn text(n: usize) -> String {
    let mut text = String::from("parameter m = 1.1, k = 0.3\ngravity [0, 0, -9.81]\n");
    let link = |name: &str, on: &str, axis: &str| {
        format!(
            "body {name}: mass m, centre [0.02, 0, -0.1], inertia [0.01, 0.012, 0.004]\n\
             joint q_{name}: pin {on} to {name}, axis {axis}\n"
        )
    };
    for i in 0..n {
        let on = if i == 0 { "ground".to_owned() } else { format!("b{} at [0, 0, -0.2]", i - 1) };
        text += &link(&format!("b{i}"), &on, ["[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]"][i % 3]);
        text += &format!("force q_b{i} = 0.2*sin(t) - 0.05*q_b{i}'\nspring s{i}: k angle 0.1 at q_b{i}\n");
        if i % 5 == 4 {
            text += &link(&format!("u{i}"), &format!("b{i} at [0.1, 0, 0]"), "[0, 1, 0]");
            text += &link(&format!("v{i}"), &format!("u{i} at [0.1, 0, 0]"), "[1, 0, 0]");
        }
    }
    text
}

#[test]
fn loops_agree_with_the_solve() {
    let mut model = load(&text(120));
    model.compiled.compile_native(&mut model.system, &model.form);
    let kernel = &model.compiled;
    let speed = kernel.speed();
    let whole = speed.whole.expect("a fast way");
    assert!(whole.each.total() > 20_000 && speed.native_bytes < 200_000, "loops: {speed:?}");
    let mut rng = Rng::new(4);
    let (n_x, n) = (model.form.coordinates.len(), model.form.speeds.len());
    let fused = kernel.fused().expect("a fused acceleration");
    let mut workspace = fused.workspace();
    let mut out = vec![0.0; n_x + n + 1];
    for _ in 0..2 {
        let x: Vec<f64> = (0..n_x).map(|_| rng.between(-0.5, 0.5)).collect();
        let eta: Vec<f64> = (0..n).map(|_| rng.between(-1.0, 1.0)).collect();
        let at = Point { t: 0.7, x: &x, eta: &eta };
        assert!(fused.accelerate(at, &mut workspace, &mut out));
        assert_eq!(out[..n_x], eta[..]);
        let wanted = Accelerator::new(kernel).solve(kernel, at).expect("regular").eta_dot.clone();
        let size = wanted.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let off = wanted.iter().zip(&out[n_x..]).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        // M of a long chain is ill-conditioned: the solve loses these digits, the recursion does not.
        assert!(off < 1e-7 * size, "{off:.1e} of {size:.1e}");
    }
}

#[test]
fn other_parameters_are_other_motions() {
    let mut model = load(&text(120));
    model.compiled.compile_native(&mut model.system, &model.form);
    let heavier = model.compiled.with_parameters(vec![2.2, 0.3]);
    let (n_x, n) = (model.form.coordinates.len(), model.form.speeds.len());
    let (x, eta) = (vec![0.1; n_x], vec![0.0; n]);
    let at = Point { t: 0.0, x: &x, eta: &eta };
    let (mut one, mut two) = (vec![0.0; n_x + n + 1], vec![0.0; n_x + n + 1]);
    let (light, heavy) = (model.compiled.fused().expect("fused"), heavier.fused().expect("fused"));
    let mut workspace = light.workspace();
    assert!(light.accelerate(at, &mut workspace, &mut one));
    assert!(heavy.accelerate(at, &mut heavy.workspace(), &mut two));
    assert!(one != two);
    heavy.refresh(&mut workspace);
    assert!(heavy.accelerate(at, &mut workspace, &mut one));
    assert_eq!(one, two);
}

/// Without springs, drives and damping the energy stays.
#[test]
fn a_long_chain_keeps_its_energy() {
    let mut text = text(110);
    text = text
        .lines()
        .filter(|line| !line.starts_with("force") && !line.starts_with("spring"))
        .collect::<Vec<_>>()
        .join("\n");
    text += "\ninitial q_b0 = 0.4, q_b3 = -0.3, q_b20' = 1\n";
    let mut model = load(&text);
    let motion = run(&mut model, &Request { rtol: Some(1e-9), ..until(0.2) });
    let (_, deviation) = motion.energy.expect("known");
    assert!(deviation < 1e-6, "{deviation:.1e}");
}
