//! Rigid bodies, joints and force elements as data: the tree that a model with bodies is built on.
//!
//! Elaboration turns it into energies, forces and constraints; nothing of it is lost there, so that recursions over the
//! tree (B1 to B5) can be built from it. Vectors are in the axes that each field names; in a plane model they have a
//! zero third component, and bodies turn about z.

pub(crate) mod algebra;
mod energies;
pub(crate) mod motion;

pub use energies::DeferredEnergies;
pub(crate) use energies::kinetic_energy;

use dalembert_expr::{Expr, Pool};
use dalembert_syntax::source::Span;

/// A vector.
pub type Vector = [Expr; 3];
/// A matrix by rows.
pub(crate) type Matrix3 = [[Expr; 3]; 3];

/// All bodies of a model and what is between them.
#[derive(Clone, Debug)]
pub struct Multibody {
    /// Whether bodies move in the plane.
    pub is_plane: bool,
    /// The field of gravity, in space.
    pub gravity: Option<Vector>,
    /// The bodies, in the order of their statements.
    pub bodies: Vec<Body>,
    /// The joints, in the order of their statements; those of free bodies come with the body.
    pub joints: Vec<Joint>,
    /// The joints that carry bodies, from the ground outward.
    pub outward: Vec<usize>,
    /// Whether a loop is cut where the model says so.
    pub has_chosen_cuts: bool,
    /// Freedoms of joints that close loops and guesses of them at the start, over parameters.
    pub guesses: Vec<(Expr, Expr)>,
    /// Freedoms of joints that close loops whose values at the start are fixed.
    pub fixed_freedoms: Vec<FixedFreedom>,
    /// Forces of the joints on loops, and torques over a length of the mechanism, where outputs ask for forces of joints;
    /// over the state, accelerations and multipliers.
    pub loop_forces: Vec<Expr>,
    /// The Lagrangian without the energies of bodies: drives, springs, and what the model states besides.
    pub rest: Expr,
    /// Stand in the energies of the system for those of bodies, until they are written out in symbols.
    pub deferred: Option<DeferredEnergies>,
}

/// A rigid body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// Its mass.
    pub mass: Expr,
    /// Its centre of mass, in its axes.
    pub centre: Vector,
    /// Its inertia about the centre, in its axes.
    pub inertia: Matrix3,
    /// What it looks like.
    pub solids: Vec<Solid>,
    /// The joint that carries it.
    pub joint: usize,
    /// The body that carries it; `None` for the ground.
    pub parent: Option<usize>,
    /// Where it is declared.
    pub span: Span,
}

/// A shape in the axes of its body.
#[derive(Clone, Debug)]
pub enum Solid {
    /// A thin rod, or a cylinder of some radius.
    Cylinder {
        /// One end.
        from: Vector,
        /// The other end.
        to: Vector,
        /// `None` for a rod.
        radius: Option<Expr>,
    },
    /// A ball or a spherical shell.
    Ball {
        /// Its centre.
        centre: Vector,
        /// Its radius.
        radius: Expr,
    },
    /// A disk or a hoop.
    Disk {
        /// Its centre.
        centre: Vector,
        /// Its axis, of length 1.
        axis: Vector,
        /// Its radius.
        radius: Expr,
        /// Whether only its rim is there.
        is_hoop: bool,
    },
    /// A box.
    Box {
        /// Its centre.
        centre: Vector,
        /// Its sides.
        size: Vector,
    },
    /// A point mass.
    Point(Vector),
}

/// The kinds of joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Turns about an axis.
    Pin,
    /// Slides along an axis.
    Slider,
    /// Turns about an axis and slides along it.
    Cylindrical,
    /// Turns about an axis and advances by its pitch.
    Screw,
    /// Turns about two axes at right angles.
    Universal,
    /// Turns about a point.
    Ball,
    /// Moves in a plane.
    Planar,
    /// Moves freely.
    Free,
    /// A point mass that moves freely.
    FreePoint,
    /// Holds.
    Weld,
    /// Two points at a fixed distance.
    Rod,
}

