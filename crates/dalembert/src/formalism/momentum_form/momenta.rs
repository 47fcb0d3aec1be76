//! A compiled system whose speeds are the momenta: Hamilton's equations H1 in numbers, for any model with a Lagrangian.
//!
//! With y = dL/d eta, G = d2L/d eta2 and r_p = X_p L + C_0pq y_q + C_qpr eta_q y_r + Q'_p at eta(x, y, t), where
//! X_p L at held eta is -X_p H at held y, the kernel form in y is
//!
//! ```text
//! K1  x' = X0 + X eta(x,y,t)       K2  G^-1 y' = G^-1 r
//! K3  (A G^-1) y' = b + A G^-1 D(dL/d eta)                K4  C_y = G^-1 C
//! ```
//!
//! G^-1 in front of y' makes the constraint force A^T lambda with the multipliers of U2, and the metric of the
//! projection that of the masses: everything below the kernel form serves unchanged. The speeds are found by
//! Newton's method on dL/d eta = y, which is one linear solve where L is quadratic. Otherwise momenta may have several
//! speeds, and those on the branch of the start are followed (`branch.rs`). Where it fails the terms are NaN, which the run
//! reports. Checked by `tests/it/hamilton_motion.rs` against the explicit form.

use super::branch::{self, Branch, Known};
use super::largest;
use crate::compile::{Compiled, Inputs, Scattered, dense, entries};
use crate::formalism::poincare::Poincare;
use crate::workspace::Workspace;
use dalembert_expr::{Derivation, Expr, Pool};
use dalembert_linalg::{invert_symmetric, mat_t_vec};
use dalembert_run::{
    Capabilities, Dynamics, Events, IdealForces, Level, Nonideal, Point, Quadratures, Shape, Solution, State,
    Switches, Terms,
};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// Newton's steps before the speeds count as not found.
const MAX_NEWTON: usize = 60;
/// Speeds found back from momenta are those that made them up to this part of the largest.
const SAME: f64 = 1e-8;
/// Smallest part of Newton's step that is tried.
const MIN_FRACTION: f64 = 1e-9;

/// A system in momenta.
#[derive(Clone)]
pub struct Momenta {
    base: Compiled,
    /// dL/d eta and G.
    legendre: Scattered,
    /// r and D(dL/d eta), eta held.
    rates: Scattered,
    /// Where L is not quadratic, the speeds to go on from.
    branch: Option<Branch>,
    scratch_len: usize,
}

/// Room for one evaluation, taken from scratch.
struct Room<'a> {
    eta: &'a mut [f64],
    trial: &'a mut [f64],
    y: &'a mut [f64],
    missing: &'a mut [f64],
    rates: &'a mut [f64],
    held: &'a mut [f64],
    G: &'a mut [f64],
    inverse: &'a mut [f64],
    A: &'a mut [f64],
}

impl<'a> Room<'a> {
    fn size(n: usize, m: usize) -> usize {
        6 * n + 2 * n * n + m * n
    }

    fn carve(n: usize, m: usize, scratch: &'a mut [f64]) -> (Self, &'a mut [f64]) {
        let (eta, rest) = scratch.split_at_mut(n);
        let (trial, rest) = rest.split_at_mut(n);
        let (y, rest) = rest.split_at_mut(n);
        let (missing, rest) = rest.split_at_mut(n);
        let (rates, rest) = rest.split_at_mut(n);
        let (held, rest) = rest.split_at_mut(n);
        let (G, rest) = rest.split_at_mut(n * n);
        let (inverse, rest) = rest.split_at_mut(n * n);
        let (A, rest) = rest.split_at_mut(m * n);
        (Room { eta, trial, y, missing, rates, held, G, inverse, A }, rest)
    }
}

