//! Other descriptions of the same mechanics. `None` where a transformation does not apply.

use super::description::{Contact, Description, Law, Reads, Row, UNITS};
use super::expression::{Expression as E, cos, exp, name, number, sin, sqrt, square};
use crate::support::{Rng, ShortNumbers};

type Transformed = Option<Description>;

pub fn zero_forces(model: &Description, rng: &mut Rng) -> Transformed {
    let mut new = model.clone();
    let (i, j) = (rng.below(model.n()), rng.below(model.n()));
    let (q, v) = (E::Coordinate(j), E::Rate(j));
    new.forces.push((i, number(0.0)));
    new.forces.push((j, 0.0 * sin(q.clone()) * v.clone()));
    new.forces.push((i, sin(q.clone()) * v.clone() - sin(q.clone()) * v.clone()));
    new.forces_at.push(([number(0.0), number(0.0)], [q.clone(), cos(E::Coordinate(i))]));
    new.dissipation.push(0.0 * square(v.clone()));
    new.potential.push(0.0 * cos(q.clone()));
    new.kinetic.push(0.0 * square(v) * sin(q));
    new.more.push(format!("work 0*delta({}) + 0*{}*delta({})", name(i), name(j), name(j)));
    if !model.rows.is_empty() {
        new.more.push(format!("nonideal work 0*{}'*delta({})", name(i), name(j)));
    }
    Some(new)
}

pub fn split_energies(model: &Description, rng: &mut Rng) -> Transformed {
    let mut new = model.clone();
    let part = rng.number(0.1, 0.9);
    let split = |list: &[E]| -> Vec<E> {
        list.iter().flat_map(|e| [part * e.clone(), (1.0 - part) * e.clone()]).collect()
    };
    new.kinetic = split(&model.kinetic);
    new.dissipation = split(&model.dissipation);
    new.lagrangian = split(&model.lagrangian);
    new.lagrangian.extend(model.potential.iter().skip(1).map(|e| -e.clone()));
    new.potential = split(&model.potential[..1]);
    // With `lagrangian` the energy is Jacobi's integral instead of T + V.
    new.energy &= !model.lagrangian.is_empty();
    new.forces =
        model.forces.iter().flat_map(|(i, e)| [(*i, 3.0 * e.clone()), (*i, -2.0 * e.clone())]).collect();
    Some(new)
}

pub fn unrelated_coordinate(model: &Description, rng: &mut Rng) -> Transformed {
    let mut new = model.clone();
    new.energy = false;
    let (start, rate) = [("1.5e11", "10"), ("1.5e11", "0"), ("-0.7", "3"), ("1e-9", "0")][rng.below(4)];
    new.more.push(format!(
        "coordinate other\nkinetic 2*other'^2\nforce other = 0.5\ninitial other = {start}, other' = {rate}"
    ));
    Some(new)
}

/// Rows times a number or a positive function.
pub fn scaled_rows(model: &Description, rng: &mut Rng) -> Transformed {
    let mut new = rows_of(model)?;
    for r in &mut new.requirements {
        let size = [-1.0, 1e-3, 1e3][rng.below(3)];
        (r.row.left, r.row.right) = (size * r.row.left.clone(), size * r.row.right.clone());
    }
    for row in &mut new.rows {
        let size = [-1.0, 1e-3, 1e3, 2.5, -0.04][rng.below(5)];
        let factor = match rng.below(2) {
            0 => number(size),
            _ => size * (number(2.0) + sin(E::Coordinate(rng.below(model.n())))),
        };
        row.left = factor.clone() * row.left.clone();
        row.right = factor.clone() * row.right.clone();
        row.scale = row.scale.clone() * factor;
    }
    Some(new)
}

/// Sides exchanged, terms moved, a function of both sides.
pub fn rewritten_rows(model: &Description, rng: &mut Rng) -> Transformed {
    let mut new = rows_of(model)?;
    for k in 0..new.rows.len() {
        let value = model.value(&model.rows[k].left);
        let row = &mut new.rows[k];
        let (left, right) = (row.left.clone(), row.right.clone());
        let moved = sin(E::Coordinate(rng.below(model.n())));
        // A normal force cannot depend on rates, which a function of a velocity constraint would bring in.
        let presses = model.contacts.iter().any(|c| c.row == k);
        let plain = if presses && !row.holonomic { 3 } else { 6 };
        let (l, r, scale) = match rng.below(plain) {
            0 => (right, left, number(-1.0)),
            1 => (left - right, number(0.0), number(1.0)),
            2 => (left + moved.clone(), right + moved, number(1.0)),
            // The square of a distance, or of another side that does not vanish.
            3 if value.abs() > 0.5 => (square(left.clone()), square(right), 2.0 * left),
            4 if value > 0.5 => (sqrt(left.clone()), sqrt(right), number(0.5) / sqrt(left)),
            _ => (exp(left.clone()), exp(right), exp(left)),
        };
        (row.left, row.right, row.scale) = (l, r, row.scale.clone() * scale);
    }
    Some(new)
}

