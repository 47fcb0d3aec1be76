//! How a sweep went: runs by their ends, and the spread of the outputs.

use super::Sweep;
use std::collections::BTreeMap;

/// Least, mean and greatest of an output over the runs that ended well.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Spread {
    /// Least.
    pub min: f64,
    /// Mean.
    pub mean: f64,
    /// Greatest.
    pub max: f64,
}

/// Counts rows; given in the order of the runs, the means have the same digits every time.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Tally {
    /// Runs that reached their end time.
    pub done: usize,
    /// Runs that an event ended, by its name.
    pub events: BTreeMap<String, usize>,
    /// Runs that failed, by code.
    pub failed: BTreeMap<String, usize>,
    /// Name, spread, runs with a finite value, runs that ended well with another one.
    outputs: Vec<(String, Spread, usize, usize)>,
    first: usize,
}

impl Tally {
    /// Nothing counted yet.
    pub fn new(sweep: &Sweep) -> Self {
        let (first, names) = sweep.outputs();
        let nothing = Spread { min: f64::INFINITY, mean: 0.0, max: f64::NEG_INFINITY };
        let outputs = names.into_iter().map(|name| (name.to_owned(), nothing, 0, 0)).collect();
        Tally { done: 0, events: BTreeMap::new(), failed: BTreeMap::new(), outputs, first }
    }

    /// Takes a row: its numbers and the text of its status.
    pub fn add(&mut self, numbers: &[f64], status: &str) {
        match (status, status.strip_prefix("event ")) {
            ("done", _) => self.done += 1,
            (_, Some(event)) => *self.events.entry(event.to_owned()).or_default() += 1,
            (code, None) => {
                *self.failed.entry(code.to_owned()).or_default() += 1;
                return;
            }
        }
        for ((_, spread, count, not_finite), value) in self.outputs.iter_mut().zip(&numbers[self.first..]) {
            if value.is_finite() {
                *count += 1;
                spread.min = spread.min.min(*value);
                spread.max = spread.max.max(*value);
                spread.mean += (value - spread.mean) / *count as f64;
            } else {
                *not_finite += 1;
            }
        }
    }

    /// Outputs that had a finite value in some run.
    pub fn outputs(&self) -> impl Iterator<Item = (&str, Spread)> {
        self.outputs
            .iter()
            .filter(|(_, _, count, _)| *count > 0)
            .map(|(name, spread, ..)| (name.as_str(), *spread))
    }

    /// Outputs that are not finite numbers at the end of runs that ended well, and how many runs these are.
    pub fn not_finite(&self) -> impl Iterator<Item = (&str, usize)> {
        self.outputs
            .iter()
            .filter(|(.., not_finite)| *not_finite > 0)
            .map(|(name, .., runs)| (name.as_str(), *runs))
    }
}
