//! The equations of motion, written out: kernel form, Lagrange's equations with multipliers, accelerations in
//! closed form, the equations of Poincare and Chetaev, Hamilton's, and Suslov's.
//!
//! Entries are simplified for reading; what would print longer than a reader wants is not expanded. The closed form
//! inverts the matrix of U4 with K3 in symbols and is refused, with the limit, where that would explode.

mod brackets;
mod energies;
mod forces;
mod hamilton;
mod hamilton_jacobi;
mod legendre;
mod poincare;
mod rivals;
mod statement;
mod suslov;
mod udwadia;
mod write;

use crate::closed_form::equations_limits::MAX_EFFORT;
#[doc(hidden)]
pub use crate::formalism::hamilton::MAX_EXPLICIT;
use crate::formalism::hamilton::MAX_EXPLICIT_COST;

use crate::closed_form::udwadia::{ExplicitEquation, independent_rows, shared};
use crate::evaluate::reactions::reaction_sizes;
use crate::kernel_form::KernelForm;
use crate::system::{Coordinate, System};
use crate::workspace::Workspace;
pub use brackets::WrittenBrackets;
#[doc(hidden)]
pub use brackets::brackets;
use dalembert_expr::{Expr, Format, Pool, Rational, Symbol};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use forces::Named;
#[doc(hidden)]
pub use hamilton_jacobi::hamilton_jacobi;
#[doc(hidden)]
pub use legendre::legendre;
pub use statement::Part;
#[doc(hidden)]
pub use statement::state;
use std::str::FromStr;
pub use write::Style;
use write::Writer;

/// Non-ideal forces longer than this stand as C, with multipliers that answer it too.
const MAX_NONIDEAL_COST: u64 = 600;

/// In which form to write the equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// x' = X0 + X eta, M eta' = Q, A eta' = b, C.
    Kernel,
    /// One equation a speed with multipliers, and the constraints.
    Lagrange,
    /// Accelerations and multipliers in closed form.
    Explicit,
    /// Structure coefficients, momenta and their rates (L1, L2), nonholonomy of the constraints (H5).
    Poincare,
    /// The Hamiltonian and the canonical equations (H1).
    Hamilton,
    /// Momenta with multipliers in them (H3, H4, H6).
    Suslov,
    /// Energies, co-energies and the storage functions.
    Energies,
    /// The complete integral of the model, verified, with what follows from it (H8).
    HamiltonJacobi,
    /// The explicit equation as its papers write it: B, e, K, Q_i, Q_ni, the control force (U1 to U5, C1, P1).
    Udwadia,
    /// Appell's function and its derivatives, in independent accelerations (P6).
    Appell,
    /// Maggi's equations: no multipliers, as many as degrees of freedom (P7).
    Maggi,
    /// Kane's equations with partial velocities (P7).
    Kane,
    /// The Routhian of ignorable coordinates (P9).
    Routh,
    /// The vakonomic equations, for comparison (P10).
    Vakonomic,
}

impl Form {
    /// The forms that can be asked for.
    pub const ALL: [(&'static str, Form); 14] = [
        ("kernel", Form::Kernel),
        ("lagrange", Form::Lagrange),
        ("explicit", Form::Explicit),
        ("poincare", Form::Poincare),
        ("hamilton", Form::Hamilton),
        ("suslov", Form::Suslov),
        ("energies", Form::Energies),
        ("hamilton-jacobi", Form::HamiltonJacobi),
        ("udwadia", Form::Udwadia),
        ("appell", Form::Appell),
        ("maggi", Form::Maggi),
        ("kane", Form::Kane),
        ("routh", Form::Routh),
        ("vakonomic", Form::Vakonomic),
    ];
}

impl FromStr for Form {
    type Err = Box<Diagnostic>;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        if let Some((_, form)) = Form::ALL.iter().find(|(known, _)| *known == name) {
            return Ok(*form);
        }
        let message = format!("there is no form `{name}`");
        let known: Vec<&str> = Form::ALL.iter().map(|(name, _)| *name).collect();
        Err(Box::new(
            Diagnostic::error(Code::BadOption, None, message)
                .help(format!("the forms are {}", known.join(", "))),
        ))
    }
}

