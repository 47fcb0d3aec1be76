//! L D L^T of sparse symmetric matrices: analysed once for a pattern, then factored often without allocation.
//!
//! Up-looking: row k of L solves a triangular system with the rows before it, whose nonzero places are known from the
//! elimination tree [Liu 1990; Davis 2006, sec. 4]. Time of a factorisation: the sum of the squared column counts; of a
//! solve: the entries of L. D may have either sign. What a pivot is worth is left to the caller, who may also drop a
//! row (a reciprocal pivot of zero): then its unknown is zero and its equation is not asked for.
//!
//! An order of elimination is taken up to a postorder of its tree. Pivots and entries of L are the same, and what a row
//! needs was made just before it, so that a system of any length is factored within the caches.
//!
//! Judged by the dense factorisations in `tests/it/sparse.rs`.

use crate::vector::dot;

/// What is known of L without numbers, for one order of elimination.
#[derive(Clone, Debug, Default)]
pub struct Symbolic {
    rows: Vec<EliminatedRow>,
    /// Entries of the permuted matrix left of the diagonal, by rows: column, and place of the number.
    entries: Vec<(u32, u32)>,
    /// L by rows: the columns, ascending.
    lower: Vec<u32>,
    /// L by columns.
    column_start: Vec<u32>,
    column_row: Vec<u32>,
    work: usize,
}

/// What is eliminated at one place.
#[derive(Clone, Copy, Debug)]
struct EliminatedRow {
    unknown: u32,
    /// Place of the number on the diagonal; `u32::MAX` for a structural zero.
    diagonal: u32,
    /// Where its entries and its part of `lower` end.
    entries: u32,
    lower: u32,
}

/// A symmetric matrix to analyse: for each unknown its neighbours with the place of the number, itself included where
/// the diagonal has an entry. Each entry off the diagonal may be given on one side or on both.
pub type Neighbours = Vec<Vec<(u32, u32)>>;

impl Symbolic {
    /// Analyses a matrix for an order; `None` if L would have more than `max_fill` entries. O(entries of L).
    pub fn new(matrix: &Neighbours, order: Vec<u32>, max_fill: usize) -> Option<Self> {
        let (rows, _) = permuted(matrix, &order);
        let order: Vec<u32> = postorder(&tree(&rows)).into_iter().map(|k| order[k as usize]).collect();
        let (rows, diagonal) = permuted(matrix, &order);
        let (lower_end, lower, counts) = reach(&rows, max_fill)?;
        let mut symbolic = Self { lower, ..Self::default() };
        for (k, row) in rows.into_iter().enumerate() {
            symbolic.entries.extend(row);
            symbolic.rows.push(EliminatedRow {
                unknown: order[k],
                diagonal: diagonal[k],
                entries: symbolic.entries.len() as u32,
                lower: lower_end[k],
            });
        }
        symbolic.lay_out(&counts);
        Some(symbolic)
    }

    /// Places of the entries of L by columns.
    fn lay_out(&mut self, counts: &[usize]) {
        self.column_start.push(0);
        for &count in counts {
            self.column_start.push(self.column_start[self.column_start.len() - 1] + count as u32);
            self.work += count * (count + 1) / 2;
        }
        let mut next = self.column_start.clone();
        self.column_row = vec![0; self.lower.len()];
        let mut begin = 0;
        for (k, row) in self.rows.iter().enumerate() {
            for &j in &self.lower[begin..row.lower as usize] {
                self.column_row[next[j as usize] as usize] = k as u32;
                next[j as usize] += 1;
            }
            begin = row.lower as usize;
        }
    }

    /// Unknowns.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Entries of L below the diagonal.
    pub fn fill(&self) -> usize {
        self.column_row.len()
    }

    /// Multiplications of a factorisation.
    pub fn work(&self) -> usize {
        self.work
    }
}

/// Part k of a list that is laid out by starts.
fn span(start: &[u32], k: usize) -> std::ops::Range<usize> {
    start[k] as usize..start[k + 1] as usize
}

/// The matrix in an order of elimination: entries left of the diagonal by rows, and the places on the diagonal.
fn permuted(matrix: &Neighbours, order: &[u32]) -> (Neighbours, Vec<u32>) {
    let n = order.len();
    let mut place = vec![0u32; n];
    order.iter().enumerate().for_each(|(k, &i)| place[i as usize] = k as u32);
    let mut rows: Neighbours = vec![Vec::new(); n];
    let mut diagonal = vec![u32::MAX; n];
    for (i, list) in matrix.iter().enumerate() {
        for &(j, number) in list {
            let (a, b) = (place[i], place[j as usize]);
            if a == b {
                diagonal[a as usize] = number;
            } else {
                rows[a.max(b) as usize].push((a.min(b), number));
            }
        }
    }
    for row in &mut rows {
        row.sort_unstable();
        row.dedup_by_key(|(column, _)| *column);
    }
    (rows, diagonal)
}

/// No parent, or not met yet.
const NONE: u32 = u32::MAX;

