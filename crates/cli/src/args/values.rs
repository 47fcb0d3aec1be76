//! Values as they are read from the command line.

use dalembert::diagnostic::Code;

pub fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write it as NAME=VALUE".to_owned()),
    }
}

pub fn starting_value(text: &str) -> Result<String, String> {
    let parts = text.split_once(['=', '~']);
    match parts {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => Ok(text.to_owned()),
        _ => Err("write it as NAME=VALUE (fixed) or NAME~VALUE (a guess)".to_owned()),
    }
}

/// `NAME=VALUE` with a number, or an expression of numbers.
pub fn named_number(text: &str) -> Result<(String, f64), String> {
    match dalembert::assignments::assignments(text) {
        Ok(pairs) if pairs.len() == 1 => Ok(pairs[0].clone()),
        _ => Err("write it as NAME=VALUE with a number".to_owned()),
    }
}

pub fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("a positive number is wanted".to_owned()),
    }
}

pub fn finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err("a number is wanted".to_owned()),
    }
}

/// The text of a `--vary` that can be read; what it names is looked up once the model is known.
pub fn axis(text: &str) -> Result<String, String> {
    readable(text, dalembert::sweep::Axis::read(text))
}

/// Checks a `--sample` argument: NAME=DISTRIBUTION.
pub fn sample(text: &str) -> Result<String, String> {
    readable(text, dalembert::sweep::Sample::read(text))
}

/// The text of a `--keep` that can be read; its columns are looked up once the model is known.
pub fn figures(text: &str) -> Result<String, String> {
    readable(text, dalembert::sweep::Figure::read(text))
}

/// One part of the runs of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    pub number: usize,
    /// How many parts there are.
    pub of: usize,
}

impl Shard {
    /// Whether a block belongs to it. Blocks are dealt in turn: neighbours, which cost alike, go to different shards.
    pub fn has(self, block: usize) -> bool {
        block % self.of == self.number - 1
    }
}

/// A `--shard`: K/N with K from 1 to N.
pub fn shard(text: &str) -> Result<Shard, String> {
    let number = |word: &str| word.trim().parse::<usize>().ok();
    let parts = text.split_once('/').and_then(|(number_of, of)| Some((number(number_of)?, number(of)?)));
    match parts {
        Some((number, of)) if 1 <= number && number <= of => Ok(Shard { number, of }),
        _ => Err("write it as K/N with K from 1 to N, as in 3/40".to_owned()),
    }
}

pub fn readable<T>(
    text: &str,
    read: Result<T, Box<dalembert::diagnostic::Diagnostic>>,
) -> Result<String, String> {
    match read {
        Ok(_) => Ok(text.to_owned()),
        Err(d) => Err([d.message.as_str()]
            .into_iter()
            .chain(d.help.iter().map(String::as_str))
            .collect::<Vec<_>>()
            .join("; ")),
    }
}

pub fn two_numbers(text: &str) -> Result<(f64, f64), String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some([a, b]) if a.is_finite() && b.is_finite() => Ok((*a, *b)),
        _ => Err("two numbers with a comma between them are wanted, as in 10,10".to_owned()),
    }
}

pub fn an_identifier(text: &str) -> Result<String, String> {
    let first = text.starts_with(|c: char| c.is_ascii_alphabetic());
    if first && text.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()) {
        return Ok(text.to_owned());
    }
    Err("an identifier is wanted: ASCII letters, digits and _, a letter first".to_owned())
}

pub fn code(text: &str) -> Result<Code, String> {
    Code::from_id(text).ok_or_else(|| "there is no such code; `dalembert explain` lists them all".to_owned())
}

/// `step`, `linear` or `cubic`
pub fn interpolation(text: &str) -> Result<dalembert::Interpolation, String> {
    dalembert::Interpolation::by_name(text).ok_or_else(|| "it is `step`, `linear` or `cubic`".to_owned())
}
