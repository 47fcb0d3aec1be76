//! Accelerations and forces by the canonical equations, brought back to speeds.
//!
//! ```text
//! H1     y = dL/d eta; y' solved with the rows A G^-1 y' = ...;  eta' = G^-1 (y' - D(dL/d eta))
//! H3,H4  y' of Suslov; [G A^T; A 0] (eta', M') = (y' - D(dL/d eta + M_a A_a), -D F_a),  lambda = -M'     (D: eta, M held)
//! ```
//!
//! The kernels are those that `simulate --form` integrates, so these checks judge them too.

use super::reading::Saddle;
use super::small::times;
use super::symbols::{evaluate, state_values};
use super::{Reading, Tally, Verification};
use crate::formalism::momentum_form::{Momenta, SuslovKernel};
use crate::formalism::suslov::Suslov;
use crate::workspace::Workspace;
use dalembert_expr::{Derivation, Expr, Pool};
use dalembert_linalg::Rng;
use dalembert_run::{Dynamics, Terms};

/// `hamilton`
pub(super) fn hamilton(model: &mut Workspace, readings: &[Reading], found: &mut Verification) {
    const NAME: &str = "hamilton";
    let momenta = match Momenta::new(model) {
        Ok(momenta) => momenta,
        Err(d) => return found.take(Tally::skipped(NAME, d.message)),
    };
    let mut tally = Tally::new(NAME, "accelerations and forces by Hamilton's equations");
    for reading in readings {
        match momenta.momenta_of(&reading.state) {
            Err(d) => tally.because(d.message),
            Ok(state) => {
                let Some(s) = momenta.solution(state.point()) else {
                    tally.because("the canonical equations have no solution there");
                    continue;
                };
                let conditioning = 1.0 / reading.solution.margin.max(1e-12);
                let work = (!reading.nonideal.iter().all(|c| *c == 0.0)).then_some(&s.nonideal_force[..]);
                tally.take(reading.compare(Some(&s.eta_dot), Some(&s.ideal_force), work, conditioning));
            }
        }
    }
    found.take(tally);
}

/// `suslov`
pub(super) fn suslov(model: &mut Workspace, readings: &[Reading], found: &mut Verification) {
    const NAME: &str = "suslov";
    if model.system.constraints.rows.is_empty() {
        return found.take(Tally::skipped(NAME, "without constraints Suslov's form is Hamilton's"));
    }
    let parts = SuslovKernel::new(model).and_then(|kernel| Ok((kernel, Held::of(model)?)));
    let (kernel, held) = match parts {
        Ok(parts) => parts,
        Err(d) => return found.take(Tally::skipped(NAME, d.message)),
    };
    let mut tally = Tally::new(NAME, "accelerations and forces by Suslov's equations");
    let mut rng = Rng::new(3);
    for reading in readings {
        let M = held.multipliers(model, reading, &mut rng);
        match kernel.momenta_of(&reading.state, &M) {
            Err(d) => tally.because(d.message),
            Ok(state) => {
                let (eta_dot, ideal, conditioning) = held.solve(model, reading, &kernel, &state, &M);
                tally.take(reading.compare(Some(&eta_dot), Some(&ideal), None, conditioning));
            }
        }
    }
    found.take(tally);
}

/// What H3 takes to its derivative: G, A, D of the momenta and of the rows with eta and M held.
struct Held {
    suslov: Suslov,
    G: Vec<Expr>,
    A: Vec<Expr>,
    momenta: Vec<Expr>,
    rows: Vec<Expr>,
}

impl Held {
    fn of(model: &mut Workspace) -> Result<Self, Box<dalembert_syntax::diagnostic::Diagnostic>> {
        let suslov = Suslov::of(model)?;
        let (system, form) = (&mut model.system, &model.form);
        let images = form.coordinates.iter().copied().zip(system.frame.kinematics.iter().copied());
        let mut along = Derivation::new(images.chain([(form.time, Pool::ONE)]));
        let pool = &mut system.pool;
        let momenta = suslov.momenta.iter().map(|y| along.apply(pool, *y)).collect();
        let rows = form.velocity_residuals.iter().map(|f| along.apply(pool, *f)).collect();
        let G = suslov.mass.iter().flatten().copied().collect();
        let A = suslov.rows.iter().flat_map(|row| row.coefficients.iter().copied()).collect();
        Ok(Held { suslov, G, A, momenta, rows })
    }

    /// Any M will do: the motion does not depend on it. But eta is found from momenta that carry M A, rounded by their size,
    /// and accelerations are of the second order in eta: of speeds much below M A nothing would be left. So M A is of the size of
    /// the momenta without it; 1 at rest, where nothing is carried.
    fn multipliers(&self, model: &mut Workspace, reading: &Reading, rng: &mut Rng) -> Vec<f64> {
        let d = reading.weights();
        let largest = |list: &[f64]| list.iter().zip(&d).fold(0.0f64, |m, (v, d)| m.max((v / d).abs()));
        let size = largest(&times(&reading.terms.M, &reading.state.eta));
        let values = state_values(model, &reading.state);
        let A = evaluate(model, &self.A, &values);
        let one = |row: &[f64]| {
            let (number, length) = (rng.symmetric(), largest(row));
            if size > 0.0 && length > 0.0 { number * size / length } else { number }
        };
        A.chunks(d.len().max(1)).map(one).collect()
    }

    /// eta', A^T lambda, conditioning.
    fn solve(
        &self,
        model: &mut Workspace,
        reading: &Reading,
        kernel: &SuslovKernel,
        state: &dalembert_run::State,
        M: &[f64],
    ) -> (Vec<f64>, Vec<f64>, f64) {
        let mut values = state_values(model, &reading.state);
        values.extend(self.suslov.multipliers.iter().copied().zip(M.iter().copied()));
        let (G, A) = (evaluate(model, &self.G, &values), evaluate(model, &self.A, &values));
        let (momenta, rows) = (evaluate(model, &self.momenta, &values), evaluate(model, &self.rows, &values));
        let mut terms = Terms::new(&kernel.shape());
        kernel.terms(state.point(), &mut vec![0.0; kernel.scratch_len()], &mut terms);
        let d = reading.weights();
        let b: Vec<f64> = rows.iter().map(|f| -f).collect();
        let left: Vec<f64> = terms.Q.iter().zip(&momenta).map(|(y, held)| y - held).collect();
        let (eta_dot, ideal, conditioning) = Saddle::new(d.clone(), &G, &A, &b).solve(&left);
        // Rates of momenta with M in them may be larger than all forces, and cancel.
        let carried = terms
            .Q
            .iter()
            .chain(&momenta)
            .zip(d.iter().cycle())
            .fold(0.0f64, |m, (r, d)| m.max((r / d).abs()));
        let conditioning = conditioning * (1.0 + carried / reading.size());
        (eta_dot, ideal, conditioning)
    }
}
