//! Tokens to syntax tree: the machinery that statements and expressions share.
//!
//! A statement that cannot be read is reported once and left out, and reading goes on with the next one; slips whose
//! meaning is clear (`2x`, `x**2`) are reported and read as meant. The parser never fails as a whole, and its work is
//! linear in the text: it looks ahead within one statement only.

mod block;
mod bodies;
mod declarations;
mod expressions;
mod slips;
mod statements;
mod units;

use super::ast::{Ast, Name};
use super::token::{Token, TokenKind};
use crate::diagnostic::size_error;
use crate::diagnostic::{Code, Diagnostic};
use crate::lexer;
use crate::limits::{MAX_DIAGNOSTICS, MAX_NESTING};
use crate::source::{Source, Span};

/// Reads a model text.
///
/// The tree holds every statement that could be read; it is the whole model only if no diagnostic is an error.
///
/// ```
/// use dalembert_syntax::{Source, parse, diagnostic::Code};
///
/// let (ast, diagnostics) = parse(&Source::new("model.dal", "coordinate x\nkinetic 2x'^2\npotental x\n"));
/// assert_eq!(ast.body.statements.len(), 2);
/// let codes: Vec<Code> = diagnostics.iter().map(|said| said.code).collect();
/// assert_eq!(codes, [Code::ImplicitMultiplication, Code::UnknownStatement]);
/// ```
pub fn parse(source: &Source) -> (Ast, Vec<Diagnostic>) {
    if let Some(too_large) = size_error(source.text.len()) {
        return (Ast::default(), vec![too_large]);
    }
    let (tokens, mut diagnostics) = lexer::tokens(&source.text);
    let mut parser = Parser::new(&source.text, tokens);
    let body = parser.block(None);
    diagnostics.append(&mut parser.diagnostics);
    diagnostics.sort_by_key(|said| said.span);
    (Ast { body }, diagnostics)
}

/// The mark that a statement was given up and its problem reported.
struct Reported;

type Parse<T> = Result<T, Reported>;

