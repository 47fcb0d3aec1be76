//! Frames of a film as pixels, for video: the picture of the page without its controls.

use super::camera::Camera;
use super::canvas::{Anchor, Canvas, Color, Typeface};
use super::raster::Raster;
use super::{BLACK, GREY, GRID, TEXT_SIZE, TITLE_SIZE, WHITE};
use crate::film::{Film, ForceKind, Shape};

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
const CORNERS: usize = 48;

const DOT: Color = Color(240, 196, 25);
const TRACES: [Color; 3] = [Color(116, 136, 160), Color(217, 154, 18), Color(138, 127, 192)];

fn color_of(kind: ForceKind) -> Color {
    match kind {
        ForceKind::Impressed => Color(0, 114, 178),
        ForceKind::Ideal => Color(213, 94, 0),
        ForceKind::Nonideal => Color(176, 72, 143),
        ForceKind::Control => Color(0, 128, 93),
    }
}

/// The frames of a video of a film.
pub struct FilmFrames<'f> {
    film: &'f Film,
    camera: Camera,
    canvas: Raster,
}

impl<'f> FilmFrames<'f> {
    /// Frames of 640 by 480 pixels, times `scale`.
    pub fn new(film: &'f Film, scale: f64) -> FilmFrames<'f> {
        let camera = Camera::new(film, [0.0, TOP, SIZE.0, SIZE.1]);
        FilmFrames { film, camera, canvas: Raster::new(SIZE, scale) }
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
        for (k, shape) in film.shapes.iter().filter(|s| s.kind == "trace").enumerate() {
            self.trace(shape, &now, TRACES[k % TRACES.len()]);
        }
        for shape in &film.shapes {
            match shape.kind {
                "line" => {
                    let points: Vec<_> = shape.at.iter().map(|at| self.seen(&now, *at)).collect();
                    self.path(&points, BLACK, 3.0);
                    points.into_iter().flatten().for_each(|p| self.canvas.disc(p, 3.0, BLACK));
                }
                "circle" => self.circle(shape, &now),
                _ => {}
            }
        }
        for shape in film.shapes.iter().filter(|s| s.kind == "point") {
            if let Some(p) = self.seen(&now, shape.at[0]) {
                self.canvas.disc(p, 6.0, BLACK);
                self.canvas.disc(p, 4.6, DOT);
            }
        }
        self.gauges(&now);
        self.arrows(&now);
        &self.canvas.pixels
    }

    fn heading(&mut self, t: f64) {
        let type_ = Typeface::default();
        let title = type_.fitted(&self.film.title, TITLE_SIZE, SIZE.0 - 140.0);
        self.canvas.text((14.0, 24.0), Anchor::Left, TITLE_SIZE, BLACK, &title);
        let places = if self.length() < 100.0 { 2 } else { 0 };
        self.canvas.text(
            (SIZE.0 - 14.0, 24.0),
            Anchor::Right,
            TITLE_SIZE,
            BLACK,
            &format!("t = {t:.places$}"),
        );
        let mut x = 14.0;
        for arrows in &self.film.arrows {
            let (color, text) = (color_of(arrows.kind), format!("{} force", arrows.kind.name()));
            self.canvas.line(&[(x, 39.0), (x + 18.0, 39.0)], color, 3.0);
            self.canvas.text((x + 24.0, 43.0), Anchor::Left, TEXT_SIZE, GREY, &text);
            x += 40.0 + type_.width(&text, TEXT_SIZE);
        }
    }

    fn seen(&self, now: &Instant, at: usize) -> Option<(f64, f64)> {
        self.camera.project(&now.numbers(&self.film.tracks, self.film.width, at, self.film.dimension))
    }

    /// A line through the points that are seen.
    fn path(&mut self, points: &[Option<(f64, f64)>], color: Color, width: f64) {
        for piece in points.split(Option::is_none).filter(|piece| piece.len() > 1) {
            let piece: Vec<(f64, f64)> = piece.iter().copied().flatten().collect();
            self.canvas.line(&piece, color, width);
        }
    }

    fn trace(&mut self, shape: &Shape, now: &Instant, color: Color) {
        let frames = (0..=now.low).map(Instant::at_frame).chain([*now]);
        let points: Vec<_> = frames.map(|frame| self.seen(&frame, shape.at[0])).collect();
        self.path(&points, color, 1.6);
    }

    fn circle(&mut self, shape: &Shape, now: &Instant) {
        let film = self.film;
        let read = |at: usize, count: usize| now.numbers(&film.tracks, film.width, at, count);
        let (centre, radius) =
            (read(shape.at[0], film.dimension), shape.radius.map_or(0.0, |r| read(r, 1)[0]));
        let (u, v) = shape.normal.map_or(([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), |n| frame_of(&read(n, 3)));
        let corner = |k: usize| {
            let (s, c) = (k as f64 * std::f64::consts::TAU / CORNERS as f64).sin_cos();
            let at = centre.iter().enumerate().map(|(i, x)| x + radius * (c * u[i] + s * v[i]));
            self.camera.project(&at.collect::<Vec<_>>())
        };
        let points: Vec<_> = (0..=CORNERS).map(corner).collect();
        self.path(&points, BLACK, 2.0);
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
                &format!("{} = {value:.4}", shape.name),
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
                let foot = now.numbers(&film.tracks, film.width, *at, film.dimension);
                let head: Vec<f64> = foot.iter().zip(&force).map(|(x, f)| x + long * f).collect();
                if let (Some(from), Some(to)) = (self.camera.project(&foot), self.camera.project(&head)) {
                    self.canvas.arrow(from, to, color_of(arrows.kind));
                }
            }
        }
    }
}

/// A time between two frames of a film.
#[derive(Clone, Copy)]
struct Instant {
    low: usize,
    high: usize,
    part: f64,
}

impl Instant {
    fn of(film: &Film, t: f64) -> Instant {
        let high = film.times.partition_point(|time| *time <= t).min(film.times.len().saturating_sub(1));
        let low = high.saturating_sub(1);
        let gap = film.times.get(high).zip(film.times.get(low)).map_or(0.0, |(b, a)| b - a);
        let part = if gap > 0.0 { ((t - film.times[low]) / gap).clamp(0.0, 1.0) } else { 0.0 };
        Instant { low, high, part }
    }

    fn at_frame(k: usize) -> Instant {
        Instant { low: k, high: k, part: 0.0 }
    }

    /// Numbers at this time, in a straight line between the frames.
    fn numbers(&self, values: &[f64], width: usize, at: usize, count: usize) -> Vec<f64> {
        let of = |frame: usize, k: usize| values.get(frame * width + at + k).copied().unwrap_or(f64::NAN);
        (0..count)
            .map(|k| match self.part == 0.0 {
                true => of(self.low, k),
                false => of(self.low, k) + self.part * (of(self.high, k) - of(self.low, k)),
            })
            .collect()
    }
}

/// Two unit vectors at right angles to a normal and to each other.
fn frame_of(n: &[f64]) -> ([f64; 3], [f64; 3]) {
    let length = n.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [a, b, c] = [n[0] / length, n[1] / length, n[2] / length];
    let u = if c.abs() < 0.99 { [-b, a, 0.0] } else { [0.0, -c, b] };
    let size = u.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [p, q, r] = u.map(|x| x / size);
    ([p, q, r], [b * r - c * q, c * p - a * r, a * q - b * p])
}
