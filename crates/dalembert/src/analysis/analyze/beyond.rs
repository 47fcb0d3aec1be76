//! Conserved quantities that affine point symmetries miss: what to try, before anything is claimed.
//!
//! ```text
//! energies of parts    L = L_1(x_1, x_1') + L_2(x_2, x_2') + ...,   H_b = p_b x_b' - L_b
//! energy               T + V, where a frame that turns or drifts hides it from L(x, eta, t)
//! rotations            sum of x_i p_y_i - y_i p_x_i over families of coordinates, where there are many
//! quadratic integrals  `killing.rs`
//! ```
//!
//! Every candidate is proved along the equations of motion and verified along a motion like all others; here
//! nothing is proved.

use super::dynamics::SymbolicDynamics;
use super::killing;
use super::naming::{Candidate, names};
use super::noether::MAX_AFFINE;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Node, Pool, Rational, Symbol, Weighted};

/// Lagrangians are multiplied out up to this many terms to find their parts.
const MAX_TERMS: usize = 600;
/// Pairs of families that are tried as planes of rotation.
const MAX_PAIRS: usize = 40;

/// What may be conserved, in the model's pool.
pub(super) fn candidates(model: &mut Workspace, dynamics: &mut SymbolicDynamics) -> Vec<Candidate> {
    let mut list = Vec::new();
    if let Some(J) = model.system.energies.total {
        list.push(Candidate {
            name: "T + V".into(),
            J,
            reason: "conservation of T + V, in coordinates at rest".into(),
        });
    }
    if dynamics.identity {
        list.extend(parts(model));
        list.extend(killing::quadratic_integrals(model, dynamics));
        if dynamics.x.len() > MAX_AFFINE {
            list.extend(rotations(model));
        }
    }
    list
}

/// The addends of an expression, multiplied out.
fn addends(pool: &mut Pool, e: Expr) -> Vec<Weighted> {
    let e = pool.expand(e, MAX_TERMS).unwrap_or(e);
    match pool.node(e).clone() {
        Node::Sum(c, terms) => terms.into_iter().chain([(Pool::ONE, c)]).collect(),
        _ => vec![(e, Rational::ONE)],
    }
}

/// Energies of parts of the system that nothing couples.
fn parts(model: &mut Workspace) -> Vec<Candidate> {
    let n = model.form.speeds.len();
    if model.system.constraints.nonideal.is_some()
        || model.system.forces.dissipation.is_some()
        || n != model.form.coordinates.len()
    {
        return Vec::new();
    }
    let L = model.system.whole_lagrangian();
    let (x, eta) = (model.form.coordinates.clone(), model.form.speeds.clone());
    let pool = &mut model.system.pool;
    let terms = addends(pool, L);
    let mut block_of: Vec<usize> = (0..n).collect();
    let mut couple = |pool: &mut Pool, list: &[Expr], more: Option<usize>| {
        let present = pool.symbols(list);
        let inside = |i: &usize| present.contains(&x[*i]) || present.contains(&eta[*i]) || more == Some(*i);
        let members: Vec<usize> = (0..n).filter(inside).collect();
        let Some(to) = members.iter().map(|i| block_of[*i]).min() else { return };
        let from: Vec<usize> = members.iter().map(|i| block_of[*i]).collect();
        block_of.iter_mut().filter(|b| from.contains(b)).for_each(|b| *b = to);
    };
    terms.iter().for_each(|(term, _)| couple(pool, &[*term], None));
    for row in &model.system.constraints.rows {
        couple(pool, &[row.residual], None);
    }
    for (i, F) in model.system.forces.applied.clone().into_iter().enumerate() {
        couple(pool, &[F], Some(i));
    }
    let mut blocks: Vec<usize> = block_of.clone();
    blocks.sort_unstable();
    blocks.dedup();
    let mut list = Vec::new();
    for block in blocks {
        let members: Vec<usize> = (0..n).filter(|i| block_of[*i] == block).collect();
        let own: Vec<Symbol> = members.iter().flat_map(|i| [x[*i], eta[*i]]).collect();
        let places: Vec<Symbol> = members.iter().map(|i| x[*i]).collect();
        let pool = &mut model.system.pool;
        let part: Vec<Weighted> = terms.iter().filter(|(e, _)| pool.depends_on(*e, &own)).cloned().collect();
        let part = pool.combine(part);
        // What moves freely has a momentum, which says more.
        if !pool.depends_on(part, &places) {
            continue;
        }
        let mut energy = vec![(part, Rational::MINUS_ONE)];
        for i in &members {
            let (p, v) = (pool.diff(part, eta[*i]), pool.var(eta[*i]));
            energy.push((pool.mul(p, v), Rational::ONE));
        }
        let J = pool.combine(energy);
        let J = pool.simplify(J);
        let name = format!("energy of {}", names(model, &members));
        list.push(Candidate {
            name,
            J,
            reason: "separation: nothing couples this part with the rest".into(),
        });
    }
    // One part that is not free has the energy of the whole.
    if list.len() > 1 { list } else { Vec::new() }
}

/// A name as what it is of, and which one: `x[3]` and `x3` are `x` of 3, `ball.x` is `x` of `ball`.
fn family(name: &str) -> (String, String) {
    if let Some((stem, index)) = name.split_once('[') {
        return (stem.to_owned(), index.to_owned());
    }
    if let Some((owner, part)) = name.rsplit_once('.') {
        return (part.to_owned(), owner.to_owned());
    }
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem.to_owned(), name[stem.len()..].to_owned())
}

/// Rotations of all members of two families of coordinates together.
fn rotations(model: &mut Workspace) -> Vec<Candidate> {
    let mut families: Vec<(String, Vec<(String, usize)>)> = Vec::new();
    for (i, c) in model.system.frame.coordinates.iter().enumerate() {
        let (stem, index) = family(&c.name);
        match families.iter_mut().find(|(known, _)| *known == stem) {
            Some((_, members)) => members.push((index, i)),
            None => families.push((stem, vec![(index, i)])),
        }
    }
    let pairs = (0..families.len()).flat_map(|a| (a + 1..families.len()).map(move |b| (a, b)));
    let alike = |(a, b): &(usize, usize)| {
        let indices = |k: usize| families[k].1.iter().map(|(index, _)| index);
        indices(*a).eq(indices(*b))
    };
    let pairs: Vec<(usize, usize)> = pairs.filter(alike).take(MAX_PAIRS).collect();
    let mut list = Vec::new();
    for (a, b) in pairs {
        let pool = &mut model.system.pool;
        let mut parts = Vec::new();
        for ((_, i), (_, j)) in families[a].1.iter().zip(&families[b].1) {
            let (x, y) = (pool.var(model.form.coordinates[*i]), pool.var(model.form.coordinates[*j]));
            parts.push((pool.mul(x, model.form.momenta[*j]), Rational::ONE));
            parts.push((pool.mul(y, model.form.momenta[*i]), Rational::MINUS_ONE));
        }
        let J = pool.combine(parts);
        let (first, second) = (&families[a].0, &families[b].0);
        list.push(Candidate {
            name: format!("angular momentum in {first}, {second}"),
            J,
            reason: format!("δ{first} = -{second}, δ{second} = {first}, all members together"),
        });
    }
    list
}
