//! Where the numbers of each shape stand in a frame.

use crate::scene::Scene;
use dalembert::system::{DrawnPoint, Figure};
use dalembert_expr::{Expr, Pool};
use rustc_hash::FxHashMap;

/// A thing that is drawn, by the places of its numbers in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// `point`, `line`, `circle`, `trace`, `gauge`, `solid` or `joint`.
    pub kind: &'static str,
    /// What solid or joint it is.
    pub form: Option<&'static str>,
    /// Where directions that turn with it begin, of solids and joints.
    pub axes: Vec<usize>,
    /// Whether a joint holds to the ground.
    pub grounded: bool,
    /// What it is called.
    pub name: String,
    /// Where its positions begin: one, or those of a line.
    pub at: Vec<usize>,
    /// Where the radius of a circle is.
    pub radius: Option<usize>,
    /// Where the normal of a circle begins.
    pub normal: Option<usize>,
    /// Where the value of a gauge is.
    pub value: Option<usize>,
    /// Least and greatest value of a gauge.
    pub range: Option<(f64, f64)>,
}

/// The numbers of a frame as expressions, and who uses them.
pub(crate) struct FrameLayout {
    pub values: Vec<Expr>,
    pub shapes: Vec<Shape>,
    /// Points that can carry arrows: drawn other than as traces, or traced where nothing else is drawn.
    pub points: Vec<(String, usize)>,
    known: FxHashMap<Vec<Expr>, usize>,
}

impl FrameLayout {
    pub fn new(scene: &Scene, dimension: usize) -> FrameLayout {
        let mut layout = FrameLayout {
            values: Vec::new(),
            shapes: Vec::new(),
            points: Vec::new(),
            known: FxHashMap::default(),
        };
        let is_body = |figure: &&Figure| matches!(figure, Figure::Solid { .. } | Figure::Joint { .. });
        let is_trace = |figure: &Figure| matches!(figure, Figure::Trace(_));
        let traces_only = scene.figures.iter().filter(|figure| !is_body(figure)).all(is_trace);
        for figure in &scene.figures {
            let carries = !is_body(&figure) && (traces_only || !is_trace(figure));
            let at = figure.places().iter().map(|place| layout.place(place, dimension, carries)).collect();
            let shape = layout.shape(figure, at, dimension);
            layout.shapes.push(shape);
        }
        layout
    }

    fn shape(&mut self, figure: &Figure, at: Vec<usize>, dimension: usize) -> Shape {
        let names: Vec<&str> = figure.places().iter().map(|place| place.name.as_str()).collect();
        let mut shape = Shape {
            kind: "point",
            form: None,
            axes: Vec::new(),
            grounded: false,
            name: names.join(", "),
            at,
            radius: None,
            normal: None,
            value: None,
            range: None,
        };
        match figure {
            Figure::Point(_) => {}
            Figure::Line(_) => shape.kind = "line",
            Figure::Trace(_) => shape.kind = "trace",
            Figure::Circle { radius, normal, .. } => {
                shape.kind = "circle";
                shape.radius = Some(self.numbers(vec![*radius]));
                shape.normal = normal.as_ref().map(|n| self.numbers(n.clone()));
            }
            Figure::Gauge { name, value } => {
                shape.kind = "gauge";
                shape.name = name.clone();
                shape.value = Some(self.numbers(vec![*value]));
            }
            Figure::Solid { form, body, radius, axes, .. } => {
                (shape.kind, shape.form) = ("solid", Some(form.name()));
                shape.name = body.clone();
                shape.radius = radius.map(|radius| self.numbers(vec![radius]));
                shape.axes = axes.iter().map(|axis| self.direction(axis, dimension)).collect();
            }
            Figure::Joint { kind, name, axes, grounded, .. } => {
                (shape.kind, shape.form) = ("joint", Some(kind.name()));
                (shape.name, shape.grounded) = (name.clone(), *grounded);
                shape.axes = axes.iter().map(|axis| self.direction(axis, dimension)).collect();
            }
        }
        shape
    }

    /// Where a point stands; a point of the plane lies at height zero in space.
    fn place(&mut self, place: &DrawnPoint, dimension: usize, carries: bool) -> usize {
        let mut at = place.at.clone();
        at.resize(dimension, Pool::ZERO);
        let offset = self.numbers(at);
        if carries && !self.points.iter().any(|(_, known)| *known == offset) {
            self.points.push((place.name.clone(), offset));
        }
        offset
    }

    fn direction(&mut self, axis: &[Expr], dimension: usize) -> usize {
        let mut axis = axis.to_vec();
        axis.resize(dimension, Pool::ZERO);
        self.numbers(axis)
    }

    /// Where a point is that need not be drawn.
    pub fn hidden(&mut self, place: &DrawnPoint, dimension: usize) -> usize {
        let mut at = place.at.clone();
        at.resize(dimension, Pool::ZERO);
        self.numbers(at)
    }

    /// Equal expressions are kept once.
    fn numbers(&mut self, exprs: Vec<Expr>) -> usize {
        let next = self.values.len();
        let at = *self.known.entry(exprs.clone()).or_insert(next);
        if at == next {
            self.values.extend(exprs);
        }
        at
    }
}

impl Shape {
    /// How far it reaches beyond its places.
    pub(crate) fn around(&self, frame: &[f64], dimension: usize) -> f64 {
        let radius = self.radius.map_or(0.0, |r| frame[r].abs());
        match self.form {
            Some("box") => {
                let edges = self.axes.iter().flat_map(|at| &frame[*at..at + dimension]);
                0.5 * edges.map(|v| v * v).sum::<f64>().sqrt()
            }
            _ => radius,
        }
    }
}

/// Gauges show the range of their values.
pub(super) fn set_ranges(shapes: &mut [Shape], width: usize, tracks: &[f64]) {
    for shape in shapes {
        let Some(at) = shape.value else { continue };
        let values = tracks.chunks(width.max(1)).map(|frame| frame[at]).filter(|v| v.is_finite());
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        shape.range = Some(if low < high {
            (low, high)
        } else if low == high {
            (low - 1.0, high + 1.0)
        } else {
            (-1.0, 1.0)
        });
    }
}
