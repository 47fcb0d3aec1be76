//! Closing a model: kinematics solved, rates replaced by speeds, forces gathered, results named.

use super::actuate::Control;
use super::scope::Binding;
use super::speeds::Kinematics;
use super::{Elaborator, Fallible};
use crate::kernel_form::Places;
use crate::system::{
    self, Contact, Contribution, Initial, InitialTarget, Observables, PlacedForce, StoredForces, System,
};
use dalembert_expr::{Derivation, Expr, Pool, Symbol};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;

impl Elaborator<'_> {
    /// The system, or what is still wrong with it.
    pub(super) fn finish(mut self) -> (Option<System>, Vec<Diagnostic>) {
        let system = self.close();
        let mut diagnostics = std::mem::take(&mut self.diagnostics);
        if self.pool.exhausted() {
            diagnostics.push(Diagnostic::error(
                Code::TooLarge,
                None,
                "the expressions of this model outgrow the memory they may use",
            ));
            return (None, diagnostics);
        }
        let powers_asked_for = self.experiment.powers_asked_for;
        let mut system = system.ok().map(|parts| self.assemble(parts));
        if let Some(system) = system.as_mut().filter(|_| powers_asked_for) {
            crate::energy_balance::name_powers(system);
        }
        (system, diagnostics)
    }

    fn close(&mut self) -> Fallible<Closed> {
        self.check_contents()?;
        self.forces.mass_given = self.forces.mass.is_some();
        let releases = self.release_images();
        self.put_releases_to_zero(&releases);
        self.read_motions()?;
        let kinematics = self.resolve_speeds()?;
        let energy_kind = self.check_dimensions(&kinematics)?;
        let mut images = self.images(&kinematics);
        images.extend(releases);
        self.add_input_images(&mut images);
        let body_results = self.body_results(&kinematics, &images)?;
        let [kinetic, potential, lagrangian, dissipation] = [
            &self.energies.kinetic,
            &self.energies.potential,
            &self.energies.lagrangian,
            &self.energies.dissipation,
        ]
        .map(|parts| {
            let exprs: Vec<Expr> = parts.iter().map(|p| p.expr).collect();
            (!exprs.is_empty()).then_some(exprs)
        });
        let mut sum = |parts: Option<Vec<Expr>>| {
            parts.map(|parts| {
                let total = self.pool.total(parts);
                self.pool.substitute(&[total], &images)[0]
            })
        };
        let (kinetic, potential, lagrangian, dissipation) =
            (sum(kinetic), sum(potential), sum(lagrangian), sum(dissipation));
        let rest = self.rest_of_lagrangian(&images);
        let frame = self.frame_rows(&kinematics);
        let mut contributions = self.energy_contributions(&images);
        let stored = self.stored_forces(&images);
        let (applied, forces) = self.applied_forces(&kinematics, &frame, &images)?;
        contributions.extend(forces);
        let spans =
            (self.forces.nonideal.first().map(|p| p.span), self.forces.mass.as_ref().map(|(_, span)| *span));
        let nonideal = self.nonideal_term(&kinematics, &images)?;
        let mass = self.checked_mass(&kinematics, &images)?;
        self.replace_in_rows(&kinematics, &images)?;
        let placed = self.placed_forces(&frame, &images);
        let contacts = self.close_contacts(&kinematics, &images)?;
        let control = self.close_control(&kinematics, &frame, &images)?;
        let initial = self.checked_initials(&kinematics);
        let observables = self.observables(&kinematics, &contacts);
        let energies = Energies { kinetic, potential, lagrangian };
        let energies = self.energy_expressions(&kinematics, energies, stored.as_ref());
        images.extend(body_results);
        self.name_result_units(&kinematics, &observables, &energy_kind);
        self.replace_in_outputs(&kinematics, &images, &observables, &energies)?;
        let arguments: Vec<Expr> = self.table_uses.iter().map(|used| used.argument).collect();
        let arguments = self.pool.substitute(&arguments, &images);
        self.table_uses.iter_mut().zip(arguments).for_each(|(used, e)| used.argument = e);
        let auxiliary_rates = self.auxiliary_rates(&images);
        Ok(Closed {
            rest,
            auxiliary_rates,
            energies: energies.map(|(_, value)| value),
            stored,
            energy_kind,
            placed,
            contacts,
            control,
            kinematics,
            kinetic,
            potential,
            lagrangian,
            dissipation,
            contributions,
            applied,
            nonideal,
            spans,
            mass,
            initial,
            observables,
        })
    }

    /// Where bodies are released for the sake of reactions, what is drawn and what speeds mean does not see it.
    fn put_releases_to_zero(&mut self, releases: &[(Symbol, Expr)]) {
        if releases.is_empty() {
            return;
        }
        let pool = &mut self.pool;
        let mut zeroed = |list: &mut [Expr]| list.copy_from_slice(&pool.substitute(list, releases));
        for point in self.drawing.vectors.iter_mut() {
            zeroed(&mut point.at);
        }
        for (e, _) in self.frame.definitions.iter_mut().chain(&mut self.frame.kinematics).flatten() {
            zeroed(std::slice::from_mut(e));
        }
        for figure in &mut self.drawing.figures {
            figure.for_each_expression(|e| zeroed(std::slice::from_mut(e)));
        }
    }

    fn check_contents(&mut self) -> Fallible<()> {
        if self.frame.coordinates.is_empty() {
            if let Some(d) = self.no_body_moves() {
                return self.fail(d);
            }
            let d = Diagnostic::error(Code::NoCoordinates, None, "the model has no coordinates");
            return self.fail(d.help("declare them with `coordinate x, y`"));
        }
        if self.energies.kinetic.is_empty()
            && self.energies.lagrangian.is_empty()
            && self.forces.mass.is_none()
        {
            if let Some(d) = self.no_body_has_mass() {
                return self.fail(d);
            }
            let d = Diagnostic::error(
                Code::MissingEnergy,
                None,
                "the model has no inertia: no kinetic energy, Lagrangian or mass matrix",
            );
            return self.fail(d.help("write `kinetic m/2*x'^2`, `lagrangian ...`, or `mass [[m]]`"));
        }
        Ok(())
    }

    /// What stands for rates, second rates and virtual displacements once the speeds are known.
    fn images(&mut self, kinematics: &Kinematics) -> Vec<(Symbol, Expr)> {
        let mut images = self.rate_images(kinematics);
        self.demote_rates(&images);
        if images.is_empty() {
            return images;
        }
        let frame = self.frame_rows(kinematics);
        let speed_of = kinematics.speed_of(self.frame.coordinates.len());
        let mut seeds: Vec<(Symbol, Expr)> = vec![(self.time, Pool::ONE)];
        for (c, rate) in self.frame.coordinates.iter().zip(&kinematics.rates) {
            seeds.push((c.symbol, *rate));
        }
        for s in &kinematics.speeds {
            seeds.push((s.symbol, self.pool.var(s.acceleration)));
        }
        let mut dot = Derivation::new(seeds);
        for i in 0..self.frame.coordinates.len() {
            if speed_of[i].is_some() {
                continue;
            }
            let second = dot.apply(&mut self.pool, kinematics.rates[i]);
            images.push((self.frame.coordinates[i].acceleration, second));
            let mut change = Vec::new();
            for (p, X_ip) in &frame[i] {
                let displacement = self.pool.var(kinematics.speeds[*p].displacement);
                change.push(self.pool.mul(*X_ip, displacement));
            }
            let change = self.pool.total(change);
            images.push((self.frame.coordinates[i].displacement, change));
        }
        images
    }

    /// The frame X by the entries of its rows: how each speed moves a coordinate.
    fn frame_rows(&mut self, kinematics: &Kinematics) -> Vec<Vec<(usize, Expr)>> {
        let places = Places::new(kinematics.speeds.iter().map(|s| &s.symbol));
        kinematics.rates.iter().map(|r| places.gradient(&mut self.pool, *r)).collect()
    }

    fn replace_in_rows(&mut self, k: &Kinematics, images: &[(Symbol, Expr)]) -> Fallible<()> {
        let residuals: Vec<Expr> = self.constraints.rows.iter().map(|r| r.residual).collect();
        let replaced = self.pool.substitute(&residuals, images);
        self.constraints.rows.iter_mut().zip(replaced).for_each(|(row, e)| row.residual = e);
        let rows = self.constraints.rows.iter().filter(|row| row.on_accelerations);
        let rows: Vec<(Expr, Span)> = rows.map(|row| (row.residual, row.span)).collect();
        self.check_accelerations(k, &rows)
    }

    /// Rows on accelerations are linear in them.
    pub(super) fn check_accelerations(&mut self, k: &Kinematics, rows: &[(Expr, Span)]) -> Fallible<()> {
        let symbols: Vec<Symbol> = k.speeds.iter().map(|s| s.acceleration).collect();
        for (residual, span) in rows {
            if self.pool.linear(*residual, &symbols).is_none() {
                let message = "a constraint or requirement must be linear in accelerations";
                let d = Diagnostic::error(Code::NotLinear, *span, message);
                return self.fail(d.help("their factors may depend on coordinates, rates and time"));
            }
        }
        Ok(())
    }

    fn checked_initials(&mut self, k: &Kinematics) -> Vec<Initial> {
        let n_own = k.speeds.len() - self.frame.definitions.len();
        let n_x = self.frame.coordinates.len();
        let speed_of = k.speed_of(n_x);
        let target = |on: &Binding, order: u32| match on {
            Binding::Coordinate(i) if order == 0 => InitialTarget::Coordinate(*i),
            Binding::Coordinate(i) => match speed_of[*i] {
                Some(p) => InitialTarget::Speed(p),
                None => InitialTarget::Rate(*i),
            },
            Binding::Speed(s) => InitialTarget::Speed(n_own + s),
            Binding::Auxiliary(k) => InitialTarget::Coordinate(n_x + self.auxiliary_place(*k)),
            _ => InitialTarget::Coordinate(0),
        };
        let initial = self.experiment.initial.iter().map(|raw| Initial {
            target: target(&raw.on, raw.order),
            fixed: raw.fixed,
            value: raw.value,
            span: raw.span,
        });
        initial.collect()
    }

    fn assemble(mut self, mut c: Closed) -> System {
        let bodies = self.multibody(c.rest);
        self.append_auxiliaries(&mut c.kinematics, c.auxiliary_rates);
        let [total, kinetic_part, potential_part] = c.energies;
        let Kinematics { speeds, rates, inverse, .. } = c.kinematics;
        System {
            pool: self.pool,
            title: self.title,
            time: self.time,
            constants: self.constants,
            parameters: self.parameters,
            signals: self.signals,
            frame: system::Frame {
                coordinates: self.frame.coordinates,
                speeds,
                kinematics: rates,
                speeds_in_rates: inverse,
            },
            energies: system::Energies {
                kinetic: c.kinetic,
                potential: c.potential,
                lagrangian: c.lagrangian,
                written: self.energies.written,
                total,
                kinetic_part,
                potential_part,
                stored: c.stored,
                unit: c.energy_kind,
            },
            forces: system::Forces {
                applied: c.applied,
                dissipation: c.dissipation,
                mass: c.mass,
                mass_span: c.spans.1,
                contributions: c.contributions,
                placed: c.placed,
            },
            constraints: system::Constraints {
                named: self.constraints.list,
                rows: self.constraints.rows,
                nonideal: c.nonideal,
                nonideal_span: c.spans.0,
            },
            contacts: c.contacts,
            control: system::Control {
                requirements: self.control.requirements,
                rows: self.control.rows,
                actuators: c.control.actuators,
                bounds: c.control.bounds,
                weight: c.control.weight,
            },
            bodies,
            experiment: system::Experiment {
                initial: c.initial,
                outputs: self.experiment.outputs,
                events: self.experiment.events,
                table_uses: self.table_uses,
                run: self.experiment.run,
                complete_integral: self.experiment.complete_integral,
            },
            observables: c.observables,
            drawing: system::Drawing { figures: self.drawing.figures, vectors: self.drawing.vectors },
        }
    }
}

/// The energies as they were given.
#[derive(Clone, Copy)]
pub(super) struct Energies {
    pub kinetic: Option<Expr>,
    pub potential: Option<Expr>,
    pub lagrangian: Option<Expr>,
}

/// What closing a model found.
struct Closed {
    /// The Lagrangian without the energies of bodies.
    rest: Expr,
    /// Of the auxiliary variables, in the speeds.
    auxiliary_rates: Vec<Expr>,
    /// The whole, the kinetic and the potential energy.
    energies: [Option<Expr>; 3],
    stored: Option<StoredForces>,
    energy_kind: UnitInfo,
    placed: Vec<PlacedForce>,
    contacts: Vec<Contact>,
    control: Control,
    kinematics: Kinematics,
    kinetic: Option<Expr>,
    potential: Option<Expr>,
    lagrangian: Option<Expr>,
    dissipation: Option<Expr>,
    contributions: Vec<Contribution>,
    applied: Vec<Expr>,
    nonideal: Option<Vec<Expr>>,
    /// Of `nonideal work` and of `mass`.
    spans: (Option<Span>, Option<Span>),
    mass: Option<Vec<Vec<Expr>>>,
    initial: Vec<Initial>,
    observables: Observables,
}
