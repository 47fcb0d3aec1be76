//! The Hamilton-Jacobi equation with the model's complete integral, written out: S, H, momenta, dS/da.
//!
//! ```text
//! b_p = A_p(S),   A_p = A_pq(a) d/da_q      operators on the constants [G76 (26)]; d/da_p where none are given
//! ```
//!
//! A_pq depends on the constants alone, so b_p is constant where dS/da_q are; n operators give as much as the n derivatives
//! where det A_pq does not vanish.

use super::write::{Style, Writer};
use crate::elaborate::{Names, expression_over};
use crate::hamilton_jacobi::HamiltonJacobi;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Linear, Pool, Rational, Symbol};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// The determinant of more operators is not written.
const MAX_DETERMINANT: usize = 4;

/// Writes the equation with the constants b_p = A_p(S) of some operators, each a sum over `d_NAME` with coefficients over
/// constants and parameters, as in `a*d_a + c*d_c`.
pub fn hamilton_jacobi(
    model: &mut Workspace,
    operators: &[String],
    style: impl Into<Style>,
) -> Result<String, Box<Diagnostic>> {
    model.derive_symbols()?;
    model.require_dense("this form")?;
    written(model, operators, style.into())
}

pub(super) fn write(model: &mut Workspace, style: Style) -> Result<String, Box<Diagnostic>> {
    written(model, &[], style)
}

fn written(model: &mut Workspace, operators: &[String], style: Style) -> Result<String, Box<Diagnostic>> {
    let jacobi = HamiltonJacobi::of(model)?;
    let operators = read(model, &jacobi, operators)?;
    let verified = jacobi.verify(model)?;
    let pool = &mut model.system.pool;
    let mut w = Writer::new(style, model.system.title.as_deref());
    let S = pool.simplify(jacobi.integral.action);
    w.function(pool, "S", S);
    w.function(pool, "H", jacobi.hamiltonian);
    let residual = pool.simplify(jacobi.residual);
    w.note(match model.form.frame {
        None => "H8: dS/dt + H(x, dS/dx, t)",
        Some(_) => "H8: X0(S) + H(x, X_p S, t), with the fields X0 and X_p of the frame",
    });
    w.own(pool, "residual", residual);
    w.note(&match verified.proved {
        true if model.system.constraints.rows.is_empty() => "it vanishes identically".to_owned(),
        true => "it vanishes identically on the constraints".to_owned(),
        false => format!(
            "it vanishes at {} random places, to {:.0e} of its terms; a proof was not found",
            verified.points, verified.worst
        ),
    });
    w.note(&format!(
        "second derivatives by coordinates and constants have rank {}: the integral is complete",
        verified.rank
    ));
    let names: Vec<&str> = jacobi.integral.constants.iter().map(|(name, _)| name.as_str()).collect();
    if verified.free.len() < names.len() {
        let free: Vec<String> = verified.free.iter().map(|k| format!("{0}, b_{0}", names[*k])).collect();
        let others = (0..names.len()).filter(|k| !verified.free.contains(k)).map(|k| names[k]);
        w.note(&format!(
            "of the {} constants {} are free: {}; the motion does not depend on {}",
            2 * names.len(),
            2 * free.len(),
            free.join(", "),
            others.collect::<Vec<_>>().join(", ")
        ));
    }
    w.note("the motion: momenta, and constants b");
    let pool = &mut model.system.pool;
    for (symbol, slope) in jacobi.momenta.iter().zip(&jacobi.slopes) {
        let e = pool.simplify(*slope);
        w.definition(pool, *symbol, e);
    }
    for ((name, _), e) in jacobi.integral.constants.iter().zip(&jacobi.coordinates) {
        let e = pool.simplify(*e);
        w.own(pool, &format!("b_{name}"), e);
    }
    if !operators.is_empty() {
        w.note("constants b_p = A_p(S) by the operators A_p on the constants");
    }
    for (k, coefficients) in operators.iter().enumerate() {
        let parts: Vec<Expr> =
            coefficients.iter().zip(&jacobi.coordinates).map(|(c, b)| pool.mul(*c, *b)).collect();
        let e = pool.total(parts);
        let e = pool.simplify(e);
        w.own(pool, &format!("b_{}", k + 1), e);
    }
    if operators.len() == names.len() && operators.len() <= MAX_DETERMINANT {
        let det = determinant(pool, &operators);
        let det = pool.simplify(det);
        w.note("determinant of the operators: the b_p are independent where it is not 0");
        w.own(pool, "det_A", det);
    }
    Ok(w.finish(&mut model.system))
}

/// The coefficients of operators over `d_NAME`, which may depend on constants of the integral and parameters.
fn read(
    model: &mut Workspace,
    jacobi: &HamiltonJacobi,
    operators: &[String],
) -> Result<Vec<Vec<Expr>>, Box<Diagnostic>> {
    let constants: Vec<String> = jacobi.integral.constants.iter().map(|(name, _)| name.clone()).collect();
    let slopes: Vec<String> = constants.iter().map(|name| format!("d_{name}")).collect();
    let refuse = |text: &str, message: &str| {
        let d = Diagnostic::error(Code::BadOption, None, format!("the operator `{text}` {message}"));
        let all = slopes.join(", ");
        Box::new(d.help(format!("write a sum over {all}, as in `{0}*d_{0}`", constants[0])))
    };
    let mut list = Vec::new();
    for text in operators {
        let others = constants.iter().chain(&slopes).cloned().collect();
        let system = &mut model.system;
        let names = Names { parameters: &system.parameters, coordinates: &[], others };
        let (mut from, e) = expression_over(text, &names)?;
        let e = system.pool.import(&mut from, &[e])[0];
        let pool = &mut system.pool;
        let d: Vec<Symbol> = slopes.iter().map(|name| pool.symbol(name)).collect();
        let Some(Linear { coefficients, constant }) = pool.linear(e, &d) else {
            return Err(refuse(text, "is not linear in the derivatives by the constants"));
        };
        let constant = pool.simplify(constant);
        if constant != Pool::ZERO {
            return Err(refuse(text, "has a part that is not a derivative by a constant"));
        }
        if coefficients.iter().any(|c| pool.depends_on(*c, &[model.form.time])) {
            return Err(refuse(text, "depends on time, and its constant would not be one"));
        }
        list.push(images(pool, &coefficients, &jacobi.integral.constants));
    }
    Ok(list)
}

/// By its first row.
fn determinant(pool: &mut Pool, rows: &[Vec<Expr>]) -> Expr {
    let Some((first, rest)) = rows.split_first() else { return Pool::ONE };
    let mut parts = Vec::new();
    for (j, e) in first.iter().enumerate().filter(|(_, e)| **e != Pool::ZERO) {
        let without = |row: &Vec<Expr>| (0..row.len()).filter(|k| *k != j).map(|k| row[k]).collect();
        let minor: Vec<Vec<Expr>> = rest.iter().map(without).collect();
        let minor = determinant(pool, &minor);
        let sign = if j % 2 == 0 { Rational::ONE } else { Rational::MINUS_ONE };
        parts.push((pool.mul(*e, minor), sign));
    }
    pool.combine(parts)
}

/// Coefficients over the constants of the integral.
fn images(pool: &mut Pool, coefficients: &[Expr], constants: &[(String, Symbol)]) -> Vec<Expr> {
    let images: Vec<(Symbol, Expr)> =
        constants.iter().map(|(name, symbol)| (pool.symbol(name), pool.var(*symbol))).collect();
    pool.substitute(coefficients, &images)
}
