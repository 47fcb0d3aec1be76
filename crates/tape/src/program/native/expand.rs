//! From a tape to operations of the machine: what each operator of `op.rs` becomes, bit for bit.

use super::graph::{Graph, Id, Node, Predicate, Two};
use crate::op::Op;
use crate::program::Program;
use crate::trig;
use rustc_hash::{FxHashMap, FxHashSet};

/// A program as a graph.
pub(super) struct Expanded {
    pub graph: Graph,
    pub outputs: Vec<Id>,
    /// Sum of the absolute values of all angles: where it is not below the limit of `trig`, the code gives no answer.
    pub guard: Option<Id>,
}

/// O(length of the program). With `pairs` the sines and cosines of two angles are computed at once, which takes half the
/// instructions and gives the same bits.
pub(super) fn expand(program: &Program, pairs: bool) -> Expanded {
    let mut e = Expander { graph: Graph::default(), guard: None, angles: FxHashMap::default() };
    e.graph.nodes.reserve(program.input_count() + program.code().len());
    let partners = if pairs { Partners::of(program) } else { Partners::default() };
    // What each register of the tape holds, as the tape runs.
    let mut held: Vec<Id> = Vec::with_capacity(program.interpreter_registers());
    held.extend((0..program.input_count()).map(|k| e.graph.add(Node::Input(k as u32))));
    held.extend(program.constants().iter().map(|c| e.graph.number(*c)));
    held.resize(program.interpreter_registers(), 0);
    for (k, i) in program.code().iter().enumerate() {
        if let Some(other) = partners.0.get(&k) {
            e.sin_cos_of_two(held[i.operands[0] as usize], held[*other as usize]);
        }
        held[i.target as usize] = e.apply(i.op, i.operands.map(|r| held[r as usize]));
    }
    let outputs = program.outputs().iter().map(|r| held[*r as usize]).collect();
    Expanded { graph: e.graph, outputs, guard: e.guard }
}

/// The registers that hold a second angle at the first sine or cosine of an angle, by the place of that operation.
#[derive(Default)]
struct Partners(FxHashMap<usize, u32>);

impl Partners {
    /// Each angle with the next one that is there when its sine or cosine is first wanted. O(length of the program).
    fn of(program: &Program) -> Self {
        let mut partners = FxHashMap::default();
        // Angles told by the operation that computed them, 0 of what is given, and their register.
        let mut computed = vec![0; program.interpreter_registers()];
        let mut seen: FxHashSet<(usize, u32)> = FxHashSet::default();
        // The last angle without a partner, and the operation that wants it.
        let mut alone: Option<usize> = None;
        for (k, i) in program.code().iter().enumerate() {
            let register = i.operands[0];
            let made = computed[register as usize];
            if matches!(i.op, Op::Sin | Op::Cos) && seen.insert((made, register)) {
                match alone.take() {
                    // A register of the tape holds one value from that operation to its last use.
                    Some(first) if made <= first => drop(partners.insert(first, register)),
                    _ => alone = Some(k),
                }
            }
            computed[i.target as usize] = k + 1;
        }
        Partners(partners)
    }
}

struct Expander {
    graph: Graph,
    guard: Option<Id>,
    /// Sine and cosine of each angle.
    angles: FxHashMap<Id, (Id, Id)>,
}

impl Expander {
    fn apply(&mut self, op: Op, [x, y, z]: [Id; 3]) -> Id {
        let g = &mut self.graph;
        let compare = |g: &mut Graph, p, a, b| g.share(Node::Two(Two::Compare(p), a, b));
        match op {
            Op::Add => g.two(Two::Add, x, y),
            Op::Sub => g.two(Two::Sub, x, y),
            Op::Mul => g.two(Two::Mul, x, y),
            Op::Div => g.two(Two::Div, x, y),
            Op::MulAdd => g.fused(x, y, z),
            Op::NegMulAdd => g.fused_minus(x, y, z),
            Op::Sqrt => g.add(Node::Sqrt(x)),
            Op::Neg => {
                let sign = g.bits(trig::SIGN);
                g.two(Two::Xor, x, sign)
            }
            Op::Abs => self.magnitude(x),
            Op::Sin => self.sin_cos(x).0,
            Op::Cos => self.sin_cos(x).1,
            Op::Sign => {
                let (zero, one, minus) = (g.number(0.0), g.number(1.0), g.number(-1.0));
                let below = compare(g, Predicate::Less, x, zero);
                let above = compare(g, Predicate::Less, zero, x);
                let no = g.share(Node::Blend { mask: below, no: x, yes: minus });
                g.share(Node::Blend { mask: above, no, yes: one })
            }
            Op::Min | Op::Max => {
                let (a, b) = if op == Op::Min { (x, y) } else { (y, x) };
                let less = compare(g, Predicate::Less, a, b);
                let nan = compare(g, Predicate::Unordered, x, x);
                let mask = g.share(Node::Two(Two::Or, less, nan));
                g.share(Node::Blend { mask, no: y, yes: x })
            }
            Op::Less | Op::LessEqual | Op::Equal => {
                let predicate = match op {
                    Op::Less => Predicate::Less,
                    Op::LessEqual => Predicate::LessEqual,
                    _ => Predicate::Equal,
                };
                let mask = compare(g, predicate, x, y);
                g.truth(mask)
            }
            Op::And | Op::Or => {
                let (a, b) = (g.is_true(x), g.is_true(y));
                let mask = g.share(Node::Two(if op == Op::And { Two::And } else { Two::Or }, a, b));
                g.truth(mask)
            }
            Op::Not => {
                let zero = g.number(0.0);
                let mask = compare(g, Predicate::Equal, x, zero);
                g.truth(mask)
            }
            Op::Select => {
                let mask = g.is_true(x);
                g.share(Node::Blend { mask, no: z, yes: y })
            }
            Op::Pow | Op::Atan2 | Op::Lookup => g.add(Node::Call(op, x, y)),
            Op::Tan | Op::Asin | Op::Acos | Op::Atan | Op::Sinh | Op::Cosh | Op::Tanh => {
                g.add(Node::Call(op, x, x))
            }
            Op::Asinh | Op::Acosh | Op::Atanh | Op::Exp | Op::Log | Op::Floor => g.add(Node::Call(op, x, x)),
        }
    }

