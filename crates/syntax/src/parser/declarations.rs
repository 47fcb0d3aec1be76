//! Targets, definitions and starting values: the items of lists.

use super::{Braces, Parse, Parser};
use crate::ast::{Declared, Definition, Initial, Name, Range, Speed, StatementKind, Subscript, Target, Unit};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::token::{Token, TokenKind};

impl Parser<'_> {
    /// `x`, `q[i]`, `q[1..N, 1..2]`
    pub(super) fn target(&mut self) -> Parse<Target> {
        let name = self.expect_name("a name")?;
        let mut subscripts = Vec::new();
        if self.at_kind(TokenKind::LeftBracket) {
            self.open_bracket();
            subscripts = self.list(Self::subscript)?;
            self.close_bracket()?;
        }
        Ok(Target { span: self.since(name.span), name, subscripts, part: None })
    }

    /// `x`, `q[i]`, `J.turn`, `J[i].x`: what a starting value or a force is about.
    pub(super) fn state_target(&mut self) -> Parse<Target> {
        let mut target = self.target()?;
        if self.take(TokenKind::Dot).is_some() {
            target.part = Some(self.expect_name("a coordinate or speed of a joint or body")?);
            target.span = self.since(target.span);
        }
        Ok(target)
    }

    /// `c`, `c[i]`, `c.x`, `J.force.y`: a constraint or one of its rows.
    pub(super) fn row_target(&mut self) -> Parse<Target> {
        let mut target = self.target()?;
        while self.take(TokenKind::Dot).is_some() {
            let part = self.expect_name("a row of a constraint")?;
            target.part = Some(match target.part.take() {
                None => part,
                Some(before) => Name { text: format!("{}.{}", before.text, part.text), span: before.span },
            });
            target.span = self.since(target.span);
        }
        Ok(target)
    }

    fn subscript(&mut self) -> Parse<Subscript> {
        let first = self.expression()?;
        if self.take(TokenKind::DotDot).is_none() {
            return Ok(Subscript::At(first));
        }
        let last = self.expression()?;
        Ok(Subscript::Over(Range { span: first.span.to(last.span), first, last }))
    }

    /// `1..N`
    pub(super) fn range(&mut self) -> Parse<Range> {
        let first = self.with_braces(Braces::Block, Self::expression)?;
        self.expect(TokenKind::DotDot)?;
        let last = self.with_braces(Braces::Block, Self::expression)?;
        Ok(Range { span: first.span.to(last.span), first, last })
    }

    /// `-30 {deg}..30 {deg}`: bounds of a quantity, which no block follows.
    pub(super) fn bounds(&mut self) -> Parse<Range> {
        let first = self.expression()?;
        self.expect(TokenKind::DotDot)?;
        let last = self.expression()?;
        Ok(Range { span: first.span.to(last.span), first, last })
    }

    /// Whether a target followed by this token comes next; its part behind a dot is passed over.
    pub(super) fn target_before(&self, kind: TokenKind) -> bool {
        self.token_behind_target().is_some_and(|token| token.kind == kind)
    }

    /// The token behind a target, if one comes next that is closed on its line.
    pub(super) fn token_behind_target(&self) -> Option<Token> {
        let (mut at, name) = self.significant(self.at);
        if name.kind != TokenKind::Name {
            return None;
        }
        at += 1;
        let (mut open, mut braces) = (0, 0);
        loop {
            let here = self.tokens[at].kind;
            match here {
                TokenKind::End if open > 0 => return None,
                // The unit of a number in a subscript.
                TokenKind::LeftBrace if open > 0 => braces += 1,
                TokenKind::RightBrace if braces > 0 => braces -= 1,
                TokenKind::LeftBracket => open += 1,
                TokenKind::RightBracket if open > 0 => open -= 1,
                TokenKind::Comment => {}
                TokenKind::Dot if open == 0 && self.tokens[at + 1].kind == TokenKind::Name => at += 1,
                _ if open == 0 => return Some(self.tokens[at]),
                TokenKind::Semicolon | TokenKind::RightBrace => return None,
                TokenKind::Newline if self.line_begins_statement(at) => return None,
                _ => {}
            }
            at += 1;
        }
    }

    /// Whether a keyword follows the line end at a place: brackets that run on so far are not closed.
    pub(super) fn line_begins_statement(&self, newline: usize) -> bool {
        self.tokens.get(newline + 1).is_some_and(|token| self.is_keyword_token(*token))
    }

    /// Takes `=`; `==` is reported and read as meant.
    pub(super) fn assign(&mut self) -> Parse<()> {
        if let Some(token) = self.take(TokenKind::Equal) {
            let said = Diagnostic::error(
                Code::UnexpectedToken,
                token.span,
                "`==` compares; an equation is written `=`",
            );
            self.report(said.suggest(token.span, "="));
            return Ok(());
        }
        self.expect(TokenKind::Assign).map(|_| ())
    }

    /// `NAME = E`
    pub(super) fn plain_definition(&mut self) -> Parse<Definition> {
        let target = self.target()?;
        self.assign()?;
        Ok(Definition { target, arguments: Vec::new(), value: self.expression()?, unit: None })
    }

    /// `NAME = E`, `NAME(a, b) = E`
    pub(super) fn let_definition(&mut self) -> Parse<Definition> {
        let target = self.target()?;
        let mut arguments = Vec::new();
        if target.subscripts.is_empty() && self.at_kind(TokenKind::LeftParen) {
            self.open_bracket();
            arguments = self.list(|p| p.expect_name("the name of an argument"))?;
            self.close_bracket()?;
        }
        self.assign()?;
        Ok(Definition { target, arguments, value: self.expression()?, unit: None })
    }

    /// `NAME = E {unit}`; the unit may also follow the name.
    pub(super) fn definition_with_unit(&mut self) -> Parse<Definition> {
        let target = self.target()?;
        let early = self.unit_if_any()?;
        self.assign()?;
        let value = self.with_braces(Braces::Item, Self::expression)?;
        Ok(Definition { target, arguments: Vec::new(), value, unit: self.later_unit(early)? })
    }

    /// `NAME' = E {unit}`
    pub(super) fn state_definition(&mut self) -> Parse<Definition> {
        let target = self.target()?;
        if self.primes() != 1 {
            let said =
                Diagnostic::error(Code::UnexpectedToken, target.span, "`state` gives the rate of a variable");
            let written = self.slice(target.span).to_string();
            let whole = self.since(target.span);
            self.report(said.help("write it with one prime").suggest(whole, format!("{written}'")));
        }
        self.assign()?;
        let value = self.with_braces(Braces::Item, Self::expression)?;
        Ok(Definition { target, arguments: Vec::new(), value, unit: self.unit_if_any()? })
    }

    /// `NAME {unit}`
    pub(super) fn declared(&mut self) -> Parse<Declared> {
        Ok(Declared { target: self.target()?, unit: self.unit_if_any()? })
    }

    /// `NAME {unit} [= E]`; the unit may also follow the definition.
    pub(super) fn speed(&mut self) -> Parse<Speed> {
        let target = self.target()?;
        let early = self.unit_if_any()?;
        if !matches!(self.peek().kind, TokenKind::Assign | TokenKind::Equal) {
            return Ok(Speed { target, unit: early, definition: None });
        }
        self.assign()?;
        let definition = Some(self.with_braces(Braces::Item, Self::expression)?);
        Ok(Speed { target, unit: self.later_unit(early)?, definition })
    }

    /// A unit behind a value whose name may have one already.
    fn later_unit(&mut self, early: Option<Unit>) -> Parse<Option<Unit>> {
        let Some(late) = self.unit_if_any()? else {
            return Ok(early);
        };
        if early.is_some() {
            self.report(Diagnostic::error(Code::RepeatedPart, late.span, "the unit is given twice"));
        }
        Ok(Some(late))
    }

    /// `phi' = E`
    pub(super) fn kinematics(&mut self) -> Parse<StatementKind> {
        let coordinate = self.target()?;
        if self.primes() != 1 {
            let said = Diagnostic::error(
                Code::UnexpectedToken,
                coordinate.span,
                "`kinematics` gives the rate of a coordinate",
            );
            let written = self.slice(coordinate.span).to_string();
            let whole = self.since(coordinate.span);
            self.report(said.help("write it with one prime").suggest(whole, format!("{written}'")));
        }
        self.assign()?;
        Ok(StatementKind::Kinematics { coordinate, rate: self.expression()? })
    }

    /// Takes the primes at hand and counts them.
    pub(super) fn primes(&mut self) -> u32 {
        let mut count = 0;
        while self.take(TokenKind::Prime).is_some() {
            count += 1;
        }
        count
    }

    /// `x = E`, `q[i]' ~ E`
    pub(super) fn initial(&mut self) -> Parse<Initial> {
        let target = self.state_target()?;
        let order = self.primes();
        let fixed = self.take(TokenKind::Tilde).is_none();
        if fixed {
            self.initial_assign()?;
        }
        Ok(Initial { target, order, fixed, value: self.expression()? })
    }

    fn initial_assign(&mut self) -> Parse<()> {
        match self.peek().kind {
            TokenKind::Assign | TokenKind::Equal => self.assign(),
            TokenKind::LeftParen => {
                let (_, token) = self.significant(self.at);
                let end = self
                    .tokens
                    .iter()
                    .find(|t| t.kind == TokenKind::RightParen && t.span.start > token.span.start);
                let place = Span::new(token.span.start, end.map_or(token.span.end, |t| t.span.end));
                let message = "an initial value is that at t = 0; the time is not written";
                Err(self.give_up(Diagnostic::error(Code::UnexpectedToken, place, message).suggest(place, "")))
            }
            _ => Err(self.unexpected("`=` (fixed) or `~` (a guess)")),
        }
    }
}
