//! The second variation of the action on a path: minimum or saddle, and where the points conjugate to the start lie.
//!
//! On the directions Z that the constraints leave free at each node the matrix Z^T (d2L_d + Lambda f_xx) Z is block
//! tridiagonal over the elements. Eliminated from the start, S_e = B_e - C^T S_{e-1}^-1 C, the number of negative eigenvalues
//! of all S_e is its index (Sylvester). That is Jacobi's condition in the discrete: each negative one is a point conjugate
//! to the start, in the element where it appears (Morse). Where in it: the element is cut short until the sign changes.

use super::grid::{Grid, NODES};
use crate::Kernel;
use crate::linalg::{dot, symmetric_eigen};

/// Larger blocks are left alone.
const MAX_BLOCK: usize = 120;

/// Bisections of an element.
const BISECTIONS: usize = 36;

/// Index and conjugate points.
#[derive(Clone, Debug, PartialEq)]
pub struct Second {
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

pub(super) fn of(grid: &mut Grid, kernel: &dyn Kernel) -> Option<Second> {
    let (elements, last) = (grid.elements(), grid.nodes() - 1);
    if grid.n * (NODES - 1) > MAX_BLOCK {
        return None;
    }
    let mut found = Second { index: 0, conjugate: Vec::new() };
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
    kernel: &dyn Kernel,
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
fn eliminate(block: &[f64], size: usize, inner: usize) -> Option<(usize, Vec<f64>)> {
    let boundary = size - inner;
    let mut part = vec![0.0; inner * inner];
    for a in 0..inner {
        for b in 0..inner {
            part[a * inner + b] = 0.5 * (block[a * size + b] + block[b * size + a]);
        }
    }
    let mut vectors = vec![0.0; inner * inner];
    symmetric_eigen(&mut part, inner, &mut vectors);
    let values: Vec<f64> = (0..inner).map(|a| part[a * inner + a]).collect();
    if values.iter().any(|v| *v == 0.0 || !v.is_finite()) {
        return None;
    }
    let mut rest = vec![0.0; boundary * boundary];
    for a in 0..boundary {
        for b in 0..boundary {
            rest[a * boundary + b] = block[(inner + a) * size + inner + b];
        }
    }
    for k in 0..inner {
        let along =
            |a: usize| (0..inner).map(|i| vectors[i * inner + k] * block[(inner + a) * size + i]).sum();
        let c: Vec<f64> = (0..boundary).map(along).collect();
        for a in 0..boundary {
            for b in 0..boundary {
                rest[a * boundary + b] -= c[a] * c[b] / values[k];
            }
        }
    }
    Some((values.iter().filter(|v| **v < 0.0).count(), rest))
}
