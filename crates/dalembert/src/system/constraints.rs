//! Constraints, contacts and requirements, with their rows.

use dalembert_expr::{Expr, Pool};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;

/// Constraints, and how their forces do work.
#[derive(Clone, Default)]
pub struct Constraints {
    /// Named constraints, each with one or more rows.
    pub named: Vec<Constraint>,
    /// All rows, in order.
    pub rows: Vec<ConstraintRow>,
    /// C on each speed (K4), over multipliers and reactions too.
    pub nonideal: Option<Vec<Expr>>,
    /// Where `nonideal work` is written first.
    pub nonideal_span: Option<Span>,
}

/// What control has to achieve and may use (C1).
#[derive(Clone, Default)]
pub struct Control {
    /// Named requirements, met by control.
    pub requirements: Vec<Constraint>,
    /// Their rows, in order.
    pub rows: Vec<RequirementRow>,
    /// What control may use: name and generalised force on each speed, for an input of one. `None`: every speed.
    pub actuators: Option<Vec<(String, Vec<Expr>)>>,
    /// Least and greatest value of each control input that has bounds; empty where none has.
    pub bounds: Vec<Option<[Expr; 2]>>,
    /// Cost matrix of the inputs, with its place. `None`: the inverse mass.
    pub weight: Option<(Vec<Vec<Expr>>, Span)>,
}

/// A constraint statement.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// Its name, given or made up.
    pub name: String,
    /// Its rows in [`Constraints::rows`].
    pub rows: std::ops::Range<usize>,
    /// Where it stands.
    pub span: Span,
}

/// One scalar equation of a constraint.
#[derive(Clone, Debug)]
pub struct ConstraintRow {
    /// `rolling.x`, or the constraint's name.
    pub name: String,
    /// Left side minus right side.
    pub residual: Expr,
    /// The unit of the residual, as far as known.
    pub kind: UnitInfo,
    /// Holonomic: no rate in it.
    pub holonomic: bool,
    /// Linear in accelerations: it is a row A eta' = b (K3) itself, and has no residual that a state could satisfy.
    pub on_accelerations: bool,
    /// Index of its constraint.
    pub constraint: usize,
    /// Where it stands.
    pub span: Span,
}

/// A contact with Coulomb friction.
#[derive(Clone, Debug)]
pub struct Contact {
    /// Name of its constraint, or of the row of it.
    pub name: String,
    /// Index of the constraint; `None` where the limit force is given and nothing presses (`friction in`).
    pub constraint: Option<usize>,
    /// The rows whose force presses.
    pub rows: std::ops::Range<usize>,
    /// Components of the sliding velocity.
    pub velocity: Vec<Expr>,
    /// Coefficient of sliding friction, or the limit force.
    pub coefficient: Expr,
    /// Coefficient of static friction, or the static limit force.
    pub r#static: Expr,
    /// Components of the normal force as coefficients of the multipliers of `rows`, where the model gives it.
    pub normal: Option<Vec<Vec<Expr>>>,
    /// Where it stands.
    pub span: Span,
}

/// One scalar equation of a requirement.
#[derive(Clone, Debug)]
pub struct RequirementRow {
    /// Its name.
    pub name: String,
    /// Left side minus right side.
    pub residual: Expr,
    /// No rate in it.
    pub holonomic: bool,
    /// Linear in accelerations: it is a row A_c eta' = b_c itself, and has no error.
    pub on_accelerations: bool,
    /// How errors decay (C2), over parameters: the coefficients as they are written, that of the highest derivative first;
    /// empty where nothing says so.
    pub decay: Vec<Expr>,
    /// Where it stands.
    pub span: Span,
}

impl RequirementRow {
    /// C2 for an error that reaches the inputs with its derivative of this order: k_{r-1}, ..., k_0 of
    /// h^(r) + k_{r-1} h^(r-1) + ... + k_0 h = 0. `None` if the coefficients are too few or too many.
    ///
    /// ```text
    /// r coefficients    as they are
    /// decay k0          (d/dt + w)^r, w = sqrt(k0) for positions and k0 for rates: no overshoot
    /// decay k1, k0      (d^2/dt^2 + k1 d/dt + k0)^(r/2), where r is even
    /// ```
    pub fn law(&self, pool: &mut Pool, order: usize) -> Option<Vec<Expr>> {
        let factor = match self.decay.as_slice() {
            own if own.len() == order && (order > 1 || !self.holonomic) => return Some(own.to_vec()),
            [k0] if self.holonomic && order == 2 => {
                let (root, two) = (pool.sqrt(*k0), pool.int(2));
                return Some(vec![pool.mul(two, root), *k0]);
            }
            [k0] => vec![if self.holonomic { pool.sqrt(*k0) } else { *k0 }],
            [k1, k0] if self.holonomic && order.is_multiple_of(2) => vec![*k1, *k0],
            _ => return None,
        };
        // Powers of a polynomial with leading coefficient one, highest first.
        let mut product = vec![Pool::ONE];
        for _ in 0..order / factor.len() {
            let mut next = vec![Vec::new(); product.len() + factor.len()];
            for (i, a) in product.iter().enumerate() {
                next[i].push(*a);
                for (j, b) in factor.iter().enumerate() {
                    next[i + j + 1].push(pool.mul(*a, *b));
                }
            }
            product = next.into_iter().map(|parts| pool.total(parts)).collect();
        }
        Some(product.split_off(1))
    }
}
