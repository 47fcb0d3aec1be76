//! Derivatives of the stages of a step, and weighted sums of them.
//!
//! Four components at a time are summed in registers, over all stages. Weights come from constant tables: inlined, a sum
//! is straight code without tests. Numbers of components are rounded up to whole blocks; what is beyond them is zero.

/// Components that are summed together.
const BLOCK: usize = 4;
/// Most derivatives of a step: the stages of DOP853, the end of the step and three stages of the dense output.
const MAX_STAGES: usize = 16;

/// Four components of all derivatives.
type Block = [[f64; BLOCK]; MAX_STAGES];

/// Derivatives k_j of a step, j < 16, its first state, and the state or sum that was formed last.
pub(crate) struct Stages {
    dim: usize,
    k: Vec<Block>,
    y: Vec<[f64; BLOCK]>,
    formed: Vec<[f64; BLOCK]>,
}

impl Stages {
    /// Room for derivatives of `dim` components.
    pub fn new(dim: usize) -> Self {
        let blocks = dim.div_ceil(BLOCK);
        let zero = vec![[0.0; BLOCK]; blocks];
        Self { dim, k: vec![[[0.0; BLOCK]; MAX_STAGES]; blocks], y: zero.clone(), formed: zero }
    }

    /// A step begins at `y` with the derivative `f`.
    pub fn begin(&mut self, y: &[f64], f: &[f64]) {
        self.y.as_flattened_mut()[..self.dim].copy_from_slice(y);
        self.put(0, f);
    }

    /// Component i of k_j.
    pub fn at(&self, j: usize, i: usize) -> f64 {
        self.k[i / BLOCK][j][i % BLOCK]
    }

    /// Takes over the derivative k_j.
    #[inline(always)]
    pub fn put(&mut self, j: usize, derivative: &[f64]) {
        for (block, part) in self.k.iter_mut().zip(derivative.chunks(BLOCK)) {
            match part {
                [a, b, c, d] => block[j] = [*a, *b, *c, *d],
                _ => block[j][..part.len()].copy_from_slice(part),
            }
        }
    }

    /// The state or sum that was formed last.
    #[inline(always)]
    pub fn formed(&self) -> &[f64] {
        &self.formed.as_flattened()[..self.dim]
    }

    /// The sum that was formed last, to be changed.
    pub fn formed_mut(&mut self) -> &mut [f64] {
        &mut self.formed.as_flattened_mut()[..self.dim]
    }

    /// Forms the state `y + sum_j (h w_j) k_j`; the increment is summed first, so that y rounds once.
    #[inline(always)]
    pub fn form_state(&mut self, h: f64, weights: &[f64]) {
        for ((block, y), out) in self.k.iter().zip(&self.y).zip(&mut self.formed) {
            let sum = increment(block, h, weights);
            *out = std::array::from_fn(|l| sum[l] + y[l]);
        }
    }

    /// Forms `sum_j (h w_j) k_j`.
    #[inline(always)]
    pub fn form_increment(&mut self, h: f64, weights: &[f64]) {
        for (block, out) in self.k.iter().zip(&mut self.formed) {
            *out = increment(block, h, weights);
        }
    }

    /// Forms `factor sum_j w_j k_j`.
    #[inline(always)]
    pub fn form_sum(&mut self, factor: f64, weights: &[f64]) {
        for (block, out) in self.k.iter().zip(&mut self.formed) {
            let mut sum = [0.0; BLOCK];
            for (w, k) in weights.iter().zip(block) {
                (0..BLOCK).for_each(|l| sum[l] += w * k[l]);
            }
            *out = sum.map(|s| factor * s);
        }
    }
}

/// sum_j (h w_j) k_j, weights that are zero left out.
#[inline(always)]
fn increment(block: &Block, h: f64, weights: &[f64]) -> [f64; BLOCK] {
    let mut sum = [0.0; BLOCK];
    for (w, k) in weights.iter().zip(block) {
        if *w != 0.0 {
            let s = h * w;
            (0..BLOCK).for_each(|l| sum[l] += s * k[l]);
        }
    }
    sum
}
