//! The Legendre transform of a function that is asked for, written out.

use super::write::Writer;
use crate::elaborate::{Names, expression_over};
use crate::formalism::closed_transform::{NotClosed, closed_dual};
use crate::formalism::energies::Law;
use crate::formalism::poincare::own_symbols;
use crate::number::number;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Format, Symbol};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// Writes v = dF/du, u(v) and G(v) = u v - F(u) of a function over some variables; the conjugate of `u` is
/// `v_u`.
///
/// Variables are names of the model (coordinates, rates, speeds, parameters) or new ones. `at` gives values, `u=1`, or
/// slopes with a value on their branch, `v_u=3, u=1`: there the transform is written in numbers too. Where it has no
/// closed form it is, at the start of the model, without being asked for.
pub fn legendre(
    model: &mut Workspace,
    function: &str,
    variables: &[String],
    at: &str,
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
    let conjugates: Vec<Expr> = v.iter().map(|s| pool.var(*s)).collect();
    let slopes: Vec<Expr> = pool.gradient(F, &u).iter().map(|e| pool.simplify(*e)).collect();
    let mut w = Writer::new(format, model.system.title.as_deref());
    w.own(pool, "F", F);
    for (symbol, e) in v.iter().zip(&slopes) {
        w.definition(pool, *symbol, *e);
    }
    let found = closed_dual(pool, F, &u, &conjugates, &constants);
    let numbers = !at.is_empty() || matches!(found, Err(NotClosed::NoRule(_)));
    match found {
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
    if numbers {
        let place = Place::of(model, [variables, &names], at)?;
        w.note(&place.told(model, F, &u, [variables, &names]));
    }
    model.check_memory()?;
    Ok(w.finish(&mut model.system))
}

/// Where a transform is evaluated.
struct Place {
    /// Values of the variables, as far as they are known.
    values: Vec<Option<f64>>,
    /// Slopes that are asked for; all or none.
    slopes: Option<Vec<f64>>,
    /// Values of the names of the model.
    known: Vec<(String, f64)>,
}

impl Place {
    /// The start of the model with what is given over it.
    fn of(model: &mut Workspace, [u, v]: [&[String]; 2], at: &str) -> Result<Self, Box<Diagnostic>> {
        let mut known: Vec<(String, f64)> = match model.start() {
            Err(_) => Vec::new(),
            Ok(start) => {
                let state = start.state.x.iter().chain(&start.state.eta).copied();
                let named = model.state_names().into_iter().map(str::to_owned).zip(state);
                named.chain([("t".to_owned(), start.state.t)]).collect()
            }
        };
        let parameters = model.system.parameters.iter().map(|p| p.name.clone());
        known.extend(parameters.zip(model.compiled.parameters().iter().copied()));
        let mut slopes = vec![None; v.len()];
        let mut others: Vec<(String, f64)> = Vec::new();
        for (name, value) in model.assignments(at)? {
            if let Some(k) = v.iter().position(|v| *v == name) {
                slopes[k] = Some(value);
            } else if let Some(entry) = known.iter_mut().find(|known| known.0 == name) {
                entry.1 = value;
            } else if u.contains(&name) {
                others.push((name, value));
            } else {
                let message =
                    format!("`{name}` is not a variable of the function, its slope or a name of the model");
                let d = Diagnostic::error(Code::BadOption, None, message);
                return Err(Box::new(d.help(format!(
                    "the variables are {}, their slopes {}",
                    u.join(", "),
                    v.join(", ")
                ))));
            }
        }
        known.extend(others);
        let values: Vec<Option<f64>> =
            u.iter().map(|u| known.iter().find(|known| known.0 == *u).map(|known| known.1)).collect();
        let slopes = match slopes.iter().flatten().count() {
            0 => None,
            n if n == v.len() => Some(slopes.into_iter().flatten().collect()),
            _ => {
                let message = "slopes are given for some of the variables only".to_owned();
                let d = Diagnostic::error(Code::BadOption, None, message);
                return Err(Box::new(
                    d.help(format!("give all of {}, or values of the variables", v.join(", "))),
                ));
            }
        };
        Ok(Place { values, slopes, known })
    }

    /// The transform in numbers, or what is missing.
    fn told(&self, model: &mut Workspace, F: Expr, u: &[Symbol], [names, v]: [&[String]; 2]) -> String {
        let Some(values) = self.values.iter().copied().collect::<Option<Vec<f64>>>() else {
            let ask: Vec<String> = names.iter().map(|name| format!("{name}=1")).collect();
            let slopes: Vec<String> = v.iter().map(|name| format!("{name}=2")).collect();
            return format!(
                "in numbers: --at \"{0}\" for v and G there, --at \"{1}, {0}\" for u and G at slopes, on the branch through these values",
                ask.join(", "),
                slopes.join(", ")
            );
        };
        let pool = &mut model.system.pool;
        let held = self.known.iter().filter(|known| !names.contains(&known.0));
        let held: Vec<(Symbol, f64)> = held.map(|(name, value)| (pool.symbol(name), *value)).collect();
        let free = |s: &Symbol| !u.contains(s) && !held.iter().any(|held| held.0 == *s);
        if let Some(s) = pool.symbols(&[F]).into_iter().find(free) {
            return format!(
                "in numbers: --at with a value of {}, which the start does not give",
                pool.name(s)
            );
        }
        let law = Law::new(pool, F, u, &held);
        let listed = |names: &[String], values: &[f64]| -> String {
            let each = names.iter().zip(values).map(|(name, v)| format!("{name} = {}", number(*v + 0.0)));
            each.collect::<Vec<_>>().join(", ")
        };
        let slopes = self.slopes.clone().unwrap_or_else(|| law.slopes(&values));
        let plain: Vec<&str> = names.iter().map(String::as_str).collect();
        match law.dual(&slopes, &values) {
            Ok(dual) => {
                let (u, v, G) = (listed(names, &dual.u), listed(v, &slopes), number(dual.value + 0.0));
                format!("in numbers: {u}, {v}, G = {G}")
            }
            Err(why) => {
                format!("in numbers: there is no G at {}: {}", listed(v, &slopes), why.told("dF/du", &plain))
            }
        }
    }
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
