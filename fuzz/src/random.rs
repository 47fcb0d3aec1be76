//! Repeatable choices: one of several, and a number for bytes.

pub use dalembert_linalg::Rng;

/// Choices of a fuzzer.
pub trait Choose {
    /// Once in `n` times.
    fn once_in(&mut self, n: usize) -> bool;

    /// One of several; of nothing, the default.
    fn pick<T: Clone + Default>(&mut self, of: &[T]) -> T;
}

impl Choose for Rng {
    fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Clone + Default>(&mut self, of: &[T]) -> T {
        of.get(self.below(of.len())).cloned().unwrap_or_default()
    }
}

/// A number for bytes, to name a case and to decide what is done with it (FNV-1a).
pub fn number_of(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
}
