//! Long formulas on several lines, so that they fit on a page or into a cell.

use super::formula_width::width;

/// What fits on a line: a page in a window of 1000 px is the narrowest place, A4 has a little more.
pub(super) const LINE: f64 = 43.0;
/// What fits into a cell of a table beside other columns.
pub(super) const CELL: f64 = 20.0;
/// How far lines after the first stand in.
const INDENT: f64 = 2.0;

const BEGIN: &str = "\\begin{aligned}\n";
const END: &str = "\n\\end{aligned}";
const NEXT: &str = " \\\\\n";

/// Equations with long lines broken so that none is wider than `most`, where terms can be parted; and how wide they are.
///
/// Sides of equations stand in two columns, aligned at the sign, as long as left sides are short and lines are few; else
/// all begins at the left.
pub(super) fn folded(latex: &str, most: f64) -> (String, f64) {
    let inner = latex.split_once(BEGIN).and_then(|(_, rest)| rest.rsplit_once(END)).map(|(inner, _)| inner);
    let lines: Vec<(&str, &str)> = match inner {
        Some(inner) => inner.split(NEXT).map(sides).collect(),
        None if width(latex) <= most => return (latex.to_owned(), width(latex)),
        None => vec![("", latex.trim())],
    };
    let lead = lines.iter().map(|(left, _)| width(left)).fold(0.0, f64::max);
    let (mut out, mut widest) = laid(&lines, most, (lead <= SHORT_SIDE * most).then_some(lead));
    if out.len() > TALL {
        (out, widest) = laid(&lines, most, None);
    }
    (format!("{BEGIN}{}{END}", out.join(NEXT)), widest)
}

/// Lines that are set as one piece; more could not be parted between two printed pages.
const TALL: usize = 16;

/// Folded equations as pieces between which a page may end.
pub(super) fn pieces(folded: &str) -> Vec<String> {
    let inner = folded.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(END));
    let lines: Vec<&str> = inner.map_or(Vec::new(), |inner| inner.split(NEXT).collect());
    match lines.len() > TALL {
        true => lines.chunks(TALL / 2).map(|piece| format!("{BEGIN}{}{END}", piece.join(NEXT))).collect(),
        false => vec![folded.to_owned()],
    }
}

/// Lines of equations, with a column of a certain width for left sides or without, and the width of the widest.
fn laid(lines: &[(&str, &str)], most: f64, column: Option<f64>) -> (Vec<String>, f64) {
    let (mut out, mut widest) = (Vec::new(), 0f64);
    let (aligned, lead) = (column.is_some(), column.unwrap_or(0.0));
    for (left, right) in lines {
        let room = most - lead;
        let right = if aligned { (*right).to_owned() } else { format!("{left}{right}") };
        for (k, piece) in broken(&right, room).into_iter().enumerate() {
            let left = if k == 0 && aligned { left } else { "" };
            let indent = if k == 0 { "" } else { "\\quad {} " };
            widest = widest.max(lead + width(&piece) + width(indent));
            out.push(format!("{left}&{indent}{piece}"));
        }
    }
    (out, widest)
}

/// What stands before and behind the place at which lines are aligned.
fn sides(line: &str) -> (&str, &str) {
    let sign = line.find("&=").or_else(|| line.starts_with('&').then_some(0));
    sign.map_or(("", line), |at| (&line[..at], &line[at + 1..]))
}

/// The part of a line that left sides may take in a column of their own.
const SHORT_SIDE: f64 = 0.35;

/// A line as one or more, broken between terms; those after the first stand in.
fn broken(line: &str, most: f64) -> Vec<String> {
    if width(line) <= most {
        return vec![line.to_owned()];
    }
    match line.strip_prefix("\\text{").and_then(|rest| rest.strip_suffix('}')) {
        Some(words) => {
            let words: Vec<String> = words.split_inclusive(' ').map(str::to_owned).collect();
            let lines = packed(&words, &|text| width(&format!("\\text{{{text}}}")), most);
            lines.iter().map(|line| format!("\\text{{{}}}", line.trim_end())).collect()
        }
        None => {
            let pieces: Vec<String> =
                terms(line).into_iter().flat_map(|term| parted(term, most - INDENT, NESTED)).collect();
            packed(&pieces, &width, most)
        }
    }
}

