//! How the names of a model are spelt in LaTeX: no two alike, and the same in every formula and every table.

use crate::system::System;
use dalembert_expr::{Expr, Format, Pool, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

/// Spellings of names. What the model declares comes first, so that a formula cannot change it.
#[derive(Clone, Debug, Default)]
pub struct Notation {
    spelt: FxHashMap<String, String>,
    taken: FxHashSet<String>,
}

impl Notation {
    /// That of all names a model declares.
    pub fn of(system: &System) -> Notation {
        let mut symbols: Vec<Symbol> = vec![system.time];
        symbols.extend(system.parameters.iter().map(|p| p.symbol));
        symbols.extend(system.frame.coordinates.iter().flat_map(|c| [c.symbol, c.rate, c.acceleration]));
        symbols.extend(system.frame.speeds.iter().flat_map(|s| [s.symbol, s.acceleration]));
        symbols.sort();
        symbols.dedup();
        let mut notation = Notation::default();
        for symbol in symbols {
            notation.spell(system.pool.name(symbol));
        }
        notation
    }

    /// The spelling of a name, new or known: its own, or the name as it is written where its own is taken.
    pub fn spell(&mut self, name: &str) -> String {
        if let Some(known) = self.spelt.get(name) {
            return known.clone();
        }
        let mut spelling = self.rate(name).unwrap_or_else(|| Format::Latex.name(name));
        if self.taken.contains(&spelling) {
            spelling = format!("\\mathtt{{{}}}", name.replace('_', "\\_"));
        }
        self.taken.insert(spelling.clone());
        self.spelt.insert(name.to_owned(), spelling.clone());
        spelling
    }

    /// The rate of a name that had to give way: dots over its new spelling.
    fn rate(&self, name: &str) -> Option<String> {
        let stem = name.trim_end_matches('\'');
        let spelling = self.spelt.get(stem).filter(|spelling| **spelling != Format::Latex.name(stem))?;
        match name.len() - stem.len() {
            1 => Some(format!("\\dot{{{spelling}}}")),
            2 => Some(format!("\\ddot{{{spelling}}}")),
            _ => None,
        }
    }

    /// The spelling of a name of the model.
    pub fn name(&self, name: &str) -> String {
        self.spelt.get(name).cloned().unwrap_or_else(|| Format::Latex.name(name))
    }

    /// An expression over names of the model.
    pub fn print(&self, pool: &mut Pool, e: Expr) -> String {
        pool.print_with(e, Format::Latex, &|name| self.name(name))
    }
}

/// A matrix or vector of the general equations: upright and bold, so that no name of a model looks like it. Words stay words.
pub(crate) fn bold(name: &str) -> String {
    if let Some(letter) = name.strip_suffix("^+") {
        return format!("{}^{{+}}", bold(letter));
    }
    if let Some(letter) = name.strip_suffix('*') {
        return format!("{}^{{*}}", bold(letter));
    }
    match name.split_once('_') {
        None if name.len() == 1 => format!("\\mathbf{{{name}}}"),
        Some((letter, index)) if letter.len() == 1 => format!("\\mathbf{{{letter}}}_{{{index}}}"),
        _ => Format::Latex.name(name),
    }
}