/// Writes the equations of motion.
///
/// Forces that the state does not give in closed form (friction, control) stand in the forms `kernel` and `lagrange`
/// under names of their own, with the laws that decide them; the other forms of such models are refused.
///
/// ```
/// use dalembert::{Model, Source, equations::{self, Form}};
/// use dalembert_expr::Format;
/// let text = "parameter m = 1, l = 2, g = 9.81\ncoordinate q\nkinetic m*l^2/2*q'^2\npotential -m*g*l*cos(q)";
/// let model = Model::load(&Source::new("pendulum.dal", text), &Default::default()).unwrap();
/// let written = model.equations(Form::Explicit, Format::Text).unwrap();
/// assert!(written.contains("q'' = -g*sin(q)/l"), "{written}");
/// ```
#[doc(hidden)]
pub fn write(model: &mut Workspace, form: Form, style: impl Into<Style>) -> Result<String, Box<Diagnostic>> {
    let style = style.into();
    model.derive_symbols()?;
    if form != Form::Lagrange {
        model.require_dense("this form")?;
    }
    let multipliers = match form {
        Form::Kernel => model.system.constraints.nonideal.is_some() || !model.system.contacts.is_empty(),
        Form::Suslov | Form::Energies | Form::HamiltonJacobi | Form::Vakonomic => false,
        Form::Maggi | Form::Kane | Form::Appell => false,
        Form::Lagrange | Form::Explicit | Form::Poincare | Form::Hamilton => true,
        Form::Udwadia | Form::Routh => true,
    };
    if multipliers {
        let mut names = lambda_names(model);
        names.extend(forces::reaction_names(model));
        names.extend(whole_names(model));
        crate::formalism::poincare::own_symbols(&mut model.system, &names)?;
    }
    let accelerations = acceleration_symbols(&model.system);
    model.system.pool.lead_with(&accelerations);
    model.system.pool.allow_tidying(MAX_EFFORT);
    let written = match form {
        Form::Kernel => kernel(model, style)?,
        Form::Lagrange => lagrange(model, style)?,
        Form::Explicit => explicit(model, style)?,
        Form::Poincare => poincare::write(model, style)?,
        Form::Hamilton => hamilton::write(model, style)?,
        Form::Suslov => suslov::write(model, style)?,
        Form::Energies => energies::write(model, style)?,
        Form::HamiltonJacobi => hamilton_jacobi::write(model, style)?,
        Form::Udwadia => udwadia::write(model, style)?,
        Form::Appell => rivals::appell(model, style)?,
        Form::Maggi => rivals::maggi(model, style)?,
        Form::Kane => rivals::kane(model, style)?,
        Form::Routh => rivals::routh(model, style)?,
        Form::Vakonomic => rivals::vakonomic(model, style)?,
    };
    model.check_memory()?;
    if style.format == Format::Python
        && let Some(count) = left_out(&written)
    {
        let message = format!("an equation takes {count} operations written out, too many for a script");
        let help = "`--format text` leaves such equations out and says so; other coordinates, or names for parts of the energies, may make them shorter";
        return Err(Box::new(Diagnostic::error(Code::NotApplicable, None, message).help(help)));
    }
    Ok(written)
}

/// The size of an expression that was named by it instead of being written (see [`dalembert_expr::MAX_PRINTED`]).
fn left_out(written: &str) -> Option<&str> {
    let end = written.find(" operations>")?;
    let start = written[..end].rfind('<')? + 1;
    Some(&written[start..end])
}

fn lambda_names(model: &Workspace) -> Vec<String> {
    model.system.constraints.rows.iter().map(|r| format!("lambda_{}", r.name)).collect()
}

