//! Statements about rigid bodies: bodies, frames, joints and force elements.
//!
//! The words in them are not reserved: `from`, `at`, `to` and the others mean something at their place only.

use super::{Parse, Parser};
use crate::ast::{
    Body, BodyPart, Element, ElementKind, ElementPlace, Expr, Joint, JointOption, Name, Place, StatementKind,
    Turn,
};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::token::TokenKind;
use crate::words::{JOINTS, SHAPES, find};

/// What may follow a shape, each word once.
fn sizes_of(shape: &str) -> &'static [&'static str] {
    match shape {
        "rod" => &["from", "to", "at"],
        "cylinder" => &["radius", "from", "to", "at"],
        "ball" | "shell" => &["radius", "at"],
        "disk" | "hoop" => &["radius", "axis", "at"],
        "box" => &["size", "at"],
        "point" => &["at"],
        _ => &["centre", "inertia", "about"],
    }
}

/// How a body of a shape is written, for messages.
fn form_of(shape: &str) -> &'static str {
    match shape {
        "rod" => "rod m from P to Q",
        "cylinder" => "cylinder m radius r from P to Q",
        "ball" => "ball m radius r",
        "shell" => "shell m radius r",
        "disk" => "disk m radius r axis u",
        "hoop" => "hoop m radius r axis u",
        "box" => "box m size [a, b, c]",
        "point" => "point m at P",
        _ => "mass m, centre C, inertia J",
    }
}

/// Every word that gives a size of some shape: none of them is a factor of the mass before it.
const SIZES: [&str; 12] =
    ["from", "to", "at", "radius", "axis", "size", "centre", "inertia", "about", "length", "width", "height"];

/// Names of the freedoms of a joint that has several.
fn freedoms_of(kind: &str) -> &'static [&'static str] {
    match kind {
        "cylindrical" => &["turn", "slide"],
        "universal" => &["first", "second"],
        "planar" => &["x", "y", "turn"],
        "free" => &["x", "y", "z", "turn"],
        _ => &[],
    }
}

