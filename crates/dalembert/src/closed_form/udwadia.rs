//! The explicit equation of motion in symbols, at any rank, with the control force.
//!
//! ```text
//! U1  eta' = a + K e + (M^-1 - K A M^-1) C        U5  e = b - A a,  K = M^{-1/2} B^+,  B = A M^{-1/2}
//! U2  Q_i = A^T G^-1 e,  G = B B^T = A M^-1 A^T   U3  Q_ni = C - A^T G^-1 A M^-1 C
//! C1  u = W^-1 R^T (R W^-1 R^T)^-1 (b_c - A_c a_n),  R = A_c P S,  P = M^-1 - K A M^-1
//! ```
//!
//! Sources: Udwadia and Kalaba 1992 (16)-(19), Udwadia 2005 (18), (23)-(26), and his (8)-(12), (24), (25) on control. Rows
//! that follow from others are left out first, so that the rest has full rank, B^+ = B^T G^-1 and no limit is needed;
//! which rows those are is decided in numbers beside the starting state. Only B and B^+ contain the root M^{-1/2}, which has a
//! closed form where M falls apart into blocks of one or two speeds; everything else is written without it. Multipliers
//! of the rows left out are those of least squares, or zero where a force law reads multipliers, as `evaluate` reports them.
//! Checked by `tests/it/printed.rs`.

use crate::closed_form::equations_limits::{MAX_COST, MAX_ROWS, MAX_SPEEDS, refuse};
use crate::closed_form::symbol_matrix::{self as sm, Rows};
use crate::constraint::constraint_kind::{Freedom, neighbour};
use crate::evaluate::reactions::{reaction_sizes, reads_ideal_forces};
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool, Symbol};
use dalembert_run::{Control as _, ControlTerms, Dynamics, carrying_rows};
use dalembert_syntax::diagnostic::Diagnostic;

mod control;
mod root;

pub use control::ExplicitControl;

/// U1 to U5 and C1 of a model, over its state.
#[derive(Clone, Debug)]
pub struct ExplicitEquation {
    /// Rows that are kept; the others follow from them.
    pub rows: Vec<usize>,
    /// Rows that are left out.
    pub dropped: Vec<usize>,
    /// M
    pub mass: Rows,
    /// M^-1
    pub inverse_mass: Rows,
    /// Q
    pub force: Vec<Expr>,
    /// A, rows that are kept.
    pub matrix: Rows,
    /// b
    pub right: Vec<Expr>,
    /// B = A M^{-1/2} with the symmetric root, where it has a closed form.
    pub scaled: Option<Rows>,
    /// B^+
    pub scaled_pinv: Option<Rows>,
    /// a = M^-1 Q
    pub unconstrained: Vec<Expr>,
    /// e = b - A a
    pub error: Vec<Expr>,
    /// K = M^{-1/2} B^+ = M^-1 A^T G^-1
    pub gain: Rows,
    /// C, with multipliers and reactions replaced by what they are (U8).
    pub nonideal_term: Option<Vec<Expr>>,
    /// a_ni = a + M^-1 C
    pub nonideal_acceleration: Option<Vec<Expr>>,
    /// Q_i
    pub ideal_force: Vec<Expr>,
    /// Q_ni
    pub nonideal_force: Option<Vec<Expr>>,
    /// lambda of every row of the model, Q_i = A^T lambda.
    pub multipliers: Vec<Expr>,
    /// What control does.
    pub control: Option<ExplicitControl>,
    /// eta'
    pub acceleration: Vec<Expr>,
}

/// What the constraints alone decide: G^-1, K and P.
#[derive(Clone, Debug)]
pub(crate) struct Projection {
    pub rows: Vec<usize>,
    pub dropped: Vec<usize>,
    pub mass: Rows,
    pub inverse_mass: Rows,
    pub matrix: Rows,
    pub right: Vec<Expr>,
    pub gram_inverse: Rows,
    pub gain: Rows,
    /// P = M^-1 - K A M^-1, where non-ideal or control forces act; else empty.
    pub free: Rows,
}

impl Projection {
    /// Of the constraints of a model.
    pub fn of(model: &mut Workspace) -> Result<Self, Box<Diagnostic>> {
        let (rows, dropped) = independent_rows(model);
        let n = model.form.speeds.len();
        let all = sm::dense(&model.form.constraint_matrix, n);
        let matrix: Rows = rows.iter().map(|r| all[*r].clone()).collect();
        let right: Vec<Expr> = rows.iter().map(|r| model.form.constraint_right[*r]).collect();
        Projection::of_rows(model, (rows, dropped), matrix, right)
    }