impl Momenta {
    /// The tapes for a model. Refused without a Lagrangian, with friction or control, and for position constraints
    /// on a Lagrangian that is not quadratic (their projection asks for a frame that depends on positions alone).
    pub fn new(model: &mut Workspace) -> Result<Self, Box<Diagnostic>> {
        let equations = Poincare::of(model)?;
        let form = model.form.clone();
        let inputs = Inputs::of(&model.system, &form);
        let pool = &mut model.system.pool;
        let quadratic = form.mass_matrix.entries().all(|(_, _, e)| !pool.depends_on(e, &form.speeds));
        if !quadratic && form.position_residuals.iter().any(Option::is_some) {
            let message =
                "in momenta, position constraints are kept for Lagrangians quadratic in the speeds only";
            let d = Diagnostic::error(Code::NotApplicable, None, message);
            return Err(Box::new(d.help("leave `--form` out: the explicit form has no such limit")));
        }
        let images = form.coordinates.iter().copied().zip(form.x_dot.iter().copied());
        let mut total = Derivation::new(images.chain([(form.time, Pool::ONE)]));
        let held: Vec<Expr> = form.momenta.iter().map(|y| total.apply(pool, *y)).collect();
        let legendre = Scattered::new(
            pool,
            &inputs.state,
            &[dense(&form.momenta), entries(&form.mass_matrix, form.speeds.len())],
        );
        let rates = Scattered::new(pool, &inputs.state, &[dense(&equations.rates), dense(&held)]);
        model.check_memory()?;
        let base = model.compiled.clone();
        let below = base.scratch_len.max(legendre.need()).max(rates.need());
        let scratch_len = Room::size(base.shape.n_eta, base.shape.n_con) + below;
        let branch = (!quadratic).then(Branch::default);
        Ok(Momenta { base, legendre, rates, branch, scratch_len })
    }

