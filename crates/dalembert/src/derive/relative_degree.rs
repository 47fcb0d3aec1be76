//! C3: requirements whose second derivative the inputs do not reach, differentiated along the motion until they do.
//!
//! ```text
//! eta' = a + R u,   a = M^-1 (Q + A^T lambda),   R = P S        in symbols
//! dF/deta R = 0:    F' = dF/deta a + D F is a function of the state again, and is differentiated in its turn
//! otherwise         the row dF/deta eta' = -(D F + k_{r-1} h^(r-1) + ... + k_0 h) of C1, r derivatives behind h
//! ```
//!
//! Several requirements that share too few inputs in this way (the load of a crane: both coordinates contain the pull of the
//! rope, none the force on the trolley) are combined first: with w^T A_c R = 0 what is left of w^T (A_c eta' - b_c) is a function of the
//! state that must vanish as well, and is differentiated as above. This is the structure algorithm of Hirschorn and Singh. Pivots are
//! chosen near the start. Whether an expression vanishes is judged at points near the start, relative to its own terms.
//! Holds for small models without friction and non-ideal forces, with independent constraints. Checked by
//! `tests/it/relative_degree.rs`: an elastic joint against its closed form, a crane whose load follows a path.

use super::{acceleration_symbols, places, row_on_accelerations};
use crate::kernel_form::{KernelForm, Places};
use crate::system::{InitialTarget, RequirementRow, System};
use dalembert_expr::{Derivation, Expr, Pool, Rational, Symbol};
use dalembert_linalg::Rng;
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use std::collections::HashMap;

/// Speeds and constraint rows of a model whose accelerations are written in symbols.
const MOST_SPEEDS: usize = 12;
/// Derivatives of a requirement at most.
const MOST_DERIVATIVES: usize = 8;
/// Points at which expressions are judged.
const POINTS: usize = 4;
/// Relative size below which a number is zero.
const SMALL: f64 = 1e-10;

/// C2 of a row whose inputs are `order` derivatives away; `None` where nothing says how its error decays.
pub(super) fn law_of(
    pool: &mut Pool,
    row: &RequirementRow,
    order: usize,
    whole: usize,
) -> Result<Option<Vec<Expr>>, Box<Diagnostic>> {
    if row.decay.is_empty() {
        return Ok(None);
    }
    if let Some(law) = row.law(pool, order) {
        return Ok(Some(law));
    }
    let (name, count) = (&row.name, row.decay.len());
    let (message, help) = match (row.holonomic, order == whole) {
        (false, true) if order == 1 => (
            format!("`{name}` contains rates: its error decays by one coefficient"),
            "write `decay k0` for psi' + k0 psi = 0; `decay k1, k0` is for requirements on positions"
                .to_owned(),
        ),
        (_, true) => {
            let mut fits = vec!["1".to_owned()];
            if row.holonomic && order.is_multiple_of(2) && order > 2 {
                fits.push("2".to_owned());
            }
            fits.push(order.to_string());
            let message = format!(
                "`{name}` reaches the inputs with its derivative of order {order}: its error decays by {} coefficients, not {count}",
                fits.join(" or ")
            );
            (message, "write one coefficient, or that of every derivative, highest first; where requirements share an input (the load of a crane), one or two hold for what is left as well".to_owned())
        }
        (_, false) => (
            format!(
                "`{name}` shares its inputs with other requirements, and what is left of it decays by {order} derivatives more"
            ),
            match row.holonomic && order.is_multiple_of(2) {
                true => {
                    "write `decay k0` or `decay k1, k0`, which then hold for every two derivatives".to_owned()
                }
                false => "write `decay k0`".to_owned(),
            },
        ),
    };
    Err(Box::new(Diagnostic::error(Code::NotApplicable, row.span, message).help(help)))
}

/// Why requirements are not differentiated further.
enum Stop {
    /// They stay as they are, which a run may find out of reach.
    Stays(String),
    /// The model is wrong.
    Wrong(Box<Diagnostic>),
}

impl From<Box<Diagnostic>> for Stop {
    fn from(d: Box<Diagnostic>) -> Self {
        Stop::Wrong(d)
    }
}

/// A row A_c eta' + rest = 0, and what must vanish besides the requirement.
#[derive(Clone)]
struct Row {
    A: Vec<Expr>,
    rest: Expr,
    further: Vec<Expr>,
}

