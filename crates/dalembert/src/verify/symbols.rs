//! Lagrange's equations and the constraints, differentiated anew from what the model says and put to the accelerations.
//!
//! ```text
//! L2  D(L_p) - X_p L - C_0pq L_q - C_qpr eta_q L_r - Q'_p = (Q_i + Q_ni + S u)_p      L_p = dL/d eta_p
//! K5  D(D f) = 0      K6  D psi = 0                       D along x', eta', t
//! ```
//!
//! Here D goes along the accelerations too, so that neither M and Q nor A and b occur, and the expressions are evaluated one
//! node at a time instead of by tapes. Of the kernel form nothing is used but its symbols.

use super::{Reading, Tally, Verification};
use crate::derive::structure_of;
use crate::formalism::poincare::{Fields, dot, turned};
use crate::kernel_form::{Places, Structure};
use crate::system::System;
use crate::workspace::Workspace;
use dalembert_expr::{Derivation, Expr, Pool, Rational, Symbol};
use rustc_hash::FxHashMap;

/// Values of symbols.
pub(super) type Values = FxHashMap<Symbol, f64>;

/// `lagrange` and `constraints`.
pub(super) fn judge(model: &mut Workspace, readings: &[Reading], found: &mut Verification) {
    let n = model.form.speeds.len();
    let rows = rows(&mut model.system);
    let (balance, reason) = match structure(model) {
        Some(structure) => (balance(model, &structure), None),
        None => (Vec::new(), Some("brackets of the frame are not combinations of it")),
    };
    let A = constraint_matrix(&mut model.system);
    let mut lagrange = Tally::new("lagrange", "Lagrange's equations, derived from the energies again");
    let mut constraints = Tally::new("constraints", "constraints, differentiated again along the motion");
    if let Some(reason) = reason {
        lagrange.because(reason);
    }
    if rows.is_empty() {
        constraints.because("the model has no constraints");
    }
    for reading in readings {
        let values = values(model, reading);
        let d = reading.weights();
        let s = &reading.solution;
        let off = evaluate(model, &balance, &values);
        let others = reading.other_forces();
        let off: Vec<f64> =
            off.iter().enumerate().map(|(p, e)| (e - s.ideal_force[p] - others[p]) / d[p]).collect();
        if reason.is_none() {
            lagrange.take(reading.relative(&off, 1.0));
        }
        if !rows.is_empty() {
            let A = evaluate(model, &A, &values);
            let off = evaluate(model, &rows, &values);
            let length = |a: usize| (0..n).map(|p| A[a * n + p] / d[p]).fold(0.0, f64::hypot);
            // A row without a direction constrains nothing at this state.
            let off: Vec<f64> = off
                .iter()
                .enumerate()
                .filter(|(a, _)| length(*a) > 0.0)
                .map(|(a, e)| e / length(a))
                .collect();
            constraints.take(reading.relative(&off, 1.0 / s.margin.max(1e-12)));
        }
    }
    found.take(lagrange);
    found.take(constraints);
}

/// L1, found again where the frame is not that of the coordinates.
pub(super) fn structure(model: &mut Workspace) -> Option<Structure> {
    let system = &mut model.system;
    let energies = system.energies.kinetic.is_some() || system.energies.lagrangian.is_some();
    if model.form.frame.is_none() || !energies {
        return Some(Structure::default());
    }
    structure_of(system)
}

/// The left side of L2 over x, eta, eta', t, the direct form added.
pub(super) fn balance(model: &mut Workspace, structure: &Structure) -> Vec<Expr> {
    let (system, form) = (&mut model.system, &model.form);
    let L = system.whole_lagrangian();
    let mut along = motion(system);
    let pool = &mut system.pool;
    let momenta = pool.gradient(L, &form.speeds);
    let slopes = Fields::of(pool, form).all(pool, L);
    let eta: Vec<Expr> = form.speeds.iter().map(|s| pool.var(*s)).collect();
    let turned = turned(pool, structure, &eta, &momenta);
    let accelerations: Vec<Expr> = system.frame.speeds.iter().map(|s| pool.var(s.acceleration)).collect();
    let impressed = impressed(pool, &system.forces.applied, system.forces.dissipation, &form.speeds);
    (0..eta.len())
        .map(|p| {
            let rate = along.apply(pool, momenta[p]);
            let inertia = system.forces.mass.as_ref().map(|rows| dot(pool, &rows[p], &accelerations));
            let less = [slopes[p], turned[p], impressed[p]].map(|e| (e, Rational::MINUS_ONE));
            let parts = [(rate, Rational::ONE)].into_iter().chain(less);
            pool.combine(parts.chain(inertia.map(|e| (e, Rational::ONE))))
        })
        .collect()
}

