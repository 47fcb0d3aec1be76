//! Articulated bodies: eta' without a mass matrix, O(n) (B1).
//!
//! Newton-Euler has taken the velocities away: what is left starts from rest.
//!
//! ```text
//! inward   I = own + sum of I_a of the links carried      [n; f] = [J H; H^T M] [w'; a]
//!          u = Q' - s.p,  D = s.I s,  I_a = I - I s D^-1 (I s)^T,  p_a = p + I s D^-1 u
//! outward  a = X a_p,  eta' = D^-1 (u - (I s) . a),  a += s eta'
//! ```
//!
//! Source: Featherstone (1983). Pivots D are those of the factors of M from the leaves inward.

use crate::joint::{Pose, Wrench, along, directions, power};
use crate::linear::{Matrix, Vector, ZERO, ZEROS, skew, transposed};
use crate::newton_euler::Bias;
use crate::num::{Num, Tracer};
use crate::tree::{Freedom, Link, Tree};

/// `[n; f] = [J H; H^T M] [w'; a]`
#[derive(Clone, Copy)]
pub(crate) struct Articulated {
    pub J: Matrix,
    pub H: Matrix,
    pub M: Matrix,
}

/// What a joint keeps for the way outward.
pub(crate) enum Kept {
    /// D^-1 u, and D^-1 I s.
    One(Num, Wrench),
    /// u, H and the factors of J.
    Ball(Vector, Matrix, Ldl),
    /// u, and the factors of I.
    Free([Num; 6], Ldl),
}

/// Whether inertia besides that of the links is between two bodies that several speeds move against each other.
pub(crate) fn is_driven_between(link: &Link, extra: &[Num]) -> bool {
    let count = link.freedom.count();
    count > 1 && link.parent.is_some() && extra[link.speed..][..count].iter().any(|e| !e.is_zero())
}

/// Accelerations of all speeds of the tree for given applied forces. `extra` is inertia on the diagonal of M besides that
/// of the links: armatures. `None` where such inertia is between two bodies that several speeds move against each other.
pub fn articulated(
    t: &mut Tracer<'_>,
    tree: &Tree,
    bias: &Bias,
    applied: &[Num],
    extra: &[Num],
) -> Option<Vec<Num>> {
    if tree.links.iter().any(|link| is_driven_between(link, extra)) {
        return None;
    }
    let mut inertia: Vec<Articulated> = tree.links.iter().map(|link| rigid(t, link)).collect();
    let mut forces: Vec<Wrench> = bias.wrenches.clone();
    let sizes = sizes(t, tree, |i| bias.poses[i].p);
    let mut kept: Vec<Kept> = Vec::new();
    for (i, link) in tree.links.iter().enumerate().rev() {
        let (own, p, n) = (inertia[i], forces[i], link.freedom.count());
        let (tau, extra) = (&applied[link.speed..][..n], &extra[link.speed..][..n]);
        let (left, passed, keep) = eliminate(t, link, &own, &p, sizes[i], (tau, extra));
        kept.push(keep);
        if let Some(parent) = link.parent {
            let pose = &bias.poses[i];
            if let Some(left) = left {
                let moved = moved_up(t, pose, &left);
                inertia[parent] = inertia[parent].plus(t, &moved);
            }
            let passed = pose.wrench_up(t, &passed);
            forces[parent] = forces[parent].plus(t, &passed);
        }
    }
    kept.reverse();
    Some(outward(t, tree, bias, &kept))
}

fn outward(t: &mut Tracer<'_>, tree: &Tree, bias: &Bias, kept: &[Kept]) -> Vec<Num> {
    let mut eta_dot = vec![Num::Zero; tree.speeds];
    let mut accelerations: Vec<(Vector, Vector)> = Vec::with_capacity(tree.links.len());
    for (i, link) in tree.links.iter().enumerate() {
        let carried = match link.parent {
            None => (ZERO, ZERO),
            Some(parent) => bias.poses[i].accelerations_down(t, &accelerations[parent]),
        };
        let (own, found) = released(t, link, &kept[i], carried);
        eta_dot[link.speed..][..found.len()].copy_from_slice(&found);
        accelerations.push(own);
    }
    eta_dot
}

