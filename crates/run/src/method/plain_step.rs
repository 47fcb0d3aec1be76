//! A whole explicit step of a small system whose derivative is one program of the kernel.
//!
//! Nothing happens in such a step but evaluations and sums, so the sums matter. Here the number D of components and the
//! weights are constants of the code: sums are straight code on registers, and states go straight to where the program reads
//! them. The operations and their order are those of the general step in `explicit`, so the digits are the same.

use super::dop853::DOP853;
use super::stages::{Carry, DOP853_ERRORS, Kind, MAX_STAGES, Stages, TSIT5_ERROR};
use super::stepper::{Attempt, Estimated, FusedField, largest};
use super::tableaux::{RK4, TSIT5};

/// The end of a step into `y_new`, and its error; `None` where the number of components is not one of those the code is
/// made for, or where the program cannot be trusted at a stage.
#[inline]
pub(super) fn plain_step(
    kind: Kind,
    (k, carry): (&mut Stages, &mut Carry),
    fused: FusedField<'_>,
    at: &Attempt<'_>,
    y_new: &mut [f64],
) -> Option<Estimated> {
    match at.y.len() {
        2 => step::<2>(kind, k.rows_mut()?, carry, fused, at, y_new),
        4 => step::<4>(kind, k.rows_mut()?, carry, fused, at, y_new),
        6 => step::<6>(kind, k.rows_mut()?, carry, fused, at, y_new),
        8 => step::<8>(kind, k.rows_mut()?, carry, fused, at, y_new),
        10 => step::<10>(kind, k.rows_mut()?, carry, fused, at, y_new),
        12 => step::<12>(kind, k.rows_mut()?, carry, fused, at, y_new),
        _ => None,
    }
}

fn step<const D: usize>(
    kind: Kind,
    k: &mut [[f64; D]; MAX_STAGES],
    carry: &mut Carry,
    fused: FusedField<'_>,
    at: &Attempt<'_>,
    y_new: &mut [f64],
) -> Option<Estimated> {
    let FusedField { program, workspace, out, evaluations } = fused;
    // Once for all stages.
    if workspace.len() <= D || out.len() < D {
        return None;
    }
    let (t, h) = (at.t, at.h);
    let y: &[f64; D] = at.y.try_into().ok()?;
    k[0] = at.f.try_into().ok()?;
    macro_rules! derivative {
        ($c:expr, $state:expr) => {{
            workspace[0] = t + $c * h;
            *workspace[1..].first_chunk_mut()? = $state;
            if !program.accelerate_unchecked(workspace, out) {
                return None;
            }
            *out.first_chunk::<D>()?
        }};
    }
    macro_rules! stages {
        ($table:ident, $($i:literal)*) => {{
            $( k[$i] = derivative!($table.c[$i], plus(y, sum(k, $table.a[$i], h))); )*
            if !all_finite([$( &k[$i], )*]) {
                return None;
            }
            sum(k, $table.b, h)
        }};
    }
    let increment = match kind {
        Kind::Dop853 => stages!(DOP853, 1 2 3 4 5 6 7 8 9 10 11),
        Kind::Tsit5 => stages!(TSIT5, 1 2 3 4 5),
        Kind::Rk4 => stages!(RK4, 1 2 3),
    };
    *evaluations += kind.table().c.len() - 1;
    let y_new: &mut [f64; D] = y_new.try_into().ok()?;
    carry.add(y, &increment, y_new);
    let mut sizes = [0.0; D];
    for i in 0..D {
        sizes[i] = at.tol.scale(y[i], y_new[i]);
    }
    Some(match kind {
        Kind::Dop853 => {
            let fifth = error_size(sum(k, DOP853_ERRORS[0], 1.0), &sizes);
            let (third, _) = error_size(sum(k, DOP853_ERRORS[1], 1.0), &sizes);
            Estimated::of_two(h, fifth, third)
        }
        Kind::Tsit5 => {
            k[6] = derivative!(1.0, *y_new);
            if !all_finite([&k[6]]) {
                return None;
            }
            *evaluations += 1;
            let (size, worst) = error_size(sum(k, TSIT5_ERROR, 1.0), &sizes);
            Estimated { error: h.abs() * size, worst }
        }
        Kind::Rk4 => Estimated::of_none(y_new),
    })
}

// Loops with indices: closures of iterators are not inlined in code of this size.

/// sum_j (h w_j) k_j, weights that are zero left out.
#[inline(always)]
#[allow(clippy::needless_range_loop)]
fn sum<const D: usize>(k: &[[f64; D]; MAX_STAGES], weights: &[f64], h: f64) -> [f64; D] {
    let mut sum = [0.0; D];
    for (w, k) in weights.iter().zip(k) {
        if *w != 0.0 {
            let s = h * w;
            for i in 0..D {
                sum[i] += s * k[i];
            }
        }
    }
    sum
}

/// increment + y
#[inline(always)]
fn plus<const D: usize>(y: &[f64; D], mut increment: [f64; D]) -> [f64; D] {
    for i in 0..D {
        increment[i] += y[i];
    }
    increment
}

/// Whether all numbers are: 0 v is 0, or NaN where v is not finite, which no sum loses.
#[inline(always)]
fn all_finite<const D: usize, const N: usize>(rows: [&[f64; D]; N]) -> bool {
    let mut sum = [0.0; D];
    for row in rows {
        for i in 0..D {
            sum[i] += 0.0 * row[i];
        }
    }
    sum.iter().sum::<f64>() == 0.0
}

/// Largest component in units of the tolerance, and its index; NaN wins.
#[inline(always)]
fn error_size<const D: usize>(mut error: [f64; D], sizes: &[f64; D]) -> (f64, usize) {
    for i in 0..D {
        error[i] = error[i].abs() / sizes[i];
    }
    largest(error.into_iter())
}