/// The symbols of the accelerations, in the order of the speeds.
fn acceleration_symbols(system: &System) -> Vec<Symbol> {
    system.frame.speeds.iter().map(|s| s.acceleration).collect()
}

/// The symbol under which a multiplier is printed.
fn lambda_symbols(model: &mut Workspace) -> Vec<Symbol> {
    let names = lambda_names(model);
    names.iter().map(|name| model.system.pool.symbol(name)).collect()
}

/// Multipliers in C are printed under the same names, reactions under theirs.
fn ideal_images(model: &mut Workspace) -> Vec<(Symbol, Expr)> {
    let printed = model.system.observables.multipliers.clone().into_iter().zip(lambda_symbols(model));
    let reactions = forces::reactions(model).into_iter().map(|(symbol, name, _)| (symbol, name));
    printed.chain(reactions).map(|(s, name)| (s, model.system.pool.var(name))).collect()
}

/// `A^T lambda + Q_ni` on each speed, with the multipliers as they are printed: lambda is that of the ideal forces alone
/// (P5). Where Q_ni has no short closed form, `A^T Lambda + C` with multipliers that answer C too, under another name.
fn constraint_forces(model: &mut Workspace) -> Vec<Expr> {
    let nonideal = closed_nonideal_force(model);
    let whole = nonideal.is_none() && model.form.nonideal.is_some();
    let lambdas = if whole { whole_symbols(model) } else { lambda_symbols(model) };
    let images = ideal_images(model);
    let (form, pool) = (&model.form, &mut model.system.pool);
    let mut parts: Vec<Vec<Expr>> = vec![Vec::new(); form.force.len()];
    for (row, l) in form.constraint_matrix.iter().zip(&lambdas) {
        let l = pool.var(*l);
        for (p, e) in row {
            parts[*p].push(pool.mul(*e, l));
        }
    }
    if let Some(force) = nonideal.or_else(|| form.nonideal.clone()) {
        let force = pool.substitute(&force, &images);
        parts.iter_mut().zip(force).for_each(|(parts, e)| parts.push(e));
    }
    parts.into_iter().map(|parts| pool.total(parts)).collect()
}

/// Q_ni (U3) over the state and the multipliers in C, where it is short enough to be read.
fn closed_nonideal_force(model: &mut Workspace) -> Option<Vec<Expr>> {
    let c = model.form.nonideal.clone()?;
    let projection = crate::closed_form::udwadia::Projection::of(model).ok()?;
    let pool = &mut model.system.pool;
    let force = projection.nonideal_force(pool, &c);
    let longest = force.iter().map(|e| pool.cost(*e)).max().unwrap_or(0);
    (longest <= MAX_NONIDEAL_COST).then_some(force)
}

/// Multipliers that answer C too, where Q_ni is not written.
fn whole_symbols(model: &mut Workspace) -> Vec<Symbol> {
    let names = whole_names(model);
    names.iter().map(|name| model.system.pool.symbol(name)).collect()
}

fn whole_names(model: &Workspace) -> Vec<String> {
    model.system.constraints.rows.iter().map(|r| format!("Lambda_{}", r.name)).collect()
}

/// Says which multipliers stand in the equations of a model with non-ideal forces.
fn note_multipliers(w: &mut Writer, model: &mut Workspace) {
    if model.form.nonideal.is_some()
        && !model.system.constraints.rows.is_empty()
        && closed_nonideal_force(model).is_none()
    {
        w.note("Lambda answers the non-ideal force C too, A^T Lambda + C = Q_i + Q_ni; lambda is that of Q_i alone (P5)");
    }
}

/// Names the rows that follow from others.
fn note_dropped(w: &mut Writer, model: &Workspace, dropped: &[usize]) {
    if !dropped.is_empty() {
        let names: Vec<&str> =
            dropped.iter().map(|r| model.system.constraints.rows[*r].name.as_str()).collect();
        w.note(&format!("rows that follow from others, left out: {}", names.join(", ")));
    }
}

