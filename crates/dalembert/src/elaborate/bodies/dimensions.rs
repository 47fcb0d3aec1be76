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
        let part = |joint: &Joint, k: usize| joint.kind.coordinates(is_plane).get(k).copied().unwrap_or("");
        let turns_or_slides =
            |turns: bool| UnitInfo::Known(if turns { Dimension::angle() } else { Dimension::length() });
        match on {
            Binding::Coordinate(i) => {
                let mut places =
                    joints().filter_map(|j| Some((j, j.coordinates.iter().position(|c| c == i)?)));
                match places.next() {
                    Some((joint, k)) if part(joint, k).starts_with('e') => UnitInfo::Missing,
                    Some((joint, k)) => turns_or_slides(!slides(joint.kind, part(joint, k))),
                    None => UnitInfo::Missing,
                }
            }
            Binding::Speed(s) => {
                let place = joints().find_map(|j| j.speeds.iter().position(|c| c == s));
                place.map_or(UnitInfo::Missing, |k| turns_or_slides(k < 3))
            }
            _ => UnitInfo::Missing,
        }
    }
}
