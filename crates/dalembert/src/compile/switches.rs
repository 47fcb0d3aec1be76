//! Where constraint rows may have kinks or jump, and where time alone makes anything do so: the functions that are
//! watched along a motion.

use crate::kernel_form::KernelForm;
use dalembert_expr::{Expr, Function, Node, Pool, Rational, Switch, Symbol};
use rustc_hash::FxHashSet;

/// What vanishes at the switches of the constraint rows; those that parameters alone decide are none.
pub(super) fn of_rows(pool: &mut Pool, form: &KernelForm) -> Vec<Expr> {
    let positions = form.position_residuals.iter().flatten();
    let rows: Vec<Expr> = positions.chain(&form.velocity_residuals).copied().collect();
    let switches = Switch::with_kinks(pool, &rows);
    if switches.is_empty() {
        return Vec::new();
    }
    let moving: Vec<Symbol> =
        [form.time].iter().chain(&form.coordinates).chain(&form.speeds).copied().collect();
    let mut found = Vec::new();
    for switch in switches {
        let difference = switch.difference(pool);
        if pool.depends_on(difference, &moving) && !found.contains(&difference) {
            found.push(difference);
        }
    }
    found
}

/// The switches of time in everything that moves the system, as two sides each: first those on the left, then those on the
/// right. Sides are compared as numbers, not their difference in symbols, so that the watch rounds as the equations do.
/// Comparisons of time with a constant come first, time on their left; the number is how many they are.
pub(super) fn of_time(pool: &mut Pool, form: &KernelForm) -> (Vec<Expr>, usize) {
    let found = Switch::of_symbol(pool, &moving_parts(form), form.time, &form.parameters);
    let (mut instants, mut searched, mut known) = (Vec::new(), Vec::new(), FxHashSet::default());
    let time = pool.var(form.time);
    for switch in found {
        let (a, b) = match switch {
            Switch::Sides(a, b) => (a, b),
            Switch::Sign(a) => (a, Pool::ZERO),
            Switch::Knots(knots, x) if is_affine(pool, x, time) => {
                let knots = pool.lookup(knots.column).map_or(Vec::new(), |lookup| lookup.knots.clone());
                for knot in knots {
                    let knot = pool.number(Rational::from_f64(knot).unwrap_or(Rational::ZERO));
                    let at = if x == time {
                        Some(knot)
                    } else {
                        root(pool, x, knot, time).map(|at| pool.number(at))
                    };
                    match at {
                        Some(at) if known.insert(at) => instants.push((time, at)),
                        Some(_) => {}
                        None => searched.push((x, knot)),
                    }
                }
                continue;
            }
            Switch::Whole(_) | Switch::Knots(..) => (switch.difference(pool), Pool::ZERO),
        };
        let mut constant = |e: Expr| !pool.depends_on(e, &[form.time]);
        let instant = if a == time && constant(b) {
            Some(b)
        } else if b == time && constant(a) {
            Some(a)
        } else {
            root(pool, a, b, time).map(|at| pool.number(at))
        };
        match instant {
            Some(at) if known.insert(at) => instants.push((time, at)),
            Some(_) => {}
            None => searched.push((a, b)),
        }
    }
    let n_instants = instants.len();
    let (left, right): (Vec<Expr>, Vec<Expr>) = instants.into_iter().chain(searched).unzip();
    (left.into_iter().chain(right).collect(), n_instants)
}

/// Whether an expression is a number times time plus a number.
fn is_affine(pool: &Pool, e: Expr, time: Expr) -> bool {
    e == time || matches!(pool.node(e), Node::Sum(_, parts) if matches!(&parts[..], [(x, _)] if *x == time))
}

/// The time at which two sides are equal that are numbers times it plus numbers, as between the points of a table; `None`
/// for others, and where the rounding of a side is more than that of the time.
fn root(pool: &Pool, a: Expr, b: Expr, time: Expr) -> Option<Rational> {
    let affine = |e: Expr| match pool.node(e) {
        Node::Number(c) => Some((Rational::from(0), c.clone())),
        Node::Sum(c, parts) => match &parts[..] {
            [(x, slope)] if *x == time => Some((slope.clone(), c.clone())),
            _ => None,
        },
        _ => (e == time).then(|| (Rational::from(1), Rational::from(0))),
    };
    let ((slope_a, a), (slope_b, b)) = (affine(a)?, affine(b)?);
    let slope = &slope_a - &slope_b;
    let change = &b - &a;
    let sound = &a.abs() + &b.abs() <= &Rational::from(2) * &change.abs();
    if sound { slope.recip().map(|inverse| &change * &inverse) } else { None }
}

/// Whatever the accelerations are made of.
pub(super) fn moving_parts(form: &KernelForm) -> Vec<Expr> {
    let mut parts = form.x_dot.clone();
    parts.extend(form.mass_matrix.entries().map(|(_, _, e)| e));
    parts.extend(&form.force);
    parts.extend(form.besides_bodies.iter().flat_map(|besides| &besides.force));
    parts.extend(form.constraint_matrix.iter().chain(&form.requirement_matrix).flatten().map(|(_, e)| *e));
    parts.extend(form.constraint_right.iter().chain(&form.requirement_right));
    parts.extend(form.position_residuals.iter().flatten().chain(&form.velocity_residuals));
    parts.extend(form.nonideal.iter().flatten());
    parts.extend(form.inputs.iter().flatten());
    parts.extend(form.cost.iter().flatten().flatten());
    for contact in &form.contacts {
        parts.extend(contact.velocity.iter().chain(&contact.right));
        parts.extend(contact.matrix.iter().chain(&contact.normal).flatten());
        parts.extend([contact.coefficient, contact.r#static]);
    }
    parts
}

/// What changes sign where an expression has a kink or a jump.
pub(crate) fn kinks(pool: &mut Pool, roots: &[Expr]) -> Vec<Expr> {
    let mut seen = FxHashSet::default();
    let mut open: Vec<Expr> = roots.to_vec();
    let mut found = Vec::new();
    while let Some(e) = open.pop() {
        if !seen.insert(e) {
            continue;
        }
        match pool.node(e).clone() {
            Node::Number(_) | Node::Pi | Node::Symbol(_) => {}
            Node::Sum(_, parts) | Node::Product(parts) => open.extend(parts.iter().map(|(e, _)| *e)),
            Node::Power(base, exponent) => open.extend([base, exponent]),
            Node::Call(f, args) => {
                open.extend(args.iter());
                match f {
                    Function::Abs | Function::Sign => found.push(args[0]),
                    Function::Floor => found.push(Switch::Whole(args[0]).difference(pool)),
                    Function::Lookup => {
                        let knots = Switch::with_kinks(pool, &[e]);
                        found.extend(knots.into_iter().map(|switch| switch.difference(pool)));
                    }
                    Function::Min
                    | Function::Max
                    | Function::Less
                    | Function::LessEqual
                    | Function::Equal => {
                        found.push(pool.sub(args[0], args[1]));
                    }
                    _ => {}
                }
            }
        }
    }
    found
}