/// What a brace behind a number outside of brackets means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Braces {
    /// The unit of the number.
    Unit,
    /// The unit of the item if it ends the item, else that of the number.
    Item,
    /// A block.
    Block,
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    /// The next token, counted with comments and line ends.
    at: usize,
    /// The end of the last token taken.
    last_end: u32,
    /// Brackets opened and not closed yet; inside, line ends mean nothing.
    open: Vec<Token>,
    /// Words that may follow an expression of the current statement.
    tail: &'static [&'static str],
    /// The place of the `in` before the bounds of the current actuator; elsewhere `in` is a direction fixed in a body.
    bounds: Option<usize>,
    /// What a brace behind a number means.
    braces: Braces,
    /// Whether `+` before the word of a shape begins another part of a body.
    in_body: bool,
    /// Comments passed inside the current statement.
    interior: Vec<String>,
    depth: usize,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, tokens: Vec<Token>) -> Parser<'a> {
        Parser {
            text,
            tokens,
            at: 0,
            last_end: 0,
            open: Vec::new(),
            tail: &[],
            bounds: None,
            braces: Braces::Unit,
            in_body: false,
            interior: Vec::new(),
            depth: 0,
            diagnostics: Vec::new(),
        }
    }

    /// The next token that counts, from a place on, and its place. Beyond the end it is the end.
    fn significant(&self, from: usize) -> (usize, Token) {
        let skips = |kind: TokenKind| {
            kind == TokenKind::Comment || (kind == TokenKind::Newline && !self.open.is_empty())
        };
        let last = self.tokens.len() - 1;
        let at = (from..last).find(|&at| !skips(self.tokens[at].kind)).unwrap_or(last);
        (at, self.tokens[at])
    }

    fn peek(&self) -> Token {
        self.significant(self.at).1
    }

    fn at_kind(&self, kind: TokenKind) -> bool {
        self.peek().kind == kind
    }

    /// The token behind the next one.
    fn peek_second(&self) -> Token {
        self.significant(self.significant(self.at).0 + 1).1
    }

    /// Takes the next token; comments passed on the way stay with the statement.
    fn bump(&mut self) -> Token {
        let (at, token) = self.significant(self.at);
        for passed in self.at..at {
            if self.tokens[passed].kind == TokenKind::Comment {
                let comment = self.comment(self.tokens[passed]);
                self.interior.push(comment);
            }
        }
        // The end is never passed.
        self.at = if token.kind == TokenKind::End { at } else { at + 1 };
        self.last_end = token.span.end;
        token
    }

    /// Takes the next token if it is of a kind.
    fn take(&mut self, kind: TokenKind) -> Option<Token> {
        self.at_kind(kind).then(|| self.bump())
    }

    fn expect(&mut self, kind: TokenKind) -> Parse<Token> {
        match self.take(kind) {
            Some(token) => Ok(token),
            None => Err(self.unexpected(kind.describe())),
        }
    }

    fn slice(&self, span: Span) -> &'a str {
        &self.text[span.range()]
    }

    fn comment(&self, token: Token) -> String {
        self.slice(token.span)[1..].trim_end().to_string()
    }

    /// Whether the next token is this word.
    fn at_word(&self, word: &str) -> bool {
        let token = self.peek();
        token.kind == TokenKind::Name && self.slice(token.span) == word
    }

    fn take_word(&mut self, word: &str) -> bool {
        let here = self.at_word(word);
        if here {
            self.bump();
        }
        here
    }

    fn expect_word(&mut self, word: &str) -> Parse<()> {
        if self.take_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    fn expect_name(&mut self, wanted: &str) -> Parse<Name> {
        let token = self.peek();
        if self.new_statement_begins() {
            return Err(self.stops_before(wanted));
        }
        if token.kind == TokenKind::Name {
            self.bump();
            return Ok(Name { text: self.slice(token.span).to_string(), span: token.span });
        }
        let word = self.slice(token.span);
        if crate::words::RESERVED_WORDS.contains(&word) {
            let message = format!("`{word}` is a word of the language and cannot be a name");
            return Err(self.give_up(Diagnostic::error(Code::ReservedName, token.span, message)));
        }
        Err(self.unexpected(wanted))
    }

    /// From the beginning of a span to the last token taken.
    fn since(&self, start: Span) -> Span {
        Span::new(start.start, self.last_end.max(start.start))
    }

    fn open_bracket(&mut self) -> Token {
        let token = self.bump();
        self.open.push(token);
        token
    }

    /// Takes the partner of the innermost open bracket.
    fn close_bracket(&mut self) -> Parse<()> {
        let Some(&opener) = self.open.last() else {
            return Ok(());
        };
        let next = self.peek();
        if Some(next.kind) == opener.kind.closer() {
            self.bump();
            self.open.pop();
            return Ok(());
        }
        if next.kind.is_closer() && next.kind != TokenKind::RightBrace {
            return Err(self.stray(next, opener));
        }
        let ends = matches!(next.kind, TokenKind::End | TokenKind::RightBrace | TokenKind::Semicolon);
        if ends || self.crossed_newline() {
            return Err(self.not_closed(opener));
        }
        let closer = opener.kind.closer().map_or("", TokenKind::describe);
        Err(self.unexpected(&format!("`,` or {closer}")))
    }

    /// Whether the next token begins a new line (inside brackets, where line ends are passed over).
    fn crossed_newline(&self) -> bool {
        let (at, _) = self.significant(self.at);
        self.tokens[self.at..at].iter().any(|token| token.kind == TokenKind::Newline)
    }

    /// Runs a part of the grammar one level deeper.
    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_NESTING {
            let message = format!("nested more than {MAX_NESTING} levels deep");
            let said = Diagnostic::error(Code::TooDeep, self.peek().span, message);
            return Err(self.give_up(said.help("give inner parts a name with `let`")));
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    /// A list with commas.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.take(TokenKind::Comma).is_some() {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }

    fn give_up(&mut self, diagnostic: Diagnostic) -> Reported {
        self.report(diagnostic);
        Reported
    }

    /// Gives up at the next token, which is not what can stand there.
    fn unexpected(&mut self, wanted: &str) -> Reported {
        let token = self.peek();
        match token.kind {
            // The lexer has said it.
            TokenKind::Bad => Reported,
            TokenKind::Newline | TokenKind::End | TokenKind::Semicolon | TokenKind::RightBrace => {
                self.stops_before(wanted)
            }
            kind if kind.is_closer() && self.open.is_empty() => {
                let message = format!("{} closes no bracket", kind.describe());
                self.give_up(
                    Diagnostic::error(Code::StrayBracket, token.span, message).suggest(token.span, ""),
                )
            }
            _ => {
                let message = format!("expected {wanted}, found {}", self.found(token));
                let said = Diagnostic::error(Code::UnexpectedToken, token.span, message);
                self.give_up(said.label(token.span, format!("{wanted} belongs here")))
            }
        }
    }

    /// Gives up at the end of a statement: the bracket that is open is to blame, or something is missing.
    fn stops_before(&mut self, wanted: &str) -> Reported {
        match self.open.last().copied() {
            Some(opener) => self.not_closed(opener),
            None => self.not_finished(wanted),
        }
    }

    fn not_finished(&mut self, wanted: &str) -> Reported {
        let place = Span::at(self.last_end);
        let message = format!("the statement stops where {wanted} is expected");
        self.give_up(Diagnostic::error(Code::StatementNotFinished, place, message))
    }

    fn not_closed(&mut self, opener: Token) -> Reported {
        let message = format!("this {} is not closed", opener.kind.describe());
        let missed = Span::at(self.last_end);
        let closer = opener.kind.closer().map_or("", TokenKind::describe);
        let said = Diagnostic::error(Code::MissingBracket, opener.span, message);
        self.give_up(said.label(missed, format!("{closer} is missing, perhaps here")))
    }

    fn stray(&mut self, closer: Token, opener: Token) -> Reported {
        let message = format!("{} closes no bracket", closer.kind.describe());
        let said = Diagnostic::error(Code::StrayBracket, closer.span, message);
        let partner = opener.kind.closer().map_or("", TokenKind::describe);
        self.give_up(said.label(opener.span, format!("this {} waits for {partner}", opener.kind.describe())))
    }

    /// How a token is called in a message: by its text where that is short.
    fn found(&self, token: Token) -> String {
        match token.kind {
            TokenKind::Name | TokenKind::Number if token.span.range().len() <= 40 => {
                format!("`{}`", self.slice(token.span))
            }
            kind => kind.describe().to_string(),
        }
    }
}
