//! From system to kernel form: Poincare-Chetaev in general, which is Lagrange where the speeds are rates.
//!
//! ```text
//! L3  M_pq = d2L/d eta_p d eta_q
//!     Q_p  = X_p L + C_0pq L_q + C_qpr eta_q L_r + Q'_p - X0(L_p) - eta_q X_q(L_p),   L_p = dL/d eta_p
//! K5  f(x,t) = 0:       psi = f' = X0 f + eta_p X_p f, then as K6
//! K6  psi(x,eta,t) = 0: A_p = d psi/d eta_p,   b = -(X0 psi + eta_q X_q psi)   (eta held)
//! ```
//!
//! K5 through K6 is the same b as in K5's own formula, found by one rule instead of two. No inverse of M is
//! formed. Cost: one backward pass for L_p and one for each row of M, over the speeds that occur there, one shared forward pass for all time
//! derivatives; rows of constraints once for each shape (`families`). Checked by the tests against closed forms and against Lagrange in other coordinates.

mod families;
mod relative_degree;
mod sample;
mod structure;

use crate::elaborate::MAX_DENSE;
use crate::kernel_form::{BesidesBodies, ContactForm, KernelForm, Matrix, Places, Structure};
use crate::system::System;
use dalembert_expr::{Derivation, Expr, Pool, Rational, Symbol};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;
use families::{Derived, Families};
use structure::{Frame, FrameError};

/// Entries a mass matrix may have (that of 2000 speeds written out): beyond, a system is neither small nor sparse.
const MAX_MASS_ENTRIES: usize = 4_000_000;
/// Groups of coordinates larger than this are not searched for invariants.
const MAX_INVARIANT_GROUP: usize = 12;

/// Brings a system to kernel form.
pub fn derive(system: &mut System) -> Result<KernelForm, Box<Diagnostic>> {
    derive_parts(system, false)
}

/// The kernel form of a system with bodies without M, Q and momenta in symbols, which [`derive`] gives.
pub(crate) fn derive_besides_bodies(system: &mut System) -> Result<KernelForm, Box<Diagnostic>> {
    derive_parts(system, true)
}

fn derive_parts(system: &mut System, is_deferred: bool) -> Result<KernelForm, Box<Diagnostic>> {
    let symbols = Symbols::of(system);
    let positions = system.positions();
    let rates = system.frame.speeds.iter().enumerate().all(|(p, s)| s.rate_of == Some(p))
        && system.frame.speeds.len() == positions;
    let identity = rates && positions == system.frame.coordinates.len();
    check_size(system, identity)?;
    let frame = if identity { None } else { Some(FrameParts::of(system, &symbols)) };
    // Where all rates of coordinates are speeds, directions commute, whatever auxiliary variables there are.
    let (structure, invariants) = match &frame {
        Some(frame) if !rates => frame.analyse(system, &symbols)?,
        _ => Default::default(),
    };
    // D with eta held: x -> x', t -> 1.
    let mut dot = Derivation::new(
        symbols
            .x
            .iter()
            .copied()
            .zip(system.frame.kinematics.iter().copied())
            .chain([(system.time, Pool::ONE)]),
    );
    let dynamics = match is_deferred {
        true => DerivedTerms::default(),
        false => {
            let L = system.whole_lagrangian();
            lagrange(system, L, &symbols, frame.as_ref(), &structure, &mut dot)?
        }
    };
    let besides_bodies = match &system.bodies {
        Some(bodies) => {
            let rest = lagrange(system, bodies.rest, &symbols, frame.as_ref(), &structure, &mut dot)?;
            Some(BesidesBodies { mass_matrix: rest.mass_matrix, force: rest.force })
        }
        None => None,
    };
    let mut form = KernelForm {
        time: system.time,
        parameters: system.parameters.iter().map(|p| p.symbol).collect(),
        x_dot: system.frame.kinematics.clone(),
        frame: frame.map(|f| f.rows),
        mass_matrix: dynamics.mass_matrix,
        force: dynamics.force,
        constraint_matrix: Vec::new(),
        constraint_right: Vec::new(),
        position_residuals: Vec::new(),
        velocity_residuals: Vec::new(),
        nonideal: system.constraints.nonideal.clone(),
        contacts: Vec::new(),
        requirement_matrix: Vec::new(),
        requirement_right: Vec::new(),
        requirement_rates: Vec::new(),
        not_differentiated: None,
        inputs: Vec::new(),
        cost: system.control.weight.as_ref().map(|(rows, _)| rows.clone()),
        invariants,
        momenta: dynamics.momenta,
        structure,
        besides_bodies,
        is_deferred,
        coordinates: symbols.x,
        speeds: symbols.eta,
    };
    constrain(system, &mut form, &mut dot);
    touch(system, &mut form, &mut dot);
    require(system, &mut form, &mut dot)?;
    if system.pool.exhausted() {
        let d = Diagnostic::error(
            Code::TooLarge,
            None,
            "the equations of motion of this model outgrow the memory they may use",
        );
        return Err(Box::new(
            d.help("use smaller families, or coordinates in which the energies are shorter"),
        ));
    }
    Ok(form)
}