/// Accelerations of a link and of its speeds, from those it would have if it were fixed on its parent.
pub(crate) fn released(
    t: &mut Tracer<'_>,
    link: &Link,
    kept: &Kept,
    (mut w_dot, mut a): (Vector, Vector),
) -> ((Vector, Vector), Vec<Num>) {
    match kept {
        Kept::One(u, U) => {
            let (turn, slide) = directions(t, &link.freedom)[0];
            // U . s = 1 along an axis: what the link has of that acceleration does not depend on what it is carried with.
            let is_slide = matches!(link.freedom, Freedom::Slide { .. });
            let (axis, own) = if is_slide { (slide, &U.f) } else { (turn, &U.n) };
            if let Some((k, minus)) = along(t, &axis)
                && own[k] == axis[k]
                && (is_slide || slide == ZERO)
            {
                let moved = if is_slide { &mut a[k] } else { &mut w_dot[k] };
                let carried = std::mem::take(moved);
                let rest = power(t, &(w_dot, a), U);
                let free = t.sub(*u, rest);
                let (free, z) =
                    if minus { (-free, t.add(free, carried)) } else { (free, t.sub(free, carried)) };
                *(if is_slide { &mut a[k] } else { &mut w_dot[k] }) = free;
                return ((w_dot, a), vec![z]);
            }
            let carried = power(t, &(w_dot, a), U);
            let z = t.sub(*u, carried);
            let (turned, slid) = (t.scale3(z, &turn), t.scale3(z, &slide));
            (w_dot, a) = (t.add3(&w_dot, &turned), t.add3(&a, &slid));
            ((w_dot, a), vec![z])
        }
        Kept::Ball(u, H, J) => {
            let carried = t.apply3(H, &a);
            let mut whole = t.sub3(u, &carried).to_vec();
            J.solve(t, &mut whole);
            let found = (0..3).map(|k| t.sub(whole[k], w_dot[k])).collect();
            (([whole[0], whole[1], whole[2]], a), found)
        }
        Kept::Free(u, I) => {
            let mut whole = u.to_vec();
            I.solve(t, &mut whole);
            let before = [w_dot, a].concat();
            let found = (0..6).map(|k| t.sub(whole[k], before[k])).collect();
            (([whole[0], whole[1], whole[2]], [whole[3], whole[4], whole[5]]), found)
        }
    }
}

/// For the pivot of each link the size of what it is made of, before anything cancels: of turns tr J of the link and, with
/// their levers, of those carried; of sliders the mass. Where nothing slides it depends on parameters alone. `origin` is
/// where a link is on its parent.
pub(crate) fn sizes(t: &mut Tracer<'_>, tree: &Tree, origin: impl Fn(usize) -> Vector) -> Vec<Num> {
    let links = &tree.links;
    let mut turns: Vec<Num> = links
        .iter()
        .map(|link| {
            let J = link.inertia.J(t);
            let sum = t.add(J[0][0], J[1][1]);
            t.add(sum, J[2][2])
        })
        .collect();
    let mut masses: Vec<Num> = links.iter().map(|link| link.inertia.m).collect();
    for (i, link) in links.iter().enumerate().rev() {
        let Some(parent) = link.parent.filter(|_| !matches!(link.freedom, Freedom::Free { .. })) else {
            continue;
        };
        // A mass m at a lever p adds 2 m p.p to tr J.
        let p = origin(i);
        let (square, twice) = (t.dot(&p, &p), t.twice(masses[i]));
        let lever = t.mul(twice, square);
        let carried = t.add(turns[i], lever);
        turns[parent] = t.add(turns[parent], carried);
        masses[parent] = t.add(masses[parent], masses[i]);
    }
    let slides = |link: &Link| matches!(link.freedom, Freedom::Slide { .. });
    (0..links.len()).map(|i| if slides(&links[i]) { masses[i] } else { turns[i] }).collect()
}

/// A joint taken out: the inertia that is left, the wrench that passes, and what the way outward needs.
pub(crate) fn eliminate(
    t: &mut Tracer<'_>,
    link: &Link,
    own: &Articulated,
    p: &Wrench,
    size: Num,
    (tau, extra): (&[Num], &[Num]),
) -> Eliminated {
    match &link.freedom {
        Freedom::Turn { .. } | Freedom::Slide { .. } => one(t, link, own, p, size, tau[0], extra[0]),
        Freedom::Ball { .. } => ball(t, own, p, tau, extra),
        Freedom::Free { .. } => free(t, own, p, tau, extra),
    }
}

