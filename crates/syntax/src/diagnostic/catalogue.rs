//! The catalogue of codes: one row a code, and everything known about the code in its row.
//!
//! A row is `Variant "id" "title": "explanation" wrong "model text" right "model text";`. The first letter of the id
//! is its severity. Ids are never reused and never change meaning. The texts under `wrong` and `right` are pieces of
//! models (empty where a few lines cannot show the point); tests run those of the syntax codes.
//!
//! E01 text, E02 grammar, E03 names, E04 values, E05 mechanics, E06 units, E07 runs, E08 requests and limits, E09 errors of the program,
//! E10 files of others.

use super::Severity;

macro_rules! catalogue {
    ($($variant:ident $id:literal $title:literal: $text:literal wrong $wrong:literal right $right:literal;)*) => {
        /// Which kind of message a diagnostic is.
        ///
        /// ```
        /// use dalembert_syntax::diagnostic::Code;
        ///
        /// let code = Code::from_id("E0206").unwrap();
        /// assert_eq!(code, Code::ImplicitMultiplication);
        /// assert!(code.explain().contains("2*x"));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = concat!($id, ": ", $title, ".")] $variant,)*
        }

        impl Code {
            /// Every code, in the order of the catalogue.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// Its stable id, such as `E0301`.
            pub fn id(self) -> &'static str {
                match self { $(Code::$variant => $id,)* }
            }

            /// What it is about, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Code::$variant => $title,)* }
            }

            /// A piece of a model that is wrong in this way; empty where none is short enough.
            pub fn wrong(self) -> &'static str {
                match self { $(Code::$variant => $wrong,)* }
            }

            /// The wrong example, corrected.
            pub fn right(self) -> &'static str {
                match self { $(Code::$variant => $right,)* }
            }

            fn text(self) -> &'static str {
                match self { $(Code::$variant => $text,)* }
            }
        }
    };
}

impl Code {
    /// The code with this id (letters in either case).
    pub fn from_id(id: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.id().eq_ignore_ascii_case(id))
    }

    /// How grave it is, by its first letter.
    pub fn severity(self) -> Severity {
        match self.id().as_bytes().first() {
            Some(b'N') => Severity::Note,
            Some(b'W') => Severity::Warning,
            _ => Severity::Error,
        }
    }

    /// The long text of `dalembert explain`.
    pub fn explain(self) -> String {
        let mut out = format!("{}: {}\n\n{}\n", self.id(), self.title(), self.text());
        for (heading, example) in [("Wrong", self.wrong()), ("Right", self.right())] {
            if !example.is_empty() {
                out.push_str(&format!("\n{heading}:\n\n"));
                example.lines().for_each(|line| out.push_str(&format!("    {line}\n")));
            }
        }
        out
    }
}

