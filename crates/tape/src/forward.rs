//! Forward differentiation of a tape: directional derivatives of its outputs, exact up to rounding.
//!
//! ```text
//! y = f(x)   ->   y, y'_1 = f_x x'_1, .., y'_K = f_x x'_K
//! ```
//!
//! Values are computed once for all directions, so functions are paid for once. What does not change along any direction
//! has no derivative on the tape. At kinks (`abs`, `min`, `max`) and jumps (`sign`, `floor`, comparisons) the derivative is
//! that of the side on which the value is taken; jumps themselves contribute nothing. Source: Griewank and Walther,
//! Evaluating Derivatives, chapter 3. Checked below against differences for every operator.

use crate::builder::{Builder, Value};
use crate::listing::Operand;
use crate::op::Op;
use crate::program::Program;

impl Program {
    /// The program with `directions` directional derivatives.
    ///
    /// Its inputs are those of this program, then for each direction the changes of the inputs marked in `varying`; its
    /// outputs those of this program, then for each direction their changes.
    ///
    /// ```
    /// use dalembert_tape::{Builder, Op};
    /// let mut tape = Builder::new(2);
    /// let (x, y) = (tape.input(0), tape.input(1));
    /// let product = tape.push(Op::Mul, &[x, y]);
    /// let program = tape.finish(&[product]).forward(&[true, true], 1);
    /// let mut out = [0.0; 2];
    /// program.run(&[3.0, 4.0, 1.0, 0.5], &mut vec![0.0; program.register_count()], &mut out);
    /// assert_eq!(out, [12.0, 5.5]);
    /// ```
    #[must_use]
    pub fn forward(&self, varying: &[bool], directions: usize) -> Program {
        let n = self.input_count();
        let varies = |k: usize| varying.get(k).copied().unwrap_or(false);
        let count = (0..n).filter(|k| varies(*k)).count();
        let mut tape = Builder::new(n + directions * count);
        let mut changes: Vec<Vec<Option<Value>>> = vec![vec![None; n]; directions];
        for (d, change) in changes.iter_mut().enumerate() {
            for (place, k) in (0..n).filter(|k| varies(*k)).enumerate() {
                change[k] = Some(tape.input(n + d * count + place));
            }
        }
        let listing = self.listing();
        let mut values: Vec<Value> = Vec::with_capacity(listing.statements.len());
        let mut along: Vec<Vec<Option<Value>>> = vec![Vec::new(); directions];
        for s in &listing.statements {
            let operands: Vec<Value> = s.operands.iter().map(|o| value_of(&mut tape, *o, &values)).collect();
            let value = tape.push(s.op, &operands);
            for d in 0..directions {
                let rates: Vec<Option<Value>> =
                    s.operands.iter().map(|o| change_of(*o, &changes[d], &along[d])).collect();
                let rate = rate_of(&mut tape, s.op, &operands, value, &rates);
                along[d].push(rate);
            }
            values.push(value);
        }
        let mut outputs: Vec<Value> =
            listing.outputs.iter().map(|o| value_of(&mut tape, *o, &values)).collect();
        let zero = tape.constant(0.0);
        for d in 0..directions {
            outputs.extend(
                listing.outputs.iter().map(|o| change_of(*o, &changes[d], &along[d]).unwrap_or(zero)),
            );
        }
        tape.finish(&outputs)
    }
}

pub(crate) fn value_of(tape: &mut Builder, operand: Operand, values: &[Value]) -> Value {
    match operand {
        Operand::Input(k) => tape.input(k),
        Operand::Constant(c) => tape.constant(c),
        Operand::Statement(k) => values[k],
    }
}

fn change_of(operand: Operand, inputs: &[Option<Value>], statements: &[Option<Value>]) -> Option<Value> {
    match operand {
        Operand::Input(k) => inputs[k],
        Operand::Constant(_) => None,
        Operand::Statement(k) => statements[k],
    }
}

