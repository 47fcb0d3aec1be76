// ---- the motion at a state (U1 to U8) ------------------------------------------------------------

impl Work<'_> {
    /// U6: whether the rows hold; each is measured against its own numbers, and what rounding of the state makes of it.
    fn consistent(&self, eta_dot: &[f64; N]) -> bool {
        let speed = largest(self.eta);
        let mut size = 0.0;
        for v in eta_dot.iter().chain(&self.a) {
            if v.abs() > size {
                size = v.abs();
            }
        }
        size += speed * speed;
        let mut worst = 0.0;
        for i in 0..ROWS {
            let (mut left, mut own, mut whole) = (-self.b[i], self.b[i].abs(), 0.0);
            for j in 0..N {
                let entry = self.A[i * N + j];
                left += entry * eta_dot[j];
                own += entry.abs() * (eta_dot[j].abs() + self.a[j].abs());
                whole += entry.abs() * size;
            }
            if own < COUPLING * whole {
                own = COUPLING * whole;
            }
            if own < GRAIN * self.grain[i] {
                own = GRAIN * self.grain[i];
            }
            if left != 0.0 && left.abs() / own > worst {
                worst = left.abs() / own;
            }
        }
        worst <= CONSISTENCY
    }

    /// What is left of each row, b - A eta', and whether one holds worse than it could.
    fn balance(&self, eta_dot: &[f64; N]) -> ([f64; ROWS], bool) {
        let (mut left, mut poor) = ([0.0; ROWS], false);
        for i in 0..ROWS {
            let row = &self.A[i * N..(i + 1) * N];
            let own = row.iter().zip(eta_dot).fold(self.b[i].abs(), |sum, (a, z)| sum + (a * z).abs());
            left[i] = self.b[i] - dot(row, eta_dot);
            poor |= left[i].abs() > REFINE * own;
        }
        (left, poor)
    }

    /// Solves again for what is left of the rows; kept if each holds at least as well, or all together much better.
    /// Whether they do, and it may be done again.
    fn improve(&mut self, left: &[f64; ROWS], out: &mut Motion) -> bool {
        let (mut change, mut again, mut more) = ([0.0; N], [0.0; ROWS], [0.0; N]);
        self.saddle(&[0.0; N], left, &mut change, &mut again);
        let (mut before, mut after, mut better) = (0.0, 0.0, true);
        for i in 0..ROWS {
            let row = &self.A[i * N..(i + 1) * N];
            let rest = left[i] - dot(row, &change);
            let square = f64::MIN_POSITIVE + dot(row, row);
            before += left[i] * left[i] / square;
            after += rest * rest / square;
            better &= rest.abs() <= left[i].abs();
        }
        let gained = after < GAINED * GAINED * before;
        if better || gained {
            self.reaction(&[0.0; N], &change, &mut more);
            add(1.0, &change, &mut out.eta_dot);
            add(1.0, &again, &mut out.lambda);
            add(1.0, &more, &mut out.ideal);
        }
        gained
    }

    /// The motion under `force`: ideal (U2), consistency (U6), then non-ideal (U3, U8).
    fn respond(&mut self, out: &mut Motion) -> Result<(), Failure> {
        let force = self.force;
        let b = self.b;
        self.saddle(&force, &b, &mut out.eta_dot, &mut out.lambda);
        // Rows that leave nothing free and ask for nothing: no acceleration, not even by rounding.
        if self.rows.rank == N && b.iter().all(|b| *b == 0.0) {
            out.eta_dot = [0.0; N];
        }
        self.reaction(&force, &out.eta_dot, &mut out.ideal);
        self.a = [0.0; N];
        if !self.singular {
            self.a = force;
            lower(&self.L, &mut self.a);
            lower_transposed(&self.L, &mut self.a);
            for _ in 0..IMPROVED {
                let (left, poor) = self.balance(&out.eta_dot);
                if !poor || !self.improve(&left, out) {
                    break;
                }
            }
        }
        if !self.consistent(&out.eta_dot) {
            return Err(Failure::Contradiction);
        }
        out.nonideal = [0.0; N];
//@if nonideal
        let (mut C, mut change, mut unused) = ([0.0; N], [0.0; N], [0.0; ROWS]);
        nonideal(self.t, self.x, self.eta, self.p, &self.A, &out.lambda, &mut C);
        if !finite(&C) {
            return Err(Failure::NotFinite);
        }
        self.saddle(&C, &[0.0; ROWS], &mut change, &mut unused);
        (0..N).for_each(|i| out.nonideal[i] = dot(&self.M[i * N..(i + 1) * N], &change));
        add(1.0, &change, &mut out.eta_dot);
//@end
        Ok(())
    }
}

