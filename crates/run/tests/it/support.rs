//! What the suites share: random cases, random vectors, products.

use proptest::collection::vec;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed};

/// So many random cases, the same ones every time: a failure can be had again.
pub fn same_cases(n: u32, seed: u64) -> Config {
    Config { failure_persistence: None, rng_seed: RngSeed::Fixed(seed), ..Config::with_cases(n) }
}

/// Entries between -1 and 1.
pub fn vector(n: usize) -> impl Strategy<Value = Vec<f64>> {
    vec(-1.0..1.0_f64, n)
}

/// Rows times a vector.
pub fn product(rows: &[f64], z: &[f64]) -> Vec<f64> {
    rows.chunks(z.len()).map(|row| row.iter().zip(z).map(|(a, b)| a * b).sum()).collect()
}
