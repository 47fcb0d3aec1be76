//! Bringing a state back onto the constraints, by the shortest way in the metric of the masses.
//!
//! ```text
//! position   x <- x + X delta,      delta^T M delta least among   A delta = -phi(x,t)        (Position rows)
//! velocity   eta <- eta + delta,    delta^T M delta least among   A delta = -psi(x,eta,t)    (Position, Velocity rows)
//! invariant  x <- x + G^+ (c - c(x)),  G the gradients, c the values held
//! ```
//!
//! Newton to rounding with the factorisation kept while it contracts well (a step of an integrator is off by so
//! little that one factorisation serves both levels). Directions weaker than the residual itself are not resolved
//! by a linear model and are left alone, so rows that are redundant only on the constraint set do no harm.
//! If M is not positive definite the metric is the identity.
//!
//! Residuals are scaled: `|phi_i| / (|A_i| (1 + max|x|))` and `|psi_i| / (|A_i| (1 + max|eta|))`, the maximum over the coordinates
//! and speeds that occur in the row, with `|A_i|` the length of the row where it is projected, but not less than `FLOOR` of
//! what it was lately, so that a row which vanishes at a singular configuration does not turn rounding into a residual. They
//! do not depend on the units of a row, nor on a factor that changes along the motion, nor on what else is in the system.
//!
//! Checked by: idempotence, drift and row-scaling tests in `tests/it/projection.rs` and below.

mod occurring;

use crate::acceleration::{Rules, Saddle};
use crate::row_sensitivity::RowSensitivity;
use crate::{Dynamics, Level, Path, Point, Shape, Sparsity, Taken, Terms};
use dalembert_linalg::{Cod, dot, norm};
use occurring::Occurring;
use std::sync::Arc;

/// Scaled residual at which a state counts as being on the constraints: projection leaves it alone.
pub const ROUNDING: f64 = 5e-16;
/// Scaled residual above which a projection has failed.
pub const PROJECTION_TOL: f64 = 1e-9;
/// Directions weaker than this, among rows of unit length, are never moved along.
const WEAKEST: f64 = 1e-7;
const MAX_ITERATIONS: usize = 25;
/// Scaled residual below which a step that gains little is not repeated.
const SETTLED: f64 = 1e-13;
/// How often positions and invariants are restored in turn.
const MAX_TURNS: usize = 10;
/// Least length of a row that scales its residual, relative to its length lately.
const FLOOR: f64 = 1e-4;
/// What an accepted state leaves of the longest length of a row.
const KEPT: f64 = 0.9;

/// How far a state is from the constraints, scaled (see the module page).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residuals {
    /// Largest scaled position residual.
    pub position: f64,
    /// Row that has it.
    pub position_row: usize,
    /// Largest scaled velocity residual.
    pub velocity: f64,
    /// Row that has it.
    pub velocity_row: usize,
}

/// A state could not be brought onto the constraints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProjectionError {
    /// Time.
    pub t: f64,
    /// Row with the largest residual.
    pub row: usize,
    /// Its scaled residual.
    pub residual: f64,
}

impl std::fmt::Display for ProjectionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { t, row, residual } = self;
        write!(
            f,
            "projection failed at t = {t}: constraint row {row} has a scaled residual of {residual:.2e}"
        )
    }
}

impl std::error::Error for ProjectionError {}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Position,
    Velocity,
}

/// What is at hand of a level when Newton begins a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Nothing,
    /// The terms at the state, not factored.
    Terms,
    /// A factorisation near enough.
    Factor,
}

/// Rows that are projected together, with their factorisation.
#[derive(Clone, Debug)]
struct Stage {
    rows: Vec<usize>,
    factor: Saddle,
    /// The rows written out, and the identity, where the terms are.
    A: Vec<f64>,
    identity: Vec<f64>,
    right: Vec<f64>,
    lambda: Vec<f64>,
    max_rank: Option<usize>,
}

