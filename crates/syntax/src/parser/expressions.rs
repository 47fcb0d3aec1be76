//! Expressions by precedence climbing.
//!
//! From loose to tight: `if`, `or`, `and`, `not`, comparisons, `+ -`, `* /`, the sign `-`, `^` (to the right), and what
//! follows an operand (`'`, `[i]`, `.x`). Chains of one level become one flat node, so a long sum makes no deep tree.

use super::{Braces, Parse, Parser, Reported};
use crate::ast::{Comparison, Expr, ExprKind, Factor, If, Range, SumOver, Term};
use crate::diagnostic::{Code, Diagnostic};
use crate::limits::{MAX_DIAGNOSTICS, MAX_POSTFIX};
use crate::source::Span;
use crate::token::{Token, TokenKind};
use dalembert_expr::Function;

/// How tightly an operator binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Compare,
    Sum,
    Product,
    Power,
}

fn level(kind: TokenKind) -> Option<Level> {
    use TokenKind::*;
    match kind {
        Or => Some(Level::Or),
        And => Some(Level::And),
        Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual => Some(Level::Compare),
        Plus | Minus => Some(Level::Sum),
        Star | Slash => Some(Level::Product),
        Caret | StarStar => Some(Level::Power),
        _ => None,
    }
}

fn comparison(kind: TokenKind) -> Option<Comparison> {
    match kind {
        TokenKind::Less => Some(Comparison::Less),
        TokenKind::LessEqual => Some(Comparison::LessEqual),
        TokenKind::Greater => Some(Comparison::Greater),
        TokenKind::GreaterEqual => Some(Comparison::GreaterEqual),
        TokenKind::Equal => Some(Comparison::Equal),
        TokenKind::NotEqual => Some(Comparison::NotEqual),
        _ => None,
    }
}

