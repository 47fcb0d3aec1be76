//! Mass, centre and inertia of parts, of shapes, and of parts together.
//!
//! Moving an inertia from the centre to a point adds m (d.d 1 - d d^T) (Huygens-Steiner). Checked against closed
//! forms in the tests and, through whole files, against two other programs.

use crate::algebra::{Mat3, Vec3, add, apply, dot, product, scale, sub, transposed};
use std::f64::consts::PI;

/// Mass, centre and inertia about the centre.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Inertia {
    /// Mass.
    pub mass: f64,
    /// Centre of mass.
    pub centre: Vec3,
    /// Inertia about the centre, in the axes of whatever the centre is measured in.
    pub about_centre: Mat3,
}

impl Inertia {
    /// Whether there is none at all.
    pub fn is_none(&self) -> bool {
        self.mass == 0.0 && self.about_centre == [[0.0; 3]; 3]
    }

    /// Seen from where its axes are at a point and turned.
    pub fn placed(&self, at: &Vec3, turn: &Mat3) -> Inertia {
        let inertia = product(&product(turn, &self.about_centre), &transposed(turn));
        // Rounding must not make it unsymmetric.
        let about_centre = std::array::from_fn(|i| std::array::from_fn(|j| inertia[i.min(j)][i.max(j)]));
        Inertia { mass: self.mass, centre: add(at, &apply(turn, &self.centre)), about_centre }
    }

    /// Parts in the same axes together.
    pub fn joined(parts: &[Inertia]) -> Inertia {
        if let [only] = parts {
            return *only;
        }
        let mass: f64 = parts.iter().map(|part| part.mass).sum();
        // From the first centre on: parts about one point leave it where it is, to the last digit.
        let origin = parts.first().map_or([0.0; 3], |part| part.centre);
        let moment = parts
            .iter()
            .fold([0.0; 3], |sum, part| add(&sum, &scale(part.mass, &sub(&part.centre, &origin))));
        let centre = if mass == 0.0 { [0.0; 3] } else { add(&origin, &scale(1.0 / mass, &moment)) };
        let mut about_centre = [[0.0; 3]; 3];
        for part in parts {
            let moved = point_inertia(part.mass, &sub(&part.centre, &centre));
            for (i, row) in about_centre.iter_mut().enumerate() {
                *row = add(row, &add(&part.about_centre[i], &moved[i]));
            }
        }
        Inertia { mass, centre, about_centre }
    }

    /// Its principal moments with their axes as columns.
    pub fn principal(&self) -> (Vec3, Mat3) {
        let mut values = self.about_centre.as_flattened().to_vec();
        let mut axes = [0.0; 9];
        dalembert_linalg::symmetric_eigen(&mut values, 3, &mut axes);
        let axes = std::array::from_fn(|i| std::array::from_fn(|j| axes[3 * i + j]));
        ([values[0], values[4], values[8]], axes)
    }

    /// An inertia with these principal axes and other moments.
    pub fn with_principal(&self, moments: &Vec3, axes: &Mat3) -> Inertia {
        let diagonal =
            std::array::from_fn(|i| std::array::from_fn(|j| if i == j { moments[i] } else { 0.0 }));
        let own = Inertia { mass: self.mass, centre: [0.0; 3], about_centre: diagonal };
        Inertia { centre: self.centre, ..own.placed(&[0.0; 3], axes) }
    }
}

/// Principal moments that some body may have: not negative, none larger than the others together.
pub fn is_possible(moments: &Vec3) -> bool {
    let mut sorted = *moments;
    sorted.sort_by(f64::total_cmp);
    let size = sorted[2].abs().max(sorted[0].abs());
    // The tolerance of the engine's own check.
    sorted[0] >= -1e-9 * size && sorted[0] + sorted[1] >= sorted[2] * (1.0 - 1e-9)
}

/// The inertia of a point mass about a point at the distance d.
fn point_inertia(mass: f64, d: &Vec3) -> Mat3 {
    let square = dot(d, d);
    std::array::from_fn(|i| std::array::from_fn(|j| mass * (if i == j { square } else { 0.0 } - d[i] * d[j])))
}

/// Solid shapes about their centres, along z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// By its radius.
    Sphere(f64),
    /// By its radius and the half length between the centres of its caps.
    Capsule(f64, f64),
    /// By its radius and half its length.
    Cylinder(f64, f64),
    /// By its half axes.
    Ellipsoid(Vec3),
    /// By half its sides.
    Box(Vec3),
}

impl Shape {
    /// Its volume.
    pub fn volume(&self) -> f64 {
        match *self {
            Shape::Sphere(r) => 4.0 / 3.0 * PI * r * r * r,
            Shape::Capsule(r, h) => PI * r * r * (2.0 * h + 4.0 / 3.0 * r),
            Shape::Cylinder(r, h) => 2.0 * PI * r * r * h,
            Shape::Ellipsoid([a, b, c]) => 4.0 / 3.0 * PI * a * b * c,
            Shape::Box([a, b, c]) => 8.0 * a * b * c,
        }
    }