/// Features whose matrices are written out are refused beyond [`MAX_DENSE`] speeds.
fn check_size(system: &System, identity: bool) -> Result<(), Box<Diagnostic>> {
    let n = system.frame.speeds.len().max(system.frame.coordinates.len());
    let feature = if !identity {
        "whose rates are not all speeds"
    } else if !system.contacts.is_empty() {
        "with friction at contacts"
    } else if !system.control.rows.is_empty() {
        "with requirements"
    } else {
        return Ok(());
    };
    if n <= MAX_DENSE {
        return Ok(());
    }
    let message = format!("a model {feature} may have {MAX_DENSE} coordinates and speeds, not {n}");
    Err(Box::new(Diagnostic::error(Code::TooLarge, None, message).help(
        "larger systems have rates as speeds, joints as constraints, and forces as functions of the state",
    )))
}

/// L1 of a system whose equations of motion do not need it (the direct form); `None` if the frame is not closed.
pub(crate) fn structure_of(system: &mut System) -> Option<Structure> {
    let symbols = Symbols::of(system);
    let parts = FrameParts::of(system, &symbols);
    let frame = Frame {
        x: &symbols.x,
        time: system.time,
        fields: &parts.fields,
        drift: &parts.drift,
        inverse: system.frame.speeds_in_rates.as_deref(),
    };
    frame.structure(&mut system.pool).ok()
}

struct Symbols {
    x: Vec<Symbol>,
    eta: Vec<Symbol>,
}

impl Symbols {
    fn of(system: &System) -> Self {
        Symbols {
            x: system.frame.coordinates.iter().map(|c| c.symbol).collect(),
            eta: system.frame.speeds.iter().map(|s| s.symbol).collect(),
        }
    }
}

/// X by rows and columns, and X0.
struct FrameParts {
    rows: Vec<Vec<Expr>>,
    fields: Vec<Vec<Expr>>,
    drift: Vec<Expr>,
}

impl FrameParts {
    fn of(system: &mut System, symbols: &Symbols) -> Self {
        let (positions, pool) = (system.positions(), &mut system.pool);
        let mut rows: Vec<Vec<Expr>> =
            system.frame.kinematics.iter().map(|r| pool.gradient(*r, &symbols.eta)).collect();
        // No virtual displacement changes an auxiliary variable.
        rows[positions..].iter_mut().for_each(|row| row.fill(Pool::ZERO));
        let fields = (0..symbols.eta.len()).map(|p| rows.iter().map(|row| row[p]).collect()).collect();
        let zeros: Vec<(Symbol, Expr)> = symbols.eta.iter().map(|s| (*s, Pool::ZERO)).collect();
        let drift = pool.substitute(&system.frame.kinematics, &zeros);
        FrameParts { rows, fields, drift }
    }

    fn analyse(
        &self,
        system: &mut System,
        symbols: &Symbols,
    ) -> Result<(Structure, Vec<Expr>), Box<Diagnostic>> {
        let n = system.positions();
        let fields: Vec<Vec<Expr>> = self.fields.iter().map(|field| field[..n].to_vec()).collect();
        let inverse: Option<Vec<Vec<Expr>>> = system
            .frame
            .speeds_in_rates
            .as_ref()
            .map(|rows| rows.iter().map(|row| row[..n].to_vec()).collect());
        let frame = Frame {
            x: &symbols.x[..n],
            time: system.time,
            fields: &fields,
            drift: &self.drift[..n],
            inverse: inverse.as_deref(),
        };
        // With the direct form alone no bracket is needed.
        let needed = system.energies.kinetic.is_some() || system.energies.lagrangian.is_some();
        let structure = match needed {
            true => frame.structure(&mut system.pool).map_err(|e| Box::new(frame_error(&e, system)))?,
            false => Structure::default(),
        };
        let mut invariants = Vec::new();
        if system.frame.speeds_in_rates.is_none() {
            for group in self.groups(system) {
                if group.len() <= MAX_INVARIANT_GROUP {
                    invariants.extend(frame.invariants(&mut system.pool, &group));
                }
            }
        }
        Ok((structure, invariants))
    }

