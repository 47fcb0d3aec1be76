//! A whole step of the motion transposed (S4): what the state and the parameters at its begin make of a number that depends on the
//! state at its end, and inside it.
//!
//! ```text
//! S(theta) = S + sum_p phi_p(theta) D_p,     D_p the terms of the dense output, linear in S and c'
//! ```
//!
//! The program of a step ([`step_program`](super::step_program)) is linear in (S, c'); it is differentiated backwards, so that the sweep gives
//! the derivative of the motion as it was computed, to rounding. States at the stages are found again from the derivatives
//! that the step has left.

use super::step_program::{DENSE_STAGES, STAGES, TERMS, Trace, write_step};
use crate::hybrid::StepStages;
use crate::kernel::FusedProgram;
use dalembert_tape::{Builder, Linearized, Program};

/// Steps backwards.
pub(super) struct TransposedStep {
    trace: Trace,
    split: Linearized,
    d: usize,
    /// Made when they are first asked for; without and with weights inside the step.
    programs: [Option<Program>; 2],
    /// Weights of the end of the step and of the terms of its dense output, and of its begin.
    weights: Vec<f64>,
    begin: Vec<f64>,
    inside: bool,
    inputs: Vec<f64>,
    room: Vec<f64>,
    out: Vec<f64>,
}

impl TransposedStep {
    /// `None` where the program of a step is too long.
    pub fn new(fused: &FusedProgram<'_>, d: usize) -> Option<Self> {
        let split = fused.linearize(d, &vec![true; fused.constants.len()]);
        Some(Self {
            trace: Trace::new(&split, d)?,
            split,
            d,
            programs: [None, None],
            weights: vec![0.0; (1 + TERMS) * d],
            begin: vec![0.0; d],
            inside: false,
            inputs: Vec::new(),
            room: Vec::new(),
            out: Vec::new(),
        })
    }

    /// Takes weights of the state at the end of the step, and leaves none.
    pub fn take_end(&mut self, lambda: &mut [f64]) {
        self.weights.iter_mut().zip(lambda).for_each(|(w, l)| *w += std::mem::take(l));
    }

    /// Takes weights of the state at a fraction of the step, and leaves none.
    pub fn take_inside(&mut self, theta: f64, lambda: &mut [f64]) {
        self.inside = true;
        let mut phi = 1.0;
        for p in 0..TERMS {
            phi *= if p % 2 == 0 { theta } else { 1.0 - theta };
            let terms = &mut self.weights[(1 + p) * self.d..];
            terms.iter_mut().zip(&*lambda).for_each(|(w, l)| *w += phi * l);
        }
        self.begin.iter_mut().zip(lambda).for_each(|(w, l)| *w += std::mem::take(l));
    }

    /// Adds what the state at the begin, and the numbers that are computed from the parameters alone, make of all weights that
    /// were taken; `false` where the program cannot be trusted.
    pub fn pull(&mut self, step: &StepStages<'_>, by_state: &mut [f64], by_constants: &mut [f64]) -> bool {
        let (d, m, which) = (self.d, by_constants.len(), usize::from(self.inside));
        let stages = if self.inside { DENSE_STAGES } else { STAGES };
        let (before, length) = (d + m + 1, self.trace.len(stages));
        if self.programs[which].is_none() {
            self.prepare(m);
        }
        let Some(program) = &self.programs[which] else { return false };
        let trusted = self.trace.fill(step, self.inside, &mut self.inputs[before..before + length]);
        self.inputs[before - 1] = step.h;
        let used = if self.inside { self.weights.len() } else { d };
        self.inputs[before + length..before + length + used].copy_from_slice(&self.weights[..used]);
        program.run(&self.inputs, &mut self.room, &mut self.out);
        let (state, constants) = self.out[..d + m].split_at(d);
        by_constants.iter_mut().zip(constants).for_each(|(b, v)| *b += v);
        for ((by, v), begin) in by_state.iter_mut().zip(state).zip(&self.begin) {
            *by += v + begin;
        }
        self.weights.fill(0.0);
        self.begin.fill(0.0);
        self.inside = false;
        trusted && self.out[..d + m].iter().all(|v| v.is_finite())
    }

    fn prepare(&mut self, m: usize) {
        let (d, inside) = (self.d, self.inside);
        let before = d + m + 1;
        let length = self.trace.len(if inside { DENSE_STAGES } else { STAGES });
        let mut tape = Builder::new(before + length);
        let step = write_step(&mut tape, &self.split, d, inside);
        let outputs = [step.end, step.dense].concat();
        let mut varying = vec![true; d + m];
        varying.resize(before + length, false);
        let whole = tape.finish(&outputs).reverse(&varying, outputs.len());
        let mut program = whole.keeping(outputs.len()..outputs.len() + d + m);
        program.compile();
        let grow = |room: &mut Vec<f64>, n: usize| room.resize(room.len().max(n), 0.0);
        grow(&mut self.inputs, program.input_count());
        grow(&mut self.room, program.register_count());
        grow(&mut self.out, program.output_count());
        self.programs[usize::from(inside)] = Some(program);
    }
}
