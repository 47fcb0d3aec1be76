//! The equations of motion at random states modulo a prime, for the search for symmetries and its check.
//!
//! A state keeps the velocity constraints exactly, and the position constraints where they can be solved for a
//! coordinate; elsewhere it lies on a neighbouring surface of the family f = const, on which a symmetry has to hold too.

use super::pfaffian::closed_parameters;
use super::surface::{jumps, mixed, place};
use crate::workspace::Workspace;
use dalembert_expr::echelon::solve;
use dalembert_expr::{Derivation, Expr, PRIMES, Pool, Rational, Residue, Sample, Switch, Symbol};

/// How many states are tried until everything is defined, and constraints hold.
const MAX_TRIES: u64 = 200;
const MAX_PLACEMENTS: u64 = 40;
/// Frames with more speeds are not inverted in symbols.
const MAX_INVERTED: usize = 12;

/// A matrix by its entries that are not zero by structure.
pub(super) type Sparse = Vec<(usize, usize, Expr)>;

pub(super) struct SymbolicDynamics {
    pub pool: Pool,
    pub parameters: Vec<(Symbol, Expr)>,
    pub time: Symbol,
    pub x: Vec<Symbol>,
    pub eta: Vec<Symbol>,
    /// Coordinates as expressions; speeds and time follow.
    pub places: Vec<Expr>,
    pub speeds: Vec<Expr>,
    pub clock: Expr,
    pub x_dot: Vec<Expr>,
    /// X as (i, p, entry).
    pub frame: Sparse,
    pub identity: bool,
    /// Y with Y X = 1 as (p, i, entry) and its rate, in a frame that is not the identity.
    pub left_inverse: Option<(Sparse, Sparse)>,
    /// The left inverse in the model's own pool.
    pub left_inverse_named: Option<Vec<Vec<Expr>>>,
    pub lagrangian: Expr,
    /// dL/dx, dL/d eta
    pub slopes: Vec<Expr>,
    pub momenta: Vec<Expr>,
    /// X0 L
    pub drift_of_lagrangian: Expr,
    /// Q' - dR/d eta + C
    pub forces: Vec<Expr>,
    pub with_time: Vec<(usize, usize, Expr)>,
    pub structure: Vec<(usize, usize, usize, Expr)>,
    /// K2, K3
    pub mass: Sparse,
    pub force: Vec<Expr>,
    pub nonideal: Vec<Expr>,
    pub constraint_matrix: Sparse,
    pub constraint_right: Vec<Expr>,
    pub residuals: Vec<Expr>,
    positions: Vec<Expr>,
    linear: Vec<bool>,
    /// States could be put onto the constraints so far.
    placeable: bool,
    /// C knows of multipliers, which are no functions of the state.
    pub reacting: bool,
}

