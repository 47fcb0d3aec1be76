//! From symmetries to conserved quantities, in the names of the model.
//!
//! ```text
//! J = p.w - tau H - K
//! ```
//!
//! Candidates that no affine point symmetry gives (`beyond.rs`) are added where they are proved.
//! Quantities that are constant on the constraints, or combinations of others there, are dropped.

use super::beyond;
use super::check::{drift, is_conserved};
use super::distribution::HIDDEN;
use super::dynamics::SymbolicDynamics;
use super::naming::Hamiltonian;
use super::noether::{Family, KernelSections, MAX_AFFINE, Symmetry, Unknown, symmetries};
use super::{Conserved, naming};
use crate::system::notation::Notation;
use crate::workspace::Workspace;
use dalembert_expr::echelon::Echelon;
use dalembert_expr::{Derivation, Expr, Pool, Rational, Residue, Symbol};

/// Of more quantities no products are formed.
const MAX_FACTORS: usize = 10;
/// Kernels of more rows are not written out.
const MAX_KERNEL_ROWS: usize = 4;

/// A quantity that is to be claimed, with the symmetry or another reason behind it.
struct Claim {
    name: String,
    generator: String,
    J: Expr,
}

/// A section of the kernel: the free speed that names it, and its components in the model's pool.
type NamedSection = (usize, Vec<Expr>);

/// Finds what the motion conserves by symmetry; remarks say what was left out. `integrals` are constants of the
/// constraints that are known already.
pub(super) fn conserved(model: &mut Workspace, integrals: &[Expr]) -> (Vec<Conserved>, Vec<String>) {
    let mut remarks = Vec::new();
    if model.system.constraints.rows.iter().any(|row| row.on_accelerations) {
        let remark =
            "constraints on accelerations do what nothing conserves: nothing is claimed to be conserved";
        return (Vec::new(), vec![remark.into()]);
    }
    if !model.system.contacts.is_empty() || !model.system.control.rows.is_empty() {
        let remark = "friction and control forces are not functions of the state alone: nothing is claimed to be conserved";
        return (Vec::new(), vec![remark.into()]);
    }
    let Some(mut dynamics) = SymbolicDynamics::of(model) else {
        return (Vec::new(), vec!["symmetries are those of a Lagrangian; the model has none".into()]);
    };
    if dynamics.has_steps() {
        let remark = "the Lagrangian jumps at some configurations, where no finite force acts: nothing is claimed to be conserved";
        return (Vec::new(), vec![remark.into()]);
    }
    let notation = Notation::of(&model.system);
    let hamiltonian = hamiltonian(model, &mut dynamics);
    let mut claims: Vec<Claim> = Vec::new();
    let sections = kernel_sections(model, &mut dynamics);
    let copies = closed_sections(model, &mut dynamics, &sections);
    let affine = dynamics.identity || dynamics.left_inverse.is_some();
    let mut families = Vec::new();
    families.extend(affine.then_some(Family::Coordinates));
    families.extend((!affine).then_some(Family::Sections));
    families.extend((!sections.is_empty()).then_some(Family::Kernel));
    for family in families {
        match symmetries(&mut dynamics, family, Some(&copies)) {
            Some(list) => {
                for symmetry in list {
                    let J = expression(model, &mut dynamics, hamiltonian, &sections, &symmetry);
                    let free = sections_free(&sections);
                    let name = naming::name(model, &symmetry, hamiltonian.is_energy, &free);
                    claims.push(Claim { name, generator: naming::generator(model, &symmetry, &free), J });
                }
            }
            None if dynamics.is_hidden() => remarks.push(format!("{HIDDEN}: no symmetries were sought")),
            None => remarks.push("no state was found at which all expressions are defined".into()),
        }
    }
    if dynamics.x.len() > MAX_AFFINE {
        remarks.push(format!(
            "with more than {MAX_AFFINE} coordinates only translations, boosts, time and rotations of whole families are tried: no other rotations, no scalings"
        ));
    }
    let by_symmetry = claims.len();
    for candidate in beyond::candidates(model, &mut dynamics) {
        if is_conserved(model, &mut dynamics, candidate.J) == Some(true) {
            // Jacobi's integral in a frame that turns steadily has the name already.
            let taken = claims.iter().any(|c| c.name == "energy");
            let name = if candidate.name == "T + V" && !taken { "energy".into() } else { candidate.name };
            claims.push(Claim { name, generator: candidate.reason, J: candidate.J });
        }
    }
    for claim in in_rates(model) {
        if is_conserved(model, &mut dynamics, claim.J) == Some(true) {
            claims.push(claim);
        }
    }
    let claims = independent(model, &mut dynamics, claims, by_symmetry, integrals);
    let exprs: Vec<Expr> = claims.iter().map(|claim| claim.J).collect();
    let drifts = drift(model, &exprs);
    if let Err(reason) = &drifts {
        remarks.push(format!("no motion could be computed to check with: {reason}"));
    }
    let drifts = drifts.unwrap_or_default();
    let mut found: Vec<Conserved> = Vec::new();
    for (k, Claim { name, generator, J }) in claims.into_iter().enumerate() {
        let proved = is_conserved(model, &mut dynamics, J);
        let worst = drifts.get(k).copied();
        let verified = worst.is_some_and(|d| d <= super::check::DRIFT_TOL);
        // What the equations keep and the motion does not is driven by something that is not in these equations.
        let contradicted = worst.is_some_and(|d| d > super::check::CONTRADICTION);
        if proved == Some(false) || contradicted || (proved.is_none() && !verified) {
            remarks.push(format!(
                "a symmetry for `{name}` was found but the motion does not keep it: not claimed"
            ));
            continue;
        }
        if !verified {
            let change = worst.map_or("no motion confirms it".into(), |d| {
                format!("a computed motion changes it by {d:.1e}")
            });
            remarks.push(format!("`{name}` is conserved by the equations, but {change}: not claimed"));
            continue;
        }
        let same =
            found.iter().filter(|c| c.name == name || c.name.starts_with(&format!("{name} ("))).count();
        let name = if same == 0 { name } else { format!("{name} ({})", same + 1) };
        found.push(Conserved {
            name,
            expression: model.system.pool.text(J),
            latex: notation.print(&mut model.system.pool, J),
            generator,
            proved: proved.unwrap_or(false),
            verified,
            drift: worst,
        });
    }
    (found, remarks)
}

