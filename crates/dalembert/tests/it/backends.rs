//! Native code, the whole acceleration as one program, and lanes, against the interpreter and the general solve.

use crate::random_system::RandomSystem;
use crate::support::*;
use dalembert::run::{Dynamics, State, Terms, independent_rows};
use dalembert::{Request, Workspace};
use proptest::prelude::*;

/// The acceleration as one program differs from the general solve by the roundings of both, which the conditioning of M
/// and of the rows magnifies; trusted pivots are at least 1e-9 and 1e-4 of their diagonal entries.
const WHOLE: f64 = 1e-9;

fn fast(model: &mut Workspace) {
    model.compiled.compile_native(&mut model.system, &model.form);
}

/// Where the fast way gives an answer it is that of the general one; says whether it gave any.
fn whole_agrees(model: &Workspace, state: &State, what: &str) -> bool {
    let kernel = &model.compiled;
    let Some(fused) = kernel.fused() else { return false };
    let mut out = fused.results();
    if !fused.accelerate(state.point(), &mut fused.workspace(), &mut out) {
        return false;
    }
    let judged = evaluate(model, state);
    let want: Vec<f64> = judged.terms.x_dot.iter().chain(&judged.solution.eta_dot).copied().collect();
    let size = largest(&want).max(largest(&judged.solution.a_free));
    below(what, apart(&out[..want.len()], &want) / size.max(1.0), WHOLE);
    true
}

/// Native terms have the bits of interpreted ones.
fn terms_agree(plain: &Workspace, fast: &Workspace, state: &State, what: &str) {
    let terms = |model: &Workspace| {
        let mut terms = Terms::of(&model.compiled);
        let mut scratch = vec![f64::NAN; model.compiled.scratch_len()];
        model.compiled.terms(state.point(), &mut scratch, &mut terms);
        terms
    };
    assert_eq!(terms(plain), terms(fast), "{what}");
}

#[test]
fn every_model_moves_the_same_whatever_runs_its_equations() {
    let mut whole = 0;
    for name in model_names() {
        let (mut plain, mut native) = (load_file(&name), load_file(&name));
        fast(&mut native);
        let state = start(&mut plain);
        terms_agree(&plain, &native, &state, &name);
        whole += usize::from(whole_agrees(&native, &state, &name));
        // As long as no trajectory forgets its start.
        let end = state.t + 0.1;
        let request =
            |interpret| Request { until: Some(end), rtol: Some(1e-12), interpret, ..Request::default() };
        let (a, b) = (run(&mut plain, &request(true)), run(&mut native, &request(false)));
        let size = 1.0 + largest(&a.outcome.state.eta).max(largest(&a.outcome.state.x));
        let columns = plain.state_names();
        below(&name, motions_apart(&a, &b, &columns) / size, 1e-8);
        assert!(a.code.is_none() && b.code.is_some());
    }
    assert!(whole > 35, "only {whole} models have their acceleration as one program");
}

#[test]
fn redundant_rows_move_by_those_that_stand_for_all() {
    let mut model = load_file("bricard");
    let state = start(&mut model);
    let rows = independent_rows(&model.compiled, state.point()).expect("regular");
    assert_eq!(rows.len(), 11);
    model.compiled.fuse(&mut model.system, &model.form, &rows);
    assert!(whole_agrees(&model, &state, "Bricard at its start"));
    let request = |interpret| Request { until: Some(3.0), every: Some(0.5), interpret, ..Request::default() };
    let (a, b) =
        (run(&mut load_file("bricard"), &request(true)), run(&mut load_file("bricard"), &request(false)));
    below("Bricard", motions_apart(&a, &b, &["x[2]", "y[2]", "z[3]", "x[3]'"]), 1e-7);
    assert_eq!(b.outcome.generic_rank, 11);
    below("its constraints", b.outcome.largest_position_residual, 1e-13);
}

/// A light body tied to a heavy one: the constraint cancels a free acceleration of k/m1, and with it the digits of the
/// fast way, whose answer must not be taken there. Steps are a result: noise in accelerations multiplies them.
#[test]
fn light_bodies_cost_no_digits() {
    let text = "parameter m1 = 1, m2 = 1, g = 9.81, k = 100
coordinate y1, y2
kinetic m1/2*y1'^2 + m2/2*y2'^2
potential m1*g*y1 + m2*g*y2 + k/2*y1^2
constraint rest: y2 = y1 + 0.1
initial y1 = 0.05
";
    let request = Request { until: Some(2.0), every: Some(1.0), ..Request::default() };
    for m1 in [1e-4f64, 1e-6, 1e-8, 1e-10, 1e-13] {
        let mut model = load(&text.replace("m1 = 1", &format!("m1 = {m1:e}")));
        let motion = run(&mut model, &request);
        assert!(motion.counters().steps < 120, "m1 = {m1:e}: {} steps", motion.counters().steps);
        // y1 = c + (0.05 - c) cos(w t) about the place of rest c = -(m1 + m2) g/k.
        let (mass, k) = (1.0 + m1, 100.0);
        let (rest, w) = (-mass * 9.81 / k, (k / mass).sqrt());
        let exact = rest + (0.05 - rest) * (2.0 * w).cos();
        below("a light body", (motion.outcome.state.x[0] - exact).abs(), 1e-9);
    }
}