    fn room<'a>(&self, scratch: &'a mut [f64]) -> (Room<'a>, &'a mut [f64]) {
        Room::carve(self.base.shape.n_eta, self.base.shape.n_con, scratch)
    }

    /// dL/d eta and G at speeds.
    fn legendre(&self, at: Point<'_>, y: &mut [f64], G: &mut [f64], scratch: &mut [f64]) {
        let inputs = self.base.load(at.t, at.x, at.eta, scratch);
        self.legendre.run(inputs, scratch, [y, G]);
    }

    /// The speeds of momenta (at.eta), into `room.eta`, with G and its inverse there. False where there are none.
    fn solve(&self, at: Point<'_>, room: &mut Room<'_>, scratch: &mut [f64]) -> bool {
        match self.branch.as_ref().and_then(|branch| Some((branch, branch.last()?))) {
            Some((branch, last)) => {
                self.follow(branch, last, at, room, scratch)
                    || branch.nearest(at).is_some_and(|near| self.follow(branch, near, at, room, scratch))
            }
            None => self.search(at, room, scratch),
        }
    }

    /// [`solve`](Momenta::solve) on the branch of the last state.
    fn follow(
        &self,
        branch: &Branch,
        from: Known,
        at: Point<'_>,
        room: &mut Room<'_>,
        scratch: &mut [f64],
    ) -> bool {
        let mut work = (&mut *room, &mut *scratch);
        let found = branch::continued(
            &from,
            at,
            &mut work,
            |work| &mut *work.0.eta,
            |work, at| self.correct(at, work.0, work.1),
        );
        if !found {
            return false;
        }
        branch.keep(Known { t: at.t, x: at.x.to_vec(), y: at.eta.to_vec(), eta: room.eta.to_vec() });
        true
    }

    /// Newton's method from the speeds in `room.eta`, true only if each step is much shorter than the one before.
    fn correct(&self, at: Point<'_>, room: &mut Room<'_>, scratch: &mut [f64]) -> bool {
        let n = room.eta.len();
        let mut before = f64::INFINITY;
        for _ in 0..branch::MAX_STEPS {
            self.legendre(Point { eta: room.eta, ..at }, room.y, room.G, scratch);
            if !invert_symmetric(room.G, n, room.inverse) {
                return false;
            }
            let (mut off, mut size) = (0.0f64, 0.0f64);
            for p in 0..n {
                room.missing[p] = at.eta[p] - room.y[p];
                off = largest(off, room.missing[p]);
                size = largest(largest(size, at.eta[p]), room.y[p]);
            }
            mat_t_vec(room.inverse, room.missing, room.trial);
            let step = room.trial.iter().fold(0.0, |m, v| largest(m, *v));
            let speed = room.eta.iter().fold(0.0, |m, v| largest(m, *v));
            if !off.is_finite() || !step.is_finite() {
                return false;
            }
            // Rounding of the momenta, or of the speeds.
            if off <= 2.0 * f64::EPSILON * size || step <= 2.0 * f64::EPSILON * speed {
                return true;
            }
            if step > branch::SHORTER * before {
                return off <= 1e-12 * size;
            }
            room.eta.iter_mut().zip(&*room.trial).for_each(|(eta, step)| *eta += step);
            before = step;
        }
        false
    }

    /// [`solve`](Momenta::solve) from rest, with damped steps: the only speeds there are where L is quadratic.
    fn search(&self, at: Point<'_>, room: &mut Room<'_>, scratch: &mut [f64]) -> bool {
        let n = room.eta.len();
        let miss = |room: &mut Room<'_>, scratch: &mut [f64]| {
            self.legendre(Point { eta: room.trial, ..at }, room.y, room.G, scratch);
            let off = at.eta.iter().zip(&*room.y).fold(0.0f64, |m, (want, is)| largest(m, want - is));
            (off, at.eta.iter().chain(&*room.y).fold(0.0f64, |m, v| largest(m, *v)))
        };
        room.eta.fill(0.0);
        room.trial.fill(0.0);
        let (mut off, mut size) = miss(room, scratch);
        for _ in 0..MAX_NEWTON {
            if !off.is_finite() || !invert_symmetric(room.G, n, room.inverse) {
                return false;
            }
            if off <= 2.0 * f64::EPSILON * size {
                return true;
            }
            for p in 0..n {
                room.missing[p] = at.eta[p] - room.y[p];
            }
            let mut fraction = 1.0;
            loop {
                for p in 0..n {
                    let row = &room.inverse[p * n..(p + 1) * n];
                    let step: f64 = row.iter().zip(&*room.missing).map(|(a, b)| a * b).sum();
                    room.trial[p] = room.eta[p] + fraction * step;
                }
                let (now, now_size) = miss(room, scratch);
                if now < off {
                    (off, size) = (now, now_size);
                    room.eta.copy_from_slice(room.trial);
                    break;
                }
                fraction /= 2.0;
                if off <= 1e-12 * size || fraction < MIN_FRACTION {
                    // No further: rounding, or no speeds have these momenta.
                    self.legendre(Point { eta: room.eta, ..at }, room.y, room.G, scratch);
                    return off <= 1e-12 * size && invert_symmetric(room.G, n, room.inverse);
                }
            }
        }
        false
    }

    /// A state in momenta from one in speeds. Refused where speeds cannot be found back.
    pub fn momenta_of(&self, state: &State) -> Result<State, Box<Diagnostic>> {
        let n = self.base.shape.n_eta;
        let (mut y, mut G) = (vec![0.0; n], vec![0.0; n * n]);
        let mut scratch = vec![0.0; self.scratch_len];
        self.legendre(state.point(), &mut y, &mut G, &mut scratch);
        let canonical = State::new(state.t, &state.x, &y);
        if let Some(branch) = &self.branch {
            branch.keep(Known { t: state.t, x: state.x.clone(), y: y.clone(), eta: state.eta.clone() });
        }
        let back = self.speeds_of(canonical.point());
        let size = state.eta.iter().fold(0.0f64, |m, v| largest(m, *v));
        let same = |eta: &Vec<f64>| eta.iter().zip(&state.eta).all(|(a, b)| (a - b).abs() <= SAME * size);
        // Momenta of a quadratic L determine the speeds as well as G does.
        if !back.is_some_and(|eta| self.branch.is_none() || same(&eta)) {
            let message = format!("at t = {} the momenta dL/d eta do not determine the speeds", state.t);
            let d = Diagnostic::error(Code::NotApplicable, None, message);
            return Err(Box::new(
                d.help("inertia is missing or singular there; the explicit form needs less"),
            ));
        }
        Ok(canonical)
    }

    /// The speeds of a state in momenta.
    pub fn speeds_of(&self, at: Point<'_>) -> Option<Vec<f64>> {
        let mut scratch = vec![0.0; self.scratch_len];
        let (mut room, scratch) = self.room(&mut scratch);
        self.solve(at, &mut room, scratch).then(|| room.eta.to_vec())
    }

    /// Accelerations and generalised forces on the speeds at a state in momenta, by the canonical equations.
    pub(crate) fn solution(&self, at: Point<'_>) -> Option<Solution> {
        let solution = dalembert_run::accelerate(self, at).ok()?;
        Some(self.in_speeds(at, &solution, &mut vec![0.0; self.scratch_len]).1)
    }

    /// A solution in momenta as one in speeds: accelerations and generalised forces on the speeds.
    fn in_speeds(&self, at: Point<'_>, s: &Solution, scratch: &mut [f64]) -> (Vec<f64>, Solution) {
        let n = self.base.shape.n_eta;
        let (mut room, scratch) = self.room(scratch);
        if !self.solve(at, &mut room, scratch) {
            room.eta.fill(f64::NAN);
        }
        let inputs = self.base.load(at.t, at.x, room.eta, scratch);
        self.rates.run(inputs, scratch, [room.rates, room.held]);
        let through = |matrix: &[f64], v: &[f64]| -> Vec<f64> {
            matrix.chunks(n).map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum()).collect()
        };
        let less = |v: &[f64]| -> Vec<f64> { v.iter().zip(&*room.held).map(|(a, b)| a - b).collect() };
        let converted = Solution {
            eta_dot: through(room.inverse, &less(&s.eta_dot)),
            a_free: through(room.inverse, &less(&s.a_free)),
            ideal_force: through(room.G, &s.ideal_force),
            nonideal_force: through(room.G, &s.nonideal_force),
            ..s.clone()
        };
        (room.eta.to_vec(), converted)
    }
}