/// What the same model conserves in the rates of its coordinates, where its frame moves: that the Lagrangian does not change
/// with time and the coordinates together cannot be seen from L(x, eta, t).
fn in_rates(model: &mut Workspace) -> Vec<Claim> {
    let (form, pool) = (&model.form, &mut model.system.pool);
    let still: Vec<(Symbol, Expr)> = form.speeds.iter().map(|s| (*s, Pool::ZERO)).collect();
    let drift = pool.substitute(&form.x_dot, &still);
    let turns = form.x_dot.iter().any(|rate| pool.depends_on(*rate, &[form.time]));
    if form.frame.is_none() || (!turns && drift.iter().all(|X0| *X0 == Pool::ZERO)) {
        return Vec::new();
    }
    let Some(mut rates) = crate::connect::rates::in_rates(model) else { return Vec::new() };
    let Some(mut dynamics) = SymbolicDynamics::of(&mut rates) else { return Vec::new() };
    let hamiltonian = hamiltonian(&mut rates, &mut dynamics);
    let found = symmetries(&mut dynamics, Family::Coordinates, None).unwrap_or_default();
    let mut claims = Vec::with_capacity(found.len());
    for symmetry in found {
        let J = expression(&mut rates, &mut dynamics, hamiltonian, &[], &symmetry);
        let (pool, model_pool) = (&mut rates.system.pool, &mut model.system.pool);
        let x_dot = pool.import(model_pool, &model.form.x_dot);
        let images: Vec<(Symbol, Expr)> = rates.form.speeds.iter().copied().zip(x_dot).collect();
        let J = pool.substitute(&[J], &images)[0];
        let J = pool.tidy(J);
        let J = model_pool.import(pool, &[J])[0];
        let name = naming::name(&rates, &symmetry, hamiltonian.is_energy, &[]);
        claims.push(Claim { name, generator: naming::generator(&mut rates, &symmetry, &[]), J });
    }
    claims
}

