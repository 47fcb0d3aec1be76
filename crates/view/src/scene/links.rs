//! Rods between points: distances that cannot change, by a constraint or by the way the points are written.
//!
//! A position constraint phi over the coordinates of one or two particles is a rod where its gradient says that it
//! depends on their distance alone: for two, `d phi/dA = -d phi/dB` along A - B; for one, along A - C for a fixed C. Points
//! that are written over other coordinates are linked where `|P - Q|^2` has no derivative by any coordinate and by time.

use dalembert::Workspace;
use dalembert::system::DrawnPoint;
use dalembert_expr::{Expr, Pool, Symbol, Zero};
use dalembert_syntax::units::UnitInfo;
use rustc_hash::{FxHashMap, FxHashSet};

/// Written points that are compared with each other.
const MAX_COMPARED: usize = 60;

/// The pairs of points to be joined.
pub(super) fn rods(
    model: &mut Workspace,
    places: &[DrawnPoint],
    fixed: &[DrawnPoint],
) -> Vec<[DrawnPoint; 2]> {
    let mut found = by_constraints(model, places);
    found.extend(by_writing(model, places, fixed));
    found
}

/// A particle: a place whose components are coordinates themselves.
fn particle(pool: &Pool, place: &DrawnPoint) -> Option<Vec<Symbol>> {
    place.at.iter().map(|e| pool.as_symbol(*e)).collect()
}

fn by_constraints(model: &mut Workspace, places: &[DrawnPoint]) -> Vec<[DrawnPoint; 2]> {
    let system = &mut model.system;
    let pool = &mut system.pool;
    let coordinates: Vec<Symbol> = system.frame.coordinates.iter().map(|c| c.symbol).collect();
    let known: FxHashSet<Symbol> = coordinates.iter().copied().collect();
    let mut owner: FxHashMap<Symbol, usize> = FxHashMap::default();
    for (k, place) in places.iter().enumerate() {
        for symbol in particle(pool, place).into_iter().flatten() {
            owner.entry(symbol).or_insert(k);
        }
    }
    let mut found = Vec::new();
    for row in system.constraints.rows.iter().filter(|row| row.holonomic) {
        let mut symbols = pool.symbols(&[row.residual]);
        symbols.retain(|s| known.contains(s));
        let Some(mut owners) = symbols.iter().map(|s| owner.get(s).copied()).collect::<Option<Vec<_>>>()
        else {
            continue;
        };
        owners.sort_unstable();
        owners.dedup();
        match owners[..] {
            [a] => {
                let pivot = pivot(pool, row.residual, &places[a], &coordinates);
                found.extend(pivot.map(|c| [c, places[a].clone()]));
            }
            [a, b] if is_distance(pool, row.residual, &places[a], &places[b]) => {
                found.push([places[a].clone(), places[b].clone()]);
            }
            _ => {}
        }
    }
    found
}

fn gradient(pool: &mut Pool, e: Expr, place: &DrawnPoint) -> Vec<Expr> {
    let symbols = particle(pool, place).unwrap_or_default();
    pool.gradient(e, &symbols)
}

fn vanish(pool: &mut Pool, exprs: impl IntoIterator<Item = Expr>) -> bool {
    exprs.into_iter().all(|e| pool.is_zero(e) == Zero::Yes)
}

/// Whether two vectors are parallel for all values of their symbols.
fn parallel(pool: &mut Pool, a: &[Expr], b: &[Expr]) -> bool {
    let pairs: Vec<(usize, usize)> = (0..a.len()).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
    pairs.into_iter().all(|(i, j)| {
        let (p, q) = (pool.mul(a[i], b[j]), pool.mul(a[j], b[i]));
        let cross = pool.sub(p, q);
        pool.is_zero(cross) == Zero::Yes
    })
}

