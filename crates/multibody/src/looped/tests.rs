//! Loops over links against straight-line code of the same recursion.

use super::*;
use crate::inertia::PseudoInertia;
use crate::linear::{Matrix, ZERO};
use crate::newton_euler::bias;
use crate::tree::{Freedom, Link};
use crate::{articulated, regroup};

/// Numbers that look random, the same every time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    }

    fn below(&mut self, n: usize) -> usize {
        ((self.next() + 1.0) / 2.0 * n as f64) as usize % n
    }
}

/// Links of a few kinds in a chain with branches. Inputs of the tape: t, coordinates, speeds, two parameters.
struct Sample {
    tape: Builder,
    tree: Tree,
    applied: Vec<Num>,
    extra: Vec<Num>,
    x_dot: Vec<Num>,
    varying: usize,
}

/// 0 turns about x, 1 slides, 2 turns about a slanted axis with a lead, 3 turns about -y behind a turn, 4 is a ball, 5 is free.
fn sample(seed: u64, kinds: &[usize], n: usize, branching: usize) -> Sample {
    let mut numbers = Numbers(seed);
    let kind_of: Vec<usize> = (0..n).map(|i| kinds[i % kinds.len()]).collect();
    let coordinates = |kind: usize| [1, 1, 1, 1, 4, 7][kind];
    let speeds = |kind: usize| [1, 1, 1, 1, 3, 6][kind];
    let n_x: usize = kind_of.iter().map(|k| coordinates(*k)).sum();
    let n_eta: usize = kind_of.iter().map(|k| speeds(*k)).sum();
    let varying = 1 + n_x + n_eta;
    let mut tape = Builder::new(varying + 2);
    let input: Vec<Num> = (0..varying + 2).map(|k| Num::Value(tape.input(k))).collect();
    let mut t = Tracer::new(&mut tape);
    let identity = t.identity();
    let mut tree =
        Tree { speeds: n_eta, gravity: [Num::Zero, input[varying], t.constant(-9.81)], ..Tree::default() };
    let (mut x, mut eta) = (1, 1 + n_x);
    let (mut applied, mut extra) = (vec![Num::Zero; n_eta], vec![Num::Zero; n_eta]);
    for (i, &kind) in kind_of.iter().enumerate() {
        let slanted = [t.constant(1.0 / 3.0), t.constant(2.0 / 3.0), t.constant(-2.0 / 3.0)];
        let freedom = match kind {
            0 => Freedom::Turn { axis: identity[0], angle: input[x], rate: input[eta], lead: Num::Zero },
            1 => Freedom::Slide { axis: identity[2], way: input[x], rate: input[eta] },
            2 => Freedom::Turn { axis: slanted, angle: input[x], rate: input[eta], lead: t.constant(0.1) },
            3 => {
                let axis = identity[1].map(|c| -c);
                Freedom::Turn { axis, angle: input[x], rate: input[eta], lead: Num::Zero }
            }
            4 => Freedom::Ball { R: turn(&mut t, &input[x..x + 4]), w: [0, 1, 2].map(|k| input[eta + k]) },
            _ => Freedom::Free {
                R: turn(&mut t, &input[x + 3..x + 7]),
                p: [0, 1, 2].map(|k| input[x + k]),
                w: [0, 1, 2].map(|k| input[eta + k]),
                v: [3, 4, 5].map(|k| input[eta + k]),
            },
        };
        let mass = if i % 5 == 0 { input[varying + 1] } else { t.constant(1.0) };
        let length = 0.2 + 0.01 * numbers.next();
        let centre = [t.constant(0.02), Num::Zero, t.constant(-length / 2.0)];
        let J: Matrix = std::array::from_fn(|a| {
            std::array::from_fn(|b| if a == b { t.constant(0.01 + 0.002 * a as f64) } else { Num::Zero })
        });
        let parent = match i {
            0 => None,
            _ if branching > 0 && numbers.below(branching) == 0 => Some(numbers.below(i)),
            _ => Some(i - 1),
        };
        if kind != 4 && kind != 5 && i % 4 == 0 {
            extra[eta - 1 - n_x] = t.constant(0.05);
            applied[eta - 1 - n_x] = t.mul(input[0], input[eta]);
        }
        let inertia = PseudoInertia::new(&mut t, mass, &centre, &J);
        let at = if i == 0 { ZERO } else { [Num::Zero, Num::Zero, t.constant(-length)] };
        tree.links.push(Link { parent, at, turned: identity, freedom, inertia, speed: eta - 1 - n_x });
        (x, eta) = (x + coordinates(kind), eta + speeds(kind));
    }
    regroup(&mut t, &mut tree);
    let x_dot = (0..n_x).map(|k| if k % 3 == 0 { t.twice(input[1 + k]) } else { input[1 + n_x] }).collect();
    Sample { tape, tree, applied, extra, x_dot, varying }
}