fn sections_free(sections: &[NamedSection]) -> Vec<usize> {
    sections.iter().map(|(p, _)| *p).collect()
}

fn hamiltonian(model: &mut Workspace, dynamics: &mut SymbolicDynamics) -> Hamiltonian {
    let pool = &mut model.system.pool;
    let parts = [
        model.system.energies.kinetic.map(|t| (t, Rational::MINUS_ONE)),
        model.system.energies.potential.map(|v| (v, Rational::ONE)),
        model.system.energies.lagrangian.map(|l| (l, Rational::MINUS_ONE)),
    ];
    let mut parts: Vec<(Expr, Rational)> = parts.into_iter().flatten().collect();
    for (p, s) in model.form.momenta.iter().zip(&model.form.speeds) {
        let eta = pool.var(*s);
        parts.push((pool.mul(*p, eta), Rational::ONE));
    }
    let H = pool.combine(parts);
    let H = pool.simplify(H);
    let Some(E) = model.system.energies.total else { return Hamiltonian { H, is_energy: false } };
    let (a, b) = (dynamics.closed(model, H), dynamics.closed(model, E));
    let equal = (0..2).all(|k| {
        let sample = dynamics.state(k, 3, &[a, b]);
        sample.and_then(|mut s| s.values(&dynamics.pool, &[a, b])).is_some_and(|v| v[0] == v[1])
    });
    Hamiltonian { H: if equal { E } else { H }, is_energy: equal }
}

/// J in the model's pool.
fn expression(
    model: &mut Workspace,
    dynamics: &mut SymbolicDynamics,
    hamiltonian: Hamiltonian,
    sections: &[NamedSection],
    symmetry: &Symmetry,
) -> Expr {
    let named = naming::named_numbers(model, symmetry);
    let pool = &mut model.system.pool;
    let (x, eta, time) = (model.form.coordinates.clone(), model.form.speeds.clone(), model.form.time);
    let mut xi: Vec<Vec<(Expr, Rational)>> = vec![Vec::new(); x.len()];
    let mut w: Vec<Vec<(Expr, Rational)>> = vec![Vec::new(); eta.len()];
    let (mut tau, mut gauge) = (Vec::new(), Vec::new());
    let t = pool.var(time);
    let at = |pool: &mut Pool, i: usize| x.get(i).map_or(t, |s| pool.var(*s));
    for ((unknown, c), named) in symmetry.iter().zip(named) {
        let c = c.clone();
        let number = |pool: &mut Pool, e: Expr| match named {
            Some(parameter) => (pool.mul(e, parameter), Rational::ONE),
            None => (e, c.clone()),
        };
        match *unknown {
            Unknown::Gauge(i, None) => gauge.push((at(pool, i), c)),
            Unknown::Gauge(i, Some(j)) => {
                let (a, b) = (at(pool, i), at(pool, j));
                gauge.push((pool.mul(a, b), c));
            }
            Unknown::Time => tau.push((Pool::ONE, c)),
            Unknown::Dilation => tau.push((t, c)),
            Unknown::Shift(i) => xi[i].push(number(pool, Pool::ONE)),
            Unknown::Linear(i, j) => {
                let e = at(pool, j);
                xi[i].push(number(pool, e));
            }
            Unknown::Boost(i) => xi[i].push(number(pool, t)),
            Unknown::Section(r) => w[r].push((Pool::ONE, c)),
            Unknown::LinearSection(r, i) => w[r].push((at(pool, i), c)),
            Unknown::Kernel(k) => {
                for (r, e) in sections[k].1.iter().enumerate() {
                    w[r].push((*e, c.clone()));
                }
            }
        }
    }
    let xi: Vec<Expr> = xi.into_iter().map(|parts| pool.combine(parts)).collect();
    for (r, parts) in w.iter_mut().enumerate() {
        match &dynamics.left_inverse_named {
            None if dynamics.identity => parts.push((xi[r], Rational::ONE)),
            None => {}
            Some(Y) => {
                for (y, xi) in Y[r].iter().zip(&xi) {
                    parts.push((pool.mul(*y, *xi), Rational::ONE));
                }
            }
        }
    }
    let w: Vec<Expr> = w.into_iter().map(|parts| pool.combine(parts)).collect();
    let tau = pool.combine(tau);
    let K = pool.combine(gauge.iter().cloned());
    let mut parts = Vec::new();
    for (p, w) in model.form.momenta.iter().zip(&w) {
        parts.push((pool.mul(*p, *w), Rational::ONE));
    }
    parts.push((pool.mul(tau, hamiltonian.H), Rational::MINUS_ONE));
    let K = match gauge.is_empty() {
        true => K,
        false => naming::gauge(model, dynamics, hamiltonian, &xi, tau, &gauge).unwrap_or(K),
    };
    let pool = &mut model.system.pool;
    parts.push((K, Rational::MINUS_ONE));
    let J = pool.combine(parts);
    pool.simplify(J)
}

