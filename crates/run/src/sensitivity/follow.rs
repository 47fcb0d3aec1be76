//! Sensitivities of a motion (S1), followed step by step.
//!
//! Steps of the variational equation lie inside those of the motion and have an error control of their own; they begin
//! anew where the equations have kinks. Rows inside a step come from their dense output. What happens between steps is the
//! subject of `saltation`.
//!
//! The motion itself is not touched. Its cost is one motion, and for each of its evaluations one of the equation: the fused
//! acceleration differentiated along all directions at once where the system has one, otherwise one solve and S2 for each
//! direction.

use super::variation::{Equation, FLOOR, Variation};
use super::whole_step::WholeStep;
use crate::hybrid::{EventHit, Failure, FollowedStep, Follower, Guard, Moment};
use crate::kernel::{Differentiable, Direction};
use crate::method::explicit::Explicit;
use crate::method::stages::Kind;
use crate::method::stepper::{Attempt, Field, Stepper, Tolerance};
use crate::sensitivity::response::Response;
use crate::{ContactModes, NotDifferentiable, Point};

/// Tolerance of S against that of the motion. The states it reads have errors of that size.
const SHARE: f64 = 2.0;
/// Steps of the equation at most, for each step of the motion on average.
const MOST_STEPS: usize = 200;
/// Steps after which columns are made tangent to the constraints again: only errors of integration lead away from them. Rows and
/// events are made tangent by themselves.
const SETTLED: usize = 8;
/// Samples of the functions at whose zeros the equations have kinks, in a step.
const SAMPLES: usize = 8;

/// The sensitivities of a motion by several directions.
pub struct Sensitivities<'k> {
    pub(super) equation: Equation<'k>,
    /// The columns at time `t`.
    pub(super) S: Vec<f64>,
    pub(super) t: f64,
    /// Steps of all directions by the stages of the motion, where there is a program for them.
    whole: Option<WholeStep>,
    /// The columns at the time asked for last.
    pub(super) at: (f64, Vec<f64>),
    pub(super) modes: ContactModes,
    stepper: Explicit,
    tolerance: Tolerance,
    /// The last step of the equation: begin, length, columns there, and whether its dense output is ready.
    piece: Option<Piece>,
    /// Begin of the step of the motion that is followed, and kinks in it, in order.
    step: f64,
    breaks: Vec<(f64, usize)>,
    /// Values of the functions that have kinks at their zeros, where they were not zero last.
    pub(super) sides: Vec<f64>,
    weights: Vec<f64>,
    /// Size of what each direction varies.
    sizes: Vec<f64>,
    room: [Vec<f64>; 4],
    y: Vec<f64>,
    row: Vec<f64>,
    outputs: bool,
    /// Time of the last event that the motion has crossed, and its changes.
    pub(super) crossed: (f64, Vec<f64>),
    /// Time of the last kink that the motion has passed inside a step, and the direction of the motion in time.
    pub(super) kink_passed: f64,
    pub(super) way: f64,
    steps: (usize, usize),
}

struct Piece {
    t: f64,
    h: f64,
    y: Vec<f64>,
    f: Vec<f64>,
    weights: Vec<f64>,
    dense: bool,
}

impl<'k> Sensitivities<'k> {
    /// For directions that begin with these changes of the state (x, then eta) and change the parameters by these amounts;
    /// `sizes` are the sizes of what is varied.
    /// `outputs` says whether those of the outputs are wanted, `integrals` how many integrals along the motion they read.
    pub fn new(
        kernel: &'k dyn Differentiable,
        starts: &[Vec<f64>],
        parameters: Vec<Vec<f64>>,
        sizes: Vec<f64>,
        (rtol, outputs, integrals): (f64, bool, usize),
    ) -> Self {
        let whole = if integrals == 0 { WholeStep::new(kernel, &parameters, &sizes, rtol) } else { None };
        let equation = Equation::new(kernel, parameters, integrals);
        Self { whole, ..Self::of(equation, starts, sizes, (rtol, outputs)) }
    }

    /// For directions that are followed across single instants only.
    pub(super) fn plain(
        kernel: &'k dyn Differentiable,
        starts: &[Vec<f64>],
        parameters: Vec<Vec<f64>>,
        sizes: Vec<f64>,
        how: (f64, bool),
    ) -> Self {
        Self::of(Equation::plain(kernel, parameters, 0), starts, sizes, how)
    }

