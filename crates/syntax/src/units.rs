//! Units: what is checked, and what is left alone.
//!
//! A quantity has a dimension where its unit was given, none where it was not; an expression is checked only
//! where every name in it has a unit. Plain numbers fit everywhere. Nothing here knows the model language
//! beyond the unit in braces.

use crate::ast::{Unit as UnitAst, UnitKind};
use crate::diagnostic::{Code, Diagnostic, nearest};
use dalembert_expr::Rational;
use std::fmt;
use std::sync::Arc;

/// Exponents of the base units kg, m, s, A, K, mol, cd, and behind them of the radian. Shared, for every value of a
/// model carries one.
///
/// The radian is followed through products so that angles can be shown as such; it does not count in comparisons,
/// since an arc is an angle times a radius.
#[derive(Clone, Debug)]
pub struct Dimension(Arc<[Rational; 8]>);

/// Where the exponent of the radian is.
const ANGLE: usize = 7;

impl PartialEq for Dimension {
    fn eq(&self, other: &Self) -> bool {
        self.0[..ANGLE] == other.0[..ANGLE]
    }
}

impl Eq for Dimension {}

const BASE: [&str; 7] = ["kg", "m", "s", "A", "K", "mol", "cd"];

/// What is known of the unit of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnitInfo {
    /// Some name in it has no unit: nothing is said.
    Missing,
    /// Numbers only: fits everywhere.
    Number,
    /// Every name in it has a unit.
    Known(Dimension),
}

/// A unit with its size: `value in SI = value * factor * pi^pi_power`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its dimension.
    pub dimension: Dimension,
    /// Its size against the coherent SI unit.
    pub factor: Rational,
    /// Angles in degrees and turns bring factors of pi.
    pub pi_power: i64,
}

impl Unit {
    /// What one of it is in coherent SI units.
    #[must_use]
    pub fn size(&self) -> f64 {
        self.factor.to_f64() * std::f64::consts::PI.powi(self.pi_power as i32)
    }
}

impl Dimension {
    /// A plain number.
    #[must_use]
    pub fn none() -> Self {
        Self::of(|_| Rational::ZERO)
    }

    fn of(exponent: impl FnMut(usize) -> Rational) -> Self {
        Dimension(Arc::new(std::array::from_fn(exponent)))
    }

    /// That of a time.
    #[must_use]
    pub fn time() -> Self {
        Self::base(2)
    }

    /// That of an angle: a plain number that is shown in radians.
    #[must_use]
    pub fn angle() -> Self {
        Self::base(ANGLE)
    }

    /// Without what is known about angles in it.
    #[must_use]
    pub fn without_angle(&self) -> Self {
        Self::of(|i| if i == ANGLE { Rational::ZERO } else { self.0[i].clone() })
    }

    /// That of a length.
    #[must_use]
    pub fn length() -> Self {
        Self::base(1)
    }

    fn base(index: usize) -> Self {
        Self::of(|i| if i == index { Rational::ONE } else { Rational::ZERO })
    }

    /// Is it that of a plain number (or an angle)?
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0[..ANGLE].iter().all(Rational::is_zero)
    }

    /// How often the radian is a factor.
    fn angle_power(&self) -> &Rational {
        &self.0[ANGLE]
    }

    /// `self * other^exponent`
    #[must_use]
    pub fn times(&self, other: &Self, exponent: &Rational) -> Self {
        Self::of(|i| &self.0[i] + &(&other.0[i] * exponent))
    }

    /// The base units in it, each with its exponent.
    pub fn powers(&self) -> impl Iterator<Item = (&'static str, &Rational)> {
        BASE.into_iter().zip(self.0.iter()).filter(|(_, power)| !power.is_zero())
    }

    /// That of a rate: divided by time.
    #[must_use]
    pub fn per_time(&self) -> Self {
        self.times(&Self::time(), &Rational::MINUS_ONE)
    }
}