/// Q' on each speed, dissipation included.
pub(super) fn impressed(
    pool: &mut Pool,
    applied: &[Expr],
    dissipation: Option<Expr>,
    speeds: &[Symbol],
) -> Vec<Expr> {
    match dissipation {
        None => applied.to_vec(),
        Some(R) => {
            let damping = pool.gradient(R, speeds);
            applied.iter().zip(damping).map(|(f, d)| pool.sub(*f, d)).collect()
        }
    }
}

/// D along x', eta' and t.
pub(super) fn motion(system: &mut System) -> Derivation {
    let pool = &mut system.pool;
    let mut seeds: Vec<(Symbol, Expr)> = vec![(system.time, Pool::ONE)];
    seeds.extend(
        system.frame.coordinates.iter().map(|c| c.symbol).zip(system.frame.kinematics.iter().copied()),
    );
    seeds.extend(system.frame.speeds.iter().map(|s| (s.symbol, pool.var(s.acceleration))));
    Derivation::new(seeds)
}

/// f'' or psi' of every row.
fn rows(system: &mut System) -> Vec<Expr> {
    let mut along = motion(system);
    let pool = &mut system.pool;
    let rate = |row: &crate::system::ConstraintRow| {
        if row.on_accelerations {
            return row.residual;
        }
        let first = along.apply(pool, row.residual);
        if row.holonomic { along.apply(pool, first) } else { first }
    };
    system.constraints.rows.iter().map(rate).collect()
}

/// A from the rows as written: `(df/dx) dx'/d eta`, or d psi/d eta.
pub(super) fn constraint_matrix(system: &mut System) -> Vec<Expr> {
    let x: Vec<Symbol> = system.frame.coordinates.iter().map(|c| c.symbol).collect();
    let eta: Vec<Symbol> = system.frame.speeds.iter().map(|s| s.symbol).collect();
    let accelerations: Vec<Symbol> = system.frame.speeds.iter().map(|s| s.acceleration).collect();
    let pool = &mut system.pool;
    let frame: Vec<Vec<Expr>> = system.frame.kinematics.iter().map(|e| pool.gradient(*e, &eta)).collect();
    let mut A = Vec::new();
    for row in &system.constraints.rows {
        if row.on_accelerations {
            A.extend(pool.gradient(row.residual, &accelerations));
        } else if row.holonomic {
            // Rows of large systems are short.
            let slope = Places::new(&x).gradient(pool, row.residual);
            for p in 0..eta.len() {
                let parts: Vec<Expr> = slope.iter().map(|(i, e)| pool.mul(*e, frame[*i][p])).collect();
                A.push(pool.total(parts));
            }
        } else {
            A.extend(pool.gradient(row.residual, &eta));
        }
    }
    A
}

/// Time, parameters, state.
pub(super) fn state_values(model: &Workspace, state: &dalembert_run::State) -> Values {
    let form = &model.form;
    let mut values: Values = [(form.time, state.t)].into_iter().collect();
    values.extend(form.parameters.iter().copied().zip(model.compiled.parameters().iter().copied()));
    values.extend(form.coordinates.iter().copied().zip(state.x.iter().copied()));
    values.extend(form.speeds.iter().copied().zip(state.eta.iter().copied()));
    values
}

/// Values of the state, accelerations, multipliers and reactions by symbol.
pub(super) fn values(model: &Workspace, reading: &Reading) -> Values {
    let mut values = state_values(model, &reading.state);
    let (system, s) = (&model.system, &reading.solution);
    values.extend(system.frame.speeds.iter().map(|s| s.acceleration).zip(s.eta_dot.iter().copied()));
    let lambda = &reading.ideal_lambda;
    values.extend(system.observables.multipliers.iter().copied().zip(lambda.iter().copied()));
    for (g, symbol) in system.observables.reactions.iter().enumerate() {
        values.insert(*symbol, model.compiled.generalised_reaction(g, lambda, &reading.terms.A, None));
    }
    values
}

/// Values of expressions, one node at a time.
pub(super) fn evaluate(model: &mut Workspace, list: &[Expr], values: &Values) -> Vec<f64> {
    model.system.pool.evaluate_all(list, |s| values.get(&s).copied().unwrap_or(f64::NAN))
}
