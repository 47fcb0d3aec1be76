//! The always-on self-check: the equations of motion by a second road, compared with the first before anything is told.
//!
//! ```text
//! along any w:   w . d/dt(L_eta) - D L[X w, delta eta] - w . Q' + w . R_eta = w . (Q_i + Q_ni + S u)         (d'Alembert, L2)
//!                delta eta = X^+ ( (X w)^. - D_x(X0 + X eta)[X w] ),   which is what the brackets L1 are for
//! each row:      its second (holonomic) or first derivative along the motion vanishes                        (K5, K6)
//! multipliers:   w . Q_i = lambda . (A w)                                                                    (U2)
//! non-ideal:     P = Q_i + Q_ni - A^T lambda - friction:  A M^-1 P = 0,  P - C in the range of A^T            (U3)
//! friction:      mu N against the sliding velocity, N by the multipliers of the contact                      (Coulomb)
//! ```
//!
//! Energies, rows and forces are taken as the model states them and differentiated by values ([`Jet`]): neither the structure
//! coefficients, nor M, Q, A, b in symbols (but for the sizes of their terms), nor the compiled programs have a part in it. It is
//! asked at the starting state and at one near it, along two generic directions (large systems: at the start along one), so
//! that its cost is a few passes over the model, O(size). What it cannot
//! evaluate (a point at which a derivative does not exist) it leaves out; a disagreement is an internal error that names what
//! disagrees. Checked by `tests/it/trust/self_check.rs`, which breaks the first road on purpose.

mod bodies;

use crate::kernel_form::Places;
use crate::number::short;
use crate::workspace::{Evaluation, Workspace};
use bodies::BodyNumbers;
use dalembert_expr::{Expr, Jet, Pool, Symbol};
use dalembert_linalg::{Cod, RANK_TOL, cholesky, dot, norm, solve_lower, solve_lower_transposed};
use dalembert_run::{Dynamics, Nonideal, Projector, State};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// What the two roads may differ by, relative to the sizes of the terms compared: far above rounding, far below an error of sign,
/// factor or term.
const TOLERANCE: f64 = 1e-6;
/// Terms of a row below this share of the largest row are rounding.
const VANISHED: f64 = 1e-9;
/// Accelerations below this are rounding, whatever the units: a locked loop at rest has no other.
const AT_REST: f64 = 1e-17;
/// Directions that are looked along.
const DIRECTIONS: usize = 2;
/// How far off the second state is, relative to the size of the first.
const NEAR: f64 = 1e-3;
/// Speeds up to which frames and non-ideal forces are checked, at a cost of their cube, and a second state and direction.
const MAX_CHECKED: usize = 120;

/// What does not agree.
#[derive(Clone, Debug)]
struct Disagreement {
    what: String,
    found: f64,
    expected: f64,
}

/// A comparison: equal to [`TOLERANCE`] of `size`. What is not a number shows nothing.
fn compare(what: impl FnOnce() -> String, found: f64, expected: f64, size: f64) -> Result<(), Disagreement> {
    let differ = (found - expected).abs() > TOLERANCE * size;
    match differ && size.is_finite() {
        true => Err(Disagreement { what: what(), found, expected }),
        false => Ok(()),
    }
}

impl Workspace {
    /// Compares the equations of motion at a state, and at one near it, with the principle of virtual work applied to the
    /// model as it is written. An internal error where the two disagree.
    ///
    /// ```
    /// # use dalembert::{Model, Source};
    /// let text = "coordinate x\nkinetic x'^2/2\npotential x^2/2\ninitial x = 1";
    /// let mut model = Model::load(&Source::new("spring.dal", text), &Default::default()).unwrap().workspace();
    /// let start = model.start().unwrap().state;
    /// assert!(model.self_check(&start).is_ok());
    /// ```
    pub fn self_check(&mut self, start: &State) -> Result<(), Box<Diagnostic>> {
        let near = if self.is_large() { None } else { self.state_near(start) };
        for state in [start.clone()].into_iter().chain(near) {
            // Where there is no acceleration, that is told elsewhere.
            let Ok(found) = self.evaluate(&state) else { continue };
            self.compare_evaluation(&found)?;
        }
        Ok(())
    }

