//! What the model itself does to bodies.
//!
//! Forces at points, constraints, friction and potentials of the model are known only as expressions of where bodies
//! are. So where reactions are asked for, the model sees each body released: displaced by f and turned by phi, which
//! are zero. Derivatives by them are force and torque on the body; then they are put to zero.

use super::super::roles::Role;
use super::super::{Elaborator, Fallible};
use super::algebra::{add, apply_transposed, column, cross};
use super::motion::BodyMotion;
use super::reactions::Load;
use crate::bodies::{Matrix3, Vector};
use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_syntax::source::Span;

/// The displacement and turn that release a body, with their rates and virtual changes.
#[derive(Clone, Debug)]
pub(super) struct Release {
    body: usize,
    symbols: [Symbol; 6],
    rates: [Symbol; 6],
    accelerations: [Symbol; 6],
    changes: [Symbol; 6],
}

impl Elaborator<'_> {
    /// Where the model sees a body: released where reactions are asked for.
    pub(super) fn seen_motion(&mut self, body: Option<usize>, span: Span) -> Fallible<BodyMotion> {
        let motion = self.motion(body, span)?;
        let Some(b) = body.filter(|_| self.bodies.plan.reactions_asked_for) else { return Ok(motion) };
        let release = self.release(b);
        let pool = &mut self.pool;
        let f: Vector = std::array::from_fn(|k| pool.var(release.symbols[k]));
        let phi: Vector = std::array::from_fn(|k| pool.var(release.symbols[3 + k]));
        let turning: Vector = std::array::from_fn(|k| pool.var(release.rates[3 + k]));
        // R + [phi] R, column by column; w + phi' in the axes of the body.
        let columns: [Vector; 3] = std::array::from_fn(|k| {
            let axis = column(&motion.R, k);
            let turned = cross(pool, &phi, &axis);
            add(pool, &axis, &turned)
        });
        let R: Matrix3 = super::algebra::transposed(&columns);
        let extra = apply_transposed(pool, &motion.R, &turning);
        Ok(BodyMotion { R, p: add(pool, &motion.p, &f), w: add(pool, &motion.w, &extra), ..motion })
    }

    fn release(&mut self, b: usize) -> Release {
        if let Some(release) = self.bodies.releases.iter().find(|release| release.body == b) {
            return release.clone();
        }
        let name = self.bodies.plan.bodies[b].name.clone();
        let mut six = |what: &str, role: Role| -> [Symbol; 6] {
            std::array::from_fn(|k| self.symbol_with_role(&format!("{what}{k} of {name}"), role))
        };
        let symbols = six("release", Role::Parameter);
        let rates = six("release'", Role::Rate);
        let accelerations = six("release''", Role::Acceleration);
        let changes = six("delta(release)", Role::Displacement);
        for k in 0..6 {
            let [v, a, delta] = [rates[k], accelerations[k], changes[k]].map(|s| self.pool.var(s));
            self.dot.define(symbols[k], v);
            self.dot.define(rates[k], a);
            self.virtual_change.define(symbols[k], delta);
        }
        let release = Release { body: b, symbols, rates, accelerations, changes };
        self.bodies.releases.push(release.clone());
        release
    }

    /// Rates of releases as virtual changes.
    pub(super) fn release_changes(&mut self) -> Vec<(Symbol, Expr)> {
        let pairs = |r: &Release| r.rates.into_iter().zip(r.changes).collect::<Vec<_>>();
        let list: Vec<(Symbol, Symbol)> = self.bodies.releases.iter().flat_map(pairs).collect();
        list.into_iter().map(|(rate, change)| (rate, self.pool.var(change))).collect()
    }

    /// Releases are zero wherever they are not asked about.
    pub(in super::super) fn release_images(&self) -> Vec<(Symbol, Expr)> {
        let all = |r: &Release| [r.symbols, r.rates, r.accelerations, r.changes].concat();
        self.bodies.releases.iter().flat_map(all).map(|s| (s, Pool::ZERO)).collect()
    }

    /// What statements of the model do to bodies: virtual work on their releases.
    pub(super) fn released_forces(&mut self, acting: &mut [Load]) {
        let releases = self.bodies.releases.clone();
        if releases.is_empty() {
            return;
        }
        let all = |of: fn(&Release) -> [Symbol; 6]| -> Vec<Symbol> { releases.iter().flat_map(of).collect() };
        let (symbols, rates, changes) = (all(|r| r.symbols), all(|r| r.rates), all(|r| r.changes));
        let accelerations = all(|r| r.accelerations);
        let mut sums: Vec<Vec<(Expr, Rational)>> = vec![Vec::new(); symbols.len()];
        let mut inertial = sums.clone();
        let mut gather = |pool: &mut Pool, e: Expr, by: &[Symbol], factor: Expr, sign: Rational| {
            for (k, slope) in pool.gradient(e, by).into_iter().enumerate() {
                if slope != Pool::ZERO {
                    sums[k].push((pool.mul(slope, factor), sign.clone()));
                }
            }
        };
        let pool = &mut self.pool;
        // -d/dt dT/d(release') + dT/d(release) of energies besides those of the bodies themselves.
        let own = self.bodies.energies[0].clone();
        let kinetic =
            self.energies.kinetic.iter().enumerate().filter(|(k, _)| !own.contains(k)).map(|(_, part)| part);
        for part in kinetic.chain(&self.energies.lagrangian) {
            gather(pool, part.expr, &symbols, Pool::ONE, Rational::ONE);
            for (k, momentum) in pool.gradient(part.expr, &rates).into_iter().enumerate() {
                if momentum != Pool::ZERO {
                    let change = self.dot.apply(pool, momentum);
                    inertial[k].push((change, Rational::MINUS_ONE));
                }
            }
        }
        for (force, point, _) in &self.forces.at {
            force.iter().zip(point).for_each(|(f, p)| gather(pool, *p, &symbols, *f, Rational::ONE));
        }
        for part in &self.energies.potential {
            gather(pool, part.expr, &symbols, Pool::ONE, Rational::MINUS_ONE);
        }
        for part in &self.energies.dissipation {
            gather(pool, part.expr, &rates, Pool::ONE, Rational::MINUS_ONE);
        }
        for part in &self.forces.work {
            gather(pool, part.expr, &changes, Pool::ONE, Rational::ONE);
        }
        for row in &self.constraints.rows {
            let symbol = pool.symbol(&format!("multiplier({})", row.name));
            let multiplier = pool.var(symbol);
            gather(
                pool,
                row.residual,
                match (row.holonomic, row.on_accelerations) {
                    (true, _) => &symbols,
                    (false, false) => &rates,
                    (false, true) => &accelerations,
                },
                multiplier,
                Rational::ONE,
            );
        }
        for contact in &self.contacts.list {
            for (c, velocity) in contact.velocity.iter().enumerate() {
                let symbol = pool.symbol(&format!("friction({}).{c}", contact.name));
                let friction = pool.var(symbol);
                gather(pool, *velocity, &rates, friction, Rational::ONE);
            }
        }
        let zero = self.release_images();
        let sums = sums.into_iter().zip(inertial);
        let totals: Vec<Expr> =
            sums.map(|(parts, inertial)| self.pool.combine(parts.into_iter().chain(inertial))).collect();
        let totals = self.pool.substitute(&totals, &zero);
        for (release, six) in releases.iter().zip(totals.chunks(6)) {
            let load = &mut acting[release.body];
            let (force, torque) = ([six[0], six[1], six[2]], [six[3], six[4], six[5]]);
            *load = (add(&mut self.pool, &load.0, &force), add(&mut self.pool, &load.1, &torque));
        }
    }
}
