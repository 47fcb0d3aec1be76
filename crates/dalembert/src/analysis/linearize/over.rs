//! Eigenvalues over a parameter or a starting value, each followed along its branch.

use super::{Linearization, Linearizer, stability};
use crate::simulate::Table;
use crate::workspace::Workspace;
use dalembert_linalg::{Complex, Eigen};
use dalembert_run::State;
use dalembert_syntax::diagnostic::{Code, Diagnostic, nearest};

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
            let d = Diagnostic::error(Code::BadOption, None, format!("`{text}` is not a range of values"));
            Box::new(d.help(format!("write it as \"v=0..10:101\", with 2 to {MAX_POINTS} points")))
        };
        let (name, rest) = text.split_once('=').ok_or_else(wrong)?;
        let (bounds, count) = rest.split_once(':').unwrap_or((rest, "101"));
        let (low, high) = bounds.split_once("..").ok_or_else(wrong)?;
        let value = |text: &str| {
            let pairs =
                crate::assignments::assignments(&format!("x = {}", text.trim())).map_err(|_| wrong())?;
            pairs.first().map(|(_, v)| *v).ok_or_else(wrong)
        };
        let count: usize = count.trim().parse().map_err(|_| wrong())?;
        let range = Range { name: name.trim().to_owned(), low: value(low)?, high: value(high)?, count };
        let good =
            (2..=MAX_POINTS).contains(&range.count) && range.low != range.high && !range.name.is_empty();
        if good { Ok(range) } else { Err(wrong()) }
    }

    /// The unit of the values: that of the file for a parameter, SI for a state.
    #[must_use]
    pub fn unit(&self, system: &crate::system::System) -> Option<String> {
        let parameter = system.parameters.iter().find(|p| p.name == self.name);
        parameter.map_or_else(|| system.unit_of_column(&self.name), |p| p.file_unit())
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
}

/// A sweep: the value, then real and imaginary part of each branch.
#[derive(Clone, Debug)]
pub struct RootLocus {
    /// `NAME, re1, im1, re2, im2, ...`
    pub table: Table,
    /// Points where there was no linear system, with the reason; their rows hold NaN.
    pub gaps: Vec<(f64, String)>,
    /// The states, where they were the same at all points.
    pub states: Vec<String>,
    /// Operating points that were neither equilibria nor steady motions.
    pub unsteady: usize,
    /// Where real parts become positive (`true`) or cease to be.
    pub crossings: Vec<(f64, bool)>,
}

/// Halvings between two points.
const MAX_HALVINGS: usize = 60;

impl Workspace {
    /// Eigenvalues over a range of a parameter or of a starting value.
    pub fn eigenvalues_over(&self, range: &Range, over: &Over) -> Result<RootLocus, Box<Diagnostic>> {
        let mut work = self.clone();
        let parameter = self.system.parameters.iter().position(|p| p.name == range.name);
        let known = self.state_names().contains(&range.name.as_str()) || range.name == "t";
        if parameter.is_none() && !known {
            return Err(Box::new(unknown(self, &range.name)));
        }
        let linearizer = Linearizer::new(&mut work, &over.independent)?;
        let mut walk = Walk::default();
        let sought = Sought { linearizer: &linearizer, parameter, range, over };
        for value in range.values() {
            let before = walk.last_point();
            let from = walk.last.clone();
            let found = sought.at(&mut work, value, from.as_ref());
            let unstable = walk.step(value, found);
            let Some(((low, count), to)) = before.zip(unstable) else { continue };
            if count != to {
                let at = sought.crossing(&mut work, (low, count), value, from);
                walk.crossings.push((at, to > count));
            }
        }
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
    growing: Option<usize>,
    crossings: Vec<(f64, bool)>,
}

/// What is linearised at each value.
struct Sought<'a> {
    linearizer: &'a Linearizer,
    parameter: Option<usize>,
    range: &'a Range,
    over: &'a Over,
}

