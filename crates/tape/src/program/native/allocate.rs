//! From the graph to code: each value gets a register; the one needed last makes room (Belady), which is optimal in
//! straight-line code but for the cost of stores. O(operations * 16).

use super::assembler::{Assembler, Base, Location, Width};
use super::expand::Expanded;
use super::graph::{Id, Node, Two};

/// Slots before the first that holds a value: two for operands of calls, one for the guard.
const RESERVED: usize = 3;
/// Where the guard is stored.
pub(super) const GUARD_SLOT: usize = 2;
/// Addresses of constants and slots point this many bytes into them, so that more of them have short offsets.
pub(super) const BIAS: i32 = 128;
/// A loaded operand with no use within this many operations is not worth a register.
const SOON: u32 = 24;

const NEVER: u32 = u32::MAX;
const NONE: u8 = u8::MAX;
const NO_SLOT: u32 = u32::MAX;

/// What the four arguments of the code point at.
struct Bases {
    inputs: Base,
    outputs: Base,
    constants: Base,
    slots: Base,
}

/// The code and what it needs.
pub(super) struct Allocated {
    pub code: Vec<u8>,
    pub constants: Vec<u64>,
    pub slots: usize,
    /// Numbers that a constant and a slot take.
    pub stride: usize,
}

/// Writes the code. `library` is called for functions.
pub(super) fn allocate(program: &Expanded, lanes: usize, library: usize) -> Allocated {
    let mut a = Allocator::new(program, lanes, library);
    a.write();
    Allocated { code: a.assembler.code, constants: a.constants, slots: a.slot_count, stride: a.stride }
}

struct Allocator<'p> {
    program: &'p Expanded,
    nodes: &'p [Node],
    lanes: usize,
    /// Numbers that a constant and a slot take.
    stride: usize,
    /// Which values are pairs.
    paired: Vec<bool>,
    library: usize,
    bases: Bases,
    assembler: Assembler,
    /// Where each value is used, `uses[first[v]..first[v + 1]]`, ascending; `next[v]` is the next of them.
    uses: Vec<u32>,
    first: Vec<u32>,
    next: Vec<u32>,
    /// The outputs each value is, likewise.
    results: Vec<(Id, u32)>,
    live: Vec<bool>,
    register: Vec<u8>,
    /// Where each value is stored, once it is; of a constant its place among the constants.
    slot: Vec<u32>,
    held: [Option<Id>; 16],
    free_slots: Vec<u32>,
    slot_count: usize,
    constants: Vec<u64>,
    /// Registers the present operation reads.
    locked: u16,
}

impl<'p> Allocator<'p> {
    fn new(program: &'p Expanded, lanes: usize, library: usize) -> Self {
        let nodes = &program.graph.nodes[..];
        let live = live(program);
        let (uses, first) = uses(nodes, &live);
        let calls = nodes.iter().zip(&live).any(|(n, live)| *live && matches!(n, Node::Call(..)));
        let mut paired = vec![false; nodes.len()];
        for (begin, end) in &program.graph.paired {
            (*begin..*end).for_each(|v| paired[v as usize] = !nodes[v as usize].is_given());
        }
        let stride = if program.graph.paired.is_empty() { lanes } else { lanes.max(2) };
        let mut assembler = Assembler::new(if lanes == 4 { Width::Four } else { Width::One });
        let bases = if calls {
            assembler.enter();
            Bases { inputs: 3, outputs: 5, constants: 14, slots: 15 }
        } else {
            Bases { inputs: 7, outputs: 6, constants: 2, slots: 1 }
        };
        let mut results: Vec<(Id, u32)> =
            program.outputs.iter().enumerate().map(|(k, v)| (*v, k as u32)).collect();
        results.sort_unstable();
        Self {
            program,
            nodes,
            lanes,
            stride,
            paired,
            library,
            bases,
            assembler,
            next: first[..nodes.len()].to_vec(),
            uses,
            first,
            results,
            live,
            register: vec![NONE; nodes.len()],
            slot: vec![NO_SLOT; nodes.len()],
            held: [None; 16],
            free_slots: Vec::new(),
            slot_count: RESERVED,
            constants: Vec::new(),
            locked: 0,
        }
    }

