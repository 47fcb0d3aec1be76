//! The derivative of a number of a motion by many parameters and starting values, by one sweep backwards (S4).
//!
//! The number is a sum: a column at the end of the run, or squares of the distance of a column from measured values. An
//! integral along the motion is a `state` of the model, at the end. The sweep costs a few motions however many parameters there
//! are; where the acceleration is not one program (friction, control, non-ideal work, very large models), forward sensitivities (S1, S3)
//! give the same derivative at a cost that grows with their number. Checked by `tests/it/gradient.rs`.

use crate::explain;
use crate::sensitivity::Varied;
use crate::simulate::{Motion, Ran, Request, Sweep, Table};
use crate::workspace::Workspace;
use dalembert_run::{Flow, RowWeights};
use dalembert_syntax::diagnostic::{Code, Diagnostic, nearest};

/// Times nearer than this, relative to them, are the same.
const SAME_TIME: f64 = 1e-12;

/// A part of the number that is differentiated; its parts are added.
#[derive(Clone, Debug, PartialEq)]
pub enum CostTerm {
    /// A column at the end of the run.
    Final(String),
    /// Squares of (column - value)/scale at times.
    Squares {
        /// The column.
        column: String,
        /// Times, ascending.
        times: Vec<f64>,
        /// A value for each of them; one that is not a number is left out.
        values: Vec<f64>,
        /// What a distance is measured by.
        scale: f64,
    },
}

/// How a gradient is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GradientRoad {
    /// By one sweep backwards (S4).
    Adjoint,
    /// By sensitivities that go along (S1, S3).
    Forward,
}

/// A number of a motion with its derivatives.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// The number.
    pub value: f64,
    /// Its derivatives, in the order of the names, by SI units.
    pub by: Vec<f64>,
    /// How they were computed.
    pub road: GradientRoad,
    /// Evaluations of the equations of the derivatives: of the transposed program, or of all directions together.
    pub evaluations: usize,
    /// The motion.
    pub motion: Motion,
}

impl Workspace {
    /// The derivative of a number of a motion by parameters (`m`) and starting values (`x(0)`); on the given road, or backwards
    /// where that is possible.
    ///
    /// ```
    /// use dalembert::{Model, Request, Source, gradient::CostTerm};
    /// let text = "parameter k = 4, m = 1\ncoordinate x\nkinetic m/2*x'^2\npotential k/2*x^2\ninitial x = 1\nsimulate until 2";
    /// let model = Model::load(&Source::new("spring.dal", text), &Default::default()).unwrap();
    /// let names = ["k".to_owned(), "x(0)".to_owned()];
    /// let found = model.workspace().gradient(&Request::default(), &[CostTerm::Final("x".to_owned())], &names, None).unwrap();
    /// // x = cos(w t), w = 2, t = 2: by k it is -sin(w t) t/(2 w).
    /// assert!((found.by[0] + 4.0f64.sin() / 2.0).abs() < 1e-6);
    /// assert!((found.by[1] - 4.0f64.cos()).abs() < 1e-6);
    /// ```
    pub fn gradient(
        &mut self,
        request: &Request,
        cost: &[CostTerm],
        by: &[String],
        road: Option<GradientRoad>,
    ) -> Result<Gradient, Box<Diagnostic>> {
        let varied = self.varied(by)?;
        let plan = Plan::new(self, cost)?;
        let mut request = plan.request(self, request)?;
        if road != Some(GradientRoad::Forward) {
            match self.backward(&request, &plan, &varied)? {
                Some(found) => return Ok(found),
                None if road.is_some() => {
                    let message = "this gradient is not computed backwards: the acceleration is not one program, or the number is read right behind an event";
                    let d = Diagnostic::error(Code::NoSensitivity, None, message);
                    return Err(Box::new(
                        d.help("compute it forward, which costs more with every parameter"),
                    ));
                }
                None => {}
            }
        }
        request.sensitivity = by.to_vec();
        let motion = self.simulate(&request, |_| Flow::Continue)?;
        let motion = complete(motion)?;
        let (value, weights) = plan.evaluate(&motion.table)?;
        let own = (motion.table.columns.len() - 1) / (by.len() + 1);
        let part = |k: usize| {
            let each = weights
                .iter()
                .map(|(row, column, w)| w * motion.table.row(*row)[1 + own * (k + 1) + column - 1]);
            each.sum::<f64>()
        };
        Ok(Gradient {
            value,
            by: (0..by.len()).map(part).collect(),
            road: GradientRoad::Forward,
            evaluations: motion.sensitivity_evaluations,
            motion,
        })
    }

