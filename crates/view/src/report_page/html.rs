//! Pieces of the page: sections, paragraphs, tables, numbers. Knows no mechanics.

use crate::markup::escaped;
use dalembert::number::DIGITS;
use dalembert_expr::Rational;
use dalembert_syntax::diagnostic::Diagnostic;

/// A cell of a table.
pub(super) enum Cell {
    /// Words.
    Text(String),
    /// A word of the model or the command.
    Code(String),
    /// A number, rounded for reading.
    Number(f64),
    /// A number with all its digits.
    Exact(f64),
    /// Markup that is ready.
    Html(String),
}

impl Cell {
    pub fn text(text: impl Into<String>) -> Cell {
        Cell::Text(text.into())
    }

    pub fn code(text: impl Into<String>) -> Cell {
        Cell::Code(text.into())
    }

    /// A number of the model with all digits it was written with; rounded where it is not a decimal, as a third or π are.
    pub fn exact(written: Option<&Rational>, value: f64) -> Cell {
        let all = format!("{value:e}");
        match written.is_some()
            && Rational::from_decimal(all.trim_start_matches('-')) == written.map(Rational::abs)
        {
            true => Cell::Exact(value),
            false => Cell::Number(value),
        }
    }

    fn is_empty(&self) -> bool {
        matches!(self, Cell::Text(text) | Cell::Code(text) if text.is_empty())
    }

    fn markup(&self) -> String {
        match self {
            Cell::Text(text) => format!("<td>{}</td>", escaped(text)),
            Cell::Code(text) => format!("<td>{}</td>", code(text)),
            Cell::Number(value) => format!("<td class=\"number\">{}</td>", number(*value)),
            Cell::Exact(value) => format!("<td class=\"number\">{}</td>", all_digits(*value)),
            Cell::Html(markup) => format!("<td>{markup}</td>"),
        }
    }
}

/// A part of the page with a heading.
pub(super) fn section(id: &str, title: &str, body: &str) -> String {
    format!("<section id=\"{id}\">\n<h2>{}</h2>\n{body}</section>\n", escaped(title))
}

pub(super) fn heading(title: &str) -> String {
    format!("<h3>{}</h3>\n", escaped(title))
}

/// A paragraph of words.
pub(super) fn paragraph(text: &str) -> String {
    format!("<p>{}</p>\n", words(text))
}

/// A remark in smaller letters.
pub(super) fn remark(text: &str) -> String {
    format!("<p class=\"remark\">{}</p>\n", words(text))
}

/// Text in which words between backquotes are code, and letters between double asterisks are bold, as matrices are.
pub(super) fn words(text: &str) -> String {
    let bold = |text: &str| -> String {
        let parts = text.split("**").enumerate();
        parts
            .map(|(k, part)| if k % 2 == 1 { format!("<b>{}</b>", escaped(part)) } else { escaped(part) })
            .collect()
    };
    let parts = text.split('`').enumerate();
    parts.map(|(k, part)| if k % 2 == 1 { code(part) } else { bold(part) }).collect()
}

pub(super) fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(text))
}

/// What went wrong, at its place.
pub(super) fn diagnostic(d: &Diagnostic) -> String {
    let help = d.help.as_deref().map_or(String::new(), |help| format!(" <em>{}.</em>", words(help)));
    format!(
        "<p class=\"trouble\" role=\"note\"><strong>Not all is here.</strong> {} ({}).{help}</p>\n",
        escaped(&d.message),
        d.code.id()
    )
}

