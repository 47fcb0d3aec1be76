//! Whether a model of bodies is plane, from what is written before anything is evaluated.
//!
//! `gravity` decides by the number of its components. Without it a model is plane if points, directions, inertias and
//! torques are: vectors of two components, numbers for inertias and torques, and none of three components.

use dalembert_syntax::ast::{Definition, Expr, ExprKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Names that are followed from one definition to the next.
const DEPTH: usize = 16;

/// What the statements of a model say about its dimensions.
#[derive(Default)]
pub(super) struct Dimensions {
    gravity: Option<usize>,
    components: FxHashSet<usize>,
    lets: FxHashMap<String, Expr>,
}

impl Dimensions {
    pub(crate) fn is_plane(&self) -> bool {
        match self.gravity {
            Some(n) => n == 2,
            None => self.components.contains(&2) && !self.components.contains(&3),
        }
    }

    pub fn gravity(&mut self, field: &Expr) {
        self.gravity = self.length(field);
    }

    pub fn names(&mut self, list: &[Definition]) {
        let plain = list.iter().filter(|d| d.arguments.is_empty());
        self.lets.extend(plain.map(|d| (d.target.name.text.clone(), d.value.clone())));
    }

    /// A point or a direction.
    pub fn vector(&mut self, e: &Expr) {
        self.components.extend(self.length(e));
    }

    /// A turn about an axis, which is in space.
    pub(crate) fn turn_in_space(&mut self) {
        self.components.insert(3);
    }

    /// An inertia or a torque: a number in the plane.
    pub fn moment(&mut self, e: &Expr) {
        match self.length(e) {
            Some(n) => self.components.extend((n == 3).then_some(3)),
            None if self.is_number(e, DEPTH) => self.components.extend([2]),
            None => {}
        }
    }

    /// Points and directions on bodies inside an expression.
    pub fn points(&mut self, e: &Expr) {
        let mut parts = vec![e];
        while let Some(part) = parts.pop() {
            match &part.kind {
                ExprKind::Of(at, _) | ExprKind::In(at, _) => self.vector(at),
                ExprKind::Prime(inner, _) => parts.push(inner),
                _ => {}
            }
            parts.extend(super::super::roles::children(part));
        }
    }

    /// How many components an expression has, as far as it is written out.
    fn length(&self, e: &Expr) -> Option<usize> {
        self.length_within(e, DEPTH)
    }

    fn length_within(&self, e: &Expr, depth: usize) -> Option<usize> {
        let depth = depth.checked_sub(1)?;
        let inside = |e: &Expr| self.length_within(e, depth);
        match &e.kind {
            ExprKind::Vector(parts) => Some(parts.len()),
            ExprKind::Name(name) => inside(self.lets.get(name)?),
            ExprKind::Neg(inner) => inside(inner),
            ExprKind::In(inner, _) => inside(inner),
            ExprKind::Sum(terms) => terms.iter().find_map(|term| inside(&term.expr)),
            ExprKind::Product(factors) => factors.iter().find_map(|factor| inside(&factor.expr)),
            ExprKind::Call(name, _) if ["rpy", "quaternion", "rotation"].contains(&name.text.as_str()) => {
                Some(3)
            }
            _ => None,
        }
    }

    /// Whether an expression is made of numbers and names of numbers alone.
    fn is_number(&self, e: &Expr, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let inside = |e: &Expr| self.is_number(e, depth);
        match &e.kind {
            ExprKind::Number(_) | ExprKind::Quantity(..) | ExprKind::Index(..) => true,
            ExprKind::Name(name) => self.lets.get(name).is_none_or(inside),
            ExprKind::Neg(inner) => inside(inner),
            ExprKind::Sum(terms) => terms.iter().all(|term| inside(&term.expr)),
            ExprKind::Product(factors) => factors.iter().all(|factor| inside(&factor.expr)),
            ExprKind::Power(a, b) => inside(a) && inside(b),
            _ => false,
        }
    }
}