impl Stage {
    fn new(n: usize, rows: Vec<usize>, sparsity: Option<&Arc<Sparsity>>) -> Self {
        let m = rows.len();
        // By entries, rows stand where they stand in A.
        let dense = if sparsity.is_some() { 0 } else { n };
        let m = sparsity.map_or(m, |s| s.constraint.n_rows());
        let mut identity = vec![0.0; dense * dense];
        (0..dense).for_each(|i| identity[i * n + i] = 1.0);
        Self {
            factor: Saddle::of_rows(n, &rows, sparsity),
            rows,
            A: vec![0.0; m * dense],
            identity,
            right: vec![0.0; m],
            lambda: vec![0.0; m],
            max_rank: None,
        }
    }

    fn factor(&mut self, terms: &Terms, rank_tol: f64, judged: bool) {
        let max_rank = self.max_rank.unwrap_or(usize::MAX);
        let rules = Rules { path: Path::Auto, rank_tol, max_rank, judged };
        // Where M is not positive definite, the identity is, so the second attempt cannot fail.
        if terms.sparsity.is_some() {
            let done = self.factor.factor(&terms.M, &terms.A, rules);
            if done.is_err() || self.factor.taken() == Taken::NullSpace {
                let _ = self.factor.factor_identity(&terms.A, rules);
            }
            return;
        }
        let n = terms.Q.len();
        for (k, &i) in self.rows.iter().enumerate() {
            self.A[k * n..(k + 1) * n].copy_from_slice(&terms.A[i * n..(i + 1) * n]);
        }
        let done = self.factor.factor(&terms.M, &self.A, rules);
        if done.is_err() || self.factor.taken() == Taken::NullSpace {
            let _ = self.factor.factor(&self.identity, &self.A, rules);
        }
    }

    fn solve(&mut self, residual: &[f64], zero: &[f64], delta: &mut [f64]) {
        let compact = !self.A.is_empty();
        for (k, &i) in self.rows.iter().enumerate() {
            self.right[if compact { k } else { i }] = -residual[i];
        }
        self.factor.solve(zero, &self.right, delta, &mut self.lambda);
    }
}

/// Workspace of the projection, sized once for a kernel.
#[derive(Clone, Debug)]
pub struct Projector {
    shape: Shape,
    stages: [Stage; 2],
    /// Whether both levels have the same rows and share the first stage.
    shared: bool,
    terms: Terms,
    zero: Vec<f64>,
    scratch: Vec<f64>,
    phi: Vec<f64>,
    psi: Vec<f64>,
    /// Length of each row where it was last evaluated, and the longest lately (see [`Projector::update_references`]).
    length: Vec<f64>,
    longest: Vec<f64>,
    /// Least of the longest: of rows that vanish wherever the constraints hold.
    floor: Vec<f64>,
    /// What occurs in each row, once it is known, and 1 + the largest of it where the row was last evaluated.
    occurring: Option<Occurring>,
    position_size: Vec<f64>,
    velocity_size: Vec<f64>,
    /// Length of the slopes of each holonomic row against that of the row, at the first state; empty where x' = eta. Speeds
    /// may be measured quite differently from coordinates: momenta of light bodies.
    slope_per_length: Vec<f64>,
    X: Vec<f64>,
    slopes: Vec<f64>,
    delta: Vec<f64>,
    try_x: Vec<f64>,
    try_eta: Vec<f64>,
    begin_x: Vec<f64>,
    begin_eta: Vec<f64>,
    invariant: Vec<f64>,
    held: Option<Vec<f64>>,
    gradient: Vec<f64>,
    invariant_cod: Cod,
    invariant_work: Vec<f64>,
}

