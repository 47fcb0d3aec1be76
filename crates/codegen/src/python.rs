//! A module of Python that imports `math` and nothing else.

use super::block::Item;
use super::language::{COUNTS, Language, literal, rows_of_eight, usual};
use super::outline::{CODES, Outline};
use dalembert_tape::Op;
use std::fmt::Write;

const RUNTIME: &str = include_str!("../assets/code/runtime.py");
const MOTION: &str = include_str!("../assets/code/motion.py");

struct Python;

impl Language for Python {
    fn number(&self, value: f64) -> String {
        match value {
            v if v.is_nan() => "math.nan".to_owned(),
            f64::INFINITY => "math.inf".to_owned(),
            f64::NEG_INFINITY => "(-math.inf)".to_owned(),
            v => literal(v),
        }
    }

    fn function(&self, op: Op) -> String {
        match op {
            // The others have a range, or are written for numbers that are none, in the runtime.
            Op::Atan | Op::Atan2 | Op::Tanh | Op::Asinh => format!("math.{}", usual(op)),
            _ => usual(op).to_owned(),
        }
    }

    fn choose(&self, condition: &str, then: &str, otherwise: &str) -> String {
        format!("{then} if {condition} else {otherwise}")
    }

    fn connectives(&self) -> [&'static str; 2] {
        ["and", "or"]
    }

    fn quotient(&self, a: &str, b: &str) -> String {
        format!("div({a}, {b})")
    }

    fn define(&self, name: &str, value: &str) -> String {
        format!("{name} = {value}")
    }

    fn bind(&self, name: &str, value: &str) -> String {
        format!("{name} = {value}")
    }

    fn entry(&self, array: &str, index: usize) -> String {
        format!("{array}[{index}]")
    }

    fn stretch(&self, name: &str, knots: &str, _count: usize, place: &str) -> String {
        format!("{name} = stretch({}, {place})", knots.to_uppercase())
    }

    fn on_stretch(&self, column: &str, name: &str) -> String {
        format!("{}[{name}]", column.to_uppercase())
    }

    fn store(&self, array: &str, index: usize, value: &str) -> String {
        format!("{array}[{index}] = {value}")
    }
}

const LOOK_UP: &str = "
def stretch(knots, x):
    \"\"\"The stretch of x: before the first of the knots, or from one on; by bisection.\"\"\"
    return len(knots) + 1 if x != x else bisect.bisect_right(knots, x)


";

