//! A whole step of DOP853 on the variational equation (S1) as one program.
//!
//! ```text
//! Y_i = y + h sum_j a_ij k_j                     the states at the stages of the motion's own step
//! K_i = f_y(Y_i) (S + h sum_j a_ij K_j) + f_c(Y_i) c',    S_new = S + h sum_i b_i K_i
//! ```
//!
//! This is the derivative of the step of the motion itself, stage by stage, so that no dense output is needed and S is as
//! accurate as the motion's own steps allow; the embedded formulas estimate its error. What the derivative reads of the state
//! ([`Program::linearize`]) is computed for four stages at a time; sums and products of all stages are one straight program,
//! run for one direction, or for four at a time. The program is linear in (S, c'), and its transpose (S4) is itself
//! differentiated backwards.

use crate::hybrid::StepStages;
use crate::kernel::FusedProgram;
use crate::method::dop853::{DENSE, DOP853, EXTRA_A, EXTRA_C};
use crate::method::stages::DOP853_ERRORS;
use dalembert_tape::{Builder, Lanes, Linearized, Listing, Op, Program, Value};

/// Stages of a step, and of one with dense output.
pub(super) const STAGES: usize = 12;
pub(super) const DENSE_STAGES: usize = 16;
/// Terms of the dense output.
pub(super) const TERMS: usize = 7;
/// Numbers by which a step is judged.
pub(super) const MEASURES: usize = 6;
const WIDTH: usize = Lanes::WIDTH;
/// Operations of a step at most; longer ones are no faster than stages one by one.
const MAX_OPERATIONS: usize = 100_000;

/// What the derivative reads at the stages of a step.
pub(super) struct Trace {
    /// From h, y and the derivatives of the stages to their states, four stages side by side; then those of the dense output.
    states: [Program; 2],
    here: Lanes,
    reads_time: bool,
    d: usize,
    /// Numbers that the derivative reads of a state.
    values: usize,
    inputs: Vec<f64>,
    lanes: Vec<f64>,
    room: Vec<f64>,
}

impl Trace {
    /// `None` where the program of a step would be too long.
    pub fn new(split: &Linearized, d: usize) -> Option<Self> {
        if split.along.counts().total() * STAGES > MAX_OPERATIONS {
            return None;
        }
        let here = Lanes::new(split.here.clone());
        let mut states = [state_program(d, false), state_program(d, true)];
        states[0].compile();
        let room = states.iter().map(Program::register_count).max().unwrap_or(0).max(here.workspace());
        Some(Self {
            reads_time: reads_input(&split.here.listing(), 0),
            values: split.values,
            inputs: vec![0.0; 1 + 2 * d + DENSE_STAGES * d],
            lanes: vec![0.0; DENSE_STAGES * (1 + d)],
            room: vec![0.0; room],
            states,
            here,
            d,
        })
    }

    /// Numbers of a trace of so many stages.
    pub fn len(&self, stages: usize) -> usize {
        stages * (self.values + 1)
    }

    /// Fills in what the derivative reads at the stages of a step, also those of its dense output; whether all of it can be
    /// trusted.
    pub fn fill(&mut self, step: &StepStages<'_>, dense: bool, out: &mut [f64]) -> bool {
        let (d, n) = (self.d, 1 + self.d);
        let given = STAGES * d;
        self.inputs[0] = step.h;
        self.inputs[1..n].copy_from_slice(step.y);
        self.inputs[n..n + given].copy_from_slice(&step.k[..given]);
        self.states[0].run(&self.inputs, &mut self.room, &mut self.lanes);
        if dense {
            let all = DENSE_STAGES * d;
            self.inputs[n + given..n + all].copy_from_slice(&step.k[given..all]);
            self.inputs[n + all..].copy_from_slice(step.y_new);
            self.states[1].run(&self.inputs, &mut self.room, &mut self.lanes[STAGES * n..]);
        }
        let stages = if dense { DENSE_STAGES } else { STAGES };
        if self.reads_time {
            for i in 0..stages {
                let t = step.t + stage_time(i) * step.h;
                self.lanes[(i / WIDTH) * WIDTH * n + i % WIDTH] = t.max(step.stretch[0]).min(step.stretch[1]);
            }
        }
        let width = WIDTH * (self.values + 1);
        let out = &mut out[..stages * (self.values + 1)];
        self.here.run_blocks(&self.lanes[..stages * n], &mut self.room, out);
        // No branch for each stage.
        let ones = |block: &[f64]| block[width - WIDTH..].iter().fold(true, |all, v| all & (*v == 1.0));
        out.chunks_exact(width).fold(true, |all, block| all & ones(block))
    }
}