    fn of_rows(
        model: &mut Workspace,
        (rows, dropped): (Vec<usize>, Vec<usize>),
        matrix: Rows,
        right: Vec<Expr>,
    ) -> Result<Self, Box<Diagnostic>> {
        let (n, k) = (model.form.speeds.len(), matrix.len());
        if n > MAX_SPEEDS || k > MAX_ROWS {
            return Err(refuse(format!(
                "this form is written for up to {MAX_SPEEDS} speeds and {MAX_ROWS} independent rows; the model has {n} and {k}"
            )));
        }
        let constants = model.constants();
        let mass = model.form.mass_matrix.written_out();
        let pool = &mut model.system.pool;
        let mass = sm::tidied(pool, mass);
        let matrix = sm::tidied(pool, matrix);
        let right: Vec<Expr> = right.into_iter().map(|e| pool.tidy(e)).collect();
        let Some(inverse_mass) = sm::inverse(pool, &mass, &constants) else {
            return Err(refuse(
                "the mass matrix cannot be inverted in symbols: some speed has no inertia, or the inverse is too long".into(),
            ));
        };
        let reach = sm::product(pool, &inverse_mass, &sm::transposed(&matrix, n));
        let gram = sm::product(pool, &matrix, &reach);
        let Some(gram_inverse) = sm::inverse(pool, &gram, &constants) else {
            return Err(refuse(
                "A M^-1 A^T cannot be shown to be regular: rows that follow from others could not be told apart".into(),
            ));
        };
        let gain = sm::product(pool, &reach, &gram_inverse);
        let across = sm::transposed(&reach, k); // A M^-1
        let moved = model.form.nonideal.is_some() || !model.form.requirement_right.is_empty();
        let pool = &mut model.system.pool;
        let free = match k {
            _ if !moved => Rows::new(),
            0 => inverse_mass.clone(),
            _ => {
                let lost = sm::product(pool, &gain, &across);
                sm::difference(pool, &inverse_mass, &lost)
            }
        };
        sm::check_length(pool, [&gain, &free], MAX_COST)?;
        Ok(Projection { rows, dropped, mass, inverse_mass, matrix, right, gram_inverse, gain, free })
    }

    /// U3 of a C given in symbols.
    pub fn nonideal_force(&self, pool: &mut Pool, c: &[Expr]) -> Vec<Expr> {
        let moved = sm::times(pool, &self.free, c);
        sm::times(pool, &self.mass, &moved)
    }
}

/// Rows that are kept, and those that follow from them beside the starting state. Without a start all are kept. Where a
/// force law reads multipliers, those that carry are kept, as far as they are independent.
pub(crate) fn independent_rows(model: &mut Workspace) -> (Vec<usize>, Vec<usize>) {
    let m = model.system.constraints.rows.len();
    let redundant = match Freedom::at_start(model) {
        Ok((_, freedom)) => freedom.redundant,
        Err(_) => Vec::new(),
    };
    let carriers = if redundant.is_empty() { None } else { carriers(model) };
    match carriers.filter(|rows| rows.len() + redundant.len() == m) {
        Some(rows) => {
            let dropped = (0..m).filter(|r| !rows.contains(r)).collect();
            (rows, dropped)
        }
        None => ((0..m).filter(|r| !redundant.contains(r)).collect(), redundant),
    }
}

/// The rows that carry beside the starting state, ascending, where a force law reads multipliers or reactions.
fn carriers(model: &mut Workspace) -> Option<Vec<usize>> {
    if model.compiled.capabilities().rows_read().is_empty() {
        return None;
    }
    let start = model.start().ok()?;
    let nearby = neighbour(model, &start.state).filter(|other| other.rank > start.rank);
    let state = nearby.map_or(start.state, |other| other.state);
    let mut rows = carrying_rows(&model.compiled, state.point());
    rows.sort_unstable();
    Some(rows)
}

