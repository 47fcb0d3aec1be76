//! The statements, by keyword. Declarations and lists are in `declarations`.

use super::slips::other_statement;
use super::{Parse, Parser, Reported};
use crate::ast::{
    Actuator, ActuatorKind, Assignment, Comparison, Direction, ElementKind, Equation, Expr, ExprKind, Name,
    Range, Shape, Simulate, StatementKind, TableSource, Target,
};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::source::Span;
use crate::token::{Token, TokenKind};
use crate::words::KEYWORDS;

/// Whether a word begins a statement.
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// What other programs and textbooks call joints and shapes, and what they are called here.
const OTHER_NAMES: [(&str, &str); 28] = [
    ("revolute", "pin"),
    ("hinge", "pin"),
    ("prismatic", "slider"),
    ("translational", "slider"),
    ("helical", "screw"),
    ("cardan", "universal"),
    ("hooke", "universal"),
    ("spherical", "ball"),
    ("fixed", "weld"),
    ("floating", "free"),
    ("sphere", "ball"),
    ("bar", "rod"),
    ("cuboid", "box"),
    ("ring", "hoop"),
    ("step", "every"),
    ("dt", "every"),
    ("by", "every"),
    ("with", "method"),
    ("using", "method"),
    ("solver", "method"),
    ("rtol", "tolerance"),
    ("tol", "tolerance"),
    ("rod", "line"),
    ("bar", "line"),
    ("segment", "line"),
    ("ball", "point"),
    ("disk", "circle"),
    ("path", "trace"),
];

