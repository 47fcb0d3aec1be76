//! The motion from a complete integral: constants from the start, then b = dS/da solved for x at every time.
//!
//! No differential equation is integrated. Newton follows the solution from row to row in steps short enough to stay on
//! its branch; where the matrix of second derivatives is singular (a caustic, a turning point) S ends to describe the
//! motion, and the table ends with a message, as it does where the residual of H8 or the integrated motion contradicts. Where S only jumps (the cut of `atan2`) b is taken anew.

use super::verify::{along, free_directions};
use super::{HamiltonJacobi, Values};
use crate::number::short;
use crate::simulate::{IntegralReport, Motion, MotionForm, Request, Table, judge};
use crate::workspace::Workspace;
use dalembert_linalg::{Cod, Rng, norm_max};
use dalembert_run::{Dynamics, Flow, State};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// Places from which constants are searched.
const STARTS: usize = 400;
const MAX_NEWTON: usize = 40;
/// Steps towards the next row before it counts as out of reach.
const MAX_PARTS: usize = 20_000;
/// Residual of H8 along the motion, relative to its terms, from which S is wrong there.
pub(crate) const WRONG: f64 = 1e-7;
/// Difference from the integrated motion, in its sizes, from which one of the two is wrong.
const APART: f64 = 1e-4;
/// Shortest step, relative to the run.
const SHORTEST: f64 = 1e-9;

impl HamiltonJacobi {
    /// a with X S(a) = y along the constraints at a state, and b = dS/da there.
    pub fn constants(
        &self,
        model: &mut Workspace,
        state: &State,
    ) -> Result<(Vec<f64>, Vec<f64>), Box<Diagnostic>> {
        let y = model.momenta_at(state);
        let mut free = free_directions(model, state.t, &state.x);
        if self.k > free.len() {
            // A constant for each coordinate: those that no motion tells apart take the momenta across the constraints.
            free =
                (0..self.n).map(|p| (0..self.n).map(|q| if p == q { 1.0 } else { 0.0 }).collect()).collect();
        }
        let energy = model.evaluate(state).ok().and_then(|e| e.energy).unwrap_or(1.0);
        let mut scales = vec![1.0, 1.0, 0.1, 10.0, energy, 2.0 * energy, energy.abs().sqrt()];
        scales.extend(&y);
        let mut rng = Rng::new(11);
        for k in 0..STARTS {
            let pick = |rng: &mut Rng| {
                let choice = ((rng.between(-1.0, 1.0) + 1.0) / 2.0 * scales.len() as f64) as usize;
                scales[choice.min(scales.len() - 1)]
                    * if k == 0 { 1.0 } else { 1.0 + 0.5 * rng.between(-1.0, 1.0) }
            };
            let guess: Vec<f64> = (0..self.k).map(|_| pick(&mut rng)).collect();
            if let Some(a) = self.newton_constants(model, state, &free, &y, guess) {
                let b = self.at(model, state.t, &state.x, &a).b;
                if b.iter().all(|v| v.is_finite()) {
                    return Ok((a, b));
                }
            }
        }
        let message =
            "no values of the constants give the momenta at the start: dS/dx cannot be made equal to them";
        Err(Box::new(
            Diagnostic::error(Code::NotAnIntegral, self.integral.span, message)
                .help("roots have two signs, and S one of them; at a turning point, or where S is singular, start a little later"),
        ))
    }