/// The fraction of the step at which a stage lies.
fn stage_time(i: usize) -> f64 {
    match i {
        0..STAGES => DOP853.c[i],
        STAGES => 1.0,
        _ => EXTRA_C[i - STAGES - 1],
    }
}

fn reads_input(listing: &Listing, input: usize) -> bool {
    let input = dalembert_tape::Operand::Input(input);
    listing.statements.iter().flat_map(|s| s.operands.iter()).chain(&listing.outputs).any(|o| *o == input)
}

/// States at the stages; inputs h, y, k_0 .. k_15, y_new; outputs four stages side by side: a place for the time, then the state.
fn state_program(d: usize, dense: bool) -> Program {
    let mut tape = Builder::new(1 + 2 * d + DENSE_STAGES * d);
    let zero = tape.constant(0.0);
    let y: Vec<Value> = (0..d).map(|k| tape.input(1 + k)).collect();
    let end: Vec<Value> = (0..d).map(|k| tape.input(1 + d + DENSE_STAGES * d + k)).collect();
    let h = tape.input(0);
    let stages = if dense { STAGES..DENSE_STAGES } else { 0..STAGES };
    let rates: Vec<Vec<Value>> =
        (0..DENSE_STAGES).map(|j| (0..d).map(|k| tape.input(1 + d + j * d + k)).collect()).collect();
    let states: Vec<Vec<Value>> = stages
        .map(|i| match weights(i) {
            None => end.clone(),
            Some(weights) => (0..d)
                .map(|k| match weighted(&mut tape, weights, |j| rates[j][k]) {
                    None => y[k],
                    Some(sum) => tape.push(Op::MulAdd, &[sum, h, y[k]]),
                })
                .collect(),
        })
        .collect();
    let mut outputs = Vec::new();
    for block in states.chunks(WIDTH) {
        outputs.extend([zero; WIDTH]);
        outputs.extend((0..d).flat_map(|k| block.iter().map(move |state| state[k])));
    }
    tape.finish(&outputs)
}

/// Weights of the derivatives in the state of a stage; `None` for that at the end of the step.
fn weights(i: usize) -> Option<&'static [f64]> {
    match i {
        0..STAGES => Some(DOP853.a[i]),
        STAGES => None,
        _ => Some(&EXTRA_A[i - STAGES - 1][..i]),
    }
}

/// sum_j w_j v_j, weights that are zero left out; `None` if all are.
fn weighted(tape: &mut Builder, weights: &[f64], value: impl Fn(usize) -> Value) -> Option<Value> {
    let mut sum = None;
    for (j, w) in weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
        let w = tape.constant(*w);
        sum = Some(match sum {
            None => tape.push(Op::Mul, &[value(j), w]),
            Some(sum) => tape.push(Op::MulAdd, &[value(j), w, sum]),
        });
    }
    sum
}

/// A step as values of a tape.
pub(super) struct StepTape {
    pub end: Vec<Value>,
    fifth: Vec<Value>,
    third: Vec<Value>,
    /// Seven terms of the dense output, one after the other; empty without.
    pub dense: Vec<Value>,
}