    /// Coordinates whose rates are not speeds, grouped by the fields that move them together: one quaternion is
    /// one group, however many bodies there are.
    fn groups(&self, system: &System) -> Vec<Vec<usize>> {
        let positions = system.positions();
        let is_speed = |i: usize| i >= positions || system.frame.speeds.iter().any(|s| s.rate_of == Some(i));
        let mut group_of: Vec<usize> = (0..self.rows.len()).collect();
        for field in &self.fields {
            let moved: Vec<usize> =
                (0..field.len()).filter(|&i| field[i] != Pool::ZERO && !is_speed(i)).collect();
            if let Some(target) = moved.iter().map(|&i| group_of[i]).min() {
                let merged: Vec<usize> = moved.iter().map(|&i| group_of[i]).collect();
                group_of.iter_mut().filter(|g| merged.contains(g)).for_each(|g| *g = target);
            }
        }
        let mut groups: Vec<Vec<usize>> = vec![Vec::new(); group_of.len()];
        (0..group_of.len()).filter(|&i| !is_speed(i)).for_each(|i| groups[group_of[i]].push(i));
        groups.retain(|g| !g.is_empty());
        groups
    }
}

fn frame_error(error: &FrameError, system: &System) -> Diagnostic {
    let FrameError::NotClosed(first, second) = *error else {
        let message = "the inverse of the kinematics does not satisfy Y X = 1";
        return Diagnostic::error(Code::Internal, None, message)
            .help("this is an error of Dalembert itself: please report it with the model");
    };
    let name = |p: usize| system.frame.speeds[p].name.as_str();
    let span: Option<Span> = system.frame.speeds.get(second).map(|s| s.span);
    let message = match first {
        Some(first) => format!(
            "the kinematics do not close: the bracket of the directions of `{}` and `{}` is not a combination of directions of speeds",
            name(first),
            name(second)
        ),
        None => format!(
            "the kinematics do not close: the direction of `{}` changes in time out of those of the speeds",
            name(second)
        ),
    };
    Diagnostic::error(Code::KinematicsNotClosed, span, message)
        .help("coordinates beyond the speeds must be redundant (as quaternions are); a rolling condition is a `constraint`, not kinematics")
}

#[derive(Default)]
struct DerivedTerms {
    mass_matrix: Matrix,
    force: Vec<Expr>,
    momenta: Vec<Expr>,
}

/// L3, and the direct form added to it.
fn lagrange(
    system: &mut System,
    L: Expr,
    symbols: &Symbols,
    frame: Option<&FrameParts>,
    structure: &Structure,
    dot: &mut Derivation,
) -> Result<DerivedTerms, Box<Diagnostic>> {
    let n = symbols.eta.len();
    let pool = &mut system.pool;
    let momenta = pool.gradient(L, &symbols.eta);
    let mut mass_matrix = inertia(pool, &momenta, &symbols.eta)?;
    let slope = pool.gradient(L, &symbols.x);
    let mut force: Vec<Vec<(Expr, Rational)>> = match frame {
        None => slope.into_iter().map(|e| vec![(e, Rational::ONE)]).collect(),
        Some(frame) => frame
            .fields
            .iter()
            .map(|X_p| {
                let product = |(g, x): (&Expr, &Expr)| (pool.mul(*g, *x), Rational::ONE);
                slope.iter().zip(X_p).map(product).collect()
            })
            .collect(),
    };
    for (p, q, c) in &structure.with_time {
        force[*p].push((pool.mul(*c, momenta[*q]), Rational::ONE));
    }
    for (q, p, r, c) in &structure.entries {
        let eta = pool.var(symbols.eta[*q]);
        let term = [*c, eta, momenta[*r]].map(|e| (e, Rational::ONE));
        force[*p].push((pool.product(term), Rational::ONE));
    }
    let damping = system.forces.dissipation.map(|r| pool.gradient(r, &symbols.eta));
    for p in 0..n {
        force[p].push((system.forces.applied[p], Rational::ONE));
        force[p].push((dot.apply(pool, momenta[p]), Rational::MINUS_ONE));
        force[p].extend(damping.as_ref().map(|d| (d[p], Rational::MINUS_ONE)));
    }
    let force = force.into_iter().map(|parts| pool.combine(parts)).collect();
    if let Some(direct) = &system.forces.mass {
        let mut sum = |p: usize, q: usize, d: Expr| (q, pool.add(mass_matrix.get(p, q), d));
        let rows = direct.iter().enumerate().map(|(p, row)| {
            let entries = row.iter().enumerate().map(|(q, d)| sum(p, q, *d));
            entries.filter(|(_, e)| *e != Pool::ZERO).collect()
        });
        mass_matrix = Matrix::from_rows(rows.collect());
    }
    Ok(DerivedTerms { mass_matrix, force, momenta })
}

