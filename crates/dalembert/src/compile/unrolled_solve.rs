//! The whole acceleration as one straight-line program: M, Q, A, b and the solve of U1, unrolled, zeros left out.
//!
//! ```text
//! M = L D L^T,  y = L^-1 Q,  G = L^-1 A^T,  S = G^T D^-1 G = A M^-1 A^T,  S lambda = b - G^T D^-1 y
//! eta' = L^-T D^-1 (y + G lambda)                                                            (U1, rows independent)
//! ```
//!
//! Beside x' and eta' it gives what the caller needs to trust them: whether every pivot of M and of S stands well clear
//! of zero against its diagonal entry and constraints do not cancel nearly all of the free acceleration a = M^-1 Q (K2),
//! and the pivots and diagonal of S, which are the squares of the sines and lengths that [`Factor`](dalembert_run)
//! judges rank by. Where it does not hold, the rank-revealing road is taken.
//!
//! Non-ideal work (U3) and requirements (C1) are added on top of it: `unrolled_laws`. Friction has modes, and goes by the
//! general road. Cost O(operations of the unrolled factorisation), bounded by [`MAX_OPERATIONS`].

use super::Inputs;
use crate::kernel_form::KernelForm;
use crate::system::System;
use dalembert_expr::{Expr, Pool, Symbol};
use dalembert_tape::{Builder, Counts, Hoisted, Op, Program, Value};

/// Longer programs are no faster than loops over dense matrices.
pub(super) const MAX_OPERATIONS: usize = 12_000;
/// Entries of this length together, written out, are looked at again for shorter forms.
const MAX_SHORTENED: u64 = 3000;
/// Of systems whose matrices are mostly zeros: loops through indices take several times as long as straight-line code.
pub(super) const MAX_SPARSE: usize = 100_000;
/// Operations of a recursion over bodies: they grow as the tree does.
pub(super) const MAX_RECURSIVE: usize = 600_000;
/// Least pivot of M, relative to its diagonal entry.
pub(super) const MASS_PIVOT: f64 = 1e-9;
/// Least pivot of S, relative to its diagonal entry: the square of the sine of the angle between a row and the earlier
/// ones (`GRAM_SAFE` of the general road).
const ROW_PIVOT: f64 = 1e-4;
/// Smallest accepted pivot where some rows represent a redundant set: other rows may be better at times, but changing them costs more
/// than the digits lost, which projection restores.
const CHOSEN_ROW_PIVOT: f64 = 1e-6;

/// How many times larger than eta' the free acceleration may be: constraints cancel the rest, and as many digits with it.
/// (A light body that is tied to a heavy one.) The general road finds them again by refinement.
const CANCELLED: f64 = 1e4;

/// Least pivot of S with these rows.
pub(super) fn row_pivot(form: &KernelForm, rows: &[usize]) -> f64 {
    let all = rows.len() == form.constraint_matrix.len();
    if all { ROW_PIVOT } else { CHOSEN_ROW_PIVOT }
}

/// For what the program is made.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// The rows solved for.
    pub rows: &'a [usize],
    /// Values of the parameters, where they are folded into it.
    pub fixed: Option<&'a [f64]>,
    /// Multipliers and ideal forces (U2) too, behind the results of the layout.
    pub forces: bool,
}

impl<'a> Wanted<'a> {
    /// Accelerations alone.
    pub fn accelerations(rows: &'a [usize], fixed: Option<&'a [f64]>) -> Self {
        Wanted { rows, fixed, forces: false }
    }
}

/// Where the results stand among the outputs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub n_x: usize,
    pub n: usize,
    pub m: usize,
}

impl Layout {
    /// x', eta', pivots of S, diagonal of S, whether to trust it.
    pub fn len(&self) -> usize {
        self.n_x + self.n + 2 * self.m + 1
    }
}

/// The program, split into what depends on parameters alone and the rest.
#[derive(Clone, Debug)]
pub(crate) struct UnrolledSolve {
    pub layout: Layout,
    /// Operations of the program as it was derived, before anything was done about them.
    pub derived: Counts,
    pub hoisted: Hoisted,
}

