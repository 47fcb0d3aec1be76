//! A robot, whatever file it came from: bodies with their joints, what couples and closes them, what drives them.

use crate::algebra::Vec3;
use crate::inertia::Inertia;
use crate::turn::Place;
use dalembert_syntax::source::Span;

/// A robot.
#[derive(Default)]
pub struct Robot {
    /// What it is called.
    pub title: String,
    /// The field of gravity.
    pub gravity: Vec3,
    /// Bodies, each after the one that it is on.
    pub bodies: Vec<Body>,
    /// Named places on bodies.
    pub frames: Vec<Frame>,
    /// Joints that follow others.
    pub couplings: Vec<Coupling>,
    /// Joints that close loops.
    pub closures: Vec<Closure>,
    /// Motors and their like.
    pub actuators: Vec<Actuator>,
    /// Springs and dampers on sums of coordinates.
    pub tendons: Vec<Tendon>,
}

/// A spring and a damper on a sum of coordinates.
pub struct Tendon {
    /// What the file calls it.
    pub name: String,
    /// Where the file states it.
    pub span: Span,
    /// Coordinates with their factors.
    pub joints: Vec<(JointId, f64)>,
    /// Stiffness.
    pub stiffness: f64,
    /// The sum at which the spring is slack.
    pub rest: f64,
    /// Damping.
    pub damping: f64,
}

/// A body and the joints by which it moves on its parent, in this order; without joints it is fixed there.
pub struct Body {
    /// What the file calls it.
    pub name: String,
    /// Where the file states it.
    pub span: Span,
    /// The body it is on; none is the ground.
    pub parent: Option<usize>,
    /// Where it is on its parent while all joints are zero.
    pub place: Place,
    /// What the file calls the joint that fixes it, and where.
    pub mount: Option<(String, Span)>,
    /// Its joints.
    pub joints: Vec<Joint>,
    /// Its mass, in its own axes.
    pub inertia: Inertia,
    /// Share of its weight that is carried by nothing.
    pub weightless: f64,
}

/// The kinds of joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// One turn.
    Pin,
    /// One shift.
    Slider,
    /// Any turn.
    Ball,
    /// Any motion.
    Free,
    /// Two shifts and a turn.
    Planar,
}

impl JointKind {
    /// The word of the language.
    pub fn word(self) -> &'static str {
        match self {
            JointKind::Pin => "pin",
            JointKind::Slider => "slider",
            JointKind::Ball => "ball",
            JointKind::Free => "free",
            JointKind::Planar => "planar",
        }
    }

    /// Whether it has one coordinate, of the name of the joint.
    pub fn is_single(self) -> bool {
        matches!(self, JointKind::Pin | JointKind::Slider)
    }

    /// The parts of its rates, with the prime where they are rates of coordinates.
    pub fn speeds(self) -> &'static [&'static str] {
        match self {
            JointKind::Pin | JointKind::Slider => &["'"],
            JointKind::Ball => &[".wx", ".wy", ".wz"],
            JointKind::Free => &[".wx", ".wy", ".wz", ".vx", ".vy", ".vz"],
            JointKind::Planar => &[".x'", ".y'", ".turn'"],
        }
    }
}

/// A joint.
pub struct Joint {
    /// What the file calls it; a free body may have none and goes by the name of the body.
    pub name: Option<String>,
    /// Where the file states it.
    pub span: Span,
    /// Its kind.
    pub kind: JointKind,
    /// Its point in the axes of the body.
    pub at: Vec3,
    /// Its axis in the axes of the body.
    pub axis: Vec3,
    /// Range of its coordinate.
    pub limits: Option<(f64, f64)>,
    /// What the file's coordinate is where ours is zero.
    pub reference: f64,
    /// Inertia of its drive.
    pub armature: f64,
    /// Viscous damping.
    pub damping: f64,
    /// Dry friction.
    pub friction: f64,
    /// Stiffness, and the coordinate at which its spring is slack.
    pub spring: Option<(f64, f64)>,
    /// Where a free body starts, if not at the origin.
    pub start: Option<Place>,
    /// Bounds of what actuators do at it together.
    pub drive_range: Option<(f64, f64)>,
}

impl Joint {
    /// A joint of a kind with nothing special.
    pub fn new(name: Option<String>, span: Span, kind: JointKind) -> Joint {
        Joint {
            name,
            span,
            kind,
            at: [0.0; 3],
            axis: [0.0, 0.0, 1.0],
            limits: None,
            reference: 0.0,
            armature: 0.0,
            damping: 0.0,
            friction: 0.0,
            spring: None,
            start: None,
            drive_range: None,
        }
    }
}

/// A joint by its body and its place among the joints of that.
pub type JointId = (usize, usize);

/// A named place.
pub struct Frame {
    /// What the file calls it.
    pub name: String,
    /// Where the file states it.
    pub span: Span,
    /// The body; none is the ground.
    pub body: Option<usize>,
    /// Where it is on the body.
    pub place: Place,
}

/// `follower = c0 + c1 leader + c2 leader^2 + ...`
pub struct Coupling {
    /// What the file calls it.
    pub name: Option<String>,
    /// The joint on the left.
    pub follower: JointId,
    /// The joint on the right; without one the follower is held at c0.
    pub leader: Option<JointId>,
    /// Its coefficients.
    pub coefficients: Vec<f64>,
}

/// Two places that stay together: as points, or with their axes.
pub struct Closure {
    /// What the file calls it.
    pub name: Option<String>,
    /// Where the file states it.
    pub span: Span,
    /// Whether axes stay together too.
    pub is_weld: bool,
    /// The first place.
    pub first: (Option<usize>, Place),
    /// The second place.
    pub second: (Option<usize>, Place),
}

/// Something that drives joints by a signal from outside.
pub struct Actuator {
    /// The name of its input.
    pub name: String,
    /// Where the file states it.
    pub span: Span,
    /// What it drives.
    pub transmission: Transmission,
    /// How its force follows from the signal.
    pub law: Law,
}

/// What an actuator drives.
pub enum Transmission {
    /// Joints of one freedom, each with its factor.
    Joints(Vec<(JointId, f64)>),
    /// A ball or free joint, with factors of its turning speeds, then of its velocity in space.
    Freedoms(JointId, [f64; 6]),
    /// A wrench at a frame, with factors of the force and then of the torque in its axes.
    Frame(usize, [f64; 6]),
}

/// force = (gain . [1, l, l']) signal + bias . [1, l, l'], with l the length of the transmission.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// What the signal is multiplied by.
    pub gain: [f64; 3],
    /// What is added.
    pub bias: [f64; 3],
    /// Bounds of the signal.
    pub signal_range: Option<(f64, f64)>,
    /// Bounds of the force.
    pub force_range: Option<(f64, f64)>,
    /// What is between the input and the signal.
    pub activation: Activation,
    /// Whether the signal is a force, as of a motor; else it has the unit of what it is compared with.
    pub is_force: bool,
}

/// What is between an input and the signal that acts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Activation {
    /// Nothing.
    None,
    /// The signal is the integral of the input.
    Integrator,
    /// The signal follows the input with a time constant.
    Filter(f64),
}

impl Robot {
    /// The joint of a name, as the file calls it.
    pub fn joint_named(&self, name: &str) -> Option<JointId> {
        let in_body = |body: &Body| body.joints.iter().position(|joint| joint.name.as_deref() == Some(name));
        self.bodies.iter().enumerate().find_map(|(b, body)| in_body(body).map(|k| (b, k)))
    }

    /// A joint.
    pub fn joint(&self, (body, k): JointId) -> &Joint {
        &self.bodies[body].joints[k]
    }
}
