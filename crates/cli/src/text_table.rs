//! Text for people: aligned columns, wrapped lists, numbers.

use dalembert::number::{DIGITS, rounded};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Lines are wrapped at this width.
const WIDTH: usize = 100;

/// Significant digits of every number in words, set once from `--digits`.
static SHOWN_DIGITS: AtomicUsize = AtomicUsize::new(DIGITS);

/// Sets how many significant digits numbers in words have.
pub fn set_digits(count: usize) {
    SHOWN_DIGITS.store(count, Ordering::Relaxed);
}

/// How many significant digits numbers in words have.
pub fn digits() -> usize {
    SHOWN_DIGITS.load(Ordering::Relaxed)
}

/// A number for people.
pub fn plain(value: f64) -> String {
    rounded(value, digits())
}

/// A number for people with its unit, as far as that is known.
pub fn quantity(value: f64, unit: Option<&str>) -> String {
    match unit {
        Some(unit) => format!("{} {unit}", plain(value)),
        None => plain(value),
    }
}

/// `label   text`, the text wrapped at its commas under itself.
pub fn entry(out: &mut String, label: &str, margin: usize, items: &[String]) {
    let mut line = format!("{label:<margin$}");
    let mut used = line.chars().count();
    let mut first = true;
    for (k, item) in items.iter().enumerate() {
        let comma = if k + 1 < items.len() { "," } else { "" };
        let length = item.chars().count() + comma.len() + 1;
        if !first && used + length > WIDTH {
            out.push_str(line.trim_end());
            out.push('\n');
            line = " ".repeat(margin);
            used = margin;
        } else if !first {
            line.push(' ');
            used += 1;
        }
        line.push_str(item);
        line.push_str(comma);
        used += length - 1;
        first = false;
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

/// Rows of cells as aligned columns; the first row is a heading, `indent` stands before each.
pub fn table(out: &mut String, indent: &str, rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |k: usize| rows.iter().filter_map(|r| r.get(k)).map(|c| c.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let mut line = indent.to_owned();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(&format!("{cell:<width$}  "));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

/// Words in a row of cells.
pub fn cells<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    words.into_iter().map(str::to_owned).collect()
}

/// `1 row`, `2 rows`.
pub fn counted(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

/// Splits at commas outside of subscripts.
pub fn split_names(text: &str) -> Vec<String> {
    let mut depth = 0usize;
    let parts = text.split(|c: char| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}
