//! Forces in redundant loops of joints: the least ones (B5).
//!
//! Rows of loops that depend on each other leave their multipliers open: lambda + N z gives the same motion for every
//! z, with N^T A = 0 for the rows of loops. What joints on loops do is linear in it, and z is chosen so that
//!
//! ```text
//! sum of |F|^2 + |T|^2/l^2  over the joints of loops
//! ```
//!
//! is least: so it does not depend on which joint is cut. Only results see it.

use super::Compiled;
use super::kernel::run_into;
use dalembert_linalg::{Cod, Mat, RANK_TOL, symmetric_eigen};
use dalembert_run::{Point, Solution, Terms};
use dalembert_tape::Program;

/// Eigenvalues of A A^T that are smaller than this share of the largest are rounding.
const GRAM_TOL: f64 = 1e-13;

impl Compiled {
    /// The multipliers with the least forces of joints on loops; `None` where the solution has them already.
    pub(super) fn least_loop_forces(
        &self,
        at: Point<'_>,
        terms: &Terms,
        solution: &Solution,
    ) -> Option<Solution> {
        let program = self.programs.loop_forces.as_ref()?;
        if solution.rank >= self.shape.n_con || self.loop_rows.is_empty() {
            return None;
        }
        let open = self.open_multipliers(terms);
        if open.is_empty() {
            return None;
        }
        let mut scratch = vec![0.0; self.scratch_len];
        let mut forces = |solution: &Solution| self.results_of(program, (at, terms, solution), &mut scratch);
        let now = forces(solution);
        // Columns of what one unit of each open combination adds.
        let (count, mut changes) = (now.len(), vec![0.0; now.len() * open.len()]);
        for (k, direction) in open.iter().enumerate() {
            let there = forces(&self.with_more(solution, direction, 1.0));
            (0..count).for_each(|i| changes[i * open.len() + k] = there[i] - now[i]);
        }
        let (mut cod, mut z) = (Cod::new(count, open.len()), vec![0.0; open.len()]);
        cod.factor(&changes, RANK_TOL);
        cod.solve(&now.iter().map(|v| -v).collect::<Vec<_>>(), &mut z);
        let least =
            open.iter().zip(&z).fold(solution.clone(), |s, (direction, z)| self.with_more(&s, direction, *z));
        Some(least)
    }

    /// The values of a program over the results of a solution.
    fn results_of(
        &self,
        program: &Program,
        (at, terms, solution): (Point<'_>, &Terms, &Solution),
        scratch: &mut [f64],
    ) -> Vec<f64> {
        let inputs = self.load_results(at, terms, solution, &[], scratch);
        let mut out = vec![0.0; program.output_count()];
        run_into(program, inputs, scratch, &mut out);
        out
    }

    /// What a unit of each open combination of multipliers changes in each output that is linear in them; nothing where
    /// no combination is open. An output that is not linear changes by its square too, and is in no combination.
    pub(crate) fn open_outputs(&self, at: Point<'_>, terms: &Terms, solution: &Solution) -> Vec<Vec<f64>> {
        let has_loops = self.programs.loop_forces.is_some() && !self.loop_rows.is_empty();
        if !has_loops || solution.rank >= self.shape.n_con {
            return Vec::new();
        }
        let open = self.open_multipliers(terms);
        let (program, mut scratch) = (&self.programs.outputs, vec![0.0; self.scratch_len]);
        let mut outputs = |solution: &Solution| self.results_of(program, (at, terms, solution), &mut scratch);
        let now = outputs(solution);
        let mut changes = vec![Vec::new(); now.len()];
        for direction in &open {
            let [plus, minus] = [1.0, -1.0].map(|by| outputs(&self.with_more(solution, direction, by)));
            for (k, change) in changes.iter_mut().enumerate() {
                change.push((plus[k] - minus[k]) / 2.0);
                change.push((plus[k] + minus[k]) / 2.0 - now[k]);
            }
        }
        changes
    }

    fn with_more(&self, solution: &Solution, direction: &[f64], amount: f64) -> Solution {
        let mut other = solution.clone();
        for (r, d) in self.loop_rows.iter().zip(direction) {
            other.lambda[*r] += amount * d;
        }
        other
    }

    /// Combinations of multipliers of loops that move nothing: the null space of A^T over their rows.
    fn open_multipliers(&self, terms: &Terms) -> Vec<Vec<f64>> {
        let (rows, n) = (&self.loop_rows, self.shape.n_eta);
        let m = rows.len();
        let mut A = Mat::zeros(m, n);
        for (k, r) in rows.iter().enumerate() {
            terms.row(*r).entries().for_each(|(q, value)| A[[k, q]] = value);
        }
        let entry = |i: usize, j: usize| (0..n).map(|q| A[[i, q]] * A[[j, q]]).sum::<f64>();
        let mut gram = Mat::new((0..m * m).map(|k| entry(k / m, k % m)).collect::<Vec<_>>(), m);
        let mut axes = Mat::zeros(m, m);
        symmetric_eigen(&mut gram, m, &mut axes);
        let most = (0..m).fold(0.0f64, |most, i| most.max(gram[[i, i]]));
        let open = (0..m).filter(|i| gram[[*i, *i]] <= GRAM_TOL * most || most == 0.0);
        open.map(|i| (0..m).map(|r| axes[[r, i]]).collect()).collect()
    }
}
