//! Events: sign changes of functions of the state, located on the dense output.
//!
//! Steps are as long as the motion allows, which says nothing about the event functions. So each step is sampled on the
//! dense output, twice as densely wherever a parabola through three samples misses the points between them, and an
//! extremum that may reach zero is looked at by itself: two crossings within a step are found, and a pair that is
//! close together too. Each sign change is located by regula falsi with the Illinois rule, bisection when it stalls.
//! A function that is zero at the start takes its sign from the first sample at which it has one, so an event is not
//! reported where a run begins. One that becomes zero just at the end of the run is reported there: no step follows that
//! could show its change of sign. So is one that arrives at zero where a contact sticks, and stays there.

use super::options::EventRule;
use super::outcome::{Crossing, EventHit};
use super::tolerances::{
    ARRIVED, DOUBTFUL, JUST_CROSSED, LOCATED, MAX_DEPTH, MAX_LOCATING, MAX_SAMPLES, MISSED, PARABOLAS,
    ZERO_AT_START, ZERO_VALUE,
};

/// Fractions at which every step is looked at: ends and middles of the parabolas, then two places in each of them.
pub(crate) fn first_places() -> [f64; 4 * PARABOLAS] {
    let mut places = [0.0; 4 * PARABOLAS];
    for k in 0..PARABOLAS {
        let [a, m, b] = [2 * k, 2 * k + 1, 2 * k + 2].map(part);
        (places[2 * k], places[2 * k + 1]) = (m, b);
        [places[2 * PARABOLAS + 2 * k], places[2 * PARABOLAS + 2 * k + 1]] = between([a, m, b]);
    }
    places
}

/// Where the first parabolas begin, have their middle and end: places without a common measure, so that a fast
/// oscillation does not look slow (aliasing).
fn part(k: usize) -> f64 {
    let last = 2 * PARABOLAS;
    let shift = if k == 0 || k == last { 0.0 } else { 0.23 * (2.3 * k as f64).sin() };
    (k as f64 + shift) / last as f64
}

/// Where a parabola is compared with its function.
fn between([a, m, b]: [f64; 3]) -> [f64; 2] {
    [a + 0.382 * (m - a), m + 0.586 * (b - m)]
}

/// Watch over the event functions.
pub(crate) struct EventSearch {
    rules: Vec<EventRule>,
    /// Last sign of each function; 0 if it had none yet.
    sign: Vec<f64>,
    /// Values of no sign: up to this a function rests at zero, since it has arrived there.
    band: Vec<f64>,
    /// Largest value of each function so far.
    largest: Vec<f64>,
    /// Values at the end of the last step.
    g_before: Vec<f64>,
    room: Vec<f64>,
    samples: Samples,
    /// Largest value of each function in the step.
    size: Vec<f64>,
    /// Hits of the last step, in the order of the motion.
    pub hits: Vec<EventHit>,
}

impl EventSearch {
    /// For the first `n_event` functions that have a rule.
    pub fn new(rules: &[EventRule], n_event: usize) -> Self {
        let n = rules.len().min(n_event);
        let room = vec![0.0; n_event];
        Self {
            rules: rules[..n].to_vec(),
            sign: vec![0.0; n],
            band: vec![0.0; n],
            largest: vec![0.0; n],
            g_before: room.clone(),
            samples: Samples { width: n_event, ..Samples::default() },
            size: room.clone(),
            room,
            hits: Vec::with_capacity(4 * n),
        }
    }

