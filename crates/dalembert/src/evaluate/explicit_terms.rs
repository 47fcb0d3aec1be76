//! The matrices of the explicit equation at a state, in numbers, at any size and rank; other possible accelerations and
//! virtual displacements that a reader asks about.
//!
//! ```text
//! P1  B = A M^{-1/2} (symmetric root),  e = b - A a,  K = M^{-1/2} B^+
//! P2  G(z) = (M z - Q - C)^T M^-1 (M z - Q - C),   G(z) - G(eta') = d^T M d  for z = eta' + d, A d = 0
//! P3  W = v^T F for a virtual displacement v, A v = 0, and each class of forces F;  delta P = X_p(P) v_p of a point
//! ```
//!
//! Sources: Udwadia and Kalaba 1992 (18), (19); Udwadia 2005 (9), (16)-(19). Where control acts without constraints of
//! nature, B, e and K are those of the requirements. Checked by `tests/it/explicit_terms.rs`.

pub use super::control_gain::ControlGain;
use super::control_gain::pseudo_inverse;
use crate::formalism::poincare::Fields;
use crate::system::DrawnPoint;
use crate::workspace::{Evaluation, Workspace};
use dalembert_expr::Expr;
use dalembert_linalg::{Mat, dot, symmetric_eigen};
use dalembert_run::{ContactTerms, Contacts, Control, ControlTerms, Dynamics, IdealForces, Nonideal};
use dalembert_syntax::diagnostic::{Code, Diagnostic, nearest};

/// Directions of A weaker than this, relative to the strongest, count as none.
const RANK: f64 = 1e-10;
/// A displacement or an acceleration keeps the constraints if the residual of a row is below this part of its terms.
const KEPT: f64 = 1e-9;
/// Points whose displacements are given.
const MAX_POINTS: usize = 40;

/// What the papers write between M, Q, A, b and the acceleration.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ExplicitTerms {
    /// C (K4), friction of contacts included.
    pub nonideal_term: Vec<f64>,
    /// B row by row; `None` where M is singular or the system too large to be written out.
    pub constraint_scaled: Option<Vec<Vec<f64>>>,
    /// B^+ row by row, a row for each speed.
    pub constraint_scaled_pinv: Option<Vec<Vec<f64>>>,
    /// a_ni = a + M^-1 C; `None` where M is singular.
    pub nonideal_acceleration: Option<Vec<f64>>,
    /// e = b - A a; `None` where M is singular.
    pub error_signal: Option<Vec<f64>>,
    /// K row by row, a row for each speed.
    pub gain: Option<Vec<Vec<f64>>>,
    /// A basis of ker A: each vector displaces one independent speed by 1.
    pub virtual_displacements: Vec<Vec<f64>>,
    /// A_c row by row.
    pub requirement_matrix: Vec<Vec<f64>>,
    /// b_c
    pub requirement_rhs: Vec<f64>,
    /// e_c and the gain of the inputs (C1), where control acts linearly.
    pub control: Option<ControlGain>,
}

/// Another acceleration, compared with the actual one (P2).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Possible {
    /// Whether A z = b.
    pub kept: bool,
    /// A z - b of each row: zero for a possible acceleration.
    pub residual: Vec<f64>,
    /// G(z)
    pub gauss: f64,
    /// G(z) - G(eta')
    pub gauss_excess: f64,
    /// d^T M d, d = z - eta'.
    pub deviation: f64,
}

/// The work of each class of forces on a displacement (P3).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct VirtualWork {
    /// Whether A v = 0.
    pub kept: bool,
    /// Of applied forces and those of the potential, without inertia terms.
    pub applied: f64,
    /// Of Q_i: zero where the constraints are kept.
    pub ideal: f64,
    /// Of Q_ni.
    pub nonideal: f64,
    /// Of control.
    pub control: f64,
    /// How the points that have a name are displaced: delta P = X_p(P) v_p.
    pub points: Vec<(String, Vec<f64>)>,
}