/// A table in a box of its own, which may be wider than the page. Columns without any entry are left out.
pub(super) fn table(head: &[&str], rows: &[Vec<Cell>]) -> String {
    let used = |k: &usize| rows.iter().any(|row| row.get(*k).is_some_and(|cell| !cell.is_empty()));
    let columns: Vec<usize> = (0..head.len()).filter(used).collect();
    let numeric = |k: usize| {
        rows.first().is_some_and(|row| matches!(row.get(k), Some(Cell::Number(_) | Cell::Exact(_))))
    };
    let title = |k: &usize| {
        let class = if numeric(*k) { " class=\"number\"" } else { "" };
        format!("<th scope=\"col\"{class}>{}</th>", escaped(head[*k]))
    };
    let heads: String = columns.iter().map(title).collect();
    let row = |cells: &Vec<Cell>| {
        let shown: String = columns.iter().filter_map(|k| cells.get(*k)).map(Cell::markup).collect();
        format!("<tr>{shown}</tr>\n")
    };
    let rows: String = rows.iter().map(row).collect();
    format!(
        "<div class=\"box\" tabindex=\"0\"><table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

/// Names with what is said about them.
pub(super) fn facts(pairs: &[(String, String)]) -> String {
    let row = |(name, markup): &(String, String)| format!("<dt>{}</dt><dd>{markup}</dd>\n", escaped(name));
    format!("<dl class=\"facts\">\n{}</dl>\n", pairs.iter().map(row).collect::<String>())
}

/// A drawing with its caption, in a box of its own.
pub(super) fn figure(svg: &str, caption: &str) -> String {
    format!(
        "<figure>\n<div class=\"box drawing\" tabindex=\"0\" role=\"img\" aria-label=\"{0}\">{svg}</div>\n<figcaption>{0}</figcaption>\n</figure>\n",
        escaped(caption)
    )
}

/// A number with six digits at most; `no value` where it is none.
pub(super) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "<span class=\"none\">no value</span>".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{value:.*e}", DIGITS - 1);
    let exponent: i32 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    if (-4..DIGITS as i32).contains(&exponent) {
        let places = (DIGITS as i32 - 1 - exponent).max(0) as usize;
        return signed(trimmed(&format!("{value:.places$}")));
    }
    power(&scientific)
}

/// A number with as many digits as tell it from its neighbours.
fn all_digits(value: f64) -> String {
    let plain = value.to_string();
    if plain.len() <= 12 { signed(&plain) } else { power(&format!("{value:e}")) }
}

/// `1.50e-13` with a power of ten.
fn power(scientific: &str) -> String {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    match exponent {
        "0" => signed(trimmed(mantissa)),
        _ => format!("{} × 10<sup>{}</sup>", signed(trimmed(mantissa)), signed(exponent)),
    }
}

/// Words in which numbers such as `1.5e-13` get powers of ten, and long ones are rounded.
pub(super) fn measured(text: &str) -> String {
    let set = |word: &str| {
        let end = word.trim_end_matches([',', ';', ')', '.']);
        let numeric = end.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        let shown = match end.parse::<f64>() {
            Ok(_) if numeric && end.contains('e') => power(end),
            Ok(value) if numeric && end.contains('.') && end.len() > DIGITS + 2 => number(value),
            _ => return escaped(word),
        };
        format!("<span class=\"unit\">{shown}</span>{}", escaped(&word[end.len()..]))
    };
    text.split(' ').map(set).collect::<Vec<_>>().join(" ")
}

/// How many letters of markup are seen.
pub(super) fn letters(markup: &str) -> usize {
    markup.split('<').map(|part| part.rsplit('>').next().unwrap_or(part).chars().count()).sum()
}

/// A small number of which the size matters: two digits.
pub(super) fn size(value: f64) -> String {
    if !value.is_finite() || value == 0.0 {
        return number(value);
    }
    let text = format!("{value:.1e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{} × 10<sup>{}</sup>", signed(mantissa), signed(exponent))
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// With a minus sign in place of a hyphen.
fn signed(text: &str) -> String {
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_reading() {
        let cases = [
            (0.0, "0"),
            (-0.5, "−0.5"),
            (0.1 + 0.2, "0.3"),
            (1234567.0, "1.23457 × 10<sup>6</sup>"),
            (123456.7, "123457"),
            (-0.000123456789, "−0.000123457"),
            (2.5e-9, "2.5 × 10<sup>−9</sup>"),
            (999999.6, "1 × 10<sup>6</sup>"),
            (100.0, "100"),
        ];
        for (value, shown) in cases {
            assert_eq!(number(value), shown);
        }
        assert!(number(f64::NAN).contains("no value"));
        assert_eq!(size(-3.21e-12), "−3.2 × 10<sup>−12</sup>");
        assert_eq!(
            measured("at most -1.50e-13, or 3"),
            "at most <span class=\"unit\">−1.5 × 10<sup>−13</sup></span>, or 3"
        );
        assert_eq!(measured("event e1 <b 12345678 0.25"), "event e1 &lt;b 12345678 0.25");
        assert_eq!(measured("23.33525070587902 J"), "<span class=\"unit\">23.3353</span> J");
    }

    #[test]
    fn values_of_the_model_keep_their_digits() {
        let shown =
            |text: &str| Cell::exact(Rational::from_decimal(text).as_ref(), text.parse().unwrap()).markup();
        assert_eq!(shown("3.14159265358979"), "<td class=\"number\">3.14159265358979</td>");
        assert_eq!(shown("6.02214076e23"), "<td class=\"number\">6.02214076 × 10<sup>23</sup></td>");
        let third = Rational::new(1, 3);
        assert_eq!(Cell::exact(third.as_ref(), 1.0 / 3.0).markup(), "<td class=\"number\">0.333333</td>");
        assert_eq!(Cell::exact(None, 0.1 + 0.2).markup(), "<td class=\"number\">0.3</td>");
    }
}
