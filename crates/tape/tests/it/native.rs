//! Native code and lanes against the interpreter, bit for bit, on random tapes.

use dalembert_tape::{Builder, Lanes, Op, Program, Value};
use proptest::prelude::*;

type Step = (usize, usize, usize, usize);

fn tape(steps: &[Step], n_inputs: usize, n_outputs: usize, ops: &[Op]) -> Program {
    let mut b = Builder::new(n_inputs);
    let mut values: Vec<Value> = (0..n_inputs).map(|i| b.input(i)).collect();
    values.extend([0.5, 0.25, 3.0].map(|c| b.constant(c)));
    for (op, i, j, k) in steps {
        let op = ops[op % ops.len()];
        // Operands from far back keep many values alive, so that registers run out.
        let pick = [i, j, k].map(|v| values[v % values.len()]);
        values.push(b.push(op, &pick[..op.arity()]));
    }
    let outputs: Vec<Value> = (0..n_outputs).map(|k| values[values.len() - 1 - k % values.len()]).collect();
    b.finish(&outputs)
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

fn interpret(program: &Program, inputs: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; program.output_count()];
    program.interpret(inputs, &mut vec![0.0; program.register_count()], &mut out);
    out
}

fn check(program: Program, states: &[Vec<f64>; 4]) -> Result<(), TestCaseError> {
    let mut native = program.clone();
    native.compile();
    let judged: Vec<Vec<f64>> = states.iter().map(|s| interpret(&program, s)).collect();
    let mut workspace = vec![f64::NAN; native.register_count()];
    for (state, want) in states.iter().zip(&judged) {
        let mut out = vec![0.0; want.len()];
        native.run(state, &mut workspace, &mut out);
        for (got, want) in out.iter().zip(want) {
            prop_assert!(same(*got, *want), "one lane: {got:?} instead of {want:?}");
        }
    }
    for lanes in [Lanes::new(program.clone()), Lanes::interpreted(program.clone())] {
        let inputs: Vec<f64> =
            (0..program.input_count()).flat_map(|k| states.iter().map(move |s| s[k])).collect();
        let mut out = vec![0.0; program.output_count() * 4];
        lanes.run(&inputs, &mut vec![f64::NAN; lanes.workspace()], &mut out);
        for (k, got) in out.iter().enumerate() {
            let want = judged[k % 4][k / 4];
            prop_assert!(same(*got, want), "lane {}: {got:?} instead of {want:?}", k % 4);
        }
    }
    Ok(())
}

fn states(n: usize, range: std::ops::Range<f64>) -> impl Strategy<Value = [Vec<f64>; 4]> {
    let special = prop_oneof![
        9 => range,
        1 => prop::sample::select(vec![0.0, -0.0, f64::NAN, f64::INFINITY, 1e7, 1e-310, 1.0])
    ];
    prop::array::uniform4(prop::collection::vec(special, n..=n))
}

fn steps(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((0usize..1000, 0usize..10_000, 0usize..10_000, 0usize..10_000), length)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn every_operator(steps in steps(1..60), states in states(5, -3.0..3.0)) {
        check(tape(&steps, 5, 9, Op::ALL), &states)?;
    }

    #[test]
    fn arithmetic_that_spills(steps in steps(100..600), states in states(40, -3.0..3.0)) {
        check(tape(&steps, 40, 60, &[Op::Add, Op::Sub, Op::Mul, Op::MulAdd, Op::NegMulAdd, Op::Sin, Op::Cos, Op::Div]), &states)?;
    }

    #[test]
    fn angles_made_of_sines(steps in steps(1..80), states in states(4, -3.0..3.0)) {
        check(tape(&steps, 4, 12, &[Op::Sin, Op::Cos, Op::Add, Op::Atan2, Op::Select]), &states)?;
    }

    #[test]
    fn angles_of_all_sizes(x in prop::array::uniform4(prop_oneof![-10.0f64..10.0, -2e6f64..2e6])) {
        let mut b = Builder::new(1);
        let v = b.input(0);
        let (s, c) = (b.push(Op::Sin, &[v]), b.push(Op::Cos, &[v]));
        check(b.finish(&[s, c, v]), &x.map(|x| vec![x]))?;
    }
}

