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
    "actuate" "actuate x, theta" "The coordinates or speeds that control may push.";
    "body" "body ..." "Kept for a layer of rigid bodies; not available yet.";
    "complete_integral" "complete_integral (a, c) = a*x + c*y - (a^2 + c^2)/(2*m)*t" "A complete integral of the Hamilton-Jacobi equation, with its constants.";
    "const" "const N = 5" "A whole number for families and loops.";
    "constraint" "constraint rod: x^2 + y^2 = l^2" "An equation between coordinates, rates and time that nature imposes.";
    "contact" "contact ..." "Kept for a layer of rigid bodies; not available yet.";
    "coordinate" "coordinate x, theta {rad}, q[1..N]" "Configuration variables.";
    "damper" "damper ..." "Kept for a layer of rigid bodies; not available yet.";
    "dissipation" "dissipation c/2*x'^2" "A Rayleigh function R: the force on each speed is minus its derivative.";
    "draw" "draw point P" "What an animation shows; it changes no motion.";
    "event" "event ground: y falling stop" "Instants at which an expression crosses zero.";
    "for" "for i in 1..N { potential k/2*q[i]^2 }" "Repeats statements over a range, both ends included.";
    "force" "force x = -c*x'" "A generalised force on a coordinate or speed; `force [Fx, Fy] at P` acts at a point.";
    "friction" "friction on table: coefficient mu, velocity x'" "Coulomb friction at a constraint: it sticks and slides.";
    "initial" "initial x = 0.3, y ~ -1, theta' = 2" "Starting values: `=` fixes, `~` guesses.";
    "joint" "joint ..." "Kept for a layer of rigid bodies; not available yet.";
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
    "spring" "spring ..." "Kept for a layer of rigid bodies; not available yet.";
    "system" "system \"Pendulum\"" "The title of the model.";
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

    /// Results that take an argument. The last three words are free as names where nothing is called.
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

    /// Names that are there without a declaration.
    CONSTANTS:
    "t" "t" "Time, from 0.";
    "pi" "pi" "3.14159..., also written π.";
    "energy" "energy" "T + V, or Jacobi's integral where a Lagrangian is given; a result.";
    "kinetic_energy" "kinetic_energy" "Kinetic energy T; a result.";
    "potential_energy" "potential_energy" "Potential energy V; a result.";
    "gauss" "gauss" "Gauss's function at the solution; a result.";

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
    "decay" "require y = 1 decay 4" "How the error of a requirement decays: one coefficient, or two for positions.";
    "until" "simulate until 10" "Last time of the run.";
    "every" "simulate until 10 every 0.01" "Spacing of rows.";
    "method" "simulate until 10 method radau" "The integrator.";
    "tolerance" "simulate until 10 tolerance 1e-9" "Relative tolerance of a step.";
    "rising" "event start: x rising" "Crossings from below only.";
    "falling" "event ground: y falling" "Crossings from above only.";
    "stop" "event ground: y falling stop" "The run ends at the event.";
    "point" "draw point P" "A point of the picture.";
    "line" "draw line P, Q" "A line of the picture.";
    "circle" "draw circle P, r" "A circle of the picture.";
    "trace" "draw trace P" "The path of a point.";
}

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
/// Results that take no argument: [`CONSTANTS`] but for time and pi.
pub const PLAIN_OBSERVABLES: [&str; CONSTANTS.len() - 2] = names(CONSTANTS, 2);

/// Whether a model cannot declare a name: functions, results and constants of the language.
pub fn is_reserved(name: &str) -> bool {
    matches!(name, "t" | "pi" | "π")
        || Function::by_name(name).is_some()
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
        assert!(elementary.clone().all(|name| find(FUNCTIONS, name).is_some()));
        assert_eq!(OPERATIONS.len() + elementary.count(), FUNCTIONS.len());
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
        for word in STATEMENTS.iter().filter(|word| !word.usage.ends_with("...")) {
            let (ast, diagnostics) = parse(&Source::new("", word.usage));
            assert_eq!((ast.body.statements.len(), diagnostics.len()), (1, 0), "{}", word.usage);
        }
    }
}
