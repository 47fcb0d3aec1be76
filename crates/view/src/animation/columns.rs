//! Numbers over the frames of a film as bytes: to what can be seen, column by column.
//!
//! A column is one number of a frame over all frames. Its bytes, which those of the next one follow:
//!
//! ```text
//! 0, f64                                     the same in all frames
//! 1, f64[frames]                             as they are: not finite somewhere, or read as numbers
//! 2, f64 low, f64 step, order, varints       low + step k; k by differences of this order, each as 2 d or -2 d - 1
//! ```
//!
//! k goes to 65535, so that a screen is some fifty times coarser; motion of less than 1/2^24 of the size of the scene is not
//! shown. Differences of smooth motion are small: a number takes about a byte, where a double takes eight.

/// Steps over the range of a column.
const STEPS: f64 = 65535.0;
/// Steps are not finer than this share of the size.
const FINEST: f64 = 1.0 / (1u32 << 24) as f64;
/// Differences of differences of differences.
const MAX_ORDER: u8 = 3;

/// Frames of `width` numbers each. For each number the size of what it belongs to, or 0 if all its digits are needed.
pub(super) fn packed(values: &[f64], width: usize, sizes: &[f64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (c, size) in sizes.iter().enumerate().take(width) {
        let column: Vec<f64> = values.iter().skip(c).step_by(width.max(1)).copied().collect();
        put(&column, *size, &mut bytes);
    }
    bytes
}

fn put(column: &[f64], size: f64, bytes: &mut Vec<u8>) {
    let (low, high) =
        column.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let range = high - low;
    let is_exact =
        size <= 0.0 || !size.is_finite() || !range.is_finite() || column.iter().any(|v| !v.is_finite());
    let same = column.iter().all(|v| v.to_bits() == column[0].to_bits());
    let step = (range / STEPS).max(FINEST * size);
    match column {
        [first, ..] if same || !is_exact && range < step => {
            bytes.push(0);
            bytes.extend(first.to_le_bytes());
        }
        _ if is_exact => {
            bytes.push(1);
            bytes.extend(column.iter().flat_map(|v| v.to_le_bytes()));
        }
        _ => {
            let mut steps: Vec<i64> = column.iter().map(|v| ((v - low) / step).round() as i64).collect();
            let (mut order, mut best) = (0, differences(&steps));
            for next in 1..=MAX_ORDER {
                for k in (1..steps.len()).rev() {
                    steps[k] -= steps[k - 1];
                }
                let other = differences(&steps);
                if other.len() < best.len() {
                    (order, best) = (next, other);
                }
            }
            bytes.push(2);
            bytes.extend(low.to_le_bytes());
            bytes.extend(step.to_le_bytes());
            bytes.push(order);
            bytes.extend(best);
        }
    }
}

/// Whole numbers, seven bits a byte, the lowest first; the eighth says that more follow.
fn differences(list: &[i64]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(list.len());
    for d in list {
        let mut left = ((d << 1) ^ (d >> 63)) as u64;
        while left > 127 {
            bytes.push(left as u8 & 127 | 128);
            left >>= 7;
        }
        bytes.push(left as u8);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the player does, in `film.js`.
    fn unpacked(bytes: &[u8], frames: usize) -> Vec<f64> {
        let number = |at: usize| f64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        match bytes[0] {
            0 => vec![number(1); frames],
            1 => (0..frames).map(|k| number(1 + 8 * k)).collect(),
            _ => {
                let (low, step, order) = (number(1), number(9), bytes[17]);
                let (mut at, mut steps) = (18, Vec::new());
                for _ in 0..frames {
                    let (mut value, mut shift) = (0u64, 0);
                    loop {
                        value |= u64::from(bytes[at] & 127) << shift;
                        (at, shift) = (at + 1, shift + 7);
                        if bytes[at - 1] < 128 {
                            break;
                        }
                    }
                    steps.push((value >> 1) as i64 ^ -((value & 1) as i64));
                }
                for _ in 0..order {
                    (1..frames).for_each(|k| steps[k] += steps[k - 1]);
                }
                steps.into_iter().map(|k| low + step * k as f64).collect()
            }
        }
    }

    #[test]
    fn columns_come_back_to_what_can_be_seen() {
        let swing: Vec<f64> = (0..500).map(|k| 1e6 + 0.3 * (0.03 * f64::from(k)).sin()).collect();
        let kinked: Vec<f64> = (0..500).map(|k| f64::from((k * 7919) % 500) - 250.0).collect();
        let still = vec![0.25; 500];
        let rounding: Vec<f64> = (0..500).map(|k| f64::from(k % 7) * 1e-17).collect();
        let broken: Vec<f64> = (0..500).map(|k| if k > 490 { f64::NAN } else { f64::from(k) }).collect();
        for (column, size, off, most) in [
            (&swing, 1.0, 0.6 / 65535.0, 700),
            (&kinked, 100.0, 500.0 / 65535.0, 1600),
            (&still, 1.0, 0.0, 9),
            (&rounding, 1.0, 1e-16, 9),
            (&broken, 1.0, 0.0, 4001),
            (&swing, 0.0, 0.0, 4001),
        ] {
            let mut bytes = Vec::new();
            put(column, size, &mut bytes);
            assert!(bytes.len() <= most, "{} bytes", bytes.len());
            for (a, b) in column.iter().zip(unpacked(&bytes, 500)) {
                assert!((a - b).abs() <= off || a.is_nan() && b.is_nan(), "{a} {b}");
            }
        }
    }
}
