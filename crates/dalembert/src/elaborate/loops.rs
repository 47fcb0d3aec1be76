//! Turns of loops and sums. What does not use an index of the loops around it is the same in every turn: it is worked out in
//! the first one and recalled in the others, where it counts as much of the budget as if it were worked out again. An
//! index is found by plain arithmetic. So a turn costs what depends on its index.

use super::scope::Binding;
use super::value::Value;
use super::{Elaborator, Fallible};
use dalembert_expr::{Function, Rational};
use dalembert_syntax::ast::{self, ExprKind};
use dalembert_syntax::diagnostic::Code;
use dalembert_syntax::expression_text;
use dalembert_syntax::words::{OPERATIONS, is_reserved};
use rustc_hash::FxHashMap;

/// The loops that are being run, and what is known of expressions in them.
#[derive(Default)]
pub(super) struct Loops {
    indices: Vec<String>,
    /// By expression, and for a product by the number of its first factors, 0 for all: `None` if it changes from turn to
    /// turn, else the value and what it took of the budget.
    known: FxHashMap<(usize, usize), Option<(Value, usize)>>,
    texts: FxHashMap<usize, String>,
}

/// Expressions of the model stay where they are while it is read.
fn address(e: &ast::Expr) -> usize {
    std::ptr::from_ref(e) as usize
}

impl Loops {
    /// Names that mean something else in each turn: indices, and arguments of functions.
    pub(super) fn indices(&self) -> &[String] {
        &self.indices
    }

    /// Whether its value can change from turn to turn, or asking for it does more than give a value.
    fn varies(&self, e: &ast::Expr) -> bool {
        let any = |parts: &[ast::Expr]| parts.iter().any(|part| self.varies(part));
        match &e.kind {
            ExprKind::Number(_) | ExprKind::Quantity(..) => false,
            ExprKind::Slice(base, range) => {
                self.varies(base) || self.varies(&range.first) || self.varies(&range.last)
            }
            ExprKind::Name(name) => self.indices.contains(name),
            ExprKind::Index(base, parts) => self.varies(base) || any(parts),
            ExprKind::Call(f, parts) => {
                let pure = OPERATIONS.contains(&f.text.as_str()) || Function::by_name(&f.text).is_some();
                !pure || any(parts)
            }
            ExprKind::Vector(parts) | ExprKind::And(parts) | ExprKind::Or(parts) => any(parts),
            ExprKind::Component(inner, _) | ExprKind::Prime(inner, _) => self.varies(inner),
            ExprKind::Neg(inner) | ExprKind::Not(inner) => self.varies(inner),
            ExprKind::SumOver(sum) => {
                self.varies(&sum.range.first) || self.varies(&sum.range.last) || self.varies(&sum.body)
            }
            ExprKind::Sum(terms) => terms.iter().any(|term| self.varies(&term.expr)),
            ExprKind::Product(factors) => factors.iter().any(|factor| self.varies(&factor.expr)),
            ExprKind::Power(a, b) | ExprKind::Compare(_, a, b) | ExprKind::Of(a, b) | ExprKind::In(a, b) => {
                self.varies(a) || self.varies(b)
            }
            ExprKind::If(choice) => {
                [&choice.condition, &choice.then, &choice.otherwise].into_iter().any(|part| self.varies(part))
            }
        }
    }
}