/// Says on what the forces of rows that are nonlinear in the speeds rest.
fn note_chetaev(w: &mut Writer, model: &mut Workspace) {
    let kinds = crate::constraint::constraint_kind::kinds(model);
    let names: Vec<&str> = kinds.iter().filter(|k| !k.linear).map(|k| k.name.as_str()).collect();
    if !names.is_empty() {
        w.note(&format!(
            "Chetaev's condition for {}: (d psi/d eta) v vanishes for virtual displacements v (P8)",
            names.join(", ")
        ));
    }
}

/// The multipliers of all rows.
fn write_multipliers(w: &mut Writer, model: &mut Workspace, values: &[Expr]) {
    let lambdas = lambda_symbols(model);
    let pool = &mut model.system.pool;
    for (l, e) in lambdas.iter().zip(values) {
        let name = pool.name(*l).to_owned();
        w.equation(pool, &name, *e);
    }
}

/// K1, where it says more than x' = eta.
fn write_kinematics(w: &mut Writer, pool: &mut Pool, coordinates: &[Coordinate], form: &KernelForm) {
    if form.frame.is_some() {
        for (c, rate) in coordinates.iter().zip(&form.x_dot) {
            let rate = pool.simplify(*rate);
            w.equation(pool, &format!("{}'", c.name), rate);
        }
    }
}

fn kernel(model: &mut Workspace, style: Style) -> Result<String, Box<Diagnostic>> {
    let named = Named::of(model)?;
    let (friction, control) = (named.friction_force(model), named.control_force(model));
    let (images, reactions) = (ideal_images(model), forces::reactions(model));
    let form = model.form.clone();
    let pool = &mut model.system.pool;
    let mut w = Writer::new(style, model.system.title.as_deref());
    write_kinematics(&mut w, pool, &model.system.frame.coordinates, &form);
    let names: Vec<String> = model.system.frame.speeds.iter().map(|s| format!("{}'", s.name)).collect();
    w.vector_of_names("eta'", &names);
    let matrix: Vec<Vec<Expr>> = form
        .mass_matrix
        .written_out()
        .iter()
        .map(|row| row.iter().map(|e| pool.simplify(*e)).collect())
        .collect();
    w.matrix(pool, "M", &matrix);
    write_vector(&mut w, pool, "Q", &form.force);
    write_rows(&mut w, pool, ["A", "b"], &form.constraint_matrix, &form.constraint_right, names.len());
    if let Some(c) = &form.nonideal {
        let c = pool.substitute(c, &images);
        write_vector(&mut w, pool, "C", &c);
        forces::write_reactions(&mut w, model, &reactions);
    }
    if let Some(friction) = friction {
        w.note(&format!("{} beside {}: friction of the contacts", w.assigned("F"), w.assigned("Q")));
        write_vector(&mut w, &mut model.system.pool, "F", &friction);
        named.write_friction(&mut w, model);
    }
    if let Some(control) = control {
        w.note(&format!("{} beside {}: control", w.assigned("U"), w.assigned("Q")));
        write_vector(&mut w, &mut model.system.pool, "U", &control);
        forces::note_control(&mut w, model);
        write_rows(
            &mut w,
            &mut model.system.pool,
            ["A_c", "b_c"],
            &form.requirement_matrix,
            &form.requirement_right,
            names.len(),
        );
    }
    Ok(w.finish(&mut model.system))
}

fn write_vector(w: &mut Writer, pool: &mut Pool, name: &str, entries: &[Expr]) {
    let entries: Vec<Expr> = entries.iter().map(|e| pool.simplify(*e)).collect();
    w.vector(pool, name, &entries);
}

