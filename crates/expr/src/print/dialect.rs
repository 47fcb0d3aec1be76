//! The three dialects.

use super::Bind;
use crate::function::Function;
use crate::rational::Rational;

/// In which language to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The model language itself.
    Text,
    /// LaTeX mathematics.
    Latex,
    /// Python, readable by SymPy.
    Python,
}

impl Format {
    pub(super) fn dialect(self) -> &'static dyn Dialect {
        match self {
            Format::Text => &Text,
            Format::Latex => &Latex,
            Format::Python => &Python,
        }
    }
}

/// How pieces of an expression are spelt.
pub(super) trait Dialect {
    fn name(&self, name: &str) -> String;
    /// The number, and whether it is spelt as a fraction.
    fn number(&self, r: &Rational) -> (String, bool);
    /// A positive coefficient as something above and something below the line; 1 is not written.
    fn split_coefficient(&self, r: &Rational) -> (Option<String>, Option<String>) {
        match r.to_fraction() {
            Some((n, d)) => ((n != 1).then(|| n.to_string()), (d != 1).then(|| d.to_string())),
            None => (Some(self.brackets(&r.to_string())), None),
        }
    }
    fn pi(&self) -> String {
        "pi".into()
    }
    fn times(&self) -> &'static str {
        "*"
    }
    fn brackets(&self, inner: &str) -> String {
        format!("({inner})")
    }
    fn root(&self, inner: &str) -> String {
        format!("sqrt({inner})")
    }
    /// Whether the line of a fraction separates what is above and below, so that a lone factor needs no brackets.
    fn line_separates(&self) -> bool {
        false
    }
    fn fraction(&self, above: &str, below: &str, n_below: usize) -> String {
        let above = if above.is_empty() { "1" } else { above };
        match n_below {
            0 => above.to_string(),
            1 => format!("{above}/{below}"),
            _ => format!("{above}/({below})"),
        }
    }
    fn power(&self, base: &str, exponent: &str, plain: bool) -> String;
    /// `sin^2(x)`, where the dialect writes powers of functions so.
    fn function_power(&self, _call: &str, _exponent: &str) -> Option<String> {
        None
    }
    fn call(&self, f: Function, args: &[String]) -> (String, Bind);
}

/// A name of the model language taken apart: `lambda_pin[1,-2].x''` has the stem `lambda_pin`, the subscripts `1`, `-2`
/// and `x` (indices and components, in their order) and two primes. Every dialect spells names from these parts.
struct NameParts<'n> {
    stem: &'n str,
    subscripts: Vec<&'n str>,
    primes: usize,
}

impl<'n> NameParts<'n> {
    fn of(name: &'n str) -> Self {
        let (stem, rest) = name.split_at(name.find(['[', '.', '\'']).unwrap_or(name.len()));
        let pieces = rest.split(|c: char| matches!(c, '[' | ']' | ',' | '.' | '\'') || c.is_whitespace());
        NameParts {
            stem,
            subscripts: pieces.filter(|piece| !piece.is_empty()).collect(),
            primes: rest.matches('\'').count(),
        }
    }
}

/// The name whose virtual displacement a name such as `delta(q)` is.
fn displaced(name: &str) -> Option<&str> {
    name.strip_prefix("delta(")?.strip_suffix(')')
}

/// A decimal where it is exact and short, else a fraction.
fn decimal(r: &Rational) -> Option<String> {
    if r.is_integer() {
        return Some(r.to_string());
    }
    let value = r.to_f64();
    let text = format!("{value}");
    let exact =
        text.len() <= 12 && Rational::from_decimal(text.trim_start_matches('-')).as_ref() == Some(&r.abs());
    exact.then_some(text)
}

struct Text;
struct Latex;
struct Python;

impl Dialect for Text {
    fn name(&self, name: &str) -> String {
        name.to_string()
    }
    fn number(&self, r: &Rational) -> (String, bool) {
        decimal(r).map_or_else(|| (r.to_string(), true), |text| (text, false))
    }
    fn split_coefficient(&self, r: &Rational) -> (Option<String>, Option<String>) {
        // 1/2 reads better below the line, 9.81 above it.
        match r.to_fraction() {
            Some((n, d)) if d <= 16 => ((n != 1).then(|| n.to_string()), (d != 1).then(|| d.to_string())),
            _ => match decimal(r) {
                Some(text) => (Some(text), None),
                None => (Some(self.brackets(&r.to_string())), None),
            },
        }
    }
    fn power(&self, base: &str, exponent: &str, plain: bool) -> String {
        if plain { format!("{base}^{exponent}") } else { format!("{base}^({exponent})") }
    }
    fn call(&self, f: Function, args: &[String]) -> (String, Bind) {
        match (f, args) {
            (Function::Select, [c, a, b]) => (format!("if {c} then {a} else {b}"), Bind::Choice),
            (Function::Not, [a]) => (format!("not {a}"), Bind::Choice),
            (Function::And | Function::Or, [a, b]) => (format!("{a} {} {b}", f.name()), Bind::Choice),
            (Function::Less | Function::LessEqual | Function::Equal, [a, b]) => {
                (format!("{a} {} {b}", f.name()), Bind::Compare)
            }
            _ => (format!("{}({})", f.name(), args.join(", ")), Bind::Atom),
        }
    }
}

