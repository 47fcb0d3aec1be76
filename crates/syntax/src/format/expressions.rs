//! Expressions, targets and units as text.

use crate::ast::*;
use crate::limits::MAX_NESTING;

/// How tightly a piece of text holds together; parentheses go around a piece that is looser than its place wants.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Hold {
    If,
    Or,
    And,
    Not,
    Compare,
    Sum,
    Product,
    Neg,
    Power,
    /// `P of B`
    Fixed,
    Operand,
}

fn hold(kind: &ExprKind) -> Hold {
    use ExprKind::*;
    match kind {
        If(_) => Hold::If,
        Or(_) => Hold::Or,
        And(_) => Hold::And,
        Not(_) => Hold::Not,
        Compare(..) => Hold::Compare,
        Sum(_) => Hold::Sum,
        Product(_) => Hold::Product,
        Neg(_) => Hold::Neg,
        Power(..) => Hold::Power,
        Of(..) | In(..) => Hold::Fixed,
        Number(_) | Quantity(..) | Name(_) | Index(..) | Slice(..) | Component(..) | Prime(..) | Call(..)
        | SumOver(_) | Vector(_) => Hold::Operand,
    }
}

/// Trees of more levels get no parentheses that the grammar does not need: each of them is a level of the text, and
/// the formatted text must not be too deep where the written one was not.
const MAX_ROOMY: usize = MAX_NESTING / 4;

/// What comes behind a piece of text inside of the same brackets, as far as the piece could swallow it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Follow {
    Nothing,
    /// `and` or `or`.
    Logic,
    Operator,
}

/// An expression; sums are spaced.
pub(super) fn expr(e: &Expr) -> String {
    text_of(e, false)
}

/// A point of a force element: what is looser than a sum is in parentheses.
pub(super) fn sum(e: &Expr) -> String {
    at_least(e, Hold::Sum)
}

/// A size between words, one factor.
pub(super) fn factor(e: &Expr) -> String {
    at_least(e, Hold::Power)
}

/// A value in the statement of a body, where `+` before the name of a shape would begin another part.
pub(super) fn part_of_body(e: &Expr) -> String {
    at_least(e, if starts_part(e) { Hold::Product } else { Hold::If })
}

/// Whether a term of this sum that is not the first begins with the word of a shape.
fn starts_part(e: &Expr) -> bool {
    let ExprKind::Sum(terms) = &e.kind else { return false };
    terms.iter().skip(1).any(|term| {
        let text = expr(&term.expr);
        let word = text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        !term.minus && crate::words::find(crate::words::SHAPES, word).is_some()
    })
}

fn at_least(e: &Expr, wanted: Hold) -> String {
    let mut writer = Writer { out: String::new(), is_tight: false, is_lean: false };
    writer.expr(e, wanted, Follow::Nothing);
    writer.out
}

/// A subscript or an end of a range: short things, without spaces.
fn tight(e: &Expr) -> String {
    text_of(e, true)
}

fn text_of(e: &Expr, is_tight: bool) -> String {
    let mut writer = Writer { out: String::new(), is_tight, is_lean: height(e) > MAX_ROOMY };
    writer.expr(e, Hold::If, Follow::Nothing);
    writer.out
}

/// Items with commas between.
pub(super) fn list<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    items.iter().map(text).collect::<Vec<_>>().join(", ")
}

pub(super) fn target(target: &Target) -> String {
    let part = target.part.as_ref().map_or(String::new(), |part| format!(".{}", part.text));
    if target.subscripts.is_empty() {
        return target.name.text.clone() + &part;
    }
    let subscript = |subscript: &Subscript| match subscript {
        Subscript::At(at) => tight(at),
        Subscript::Over(over) => range(over),
    };
    format!("{}[{}]{part}", target.name.text, list(&target.subscripts, subscript))
}

pub(super) fn range(range: &Range) -> String {
    // A brace behind a number that ends a range would begin a block, and `in a..b` the range of an actuator.
    let end = |e: &Expr| Some(tight(e)).filter(|text| !text.contains('{') && !text.contains(" in "));
    let end = |e: &Expr| end(e).unwrap_or_else(|| format!("({})", tight(e)));
    format!("{}..{}", end(&range.first), end(&range.last))
}

pub(super) fn equation(equation: &Equation) -> String {
    let name = equation.name.as_ref().map_or(String::new(), |name| format!("{}: ", target(name)));
    format!("{name}{} = {}", expr(&equation.left), expr(&equation.right))
}

