//! Names in statements that could not be read: a line is hardly ever good grammar while it is typed. What is declared
//! and used there is told by its words, so that the rest of the text does not lose its names.

use crate::context::begins_statement;
use crate::names::{Finder, Sort, Space, Usage};
use crate::resolve::{OF_CLASS, OF_CONSTRAINT};
use dalembert_syntax::source::Span;
use dalembert_syntax::{KEYWORDS, Token, TokenKind};

impl Finder<'_> {
    /// Goes through the tokens outside of statements that were read, line by line.
    pub(super) fn unread(&mut self) {
        let mut covered = std::mem::take(&mut self.covered);
        covered.sort_by_key(|span| span.start);
        let mut line: Vec<Token> = Vec::new();
        let mut next = 0;
        for (at, &token) in self.tokens.iter().enumerate() {
            while covered.get(next).is_some_and(|span| span.end <= token.span.start) {
                next += 1;
            }
            let read = covered.get(next).is_some_and(|span| span.start <= token.span.start);
            let ends = matches!(token.kind, TokenKind::Newline | TokenKind::Semicolon | TokenKind::End);
            if read || ends || begins_statement(self.text, self.tokens, at) {
                self.unread_line(&std::mem::take(&mut line));
            }
            if !read && !ends && token.kind != TokenKind::Comment {
                line.push(token);
            }
        }
    }

    fn unread_line(&mut self, line: &[Token]) {
        let Some(first) = line.iter().position(|token| token.kind == TokenKind::Name) else { return };
        let (line, keyword) = (&line[first..], self.slice(line[first].span));
        if !KEYWORDS.contains(&keyword) || keyword == "system" {
            return;
        }
        let statement = line[0].span.to(line[line.len() - 1].span);
        let (mut depth, mut in_unit) = (0_usize, false);
        for at in 1..line.len() {
            let (before, token) = (line[at - 1], line[at]);
            match token.kind {
                TokenKind::LeftParen | TokenKind::LeftBracket => depth += 1,
                TokenKind::RightParen | TokenKind::RightBracket => depth = depth.saturating_sub(1),
                TokenKind::LeftBrace => in_unit = keyword != "for",
                TokenKind::RightBrace => in_unit = false,
                TokenKind::Name if in_unit => self.word_used(token.span, Usage::Unit),
                TokenKind::Name if before.kind != TokenKind::Dot => {
                    let begins = at == 1 || before.kind == TokenKind::Comma;
                    let declared = if begins && depth == 0 { declares(keyword, line, at) } else { None };
                    match declared {
                        Some(sort) => self.declare(token.span, sort, statement),
                        None => self.unread_name(line, at),
                    }
                }
                _ => {}
            }
        }
    }

    /// A name that is used, or called, or is the argument of a result.
    fn unread_name(&mut self, line: &[Token], at: usize) {
        let span = line[at].span;
        if line.get(at + 1).is_some_and(|token| token.kind == TokenKind::LeftParen) {
            return self.word_used(span, Usage::Call);
        }
        let called = match at.checked_sub(2).map(|k| (line[k], line[k + 1].kind)) {
            Some((name, TokenKind::LeftParen)) if name.kind == TokenKind::Name => self.slice(name.span),
            _ => "",
        };
        if OF_CLASS.contains(&called) {
            return;
        }
        let of_constraint = OF_CONSTRAINT.contains(&called) || self.slice(line[at - 1].span) == "on";
        let space = if of_constraint { Space::Constraint } else { Space::Name };
        self.name_used(span, self.subscripts_end(line, at), space);
    }

    /// The end of the brackets that follow a name directly.
    fn subscripts_end(&self, line: &[Token], at: usize) -> u32 {
        let end = Span::at(line[at].span.end);
        let follows =
            line.get(at + 1).is_some_and(|t| t.kind == TokenKind::LeftBracket && t.span.start == end.end);
        if !follows {
            return end.end;
        }
        let close = line[at..].iter().find(|token| token.kind == TokenKind::RightBracket);
        close.map_or(end.end, |token| token.span.end)
    }
}

/// What a statement declares with the name at a place, by its keyword.
fn declares(keyword: &str, line: &[Token], at: usize) -> Option<Sort> {
    let sort = match keyword {
        "const" => Sort::Const,
        "parameter" => Sort::Parameter,
        "coordinate" => Sort::Coordinate,
        "speed" => Sort::Speed,
        "let" => Sort::Let,
        "output" => Sort::Output,
        "constraint" => Sort::Constraint,
        "require" => Sort::Requirement,
        "event" => Sort::Event,
        "body" => Sort::Body,
        "frame" => Sort::Frame,
        "joint" => Sort::Joint,
        "spring" | "damper" | "bushing" => Sort::Element,
        _ => return None,
    };
    let bodies = matches!(sort, Sort::Body | Sort::Frame | Sort::Joint | Sort::Element);
    let named = bodies || matches!(sort, Sort::Constraint | Sort::Requirement | Sort::Event);
    // `constraint rod: ...`, `constraint rod[i]: ...`; without the colon it is an expression.
    let colon = line[at..].iter().any(|token| token.kind == TokenKind::Colon);
    (!named || (at == 1 && colon)).then_some(sort)
}
