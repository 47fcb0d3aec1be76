//! Passing configurations where the constraints lose rank.
//!
//! A mechanism can move through configurations where A loses rank at an instant (all bars of a parallelogram in one
//! line). There two branches of the constraint set cross, say u w = 0 with the motion on w = 0 and u = s passing zero.
//! The motion itself is smooth, but the acceleration is computed as 0/0: a state off the set by epsilon is taken to lie
//! on the hyperbola u w = epsilon, whose accelerations are epsilon/s^3 wrong and which turns off into the other branch
//! at s = sqrt(epsilon). Shorter steps only lead deeper into it, so error control by itself makes matters worse, and no
//! cut-off of small singular values helps, because what is wrong is the state, not the solve. What helps:
//!
//! 1. **Near mode.** When the margin (see [`crate::Solution::margin`]) of a stage falls below [`NEAR`] of the largest
//!    seen, the step is taken again with every stage evaluated at its projection, f(P(y)). P onto the branch is smooth
//!    as long as the state is nearer to the branch than s, so f(P(y)) is a smooth field with rounding epsilon/s^3 and the
//!    method keeps its order. What projection will remove from a step is removed from its error too: the rounding of
//!    the weak direction is normal to the constraints and must not frighten the error control.
//! 2. **Stepping over.** If a stage or the end of a step still falls below [`CLEAR`], the instant of rank loss is
//!    read off the margins of the stages (they fall and rise linearly, like |s|) and the step is chosen again such that
//!    the instant lies in the widest gap between the nodes of the method. Nothing is ever evaluated where digits
//!    are lost, the end is far beyond it, on the same branch, and projection brings it there to rounding.
//! 3. **Bridging.** A method of low order takes steps too short to step over at tight tolerances; so where the margin is
//!    below [`BRIDGE`] of the largest seen, DOP853 takes the steps, as long as they are longer than the method's own.
//! 4. **Known rank.** Rows that are redundant all along (or only on the constraint set) are not a rank loss: the
//!    rank around the start is found by probing states on the constraints, and no direction beyond it is ever kept.
//! 5. **Unavoidable.** If the instant cannot be avoided in [`MAX_TRIES`] choices the step is judged by its error alone.
//! 6. **A start on such a configuration**: see `outset`.
//!
//! Checked by `tests/it/singular.rs`: four-bar chains (N = 2, 40, unequal masses) against the closed form, slider-crank,
//! parallelogram in angles, redundant rows.

/// Margin, relative to the largest seen, below which stages are projected before they are evaluated.
pub const NEAR: f64 = 0.2;
/// Margin, relative to the largest seen, below which no stage is evaluated if it can be helped.
pub const CLEAR: f64 = 0.005;
/// Margin, relative to the largest seen, below which DOP853 takes the steps of methods of lower order.
pub const BRIDGE: f64 = 0.08;
/// Bend of the margins, relative to their slope, above which they do not pass through zero: a row that has become
/// short, or shortest, without vanishing.
const STRAIGHT: f64 = 0.5;
/// How often a step is chosen again.
pub const MAX_TRIES: usize = 6;

/// A stretch of a step, in fractions of it, where a method takes no derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gap {
    pub middle: f64,
    pub reach: f64,
}

/// What to do with a step that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// DenseFallback it by its error.
    Good,
    /// Take it again with projected stages.
    Near,
    /// Take it again with this step.
    Move(f64),
}

/// Memory of the margins along the motion.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    /// Largest margin seen.
    pub reference: f64,
    /// TimeEvent at which the rank is expected to be lost.
    crossing: Option<f64>,
    tries: usize,
    /// Not worth trying again until the margin has recovered.
    given_up: bool,
}

impl Watch {
    pub fn new(reference: f64) -> Self {
        Self { reference, crossing: None, tries: 0, given_up: false }
    }

    /// The step to try first, given the one that error control wants.
    pub fn plan(&mut self, t: f64, h: f64, gaps: &[Gap]) -> f64 {
        self.tries = 0;
        match self.crossing.map(|instant| (instant - t) / h) {
            Some(theta) if theta > 0.0 => place(theta, gaps) * h,
            _ => h,
        }
    }

