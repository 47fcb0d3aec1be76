//! Is it one? The residual of H8 on the constraints, and the rank of X_q dS/da_p.

use super::{HamiltonJacobi, Values};
use crate::analysis::analyze::surface::place;
use crate::number::short;
use crate::simulate::Verified;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, PRIMES, Sample};
use dalembert_linalg::{Cod, Rng, dot};
use dalembert_run::{Dynamics, Projector, State};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// Points at which the residual is looked at, and how many must have a value.
const POINTS: u64 = 200;
const FEWEST: usize = 8;
/// Residual, relative to its terms, that is rounding.
const ROUNDING: f64 = 1e-9;
/// Residual that no rounding explains, where there is a proof.
const CONTRADICTION: f64 = 1e-4;
/// Terms of H8 smaller than this have no residual.
pub(crate) const NOTHING: f64 = 1e-12;
/// Exact samples that must all vanish.
const SAMPLES: u64 = 6;

/// What random places around the start say, before anything is refused.
pub(crate) struct Survey {
    /// As in [`Verified`].
    pub proved: bool,
    pub points: usize,
    pub rank: usize,
    /// Largest residual relative to its terms, those that fail included, and what it may be.
    pub worst: f64,
    pub limit: f64,
    /// Directions that the constraints leave free, where H8 holds at some place.
    pub freedom: Option<usize>,
    /// Rank of X_q dS/da_p over all directions: constants that are not merely added.
    pub whole_rank: usize,
    /// Constants that tell motions apart, by place.
    pub free: Vec<usize>,
    /// The first place where H8 fails.
    failed: Option<Box<Diagnostic>>,
}

impl Survey {
    /// Refused where there were too few places to say anything.
    pub fn decided(self) -> Result<Self, String> {
        if self.points == 0 || !self.proved && self.points < FEWEST {
            Err(few(self.points))
        } else {
            Ok(self)
        }
    }
}

fn few(points: usize) -> String {
    format!(
        "the complete integral has a value at {points} of {POINTS} random places only: it cannot be verified"
    )
}

/// How far coordinates are taken from the start: a radius or a mass stays on its side of zero, S need not hold beyond.
fn sizes(start: &State) -> Vec<f64> {
    let size = |(x, v): (&f64, &f64)| match (x.abs(), v.abs()) {
        (x, _) if x > 0.0 => x,
        (_, v) if v > 0.0 => v,
        _ => 1.0,
    };
    start.x.iter().zip(&start.eta).map(size).collect()
}

impl Values {
    /// The residual of H8 relative to its terms, and their size; the kinetic energy is one of them where others cancel.
    pub(super) fn off(&self) -> (f64, f64) {
        let kinetic = 0.5 * dot(&self.y, &self.eta).abs();
        let scale = self.rate.abs().max((self.residual - self.rate).abs()).max(kinetic);
        (self.residual.abs() / (scale + 1e-300), scale)
    }

    /// The relative residual of H8 and the size of its terms; `None` where S or a derivative is not finite.
    pub(crate) fn finite_off(&self) -> Option<(f64, f64)> {
        let (off, scale) = self.off();
        let finite = self.y.iter().chain(&self.b_x).chain(&self.b).all(|v| v.is_finite());
        (finite && off.is_finite()).then_some((off, scale))
    }
}

/// Directions along the constraints at a configuration, as rows.
pub(super) fn free_directions(model: &Workspace, t: f64, x: &[f64]) -> Vec<Vec<f64>> {
    let (n, m) = (model.form.speeds.len(), model.form.constraint_right.len());
    let mut scratch = vec![0.0; model.compiled.scratch_len()];
    let mut terms = dalembert_run::Terms::new(&model.compiled.shape());
    let still = State::new(t, x, &vec![0.0; n]);
    model.compiled.terms(still.point(), &mut scratch, &mut terms);
    let mut cod = Cod::new(m, n);
    let rank = cod.factor(&terms.A, 1e-9);
    let mut z = vec![0.0; n];
    (0..n - rank)
        .map(|j| {
            cod.lq.null_vector(j, &mut z);
            z.clone()
        })
        .collect()
}

