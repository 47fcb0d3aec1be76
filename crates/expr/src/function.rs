//! The elementary functions: one table for name, number of arguments and tape operator.

use dalembert_tape::Op;

macro_rules! functions {
    ($($name:ident $text:literal $arity:literal $op:ident $latex:literal;)*) => {
        /// A function of one to three arguments. Conditions have the values 1 and 0.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)] // the table below says it better
        pub enum Function { $($name,)* }

        impl Function {
            /// All of them.
            pub const ALL: &'static [Function] = &[$(Function::$name,)*];

            /// Its name in text.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Function::$name => $text,)* }
            }

            /// How many arguments it takes.
            #[must_use]
            pub fn arity(self) -> usize {
                match self { $(Function::$name => $arity,)* }
            }

            /// The tape operator that computes it.
            #[must_use]
            pub fn op(self) -> Op {
                match self { $(Function::$name => Op::$op,)* }
            }

            pub(crate) fn latex(self) -> &'static str {
                match self { $(Function::$name => $latex,)* }
            }
        }
    };
}

functions! {
    Sin "sin" 1 Sin r"\sin";
    Cos "cos" 1 Cos r"\cos";
    Tan "tan" 1 Tan r"\tan";
    Asin "asin" 1 Asin r"\arcsin";
    Acos "acos" 1 Acos r"\arccos";
    Atan "atan" 1 Atan r"\arctan";
    Atan2 "atan2" 2 Atan2 r"\operatorname{atan2}";
    Sinh "sinh" 1 Sinh r"\sinh";
    Cosh "cosh" 1 Cosh r"\cosh";
    Tanh "tanh" 1 Tanh r"\tanh";
    Asinh "asinh" 1 Asinh r"\operatorname{arsinh}";
    Acosh "acosh" 1 Acosh r"\operatorname{arcosh}";
    Atanh "atanh" 1 Atanh r"\operatorname{artanh}";
    Exp "exp" 1 Exp r"\exp";
    Log "log" 1 Log r"\ln";
    Abs "abs" 1 Abs r"\operatorname{abs}";
    Sign "sign" 1 Sign r"\operatorname{sgn}";
    Floor "floor" 1 Floor r"\operatorname{floor}";
    Min "min" 2 Min r"\min";
    Max "max" 2 Max r"\max";
    Less "<" 2 Less "<";
    LessEqual "<=" 2 LessEqual r"\le";
    Equal "==" 2 Equal "=";
    And "and" 2 And r"\land";
    Or "or" 2 Or r"\lor";
    Not "not" 1 Not r"\lnot";
    Select "if" 3 Select r"\operatorname{if}";
    Lookup "lookup" 2 Lookup r"\operatorname{lookup}";
}

impl Function {
    /// The function of that name, if it is one that a text may call.
    ///
    /// ```
    /// use dalembert_expr::Function;
    /// assert_eq!(Function::by_name("atan2"), Some(Function::Atan2));
    /// assert_eq!(Function::by_name("<"), None);
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        let callable = |f: &&Function| **f <= Function::Max && f.name() == name;
        Self::ALL.iter().find(callable).copied()
    }
}
