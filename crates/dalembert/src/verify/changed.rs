//! A model in other speeds: eta = R(x) w put into everything the model says, then derived anew.
//!
//! R is a product of shears eta_p += s(x) eta_q between neighbours in a random order, and of factors: its inverse is known
//! without division, and s = c sin(x_k + phase) makes every structure coefficient of the new frame different. Where the
//! kinematics are not given by definitions of speeds (quaternions), the s are constants, so that the brackets of the frame
//! still close with constants.
//!
//! ```text
//! x' = X0 + X R w,   L(x, R w, t),   Q'_w = R^T Q',   C_w = R^T C,   S_w = R^T S,   M_w = R^T M R,  Q'_w -= R^T M (D R) w  (direct form)
//! ```

use super::motion::Scales;
use crate::compile::Compiled;
use crate::derive::derive;
use crate::system::{
    ConstraintRow, Constraints, Contact, Control, Drawing, Energies, Experiment, Forces, Frame,
    RequirementRow, Speed, System,
};
use crate::workspace::Workspace;
use dalembert_expr::{Derivation, Expr, Function, Pool, Rational, Symbol};
use dalembert_linalg::Rng;
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// R and its inverse over the coordinates.
pub(super) struct Change {
    /// `R[p][q]`
    pub matrix: Vec<Vec<Expr>>,
    /// `R^-1[p][q]`
    pub inverse: Vec<Vec<Expr>>,
    /// w
    pub speeds: Vec<Symbol>,
    /// w'
    pub accelerations: Vec<Symbol>,
    /// eta = R w
    pub eta: Vec<Expr>,
}

impl Change {
    /// A random change; `constant` keeps the coordinates out of it. Speeds are mixed in proportion to their inertia, and
    /// coordinates measured by their sizes: units do not show.
    pub fn random(system: &mut System, constant: bool, scales: &Scales, rng: &mut Rng) -> Self {
        let n = system.frame.speeds.len();
        let pool = &mut system.pool;
        let unit = |p: usize, q: usize| if p == q { Pool::ONE } else { Pool::ZERO };
        let identity =
            || -> Vec<Vec<Expr>> { (0..n).map(|p| (0..n).map(|q| unit(p, q)).collect()).collect() };
        let (mut matrix, mut inverse) = (identity(), identity());
        let mut order: Vec<usize> = (0..n).collect();
        (1..n).rev().for_each(|k| order.swap(k, rng.below(k + 1)));
        // R <- R S, R^-1 <- S^-1 R^-1, S a shear: eta_p += s eta_q.
        for first in [0, 1] {
            for pair in order[first.min(n)..].chunks_exact(2) {
                let (p, q) = (pair[first], pair[1 - first]);
                let k = q % system.frame.coordinates.len().max(1);
                let coordinate = system.frame.coordinates.get(k).filter(|_| !constant);
                let s = shear(pool, coordinate.map(|c| (c.symbol, scales.x[k])), rng);
                let s = pool.scale(s, power_of_two(scales.weights[q] / scales.weights[p]));
                for row in &mut matrix {
                    let more = pool.mul(row[p], s);
                    row[q] = pool.add(row[q], more);
                }
                for k in 0..n {
                    let less = pool.mul(s, inverse[q][k]);
                    inverse[p][k] = pool.sub(inverse[p][k], less);
                }
            }
        }
        for q in 0..n {
            let (top, bottom) = [(1, 2), (2, 1), (3, 2), (1, 1)][rng.below(4)];
            let factor = Rational::new(top, bottom).unwrap_or(Rational::ONE);
            let back = factor.recip().unwrap_or(Rational::ONE);
            matrix.iter_mut().for_each(|row| row[q] = pool.scale(row[q], factor.clone()));
            inverse[q] = inverse[q].iter().map(|e| pool.scale(*e, back.clone())).collect();
        }
        // Names that no model can have.
        let named = |pool: &mut Pool, mark: &str| -> Vec<Symbol> {
            (0..n).map(|p| pool.symbol(&format!("changed speed {p}{mark}"))).collect()
        };
        let (speeds, accelerations) = (named(pool, ""), named(pool, "'"));
        let w: Vec<Expr> = speeds.iter().map(|s| pool.var(*s)).collect();
        let eta = matrix.iter().map(|row| dot(pool, row, &w)).collect();
        Change { matrix, inverse, speeds, accelerations, eta }
    }