    fn newton_constants(
        &self,
        model: &Workspace,
        state: &State,
        free: &[Vec<f64>],
        y: &[f64],
        mut a: Vec<f64>,
    ) -> Option<Vec<f64>> {
        let miss = |a: &[f64]| {
            let values = self.at(model, state.t, &state.x, a);
            let off: Vec<f64> = values.y.iter().zip(y).map(|(is, want)| is - want).collect();
            (along(free, &off), values)
        };
        let size = 1.0 + norm_max(y);
        let (mut off, mut values) = miss(&a);
        for _ in 0..MAX_NEWTON {
            let now = norm_max(&off);
            if now.is_nan() {
                return None;
            }
            let mut matrix = vec![0.0; free.len() * self.k];
            for (row, z) in matrix.chunks_mut(self.k.max(1)).zip(free) {
                for (c, entry) in row.iter_mut().enumerate() {
                    *entry = (0..self.n).map(|p| z[p] * values.y_a[p * self.k + c]).sum();
                }
            }
            let mut cod = Cod::new(free.len(), self.k);
            if !matrix.iter().all(|v| v.is_finite()) || cod.factor(&matrix, 1e-12) < free.len() {
                return None;
            }
            let mut change = vec![0.0; self.k];
            cod.solve(&off, &mut change);
            let mut fraction = 1.0;
            let next = loop {
                let trial: Vec<f64> = a.iter().zip(&change).map(|(a, d)| a - fraction * d).collect();
                let (off, values) = miss(&trial);
                if norm_max(&off) < now || norm_max(&off) <= 1e-15 * size {
                    break Some((trial, off, values));
                }
                fraction *= 0.5;
                if fraction < 1e-6 {
                    break None;
                }
            };
            match next {
                Some(next) => (a, off, values) = next,
                None => break,
            }
        }
        (norm_max(&off) <= 1e-11 * size).then_some(a)
    }
}

impl HamiltonJacobi {
    /// The states that b = dS/da gives at the times of a motion, for constants a and b at its first; as far as S describes it.
    pub(crate) fn states(&self, model: &Workspace, along: &[State], a: &[f64], b: &[f64]) -> Vec<State> {
        let [first, .., last] = along else { return Vec::new() };
        let (a, b) = (a.to_vec(), b.to_vec());
        let values = self.at(model, first.t, &first.x, &a);
        let mut here = TrialState { t: first.t, x: first.x.clone(), values };
        let mut follow = Follow { jacobi: self, model, a, b, cuts: 0, span: last.t - first.t, parts: 0 };
        let mut states = Vec::new();
        for state in along {
            follow.parts = 0;
            here = match follow.advance(here, state.t) {
                Ok(there) => there,
                Err(_) => break,
            };
            states.push(State::new(here.t, &here.x, &here.values.eta));
        }
        states
    }
}

/// Where a motion is.
struct TrialState {
    t: f64,
    x: Vec<f64>,
    values: Values,
}

/// Follows b = dS/da in time.
struct Follow<'a> {
    jacobi: &'a HamiltonJacobi,
    model: &'a Workspace,
    a: Vec<f64>,
    b: Vec<f64>,
    cuts: usize,
    span: f64,
    parts: usize,
}

