//! Points on the surface of position constraints, modulo a prime.
//!
//! Each constraint is solved for a coordinate in which it is of first or second degree, the others being random. Where
//! that does not reach the surface (angles, coupled loops) the point stays where it is: on another surface of the same
//! family `f = const`, to which all forms `df` belong just as well.

use dalembert_expr::{Expr, Field, PRIMES, Pool, Rational, Residue, Sample, Switch, Symbol};

/// Larger sets are not placed.
const MAX_PLACED: usize = 24;

/// Moves the sample onto `positions = 0`; tells whether it got there.
pub(crate) fn place(pool: &Pool, sample: &mut Sample, x: &[Symbol], positions: &[Expr]) -> bool {
    if positions.is_empty() {
        return true;
    }
    if positions.len() > MAX_PLACED {
        return false;
    }
    let mut trial = sample.clone();
    let mut free: Vec<Symbol> = x.to_vec();
    let mut done: Vec<Expr> = Vec::new();
    for &f in positions {
        let now = trial.values(pool, &[f]).map(|v| v[0]);
        if now.is_some_and(Residue::is_zero) {
            done.push(f); // implied by those before
            continue;
        }
        let step = free.iter().rev().position(|s| match solve_for(pool, &trial, *s, f) {
            Some(value) => {
                let mut moved = trial.clone();
                moved.set([(*s, value)]);
                let kept = moved.values(pool, &done).is_some_and(|v| v.iter().all(|r| r.is_zero()));
                if kept {
                    trial = moved;
                }
                kept
            }
            None => false,
        });
        let Some(step) = step else { return false };
        free.remove(free.len() - 1 - step);
        done.push(f);
    }
    *sample = trial;
    true
}

/// How many points are tried to reach a switch.
const MAX_SWITCHED: u64 = 40;

/// The switches at which some expressions may take different values on the two sides.
pub(super) fn jumps(pool: &mut Pool, x: &[Symbol], exprs: &[Expr]) -> Vec<Switch> {
    let point = |pool: &Pool, seed: u64| {
        let mut sample = Sample::new(PRIMES[0], mixed(9000, seed));
        sample.settle(pool, exprs);
        sample.values(pool, exprs).is_some().then_some(sample)
    };
    let mut found = Vec::new();
    for switch in Switch::all(pool, exprs) {
        let g = switch.difference(pool);
        let reached = (0..MAX_SWITCHED).find_map(|seed| {
            let mut sample = point(pool, seed)?;
            let placed = place(pool, &mut sample, x, &[g]) && sample.values(pool, exprs).is_some();
            placed.then_some(sample)
        });
        // Where the switch cannot be reached the expression must not depend on it anywhere.
        let sample = reached.or_else(|| (0..MAX_SWITCHED).find_map(|seed| point(pool, seed)));
        let sides = sample.map(|sample| {
            [true, false].map(|side| {
                let mut sample = sample.clone();
                sample.force(switch, side);
                sample.values(pool, exprs)
            })
        });
        if !sides.is_some_and(|[on, off]| on.is_some() && on == off) {
            found.push(switch);
        }
    }
    // u/|u| is a sign, too.
    for (u, others) in Switch::quotients(pool, exprs) {
        let vanishes = (0..MAX_SWITCHED).find_map(|seed| {
            let mut sample = Sample::new(PRIMES[0], mixed(9500, seed));
            let placed = place(pool, &mut sample, x, &[u]);
            placed.then(|| others.iter().any(|e| sample.values(pool, &[*e]).is_none_or(|v| v[0].is_zero())))
        });
        if vanishes != Some(false) {
            found.push(Switch::Sign(u));
        }
    }
    found
}

/// A value of the symbol at which `f` vanishes, where `f` is linear or quadratic in it.
fn solve_for(pool: &Pool, sample: &Sample, s: Symbol, f: Expr) -> Option<Residue> {
    let field = sample.field();
    let value = |u: i64| {
        let mut moved = sample.clone();
        moved.set([(s, field.int(u))]);
        moved.values(pool, &[f]).map(|v| v[0])
    };
    let y = [value(1)?, value(2)?, value(3)?, value(4)?];
    let root = quadratic_root(field, y)?;
    let mut moved = sample.clone();
    moved.set([(s, root)]);
    moved.values(pool, &[f])?[0].is_zero().then_some(root)
}

/// A zero of the polynomial of degree two through the values at 1, 2, 3, if it passes through that at 4.
fn quadratic_root(f: Field, y: [Residue; 4]) -> Option<Residue> {
    let (d1, d2) = (f.sub(y[1], y[0]), f.sub(f.add(y[2], y[0]), f.add(y[1], y[1])));
    // u = 1 + w:  y = y0 + d1 w + d2 w (w - 1)/2
    let half = f.recip(f.int(2))?;
    let a = f.mul(d2, half);
    let (b, c) = (f.sub(d1, a), y[0]);
    let at = |w: Residue| f.add(c, f.mul(w, f.add(b, f.mul(a, w))));
    if at(f.int(3)) != y[3] {
        return None;
    }
    let w = if a.is_zero() {
        f.neg(f.mul(c, f.recip(b)?))
    } else {
        let discriminant = f.sub(f.mul(b, b), f.mul(f.int(4), f.mul(a, c)));
        let root = f.power(discriminant, &Rational::HALF)?;
        f.mul(f.sub(root, b), f.recip(f.add(a, a))?)
    };
    Some(f.add(w, f.one()))
}

/// A seed for an attempt.
pub(super) fn mixed(seed: u64, attempt: u64) -> u64 {
    seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(attempt.wrapping_mul(0xD1B5_4A32_D192_ED03))
}