    /// `R^T f`
    fn transposed(&self, pool: &mut Pool, f: &[Expr]) -> Vec<Expr> {
        (0..f.len())
            .map(|q| {
                let column: Vec<Expr> = self.matrix.iter().map(|row| row[q]).collect();
                dot(pool, &column, f)
            })
            .collect()
    }
}

/// `a . b`, most entries being zero.
pub(super) fn dot(pool: &mut Pool, a: &[Expr], b: &[Expr]) -> Expr {
    let both = a.iter().zip(b).filter(|(a, b)| **a != Pool::ZERO && **b != Pool::ZERO);
    let parts: Vec<Expr> = both.map(|(a, b)| pool.mul(*a, *b)).collect();
    pool.total(parts)
}

/// The power of two nearest to a positive number; 1 for what is near it anyway.
fn power_of_two(v: f64) -> Rational {
    let exponent = v.log2().round();
    if !(exponent.abs() > 3.0) {
        return Rational::ONE;
    }
    let power = 1i64 << exponent.abs().min(62.0) as u32;
    let fraction = if exponent > 0.0 { Rational::new(power, 1) } else { Rational::new(1, power) };
    fraction.unwrap_or(Rational::ONE)
}

/// The coordinate is given with its size.
fn shear(pool: &mut Pool, coordinate: Option<(Symbol, f64)>, rng: &mut Rng) -> Expr {
    let fraction = |rng: &mut Rng, choices: &[(i64, i64)]| {
        let (top, bottom) = choices[rng.below(choices.len())];
        Rational::new(top, bottom).unwrap_or(Rational::HALF)
    };
    let size = fraction(rng, &[(1, 2), (-1, 2), (1, 4), (-1, 4)]);
    let size = pool.number(size);
    match coordinate {
        Some((x, scale)) => {
            let phase = fraction(rng, &[(1, 3), (1, 2), (1, 1), (5, 3)]);
            let (x, phase) = (pool.var(x), pool.number(phase));
            let x = pool.scale(x, power_of_two(1.0 / scale));
            let argument = pool.add(x, phase);
            let wave = pool.call1(Function::Sin, argument);
            pool.mul(size, wave)
        }
        None => size,
    }
}

/// The model in speeds w. It takes the pool of `model`, which [`give_back`] returns.
pub(super) fn changed(model: &mut Workspace, change: &Change) -> Result<Workspace, Box<Diagnostic>> {
    let requirements = model.system.control.rows.iter().any(|row| row.on_accelerations);
    if requirements || model.system.constraints.rows.iter().any(|row| row.on_accelerations) {
        let message = "rows on accelerations are written in the speeds of the model";
        return Err(Box::new(Diagnostic::error(Code::NotApplicable, None, message)));
    }
    let mut system = rewrite(model, change);
    let parameters = model.compiled.parameters().to_vec();
    let form = match derive(&mut system) {
        Ok(form) => form,
        Err(d) => {
            model.system.pool = system.pool;
            return Err(d);
        }
    };
    let compiled = Compiled::new(&mut system, &form, parameters);
    Ok(Workspace::bare(system, form, compiled))
}

/// Returns the pool.
pub(super) fn give_back(model: &mut Workspace, changed: Workspace) {
    model.system.pool = changed.system.pool;
}

