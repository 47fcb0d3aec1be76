//! Positions of a film on a flat picture: the same view as that of the page (`assets/player/view.js`).

use crate::animation::Animation;

const MARGIN: f64 = 36.0;
/// Where the eye is: turned about the vertical, raised, and so many sizes of the box away.
const YAW: f64 = -0.6;
const PITCH: f64 = 0.38;
const EYE: f64 = 3.2;

/// A camera that shows the whole box of a film.
pub(super) struct Camera {
    centre: Vec<f64>,
    middle: (f64, f64),
    scale: f64,
    /// Size of the box.
    pub size: f64,
    /// Right, down and away from the eye, in space.
    axes: Option<[[f64; 3]; 3]>,
}

impl Camera {
    /// For an area: left, top, right, bottom.
    pub fn new(film: &Animation, [left, top, right, bottom]: [f64; 4]) -> Camera {
        let sides: Vec<f64> = film.low.iter().zip(&film.high).map(|(l, h)| h - l).collect();
        let size = sides.iter().map(|s| s * s).sum::<f64>().sqrt();
        let size = if size.is_finite() && size > 1e-290 { size } else { 1.0 };
        // A box smaller than the rounding of its place has no inside.
        let far = film.low.iter().chain(&film.high).fold(0.0f64, |m, v| m.max(v.abs()));
        let size = size.max(1e-12 * far);
        let (width, height) = (right - left - 2.0 * MARGIN, bottom - top - 2.0 * MARGIN);
        let flat = film.dimension == 2;
        let ((sy, cy), (sp, cp)) = (YAW.sin_cos(), PITCH.sin_cos());
        let axes = [[cy, sy, 0.0], [sy * sp, -cy * sp, -cp], [-sy * cp, cy * cp, -sp]];
        let [across, down] = match flat {
            true => [sides[0], sides[1]],
            false => reach(&sides, size, &axes),
        };
        let scale = (width / across.max(0.3 * size)).min(height / down.max(0.3 * size));
        Camera {
            centre: film.low.iter().zip(&film.high).map(|(l, h)| 0.5 * l + 0.5 * h).collect(),
            middle: (0.5 * (left + right), 0.5 * (top + bottom)),
            scale,
            size,
            axes: (!flat).then_some(axes),
        }
    }

    /// Away from the eye, in space.
    pub fn away(&self) -> Option<Vec<f64>> {
        self.axes.map(|axes| axes[2].to_vec())
    }

    /// Right, down and away from the eye, in space.
    pub fn axes(&self) -> Option<[[f64; 3]; 3]> {
        self.axes
    }

    /// How far from the eye a position in space is, in sizes of the box.
    pub fn depth(&self, p: &[f64; 3]) -> f64 {
        let away = self.axes.map_or([0.0; 3], |axes| axes[2]);
        (0..3).map(|k| away[k] * (p[k] - self.centre[k])).sum::<f64>() / self.size + EYE
    }

    /// Units of the picture for a unit of length at a position in space.
    pub fn scale_at(&self, p: &[f64; 3]) -> f64 {
        self.scale * EYE / self.depth(p)
    }

    /// Whether a face with this middle and outward normal is seen from behind.
    pub fn looks_away(&self, middle: &[f64; 3], normal: &[f64; 3]) -> bool {
        let away = self.axes.map_or([0.0; 3], |axes| axes[2]);
        let eye: f64 =
            (0..3).map(|k| normal[k] * (away[k] * EYE * self.size + middle[k] - self.centre[k])).sum();
        eye > 0.0
    }

    /// Where a position is seen; `None` where it is not finite, or behind the eye.
    pub fn project(&self, p: &[f64]) -> Option<(f64, f64)> {
        let d: Vec<f64> = p.iter().zip(&self.centre).map(|(p, c)| p - c).collect();
        let (x, y) = match &self.axes {
            None => (self.scale * d[0], -self.scale * d[1]),
            Some(axes) => {
                let [right, down, away] = axes.map(|a| a.iter().zip(&d).map(|(a, d)| a * d).sum::<f64>());
                let depth = away / self.size + EYE;
                if depth.is_nan() || depth < 0.05 {
                    return None;
                }
                let scale = self.scale * EYE / depth;
                (scale * right, scale * down)
            }
        };
        let (x, y) = (self.middle.0 + x, self.middle.1 + y);
        // Far outside of any picture, and no finite pixels.
        (x.abs() < 1e6 && y.abs() < 1e6).then_some((x, y))
    }
}

/// How wide and high a box in space is seen: twice as far as its farthest corner is off the middle.
fn reach(sides: &[f64], size: f64, axes: &[[f64; 3]; 3]) -> [f64; 2] {
    let mut seen = [0.0f64; 2];
    for corner in 0..8 {
        let half = |k: usize| if corner >> k & 1 == 1 { 0.5 * sides[k] } else { -0.5 * sides[k] };
        let [right, down, away] = axes.map(|a| (0..3).map(|k| a[k] * half(k)).sum::<f64>());
        let near = EYE / (away / size + EYE).max(0.5);
        seen = [seen[0].max(2.0 * near * right.abs()), seen[1].max(2.0 * near * down.abs())];
    }
    seen
}
