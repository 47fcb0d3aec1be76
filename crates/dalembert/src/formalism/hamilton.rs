//! The Legendre transform of a model in symbols, and Hamilton's equations in any frame.
//!
//! ```text
//! H1  y_p = dL/d eta_p,  H = y_p eta_p - L;   x' = X0 + (dH/dy_p) X_p,
//!     y_p' = -X_p H + C_0pq y_q + C_qpr eta_q y_r + Q'_p + (constraint forces)
//! ```
//!
//! Exact where L is quadratic in the speeds: with y = G eta + g, eta = G^-1 (y - g) and
//! H = (y - g)^T G^-1 (y - g)/2 - L(x, 0, t), G inverted in symbols; and where L has one of the closed inverses of
//! [`closed_dual`]: powers, and the root of a relativistic particle. Everything else is refused here, with the
//! reason: the transform then has no closed form in general, and [`crate::formalism::momentum_form::Momenta`] does it in numbers.
//! Checked by `tests/it/hamilton.rs`.

pub use crate::formalism::closed_transform::Quadratic;
use crate::formalism::closed_transform::closed_dual;
use crate::formalism::poincare::{Fields, Poincare, dot, momentum_symbols, turned};
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// Closed forms are given for at most this many speeds and rows together.
pub const MAX_EXPLICIT: usize = 8;
/// ... and while no entry is longer than this.
pub(crate) const MAX_EXPLICIT_COST: u64 = 20_000;

/// A model in canonical variables (x, y).
#[derive(Clone, Debug)]
pub struct Canonical {
    /// y, named `p_x` for the speed x' and `p_u` for the speed u.
    pub momenta: Vec<Symbol>,
    /// H(x, y, t)
    pub hamiltonian: Expr,
    /// eta(x, y, t) = dH/dy
    pub speeds: Vec<Expr>,
    /// x', over x, y, t.
    pub x_dot: Vec<Expr>,
    /// y' without constraint forces, over x, y, t.
    pub y_dot: Vec<Expr>,
    /// Q', over x, y, t.
    pub impressed: Vec<Expr>,
}

/// Why a model has no Legendre transform in symbols.
fn refusal(message: String, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(Code::NotApplicable, None, message).help(help))
}

const OTHER_FORMS: &str = "the forms lagrange and poincare are written for any model with a Lagrangian";

/// The quadratic L of a model and the inverse of its G; refused where there is none, or beyond [`MAX_EXPLICIT`].
pub(crate) fn invert(
    model: &mut Workspace,
    equations: &Poincare,
) -> Result<(Quadratic, Vec<Vec<Expr>>), Box<Diagnostic>> {
    let (pool, n) = (&mut model.system.pool, model.form.speeds.len());
    let Some(quadratic) = Quadratic::of(pool, equations.lagrangian, &equations.momenta, &model.form.speeds)
    else {
        let culprit = equations.momenta.iter().position(|y| pool.linear(*y, &model.form.speeds).is_none());
        let name = culprit.map_or("", |p| &model.system.frame.speeds[p].name);
        let message = format!(
            "H has no closed form here: the Lagrangian is not quadratic in the speeds (its derivative by `{name}` is not linear)"
        );
        return Err(refusal(message, "`simulate --form hamilton` solves for the speeds in numbers"));
    };
    if n > MAX_EXPLICIT {
        let message = format!("H is written for up to {MAX_EXPLICIT} speeds; this model has {n}");
        return Err(refusal(message, OTHER_FORMS));
    }
    let constants = model.constants();
    let pool = &mut model.system.pool;
    if let Some(p) = quadratic.mass.iter().position(|row| row.iter().all(|e| *e == Pool::ZERO)) {
        let name = &model.system.frame.speeds[p].name;
        let message = format!("dL/d eta = y cannot be solved for the speeds: `{name}` has no inertia");
        return Err(refusal(message, OTHER_FORMS));
    }
    let Some(inverse) = pool.regular_inverse(&quadratic.mass, &constants) else {
        let message = "dL/d eta = y cannot be solved for the speeds: the mass matrix is singular, some combination of speeds has no inertia";
        return Err(refusal(message.into(), OTHER_FORMS));
    };
    let inverse =
        inverse.into_iter().map(|row| row.into_iter().map(|e| pool.simplify(e)).collect()).collect();
    Ok((quadratic, inverse))
}

