//! Values given in words from outside: `x = 1, x' = 0.2, t = 0`.

use crate::elaborate::{constant_value, value_in};
use crate::workspace::Workspace;
use dalembert_syntax::ast::{Expr, Initial, StatementKind, Subscript};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::parse;
use dalembert_syntax::source::Source;
use dalembert_syntax::units::UnitInfo;

/// Reads assignments of numbers to names with primes and subscripts.
///
/// ```
/// let pairs = dalembert::assignments::assignments("x = 1, q[2]' = -0.2e1").unwrap();
/// assert_eq!(pairs, [("x".to_string(), 1.0), ("q[2]'".to_string(), -2.0)]);
/// assert!(dalembert::assignments::assignments("x + 1").is_err() && dalembert::assignments::assignments("x = 1, x = 2").is_err());
/// ```
pub fn assignments(text: &str) -> Result<Vec<(String, f64)>, Box<Diagnostic>> {
    each(text, |_, e| number(e).ok_or_else(|| no_list(text)))
}

impl Workspace {
    /// Reads `name = value` pairs whose values are expressions of the model's parameters, their units checked against what they are given
    /// to.
    ///
    /// ```
    /// # use dalembert::{Model, Source};
    /// let text = "parameter l = 30 {cm}, m = 1 {kg}\ncoordinate x {m}\nkinetic m/2*x'^2";
    /// let model = Model::load(&Source::new("point.dal", text), &Default::default()).unwrap();
    /// assert_eq!(model.assignments("x = l/2, t = 1").unwrap(), [("x".to_string(), 0.15), ("t".to_string(), 1.0)]);
    /// assert!(model.assignments("x = m").is_err() && model.assignments("x = n").is_err());
    /// ```
    pub fn assignments(&self, text: &str) -> Result<Vec<(String, f64)>, Box<Diagnostic>> {
        each(text, |name, e| {
            value_in(&self.system.parameters, self.compiled.parameters(), e, &self.unit_of(name))
        })
        .map_err(|mut d| {
            if !d.message.contains(text) {
                d.message = format!("{} in `{text}`", d.message);
            }
            d
        })
    }

    /// The unit of a coordinate, speed or rate by its name; that of `t` is left open, as everywhere.
    fn unit_of(&self, name: &str) -> UnitInfo {
        let system = &self.system;
        let coordinate =
            |name: &str| system.frame.coordinates.iter().find(|c| c.name == name).map(|c| &c.kind);
        let speed = || system.frame.speeds.iter().find(|s| s.name == name).map(|s| s.kind.clone());
        let rate = || name.strip_suffix('\'').and_then(coordinate).map(UnitInfo::per_time);
        coordinate(name).cloned().or_else(speed).or_else(rate).unwrap_or(UnitInfo::Missing)
    }
}

/// The value of an expression without names.
pub fn number(e: &Expr) -> Option<f64> {
    constant_value(e).filter(|v| v.is_finite())
}

fn no_list(text: &str) -> Box<Diagnostic> {
    let d = Diagnostic::error(Code::BadOption, None, format!("`{text}` is not a list of values"));
    Box::new(d.help("write it as \"x = 1, x' = 0.2, t = 0\""))
}

/// Names with what `value` makes of the expressions given to them.
fn each(
    text: &str,
    value: impl Fn(&str, &Expr) -> Result<f64, Box<Diagnostic>>,
) -> Result<Vec<(String, f64)>, Box<Diagnostic>> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let (ast, diagnostics) = parse(&Source::new("--at", format!("initial {text}")));
    let items = match ast.body.statements.as_slice() {
        [statement] if diagnostics.is_empty() => match &statement.kind {
            StatementKind::Initial(items) => items,
            _ => return Err(no_list(text)),
        },
        _ => return Err(no_list(text)),
    };
    let mut result: Vec<(String, f64)> = Vec::new();
    for item in items {
        let name = name_of(item).ok_or_else(|| no_list(text))?;
        if result.iter().any(|(known, _)| *known == name) {
            let message = format!("`{name}` is given twice in `{text}`");
            return Err(Box::new(Diagnostic::error(Code::BadOption, None, message)));
        }
        let value = value(&name, &item.value)?;
        result.push((name, value));
    }
    Ok(result)
}

/// The full name, with subscripts and primes.
fn name_of(item: &Initial) -> Option<String> {
    let mut name = item.target.name.text.clone();
    let mut indices = Vec::new();
    for subscript in &item.target.subscripts {
        let Subscript::At(e) = subscript else { return None };
        indices.push(number(e).filter(|v| v.fract() == 0.0)?.to_string());
    }
    if !indices.is_empty() {
        name = format!("{name}[{}]", indices.join(","));
    }
    if let Some(part) = &item.target.part {
        name.push_str(&format!(".{}", part.text));
    }
    name.push_str(&"'".repeat(item.order as usize));
    Some(name)
}
