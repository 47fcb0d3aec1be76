//! The equations of Maggi, Kane and Appell in independent speeds, Routh's for ignorable coordinates, and the vakonomic
//! equations, which are printed for comparison (P6 to P10).

use super::write::{Style, Writer};
use super::{acceleration_symbols, constraint_forces, note_chetaev, note_dropped, write_kinematics};
use crate::closed_form::equations_limits::refuse;
use crate::closed_form::independent_speeds::IndependentSpeeds;
use crate::closed_form::routh::Routh;
use crate::closed_form::symbol_matrix as sm;
use crate::closed_form::udwadia::ExplicitEquation;
use crate::derive::structure_of;
use crate::evaluate::reactions::reads_ideal_forces;
use crate::formalism::poincare::{Fields, own_symbols, turned};
use crate::kernel_form::Structure;
use crate::workspace::Workspace;
use dalembert_expr::{Derivation, Expr, Pool, Rational, Symbol};
use dalembert_syntax::diagnostic::Diagnostic;

/// Vectors of the model whose partial velocities are written.
const MAX_POINTS: usize = 8;

/// What the forms of this file share.
struct Reduced {
    speeds: IndependentSpeeds,
    accelerations: Vec<Expr>,
    /// C with its multipliers replaced, or zeros.
    nonideal: Vec<Expr>,
}

impl Reduced {
    fn of(model: &mut Workspace) -> Result<Self, Box<Diagnostic>> {
        if !model.system.contacts.is_empty() || !model.system.control.rows.is_empty() {
            return Err(refuse("this form has no place for friction or control".into()));
        }
        let n = model.form.speeds.len();
        let nonideal = match reads_ideal_forces(model) {
            true => ExplicitEquation::of(model)?.nonideal_term,
            false => model.form.nonideal.clone(),
        };
        let speeds = IndependentSpeeds::of(model)?;
        let pool = &mut model.system.pool;
        let accelerations = model.system.frame.speeds.iter().map(|s| pool.var(s.acceleration)).collect();
        Ok(Reduced { speeds, accelerations, nonideal: nonideal.unwrap_or_else(|| vec![Pool::ZERO; n]) })
    }

    /// The head of the form: which speeds are independent, and T.
    fn write(&self, w: &mut Writer, model: &mut Workspace) {
        let form = model.form.clone();
        write_kinematics(w, &mut model.system.pool, &model.system.frame.coordinates, &form);
        note_dropped(w, model, &self.speeds.dropped);
        note_chetaev(w, model);
        if self.speeds.dependent.is_empty() {
            return;
        }
        let names = |list: &[usize]| -> String {
            list.iter().map(|p| model.system.frame.speeds[*p].name.as_str()).collect::<Vec<_>>().join(", ")
        };
        let (free, tied) = (names(&self.speeds.independent), names(&self.speeds.dependent));
        w.note(&format!(
            "independent speeds {free}; {tied} follow from the constraints (speeds = T w + ...)"
        ));
        w.matrix_as(&mut model.system.pool, "T", "speed_basis", &self.speeds.basis);
    }

    /// eta' by the independent accelerations.
    fn substituted(&self, model: &mut Workspace) -> Vec<(Symbol, Expr)> {
        let symbols: Vec<Symbol> = model.system.frame.speeds.iter().map(|s| s.acceleration).collect();
        let pool = &mut model.system.pool;
        let w: Vec<Expr> = self.speeds.independent.iter().map(|p| self.accelerations[*p]).collect();
        let moved = sm::times(pool, &self.speeds.basis, &w);
        let all = sm::plus(pool, &moved, &self.speeds.offset);
        self.speeds.dependent.iter().map(|p| (symbols[*p], all[*p])).collect()
    }
}

/// The rows as they were imposed.
fn write_constraints(w: &mut Writer, model: &mut Workspace) {
    for row in &model.system.constraints.rows {
        w.balance(&mut model.system.pool, row.residual, Pool::ZERO);
    }
}

/// M eta' of each speed.
fn inertia(model: &mut Workspace, accelerations: &[Expr]) -> Vec<Expr> {
    let mass = model.form.mass_matrix.written_out();
    sm::times(&mut model.system.pool, &mass, accelerations)
}