/// Requirement rows that do not follow from earlier ones beside the starting state.
fn independent_requirements(model: &mut Workspace) -> Vec<usize> {
    let r = model.form.requirement_right.len();
    let n = model.form.speeds.len();
    let Ok(start) = model.start() else { return (0..r).collect() };
    let state = neighbour(model, &start.state).map_or(start.state, |other| other.state);
    let mut terms = ControlTerms::new(&model.compiled.shape());
    let mut scratch = vec![0.0; model.compiled.scratch_len()];
    model.compiled.control_terms(state.point(), &mut scratch, &mut terms);
    let dependent = crate::evaluate::dependent(&terms.A, n);
    (0..r).filter(|k| !dependent.contains(k)).collect()
}

impl ExplicitEquation {
    /// Of a model; refused where it has contacts with friction, a singular M, or is too large.
    pub fn of(model: &mut Workspace) -> Result<Self, Box<Diagnostic>> {
        if !model.system.contacts.is_empty() {
            return Err(refuse(
                "accelerations with friction have no closed form: contacts stick and slide".into(),
            ));
        }
        let controlled = !model.form.requirement_right.is_empty();
        // What everything else is made of is tidied first: the work that is allowed may end with the inverses.
        let force = model.form.force.clone();
        let force: Vec<Expr> = force.into_iter().map(|e| model.system.pool.tidy(e)).collect();
        let p = Projection::of(model)?;
        let pool = &mut model.system.pool;
        let unconstrained = sm::times(pool, &p.inverse_mass, &force);
        let drawn = sm::times(pool, &p.matrix, &unconstrained);
        let error = sm::minus(pool, &p.right, &drawn);
        let free_multipliers = sm::times(pool, &p.gram_inverse, &error);
        let nonideal_term = nonideal_term(model, &p, &free_multipliers, controlled)?;
        let pool = &mut model.system.pool;
        let pushed = sm::times(pool, &p.gain, &error);
        let mut natural = sm::plus(pool, &unconstrained, &pushed);
        if let Some(c) = &nonideal_term {
            let moved = sm::times(pool, &p.free, c);
            natural = sm::plus(pool, &natural, &moved);
        }
        let control = match controlled {
            true => Some(ExplicitControl::of(model, &p, &natural, nonideal_term.as_deref())?),
            false => None,
        };
        let pool = &mut model.system.pool;
        let (mut acceleration, mut kept) = (natural, free_multipliers);
        if let Some(control) = &control {
            acceleration = sm::plus(pool, &acceleration, &control.acceleration);
            let moved = sm::times(pool, &p.inverse_mass, &control.pushes);
            let moved = sm::times(pool, &p.matrix, &moved);
            let less = sm::times(pool, &p.gram_inverse, &moved);
            kept = sm::minus(pool, &kept, &less);
        }
        let upright = sm::transposed(&p.matrix, force.len());
        let ideal_force = sm::times(pool, &upright, &kept);
        // Without constraints of nature C is part of the control law, and control exerts it.
        let own = !p.matrix.is_empty();
        let nonideal_force = nonideal_term.as_ref().filter(|_| own).map(|c| p.nonideal_force(pool, c));
        let nonideal_acceleration = nonideal_term.as_ref().map(|c| {
            let moved = sm::times(pool, &p.inverse_mass, c);
            sm::plus(pool, &unconstrained, &moved)
        });
        let multipliers = shared(model, &p.dropped, &kept)?;
        // Where control alone constrains the motion, B, e and K are those of its requirements.
        let required = match &control {
            Some(c) if !own && c.everywhere => {
                let rows = (Vec::new(), Vec::new());
                Some(Projection::of_rows(model, rows, c.matrix.clone(), c.right.clone())?)
            }
            _ => None,
        };
        let pool = &mut model.system.pool;
        let (scaled, scaled_pinv) = root::scaled(pool, required.as_ref().unwrap_or(&p));
        let (gain, error) = match required {
            None => (p.gain, error),
            Some(required) => {
                let drawn = sm::times(pool, &required.matrix, &unconstrained);
                (required.gain, sm::minus(pool, &required.right, &drawn))
            }
        };
        let whole = ExplicitEquation {
            rows: p.rows,
            dropped: p.dropped,
            mass: p.mass,
            inverse_mass: p.inverse_mass,
            force,
            matrix: p.matrix,
            right: p.right,
            scaled,
            scaled_pinv,
            unconstrained,
            error,
            gain,
            nonideal_term,
            nonideal_acceleration,
            ideal_force,
            nonideal_force,
            multipliers,
            control,
            acceleration,
        };
        let vectors = [&whole.acceleration, &whole.ideal_force, &whole.multipliers];
        sm::check_vectors(pool, vectors, MAX_COST)?;
        Ok(whole)
    }
}

