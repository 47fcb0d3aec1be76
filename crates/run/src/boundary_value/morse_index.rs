//! The second variation of the action on a path: minimum or saddle, and where the points conjugate to the start lie.
//!
//! On the directions Z that the constraints leave free at each node the matrix Z^T (d2L_d + Lambda f_xx) Z is block
//! tridiagonal over the elements. Eliminated from the start, S_e = B_e - C^T S_{e-1}^-1 C, the number of negative eigenvalues
//! of all S_e is its index (Sylvester). That is Jacobi's condition in the discrete: each negative one is a point conjugate
//! to the start, in the element where it appears (Morse). Where in it: the element is cut short until the sign changes.

#![allow(non_snake_case)]

use super::grid::{Grid, NODES};
use crate::Lagrangian;
use dalembert_linalg::dot;

/// Larger blocks are left alone.
const MAX_BLOCK: usize = 120;

/// Bisections of an element.
const BISECTIONS: usize = 36;

/// Index and conjugate points.
#[derive(Clone, Debug, PartialEq)]
pub struct MorseIndex {
    /// Negative directions of the second variation; 0 is a minimum.
    pub index: usize,
    /// Times of the points conjugate to the start, found by bisection within their elements.
    pub conjugate: Vec<f64>,
}

/// One free direction of one node.
struct Direction {
    node: usize,
    z: Vec<f64>,
}

pub(super) fn of(grid: &mut Grid, kernel: &dyn Lagrangian) -> Option<MorseIndex> {
    let (elements, last) = (grid.elements(), grid.nodes() - 1);
    if grid.n * (NODES - 1) > MAX_BLOCK {
        return None;
    }
    let mut found = MorseIndex { index: 0, conjugate: Vec::new() };
    // Directions of the left boundary node of the element, and what elimination has left of its block.
    let mut left: Vec<Direction> = Vec::new();
    let mut carried: Vec<f64> = Vec::new();
    for e in 0..elements {
        grid.evaluate(kernel, e, true);
        let mut all = std::mem::take(&mut left);
        let kept = all.len();
        for i in 1..NODES {
            let node = e * (NODES - 1) + i;
            if node < last {
                all.extend(grid.free_directions(i).into_iter().map(|z| Direction { node: i, z }));
            }
        }
        let size = all.len();
        let mut block = element_block(grid, &all, grid.step());
        for a in 0..kept {
            for b in 0..kept {
                block[a * size + b] += carried[a * kept + b];
            }
        }
        // All but the right boundary node are eliminated here.
        let boundary = all.iter().filter(|d| d.node == NODES - 1).count();
        let inner = size - boundary;
        let (negative, rest) = eliminate(&block, size, inner)?;
        found.index += negative;
        let begin: Vec<Vec<f64>> = all.iter().take(kept).map(|d| d.z.clone()).collect();
        for wanted in 1..=negative {
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..BISECTIONS {
                let middle = 0.5 * (low + high);
                match within(grid, kernel, e, middle, &begin, &carried) {
                    Some(count) if count < wanted => low = middle,
                    _ => high = middle,
                }
            }
            found.conjugate.push(grid.element_time(e) + 0.5 * (low + high) * grid.step());
        }
        carried = rest;
        left = all.into_iter().skip(inner).map(|d| Direction { node: 0, z: d.z }).collect();
    }
    Some(found)
}

/// Negative directions that appear in the first `fraction` of element e.
fn within(
    grid: &mut Grid,
    kernel: &dyn Lagrangian,
    e: usize,
    fraction: f64,
    begin: &[Vec<f64>],
    carried: &[f64],
) -> Option<usize> {
    grid.evaluate_part(kernel, e, fraction);
    let mut all: Vec<Direction> = begin.iter().map(|z| Direction { node: 0, z: z.clone() }).collect();
    let kept = all.len();
    for i in 1..NODES - 1 {
        all.extend(grid.free_directions(i).into_iter().map(|z| Direction { node: i, z }));
    }
    let size = all.len();
    let mut block = element_block(grid, &all, fraction * grid.step());
    for a in 0..kept {
        for b in 0..kept {
            block[a * size + b] += carried[a * kept + b];
        }
    }
    eliminate(&block, size, size).map(|(negative, _)| negative)
}

fn element_block(grid: &Grid, all: &[Direction], h: f64) -> Vec<f64> {
    let (n, size) = (grid.n, all.len());
    let mut dense = vec![0.0; NODES * NODES * n * n];
    for i in 0..NODES {
        for k in 0..NODES {
            let place = (i * NODES + k) * n * n;
            grid.element.each_block(i, k, h, |p, r, v| dense[place + p * n + r] = v);
        }
    }
    let mut block = vec![0.0; size * size];
    for (a, da) in all.iter().enumerate() {
        for (b, db) in all.iter().enumerate() {
            let place = (da.node * NODES + db.node) * n * n;
            let rows = dense[place..place + n * n].chunks(n);
            block[a * size + b] = da.z.iter().zip(rows).map(|(z, row)| z * dot(row, &db.z)).sum();
        }
    }
    block
}