/// As many pieces on each line as fit.
fn packed(pieces: &[String], width: &dyn Fn(&str) -> f64, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut room = most;
    for piece in pieces {
        let wide = width(piece);
        match lines.last_mut() {
            Some(last) if wide <= room => {
                last.push_str(piece);
                room -= wide;
            }
            _ => {
                room = most - wide - if lines.is_empty() { 0.0 } else { INDENT };
                lines.push(piece.clone());
            }
        }
    }
    lines
}

/// Brackets within brackets that may be opened.
const NESTED: usize = 3;

/// A term that is wider than a line is parted between the terms of its longest bracket.
fn parted(term: &str, most: f64, nested: usize) -> Vec<String> {
    let whole = || vec![term.to_owned()];
    if width(term) <= most || nested == 0 {
        return whole();
    }
    let Some((before, inner, after)) = longest_bracket(term) else { return whole() };
    let room = most - width(before) - width(after);
    let mut pieces: Vec<String> =
        terms(inner).into_iter().flat_map(|term| parted(term, room, nested - 1)).collect();
    if pieces.len() < 2 {
        return whole();
    }
    pieces[0].insert_str(0, &format!("{before}\\bigl("));
    if let Some(last) = pieces.last_mut() {
        last.push_str(&format!("\\bigr){after}"));
    }
    pieces
}

/// The longest bracket of a product, with what stands before and behind it.
fn longest_bracket(term: &str) -> Option<(&str, &str, &str)> {
    const LEFT: &str = "\\left(";
    const RIGHT: &str = "\\right)";
    let (mut depth, mut at, mut opened, mut found) = (0, 0, 0, None::<(usize, usize)>);
    while let Some(next) = term[at..].find(['{', '}', '\\']).map(|next| at + next) {
        let rest = &term[next..];
        at = next + 1;
        match rest.as_bytes()[0] {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ if rest.starts_with(LEFT) || rest.starts_with("\\begin{") => {
                at = next + if rest.starts_with(LEFT) { LEFT.len() } else { 1 };
                opened = if depth == 0 && rest.starts_with(LEFT) { at } else { opened };
                depth += 1;
            }
            _ if rest.starts_with(RIGHT) || rest.starts_with("\\end{") => {
                depth -= 1;
                if depth == 0 && rest.starts_with(RIGHT) && found.is_none_or(|(a, b)| b - a < next - opened) {
                    found = Some((opened, next));
                }
            }
            _ => {}
        }
    }
    let (a, b) = found?;
    Some((&term[..a - LEFT.len()], &term[a..b], &term[b + RIGHT.len()..]))
}

