//! What a film shows at an instant, on any canvas: traces, lines, circles, points.

use super::camera::Camera;
use super::canvas::{Canvas, Color};
use super::solids::{Pieces, Solid, frame_of};
use crate::animation::{Animation, Shape};

/// Corners of a circle.
const CORNERS: usize = 48;
/// The inside of points.
pub(super) const DOT: Color = Color(240, 196, 25);
/// The outlines of solids.
const SOLID: Color = SOLIDS[0];
/// Bodies in the order in which they come, as on the page.
const SOLIDS: [Color; 6] = [
    Color(91, 143, 201),
    Color(217, 148, 74),
    Color(106, 167, 119),
    Color(179, 115, 159),
    Color(143, 134, 201),
    Color(181, 160, 74),
];
const TRACES: [Color; 3] = [Color(116, 136, 160), Color(217, 154, 18), Color(138, 127, 192)];

/// The figures of a film as a camera sees them.
pub(super) struct Figures<'f> {
    film: &'f Animation,
    camera: &'f Camera,
    /// Those that are drawn.
    shapes: Vec<&'f Shape>,
    /// Whether solids in space are filled and shaded.
    filled: bool,
}

impl<'f> Figures<'f> {
    /// All of them.
    pub fn new(film: &'f Animation, camera: &'f Camera) -> Self {
        Figures { film, camera, shapes: film.shapes.iter().collect(), filled: false }
    }

    /// With solids in space filled and shaded; otherwise they are outlines.
    pub fn filled(self) -> Self {
        Figures { filled: true, ..self }
    }

    /// Leaves the first traces and the first others.
    pub fn leave(&mut self, mut traces: usize, mut others: usize) {
        self.shapes.retain(|shape| {
            let left = if shape.kind == "trace" { &mut traces } else { &mut others };
            let there = *left > 0;
            *left = left.saturating_sub(1);
            there
        });
    }

    /// How many traces and how many others are drawn.
    pub fn count(&self) -> (usize, usize) {
        let traces = self.shapes.iter().filter(|shape| shape.kind == "trace").count();
        (traces, self.shapes.len() - traces)
    }

    /// The paths of traced points until now.
    pub fn traces(&self, canvas: &mut dyn Canvas, now: &Instant) {
        for (k, shape) in self.shapes.iter().filter(|s| s.kind == "trace").enumerate() {
            let frames = (0..=now.low).map(Instant::at_frame).chain([*now]);
            let points: Vec<_> = frames.map(|frame| self.seen(&frame, shape.at[0])).collect();
            path(canvas, &points, TRACES[k % TRACES.len()], 1.6);
        }
    }

    /// Lines and circles in one colour, points filled with another; solids by their outlines, or with light behind all else.
    pub fn bodies(&self, canvas: &mut dyn Canvas, now: &Instant, ink: Color, inside: Color) {
        let pieces = self.filled.then(|| Pieces::new(self.camera)).flatten();
        let shaded = pieces.is_some();
        if let Some(mut pieces) = pieces {
            let mut names: Vec<&str> = Vec::new();
            for shape in self.shapes.iter().filter(|s| s.kind == "solid") {
                let known = names.iter().position(|name| *name == shape.name);
                let place = known.unwrap_or_else(|| {
                    names.push(&shape.name);
                    names.len() - 1
                });
                pieces.put(&self.solid_at(shape, now), SOLIDS[place % SOLIDS.len()]);
            }
            pieces.draw(canvas);
        }
        for shape in &self.shapes {
            match shape.kind {
                "solid" if shaded => {}
                "solid" => self.solid(canvas, shape, now),
                "line" => {
                    let points: Vec<_> = shape.at.iter().map(|at| self.seen(now, *at)).collect();
                    path(canvas, &points, ink, 3.0);
                    points.into_iter().flatten().for_each(|p| canvas.disc(p, 3.0, ink));
                }
                "circle" => self.circle(canvas, shape, now, ink),
                _ => {}
            }
        }
        for shape in self.shapes.iter().filter(|s| s.kind == "point") {
            if let Some(p) = self.seen(now, shape.at[0]) {
                canvas.disc(p, 6.0, ink);
                canvas.disc(p, 4.6, inside);
            }
        }
    }

    fn seen(&self, now: &Instant, at: usize) -> Option<(f64, f64)> {
        self.camera.project(&now.numbers(&self.film.tracks, self.film.width, at, self.film.dimension))
    }

