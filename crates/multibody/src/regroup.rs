//! Regrouping (B4): what of a link acts like a part of its parent becomes a part of its parent.
//!
//! Mass on the axis of a turn moves with the parent: of the pseudo-inertia the entries of the axis and the mass. The
//! second moments of a link that slides turn with the parent. M, Q and both energies stay the same to rounding. Source: Gautier, Khalil (1990).

use crate::inertia::PseudoInertia;
use crate::joint::along;
use crate::linear::{ZERO, ZEROS};
use crate::num::{Num, Tracer};
use crate::tree::{Freedom, Tree};

/// The tree with inertias moved inward.
pub fn regroup(t: &mut Tracer<'_>, tree: &mut Tree) {
    for i in (0..tree.links.len()).rev() {
        let mut link = tree.links[i];
        let body = &mut link.inertia;
        let part = match &link.freedom {
            Freedom::Turn { axis, lead: Num::Zero, .. } => {
                let Some((k, _)) = along(t, axis) else { continue };
                let mut part = PseudoInertia { m: body.m, h: ZERO, S: ZEROS };
                (part.h[k], part.S[k][k]) = (body.h[k], body.S[k][k]);
                (body.m, body.h[k], body.S[k][k]) = (Num::Zero, Num::Zero, Num::Zero);
                part
            }
            Freedom::Slide { .. } => {
                let part = PseudoInertia { S: body.S, ..PseudoInertia::NONE };
                body.S = ZEROS;
                part
            }
            _ => continue,
        };
        let moved = part.turned(t, &link.turned).shifted(t, &link.at);
        let parent = match link.parent {
            Some(p) => &mut tree.links[p].inertia,
            None => &mut tree.ground,
        };
        *parent = parent.plus(t, &moved);
        tree.links[i] = link;
    }
}
