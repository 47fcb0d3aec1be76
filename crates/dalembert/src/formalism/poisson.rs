//! Brackets of functions of (x, y, t) in any frame, evolution in time, and multipliers by Dirac's brackets.
//!
//! ```text
//! H2  (f,g) = df/dy_p X_p g - dg/dy_p X_p f + C_qpr y_r df/dy_q dg/dy_p
//!     g' = X0 g + (H,g) + dg/dy_p (C_0pq y_q + Q'_p)
//! H7  phi = (f_1..f_m, f_1'..f_m'):   phi_j' - mu_i (phi_i,phi_j) = 0,   lambda_a = mu_a
//!     (f,g)_D = (f,g) - (f,phi_i) D^-1_ij (phi_j,g),   D_ij = (phi_i,phi_j)
//! ```
//!
//! With coordinates and their momenta (f,g) is minus the bracket of Poisson, {q,p} = 1. The term with C_0pq is what X0 does
//! to momenta where the frame moves. Ghori's equation for the multipliers uses the f_a' alone; that matrix is antisymmetric
//! and so singular for every odd number of constraints. Checked by `tests/it/bracket.rs`: antisymmetry, Leibniz, Jacobi,
//! and the pendulum exactly.

use crate::formalism::hamilton::{Canonical, MAX_EXPLICIT};
use crate::formalism::poincare::Fields;
use crate::kernel_form::Structure;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// The bracket H2 of a model.
///
/// ```
/// use dalembert::poisson::Brackets;
/// use dalembert::hamilton::Canonical;
/// use dalembert::{Model, Source};
/// let text = "parameter m = 1, g = 9.81\ncoordinate x\nkinetic m/2*x'^2\npotential m*g*x";
/// let mut model = Model::load(&Source::new("fall.dal", text), &Default::default()).unwrap().workspace();
/// let canonical = Canonical::of(&mut model).map_err(|d| d.message).unwrap();
/// let brackets = Brackets::new(&mut model, &canonical);
/// let pool = &mut model.system.pool;
/// let (x, p) = (pool.named("x"), pool.named("p_x"));
/// let one = brackets.bracket(pool, p, x);
/// assert_eq!(pool.text(one), "1");
/// let rate = brackets.rate(pool, p);
/// assert_eq!(pool.text(rate), "-m*g");
/// ```
#[derive(Clone, Debug)]
pub struct Brackets {
    space: PhaseSpace,
    hamiltonian: Expr,
    impressed: Vec<Expr>,
}

/// Coordinates and momenta of a frame with the bracket H2, which needs no Hamiltonian.
#[derive(Clone, Debug)]
pub(crate) struct PhaseSpace {
    fields: Fields,
    momenta: Vec<Symbol>,
    structure: Structure,
}

impl PhaseSpace {
    /// The phase space of a model, over these symbols of its momenta.
    pub fn new(model: &mut Workspace, momenta: &[Symbol]) -> Self {
        PhaseSpace {
            fields: Fields::of(&mut model.system.pool, &model.form),
            momenta: momenta.to_vec(),
            structure: model.form.structure.clone(),
        }
    }

    /// `(f, g)`
    pub fn bracket(&self, pool: &mut Pool, f: Expr, g: Expr) -> Expr {
        let (f_y, g_y) = (pool.gradient(f, &self.momenta), pool.gradient(g, &self.momenta));
        let (f_x, g_x) = (self.fields.all(pool, f), self.fields.all(pool, g));
        let mut parts = Vec::new();
        for p in 0..self.momenta.len() {
            parts.push((pool.mul(f_y[p], g_x[p]), Rational::ONE));
            parts.push((pool.mul(g_y[p], f_x[p]), Rational::MINUS_ONE));
        }
        for (q, p, r, c) in &self.structure.entries {
            let y = pool.var(self.momenta[*r]);
            let factors = [*c, y, f_y[*q], g_y[*p]].map(|e| (e, Rational::ONE));
            parts.push((pool.product(factors), Rational::ONE));
        }
        pool.combine(parts)
    }

    /// X0 g of a function of (x, y, t), with what a moving frame does to the momenta: g' where H = 0.
    fn explicit_rate(&self, pool: &mut Pool, g: Expr, g_y: &[Expr]) -> Expr {
        let mut parts = vec![self.fields.zeroth(pool, g)];
        for (p, q, c) in &self.structure.with_time {
            let y = pool.var(self.momenta[*q]);
            parts.push(pool.product([*c, y, g_y[*p]].map(|e| (e, Rational::ONE))));
        }
        pool.total(parts)
    }
}