impl Workspace {
    /// B, e, K, C and a basis of the virtual displacements at a state that was evaluated.
    pub fn explicit_terms(&self, now: &Evaluation) -> ExplicitTerms {
        let n = self.form.speeds.len();
        let mut control = ControlTerms::new(&self.compiled.shape());
        if !self.system.control.rows.is_empty() {
            let mut scratch = vec![0.0; self.compiled.scratch_len()];
            self.compiled.control_terms(now.state.point(), &mut scratch, &mut control);
        }
        let mut terms = ExplicitTerms {
            nonideal_term: self.nonideal_term(now),
            requirement_matrix: rows_of(&control.A, n),
            requirement_rhs: control.b.clone(),
            control: self.control_gain(now, &control),
            ..ExplicitTerms::default()
        };
        if now.terms.sparsity.is_some() {
            return terms; // by entries only: too large to be written out
        }
        let own = &now.terms.A[..self.system.constraints.rows.len() * n];
        terms.virtual_displacements = kernel_basis(own, n);
        let (A, b) = match self.system.constraints.rows.is_empty() {
            true => (&control.A[..], &control.b[..]),
            false => (own, &now.terms.b[..self.system.constraints.rows.len()]),
        };
        let a = &now.solution.a_free;
        if a.iter().all(|v| v.is_finite()) {
            let rows = A.chunks(n.max(1));
            terms.error_signal = Some(rows.zip(b).map(|(row, b)| b - dot(row, a)).collect());
        }
        if let Some(root) = inverse_root(&now.terms.M, n) {
            let B = product(A, &root, n);
            let inverse = pseudo_inverse(&B, b.len(), n);
            terms.gain = Some(gain(&root, &inverse));
            terms.constraint_scaled_pinv = Some(inverse);
            terms.nonideal_acceleration = Some(with_force(a, &root, &terms.nonideal_term));
            terms.constraint_scaled = Some(rows_of(&B, n));
        }
        terms
    }

    /// C at a state: what `nonideal work` prescribes, and friction.
    fn nonideal_term(&self, now: &Evaluation) -> Vec<f64> {
        let n = self.form.speeds.len();
        let (mut C, s) = (vec![0.0; n], &now.solution);
        let mut scratch = vec![0.0; self.compiled.scratch_len()];
        if self.form.nonideal.is_some()
            && let Some(lambda) = self.ideal_multipliers(&now.state, s)
        {
            let sparsity = now.terms.sparsity.as_deref();
            let known = IdealForces { lambda: &lambda, A: &now.terms.A, Q_i: &s.ideal_force, sparsity };
            self.compiled.nonideal(now.state.point(), &known, &mut scratch, &mut C);
        }
        if !self.system.contacts.is_empty() {
            let shape = self.compiled.shape();
            let mut room = vec![0.0; ContactTerms::room(&shape)];
            let (mut contacts, _) = ContactTerms::carve(&shape, &mut room);
            self.compiled.contact_terms(now.state.point(), &mut scratch, &mut contacts);
            for (f, row) in s.friction.iter().zip(contacts.J.chunks(n.max(1))) {
                C.iter_mut().zip(row).for_each(|(c, j)| *c += f * j);
            }
        }
        C
    }

    /// Compares another acceleration with the actual one; what is not named keeps its value.
    ///
    /// ```
    /// use dalembert::{Model, Source};
    /// let text = "coordinate x, y\nkinetic x'^2 + y'^2\npotential 10*y\nconstraint floor: y = 0";
    /// let model = Model::load(&Source::new("floor.dal", text), &Default::default()).unwrap();
    /// let now = model.evaluate(&model.start().unwrap().state).unwrap();
    /// let other = model.possible(&now, "x'' = 3").unwrap();
    /// assert_eq!((other.residual[0], other.deviation), (0.0, 18.0));
    /// assert!((other.gauss_excess - 18.0).abs() < 1e-12);
    /// ```
    pub fn possible(&self, now: &Evaluation, assignments: &str) -> Result<Possible, Box<Diagnostic>> {
        let names: Vec<String> = self.system.frame.speeds.iter().map(|s| format!("{}'", s.name)).collect();
        let z = self.over(assignments, &names, now.solution.eta_dot.clone(), "an acceleration")?;
        let (terms, s) = (now.terms.written_out(), &now.solution);
        let n = z.len();
        let rows = self.system.constraints.rows.len();
        let rows = || terms.A.chunks(n.max(1)).zip(&terms.b).take(rows);
        let residual: Vec<f64> = rows().map(|(row, b)| dot(row, &z) - b).collect();
        let sizes =
            rows().map(|(row, b)| row.iter().zip(&z).map(|(a, z)| (a * z).abs()).sum::<f64>() + b.abs());
        let kept = residual.iter().zip(sizes).all(|(r, size)| r.abs() <= KEPT * size);
        let d: Vec<f64> = z.iter().zip(&s.eta_dot).map(|(z, a)| z - a).collect();
        let moved: Vec<f64> = terms.M.chunks(n.max(1)).map(|row| dot(row, &d)).collect();
        let deviation = dot(&d, &moved);
        let acting = self.acting(now);
        let gauss = |z: &[f64]| gauss(&terms.M, &acting, z);
        let (at_z, at_solution) = (gauss(&z), gauss(&s.eta_dot));
        Ok(Possible { kept, residual, gauss: at_z, gauss_excess: at_z - at_solution, deviation })
    }

