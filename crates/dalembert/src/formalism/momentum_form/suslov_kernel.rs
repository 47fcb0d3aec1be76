//! Suslov's form in numbers: a kernel without constraint rows, whose equations keep the constraints.
//!
//! ```text
//! H3  [G A^T; A 0] (eta, M) = (y - g, -A_0)          solved at every evaluation, L quadratic
//!     [G A^T; A 0] (d eta, d M) = (y - dL/d eta - A^T M, -A eta - A_0)          Newton's steps otherwise
//! H4  y' over x, eta, M, t
//! ```
//!
//! Where L is not quadratic, momenta may have several speeds: those on the branch of the start are followed (`branch.rs`).
//! Needs G regular on the kernel of A and independent rows; otherwise the start is refused, and a motion that arrives at
//! such a place ends there. Checked by `tests/it/suslov.rs` against the explicit form.

use super::branch::{self, Branch, Known};
use super::largest;
use crate::compile::{Compiled, Inputs, Scattered, dense, matrix};
use crate::formalism::suslov::Suslov;
use crate::workspace::Workspace;
use dalembert_expr::Expr;
use dalembert_linalg::invert_symmetric;
use dalembert_run::{
    Capabilities, Dynamics, Events, Level, Point, Quadratures, Shape, Solution, State, Terms,
};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// A system in Suslov's variables.
#[derive(Clone)]
pub struct SuslovKernel {
    base: Compiled,
    /// g (dL/d eta where L is not quadratic), G, A, A_0.
    parts: Scattered,
    /// y' from state and M.
    rates: Scattered,
    /// Where L is not quadratic, the speeds and multipliers to go on from.
    branch: Option<Branch>,
    scratch_len: usize,
}

struct Room<'a> {
    /// (eta, M)
    solution: &'a mut [f64],
    g: &'a mut [f64],
    zeroth: &'a mut [f64],
    G: &'a mut [f64],
    A: &'a mut [f64],
    saddle: &'a mut [f64],
    inverse: &'a mut [f64],
}

impl<'a> Room<'a> {
    fn size(n: usize, m: usize) -> usize {
        2 * (n + m) + n * n + m * n + 2 * (n + m) * (n + m)
    }

    fn carve(n: usize, m: usize, scratch: &'a mut [f64]) -> (Self, &'a mut [f64]) {
        let (solution, rest) = scratch.split_at_mut(n + m);
        let (g, rest) = rest.split_at_mut(n);
        let (zeroth, rest) = rest.split_at_mut(m);
        let (G, rest) = rest.split_at_mut(n * n);
        let (A, rest) = rest.split_at_mut(m * n);
        let (saddle, rest) = rest.split_at_mut((n + m) * (n + m));
        let (inverse, rest) = rest.split_at_mut((n + m) * (n + m));
        (Room { solution, g, zeroth, G, A, saddle, inverse }, rest)
    }
}

impl SuslovKernel {
    /// The tapes for a model; see [`Suslov::of`] for what is refused.
    pub fn new(model: &mut Workspace) -> Result<Self, Box<Diagnostic>> {
        let suslov = Suslov::of(model)?;
        let inputs = Inputs::of(&model.system, &model.form);
        let mut with_multipliers = inputs.state.clone();
        with_multipliers.extend(&suslov.multipliers);
        let A: Vec<Vec<Expr>> = suslov.rows.iter().map(|row| row.coefficients.clone()).collect();
        let zeroth: Vec<Expr> = suslov.rows.iter().map(|row| row.constant).collect();
        let pool = &mut model.system.pool;
        let linear = suslov.quadratic.as_ref().map_or(&suslov.equations.momenta, |q| &q.linear);
        let branch = suslov.quadratic.is_none().then(Branch::default);
        let arrays = [dense(linear), matrix(&suslov.mass), matrix(&A), dense(&zeroth)];
        let parts = Scattered::new(pool, &inputs.state, &arrays);
        let rates = Scattered::new(pool, &with_multipliers, &[dense(&suslov.rates)]);
        model.check_memory()?;
        let base = model.compiled.clone();
        let below = base.scratch_len.max(parts.need()).max(rates.need());
        let scratch_len = Room::size(base.shape.n_eta, base.shape.n_con) + below;
        Ok(SuslovKernel { base, parts, rates, branch, scratch_len })
    }

    /// How many multipliers M there are.
    pub fn multipliers(&self) -> usize {
        self.base.shape.n_con
    }

    /// g, G, A and A_0 at a state; of a quadratic L they do not depend on the speeds.
    fn parts(&self, at: Point<'_>, room: &mut Room<'_>, scratch: &mut [f64]) {
        let inputs = self.base.load(at.t, at.x, at.eta, scratch);
        self.parts.run(inputs, scratch, [room.g, room.G, room.A, room.zeroth]);
    }