impl Parser<'_> {
    /// A statement without its surroundings.
    pub(super) fn statement_kind(&mut self) -> Parse<StatementKind> {
        use StatementKind::*;
        let token = self.peek();
        if !self.is_keyword_token(token) {
            return Err(self.no_statement(token));
        }
        self.bump();
        Ok(match self.slice(token.span) {
            "system" => System(self.title()?),
            "const" => Const(self.list(Self::plain_definition)?),
            "parameter" => Parameter(self.list(Self::definition_with_unit)?),
            "coordinate" => Coordinate(self.list(Self::declared)?),
            "speed" => Speed(self.list(Self::speed)?),
            "kinematics" => self.kinematics()?,
            "state" => State(self.list(Self::state_definition)?),
            "discrete" => Discrete(self.list(Self::definition_with_unit)?),
            "input" => Input(self.list(Self::definition_with_unit)?),
            "table" => Table(Box::new(self.table()?)),
            "let" => Let(self.list(Self::let_definition)?),
            "kinetic" => Kinetic(self.expression()?),
            "potential" => Potential(self.expression()?),
            "lagrangian" => Lagrangian(self.expression()?),
            "mass" => Mass(self.expression()?),
            "force" => self.force()?,
            "work" => Work(self.expression()?),
            "nonideal" => {
                self.expect_word("work")?;
                NonidealWork(self.expression()?)
            }
            "dissipation" => Dissipation(self.expression()?),
            "constraint" => Constraint(self.equation()?),
            "friction" => self.friction()?,
            "require" => self.require()?,
            "actuate" => Actuate(self.list(Self::actuator)?),
            "weight" => Weight(self.expression()?),
            "initial" => Initial(self.list(Self::initial)?),
            "simulate" => self.simulate(token)?,
            "output" => Output(self.list(Self::plain_definition)?),
            "event" => self.event()?,
            "complete_integral" => self.complete_integral()?,
            "draw" => Draw(self.shape()?),
            "for" => self.for_block()?,
            "gravity" => Gravity(self.expression()?),
            "body" => Body(self.body()?),
            "frame" => self.frame()?,
            "joint" => Joint(Box::new(self.joint()?)),
            "spring" => Element(Box::new(self.element(ElementKind::Spring)?)),
            "damper" => Element(Box::new(self.element(ElementKind::Damper)?)),
            "bushing" => Element(Box::new(self.element(ElementKind::Bushing)?)),
            "torque" => self.torque()?,
            _ => self.reserved(token)?,
        })
    }

    /// Says why no statement can begin with this token.
    fn no_statement(&mut self, token: Token) -> Reported {
        let word = self.slice(token.span);
        let said = |message: String| Diagnostic::error(Code::UnknownStatement, token.span, message);
        if token.kind == TokenKind::Bad || (token.kind.is_closer() && token.kind != TokenKind::RightBrace) {
            return self.unexpected("a statement");
        }
        if token.kind == TokenKind::RightBrace {
            let said = Diagnostic::error(Code::StrayBracket, token.span, "`}` closes no block");
            return self.give_up(said.suggest(token.span, ""));
        }
        if token.kind != TokenKind::Name {
            let said = said(format!("a statement cannot begin with {}", self.found(token)));
            return self.give_up(said.help(
                "a statement goes on over the end of a line that ends in an operator, a comma or `=`",
            ));
        }
        let said = said(format!("no statement begins with {}", self.found(token)));
        let begin = Span::at(token.span.start);
        let (second, assigned) = (self.peek_second(), self.peek_second().kind == TokenKind::Assign);
        let said = match (other_statement(word), nearest(word, KEYWORDS)) {
            _ if self.is_coordinate(word) && (assigned || second.kind == TokenKind::Prime) => {
                let help = format!("`initial` gives starting values, as in `initial {word} = 1`");
                said.help(help).suggest(begin, "initial ")
            }
            _ if self.is_coordinate(word) && second.kind == TokenKind::LeftParen => {
                said.help(format!("`initial {word} = 1` gives a starting value"))
            }
            _ if self.number_is_assigned() => {
                said.help("`parameter` declares a number").suggest(begin, "parameter ")
            }
            (Some(keyword), _) if assigned => said
                .help(format!("`{keyword}` declares an energy of the system; `let` names an expression"))
                .suggest(Span::new(token.span.start, second.span.end), keyword),
            _ if assigned => said.help("`let` names an expression").suggest(begin, "let "),
            (Some(keyword), _) | (None, Some(keyword)) => {
                said.help(format!("did you mean `{keyword}`?")).suggest(token.span, keyword)
            }
            (None, None) => {
                said.help("statements begin with words like `coordinate`, `kinetic`, `constraint`, `let`")
            }
        };
        self.give_up(said)
    }

    /// Whether `NAME = NUMBER` comes next, perhaps with a sign and a unit, and nothing else.
    fn number_is_assigned(&self) -> bool {
        use TokenKind::{Assign, Comma, End, LeftBrace, Minus, Newline, Number, Semicolon};
        let kind = |k: usize| self.tokens.get(self.significant(self.at).0 + k).map_or(End, |t| t.kind);
        let number = if kind(2) == Minus { 3 } else { 2 };
        let behind = kind(number + 1);
        kind(1) == Assign
            && kind(number) == Number
            && matches!(behind, Comma | End | LeftBrace | Newline | Semicolon | TokenKind::Comment)
    }

    fn title(&mut self) -> Parse<String> {
        let Some(token) = self.take(TokenKind::Text) else {
            return Err(self.unexpected("a title in quotes"));
        };
        let quoted = self.slice(token.span);
        Ok(unescaped(&quoted[1..quoted.len() - 1]))
    }

    /// `table NAME = POINTS [cubic]`, `table NAME from "FILE" columns t, z [cubic]`
    fn table(&mut self) -> Parse<crate::ast::Table> {
        let name = self.target()?;
        self.tail = &["from", "columns", "step", "linear", "cubic"];
        let source = if self.take_word("from") {
            let path = self.title()?;
            self.expect_word("columns")?;
            TableSource::File { path, columns: self.list(|p| p.expect_name("the name of a column"))? }
        } else {
            self.assign()?;
            TableSource::Points(self.expression()?)
        };
        let interpolation = self.at_kind(TokenKind::Name).then(|| self.expect_name("")).transpose()?;
        Ok(crate::ast::Table { name, source, interpolation })
    }

    /// `force x = E`, `force F at P`, `force F`
    fn force(&mut self) -> Parse<StatementKind> {
        if self.target_before(TokenKind::Assign) {
            let target = self.state_target()?;
            self.assign()?;
            return Ok(StatementKind::ForceOn { target, value: self.expression()? });
        }
        self.tail = &["at", "on"];
        let force = self.expression()?;
        if self.at_word("on") {
            return Err(self.force_on(&force));
        }
        if !self.take_word("at") {
            return Ok(StatementKind::ForceVector(force));
        }
        self.tail = &[];
        Ok(StatementKind::ForceAt { force, point: self.expression()? })
    }

    /// `force F on x`: says how a generalised force is written.
    fn force_on(&mut self, force: &Expr) -> Reported {
        let (on, target) = (self.bump(), self.peek());
        let said =
            Diagnostic::error(Code::ForceOnWord, on.span, "a generalised force is written `force x = F`");
        if target.kind != TokenKind::Name {
            return self.give_up(said);
        }
        let mended = format!("{} = {}", self.slice(target.span), self.slice(force.span));
        self.give_up(said.suggest(force.span.to(target.span), mended))
    }

    /// `[NAME:] E1 = E2`
    fn equation(&mut self) -> Parse<Equation> {
        let name = self.target_before(TokenKind::Colon).then(|| self.target_and_colon()).transpose()?;
        let left = self.expression()?;
        if !self.at_kind(TokenKind::Assign) {
            self.equation_expected(&left)?;
        }
        self.assign()?;
        Ok(Equation { name, left, right: self.expression()? })
    }

    /// Says what is wrong where a comparison was written for an equation.
    fn equation_expected(&mut self, left: &Expr) -> Parse<()> {
        let ExprKind::Compare(operator, a, b) = &left.kind else {
            return Ok(());
        };
        let sign = Span::new(a.span.end, b.span.start);
        let message = format!("`{}` compares; an equation is written `=`", operator.text());
        let said = Diagnostic::error(Code::UnexpectedToken, sign, message);
        Err(self.give_up(match operator {
            Comparison::Equal if left.span.start == a.span.start => {
                said.help("write `=`").suggest(sign, " = ")
            }
            _ => said.help("inequalities are not constraints; an `event` detects when one is first violated"),
        }))
    }

    pub(super) fn target_and_colon(&mut self) -> Parse<Target> {
        let target = self.target()?;
        self.expect(TokenKind::Colon)?;
        Ok(target)
    }

    fn require(&mut self) -> Parse<StatementKind> {
        self.tail = &["decay"];
        let equation = self.equation()?;
        let mut decay = Vec::new();
        if self.take_word("decay") {
            decay.push(self.expression()?);
            while self.take(TokenKind::Comma).is_some() {
                decay.push(self.expression()?);
            }
        }
        Ok(StatementKind::Require { equation, decay })
    }

    /// `x`, `x in -5..5`, `[Fx, Fy] at P`, `[Fx, Fy] in B at P in 0..1`
    fn actuator(&mut self) -> Parse<Actuator> {
        self.tail = &["at", "in"];
        self.bounds = self.place_of_bounds();
        let kind = if self.actuates_target() {
            ActuatorKind::On(self.state_target()?)
        } else {
            let force = self.expression()?;
            self.expect_word("at")?;
            ActuatorKind::At { force, point: self.expression()? }
        };
        let bounds = self.take_word("in").then(|| self.bounds()).transpose()?;
        Ok(Actuator { kind, bounds })
    }

    /// The last `in` outside brackets before the `..` of this actuator; behind an operator it is a name.
    fn place_of_bounds(&self) -> Option<usize> {
        use TokenKind::{DotDot, Name, Number, Prime, RightBrace, RightBracket, RightParen};
        let behind_operand = |at: usize| {
            let before = at.checked_sub(1).map(|before| self.tokens[before].kind);
            matches!(before, Some(Name | Number | Prime | RightBrace | RightBracket | RightParen))
        };
        let own = self.outside_brackets();
        let dots = own.iter().position(|at| self.tokens[*at].kind == DotDot)?;
        let mut place = None;
        for at in own[..dots].iter().copied().filter(|at| self.slice(self.tokens[*at].span) == "in") {
            let behind_word =
                at > 0 && (place == Some(at - 1) || self.slice(self.tokens[at - 1].span) == "of");
            if behind_operand(at) && !behind_word {
                place = Some(at);
            }
        }
        place
    }

    /// The tokens of an actuator that stand outside brackets, by index.
    fn outside_brackets(&self) -> Vec<usize> {
        use TokenKind::{Comma, End, LeftBracket, LeftParen, Newline, RightBracket, RightParen, Semicolon};
        let (mut open, mut found) = (0usize, Vec::new());
        for (at, token) in self.tokens.iter().enumerate().skip(self.at) {
            match token.kind {
                LeftParen | LeftBracket => open += 1,
                RightParen | RightBracket => open = open.saturating_sub(1),
                End | Semicolon => break,
                Newline if self.line_begins_statement(at) => break,
                Comma if open == 0 => break,
                _ if open == 0 => found.push(at),
                _ => {}
            }
        }
        found
    }

    /// Whether an actuator is a coordinate or speed rather than a force at a point, whose direction may be `F in B` as well.
    fn actuates_target(&self) -> bool {
        use TokenKind::{Comma, End, Newline, RightBrace, Semicolon};
        self.token_behind_target().is_some_and(|token| match (token.kind, self.bounds) {
            (Comma | Newline | End | Semicolon | RightBrace, _) => true,
            (_, Some(place)) => self.tokens[place].span == token.span,
            _ if self.slice(token.span) != "in" => false,
            _ => !self.outside_brackets().iter().any(|at| self.slice(self.tokens[*at].span) == "at"),
        })
    }

    fn friction(&mut self) -> Parse<StatementKind> {
        if self.take_word("in") {
            return self.friction_in();
        }
        if !self.at_word("on") {
            return Err(self.unexpected("`on` and a constraint, or `in` and a coordinate"));
        }
        self.expect_word("on")?;
        let on = self.row_target()?;
        self.expect(TokenKind::Colon)?;
        self.tail = &["coefficient", "velocity", "static", "normal"];
        let (mut coefficient, mut velocity, mut r#static, mut normal) = (None, None, None, None);
        loop {
            let word = self.part_word()?;
            let part = match word.text.as_str() {
                "coefficient" => &mut coefficient,
                "velocity" => &mut velocity,
                "static" => &mut r#static,
                _ => &mut normal,
            };
            self.part(word, part, Self::expression)?;
            if self.take(TokenKind::Comma).is_none() {
                break;
            }
        }
        let (Some(coefficient), Some(velocity)) = (coefficient, velocity) else {
            return Err(self.not_finished("`coefficient` or `velocity`"));
        };
        Ok(StatementKind::Friction { on, coefficient, velocity, r#static, normal })
    }

    /// `x: limit F [, static Fs]` behind `friction in`
    fn friction_in(&mut self) -> Parse<StatementKind> {
        let target = self.state_target()?;
        self.expect(TokenKind::Colon)?;
        self.tail = &["limit", "static"];
        let (mut limit, mut r#static) = (None, None);
        loop {
            let word = self.part_word()?;
            let part = if word.text == "limit" { &mut limit } else { &mut r#static };
            self.part(word, part, Self::expression)?;
            if self.take(TokenKind::Comma).is_none() {
                break;
            }
        }
        let Some(limit) = limit else { return Err(self.not_finished("`limit`")) };
        Ok(StatementKind::FrictionIn { target, limit, r#static })
    }

    fn simulate(&mut self, keyword: Token) -> Parse<StatementKind> {
        self.tail = &["until", "every", "method", "tolerance"];
        let (mut until, mut every, mut method, mut tolerance) = (None, None, None, None);
        self.end_time_without_word()?;
        while until.is_none() || self.at_kind(TokenKind::Name) {
            let word = self.part_word()?;
            match word.text.as_str() {
                "until" => self.part(word, &mut until, Self::expression)?,
                "every" => self.part(word, &mut every, Self::expression)?,
                "method" => self.part(word, &mut method, |p| p.expect_name("the name of a method"))?,
                _ => self.part(word, &mut tolerance, Self::expression)?,
            }
        }
        let Some(until) = until else {
            let said = Diagnostic::error(Code::StatementNotFinished, keyword.span, "`until` is missing");
            return Err(self.give_up(said));
        };
        Ok(StatementKind::Simulate(Box::new(Simulate { until, every, method, tolerance })))
    }

    /// `simulate 10`, `simulate for 10`: says that the end time comes behind `until`.
    fn end_time_without_word(&mut self) -> Parse<()> {
        let token = self.peek();
        let other = ["for", "to", "til", "till", "time", "duration"].contains(&self.slice(token.span));
        if token.kind != TokenKind::Number && !other {
            return Ok(());
        }
        let said = Diagnostic::error(Code::EndTimeWord, token.span, "the end time comes behind `until`");
        Err(self.give_up(match other {
            true => said.suggest(token.span, "until"),
            false => said.suggest(Span::at(token.span.start), "until "),
        }))
    }

    /// One of the words that introduce a part of the current statement.
    pub(super) fn part_word(&mut self) -> Parse<Name> {
        let token = self.peek();
        let tail = self.tail;
        if token.kind == TokenKind::Name && tail.contains(&self.slice(token.span)) {
            return self.expect_name("");
        }
        match self.word_of_part(self.slice(token.span)) {
            Some(word) if token.kind == TokenKind::Name => Err(self.misspelt(token, word)),
            _ => Err(self.unexpected(&words(tail))),
        }
    }

    /// The word of the current statement that is meant by another one.
    pub(super) fn word_of_part(&self, written: &str) -> Option<&'static str> {
        let meant = |(other, ours): &&(&str, &str)| *other == written && self.tail.contains(ours);
        let other_name = OTHER_NAMES.iter().find(meant).map(|(_, ours)| *ours);
        other_name.or_else(|| nearest(written, self.tail.iter().copied()))
    }

    /// Reads a part into its place, which must be empty.
    fn part<T>(
        &mut self,
        word: Name,
        place: &mut Option<T>,
        read: impl FnOnce(&mut Self) -> Parse<T>,
    ) -> Parse<()> {
        if place.is_some() {
            let message = format!("`{}` is given twice", word.text);
            self.report(Diagnostic::error(Code::RepeatedPart, word.span, message));
        }
        *place = Some(read(self)?);
        Ok(())
    }

    pub(super) fn misspelt(&mut self, token: Token, word: &str) -> Reported {
        let message = format!("{} is not expected here", self.found(token));
        let said = Diagnostic::error(Code::UnexpectedToken, token.span, message);
        self.give_up(said.help(format!("did you mean `{word}`?")).suggest(token.span, word))
    }

    fn event(&mut self) -> Parse<StatementKind> {
        let name = self.target_and_colon()?;
        self.tail = &["rising", "falling", "stop", "do"];
        let value = self.expression()?;
        let direction = if self.take_word("rising") {
            Some(Direction::Rising)
        } else {
            self.take_word("falling").then_some(Direction::Falling)
        };
        let stop = self.take_word("stop");
        let mut actions = Vec::new();
        if self.take_word("do") {
            self.tail = &[];
            actions = self.list(Self::assignment)?;
        }
        Ok(StatementKind::Event { name, value, direction, stop, actions })
    }

    /// `x' = E`
    fn assignment(&mut self) -> Parse<Assignment> {
        let target = self.state_target()?;
        let order = self.primes();
        self.assign()?;
        Ok(Assignment { target, order, value: self.expression()? })
    }

    fn complete_integral(&mut self) -> Parse<StatementKind> {
        if !self.at_kind(TokenKind::LeftParen) {
            return Err(self.unexpected("`(` and the constants of integration"));
        }
        self.open_bracket();
        let constants = self.list(Self::target)?;
        self.close_bracket()?;
        self.assign()?;
        Ok(StatementKind::CompleteIntegral { constants, action: self.expression()? })
    }

    fn shape(&mut self) -> Parse<Shape> {
        self.tail = &["point", "line", "circle", "trace"];
        let word = self.part_word()?;
        self.tail = &[];
        Ok(match word.text.as_str() {
            "point" => Shape::Point(self.expression()?),
            "trace" => Shape::Trace(self.expression()?),
            "line" => {
                let mut points = vec![self.expression()?];
                self.expect(TokenKind::Comma)?;
                points.push(self.expression()?);
                while self.take(TokenKind::Comma).is_some() {
                    points.push(self.expression()?);
                }
                Shape::Line(points)
            }
            _ => {
                let centre = self.expression()?;
                self.expect(TokenKind::Comma)?;
                let radius = self.expression()?;
                let normal = match self.take(TokenKind::Comma) {
                    Some(_) => Some(self.expression()?),
                    None => None,
                };
                Shape::Circle { centre, radius, normal }
            }
        })
    }

    fn for_block(&mut self) -> Parse<StatementKind> {
        let header = self.for_header();
        // A broken header must not turn the closing brace of its block into a second problem.
        while header.is_err()
            && !matches!(self.peek().kind, TokenKind::LeftBrace | TokenKind::Newline | TokenKind::End)
        {
            self.bump();
        }
        self.open.clear();
        if header.is_err() && !self.at_kind(TokenKind::LeftBrace) {
            return Err(Reported);
        }
        let opener = self.expect(TokenKind::LeftBrace)?;
        let body = self.nested(|p| Ok(p.block(Some(opener))));
        self.tail = &[];
        let (index, range) = header?;
        Ok(StatementKind::For { index, range, body: body? })
    }

    fn for_header(&mut self) -> Parse<(Name, Range)> {
        let index = self.expect_name("the name of an index")?;
        self.expect_word("in")?;
        Ok((index, self.range()?))
    }

    /// A statement that is not available yet: its text up to the end of the statement, whatever is in it.
    fn reserved(&mut self, keyword: Token) -> Parse<StatementKind> {
        let mut open: Vec<Token> = Vec::new();
        let start = self.at;
        loop {
            let token = self.tokens[self.at];
            match token.kind {
                TokenKind::Bad => return Err(Reported),
                TokenKind::End => break,
                TokenKind::Newline | TokenKind::Semicolon | TokenKind::RightBrace if open.is_empty() => break,
                kind if kind.closer().is_some() => open.push(token),
                kind if kind.is_closer() => {
                    open.pop();
                }
                _ => {}
            }
            self.at += 1;
        }
        if let Some(&opener) = open.first() {
            return Err(self.not_closed(opener));
        }
        // A comment at the very end belongs to the line.
        while self.tokens[self.at - 1].kind == TokenKind::Comment {
            self.at -= 1;
        }
        let name = Name { text: self.slice(keyword.span).to_string(), span: keyword.span };
        let text = match self.tokens[start..self.at] {
            [first, .., last] => self.slice(first.span.to(last.span)),
            [only] => self.slice(only.span),
            [] => "",
        };
        let last = self.tokens[self.at - 1];
        self.last_end = last.span.end;
        if last.kind.continues() {
            return Err(self.not_finished("its other side"));
        }
        Ok(StatementKind::Reserved { keyword: name, text: text.to_string() })
    }
}

/// `a` or `b` or `c`
fn words(list: &[&str]) -> String {
    let quoted: Vec<String> = list.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(" or ")
}

/// The text of a string: `\"` is a quote, `\\` a backslash, any other backslash itself.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let escaped = if c == '\\' { chars.next_if(|&next| next == '"' || next == '\\') } else { None };
        out.push(escaped.unwrap_or(c));
    }
    out
}