    /// Reviews a tried step from its samples (time, margin); they are sorted in place and get the start added.
    pub fn review(
        &mut self,
        near: bool,
        t: f64,
        h: f64,
        gaps: &[Gap],
        start: f64,
        samples: &mut Vec<(f64, f64)>,
    ) -> Verdict {
        let lowest = samples.iter().fold(f64::INFINITY, |m, s| m.min(s.1));
        if lowest > NEAR * self.reference {
            self.given_up = false;
            return Verdict::Good;
        }
        if !near {
            return Verdict::Near;
        }
        for sample in samples.iter_mut() {
            sample.0 = (sample.0 - t) / h;
        }
        if start > 0.0 {
            samples.push((0.0, start));
        }
        samples.sort_by(|a, b| a.0.total_cmp(&b.0));
        let zero = find_zero(samples).filter(|theta| *theta > 0.0);
        self.crossing = zero.map(|theta| t + theta * h);
        if lowest > CLEAR * self.reference || self.given_up {
            return Verdict::Good;
        }
        if self.tries >= MAX_TRIES {
            self.given_up = true;
            return Verdict::Good;
        }
        self.tries += 1;
        let factor = zero.map_or(0.9, |theta| place(theta, gaps));
        // If the choice was made already and did not help, the estimate is poor: move a little.
        Verdict::Move(h * if (factor - 1.0).abs() < 1e-3 { 0.93 } else { factor.max(0.05) })
    }

    /// The step was accepted and ends at `t`; returns whether a rank loss was stepped over.
    pub fn accepted(&mut self, t: f64, h: f64) -> bool {
        let passed = self.crossing.is_some_and(|instant| (instant - t) / h <= 0.0);
        if passed {
            self.crossing = None;
        }
        passed
    }

    /// Time left until the rank is lost, if that is expected.
    pub fn ahead(&self, t: f64) -> Option<f64> {
        self.crossing.map(|instant| instant - t)
    }

    /// Whether near mode can be left, given the samples of an accepted step.
    pub fn clear(&self, samples: &[(f64, f64)]) -> bool {
        samples.iter().all(|s| s.1 > 1.5 * NEAR * self.reference)
    }
}

/// The factor on the step which puts the fraction `theta` of it into a blind gap, in this step or, from a shorter one,
/// in the next.
fn place(theta: f64, gaps: &[Gap]) -> f64 {
    if gaps.iter().any(|gap| (theta - gap.middle).abs() <= 0.5 * gap.reach) {
        return 1.0;
    }
    // The longest step that has it in the middle of a gap.
    let longest =
        gaps.iter().map(|gap| theta / gap.middle).filter(|factor| *factor <= 1.0).fold(0.0, f64::max);
    let first = gaps[0].middle;
    if longest > 0.5 || theta < first {
        return longest;
    }
    // Come up to it so that the next step, a little shorter than this, has it in its gap.
    let approach = theta - 0.9 * first;
    if approach < 1.0 { approach } else { 1.0 }
}

/// Where a margin that behaves like |s| touches zero: the gap between two samples (or the continuation beyond the last
/// one) in which a change of sign makes the samples most nearly a straight line.
fn find_zero(samples: &[(f64, f64)]) -> Option<f64> {
    let count = samples.len();
    if count < 3 {
        return None;
    }
    let lowest = (0..count).fold(0, |best, i| if samples[i].1 < samples[best].1 { i } else { best });
    let mut best: Option<(f64, f64)> = None;
    // Candidate gap g: samples up to g are before the zero. The gap after the last sample means "later".
    for g in lowest.saturating_sub(1)..=lowest {
        if let Some((bend, zero)) = candidate(samples, g)
            && best.is_none_or(|b| bend < b.0)
        {
            best = Some((bend, zero));
        }
    }
    if lowest == 0 && best.is_some_and(|b| rising_bend(samples) <= b.0) {
        return None;
    }
    best.filter(|b| b.0 < STRAIGHT).map(|b| b.1)
}