/// Drops what is constant on the constraints, and combinations of earlier ones with such constants. What is conserved for
/// other reasons than a symmetry is also dropped where products of two quantities `by_symmetry` give it.
fn independent(
    model: &mut Workspace,
    dynamics: &mut SymbolicDynamics,
    claims: Vec<Claim>,
    by_symmetry: usize,
    integrals: &[Expr],
) -> Vec<Claim> {
    let closed: Vec<Expr> = claims.iter().map(|claim| dynamics.closed(model, claim.J)).collect();
    let constants: Vec<Expr> = integrals.iter().map(|e| dynamics.closed(model, *e)).collect();
    let width = 1 + constants.len();
    let few = by_symmetry < claims.len() && by_symmetry <= MAX_FACTORS;
    let factors = if few { by_symmetry } else { 0 };
    let products = factors * (factors + 1) / 2;
    let columns = width * (1 + claims.len()) + products;
    let wanted: Vec<Expr> = constants.iter().chain(&closed).copied().collect();
    let mut echelon: Option<Echelon> = None;
    for seed in 0..columns as u64 + 3 {
        let Some(mut sample) = dynamics.state(0, 5000 + seed, &wanted) else { return Vec::new() };
        let Some(values) = sample.values(&dynamics.pool, &wanted) else { return Vec::new() };
        let f = sample.field();
        let (constants, quantities) = values.split_at(width - 1);
        // For 1 and each quantity: itself, then its products with the constants.
        let mut row = Vec::with_capacity(columns);
        for (k, q) in [f.one()].iter().chain(quantities).enumerate() {
            if k == by_symmetry + 1 {
                let first = &quantities[..factors];
                row.extend((0..factors).flat_map(|i| (i..factors).map(move |j| f.mul(first[i], first[j]))));
            }
            row.push(*q);
            row.extend(constants.iter().map(|c| f.mul(*c, *q)));
        }
        echelon.get_or_insert_with(|| Echelon::new(f, columns)).add(row);
    }
    let kept: Vec<usize> = echelon.map(|e| e.pivots().to_vec()).unwrap_or_default();
    let keep = |k: usize| kept.contains(&((k + 1) * width + if k < by_symmetry { 0 } else { products }));
    claims.into_iter().enumerate().filter(|(k, _)| keep(*k)).map(|(_, claim)| claim).collect()
}

