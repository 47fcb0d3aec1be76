//! Units of bodies: of their energies, and of the displacements of their joints.

use super::super::Elaborator;
use super::super::scope::Binding;
use super::closure::slides;
use crate::bodies::Joint;
use dalembert_expr::Rational;
use dalembert_syntax::units::{Dimension, UnitInfo};

impl Elaborator<'_> {
    /// The unit of the energies of bodies, a mass times the square of a velocity, where masses have one.
    pub(in super::super) fn energy_kind_of_bodies(&self) -> UnitInfo {
        let velocity = UnitInfo::Known(Dimension::length().per_time());
        match &self.bodies.mass_kind {
            Some(mass) => mass.times(&velocity, &Rational::from(2)),
            None => UnitInfo::Number,
        }
    }

    /// The unit of what a generalised force on a joint acts along: an angle or a length.
    pub(in super::super) fn displacement_kind(&self, on: &Binding) -> UnitInfo {
        let is_plane = self.bodies.plan.is_plane;
        let joints = || self.bodies.joints.iter().flatten();
        let turns_or_slides =
            |turns: bool| UnitInfo::Known(if turns { Dimension::angle() } else { Dimension::length() });
        let of_coordinate = |joint: &Joint, k: usize| match joint.kind.coordinates(is_plane).get(k) {
            Some(part) if !part.starts_with('e') => turns_or_slides(!slides(joint.kind, part)),
            _ => UnitInfo::Missing,
        };
        let found = match on {
            Binding::Coordinate(i) => joints()
                .find_map(|j| Some((j, j.coordinates.iter().position(|c| c == i)?)))
                .map(|(joint, k)| of_coordinate(joint, k)),
            Binding::Freedom(slot, k) => {
                self.bodies.joints[*slot].as_ref().map(|joint| of_coordinate(joint, *k))
            }
            Binding::Speed(s) => {
                joints().find_map(|j| j.speeds.iter().position(|c| c == s)).map(|k| turns_or_slides(k < 3))
            }
            Binding::FreedomSpeed(_, k) => Some(turns_or_slides(*k < 3)),
            _ => None,
        };
        found.unwrap_or(UnitInfo::Missing)
    }
}