/// Rows `A eta' = b` on n speeds, if there are any.
fn write_rows(
    w: &mut Writer,
    pool: &mut Pool,
    [matrix, right]: [&str; 2],
    entries: &[Vec<(usize, Expr)>],
    values: &[Expr],
    n: usize,
) {
    if values.is_empty() {
        return;
    }
    let mut rows = vec![vec![Pool::ZERO; n]; entries.len()];
    for (row, entries) in rows.iter_mut().zip(entries) {
        entries.iter().for_each(|(p, e)| row[*p] = pool.simplify(*e));
    }
    w.matrix(pool, matrix, &rows);
    write_vector(w, pool, right, values);
}

/// `M eta' - Q = A^T lambda (+ C) (+ friction and control)`, row by row, then the constraints as they were imposed and
/// what decides the forces that have names of their own.
fn lagrange(model: &mut Workspace, style: Style) -> Result<String, Box<Diagnostic>> {
    let named = Named::of(model)?;
    let mut right = constraint_forces(model);
    for more in [named.friction_force(model), named.control_force(model)].into_iter().flatten() {
        right = right.iter().zip(more).map(|(a, b)| model.system.pool.add(*a, b)).collect();
    }
    let reactions = forces::reactions(model);
    let form = model.form.clone();
    let accelerations = acceleration_symbols(&model.system);
    let pool = &mut model.system.pool;
    let mut w = Writer::new(style, model.system.title.as_deref());
    write_kinematics(&mut w, pool, &model.system.frame.coordinates, &form);
    for (p, right) in right.into_iter().enumerate() {
        let mut left = vec![(form.force[p], Rational::MINUS_ONE)];
        for (q, e) in form.mass_matrix.row(p) {
            let a = pool.var(accelerations[*q]);
            left.push((pool.mul(*e, a), Rational::ONE));
        }
        let left = pool.combine(left);
        let (left, right) = (pool.simplify(left), pool.simplify(right));
        w.equation_of_motion(pool, &accelerations, left, right);
    }
    for row in &model.system.constraints.rows {
        let e = pool.simplify(row.residual);
        w.balance(pool, e, Pool::ZERO);
    }
    note_multipliers(&mut w, model);
    note_chetaev(&mut w, model);
    forces::write_reactions(&mut w, model, &reactions);
    named.write_friction(&mut w, model);
    named.write_requirements(&mut w, model);
    Ok(w.finish(&mut model.system))
}