/// The elimination tree: the parent of a column is the first row below in which L has an entry. With shortened paths,
/// nearly O(entries of the matrix).
fn tree(rows: &Neighbours) -> Vec<u32> {
    let (mut parent, mut ancestor) = (vec![NONE; rows.len()], vec![NONE; rows.len()]);
    for (k, row) in rows.iter().enumerate() {
        for &(j, _) in row {
            let mut j = j;
            while j != NONE && j != k as u32 {
                let next = std::mem::replace(&mut ancestor[j as usize], k as u32);
                if next == NONE {
                    parent[j as usize] = k as u32;
                }
                j = next;
            }
        }
    }
    parent
}

/// The nodes of a forest whose parents have larger numbers, each after all its descendants, subtree by subtree.
fn postorder(parent: &[u32]) -> Vec<u32> {
    let n = parent.len();
    // Subtrees are laid out from their ends: a node takes the last place, its later children the last before it.
    let mut size = vec![1u32; n];
    for k in 0..n {
        if parent[k] != NONE {
            size[parent[k] as usize] += size[k];
        }
    }
    let (mut end, mut free) = (vec![0u32; n], n as u32);
    let mut order = vec![0u32; n];
    for k in (0..n).rev() {
        let place = match parent[k] {
            NONE => &mut free,
            p => &mut end[p as usize],
        };
        let last = *place - 1;
        *place -= size[k];
        end[k] = last;
        order[last as usize] = k as u32;
    }
    order
}

/// The columns of each row of L, by the elimination tree; ends of rows, columns, and entries of each column.
fn reach(rows: &Neighbours, max_fill: usize) -> Option<(Vec<u32>, Vec<u32>, Vec<usize>)> {
    let n = rows.len();
    let (mut parent, mut seen) = (vec![NONE; n], vec![NONE; n]);
    let (mut end, mut columns, mut counts) = (Vec::with_capacity(n), Vec::new(), vec![0; n]);
    for k in 0..n {
        seen[k] = k as u32;
        let first = columns.len();
        for &(j, _) in &rows[k] {
            let mut j = j as usize;
            while seen[j] != k as u32 {
                seen[j] = k as u32;
                columns.push(j as u32);
                counts[j] += 1;
                if parent[j] == NONE {
                    parent[j] = k as u32;
                }
                j = parent[j] as usize;
            }
        }
        if columns.len() > max_fill {
            return None;
        }
        columns[first..].sort_unstable();
        end.push(columns.len() as u32);
    }
    Some((end, columns, counts))
}

/// A pivot on offer: the diagonal entry as it was, what was added to it and what was taken from it.
#[derive(Clone, Copy, Debug)]
pub struct Pivot {
    /// Which unknown, in the caller's numbers.
    pub unknown: usize,
    /// The pivot.
    pub value: f64,
    /// Sum of the parts that made it larger, the entry itself included.
    pub added: f64,
    /// Sum of the parts that made it smaller.
    pub taken: f64,
}

/// The numbers of L and D.
#[derive(Clone, Debug, Default)]
pub struct Ldl {
    L: Vec<f64>,
    columns: Vec<EliminatedColumn>,
    /// Zeros between calls.
    work: Vec<f64>,
}

/// What is asked of a column together, kept together.
#[derive(Clone, Copy, Debug)]
struct EliminatedColumn {
    /// Its entries in L so far.
    start: u32,
    end: u32,
    /// Reciprocal pivot.
    inverse: f64,
    /// Its number in a solve.
    value: f64,
}

impl Ldl {
    /// Room for a pattern.
    pub fn new(symbolic: &Symbolic) -> Self {
        let column = |w: &[u32]| EliminatedColumn { start: w[0], end: w[1], inverse: 0.0, value: 0.0 };
        let columns = symbolic.column_start.windows(2).map(column).collect();
        Self { L: vec![0.0; symbolic.fill()], columns, work: vec![0.0; symbolic.len()] }
    }

