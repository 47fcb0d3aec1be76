//! How wide a formula in LaTeX will be, about, and where its lines may be broken. In letters; nothing is set here.

/// Letters that fit on a line.
pub(super) const LINE: f64 = 76.0;

/// The width of a piece of LaTeX in letters, about.
pub(super) fn width(latex: &str) -> f64 {
    let bytes = latex.as_bytes();
    group(bytes, &mut 0)
}

/// A line of an `aligned` environment as one or more lines, broken before signs that stand outside of brackets.
pub(super) fn broken(line: &str) -> Vec<String> {
    let (left, right) = line.split_once("&=").map_or(("", line), |(l, r)| (l, r));
    if width(line) <= LINE || line.contains("\\begin") {
        return vec![line.to_owned()];
    }
    let lead = width(left);
    let pieces = |text: &str, first: f64| -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut used = first;
        for term in terms(text) {
            let wide = width(term);
            match lines.last_mut() {
                Some(last) if used + wide <= LINE => {
                    last.push_str(term);
                    used += wide;
                }
                _ => {
                    lines.push(term.to_owned());
                    used = wide + lead.min(0.5 * LINE);
                }
            }
        }
        lines
    };
    // A long left side is broken too: its last line carries the sign of equality.
    let mut lines = if lead > LINE { pieces(left, 0.0) } else { vec![left.to_owned()] };
    let tail = lines.pop().unwrap_or_default();
    let mut out: Vec<String> = lines
        .iter()
        .enumerate()
        .map(|(k, l)| if k == 0 { format!("{l} &") } else { format!("\\quad {{}} {l} &") })
        .collect();
    let mut rights = pieces(right, lead.min(LINE)).into_iter();
    let begin = if out.is_empty() { "" } else { "\\quad {} " };
    out.push(format!("{begin}{tail}&={}", rights.next().unwrap_or_default()));
    out.extend(rights.map(|r| format!("&\\quad {{}} {r}")));
    out
}

/// The text cut before each `+` and `-` between terms that are in no bracket.
fn terms(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let (mut cuts, mut depth, mut at) = (vec![0], 0i32, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth -= 1,
            b'\\' => {
                // An escaped sign or a command, whatever it is.
                at += 1;
                while at + 1 < bytes.len()
                    && bytes[at].is_ascii_alphabetic()
                    && bytes[at + 1].is_ascii_alphabetic()
                {
                    at += 1;
                }
            }
            b'+' | b'-'
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

/// The width until the end of a group.
fn group(bytes: &[u8], at: &mut usize) -> f64 {
    let mut total = 0.0;
    while *at < bytes.len() {
        let byte = bytes[*at];
        *at += 1;
        total += match byte {
            b'}' => return total,
            b'{' => group(bytes, at),
            b'_' | b'^' => 0.7 * argument(bytes, at),
            b'\\' => command(bytes, at),
            b' ' | b'&' | b'\n' => 0.0,
            b'+' | b'-' | b'=' | b'<' | b'>' => 2.2,
            b'(' | b')' | b'.' | b',' => 0.7,
            // Letters beyond ASCII count once, by their first byte.
            0x80..=0xbf => 0.0,
            _ => 1.0,
        };
    }
    total
}

/// The width of what a command or an index applies to.
fn argument(bytes: &[u8], at: &mut usize) -> f64 {
    while bytes.get(*at) == Some(&b' ') {
        *at += 1;
    }
    match bytes.get(*at) {
        Some(b'{') => {
            *at += 1;
            group(bytes, at)
        }
        Some(b'\\') => {
            *at += 1;
            command(bytes, at)
        }
        Some(_) => {
            *at += 1;
            1.0
        }
        None => 0.0,
    }
}

fn command(bytes: &[u8], at: &mut usize) -> f64 {
    let begin = *at;
    while bytes.get(*at).is_some_and(u8::is_ascii_alphabetic) {
        *at += 1;
    }
    if *at == begin {
        *at += 1; // a sign, such as `\,` or `\_`
        return 0.4;
    }
    match &bytes[begin..*at] {
        b"frac" | b"dfrac" => argument(bytes, at).max(argument(bytes, at)) + 0.4,
        b"sqrt" => 1.0 + argument(bytes, at),
        b"dot" | b"ddot" | b"mathrm" | b"mathtt" | b"text" | b"operatorname" | b"hat" => argument(bytes, at),
        b"left" | b"right" => 0.0,
        b"begin" | b"end" => {
            argument(bytes, at);
            0.7
        }
        b"sin" | b"cos" | b"tan" | b"exp" | b"log" | b"max" | b"min" => 2.6,
        b"arcsin" | b"arccos" | b"arctan" | b"sinh" | b"cosh" | b"tanh" => 4.0,
        b"quad" => 2.0,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_between_terms() {
        let term = "a \\, \\left(b + c\\right)";
        let line = format!("x &= {}", vec![term; 30].join(" + "));
        let lines = broken(&line);
        assert!(lines.len() > 2);
        assert!(lines.iter().all(|line| width(line) <= LINE + 4.0), "{lines:#?}");
        assert!(lines[0].starts_with("x &= a") && lines[1].starts_with("&\\quad {} + a"));
        assert_eq!(lines.concat().matches("\\left(b + c\\right)").count(), 30, "brackets stay whole");
        assert_eq!(broken("x &= y"), ["x &= y"]);
        let left = format!("{} &= 0", vec![term; 30].join(" - "));
        assert_eq!(broken(&left).iter().filter(|line| line.contains("&=")).count(), 1);
    }

    #[test]
    fn widths_are_about_right() {
        assert_eq!(width("\\ddot{x}"), 1.0);
        assert!((width("\\frac{a}{b + c}") - 4.6).abs() < 1e-12);
        assert!(width("\\frac{\\") >= 0.0, "broken text has a width too");
    }
}