    /// Compares accelerations and forces that were found at a state with the principle of virtual work, as
    /// [`Workspace::self_check`] does.
    pub fn compare_evaluation(&mut self, found: &Evaluation) -> Result<(), Box<Diagnostic>> {
        self.check_at(found).map_err(|d| Box::new(internal_error(&d, &found.state)))
    }

    /// A state on the constraints a little way off; `None` if there is none.
    fn state_near(&self, start: &State) -> Option<State> {
        let mut state = start.clone();
        let moving = start.eta.iter().fold(0.0f64, |m, v| m.max(v.abs())).min(1.0);
        for (k, x) in state.x.iter_mut().enumerate() {
            *x += NEAR * (1.0 + x.abs()) * generic(k);
        }
        for (k, eta) in state.eta.iter_mut().enumerate() {
            *eta += NEAR * eta.abs().max(moving) * generic(k + 17);
        }
        let mut state = self.with_rotations(state);
        let mut projector = Projector::new(&self.compiled);
        projector.hold_invariants(&self.compiled, &start.x);
        projector.project(&self.compiled, state.t, &mut state.x, &mut state.eta).ok()?;
        Some(state)
    }

    /// Whether a few passes over the model cost too much: then one direction at the start is looked along.
    fn is_large(&self) -> bool {
        self.form.speeds.len() > MAX_CHECKED
    }

    fn check_at(&mut self, found: &Evaluation) -> Result<(), Disagreement> {
        let road = Road::new(self, found);
        if self.form.frame.is_some() && road.n() > MAX_CHECKED {
            return Ok(());
        }
        self.check_rows(&road)?;
        for k in 0..if self.is_large() { 1 } else { DIRECTIONS } {
            let w: Vec<f64> = (0..road.n()).map(|p| generic(p + 101 * k)).collect();
            self.check_direction(&road, &w)?;
        }
        if road.n() <= MAX_CHECKED && found.terms.sparsity.is_none() {
            self.check_nonideal(&road)?;
        }
        Ok(())
    }

    /// Derivatives of the rows along the motion.
    fn check_rows(&mut self, road: &Road<'_>) -> Result<(), Disagreement> {
        // Rows on accelerations are A and b as they are written: there is nothing to differentiate.
        let residual = |row: &crate::system::ConstraintRow| match row.on_accelerations {
            true => Pool::ZERO,
            false => row.residual,
        };
        let rows: Vec<Expr> = self.system.constraints.rows.iter().map(residual).collect();
        let (largest, fastest) = (road.largest_acceleration(), road.fastest().powi(2));
        let twice = road.jets(self, &rows, |r| match r {
            VariableKind::Time => Jet { value: road.state().t, first: [1.0, 1.0], mixed: 0.0 },
            VariableKind::Coordinate(i) => {
                Jet { value: road.state().x[i], first: [road.x_dot[i]; 2], mixed: road.x_ddot[i] }
            }
            VariableKind::Speed(p) => {
                Jet { value: road.state().eta[p], first: [road.eta_dot()[p]; 2], mixed: 0.0 }
            }
        });
        let entries: Vec<Expr> = self.form.constraint_matrix.iter().flatten().map(|(_, e)| *e).collect();
        let (entries, right) =
            (road.sizes(self, &entries), road.sizes(self, &self.form.constraint_right.clone()));
        let (own, mut entry) = (road.sizes(self, &rows), entries.iter());
        // All terms of a row may be rounding of those of the others.
        let least =
            VANISHED * own.iter().chain(&right).fold(0.0f64, |m, v| m.max(*v)) * (1.0 + largest + fastest);
        // States lie on the constraints to rounding: what that makes of b.
        let (dx, deta) = road.generic_change();
        let changed = road.along(self, &self.form.constraint_right.clone(), &dx, &deta);
        for (i, (row, jet)) in self.system.constraints.rows.iter().zip(twice).enumerate() {
            // What the derivative is made of: the terms of A and b, which may cancel. Coupled accelerations round, too, and where
            // a gradient vanishes in symbols, its terms still do in numbers.
            let mut size = least + right[i] + 1e-3 * own[i] * (largest + fastest) + 1e-6 * changed[i].abs();
            for ((p, _), a) in self.form.constraint_matrix[i].iter().zip(entry.by_ref()) {
                size += a * (road.eta_dot()[*p].abs() + 1e-6 * largest + fastest);
            }
            let rate = if row.holonomic { jet.mixed } else { jet.first[0] };
            compare(|| format!("`{}` along the motion", row.name), rate, 0.0, size)?;
        }
        Ok(())
    }