    /// Q + C and control: the forces that Gauss's function measures against.
    fn acting(&self, now: &Evaluation) -> Vec<f64> {
        let (s, C) = (&now.solution, self.nonideal_term(now));
        // Without constraints of nature control exerts C.
        let own = !self.system.constraints.rows.is_empty();
        let with = |p: usize| now.terms.Q[p] + s.control_force[p] + if own { C[p] } else { 0.0 };
        (0..C.len()).map(with).collect()
    }

    /// The work of all forces on a displacement, given by coordinates or speeds; what is not named is 0.
    pub fn virtual_work(
        &mut self,
        now: &Evaluation,
        assignments: &str,
    ) -> Result<VirtualWork, Box<Diagnostic>> {
        let names = crate::formalism::poincare::labels(&self.system);
        let n = names.len();
        let v = self.over(assignments, &names, vec![0.0; n], "a virtual displacement")?;
        let forces = self.applied_forces();
        let applied = self.values_at(&forces, &now.state);
        let terms = now.terms.written_out();
        let rows = terms.A.chunks(n.max(1)).take(self.system.constraints.rows.len());
        let size = |row: &[f64]| row.iter().zip(&v).map(|(a, v)| (a * v).abs()).sum::<f64>();
        let kept = rows.into_iter().all(|row| dot(row, &v).abs() <= KEPT * size(row));
        let s = &now.solution;
        Ok(VirtualWork {
            kept,
            applied: dot(&applied, &v),
            ideal: dot(&s.ideal_force, &v),
            nonideal: dot(&s.nonideal_force, &v),
            control: dot(&s.control_force, &v),
            points: self.displaced_points(&v, &now.state),
        })
    }

    /// delta P of the vectors of the model that have a name and do not depend on the speeds.
    fn displaced_points(&mut self, v: &[f64], state: &dalembert_run::State) -> Vec<(String, Vec<f64>)> {
        let named: Vec<DrawnPoint> = self.system.drawing.vectors.iter().take(MAX_POINTS).cloned().collect();
        let fields = Fields::of(&mut self.system.pool, &self.form);
        let mut found = Vec::new();
        for point in named {
            let pool = &mut self.system.pool;
            if point.at.iter().any(|e| pool.depends_on(*e, &self.form.speeds)) {
                continue;
            }
            let displaced = point.at.iter().map(|e| {
                let along: Vec<Expr> = fields.all(&mut self.system.pool, *e);
                dot(&self.values_at(&along[..v.len()], state), v)
            });
            let displaced: Vec<f64> = displaced.collect();
            found.push((point.name, displaced));
        }
        found
    }

    /// Values of expressions over time, state and parameters.
    pub(crate) fn values_at(&mut self, list: &[Expr], state: &dalembert_run::State) -> Vec<f64> {
        let (form, parameters) = (&self.form, self.compiled.parameters());
        let mut values = rustc_hash::FxHashMap::default();
        values.insert(form.time, state.t);
        values.extend(form.parameters.iter().copied().zip(parameters.iter().copied()));
        values.extend(form.coordinates.iter().copied().zip(state.x.iter().copied()));
        values.extend(form.speeds.iter().copied().zip(state.eta.iter().copied()));
        self.system.pool.evaluate_all(list, |s| values.get(&s).copied().unwrap_or(f64::NAN))
    }

    /// Puts `name = value` pairs over a vector.
    fn over(
        &self,
        assignments: &str,
        names: &[String],
        mut values: Vec<f64>,
        what: &str,
    ) -> Result<Vec<f64>, Box<Diagnostic>> {
        for (name, value) in self.assignments(assignments)? {
            let Some(k) = names.iter().position(|n| *n == name) else {
                let d =
                    Diagnostic::error(Code::BadOption, None, format!("`{name}` is not {what} of this model"));
                return Err(Box::new(match nearest(&name, names.iter().map(String::as_str)) {
                    Some(near) => d.help(format!("did you mean `{near}`?")),
                    None => d.help(format!("there are {}", names.join(", "))),
                }));
            };
            values[k] = value;
        }
        Ok(values)
    }
}