    fn write(&mut self) {
        for i in 0..self.nodes.len() as Id {
            if self.live[i as usize] && !self.nodes[i as usize].is_given() {
                self.operation(i);
            }
        }
        // Outputs that are inputs or constants.
        for k in 0..self.results.len() {
            let (v, place) = self.results[k];
            if self.nodes[v as usize].is_given() {
                let r = self.in_register(v);
                self.store_output(r, place);
            }
        }
        if let Some(guard) = self.program.guard.filter(|g| self.nodes[*g as usize].is_given()) {
            let r = self.in_register(guard);
            self.store_guard(r);
        }
        if self.bases.inputs == 3 {
            self.assembler.leave();
        }
        self.assembler.finish();
    }

    /// One value: operands into reach, the operation, the result where it is wanted.
    fn operation(&mut self, i: Id) {
        self.locked = 0;
        let target = match self.nodes[i as usize] {
            Node::Pair(a, b) => {
                let ra = self.in_register(a);
                let rb = self.in_reach(b, i, true);
                self.consume(i);
                let target = self.claim();
                self.emit(i).pair(target, ra, rb);
                target
            }
            Node::Second(a) => {
                let ra = self.in_register(a);
                self.consume(i);
                let target = self.claim();
                self.emit(i).second(target, ra);
                target
            }
            Node::Two(op, a, b) => {
                let commutes = matches!(op, Two::Add | Two::Mul | Two::And | Two::Or | Two::Xor);
                let (a, b) = if commutes && self.better_in_memory(a, b) { (b, a) } else { (a, b) };
                let ra = self.in_register(a);
                let rb = self.in_reach(b, i, is_arithmetic(op));
                self.consume(i);
                let target = self.claim();
                self.emit(i).two(op, target, ra, rb);
                target
            }
            Node::Sqrt(a) => {
                let ra = self.in_register(a);
                self.consume(i);
                let target = self.claim();
                self.emit(i).sqrt(target, ra);
                target
            }
            Node::Shift(a, bits) => {
                let ra = self.in_register(a);
                self.consume(i);
                let target = self.claim();
                self.emit(i).shift(target, ra, bits);
                target
            }
            Node::Blend { mask, no, yes } => {
                let rm = self.in_register(mask);
                let rn = self.in_register(no);
                let ry = self.in_reach(yes, i, false);
                self.consume(i);
                let target = self.claim();
                self.emit(i).blend(target, rm, rn, ry);
                target
            }
            Node::Fused { minus, a, b, c } => self.fused(i, minus, [a, b, c]),
            Node::Call(op, a, b) => {
                let ra = self.in_register(a);
                self.store_operand(0, ra);
                let rb = self.in_register(b);
                self.store_operand(1, rb);
                self.consume(i);
                self.clear_registers();
                let offset = self.slot_bytes(0);
                self.assembler.call(self.library, offset, op as u32, self.lanes as u32);
                let target = self.claim();
                let offset = self.slot_bytes(0);
                self.assembler.width = self.plain();
                self.assembler.load(target, self.bases.slots, offset);
                target
            }
            Node::Input(_) | Node::Constant(_) => return,
        };
        self.release_slots(i);
        self.deliver(i, target);
    }

    /// c + a b overwrites one of its operands: one that is used no more, or a copy of c.
    fn fused(&mut self, i: Id, minus: bool, [a, b, c]: [Id; 3]) -> u8 {
        let (a, b) = if self.better_in_memory(a, b) { (b, a) } else { (a, b) };
        let ra = self.in_register(a);
        let rc = self.register[c as usize];
        if rc != NONE {
            self.locked |= 1 << rc;
        }
        let dies = |me: &Self, v: Id| me.later_use(v, i) == NEVER;
        if rc != NONE && c != a && c != b && dies(self, c) {
            let rb = self.in_reach(b, i, true);
            self.consume(i);
            self.emit(i).fused_sum(minus, rc, ra, rb);
            return rc;
        }
        // The product may take the place of a factor if both factors are in registers.
        let rb = self.register[b as usize];
        for (dying, other, (r, s)) in [(a, b, (ra, rb)), (b, a, (rb, ra))] {
            if rb != NONE && dying != other && dying != c && dies(self, dying) {
                self.locked |= 1 << rb;
                let place = self.in_reach(c, i, true);
                self.consume(i);
                self.emit(i).fused_product(minus, r, s, place);
                return r;
            }
        }
        let rb = self.in_reach(b, i, true);
        let target = self.claim();
        match self.register[c as usize] {
            NONE => self.load(c, target),
            rc => self.emit(i).copy(target, rc),
        }
        self.consume(i);
        self.emit(i).fused_sum(minus, target, ra, rb);
        target
    }

