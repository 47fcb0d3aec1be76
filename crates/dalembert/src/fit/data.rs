//! Measured columns: text with a header, a column `t`, and columns named like those of the motion.

use dalembert_syntax::ast::StatementKind;
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::parse;
use dalembert_syntax::source::Source;
use dalembert_syntax::units;
use std::cmp::Ordering;

/// Measurements in SI units. A value that is missing is not a number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurements {
    /// Times, ascending.
    pub times: Vec<f64>,
    /// Name and values of each column.
    pub columns: Vec<(String, Vec<f64>)>,
}

impl Measurements {
    /// Reads comma-separated text. A line `# s,rad,m/s` behind the header gives units; without one everything is in SI.
    ///
    /// ```
    /// use dalembert::fit::Measurements;
    /// let data = Measurements::read("t,x\n# ms,cm\n0,10\n500,\n")?;
    /// assert_eq!(data.times, [0.0, 0.5]);
    /// assert!(data.columns[0].1[0] == 0.1 && data.columns[0].1[1].is_nan());
    /// # Ok::<(), Box<dalembert::diagnostic::Diagnostic>>(())
    /// ```
    pub fn read(text: &str) -> Result<Measurements, Box<Diagnostic>> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let comment = |line: &str| line.trim_start().starts_with('#');
        let header = lines.by_ref().find(|(_, line)| !comment(line)).map_or("", |(_, line)| line);
        let names: Vec<String> = header.split(',').map(|n| n.trim().trim_matches('"').to_owned()).collect();
        let Some(time) = names.iter().position(|n| n == "t") else {
            return Err(wrong(format!("the data have no column `t`; the columns are {}", names.join(", "))));
        };
        let mut factors = vec![1.0; names.len()];
        let mut values: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
        for (number, line) in lines {
            if comment(line) {
                let cells: Vec<&str> = line.trim_start()[1..].split(',').map(str::trim).collect();
                if cells.len() == names.len() && values[time].is_empty() {
                    factors = cells.iter().map(|unit| unit_size(unit)).collect::<Result<_, _>>()?;
                }
                continue;
            }
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            if cells.len() != names.len() {
                return Err(wrong(format!(
                    "line {} has {} values for {} columns",
                    number + 1,
                    cells.len(),
                    names.len()
                )));
            }
            for ((cell, column), factor) in cells.iter().zip(&mut values).zip(&factors) {
                let value = if cell.is_empty() { Some(f64::NAN) } else { cell.parse::<f64>().ok() };
                match value {
                    Some(value) if !value.is_infinite() => column.push(value * factor),
                    _ => return Err(wrong(format!("`{cell}` in line {} is not a number", number + 1))),
                }
            }
        }
        let times = values[time].clone();
        if let Some(k) =
            times.windows(2).position(|pair| pair[0].partial_cmp(&pair[1]) != Some(Ordering::Less))
        {
            return Err(wrong(format!("times must ascend: {} is followed by {}", times[k], times[k + 1])));
        }
        if times.iter().any(|t| !t.is_finite()) || times.is_empty() {
            return Err(wrong("the data have no rows, or a row without a time".to_owned()));
        }
        let columns = names.into_iter().zip(values).enumerate().filter(|(k, _)| *k != time);
        Ok(Measurements { times, columns: columns.map(|(_, column)| column).collect() })
    }
}

fn wrong(message: String) -> Box<Diagnostic> {
    let d = Diagnostic::error(Code::DataMismatch, None, message);
    Box::new(d.help(
        "write a header as `t,x,theta'` and one row of numbers for each time; leave out what is missing",
    ))
}

/// What one of a unit is in SI; an empty cell says nothing.
fn unit_size(text: &str) -> Result<f64, Box<Diagnostic>> {
    if text.is_empty() || text == "-" || text == "1" {
        return Ok(1.0);
    }
    let (ast, _) = parse(&Source::new("units", format!("parameter value = 1 {{{text}}}")));
    let unit = match ast.body.statements.first().map(|s| &s.kind) {
        Some(StatementKind::Parameter(list)) => list.first().and_then(|d| d.unit.as_ref()),
        _ => None,
    };
    match unit.map(units::read) {
        Some(Ok(unit)) => Ok(unit.size()),
        _ => Err(wrong(format!("`{text}` in the row of units is not a unit"))),
    }
}
