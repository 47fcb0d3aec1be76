//! The pool: every expression exists once, and children are older than their parents.
//!
//! That last fact carries all algorithms here: a pass over the nodes reachable from some roots in
//! ascending order meets children first, in descending order parents first. Nothing recurses, so no
//! depth of nesting can exhaust the stack.

pub(crate) mod draft;
mod effort;
mod names;
mod order;
pub(crate) mod wanted;

use crate::function::Function;
use crate::rational::Rational;
use dalembert_tape::Lookup;
use draft::{Draft, spread};
use effort::{Effort, INTERNED};
use hashbrown::HashTable;
use names::Names;
use order::Scratch;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// An expression in a [`Pool`]: equal handles are equal expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expr(pub(crate) u32);

/// A named unknown in a [`Pool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub(crate) u32);

impl Symbol {
    /// Its number among the symbols of the pool, in the order of their declaration: for tables by symbol.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A factor or exponent list entry: an expression with a rational attached.
pub type Weighted = (Expr, Rational);

/// What an expression is made of. The constructors of [`Pool`] keep these forms canonical.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// An exact number.
    Number(Rational),
    /// The number pi.
    Pi,
    /// An unknown.
    Symbol(Symbol),
    /// `constant + sum of coefficient * term`; no term is a number or a sum, each stands once.
    /// `c * e` is such a sum with one term.
    Sum(Rational, Box<[Weighted]>),
    /// Product of `base ^ exponent` without numeric coefficient; each base stands once.
    Product(Box<[Weighted]>),
    /// A power whose exponent is not a number.
    Power(Expr, Expr),
    /// A function of its arguments.
    Call(Function, Box<[Expr]>),
}

/// A pool holds at most this many list entries and nodes together (a few hundred megabytes);
/// past it, [`Pool::exhausted`] tells and results mean nothing.
pub const MAX_WEIGHT: usize = 12_000_000;

/// Exact numbers may have this many bits; longer ones count as an exhausted pool.
pub const MAX_NUMBER_BITS: u64 = 1 << 16;

