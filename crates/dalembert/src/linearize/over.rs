//! Eigenvalues over a parameter or a starting value, each followed along its branch.

use super::Linearizer;
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::model::Model;
use crate::simulate::Table;
use dalembert_run::State;
use dalembert_run::linalg::Complex;

/// Points of a sweep at most.
pub const MAX_POINTS: usize = 100_000;

/// `NAME=LOW..HIGH:COUNT`.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// What is varied.
    pub name: String,
    /// First value.
    pub low: f64,
    /// Last value.
    pub high: f64,
    /// How many values, two at least.
    pub count: usize,
}

impl Range {
    /// Reads `v=0..10:101`; without a count there are 101 points.
    ///
    /// ```
    /// use dalembert::linearize::Range;
    /// let range = Range::read("x'=-1..3:5").unwrap();
    /// assert_eq!((range.name.as_str(), range.values()), ("x'", vec![-1.0, 0.0, 1.0, 2.0, 3.0]));
    /// assert!(Range::read("x=1").is_err());
    /// ```
    pub fn read(text: &str) -> Result<Range, Box<Diagnostic>> {
        let wrong = || {
            let d = Diagnostic::error(Code::BadOption, None, format!("`{text}` is no range of values"));
            Box::new(d.help(format!("write it as \"v=0..10:101\", with 2 to {MAX_POINTS} points")))
        };
        let (name, rest) = text.split_once('=').ok_or_else(wrong)?;
        let (bounds, count) = rest.split_once(':').unwrap_or((rest, "101"));
        let (low, high) = bounds.split_once("..").ok_or_else(wrong)?;
        let value = |text: &str| {
            let pairs = crate::requests::assignments(&format!("x = {}", text.trim())).map_err(|_| wrong())?;
            pairs.first().map(|(_, v)| *v).ok_or_else(wrong)
        };
        let count: usize = count.trim().parse().map_err(|_| wrong())?;
        let range = Range { name: name.trim().to_owned(), low: value(low)?, high: value(high)?, count };
        let good =
            (2..=MAX_POINTS).contains(&range.count) && range.low != range.high && !range.name.is_empty();
        if good { Ok(range) } else { Err(wrong()) }
    }

    /// The values, ends included.
    pub fn values(&self) -> Vec<f64> {
        let last = (self.count - 1) as f64;
        (0..self.count).map(|k| self.low + (self.high - self.low) * (k as f64 / last)).collect()
    }
}

/// What to sweep.
#[derive(Clone, Debug, Default)]
pub struct Over {
    /// Values that stay, as in `--at`.
    pub at: String,
    /// Independent variables asked for.
    pub independent: Vec<String>,
    /// Whether to move to the nearest equilibrium or steady motion at each point.
    pub settle: bool,
    /// What one unit of the range is of the parameter in SI.
    pub unit: f64,
}

/// A sweep: the value, then real and imaginary part of each branch.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// `NAME, re1, im1, re2, im2, ...`
    pub table: Table,
    /// Points where there was no linear system, with the reason; their rows hold NaN.
    pub gaps: Vec<(f64, String)>,
    /// The states, where they were the same at all points.
    pub states: Vec<String>,
    /// Operating points that were neither equilibria nor steady motions.
    pub unsteady: usize,
}

impl Model {
    /// Eigenvalues over a range of a parameter or of a starting value.
    pub fn eigenvalues_over(&mut self, range: &Range, over: &Over) -> Result<Sweep, Box<Diagnostic>> {
        let parameter = self.system.parameters.iter().position(|p| p.name == range.name);
        let known = self.state_names().contains(&range.name.as_str()) || range.name == "t";
        if parameter.is_none() && !known {
            return Err(Box::new(unknown(self, &range.name)));
        }
        let linearizer = Linearizer::new(self, &over.independent)?;
        let kept = self.system.parameters.iter().map(|p| p.value).collect::<Vec<_>>();
        let mut walk = Walk::default();
        for value in range.values() {
            let mut at = over.at.clone();
            match parameter {
                Some(k) => {
                    let number = dalembert_expr::Rational::from_f64(value * over.unit);
                    let Some(number) = number else { continue };
                    self.system.parameters[k].value = self.system.pool.number(number);
                    self.refresh_parameters();
                }
                None => {
                    let comma = if at.trim().is_empty() { "" } else { ", " };
                    at = format!("{at}{comma}{} = {}", range.name, crate::export::number(value));
                }
            }
            walk.step(self, &linearizer, value, &at, over.settle);
        }
        for (p, value) in self.system.parameters.iter_mut().zip(kept) {
            p.value = value;
        }
        self.refresh_parameters();
        walk.finish(&range.name)
    }

