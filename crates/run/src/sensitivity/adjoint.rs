//! S4: what every parameter and starting value makes of a number that a motion ends with, by one sweep backwards.
//!
//! ```text
//! lambda' = -f_y^T lambda,   c_bar' = -f_c^T lambda       backwards along the stored dense output, f one program of (t, y, c)
//! lambda  += phi_y           at rows that the number contains
//! lambda- = (dS+/dS-)^T lambda+,  dJ/dp += (dS+/dp)^T lambda+     at events: S3 transposed
//! ```
//!
//! c are what the program computes from the parameters alone, so that their number does not grow with that of the parameters
//! asked for. Steps of DOP853 are stored by the derivatives of their stages and transposed as they were taken
//! ([`transposed_step`](super::transposed_step)). Where equations have kinks, or with another method, a step is stored as the polynomial
//! of its dense output, by its values at eight points (exact up to the seventh degree), and swept with steps of its own. At events, kinks and rows with outputs the map is found as a matrix, by following all directions across it as
//! [`Sensitivities`] does; this costs one evaluation for each of them. For systems whose acceleration is one program.
//! Where redundant rows are represented by some of them, f is continued off the constraints in another way than by all; both
//! give the same derivative along tangent directions, which are all that a start can have.
//! Source: Cao, Li, Petzold and Serban, Adjoint sensitivity analysis for differential-algebraic equations, 2003. Checked by
//! `crates/dalembert/tests/it/gradient.rs` against forward sensitivities.

use super::follow::Sensitivities;
use super::step_program::{DENSE_STAGES, STAGES};
use super::transposed_step::TransposedStep;
use crate::hybrid::{EventHit, Failure, FollowedStep, Follower, Guard, Moment, StepStages};
use crate::kernel::{Differentiable, FusedAdjoint, Term};
use crate::method::explicit::Explicit;
use crate::method::stages::Kind;
use crate::method::stepper::{Attempt, EvalError, Field, Stepper, Tolerance};
use crate::{AccelerationError, NotDifferentiable, Point};

/// Tolerance of the sweep against that of the motion.
const SHARE: f64 = 0.3;
/// Points by which a step is stored.
const POINTS: usize = 8;
/// Parts of the number below this part of the largest need no digits.
const FLOOR: f64 = 1e-3;
/// Times nearer than this are the same.
const SAME_TIME: f64 = 1e-12;
/// Steps of the sweep at most, for each step of the motion on average.
const MOST_STEPS: usize = 200;

/// Records a motion, to be swept backwards.
pub struct Adjoint<'k> {
    fused: Box<dyn FusedAdjoint + 'k>,
    /// Steps by their stages, where the equations have no kinks.
    transposed: Option<TransposedStep>,
    /// All directions, each by itself: the state, then parameters. Used where the map is found as a matrix.
    columns: Sensitivities<'k>,
    identity: Vec<f64>,
    d: usize,
    records: Vec<Record>,
    pieces: Vec<Piece>,
    /// How far the motion has come.
    reached: f64,
    /// Times of rows that are asked for, with their outputs if so.
    times: Vec<f64>,
    outputs: bool,
    tolerance: Tolerance,
    nodes: [f64; POINTS],
    /// Evaluations of the transposed program.
    evaluations: usize,
    /// Why there is no sweep along this motion.
    refused: Option<NotDifferentiable>,
}

/// What a motion consists of, in its order.
enum Record {
    /// A part of a step, from a time to a time.
    Part { piece: usize, from: f64, to: f64 },
    /// The state behind it by directions before it.
    Map(Vec<f64>),
    /// A row that may be asked for.
    Row { t: f64, by: RowMap },
}

/// A row by directions.
enum RowMap {
    /// It is the state.
    State,
    /// State and outputs.
    Matrix(Vec<f64>),
    /// Behind an event that has assigned something: its own time depends on what was before.
    Unknown(usize),
}

/// A step of the motion.
struct Piece {
    t: f64,
    h: f64,
    stretch: [f64; 2],
    form: Form,
    /// Times at which it has kinks, with the map across where something jumps.
    kinks: Vec<(f64, Option<Vec<f64>>)>,
}

/// How a step is stored.
enum Form {
    /// By the states at its begin and end and the derivatives of its stages.
    Stages(Vec<f64>),
    /// By values of its dense output.
    Dense(Vec<f64>),
}

