//! Vectors, rotation matrices and quaternions in numbers.

/// Three components.
pub type Vec3 = [f64; 3];
/// Three rows.
pub type Mat3 = [[f64; 3]; 3];

/// The rotation that turns nothing.
pub const IDENTITY: Mat3 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

pub fn add(a: &Vec3, b: &Vec3) -> Vec3 {
    std::array::from_fn(|i| a[i] + b[i])
}

pub fn sub(a: &Vec3, b: &Vec3) -> Vec3 {
    std::array::from_fn(|i| a[i] - b[i])
}

pub fn scale(c: f64, a: &Vec3) -> Vec3 {
    a.map(|x| c * x)
}

pub fn dot(a: &Vec3, b: &Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross(a: &Vec3, b: &Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn norm(a: &Vec3) -> f64 {
    dot(a, a).sqrt()
}

pub fn apply(m: &Mat3, a: &Vec3) -> Vec3 {
    m.map(|row| dot(&row, a))
}

pub fn transposed(m: &Mat3) -> Mat3 {
    std::array::from_fn(|i| std::array::from_fn(|j| m[j][i]))
}

pub fn product(a: &Mat3, b: &Mat3) -> Mat3 {
    let b = transposed(b);
    a.map(|row| std::array::from_fn(|j| dot(&row, &b[j])))
}

/// The rotation about an axis of any length (none: no rotation).
pub fn rotation(axis: &Vec3, angle: f64) -> Mat3 {
    let length = norm(axis);
    if length == 0.0 {
        return IDENTITY;
    }
    let u = scale(1.0 / length, axis);
    let (s, c) = angle.sin_cos();
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let skew = match (3 + j - i) % 3 {
                0 => c,
                1 => -s * u[3 - i - j],
                _ => s * u[3 - i - j],
            };
            (1.0 - c) * u[i] * u[j] + skew
        })
    })
}

/// The rotation of a quaternion, scalar first, of any length but zero.
pub fn from_quaternion(q: &[f64; 4]) -> Mat3 {
    let length: f64 = q.iter().map(|e| e * e).sum();
    if length == 0.0 {
        return IDENTITY;
    }
    let [w, x, y, z] = *q;
    let m = [
        [w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ];
    m.map(|row| row.map(|e| e / length))
}

/// The unit quaternion of a rotation, scalar first and not negative.
pub fn to_quaternion(m: &Mat3) -> [f64; 4] {
    // The largest component is found first, so that nothing small is divided by.
    let squares = [
        1.0 + m[0][0] + m[1][1] + m[2][2],
        1.0 + m[0][0] - m[1][1] - m[2][2],
        1.0 - m[0][0] + m[1][1] - m[2][2],
        1.0 - m[0][0] - m[1][1] + m[2][2],
    ];
    let largest = (0..4).max_by(|&a, &b| squares[a].total_cmp(&squares[b])).unwrap_or(0);
    let (a, b, c) = (m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]);
    let (d, e, f) = (m[1][0] + m[0][1], m[0][2] + m[2][0], m[2][1] + m[1][2]);
    let q = match largest {
        0 => [squares[0], a, b, c],
        1 => [a, squares[1], d, e],
        2 => [b, d, squares[2], f],
        _ => [c, e, f, squares[3]],
    };
    let length = q.iter().map(|e| e * e).sum::<f64>().sqrt();
    let sign = if q[0] < 0.0 { -1.0 } else { 1.0 };
    q.map(|e| sign * e / length)
}

/// The least rotation that turns z into a direction.
pub fn z_to(direction: &Vec3) -> Mat3 {
    let length = norm(direction);
    let z = [0.0, 0.0, 1.0];
    let axis = cross(&z, direction);
    let (s, c) = (norm(&axis) / length, direction[2] / length);
    let angle = s.atan2(c);
    if s == 0.0 { rotation(&[1.0, 0.0, 0.0], angle) } else { rotation(&axis, angle) }
}

/// Six digits, as in the summary of the command.
pub fn rounded(value: f64) -> String {
    let text = format!("{value:.5e}");
    text.parse::<f64>().map_or(text, |value| format!("{value}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: &Mat3, b: &Mat3) -> f64 {
        (0..9).map(|k| (a[k / 3][k % 3] - b[k / 3][k % 3]).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn a_rotation_about_an_axis_is_that_of_its_quaternion() {
        for (axis, angle) in [([1.0, 2.0, -0.5], 0.7), ([0.0, 0.0, 3.0], -2.0), ([0.3, -1.0, 0.2], 3.1)] {
            let m = rotation(&axis, angle);
            let u = scale((angle / 2.0).sin() / norm(&axis), &axis);
            let q = [(angle / 2.0).cos(), u[0], u[1], u[2]];
            assert!(distance(&m, &from_quaternion(&q)) < 1e-15);
            assert!(distance(&m, &from_quaternion(&to_quaternion(&m))) < 1e-15);
            assert!(distance(&product(&m, &transposed(&m)), &IDENTITY) < 1e-15);
        }
        // A quarter turn about z takes x to y.
        assert!(
            norm(&sub(
                &apply(&rotation(&[0.0, 0.0, 1.0], 0.5 * std::f64::consts::PI), &[1.0, 0.0, 0.0]),
                &[0.0, 1.0, 0.0]
            )) < 1e-15
        );
    }

    #[test]
    fn z_is_turned_into_any_direction() {
        for direction in [[0.0, 0.0, 2.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.2, -0.4, -0.9]] {
            let turned = apply(&z_to(&direction), &[0.0, 0.0, 1.0]);
            assert!(norm(&sub(&turned, &scale(1.0 / norm(&direction), &direction))) < 1e-15);
        }
    }
}
