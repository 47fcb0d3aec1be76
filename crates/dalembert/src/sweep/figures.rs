//! Figures of a run: its rows reduced to a few numbers, as in `max(x), rms(tension)`.
//!
//! Figures are taken over the rows of a run, which are as far apart as the request says, its last row included. Where
//! a value is not a number in some row, or a run has no rows, its figures are not numbers either.

use dalembert_syntax::diagnostic::{Code, Diagnostic, nearest};

/// What a figure tells of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// The greatest value.
    Max,
    /// The least value.
    Min,
    /// The arithmetic mean over the rows.
    Mean,
    /// The root of the mean square over the rows.
    Rms,
    /// The value in the first row.
    First,
    /// The value in the last row.
    Last,
}

impl Statistic {
    const ALL: [(&'static str, Statistic); 6] = [
        ("max", Statistic::Max),
        ("min", Statistic::Min),
        ("mean", Statistic::Mean),
        ("rms", Statistic::Rms),
        ("first", Statistic::First),
        ("last", Statistic::Last),
    ];

    fn of(self, values: &[f64]) -> f64 {
        // A value that is not a number is the least and the greatest: it is not passed over.
        let best = |better: fn(f64, f64) -> bool| {
            values.iter().copied().reduce(|a, b| if a.is_nan() || better(a, b) { a } else { b })
        };
        let n = values.len() as f64;
        let found = match self {
            Statistic::Max => best(|a, b| a >= b),
            Statistic::Min => best(|a, b| a <= b),
            Statistic::Mean => (n > 0.0).then(|| values.iter().map(|v| v / n).sum()),
            Statistic::Rms => root_mean_square(values),
            Statistic::First => values.first().copied(),
            Statistic::Last => values.last().copied(),
        };
        found.unwrap_or(f64::NAN)
    }
}

/// Relative to the greatest value, so that squares neither overflow nor vanish.
fn root_mean_square(values: &[f64]) -> Option<f64> {
    let greatest =
        values.iter().copied().map(f64::abs).reduce(|a, b| if a.is_nan() || a >= b { a } else { b })?;
    if greatest == 0.0 || !greatest.is_finite() {
        return Some(greatest);
    }
    let squares: f64 = values.iter().map(|v| (v / greatest).powi(2)).sum();
    Some(greatest * (squares / values.len() as f64).sqrt())
}

/// One number for each run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// As it was written, which is the name of its column.
    pub name: String,
    /// What is taken.
    pub statistic: Statistic,
    /// Of which column of a motion.
    pub column: String,
}

impl Figure {
    /// Reads figures with commas between them, as `max(x), rms(tension)`.
    pub fn read(text: &str) -> Result<Vec<Figure>, Box<Diagnostic>> {
        pieces(text).into_iter().map(|piece| Figure::read_one(piece.trim())).collect()
    }

    fn read_one(text: &str) -> Result<Figure, Box<Diagnostic>> {
        let parts =
            text.split_once('(').and_then(|(word, rest)| Some((word.trim(), rest.strip_suffix(')')?.trim())));
        let known = |word: &str| Statistic::ALL.iter().find(|(name, _)| *name == word);
        match parts {
            Some((word, column)) if !column.is_empty() => match known(word) {
                Some((_, statistic)) => {
                    Ok(Figure { name: text.to_owned(), statistic: *statistic, column: column.to_owned() })
                }
                None => Err(unreadable(&format!("`{word}` is not a figure"))),
            },
            _ => Err(unreadable(&format!("cannot read the figure `{text}`"))),
        }
    }
}

/// Pieces between commas outside of brackets.
fn pieces(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut found) = (0i32, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(&text[from..]);
    found
}

fn unreadable(message: &str) -> Box<Diagnostic> {
    let names: Vec<&str> = Statistic::ALL.iter().map(|(name, _)| *name).collect();
    let help = format!("write it as max(COLUMN); the figures are {}", names.join(", "));
    Box::new(Diagnostic::error(Code::BadOption, None, message.to_owned()).help(help))
}

/// Figures with the places of their columns in the rows of a motion.
pub(super) struct Kept {
    figures: Vec<(Figure, usize)>,
    /// Columns of a motion.
    pub width: usize,
}

impl Kept {
    /// Finds the columns; a name that a motion does not have is refused.
    pub fn new(figures: &[Figure], columns: &[String]) -> Result<Kept, Box<Diagnostic>> {
        let place = |figure: &Figure| {
            let plain: String = figure.column.split_whitespace().collect();
            match columns.iter().position(|name| *name == plain) {
                Some(k) => Ok((figure.clone(), k)),
                None => Err(unknown(&plain, columns)),
            }
        };
        let kept =
            Kept { figures: figures.iter().map(place).collect::<Result<_, _>>()?, width: columns.len() };
        for (k, name) in kept.names().enumerate() {
            if kept.names().take(k).any(|other| other == name) {
                let message = format!("`{name}` is asked for twice");
                return Err(Box::new(Diagnostic::error(Code::BadOption, None, message)));
            }
        }
        Ok(kept)
    }

    pub fn is_empty(&self) -> bool {
        self.figures.is_empty()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.figures.iter().map(|(figure, _)| figure.name.as_str())
    }

    /// Of the rows of a motion, one after the other.
    pub fn of<'a>(&'a self, rows: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let column = |k: usize| -> Vec<f64> { rows.chunks_exact(self.width).map(|row| row[k]).collect() };
        self.figures.iter().map(move |(figure, k)| figure.statistic.of(&column(*k)))
    }
}

fn unknown(name: &str, columns: &[String]) -> Box<Diagnostic> {
    let message = format!("`{name}` is not a column of a motion of this model");
    let d = Diagnostic::error(Code::BadOption, None, message);
    Box::new(match nearest(name, columns.iter().map(String::as_str)) {
        Some(near) => d.help(format!("did you mean `{near}`?")),
        None => d.help(format!("the columns are {}; an `output` of the model adds one", columns.join(", "))),
    })
}