impl Sought<'_> {
    /// The linear system at a value; a search for the steady motion begins at `from`.
    fn at(
        &self,
        model: &mut Workspace,
        value: f64,
        from: Option<&State>,
    ) -> Result<Linearization, Box<Diagnostic>> {
        let mut at = self.over.at.clone();
        match self.parameter {
            Some(k) => {
                let number = dalembert_expr::Rational::from_f64(value * model.system.parameters[k].unit_size);
                let number = number.unwrap_or(dalembert_expr::Rational::ZERO);
                model.system.parameters[k].value = model.system.pool.number(number);
                model.refresh_parameters();
            }
            None => {
                let comma = if at.trim().is_empty() { "" } else { ", " };
                at = format!("{at}{comma}{} = {}", self.range.name, crate::number::number(value));
            }
        }
        let mut state = model.operating_point(&at)?;
        if self.over.settle {
            state = self.linearizer.settle(model, from.unwrap_or(&state))?;
        }
        self.linearizer.at(model, &state)
    }

    /// Where the number of growing modes changes, by bisection.
    fn crossing(
        &self,
        model: &mut Workspace,
        (mut low, count): (f64, usize),
        mut high: f64,
        mut from: Option<State>,
    ) -> f64 {
        let reach = high - low;
        for _ in 0..MAX_HALVINGS {
            let middle = 0.5 * (low + high);
            if (high - low).abs() <= 1e-14 * low.abs().max(high.abs()) {
                break;
            }
            match self.at(model, middle, from.as_ref()) {
                Ok(l) if growing(&l.eigen) == count => {
                    low = middle;
                    from = Some(l.state);
                }
                Ok(_) => high = middle,
                Err(_) => break,
            }
        }
        let at = 0.5 * (low + high);
        let refined =
            [reach, -reach].into_iter().find_map(|side| self.double_root(model, at, side, from.as_ref()));
        refined.unwrap_or(at)
    }

    /// Where two eigenvalues meet at zero or on the axis, the real part leaves it like a square root and rounding blurs the place.
    /// Its square is smooth: it is continued from a little way off.
    fn double_root(&self, model: &mut Workspace, at: f64, reach: f64, from: Option<&State>) -> Option<f64> {
        let h = 3e-4 * reach;
        let mut square = |k: f64| {
            let l = self.at(model, at + k * h, from).ok()?;
            let re = l.eigen.values.iter().map(|v| v.re).fold(0.0, f64::max);
            Some(re * re)
        };
        let (one, two, four) = (square(1.0)?, square(2.0)?, square(4.0)?);
        if !(1.9..2.1).contains(&(two / one)) || !(3.8..4.2).contains(&(four / one)) {
            return None;
        }
        let (left, slope) = ((8.0 * one - 6.0 * two + four) / 3.0, (two - one) / h);
        let shift = -left / slope;
        (shift.abs() < 1e-5 * reach.abs()).then_some(at + shift)
    }
}

/// Eigenvalues whose real part is positive beyond doubt.
fn growing(e: &Eigen) -> usize {
    (0..e.values.len()).filter(|&k| e.values[k].re > stability::rounding(e, k)).count()
}

impl Walk {
    /// The point before, if it has eigenvalues, and how many of them grow.
    fn last_point(&self) -> Option<(f64, usize)> {
        Some((*self.values.last()?, self.growing?))
    }

    /// Takes a point; the number of modes that grow.
    fn step(&mut self, value: f64, found: Result<Linearization, Box<Diagnostic>>) -> Option<usize> {
        self.values.push(value);
        self.growing = found.as_ref().ok().map(|l| growing(&l.eigen));
        match found {
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
        self.growing
    }

    fn finish(self, name: &str) -> Result<RootLocus, Box<Diagnostic>> {
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
        Ok(RootLocus {
            table,
            gaps: self.gaps,
            states: self.states,
            unsteady: self.unsteady,
            crossings: self.crossings,
        })
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

fn unknown(model: &Workspace, name: &str) -> Diagnostic {
    let parameters = model.system.parameters.iter().map(|p| p.name.as_str());
    let names: Vec<&str> = parameters.chain(model.state_names()).collect();
    let message = format!("`{name}` is not a parameter, coordinate or speed of this model");
    let d = Diagnostic::error(Code::BadOption, None, message);
    match nearest(name, names.iter().copied()) {
        Some(near) => d.help(format!("did you mean `{near}`?")),
        None => d.help(format!("known are {}", names.join(", "))),
    }
}
