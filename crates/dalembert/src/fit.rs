//! Parameters and starting values from measured columns, by least squares on the sensitivities of the motion.
//!
//! ```text
//! minimise  sum over columns c and times i of  ((y_c(t_i; p) - d_ci) / sigma_c)^2
//! (J^T J + mu D) dp = -J^T r        Levenberg and Marquardt, D: the largest squares of the columns of J so far
//! cov p = s^2 (J^T J)^-1            s^2 = r^T r / (N - n)
//! ```
//!
//! J are exact sensitivities (S1, S3). Each column has a scatter sigma_c of its own, unknown at first: it begins as the
//! spread of the data and is then that of what is left, until it no longer changes. Combinations of parameters that change
//! nothing in the data are eigenvectors of the scaled J^T J with an eigenvalue of rounding: they are named and left where they
//! were. Source: Nocedal and Wright, Numerical Optimization, chapter 10; Bates and Watts, Nonlinear Regression, chapter 2.
//! Holds where scatter is independent from row to row and small enough for the motion to be linear in it.
//! Checked by `tests/it/fit.rs`: closed forms, coverage of intervals, combinations that cannot be identified.

mod data;
mod normal;

pub use data::Measurements;

use crate::sensitivity::{Varied, VariedTarget};
use crate::simulate::Request;
use crate::system::{Initial, InitialTarget};
use crate::workspace::Workspace;
use dalembert_expr::Rational;
use dalembert_run::Flow;
use dalembert_syntax::diagnostic::{Code, Diagnostic, nearest};
use normal::{Normal, Step};

/// Iterations at most.
const MAX_ITERATIONS: usize = 200;
/// A step below this, relative to the parameters in their own scatter and size, ends the iteration.
const SMALL_STEP: f64 = 1e-9;
/// A fall of the sum of squares below this, relative to it, ends the iteration.
const SMALL_GAIN: f64 = 1e-12;
/// How often the scatter of columns is estimated anew.
const MAX_WEIGHINGS: usize = 8;
/// A scatter of a column below this part of its spread is that of the integration, not of the data.
const LEAST_SCATTER: f64 = 1e-9;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct FitRequest {
    /// What is free: parameters and starting values with the value to begin with, in SI, if not the model's.
    pub free: Vec<(String, Option<f64>)>,
    /// How motions are integrated.
    pub motion: Request,
}

/// A parameter or starting value that was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// As it was written.
    pub name: String,
    /// Its value, SI.
    pub value: f64,
    /// Standard error, SI; `None` where the data do not determine it.
    pub error: Option<f64>,
}

/// How well a measured column is met.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FittedColumn {
    /// Its name.
    pub name: String,
    /// Values that were compared.
    pub count: usize,
    /// Root mean square of the differences.
    pub residual: f64,
}

/// The result of a fit.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fit {
    /// Parameters in the order asked for.
    pub estimates: Vec<Estimate>,
    /// Correlations of the estimates, row-major; not a number where there is no error.
    pub correlations: Vec<f64>,
    /// Combinations that the data cannot identify: relative changes of parameters, the largest of size one.
    pub unidentifiable: Vec<Vec<(String, f64)>>,
    /// Root mean square of all differences.
    pub residual: f64,
    /// Columns that were compared.
    pub columns: Vec<FittedColumn>,
    /// Steps of the iteration.
    pub iterations: usize,
    /// Motions that were computed.
    pub motions: usize,
    /// What is to be said about it.
    pub warnings: Vec<Diagnostic>,
}

/// Where a fit is, after each motion.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FitProgress {
    /// Motions so far.
    pub motions: usize,
    /// Time that the present one has reached.
    pub t: f64,
    /// Root mean square of the weighted differences so far.
    pub residual: f64,
}