fn is_distance(pool: &mut Pool, phi: Expr, a: &DrawnPoint, b: &DrawnPoint) -> bool {
    if a.at.len() != b.at.len() {
        return false;
    }
    let (by_a, by_b) = (gradient(pool, phi, a), gradient(pool, phi, b));
    let sums: Vec<Expr> = by_a.iter().zip(&by_b).map(|(p, q)| pool.add(*p, *q)).collect();
    let apart: Vec<Expr> = a.at.iter().zip(&b.at).map(|(p, q)| pool.sub(*p, *q)).collect();
    vanish(pool, sums) && parallel(pool, &by_a, &apart)
}

/// The fixed end of a rod: the origin, or where the gradient of a quadratic phi vanishes.
fn pivot(pool: &mut Pool, phi: Expr, a: &DrawnPoint, coordinates: &[Symbol]) -> Option<DrawnPoint> {
    let slope = gradient(pool, phi, a);
    if slope.contains(&Pool::ZERO) {
        return None; // a plane, not a distance
    }
    if parallel(pool, &slope, &a.at) {
        return Some(origin(a.at.len()));
    }
    let symbols = particle(pool, a)?;
    let curvature = pool.diff(slope[0], symbols[0]);
    if pool.depends_on(curvature, coordinates) || pool.is_zero(curvature) != Zero::No {
        return None;
    }
    for (i, s) in slope.iter().enumerate() {
        for (j, x) in symbols.iter().enumerate() {
            let second = pool.diff(*s, *x);
            let wanted = if i == j { curvature } else { Pool::ZERO };
            let off = pool.sub(second, wanted);
            if pool.is_zero(off) != Zero::Yes {
                return None;
            }
        }
    }
    let mut at = Vec::new();
    for (x, s) in a.at.iter().zip(&slope) {
        let way = pool.div(*s, curvature);
        let e = pool.sub(*x, way);
        let e = pool.simplify(e);
        if pool.depends_on(e, coordinates) {
            return None;
        }
        at.push(e);
    }
    let name = format!("[{}]", at.iter().map(|e| pool.text(*e)).collect::<Vec<_>>().join(", "));
    Some(DrawnPoint { name, at, kind: a.kind.clone() })
}

fn origin(dimension: usize) -> DrawnPoint {
    DrawnPoint { name: "O".to_owned(), at: vec![Pool::ZERO; dimension], kind: UnitInfo::Number }
}

/// Each written point to the nearest one before it at a constant distance, else to a fixed point, else to the origin.
fn by_writing(model: &mut Workspace, places: &[DrawnPoint], fixed: &[DrawnPoint]) -> Vec<[DrawnPoint; 2]> {
    let system = &mut model.system;
    let pool = &mut system.pool;
    let mut moves: Vec<Symbol> = system.frame.coordinates.iter().map(|c| c.symbol).collect();
    moves.push(system.time);
    let written: Vec<&DrawnPoint> =
        places.iter().filter(|place| particle(pool, place).is_none()).take(MAX_COMPARED).collect();
    let mut found = Vec::new();
    for (k, place) in written.iter().enumerate() {
        let origin = origin(place.at.len());
        let particles = places.iter().filter(|p| !written.iter().any(|w| w.at == p.at)).take(MAX_COMPARED);
        let partners =
            written[..k].iter().rev().copied().chain(particles).chain(fixed.iter().rev()).chain([&origin]);
        let partner = partners
            .into_iter()
            .find(|other| other.at.len() == place.at.len() && keeps_distance(pool, place, other, &moves));
        found.extend(partner.map(|other| [other.clone(), (*place).clone()]));
    }
    found
}

fn keeps_distance(pool: &mut Pool, a: &DrawnPoint, b: &DrawnPoint, moves: &[Symbol]) -> bool {
    let squares: Vec<Expr> =
        a.at.iter()
            .zip(&b.at)
            .map(|(p, q)| {
                let difference = pool.sub(*p, *q);
                pool.powi(difference, 2)
            })
            .collect();
    let square = pool.total(squares);
    if pool.is_zero(square) != Zero::No {
        return false;
    }
    let present: Vec<Symbol> = pool.symbols(&[square]).into_iter().filter(|s| moves.contains(s)).collect();
    let slopes = pool.gradient(square, &present);
    vanish(pool, slopes)
}
