//! The numbers of a link as a list, and what is known of each for all links of a class.

use crate::inertia::PseudoInertia;
use crate::linear::{Matrix, Vector, ZERO, ZEROS};
use crate::num::{Num, Tracer};
use crate::tree::{Freedom, Link};
use dalembert_tape::Value;

/// A link with what acts at its joint, for its part of the recursion.
pub(super) struct Jointed {
    pub link: Link,
    /// What its pivot is judged by.
    pub size: Num,
    /// Applied forces.
    pub applied: Vec<Num>,
    /// Inertia besides that of the link.
    pub extra: Vec<Num>,
}

/// What is known of a number of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Known {
    Zero,
    One,
    MinusOne,
    /// A constant that may differ from link to link.
    Constant,
    /// A value of the tape.
    Value,
    /// Minus a value of the tape.
    Minus,
}

/// A number of a link in its place.
#[derive(Clone, Copy)]
pub(super) enum Slot {
    Constant(f64),
    Value(Value),
}

impl Known {
    pub fn of(t: &Tracer<'_>, number: Num) -> (Known, Slot) {
        match (number, t.constant_of(number)) {
            (_, Some(0.0)) => (Known::Zero, Slot::Constant(0.0)),
            (_, Some(1.0)) => (Known::One, Slot::Constant(1.0)),
            (_, Some(-1.0)) => (Known::MinusOne, Slot::Constant(-1.0)),
            (_, Some(c)) => (Known::Constant, Slot::Constant(c)),
            (Num::Minus(v), None) => (Known::Minus, Slot::Value(v)),
            (Num::Value(v), None) => (Known::Value, Slot::Value(v)),
            (Num::Zero, None) => (Known::Zero, Slot::Constant(0.0)),
        }
    }
}

/// Which kind of freedom a class has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Turn,
    Slide,
    Ball,
    Free,
}

impl Kind {
    pub fn of(freedom: &Freedom) -> Kind {
        match freedom {
            Freedom::Turn { .. } => Kind::Turn,
            Freedom::Slide { .. } => Kind::Slide,
            Freedom::Ball { .. } => Kind::Ball,
            Freedom::Free { .. } => Kind::Free,
        }
    }

    /// How many speeds it has.
    pub fn count(self) -> usize {
        match self {
            Kind::Turn | Kind::Slide => 1,
            Kind::Ball => 3,
            Kind::Free => 6,
        }
    }
}

impl Jointed {
    /// The numbers, in the order in which [`Jointed::from_numbers`] takes them.
    pub fn numbers(&self) -> Vec<Num> {
        let link = &self.link;
        let mut list = Vec::with_capacity(40);
        list.extend(link.at);
        list.extend(link.turned.iter().flatten());
        list.push(link.inertia.m);
        list.extend(link.inertia.h);
        (0..3).for_each(|i| list.extend(&link.inertia.S[i][..=i]));
        match &link.freedom {
            Freedom::Turn { axis, angle, rate, lead } => list.extend(axis.iter().chain([angle, rate, lead])),
            Freedom::Slide { axis, way, rate } => list.extend(axis.iter().chain([way, rate])),
            Freedom::Ball { R, w } => list.extend(R.iter().flatten().chain(w)),
            Freedom::Free { R, p, w, v } => list.extend(R.iter().flatten().chain(p).chain(w).chain(v)),
        }
        list.push(self.size);
        list.extend(self.applied.iter().chain(&self.extra));
        list
    }

    /// A link of its own with these numbers.
    pub fn from_numbers(kind: Kind, numbers: &[Num]) -> Jointed {
        let mut left = numbers.iter().copied();
        let mut next = || left.next().unwrap_or_default();
        let (at, turned) = (vector(&mut next), matrix(&mut next));
        let mut inertia = PseudoInertia { m: next(), h: vector(&mut next), S: ZEROS };
        for i in 0..3 {
            for j in 0..=i {
                inertia.S[i][j] = next();
                inertia.S[j][i] = inertia.S[i][j];
            }
        }
        let freedom = match kind {
            Kind::Turn => {
                Freedom::Turn { axis: vector(&mut next), angle: next(), rate: next(), lead: next() }
            }
            Kind::Slide => Freedom::Slide { axis: vector(&mut next), way: next(), rate: next() },
            Kind::Ball => Freedom::Ball { R: matrix(&mut next), w: vector(&mut next) },
            Kind::Free => Freedom::Free {
                R: matrix(&mut next),
                p: vector(&mut next),
                w: vector(&mut next),
                v: vector(&mut next),
            },
        };
        let size = next();
        let mut several = || (0..kind.count()).map(|_| next()).collect();
        let (applied, extra) = (several(), several());
        Jointed { link: Link { parent: None, at, turned, freedom, inertia, speed: 0 }, size, applied, extra }
    }
}

pub(super) fn vector(next: &mut impl FnMut() -> Num) -> Vector {
    let mut out = ZERO;
    out.iter_mut().for_each(|c| *c = next());
    out
}

pub(super) fn matrix(next: &mut impl FnMut() -> Num) -> Matrix {
    let mut out = ZEROS;
    out.iter_mut().flatten().for_each(|c| *c = next());
    out
}
