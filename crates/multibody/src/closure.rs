//! Joints that close loops: rows `A eta' = b` along the two branches (B2).
//!
//! Everything is in the axes of the link where the branches part, as if it were at rest: motion of that link moves both
//! places alike. With the places F and G, `D = p_G - p_F`, `W = w_G - w_F` and for a joint of a branch its direction s
//! about a point r (minus on the branch of F):
//!
//! ```text
//! n . d,  n fixed in F     A = s . ((p_G - r) x n)     b = - n . (D'' - w_F' x D - 2 w_F x D' + w_F x (w_F x D))
//! f . g,  f in F, g in G   A = s . (g x f)             b = - f . ((W' - w_F x W) x g + W x (W x g))
//! |D|                      as n . d with n = D/|D|     b = - n . D'' - (D'.D' - (n . D')^2)/|D|
//! ```

use crate::joint::directions;
use crate::linear::{Matrix, Vector, ZERO};
use crate::newton_euler::{Bias, relative_velocity};
use crate::num::{Num, Tracer};
use crate::tree::Tree;

/// A place on a link.
#[derive(Clone, Copy, Debug)]
pub struct LinkPlace {
    /// The link; `None` for the ground.
    pub link: Option<usize>,
    /// Its origin, in the axes of the link.
    pub at: Vector,
    /// Its axes as columns, in the axes of the link.
    pub turned: Matrix,
}

/// What a row holds.
#[derive(Clone, Debug)]
pub enum ClosureRow {
    /// `n . d` with n in the axes of the first place.
    Along(Vector),
    /// The sum of `f . R g` with f in the axes of the first place and g in those of the second.
    Across(Vec<(Vector, Vector)>),
    /// The distance of the places.
    Distance,
}

/// A row: its entries by speeds, and b.
pub type Row = (Vec<(usize, Num)>, Num);

/// A place as seen from where the branches part, where eta' = 0.
struct Seen {
    R: Matrix,
    p: Vector,
    w: Vector,
    v: Vector,
    w_dot: Vector,
    a: Vector,
    /// Speeds of the branch: number, turn, slide, and the origin of the joint.
    speeds: Vec<(usize, Vector, Vector, Vector)>,
}

/// The rows of a joint that closes a loop.
pub fn closure(
    t: &mut Tracer<'_>,
    tree: &Tree,
    motion: &Bias,
    [first, second]: [&LinkPlace; 2],
    rows: &[ClosureRow],
) -> Vec<Row> {
    let (way_f, way_g) = branches(tree, first.link, second.link);
    let (F, G) = (seen(t, tree, motion, &way_f, first), seen(t, tree, motion, &way_g, second));
    let gap = Gap::of(t, &F, &G);
    rows.iter()
        .map(|row| match row {
            ClosureRow::Along(n) => {
                let n = t.apply3(&F.R, n);
                let right = -t.dot(&n, &gap.d_ddot);
                (gap.along(t, &F, &G, &n), right)
            }
            ClosureRow::Across(pairs) => gap.across(t, &F, &G, pairs),
            ClosureRow::Distance => gap.distance(t, &F, &G),
        })
        .collect()
}

/// The links of two branches from where they part outward.
fn branches(tree: &Tree, a: Option<usize>, b: Option<usize>) -> (Vec<usize>, Vec<usize>) {
    let way = |mut at: Option<usize>| {
        let mut way = Vec::new();
        while let Some(i) = at {
            way.push(i);
            at = tree.links[i].parent;
        }
        way.reverse();
        way
    };
    let (mut a, mut b) = (way(a), way(b));
    let shared = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    (a.split_off(shared), b.split_off(shared))
}

fn seen(t: &mut Tracer<'_>, tree: &Tree, motion: &Bias, way: &[usize], place: &LinkPlace) -> Seen {
    let mut R = t.identity();
    let (mut p, mut w, mut v, mut w_dot, mut a) = (ZERO, ZERO, ZERO, ZERO, ZERO);
    let mut speeds = Vec::new();
    for &i in way {
        let (link, pose) = (&tree.links[i], &motion.poses[i]);
        let lever = t.apply3(&R, &pose.p);
        let axes = pose.axes(t);
        (v, a) = carried(t, &lever, (&w, &v), (&w_dot, &a));
        R = t.product(&R, &axes);
        p = t.add3(&p, &lever);
        let (w_r, v_r) = relative_velocity(t, &link.freedom);
        let (w_r, v_r) = (t.apply3(&R, &w_r), t.apply3(&R, &v_r));
        let turning = t.cross(&w, &w_r);
        w_dot = t.add3(&w_dot, &turning);
        let whole = t.add3(&w, &w_r);
        let both = t.add3(&w, &whole);
        let coriolis = t.cross(&both, &v_r);
        (v, a, w) = (t.add3(&v, &v_r), t.add3(&a, &coriolis), whole);
        for (k, (turn, slide)) in directions(t, &link.freedom).iter().enumerate() {
            speeds.push((link.speed + k, t.apply3(&R, turn), t.apply3(&R, slide), p));
        }
    }
    let lever = t.apply3(&R, &place.at);
    (v, a) = carried(t, &lever, (&w, &v), (&w_dot, &a));
    Seen { R: t.product(&R, &place.turned), p: t.add3(&p, &lever), w, v, w_dot, a, speeds }
}

