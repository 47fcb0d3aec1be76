//! Units of results that outputs ask for by name: energies, powers, multipliers, generalised forces.
//!
//! A multiplier times its residual is an energy (a power where the constraint is on velocities), since K2 has A^T lambda
//! beside generalised forces. A force on a coordinate times the coordinate is an energy, so that the force on an angle is
//! a moment. Nothing is said where one of the units is not given.

use super::Elaborator;
use super::scope::Binding;
use super::speeds::Kinematics;
use crate::system::Observables;
use dalembert_expr::{Expr, Rational, Symbol};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;
use std::collections::BTreeSet;

impl Elaborator<'_> {
    /// Gives outputs that are results of the motion and nothing else their units.
    pub(super) fn name_result_units(&mut self, k: &Kinematics, results: &Observables, energy: &UnitInfo) {
        self.warn_of_mixed_reactions(k, results);
        if !matches!(energy, UnitInfo::Known(_)) {
            return;
        }
        let per = |a: &UnitInfo, b: &UnitInfo| a.times(b, &Rational::MINUS_ONE);
        let power = energy.per_time();
        let mut known: Vec<(Symbol, UnitInfo)> = Vec::new();
        for (row, symbol) in self.constraints.rows.iter().zip(&results.multipliers) {
            known.push((*symbol, per(if row.holonomic { energy } else { &power }, &row.kind)));
        }
        for wanted in &self.experiment.force_observables {
            let unit = match &wanted.on {
                Binding::Coordinate(i) => per(energy, &self.frame.coordinates[*i].kind),
                Binding::Speed(s) => {
                    self.frame.speeds.get(*s).map_or(UnitInfo::Missing, |s| per(&power, &s.kind))
                }
                _ => UnitInfo::Missing,
            };
            known.push((wanted.symbol, unit));
        }
        if let Some(unit) = one_unit(k, &power) {
            known.extend(results.reactions.iter().map(|symbol| (*symbol, unit.clone())));
        }
        known.extend(results.works.iter().map(|symbol| (*symbol, energy.clone())));
        for name in ["energy", "kinetic_energy", "potential_energy"] {
            known.push((self.pool.symbol(name), energy.clone()));
        }
        for class in crate::system::Power::ALL {
            known.push((self.pool.symbol(&format!("power({})", class.name())), power.clone()));
        }
        let mut values: Vec<_> =
            known.into_iter().map(|(symbol, unit)| (self.pool.var(symbol), unit)).collect();
        values.extend(std::mem::take(&mut self.bodies.result_kinds));
        for output in self.experiment.outputs.iter_mut().filter(|o| o.kind == UnitInfo::Missing) {
            if let Some((_, unit)) = values.iter().find(|(value, _)| *value == output.value) {
                output.kind = unit.clone();
            }
        }
    }
}

impl Elaborator<'_> {
    /// A norm over forces and moments is warned of, except at contacts, where it is the normal force.
    fn warn_of_mixed_reactions(&mut self, k: &Kinematics, results: &Observables) {
        let units: BTreeSet<String> = k.speeds.iter().filter_map(|s| s.kind.shown()).collect();
        if units.len() < 2 {
            return;
        }
        let contacts: Vec<String> = self.contacts.list.iter().map(|c| c.name.clone()).collect();
        let plain =
            self.constraints.list.iter().zip(&results.reactions).filter(|(c, _)| !contacts.contains(&c.name));
        let symbols: Vec<(String, Symbol)> = plain.map(|(c, s)| (c.name.clone(), *s)).collect();
        let outputs: Vec<(Expr, Span)> = self.experiment.outputs.iter().map(|o| (o.value, o.span)).collect();
        for (value, span) in outputs {
            let used = symbols.iter().find(|(_, symbol)| self.pool.depends_on(value, &[*symbol]));
            if let Some((name, _)) = used {
                let message = format!("`reaction({name})` adds newtons and newton metres");
                let d = Diagnostic::warning(Code::ReactionMixesUnits, span, message);
                let help = format!("use `multiplier({name})`, or `ideal(x)` for the part on one coordinate");
                self.diagnostics.push(d.help(help));
            }
        }
    }
}

/// The unit of a generalised force where it is the same for all speeds, moments and forces told apart.
fn one_unit(k: &Kinematics, power: &UnitInfo) -> Option<UnitInfo> {
    let unit = |kind: &UnitInfo| power.times(kind, &Rational::MINUS_ONE);
    let first = unit(&k.speeds.first()?.kind);
    let same = |kind: &UnitInfo| matches!(kind, UnitInfo::Known(_)) && unit(kind).shown() == first.shown();
    k.speeds.iter().all(|s| same(&s.kind)).then_some(first)
}