pub(crate) fn rigid(t: &mut Tracer<'_>, link: &Link) -> Articulated {
    let mass = link.inertia.m;
    let M = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { mass } else { Num::Zero }));
    Articulated { J: link.inertia.J(t), H: skew(&link.inertia.h), M }
}

/// In the axes of the parent and about its origin: `H' = H + [p] M`, `J' = J - (H [p])^T - H' [p]`.
pub(crate) fn moved_up(t: &mut Tracer<'_>, pose: &Pose, i: &Articulated) -> Articulated {
    let (J, H, M) = (pose.symmetric_up(t, &i.J), pose.matrix_up(t, &i.H), pose.symmetric_up(t, &i.M));
    let p = &pose.p;
    let lever = t.cross_columns(p, &M);
    let moved = t.add_matrices(&H, &lever);
    // (H [p])^T = -[p] H^T and H' [p] = -([p] H'^T)^T
    let (before, after) = (t.cross_columns(p, &transposed(&H)), t.cross_columns(p, &transposed(&moved)));
    let mut out = Articulated { J, H: moved, M };
    for r in 0..3 {
        for c in 0..=r {
            let both = t.add(before[r][c], after[c][r]);
            out.J[r][c] = t.add(J[r][c], both);
            out.J[c][r] = out.J[r][c];
        }
    }
    out
}

impl Articulated {
    pub fn plus(&self, t: &mut Tracer<'_>, other: &Articulated) -> Articulated {
        Articulated {
            J: t.add_matrices(&self.J, &other.J),
            H: t.add_matrices(&self.H, &other.H),
            M: t.add_matrices(&self.M, &other.M),
        }
    }

    fn apply(&self, t: &mut Tracer<'_>, turn: &Vector, slide: &Vector) -> Wrench {
        let (a, b) = (t.apply3(&self.J, turn), t.apply3(&self.H, slide));
        let (c, d) = (t.apply3(&transposed(&self.H), turn), t.apply3(&self.M, slide));
        Wrench { n: t.add3(&a, &b), f: t.add3(&c, &d) }
    }
}

pub(crate) type Eliminated = (Option<Articulated>, Wrench, Kept);

/// A joint of one speed.
fn one(
    t: &mut Tracer<'_>,
    link: &Link,
    own: &Articulated,
    p: &Wrench,
    size: Num,
    tau: Num,
    extra: Num,
) -> Eliminated {
    let direction = directions(t, &link.freedom)[0];
    let (turn, slide) = direction;
    let U = own.apply(t, &turn, &slide);
    let D = power(t, &direction, &U);
    let D = t.add(D, extra);
    let is_slide = matches!(link.freedom, Freedom::Slide { .. });
    let size = t.add(size, extra);
    let inverse = t.reciprocal(D, size);
    let (mut n, mut f) = (t.scale3(inverse, &U.n), t.scale3(inverse, &U.f));
    let felt = power(t, &direction, p);
    let u = t.sub(tau, felt);
    let z = t.mul(inverse, u);
    let mut left = Articulated {
        J: less_outer(t, &own.J, &n, &U.n, true),
        H: less_outer(t, &own.H, &n, &U.f, false),
        M: less_outer(t, &own.M, &f, &U.f, true),
    };
    let (pushed, pulled) = (t.scale3(z, &U.n), t.scale3(z, &U.f));
    let mut passed = p.plus(t, &Wrench { n: pushed, f: pulled });
    // I_a s = 0 and s.p_a = Q' where nothing is at the joint besides: known zeros.
    let lead = matches!(link.freedom, Freedom::Turn { lead, .. } if !lead.is_zero());
    let axis = if is_slide { slide } else { turn };
    if let (Some((k, minus)), true, false) = (along(t, &axis), extra.is_zero(), lead) {
        let tau = if minus { -tau } else { tau };
        match is_slide {
            false => {
                n[k] = axis[k];
                (0..3).for_each(|c| {
                    (left.J[k][c], left.J[c][k], left.H[k][c]) = (Num::Zero, Num::Zero, Num::Zero)
                });
                passed.n[k] = tau;
            }
            true => {
                f[k] = axis[k];
                (0..3).for_each(|c| {
                    (left.M[k][c], left.M[c][k], left.H[c][k]) = (Num::Zero, Num::Zero, Num::Zero)
                });
                passed.f[k] = tau;
            }
        }
    }
    (Some(left), passed, Kept::One(z, Wrench { n, f }))
}