impl UnrolledSolve {
    /// From M, Q, A, b in symbols.
    pub(super) fn from_symbols(system: &mut System, form: &KernelForm, wanted: Wanted<'_>) -> Option<Self> {
        let raw = entries(form, wanted.rows);
        let mut best = unroll(system, form, wanted, &raw)?;
        let derived = best.derived;
        // Worth a second look where reading the entries is cheap: fewer operations on what varies.
        let size = raw.iter().fold(0u64, |sum, e| sum.saturating_add(system.pool.cost(*e)));
        if size <= MAX_SHORTENED {
            let varying: Vec<Symbol> =
                [form.time].iter().chain(&form.coordinates).chain(&form.speeds).copied().collect();
            let short: Vec<Expr> = raw.iter().map(|e| system.pool.shorten(*e, &varying)).collect();
            let short = system.pool.split_angles(&short);
            if let Some(other) = unroll(system, form, wanted, &short)
                && other.hoisted.each.counts().work() < best.hoisted.each.counts().work()
            {
                best = UnrolledSolve { derived, ..other };
            }
        }
        Some(best)
    }
}

/// The whole acceleration as it was derived, before anything is done about its operations.
pub(super) struct Candidate {
    program: Program,
    pub derived: Counts,
    layout: Layout,
}

impl Candidate {
    /// From a tape with its outputs in the order of the layout; `None` if it is too long.
    pub(crate) fn of_tape(
        tape: Builder,
        outputs: &[Value],
        layout: Layout,
        most: usize,
    ) -> Option<Candidate> {
        let program = tape.finish(outputs);
        let derived = program.counts();
        (derived.total() <= most).then_some(Candidate { program, derived, layout })
    }

    /// Split into what depends on parameters alone and the rest; parameters that are `fixed` are folded into it.
    pub fn hoisted(self, fixed: Option<&[f64]>) -> UnrolledSolve {
        let Candidate { program, derived, layout } = self;
        let varying = 1 + layout.n_x + layout.n;
        let program = match fixed {
            Some(values) => program.folded(varying, values),
            None => program,
        };
        let Hoisted { once, each } = program.hoist(varying);
        UnrolledSolve { layout, derived, hoisted: Hoisted { once, each: each.fused() } }
    }
}

/// x', the lower rows of M, Q, the entries of A, b.
fn entries(form: &KernelForm, rows: &[usize]) -> Vec<Expr> {
    let mut list: Vec<Expr> = form.x_dot.clone();
    let lower = |i: usize| (0..=i).map(move |j| form.mass_matrix.get(i, j));
    list.extend((0..form.speeds.len()).flat_map(lower));
    list.extend(&form.force);
    list.extend(rows.iter().flat_map(|r| &form.constraint_matrix[*r]).map(|(_, e)| *e));
    list.extend(rows.iter().map(|r| form.constraint_right[*r]));
    list
}

/// The program for entries in that order; `None` if it is too long.
fn unroll(
    system: &mut System,
    form: &KernelForm,
    wanted: Wanted<'_>,
    entries: &[Expr],
) -> Option<UnrolledSolve> {
    let rows = wanted.rows;
    let layout = Layout { n_x: form.coordinates.len(), n: form.speeds.len(), m: rows.len() };
    let inputs = Inputs::of(system, form);
    let mut tape = Builder::new(inputs.state.len());
    let values = system.pool.lower_into(&mut tape, &inputs.state, entries);
    let mut given = entries.iter().zip(&values).map(|(e, v)| (*e != Pool::ZERO).then_some(*v));
    let n = layout.n;
    let x_dot: Vec<Term> = given.by_ref().take(layout.n_x).collect();
    let M: Vec<Vec<Term>> = (0..n).map(|i| given.by_ref().take(i + 1).collect()).collect();
    let Q: Vec<Term> = given.by_ref().take(n).collect();
    let A: Vec<Vec<Term>> = rows
        .iter()
        .map(|r| {
            let mut dense = vec![None; n];
            form.constraint_matrix[*r].iter().for_each(|(p, _)| dense[*p] = given.next().flatten());
            dense
        })
        .collect();
    let b: Vec<Term> = given.collect();
    let solved = Entries { tape, x_dot, M, Q, A, b }.solved(system, form, wanted, MAX_OPERATIONS);
    solved.map(|candidate| candidate.hoisted(wanted.fixed))
}

