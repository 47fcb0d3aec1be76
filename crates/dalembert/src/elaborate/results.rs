//! Results by name: energies, forces and multipliers that outputs and events ask for.

use super::finish::Energies;
use super::scope::Binding;
use super::speeds::Kinematics;
use super::{Elaborator, Fallible, Reported};
use crate::kernel_form::Places;
use crate::system::{Contact, Observables, Power, StoredForces, event_expressions as expressions};
use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;
use rustc_hash::FxHashSet;

/// What a force of a class on a speed is called among the symbols.
fn force_on(class: &str, speed: &str) -> String {
    format!("{class} on {speed}")
}

/// What the control force on a speed is called among the symbols.
pub(super) fn control_on(speed: &str) -> String {
    force_on("control", speed)
}

impl Elaborator<'_> {
    pub(super) fn observables(&mut self, k: &Kinematics, contacts: &[Contact]) -> Observables {
        let mut on_speeds = |what: &str| {
            k.speeds.iter().map(|s| self.pool.symbol(&force_on(what, &s.name))).collect::<Vec<Symbol>>()
        };
        let [impressed, ideal, nonideal, control] =
            ["impressed", "ideal", "nonideal", "control"].map(&mut on_speeds);
        Observables {
            impressed,
            ideal,
            nonideal,
            control,
            multipliers: self
                .constraints
                .rows
                .iter()
                .map(|r| self.pool.symbol(&format!("multiplier({})", r.name)))
                .collect(),
            reactions: self
                .constraints
                .list
                .iter()
                .map(|c| self.pool.symbol(&format!("reaction({})", c.name)))
                .collect(),
            friction: contacts
                .iter()
                .flat_map(|c| (0..c.velocity.len()).map(move |i| format!("friction({}).{i}", c.name)))
                .map(|name| self.pool.symbol(&name))
                .collect(),
            gauss: Some(self.pool.symbol("gauss")),
            works: Power::ALL.map(|class| self.pool.symbol(&format!("work({})", class.name()))).to_vec(),
        }
    }

    pub(super) fn replace_in_outputs(
        &mut self,
        k: &Kinematics,
        images: &[(Symbol, Expr)],
        observables: &Observables,
        energies: &[(&'static str, Option<Expr>)],
    ) -> Fallible<()> {
        let mut images = images.to_vec();
        let events: Vec<(Expr, Span)> =
            expressions(&mut self.experiment.events).map(|(e, span)| (*e, span)).collect();
        if let Some((_, span)) = events.iter().find(|(e, _)| self.pool.depends_on(*e, &observables.works)) {
            let d = Diagnostic::error(
                Code::ObservableOutsideOutput,
                *span,
                "an event cannot depend on `work(...)`",
            );
            return self.fail(d.help("work is known where rows are given out: use it in `output`"));
        }
        for &(name, value) in energies {
            let symbol = self.pool.symbol(name);
            match value {
                Some(value) => images.push((symbol, value)),
                None => {
                    let outputs = self.experiment.outputs.iter().map(|o| (o.value, o.span));
                    let users: Vec<(Expr, Span)> = outputs.chain(events.iter().copied()).collect();
                    let user = users.into_iter().find(|(e, _)| self.pool.depends_on(*e, &[symbol]));
                    if let Some((_, span)) = user {
                        let d = Diagnostic::error(
                            Code::ObservableOutsideOutput,
                            span,
                            format!("`{name}` is not defined for this model"),
                        );
                        let help = match energies[0].1.is_some() {
                            true => {
                                "a Lagrangian gives `energy` alone; `kinetic` and `potential` give its parts"
                            }
                            false => {
                                "energies are known where `kinetic`, `potential` or `lagrangian` give them"
                            }
                        };
                        return self.fail(d.help(help));
                    }
                }
            }
        }
        for wanted in std::mem::take(&mut self.experiment.force_observables) {
            let forces = match wanted.kind.as_str() {
                "impressed" => &observables.impressed,
                "ideal" => &observables.ideal,
                "nonideal" => &observables.nonideal,
                _ => &observables.control,
            };
            let value = self.force_component(&wanted.on, forces, k, wanted.span)?;
            images.push((wanted.symbol, value));
        }
        let values: Vec<Expr> =
            self.experiment.outputs.iter().map(|o| o.value).chain(events.iter().map(|e| e.0)).collect();
        let replaced = self.pool.substitute(&values, &images);
        let (outputs, events) = replaced.split_at(self.experiment.outputs.len());
        self.experiment.outputs.iter_mut().zip(outputs).for_each(|(o, e)| o.value = *e);
        expressions(&mut self.experiment.events).zip(events).for_each(|((old, _), new)| *old = *new);
        self.close_events(k)
    }

    /// `energy` is T + V; where T is not a quadratic function of the speeds, or only a Lagrangian is known, it is
    /// eta . dL/d eta - L, which is the same for quadratic T.
    pub(super) fn energy_expressions(
        &mut self,
        k: &Kinematics,
        e: Energies,
        stored: Option<&StoredForces>,
    ) -> [(&'static str, Option<Expr>); 3] {
        let speeds: Vec<Symbol> = k.speeds.iter().map(|s| s.symbol).collect();
        // A mass matrix given directly has an energy of its own, which nothing says.
        if self.forces.mass_given {
            return [("energy", None), ("kinetic_energy", None), ("potential_energy", e.potential)];
        }
        let kinetic = match (e.kinetic, e.lagrangian) {
            (Some(t), None) => Some(self.kinetic_energy(t, &speeds)),
            _ => None,
        };
        let potential = match e.lagrangian {
            None => e.potential.or(kinetic.map(|_| Pool::ZERO)),
            Some(_) => None,
        };
        let energy = match (kinetic, potential, e.lagrangian) {
            (Some(t), Some(v), _) => Some(self.pool.add(t, v)),
            (_, _, Some(l)) => {
                let mut parts = vec![(l, Rational::ONE)];
                parts.extend(e.kinetic.map(|t| (t, Rational::ONE)));
                parts.extend(e.potential.map(|v| (v, Rational::MINUS_ONE)));
                let whole = self.pool.combine(parts);
                Some(self.legendre(whole, &speeds)).map(|rest| self.with_kinetic_of_bodies(rest))
            }
            _ => None,
        };
        let [energy, potential] = [energy, potential]
            .map(|part| part.map(|e| stored.map_or(e, |laws| self.pool.add(e, laws.potential))));
        [("energy", energy), ("kinetic_energy", kinetic), ("potential_energy", potential)]
    }

    /// The kinetic energy of bodies, homogeneous of the second degree in the speeds, where its name took the sign of a
    /// potential in [`Self::legendre`].
    fn with_kinetic_of_bodies(&mut self, energy: Expr) -> Expr {
        let Some(name) = self.kinetic_name_of_bodies() else { return energy };
        let T = self.pool.var(name);
        self.pool.combine([(energy, Rational::ONE), (T, Rational::from(2))])
    }

    pub(super) fn kinetic_energy(&mut self, t: Expr, speeds: &[Symbol]) -> Expr {
        let (momenta, places) = (self.pool.gradient(t, speeds), Places::new(speeds));
        // Momenta that are the same expression are looked at once: T = (sum of rates)^2 has as many as speeds.
        let different: FxHashSet<Expr> = momenta.into_iter().collect();
        let mut different: Vec<Expr> = different.into_iter().collect();
        different.sort_unstable();
        // Nor does it matter which speeds they are of: the members of a family have one shape.
        let mut shapes = FxHashSet::default();
        different.retain(|p| shapes.insert(self.pool.shape(*p, |s| places.of(s).map(|i| (0, i))).0));
        let linear = different.iter().all(|p| {
            let second = places.gradient(&mut self.pool, *p);
            second.iter().all(|(_, s)| places.present(&mut self.pool, *s).is_empty())
        });
        if linear { t } else { self.legendre(t, speeds) }
    }

    /// `eta . dF/d eta - F`
    pub(super) fn legendre(&mut self, f: Expr, speeds: &[Symbol]) -> Expr {
        let momenta = self.pool.gradient(f, speeds);
        let mut parts = vec![(f, Rational::MINUS_ONE)];
        for (s, p) in speeds.iter().zip(momenta) {
            let eta = self.pool.var(*s);
            parts.push((self.pool.mul(eta, p), Rational::ONE));
        }
        self.pool.combine(parts)
    }

    /// A generalised force on a speed, or on a coordinate: Q_x = sum of Y_px Q_p, where the inverse Y is known.
    pub(super) fn force_component(
        &mut self,
        on: &Binding,
        forces: &[Symbol],
        k: &Kinematics,
        span: Span,
    ) -> Fallible<Expr> {
        let i = match on {
            Binding::Speed(s) => {
                return Ok(self.pool.var(forces[k.speeds.len() - self.frame.definitions.len() + s]));
            }
            Binding::Coordinate(i) => *i,
            _ => return Err(Reported),
        };
        if let Some(p) = k.speeds.iter().position(|s| s.rate_of == Some(i)) {
            return Ok(self.pool.var(forces[p]));
        }
        match &k.inverse {
            Some(inverse) => {
                let mut parts = Vec::new();
                for (p, row) in inverse.iter().enumerate() {
                    let force = self.pool.var(forces[p]);
                    parts.push(self.pool.mul(row[i], force));
                }
                Ok(self.pool.total(parts))
            }
            None => {
                let message = format!(
                    "the force on `{}` is not determined by those on the speeds",
                    self.frame.coordinates[i].name
                );
                let d = Diagnostic::error(Code::NotApplicable, span, message);
                self.fail(d.help("ask for the force on a speed instead"))
            }
        }
    }
}
