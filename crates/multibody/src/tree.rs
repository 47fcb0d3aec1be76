//! The tree as numbers of a tape.

use crate::inertia::PseudoInertia;
use crate::linear::{Matrix, Vector};
use crate::num::Num;

/// How a link moves against the axes of its joint on the parent.
#[derive(Clone, Copy, Debug)]
pub enum Freedom {
    /// Turns about an axis of length 1 and advances along it.
    Turn {
        /// The axis.
        axis: Vector,
        /// The angle.
        angle: Num,
        /// Its rate.
        rate: Num,
        /// Advance in one radian.
        lead: Num,
    },
    /// Slides along an axis of length 1.
    Slide {
        /// The axis.
        axis: Vector,
        /// How far.
        way: Num,
        /// Its rate.
        rate: Num,
    },
    /// Turns about a point.
    Ball {
        /// Its axes as columns.
        R: Matrix,
        /// Its angular velocity against the parent, in its axes.
        w: Vector,
    },
    /// Moves freely.
    Free {
        /// Its axes as columns.
        R: Matrix,
        /// Its origin.
        p: Vector,
        /// Its angular velocity against the parent, in its axes.
        w: Vector,
        /// The velocity of its origin against the parent, in its axes.
        v: Vector,
    },
}

impl Freedom {
    /// How many speeds it has.
    pub fn count(&self) -> usize {
        match self {
            Freedom::Turn { .. } | Freedom::Slide { .. } => 1,
            Freedom::Ball { .. } => 3,
            Freedom::Free { .. } => 6,
        }
    }
}

/// A body and the joint that carries it. Its axes are those of the joint on its side.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The link that carries it; `None` for the ground.
    pub parent: Option<usize>,
    /// Origin of the joint, in the axes of the parent.
    pub at: Vector,
    /// Axes of the joint as columns, in the axes of the parent.
    pub turned: Matrix,
    /// How it moves there.
    pub freedom: Freedom,
    /// Its inertia about its origin, in its axes.
    pub inertia: PseudoInertia,
    /// The first of its speeds, which follow each other: turns before velocities.
    pub speed: usize,
}

/// Links, each behind its parent.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The links.
    pub links: Vec<Link>,
    /// Inertia that is fixed on the ground: it has weight and does not move.
    pub ground: PseudoInertia,
    /// The field of gravity, in the axes of the ground.
    pub gravity: Vector,
    /// How many speeds there are; some may belong to no link.
    pub speeds: usize,
}
