//! Statements in sequence: comments, blank lines, the ends of statements, and going on after a mistake.

use super::{Parse, Parser, statements::is_keyword};
use crate::ast::{Block, Leading, Statement};
use crate::diagnostic::{Code, Diagnostic};
use crate::limits::MAX_DIAGNOSTICS;
use crate::token::{Token, TokenKind};

impl Parser<'_> {
    /// The statements up to the end of the text, or up to the partner of an opening brace.
    pub(super) fn block(&mut self, opener: Option<Token>) -> Block {
        let mut block = Block::default();
        while self.diagnostics.len() < MAX_DIAGNOSTICS {
            let leading = self.leading(block.statements.is_empty());
            match self.tokens[self.at].kind {
                TokenKind::End => {
                    block.end = leading;
                    if let Some(opener) = opener {
                        self.not_closed(opener);
                    }
                    break;
                }
                TokenKind::RightBrace if opener.is_some() => {
                    block.end = leading;
                    self.bump();
                    break;
                }
                _ => block.statements.extend(self.statement(leading)),
            }
        }
        block
    }

    /// Takes the lines before a statement. Blank lines are kept as one, and none at the beginning of a block.
    fn leading(&mut self, first: bool) -> Vec<Leading> {
        let mut lines = Vec::new();
        let mut newlines = 0;
        loop {
            let token = self.tokens[self.at];
            let blank = newlines >= 2 && !(first && lines.is_empty());
            match token.kind {
                TokenKind::Newline => newlines += 1,
                TokenKind::Semicolon => {}
                TokenKind::Comment => {
                    lines.extend(blank.then_some(Leading::Blank));
                    lines.push(Leading::Comment(self.comment(token)));
                    newlines = 0;
                }
                TokenKind::End | TokenKind::RightBrace => return lines,
                _ => {
                    lines.extend(blank.then_some(Leading::Blank));
                    return lines;
                }
            }
            self.at += 1;
        }
    }

    /// One statement with its surroundings, or nothing if it could not be read.
    fn statement(&mut self, mut leading: Vec<Leading>) -> Option<Statement> {
        let outer = std::mem::take(&mut self.interior);
        let begin = self.at;
        let start = self.peek().span;
        self.tail = &[];
        self.in_body = false;
        self.open.clear();
        let kind = self.statement_kind().and_then(|kind| self.statement_end().map(|()| kind));
        let span = self.since(start);
        let interior = std::mem::replace(&mut self.interior, outer);
        let Ok(kind) = kind else {
            self.recover(begin);
            return None;
        };
        leading.extend(interior.into_iter().map(Leading::Comment));
        Some(Statement { span, leading, trailing: self.trailing(), kind })
    }

    /// Checks that nothing else stands in the statement.
    fn statement_end(&mut self) -> Parse<()> {
        match self.peek().kind {
            TokenKind::Newline | TokenKind::End | TokenKind::Semicolon | TokenKind::RightBrace => Ok(()),
            TokenKind::Assign => {
                let span = self.peek().span;
                let said = Diagnostic::error(Code::UnexpectedToken, span, "`=` is not expected here");
                Err(self.give_up(said.help("to compare two values write `==`")))
            }
            _ if self.tail.is_empty() => Err(self.unexpected("the end of the statement")),
            _ => {
                let words: Vec<String> = self.tail.iter().map(|word| format!("`{word}`")).collect();
                Err(self.unexpected(&format!("{} or the end of the statement", words.join(", "))))
            }
        }
    }

    /// The comment at the end of the line, if the statement is the last one on it.
    fn trailing(&mut self) -> Option<String> {
        while self.tokens[self.at].kind == TokenKind::Semicolon {
            self.at += 1;
        }
        let token = self.tokens[self.at];
        (token.kind == TokenKind::Comment).then(|| {
            self.at += 1;
            self.comment(token)
        })
    }

    /// Passes over the rest of a statement that was given up: to the end of its line, or, while brackets are open,
    /// to the end of a line that is followed by a keyword.
    fn recover(&mut self, begin: usize) {
        let mut open = self.open.len();
        self.open.clear();
        let taken = &self.tokens[begin..self.at];
        let count = |kind| taken.iter().filter(|token| token.kind == kind).count();
        // Braces of units; those of a `for` block are balanced by now.
        let mut braces = count(TokenKind::LeftBrace).saturating_sub(count(TokenKind::RightBrace));
        loop {
            let kind = self.tokens[self.at].kind;
            match kind {
                TokenKind::End => return,
                TokenKind::Name if self.statement_begins_at(self.at) && self.at > begin => return,
                TokenKind::Newline | TokenKind::Semicolon if open == 0 || self.pass_blank_lines() => return,
                TokenKind::Newline | TokenKind::Semicolon => continue,
                TokenKind::RightBrace if braces == 0 && self.depth > 0 => return,
                TokenKind::LeftBrace => braces += 1,
                TokenKind::RightBrace => braces = braces.saturating_sub(1),
                TokenKind::LeftParen | TokenKind::LeftBracket => open += 1,
                TokenKind::RightParen | TokenKind::RightBracket => open = open.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Whether the next line with something on it begins with the keyword of a statement or ends the block; if not, the
    /// lines before it are passed.
    fn pass_blank_lines(&mut self) -> bool {
        let blank = [TokenKind::Newline, TokenKind::Comment, TokenKind::Semicolon];
        let next = (self.at..self.tokens.len()).find(|&at| !blank.contains(&self.tokens[at].kind));
        let Some(next) = next else {
            return true;
        };
        let token = self.tokens[next];
        let begins = self.is_keyword_token(token) || token.kind == TokenKind::RightBrace;
        if !begins {
            self.at = next;
        }
        begins
    }

    pub(super) fn is_keyword_token(&self, token: Token) -> bool {
        token.kind == TokenKind::Name && is_keyword(self.slice(token.span))
    }

    /// Whether a new statement seems to begin at the next token although the last one is not finished: a keyword at
    /// the beginning of a line, followed by something that no operator joins to it.
    pub(super) fn new_statement_begins(&self) -> bool {
        self.statement_begins_at(self.significant(self.at).0)
    }

    fn statement_begins_at(&self, at: usize) -> bool {
        let token = self.tokens[at];
        if at == 0 || !self.is_keyword_token(token) {
            return false;
        }
        // Line ends behind an operator are no tokens.
        let before = self.tokens[at - 1];
        let gap = &self.text[before.span.end as usize..token.span.start as usize];
        let line_begins = before.kind == TokenKind::Newline || gap.contains('\n');
        let second = self.significant(at + 1).1;
        let joined = match second.kind {
            // The result of that name, as in `force(J)`.
            TokenKind::LeftParen if second.span.start == token.span.end => {
                crate::words::find(crate::words::RESULTS, self.slice(token.span)).is_some()
            }
            TokenKind::Name | TokenKind::Number | TokenKind::Text | TokenKind::LeftParen => false,
            TokenKind::LeftBracket => second.span.start == token.span.end,
            _ => true,
        };
        line_begins && !joined
    }
}
