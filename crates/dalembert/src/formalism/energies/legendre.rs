//! The Legendre transform in numbers, for laws without a closed inverse.
//!
//! ```text
//! v_i = dF/du_i,   G(v) = u . v - F(u)          Newton on dF/du = v, steps shortened until they help
//! ```
//!
//! A law is followed on the branch of its inverse that contains the guess. It is refused where dF/du is not invertible there:
//! where it is flat (v does not change along a direction of u), where it folds (the curvature changes sign, so that two u have
//! the same v), and where no u of the branch has the slopes v. A curvature that vanishes at a point without changing
//! sign, as of k u^4 at 0, is no obstacle. Source: Renton. Checked by `tests/it/legendre.rs` against closed forms.
// `!(a <= b)` is how NaN is refused together with what is too large.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

use crate::number::short;
use dalembert_expr::{Expr, Pool, Symbol};
use dalembert_linalg::Mat;
use dalembert_tape::Program;
use std::fmt;

const MAX_NEWTON: usize = 200;
const MIN_FRACTION: f64 = 1e-9;
/// Curvature below this part of the largest is none.
const FLAT: f64 = 1e-9;
/// How far to look to both sides of a point without curvature, relative to its size.
const ASIDE: f64 = 1e-3;

/// A function F(u) with its slopes and curvatures, everything else held.
///
/// ```
/// use dalembert::energies::Law;
/// use dalembert_expr::{Pool, Rational};
/// // A hardening spring, V = k x^4/4: e = k x^3, V*(e) = 3/4 k^(-1/3) e^(4/3).
/// let mut pool = Pool::new();
/// let (x, k) = (pool.symbol("x"), pool.symbol("k"));
/// let (u, stiffness) = (pool.var(x), pool.var(k));
/// let power = pool.powi(u, 4);
/// let product = pool.mul(stiffness, power);
/// let V = pool.scale(product, Rational::new(1, 4).unwrap());
/// let law = Law::new(&mut pool, V, &[x], &[(k, 8.0)]);
/// let dual = law.dual(&[1.0], &[1.0]).unwrap();
/// assert!((dual.u[0] - 0.5).abs() < 1e-14 && (dual.value - 0.375).abs() < 1e-14);
/// ```
#[derive(Clone)]
pub struct Law {
    program: Program,
    held: Vec<f64>,
    n: usize,
}

/// What the transform gives at v.
#[derive(Clone, Debug, PartialEq)]
pub struct Dual {
    /// u with dF/du = v.
    pub u: Vec<f64>,
    /// G(v) = u . v - F(u)
    pub value: f64,
}

/// Why there is no transform.
#[derive(Clone, Debug, PartialEq)]
pub enum NotInvertible {
    /// Along this direction of u the slopes do not change.
    Flat {
        /// Of unit length.
        direction: Vec<f64>,
    },
    /// Here the curvature changes sign along this direction: two u have the same slopes.
    Fold {
        /// Where.
        at: Vec<f64>,
        /// Of unit length.
        direction: Vec<f64>,
    },
    /// No u of the branch has the slopes; the search ended here.
    OutOfReach {
        /// Where.
        nearest: Vec<f64>,
        /// What is left of v.
        missing: f64,
    },
    /// F or its derivatives are no numbers at the guess.
    NotFinite,
}

impl NotInvertible {
    /// In words, with names for the u and for the slopes: "`x` does not ..."
    pub fn told(&self, slopes: &str, names: &[&str]) -> String {
        let along = |direction: &[f64]| {
            let part = |(c, name): (&f64, &&str)| match *c {
                c if c.abs() < 1e-6 => None,
                c if (c.abs() - 1.0).abs() < 1e-6 => Some(format!("`{name}`")),
                c => Some(format!("{c:.3}*`{name}`")),
            };
            direction.iter().zip(names).filter_map(part).collect::<Vec<_>>().join(" + ")
        };
        let place = |u: &[f64]| {
            names.iter().zip(u).map(|(n, u)| format!("{n} = {}", short(*u))).collect::<Vec<_>>().join(", ")
        };
        match self {
            NotInvertible::Flat { direction } => {
                format!(
                    "{slopes} does not change along {}, so that it does not determine it",
                    along(direction)
                )
            }
            NotInvertible::Fold { at, direction } => format!(
                "{slopes} folds along {} at {}: on both sides it has the same values",
                along(direction),
                place(at)
            ),
            NotInvertible::OutOfReach { nearest, missing } => format!(
                "{slopes} does not take this value on this branch: the search ended at {}, {missing:.3e} short of it",
                place(nearest)
            ),
            NotInvertible::NotFinite => format!("{slopes} is not a finite number here"),
        }
    }
}

impl fmt::Display for NotInvertible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = match self {
            NotInvertible::Flat { direction: u } | NotInvertible::Fold { at: u, .. } => u.len(),
            NotInvertible::OutOfReach { nearest: u, .. } => u.len(),
            NotInvertible::NotFinite => 0,
        };
        let names: Vec<String> = (1..=count).map(|i| format!("u{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        f.write_str(&self.told("dF/du", &names))
    }
}

