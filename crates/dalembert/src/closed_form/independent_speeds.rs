//! Independent speeds: a basis of the virtual displacements in symbols, for the equations of Maggi, Kane and Appell.
//!
//! ```text
//! P7  eta' = T w' + d,   A T = 0,  A d = b:    T^T (M eta' - Q - C) = 0
//! ```
//!
//! Some speeds are chosen as dependent, as many as there are independent rows, and solved for: T is the identity on the
//! others, w. Entries that are numbers make the best pivots; what divides must not vanish near the starting state.
//! For rows nonlinear in the speeds A = d psi/d eta, which is Chetaev's definition of a virtual displacement (P8).
//! Checked by `tests/it/printed.rs`.

use crate::closed_form::equations_limits::{MAX_COST, MAX_ROWS, refuse};
use crate::closed_form::symbol_matrix::{self as sm, Rows};
use crate::closed_form::udwadia::independent_rows;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool};
use dalembert_run::{Dynamics, Terms};
use dalembert_syntax::diagnostic::Diagnostic;

/// A pivot must be at least this part of the largest entry of its row.
const PIVOT: f64 = 0.05;

/// The split of the speeds, with T and d.
#[derive(Clone, Debug)]
pub(crate) struct IndependentSpeeds {
    /// Numbers of the speeds w.
    pub independent: Vec<usize>,
    /// Numbers of the others.
    pub dependent: Vec<usize>,
    /// T, a row for each speed.
    pub basis: Rows,
    /// d
    pub offset: Vec<Expr>,
    /// Rows that follow from others.
    pub dropped: Vec<usize>,
}

impl IndependentSpeeds {
    /// Of a model.
    pub fn of(model: &mut Workspace) -> Result<Self, Box<Diagnostic>> {
        let (rows, dropped) = independent_rows(model);
        let n = model.form.speeds.len();
        if rows.len() > MAX_ROWS {
            return Err(refuse(format!(
                "dependent speeds are solved for with up to {MAX_ROWS} independent rows; this model has {}",
                rows.len()
            )));
        }
        let all = sm::dense(&model.form.constraint_matrix, n);
        let values = row_values(model, &rows, n);
        let right: Vec<Expr> = rows.iter().map(|r| model.form.constraint_right[*r]).collect();
        let constants = model.constants();
        let pool = &mut model.system.pool;
        let matrix: Rows = rows.iter().map(|r| all[*r].iter().map(|e| pool.tidy(*e)).collect()).collect();
        let Some(dependent) = choose(pool, &matrix, values) else {
            return Err(refuse("no choice of independent speeds was found near the starting state".into()));
        };
        let independent: Vec<usize> = (0..n).filter(|p| !dependent.contains(p)).collect();
        let of = |columns: &[usize]| -> Rows {
            matrix.iter().map(|row| columns.iter().map(|c| row[*c]).collect()).collect()
        };
        let Some(inverse) = sm::inverse(pool, &of(&dependent), &constants) else {
            return Err(refuse(
                "the constraints cannot be solved for the dependent speeds in symbols".into(),
            ));
        };
        let solved = sm::product(pool, &inverse, &of(&independent));
        let moved = sm::times(pool, &inverse, &right);
        let (mut basis, mut offset) = (vec![vec![Pool::ZERO; independent.len()]; n], vec![Pool::ZERO; n]);
        for (j, p) in independent.iter().enumerate() {
            basis[*p][j] = Pool::ONE;
        }
        for (i, p) in dependent.iter().enumerate() {
            basis[*p] = (0..independent.len()).map(|j| pool.neg(solved[i][j])).collect();
            offset[*p] = moved[i];
        }
        sm::check_length(pool, [&basis], MAX_COST)?;
        Ok(IndependentSpeeds { independent, dependent, basis, offset, dropped })
    }

    /// T^T f
    pub fn along(&self, pool: &mut Pool, f: &[Expr]) -> Vec<Expr> {
        let back = sm::transposed(&self.basis, self.independent.len());
        sm::times(pool, &back, f)
    }
}

/// Values of the rows beside the starting state; ones where there is none.
fn row_values(model: &mut Workspace, rows: &[usize], n: usize) -> Vec<Vec<f64>> {
    let Ok(start) = model.start() else { return vec![vec![1.0; n]; rows.len()] };
    let state =
        crate::constraint::constraint_kind::neighbour(model, &start.state).map_or(start.state, |s| s.state);
    let mut terms = Terms::of(&model.compiled);
    let mut scratch = vec![0.0; model.compiled.scratch_len()];
    model.compiled.terms(state.point(), &mut scratch, &mut terms);
    let terms = terms.written_out();
    rows.iter().map(|r| terms.A[r * n..(r + 1) * n].to_vec()).collect()
}

/// A column for each row, by elimination on the values: numbers first, then short entries.
fn choose(pool: &mut Pool, matrix: &Rows, mut values: Vec<Vec<f64>>) -> Option<Vec<usize>> {
    let mut chosen = vec![usize::MAX; matrix.len()];
    for _ in 0..matrix.len() {
        let mut best: Option<((bool, u64), usize, usize)> = None;
        for r in (0..matrix.len()).filter(|r| chosen[*r] == usize::MAX) {
            let largest = values[r].iter().fold(0.0f64, |m, v| m.max(v.abs()));
            for c in (0..values[r].len()).filter(|c| !chosen.contains(c)) {
                let large = values[r][c].abs() >= PIVOT * largest && values[r][c] != 0.0;
                // An entry that is zero as written may have been filled by elimination: the last choice.
                let key = match matrix[r][c] == Pool::ZERO {
                    true => (true, u64::MAX),
                    false => (pool.as_number(matrix[r][c]).is_none(), pool.cost(matrix[r][c])),
                };
                if large && best.is_none_or(|b| key < b.0) {
                    best = Some((key, r, c));
                }
            }
        }
        let (_, r, c) = best?;
        chosen[r] = c;
        let row = values[r].clone();
        for k in (0..values.len()).filter(|k| chosen[*k] == usize::MAX) {
            let factor = values[k][c] / row[c];
            values[k].iter_mut().zip(&row).for_each(|(v, p)| *v -= factor * p);
        }
    }
    Some(chosen)
}
