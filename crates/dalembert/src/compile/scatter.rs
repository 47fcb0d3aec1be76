//! Where the outputs of a tape go: to places of several arrays, whose other entries are zeros.

/// Places of outputs, in their order.
#[derive(Clone)]
pub(super) struct Scatter {
    /// For each output: which array, and where in it.
    pub each: Vec<(usize, usize)>,
    /// The same as stretches of neighbours: array, first place, count. A large system has few.
    stretches: Vec<(usize, usize, usize)>,
    /// How many outputs go to each array.
    counts: Vec<usize>,
}

impl Scatter {
    /// From the place of each output; no two go to the same one.
    pub fn new(each: Vec<(usize, usize)>) -> Self {
        let mut stretches: Vec<(usize, usize, usize)> = Vec::new();
        let mut counts = Vec::new();
        for &(array, k) in &each {
            match stretches.last_mut() {
                Some((a, first, count)) if *a == array && *first + *count == k => *count += 1,
                _ => stretches.push((array, k, 1)),
            }
            if counts.len() <= array {
                counts.resize(array + 1, 0);
            }
            counts[array] += 1;
        }
        Scatter { each, stretches, counts }
    }

    /// Puts the outputs where they go, and zeros elsewhere. O(entries of the arrays).
    pub fn put<const N: usize>(&self, outputs: &[f64], mut arrays: [&mut [f64]; N]) {
        for (a, array) in arrays.iter_mut().enumerate() {
            if self.counts.get(a).is_none_or(|count| *count < array.len()) {
                array.fill(0.0);
            }
        }
        let mut next = 0;
        for &(a, first, count) in &self.stretches {
            match count {
                1 => arrays[a][first] = outputs[next],
                _ => arrays[a][first..first + count].copy_from_slice(&outputs[next..next + count]),
            }
            next += count;
        }
    }
}
