//! A program split into its values and its linear part: what a derivative reads of the values, and what it makes of changes.
//!
//! ```text
//! y = f(x)   ->   v = here(x),   y' = along(x', v)      with y' = f_x x', linear in x'
//! ```
//!
//! `here` contains everything that does not depend on the direction, functions above all, and serves any number of
//! directions. `along` contains sums and products only, but for slopes of quotients; it can be written out several times in
//! one program, and differentiated backwards, which transposes it.

use crate::builder::{Builder, Value};
use crate::program::Program;

/// A program split by [`Program::linearize`].
#[derive(Clone, Debug)]
pub struct Linearized {
    /// From the inputs that are not known to the values that the other part reads, then the outputs that are not
    /// differentiated.
    pub here: Program,
    /// From changes of the inputs that vary, followed by those values, to changes of the outputs.
    pub along: Program,
    /// How many values these are.
    pub values: usize,
}

impl Program {
    /// Splits the derivative of the first `count` outputs by the inputs marked in `varying`. Inputs from `first` on have
    /// `known` values, which are constants of both parts; they may vary all the same. O(length).
    ///
    /// ```
    /// use dalembert_tape::{Builder, Op};
    /// let mut tape = Builder::new(2); // x, k
    /// let (x, k) = (tape.input(0), tape.input(1));
    /// let sine = tape.push(Op::Sin, &[x]);
    /// let force = tape.push(Op::Mul, &[k, sine]);
    /// let split = tape.finish(&[force]).linearize(&[true, true], (1, &[3.0]), 1);
    /// let (mut values, mut change) = (vec![0.0; split.values], [0.0]);
    /// split.here.run(&[0.5], &mut vec![0.0; split.here.register_count()], &mut values);
    /// let inputs: Vec<f64> = [1.0, 2.0].into_iter().chain(values).collect(); // dx = 1, dk = 2
    /// split.along.run(&inputs, &mut vec![0.0; split.along.register_count()], &mut change);
    /// assert!((change[0] - 3.0 * 0.5f64.cos() - 2.0 * 0.5f64.sin()).abs() < 1e-15);
    /// ```
    ///
    /// # Panics
    /// If there are more known values than inputs from `first` on.
    #[must_use]
    pub fn linearize(&self, varying: &[bool], (first, known): (usize, &[f64]), count: usize) -> Linearized {
        assert!(first + known.len() <= self.input_count(), "values for inputs that are there");
        let forward = self.forward(varying, 1);
        let changes = forward.input_count() - self.input_count();
        // Changes first, then what is not known.
        let mut tape = Builder::new(changes + first);
        let mut inputs: Vec<Value> = (0..first).map(|k| tape.input(changes + k)).collect();
        inputs.extend(known.iter().map(|v| tape.constant(*v)));
        inputs.extend((0..changes).map(|k| tape.input(k)));
        let outputs = tape.inline(&forward.listing(), &inputs);
        let rates = &outputs[self.output_count()..self.output_count() + count];
        let hoisted = tape.finish(rates).hoist(changes);

        let mut tape = Builder::new(first);
        let mut inputs: Vec<Value> = (0..first).map(|k| tape.input(k)).collect();
        let mut outputs = tape.inline(&hoisted.once.listing(), &inputs);
        inputs.extend(known.iter().map(|v| tape.constant(*v)));
        let values = outputs.len();
        outputs.extend_from_slice(&tape.inline(&self.listing(), &inputs)[count..]);
        Linearized { here: tape.finish(&outputs), along: hoisted.each.fused(), values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Op;

    /// The two parts together are the derivative, for every operator, and the second one is linear.
    #[test]
    fn the_parts_are_the_derivative() {
        // What is looked up is constant between knots, and its first operand is a name.
        for &op in Op::ALL.iter().filter(|op| **op != Op::Lookup) {
            let mut tape = Builder::new(4);
            let operands: Vec<Value> = (0..op.arity()).map(|i| tape.input(i)).collect();
            let value = tape.push(op, &operands);
            let product = tape.push(Op::Mul, &[value, tape.input(3)]);
            let program = tape.finish(&[product, value]);
            let at = if op == Op::Acosh { [1.7, 0.6, 0.8, 1.3] } else { [0.37, 0.61, 0.83, 1.3] };
            let way = [0.8, -0.5, 0.3, 0.7];
            let forward = program.forward(&[true; 4], 1);
            let mut whole = [0.0; 4];
            let inputs: Vec<f64> = at.into_iter().chain(way).collect();
            forward.run(&inputs, &mut vec![0.0; forward.register_count()], &mut whole);

            let split = program.linearize(&[true; 4], (3, &at[3..]), 1);
            let mut values = vec![0.0; split.values + 1];
            split.here.run(&at[..3], &mut vec![0.0; split.here.register_count()], &mut values);
            assert_eq!(
                values[split.values].to_bits(),
                whole[1].to_bits(),
                "{op:?}: what is not differentiated"
            );
            let along = |way: [f64; 4]| {
                let inputs: Vec<f64> = way.iter().chain(&values[..split.values]).copied().collect();
                let mut out = [0.0];
                split.along.run(&inputs, &mut vec![0.0; split.along.register_count()], &mut out);
                out[0]
            };
            assert!((along(way) - whole[2]).abs() <= 1e-15 * (1.0 + whole[2].abs()), "{op:?}");
            let doubled = along(way.map(|v| 2.0 * v));
            assert_eq!(doubled.to_bits(), (2.0 * along(way)).to_bits(), "{op:?}");
            assert_eq!(along([0.0; 4]), 0.0, "{op:?}");
        }
    }
}