impl HamiltonJacobi {
    /// Checks H8 around the start, for constants around those of the motion from there; refused, at the statement, with a place where it fails.
    pub fn verify(&self, model: &mut Workspace) -> Result<Verified, Box<Diagnostic>> {
        let survey = self.survey(model)?;
        let spare = self.constants_of_redundant_coordinates(&survey);
        let Survey { proved, points, worst, rank, freedom, failed, free, .. } = survey;
        if let Some(failed) = failed {
            return Err(failed);
        }
        let freedom = freedom.unwrap_or(self.k.max(rank));
        if points > 0 && self.k > freedom && !spare {
            let message =
                format!("this integral has {} constants, and there are {freedom} degrees of freedom", self.k);
            return Err(self.refuse(
                message,
                "a complete integral has as many constants as degrees of freedom, or one for each coordinate; one that is merely added is left out",
            ));
        }
        if !proved && points < FEWEST {
            return Err(self.refuse(
                few(points),
                "look for roots of negative numbers for most values of coordinates and constants",
            ));
        }
        if points > 0 && rank < freedom {
            let message = format!(
                "the constants of this integral do not tell all motions apart: the matrix of second derivatives by coordinates and constants has rank {rank}, and there are {freedom} degrees of freedom"
            );
            return Err(self.refuse(
                message,
                "a complete integral has as many independent constants as degrees of freedom, none of them merely added",
            ));
        }
        Ok(Verified { proved, worst, points, rank, free })
    }

    /// Whether S has more constants than degrees of freedom, one for each of the redundant coordinates at most and none
    /// of them merely added (P12).
    pub(crate) fn constants_of_redundant_coordinates(&self, survey: &Survey) -> bool {
        self.k <= self.n && survey.whole_rank == self.k
    }