    /// Stores a result that is an output or the guard; keeps it if it is used later.
    fn deliver(&mut self, i: Id, target: u8) {
        let from = self.results.partition_point(|(v, _)| *v < i);
        for k in from..self.results.len() {
            let (v, place) = self.results[k];
            if v != i {
                break;
            }
            self.store_output(target, place);
        }
        if self.program.guard == Some(i) {
            self.store_guard(target);
        }
        if self.next_use(i) != NEVER {
            self.register[i as usize] = target;
            self.held[target as usize] = Some(i);
        }
    }

    fn store_output(&mut self, r: u8, place: u32) {
        let offset = self.bytes(place as usize);
        self.assembler.width = self.plain();
        self.assembler.store(r, self.bases.outputs, offset);
    }

    fn store_guard(&mut self, r: u8) {
        let offset = self.slot_bytes(GUARD_SLOT);
        self.assembler.width = self.plain();
        self.assembler.store(r, self.bases.slots, offset);
    }

    /// The operand of a call.
    fn store_operand(&mut self, k: usize, r: u8) {
        let offset = self.slot_bytes(0) + self.bytes(k);
        self.assembler.width = self.plain();
        self.assembler.store(r, self.bases.slots, offset);
    }

    /// Of an input or output.
    fn bytes(&self, place: usize) -> i32 {
        (place * self.lanes * 8) as i32
    }

    /// Of a slot or constant.
    fn slot_bytes(&self, slot: usize) -> i32 {
        (slot * self.stride * 8) as i32 - BIAS
    }

    /// Of what is not a pair.
    fn plain(&self) -> Width {
        if self.lanes == 4 { Width::Four } else { Width::One }
    }

    /// The next instruction computes value `i`.
    fn emit(&mut self, i: Id) -> &mut Assembler {
        self.assembler.width = if self.paired[i as usize] { Width::Two } else { self.plain() };
        &mut self.assembler
    }

    /// Loads a value that is in no register.
    fn load(&mut self, v: Id, target: u8) {
        let (base, offset) = self.memory(v);
        // Of constants both numbers, for pairs as for numbers.
        let whole = self.stride > self.lanes && matches!(self.nodes[v as usize], Node::Constant(_));
        self.assembler.width = if whole || self.paired[v as usize] { Width::Two } else { self.plain() };
        self.assembler.load(target, base, offset);
    }

    fn next_use(&self, v: Id) -> u32 {
        let (next, end) = (self.next[v as usize], self.first[v as usize + 1]);
        if next < end { self.uses[next as usize] } else { NEVER }
    }

    /// The use after the present one.
    fn later_use(&self, v: Id, now: Id) -> u32 {
        let end = self.first[v as usize + 1];
        let later = (self.next[v as usize]..end).find(|k| self.uses[*k as usize] > now);
        later.map_or(NEVER, |k| self.uses[k as usize])
    }

    /// Whether `a` is the one to leave in memory.
    fn better_in_memory(&self, a: Id, b: Id) -> bool {
        let (a_held, b_held) = (self.register[a as usize] != NONE, self.register[b as usize] != NONE);
        if a_held || b_held {
            return b_held && !a_held;
        }
        // Neither: constants stay in memory.
        matches!(self.nodes[a as usize], Node::Constant(_))
    }

    /// The register of a value, loaded if need be; locked until the operation is done.
    fn in_register(&mut self, v: Id) -> u8 {
        let mut r = self.register[v as usize];
        if r == NONE {
            r = self.claim();
            self.load(v, r);
            self.register[v as usize] = r;
            self.held[r as usize] = Some(v);
        }
        self.locked |= 1 << r;
        r
    }

    /// A register, or memory where a value would not be worth one. Other than arithmetic reads whole registers from
    /// memory, which scalar inputs may not have behind them.
    fn in_reach(&mut self, v: Id, now: Id, arithmetic: bool) -> Location {
        let readable = arithmetic || self.lanes > 1 || !matches!(self.nodes[v as usize], Node::Input(_));
        let absent = self.register[v as usize] == NONE;
        if absent && readable {
            let later = self.later_use(v, now);
            let room = self.held.iter().any(Option::is_none);
            if later == NEVER || later - now > SOON || !room {
                let (base, offset) = self.memory(v);
                return Location::Memory(base, offset);
            }
        }
        Location::Register(self.in_register(v))
    }

