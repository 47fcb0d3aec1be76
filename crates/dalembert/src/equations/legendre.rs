//! The Legendre transform of a function that is asked for, written out.

use super::write::Writer;
use crate::elaborate::{Names, expression_over};
use crate::formalism::closed_transform::{NotClosed, closed_dual};
use crate::formalism::poincare::own_symbols;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Format, Symbol};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// Writes v = dF/du, u(v) and G(v) = u v - F(u) of a function over some variables; the conjugate of `u` is
/// `v_u`.
///
/// Variables are names of the model (coordinates, rates, speeds, parameters) or new ones.
pub fn legendre(
    model: &mut Workspace,
    function: &str,
    variables: &[String],
    format: Format,
) -> Result<String, Box<Diagnostic>> {
    let refuse = |message: String| Diagnostic::error(Code::BadOption, None, message);
    if variables.is_empty() {
        let d = refuse("the Legendre transform is over variables, and none are named".into());
        return Err(Box::new(d.help("name them, as in `--variables \"u, v\"`")));
    }
    let (F, u) = read(model, function, variables)?;
    let names: Vec<String> =
        variables.iter().map(|name| format!("v_{}", name.replace('\'', "_dot"))).collect();
    let v = own_symbols(&mut model.system, &names)?;
    let constants: Vec<(Symbol, f64)> =
        model.constants().into_iter().filter(|(s, _)| !u.contains(s)).collect();
    let pool = &mut model.system.pool;
    let at: Vec<Expr> = v.iter().map(|s| pool.var(*s)).collect();
    let slopes: Vec<Expr> = pool.gradient(F, &u).iter().map(|e| pool.simplify(*e)).collect();
    let mut w = Writer::new(format, model.system.title.as_deref());
    w.own(pool, "F", F);
    for (symbol, e) in v.iter().zip(&slopes) {
        w.definition(pool, *symbol, *e);
    }
    match closed_dual(pool, F, &u, &at, &constants) {
        Ok(dual) => {
            w.note("the inverse, and G(v) = u v - F(u), whose slopes are u");
            for (symbol, e) in u.iter().zip(dual.inverse) {
                let e = pool.simplify(e);
                w.definition(pool, *symbol, e);
            }
            w.own(pool, "G", dual.value);
        }
        Err(NotClosed::Degenerate) => w.note("there is no transform: the slopes dF/du do not determine the variables"),
        Err(NotClosed::NoRule(i)) => w.note(&format!(
            "the transform has no closed form here: the slope by {} has no closed inverse (quadratic functions, roots of quadratic forms, and slopes with one variable once in odd powers, exponentials, logarithms and sinh have)",
            variables[i]
        )),
    }
    model.check_memory()?;
    Ok(w.finish(&mut model.system))
}

/// The function and its variables in the pool of the model.
fn read(
    model: &mut Workspace,
    function: &str,
    variables: &[String],
) -> Result<(Expr, Vec<Symbol>), Box<Diagnostic>> {
    let system = &mut model.system;
    let rates = system.frame.coordinates.iter().map(|c| format!("{}'", c.name));
    let own = |name: &String| {
        system.frame.coordinates.iter().any(|c| c.name == *name)
            || system.parameters.iter().any(|p| p.name == *name)
    };
    let mut known: Vec<String> = rates.chain(["t".to_owned()]).collect();
    let mut others: Vec<String> =
        system.frame.speeds.iter().filter(|s| s.rate_of.is_none()).map(|s| s.name.clone()).collect();
    known.extend(others.iter().cloned());
    others.extend(variables.iter().filter(|name| !own(name) && !known.contains(name)).cloned());
    let bad = others.iter().find(|name| {
        let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        !plain || !name.starts_with(|c: char| c.is_alphabetic())
    });
    if let Some(name) = bad.filter(|name| variables.contains(name)) {
        let d = Diagnostic::error(Code::BadOption, None, format!("`{name}` is not a name"));
        return Err(Box::new(d.help("write letters, digits and _, a letter first")));
    }
    let names = Names { parameters: &system.parameters, coordinates: &system.frame.coordinates, others };
    let (mut from, F) = expression_over(function, &names)?;
    let F = system.pool.import(&mut from, &[F])[0];
    Ok((F, variables.iter().map(|name| system.pool.symbol(name)).collect()))
}
