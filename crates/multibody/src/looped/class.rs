//! The three parts of the recursion for a segment of a class, each a small program. A segment is one link, or a few of
//! which each carries the next.
//!
//! ```text
//! outward   w, a, w' of the parent                        -> those of the last link; of each its wrench, sine and cosine
//! inward    J, H, M, n, f of the links carried; wrenches,  -> what the parent gets of the first link; of each D^-1 u and
//!           sines, cosines                                    D^-1 I s; trust
//! back      w', a of the parent; sines, cosines, D^-1 u,   -> those of the last link; eta'
//!           D^-1 I s
//! ```
//!
//! Behind these inputs each program reads the numbers of the links that it needs.

use super::slots::{Jointed, Kind, Known, matrix, vector};
use crate::articulated::{Articulated, Kept, Ldl, eliminate, moved_up, released, rigid};
use crate::joint::{Pose, Wrench};
use crate::linear::{Matrix, Vector, ZEROS};
use crate::newton_euler::{Motion, moved, own_wrench};
use crate::num::{Num, Tracer};
use crate::tree::Freedom;
use dalembert_tape::{Builder, Operand, Program, Value};

/// w, a, w' of a link.
pub(super) const MOTION: usize = 9;
/// J, H, M, n, f that a link passes on.
pub(super) const PASSED: usize = 27;
/// w', a of a link.
pub(super) const ACCELERATION: usize = 6;
/// The wrench of a link by itself.
pub(super) const WRENCH: usize = 6;

/// A program and which of the numbers of its links it reads behind its other inputs: link and place in its list.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub program: Program,
    pub slots: Vec<(usize, usize)>,
}

/// What is known of all links of a kind.
pub(super) struct Pattern {
    pub kind: Kind,
    pub known: Vec<Known>,
    /// Constants that all of them share; `None` where they differ or are values.
    pub shared: Vec<Option<f64>>,
}

/// The programs of a class of segments.
#[derive(Clone, Debug)]
pub(super) struct Class {
    pub outward: Part,
    pub inward: Part,
    pub back: Part,
    /// Speeds of each link.
    pub counts: Vec<usize>,
    /// How many numbers of the way outward are handed on: wrenches, and sines and cosines behind them.
    pub wrenches: usize,
    pub spins: usize,
    /// How many numbers the way back needs of the way inward.
    pub kept: usize,
}

impl Class {
    pub fn new(patterns: &[&Pattern]) -> Class {
        let spins: usize = patterns.iter().map(|pattern| pattern.spin()).sum();
        let outward = outward(patterns);
        let (inward, templates) = inward(patterns);
        let back = back(patterns, &templates);
        let kept = templates.iter().flatten().filter(|c| c.is_none()).count();
        let counts = patterns.iter().map(|pattern| pattern.kind.count()).collect();
        Class { outward, inward, back, counts, wrenches: WRENCH * patterns.len(), spins, kept }
    }

    pub fn parts(&self) -> [&Part; 3] {
        [&self.outward, &self.inward, &self.back]
    }

    /// Numbers of the way outward that are handed on.
    pub fn posed(&self) -> usize {
        self.wrenches + self.spins
    }

    pub fn compile(&mut self) {
        for part in [&mut self.outward, &mut self.inward, &mut self.back] {
            part.program.compile();
        }
    }

    /// Inputs or outputs of its longest program.
    pub fn room(&self) -> usize {
        let each = |part: &Part| part.program.input_count().max(part.program.output_count());
        self.parts().into_iter().map(each).max().unwrap_or(0)
    }
}

/// Reads the inputs of a tape one after the other.
struct Reader<'t, 'b> {
    t: &'t mut Tracer<'b>,
    next: usize,
}

impl Reader<'_, '_> {
    fn one(&mut self) -> Num {
        self.next += 1;
        Num::Value(self.t.tape.input(self.next - 1))
    }

    fn vector(&mut self) -> Vector {
        vector(&mut || self.one())
    }

    fn matrix(&mut self) -> Matrix {
        matrix(&mut || self.one())
    }

    fn symmetric(&mut self) -> Matrix {
        let mut out = ZEROS;
        for i in 0..3 {
            for j in 0..=i {
                out[i][j] = self.one();
                out[j][i] = out[i][j];
            }
        }
        out
    }
}

fn lower(a: &Matrix) -> impl Iterator<Item = Num> + '_ {
    (0..3).flat_map(move |i| a[i][..=i].iter().copied())
}

impl Pattern {
    /// 2 where sine and cosine are handed on, otherwise 0.
    fn spin(&self) -> usize {
        if self.kind == Kind::Turn { 2 } else { 0 }
    }

