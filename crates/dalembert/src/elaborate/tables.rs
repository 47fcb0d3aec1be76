//! Functions of one variable by their points: `table road = [[0, 0], [1, 0.1]]`, and samples of an input.
//!
//! Between points k and k + 1, u_k = max(0, min(1, (x - x_k)/h_k)) runs from 0 to 1 and stays there:
//!
//! ```text
//! linear   y_0 + sum of (y_k+1 - y_k) u_k
//! cubic    y_0 + sum of a_k u_k + b_k u_k^2 + c_k u_k^3, twice continuously differentiable, not-a-knot ends
//! step     y_0 + sum of (y_k - y_k-1) where x >= x_k
//! ```
//!
//! So a table is an ordinary expression: it has derivatives, its kinks and jumps are located, in time too, and every
//! method and export knows it. Beyond the points it has the end value. With more points than [`MAX_WRITTEN`] the stretch is
//! looked up: O(log points) operations.

use super::roles::{Allowed, State};
use super::scope::Binding;
use super::value::Value;
use super::{Elaborator, Fallible};
use crate::system::TableUse;
use dalembert_expr::{Expr, Function, Pool, Rational};
use dalembert_syntax::ast::{self, Name, StatementKind, Table, TableSource};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::{Source, Span};
use dalembert_syntax::units::{self, UnitInfo};
use std::rc::Rc;

/// Points of one table.
pub const MAX_POINTS: usize = 1_000_000;
/// Points up to which a table is written as a sum over its stretches; longer ones are looked up.
const MAX_WRITTEN: usize = 32;

/// What is between the points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Interpolation {
    /// The value of the last point.
    Step,
    /// A straight line.
    #[default]
    Linear,
    /// A spline.
    Cubic,
}

impl Interpolation {
    /// By its word in the language.
    pub fn by_name(name: &str) -> Option<Self> {
        match name {
            "step" => Some(Interpolation::Step),
            "linear" => Some(Interpolation::Linear),
            "cubic" => Some(Interpolation::Cubic),
            _ => None,
        }
    }
}

/// A function by its points, which ascend.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// Abscissa and value.
    pub points: Vec<(f64, f64)>,
    /// What is between them.
    pub interpolation: Interpolation,
}

impl Samples {
    /// Refuses points that are too many, do not ascend or are not finite numbers.
    pub fn check(&self) -> Result<(), String> {
        let points = &self.points;
        if points.is_empty() || points.len() > MAX_POINTS {
            return Err(format!("a table has 1 to {MAX_POINTS} points, not {}", points.len()));
        }
        if let Some(k) = points.iter().position(|(x, y)| !x.is_finite() || !y.is_finite()) {
            return Err(format!("point {} of the table is not a pair of finite numbers", k + 1));
        }
        match points.windows(2).position(|pair| pair[0].0 >= pair[1].0) {
            Some(k) => Err(format!("the points of a table ascend; point {} does not", k + 2)),
            None => Ok(()),
        }
    }

    /// The function at an expression.
    pub(super) fn at(&self, pool: &mut Pool, x: Expr) -> Expr {
        let Some(first) = self.points.first() else { return Pool::ZERO };
        if self.points.len() > MAX_WRITTEN
            && let Some(looked_up) = self.looked_up(pool, x)
        {
            return looked_up;
        }
        let mut terms = vec![number(pool, first.1)];
        let slopes = if self.interpolation == Interpolation::Cubic { self.slopes() } else { Vec::new() };
        for (k, pair) in self.points.windows(2).enumerate() {
            let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
            let (h, rise) = (x1 - x0, y1 - y0);
            if self.interpolation == Interpolation::Step {
                let (from, rise) = (number(pool, x1), number(pool, rise));
                let reached = pool.call(Function::LessEqual, &[from, x]);
                terms.push(pool.call(Function::Select, &[reached, rise, Pool::ZERO]));
                continue;
            }
            let u = clamped(pool, x, [x0, h], k + 2 == self.points.len());
            let polynomial = match self.interpolation {
                Interpolation::Cubic => {
                    let (d0, d1) = (slopes[k] * h, slopes[k + 1] * h);
                    vec![d0, 3.0 * rise - 2.0 * d0 - d1, d0 + d1 - 2.0 * rise]
                }
                _ => vec![rise],
            };
            for (power, coefficient) in polynomial.into_iter().enumerate() {
                let (c, u) = (number(pool, coefficient), pool.powi(u, power as i64 + 1));
                terms.push(pool.mul(c, u));
            }
        }
        pool.total(terms)
    }