/// The change of `value = op(x)` for changes `d` of its operands; `None` where there is none.
fn rate_of(tape: &mut Builder, op: Op, x: &[Value], value: Value, d: &[Option<Value>]) -> Option<Value> {
    if d.iter().all(Option::is_none) {
        return None;
    }
    let slope = |tape: &mut Builder, slope: Value| d[0].map(|d| tape.push(Op::Mul, &[slope, d]));
    match op {
        Op::Neg => d[0].map(|d| tape.push(Op::Neg, &[d])),
        Op::Add => sum(tape, d[0], d[1]),
        Op::Sub => difference(tape, d[0], d[1]),
        Op::Mul => product(tape, x, d),
        Op::MulAdd => {
            let change = product(tape, x, d);
            sum(tape, change, d[2])
        }
        Op::NegMulAdd => {
            let change = product(tape, x, d);
            difference(tape, d[2], change)
        }
        Op::Div => {
            let share = d[1].map(|d| tape.push(Op::Mul, &[value, d]));
            let top = difference(tape, d[0], share)?;
            Some(tape.push(Op::Div, &[top, x[1]]))
        }
        Op::Sqrt => {
            let half = tape.constant(0.5);
            let slope = tape.push(Op::Div, &[half, value]);
            d[0].map(|d| tape.push(Op::Mul, &[slope, d]))
        }
        Op::Pow => power(tape, x, value, d),
        Op::Atan2 => angle(tape, x, d),
        Op::Min | Op::Max => {
            // The operand whose value was taken.
            let first =
                if op == Op::Min { tape.push(Op::Less, x) } else { tape.push(Op::Less, &[x[1], x[0]]) };
            choose(tape, first, d[0], d[1])
        }
        Op::Select => choose(tape, x[0], d[1], d[2]),
        Op::Abs => {
            let sign = tape.push(Op::Sign, &[x[0]]);
            slope(tape, sign)
        }
        _ if op.is_piecewise_constant() => None,
        _ => {
            let factor = function_slope(tape, op, x[0], value);
            slope(tape, factor)
        }
    }
}

/// The derivative of a function of one variable.
pub(crate) fn function_slope(tape: &mut Builder, op: Op, x: Value, value: Value) -> Value {
    let one = tape.constant(1.0);
    match op {
        Op::Sin => tape.push(Op::Cos, &[x]),
        Op::Cos => {
            let sine = tape.push(Op::Sin, &[x]);
            tape.push(Op::Neg, &[sine])
        }
        Op::Tan => tape.push(Op::MulAdd, &[value, value, one]),
        Op::Tanh => tape.push(Op::NegMulAdd, &[value, value, one]),
        Op::Sinh => tape.push(Op::Cosh, &[x]),
        Op::Cosh => tape.push(Op::Sinh, &[x]),
        Op::Exp => value,
        Op::Log => tape.push(Op::Div, &[one, x]),
        Op::Atan => {
            let below = tape.push(Op::MulAdd, &[x, x, one]);
            tape.push(Op::Div, &[one, below])
        }
        Op::Atanh => {
            let below = tape.push(Op::NegMulAdd, &[x, x, one]);
            tape.push(Op::Div, &[one, below])
        }
        _ => {
            // Inverse functions with a root: asin, acos (with its sign), asinh, acosh.
            let minus = tape.constant(-1.0);
            let square = match op {
                Op::Asinh => tape.push(Op::MulAdd, &[x, x, one]),
                Op::Acosh => tape.push(Op::MulAdd, &[x, x, minus]),
                _ => tape.push(Op::NegMulAdd, &[x, x, one]),
            };
            let root = tape.push(Op::Sqrt, &[square]);
            let top = if op == Op::Acos { minus } else { one };
            tape.push(Op::Div, &[top, root])
        }
    }
}

fn sum(tape: &mut Builder, a: Option<Value>, b: Option<Value>) -> Option<Value> {
    match (a, b) {
        (Some(a), Some(b)) => Some(tape.push(Op::Add, &[a, b])),
        (one, other) => one.or(other),
    }
}

fn difference(tape: &mut Builder, a: Option<Value>, b: Option<Value>) -> Option<Value> {
    match (a, b) {
        (Some(a), Some(b)) => Some(tape.push(Op::Sub, &[a, b])),
        (None, Some(b)) => Some(tape.push(Op::Neg, &[b])),
        (a, None) => a,
    }
}

/// x0 d1 + x1 d0.
fn product(tape: &mut Builder, x: &[Value], d: &[Option<Value>]) -> Option<Value> {
    let first = d[0].map(|d| tape.push(Op::Mul, &[x[1], d]));
    match (first, d[1]) {
        (Some(first), Some(d)) => Some(tape.push(Op::MulAdd, &[x[0], d, first])),
        (None, Some(d)) => Some(tape.push(Op::Mul, &[x[0], d])),
        (first, None) => first,
    }
}