    /// Virtual work along w, and the multipliers.
    fn check_direction(&mut self, road: &Road<'_>, w: &[f64]) -> Result<(), Disagreement> {
        let found = road.found;
        let (Xw, delta_eta) = road.displacement(self, w)?;
        let (momentum, energy) = self.varied_lagrangian(road, w, &Xw, &delta_eta);
        let dissipation: Vec<Expr> = self.system.forces.dissipation.into_iter().collect();
        let damping = road.along(self, &dissipation, &vec![0.0; Xw.len()], w).first().copied().unwrap_or(0.0);
        let (applied, mass) = road.direct(self, w);
        let s = &found.solution;
        let forces = [&s.ideal_force, &s.nonideal_force, &s.control_force];
        let stated = match &self.form.besides_bodies {
            Some(besides) if self.form.is_deferred => besides.force.clone(),
            _ => self.form.force.clone(),
        };
        let carried: f64 = forces.iter().filter(|f| !f.is_empty()).map(|f| dot(f, w)).sum();
        let sizes = |v: &[f64]| v.iter().zip(w).map(|(v, w)| (v * w).abs()).sum::<f64>();
        let inertia: f64 = (0..w.len())
            .map(|p| {
                // Terms of inertia that cancel, as those of a body of equal principal inertias, still round.
                let row = found.terms.mass_row(p);
                let rate = |q: usize| s.eta_dot[q].abs() + 1e-3 * road.state().eta[q].abs() * road.fastest();
                w[p].abs() * row.entries().map(|(q, m)| m.abs() * rate(q)).sum::<f64>()
            })
            .sum();
        let row_sum = |p: usize| found.terms.mass_row(p).entries().map(|(_, m)| m.abs()).sum::<f64>();
        let masses: f64 = (0..w.len()).map(row_sum).sum();
        let size = momentum.abs()
            + energy.abs()
            + damping.abs()
            + applied.abs()
            + mass.abs()
            + inertia
            + AT_REST * masses
            + sizes(&found.terms.Q)
            + sizes(&road.sizes(self, &stated))
            + forces.iter().map(|f| sizes(f)).sum::<f64>();
        let left = momentum + mass - energy - applied + damping;
        compare(|| "the virtual work of inertia and forces".into(), carried, left, size)?;

        // U2, by rows differentiated along w. With friction the multipliers are those of the force which acts.
        if !self.system.contacts.is_empty() {
            return Ok(());
        }
        let slopes = self.rows_along(road, w);
        // Multipliers of forces that cancel are rounding of these.
        let (mut work, mut size) = (0.0, sizes(&s.ideal_force) + 1e-6 * size);
        for (lambda, slope) in s.lambda.iter().zip(&slopes) {
            (work, size) = (work + lambda * slope, size + (lambda * slope).abs());
        }
        compare(|| "the virtual work of the multipliers".into(), dot(&s.ideal_force, w), work, size)
    }

    /// `w . d/dt(L_eta)` and `D L[X w, delta eta]`. Energies of bodies that are only named come by values.
    fn varied_lagrangian(&mut self, road: &Road<'_>, w: &[f64], Xw: &[f64], delta_eta: &[f64]) -> (f64, f64) {
        let bodies = BodyNumbers::of(self, road);
        let L = match &self.system.bodies {
            Some(all) if bodies.is_some() => all.rest,
            _ => self.system.whole_lagrangian(),
        };
        let (state, along) = (road.state(), |value, first| Jet { value, first, mixed: 0.0 });
        let momentum = |r: VariableKind| match r {
            VariableKind::Time => along(state.t, [0.0, 1.0]),
            VariableKind::Coordinate(i) => along(state.x[i], [0.0, road.x_dot[i]]),
            VariableKind::Speed(p) => along(state.eta[p], [w[p], road.eta_dot()[p]]),
        };
        let slope = |r: VariableKind| match r {
            VariableKind::Time => Jet::constant(state.t),
            VariableKind::Coordinate(i) => along(state.x[i], [Xw[i], 0.0]),
            VariableKind::Speed(p) => along(state.eta[p], [delta_eta[p], 0.0]),
        };
        let (mut changes, mut slopes) =
            (road.jets(self, &[L], momentum)[0].mixed, road.jets(self, &[L], slope)[0].first[0]);
        if let Some(bodies) = bodies {
            changes += bodies.lagrangian(self, road, &momentum).mixed;
            slopes += bodies.lagrangian(self, road, &slope).first[0];
        }
        (changes, slopes)
    }

