//! Reverse differentiation of a tape: what changes of its inputs make of a weighted sum of its outputs.
//!
//! ```text
//! y = f(x)   ->   y, x_bar = f_x^T y_bar
//! ```
//!
//! Costs a few times the program, however many inputs there are. What no marked input changes has no derivative on the tape.
//! At kinks and jumps the derivative is that of [`Program::forward`]. Source: Griewank and Walther, Evaluating Derivatives,
//! chapter 4. Checked below against forward differentiation for every operator.

use crate::builder::{Builder, Value};
use crate::forward::{function_slope, value_of};
use crate::listing::Operand;
use crate::op::Op;
use crate::program::Program;

impl Program {
    /// The program with the transposed derivative of its first outputs.
    ///
    /// Its inputs are those of this program, then weights of the first `count` outputs; its outputs those of this program, then the derivative of
    /// the weighted sum by the inputs marked in `varying`.
    ///
    /// ```
    /// use dalembert_tape::{Builder, Op};
    /// let mut tape = Builder::new(2);
    /// let (x, y) = (tape.input(0), tape.input(1));
    /// let product = tape.push(Op::Mul, &[x, y]);
    /// let program = tape.finish(&[product]).reverse(&[true, true], 1);
    /// let mut out = [0.0; 3];
    /// program.run(&[3.0, 4.0, 2.0], &mut vec![0.0; program.register_count()], &mut out);
    /// assert_eq!(out, [12.0, 8.0, 6.0]);
    /// ```
    #[must_use]
    pub fn reverse(&self, varying: &[bool], count: usize) -> Program {
        let n = self.input_count();
        let marked = |k: usize| varying.get(k).copied().unwrap_or(false);
        let listing = self.listing();
        let mut tape = Builder::new(n + count);
        let mut values: Vec<Value> = Vec::with_capacity(listing.statements.len());
        let mut varies: Vec<bool> = Vec::with_capacity(listing.statements.len());
        for s in &listing.statements {
            let operands: Vec<Value> = s.operands.iter().map(|o| value_of(&mut tape, *o, &values)).collect();
            values.push(tape.push(s.op, &operands));
            varies.push(s.operands.iter().any(|o| moves(*o, &marked, &varies)));
        }
        let mut bars = Bars { inputs: vec![None; n], statements: vec![None; values.len()] };
        for (k, output) in listing.outputs.iter().take(count).enumerate() {
            if moves(*output, &marked, &varies) {
                let weight = tape.input(n + k);
                bars.add(&mut tape, *output, weight);
            }
        }
        for (k, s) in listing.statements.iter().enumerate().rev() {
            let Some(bar) = bars.statements[k] else { continue };
            let operands: Vec<Value> = s.operands.iter().map(|o| value_of(&mut tape, *o, &values)).collect();
            for (place, operand) in s.operands.iter().enumerate() {
                if moves(*operand, &marked, &varies)
                    && let Some(part) = pulled(&mut tape, s.op, &operands, values[k], bar, place)
                {
                    bars.add(&mut tape, *operand, part);
                }
            }
        }
        let mut outputs: Vec<Value> =
            listing.outputs.iter().map(|o| value_of(&mut tape, *o, &values)).collect();
        let zero = tape.constant(0.0);
        outputs.extend((0..n).filter(|k| marked(*k)).map(|k| bars.inputs[k].unwrap_or(zero)));
        tape.finish(&outputs)
    }
}

fn moves(operand: Operand, marked: &impl Fn(usize) -> bool, varies: &[bool]) -> bool {
    match operand {
        Operand::Input(k) => marked(k),
        Operand::Constant(_) => false,
        Operand::Statement(k) => varies[k],
    }
}

/// Derivatives of the weighted sum by inputs and statements, as far as they are known.
struct Bars {
    inputs: Vec<Option<Value>>,
    statements: Vec<Option<Value>>,
}

impl Bars {
    fn add(&mut self, tape: &mut Builder, operand: Operand, part: Value) {
        let place = match operand {
            Operand::Input(k) => &mut self.inputs[k],
            Operand::Statement(k) => &mut self.statements[k],
            Operand::Constant(_) => return,
        };
        *place = Some(match *place {
            None => part,
            Some(sum) => tape.push(Op::Add, &[sum, part]),
        });
    }
}