/// What a number makes of a row: by the state (x, eta), and by outputs.
pub struct RowWeights {
    /// By the state.
    pub state: Vec<f64>,
    /// By outputs; empty where it has none.
    pub outputs: Vec<f64>,
}

/// The derivative of a number of the motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pulled {
    /// By the state at the start.
    pub start: Vec<f64>,
    /// By all parameters of the kernel, along the smooth parts of the motion.
    pub parameters: Vec<f64>,
    /// By the parameter directions given, at events and rows.
    pub directions: Vec<f64>,
    /// Evaluations of the transposed program.
    pub evaluations: usize,
}

impl<'k> Adjoint<'k> {
    /// For parameter directions, rows at these times, with outputs if the number has any; `None` if the acceleration of the
    /// kernel is not one program.
    pub fn new(
        kernel: &'k dyn Differentiable,
        parameters: &[Vec<f64>],
        times: Vec<f64>,
        (rtol, outputs): (f64, bool),
    ) -> Option<Self> {
        let fused = kernel.fused_adjoint()?;
        let d = kernel.shape().n_x + kernel.shape().n_eta;
        let unit = |j: usize| (0..d).map(|i| f64::from(u8::from(i == j))).collect::<Vec<f64>>();
        let starts: Vec<Vec<f64>> = (0..d + parameters.len()).map(unit).collect();
        let none = vec![0.0; kernel.parameter_count()];
        let mut directions = vec![none; d];
        directions.extend_from_slice(parameters);
        let sizes = vec![1.0; directions.len()];
        let columns = Sensitivities::plain(kernel, &starts, directions, sizes, (rtol, outputs));
        let angle = |k: usize| std::f64::consts::PI * k as f64 / (POINTS - 1) as f64;
        let smooth = kernel.fused_program().filter(|_| kernel.kink_count() == 0);
        Some(Self {
            fused,
            transposed: smooth.and_then(|program| TransposedStep::new(&program, d)),
            identity: starts.concat(),
            columns,
            d,
            records: Vec::new(),
            pieces: Vec::new(),
            reached: f64::NAN,
            times,
            outputs,
            tolerance: Tolerance { rtol: SHARE * rtol, atol: SHARE * rtol },
            nodes: std::array::from_fn(|k| 0.5 * (1.0 - angle(k).cos())),
            evaluations: 0,
            refused: None,
        })
    }

    /// Takes all directions by themselves at a time.
    fn take_identity(&mut self, t: f64) {
        self.columns.S.copy_from_slice(&self.identity);
        self.columns.at = (t, self.identity.clone());
        self.columns.t = t;
    }

    /// Stores a step that begins.
    fn begin_step(&mut self, step: &FollowedStep<'_>) -> Result<(), NotDifferentiable> {
        let form = match step.stages.as_ref().filter(|_| self.transposed.is_some()) {
            Some(stages) => {
                let used = if step.has_dense { DENSE_STAGES } else { STAGES };
                Form::Stages([stages.y, stages.y_new, &stages.k[..used * self.d]].concat())
            }
            None => {
                let mut values = vec![0.0; POINTS * self.d];
                for (theta, out) in self.nodes.iter().zip(values.chunks_mut(self.d)) {
                    (step.inside)(*theta, out);
                }
                Form::Dense(values)
            }
        };
        let mut kinks = Vec::new();
        for (t, kink) in self.columns.kinks_in(step)? {
            self.columns.S.copy_from_slice(&self.identity);
            self.columns.pass_kink(step, t, kink)?;
            let jumps = self.columns.S != self.identity;
            kinks.push((t, jumps.then(|| self.columns.S.clone())));
        }
        let FollowedStep { t, h, stretch, .. } = *step;
        self.pieces.push(Piece { t, h, stretch, form, kinks });
        self.reached = t;
        Ok(())
    }