    /// By a sweep backwards, where there is one.
    fn backward(
        &mut self,
        request: &Request,
        plan: &Plan,
        varied: &[Varied],
    ) -> Result<Option<Gradient>, Box<Diagnostic>> {
        let positions = self.system.positions();
        let (n_x, n) = (self.form.coordinates.len(), self.form.speeds.len());
        let outputs = self.system.experiment.outputs.len();
        // The state in the order of the table: positions, speeds, other variables.
        let place = |column: usize| match column - 1 {
            k if k < positions => k,
            k if k < positions + n => n_x + k - positions,
            k => k - n,
        };
        let has_outputs = plan.terms.iter().any(|term| term.column > n_x + n);
        if has_outputs && crate::compile::Compiled::outputs_need_work(&mut self.system) {
            return Ok(None);
        }
        let weights = |t: f64, table: &Table| {
            let list = plan.weights_at(t, table)?;
            let count = if has_outputs { outputs } else { 0 };
            let mut found = RowWeights { state: vec![0.0; n_x + n], outputs: vec![0.0; count] };
            for (column, weight) in list {
                match column > n_x + n {
                    true => found.outputs[column - 1 - n_x - n] += weight,
                    false => found.state[place(column)] += weight,
                }
            }
            Some(found)
        };
        let times = request.times.clone().unwrap_or_default();
        let sweep = Sweep { varied, times, outputs: has_outputs, weights: &weights };
        let (motion, swept) = match self.simulate_swept(request, &sweep)? {
            Ran::Motion(motion, Some(swept)) => (motion, swept),
            _ => return Ok(None),
        };
        let motion = complete(*motion)?;
        let (value, _) = plan.evaluate(&motion.table)?;
        let pulled = match swept.pulled {
            Ok(pulled) => pulled,
            Err(
                dalembert_run::NotDifferentiable::Reset(_) | dalembert_run::NotDifferentiable::Unannounced,
            ) => {
                return Ok(None);
            }
            Err(reason) => {
                return Err(Box::new(explain::not_differentiable(motion.outcome.state.t, &reason, self)));
            }
        };
        let dot =
            |a: &[f64], b: &mut dyn Iterator<Item = f64>| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let by = swept.directions.iter().zip(&pulled.directions).map(|(direction, jumped)| {
            let start = dot(&pulled.start, &mut direction.x.iter().chain(&direction.eta).copied());
            start + dot(&pulled.parameters, &mut direction.parameters.iter().copied()) + jumped
        });
        Ok(Some(Gradient {
            value,
            by: by.collect(),
            road: GradientRoad::Adjoint,
            evaluations: pulled.evaluations,
            motion,
        }))
    }
}

/// A run that ended early has no such number.
fn complete(motion: Motion) -> Result<Motion, Box<Diagnostic>> {
    match motion.failure {
        Some(failure) => Err(Box::new(failure)),
        None => Ok(motion),
    }
}

/// A term with the place of its column in the table.
struct Term {
    column: usize,
    /// Times, values and scale; nothing for the end.
    data: Option<(Vec<f64>, Vec<f64>, f64)>,
}

/// The derivative by an entry of the table: row, column, weight.
type Slope = (usize, usize, f64);

/// The number, by places of columns.
struct Plan {
    terms: Vec<Term>,
}

impl Plan {
    fn new(model: &Workspace, cost: &[CostTerm]) -> Result<Self, Box<Diagnostic>> {
        let mut known: Vec<&str> = model.system.table_names();
        known.extend(model.system.experiment.outputs.iter().map(|o| o.name.as_str()));
        let place = |name: &str| {
            known.iter().position(|k| *k == name).map(|k| k + 1).ok_or_else(|| {
                let message = format!("`{name}` is not a column of the motion");
                let d = Diagnostic::error(Code::BadOption, None, message);
                Box::new(match nearest(name, known.iter().copied()) {
                    Some(near) => d.help(format!("did you mean `{near}`?")),
                    None => d.help(format!("columns are {}", known.join(", "))),
                })
            })
        };
        let wrong = |message: String| Box::new(Diagnostic::error(Code::DataMismatch, None, message));
        let mut terms = Vec::new();
        for term in cost {
            terms.push(match term {
                CostTerm::Final(column) => Term { column: place(column)?, data: None },
                CostTerm::Squares { column, times, values, scale } => {
                    if times.len() != values.len() || !times.is_sorted_by(|a, b| a < b) {
                        return Err(wrong(format!(
                            "`{column}` needs ascending times and a value for each: there are {} and {}",
                            times.len(),
                            values.len()
                        )));
                    }
                    if scale.is_nan() || *scale <= 0.0 {
                        return Err(wrong(format!("the scale of `{column}` is not positive")));
                    }
                    Term { column: place(column)?, data: Some((times.clone(), values.clone(), *scale)) }
                }
            });
        }
        Ok(Plan { terms })
    }

