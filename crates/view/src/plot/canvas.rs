//! What drawings are made of: lines, filled rectangles, discs and text, in logical units with y downward.

use ab_glyph::{Font, FontRef, ScaleFont};

/// The bundled typeface: a subset of DejaVu Sans (licence beside it).
static FONT: &[u8] = include_bytes!("../../assets/DejaVuSans-subset.ttf");

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
    /// A filled polygon with corners that are all finite.
    fn polygon(&mut self, corners: &[(f64, f64)], color: Color);
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
        let font = self.font.as_scaled(self.scale(size));
        let advance = |c: char| f64::from(font.h_advance(font.glyph_id(c)));
        let ellipsis = advance('…');
        // One pass: where the text is too wide, and the last place where an ellipsis still fits behind it.
        let (mut width, mut end) = (0.0, None);
        for (at, c) in text.char_indices() {
            if width + ellipsis <= room {
                end = Some(at);
            }
            width += advance(c);
            if width > room {
                return end.map_or_else(String::new, |end| format!("{}…", &text[..end]));
            }
        }
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_where_an_ellipsis_still_fits() {
        let (face, size) = (Typeface::default(), 14.0);
        assert_eq!(face.fitted("short", size, 100.0), "short");
        assert_eq!(face.fitted("", size, 0.0), "");
        assert_eq!(face.fitted("nothing fits", size, 1.0), "");
        for room in [20.0, 50.0, 100.0, 333.0] {
            let cut = face.fitted(&"Füße und 角度 ".repeat(50), size, room);
            assert!(cut.ends_with('…') && face.width(&cut, size) <= room, "{cut}");
            let more = format!(
                "{}…",
                "Füße und 角度 ".repeat(50).chars().take(cut.chars().count()).collect::<String>()
            );
            assert!(face.width(&more, size) > room, "one more letter does not fit: {more}");
        }
    }

    #[test]
    fn measuring_a_text_does_not_read_it_again_for_each_letter() {
        // A million letters; cut one by one, this would take hours.
        assert!(Typeface::default().fitted(&"m".repeat(1_000_000), 14.0, 500.0).chars().count() < 100);
    }
}
