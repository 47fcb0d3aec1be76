//! Frames of a film as pixels, for video: the picture of the page without its controls.

use super::camera::Camera;
use super::canvas::{Anchor, Canvas, Color, Typeface};
use super::figures::{DOT, Figures, Instant};
use super::raster::Raster;
use super::{BLACK, GREY, GRID, TEXT_SIZE, TITLE_SIZE, WHITE};
use crate::animation::{Animation, ForceKind, Shape};
use dalembert::number::short;

/// Frames in a second of video.
pub const FRAME_RATE: usize = 25;
/// Motions of this many seconds are shown in real time, others in [`SHOWN`] seconds.
const REAL_TIME: std::ops::RangeInclusive<f64> = 1.0..=60.0;
const SHOWN: f64 = 12.0;
/// Size in logical units.
const SIZE: (f64, f64) = (640.0, 480.0);
const TOP: f64 = 44.0;
/// Length of a large force, as a share of the size of the box.
const ARROW_SHARE: f64 = 0.22;
/// Arrows are no longer than so many large forces.
const LONGEST: f64 = 3.0;

fn color_of(kind: ForceKind) -> Color {
    match kind {
        ForceKind::Impressed => Color(0, 114, 178),
        ForceKind::Ideal => Color(213, 94, 0),
        ForceKind::Nonideal => Color(176, 72, 143),
        ForceKind::Control => Color(0, 128, 93),
    }
}

/// The frames of a video of a film.
pub struct Frames<'f> {
    film: &'f Animation,
    camera: Camera,
    canvas: Raster,
}

impl<'f> Frames<'f> {
    /// Frames of 640 by 480 pixels, times `scale`.
    pub fn new(film: &'f Animation, scale: f64) -> Frames<'f> {
        let camera = Camera::new(film, [0.0, TOP, SIZE.0, SIZE.1]);
        Frames { film, camera, canvas: Raster::new(SIZE, scale) }
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (usize, usize) {
        (self.canvas.width, self.canvas.height)
    }

    /// How many frames there are.
    pub fn count(&self) -> usize {
        let length = self.length();
        let shown = if REAL_TIME.contains(&length) { length } else { SHOWN };
        if length > 0.0 { (shown * FRAME_RATE as f64).round() as usize + 1 } else { 1 }
    }

    fn length(&self) -> f64 {
        match (self.film.times.first(), self.film.times.last()) {
            (Some(first), Some(last)) => last - first,
            _ => 0.0,
        }
    }

    /// Red, green, blue of each pixel of a frame, row after row.
    pub fn render(&mut self, frame: usize) -> &[u8] {
        let part = frame as f64 / (self.count() - 1).max(1) as f64;
        let t = self.film.times.first().map_or(0.0, |first| first + part * self.length());
        let now = Instant::of(self.film, t);
        self.canvas.fill([0.0, 0.0, SIZE.0, SIZE.1], WHITE);
        self.heading(t);
        let film = self.film;
        let figures = Figures::new(film, &self.camera).filled();
        figures.traces(&mut self.canvas, &now);
        figures.bodies(&mut self.canvas, &now, BLACK, DOT);
        self.gauges(&now);
        self.arrows(&now);
        &self.canvas.pixels
    }

    fn heading(&mut self, t: f64) {
        let type_ = Typeface::default();
        let title = type_.fitted(&self.film.title, TITLE_SIZE, SIZE.0 - 140.0);
        self.canvas.text((14.0, 24.0), Anchor::Left, TITLE_SIZE, BLACK, &title);
        let places = if self.length() < 100.0 { 2 } else { 0 };
        let time = match self.length() >= 0.1 && t.abs() < 1e9 {
            true => format!("{t:.places$}"),
            false => short(t),
        };
        self.canvas.text((SIZE.0 - 14.0, 24.0), Anchor::Right, TITLE_SIZE, BLACK, &format!("t = {time}"));
        let mut x = 14.0;
        for arrows in &self.film.arrows {
            let (color, text) = (color_of(arrows.kind), format!("{} force", arrows.kind.name()));
            self.canvas.line(&[(x, 39.0), (x + 18.0, 39.0)], color, 3.0);
            self.canvas.text((x + 24.0, 43.0), Anchor::Left, TEXT_SIZE, GREY, &text);
            x += 40.0 + type_.width(&text, TEXT_SIZE);
        }
    }

    fn gauges(&mut self, now: &Instant) {
        let film = self.film;
        let gauges: Vec<&Shape> = film.shapes.iter().filter(|s| s.kind == "gauge").collect();
        let gap = (SIZE.1 - TOP) / (gauges.len() + 1) as f64;
        for (k, shape) in gauges.iter().enumerate() {
            let (Some(at), Some((low, high))) = (shape.value, shape.range) else { continue };
            let value = now.numbers(&film.tracks, film.width, at, 1)[0];
            let (y, left, right) = (TOP + gap * (k + 1) as f64, 60.0, SIZE.0 - 60.0);
            self.canvas.line(&[(left, y), (right, y)], GRID, 3.0);
            self.canvas.text(
                (left, y - 12.0),
                Anchor::Left,
                TEXT_SIZE,
                BLACK,
                &format!("{} = {}", shape.name, short(value)),
            );
            let x = left + (right - left) * (value - low) / (high - low);
            if x.is_finite() {
                self.canvas.disc((x, y), 6.0, BLACK);
                self.canvas.disc((x, y), 4.6, DOT);
            }
        }
    }

    fn arrows(&mut self, now: &Instant) {
        let film = self.film;
        let long = ARROW_SHARE * self.camera.size / film.force_scale;
        let width = film.points.len() * film.dimension;
        for arrows in &film.arrows {
            for (k, (_, at)) in film.points.iter().enumerate() {
                let force = now.numbers(&arrows.forces, width, k * film.dimension, film.dimension);
                let size = force.iter().map(|f| f * f).sum::<f64>().sqrt();
                let long = long * (LONGEST * film.force_scale / size).min(1.0);
                let foot = now.numbers(&film.tracks, film.width, *at, film.dimension);
                let head: Vec<f64> = foot.iter().zip(&force).map(|(x, f)| x + long * f).collect();
                if let (Some(from), Some(to)) = (self.camera.project(&foot), self.camera.project(&head)) {
                    self.canvas.arrow(from, to, color_of(arrows.kind));
                }
            }
        }
    }
}