/// Negative eigenvalues of the leading part, and the Schur complement of the rest. `None` if the part is singular.
///
/// By Sylvester the signs of the pivots of a symmetric elimination are those of the eigenvalues; pivots of one and two
/// rows (Bunch and Kaufman) keep it stable where the part is indefinite.
fn eliminate(block: &[f64], size: usize, inner: usize) -> Option<(usize, Vec<f64>)> {
    let mut S: Vec<f64> =
        (0..size * size).map(|p| 0.5 * (block[p] + block[p % size * size + p / size])).collect();
    let (mut k, mut negative) = (0, 0);
    while k < inner {
        let two = choose_pivot(&mut S, size, inner, k);
        let at = |i: usize, j: usize| S[(k + i) * size + k + j];
        let (d, det) = match two {
            false => (at(0, 0), at(0, 0)),
            true => (at(0, 0), at(0, 0) * at(1, 1) - at(1, 0) * at(1, 0)),
        };
        if det == 0.0 || !det.is_finite() {
            return None;
        }
        negative += match two {
            false => usize::from(d < 0.0),
            true if det < 0.0 => 1,
            true => 2 * usize::from(d < 0.0),
        };
        let width = if two { 2 } else { 1 };
        let (above, below) = S.split_at_mut((k + width) * size);
        let pivot = &above[k * size..];
        for row in below.chunks_mut(size) {
            let weights = match two {
                false => [row[k] / d, 0.0],
                true => {
                    let (a, b) = (row[k], row[k + 1]);
                    let (d11, d21, d22) = (pivot[k], pivot[size + k], pivot[size + k + 1]);
                    [(d22 * a - d21 * b) / det, (d11 * b - d21 * a) / det]
                }
            };
            for (p, weight) in weights.iter().take(width).enumerate() {
                let from = &pivot[p * size + k + width..(p + 1) * size];
                row[k + width..].iter_mut().zip(from).for_each(|(v, f)| *v -= weight * f);
            }
        }
        k += width;
    }
    let rest = (inner..size).flat_map(|a| S[a * size + inner..(a + 1) * size].to_vec()).collect();
    Some((negative, rest))
}

/// Brings the next pivot to place k, within the leading part; whether it has two rows.
fn choose_pivot(S: &mut [f64], size: usize, inner: usize, k: usize) -> bool {
    // Growth of the elements is least with this bound.
    let alpha = (1.0 + 17f64.sqrt()) / 8.0;
    let largest = |S: &[f64], column: usize| {
        let rows = (k..inner).filter(|i| *i != column);
        rows.map(|i| (S[i * size + column].abs(), i)).fold((0.0, k), |m, v| if v.0 > m.0 { v } else { m })
    };
    let own = S[k * size + k].abs();
    let (beside, r) = largest(S, k);
    // Also where it is not a number, which the caller sees.
    if !(own < alpha * beside) {
        return false;
    }
    let (sigma, _) = largest(S, r);
    if own * sigma >= alpha * beside * beside {
        return false;
    }
    let one = S[r * size + r].abs() >= alpha * sigma;
    let to = if one { k } else { k + 1 };
    if to != r {
        (0..size).for_each(|j| S.swap(to * size + j, r * size + j));
        (0..size).for_each(|i| S.swap(i * size + to, i * size + r));
    }
    !one
}

#[cfg(test)]
mod tests {
    use super::*;
    use dalembert_linalg::{Lcg, symmetric_eigen};

    /// Numbers between -1 and 1 that are always the same.
    fn numbers(seed: u64) -> impl FnMut() -> f64 {
        let mut lcg = Lcg::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        move || 2.0 * lcg.uniform() - 1.0
    }

    fn negative_eigenvalues(matrix: &[f64], n: usize) -> usize {
        let (mut a, mut vectors) = (matrix.to_vec(), vec![0.0; n * n]);
        symmetric_eigen(&mut a, n, &mut vectors);
        (0..n).filter(|k| a[k * n + k] < 0.0).count()
    }

    #[test]
    fn pivots_have_the_signs_of_the_eigenvalues_and_leave_the_schur_complement() {
        for seed in 0..200 {
            let mut next = numbers(seed + 1);
            let size = 1 + seed as usize % 17;
            let mut block = vec![0.0; size * size];
            for a in 0..size {
                for b in 0..=a {
                    // Zeros on the diagonal call for pivots of two rows.
                    let v = if a == b && seed % 3 == 0 { 0.0 } else { next() };
                    (block[a * size + b], block[b * size + a]) = (v, v);
                }
            }
            if size == 1 && block[0] == 0.0 {
                assert_eq!(eliminate(&block, 1, 1), None);
                continue;
            }
            let (all, rest) = eliminate(&block, size, size).expect("regular");
            assert!(rest.is_empty());
            assert_eq!(all, negative_eigenvalues(&block, size), "{size}: {block:?}");
            // Sylvester again: what the leading part and the complement have is what the whole has.
            let inner = 1 + size / 2;
            if let Some((part, rest)) = eliminate(&block, size, inner).filter(|_| inner < size) {
                assert_eq!(part + negative_eigenvalues(&rest, size - inner), all, "{size}, {inner}");
            }
        }
    }

    #[test]
    fn a_singular_part_is_said() {
        assert_eq!(eliminate(&[0.0], 1, 1), None);
        assert_eq!(eliminate(&[1.0, 1.0, 1.0, 1.0], 2, 2), None);
        assert_eq!(eliminate(&[f64::NAN], 1, 1), None);
    }
}