/// The whole file.
pub fn write(outline: &Outline) -> String {
    let mut out = String::new();
    for line in outline.preface() {
        let _ = writeln!(out, "# {line}");
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    out.push_str(
        "#\n# evaluate(t, x, eta, p=PARAMETERS) gives a dictionary with x_dot, eta_dot, ideal, nonideal, control, lambda, u,\n\
         # rank and code; where code is not 0 all numbers are NaN. See CODES.\n\n",
    );
    out.push_str(if outline.lookups.is_empty() {
        "import math\n\n"
    } else {
        "import bisect\nimport math\n\n"
    });
    constants(outline, &mut out);
    out.push_str(RUNTIME);
    let lookups_before = out.len();
    blocks(outline, &mut out);
    let lookups = lookups(outline, &out);
    out.insert_str(lookups_before, &lookups);
    out.push_str(MOTION);
    outline.fit(&out, "#")
}

/// What the text looks up, and how.
fn lookups(outline: &Outline, text: &str) -> String {
    let mut out = String::new();
    for (array, values) in outline.lookup_arrays(|array| text.contains(&array.to_uppercase())) {
        let values: Vec<String> = values.iter().map(|v| Python.number(*v)).collect();
        let _ = writeln!(out, "{} = (\n    {},\n)", array.to_uppercase(), rows_of_eight(&values));
    }
    if !out.is_empty() {
        out.push_str(LOOK_UP);
    }
    out
}

fn constants(outline: &Outline, out: &mut String) {
    let s = &outline.shape;
    let _ = writeln!(
        out,
        "NX, N, ROWS, NP, NU = {}, {}, {}, {}, {}",
        s.n_x,
        s.n_eta,
        s.n_con,
        outline.parameters.len(),
        s.n_input
    );
    let values: Vec<String> = outline.values.iter().map(|v| Python.number(*v)).collect();
    let _ = writeln!(out, "PARAMETERS = [{}]", values.join(", "));
    let lists: [(&str, &[Item]); 5] = [
        ("COORDINATE_NAMES", &outline.coordinates),
        ("SPEED_NAMES", &outline.speeds),
        ("PARAMETER_NAMES", &outline.parameters),
        ("ROW_NAMES", &outline.rows),
        ("INPUT_NAMES", &outline.inputs),
    ];
    for (name, items) in lists {
        let quoted: Vec<String> = items.iter().map(|i| format!("\"{}\"", i.name)).collect();
        let _ = writeln!(out, "{name} = [{}]", quoted.join(", "));
    }
    out.push_str("CODES = {\n");
    for (code, _, meaning) in CODES {
        let _ = writeln!(out, "    {code}: \"{meaning}\",");
    }
    out.push_str("}\n\n");
    out.push_str(&Python.tolerances(outline.control.is_some(), |meaning| format!("# {meaning}")));
    for (name, meaning, count) in COUNTS {
        let _ = writeln!(out, "# {meaning}\n{name} = {count}");
    }
    if outline.control.is_some() {
        let _ = writeln!(out, "# corrections of the inputs\nTURNS = {}", outline.turns());
    }
    out.push_str("\n\n");
}

/// The tapes as functions. Matrices are written flat and cut into rows at the end.
fn blocks(outline: &Outline, out: &mut String) {
    let s = &outline.shape;
    let (n, m, r, k) = (s.n_eta, s.n_con, s.n_require, s.n_input);
    let clear = |arrays: &[(&str, usize)], out: &mut String| {
        for (array, size) in arrays {
            let _ = writeln!(out, "    {array} = [0.0] * {size}");
        }
    };
    out.push_str(
        "def cut(flat, rows, width):\n    \"\"\"Rows of a matrix.\"\"\"\n    \
         return [flat[i * width:(i + 1) * width] for i in range(rows)]\n\n\n",
    );
    out.push_str("def terms(t_, x_, eta_, p_):\n    \"\"\"x' (K1), M and Q (K2), A and b (K3)\"\"\"\n");
    clear(&[("x_dot_", s.n_x), ("M_", n * n), ("Q_", n), ("A_", m * n), ("b_", m)], out);
    out.push_str(&outline.statements(&outline.terms, &Python, &["x_dot_", "M_", "Q_", "A_", "b_"]));
    out.push_str("    return x_dot_, cut(M_, N, N), Q_, cut(A_, ROWS, N), b_\n\n\n");
    if let Some(block) = &outline.nonideal {
        let groups: Vec<String> =
            outline.groups.iter().map(|g| format!("({}, {})", g.start, g.end)).collect();
        let _ = write!(
            out,
            "def nonideal(t_, x_, eta_, p_, A_, lambda_):\n\
             \x20   \"\"\"C (K4), which may use multipliers and the sizes of the constraints' forces (U8)\"\"\"\n\
             \x20   reaction_ = []\n    for from_, to_ in [{}]:\n        size_ = 0.0\n        for j_ in range(N):\n\
             \x20           size_ = math.hypot(size_, sum(A_[i_][j_] * lambda_[i_] for i_ in range(from_, to_)))\n\
             \x20       reaction_.append(size_)\n",
            groups.join(", ")
        );
        clear(&[("C_", n)], out);
        out.push_str(&outline.statements(block, &Python, &["C_"]));
        out.push_str("    return C_\n\n\n");
    }
    if let Some(block) = &outline.control {
        out.push_str("def control_terms(t_, x_, eta_, p_):\n");
        out.push_str("    \"\"\"Requirement rows A_c, b_c, force S of each input, cost W (C1)\"\"\"\n");
        clear(&[("Ac_", r * n), ("bc_", r), ("S_", n * k), ("W_", k * k)], out);
        out.push_str(&outline.statements(block, &Python, &["Ac_", "bc_", "S_", "W_"]));
        let _ = writeln!(out, "    return cut(Ac_, {r}, N), bc_, cut(S_, N, NU), cut(W_, NU, NU)\n\n");
    }
}