/// Holonomic rows by their rates (K5 and K6): the same forces from a consistent start.
pub fn differentiated_rows(model: &Description, _: &mut Rng) -> Transformed {
    let mut new = rows_of(model)?;
    let mut any = false;
    for row in new.rows.iter_mut().filter(|r| r.holonomic) {
        any = true;
        let rate = |e: &E| E::Named(format!("({e})'"), Box::new(e.clone()));
        (row.left, row.right) = (rate(&row.left), rate(&row.right));
        row.holonomic = false;
    }
    any.then_some(new)
}

/// Copies in other scales, and for pairs a combination. Single multipliers are not unique then.
pub fn duplicated_rows(model: &Description, rng: &mut Rng) -> Transformed {
    let mut new = rows_of(model)?;
    let copies = if model.rows.is_empty() { 0 } else { 1 + rng.below(2) };
    for k in 0..copies {
        let mut copy = model.rows[rng.below(model.rows.len())].clone();
        let factor = [2.0, -1.0, 100.0, 0.01][rng.below(4)];
        (copy.left, copy.right) = (factor * copy.left, factor * copy.right);
        new.rows.push(Row { name: format!("again{k}"), ..copy });
    }
    for r in &model.requirements {
        let mut copy = r.clone();
        (copy.row.left, copy.row.right) = (3.0 * copy.row.left, 3.0 * copy.row.right);
        copy.row.name += "_again";
        new.requirements.push(copy);
    }
    new.multipliers = false;
    Some(new)
}

/// Two constraints as one of two components, where no law names one of them as a whole.
pub fn joined_rows(model: &Description, rng: &mut Rng) -> Transformed {
    let k = rng.below(model.rows.len().checked_sub(1).filter(|pairs| *pairs > 0)?);
    let whole = |r: usize| r == k || r == k + 1;
    let reads = |law: &Law| matches!(law.reads, Reads::Reaction(r) if whole(r));
    if model.laws.iter().any(reads) || model.contacts.iter().any(|c| whole(c.row)) {
        return None;
    }
    let mut new = model.clone();
    new.joined = Some(k);
    (new.rows[k].name, new.rows[k + 1].name) = ("both.x".into(), "both.y".into());
    Some(new)
}

/// Forces as virtual work, potentials as the forces they give, names for energies.
pub fn other_statements(model: &Description, _: &mut Rng) -> Transformed {
    let mut new = model.clone();
    new.energy = false;
    for (i, e) in new.forces.drain(..) {
        new.more.push(format!("work ({e})*delta({})", name(i)));
    }
    for (k, e) in new.potential.drain(..).enumerate() {
        new.more.push(format!("let V{k} = {e}"));
        for q in (0..model.n()).map(name) {
            new.more.push(format!("force {q} = -diff(V{k}, {q})"));
        }
    }
    for (k, (f, p)) in new.forces_at.drain(..).enumerate() {
        new.more.push(format!("let P{k} = [{}, {}], F{k} = [{}, {}]", p[0], p[1], f[0], f[1]));
        new.more.push(format!("work F{k}.x*delta(P{k}.x) + F{k}.y*delta(P{k}.y)"));
    }
    Some(new)
}

pub fn zero_friction(model: &Description, rng: &mut Rng) -> Transformed {
    let mut new = rows_of(model)?;
    let row = rng.below(model.rows.len());
    if model.rows.is_empty() {
        return None;
    }
    // One contact for each constraint; and `reaction` means the normal force where there is a contact.
    let taken = model.contacts.iter().any(|c| c.row == row);
    if taken || model.laws.iter().any(|law| law.reads == Reads::Reaction(row)) {
        return None;
    }
    let (i, j) = (rng.below(model.n()), rng.below(model.n()));
    let velocity = E::Rate(i) + 0.3 * cos(E::Coordinate(i)) * E::Rate(j);
    new.contacts.push(Contact { row, coefficient: 0.0, velocity });
    Some(new)
}