    /// The function at an expression by columns that are looked up: the sum of c_p (x - x_k)^p on the stretch from point k.
    fn looked_up(&self, pool: &mut Pool, x: Expr) -> Option<Expr> {
        let (p, n) = (&self.points, self.points.len());
        let (first, last) = (p.first()?.1, p.last()?.1);
        if self.interpolation == Interpolation::Step {
            let knots: Vec<f64> = p[1..].iter().map(|p| p.0).collect();
            return pool.in_pieces("table", &knots, &[p.iter().map(|p| p.1).collect()], x);
        }
        // The last stretch has its slope at its end too.
        let knots: Vec<f64> = p[..n - 1].iter().map(|p| p.0).chain([p[n - 1].0.next_up()]).collect();
        let slopes = if self.interpolation == Interpolation::Cubic { self.slopes() } else { Vec::new() };
        let powers = if slopes.is_empty() { 2 } else { 4 };
        let mut columns = vec![Vec::with_capacity(n + 1); powers];
        let mut add = |c: [f64; 4]| columns.iter_mut().zip(c).for_each(|(column, c)| column.push(c));
        add([first, 0.0, 0.0, 0.0]);
        for (k, pair) in p.windows(2).enumerate() {
            let (h, rise) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
            let slope = rise / h;
            add(match slopes.get(k..k + 2) {
                Some(&[d0, d1]) => {
                    [pair[0].1, d0, (3.0 * slope - 2.0 * d0 - d1) / h, (d0 + d1 - 2.0 * slope) / (h * h)]
                }
                _ => [pair[0].1, slope, 0.0, 0.0],
            });
        }
        add([last, 0.0, 0.0, 0.0]);
        pool.in_pieces("table", &knots, &columns, x)
    }

    /// Slopes at the points of the spline that has two continuous derivatives and one cubic over its first and its last two
    /// stretches. A tridiagonal system, by elimination: O(points).
    fn slopes(&self) -> Vec<f64> {
        let (p, n) = (&self.points, self.points.len());
        let h: Vec<f64> = p.windows(2).map(|w| w[1].0 - w[0].0).collect();
        let m: Vec<f64> = p.windows(2).zip(&h).map(|(w, h)| (w[1].1 - w[0].1) / h).collect();
        match n {
            0 | 1 => return vec![0.0; n],
            2 => return vec![m[0]; 2],
            3 => {
                // One parabola.
                let bend = (m[1] - m[0]) / (h[0] + h[1]);
                return vec![m[0] - bend * h[0], m[0] + bend * h[0], m[1] + bend * h[1]];
            }
            _ => {}
        }
        let end = |h0: f64, h1: f64, m0: f64, m1: f64| {
            ((h0 + 2.0 * (h0 + h1)) * h1 * m0 + h0 * h0 * m1) / (h0 + h1)
        };
        // Rows (below, on, above the diagonal, right side).
        let mut rows = vec![(0.0, h[1], h[0] + h[1], end(h[0], h[1], m[0], m[1]))];
        for i in 1..n - 1 {
            let right = 3.0 * (h[i] * m[i - 1] + h[i - 1] * m[i]);
            rows.push((h[i], 2.0 * (h[i - 1] + h[i]), h[i - 1], right));
        }
        let (a, b) = (h[n - 2], h[n - 3]);
        rows.push((a + b, b, 0.0, end(a, b, m[n - 2], m[n - 3])));
        for i in 1..n {
            let factor = rows[i].0 / rows[i - 1].1;
            rows[i].1 -= factor * rows[i - 1].2;
            rows[i].3 -= factor * rows[i - 1].3;
        }
        let mut slopes = vec![0.0; n];
        for i in (0..n).rev() {
            let next = if i + 1 < n { slopes[i + 1] } else { 0.0 };
            slopes[i] = (rows[i].3 - rows[i].2 * next) / rows[i].1;
        }
        slopes
    }
}

