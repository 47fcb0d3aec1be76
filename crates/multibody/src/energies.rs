//! Kinetic and potential energy of the tree (B1), in O(links).
//!
//! ```text
//! w = R^T w_p + w_r,    v = R^T (v_p + w_p x p) + v_r
//! T = sum of  m v.v/2 + v.(w x h) + w.J w/2
//! V = -sum of g.h + (mass carried) g_p.p        g turned into the axes of each link
//! ```
//!
//! What a link lifts is all that it carries, so that no position in space is needed. Checked against the energies in
//! symbols by `crates/dalembert/tests/it/bodies/energies.rs`.

use crate::joint::Pose;
use crate::linear::{Vector, ZERO};
use crate::newton_euler::relative_velocity;
use crate::num::{Num, Tracer};
use crate::tree::{Link, Tree};

/// Kinetic energy, and potential energy in the field of gravity, which vanishes where a mass is at the origin of the ground.
pub fn energies(t: &mut Tracer<'_>, tree: &Tree) -> (Num, Num) {
    let mut carried: Vec<Num> = tree.links.iter().map(|link| link.inertia.m).collect();
    for (i, link) in tree.links.iter().enumerate().rev() {
        if let Some(p) = link.parent {
            carried[p] = t.add(carried[p], carried[i]);
        }
    }
    let mut motions: Vec<Motion> = Vec::with_capacity(tree.links.len());
    let ground = Motion { w: ZERO, v: ZERO, g: tree.gravity };
    let mut twice_kinetic = Num::Zero;
    let mut weight = t.dot(&tree.gravity, &tree.ground.h);
    for (link, carried) in tree.links.iter().zip(carried) {
        let parent = link.parent.map_or(ground, |p| motions[p]);
        let pose = Pose::of(t, link);
        let lifted = t.dot(&parent.g, &pose.p);
        let lifted = t.mul(carried, lifted);
        let motion = parent.carry(t, link, &pose);
        let own = t.dot(&motion.g, &link.inertia.h);
        for part in [lifted, own] {
            weight = t.add(weight, part);
        }
        let own = motion.twice_kinetic(t, link);
        twice_kinetic = t.add(twice_kinetic, own);
        motions.push(motion);
    }
    (t.half(twice_kinetic), -weight)
}

/// Angular velocity, velocity of the origin, and gravity, in the axes of a link.
#[derive(Clone, Copy)]
struct Motion {
    w: Vector,
    v: Vector,
    g: Vector,
}

impl Motion {
    fn carry(&self, t: &mut Tracer<'_>, link: &Link, pose: &Pose) -> Motion {
        let (w_r, v_r) = relative_velocity(t, &link.freedom);
        let lever = t.cross(&self.w, &pose.p);
        let at = t.add3(&self.v, &lever);
        let (w, v) = (pose.down(t, &self.w), pose.down(t, &at));
        Motion { w: t.add3(&w, &w_r), v: t.add3(&v, &v_r), g: pose.down(t, &self.g) }
    }

    fn twice_kinetic(&self, t: &mut Tracer<'_>, link: &Link) -> Num {
        let (J, moment) = (link.inertia.J(t), t.cross(&self.w, &link.inertia.h));
        let angular = t.apply3(&J, &self.w);
        let momentum = t.scale3(link.inertia.m, &self.v);
        let momentum = t.add3(&momentum, &moment);
        let momentum = t.add3(&momentum, &moment);
        let (turning, sliding) = (t.dot(&self.w, &angular), t.dot(&self.v, &momentum));
        t.add(turning, sliding)
    }
}