/// x', M by its lower rows, Q, A and b on a tape.
pub(super) struct Entries {
    pub tape: Builder,
    pub x_dot: Vec<Term>,
    pub M: Vec<Vec<Term>>,
    pub Q: Vec<Term>,
    pub A: Vec<Vec<Term>>,
    pub b: Vec<Term>,
}

impl Entries {
    /// The program that solves them.
    pub fn solved(
        self,
        system: &mut System,
        form: &KernelForm,
        wanted: Wanted<'_>,
        most: usize,
    ) -> Option<Candidate> {
        let rows = wanted.rows;
        let layout = Layout { n_x: form.coordinates.len(), n: form.speeds.len(), m: rows.len() };
        let Entries { tape, x_dot, M, Q, A, b } = self;
        let mut solve = Unrolled { tape, trusted: None, row_pivot: row_pivot(form, rows) };
        let order = sparse_order(&M);
        let mut results =
            solve.accelerate(&reordered(&M, &order), &pick(&Q, &order), &columns(&A, &order), &b);
        solve.follow_laws(system, form, (rows, &A), &order, &mut results);
        let zero = solve.tape.constant(0.0);
        let mut eta_dot = vec![None; layout.n];
        order.iter().zip(&results.eta_dot).for_each(|(p, z)| eta_dot[*p] = *z);
        let saddle = &results.saddle;
        let all =
            x_dot.into_iter().chain(eta_dot).chain(saddle.rows.pivot.iter().chain(&saddle.diagonal).copied());
        let mut outputs: Vec<Value> = all.map(|v| v.unwrap_or(zero)).collect();
        outputs.push(solve.trusted.unwrap_or(zero));
        if wanted.forces {
            let lambda = &results.lambda;
            let ideal: Vec<Term> = (0..layout.n)
                .map(|j| solve.dot(&A.iter().map(|row| row[j]).collect::<Vec<_>>(), lambda))
                .collect();
            outputs.extend(lambda.iter().chain(&ideal).map(|v| v.unwrap_or(zero)));
        }
        Candidate::of_tape(solve.tape, &outputs, layout, most)
    }
}

/// A number, or nothing where it is zero by structure.
pub(super) type Term = Option<Value>;

/// The ideal solution (U1), speeds in the order of elimination.
pub(super) struct Results {
    pub eta_dot: Vec<Term>,
    pub lambda: Vec<Term>,
    pub saddle: Saddle,
}

/// Linear algebra written to a tape.
pub(super) struct Unrolled {
    pub tape: Builder,
    /// 1 while all pivots are sound.
    pub trusted: Option<Value>,
    /// Least pivot of S.
    pub row_pivot: f64,
}

