//! Whether a state satisfies the constraints as they are written, each row measured by its own terms.
//!
//! ```text
//! row i is missed by |f_i| / s_i,   s_i the sum of the sizes of the terms of f_i
//! ```
//!
//! Solvers measure residuals by lengths of gradients, which say nothing where a gradient vanishes far away:
//! `exp(-100*(x - y)^2) = 1` has roots by that measure at infinity. So the rows decide at the start and at the end of a run, in
//! their own scale, whatever was solved on the way. A row whose terms all vanish (`y = 0` on the floor) is not asked for more
//! than the projection gives: [`ROUNDING`] of its gradient and of the coordinates in it.
//!
//! Knows no solver. O(size of the rows), twice a run.

use crate::kernel_form::Places;
use crate::number::short;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool, Symbol};
use dalembert_linalg::norm_max;
use dalembert_run::State;
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// Part of its own terms that a row may miss, ...
const MISSED: f64 = 1e-9;
/// ... and beyond which a warning is given.
const DOUBTFUL: f64 = 1e-11;
/// What a row may miss in any case, against its gradient and `1 + max|x|` over the coordinates in it.
const ROUNDING: f64 = 2e-15;
/// [`ROUNDING`] of a rate whose speeds were found from momenta, over all speeds: momenta of light bodies carry the rounding of heavy
/// ones.
const ROUNDING_OF_MOMENTA: f64 = 1e-12;

/// A row that does not hold.
#[derive(Clone, Copy, Debug)]
struct Miss {
    row: usize,
    /// Whether it is the rate of a holonomic row.
    of_rate: bool,
    /// Its left side less its right side.
    residual: f64,
    /// Relative to the terms of the row.
    part: f64,
}

/// Numbers for the symbols of a model at a state.
struct Numbers {
    places: Places,
    values: Vec<f64>,
    /// Coordinates and speeds stand from here to there.
    state: std::ops::Range<usize>,
}

impl Numbers {
    fn new(model: &Workspace, state: &State) -> Self {
        let form = &model.form;
        let symbols = [form.time];
        let symbols =
            symbols.iter().chain(&form.coordinates).chain(&form.speeds).chain(&form.parameters).copied();
        let values = [state.t];
        let values = values.iter().chain(&state.x).chain(&state.eta).chain(model.compiled.parameters());
        let symbols: Vec<Symbol> = symbols.collect();
        Self {
            places: Places::new(&symbols),
            values: values.copied().collect(),
            state: 1..1 + state.x.len() + state.eta.len(),
        }
    }

    /// Values with the sizes of their terms.
    fn of(&self, pool: &mut Pool, list: &[Expr]) -> Vec<(f64, f64)> {
        pool.evaluate_with_sizes(list, |s| self.places.of(s).map_or(f64::NAN, |k| self.values[k]))
    }

    /// `|gradient| (1 + max|x|)` over the coordinates and speeds that occur in an expression.
    fn reach(&self, pool: &mut Pool, f: Expr) -> f64 {
        let varying: Vec<(usize, Symbol)> =
            self.places.present(pool, f).into_iter().filter(|(k, _)| self.state.contains(k)).collect();
        let symbols: Vec<Symbol> = varying.iter().map(|v| v.1).collect();
        let slopes = pool.gradient(f, &symbols);
        let size = varying.iter().fold(1.0f64, |m, (k, _)| m.max(1.0 + self.values[*k].abs()));
        size * self.of(pool, &slopes).iter().map(|(v, _)| v * v).sum::<f64>().sqrt()
    }
}

impl Workspace {
    /// The row that is missed by the largest part of its own terms beyond [`DOUBTFUL`], if there is one.
    fn largest_miss(&mut self, state: &State, from_momenta: bool) -> Option<Miss> {
        let mut list: Vec<(usize, bool, Expr)> = Vec::with_capacity(2 * self.system.constraints.rows.len());
        for (row, f) in self.form.position_residuals.iter().enumerate() {
            list.extend(f.map(|f| (row, false, f)));
            list.push((row, f.is_some(), self.form.velocity_residuals[row]));
        }
        if list.is_empty() {
            return None;
        }
        let numbers = Numbers::new(self, state);
        let pool = &mut self.system.pool;
        let values = numbers.of(pool, &list.iter().map(|l| l.2).collect::<Vec<_>>());
        let mut worst: Option<Miss> = None;
        for ((row, of_rate, f), (residual, size)) in list.into_iter().zip(values) {
            let part = residual.abs() / size;
            // Written so that what is not a number is missed.
            if residual == 0.0 || part <= worst.map_or(DOUBTFUL, |w| w.part) {
                continue;
            }
            let is_rate = self.form.position_residuals[row] != Some(f);
            let rounding = match from_momenta && is_rate {
                true => ROUNDING_OF_MOMENTA * (1.0 + norm_max(&state.eta)),
                false => ROUNDING,
            };
            let excused = residual.abs() <= rounding * numbers.reach(pool, f);
            if !excused {
                worst = Some(Miss { row, of_rate, residual, part });
            }
        }
        worst
    }

    /// Whether a row is missed at a state: an error with this code where it is missed by more than [`MISSED`] of its own terms
    /// and the method claims to keep it, else a warning.
    pub(crate) fn judge_rows(
        &mut self,
        state: &State,
        code: Code,
        kept: bool,
        from_momenta: bool,
    ) -> Option<Diagnostic> {
        let miss = self.largest_miss(state, from_momenta)?;
        let row = &self.system.constraints.rows[miss.row];
        let what = if miss.of_rate { "the rate of " } else { "" };
        let message = format!(
            "at t = {} {what}`{}` does not hold: its sides differ by {}, {} of its own terms",
            short(state.t),
            row.name,
            short(miss.residual.abs()),
            short(miss.part)
        );
        let tolerable = miss.part <= MISSED;
        Some(match kept && !tolerable {
            true => Diagnostic::error(code, row.span, message),
            false => Diagnostic::warning(Code::RowMissed, row.span, message)
                .help("smaller steps, a smaller tolerance or a method with projection keep it better"),
        })
    }

    /// The sizes of requirements, and of their derivatives that must vanish, by their own terms, or by the coordinates in
    /// them where these are larger.
    pub(crate) fn requirement_sizes(&mut self, state: &State) -> Vec<Vec<f64>> {
        let rows = self.system.control.rows.iter().zip(&self.form.requirement_rates);
        let lists: Vec<Vec<Expr>> = rows.map(|(row, rates)| [&[row.residual], &rates[..]].concat()).collect();
        let numbers = Numbers::new(self, state);
        let pool = &mut self.system.pool;
        let mut sizes = Vec::new();
        for (list, row) in lists.iter().zip(&self.system.control.rows) {
            let own = numbers.reach(pool, row.residual);
            let values = numbers.of(pool, list);
            let size = |(k, (_, size)): (usize, (f64, f64))| {
                // Derivatives have units of their own; the first one was always measured by the row itself.
                if k < 2 { values[0].1.max(own) } else { size.max(1e-6) }
            };
            sizes.push(values.iter().copied().enumerate().map(size).collect());
        }
        sizes
    }
}