impl SymbolicDynamics {
    /// `None` for models without a Lagrangian.
    pub fn of(model: &mut Workspace) -> Option<SymbolicDynamics> {
        let system = &mut model.system;
        if system.forces.mass.is_some()
            || (system.energies.kinetic.is_none() && system.energies.lagrangian.is_none())
        {
            return None;
        }
        let energies = [
            system.energies.kinetic.map(|t| (t, Rational::ONE)),
            system.energies.potential.map(|v| (v, Rational::MINUS_ONE)),
            system.energies.lagrangian.map(|l| (l, Rational::ONE)),
        ];
        let L = system.pool.combine(energies.into_iter().flatten());
        let observables: Vec<Symbol> =
            system.observables.multipliers.iter().chain(&system.observables.reactions).copied().collect();
        let C = system.constraints.nonideal.clone().unwrap_or_default();
        let reacting = C.iter().any(|e| system.pool.depends_on(*e, &observables));
        let left_inverse_named = left_inverse(model);
        let mut pool = Pool::new();
        let parameters = closed_parameters(model, &mut pool);
        let source = &mut model.system.pool;
        let symbol = |pool: &mut Pool, source: &Pool, s: &Symbol| pool.symbol(source.name(*s));
        let time = symbol(&mut pool, source, &model.form.time);
        let x: Vec<Symbol> = model.form.coordinates.iter().map(|s| symbol(&mut pool, source, s)).collect();
        let eta: Vec<Symbol> = model.form.speeds.iter().map(|s| symbol(&mut pool, source, s)).collect();
        let places = x.iter().map(|s| pool.var(*s)).collect();
        let (speeds, clock) = (eta.iter().map(|s| pool.var(*s)).collect(), pool.var(time));
        let take = |pool: &mut Pool, from: &mut Pool, list: &[Expr]| -> Vec<Expr> {
            let named = pool.import(from, list);
            pool.substitute(&named, &parameters)
        };
        let form = &model.form;
        let lagrangian = take(&mut pool, source, &[L])[0];
        let x_dot = take(&mut pool, source, &form.x_dot);
        let mass = take_matrix(&mut pool, source, &parameters, &form.mass_matrix.written_out());
        let (force, nonideal) = (take(&mut pool, source, &form.force), take(&mut pool, source, &C));
        let right = take(&mut pool, source, &form.constraint_right);
        let residuals = take(&mut pool, source, &form.velocity_residuals);
        let position: Vec<Expr> = form.position_residuals.iter().flatten().copied().collect();
        let positions = take(&mut pool, source, &position);
        let mut constraint_matrix = Vec::new();
        for (r, row) in form.constraint_matrix.iter().enumerate() {
            let entries = take(&mut pool, source, &row.iter().map(|(_, e)| *e).collect::<Vec<_>>());
            constraint_matrix.extend(row.iter().zip(entries).map(|((p, _), e)| (r, *p, e)));
        }
        let mut linear = vec![true; residuals.len()];
        for (r, _, e) in &constraint_matrix {
            linear[*r] &= !pool.depends_on(*e, &eta);
        }
        let mut forces: Vec<Vec<Expr>> =
            take(&mut pool, source, &model.system.forces.applied).into_iter().map(|e| vec![e]).collect();
        if let Some(R) = model.system.forces.dissipation {
            let R = take(&mut pool, source, &[R])[0];
            let damping = pool.gradient(R, &eta);
            forces.iter_mut().zip(damping).for_each(|(list, e)| list.push(pool.neg(e)));
        }
        forces.iter_mut().zip(&nonideal).for_each(|(list, e)| list.push(*e));
        let forces = forces.into_iter().map(|list| pool.total(list)).collect();
        let identity = form.frame.is_none();
        let frame = match &form.frame {
            None => (0..eta.len()).map(|p| (p, p, Pool::ONE)).collect(),
            Some(rows) => take_matrix(&mut pool, source, &parameters, rows),
        };
        let with_time: Vec<(usize, usize, Expr)> = form
            .structure
            .with_time
            .iter()
            .map(|(p, q, e)| (*p, *q, take(&mut pool, source, &[*e])[0]))
            .collect();
        let structure = form
            .structure
            .entries
            .iter()
            .map(|(q, p, r, e)| (*q, *p, *r, take(&mut pool, source, &[*e])[0]))
            .collect();
        let slopes = pool.gradient(lagrangian, &x);
        let momenta = pool.gradient(lagrangian, &eta);
        let zeros: Vec<(Symbol, Expr)> = eta.iter().map(|s| (*s, Pool::ZERO)).collect();
        let drift = pool.substitute(&x_dot, &zeros);
        let mut parts = vec![pool.diff(lagrangian, time)];
        parts.extend(slopes.iter().zip(&drift).map(|(a, b)| pool.mul(*a, *b)));
        let drift_of_lagrangian = pool.total(parts);
        let left_inverse = match (&left_inverse_named, identity) {
            (Some(rows), false) => {
                let Y = take_matrix(&mut pool, source, &parameters, rows);
                let mut dot =
                    Derivation::new(x.iter().copied().zip(x_dot.iter().copied()).chain([(time, Pool::ONE)]));
                let rate = Y.iter().map(|(p, i, e)| (*p, *i, dot.apply(&mut pool, *e))).collect();
                Some((Y, rate))
            }
            _ => None,
        };
        Some(SymbolicDynamics {
            pool,
            parameters,
            time,
            x,
            eta,
            places,
            speeds,
            clock,
            x_dot,
            frame,
            identity,
            left_inverse,
            left_inverse_named,
            lagrangian,
            slopes,
            momenta,
            drift_of_lagrangian,
            forces,
            with_time,
            structure,
            mass,
            force,
            nonideal,
            constraint_matrix,
            constraint_right: right,
            residuals,
            positions,
            linear,
            placeable: true,
            reacting,
        })
    }

    /// The switches at which some expressions may jump.
    pub fn jumps(&mut self, exprs: &[Expr]) -> Vec<Switch> {
        let symbols: Vec<Symbol> = self.x.iter().chain(&self.eta).copied().chain([self.time]).collect();
        jumps(&mut self.pool, &symbols, exprs)
    }

    /// Does the Lagrangian jump at some configurations? Then forces there are not finite.
    pub(crate) fn has_steps(&mut self) -> bool {
        let list = self.jumps(&[self.lagrangian]);
        let moving: Vec<Symbol> = self.x.iter().chain(&self.eta).copied().collect();
        list.into_iter().any(|switch| {
            let g = switch.difference(&mut self.pool);
            self.pool.depends_on(g, &moving)
        })
    }

    /// A random state of the `k`-th prime that keeps the constraints, where everything wanted is defined.
    pub fn state(&mut self, k: usize, seed: u64, wanted: &[Expr]) -> Option<Sample> {
        let nonlinear = self.linear.iter().any(|l| !l);
        let placed = self.placeable && (!self.positions.is_empty() || nonlinear);
        for attempt in 0..MAX_TRIES {
            self.placeable &= attempt < MAX_PLACEMENTS;
            let strict = placed && attempt < MAX_PLACEMENTS;
            let mut sample = Sample::new(PRIMES[k % PRIMES.len()], mixed(seed, attempt));
            sample.settle(&self.pool, wanted);
            if strict && !place(&self.pool, &mut sample, &self.x, &self.positions) {
                continue;
            }
            if self.give_speeds(&mut sample).is_none() {
                continue;
            }
            if strict && nonlinear && !place(&self.pool, &mut sample, &self.eta, &self.residuals) {
                continue;
            }
            if sample.values(&self.pool, wanted).is_some() {
                return Some(sample);
            }
        }
        None
    }