impl Parser<'_> {
    /// Whether the next token is the `+` between two parts of a body.
    pub(super) fn body_part_follows(&self) -> bool {
        let second = self.peek_second();
        self.in_body
            && self.open.is_empty()
            && second.kind == TokenKind::Name
            && find(SHAPES, self.slice(second.span)).is_some()
    }

    /// `B: PART + PART`
    pub(super) fn body(&mut self) -> Parse<Body> {
        let name = self.target_and_colon()?;
        self.in_body = true;
        let mut parts = vec![self.body_part()?];
        while self.at_kind(TokenKind::Plus) && self.body_part_follows() {
            self.bump();
            parts.push(self.body_part()?);
        }
        self.in_body = false;
        Ok(Body { name, parts })
    }

    fn body_part(&mut self) -> Parse<BodyPart> {
        self.tail = &["mass", "rod", "ball", "shell", "disk", "hoop", "cylinder", "box", "point"];
        let shape = self.part_word()?;
        let listed = shape.text == "mass";
        self.tail = &SIZES;
        self.mass_named_again(&shape)?;
        let mass = self.expression()?;
        self.tail = sizes_of(&shape.text);
        let (mut sizes, mut about_origin): (Vec<(Name, _)>, bool) = (Vec::new(), false);
        loop {
            if listed && !about_origin && self.take_word("about") {
                self.expect_word("origin")?;
                about_origin = true;
            }
            let goes_on =
                if listed { self.take(TokenKind::Comma).is_some() } else { self.at_kind(TokenKind::Name) };
            if !goes_on {
                self.other_separator(&shape, listed)?;
                break;
            }
            let word = self.size_word(&shape)?;
            if sizes.iter().any(|(known, _)| known.text == word.text) {
                let message = format!("`{}` is given twice", word.text);
                self.report(Diagnostic::error(Code::RepeatedPart, word.span, message));
            }
            sizes.push((word, self.expression()?));
        }
        Ok(BodyPart { shape, mass, sizes, about_origin })
    }

    /// `rod mass m ...`: says that the mass follows the shape directly.
    fn mass_named_again(&mut self, shape: &Name) -> Parse<()> {
        let second = self.peek_second();
        let operand = second.kind.begins_operand() && !SIZES.contains(&self.slice(second.span));
        if shape.text == "mass" || !self.at_word("mass") || !operand {
            return Ok(());
        }
        let message = format!("the mass follows `{}` directly, without `mass`", shape.text);
        let said = Diagnostic::error(Code::UnexpectedToken, self.peek().span, message);
        Err(self.give_up(said.help(format!("write `{}`", form_of(&shape.text)))))
    }

    /// The word of a size that the shape has.
    fn size_word(&mut self, shape: &Name) -> Parse<Name> {
        let token = self.peek();
        let word = self.slice(token.span);
        if token.kind != TokenKind::Name || self.tail.contains(&word) || !SIZES.contains(&word) {
            return self.part_word();
        }
        let message = format!("`{}` has no `{word}`", shape.text);
        let said = Diagnostic::error(Code::UnexpectedToken, token.span, message);
        Err(self.give_up(said.help(format!("write `{}`", form_of(&shape.text)))))
    }

    /// Reports sizes of a shape with a comma before them, and parts of `mass` without one.
    fn other_separator(&mut self, shape: &Name, listed: bool) -> Parse<()> {
        let token = self.peek();
        let tail = self.tail;
        let said = match listed {
            true if token.kind == TokenKind::Name && tail.contains(&self.slice(token.span)) => {
                let message = format!("a comma belongs before `{}`", self.slice(token.span));
                let end = self.last_end;
                Diagnostic::error(Code::UnexpectedToken, token.span, message).suggest(Span::at(end), ",")
            }
            false if token.kind == TokenKind::Comma => {
                let said = Diagnostic::error(
                    Code::UnexpectedToken,
                    token.span,
                    "sizes of a shape have no commas between them",
                );
                said.help(format!("write `{}`", form_of(&shape.text))).suggest(token.span, "")
            }
            _ => return Ok(()),
        };
        Err(self.give_up(said))
    }

    /// `F: B at P turned T`
    pub(super) fn frame(&mut self) -> Parse<StatementKind> {
        let name = self.target_and_colon()?;
        Ok(StatementKind::Frame { name, place: self.place(&["at", "turned"])? })
    }

    /// `B at P turned T`; behind it one of the other words of `tail` may follow.
    fn place(&mut self, tail: &'static [&'static str]) -> Parse<Place> {
        self.tail = tail;
        let body = self.target()?;
        let at = if self.take_word("at") { Some(self.expression()?) } else { None };
        let turned = if self.take_word("turned") { Some(self.turn(tail)?) } else { None };
        Ok(Place { body, at, turned })
    }

    /// `axis u by phi`, or a rotation matrix.
    fn turn(&mut self, tail: &'static [&'static str]) -> Parse<Turn> {
        let second = self.peek_second();
        let is_axis =
            self.at_word("axis") && (second.kind.begins_operand() || second.kind == TokenKind::Minus);
        // `axis (...)` may be a call of something named `axis`, which does not exist.
        if !is_axis {
            return Ok(Turn::Matrix(self.expression()?));
        }
        self.bump();
        self.tail = &["by"];
        let axis = self.expression()?;
        self.expect_word("by")?;
        self.tail = tail;
        Ok(Turn::Axis(axis, self.expression()?))
    }

    /// `J: KIND A at P to B at Q, axis u`
    pub(super) fn joint(&mut self) -> Parse<Joint> {
        let name = self.target_and_colon()?;
        self.tail = &JOINTS;
        let kind = self.part_word()?;
        let size = match kind.text.as_str() {
            "screw" => Some(self.joint_size("pitch")?),
            "rod" => Some(self.joint_size("length")?),
            _ => None,
        };
        let first = self.place(&["at", "turned", "to"])?;
        self.expect_word("to")?;
        let second = self.place(&["at", "turned"])?;
        let mut options: Vec<JointOption> = Vec::new();
        while self.take(TokenKind::Comma).is_some() {
            let option = self.joint_option(&kind)?;
            let word = option.word();
            let again = |known: &JointOption| known.word().text == word.text && word.text != "limits";
            if options.iter().any(again) {
                let message = format!("`{}` is given twice", word.text);
                self.report(Diagnostic::error(Code::RepeatedPart, word.span, message));
            }
            options.push(option);
        }
        Ok(Joint { name, kind, size, first, second, options })
    }

    /// `pitch h` or `length l`: one factor, so that the name of a body may follow.
    fn joint_size(&mut self, word: &'static str) -> Parse<Expr> {
        self.tail = &[];
        self.expect_word(word)?;
        self.factor_expression()
    }

    fn joint_option(&mut self, kind: &Name) -> Parse<JointOption> {
        self.tail = &["axis", "axes", "limits", "restitution", "armature", "cut"];
        self.element_of_joint()?;
        let word = self.part_word()?;
        self.tail = &[];
        Ok(match word.text.as_str() {
            "axis" => JointOption::Axes(word, vec![self.expression()?]),
            "axes" => {
                let first = self.expression()?;
                self.expect(TokenKind::Comma)?;
                JointOption::Axes(word, vec![first, self.expression()?])
            }
            "limits" => {
                let freedom = self.freedom(kind)?;
                JointOption::Limits(word, freedom, self.bounds()?)
            }
            "restitution" => JointOption::Restitution(word, self.expression()?),
            "armature" => JointOption::Armature(word, self.expression()?),
            _ => JointOption::Cut(word),
        })
    }

    /// `damping c` among the options of a joint: says which statement it is.
    fn element_of_joint(&mut self) -> Parse<()> {
        let token = self.peek();
        let (word, form) = match self.slice(token.span) {
            word @ ("damping" | "damper") => (word, "damper D: c at J"),
            word @ ("stiffness" | "spring") => (word, "spring S: k angle a at J"),
            word @ ("friction" | "frictionloss") => (word, "friction in J: limit F"),
            word @ ("torque" | "motor" | "force") => (word, "force J = E"),
            _ => return Ok(()),
        };
        let message = format!("`{word}` of a joint is a statement of its own");
        let said = Diagnostic::error(Code::UnexpectedToken, token.span, message);
        Err(self.give_up(said.help(format!("write `{form}` after the joint"))))
    }

    /// The freedom that limits are about, where a joint has several.
    fn freedom(&mut self, kind: &Name) -> Parse<Option<Name>> {
        let token = self.peek();
        let named =
            token.kind == TokenKind::Name && freedoms_of(&kind.text).contains(&self.slice(token.span));
        if named && self.peek_second().kind != TokenKind::DotDot {
            self.expect_name("").map(Some)
        } else {
            Ok(None)
        }
    }

    /// `S: k length l0 between P and Q`, `S: k angle a0 at J`; what a spring is slack at may come last.
    pub(super) fn element(&mut self, kind: ElementKind) -> Parse<Element> {
        let name = self.target_and_colon()?;
        self.tail = match kind {
            ElementKind::Spring => &["length", "angle", "between", "at"],
            ElementKind::Damper => &["between", "at"],
            ElementKind::Bushing => &["between"],
        };
        let mut values = vec![self.expression()?];
        if kind == ElementKind::Bushing && self.take(TokenKind::Comma).is_some() {
            values.push(self.expression()?);
        }
        let mut rest = self.slack_at(kind)?;
        let may_follow = rest.is_none() && kind == ElementKind::Spring;
        let place = self.element_place(kind, if may_follow { &["length", "angle"] } else { &[] })?;
        if may_follow {
            let comma = self.take(TokenKind::Comma).is_some();
            rest = self.slack_at(kind)?;
            if comma && rest.is_none() {
                self.expect_word("length")?;
            }
        }
        Ok(Element { kind, name, values, rest, place })
    }

    fn slack_at(&mut self, kind: ElementKind) -> Parse<Option<(Name, Expr)>> {
        if kind != ElementKind::Spring || !(self.at_word("length") || self.at_word("angle")) {
            return Ok(None);
        }
        let word = self.part_word()?;
        Ok(Some((word, self.expression()?)))
    }

    fn element_place(&mut self, kind: ElementKind, tail: &'static [&'static str]) -> Parse<ElementPlace> {
        if kind != ElementKind::Bushing && self.take_word("at") {
            self.tail = tail;
            return Ok(ElementPlace::At(self.state_target()?));
        }
        self.expect_word("between")?;
        self.tail = tail;
        // Points are sums: `and` separates them.
        let first = self.sum_expression()?;
        self.expect(TokenKind::And)?;
        Ok(ElementPlace::Between(first, self.sum_expression()?))
    }

    /// `T on B from A`
    pub(super) fn torque(&mut self) -> Parse<StatementKind> {
        self.tail = &["on"];
        let torque = self.expression()?;
        self.expect_word("on")?;
        let on = self.target()?;
        self.tail = &["from"];
        let from = if self.take_word("from") { Some(self.target()?) } else { None };
        Ok(StatementKind::Torque { torque, on, from })
    }
}
