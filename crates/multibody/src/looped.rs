//! Articulated bodies (B1) as loops over the links of a long tree.
//!
//! Straight-line code of a thousand joints does not fit the caches. Links are alike that have the same kind of joint and zeros
//! and ones at the same places; the tree is cut into segments of a few links of which each carries the next, and segments
//! of links that are alike share three small programs, run segment after segment with the numbers of each. Constants that
//! all links of a kind share are in the programs. What the model states besides bodies (applied forces, armatures, x') is
//! one program for the whole tree, run before the loops.

mod class;
mod slots;
#[cfg(test)]
mod tests;

use crate::articulated::{is_driven_between, sizes};
use crate::joint::Pose;
use crate::linear::Vector;
use crate::num::{Num, Tracer};
use crate::tree::Tree;
use class::{ACCELERATION, Class, MOTION, PASSED, Pattern};
use dalembert_tape::{Builder, Counts, Hoisted, Operand, Program, Value};
use slots::{Jointed, Kind, Known, Slot};
use std::collections::HashMap;
use std::ops::Range;

/// A tree with what acts on it, as numbers of a tape.
pub struct Acted<'a> {
    /// The tree.
    pub tree: &'a Tree,
    /// x'.
    pub x_dot: &'a [Num],
    /// Applied forces, one for each speed.
    pub applied: &'a [Num],
    /// Inertia on the diagonal of M besides that of the links.
    pub extra: &'a [Num],
}

/// x' and eta' of a tree in loops over its links.
#[derive(Clone, Debug)]
pub struct Looped {
    /// From the parameters to what depends on them alone.
    once: Program,
    /// Constants that differ among the links of a class; they follow what `once` gives.
    numbers: Vec<f64>,
    /// From the state and the constants to what the loops need besides.
    front: Program,
    classes: Vec<Class>,
    steps: Vec<Step>,
    /// Places in the head of the workspace, for all steps.
    gathered: Vec<usize>,
    /// Places of minus gravity and of x'.
    ground: [usize; 3],
    x_dot: Vec<usize>,
    layout: Layout,
}

/// What the loops do for a segment.
#[derive(Clone, Debug)]
struct Step {
    class: usize,
    /// Where the motion of its parent is, if that is not the segment just before or the ground; there it passes wrenches to.
    parent: Option<usize>,
    /// Whether its parent is the segment just before it.
    follows: bool,
    /// Whether the segment behind it is one that it carries.
    leads: bool,
    /// Where what it keeps begins.
    keep: usize,
    /// Which of `gathered` its three programs read.
    reads: [Range<usize>; 3],
    /// Where its motion and what other segments pass to it are, where it carries others than the one just behind it.
    branch: Option<usize>,
    /// The first speed of each link.
    speeds: Vec<usize>,
}

/// The workspace: state, constants, what `front` gives; then registers, two buffers, what links keep, what branches need.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// t, x, eta.
    varying: usize,
    n: usize,
    computed: usize,
    head: usize,
    registers: usize,
    buffer: usize,
    kept: usize,
    branches: usize,
}

/// Motion, then what is passed on, of a link that several carry on.
const BRANCH: usize = MOTION + PASSED;

