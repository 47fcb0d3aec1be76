//! Whether a look at the first places of a step leaves any doubt that nothing happens in it, for all lanes at once.
//!
//! The criteria are those of `events`, a little narrower: values of one sign, which parabolas follow, without an
//! extremum that may reach zero. Where they hold, the search would find nothing and need not be made. Through three values,
//! with slope s and curvature c at the middle one,
//!
//! ```text
//! extremum between them:  -2c (theta_2 - theta_1) < s < 2c (theta_1 - theta_0),   its value:  g_1 - s^2/(4c)
//! ```

use super::LANES;
use crate::hybrid::events::first_places;
use crate::hybrid::tolerances::{DOUBTFUL, MISSED, PARABOLAS, SCREEN_MARGIN};

/// The first places, and the start of the step.
pub(super) const COUNT: usize = 4 * PARABOLAS + 1;

/// A number for each lane.
type Four = [f64; LANES];

/// The first places in order.
pub(super) struct EventScreen {
    theta: [f64; COUNT],
    /// Place 0 is the start, place k + 1 the k-th of the first places.
    order: [usize; COUNT],
    /// Weights of the values at the places a, m, b of a parabola, for its value at another place.
    parabolas: Vec<([usize; 3], usize, [f64; 3])>,
}

impl EventScreen {
    pub fn new() -> Self {
        let mut places = [0.0; COUNT];
        places[1..].copy_from_slice(&first_places());
        let mut order: [usize; COUNT] = std::array::from_fn(|k| k);
        order.sort_by(|i, j| places[*i].total_cmp(&places[*j]));
        let mut parabolas = Vec::with_capacity(2 * PARABOLAS);
        for k in 0..PARABOLAS {
            let three = [2 * k, 2 * k + 1, 2 * k + 2];
            for x in [2 * PARABOLAS + 2 * k + 1, 2 * PARABOLAS + 2 * k + 2] {
                let [a, m, b] = three.map(|k| places[k]);
                let at = places[x];
                let weights = [
                    (at - m) * (at - b) / ((a - m) * (a - b)),
                    (at - a) * (at - b) / ((m - a) * (m - b)),
                    (at - a) * (at - m) / ((b - a) * (b - m)),
                ];
                parabolas.push((three, x, weights));
            }
        }
        Self { theta: order.map(|k| places[k]), order, parabolas }
    }

    /// In which lanes nothing happens to a function, from its values at the start and the first places, all multiplied by
    /// the sign it had before.
    pub fn sure(&self, g: &[Four; COUNT]) -> [bool; LANES] {
        let mut sure = [true; LANES];
        for four in g {
            (0..LANES).for_each(|l| sure[l] &= four[l] > 0.0);
        }
        let mut size = [0.0f64; LANES];
        for four in &g[..=2 * PARABOLAS] {
            (0..LANES).for_each(|l| size[l] = size[l].max(four[l]));
        }
        for ([a, m, b], x, w) in &self.parabolas {
            for l in 0..LANES {
                let parabola = w[0] * g[*a][l] + w[1] * g[*m][l] + w[2] * g[*b][l];
                sure[l] &= (g[*x][l] - parabola).abs() <= SCREEN_MARGIN * MISSED * size[l];
            }
        }
        for k in 1..COUNT - 1 {
            let [before, here, after] = [k - 1, k, k + 1].map(|k| &g[self.order[k]]);
            let (left, right) = (self.theta[k] - self.theta[k - 1], self.theta[k + 1] - self.theta[k]);
            for l in 0..LANES {
                let (from, to) = ((here[l] - before[l]) / left, (after[l] - here[l]) / right);
                let c = (to - from) / (left + right);
                let s = from + c * left;
                let least = before[l].min(here[l]).min(after[l]);
                let outside = s >= 2.0 * c * left || s <= -2.0 * c * right;
                let high = s * s <= 4.0 * c * (here[l] - DOUBTFUL / SCREEN_MARGIN * least);
                sure[l] &= c <= 0.0 || outside || high;
            }
        }
        sure
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hybrid::events::EventSearch;
    use crate::hybrid::{Crossing, EventRule};

    /// Where it is sure, the search finds nothing; and it is sure of most functions that stay away from zero.
    #[test]
    fn is_sure_only_where_nothing_is_found() {
        let quiet = EventScreen::new();
        let (mut found, mut passed) = (0, 0);
        for k in 0..4000 {
            let spread = |ratio: f64| (f64::from(k) * ratio).fract();
            let (a, b, w) = (spread(0.618), spread(0.7548) - 0.5, 40.0 * spread(0.3247).powi(3));
            let value = |theta: f64| match k % 3 {
                0 => a - 0.2 + b * theta,
                1 => (theta - a) * (theta - a) + 0.02 * b,
                _ => 1.0 + 2.5 * b * (w * theta + a).sin(),
            };
            if value(0.0) <= 0.0 {
                continue;
            }
            let mut g = [[value(0.0); LANES]; COUNT];
            g[1..].iter_mut().zip(first_places()).for_each(|(g, theta)| *g = [value(theta); LANES]);
            let mut events = EventSearch::new(&[EventRule { crossing: Crossing::Both, stop: true }], 1);
            events.begin(|g| g[0] = value(0.0), 0.0);
            events.scan(0.0, 1.0, &mut |theta, g| g[0] = value(theta));
            let sure = quiet.sure(&g)[0];
            assert!(!sure || events.hits.is_empty(), "case {k}");
            (found, passed) = (found + usize::from(!events.hits.is_empty()), passed + usize::from(sure));
        }
        assert!(found > 500 && passed > 1000, "{found} {passed}");
        assert_eq!(quiet.sure(&[[f64::NAN; LANES]; COUNT]), [false; LANES]);
    }
}