    /// Do general configurations admit no speeds?
    pub fn is_hidden(&self) -> bool {
        let entries = self.constraint_matrix.iter().filter(|(r, ..)| self.linear[*r]).map(|(_, _, e)| *e);
        let list: Vec<Expr> = entries.chain(self.residuals.iter().copied()).collect();
        let mut points = (0..MAX_PLACEMENTS).filter_map(|attempt| {
            let mut sample = Sample::new(PRIMES[0], mixed(4000, attempt));
            sample.settle(&self.pool, &list);
            sample.values(&self.pool, &list).is_some().then_some(sample)
        });
        points.next().is_some_and(|mut sample| self.give_speeds(&mut sample).is_none())
    }

    /// Speeds that keep the rows linear in them.
    fn give_speeds(&self, sample: &mut Sample) -> Option<()> {
        let f = sample.field();
        let free = sample.values(&self.pool, &self.speeds)?;
        sample.set(self.eta.iter().map(|s| (*s, Residue::ZERO)));
        let mut rows = vec![vec![Residue::ZERO; self.eta.len()]; self.residuals.len()];
        for (r, p, e) in &self.constraint_matrix {
            if self.linear[*r] {
                rows[*r][*p] = sample.values(&self.pool, &[*e])?[0];
            }
        }
        let mut right = vec![Residue::ZERO; self.residuals.len()];
        for (r, e) in self.residuals.iter().enumerate().filter(|(r, _)| self.linear[*r]) {
            right[r] = f.neg(sample.values(&self.pool, &[*e])?[0]);
        }
        let eta = solve(f, &rows, &right, &free)?;
        sample.set(self.eta.iter().copied().zip(eta));
        Some(())
    }

    /// A dense matrix at a state.
    pub fn dense(
        &self,
        sample: &mut Sample,
        entries: &Sparse,
        rows: usize,
        columns: usize,
    ) -> Option<Vec<Vec<Residue>>> {
        let mut matrix = vec![vec![Residue::ZERO; columns]; rows];
        for (i, j, e) in entries {
            matrix[*i][*j] = sample.values(&self.pool, &[*e])?[0];
        }
        Some(matrix)
    }

    /// An expression of the model, with the parameters at their values.
    pub fn closed(&mut self, model: &mut Workspace, e: Expr) -> Expr {
        let named = self.pool.import(&mut model.system.pool, &[e]);
        self.pool.substitute(&named, &self.parameters)[0]
    }
}

fn take_matrix(
    pool: &mut Pool,
    from: &mut Pool,
    parameters: &[(Symbol, Expr)],
    rows: &[Vec<Expr>],
) -> Sparse {
    let mut result = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        let entries: Vec<(usize, Expr)> =
            row.iter().copied().enumerate().filter(|(_, e)| *e != Pool::ZERO).collect();
        let named = pool.import(from, &entries.iter().map(|(_, e)| *e).collect::<Vec<_>>());
        let closed = pool.substitute(&named, parameters);
        result.extend(entries.iter().zip(closed).map(|((j, _), e)| (i, *j, e)));
    }
    result
}

/// Y with Y X = 1, in the model's pool; `None` where the frame is the identity or the fields depend on each other.
fn left_inverse(model: &mut Workspace) -> Option<Vec<Vec<Expr>>> {
    let rows = model.form.frame.clone()?;
    if let Some(known) = &model.system.frame.speeds_in_rates {
        return Some(known.clone());
    }
    let n = model.form.speeds.len();
    if n > MAX_INVERTED {
        return None;
    }
    let pool = &mut model.system.pool;
    let mut gram = vec![vec![Pool::ZERO; n]; n];
    for p in 0..n {
        for q in 0..n {
            let parts: Vec<Expr> = rows.iter().map(|row| pool.mul(row[p], row[q])).collect();
            let e = pool.total(parts);
            // Axes of a body: the squared norm of its quaternion on the diagonal, 0 beside it.
            gram[p][q] = pool.tidy(e);
        }
    }
    let inverse = pool.regular_inverse(&gram, &[])?;
    let entry = |pool: &mut Pool, row: &[Expr], i: usize| {
        let parts: Vec<Expr> = row.iter().zip(&rows[i]).map(|(g, X)| pool.mul(*g, *X)).collect();
        let e = pool.total(parts);
        pool.simplify(e)
    };
    Some(inverse.iter().map(|row| (0..rows.len()).map(|i| entry(pool, row, i)).collect()).collect())
}