impl Workspace {
    /// Fits parameters and starting values to measured columns. `progress` may stop it.
    ///
    /// ```
    /// use dalembert::{Model, Source, fit::{FitRequest, Measurements}, run::Flow};
    /// let text = "parameter k = 4, m = 1\ncoordinate x\nkinetic m/2*x'^2\npotential k/2*x^2\ninitial x = 1\nsimulate until 2";
    /// let model = Model::load(&Source::new("spring.dal", text), &Default::default()).unwrap();
    /// let rows: Vec<String> = (0..20).map(|i| format!("{},{}", 0.1 * i as f64, (3.0 * 0.1 * i as f64).cos())).collect();
    /// let data = Measurements::read(&format!("t,x\n{}", rows.join("\n"))).unwrap();
    /// let request = FitRequest { free: vec![("k".to_owned(), None)], ..FitRequest::default() };
    /// let fit = model.workspace().fit(&data, &request, |_| Flow::Continue).unwrap();
    /// assert!((fit.estimates[0].value - 9.0).abs() < 1e-8);
    /// ```
    pub fn fit(
        &mut self,
        data: &Measurements,
        request: &FitRequest,
        mut progress: impl FnMut(FitProgress) -> Flow,
    ) -> Result<Fit, Box<Diagnostic>> {
        let problem = Problem::new(self, data, request)?;
        let mut search =
            Search { model: self, problem, progress: &mut progress, motions: 0, residual: f64::NAN };
        search.run()
    }
}

/// What is compared with what.
struct Problem<'d> {
    data: &'d Measurements,
    varied: Vec<Varied>,
    start: Vec<f64>,
    /// Columns of the data that are compared, with their place in the table of a motion.
    columns: Vec<(usize, String)>,
    request: Request,
}

impl<'d> Problem<'d> {
    fn new(
        model: &mut Workspace,
        data: &'d Measurements,
        request: &FitRequest,
    ) -> Result<Self, Box<Diagnostic>> {
        let names: Vec<String> = request.free.iter().map(|(name, _)| name.clone()).collect();
        if names.is_empty() {
            let d = Diagnostic::error(Code::BadOption, None, "nothing is free to be fitted");
            return Err(Box::new(
                d.help("name parameters or starting values, as `--free \"k=1, theta(0)\"`"),
            ));
        }
        let varied = model.varied(&names)?;
        let state = model.start()?.state;
        let mut start = Vec::new();
        for (v, (_, given)) in varied.iter().zip(&request.free) {
            let own = match v.target {
                VariedTarget::Parameter(k) => model.compiled.parameters()[k],
                VariedTarget::Start(target) => model.start_value(target, &state),
            };
            start.push(given.unwrap_or(own));
        }
        let mut known: Vec<String> = model.state_names().into_iter().map(str::to_owned).collect();
        known.extend(model.system.experiment.outputs.iter().map(|o| o.name.clone()));
        let columns: Vec<(usize, String)> = data
            .columns
            .iter()
            .enumerate()
            .filter(|(_, (name, _))| known.contains(name))
            .map(|(k, (name, _))| (k, name.clone()))
            .collect();
        if columns.is_empty() {
            let measured: Vec<&str> = data.columns.iter().map(|(name, _)| name.as_str()).collect();
            let message = format!("no measured column is a column of the motion: {}", measured.join(", "));
            let d = Diagnostic::error(Code::DataMismatch, None, message);
            let near = measured.first().and_then(|m| nearest(m, known.iter().map(String::as_str)));
            return Err(Box::new(match near {
                Some(near) => d.help(format!("did you mean `{near}`?")),
                None => d.help(format!("columns of the motion are {}", known.join(", "))),
            }));
        }
        let count = columns.iter().flat_map(|(k, _)| &data.columns[*k].1).filter(|v| v.is_finite()).count();
        if count < varied.len() {
            let message = format!("{count} measured values cannot determine {} quantities", varied.len());
            return Err(Box::new(
                Diagnostic::error(Code::DataMismatch, None, message).help("leave some fixed"),
            ));
        }
        if data.times[0] < 0.0 {
            let message = format!("the data begin at t = {}, before the motion does", data.times[0]);
            return Err(Box::new(
                Diagnostic::error(Code::DataMismatch, None, message).help("shift the times"),
            ));
        }
        let last = data.times.last().copied().unwrap_or(0.0);
        let motion = Request {
            until: Some(if last > 0.0 { last } else { f64::MIN_POSITIVE }),
            times: Some(data.times.clone()),
            sensitivity: names,
            every: None,
            ..request.motion.clone()
        };
        Ok(Problem { data, varied, start, columns, request: motion })
    }
}

