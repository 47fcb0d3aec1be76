//! Suslov's form in symbols: momenta that carry multipliers M_a with dM_a = -lambda_a dt.
//!
//! ```text
//! H3  y_p = dL/d eta_p + M_a A_ap  together with  F_a = A_ap eta_p + A_a0 = 0  determine eta and M from (x, y, t)
//! H4  y_p' = X_p(L + M_a F_a) + C_0pq y_q + C_qpr eta_q y_r - M_a N_ap + Q'_p        N of H5
//! H6  where all N vanish, H(x, y, t) = y_p eta_p - L is an ordinary Hamiltonian on the redundant phase space
//! ```
//!
//! For constraints linear in the speeds, position constraints among them. The flow keeps the constraints and
//! does not depend on the value of M at the start. H3 is solved in symbols where L is quadratic in the
//! speeds; then, with eta and M eliminated, A_a X_p(eta) = -X_p F_a and A_a d(eta)/dy = 0 give
//!
//! ```text
//! eta_p = dH/dy_p,   y_p' = -X_p H + C_0pq y_q + C_qpr eta_q y_r - M_a N_ap + Q'_p        for nonholonomic rows too
//! ```
//!
//! H_a = F_a(x, eta(x,y,t), t) vanishes identically, so that Ghori's K = H - M_a H_a is H. Checked by
//! `tests/it/suslov.rs`.

use crate::formalism::hamilton::Quadratic;
use crate::formalism::poincare::{
    Fields, LinearRow, Poincare, dot, linear_rows, momentum_symbols, own_symbols, turned,
};
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// What M_a of a row is called.
pub(crate) fn multiplier_name(row: &str) -> String {
    format!("M_{row}")
}

/// H3 and H4 of a model, over x, eta, M, t.
#[derive(Clone, Debug)]
pub struct Suslov {
    /// L2
    pub equations: Poincare,
    /// L taken apart, where it is quadratic in the speeds.
    pub quadratic: Option<Quadratic>,
    /// G = d2L/d eta2, over x, eta, t.
    pub mass: Vec<Vec<Expr>>,
    /// The rows, all of them linear.
    pub rows: Vec<LinearRow>,
    /// M_a, named `M_` and the row.
    pub multipliers: Vec<Symbol>,
    /// y_p = dL/d eta_p + M_a A_ap
    pub momenta: Vec<Expr>,
    /// y_p' of H4.
    pub rates: Vec<Expr>,
}

impl Suslov {
    /// Refused where a row is not linear, or constraint forces do work of their own.
    pub fn of(model: &mut Workspace) -> Result<Self, Box<Diagnostic>> {
        let equations = Poincare::of(model)?;
        let refuse = |message: String| {
            let d = Diagnostic::error(Code::NotApplicable, None, message);
            Err(Box::new(d.help("the forms lagrange and explicit have no such limit")))
        };
        if model.form.nonideal.is_some() {
            return refuse(
                "Suslov's form is for ideal constraints, and this model has `nonideal` forces".into(),
            );
        }
        let rows = linear_rows(model);
        let all = model.system.constraints.rows.iter().enumerate();
        if let Some((_, row)) = all.into_iter().find(|(r, _)| rows.iter().all(|row| row.row != *r)) {
            return refuse(format!(
                "Suslov's form is for constraints linear in the speeds; `{}` is not",
                row.name
            ));
        }
        let names: Vec<String> =
            model.system.constraints.rows.iter().map(|r| multiplier_name(&r.name)).collect();
        let multipliers = own_symbols(&mut model.system, &names)?;
        let (pool, form) = (&mut model.system.pool, &model.form);
        let quadratic = Quadratic::of(pool, equations.lagrangian, &equations.momenta, &form.speeds);
        let mass = match &quadratic {
            Some(quadratic) => quadratic.mass.clone(),
            None => form.mass_matrix.written_out(),
        };
        let M: Vec<Expr> = multipliers.iter().map(|s| pool.var(*s)).collect();
        let eta: Vec<Expr> = form.speeds.iter().map(|s| pool.var(*s)).collect();
        let n = eta.len();
        let momenta: Vec<Expr> = (0..n)
            .map(|p| {
                let column: Vec<Expr> = rows.iter().map(|row| row.coefficients[p]).collect();
                let carried = dot(pool, &M, &column);
                pool.add(equations.momenta[p], carried)
            })
            .collect();
        let imposed = dot(pool, &M, &form.velocity_residuals);
        let whole = pool.add(equations.lagrangian, imposed);
        let slopes = Fields::of(pool, form).all(pool, whole);
        let turned = turned(pool, &form.structure, &eta, &momenta);
        let rates = (0..n)
            .map(|p| {
                let column: Vec<Expr> = rows.iter().map(|row| row.nonholonomy[p]).collect();
                let measure = dot(pool, &M, &column);
                let parts = [slopes[p], turned[p], equations.impressed[p]].map(|e| (e, Rational::ONE));
                pool.combine(parts.into_iter().chain([(measure, Rational::MINUS_ONE)]))
            })
            .collect();
        Ok(Suslov { equations, quadratic, mass, rows, multipliers, momenta, rates })
    }