/// Levels of a tree.
fn height(e: &Expr) -> usize {
    use ExprKind::*;
    let most = |parts: &[Expr]| parts.iter().map(height).max().unwrap_or(0);
    1 + match &e.kind {
        Number(_) | Quantity(..) | Name(_) => 0,
        Slice(base, range) => height(base).max(height(&range.first)).max(height(&range.last)),
        Index(base, indices) => height(base).max(most(indices)),
        Component(base, _) | Prime(base, _) | Neg(base) | Not(base) => height(base),
        Call(_, parts) | Vector(parts) | And(parts) | Or(parts) => most(parts),
        SumOver(sum) => height(&sum.body).max(height(&sum.range.first)).max(height(&sum.range.last)),
        Sum(terms) => terms.iter().map(|term| height(&term.expr)).max().unwrap_or(0),
        Product(factors) => factors.iter().map(|factor| height(&factor.expr)).max().unwrap_or(0),
        Power(a, b) | Compare(_, a, b) | Of(a, b) | In(a, b) => height(a).max(height(b)),
        If(parts) => height(&parts.condition).max(height(&parts.then)).max(height(&parts.otherwise)),
    }
}

struct Writer {
    out: String,
    is_tight: bool,
    /// Whether parentheses are left out wherever the grammar can do without.
    is_lean: bool,
}

impl Writer {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// An expression in a place that wants at least this hold.
    fn expr(&mut self, e: &Expr, wanted: Hold, follow: Follow) {
        if hold(&e.kind) >= wanted || (self.is_lean && needs_none(&e.kind, wanted, follow)) {
            return self.kind(&e.kind, follow);
        }
        self.push("(");
        self.kind(&e.kind, Follow::Nothing);
        self.push(")");
    }

    fn kind(&mut self, kind: &ExprKind, follow: Follow) {
        match kind {
            ExprKind::Number(text) | ExprKind::Name(text) => self.push(text),
            ExprKind::Quantity(number, of) => self.push(&format!("{number} {{{}}}", unit(of))),
            ExprKind::Slice(base, over) => {
                self.operand(base);
                self.push(&format!("[{}]", range(over)));
            }
            ExprKind::Index(base, indices) => {
                self.operand(base);
                self.push(&format!("[{}]", list(indices, tight)));
            }
            ExprKind::Component(base, name) => {
                self.operand(base);
                self.push(".");
                self.push(&name.text);
            }
            ExprKind::Prime(base, order) => {
                self.operand(base);
                self.push(&"'".repeat(*order as usize));
            }
            ExprKind::Call(name, arguments) => {
                self.push(&name.text);
                // `sum(i in B, ...)` would be read as a sum over a range.
                let is_sum = name.text == "sum" && matches!(arguments[0].kind, ExprKind::In(..));
                if is_sum {
                    self.push("((");
                    self.kind(&arguments[0].kind, Follow::Nothing);
                    self.bracketed(if arguments.len() > 1 { "), " } else { ")" }, &arguments[1..], ")");
                } else {
                    self.bracketed("(", arguments, ")");
                }
            }
            ExprKind::SumOver(sum) => self.sum_over(sum),
            ExprKind::Vector(components) => self.bracketed("[", components, "]"),
            ExprKind::Neg(a) => {
                self.push("-");
                self.expr(a, Hold::Neg, follow);
            }
            ExprKind::Sum(terms) => self.sum(terms, follow),
            ExprKind::Product(factors) => self.product(factors, follow),
            ExprKind::Power(base, exponent) => {
                self.expr(base, Hold::Operand, Follow::Operator);
                self.push("^");
                self.expr(exponent, Hold::Neg, follow);
            }
            ExprKind::Of(a, body) => self.fixed(a, " of ", body),
            ExprKind::In(a, body) => self.fixed(a, " in ", body),
            ExprKind::Compare(operator, a, b) => {
                self.expr(a, Hold::Sum, Follow::Operator);
                self.push(&format!(" {} ", operator.text()));
                self.expr(b, Hold::Sum, follow);
            }
            ExprKind::And(operands) => self.joined(operands, " and ", Hold::Not, follow),
            ExprKind::Or(operands) => self.joined(operands, " or ", Hold::And, follow),
            ExprKind::Not(a) => {
                self.push("not ");
                self.expr(a, Hold::Not, follow);
            }
            ExprKind::If(parts) => self.conditional(parts),
        }
    }

