//! Repeatable random numbers: the same seed, the same sequence, on every machine.
//!
//! Not for secrets. Nothing here reads a clock or the system.

/// SplitMix64: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
///
/// A counter with an odd increment passed through a bijection that leaves no trace of order. Every seed is a good one,
/// and the first number of `Rng::new(x)` is a hash of `x`.
///
/// ```
/// use dalembert_linalg::Rng;
///
/// let mut rng = Rng::new(0);
/// assert_eq!(rng.next_u64(), 0xe220_a839_7b1d_cdaf);
/// assert!((0.0..1.0).contains(&rng.uniform()));
/// assert!((-1.0..3.0).contains(&rng.between(-1.0, 3.0)));
/// assert!(rng.below(6) < 6);
/// ```
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator with a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [0, 1): one of 2^53 equally spaced numbers.
    pub fn uniform(&mut self) -> f64 {
        unit(self.next_u64())
    }

    /// In [0, 1], ends included: all 64 bits rounded to the nearest number.
    pub fn uniform_closed(&mut self) -> f64 {
        self.next_u64() as f64 / u64::MAX as f64
    }

    /// In [a, b), but for rounding.
    pub fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.uniform()
    }

    /// In [-1, 1], ends included; see [`uniform_closed`](Rng::uniform_closed).
    pub fn symmetric(&mut self) -> f64 {
        self.uniform_closed() * 2.0 - 1.0
    }

    /// Below `n`; 0 if nothing is.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next_u64() % n.max(1) as u64) as usize
    }
}

/// The linear congruential generator of Knuth's MMIX, for small fixed perturbations inside an algorithm.
///
/// Its low bits are poor. New code takes [`Rng`]; where results depend on an existing sequence, this one stays.
///
/// ```
/// use dalembert_linalg::Lcg;
///
/// let mut lcg = Lcg::new(1);
/// assert_eq!(lcg.next_u64(), 7_806_831_264_735_756_412);
/// assert!((0.0..1.0).contains(&lcg.uniform()));
/// ```
#[derive(Clone, Debug)]
pub struct Lcg(u64);

impl Lcg {
    /// A generator with a seed.
    pub fn new(seed: u64) -> Lcg {
        Lcg(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0
    }

    /// In [0, 1): one of 2^53 equally spaced numbers.
    pub fn uniform(&mut self) -> f64 {
        unit(self.next_u64())
    }
}

/// The upper 53 bits as a fraction of one.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::Rng;

    /// The first numbers for seed 1234567, as in the test vectors of other implementations.
    #[test]
    fn published_values() {
        let mut rng = Rng::new(1_234_567);
        let known: [u64; 5] = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(known.map(|_| rng.next_u64()), known);
    }

    #[test]
    fn numbers_are_in_their_intervals() {
        let mut rng = Rng::new(7);
        for _ in 0..10_000 {
            assert!((0.0..1.0).contains(&rng.uniform()));
            assert!((0.0..=1.0).contains(&rng.uniform_closed()));
            assert!((-1.0..=1.0).contains(&rng.symmetric()));
            assert!((2.0..=3.0).contains(&rng.between(2.0, 3.0)));
            assert!(rng.below(10) < 10);
        }
        assert_eq!(rng.below(0), 0);
    }
}