fn number(pool: &mut Pool, value: f64) -> Expr {
    pool.number(Rational::from_f64(value).unwrap_or(Rational::ZERO))
}

/// max(0, min(1, (x - from)/length)).
///
/// Where the two arguments of `min` or `max` are equal, its derivative is that of the first. Each stretch has its slope
/// at its beginning and only the last one at its end too, so that one stretch alone gives the slope at a point.
fn clamped(pool: &mut Pool, x: Expr, [from, length]: [f64; 2], last: bool) -> Expr {
    let (from, length) = (number(pool, from), number(pool, length));
    let behind = pool.sub(x, from);
    let part = pool.div(behind, length);
    let ends = if last { [part, Pool::ONE] } else { [Pool::ONE, part] };
    let capped = pool.call(Function::Min, &ends);
    pool.call(Function::Max, &[capped, Pool::ZERO])
}

impl Elaborator<'_> {
    /// `table road = [[0, 0], [1, 0.1]] cubic`
    pub(super) fn table(&mut self, table: &Table, span: Span) -> Fallible<()> {
        let samples = self.samples(table, span).inspect_err(|_| self.poison(&table.name))?;
        let name = self.declared(&table.name, "table")?;
        self.spend(samples.points.len(), span)?;
        self.declare(&name, Binding::Table(self.tables.len()), table.name.span)?;
        self.tables.push(Rc::new(samples));
        Ok(())
    }

    fn samples(&mut self, table: &Table, span: Span) -> Fallible<Samples> {
        let interpolation = match &table.interpolation {
            None => Interpolation::Linear,
            Some(word) => match Interpolation::by_name(&word.text) {
                Some(interpolation) => interpolation,
                None => {
                    let message = format!("`{}` is not a way to fill a table", word.text);
                    let d = Diagnostic::error(Code::BadOption, word.span, message);
                    return self.fail(d.help("`step`, `linear` or `cubic`"));
                }
            },
        };
        let points = match &table.source {
            TableSource::Points(e) => self.points(e)?,
            TableSource::File { path, columns } => self.points_of_file(path, columns, span)?,
        };
        let samples = Samples { points, interpolation };
        match samples.check() {
            Ok(()) => Ok(samples),
            Err(message) => self.error(Code::BadOption, span, &message),
        }
    }

    fn points(&mut self, e: &ast::Expr) -> Fallible<Vec<(f64, f64)>> {
        let mut points = Vec::new();
        for row in self.vector(e)? {
            let scalars = row.scalars();
            self.allow_in(e, &scalars, Allowed::only("a table", State::Nothing))?;
            let symbols = self.pool.symbols(&scalars);
            let (Value::Vector(_), [x, y], true) = (&row, &scalars[..], symbols.is_empty()) else {
                let d = Diagnostic::error(
                    Code::DimensionMismatch,
                    e.span,
                    "a table is a list of points, each a pair of numbers",
                );
                return self.fail(d.help("write `[[0, 0], [1, 0.1], [2, 0]]`"));
            };
            let [x, y] = [*x, *y].map(|e| self.pool.evaluate(e, |_| f64::NAN));
            points.push((x, y));
        }
        Ok(points)
    }

    fn points_of_file(&mut self, path: &str, columns: &[Name], span: Span) -> Fallible<Vec<(f64, f64)>> {
        let Some((_, text)) = self.overrides.files.iter().find(|(known, _)| known == path) else {
            let message =
                format!("the table `{path}` cannot be read here: this model does not come from a folder");
            let d = Diagnostic::error(Code::NotAvailable, span, message);
            return self.fail(d.help("save the model beside its table, or write the points down"));
        };
        let wanted: Vec<&str> = columns.iter().map(|name| name.text.as_str()).collect();
        let read = match wanted[..] {
            [x, y] => points_of_columns(text, x, y),
            _ => Err("a table has two columns".to_owned()),
        };
        match read {
            Ok(points) => Ok(points),
            Err(message) => self.error(Code::BadOption, span, &format!("{message} (in `{path}`)")),
        }
    }

    /// The value of a table, if the name is one.
    pub(super) fn table_call(&mut self, name: &Name, args: &[ast::Expr]) -> Option<Fallible<Value>> {
        let Some(Binding::Table(k)) = self.scope.get(&name.text) else { return None };
        let samples = Rc::clone(&self.tables[*k]);
        Some(self.arguments(name, args).and_then(|[a]| {
            let (x, _) = self.scalar(a)?;
            self.spend(samples.points.len(), a.span)?;
            if let (Some(first), Some(last)) = (samples.points.first(), samples.points.last()) {
                let (name, range) = (name.text.clone(), [first.0, last.0]);
                let new = TableUse { name, argument: x, range, span: a.span };
                if !self.table_uses.iter().any(|used| used.name == new.name && used.argument == x) {
                    self.table_uses.push(new);
                }
            }
            Ok(Value::Scalar(samples.at(&mut self.pool, x), UnitInfo::Missing))
        }))
    }
}

