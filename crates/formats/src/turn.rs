//! Placements: a point and a turn, as numbers and as the text of a model.

use crate::algebra::{IDENTITY, Mat3, Vec3, add, apply, from_quaternion, product, rotation, to_quaternion};
use std::f64::consts::{FRAC_PI_2, PI};

/// An angle in radians. Quarter turns and whole degrees are written as multiples of pi.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Angle {
    /// In radians.
    Radians(f64),
    /// A whole number of degrees.
    Degrees(i32),
}

impl Angle {
    /// An angle given in degrees.
    pub fn degrees(value: f64) -> Angle {
        if value.trunc() == value && value.abs() <= 3600.0 {
            Angle::Degrees(value as i32)
        } else {
            Angle::Radians(value * PI / 180.0)
        }
    }

    /// The quarter turn nearest to an angle, and whether it is within a tolerance of it.
    pub fn snapped(value: f64, tolerance: f64) -> Option<Angle> {
        let quarters = (value / FRAC_PI_2).round();
        let near = (value - quarters * FRAC_PI_2).abs() <= tolerance && quarters.abs() <= 40.0;
        near.then_some(Angle::Degrees(90 * quarters as i32))
    }

    /// In radians.
    pub fn value(self) -> f64 {
        match self {
            Angle::Radians(value) => value,
            Angle::Degrees(whole) => f64::from(whole) * PI / 180.0,
        }
    }

    /// As it is written in a model.
    pub fn text(self) -> String {
        let Angle::Degrees(whole) = self else { return number(self.value()) };
        let divisor = common_divisor(whole.unsigned_abs(), 180);
        let (above, below) = (whole / divisor as i32, 180 / divisor as i32);
        match (above, below) {
            (0, _) => "0".to_owned(),
            (1, 1) => "pi".to_owned(),
            (-1, 1) => "-pi".to_owned(),
            (_, 1) => format!("{above}*pi"),
            (1, _) => format!("pi/{below}"),
            (-1, _) => format!("-pi/{below}"),
            _ => format!("{above}*pi/{below}"),
        }
    }
}

fn common_divisor(mut a: u32, mut b: u32) -> u32 {
    while a != 0 {
        (a, b) = (b % a, a);
    }
    b
}

/// A rotation as it was written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turn {
    /// None.
    None,
    /// Roll, pitch and yaw: Rz Ry Rx.
    Rpy([Angle; 3]),
    /// About an axis of any length.
    Axis(Vec3, Angle),
    /// A quaternion of any length, scalar first.
    Quaternion([f64; 4]),
}

impl Turn {
    /// The rotation of a matrix.
    pub fn of_matrix(m: &Mat3) -> Turn {
        if *m == IDENTITY { Turn::None } else { Turn::Quaternion(to_quaternion(m)) }
    }

    /// Its matrix: axes of what is turned as columns.
    pub fn matrix(&self) -> Mat3 {
        let about = |k: usize, angle: Angle| {
            let mut axis = [0.0; 3];
            axis[k] = 1.0;
            rotation(&axis, angle.value())
        };
        match self {
            Turn::None => IDENTITY,
            Turn::Rpy([a, b, c]) => product(&product(&about(2, *c), &about(1, *b)), &about(0, *a)),
            Turn::Axis(axis, angle) => rotation(axis, angle.value()),
            Turn::Quaternion(q) => from_quaternion(q),
        }
    }

    fn is_none(&self) -> bool {
        match self {
            Turn::None => true,
            Turn::Rpy(angles) => angles.iter().all(|angle| angle.value() == 0.0),
            Turn::Axis(_, angle) => angle.value() == 0.0,
            Turn::Quaternion(q) => q[1..] == [0.0; 3],
        }
    }

    fn text(&self) -> String {
        match self {
            Turn::None => String::new(),
            Turn::Rpy(angles) => {
                let angles = angles.map(Angle::text);
                format!("rpy({})", angles.join(", "))
            }
            Turn::Axis(axis, angle) => format!("axis {} by {}", vector(axis), angle.text()),
            Turn::Quaternion(q) => format!("quaternion({})", q.map(number).join(", ")),
        }
    }
}

/// Where something is on something else: a point, then a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The point.
    pub at: Vec3,
    /// The turn there.
    pub turn: Turn,
}

impl Place {
    /// At the origin, not turned.
    pub const ORIGIN: Place = Place { at: [0.0; 3], turn: Turn::None };

    /// The place that is `inner` on something at this place.
    pub fn then(&self, inner: &Place) -> Place {
        if self.is_origin() {
            return *inner;
        }
        let m = self.turn.matrix();
        let at = add(&self.at, &apply(&m, &inner.at));
        let turn = match (self.turn.is_none(), inner.turn.is_none()) {
            (_, true) => self.turn,
            (true, false) => inner.turn,
            (false, false) => Turn::of_matrix(&product(&m, &inner.turn.matrix())),
        };
        Place { at, turn }
    }

    /// Whether it is where what it is on is.
    pub fn is_origin(&self) -> bool {
        self.at == [0.0; 3] && self.turn.is_none()
    }

    /// ` at P turned T`, as far as there is something to say.
    pub fn text(&self) -> String {
        let mut out = String::new();
        if self.at != [0.0; 3] {
            out.push_str(&format!(" at {}", vector(&self.at)));
        }
        if !self.turn.is_none() {
            out.push_str(&format!(" turned {}", self.turn.text()));
        }
        out
    }
}

/// A number that reads back exactly.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if (1e-4..1e15).contains(&size) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// `[a, b, c]`
pub fn vector(values: &[f64]) -> String {
    let parts: Vec<String> = values.iter().map(|value| number(*value)).collect();
    format!("[{}]", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_degrees_are_written_as_fractions_of_pi() {
        let written = [90.0, -90.0, 180.0, 30.0, -135.0, 360.0, 0.0].map(|d| Angle::degrees(d).text());
        assert_eq!(written, ["pi/2", "-pi/2", "pi", "pi/6", "-3*pi/4", "2*pi", "0"]);
        assert_eq!(Angle::degrees(12.5).text(), number(12.5 * PI / 180.0));
        assert_eq!(Angle::degrees(i32::MIN.into()), Angle::Radians(f64::from(i32::MIN) * PI / 180.0));
    }

    #[test]
    fn numbers_read_back() {
        for value in [0.1, 1.0 / 3.0, 1e-7, 2.5e20, -3.0, 123456.789, 1e-4, 5e-324] {
            assert_eq!(number(value).parse::<f64>(), Ok(value));
        }
        assert_eq!(number(-0.0), "0");
    }

    #[test]
    fn right_angles_are_recognised_within_the_tolerance() {
        assert_eq!(Angle::snapped(FRAC_PI_2 - 2e-8, 1e-6), Some(Angle::Degrees(90)));
        assert_eq!(Angle::snapped(2e-13 - PI, 1e-6), Some(Angle::Degrees(-180)));
        assert_eq!(Angle::snapped(1.57, 1e-6), None);
    }
}