/// Writes out a step: inputs S (d), c' (m), h, and a trace.
pub(super) fn write_step(tape: &mut Builder, split: &Linearized, d: usize, dense: bool) -> StepTape {
    let m = split.along.input_count() - d - split.values;
    let (listing, per_stage) = (split.along.listing(), split.values + 1);
    let S: Vec<Value> = (0..d).map(|k| tape.input(k)).collect();
    let c: Vec<Value> = (0..m).map(|k| tape.input(d + k)).collect();
    let h = tape.input(d + m);
    let mut rates: Vec<Vec<Value>> = Vec::new();
    let mut end: Vec<Value> = Vec::new();
    for i in 0..if dense { DENSE_STAGES } else { STAGES } {
        if i == STAGES {
            end = combine(tape, &S, &rates, DOP853.b);
        }
        let mut inputs = weights(i).map_or_else(|| end.clone(), |w| combine(tape, &S, &rates, w));
        inputs.extend_from_slice(&c);
        let block = d + m + 1 + (i / WIDTH) * WIDTH * per_stage;
        inputs.extend((0..split.values).map(|v| tape.input(block + v * WIDTH + i % WIDTH)));
        // h K_i
        let found = tape.inline(&listing, &inputs);
        rates.push(found.into_iter().map(|v| tape.push(Op::Mul, &[v, h])).collect());
    }
    if !dense {
        end = combine(tape, &S, &rates, DOP853.b);
    }
    let zero = tape.constant(0.0);
    let mut sums = |weights: &[f64]| -> Vec<Value> {
        (0..d).map(|k| weighted(tape, weights, |j| rates[j][k]).unwrap_or(zero)).collect()
    };
    let (fifth, third) = (sums(DOP853_ERRORS[0]), sums(DOP853_ERRORS[1]));
    let mut terms = Vec::new();
    if dense {
        let upper: Vec<Value> = DENSE.iter().flat_map(|weights| sums(weights)).collect();
        let delta: Vec<Value> = (0..d).map(|k| tape.push(Op::Sub, &[end[k], S[k]])).collect();
        let second = (0..d).map(|k| tape.push(Op::Sub, &[rates[0][k], delta[k]])).collect::<Vec<_>>();
        let two = tape.constant(2.0);
        let third: Vec<Value> = (0..d)
            .map(|k| {
                let both = tape.push(Op::Add, &[rates[STAGES][k], rates[0][k]]);
                let twice = tape.push(Op::Mul, &[two, delta[k]]);
                tape.push(Op::Sub, &[twice, both])
            })
            .collect();
        terms = [delta, second, third, upper].concat();
    }
    StepTape { end, fifth, third, dense: terms }
}

/// The sum of squares.
fn squares<'v>(tape: &mut Builder, values: impl Iterator<Item = &'v Value>) -> Value {
    let zero = tape.constant(0.0);
    values.fold(zero, |sum, v| tape.push(Op::MulAdd, &[*v, *v, sum]))
}

/// S + sum_j w_j h K_j
fn combine(tape: &mut Builder, S: &[Value], rates: &[Vec<Value>], weights: &[f64]) -> Vec<Value> {
    (0..S.len())
        .map(|k| match weighted(tape, weights, |j| rates[j][k]) {
            None => S[k],
            Some(sum) => tape.push(Op::Add, &[sum, S[k]]),
        })
        .collect()
}

/// Steps of several directions.
pub(super) struct StepProgram {
    pub trace: Trace,
    split: Linearized,
    n_x: usize,
    d: usize,
    /// Changes of the numbers that the acceleration computes from the parameters alone, of each direction; those that
    /// change with none are left out.
    changes: Vec<Vec<f64>>,
    /// For one direction and for four, made when they are first asked for; without and with dense output.
    one: [Option<Program>; 2],
    four: [Option<Lanes>; 2],
    /// Inputs of a program for one direction and for four.
    inputs: [Vec<f64>; 2],
    room: Vec<f64>,
    out: Vec<f64>,
    /// Of each direction: S at the end, its measures, terms of the dense output.
    found: Vec<f64>,
    width: usize,
}

impl StepProgram {
    /// For directions that change the parameters by these amounts; `None` where the program of a step is too long.
    pub fn new(fused: &FusedProgram<'_>, n_x: usize, d: usize, parameters: &[Vec<f64>]) -> Option<Self> {
        let whole = fused.constant_changes(parameters);
        let moves: Vec<bool> =
            (0..fused.constants.len()).map(|k| whole.iter().any(|change| change[k] != 0.0)).collect();
        let split = fused.linearize(d, &moves);
        let kept = |change: Vec<f64>| {
            change.into_iter().zip(&moves).filter(|(_, moves)| **moves).map(|(v, _)| v).collect()
        };
        Some(Self {
            trace: Trace::new(&split, d)?,
            changes: whole.into_iter().map(kept).collect(),
            split,
            n_x,
            d,
            one: [None, None],
            four: [None, None],
            inputs: [Vec::new(), Vec::new()],
            room: Vec::new(),
            out: Vec::new(),
            found: Vec::new(),
            width: 0,
        })
    }