    /// Where a value that is in no register lies.
    fn memory(&mut self, v: Id) -> (Base, i32) {
        match self.nodes[v as usize] {
            Node::Input(k) => (self.bases.inputs, self.bytes(k as usize)),
            Node::Constant(bits) => {
                let place = &mut self.slot[v as usize];
                if *place == NO_SLOT {
                    *place = self.constants.len() as u32;
                    self.constants.push(bits);
                }
                let place = *place as usize;
                (self.bases.constants, self.slot_bytes(place))
            }
            _ => {
                let slot = self.slot[v as usize];
                debug_assert_ne!(slot, NO_SLOT, "value {v} is nowhere");
                (self.bases.slots, self.slot_bytes(slot as usize))
            }
        }
    }

    /// The operands of operation `i` have been read: registers of those used no more are free.
    fn consume(&mut self, i: Id) {
        for v in self.nodes[i as usize].operands() {
            while self.next_use(v) == i {
                self.next[v as usize] += 1;
            }
            let r = self.register[v as usize];
            if self.next_use(v) == NEVER && r != NONE {
                self.register[v as usize] = NONE;
                self.held[r as usize] = None;
            }
        }
        self.locked = 0;
    }

    /// Slots of operands used no more are free, but only once the operation that reads them is written.
    fn release_slots(&mut self, i: Id) {
        for v in self.nodes[i as usize].operands() {
            let stored = self.slot[v as usize] != NO_SLOT && !self.nodes[v as usize].is_given();
            if stored && self.next_use(v) == NEVER {
                self.free_slots.push(self.slot[v as usize]);
                self.slot[v as usize] = NO_SLOT;
            }
        }
    }

    /// A register to write to: a free one, or that of the value needed last.
    fn claim(&mut self) -> u8 {
        if let Some(r) = (0..16).find(|r| self.held[*r].is_none() && self.locked & (1 << r) == 0) {
            return r as u8;
        }
        let candidates = (0..16u8).filter(|r| self.locked & (1 << r) == 0);
        let victim = candidates
            .max_by_key(|r| self.held[*r as usize].map_or(NEVER, |v| self.next_use(v)))
            .unwrap_or(0);
        self.evict(victim);
        victim
    }

    fn evict(&mut self, r: u8) {
        let Some(v) = self.held[r as usize].take() else { return };
        self.register[v as usize] = NONE;
        if self.nodes[v as usize].is_given() || self.slot[v as usize] != NO_SLOT {
            return;
        }
        let slot = self.free_slots.pop().unwrap_or_else(|| {
            self.slot_count += 1;
            self.slot_count as u32 - 1
        });
        self.slot[v as usize] = slot;
        let (slots, offset) = (self.bases.slots, self.slot_bytes(slot as usize));
        self.emit(v).store(r, slots, offset);
    }

    /// Nothing survives a call in a register.
    fn clear_registers(&mut self) {
        (0..16).for_each(|r| self.evict(r));
    }
}

fn is_arithmetic(op: Two) -> bool {
    matches!(op, Two::Add | Two::Sub | Two::Mul | Two::Div | Two::Compare(_))
}

/// Which values some output needs.
fn live(program: &Expanded) -> Vec<bool> {
    let nodes = &program.graph.nodes;
    let mut live = vec![false; nodes.len()];
    for v in program.outputs.iter().chain(&program.guard) {
        live[*v as usize] = true;
    }
    for i in (0..nodes.len()).rev() {
        if live[i] {
            nodes[i].operands().for_each(|v| live[v as usize] = true);
        }
    }
    live
}

/// Where each value is used, as lists one after the other with their beginnings.
fn uses(nodes: &[Node], live: &[bool]) -> (Vec<u32>, Vec<u32>) {
    let mut first = vec![0u32; nodes.len() + 1];
    let users = || nodes.iter().enumerate().filter(|(i, _)| live[*i]);
    for (_, node) in users() {
        node.operands().for_each(|v| first[v as usize + 1] += 1);
    }
    for v in 0..nodes.len() {
        first[v + 1] += first[v];
    }
    let mut end = first.clone();
    let mut uses = vec![0u32; first[nodes.len()] as usize];
    for (i, node) in users() {
        for v in node.operands() {
            uses[end[v as usize] as usize] = i as u32;
            end[v as usize] += 1;
        }
    }
    (uses, first)
}