    fn refuse(&self, message: String, help: &str) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(Code::NotAnIntegral, self.integral.span, message).help(help))
    }

    /// Looks at H8 and at the rank at random places around the start.
    pub(crate) fn survey(&self, model: &mut Workspace) -> Result<Survey, Box<Diagnostic>> {
        let proved = self.proved(model);
        let start = model.start()?.state;
        // Roots and angles hold for some signs of the constants only: those of the motion are the ones that matter.
        let near = self.constants(model, &start).ok().map(|(a, _)| a);
        let mut rng = Rng::new(7);
        // A proof takes roots and angles on one branch; numbers must not contradict it.
        let limit = if proved { CONTRADICTION } else { ROUNDING };
        let mut seen = Survey {
            proved,
            limit,
            worst: 0.0,
            points: 0,
            rank: 0,
            freedom: None,
            whole_rank: 0,
            free: Vec::new(),
            failed: None,
        };
        let (mut failures, mut worst_failure) = (0, 0.0_f64);
        let sizes = sizes(&start);
        let mut projector = Projector::new(&model.compiled);
        for k in 0..POINTS {
            let spread = [0.1, 0.5, 2.0][k as usize % 3];
            let mut near_by = |(v, size): (&f64, &f64)| {
                let spread = if *v == 0.0 { spread } else { f64::min(spread, 0.9) };
                v + spread * size * rng.between(-1.0, 1.0)
            };
            let mut x: Vec<f64> = start.x.iter().zip(&sizes).map(&mut near_by).collect();
            let t = 1.0 + rng.between(-1.0, 1.0);
            let a: Vec<f64> = match &near {
                Some(near) => {
                    near.iter().map(|a| a + 0.4 * (a.abs() + 0.1) * rng.between(-1.0, 1.0)).collect()
                }
                None => (0..self.k).map(|_| [1.0, 3.0][k as usize % 2] * rng.between(-1.0, 1.0)).collect(),
            };
            let mut rates = vec![0.0; x.len()];
            if !model.system.constraints.rows.is_empty()
                && projector.project(&model.compiled, t, &mut x, &mut rates).is_err()
            {
                continue;
            }
            let values = self.at(model, t, &x, &a);
            let Some((off, scale)) = values.finite_off() else { continue };
            seen.points += 1;
            if off > limit && scale > NOTHING {
                (failures, worst_failure) = (failures + 1, worst_failure.max(off));
                seen.failed.get_or_insert_with(|| self.wrong(model, t, &x, &a, values.residual));
                continue;
            }
            seen.worst = seen.worst.max(off);
            let (rank, free) = self.rank(model, t, &x, &values);
            let mut whole = Cod::new(self.n, self.k);
            seen.whole_rank = seen.whole_rank.max(whole.factor(&values.y_a, 1e-9));
            if rank > seen.free.len() {
                seen.free = self.telling(&free_directions(model, t, &x), &values);
            }
            seen.rank = seen.rank.max(rank);
            seen.freedom = Some(seen.freedom.map_or(free, |known| known.min(free)));
        }
        // Constants far from those of any motion may have the wrong signs for roots and angles.
        if near.is_some() || failures == seen.points {
            seen.worst = seen.worst.max(worst_failure);
        } else {
            seen.failed = None;
        }
        Ok(seen)
    }

    /// Exactly zero at random points of the constraints, modulo large primes.
    fn proved(&self, model: &mut Workspace) -> bool {
        let positions: Vec<Expr> = model.form.position_residuals.iter().filter_map(|f| *f).collect();
        let pool = &mut model.system.pool;
        let residual = pool.simplify(self.residual);
        if residual == dalembert_expr::Pool::ZERO {
            return true;
        }
        let mut seen = 0;
        for seed in 0..10 * SAMPLES {
            let mut sample = Sample::new(PRIMES[seed as usize % PRIMES.len()], 1000 + seed);
            sample.settle(pool, &[residual]);
            if !place(pool, &mut sample, &model.form.coordinates, &positions) {
                continue;
            }
            let Some(values) = sample.values(pool, &[residual]) else { continue };
            if !values[0].is_zero() || !sample.is_exact() {
                return false;
            }
            seen += 1;
            if seen == SAMPLES {
                return true;
            }
        }
        false
    }

    /// Constants whose columns of Z^T d2S/dx da are independent, the first ones first.
    fn telling(&self, free: &[Vec<f64>], values: &Values) -> Vec<usize> {
        let mut chosen: Vec<usize> = Vec::new();
        for c in 0..self.k {
            let columns: Vec<usize> = chosen.iter().copied().chain([c]).collect();
            let mut matrix = Vec::with_capacity(free.len() * columns.len());
            for z in free {
                matrix.extend(
                    columns
                        .iter()
                        .map(|c| -> f64 { (0..self.n).map(|p| z[p] * values.y_a[p * self.k + c]).sum() }),
                );
            }
            if Cod::new(free.len(), columns.len()).factor(&matrix, 1e-9) == columns.len() {
                chosen = columns;
            }
        }
        chosen
    }

    /// Rank of Z^T d2S/dx da, and the number of free directions.
    pub(super) fn rank(&self, model: &Workspace, t: f64, x: &[f64], values: &Values) -> (usize, usize) {
        let free = free_directions(model, t, x);
        let mut matrix = vec![0.0; free.len() * self.k];
        for (row, z) in matrix.chunks_mut(self.k.max(1)).zip(&free) {
            for (c, entry) in row.iter_mut().enumerate() {
                *entry = (0..self.n).map(|p| z[p] * values.y_a[p * self.k + c]).sum();
            }
        }
        let mut cod = Cod::new(free.len(), self.k);
        (cod.factor(&matrix, 1e-9), free.len())
    }

    pub(super) fn wrong(
        &self,
        model: &Workspace,
        t: f64,
        x: &[f64],
        a: &[f64],
        residual: f64,
    ) -> Box<Diagnostic> {
        let names = model.system.frame.coordinates.iter().map(|c| &c.name).zip(x);
        let constants = self.integral.constants.iter().map(|(name, _)| name).zip(a);
        let place: Vec<String> =
            names.chain(constants).map(|(n, v)| format!("{n} = {}", short(*v))).collect();
        let message = format!(
            "this is not an integral of the Hamilton-Jacobi equation: dS/dt + H is {} at {}, t = {}",
            short(residual),
            place.join(", "),
            short(t)
        );
        Box::new(Diagnostic::error(Code::NotAnIntegral, self.integral.span, message).help(
            "`derive --form hamilton` gives H; put the derivatives of S for the momenta, and add dS/dt",
        ))
    }
}

/// `z . v` for each direction.
pub(super) fn along(free: &[Vec<f64>], v: &[f64]) -> Vec<f64> {
    free.iter().map(|z| dot(z, v)).collect()
}