impl Looped {
    /// From a tape whose first `varying` inputs are t, x, eta and whose others are parameters. `fixed` are values of the
    /// parameters that are folded. `None` where the links are of too many classes, or inertia besides that of the links is
    /// between bodies that several speeds move against each other.
    pub fn new(
        mut tape: Builder,
        acted: &Acted<'_>,
        varying: usize,
        fixed: Option<&[f64]>,
    ) -> Option<Looped> {
        let tree = acted.tree;
        if tree.links.iter().any(|link| is_driven_between(link, acted.extra)) {
            return None;
        }
        let mut t = Tracer::new(&mut tape);
        let jointed = jointed(&mut t, acted);
        let (kind_of, patterns, slots) = classify(&t, &jointed);
        if patterns.len() > MAX_CLASSES.min(tree.links.len() / MIN_MEMBERS) {
            return None;
        }
        let segments = segments(tree, &kind_of);
        let mut sequences: Vec<&[usize]> = segments.iter().map(|s| &kind_of[s.clone()]).collect();
        sequences.sort_unstable();
        sequences.dedup();
        let wanted: Vec<Num> = tree.gravity.iter().map(|g| -*g).chain(acted.x_dot.iter().copied()).collect();
        let mut outputs: Vec<Value> = wanted.into_iter().map(|v| t.value(v)).collect();
        let classes: Vec<Class> = sequences
            .iter()
            .map(|kinds| Class::new(&kinds.iter().map(|k| &patterns[*k]).collect::<Vec<_>>()))
            .collect();
        let class_of: Vec<usize> =
            segments.iter().map(|s| sequences.binary_search(&&kind_of[s.clone()]).unwrap_or(0)).collect();
        let read: Vec<[Vec<Slot>; 3]> = segments
            .iter()
            .zip(&class_of)
            .map(|(s, class)| {
                let slots = &slots[s.clone()];
                classes[*class].parts().map(|part| part.slots.iter().map(|(i, k)| slots[*i][*k]).collect())
            })
            .collect();
        for slot in read.iter().flatten().flatten() {
            outputs.push(match slot {
                Slot::Constant(c) => t.tape.constant(*c),
                Slot::Value(v) => *v,
            });
        }
        let head = Head::new(tape.finish(&outputs), varying, fixed);
        let mut places = head.places.iter().copied();
        let ground = std::array::from_fn(|_| places.next().unwrap_or(0));
        let x_dot = places.by_ref().take(acted.x_dot.len()).collect();
        let gathered: Vec<usize> = places.collect();
        let (steps, kept, branches) = steps(tree, &segments, &class_of, &classes, &read);
        let mut looped = Looped {
            layout: Layout {
                varying,
                n: tree.speeds,
                computed: head.computed,
                head: head.computed + head.front.output_count(),
                registers: 0,
                buffer: classes.iter().map(Class::room).max().unwrap_or(0) + 1,
                kept,
                branches,
            },
            once: head.once,
            numbers: head.numbers,
            front: head.front,
            classes,
            steps,
            gathered,
            ground,
            x_dot,
        };
        looped.size();
        Some(looped)
    }

    /// Native code for its programs.
    pub fn compile(&mut self) {
        self.front.compile();
        self.classes.iter_mut().for_each(Class::compile);
        self.size();
    }

    fn size(&mut self) {
        let parts = self.classes.iter().flat_map(Class::parts).map(|part| part.program.register_count());
        self.layout.registers = parts.chain([self.front.register_count()]).max().unwrap_or(0);
    }

    /// Operations of one run.
    pub fn counts(&self) -> Counts {
        let mut sum = self.front.counts();
        for (k, class) in self.classes.iter().enumerate() {
            let members = self.steps.iter().filter(|step| step.class == k).count();
            for part in class.parts() {
                let one = part.program.counts();
                sum.additive += members * one.additive;
                sum.multiplicative += members * one.multiplicative;
                sum.divisions += members * one.divisions;
                sum.functions += members * one.functions;
                sum.logic += members * one.logic;
            }
        }
        sum
    }

    /// Operations that are done once for given parameters.
    pub fn once_counts(&self) -> Counts {
        self.once.counts()
    }

    /// Bytes of native code.
    pub fn native_bytes(&self) -> usize {
        let parts = self.classes.iter().flat_map(Class::parts).map(|part| part.program.native_bytes());
        parts.sum::<usize>() + self.front.native_bytes()
    }

    /// How many kinds of links there are.
    pub fn class_count(&self) -> usize {
        self.classes.len()
    }

