//! What changes from run to run: values along an axis, or drawn at random.

use crate::assignments::assignments;
use dalembert_linalg::Rng;
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// `NAME=LOW..HIGH:COUNT`, `NAME=LOW..HIGH:COUNT:log` or `NAME=V1,V2,V3`.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What is varied: a parameter, or the starting value of a coordinate or rate.
    pub name: String,
    /// Its values.
    pub values: Values,
}

/// The values along an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// From the first to the last in equal steps, or in equal ratios.
    Range {
        /// First.
        low: f64,
        /// Last.
        high: f64,
        /// How many.
        count: usize,
        /// In equal ratios.
        log: bool,
    },
    /// These.
    List(Vec<f64>),
}

impl Axis {
    /// Reads an axis as it is given on the command line.
    ///
    /// ```
    /// use dalembert::sweep::Axis;
    /// let values = |text| { let a = Axis::read(text).unwrap(); (0..a.len()).map(|k| a.at(k)).collect::<Vec<_>>() };
    /// assert_eq!(values("m=0.5..2:4"), [0.5, 1.0, 1.5, 2.0]);
    /// assert_eq!(values("k=1..100:3:log"), [1.0, 10.0, 100.0]);
    /// assert_eq!(values("x'=0, 1/2, 3"), [0.0, 0.5, 3.0]);
    /// assert!(Axis::read("m").is_err() && Axis::read("m=1..2:1").is_err() && Axis::read("m=-1..2:5:log").is_err());
    /// ```
    pub fn read(text: &str) -> Result<Axis, Box<Diagnostic>> {
        let wrong = || {
            let d = Diagnostic::error(Code::BadOption, None, format!("`{text}` is not a list of values"));
            Box::new(d.help("write it as m=0.5..2:50 (two values or more), m=0.1..10:50:log or m=1,2,5"))
        };
        let (name, rest) = text.split_once('=').ok_or_else(wrong)?;
        let name: String = name.split_whitespace().collect();
        if name.is_empty() {
            return Err(wrong());
        }
        let values = match rest.split_once("..") {
            Some((low, rest)) => {
                let values = range(low, rest).ok_or_else(wrong)?;
                values.fault().map_or(Ok(()), |why| Err(faulty(text, why)))?;
                values
            }
            None => Values::List(numbers(rest).ok_or_else(wrong)?),
        };
        Ok(Axis { name, values })
    }

    /// How many values.
    #[allow(clippy::len_without_is_empty, reason = "there is always one")]
    pub fn len(&self) -> usize {
        match &self.values {
            Values::Range { count, .. } => *count,
            Values::List(values) => values.len(),
        }
    }

    /// Value number k.
    pub fn at(&self, k: usize) -> f64 {
        match &self.values {
            Values::List(values) => values[k],
            Values::Range { low, high, count, log } => {
                let share = k as f64 / (*count - 1) as f64;
                match log {
                    _ if k + 1 == *count => *high,
                    true => low * (high / low).powf(share),
                    false => low + (high - low) * share,
                }
            }
        }
    }
}

fn range(low: &str, rest: &str) -> Option<Values> {
    let mut parts = rest.split(':');
    let high = number(parts.next()?)?;
    let count: usize = parts.next()?.trim().parse().ok()?;
    let log = match parts.next().map(str::trim) {
        None => false,
        Some("log") => true,
        Some(_) => return None,
    };
    let low = number(low)?;
    parts.next().is_none().then_some(Values::Range { low, high, count, log })
}

/// Well written, and yet impossible: the reason and the way out.
fn faulty(text: &str, (why, help): (&str, &str)) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(Code::BadOption, None, format!("`{text}`: {why}")).help(help))
}

impl Values {
    /// What is wrong with them.
    fn fault(&self) -> Option<(&'static str, &'static str)> {
        let Values::Range { low, high, count, log } = self else { return None };
        match (low, high) {
            _ if *count < 2 => Some(("a range has two values or more", "write one value as m=1")),
            _ if !(high - low).is_finite() => Some(("the range is not finite", "write it as m=0.5..2:50")),
            _ if low == high => Some(("the range has no length", "write one value as m=1")),
            _ if !log => None,
            _ if *low == 0.0 || *high == 0.0 => Some((
                "equal ratios cannot begin or end at zero",
                "begin at a small number, as in m=0.001..1:50:log",
            )),
            _ if low * high < 0.0 => {
                Some(("equal ratios cannot pass zero", "leave `:log` out, or make one sweep for each sign"))
            }
            _ => None,
        }
    }
}

