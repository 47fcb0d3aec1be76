//! Contacts with Coulomb friction: what a system answers of them, and the friction of those that slide.

use super::{Point, Shape};
use dalembert_linalg::Mat;
use std::ops::Range;

/// Contacts with Coulomb friction (see [`crate::contact`]).
pub trait Contacts: Sync {
    /// The contacts; constant.
    fn contacts(&self) -> &[Contact];

    /// Sliding velocities, their rows, coefficients and the way to the normal forces.
    fn contact_terms(&self, at: Point<'_>, scratch: &mut [f64], out: &mut ContactTerms<'_>);
}

/// Contacts of which it is known which ones slide.
pub trait SlidingContacts: Sync {
    /// The friction of those that slide.
    fn sliding(&self, at: Point<'_>, scratch: &mut [f64], out: &mut Sliding);
}

/// A contact with Coulomb friction: where its numbers stand. One without components of a normal force has a given limit:
/// its coefficients are forces, and its normal force is 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact {
    /// Rows of the constraint whose force presses.
    pub rows: Range<usize>,
    /// Components of its sliding velocity among the `n_slide`.
    pub slide: Range<usize>,
    /// Components of its normal force among the `n_normal`.
    pub normal: Range<usize>,
}

impl Contact {
    /// Whether its coefficients are forces themselves, so that nothing needs to press.
    pub fn has_given_limit(&self) -> bool {
        self.normal.is_empty()
    }
}

/// The numbers of all contacts at one state. Row-major; borrowed so that they can live in scratch.
#[derive(Debug)]
pub struct ContactTerms<'a> {
    /// Sliding velocities V, n_slide.
    pub V: &'a mut [f64],
    /// dV/d eta, n_slide * n_eta.
    pub J: Mat<&'a mut [f64]>,
    /// Right side of V' = 0 as rows J eta' = b (K6), n_slide.
    pub b: &'a mut [f64],
    /// Coefficient of sliding friction, n_contact.
    pub mu: &'a mut [f64],
    /// Coefficient of static friction, n_contact.
    pub mu_static: &'a mut [f64],
    /// The normal force of contact k is |N|, N = P lambda over its own rows: P has n_normal rows of n_con entries.
    pub P: &'a mut [f64],
}

impl<'a> ContactTerms<'a> {
    /// How much room they take.
    pub fn room(shape: &Shape) -> usize {
        shape.n_slide * (shape.n_eta + 2) + 2 * shape.n_contact + shape.n_normal * shape.n_con
    }

    /// Takes their room from a slice; returns what is left of it.
    pub fn carve(shape: &Shape, room: &'a mut [f64]) -> (Self, &'a mut [f64]) {
        let (V, rest) = room.split_at_mut(shape.n_slide);
        let (J, rest) = rest.split_at_mut(shape.n_slide * shape.n_eta);
        let (b, rest) = rest.split_at_mut(shape.n_slide);
        let (mu, rest) = rest.split_at_mut(shape.n_contact);
        let (mu_static, rest) = rest.split_at_mut(shape.n_contact);
        let (P, rest) = rest.split_at_mut(shape.n_normal * shape.n_con);
        (Self { V, J: Mat::new(J, shape.n_eta), b, mu, mu_static, P }, rest)
    }
}

/// Friction of the contacts that slide, for normal forces of one, and where that of the others is found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sliding {
    /// The contacts that slide.
    pub contacts: Vec<usize>,
    /// Friction force on each component of sliding velocity, n_slide; zeros for contacts that stick.
    pub unit: Vec<f64>,
    /// Generalised force of each contact that slides, in the order of `contacts`, n_eta numbers each.
    pub force: Vec<f64>,
    /// P of [`ContactTerms`].
    pub P: Vec<f64>,
    /// For contacts that stick: component of sliding velocity, row, and the factor that makes a force of its multiplier.
    pub held: Vec<(usize, usize, f64)>,
    /// Constraint rows that are no contact's.
    pub natural: usize,
}

impl Sliding {
    /// Room for the contacts of a shape; rows beyond the first `natural` belong to contacts that stick.
    pub fn new(shape: &Shape, natural: usize) -> Self {
        Self {
            contacts: Vec::with_capacity(shape.n_contact),
            unit: vec![0.0; shape.n_slide],
            force: vec![0.0; shape.n_contact * shape.n_eta],
            P: vec![0.0; shape.n_normal * natural],
            held: Vec::with_capacity(shape.n_slide),
            natural,
        }
    }
}