    fn of(
        equation: Equation<'k>,
        starts: &[Vec<f64>],
        sizes: Vec<f64>,
        (rtol, outputs): (f64, bool),
    ) -> Self {
        let (kernel, integrals) = (equation.base, equation.integrals);
        let width = equation.width();
        let mut S = Vec::with_capacity(starts.len() * width);
        for start in starts {
            S.extend_from_slice(start);
            S.resize(S.len() + integrals, 0.0);
        }
        let dim = S.len();
        Self {
            stepper: Explicit::new(Kind::Dop853, dim),
            tolerance: Tolerance { rtol: SHARE * rtol, atol: SHARE * rtol },
            at: (f64::NAN, S.clone()),
            t: f64::NAN,
            modes: ContactModes::new(&kernel.shape()),
            whole: None,
            piece: None,
            step: f64::NAN,
            breaks: Vec::new(),
            sides: Vec::new(),
            weights: vec![1.0; dim],
            sizes,
            room: std::array::from_fn(|_| vec![0.0; dim]),
            y: vec![0.0; kernel.shape().n_x + kernel.shape().n_eta],
            row: Vec::new(),
            outputs,
            crossed: (f64::NAN, Vec::new()),
            kink_passed: f64::NAN,
            way: 1.0,
            steps: (0, 0),
            equation,
            S,
        }
    }

    /// How often the equation was evaluated, for all directions together.
    pub fn evaluations(&self) -> usize {
        self.equation.evaluations
    }

    /// The response of the kernel with these modes.
    pub(super) fn take_modes(&mut self, modes: &ContactModes) -> Result<(), NotDifferentiable> {
        if self.equation.response.is_none() || self.modes != *modes {
            let mut response =
                Response::new(self.equation.base, modes.clone()).map_err(super::variation::reason)?;
            response.accept_disagreement();
            self.equation.response = Some(response);
            self.modes = modes.clone();
        }
        Ok(())
    }

    /// One step of the equation towards a time, inside a step of the motion.
    fn take_step(&mut self, step: &FollowedStep<'_>, end: f64) -> Result<(), NotDifferentiable> {
        let mut h = end - self.t;
        let least = 1e-12 * step.h.abs();
        self.weigh(step)?;
        loop {
            let [y, f, y_new, S] = &mut self.room;
            y.iter_mut().zip(&self.S).zip(&self.weights).for_each(|((y, S), w)| *y = S / w);
            let mut field =
                Variation { equation: &mut self.equation, step, weights: &self.weights, S, y: &mut self.y };
            let at = Attempt { t: self.t, h, y, f, tol: self.tolerance };
            let tried = self.stepper.step(&mut field, at, y_new);
            self.steps.1 += 1;
            let error = tried.map_or(f64::INFINITY, |estimated| estimated.error);
            if error <= 1.0 {
                self.stepper.accepted(h);
                let S: Vec<f64> = y_new.iter().zip(&self.weights).map(|(y, w)| y * w).collect();
                self.piece = Some(Piece {
                    t: self.t,
                    h,
                    y: y.clone(),
                    f: f.clone(),
                    weights: self.weights.clone(),
                    dense: false,
                });
                self.S = S;
                self.t = if h == end - self.t { end } else { self.t + h };
                self.equation.refused = None;
                return Ok(());
            }
            if self.steps.1 > MOST_STEPS * (self.steps.0 + 100) || h.abs() <= least {
                return Err(self.equation.refused.take().unwrap_or(NotDifferentiable::TooManySteps));
            }
            let factor =
                if error.is_finite() { (0.9 * error.powf(-1.0 / 8.0)).clamp(0.1, 0.7) } else { 0.25 };
            h *= factor;
        }
    }

