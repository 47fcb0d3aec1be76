//! Partial sums and products that several expressions share.
//!
//! Sums and products are flat lists, whatever parts they were written in: after `let a = x*y`, `a*z` is `x*y*z`. Worked out
//! from the left, such lists share their parts only where they begin alike. Here the pair that stands in the largest number
//! of lists becomes one entry of them, again and again, until no pair stands in two: values that a written-out recursion
//! names are computed once, and so are common parts that nobody named. Entries that do not change while a program runs
//! (parameters) are put together first: their sum or product is computed once for all calls.
//!
//! Work and memory grow with the number of lists times the square of their lengths, both of which are bounded.

use crate::pool::{Expr, Node, Pool, Symbol};
use crate::rational::Rational;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Longer lists are worked out from the left, as they are.
const MAX_LENGTH: usize = 16;
/// With more pairs than this in all lists together, none are looked for: a few hundred megabytes of memory.
const MAX_PAIRS: usize = 2_000_000;

/// An entry of a list, or two older entries together.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// A term of a sum.
    Term(Expr),
    /// `base ^ exponent` with a positive exponent.
    Power(Expr, Rational),
    /// The sum of two parts with their coefficients.
    Sum([(usize, Rational); 2]),
    /// The product of two parts.
    Product([usize; 2]),
}

/// A list of an expression: its terms, or its factors on one side of the line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Side {
    Terms,
    Above,
    Below,
}

/// Parts with their coefficients in a sum; in a product all coefficients are one.
type List = Vec<(usize, Rational)>;

/// The lists of some expressions, with what they share as parts of their own.
#[derive(Default)]
pub(crate) struct SharedParts {
    pub parts: Vec<Part>,
    lists: FxHashMap<(Expr, Side), List>,
}

impl SharedParts {
    /// What sums and products among `nodes` share.
    pub fn find(pool: &Pool, nodes: &[Expr]) -> Self {
        let mut found = SharedParts::default();
        let mut known = FxHashMap::default();
        let mut lists = Vec::new();
        for &n in nodes {
            match pool.node(n) {
                Node::Sum(_, terms) if within(terms.len()) => {
                    let entry =
                        |(e, c): &(Expr, Rational)| (found.part(&mut known, Part::Term(*e)), c.clone());
                    lists.push(((n, Side::Terms), terms.iter().map(entry).collect()));
                }
                Node::Product(factors) if within(factors.len()) => {
                    for side in [Side::Above, Side::Below] {
                        let here = factors.iter().filter(|(_, p)| p.is_negative() == (side == Side::Below));
                        let entry = |(e, p): &(Expr, Rational)| {
                            (found.part(&mut known, Part::Power(*e, p.abs())), Rational::ONE)
                        };
                        lists.push(((n, side), here.map(entry).collect::<List>()));
                    }
                }
                _ => {}
            }
        }
        let constant = constants(pool, nodes, &found.parts);
        let mut fixed = FxHashMap::default();
        lists.iter_mut().for_each(|(_, list)| found.gather(list, &constant, &mut fixed));
        let pairs: usize = lists.iter().map(|(_, list)| list.len() * list.len().saturating_sub(1) / 2).sum();
        if pairs <= MAX_PAIRS {
            Pairs::new(&lists).merge(&mut lists, &mut found.parts);
            found.lists.extend(lists);
        }
        found
    }

    /// The parts of one list of an expression; `None` where it is too long to be looked at, or has nothing to share.
    pub fn of(&self, expr: Expr, side: Side) -> Option<&[(usize, Rational)]> {
        self.lists.get(&(expr, side)).map(Vec::as_slice)
    }

    /// Puts the entries of a list that do not change together into one.
    fn gather(&mut self, list: &mut List, constant: &[bool], known: &mut FxHashMap<Pair, usize>) {
        let is_fixed = |(part, _): &(usize, Rational)| constant[*part];
        if list.iter().filter(|entry| is_fixed(entry)).count() < 2 || list.iter().all(is_fixed) {
            return;
        }
        let (fixed, mut rest): (List, List) = list.drain(..).partition(is_fixed);
        let whole = fixed.into_iter().reduce(|a, b| {
            let (pair, weight) = pair(&a, &b);
            let made = *known.entry(pair.clone()).or_insert_with(|| {
                self.parts.push(together(&self.parts, pair));
                self.parts.len() - 1
            });
            (made, weight)
        });
        rest.extend(whole);
        *list = rest;
    }

    fn part(&mut self, known: &mut FxHashMap<(Expr, Option<Rational>), usize>, part: Part) -> usize {
        let key = match &part {
            Part::Power(base, p) => (*base, Some(p.clone())),
            Part::Term(e) => (*e, None),
            Part::Sum(_) | Part::Product(_) => unreachable!("pairs are made by merging"),
        };
        *known.entry(key).or_insert_with(|| {
            self.parts.push(part);
            self.parts.len() - 1
        })
    }
}

fn within(length: usize) -> bool {
    (2..=MAX_LENGTH).contains(&length)
}

/// Two parts, the older first, with their coefficients.
type Pair = [(usize, Rational); 2];

