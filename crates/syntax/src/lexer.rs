//! Text to tokens.
//!
//! The lexer never fails: what is not a token is reported and becomes a [`TokenKind::Bad`], which the parser passes over
//! without saying more. It knows which line ends matter to nobody (those after an operator) and drops them; whether a
//! bracket is open is the parser's business. Names are not normalised: `é` in one and in two characters are two names.

use crate::diagnostic::{Code, Diagnostic};
use crate::limits::{MAX_DIAGNOSTICS, MAX_NUMBER_LENGTH};
use crate::source::Span;
use crate::token::{Token, TokenKind};
use crate::words::RESERVED_WORDS;

/// The tokens of a text, always with an [`TokenKind::End`] at the end, and what is wrong with it.
///
/// ```
/// use dalembert_syntax::{TokenKind, tokens};
///
/// let (tokens, problems) = tokens("1..N");
/// let kinds: Vec<TokenKind> = tokens.iter().map(|token| token.kind).collect();
/// assert_eq!(kinds, [TokenKind::Number, TokenKind::DotDot, TokenKind::Name, TokenKind::End]);
/// assert!(problems.is_empty());
/// ```
pub fn tokens(text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer { text, at: 0, tokens: Vec::new(), diagnostics: Vec::new(), continues: false };
    // A byte order mark is not part of the model.
    lexer.at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while lexer.at < text.len() && lexer.diagnostics.len() < MAX_DIAGNOSTICS {
        lexer.token();
    }
    lexer.push(TokenKind::End, text.len());
    (lexer.tokens, lexer.diagnostics)
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
    /// Whether the last token carries the statement over the end of its line.
    continues: bool,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn span_to(&self, end: usize) -> Span {
        Span::new(self.at as u32, end as u32)
    }

    /// Ends the current token at a byte.
    fn push(&mut self, kind: TokenKind, end: usize) {
        let span = self.span_to(end);
        self.at = end;
        let dropped = kind == TokenKind::Newline && self.continues;
        if !dropped {
            self.tokens.push(Token { kind, span });
        }
        if !matches!(kind, TokenKind::Comment | TokenKind::Newline) {
            self.continues = kind.continues();
        }
    }

    /// The byte behind the longest prefix of the rest whose characters all satisfy a condition.
    fn end_while(&self, from: usize, condition: impl Fn(char) -> bool) -> usize {
        let tail = &self.text[from..];
        from + tail.find(|c| !condition(c)).unwrap_or(tail.len())
    }

    fn token(&mut self) {
        let Some(first) = self.rest().chars().next() else {
            return;
        };
        match first {
            '\n' => self.push(TokenKind::Newline, self.at + 1),
            c if c.is_whitespace() => self.at += c.len_utf8(),
            '#' => self.push(TokenKind::Comment, self.end_while(self.at, |c| c != '\n')),
            '%' => self.foreign_comment("%"),
            '/' if self.rest().starts_with("//") => self.foreign_comment("//"),
            '/' if self.rest().starts_with("/*") => self.block_comment(),
            '"' => self.string(),
            '0'..='9' => self.number(),
            '.' if self.rest()[1..].starts_with(|c: char| c.is_ascii_digit()) => self.number(),
            c if begins_name(c) => self.name(),
            _ => match TokenKind::sign(self.rest()) {
                Some((kind, length)) => self.push(kind, self.at + length),
                None => self.bad_character(first),
            },
        }
    }

    /// A comment as other languages write it, read as one.
    fn foreign_comment(&mut self, sign: &str) {
        let span = self.span_to(self.at + sign.len());
        let said = Diagnostic::error(Code::CommentSign, span, format!("`{sign}` is not used in models"));
        self.diagnostics.push(said.help("comments begin with `#`").suggest(span, "#"));
        self.push(TokenKind::Comment, self.end_while(self.at, |c| c != '\n'));
    }

    /// `/* ... */`, read as a comment to its end; one line of it is mended.
    fn block_comment(&mut self) {
        let length = self.rest().find("*/").map_or(2, |end| end + 2);
        let whole = self.span_to(self.at + length);
        let text = &self.text[self.at..self.at + length];
        let said =
            Diagnostic::error(Code::CommentSign, self.span_to(self.at + 2), "`/*` is not used in models");
        let said = said.help("comments begin with `#` and end with the line");
        let last = self.text[self.at + length..].lines().next().is_none_or(|rest| rest.trim().is_empty());
        let inner = text.trim_start_matches("/*").trim_end_matches("*/").trim();
        self.diagnostics.push(match last && !text.contains('\n') && length > 2 {
            true => said.suggest(whole, format!("# {inner}")),
            false => said,
        });
        self.push(TokenKind::Comment, self.at + length);
    }

    fn name(&mut self) {
        let end = self.end_while(self.at, continues_name);
        let word = &self.text[self.at..end];
        let reserved = RESERVED_WORDS.contains(&word).then(|| TokenKind::sign(word)).flatten();
        self.push(reserved.map_or(TokenKind::Name, |(kind, _)| kind), end);
    }

    fn string(&mut self) {
        let mut escaped = false;
        for (offset, c) in self.rest().char_indices().skip(1) {
            match c {
                '\n' => break,
                '"' if !escaped => return self.push(TokenKind::Text, self.at + offset + 1),
                _ => escaped = c == '\\' && !escaped,
            }
        }
        let end = self.end_while(self.at, |c| c != '\n');
        self.bad(end, |span| {
            Diagnostic::error(Code::UnterminatedString, span, "this string has no closing quote")
                .help("close it with `\"` on the same line")
        });
    }

    fn number(&mut self) {
        let is_digit = |c: char| c.is_ascii_digit();
        let whole = self.end_while(self.at, is_digit);
        let mut end = whole;
        let mut written_badly = whole == self.at;
        let after = &self.text[end..];
        if after.starts_with('.') && !after.starts_with("..") {
            end = self.end_while(whole + 1, is_digit);
            written_badly |= end == whole + 1;
        }
        end = self.exponent_end(end);
        // A second point or a grouping `_`, as in 1.2.3 or 1_000, is part of the same slip.
        let tail = &self.text[end..];
        let grouped = tail.starts_with('_');
        if grouped || (tail.starts_with('.') && !tail.starts_with("..")) {
            end = self.end_while(end, |c| is_digit(c) || c == '_' || c == '.');
            return self.bad_number(end, None);
        }
        if written_badly {
            return self.bad_number(end, mended(&self.text[self.at..end]));
        }
        if let Some(reason) = range_problem(&self.text[self.at..end]) {
            return self.bad(end, |span| Diagnostic::error(Code::NumberOutOfRange, span, reason));
        }
        self.push(TokenKind::Number, end);
    }

    /// The end of an exponent at this byte, or this byte where there is none.
    fn exponent_end(&self, from: usize) -> usize {
        let tail = &self.text[from..];
        let Some(after_e) = tail.strip_prefix(['e', 'E']) else {
            return from;
        };
        let digits = after_e.strip_prefix(['+', '-']).unwrap_or(after_e);
        let start = self.text.len() - digits.len();
        let end = self.end_while(start, |c| c.is_ascii_digit());
        if end > start { end } else { from }
    }

    fn bad_number(&mut self, end: usize, mended: Option<String>) {
        self.bad(end, |span| {
            let said = Diagnostic::error(Code::BadNumber, span, "this number cannot be read");
            match mended {
                Some(number) => said.help("a point has digits on both sides").suggest(span, number),
                None => said.help("numbers are written like `1000`, `0.25` or `1e-3`"),
            }
        });
    }

    fn bad_character(&mut self, first: char) {
        let end = self.at + first.len_utf8();
        if let Some(instead) = meant(self.rest()) {
            let end = if instead.0.len() > 1 { self.at + instead.0.len() } else { end };
            return self.bad(end, |span| {
                Diagnostic::error(Code::BadCharacter, span, format!("`{}` is not used in models", instead.0))
                    .help(format!("write `{}`", instead.1.trim()))
                    .suggest(span, instead.1)
            });
        }
        // A run of foreign characters is one problem.
        let end = self.end_while(end, |c| c == first || (!c.is_ascii() && is_foreign(c)));
        self.bad(end, |span| {
            let shown = format!("the character {first:?} (U+{:04X}) is not used in models", first as u32);
            Diagnostic::error(Code::BadCharacter, span, shown)
        });
    }

    fn bad(&mut self, end: usize, diagnostic: impl FnOnce(Span) -> Diagnostic) {
        self.diagnostics.push(diagnostic(self.span_to(end)));
        self.push(TokenKind::Bad, end);
    }
}