    /// What depends on the parameters alone.
    pub fn constants(&self, parameters: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.once.output_count()];
        self.once.run(parameters, &mut vec![0.0; self.once.register_count()], &mut out);
        out.extend(&self.numbers);
        out
    }

    /// A workspace with these constants in place; t, x and eta are its first numbers.
    pub fn workspace(&self, constants: &[f64]) -> Vec<f64> {
        let Layout { head, registers, buffer, kept, branches, .. } = self.layout;
        let mut workspace = vec![0.0; head + registers + 2 * buffer + kept + BRANCH * branches];
        self.refresh(constants, &mut workspace);
        workspace
    }

    /// Puts constants into a workspace.
    pub fn refresh(&self, constants: &[f64], workspace: &mut [f64]) {
        workspace[self.layout.varying..][..constants.len()].copy_from_slice(constants);
    }

    /// x' and eta' at the t, x, eta of the workspace; whether every pivot is well clear of zero.
    pub fn run(&self, workspace: &mut [f64], out: &mut [f64]) -> bool {
        let layout = &self.layout;
        let (head, rest) = workspace.split_at_mut(layout.head);
        let (registers, rest) = rest.split_at_mut(layout.registers);
        let (first, rest) = rest.split_at_mut(layout.buffer);
        let (second, rest) = rest.split_at_mut(layout.buffer);
        let (keep, branches) = rest.split_at_mut(layout.kept);
        if self.front.output_count() > 0 {
            let (inputs, computed) = head.split_at_mut(layout.computed);
            self.front.run(inputs, registers, computed);
        }
        let (x_dot, eta_dot) = out.split_at_mut(self.x_dot.len());
        x_dot.iter_mut().zip(&self.x_dot).for_each(|(out, place)| *out = head[*place]);
        let mut room = Room { head, registers, now: first, then: second, keep, branches };
        self.outward(&mut room);
        let sound = self.inward(&mut room);
        self.back(&mut room, &mut eta_dot[..layout.n]);
        sound
    }

    fn outward(&self, room: &mut Room<'_>) {
        let [x, y, z] = self.ground.map(|place| room.head[place]);
        let ground = [0.0, 0.0, 0.0, x, y, z, 0.0, 0.0, 0.0];
        for step in &self.steps {
            let class = &self.classes[step.class];
            if !step.follows {
                let parent = step.parent.map_or(&ground[..], |at| &room.branches[at..at + MOTION]);
                room.now[..MOTION].copy_from_slice(parent);
            }
            room.gather(MOTION, &self.gathered[step.reads[0].clone()]);
            class.outward.program.run(room.now, room.registers, room.then);
            let count = class.posed();
            room.keep[step.keep..step.keep + count].copy_from_slice(&room.then[MOTION..MOTION + count]);
            if let Some(at) = step.branch {
                room.branches[at..at + MOTION].copy_from_slice(&room.then[..MOTION]);
                room.branches[at + MOTION..at + BRANCH].fill(0.0);
            }
            room.swap();
        }
    }

    fn inward(&self, room: &mut Room<'_>) -> bool {
        let mut sound = true;
        for step in self.steps.iter().rev() {
            let class = &self.classes[step.class];
            if !step.leads {
                room.now[..PASSED].fill(0.0);
            }
            if let Some(at) = step.branch {
                let others = &room.branches[at + MOTION..at + BRANCH];
                room.now[..PASSED].iter_mut().zip(others).for_each(|(sum, v)| *sum += v);
            }
            let count = class.posed();
            room.now[PASSED..PASSED + count].copy_from_slice(&room.keep[step.keep..step.keep + count]);
            room.gather(PASSED + count, &self.gathered[step.reads[1].clone()]);
            class.inward.program.run(room.now, room.registers, room.then);
            let kept = step.keep + count..step.keep + count + class.kept;
            room.keep[kept].copy_from_slice(&room.then[PASSED..PASSED + class.kept]);
            sound &= room.then[PASSED + class.kept] == 1.0;
            if let Some(at) = step.parent {
                let others = &mut room.branches[at + MOTION..at + BRANCH];
                others.iter_mut().zip(&room.then[..PASSED]).for_each(|(sum, v)| *sum += v);
            }
            room.swap();
        }
        sound
    }

    fn back(&self, room: &mut Room<'_>, eta_dot: &mut [f64]) {
        for step in &self.steps {
            let class = &self.classes[step.class];
            if !step.follows {
                match step.parent {
                    Some(at) => {
                        room.now[..ACCELERATION].copy_from_slice(&room.branches[at..at + ACCELERATION])
                    }
                    None => room.now[..ACCELERATION].fill(0.0),
                }
            }
            let (first, count) = (step.keep + class.wrenches, class.spins + class.kept);
            room.now[ACCELERATION..ACCELERATION + count].copy_from_slice(&room.keep[first..first + count]);
            room.gather(ACCELERATION + count, &self.gathered[step.reads[2].clone()]);
            class.back.program.run(room.now, room.registers, room.then);
            let mut found = ACCELERATION;
            for (first, count) in step.speeds.iter().zip(&class.counts) {
                eta_dot[*first..first + count].copy_from_slice(&room.then[found..found + count]);
                found += count;
            }
            if let Some(at) = step.branch {
                room.branches[at..at + ACCELERATION].copy_from_slice(&room.then[..ACCELERATION]);
            }
            room.swap();
        }
    }
}

