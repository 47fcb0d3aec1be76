//! Events: sign changes of functions of the state, located on the dense output.
//!
//! Each step is looked at in [`PARTS`] parts, so several crossings in a step are found; each is located by regula falsi
//! with the Illinois rule, bisection when it stalls. A function that is zero at the start takes its sign from the first
//! part in which it has one, so an event is not reported where a run begins.

use super::options::EventRule;
use super::outcome::{Crossing, EventHit};

/// Parts of a step that are examined.
const PARTS: usize = 8;

/// Watch over the event functions.
pub(super) struct Events {
    rules: Vec<EventRule>,
    /// Last sign of each function; 0 if it had none yet.
    sign: Vec<f64>,
    g: Vec<f64>,
    g_before: Vec<f64>,
    room: Vec<f64>,
    /// Hits of the last step, in the order of the motion.
    pub hits: Vec<EventHit>,
}

impl Events {
    /// For the first `n_event` functions that have a rule.
    pub fn new(rules: &[EventRule], n_event: usize) -> Self {
        let n = rules.len().min(n_event);
        let room = vec![0.0; n_event];
        Self {
            rules: rules[..n].to_vec(),
            sign: vec![0.0; n],
            g: room.clone(),
            g_before: room.clone(),
            room,
            hits: Vec::with_capacity(n * PARTS),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether this hit ends the motion.
    pub fn stops(&self, hit: &EventHit) -> bool {
        self.rules[hit.index].stop
    }

    /// Notes the signs at the start; `size` is that of the state.
    pub fn begin(&mut self, values: impl FnOnce(&mut [f64]), size: f64) {
        values(&mut self.g_before);
        for i in 0..self.rules.len() {
            self.sign[i] = sign_of(self.g_before[i], 1e-14 * (1.0 + size));
        }
    }

    /// Finds the hits in the step from t to t + h; `values(theta, g)` gives the functions at a fraction of it.
    pub fn scan(&mut self, t: f64, h: f64, values: &mut dyn FnMut(f64, &mut [f64])) {
        self.hits.clear();
        for part in 1..=PARTS {
            let (a, b) = ((part - 1) as f64 / PARTS as f64, part as f64 / PARTS as f64);
            values(b, &mut self.g);
            for i in 0..self.rules.len() {
                let now = sign_of(self.g[i], 0.0);
                if now == 0.0 {
                    continue;
                }
                let changed = self.sign[i] != 0.0 && self.sign[i] != now;
                self.sign[i] = now;
                let wanted = match self.rules[i].crossing {
                    Crossing::Both => true,
                    Crossing::Rising => now * h > 0.0,
                    Crossing::Falling => now * h < 0.0,
                };
                if changed && wanted {
                    let tiny = 1e-14 * (t.abs() / h.abs()).max(1.0);
                    let room = &mut self.room;
                    let theta = locate((a, self.g_before[i]), (b, self.g[i]), tiny, &mut |theta| {
                        values(theta, room);
                        room[i]
                    });
                    self.hits.push(EventHit { index: i, t: t + theta * h, rising: now * h > 0.0 });
                }
            }
            self.g_before.copy_from_slice(&self.g);
        }
        self.hits
            .sort_by(|p, q| (p.t * h.signum()).total_cmp(&(q.t * h.signum())).then(p.index.cmp(&q.index)));
    }
}

fn sign_of(g: f64, tiny: f64) -> f64 {
    if g > tiny {
        1.0
    } else if g < -tiny {
        -1.0
    } else {
        0.0
    }
}

/// The zero between a and b, whose values have opposite signs (that at a may be zero), to `tiny` in theta.
fn locate(mut a: (f64, f64), mut b: (f64, f64), tiny: f64, g: &mut dyn FnMut(f64) -> f64) -> f64 {
    if a.1 == 0.0 || a.1 * b.1 > 0.0 {
        return a.0;
    }
    let (mut fa, mut fb) = (a.1, b.1);
    for k in 0..100 {
        if b.0 - a.0 <= tiny {
            break;
        }
        let secant = (a.0 * fb - b.0 * fa) / (fb - fa);
        let inside = secant > a.0 && secant < b.0 && k % 4 != 3;
        let theta = if inside { secant } else { 0.5 * (a.0 + b.0) };
        let value = g(theta);
        if value == 0.0 || !value.is_finite() {
            return theta;
        }
        if (value > 0.0) == (b.1 > 0.0) {
            b = (theta, value);
            fb = value;
            fa *= 0.5;
        } else {
            a = (theta, value);
            fa = value;
            fb *= 0.5;
        }
        if value.abs() < 1e-16 * a.1.abs().max(b.1.abs()) {
            break;
        }
    }
    if a.1.abs() < b.1.abs() { a.0 } else { b.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(rules: &[EventRule]) -> Events {
        Events::new(rules, rules.len())
    }

    #[test]
    fn several_crossings_in_a_step_in_order() {
        let both = EventRule { crossing: Crossing::Both, stop: false };
        let rising = EventRule { crossing: Crossing::Rising, stop: false };
        let mut watch = events(&[both, rising]);
        let mut values = |theta: f64, g: &mut [f64]| {
            g[0] = (8.0 * theta).sin();
            g[1] = theta - 0.6;
        };
        watch.begin(|g| values(0.0, g), 0.0);
        watch.scan(0.0, 1.0, &mut values);
        let pi = std::f64::consts::PI;
        let want = [(0, pi / 8.0), (1, 0.6), (0, pi / 4.0)];
        assert_eq!(watch.hits.len(), 3, "the zero at the start is not an event");
        for (hit, (index, t)) in watch.hits.iter().zip(want) {
            assert_eq!(hit.index, index);
            assert!((hit.t - t).abs() < 1e-13);
        }
    }

    #[test]
    fn a_zero_on_the_boundary_of_steps_is_found_once() {
        let mut watch = events(&[EventRule { crossing: Crossing::Both, stop: false }]);
        watch.begin(|g| g[0] = -1.0, 0.0);
        watch.scan(0.0, 1.0, &mut |theta, g| g[0] = theta - 1.0);
        assert!(watch.hits.is_empty());
        watch.scan(1.0, 1.0, &mut |theta, g| g[0] = theta);
        assert_eq!(watch.hits.len(), 1);
        assert!((watch.hits[0].t - 1.0).abs() < 1e-12);
    }

    #[test]
    fn not_a_number_is_no_event() {
        let mut watch = events(&[EventRule { crossing: Crossing::Both, stop: true }]);
        watch.begin(|g| g[0] = f64::NAN, f64::NAN);
        watch.scan(0.0, 1.0, &mut |_, g| g[0] = f64::NAN);
        assert!(watch.hits.is_empty());
    }
}
