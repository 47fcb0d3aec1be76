//! What an animation shows, as expressions over coordinates, parameters and time.

use dalembert_expr::Expr;
use dalembert_syntax::units::UnitInfo;

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
}

impl Figure {
    /// The points it stands at.
    pub fn places(&self) -> &[DrawnPoint] {
        match self {
            Figure::Point(at) | Figure::Trace(at) | Figure::Circle { centre: at, .. } => {
                std::slice::from_ref(at)
            }
            Figure::Line(points) => points,
            Figure::Gauge { .. } => &[],
        }
    }
}
