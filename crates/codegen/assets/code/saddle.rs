// ---- the saddle system  M z - A^T lambda = r1,  A z = r2  (U1, U3, U9) --------------------------

struct Work<'a> {
    t: f64,
    x: &'a [f64; NX],
    eta: &'a [f64; N],
    p: &'a [f64; NP],
    /// M has no Cholesky factor (U9).
    singular: bool,
    M: [f64; N * N],
    Q: [f64; N],
    A: [f64; ROWS * N],
    b: [f64; ROWS],
    /// L L^T = M; with U9, rows that span ker A.
    L: [f64; N * N],
    /// With U9, the mass on ker A, factored.
    R: [f64; N * N],
    exchange: [usize; N],
    /// Rows of A L^-T (with U9, of A) of unit length.
    rows: Cod,
    length: [f64; ROWS],
    /// Length and right side of a row by what rounding of the state makes of them.
    reference: [f64; ROWS],
    grain: [f64; ROWS],
    /// Of requirements: by what a change of the state makes of them, and whether there are fewer directions than rows.
    row_change: [f64; REQUIREMENTS],
    right_change: [f64; REQUIREMENTS],
    redundant: bool,
    /// B^+ e of the last solution.
    y: [f64; N],
    force: [f64; N],
    a: [f64; N],
}

/// 1/length of a row, by the length that it has nearby where that is known; 0 for a row that has vanished.
fn unit(length: f64, reference: f64) -> f64 {
    let reference = length.max(reference);
    if length > 0.0 && length > RANK_TOLERANCE * reference { 1.0 / reference } else { 0.0 }
}