impl Projector {
    /// Sized for a kernel.
    pub fn new(kernel: &dyn Dynamics) -> Self {
        let shape = kernel.shape();
        let Shape { n_x, n_eta: n, n_con: m, n_invariant, .. } = shape;
        let levels = kernel.levels();
        let pick = |test: fn(Level) -> bool| -> Vec<usize> {
            (0..m).filter(|&i| levels.get(i).is_some_and(|&l| test(l))).collect()
        };
        let position = pick(|l| l == Level::Position);
        let velocity = pick(|l| l != Level::Acceleration);
        // The two stages agree in most systems; then the first serves both.
        let shared = position == velocity;
        let terms = Terms::of(kernel);
        let first = Stage::new(n, position, terms.sparsity.as_ref());
        let second = match shared {
            true => Stage::new(0, Vec::new(), None),
            false => Stage::new(n, velocity, terms.sparsity.as_ref()),
        };
        Self {
            shape,
            shared,
            stages: [first, second],
            terms,
            zero: vec![0.0; n],
            scratch: vec![0.0; kernel.scratch_len()],
            phi: vec![0.0; m],
            psi: vec![0.0; m],
            length: vec![0.0; m],
            longest: vec![0.0; m],
            floor: vec![0.0; m],
            occurring: None,
            position_size: vec![1.0; m],
            velocity_size: vec![1.0; m],
            slope_per_length: Vec::new(),
            X: if shape.identity_frame { Vec::new() } else { vec![0.0; n_x * n] },
            slopes: Vec::new(),
            delta: vec![0.0; n],
            try_x: vec![0.0; n_x],
            try_eta: vec![0.0; n],
            begin_x: vec![0.0; n_x],
            begin_eta: vec![0.0; n],
            invariant: vec![0.0; n_invariant],
            held: None,
            gradient: vec![0.0; n_invariant * n_x],
            invariant_cod: Cod::new(n_invariant, n_x),
            invariant_work: vec![0.0; n_x],
        }
    }

    /// Holds the invariants at their values at `x` from now on.
    pub fn hold_invariants(&mut self, kernel: &dyn Dynamics, x: &[f64]) {
        kernel.invariants(x, &mut self.scratch, &mut self.invariant, &mut self.gradient);
        self.held = Some(self.invariant.clone());
    }

    /// Holds the invariants which another projector of the same system holds.
    pub(crate) fn inherit(&mut self, other: &Projector) {
        self.held.clone_from(&other.held);
    }

    /// Ranks of the Position rows and of the projected rows known from the motion: no more directions are kept.
    pub fn set_ranks(&mut self, position: usize, velocity: usize) {
        self.stages[0].max_rank = Some(position);
        self.stages[1].max_rank = Some(velocity);
    }

    /// Ranks of the Position rows and of all projected rows at a state, directions weaker than `tol` dropped.
    pub fn ranks(&mut self, kernel: &dyn Dynamics, at: Point<'_>, tol: f64) -> (usize, usize) {
        self.evaluate(kernel, at);
        let held = [self.stages[0].max_rank.take(), self.stages[1].max_rank.take()];
        for k in 0..=self.level(Which::Velocity) {
            self.stages[k].factor(&self.terms, tol, true);
        }
        for (stage, held) in self.stages.iter_mut().zip(held) {
            stage.max_rank = held;
        }
        (self.stages[0].factor.rank(), self.stages[self.level(Which::Velocity)].factor.rank())
    }

    /// Scaled residuals at a state. Row lengths are those of the last projection or [`measure`](Projector::measure).
    pub fn residuals(&mut self, kernel: &dyn Dynamics, at: Point<'_>) -> Residuals {
        kernel.residuals(at, &mut self.scratch, &mut self.phi, &mut self.psi);
        let (position, position_row) = self.largest(&self.phi, &self.position_size);
        let (velocity, velocity_row) = self.largest(&self.psi, &self.velocity_size);
        Residuals { position, position_row, velocity, velocity_row }
    }

    /// Takes note of the row lengths at a state.
    pub fn measure(&mut self, kernel: &dyn Dynamics, at: Point<'_>) {
        self.evaluate(kernel, at);
    }

    /// The state measured last was accepted: rows that have become shorter for good are judged by what they are now.
    pub(crate) fn update_references(&mut self) {
        for ((longest, now), floor) in self.longest.iter_mut().zip(&self.length).zip(&self.floor) {
            *longest = (KEPT * *longest).min(now / FLOOR).max(*now).max(*floor);
        }
    }