    /// Gives the compiled system the values that the parameters have now.
    fn refresh_parameters(&mut self) {
        let values = crate::compile::parameter_values(&mut self.system);
        self.compiled.set_parameters(&values);
    }
}

#[derive(Default)]
struct Walk {
    values: Vec<f64>,
    /// Branches at each value; empty where there are none.
    rows: Vec<Vec<Complex>>,
    gaps: Vec<(f64, String)>,
    first_gap: Option<Box<Diagnostic>>,
    states: Vec<String>,
    unsteady: usize,
    last: Option<State>,
}

impl Walk {
    fn step(&mut self, model: &mut Model, linearizer: &Linearizer, value: f64, at: &str, settle: bool) {
        self.values.push(value);
        let found = model.operating_point(at).and_then(|state| {
            let from = if settle { self.last.as_ref().unwrap_or(&state) } else { &state };
            match settle {
                true => linearizer.settle(model, from),
                false => Ok(state),
            }
        });
        match found.and_then(|state| linearizer.at(model, &state)) {
            Ok(linear) => {
                self.unsteady += usize::from(linear.stability.is_none());
                let row = follow(&self.rows, linear.eigen.values);
                self.rows.push(row);
                self.states = linear.states;
                self.last = Some(linear.state);
            }
            Err(error) => {
                self.gaps.push((value, error.message.clone()));
                self.first_gap.get_or_insert(error);
                self.rows.push(Vec::new());
            }
        }
    }

    fn finish(self, name: &str) -> Result<Sweep, Box<Diagnostic>> {
        let n = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        if n == 0
            && let Some(error) = self.first_gap
        {
            return Err(error);
        }
        let mut columns = vec![name.to_owned()];
        (1..=n).for_each(|k| columns.extend([format!("re{k}"), format!("im{k}")]));
        let mut values = Vec::with_capacity(self.rows.len() * columns.len());
        for (value, row) in self.values.iter().zip(&self.rows) {
            values.push(*value);
            for k in 0..n {
                let v = row.get(k).copied().unwrap_or(Complex::new(f64::NAN, f64::NAN));
                values.extend([v.re, v.im]);
            }
        }
        let table = Table { columns, values };
        Ok(Sweep { table, gaps: self.gaps, states: self.states, unsteady: self.unsteady })
    }
}

/// Puts eigenvalues in the order of the branches so far: nearest first to where a straight line would be.
fn follow(rows: &[Vec<Complex>], values: Vec<Complex>) -> Vec<Complex> {
    let n = values.len();
    let same: Vec<&Vec<Complex>> = rows.iter().rev().take(2).take_while(|row| row.len() == n).collect();
    let Some(last) = same.first() else { return values };
    let expected: Vec<Complex> = (0..n)
        .map(|k| match same.get(1) {
            Some(before) => last[k] + last[k] - before[k],
            None => last[k],
        })
        .collect();
    let mut pairs: Vec<(f64, usize, usize)> = Vec::with_capacity(n * n);
    for k in 0..n {
        for (j, v) in values.iter().enumerate() {
            // Where branches meet the straight line misleads; the last value helps to decide.
            let distance = (*v - expected[k]).abs() + 0.1 * (*v - last[k]).abs();
            pairs.push((distance, k, j));
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    let (mut out, mut used) = (vec![None; n], vec![false; n]);
    for (_, k, j) in pairs {
        if out[k].is_none() && !used[j] {
            out[k] = Some(values[j]);
            used[j] = true;
        }
    }
    out.into_iter().flatten().collect()
}

fn unknown(model: &Model, name: &str) -> Diagnostic {
    let parameters = model.system.parameters.iter().map(|p| p.name.as_str());
    let names: Vec<&str> = parameters.chain(model.state_names()).collect();
    let message = format!("`{name}` is no parameter, coordinate or speed of this model");
    let d = Diagnostic::error(Code::BadOption, None, message);
    match nearest(name, names.iter().copied()) {
        Some(near) => d.help(format!("did you mean `{near}`?")),
        None => d.help(format!("known are {}", names.join(", "))),
    }
}