/// P7: T^T (M eta' - Q - C) = 0.
pub(super) fn maggi(model: &mut Workspace, style: Style) -> Result<String, Box<Diagnostic>> {
    let reduced = Reduced::of(model)?;
    let mut w = Writer::new(style, model.system.title.as_deref());
    reduced.write(&mut w, model);
    let left = inertia(model, &reduced.accelerations);
    let force = model.form.force.clone();
    let accelerations = acceleration_symbols(&model.system);
    let pool = &mut model.system.pool;
    let right = sm::plus(pool, &force, &reduced.nonideal);
    let (left, right) = (reduced.speeds.along(pool, &left), reduced.speeds.along(pool, &right));
    for (left, right) in left.into_iter().zip(right) {
        w.equation_of_motion(pool, &accelerations, left, right);
    }
    write_constraints(&mut w, model);
    Ok(w.finish(&mut model.system))
}

/// P7 as Kane writes it: generalised active and inertia forces, in independent accelerations.
pub(super) fn kane(model: &mut Workspace, style: Style) -> Result<String, Box<Diagnostic>> {
    let reduced = Reduced::of(model)?;
    let mut w = Writer::new(style, model.system.title.as_deref());
    reduced.write(&mut w, model);
    write_partial_velocities(&mut w, model, &reduced.speeds);
    write_body_velocities(&mut w, model, &reduced.speeds);
    let applied = model.applied_forces();
    let force = model.form.force.clone();
    let images = reduced.substituted(model);
    let inertia = inertia(model, &reduced.accelerations);
    let accelerations = acceleration_symbols(&model.system);
    let pool = &mut model.system.pool;
    let active = sm::plus(pool, &applied, &reduced.nonideal);
    // Q = Q' - h: inertia forces are -(M eta' + h) = -(M eta' + Q' - Q).
    let carried = sm::minus(pool, &applied, &force);
    let inertia = sm::plus(pool, &inertia, &carried);
    let inertia = pool.substitute(&inertia, &images);
    let (active, inertia) = (reduced.speeds.along(pool, &active), reduced.speeds.along(pool, &inertia));
    w.vector_as(pool, "F", "active_force", &active);
    let against: Vec<Expr> = inertia.iter().map(|e| pool.neg(*e)).collect();
    w.vector(pool, "F*", &against);
    w.note("Kane: F + F* = 0");
    for (inertia, active) in inertia.into_iter().zip(active) {
        w.equation_of_motion(pool, &accelerations, inertia, active);
    }
    write_constraints(&mut w, model);
    Ok(w.finish(&mut model.system))
}

/// Partial velocities of the named vectors of a model: dP/d w_r.
fn write_partial_velocities(w: &mut Writer, model: &mut Workspace, speeds: &IndependentSpeeds) {
    let vectors = model.system.drawing.vectors.clone();
    let rates = model.form.speeds.clone();
    let pool = &mut model.system.pool;
    let fields = Fields::of(pool, &model.form);
    let positions = vectors.into_iter().filter(|v| !v.at.iter().any(|e| pool.depends_on(*e, &rates)));
    let positions: Vec<_> = positions.collect();
    // A vector of constant length is a direction, not a point.
    let length = |pool: &mut Pool, at: &[Expr]| {
        let square = crate::formalism::poincare::dot(pool, at, at);
        let square = pool.tidy(square);
        pool.as_number(square).is_some()
    };
    let points: Vec<_> = positions.into_iter().filter(|v| !length(pool, &v.at)).take(MAX_POINTS).collect();
    for point in points {
        let slopes: Vec<Vec<Expr>> = point.at.iter().map(|e| fields.all(pool, *e)).collect();
        let columns: Vec<Vec<Expr>> = slopes.iter().map(|row| speeds.along(pool, row)).collect();
        if columns.iter().flatten().any(|e| *e != Pool::ZERO) {
            let rows = sm::transposed(&columns, speeds.independent.len());
            w.matrix(pool, &of_name("partial_velocity", &point.name), &rows);
        }
    }
}

fn of_name(word: &str, name: &str) -> String {
    format!("{word}_{}", name.replace(['[', ']', '.', ','], "_"))
}