/// The accelerations, then the multipliers, in closed form (U1 with K3, U8), by inverting `[M, -A^T; A, 0]` in symbols.
/// They have values wherever M is positive definite and the constraints are independent.
///
/// ```
/// use dalembert::{Model, Source, equations};
/// let source = Source::new("fall.dal", "parameter m = 2, g = 9.81\ncoordinate x\nkinetic m*x'^2/2\npotential m*g*x");
/// let mut model = Model::load(&source, &Default::default()).unwrap().workspace();
/// let solution = equations::closed_form(&mut model).unwrap();
/// assert_eq!(model.system.pool.text(solution[0]), "-g");
/// ```
#[doc(hidden)]
pub fn closed_form(model: &mut Workspace) -> Result<Vec<Expr>, Box<Diagnostic>> {
    model.derive_symbols()?;
    let (n, m) = (model.form.speeds.len(), model.form.constraint_right.len());
    let refuse = |message: String| {
        Err(Box::new(
            Diagnostic::error(Code::NotApplicable, None, message)
                .help("`--form lagrange` writes the equations with multipliers, for any size and rank"),
        ))
    };
    if !model.system.contacts.is_empty() {
        return refuse("accelerations with friction have no closed form: contacts stick and slide".into());
    }
    if !model.system.control.rows.is_empty() {
        let found = ExplicitEquation::of(model)?;
        return Ok(found.acceleration.into_iter().chain(found.multipliers).collect());
    }
    let (rows, dropped) = independent_rows(model);
    let (all, m) = (m, rows.len());
    if n + m > MAX_EXPLICIT {
        return refuse(format!(
            "closed forms are written for up to {MAX_EXPLICIT} speeds and constraint rows together; this model has {n} and {m}"
        ));
    }
    let (mut form, constants) = (model.form.clone(), model.constants());
    if m < all {
        form.constraint_matrix = rows.iter().map(|r| form.constraint_matrix[*r].clone()).collect();
        form.constraint_right = rows.iter().map(|r| form.constraint_right[*r]).collect();
    }
    let pool = &mut model.system.pool;
    let mut matrix = vec![vec![Pool::ZERO; n + m]; n + m];
    for p in 0..n {
        for q in 0..n {
            matrix[p][q] = pool.simplify(form.mass_matrix.get(p, q));
        }
    }
    for (r, row) in form.constraint_matrix.iter().enumerate() {
        for (p, e) in row {
            let e = pool.simplify(*e);
            matrix[n + r][*p] = e;
            matrix[*p][n + r] = pool.neg(e);
        }
    }
    let Some(inverse) = pool.regular_inverse(&matrix, &constants) else {
        return refuse("the matrix of accelerations and multipliers cannot be shown to be regular: constraints are redundant, inertia is missing, or the inverse is too long".into());
    };
    let solve = |pool: &mut Pool, force: &[Expr]| -> Vec<Expr> {
        let right: Vec<Expr> = force.iter().chain(&form.constraint_right).copied().collect();
        inverse
            .iter()
            .map(|row| {
                let parts: Vec<Expr> = row.iter().zip(&right).map(|(a, b)| pool.mul(*a, *b)).collect();
                let e = pool.total(parts);
                pool.simplify(e)
            })
            .collect()
    };
    let mut solution = solve(pool, &form.force);
    let multipliers = shared(model, &dropped, &solution[n..])?;
    solution.splice(n.., multipliers);
    if let Some(c) = &form.nonideal {
        // U8: multipliers of the ideal solution first, then C, then the accelerations.
        let multipliers = model.system.observables.multipliers.iter().copied();
        let mut images: Vec<(Symbol, Expr)> = multipliers.zip(solution[n..].iter().copied()).collect();
        let sizes = reaction_sizes(model, &solution[n..]);
        images.extend(sizes.into_iter().map(|(_, symbol, size)| (symbol, size)));
        let pool = &mut model.system.pool;
        let c = pool.substitute(c, &images);
        let force: Vec<Expr> = form.force.iter().zip(&c).map(|(q, c)| pool.add(*q, *c)).collect();
        let whole = solve(pool, &force);
        solution[..n].copy_from_slice(&whole[..n]);
    }
    let pool = &mut model.system.pool;
    if let Some(cost) = solution.iter().map(|e| pool.cost(*e)).find(|c| *c > MAX_EXPLICIT_COST) {
        return refuse(format!(
            "the closed form would take {cost} operations in one entry, more than the {MAX_EXPLICIT_COST} that are written"
        ));
    }
    Ok(solution)
}

fn explicit(model: &mut Workspace, style: Style) -> Result<String, Box<Diagnostic>> {
    let solution = closed_form(model)?;
    let dropped = independent_rows(model).1;
    let n = model.form.speeds.len();
    let mut w = Writer::new(style, model.system.title.as_deref());
    write_kinematics(&mut w, &mut model.system.pool, &model.system.frame.coordinates, &model.form);
    note_dropped(&mut w, model, &dropped);
    note_chetaev(&mut w, model);
    let pool = &mut model.system.pool;
    for (s, e) in model.system.frame.speeds.iter().zip(&solution) {
        w.equation(pool, &format!("{}'", s.name), *e);
    }
    write_multipliers(&mut w, model, &solution[n..]);
    if !model.system.control.rows.is_empty()
        && let Some(control) = ExplicitEquation::of(model)?.control
    {
        forces::write_inputs(&mut w, model, &control.inputs);
    }
    Ok(w.finish(&mut model.system))
}
