//! Composite inertias: the mass matrix of a tree (B1).
//!
//! ```text
//! F = I_c s        the wrench that moves the subtree of a joint along its direction s
//! M_pq = s_q . F   with F carried inward to every joint on the way to the ground
//! ```
//!
//! Source: Walker, Orin (1982).

use crate::inertia::PseudoInertia;
use crate::joint::{Wrench, directions, power};
use crate::linear::Vector;
use crate::newton_euler::Bias;
use crate::num::{Num, Tracer};
use crate::tree::Tree;

/// Entries `(p, q, M_pq)` with q <= p of M that are not zero by structure.
pub fn composite(t: &mut Tracer<'_>, tree: &Tree, bias: &Bias) -> Vec<(usize, usize, Num)> {
    let mut inertia: Vec<PseudoInertia> = tree.links.iter().map(|link| link.inertia).collect();
    let mut entries = Vec::new();
    for (i, link) in tree.links.iter().enumerate().rev() {
        let own = directions(t, &link.freedom);
        for (k, direction) in own.iter().enumerate() {
            let mut F = moving(t, &inertia[i], direction);
            for (q, other) in own.iter().enumerate().take(k + 1) {
                let entry = power(t, other, &F);
                entries.push((link.speed + k, link.speed + q, entry));
            }
            let mut at = i;
            while let Some(p) = tree.links[at].parent {
                F = bias.poses[at].wrench_up(t, &F);
                let parent = &tree.links[p];
                for (q, other) in directions(t, &parent.freedom).iter().enumerate() {
                    let entry = power(t, other, &F);
                    let (row, column) = (link.speed + k, parent.speed + q);
                    entries.push((row.max(column), row.min(column), entry));
                }
                at = p;
            }
        }
        if let Some(p) = link.parent {
            let moved = bias.poses[i].inertia_up(t, &inertia[i]);
            inertia[p] = inertia[p].plus(t, &moved);
        }
    }
    entries.retain(|(.., entry)| *entry != Num::Zero);
    entries
}

/// The wrench that accelerates a body along a direction.
fn moving(t: &mut Tracer<'_>, body: &PseudoInertia, (turn, slide): &(Vector, Vector)) -> Wrench {
    let J = body.J(t);
    let (turned, lever) = (t.apply3(&J, turn), t.cross(&body.h, slide));
    let (pushed, swung) = (t.scale3(body.m, slide), t.cross(turn, &body.h));
    Wrench { n: t.add3(&turned, &lever), f: t.add3(&pushed, &swung) }
}