impl std::error::Error for NotInvertible {}

/// How the slopes depend on u at a point.
enum Local {
    /// All curvatures differ from zero; so many are negative.
    Regular(usize),
    /// Some vanish here but keep their sign around.
    Monotone,
}

impl Law {
    /// F over `variables`, with values for all its other symbols.
    pub fn new(pool: &mut Pool, F: Expr, variables: &[Symbol], held: &[(Symbol, f64)]) -> Self {
        let slopes = pool.gradient(F, variables);
        let curvatures: Vec<Expr> = slopes.iter().flat_map(|e| pool.gradient(*e, variables)).collect();
        let inputs: Vec<Symbol> = variables.iter().copied().chain(held.iter().map(|h| h.0)).collect();
        let outputs: Vec<Expr> = [F].into_iter().chain(slopes).chain(curvatures).collect();
        let program = pool.lower(&inputs, &outputs);
        Law { program, held: held.iter().map(|h| h.1).collect(), n: variables.len() }
    }

    /// F, dF/du and d2F/du2, row-major.
    fn all(&self, u: &[f64]) -> (f64, Vec<f64>, Vec<f64>) {
        let inputs: Vec<f64> = u.iter().chain(&self.held).copied().collect();
        let mut out = vec![0.0; self.program.output_count()];
        self.program.run(&inputs, &mut vec![0.0; self.program.register_count()], &mut out);
        (out[0], out[1..1 + self.n].to_vec(), out[1 + self.n..].to_vec())
    }

    /// F(u)
    pub fn value(&self, u: &[f64]) -> f64 {
        self.all(u).0
    }

    /// v = dF/du
    pub fn slopes(&self, u: &[f64]) -> Vec<f64> {
        self.all(u).1
    }

    /// The transform at v, on the branch that contains the guess.
    pub fn dual(&self, v: &[f64], guess: &[f64]) -> Result<Dual, NotInvertible> {
        let here = self.local(guess)?;
        let u = self.solve(v, guess, &here)?;
        if let (Local::Regular(first), Local::Regular(last)) = (&here, self.local(&u)?)
            && *first != last
        {
            return Err(self.fold_between(guess, &u));
        }
        let value = u.iter().zip(v).map(|(u, v)| u * v).sum::<f64>() - self.value(&u);
        Ok(Dual { u, value })
    }

    /// Whether dF/du is invertible at a point.
    fn local(&self, u: &[f64]) -> Result<Local, NotInvertible> {
        let (F, slopes, curvatures) = self.all(u);
        if ![F].iter().chain(&slopes).chain(&curvatures).all(|v| v.is_finite()) {
            return Err(NotInvertible::NotFinite);
        }
        let (values, vectors) = symmetric_eigen(&curvatures, self.n);
        let step = ASIDE * (1.0 + u.iter().fold(0.0f64, |m, u| m.max(u.abs())));
        let largest = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let mut local = Local::Regular(values.iter().filter(|v| **v < 0.0).count());
        for (value, direction) in values.iter().zip(&vectors) {
            let aside = |side: f64| {
                let moved: Vec<f64> = u.iter().zip(direction).map(|(u, d)| u + side * step * d).collect();
                let H = self.all(&moved).2;
                quadratic(&H, direction)
            };
            // Curvature that is lost within a step is none either: u^4 has some everywhere but at 0.
            let (before, after) = (aside(-1.0), aside(1.0));
            let around = before.abs().max(after.abs());
            if value.abs() > FLAT * largest && value.abs() > 1e-6 * around {
                continue;
            }
            let direction = direction.clone();
            if !(around > FLAT * largest && around > 0.0) {
                return Err(NotInvertible::Flat { direction });
            }
            if before * after <= 0.0 {
                return Err(NotInvertible::Fold { at: u.to_vec(), direction });
            }
            local = Local::Monotone;
        }
        Ok(local)
    }

    /// u with dF/du = v, from the guess, or from beside it where it has no curvature.
    fn solve(&self, v: &[f64], guess: &[f64], here: &Local) -> Result<Vec<f64>, NotInvertible> {
        let size = 0.1 * (1.0 + guess.iter().fold(0.0f64, |m, u| m.max(u.abs())));
        let shifted = |by: f64| -> Vec<f64> {
            guess.iter().enumerate().map(|(i, u)| u + by * size / (1.0 + i as f64)).collect()
        };
        let sides: &[f64] =
            if matches!(here, Local::Regular(_)) { &[0.0] } else { &[0.0, 1.0, -1.0, 10.0, -10.0] };
        let mut best = (f64::INFINITY, guess.to_vec());
        for side in sides {
            match self.newton(v, shifted(*side)) {
                Ok(u) => return Ok(u),
                Err(short) if short.0 < best.0 => best = short,
                Err(_) => {}
            }
        }
        Err(NotInvertible::OutOfReach { nearest: best.1, missing: best.0 })
    }

