//! In which order the saddle system of a sparse M and A is eliminated, and what that fills. Patterns only, no numbers.
//!
//! ```text
//! K = [ M  A^T ]      unknowns: n speeds, then m rows
//!     [ A   0  ]
//! ```
//!
//! With M positive definite, K = L D L^T exists in any order in which each row of A comes after all speeds in it: then
//! pivots of speeds are positive, pivots of rows are negative, and a row's pivot vanishes exactly if the row depends on
//! those before it. (A row before one of its speeds may have a small pivot though it is independent.) Two orders are
//! tried and the one with less work is taken:
//!
//! - speeds first, then the rows of A M^-1 A^T, where M falls apart into small blocks (bodies in redundant coordinates);
//! - speeds as M + A^T A wants them, each row right after the last of its speeds (M coupled along the system).
//!
//! Both by approximate minimum degree [Amestoy, Davis, Duff 1996]. A row with very many speeds is left out of A^T A.
//! Time and memory O(entries of L).

use super::{MAX_FILL, Pattern};
use dalembert_linalg::{Neighbours, Symbolic, minimum_degree};

/// Blocks of M up to this size are eliminated first.
const SMALL_BLOCK: usize = 12;

/// M and A, analysed.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) mass: Pattern,
    pub(crate) rows: Pattern,
    /// K.
    pub(crate) saddle: Symbolic,
    /// M by itself.
    pub(crate) inertia: Symbolic,
}

impl Plan {
    /// Analyses M and A; `None` if that fills too much or M has a gap on its diagonal.
    pub fn new(mass: &Pattern, rows: &Pattern) -> Option<Self> {
        let n = mass.n_rows();
        if (0..n).any(|i| mass.place(i, i).is_none()) {
            return None;
        }
        let graph = neighbours(mass, rows);
        let blocks = Blocks::of(mass);
        let orders = [blocks.rows_last(rows), interleaved(mass, rows)];
        let analysed =
            orders.into_iter().flatten().filter_map(|order| Symbolic::new(&graph, order, MAX_FILL));
        let saddle = analysed.min_by_key(Symbolic::work)?;
        let own: Neighbours = graph[..n].to_vec();
        let order = match blocks.small() {
            true => blocks.order.clone(),
            false => minimum_degree(own.iter().map(|list| list.iter().map(|e| e.0).collect()).collect())?,
        };
        let inertia = Symbolic::new(&own, order, MAX_FILL)?;
        Some(Self { mass: mass.clone(), rows: rows.clone(), saddle, inertia })
    }

    /// Speeds.
    pub fn n(&self) -> usize {
        self.mass.n_rows()
    }

    /// Rows.
    pub fn m(&self) -> usize {
        self.rows.n_rows()
    }
}

/// K as a graph; the numbers of M come before those of A.
fn neighbours(mass: &Pattern, rows: &Pattern) -> Neighbours {
    let (n, m) = (mass.n_rows(), rows.n_rows());
    let mut graph = vec![Vec::new(); n + m];
    for i in 0..n {
        let own = mass.row(i).iter().zip(mass.range(i)).filter(|(j, _)| **j as usize <= i);
        graph[i].extend(own.map(|(j, k)| (*j, k as u32)));
    }
    for r in 0..m {
        let own = rows.row(r).iter().zip(rows.range(r));
        graph[n + r].extend(own.map(|(j, k)| (*j, (mass.len() + k) as u32)));
    }
    graph
}

/// The speeds that M couples with each other.
struct Blocks {
    /// Speeds, block by block.
    order: Vec<u32>,
    /// Where blocks begin in it.
    start: Vec<usize>,
    largest: usize,
}

impl Blocks {
    fn of(mass: &Pattern) -> Self {
        let n = mass.n_rows();
        let (mut order, mut start, mut largest) = (Vec::with_capacity(n), vec![0], 0);
        let mut seen = vec![false; n];
        for first in 0..n {
            if std::mem::replace(&mut seen[first], true) {
                continue;
            }
            let begin = order.len();
            order.push(first as u32);
            let mut next = begin;
            while next < order.len() {
                for &j in mass.row(order[next] as usize) {
                    if !std::mem::replace(&mut seen[j as usize], true) {
                        order.push(j);
                    }
                }
                next += 1;
            }
            largest = largest.max(order.len() - begin);
            start.push(order.len());
        }
        Self { order, start, largest }
    }

    fn small(&self) -> bool {
        self.largest <= SMALL_BLOCK
    }

    /// Speeds first, rows as A M^-1 A^T wants them.
    fn rows_last(&self, rows: &Pattern) -> Option<Vec<u32>> {
        let (n, m) = (self.order.len(), rows.n_rows());
        if !self.small() {
            return None;
        }
        let touching = rows.by_columns();
        let blocks = self.start.windows(2).map(|w| {
            let mut meet: Vec<u32> = self.order[w[0]..w[1]]
                .iter()
                .flat_map(|&i| touching[i as usize].iter().map(|(r, _)| *r))
                .collect();
            meet.sort_unstable();
            meet.dedup();
            meet
        });
        let order = minimum_degree(cliques(m, blocks, MAX_FILL)?)?;
        Some(self.order.iter().copied().chain(order.into_iter().map(|r| r + n as u32)).collect())
    }
}

/// Speeds as M + A^T A wants them, each row right after the last of its speeds.
fn interleaved(mass: &Pattern, rows: &Pattern) -> Option<Vec<u32>> {
    let (n, m) = (mass.n_rows(), rows.n_rows());
    let many = 16 + 10 * (n as f64).sqrt() as usize;
    let short = (0..m).map(|r| rows.row(r)).filter(|row| row.len() <= many).map(<[u32]>::to_vec);
    let mut graph = cliques(n, short, MAX_FILL)?;
    for (i, list) in graph.iter_mut().enumerate() {
        list.extend(mass.row(i));
    }
    let order = minimum_degree(graph)?;
    let mut place = vec![0; n];
    order.iter().enumerate().for_each(|(k, &i)| place[i as usize] = k);
    let last = |r: usize| rows.row(r).iter().map(|&j| place[j as usize]).max().unwrap_or(n);
    let mut by_last: Vec<(usize, u32)> = (0..m).map(|r| (last(r), r as u32)).collect();
    by_last.sort_unstable();
    let (mut whole, mut next) = (Vec::with_capacity(n + m), by_last.into_iter().peekable());
    for (k, i) in order.into_iter().enumerate() {
        whole.push(i);
        while let Some((_, r)) = next.next_if(|(last, _)| *last == k) {
            whole.push(n as u32 + r);
        }
    }
    whole.extend(next.map(|(_, r)| n as u32 + r));
    Some(whole)
}

/// The graph in which the members of each group are all neighbours; `None` beyond `limit` entries.
fn cliques(n: usize, groups: impl Iterator<Item = Vec<u32>>, limit: usize) -> Option<Vec<Vec<u32>>> {
    let (mut graph, mut entries) = (vec![Vec::new(); n], 0usize);
    for group in groups {
        entries = entries.saturating_add(group.len() * group.len());
        if entries > limit {
            return None;
        }
        for &i in &group {
            graph[i as usize].extend_from_slice(&group);
        }
    }
    Some(graph)
}