fn begins_name(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

/// Letters, digits and accents; raised digits are no part of a name, for `x²` means a power.
fn continues_name(c: char) -> bool {
    let raised = matches!(c, '¹' | '²' | '³' | '⁰' | '⁴'..='⁹');
    let accent = matches!(c, '\u{300}'..='\u{36f}');
    c == '_' || accent || (c.is_alphanumeric() && !raised)
}

fn is_foreign(c: char) -> bool {
    !c.is_whitespace() && !begins_name(c) && meant(c.encode_utf8(&mut [0; 4])).is_none()
}

/// Signs that people write for others: what stands there and what is meant.
fn meant(text: &str) -> Option<(&'static str, &'static str)> {
    const PAIRS: [(&str, &str); 34] = [
        ("°", " {deg}"),
        ("&&", " and "),
        ("||", " or "),
        ("&", " and "),
        ("|", " or "),
        ("!", "not "),
        ("−", "-"),
        ("–", "-"),
        ("—", "-"),
        ("·", "*"),
        ("⋅", "*"),
        ("×", "*"),
        ("∗", "*"),
        ("÷", "/"),
        ("∕", "/"),
        ("′", "'"),
        ("″", "''"),
        ("’", "'"),
        ("`", "'"),
        ("“", "\""),
        ("”", "\""),
        ("≤", "<="),
        ("≥", ">="),
        ("≠", "!="),
        ("≈", "~"),
        ("…", ".."),
        ("²", "^2"),
        ("³", "^3"),
        ("¹", "^1"),
        ("⁴", "^4"),
        ("⁵", "^5"),
        ("⁶", "^6"),
        ("½", "1/2"),
        ("∑", "sum"),
    ];
    PAIRS.into_iter().find(|(written, _)| text.starts_with(written))
}

/// The number a text like `.5` or `2.` stands for.
fn mended(text: &str) -> Option<String> {
    let (whole, tail) = text.split_once('.')?;
    let digits = tail.len() - tail.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (fraction, exponent) = tail.split_at(digits);
    let or_zero = |digits: &str| if digits.is_empty() { "0".to_string() } else { digits.to_string() };
    Some(format!("{}.{}{exponent}", or_zero(whole), or_zero(fraction)))
}

/// Why a well-formed number is refused.
fn range_problem(text: &str) -> Option<String> {
    if text.len() > MAX_NUMBER_LENGTH {
        return Some(format!(
            "this number has {} characters; at most {MAX_NUMBER_LENGTH} are read",
            text.len()
        ));
    }
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let is_zero = mantissa.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let value: f64 = text.parse().unwrap_or(f64::INFINITY);
    // The exact fraction of 0e999999999 would be as long to build as that of 1e999999999.
    let exponent_too_long = exponent.parse::<i32>().map_or(true, |power| power.unsigned_abs() > 1000);
    if value.is_infinite() || (is_zero && exponent_too_long) {
        return Some("this number is too large for double precision".to_string());
    }
    (!is_zero && !value.is_normal()).then(|| "this number is too small for double precision".to_string())
}