/// A rotation by a quaternion of any length near 1.
fn turn(t: &mut Tracer<'_>, e: &[Num]) -> Matrix {
    let one = t.constant(1.0);
    let mut out: Matrix = Default::default();
    let v = [e[1], e[2], e[3]];
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let (a, b) = (t.mul(v[j], v[j]), t.mul(v[k], v[k]));
        let squares = t.add(a, b);
        let squares = t.twice(squares);
        out[i][i] = t.sub(one, squares);
        let (product, turning) = (t.mul(v[i], v[j]), t.mul(e[0], v[k]));
        let (minus, plus) = (t.sub(product, turning), t.add(product, turning));
        (out[i][j], out[j][i]) = (t.twice(minus), t.twice(plus));
    }
    out
}

/// The largest difference from straight-line code, relative to the largest acceleration, and how many classes there are.
fn difference(kinds: &[usize], n: usize, branching: usize, is_native: bool) -> (f64, usize) {
    let make = || sample(7, kinds, n, branching);
    let Sample { tape, tree, applied, extra, x_dot, varying } = make();
    let acted = Acted { tree: &tree, x_dot: &x_dot, applied: &applied, extra: &extra };
    let mut looped = Looped::new(tape, &acted, varying, None).expect("few classes");
    if is_native {
        looped.compile();
    }
    let mut numbers = Numbers(3);
    let mut inputs: Vec<f64> = (0..varying).map(|_| numbers.next()).collect();
    normalise(kinds, n, &mut inputs);
    let parameters = [0.4, 1.3];
    let mut workspace = looped.workspace(&looped.constants(&parameters));
    workspace[..varying].copy_from_slice(&inputs);
    let mut out = vec![0.0; x_dot.len() + tree.speeds];
    assert!(looped.run(&mut workspace, &mut out), "sound pivots");
    // A second run finds nothing of the first.
    let first = out.clone();
    assert!(looped.run(&mut workspace, &mut out) && out == first);

    let Sample { mut tape, tree, applied, extra, x_dot, .. } = make();
    let mut t = Tracer::new(&mut tape);
    let motion = bias(&mut t, &tree);
    let eta_dot = articulated(&mut t, &tree, &motion, &applied, &extra).expect("no drives between");
    let wanted: Vec<Value> = x_dot.iter().chain(&eta_dot).map(|v| t.value(*v)).collect();
    let program = tape.finish(&wanted);
    inputs.extend(parameters);
    let mut judged = vec![0.0; wanted.len()];
    program.interpret(&inputs, &mut vec![0.0; program.register_count()], &mut judged);
    let size = judged.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let off = judged.iter().zip(&out).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    (off / size, looped.class_count())
}

fn normalise(kinds: &[usize], n: usize, inputs: &mut [f64]) {
    let mut x = 1;
    for i in 0..n {
        let (skip, count) = match kinds[i % kinds.len()] {
            4 => (0, 4),
            5 => (3, 4),
            _ => (1, 0),
        };
        let e = &mut inputs[x + skip..x + skip + count];
        let length = e.iter().map(|c| c * c).sum::<f64>().sqrt();
        e.iter_mut().for_each(|c| *c /= length);
        x += skip + count;
    }
}

#[test]
fn chains_of_pins_agree() {
    for n in [70, 200] {
        let (off, classes) = difference(&[0, 3, 0], n, 0, true);
        assert!(off < 1e-10 && classes <= 16, "{off:.1e}, {classes} classes");
    }
}

#[test]
fn mixed_chains_agree() {
    for kinds in [&[0usize, 1][..], &[2, 0], &[4, 0, 1], &[5, 0, 0, 0], &[0, 1, 2, 3, 4, 0]] {
        let (off, _) = difference(kinds, 120, 0, true);
        assert!(off < 1e-10, "{kinds:?}: {off:.1e}");
    }
}

#[test]
fn branches_agree_natively_and_interpreted() {
    for is_native in [false, true] {
        for branching in [2, 5, 20] {
            let (off, _) = difference(&[0, 3, 1, 4], 160, branching, is_native);
            assert!(off < 1e-10, "one of {branching} branches: {off:.1e}");
        }
    }
}

#[test]
fn segments_end_where_links_branch_off() {
    let Sample { tree, .. } = sample(7, &[0, 3], 60, 4);
    let cut = segments(&tree, &vec![0; 60]);
    assert_eq!(cut.iter().map(|s| s.len()).sum::<usize>(), 60);
    for s in &cut {
        for i in s.start + 1..s.end {
            assert_eq!(tree.links[i].parent, Some(i - 1));
        }
        let inner = s.start..s.end - 1;
        assert!(
            tree.links
                .iter()
                .enumerate()
                .all(|(i, link)| { link.parent.is_none_or(|p| !inner.contains(&p)) || s.contains(&i) })
        );
    }
}