/// Bend of the first samples as they are: no change of sign, the zero lies behind.
fn rising_bend(samples: &[(f64, f64)]) -> f64 {
    let slope = |i: usize| (samples[i + 1].1 - samples[i].1) / (samples[i + 1].0 - samples[i].0);
    (slope(1) - slope(0)).abs() / slope(0).abs().max(slope(1).abs())
}

/// Bend of the signed samples around gap `g`, relative to their slope, and their zero.
fn candidate(samples: &[(f64, f64)], g: usize) -> Option<(f64, f64)> {
    let signed = |i: usize| (samples[i].0, if i <= g { -samples[i].1 } else { samples[i].1 });
    let slope = |a: (f64, f64), b: (f64, f64)| (b.1 - a.1) / (b.0 - a.0);
    let distinct = |i: usize, j: usize| samples[j].0 - samples[i].0 > 1e-9;
    let last = samples.len() - 1;
    // Left neighbour and right neighbour of the gap, skipping samples at the same time.
    let a = g;
    let before = (0..a).rev().find(|&i| distinct(i, a));
    let b = (g + 1..=last).find(|&i| distinct(a, i));
    let (p, q) = match b {
        Some(b) => (signed(a), signed(b)),
        // Beyond the last sample: carry on the last slope.
        None => (signed(before?), signed(a)),
    };
    let steep = slope(p, q);
    if !(steep > 0.0) {
        return None;
    }
    let neighbour = match b {
        Some(b) => {
            let left = before.map(|i| slope(signed(i), p));
            let right = (b + 1..=last).find(|&i| distinct(b, i)).map(|i| slope(q, signed(i)));
            match (left, right) {
                (Some(l), Some(r)) => 0.5 * (l + r),
                (Some(s), None) | (None, Some(s)) => s,
                (None, None) => return None,
            }
        }
        None => {
            let i = before?;
            let earlier = (0..i).rev().find(|&j| distinct(j, i))?;
            slope(signed(earlier), signed(i))
        }
    };
    let bend = (steep - neighbour).abs() / steep.max(neighbour.abs());
    Some((bend, p.0 - p.1 / steep))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(f: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        [0.0, 0.05, 0.08, 0.12, 0.25, 0.28, 0.31, 0.33, 0.6, 0.65, 0.86, 1.0].map(|t| (t, f(t))).to_vec()
    }

    #[test]
    fn zero_of_an_absolute_value_is_found() {
        for zero in [0.02, 0.1, 0.2, 0.3, 0.47, 0.62, 0.7, 0.93, 1.1] {
            let found = find_zero(&sampled(|t| (t - zero).abs())).unwrap();
            assert!((found - zero).abs() < 1e-12, "{zero} {found}");
            let found = find_zero(&sampled(|t| (0.7 * (t - zero)).sin().abs())).unwrap();
            assert!((found - zero).abs() < 0.02, "{zero} {found}");
        }
    }

    #[test]
    fn a_zero_left_behind_is_not_found_again() {
        assert_eq!(find_zero(&sampled(|t| t + 0.01)), None);
        assert_eq!(find_zero(&sampled(|t| (0.7 * (t + 0.01)).sin())), None);
    }

    #[test]
    fn a_margin_that_does_not_vanish_has_no_zero() {
        assert_eq!(find_zero(&sampled(|_| 1e-3)), None);
        assert_eq!(find_zero(&sampled(|t| 0.1 + (t - 0.45).powi(2))), None);
    }

    #[test]
    fn a_step_is_moved_so_that_the_instant_falls_in_the_gap() {
        let mut watch = Watch::new(1.0);
        let gaps = &[Gap { middle: 0.4667, reach: 0.13 }];
        let mut samples: Vec<_> = sampled(|t| (t - 0.251).abs() * 0.3)[1..].to_vec();
        assert_eq!(watch.review(false, 0.0, 1.0, gaps, 0.075, &mut samples), Verdict::Near);
        let Verdict::Move(h) = watch.review(true, 0.0, 1.0, gaps, 0.075, &mut samples) else {
            panic!("not moved")
        };
        assert!((0.251 / h - 0.4667).abs() < 1e-9);
        assert!((watch.plan(0.0, 1.0, gaps) - h).abs() < 1e-12);
    }
}
