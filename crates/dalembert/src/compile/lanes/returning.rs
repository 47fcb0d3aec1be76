//! The way back to constraints and invariants as a program.
//!
//! ```text
//! delta(r) = M^-1 A^T (A M^-1 A^T)^-1 r                   takes a residual r away, shortest in the metric of M
//! x <- x - X delta(f) - g^T (g g^T)^-1 (I - I_0),   eta <- eta - delta(psi)        I: invariants of K1, g = dI/dx
//! ```
//!
//! All three at one state, so speeds settle after positions, and positions after invariants; what is left is seen in the
//! next round (see [`Keep`](dalembert_run::ensemble::Keep)). Rows of positions come first: their part of the factor is that of positions by themselves.
//!
//! Of a redundant set some independent rows are solved. The others follow from them on the constraints, as long as the rank
//! of all does not exceed theirs: their residuals are measured with the rest, and a run that does not keep them is given
//! back, so that rows which contradict each other are found out.

use super::super::Inputs;
use super::super::unrolled_solve::{
    MASS_PIVOT, MAX_OPERATIONS, Term, Unrolled, columns, reordered, row_pivot, sparse_order,
};
use crate::kernel_form::{KernelForm, Places};
use crate::system::System;
use dalembert_expr::{Expr, Pool};
use dalembert_run::Level;
use dalembert_tape::{Builder, Hoisted, Op, Value};

/// X delta(f) and delta(psi), with the pivots and the diagonal of A M^-1 A^T.
struct Displacements {
    dx: Vec<Term>,
    deta: Vec<Term>,
    pivots: Vec<Term>,
    diagonal: Vec<Term>,
}

/// Rows of a redundant set that are measured only.
#[derive(Default)]
struct Others {
    A: Vec<Vec<Term>>,
    f: Vec<Term>,
    psi: Vec<Term>,
}

/// The way back, being written.
pub(super) struct Returning {
    unrolled: Unrolled,
    inputs: Inputs,
    /// M by lower rows, A and X written out, and X only where x' is not eta.
    M: Vec<Vec<Term>>,
    A: Vec<Vec<Term>>,
    X: Option<Vec<Vec<Term>>>,
    /// f of the first rows, psi of the first rows.
    f: Vec<Term>,
    psi: Vec<Term>,
    /// The rows that follow from these: A, f where they have one, psi.
    others: Others,
    /// I and g.
    invariants: Vec<Term>,
    gradients: Vec<Vec<Term>>,
    n_x: usize,
}

impl Returning {
    pub fn new(system: &mut System, form: &KernelForm, rows: &[usize], levels: &[Level]) -> Self {
        let (n_x, n) = (form.coordinates.len(), form.speeds.len());
        let inputs = Inputs::of(system, form);
        let mut tape = Builder::new(inputs.state.len() + form.invariants.len());
        let places = Places::new(&form.coordinates);
        let pool = &mut system.pool;
        let gradients: Vec<Vec<(usize, Expr)>> =
            form.invariants.iter().map(|e| places.gradient(pool, *e)).collect();
        let mut lower = |list: &[Expr]| -> Vec<Term> {
            let values = pool.lower_into(&mut tape, &inputs.state, list);
            list.iter().zip(values).map(|(e, v)| (*e != Pool::ZERO).then_some(v)).collect()
        };
        let mut sparse = |row: &[(usize, Expr)], width: usize| -> Vec<Term> {
            let mut out = vec![None; width];
            let values = lower(&row.iter().map(|(_, e)| *e).collect::<Vec<Expr>>());
            row.iter().zip(values).for_each(|((k, _), v)| out[*k] = v);
            out
        };
        let dropped: Vec<usize> = (0..levels.len()).filter(|r| !rows.contains(r)).collect();
        let mut matrix = |rows: &[usize]| -> Vec<Vec<Term>> {
            rows.iter().map(|r| sparse(&form.constraint_matrix[*r], n)).collect()
        };
        let (A, other_rows) = (matrix(rows), matrix(&dropped));
        let gradients = gradients.iter().map(|row| sparse(row, n_x)).collect();
        let entry = |i: usize, j: usize| form.mass_matrix.get(i, j);
        let M = (0..n).map(|i| lower(&(0..=i).map(|j| entry(i, j)).collect::<Vec<Expr>>())).collect();
        let X = form.frame.as_ref().map(|X| X.iter().map(|row| lower(row)).collect());
        let f: Vec<Expr> = rows.iter().map_while(|r| form.position_residuals[*r]).collect();
        let projected = rows.iter().filter(|r| levels[**r] != Level::Acceleration);
        let psi: Vec<Expr> = projected.map(|r| form.velocity_residuals[*r]).collect();
        let zero = Pool::ZERO; // a row without positions has none to be off
        let other_f: Vec<Expr> =
            dropped.iter().map(|r| form.position_residuals[*r].unwrap_or(zero)).collect();
        let other_psi: Vec<Expr> = dropped.iter().map(|r| form.velocity_residuals[*r]).collect();
        let others = Others { A: other_rows, f: lower(&other_f), psi: lower(&other_psi) };
        let (f, psi, invariants) = (lower(&f), lower(&psi), lower(&form.invariants));
        let unrolled = Unrolled { tape, trusted: None, row_pivot: row_pivot(form, rows) };
        Self { unrolled, inputs, M, A, X, f, psi, others, invariants, gradients, n_x }
    }