/// Differences and their derivatives, one row for each value that was measured.
struct Compared {
    /// Column of each row.
    of: Vec<usize>,
    residuals: Vec<f64>,
    /// Row-major, one column for each parameter.
    jacobian: Vec<f64>,
}

struct Search<'m, 'd, P> {
    model: &'m mut Workspace,
    problem: Problem<'d>,
    progress: &'m mut P,
    motions: usize,
    residual: f64,
}

impl<P: FnMut(FitProgress) -> Flow> Search<'_, '_, P> {
    fn run(&mut self) -> Result<Fit, Box<Diagnostic>> {
        let mut p = self.problem.start.clone();
        let mut now = self.compare(&p)?;
        let mut scatter = self.spreads();
        let mut iterations = 0;
        for _ in 0..MAX_WEIGHINGS {
            iterations += self.settle(&mut p, &mut now, &scatter)?;
            let new = self.scatters(&now);
            let change = new.iter().zip(&scatter).fold(0.0f64, |m, (a, b)| m.max((a / b).ln().abs()));
            scatter = new;
            if self.problem.columns.len() < 2 || change < 1e-3 {
                break;
            }
        }
        Ok(self.report(&p, &now, &scatter, iterations))
    }

    /// Levenberg and Marquardt for a given scatter of the columns; how many steps it took.
    fn settle(
        &mut self,
        p: &mut Vec<f64>,
        now: &mut Compared,
        scatter: &[f64],
    ) -> Result<usize, Box<Diagnostic>> {
        let mut normal = Normal::new(now, scatter, p.len());
        let mut damping = 1e-3;
        for iteration in 1..=MAX_ITERATIONS {
            self.residual = (normal.cost / normal.count as f64).sqrt();
            let Step { change, gain } = normal.step(damping);
            let small = change.iter().zip(p.iter()).all(|(d, p)| d.abs() <= SMALL_STEP * (p.abs() + 1e-6));
            if small || gain <= SMALL_GAIN * normal.cost {
                return Ok(iteration);
            }
            let trial: Vec<f64> = p.iter().zip(&change).map(|(p, d)| p + d).collect();
            // A motion that cannot be computed is as bad as one that does not fit.
            let tried = match self.compare(&trial) {
                Ok(tried) => tried,
                Err(d) if damping > 1e12 || self.cancelled() => return Err(d),
                Err(_) => {
                    damping *= 10.0;
                    continue;
                }
            };
            let next = Normal::new(&tried, scatter, p.len());
            if next.cost.is_finite() && next.cost < normal.cost {
                let done = normal.cost - next.cost <= SMALL_GAIN * normal.cost;
                damping = (damping * 0.1).max(1e-12);
                (*p, *now) = (trial, tried);
                normal = next.with_scale_of(&normal);
                if done {
                    return Ok(iteration);
                }
            } else {
                damping *= 10.0;
                if damping > 1e16 {
                    return Ok(iteration);
                }
            }
        }
        let message = format!("{MAX_ITERATIONS} steps did not bring the sum of squares to its least value");
        let d = Diagnostic::error(Code::NotConverged, None, message);
        Err(Box::new(d.help("begin nearer to the solution, or leave fewer parameters free")))
    }

