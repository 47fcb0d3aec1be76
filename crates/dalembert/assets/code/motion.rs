// ---- the motion at a state (U1 to U8) ------------------------------------------------------------

impl Work<'_> {
    /// U6: whether the rows hold; each is measured against its own numbers.
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
            if left != 0.0 && left.abs() / own > worst {
                worst = left.abs() / own;
            }
        }
        worst <= CONSISTENCY
    }

    /// The motion under `force`: ideal (U2), consistency (U6), then non-ideal (U3, U8).
    fn respond(&mut self, out: &mut Motion) -> Result<(), Failure> {
        let force = self.force;
        let b = self.b;
        self.saddle(&force, &b, &mut out.eta_dot, &mut out.lambda);
        self.reaction(&force, &out.eta_dot, &mut out.ideal);
        self.a = [0.0; N];
        let (mut left, mut poor) = ([0.0; ROWS], false);
        if !self.singular {
            self.a = force;
            lower(&self.L, &mut self.a);
            lower_transposed(&self.L, &mut self.a);
            for i in 0..ROWS {
                let row = &self.A[i * N..(i + 1) * N];
                let own = row.iter().zip(&out.eta_dot).fold(b[i].abs(), |sum, (a, z)| sum + (a * z).abs());
                left[i] = b[i] - dot(row, &out.eta_dot);
                poor |= left[i].abs() > REFINE * own;
            }
        }
        if poor {
            // Solve again for what is left of the rows.
            let (mut change, mut again, mut more) = ([0.0; N], [0.0; ROWS], [0.0; N]);
            self.saddle(&[0.0; N], &left, &mut change, &mut again);
            let better =
                |i: usize| (left[i] - dot(&self.A[i * N..(i + 1) * N], &change)).abs() <= left[i].abs();
            if (0..ROWS).all(better) {
                self.reaction(&[0.0; N], &change, &mut more);
                add(1.0, &change, &mut out.eta_dot);
                add(1.0, &again, &mut out.lambda);
                add(1.0, &more, &mut out.ideal);
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
    /// What the inputs do to the requirements.
    grip: Cod,
}

impl Steering {
    fn new(w: &mut Work<'_>, out: &Motion) -> Result<Steering, Failure> {
        let mut s = Steering {
            A: [0.0; REQUIREMENTS * N],
            b: [0.0; REQUIREMENTS],
            S: [0.0; N * NU],
            cost: [0.0; NU * NU],
            scale: [0.0; REQUIREMENTS],
            grip: Cod::new(REQUIREMENTS, NU),
        };
        let _ = out;
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
            let scale = if w.singular {
                norm(&row) / math::sqrt(norm(&w.M))
            } else {
                lower(&w.L, &mut row);
                norm(&row)
            };
            effect.iter_mut().for_each(|v| *v = if scale > 0.0 { *v / scale } else { 0.0 });
            s.scale[i] = scale;
        }
        s.grip.reveal(REACH);
        s.grip.complete(|_| 1.0);
        Ok(s)
    }

    /// What eta' leaves of requirement i, and that over its own numbers.
    fn missed(&self, i: usize, eta_dot: &[f64; N]) -> (f64, f64) {
        let row = &self.A[i * N..(i + 1) * N];
        let own = row.iter().zip(eta_dot).fold(self.b[i].abs(), |sum, (a, z)| sum + (a * z).abs());
        let left = self.b[i] - dot(row, eta_dot);
        (left, if left == 0.0 { 0.0 } else { left.abs() / own })
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
/// Accelerations and forces at time t, coordinates x and speeds eta, with parameters p (see [`PARAMETERS`]).
pub fn evaluate(t: f64, x: &[f64; NX], eta: &[f64; N], p: &[f64; NP]) -> Result<Motion, Failure> {
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
        y: [0.0; N],
        force: [0.0; N],
        a: [0.0; N],
    };
    let mut out = Motion {
        x_dot: [0.0; NX],
        eta_dot: [0.0; N],
        ideal: [0.0; N],
        nonideal: [0.0; N],
        control: [0.0; N],
        lambda: [0.0; ROWS],
        u: [0.0; NU],
        rank: 0,
    };
    terms(w.t, w.x, w.eta, w.p, &mut out.x_dot, &mut w.M, &mut w.Q, &mut w.A, &mut w.b);
    if !(finite(&out.x_dot) && finite(&w.M) && finite(&w.Q) && finite(&w.A) && finite(&w.b)) {
        return Err(Failure::NotFinite);
    }
    w.factor()?;
    out.rank = w.rows.rank;
    w.force = w.Q;
    w.respond(&mut out)?;
//@if control
    steer(&mut w, &mut out)?;
//@end
    if finite(&out.eta_dot) { Ok(out) } else { Err(Failure::NotFinite) }
}