/// The part of the operand at a place in `bar` times the change of `value = op(x)`.
fn pulled(tape: &mut Builder, op: Op, x: &[Value], value: Value, bar: Value, place: usize) -> Option<Value> {
    let times = |tape: &mut Builder, factor: Value| Some(tape.push(Op::Mul, &[bar, factor]));
    let minus = |tape: &mut Builder, v: Value| Some(tape.push(Op::Neg, &[v]));
    match (op, place) {
        (Op::Add, _) | (Op::Sub, 0) | (Op::MulAdd, 2) | (Op::NegMulAdd, 2) => Some(bar),
        (Op::Neg, _) | (Op::Sub, _) => minus(tape, bar),
        (Op::Mul | Op::MulAdd, 0) => times(tape, x[1]),
        (Op::Mul | Op::MulAdd, _) => times(tape, x[0]),
        (Op::NegMulAdd, 0 | 1) => {
            let part = times(tape, x[1 - place])?;
            minus(tape, part)
        }
        (Op::Div, 0) => Some(tape.push(Op::Div, &[bar, x[1]])),
        (Op::Div, _) => {
            let share = tape.push(Op::Div, &[value, x[1]]);
            let part = times(tape, share)?;
            minus(tape, part)
        }
        (Op::Sqrt, _) => {
            let half = tape.constant(0.5);
            let slope = tape.push(Op::Div, &[half, value]);
            times(tape, slope)
        }
        (Op::Pow, 0) => {
            let one = tape.constant(1.0);
            let less = tape.push(Op::Sub, &[x[1], one]);
            let lower = tape.push(Op::Pow, &[x[0], less]);
            let slope = tape.push(Op::Mul, &[x[1], lower]);
            times(tape, slope)
        }
        (Op::Pow, _) => {
            // 0^y stays 0 for y > 0, though its logarithm is infinite.
            let log = tape.push(Op::Log, &[x[0]]);
            let slope = tape.push(Op::Mul, &[value, log]);
            let zero = tape.constant(0.0);
            let vanishes = tape.push(Op::Equal, &[value, zero]);
            let slope = tape.push(Op::Select, &[vanishes, zero, slope]);
            times(tape, slope)
        }
        (Op::Atan2, _) => {
            // Operands y, x: (x dy - y dx) / (x^2 + y^2).
            let square = tape.push(Op::Mul, &[x[0], x[0]]);
            let square = tape.push(Op::MulAdd, &[x[1], x[1], square]);
            let top = if place == 0 { x[1] } else { tape.push(Op::Neg, &[x[0]]) };
            let slope = tape.push(Op::Div, &[top, square]);
            times(tape, slope)
        }
        (Op::Min | Op::Max, _) => {
            // The operand whose value was taken.
            let first =
                if op == Op::Min { tape.push(Op::Less, x) } else { tape.push(Op::Less, &[x[1], x[0]]) };
            Some(chosen(tape, first, bar, place == 0))
        }
        (Op::Select, 0) => None,
        (Op::Select, _) => Some(chosen(tape, x[0], bar, place == 1)),
        (Op::Abs, _) => {
            let sign = tape.push(Op::Sign, &[x[0]]);
            times(tape, sign)
        }
        _ if op.is_piecewise_constant() => None,
        _ => {
            let slope = function_slope(tape, op, x[0], value);
            times(tape, slope)
        }
    }
}

/// `bar` where the condition is as said, otherwise 0.
fn chosen(tape: &mut Builder, condition: Value, bar: Value, holds: bool) -> Value {
    let zero = tape.constant(0.0);
    let operands = if holds { [condition, bar, zero] } else { [condition, zero, bar] };
    tape.push(Op::Select, &operands)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operator against forward differentiation: bar . (f_x d) = (f_x^T bar) . d.
    #[test]
    fn derivatives_of_all_operators() {
        for &op in Op::ALL.iter().filter(|op| **op != Op::Lookup) {
            let mut tape = Builder::new(3);
            let operands: Vec<Value> = (0..op.arity()).map(|i| tape.input(i)).collect();
            let value = tape.push(op, &operands);
            // Used twice, so that parts are added.
            let square = tape.push(Op::Mul, &[value, value]);
            let program = tape.finish(&[value, square]);
            let at: [f64; 3] = if op == Op::Acosh { [1.7, 0.0, 0.0] } else { [0.37, 0.61, 0.83] };
            let (way, bar) = ([0.8, -0.5, 0.3], [1.3, -0.7]);
            let run = |program: &Program, more: &[f64], count: usize| {
                let inputs: Vec<f64> = at.iter().chain(more).copied().collect();
                let mut out = vec![0.0; count];
                program.run(&inputs, &mut vec![0.0; program.register_count()], &mut out);
                out
            };
            let along = run(&program.forward(&[true; 3], 1), &way, 4);
            let back = run(&program.reverse(&[true; 3], 2), &bar, 5);
            let (one, other) =
                (bar[0] * along[2] + bar[1] * along[3], (0..3).map(|i| back[2 + i] * way[i]).sum::<f64>());
            assert_eq!(back[0].to_bits(), along[0].to_bits(), "{op:?}");
            assert!((one - other).abs() <= 1e-13 * (1.0 + one.abs()), "{op:?}: {one} {other}");
        }
    }

    #[test]
    fn what_does_not_vary_costs_nothing() {
        let mut tape = Builder::new(2);
        let (x, p) = (tape.input(0), tape.input(1));
        let sine = tape.push(Op::Sin, &[p]);
        let y = tape.push(Op::Mul, &[sine, x]);
        let program = tape.finish(&[y]).reverse(&[true, false], 1);
        assert_eq!((program.input_count(), program.counts().total()), (3, 3));
    }
}
