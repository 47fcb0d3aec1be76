//! Films as JSON, the form in which players read them.
//!
//! ```text
//! {
//!   "format": 2,                       changes only if old players could not read the new form
//!   "title": "Double pendulum",
//!   "dimension": 2,                    2 or 3
//!   "unit": "m",                       of lengths, or null
//!   "energyUnit": "J",                 of energies, or null; times are in seconds
//!   "frames": 501,
//!   "times": f64[frames],
//!   "parameters": [{"name": "m", "value": 1, "unit": "kg"}, ...],
//!   "box": {"low": [x, y], "high": [x, y]},
//!   "width": 6,                        numbers of one frame in tracks
//!   "tracks": f64[frames * width],     a motion far from the origin needs all digits
//!   "shapes": [                        drawn in this order; numbers are places in a frame
//!     {"kind": "line", "name": "O, P", "at": [0, 2]},
//!     {"kind": "point", "name": "P", "at": [2]},
//!     {"kind": "trace", "name": "P", "at": [2]},
//!     {"kind": "circle", "name": "C", "at": [0], "radius": 4, "normal": 5},      normal may be null
//!     {"kind": "gauge", "name": "q", "value": 0, "range": [-1, 1]},
//!     {"kind": "solid", "form": "box", "name": "B", "at": [0], "radius": null, "axes": [2, 4]},
//!     {"kind": "joint", "form": "pin", "name": "J", "at": [0], "axes": [6], "grounded": true}],
//!                                      forms of solids: rod, cylinder, ball, disk, hoop, box, point; axes are where
//!                                      directions begin: a mark and the axis of a disk, edges of a box, of a joint its axes
//!   "points": [{"name": "P", "at": 2}],                                          where arrows stand
//!   "forceScale": 10,                  a large force of this film, for the length of arrows; 0 without arrows
//!   "arrows": [{"kind": "ideal", "largest": 12.5, "unplaced": 0, "forces": f32[frames * points * dimension]}],
//!   "couples": [{"kind": "impressed", "name": "theta", "at": 2, "values": f32[frames]}],    against the clock
//!   "energies": [{"name": "total", "values": f64[frames]}],
//!   "residuals": [{"name": "positions", "values": f64[frames]}],
//!   "remarks": ["..."]
//! }
//! ```
//!
//! Pages have format 3: `tracks` and `forces` to what can be seen, as columns ([`super::columns`]), in an eighth of the room.
//!
//! `f64[n]` and `f32[n]` are strings: the numbers as little-endian bytes in base64 (RFC 4648, with padding). Values that
//! are not finite stay what they are there; in plain JSON numbers they are `null`.

use super::Animation;
use super::columns::packed;
use serde_json::{Value, json};

impl Animation {
    /// The film as one JSON document of format 3, for pages: positions and forces to what can be seen.
    pub(crate) fn to_compact_json(&self) -> Value {
        let mut film = self.to_json();
        film["format"] = json!(3);
        film["tracks"] = json!(base64(packed(&self.tracks, self.width, &self.sizes()).into_iter()));
        let width = self.points.len() * self.dimension;
        for (k, arrows) in self.arrows.iter().enumerate() {
            let sizes = vec![self.force_scale; width];
            film["arrows"][k]["forces"] = json!(base64(packed(&arrows.forces, width, &sizes).into_iter()));
        }
        film
    }

    /// For each number of a frame the size of what it belongs to: of positions that of the scene, of directions and radii their
    /// own; 0 for values that are read as numbers.
    fn sizes(&self) -> Vec<f64> {
        let scene = self.low.iter().zip(&self.high).fold(0.0f64, |size, (l, h)| size.max(h - l));
        let mut sizes = vec![scene; self.width];
        for shape in &self.shapes {
            let directions = shape.axes.iter().map(|at| (*at, self.dimension));
            let others = shape.radius.map(|at| (at, 1)).into_iter().chain(shape.normal.map(|at| (at, 3)));
            for (at, count) in directions.chain(others) {
                let own = self.tracks.chunks(self.width.max(1)).flat_map(|frame| &frame[at..at + count]);
                let size = own.fold(0.0f64, |size, v| size.max(v.abs()));
                sizes[at..at + count].iter_mut().for_each(|s| *s = size);
            }
            if let Some(at) = shape.value {
                sizes[at] = 0.0;
            }
        }
        sizes
    }