    /// Whether all rows are holonomic by H5, so that H6 applies.
    pub fn holonomic(&self) -> bool {
        self.rows.iter().flat_map(|row| &row.nonholonomy).all(|e| *e == Pool::ZERO)
    }
}

/// H3 solved in symbols.
#[derive(Clone, Debug)]
pub struct Solved {
    /// y
    pub momenta: Vec<Symbol>,
    /// eta(x, y, t)
    pub speeds: Vec<Expr>,
    /// M(x, y, t)
    pub multipliers: Vec<Expr>,
    /// H(x, y, t) = y_p eta_p - L; a Hamiltonian where all rows are holonomic (H6).
    pub hamiltonian: Expr,
    /// y' = -X_p H + ... - M_a N_ap + Q'_p, over x, y, t.
    pub rates: Vec<Expr>,
}

impl Suslov {
    /// `[G A^T; A 0] (eta, M) = (y - g, -A_0)` by inversion in symbols; `None` where the matrix is singular,
    /// or L is not quadratic in the speeds.
    pub fn solve(&self, model: &mut Workspace) -> Result<Option<Solved>, Box<Diagnostic>> {
        let momenta = momentum_symbols(&mut model.system)?;
        let Some(quadratic) = &self.quadratic else { return Ok(None) };
        let constants = model.constants();
        let pool = &mut model.system.pool;
        let (n, m) = (momenta.len(), self.rows.len());
        let mut saddle = vec![vec![Pool::ZERO; n + m]; n + m];
        for p in 0..n {
            saddle[p][..n].copy_from_slice(&quadratic.mass[p]);
            for (a, row) in self.rows.iter().enumerate() {
                let e = pool.simplify(row.coefficients[p]);
                saddle[p][n + a] = e;
                saddle[n + a][p] = e;
            }
        }
        let Some(inverse) = pool.regular_inverse(&saddle, &constants) else { return Ok(None) };
        let y: Vec<Expr> = momenta.iter().map(|s| pool.var(*s)).collect();
        let mut right: Vec<Expr> = y.iter().zip(&quadratic.linear).map(|(y, g)| pool.sub(*y, *g)).collect();
        right.extend(self.rows.iter().map(|row| pool.neg(row.constant)));
        let mut solution: Vec<Expr> = Vec::new();
        for row in &inverse {
            let row: Vec<Expr> = row.iter().map(|e| pool.simplify(*e)).collect();
            let e = dot(pool, &row, &right);
            solution.push(pool.simplify(e));
        }
        let multipliers = solution.split_off(n);
        // With G eta = y - g - A^T M and A eta = -A_0, y eta - L is ((y - g) eta - M A_0)/2 - L(x, 0, t).
        let product = dot(pool, &right[..n], &solution);
        let imposed = dot(pool, &right[n..], &multipliers);
        let hamiltonian = pool.combine([
            (product, Rational::HALF),
            (imposed, Rational::HALF),
            (quadratic.rest, Rational::MINUS_ONE),
        ]);
        let hamiltonian = pool.simplify(hamiltonian);
        let mut solved = Solved { momenta, speeds: solution, multipliers, hamiltonian, rates: Vec::new() };
        solved.rates = self.canonical_rates(model, &solved, &y);
        Ok(Some(solved))
    }

    /// y' by the slopes of H, with eta and M eliminated.
    fn canonical_rates(&self, model: &mut Workspace, solved: &Solved, y: &[Expr]) -> Vec<Expr> {
        let (pool, form) = (&mut model.system.pool, &model.form);
        let of_speeds = form.speeds.iter().copied().zip(solved.speeds.iter().copied());
        let images: Vec<(Symbol, Expr)> = of_speeds.collect();
        let slopes = Fields::of(pool, form).all(pool, solved.hamiltonian);
        let turned = turned(pool, &form.structure, &solved.speeds, y);
        let impressed = pool.substitute(&self.equations.impressed, &images);
        let mut rates = Vec::with_capacity(y.len());
        for p in 0..y.len() {
            let measures: Vec<Expr> = self.rows.iter().map(|row| row.nonholonomy[p]).collect();
            let measures = pool.substitute(&measures, &images);
            let carried = dot(pool, &solved.multipliers, &measures);
            rates.push(pool.combine([
                (slopes[p], Rational::MINUS_ONE),
                (turned[p], Rational::ONE),
                (carried, Rational::MINUS_ONE),
                (impressed[p], Rational::ONE),
            ]));
        }
        rates
    }
}
