//! What the editor asks about a place in the text.

use super::Order;
use dalembert::Source;
use serde_json::{Value, json};

pub fn hover(_source: Source, _order: &Order<'_>) -> Value {
    json!({})
}

pub fn complete(_source: Source, _order: &Order<'_>) -> Value {
    json!({})
}

pub fn format(_source: Source) -> Result<Value, Value> {
    Ok(json!({}))
}
