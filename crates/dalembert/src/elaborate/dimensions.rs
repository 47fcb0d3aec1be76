//! Units across statements: there is one energy, and forces and inertia times what they act on are of its kind.

use super::scope::Binding;
use super::speeds::Kinematics;
use super::{Elaborator, Fallible, Part};
use dalembert_expr::Rational;
use dalembert_syntax::units::{Dimension, UnitInfo};

impl Elaborator<'_> {
    /// Refuses energies, forces and inertia whose units do not go together, as far as units are given; the unit of
    /// energies, as far as known.
    pub(super) fn check_dimensions(&mut self, k: &Kinematics) -> Fallible<UnitInfo> {
        let time = UnitInfo::Known(Dimension::time());
        let displacements: Vec<UnitInfo> =
            k.speeds.iter().map(|s| s.kind.times(&time, &Rational::ONE)).collect();
        let mut energy = self.energy_kind_of_bodies();
        for part in self.energy_parts() {
            self.fits(&mut energy, &part, &UnitInfo::Number)?;
        }
        // Taken away while they are looked at: a mass matrix may be large.
        let mass = self.forces.mass.take();
        for (row, p) in mass.iter().flat_map(|(rows, _)| rows).zip(&k.speeds) {
            for (part, q) in row.iter().zip(&k.speeds).filter(|(part, _)| part.kind != UnitInfo::Number) {
                self.fits(&mut energy, part, &p.kind.times(&q.kind, &Rational::ONE))?;
            }
        }
        self.forces.mass = mass;
        let (forces_on, limits) =
            (std::mem::take(&mut self.forces.on), std::mem::take(&mut self.contacts.limits));
        let on_freedoms = std::mem::take(&mut self.forces.on_freedoms);
        for (on, part) in forces_on.iter().chain(&on_freedoms).chain(&limits) {
            let displacement = match on {
                Binding::Coordinate(i) => self.frame.coordinates[*i].kind.clone(),
                Binding::Speed(s) => displacements[k.speeds.len() - self.frame.definitions.len() + s].clone(),
                _ => UnitInfo::Missing,
            };
            let displacement = match displacement {
                UnitInfo::Missing => self.displacement_kind(on),
                known => known,
            };
            self.fits(&mut energy, part, &displacement)?;
        }
        self.forces.on = forces_on;
        let vectors = std::mem::take(&mut self.forces.vectors);
        for (part, displacement) in vectors.iter().flat_map(|(force, _)| force.iter().zip(&displacements)) {
            self.fits(&mut energy, part, displacement)?;
        }
        self.forces.vectors = vectors;
        for (part, factor) in self.work_parts(&time) {
            self.fits(&mut energy, &part, &factor)?;
        }
        Ok(match energy {
            UnitInfo::Known(_) => energy.without_angle(),
            UnitInfo::Missing | UnitInfo::Number => UnitInfo::Missing,
        })
    }

    fn energy_parts(&self) -> Vec<Part> {
        [&self.energies.kinetic, &self.energies.potential, &self.energies.lagrangian]
            .into_iter()
            .flatten()
            .cloned()
            .collect()
    }

    /// What is work already, and what is work in a time.
    fn work_parts(&self, time: &UnitInfo) -> Vec<(Part, UnitInfo)> {
        let works = self.forces.work.iter().chain(&self.forces.nonideal).cloned();
        let at_points = self.forces.at_work.iter().cloned();
        let rates = self.energies.dissipation.iter().map(|part| (part.clone(), time.clone()));
        works.chain(at_points).map(|part| (part, UnitInfo::Number)).chain(rates).collect()
    }

    /// A quantity times `factor` must be of the kind of the energy, which is known from the first one that has a unit.
    fn fits(&mut self, energy: &mut UnitInfo, part: &Part, factor: &UnitInfo) -> Fallible<()> {
        let product = part.kind.times(factor, &Rational::ONE);
        match (&part.kind, &product, &*energy) {
            (UnitInfo::Known(_), UnitInfo::Known(_), UnitInfo::Known(_)) => {
                // An energy for an angle is a moment, whatever angles are in the energy.
                let wanted = energy.without_angle().times(factor, &Rational::MINUS_ONE);
                self.same_unit(&wanted, &part.kind, part.span)?;
            }
            (UnitInfo::Known(_), UnitInfo::Known(_), _) => *energy = product,
            _ => {}
        }
        Ok(())
    }
}