impl Dynamics for Momenta {
    fn shape(&self) -> Shape {
        Shape { identity_frame: false, ..self.base.shape }
    }

    fn levels(&self) -> &[Level] {
        &self.base.levels
    }

    fn scratch_len(&self) -> usize {
        self.scratch_len
    }

    fn terms(&self, at: Point<'_>, scratch: &mut [f64], out: &mut Terms) {
        let n = self.base.shape.n_eta;
        let (mut room, scratch) = self.room(scratch);
        let found = self.solve(at, &mut room, scratch);
        self.base.terms(Point { eta: room.eta, ..at }, scratch, out);
        if !found {
            out.M.fill(f64::NAN);
            return;
        }
        let inputs = self.base.load(at.t, at.x, room.eta, scratch);
        self.rates.run(inputs, scratch, [room.rates, room.held]);
        for p in 0..n {
            out.Q[p] = room.inverse[p * n..(p + 1) * n].iter().zip(&*room.rates).map(|(a, b)| a * b).sum();
        }
        out.M.copy_from_slice(room.inverse);
        for (row, b) in out.A.chunks_mut(n).zip(&mut out.b) {
            mat_t_vec(room.inverse, row, room.trial);
            row.copy_from_slice(room.trial);
            *b += row.iter().zip(&*room.held).map(|(a, d)| a * d).sum::<f64>();
        }
    }

    fn residuals(&self, at: Point<'_>, scratch: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
        let (mut room, scratch) = self.room(scratch);
        if !self.solve(at, &mut room, scratch) {
            room.eta.fill(f64::NAN);
        }
        self.base.residuals(Point { eta: room.eta, ..at }, scratch, phi, psi);
    }