/// Replaces the rows of requirements that the inputs do not reach. `false` if there is nothing to do, or it cannot be done.
pub(super) fn differentiate(
    system: &mut System,
    form: &mut KernelForm,
    dot: &mut Derivation,
) -> Result<bool, Box<Diagnostic>> {
    let found = match refusal(system, form) {
        Some(reason) => Err(Stop::Stays(reason)),
        None => Work::new(system, form, dot).and_then(|mut work| work.rows()),
    };
    match found {
        Ok(None) => Ok(false),
        Ok(Some(rows)) => {
            for row in rows {
                let entries = row.A.into_iter().enumerate().filter(|(_, e)| *e != Pool::ZERO);
                form.requirement_matrix.push(entries.collect());
                form.requirement_right.push(system.pool.neg(row.rest));
                form.requirement_rates.push(row.further);
            }
            Ok(true)
        }
        Err(Stop::Stays(reason)) => {
            form.not_differentiated = Some(reason);
            Ok(false)
        }
        Err(Stop::Wrong(d)) => Err(d),
    }
}

/// What is not written in symbols.
fn refusal(system: &System, form: &KernelForm) -> Option<String> {
    let n = form.speeds.len();
    let reason = if form.is_deferred || system.bodies.is_some() {
        "the accelerations of bodies with joints are not written in symbols".to_owned()
    } else if n > MOST_SPEEDS || form.constraint_matrix.len() > MOST_SPEEDS {
        format!("the model has more than {MOST_SPEEDS} speeds or constraint rows")
    } else if !system.contacts.is_empty() || system.constraints.nonideal.is_some() {
        "friction and non-ideal work leave no closed form of the accelerations".to_owned()
    } else {
        return None;
    };
    Some(reason)
}

struct Work<'a> {
    pool: &'a mut Pool,
    form: &'a KernelForm,
    dot: &'a mut Derivation,
    requirements: &'a [RequirementRow],
    accelerations: Vec<Symbol>,
    signals: Vec<Symbol>,
    points: Vec<HashMap<Symbol, f64>>,
    /// Accelerations without inputs, by all forces of one, and by the inputs.
    a: Vec<Expr>,
    P: Vec<Vec<Expr>>,
    R: Vec<Vec<Expr>>,
    place: Places,
}

impl<'a> Work<'a> {
    fn new(system: &'a mut System, form: &'a KernelForm, dot: &'a mut Derivation) -> Result<Self, Stop> {
        let points = (0..POINTS).map(|k| point(system, form, k)).collect();
        let accelerations = acceleration_symbols(system);
        let signals = system.parameters.iter().filter(|p| p.is_input).map(|p| p.symbol).collect();
        let mut work = Work {
            pool: &mut system.pool,
            form,
            dot,
            requirements: &system.control.rows,
            accelerations,
            signals,
            points,
            a: Vec::new(),
            P: Vec::new(),
            R: Vec::new(),
            place: places(form),
        };
        work.solve()?;
        Ok(work)
    }

    /// a and R, by elimination: first M, then A M^-1 A^T.
    fn solve(&mut self) -> Result<(), Stop> {
        let (n, m) = (self.form.speeds.len(), self.form.constraint_matrix.len());
        let unit = |p: usize| (0..n).map(|q| if p == q { Pool::ONE } else { Pool::ZERO }).collect();
        let mut right: Vec<Vec<Expr>> = (0..n).map(unit).collect();
        right.push(self.form.force.clone());
        let rows: Vec<Vec<Expr>> = self.form.constraint_matrix.iter().map(|row| dense(row, n)).collect();
        right.extend(rows.iter().cloned());
        let mass = self.form.mass_matrix.written_out();
        let singular = "the mass matrix has no inverse";
        let mut solved = self.eliminate(mass, right).ok_or_else(|| Stop::Stays(singular.to_owned()))?;
        let back = solved.split_off(n + 1);
        if m > 0 {
            let square: Vec<Vec<Expr>> = rows
                .iter()
                .map(|row| back.iter().map(|column| self.product(row, column)).collect())
                .collect();
            let mut short = Vec::new();
            for (j, column) in solved.iter().enumerate() {
                let given = |i: usize| if j == n { self.form.constraint_right[i] } else { Pool::ZERO };
                let list = rows.iter().enumerate().map(|(i, row)| {
                    let done = product(self.pool, row, column);
                    self.pool.sub(given(i), done)
                });
                short.push(list.collect::<Vec<Expr>>());
            }
            let dependent = "constraints depend on each other";
            let lambda = self.eliminate(square, short).ok_or_else(|| Stop::Stays(dependent.to_owned()))?;
            for (column, lambda) in solved.iter_mut().zip(&lambda) {
                for p in 0..n {
                    let by: Vec<Expr> = back.iter().map(|b| b[p]).collect();
                    let pulled = self.product(&by, lambda);
                    column[p] = self.pool.add(column[p], pulled);
                }
            }
        }
        self.a = solved.pop().unwrap_or_default();
        self.P = solved;
        let inputs = &self.form.inputs;
        self.R = Vec::new();
        for column in inputs {
            let by_speed = (0..n).map(|q| {
                let row: Vec<Expr> = self.P.iter().map(|P_p| P_p[q]).collect();
                product(self.pool, &row, column)
            });
            self.R.push(by_speed.collect());
        }
        Ok(())
    }