//@if control
// ---- C1: the inputs of least cost that meet the requirements ------------------------------------

struct Steering {
    A: [f64; REQUIREMENTS * N],
    b: [f64; REQUIREMENTS],
    S: [f64; N * NU],
    cost: [f64; NU * NU],
    scale: [f64; REQUIREMENTS],
    /// Accelerations without inputs.
    natural: [f64; N],
    right_change: [f64; REQUIREMENTS],
    /// What the inputs do to the requirements.
    grip: Cod,
}

impl Work<'_> {
    /// What all forces together could do to a row: sqrt(A_c M^-1 A_c^T), or its length with U9.
    fn row_length(&self, row: &mut [f64; N]) -> f64 {
        if self.singular {
            return norm(row) / math::sqrt(norm(&self.M));
        }
        lower(&self.L, row);
        norm(row)
    }

    /// What changes of the state make of requirements that are redundant or out of reach. Whether that is anything.
    fn compare_requirements(&mut self) -> bool {
        let (mut A, mut b, mut S, mut W) =
            ([0.0; REQUIREMENTS * N], [0.0; REQUIREMENTS], [0.0; N * NU], [0.0; NU * NU]);
        control_terms(self.t, self.x, self.eta, self.p, &mut A, &mut b, &mut S, &mut W);
        for round in 0..NUDGES {
            let (t, x, eta) = self.nudged(round);
            let (mut near_A, mut near_b) = ([0.0; REQUIREMENTS * N], [0.0; REQUIREMENTS]);
            control_terms(t, &x, &eta, self.p, &mut near_A, &mut near_b, &mut S, &mut W);
            for i in 0..REQUIREMENTS {
                let mut row = [0.0; N];
                (0..N).for_each(|j| row[j] = (near_A[i * N + j] - A[i * N + j]) / NUDGE);
                let (row, right) = (self.row_length(&mut row), (near_b[i] - b[i]).abs() / NUDGE);
                if row.is_finite() && row > self.row_change[i] {
                    self.row_change[i] = row;
                }
                if right.is_finite() && right > self.right_change[i] {
                    self.right_change[i] = right;
                }
            }
        }
        self.right_change.iter().any(|v| *v > 0.0)
    }
}

impl Steering {
    fn new(w: &mut Work<'_>, out: &Motion) -> Result<Steering, Failure> {
        let mut s = Steering {
            A: [0.0; REQUIREMENTS * N],
            b: [0.0; REQUIREMENTS],
            S: [0.0; N * NU],
            cost: [0.0; NU * NU],
            scale: [0.0; REQUIREMENTS],
            natural: out.eta_dot,
            right_change: [0.0; REQUIREMENTS],
            grip: Cod::new(REQUIREMENTS, NU),
        };
        let mut W = [0.0; NU * NU];
        control_terms(w.t, w.x, w.eta, w.p, &mut s.A, &mut s.b, &mut s.S, &mut W);
        if !(finite(&s.A) && finite(&s.b) && finite(&s.S) && finite(&W)) {
            return Err(Failure::NotFinite);
        }
        let (mut reach, mut unused) = ([[0.0; N]; NU], [0.0; ROWS]);
        for j in 0..NU {
            let mut column = [0.0; N];
            (0..N).for_each(|i| column[i] = s.S[i * NU + j]);
            w.saddle(&column, &[0.0; ROWS], &mut reach[j], &mut unused);
            if !w.singular {
                lower(&w.L, &mut column);
                lower_transposed(&w.L, &mut column);
            }
            // S^T M^-1 S; S^T S with U9.
            for i in 0..NU {
                s.cost[i * NU + j] = (0..N).fold(0.0, |sum, l| sum + s.S[l * NU + i] * column[l]);
            }
        }
//@if nonideal
        // With the forces that follow the multipliers: by differences, exact where those are linear in them.
        let force = largest(&w.Q).max(largest(&out.ideal));
        let mut trial = *out;
        for j in 0..NU {
            let size = (0..N).fold(0.0f64, |m, i| m.max(s.S[i * NU + j].abs()));
            if size == 0.0 {
                continue;
            }
            let step = if force > 0.0 { TRIAL * force / size } else { 1.0 / size };
            (0..N).for_each(|i| w.force[i] = w.Q[i] + step * s.S[i * NU + j]);
            w.respond(&mut trial)?;
            (0..N).for_each(|i| reach[j][i] = (trial.eta_dot[i] - out.eta_dot[i]) / step);
        }
//@end
//@if weight
        let trace = |w: &[f64; NU * NU]| (0..NU).fold(0.0, |sum, i| sum + w[i * NU + i]);
        let factor = trace(&s.cost) / trace(&W);
        let factor = if factor > 0.0 && factor.is_finite() { factor } else { 1.0 };
        (0..NU * NU).for_each(|i| s.cost[i] = factor * W[i]);
//@end
        if !cholesky(&mut s.cost, NU).is_some_and(|ratio| ratio > 1e-14) {
            return Err(Failure::CostNotPositive);
        }
        for i in 0..REQUIREMENTS {
            let mut row = [0.0; N];
            row.copy_from_slice(&s.A[i * N..(i + 1) * N]);
            let effect = &mut s.grip.a[i * NU..(i + 1) * NU];
            (0..NU).for_each(|j| effect[j] = dot(&row, &reach[j]));
            lower(&s.cost, effect);
            let scale = w.row_length(&mut row).max(w.row_change[i]);
            effect.iter_mut().for_each(|v| *v = if scale > 0.0 { *v / scale } else { 0.0 });
            s.scale[i] = scale;
        }
        s.grip.reveal(REACH);
        w.redundant = s.grip.rank < REQUIREMENTS;
        s.right_change = w.right_change;
        s.grip.complete(|_| 1.0);
        Ok(s)
    }

