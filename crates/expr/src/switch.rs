//! Where expressions may jump or have kinks: conditions, signs and roots of squares. Knows no mechanics.

use crate::Symbol;
use crate::function::Function;
use crate::pool::{Expr, Node, Pool};
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::{Hash, Hasher};

/// Where an expression may jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Switch {
    /// Where two expressions are equal, the one made first named first.
    Sides(Expr, Expr),
    /// Where the argument of a sign is zero.
    Sign(Expr),
    /// Where the argument of `floor` is a whole number.
    Whole(Expr),
    /// Where an expression passes a knot of a lookup.
    Knots(Knots, Expr),
}

/// A lookup, by one of its columns as an expression; all columns are equal.
#[derive(Clone, Copy, Debug)]
pub struct Knots {
    number: u64,
    /// One of its columns.
    pub column: Expr,
}

impl PartialEq for Knots {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Knots {}

impl Hash for Knots {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

impl Switch {
    pub(crate) fn sides(a: Expr, b: Expr) -> Switch {
        Switch::Sides(a.min(b), a.max(b))
    }

    /// The switches of conditions and signs in some expressions; kinks, as those of `abs`, are none.
    #[must_use]
    pub fn all(pool: &Pool, roots: &[Expr]) -> Vec<Switch> {
        let mut found = Vec::new();
        below(pool, roots, |e| {
            if let Some(switch) = jump_at(pool, e)
                && !found.contains(&switch)
            {
                found.push(switch);
            }
        });
        found
    }

    /// Switches of the expressions, kinks included: those of `abs`, `min`, `max`, of roots of squares, and the cut of `atan2`.
    #[must_use]
    pub fn with_kinks(pool: &Pool, roots: &[Expr]) -> Vec<Switch> {
        let mut found = Switch::all(pool, roots);
        let mut add = |switch: Switch| {
            if !found.contains(&switch) {
                found.push(switch);
            }
        };
        below(pool, roots, |e| kinks_at(pool, e, &mut add));
        found
    }

    /// The switches, with kinks, that a symbol decides together with constants and nothing else. O(size).
    #[must_use]
    pub fn of_symbol(pool: &mut Pool, roots: &[Expr], symbol: Symbol, constants: &[Symbol]) -> Vec<Switch> {
        if !pool.symbols(roots).contains(&symbol) {
            return Vec::new();
        }
        let mut nodes = Vec::new();
        below(pool, roots, |e| nodes.push(e));
        // Children are older than their parents.
        nodes.sort_unstable();
        let constants: FxHashSet<Symbol> = constants.iter().copied().collect();
        let mut reads: FxHashMap<Expr, Reads> = FxHashMap::default();
        for e in &nodes {
            let mut here = match pool.node(*e) {
                Node::Symbol(s) => {
                    Reads { symbol: *s == symbol, others: *s != symbol && !constants.contains(s) }
                }
                _ => Reads::default(),
            };
            pool.node(*e).for_each_child(|c| here.join(reads.get(&c).copied().unwrap_or_default()));
            reads.insert(*e, here);
        }
        let (mut found, mut known) = (Vec::new(), FxHashSet::default());
        let mut add = |switch: Switch| {
            let mut all = Reads::default();
            switch.each_side(|e| all.join(reads.get(&e).copied().unwrap_or_default()));
            if all.symbol && !all.others && known.insert(switch) {
                found.push(switch);
            }
        };
        for e in &nodes {
            jump_at(pool, *e).into_iter().for_each(&mut add);
            kinks_at(pool, *e, &mut add);
        }
        found
    }

    fn each_side(self, mut visit: impl FnMut(Expr)) {
        match self {
            Switch::Sides(a, b) => [a, b].into_iter().for_each(visit),
            Switch::Sign(a) | Switch::Whole(a) | Switch::Knots(_, a) => visit(a),
        }
    }

