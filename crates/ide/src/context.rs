//! Where in a statement an offset is: what stands before it, and which brackets are open.

use crate::document::Document;
use dalembert_syntax::source::Span;
use dalembert_syntax::{KEYWORDS, Token, TokenKind};

/// The surroundings of an offset.
pub(super) struct Context {
    /// What has been typed of a word.
    pub word: Span,
    /// The tokens of the statement before the word.
    pub before: Vec<Token>,
    /// Which of them are open brackets, innermost last.
    pub open: Vec<usize>,
}

impl Context {
    /// The surroundings of an offset; `None` in comments, in strings, in numbers.
    pub fn of(document: &Document, offset: u32) -> Option<Context> {
        let offset = document.source.clamp(Span::at(offset)).end as u32;
        let mut this = Context { word: Span::at(offset), before: Vec::new(), open: Vec::new() };
        for (at, token) in document.tokens.iter().enumerate() {
            let Span { start, end } = token.span;
            if start >= offset {
                break;
            }
            let touched = offset <= end;
            match token.kind {
                TokenKind::Comment | TokenKind::Number if touched => return None,
                TokenKind::Text | TokenKind::Bad if offset < end => return None,
                _ if touched && is_word(document, *token) => this.word = Span::new(start, offset),
                _ => this.pass(document, at),
            }
        }
        Some(this)
    }

    /// The innermost open bracket.
    pub fn bracket(&self) -> Option<TokenKind> {
        self.open.last().map(|&at| self.before[at].kind)
    }

    /// The name in front of the innermost open parenthesis.
    pub fn called<'d>(&self, document: &'d Document) -> Option<&'d str> {
        let at = self.open.last()?.checked_sub(1)?;
        let name = self.before[at];
        let is_call = self.bracket() == Some(TokenKind::LeftParen) && name.kind == TokenKind::Name && at > 0;
        is_call.then(|| document.source.slice(name.span))
    }

    fn pass(&mut self, document: &Document, at: usize) {
        let token = document.tokens[at];
        if begins_statement(&document.source.text, &document.tokens, at) {
            self.end();
        }
        match token.kind {
            TokenKind::Comment => return,
            TokenKind::Newline if self.open.is_empty() => return self.end(),
            TokenKind::Newline => return,
            TokenKind::Semicolon if self.open.is_empty() => return self.end(),
            TokenKind::LeftBrace if self.begins_with(document, "for") => return self.end(),
            TokenKind::RightBrace if self.bracket() != Some(TokenKind::LeftBrace) => return self.end(),
            TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => {
                self.open.push(self.before.len());
            }
            kind if kind.is_closer() => {
                self.open.pop();
            }
            _ => {}
        }
        self.before.push(token);
    }

    fn end(&mut self) {
        self.before.clear();
        self.open.clear();
    }

    fn begins_with(&self, document: &Document, keyword: &str) -> bool {
        self.before.first().is_some_and(|first| document.source.slice(first.span) == keyword)
    }
}

fn is_word(document: &Document, token: Token) -> bool {
    document.source.slice(token.span).starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Whether a new statement seems to begin with a token although the last one is not finished: a keyword at the
/// beginning of a line, with something to follow it. Line ends behind an operator are no tokens.
pub(super) fn begins_statement(text: &str, tokens: &[Token], at: usize) -> bool {
    let token = tokens[at];
    let before = at.checked_sub(1).map_or(0, |before| tokens[before].span.end as usize);
    let line_begins = at == 0 || text[before..token.span.start as usize].contains('\n');
    let after_line = at > 0 && tokens[at - 1].kind == TokenKind::Newline;
    let followed = matches!(
        tokens.get(at + 1).map(|token| token.kind),
        Some(TokenKind::Name | TokenKind::Number | TokenKind::Text | TokenKind::LeftParen)
    );
    (line_begins || after_line) && followed && KEYWORDS.contains(&&text[token.span.range()])
}
