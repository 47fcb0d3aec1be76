//! Numbers as text that reads back as the same number.

/// A number with the fewest digits that read back as the same number; `NaN`, `inf` and `-inf` by these names.
///
/// ```
/// use dalembert::export::number;
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
