//! Irreducible diagonal blocks of a matrix by its exact zeros: the strongly connected components of its graph.

/// The blocks as lists of indices, each sorted; in the order of their smallest index.
pub(super) fn irreducible(S: &[f64], n: usize) -> Vec<Vec<usize>> {
    let order = finished(n, |i, j| S[i * n + j] != 0.0);
    // Backwards along the edges, in descending order of finishing: each tree is a component.
    let mut block_of = vec![usize::MAX; n];
    let mut count = 0;
    for &root in order.iter().rev() {
        if block_of[root] != usize::MAX {
            continue;
        }
        let mut open = vec![root];
        block_of[root] = count;
        while let Some(i) = open.pop() {
            for j in 0..n {
                if S[j * n + i] != 0.0 && block_of[j] == usize::MAX {
                    block_of[j] = count;
                    open.push(j);
                }
            }
        }
        count += 1;
    }
    let mut blocks = vec![Vec::new(); count];
    (0..n).for_each(|i| blocks[block_of[i]].push(i));
    blocks.sort_by_key(|block| block[0]);
    blocks
}

/// Vertices in the order in which a depth-first search leaves them.
fn finished(n: usize, edge: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut seen = vec![false; n];
    let mut order = Vec::with_capacity(n);
    for root in 0..n {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((i, next)) = path.last_mut() {
            let i = *i;
            match (*next..n).find(|&j| edge(i, j) && !seen[j]) {
                Some(j) => {
                    *next = j + 1;
                    seen[j] = true;
                    path.push((j, 0));
                }
                None => {
                    order.push(i);
                    path.pop();
                }
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_permuted_triangle() {
        // 0 <-> 2 together; 1 alone; 3 alone, fed by the others.
        let mut S = [0.0; 16];
        S[2] = 1.0;
        S[8] = -1.0;
        S[3 * 4] = 5.0;
        S[3 * 4 + 1] = 5.0;
        assert_eq!(irreducible(&S, 4), [vec![0, 2], vec![1], vec![3]]);
        assert!(irreducible(&[], 0).is_empty());
    }
}
