//! Statements about rigid bodies: bodies, frames, joints, force elements.

use super::{Expr, Name, Range, Target};

/// `body B: PART + PART ...`
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// What it is called.
    pub name: Target,
    /// What it is made of; at least one part.
    pub parts: Vec<BodyPart>,
}

/// `rod m from P to Q`, `mass m, centre C, inertia J about origin`
#[derive(Clone, Debug, PartialEq)]
pub struct BodyPart {
    /// The word of the shape, or `mass`.
    pub shape: Name,
    /// Its mass.
    pub mass: Expr,
    /// What follows, each with its word: `radius r`, `from P`, `centre C`.
    pub sizes: Vec<(Name, Expr)>,
    /// Whether the inertia is about the origin of the body and not about the centre.
    pub about_origin: bool,
}

/// `B at P turned T`: a place on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The body or frame, or `ground`.
    pub body: Target,
    /// A point of it; the origin when `None`.
    pub at: Option<Expr>,
    /// How axes there are turned; as those of the body when `None`.
    pub turned: Option<Turn>,
}

/// `rpy(a, b, c)`, `axis u by phi` and the like.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// `axis u by phi`
    Axis(Expr, Expr),
    /// An expression whose value is a rotation matrix, or an angle in the plane.
    Matrix(Expr),
}

/// `joint J: KIND A at P to B at Q, axis u`
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// What it is called.
    pub name: Target,
    /// `pin`, `slider` ...
    pub kind: Name,
    /// `pitch h` of a screw, `length l` of a rod.
    pub size: Option<Expr>,
    /// On the body that carries.
    pub first: Place,
    /// On the body that is carried.
    pub second: Place,
    /// What follows behind commas.
    pub options: Vec<JointOption>,
}

/// An option of a joint.
#[derive(Clone, Debug, PartialEq)]
pub enum JointOption {
    /// `axis u`, or `axes u, v`
    Axes(Name, Vec<Expr>),
    /// `limits a..b`, `limits turn a..b`
    Limits(Name, Option<Name>, Range),
    /// `restitution e`
    Restitution(Name, Expr),
    /// `armature Ja`
    Armature(Name, Expr),
    /// `cut`
    Cut(Name),
}

impl JointOption {
    /// The word that begins it.
    pub fn word(&self) -> &Name {
        match self {
            JointOption::Axes(word, _) | JointOption::Limits(word, ..) | JointOption::Cut(word) => word,
            JointOption::Restitution(word, _) | JointOption::Armature(word, _) => word,
        }
    }
}

/// What a force element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementKind {
    /// `spring S: k length l0 between P and Q`
    Spring,
    /// `damper D: c between P and Q`
    Damper,
    /// `bushing U: [k..], [c..] between F and G`
    Bushing,
}

impl ElementKind {
    /// The word of the statement.
    pub fn word(self) -> &'static str {
        match self {
            ElementKind::Spring => "spring",
            ElementKind::Damper => "damper",
            ElementKind::Bushing => "bushing",
        }
    }
}

/// A force element.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// What it is.
    pub kind: ElementKind,
    /// What it is called.
    pub name: Target,
    /// Stiffness or damping; of a bushing, stiffness and perhaps damping.
    pub values: Vec<Expr>,
    /// `length l0` or `angle a0`: where a spring is slack.
    pub rest: Option<(Name, Expr)>,
    /// What it acts on.
    pub place: ElementPlace,
}

/// What a force element acts on.
#[derive(Clone, Debug, PartialEq)]
pub enum ElementPlace {
    /// `between P of A and Q of B`
    Between(Expr, Expr),
    /// `at J`
    At(Target),
}