/// Which lists hold each pair.
struct Pairs {
    lists: FxHashMap<Pair, Vec<usize>>,
    /// Pairs with how many lists hold them, which may be out of date; the most frequent and then the oldest come first.
    queue: BinaryHeap<(usize, Reverse<Pair>)>,
}

impl Pairs {
    fn new(lists: &[((Expr, Side), List)]) -> Self {
        let mut pairs = Pairs { lists: FxHashMap::default(), queue: BinaryHeap::new() };
        for (k, (_, list)) in lists.iter().enumerate() {
            for (i, a) in list.iter().enumerate() {
                for b in &list[i + 1..] {
                    pairs.lists.entry(pair(a, b).0).or_default().push(k);
                }
            }
        }
        pairs.lists.retain(|_, lists| lists.len() > 1);
        pairs.queue = pairs.lists.iter().map(|(pair, lists)| (lists.len(), Reverse(pair.clone()))).collect();
        pairs
    }

    /// Makes each pair that several lists hold one entry of them, the most frequent first.
    fn merge(mut self, lists: &mut [((Expr, Side), List)], parts: &mut Vec<Part>) {
        while let Some((count, Reverse(next))) = self.queue.pop() {
            let mut holders = self.lists.remove(&next).unwrap_or_default();
            holders.retain(|&k| places(&lists[k].1, &next).is_some());
            if holders.len() < 2 {
                continue;
            }
            if holders.len() < count {
                self.queue.push((holders.len(), Reverse(next.clone())));
                self.lists.insert(next, holders);
                continue;
            }
            let made = parts.len();
            let mut touched = Vec::new();
            for k in holders {
                let list = &mut lists[k].1;
                let Some((i, j, weight)) = places(list, &next) else { continue };
                list.remove(i.max(j));
                list.remove(i.min(j));
                let entry = (made, weight);
                for other in list.iter() {
                    let pair = pair(other, &entry).0;
                    let holders = self.lists.entry(pair.clone()).or_default();
                    holders.push(k);
                    if holders.len() == 2 {
                        touched.push(pair);
                    }
                }
                list.push(entry);
            }
            self.queue.extend(touched.into_iter().map(|pair| (self.lists[&pair].len(), Reverse(pair))));
            parts.push(together(parts, next));
        }
    }
}

/// Two parts of sums, or of products, as one.
fn together(parts: &[Part], pair: Pair) -> Part {
    match parts[pair[0].0] {
        Part::Power(..) | Part::Product(_) => Part::Product([pair[0].0, pair[1].0]),
        Part::Term(_) | Part::Sum(_) => Part::Sum(pair),
    }
}

/// Whether each part depends on constant symbols alone.
fn constants(pool: &Pool, nodes: &[Expr], parts: &[Part]) -> Vec<bool> {
    let is_symbol = |s: Symbol| pool.constant.get(s.index()).copied().unwrap_or(false);
    let mut fixed: FxHashMap<Expr, bool> = FxHashMap::default();
    if !pool.constant.is_empty() {
        for &n in nodes {
            let of = |e: &Expr| fixed.get(e).copied().unwrap_or(false);
            let value = match pool.node(n) {
                Node::Number(_) | Node::Pi => true,
                Node::Symbol(s) => is_symbol(*s),
                Node::Sum(_, entries) | Node::Product(entries) => entries.iter().all(|(e, _)| of(e)),
                Node::Power(base, exponent) => of(base) && of(exponent),
                Node::Call(_, arguments) => arguments.iter().all(of),
            };
            fixed.insert(n, value);
        }
    }
    let of = |e: &Expr| fixed.get(e).copied().unwrap_or(false);
    parts.iter().map(|part| matches!(part, Part::Term(e) | Part::Power(e, _) if of(e))).collect()
}

/// The pair of two entries and the factor by which it stands there. Multiples of one pair are one pair where the quotient of
/// the coefficients is whole, so that no coefficient is rounded that was exact.
fn pair(a: &(usize, Rational), b: &(usize, Rational)) -> (Pair, Rational) {
    let (a, b) = if a.0 < b.0 { (a, b) } else { (b, a) };
    let (ca, cb) = (&a.1, &b.1);
    let quotient = |n: &Rational, d: &Rational| d.recip().map(|r| n * &r).filter(Rational::is_integer);
    let (ca, cb, weight) = if let Some(q) = quotient(cb, ca) {
        (Rational::ONE, q, ca.clone())
    } else if let Some(q) = quotient(ca, cb) {
        (q, Rational::ONE, cb.clone())
    } else if ca.is_negative() {
        (ca.abs(), -cb, Rational::MINUS_ONE)
    } else {
        (ca.clone(), cb.clone(), Rational::ONE)
    };
    ([(a.0, ca), (b.0, cb)], weight)
}

/// Where the two entries of a pair stand in a list that holds it, and its factor there.
fn places(list: &List, wanted: &Pair) -> Option<(usize, usize, Rational)> {
    let place = |part: usize| list.iter().position(|entry| entry.0 == part);
    let (i, j) = (place(wanted[0].0)?, place(wanted[1].0)?);
    let (found, weight) = pair(&list[i], &list[j]);
    (found == *wanted).then_some((i, j, weight))
}