impl Distribution {
    /// What is wrong with it.
    fn fault(&self) -> Option<(&'static str, &'static str)> {
        match *self {
            Distribution::Normal(_, deviation) if deviation < 0.0 => {
                Some(("the deviation is negative", "write it as x~normal(mean,deviation)"))
            }
            Distribution::Uniform(low, high) | Distribution::LogUniform(low, high) if low > high => {
                Some(("the lower bound is above the upper one", "write the smaller number first"))
            }
            Distribution::LogUniform(low, _) if low <= 0.0 => {
                Some(("a logarithmic range needs positive bounds", "begin at a small positive number"))
            }
            Distribution::Uniform(low, high) if !(high - low).is_finite() => {
                Some(("the bounds are not finite", "write it as x~uniform(low,high)"))
            }
            _ => None,
        }
    }
}

/// Numbers between commas, which may be expressions.
fn numbers(text: &str) -> Option<Vec<f64>> {
    let mut depth = 0usize;
    let parts = text.split(|c: char| {
        depth = match c {
            '(' => depth + 1,
            ')' => depth.saturating_sub(1),
            _ => depth,
        };
        c == ',' && depth == 0
    });
    parts.map(number).collect()
}

fn number(text: &str) -> Option<f64> {
    if text.trim().is_empty() || text.contains(['=', '~']) {
        return None;
    }
    match assignments(&format!("x = {}", text.trim())).ok()?.as_slice() {
        [(_, value)] => Some(*value),
        _ => None,
    }
}

/// `NAME~normal(MEAN, DEVIATION)`, `NAME~uniform(LOW, HIGH)` or `NAME~loguniform(LOW, HIGH)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// What is drawn: a parameter, or the starting value of a coordinate or rate.
    pub name: String,
    /// How it is distributed.
    pub distribution: Distribution,
}

/// How values are distributed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// With mean and standard deviation.
    Normal(f64, f64),
    /// Between two bounds.
    Uniform(f64, f64),
    /// Its logarithm is uniform between the logarithms of two positive bounds.
    LogUniform(f64, f64),
}

impl Sample {
    /// Reads a distribution as it is given on the command line.
    ///
    /// ```
    /// use dalembert::sweep::{Distribution, Sample};
    /// let sample = Sample::read("x'~normal(0, 0.1)").unwrap();
    /// assert_eq!((sample.name.as_str(), sample.distribution), ("x'", Distribution::Normal(0.0, 0.1)));
    /// assert!(Sample::read("x~uniform(2, 1)").is_err() && Sample::read("x~cauchy(0, 1)").is_err());
    /// ```
    pub fn read(text: &str) -> Result<Sample, Box<Diagnostic>> {
        let wrong = || {
            let d = Diagnostic::error(Code::BadOption, None, format!("`{text}` is not a distribution"));
            Box::new(
                d.help("write it as x~normal(mean,deviation), x~uniform(low,high) or x~loguniform(low,high)"),
            )
        };
        let (name, rest) = text.split_once('~').ok_or_else(wrong)?;
        let name: String = name.split_whitespace().collect();
        let (kind, inside) = rest.trim().split_once('(').ok_or_else(wrong)?;
        let inside = inside.strip_suffix(')').ok_or_else(wrong)?;
        let distribution = match (kind.trim(), numbers(inside).ok_or_else(wrong)?.as_slice()) {
            ("normal", [mean, deviation]) => Distribution::Normal(*mean, *deviation),
            ("uniform", [low, high]) => Distribution::Uniform(*low, *high),
            ("loguniform", [low, high]) => Distribution::LogUniform(*low, *high),
            _ => return Err(wrong()),
        };
        if let Some(why) = distribution.fault() {
            return Err(faulty(text, why));
        }
        if name.is_empty() { Err(wrong()) } else { Ok(Sample { name, distribution }) }
    }

    /// The value of run number `run`: it depends on the seed, the number and the name alone.
    pub fn at(&self, seed: u64, run: usize) -> f64 {
        let stream = mixed(seed ^ mixed(name_number(&self.name)));
        let draw = |n: u64| unit(mixed(stream.wrapping_add(mixed((run as u64) << 1 | n))));
        match self.distribution {
            // Box and Muller.
            Distribution::Normal(mean, deviation) => {
                let (sine, _) = (std::f64::consts::TAU * draw(1)).sin_cos();
                mean + deviation * (-2.0 * draw(0).ln()).sqrt() * sine
            }
            Distribution::Uniform(low, high) => low + (high - low) * draw(0),
            Distribution::LogUniform(low, high) => (low * (high / low).powf(draw(0))).clamp(low, high),
        }
    }
}

/// A hash that leaves no trace of order: the first number of a generator with this seed.
fn mixed(x: u64) -> u64 {
    Rng::new(x).next_u64()
}

/// In the open interval from 0 to 1: the middle of one of 2^52 equal parts.
fn unit(bits: u64) -> f64 {
    ((bits >> 12) as f64 + 0.5) * (1.0 / (1u64 << 52) as f64)
}

/// A number for a name (FNV-1a).
fn name_number(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}