/// The text cut before each `+`, `-` and `=` between terms that are in no bracket and no environment.
fn terms(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let (mut cuts, mut depth, mut at) = (vec![0], 0i32, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth -= 1,
            b'\\' => {
                // An escaped sign or a command; environments are brackets, any other is stepped over.
                at += 1;
                depth += i32::from(bytes[at..].starts_with(b"begin{"))
                    - i32::from(bytes[at..].starts_with(b"end{"));
                while at + 1 < bytes.len()
                    && bytes[at].is_ascii_alphabetic()
                    && bytes[at + 1].is_ascii_alphabetic()
                {
                    at += 1;
                }
            }
            b'+' | b'-' | b'='
                if depth == 0 && at > 0 && bytes[at - 1] == b' ' && bytes.get(at + 1) == Some(&b' ') =>
            {
                cuts.push(at);
            }
            _ => {}
        }
        at += 1;
    }
    cuts.push(bytes.len());
    cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).filter(|term| !term.trim().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(latex: &str) -> Vec<String> {
        let (folded, widest) = folded(&format!("{BEGIN}{latex}{END}\n"), LINE);
        assert!(widest <= LINE, "{widest}: {folded}");
        folded
            .split_once(BEGIN)
            .unwrap()
            .1
            .rsplit_once(END)
            .unwrap()
            .0
            .split(NEXT)
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn long_lines_are_broken_between_terms() {
        let term = "a \\, \\left(b + c\\right)";
        let found = lines(&format!("x &= {}", vec![term; 30].join(" + ")));
        assert!(found.len() > 2);
        assert!(found[0].starts_with("x &= a") && found[1].starts_with("&\\quad {} + a"), "{found:#?}");
        assert_eq!(found.concat().matches("\\left(b + c\\right)").count(), 30, "brackets stay whole");
        assert_eq!(lines("x &= y"), ["x &= y"]);
    }

    /// A long left side beside a long right one: two columns would be as wide as both together.
    #[test]
    fn long_left_sides_take_the_whole_line() {
        let long = vec!["a_{1} \\, b"; 20].join(" - ");
        let found = lines(&format!("{long} &= 0{NEXT}x &= {long}"));
        assert!(found.iter().all(|line| line.starts_with('&')), "{found:#?}");
        assert_eq!(found.iter().filter(|line| line.contains("= 0")).count(), 1);
        assert_eq!(found.concat().matches("a_{1}").count(), 40);
    }

    #[test]
    fn a_long_bracket_is_parted() {
        let sum = vec!["\\dot{x}^{2}"; 40].join(" + ");
        let found =
            lines(&format!("T^{{*}} &= m \\, \\left(a + b\\right) \\, \\left({sum}\\right)^{{2}} \\, n"));
        assert!(found.len() > 2, "{found:#?}");
        let all = found.concat();
        assert_eq!((all.matches("\\bigl(").count(), all.matches("\\bigr)^{2}").count()), (1, 1), "{all}");
        assert!(all.contains("\\left(a + b\\right)") && all.matches("dot").count() == 40);
        let fraction = format!("x &= \\frac{{\\left({sum}\\right)}}{{2}}");
        assert!(!folded(&format!("{BEGIN}{fraction}{END}"), LINE).0.contains("bigl"), "fractions stay whole");
    }

    #[test]
    fn tall_formulas_are_in_pieces() {
        let long = format!("x &= {}", vec!["a_{1} \\, b"; 400].join(" + "));
        let (shown, widest) = folded(&format!("{BEGIN}{long}{END}"), LINE);
        let found = pieces(&shown);
        assert!(found.len() > 2 && widest <= LINE, "{}", found.len());
        assert!(
            found.iter().all(|p| p.starts_with(BEGIN) && p.ends_with(END) && p.matches(NEXT).count() < TALL)
        );
        assert_eq!(found.concat().matches("a_{1}").count(), 400);
        assert_eq!(pieces("x").concat(), "x");
    }

    #[test]
    fn notes_are_broken_between_words() {
        let found = lines(&format!("&\\text{{{}}}", "some words ".repeat(12).trim()));
        assert!(
            found.len() > 1 && found.iter().all(|l| l.matches('{').count() == l.matches('}').count()),
            "{found:?}"
        );
        assert_eq!(found.concat().matches("words").count(), 12);
    }

    #[test]
    fn environments_are_not_parted() {
        let cases = "\\begin{cases} a + b & x < 1 \\\\ a - b & \\text{otherwise} \\end{cases}";
        let found = lines(&format!("x &= {}", [cases; 6].join(" + ")));
        assert!(found.len() > 1, "{found:#?}");
        assert!(
            found.iter().all(|l| l.matches("\\begin").count() == l.matches("\\end").count()),
            "{found:#?}"
        );
    }
}