    /// Projects invariants, positions and speeds. `Ok(true)` if the state was moved, `Ok(false)` if it was already
    /// there. After an error the state is the best one found.
    pub fn project(
        &mut self,
        kernel: &dyn Dynamics,
        t: f64,
        x: &mut [f64],
        eta: &mut [f64],
    ) -> Result<bool, ProjectionError> {
        self.begin_x.copy_from_slice(x);
        self.begin_eta.copy_from_slice(eta);
        let result = self.project_once(kernel, t, x, eta);
        let Err(error) = result else { return result };
        let (begin_x, begin_eta) = (self.begin_x.clone(), self.begin_eta.clone());
        if error.residual.is_nan() || !self.feel_grain(kernel, Point { t, x: &begin_x, eta: &begin_eta }) {
            return result;
        }
        x.copy_from_slice(&begin_x);
        eta.copy_from_slice(&begin_eta);
        self.project_once(kernel, t, x, eta)
    }

    /// Looks for rows that are rounding at a state, to be judged by what they are nearby.
    fn feel_grain(&mut self, kernel: &dyn Dynamics, at: Point<'_>) -> bool {
        let felt = RowSensitivity::new(kernel, at, &mut self.scratch);
        self.evaluate(kernel, at);
        let mut found = false;
        for k in 0..if self.shared { 1 } else { 2 } {
            let stage = &mut self.stages[k];
            stage.factor(&self.terms, WEAKEST, false);
            let by_entries = stage.A.is_empty();
            for (place, &i) in stage.rows.iter().enumerate().filter(|(_, i)| felt.times_longer[**i] > 0.0) {
                stage.factor.lengthen(if by_entries { i } else { place }, felt.times_longer[i]);
                self.longest[i] = self.longest[i].max(felt.times_longer[i] * self.length[i]);
                found = true;
            }
        }
        found
    }

    fn project_once(
        &mut self,
        kernel: &dyn Dynamics,
        t: f64,
        x: &mut [f64],
        eta: &mut [f64],
    ) -> Result<bool, ProjectionError> {
        let mut moved = self.restore_invariants(kernel, x) > 0.0;
        if self.stages[self.level(Which::Velocity)].rows.is_empty() {
            return Ok(moved);
        }
        // Lengths of the rows as they are here: residuals are judged by them.
        self.evaluate(kernel, Point { t, x, eta });
        let mut known = Known::Terms;
        let mut displaced = self.newton(kernel, Which::Position, t, x, eta, &mut known)?;
        moved |= displaced;
        if moved {
            displaced |= self.settle_positions(kernel, t, x, eta, &mut known)?;
        }
        if known == Known::Factor && !self.shared {
            known = if displaced { Known::Nothing } else { Known::Terms };
        }
        moved |= self.newton(kernel, Which::Velocity, t, x, eta, &mut known)?;
        Ok(moved)
    }

    /// Restores the invariants after Newton on the positions, and repeats both in turn until both hold: a position row need
    /// not be blind to the scale of a quaternion. Each turn leaves the square of what the one before left; displacements of an
    /// integrator's step need no second turn. Whether Newton moved the state again.
    fn settle_positions(
        &mut self,
        kernel: &dyn Dynamics,
        t: f64,
        x: &mut [f64],
        eta: &mut [f64],
        known: &mut Known,
    ) -> Result<bool, ProjectionError> {
        let mut displaced = false;
        for _ in 0..MAX_TURNS {
            if self.restore_invariants(kernel, x) <= SETTLED
                || self.scaled(kernel, Which::Position, Point { t, x, eta }).0 <= SETTLED
            {
                return Ok(displaced);
            }
            displaced |= self.newton(kernel, Which::Position, t, x, eta, known)?;
        }
        self.restore_invariants(kernel, x);
        let (residual, row) = self.scaled(kernel, Which::Position, Point { t, x, eta });
        if residual <= PROJECTION_TOL { Ok(displaced) } else { Err(ProjectionError { t, row, residual }) }
    }

    /// Makes ready for [`tangent`](Projector::tangent) at a state.
    pub fn prepare_tangent(&mut self, kernel: &dyn Dynamics, at: Point<'_>) {
        self.evaluate(kernel, at);
        for k in 0..if self.shared { 1 } else { 2 } {
            self.stages[k].factor(&self.terms, 1e-9, false);
        }
        if !self.shape.identity_frame {
            kernel.frame(at.t, at.x, &mut self.scratch, &mut self.X);
            self.slopes.resize(self.shape.n_con * self.shape.n_x, 0.0);
            kernel.position_gradient(at.t, at.x, &mut self.scratch, &mut self.slopes);
        }
    }