    /// Sizes of each direction's coordinates and speeds over the step, and the derivative at its begin in these.
    fn weigh(&mut self, step: &FollowedStep<'_>) -> Result<(), NotDifferentiable> {
        let (n_x, width) = (self.equation.n_x, self.equation.width());
        let d = n_x + self.equation.n;
        let [_, f, _, S] = &mut self.room;
        self.weights.fill(1.0);
        let mut field =
            Variation { equation: &mut self.equation, step, weights: &self.weights, S, y: &mut self.y };
        let now = self.S.clone();
        if field.eval(self.t, &now, f).is_err() {
            return Err(self.equation.refused.take().unwrap_or(NotDifferentiable::TooManySteps));
        }
        // What a change of the whole parameter could do: sensitivities far below it are rounding.
        let (mut begin, mut end) = (vec![0.0; d], vec![0.0; d]);
        (step.inside)(0.0, &mut begin);
        (step.inside)(1.0, &mut end);
        let moved = |i: usize| begin.get(i).map_or(0.0, |b| b.abs().max(end[i].abs()));
        for (k, column) in self.S.chunks(width).enumerate() {
            for block in [0..n_x, n_x..d, d..width] {
                let size = block.clone().fold(0.0f64, |size, i| {
                    let floor = FLOOR * moved(i) / self.sizes[k];
                    size.max(column[i].abs()).max((step.h * f[k * width + i]).abs()).max(floor)
                });
                let size = if size > 0.0 { size } else { 1.0 };
                block.for_each(|i| self.weights[k * width + i] = size);
            }
        }
        f.iter_mut().zip(&self.weights).for_each(|(f, w)| *f /= w);
        Ok(())
    }

    /// Columns at a time inside the last step of the equation, into `at`.
    fn look_inside(&mut self, step: &FollowedStep<'_>, t: f64) -> Result<(), NotDifferentiable> {
        self.at.0 = t;
        if let Some(whole) = self.whole.as_mut().filter(|whole| whole.has_dense() && t != self.t) {
            whole.dense(t, &mut self.at.1);
            return Ok(());
        }
        let Some(piece) = self.piece.as_mut().filter(|_| t != self.t) else {
            self.at.1.copy_from_slice(&self.S);
            return Ok(());
        };
        let [_, f_new, y_new, S] = &mut self.room;
        if !piece.dense {
            y_new.iter_mut().zip(&self.S).zip(&piece.weights).for_each(|((y, S), w)| *y = S / w);
            let mut field =
                Variation { equation: &mut self.equation, step, weights: &piece.weights, S, y: &mut self.y };
            let end = piece.t + piece.h;
            let at = Attempt { t: piece.t, h: piece.h, y: &piece.y, f: &piece.f, tol: self.tolerance };
            let done = field.eval(end, y_new, f_new).map_err(Into::into);
            // A dense output that is judged unresolved is still of order 7 in a smooth stretch.
            let done = done.and_then(|()| self.stepper.prepare_dense(&mut field, at, y_new, f_new));
            if let (Err(_), Some(reason)) = (done, self.equation.refused.take()) {
                return Err(reason);
            }
            piece.dense = true;
        }
        self.stepper.dense((t - piece.t) / piece.h, &mut self.at.1);
        self.at.1.iter_mut().zip(&piece.weights).for_each(|(v, w)| *v *= w);
        Ok(())
    }

    /// Kinks of the equations inside a step that begins, in the order of the motion.
    pub(super) fn kinks_in(
        &mut self,
        step: &FollowedStep<'_>,
    ) -> Result<Vec<(f64, usize)>, NotDifferentiable> {
        self.take_modes(step.modes)?;
        self.rewind(step.t);
        self.find_breaks(step);
        Ok(std::mem::take(&mut self.breaks))
    }

