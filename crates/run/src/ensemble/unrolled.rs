//! A whole step of a Runge-Kutta method as one straight-line program: the stages, the new state and its error.
//!
//! ```text
//! k_i = f(t + c_i h, y + h sum_j a_ij k_j),   y_new = y + h sum_i b_i k_i,   error as in `explicit`
//! ```
//!
//! Inputs `t, h, y`, then `y'` where the method hands the derivative at the end on to the next step, then the constants
//! of the derivative; outputs `y_new`, that derivative, the error in units of the tolerance, and 1 where every derivative
//! can be trusted. Where the motion inside the step is wanted there follow the coefficients of its [`Interpolant`], and 1
//! where they can be trusted. The operations and their order are those of `looped`, so both have the same bits (tested
//! there).

use super::interpolant::Interpolant;
use crate::method::stepper::Tolerance;
use crate::method::tableaux::{Estimate, Tableau};
use dalembert_tape::{Builder, Listing, Op, Program, Value};

/// The program of a step. O(stages * length of the derivative).
pub(super) fn step_program(
    derivative: &Program,
    dim: usize,
    table: &Tableau,
    tol: Tolerance,
    interpolant: Option<&Interpolant>,
) -> Program {
    let handed_on = if table.last_is_next { dim } else { 0 };
    let constants = derivative.input_count() - 1 - dim;
    let tape = Builder::new(2 + dim + handed_on + constants);
    let input = |range: std::ops::Range<usize>| range.map(|k| tape.input(k)).collect::<Vec<Value>>();
    let (y, first) = (input(2..2 + dim), input(2 + dim..2 + dim + handed_on));
    let constants = input(2 + dim + handed_on..2 + dim + handed_on + constants);
    let (t, h) = (tape.input(0), tape.input(1));
    let mut step =
        Step { listing: derivative.listing(), tape, t, h, y, constants, k: Vec::new(), trusted: None };
    step.stages(table, first);
    let y_new = step.state(table.b);
    if table.last_is_next {
        step.derivative(1.0, &y_new);
    }
    let error = step.error(table, tol, &y_new);
    let last = if table.last_is_next { step.k[table.c.len()].clone() } else { Vec::new() };
    let trusted = step.is_trusted();
    let mut outputs: Vec<Value> = y_new.iter().copied().chain(last).chain([error, trusted]).collect();
    if let Some(interpolant) = interpolant {
        outputs.extend(step.inside(table, interpolant, &y_new));
    }
    step.tape.finish(&outputs)
}

/// A step being written.
struct Step {
    listing: Listing,
    tape: Builder,
    t: Value,
    h: Value,
    y: Vec<Value>,
    constants: Vec<Value>,
    k: Vec<Vec<Value>>,
    trusted: Option<Value>,
}

impl Step {
    fn stages(&mut self, table: &Tableau, first: Vec<Value>) {
        for i in 0..table.c.len() {
            if i == 0 && table.last_is_next {
                self.k.push(first.clone());
            } else {
                let state = self.state(table.a[i]);
                self.derivative(table.c[i], &state);
            }
        }
    }

    fn is_trusted(&mut self) -> Value {
        self.trusted.unwrap_or_else(|| self.tape.constant(1.0))
    }

    /// Coefficients of the motion inside the step, and whether they can be trusted.
    fn inside(&mut self, table: &Tableau, interpolant: &Interpolant, y_new: &[Value]) -> Vec<Value> {
        if !table.last_is_next {
            self.derivative(1.0, y_new);
        }
        for (c, weights) in &interpolant.stages {
            let state = self.state(weights);
            self.derivative(*c, &state);
        }
        let mut out = Vec::with_capacity(interpolant.coefficients.len() * self.y.len() + 1);
        for weights in &interpolant.coefficients {
            let sum = self.weighted(weights).unwrap_or_default();
            out.extend(sum.into_iter().map(|s| self.tape.push(Op::Mul, &[self.h, s])));
        }
        out.push(self.is_trusted());
        out
    }

    /// y + h sum_j weights_j k_j.
    fn state(&mut self, weights: &[f64]) -> Vec<Value> {
        let increment = self.weighted(weights);
        let (h, y) = (self.h, self.y.clone());
        match increment {
            None => y,
            Some(sum) => y.iter().zip(sum).map(|(y, s)| self.plus_scaled(*y, h, s)).collect(),
        }
    }

    fn plus_scaled(&mut self, y: Value, h: Value, s: Value) -> Value {
        let change = self.tape.push(Op::Mul, &[h, s]);
        self.tape.push(Op::Add, &[y, change])
    }

