//! Walks over what some expressions are made of: marks that are cleared by counting up, lists that are used again, so that
//! a walk costs what it visits.

use crate::pool::wanted::Wanted;
use crate::pool::{Expr, Pool, Symbol};

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

/// Numbers given to expressions as they are met.
pub(crate) struct Numbering {
    scratch: Scratch,
    count: u32,
}

impl Numbering {
    /// The number it was given before, or `None` where it is new and gets the next one.
    pub fn seen(&mut self, e: Expr) -> Option<u32> {
        let new = self.scratch.mark(e);
        let slot = &mut self.scratch.slot[e.0 as usize];
        if !new {
            return Some(*slot);
        }
        *slot = self.count;
        self.count += 1;
        None
    }
}

/// Marks and lists of a walk.
#[derive(Clone, Default)]
pub(crate) struct Scratch {
    stamp: Vec<u32>,
    slot: Vec<u32>,
    epoch: u32,
    /// Empty between walks; kept for their room.
    nodes: Vec<Expr>,
    stack: Vec<Expr>,
}

impl Scratch {
    fn begin(&mut self, len: usize) {
        self.stamp.resize(len, 0);
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

impl Pool {
    /// Everything reachable from the roots, children first. With a nonzero `filter`, only nodes that
    /// may contain a symbol of it. O(nodes reached).
    pub(crate) fn order(&mut self, roots: &[Expr], filter: u64) -> Order {
        let mut scratch = self.scratches.pop().unwrap_or_default();
        let mut nodes = std::mem::take(&mut scratch.nodes);
        self.walk(&mut scratch, roots, filter, |e| nodes.push(e));
        self.spend(nodes.len() as u64);
        nodes.sort_unstable();
        scratch.slot.resize(self.len(), 0);
        for (i, e) in nodes.iter().enumerate() {
            scratch.slot[e.0 as usize] = i as u32;
        }
        Order { nodes, scratch }
    }

    /// A number for each expression that is asked for, in the order in which they are first met.
    pub(crate) fn numbering(&mut self) -> Numbering {
        let mut scratch = self.scratches.pop().unwrap_or_default();
        scratch.begin(self.len());
        scratch.slot.resize(self.len(), 0);
        Numbering { scratch, count: 0 }
    }

    pub(crate) fn end(&mut self, numbering: Numbering) {
        self.scratches.push(numbering.scratch);
    }

    pub(crate) fn release(&mut self, order: Order) {
        let Order { mut nodes, mut scratch } = order;
        nodes.clear();
        scratch.nodes = nodes;
        self.scratches.push(scratch);
    }

    /// Visits each node reachable from the roots once, parents before children on every way.
    fn walk(&self, scratch: &mut Scratch, roots: &[Expr], filter: u64, mut visit: impl FnMut(Expr)) {
        scratch.begin(self.len());
        let mut stack = std::mem::take(&mut scratch.stack);
        stack.extend_from_slice(roots);
        while let Some(e) = stack.pop() {
            let wanted = filter == 0 || self.may_contain(e, filter);
            if wanted && scratch.mark(e) {
                visit(e);
                self.node(e).for_each_child(|c| stack.push(c));
            }
        }
        scratch.stack = stack;
    }

    /// The symbols in some expressions that the filter lets pass, in no order.
    fn symbols_by(&mut self, roots: &[Expr], filter: u64) -> Vec<Symbol> {
        let mut scratch = self.scratches.pop().unwrap_or_default();
        let mut found = Vec::new();
        self.walk(&mut scratch, roots, filter, |e| found.extend(self.as_symbol(e)));
        self.scratches.push(scratch);
        found
    }

    /// The symbols in some expressions, in the order of their declaration. O(size of the expressions).
    pub fn symbols(&mut self, roots: &[Expr]) -> Vec<Symbol> {
        let mut found = match roots {
            [e] if self.as_symbol(*e).is_some() => return self.as_symbol(*e).into_iter().collect(),
            _ => self.symbols_by(roots, u64::MAX),
        };
        found.sort_unstable();
        found
    }

    /// Does any of the symbols occur in `e`? Exact; O(size of `e` and number of symbols).
    pub fn depends_on(&mut self, e: Expr, symbols: &[Symbol]) -> bool {
        let filter = Self::filter_of(symbols.iter().copied());
        if !self.may_contain(e, filter) {
            return false;
        }
        let mut present = self.symbols_by(&[e], filter).into_iter();
        let asked = Wanted::new(symbols);
        present.any(|s| asked.place(s).is_some())
    }

    /// How many different subexpressions some expressions have together.
    pub fn size(&mut self, roots: &[Expr]) -> usize {
        let mut scratch = self.scratches.pop().unwrap_or_default();
        let mut n = 0;
        self.walk(&mut scratch, roots, 0, |_| n += 1);
        self.scratches.push(scratch);
        n
    }
}