impl Work<'_> {
    /// U9: the mass on ker A, by elimination with row exchange.
    fn factor_null_space(&mut self) -> Result<(), Failure> {
        let (rank, R) = (self.rows.rank, &mut self.R);
        let free = N - rank;
        for j in 0..free {
            let z = &mut self.L[j * N..(j + 1) * N];
            z.fill(0.0);
            z[rank + j] = 1.0;
            self.rows.rotate(z);
        }
        for k in 0..free {
            let z = &self.L[k * N..(k + 1) * N];
            let (mut v, mut possible, mut most) = ([0.0; N], 0.0, 0.0);
            for i in 0..N {
                let row = &self.M[i * N..(i + 1) * N];
                v[i] = dot(row, z);
                possible += z[i].abs() * row.iter().zip(z).fold(0.0, |sum, (m, z)| sum + (m * z).abs());
            }
            for j in 0..free {
                R[j * free + k] = dot(&self.L[j * N..(j + 1) * N], &v);
                if R[j * free + k].abs() > most {
                    most = R[j * free + k].abs();
                }
            }
            if !(most > MASS_TOLERANCE * possible) {
                return Err(Failure::MassSingular);
            }
        }
        for k in 0..free {
            let (mut scale, mut best) = (0.0, k);
            for i in 0..free {
                if R[i * free + k].abs() > scale {
                    scale = R[i * free + k].abs();
                }
                if i > k && R[i * free + k].abs() > R[best * free + k].abs() {
                    best = i;
                }
            }
            if !(R[best * free + k].abs() > MASS_TOLERANCE * scale) {
                return Err(Failure::MassSingular);
            }
            self.exchange[k] = best;
            if best != k {
                (0..free).for_each(|j| R.swap(k * free + j, best * free + j));
            }
            let (above, below) = R.split_at_mut((k + 1) * free);
            let pivot = &above[k * free..];
            for i in 0..free - k - 1 {
                let row = &mut below[i * free..(i + 1) * free];
                row[k] /= pivot[k];
                let s = row[k];
                add(-s, &pivot[k + 1..], &mut row[k + 1..]);
            }
        }
        Ok(())
    }

    /// Factors M and the rows.
    fn factor(&mut self) -> Result<(), Failure> {
        self.L = self.M;
        self.singular =
            cholesky(&mut self.L, N).is_none() || !(pivot_share(&self.L, N, &mut self.y) > MASS_TOLERANCE);
        self.rows.a[..ROWS * N].copy_from_slice(&self.A);
        for i in 0..ROWS {
            let row = &mut self.rows.a[i * N..(i + 1) * N];
            if !self.singular {
                lower(&self.L, row);
            }
            self.length[i] = norm(row);
            let unit = unit(self.length[i], self.reference[i]);
            row.iter_mut().for_each(|v| *v = if unit > 0.0 { *v * unit } else { 0.0 });
        }
        self.rows.reveal(RANK_TOLERANCE);
        let (length, reference) = (&self.length, &self.reference);
        self.rows.complete(|row| length[row].max(reference[row]));
        if self.singular { self.factor_null_space() } else { Ok(()) }
    }

    /// y = B^+ e; the multipliers of the original rows with it.
    fn answer_rows(&mut self, e: &[f64; ROWS], lambda: &mut [f64; ROWS]) {
        self.y = [0.0; N];
        for k in 0..self.rows.rank {
            let (row, i) = (&self.rows.a[k * N..k * N + k + 1], self.rows.row[k]);
            let e = e[i] * unit(self.length[i], self.reference[i]);
            self.y[k] = (e - dot(&row[..k], &self.y)) / row[k];
        }
        self.rows.multipliers(&self.y, lambda);
        self.rows.rotate(&mut self.y);
    }

    fn solve_null_space(&mut self, r1: &[f64; N], r2: &[f64; ROWS], z: &mut [f64; N], lambda: &mut [f64; ROWS]) {
        let free = N - self.rows.rank;
        self.answer_rows(r2, lambda);
        *z = self.y;
        let mut r = [0.0; N];
        (0..N).for_each(|i| r[i] = r1[i] - dot(&self.M[i * N..(i + 1) * N], z));
        let mut v = [0.0; N];
        (0..free).for_each(|i| v[i] = dot(&self.L[i * N..(i + 1) * N], &r));
        (0..free).for_each(|k| v.swap(k, self.exchange[k]));
        for i in 0..free {
            v[i] -= dot(&self.R[i * free..i * free + i], &v);
        }
        for i in (0..free).rev() {
            let row = &self.R[i * free..(i + 1) * free];
            v[i] = (v[i] - dot(&row[i + 1..], &v[i + 1..])) / row[i];
        }
        (0..free).for_each(|i| add(v[i], &self.L[i * N..(i + 1) * N], z));
        (0..N).for_each(|i| r[i] = dot(&self.M[i * N..(i + 1) * N], z) - r1[i]);
        self.rows.rotate_back(&mut r);
        self.rows.multipliers(&r, lambda);
    }

    /// z and lambda (of minimum norm) for right sides r1 and r2.
    fn saddle(&mut self, r1: &[f64; N], r2: &[f64; ROWS], z: &mut [f64; N], lambda: &mut [f64; ROWS]) {
        if self.singular {
            return self.solve_null_space(r1, r2, z, lambda);
        }
        *z = *r1;
        lower(&self.L, z);
        lower_transposed(&self.L, z);
        let mut e = [0.0; ROWS];
        (0..ROWS).for_each(|i| e[i] = r2[i] - dot(&self.A[i * N..(i + 1) * N], z));
        self.answer_rows(&e, lambda);
        let mut r = self.y;
        lower_transposed(&self.L, &mut r);
        add(1.0, &r, z);
    }

    /// A^T lambda of the last solution: L y (U2), or M z - r1 (U9).
    fn reaction(&self, r1: &[f64; N], z: &[f64; N], force: &mut [f64; N]) {
        for i in 0..N {
            force[i] = match self.singular {
                true => dot(&self.M[i * N..(i + 1) * N], z) - r1[i],
                false => dot(&self.L[i * N..i * N + i + 1], &self.y),
            };
        }
    }
}

