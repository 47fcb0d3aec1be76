//! The Lagrangian in numbers, with its first and second derivatives: what Hamilton's principle needs.
//!
//! ```text
//! y = dL/dx',   r = dL/dx + Q',   and the derivatives of y and of r + lambda_a df_a/dx
//! ```
//!
//! Used by the variational methods of [`dalembert_run::integrate()`] and by [`crate::connect`]; made by `lagrangian.rs`.

use super::programs::Lagrangian;
use super::{Compiled, Inputs, Scattered, dense};
use crate::kernel_form::{KernelForm, Places};
use dalembert_expr::{Expr, Pool, Symbol};
use dalembert_run::{Point, SecondVariation, Variation};

impl Lagrangian {
    /// Tapes for L with y = dL/dx' and r = dL/dx + Q', constraint forces by `multipliers`.
    pub(crate) fn new(
        pool: &mut Pool,
        form: &KernelForm,
        inputs: &Inputs,
        multipliers: &[Symbol],
        L: Expr,
        y: &[Expr],
        r: &[Expr],
    ) -> Self {
        let n = form.speeds.len();
        let mut forces: Vec<Vec<Expr>> = r.iter().map(|r| vec![*r]).collect();
        let places = Places::new(&form.coordinates);
        for (f, symbol) in form.position_residuals.iter().zip(multipliers) {
            let lambda = pool.var(*symbol);
            for (i, slope) in f.map(|f| places.gradient(pool, f)).into_iter().flatten() {
                forces[i].push(pool.mul(lambda, slope));
            }
        }
        let forces: Vec<Expr> = forces.into_iter().map(|parts| pool.total(parts)).collect();
        let first = Scattered::new(pool, &inputs.state, &[vec![(0, L)], dense(y), dense(r)]);
        let mut by = |list: &[Expr], symbols: &[Symbol]| -> Vec<(usize, Expr)> {
            let (mut entries, places) = (Vec::new(), Places::new(symbols));
            for (p, e) in list.iter().enumerate() {
                let row = places.gradient(pool, *e);
                entries.extend(row.into_iter().map(|(i, e)| (p * n + i, e)));
            }
            entries
        };
        let arrays = [
            by(y, &form.coordinates),
            by(y, &form.speeds),
            by(&forces, &form.coordinates),
            by(&forces, &form.speeds),
        ];
        let with_multipliers: Vec<Symbol> = inputs.state.iter().chain(multipliers).copied().collect();
        let second = Scattered::new(pool, &with_multipliers, &arrays);
        Self { first, second }
    }
}

impl Compiled {
    /// Whether the tapes of the Lagrangian are there.
    pub(crate) fn has_lagrangian_tapes(&self) -> bool {
        self.programs.lagrangian.is_some()
    }

    /// Takes the tapes of the Lagrangian.
    pub(crate) fn set_lagrangian(&mut self, lagrangian: Lagrangian) {
        self.programs.lagrangian = Some(lagrangian);
        self.size_scratch();
    }

    pub(super) fn run_variation(&self, at: Point<'_>, scratch: &mut [f64], out: &mut Variation) {
        let Some(tapes) = &self.programs.lagrangian else { return };
        let inputs = self.load(at.t, at.x, at.eta, scratch);
        tapes.first.run(inputs, scratch, [&mut out.L, &mut out.y, &mut out.r]);
    }

    pub(super) fn run_second(
        &self,
        at: Point<'_>,
        lambda: &[f64],
        scratch: &mut [f64],
        out: &mut SecondVariation,
    ) {
        let Some(tapes) = &self.programs.lagrangian else { return };
        let end = self.load(at.t, at.x, at.eta, scratch);
        scratch[end..end + lambda.len()].copy_from_slice(lambda);
        let inputs = end + lambda.len();
        tapes.second.run(inputs, scratch, [&mut out.y_x, &mut out.y_v, &mut out.r_x, &mut out.r_v]);
    }
}