/// What a number in each column is in SI, where the line behind the header gives units, `# s,mm`.
fn sizes_of_columns(text: &str, columns: usize) -> Option<Vec<f64>> {
    let second = text.lines().filter(|line| !line.trim().is_empty()).nth(1)?;
    let cells: Vec<&str> = second.trim().strip_prefix('#')?.split(',').map(str::trim).collect();
    let size = |cell: &&str| {
        let unit = if cell.is_empty() { "1" } else { cell };
        let (ast, said) =
            dalembert_syntax::parse(&Source::new("units", format!("parameter a = 1 {{{unit}}}")));
        let statement = ast.body.statements.into_iter().next().filter(|_| said.is_empty())?;
        let StatementKind::Parameter(list) = statement.kind else { return None };
        units::read(list.first()?.unit.as_ref()?).ok().map(|read| read.size())
    };
    // Anything else behind `#` is a comment.
    if cells.len() == columns { cells.iter().map(size).collect() } else { None }
}

/// Two columns of a file with a header, separated by commas. A line that begins with `#` is passed over, but for units right
/// behind the header.
pub fn points_of_columns(text: &str, x: &str, y: &str) -> Result<Vec<(f64, f64)>, String> {
    let mut lines =
        text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').map(str::trim).collect();
    let place = |name: &str| {
        header
            .iter()
            .position(|h| h.trim_matches('"') == name)
            .ok_or_else(|| format!("there is no column `{name}`; the columns are {}", header.join(", ")))
    };
    let (i, j) = (place(x)?, place(y)?);
    let sizes = sizes_of_columns(text, header.len()).unwrap_or_else(|| vec![1.0; header.len()]);
    let mut points = Vec::new();
    for (k, line) in lines.enumerate() {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let cell = |i: usize| cells.get(i).and_then(|text| text.parse::<f64>().ok());
        match (cell(i), cell(j)) {
            (Some(x), Some(y)) => points.push((x * sizes[i], y * sizes[j])),
            _ => return Err(format!("row {} is not made of numbers", k + 2)),
        }
    }
    Ok(points)
}