    /// Kinks of the equations inside a step, in the order of the motion.
    fn find_breaks(&mut self, step: &FollowedStep<'_>) {
        self.breaks.clear();
        self.way = step.h.signum();
        let count = self.equation.base.kink_count();
        if count == 0 {
            return;
        }
        let (mut before, mut now, mut y) = (vec![0.0; count], vec![0.0; count], self.y.clone());
        let mut scratch = vec![0.0; self.equation.base.derivative_scratch_len()];
        let (base, n_x) = (self.equation.base, self.equation.n_x);
        let mut values = |theta: f64, g: &mut [f64]| {
            (step.inside)(theta, &mut y);
            base.kinks(Point { t: step.t + theta * step.h, x: &y[..n_x], eta: &y[n_x..] }, &mut scratch, g);
        };
        values(0.0, &mut before);
        // A step that begins at a zero has the side that the motion comes from.
        if self.sides.len() == count {
            for (i, (side, value)) in self.sides.iter().zip(&mut before).enumerate() {
                if side * *value < 0.0 {
                    self.breaks.push((step.t, i));
                } else if *value == 0.0 {
                    *value = *side;
                }
            }
        }
        for k in 1..=SAMPLES {
            let theta = k as f64 / SAMPLES as f64;
            values(theta, &mut now);
            for i in 0..count {
                if before[i] * now[i] < 0.0 {
                    let (mut low, mut high) = (theta - 1.0 / SAMPLES as f64, theta);
                    let mut g = vec![0.0; count];
                    for _ in 0..60 {
                        let middle = 0.5 * (low + high);
                        values(middle, &mut g);
                        *(if g[i] * now[i] > 0.0 { &mut high } else { &mut low }) = middle;
                    }
                    self.breaks.push((step.t + 0.5 * (low + high) * step.h, i));
                }
            }
            before.iter_mut().zip(&now).filter(|(_, now)| **now != 0.0).for_each(|(b, now)| *b = *now);
        }
        self.sides.clone_from(&before);
        self.breaks.sort_by(|a, b| (a.0 * step.h).total_cmp(&(b.0 * step.h)));
    }

    /// Goes on to a time inside a step of the motion.
    fn reach(&mut self, step: &FollowedStep<'_>, until: f64) -> Result<(), NotDifferentiable> {
        if step.t != self.step {
            if self.modes.modes != step.modes.modes {
                return Err(NotDifferentiable::Unannounced);
            }
            self.take_modes(step.modes)?;
            self.rewind(step.t);
            self.step = step.t;
            self.steps.0 += 1;
            self.find_breaks(step);
            self.take_whole_step(step);
        }
        let (way, end) = (step.h.signum(), step.t + step.h);
        // The driver may round the end of a step up; beyond it there is nothing to follow.
        let at_end = (end - until) * way <= 1e-12 * step.h.abs() + 4.0 * f64::EPSILON * end.abs();
        let asked = until;
        let until = if at_end { end } else { until };
        // Times nearer than this are the same: a last step of one rounding would not move the time at all.
        let close = 1e-14 * step.h.abs() + 4.0 * f64::EPSILON * end.abs();
        while (until - self.t) * way > close {
            match self.breaks.first().copied() {
                Some((kink, i)) if (kink - self.t) * way <= 1e-12 * step.h.abs() => {
                    self.breaks.remove(0);
                    self.pass_kink(step, kink, i)?;
                }
                Some((kink, _)) => self.take_step(step, kink)?,
                None => self.take_step(step, end)?,
            }
        }
        if (until - self.t).abs() <= close {
            self.t = until;
        }
        self.look_inside(step, until)?;
        if at_end && self.t == end {
            if self.steps.0.is_multiple_of(SETTLED) {
                self.settle(step.stretch, end, step)?;
            }
            // The driver rounds the end of a step to where it had to end.
            (self.t, self.at.0) = (asked, asked);
        }
        Ok(())
    }

    /// The whole step by the stages of the motion, where that is possible and accurate enough.
    fn take_whole_step(&mut self, step: &FollowedStep<'_>) {
        let Some(whole) = self.whole.as_mut().filter(|_| self.breaks.is_empty()) else { return };
        if whole.is_ready(step) || whole.run(step, &self.S, &mut self.equation.evaluations) {
            whole.take(&mut self.S);
            self.t = step.t + step.h;
        }
    }

    /// The columns are those at the time asked for last.
    pub(super) fn rewind(&mut self, t: f64) {
        if self.t != t {
            self.S.copy_from_slice(&self.at.1);
            self.t = t;
            self.sides.clear();
        }
        self.piece = None;
        if let Some(whole) = &mut self.whole {
            whole.forget_dense();
        }
        self.breaks.clear();
        self.step = f64::NAN;
    }

    /// Columns tangent to the rows at the end of a step.
    fn settle(
        &mut self,
        stretch: [f64; 2],
        t: f64,
        step: &FollowedStep<'_>,
    ) -> Result<(), NotDifferentiable> {
        let Some(response) = &self.equation.response else { return Ok(()) };
        if response.row_count() == 0 {
            return Ok(());
        }
        let mut y = std::mem::take(&mut self.y);
        (step.inside)(1.0, &mut y);
        let solved = self.equation.solve(t.max(stretch[0]).min(stretch[1]), &y);
        self.y = y;
        solved?;
        self.equation.make_tangent(&mut self.S);
        self.at.1.copy_from_slice(&self.S);
        self.piece = None;
        Ok(())
    }

