//! The syntax tree of a model: what was written, in plain data.
//!
//! Every node carries the [`Span`] it was read from; comments and blank lines stay with the statement they precede.
//! The tree knows the grammar only: whether a name is declared, a value a vector or a unit known is the
//! elaborator's business. Sums and products are flat lists, so the height of a tree is bounded by the nesting of the
//! text ([`MAX_NESTING`](super::MAX_NESTING)) and recursion over it is safe.

mod bodies;
mod parts;
mod spans;

use crate::source::Span;

pub use bodies::{Body, BodyPart, Element, ElementKind, ElementPlace, Joint, JointOption, Place, Turn};
pub use parts::Parts;

/// A whole model: the statements of a file.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Ast {
    /// The statements in order, and what follows the last one.
    pub body: Block,
}

/// Statements of a file or of a `for` block.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Block {
    /// The statements in order.
    pub statements: Vec<Statement>,
    /// Comments behind the last statement.
    pub end: Vec<Leading>,
}

/// One statement with its surroundings.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// From the keyword to the last token.
    pub span: Span,
    /// Comments and blank lines before it; comments found inside it come last.
    pub leading: Vec<Leading>,
    /// The comment at the end of its line, without `#`.
    pub trailing: Option<String>,
    /// What it says.
    pub kind: StatementKind,
}

/// A line that is not a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leading {
    /// A comment, without `#`.
    Comment(String),
    /// One or more empty lines.
    Blank,
}

/// What a statement says.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `system "Title"`
    System(String),
    /// `const N = 5`
    Const(Vec<Definition>),
    /// `parameter m = 1.2 {kg}, g = 9.81`
    Parameter(Vec<Definition>),
    /// `coordinate x, theta {rad}, q[1..N]`
    Coordinate(Vec<Declared>),
    /// `speed u = x'*cos(th)` or `speed p, q, r`
    Speed(Vec<Speed>),
    /// `kinematics phi' = p + q`; the target is the coordinate (`phi`)
    Kinematics {
        /// The coordinate whose rate is given.
        coordinate: Target,
        /// Its rate in the speeds.
        rate: Expr,
    },
    /// `state z' = k*(y - z)`
    State(Vec<Definition>),
    /// `discrete mode = 1`
    Discrete(Vec<Definition>),
    /// `input u = 0 {N}`
    Input(Vec<Definition>),
    /// `table road = [[0, 0], [1, 0.1]] cubic`
    Table(Box<Table>),
    /// `let P = [l*sin(a), -l*cos(a)]`
    Let(Vec<Definition>),
    /// `kinetic E`
    Kinetic(Expr),
    /// `potential E`
    Potential(Expr),
    /// `lagrangian E`
    Lagrangian(Expr),
    /// `mass [[m, 0], [0, m]]`
    Mass(Expr),
    /// `force [F1, F2]`, in the order of the speeds
    ForceVector(Expr),
    /// `force x = E`
    ForceOn {
        /// The coordinate or speed it acts on.
        target: Target,
        /// The generalised force.
        value: Expr,
    },
    /// `force [Fx, Fy] at P`
    ForceAt {
        /// The force.
        force: Expr,
        /// The point it is applied at.
        point: Expr,
    },
    /// `work E`
    Work(Expr),
    /// `nonideal work E`
    NonidealWork(Expr),
    /// `dissipation R`
    Dissipation(Expr),
    /// `constraint [NAME:] E1 = E2`
    Constraint(Equation),
    /// `friction on NAME: coefficient mu, velocity V [, static mus] [, normal N]`
    Friction {
        /// The constraint.
        on: Target,
        /// Coefficient of sliding friction.
        coefficient: Expr,
        /// Sliding velocity, a scalar or a vector.
        velocity: Expr,
        /// Coefficient of static friction.
        r#static: Option<Expr>,
        /// Normal force, over the multipliers of the constraint.
        normal: Option<Expr>,
    },
    /// `friction in x: limit F [, static Fs]`
    FrictionIn {
        /// The coordinate or declared speed.
        target: Target,
        /// Force of sliding friction.
        limit: Expr,
        /// Greatest force of static friction.
        r#static: Option<Expr>,
    },
    /// `require [NAME:] E1 = E2 [decay k0 | decay k1, k0]`
    Require {
        /// The requirement.
        equation: Equation,
        /// Decay coefficients as written, none, one or two.
        decay: Vec<Expr>,
    },
    /// `actuate x, theta in -5..5, [Fx, Fy] at P`
    Actuate(Vec<Actuator>),
    /// `weight W`
    Weight(Expr),
    /// `initial x = 0.3, y ~ -1, theta' = 2`
    Initial(Vec<Initial>),
    /// `simulate until 10 every 0.01 method dop853 tolerance 1e-9`
    Simulate(Box<Simulate>),
    /// `output NAME = E`
    Output(Vec<Definition>),
    /// `event NAME: E [rising|falling] [stop] [do x' = E, ...]`
    Event {
        /// What it is called.
        name: Target,
        /// The quantity that crosses zero.
        value: Expr,
        /// Which crossings count; all when `None`.
        direction: Option<Direction>,
        /// Whether the motion ends there.
        stop: bool,
        /// What changes there.
        actions: Vec<Assignment>,
    },
    /// `complete_integral (a1, a2) = S`
    CompleteIntegral {
        /// The constants of integration.
        constants: Vec<Target>,
        /// The complete integral.
        action: Expr,
    },
    /// `draw point P` and the like
    Draw(Shape),
    /// `gravity [0, -g]`
    Gravity(Expr),
    /// `body B: rod m from P to Q + point m2 at Q`
    Body(Body),
    /// `frame F: B at P turned T`
    Frame {
        /// What it is called.
        name: Target,
        /// Where it is fixed.
        place: Place,
    },
    /// `joint J: pin A at P to B at Q, axis u`
    Joint(Box<Joint>),
    /// `spring ...`, `damper ...`, `bushing ...`
    Element(Box<Element>),
    /// `torque T on B from A`
    Torque {
        /// The torque.
        torque: Expr,
        /// The body that it turns.
        on: Target,
        /// The body that takes its opposite; the ground when `None`.
        from: Option<Target>,
    },
    /// `contact ...`: reserved, kept as text
    Reserved {
        /// The first word.
        keyword: Name,
        /// What follows it, exactly as written.
        text: String,
    },
    /// `for i in 1..N { ... }`
    For {
        /// The index.
        index: Name,
        /// What it runs over.
        range: Range,
        /// What is repeated.
        body: Block,
    },
}