    /// Solves symmetric equations for several right sides, without exchanges; `None` if a pivot vanishes.
    fn eliminate(&mut self, mut matrix: Vec<Vec<Expr>>, mut right: Vec<Vec<Expr>>) -> Option<Vec<Vec<Expr>>> {
        let n = matrix.len();
        for k in 0..n {
            if self.vanishes(&[matrix[k][k]]) {
                return None;
            }
            for i in k + 1..n {
                if matrix[i][k] == Pool::ZERO {
                    continue;
                }
                let factor = self.pool.div(matrix[i][k], matrix[k][k]);
                for j in k..n {
                    let part = self.pool.mul(factor, matrix[k][j]);
                    matrix[i][j] = self.pool.sub(matrix[i][j], part);
                }
                for column in &mut right {
                    let part = self.pool.mul(factor, column[k]);
                    column[i] = self.pool.sub(column[i], part);
                }
            }
        }
        for column in &mut right {
            for k in (0..n).rev() {
                let known = product(self.pool, &matrix[k][k + 1..], &column[k + 1..]);
                let left = self.pool.sub(column[k], known);
                column[k] = self.pool.div(left, matrix[k][k]);
            }
        }
        Some(right)
    }

    fn product(&mut self, a: &[Expr], b: &[Expr]) -> Expr {
        product(self.pool, a, b)
    }

    /// Values and sizes at a point.
    fn values(&mut self, list: &[Expr], k: usize) -> Vec<(f64, f64)> {
        let point = &self.points[k];
        self.pool.evaluate_with_sizes(list, |s| point.get(&s).copied().unwrap_or(0.7))
    }

    /// Whether all of these vanish wherever they are looked at.
    fn vanishes(&mut self, list: &[Expr]) -> bool {
        if list.iter().all(|e| *e == Pool::ZERO) {
            return true;
        }
        (0..POINTS)
            .all(|k| self.values(list, k).iter().all(|(v, size)| v.abs() <= SMALL * size || v.is_nan()))
    }

    /// All requirements, differentiated; `None` where the inputs reach them as they are.
    fn rows(&mut self) -> Result<Option<Vec<Row>>, Stop> {
        let requirements = self.requirements;
        let mut plain = Vec::new();
        for row in requirements {
            let psi = match (row.on_accelerations, row.holonomic) {
                (true, _) => {
                    let (entries, _) = row_on_accelerations(self.pool, &self.accelerations, row.residual);
                    plain.push(dense(&entries, self.a.len()));
                    continue;
                }
                (_, true) => self.dot.apply(self.pool, row.residual),
                _ => row.residual,
            };
            let gradient = self.gradient(psi);
            plain.push(gradient);
        }
        let reached = self.pivots(&plain, true).0.len();
        let possible = self.pivots(&plain, false).0.len();
        if reached == possible {
            return Ok(None);
        }
        if possible > self.R.len() {
            let message =
                format!("{possible} requirements that do not follow from each other take as many inputs");
            return Err(Stop::Stays(message));
        }
        let mut rows = Vec::new();
        for (i, row) in requirements.iter().enumerate() {
            rows.push(match row.on_accelerations {
                true => {
                    let (_, right) = row_on_accelerations(self.pool, &self.accelerations, row.residual);
                    Row { A: plain[i].clone(), rest: self.pool.neg(right), further: Vec::new() }
                }
                false => self.follow(row, row.residual, true)?,
            });
        }
        self.combine(&mut rows)?;
        Ok(Some(rows))
    }

    fn gradient(&mut self, F: Expr) -> Vec<Expr> {
        let entries = self.place.gradient(self.pool, F);
        dense(&entries, self.a.len())
    }