impl Follow<'_> {
    /// Newton for b = dS/da and f = 0 at a time, from a guess.
    fn solve(&self, t: f64, guess: &[f64]) -> Option<TrialState> {
        let (n, k) = (self.jacobi.n, self.jacobi.k);
        let m = self.model.form.constraint_right.len();
        let mut scratch = vec![0.0; self.model.compiled.scratch_len()];
        let (mut phi, mut psi, still) = (vec![0.0; m], vec![0.0; m], vec![0.0; n]);
        let mut x = guess.to_vec();
        let size = 1.0 + norm_max(guess);
        let mut before = f64::INFINITY;
        for _ in 0..MAX_NEWTON {
            let values = self.jacobi.at(self.model, t, &x, &self.a);
            let mut rows = values.b_x.clone();
            let mut off: Vec<f64> = values.b.iter().zip(&self.b).map(|(is, want)| is - want).collect();
            let at = dalembert_run::Point { t, x: &x, eta: &still };
            self.model.compiled.residuals(at, &mut scratch, &mut phi, &mut psi);
            let mut gradient = vec![0.0; m * n];
            self.model.compiled.position_gradient(t, &x, &mut scratch, &mut gradient);
            off.extend(&phi);
            rows.extend(&gradient);
            // Rows to unit length: b and f have their own units.
            for (row, off) in rows.chunks_mut(n).zip(&mut off) {
                let length = dalembert_linalg::norm(row);
                if length > 0.0 {
                    row.iter_mut().for_each(|v| *v /= length);
                    *off /= length;
                }
            }
            if !rows.iter().chain(&off).all(|v| v.is_finite()) {
                return None;
            }
            let mut cod = Cod::new(k + m, n);
            if cod.factor(&rows, 1e-10) < n {
                return None;
            }
            let mut change = vec![0.0; n];
            cod.solve(&off, &mut change);
            let now = norm_max(&change) / size;
            // Corrections that do not shrink are rounding, or lead elsewhere.
            if now <= 1e-15 || (now < 1e-11 && now > 0.3 * before) {
                let left = norm_max(&off) / size;
                return (left < 1e-9).then_some(TrialState { t, x, values });
            }
            if now > 0.5 * before || now > 0.2 {
                return None;
            }
            x.iter_mut().zip(&change).for_each(|(x, d)| *x -= d);
            before = now;
        }
        None
    }

    /// On to a time; `None` where S ends to describe the motion.
    fn advance(&mut self, mut from: TrialState, until: f64) -> Result<TrialState, f64> {
        let mut step = until - from.t;
        while from.t < until {
            self.parts += 1;
            if self.parts > MAX_PARTS {
                return Err(from.t);
            }
            let t = if from.t + step >= until * (1.0 - 1e-15) { until } else { from.t + step };
            let guess: Vec<f64> =
                from.x.iter().zip(&from.values.x_dot).map(|(x, v)| x + (t - from.t) * v).collect();
            match self.solve(t, &guess) {
                Some(next) if self.smooth(&from, &next) => (from, step) = (next, 1.5 * step),
                _ if step > SHORTEST * self.span => step *= 0.4,
                _ => from = self.over_a_cut(&from, t, &guess).ok_or(from.t)?,
            }
        }
        Ok(from)
    }

    /// Momenta change little in a step: the branch is the same.
    fn smooth(&self, from: &TrialState, to: &TrialState) -> bool {
        let size = 1e-3 + norm_max(&from.values.y).max(norm_max(&to.values.y));
        let change = from.values.y.iter().zip(&to.values.y).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        change <= 0.3 * size
    }

    /// b jumps though y does not: the cut of an angle. The other side has another b.
    fn over_a_cut(&mut self, from: &TrialState, t: f64, guess: &[f64]) -> Option<TrialState> {
        let values = self.jacobi.at(self.model, t, guess, &self.a);
        let place = TrialState { t, x: guess.to_vec(), values };
        let jump = place.values.b.iter().zip(&self.b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        if !(jump.is_finite() && jump > 1e-3 && self.smooth(from, &place)) {
            return None;
        }
        self.b = place.values.b.clone();
        self.cuts += 1;
        Some(place)
    }
}

impl Workspace {
    /// dL/d eta at a state.
    fn momenta_at(&mut self, state: &State) -> Vec<f64> {
        let form = &self.form;
        let parameters = self.compiled.parameters();
        let known = |s| {
            let find = |list: &[dalembert_expr::Symbol], values: &[f64]| {
                list.iter().position(|k| *k == s).map(|i| values[i])
            };
            let time = (s == form.time).then_some(state.t);
            time.or_else(|| find(&form.coordinates, &state.x))
                .or_else(|| find(&form.speeds, &state.eta))
                .or_else(|| find(&form.parameters, parameters))
                .unwrap_or(f64::NAN)
        };
        self.system.pool.evaluate_all(&form.momenta, known)
    }

