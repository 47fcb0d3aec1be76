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
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::hash::{Hash, Hasher};

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

/// A part with its coefficient in a sum; in a product all coefficients are one.
type Entry = (usize, Coefficient);
type List = Vec<Entry>;

/// The lists of some expressions, with what they share as parts of their own.
#[derive(Default)]
pub(crate) struct SharedParts {
    pub parts: Vec<Part>,
    lists: FxHashMap<(Expr, Side), Vec<(usize, Rational)>>,
}

impl SharedParts {
    /// What sums and products among `nodes` share.
    pub fn find(pool: &Pool, nodes: &[Expr]) -> Self {
        let mut found = SharedParts::default();
        let mut known = FxHashMap::default();
        let mut coefficients = Coefficients::default();
        let one = coefficients.add(Rational::ONE);
        let mut lists = Vec::new();
        for &n in nodes {
            match pool.node(n) {
                Node::Sum(_, terms) if within(terms.len()) => {
                    let entry = |(e, c): &(Expr, Rational)| {
                        (found.part(&mut known, Part::Term(*e)), coefficients.add(c.clone()))
                    };
                    lists.push(((n, Side::Terms), terms.iter().map(entry).collect()));
                }
                Node::Product(factors) if within(factors.len()) => {
                    for side in [Side::Above, Side::Below] {
                        let here = factors.iter().filter(|(_, p)| p.is_negative() == (side == Side::Below));
                        let entry = |(e, p): &(Expr, Rational)| {
                            (found.part(&mut known, Part::Power(*e, p.abs())), one)
                        };
                        lists.push(((n, side), here.map(entry).collect::<List>()));
                    }
                }
                _ => {}
            }
        }
        let constant = constants(pool, nodes, &found.parts);
        let mut fixed = FxHashMap::default();
        for (_, list) in &mut lists {
            found.gather(list, &constant, &mut coefficients, &mut fixed);
        }
        let pairs: usize = lists.iter().map(|(_, list)| list.len() * list.len().saturating_sub(1) / 2).sum();
        if pairs <= MAX_PAIRS {
            Pairs::new(&lists, &mut coefficients).merge(&mut lists, &mut coefficients, &mut found.parts);
            let exact = |(part, c): (usize, Coefficient)| (part, coefficients.exact(c).clone());
            found
                .lists
                .extend(lists.into_iter().map(|(of, list)| (of, list.into_iter().map(exact).collect())));
        }
        found
    }

    /// The parts of one list of an expression; `None` where it is too long to be looked at, or has nothing to share.
    pub fn of(&self, expr: Expr, side: Side) -> Option<&[(usize, Rational)]> {
        self.lists.get(&(expr, side)).map(Vec::as_slice)
    }