    /// H3 into `room.solution`; false where it cannot be solved.
    fn solve(&self, at: Point<'_>, room: &mut Room<'_>, scratch: &mut [f64]) -> bool {
        let Some(branch) = &self.branch else { return self.solve_linear(at, room, scratch) };
        let follow = |from: Option<Known>, room: &mut Room<'_>, scratch: &mut [f64]| {
            from.is_some_and(|from| self.follow(branch, &from, at, room, scratch))
        };
        let found = follow(branch.last(), room, scratch) || follow(branch.nearest(at), room, scratch);
        if !found {
            room.solution.fill(f64::NAN);
        }
        found
    }

    /// Newton's method on H3, from a known state to this one in parts.
    fn follow(
        &self,
        branch: &Branch,
        from: &Known,
        at: Point<'_>,
        room: &mut Room<'_>,
        scratch: &mut [f64],
    ) -> bool {
        let mut work = (&mut *room, &mut *scratch);
        let found = branch::continued(
            from,
            at,
            &mut work,
            |work| &mut *work.0.solution,
            |work, at| self.correct(at, work.0, work.1),
        );
        if found {
            let solution = room.solution.to_vec();
            branch.keep(Known { t: at.t, x: at.x.to_vec(), y: at.eta.to_vec(), eta: solution });
        }
        found
    }

    /// Newton's steps from `room.solution`, true only if each is much shorter than the one before.
    fn correct(&self, at: Point<'_>, room: &mut Room<'_>, scratch: &mut [f64]) -> bool {
        let (n, m) = (self.base.shape.n_eta, self.base.shape.n_con);
        let k = n + m;
        let mut before = f64::INFINITY;
        for _ in 0..branch::MAX_STEPS {
            let eta = room.solution[..n].to_vec();
            self.parts(Point { eta: &eta, ..at }, room, scratch);
            if !self.invert_saddle(room) {
                return false;
            }
            // What is missing of y and of the constraints, with the size of its terms.
            let (mut missing, mut off, mut size) = (vec![0.0; k], 0.0f64, 0.0f64);
            for p in 0..n {
                let carried: f64 = (0..m).map(|a| room.A[a * n + p] * room.solution[n + a]).sum();
                missing[p] = at.eta[p] - room.g[p] - carried;
                size = [at.eta[p], room.g[p], carried].into_iter().fold(size, largest);
                off = largest(off, missing[p]);
            }
            for a in 0..m {
                missing[n + a] = -room.zeroth[a] - (0..n).map(|p| room.A[a * n + p] * eta[p]).sum::<f64>();
            }
            let step: Vec<f64> = (0..k)
                .map(|i| room.inverse[i * k..(i + 1) * k].iter().zip(&missing).map(|(a, b)| a * b).sum())
                .collect();
            let length = step.iter().fold(0.0, |m, v| largest(m, *v));
            let scale = room.solution.iter().fold(0.0, |m, v| largest(m, *v));
            if !length.is_finite() || !off.is_finite() {
                return false;
            }
            if length > branch::SHORTER * before && length > 1e-12 * scale {
                return off <= 1e-12 * size;
            }
            room.solution.iter_mut().zip(&step).for_each(|(v, d)| *v += d);
            if length <= 1e-12 * scale || off <= 2.0 * f64::EPSILON * size {
                return true;
            }
            before = length;
        }
        false
    }

    /// The inverse of `[G A^T; A 0]` from the parts in the room; false where it is singular.
    fn invert_saddle(&self, room: &mut Room<'_>) -> bool {
        let (n, m) = (self.base.shape.n_eta, self.base.shape.n_con);
        let k = n + m;
        room.saddle.fill(0.0);
        for p in 0..n {
            room.saddle[p * k..p * k + n].copy_from_slice(&room.G[p * n..(p + 1) * n]);
            for a in 0..m {
                room.saddle[p * k + n + a] = room.A[a * n + p];
                room.saddle[(n + a) * k + p] = room.A[a * n + p];
            }
        }
        invert_symmetric(room.saddle, k, room.inverse)
    }

    /// H3 of a quadratic L: one solve.
    fn solve_linear(&self, at: Point<'_>, room: &mut Room<'_>, scratch: &mut [f64]) -> bool {
        let (n, m) = (self.base.shape.n_eta, self.base.shape.n_con);
        let k = n + m;
        self.parts(Point { eta: &[], ..at }, room, scratch);
        if !self.invert_saddle(room) {
            room.solution.fill(f64::NAN);
            return false;
        }
        for (i, out) in room.solution.iter_mut().enumerate() {
            let row = &room.inverse[i * k..(i + 1) * k];
            let first: f64 = (0..n).map(|p| row[p] * (at.eta[p] - room.g[p])).sum();
            *out = first - (0..m).map(|a| row[n + a] * room.zeroth[a]).sum::<f64>();
        }
        room.solution.iter().all(|v| v.is_finite())
    }

    /// A state in momenta from one in speeds and any M.
    pub fn momenta_of(&self, state: &State, M: &[f64]) -> Result<State, Box<Diagnostic>> {
        let n = self.base.shape.n_eta;
        let mut scratch = vec![0.0; self.scratch_len];
        let (mut room, scratch) = Room::carve(n, self.base.shape.n_con, &mut scratch);
        self.parts(state.point(), &mut room, scratch);
        let mut y = room.g.to_vec();
        for (p, y) in y.iter_mut().enumerate() {
            if self.branch.is_none() {
                *y += (0..n).map(|q| room.G[p * n + q] * state.eta[q]).sum::<f64>();
            }
            *y += M.iter().enumerate().map(|(a, M)| room.A[a * n + p] * M).sum::<f64>();
        }
        let canonical = State::new(state.t, &state.x, &y);
        if let Some(branch) = &self.branch {
            let eta = state.eta.iter().chain(M).copied().collect();
            branch.keep(Known { t: state.t, x: state.x.clone(), y, eta });
        }
        if self.speeds_of(canonical.point()).is_none() {
            let message = "Suslov's form cannot find speeds and multipliers at the start: rows depend on each other, or inertia is missing";
            let d = Diagnostic::error(Code::NotApplicable, None, message);
            return Err(Box::new(
                d.help("leave `--form` out: the explicit form takes constraints of any rank"),
            ));
        }
        Ok(canonical)
    }

    /// Speeds and M of a state in momenta (H3).
    pub fn speeds_of(&self, at: Point<'_>) -> Option<(Vec<f64>, Vec<f64>)> {
        let (n, m) = (self.base.shape.n_eta, self.base.shape.n_con);
        let mut scratch = vec![0.0; self.scratch_len];
        let (mut room, scratch) = Room::carve(n, m, &mut scratch);
        let found = self.solve(at, &mut room, scratch);
        found.then(|| (room.solution[..n].to_vec(), room.solution[n..].to_vec()))
    }

    /// Speeds, and accelerations and multipliers of U1 there where they are needed.
    fn in_speeds(&self, at: Point<'_>, needed: bool) -> (Vec<f64>, Option<Solution>) {
        let Some((eta, _)) = self.speeds_of(at) else { return (vec![f64::NAN; at.eta.len()], None) };
        let solution = match needed {
            true => dalembert_run::accelerate(&self.base, Point { eta: &eta, ..at }).ok(),
            false => Some(Solution::default()),
        };
        (eta, solution)
    }
}