    fn program(&self, dense: bool) -> Program {
        let before = self.split.along.input_count() - self.split.values + 1;
        let mut tape = Builder::new(before + self.trace.len(if dense { DENSE_STAGES } else { STAGES }));
        let step = write_step(&mut tape, &self.split, self.d, dense);
        let S: Vec<Value> = (0..self.d).map(|k| tape.input(k)).collect();
        let mut measures = Vec::new();
        for block in [0..self.n_x, self.n_x..self.d] {
            measures.push(squares(&mut tape, step.fifth[block.clone()].iter()));
            measures.push(squares(&mut tape, step.third[block.clone()].iter()));
            measures.push(squares(&mut tape, S[block.clone()].iter().chain(&step.end[block])));
        }
        tape.finish(&[step.end, measures, step.dense].concat())
    }

    /// Makes the programs for so many directions ready.
    fn prepare(&mut self, count: usize, dense: bool) {
        let which = usize::from(dense);
        let (mut room, mut out, mut wide, mut single) = (0, 0, 0, 0);
        if count % WIDTH == 1 && self.one[which].is_none() {
            let mut program = self.program(dense);
            program.compile();
            self.one[which] = Some(program);
        }
        if count > 1 && self.four[which].is_none() {
            self.four[which] = Some(Lanes::new(self.program(dense)));
        }
        for p in self.one.iter().flatten() {
            room = room.max(p.register_count());
            out = out.max(p.output_count());
            single = single.max(p.input_count());
        }
        for p in self.four.iter().flatten() {
            room = room.max(p.workspace());
            out = out.max(WIDTH * p.program().output_count());
            single = single.max(p.program().input_count());
            wide = wide.max(WIDTH * p.program().input_count());
        }
        self.room.resize(room, 0.0);
        self.out.resize(out, 0.0);
        self.inputs[0].resize(single, 0.0);
        self.inputs[1].resize(wide, 0.0);
    }

    /// What was found for a direction: S at the end of the step; for coordinates and for speeds the squares of its errors of fifth and
    /// third order and of its sizes at both ends ([`MEASURES`]); the terms of its dense output where they were asked for.
    pub fn found(&self, direction: usize) -> &[f64] {
        &self.found[direction * self.width..(direction + 1) * self.width]
    }

    /// The step of all directions, S one after the other. `false` where the programs cannot be trusted.
    pub fn run(&mut self, step: &StepStages<'_>, dense: bool, S: &[f64]) -> bool {
        let (d, count, which) = (self.d, self.changes.len(), usize::from(dense));
        let ready =
            (count % WIDTH != 1 || self.one[which].is_some()) && (count == 1 || self.four[which].is_some());
        if !ready {
            self.prepare(count, dense);
        }
        self.width = d + MEASURES + if dense { TERMS * d } else { 0 };
        self.found.resize(count * self.width, 0.0);
        let m = self.changes[0].len();
        let before = d + m + 1;
        let length = self.trace.len(if dense { DENSE_STAGES } else { STAGES });
        let [single, wide] = &mut self.inputs;
        if !self.trace.fill(step, dense, &mut single[before..before + length]) {
            return false;
        }
        single[d + m] = step.h;
        let mut first = 0;
        if let Some(four) = self.four[which].as_ref().filter(|_| count > 1) {
            let (wide_values, _) = wide.as_chunks_mut::<WIDTH>();
            for (wide, v) in wide_values[before - 1..].iter_mut().zip(&single[before - 1..before + length]) {
                *wide = [*v; WIDTH];
            }
            while count - first > 1 {
                let group = WIDTH.min(count - first);
                for l in 0..group {
                    let own = S[(first + l) * d..(first + l + 1) * d].iter().chain(&self.changes[first + l]);
                    wide_values.iter_mut().zip(own).for_each(|(wide, v)| wide[l] = *v);
                }
                four.run(wide_values.as_flattened(), &mut self.room, &mut self.out);
                let found = self.found[first * self.width..].chunks_exact_mut(self.width).take(group);
                for (l, found) in found.enumerate() {
                    found.iter_mut().zip(self.out.chunks_exact(WIDTH)).for_each(|(f, out)| *f = out[l]);
                }
                first += group;
            }
        }
        if let Some(one) = self.one[which].as_ref().filter(|_| first < count) {
            single[..d].copy_from_slice(&S[first * d..]);
            single[d..d + m].copy_from_slice(&self.changes[first]);
            one.run(single, &mut self.room, &mut self.out);
            self.found[first * self.width..].copy_from_slice(&self.out[..self.width]);
        }
        true
    }
}
