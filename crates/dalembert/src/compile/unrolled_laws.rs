//! Non-ideal work and requirements in the unrolled solve: what they add to the ideal acceleration.
//!
//! ```text
//! P = M^-1 - M^-1 A^T S^-1 A M^-1                        the response of M z - A^T mu = f, A z = 0 to a force f
//! C by the ideal multipliers,  eta' = eta'_ideal + P C                                              (U8, U3)
//! R = A_c P S,  N = R W^-1 R^T,  N nu = b_c - A_c eta',  u = W^-1 R^T nu,  eta' + P S u             (C1)
//! ```
//!
//! P is symmetric, so it is asked for one requirement at a time. With the cost of the inverse mass and every generalised force at
//! hand (S = I, W = M^-1) the force drops out: N = A_c P A_c^T and eta' + P A_c^T nu.
//!
//! Holds where the requirements are independent and within reach: pivots of N are judged against A_c M^-1 A_c^T, what all
//! forces together could do to a requirement (as in `acceleration/control.rs` of `run`, the general road). Beyond it: bounds of
//! inputs, laws that read how redundant rows share a load, and inputs that change the multipliers that C reads.
//! Checked by: `tests/it/fused_laws.rs`, `tests/it/backends.rs`.

use super::Inputs;
use super::unrolled_solve::{Results, Saddle, Term, Unrolled, Wanted, columns, pick};
use crate::kernel_form::KernelForm;
use crate::system::System;
use dalembert_expr::{Expr, Pool, Symbol};
use dalembert_tape::{Op, Value};

/// Least pivot of N, relative to its diagonal entry, and least such entry, relative to A_c M^-1 A_c^T: the square of the sine
/// of the angle between what is required and what can be done.
const REACH_PIVOT: f64 = 1e-6;
/// Least pivot of W, relative to its diagonal entry.
const COST_PIVOT: f64 = 1e-9;

/// Whether the laws of a system can be followed by straight-line code that solves these rows.
pub(super) fn are_unrolled(system: &mut System, form: &KernelForm, wanted: Wanted<'_>) -> bool {
    if !system.contacts.is_empty() || system.control.bounds.iter().any(Option::is_some) {
        return false;
    }
    let all = wanted.rows.len() == form.constraint_matrix.len();
    let controlled = !form.requirement_matrix.is_empty();
    !reads_forces(system, form) || (all && !controlled)
}

/// Whether C depends on multipliers or reactions.
fn reads_forces(system: &mut System, form: &KernelForm) -> bool {
    let read: Vec<Symbol> = forces_read(system).collect();
    form.nonideal.iter().flatten().any(|e| system.pool.depends_on(*e, &read))
}

fn forces_read(system: &System) -> impl Iterator<Item = Symbol> + use<'_> {
    system.observables.multipliers.iter().chain(&system.observables.reactions).copied()
}

/// Requirements and inputs on the tape, in the order of elimination.
struct Control {
    /// A_c, b_c.
    rows: Vec<Vec<Term>>,
    right: Vec<Term>,
    /// Columns of S.
    inputs: Vec<Vec<Term>>,
    /// Lower rows of W; `None` for the inverse mass.
    cost: Option<Vec<Vec<Term>>>,
    /// Whether S = I.
    every_force: bool,
}

impl Unrolled {
    /// Adds to the ideal accelerations what non-ideal work and requirements make of them; A by the rows solved for, in the order of
    /// the speeds.
    pub fn follow_laws(
        &mut self,
        system: &mut System,
        form: &KernelForm,
        (rows, A): (&[usize], &[Vec<Term>]),
        order: &[usize],
        results: &mut Results,
    ) {
        if form.nonideal.is_some() {
            let C = self.nonideal(system, form, (rows, A), &results.lambda);
            let change = self.projected(&results.saddle, pick(&C, order));
            self.add(&mut results.eta_dot, &change);
        }
        if !form.requirement_matrix.is_empty() {
            let control = self.control(system, form, order);
            let change = self.required(&results.saddle, &control, &results.eta_dot);
            self.add(&mut results.eta_dot, &change);
        }
    }

    fn add(&mut self, sum: &mut [Term], change: &[Term]) {
        sum.iter_mut().zip(change).for_each(|(sum, v)| *sum = self.plus(*sum, *v));
    }

