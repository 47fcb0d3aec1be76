//! Axes: a range that shows all finite values, and ticks at round numbers.

/// A range with its ticks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    lo: f64,
    hi: f64,
    /// Where the ticks are.
    pub ticks: Vec<f64>,
    /// What stands at them.
    pub labels: Vec<String>,
}

impl Axis {
    /// From the least to the greatest value, with about `count` ticks.
    pub(super) fn tight(values: &[f64], count: usize) -> Axis {
        let (lo, hi) = range(values);
        Axis::new(lo, hi, count)
    }

    /// An axis with a small margin at both ends.
    pub(super) fn padded(values: &[f64], count: usize) -> Axis {
        let (lo, hi) = range(values);
        let room = 0.05 * (hi - lo);
        Axis::new(lo - room, hi + room, count)
    }

    fn new(lo: f64, hi: f64, count: usize) -> Axis {
        let mut step = round_step((hi - lo) / count.max(1) as f64);
        let mut ticks = multiples(lo, hi, step);
        // Round steps can be far above the wish.
        if ticks.len() < 3 {
            step = round_step(0.4 * step);
            ticks = multiples(lo, hi, step);
        }
        let labels = labels(&ticks, step);
        Axis { lo, hi, ticks, labels }
    }

    /// Where a value stands between the ends, 0 to 1; NaN for what is not finite.
    pub(super) fn place(&self, v: f64) -> f64 {
        if v.is_finite() { (v - self.lo) / (self.hi - self.lo) } else { f64::NAN }
    }
}

/// The range of the finite values, never empty: what varies by less than 1e-9 of itself is drawn flat.
fn range(values: &[f64]) -> (f64, f64) {
    let finite = values.iter().copied().filter(|v| v.is_finite()).map(|v| v.clamp(-1e300, 1e300));
    let (lo, hi) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
    if lo > hi {
        return (0.0, 1.0);
    }
    let size = lo.abs().max(hi.abs());
    if hi - lo > 1e-9 * size && hi - lo > 1e-290 {
        return (lo, hi);
    }
    let half = if size > 1e-290 { 0.1 * size } else { 1.0 };
    (lo - half, hi + half)
}

/// The multiples of the step in the range; adding 0 turns -0 into 0.
fn multiples(lo: f64, hi: f64, step: f64) -> Vec<f64> {
    let first = (lo / step - 1e-9).ceil();
    let count = ((hi / step + 1e-9).floor() - first + 1.0).clamp(0.0, 50.0) as usize;
    (0..count).map(|k| (first + k as f64) * step + 0.0).collect()
}

/// 1, 2 or 5 times a power of ten, at least the wish.
fn round_step(wish: f64) -> f64 {
    let power = 10f64.powf(wish.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|f| f * power >= wish * 0.999).unwrap_or(10.0);
    factor * power
}

/// Plain decimals with as many places as the step needs, or powers of ten where that would be long.
fn labels(ticks: &[f64], step: f64) -> Vec<String> {
    let largest = ticks.iter().fold(step, |m, t| m.max(t.abs()));
    let places = (-(step * 1.0001).log10().floor()).max(0.0) as usize;
    let plain = largest < 1e6 && (places <= 4 || (largest >= 1e-2 && places <= 9));
    let digits = (largest / step).log10().ceil().max(0.0) as usize;
    ticks
        .iter()
        .map(|t| match (plain, *t == 0.0) {
            (true, _) => format!("{t:.places$}"),
            (false, true) => "0".to_owned(),
            (false, false) => scientific(*t, digits),
        })
        .collect()
}

/// `1.5e-7`, without needless zeros.
fn scientific(v: f64, digits: usize) -> String {
    let text = format!("{v:.digits$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) if mantissa.contains('.') => {
            format!("{}e{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let axis = Axis::tight(&[0.0, 10.0], 9);
        assert_eq!(axis.labels, ["0", "2", "4", "6", "8", "10"]);
        let axis = Axis::tight(&[-0.3, 0.3], 6);
        assert_eq!(axis.labels, ["-0.3", "-0.2", "-0.1", "0.0", "0.1", "0.2", "0.3"]);
    }

    #[test]
    fn odd_ranges_have_an_axis() {
        for values in [
            vec![],
            vec![f64::NAN],
            vec![3.0],
            vec![0.0],
            vec![1e-300],
            vec![-1e308, 1e308],
            vec![1.0, 1.0 + 1e-15],
            vec![0.0, 3e-16],
            vec![5e-324, 1e-320],
        ] {
            let axis = Axis::padded(&values, 5);
            assert!(axis.hi > axis.lo && axis.ticks.len() >= 2, "{values:?}: {axis:?}");
            assert!(axis.labels.iter().all(|l| l.len() < 12), "{axis:?}");
        }
    }

    #[test]
    fn small_numbers_get_powers() {
        assert_eq!(Axis::tight(&[0.0, 3e-16], 3).labels, ["0", "1e-16", "2e-16", "3e-16"]);
        assert_eq!(Axis::tight(&[0.0, 2.5e7], 5).labels, ["0", "5e6", "1e7", "1.5e7", "2e7", "2.5e7"]);
    }
}
