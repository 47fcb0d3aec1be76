//! Native code in a cage: its bytes and every buffer end at pages that may not be touched, and a caller looks at the
//! registers it must give back. Random tapes; what the tapes compute is judged in `tests/it/native.rs`.

mod cage;
mod decoded;

use super::Native;
use super::verify::verify;
use crate::{Builder, Op, Program, Value};
use cage::{Cage, Kept, Side, call};
use dalembert_linalg::Rng;

/// Mostly a plain number, now and then one at which arithmetic is odd.
fn any_number(rng: &mut Rng) -> f64 {
    let odd = [0.0, -0.0, f64::NAN, f64::INFINITY, 1e7, 1e-310];
    match rng.below(12) {
        0 => odd[rng.below(odd.len())],
        _ => rng.uniform_closed() * 6.0 - 3.0,
    }
}

/// A tape with many values alive, so that registers run out, over all operators or over some.
fn tape(rng: &mut Rng) -> Program {
    let some = [Op::Add, Op::Sub, Op::Mul, Op::MulAdd, Op::NegMulAdd, Op::Sin, Op::Cos, Op::Div];
    let logic = [Op::Sin, Op::Cos, Op::Add, Op::Atan2, Op::Select, Op::Less, Op::And, Op::Min, Op::Sign];
    let (ops, most): (&[Op], usize) = match rng.below(3) {
        // All but the last: what is looked up belongs to other tests.
        0 => (&Op::ALL[..Op::ALL.len() - 1], 60),
        1 => (&some, 500),
        _ => (&logic, 120),
    };
    let (n_inputs, length) = (rng.below(40), 1 + rng.below(most));
    let mut b = Builder::new(n_inputs);
    let mut values: Vec<Value> = (0..n_inputs).map(|i| b.input(i)).collect();
    values.extend([0.5, 0.25, 3.0, -7.5].map(|c| b.constant(c)));
    for _ in 0..length {
        let op = ops[rng.below(ops.len())];
        let pick = [(); 3].map(|()| values[rng.below(values.len())]);
        values.push(b.push(op, &pick[..op.arity()]));
    }
    let outputs: Vec<Value> = (0..rng.below(60)).map(|_| values[rng.below(values.len())]).collect();
    b.finish(&outputs)
}

/// The bytes of code that has been made.
fn bytes(native: &Native) -> &[u8] {
    // SAFETY: the pages hold `bytes` bytes of code, are readable, and live as long as `native`.
    unsafe { std::slice::from_raw_parts(native.code.start(), native.bytes) }
}

fn interpret(program: &Program, inputs: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; program.output_count()];
    program.interpret(inputs, &mut vec![0.0; program.register_count()], &mut out);
    out
}

/// Runs code in a cage and compares every lane with the interpreter.
fn run_caged(native: &Native, program: &Program, rng: &mut Rng, side: Side) {
    let (lanes, n) = (native.lanes, native.n_inputs);
    let states: Vec<Vec<f64>> = (0..lanes).map(|_| (0..n).map(|_| any_number(rng)).collect()).collect();
    let inputs: Vec<f64> = (0..n).flat_map(|k| states.iter().map(move |s| s[k])).collect();
    let code = Cage::code(bytes(native));
    let (inputs, constants) = (Cage::frozen(&inputs, side), Cage::frozen(&native.constants, side));
    let outputs = Cage::numbers(&vec![f64::NAN; native.n_outputs * lanes], side);
    let workspace = Cage::numbers(&vec![f64::NAN; native.workspace()], side);
    let kept = call(&code, [&inputs, &outputs, &constants, &workspace]);
    assert_eq!(kept, Kept::expected(&kept), "registers, stack and modes as the caller left them");
    if !native.within(workspace.values()) {
        return; // the interpreter is asked
    }
    for (l, state) in states.iter().enumerate() {
        for (k, want) in interpret(program, state).into_iter().enumerate() {
            let got = outputs.values()[k * lanes + l];
            assert!(got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()), "{got} for {want}");
        }
    }
}

#[test]
fn code_stays_inside_its_buffers_and_gives_registers_back() {
    let mut rng = Rng::new(11);
    let mut run = 0;
    for _ in 0..250 {
        let program = tape(&mut rng);
        for lanes in [1, 4] {
            let Some(native) = Native::new(&program, lanes) else { return };
            for side in [Side::Before, Side::Behind] {
                run_caged(&native, &program, &mut rng, side);
                run += 1;
            }
        }
    }
    assert_eq!(run, 1000);
}

/// The verifier accepts what is made (it runs in `Native::new`) and so does a decoder that is not ours; of code with one
/// byte changed it lets nothing pass that reaches beyond its buffers by that decoder.
#[test]
fn the_verifier_lets_nothing_pass_that_another_decoder_refuses() {
    let mut rng = Rng::new(12);
    let (mut refused, mut passed) = (0, 0);
    for _ in 0..120 {
        let program = tape(&mut rng);
        for lanes in [1, 4] {
            let Some(native) = Native::new(&program, lanes) else { return };
            let (code, layout) = (bytes(&native).to_vec(), native.layout());
            assert_eq!(decoded::check(&code, &layout), Ok(()));
            for _ in 0..40 {
                let mut changed = code.clone();
                let at = rng.below(changed.len());
                changed[at] ^= 1 << rng.below(8);
                match verify(&changed, &layout) {
                    Err(_) => refused += 1,
                    Ok(()) => {
                        assert_eq!(decoded::check(&changed, &layout), Ok(()), "byte {at} of {changed:x?}");
                        passed += 1;
                    }
                }
            }
        }
    }
    // Another register or another number of the same buffer is not for a verifier to find.
    assert!(refused > passed, "{refused} refused, {passed} passed");
}

/// Code that is cut off is refused wherever it is cut.
#[test]
fn the_verifier_refuses_what_is_cut_off() {
    let mut rng = Rng::new(13);
    let Some(native) = Native::new(&tape(&mut rng), 1) else { return };
    let (code, layout) = (bytes(&native), native.layout());
    for end in 0..code.len() {
        assert!(verify(&code[..end], &layout).is_err(), "{end} of {} bytes", code.len());
    }
    let longer: Vec<u8> = code.iter().copied().chain([0x90]).collect();
    assert!(verify(&longer, &layout).is_err(), "something behind the end");
}