    /// The motion that the model's complete integral gives, compared with the integrated one.
    pub(crate) fn jacobi_motion(&mut self, request: &Request) -> Result<Motion, Box<Diagnostic>> {
        let jacobi = HamiltonJacobi::of(self)?;
        let verified = jacobi.verify(self)?;
        let start = match &request.start {
            Some(state) => state.clone(),
            None => self.start()?.state,
        };
        let (a, b) = jacobi.constants(self, &start)?;
        let rtol = request.rtol.or(Some(1e-12));
        let method = request.method.clone().or(Some("dop853".into()));
        let plain = Request {
            method,
            form: MotionForm::Explicit,
            start: Some(start.clone()),
            rtol,
            ..request.clone()
        };
        let mut motion = self.simulate(&plain, |_| Flow::Continue)?;
        let mut follow = Follow {
            jacobi: &jacobi,
            model: self,
            a: a.clone(),
            b: b.clone(),
            cuts: 0,
            span: motion.outcome.state.t - start.t,
            parts: 0,
        };
        let width = motion.table.columns.len();
        let sizes: Vec<f64> =
            (0..width).map(|c| motion.table.rows().fold(1e-3f64, |m, row| m.max(row[c].abs()))).collect();
        let values = jacobi.at(self, start.t, &start.x, &a);
        let mut here = TrialState { t: start.t, x: start.x.clone(), values };
        let (mut rows, mut difference, mut ended) = (Vec::new(), 0.0_f64, None);
        let mut energies: Vec<f64> = Vec::new();
        // Only an integration that answers for its error can contradict.
        let fixed = request.step.is_some() || motion.method.has_fixed_step();
        let apart = if fixed { f64::INFINITY } else { APART.max(1e4 * rtol.unwrap_or_default()) };
        for row in motion.table.rows() {
            follow.parts = 0;
            here = match follow.advance(here, row[0]) {
                Ok(there) => there,
                Err(t) => {
                    ended = Some(caustic(&jacobi, t));
                    break;
                }
            };
            if here.values.off().0 > WRONG {
                ended = Some(*jacobi.wrong(follow.model, here.t, &here.x, &follow.a, here.values.residual));
                break;
            }
            let state = State::new(row[0], &here.x, &here.values.eta);
            let off = |(c, v): (usize, &f64)| (v - row[c + 1]).abs() / sizes[c + 1];
            let now = state.x.iter().chain(&state.eta).enumerate().map(off).fold(0.0, f64::max);
            if now > apart {
                ended = Some(strayed(&jacobi, row[0], now));
                break;
            }
            difference = difference.max(now);
            rows.push(row[0]);
            rows.extend(state.x.iter().chain(&state.eta));
            let found = follow.model.evaluate(&state).ok();
            energies.extend(found.as_ref().and_then(|e| e.energy));
            let missing = width - 1 - state.x.len() - state.eta.len();
            rows.extend(found.map_or_else(|| vec![f64::NAN; missing], |e| e.outputs));
        }
        // The summary is of this motion, not of the one it was compared with.
        if let (Some(first), Some(last), Some(_)) = (energies.first(), energies.last(), motion.energy) {
            let stray = energies.iter().fold(0.0f64, |m, e| m.max((e - first).abs()));
            (motion.energy, motion.energy_change) = (Some((*first, stray)), Some(last - first));
        }
        motion.balance = None;
        let cuts = follow.cuts;
        let names = jacobi.integral.constants.iter().map(|(name, _)| name.clone());
        let constants: Vec<(String, f64)> = names.zip(a).collect();
        motion.table = Table { columns: motion.table.columns.clone(), values: rows };
        motion.integral = Some(IntegralReport { verified, constants, b, difference, cuts });
        let (not_finite, warnings) = judge(follow.model, &motion.table);
        motion.warnings.retain(|d| d.code != Code::OutputNotFinite);
        motion.warnings.extend(warnings);
        motion.failure = ended.or(motion.failure).or(not_finite);
        Ok(motion)
    }
}

fn caustic(jacobi: &HamiltonJacobi, t: f64) -> Diagnostic {
    let message = format!(
        "the complete integral ends to describe the motion at t = {}: a caustic or a turning point, where its second derivatives by coordinates and constants are singular",
        short(t)
    );
    Diagnostic::error(Code::Caustic, jacobi.integral.span, message).help(
        "what was found before is kept; beyond it another branch of S is needed, or another form of motion",
    )
}

fn strayed(jacobi: &HamiltonJacobi, t: f64, off: f64) -> Diagnostic {
    let message = format!(
        "the motion from the complete integral is not the integrated one at t = {}: they differ by {} of its size",
        short(t),
        short(off)
    );
    Diagnostic::error(Code::Caustic, jacobi.integral.span, message)
        .help("what was found before is kept; S is wrong on the way, or another branch of it is needed")
}
