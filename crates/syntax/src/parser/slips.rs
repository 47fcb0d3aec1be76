//! Slips of readers who know another language, each with what it is here: `30 deg`, `3 N/m`, `sin^2(x)`, `T = ...`.

use super::{Parse, Parser};
use crate::ast::{Expr, ExprKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::limits::MAX_DIAGNOSTICS;
use crate::source::Span;
use crate::token::{Token, TokenKind};
use crate::units;
use dalembert_expr::Function;

/// Statements by words of other languages and of textbooks.
const OTHER_STATEMENTS: [(&str, &str); 16] = [
    ("param", "parameter"),
    ("params", "parameter"),
    ("var", "coordinate"),
    ("variable", "coordinate"),
    ("variables", "coordinate"),
    ("coord", "coordinate"),
    ("coords", "coordinate"),
    ("dof", "coordinate"),
    ("T", "kinetic"),
    ("Ek", "kinetic"),
    ("V", "potential"),
    ("U", "potential"),
    ("Ep", "potential"),
    ("L", "lagrangian"),
    ("start", "initial"),
    ("init", "initial"),
];

/// The statement that another language calls by this word.
pub(super) fn other_statement(word: &str) -> Option<&'static str> {
    OTHER_STATEMENTS.iter().find(|(other, _)| *other == word).map(|(_, ours)| *ours)
}

/// Names of a unit that stand behind a number, and where they end.
struct UnitNames {
    /// As it is written in braces.
    text: String,
    /// Index of the token behind the last name.
    end: usize,
    names: usize,
    divided: bool,
    undeclared: usize,
}