/// A name as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// The letters.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A name that a statement declares or acts on: `x`, `q[i]`, `q[1..N, 1..2]`, `J.turn`.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// With the subscripts and the part.
    pub span: Span,
    /// The name.
    pub name: Name,
    /// The subscripts, none for a plain name.
    pub subscripts: Vec<Subscript>,
    /// A coordinate or speed of a joint or body, behind a dot.
    pub part: Option<Name>,
}

/// One subscript of a [`Target`].
#[derive(Clone, Debug, PartialEq)]
pub enum Subscript {
    /// One member, `q[i+1]`.
    At(Expr),
    /// All members of a range, `q[1..N]`.
    Over(Range),
}

/// `1..N`, both ends included.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// From first to last.
    pub span: Span,
    /// First value.
    pub first: Expr,
    /// Last value, included.
    pub last: Expr,
}

/// `NAME = E {unit}`
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// What is defined.
    pub target: Target,
    /// The arguments of a function, `let f(a, b) = E`; none for a plain name.
    pub arguments: Vec<Name>,
    /// Its value.
    pub value: Expr,
    /// Its unit, where the statement takes one (`parameter`).
    pub unit: Option<Unit>,
}

/// A function of one variable by its points.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What it is called.
    pub name: Target,
    /// Its points.
    pub source: TableSource,
    /// `step`, `linear` or `cubic`, as written.
    pub interpolation: Option<Name>,
}

/// Where the points of a table are.
#[derive(Clone, Debug, PartialEq)]
pub enum TableSource {
    /// `= [[x, y], ...]`
    Points(Expr),
    /// `from "road.csv" columns t, z`
    File {
        /// Relative to the model.
        path: String,
        /// Of the abscissa and of the value.
        columns: Vec<Name>,
    },
}

/// `NAME {unit}`
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    /// What is declared.
    pub target: Target,
    /// Its unit.
    pub unit: Option<Unit>,
}

/// `NAME {unit} [= E]` of a `speed` statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Speed {
    /// The speed.
    pub target: Target,
    /// Its unit.
    pub unit: Option<Unit>,
    /// Its definition in the rates; `None` when `kinematics` statements say it.
    pub definition: Option<Expr>,
}

/// `[NAME:] E1 = E2`
#[derive(Clone, Debug, PartialEq)]
pub struct Equation {
    /// What it is called.
    pub name: Option<Target>,
    /// Left side.
    pub left: Expr,
    /// Right side.
    pub right: Expr,
}

/// One item of an `initial` statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Initial {
    /// The coordinate or speed.
    pub target: Target,
    /// How many primes follow it.
    pub order: u32,
    /// `true` for `=` (fixed), `false` for `~` (a guess).
    pub fixed: bool,
    /// The value.
    pub value: Expr,
}

/// What control may use: an item of an `actuate` statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Actuator {
    /// The force that is used.
    pub kind: ActuatorKind,
    /// The least and the greatest input, `in -5..5`.
    pub bounds: Option<Range>,
}

/// Where an actuator acts.
#[derive(Clone, Debug, PartialEq)]
pub enum ActuatorKind {
    /// A generalised force on a coordinate or speed, or on each of a family.
    On(Target),
    /// A force along a direction at a point.
    At {
        /// The force of an input of one.
        force: Expr,
        /// The point.
        point: Expr,
    },
}