    /// What eta' leaves of requirement i, and that over its own numbers: those of the motion with control and without, but
    /// not less than rounding of the largest accelerations would make of the row.
    fn missed(&self, i: usize, eta_dot: &[f64; N]) -> (f64, f64) {
        let row = &self.A[i * N..(i + 1) * N];
        let size = largest(eta_dot).max(largest(&self.natural));
        let (mut own, mut whole) = (self.b[i].abs(), 0.0);
        for j in 0..N {
            own += row[j].abs() * (eta_dot[j].abs() + self.natural[j].abs());
            whole += row[j].abs() * size;
        }
        let left = self.b[i] - dot(row, eta_dot);
        (left, if left == 0.0 { 0.0 } else { left.abs() / own.max(COUPLING * whole).max(GRAIN * self.right_change[i]) })
    }
}

fn steer(w: &mut Work<'_>, out: &mut Motion) -> Result<(), Failure> {
    let mut s = Steering::new(w, out)?;
    let mut best = f64::INFINITY;
    for turn in 0..TURNS {
        let (mut worst, mut left, mut step) = (0.0, [0.0; REQUIREMENTS], [0.0; NU]);
        for i in 0..REQUIREMENTS {
            let (rest, part) = s.missed(i, &out.eta_dot);
            left[i] = if s.scale[i] > 0.0 { rest / s.scale[i] } else { 0.0 };
            if part > worst {
                worst = part;
            }
        }
        if worst <= MET || !(turn == 0 || worst < 0.9 * best) {
            break;
        }
        best = worst;
        s.grip.least(&left, &mut step);
        lower_transposed(&s.cost, &mut step);
        add(1.0, &step, &mut out.u);
        for i in 0..N {
            out.control[i] = dot(&s.S[i * NU..(i + 1) * NU], &out.u);
            w.force[i] = w.Q[i] + out.control[i];
        }
        w.respond(out)?;
    }
    let met = (0..REQUIREMENTS).all(|i| s.missed(i, &out.eta_dot).1 <= CONSISTENCY);
    if met { Ok(()) } else { Err(Failure::Unreachable) }
}

//@end
// ---- what rounding of a state makes of the rows --------------------------------------------------

/// A number moved by a small part of a size, either way, by the next of a fixed sequence.
fn moved(seed: &mut u64, value: f64, size: f64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    let unit = (*seed >> 12) as f64 / (1u64 << 52) as f64 - 0.5;
    value + NUDGE * size * (unit + if unit < 0.0 { -0.5 } else { 0.5 })
}

impl Work<'_> {
    /// A state nearby, the same every time.
    fn nudged(&self, round: u64) -> (f64, [f64; NX], [f64; N]) {
        let still = largest(self.eta).min(1.0);
        let mut seed = 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(round + 1);
        let t = moved(&mut seed, self.t, 1.0 + self.t.abs());
        let (mut x, mut eta) = (*self.x, *self.eta);
        x.iter_mut().for_each(|v| *v = moved(&mut seed, *v, 1.0 + v.abs()));
        eta.iter_mut().for_each(|v| *v = moved(&mut seed, *v, v.abs().max(still)));
        (t, x, eta)
    }