/// Each rate has a name of its own, in another order.
pub fn renamed_speeds(model: &Description, rng: &mut Rng) -> Transformed {
    let mut new = in_speeds(model)?;
    let n = model.n();
    let shift = rng.below(n);
    new.speeds = (0..n).map(|k| (k + shift) % n).map(|i| (format!("v{i}"), E::Rate(i))).collect();
    Some(new)
}

/// Speeds defined by earlier speeds, with coefficients that depend on the configuration.
pub fn nested_speeds(model: &Description, rng: &mut Rng) -> Transformed {
    let mut new = in_speeds(model)?;
    new.speeds = triangular(model.n(), rng).into_iter().map(|s| (s.name, s.definition)).collect();
    Some(new)
}

/// The model in new speeds, with the rates in energies, forces and rows written by them.
pub fn recombined_speeds(model: &Description, rng: &mut Rng) -> Transformed {
    let mut new = in_speeds(model)?;
    let speeds = triangular(model.n(), rng);
    let half = rng.below(2);
    new = new.map(&|e| match e {
        E::Rate(i) if (i + half).is_multiple_of(2) => Some(speeds[*i].rate.clone()),
        _ => None,
    });
    new.speeds = speeds.into_iter().map(|s| (s.name, s.definition)).collect();
    Some(new)
}

struct Speed {
    name: String,
    definition: E,
    /// The rate of its coordinate by this and earlier speeds.
    rate: E,
}

/// `s_i = c_i(q) q_i' + sum over earlier speeds`, which is invertible where no c_i vanishes.
fn triangular(n: usize, rng: &mut Rng) -> Vec<Speed> {
    let mut speeds: Vec<Speed> = Vec::new();
    for i in 0..n {
        let factor = number(2.0) + rng.number(-0.9, 0.9) * sin(E::Coordinate((i + 1) % n));
        let mut rest = rng.number(-0.3, 0.3) * E::Coordinate(i);
        for s in &speeds {
            let earlier = E::Named(s.name.clone(), Box::new(s.definition.clone()));
            rest = rest + rng.number(-1.0, 1.0) * cos(E::Coordinate(i)) * earlier;
        }
        let definition = factor.clone() * E::Rate(i) + rest.clone();
        let named = E::Named(format!("s{i}"), Box::new(definition.clone()));
        speeds.push(Speed { name: format!("s{i}"), definition, rate: (named - rest) / factor });
    }
    speeds
}

/// `reaction` is the length of a generalised force, which depends on the speeds it is measured by; Jacobi's integral is
/// another one in speeds that do not vanish with the rates.
fn in_speeds(model: &Description) -> Transformed {
    let reads = |law: &Law| matches!(law.reads, Reads::Reaction(_));
    let energy = model.energy && model.lagrangian.is_empty();
    (!model.laws.iter().any(reads)).then(|| Description { energy, ..model.clone() })
}

pub fn other_units(model: &Description, rng: &mut Rng) -> Transformed {
    let mut new = model.clone();
    for p in &mut new.parameters {
        p.unit = rng.below(UNITS[p.dimension].len());
    }
    Some(new)
}

pub fn another_order(model: &Description, rng: &mut Rng) -> Transformed {
    let mut new = model.clone();
    new.order = Some(rng.next_u64());
    let n = new.coordinates.len();
    new.coordinates.rotate_left(1 + rng.below(n.max(2) - 1));
    new.coordinates.swap(0, rng.below(n));
    Some(new)
}

/// t becomes t - T everywhere, and the start T.
pub fn shifted_time(model: &Description, rng: &mut Rng) -> Transformed {
    let shift = rng.number(-3.0, 5.0);
    let mut new = model.map(&|e| matches!(e, E::Time).then(|| E::Time - number(shift)));
    new.t = model.t + shift;
    Some(new)
}

/// Three of the others, one after the other.
pub fn several(model: &Description, rng: &mut Rng) -> Transformed {
    let all = [
        shifted_time,
        scaled_rows,
        rewritten_rows,
        duplicated_rows,
        split_energies,
        other_units,
        nested_speeds,
    ];
    let mut new = model.clone();
    let first = rng.below(3);
    for k in [first, first + 2, first + 4] {
        new = all[k](&new, rng).unwrap_or(new);
    }
    another_order(&new, rng)
}

fn rows_of(model: &Description) -> Transformed {
    (!model.rows.is_empty() || !model.requirements.is_empty()).then(|| model.clone())
}