impl Unrolled {
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        Some(self.tape.push(Op::Mul, &[a?, b?]))
    }

    /// a - b.
    pub fn less(&mut self, a: Term, b: Term) -> Term {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.tape.push(Op::Sub, &[a, b])),
            (None, Some(b)) => Some(self.tape.push(Op::Neg, &[b])),
            (a, None) => a,
        }
    }

    pub fn plus(&mut self, a: Term, b: Term) -> Term {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.tape.push(Op::Add, &[a, b])),
            (a, b) => a.or(b),
        }
    }

    /// 1 / pivot, and notes that it must exceed the share `least` of `diagonal`.
    fn reciprocal(&mut self, pivot: Term, diagonal: Term, least: f64) -> Term {
        let zero = self.tape.constant(0.0);
        let (pivot, diagonal) = (pivot.unwrap_or(zero), diagonal.unwrap_or(zero));
        let share = self.tape.constant(least);
        let bound = self.tape.push(Op::Mul, &[share, diagonal]);
        let sound = self.tape.push(Op::Less, &[bound, pivot]);
        self.trust(sound);
        let one = self.tape.constant(1.0);
        Some(self.tape.push(Op::Div, &[one, pivot]))
    }

    /// One more condition of trust.
    pub fn trust(&mut self, sound: Value) {
        self.trusted = Some(match self.trusted {
            None => sound,
            Some(all) => self.tape.push(Op::And, &[all, sound]),
        });
    }

    /// Sum of absolute values.
    fn size(&mut self, v: &[Term]) -> Term {
        let mut sum = None;
        for v in v.iter().flatten() {
            let one = self.tape.push(Op::Abs, &[*v]);
            sum = self.plus(sum, Some(one));
        }
        sum
    }

    /// L D L^T of a symmetric matrix given by its lower rows.
    pub fn factor(&mut self, M: &[Vec<Term>], least: f64) -> Ldl {
        let n = M.len();
        let mut f = Ldl { L: vec![vec![None; n]; n], pivot: vec![None; n], inverse: vec![None; n] };
        // u[k] = L_ik d_k of the row at work.
        let mut u: Vec<Term> = vec![None; n];
        for i in 0..n {
            for j in 0..i {
                let mut sum = M[i][j];
                for k in 0..j {
                    let product = self.mul(u[k], f.L[j][k]);
                    sum = self.less(sum, product);
                }
                u[j] = sum;
            }
            let mut pivot = M[i][i];
            for j in 0..i {
                f.L[i][j] = self.mul(u[j], f.inverse[j]);
                let product = self.mul(u[j], f.L[i][j]);
                pivot = self.less(pivot, product);
            }
            f.pivot[i] = pivot;
            f.inverse[i] = self.reciprocal(pivot, M[i][i], least);
        }
        f
    }

    /// v <- L^-1 v.
    pub fn forward(&mut self, f: &Ldl, v: &mut [Term]) {
        for i in 0..v.len() {
            for j in 0..i {
                let product = self.mul(f.L[i][j], v[j]);
                v[i] = self.less(v[i], product);
            }
        }
    }

    /// v <- L^-T v.
    pub fn backward(&mut self, f: &Ldl, v: &mut [Term]) {
        for i in (0..v.len()).rev() {
            for j in i + 1..v.len() {
                let product = self.mul(f.L[j][i], v[j]);
                v[i] = self.less(v[i], product);
            }
        }
    }

    pub fn dot(&mut self, a: &[Term], b: &[Term]) -> Term {
        let mut sum = None;
        for (a, b) in a.iter().zip(b) {
            let product = self.mul(*a, *b);
            sum = self.plus(sum, product);
        }
        sum
    }

    pub fn scaled(&mut self, v: &[Term], by: &[Term]) -> Vec<Term> {
        v.iter().zip(by).map(|(v, s)| self.mul(*v, *s)).collect()
    }

    fn accelerate(&mut self, M: &[Vec<Term>], Q: &[Term], A: &[Vec<Term>], b: &[Term]) -> Results {
        let mass = self.factor(M, MASS_PIVOT);
        let mut y = Q.to_vec();
        self.forward(&mass, &mut y);
        let saddle = self.saddle(mass, A);
        let mut right: Vec<Term> = Vec::with_capacity(A.len());
        for (g, b) in saddle.scaled.iter().zip(b) {
            let made = self.dot(g, &y);
            right.push(self.less(*b, made));
        }
        let free = (!A.is_empty()).then(|| self.scaled(&y, &saddle.mass.inverse));
        let (eta_dot, lambda) = self.respond(&saddle, y, right);
        // L^-T mixes speeds of one body: sizes before and after it are alike.
        if let Some(free) = free
            && let Some(free) = self.size(&free)
        {
            let zero = self.tape.constant(0.0);
            let left = self.size(&eta_dot).unwrap_or(zero);
            let times = self.tape.constant(CANCELLED);
            let bound = self.tape.push(Op::Mul, &[times, left]);
            let sound = self.tape.push(Op::LessEqual, &[free, bound]);
            self.trust(sound);
        }
        Results { eta_dot, lambda, saddle }
    }

    /// G and S, factored.
    pub fn saddle(&mut self, mass: Ldl, A: &[Vec<Term>]) -> Saddle {
        let m = A.len();
        let mut G: Vec<Vec<Term>> = A.to_vec();
        G.iter_mut().for_each(|g| self.forward(&mass, g));
        let scaled: Vec<Vec<Term>> = G.iter().map(|g| self.scaled(g, &mass.inverse)).collect();
        let S: Vec<Vec<Term>> =
            (0..m).map(|i| (0..=i).map(|j| self.dot(&scaled[i], &G[j])).collect()).collect();
        let rows = self.factor(&S, self.row_pivot);
        Saddle { mass, G, scaled, diagonal: (0..m).map(|i| S[i][i]).collect(), rows }
    }

    /// L^-T D^-1 (y + G lambda) and lambda = S^-1 right. A shorter right side is that of the first rows, by themselves.
    pub fn respond(&mut self, saddle: &Saddle, mut y: Vec<Term>, right: Vec<Term>) -> (Vec<Term>, Vec<Term>) {
        let mut lambda = right;
        self.forward(&saddle.rows, &mut lambda);
        lambda = self.scaled(&lambda, &saddle.rows.inverse);
        self.backward(&saddle.rows, &mut lambda);
        for (g, l) in saddle.G.iter().zip(&lambda) {
            for (y, g) in y.iter_mut().zip(g) {
                let product = self.mul(*g, *l);
                *y = self.plus(*y, product);
            }
        }
        let mut response = self.scaled(&y, &saddle.mass.inverse);
        self.backward(&saddle.mass, &mut response);
        (response, lambda)
    }
}