    /// The derivative of a number by one sweep backwards; `weights` are what each row with a time makes of it.
    pub fn sweep(mut self, weights: impl Fn(f64) -> Option<RowWeights>) -> Result<Pulled, NotDifferentiable> {
        if let Some(reason) = self.refused {
            return Err(reason);
        }
        let (d, count) = (self.d, self.fused.constants().len());
        let directions = self.columns.equation.directions.len() - d;
        let mut z = vec![0.0; d + count];
        let mut by = vec![0.0; directions];
        let mut stepper = Explicit::new(Kind::Dop853, d + count);
        let (records, pieces) = (std::mem::take(&mut self.records), std::mem::take(&mut self.pieces));
        let most = MOST_STEPS * (records.len() + 100);
        let mut tried = 0;
        // Of rows at one instant the last one counts.
        let mut taken = f64::NAN;
        for record in records.iter().rev() {
            match record {
                Record::Row { t, by: map } => {
                    let Some(weights) = weights(*t).filter(|_| *t != taken) else { continue };
                    taken = *t;
                    let mut all: Vec<f64> = weights.state.iter().chain(&weights.outputs).copied().collect();
                    match map {
                        RowMap::State => z.iter_mut().zip(&weights.state).for_each(|(z, w)| *z += w),
                        RowMap::Matrix(matrix) => {
                            // Rows may have more behind the outputs.
                            all.resize(matrix.len() / (d + directions), 0.0);
                            add(&transposed(matrix, &all), &mut z[..d], &mut by);
                        }
                        RowMap::Unknown(event) => return Err(NotDifferentiable::Reset(*event)),
                    }
                }
                Record::Map(matrix) => across(matrix, &mut z[..d], &mut by),
                Record::Part { piece, from, to } if matches!(pieces[*piece].form, Form::Stages(_)) => {
                    self.back_by_stages(&pieces[*piece], *from, *to, &mut z)?;
                }
                Record::Part { piece, from, to } => {
                    let (piece, mut t) = (&pieces[*piece], *to);
                    let inside = |kink: f64| (kink - from) * piece.h > 0.0 && (to - kink) * piece.h >= 0.0;
                    for (kink, matrix) in piece.kinks.iter().rev().filter(|(kink, _)| inside(*kink)) {
                        self.back(piece, t, *kink, &mut z, &mut stepper, (&mut tried, most))?;
                        if let Some(matrix) = matrix {
                            across(matrix, &mut z[..d], &mut by);
                        }
                        t = *kink;
                    }
                    self.back(piece, t, *from, &mut z, &mut stepper, (&mut tried, most))?;
                }
            }
        }
        let mut parameters = vec![0.0; self.columns.equation.base.parameter_count()];
        self.fused.parameters(&z[d..], &mut parameters);
        z.truncate(d);
        Ok(Pulled { start: z, parameters, directions: by, evaluations: self.evaluations })
    }

    /// Goes back over a step by its stages: weights inside it are gathered until its begin is reached.
    fn back_by_stages(
        &mut self,
        piece: &Piece,
        from: f64,
        to: f64,
        z: &mut [f64],
    ) -> Result<(), NotDifferentiable> {
        let (Form::Stages(stored), Some(step)) = (&piece.form, &mut self.transposed) else {
            return Err(NotDifferentiable::Unannounced);
        };
        let (lambda, by_constants) = z.split_at_mut(self.d);
        let Piece { t, h, stretch, .. } = *piece;
        let end = t + h;
        if (to - end).abs() <= SAME_TIME * h.abs() + 4.0 * f64::EPSILON * end.abs() {
            step.take_end(lambda);
        } else {
            step.take_inside((to - t) / h, lambda);
        }
        if from != t {
            return Ok(());
        }
        let ((y, rest), d) = (stored.split_at(self.d), self.d);
        let stages = StepStages { t, h, y, y_new: &rest[..d], k: &rest[d..], stretch };
        self.evaluations += (stored.len() - 2 * d) / d;
        if step.pull(&stages, lambda, by_constants) { Ok(()) } else { Err(NotDifferentiable::Unannounced) }
    }