/// M by its entries: row p from its own momentum, by the speeds that occur there. The upper triangle is mirrored so that
/// M is symmetric to the bit. O(size of the momenta).
fn inertia(pool: &mut Pool, momenta: &[Expr], eta: &[Symbol]) -> Result<Matrix, Box<Diagnostic>> {
    let (n, places) = (eta.len(), Places::new(eta));
    let mut rows: Vec<Vec<(usize, Expr)>> = vec![Vec::new(); n];
    let mut count = 0;
    for p in 0..n {
        let row = places.gradient(pool, momenta[p]);
        for (q, e) in row.into_iter().filter(|(q, _)| *q >= p) {
            rows[p].push((q, e));
            if q > p {
                rows[q].push((p, e));
            }
        }
        count += rows[p].len();
        if count > MAX_MASS_ENTRIES || pool.exhausted() {
            let message =
                "the mass matrix of this model has more entries than fit: its speeds are nearly all coupled";
            let d = Diagnostic::error(Code::TooLarge, None, message);
            return Err(Box::new(d.help(
                "in redundant coordinates, with joints as constraints, bodies are coupled with their neighbours only",
            )));
        }
    }
    // Mirrored entries of a row came first, from rows before it: columns ascend.
    Ok(Matrix::from_rows(rows))
}

/// K6: A = d psi/d eta, sparse, and b = -(X0 psi + eta_q X_q psi).
fn velocity_row(
    pool: &mut Pool,
    place: &Places,
    psi: Expr,
    dot: &mut Derivation,
) -> (Vec<(usize, Expr)>, Expr) {
    let entries = place.gradient(pool, psi);
    let rate = dot.apply(pool, psi);
    (entries, pool.neg(rate))
}

fn places(form: &KernelForm) -> Places {
    Places::new(&form.speeds)
}

/// K5 and K6 for every row.
fn constrain(system: &mut System, form: &mut KernelForm, dot: &mut Derivation) {
    let symbols = Symbols::of(system);
    let mut families = Families::new(&symbols, form.frame.is_none());
    let accelerations = acceleration_symbols(system);
    for row in &system.constraints.rows {
        if row.on_accelerations {
            let (entries, right) = row_on_accelerations(&mut system.pool, &accelerations, row.residual);
            form.constraint_right.push(right);
            form.constraint_matrix.push(entries);
            form.position_residuals.push(None);
            form.velocity_residuals.push(Pool::ZERO);
            continue;
        }
        let Derived { psi, entries, right } = families.row(&mut system.pool, row, dot);
        form.constraint_right.push(right);
        form.constraint_matrix.push(entries);
        form.position_residuals.push(row.holonomic.then_some(row.residual));
        form.velocity_residuals.push(psi);
    }
}

fn acceleration_symbols(system: &System) -> Vec<Symbol> {
    system.frame.speeds.iter().map(|s| s.acceleration).collect()
}

/// A row that is linear in accelerations as it is written: its entries and right side (K3).
fn row_on_accelerations(pool: &mut Pool, symbols: &[Symbol], residual: Expr) -> (Vec<(usize, Expr)>, Expr) {
    let places = Places::new(symbols);
    let entries = places.gradient(pool, residual);
    let zeros: Vec<(Symbol, Expr)> = symbols.iter().map(|s| (*s, Pool::ZERO)).collect();
    let rest = pool.substitute(&[residual], &zeros)[0];
    (entries, pool.neg(rest))
}