    /// What belongs to a row.
    fn row_at(
        &mut self,
        at: Moment<'_>,
        integrals: &[f64],
        event: Option<EventHit>,
    ) -> Result<(), NotDifferentiable> {
        let (n_x, width) = (self.equation.n_x, self.equation.width());
        let d = n_x + self.equation.n;
        self.take_modes(at.modes)?;
        let count = if self.outputs { self.equation.base.outputs_len() } else { 0 };
        let rows = self.equation.response.as_ref().map_or(0, Response::row_count);
        let mut S = self.at.1.clone();
        self.row.clear();
        if count > 0 || rows > 0 || event.is_some() {
            self.equation.solve(at.t.max(at.stretch[0]).min(at.stretch[1]), at.y)?;
        }
        if rows > 0 {
            self.equation.make_tangent(&mut S);
        }
        let mut values = vec![0.0; count];
        let mut f = vec![0.0; width];
        if event.is_some() {
            self.derivative(&mut f);
        }
        for (k, column) in S.chunks_mut(width).enumerate() {
            let tau = match event {
                // Behind an event that has assigned something: its time is known.
                Some(_) if self.crossed.0 == at.t => self.crossed.1.get(k).copied().unwrap_or(0.0),
                Some(hit) => self.event_time(k, column, &f, hit.index)?,
                None => 0.0,
            };
            column.iter_mut().zip(&f).for_each(|(S, f)| *S += tau * f);
            self.row.push(tau);
            self.row.extend_from_slice(&column[..d]);
            if count > 0 {
                let along = Direction {
                    t: tau,
                    x: &column[..n_x],
                    eta: &column[n_x..d],
                    parameters: &self.equation.directions[k],
                };
                if let Some(response) = &mut self.equation.response {
                    response.along(along, &mut self.equation.change);
                    let works = (integrals, &column[d..]);
                    response.outputs_along(along, &self.equation.change, works, &mut values);
                }
                self.row.extend_from_slice(&values);
            }
        }
        Ok(())
    }
}

fn failed<T>(t: f64, result: Result<T, NotDifferentiable>) -> Result<T, Failure> {
    result.map_err(|reason| Failure::NotDifferentiable { t, reason })
}

impl Follower for Sensitivities<'_> {
    fn begin(&mut self, at: Moment<'_>) -> Result<(), Failure> {
        failed(at.t, self.take_modes(at.modes))?;
        self.equation.projector.hold_invariants(self.equation.base, &at.y[..self.equation.n_x]);
        self.equation.projector.measure(
            self.equation.base,
            Point { t: at.t, x: &at.y[..self.equation.n_x], eta: &at.y[self.equation.n_x..] },
        );
        self.t = at.t;
        if self.equation.response.as_ref().is_some_and(|r| r.row_count() > 0) {
            let solved = self.equation.solve(at.t.max(at.stretch[0]).min(at.stretch[1]), at.y);
            failed(at.t, solved)?;
            self.equation.make_tangent(&mut self.S);
        }
        self.at = (at.t, self.S.clone());
        Ok(())
    }

    fn anticipate(&mut self, step: &FollowedStep<'_>) -> bool {
        if self.modes.modes != step.modes.modes || self.equation.base.kink_count() > 0 {
            return false;
        }
        self.rewind(step.t);
        self.whole.as_mut().is_some_and(|whole| whole.run(step, &self.S, &mut self.equation.evaluations))
    }

    fn advance(&mut self, step: &FollowedStep<'_>, until: f64) -> Result<(), Failure> {
        let reached = self.reach(step, until);
        failed(self.t, reached)
    }

    fn row(&mut self, at: Moment<'_>, integrals: &[f64], event: Option<EventHit>) -> Result<&[f64], Failure> {
        let done = self.row_at(at, integrals, event);
        failed(at.t, done)?;
        Ok(&self.row)
    }

    fn cross(&mut self, guards: &[Guard], before: Moment<'_>, after: Moment<'_>) -> Result<(), Failure> {
        let done = self.pass(guards, before, after);
        failed(before.t, done)
    }
}