    /// Goes back inside a step.
    fn back(
        &mut self,
        piece: &Piece,
        from: f64,
        to: f64,
        z: &mut [f64],
        stepper: &mut Explicit,
        (tried, most): (&mut usize, usize),
    ) -> Result<(), NotDifferentiable> {
        let (mut t, mut h) = (from, to - from);
        let Form::Dense(values) = &piece.form else { return Err(NotDifferentiable::Unannounced) };
        let n_x = self.columns.equation.n_x;
        let d = self.d;
        let mut f = vec![0.0; z.len()];
        let mut weights = vec![1.0; z.len()];
        let mut y_new = vec![0.0; z.len()];
        while (to - t) * (to - from) > 0.0 && (to - t).abs() > 1e-14 * piece.h.abs() {
            if ((t + h) - to) * h > 0.0 {
                h = to - t;
            }
            weights.fill(1.0);
            let mut field = Backward {
                fused: &mut *self.fused,
                piece,
                values,
                nodes: &self.nodes,
                weights: &weights,
                y: vec![0.0; d],
                z: vec![0.0; z.len()],
                n_x,
                evaluations: &mut self.evaluations,
            };
            if field.eval(t, z, &mut f).is_err() {
                return Err(NotDifferentiable::Unannounced);
            }
            let y = field.y;
            for block in [0..n_x, n_x..d] {
                let size = block.clone().fold(0.0f64, |m, i| m.max(z[i].abs()).max((h * f[i]).abs()));
                block.for_each(|i| weights[i] = if size > 0.0 { size } else { 1.0 });
            }
            // What is only summed up is judged by all that has been summed of it; what is far below the largest part of the number
            // is rounding.
            let state: f64 = z[..d].iter().zip(&y).map(|(l, y)| (l * y).abs()).sum();
            let constants = self.fused.constants();
            let whole = constants.iter().zip(&z[d..]).fold(state, |m, (c, z)| m.max((c * z).abs()));
            for (k, c) in constants.iter().enumerate() {
                let floor = if *c != 0.0 { FLOOR * whole / c.abs() } else { 0.0 };
                let size = z[d + k].abs().max((h * f[d + k]).abs()).max(floor);
                weights[d + k] = if size > 0.0 { size } else { 1.0 };
            }
            let scaled = |v: &[f64]| v.iter().zip(&weights).map(|(v, w)| v / w).collect::<Vec<f64>>();
            let (y0, f0) = (scaled(z), scaled(&f));
            loop {
                let mut field = Backward {
                    fused: &mut *self.fused,
                    piece,
                    values,
                    nodes: &self.nodes,
                    weights: &weights,
                    y: vec![0.0; d],
                    z: vec![0.0; z.len()],
                    n_x,
                    evaluations: &mut self.evaluations,
                };
                let at = Attempt { t, h, y: &y0, f: &f0, tol: self.tolerance };
                let error = stepper.step(&mut field, at, &mut y_new).map_or(f64::INFINITY, |e| e.error);
                *tried += 1;
                if error <= 1.0 {
                    stepper.accepted(h);
                    z.iter_mut().zip(&y_new).zip(&weights).for_each(|((z, y), w)| *z = y * w);
                    t = if h == to - t { to } else { t + h };
                    h *= (0.9 * error.max(1e-8).powf(-1.0 / 8.0)).clamp(0.5, 4.0);
                    break;
                }
                if *tried > most || h.abs() <= 1e-12 * piece.h.abs() {
                    return Err(NotDifferentiable::TooManySteps);
                }
                let finite = error.is_finite();
                h *= if finite { (0.9 * error.powf(-1.0 / 8.0)).clamp(0.1, 0.7) } else { 0.25 };
            }
        }
        Ok(())
    }
}

/// A matrix by directions, times weights.
fn transposed(matrix: &[f64], weights: &[f64]) -> Vec<f64> {
    matrix.chunks(weights.len()).map(|row| row.iter().zip(weights).map(|(a, w)| a * w).sum()).collect()
}

fn add(pulled: &[f64], lambda: &mut [f64], by: &mut [f64]) {
    let (state, parameters) = pulled.split_at(lambda.len());
    lambda.iter_mut().zip(state).for_each(|(z, v)| *z += v);
    by.iter_mut().zip(parameters).for_each(|(b, v)| *b += v);
}

/// S3 transposed.
fn across(matrix: &[f64], lambda: &mut [f64], by: &mut [f64]) {
    let pulled = transposed(matrix, lambda);
    lambda.fill(0.0);
    add(&pulled, lambda, by);
}

/// lambda and c_bar along a stored step, scaled.
struct Backward<'a> {
    fused: &'a mut dyn FusedAdjoint,
    piece: &'a Piece,
    values: &'a [f64],
    nodes: &'a [f64; POINTS],
    weights: &'a [f64],
    y: Vec<f64>,
    z: Vec<f64>,
    n_x: usize,
    evaluations: &'a mut usize,
}