/// Folding of parameters leaves the terms as they are, to the bit, and the motion to rounding.
#[test]
fn parameters_are_folded_on_request() {
    let mut fewer = 0;
    for name in model_names() {
        let (mut plain, mut folded) = (load_file(&name), load_file(&name));
        let end = start(&mut plain).t + 0.1;
        let request = |fold| Request { until: Some(end), rtol: Some(1e-12), fold, ..Request::default() };
        let (a, b) = (run(&mut plain, &request(false)), run(&mut folded, &request(true)));
        let size = 1.0 + largest(&a.outcome.state.eta).max(largest(&a.outcome.state.x));
        below(&name, motions_apart(&a, &b, &plain.state_names()) / size, 1e-8);
        let operations = |m: &dalembert::Motion| {
            m.code.map(|c| c.whole.map_or(c.terms.total(), |w| w.each.total())).expect("native code")
        };
        let (before, after) = (operations(&a), operations(&b));
        assert!(after <= before, "{name}: {before} operations, {after} folded");
        fewer += usize::from(after < before);
        // The interpreted terms of a folded run have the same bits, so the motion has too.
        let judge = |fold| run(&mut load_file(&name), &Request { interpret: true, ..request(fold) });
        assert!(judge(false).table == judge(true).table, "{name}");
        // The model itself keeps its parameters open.
        folded.compiled.with_parameters(plain.compiled.parameters().to_vec());
    }
    assert!(fewer > 20, "folding shortened {fewer} models only");
}

#[test]
fn folding_with_another_form_is_refused() {
    let mut model = load_file("double_pendulum");
    let request = Request { fold: true, form: dalembert::MotionForm::Hamilton, ..Request::default() };
    let refused = model.simulate(&request, |_| dalembert::run::Flow::Continue).expect_err("explicit only");
    assert!(refused.message.contains("folded"), "{}", refused.message);
}

#[test]
fn parameters_may_change_without_compiling_again() {
    let mut model = load_file("double_pendulum");
    fast(&mut model);
    let state = State { eta: vec![0.3, -0.7], ..start(&mut model) };
    for factor in [0.5, 3.0] {
        let other: Vec<f64> = model.compiled.parameters().iter().map(|p| factor * p).collect();
        let mut changed = load_file("double_pendulum");
        changed.compiled = model.compiled.with_parameters(other);
        assert!(whole_agrees(&changed, &state, "another double pendulum"));
    }
}

#[test]
fn operations_become_fewer() {
    for name in ["double_pendulum", "cart_pendulum_chain", "andrews_squeezer", "spherical_pendulum"] {
        let mut model = load_file(name);
        fast(&mut model);
        let whole = model.compiled.speed().whole.expect("a small system");
        assert!(4 * whole.each.total() < 3 * whole.derived.total(), "{name}: {whole:?}");
    }
}

#[test]
fn four_states_at_once_have_the_bits_of_each_alone() {
    let mut model = load_file("double_pendulum_cartesian");
    fast(&mut model);
    let kernel = &model.compiled;
    let lanes = kernel.lanes().expect("a small system");
    let base = start(&mut load_file("double_pendulum_cartesian"));
    let states: Vec<State> = (0..4)
        .map(|l| State { eta: base.eta.iter().map(|v| v + 0.1 * f64::from(l)).collect(), ..base.clone() })
        .collect();
    let inputs: Vec<Vec<f64>> = states
        .iter()
        .map(|s| [s.t].iter().chain(&s.x).chain(&s.eta).chain(kernel.lane_constants()).copied().collect())
        .collect();
    let woven: Vec<f64> = (0..inputs[0].len()).flat_map(|k| inputs.iter().map(move |i| i[k])).collect();
    let mut out = vec![0.0; 4 * lanes.program().output_count()];
    lanes.run(&woven, &mut vec![0.0; lanes.workspace()], &mut out);
    for (l, state) in states.iter().enumerate() {
        let mut alone = vec![0.0; lanes.program().output_count()];
        let fused = kernel.fused().expect("one program");
        assert!(fused.accelerate(state.point(), &mut fused.workspace(), &mut alone));
        let lane: Vec<f64> = out.iter().skip(l).step_by(4).copied().collect();
        assert_eq!(lane, alone);
    }
}

proptest! {
    #![proptest_config(same_cases(60, 7))]

    #[test]
    fn random_systems_accelerate_the_same(seed in any::<u64>()) {
        let system = RandomSystem::new(seed);
        let mut plain = load(&system.text);
        if let Ok(started) = plain.start() {
            let mut native = load(&system.text);
            fast(&mut native);
            terms_agree(&plain, &native, &started.state, &system.text);
            if let Some(rows) = independent_rows(&native.compiled, started.state.point()) {
                native.compiled.fuse(&mut native.system, &native.form, &rows);
            }
            whole_agrees(&native, &started.state, &system.text);
        }
    }
}