    /// The film as one JSON document; the form is described at the head of `film/json.rs`.
    pub fn to_json(&self) -> Value {
        let series = |list: &[super::Series]| -> Vec<Value> {
            list.iter().map(|s| json!({ "name": s.name, "values": doubles(&s.values) })).collect()
        };
        let shapes: Vec<Value> = self.shapes.iter().map(shape).collect();
        let arrows: Vec<Value> = self
            .arrows
            .iter()
            .map(|a| {
                json!({
                    "kind": a.kind.name(),
                    "largest": a.largest,
                    "unplaced": a.unplaced,
                    "forces": singles(&a.forces),
                })
            })
            .collect();
        json!({
            "format": 2,
            "title": self.title,
            "dimension": self.dimension,
            "unit": self.unit,
            "energyUnit": self.energy_unit,
            "frames": self.times.len(),
            "times": doubles(&self.times),
            "parameters": self.parameters.iter()
                .map(|p| json!({ "name": p.name, "value": p.value, "unit": p.unit })).collect::<Vec<_>>(),
            "box": { "low": self.low, "high": self.high },
            "width": self.width,
            "tracks": doubles(&self.tracks),
            "shapes": shapes,
            "points": self.points.iter().map(|(name, at)| json!({ "name": name, "at": at })).collect::<Vec<_>>(),
            "forceScale": self.force_scale,
            "arrows": arrows,
            "couples": self.couples.iter()
                .map(|c| json!({ "kind": c.kind.name(), "name": c.name, "at": c.at, "values": singles(&c.values) }))
                .collect::<Vec<_>>(),
            "energies": series(&self.energies),
            "residuals": series(&self.residuals),
            "remarks": self.remarks,
        })
    }
}

pub(crate) fn shape(shape: &super::Shape) -> Value {
    let mut value = json!({ "kind": shape.kind, "name": shape.name, "at": shape.at });
    match shape.kind {
        "circle" => {
            value["radius"] = json!(shape.radius);
            value["normal"] = json!(shape.normal);
        }
        "gauge" => {
            value["value"] = json!(shape.value);
            value["range"] = json!(shape.range);
        }
        "solid" => {
            value["form"] = json!(shape.form);
            value["radius"] = json!(shape.radius);
            value["axes"] = json!(shape.axes);
        }
        "joint" => {
            value["form"] = json!(shape.form);
            value["axes"] = json!(shape.axes);
            value["grounded"] = json!(shape.grounded);
        }
        _ => {}
    }
    value
}

/// Numbers as the bytes of a page, to the last bit.
pub(crate) fn doubles(values: &[f64]) -> String {
    base64(values.iter().flat_map(|v| v.to_le_bytes()))
}

fn singles(values: &[f64]) -> String {
    base64(values.iter().flat_map(|v| (*v as f32).to_le_bytes()))
}

pub(crate) fn base64(bytes: impl Iterator<Item = u8>) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    let (mut held, mut bits) = (0u32, 0);
    let sign = |six: u32| char::from(SIGNS[(six & 63) as usize]);
    for byte in bytes {
        held = held << 8 | u32::from(byte);
        bits += 8;
        while bits >= 6 {
            bits -= 6;
            text.push(sign(held >> bits));
        }
    }
    if bits > 0 {
        text.push(sign(held << (6 - bits)));
    }
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn base64_is_that_of_rfc_4648() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(super::base64(bytes.bytes()), text);
        }
    }
}
