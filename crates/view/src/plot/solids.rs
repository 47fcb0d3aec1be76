//! Solids with light, for videos: the pictures of the page (`assets/player/solids.js`) in fewer pieces. In space everything is
//! cut into faces that are drawn from the farthest to the nearest.

use super::camera::Camera;
use super::canvas::{Canvas, Color};

/// Towards the light: right, down, away from the eye; length 1.
const LIGHT: [f64; 3] = [-0.42, -0.68, -0.6];
/// Light in the shade, as a share of that in full light.
const AMBIENT: f64 = 0.5;
/// Of a cylinder.
const SIDES: usize = 20;
/// Corners of a circle.
const RIM: usize = 48;
/// Radius of a thin rod, as a share of the size of the box, and of a point mass.
const ROD: f64 = 0.009;
const POINT: f64 = 0.02;

type Vector = [f64; 3];

/// A solid in space by its numbers at an instant.
pub(super) struct Solid<'s> {
    pub form: &'s str,
    /// One place, or the ends of a rod.
    pub at: Vec<Vector>,
    pub radius: f64,
    /// Edges of a box; a mark and the axis of a disk.
    pub axes: Vec<Vector>,
}

/// Something flat that is drawn at once.
enum Drawn {
    Polygon(Vec<(f64, f64)>, Color),
    /// A ball: where, how large.
    Ball((f64, f64), f64, Color),
}

/// Pieces of a picture that hide each other.
pub(super) struct Pieces<'c> {
    camera: &'c Camera,
    axes: [Vector; 3],
    list: Vec<(f64, Drawn)>,
}

impl<'c> Pieces<'c> {
    /// None yet; `None` for a picture of the plane.
    pub fn new(camera: &'c Camera) -> Option<Self> {
        camera.axes().map(|axes| Pieces { camera, axes, list: Vec::new() })
    }

    /// Takes a solid apart.
    pub fn put(&mut self, solid: &Solid<'_>, color: Color) {
        let size = self.camera.size;
        let finite = |v: &Vector| v.iter().all(|c| c.is_finite());
        if !solid.at.iter().chain(&solid.axes).all(finite) || solid.at.is_empty() {
            return;
        }
        match (solid.form, &solid.at[..], &solid.axes[..]) {
            ("rod", [from, to, ..], _) => self.cylinder(from, to, ROD * size, color),
            ("cylinder", [from, to, ..], _) => self.cylinder(from, to, solid.radius, color),
            ("box", [centre, ..], [a, b, c]) => self.block(centre, &[*a, *b, *c], color),
            ("ball", [centre, ..], _) => self.ball(centre, solid.radius, color),
            ("point", [centre, ..], _) => self.ball(centre, POINT * size, color),
            ("disk", [centre, ..], [mark, axis, ..]) => self.disk(centre, solid.radius, mark, axis, color),
            ("hoop", [centre, ..], [mark, axis, ..]) => {
                let at = |k: usize| rim(centre, solid.radius, mark, axis, k);
                let tube = (0.05 * solid.radius).max(0.5 * ROD * size);
                (0..RIM).for_each(|k| self.cylinder(&at(k), &at(k + 1), tube, color));
                self.cylinder(centre, &at(0), 0.35 * tube, color);
            }
            _ => {}
        }
    }

    /// Draws all pieces, the farthest first.
    pub fn draw(mut self, canvas: &mut dyn Canvas) {
        self.list.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (_, drawn) in &self.list {
            match drawn {
                Drawn::Polygon(corners, color) => {
                    canvas.polygon(corners, *color);
                    // Neighbouring faces leave no seam.
                    let closed: Vec<_> = corners.iter().chain(corners.first()).copied().collect();
                    canvas.line(&closed, *color, 0.8);
                }
                Drawn::Ball((x, y), radius, color) => {
                    canvas.disc((*x, *y), *radius, lit(*color, 0.45));
                    for k in 0..=8 {
                        let share = f64::from(k) / 8.0;
                        let off = 0.3 * share * radius;
                        let shade = lit(*color, 0.62 + 0.8 * share * share);
                        let inner = (radius - 1.0).max(0.0) * (1.0 - 0.9 * share);
                        canvas.disc((x - off, y - 1.1 * off), inner, shade);
                    }
                }
            }
        }
    }

    /// Light on a face with this normal.
    fn light(&self, normal: &Vector) -> f64 {
        let seen = self.axes.map(|axis| inner(&axis, normal));
        AMBIENT + (1.12 - AMBIENT) * inner(&seen, &LIGHT).max(0.0)
    }

    /// A face with its outward normal of length 1; those that look away are not drawn.
    fn face(&mut self, corners: &[Vector], normal: &Vector, color: Color) {
        let Some(points) = corners.iter().map(|p| self.camera.project(p)).collect::<Option<Vec<_>>>() else {
            return;
        };
        let count = corners.len() as f64;
        let middle: Vector = std::array::from_fn(|i| corners.iter().map(|p| p[i]).sum::<f64>() / count);
        if self.camera.looks_away(&middle, normal) {
            return;
        }
        let shade = lit(color, self.light(normal));
        self.list.push((self.camera.depth(&middle), Drawn::Polygon(points, shade)));
    }