fn rows_of(matrix: &[f64], n: usize) -> Vec<Vec<f64>> {
    matrix.chunks(n.max(1)).map(<[f64]>::to_vec).collect()
}

/// `A R` for a square R.
fn product(A: &[f64], R: &[f64], n: usize) -> Vec<f64> {
    let R = Mat::new(R, n);
    let entry = |row: &[f64], j: usize| (0..n).map(|k| row[k] * R[[k, j]]).sum();
    A.chunks(n.max(1)).flat_map(|row| (0..n).map(move |j| entry(row, j))).collect()
}

/// M^{-1/2}, symmetric; `None` where M is not positive definite.
fn inverse_root(M: &[f64], n: usize) -> Option<Vec<f64>> {
    let (mut values, mut V) = (Mat::new(M.to_vec(), n), Mat::zeros(n, n));
    symmetric_eigen(&mut values, n, &mut V);
    let largest = (0..n).map(|k| values[[k, k]]).fold(0.0, f64::max);
    let roots: Vec<f64> = (0..n).map(|k| values[[k, k]]).collect();
    if !roots.iter().all(|v| *v > 1e-14 * largest) {
        return None;
    }
    let mut root = Mat::zeros(n, n);
    for i in 0..n {
        for j in 0..n {
            root[[i, j]] = (0..n).map(|k| V[[i, k]] * V[[j, k]] / roots[k].sqrt()).sum();
        }
    }
    Some(root.to_vec())
}

/// K = M^{-1/2} B^+, a row for each speed.
fn gain(root: &[f64], inverse: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let times = |row: &[f64], j: usize| row.iter().zip(inverse).map(|(r, b)| r * b[j]).sum();
    let m = inverse.first().map_or(0, Vec::len);
    root.chunks(inverse.len().max(1)).map(|row| (0..m).map(|j| times(row, j)).collect()).collect()
}

/// a + M^-1 C
fn with_force(a: &[f64], root: &[f64], C: &[f64]) -> Vec<f64> {
    let n = a.len();
    let half: Vec<f64> = root.chunks(n.max(1)).map(|row| dot(row, C)).collect();
    a.iter().zip(root.chunks(n.max(1))).map(|(a, row)| a + dot(row, &half)).collect()
}

/// (M z - F)^T M^-1 (M z - F); NaN where M is not positive definite.
fn gauss(M: &[f64], F: &[f64], z: &[f64]) -> f64 {
    let n = z.len();
    let Some(root) = inverse_root(M, n) else { return f64::NAN };
    let off: Vec<f64> = M.chunks(n.max(1)).zip(F).map(|(row, f)| dot(row, z) - f).collect();
    root.chunks(n.max(1)).map(|row| dot(row, &off).powi(2)).sum()
}

/// A basis of ker A by elimination with complete pivoting: every vector is 1 at one free column and 0 at the others.
fn kernel_basis(A: &[f64], n: usize) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = A.chunks(n.max(1)).map(scaled_row).collect();
    let mut pivots: Vec<(usize, usize)> = Vec::new();
    for _ in 0..rows.len() {
        let open = |r: &usize| pivots.iter().all(|p| p.0 != *r);
        let places = (0..rows.len()).filter(open).flat_map(|r| (0..n).map(move |c| (r, c)));
        let best = places.max_by(|a, b| rows[a.0][a.1].abs().total_cmp(&rows[b.0][b.1].abs()));
        let Some((r, c)) = best.filter(|(r, c)| rows[*r][*c].abs() > RANK) else { break };
        let pivot = rows[r][c];
        rows[r].iter_mut().for_each(|v| *v /= pivot);
        let row = rows[r].clone();
        for (_, other) in rows.iter_mut().enumerate().filter(|(k, _)| *k != r) {
            let factor = other[c];
            other.iter_mut().zip(&row).for_each(|(v, p)| *v -= factor * p);
        }
        pivots.push((r, c));
    }
    let free = (0..n).filter(|c| pivots.iter().all(|p| p.1 != *c));
    free.map(|f| {
        let mut v = vec![0.0; n];
        v[f] = 1.0;
        pivots.iter().for_each(|(r, c)| v[*c] = -rows[*r][f]);
        v
    })
    .collect()
}

/// A row of length one; a row of zeros as it is.
fn scaled_row(row: &[f64]) -> Vec<f64> {
    let length = dot(row, row).sqrt();
    row.iter().map(|v| if length > 0.0 { v / length } else { 0.0 }).collect()
}