/// Sliding velocities as rows. Where the model says nothing of the normal force it is the length of the multipliers,
/// until [`crate::constraint::normal_force`] knows better.
fn touch(system: &mut System, form: &mut KernelForm, dot: &mut Derivation) {
    for contact in &system.contacts {
        let (matrix, right) = rows_of(&mut system.pool, form, &contact.velocity, dot);
        let m = contact.rows.len();
        let unit = |i: usize| (0..m).map(|j| if i == j { Pool::ONE } else { Pool::ZERO }).collect();
        form.contacts.push(ContactForm {
            rows: contact.rows.clone(),
            velocity: contact.velocity.clone(),
            matrix,
            right,
            coefficient: contact.coefficient,
            r#static: contact.r#static,
            normal: contact.normal.clone().unwrap_or_else(|| (0..m).map(unit).collect()),
        });
    }
}

/// J and b of V' = 0 (K6).
fn rows_of(
    pool: &mut Pool,
    form: &KernelForm,
    velocity: &[Expr],
    dot: &mut Derivation,
) -> (Vec<Vec<Expr>>, Vec<Expr>) {
    let place = places(form);
    let row = |V: &Expr| {
        let (entries, b) = velocity_row(pool, &place, *V, dot);
        let mut row = vec![Pool::ZERO; form.speeds.len()];
        entries.into_iter().for_each(|(p, e)| row[p] = e);
        (row, b)
    };
    velocity.iter().map(row).unzip()
}

/// Rows of V' = 0 (K6) for a sliding velocity that has been rewritten.
pub(crate) fn sliding_rows(
    system: &mut System,
    form: &KernelForm,
    velocity: &[Expr],
) -> (Vec<Vec<Expr>>, Vec<Expr>) {
    let mut dot = along_motion(form);
    rows_of(&mut system.pool, form, velocity, &mut dot)
}

/// D with eta held: x -> x', t -> 1.
fn along_motion(form: &KernelForm) -> Derivation {
    let places = form.coordinates.iter().copied().zip(form.x_dot.iter().copied());
    Derivation::new(places.chain([(form.time, Pool::ONE)]))
}

/// The contacts as the model states them.
pub(crate) fn touch_again(system: &mut System, form: &mut KernelForm) {
    form.contacts.clear();
    let mut dot = along_motion(form);
    touch(system, form, &mut dot);
}

/// C1 and C2: requirements as rows, and the inputs.
fn require(system: &mut System, form: &mut KernelForm, dot: &mut Derivation) -> Result<(), Box<Diagnostic>> {
    let n = form.speeds.len();
    form.inputs = match &system.control.actuators {
        _ if system.control.rows.is_empty() => return Ok(()),
        Some(list) => list.iter().map(|(_, column)| column.clone()).collect(),
        None => {
            let unit = |p: usize| (0..n).map(|q| if q == p { Pool::ONE } else { Pool::ZERO }).collect();
            (0..n).map(unit).collect()
        }
    };
    if system.control.actuators.is_some() && relative_degree::differentiate(system, form, dot)? {
        return Ok(());
    }
    let accelerations = acceleration_symbols(system);
    let (pool, place) = (&mut system.pool, places(form));
    for row in &system.control.rows {
        if row.on_accelerations {
            let (entries, right) = row_on_accelerations(pool, &accelerations, row.residual);
            form.requirement_matrix.push(entries);
            form.requirement_right.push(right);
            form.requirement_rates.push(Vec::new());
            continue;
        }
        let psi = if row.holonomic { dot.apply(pool, row.residual) } else { row.residual };
        let (entries, mut right) = velocity_row(pool, &place, psi, dot);
        let order = if row.holonomic { 2 } else { 1 };
        if let Some(law) = relative_degree::law_of(pool, row, order, order)? {
            // b - k1 h' - k0 h, or b - k0 psi.
            let errors = if row.holonomic { vec![psi, row.residual] } else { vec![psi] };
            let drawn = law.iter().zip(errors).map(|(k, e)| (pool.mul(*k, e), Rational::MINUS_ONE));
            let parts: Vec<_> = [(right, Rational::ONE)].into_iter().chain(drawn).collect();
            right = pool.combine(parts);
        }
        form.requirement_matrix.push(entries);
        form.requirement_right.push(right);
        form.requirement_rates.push(if row.holonomic { vec![psi] } else { Vec::new() });
    }
    Ok(())
}