    /// The program; `None` if it is too long.
    pub fn program(mut self) -> Option<Hoisted> {
        let (n_x, n) = (self.n_x, self.M.len());
        let input = |tape: &Builder, k: usize| Some(tape.input(k));
        let tape = &self.unrolled.tape;
        let x: Vec<Term> = (1..=n_x).map(|k| input(tape, k)).collect();
        let eta: Vec<Term> = (1 + n_x..=n_x + n).map(|k| input(tape, k)).collect();
        let held: Vec<Term> =
            (0..self.invariants.len()).map(|k| input(tape, self.inputs.state.len() + k)).collect();

        let Displacements { dx, deta, pivots, diagonal } = self.displacements();
        let mut off = self.invariants.clone();
        off.iter_mut().zip(held).for_each(|(off, held)| *off = self.unrolled.less(*off, held));
        let turned = self.along_gradients(off.clone());

        let mut residuals = self.scaled(&self.f.clone(), &self.A.clone(), &x);
        residuals.extend(self.scaled(&self.psi.clone(), &self.A.clone(), &eta));
        residuals.extend(self.scaled(&off, &self.gradients.clone(), &x));
        let Others { A, f, psi } = std::mem::take(&mut self.others);
        residuals.extend(self.scaled(&f, &A, &x));
        residuals.extend(self.scaled(&psi, &A, &eta));
        let largest = self.largest(residuals);

        let u = &mut self.unrolled;
        let mut out: Vec<Term> = Vec::new();
        for (k, x) in x.iter().enumerate() {
            let moved = u.less(*x, dx[k]);
            out.push(u.less(moved, turned[k]));
        }
        for (eta, change) in eta.iter().zip(deta) {
            out.push(u.less(*eta, change));
        }
        let sound = u.trusted.unwrap_or_else(|| u.tape.constant(1.0));
        out.extend([Some(largest), Some(sound)]);
        out.extend(pivots.into_iter().chain(diagonal));
        let zero = u.tape.constant(0.0);
        let outputs: Vec<Value> = out.into_iter().map(|v| v.unwrap_or(zero)).collect();
        let program = self.unrolled.tape.finish(&outputs);
        if program.counts().total() > MAX_OPERATIONS {
            return None;
        }
        let Hoisted { once, each } = program.hoist(1 + n_x + n);
        Some(Hoisted { once, each: each.fused() })
    }

    fn displacements(&mut self) -> Displacements {
        let (n, u) = (self.M.len(), &mut self.unrolled);
        let order = sparse_order(&self.M);
        let mass = u.factor(&reordered(&self.M, &order), MASS_PIVOT);
        let saddle = u.saddle(mass, &columns(&self.A, &order));
        let mut response = |right: &[Term]| {
            let made = u.respond(&saddle, vec![None; n], right.to_vec()).0;
            let mut out = vec![None; n];
            order.iter().zip(made).for_each(|(p, v)| out[*p] = v);
            out
        };
        let (positions, speeds) = (response(&self.f), response(&self.psi));
        let dx = match &self.X {
            None => positions,
            Some(X) => X.iter().map(|row| u.dot(row, &positions)).collect(),
        };
        Displacements { dx, deta: speeds, pivots: saddle.rows.pivot, diagonal: saddle.diagonal }
    }

    /// g^T (g g^T)^-1 off.
    fn along_gradients(&mut self, off: Vec<Term>) -> Vec<Term> {
        let u = &mut self.unrolled;
        let one = u.tape.constant(1.0);
        let identity: Vec<Vec<Term>> =
            (0..self.n_x).map(|i| (0..=i).map(|j| (i == j).then_some(one)).collect()).collect();
        let mass = u.factor(&identity, MASS_PIVOT);
        let saddle = u.saddle(mass, &self.gradients);
        u.respond(&saddle, vec![None; self.n_x], off).0
    }

    /// |r_i| / (|row_i| (1 + max |state|)), as projection judges residuals.
    fn scaled(&mut self, residuals: &[Term], rows: &[Vec<Term>], state: &[Term]) -> Vec<Term> {
        let size = self.largest(state.to_vec());
        let tape = &mut self.unrolled.tape;
        let one = tape.constant(1.0);
        let size = tape.push(Op::Add, &[one, size]);
        let mut out = Vec::with_capacity(residuals.len());
        for (r, row) in residuals.iter().zip(rows) {
            let square = self.unrolled.dot(row, row);
            let tape = &mut self.unrolled.tape;
            let square = square.unwrap_or_else(|| tape.constant(0.0));
            let length = tape.push(Op::Sqrt, &[square]);
            let whole = tape.push(Op::Mul, &[length, size]);
            out.push(r.map(|r| tape.push(Op::Div, &[r, whole])));
        }
        out
    }

    fn largest(&mut self, parts: Vec<Term>) -> Value {
        let tape = &mut self.unrolled.tape;
        let mut largest = tape.constant(0.0);
        for part in parts.into_iter().flatten() {
            let size = tape.push(Op::Abs, &[part]);
            largest = tape.push(Op::Max, &[largest, size]);
        }
        largest
    }
}