    /// C on each speed, by the ideal multipliers and the lengths of the ideal forces of each constraint (U8).
    fn nonideal(
        &mut self,
        system: &mut System,
        form: &KernelForm,
        (rows, A): (&[usize], &[Vec<Term>]),
        lambda: &[Term],
    ) -> Vec<Term> {
        let Some(C) = &form.nonideal else { return Vec::new() };
        let zero = self.tape.constant(0.0);
        let mut given: Vec<(Symbol, Value)> = Vec::new();
        if reads_forces(system, form) {
            for (r, value) in rows.iter().zip(lambda) {
                given.push((system.observables.multipliers[*r], value.unwrap_or(zero)));
            }
            for (constraint, symbol) in system.constraints.named.iter().zip(&system.observables.reactions) {
                let own: Vec<usize> =
                    (0..rows.len()).filter(|k| constraint.rows.contains(&rows[*k])).collect();
                let length = self.reaction(A, lambda, &own);
                given.push((*symbol, length.unwrap_or(zero)));
            }
        }
        let state = Inputs::of(system, form).state;
        self.lowered(system, &state, &given, C)
    }

    /// |A^T lambda| over these rows.
    fn reaction(&mut self, A: &[Vec<Term>], lambda: &[Term], rows: &[usize]) -> Term {
        let n = A.first().map_or(0, Vec::len);
        let mut square = None;
        for j in 0..n {
            let column: Vec<Term> = rows.iter().map(|r| A[*r][j]).collect();
            let lambda: Vec<Term> = rows.iter().map(|r| lambda[*r]).collect();
            let force = self.dot(&column, &lambda);
            let own = self.mul(force, force);
            square = self.plus(square, own);
        }
        square.map(|square| self.tape.push(Op::Sqrt, &[square]))
    }

    fn lowered(
        &mut self,
        system: &mut System,
        state: &[Symbol],
        given: &[(Symbol, Value)],
        list: &[Expr],
    ) -> Vec<Term> {
        let values = system.pool.lower_with(&mut self.tape, state, given, list);
        list.iter().zip(values).map(|(e, v)| (*e != Pool::ZERO).then_some(v)).collect()
    }

    /// P f.
    fn projected(&mut self, saddle: &Saddle, mut force: Vec<Term>) -> Vec<Term> {
        self.forward(&saddle.mass, &mut force);
        self.respond_freely(saddle, force)
    }

    /// P f from L^-1 f.
    fn respond_freely(&mut self, saddle: &Saddle, force: Vec<Term>) -> Vec<Term> {
        let right: Vec<Term> = saddle
            .scaled
            .iter()
            .map(|g| {
                let made = self.dot(g, &force);
                self.less(None, made)
            })
            .collect();
        self.respond(saddle, force, right).0
    }

    /// A_c, b_c, S and W.
    fn control(&mut self, system: &mut System, form: &KernelForm, order: &[usize]) -> Control {
        let n = order.len();
        let state = Inputs::of(system, form).state;
        let mut list: Vec<Expr> = form.requirement_matrix.iter().flatten().map(|(_, e)| *e).collect();
        list.extend(&form.requirement_right);
        list.extend(form.inputs.iter().flatten());
        let count = form.inputs.len();
        let lower =
            |W: &Vec<Vec<Expr>>| -> Vec<Expr> { (0..count).flat_map(|i| W[i][..=i].to_vec()).collect() };
        list.extend(form.cost.iter().flat_map(lower));
        let mut values = self.lowered(system, &state, &[], &list).into_iter();
        let rows: Vec<Vec<Term>> = form
            .requirement_matrix
            .iter()
            .map(|row| {
                let mut dense = vec![None; n];
                row.iter().for_each(|(p, _)| dense[*p] = values.next().flatten());
                dense
            })
            .collect();
        let right = values.by_ref().take(form.requirement_right.len()).collect();
        let inputs: Vec<Vec<Term>> =
            form.inputs.iter().map(|column| values.by_ref().take(column.len()).collect()).collect();
        let cost =
            form.cost.as_ref().map(|_| (0..count).map(|i| values.by_ref().take(i + 1).collect()).collect());
        let unit = |(j, column): (usize, &Vec<Expr>)| {
            column.iter().enumerate().all(|(p, e)| *e == if p == j { Pool::ONE } else { Pool::ZERO })
        };
        let every_force = count == n && form.inputs.iter().enumerate().all(unit);
        Control { rows: columns(&rows, order), right, inputs: columns(&inputs, order), cost, every_force }
    }

