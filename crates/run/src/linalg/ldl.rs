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
//! Judged by the dense factorisations in `tests/sparse.rs`.

/// What is known of L without numbers, for one order of elimination.
#[derive(Clone, Debug, Default)]
pub struct Symbolic {
    /// `order[k]`: which unknown is eliminated k-th.
    order: Vec<u32>,
    /// Entries of the permuted matrix left of the diagonal, by rows: column, and place of the number.
    row_start: Vec<u32>,
    row_entry: Vec<(u32, u32)>,
    /// Place of the number on the diagonal; `u32::MAX` for a structural zero.
    diagonal: Vec<u32>,
    /// L by columns.
    column_start: Vec<u32>,
    column_row: Vec<u32>,
    /// L by rows: column, and place among the columns. Ascending.
    lower_start: Vec<u32>,
    lower_entry: Vec<(u32, u32)>,
    work: usize,
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
        let (lower_start, columns, counts) = reach(&rows, max_fill)?;
        let mut symbolic = Self { order, diagonal, lower_start, ..Self::default() };
        symbolic.lay_out(&columns, &counts);
        symbolic.row_start.push(0);
        for row in rows {
            symbolic.row_entry.extend(row);
            symbolic.row_start.push(symbolic.row_entry.len() as u32);
        }
        Some(symbolic)
    }

    /// Places of the entries of L by columns and by rows.
    fn lay_out(&mut self, columns: &[u32], counts: &[usize]) {
        self.column_start.push(0);
        for &count in counts {
            self.column_start.push(self.column_start[self.column_start.len() - 1] + count as u32);
            self.work += count * (count + 1) / 2;
        }
        let mut next = self.column_start.clone();
        self.column_row = vec![0; columns.len()];
        self.lower_entry.reserve_exact(columns.len());
        for k in 0..counts.len() {
            for &j in &columns[span(&self.lower_start, k)] {
                let place = next[j as usize];
                next[j as usize] += 1;
                self.column_row[place as usize] = k as u32;
                self.lower_entry.push((j, place));
            }
        }
    }

    /// Unknowns.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
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

/// The columns of each row of L, by the elimination tree; starts of rows, columns, and entries of each column.
fn reach(rows: &Neighbours, max_fill: usize) -> Option<(Vec<u32>, Vec<u32>, Vec<usize>)> {
    let n = rows.len();
    let (mut parent, mut seen) = (vec![NONE; n], vec![NONE; n]);
    let (mut start, mut columns, mut counts) = (vec![0], Vec::new(), vec![0; n]);
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
        start.push(columns.len() as u32);
    }
    Some((start, columns, counts))
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
    D_inv: Vec<f64>,
    work: Vec<f64>,
}

impl Ldl {
    /// Room for a pattern.
    pub fn new(symbolic: &Symbolic) -> Self {
        let n = symbolic.len();
        Self { L: vec![0.0; symbolic.fill()], D_inv: vec![0.0; n], work: vec![0.0; n] }
    }

    /// Factors the matrix whose numbers stand in `values`. `judge` turns each pivot into its reciprocal, or into zero to
    /// drop the row, or into an error to stop.
    pub fn factor<E>(
        &mut self,
        symbolic: &Symbolic,
        values: &[f64],
        mut judge: impl FnMut(Pivot) -> Result<f64, E>,
    ) -> Result<(), E> {
        let y = &mut self.work;
        for k in 0..symbolic.len() {
            for &(j, number) in &symbolic.row_entry[span(&symbolic.row_start, k)] {
                y[j as usize] = values[number as usize];
            }
            let place = symbolic.diagonal[k] as usize;
            let (mut added, mut taken) = (values.get(place).copied().unwrap_or(0.0), 0.0);
            for &(j, place) in &symbolic.lower_entry[span(&symbolic.lower_start, k)] {
                let (j, place) = (j as usize, place as usize);
                let y_j = std::mem::take(&mut y[j]);
                let column = symbolic.column_start[j] as usize..place;
                for (&i, l) in symbolic.column_row[column.clone()].iter().zip(&self.L[column]) {
                    y[i as usize] -= l * y_j;
                }
                let l = y_j * self.D_inv[j];
                self.L[place] = l;
                let part = l * y_j;
                if part > 0.0 {
                    taken += part;
                } else {
                    added -= part;
                }
            }
            let unknown = symbolic.order[k] as usize;
            match judge(Pivot { unknown, value: added - taken, added, taken }) {
                Ok(reciprocal) => self.D_inv[k] = reciprocal,
                Err(error) => {
                    y.fill(0.0);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Solves in place, in the caller's numbers.
    pub fn solve(&mut self, symbolic: &Symbolic, v: &mut [f64]) {
        if symbolic.fill() == 0 {
            symbolic.order.iter().zip(&self.D_inv).for_each(|(&i, d)| v[i as usize] *= d);
            return;
        }
        let (n, y) = (symbolic.len(), &mut self.work);
        for (y, &i) in y.iter_mut().zip(&symbolic.order) {
            *y = v[i as usize];
        }
        for j in 0..n {
            let y_j = y[j];
            let column = span(&symbolic.column_start, j);
            for (&i, l) in symbolic.column_row[column.clone()].iter().zip(&self.L[column]) {
                y[i as usize] -= l * y_j;
            }
        }
        for j in (0..n).rev() {
            let column = span(&symbolic.column_start, j);
            let mut sum = y[j] * self.D_inv[j];
            for (&i, l) in symbolic.column_row[column.clone()].iter().zip(&self.L[column]) {
                sum -= l * y[i as usize];
            }
            y[j] = sum;
        }
        for (y, &i) in y.iter_mut().zip(&symbolic.order) {
            v[i as usize] = std::mem::take(y);
        }
    }
}