    fn magnitude(&mut self, x: Id) -> Id {
        let rest = self.graph.bits(!trig::SIGN);
        self.graph.share(Node::Two(Two::And, x, rest))
    }

    fn sin_cos(&mut self, x: Id) -> (Id, Id) {
        if let Some(known) = self.angles.get(&x) {
            return *known;
        }
        let both = self.reduced(x);
        self.watch(x);
        self.angles.insert(x, both);
        both
    }

    /// Those of two angles, the first in the lower half of the registers.
    fn sin_cos_of_two(&mut self, a: Id, b: Id) {
        let begin = self.graph.nodes.len() as Id;
        let pair = self.graph.add(Node::Pair(a, b));
        let (sine, cosine) = self.reduced(pair);
        self.graph.paired.push((begin, self.graph.nodes.len() as Id));
        let second = [sine, cosine].map(|v| self.graph.add(Node::Second(v)));
        self.watch(a);
        self.watch(b);
        self.angles.insert(a, (sine, cosine));
        self.angles.insert(b, (second[0], second[1]));
    }

    /// `trig::reduced`, operation by operation; both values share all but the last two.
    fn reduced(&mut self, x: Id) -> (Id, Id) {
        let g = &mut self.graph;
        let [to_turns, rounder, half, one] =
            [trig::TWO_OVER_PI, trig::ROUNDER, 0.5, 1.0].map(|v| g.number(v));
        let [p1, p2] = trig::HALF_PI.map(|v| g.number(v));
        let shifted = g.fused(x, to_turns, rounder);
        let n = g.two(Two::Sub, shifted, rounder);
        let first = g.fused_minus(n, p1, x);
        let y0 = g.fused_minus(n, p2, first);
        let lost = g.two(Two::Sub, first, y0);
        let y1 = g.fused_minus(n, p2, lost);

        let z = g.two(Two::Mul, y0, y0);
        let zz = g.two(Two::Mul, z, z);
        let half = g.two(Two::Mul, half, z);
        let sine = {
            let p = polynomial(g, &trig::S, z, zz);
            let low = g.fused_minus(half, y1, y1);
            let v = g.two(Two::Mul, z, y0);
            let sum = g.fused(v, p, low);
            g.two(Two::Add, y0, sum)
        };
        let cosine = {
            let p = polynomial(g, &trig::C, z, zz);
            let w = g.two(Two::Sub, one, half);
            let lost = g.two(Two::Sub, one, w);
            let lost = g.two(Two::Sub, lost, half);
            let low = g.fused_minus(y0, y1, lost);
            let sum = g.fused(zz, p, low);
            g.two(Two::Add, w, sum)
        };
        let mask = g.add(Node::Shift(shifted, 63));
        let s = g.add(Node::Blend { mask, no: sine, yes: cosine });
        let c = g.add(Node::Blend { mask, no: cosine, yes: sine });
        let integer_one = g.bits(1);
        let next = g.two(Two::AddInteger, shifted, integer_one);
        let flipped = |g: &mut Graph, value: Id, quadrant: Id| {
            let sign = g.bits(trig::SIGN);
            let bit = g.add(Node::Shift(quadrant, 62));
            let bit = g.two(Two::And, bit, sign);
            g.two(Two::Xor, value, bit)
        };
        (flipped(g, s, shifted), flipped(g, c, next))
    }

    /// Adds an angle to the guard.
    fn watch(&mut self, x: Id) {
        let size = self.magnitude(x);
        self.guard = Some(match self.guard {
            None => size,
            Some(sum) => self.graph.two(Two::Add, sum, size),
        });
    }
}

/// `trig::polynomial`.
fn polynomial(g: &mut Graph, c: &[f64; 6], z: Id, zz: Id) -> Id {
    let [low, middle, high] = [0, 2, 4].map(|k| {
        let (constant, slope) = (g.number(c[k]), g.number(c[k + 1]));
        g.fused(z, slope, constant)
    });
    let sum = g.fused(zz, high, middle);
    g.fused(zz, sum, low)
}
