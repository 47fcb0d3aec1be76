//! Splitting a program in two: what depends on some inputs alone is computed once.

use crate::builder::{Builder, Value};
use crate::listing::Operand;
use crate::program::Program;

/// A program in two parts: `once` takes the inputs that stay the same and gives the values `each` wants of them.
#[derive(Clone, Debug)]
pub struct Hoisted {
    /// From the constant inputs to the values the other part needs.
    pub once: Program,
    /// From the varying inputs, followed by those values, to the outputs.
    pub each: Program,
}

impl Program {
    /// Splits off what does not depend on the first `varying` inputs. The two parts together do the operations of the
    /// whole, in the same order for each value: the bits are the same. O(length).
    ///
    /// ```
    /// use dalembert_tape::{Builder, Op};
    /// let mut tape = Builder::new(3); // x, m, g
    /// let (x, m, g) = (tape.input(0), tape.input(1), tape.input(2));
    /// let weight = tape.push(Op::Mul, &[m, g]);
    /// let energy = tape.push(Op::Mul, &[weight, x]);
    /// let hoisted = tape.finish(&[energy]).hoist(1);
    /// assert_eq!((hoisted.once.counts().total(), hoisted.each.counts().total()), (1, 1));
    /// ```
    #[must_use]
    pub fn hoist(&self, varying: usize) -> Hoisted {
        let listing = self.listing();
        let fixed = self.input_count() - varying;
        let is_fixed = |o: &Operand, known: &[bool]| match o {
            Operand::Input(k) => *k >= varying,
            Operand::Constant(_) => true,
            Operand::Statement(k) => known[*k],
        };
        let mut known: Vec<bool> = Vec::with_capacity(listing.statements.len());
        for s in &listing.statements {
            let all = s.operands.iter().all(|o| is_fixed(o, &known));
            known.push(all);
        }
        // What the varying part reads of the fixed one, in the order in which it meets it.
        let mut places: rustc_hash::FxHashMap<Key, usize> = rustc_hash::FxHashMap::default();
        let mut frontier: Vec<Key> = Vec::new();
        let mut meet = |o: &Operand| {
            if let Some(key) = Key::of(o)
                && is_fixed(o, &known)
            {
                places.entry(key).or_insert_with(|| {
                    frontier.push(key);
                    frontier.len() - 1
                });
            }
        };
        let varied = || listing.statements.iter().zip(&known).filter(|(_, known)| !**known);
        varied().for_each(|(s, _)| s.operands.iter().for_each(&mut meet));
        listing.outputs.iter().for_each(&mut meet);

        let mut once = Builder::new(fixed);
        let mut each = Builder::new(varying + frontier.len());
        let mut values: Vec<Value> = Vec::with_capacity(known.len());
        for (s, fixed) in listing.statements.iter().zip(&known) {
            let tape = if *fixed { &mut once } else { &mut each };
            let (operands, count) = s.operands.map(|o| match o {
                Operand::Constant(c) => tape.constant(c),
                Operand::Input(k) if *fixed => tape.input(k - varying),
                Operand::Statement(k) if *fixed || !known[k] => values[k],
                Operand::Input(k) if k < varying => tape.input(k),
                o => match Key::of(&o).and_then(|key| places.get(&key)) {
                    Some(place) => tape.input(varying + place),
                    None => tape.input(0),
                },
            });
            values.push(tape.push(s.op, &operands[..count]));
        }
        let wanted: Vec<Value> = frontier
            .iter()
            .map(|key| match key {
                Key::Input(k) => once.input(k - varying),
                Key::Statement(k) => values[*k],
            })
            .collect();
        let outputs: Vec<Value> = listing
            .outputs
            .iter()
            .map(|o| match (o, Key::of(o).and_then(|key| places.get(&key))) {
                (_, Some(place)) => each.input(varying + place),
                (Operand::Constant(c), _) => each.constant(*c),
                (Operand::Input(k), _) => each.input(*k),
                (Operand::Statement(k), _) => values[*k],
            })
            .collect();
        Hoisted { once: once.finish(&wanted), each: each.finish(&outputs) }
    }
}

/// A value that one part may hand to the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Input(usize),
    Statement(usize),
}

impl Key {
    fn of(operand: &Operand) -> Option<Self> {
        match operand {
            Operand::Input(k) => Some(Key::Input(*k)),
            Operand::Statement(k) => Some(Key::Statement(*k)),
            Operand::Constant(_) => None,
        }
    }
}