/// C with the multipliers and reactions in it replaced by those of the motion without it (U8).
fn nonideal_term(
    model: &mut Workspace,
    p: &Projection,
    kept: &[Expr],
    controlled: bool,
) -> Result<Option<Vec<Expr>>, Box<Diagnostic>> {
    let Some(c) = model.form.nonideal.clone() else { return Ok(None) };
    let reads = reads_ideal_forces(model);
    if reads && controlled {
        return Err(refuse(
            "the non-ideal force reads multipliers, which the control force changes: no closed form is written".into(),
        ));
    }
    let images = if reads { ideal_values(model, p, kept)? } else { Vec::new() };
    let pool = &mut model.system.pool;
    let c = pool.substitute(&c, &images);
    Ok(Some(c.into_iter().map(|e| pool.tidy(e)).collect()))
}

/// What multipliers and reactions are, by their symbols in C.
fn ideal_values(
    model: &mut Workspace,
    p: &Projection,
    kept: &[Expr],
) -> Result<Vec<(Symbol, Expr)>, Box<Diagnostic>> {
    let multipliers = shared(model, &p.dropped, kept)?;
    let symbols = model.system.observables.multipliers.clone();
    let mut images: Vec<(Symbol, Expr)> = symbols.into_iter().zip(multipliers.iter().copied()).collect();
    let sizes = reaction_sizes(model, &multipliers);
    images.extend(sizes.into_iter().map(|(_, symbol, size)| (symbol, size)));
    Ok(images)
}

/// Multipliers of all rows from those that were kept: of all that make the same force, the shortest. Where a force law
/// reads multipliers, the rows that were kept carry all of it, as in numbers; refused where they are not those that carry.
///
/// With A_d = T A_k for the rows left out and T^ = [1; T], lambda = T^ (T^^T T^)^-1 mu.
pub(crate) fn shared(
    model: &mut Workspace,
    dropped: &[usize],
    kept: &[Expr],
) -> Result<Vec<Expr>, Box<Diagnostic>> {
    if dropped.is_empty() {
        return Ok(kept.to_vec());
    }
    let constants = model.constants();
    let n = model.form.speeds.len();
    let all = sm::dense(&model.form.constraint_matrix, n);
    let rows: Vec<usize> = (0..all.len()).filter(|r| !dropped.contains(r)).collect();
    if let Some(carriers) = carriers(model) {
        if carriers != rows {
            return Err(refuse(
                "a force law reads multipliers that the constraints leave open: which of them carry is decided at each state"
                    .into(),
            ));
        }
        let mut multipliers = vec![Pool::ZERO; all.len()];
        rows.iter().zip(kept).for_each(|(r, e)| multipliers[*r] = *e);
        return Ok(multipliers);
    }
    let matrix: Rows = rows.iter().map(|r| all[*r].clone()).collect();
    let pool = &mut model.system.pool;
    let upright = sm::transposed(&matrix, n);
    let gram = sm::product(pool, &matrix, &upright);
    let no_inverse =
        || refuse("the rows that follow from others cannot be written by the others in symbols".into());
    let inverse = sm::inverse(pool, &gram, &constants).ok_or_else(no_inverse)?;
    let left_out: Rows = dropped.iter().map(|r| all[*r].clone()).collect();
    let along = sm::product(pool, &left_out, &upright);
    let weights = sm::product(pool, &along, &inverse);
    let k = rows.len();
    let mut spread: Rows = vec![Vec::new(); all.len()];
    for (j, r) in rows.iter().enumerate() {
        spread[*r] = (0..k).map(|i| if i == j { Pool::ONE } else { Pool::ZERO }).collect();
    }
    for (weights, r) in weights.into_iter().zip(dropped) {
        spread[*r] = weights;
    }
    let back = sm::transposed(&spread, k);
    let gram = sm::product(pool, &back, &spread);
    let inverse = sm::inverse(pool, &gram, &constants).ok_or_else(no_inverse)?;
    let shares = sm::times(pool, &inverse, kept);
    Ok(sm::times(pool, &spread, &shares))
}
