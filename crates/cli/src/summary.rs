//! The end of a run in words.

use crate::text_table::{digits, table};
use dalembert::{Model, Motion};
use dalembert_view::documents;
use std::time::Duration;

/// Names and values for people, with the time it took.
pub fn facts(model: &Model, motion: &Motion, wall: Duration) -> Vec<(String, String)> {
    let mut facts = documents::facts(model, motion, digits());
    let counts = ["run", "method", "steps", "evaluations", "jacobians"];
    let work = facts.iter().rposition(|(name, _)| counts.contains(&name.as_str()));
    let at = work.map_or(0, |last| last + 1);
    facts.insert(at, ("wall time".to_owned(), format!("{:.3} s", wall.as_secs_f64())));
    facts
}

/// The facts as lines.
pub fn text(facts: &[(String, String)]) -> String {
    let mut out = String::new();
    let rows: Vec<Vec<String>> =
        facts.iter().map(|(name, value)| vec![name.clone(), value.clone()]).collect();
    table(&mut out, "", &rows);
    out
}