/// Derived units as they are shown, with the exponents of kg, m, s, A.
const SHOWN: &[(&str, [i64; 4])] = &[
    ("N", [1, 1, -2, 0]),
    ("J", [1, 2, -2, 0]),
    ("W", [1, 2, -3, 0]),
    ("Pa", [1, -1, -2, 0]),
    ("N/m", [1, 0, -2, 0]),
    ("N*s/m", [1, 0, -1, 0]),
    ("N*s^2/m^2", [1, -1, 0, 0]),
    ("N*m^2", [1, 3, -2, 0]),
    ("C", [0, 0, 1, 1]),
    ("V", [1, 2, -3, -1]),
    ("F", [-1, -2, 4, 2]),
    ("ohm", [1, 2, -3, -2]),
    ("H", [1, 2, -2, -2]),
    ("T", [1, 0, -2, -1]),
    ("Wb", [1, 2, -2, -1]),
];

impl Dimension {
    /// The name of a derived unit of this dimension. An energy for an angle is a moment: `N*m`.
    fn derived(&self) -> Option<&'static str> {
        let same = |powers: &[i64; 4]| {
            let exponent = |i: usize| Rational::from(powers.get(i).copied().unwrap_or(0));
            (0..ANGLE).all(|i| self.0[i] == exponent(i))
        };
        let (name, _) = SHOWN.iter().find(|(_, powers)| same(powers))?;
        Some(if *name == "J" && *self.angle_power() == Rational::MINUS_ONE { "N*m" } else { name })
    }

    /// Is it an angle, or an angle over a power of time? Then the radian is shown.
    fn turns(&self) -> bool {
        self.angle_power().is_one() && (0..ANGLE).all(|i| i == 2 || self.0[i].is_zero())
    }
}

/// As a reader expects it, and as it can be written in braces: `N`, `N/m`, `kg*m^2`, `rad/s`, `1/s`; `1` for a number.
impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = self.derived() {
            return f.write_str(name);
        }
        let spell = |name: &str, p: &Rational| match (p.is_one(), p.is_integer()) {
            (true, _) => name.to_owned(),
            (false, true) => format!("{name}^{p}"),
            (false, false) => format!("{name}^({p})"),
        };
        let (mut above, mut below) = (Vec::new(), Vec::new());
        if self.turns() {
            above.push("rad".to_owned());
        }
        for (name, power) in self.powers() {
            match power.is_negative() {
                true => below.push(spell(name, &-power)),
                false => above.push(spell(name, power)),
            }
        }
        let above = if above.is_empty() { "1".to_owned() } else { above.join("*") };
        match below.as_slice() {
            [] => f.write_str(&above),
            [one] => write!(f, "{above}/{one}"),
            many => write!(f, "{above}/({})", many.join("*")),
        }
    }
}

impl UnitInfo {
    /// The unit of a product `self * other^exponent`.
    #[must_use]
    pub fn times(&self, other: &UnitInfo, exponent: &Rational) -> UnitInfo {
        match (self, other) {
            (UnitInfo::Missing, _) | (_, UnitInfo::Missing) => UnitInfo::Missing,
            (UnitInfo::Number, UnitInfo::Number) => UnitInfo::Number,
            (UnitInfo::Known(a), UnitInfo::Number) => UnitInfo::Known(a.clone()),
            (UnitInfo::Number, UnitInfo::Known(b)) => UnitInfo::Known(Dimension::none().times(b, exponent)),
            (UnitInfo::Known(a), UnitInfo::Known(b)) => UnitInfo::Known(a.times(b, exponent)),
        }
    }

    /// The unit of a rate.
    #[must_use]
    pub fn per_time(&self) -> UnitInfo {
        match self {
            UnitInfo::Known(d) => UnitInfo::Known(d.per_time()),
            other => other.clone(),
        }
    }

    /// The unit of a sum, or the two dimensions that do not agree.
    pub fn plus(&self, other: &UnitInfo) -> Result<UnitInfo, Box<(Dimension, Dimension)>> {
        match (self, other) {
            (UnitInfo::Known(a), UnitInfo::Known(b)) if a != b => Err(Box::new((a.clone(), b.clone()))),
            (UnitInfo::Missing, _) | (_, UnitInfo::Missing) => Ok(UnitInfo::Missing),
            (UnitInfo::Number, known) => Ok(known.clone()),
            // What one of them knows about angles holds for the sum.
            (UnitInfo::Known(a), UnitInfo::Known(b)) if a.angle_power().is_zero() => {
                Ok(UnitInfo::Known(b.clone()))
            }
            (known, _) => Ok(known.clone()),
        }
    }

