//! What a film cannot show: positions that are not finite, circles that are none.

use super::{Animation, Shape};

/// Names that a remark spells out.
const MAX_NAMED: usize = 6;

/// A kind of flaw: what is said of shapes that have it, and which shapes do in a frame.
type Flaw = (&'static str, fn(&Shape, &[f64], usize) -> bool);

const FLAWS: [Flaw; 3] = [
    ("not finite, and not drawn there", |shape, frame, dimension| {
        let mut numbers = shape.at.iter().flat_map(|at| &frame[*at..at + dimension]);
        let (radius, value) = (shape.radius.map(|r| frame[r]), shape.value.map(|v| frame[v]));
        !numbers.all(|v| v.is_finite()) || radius.into_iter().chain(value).any(|v| !v.is_finite())
    }),
    ("of negative radius, and drawn with its size", |shape, frame, _| {
        shape.radius.is_some_and(|r| frame[r] < 0.0)
    }),
    ("without a normal of any length, and not drawn there", |shape, frame, _| {
        let normal = shape.normal.map(|n| &frame[n..n + 3]);
        normal.is_some_and(|n| {
            let length = n.iter().map(|v| v * v).sum::<f64>();
            length == 0.0 || !length.is_finite()
        })
    }),
];

impl Animation {
    /// Remarks on shapes that some frames cannot show as they are.
    pub(super) fn tell_flaws(&mut self) {
        for (what, holds) in FLAWS {
            let (mut named, mut most): (Vec<String>, usize) = (Vec::new(), 0);
            for shape in &self.shapes {
                let frames = self.tracks.chunks(self.width.max(1));
                let count = frames.filter(|frame| holds(shape, frame, self.dimension)).count();
                if count > 0 {
                    named.push(format!("{} {}", shape.kind, shape.name));
                    most = most.max(count);
                }
            }
            if named.is_empty() {
                continue;
            }
            let more = match named.len().saturating_sub(MAX_NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            named.truncate(MAX_NAMED);
            let (names, all) = (named.join(", "), self.times.len());
            self.remarks.push(format!("{names}{more}: {what}, in up to {most} of {all} frames"));
        }
    }
}
