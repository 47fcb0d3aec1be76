//! Points on the surface of position constraints, modulo a prime.
//!
//! Each constraint is solved for a coordinate in which it is of first or second degree, the others being random. Where
//! that does not reach the surface (angles, coupled loops) the point stays where it is: on another surface of the same
//! family `f = const`, to which all forms `df` belong just as well.

use dalembert_expr::{Expr, Field, Pool, Rational, Residue, Sample, Symbol};

/// Larger sets are not placed.
const MAX_PLACED: usize = 24;

/// Moves the sample onto `positions = 0`; tells whether it got there.
pub(super) fn place(pool: &Pool, sample: &mut Sample, x: &[Symbol], positions: &[Expr]) -> bool {
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