    /// What carries a prime, a subscript or a component; a number only in parentheses, for `2.x` is no text of ours.
    fn operand(&mut self, base: &Expr) {
        if matches!(base.kind, ExprKind::Number(_) | ExprKind::Quantity(..)) {
            self.push("(");
            self.kind(&base.kind, Follow::Nothing);
            self.push(")");
        } else {
            self.expr(base, Hold::Operand, Follow::Operator);
        }
    }

    fn fixed(&mut self, what: &Expr, word: &str, body: &Expr) {
        self.expr(what, Hold::Operand, Follow::Operator);
        self.push(word);
        self.kind(&body.kind, Follow::Nothing);
    }

    fn bracketed(&mut self, open: &str, items: &[Expr], close: &str) {
        self.push(open);
        for (place, item) in items.iter().enumerate() {
            if place > 0 {
                self.push(", ");
            }
            self.expr(item, Hold::If, Follow::Nothing);
        }
        self.push(close);
    }

    fn joined(&mut self, items: &[Expr], between: &str, wanted: Hold, follow: Follow) {
        for (place, item) in items.iter().enumerate() {
            if place > 0 {
                self.push(between);
            }
            self.expr(item, wanted, if place + 1 < items.len() { Follow::Logic } else { follow });
        }
    }

    fn sum(&mut self, terms: &[Term], follow: Follow) {
        for (place, term) in terms.iter().enumerate() {
            let sign = match (term.minus, self.is_tight) {
                (true, true) => "-",
                (false, true) => "+",
                (true, false) => " - ",
                (false, false) => " + ",
            };
            if place > 0 {
                self.push(sign);
            }
            let follow = if place + 1 < terms.len() { Follow::Operator } else { follow };
            self.expr(&term.expr, if place > 0 { Hold::Product } else { Hold::Sum }, follow);
        }
    }

    fn product(&mut self, factors: &[Factor], follow: Follow) {
        for (place, factor) in factors.iter().enumerate() {
            if place > 0 {
                self.push(if factor.divide { "/" } else { "*" });
            }
            let follow = if place + 1 < factors.len() { Follow::Operator } else { follow };
            self.expr(&factor.expr, if place > 0 { Hold::Neg } else { Hold::Product }, follow);
        }
    }

    fn sum_over(&mut self, sum: &SumOver) {
        self.push(&format!("sum({} in {}, ", sum.index.text, range(&sum.range)));
        self.expr(&sum.body, Hold::If, Follow::Nothing);
        self.push(")");
    }

    fn conditional(&mut self, parts: &If) {
        self.push("if ");
        self.expr(&parts.condition, Hold::Or, Follow::Nothing);
        self.push(" then ");
        self.expr(&parts.then, Hold::Or, Follow::Nothing);
        self.push(" else ");
        self.expr(&parts.otherwise, Hold::If, Follow::Nothing);
    }
}

/// Whether something looser than its place can do without parentheses: `if` and `not` may begin any operand, and take
/// in what follows them.
fn needs_none(kind: &ExprKind, wanted: Hold, follow: Follow) -> bool {
    wanted < Hold::Operand
        && match kind {
            ExprKind::If(_) => follow == Follow::Nothing,
            ExprKind::Not(_) => follow <= Follow::Logic,
            _ => false,
        }
}

/// A unit without its braces.
pub(super) fn unit(unit: &Unit) -> String {
    match &unit.kind {
        UnitKind::One => "1".to_string(),
        UnitKind::Name(name) => name.clone(),
        UnitKind::Product(factors) => {
            let mut out = String::new();
            for (place, factor) in factors.iter().enumerate() {
                if place > 0 {
                    out.push(if factor.divide { '/' } else { '*' });
                }
                out.push_str(&unit_factor(&factor.unit));
            }
            out
        }
        UnitKind::Power(base, exponent) => match base.kind {
            UnitKind::Power(..) => format!("({}){}", self::unit(base), exponent_text(exponent)),
            _ => format!("{}{}", unit_factor(base), exponent_text(exponent)),
        },
    }
}

fn unit_factor(factor: &Unit) -> String {
    match factor.kind {
        UnitKind::Product(_) => format!("({})", unit(factor)),
        _ => unit(factor),
    }
}

fn exponent_text(exponent: &Exponent) -> String {
    match exponent.denominator {
        1 => format!("^{}", exponent.numerator),
        below => format!("^({}/{below})", exponent.numerator),
    }
}