/// Partial velocities of the centres of bodies and partial angular velocities, in the axes of each body.
fn write_body_velocities(w: &mut Writer, model: &mut Workspace, speeds: &IndependentSpeeds) {
    let bodies = model.system.body_velocities();
    if bodies.is_empty() || bodies.len() > MAX_POINTS {
        return;
    }
    w.note("partial velocities of the centres of bodies, and partial angular velocities, in the axes of each body");
    let rates = model.form.speeds.clone();
    let pool = &mut model.system.pool;
    for (name, v, turning) in bodies {
        for (word, vector) in [("partial_velocity", v), ("partial_angular_velocity", turning)] {
            let slopes: Vec<Vec<Expr>> = vector.iter().map(|e| pool.gradient(*e, &rates)).collect();
            let columns: Vec<Vec<Expr>> = slopes.iter().map(|row| speeds.along(pool, row)).collect();
            let rows = sm::transposed(&columns, speeds.independent.len());
            w.matrix(pool, &of_name(word, &name), &rows);
        }
    }
}

/// P6: S, and dS/dw' = T^T (Q' + C).
pub(super) fn appell(model: &mut Workspace, style: Style) -> Result<String, Box<Diagnostic>> {
    let reduced = Reduced::of(model)?;
    let speeds = model.form.speeds.clone();
    let mass = model.form.mass_matrix.written_out();
    let pool = &mut model.system.pool;
    if mass.iter().flatten().any(|e| pool.depends_on(*e, &speeds)) {
        return Err(refuse(
            "Appell's function is written for kinetic energies quadratic in the speeds".into(),
        ));
    }
    let mut w = Writer::new(style, model.system.title.as_deref());
    reduced.write(&mut w, model);
    let (applied, force) = (model.applied_forces(), model.form.force.clone());
    let images = reduced.substituted(model);
    let pool = &mut model.system.pool;
    let carried = sm::minus(pool, &applied, &force); // h
    let moved = sm::times(pool, &mass, &reduced.accelerations);
    let half: Vec<(Expr, Rational)> =
        reduced.accelerations.iter().zip(&moved).map(|(a, f)| (pool.mul(*a, *f), Rational::HALF)).collect();
    let linear: Vec<(Expr, Rational)> =
        reduced.accelerations.iter().zip(&carried).map(|(a, h)| (pool.mul(*a, *h), Rational::ONE)).collect();
    let function = pool.combine(half.into_iter().chain(linear));
    w.function_as(pool, "S", "appell_function", function);
    let free: Vec<usize> = reduced.speeds.independent.clone();
    let symbols: Vec<Symbol> = free.iter().map(|p| model.system.frame.speeds[*p].acceleration).collect();
    let mut own = function;
    if !images.is_empty() {
        w.note("S in the independent accelerations, up to terms without accelerations");
        let restricted = pool.substitute(&[function], &images)[0];
        let Some(without) = without_constant(pool, restricted, &symbols) else { return Err(too_long()) };
        own = without;
        w.function_as(pool, "S_w", "appell_function_independent", own);
    }
    let active = sm::plus(pool, &applied, &reduced.nonideal);
    let active = reduced.speeds.along(pool, &active);
    let slopes = pool.gradient(own, &symbols);
    for (left, right) in slopes.into_iter().zip(active) {
        w.equation_of_motion(pool, &symbols, left, right);
    }
    write_constraints(&mut w, model);
    Ok(w.finish(&mut model.system))
}

/// A function less its value where the symbols are zero.
fn without_constant(pool: &mut Pool, e: Expr, symbols: &[Symbol]) -> Option<Expr> {
    let zeros: Vec<(Symbol, Expr)> = symbols.iter().map(|s| (*s, Pool::ZERO)).collect();
    let rest = pool.substitute(&[e], &zeros)[0];
    let difference = pool.sub(e, rest);
    (pool.cost(difference) < crate::closed_form::equations_limits::MAX_COST).then(|| pool.tidy(difference))
}

fn too_long() -> Box<Diagnostic> {
    refuse("Appell's function is too long to be written in independent accelerations".into())
}