    pub fn len(&self) -> usize {
        self.rules.len()
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
            self.sign[i] = sign_of(self.g_before[i], ZERO_AT_START * (1.0 + size));
        }
    }

    /// Continues after the equations have changed: the first `fresh` functions are new and begin positive, the
    /// others go on.
    pub fn resume(&mut self, fresh: usize, values: impl FnOnce(&mut [f64])) {
        values(&mut self.g_before);
        self.sign[..fresh].fill(1.0);
    }

    /// After the scan of the last step, from t to t + h: adds the functions, from the `first` on, that arrive at zero just
    /// there, up to rounding of time.
    pub fn close(&mut self, first: usize, t: f64, h: f64) {
        let [.., before, last] = self.samples.order[..] else { return };
        let tiny = LOCATED * ((t + h).abs() / h.abs()).max(1.0);
        let width = self.samples.theta[last] - self.samples.theta[before];
        for i in first..self.rules.len() {
            let (a, b) = (self.samples.at(before)[i], self.samples.at(last)[i]);
            // By the slope of the last stretch, the zero is this far behind the end.
            let arrives = a != 0.0 && a != b && b / a >= 0.0 && b.abs() * width <= tiny * (a - b).abs();
            let rising = a * h.signum() < 0.0;
            if arrives && sign_of(a, 0.0) == self.sign[i] && self.wanted(i, rising) {
                self.hits.push(EventHit { index: i, t: t + h, rising });
            }
        }
    }

    /// The step scanned last, which began with these signs, ends at a fraction of it: signs are those there. The first
    /// `given` hits have been reported.
    pub fn cut(&mut self, before: Vec<f64>, theta: f64, h: f64, given: usize) {
        self.sign = before;
        for &k in &self.samples.order {
            if self.samples.theta[k] >= theta {
                break;
            }
            for i in 0..self.rules.len() {
                let now = sign_of(self.samples.at(k)[i], self.band[i]);
                self.sign[i] = if now == 0.0 { self.sign[i] } else { now };
            }
        }
        for hit in &self.hits[..given] {
            self.sign[hit.index] = if hit.rising { h.signum() } else { -h.signum() };
        }
    }

    /// The functions, from the `first` on, that are zero at t and a moment later, and were not before: they have arrived
    /// there to stay. One that has just been reported is not reported again.
    pub fn arrivals(&mut self, first: usize, t: f64, h: f64, now: &[f64], later: &[f64]) -> Vec<EventHit> {
        let mut arrived = Vec::new();
        for i in first..self.rules.len() {
            let band = ARRIVED * self.largest[i];
            if self.sign[i] == 0.0 || !(now[i].abs().max(later[i].abs()) <= band) {
                continue;
            }
            let rising = self.sign[i] * h.signum() < 0.0;
            let close = |hit: &EventHit| hit.index == i && (hit.t - t).abs() <= JUST_CROSSED * h.abs();
            let reported = self.hits.iter().any(|hit| close(hit) && (hit.t - t) * h.signum() < 0.0);
            (self.sign[i], self.band[i]) = (0.0, band);
            if self.wanted(i, rising) && !reported {
                arrived.push(EventHit { index: i, t, rising });
            }
        }
        arrived
    }

    /// Behind a jump of the state at t, with values `now` and a moment `later`: functions take the sides they are on. One
    /// that has just fired takes that which it goes to, where it is at zero still. Others of the user (from the `first` on)
    /// that are on another side than before have jumped through zero; they are returned.
    pub fn land(
        &mut self,
        first: usize,
        t: f64,
        moment: f64,
        fired: &[EventHit],
        [now, later]: [&[f64]; 2],
    ) -> Vec<EventHit> {
        let mut caused = Vec::new();
        for i in first..self.rules.len() {
            let band = ARRIVED * self.largest[i];
            let side = sign_of(now[i], band);
            self.band[i] = 0.0;
            if fired.iter().any(|hit| hit.index == i) {
                self.sign[i] = if side == 0.0 { sign_of(later[i] - now[i], 0.0) } else { side };
                continue;
            }
            let rising = side * moment.signum() > 0.0;
            if side * self.sign[i] < 0.0 && self.wanted(i, rising) {
                caused.push(EventHit { index: i, t, rising });
            }
            self.sign[i] = if side == 0.0 { self.sign[i] } else { side };
        }
        self.g_before.copy_from_slice(now);
        caused
    }

    /// How many samples the last scan took.
    pub fn sample_count(&self) -> usize {
        self.samples.theta.len()
    }

    /// What the next scan begins from.
    pub fn mark(&self) -> (Vec<f64>, Vec<f64>) {
        (self.sign.clone(), self.g_before.clone())
    }

    /// The step scanned last is taken again.
    pub fn rewind(&mut self, (sign, g_before): (Vec<f64>, Vec<f64>)) {
        (self.sign, self.g_before) = (sign, g_before);
    }

    /// A function, from the `first` on, that ends the motion if these are its values a moment later, and whether it rises.
    pub fn stopping(&self, first: usize, h: f64, g: &[f64]) -> Option<(usize, bool)> {
        let rising = |i: usize| sign_of(g[i], 0.0) * h.signum() > 0.0;
        let changes = |i: usize| self.sign[i] * sign_of(g[i], 0.0) < 0.0;
        let ends = |i: &usize| self.rules[*i].stop && changes(*i) && self.wanted(*i, rising(*i));
        (first..self.rules.len()).find(ends).map(|i| (i, rising(i)))
    }

    /// Signs and values at the end of the last step.
    pub fn before(&self) -> impl Iterator<Item = (f64, f64)> {
        self.sign.iter().copied().zip(self.g_before.iter().copied())
    }

    /// Nothing happened in a step that ends with these values.
    pub fn pass(&mut self, values: impl FnOnce(&mut [f64])) {
        self.hits.clear();
        values(&mut self.g_before);
    }

    /// The signs are those of the values noted last, exactly.
    pub fn take_signs(&mut self) {
        self.sign.iter_mut().zip(&self.g_before).for_each(|(sign, g)| *sign = sign_of(*g, 0.0));
    }

    /// Finds the hits in the step from t to t + h; `values(theta, g)` gives the functions at a fraction of it.
    pub fn scan(&mut self, t: f64, h: f64, values: &mut dyn FnMut(f64, &mut [f64])) {
        self.hits.clear();
        self.sample(values);
        self.sample_extrema(values);
        for i in 0..self.rules.len() {
            self.crossings(i, t, h, values);
        }
        self.largest.iter_mut().zip(&self.size).for_each(|(largest, size)| *largest = largest.max(*size));
        if let Some(&last) = self.samples.order.last() {
            self.g_before.copy_from_slice(self.samples.at(last));
        }
        self.hits
            .sort_by(|p, q| (p.t * h.signum()).total_cmp(&(q.t * h.signum())).then(p.index.cmp(&q.index)));
    }

    /// Samples the step until parabolas follow all functions.
    fn sample(&mut self, values: &mut dyn FnMut(f64, &mut [f64])) {
        self.samples.clear();
        self.size.fill(0.0);
        let before = std::mem::take(&mut self.g_before);
        let first = self.keep(0.0, &before);
        self.g_before = before;
        let (mut stack, mut a) = (std::mem::take(&mut self.samples.stack), first);
        for k in 0..PARABOLAS {
            let m = self.take(part(2 * k + 1), values);
            let b = self.take(part(2 * k + 2), values);
            stack.push(([a, m, b], 0));
            a = b;
        }
        while let Some(([a, m, b], depth)) = stack.pop() {
            let [left, right] = between([a, m, b].map(|k| self.samples.theta[k]));
            let (l, r) = (self.take(left, values), self.take(right, values));
            let full = depth >= MAX_DEPTH || self.samples.theta.len() >= MAX_SAMPLES;
            if !full && self.missed([a, l, m, r, b]) {
                stack.push(([m, r, b], depth + 1));
                stack.push(([a, l, m], depth + 1));
            }
        }
        self.samples.stack = stack;
        self.samples.sort();
    }

    /// Whether the parabola through the first, third and fifth sample misses the second or fourth.
    fn missed(&self, [a, l, m, r, b]: [usize; 5]) -> bool {
        let theta = [a, m, b].map(|k| self.samples.theta[k]);
        (0..self.rules.len()).any(|i| {
            let parabola = Parabola::through(theta, [a, m, b].map(|k| self.samples.at(k)[i]));
            let error = |k: usize| (self.samples.at(k)[i] - parabola.at(self.samples.theta[k])).abs();
            error(l).max(error(r)) > MISSED * self.size[i]
        })
    }

    /// Extrema between samples of one sign that may reach zero.
    fn sample_extrema(&mut self, values: &mut dyn FnMut(f64, &mut [f64])) {
        for _ in 0..2 {
            let count = self.samples.order.len();
            for k in 1..count.saturating_sub(1) {
                let three = [k - 1, k, k + 1].map(|k| self.samples.order[k]);
                let theta = three.map(|k| self.samples.theta[k]);
                for i in 0..self.rules.len() {
                    let g = three.map(|k| self.samples.at(k)[i]);
                    if let Some(at) = doubtful_extremum(theta, g) {
                        self.take(at, values);
                    }
                }
            }
            self.samples.sort();
        }
    }

    /// The sign changes of function i among the samples.
    fn crossings(&mut self, i: usize, t: f64, h: f64, values: &mut dyn FnMut(f64, &mut [f64])) {
        for k in 1..self.samples.order.len() {
            let (before, after) = (self.samples.order[k - 1], self.samples.order[k]);
            let a = (self.samples.theta[before], self.samples.at(before)[i]);
            let b = (self.samples.theta[after], self.samples.at(after)[i]);
            let now = sign_of(b.1, self.band[i]);
            if now == 0.0 {
                continue;
            }
            self.band[i] = 0.0;
            let changed = self.sign[i] != 0.0 && self.sign[i] != now;
            self.sign[i] = now;
            if changed && self.wanted(i, now * h.signum() > 0.0) {
                let tiny = LOCATED * (t.abs() / h.abs()).max(1.0);
                let room = &mut self.room;
                let theta = locate(a, b, tiny, &mut |theta| {
                    values(theta, room);
                    room[i]
                });
                self.hits.push(EventHit { index: i, t: t + theta * h, rising: now * h.signum() > 0.0 });
            }
        }
    }

    fn wanted(&self, i: usize, rising: bool) -> bool {
        match self.rules[i].crossing {
            Crossing::Both => true,
            Crossing::Rising => rising,
            Crossing::Falling => !rising,
        }
    }

    fn take(&mut self, theta: f64, values: &mut dyn FnMut(f64, &mut [f64])) -> usize {
        let mut room = std::mem::take(&mut self.room);
        values(theta, &mut room);
        let place = self.keep(theta, &room);
        self.room = room;
        place
    }

    fn keep(&mut self, theta: f64, g: &[f64]) -> usize {
        for (size, g) in self.size.iter_mut().zip(g) {
            *size = size.max(g.abs()); // NaN leaves it alone
        }
        self.samples.theta.push(theta);
        self.samples.g.extend_from_slice(g);
        self.samples.theta.len() - 1
    }
}