    /// Without what is known about angles in it: that of a function of an angle.
    #[must_use]
    pub fn without_angle(&self) -> UnitInfo {
        match self {
            UnitInfo::Known(d) => UnitInfo::Known(d.without_angle()),
            other => other.clone(),
        }
    }

    /// The unit as it is shown; `None` where nothing is known or there is none to show.
    #[must_use]
    pub fn shown(&self) -> Option<String> {
        match self {
            UnitInfo::Known(d) => Some(d.to_string()).filter(|text| text != "1"),
            UnitInfo::Missing | UnitInfo::Number => None,
        }
    }
}

/// Name, size as a fraction, power of pi, exponents.
type Plain = (&'static str, (i64, i64), i64, [i64; 7]);

/// Units by name: factor to SI as a fraction, power of pi, exponents of kg, m, s, A, K, mol, cd.
const TABLE: &[Plain] = &[
    ("rad", (1, 1), 0, [0; 7]),
    ("deg", (1, 180), 1, [0; 7]),
    ("rev", (2, 1), 1, [0; 7]),
    ("sr", (1, 1), 0, [0; 7]),
    ("min", (60, 1), 0, [0, 0, 1, 0, 0, 0, 0]),
    ("h", (3600, 1), 0, [0, 0, 1, 0, 0, 0, 0]),
    ("day", (86_400, 1), 0, [0, 0, 1, 0, 0, 0, 0]),
    ("rpm", (1, 30), 1, [0, 0, -1, 0, 0, 0, 0]),
    ("t", (1000, 1), 0, [1, 0, 0, 0, 0, 0, 0]),
    ("ft", (381, 1250), 0, [0, 1, 0, 0, 0, 0, 0]),
    ("in", (127, 5000), 0, [0, 1, 0, 0, 0, 0, 0]),
    ("lb", (45_359_237, 100_000_000), 0, [1, 0, 0, 0, 0, 0, 0]),
    ("lbf", (44_482_216_152_605, 10_000_000_000_000), 0, [1, 1, -2, 0, 0, 0, 0]),
];

/// Units that take a prefix, with the same columns.
const PREFIXED: &[(&str, (i64, i64), [i64; 7])] = &[
    ("m", (1, 1), [0, 1, 0, 0, 0, 0, 0]),
    ("g", (1, 1000), [1, 0, 0, 0, 0, 0, 0]),
    ("s", (1, 1), [0, 0, 1, 0, 0, 0, 0]),
    ("A", (1, 1), [0, 0, 0, 1, 0, 0, 0]),
    ("K", (1, 1), [0, 0, 0, 0, 1, 0, 0]),
    ("mol", (1, 1), [0, 0, 0, 0, 0, 1, 0]),
    ("cd", (1, 1), [0, 0, 0, 0, 0, 0, 1]),
    ("Hz", (1, 1), [0, 0, -1, 0, 0, 0, 0]),
    ("N", (1, 1), [1, 1, -2, 0, 0, 0, 0]),
    ("J", (1, 1), [1, 2, -2, 0, 0, 0, 0]),
    ("W", (1, 1), [1, 2, -3, 0, 0, 0, 0]),
    ("Pa", (1, 1), [1, -1, -2, 0, 0, 0, 0]),
    ("C", (1, 1), [0, 0, 1, 1, 0, 0, 0]),
    ("V", (1, 1), [1, 2, -3, -1, 0, 0, 0]),
    ("F", (1, 1), [-1, -2, 4, 2, 0, 0, 0]),
    ("ohm", (1, 1), [1, 2, -3, -2, 0, 0, 0]),
    ("H", (1, 1), [1, 2, -2, -2, 0, 0, 0]),
    ("T", (1, 1), [1, 0, -2, -1, 0, 0, 0]),
    ("Wb", (1, 1), [1, 2, -2, -1, 0, 0, 0]),
];

const PREFIXES: &[(&str, i64)] = &[
    ("", 0),
    ("n", -9),
    ("u", -6),
    ("µ", -6),
    ("μ", -6),
    ("m", -3),
    ("c", -2),
    ("d", -1),
    ("k", 3),
    ("M", 6),
    ("G", 9),
];

fn lookup(name: &str) -> Option<Unit> {
    let turns = ["rad", "deg", "rev", "rpm"].contains(&name);
    let dimension = |exponents: &[i64; 7]| {
        Dimension::of(|i| exponents.get(i).map_or(Rational::from(i64::from(turns)), |e| (*e).into()))
    };
    if let Some((_, (n, d), pi_power, exponents)) = TABLE.iter().find(|(unit, ..)| *unit == name) {
        let factor = Rational::new(*n, *d)?;
        return Some(Unit { dimension: dimension(exponents), factor, pi_power: *pi_power });
    }
    PREFIXES.iter().find_map(|(prefix, power)| {
        let stem = name.strip_prefix(prefix)?;
        let (_, (n, d), exponents) = PREFIXED.iter().find(|(unit, ..)| *unit == stem)?;
        let factor = &Rational::new(*n, *d)? * &Rational::from(10).powi(*power)?;
        Some(Unit { dimension: dimension(exponents), factor, pi_power: 0 })
    })
}

/// Units that are worth offering: those without prefixes, and the prefixed ones of everyday use.
pub fn names() -> impl Iterator<Item = &'static str> {
    let plain = PREFIXED.iter().map(|row| row.0);
    ["kg", "mm", "cm", "km", "ms", "kN", "MPa", "kHz"]
        .into_iter()
        .chain(plain)
        .chain(TABLE.iter().map(|row| row.0))
}