impl Parser<'_> {
    /// `30 deg`, `3 N/m`, `3 [N/m]`: a number and a unit that the model does not declare as names. Reports it and passes
    /// over it.
    pub(super) fn unit_without_braces(&mut self) -> bool {
        use TokenKind::{Caret, Dot, LeftBracket, LeftParen, Prime, RightBracket, Slash, Star};
        let Some(number) = self.at.checked_sub(1).map(|at| self.tokens[at]) else { return false };
        if number.kind != TokenKind::Number || self.diagnostics.len() >= MAX_DIAGNOSTICS {
            return false;
        }
        let (at, first) = self.significant(self.at);
        let bracket = first.kind == LeftBracket;
        let Some(unit) = self.unit_names(at + usize::from(bracket)) else { return false };
        let behind = self.tokens.get(unit.end).map_or(TokenKind::End, |token| token.kind);
        let is_unit = match (bracket, unit.divided) {
            (true, _) => behind == RightBracket && unit.undeclared > 0,
            (false, true) => {
                unit.undeclared > 0 && !matches!(behind, Caret | Prime | LeftBracket | LeftParen | Dot)
            }
            // A product of names may be one of quantities that are not declared yet.
            (false, false) => {
                let goes_on = matches!(behind, Star | Slash | Caret | Prime | LeftBracket | LeftParen | Dot);
                unit.undeclared == unit.names && !goes_on
            }
        };
        if !is_unit {
            return false;
        }
        let end = unit.end + usize::from(bracket);
        let last = self.tokens[end - 1].span.end;
        let both = Span::new(number.span.start, last);
        let said = Diagnostic::error(Code::UnitWithoutBraces, both, "a unit is written in braces");
        self.report(said.suggest(Span::new(number.span.end, last), format!(" {{{}}}", unit.text)));
        while self.at < end {
            self.bump();
        }
        true
    }

    /// Reads names of units joined by `*` and `/`, as far as they go.
    fn unit_names(&self, from: usize) -> Option<UnitNames> {
        let kind = |at: usize| self.tokens.get(at).map_or(TokenKind::End, |token| token.kind);
        let mut unit = UnitNames { text: String::new(), end: from, names: 0, divided: false, undeclared: 0 };
        let mut at = from;
        loop {
            let token = self.tokens.get(at).filter(|token| token.kind == TokenKind::Name)?;
            let written = self.slice(token.span);
            let known = units::spelled_out(written).or_else(|| units::describe(written).map(|_| written));
            let Some(name) = known else { break };
            let mut end = at + 1;
            if kind(end) == TokenKind::Caret {
                let number = end + 1 + usize::from(kind(end + 1) == TokenKind::Minus);
                if kind(number) != TokenKind::Number {
                    break;
                }
                end = number + 1;
            }
            let sign = if unit.names == 0 { "" } else { self.slice(self.tokens[at - 1].span) };
            let power = match end > at + 1 {
                true => self.slice(Span::new(token.span.end, self.tokens[end - 1].span.end)),
                false => "",
            };
            unit.text.push_str(&format!("{sign}{name}{power}"));
            unit.divided |= sign == "/";
            unit.names += 1;
            unit.undeclared += usize::from(!self.declares(written));
            unit.end = end;
            let joined = matches!(kind(end), TokenKind::Star | TokenKind::Slash);
            if !joined || kind(end + 1) != TokenKind::Name {
                break;
            }
            at = end + 1;
        }
        (unit.names > 0).then_some(unit)
    }

    /// Whether the text declares a name, as far as tokens tell: it stands before `=`, behind a comma or a word.
    fn declares(&self, name: &str) -> bool {
        let is_name = |token: &Token| token.kind == TokenKind::Name;
        let named = |token: &Token| is_name(token) && self.slice(token.span) == name;
        self.tokens.windows(2).any(|pair| {
            let behind = is_name(&pair[0]) || pair[0].kind == TokenKind::Comma;
            (named(&pair[0]) && pair[1].kind == TokenKind::Assign) || (behind && named(&pair[1]))
        })
    }

    /// Whether a `coordinate` or `speed` statement lists a name, as far as tokens tell.
    pub(super) fn is_coordinate(&self, name: &str) -> bool {
        let mut listing = false;
        self.tokens.iter().any(|token| {
            let word = self.slice(token.span);
            match token.kind {
                TokenKind::Newline => listing = false,
                TokenKind::Name if ["coordinate", "speed"].contains(&word) => listing = true,
                _ => {}
            }
            listing && token.kind == TokenKind::Name && word == name
        })
    }

    /// Whether the name that was read is a function, and a power stands before its argument: `sin^2(x)`.
    pub(super) fn power_follows(&self, name: Token) -> bool {
        let (caret, first) = self.significant(self.at);
        let (power, second) = self.significant(caret + 1);
        matches!(first.kind, TokenKind::Caret | TokenKind::StarStar)
            && second.kind == TokenKind::Number
            && self.significant(power + 1).1.kind == TokenKind::LeftParen
            && Function::by_name(self.slice(name.span)).is_some()
    }

    /// `sin^2(x)`, reported and read as `sin(x)^2`.
    pub(super) fn power_of_function(&mut self, token: Token) -> Parse<Expr> {
        let name = self.slice(token.span);
        self.bump();
        let number = self.bump();
        let exponent = self.slice(number.span).to_string();
        self.open_bracket();
        let arguments = self.list(Self::expression)?;
        self.close_bracket()?;
        let place = self.since(token.span);
        let behind = self.slice(Span::new(number.span.end, place.end)).trim_start();
        let said = Diagnostic::error(Code::PowerOfFunction, place, "a power follows the argument");
        let said = said.help(format!("did you mean `{name}{behind}^{exponent}`?"));
        self.report(said.suggest(place, format!("{name}{behind}^{exponent}")));
        let function = crate::ast::Name { text: name.to_string(), span: token.span };
        let call = Expr { span: place, kind: ExprKind::Call(function, arguments) };
        let exponent = Expr { span: number.span, kind: ExprKind::Number(exponent) };
        Ok(Expr { span: place, kind: ExprKind::Power(Box::new(call), Box::new(exponent)) })
    }

    /// `cos^2 x` and `tan^-1(x)`: a power before an argument without parentheses, and the sign of an inverse.
    pub(super) fn power_of_bare_function(&mut self, token: Token) -> Option<Expr> {
        let name = self.slice(token.span).to_string();
        let (caret, first) = self.significant(self.at);
        let function = Function::by_name(&name).is_some();
        if !function || !matches!(first.kind, TokenKind::Caret | TokenKind::StarStar) {
            return None;
        }
        let kind = |k: usize| self.tokens.get(caret + k).map_or(TokenKind::End, |token| token.kind);
        let text =
            |k: usize| self.tokens.get(caret + k).map_or("", |token| self.slice(token.span)).to_string();
        let inverse = format!("a{name}");
        let (place, mended, read) = if kind(1) == TokenKind::Number && kind(2) == TokenKind::Name {
            let place = Span::new(token.span.start, self.tokens[caret + 2].span.end);
            (place, format!("{name}({})^{}", text(2), text(1)), 3)
        } else if kind(1) == TokenKind::Minus && text(2) == "1" && Function::by_name(&inverse).is_some() {
            (Span::new(token.span.start, self.tokens[caret + 2].span.end), inverse, 3)
        } else {
            return None;
        };
        let number = kind(1) == TokenKind::Number;
        let message = match number {
            true => "a power follows the argument",
            false => "an inverse function has a name of its own",
        };
        let said = Diagnostic::error(Code::PowerOfFunction, place, message);
        self.report(said.help(format!("did you mean `{mended}`?")).suggest(place, mended));
        for _ in 0..read {
            self.bump();
        }
        // Read as some number; an argument in parentheses is passed over with it.
        if !number && self.at_kind(TokenKind::LeftParen) && !self.crossed_newline() {
            self.open_bracket();
            self.list(Self::expression).ok()?;
            self.close_bracket().ok()?;
        }
        Some(Expr { span: self.since(token.span), kind: ExprKind::Number("1".to_string()) })
    }
}