fn rewrite(model: &mut Workspace, change: &Change) -> System {
    let reactions = reactions(model);
    let mut pool = std::mem::take(&mut model.system.pool);
    let old = &model.system;
    let images: Vec<(Symbol, Expr)> =
        old.frame.speeds.iter().map(|s| s.symbol).zip(change.eta.iter().copied()).collect();
    let pool = &mut pool;
    let put = |pool: &mut Pool, list: &[Expr]| pool.substitute(list, &images);
    let one = |pool: &mut Pool, e: Expr| pool.substitute(&[e], &images)[0];
    let kinematics = put(pool, &old.frame.kinematics);
    let mut applied = put(pool, &old.forces.applied);
    let mass = old
        .forces
        .mass
        .as_ref()
        .map(|rows| direct(pool, old, rows, change, &kinematics, &images, &mut applied));
    let applied = change.transposed(pool, &applied);
    let nonideal = old.constraints.nonideal.as_ref().map(|C| {
        let C = pool.substitute(C, &reactions);
        let C = pool.substitute(&C, &images);
        change.transposed(pool, &C)
    });
    let speeds = old.frame.speeds.iter().enumerate().map(|(p, s)| Speed {
        name: pool.name(change.speeds[p]).to_owned(),
        symbol: change.speeds[p],
        acceleration: change.accelerations[p],
        rate_of: None,
        ..s.clone()
    });
    let speeds = speeds.collect();
    let rows = old
        .constraints
        .rows
        .iter()
        .map(|r| ConstraintRow { residual: one(pool, r.residual), ..r.clone() })
        .collect();
    let contacts = old.contacts.iter().zip(&model.form.contacts).map(|(c, form)| Contact {
        velocity: put(pool, &form.velocity),
        coefficient: one(pool, c.coefficient),
        r#static: one(pool, c.r#static),
        normal: Some(form.normal.iter().map(|row| put(pool, row)).collect()),
        ..c.clone()
    });
    let contacts = contacts.collect();
    let requirement_rows = old.control.rows.iter();
    let requirement_rows =
        requirement_rows.map(|r| RequirementRow { residual: one(pool, r.residual), ..r.clone() }).collect();
    let actuators = inputs(old).map(|list| {
        let column = |pool: &mut Pool, c: &[Expr]| {
            let c = put(pool, c);
            change.transposed(pool, &c)
        };
        list.iter().map(|(name, c)| (name.clone(), column(pool, c))).collect()
    });
    let weight = old
        .control
        .weight
        .as_ref()
        .map(|(rows, span)| (rows.iter().map(|row| put(pool, row)).collect::<Vec<Vec<Expr>>>(), *span));
    let speeds_in_rates = old.frame.speeds_in_rates.as_ref().map(|Y| {
        let product = |pool: &mut Pool, row: &[Expr], i: usize| {
            let column: Vec<Expr> = Y.iter().map(|y| y[i]).collect();
            dot(pool, row, &column)
        };
        let n_x = old.frame.coordinates.len();
        change.inverse.iter().map(|row| (0..n_x).map(|i| product(pool, row, i)).collect()).collect()
    });
    System {
        title: None,
        time: old.time,
        constants: old.constants.clone(),
        parameters: old.parameters.clone(),
        signals: Vec::new(),
        frame: Frame { coordinates: old.frame.coordinates.clone(), speeds, kinematics, speeds_in_rates },
        energies: Energies {
            kinetic: old.energies.kinetic.map(|e| one(pool, e)),
            potential: old.energies.potential,
            lagrangian: old.energies.lagrangian.map(|e| one(pool, e)),
            written: Default::default(),
            total: None,
            kinetic_part: None,
            potential_part: None,
            stored: None,
            unit: old.energies.unit.clone(),
        },
        forces: Forces {
            applied,
            dissipation: old.forces.dissipation.map(|e| one(pool, e)),
            mass,
            mass_span: old.forces.mass_span,
            contributions: Vec::new(),
            placed: Vec::new(),
        },
        constraints: Constraints {
            named: old.constraints.named.clone(),
            rows,
            nonideal,
            nonideal_span: old.constraints.nonideal_span,
        },
        contacts,
        control: Control {
            requirements: old.control.requirements.clone(),
            rows: requirement_rows,
            actuators,
            bounds: old.control.bounds.iter().map(|b| b.map(|b| b.map(|e| one(pool, e)))).collect(),
            weight,
        },
        bodies: None,
        experiment: Experiment::default(),
        observables: old.observables.clone(),
        drawing: Drawing::default(),
        pool: std::mem::take(pool),
    }
}

