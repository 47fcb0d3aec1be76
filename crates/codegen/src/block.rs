//! Tapes as statements, and the numbers of a model by name.

use dalembert_tape::{Listing, Operand, Program, Statement};
use std::ops::Range;

/// A number of the model: its name there and its unit, as far as known.
pub struct Item {
    pub name: String,
    pub unit: Option<String>,
}

/// One tape: statements, and where the outputs go.
pub struct Block {
    pub listing: Listing,
    /// Array and index of each output.
    pub places: Vec<(usize, usize)>,
    /// Inputs behind those of the model: changes of these of its inputs, and where they begin.
    pub changes: (usize, Vec<usize>),
    /// Whether inputs are read where they are first used, not at the beginning.
    pub late: bool,
}

impl Block {
    pub fn new(listing: Listing, places: Vec<(usize, usize)>) -> Self {
        Block { listing, places, changes: (usize::MAX, Vec::new()), late: false }
    }

    /// How the outputs of a program change along a change of its inputs from the first to before the last.
    pub fn along(program: &Program, places: Vec<(usize, usize)>, inputs: Range<usize>) -> Self {
        let base = program.input_count();
        let varying: Vec<bool> = (0..base).map(|k| inputs.contains(&k)).collect();
        let mut listing = program.forward(&varying, 1).listing();
        listing.outputs.drain(..places.len());
        Block { listing, places, changes: (base, (0..base).filter(|k| varying[*k]).collect()), late: false }
    }

    /// The statements in an order that keeps few values waiting, which compilers follow: what an output needs, depth
    /// first, and at once whatever lets a value go. Statements that no output needs are left out.
    #[must_use]
    pub fn ordered(mut self) -> Self {
        let statements = &self.listing.statements;
        let made = |o: &Operand| if let Operand::Statement(k) = o { Some(*k) } else { None };
        let needed = self.needed();
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); statements.len()];
        let mut waiting_for = vec![0usize; statements.len()];
        for (k, s) in statements.iter().enumerate().filter(|(k, _)| needed[*k]) {
            for o in s.operands.iter().filter_map(made) {
                users[o].push(k);
                waiting_for[o] += 1;
            }
        }
        let mut height = vec![0usize; statements.len()];
        for (k, s) in statements.iter().enumerate() {
            height[k] = s.operands.iter().filter_map(made).map(|o| height[o] + 1).max().unwrap_or(0);
        }
        let mut place = vec![usize::MAX; statements.len()];
        let mut order: Vec<usize> = Vec::with_capacity(statements.len());
        // What is to be made, and whether only if that lets a value go.
        let mut open: Vec<(usize, bool)> =
            self.listing.outputs.iter().rev().filter_map(made).map(|k| (k, false)).collect();
        while let Some((k, only_if)) = open.pop() {
            let operands = || statements[k].operands.iter().filter_map(made);
            let mut missing = operands().filter(|o| place[*o] == usize::MAX).peekable();
            if place[k] != usize::MAX
                || only_if && (missing.peek().is_some() || operands().all(|o| waiting_for[o] > 1))
            {
                continue;
            }
            if missing.peek().is_some() {
                open.push((k, false));
                let before = open.len();
                open.extend(missing.map(|o| (o, false)));
                open[before..].reverse();
                open[before..].sort_by_key(|(o, _)| height[*o]);
                continue;
            }
            place[k] = order.len();
            order.push(k);
            for o in operands() {
                waiting_for[o] -= 1;
            }
            open.extend(users[k].iter().rev().map(|u| (*u, true)));
        }
        let moved = |o: &Operand| made(o).map_or(*o, |k| Operand::Statement(place[k]));
        let listing = &self.listing;
        let reordered = order.iter().map(|k| {
            let operands: Vec<Operand> = listing.statements[*k].operands.iter().map(moved).collect();
            Statement { op: listing.statements[*k].op, operands: operands[..].into() }
        });
        let statements = reordered.collect();
        self.listing.outputs = listing.outputs.iter().map(moved).collect();
        self.listing.statements = statements;
        self.late = true;
        self
    }

    /// The statements that the outputs need.
    pub fn needed(&self) -> Vec<bool> {
        let mut needed = vec![false; self.listing.statements.len()];
        let mark = |o: &Operand, needed: &mut Vec<bool>| {
            if let Operand::Statement(k) = o {
                needed[*k] = true;
            }
        };
        self.listing.outputs.iter().for_each(|o| mark(o, &mut needed));
        for (k, s) in self.listing.statements.iter().enumerate().rev() {
            if needed[k] {
                s.operands.iter().for_each(|o| mark(o, &mut needed));
            }
        }
        needed
    }
}

/// Which outputs of a listing read inputs before this one alone.
pub fn readable_outputs(listing: &Listing, known: usize) -> Vec<bool> {
    let mut good: Vec<bool> = Vec::with_capacity(listing.statements.len());
    let readable = |o: &Operand, good: &[bool]| match o {
        Operand::Input(i) => *i < known,
        Operand::Constant(_) => true,
        Operand::Statement(k) => good[*k],
    };
    for s in &listing.statements {
        good.push(s.operands.iter().all(|o| readable(o, &good)));
    }
    listing.outputs.iter().map(|o| readable(o, &good)).collect()
}