    /// A w of every row: rows differentiated along w. Those on accelerations are A as they are written, which may
    /// depend on the speeds.
    fn rows_along(&mut self, road: &Road<'_>, w: &[f64]) -> Vec<f64> {
        let still = vec![0.0; road.state().x.len()];
        let mut slopes = road.along(self, &self.form.velocity_residuals.clone(), &still, w);
        for (i, slope) in slopes.iter_mut().enumerate() {
            if self.system.constraints.rows[i].on_accelerations {
                let (places, entries): (Vec<usize>, Vec<Expr>) =
                    self.form.constraint_matrix[i].iter().copied().unzip();
                *slope = road.values(self, &entries).iter().zip(places).map(|(a, p)| a * w[p]).sum();
            }
        }
        slopes
    }

    /// U3 and Coulomb's law.
    fn check_nonideal(&mut self, road: &Road<'_>) -> Result<(), Disagreement> {
        let s = &road.found.solution;
        if s.nonideal_force.iter().all(|v| *v == 0.0) && self.system.contacts.is_empty() {
            return Ok(());
        }
        let friction = self.check_friction(road)?;
        let C = road.prescribed(self);
        // What constraints do besides their multipliers and friction.
        let mut rest: Vec<f64> =
            (0..road.n()).map(|p| s.ideal_force[p] + s.nonideal_force[p] - friction[p]).collect();
        for (i, lambda) in s.lambda.iter().enumerate().take(self.system.constraints.rows.len()) {
            road.found.terms.row(i).entries().for_each(|(p, a)| rest[p] -= lambda * a);
        }
        let size = norm(&rest) + norm(&C) + norm(&friction) + norm(&s.nonideal_force) + norm(&s.ideal_force);
        // What is left of Q_ni - C - friction across the rows.
        let mut across: Vec<f64> = rest.iter().zip(&C).map(|(r, c)| r - c).collect();
        remove_rows(&mut across, &road.rows_held(self));
        compare(|| "the work of the non-ideal forces".into(), norm(&across), 0.0, size)?;
        let (n, terms) = (road.n(), &road.found.terms);
        let mut M_chol = terms.M.clone();
        if cholesky(&mut M_chol, n).is_err() {
            return Ok(());
        }
        let accelerated = |force: &[f64]| {
            let mut z = force.to_vec();
            solve_lower(&M_chol, n, &mut z);
            solve_lower_transposed(&M_chol, n, &mut z);
            z
        };
        // Where the rows leave nothing of C, the rest is rounding of the forces that it is made of.
        let parts = [&rest, &C, &friction, &s.nonideal_force, &s.ideal_force];
        let scale: f64 = parts.iter().map(|force| norm(&accelerated(force))).sum();
        let z = accelerated(&rest);
        for (i, row) in self.system.constraints.rows.iter().enumerate() {
            let sum = terms.row(i).entries().map(|(p, a)| a * z[p]).sum();
            let size = terms.row(i).norm() * scale + road.rounding_of(i);
            compare(|| format!("the non-ideal force across `{}`", row.name), sum, 0.0, size)?;
        }
        Ok(())
    }