    fn cylinder(&mut self, from: &Vector, to: &Vector, radius: f64, color: Color) {
        let along = sum(to, from, -1.0);
        let long = inner(&along, &along).sqrt();
        if !(long > 0.0 && radius > 0.0) {
            return;
        }
        let axis = along.map(|c| c / long);
        let (u, v) = frame_of(&axis);
        let parts = (long / (6.0 * radius)).round().clamp(1.0, 8.0) as usize;
        let direction = |k: f64| -> Vector {
            let (s, c) = (k * std::f64::consts::TAU / SIDES as f64).sin_cos();
            std::array::from_fn(|i| c * u[i] + s * v[i])
        };
        let corner = |part: usize, k: usize| -> Vector {
            let d = direction(k as f64);
            let share = part as f64 / parts as f64;
            std::array::from_fn(|i| from[i] + share * along[i] + radius * d[i])
        };
        for part in 0..parts {
            for k in 0..SIDES {
                let quad =
                    [corner(part, k), corner(part, k + 1), corner(part + 1, k + 1), corner(part + 1, k)];
                self.face(&quad, &direction(k as f64 + 0.5), color);
            }
        }
        for (part, normal) in [(0, axis.map(|c| -c)), (parts, axis)] {
            let cap: Vec<Vector> = (0..SIDES).map(|k| corner(part, k)).collect();
            self.face(&cap, &normal, color);
        }
    }

    fn block(&mut self, centre: &Vector, edges: &[Vector; 3], color: Color) {
        for k in 0..3 {
            let (edge, a, b) = (&edges[k], &edges[(k + 1) % 3], &edges[(k + 2) % 3]);
            let long = inner(edge, edge).sqrt();
            for side in [-0.5, 0.5] {
                let corner = |p: f64, q: f64| -> Vector {
                    std::array::from_fn(|i| centre[i] + side * edge[i] + p * a[i] + q * b[i])
                };
                let corners = [corner(-0.5, -0.5), corner(0.5, -0.5), corner(0.5, 0.5), corner(-0.5, 0.5)];
                let normal = edge.map(|c| if long > 0.0 { side.signum() * c / long } else { 0.0 });
                self.face(&corners, &normal, color);
            }
        }
    }

    fn ball(&mut self, centre: &Vector, radius: f64, color: Color) {
        if let Some(at) = self.camera.project(centre) {
            let pixels = radius * self.camera.scale_at(centre);
            if pixels.is_finite() && pixels > 0.0 {
                self.list.push((self.camera.depth(centre), Drawn::Ball(at, pixels, color)));
            }
        }
    }

    /// A flat disk with a mark that turns with it.
    fn disk(&mut self, centre: &Vector, radius: f64, mark: &Vector, axis: &Vector, color: Color) {
        let half = 0.045 * radius / inner(axis, axis).sqrt();
        let ends = [sum(centre, axis, -half), sum(centre, axis, half)];
        for k in 0..RIM {
            let quad =
                [(0, k), (0, k + 1), (1, k + 1), (1, k)].map(|(e, k)| rim(&ends[e], radius, mark, axis, k));
            let middle = sum(&sum(&quad[0], &quad[1], 1.0).map(|c| 0.5 * c), &ends[0], -1.0);
            let long = inner(&middle, &middle).sqrt();
            self.face(&quad, &middle.map(|c| c / long), lit(color, 0.8));
        }
        for (end, sign) in [(0, -1.0), (1, 1.0)] {
            let normal = axis.map(|c| sign * c / inner(axis, axis).sqrt());
            let face: Vec<Vector> = (0..RIM).map(|k| rim(&ends[end], radius, mark, axis, k)).collect();
            self.face(&face, &normal, color);
            let along = sum(&rim(&ends[end], radius, mark, axis, 0), &ends[end], -1.0);
            let wide = sum(&rim(&ends[end], 0.05 * radius, mark, axis, RIM / 4), &ends[end], -1.0);
            let lifted = sum(&ends[end], &normal, 0.02 * radius);
            let corner = |p: f64, q: f64| sum(&sum(&lifted, &along, p), &wide, q);
            let bar = [corner(0.12, -1.0), corner(0.94, -1.0), corner(0.94, 1.0), corner(0.12, 1.0)];
            self.face(&bar, &normal, lit(color, 0.62));
        }
    }
}

/// A point of a circle across an axis, counted from a mark.
fn rim(centre: &Vector, radius: f64, mark: &Vector, axis: &Vector, k: usize) -> Vector {
    let (u, n) = (unit(mark), unit(axis));
    let v = [n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]];
    let (s, c) = (k as f64 * std::f64::consts::TAU / RIM as f64).sin_cos();
    std::array::from_fn(|i| centre[i] + radius * (c * u[i] + s * v[i]))
}

fn unit(a: &Vector) -> Vector {
    let long = inner(a, a).sqrt();
    a.map(|c| if long > 0.0 { c / long } else { 0.0 })
}

fn sum(a: &Vector, b: &Vector, factor: f64) -> Vector {
    std::array::from_fn(|i| a[i] + factor * b[i])
}

fn inner(a: &Vector, b: &Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A colour under some light: 1 as it is, less towards black, more towards white.
fn lit(Color(r, g, b): Color, light: f64) -> Color {
    let shade = |v: u8| {
        let v = f64::from(v);
        (if light <= 1.0 { v * light } else { v + (255.0 - v) * (light - 1.0).min(1.0) }).round() as u8
    };
    Color(shade(r), shade(g), shade(b))
}

/// Two unit vectors at right angles to a normal and to each other.
pub(super) fn frame_of(n: &[f64]) -> ([f64; 3], [f64; 3]) {
    let length = n.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [a, b, c] = [n[0] / length, n[1] / length, n[2] / length];
    let u = if c.abs() < 0.99 { [-b, a, 0.0] } else { [0.0, -c, b] };
    let size = u.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [p, q, r] = u.map(|x| x / size);
    ([p, q, r], [b * r - c * q, c * p - a * r, a * q - b * p])
}