    fn cancelled(&mut self) -> bool {
        let now = FitProgress { motions: self.motions, t: 0.0, residual: self.residual };
        (self.progress)(now) == Flow::Cancel
    }

    /// The motion with these values, compared with the data.
    fn compare(&mut self, p: &[f64]) -> Result<Compared, Box<Diagnostic>> {
        let problem = &self.problem;
        for (v, value) in problem.varied.iter().zip(p) {
            self.model.vary(v, *value)?;
        }
        let parameters = vec![None; self.model.system.parameters.len()];
        self.model.give_parameters(&parameters)?;
        self.motions += 1;
        let (motions, residual, progress) = (self.motions, self.residual, &mut *self.progress);
        let motion =
            self.model.simulate(&problem.request, |t| progress(FitProgress { motions, t, residual }))?;
        if let Some(failure) = motion.failure {
            return Err(Box::new(failure));
        }
        let table = &motion.table;
        let place = |name: &str| table.columns.iter().position(|c| c == name);
        let mut out = Compared { of: Vec::new(), residuals: Vec::new(), jacobian: Vec::new() };
        let mut rows = table.rows().peekable();
        let places: Vec<(usize, usize, Vec<usize>)> = problem
            .columns
            .iter()
            .enumerate()
            .filter_map(|(c, (_, name))| {
                let slopes = problem.varied.iter().map(|v| place(&format!("d({name})/d({})", v.name)));
                Some((c, place(name)?, slopes.collect::<Option<Vec<usize>>>()?))
            })
            .collect();
        for (i, &t) in problem.data.times.iter().enumerate() {
            let near = |row: &[f64]| (row[0] - t).abs() <= 1e-9 * (1.0 + t.abs());
            while rows.peek().is_some_and(|row| !near(row) && row[0] < t) {
                rows.next();
            }
            let Some(row) = rows.peek().filter(|row| near(row)) else {
                let message = format!("the motion ends before the data do: there is no row at t = {t}");
                let d = Diagnostic::error(Code::DataMismatch, None, message);
                return Err(Box::new(d.help("leave out a stopping event, or the data behind it")));
            };
            for (c, column, slopes) in &places {
                let measured = problem.data.columns[problem.columns[*c].0].1[i];
                if measured.is_finite() {
                    out.of.push(*c);
                    out.residuals.push(row[*column] - measured);
                    out.jacobian.extend(slopes.iter().map(|k| row[*k]));
                }
            }
        }
        if out.residuals.iter().chain(&out.jacobian).any(|v| !v.is_finite()) {
            let message = "the motion or its derivatives leave the finite numbers";
            return Err(Box::new(Diagnostic::error(Code::StateNotFinite, None, message)));
        }
        self.drop_rounding(&mut out);
        Ok(out)
    }

    /// Columns of the derivative that are rounding everywhere (the mass of what a requirement leads) become zeros: a change as
    /// large as the value that was begun with, or 1, does not show in the data. Steps along them would go anywhere.
    fn drop_rounding(&self, found: &mut Compared) {
        let spreads = self.spreads();
        for (a, start) in self.problem.start.iter().enumerate() {
            let size = start.abs().max(1.0);
            let mut rows = found.jacobian.chunks(self.problem.start.len()).zip(&found.of);
            if rows.all(|(row, c)| row[a].abs() * size <= LEAST_SCATTER * spreads[*c]) {
                found.jacobian.iter_mut().skip(a).step_by(self.problem.start.len()).for_each(|v| *v = 0.0);
            }
        }
    }

    /// Spread of each measured column, to begin with.
    fn spreads(&self) -> Vec<f64> {
        let spread = |k: usize| {
            let values: Vec<f64> =
                self.problem.data.columns[k].1.iter().copied().filter(|v| v.is_finite()).collect();
            let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
            let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len().max(1) as f64;
            let size = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            let spread = square.sqrt().max(1e-6 * size);
            if spread > 0.0 { spread } else { 1.0 }
        };
        self.problem.columns.iter().map(|(k, _)| spread(*k)).collect()
    }