/// Values of the functions at fractions of a step.
#[derive(Default)]
struct Samples {
    width: usize,
    theta: Vec<f64>,
    g: Vec<f64>,
    /// Indices in the order of theta.
    order: Vec<usize>,
    stack: Vec<([usize; 3], usize)>,
}

impl Samples {
    fn clear(&mut self) {
        self.theta.clear();
        self.g.clear();
        self.stack.clear();
    }

    fn at(&self, k: usize) -> &[f64] {
        &self.g[k * self.width..(k + 1) * self.width]
    }

    fn sort(&mut self) {
        self.order.clear();
        self.order.extend(0..self.theta.len());
        let theta = &self.theta;
        self.order.sort_by(|&i, &j| theta[i].total_cmp(&theta[j]));
    }
}

/// `g + slope (x - a) + curvature (x - a)(x - m)`
struct Parabola {
    a: f64,
    m: f64,
    g: f64,
    slope: f64,
    curvature: f64,
}

impl Parabola {
    fn through([a, m, b]: [f64; 3], g: [f64; 3]) -> Self {
        let (left, right) = ((g[1] - g[0]) / (m - a), (g[2] - g[1]) / (b - m));
        Self { a, m, g: g[0], slope: left, curvature: (right - left) / (b - a) }
    }

    fn at(&self, x: f64) -> f64 {
        self.g + (x - self.a) * (self.slope + self.curvature * (x - self.m))
    }