impl JointKind {
    /// The kind of a word of the language.
    pub fn by_name(name: &str) -> Option<Self> {
        use JointKind::*;
        let kinds = [Pin, Slider, Cylindrical, Screw, Universal, Ball, Planar, Free, Weld, Rod];
        kinds.into_iter().find(|kind| kind.name() == name)
    }

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            JointKind::Pin => "pin",
            JointKind::Slider => "slider",
            JointKind::Cylindrical => "cylindrical",
            JointKind::Screw => "screw",
            JointKind::Universal => "universal",
            JointKind::Ball => "ball",
            JointKind::Planar => "planar",
            JointKind::Free | JointKind::FreePoint => "free",
            JointKind::Weld => "weld",
            JointKind::Rod => "rod",
        }
    }

    /// How many freedoms it leaves.
    pub fn freedoms(self, is_plane: bool) -> usize {
        match self {
            JointKind::Weld => 0,
            JointKind::Pin | JointKind::Slider | JointKind::Screw => 1,
            JointKind::Cylindrical | JointKind::Universal => 2,
            JointKind::Ball | JointKind::Planar => 3,
            JointKind::Rod if is_plane => 2,
            JointKind::Rod => 5,
            JointKind::Free if is_plane => 3,
            JointKind::Free => 6,
            JointKind::FreePoint if is_plane => 2,
            JointKind::FreePoint => 3,
        }
    }

    /// What its coordinates are called behind a dot; one freedom has the name of the joint.
    pub fn coordinates(self, is_plane: bool) -> &'static [&'static str] {
        match self {
            JointKind::Weld | JointKind::Rod => &[],
            JointKind::Pin | JointKind::Slider | JointKind::Screw => &[""],
            JointKind::Cylindrical => &["turn", "slide"],
            JointKind::Universal => &["first", "second"],
            JointKind::Ball => &["e0", "e1", "e2", "e3"],
            JointKind::Planar => &["x", "y", "turn"],
            JointKind::Free if is_plane => &["x", "y", "turn"],
            JointKind::Free => &["x", "y", "z", "e0", "e1", "e2", "e3"],
            JointKind::FreePoint if is_plane => &["x", "y"],
            JointKind::FreePoint => &["x", "y", "z"],
        }
    }

    /// What its speeds are called that are not rates of coordinates.
    pub fn speeds(self, is_plane: bool) -> &'static [&'static str] {
        match self {
            JointKind::Ball => &["wx", "wy", "wz"],
            JointKind::Free if !is_plane => &["wx", "wy", "wz", "vx", "vy", "vz"],
            _ => &[],
        }
    }
}

impl JointKind {
    /// What the coordinates and speeds of a joint are called, for a message.
    pub(crate) fn names_of(self, joint: &str, is_plane: bool) -> String {
        let listed = |parts: &[&str]| {
            let name = |part: &&str| match part.is_empty() {
                true => format!("`{joint}`"),
                false => format!("`{joint}.{part}`"),
            };
            parts.iter().map(name).collect::<Vec<_>>().join(", ")
        };
        match (self.coordinates(is_plane), self.speeds(is_plane)) {
            ([], _) => format!("a {} has no coordinates", self.name()),
            ([""], _) => format!("a {} has one coordinate, {}", self.name(), listed(&[""])),
            (x, []) => format!("its coordinates are {}", listed(x)),
            (x, eta) => format!("its coordinates are {}, its speeds {}", listed(x), listed(eta)),
        }
    }
}

/// A place on a body: a point and axes there.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The body; `None` for the ground.
    pub body: Option<usize>,
    /// The point, in the axes of the body.
    pub at: Vector,
    /// The axes there, as columns in the axes of the body.
    pub turned: Matrix3,
}

/// What a row of a joint that closes a loop holds; d is from the first place to the second in the axes of the first, R the
/// axes of the second there.
#[derive(Clone, Debug)]
pub enum ClosureRow {
    /// `n . d`
    Along(Vector),
    /// The sum of `f . R g`.
    Across(Vec<(Vector, Vector)>),
    /// The distance of the places, less a length.
    Distance,
    /// Known by its expression alone.
    Other,
}