/// Sections that keep velocity constraints, written out: one for each speed that the rows leave free.
fn kernel_sections(model: &mut Workspace, dynamics: &mut SymbolicDynamics) -> Vec<NamedSection> {
    let rows = model.form.constraint_matrix.clone();
    let n = model.form.speeds.len();
    let velocity = model.system.constraints.rows.iter().any(|row| !row.holonomic);
    if !velocity || rows.len() > 2 * MAX_KERNEL_ROWS {
        return Vec::new();
    }
    let speeds = model.form.speeds.clone();
    let entries: Vec<Expr> = rows.iter().flatten().map(|(_, e)| *e).collect();
    if entries.iter().any(|e| model.system.pool.depends_on(*e, &speeds)) {
        return Vec::new();
    }
    let wanted: Vec<Expr> = dynamics.constraint_matrix.iter().map(|(_, _, e)| *e).collect();
    let Some(mut sample) = dynamics.state(0, 9, &wanted) else { return Vec::new() };
    let Some(A) = dynamics.dense(&mut sample, &dynamics.constraint_matrix, rows.len(), n) else {
        return Vec::new();
    };
    // Simple columns first, so that the block is easy to invert.
    let pool = &mut model.system.pool;
    let mut weight = vec![0; n];
    for (p, e) in rows.iter().flatten() {
        weight[*p] += if pool.as_number(*e).is_some() { 1 } else { 4 + pool.size(&[*e]) };
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&p| (weight[p] == 0, weight[p]));
    let mut echelon = Echelon::new(sample.field(), n);
    let chosen: Vec<usize> = (0..rows.len())
        .filter(|&r| echelon.add(order.iter().map(|&p| A[r][p]).collect::<Vec<Residue>>()))
        .collect();
    let columns: Vec<usize> = echelon.pivots().iter().map(|&k| order[k]).collect();
    if chosen.len() > MAX_KERNEL_ROWS {
        return Vec::new();
    }
    let entry = |r: usize, p: usize| rows[r].iter().find(|(q, _)| *q == p).map_or(Pool::ZERO, |(_, e)| *e);
    let block: Vec<Vec<Expr>> =
        chosen.iter().map(|&r| columns.iter().map(|&p| pool.simplify(entry(r, p))).collect()).collect();
    let Some(inverse) = pool.regular_inverse(&block, &[]) else { return Vec::new() };
    let mut sections = Vec::new();
    for k in (0..n).filter(|p| !columns.contains(p)) {
        let mut w = vec![Pool::ZERO; n];
        w[k] = Pool::ONE;
        for (row, &p) in inverse.iter().zip(&columns) {
            let parts: Vec<(Expr, Rational)> = row
                .iter()
                .zip(&chosen)
                .map(|(g, &r)| (pool.mul(*g, entry(r, k)), Rational::MINUS_ONE))
                .collect();
            let e = pool.combine(parts);
            w[p] = pool.simplify(e);
        }
        sections.push((k, w));
    }
    sections
}

/// Kernel sections with closed parameters for the search, with their rates along the motion.
fn closed_sections(
    model: &mut Workspace,
    dynamics: &mut SymbolicDynamics,
    sections: &[NamedSection],
) -> KernelSections {
    let seeds: Vec<(Symbol, Expr)> = dynamics
        .x
        .iter()
        .copied()
        .zip(dynamics.x_dot.iter().copied())
        .chain([(dynamics.time, Pool::ONE)])
        .collect();
    let mut dot = Derivation::new(seeds);
    let mut result = KernelSections { w: Vec::new(), rate: Vec::new() };
    for (_, w) in sections {
        let w: Vec<Expr> = w.iter().map(|e| dynamics.closed(model, *e)).collect();
        result.rate.push(w.iter().map(|e| dot.apply(&mut dynamics.pool, *e)).collect());
        result.w.push(w);
    }
    result
}