/// d(x^y) = y x^(y-1) dx + x^y log(x) dy.
fn power(tape: &mut Builder, x: &[Value], value: Value, d: &[Option<Value>]) -> Option<Value> {
    let by_base = d[0].map(|d| {
        let one = tape.constant(1.0);
        let less = tape.push(Op::Sub, &[x[1], one]);
        let lower = tape.push(Op::Pow, &[x[0], less]);
        let slope = tape.push(Op::Mul, &[x[1], lower]);
        tape.push(Op::Mul, &[slope, d])
    });
    let by_exponent = d[1].map(|d| {
        // 0^y stays 0 for y > 0, though its logarithm is infinite.
        let log = tape.push(Op::Log, &[x[0]]);
        let slope = tape.push(Op::Mul, &[value, log]);
        let zero = tape.constant(0.0);
        let vanishes = tape.push(Op::Equal, &[value, zero]);
        let slope = tape.push(Op::Select, &[vanishes, zero, slope]);
        tape.push(Op::Mul, &[slope, d])
    });
    sum(tape, by_base, by_exponent)
}

/// Angle of (x, y) with operands y, x: (x dy - y dx) / (x^2 + y^2).
fn angle(tape: &mut Builder, x: &[Value], d: &[Option<Value>]) -> Option<Value> {
    let square = tape.push(Op::Mul, &[x[0], x[0]]);
    let square = tape.push(Op::MulAdd, &[x[1], x[1], square]);
    let first = d[0].map(|d| tape.push(Op::Mul, &[x[1], d]));
    let second = d[1].map(|d| tape.push(Op::Mul, &[x[0], d]));
    let top = difference(tape, first, second)?;
    Some(tape.push(Op::Div, &[top, square]))
}

fn choose(tape: &mut Builder, condition: Value, a: Option<Value>, b: Option<Value>) -> Option<Value> {
    if a.is_none() && b.is_none() {
        return None;
    }
    let zero = tape.constant(0.0);
    Some(tape.push(Op::Select, &[condition, a.unwrap_or(zero), b.unwrap_or(zero)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operator against central differences with one extrapolation, at points of its domain.
    #[test]
    fn derivatives_of_all_operators() {
        // What is looked up is constant between knots, and its first operand is a name.
        for &op in Op::ALL.iter().filter(|op| **op != Op::Lookup) {
            let arity = op.arity();
            let mut tape = Builder::new(3);
            let operands: Vec<Value> = (0..arity).map(|i| tape.input(i)).collect();
            let value = tape.push(op, &operands);
            let program = tape.finish(&[value]);
            let points: [[f64; 3]; 2] = match op {
                Op::Acosh => [[1.7, 0.0, 0.0], [2.5, 0.0, 0.0]],
                Op::Select => [[1.0, 0.4, 0.9], [0.0, 0.4, 0.9]],
                _ => [[0.37, 0.61, 0.83], [0.72, 0.41, -0.3]],
            };
            for at in points {
                let run = |x: [f64; 3]| {
                    let mut out = [0.0];
                    program.run(&x, &mut vec![0.0; program.register_count()], &mut out);
                    out[0]
                };
                let way = [0.8, -0.5, 0.3];
                let moved = |h: f64| run(std::array::from_fn(|i| at[i] + h * way[i]));
                let slope = |h: f64| (moved(h) - moved(-h)) / (2.0 * h);
                let expected = match op {
                    Op::Select => {
                        if at[0] != 0.0 {
                            way[1]
                        } else {
                            way[2]
                        }
                    }
                    _ => (4.0 * slope(5e-4) - slope(1e-3)) / 3.0,
                };
                let forward = program.forward(&[true; 3], 2);
                let inputs: Vec<f64> = at.into_iter().chain(way).chain(way.map(|v| 2.0 * v)).collect();
                let mut out = [0.0; 3];
                forward.run(&inputs, &mut vec![0.0; forward.register_count()], &mut out);
                assert_eq!(out[0].to_bits(), run(at).to_bits(), "{op:?}");
                // Differences: h^4 truncation and rounding over h.
                assert!((out[1] - expected).abs() < 2e-10, "{op:?} at {at:?}: {} {expected}", out[1]);
                assert!((out[2] - 2.0 * out[1]).abs() < 1e-14, "{op:?}");
            }
        }
    }

    #[test]
    fn what_does_not_vary_costs_nothing() {
        let mut tape = Builder::new(2);
        let (x, p) = (tape.input(0), tape.input(1));
        let sine = tape.push(Op::Sin, &[p]);
        let y = tape.push(Op::Mul, &[sine, x]);
        let program = tape.finish(&[y]).forward(&[true, false], 1);
        assert_eq!((program.input_count(), program.counts().total()), (3, 3));
    }
}
