//! Values of expressions while a model is read: scalars, vectors (matrices are vectors of rows), conditions.

use dalembert_expr::Expr;
use dalembert_run::Level;
use dalembert_syntax::units::UnitInfo;

/// What an expression of the model amounts to.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// One number, with what is known of its unit.
    Scalar(Expr, UnitInfo),
    /// Components; each may be a vector again.
    Vector(Vec<Value>),
    /// A comparison, 1 where it holds.
    Condition(Expr),
}

/// A vector of matrices is the deepest value.
pub(super) const MAX_DEPTH: usize = 3;

impl Value {
    /// How deep vectors are nested; looks no further than one past [`MAX_DEPTH`].
    pub fn depth(&self) -> usize {
        fn within(value: &Value, left: usize) -> usize {
            match value {
                Value::Vector(parts) if left > 0 => {
                    1 + parts.iter().map(|p| within(p, left - 1)).max().unwrap_or(0)
                }
                _ => 0,
            }
        }
        within(self, MAX_DEPTH + 1)
    }

    /// `a vector of 3`, for messages.
    pub fn describe(&self) -> String {
        match self {
            Value::Scalar(..) => "a scalar".into(),
            Value::Condition(_) => "a condition".into(),
            Value::Vector(rows) => match rows.first() {
                Some(Value::Vector(columns)) => format!("a {} by {} matrix", rows.len(), columns.len()),
                _ => format!("a vector of {}", rows.len()),
            },
        }
    }

    /// Every scalar in it, in order.
    pub fn scalars(&self) -> Vec<Expr> {
        match self {
            Value::Scalar(e, _) | Value::Condition(e) => vec![*e],
            Value::Vector(parts) => parts.iter().flat_map(Value::scalars).collect(),
        }
    }

    /// What is known of the unit of every scalar in it, in the order of [`Value::scalars`].
    pub fn units(&self) -> Vec<UnitInfo> {
        match self {
            Value::Scalar(_, kind) => vec![kind.clone()],
            Value::Condition(_) => vec![UnitInfo::Number],
            Value::Vector(parts) => parts.iter().flat_map(Value::units).collect(),
        }
    }

    /// Whether it has so many rows of so many columns, and so on.
    pub(crate) fn has_shape(&self, extents: &[usize]) -> bool {
        match (self, extents) {
            (Value::Vector(parts), [n, inner @ ..]) => {
                parts.len() == *n && parts.iter().all(|part| part.has_shape(inner))
            }
            (value, extents) => extents.is_empty() && matches!(value, Value::Scalar(..)),
        }
    }

    pub(crate) fn is_matrix(&self) -> bool {
        matches!(self, Value::Vector(rows) if matches!(rows.first(), Some(Value::Vector(_))))
    }
}

/// The name of component `k` of a quantity: `.x .y .z` up to three, `[k]` beyond.
pub(super) fn component_name(name: &str, k: usize, of: usize) -> String {
    match (of, k) {
        (..=3, 0) => format!("{name}.x"),
        (..=3, 1) => format!("{name}.y"),
        (..=3, 2) => format!("{name}.z"),
        _ => format!("{name}[{}]", k + 1),
    }
}

/// A scalar equation: its name, left side minus right side, and the highest derivative in it.
pub(super) struct ScalarRow {
    pub name: String,
    pub residual: Expr,
    pub level: Level,
}