    /// A link with these numbers, those that are not shared read behind `before` inputs of the tape.
    fn link(&self, t: &mut Tracer<'_>, before: usize) -> Jointed {
        let mut numbers = Vec::with_capacity(self.known.len());
        for (k, known) in self.known.iter().enumerate() {
            let read = Num::Value(t.tape.input(before + k));
            numbers.push(match (known, self.shared[k]) {
                (_, Some(c)) => t.constant(c),
                (Known::Minus, None) => -read,
                _ => read,
            });
        }
        Jointed::from_numbers(self.kind, &numbers)
    }
}

fn tape(patterns: &[&Pattern], before: usize) -> Builder {
    Builder::new(before + patterns.iter().map(|pattern| pattern.known.len()).sum::<usize>())
}

/// The links of a segment, their numbers behind `before` inputs of the tape.
fn links(t: &mut Tracer<'_>, patterns: &[&Pattern], mut before: usize) -> Vec<Jointed> {
    let mut links = Vec::with_capacity(patterns.len());
    for pattern in patterns {
        links.push(pattern.link(t, before));
        before += pattern.known.len();
    }
    links
}

/// Sines and cosines of the links that turn, which follow each other.
fn spins(reader: &mut Reader<'_, '_>, patterns: &[&Pattern]) -> Vec<(Num, Num)> {
    let one = |pattern: &&Pattern| match pattern.spin() {
        0 => (Num::Zero, Num::Zero),
        _ => (reader.one(), reader.one()),
    };
    patterns.iter().map(one).collect()
}

fn outward(patterns: &[&Pattern]) -> Part {
    let mut tape = tape(patterns, MOTION);
    let mut t = Tracer::new(&mut tape);
    let links = links(&mut t, patterns, MOTION);
    let mut reader = Reader { t: &mut t, next: 0 };
    let (w, a, w_dot) = (reader.vector(), reader.vector(), reader.vector());
    let mut motion = Motion::new(&mut t, w, a, w_dot);
    let (mut wrenches, mut spins) = (Vec::new(), Vec::new());
    for Jointed { link, .. } in &links {
        let pose = Pose::of(&mut t, link);
        motion = moved(&mut t, link, &pose, &motion);
        let wrench = own_wrench(&mut t, link, &motion);
        wrenches.extend(wrench.n.into_iter().chain(wrench.f));
        if let Freedom::Turn { angle, .. } = &link.freedom {
            let (sine, cosine) = t.sine_cosine(*angle);
            spins.extend([sine, cosine]);
        }
    }
    let mut out: Vec<Num> = [motion.w, motion.a, motion.w_dot].concat();
    out.extend(wrenches.into_iter().chain(spins));
    let out: Vec<Value> = out.into_iter().map(|v| t.value(v)).collect();
    part(tape, &out, MOTION, patterns)
}

/// The program, and of what each link keeps for the way back the constants.
fn inward(patterns: &[&Pattern]) -> (Part, Vec<Vec<Option<f64>>>) {
    let spin: usize = patterns.iter().map(|pattern| pattern.spin()).sum();
    let before = PASSED + WRENCH * patterns.len() + spin;
    let mut tape = tape(patterns, before);
    let mut t = Tracer::new(&mut tape);
    let links = links(&mut t, patterns, before);
    let mut reader = Reader { t: &mut t, next: 0 };
    let mut carried = Articulated { J: reader.symmetric(), H: reader.matrix(), M: reader.symmetric() };
    let mut felt = Wrench { n: reader.vector(), f: reader.vector() };
    let wrenches: Vec<Wrench> =
        links.iter().map(|_| Wrench { n: reader.vector(), f: reader.vector() }).collect();
    let spins = spins(&mut reader, patterns);
    let mut kept: Vec<Vec<Num>> = vec![Vec::new(); links.len()];
    for (i, Jointed { link, size, applied, extra }) in links.iter().enumerate().rev() {
        let pose = Pose::turned(&mut t, link, spins[i].0, spins[i].1);
        let own = rigid(&mut t, link).plus(&mut t, &carried);
        let p = wrenches[i].plus(&mut t, &felt);
        let (left, passed, keep) = eliminate(&mut t, link, &own, &p, *size, (applied, extra));
        let left = left.unwrap_or(Articulated { J: ZEROS, H: ZEROS, M: ZEROS });
        carried = moved_up(&mut t, &pose, &left);
        felt = pose.wrench_up(&mut t, &passed);
        kept[i] = keep.numbers();
    }
    let mut out: Vec<Num> = lower(&carried.J).collect();
    out.extend(carried.H.iter().flatten().copied().chain(lower(&carried.M)).chain(felt.n).chain(felt.f));
    let templates: Vec<Vec<Option<f64>>> =
        kept.iter().map(|list| list.iter().map(|v| t.constant_of(*v)).collect()).collect();
    let stored = kept.iter().flatten().zip(templates.iter().flatten()).filter(|(_, c)| c.is_none());
    out.extend(stored.map(|(v, _)| *v));
    let mut out: Vec<Value> = out.into_iter().map(|v| t.value(v)).collect();
    out.push(t.sound());
    (part(tape, &out, before, patterns), templates)
}

