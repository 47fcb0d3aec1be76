//! Points that a model has without saying so: named vectors, and right-angled coordinates.

use dalembert::Workspace;
use dalembert::system::{Coordinate, DrawnPoint};
use dalembert_expr::{Expr, Pool, Rational, Symbol, Zero};
use dalembert_syntax::units::UnitInfo;
use rustc_hash::{FxHashMap, FxHashSet};

/// Named vectors that are looked at.
const MAX_LOOKED_AT: usize = 1000;

/// Points that move, and named ones that do not.
pub(super) struct Points {
    pub places: Vec<DrawnPoint>,
    pub fixed: Vec<DrawnPoint>,
}

impl Points {
    pub fn of(model: &mut Workspace) -> Points {
        let (mut places, fixed) = named_vectors(model);
        let known: FxHashSet<Vec<Expr>> = places.iter().map(|p| p.at.clone()).collect();
        let particles = particles(&model.system.frame.coordinates);
        for (name, members) in particles {
            let at: Vec<Expr> = members.iter().map(|c| model.system.pool.var(c.symbol)).collect();
            if !known.contains(&at) {
                let kind = members[0].kind.clone();
                places.push(DrawnPoint { name, at, kind });
            }
        }
        Points { places, fixed }
    }
}

/// Vectors named by `let` over coordinates, parameters and time: those that move, and those that do not. Vectors of length
/// one are directions and left out, unless there is nothing else in a model of one or two coordinates.
fn named_vectors(model: &mut Workspace) -> (Vec<DrawnPoint>, Vec<DrawnPoint>) {
    let system = &mut model.system;
    let coordinates: FxHashSet<Symbol> = system.frame.coordinates.iter().map(|c| c.symbol).collect();
    let constants: FxHashSet<Symbol> =
        system.parameters.iter().map(|p| p.symbol).chain([system.time]).collect();
    let (mut moving, mut fixed, mut directions) = (Vec::new(), Vec::new(), Vec::new());
    let vectors: Vec<DrawnPoint> = system.drawing.vectors.iter().take(MAX_LOOKED_AT).cloned().collect();
    for place in vectors {
        let symbols = system.pool.symbols(&place.at);
        let known = |s: &Symbol| coordinates.contains(s) || constants.contains(s);
        if !is_length(&place.kind) || !symbols.iter().all(known) {
            continue;
        }
        if !symbols.iter().any(|s| coordinates.contains(s)) {
            fixed.push(place);
        } else if is_unit_vector(&mut system.pool, &place.at) {
            directions.push(place);
        } else {
            moving.push(place);
        }
    }
    if moving.is_empty() && system.frame.coordinates.len() <= 2 {
        moving = directions; // a pendulum of length one
    }
    (moving, fixed)
}

fn is_length(kind: &UnitInfo) -> bool {
    match kind {
        UnitInfo::Known(dimension) => dimension.to_string() == "m",
        UnitInfo::Missing | UnitInfo::Number => true,
    }
}

fn is_unit_vector(pool: &mut Pool, at: &[Expr]) -> bool {
    let squares: Vec<Expr> = at.iter().map(|e| pool.powi(*e, 2)).collect();
    let parts: Vec<(Expr, Rational)> =
        squares.into_iter().map(|e| (e, Rational::ONE)).chain([(Pool::ONE, Rational::MINUS_ONE)]).collect();
    let less_one = pool.combine(parts);
    pool.is_zero(less_one) == Zero::Yes
}

/// Coordinates whose names say that they are right-angled: `x, y`, `x1, y1, z1`, `x[2], y[2]`, `xA, yA`, `x, z`.
fn particles(coordinates: &[Coordinate]) -> Vec<(String, Vec<&Coordinate>)> {
    let by_name: FxHashMap<&str, &Coordinate> = coordinates.iter().map(|c| (c.name.as_str(), c)).collect();
    let mut found = Vec::new();
    for c in coordinates {
        for letters in [["x", "y", "z"], ["X", "Y", "Z"]] {
            let Some(rest) = c.name.strip_prefix(letters[0]) else { continue };
            let of = |letter: &str| by_name.get(format!("{letter}{rest}").as_str()).copied();
            // Without a second one the third is a height: a vertical plane.
            let members: Vec<&Coordinate> =
                [Some(c), of(letters[1]), of(letters[2])].into_iter().flatten().collect();
            if members.len() > 1 && members.iter().all(|m| m.kind == c.kind && is_length(&m.kind)) {
                let names: Vec<&str> = members.iter().map(|m| m.name.as_str()).collect();
                found.push((format!("[{}]", names.join(", ")), members));
            }
        }
    }
    found
}
