//! A module of Rust. Its mathematics stands in one place, so that it can be replaced where there is no `std`.

use super::block::Item;
use super::language::{COUNTS, Language, literal, rows_of_eight, usual};
use super::outline::{CODES, Outline};
use dalembert_tape::Op;
use std::fmt::Write;

const RUNTIME: &str = include_str!("../assets/code/runtime.rs");
const SADDLE: &str = include_str!("../assets/code/saddle.rs");
const MOTION: &str = include_str!("../assets/code/motion.rs");

struct Rust;

impl Language for Rust {
    fn number(&self, value: f64) -> String {
        match value {
            v if v.is_nan() => "f64::NAN".to_owned(),
            f64::INFINITY => "f64::INFINITY".to_owned(),
            f64::NEG_INFINITY => "f64::NEG_INFINITY".to_owned(),
            v => literal(v),
        }
    }

    fn function(&self, op: Op) -> String {
        format!("math::{}", usual(op))
    }

    fn choose(&self, condition: &str, then: &str, otherwise: &str) -> String {
        format!("if {condition} {{ {then} }} else {{ {otherwise} }}")
    }

    fn define(&self, name: &str, value: &str) -> String {
        format!("const {name}: f64 = {value};")
    }

    fn bind(&self, name: &str, value: &str) -> String {
        format!("let {name}: f64 = {value};")
    }

    fn entry(&self, array: &str, index: usize) -> String {
        format!("{array}[{index}]")
    }

    fn stretch(&self, name: &str, knots: &str, _count: usize, place: &str) -> String {
        format!("let {name} = stretch(&{}, {place});", knots.to_uppercase())
    }

    fn on_stretch(&self, column: &str, name: &str) -> String {
        format!("{}[{name}]", column.to_uppercase())
    }
}

/// The mathematics it needs: functions of the C library, which `std` links and toolchains without it bring along.
const MATH: &str = "\
/// Functions of the mathematical library. They are declared, not imported, so that this file needs no `std`.
mod math {
    mod c {
        unsafe extern \"C\" {
            pub safe fn sqrt(x: f64) -> f64;
            pub safe fn sin(x: f64) -> f64;
            pub safe fn cos(x: f64) -> f64;
            pub safe fn tan(x: f64) -> f64;
            pub safe fn asin(x: f64) -> f64;
            pub safe fn acos(x: f64) -> f64;
            pub safe fn atan(x: f64) -> f64;
            pub safe fn sinh(x: f64) -> f64;
            pub safe fn cosh(x: f64) -> f64;
            pub safe fn tanh(x: f64) -> f64;
            pub safe fn asinh(x: f64) -> f64;
            pub safe fn acosh(x: f64) -> f64;
            pub safe fn atanh(x: f64) -> f64;
            pub safe fn floor(x: f64) -> f64;
            pub safe fn exp(x: f64) -> f64;
            pub safe fn log(x: f64) -> f64;
            pub safe fn fabs(x: f64) -> f64;
            pub safe fn pow(x: f64, y: f64) -> f64;
            pub safe fn atan2(y: f64, x: f64) -> f64;
            pub safe fn hypot(x: f64, y: f64) -> f64;
        }
    }
    pub use c::{atan2, fabs as abs, hypot, pow};
    pub use c::{acos, acosh, asin, asinh, atan, atanh, cos, cosh, exp, floor, log, sin, sinh, sqrt, tan, tanh};
    pub fn sign(x: f64) -> f64 { if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x } }
    pub fn smaller(x: f64, y: f64) -> f64 { if x < y || x.is_nan() { x } else { y } }
    pub fn larger(x: f64, y: f64) -> f64 { if x > y || x.is_nan() { x } else { y } }
}

";

const LOOK_UP: &str = "
/// The stretch of x: before the first of the knots, or from one on; by bisection.
fn stretch(knots: &[f64], x: f64) -> usize {
    if x.is_nan() { knots.len() + 1 } else { knots.partition_point(|knot| *knot <= x) }
}

";

