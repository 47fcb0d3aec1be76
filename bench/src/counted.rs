//! One kernel, a given number of times, to be counted by callgrind: `counted NAME TIMES`. Prints how many calls that
//! were. See bench/count.sh.

use dalembert::gradient::{CostTerm, GradientRoad};
use dalembert::run::{Accelerator, Flow, Options, Output, Row, State, Stop, integrate};
use dalembert::{Overrides, Request, Source, Workspace};
use dalembert_bench::cart::{Cart, Many};
use dalembert_bench::chain::Chain;
use dalembert_bench::whole::CASES;
use dalembert_linalg::{cholesky, solve_lower, solve_lower_transposed};
use std::hint::black_box;

/// A mass matrix of 20 speeds, factored and solved.
fn solve_dense(times: usize) {
    const N: usize = 20;
    let matrix: Vec<f64> = (0..N * N)
        .map(|k| if k % (N + 1) == 0 { 4.0 } else { 1.0 / (1.0 + (k / N).abs_diff(k % N) as f64) })
        .collect();
    let (mut factor, mut v) = (matrix.clone(), vec![1.0; N]);
    for _ in 0..times {
        factor.copy_from_slice(black_box(&matrix));
        v.fill(1.0);
        cholesky(&mut factor, N).expect("positive");
        solve_lower(&factor, N, &mut v);
        solve_lower_transposed(&factor, N, &mut v);
        black_box(&v);
    }
}

/// Andrews' squeezer, six rows on seven speeds: the way that motions take, or the one that decides ranks.
fn andrews(times: usize, quick: bool) {
    let mut model = CASES[0].model();
    let start = model.start().expect("a start").state;
    model.compiled.compile_native(&mut model.system, &model.form);
    let kernel = &model.compiled;
    if quick {
        let fused = kernel.fused().expect("one program");
        let (mut workspace, mut out) = (fused.workspace(), fused.results());
        (0..times)
            .for_each(|_| assert!(fused.accelerate(black_box(start.point()), &mut workspace, &mut out)));
    } else {
        let mut accelerator = Accelerator::new(kernel);
        for _ in 0..times {
            black_box(accelerator.solve(kernel, black_box(start.point())).expect("regular"));
        }
    }
}

/// The double pendulum of `models/` with native code, and its start.
fn double_pendulum() -> (Workspace, State) {
    let source = Source::new("double_pendulum.dal", include_str!("../../models/double_pendulum.dal"));
    let mut model = Workspace::load(&source, &Overrides::default()).expect("a good model");
    let start = model.start().expect("a start").state;
    model.compiled.compile_native(&mut model.system, &model.form);
    (model, start)
}

/// One acceleration of the double pendulum.
fn pendulum(times: usize) -> usize {
    let (model, start) = double_pendulum();
    let fused = model.compiled.fused().expect("one program");
    let (mut workspace, mut out) = (fused.workspace(), fused.results());
    (0..times).for_each(|_| assert!(fused.accelerate(black_box(start.point()), &mut workspace, &mut out)));
    times
}

