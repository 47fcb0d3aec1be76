//! Right and left vectors by inverse iteration on the Hessenberg form of the balanced matrix.

use super::{Eigen, balance, hessenberg};
use crate::Complex;
use hessenberg::ShiftedLu;

/// Inverse iterations from a start without structure. One is nearly always enough; at coinciding vectors more can do harm, so
/// the best is kept.
const ITERATIONS: usize = 3;

pub(super) fn with_vectors(S: &[f64], n: usize, values: Vec<Complex>) -> Eigen {
    let mut H = S.to_vec();
    let D = balance::balance(&mut H, n);
    let size = (0..n).map(|i| H[i * n..(i + 1) * n].iter().map(|v| v.abs()).sum::<f64>()).fold(0.0, f64::max);
    let balanced = H.clone();
    let mut U: Vec<f64> = (0..n * n).map(|k| if k / n == k % n { 1.0 } else { 0.0 }).collect();
    hessenberg::reduce(&mut H, n, Some(&mut U));
    let tiny = (f64::EPSILON * size).max(f64::MIN_POSITIVE);
    let mut e = Eigen { values, size, ..Eigen::default() };
    for k in 0..n {
        let value = e.values[k];
        if value.im < 0.0 && k > 0 && e.values[k - 1] == value.conj() {
            let conjugate = e.vectors[k - 1].iter().map(|c| c.conj()).collect();
            e.vectors.push(conjugate);
            e.condition.push(e.condition[k - 1]);
            e.residual.push(e.residual[k - 1]);
            continue;
        }
        let lu = ShiftedLu::new(&H, n, value, tiny);
        let right = iterate(n, k, |v| lu.solve(v));
        let left = iterate(n, k, |v| lu.solve_adjoint(v));
        let product = right.iter().zip(&left).fold(Complex::default(), |s, (r, l)| s + l.conj() * *r);
        e.condition.push(1.0 / product.abs().max(f64::MIN_POSITIVE));
        let v = turned(&U, n, &right);
        e.residual.push(residual(&balanced, n, value, &v, size));
        e.vectors.push(normalised(v.iter().zip(&D).map(|(v, d)| *v * Complex::new(*d, 0.0)).collect()));
    }
    e
}

/// The unit vector that `solve` magnified most: its residual is the inverse of that.
fn iterate(n: usize, k: usize, solve: impl Fn(&mut [Complex])) -> Vec<Complex> {
    let entry = |i: usize| 0.5 + ((i * (k + 1) + k + 1) as f64 * 0.618_033_988_75).fract();
    let mut v: Vec<Complex> = (0..n).map(|i| Complex::new(entry(i), 0.0)).collect();
    let (mut best, mut most) = (v.clone(), 0.0);
    unit(&mut v);
    for _ in 0..ITERATIONS {
        solve(&mut v);
        let growth = unit(&mut v);
        if !(growth > most && growth.is_finite()) {
            break;
        }
        (best, most) = (v.clone(), growth);
    }
    best
}

/// Brings a vector to unit length; returns the length it had.
fn unit(v: &mut [Complex]) -> f64 {
    let largest = v.iter().map(|c| c.abs()).fold(0.0, f64::max);
    if !(largest > 0.0 && largest.is_finite()) {
        return 0.0;
    }
    v.iter_mut().for_each(|c| *c = Complex::new(c.re / largest, c.im / largest));
    let length = v.iter().map(|c| c.re * c.re + c.im * c.im).sum::<f64>().sqrt();
    v.iter_mut().for_each(|c| *c = Complex::new(c.re / length, c.im / length));
    largest * length
}

/// U v.
fn turned(U: &[f64], n: usize, v: &[Complex]) -> Vec<Complex> {
    let row = |i: usize| {
        let mut sum = Complex::default();
        for j in 0..n {
            let u = U[i * n + j];
            sum = sum + Complex::new(u * v[j].re, u * v[j].im);
        }
        sum
    };
    (0..n).map(row).collect()
}

fn residual(S: &[f64], n: usize, value: Complex, v: &[Complex], size: f64) -> f64 {
    let image = turned(S, n, v);
    let gap = image.iter().zip(v).map(|(w, v)| (*w - value * *v).abs()).fold(0.0, f64::max);
    let length = v.iter().map(|c| c.abs()).fold(0.0, f64::max);
    if gap == 0.0 { 0.0 } else { gap / (size * length) }
}

/// Divided by its largest entry.
fn normalised(v: Vec<Complex>) -> Vec<Complex> {
    let largest =
        v.iter().fold(Complex::default(), |m, c| if c.abs() > m.abs() * (1.0 + 1e-9) { *c } else { m });
    if largest.abs() == 0.0 || !largest.abs().is_finite() {
        return v;
    }
    v.into_iter().map(|c| c / largest).collect()
}