    fn position_gradient(&self, t: f64, x: &[f64], scratch: &mut [f64], out: &mut [f64]) {
        self.base.position_gradient(t, x, scratch, out);
    }

    fn frame(&self, t: f64, x: &[f64], scratch: &mut [f64], X: &mut [f64]) {
        let n = self.base.shape.n_eta;
        let (room, scratch) = self.room(scratch);
        room.trial.fill(0.0);
        self.legendre(Point { t, x, eta: room.trial }, room.y, room.G, scratch);
        if !invert_symmetric(room.G, n, room.inverse) {
            return X.fill(f64::NAN);
        }
        self.base.frame(t, x, scratch, X);
        for row in X.chunks_mut(n) {
            mat_t_vec(room.inverse, row, room.trial);
            row.copy_from_slice(room.trial);
        }
    }

    fn invariants(&self, x: &[f64], scratch: &mut [f64], value: &mut [f64], gradient: &mut [f64]) {
        self.base.invariants(x, scratch, value, gradient);
    }

    /// In speeds, what the system below has of it; switches of time are the same in any variables.
    fn capabilities(&self) -> Capabilities<'_> {
        let base = self.base.capabilities();
        Capabilities {
            nonideal: base.nonideal.map(|_| self as _),
            events: base.events.map(|_| self as _),
            switches: base.switches.map(|_| self as _),
            time_switches: base.time_switches,
            quadratures: base.quadratures.map(|_| self as _),
            ..Capabilities::default()
        }
    }
}

impl Nonideal for Momenta {
    fn nonideal(&self, at: Point<'_>, ideal: &IdealForces<'_>, scratch: &mut [f64], C: &mut [f64]) {
        let n = self.base.shape.n_eta;
        let (mut room, scratch) = self.room(scratch);
        if !self.solve(at, &mut room, scratch) {
            return C.fill(f64::NAN);
        }
        for (row, own) in ideal.A.chunks(n).zip(room.A.chunks_mut(n)) {
            mat_t_vec(room.G, row, own);
        }
        mat_t_vec(room.G, ideal.Q_i, room.trial);
        let known = IdealForces { lambda: ideal.lambda, A: room.A, sparsity: None, Q_i: room.trial };
        self.base.nonideal(Point { eta: room.eta, ..at }, &known, scratch, room.missing);
        mat_t_vec(room.inverse, room.missing, C);
    }

    fn rows_read(&self) -> &[usize] {
        self.base.rows_read()
    }
}

impl Events for Momenta {
    fn events(&self, at: Point<'_>, solution: &Solution, scratch: &mut [f64], g: &mut [f64]) {
        if self.base.reads.solution_in_events {
            let (eta, solution) = self.in_speeds(at, solution, scratch);
            return self.base.events(Point { eta: &eta, ..at }, &solution, scratch, g);
        }
        let (mut room, scratch) = self.room(scratch);
        if !self.solve(at, &mut room, scratch) {
            room.eta.fill(f64::NAN);
        }
        self.base.events(Point { eta: room.eta, ..at }, solution, scratch, g);
    }

    fn events_need_solution(&self) -> bool {
        self.base.reads.solution_in_events
    }
}

impl Switches for Momenta {
    fn switches(&self, at: Point<'_>, scratch: &mut [f64], g: &mut [f64]) {
        let (mut room, scratch) = self.room(scratch);
        if !self.solve(at, &mut room, scratch) {
            room.eta.fill(f64::NAN);
        }
        self.base.switches(Point { eta: room.eta, ..at }, scratch, g);
    }
}

impl Quadratures for Momenta {
    fn rates(&self, at: Point<'_>, solution: &Solution, scratch: &mut [f64], out: &mut [f64]) {
        let (eta, solution) = self.in_speeds(at, solution, scratch);
        self.base.rates(Point { eta: &eta, ..at }, &solution, scratch, out);
    }
}