    /// The generalised force of friction at contacts that slide, checked against its law.
    fn check_friction(&mut self, road: &Road<'_>) -> Result<Vec<f64>, Disagreement> {
        let (found, mut total, mut place) = (road.found, vec![0.0; road.n()], 0);
        for k in 0..self.form.contacts.len() {
            let contact = self.form.contacts[k].clone();
            let width = contact.velocity.len();
            let force = found.solution.friction[place..place + width].to_vec();
            place += width;
            for p in 0..road.n() {
                let mut unit = vec![0.0; road.n()];
                unit[p] = 1.0;
                let slopes = road.along(self, &contact.velocity, &vec![0.0; road.state().x.len()], &unit);
                total[p] += dot(&force, &slopes);
            }
            if found.sticks[k] {
                continue;
            }
            let numbers: Vec<Expr> = contact.velocity.iter().copied().chain([contact.coefficient]).collect();
            let values = road.values(self, &numbers);
            let (V, mu) = (&values[..width], values[width]);
            let P = contact.normal.iter().flatten().copied().collect::<Vec<_>>();
            let P = road.values(self, &P);
            let lambda = &found.solution.lambda[contact.rows.clone()];
            let pressed: Vec<f64> = P.chunks(lambda.len().max(1)).map(|row| dot(row, lambda)).collect();
            let N = if contact.normal.is_empty() { 1.0 } else { norm(&pressed) };
            let speed = norm(V);
            if speed <= 1e-9 {
                continue; // the direction of sliding is a limit there
            }
            let name = &self.system.contacts[k].name;
            for (f, v) in force.iter().zip(V) {
                let law = -mu * N * v / speed;
                compare(|| format!("friction on `{name}`"), *f, law, mu * N + norm(&force))?;
            }
        }
        Ok(total)
    }
}

/// Which kind of variable a symbol is.
#[derive(Clone, Copy)]
enum VariableKind {
    Time,
    Coordinate(usize),
    Speed(usize),
}

/// What the second road stands on: a state, what the first road found there, and the motion x', x''.
struct Road<'a> {
    found: &'a Evaluation,
    places: Places,
    parameters: Vec<f64>,
    x_dot: Vec<f64>,
    x_ddot: Vec<f64>,
}

impl<'a> Road<'a> {
    fn new(model: &mut Workspace, found: &'a Evaluation) -> Self {
        let form = &model.form;
        let symbols: Vec<Symbol> = [form.time]
            .iter()
            .chain(&form.coordinates)
            .chain(&form.speeds)
            .chain(&form.parameters)
            .copied()
            .collect();
        let mut road = Self {
            found,
            places: Places::new(&symbols),
            parameters: model.compiled.parameters().to_vec(),
            x_dot: vec![0.0; found.state.x.len()],
            x_ddot: vec![0.0; found.state.x.len()],
        };
        if model.form.frame.is_none() {
            road.x_dot.copy_from_slice(&found.state.eta);
            road.x_ddot.copy_from_slice(&found.solution.eta_dot);
            return road;
        }
        let kinematics = model.system.frame.kinematics.clone();
        road.x_dot = road.values(model, &kinematics);
        let along = road.jets(model, &kinematics, |r| match r {
            VariableKind::Time => Jet { value: road.state().t, first: [1.0, 0.0], mixed: 0.0 },
            VariableKind::Coordinate(i) => {
                Jet { value: road.state().x[i], first: [road.x_dot[i], 0.0], mixed: 0.0 }
            }
            VariableKind::Speed(p) => {
                Jet { value: road.state().eta[p], first: [road.eta_dot()[p], 0.0], mixed: 0.0 }
            }
        });
        road.x_ddot = along.iter().map(|j| j.first[0]).collect();
        road
    }

    fn state(&self) -> &State {
        &self.found.state
    }

    fn n(&self) -> usize {
        self.found.state.eta.len()
    }

    fn eta_dot(&self) -> &[f64] {
        &self.found.solution.eta_dot
    }

    fn fastest(&self) -> f64 {
        self.found.state.eta.iter().fold(0.0f64, |m, v| m.max(v.abs()))
    }

    /// A change of the whole state by about its own size.
    fn generic_change(&self) -> (Vec<f64>, Vec<f64>) {
        let change = |values: &[f64]| -> Vec<f64> {
            let largest = values.iter().fold(0.0f64, |m, v| m.max(v.abs())).min(1.0);
            let least = if largest > 0.0 { largest } else { 1.0 };
            values.iter().enumerate().map(|(k, v)| v.abs().max(least) * generic(k + 7)).collect()
        };
        (change(&self.state().x), change(&self.state().eta))
    }