catalogue! {
    // Text.
    BadCharacter "E0101" "a character the language does not use":
        "Models are written with letters (Greek too), digits, `_` and the signs `+ - * / ^ ( ) [ ] { } , ; : . = ~ ' < > ! # \"`. \
         Signs copied from a book or a word processor (a long minus, a centred dot, a raised 2) look right but are other characters; \
         the message says what to write instead."
        wrong "kinetic m/2*x'²" right "kinetic m/2*x'^2";
    BadNumber "E0102" "a number that cannot be read":
        "A number is digits, perhaps a point with digits on both sides, perhaps `e` and a whole exponent: `1`, `0.25`, `1e-3`. \
         A point needs a digit before and after it, so that `1..N` stays a range, and digits are not grouped."
        wrong "parameter l = .5" right "parameter l = 0.5";
    NumberOutOfRange "E0103" "a number too large or too small":
        "Decimals are kept as exact fractions until evaluation, and evaluated in double precision. \
         A number beyond its range (about 1e308, or nearer to zero than 1e-308) or with more digits than are ever useful is refused."
        wrong "parameter k = 1e999" right "parameter k = 1e99";
    UnterminatedString "E0104" "a string without its closing quote":
        "A string begins and ends with `\"` on one line. Write `\\\"` for a quote inside it."
        wrong "system \"Rolling disk" right "system \"Rolling disk\"";
    NotUtf8 "E0105" "a file that is not UTF-8 text":
        "Model files are UTF-8. The message gives the first byte that begins no character; \
         often the file was saved in an old encoding, or is no text at all."
        wrong "" right "";
    FileTooLarge "E0106" "a file larger than the limit":
        "Model texts are read up to 4 MiB. A model that large is nearly always written out by a program: \
         a family of coordinates with a `for` block says the same in a few lines and is derived faster."
        wrong "" right "";

    // Grammar.
    UnexpectedToken "E0201" "something that is not expected":
        "The statement was understood up to the caret, and what stands there cannot go on. \
         A statement ends with its line unless a bracket is open or the line ends in an operator, a comma, `=`, `~` or `:`."
        wrong "potential m*g*/y" right "potential m*g/y";
    MissingBracket "E0202" "a bracket that is not closed":
        "Every `(`, `[` and `{` needs its partner. An open `(` or `[` carries a statement over line ends, \
         so the place where the partner is missed may be lines below; the message points at the opening one."
        wrong "kinetic m/2*(x'^2 + y'^2" right "kinetic m/2*(x'^2 + y'^2)";
    UnknownStatement "E0203" "a line that begins with no known statement":
        "Every statement begins with its keyword, such as `parameter`, `coordinate`, `kinetic` or `constraint`. \
         A name for an expression is introduced with `let`; a line cannot begin with an operator, \
         so end the line before with it instead."
        wrong "kinetik m/2*x'^2" right "kinetic m/2*x'^2";
    StrayBracket "E0204" "a closing bracket without an opening one":
        "A `)`, `]` or `}` appears where none is open, or closes a bracket of another kind."
        wrong "potential m*g*y)" right "potential m*g*y";
    StatementNotFinished "E0205" "a statement that stops too early":
        "Something is still missing at the end of the line: a value after `=`, an operand after an operator, a word the statement needs."
        wrong "parameter m =" right "parameter m = 1";
    ImplicitMultiplication "E0206" "a product without its sign":
        "Products are written with `*`. Two things side by side would be read differently by different people \
         (`1/2x`, `a(b)`), so the language does not guess."
        wrong "potential 2x" right "potential 2*x";
    ChainedComparison "E0207" "a chain of comparisons":
        "A comparison has two sides. Join two comparisons with `and`."
        wrong "let f = if 0 < x < 1 then 1 else 0" right "let f = if 0 < x and x < 1 then 1 else 0";
    TooDeep "E0208" "brackets nested too deeply":
        "Brackets, signs, exponents and `for` blocks may be nested up to a fixed depth, far beyond what anyone writes by hand. \
         Give the inner parts names with `let`."
        wrong "" right "";
    PowerSign "E0209" "a power written with two stars":
        "A power is written `x^2`. `-x^2` is minus the square, and `2^3^2` is 2 to the ninth."
        wrong "kinetic m/2*x'**2" right "kinetic m/2*x'^2";
    RangeNotHere "E0210" "a range where one member is wanted":
        "A range `1..N` stands in a declaration, in `for` and in `sum`; `q[1..N]` in an expression is the family as a vector. Beside \
         another index name one member, `q[i, 2]`, and repeat with `sum(i in 1..N, ...)` or a `for` block."
        wrong "potential k*q[2, 1..3]" right "potential sum(i in 1..3, k*q[2, i])";
    RepeatedPart "E0211" "a part of a statement given twice":
        "Each part of the statement (`until`, `every`, `method`, `tolerance`, `coefficient`, `velocity`, `static`, a unit) may be given once."
        wrong "simulate until 10 until 20" right "simulate until 20";
    PowerOfFunction "E0212" "a power between a function and its argument":
        "A function takes its argument at once, and the power stands behind: `sin(x)^2` is the square of the sine. \
         The inverse function has a name of its own, `asin(x)`."
        wrong "potential sin^2(x)" right "potential sin(x)^2";
    UnitWithoutBraces "E0213" "a unit without its braces":
        "A unit is written in braces after its number, `30 {deg}`, so that it cannot be taken for a name of the model."
        wrong "parameter alpha = 30 deg" right "parameter alpha = 30 {deg}";
    CommentSign "E0214" "a comment with the sign of another language":
        "Comments begin with `#` and go to the end of the line. The remainder of a division is `mod(a, b)`, its whole part `floor(a/b)`."
        wrong "parameter m = 1 // mass" right "parameter m = 1 # mass";
    EndTimeWord "E0215" "a `simulate` statement without `until`":
        "The parts of the statement have names: `simulate until 10 every 0.01 method dop853 tolerance 1e-9`."
        wrong "simulate 10" right "simulate until 10";
    ForceOnWord "E0216" "a force `on` a coordinate":
        "A generalised force is written like an equation, `force x = F`; a force at a point is a vector, `force [Fx, Fy] at P`."
        wrong "force F on x" right "force x = F";

    // Names.
    UnknownName "E0301" "a name that is not declared":
        "Names are declared before they are used: coordinates, speeds, parameters, constants and `let` names, \
         besides `t` (time) and `pi`. Capital and small letters differ. The message offers the nearest known name."
        wrong "coordinate theta\npotential cos(thta)" right "coordinate theta\npotential cos(theta)";
    DeclaredTwice "E0302" "a name declared twice":
        "A name means one thing in a model. This includes members of a family: `q[2]` must not come from two declarations."
        wrong "parameter m = 1\nlet m = 2" right "parameter m = 1\nlet m2 = 2";
    ReservedName "E0303" "a reserved name":
        "`t`, `pi`, the names of functions and of observables, and the words `if then else and or not` cannot be declared."
        wrong "coordinate t" right "coordinate s";
    UnknownFunction "E0304" "a function that does not exist":
        "Only the functions of the language can be called. If a product was meant, write its sign: `a*(b + c)`."
        wrong "potential tg(x)" right "potential tan(x)";
    WrongArity "E0305" "a function with the wrong number of arguments":
        "Each function takes a fixed number of arguments (`min` and `max` two or more); `atan2(y, x)` takes the sine side first."
        wrong "let a = atan2(y/x)" right "let a = atan2(y, x)";
    UnknownConstraint "E0306" "a constraint that is not in the model":
        "`multiplier`, `reaction`, `residual` and `friction on` name a constraint: give the constraint a name with `constraint NAME: ...`, \
         add `.x`, `.y`, `.z` for one row of a vector constraint, or `[i]` for one made in a `for` block."
        wrong "constraint x = y\noutput f = multiplier(line)" right "constraint line: x = y\noutput f = multiplier(line)";
    NotAFamily "E0307" "subscripts on a name that has none, or their lack":
        "A family declared `q[1..N]` is used one member at a time with as many subscripts as it was declared with; a plain name takes none."
        wrong "coordinate q[1..3]\npotential q" right "coordinate q[1..3]\npotential q[1]";
    UnknownParameter "E0308" "an override of a parameter that is not in the model":
        "`--set NAME=VALUE` changes a `parameter` or a `const` of the model. Members of families are written `m[2]`."
        wrong "" right "";

    // Values.
    RateNotAllowed "E0401" "a rate where none may stand":
        "Some quantities depend on position and time only: potential energy, parameters, kinematics coefficients, starting values. \
         A force that depends on speed belongs into `force`, `work` or `dissipation`."
        wrong "potential c*x'" right "force x = -c*x'";
    AccelerationNotAllowed "E0402" "an acceleration outside an output":
        "`x''` is a result: it is known once the equations of motion are solved, so it may occur in `output` only. \
         A requirement on accelerations is written on positions or rates, which the engine differentiates itself."
        wrong "constraint x'' = 0" right "output a = x''";
    IndexOutOfRange "E0403" "a subscript outside its family":
        "The subscript is a whole number outside the range the family was declared with. \
         In a `for` block treat the ends apart, or let `if` decide on the index."
        wrong "coordinate q[1..3]\npotential q[4]" right "coordinate q[1..3]\npotential q[3]";
    IndexNotWhole "E0404" "a subscript or range that is not a known whole number":
        "Subscripts and ranges are computed when the model is read, from numbers, `const` values and loop indices. \
         Parameters and coordinates are not known then."
        wrong "parameter N = 3\ncoordinate q[1..N]" right "const N = 3\ncoordinate q[1..N]";
    DimensionMismatch "E0405" "vectors of different sizes":
        "Sums, `dot`, equations and conditions between vectors need equally many components; `cross` needs three (or two, giving a scalar)."
        wrong "let P = [1, 2] + [1, 2, 3]" right "let P = [1, 2, 0] + [1, 2, 3]";
    ScalarExpected "E0406" "a vector where one number is wanted":
        "Energies, arguments of functions, factors of scalars and starting values are single numbers. \
         Take a component (`P.x`), `norm(P)` or `dot(P, Q)`."
        wrong "kinetic m/2*P'^2" right "kinetic m/2*dot(P', P')";
    VectorExpected "E0407" "one number where a vector is wanted":
        "`dot`, `cross`, a component `.x`, a force at a point, the point itself and points that are drawn need vectors, `mass` a vector of rows."
        wrong "let n = dot(3, 4)" right "let n = dot([3, 0], [4, 1])";
    ConditionExpected "E0408" "a value where a condition is wanted":
        "After `if`, and around `and`, `or`, `not`, stand comparisons such as `x > 0`; numbers are not conditions."
        wrong "let f = if x then 1 else 0" right "let f = if x != 0 then 1 else 0";
    ValueExpected "E0409" "a condition where a value is wanted":
        "A comparison is neither true as 1 nor false as 0 here; choose the numbers with `if`."
        wrong "let f = (x > 0)*k" right "let f = if x > 0 then k else 0";
    NoSuchComponent "E0410" "a component the vector does not have":
        "Vectors have the components `.x`, `.y` and, with three entries, `.z`."
        wrong "let a = [1, 2].z" right "let a = [1, 2, 3].z";
    NotLinear "E0411" "an expression that must be linear and is not":
        "The definition of a speed is linear in the rates, `kinematics` linear in the speeds. A constant part is allowed."
        wrong "speed u = x'^2" right "speed u = 2*x'";
    NotLinearInDelta "E0412" "virtual work that is not linear in the virtual displacements":
        "Virtual work is a sum of forces times virtual displacements: each term has exactly one factor `delta(x)`, and none is without."
        wrong "work F*delta(x)^2" right "work F*delta(x)";
    DeltaOutsideWork "E0413" "a virtual displacement outside virtual work":
        "`delta(x)` (also written `δx`) has a meaning in `work` and `nonideal work` only."
        wrong "force x = k*delta(x)" right "work k*delta(x)";
    ObservableOutsideOutput "E0414" "a result used in the model it results from":
        "`energy`, `multiplier(NAME)`, `control(x)` and their like are computed from the solved motion: they may stand in `output`; \
         `multiplier` and `reaction` of the ideal solution also in `nonideal work`."
        wrong "force x = -mu*multiplier(floor)" right "nonideal work -mu*multiplier(floor)*delta(x)";
    NotFinite "E0415" "a value that is not a finite number":
        "A constant expression divides by zero or leaves the real numbers (a root or a logarithm of a negative number)."
        wrong "parameter a = 1/0" right "parameter a = 1";
    NotConstant "E0416" "an expression that must be known beforehand":
        "Parameters, starting values and the numbers of `simulate` may depend on parameters and constants, not on coordinates or time."
        wrong "coordinate x\nparameter a = x" right "coordinate x\nparameter a = 1";
    NotAssignable "E0417" "something that an event cannot assign":
        "Behind `do` an event assigns coordinates, their rates or declared speeds, `state` variables and `discrete` values. Parameters and inputs stay, accelerations \
         and results follow from the motion."
        wrong "parameter m = 1\ncoordinate x\nkinetic m/2*x'^2\nevent e: x do m = 2"
        right "discrete m = 1\ncoordinate x\nkinetic x'^2/2\nforce x = -m*x\nevent e: x do m = 2";
    AssignedTwice "E0418" "an event that assigns something twice":
        "An event gives a variable one new value. A declared speed and a rate that it is made of cannot both be assigned."
        wrong "coordinate x\nkinetic x'^2/2\nevent e: x do x' = 1, x' = 2" right "coordinate x\nkinetic x'^2/2\nevent e: x do x' = 1";

    // Mechanics.
    MissingEnergy "E0501" "a model without inertia":
        "A motion needs inertia: `kinetic`, `lagrangian`, or the direct form `mass [[...]]` with `force [...]`."
        wrong "coordinate x\npotential x" right "coordinate x\nkinetic x'^2/2\npotential x";
    NoCoordinates "E0502" "a model without coordinates":
        "Nothing can move: declare the configuration with `coordinate`."
        wrong "kinetic 1" right "coordinate x\nkinetic x'^2/2";
    MassSingular "E0503" "a mass matrix that cannot be solved for the accelerations":
        "Some combination of the speeds carries no inertia and no constraint decides it, so its acceleration is undetermined. \
         Give it a mass, constrain it, or drop the coordinate. With constraints a singular mass matrix may still be solvable; \
         the message names the direction that is not."
        wrong "coordinate x, y\nkinetic x'^2/2" right "coordinate x, y\nkinetic (x'^2 + y'^2)/2";
    MassNotSymmetric "E0504" "a mass matrix that is not symmetric":
        "A mass matrix is symmetric: the entry in row i, column j equals the one in row j, column i. The message names the pair that differs."
        wrong "mass [[1, 2], [0, 1]]\nforce [0, 0]" right "mass [[1, 0], [0, 1]]\nforce [0, 0]";
    SpeedsNotInvertible "E0505" "speeds that do not determine the rates":
        "Defined speeds must be as many as the rates that occur in them and solvable for these; a rate in no definition stays a speed by itself. \
         If constraints remove some speeds, define the removed combinations too and constrain them to zero."
        wrong "coordinate x, y\nspeed u = x' + y'" right "coordinate x, y\nspeed u = x' + y', v = x' - y'";
    KinematicsMissing "E0506" "a speed that moves nothing":
        "A speed declared without a definition moves coordinates through `kinematics` lines, one for each coordinate it moves. \
         Without any the brackets of its direction with the others are unknown, and with them the equations of motion. \
         In the direct form (`mass`, `force`) no brackets are needed, and a speed may move nothing."
        wrong "coordinate x\nspeed u\nkinetic u^2/2" right "coordinate x\nspeed u\nkinematics x' = 2*u\nkinetic u^2/2";
    KinematicsTwice "E0507" "a coordinate with two kinematics":
        "One `kinematics` line gives the rate of a coordinate; a second relation between rates is a `constraint`."
        wrong "kinematics x' = u\nkinematics x' = 2*u" right "kinematics x' = u";
    KinematicsNotClosed "E0508" "kinematics whose brackets do not close":
        "With fewer speeds than coordinates the equations in quasi-velocities hold only if the Lie brackets of the kinematics' directions are combinations \
         of these directions again; otherwise the speeds hide a nonholonomic constraint. \
         Add the missing speeds and write the restriction as a `constraint`."
        wrong "" right "";
    ContradictoryConstraints "E0510" "constraints that cannot hold together":
        "No motion satisfies all of these constraints. The message names the rows and the residual that remains."
        wrong "constraint x' = 1\nconstraint x' = 2" right "constraint x' = 1";
    ConstraintWithoutUnknowns "E0511" "a constraint that constrains nothing":
        "No coordinate or rate occurs in the equation, or all cancel. If it is false it can never hold; if it is true it can go."
        wrong "constraint 1 = 2" right "constraint x = 2";
    InconsistentStart "E0512" "starting values that contradict the constraints":
        "Values fixed with `=` leave a constraint unsatisfied whatever the others are. Turn some into guesses with `~`: \
         the engine then finds the nearest values that satisfy the constraints."
        wrong "constraint x^2 + y^2 = 1\ninitial x = 2" right "constraint x^2 + y^2 = 1\ninitial x ~ 2";
    InitialUnknown "E0513" "a starting value for something that is not a state":
        "`initial` sets coordinates, their rates (`x'`) or declared speeds. Forces and `let` names follow from them."
        wrong "let h = 2*x\ninitial h = 1" right "let h = 2*x\ninitial x = 0.5";
    FixedTwice "E0514" "a starting value fixed twice":
        "One state variable has two `=` values. A later `--initial` replaces a value of the file; two in the file are a mistake."
        wrong "initial x = 1, x = 2" right "initial x = 1";
    DegenerateConfiguration "E0515" "a configuration where the equations degenerate":
        "At this configuration the rank of the constraints or of the kinematics drops (a stretched linkage, gimbal lock), \
         or an expression is not defined. Start elsewhere, or choose coordinates that are regular there."
        wrong "" right "";
    BadInertia "E0516" "a mass or inertia that no body has":
        "Masses are not negative. An inertia is a symmetric matrix, and its principal values satisfy the triangle inequality: the largest is at most the sum of the others. \
         A matrix about the origin of the body is given as `inertia J about origin`."
        wrong "gravity [0, 0, -9.81]\nbody top: mass 1, inertia [1, 1, 3]" right "gravity [0, 0, -9.81]\nbody top: mass 1, inertia [2, 2, 3]";
    LoopNotClosed "E0517" "a loop of joints that cannot be closed":
        "Joints that close loops hold at the start. The message names the joint and how far it is open: lengths that do not reach, or a guess from which the closed position was not found. \
         Give better guesses with `~`, or correct lengths and places."
        wrong "" right "";
    LimitsExcludeStart "E0518" "a start beyond the limits of a joint":
        "The coordinate of a joint starts within its `limits`. A starting value that is fixed outside of them, or a loop that closes only there, contradicts them."
        wrong "" right "";
    MotionUndetermined "E0519" "a body whose motion nothing determines":
        "A body without mass, or without inertia about the axis that it turns about, has no equation of motion of its own: its motion must follow from joints and constraints. Give it a mass, an inertia or an `armature`, or hold it."
        wrong "" right "";
    NotDifferentiable "E0520" "a state where the equations have no derivative":
        "A linear system is made of derivatives. Where a force has a kink or a jump (`abs`, `sign`, `min`, `max`, `if` at their turning point), or a root or a \
         norm of nothing, there are none. Linearise on one side of it, or write the law so that it is smooth there."
        wrong "" right "";

    // Units.
    UnknownUnit "E0601" "a unit that is not known":
        "Known are the SI units and their common relatives with prefixes (`mm`, `kN`, `ms`), `rad`, `deg`, `1`. Units are case sensitive."
        wrong "parameter m = 1 {Kg}" right "parameter m = 1 {kg}";
    UnitMismatch "E0602" "quantities of different kinds added or equated":
        "Both sides of a sum, comparison or equation must have the same dimension, and functions such as `sin` and `exp` take pure numbers. \
         Only expressions whose parts all have units are checked."
        wrong "parameter m = 1 {kg}, l = 2 {m}\nlet s = m + l" right "parameter m = 1 {kg}, M = 2 {kg}\nlet s = m + M";
    UnitNotCoherent "E0603" "a unit that would need a conversion where none is made":
        "A plain number may be given in any known unit and is converted to SI: `parameter l = 50 {cm}` is 0.5 m. \
         Coordinates, speeds and values computed from other quantities are in coherent SI units (m, kg, s, rad), so that columns mean what they say."
        wrong "coordinate x {mm}" right "coordinate x {m}";
    BadUnit "E0604" "a unit that cannot be read":
        "A unit is made of names, `*`, `/`, parentheses, `1` and powers with whole or rational exponents: `{kg*m^2/s}`, `{1/s}`, `{m^(1/2)}`."
        wrong "parameter g = 9.81 {m/s2^}" right "parameter g = 9.81 {m/s^2}";

    // Runs.
    StepTooSmall "E0701" "an integration that came to a standstill":
        "The step needed to keep the tolerance fell below what the time can resolve: a singularity, a discontinuity, or a stiff motion. \
         What was computed so far is returned. Look at the last state; mark discontinuities with `event`; loosen the tolerance; try an implicit method."
        wrong "" right "";
    TooManySteps "E0702" "an integration that takes too many steps":
        "The limit on steps was reached before the end time. The motion may be stiff or very fast: try an implicit method, a looser tolerance or a shorter time."
        wrong "" right "";
    StateNotFinite "E0703" "a motion that left the finite numbers":
        "A coordinate, speed or force became infinite or undefined. Often a denominator vanishes or a root turns negative on the way."
        wrong "" right "";
    StepNotSolved "E0704" "a step of fixed length that has no solution":
        "A variational step is the solution of equations between its ends. With a long step, near positions where constraints lose rank, or where forces \
         jump, Newton's iteration does not find it. The step is not shortened on its own: that would spoil what the method conserves."
        wrong "" right "";
    ConstraintDrift "E0705" "constraints that cannot be satisfied":
        "The projection onto the constraints failed: they became contradictory or degenerate along the motion. \
         The message names the constraint and its residual."
        wrong "" right "";
    ConstraintJump "E0706" "a constraint that jumps, or would need an impact":
        "A constraint may be put together from pieces with `if`, `abs`, `min`, `max` or `sign`, if the pieces fit where the motion passes from one to the next: \
         the constraint itself must not jump, nor what it demands of the speeds. Otherwise positions would have to jump, or speeds by an impact; how is not said by the constraint. \
         What was computed up to that instant is returned. Round the kink off, or end the motion there with `event ... stop` and begin another one behind it."
        wrong "" right "";
    NotConverged "E0730" "an iteration that found nothing":
        "Newton's iteration towards an equilibrium, or the sweeps for eigenvalues, ended at their bound. Start nearer, \
         give ranges with `--within`, or rescale the model so that its numbers are of comparable size."
        wrong "" right "";
    NoConnection "E0731" "no motion found between two configurations":
        "A path whose action is stationary was looked for between the two configurations, from a straight path and from the motion that the rates at the start give. \
         Newton's iteration found none. There may be none in that time, or several far from both: a configuration on the way (`--via`) or other rates lead there."
        wrong "" right "";
    ConjugateEnds "E0732" "two configurations that are conjugate":
        "Motions that leave the first configuration with nearby rates come together again at the second, as those of a harmonic oscillator do after half a period. \
         Then a motion between them is not unique, or there is none; the second variation of the action is singular. Choose another time, or another end."
        wrong "" right "";
    NotAnIntegral "E0740" "a complete integral that is none":
        "S must satisfy dS/dt + H(x, dS/dx, t) = 0 for all values of its constants, on the constraints if there are any, and the second derivatives by coordinates \
         and constants must be a regular matrix. The message gives a place where that is not so."
        wrong "coordinate x\nkinetic x'^2/2\ncomplete_integral (a) = a*x - a*t" right "coordinate x\nkinetic x'^2/2\ncomplete_integral (a) = a*x - a^2/2*t";
    Caustic "E0741" "a complete integral that ends to describe the motion":
        "The motion is found by solving b = dS/da for the coordinates. Where the second derivatives of S by coordinates and constants become singular (at turning \
         points, where motions of the family touch or meet) that has no solution nearby, and another branch of S would be needed."
        wrong "" right "";
    CannotVaryAlone "E0760" "a quantity that cannot be varied alone":
        "A derivative by a parameter or starting value asks what a small change of it does, with everything else that is fixed held. Where constraints and fixed starting          values leave no room for that change, there is no such derivative: a length with both ends fixed, or one of several lengths that redundant constraints tie together.          Write `~` instead of `=` for a starting value that may follow, or vary something that determines the others."
        wrong "" right "";
    Grazing "E0761" "an event that the motion only grazes":
        "The time of an event is differentiable where its function crosses zero with a rate. Where the rate vanishes too, a small change decides whether there is an event at all,          and the motion behind it has no derivative. Move the threshold of the event, or end the run before it."
        wrong "" right "";
    NoSensitivity "E0762" "a motion that is not differentiated":
        "Sensitivities are computed for motions in coordinates and speeds, with constraints of any rank, non-ideal work, friction that sticks and slides, control, switches of time and events.          The message names the combination or the option that is not differentiated."
        wrong "" right "";
    DataMismatch "E0763" "measured data that do not fit the model":
        "`fit` compares columns of a file with those of a motion. The file has a column `t` whose times ascend, and columns named like coordinates, speeds or outputs of the model;          rows hold numbers, and a value that is missing is left empty."
        wrong "" right "";
    NotIdentifiable "W0760" "parameters that the data do not determine":
        "A combination of the free parameters changes nothing in the columns that were measured, or so little that their scatter hides it. Its value is that of the start.          Fix one of the parameters, or measure something that depends on the combination."
        wrong "" right "";

    EnergyOutOfReach "E0742" "an energy at which there is no motion there":
        "The principle of least action compares paths of one energy E, along which the kinetic energy is E - V. Where V is larger than E no motion of that \
         energy can be, and Jacobi's metric is no metric. The message gives V where that is so."
        wrong "" right "";

    EventOffConstraints "E0713" "an event that leaves the constraints":
        "What an event assigns must satisfy the constraints, positions and speeds, as the state before it did: nothing is adjusted. \
         Assign every coordinate and speed that the constraint ties together."
        wrong "" right "";
    EventsContradict "E0714" "simultaneous events that assign different values":
        "Events at one instant all read the values before it. If two of them assign the same variable, they must assign the same value."
        wrong "" right "";
    EventsAccumulate "E0715" "events that follow each other without end":
        "The times of the events converge, as those of a ball that bounces to rest: infinitely many of them happen in a finite time, and the motion behind \
         them is not described. What was computed is returned. End the run with an event that stops, or change a `discrete` value when the rest is near."
        wrong "" right "";

    // Friction and control.
    FrictionParadox "E0710" "friction without a solution, or with several":
        "Friction changes the normal force it depends on. Where it does so strongly enough, Coulomb's law for rigid bodies has no solution at a state, \
         or more than one (Painleve's paradox): a rod that is pushed along with its tip in front and jams. What happens then is not decided by rigid-body mechanics; \
         a smaller coefficient, another slope, or a compliant contact is."
        wrong "" right "";
    FrictionUnsettled "E0711" "contacts that can neither stick nor slide":
        "No choice of sticking and sliding contacts satisfies the law of friction at this state, or contacts change between both without end. \
         The law may be undecided there, as in Painleve's paradox with several contacts, or wherever the static coefficient is below the sliding one."
        wrong "" right "";
    BadCoefficient "E0712" "a coefficient that makes no sense":
        "A coefficient of friction is not negative, and errors decay by positive coefficients: with others friction would drive, and errors grow."
        wrong "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint floor: y = 0\nfriction on floor: coefficient -0.3, velocity x'"
        right "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint floor: y = 0\nfriction on floor: coefficient 0.3, velocity x'";
    Unreachable "E0720" "a requirement out of reach of the control":
        "The forces that control may use cannot produce what is required: an actuator is missing, the constraints are against it, or requirements contradict each other. \
         The message gives what is left unmet and the direction of the force that is missing. Nothing is met halfway in silence."
        wrong "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nrequire y = 1\nactuate x"
        right "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nrequire y = 1\nactuate x, y";
    RequirementNotMet "E0721" "a requirement that does not hold at the start and does not decay":
        "Control forces keep a requirement once it holds. An error at the start stays, or grows, unless the requirement says how it shall decay: \
         `decay k1, k0` makes the error h obey h'' + k1 h' + k0 h = 0, `decay k0` does the same for a requirement on rates, psi' + k0 psi = 0. \
         Where the inputs are further derivatives away, these must vanish at the start too, and `decay` has a coefficient for each of them."
        wrong "require x = cos(t)\ninitial x = 2" right "require x = cos(t) decay 2, 1\ninitial x = 2";
    CostNotPositive "E0722" "a control weight that is not positive definite":
        "The cost of control u^T W u must be positive for every u, otherwise there is no cheapest one."
        wrong "weight [[1, 0], [0, 0]]" right "weight [[1, 0], [0, 2]]";

    // Requests and limits.
    NotAvailable "E0801" "part of the language that is not available yet":
        "The statement is understood and its meaning is settled, but this version cannot compute it. Leaving it out would change the motion, so the model is refused."
        wrong "" right "";
    TooLarge "E0802" "a model beyond the limits":
        "Families, vectors, sums and loops are expanded when the model is read; their total is bounded so that a slip in a `const` ends in a message. \
         The message says which limit was passed."
        wrong "" right "";
    BadOption "E0803" "a value that an option does not take":
        "An option of `simulate` or of the command line has a value outside its range: times and tolerances are positive, methods are named ones."
        wrong "simulate until 10 method magic" right "simulate until 10 method dop853";
    NotApplicable "E0804" "a formalism that does not apply to this model":
        "Some forms need more than the kernel form: Hamilton's needs a regular Lagrangian and holonomic or linear constraints, for instance. \
         The message says what stands in the way; the default form always applies."
        wrong "" right "";
    StatementTwice "E0805" "a statement that may stand once":
        "`system`, `simulate` and `mass` describe the whole model and are given once."
        wrong "simulate until 10\nsimulate until 20" right "simulate until 20";

    // Errors of the program.
    Internal "E0901" "an error of Dalembert itself":
        "A result failed a check that holds for every model, or the engine met a state that it takes to be impossible, so the result is withheld. Nothing in the model is at fault: please report it, with the model and the command. \
         `--no-self-check` leaves the check out, where there is one; what is then computed should not be relied on."
        wrong "" right "";

    // Files of others.
    BadXml "E1001" "a file that is not well-formed XML":
        "URDF and MJCF are XML: every tag is closed, attributes are quoted, there is one root element. Document type definitions are refused, \
         because their entities can name other files and grow without bound."
        wrong "" right "";
    XmlTooLarge "E1002" "a file that is larger or deeper than what is read":
        "Imported files are read up to 4 MiB, 200,000 nodes and 400 levels of elements. The largest robots have some hundred bodies."
        wrong "" right "";
    UnknownFormat "E1003" "a file that is neither URDF nor MJCF":
        "`dalembert import` reads files whose root element is `<robot>` (URDF) or `<mujoco>` (MJCF). A `.xacro` file is expanded to a URDF by `xacro` first."
        wrong "" right "";
    MissingInXml "E1004" "an element or attribute that is missing":
        "The format requires it, and there is no default that could be meant."
        wrong "" right "";
    BadXmlValue "E1005" "a value in XML that cannot be used":
        "Numbers are finite decimals with blanks between them, as many as the attribute has; words are those of the format."
        wrong "" right "";
    UnknownInXml "E1006" "a name in XML that is not defined there":
        "A link, joint, body, site, tendon or class is used that the file does not have. The help names the nearest one."
        wrong "" right "";
    NotATree "E1007" "links that are not a tree":
        "In a URDF every link but the root is the child of exactly one joint. Loops are closed in the imported model, by a further `joint`."
        wrong "" right "";
    NotImported "E1008" "something that cannot be imported":
        "Leaving it out would change masses or motions in a way that cannot be described, so the file is refused. The message says what to do."
        wrong "" right "";
    XmlNameTwice "E1009" "a name that XML defines twice":
        "Links, joints and bodies have names of their own. With two of the same name it is not decided which one is meant elsewhere in the file."
        wrong "" right "";

    // Warnings.
    PartialTimeDerivative "W0430" "a partial derivative with respect to time that is zero":
        "`diff(E, t)` is the partial derivative: coordinates are held, and only `t` itself changes. The rate along the motion, with \
         everything changing, is `E'`, for a coordinate `x'`."
        wrong "force x = -c*diff(x, t)" right "force x = -c*x'";
    SignalUnits "W0480" "a signal of plain numbers whose units differ":
        "In a signal given by `--input`, plain numbers are taken in SI units: `--input \"u=-3*x\"` is -3 N/m times x where u is a force. \
         Numbers with units are checked instead: `--input \"u=-3 {N/m}*x\"`."
        wrong "" right "";
    ReactionMixesUnits "W0431" "a reaction that adds newtons and newton metres":
        "`reaction(NAME)` is the norm of a generalised force. Where some coordinates are lengths and others angles, its components are \
         forces and moments, and the norm depends on the units. Ask for the multiplier of the constraint, for the part on one coordinate \
         (`ideal(x)`), or for `force(J)` of a joint."
        wrong "output N = reaction(floor)" right "output N = multiplier(floor)";
    RestitutionIgnored "W0432" "a restitution that has no effect":
        "Impacts at the limits of joints are not available yet: a run that passes a limit goes on and reports the event `J.upper passed` or `J.lower passed`."
        wrong "" right "";
    AlwaysTrue "W0501" "a constraint that holds always":
        "All coordinates and rates cancel and the equation is an identity. It constrains nothing and is left out."
        wrong "coordinate x\nconstraint x = x" right "coordinate x\nconstraint x = 2";
    DegenerateState "W0502" "a state where constraints lose rank":
        "At this state some rows of the constraints vanish or depend on each other, though nearby they do not. \
         Accelerations there are those of least force; a motion can pass through such a state, but may not be determined if it starts there."
        wrong "" right "";
    DissipationWithoutRates "W0503" "a dissipation without rates":
        "The force of a Rayleigh function is minus its derivative by the speeds. Where no rate occurs in it, it has no effect; often a prime is missing."
        wrong "dissipation c/2*x^2" right "dissipation c/2*x'^2";
    RowMissed "W0705" "a constraint that is satisfied less accurately than it could be":
        "At the start or at the end of a run a constraint is off by more than 1e-11 of its own terms (with stabilisation or steps of fixed \
         size: by any such amount). Beyond 1e-9 a run that projects onto the constraints is an error instead."
        wrong "" right "";
    OutputNotFinite "W0703" "an output that is not a finite number":
        "Some rows of the table have NaN or inf in this column, for instance 1/x where x passes through zero. The motion itself is not affected. \
         `if` in the output says what it is where its formula has no value."
        wrong "" right "";
    StartScaled "W0507" "a start that is not a rotation":
        "The kinematics keep the length of a quaternion, and lengths and products of direction cosines, at what they are at the start. Rotations need 1 and 0. \
         A start that is off by more than rounding is brought there; one that is far off is left as it is given."
        wrong "" right "";
    ControlSaturated "W0723" "control that reaches its bounds":
        "`actuate x in -5..5` bounds a control force. Where the requirements ask for more, the inputs within their bounds that come nearest to them act. \
         The events `x saturates` and `x recovers` say when, `residual(NAME)` by how much a requirement is missed."
        wrong "" right "";
    NormalForceAssumed "W0710" "a normal force that was assumed":
        "Friction needs the force that presses at the contact. It is found from the constraint where the coordinates are those of a point, right-angled or curved. \
         Otherwise the multiplier is taken, which is the force if the constraint is written as a distance. \
         `normal E` in the statement, with `multiplier(NAME)` in E, says it exactly."
        wrong "" right "";
    StaticBelowSliding "W0712" "static friction below sliding friction":
        "A contact that sticks would let go under a load at which it then cannot slide. Measured static coefficients are not below sliding ones."
        wrong "" right "";
    NormalForceOpen "W0711" "a constraint force that a force law reads and the constraints leave open":
        "Constraints that friction or non-ideal work read follow from each other, so that their single forces are a matter of choice, and the motion depends on it. \
         They share the load as equally stiff supports do; constraints that no force law reads carry nothing which the others can carry. A table on four legs is such a case: how much each leg carries is not decided by rigid bodies."
        wrong "" right "";

    ImportLeftOut "W1001" "a part of an imported file that is left out and changes the motion":
        "The model moves otherwise than the file says: a contact, a tendon, a joint that carries nothing. The message says what is missing; \
         where the language has a statement for it, it can be added to the model."
        wrong "" right "";
    ImportInertia "W1002" "an imported inertia that no body has":
        "Principal inertias are not negative and none is larger than the other two together. Files written by hand often break this. \
         The text is written as the file says, and `check` refuses it until it is corrected."
        wrong "" right "";
    ImportHardened "W1003" "a soft constraint that is imported as an ideal one":
        "MuJoCo keeps equalities and limits by stiff springs and dampers, with an error that depends on `solref` and `solimp`. \
         In the model they hold exactly, and their forces are constraint forces."
        wrong "" right "";

    // Notes.
    TableLeft "N0723" "a table that is asked beyond its points":
        "Beyond its first and last point a table has the value there. The run goes on; the note says where that was first so."
        wrong "" right "";
    RedundantConstraints "N0501" "constraints that follow from others":
        "The rank of the constraints is below their number. The motion and the total constraint force are unaffected and computed as usual; \
         only the shares of single multipliers are a matter of choice."
        wrong "" right "";
    AngleOfJoint "N0471" "a spring with an angle at a joint of several freedoms":
        "`spring S: k angle a0 at J` acts on the only angle of the joint, `J.turn`. Other elements name the freedom: `at J.turn`, `at J.slide`."
        wrong "" right "";
    ForcesNotUnique "N0470" "forces of joints in redundant loops":
        "Where joints of a loop hold the same thing twice (a door on two hinges), rigid bodies do not decide how much each of them carries. \
         The least forces are given; the note lists the outputs that this concerns and their combinations that are unique."
        wrong "" right "";
    NotCheckedYet "N0802" "a large model that was read but not solved":
        "An editor checks a model while it is typed. Names, values and units of every model are checked; the equations and the start are left out \
         where they would take long. `dalembert check` does all of it."
        wrong "" right "";
    ImportMerged "N1001" "a body that is imported as a part of another":
        "What is fixed to a body moves with it: masses are added up, and names of the fixed body and its joint are kept as frames."
        wrong "" right "";
    ImportIgnored "N1002" "a part of an imported file without effect on the motion":
        "Pictures, materials, sensors, limits of effort and the like are not imported. The motion is that of the file."
        wrong "" right "";
    ImportAssumed "N1003" "something that an imported file does not say":
        "The format leaves it open or gives a default; the message says what was taken."
        wrong "" right "";
    ImportSnapped "N1004" "an imported angle that is taken as a quarter turn":
        "Angles of joint origins within 1e-6 of a multiple of pi/2 are such multiples: files have 1.5707963 where a right angle is meant."
        wrong "" right "";
    ImportRenamed "N1005" "an imported name that is changed":
        "Names of the language are letters, digits and `_`; bodies, joints, frames and inputs have different names."
        wrong "" right "";
}