/// M and S = A M^-1 A^T, factored.
pub(super) struct Saddle {
    pub mass: Ldl,
    G: Vec<Vec<Term>>,
    /// D^-1 G.
    pub scaled: Vec<Vec<Term>>,
    pub rows: Ldl,
    /// Of S.
    pub diagonal: Vec<Term>,
}

pub(super) struct Ldl {
    L: Vec<Vec<Term>>,
    pub pivot: Vec<Term>,
    pub inverse: Vec<Term>,
}

/// An order of elimination with little fill: always the unknown with fewest neighbours left.
pub(super) fn sparse_order(M: &[Vec<Term>]) -> Vec<usize> {
    let n = M.len();
    let mut near: Vec<Vec<bool>> =
        (0..n).map(|i| (0..n).map(|j| i != j && M[i.max(j)][i.min(j)].is_some()).collect()).collect();
    let mut left: Vec<usize> = (0..n).collect();
    let mut order = Vec::with_capacity(n);
    while !left.is_empty() {
        let degree = |i: usize| left.iter().filter(|j| near[i][**j]).count();
        let place = (0..left.len()).min_by_key(|k| degree(left[*k])).unwrap_or(0);
        let i = left.remove(place);
        order.push(i);
        let around: Vec<usize> = left.iter().copied().filter(|j| near[i][*j]).collect();
        for &a in &around {
            around.iter().filter(|b| **b != a).for_each(|b| near[a][*b] = true);
        }
    }
    order
}

pub(super) fn reordered(M: &[Vec<Term>], order: &[usize]) -> Vec<Vec<Term>> {
    let entry = |i: usize, j: usize| M[i.max(j)][i.min(j)];
    order.iter().enumerate().map(|(k, i)| order[..=k].iter().map(|j| entry(*i, *j)).collect()).collect()
}

pub(super) fn pick(v: &[Term], order: &[usize]) -> Vec<Term> {
    order.iter().map(|p| v[*p]).collect()
}

pub(super) fn columns(A: &[Vec<Term>], order: &[usize]) -> Vec<Vec<Term>> {
    A.iter().map(|row| pick(row, order)).collect()
}
