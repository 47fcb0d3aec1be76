//! What an expression is like but for the names of some symbols, to find repetitions: members of a family have one shape,
//! and what is known of one of them holds of all.

use crate::function::Function;
use crate::pool::{Expr, Node, Pool, Symbol};
use crate::rational::Rational;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// An expression with blanks in the place of some symbols. Equal shapes are equal expressions once the blanks are filled
/// with the same symbols.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape(Vec<Token>);

/// The expression in prefix order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Token {
    /// No blank in it.
    Same(Expr),
    /// A node met before, by its number.
    Seen(u32),
    /// A symbol left blank: of what kind, and the number of its group in the order of first occurrence.
    Blank(u8, u32),
    Sum(Rational, usize),
    Product(usize),
    /// Coefficient or exponent of the child with that number in its list.
    Weight(Rational),
    Power,
    Call(Function, usize),
}

impl Pool {
    /// The shape of `e`. `blank` tells of a symbol to be left out its kind and its group (the rate of a coordinate is of
    /// another kind and of the same group). The groups come back in the order of their first occurrence: of two expressions
    /// of one shape, one becomes the other when the k-th group of the one is exchanged for the k-th of the other.
    /// O(size of `e`).
    ///
    /// ```
    /// use dalembert_expr::Pool;
    /// let mut pool = Pool::new();
    /// let [x, y, u, v, l] = ["x", "y", "u", "v", "l"].map(|name| pool.named(name));
    /// let square = |pool: &mut Pool, a, b| { let p = pool.mul(a, b); pool.mul(p, l) };
    /// let (one, other, third) = (square(&mut pool, x, y), square(&mut pool, u, v), square(&mut pool, x, x));
    /// let kept = pool.symbol("l");
    /// let blank = |s| (s != kept).then_some((0, s));
    /// assert_eq!(pool.shape(one, blank).0, pool.shape(other, blank).0);
    /// assert_ne!(pool.shape(one, blank).0, pool.shape(third, blank).0);
    /// ```
    pub fn shape<G: Copy + Eq + Hash>(
        &mut self,
        e: Expr,
        blank: impl Fn(Symbol) -> Option<(u8, G)>,
    ) -> (Shape, Vec<G>) {
        let (mut tokens, mut groups) = (Vec::new(), Groups::default());
        let mut numbers = self.numbering();
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            if let Some(first) = numbers.seen(e) {
                tokens.push(Token::Seen(first));
                continue;
            }
            let begin = stack.len();
            match self.node(e) {
                Node::Number(_) | Node::Pi => tokens.push(Token::Same(e)),
                Node::Symbol(s) => tokens.push(match blank(*s) {
                    None => Token::Same(e),
                    Some((kind, group)) => Token::Blank(kind, groups.number(group)),
                }),
                Node::Sum(constant, terms) => {
                    tokens.push(Token::Sum(constant.clone(), terms.len()));
                    tokens.extend(terms.iter().map(|(_, c)| Token::Weight(c.clone())));
                }
                Node::Product(factors) => {
                    tokens.push(Token::Product(factors.len()));
                    tokens.extend(factors.iter().map(|(_, p)| Token::Weight(p.clone())));
                }
                Node::Power(..) => tokens.push(Token::Power),
                Node::Call(f, args) => tokens.push(Token::Call(*f, args.len())),
            }
            self.node(e).for_each_child(|child| stack.push(child));
            stack[begin..].reverse();
        }
        self.end(numbers);
        (Shape(tokens), groups.list)
    }
}

/// Groups by the order of their first occurrence: a few are searched, many hashed.
struct Groups<G> {
    list: Vec<G>,
    place: FxHashMap<G, u32>,
}

impl<G> Default for Groups<G> {
    fn default() -> Self {
        Groups { list: Vec::new(), place: FxHashMap::default() }
    }
}

impl<G: Copy + Eq + Hash> Groups<G> {
    const FEW: usize = 8;

    fn number(&mut self, group: G) -> u32 {
        let early = self.list.iter().take(Self::FEW).position(|g| *g == group);
        if let Some(known) = early.map(|k| k as u32).or_else(|| self.place.get(&group).copied()) {
            return known;
        }
        let new = self.list.len() as u32;
        self.list.push(group);
        if self.list.len() > Self::FEW {
            self.place.insert(group, new);
        }
        new
    }
}