/// What a joint does in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JointRole {
    /// It carries a body: the second one, or the first one where it is `reversed`.
    Carries {
        /// The body that it carries.
        body: usize,
        /// Whether it is built from its second body to its first.
        reversed: bool,
    },
    /// It closes a loop.
    Cut {
        /// The constraint that it has become, by index; `None` while it is not built.
        constraint: Option<usize>,
    },
}

/// A joint between two bodies.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Its name; that of its body where it has no statement.
    pub name: String,
    /// What it is.
    pub kind: JointKind,
    /// On the first body.
    pub first: Placement,
    /// On the second body.
    pub second: Placement,
    /// Its axes of length 1, in its own axes: one, or two of a universal joint.
    pub axes: Vec<Vector>,
    /// Pitch of a screw, length of a rod.
    pub size: Option<Expr>,
    /// Its place in the tree.
    pub role: JointRole,
    /// Its coordinates, by index, where it carries.
    pub coordinates: Vec<usize>,
    /// Its declared speeds, by index among those, where it carries.
    pub speeds: Vec<usize>,
    /// Inertia of a drive at its coordinates.
    pub armature: Option<Expr>,
    /// Ranges of its freedoms: which one, lower and upper end.
    pub limits: Vec<Limit>,
    /// Rows that the closure has and whose values must be positive when it is closed: axes that point the same way.
    pub same_way: Vec<Expr>,
    /// What each row of the closure holds.
    pub rows: Vec<ClosureRow>,
    /// Where it is stated.
    pub span: Span,
}

impl Joint {
    /// Its coordinates that are angles and nothing else, by index.
    pub fn angles(&self) -> Vec<usize> {
        let places: &[usize] = match (self.kind, self.coordinates.len()) {
            (JointKind::Pin | JointKind::Cylindrical, _) => &[0],
            (JointKind::Universal, _) => &[0, 1],
            (JointKind::Planar | JointKind::Free, 3) => &[2],
            _ => &[],
        };
        places.iter().filter_map(|&k| self.coordinates.get(k).copied()).collect()
    }

    /// Its four coordinates that are a quaternion, by index, if it has one.
    pub fn quaternion(&self) -> Option<&[usize]> {
        let first = self.coordinates.len().checked_sub(4).filter(|_| !self.speeds.is_empty())?;
        Some(&self.coordinates[first..])
    }
}

/// A freedom of a joint that closes a loop with the value that it must have at the start.
#[derive(Clone, Debug)]
pub struct FixedFreedom {
    /// What the freedom is, over coordinates.
    pub value: Expr,
    /// The value given, over parameters.
    pub given: Expr,
    /// Whether it is a displacement; whole turns of an angle do not count.
    pub slides: bool,
    /// Its name.
    pub name: String,
    /// Where it is given.
    pub span: Span,
}

/// The range of a freedom of a joint.
#[derive(Clone, Debug)]
pub struct Limit {
    /// The value that is limited.
    pub value: Expr,
    /// Its name.
    pub name: String,
    /// Lower end.
    pub lower: Expr,
    /// Upper end.
    pub upper: Expr,
    /// Where it is stated.
    pub span: Span,
}

/// What a force element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementKind {
    /// Pulls along the line of its points.
    Line,
    /// Acts on a freedom of a joint: the joint and which of its coordinates.
    Joint(usize, usize),
    /// Acts between two frames in all directions.
    Bushing,
}

/// A spring, damper or bushing.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    /// What it acts on.
    pub kind: ElementKind,
    /// Pull along the line, or moment against the angle; of a bushing the components of its force on the second frame.
    pub force: Vec<Expr>,
    /// Components of the torque of a bushing on the second frame.
    pub torque: Vec<Expr>,
}

/// The zero vector.
pub const ZERO: Vector = [Pool::ZERO; 3];
/// No turn.
pub const IDENTITY: Matrix3 = [
    [Pool::ONE, Pool::ZERO, Pool::ZERO],
    [Pool::ZERO, Pool::ONE, Pool::ZERO],
    [Pool::ZERO, Pool::ZERO, Pool::ONE],
];