    /// What the inputs that meet the requirements add to accelerations (C1).
    fn required(&mut self, saddle: &Saddle, control: &Control, eta_dot: &[Term]) -> Vec<Term> {
        let count = control.rows.len();
        let mut error: Vec<Term> = Vec::with_capacity(count);
        for (row, right) in control.rows.iter().zip(&control.right) {
            let made = self.dot(row, eta_dot);
            error.push(self.less(*right, made));
        }
        // P a and a M^-1 a^T of each requirement.
        let (mut reach, mut possible): (Vec<Vec<Term>>, Vec<Term>) = (Vec::new(), Vec::new());
        for row in &control.rows {
            let mut g = row.clone();
            self.forward(&saddle.mass, &mut g);
            let scaled = self.scaled(&g, &saddle.mass.inverse);
            possible.push(self.dot(&scaled, &g));
            reach.push(self.respond_freely(saddle, g));
        }
        if control.every_force && control.cost.is_none() {
            let N = (0..count)
                .map(|i| (0..=i).map(|j| self.dot(&reach[i], &control.rows[j])).collect())
                .collect();
            let nu = self.demanded(N, &possible, error);
            return self.combined(&reach, &nu);
        }
        let R: Vec<Vec<Term>> =
            reach.iter().map(|w| control.inputs.iter().map(|s| self.dot(w, s)).collect()).collect();
        let (W, own) = self.cost(saddle, control);
        let W = self.factor(&W, COST_PIVOT);
        let answers: Vec<Vec<Term>> = R
            .iter()
            .map(|r| {
                let mut u = r.clone();
                self.forward(&W, &mut u);
                u = self.scaled(&u, &W.inverse);
                self.backward(&W, &mut u);
                u
            })
            .collect();
        let N: Vec<Vec<Term>> =
            (0..count).map(|i| (0..=i).map(|j| self.dot(&R[i], &answers[j])).collect()).collect();
        // In the measure of the cost, in which N is.
        let possible: Vec<Term> = possible.into_iter().map(|p| self.mul_or(p, own)).collect();
        let nu = self.demanded(N, &possible, error);
        let u = self.combined(&answers, &nu);
        let force = self.combined(&control.inputs, &u);
        self.projected(saddle, force)
    }

    /// W by its lower rows, S^T M^-1 S unless it is given; and by how much a given one is smaller than that, so that its inverse
    /// is larger.
    fn cost(&mut self, saddle: &Saddle, control: &Control) -> (Vec<Vec<Term>>, Term) {
        let pushed: Vec<Vec<Term>> = control
            .inputs
            .iter()
            .map(|s| {
                let mut h = s.clone();
                self.forward(&saddle.mass, &mut h);
                h
            })
            .collect();
        let scaled: Vec<Vec<Term>> = pushed.iter().map(|h| self.scaled(h, &saddle.mass.inverse)).collect();
        let count = pushed.len();
        let Some(W) = &control.cost else {
            let W = (0..count).map(|i| (0..=i).map(|j| self.dot(&scaled[i], &pushed[j])).collect()).collect();
            return (W, None);
        };
        let (mut by_mass, mut given) = (None, None);
        for i in 0..count {
            let own = self.dot(&scaled[i], &pushed[i]);
            by_mass = self.plus(by_mass, own);
            given = self.plus(given, W[i][i]);
        }
        let ratio = match (by_mass, given) {
            (Some(by_mass), Some(given)) => Some(self.tape.push(Op::Div, &[by_mass, given])),
            _ => None,
        };
        (W.clone(), ratio)
    }

    /// a b, or a where there is no b.
    fn mul_or(&mut self, a: Term, b: Term) -> Term {
        if b.is_none() { a } else { self.mul(a, b) }
    }

    /// nu of N nu = e, where the requirements are well within reach.
    fn demanded(&mut self, N: Vec<Vec<Term>>, possible: &[Term], mut error: Vec<Term>) -> Vec<Term> {
        let (zero, least) = (self.tape.constant(0.0), self.tape.constant(REACH_PIVOT));
        for (row, possible) in N.iter().zip(possible) {
            let own = row.last().copied().flatten().unwrap_or(zero);
            let bound = self.tape.push(Op::Mul, &[least, possible.unwrap_or(zero)]);
            let sound = self.tape.push(Op::Less, &[bound, own]);
            self.trust(sound);
        }
        let N = self.factor(&N, REACH_PIVOT);
        self.forward(&N, &mut error);
        error = self.scaled(&error, &N.inverse);
        self.backward(&N, &mut error);
        error
    }

    /// sum_i v_i by_i
    fn combined(&mut self, vectors: &[Vec<Term>], by: &[Term]) -> Vec<Term> {
        let mut sum = vec![None; vectors.first().map_or(0, Vec::len)];
        for (v, by) in vectors.iter().zip(by) {
            for (sum, v) in sum.iter_mut().zip(v) {
                let part = self.mul(*v, *by);
                *sum = self.plus(*sum, part);
            }
        }
        sum
    }
}