impl Parser<'_> {
    /// A whole expression.
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        self.nested(|p| p.binary(Level::Or))
    }

    fn expr(&self, start: Span, kind: ExprKind) -> Expr {
        Expr { span: self.since(start), kind }
    }

    /// An operand and the operators behind it that bind at least this tightly.
    fn binary(&mut self, least: Level) -> Parse<Expr> {
        let mut left = self.prefix()?;
        loop {
            self.product_sign_missing(least)?;
            let Some(level) = self.next_level().filter(|&level| level >= least) else {
                return Ok(left);
            };
            let start = left.span;
            let kind = match level {
                Level::Or => ExprKind::Or(self.chain(left, Level::Or, Level::And)?),
                Level::And => ExprKind::And(self.chain(left, Level::And, Level::Compare)?),
                Level::Compare => self.compare(left)?,
                Level::Sum => self.sum(left)?,
                Level::Product => self.product(left)?,
                Level::Power => self.power(left)?,
            };
            left = self.expr(start, kind);
        }
    }

    /// How tightly the operator binds that comes next, if one does: `+` may begin a part of a body.
    fn next_level(&self) -> Option<Level> {
        let token = self.peek();
        if token.kind == TokenKind::Plus && self.body_part_follows() {
            return None;
        }
        level(token.kind)
    }

    /// A sum: an expression that no comparison, `and` or `or` is part of.
    pub(super) fn sum_expression(&mut self) -> Parse<Expr> {
        self.nested(|p| p.binary(Level::Sum))
    }

    /// One factor: a name, a number, a power, or anything in parentheses.
    pub(super) fn factor_expression(&mut self) -> Parse<Expr> {
        self.nested(|p| p.binary(Level::Power))
    }

    /// The operands of a chain of `and` or of `or`.
    fn chain(&mut self, first: Expr, this: Level, tighter: Level) -> Parse<Vec<Expr>> {
        let mut operands = match (this, first.kind) {
            (Level::Or, ExprKind::Or(operands)) | (Level::And, ExprKind::And(operands)) => operands,
            (_, kind) => vec![Expr { kind, ..first }],
        };
        while level(self.peek().kind) == Some(this) {
            self.bump();
            operands.push(self.binary(tighter)?);
        }
        Ok(operands)
    }

    fn compare(&mut self, left: Expr) -> Parse<ExprKind> {
        let Some(operator) = comparison(self.bump().kind) else {
            return Err(Reported);
        };
        let right = self.binary(Level::Sum)?;
        let next = self.peek();
        if level(next.kind) == Some(Level::Compare) {
            let said = Diagnostic::error(Code::ChainedComparison, next.span, "comparisons cannot be chained");
            let middle = self.slice(right.span).to_string();
            let mended = format!(" and {middle} {}", self.slice(next.span));
            // Padding on the left only: what follows keeps its own.
            let place = Span::new(right.span.end, next.span.end);
            self.report(said.help("join two comparisons with `and`").suggest(place, mended));
        }
        Ok(ExprKind::Compare(operator, Box::new(left), Box::new(right)))
    }

    fn sum(&mut self, first: Expr) -> Parse<ExprKind> {
        // Chains lean to the left: (a + b) - c is a + b - c.
        let mut terms = match first.kind {
            ExprKind::Sum(terms) => terms,
            kind => vec![Term { minus: false, expr: Expr { kind, ..first } }],
        };
        while self.next_level() == Some(Level::Sum) {
            let minus = self.bump().kind == TokenKind::Minus;
            terms.push(Term { minus, expr: self.binary(Level::Product)? });
        }
        Ok(ExprKind::Sum(terms))
    }

    fn product(&mut self, first: Expr) -> Parse<ExprKind> {
        let mut factors = match first.kind {
            ExprKind::Product(factors) => factors,
            kind => vec![Factor { divide: false, expr: Expr { kind, ..first } }],
        };
        while level(self.peek().kind) == Some(Level::Product) {
            let divide = self.bump().kind == TokenKind::Slash;
            factors.push(Factor { divide, expr: self.binary(Level::Power)? });
            self.product_sign_missing(Level::Product)?;
        }
        Ok(ExprKind::Product(factors))
    }

    fn power(&mut self, base: Expr) -> Parse<ExprKind> {
        self.take_caret();
        let exponent = self.nested(|p| p.binary(Level::Power))?;
        Ok(ExprKind::Power(Box::new(base), Box::new(exponent)))
    }

    /// Takes `^`; `**` is reported and read as meant.
    pub(super) fn take_caret(&mut self) -> bool {
        let token = self.peek();
        match token.kind {
            TokenKind::Caret => {}
            TokenKind::StarStar => {
                let said = Diagnostic::error(Code::PowerSign, token.span, "a power is written `^`");
                self.report(said.suggest(token.span, "^"));
            }
            _ => return false,
        }
        self.bump();
        true
    }

    /// Reports operands side by side, once, and passes over all but the first: `2 x`, `2(x + 1)`.
    fn product_sign_missing(&mut self, least: Level) -> Parse<()> {
        if !self.operand_follows(least)? {
            return Ok(());
        }
        if self.unit_without_braces() {
            return Ok(());
        }
        let first = self.tokens[self.at - 1];
        let place = self.diagnostics.len();
        let mut gaps = Vec::new();
        let mut read = Ok(());
        while read.is_ok() && self.operand_follows(least)? {
            gaps.push(Span::new(self.last_end, self.peek().span.start));
            read = self.binary(Level::Power).map(|_| ());
        }
        self.report_product(first, &gaps, place);
        read
    }

    /// Says that signs are missing in a product, at its place among the diagnostics; every gap is mended at once.
    fn report_product(&mut self, first: Token, gaps: &[Span], place: usize) {
        let (Some(gap), Some(last)) = (gaps.first(), gaps.last()) else { return };
        if self.diagnostics.len() >= MAX_DIAGNOSTICS {
            return;
        }
        let behind = self.tokens.get(self.tokens.partition_point(|token| token.span.start < gap.end));
        let both = Span::new(first.span.start, behind.map_or(gap.end, |token| token.span.end));
        let said = Diagnostic::error(Code::ImplicitMultiplication, both, "a product needs its sign `*`");
        let name = self.slice(first.span);
        let said = match Function::by_name(name) {
            Some(_) => said.help(format!("a function takes its argument in parentheses: `{name}(...)`")),
            None => {
                let between = gaps.windows(2).map(|g| self.slice(Span::new(g[0].end, g[1].start)));
                let mended: String = between.map(|text| format!("*{text}")).chain(["*".to_owned()]).collect();
                said.help("put `*` between the factors").suggest(Span::new(gap.start, last.end), mended)
            }
        };
        self.diagnostics.insert(place.min(self.diagnostics.len()), said);
    }

    /// Whether an operand comes next that no operator joins to the last one, and no word of the statement explains.
    fn operand_follows(&mut self, least: Level) -> Parse<bool> {
        let token = self.peek();
        if least > Level::Product || !token.kind.begins_operand() || self.crossed_newline() {
            return Ok(false);
        }
        let word = self.slice(token.span);
        if self.open.is_empty() && token.kind == TokenKind::Name {
            if self.tail.contains(&word) {
                return Ok(false);
            }
            if let Some(meant) = self.word_of_part(word) {
                return Err(self.misspelt(token, meant));
            }
        }
        Ok(true)
    }

    fn prefix(&mut self) -> Parse<Expr> {
        let token = self.peek();
        match token.kind {
            TokenKind::Minus => {
                self.bump();
                let operand = self.nested(|p| p.binary(Level::Power))?;
                Ok(self.expr(token.span, ExprKind::Neg(Box::new(operand))))
            }
            TokenKind::Not => {
                self.bump();
                let operand = self.nested(|p| p.binary(Level::Compare))?;
                Ok(self.expr(token.span, ExprKind::Not(Box::new(operand))))
            }
            TokenKind::If => {
                self.bump();
                self.conditional(token.span)
            }
            _ => {
                let operand = self.postfix()?;
                self.fixed_in_body(operand)
            }
        }
    }

    /// `P of B` and `u in B`: words between an operand and a name are these operators.
    fn fixed_in_body(&mut self, operand: Expr) -> Parse<Expr> {
        let second = self.peek_second();
        let is_of = self.at_word("of");
        if !(is_of || self.at_word("in")) || second.kind != TokenKind::Name || self.crossed_newline() {
            return Ok(operand);
        }
        if self.bounds == Some(self.significant(self.at).0) {
            return Ok(operand);
        }
        self.bump();
        let start = operand.span;
        let name = self.bump();
        let mut body = Expr { span: name.span, kind: ExprKind::Name(self.slice(name.span).to_string()) };
        if self.at_kind(TokenKind::LeftBracket) && !self.crossed_newline() {
            let indices = self.bracketed(Self::index)?;
            body = self.expr(name.span, ExprKind::Index(Box::new(body), indices));
        }
        let (operand, body) = (Box::new(operand), Box::new(body));
        Ok(self.expr(start, if is_of { ExprKind::Of(operand, body) } else { ExprKind::In(operand, body) }))
    }

    fn conditional(&mut self, start: Span) -> Parse<Expr> {
        let condition = self.expression()?;
        if let Some(token) = self.take(TokenKind::Assign) {
            let said =
                Diagnostic::error(Code::UnexpectedToken, token.span, "`=` cannot stand in a condition");
            return Err(self.give_up(said.help("to compare two values write `==`").suggest(token.span, "==")));
        }
        self.expect(TokenKind::Then)?;
        let then = self.expression()?;
        self.expect(TokenKind::Else)?;
        let otherwise = self.expression()?;
        Ok(self.expr(start, ExprKind::If(Box::new(If { condition, then, otherwise }))))
    }

    /// An operand with its primes, subscripts and components.
    fn postfix(&mut self) -> Parse<Expr> {
        let first = self.peek();
        let mut operand = self.primary()?;
        let mut steps = 0;
        loop {
            let token = self.peek();
            let start = operand.span;
            let kind = match token.kind {
                TokenKind::Prime if first.kind == TokenKind::Number => {
                    let said = Diagnostic::error(Code::UnexpectedToken, token.span, "a number has no rate");
                    return Err(self.give_up(said));
                }
                TokenKind::Prime => {
                    let count = self.primes();
                    primed(operand, count)
                }
                // On a new line it is the next row of a matrix with its comma forgotten.
                TokenKind::LeftBracket if first.kind != TokenKind::Number && !self.crossed_newline() => {
                    self.subscripted(operand)?
                }
                TokenKind::Dot => {
                    self.bump();
                    let component = self.expect_name("the name of a component")?;
                    ExprKind::Component(Box::new(operand), component)
                }
                _ => return Ok(operand),
            };
            operand = self.expr(start, kind);
            steps += 1;
            if steps > MAX_POSTFIX {
                let said =
                    Diagnostic::error(Code::TooDeep, operand.span, "too many subscripts and components");
                return Err(self.give_up(said));
            }
        }
    }

    fn index(&mut self) -> Parse<Expr> {
        let first = self.expression()?;
        let Some(dots) = self.take(TokenKind::DotDot) else {
            return Ok(first);
        };
        let last = self.expression()?;
        let said = Diagnostic::error(
            Code::RangeNotHere,
            first.span.to(last.span),
            "a range must be alone between its brackets",
        );
        self.report(
            said.label(dots.span, "one member is wanted")
                .help("repeat with `sum(i in 1..N, ...)` or a `for` block"),
        );
        Ok(first)
    }

    /// `[i]`, `[i, j]` or `[1..N]` behind an operand.
    fn subscripted(&mut self, operand: Expr) -> Parse<ExprKind> {
        self.open_bracket();
        let first = self.expression()?;
        let kind = if self.take(TokenKind::DotDot).is_some() {
            let last = self.expression()?;
            let range = Range { span: first.span.to(last.span), first, last };
            ExprKind::Slice(Box::new(operand), Box::new(range))
        } else {
            let mut indices = vec![first];
            while self.take(TokenKind::Comma).is_some() {
                indices.push(self.index()?);
            }
            ExprKind::Index(Box::new(operand), indices)
        };
        self.close_bracket()?;
        Ok(kind)
    }

    /// Whether a unit follows that belongs to the number before it.
    fn unit_of_number_follows(&self) -> bool {
        let (brace, token) = self.significant(self.at);
        if token.kind != TokenKind::LeftBrace || self.crossed_newline() {
            return false;
        }
        match self.braces {
            _ if !self.open.is_empty() => true,
            Braces::Unit => true,
            Braces::Block => false,
            Braces::Item => {
                use TokenKind::{Comma, End, Newline, RightBrace, Semicolon};
                let rest = &self.tokens[brace..];
                let closer = rest.iter().position(|token| token.kind == RightBrace);
                let (_, behind) = self.significant(closer.map_or(self.tokens.len(), |k| brace + k + 1));
                !matches!(behind.kind, Comma | End | Newline | RightBrace | Semicolon)
            }
        }
    }

    /// Reads a part of the grammar with another meaning of braces.
    pub(super) fn with_braces<T>(
        &mut self,
        braces: Braces,
        part: impl FnOnce(&mut Self) -> Parse<T>,
    ) -> Parse<T> {
        let before = std::mem::replace(&mut self.braces, braces);
        let result = part(self);
        self.braces = before;
        result
    }

    /// A bracket, a list, and the bracket's partner.
    fn bracketed<T>(&mut self, item: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        self.open_bracket();
        let items = self.list(item)?;
        self.close_bracket()?;
        Ok(items)
    }

    fn primary(&mut self) -> Parse<Expr> {
        let token = self.peek();
        if self.new_statement_begins() {
            return Err(self.stops_before("an expression"));
        }
        match token.kind {
            TokenKind::Number => {
                self.bump();
                let text = self.slice(token.span).to_string();
                let unit = if self.unit_of_number_follows() { self.unit_if_any()? } else { None };
                Ok(self.expr(
                    token.span,
                    match unit {
                        Some(unit) => ExprKind::Quantity(text, Box::new(unit)),
                        None => ExprKind::Number(text),
                    },
                ))
            }
            TokenKind::Name => self.name_or_call(token),
            TokenKind::LeftParen => {
                self.open_bracket();
                let inner = self.expression()?;
                self.close_bracket()?;
                Ok(self.expr(token.span, inner.kind))
            }
            TokenKind::LeftBracket => {
                let components = self.bracketed(Self::expression)?;
                Ok(self.expr(token.span, ExprKind::Vector(components)))
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn name_or_call(&mut self, token: Token) -> Parse<Expr> {
        let name = self.expect_name("a name")?;
        if self.power_follows(token) {
            return self.power_of_function(token);
        }
        if let Some(call) = self.power_of_bare_function(token) {
            return Ok(call);
        }
        if !self.at_kind(TokenKind::LeftParen) || self.crossed_newline() {
            return Ok(Expr { span: token.span, kind: ExprKind::Name(name.text) });
        }
        self.open_bracket();
        let kind = if name.text == "sum" && self.index_in_follows() {
            self.sum_over()?
        } else {
            ExprKind::Call(name, self.list(Self::expression)?)
        };
        self.close_bracket()?;
        Ok(self.expr(token.span, kind))
    }

    /// Whether `i in` comes next.
    fn index_in_follows(&self) -> bool {
        let second = self.peek_second();
        self.at_kind(TokenKind::Name) && second.kind == TokenKind::Name && self.slice(second.span) == "in"
    }

    fn sum_over(&mut self) -> Parse<ExprKind> {
        let index = self.expect_name("the name of an index")?;
        self.expect_word("in")?;
        let range = self.range()?;
        self.expect(TokenKind::Comma)?;
        let body = self.expression()?;
        Ok(ExprKind::SumOver(Box::new(SumOver { index, range, body })))
    }
}

/// A derivative; primes on primes add up.
fn primed(operand: Expr, count: u32) -> ExprKind {
    match operand.kind {
        ExprKind::Prime(inner, order) => ExprKind::Prime(inner, order + count),
        _ => ExprKind::Prime(Box::new(operand), count),
    }
}
