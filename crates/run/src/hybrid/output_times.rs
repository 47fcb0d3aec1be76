//! When rows are due.

use super::options::Output;

/// The output times, walked once in the order of the motion.
pub(crate) struct OutputTimes {
    output: Output,
    t_start: f64,
    direction: f64,
    /// Index of the next time.
    next: usize,
}

impl OutputTimes {
    /// From the start towards `t_end`; the start itself is not part of it.
    pub fn new(output: &Output, t_start: f64, t_end: f64) -> Self {
        let direction = if t_end < t_start { -1.0 } else { 1.0 };
        let mut output = output.clone();
        match &mut output {
            Output::Every(interval) | Output::StepsAndEvery(interval) => *interval = interval.abs(),
            Output::Times(times) => {
                times.retain(|t| (t - t_start) * direction > 0.0);
                times.sort_by(|a, b| (a * direction).total_cmp(&(b * direction)));
            }
            Output::Steps | Output::Ends => {}
        }
        let next = usize::from(!matches!(output, Output::Times(_)));
        Self { output, t_start, direction, next }
    }

    /// Whether every accepted step is a row.
    pub fn every_step(&self) -> bool {
        matches!(self.output, Output::Steps | Output::StepsAndEvery(_))
    }

    /// The next time due, if any.
    pub fn peek(&self) -> Option<f64> {
        match &self.output {
            Output::Every(interval) | Output::StepsAndEvery(interval)
                if *interval > 0.0 && interval.is_finite() =>
            {
                Some(self.t_start + self.direction * self.next as f64 * interval)
            }
            Output::Times(times) => times.get(self.next).copied(),
            _ => None,
        }
    }

    /// The next time due not after `t` (within `slack`), and moves on.
    pub fn pop_until(&mut self, t: f64, slack: f64) -> Option<f64> {
        let due = self.peek()?;
        if (due - t) * self.direction > slack {
            return None;
        }
        self.next += 1;
        Some(due)
    }
}