const GREEK: &[&str] = &[
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
    "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta",
    "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega",
];

/// The letters themselves, in the order of [`GREEK`].
const GREEK_LETTERS: &str = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ";

/// Short names by which Greek letters often go.
const GREEK_SHORT: &[(&str, &str)] =
    &[("th", "theta"), ("om", "omega"), ("Om", "Omega"), ("ph", "phi"), ("eps", "varepsilon")];

/// The command for a Greek letter, by its name or itself.
fn greek(letters: &str) -> Option<String> {
    let mut alone = letters.chars();
    let place = match (alone.next(), alone.next()) {
        (Some(c), None) => GREEK_LETTERS.chars().position(|g| g == c),
        _ => GREEK.iter().position(|g| *g == letters),
    };
    place.map(|k| format!("\\{}", GREEK[k]))
}

/// A stem as one LaTeX symbol, and what is left of it for the subscript.
fn latex_stem(stem: &str) -> (String, String) {
    let split = stem.find(|c: char| c.is_ascii_digit() || c == '_').unwrap_or(stem.len());
    let (letters, rest) = stem.split_at(split);
    let rest = rest.trim_matches('_').replace('_', ",");
    if let Some(greek) = greek(letters) {
        return (greek, rest);
    }
    if let Some((_, greek)) = GREEK_SHORT.iter().find(|(short, _)| *short == letters) {
        return (format!("\\{greek}"), rest);
    }
    match letters.chars().count() {
        0 => (format!("\\mathrm{{{stem}}}"), String::new()),
        1 => (letters.to_string(), rest),
        _ => (format!("\\mathrm{{{letters}}}"), rest),
    }
}

/// A word in a subscript stands upright; Greek letters, single letters and numbers stay as they are.
fn upright(part: &str) -> String {
    if let Some(greek) = greek(part) {
        return greek;
    }
    let word = part.chars().any(char::is_alphabetic) && part.chars().count() > 1;
    if word { format!("\\mathrm{{{part}}}") } else { part.to_string() }
}

impl Dialect for Latex {
    fn name(&self, name: &str) -> String {
        if let Some(inner) = displaced(name) {
            return format!("\\delta {}", self.name(inner));
        }
        let NameParts { stem, subscripts, primes } = NameParts::of(name);
        let (mut symbol, subscript) = latex_stem(stem);
        symbol = match primes {
            0 => symbol,
            1 => format!("\\dot{{{symbol}}}"),
            2 => format!("\\ddot{{{symbol}}}"),
            n => format!("{symbol}^{{({n})}}"),
        };
        let parts = subscript.split(',').filter(|s| !s.is_empty()).chain(subscripts);
        let subscript = parts.map(upright).collect::<Vec<_>>().join(",");
        if subscript.is_empty() { symbol } else { format!("{symbol}_{{{subscript}}}") }
    }
    fn number(&self, r: &Rational) -> (String, bool) {
        match (decimal(r), r.to_fraction()) {
            (_, Some((n, d))) if d != 1 && d <= 16 => {
                let sign = if n < 0 { "-" } else { "" };
                (format!("{sign}\\frac{{{}}}{{{d}}}", n.unsigned_abs()), false)
            }
            (Some(text), _) => (text, false),
            _ => (r.to_string(), true),
        }
    }
    fn split_coefficient(&self, r: &Rational) -> (Option<String>, Option<String>) {
        Text.split_coefficient(r)
    }
    fn pi(&self) -> String {
        "\\pi".into()
    }
    fn times(&self) -> &'static str {
        " \\, "
    }
    fn brackets(&self, inner: &str) -> String {
        format!("\\left({inner}\\right)")
    }
    fn root(&self, inner: &str) -> String {
        format!("\\sqrt{{{inner}}}")
    }
    fn line_separates(&self) -> bool {
        true
    }
    fn fraction(&self, above: &str, below: &str, n_below: usize) -> String {
        let above = if above.is_empty() { "1" } else { above };
        if n_below == 0 { above.to_string() } else { format!("\\frac{{{above}}}{{{below}}}") }
    }
    fn power(&self, base: &str, exponent: &str, _plain: bool) -> String {
        format!("{base}^{{{exponent}}}")
    }
    fn function_power(&self, call: &str, exponent: &str) -> Option<String> {
        let named = ["\\sin", "\\cos", "\\tan", "\\sinh", "\\cosh", "\\tanh"];
        let (head, rest) = call.split_once("\\left(")?;
        named.contains(&head).then(|| format!("{head}^{{{exponent}}}\\left({rest}"))
    }
    fn call(&self, f: Function, args: &[String]) -> (String, Bind) {
        match (f, args) {
            (Function::Select, [c, a, b]) => {
                let cases =
                    format!("\\begin{{cases}} {a} & {c} \\\\ {b} & \\text{{otherwise}} \\end{{cases}}");
                (cases, Bind::Atom)
            }
            (Function::Abs, [a]) => (format!("\\left|{a}\\right|"), Bind::Atom),
            (Function::Exp, [a]) => (format!("e^{{{a}}}"), Bind::Power),
            (Function::Not, [a]) => (format!("\\lnot {a}"), Bind::Choice),
            (Function::And | Function::Or, [a, b]) => (format!("{a} {} {b}", f.latex()), Bind::Choice),
            (Function::Less | Function::LessEqual | Function::Equal, [a, b]) => {
                (format!("{a} {} {b}", f.latex()), Bind::Compare)
            }
            _ => (format!("{}\\left({}\\right)", f.latex(), args.join(", ")), Bind::Atom),
        }
    }
}