/// H and the speeds of a Lagrangian quadratic in them.
fn transform(
    model: &mut Workspace,
    equations: &Poincare,
    y: &[Expr],
) -> Result<(Expr, Vec<Expr>), Box<Diagnostic>> {
    let (quadratic, inverse) = invert(model, equations)?;
    let pool = &mut model.system.pool;
    let free: Vec<Expr> = y.iter().zip(&quadratic.linear).map(|(y, g)| pool.sub(*y, *g)).collect();
    let speeds: Vec<Expr> = inverse
        .iter()
        .map(|row| {
            let e = dot(pool, row, &free);
            pool.simplify(e)
        })
        .collect();
    let twice = dot(pool, &free, &speeds);
    let hamiltonian = pool.combine([(twice, Rational::HALF), (quadratic.rest, Rational::MINUS_ONE)]);
    Ok((pool.simplify(hamiltonian), speeds))
}

/// H and the speeds of a Lagrangian with another closed inverse.
fn other_transform(model: &mut Workspace, equations: &Poincare, y: &[Expr]) -> Option<(Expr, Vec<Expr>)> {
    let (constants, speeds) = (model.constants(), model.form.speeds.clone());
    let pool = &mut model.system.pool;
    if speeds.len() > MAX_EXPLICIT || equations.momenta.iter().all(|y| pool.linear(*y, &speeds).is_some()) {
        return None;
    }
    let dual = closed_dual(pool, equations.lagrangian, &speeds, y, &constants).ok()?;
    let inverse = dual.inverse.iter().map(|e| pool.simplify(*e)).collect();
    Some((dual.value, inverse))
}

impl Canonical {
    /// The transform of a model.
    pub fn of(model: &mut Workspace) -> Result<Self, Box<Diagnostic>> {
        let equations = Poincare::of(model)?;
        Self::of_energies(model, &equations)
    }

    /// The transform of a Lagrangian and its applied forces.
    pub(crate) fn of_energies(model: &mut Workspace, equations: &Poincare) -> Result<Self, Box<Diagnostic>> {
        let momenta = momentum_symbols(&mut model.system)?;
        let y: Vec<Expr> = momenta.iter().map(|s| model.system.pool.var(*s)).collect();
        let (hamiltonian, speeds) = match transform(model, equations, &y) {
            Ok(found) => found,
            Err(refused) => other_transform(model, equations, &y).ok_or(refused)?,
        };
        let form = &model.form;
        let pool = &mut model.system.pool;
        let images: Vec<(Symbol, Expr)> = form.speeds.iter().copied().zip(speeds.iter().copied()).collect();
        let x_dot = pool.substitute(&form.x_dot, &images);
        let impressed = pool.substitute(&equations.impressed, &images);
        let fields = Fields::of(pool, form);
        let slopes = fields.all(pool, hamiltonian);
        let turned = turned(pool, &form.structure, &speeds, &y);
        let y_dot = (0..y.len())
            .map(|p| {
                let parts = [(slopes[p], Rational::MINUS_ONE), (turned[p], Rational::ONE)];
                pool.combine(parts.into_iter().chain([(impressed[p], Rational::ONE)]))
            })
            .collect();
        let canonical = Canonical { momenta, hamiltonian, speeds, x_dot, y_dot, impressed };
        canonical.check_length(pool)?;
        Ok(canonical)
    }

    fn check_length(&self, pool: &mut Pool) -> Result<(), Box<Diagnostic>> {
        let longest = self.y_dot.iter().chain([&self.hamiltonian]).map(|e| pool.cost(*e)).max().unwrap_or(0);
        if longest <= MAX_EXPLICIT_COST {
            return Ok(());
        }
        let message = format!(
            "H and its equations would take {longest} operations in one entry, more than the {MAX_EXPLICIT_COST} that are written"
        );
        Err(refusal(message, OTHER_FORMS))
    }

    /// Speeds replaced by momenta.
    pub fn in_momenta(&self, model: &mut Workspace, list: &[Expr]) -> Vec<Expr> {
        let images: Vec<(Symbol, Expr)> =
            model.form.speeds.iter().copied().zip(self.speeds.iter().copied()).collect();
        model.system.pool.substitute(list, &images)
    }
}