    fn vertex(&self) -> f64 {
        0.5 * (self.a + self.m) - 0.5 * self.slope / self.curvature
    }
}

/// Where the parabola through three values of one sign comes so near to zero that it may cross.
fn doubtful_extremum(theta: [f64; 3], g: [f64; 3]) -> Option<f64> {
    let same = g.iter().all(|v| *v > 0.0) || g.iter().all(|v| *v < 0.0);
    if !(same && theta[0] < theta[1] && theta[1] < theta[2]) {
        return None;
    }
    let parabola = Parabola::through(theta, g);
    let vertex = parabola.vertex();
    let least = g.iter().fold(f64::INFINITY, |s, v| s.min(v.abs()));
    let near = parabola.at(vertex) * g[1].signum() < DOUBTFUL * least;
    (near && vertex > theta[0] && vertex < theta[2]).then_some(vertex)
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
    for k in 0..MAX_LOCATING {
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
        if value.abs() < ZERO_VALUE * a.1.abs().max(b.1.abs()) {
            break;
        }
    }
    if a.1.abs() < b.1.abs() { a.0 } else { b.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(rules: &[EventRule]) -> EventSearch {
        EventSearch::new(rules, rules.len())
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
    fn fast_functions_and_close_pairs_in_one_step() {
        let mut watch = events(&[EventRule { crossing: Crossing::Both, stop: false }; 2]);
        let mut values = |theta: f64, g: &mut [f64]| {
            g[0] = (400.0 * theta).sin();
            g[1] = (theta - 0.53).powi(2) - 1e-8;
        };
        watch.begin(|g| values(0.0, g), 0.0);
        watch.scan(0.0, 1.0, &mut values);
        let count = |index: usize| watch.hits.iter().filter(|hit| hit.index == index).count();
        assert_eq!((count(0), count(1)), (127, 2));
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
    fn a_zero_at_the_end_is_found_and_what_only_decays_is_not() {
        let rule = |crossing| EventRule { crossing, stop: false };
        let mut watch = events(&[
            rule(Crossing::Both),
            rule(Crossing::Falling),
            rule(Crossing::Both),
            rule(Crossing::Both),
            rule(Crossing::Both),
        ]);
        let mut values = |theta: f64, g: &mut [f64]| {
            g[0] = theta - 1.0;
            g[1] = theta - 1.0;
            g[2] = 1e-16 * (-theta).exp();
            g[3] = 0.0;
            g[4] = theta - (1.0 - 4e-16);
        };
        watch.begin(|g| values(0.0, g), 0.0);
        watch.scan(3.0, 1.0, &mut values);
        assert_eq!(
            watch.hits.iter().map(|hit| hit.index).collect::<Vec<_>>(),
            [4],
            "crossed just before the end"
        );
        watch.close(0, 3.0, 1.0);
        assert_eq!(watch.hits.iter().map(|hit| hit.index).collect::<Vec<_>>(), [4, 0], "and once only");
        assert_eq!(watch.hits[1], EventHit { index: 0, t: 4.0, rising: true });
    }

    #[test]
    fn not_a_number_is_no_event() {
        let mut watch = events(&[EventRule { crossing: Crossing::Both, stop: true }]);
        watch.begin(|g| g[0] = f64::NAN, f64::NAN);
        watch.scan(0.0, 1.0, &mut |_, g| g[0] = f64::NAN);
        assert!(watch.hits.is_empty());
    }
}