/// The whole file.
pub fn write(outline: &Outline) -> String {
    let mut out = String::new();
    for line in outline.preface() {
        let _ = writeln!(out, "//! {line}");
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    let _ = writeln!(
        out,
        "//!\n//! A call takes about {} bytes of the stack. Put this file beside others of a crate and say `mod {};`.\n\
         #![allow(non_snake_case, dead_code, unused_imports, unused_variables, clippy::all)]\n",
        outline.workspace(),
        outline.name
    );
    declarations(outline, &mut out);
    out.push_str(MATH);
    let lookups_before = out.len();
    blocks(outline, &mut out);
    let lookups = lookups(outline, &out);
    out.insert_str(lookups_before, &lookups);
    out.push_str(RUNTIME);
    out.push_str(SADDLE);
    out.push_str(MOTION);
    outline.fit(&out, "//")
}

/// What the text looks up, and how.
fn lookups(outline: &Outline, text: &str) -> String {
    let mut out = String::new();
    for (array, values) in outline.lookup_arrays(|array| text.contains(&array.to_uppercase())) {
        let values: Vec<String> = values.iter().map(|v| Rust.number(*v)).collect();
        let (array, count) = (array.to_uppercase(), values.len());
        let _ = writeln!(out, "static {array}: [f64; {count}] = [\n    {},\n];", rows_of_eight(&values));
    }
    if !out.is_empty() {
        out.push_str(LOOK_UP);
    }
    out
}

fn declarations(outline: &Outline, out: &mut String) {
    let s = &outline.shape;
    let np = outline.parameters.len();
    let constants = [
        ("NX", s.n_x, "coordinates"),
        ("N", s.n_eta, "speeds"),
        ("ROWS", s.n_con, "constraint rows"),
        ("NP", np, "parameters"),
        ("NU", s.n_input, "control inputs"),
        ("REQUIREMENTS", s.n_require, "requirement rows"),
    ];
    for (name, value, meaning) in constants {
        let _ = writeln!(out, "/// Number of {meaning}.\npub const {name}: usize = {value};");
    }
    for (name, meaning, count) in COUNTS {
        let _ = writeln!(out, "// {meaning}\nconst {name}: u64 = {count};");
    }
    let _ = writeln!(out, "const CELLS: usize = {};", outline.cells());
    let _ = writeln!(out, "const LONGEST: usize = {};", outline.longest());
    out.push_str(&Rust.tolerances(outline.control.is_some(), |meaning| format!("// {meaning}")));
    if outline.control.is_some() {
        let _ = writeln!(out, "// corrections of the inputs\nconst TURNS: usize = {};", outline.turns());
    }
    let values: Vec<String> = outline.values.iter().map(|v| Rust.number(*v)).collect();
    let _ = writeln!(
        out,
        "\n/// Parameters as the model has them.\npub const PARAMETERS: [f64; NP] = [{}];",
        values.join(", ")
    );
    let lists: [(&str, &[Item]); 5] = [
        ("COORDINATE_NAMES", &outline.coordinates),
        ("SPEED_NAMES", &outline.speeds),
        ("PARAMETER_NAMES", &outline.parameters),
        ("ROW_NAMES", &outline.rows),
        ("INPUT_NAMES", &outline.inputs),
    ];
    for (name, items) in lists {
        let quoted: Vec<String> = items.iter().map(|i| format!("\"{}\"", i.name)).collect();
        let _ = writeln!(out, "pub const {name}: [&str; {}] = [{}];", items.len(), quoted.join(", "));
    }
    out.push_str(
        "\n/// Accelerations and forces at one state.\n#[derive(Clone, Copy, Debug, PartialEq)]\npub struct Motion {\n",
    );
    let fields = [
        ("x_dot", "NX", "Rates of the coordinates (K1)."),
        ("eta_dot", "N", "Accelerations (U1)."),
        ("ideal", "N", "Ideal constraint force (U2)."),
        ("nonideal", "N", "Non-ideal constraint force (U3)."),
        ("control", "N", "Control force S u (C1)."),
        ("lambda", "ROWS", "Multipliers, ideal = A^T lambda."),
        ("u", "NU", "Control inputs (C1)."),
    ];
    for (name, size, meaning) in fields {
        let _ = writeln!(out, "    /// {meaning}\n    pub {name}: [f64; {size}],");
    }
    out.push_str("    /// Rank of the constraint rows at this state.\n    pub rank: usize,\n}\n\n");
    out.push_str("/// Why there is no motion at a state.\n#[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub enum Failure {\n");
    for (code, name, meaning) in &CODES[1..] {
        let _ =
            writeln!(out, "    /// {}{}.\n    {name} = {code},", meaning[..1].to_uppercase(), &meaning[1..]);
    }
    out.push_str("}\n\n");
}

/// The tapes as functions.
fn blocks(outline: &Outline, out: &mut String) {
    let inputs = "t_: f64, x_: &[f64; NX], eta_: &[f64; N], p_: &[f64; NP]";
    let array = |name: &str, size: &str| format!("{name}: &mut [f64; {size}]");
    let arrays = |list: &[(&str, &str)]| {
        list.iter().map(|(name, size)| array(name, size)).collect::<Vec<_>>().join(", ")
    };
    let terms = [("x_dot_", "NX"), ("M_", "N * N"), ("Q_", "N"), ("A_", "ROWS * N"), ("b_", "ROWS")];
    let _ = writeln!(
        out,
        "/// x' (K1), M and Q (K2), A and b (K3); the arrays come with zeros.\nfn terms({inputs}, {}) {{",
        arrays(&terms)
    );
    out.push_str(&outline.statements(&outline.terms, &Rust, &terms.map(|t| t.0)));
    out.push_str("}\n\n");
    if let Some(block) = &outline.whole {
        let results =
            [("x_dot_", "NX"), ("eta_dot_", "N"), ("lambda_", "ROWS"), ("ideal_", "N"), ("trusted_", "1")];
        let _ = writeln!(
            out,
            "/// x' and eta' (U1), lambda and A^T lambda (U2) with the solve written out; `trusted_` is 1 where every pivot is far\n\
             /// from zero and the constraints do not cancel nearly all of the acceleration.\nfn whole({inputs}, {}) {{",
            arrays(&results)
        );
        out.push_str(&outline.statements(block, &Rust, &results.map(|t| t.0)));
        out.push_str("}\n\n");
    }
    if let Some(block) = &outline.nonideal {
        let groups: Vec<String> =
            outline.groups.iter().map(|g| format!("({}, {})", g.start, g.end)).collect();
        let (count, groups) = (groups.len(), groups.join(", "));
        let _ = write!(
            out,
            "/// C (K4), which may use multipliers and the sizes of the constraints' forces (U8).\n\
             fn nonideal({inputs}, A_: &[f64; ROWS * N], lambda_: &[f64; ROWS], C_: &mut [f64; N]) {{\n\
             \x20   let mut reaction_ = [0.0_f64; {count}];\n    let groups_: [(usize, usize); {count}] = [{groups}];\n\
             \x20   for (size_, (from_, to_)) in reaction_.iter_mut().zip(groups_) {{\n        for j_ in 0..N {{\n\
             \x20           let sum_ = (from_..to_).fold(0.0, |sum_, i_| sum_ + A_[i_ * N + j_] * lambda_[i_]);\n\
             \x20           *size_ = math::hypot(*size_, sum_);\n        }}\n    }}\n",
        );
        out.push_str(&outline.statements(block, &Rust, &["C_"]));
        out.push_str("}\n\n");
    }
    if let Some(block) = &outline.control {
        let control =
            [("Ac_", "REQUIREMENTS * N"), ("bc_", "REQUIREMENTS"), ("S_", "N * NU"), ("W_", "NU * NU")];
        let _ = writeln!(
            out,
            "/// Requirement rows A_c, b_c, force S of each input, cost W (C1); the arrays come with zeros.\n\
             fn control_terms({inputs}, {}) {{",
            arrays(&control)
        );
        out.push_str(&outline.statements(block, &Rust, &control.map(|t| t.0)));
        out.push_str("}\n\n");
    }
}