    /// Sizes of the terms of expressions over time, state and parameters.
    fn sizes(&self, model: &mut Workspace, list: &[Expr]) -> Vec<f64> {
        let s = self.state();
        let state: Vec<f64> =
            [s.t].iter().chain(&s.x).chain(&s.eta).chain(&self.parameters).copied().collect();
        let value = |s: Symbol| self.places.of(s).map_or(f64::NAN, |k| state[k]);
        model.system.pool.evaluate_with_sizes(list, value).iter().map(|v| v.1).collect()
    }

    /// What rounding of the largest accelerations, with and without constraints, is worth in a row, against [`TOLERANCE`].
    fn rounding_of(&self, row: usize) -> f64 {
        1e-6 * self.found.terms.row(row).norm() * self.largest_acceleration()
    }

    fn largest_acceleration(&self) -> f64 {
        let free = self.found.solution.a_free.iter().filter(|a| a.is_finite());
        self.eta_dot().iter().chain(free).fold(0.0f64, |m, v| m.max(v.abs()))
    }

    /// Expressions over time, state and parameters, with derivatives.
    fn jets(&self, model: &mut Workspace, list: &[Expr], jet: impl Fn(VariableKind) -> Jet) -> Vec<Jet> {
        let (n_x, n) = (self.found.state.x.len(), self.n());
        model.system.pool.evaluate_jets(list, |s| match self.places.of(s) {
            Some(0) => jet(VariableKind::Time),
            Some(k) if k <= n_x => jet(VariableKind::Coordinate(k - 1)),
            Some(k) if k <= n_x + n => jet(VariableKind::Speed(k - 1 - n_x)),
            Some(k) => Jet::constant(self.parameters[k - 1 - n_x - n]),
            None => Jet::constant(f64::NAN),
        })
    }

    fn values(&self, model: &mut Workspace, list: &[Expr]) -> Vec<f64> {
        let still = |r: VariableKind| match r {
            VariableKind::Time => Jet::constant(self.state().t),
            VariableKind::Coordinate(i) => Jet::constant(self.state().x[i]),
            VariableKind::Speed(p) => Jet::constant(self.state().eta[p]),
        };
        self.jets(model, list, still).iter().map(|j| j.value).collect()
    }

    /// Derivatives along a change of coordinates and speeds.
    fn along(&self, model: &mut Workspace, list: &[Expr], dx: &[f64], deta: &[f64]) -> Vec<f64> {
        let jets = self.jets(model, list, |r| match r {
            VariableKind::Time => Jet::constant(self.state().t),
            VariableKind::Coordinate(i) => Jet { value: self.state().x[i], first: [dx[i], 0.0], mixed: 0.0 },
            VariableKind::Speed(p) => Jet { value: self.state().eta[p], first: [deta[p], 0.0], mixed: 0.0 },
        });
        jets.iter().map(|j| j.first[0]).collect()
    }

    /// The virtual displacement X w and the change of the speeds that goes with it beyond w'.
    fn displacement(&self, model: &mut Workspace, w: &[f64]) -> Result<(Vec<f64>, Vec<f64>), Disagreement> {
        let (n_x, n) = (self.state().x.len(), w.len());
        if model.form.frame.is_none() {
            return Ok((w.to_vec(), vec![0.0; n]));
        }
        let kinematics = model.system.frame.kinematics.clone();
        let turned = self.jets(model, &kinematics, |r| match r {
            VariableKind::Time => Jet { value: self.state().t, first: [0.0, 1.0], mixed: 0.0 },
            VariableKind::Coordinate(i) => {
                Jet { value: self.state().x[i], first: [0.0, self.x_dot[i]], mixed: 0.0 }
            }
            VariableKind::Speed(p) => Jet { value: self.state().eta[p], first: [w[p], 0.0], mixed: 0.0 },
        });
        // Auxiliary variables are not displaced.
        let positions = model.system.positions();
        let mut Xw: Vec<f64> = turned.iter().map(|j| j.first[0]).collect();
        Xw[positions..].fill(0.0);
        let dragged = self.along(model, &kinematics, &Xw, &vec![0.0; n]);
        let mut difference: Vec<f64> = turned.iter().zip(&dragged).map(|(t, d)| t.mixed - d).collect();
        difference[positions..].fill(0.0);
        let mut scratch = vec![0.0; model.compiled.scratch_len()];
        let mut X = vec![0.0; n_x * n];
        model.compiled.frame(self.state().t, &self.state().x, &mut scratch, &mut X);
        for (i, row) in X.chunks(n.max(1)).enumerate() {
            let size = row.iter().zip(w).map(|(x, w)| (x * w).abs()).sum::<f64>();
            let name = || format!("the kinematics of `{}`", model.system.frame.coordinates[i].name);
            compare(name, dot(row, w), Xw[i], size)?;
        }
        let (mut inverse, mut delta_eta) = (Cod::new(n_x, n), vec![0.0; n]);
        inverse.factor(&X, RANK_TOL);
        inverse.solve(&difference, &mut delta_eta);
        Ok((Xw, delta_eta))
    }