/// A unit by its size in coherent SI units, as in `0.01 m`; `None` if it is unknown.
///
/// ```
/// use dalembert_syntax::units::describe;
/// assert_eq!(describe("cm").unwrap(), "1/100 m");
/// assert_eq!(describe("deg").unwrap(), "1/180 pi");
/// ```
pub fn describe(name: &str) -> Option<String> {
    let Unit { dimension, factor, pi_power } = lookup(name)?;
    let mut parts = vec![factor.to_string()];
    parts.extend((pi_power != 0).then(|| "pi".to_owned()));
    parts.extend((!dimension.is_none()).then(|| dimension.to_string()));
    Some(parts.join(" "))
}

/// The unit that was written in braces.
pub fn read(unit: &UnitAst) -> Result<Unit, Box<Diagnostic>> {
    let one = Unit { dimension: Dimension::none(), factor: Rational::ONE, pi_power: 0 };
    match &unit.kind {
        UnitKind::One => Ok(one),
        UnitKind::Name(name) => lookup(name).ok_or_else(|| Box::new(unknown_unit(unit, name))),
        UnitKind::Power(base, e) => {
            let base = read(base)?;
            let exponent = Rational::new(e.numerator.into(), e.denominator.into()).unwrap_or(Rational::ONE);
            power(&one, &base, &exponent).ok_or_else(|| Box::new(awkward_power(unit)))
        }
        UnitKind::Product(factors) => factors.iter().try_fold(one, |acc, f| {
            let exponent = if f.divide { Rational::MINUS_ONE } else { Rational::ONE };
            let factor = read(&f.unit)?;
            power(&acc, &factor, &exponent).ok_or_else(|| Box::new(awkward_power(unit)))
        }),
    }
}

/// `acc * unit^exponent`; `None` where the size would not be exact.
fn power(acc: &Unit, unit: &Unit, exponent: &Rational) -> Option<Unit> {
    let size = match exponent.to_i64() {
        Some(n) => (unit.factor.powi(n)?, unit.pi_power.checked_mul(n)?),
        None if unit.factor.is_one() && unit.pi_power == 0 => (Rational::ONE, 0),
        None => return None,
    };
    Some(Unit {
        dimension: acc.dimension.times(&unit.dimension, exponent),
        factor: &acc.factor * &size.0,
        pi_power: acc.pi_power.checked_add(size.1)?,
    })
}

