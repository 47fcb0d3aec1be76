//! The words of the language with a line about each: the only list of them.
//!
//! The lexer, the parser and the elaborator take their lists from these tables, completion and hover show them, and
//! `cargo xtask words` writes them into the grammars of the editors and into the manual.

use dalembert_expr::Function;
use std::sync::LazyLock;

/// A word and what to say about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub name: &'static str,
    /// How it is used: a statement, or a call with its arguments.
    pub usage: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
}

macro_rules! words {
    ($($(#[$doc:meta])* $table:ident: $($name:literal $usage:literal $about:literal;)*)*) => {
        $($(#[$doc])* pub const $table: &[Word] = &[$(Word { name: $name, usage: $usage, about: $about }),*];)*
    };
}

words! {
    /// The words that begin statements.
    STATEMENTS:
    "actuate" "actuate x, theta in -5..5, [-sin(a), cos(a)] at P" "The coordinates, speeds or forces at points that control may use, and their bounds.";
    "body" "body arm: rod m from [0, 0] to [l, 0]" "A rigid body: its mass, centre and inertia, or the shapes it is made of.";
    "bushing" "bushing mount: [k, k, 0], [c, c, 0] between F and G" "Stiffness and damping between two frames, in the axes of the first.";
    "complete_integral" "complete_integral (a, c) = a*x + c*y - (a^2 + c^2)/(2*m)*t" "A complete integral of the Hamilton-Jacobi equation, with its constants.";
    "const" "const N = 5" "A whole number for families and loops.";
    "constraint" "constraint rod: x^2 + y^2 = l^2" "An equation between coordinates, rates and time that nature imposes.";
    "contact" "contact ..." "Kept for one-sided contact; not available yet.";
    "coordinate" "coordinate x, theta {rad}, q[1..N]" "Configuration variables.";
    "damper" "damper d: c between P of A and Q of B" "A damper between two points, or `at` a joint.";
    "discrete" "discrete mode = 1" "A value that only events change.";
    "dissipation" "dissipation c/2*x'^2" "A Rayleigh function R: the force on each speed is minus its derivative.";
    "draw" "draw point P" "What an animation shows; it changes no motion.";
    "event" "event ground: y falling do y' = -0.8*y'" "Instants at which an expression crosses zero, and what changes there.";
    "for" "for i in 1..N { potential k/2*q[i]^2 }" "Repeats statements over a range, both ends included.";
    "force" "force x = -c*x'" "A generalised force on a coordinate or speed; `force [Fx, Fy] at P` acts at a point.";
    "frame" "frame hand: arm at [l, 0, 0] turned rpy(0, pi/2, 0)" "A named place on a body.";
    "friction" "friction on table: coefficient mu, velocity x'" "Coulomb friction at a constraint, or `in x: limit F` dry friction of a given limit: it sticks and slides.";
    "gravity" "gravity [0, 0, -g]" "The field of gravity on every body; two components make a plane model.";
    "initial" "initial x = 0.3, y ~ -1, theta' = 2" "Starting values: `=` fixes, `~` guesses.";
    "input" "input u = 0 {N}" "A signal from outside, with its default.";
    "joint" "joint elbow: pin upper at [0, -l] to lower" "A joint between two bodies, or the `ground` and a body.";
    "kinematics" "kinematics x' = v*cos(theta)" "The rate of a coordinate in declared speeds.";
    "kinetic" "kinetic m/2*(x'^2 + y'^2)" "Kinetic (co-)energy; several add up.";
    "lagrangian" "lagrangian -m*c^2*sqrt(1 - x'^2/c^2)" "A Lagrangian, or a part of it; several add up.";
    "let" "let P = [l*sin(theta), -l*cos(theta)]" "A name for a scalar, a vector, a matrix or a condition.";
    "mass" "mass [[m1 + m2, m2], [m2, m2]]" "The mass matrix, given directly, in the order of the speeds.";
    "nonideal" "nonideal work -mu*reaction(table)*delta(x)" "Virtual work of constraint forces that are not ideal.";
    "output" "output tension = 2*l*multiplier(rod)" "A column of the result.";
    "parameter" "parameter m = 1.2 {kg}, g = 9.81" "A constant of the mechanics; a number with a unit is converted to SI.";
    "potential" "potential m*g*y" "Potential energy, a function of coordinates and time; several add up.";
    "require" "require height: y = 1 decay 4" "What control shall achieve, and how its error decays.";
    "simulate" "simulate until 10 every 0.01 method dop853 tolerance 1e-9" "What a run does unless it is told otherwise.";
    "speed" "speed v = x'*cos(theta) + y'*sin(theta)" "A quasi-velocity, defined by rates or by `kinematics` lines.";
    "spring" "spring s: k length l0 between P of A and Q of B" "A spring between two points, or `angle a0 at` a joint.";
    "state" "state z' = (x - z)/tau" "An auxiliary first-order variable: a filter, a motor, the integral of an error.";
    "system" "system \"Pendulum\"" "The title of the model.";
    "table" "table road = [[0, 0], [1, 0.1], [2, 0]] cubic" "A function of one variable by its points: `step`, `linear` or `cubic`.";
    "torque" "torque T on arm from base" "A torque on a body, and its opposite on another.";
    "weight" "weight [1, 4]" "What control inputs cost: a matrix, its diagonal, or one number.";
    "work" "work dot(F, delta(P))" "Virtual work of applied forces, linear in virtual displacements.";

    /// Functions and operations of expressions.
    FUNCTIONS:
    "abs" "abs(x)" "Absolute value.";
    "acos" "acos(x)" "Inverse cosine, from 0 to pi.";
    "asin" "asin(x)" "Inverse sine, from -pi/2 to pi/2.";
    "atan" "atan(x)" "Inverse tangent, from -pi/2 to pi/2.";
    "atan2" "atan2(y, x)" "Angle of the point (x, y); the sine side comes first.";
    "cos" "cos(x)" "Cosine of an angle in radians.";
    "cosh" "cosh(x)" "Hyperbolic cosine.";
    "cross" "cross(a, b)" "Vector product; of two plane vectors a scalar.";
    "delta" "delta(x)" "Virtual displacement, the change at fixed time; also written δx.";
    "diff" "diff(E, x)" "Partial derivative by a coordinate, a rate, a speed, a parameter or t.";
    "dot" "dot(a, b)" "Scalar product.";
    "exp" "exp(x)" "Exponential function.";
    "log" "log(x)" "Natural logarithm.";
    "max" "max(a, b, ...)" "The largest of two or more numbers.";
    "min" "min(a, b, ...)" "The smallest of two or more numbers.";
    "norm" "norm(a)" "Length of a vector; of a scalar its absolute value.";
    "sign" "sign(x)" "-1, 0 or 1.";
    "sin" "sin(x)" "Sine of an angle in radians.";
    "sinh" "sinh(x)" "Hyperbolic sine.";
    "sqrt" "sqrt(x)" "Square root.";
    "sum" "sum(i in 1..N, E)" "Sum of scalars or vectors over a range, both ends included.";
    "tan" "tan(x)" "Tangent of an angle in radians.";
    "tanh" "tanh(x)" "Hyperbolic tangent.";
    "transpose" "transpose(A)" "Transposed matrix.";

    /// Functions whose names a model may declare for something else.
    FREE_FUNCTIONS:
    "acosh" "acosh(x)" "Inverse hyperbolic cosine.";
    "angular_velocity" "angular_velocity(R)" "Angular velocity of a rotation matrix, in space.";
    "asinh" "asinh(x)" "Inverse hyperbolic sine.";
    "atanh" "atanh(x)" "Inverse hyperbolic tangent.";
    "floor" "floor(x)" "Largest whole number that is not above x.";
    "log10" "log10(x)" "Logarithm to the base 10.";
    "mod" "mod(a, b)" "a - b*floor(a/b), between 0 and b.";
    "quaternion" "quaternion(e0, e1, e2, e3)" "Rotation matrix of a quaternion, scalar first; it is normalised.";
    "rotation" "rotation(u, a)" "Rotation matrix about the axis u by the angle a.";
    "rpy" "rpy(a, b, c)" "Rotation matrix Rz(c) Ry(b) Rx(a) of roll, pitch and yaw.";

    /// Results that take an argument. Those behind `residual` are free as names where nothing is called.
    RESULTS:
    "impressed" "impressed(x)" "Q of M η' = Q on a coordinate or speed: applied and potential forces, and inertia without accelerations.";
    "ideal" "ideal(x)" "Ideal constraint force on a coordinate or speed.";
    "nonideal" "nonideal(x)" "Non-ideal constraint force on a coordinate or speed.";
    "control" "control(x)" "Control force on a coordinate or speed.";
    "multiplier" "multiplier(NAME)" "Multiplier of a constraint, or the vector of those of its rows.";
    "reaction" "reaction(NAME)" "Size of the ideal force of a constraint; the normal force where friction acts.";
    "residual" "residual(NAME)" "Left side minus right side of a constraint or requirement, as it was written.";
    "friction" "friction(NAME)" "Friction force at a contact, by the components of its sliding velocity.";
    "power" "power(CLASS)" "Power of a class of forces.";
    "work" "work(CLASS)" "Work of a class of forces since the start; in outputs only.";
    "force" "force(J)" "Bearing force of a joint on its second body, in space; of a spring or damper its pull.";
    "torque" "torque(J)" "Bearing torque of a joint on its second body, at its point there.";
    "drive" "drive(J)" "Generalised force of motors, springs and dampers at a joint.";
    "angular_momentum" "angular_momentum(P)" "Angular momentum of all bodies about a point.";

    /// Names that are there without a declaration.
    CONSTANTS:
    "t" "t" "Time, from 0.";
    "pi" "pi" "3.14159..., also written π.";
    "energy" "energy" "T + V, or Jacobi's integral where a Lagrangian is given; a result.";
    "kinetic_energy" "kinetic_energy" "Kinetic energy T; a result.";
    "potential_energy" "potential_energy" "Potential energy V; a result.";
    "gauss" "gauss" "Gauss's function at the solution; a result.";
    "momentum" "momentum" "Momentum of all bodies; a result.";
    "centre_of_mass" "centre_of_mass" "Centre of mass of all bodies.";
    "ground" "ground" "The fixed body, to which joints may lead.";

    /// Words inside statements and expressions. The first six are never names.
    PARTS:
    "if" "if x > 0 then x else 0" "A choice between two values.";
    "then" "if x > 0 then x else 0" "The value where the condition holds.";
    "else" "if x > 0 then x else 0" "The value where the condition does not hold.";
    "and" "x > 0 and x < 1" "Both conditions hold.";
    "or" "x < 0 or x > 1" "One of the conditions holds.";
    "not" "not x > 0" "The condition does not hold.";
    "in" "for i in 1..N { ... }" "The range of an index.";
    "at" "force [Fx, Fy] at P" "The point at which a force acts.";
    "on" "friction on NAME: coefficient mu, velocity V" "The constraint at which friction acts.";
    "coefficient" "friction on NAME: coefficient mu, velocity V" "Coefficient of sliding friction.";
    "velocity" "friction on NAME: coefficient mu, velocity V" "Sliding velocity, a scalar or a vector.";
    "static" "friction on NAME: coefficient mu, velocity V, static mus" "Coefficient of static friction.";
    "normal" "friction on NAME: coefficient mu, velocity V, normal N" "Normal force, linear in multipliers.";
    "decay" "require y = 1 decay 4" "How the error of a requirement decays: one coefficient, or that of every derivative up to the inputs, highest first.";
    "until" "simulate until 10" "Last time of the run.";
    "every" "simulate until 10 every 0.01" "Spacing of rows.";
    "method" "simulate until 10 method radau" "The integrator.";
    "tolerance" "simulate until 10 tolerance 1e-9" "Relative tolerance of a step.";
    "rising" "event start: x rising" "Crossings from below only.";
    "falling" "event ground: y falling" "Crossings from above only.";
    "stop" "event ground: y falling stop" "The run ends at the event.";
    "do" "event hit: y falling do y' = -0.8*y', mode = 2" "What an event changes, all from values before it.";
    "limit" "friction in x: limit F, static Fs" "Force or torque of sliding friction.";
    "point" "draw point P" "A point of the picture.";
    "line" "draw line P, Q" "A line of the picture.";
    "circle" "draw circle P, r" "A circle of the picture.";
    "trace" "draw trace P" "The path of a point.";
    "of" "[0, -l] of lower" "The point in space of coordinates fixed in a body or frame.";
    "ground" "joint J: pin ground to arm" "The body that is fixed in space.";
    "from" "body B: rod m from P to Q" "Where a rod or cylinder begins; `torque T on B from A`.";
    "to" "joint J: pin A to B" "Where a rod or cylinder ends; the second body of a joint.";
    "turned" "frame F: B at P turned axis u by phi" "How axes of a frame or joint are turned.";
    "by" "frame F: B at P turned axis u by phi" "The angle of a turn about an axis.";
    "axis" "joint J: pin A to B, axis u" "The axis of a joint, in the axes of the joint.";
    "axes" "joint J: universal A to B, axes u, v" "The two axes of a universal joint.";
    "limits" "joint J: pin A to B, limits -1..2" "The range of the coordinate of a joint.";
    "restitution" "joint J: pin A to B, limits -1..2, restitution e" "How a joint rebounds at its limits.";
    "armature" "joint J: pin A to B, armature Ja" "Inertia of a drive at the coordinate of a joint.";
    "cut" "joint J: pin A to B, cut" "The joint closes a loop and carries no body.";
    "pitch" "joint J: screw pitch h A to B" "Advance of a screw in a turn.";
    "length" "spring s: k length l0 between P of A and Q of B" "Where a spring is slack; the length of a rod.";
    "angle" "spring s: k angle a0 at J" "Where an angular spring is slack.";
    "between" "spring s: k length l0 between P of A and Q of B" "The two points of a force element.";
    "centre" "body B: mass m, centre C, inertia J" "The centre of mass, in the axes of the body.";
    "inertia" "body B: mass m, centre C, inertia J" "Inertia about the centre: a number, three values, or a matrix.";
    "about" "body B: mass m, centre C, inertia J about origin" "The inertia is about the origin of the body.";
    "radius" "body B: ball m radius r" "The radius of a shape.";
    "size" "body B: box m size [a, b, c]" "The sides of a box.";

    /// What a part of a body may be.
    SHAPES:
    "mass" "body B: mass m, centre C, inertia J" "A body by its mass, centre and inertia.";
    "rod" "body B: rod m from P to Q" "A thin uniform rod.";
    "ball" "body B: ball m radius r" "A solid ball.";
    "shell" "body B: shell m radius r" "A thin spherical shell.";
    "disk" "body B: disk m radius r axis u" "A thin uniform disk.";
    "hoop" "body B: hoop m radius r axis u" "A thin hoop.";
    "cylinder" "body B: cylinder m radius r from P to Q" "A solid cylinder.";
    "box" "body B: box m size [a, b, c]" "A solid box.";
    "point" "body B: point m at P" "A point mass.";
}

/// The kinds of joints.
pub const JOINTS: [&str; 10] =
    ["pin", "slider", "cylindrical", "screw", "universal", "ball", "planar", "free", "weld", "rod"];

/// The word of a table.
pub fn find(table: &'static [Word], name: &str) -> Option<&'static Word> {
    table.iter().find(|word| word.name == name)
}

/// The names of the words of a table from a place on, as many as the type asks for.
const fn names<const N: usize>(table: &[Word], from: usize) -> [&'static str; N] {
    let mut names = [""; N];
    let mut k = 0;
    while k < N {
        names[k] = table[from + k].name;
        k += 1;
    }
    names
}

/// The words that begin statements. Elsewhere they are names like any other.
pub const KEYWORDS: [&str; STATEMENTS.len()] = names(STATEMENTS, 0);
/// Words that are never names, whatever their place: the first of [`PARTS`].
pub const RESERVED_WORDS: [&str; 6] = names(PARTS, 0);
/// Functions that are not elementary ones: they take vectors, ranges or names, or are written in another way.
pub static OPERATIONS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let names = FUNCTIONS.iter().map(|word| word.name);
    names.filter(|name| Function::by_name(name).is_none()).collect()
});
/// Results that take an argument and whose names a model cannot declare: the first of [`RESULTS`].
pub const OBSERVABLES: [&str; 7] = names(RESULTS, 0);
/// Results that take no argument and whose names a model cannot declare.
pub const PLAIN_OBSERVABLES: [&str; 4] = names(CONSTANTS, 2);

/// Whether a function's name may be declared for something else.
fn is_free_function(name: &str) -> bool {
    FREE_FUNCTIONS.iter().any(|word| word.name == name)
}

/// Whether a model cannot declare a name: functions, results and constants of the language.
pub fn is_reserved(name: &str) -> bool {
    matches!(name, "t" | "pi" | "π")
        || (Function::by_name(name).is_some() && !is_free_function(name))
        || OPERATIONS.contains(&name)
        || OBSERVABLES.contains(&name)
        || PLAIN_OBSERVABLES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use crate::source::Source;

    #[test]
    fn every_elementary_function_is_in_the_table_and_the_table_is_sorted() {
        let elementary = Function::ALL.iter().map(|f| f.name()).filter(|n| Function::by_name(n).is_some());
        assert!(
            elementary.clone().all(|name| find(FUNCTIONS, name).or(find(FREE_FUNCTIONS, name)).is_some())
        );
        let free = elementary.clone().filter(|name| find(FREE_FUNCTIONS, name).is_some()).count();
        assert_eq!(OPERATIONS.len() + elementary.count() - free, FUNCTIONS.len());
        assert!(FUNCTIONS.is_sorted_by_key(|word| word.name) && KEYWORDS.is_sorted());
    }

    #[test]
    fn the_lists_are_the_parts_of_their_tables() {
        assert_eq!(RESERVED_WORDS, ["if", "then", "else", "and", "or", "not"]);
        assert_eq!(OBSERVABLES.last(), Some(&"residual"));
        assert_eq!(PLAIN_OBSERVABLES, ["energy", "kinetic_energy", "potential_energy", "gauss"]);
        assert_eq!(*OPERATIONS, ["cross", "delta", "diff", "dot", "norm", "sqrt", "sum", "transpose"]);
    }

    #[test]
    fn examples_of_statements_are_good_grammar() {
        let whole = |word: &&Word| !word.usage.ends_with("...");
        for word in STATEMENTS.iter().filter(whole).chain(SHAPES) {
            let (ast, diagnostics) = parse(&Source::new("", word.usage));
            assert_eq!((ast.body.statements.len(), diagnostics.len()), (1, 0), "{}", word.usage);
        }
    }
}