    /// Is any of the expressions given in pieces, by kinks, conditions or roots of squares?
    #[must_use]
    pub fn is_piecewise(pool: &Pool, roots: &[Expr]) -> bool {
        let mut found = false;
        let even = |e: Expr| match pool.node(e) {
            Node::Product(factors) => factors.iter().any(|(_, p)| p.is_even()),
            _ => false,
        };
        below(pool, roots, |e| {
            found |= match pool.node(e) {
                Node::Call(f, _) => matches!(f, Function::Abs | Function::Sign) || *f >= Function::Floor,
                Node::Product(factors) => factors.iter().any(|(b, p)| !p.is_integer() && even(*b)),
                _ => false,
            };
        });
        found
    }

    /// Where `|u|` divides something: u, with the other factors.
    #[must_use]
    pub fn quotients(pool: &Pool, roots: &[Expr]) -> Vec<(Expr, Vec<Expr>)> {
        let mut found = Vec::new();
        below(pool, roots, |e| {
            let Node::Product(factors) = pool.node(e) else { return };
            for (k, (b, p)) in factors.iter().enumerate().filter(|(_, (_, p))| p.is_negative()) {
                let inside: Vec<Expr> = match pool.node(*b) {
                    Node::Call(Function::Abs, args) => vec![args[0]],
                    Node::Product(inner) if !p.is_integer() => {
                        inner.iter().filter(|(_, q)| q.is_even()).map(|(u, _)| *u).collect()
                    }
                    _ => continue,
                };
                let others = |k: usize| factors.iter().enumerate().filter(move |(j, _)| *j != k);
                let others: Vec<Expr> =
                    others(k).filter(|(_, (_, p))| !p.is_negative()).map(|(_, (b, _))| *b).collect();
                found.extend(inside.into_iter().map(|u| (u, others.clone())));
            }
        });
        found
    }

    /// What vanishes at the switch.
    pub fn difference(self, pool: &mut Pool) -> Expr {
        match self {
            Switch::Sides(a, b) => pool.sub(a, b),
            Switch::Sign(a) => a,
            Switch::Whole(a) => {
                let half_turns = pool.pi();
                let angle = pool.mul(half_turns, a);
                pool.call1(Function::Sin, angle)
            }
            Switch::Knots(knots, x) => pool.knots_passed(knots.column, x),
        }
    }
}

/// What an expression is made of: the symbol that is asked about, and others that are no constants.
#[derive(Clone, Copy, Default)]
struct Reads {
    symbol: bool,
    others: bool,
}

impl Reads {
    fn join(&mut self, child: Reads) {
        self.symbol |= child.symbol;
        self.others |= child.others;
    }
}

/// The switch of a condition or a sign.
fn jump_at(pool: &Pool, e: Expr) -> Option<Switch> {
    use Function as F;
    match pool.node(e) {
        Node::Call(F::Sign, args) => Some(Switch::Sign(args[0])),
        Node::Call(F::Floor, args) => Some(Switch::Whole(args[0])),
        Node::Call(F::Less | F::LessEqual | F::Equal, args) => Some(Switch::sides(args[0], args[1])),
        _ => None,
    }
}

/// The switches of a node that has kinks, or the cut of `atan2`.
fn kinks_at(pool: &Pool, e: Expr, add: &mut impl FnMut(Switch)) {
    use Function as F;
    match pool.node(e) {
        Node::Call(F::Abs | F::Atan2, args) => add(Switch::Sign(args[0])),
        Node::Call(F::Lookup, args) => {
            add(Switch::Knots(Knots { number: pool.lookup_number(args[0]), column: args[0] }, args[1]));
        }
        Node::Call(F::Min | F::Max, args) => add(Switch::sides(args[0], args[1])),
        Node::Product(factors) => {
            for (base, _) in factors.iter().filter(|(_, p)| !p.is_integer()) {
                if let Node::Product(inner) = pool.node(*base) {
                    inner.iter().filter(|(_, q)| q.is_even()).for_each(|(u, _)| add(Switch::Sign(*u)));
                }
            }
        }
        _ => {}
    }
}

/// Visits everything under some expressions once.
pub(crate) fn below(pool: &Pool, roots: &[Expr], mut visit: impl FnMut(Expr)) {
    let mut seen: FxHashSet<Expr> = FxHashSet::default();
    let mut stack = roots.to_vec();
    while let Some(e) = stack.pop() {
        if seen.insert(e) {
            visit(e);
            pool.node(e).for_each_child(|c| stack.push(c));
        }
    }
}
