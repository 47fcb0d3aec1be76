//! Times on a machine that may be shared: the best of many short batches.

use std::time::Instant;

/// Nanoseconds of a call, the best of 400 batches of `repeat` calls.
pub fn best_ns(repeat: usize, mut work: impl FnMut()) -> f64 {
    fastest(400, || (0..repeat).for_each(|_| work())) * 1e9 / repeat as f64
}

/// Seconds of the fastest of `times` calls.
pub fn fastest(times: usize, mut call: impl FnMut()) -> f64 {
    (0..times)
        .map(|_| {
            let begin = Instant::now();
            call();
            begin.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}