/// Kinds of links beyond which loops are not worth their programs, and links that each should have on average.
const MAX_CLASSES: usize = 64;
const MIN_MEMBERS: usize = 4;
/// Links of a segment: a multiple of the periods that chains mostly have. Fewer cost more between the programs.
const LONGEST: usize = 6;
/// How often a sequence of links must occur to be a segment.
const MIN_REPEATED: usize = 4;

/// The parts of a workspace during a run. What one program gives first is what the next one reads first, so the two buffers
/// change places and nothing is copied that the next link waits for.
struct Room<'a> {
    head: &'a [f64],
    registers: &'a mut [f64],
    now: &'a mut [f64],
    then: &'a mut [f64],
    keep: &'a mut [f64],
    branches: &'a mut [f64],
}

impl Room<'_> {
    #[inline]
    fn gather(&mut self, first: usize, places: &[usize]) {
        self.now[first..].iter_mut().zip(places).for_each(|(now, place)| *now = self.head[*place]);
    }

    #[inline]
    fn swap(&mut self) {
        std::mem::swap(&mut self.now, &mut self.then);
    }
}

fn jointed(t: &mut Tracer<'_>, acted: &Acted<'_>) -> Vec<Jointed> {
    let links = &acted.tree.links;
    let origins: Vec<Vector> = links.iter().map(|link| Pose::of(t, link).p).collect();
    let sizes = sizes(t, acted.tree, |i| origins[i]);
    let several = |list: &[Num], first: usize, count: usize| list[first..first + count].to_vec();
    links
        .iter()
        .zip(sizes)
        .map(|(link, size)| {
            let count = link.freedom.count();
            Jointed {
                link: *link,
                size,
                applied: several(acted.applied, link.speed, count),
                extra: several(acted.extra, link.speed, count),
            }
        })
        .collect()
}

/// The kind of each link, what is known of each kind, and the numbers of each link.
fn classify(t: &Tracer<'_>, jointed: &[Jointed]) -> (Vec<usize>, Vec<Pattern>, Vec<Vec<Slot>>) {
    let mut known_classes: HashMap<(Kind, Vec<Known>), usize> = HashMap::new();
    let mut patterns: Vec<Pattern> = Vec::new();
    let (mut class_of, mut all) = (Vec::new(), Vec::new());
    for each in jointed {
        let (known, slots): (Vec<Known>, Vec<Slot>) =
            each.numbers().into_iter().map(|v| Known::of(t, v)).unzip();
        let kind = Kind::of(&each.link.freedom);
        let numbers = slots.iter().map(|slot| match slot {
            Slot::Constant(c) => Some(*c),
            Slot::Value(_) => None,
        });
        let class = *known_classes.entry((kind, known.clone())).or_insert(patterns.len());
        match patterns.get_mut(class) {
            None => patterns.push(Pattern { kind, known, shared: numbers.collect() }),
            Some(pattern) => {
                for (shared, own) in pattern.shared.iter_mut().zip(numbers) {
                    *shared = shared.filter(|c| own.is_some_and(|own| own.to_bits() == c.to_bits()));
                }
            }
        }
        class_of.push(class);
        all.push(slots);
    }
    (class_of, patterns, all)
}

/// What is loaded and computed before the loops, and where each wanted value is then.
struct Head {
    once: Program,
    numbers: Vec<f64>,
    front: Program,
    places: Vec<usize>,
    /// Where what `front` gives begins.
    computed: usize,
}

