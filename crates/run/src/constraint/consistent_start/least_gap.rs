//! The configuration at which position rows that cannot be satisfied are satisfied best.
//!
//! ```text
//! least  sum_i phi_i(x)^2  over the free entries of x, with the invariants held
//! ```
//!
//! by Levenberg and Marquardt's method (Marquardt 1963) from the guess and from places around it, because the guess may be
//! a point of symmetry where the sum is largest. Checked by `tests/it/bodies/messages.rs` of crate `dalembert`.

use super::search::{Equations, shift};
use super::{Positions, check};
use crate::{Dynamics, StartGuess};
use dalembert_linalg::{Cod, RANK_TOL, dot};

/// Configuration variables up to which it is looked for: the cost grows as their cube.
const MAX_SIZE: usize = 400;
/// Places around the guess.
const SHIFTS: u32 = 12;
const STEPS: usize = 200;
/// What a change of an invariant weighs beside a row.
const HELD: f64 = 1e4;

/// The configuration nearest to satisfying the position rows in the sense of least squares, found from a guess; `None`
/// where the system is large, or the guess or the rows there are no numbers.
pub fn least_gap(kernel: &dyn Dynamics, guess: &StartGuess) -> Option<Vec<f64>> {
    let (free, _) = check(kernel, guess).ok()?;
    let x = &guess.state.x;
    if x.len() > MAX_SIZE {
        return None;
    }
    let positions = Positions { terms: None, ..Positions::new(kernel, guess.state.t, x) };
    let mut squares = Squares { positions, free: &free };
    let (mut best, mut least, mut tried) = (None, f64::INFINITY, x.clone());
    for attempt in 0..=SHIFTS {
        let found = squares.descend(&mut tried);
        if found < (1.0 - 1e-9) * least {
            (best, least) = (Some(tried.clone()), found);
        }
        shift(x, &free, attempt, &mut tried);
    }
    best
}

/// The sum of squares of rows, those of invariants by their weight.
struct Squares<'k> {
    positions: Positions<'k>,
    free: &'k [bool],
}

impl Squares<'_> {
    fn residual(&mut self, x: &[f64]) -> Vec<f64> {
        let mut r = vec![0.0; self.positions.count()];
        self.positions.residual(x, &mut r);
        let rows = r.len() - self.positions.held.len();
        r[rows..].iter_mut().for_each(|r| *r *= HELD);
        r
    }

    /// Slopes of the rows above the damping of each entry.
    fn damped_slopes(&mut self, x: &[f64], damping: f64) -> Vec<f64> {
        let (m, n) = (self.positions.count(), x.len());
        let rows = m - self.positions.held.len();
        let mut J = vec![0.0; (m + n) * n];
        self.positions.jacobian(x, &mut J[..m * n]);
        J[rows * n..m * n].iter_mut().for_each(|a| *a *= HELD);
        for j in (0..n).filter(|j| !self.free[*j]) {
            (0..m).for_each(|i| J[i * n + j] = 0.0);
        }
        (0..n).for_each(|j| J[(m + j) * n + j] = damping.sqrt());
        J
    }

    /// Moves x downhill to a least sum near it; that sum.
    fn descend(&mut self, x: &mut [f64]) -> f64 {
        let (m, n) = (self.positions.count(), x.len());
        let (mut cod, mut step) = (Cod::new(m + n, n), vec![0.0; n]);
        let mut r = self.residual(x);
        let (mut sum, mut damping) = (dot(&r, &r), 1e-3);
        for _ in 0..STEPS {
            cod.factor(&self.damped_slopes(x, damping), RANK_TOL);
            let right: Vec<f64> = r.iter().copied().chain(std::iter::repeat_n(0.0, n)).collect();
            cod.solve(&right, &mut step);
            let tried: Vec<f64> = x.iter().zip(&step).map(|(x, s)| x - s).collect();
            let there = self.residual(&tried);
            let next = dot(&there, &there);
            if next < sum {
                let settled = sum - next <= 1e-14 * sum;
                x.copy_from_slice(&tried);
                (r, sum, damping) = (there, next, (0.2 * damping).max(1e-12));
                if settled {
                    break;
                }
            } else if damping > 1e12 {
                break;
            } else {
                damping *= 5.0;
            }
        }
        sum
    }
}
