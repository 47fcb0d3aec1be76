//! Where expressions may jump or have kinks: conditions, signs and roots of squares. Knows no mechanics.

use crate::function::Function;
use crate::pool::{Expr, Node, Pool};
use rustc_hash::FxHashSet;

/// Where an expression may jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// Where two expressions are equal, the one made first named first.
    Sides(Expr, Expr),
    /// Where the argument of a sign is zero.
    Sign(Expr),
}

impl Switch {
    pub(crate) fn sides(a: Expr, b: Expr) -> Switch {
        Switch::Sides(a.min(b), a.max(b))
    }

    /// The switches of conditions and signs in some expressions; kinks, as those of `abs`, are none.
    #[must_use]
    pub fn all(pool: &Pool, roots: &[Expr]) -> Vec<Switch> {
        use Function as F;
        let mut found = Vec::new();
        below(pool, roots, |e| {
            let switch = match pool.node(e) {
                Node::Call(F::Sign, args) => Switch::Sign(args[0]),
                Node::Call(F::Less | F::LessEqual | F::Equal, args) => Switch::sides(args[0], args[1]),
                _ => return,
            };
            if !found.contains(&switch) {
                found.push(switch);
            }
        });
        found
    }

    /// The same with kinks: those of `abs`, `min`, `max`, of roots of squares, and the cut of `atan2`.
    #[must_use]
    pub fn with_kinks(pool: &Pool, roots: &[Expr]) -> Vec<Switch> {
        use Function as F;
        let mut found = Switch::all(pool, roots);
        let mut add = |switch: Switch| {
            if !found.contains(&switch) {
                found.push(switch);
            }
        };
        below(pool, roots, |e| match pool.node(e) {
            Node::Call(F::Abs | F::Atan2, args) => add(Switch::Sign(args[0])),
            Node::Call(F::Min | F::Max, args) => add(Switch::sides(args[0], args[1])),
            Node::Product(factors) => {
                for (base, _) in factors.iter().filter(|(_, p)| !p.is_integer()) {
                    if let Node::Product(inner) = pool.node(*base) {
                        inner.iter().filter(|(_, q)| q.is_even()).for_each(|(u, _)| add(Switch::Sign(*u)));
                    }
                }
            }
            _ => {}
        });
        found
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
                Node::Call(f, _) => matches!(f, Function::Abs | Function::Sign) || *f >= Function::Min,
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
        }
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