impl Elaborator<'_> {
    /// The value of an expression.
    pub(super) fn value(&mut self, e: &ast::Expr) -> Fallible<Value> {
        if self.loops.indices.is_empty() || self.foreign.is_some() {
            return self.evaluate(e);
        }
        let key = (address(e), 0);
        match self.loops.known.get(&key) {
            Some(None) => self.evaluate(e),
            Some(Some(_)) => match self.recall(key) {
                Some(value) => Ok(value),
                None => self.evaluate(e),
            },
            None if self.loops.varies(e) => {
                self.loops.known.insert(key, None);
                self.evaluate(e)
            }
            None => {
                let (budget, said) = (self.budget, self.diagnostics.len());
                let value = self.evaluate(e)?;
                if self.diagnostics.len() == said {
                    self.loops.known.insert(key, Some((value.clone(), budget - self.budget)));
                }
                Ok(value)
            }
        }
    }

    /// A value worked out in an earlier turn, at the same price; `None` if there is none, or the budget would not last.
    fn recall(&mut self, key: (usize, usize)) -> Option<Value> {
        let (value, cost) = self.loops.known.get(&key)?.as_ref()?;
        if *cost >= self.budget || self.pool.exhausted() {
            return None;
        }
        self.budget -= cost;
        Some(value.clone())
    }

    /// The product of the first factors that are the same in every turn, and how many they are, if it is known.
    pub(super) fn recall_factors(
        &mut self,
        e: &ast::Expr,
        factors: &[ast::Factor],
    ) -> Option<(Value, usize)> {
        let count = self.steady_factors(factors)?;
        Some((self.recall((address(e), count))?, count))
    }

    /// Keeps the product of the first factors, which are known, for the turns to come.
    pub(super) fn remember_factors(&mut self, e: &ast::Expr, first: &[ast::Factor], product: &Value) {
        let known = first.iter().filter_map(|f| self.loops.known.get(&(address(&f.expr), 0))?.as_ref());
        let cost = known.map(|(_, cost)| cost).sum();
        self.loops.known.insert((address(e), first.len()), Some((product.clone(), cost)));
    }

    /// How many factors at the beginning are the same in every turn, where keeping their product saves one.
    pub(super) fn steady_factors(&self, factors: &[ast::Factor]) -> Option<usize> {
        if self.loops.indices.is_empty() || self.foreign.is_some() {
            return None;
        }
        let steady = |f: &&ast::Factor| matches!(self.loops.known.get(&(address(&f.expr), 0)), Some(Some(_)));
        let count = factors.iter().take_while(steady).count();
        (count > 1 && count < factors.len()).then_some(count)
    }

    /// An expression as it is written.
    pub(super) fn text_of(&mut self, e: &ast::Expr) -> String {
        if self.loops.indices.is_empty() {
            return expression_text(e);
        }
        self.loops.texts.entry(address(e)).or_insert_with(|| expression_text(e)).clone()
    }

    /// A whole number made of numbers, constants and indices by sums and products, if it is that simple.
    pub(super) fn plain_index(&mut self, e: &ast::Expr) -> Option<i64> {
        let mut cost = 0;
        let value = self.arithmetic(e, &mut cost)?;
        if cost >= self.budget || self.pool.exhausted() {
            return None;
        }
        self.budget -= cost;
        Some(value)
    }

    /// Counts what [`Elaborator::value`] would count.
    fn arithmetic(&self, e: &ast::Expr, cost: &mut usize) -> Option<i64> {
        *cost += 1;
        match &e.kind {
            ExprKind::Number(text) => text.parse().ok(),
            ExprKind::Name(name) => match self.scope.get(name)? {
                Binding::Number(value) => Rational::to_i64(value),
                _ => None,
            },
            ExprKind::Neg(inner) => self.arithmetic(inner, cost)?.checked_neg(),
            ExprKind::Sum(terms) => terms.iter().try_fold(0i64, |sum, term| {
                let value = self.arithmetic(&term.expr, cost)?;
                if term.minus { sum.checked_sub(value) } else { sum.checked_add(value) }
            }),
            ExprKind::Product(factors) => factors.iter().try_fold(1i64, |product, factor| {
                let value = self.arithmetic(&factor.expr, cost)?;
                if factor.divide { None } else { product.checked_mul(value) }
            }),
            _ => None,
        }
    }

    /// Works something out in which some names mean something else each time.
    pub(super) fn with_varying<T>(&mut self, names: &[&str], work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.loops.indices.len();
        self.loops.indices.extend(names.iter().map(|name| (*name).to_owned()));
        let result = work(self);
        self.loops.indices.truncate(outer);
        if outer == 0 {
            self.loops = Loops::default();
        }
        result
    }

    /// Runs `body` for each value of a loop index.
    pub(super) fn with_index(
        &mut self,
        index: &ast::Name,
        first: i64,
        last: i64,
        mut body: impl FnMut(&mut Self, i64) -> Fallible<()>,
    ) -> Fallible<()> {
        if is_reserved(&index.text) {
            let message = format!("`{}` is a word of the language and cannot be an index", index.text);
            return self.error(Code::ReservedName, index.span, &message);
        }
        if self.scope.get(&index.text).is_some() || self.scope.family(&index.text).is_some() {
            let message = format!("the index `{}` has the name of something else", index.text);
            return self.error(Code::DeclaredTwice, index.span, &message);
        }
        self.scope.bind(&index.text, Binding::Number(first.into()), index.span);
        self.loops.indices.push(index.text.clone());
        let mut result = Ok(());
        for i in first..=last {
            self.scope.rebind(&index.text, Binding::Number(i.into()));
            result = body(self, i);
            if result.is_err() {
                break;
            }
        }
        self.scope.unbind(&index.text);
        self.loops.indices.pop();
        if self.loops.indices.is_empty() {
            self.loops = Loops::default();
        }
        result
    }
}