/// P9: the Routhian and the equations of the coordinates that remain.
pub(super) fn routh(model: &mut Workspace, style: Style) -> Result<String, Box<Diagnostic>> {
    let routh = Routh::of(model)?;
    let forces = constraint_forces(model);
    let chosen: Vec<Symbol> = routh.ignorable.iter().map(|c| model.form.speeds[*c]).collect();
    let images: Vec<(Symbol, Expr)> = chosen.into_iter().zip(routh.rates.iter().copied()).collect();
    let mut along = motion(model, &[], &[]);
    let form = model.form.clone();
    let accelerations = acceleration_symbols(&model.system);
    let mut w = Writer::new(style, model.system.title.as_deref());
    let names: Vec<&str> =
        routh.ignorable.iter().map(|c| model.system.frame.coordinates[*c].name.as_str()).collect();
    w.note(&format!("ignorable: {}; the momenta are constants", names.join(", ")));
    let pool = &mut model.system.pool;
    for (symbol, e) in &routh.momenta {
        w.definition(pool, *symbol, *e);
    }
    for (c, e) in routh.ignorable.iter().zip(&routh.rates) {
        w.equation(pool, &format!("{}'", model.system.frame.coordinates[*c].name), *e);
    }
    w.function_as(pool, "R", "routhian", routh.routhian);
    for p in (0..form.speeds.len()).filter(|p| !routh.ignorable.contains(p)) {
        let left = routh.left_side(pool, &mut along, (form.coordinates[p], form.speeds[p]));
        let right = pool.add(routh.impressed[p], forces[p]);
        let right = pool.substitute(&[right], &images)[0];
        w.equation_of_motion(pool, &accelerations, left, right);
    }
    write_constraints(&mut w, model);
    Ok(w.finish(&mut model.system))
}

/// P10: stationary integral of L + mu psi.
pub(super) fn vakonomic(model: &mut Workspace, style: Style) -> Result<String, Box<Diagnostic>> {
    let equations = crate::formalism::poincare::Poincare::of(model)?;
    if model.system.constraints.rows.is_empty() || model.form.nonideal.is_some() {
        return Err(refuse("the vakonomic principle is about ideal constraints, and needs some".into()));
    }
    let names: Vec<String> = model.system.constraints.rows.iter().map(|r| format!("mu_{}", r.name)).collect();
    let rates: Vec<String> = names.iter().map(|name| format!("{name}'")).collect();
    let (symbols, rates) = (own_symbols(&mut model.system, &names)?, own_symbols(&mut model.system, &rates)?);
    let structure = match model.form.frame.is_some() {
        true => structure_of(&mut model.system)
            .ok_or_else(|| refuse("brackets of the frame are not combinations of it".into()))?,
        false => Structure::default(),
    };
    let mut along = motion(model, &symbols, &rates);
    let form = model.form.clone();
    let accelerations = acceleration_symbols(&model.system);
    let system = &mut model.system;
    let pool = &mut system.pool;
    let mut parts = vec![equations.lagrangian];
    for (row, mu) in system.constraints.rows.iter().zip(&symbols) {
        let mu = pool.var(*mu);
        parts.push(pool.mul(mu, row.residual));
    }
    let whole = pool.total(parts);
    let momenta = pool.gradient(whole, &form.speeds);
    let slopes = Fields::of(pool, &form).all(pool, whole);
    let eta: Vec<Expr> = form.speeds.iter().map(|s| pool.var(*s)).collect();
    let turned = turned(pool, &structure, &eta, &momenta);
    let mut w = Writer::new(style, system.title.as_deref());
    w.note("for comparison; not the equations of motion of a nonholonomic system (P10)");
    write_kinematics(&mut w, pool, &system.frame.coordinates, &form);
    for p in 0..eta.len() {
        let rate = along.apply(pool, momenta[p]);
        let less = [slopes[p], turned[p]].map(|e| (e, Rational::MINUS_ONE));
        let left = pool.combine([(rate, Rational::ONE)].into_iter().chain(less));
        w.equation_of_motion(pool, &accelerations, left, equations.impressed[p]);
    }
    write_constraints(&mut w, model);
    Ok(w.finish(&mut model.system))
}

/// D along x', eta', t and the rates of further symbols.
fn motion(model: &mut Workspace, symbols: &[Symbol], rates: &[Symbol]) -> Derivation {
    let system = &mut model.system;
    let pool = &mut system.pool;
    let mut seeds: Vec<(Symbol, Expr)> = vec![(system.time, Pool::ONE)];
    seeds.extend(
        system.frame.coordinates.iter().map(|c| c.symbol).zip(system.frame.kinematics.iter().copied()),
    );
    seeds.extend(system.frame.speeds.iter().map(|s| (s.symbol, pool.var(s.acceleration))));
    seeds.extend(symbols.iter().zip(rates).map(|(mu, rate)| (*mu, pool.var(*rate))));
    Derivation::new(seeds)
}
