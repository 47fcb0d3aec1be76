//! Tapes as statements, and the numbers of a model by name.

use dalembert_tape::{Listing, Operand, Program};
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
}

impl Block {
    pub fn new(listing: Listing, places: Vec<(usize, usize)>) -> Self {
        Block { listing, places, changes: (usize::MAX, Vec::new()) }
    }

    /// How the outputs of a program change along a change of its inputs from the first to before the last.
    pub fn along(program: &Program, places: Vec<(usize, usize)>, inputs: Range<usize>) -> Self {
        let base = program.input_count();
        let varying: Vec<bool> = (0..base).map(|k| inputs.contains(&k)).collect();
        let mut listing = program.forward(&varying, 1).listing();
        listing.outputs.drain(..places.len());
        Block { listing, places, changes: (base, (0..base).filter(|k| varying[*k]).collect()) }
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
