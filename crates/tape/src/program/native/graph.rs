//! The operations of the machine as a graph: every value once, in an order in which it can be computed.

use crate::op::Op;
use rustc_hash::FxHashMap;

/// A value, by its place in the order.
pub(super) type Id = u32;

/// An operation on two values that the machine does in one instruction, lane by lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Two {
    Add,
    Sub,
    Mul,
    Div,
    And,
    Or,
    Xor,
    /// Sum of 64-bit integers.
    AddInteger,
    /// All bits where the comparison holds, none elsewhere.
    Compare(Predicate),
}

/// Comparisons by the number of their machine encoding; false on NaN unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Predicate {
    Equal = 0,
    Less = 1,
    LessEqual = 2,
    Unordered = 3,
    /// True on NaN.
    NotEqual = 4,
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Input(u32),
    /// Bits of a number.
    Constant(u64),
    Two(Two, Id, Id),
    Sqrt(Id),
    /// Bits shifted to the left.
    Shift(Id, u8),
    /// `yes` where the sign bit of `mask` is set, else `no`.
    Blend {
        mask: Id,
        no: Id,
        yes: Id,
    },
    /// c + a b, or c - a b, rounded once.
    Fused {
        minus: bool,
        a: Id,
        b: Id,
        c: Id,
    },
    /// A function of the library, with one or two operands.
    Call(Op, Id, Id),
    /// Two numbers in one register.
    Pair(Id, Id),
    /// The second number of a pair. The first is the pair itself, used as a number.
    Second(Id),
}

impl Node {
    /// What it is computed from.
    pub fn operands(self) -> impl Iterator<Item = Id> {
        let list = match self {
            Node::Input(_) | Node::Constant(_) => [None; 3],
            Node::Two(_, a, b) | Node::Call(_, a, b) | Node::Pair(a, b) => [Some(a), Some(b), None],
            Node::Sqrt(a) | Node::Shift(a, _) | Node::Second(a) => [Some(a), None, None],
            Node::Blend { mask, no, yes } => [Some(mask), Some(no), Some(yes)],
            Node::Fused { a, b, c, .. } => [Some(a), Some(b), Some(c)],
        };
        list.into_iter().flatten()
    }

    /// Whether it lies in memory before the code runs and need never be stored.
    pub fn is_given(self) -> bool {
        matches!(self, Node::Input(_) | Node::Constant(_))
    }
}

/// All values of a program.
#[derive(Default)]
pub(super) struct Graph {
    pub nodes: Vec<Node>,
    /// Where pairs are computed, beginning and end.
    pub paired: Vec<(Id, Id)>,
    constants: FxHashMap<u64, Id>,
    shared: FxHashMap<Node, Id>,
}

impl Graph {
    /// A value that is made once: what the tape has shared already is not looked for again.
    pub fn add(&mut self, node: Node) -> Id {
        self.nodes.push(node);
        self.nodes.len() as Id - 1
    }

    /// A value that may have been made before, in another operation of the tape.
    pub fn share(&mut self, node: Node) -> Id {
        let next = self.nodes.len() as Id;
        let id = *self.shared.entry(node).or_insert(next);
        if id == next {
            self.nodes.push(node);
        }
        id
    }

    pub fn number(&mut self, value: f64) -> Id {
        self.bits(value.to_bits())
    }

    pub fn bits(&mut self, bits: u64) -> Id {
        let next = self.nodes.len() as Id;
        let id = *self.constants.entry(bits).or_insert(next);
        if id == next {
            self.nodes.push(Node::Constant(bits));
        }
        id
    }

    pub fn two(&mut self, op: Two, a: Id, b: Id) -> Id {
        self.add(Node::Two(op, a, b))
    }

    /// c + a b.
    pub fn fused(&mut self, a: Id, b: Id, c: Id) -> Id {
        self.add(Node::Fused { minus: false, a, b, c })
    }

    /// c - a b.
    pub fn fused_minus(&mut self, a: Id, b: Id, c: Id) -> Id {
        self.add(Node::Fused { minus: true, a, b, c })
    }

    /// 1 where the mask is set, 0 elsewhere.
    pub fn truth(&mut self, mask: Id) -> Id {
        let one = self.number(1.0);
        self.share(Node::Two(Two::And, mask, one))
    }

    /// All bits where the number is not zero; of a truth, the mask it was made of.
    pub fn is_true(&mut self, value: Id) -> Id {
        let one = self.number(1.0);
        match self.nodes[value as usize] {
            Node::Two(Two::And, mask, o) if o == one => mask,
            _ => {
                let zero = self.number(0.0);
                self.share(Node::Two(Two::Compare(Predicate::NotEqual), value, zero))
            }
        }
    }
}