/// Velocity and acceleration of a point at a lever from another of the same body.
fn carried(
    t: &mut Tracer<'_>,
    lever: &Vector,
    (w, v): (&Vector, &Vector),
    (w_dot, a): (&Vector, &Vector),
) -> (Vector, Vector) {
    let swung = t.cross(w, lever);
    let (turning, inward) = (t.cross(w_dot, lever), t.cross(w, &swung));
    let a = t.add3(a, &turning);
    (t.add3(v, &swung), t.add3(&a, &inward))
}

struct Gap {
    D: Vector,
    D_dot: Vector,
    D_ddot: Vector,
    /// As seen from F.
    d_ddot: Vector,
    W: Vector,
    W_dot: Vector,
}

impl Gap {
    fn of(t: &mut Tracer<'_>, F: &Seen, G: &Seen) -> Gap {
        let (D, D_dot, D_ddot) = (t.sub3(&G.p, &F.p), t.sub3(&G.v, &F.v), t.sub3(&G.a, &F.a));
        let (turning, swung) = (t.cross(&F.w_dot, &D), t.cross(&F.w, &D));
        // - 2 w x D' + w x (w x D) = w x (w x D - 2 D')
        let twice = t.add3(&D_dot, &D_dot);
        let inner = t.sub3(&swung, &twice);
        let coriolis = t.cross(&F.w, &inner);
        let d_ddot = t.sub3(&D_ddot, &turning);
        let d_ddot = t.add3(&d_ddot, &coriolis);
        let W = t.sub3(&G.w, &F.w);
        let (change, carried) = (t.sub3(&G.w_dot, &F.w_dot), t.cross(&F.w, &W));
        Gap { D, D_dot, D_ddot, d_ddot, W, W_dot: t.sub3(&change, &carried) }
    }

    /// Entries of `n . d`.
    fn along(&self, t: &mut Tracer<'_>, F: &Seen, G: &Seen, n: &Vector) -> Vec<(usize, Num)> {
        entries(F, G, |(turn, slide, origin)| {
            let arm = t.sub3(&G.p, origin);
            let moment = t.cross(&arm, n);
            let (turned, slid) = (t.dot(turn, &moment), t.dot(slide, n));
            t.add(turned, slid)
        })
    }

    fn across(&self, t: &mut Tracer<'_>, F: &Seen, G: &Seen, pairs: &[(Vector, Vector)]) -> Row {
        let (mut moment, mut right) = (ZERO, Num::Zero);
        for (f, g) in pairs {
            let (f, g) = (t.apply3(&F.R, f), t.apply3(&G.R, g));
            let part = t.cross(&g, &f);
            moment = t.add3(&moment, &part);
            let (turning, swung) = (t.cross(&self.W_dot, &g), t.cross(&self.W, &g));
            let inward = t.cross(&self.W, &swung);
            let change = t.add3(&turning, &inward);
            let rate = t.dot(&f, &change);
            right = t.sub(right, rate);
        }
        (entries(F, G, |(turn, _, _)| t.dot(turn, &moment)), right)
    }

    fn distance(&self, t: &mut Tracer<'_>, F: &Seen, G: &Seen) -> Row {
        let square = t.dot(&self.D, &self.D);
        let inverse = t.inverse_root(square);
        let n = t.scale3(inverse, &self.D);
        let (rate, all) = (t.dot(&n, &self.D_dot), t.dot(&self.D_dot, &self.D_dot));
        let along = t.mul(rate, rate);
        let turned = t.sub(all, along);
        let turned = t.mul(inverse, turned);
        let change = t.dot(&n, &self.D_ddot);
        let right = -t.add(change, turned);
        (self.along(t, F, G, &n), right)
    }
}

/// Entries of both branches, those of F with minus.
fn entries(
    F: &Seen,
    G: &Seen,
    mut entry: impl FnMut((&Vector, &Vector, &Vector)) -> Num,
) -> Vec<(usize, Num)> {
    let mut list = Vec::with_capacity(F.speeds.len() + G.speeds.len());
    for (speed, turn, slide, origin) in &F.speeds {
        list.push((*speed, -entry((turn, slide, origin))));
    }
    for (speed, turn, slide, origin) in &G.speeds {
        list.push((*speed, entry((turn, slide, origin))));
    }
    list.retain(|(_, e)| !e.is_zero());
    list
}
