//! Numbers as text that reads back as the same number.

/// A number with the fewest digits that read back as the same number; `NaN`, `inf` and `-inf` by these names.
///
/// ```
/// use dalembert::number::number;
/// assert_eq!(number(0.1 + 0.2), "0.30000000000000004");
/// assert_eq!(number(6.02e23), "6.02e23");
/// assert_eq!(number(-1.0), "-1");
/// ```
pub fn number(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || !size.is_finite() || (1e-5..1e16).contains(&size) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// A number as a reader wants it in a sentence.
pub fn short(value: f64) -> String {
    let plain = value == 0.0 || (1e-3..1e6).contains(&value.abs());
    if !plain {
        return format!("{value:.2e}");
    }
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
