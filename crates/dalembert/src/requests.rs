//! Values given in words from outside: `x = 1, x' = 0.2, t = 0`.

use crate::Model;
use crate::diagnostic::{Code, Diagnostic};
use crate::elaborate::Overrides;
use crate::source::Source;
use crate::syntax::ast::{StatementKind, Subscript};
use crate::syntax::parse;

/// Reads assignments of numbers to names with primes and subscripts.
///
/// ```
/// let pairs = dalembert::requests::assignments("x = 1, q[2]' = -0.2e1").unwrap();
/// assert_eq!(pairs, [("x".to_string(), 1.0), ("q[2]'".to_string(), -2.0)]);
/// assert!(dalembert::requests::assignments("x + 1").is_err());
/// ```
pub fn assignments(text: &str) -> Result<Vec<(String, f64)>, Box<Diagnostic>> {
    let wrong = |what: &str| {
        let d = Diagnostic::error(Code::BadOption, None, format!("`{what}` is no list of values"));
        Box::new(d.help("write it as \"x = 1, x' = 0.2, t = 0\""))
    };
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let (ast, diagnostics) = parse(&Source::new("--at", format!("initial {text}")));
    let items = match ast.body.statements.as_slice() {
        [statement] if diagnostics.is_empty() => match &statement.kind {
            StatementKind::Initial(items) => items,
            _ => return Err(wrong(text)),
        },
        _ => return Err(wrong(text)),
    };
    let mut result = Vec::new();
    for item in items {
        let mut name = item.target.name.text.clone();
        let mut indices = Vec::new();
        for subscript in &item.target.subscripts {
            let Subscript::At(e) = subscript else { return Err(wrong(text)) };
            let index = number(e).filter(|v| v.fract() == 0.0).ok_or_else(|| wrong(text))?;
            indices.push(format!("{index}"));
        }
        if !indices.is_empty() {
            name = format!("{name}[{}]", indices.join(","));
        }
        name.push_str(&"'".repeat(item.order as usize));
        result.push((name, number(&item.value).ok_or_else(|| wrong(text))?));
    }
    Ok(result)
}

/// The value of an expression without names.
pub fn number(e: &crate::syntax::ast::Expr) -> Option<f64> {
    crate::elaborate::constant_value(e).filter(|v| v.is_finite())
}

/// What 1 in the unit of the file is in SI, for parameters by name (a family has the unit of its first member): what the
/// model makes of a 1. Names that are no parameters are in SI.
pub fn units(model: &Model, source: &Source, overrides: &Overrides, names: &[&str]) -> Vec<f64> {
    let place = |name: &str| {
        let family = |p: &str| p.split('[').next() == Some(name);
        model.system.parameters.iter().position(|p| p.name == name || family(&p.name))
    };
    let places: Vec<Option<usize>> = names.iter().map(|name| place(name)).collect();
    // Units stand in braces; without any there is nothing to find out.
    if places.iter().all(Option::is_none) || !source.text.contains('{') {
        return vec![1.0; names.len()];
    }
    let mut ones = overrides.clone();
    let known = names.iter().zip(&places).filter(|(_, place)| place.is_some());
    ones.set.extend(known.map(|(name, _)| ((*name).to_owned(), "1".to_owned())));
    let Ok(ones) = Model::load(source, &ones) else { return vec![1.0; names.len()] };
    let found = places.iter().map(|place| place.map(|k| ones.compiled.parameters()[k]));
    found.map(|unit| unit.filter(|u| u.is_finite() && *u != 0.0).unwrap_or(1.0)).collect()
}
