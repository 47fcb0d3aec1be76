//! The pool: every expression exists once, and children are older than their parents.
//!
//! That last fact carries all algorithms here: a pass over the nodes reachable from some roots in
//! ascending order meets children first, in descending order parents first. Nothing recurses, so no
//! depth of nesting can exhaust the stack.

use crate::function::Function;
use crate::rational::Rational;
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::hash::BuildHasher;

/// An expression in a [`Pool`]: equal handles are equal expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expr(pub(crate) u32);

/// A named unknown in a [`Pool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub(crate) u32);

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
    /// A power whose exponent is no number.
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
    table: HashTable<u32>,
    names: Vec<String>,
    by_name: FxHashMap<String, Symbol>,
    weight: usize,
    scratches: Vec<Scratch>,
    pub(crate) derivatives: FxHashMap<Symbol, FxHashMap<Expr, Expr>>,
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

    /// An empty pool.
    #[must_use]
    pub fn new() -> Self {
        let mut pool = Pool {
            nodes: Vec::new(),
            symbols_in: Vec::new(),
            table: HashTable::new(),
            names: Vec::new(),
            by_name: FxHashMap::default(),
            weight: 0,
            scratches: Vec::new(),
            derivatives: FxHashMap::default(),
        };
        pool.intern(Node::Number(Rational::ZERO));
        pool.intern(Node::Number(Rational::ONE));
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
        if let Some(&symbol) = self.by_name.get(name) {
            return symbol;
        }
        let symbol = Symbol(self.names.len() as u32);
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), symbol);
        symbol
    }

    /// The name of a symbol.
    #[must_use]
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }

    /// The expression that is just this symbol.
    pub fn var(&mut self, symbol: Symbol) -> Expr {
        self.intern(Node::Symbol(symbol))
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

    pub(crate) fn intern(&mut self, node: Node) -> Expr {
        let hash = FxBuildHasher.hash_one(&node);
        let nodes = &self.nodes;
        if let Some(&id) = self.table.find(hash, |&id| nodes[id as usize] == node) {
            return Expr(id);
        }
        let (size, mask) = self.measure(&node);
        self.weight += size;
        if self.exhausted() {
            return Self::ZERO; // poison: exhausted() stays true, the caller reports it
        }
        let id = self.nodes.len() as u32;
        self.nodes.push(node);
        self.symbols_in.push(mask);
        let nodes = &self.nodes;
        self.table.insert_unique(hash, id, |&id| FxBuildHasher.hash_one(&nodes[id as usize]));
        Expr(id)
    }

    /// Storage a node takes, in list entries, and the filter of its symbols.
    fn measure(&self, node: &Node) -> (usize, u64) {
        let of = |e: &Expr| self.symbols_in[e.0 as usize];
        let all = |list: &[Weighted]| (2 + list.len(), list.iter().fold(0, |m, (e, _)| m | of(e)));
        match node {
            // A number of tens of thousands of digits is no quantity: it ends the pool.
            Node::Number(r) if r.bits() > MAX_NUMBER_BITS => (MAX_WEIGHT, 0),
            Node::Number(_) | Node::Pi => (2, 0),
            Node::Symbol(s) => (2, Self::filter(*s)),
            Node::Sum(_, list) | Node::Product(list) => all(list),
            Node::Power(base, exponent) => (2, of(base) | of(exponent)),
            Node::Call(_, args) => (2 + args.len(), args.iter().fold(0, |m, e| m | of(e))),
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

    /// Does any of the symbols occur in `e`? Exact; O(size of `e` and number of symbols).
    pub fn depends_on(&mut self, e: Expr, symbols: &[Symbol]) -> bool {
        let filter = Self::filter_of(symbols.iter().copied());
        if !self.may_contain(e, filter) {
            return false;
        }
        let order = self.order(&[e], filter);
        let mut present = order.nodes.iter().filter_map(|&n| self.as_symbol(n));
        // Asked for many symbols at once, a list would be searched again for each one present.
        let found = if symbols.len() <= 8 {
            present.any(|s| symbols.contains(&s))
        } else {
            let asked: FxHashSet<Symbol> = symbols.iter().copied().collect();
            present.any(|s| asked.contains(&s))
        };
        self.release(order);
        found
    }

    /// The symbols in some expressions, in the order of their declaration.
    pub fn symbols(&mut self, roots: &[Expr]) -> Vec<Symbol> {
        let order = self.order(roots, u64::MAX);
        let mut found: Vec<Symbol> = order.nodes.iter().filter_map(|&n| self.as_symbol(n)).collect();
        self.release(order);
        found.sort();
        found
    }

    /// How many different subexpressions some expressions have together.
    pub fn size(&mut self, roots: &[Expr]) -> usize {
        let order = self.order(roots, 0);
        let n = order.nodes.len();
        self.release(order);
        n
    }

    /// Everything reachable from the roots, children first. With a nonzero `filter`, only nodes that
    /// may contain a symbol of it. O(nodes reached).
    pub(crate) fn order(&mut self, roots: &[Expr], filter: u64) -> Order {
        let mut scratch = self.scratches.pop().unwrap_or_default();
        scratch.begin(self.nodes.len());
        let mut nodes = Vec::new();
        let mut stack: Vec<Expr> = roots.to_vec();
        while let Some(e) = stack.pop() {
            let wanted = filter == 0 || self.may_contain(e, filter);
            if wanted && scratch.mark(e) {
                nodes.push(e);
                self.node(e).for_each_child(|c| stack.push(c));
            }
        }
        nodes.sort_unstable();
        for (i, e) in nodes.iter().enumerate() {
            scratch.slot[e.0 as usize] = i as u32;
        }
        Order { nodes, scratch }
    }

    pub(crate) fn release(&mut self, order: Order) {
        self.scratches.push(order.scratch);
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

/// Reachable nodes in ascending order, with the place of each.
pub(crate) struct Order {
    pub nodes: Vec<Expr>,
    scratch: Scratch,
}

impl Order {
    /// The place of `e` in `nodes`, if it is there.
    pub fn place(&self, e: Expr) -> Option<usize> {
        let i = e.0 as usize;
        (self.scratch.stamp.get(i) == Some(&self.scratch.epoch)).then(|| self.scratch.slot[i] as usize)
    }
}

/// Marks that are cleared by counting up, so that a pass costs what it visits.
#[derive(Clone, Default)]
struct Scratch {
    stamp: Vec<u32>,
    slot: Vec<u32>,
    epoch: u32,
}

impl Scratch {
    fn begin(&mut self, len: usize) {
        self.stamp.resize(len, 0);
        self.slot.resize(len, 0);
        self.epoch = self.epoch.checked_add(1).unwrap_or_else(|| {
            self.stamp.fill(0);
            1
        });
    }

    fn mark(&mut self, e: Expr) -> bool {
        let stamp = &mut self.stamp[e.0 as usize];
        std::mem::replace(stamp, self.epoch) != self.epoch
    }
}
