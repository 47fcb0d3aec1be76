//! What an animation shows.

use crate::bodies::JointKind;
use dalembert_expr::Expr;
use dalembert_syntax::units::UnitInfo;

/// What an animation shows.
#[derive(Clone, Default)]
pub struct Drawing {
    /// What the model draws.
    pub figures: Vec<Figure>,
    /// Vectors of two or three components that have a name; over rates too.
    pub vectors: Vec<DrawnPoint>,
}

/// A point of the plane or of space.
#[derive(Clone, Debug)]
pub struct DrawnPoint {
    /// What it is called: a name of the model, or the text it was given by.
    pub name: String,
    /// Two or three components.
    pub at: Vec<Expr>,
    /// Its unit, as far as known.
    pub kind: UnitInfo,
}

/// One thing that is drawn.
#[derive(Clone, Debug)]
pub enum Figure {
    /// A dot.
    Point(DrawnPoint),
    /// A line through points.
    Line(Vec<DrawnPoint>),
    /// A circle.
    Circle {
        /// Its centre.
        centre: DrawnPoint,
        /// Its radius.
        radius: Expr,
        /// A vector at right angles to its plane; without it, the plane of the first two components.
        normal: Option<Vec<Expr>>,
    },
    /// The path of a point.
    Trace(DrawnPoint),
    /// A number on a scale of its own, where there is nothing else to show.
    Gauge {
        /// What it is called.
        name: String,
        /// Its value.
        value: Expr,
    },
    /// A solid of a body.
    Solid {
        /// Its shape.
        form: SolidForm,
        /// The body.
        body: String,
        /// Its centre, or both ends.
        places: Vec<DrawnPoint>,
        /// Its radius, where it has one.
        radius: Option<Expr>,
        /// Directions that turn with it: axes of a ball, a mark and the axis of a disk, edges of a box.
        axes: Vec<Vec<Expr>>,
    },
    /// The symbol of a joint.
    Joint {
        /// What it is.
        kind: JointKind,
        /// Its name.
        name: String,
        /// Where it is on the first body, and on the second where these come apart.
        places: Vec<DrawnPoint>,
        /// Its axes.
        axes: Vec<Vec<Expr>>,
        /// Whether it holds to the ground.
        grounded: bool,
    },
}

/// The shapes of solids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolidForm {
    /// A thin rod.
    Rod,
    /// A cylinder.
    Cylinder,
    /// A ball or a spherical shell.
    Ball,
    /// A disk.
    Disk,
    /// A hoop.
    Hoop,
    /// A box.
    Box,
    /// A point mass.
    Point,
}

impl SolidForm {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            SolidForm::Rod => "rod",
            SolidForm::Cylinder => "cylinder",
            SolidForm::Ball => "ball",
            SolidForm::Disk => "disk",
            SolidForm::Hoop => "hoop",
            SolidForm::Box => "box",
            SolidForm::Point => "point",
        }
    }
}

impl Figure {
    /// Calls a function on each of its expressions.
    pub(crate) fn for_each_expression(&mut self, mut f: impl FnMut(&mut Expr)) {
        match self {
            Figure::Point(at) | Figure::Trace(at) => at.at.iter_mut().for_each(f),
            Figure::Line(points) => points.iter_mut().flat_map(|point| &mut point.at).for_each(f),
            Figure::Circle { centre, radius, normal } => {
                centre.at.iter_mut().chain(normal.iter_mut().flatten()).for_each(&mut f);
                f(radius);
            }
            Figure::Gauge { value, .. } => f(value),
            Figure::Solid { places, radius, axes, .. } => {
                let numbers = places.iter_mut().map(|place| &mut place.at).chain(axes).flatten();
                numbers.chain(radius).for_each(f);
            }
            Figure::Joint { places, axes, .. } => {
                places.iter_mut().map(|place| &mut place.at).chain(axes).flatten().for_each(f);
            }
        }
    }

    /// The points it stands at.
    pub fn places(&self) -> &[DrawnPoint] {
        match self {
            Figure::Point(at) | Figure::Trace(at) | Figure::Circle { centre: at, .. } => {
                std::slice::from_ref(at)
            }
            Figure::Line(points)
            | Figure::Solid { places: points, .. }
            | Figure::Joint { places: points, .. } => points,
            Figure::Gauge { .. } => &[],
        }
    }
}
