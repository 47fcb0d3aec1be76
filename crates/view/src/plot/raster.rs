//! The canvas as pixels, antialiased by exact coverage.
//!
//! A line is the union of its segments' rectangles and of discs at its joints, all turned the same way round: their
//! coverages add up and are cut at one.

use super::canvas::{Anchor, Canvas, Color, Typeface};
use ab_glyph::{Font, ScaleFont};
use ab_glyph_rasterizer::{Point, Rasterizer, point};

/// Corners of the discs at joints.
const CORNERS: usize = 12;

pub(super) struct Raster {
    pub width: usize,
    pub height: usize,
    /// Red, green, blue of each pixel, row after row.
    pub pixels: Vec<u8>,
    scale: f64,
    face: Typeface,
}

impl Raster {
    pub(super) fn new((width, height): (f64, f64), scale: f64) -> Raster {
        let (width, height) = ((width * scale).ceil() as usize, (height * scale).ceil() as usize);
        Raster { width, height, pixels: vec![255; 3 * width * height], scale, face: Typeface::default() }
    }

    /// Lays a colour over a pixel.
    fn blend(&mut self, x: i64, y: i64, Color(r, g, b): Color, cover: f32) {
        let inside = (0..self.width as i64).contains(&x) && (0..self.height as i64).contains(&y);
        if !inside || cover <= 0.0 {
            return;
        }
        let at = 3 * (y as usize * self.width + x as usize);
        let cover = cover.min(1.0);
        for (old, new) in self.pixels[at..at + 3].iter_mut().zip([r, g, b]) {
            *old = (f32::from(*old) * (1.0 - cover) + f32::from(new) * cover).round() as u8;
        }
    }
}

/// Shapes that films have besides.
impl Raster {
    /// An arrow; none where it would be shorter than its tip.
    pub(super) fn arrow(&mut self, from: (f64, f64), to: (f64, f64), color: Color) {
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        if length <= 1.5 {
            return;
        }
        let (ux, uy) = ((to.0 - from.0) / length, (to.1 - from.1) / length);
        let tip = (0.5 * length).min(10.0);
        let base = (to.0 - tip * ux, to.1 - tip * uy);
        self.line(&[from, base], color, 2.2);
        let side = |s: f64| (base.0 - s * tip * uy, base.1 + s * tip * ux);
        self.cover(&[to, side(0.45), side(-0.45)], 1.0, color, polygon);
    }

    /// Lays a colour over what `shape` makes of points in pixels, which reaches `room` beyond them.
    fn cover(
        &mut self,
        points: &[(f64, f64)],
        room: f64,
        color: Color,
        shape: impl FnOnce(&mut Rasterizer, &[(f64, f64)]),
    ) {
        let (scale, room) = (self.scale, room + 2.0);
        let points: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x * scale, y * scale)).collect();
        let bound = |pick: fn(&(f64, f64)) -> f64, most: usize| {
            let lo = points.iter().map(pick).fold(f64::INFINITY, f64::min) - room;
            let hi = points.iter().map(pick).fold(f64::NEG_INFINITY, f64::max) + room;
            (lo.floor().clamp(0.0, most as f64), hi.ceil().clamp(0.0, most as f64))
        };
        let ((x0, x1), (y0, y1)) = (bound(|p| p.0, self.width), bound(|p| p.1, self.height));
        if x1 <= x0 || y1 <= y0 {
            return;
        }
        let mut mask = Rasterizer::new((x1 - x0) as usize, (y1 - y0) as usize);
        let local: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x - x0, y - y0)).collect();
        shape(&mut mask, &local);
        let columns = mask.dimensions().0;
        mask.for_each_pixel(|k, cover| {
            self.blend(x0 as i64 + (k % columns) as i64, y0 as i64 + (k / columns) as i64, color, cover);
        });
    }
}

impl Canvas for Raster {
    fn fill(&mut self, rectangle: [f64; 4], color: Color) {
        let [left, top, right, bottom] = rectangle.map(|v| (v * self.scale).round() as i64);
        for y in top..bottom {
            for x in left..right {
                self.blend(x, y, color, 1.0);
            }
        }
    }

    fn line(&mut self, points: &[(f64, f64)], color: Color, width: f64) {
        let half = 0.5 * width * self.scale;
        self.cover(points, half, color, |mask, points| stroke(mask, points, half));
    }

    fn disc(&mut self, at: (f64, f64), radius: f64, color: Color) {
        let half = radius * self.scale;
        self.cover(&[at], half, color, |mask, points| polygon(mask, &ring(points[0], half, 4 * CORNERS)));
    }

    fn polygon(&mut self, corners: &[(f64, f64)], color: Color) {
        self.cover(corners, 1.0, color, polygon);
    }

    fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, size: f64, color: Color, text: &str) {
        let size = size * self.scale;
        let width = self.face.width(text, size);
        let shift = match anchor {
            Anchor::Left => 0.0,
            Anchor::Middle => 0.5 * width,
            Anchor::Right => width,
        };
        let font = self.face.font.clone();
        let font = font.as_scaled(self.face.scale(size));
        let mut pen = (x * self.scale - shift) as f32;
        for c in text.chars() {
            let id = font.glyph_id(c);
            let glyph = id.with_scale_and_position(font.scale(), point(pen, (y * self.scale) as f32));
            if let Some(outline) = font.outline_glyph(glyph) {
                let corner = outline.px_bounds().min;
                outline.draw(|dx, dy, cover| {
                    self.blend(
                        corner.x as i64 + i64::from(dx),
                        corner.y as i64 + i64::from(dy),
                        color,
                        cover,
                    );
                });
            }
            pen += font.h_advance(id);
        }
    }
}

fn stroke(mask: &mut Rasterizer, points: &[(f64, f64)], half: f64) {
    for pair in points.windows(2) {
        let ((ax, ay), (bx, by)) = (pair[0], pair[1]);
        let length = (bx - ax).hypot(by - ay);
        if length > 0.0 {
            let (nx, ny) = (-(by - ay) / length * half, (bx - ax) / length * half);
            polygon(mask, &[(ax + nx, ay + ny), (ax - nx, ay - ny), (bx - nx, by - ny), (bx + nx, by + ny)]);
        }
    }
    // Thin lines and straight ones need no joints.
    for triple in points.windows(3).filter(|t| half > 0.6 && bends(t)) {
        polygon(mask, &ring(triple[1], half, CORNERS));
    }
}

/// Corners around a point.
fn ring((x, y): (f64, f64), radius: f64, corners: usize) -> Vec<(f64, f64)> {
    let corner = |k: usize| {
        let angle = k as f64 * std::f64::consts::TAU / corners as f64;
        (x + radius * angle.cos(), y + radius * angle.sin())
    };
    (0..corners).map(corner).collect()
}

fn bends(t: &[(f64, f64)]) -> bool {
    let (a, b) = ((t[1].0 - t[0].0, t[1].1 - t[0].1), (t[2].0 - t[1].0, t[2].1 - t[1].1));
    let (cross, dot) = (a.0 * b.1 - a.1 * b.0, a.0 * b.0 + a.1 * b.1);
    cross.abs() > 0.25 * dot || dot < 0.0
}

fn polygon(mask: &mut Rasterizer, corners: &[(f64, f64)]) {
    let (width, height) = mask.dimensions();
    let at = |(x, y): (f64, f64)| -> Point {
        point(x.clamp(0.0, width as f64) as f32, y.clamp(0.0, height as f64) as f32)
    };
    for k in 0..corners.len() {
        mask.draw_line(at(corners[k]), at(corners[(k + 1) % corners.len()]));
    }
}