impl Backward<'_> {
    /// The state at a time, by barycentric interpolation between Chebyshev points.
    fn look(&mut self, t: f64) {
        let (theta, d) = ((t - self.piece.t) / self.piece.h, self.y.len());
        let mut sum = 0.0;
        self.y.fill(0.0);
        for (k, node) in self.nodes.iter().enumerate() {
            let values = &self.values[k * d..(k + 1) * d];
            if theta == *node {
                self.y.copy_from_slice(values);
                return;
            }
            let half = if k == 0 || k == POINTS - 1 { 0.5 } else { 1.0 };
            let weight = if k % 2 == 0 { half } else { -half } / (theta - node);
            sum += weight;
            self.y.iter_mut().zip(values).for_each(|(y, v)| *y += weight * v);
        }
        self.y.iter_mut().for_each(|y| *y /= sum);
    }
}

impl Field for Backward<'_> {
    fn dim(&self) -> usize {
        self.weights.len()
    }

    fn eval(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<(), EvalError> {
        *self.evaluations += 1;
        self.look(t);
        let d = self.y.len();
        self.z.iter_mut().zip(y).zip(self.weights).for_each(|((z, y), w)| *z = y * w);
        let at = Point {
            t: t.max(self.piece.stretch[0]).min(self.piece.stretch[1]),
            x: &self.y[..self.n_x],
            eta: &self.y[self.n_x..],
        };
        let (by_state, by_constants) = out.split_at_mut(d);
        if !self.fused.pull(at, &self.z[..d], by_state, by_constants) {
            let error = AccelerationError::NotFinite { t, term: Term::Acceleration, index: 0 };
            return Err(EvalError::Acceleration(error));
        }
        out.iter_mut().zip(self.weights).for_each(|(v, w)| *v /= -w);
        Ok(())
    }

    fn jacobian(&mut self, t: f64, _: &[f64], _: &[f64], _: &mut [f64]) -> Result<(), EvalError> {
        let error = AccelerationError::NotFinite { t, term: Term::Acceleration, index: 0 };
        Err(EvalError::Acceleration(error))
    }
}

fn failed<T>(t: f64, result: Result<T, NotDifferentiable>) -> Result<T, Failure> {
    result.map_err(|reason| Failure::NotDifferentiable { t, reason })
}

impl Follower for Adjoint<'_> {
    fn begin(&mut self, at: Moment<'_>) -> Result<(), Failure> {
        self.columns.begin(at)?;
        self.take_identity(at.t);
        Ok(())
    }

    fn anticipate(&mut self, step: &FollowedStep<'_>) -> bool {
        self.transposed.is_some() && step.stages.is_some()
    }

    fn advance(&mut self, step: &FollowedStep<'_>, until: f64) -> Result<(), Failure> {
        let same = self.pieces.last().is_some_and(|piece| (piece.t, piece.h) == (step.t, step.h));
        if !same {
            let begun = self.begin_step(step);
            failed(step.t, begun)?;
        }
        if until != self.reached {
            let piece = self.pieces.len() - 1;
            self.records.push(Record::Part { piece, from: self.reached, to: until });
            self.reached = until;
        }
        self.columns.t = until;
        self.columns.at.0 = until;
        Ok(())
    }

    fn row(&mut self, at: Moment<'_>, _: &[f64], event: Option<EventHit>) -> Result<&[f64], Failure> {
        let wanted = self.times.iter().any(|t| (t - at.t).abs() <= SAME_TIME * (1.0 + t.abs()));
        let by = match event {
            Some(hit) if self.columns.crossed.0 == at.t => RowMap::Unknown(hit.index),
            None if !wanted => return Ok(&[]),
            None if !self.outputs => RowMap::State,
            _ => {
                self.take_identity(at.t);
                let width = self.d + if self.outputs { self.columns.equation.base.outputs_len() } else { 0 };
                let rows = self.columns.row(at, &[], event)?;
                RowMap::Matrix(rows.chunks(1 + width).flat_map(|row| row[1..].iter().copied()).collect())
            }
        };
        self.records.push(Record::Row { t: at.t, by });
        Ok(&[])
    }

    fn cross(&mut self, guards: &[Guard], before: Moment<'_>, after: Moment<'_>) -> Result<(), Failure> {
        if self.columns.crossed.0 == before.t {
            // Its time changes as that of what happened just before does, whose directions are not these any more.
            let event = guards.iter().find_map(Guard::event).unwrap_or(0);
            self.refused.get_or_insert(NotDifferentiable::Reset(event));
            return Ok(());
        }
        self.take_identity(before.t);
        let done = self.columns.pass(guards, before, after);
        failed(before.t, done)?;
        self.records.push(Record::Map(self.columns.S.clone()));
        Ok(())
    }
}