    /// Uniform and of a given mass.
    pub fn of_mass(&self, mass: f64) -> Inertia {
        let [x, y, z] = match *self {
            Shape::Sphere(r) => [0.4 * r * r; 3],
            Shape::Capsule(r, h) => {
                // Two half balls, each with its centre 3 r/8 from its face, and a cylinder.
                let (length, caps) = (2.0 * h, 4.0 * r / (4.0 * r + 6.0 * h));
                let tube = 1.0 - caps;
                let across = tube * (3.0 * r * r + length * length) / 12.0
                    + caps * (0.4 * r * r + length * (3.0 * r + 2.0 * length) / 8.0);
                [across, across, tube * r * r / 2.0 + caps * 0.4 * r * r]
            }
            Shape::Cylinder(r, h) => {
                let across = (3.0 * r * r + 4.0 * h * h) / 12.0;
                [across, across, r * r / 2.0]
            }
            Shape::Ellipsoid([a, b, c]) => {
                [(b * b + c * c) / 5.0, (a * a + c * c) / 5.0, (a * a + b * b) / 5.0]
            }
            Shape::Box([a, b, c]) => [(b * b + c * c) / 3.0, (a * a + c * c) / 3.0, (a * a + b * b) / 3.0],
        };
        let about_centre = [[mass * x, 0.0, 0.0], [0.0, mass * y, 0.0], [0.0, 0.0, mass * z]];
        Inertia { mass, centre: [0.0; 3], about_centre }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::{IDENTITY, rotation};

    /// The integral over a shape by a fine grid, for what has no simpler reference here.
    fn by_grid(inside: impl Fn(&Vec3) -> bool, half: &Vec3, n: usize) -> (f64, Vec3) {
        let cell: Vec3 = std::array::from_fn(|k| 2.0 * half[k] / n as f64);
        let (mut volume, mut moments) = (0.0, [0.0; 3]);
        for index in 0..n * n * n {
            let at = [index % n, index / n % n, index / n / n];
            let p: Vec3 = std::array::from_fn(|k| -half[k] + (at[k] as f64 + 0.5) * cell[k]);
            if inside(&p) {
                volume += 1.0;
                moments = std::array::from_fn(|k| moments[k] + dot(&p, &p) - p[k] * p[k]);
            }
        }
        (volume * cell[0] * cell[1] * cell[2], moments.map(|m| m / volume))
    }

    #[test]
    fn shapes_agree_with_their_integrals() {
        let (r, h) = (0.3, 0.5);
        let capsule = |p: &Vec3| {
            let z = (p[2].abs() - h).max(0.0);
            p[0] * p[0] + p[1] * p[1] + z * z < r * r
        };
        let ellipsoid = |p: &Vec3| (p[0] / 0.2).powi(2) + (p[1] / 0.3).powi(2) + (p[2] / 0.6).powi(2) < 1.0;
        let cases: [(Shape, (f64, Vec3)); 2] = [
            (Shape::Capsule(r, h), by_grid(capsule, &[r, r, h + r], 80)),
            (Shape::Ellipsoid([0.2, 0.3, 0.6]), by_grid(ellipsoid, &[0.2, 0.3, 0.6], 80)),
        ];
        for (shape, (volume, moments)) in cases {
            let made = shape.of_mass(1.0).about_centre;
            assert!((shape.volume() / volume - 1.0).abs() < 2e-3, "{shape:?}");
            (0..3).for_each(|k| assert!((made[k][k] / moments[k] - 1.0).abs() < 2e-3, "{shape:?}"));
        }
    }

    #[test]
    fn two_halves_are_the_whole() {
        let whole = Shape::Box([0.4, 0.1, 0.2]).of_mass(2.0);
        let half = Shape::Box([0.2, 0.1, 0.2]).of_mass(1.0);
        let turn = rotation(&[1.0, -2.0, 0.5], 0.8);
        let at = |x: f64| half.placed(&[x, 0.0, 0.0], &IDENTITY).placed(&[0.1, 0.2, 0.3], &turn);
        let made = Inertia::joined(&[at(0.2), at(-0.2)]);
        let expected = whole.placed(&[0.1, 0.2, 0.3], &turn);
        for k in 0..9 {
            assert!((made.about_centre[k / 3][k % 3] - expected.about_centre[k / 3][k % 3]).abs() < 1e-15);
        }
        let (moments, axes) = expected.principal();
        let again = expected.with_principal(&moments, &axes);
        assert!((again.about_centre[0][1] - expected.about_centre[0][1]).abs() < 1e-15);
        assert!(is_possible(&moments) && !is_possible(&[1.0, 2.0, 4.0]));
    }
}