impl Dynamics for SuslovKernel {
    fn shape(&self) -> Shape {
        Shape { n_con: 0, n_switch: 0, identity_frame: false, ..self.base.shape }
    }

    fn levels(&self) -> &[Level] {
        &[]
    }

    fn scratch_len(&self) -> usize {
        self.scratch_len
    }

    fn terms(&self, at: Point<'_>, scratch: &mut [f64], out: &mut Terms) {
        let (n, m) = (self.base.shape.n_eta, self.base.shape.n_con);
        let (mut room, scratch) = Room::carve(n, m, scratch);
        self.solve(at, &mut room, scratch);
        let Room { solution, g, zeroth, G, A, .. } = room;
        let (eta, M) = solution.split_at(n);
        let inputs = self.base.load(at.t, at.x, eta, scratch);
        // Only x' is wanted of it.
        self.base.programs.terms.run(inputs, scratch, [&mut out.x_dot, G, g, A, zeroth]);
        let end = self.base.load(at.t, at.x, eta, scratch);
        scratch[end..end + m].copy_from_slice(M);
        self.rates.run(end + m, scratch, [&mut out.Q]);
        out.M.fill(0.0);
        (0..n).for_each(|p| out.M[p * n + p] = 1.0);
    }

    fn invariants(&self, x: &[f64], scratch: &mut [f64], value: &mut [f64], gradient: &mut [f64]) {
        self.base.invariants(x, scratch, value, gradient);
    }

    /// Events and integrals in speeds; switches of time are the same in any variables.
    fn capabilities(&self) -> Capabilities<'_> {
        let base = self.base.capabilities();
        Capabilities {
            events: base.events.map(|_| self as _),
            time_switches: base.time_switches,
            quadratures: base.quadratures.map(|_| self as _),
            ..Capabilities::default()
        }
    }
}

impl Events for SuslovKernel {
    fn events(&self, at: Point<'_>, _: &Solution, scratch: &mut [f64], g: &mut [f64]) {
        let (eta, solution) = self.in_speeds(at, self.base.reads.solution_in_events);
        match solution {
            Some(solution) => self.base.events(Point { eta: &eta, ..at }, &solution, scratch, g),
            None => g.fill(f64::NAN),
        }
    }

    fn events_need_solution(&self) -> bool {
        false
    }
}

impl Quadratures for SuslovKernel {
    fn rates(&self, at: Point<'_>, _: &Solution, scratch: &mut [f64], out: &mut [f64]) {
        let (eta, solution) = self.in_speeds(at, true);
        match solution {
            Some(solution) => self.base.rates(Point { eta: &eta, ..at }, &solution, scratch, out),
            None => out.fill(f64::NAN),
        }
    }
}
