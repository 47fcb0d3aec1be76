//! Constraint rows of one shape are derived once: the members of a family differ in their coordinates only, so the
//! derivatives of the first become those of another when coordinates are exchanged, each with its rate. For systems whose
//! rates are speeds; then nothing but the row itself occurs in its derivatives.
//!
//! Exchanging takes one pass over the result, where deriving takes a forward pass, a backward pass and another forward pass.
//! Checked below against rows derived one by one.

use super::{Symbols, velocity_row};
use crate::kernel_form::Places;
use crate::system::ConstraintRow;
use dalembert_expr::{Derivation, Expr, Pool, Shape};
use rustc_hash::FxHashMap;

/// K5, K6 of one row: psi, the entries of A, b.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Derived {
    pub psi: Expr,
    pub entries: Vec<(usize, Expr)>,
    pub right: Expr,
}

/// Rows that have been derived, by shape.
pub(super) struct Families<'s> {
    symbols: &'s Symbols,
    speed: Places,
    /// Kind and number of each coordinate and rate, by symbol.
    blanks: Option<Vec<Option<(u8, usize)>>>,
    known: FxHashMap<(Shape, bool), (Vec<usize>, Derived)>,
}

impl<'s> Families<'s> {
    /// `plain` if the rate of each coordinate is the speed of that number.
    pub fn new(symbols: &'s Symbols, plain: bool) -> Self {
        let blanks = plain.then(|| blanks(symbols));
        Families { symbols, speed: Places::new(&symbols.eta), blanks, known: FxHashMap::default() }
    }

    /// A row, derived or copied.
    pub fn row(&mut self, pool: &mut Pool, row: &ConstraintRow, dot: &mut Derivation) -> Derived {
        let Some(blanks) = &self.blanks else { return self.derive(pool, row, dot) };
        let (shape, members) = pool.shape(row.residual, |s| blanks.get(s.index()).copied().flatten());
        let key = (shape, row.holonomic);
        if let Some((first, derived)) = self.known.get(&key) {
            return self.exchange(pool, derived, first, &members);
        }
        let derived = self.derive(pool, row, dot);
        self.known.insert(key, (members, derived.clone()));
        derived
    }

    fn derive(&self, pool: &mut Pool, row: &ConstraintRow, dot: &mut Derivation) -> Derived {
        let psi = if row.holonomic { dot.apply(pool, row.residual) } else { row.residual };
        let (entries, right) = velocity_row(pool, &self.speed, psi, dot);
        Derived { psi, entries, right }
    }

    /// Copies a derived member to other coordinates.
    fn exchange(&self, pool: &mut Pool, derived: &Derived, from: &[usize], to: &[usize]) -> Derived {
        let mut images = Vec::with_capacity(2 * from.len());
        for (&i, &j) in from.iter().zip(to) {
            images.push((self.symbols.x[i], pool.var(self.symbols.x[j])));
            images.push((self.symbols.eta[i], pool.var(self.symbols.eta[j])));
        }
        let mut roots = vec![derived.psi, derived.right];
        roots.extend(derived.entries.iter().map(|(_, e)| *e));
        let made = pool.substitute(&roots, &images);
        // A speed that a row has is that of a coordinate in it.
        let place = |p: usize| from.iter().position(|&i| i == p).map_or(p, |k| to[k]);
        let mut entries: Vec<(usize, Expr)> =
            derived.entries.iter().zip(&made[2..]).map(|((p, _), e)| (place(*p), *e)).collect();
        entries.sort_unstable_by_key(|(p, _)| *p);
        Derived { psi: made[0], entries, right: made[1] }
    }
}

/// Coordinates are of kind 0, their rates of kind 1.
fn blanks(symbols: &Symbols) -> Vec<Option<(u8, usize)>> {
    let all = || symbols.x.iter().chain(&symbols.eta);
    let mut blanks = vec![None; all().map(|s| s.index() + 1).max().unwrap_or(0)];
    for (kind, list) in [(0, &symbols.x), (1, &symbols.eta)] {
        list.iter().enumerate().for_each(|(i, s)| blanks[s.index()] = Some((kind, i)));
    }
    blanks
}
