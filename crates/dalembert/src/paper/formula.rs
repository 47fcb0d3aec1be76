//! Formulas on the page: MathML made from the LaTeX that the engine prints, with that LaTeX beside it.

use super::html;
use super::width::{LINE, broken, width};
use crate::export::markup::escaped_lines;
use dalembert_expr::Format;
use pulldown_latex::config::{DisplayMode, RenderConfig};
use pulldown_latex::{Parser, Storage, push_mathml};

/// Characters of LaTeX that a block shows at most.
pub const MAX_FORMULA: usize = 8_000;
/// Printed formulas do not shrink below this.
const SMALLEST: f64 = 0.45;

/// A block of equations; `elsewhere` is the command that writes those too long for a page.
pub(super) fn block(latex: &str, elsewhere: &str) -> String {
    if latex.len() > MAX_FORMULA {
        return format!(
            "<p class=\"long\">These formulas take {} characters of LaTeX, more than the {MAX_FORMULA} a page shows. {} writes them.</p>\n",
            latex.len(),
            html::code(elsewhere)
        );
    }
    let (shown, widest) = folded(latex);
    match mathml(&shown, latex, DisplayMode::Block) {
        Ok(math) => format!(
            "<div class=\"formula\">\n<div class=\"box\" tabindex=\"0\" style=\"--fit:{:.2}\">{math}</div>\n{}</div>\n",
            (LINE / widest.max(LINE)).max(SMALLEST),
            latex_source(latex)
        ),
        Err(reason) => format!(
            "<p class=\"long\">These formulas cannot be set: {}.</p>\n{}",
            crate::export::markup::escaped(&reason),
            latex_source(latex)
        ),
    }
}

/// A formula within a line.
pub(super) fn inline(latex: &str) -> String {
    mathml(latex, latex, DisplayMode::Inline).unwrap_or_else(|_| html::code(latex))
}

/// A name of the model as it stands in formulas.
pub(super) fn symbol(name: &str) -> String {
    inline(&Format::Latex.name(name))
}

fn latex_source(latex: &str) -> String {
    format!("<details><summary>LaTeX</summary><pre>{}</pre></details>\n", escaped_lines(latex.trim()))
}

/// The equations with long lines broken, and the width of the widest line.
fn folded(latex: &str) -> (String, f64) {
    const BEGIN: &str = "\\begin{aligned}\n";
    const END: &str = "\n\\end{aligned}";
    let inner = latex.split_once(BEGIN).and_then(|(_, rest)| rest.rsplit_once(END)).map(|(inner, _)| inner);
    let Some(inner) = inner else { return (latex.to_owned(), width(latex)) };
    let lines: Vec<String> = inner.split(" \\\\\n").flat_map(broken).collect();
    let widest = lines.iter().map(|line| line_width(line)).fold(0.0, f64::max);
    (format!("{BEGIN}{}{END}", lines.join(" \\\\\n")), widest)
}

/// Of a matrix the widest row counts, about.
fn line_width(line: &str) -> f64 {
    let Some((_, rest)) = line.split_once("\\begin{bmatrix}") else { return width(line) };
    let row = |row: &str| width(row) + 1.5 * row.matches('&').count() as f64;
    8.0 + rest.split("\\\\").map(row).fold(0.0, f64::max)
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