    /// Differentiates a function of the state until the inputs appear.
    fn follow(&mut self, row: &RequirementRow, F: Expr, is_whole: bool) -> Result<Row, Stop> {
        let mut chain = vec![F];
        loop {
            let F = chain[chain.len() - 1];
            if self.pool.depends_on(F, &self.signals) {
                let message =
                    format!("the rate of an `input` in a derivative of `{}` is not known", row.name);
                return Err(Stop::Stays(message));
            }
            let A = self.gradient(F);
            let drift = self.dot.apply(self.pool, F);
            let R = self.R.clone();
            let reach: Vec<Expr> = R.iter().map(|column| self.product(&A, column)).collect();
            if !self.vanishes(&reach) {
                let whole = if is_whole { chain.len() } else { 0 };
                let law = law_of(self.pool, row, chain.len(), whole)?.unwrap_or_default();
                let errors = chain.iter().rev().zip(&law);
                let drawn: Vec<Expr> = errors.map(|(F, k)| self.pool.mul(*F, *k)).collect();
                let rest = self.pool.total([drift].into_iter().chain(drawn));
                if is_whole {
                    chain.remove(0);
                }
                return Ok(Row { A, rest, further: chain });
            }
            let a = self.a.clone();
            let along = self.product(&A, &a);
            let next = self.pool.add(along, drift);
            if chain.len() == MOST_DERIVATIVES || self.vanishes(&[next]) || self.pool.exhausted() {
                let message = format!("no derivative of `{}` contains an input", row.name);
                return Err(Stop::Stays(message));
            }
            chain.push(next);
        }
    }

    /// Combines rows that share inputs, and differentiates what is left, until the inputs reach all of them.
    fn combine(&mut self, rows: &mut [Row]) -> Result<(), Stop> {
        for _ in 0..MOST_DERIVATIVES {
            let matrix: Vec<Vec<Expr>> = rows.iter().map(|row| row.A.clone()).collect();
            let (pivots, reach) = self.pivots(&matrix, true);
            let open: Vec<usize> = (0..rows.len())
                .filter(|i| pivots.iter().all(|p| p.0 != *i) && rows[*i].A.iter().any(|e| *e != Pool::ZERO))
                .collect();
            if open.is_empty() {
                return Ok(());
            }
            for i in open {
                rows[i] = self.left_over(i, rows, &pivots, reach.clone())?;
            }
        }
        Err(Stop::Stays("the inputs do not appear in combinations of the requirements".to_owned()))
    }

    /// What is left of a row when the inputs are eliminated by those before it, differentiated.
    fn left_over(
        &mut self,
        i: usize,
        rows: &[Row],
        pivots: &[(usize, usize)],
        mut reach: Vec<Vec<Expr>>,
    ) -> Result<Row, Stop> {
        let mut all: Vec<Row> = rows.to_vec();
        for (done, (p, j)) in pivots.iter().enumerate() {
            let others = pivots[done + 1..].iter().map(|pivot| pivot.0).chain([i]);
            for r in others.collect::<Vec<usize>>() {
                let (keep, take) = (reach[*p][*j], reach[r][*j]);
                if take == Pool::ZERO {
                    continue;
                }
                let mut mix = |own: Expr, other: Expr| {
                    let (own, other) = (self.pool.mul(keep, own), self.pool.mul(take, other));
                    self.pool.sub(own, other)
                };
                let pairs = reach[r].clone().into_iter().zip(reach[*p].clone());
                reach[r] = pairs.map(|(own, other)| mix(own, other)).collect();
                let pairs = all[r].A.clone().into_iter().zip(all[*p].A.clone());
                all[r].A = pairs.map(|(own, other)| mix(own, other)).collect();
                all[r].rest = mix(all[r].rest, all[*p].rest);
            }
        }
        let a = self.a.clone();
        let along = self.product(&all[i].A, &a);
        let left = self.pool.add(along, all[i].rest);
        if self.vanishes(&[left]) {
            // It follows from the others.
            let zeros = vec![Pool::ZERO; a.len()];
            return Ok(Row { A: zeros, rest: Pool::ZERO, further: rows[i].further.clone() });
        }
        let requirements = self.requirements;
        let mut row = self.follow(&requirements[i], left, false)?;
        let before = rows[i].further.iter().copied();
        row.further = before.chain(row.further).collect();
        Ok(row)
    }

