//! What drawings are made of: lines, filled rectangles, discs and text, in logical units with y downward.

use ab_glyph::{Font, FontRef, ScaleFont};

/// The bundled typeface: a subset of DejaVu Sans (licence beside it).
static FONT: &[u8] = include_bytes!("../../../assets/DejaVuSans-subset.ttf");

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Color(pub u8, pub u8, pub u8);

/// Which point of a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Left,
    Middle,
    Right,
}

/// A surface to draw on.
pub(super) trait Canvas {
    /// A filled rectangle: left, top, right, bottom.
    fn fill(&mut self, rectangle: [f64; 4], color: Color);
    /// A line through points that are all finite.
    fn line(&mut self, points: &[(f64, f64)], color: Color, width: f64);
    /// A filled disc.
    fn disc(&mut self, at: (f64, f64), radius: f64, color: Color);
    /// Text on a base line.
    fn text(&mut self, at: (f64, f64), anchor: Anchor, size: f64, color: Color, text: &str);
}

/// Measures text.
pub(super) struct Typeface {
    pub font: FontRef<'static>,
}

impl Default for Typeface {
    fn default() -> Self {
        Typeface { font: FontRef::try_from_slice(FONT).expect("the bundled font is sound") }
    }
}

impl Typeface {
    /// Width of a text at a size (of the em square).
    pub(super) fn width(&self, text: &str, size: f64) -> f64 {
        let font = self.font.as_scaled(self.scale(size));
        text.chars().map(|c| f64::from(font.h_advance(font.glyph_id(c)))).sum()
    }

    /// The scale under which the em square has this size.
    pub(super) fn scale(&self, size: f64) -> f32 {
        let em = self.font.units_per_em().unwrap_or(2048.0);
        size as f32 * self.font.height_unscaled() / em
    }

    /// The text, cut with an ellipsis to fit a width.
    pub(super) fn fitted(&self, text: &str, size: f64, room: f64) -> String {
        if self.width(text, size) <= room {
            return text.to_owned();
        }
        let mut cut: String = text.to_owned();
        while cut.pop().is_some() {
            let candidate = format!("{cut}…");
            if self.width(&candidate, size) <= room {
                return candidate;
            }
        }
        String::new()
    }
}