    /// Puts the entries of a list that do not change together into one.
    fn gather(
        &mut self,
        list: &mut List,
        constant: &[bool],
        coefficients: &mut Coefficients,
        known: &mut FxHashMap<Pair, usize>,
    ) {
        let is_fixed = |(part, _): &Entry| constant[*part];
        if list.iter().filter(|entry| is_fixed(entry)).count() < 2 || list.iter().all(is_fixed) {
            return;
        }
        let (fixed, mut rest): (List, List) = list.drain(..).partition(is_fixed);
        let whole = fixed.into_iter().reduce(|a, b| {
            let (pair, weight) = coefficients.pair(a, b);
            let made = *known.entry(pair).or_insert_with(|| {
                self.parts.push(together(&self.parts, pair, coefficients));
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

/// A coefficient by its number in [`Coefficients`], with its value, which decides nearly every question asked of it:
/// exact numbers of models with measured decimals are long.
#[derive(Clone, Copy, Debug)]
struct Coefficient {
    number: u32,
    value: f64,
}

impl PartialEq for Coefficient {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Coefficient {}

impl Hash for Coefficient {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

impl PartialOrd for Coefficient {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Coefficient {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.total_cmp(&other.value).then(self.number.cmp(&other.number))
    }
}

/// The different coefficients of all lists.
#[derive(Default)]
struct Coefficients {
    exact: Vec<Rational>,
    known: FxHashMap<Rational, Coefficient>,
    /// The negative of each coefficient, once it was asked for.
    negatives: Vec<Option<Coefficient>>,
    /// Quotients that may be whole, by the numbers of numerator and denominator.
    quotients: FxHashMap<(u32, u32), Option<Coefficient>>,
}

impl Coefficients {
    fn add(&mut self, exact: Rational) -> Coefficient {
        if let Some(&known) = self.known.get(&exact) {
            return known;
        }
        let new = Coefficient { number: self.exact.len() as u32, value: exact.to_f64() };
        self.known.insert(exact.clone(), new);
        self.exact.push(exact);
        self.negatives.push(None);
        new
    }

    fn exact(&self, c: Coefficient) -> &Rational {
        &self.exact[c.number as usize]
    }

    fn negative(&mut self, c: Coefficient) -> Coefficient {
        if let Some(known) = self.negatives[c.number as usize] {
            return known;
        }
        let negative = self.add(-self.exact(c));
        self.negatives[c.number as usize] = Some(negative);
        negative
    }

    /// n / d where that is a whole number.
    fn quotient(&mut self, n: Coefficient, d: Coefficient) -> Option<Coefficient> {
        let near = n.value / d.value;
        // Both values are rounded once: what is whole is as near to a whole number as this while it is below 1e9.
        if near.abs() < 1e9 && (near - near.round()).abs() > 1e-6 {
            return None;
        }
        if let Some(&known) = self.quotients.get(&(n.number, d.number)) {
            return known;
        }
        let exact = self.exact(d).recip().map(|r| self.exact(n) * &r).filter(Rational::is_integer);
        let whole = exact.map(|q| self.add(q));
        self.quotients.insert((n.number, d.number), whole);
        whole
    }

    /// The pair of two entries and the factor by which it stands there. Multiples of one pair are one pair where the quotient
    /// of the coefficients is whole, so that no coefficient is rounded that was exact.
    fn pair(&mut self, a: Entry, b: Entry) -> (Pair, Coefficient) {
        let (a, b) = if a.0 < b.0 { (a, b) } else { (b, a) };
        let one = self.add(Rational::ONE);
        let (ca, cb, weight) = if let Some(q) = self.quotient(b.1, a.1) {
            (one, q, a.1)
        } else if let Some(q) = self.quotient(a.1, b.1) {
            (q, one, b.1)
        } else if a.1.value < 0.0 {
            (self.negative(a.1), self.negative(b.1), self.negative(one))
        } else {
            (a.1, b.1, one)
        };
        ([(a.0, ca), (b.0, cb)], weight)
    }

    /// Where the two entries of a pair stand in a list that holds it, and its factor there.
    fn places(&mut self, list: &List, wanted: &Pair) -> Option<(usize, usize, Coefficient)> {
        let place = |part: usize| list.iter().position(|entry| entry.0 == part);
        let (i, j) = (place(wanted[0].0)?, place(wanted[1].0)?);
        let (found, weight) = self.pair(list[i], list[j]);
        (found == *wanted).then_some((i, j, weight))
    }
}

/// Two parts, the older first, with their coefficients.
type Pair = [Entry; 2];

/// Which lists hold each pair.
struct Pairs {
    lists: FxHashMap<Pair, Vec<usize>>,
    /// Pairs with how many lists hold them, which may be out of date; the most frequent and then the oldest come first.
    queue: BinaryHeap<(usize, Reverse<Pair>)>,
}

impl Pairs {
    fn new(lists: &[((Expr, Side), List)], coefficients: &mut Coefficients) -> Self {
        let mut pairs = Pairs { lists: FxHashMap::default(), queue: BinaryHeap::new() };
        for (k, (_, list)) in lists.iter().enumerate() {
            for (i, a) in list.iter().enumerate() {
                for b in &list[i + 1..] {
                    pairs.lists.entry(coefficients.pair(*a, *b).0).or_default().push(k);
                }
            }
        }
        pairs.lists.retain(|_, lists| lists.len() > 1);
        pairs.queue = pairs.lists.iter().map(|(pair, lists)| (lists.len(), Reverse(*pair))).collect();
        pairs
    }

    /// Makes each pair that several lists hold one entry of them, the most frequent first.
    fn merge(
        mut self,
        lists: &mut [((Expr, Side), List)],
        coefficients: &mut Coefficients,
        parts: &mut Vec<Part>,
    ) {
        while let Some((count, Reverse(next))) = self.queue.pop() {
            let mut holders = self.lists.remove(&next).unwrap_or_default();
            holders.retain(|&k| coefficients.places(&lists[k].1, &next).is_some());
            if holders.len() < 2 {
                continue;
            }
            if holders.len() < count {
                self.queue.push((holders.len(), Reverse(next)));
                self.lists.insert(next, holders);
                continue;
            }
            let made = parts.len();
            let mut touched = Vec::new();
            for k in holders {
                let list = &mut lists[k].1;
                let Some((i, j, weight)) = coefficients.places(list, &next) else { continue };
                list.remove(i.max(j));
                list.remove(i.min(j));
                let entry = (made, weight);
                for other in list.iter() {
                    let pair = coefficients.pair(*other, entry).0;
                    let holders = self.lists.entry(pair).or_default();
                    holders.push(k);
                    if holders.len() == 2 {
                        touched.push(pair);
                    }
                }
                list.push(entry);
            }
            self.queue.extend(touched.into_iter().map(|pair| (self.lists[&pair].len(), Reverse(pair))));
            parts.push(together(parts, next, coefficients));
        }
    }
}

/// Two parts of sums, or of products, as one.
fn together(parts: &[Part], pair: Pair, coefficients: &Coefficients) -> Part {
    match parts[pair[0].0] {
        Part::Power(..) | Part::Product(_) => Part::Product([pair[0].0, pair[1].0]),
        Part::Term(_) | Part::Sum(_) => {
            Part::Sum(pair.map(|(part, c)| (part, coefficients.exact(c).clone())))
        }
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