/// `A - a b^T`
fn less_outer(t: &mut Tracer<'_>, A: &Matrix, a: &Vector, b: &Vector, is_symmetric: bool) -> Matrix {
    let mut out = *A;
    for i in 0..3 {
        for j in 0..if is_symmetric { i + 1 } else { 3 } {
            let product = t.mul(a[i], b[j]);
            out[i][j] = t.sub(A[i][j], product);
            if is_symmetric {
                out[j][i] = out[i][j];
            }
        }
    }
    out
}

/// A ball joint: only forces pass it, and `M - H^T J^-1 H`.
fn ball(t: &mut Tracer<'_>, own: &Articulated, p: &Wrench, tau: &[Num], extra: &[Num]) -> Eliminated {
    let tau: Vector = [tau[0], tau[1], tau[2]];
    let mut D: Vec<Vec<Num>> = own.J.iter().map(|row| row.to_vec()).collect();
    (0..3).for_each(|k| D[k][k] = t.add(D[k][k], extra[k]));
    let factors = Ldl::of(t, &D);
    let columns = transposed(&own.H).map(|column| {
        let mut solved = column.to_vec();
        factors.solve(t, &mut solved);
        [solved[0], solved[1], solved[2]]
    });
    let u = t.sub3(&tau, &p.n);
    let mut M = own.M;
    let sides = transposed(&own.H);
    for i in 0..3 {
        for j in 0..=i {
            let product = t.dot(&columns[i], &sides[j]);
            M[i][j] = t.sub(M[i][j], product);
            M[j][i] = M[i][j];
        }
    }
    let pushed: Vector = std::array::from_fn(|i| t.dot(&columns[i], &u));
    let passed = Wrench { n: tau, f: t.add3(&p.f, &pushed) };
    let left = Articulated { J: ZEROS, H: ZEROS, M };
    (Some(left), passed, Kept::Ball(u, own.H, factors))
}

/// A free joint: only applied forces pass it.
fn free(t: &mut Tracer<'_>, own: &Articulated, p: &Wrench, tau: &[Num], extra: &[Num]) -> Eliminated {
    let mut I: Vec<Vec<Num>> = Vec::new();
    for i in 0..3 {
        I.push(own.J[i].iter().chain(&own.H[i]).copied().collect());
    }
    for i in 0..3 {
        I.push(transposed(&own.H)[i].iter().chain(&own.M[i]).copied().collect());
    }
    (0..6).for_each(|k| I[k][k] = t.add(I[k][k], extra[k]));
    let felt: Vec<Num> = p.n.iter().chain(&p.f).copied().collect();
    let u = std::array::from_fn(|k| t.sub(tau[k], felt[k]));
    let passed = Wrench { n: [tau[0], tau[1], tau[2]], f: [tau[3], tau[4], tau[5]] };
    let factors = Ldl::of(t, &I);
    (None, passed, Kept::Free(u, factors))
}

/// L D L^T of a small symmetric matrix, eliminated from its end.
pub(crate) struct Ldl {
    pub L: Vec<Vec<Num>>,
    pub inverse: Vec<Num>,
}

impl Ldl {
    fn of(t: &mut Tracer<'_>, A: &[Vec<Num>]) -> Ldl {
        let n = A.len();
        let mut L: Vec<Vec<Num>> = A.to_vec();
        let mut inverse = vec![Num::Zero; n];
        for k in (0..n).rev() {
            inverse[k] = t.reciprocal(L[k][k], A[k][k]);
            let row: Vec<Num> = (0..k).map(|i| L[k][i]).collect();
            for i in 0..k {
                let scaled = t.mul(row[i], inverse[k]);
                for j in 0..=i {
                    let product = t.mul(scaled, row[j]);
                    L[i][j] = t.sub(L[i][j], product);
                }
                L[k][i] = scaled;
            }
        }
        Ldl { L, inverse }
    }

    fn solve(&self, t: &mut Tracer<'_>, v: &mut [Num]) {
        let n = v.len();
        for k in (0..n).rev() {
            for i in 0..k {
                let product = t.mul(self.L[k][i], v[k]);
                v[i] = t.sub(v[i], product);
            }
        }
        for k in 0..n {
            v[k] = t.mul(v[k], self.inverse[k]);
            for i in 0..k {
                let product = t.mul(self.L[k][i], v[i]);
                v[k] = t.sub(v[k], product);
            }
        }
    }
}
