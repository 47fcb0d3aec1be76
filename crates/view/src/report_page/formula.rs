//! Formulas on the page: MathML made from the LaTeX that the engine prints, with that LaTeX beside it.

use super::html;
use super::line_break::{CELL, LINE, folded, pieces};
use crate::markup::escaped_lines;
use pulldown_latex::config::{DisplayMode, RenderConfig};
use pulldown_latex::{Parser, Storage, push_mathml};

/// Characters of LaTeX that a block shows at most.
pub const MAX_FORMULA: usize = 8_000;
/// Formulas that cannot be broken are set smaller, but not below this.
const SMALLEST: f64 = 0.5;

/// A block of equations; `elsewhere` is the command that writes those too long for a page.
pub(super) fn block(latex: &str, elsewhere: &str) -> String {
    if latex.len() > MAX_FORMULA {
        return format!(
            "<p class=\"long\">These formulas take {} characters of LaTeX, more than the {MAX_FORMULA} a page shows. {} writes them.</p>\n",
            latex.len(),
            html::code(elsewhere)
        );
    }
    let (shown, widest) = folded(latex, LINE);
    if widest * SMALLEST > LINE {
        return too_wide(latex, elsewhere);
    }
    let pieces = pieces(&shown);
    // The whole LaTeX goes with the first piece.
    let notes = std::iter::once(latex).chain(pieces.iter().skip(1).map(String::as_str));
    let set: Result<String, String> =
        pieces.iter().zip(notes).map(|(piece, note)| mathml(piece, note, DisplayMode::Block)).collect();
    match set {
        Ok(math) => format!(
            "<div class=\"formula\">\n<div class=\"box\" tabindex=\"0\" style=\"--fit:{:.2}\">{math}</div>\n{}</div>\n",
            LINE / widest.max(LINE),
            latex_source(latex)
        ),
        Err(reason) => format!(
            "<p class=\"long\">These formulas cannot be set: {}.</p>\n{}",
            crate::markup::escaped(&reason),
            latex_source(latex)
        ),
    }
}

/// Lines of an `aligned` environment as a block: as many as it takes, and what is left out is said.
pub(super) fn lines(lines: Vec<String>, elsewhere: &str) -> String {
    let (all, mut length) = (lines.len(), 0);
    let kept: Vec<String> = lines
        .into_iter()
        .filter(|line| {
            let fits = length + line.len() < MAX_FORMULA - 200;
            length += if fits { line.len() + 5 } else { 0 };
            fits
        })
        .collect();
    let mut out = match kept.is_empty() {
        true => String::new(),
        false => {
            block(&format!("\\begin{{aligned}}\n{}\n\\end{{aligned}}\n", kept.join(" \\\\\n")), elsewhere)
        }
    };
    if kept.len() < all {
        let left = all - kept.len();
        out.push_str(&html::remark(&format!(
            "{left} of {all} formulas are left out: together they take more than the {MAX_FORMULA} characters of LaTeX a page shows. `{elsewhere}` writes them."
        )));
    }
    out
}

/// A formula within a line.
pub(super) fn inline(latex: &str) -> String {
    mathml(latex, latex, DisplayMode::Inline).unwrap_or_else(|_| html::code(latex))
}

/// Said of formulas of which even one term would run past the page.
fn too_wide(latex: &str, elsewhere: &str) -> String {
    let words = "<p class=\"long\">These formulas are too wide for a page, even on several lines.";
    format!("{words} {} writes them.</p>\n{}", html::code(elsewhere), latex_source(latex))
}

/// A formula in a cell of a table, on several lines where it is long; said to be too long where that is not enough.
pub(super) fn cell(latex: &str) -> String {
    let (shown, widest) = folded(latex, CELL);
    match widest <= CELL && latex.len() <= MAX_IN_CELL {
        true => mathml(&shown, latex, DisplayMode::Inline).unwrap_or_else(|_| html::code(latex)),
        false => "<span class=\"none\">too long for a table</span>".to_owned(),
    }
}

/// Characters of LaTeX that a cell shows at most.
const MAX_IN_CELL: usize = 600;

fn latex_source(latex: &str) -> String {
    format!("<details><summary>LaTeX</summary><pre>{}</pre></details>\n", escaped_lines(latex.trim()))
}

fn mathml(latex: &str, annotation: &str, display_mode: DisplayMode) -> Result<String, String> {
    let storage = Storage::new();
    if let Some(error) = Parser::new(latex, &storage).find_map(Result::err) {
        return Err(error.to_string());
    }
    let annotation = escaped_lines(annotation.trim());
    let config = RenderConfig { display_mode, annotation: Some(&annotation), ..RenderConfig::default() };
    let (storage, mut out) = (Storage::new(), String::new());
    push_mathml(&mut out, Parser::new(latex, &storage), config).map_err(|error| error.to_string())?;
    Ok(mended(&out))
}

/// The renderer puts the space before a function into its index or exponent, which then has too many parts, and writes the
/// micro sign for the letter, which has no italic form. Comparisons it writes as they are, which is markup.
fn mended(math: &str) -> String {
    let mut out =
        math.replace('\u{b5}', "\u{3bc}").replace("><</mo>", ">&lt;</mo>").replace(">></mo>", ">&gt;</mo>");
    for tag in ["<msup>", "<msub>", "<msubsup>"] {
        let mut rest = std::mem::take(&mut out);
        let wrong = format!("{tag}<mspace ");
        while let Some(at) = rest.find(&wrong) {
            let space = at + tag.len();
            let Some(end) = rest[space..].find("/>").map(|length| space + length + 2) else { break };
            out.push_str(&rest[..at]);
            out.push_str(&rest[space..end]);
            out.push_str(tag);
            rest = rest[end..].to_owned();
        }
        out.push_str(&rest);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_are_no_part_of_exponents() {
        let math = inline("m \\, \\tan^{2}\\left(\\mu\\right)");
        assert!(math.contains("<msup><mi>tan</mi><mrow><mn>2</mn></mrow></msup>"), "{math}");
        assert!(inline("x < 1 > y").contains("&lt;</mo>") && inline("x > y").contains("&gt;</mo>"));
        assert!(math.contains("<mi>μ</mi>") && math.contains("application/x-tex"), "{math}");
    }

    #[test]
    fn what_is_too_long_says_where_to_get_it() {
        let long = format!("x &= {}", "a + ".repeat(3000));
        assert!(
            block(&long, "dalembert derive model.dal").contains("<code>dalembert derive model.dal</code>")
        );
        assert!(block("x_{1", "").contains("cannot be set"));
    }
}