/// The sign of a unit that is spelled out: `deg` for `degrees`.
pub fn spelled_out(name: &str) -> Option<&'static str> {
    const NAMES: [(&str, &str); 15] = [
        ("degree", "deg"),
        ("radian", "rad"),
        ("meter", "m"),
        ("metre", "m"),
        ("centimeter", "cm"),
        ("millimeter", "mm"),
        ("second", "s"),
        ("sec", "s"),
        ("minute", "min"),
        ("kilogram", "kg"),
        ("gram", "g"),
        ("newton", "N"),
        ("joule", "J"),
        ("watt", "W"),
        ("hertz", "Hz"),
    ];
    let lower = name.to_lowercase();
    let single = lower.strip_suffix('s').unwrap_or(&lower);
    NAMES.iter().find(|(long, _)| *long == lower || *long == single).map(|(_, sign)| *sign)
}

fn unknown_unit(unit: &UnitAst, name: &str) -> Diagnostic {
    let known =
        TABLE.iter().map(|row| row.0).chain(PREFIXED.iter().map(|row| row.0)).chain(["kg", "mm", "cm", "km"]);
    let diagnostic = Diagnostic::error(Code::UnknownUnit, unit.span, format!("unknown unit `{name}`"));
    match spelled_out(name).or_else(|| nearest(name, known)) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic.help("SI units and a few others are known: m, kg, s, N, J, rad, deg, rpm, with prefixes n u m c d k M G"),
    }
}

fn awkward_power(unit: &UnitAst) -> Diagnostic {
    Diagnostic::error(Code::BadUnit, unit.span, "this power of a unit has no exact size")
        .help("use the coherent unit (m, kg, s) under a root")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::StatementKind;
    use crate::parser::parse;
    use crate::source::Source;

    #[test]
    fn prefixes_and_derived_units() {
        let newton = lookup("N").unwrap();
        assert_eq!(newton.dimension.to_string(), "N");
        assert_eq!(lookup("kg").unwrap().factor, Rational::ONE);
        assert_eq!(lookup("mm").unwrap().factor, Rational::new(1, 1000).unwrap());
        assert_eq!(lookup("kN").unwrap().factor, Rational::from(1000));
        assert_eq!(lookup("min").unwrap().factor, Rational::from(60));
        assert!(lookup("furlong").is_none());
    }

    /// What is shown can be written in braces, and means the same there.
    #[test]
    fn shown_units_read_back() {
        let known = names().filter_map(lookup).map(|unit| unit.dimension).collect::<Vec<_>>();
        let powers = [-2, -1, 1, 2].map(Rational::from);
        for (a, b) in known.iter().flat_map(|a| known.iter().map(move |b| (a, b))) {
            for power in &powers {
                let dimension = a.times(b, power);
                let source = Source::new("unit", format!("parameter k = 1 {{{dimension}}}"));
                let (ast, diagnostics) = parse(&source);
                assert!(diagnostics.is_empty(), "{dimension}");
                let StatementKind::Parameter(list) = &ast.body.statements[0].kind else {
                    panic!("{dimension}")
                };
                let read = read(list[0].unit.as_ref().expect("a unit was written")).expect("it is known");
                assert_eq!(read.dimension, dimension, "{dimension}");
                assert_eq!(read.factor, Rational::ONE, "{dimension}");
            }
        }
    }

    #[test]
    fn units_as_engineers_write_them() {
        let product = |parts: &[(&str, i64)]| {
            let start = Dimension::none();
            let all = parts.iter().filter_map(|(name, power)| Some((lookup(name)?, Rational::from(*power))));
            all.fold(start, |acc, (unit, power)| acc.times(&unit.dimension, &power)).to_string()
        };
        assert_eq!(product(&[("kg", 1), ("m", 1), ("s", -2)]), "N");
        assert_eq!(product(&[("kg", 1), ("s", -2)]), "N/m");
        assert_eq!(product(&[("J", 1), ("rad", -1)]), "N*m");
        assert_eq!(product(&[("J", 1), ("s", -1)]), "W");
        assert_eq!(product(&[("deg", 1), ("s", -1)]), "rad/s");
        assert_eq!(product(&[("rad", 1), ("m", 1)]), "m");
        assert_eq!(product(&[("s", -1)]), "1/s");
        assert_eq!(product(&[("kg", 1), ("m", -1), ("s", -1)]), "kg/(m*s)");
        assert_eq!(product(&[("rad", 1)]), "rad");
    }
}