    /// Removes from a small change of the state what projection would remove: the part normal to the constraints.
    pub fn tangent(&mut self, dx: &mut [f64], deta: &mut [f64]) {
        let (n, n_x) = (self.shape.n_eta, self.shape.n_x);
        for &i in &self.stages[0].rows {
            self.phi[i] = match self.shape.identity_frame {
                true => self.terms.row(i).dot(dx),
                false => dot(&self.slopes[i * n_x..(i + 1) * n_x], dx),
            };
        }
        self.stages[0].solve(&self.phi, &self.zero, &mut self.delta);
        if self.shape.identity_frame {
            (0..n).for_each(|j| dx[j] += self.delta[j]);
        } else {
            (0..n_x).for_each(|i| dx[i] += dot(&self.X[i * n..(i + 1) * n], &self.delta));
        }
        let k = self.level(Which::Velocity);
        for &i in &self.stages[k].rows {
            self.psi[i] = self.terms.row(i).dot(deta);
        }
        self.stages[k].solve(&self.psi, &self.zero, &mut self.delta);
        (0..n).for_each(|j| deta[j] += self.delta[j]);
    }

    fn evaluate(&mut self, kernel: &dyn Dynamics, at: Point<'_>) {
        kernel.terms(at, &mut self.scratch, &mut self.terms);
        for i in 0..self.shape.n_con {
            let now = self.terms.row(i).norm();
            if now.is_finite() {
                (self.length[i], self.longest[i]) = (now, self.longest[i].max(now));
            }
        }
        if self.shape.n_con == 0 {
            return;
        }
        if self.occurring.is_none() {
            self.occurring = Some(Occurring::new(kernel, at, &self.terms, &mut self.scratch));
            self.compare_slopes(kernel, at);
            self.find_vanishing_rows(kernel, at);
        }
        if let Some(occurring) = &self.occurring {
            occurring.measure(at, &mut self.position_size, &mut self.velocity_size);
            self.position_size
                .iter_mut()
                .zip(&self.slope_per_length)
                .for_each(|(size, ratio)| *size *= ratio);
        }
    }

    fn compare_slopes(&mut self, kernel: &dyn Dynamics, at: Point<'_>) {
        if self.shape.identity_frame || self.stages[0].rows.is_empty() {
            return;
        }
        let n_x = self.shape.n_x;
        self.slopes.resize(self.shape.n_con * n_x, 0.0);
        kernel.position_gradient(at.t, at.x, &mut self.scratch, &mut self.slopes);
        self.slope_per_length = vec![1.0; self.shape.n_con];
        for &i in &self.stages[0].rows {
            let ratio = norm(&self.slopes[i * n_x..(i + 1) * n_x]) / self.length[i];
            // Beyond this the products below leave the range of numbers, and there is no precision to keep.
            if (1e-100..1e100).contains(&ratio) {
                self.slope_per_length[i] = ratio;
            }
        }
    }

    /// Rows that are rounding at the first state are judged by what they are nearby, from now on.
    fn find_vanishing_rows(&mut self, kernel: &dyn Dynamics, at: Point<'_>) {
        let felt = RowSensitivity::new(kernel, at, &mut self.scratch);
        let vanishing: Vec<(usize, f64)> = felt.vanishing().collect();
        if vanishing.is_empty() {
            return;
        }
        for stage in &mut self.stages[..if self.shared { 1 } else { 2 }] {
            stage.factor(&self.terms, WEAKEST, false);
            let by_entries = stage.A.is_empty();
            for (place, &i) in stage.rows.iter().enumerate() {
                if let Some((_, long)) = vanishing.iter().find(|(row, _)| *row == i) {
                    stage.factor.keep_long(if by_entries { i } else { place }, *long, &self.terms);
                }
            }
        }
        for (i, long) in vanishing {
            // The scale of a residual is [`FLOOR`] of the longest at least.
            self.floor[i] = long / FLOOR;
            self.longest[i] = self.longest[i].max(self.floor[i]);
        }
    }

