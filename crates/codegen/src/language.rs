//! How a language writes numbers, operations and statements: its own syntax in a few methods, the rest from them.

use dalembert_run::tolerance;
use dalembert_tape::Op;
use std::fmt::Write;

/// How a language writes statements.
pub trait Language {
    /// A constant.
    fn number(&self, value: f64) -> String;
    /// What is called for an operator that has no sign.
    fn function(&self, op: Op) -> String;
    /// One value or another.
    fn choose(&self, condition: &str, then: &str, otherwise: &str) -> String;
    /// The words for `and` and `or`.
    fn connectives(&self) -> [&'static str; 2] {
        ["&&", "||"]
    }
    /// A quotient.
    fn quotient(&self, a: &str, b: &str) -> String {
        format!("{a} / {b}")
    }
    /// A definition of a constant number.
    fn define(&self, name: &str, value: &str) -> String;
    /// The statement that binds a name to sine and cosine of a value together, and the two of that name; `None` where the language
    /// calls a function for each.
    fn turn(&self, name: &str, value: &str) -> Option<(String, [String; 2])> {
        let _ = (name, value);
        None
    }
    /// A new name for a value.
    fn bind(&self, name: &str, value: &str) -> String;
    /// An entry of an array.
    fn entry(&self, array: &str, index: usize) -> String;
    /// The statement that finds the stretch of a place among so many knots, under a name.
    fn stretch(&self, name: &str, knots: &str, count: usize, place: &str) -> String;
    /// The number of a column on a stretch that has been found.
    fn on_stretch(&self, column: &str, name: &str) -> String;
    /// The entry is given a value.
    fn store(&self, array: &str, index: usize, value: &str) -> String {
        format!("{} = {value};", self.entry(array, index))
    }

    /// An operation on names and constants.
    fn apply(&self, op: Op, o: &[String]) -> String {
        let infix = |sign: &str| format!("{} {sign} {}", o[0], o[1]);
        let truth = |condition: String| self.choose(&condition, "1.0", "0.0");
        let both = |word: &str| format!("{} != 0.0 {word} {} != 0.0", o[0], o[1]);
        match op {
            Op::Neg => format!("-{}", o[0]),
            Op::Add => infix("+"),
            Op::Sub => infix("-"),
            Op::Mul => infix("*"),
            // Written code is not fused; were it, the language rounds as it likes.
            Op::MulAdd => format!("{} * {} + {}", o[0], o[1], o[2]),
            Op::NegMulAdd => format!("{} - {} * {}", o[2], o[0], o[1]),
            Op::Div => self.quotient(&o[0], &o[1]),
            Op::Less => truth(infix("<")),
            Op::LessEqual => truth(infix("<=")),
            Op::Equal => truth(infix("==")),
            Op::And => truth(both(self.connectives()[0])),
            Op::Or => truth(both(self.connectives()[1])),
            Op::Not => truth(format!("{} == 0.0", o[0])),
            Op::Select => self.choose(&format!("{} != 0.0", o[0]), &o[1], &o[2]),
            function => format!("{}({})", self.function(function), o.join(", ")),
        }
    }

    /// The tolerances of the engine, each line with what it decides; `comment` writes a remark.
    fn tolerances(&self, control: bool, comment: impl Fn(&str) -> String) -> String
    where
        Self: Sized,
    {
        let mut out = String::new();
        for (meaning, values) in &TOLERANCES[..if control { 4 } else { 3 }] {
            let _ = writeln!(out, "{}", comment(meaning));
            for (name, value) in *values {
                let _ = writeln!(out, "{}", self.define(name, &format!("{value:e}")));
            }
        }
        out
    }
}

/// By what the engine tells ranks, contradictions and requirements out of reach.
const TOLERANCES: [(&str, &[(&str, f64)]); 4] = [
    (
        "directions among rows of unit length, and pivots of the mass, that count as none",
        &[("RANK_TOLERANCE", tolerance::RANK), ("MASS_TOLERANCE", tolerance::MASS)],
    ),
    (
        "rows that hold worse are improved, or contradict (U6), against their own numbers or what is around them",
        &[
            ("REFINE", tolerance::REFINE),
            ("CONSISTENCY", tolerance::CONSISTENCY),
            ("COUPLING", tolerance::COUPLING),
            ("GAINED", tolerance::REFINEMENT_GAIN),
        ],
    ),
    (
        "how far a state is moved to feel the rounding of rows, which of them are short, and what it makes of b counts (U6)",
        &[("NUDGE", tolerance::NUDGE), ("SHORT", tolerance::SHORT), ("GRAIN", tolerance::SENSITIVITY)],
    ),
    (
        "requirements out of reach, and met; forces by which inputs are tried out, against those there are (C1)",
        &[("REACH", tolerance::REACH), ("MET", tolerance::MET), ("TRIAL", tolerance::TRIAL)],
    ),
];

/// How often the engine repeats what is repeated: name, meaning, number.
pub const COUNTS: [(&str, &str, u64); 2] = [
    ("IMPROVED", "most improvements of rows", tolerance::MAX_REFINEMENTS),
    ("NUDGES", "states that are looked at to feel the rounding of rows", tolerance::NUDGES),
];

/// The usual name of a function.
pub fn usual(op: Op) -> &'static str {
    match op {
        Op::Sqrt => "sqrt",
        Op::Pow => "pow",
        Op::Sin => "sin",
        Op::Cos => "cos",
        Op::Tan => "tan",
        Op::Asin => "asin",
        Op::Acos => "acos",
        Op::Atan => "atan",
        Op::Atan2 => "atan2",
        Op::Sinh => "sinh",
        Op::Cosh => "cosh",
        Op::Tanh => "tanh",
        Op::Asinh => "asinh",
        Op::Acosh => "acosh",
        Op::Atanh => "atanh",
        Op::Floor => "floor",
        Op::Exp => "exp",
        Op::Log => "log",
        Op::Abs => "abs",
        Op::Sign => "sign",
        Op::Min => "smaller",
        Op::Max => "larger",
        // Those with signs are written in `apply`.
        _ => "",
    }
}

/// A list of numbers, eight a line.
pub fn rows_of_eight(values: &[String]) -> String {
    values.chunks(8).map(|row| row.join(", ")).collect::<Vec<_>>().join(",\n    ")
}

/// A constant with the fewest digits that read back exactly, in brackets if it is negative.
pub fn literal(value: f64) -> String {
    if value.is_sign_negative() { format!("({value:?})") } else { format!("{value:?}") }
}