    /// The run: rows at all times, as far as the last of them or the end.
    fn request(&self, model: &mut Workspace, request: &Request) -> Result<Request, Box<Diagnostic>> {
        let mut times: Vec<f64> =
            self.terms.iter().filter_map(|term| term.data.as_ref()).flat_map(|data| data.0.clone()).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        let mut until = request.until;
        let has_end = self.terms.iter().any(|term| term.data.is_none());
        if let (Some(last), false) = (times.last(), has_end && until.is_some()) {
            let own = if has_end { Some(model.options(request)?.until) } else { None };
            until = Some(own.map_or(*last, |own| own.max(*last)).max(f64::MIN_POSITIVE));
        }
        let mut all = Request { until, every: None, times: Some(times), ..request.clone() };
        let end = model.options(&all)?.until;
        if let Some(times) = &mut all.times
            && times.last() != Some(&end)
        {
            times.push(end);
        }
        Ok(all)
    }

    /// What the number makes of the row at a time: columns with weights. `None` where it makes nothing.
    fn weights_at(&self, t: f64, table: &Table) -> Option<Vec<(usize, f64)>> {
        let near = |a: f64| (a - t).abs() <= SAME_TIME * (1.0 + t.abs());
        let count = table.values.len() / table.columns.len();
        let is_end = count > 0 && near(table.row(count - 1)[0]);
        let row = (0..count).rev().find(|k| near(table.row(*k)[0]))?;
        let mut found = Vec::new();
        for term in &self.terms {
            match &term.data {
                None if is_end => found.push((term.column, 1.0)),
                None => {}
                Some((times, values, scale)) => {
                    let k = times.partition_point(|time| *time < t - SAME_TIME * (1.0 + t.abs()));
                    if times.get(k).is_some_and(|time| near(*time)) && values[k].is_finite() {
                        let off = table.row(row)[term.column] - values[k];
                        found.push((term.column, 2.0 * off / (scale * scale)));
                    }
                }
            }
        }
        (!found.is_empty()).then_some(found)
    }

    /// The number, and its derivative by entries of the table.
    fn evaluate(&self, table: &Table) -> Result<(f64, Vec<Slope>), Box<Diagnostic>> {
        let count = table.values.len() / table.columns.len().max(1);
        let (mut value, mut weights) = (0.0, Vec::new());
        let mut use_row = |row: usize, column: usize, data: Option<(f64, f64)>| {
            let found = table.row(row)[column];
            let (part, weight) = match data {
                None => (found, 1.0),
                Some((given, scale)) => {
                    let off = (found - given) / scale;
                    (off * off, 2.0 * off / scale)
                }
            };
            value += part;
            weights.push((row, column, weight));
        };
        for term in &self.terms {
            match &term.data {
                None => use_row(count.saturating_sub(1), term.column, None),
                Some((times, values, scale)) => {
                    let mut row = 0;
                    for (t, given) in times.iter().zip(values).filter(|(_, given)| given.is_finite()) {
                        let near = |k: usize| (table.row(k)[0] - t).abs() <= SAME_TIME * (1.0 + t.abs());
                        while row < count && !near(row) && table.row(row)[0] < *t {
                            row += 1;
                        }
                        while row + 1 < count && near(row) && near(row + 1) {
                            row += 1;
                        }
                        if row >= count || !near(row) {
                            let message = format!("the motion has no row at t = {t}");
                            return Err(Box::new(Diagnostic::error(Code::DataMismatch, None, message)));
                        }
                        use_row(row, term.column, Some((*given, *scale)));
                    }
                }
            }
        }
        Ok((value, weights))
    }
}