/// Words that cannot be names in Python, and those of SymPy that the equations themselves need.
const PYTHON_KEYWORDS: &[&str] = &[
    "Symbol",
    "Matrix",
    "Eq",
    "Rational",
    "Piecewise",
    "Lt",
    "Le",
    "And",
    "Or",
    "Not",
    "Min",
    "Max",
    "Abs",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "class",
    "continue",
    "def",
    "del",
    "elif",
    "else",
    "except",
    "finally",
    "for",
    "from",
    "global",
    "if",
    "import",
    "in",
    "is",
    "lambda",
    "nonlocal",
    "not",
    "or",
    "pass",
    "raise",
    "return",
    "try",
    "while",
    "with",
    "yield",
    "None",
    "True",
    "False",
];

impl Dialect for Python {
    fn name(&self, name: &str) -> String {
        if let Some(inner) = displaced(name) {
            return format!("delta_{}", self.name(inner));
        }
        let NameParts { stem, subscripts, primes } = NameParts::of(name);
        let letter = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '_' };
        let mut result: String = stem.chars().map(letter).collect();
        for subscript in subscripts {
            result.push('_');
            result.extend(subscript.replace('-', "m").chars().map(letter));
        }
        if primes > 0 {
            result.push('_');
            result.extend(std::iter::repeat_n('d', primes));
            result.push_str("ot");
        }
        if PYTHON_KEYWORDS.contains(&result.as_str()) {
            result.push('_');
        }
        result
    }
    fn number(&self, r: &Rational) -> (String, bool) {
        // SymPy keeps n/d exact when the whole expression is read by sympify; as a script, Rational does.
        match r.is_integer() {
            true => (r.to_string(), false),
            false => (
                format!(
                    "{}Rational({})",
                    if r.is_negative() { "-" } else { "" },
                    r.abs().to_string().replace('/', ", ")
                ),
                false,
            ),
        }
    }
    fn power(&self, base: &str, exponent: &str, plain: bool) -> String {
        if plain { format!("{base}**{exponent}") } else { format!("{base}**({exponent})") }
    }
    fn call(&self, f: Function, args: &[String]) -> (String, Bind) {
        let name = match f {
            Function::Select => {
                let [c, a, b] = args else { return (String::new(), Bind::Atom) };
                return (format!("Piecewise(({a}, {c}), ({b}, True))"), Bind::Atom);
            }
            Function::Less => "Lt",
            Function::LessEqual => "Le",
            Function::Equal => "Eq",
            Function::And => "And",
            Function::Or => "Or",
            Function::Not => "Not",
            Function::Min => "Min",
            Function::Max => "Max",
            Function::Abs => "Abs",
            _ => f.name(),
        };
        (format!("{name}({})", args.join(", ")), Bind::Atom)
    }
}