    /// Work of the applied forces, and of the inertia of the direct form.
    fn direct(&self, model: &mut Workspace, w: &[f64]) -> (f64, f64) {
        let applied = model.system.forces.applied.clone();
        let applied = dot(&self.values(model, &applied), w);
        let Some(mass) = model.system.forces.mass.clone() else { return (applied, 0.0) };
        let inertia =
            mass.iter().zip(w).map(|(row, w)| w * dot(&self.values(model, row), self.eta_dot())).sum();
        (applied, inertia)
    }

    /// C (K4) by the multipliers and reactions of the ideal solution.
    fn prescribed(&self, model: &mut Workspace) -> Vec<f64> {
        let Some(C) = model.form.nonideal.clone() else { return vec![0.0; self.n()] };
        let (s, terms) = (&self.found.solution, &self.found.terms);
        let ideal = dalembert_run::IdealForces {
            lambda: &s.lambda,
            A: &terms.A,
            sparsity: terms.sparsity.as_deref(),
            Q_i: &s.ideal_force,
        };
        let (mut scratch, mut out) = (vec![0.0; model.compiled.scratch_len()], vec![0.0; C.len()]);
        model.compiled.nonideal(self.state().point(), &ideal, &mut scratch, &mut out);
        out
    }

    /// The rows of the constraints, and of contacts that stick.
    fn rows_held(&self, model: &mut Workspace) -> Vec<Vec<f64>> {
        let n = self.n();
        let mut rows: Vec<Vec<f64>> = self.found.terms.A.chunks(n.max(1)).map(<[f64]>::to_vec).collect();
        for k in (0..model.form.contacts.len()).filter(|k| self.found.sticks[*k]) {
            for row in model.form.contacts[k].matrix.clone() {
                rows.push(self.values(model, &row));
            }
        }
        rows
    }
}

/// Takes from v what lies along some rows (Gram-Schmidt, twice for the digits).
fn remove_rows(v: &mut [f64], rows: &[Vec<f64>]) {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let away = |v: &mut [f64], basis: &[Vec<f64>]| {
        for _ in 0..2 {
            for b in basis {
                let along = dot(v, b);
                v.iter_mut().zip(b).for_each(|(v, b)| *v -= along * b);
            }
        }
    };
    for row in rows {
        let (length, mut rest) = (norm(row), row.clone());
        away(&mut rest, &basis);
        let left = norm(&rest);
        if left > 1e-9 * length {
            rest.iter_mut().for_each(|v| *v /= left);
            basis.push(rest);
        }
    }
    away(v, &basis);
}

/// A fixed sequence between -1 and 1 without small numbers.
fn generic(k: usize) -> f64 {
    let u = (0.618_033_988_749_895 * (k + 1) as f64).fract();
    if u < 0.5 { -1.0 + u } else { u }
}

fn internal_error(d: &Disagreement, state: &State) -> Diagnostic {
    let message = format!(
        "internal error: two ways to the equations of motion disagree at t = {}: {} is {}, and {} by the principle of virtual work",
        short(state.t),
        d.what,
        short(d.found),
        short(d.expected)
    );
    Diagnostic::error(Code::Internal, None, message)
        .help("nothing in the model is at fault: please report it, with the model; `--no-self-check` goes on without the check")
}
