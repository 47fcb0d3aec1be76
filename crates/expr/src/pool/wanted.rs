//! Where symbols stand in a list: most lists are short.

use crate::pool::Symbol;
use rustc_hash::FxHashMap;

/// Lists up to this length are searched, longer ones hashed.
const SHORT: usize = 8;

/// The place of each of some symbols in a list; the last one of a symbol that stands there twice.
pub(crate) enum Wanted<'s> {
    Few(&'s [Symbol]),
    Many(FxHashMap<Symbol, usize>),
}

impl<'s> Wanted<'s> {
    pub fn new(symbols: &'s [Symbol]) -> Self {
        if symbols.len() <= SHORT {
            return Wanted::Few(symbols);
        }
        Wanted::Many(symbols.iter().enumerate().map(|(i, s)| (*s, i)).collect())
    }

    pub fn place(&self, symbol: Symbol) -> Option<usize> {
        match self {
            Wanted::Few(list) => list.iter().rposition(|s| *s == symbol),
            Wanted::Many(places) => places.get(&symbol).copied(),
        }
    }
}