    /// Newton's method with shortened steps; on failure what is missing, and where.
    fn newton(&self, v: &[f64], mut u: Vec<f64>) -> Result<Vec<f64>, (f64, Vec<f64>)> {
        let miss = |slopes: &[f64]| -> f64 {
            slopes
                .iter()
                .zip(v)
                .fold(0.0f64, |m, (s, v)| if (s - v).is_nan() { f64::INFINITY } else { m.max((s - v).abs()) })
        };
        let (_, mut slopes, mut H) = self.all(&u);
        let mut off = miss(&slopes);
        let asked = v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let size = slopes.iter().fold(asked, |m, s| m.max(s.abs()));
        for _ in 0..MAX_NEWTON {
            // Relative to v itself: slopes at the guess may be larger by far. Towards v = 0 until nothing changes.
            if off <= 4.0 * f64::EPSILON * asked {
                return Ok(u);
            }
            let missing: Vec<f64> = v.iter().zip(&slopes).map(|(v, s)| v - s).collect();
            let Some(step) = solve_symmetric(&H, &missing) else { return Err((off, u)) };
            let mut fraction = 1.0;
            loop {
                let trial: Vec<f64> = u.iter().zip(&step).map(|(u, s)| u + fraction * s).collect();
                let (_, there, curvatures) = self.all(&trial);
                let now = miss(&there);
                if now < off {
                    (u, slopes, H, off) = (trial, there, curvatures, now);
                    break;
                }
                fraction /= 2.0;
                if fraction < MIN_FRACTION {
                    // No further: rounding, or nothing has these slopes.
                    return if off <= 1e-12 * size { Ok(u) } else { Err((off, u)) };
                }
            }
        }
        if off <= 1e-12 * size { Ok(u) } else { Err((off, u)) }
    }

    /// Where the signs of curvature change on the way, by halving.
    fn fold_between(&self, a: &[f64], b: &[f64]) -> NotInvertible {
        let at = |s: f64| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a + s * (b - a)).collect() };
        let negative = |s: f64| {
            let values = symmetric_eigen(&self.all(&at(s)).2, self.n).0;
            values.iter().filter(|v| **v < 0.0).count()
        };
        let (mut low, mut high) = (0.0, 1.0);
        let first = negative(0.0);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if negative(middle) == first { low = middle } else { high = middle }
        }
        let (values, vectors) = symmetric_eigen(&self.all(&at(low)).2, self.n);
        let weakest = (0..self.n).min_by(|&i, &j| values[i].abs().total_cmp(&values[j].abs()));
        let direction = weakest.map_or_else(Vec::new, |k| vectors[k].clone());
        NotInvertible::Fold { at: at(low), direction }
    }
}

fn quadratic(H: &[f64], d: &[f64]) -> f64 {
    H.chunks(d.len().max(1))
        .zip(d)
        .map(|(row, d_i)| d_i * row.iter().zip(d).map(|(h, d)| h * d).sum::<f64>())
        .sum()
}

/// `H s = r` through the eigenvalues of H; `None` where one vanishes.
fn solve_symmetric(H: &[f64], r: &[f64]) -> Option<Vec<f64>> {
    let n = r.len();
    let (values, vectors) = symmetric_eigen(H, n);
    let largest = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let mut s = vec![0.0; n];
    for (value, vector) in values.iter().zip(&vectors) {
        if !(value.abs() > 1e-14 * largest) {
            return None;
        }
        let along = vector.iter().zip(r).map(|(a, b)| a * b).sum::<f64>() / value;
        s.iter_mut().zip(vector).for_each(|(s, v)| *s += along * v);
    }
    Some(s)
}

/// Eigenvalues and unit eigenvectors of a symmetric matrix by Jacobi's rotations.
fn symmetric_eigen(S: &[f64], n: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
    let mut S = Mat::new(S.to_vec(), n);
    let mut vectors: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect();
    for _ in 0..60 {
        let off: f64 = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| S[[i, j]].abs()).sum();
        let size: f64 = (0..n).map(|i| S[[i, i]].abs()).sum();
        if !(off > 1e-17 * size) || !off.is_finite() {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                if S[[p, q]] == 0.0 {
                    continue;
                }
                let theta = (S[[q, q]] - S[[p, p]]) / (2.0 * S[[p, q]]);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for k in 0..n {
                    let (a, b) = (S[[k, p]], S[[k, q]]);
                    (S[[k, p]], S[[k, q]]) = (c * a - s * b, s * a + c * b);
                }
                for k in 0..n {
                    let (a, b) = (S[[p, k]], S[[q, k]]);
                    (S[[p, k]], S[[q, k]]) = (c * a - s * b, s * a + c * b);
                    let (a, b) = (vectors[p][k], vectors[q][k]);
                    (vectors[p][k], vectors[q][k]) = (c * a - s * b, s * a + c * b);
                }
            }
        }
    }
    ((0..n).map(|i| S[[i, i]]).collect(), vectors)
}