/// Motions of the double pendulum over 10 s with rows at start and end. One call is one evaluation of the acceleration, so
/// that what the integrator adds to it can be seen.
fn pendulum_run(times: usize) -> usize {
    let (model, start) = double_pendulum();
    let options = Options { rtol: 1e-12, atol: 1e-14, output: Output::Ends, ..Options::default() };
    let mut evaluations = 0;
    for _ in 0..times / 640 {
        let mut rows = 0;
        let outcome = integrate(&model.compiled, &start, 10.0, &options, &mut |_: Row<'_>| rows += 1);
        assert_eq!((outcome.stop, rows), (Stop::EndTime, 2));
        evaluations += outcome.counters.evaluations;
    }
    evaluations
}

/// Motions of the double pendulum with eight sensitivities forward, or with the gradient by one sweep backwards: 1 s for 128
/// times. One call is one evaluation of the motion, so that what they add to it can be seen.
fn pendulum_derivatives(times: usize, backwards: bool) -> usize {
    let source = Source::new("double_pendulum.dal", include_str!("../../models/double_pendulum.dal"));
    let mut model = Workspace::load(&source, &Overrides::default()).expect("a good model");
    let names =
        ["m1", "m2", "l1", "l2", "g", "theta1(0)", "theta2(0)", "theta1'(0)"].map(str::to_owned).to_vec();
    let until = times as f64 / 128.0;
    let sensitivity = if backwards { Vec::new() } else { names.clone() };
    let request = Request {
        until: Some(until),
        times: Some(vec![until]),
        rtol: Some(1e-9),
        atol: Some(1e-11),
        sensitivity,
        ..Request::default()
    };
    if backwards {
        let cost = [CostTerm::Final("theta2".to_owned())];
        let found =
            model.gradient(&request, &cost, &names, Some(GradientRoad::Adjoint)).expect("it can be swept");
        return found.motion.counters().evaluations;
    }
    model.simulate(&request, |_| Flow::Continue).expect("it moves").counters().evaluations
}

/// One acceleration of a model from bodies without constraints, by recursions over its tree.
fn tree(text: &str, times: usize) {
    let mut model =
        Workspace::load(&Source::new("bodies.dal", text), &Overrides::default()).expect("a good model");
    let start = model.start().expect("a start").state;
    model.compiled.compile_native(&mut model.system, &model.form);
    let fused = model.compiled.fused().expect("one program");
    let (mut workspace, mut out) = (fused.workspace(), fused.results());
    (0..times).for_each(|_| assert!(fused.accelerate(black_box(start.point()), &mut workspace, &mut out)));
}

/// A chain of links in space on pins along x and y in turn.
fn joint_chain(n: usize) -> String {
    let mut text = String::from("gravity [0, 0, -9.81]\n");
    for k in 0..n {
        let from = if k == 0 { "ground".to_owned() } else { format!("b{} at [0, 0, -0.2]", k - 1) };
        let axis = ["[1, 0, 0]", "[0, 1, 0]"][k % 2];
        text += &format!("body b{k}: mass 1, centre [0.02, 0, -0.1], inertia [0.01, 0.012, 0.004]\n");
        text += &format!("joint j{k}: pin {from} to b{k}, axis {axis}\ninitial j{k} = 0.{}\n", 1 + k % 9);
    }
    text
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let times = words.get(1).and_then(|n| n.parse().ok()).unwrap_or(1000);
    let mut calls = times;
    match words.first().map(String::as_str) {
        Some("cart2") => Cart::new(2).accelerate(times),
        Some("cart10") => Cart::new(10).accelerate(times),
        Some("lanes2") => {
            let mut many = Many::new(2).expect("the cart has lanes");
            // 64 blocks of four states each; one in 64, so that a call is one block.
            (0..times / 64).for_each(|_| many.accelerate());
        }
        Some("andrews") => andrews(times, true),
        Some("andrews_ranks") => andrews(times, false),
        Some("solve_dense") => solve_dense(times),
        Some("chain20") => Chain::new(20).accelerate(times),
        Some("ur5") => tree(include_str!("../../crates/dalembert/tests/it/bodies/cases/r01_ur5.dal"), times),
        Some("joints20") => tree(&joint_chain(20), times),
        Some("pendulum") => calls = pendulum(times),
        Some("pendulum_run") => calls = pendulum_run(times),
        Some("pendulum_forward8") => calls = pendulum_derivatives(times, false),
        Some("pendulum_adjoint") => calls = pendulum_derivatives(times, true),
        _ => {
            eprintln!(
                "counted cart2|cart10|lanes2|andrews|andrews_ranks|solve_dense|chain20|ur5|joints20|pendulum|pendulum_run|pendulum_forward8|pendulum_adjoint TIMES"
            );
            std::process::exit(2);
        }
    }
    println!("calls {calls}");
}
