//! LU of a band matrix with partial pivoting: time linear in the number of rows.

use crate::vector::{axpy, dot};

/// A factorisation P A = L U of a matrix whose entries are within `half` of the diagonal.
#[derive(Clone, Debug)]
pub struct Band {
    n: usize,
    half: usize,
    /// Row i from column i - half to i + 2 half: pivoting fills that far.
    a: Vec<f64>,
    swap: Vec<usize>,
}

impl Band {
    /// Zeros.
    pub fn new(n: usize, half: usize) -> Self {
        let half = half.min(n.saturating_sub(1));
        Self { n, half, a: vec![0.0; n * (3 * half + 1)], swap: vec![0; n] }
    }

    /// How many numbers it holds.
    pub fn room(n: usize, half: usize) -> usize {
        n.saturating_mul(3 * half.min(n.saturating_sub(1)) + 1)
    }

    fn at(&self, i: usize, j: usize) -> usize {
        i * (3 * self.half + 1) + j + self.half - i
    }

    /// All entries zero again.
    pub fn clear(&mut self) {
        self.a.fill(0.0);
    }

    /// Adds to an entry within the band.
    pub fn add(&mut self, i: usize, j: usize, value: f64) {
        let k = self.at(i, j);
        self.a[k] += value;
    }

    /// Factors in place. `Err(j)` if column j has no pivot.
    pub fn factor(&mut self) -> Result<(), usize> {
        let (n, half) = (self.n, self.half);
        for j in 0..n {
            let last = (j + half).min(n - 1);
            let size = |i: usize| self.a[self.at(i, j)].abs();
            let best = (j..=last).fold(j, |best, i| if size(i) > size(best) { i } else { best });
            if !(size(best) > 0.0 && size(best).is_finite()) {
                return Err(j);
            }
            self.swap[j] = best;
            let end = (j + 2 * half).min(n - 1);
            if best != j {
                for c in j..=end {
                    let (p, q) = (self.at(j, c), self.at(best, c));
                    self.a.swap(p, q);
                }
            }
            let (pivot, width) = (self.at(j, j), end - j + 1);
            for i in j + 1..=last {
                let head = self.at(i, j);
                let factor = self.a[head] / self.a[pivot];
                self.a[head] = factor;
                if factor != 0.0 {
                    let (upper, lower) = self.a.split_at_mut(head);
                    axpy(-factor, &upper[pivot + 1..pivot + width], &mut lower[1..width]);
                }
            }
        }
        Ok(())
    }

    /// v <- A^-1 v after a successful [`factor`](Band::factor).
    pub fn solve(&self, v: &mut [f64]) {
        let (n, half) = (self.n, self.half);
        for j in 0..n {
            v.swap(j, self.swap[j]);
            let vj = v[j];
            if vj != 0.0 {
                for i in j + 1..=(j + half).min(n - 1) {
                    v[i] -= self.a[self.at(i, j)] * vj;
                }
            }
        }
        for i in (0..n).rev() {
            let end = (i + 2 * half).min(n - 1);
            let (head, width) = (self.at(i, i), end - i + 1);
            let sum = dot(&self.a[head + 1..head + width], &v[i + 1..i + width]);
            v[i] = (v[i] - sum) / self.a[head];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_what_it_was_given_with_pivoting() {
        // Small diagonal, so that rows are exchanged; entries from a fixed formula.
        let (n, half) = (23, 4);
        let entry =
            |i: usize, j: usize| ((7 * i + 3 * j * j) % 11) as f64 - 5.0 + if i == j { 0.1 } else { 0.0 };
        let mut band = Band::new(n, half);
        let want: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let mut v = vec![0.0; n];
        for i in 0..n {
            for j in i.saturating_sub(half)..=(i + half).min(n - 1) {
                band.add(i, j, entry(i, j));
                v[i] += entry(i, j) * want[j];
            }
        }
        band.factor().unwrap();
        band.solve(&mut v);
        for (v, want) in v.iter().zip(&want) {
            assert!((v - want).abs() < 1e-11, "{v} {want}");
        }
        assert_eq!(Band::new(3, 1).factor(), Err(0));
    }
}