/// The inputs of control and their directions S. A cost that is given belongs to the old forces, so these are named where
/// the model means all of them; the cost by the inverse mass is the same in every frame.
fn inputs(old: &System) -> Option<Vec<(String, Vec<Expr>)>> {
    let n = old.frame.speeds.len();
    let unit = |p: usize| (0..n).map(|q| if p == q { Pool::ONE } else { Pool::ZERO }).collect();
    let every_force =
        || old.frame.speeds.iter().enumerate().map(|(p, s)| (s.name.clone(), unit(p))).collect();
    old.control.actuators.clone().or_else(|| old.control.weight.is_some().then(every_force))
}

/// R^T M R; what R' takes is subtracted from the forces before R^T is applied to them.
fn direct(
    pool: &mut Pool,
    old: &System,
    rows: &[Vec<Expr>],
    change: &Change,
    kinematics: &[Expr],
    images: &[(Symbol, Expr)],
    applied: &mut [Expr],
) -> Vec<Vec<Expr>> {
    let seeds = old.frame.coordinates.iter().map(|c| c.symbol).zip(kinematics.iter().copied());
    let mut along = Derivation::new(seeds.chain([(old.time, Pool::ONE)]));
    let turning: Vec<Expr> = change.eta.iter().map(|e| along.apply(pool, *e)).collect();
    let rows: Vec<Vec<Expr>> = rows.iter().map(|row| pool.substitute(row, images)).collect();
    for (force, row) in applied.iter_mut().zip(&rows) {
        let carried = dot(pool, row, &turning);
        *force = pool.sub(*force, carried);
    }
    let n = rows.len();
    let columns: Vec<Vec<Expr>> =
        (0..n).map(|q| change.matrix.iter().map(|row| row[q]).collect::<Vec<Expr>>()).collect();
    let half: Vec<Vec<Expr>> =
        columns.iter().map(|c| rows.iter().map(|row| dot(pool, row, c)).collect()).collect();
    (0..n).map(|p| (0..n).map(|q| dot(pool, &columns[p], &half[q])).collect()).collect()
}

/// The size of a constraint's force depends on the speeds it is measured by: in the old ones it is written out.
fn reactions(model: &mut Workspace) -> Vec<(Symbol, Expr)> {
    let n = model.form.speeds.len();
    let Some(C) = model.system.constraints.nonideal.clone() else { return Vec::new() };
    let (system, form) = (&mut model.system, &model.form);
    let pool = &mut system.pool;
    let mut images = Vec::new();
    for (g, symbol) in system.observables.reactions.iter().enumerate() {
        if !C.iter().any(|e| pool.depends_on(*e, &[*symbol])) {
            continue;
        }
        let mut force = vec![Pool::ZERO; n];
        for a in system.constraints.named[g].rows.clone() {
            let lambda = pool.var(system.observables.multipliers[a]);
            for (p, e) in &form.constraint_matrix[a] {
                let part = pool.mul(*e, lambda);
                force[*p] = pool.add(force[*p], part);
            }
        }
        let squares: Vec<Expr> = force.iter().map(|f| pool.powi(*f, 2)).collect();
        let sum = pool.total(squares);
        images.push((*symbol, pool.sqrt(sum)));
    }
    images
}