impl Head {
    /// From a program of all wanted values.
    fn new(program: Program, varying: usize, fixed: Option<&[f64]>) -> Head {
        let program = match fixed {
            Some(values) => program.folded(varying, values),
            None => program,
        };
        let Hoisted { once, each } = program.hoist(varying);
        let listing = each.listing();
        let first_number = varying + once.output_count();
        let mut numbers: Vec<f64> = Vec::new();
        let mut front: Vec<usize> = Vec::new();
        let mut known: HashMap<u64, usize> = HashMap::new();
        let mut known_statements: HashMap<usize, usize> = HashMap::new();
        for output in &listing.outputs {
            match output {
                Operand::Constant(c) => {
                    known.entry(c.to_bits()).or_insert_with(|| {
                        numbers.push(*c);
                        numbers.len() - 1
                    });
                }
                Operand::Statement(k) => {
                    known_statements.entry(*k).or_insert_with(|| {
                        front.push(*k);
                        front.len() - 1
                    });
                }
                Operand::Input(_) => {}
            }
        }
        let computed = first_number + numbers.len();
        let places = listing
            .outputs
            .iter()
            .map(|output| match output {
                Operand::Input(k) => *k,
                Operand::Constant(c) => first_number + known[&c.to_bits()],
                Operand::Statement(k) => computed + known_statements[k],
            })
            .collect();
        let mut tape = Builder::new(first_number);
        let inputs: Vec<Value> = (0..first_number).map(|k| tape.input(k)).collect();
        let values = tape.inline(&listing, &inputs);
        let mut outputs = vec![None; front.len()];
        for (output, value) in listing.outputs.iter().zip(values) {
            if let Operand::Statement(k) = output {
                outputs[known_statements[k]] = Some(value);
            }
        }
        let outputs: Vec<Value> = outputs.into_iter().flatten().collect();
        Head { once, numbers, front: tape.finish(&outputs).fused(), places, computed }
    }
}

/// The tree as segments. Only the last link of a segment carries others than its successor.
fn segments(tree: &Tree, kind_of: &[usize]) -> Vec<Range<usize>> {
    let links = &tree.links;
    let mut carried = vec![0; links.len()];
    links.iter().filter_map(|link| link.parent).for_each(|p| carried[p] += 1);
    let goes_on = |i: usize| i + 1 < links.len() && links[i + 1].parent == Some(i) && carried[i] == 1;
    let mut cut = Vec::new();
    let mut first = 0;
    while first < links.len() {
        let mut end = first + 1;
        while end - first < LONGEST && goes_on(end - 1) {
            end += 1;
        }
        cut.push(first..end);
        first = end;
    }
    let mut counts: HashMap<&[usize], usize> = HashMap::new();
    cut.iter().for_each(|s| *counts.entry(&kind_of[s.clone()]).or_default() += 1);
    let whole = |s: &Range<usize>| counts[&kind_of[s.clone()]] >= MIN_REPEATED;
    cut.iter()
        .flat_map(|s| match whole(s) {
            true => vec![s.clone()],
            false => s.clone().map(|i| i..i + 1).collect(),
        })
        .collect()
}

/// The loop over the segments, how much they keep and how many carry others than the one just behind.
fn steps(
    tree: &Tree,
    segments: &[Range<usize>],
    class_of: &[usize],
    classes: &[Class],
    read: &[[Vec<Slot>; 3]],
) -> (Vec<Step>, usize, usize) {
    let mut segment_of = vec![0; tree.links.len()];
    segments.iter().enumerate().for_each(|(k, s)| segment_of[s.clone()].fill(k));
    let parent = |k: usize| tree.links[segments[k].start].parent.map(|p| segment_of[p]);
    let follows = |k: usize| k > 0 && k < segments.len() && parent(k) == Some(k - 1);
    let (mut branch, mut branches) = (vec![None; segments.len()], 0);
    for p in (0..segments.len()).filter(|k| !follows(*k)).filter_map(parent) {
        if branch[p].is_none() {
            branch[p] = Some(BRANCH * branches);
            branches += 1;
        }
    }
    let (mut keep, mut place) = (0, 0);
    let mut steps = Vec::with_capacity(segments.len());
    for (k, s) in segments.iter().enumerate() {
        let class = &classes[class_of[k]];
        let reads = [0, 1, 2].map(|part: usize| {
            place += read[k][part].len();
            place - read[k][part].len()..place
        });
        steps.push(Step {
            class: class_of[k],
            parent: parent(k).filter(|_| !follows(k)).and_then(|p| branch[p]),
            follows: follows(k),
            leads: follows(k + 1),
            keep,
            reads,
            branch: branch[k],
            speeds: tree.links[s.clone()].iter().map(|link| link.speed).collect(),
        });
        keep += class.posed() + class.kept;
    }
    (steps, keep, branches)
}