/// The home of expressions.
///
/// ```
/// use dalembert_expr::Pool;
/// let mut pool = Pool::new();
/// let (x, y) = (pool.named("x"), pool.named("y"));
/// let a = pool.add(x, y);
/// let b = pool.add(y, x);
/// assert_eq!(a, b);                         // one expression, one handle
/// let d = pool.sub(a, b);
/// assert_eq!(pool.text(d), "0");
/// ```
#[derive(Clone)]
pub struct Pool {
    nodes: Vec<Node>,
    /// For each node a 64-bit filter of the symbols in it: a clear bit proves absence.
    symbols_in: Vec<u64>,
    /// Hash and number of each node.
    table: HashTable<(u32, u32)>,
    names: Names,
    /// The expression of each symbol by its number, 0 where there is none yet.
    variables: Vec<Expr>,
    weight: usize,
    /// Whether each symbol, by its number, stays as it is while programs run.
    pub(crate) constant: Vec<bool>,
    /// Whether each symbol, by its number, is an acceleration: terms with one come first in a printed sum.
    pub(crate) leading: Vec<bool>,
    /// Work done so far, and how much of it tidying may do.
    effort: Effort,
    /// What [`Pool::simplify`] makes of a node, once it is known.
    pub(crate) simplified: FxHashMap<Expr, Expr>,
    /// What [`Pool::tidy`] makes of an expression as long as work is allowed, and the work it took.
    pub(crate) tidied: FxHashMap<Expr, (Expr, u64)>,
    pub(crate) scratches: Vec<Scratch>,
    /// Empty lists, kept for their room.
    lists: Vec<Vec<Weighted>>,
    pub(crate) derivatives: FxHashMap<Symbol, FxHashMap<Expr, Expr>>,
    /// What expressions look up.
    pub(crate) lookups: Vec<Arc<Lookup>>,
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl Pool {
    /// The number 0, in every pool.
    pub const ZERO: Expr = Expr(0);
    /// The number 1, in every pool.
    pub const ONE: Expr = Expr(1);

    /// Tells which symbols stay as they are while programs run, parameters: what depends on them alone is computed apart
    /// from the rest, so that it can be computed once ([`dalembert_tape::Program`]).
    pub fn set_constants(&mut self, symbols: &[Symbol]) {
        for symbol in symbols {
            if symbol.index() >= self.constant.len() {
                self.constant.resize(symbol.index() + 1, false);
            }
            self.constant[symbol.index()] = true;
        }
    }

    /// Terms with these symbols come first in printed sums: accelerations.
    pub fn lead_with(&mut self, symbols: &[Symbol]) {
        for symbol in symbols {
            if symbol.index() >= self.leading.len() {
                self.leading.resize(symbol.index() + 1, false);
            }
            self.leading[symbol.index()] = true;
        }
    }

    pub(crate) fn is_leading(&self, s: Symbol) -> bool {
        self.leading.get(s.index()).copied().unwrap_or(false)
    }

    pub(crate) fn is_constant(&self, s: Symbol) -> bool {
        self.constant.get(s.index()).copied().unwrap_or(false)
    }

    /// An empty pool.
    #[must_use]
    pub fn new() -> Self {
        let mut pool = Pool {
            nodes: Vec::new(),
            symbols_in: Vec::new(),
            table: HashTable::new(),
            names: Names::default(),
            variables: Vec::new(),
            weight: 0,
            constant: Vec::new(),
            leading: Vec::new(),
            effort: Effort::default(),
            simplified: FxHashMap::default(),
            tidied: FxHashMap::default(),
            scratches: Vec::new(),
            lists: Vec::new(),
            derivatives: FxHashMap::default(),
            lookups: Vec::new(),
        };
        pool.intern(Draft::Number(&Rational::ZERO));
        pool.intern(Draft::Number(&Rational::ONE));
        pool
    }

    /// What `e` is made of.
    #[must_use]
    pub fn node(&self, e: Expr) -> &Node {
        &self.nodes[e.0 as usize]
    }

    /// How many different expressions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: 0 and 1 are always there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Has the pool reached [`MAX_WEIGHT`]? Then what it returned since is meaningless.
    #[must_use]
    pub fn exhausted(&self) -> bool {
        self.weight > MAX_WEIGHT
    }

    /// Storage used so far, in list entries.
    pub(crate) fn weight(&self) -> usize {
        self.weight
    }

    /// The symbol of that name.
    pub fn symbol(&mut self, name: &str) -> Symbol {
        Symbol(self.names.intern(name))
    }

    /// The name of a symbol.
    #[must_use]
    pub fn name(&self, symbol: Symbol) -> &str {
        self.names.get(symbol.0)
    }

    /// The expression that is just this symbol.
    pub fn var(&mut self, symbol: Symbol) -> Expr {
        match self.variables.get(symbol.index()) {
            Some(&e) if e != Self::ZERO => e,
            _ => self.new_variable(symbol),
        }
    }

    fn new_variable(&mut self, symbol: Symbol) -> Expr {
        let e = self.intern(Draft::Symbol(symbol));
        if symbol.index() >= self.variables.len() {
            self.variables.resize(symbol.index() + 1, Self::ZERO);
        }
        self.variables[symbol.index()] = e;
        e
    }

    /// The expression that is just the symbol of that name.
    pub fn named(&mut self, name: &str) -> Expr {
        let symbol = self.symbol(name);
        self.var(symbol)
    }

    /// The number it is, if it is one.
    #[must_use]
    pub fn as_number(&self, e: Expr) -> Option<&Rational> {
        match self.node(e) {
            Node::Number(r) => Some(r),
            _ => None,
        }
    }

    /// The symbol it is, if it is one.
    #[must_use]
    pub fn as_symbol(&self, e: Expr) -> Option<Symbol> {
        match self.node(e) {
            Node::Symbol(s) => Some(*s),
            _ => None,
        }
    }

    /// The expression of a node; equal ones are made once.
    pub(crate) fn intern(&mut self, draft: Draft<'_>) -> Expr {
        self.effort.spend(INTERNED);
        let (hash, nodes) = (draft.hash(), &self.nodes);
        let same = |&(h, id): &(u32, u32)| h == hash && nodes[id as usize].draft() == draft;
        if let Some(&(_, id)) = self.table.find(spread(hash), same) {
            return Expr(id);
        }
        let (size, mask) = self.measure(draft);
        self.weight += size;
        if self.exhausted() {
            return Self::ZERO; // poison: exhausted() stays true, the caller reports it
        }
        let id = self.nodes.len() as u32;
        self.nodes.push(draft.to_node());
        self.symbols_in.push(mask);
        self.table.insert_unique(spread(hash), (hash, id), |&(h, _)| spread(h));
        Expr(id)
    }

    /// An empty list; [`Pool::keep`] takes it back, so that constructing allocates little.
    pub(crate) fn list(&mut self) -> Vec<Weighted> {
        self.lists.pop().unwrap_or_default()
    }

    pub(crate) fn keep(&mut self, mut list: Vec<Weighted>) {
        list.clear();
        self.lists.push(list);
    }

    /// Storage a node takes, in list entries, and the filter of its symbols.
    fn measure(&self, draft: Draft<'_>) -> (usize, u64) {
        let of = |e: &Expr| self.symbols_in[e.0 as usize];
        let all = |list: &[Weighted]| (2 + list.len(), list.iter().fold(0, |m, (e, _)| m | of(e)));
        match draft {
            // A number of tens of thousands of digits is not a quantity: it ends the pool.
            Draft::Number(r) if r.bits() > MAX_NUMBER_BITS => (MAX_WEIGHT, 0),
            Draft::Number(_) | Draft::Pi => (2, 0),
            Draft::Symbol(s) => (2, Self::filter(s)),
            Draft::Sum(_, list) | Draft::Product(list) => all(list),
            Draft::Power(base, exponent) => (2, of(&base) | of(&exponent)),
            Draft::Call(_, args) => (2 + args.len(), args.iter().fold(0, |m, e| m | of(e))),
        }
    }

    fn filter(symbol: Symbol) -> u64 {
        1 << (symbol.0 % 64)
    }

    /// The union of the filters of some symbols.
    pub(crate) fn filter_of(symbols: impl IntoIterator<Item = Symbol>) -> u64 {
        symbols.into_iter().fold(0, |mask, s| mask | Self::filter(s))
    }

    pub(crate) fn may_contain(&self, e: Expr, filter: u64) -> bool {
        self.symbols_in[e.0 as usize] & filter != 0
    }
}

impl Node {
    /// Calls `visit` with each expression it is directly made of.
    pub fn for_each_child(&self, mut visit: impl FnMut(Expr)) {
        match self {
            Node::Number(_) | Node::Pi | Node::Symbol(_) => {}
            Node::Sum(_, list) | Node::Product(list) => list.iter().for_each(|(e, _)| visit(*e)),
            Node::Power(base, exponent) => {
                visit(*base);
                visit(*exponent);
            }
            Node::Call(_, args) => args.iter().for_each(|e| visit(*e)),
        }
    }
}