    /// The numbers of a solid in space.
    fn solid_at(&self, shape: &Shape, now: &Instant) -> Solid<'f> {
        let read = |at: usize| {
            let p = now.numbers(&self.film.tracks, self.film.width, at, 3);
            [p[0], p[1], p[2]]
        };
        let radius = shape.radius.map(|r| now.numbers(&self.film.tracks, self.film.width, r, 1)[0]);
        Solid {
            form: shape.form.unwrap_or_default(),
            at: shape.at.iter().map(|at| read(*at)).collect(),
            radius: radius.unwrap_or(0.0),
            axes: shape.axes.iter().map(|at| read(*at)).collect(),
        }
    }

    fn solid(&self, canvas: &mut dyn Canvas, shape: &Shape, now: &Instant) {
        let film = self.film;
        let d = film.dimension;
        let read = |at: usize, count: usize| now.numbers(&film.tracks, film.width, at, count);
        let at: Vec<_> = shape.at.iter().map(|at| self.seen(now, *at)).collect();
        match shape.form {
            Some("rod" | "cylinder") => path(canvas, &at, SOLID, 5.0),
            Some("box") => {
                let centre = read(shape.at[0], d);
                let edges: Vec<Vec<f64>> = shape.axes.iter().map(|at| read(*at, d)).collect();
                let corner = |bits: usize| {
                    let mut p = centre.clone();
                    for (k, edge) in edges.iter().enumerate() {
                        let half = if bits >> k & 1 == 1 { 0.5 } else { -0.5 };
                        p.iter_mut().zip(edge).for_each(|(p, e)| *p += half * e);
                    }
                    self.camera.project(&p)
                };
                for from in 0..1 << edges.len() {
                    for k in (0..edges.len()).filter(|k| from >> k & 1 == 0) {
                        path(canvas, &[corner(from), corner(from | 1 << k)], SOLID, 2.5);
                    }
                }
            }
            Some("point") => at.into_iter().flatten().for_each(|p| canvas.disc(p, 6.0, SOLID)),
            _ => {
                // A ball is round from everywhere; a disk has its axis second.
                let ball = shape.form == Some("ball") && d == 3;
                let axis = shape.axes.get(1).filter(|_| !ball).map(|at| read(*at, 3));
                let normal = axis.or(self.camera.away());
                self.ring(canvas, shape, now, (SOLID, normal));
                if let (Some(mark), Some(radius)) = (shape.axes.first(), shape.radius) {
                    let (centre, r) = (read(shape.at[0], d), read(radius, 1)[0]);
                    let rim: Vec<f64> = centre.iter().zip(read(*mark, d)).map(|(c, m)| c + r * m).collect();
                    path(canvas, &[self.camera.project(&centre), self.camera.project(&rim)], SOLID, 2.0);
                }
            }
        }
    }

    fn circle(&self, canvas: &mut dyn Canvas, shape: &Shape, now: &Instant, ink: Color) {
        let normal = shape.normal.map(|n| now.numbers(&self.film.tracks, self.film.width, n, 3));
        self.ring(canvas, shape, now, (ink, normal));
    }

    /// A circle about the first place of a shape, in a colour and across a normal.
    fn ring(
        &self,
        canvas: &mut dyn Canvas,
        shape: &Shape,
        now: &Instant,
        (ink, normal): (Color, Option<Vec<f64>>),
    ) {
        let film = self.film;
        let read = |at: usize, count: usize| now.numbers(&film.tracks, film.width, at, count);
        let (centre, radius) =
            (read(shape.at[0], film.dimension), shape.radius.map_or(0.0, |r| read(r, 1)[0]));
        let (u, v) = normal.map_or(([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), |n| frame_of(&n));
        let corner = |k: usize| {
            let (s, c) = (k as f64 * std::f64::consts::TAU / CORNERS as f64).sin_cos();
            let at = centre.iter().enumerate().map(|(i, x)| x + radius * (c * u[i] + s * v[i]));
            self.camera.project(&at.collect::<Vec<_>>())
        };
        let points: Vec<_> = (0..=CORNERS).map(corner).collect();
        path(canvas, &points, ink, 2.0);
    }
}

/// A line through the points that are seen.
fn path(canvas: &mut dyn Canvas, points: &[Option<(f64, f64)>], color: Color, width: f64) {
    for piece in points.split(Option::is_none).filter(|piece| piece.len() > 1) {
        let piece: Vec<(f64, f64)> = piece.iter().copied().flatten().collect();
        canvas.line(&piece, color, width);
    }
}

/// A time between two frames of a film.
#[derive(Clone, Copy)]
pub(super) struct Instant {
    low: usize,
    high: usize,
    part: f64,
}

impl Instant {
    pub fn of(film: &Animation, t: f64) -> Instant {
        let high = film.times.partition_point(|time| *time <= t).min(film.times.len().saturating_sub(1));
        let low = high.saturating_sub(1);
        let gap = film.times.get(high).zip(film.times.get(low)).map_or(0.0, |(b, a)| b - a);
        let part = if gap > 0.0 { ((t - film.times[low]) / gap).clamp(0.0, 1.0) } else { 0.0 };
        Instant { low, high, part }
    }

    pub fn at_frame(k: usize) -> Instant {
        Instant { low: k, high: k, part: 0.0 }
    }

    /// Numbers at this time, in a straight line between the frames.
    pub fn numbers(&self, values: &[f64], width: usize, at: usize, count: usize) -> Vec<f64> {
        let of = |frame: usize, k: usize| values.get(frame * width + at + k).copied().unwrap_or(f64::NAN);
        (0..count)
            .map(|k| match self.part == 0.0 {
                true => of(self.low, k),
                false => of(self.low, k) + self.part * (of(self.high, k) - of(self.low, k)),
            })
            .collect()
    }
}