//@if rows
    /// Where all of a row vanishes its numbers are rounding: how fast they change with the state tells their size. Whether
    /// that may change the verdict that rows contradict each other.
    fn feel_rounding(&mut self) -> bool {
        let mut longer = [0.0; ROWS];
        for round in 0..NUDGES {
            let (t, x, eta) = self.nudged(round);
            let (mut x_dot, mut M, mut Q) = ([0.0; NX], [0.0; N * N], [0.0; N]);
            let (mut A, mut b) = ([0.0; ROWS * N], [0.0; ROWS]);
            terms(t, &x, &eta, self.p, &mut x_dot, &mut M, &mut Q, &mut A, &mut b);
            for i in 0..ROWS {
                let row = &mut A[i * N..(i + 1) * N];
                (0..N).for_each(|j| row[j] -= self.A[i * N + j]);
                let (change, right) = (norm(row) / NUDGE, (b[i] - self.b[i]).abs() / NUDGE);
                if right.is_finite() && right > self.grain[i] {
                    self.grain[i] = right;
                }
                if change.is_finite() && change > longer[i] {
                    longer[i] = change;
                }
            }
        }
        for i in 0..ROWS {
            let now = norm(&self.A[i * N..(i + 1) * N]);
            if now > 0.0 && now <= SHORT * longer[i] {
                self.reference[i] = longer[i] / now * self.length[i];
            }
        }
        self.grain.iter().chain(&self.reference).any(|v| *v > 0.0)
    }
//@end
}

/// The motion with the terms that have been loaded.
fn solve(w: &mut Work<'_>, out: &mut Motion) -> Result<(), Failure> {
    w.factor()?;
    out.rank = w.rows.rank;
    out.control = [0.0; N];
    out.u = [0.0; NU];
    w.force = w.Q;
    w.respond(out)?;
//@if control
    steer(w, out)?;
//@end
    Ok(())
}

/// A contradiction is one only if it remains when it is known what rounding makes of the rows.
fn settle(w: &mut Work<'_>, out: &mut Motion) -> Result<(), Failure> {
    match solve(w, out) {
//@if rows
        Err(Failure::Contradiction) if w.feel_rounding() => solve(w, out),
//@end
        result => result,
    }
}

/// Accelerations and forces at time t, coordinates x and speeds eta, with parameters p (see [`PARAMETERS`]).
pub fn evaluate(t: f64, x: &[f64; NX], eta: &[f64; N], p: &[f64; NP]) -> Result<Motion, Failure> {
    let out = Motion {
        x_dot: [0.0; NX],
        eta_dot: [0.0; N],
        ideal: [0.0; N],
        nonideal: [0.0; N],
        control: [0.0; N],
        lambda: [0.0; ROWS],
        u: [0.0; NU],
        rank: 0,
    };
//@if whole
    let mut out = out;
    let mut trusted = [0.0];
    whole(t, x, eta, p, &mut out.x_dot, &mut out.eta_dot, &mut out.lambda, &mut out.ideal, &mut trusted);
    if trusted[0] == 1.0 && finite(&out.x_dot) && finite(&out.eta_dot) {
        out.rank = ROWS;
        return Ok(out);
    }
    out.x_dot = [0.0; NX];
//@end
    decide(t, x, eta, p, out)
}

/// The motion by the decompositions that decide ranks.
fn decide(t: f64, x: &[f64; NX], eta: &[f64; N], p: &[f64; NP], mut out: Motion) -> Result<Motion, Failure> {
    let mut w = Work {
        t,
        x,
        eta,
        p,
        singular: false,
        M: [0.0; N * N],
        Q: [0.0; N],
        A: [0.0; ROWS * N],
        b: [0.0; ROWS],
        L: [0.0; N * N],
        R: [0.0; N * N],
        exchange: [0; N],
        rows: Cod::new(ROWS, N),
        length: [0.0; ROWS],
        reference: [0.0; ROWS],
        grain: [0.0; ROWS],
        row_change: [0.0; REQUIREMENTS],
        right_change: [0.0; REQUIREMENTS],
        redundant: false,
        y: [0.0; N],
        force: [0.0; N],
        a: [0.0; N],
    };
    terms(w.t, w.x, w.eta, w.p, &mut out.x_dot, &mut w.M, &mut w.Q, &mut w.A, &mut w.b);
    if !(finite(&out.x_dot) && finite(&w.M) && finite(&w.Q) && finite(&w.A) && finite(&w.b)) {
        return Err(Failure::NotFinite);
    }
    match settle(&mut w, &mut out) {
//@if control
        Err(Failure::Unreachable) if w.compare_requirements() => settle(&mut w, &mut out)?,
        Ok(()) if w.redundant && w.compare_requirements() => settle(&mut w, &mut out)?,
//@end
        result => result?,
    }
    if finite(&out.eta_dot) { Ok(out) } else { Err(Failure::NotFinite) }
}