impl Brackets {
    /// The bracket over the momenta of a transform, with the flow of its Hamiltonian.
    pub fn new(model: &mut Workspace, canonical: &Canonical) -> Self {
        Brackets {
            space: PhaseSpace::new(model, &canonical.momenta),
            hamiltonian: canonical.hamiltonian,
            impressed: canonical.impressed.clone(),
        }
    }

    /// `(f, g)`
    pub fn bracket(&self, pool: &mut Pool, f: Expr, g: Expr) -> Expr {
        self.space.bracket(pool, f, g)
    }

    /// g' along the motion without constraint forces.
    pub fn rate(&self, pool: &mut Pool, g: Expr) -> Expr {
        let g_y = pool.gradient(g, &self.space.momenta);
        let explicit = self.space.explicit_rate(pool, g, &g_y);
        let mut parts = vec![explicit, self.bracket(pool, self.hamiltonian, g)];
        for (g, force) in g_y.iter().zip(&self.impressed) {
            parts.push(pool.mul(*g, *force));
        }
        pool.total(parts)
    }
}

/// Dirac's brackets of a model with position constraints.
#[derive(Clone, Debug)]
pub struct Dirac {
    /// The brackets without constraints.
    pub brackets: Brackets,
    /// f_1..f_m, f_1'..f_m' over (x, y, t).
    pub constraints: Vec<Expr>,
    /// D^-1
    inverse: Vec<Vec<Expr>>,
}

impl Dirac {
    /// Refused where a row is on rates, where rows depend on each other, and beyond `MAX_EXPLICIT` functions.
    pub fn new(model: &mut Workspace, canonical: &Canonical) -> Result<Self, Box<Diagnostic>> {
        let refuse = |message: String| Err(Box::new(Diagnostic::error(Code::NotApplicable, None, message)));
        if let Some(row) = model.system.constraints.rows.iter().find(|row| !row.holonomic) {
            return refuse(format!(
                "Dirac's brackets are for position constraints; `{}` is on rates",
                row.name
            ));
        }
        let brackets = Brackets::new(model, canonical);
        let mut constraints: Vec<Expr> =
            model.system.constraints.rows.iter().map(|row| row.residual).collect();
        if 2 * constraints.len() > MAX_EXPLICIT {
            return refuse(format!("Dirac's brackets are formed for up to {} constraints", MAX_EXPLICIT / 2));
        }
        let constants = model.constants();
        let pool = &mut model.system.pool;
        for a in 0..constraints.len() {
            let rate = brackets.rate(pool, constraints[a]);
            constraints.push(pool.simplify(rate));
        }
        let k = constraints.len();
        let mut matrix = vec![vec![Pool::ZERO; k]; k];
        for i in 0..k {
            for j in 0..i {
                let e = brackets.bracket(pool, constraints[i], constraints[j]);
                matrix[i][j] = pool.simplify(e);
                matrix[j][i] = pool.neg(matrix[i][j]);
            }
        }
        let Some(inverse) = pool.regular_inverse(&matrix, &constants) else {
            return refuse(
                "the matrix of brackets of the constraints is singular: rows depend on each other".into(),
            );
        };
        model.check_memory()?;
        Ok(Dirac { brackets, constraints, inverse })
    }

    /// lambda of each row (H7), over (x, y, t); those of U2 where the constraints hold.
    pub fn multipliers(&self, pool: &mut Pool) -> Vec<Expr> {
        let rates: Vec<Expr> = self.constraints.iter().map(|phi| self.brackets.rate(pool, *phi)).collect();
        let k = self.constraints.len();
        let solve = |pool: &mut Pool, i: usize| {
            let parts: Vec<Expr> = (0..k).map(|j| pool.mul(rates[j], self.inverse[j][i])).collect();
            let e = pool.total(parts);
            pool.simplify(e)
        };
        (0..k / 2).map(|i| solve(pool, i)).collect()
    }

    /// `(f, g)_D`
    pub fn bracket(&self, pool: &mut Pool, f: Expr, g: Expr) -> Expr {
        let left: Vec<Expr> =
            self.constraints.iter().map(|phi| self.brackets.bracket(pool, f, *phi)).collect();
        let right: Vec<Expr> =
            self.constraints.iter().map(|phi| self.brackets.bracket(pool, *phi, g)).collect();
        let mut parts = vec![(self.brackets.bracket(pool, f, g), Rational::ONE)];
        for (l, row) in left.iter().zip(&self.inverse) {
            for (e, r) in row.iter().zip(&right) {
                let factors = [*l, *e, *r].map(|e| (e, Rational::ONE));
                parts.push((pool.product(factors), Rational::MINUS_ONE));
            }
        }
        let e = pool.combine(parts);
        pool.simplify(e)
    }
}