fn back(patterns: &[&Pattern], templates: &[Vec<Option<f64>>]) -> Part {
    let spin: usize = patterns.iter().map(|pattern| pattern.spin()).sum();
    let before = ACCELERATION + spin + templates.iter().flatten().filter(|c| c.is_none()).count();
    let mut tape = tape(patterns, before);
    let mut t = Tracer::new(&mut tape);
    let links = links(&mut t, patterns, before);
    let mut reader = Reader { t: &mut t, next: 0 };
    let mut carried = (reader.vector(), reader.vector());
    let spins = spins(&mut reader, patterns);
    let mut eta_dot = Vec::new();
    for (i, Jointed { link, .. }) in links.iter().enumerate() {
        let mut number = |c: &Option<f64>| match c {
            Some(c) => reader.t.constant(*c),
            None => reader.one(),
        };
        let kept: Vec<Num> = templates[i].iter().map(&mut number).collect();
        let kept = Kept::from_numbers(patterns[i].kind, &kept);
        let t = &mut *reader.t;
        let pose = Pose::turned(t, link, spins[i].0, spins[i].1);
        carried = pose.accelerations_down(t, &carried);
        let (own, found) = released(t, link, &kept, carried);
        carried = own;
        eta_dot.extend(found);
    }
    let (w_dot, a) = carried;
    let out: Vec<Num> = w_dot.into_iter().chain(a).chain(eta_dot).collect();
    let out: Vec<Value> = out.into_iter().map(|v| t.value(v)).collect();
    part(tape, &out, before, patterns)
}

impl Kept {
    fn numbers(&self) -> Vec<Num> {
        match self {
            Kept::One(u, U) => [*u].into_iter().chain(U.n).chain(U.f).collect(),
            Kept::Ball(u, H, J) => u.iter().chain(H.iter().flatten()).copied().chain(J.numbers()).collect(),
            Kept::Free(u, I) => u.iter().copied().chain(I.numbers()).collect(),
        }
    }

    fn from_numbers(kind: Kind, numbers: &[Num]) -> Kept {
        let mut left = numbers.iter().copied();
        let mut next = || left.next().unwrap_or_default();
        match kind {
            Kind::Turn | Kind::Slide => {
                Kept::One(next(), Wrench { n: vector(&mut next), f: vector(&mut next) })
            }
            Kind::Ball => {
                let (u, H) = (vector(&mut next), matrix(&mut next));
                Kept::Ball(u, H, Ldl::from_numbers(3, &mut next))
            }
            Kind::Free => {
                let mut u = [Num::Zero; 6];
                u.iter_mut().for_each(|c| *c = next());
                Kept::Free(u, Ldl::from_numbers(6, &mut next))
            }
        }
    }
}

impl Ldl {
    fn numbers(&self) -> impl Iterator<Item = Num> + '_ {
        let below = self.L.iter().enumerate().flat_map(|(k, row)| row[..k].iter().copied());
        below.chain(self.inverse.iter().copied())
    }

    fn from_numbers(n: usize, next: &mut impl FnMut() -> Num) -> Ldl {
        let L = (0..n).map(|k| (0..n).map(|i| if i < k { next() } else { Num::Zero }).collect()).collect();
        Ldl { L, inverse: (0..n).map(|_| next()).collect() }
    }
}

/// The program with the numbers of its links that it reads alone.
fn part(tape: Builder, outputs: &[Value], before: usize, patterns: &[&Pattern]) -> Part {
    let program = tape.finish(outputs);
    let listing = program.listing();
    let mut is_read = vec![false; program.input_count()];
    for operand in listing.statements.iter().flat_map(|s| &s.operands).chain(&listing.outputs) {
        if let Operand::Input(k) = operand {
            is_read[*k] = true;
        }
    }
    let read: Vec<usize> = (before..is_read.len()).filter(|k| is_read[*k]).collect();
    let mut tape = Builder::new(before + read.len());
    let mut inputs: Vec<Value> = (0..before).map(|k| tape.input(k)).collect();
    inputs.resize(is_read.len(), tape.input(0));
    read.iter().enumerate().for_each(|(place, k)| inputs[*k] = tape.input(before + place));
    let outputs = tape.inline(&listing, &inputs);
    let all: Vec<(usize, usize)> =
        patterns.iter().enumerate().flat_map(|(i, p)| (0..p.known.len()).map(move |k| (i, k))).collect();
    let slots = read.into_iter().map(|k| all[k - before]).collect();
    Part { program: tape.finish(&outputs).fused(), slots }
}
