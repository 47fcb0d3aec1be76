//! Numbers of a tape under construction that know when they are zero, and whose sign costs nothing.

use dalembert_tape::{Builder, Op, Value};

/// Least pivot of the inertia, relative to the terms that it is made of.
pub const MASS_PIVOT: f64 = 1e-9;

/// A value of a tape, or zero by structure. Its sign is applied by whoever uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Num {
    /// Zero, whatever the state.
    #[default]
    Zero,
    /// A value.
    Value(Value),
    /// Minus a value.
    Minus(Value),
}

impl Num {
    /// Whether it is zero by structure.
    pub fn is_zero(self) -> bool {
        self == Num::Zero
    }

    /// The value without its sign, and whether that is minus.
    fn parts(self) -> Option<(Value, bool)> {
        match self {
            Num::Zero => None,
            Num::Value(v) => Some((v, false)),
            Num::Minus(v) => Some((v, true)),
        }
    }

    fn signed(value: Value, minus: bool) -> Num {
        if minus { Num::Minus(value) } else { Num::Value(value) }
    }
}

impl std::ops::Neg for Num {
    type Output = Num;

    fn neg(self) -> Num {
        match self {
            Num::Zero => Num::Zero,
            Num::Value(v) => Num::Minus(v),
            Num::Minus(v) => Num::Value(v),
        }
    }
}

/// Writes arithmetic to a tape.
pub struct Tracer<'t> {
    /// The tape.
    pub tape: &'t mut Builder,
    /// 1 while every pivot is well clear of zero; `None` while there has been none.
    sound: Option<Value>,
}

impl<'t> Tracer<'t> {
    /// A tracer at the end of a tape.
    pub fn new(tape: &'t mut Builder) -> Self {
        Tracer { tape, sound: None }
    }

    /// A constant.
    pub fn constant(&mut self, c: f64) -> Num {
        if c == 0.0 {
            return Num::Zero;
        }
        let value = self.tape.constant(c.abs());
        Num::signed(value, c < 0.0)
    }

    /// A value of the tape; constants are looked into.
    pub fn given(&mut self, value: Value) -> Num {
        match self.tape.constant_of(value) {
            Some(c) if !c.is_nan() => self.constant(c),
            _ => Num::Value(value),
        }
    }

    /// The number, where it is constant.
    pub fn constant_of(&self, a: Num) -> Option<f64> {
        let Some((value, minus)) = a.parts() else { return Some(0.0) };
        self.tape.constant_of(value).map(|c| if minus { -c } else { c })
    }

    /// The value of a number, for an output or an operation of the tape.
    pub fn value(&mut self, a: Num) -> Value {
        match a {
            Num::Zero => self.tape.constant(0.0),
            Num::Value(v) => v,
            Num::Minus(v) => self.tape.push(Op::Neg, &[v]),
        }
    }

    /// `a + b`
    pub fn add(&mut self, a: Num, b: Num) -> Num {
        let (Some((x, a_minus)), Some((y, b_minus))) = (a.parts(), b.parts()) else {
            return if a.is_zero() { b } else { a };
        };
        match (a_minus, b_minus) {
            _ if x == y && a_minus != b_minus => Num::Zero,
            (false, true) => self.apply(Op::Sub, x, y, false),
            (true, false) => self.apply(Op::Sub, y, x, false),
            _ => self.apply(Op::Add, x, y, a_minus),
        }
    }

    /// `a - b`
    pub fn sub(&mut self, a: Num, b: Num) -> Num {
        self.add(a, -b)
    }

    /// `a b`
    pub fn mul(&mut self, a: Num, b: Num) -> Num {
        match (a.parts(), b.parts()) {
            (Some((x, a)), Some((y, b))) => self.apply(Op::Mul, x, y, a != b),
            _ => Num::Zero,
        }
    }

    /// `2 a`
    pub fn twice(&mut self, a: Num) -> Num {
        match a.parts() {
            Some((x, minus)) => self.apply(Op::Add, x, x, minus),
            None => Num::Zero,
        }
    }

    /// `a/2`
    pub fn half(&mut self, a: Num) -> Num {
        let half = self.constant(0.5);
        self.mul(half, a)
    }

    /// `1/a` of a pivot, which must exceed the share [`MASS_PIVOT`] of `size` to be trusted.
    pub fn reciprocal(&mut self, a: Num, size: Num) -> Num {
        let (pivot, size) = (self.value(a), self.value(size));
        let share = self.tape.constant(MASS_PIVOT);
        let bound = self.tape.push(Op::Mul, &[share, size]);
        let sound = self.tape.push(Op::Less, &[bound, pivot]);
        self.sound = Some(match self.sound {
            None => sound,
            Some(all) => self.tape.push(Op::And, &[all, sound]),
        });
        let one = self.tape.constant(1.0);
        let inverse = self.tape.push(Op::Div, &[one, pivot]);
        self.given(inverse)
    }

    /// `1/sqrt(a)`
    pub fn inverse_root(&mut self, a: Num) -> Num {
        let (square, one) = (self.value(a), self.tape.constant(1.0));
        let root = self.tape.push(Op::Sqrt, &[square]);
        let inverse = self.tape.push(Op::Div, &[one, root]);
        self.given(inverse)
    }

    /// 1 where every pivot so far is well clear of zero.
    pub fn sound(&mut self) -> Value {
        self.sound.unwrap_or_else(|| self.tape.constant(1.0))
    }

    /// Sine and cosine.
    pub fn sine_cosine(&mut self, angle: Num) -> (Num, Num) {
        let Some((x, minus)) = angle.parts() else { return (Num::Zero, self.constant(1.0)) };
        let (sine, cosine) = (self.tape.push(Op::Sin, &[x]), self.tape.push(Op::Cos, &[x]));
        let (sine, cosine) = (self.given(sine), self.given(cosine));
        (if minus { -sine } else { sine }, cosine)
    }

    fn apply(&mut self, op: Op, x: Value, y: Value, minus: bool) -> Num {
        let value = self.tape.push(op, &[x, y]);
        let found = self.given(value);
        if minus { -found } else { found }
    }
}