/// What an event changes: `x' = E` behind `do`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The coordinate, speed, state variable or discrete value.
    pub target: Target,
    /// How many primes follow it.
    pub order: u32,
    /// The new value, over values before the event.
    pub value: Expr,
}

/// The parts of a `simulate` statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulate {
    /// Last time.
    pub until: Expr,
    /// Spacing of the output.
    pub every: Option<Expr>,
    /// Integrator.
    pub method: Option<Name>,
    /// Relative tolerance.
    pub tolerance: Option<Expr>,
}

/// Which zero crossings an event takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From below.
    Rising,
    /// From above.
    Falling,
}

/// What a `draw` statement shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// `draw point P`
    Point(Expr),
    /// `draw line P, Q` and further points
    Line(Vec<Expr>),
    /// `draw circle P, r`, or `draw circle P, r, N` with the normal of its plane
    Circle {
        /// Its centre.
        centre: Expr,
        /// Its radius.
        radius: Expr,
        /// A vector at right angles to its plane.
        normal: Option<Expr>,
    },
    /// `draw trace P`
    Trace(Expr),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Where it was read, outer parentheses included.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A decimal number, as written: `1`, `0.25`, `1e-3`.
    Number(String),
    /// A number with its unit: `80 {deg}`.
    Quantity(String, Box<Unit>),
    /// A name.
    Name(String),
    /// `q[i]`, `q[i, j]`
    Index(Box<Expr>, Vec<Expr>),
    /// `q[1..N]`: members of a family, or components, as a vector
    Slice(Box<Expr>, Box<Range>),
    /// `P.x`, `rolling.x`
    Component(Box<Expr>, Name),
    /// `x'`, `x''`: the number of primes is at least 1 and the operand no `Prime` itself.
    Prime(Box<Expr>, u32),
    /// `f(a, b)`
    Call(Name, Vec<Expr>),
    /// `sum(i in 1..N, E)`
    SumOver(Box<SumOver>),
    /// `[a, b]`, at least one component
    Vector(Vec<Expr>),
    /// `P of B`: the point in space of coordinates P fixed in a body or frame
    Of(Box<Expr>, Box<Expr>),
    /// `u in B`: the direction in space of a direction u fixed in a body or frame
    In(Box<Expr>, Box<Expr>),
    /// `-a`; `-a^2` is `-(a^2)` and `-a*b` is `(-a)*b`
    Neg(Box<Expr>),
    /// `a + b - c`: two terms or more, the first never subtracted and no sum itself
    Sum(Vec<Term>),
    /// `a*b/c`: two factors or more from left to right, the first never divided by and no product itself
    Product(Vec<Factor>),
    /// `a^b`
    Power(Box<Expr>, Box<Expr>),
    /// `a < b`
    Compare(Comparison, Box<Expr>, Box<Expr>),
    /// `a and b and c`: two or more, the first no `And` itself
    And(Vec<Expr>),
    /// `a or b or c`: two or more, the first no `Or` itself
    Or(Vec<Expr>),
    /// `not a`
    Not(Box<Expr>),
    /// `if C then A else B`
    If(Box<If>),
}

/// `sum(i in 1..N, E)`
#[derive(Clone, Debug, PartialEq)]
pub struct SumOver {
    /// The index.
    pub index: Name,
    /// What it runs over.
    pub range: Range,
    /// What is summed.
    pub body: Expr,
}

/// A term of a sum.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// Whether it is subtracted.
    pub minus: bool,
    /// The term.
    pub expr: Expr,
}

/// A factor of a product.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    /// Whether the product so far is divided by it.
    pub divide: bool,
    /// The factor.
    pub expr: Expr,
}

/// `if C then A else B`
#[derive(Clone, Debug, PartialEq)]
pub struct If {
    /// The condition.
    pub condition: Expr,
    /// The value where it holds.
    pub then: Expr,
    /// The value elsewhere.
    pub otherwise: Expr,
}

/// The comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
}

impl Comparison {
    /// How it is written.
    pub fn text(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::LessEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterEqual => ">=",
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
        }
    }
}

/// A unit in braces, or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// Where it was read; the outermost span includes the braces.
    pub span: Span,
    /// What it is.
    pub kind: UnitKind,
}

/// The kinds of units.
#[derive(Clone, Debug, PartialEq)]
pub enum UnitKind {
    /// `1`
    One,
    /// `kg`
    Name(String),
    /// `kg*m/s`: two factors or more from left to right, the first never divided by
    Product(Vec<UnitFactor>),
    /// `m^2`, `s^-1`, `m^(1/2)`
    Power(Box<Unit>, Exponent),
}

/// A factor of a unit.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitFactor {
    /// Whether the unit so far is divided by it.
    pub divide: bool,
    /// The factor.
    pub unit: Unit,
}

/// A whole or rational exponent of a unit, as written (not reduced).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exponent {
    /// Above the line.
    pub numerator: i32,
    /// Below the line, never 0; 1 for a whole exponent.
    pub denominator: u32,
}
