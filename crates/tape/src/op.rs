//! The operators of a tape: one line each says what it takes and what it computes.

macro_rules! operators {
    ($($name:ident($($arg:ident),*) $class:ident = $value:expr, $doc:literal;)*) => {
        /// An operator of a tape. Conditions are numbers: 1 for true, 0 for false.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Op { $(#[doc = $doc] $name,)* }

        impl Op {
            /// Every operator, in the order of their declaration.
            pub const ALL: &'static [Op] = &[$(Op::$name,)*];

            /// How many operands it takes (1 to 3).
            #[must_use]
            pub fn arity(self) -> usize {
                match self { $(Op::$name => [$(stringify!($arg)),*].len(),)* }
            }

            /// Its kind, for operation counts.
            pub(crate) fn class(self) -> Class {
                match self { $(Op::$name => Class::$class,)* }
            }

            /// The value; operands past the arity are ignored.
            #[inline(always)]
            #[must_use]
            pub fn apply(self, a: f64, b: f64, c: f64) -> f64 {
                match self { $(Op::$name => { operators!(@bind a b c; $($arg),*); $value })* }
            }
        }
    };
    (@bind $a:ident $b:ident $c:ident; $x:ident) => { let ($x, _, _) = ($a, $b, $c); };
    (@bind $a:ident $b:ident $c:ident; $x:ident, $y:ident) => { let ($x, $y, _) = ($a, $b, $c); };
    (@bind $a:ident $b:ident $c:ident; $x:ident, $y:ident, $z:ident) => { let ($x, $y, $z) = ($a, $b, $c); };
}

impl Op {
    /// Whether its value does not change with its operands but where it jumps: its derivative is zero.
    pub(crate) fn is_piecewise_constant(self) -> bool {
        use Op::{And, Equal, Floor, Less, LessEqual, Lookup, Not, Or, Sign};
        matches!(self, Lookup | Sign | Floor | Less | LessEqual | Equal | And | Or | Not)
    }
}

/// What an operator costs, roughly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Additive,
    Multiplicative,
    Division,
    Function,
    Logic,
}

fn truth(condition: bool) -> f64 {
    f64::from(u8::from(condition))
}

/// -1, 0 or 1; NaN stays NaN. (`f64::signum(0.0)` is 1, which is not the mechanician's sign.)
fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    }
}

operators! {
    Neg(x) Additive = -x, "minus";
    Add(x, y) Additive = x + y, "sum";
    Sub(x, y) Additive = x - y, "difference";
    Mul(x, y) Multiplicative = x * y, "product";
    MulAdd(x, y, z) Multiplicative = x.mul_add(y, z), "x y + z, rounded once";
    NegMulAdd(x, y, z) Multiplicative = (-x).mul_add(y, z), "z - x y, rounded once";
    Div(x, y) Division = x / y, "quotient";
    Sqrt(x) Division = x.sqrt(), "square root";
    Pow(x, y) Function = x.powf(y), "power with any exponent";
    Sin(x) Function = crate::trig::sin_cos(x).0, "sine";
    Cos(x) Function = crate::trig::sin_cos(x).1, "cosine";
    Tan(x) Function = x.tan(), "tangent";
    Asin(x) Function = x.asin(), "arc sine";
    Acos(x) Function = x.acos(), "arc cosine";
    Atan(x) Function = x.atan(), "arc tangent";
    Atan2(y, x) Function = y.atan2(x), "angle of the point (x, y), operands y and x";
    Sinh(x) Function = x.sinh(), "hyperbolic sine";
    Cosh(x) Function = x.cosh(), "hyperbolic cosine";
    Tanh(x) Function = x.tanh(), "hyperbolic tangent";
    Asinh(x) Function = x.asinh(), "inverse hyperbolic sine";
    Acosh(x) Function = x.acosh(), "inverse hyperbolic cosine";
    Atanh(x) Function = x.atanh(), "inverse hyperbolic tangent";
    Exp(x) Function = x.exp(), "exponential";
    Log(x) Function = x.ln(), "natural logarithm";
    Abs(x) Additive = x.abs(), "absolute value";
    Sign(x) Logic = sign(x), "sign, 0 at 0";
    Floor(x) Function = x.floor(), "largest whole number that is not above";
    // `f64::min` would swallow a NaN; a motion must not.
    Min(x, y) Logic = if x < y || x.is_nan() { x } else { y }, "smaller of two";
    Max(x, y) Logic = if x > y || x.is_nan() { x } else { y }, "larger of two";
    Less(x, y) Logic = truth(x < y), "x < y";
    LessEqual(x, y) Logic = truth(x <= y), "x <= y";
    Equal(x, y) Logic = truth(x == y), "x == y";
    And(x, y) Logic = truth(x != 0.0 && y != 0.0), "both";
    Or(x, y) Logic = truth(x != 0.0 || y != 0.0), "either";
    Not(x) Logic = truth(x == 0.0), "not";
    Select(condition, x, y) Logic = if condition != 0.0 { x } else { y }, "x where the condition holds, else y";
    Lookup(column, x) Function = crate::lookup::look_up(column, x), "the number of a column of a [`Lookup`](crate::Lookup) at x";
}