    /// The stage of a level.
    fn level(&self, which: Which) -> usize {
        usize::from(which == Which::Velocity && !self.shared)
    }

    /// Largest scaled entry of a residual vector and its row; NaN wins.
    fn largest(&self, residual: &[f64], size: &[f64]) -> (f64, usize) {
        let (mut worst, mut row) = (0.0, 0);
        for (i, r) in residual.iter().enumerate() {
            let length = self.length[i].max(FLOOR * self.longest[i]);
            let length = if length > 0.0 { length } else { 1.0 };
            let scaled = if *r == 0.0 { 0.0 } else { r.abs() / (length * size[i]) };
            if !(scaled <= worst) {
                (worst, row) = (scaled, i);
                if scaled.is_nan() {
                    break;
                }
            }
        }
        (worst, row)
    }

    fn scaled(&mut self, kernel: &dyn Dynamics, which: Which, at: Point<'_>) -> (f64, usize) {
        let r = self.residuals(kernel, at);
        match which {
            Which::Position => (r.position, r.position_row),
            Which::Velocity => (r.velocity, r.velocity_row),
        }
    }

    /// Newton on one level. `known` tells what is at hand, near enough to be used, and is set.
    fn newton(
        &mut self,
        kernel: &dyn Dynamics,
        which: Which,
        t: f64,
        x: &mut [f64],
        eta: &mut [f64],
        known: &mut Known,
    ) -> Result<bool, ProjectionError> {
        let k = self.level(which);
        if self.stages[k].rows.is_empty() {
            return Ok(false);
        }
        let (mut r, mut row) = self.scaled(kernel, which, Point { t, x, eta });
        let (mut moved, mut stale) = (false, *known == Known::Factor);
        for _ in 0..MAX_ITERATIONS {
            if r <= ROUNDING {
                break;
            }
            if *known != Known::Factor {
                if *known == Known::Nothing {
                    self.evaluate(kernel, Point { t, x, eta });
                    // By the row lengths here.
                    (r, row) = self.scaled(kernel, which, Point { t, x, eta });
                }
                self.refactor(kernel, k, Point { t, x, eta }, r);
                (*known, stale) = (Known::Factor, false);
            }
            let (r_new, row_new) = self.try_step(kernel, which, k, Point { t, x, eta }, r);
            if r_new < r {
                let poor = r_new > 0.1 * r;
                (r, row, moved) = (r_new, row_new, true);
                x.copy_from_slice(&self.try_x);
                eta.copy_from_slice(&self.try_eta);
                if poor && r < SETTLED {
                    break;
                }
                *known = if poor { Known::Nothing } else { Known::Factor };
                stale = true;
            } else if stale {
                *known = Known::Nothing;
            } else {
                break;
            }
        }
        if r <= PROJECTION_TOL { Ok(moved) } else { Err(ProjectionError { t, row, residual: r }) }
    }

    /// Factors the terms at hand.
    fn refactor(&mut self, kernel: &dyn Dynamics, k: usize, at: Point<'_>, r: f64) {
        let rank_tol = (10.0 * r).clamp(WEAKEST, 1e-2);
        // Directions that are weak here are left alone, whichever way they are told; Newton sees what is left.
        self.stages[k].factor(&self.terms, if rank_tol.is_nan() { WEAKEST } else { rank_tol }, false);
        if !self.shape.identity_frame {
            kernel.frame(at.t, at.x, &mut self.scratch, &mut self.X);
        }
    }

