//! How wide a formula in LaTeX will be, about. In em; nothing is set here.
//!
//! Glyphs are measured as the widest of the usual fonts for formulas has them (DejaVu Math), so that lines fit whatever
//! font a reader has.

/// The width of a piece of LaTeX in em, about. Of environments with rows the widest columns count.
pub(super) fn width(latex: &str) -> f64 {
    let Some((before, rest)) = latex.split_once("\\begin{") else { return Reader::new(latex).group() };
    let Some((rows, after)) = rest.split_once("\\end{") else { return Reader::new(latex).group() };
    let (rows, after) = (after_brace(rows), after_brace(after));
    let mut columns: Vec<f64> = Vec::new();
    for row in rows.split("\\\\") {
        for (k, cell) in row.split('&').enumerate() {
            let wide = Reader::new(cell).group();
            match columns.get_mut(k) {
                Some(column) => *column = column.max(wide),
                None => columns.push(wide),
            }
        }
    }
    let between = 1.0; // a cell has half an em on either side
    Reader::new(before).group() + columns.iter().map(|c| c + between).sum::<f64>() + BRACKETS + width(after)
}

/// Tall brackets, both together.
const BRACKETS: f64 = 1.2;

/// Behind the name of an environment.
fn after_brace(text: &str) -> &str {
    text.split_once('}').map_or("", |(_, rest)| rest)
}

/// Reads LaTeX once, from left to right.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Letters stand upright and are words.
    upright: bool,
}

impl Reader<'_> {
    fn new(latex: &str) -> Reader<'_> {
        Reader { bytes: latex.as_bytes(), at: 0, upright: false }
    }

    /// The width until the end of a group.
    fn group(&mut self) -> f64 {
        let mut total = 0.0;
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1;
            total += match byte {
                b'}' => return total,
                b'{' => self.group(),
                b'_' | b'^' => SMALLER * self.argument(),
                b'\\' => self.command(),
                b' ' if self.upright => 0.32,
                b'+' | b'-' | b'=' | b'<' | b'>' if !self.upright => 1.35,
                b' ' | b'&' | b'\n' => 0.0,
                byte => glyph(byte),
            };
        }
        total
    }

    /// The width of what a command or an index applies to.
    fn argument(&mut self) -> f64 {
        while self.bytes.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        let Some(&byte) = self.bytes.get(self.at) else { return 0.0 };
        self.at += 1;
        match byte {
            b'{' => self.group(),
            b'\\' => self.command(),
            byte => glyph(byte),
        }
    }

    /// An argument of upright letters.
    fn word(&mut self) -> f64 {
        let before = std::mem::replace(&mut self.upright, true);
        let wide = self.argument();
        self.upright = before;
        wide
    }

    fn command(&mut self) -> f64 {
        let begin = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_alphabetic) {
            self.at += 1;
        }
        if self.at == begin {
            self.at += 1; // a sign, such as `\,` or `\_`
            return if self.bytes.get(begin) == Some(&b',') { 0.17 } else { 0.5 };
        }
        match &self.bytes[begin..self.at] {
            b"frac" | b"dfrac" => self.argument().max(self.argument()) + 0.2,
            b"sqrt" => 0.8 + self.argument(),
            b"dot" | b"ddot" | b"hat" | b"boldsymbol" | b"mathcal" => self.argument(),
            b"mathrm" | b"mathtt" | b"mathbf" | b"text" | b"operatorname" => self.word(),
            // Brackets grow in width with what they hold.
            b"left" | b"right" | b"bigl" | b"bigr" => 0.15,
            b"begin" | b"end" => {
                self.word();
                0.6
            }
            b"sin" | b"cos" | b"tan" | b"exp" | b"log" | b"max" | b"min" | b"ln" => 2.1,
            b"arcsin" | b"arccos" | b"arctan" | b"sinh" | b"cosh" | b"tanh" => 3.8,
            b"quad" => 1.0,
            b"lambda" | b"iota" | b"mu" | b"nu" | b"tau" | b"rho" | b"sigma" | b"theta" | b"eta" => 0.75,
            b"cdot" => 0.75,
            _ => 0.9,
        }
    }
}

/// How much smaller indices are.
const SMALLER: f64 = 0.73;

/// A letter or a sign.
fn glyph(byte: u8) -> f64 {
    match byte {
        b'i' | b'l' | b'.' | b'|' | b'!' => 0.4,
        b',' | b';' | b':' => 0.5,
        b'(' | b')' | b'[' | b']' => 0.45,
        b'j' | b't' => 0.56,
        b'm' | b'w' => 0.97,
        b'H' | b'M' | b'N' | b'W' => 1.2,
        b'A'..=b'Z' => 0.92,
        b'0'..=b'9' => 0.64,
        // Letters beyond ASCII count once, by their first byte.
        0x80..=0xbf => 0.0,
        0xc0.. => 0.9,
        _ => 0.72,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_about_right() {
        assert_eq!(width("\\ddot{x}"), width("x"));
        assert!((width("\\frac{a}{b + c}") - width("b + c") - 0.2).abs() < 1e-12);
        assert!(width("x_{1}") > width("x") + 0.4 && width("x_{1}") < width("x1"));
        assert!(width("\\text{a b}") > width("ab"), "words have spaces");
        assert!(width("\\frac{\\") >= 0.0 && width("\\begin{") >= 0.0, "broken text has a width too");
    }

    #[test]
    fn columns_of_a_matrix_count_by_their_widest_entry() {
        let square = width("\\begin{bmatrix} a & aaaa \\\\ aaaa & a \\end{bmatrix}");
        assert!((square - 8.0 * width("a") - 2.0 - BRACKETS).abs() < 1e-12);
    }
}