    /// sum_j weights_j k_j of each component; nothing if there are no weights.
    fn weighted(&mut self, weights: &[f64]) -> Option<Vec<Value>> {
        let mut sum: Option<Vec<Value>> = None;
        for (j, w) in weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            let w = self.tape.constant(*w);
            let terms: Vec<Value> = self.k[j].iter().map(|k| self.tape.push(Op::Mul, &[w, *k])).collect();
            sum = Some(match sum {
                None => terms,
                Some(sum) => sum.iter().zip(terms).map(|(s, t)| self.tape.push(Op::Add, &[*s, t])).collect(),
            });
        }
        sum
    }

    /// Appends the derivative at t + c h.
    fn derivative(&mut self, c: f64, state: &[Value]) {
        let c = self.tape.constant(c);
        let shift = self.tape.push(Op::Mul, &[c, self.h]);
        let mut inputs = vec![self.tape.push(Op::Add, &[self.t, shift])];
        inputs.extend(state.iter().chain(&self.constants));
        let mut out = self.tape.inline(&self.listing, &inputs);
        let sound = out[self.y.len()];
        out.truncate(self.y.len());
        self.k.push(out);
        self.trusted = Some(match self.trusted {
            None => sound,
            Some(all) => self.tape.push(Op::And, &[all, sound]),
        });
    }

    /// The error in units of the tolerance; NaN if anything is not finite.
    fn error(&mut self, table: &Tableau, tol: Tolerance, y_new: &[Value]) -> Value {
        let scales = self.scales(tol, y_new);
        let size = self.tape.push(Op::Abs, &[self.h]);
        match &table.estimate {
            Estimate::None => {
                // Nothing to judge by but that the numbers are finite: 0 times others is not 0.
                let zero = self.tape.constant(0.0);
                let parts: Vec<Value> = y_new.iter().map(|y| self.tape.push(Op::Mul, &[zero, *y])).collect();
                self.largest(&parts)
            }
            Estimate::One(weights) => {
                let e = self.norm(weights, &scales);
                self.tape.push(Op::Mul, &[size, e])
            }
            Estimate::Two { fifth, third } => {
                let (e3, e5) = (self.norm(third, &scales), self.norm(fifth, &scales));
                let (tenth, zero) = (self.tape.constant(0.01), self.tape.constant(0.0));
                let e33 = self.tape.push(Op::Mul, &[e3, e3]);
                let small = self.tape.push(Op::Mul, &[tenth, e33]);
                let e55 = self.tape.push(Op::Mul, &[e5, e5]);
                let sum = self.tape.push(Op::Add, &[e55, small]);
                let both = self.tape.push(Op::Sqrt, &[sum]);
                let share = self.tape.push(Op::Div, &[e55, both]);
                let error = self.tape.push(Op::Mul, &[size, share]);
                let none = self.tape.push(Op::Equal, &[both, zero]);
                self.tape.push(Op::Select, &[none, zero, error])
            }
        }
    }

    /// 1 / (atol + rtol max(|y|, |y_new|)).
    fn scales(&mut self, tol: Tolerance, y_new: &[Value]) -> Vec<Value> {
        let [atol, rtol, one] = [tol.atol, tol.rtol, 1.0].map(|v| self.tape.constant(v));
        let tape = &mut self.tape;
        let scale = |(y, new): (&Value, &Value)| {
            let (a, b) = (tape.push(Op::Abs, &[*y]), tape.push(Op::Abs, &[*new]));
            let larger = tape.push(Op::Max, &[a, b]);
            let relative = tape.push(Op::Mul, &[rtol, larger]);
            let sum = tape.push(Op::Add, &[atol, relative]);
            tape.push(Op::Div, &[one, sum])
        };
        self.y.iter().zip(y_new).map(scale).collect()
    }

    /// Largest component of sum_j weights_j k_j in units of the tolerance.
    fn norm(&mut self, weights: &[f64], scales: &[Value]) -> Value {
        let sums = self.weighted(weights).unwrap_or_default();
        let scaled: Vec<Value> =
            sums.iter().zip(scales).map(|(e, s)| self.tape.push(Op::Mul, &[*e, *s])).collect();
        self.largest(&scaled)
    }

    fn largest(&mut self, parts: &[Value]) -> Value {
        let mut largest = self.tape.constant(0.0);
        for part in parts {
            let size = self.tape.push(Op::Abs, &[*part]);
            largest = self.tape.push(Op::Max, &[largest, size]);
        }
        largest
    }
}