    /// The Newton step from a state into (try_x, try_eta), shortened while it makes things worse than `r`. Returns its
    /// residual.
    fn try_step(
        &mut self,
        kernel: &dyn Dynamics,
        which: Which,
        k: usize,
        at: Point<'_>,
        r: f64,
    ) -> (f64, usize) {
        // phi and psi hold the residuals at a tried point by now if the last step was refused: ask again.
        self.scaled(kernel, which, at);
        let residual = if which == Which::Position { &self.phi } else { &self.psi };
        self.stages[k].solve(residual, &self.zero, &mut self.delta);
        let (mut length, mut found) = (1.0, (f64::INFINITY, 0));
        // Near the constraints a full step is right or rounding is reached; only far away is it worth shortening.
        let tries = if r > 1e-6 { 6 } else { 1 };
        for _ in 0..tries {
            self.advance(which, length, at.x, at.eta);
            let (try_x, try_eta) = (std::mem::take(&mut self.try_x), std::mem::take(&mut self.try_eta));
            found = self.scaled(kernel, which, Point { t: at.t, x: &try_x, eta: &try_eta });
            (self.try_x, self.try_eta) = (try_x, try_eta);
            if found.0 < r {
                break;
            }
            length *= 0.5;
        }
        found
    }

    fn advance(&mut self, which: Which, length: f64, x: &[f64], eta: &[f64]) {
        let n = self.shape.n_eta;
        self.try_x.copy_from_slice(x);
        self.try_eta.copy_from_slice(eta);
        match which {
            Which::Velocity => (0..n).for_each(|j| self.try_eta[j] += length * self.delta[j]),
            Which::Position if self.shape.identity_frame => {
                (0..n).for_each(|j| self.try_x[j] += length * self.delta[j])
            }
            Which::Position => {
                for i in 0..self.shape.n_x {
                    self.try_x[i] += length * dot(&self.X[i * n..(i + 1) * n], &self.delta);
                }
            }
        }
    }

    /// Newton on the held invariants, along their gradients. Returns the largest scaled error that was removed, 0 if the
    /// state was left alone.
    fn restore_invariants(&mut self, kernel: &dyn Dynamics, x: &mut [f64]) -> f64 {
        let Some(held) = &self.held else { return 0.0 };
        if self.shape.n_invariant == 0 {
            return 0.0;
        }
        let mut removed = 0.0_f64;
        let mut before = f64::INFINITY;
        for _ in 0..6 {
            kernel.invariants(x, &mut self.scratch, &mut self.invariant, &mut self.gradient);
            let n_x = self.shape.n_x;
            let mut worst = 0.0_f64;
            for (i, (value, held)) in self.invariant.iter_mut().zip(held).enumerate() {
                *value = held - *value;
                let gradient = &self.gradient[i * n_x..(i + 1) * n_x];
                let moved = gradient.iter().zip(&*x).filter(|(g, _)| **g != 0.0);
                let size = norm(gradient) * moved.fold(1.0, |m: f64, (_, x)| m.max(1.0 + x.abs()));
                worst = worst.max(if *value == 0.0 { 0.0 } else { value.abs() / size });
            }
            if worst <= 1e-16 || !(worst < 0.5 * before) {
                break;
            }
            before = worst;
            if have_disjoint_rows(&self.gradient, n_x, &mut self.invariant_work) {
                // Quaternions of different bodies: each row moves its own coordinates.
                for (gradient, value) in self.gradient.chunks(n_x).zip(&self.invariant) {
                    let share = value / dot(gradient, gradient);
                    x.iter_mut().zip(gradient).filter(|(_, g)| **g != 0.0).for_each(|(x, g)| *x += share * g);
                }
            } else {
                self.invariant_cod.factor(&self.gradient, dalembert_linalg::RANK_TOL);
                self.invariant_cod.solve(&self.invariant, &mut self.invariant_work);
                (0..n_x).for_each(|i| x[i] += self.invariant_work[i]);
            }
            removed = removed.max(worst);
        }
        removed
    }
}

/// Whether no column of a matrix has entries in two rows and no row vanishes; then its rows are solved one by one.
fn have_disjoint_rows(rows: &[f64], width: usize, seen: &mut [f64]) -> bool {
    seen.fill(0.0);
    rows.chunks(width).all(|row| {
        let mut entries = row.iter().zip(seen.iter_mut()).filter(|(a, _)| **a != 0.0).peekable();
        let occurs = entries.peek().is_some();
        occurs && entries.all(|(_, seen)| std::mem::replace(seen, 1.0) == 0.0)
    })
}
