//! Values given in words from outside: `x = 1, x' = 0.2, t = 0`.

use crate::diagnostic::{Code, Diagnostic};
use crate::source::Source;
use crate::syntax::ast::{StatementKind, Subscript};
use crate::syntax::parse;

/// Reads assignments of numbers to names with primes and subscripts.
///
/// ```
/// let pairs = dalembert::requests::assignments("x = 1, q[2]' = -0.2e1").unwrap();
/// assert_eq!(pairs, [("x".to_string(), 1.0), ("q[2]'".to_string(), -2.0)]);
/// assert!(dalembert::requests::assignments("x + 1").is_err() && dalembert::requests::assignments("x = 1, x = 2").is_err());
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
    let mut result: Vec<(String, f64)> = Vec::new();
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
        if result.iter().any(|(known, _)| *known == name) {
            let message = format!("`{name}` is given twice in `{text}`");
            return Err(Box::new(Diagnostic::error(Code::BadOption, None, message)));
        }
        result.push((name, number(&item.value).ok_or_else(|| wrong(text))?));
    }
    Ok(result)
}

/// The value of an expression without names.
pub fn number(e: &crate::syntax::ast::Expr) -> Option<f64> {
    crate::elaborate::constant_value(e).filter(|v| v.is_finite())
}