    /// Rows and columns that determine each other best near the start, of what the inputs (or all forces) make of rows, which
    /// is given in symbols too.
    fn pivots(&mut self, rows: &[Vec<Expr>], by_inputs: bool) -> (Vec<(usize, usize)>, Vec<Vec<Expr>>) {
        let columns = if by_inputs { self.R.clone() } else { self.P.clone() };
        let (mut all, mut reach) = (Vec::new(), Vec::new());
        for row in rows {
            all.push(self.P.clone().iter().map(|column| self.product(row, column)).collect::<Vec<Expr>>());
            reach.push(columns.iter().map(|column| self.product(row, column)).collect::<Vec<Expr>>());
        }
        let mut best = Vec::new();
        for k in 0..POINTS {
            let mut values = Vec::new();
            for (row, all) in reach.iter().zip(&all) {
                // Rows in the measure of what all forces do to them.
                let size = self.values(all, k).iter().fold(0.0f64, |m, v| m.max(v.0.abs()));
                let own = self.values(row, k);
                let entry = |(v, rounding): &(f64, f64)| match v.abs() > SMALL * rounding && size > 0.0 {
                    true => v / size,
                    false => 0.0,
                };
                values.push(own.iter().map(entry).collect::<Vec<f64>>());
            }
            let found = full_pivots(values);
            if found.len() > best.len() {
                best = found;
            }
        }
        (best, reach)
    }
}

/// Gaussian elimination with the largest entry as pivot: the places of the pivots.
fn full_pivots(mut rows: Vec<Vec<f64>>) -> Vec<(usize, usize)> {
    let mut pivots: Vec<(usize, usize)> = Vec::new();
    let columns = rows.first().map_or(0, Vec::len);
    while pivots.len() < rows.len().min(columns) {
        let free = (0..rows.len()).filter(|i| pivots.iter().all(|p| p.0 != *i));
        let places = free.flat_map(|i| (0..columns).map(move |j| (i, j)));
        let largest = places.max_by(|a, b| rows[a.0][a.1].abs().total_cmp(&rows[b.0][b.1].abs()));
        let Some((i, j)) = largest.filter(|(i, j)| rows[*i][*j].abs() > 1e-8) else { break };
        let (pivot, source) = (rows[i][j], rows[i].clone());
        for (r, row) in rows.iter_mut().enumerate() {
            if r != i && pivots.iter().all(|p| p.0 != r) {
                let factor = row[j] / pivot;
                row.iter_mut().zip(&source).for_each(|(v, s)| *v -= factor * s);
            }
        }
        pivots.push((i, j));
    }
    pivots
}

fn product(pool: &mut Pool, a: &[Expr], b: &[Expr]) -> Expr {
    let parts: Vec<(Expr, Rational)> = a
        .iter()
        .zip(b)
        .filter(|(a, b)| **a != Pool::ZERO && **b != Pool::ZERO)
        .map(|(a, b)| (pool.mul(*a, *b), Rational::ONE))
        .collect();
    pool.combine(parts)
}

fn dense(entries: &[(usize, Expr)], n: usize) -> Vec<Expr> {
    let mut row = vec![Pool::ZERO; n];
    entries.iter().for_each(|(p, e)| row[*p] = *e);
    row
}

/// A point beside the start as the model writes it; the first one is nearest.
fn point(system: &mut System, form: &KernelForm, k: usize) -> HashMap<Symbol, f64> {
    let mut values: HashMap<Symbol, f64> = HashMap::new();
    for i in 0..system.parameters.len() {
        let (symbol, value) = (system.parameters[i].symbol, system.parameters[i].value);
        let value = system.pool.evaluate(value, |s| values.get(&s).copied().unwrap_or(1.0));
        values.insert(symbol, value);
    }
    let mut rng = Rng::new(0x5eed + k as u64);
    let wide = if k == 0 { 1e-2 } else { 0.2 * k as f64 };
    let mut beside = |start: f64| start + wide * (1.0 + start.abs()) * (2.0 * rng.uniform() - 1.0);
    let (mut x, mut eta) = (vec![0.0; form.coordinates.len()], vec![0.0; form.speeds.len()]);
    for initial in system.experiment.initial.clone() {
        let value = system.pool.evaluate(initial.value, |s| values.get(&s).copied().unwrap_or(1.0));
        match initial.target {
            InitialTarget::Coordinate(i) => x[i] = value,
            InitialTarget::Speed(p) => eta[p] = value,
            InitialTarget::Rate(_) => {}
        }
    }
    let state = form.coordinates.iter().zip(x).chain(form.speeds.iter().zip(eta));
    let state: Vec<(Symbol, f64)> = state.map(|(s, v)| (*s, beside(v))).collect();
    values.extend(state);
    let t = beside(0.0);
    values.insert(form.time, t);
    values
}
