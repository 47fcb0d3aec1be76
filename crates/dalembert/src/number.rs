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

/// Significant digits of numbers for people.
pub const DIGITS: usize = 6;

/// A number rounded to so many significant digits, without zeros at its end and without a sign on zero.
///
/// ```
/// use dalembert::number::rounded;
/// assert_eq!(rounded(0.1 + 0.2, 6), "0.3");
/// assert_eq!(rounded(-1234567.0, 6), "-1.23457e6");
/// assert_eq!(rounded(0.000012345678, 6), "1.23457e-5");
/// assert_eq!(rounded(999999.6, 6), "1e6");
/// assert_eq!(rounded(-0.0, 6), "0");
/// ```
pub fn rounded(value: f64, digits: usize) -> String {
    let digits = digits.clamp(1, 17);
    if value == 0.0 || !value.is_finite() {
        return format!("{}", value + 0.0);
    }
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    let scientific = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let power: i32 = exponent.parse().unwrap_or(0);
    if (-4..digits.max(6) as i32).contains(&power) {
        let places = (digits as i32 - 1 - power).max(0) as usize;
        return trimmed(&format!("{value:.places$}"));
    }
    format!("{}e{exponent}", trimmed(mantissa))
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