    /// Scatter of each column by what is left, with its share of the parameters taken off.
    fn scatters(&self, now: &Compared) -> Vec<f64> {
        let count = now.residuals.len() as f64;
        let share = (1.0 - self.problem.varied.len() as f64 / count).max(1.0 / count);
        let spreads = self.spreads();
        (0..self.problem.columns.len())
            .map(|c| {
                let own: Vec<f64> =
                    (0..now.of.len()).filter(|i| now.of[*i] == c).map(|i| now.residuals[i]).collect();
                let square = own.iter().map(|r| r * r).sum::<f64>() / own.len().max(1) as f64;
                (square / share).sqrt().max(LEAST_SCATTER * spreads[c])
            })
            .collect()
    }

    fn report(&self, p: &[f64], now: &Compared, scatter: &[f64], iterations: usize) -> Fit {
        let normal = Normal::new(now, scatter, p.len());
        let names: Vec<&str> = self.problem.varied.iter().map(|v| v.name.as_str()).collect();
        let found = normal.uncertainty(p);
        let estimates = names.iter().zip(p).zip(&found.errors);
        let estimates = estimates.map(|((name, value), error)| Estimate {
            name: (*name).to_owned(),
            value: *value,
            error: *error,
        });
        let unidentifiable: Vec<Vec<(String, f64)>> = found
            .open
            .iter()
            .map(|v| {
                let parts = v.iter().enumerate().filter(|(_, c)| c.abs() > 1e-3);
                parts.map(|(j, c)| (names[j].to_owned(), *c)).collect()
            })
            .collect();
        let mut warnings = Vec::new();
        for combination in &unidentifiable {
            let text: Vec<String> =
                combination.iter().map(|(n, c)| format!("{} d{n}/{n}", crate::number::short(*c))).collect();
            let message = match combination.as_slice() {
                [(name, _)] => format!("the data do not depend on `{name}`"),
                _ => format!(
                    "the data do not determine the combination {}",
                    text.join(" + ").replace("+ -", "- ")
                ),
            };
            let d = Diagnostic::warning(Code::NotIdentifiable, None, message);
            warnings.push(d.help("fix one of these parameters, or measure something that depends on it"));
        }
        let square =
            |rows: &[f64]| (rows.iter().map(|r| r * r).sum::<f64>() / rows.len().max(1) as f64).sqrt();
        let column = |(c, (_, name)): (usize, &(usize, String))| {
            let own: Vec<f64> =
                (0..now.of.len()).filter(|i| now.of[*i] == c).map(|i| now.residuals[i]).collect();
            FittedColumn { name: name.clone(), count: own.len(), residual: square(&own) }
        };
        Fit {
            estimates: estimates.collect(),
            correlations: found.correlations,
            unidentifiable,
            residual: square(&now.residuals),
            columns: self.problem.columns.iter().enumerate().map(column).collect(),
            iterations,
            motions: self.motions,
            warnings,
        }
    }
}

impl Workspace {
    /// Gives what is varied another value, as a definition of its own.
    fn vary(&mut self, varied: &Varied, value: f64) -> Result<(), Box<Diagnostic>> {
        let Some(number) = Rational::from_f64(value) else {
            let message = format!("`{}` leaves the range of numbers", varied.name);
            return Err(Box::new(Diagnostic::error(Code::NotFinite, None, message)));
        };
        let number = self.system.pool.number(number);
        match varied.target {
            VariedTarget::Parameter(k) => self.system.parameters[k].value = number,
            VariedTarget::Start(target) => {
                let same = |known: &InitialTarget| *known == target;
                self.system.experiment.initial.retain(|i| !same(&i.target));
                self.system.experiment.initial.push(Initial {
                    target,
                    fixed: true,
                    value: number,
                    span: None,
                });
            }
        }
        Ok(())
    }
}
