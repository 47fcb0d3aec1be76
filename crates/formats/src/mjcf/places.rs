//! Positions and orientations: `pos` with one of `quat`, `axisangle`, `euler`, `xyaxes`, `zaxis`.

use super::settings::{Element, Settings};
use crate::algebra::{IDENTITY, Mat3, Vec3, cross, dot, norm, product, rotation, scale, sub, z_to};
use crate::turn::{Angle, Place, Turn};
use crate::xml::{Log, value_span};
use dalembert_syntax::diagnostic::Code;

const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];

/// An angle of the file.
pub fn angle(value: f64, settings: &Settings) -> Angle {
    if settings.degrees { Angle::degrees(value) } else { Angle::Radians(value) }
}

/// Where an element is on its parent.
pub fn place(element: &Element<'_, '_>, settings: &Settings, log: &mut Log) -> Place {
    let at: Vec3 = log.array::<3>(element.with("pos"), "pos").unwrap_or([0.0; 3]);
    Place { at, turn: turn(element, settings, log) }
}

fn turn(element: &Element<'_, '_>, settings: &Settings, log: &mut Log) -> Turn {
    let node = element.with_any(&ORIENTATIONS);
    let given: Vec<&str> = ORIENTATIONS.into_iter().filter(|name| node.attribute(*name).is_some()).collect();
    match given[..] {
        [] => Turn::None,
        ["quat"] => match log.array::<4>(node, "quat") {
            Some(q) if q == [0.0; 4] => {
                log.say(
                    Code::BadXmlValue,
                    value_span(node, "quat"),
                    "a quaternion of length zero is not a rotation",
                );
                Turn::None
            }
            Some(q) => Turn::Quaternion(q),
            None => Turn::None,
        },
        ["axisangle"] => match log.array::<4>(node, "axisangle") {
            Some([x, y, z, _]) if [x, y, z] == [0.0; 3] => {
                let at = value_span(node, "axisangle");
                log.say(Code::BadXmlValue, at, "an axis of length zero has no direction");
                Turn::None
            }
            Some([x, y, z, a]) => Turn::Axis([x, y, z], angle(a, settings)),
            None => Turn::None,
        },
        ["euler"] => log.array::<3>(node, "euler").map_or(Turn::None, |angles| euler(&angles, settings)),
        ["xyaxes"] => {
            match log.array::<6>(node, "xyaxes").map(|[a, b, c, d, e, f]| axes(&[a, b, c], &[d, e, f])) {
                Some(Some(m)) => Turn::of_matrix(&m),
                Some(None) => {
                    log.say(
                        Code::BadXmlValue,
                        value_span(node, "xyaxes"),
                        "two axes along one line do not define a frame",
                    );
                    Turn::None
                }
                None => Turn::None,
            }
        }
        ["zaxis"] => log.direction(node, "zaxis").map_or(Turn::None, |z| Turn::of_matrix(&z_to(&z))),
        _ => {
            let message = format!("one orientation is enough, not {}", given.join(" and "));
            log.say(Code::BadXmlValue, crate::xml::span(node), message);
            Turn::None
        }
    }
}

/// Turns in sequence: about moved axes (small letters) or fixed ones.
fn euler(angles: &Vec3, settings: &Settings) -> Turn {
    let unit = |k: usize| {
        let mut axis = [0.0; 3];
        axis[k] = 1.0;
        axis
    };
    let parts: Vec<(usize, Angle)> =
        (0..3).map(|k| (settings.euler[k].0, angle(angles[k], settings))).collect();
    let turning: Vec<&(usize, Angle)> = parts.iter().filter(|(_, angle)| angle.value() != 0.0).collect();
    match turning[..] {
        [] => Turn::None,
        [(axis, angle)] => Turn::Axis(unit(*axis), *angle),
        _ => {
            let mut m: Mat3 = IDENTITY;
            for (k, (axis, angle)) in parts.iter().enumerate() {
                let next = rotation(&unit(*axis), angle.value());
                m = if settings.euler[k].1 { product(&next, &m) } else { product(&m, &next) };
            }
            Turn::of_matrix(&m)
        }
    }
}

/// The rotation with a given x axis and a y axis in a given plane.
fn axes(x: &Vec3, y: &Vec3) -> Option<Mat3> {
    let unit = |v: &Vec3| (norm(v) > 1e-12).then(|| scale(1.0 / norm(v), v));
    let x = unit(x)?;
    let y = unit(&sub(y, &scale(dot(&x, y), &x)))?;
    let z = cross(&x, &y);
    Some(crate::algebra::transposed(&[x, y, z]))
}