#[test]
fn sines_and_cosines_share_their_work() {
    let build = |angles: usize, ops: &[Op]| {
        let mut b = Builder::new(angles);
        let x: Vec<Value> = (0..angles).map(|k| b.input(k)).collect();
        let outputs: Vec<Value> =
            x.iter().flat_map(|x| ops.iter().map(|op| b.push(*op, &[*x])).collect::<Vec<_>>()).collect();
        let mut p = b.finish(&outputs);
        p.compile();
        p.native_bytes()
    };
    let one = build(1, &[Op::Sin]);
    if !cfg!(all(target_arch = "x86_64", unix)) || one == 0 {
        return; // no native code on this machine
    }
    let (both, two) = (build(1, &[Op::Sin, Op::Cos]), build(2, &[Op::Sin, Op::Cos]));
    assert!(both <= one + one / 4, "{one} bytes for a sine, {both} for both");
    assert!(two <= both + both / 4, "{both} bytes for one angle, {two} for two");
}

proptest! {
    #[test]
    fn a_split_program_gives_the_same_bits(steps in steps(1..80), states in states(6, -3.0..3.0), varying in 0usize..=6) {
        let program = tape(&steps, 6, 7, Op::ALL);
        let hoisted = program.hoist(varying);
        for state in &states {
            let mut inputs = state[..varying].to_vec();
            inputs.extend(interpret(&hoisted.once, &state[varying..]));
            let together = interpret(&hoisted.each, &inputs);
            for (got, want) in together.iter().zip(interpret(&program, state)) {
                prop_assert!(same(*got, want), "{got:?} instead of {want:?}");
            }
        }
        let parts = hoisted.once.counts().total() + hoisted.each.counts().total();
        prop_assert!(parts <= program.counts().total());
    }
}

proptest! {
    #[test]
    fn fused_products_change_last_digits_only(steps in steps(1..60), states in states(5, 0.5..2.0)) {
        let program = tape(&steps, 5, 6, &[Op::Add, Op::Mul, Op::Sqrt, Op::Div]);
        let fused = program.fused();
        prop_assert!(fused.counts().total() <= program.counts().total());
        for state in &states {
            // All positive: nothing cancels, so every value keeps its digits.
            let state: Vec<f64> = state.iter().map(|v| if v.is_finite() { v.abs() + 0.5 } else { 1.0 }).collect();
            for (a, b) in interpret(&fused, &state).iter().zip(interpret(&program, &state)) {
                prop_assert!(!b.is_finite() || (a - b).abs() <= 1e-13 * b.abs(), "{a} instead of {b}");
            }
        }
        check(fused, &states)?;
    }
}

/// Blocks of states in one call have the bits of a call for each; angles beyond the exact reduction, in one block of
/// several, are given to the interpreter.
#[test]
fn blocks_have_the_bits_of_each() {
    let mut tape = Builder::new(2);
    let (x, y) = (tape.input(0), tape.input(1));
    let (s, c) = (tape.push(Op::Sin, &[x]), tape.push(Op::Cos, &[y]));
    let program = tape.push(Op::Mul, &[s, c]);
    let program = tape.finish(&[program, c]);
    let inputs: Vec<f64> =
        (0..5 * 8).map(|k| if k == 19 { 1e12 } else { 0.37 * f64::from(k) - 3.0 }).collect();
    for lanes in [Lanes::new(program.clone()), Lanes::interpreted(program.clone())] {
        let mut workspace = vec![0.0; lanes.workspace()];
        let (mut blocks, mut each) = (vec![0.0; 5 * 8], vec![0.0; 5 * 8]);
        lanes.run_blocks(&inputs, &mut workspace, &mut blocks);
        for (inputs, out) in inputs.chunks(8).zip(each.chunks_mut(8)) {
            lanes.run(inputs, &mut workspace, out);
        }
        assert_eq!(blocks, each);
        assert!((blocks[4] - inputs[4].cos()).abs() < 1e-15);
    }
}

/// Folding known inputs changes no bit of what is left.
#[test]
fn folded_inputs_keep_the_bits() {
    let steps: Vec<Step> = (0..200).map(|k| (k * 7, k * 13, k * 29 + 1, k * 31 + 2)).collect();
    let program = tape(&steps, 4, 6, &[Op::Add, Op::Sub, Op::Mul, Op::Sin, Op::Cos, Op::Max]);
    let folded = program.folded(2, &[1.0, 0.75]);
    assert!(folded.counts().total() < program.counts().total());
    let inputs = [0.3, -1.7, 1.0, 0.75];
    // What is folded is no longer read.
    let other = [0.3, -1.7, f64::NAN, f64::NAN];
    assert!(interpret(&program, &inputs).iter().zip(interpret(&folded, &other)).all(|(a, b)| same(*a, b)));
}
