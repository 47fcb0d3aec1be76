//! Expressions, targets and units as text.

use crate::syntax::ast::*;

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
        Number(_) | Name(_) | Index(..) | Component(..) | Prime(..) | Call(..) | SumOver(_) | Vector(_) => {
            Hold::Operand
        }
    }
}

/// An expression; sums are spaced.
pub(super) fn expr(e: &Expr) -> String {
    text_of(e, false)
}

/// A subscript or an end of a range: short things, without spaces.
fn tight(e: &Expr) -> String {
    text_of(e, true)
}

fn text_of(e: &Expr, is_tight: bool) -> String {
    let mut writer = Writer { out: String::new(), is_tight };
    writer.expr(e, Hold::If);
    writer.out
}

/// Items with commas between.
pub(super) fn list<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    items.iter().map(text).collect::<Vec<_>>().join(", ")
}

pub(super) fn target(target: &Target) -> String {
    if target.subscripts.is_empty() {
        return target.name.text.clone();
    }
    let subscript = |subscript: &Subscript| match subscript {
        Subscript::At(at) => tight(at),
        Subscript::Over(over) => range(over),
    };
    format!("{}[{}]", target.name.text, list(&target.subscripts, subscript))
}

pub(super) fn range(range: &Range) -> String {
    format!("{}..{}", tight(&range.first), tight(&range.last))
}

pub(super) fn equation(equation: &Equation) -> String {
    let name = equation.name.as_ref().map_or(String::new(), |name| format!("{}: ", target(name)));
    format!("{name}{} = {}", expr(&equation.left), expr(&equation.right))
}

struct Writer {
    out: String,
    is_tight: bool,
}

impl Writer {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// An expression in a place that wants at least this hold.
    fn expr(&mut self, e: &Expr, wanted: Hold) {
        let bare = hold(&e.kind) >= wanted;
        if !bare {
            self.push("(");
        }
        self.kind(&e.kind);
        if !bare {
            self.push(")");
        }
    }

    fn kind(&mut self, kind: &ExprKind) {
        match kind {
            ExprKind::Number(text) | ExprKind::Name(text) => self.push(text),
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
                self.bracketed("(", arguments, ")");
            }
            ExprKind::SumOver(sum) => self.sum_over(sum),
            ExprKind::Vector(components) => self.bracketed("[", components, "]"),
            ExprKind::Neg(a) => {
                self.push("-");
                self.expr(a, Hold::Neg);
            }
            ExprKind::Sum(terms) => self.sum(terms),
            ExprKind::Product(factors) => self.product(factors),
            ExprKind::Power(base, exponent) => {
                self.expr(base, Hold::Operand);
                self.push("^");
                self.expr(exponent, Hold::Neg);
            }
            ExprKind::Compare(operator, a, b) => {
                self.expr(a, Hold::Sum);
                self.push(&format!(" {} ", operator.text()));
                self.expr(b, Hold::Sum);
            }
            ExprKind::And(operands) => self.joined(operands, " and ", Hold::Not),
            ExprKind::Or(operands) => self.joined(operands, " or ", Hold::And),
            ExprKind::Not(a) => {
                self.push("not ");
                self.expr(a, Hold::Not);
            }
            ExprKind::If(parts) => self.conditional(parts),
        }
    }

    /// What carries a prime, a subscript or a component; a number only in parentheses, for `2.x` is no text of ours.
    fn operand(&mut self, base: &Expr) {
        if matches!(base.kind, ExprKind::Number(_)) {
            self.push("(");
            self.kind(&base.kind);
            self.push(")");
        } else {
            self.expr(base, Hold::Operand);
        }
    }

    fn bracketed(&mut self, open: &str, items: &[Expr], close: &str) {
        self.push(open);
        self.joined(items, ", ", Hold::If);
        self.push(close);
    }

    fn joined(&mut self, items: &[Expr], between: &str, wanted: Hold) {
        for (place, item) in items.iter().enumerate() {
            if place > 0 {
                self.push(between);
            }
            self.expr(item, wanted);
        }
    }

    fn sum(&mut self, terms: &[Term]) {
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
            self.expr(&term.expr, if place > 0 { Hold::Product } else { Hold::Sum });
        }
    }

    fn product(&mut self, factors: &[Factor]) {
        for (place, factor) in factors.iter().enumerate() {
            if place > 0 {
                self.push(if factor.divide { "/" } else { "*" });
            }
            self.expr(&factor.expr, if place > 0 { Hold::Neg } else { Hold::Product });
        }
    }

    fn sum_over(&mut self, sum: &SumOver) {
        self.push(&format!("sum({} in {}, ", sum.index.text, range(&sum.range)));
        self.expr(&sum.body, Hold::If);
        self.push(")");
    }

    fn conditional(&mut self, parts: &If) {
        self.push("if ");
        self.expr(&parts.condition, Hold::Or);
        self.push(" then ");
        self.expr(&parts.then, Hold::Or);
        self.push(" else ");
        self.expr(&parts.otherwise, Hold::If);
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