    /// Factors the matrix whose numbers stand in `values`, and takes the first half of a solve for `right`, by unknowns,
    /// on the way (see [`backward`](Ldl::backward)): what it needs of L is at hand then. `judge` turns each pivot into its
    /// reciprocal, or into zero to drop the row, or into an error to stop.
    pub fn factor<E>(
        &mut self,
        symbolic: &Symbolic,
        values: &[f64],
        right: impl Fn(usize) -> f64,
        mut judge: impl FnMut(Pivot) -> Result<f64, E>,
    ) -> Result<(), E> {
        let y = &mut self.work;
        let (mut entry, mut lower) = (0, 0);
        for (k, row) in symbolic.rows.iter().enumerate() {
            for &(j, number) in &symbolic.entries[entry..row.entries as usize] {
                y[j as usize] = values[number as usize];
            }
            let (mut added, mut taken) = (values.get(row.diagonal as usize).copied().unwrap_or(0.0), 0.0);
            let mut value = right(row.unknown as usize);
            for &j in &symbolic.lower[lower..row.lower as usize] {
                let y_j = std::mem::take(&mut y[j as usize]);
                let column = &mut self.columns[j as usize];
                let above = column.start as usize..column.end as usize;
                for (&i, l) in symbolic.column_row[above.clone()].iter().zip(&self.L[above]) {
                    y[i as usize] -= l * y_j;
                }
                let l = y_j * column.inverse;
                self.L[column.end as usize] = l;
                column.end += 1;
                value -= l * column.value;
                let part = l * y_j;
                if part > 0.0 {
                    taken += part;
                } else {
                    added -= part;
                }
            }
            (entry, lower) = (row.entries as usize, row.lower as usize);
            let unknown = row.unknown as usize;
            match judge(Pivot { unknown, value: added - taken, added, taken }) {
                Ok(inverse) => {
                    let start = symbolic.column_start[k];
                    self.columns[k] = EliminatedColumn { start, end: start, inverse, value };
                }
                Err(error) => {
                    y.fill(0.0);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// The smallest share of a pivot in what rounding of it grows with (see [`pivot_share`](crate::pivot_share)), and its
    /// unknown, among those that `of` admits. Dropped rows pass nothing on. O(entries of L).
    pub fn pivot_share(
        &self,
        symbolic: &Symbolic,
        values: &[f64],
        of: impl Fn(usize) -> bool,
    ) -> Option<(usize, f64)> {
        let diagonal = |row: &EliminatedRow| values.get(row.diagonal as usize).copied().unwrap_or(0.0).abs();
        let mut grown: Vec<f64> = symbolic.rows.iter().map(diagonal).collect();
        let mut least: Option<(usize, f64)> = None;
        for (j, row) in symbolic.rows.iter().enumerate() {
            let inverse = self.columns[j].inverse.abs();
            if inverse == 0.0 {
                continue;
            }
            let share = 1.0 / (inverse * grown[j]);
            let unknown = row.unknown as usize;
            if of(unknown) && least.is_none_or(|(_, s)| share < s) {
                least = Some((unknown, share));
            }
            let column = span(&symbolic.column_start, j);
            for (&i, l) in symbolic.column_row[column.clone()].iter().zip(&self.L[column]) {
                grown[i as usize] += l * l / inverse * (1.0 + 1.0 / share);
            }
        }
        least
    }

    /// Solves in place, in the caller's numbers.
    pub fn solve(&mut self, symbolic: &Symbolic, v: &mut [f64]) {
        if symbolic.fill() == 0 {
            symbolic.rows.iter().zip(&self.columns).for_each(|(row, c)| v[row.unknown as usize] *= c.inverse);
            return;
        }
        let y = &mut self.work;
        for (y, row) in y.iter_mut().zip(&symbolic.rows) {
            *y = v[row.unknown as usize];
        }
        for j in 0..symbolic.len() {
            let y_j = std::mem::take(&mut y[j]);
            let column = span(&symbolic.column_start, j);
            for (&i, l) in symbolic.column_row[column.clone()].iter().zip(&self.L[column]) {
                y[i as usize] -= l * y_j;
            }
            self.columns[j].value = y_j;
        }
        self.backward(symbolic, |unknown, value| v[unknown] = value);
    }

    /// The second half of the solve that [`factor`](Ldl::factor) began: each unknown with its value. Once only.
    pub fn backward(&mut self, symbolic: &Symbolic, mut out: impl FnMut(usize, f64)) {
        for (j, row) in symbolic.rows.iter().enumerate().rev() {
            let column = span(&symbolic.column_start, j);
            let mut sum = self.columns[j].value * self.columns[j].inverse;
            for (&i, l) in symbolic.column_row[column.clone()].iter().zip(&self.L[column]) {
                sum -= l * self.columns[i as usize].value;
            }
            self.columns[j].value = sum;
            out(row.unknown as usize, sum);
        }
    }

    /// v^T K^-1 v, in the caller's numbers; `work` is overwritten.
    pub fn inverse_square(&mut self, symbolic: &Symbolic, v: &[f64], work: &mut [f64]) -> f64 {
        if symbolic.fill() == 0 {
            let square =
                |(row, c): (&EliminatedRow, &EliminatedColumn)| v[row.unknown as usize].powi(2) * c.inverse;
            return symbolic.rows.iter().zip(&self.columns).map(square).sum();
        }
        work.copy_from_slice(v);
        self.solve(symbolic, work);
        dot(v, work)
    }
}

/// The order of approximate minimum degree of a symmetric graph.
pub fn minimum_degree(graph: Vec<Vec<u32>>) -> Option<Vec<u32>> {
    let n = graph.len();
    let mut both: Vec<Vec<i64>> = graph
        .into_iter()
        .enumerate()
        .map(|(i, list)| list.into_iter().map(i64::from).chain([i as i64]).collect())
        .collect();
    // Entries may have been given on one side only.
    for i in 0..n {
        for k in 0..both[i].len() {
            let j = both[i][k] as usize;
            if j < i {
                both[j].push(i as i64);
            }
        }
    }
    let (mut start, mut index) = (vec![0i64], Vec::new());
    for list in &mut both {
        list.sort_unstable();
        list.dedup();
        index.extend_from_slice(list);
        start.push(index.len() as i64);
    }
    let (order, ..) = amd::order(n as i64, &start, &index, &amd::Control::default()).ok()?;
    Some(order.into_iter().map(|i| i as u32).collect())
}
