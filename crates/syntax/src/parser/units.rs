//! Units in braces: `{kg*m^2/s}`.

use super::{Parse, Parser, Reported};
use crate::ast::{Exponent, Unit, UnitFactor, UnitKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::token::TokenKind;

impl Parser<'_> {
    pub(super) fn unit_if_any(&mut self) -> Parse<Option<Unit>> {
        let Some(opener) = self.take(TokenKind::LeftBrace) else {
            return Ok(None);
        };
        let mut unit = self.unit_product()?;
        if self.take(TokenKind::RightBrace).is_none() {
            return Err(self.bad_unit("`*`, `/`, `^` or `}`"));
        }
        unit.span = self.since(opener.span);
        Ok(Some(unit))
    }

    fn unit_product(&mut self) -> Parse<Unit> {
        let first = self.unit_power()?;
        let start = first.span;
        let mut factors = vec![UnitFactor { divide: false, unit: first }];
        loop {
            let divide = match self.peek().kind {
                TokenKind::Star => false,
                TokenKind::Slash => true,
                _ => break,
            };
            self.bump();
            factors.push(UnitFactor { divide, unit: self.unit_power()? });
        }
        if factors.len() > 1 {
            return Ok(Unit { span: self.since(start), kind: UnitKind::Product(factors) });
        }
        factors.pop().map(|factor| factor.unit).ok_or(Reported)
    }

    fn unit_power(&mut self) -> Parse<Unit> {
        let base = self.unit_atom()?;
        if !self.take_caret() {
            return Ok(base);
        }
        let exponent = self.exponent()?;
        Ok(Unit { span: self.since(base.span), kind: UnitKind::Power(Box::new(base), exponent) })
    }

    fn unit_atom(&mut self) -> Parse<Unit> {
        let token = self.peek();
        let kind = match token.kind {
            TokenKind::Name => UnitKind::Name(self.slice(token.span).to_string()),
            TokenKind::Number if self.slice(token.span) == "1" => UnitKind::One,
            TokenKind::LeftParen => return self.nested(Self::unit_in_parentheses),
            _ => return Err(self.bad_unit("the name of a unit")),
        };
        self.bump();
        Ok(Unit { span: token.span, kind })
    }

    fn unit_in_parentheses(&mut self) -> Parse<Unit> {
        let opener = self.open_bracket();
        let unit = self.unit_product()?;
        self.close_bracket()?;
        Ok(Unit { span: self.since(opener.span), kind: unit.kind })
    }

    /// `2`, `-2`, `(1/2)`, `(-1/2)`
    fn exponent(&mut self) -> Parse<Exponent> {
        if !self.at_kind(TokenKind::LeftParen) {
            return Ok(Exponent { numerator: self.whole()?, denominator: 1 });
        }
        self.open_bracket();
        let numerator = self.whole()?;
        let mut denominator = 1;
        if self.take(TokenKind::Slash).is_some() {
            denominator = match u32::try_from(self.whole()?) {
                Ok(below) if below > 0 => below,
                _ => return Err(self.bad_unit("a positive whole number")),
            };
        }
        self.close_bracket()?;
        Ok(Exponent { numerator, denominator })
    }

    fn whole(&mut self) -> Parse<i32> {
        let negative = self.take(TokenKind::Minus).is_some();
        let token = self.peek();
        let number =
            (token.kind == TokenKind::Number).then(|| self.slice(token.span).parse::<i32>().ok()).flatten();
        let Some(number) = number else {
            return Err(self.bad_unit("a whole number"));
        };
        self.bump();
        Ok(if negative { -number } else { number })
    }

    fn bad_unit(&mut self, wanted: &str) -> Reported {
        let token = self.peek();
        if token.kind == TokenKind::Bad {
            return Reported;
        }
        let message = format!("expected {wanted} in this unit, found {}", self.found(token));
        let said = Diagnostic::error(Code::BadUnit, token.span, message);
        self.give_up(said.help("units are written like `{kg*m^2/s}`, `{1/s}` or `{m^(1/2)}`"))
    }
}
