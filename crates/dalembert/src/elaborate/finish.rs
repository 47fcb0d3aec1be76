//! Closing a model: kinematics solved, rates replaced by speeds, forces gathered, results named.

use super::scope::Binding;
use super::speeds::Kinematics;
use super::{Elaborator, Fallible, Part, Reported};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::system::{Initial, InitialTarget, Observables, System};
use crate::units::Kind;
use dalembert_expr::{Derivation, Expr, Pool, Rational, Symbol};

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
        (system.ok().map(|parts| self.assemble(parts)), diagnostics)
    }

    fn close(&mut self) -> Fallible<Closed> {
        self.check_contents()?;
        let kinematics = self.resolve_speeds()?;
        let images = self.images(&kinematics);
        let [kinetic, potential, lagrangian, dissipation] =
            [&self.kinetic, &self.potential, &self.lagrangian, &self.dissipation].map(|parts| {
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
        let columns = self.frame_columns(&kinematics);
        let applied = self.applied_forces(&kinematics, &columns, &images)?;
        let nonideal = self.nonideal_term(&kinematics, &images)?;
        let mass = self.checked_mass(&kinematics, &images)?;
        self.replace_in_rows(&images);
        let initial = self.checked_initials(&kinematics);
        let observables = self.observables(&kinematics);
        let energies = Energies { kinetic, potential, lagrangian };
        let energies = self.energy_expressions(&kinematics, energies);
        self.replace_in_outputs(&kinematics, &images, &observables, &energies)?;
        let energy = energies[0].1;
        Ok(Closed {
            energy,
            kinematics,
            kinetic,
            potential,
            lagrangian,
            dissipation,
            applied,
            nonideal,
            mass,
            initial,
            observables,
        })
    }

    fn check_contents(&mut self) -> Fallible<()> {
        if self.coordinates.is_empty() {
            let d = Diagnostic::error(Code::NoCoordinates, None, "the model has no coordinates");
            return self.fail(d.help("declare them with `coordinate x, y`"));
        }
        if self.kinetic.is_empty() && self.lagrangian.is_empty() && self.mass.is_none() {
            let d = Diagnostic::error(
                Code::MissingEnergy,
                None,
                "the model has no inertia: no kinetic energy, Lagrangian or mass matrix",
            );
            return self.fail(d.help("write `kinetic m/2*x'^2`, `lagrangian ...`, or `mass [[m]]`"));
        }
        let energies: Vec<(Kind, Span)> = [&self.kinetic, &self.potential, &self.lagrangian]
            .into_iter()
            .flatten()
            .map(|part| (part.kind.clone(), part.span))
            .collect();
        let mut kind = Kind::Number;
        for (k, span) in energies {
            kind = self.same_unit(&kind, &k, span)?;
        }
        let forces: Vec<(Binding, Kind, Span)> =
            self.forces_on.iter().map(|(on, p)| (on.clone(), p.kind.clone(), p.span)).collect();
        for (on, k, span) in forces {
            if let (Binding::Coordinate(i), Kind::Known(_)) = (on, &kind) {
                let wanted = kind.times(&self.coordinates[i].kind, &Rational::MINUS_ONE);
                self.same_unit(&wanted, &k, span)?;
            }
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
        let columns = self.frame_columns(kinematics);
        let mut seeds: Vec<(Symbol, Expr)> = vec![(self.time, Pool::ONE)];
        for (c, rate) in self.coordinates.iter().zip(&kinematics.rates) {
            seeds.push((c.symbol, *rate));
        }
        for s in &kinematics.speeds {
            seeds.push((s.symbol, self.pool.var(s.acceleration)));
        }
        let mut dot = Derivation::new(seeds);
        for i in 0..self.coordinates.len() {
            if kinematics.speeds.iter().any(|s| s.rate_of == Some(i)) {
                continue;
            }
            let second = dot.apply(&mut self.pool, kinematics.rates[i]);
            images.push((self.coordinates[i].acceleration, second));
            let mut change = Vec::new();
            for (p, s) in kinematics.speeds.iter().enumerate() {
                let displacement = self.pool.var(s.displacement);
                change.push(self.pool.mul(columns[p][i], displacement));
            }
            let change = self.pool.total(change);
            images.push((self.coordinates[i].displacement, change));
        }
        images
    }

    /// The frame X by columns: `X_p` as a vector over the coordinates.
    fn frame_columns(&mut self, kinematics: &Kinematics) -> Vec<Vec<Expr>> {
        let symbols: Vec<Symbol> = kinematics.speeds.iter().map(|s| s.symbol).collect();
        let rows: Vec<Vec<Expr>> =
            kinematics.rates.iter().map(|r| self.pool.gradient(*r, &symbols)).collect();
        (0..symbols.len()).map(|p| rows.iter().map(|row| row[p]).collect()).collect()
    }

    /// Q' of L2: forces on coordinates and speeds, at points, by virtual work; dissipation comes with L3.
    fn applied_forces(
        &mut self,
        k: &Kinematics,
        columns: &[Vec<Expr>],
        images: &[(Symbol, Expr)],
    ) -> Fallible<Vec<Expr>> {
        let n = k.speeds.len();
        let mut parts: Vec<Vec<Expr>> = vec![Vec::new(); n];
        for (force, span) in std::mem::take(&mut self.force_vectors) {
            if force.len() != n {
                let message = format!("{} forces for {n} speeds", force.len());
                let names: Vec<&str> = k.speeds.iter().map(|s| s.name.as_str()).collect();
                let d = Diagnostic::error(Code::DimensionMismatch, span, message);
                return self.fail(
                    d.help(format!("one component for each speed, in their order: {}", names.join(", "))),
                );
            }
            force.into_iter().zip(&mut parts).for_each(|(f, part)| part.push(f));
        }
        for (on, part) in std::mem::take(&mut self.forces_on) {
            match on {
                Binding::Coordinate(i) => {
                    for p in 0..n {
                        parts[p].push(self.pool.mul(part.expr, columns[p][i]));
                    }
                }
                Binding::Speed(s) => parts[k.speeds.len() - self.definitions.len() + s].push(part.expr),
                _ => {}
            }
        }
        let coordinates: Vec<Symbol> = self.coordinates.iter().map(|c| c.symbol).collect();
        for (force, point) in std::mem::take(&mut self.forces_at) {
            for (f, r) in force.iter().zip(&point) {
                // Q'_p = F . (dr/dx) X_p
                let gradient = self.pool.gradient(*r, &coordinates);
                for (p, column) in columns.iter().enumerate() {
                    for (g, x) in gradient.iter().zip(column) {
                        if *g != Pool::ZERO && *x != Pool::ZERO {
                            let product = [*f, *g, *x].map(|e| (e, Rational::ONE));
                            parts[p].push(self.pool.product(product));
                        }
                    }
                }
            }
        }
        for part in std::mem::take(&mut self.work) {
            let forces = self.virtual_work(&part, k, images)?;
            forces.into_iter().zip(&mut parts).for_each(|(f, part)| part.push(f));
        }
        let totals: Vec<Expr> = parts.into_iter().map(|part| self.pool.total(part)).collect();
        Ok(self.pool.substitute(&totals, images))
    }

    /// The coefficients of the virtual displacements.
    fn virtual_work(
        &mut self,
        part: &Part,
        k: &Kinematics,
        images: &[(Symbol, Expr)],
    ) -> Fallible<Vec<Expr>> {
        let symbols: Vec<Symbol> = k.speeds.iter().map(|s| s.displacement).collect();
        let e = self.pool.substitute(&[part.expr], images)[0];
        let linear = self.pool.linear(e, &symbols);
        let constant = linear.as_ref().map(|l| l.constant);
        match (linear, constant.map(|c| self.pool.simplify(c))) {
            (Some(linear), Some(Pool::ZERO)) => Ok(linear.coefficients),
            (Some(_), _) => {
                let d = Diagnostic::error(
                    Code::NotLinearInDelta,
                    part.span,
                    "a term of this virtual work has no virtual displacement",
                );
                self.fail(d.help("every term is a force times `delta(x)`"))
            }
            (None, _) => self.error(
                Code::NotLinearInDelta,
                part.span,
                "virtual work must be linear in the virtual displacements",
            ),
        }
    }

    fn nonideal_term(&mut self, k: &Kinematics, images: &[(Symbol, Expr)]) -> Fallible<Option<Vec<Expr>>> {
        let mut total: Option<Vec<Expr>> = None;
        for part in std::mem::take(&mut self.nonideal) {
            if self.rows.is_empty() {
                let d = Diagnostic::error(
                    Code::NotApplicable,
                    part.span,
                    "non-ideal work belongs to constraints, and the model has none",
                );
                return self
                    .fail(d.help("a force that is not due to a constraint is given by `force` or `work`"));
            }
            let forces = self.virtual_work(&part, k, images)?;
            total = Some(match total {
                None => forces,
                Some(sum) => sum.iter().zip(&forces).map(|(a, b)| self.pool.add(*a, *b)).collect(),
            });
        }
        Ok(total)
    }

    fn checked_mass(
        &mut self,
        k: &Kinematics,
        images: &[(Symbol, Expr)],
    ) -> Fallible<Option<Vec<Vec<Expr>>>> {
        let Some((rows, span)) = self.mass.take() else { return Ok(None) };
        let n = k.speeds.len();
        if rows.len() != n || rows.iter().any(|row| row.len() != n) {
            let names: Vec<&str> = k.speeds.iter().map(|s| s.name.as_str()).collect();
            let message =
                format!("the mass matrix must be {n} by {n}, one row for each of {}", names.join(", "));
            return self.error(Code::DimensionMismatch, span, &message);
        }
        let rows: Vec<Vec<Expr>> = rows.iter().map(|row| self.pool.substitute(row, images)).collect();
        for i in 0..n {
            for j in 0..i {
                let difference = self.pool.sub(rows[i][j], rows[j][i]);
                if self.pool.is_zero(difference) != dalembert_expr::Zero::Yes {
                    let message = format!(
                        "the mass matrix is not symmetric: entries ({}, {}) and ({}, {}) differ",
                        i + 1,
                        j + 1,
                        j + 1,
                        i + 1
                    );
                    return self.error(Code::MassNotSymmetric, span, &message);
                }
            }
        }
        Ok(Some(rows))
    }

    fn replace_in_rows(&mut self, images: &[(Symbol, Expr)]) {
        let residuals: Vec<Expr> = self.rows.iter().map(|r| r.residual).collect();
        let replaced = self.pool.substitute(&residuals, images);
        self.rows.iter_mut().zip(replaced).for_each(|(row, e)| row.residual = e);
    }

    fn checked_initials(&mut self, k: &Kinematics) -> Vec<Initial> {
        let n_own = k.speeds.len() - self.definitions.len();
        let target = |on: &Binding, order: u32| match on {
            Binding::Coordinate(i) if order == 0 => InitialTarget::Coordinate(*i),
            Binding::Coordinate(i) => match k.speeds.iter().position(|s| s.rate_of == Some(*i)) {
                Some(p) => InitialTarget::Speed(p),
                None => InitialTarget::Rate(*i),
            },
            Binding::Speed(s) => InitialTarget::Speed(n_own + s),
            _ => InitialTarget::Coordinate(0),
        };
        std::mem::take(&mut self.initial)
            .into_iter()
            .map(|raw| Initial {
                target: target(&raw.on, raw.order),
                fixed: raw.fixed,
                value: raw.value,
                span: raw.span,
            })
            .collect()
    }

    fn observables(&mut self, k: &Kinematics) -> Observables {
        let mut on_speeds = |what: &str| {
            k.speeds
                .iter()
                .map(|s| self.pool.symbol(&format!("{what} on {}", s.name)))
                .collect::<Vec<Symbol>>()
        };
        let [impressed, ideal, nonideal, control] =
            ["impressed", "ideal", "nonideal", "control"].map(&mut on_speeds);
        Observables {
            impressed,
            ideal,
            nonideal,
            control,
            multipliers: self
                .rows
                .iter()
                .map(|r| self.pool.symbol(&format!("multiplier({})", r.name)))
                .collect(),
            reactions: self
                .constraints
                .iter()
                .map(|c| self.pool.symbol(&format!("reaction({})", c.name)))
                .collect(),
            gauss: Some(self.pool.symbol("gauss")),
        }
    }

    fn replace_in_outputs(
        &mut self,
        k: &Kinematics,
        images: &[(Symbol, Expr)],
        observables: &Observables,
        energies: &[(&'static str, Option<Expr>)],
    ) -> Fallible<()> {
        let mut images = images.to_vec();
        for &(name, value) in energies {
            let symbol = self.pool.symbol(name);
            let roots: Vec<Expr> =
                self.outputs.iter().map(|o| o.value).chain(self.events.iter().map(|e| e.value)).collect();
            match value {
                Some(value) => images.push((symbol, value)),
                None => {
                    let user = self
                        .outputs
                        .iter()
                        .zip(&roots)
                        .find(|(_, e)| self.pool.depends_on(**e, &[symbol]))
                        .map(|(o, _)| o.span);
                    if let Some(span) = user {
                        let d = Diagnostic::error(
                            Code::ObservableOutsideOutput,
                            span,
                            format!("`{name}` is not defined for this model"),
                        );
                        return self.fail(d.help(
                            "energies are known where `kinetic`, `potential` or `lagrangian` give them",
                        ));
                    }
                }
            }
        }
        for wanted in std::mem::take(&mut self.force_observables) {
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
            self.outputs.iter().map(|o| o.value).chain(self.events.iter().map(|e| e.value)).collect();
        let replaced = self.pool.substitute(&values, &images);
        let (outputs, events) = replaced.split_at(self.outputs.len());
        self.outputs.iter_mut().zip(outputs).for_each(|(o, e)| o.value = *e);
        self.events.iter_mut().zip(events).for_each(|(o, e)| o.value = *e);
        Ok(())
    }

    /// `energy` is T + V; where T is no quadratic function of the speeds, or only a Lagrangian is known, it is
    /// eta . dL/d eta - L, which is the same for quadratic T.
    fn energy_expressions(&mut self, k: &Kinematics, e: Energies) -> [(&'static str, Option<Expr>); 3] {
        let speeds: Vec<Symbol> = k.speeds.iter().map(|s| s.symbol).collect();
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
                Some(self.legendre(whole, &speeds))
            }
            _ => None,
        };
        [("energy", energy), ("kinetic_energy", kinetic), ("potential_energy", potential)]
    }

    fn kinetic_energy(&mut self, t: Expr, speeds: &[Symbol]) -> Expr {
        let momenta = self.pool.gradient(t, speeds);
        let linear = momenta.iter().all(|p| {
            let second = self.pool.gradient(*p, speeds);
            second.iter().all(|s| !self.pool.depends_on(*s, speeds))
        });
        if linear { t } else { self.legendre(t, speeds) }
    }

    /// `eta . dF/d eta - F`
    fn legendre(&mut self, f: Expr, speeds: &[Symbol]) -> Expr {
        let momenta = self.pool.gradient(f, speeds);
        let mut parts = vec![(f, Rational::MINUS_ONE)];
        for (s, p) in speeds.iter().zip(momenta) {
            let eta = self.pool.var(*s);
            parts.push((self.pool.mul(eta, p), Rational::ONE));
        }
        self.pool.combine(parts)
    }

    /// A generalised force on a speed, or on a coordinate: Q_x = sum of Y_px Q_p, where the inverse Y is known.
    fn force_component(
        &mut self,
        on: &Binding,
        forces: &[Symbol],
        k: &Kinematics,
        span: Span,
    ) -> Fallible<Expr> {
        let i = match on {
            Binding::Speed(s) => {
                return Ok(self.pool.var(forces[k.speeds.len() - self.definitions.len() + s]));
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
                    self.coordinates[i].name
                );
                let d = Diagnostic::error(Code::NotApplicable, span, message);
                self.fail(d.help("ask for the force on a speed instead"))
            }
        }
    }

    fn assemble(self, c: Closed) -> System {
        System {
            pool: self.pool,
            title: self.title,
            time: self.time,
            parameters: self.parameters,
            coordinates: self.coordinates,
            speeds: c.kinematics.speeds,
            kinematics: c.kinematics.rates,
            speeds_in_rates: c.kinematics.inverse,
            kinetic: c.kinetic,
            potential: c.potential,
            lagrangian: c.lagrangian,
            mass: c.mass,
            applied: c.applied,
            dissipation: c.dissipation,
            constraints: self.constraints,
            rows: self.rows,
            nonideal: c.nonideal,
            initial: c.initial,
            outputs: self.outputs,
            events: self.events,
            run: self.run,
            observables: c.observables,
            energy: c.energy,
        }
    }
}

#[derive(Clone, Copy)]
struct Energies {
    kinetic: Option<Expr>,
    potential: Option<Expr>,
    lagrangian: Option<Expr>,
}

/// What closing a model found.
struct Closed {
    energy: Option<Expr>,
    kinematics: Kinematics,
    kinetic: Option<Expr>,
    potential: Option<Expr>,
    lagrangian: Option<Expr>,
    dissipation: Option<Expr>,
    applied: Vec<Expr>,
    nonideal: Option<Vec<Expr>>,
    mass: Option<Vec<Vec<Expr>>>,
    initial: Vec<Initial>,
    observables: Observables,
}
