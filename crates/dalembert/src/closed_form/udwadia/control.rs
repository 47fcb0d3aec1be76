//! C1 in symbols: the inputs of least cost that meet the requirements.
//!
//! With no constraints of nature, an input on every speed and W = M^-1 this is Udwadia's Q_c = M^{1/2} B^+ (b_c - A_c a);
//! with C beside it (his (24)) Q_c = M^{1/2} B^+ (b_c - A_c a) + M^{1/2} (1 - B^+ B) M^{-1/2} C, which control exerts as a whole.

use super::{Projection, independent_requirements};
use crate::closed_form::equations_limits::refuse;
use crate::closed_form::symbol_matrix::{self as sm, Rows};
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool};
use dalembert_syntax::diagnostic::Diagnostic;

/// The control of a model in closed form.
#[derive(Clone, Debug)]
pub struct ExplicitControl {
    /// A_c, rows that do not follow from earlier ones.
    pub matrix: Rows,
    /// b_c
    pub right: Vec<Expr>,
    /// Requirement rows that follow from others.
    pub dropped: Vec<usize>,
    /// u
    pub inputs: Vec<Expr>,
    /// The force that control exerts: S u, and C where there are no constraints of nature.
    pub force: Vec<Expr>,
    /// Whether there is an input on every speed, at the cost of Gauss's principle.
    pub everywhere: bool,
    /// S u
    pub(super) pushes: Vec<Expr>,
    /// P S u
    pub(super) acceleration: Vec<Expr>,
}

impl ExplicitControl {
    pub(super) fn of(
        model: &mut Workspace,
        p: &Projection,
        natural: &[Expr],
        nonideal: Option<&[Expr]>,
    ) -> Result<Self, Box<Diagnostic>> {
        let n = model.form.speeds.len();
        let rows = independent_requirements(model);
        let all = sm::dense(&model.form.requirement_matrix, n);
        let dropped: Vec<usize> = (0..all.len()).filter(|r| !rows.contains(r)).collect();
        let matrix: Rows = rows.iter().map(|r| all[*r].clone()).collect();
        let right: Vec<Expr> = rows.iter().map(|r| model.form.requirement_right[*r]).collect();
        let (constants, columns, cost) =
            (model.constants(), model.form.inputs.clone(), model.form.cost.clone());
        let count = columns.len();
        let pool = &mut model.system.pool;
        let matrix = sm::tidied(pool, matrix);
        let right: Vec<Expr> = right.into_iter().map(|e| pool.tidy(e)).collect();
        let inputs = sm::transposed(&columns, n); // S
        let reach = sm::product(pool, &p.free, &inputs); // P S
        let done = sm::product(pool, &matrix, &reach); // R
        let everywhere = cost.is_none() && is_identity(&inputs, count);
        let cheap = match everywhere {
            true => Some(p.mass.clone()), // W = M^-1
            false => {
                let cost = cost.unwrap_or_else(|| inverse_mass_cost(pool, p, &inputs, count));
                sm::inverse(pool, &cost, &constants)
            }
        };
        let cheap =
            cheap.ok_or_else(|| refuse("the cost of the inputs cannot be inverted in symbols".into()))?;
        let back = sm::transposed(&done, count);
        let weighed = sm::product(pool, &cheap, &back); // W^-1 R^T
        let gram = sm::product(pool, &done, &weighed);
        let gram = sm::inverse(pool, &gram, &constants).ok_or_else(|| {
            refuse(
                "the inputs cannot be shown to meet the requirements everywhere: R W^-1 R^T is not regular"
                    .into(),
            )
        })?;
        let without = sm::times(pool, &matrix, natural);
        let missing = sm::minus(pool, &right, &without);
        let shares = sm::times(pool, &gram, &missing);
        let u = sm::times(pool, &weighed, &shares);
        let pushes = sm::times(pool, &inputs, &u);
        let acceleration = sm::times(pool, &reach, &u);
        let force = match nonideal {
            Some(c) if p.matrix.is_empty() => sm::plus(pool, &pushes, c),
            _ => pushes.clone(),
        };
        Ok(ExplicitControl { matrix, right, dropped, inputs: u, force, everywhere, pushes, acceleration })
    }
}

fn is_identity(inputs: &Rows, count: usize) -> bool {
    let one = |i: usize, j: usize| if i == j { Pool::ONE } else { Pool::ZERO };
    inputs.len() == count && (0..count).all(|i| (0..count).all(|j| inputs[i][j] == one(i, j)))
}

/// W = S^T M^-1 S
fn inverse_mass_cost(pool: &mut Pool, p: &Projection, inputs: &Rows, count: usize) -> Rows {
    let moved = sm::product(pool, &p.inverse_mass, inputs);
    let back = sm::transposed(inputs, count);
    sm::product(pool, &back, &moved)
}
