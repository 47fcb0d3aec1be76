//! C99 that C++ takes too.

mod hybrid;

use super::block::{Block, Item};
use super::language::{COUNTS, Language, literal, rows_of_eight, usual};
use super::outline::{CODES, Outline, Tangents};
use dalembert_tape::Op;
use std::fmt::Write;

/// Sine and cosine, for models that have angles.
const SINCOS: &str = include_str!("../assets/code/sincos.c");
const RUNTIME: &str = include_str!("../assets/code/runtime.c");
/// Least squares, which some models need.
const LEAST: &str = include_str!("../assets/code/least.c");
const SADDLE: &str = include_str!("../assets/code/saddle.c");
const MOTION: &str = include_str!("../assets/code/motion.c");
const STEP: &str = include_str!("../assets/code/step.c");
const DERIVATIVES: &str = include_str!("../assets/code/jacobian.c");

struct C<'n> {
    /// Beginning of our own helpers.
    name: &'n str,
}

impl Language for C<'_> {
    fn number(&self, value: f64) -> String {
        match value {
            v if v.is_nan() => "NAN".to_owned(),
            f64::INFINITY => "HUGE_VAL".to_owned(),
            f64::NEG_INFINITY => "(-HUGE_VAL)".to_owned(),
            v => literal(v),
        }
    }

    fn function(&self, op: Op) -> String {
        match op {
            Op::Abs => "fabs".to_owned(),
            Op::Sign | Op::Min | Op::Max => format!("{}_{}", self.name, usual(op)),
            _ => usual(op).to_owned(),
        }
    }

    fn choose(&self, condition: &str, then: &str, otherwise: &str) -> String {
        format!("({condition}) ? {then} : {otherwise}")
    }

    fn turn(&self, name: &str, value: &str) -> Option<(String, [String; 2])> {
        let text = format!("const {0}_turn {name} = {0}_sincos({value});", self.name);
        Some((text, [format!("{name}.s"), format!("{name}.c")]))
    }

    fn define(&self, name: &str, value: &str) -> String {
        format!("#define NAME_{name} {value}")
    }

    fn bind(&self, name: &str, value: &str) -> String {
        format!("const double {name} = {value};")
    }

    fn entry(&self, array: &str, index: usize) -> String {
        format!("{array}[{index}]")
    }

    fn stretch(&self, name: &str, knots: &str, count: usize, place: &str) -> String {
        format!("const int {name} = {0}_stretch({0}_{knots}, {count}, {place});", self.name)
    }

    fn on_stretch(&self, column: &str, name: &str) -> String {
        format!("{}_{column}[{name}]", self.name)
    }
}

const LOOK_UP: &str = "
/* The stretch of x: before the first of n knots, or from one on; by bisection. */
static int NAME_stretch(const double *knots, int n, double x)
{
    int from = 0, to = n;
    if (x != x)
        return n + 1;
    while (from < to) {
        const int middle = from + (to - from) / 2;
        if (knots[middle] <= x)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

";

/// Helpers that only some models need.
const HELPERS: [(Op, &str); 3] = [
    (Op::Sign, "static double NAME_sign(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }"),
    (Op::Min, "static double NAME_smaller(double x, double y) { return x < y || x != x ? x : y; }"),
    (Op::Max, "static double NAME_larger(double x, double y) { return x > y || x != x ? x : y; }"),
];

/// The whole file; with `step` also projection and steps.
pub fn write(outline: &Outline, step: bool) -> String {
    let mut out = String::from("/*\n");
    for line in outline.preface() {
        // Nothing of a model ends the comment early.
        let line = line.replace("*/", "* /");
        let _ = writeln!(out, " * {line}");
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    out.push_str(
        " *\n * Codes that NAME_evaluate returns; with any but 0 all numbers of the result are NaN:\n",
    );
    for (code, _, meaning) in CODES {
        let _ = writeln!(out, " *   {code}  {meaning}");
    }
    let size = outline.workspace();
    let _ = write!(
        out,
        " *\n * A call takes about {size} bytes of the stack. Do not compile with -ffast-math: it takes NaN for impossible.\n\
         \x20* Compile: cc -std=c99 -O2 -c NAME_.c, link with -lm. For its declarations alone, in another file:\n\
         \x20*   #define NAME_DECLARATIONS\n *   #include \"NAME_.c\"\n */\n",
    );
    out = out.replace("NAME_.c", &format!("{}.c", outline.name));
    declarations(outline, step, &mut out);
    let angles = outline.uses(Op::Sin) || outline.uses(Op::Cos);
    out.push_str("\n#ifndef NAME_DECLARATIONS\n#include <float.h>\n#include <math.h>\n");
    out.push_str(if angles { "#include <stdint.h>\n#include <string.h>\n\n" } else { "\n" });
    definitions(outline, &mut out);
    let lookups_before = out.len();
    if angles {
        out.push_str(SINCOS);
    }
    for (op, text) in HELPERS {
        if outline.uses(op) {
            out.push_str(text);
            out.push_str("\n\n");
        }
    }
    blocks(outline, &mut out);
    out.push_str(RUNTIME);
    if outline.control.is_some() {
        out.push_str(LEAST);
    }
    out.push_str(SADDLE);
    hybrid::before_motion(outline, &mut out);
    out.push_str(MOTION);
    hybrid::behind_motion(outline, &mut out);
    if let Some(block) = &outline.output_block {
        outputs(outline, block, &mut out);
    }
    if let Some(tangents) = &outline.tangents {
        derivatives(outline, tangents, &mut out);
    }
    if step {
        steps(outline, &mut out);
    }
    out.push_str("#endif\n");
    let lookups = lookups(outline, &out);
    out.insert_str(lookups_before, &lookups);
    finished(outline, &out)
}

/// Whether the text has modes: which contacts stick, which events have happened.
fn has_modes(outline: &Outline, step: bool) -> bool {
    outline.shape.n_contact > 0 || (step && outline.hybrid.is_some())
}

/// A header with the declarations alone.
pub fn header(outline: &Outline, step: bool) -> String {
    let mut out = format!("/* Declarations of {}.c, which says what is in which order. */\n", outline.name);
    declarations(outline, step, &mut out);
    finished(outline, &out)
}

/// The text with its names in place.
fn finished(outline: &Outline, out: &str) -> String {
    let s = &outline.shape;
    let signature = format!(
        "int NAME_evaluate(double t, const double x[{}], const double eta[{}], const double p[{}], NAME_result *out)",
        room(s.n_x),
        room(s.n_eta),
        room(outline.parameters.len())
    );
    outline.fit(&out.replace("SIGNATURE", &signature), "//")
}

/// C has no arrays without entries.
fn room(size: usize) -> usize {
    size.max(1)
}

fn declarations(outline: &Outline, step: bool, out: &mut String) {
    let s = &outline.shape;
    let np = outline.parameters.len();
    let sizes = [("NX", s.n_x), ("N", s.n_eta), ("M", s.n_con), ("NP", np), ("NU", s.n_input)];
    out.push_str(
        "#ifndef NAME_INCLUDED\n#define NAME_INCLUDED\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
    );
    out.push_str("/* coordinates, speeds, constraint rows, parameters, control inputs */\nenum {\n");
    let sizes: Vec<String> = sizes.iter().map(|(name, n)| format!("    NAME_{name} = {n}")).collect();
    let _ = write!(out, "{}\n}};\n\ntypedef struct {{\n", sizes.join(",\n"));
    let fields = [
        ("x_dot", s.n_x, "rates of the coordinates (K1)"),
        ("eta_dot", s.n_eta, "accelerations (U1)"),
        ("ideal", s.n_eta, "ideal constraint force (U2)"),
        ("nonideal", s.n_eta, "non-ideal constraint force (U3)"),
        ("control", s.n_eta, "control force S u (C1)"),
        ("lambda", s.n_con + s.n_slide, "multipliers, ideal = A^T lambda"),
        ("u", s.n_input, "control inputs (C1)"),
        ("friction", s.n_slide, "friction on each component of sliding velocity"),
        ("normal", s.n_contact, "normal force of each contact"),
    ];
    for (name, size, meaning) in fields.into_iter().take(if s.n_contact > 0 { 9 } else { 7 }) {
        let _ = writeln!(out, "    double {name}[{}]; /* {meaning} */", room(size));
    }
    out.push_str("    int rank; /* of the constraint rows at this state */\n} NAME_result;\n\n");
    let _ = writeln!(out, "extern const double NAME_default_parameters[{}];", room(np));
    for (array, items) in lists(outline) {
        let _ = writeln!(out, "extern const char *const NAME_{array}[{}];", room(items.len()));
    }
    out.push_str(
        "\n/* For p see NAME_default_parameters. Returns a code, 0 if all is well. */\nSIGNATURE;\n",
    );
    if has_modes(outline, step) {
        hybrid::declare(outline, step, out);
    }
    if outline.output_block.is_some() {
        let _ = write!(
            out,
            "\n/* Outputs of the model at a state whose motion is r. */\nenum {{ NAME_NY = {} }};\n{OUTPUTS};\n",
            outline.outputs.len()
        );
    }
    if outline.tangents.is_some() {
        declare_derivatives(outline, out);
    }
    if step && !outline.hybrid.is_some() {
        out.push_str(STEP_DECLARATIONS);
    }
    out.push_str("\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

const OUTPUTS: &str = "void NAME_outputs(double t, const double *x, const double *eta, const double *p, const NAME_result *r, double *y)";

const STEP_DECLARATIONS: &str = "
/* Steps take states on the constraints to states on them. Codes as above; 6: no step is small enough for the tolerance. */
/* Returns a state to the constraints: by the least motion, measured by the mass. */
int NAME_project(double t, double *x, double *eta, const double *p);
/* One step of the classical method of order 4, then projection: 4 evaluations, the same time at every call. */
int NAME_step(double *t, double *x, double *eta, const double *p, double dt);
/* Steps of order 5 with error control up to a time. */
int NAME_advance(double *t, double *x, double *eta, const double *p, double until, double tolerance);
";

/// The outputs as a function of the motion.
fn outputs(outline: &Outline, block: &Block, out: &mut String) {
    out.push_str("/* Outputs of the model */\n");
    function_of_motion(outline, block, "void NAME_outputs", out);
}

/// A function of the state and its motion r into y.
fn function_of_motion(outline: &Outline, block: &Block, name: &str, out: &mut String) {
    let language = C { name: &outline.name };
    let signature = "double t_, const double *x_, const double *eta_, const double *p_, const NAME_result *r_, double *y_";
    let _ = writeln!(out, "{name}({signature})\n{{\n    (void)t_; (void)x_; (void)eta_; (void)p_; (void)r_;");
    if outline.reads_motion(block) {
        motion_in_reach(outline, out);
    }
    out.push_str(&outline.statements(block, &language, &["y_"]));
    out.push_str("}\n\n");
}

/// Names for the parts of the motion r_, and the size of the force of each constraint.
fn motion_in_reach(outline: &Outline, out: &mut String) {
    let (n, m) = (outline.shape.n_eta, room(outline.shape.n_con));
    let (count, groups) = groups(outline);
    let _ = write!(
        out,
        "    static const int rows_[{count}][2] = {{{groups}}};\n\
         \x20   double reaction_[{count}], x_dot_[{}], M_[{}], Q_[{n}], A_[{}], b_[{m}];\n\
         \x20   const double *lambda_ = r_->lambda, *eta_dot_ = r_->eta_dot, *ideal_ = r_->ideal, *nonideal_ = r_->nonideal, *control_ = r_->control;\n\
         \x20   int g_, i_, j_;\n    NAME_terms(t_, x_, eta_, p_, x_dot_, M_, Q_, A_, b_);\n\
         \x20   for (g_ = 0; g_ < {count}; g_++) {{\n        reaction_[g_] = 0.0;\n\
         \x20       for (j_ = 0; j_ < {n}; j_++) {{\n            double sum_ = 0.0;\n\
         \x20           for (i_ = rows_[g_][0]; i_ < rows_[g_][1]; i_++)\n                sum_ += A_[i_ * {n} + j_] * lambda_[i_];\n\
         \x20           reaction_[g_] = hypot(reaction_[g_], sum_);\n        }}\n    }}\n\
         \x20   (void)lambda_; (void)eta_dot_; (void)ideal_; (void)nonideal_; (void)control_; (void)reaction_;\n",
        room(outline.shape.n_x),
        n * n,
        m * n,
    );
    if outline.shape.n_contact > 0 {
        out.push_str("    const double *friction_ = r_->friction;\n    (void)friction_;\n");
        for (k, (_, contact)) in outline.hybrid.contacts.iter().enumerate() {
            if let Some(g) =
                outline.groups.iter().position(|g| !contact.has_given_limit() && *g == contact.rows)
            {
                let _ = writeln!(out, "    reaction_[{g}] = r_->normal[{k}];");
            }
        }
    }
}

/// The matrices of derivatives and the function that fills them.
fn declare_derivatives(outline: &Outline, out: &mut String) {
    let s = &outline.shape;
    out.push_str(
        "\n/* Derivatives of rates, accelerations and multipliers by coordinates, speeds and parameters (inputs are among\n   \
         them), row by row: d eta_dot[i]/d x[j] is eta_dot_x[i * NAME_NX + j]. Exact; one parameter at a time. */\ntypedef struct {\n",
    );
    for (what, rows) in [("x_dot", s.n_x), ("eta_dot", s.n_eta), ("lambda", s.n_con)] {
        for (by, columns) in [("x", s.n_x), ("eta", s.n_eta), ("p", outline.parameters.len())] {
            let _ = writeln!(out, "    double {what}_{by}[{}];", room(rows * columns));
        }
    }
    let _ = write!(
        out,
        "}} NAME_derivatives;\n\n/* Codes as of NAME_evaluate; derivatives of multipliers are NaN where rows are redundant. */\n{JACOBIAN};\n"
    );
}

const JACOBIAN: &str =
    "int NAME_jacobian(double t, const double *x, const double *eta, const double *p, NAME_derivatives *out)";

/// Derivatives of the terms along a direction, and of the motion by everything.
fn derivatives(outline: &Outline, tangents: &Tangents, out: &mut String) {
    let language = C { name: &outline.name };
    let s = &outline.shape;
    let inputs = "double t_, const double *x_, const double *eta_, const double *p_";
    let changes = "const double *dx_, const double *deta_, const double *dp_";
    let unused = "    (void)t_; (void)x_; (void)eta_; (void)p_; (void)dx_; (void)deta_; (void)dp_;\n";
    out.push_str("/* Changes of x', M, Q, A and b along a change of x, eta and p */\n");
    let _ = writeln!(
        out,
        "static void NAME_terms_along({inputs},\n    {changes}, double *x_dot_, double *M_, double *Q_, double *A_, double *b_)\n{{"
    );
    let (n, m) = (s.n_eta, s.n_con);
    clear(&[("x_dot_", s.n_x), ("M_", n * n), ("Q_", n), ("A_", m * n), ("b_", m)], out);
    out.push_str(unused);
    out.push_str("    (void)A_; (void)b_;\n");
    out.push_str(&outline.statements(&tangents.terms, &language, &["x_dot_", "M_", "Q_", "A_", "b_"]));
    out.push_str("}\n\n");
    if let Some(block) = &tangents.nonideal {
        out.push_str("/* Change of C along a change of x, eta, p, A and lambda */\n");
        let _ = writeln!(
            out,
            "static void NAME_nonideal_along({inputs}, const double *A_, const double *lambda_,\n    {changes}, const double *dA_, const double *dlambda_, double *C_)\n{{"
        );
        let (count, groups) = groups(outline);
        let _ = write!(
            out,
            "    static const int rows_[{count}][2] = {{{groups}}};\n    double reaction_[{count}], dreaction_[{count}];\n    int g_, i_, j_;\n\
             \x20   for (g_ = 0; g_ < {count}; g_++) {{\n        reaction_[g_] = 0.0;\n        dreaction_[g_] = 0.0;\n\
             \x20       for (j_ = 0; j_ < {n}; j_++) {{\n            double sum_ = 0.0, change_ = 0.0;\n\
             \x20           for (i_ = rows_[g_][0]; i_ < rows_[g_][1]; i_++) {{\n                sum_ += A_[i_ * {n} + j_] * lambda_[i_];\n\
             \x20               change_ += dA_[i_ * {n} + j_] * lambda_[i_] + A_[i_ * {n} + j_] * dlambda_[i_];\n            }}\n\
             \x20           reaction_[g_] = hypot(reaction_[g_], sum_);\n            dreaction_[g_] += sum_ * change_;\n        }}\n\
             \x20       dreaction_[g_] = reaction_[g_] > 0.0 ? dreaction_[g_] / reaction_[g_] : 0.0;\n    }}\n    (void)reaction_; (void)dreaction_;\n",
        );
        out.push_str(unused);
        out.push_str(&outline.statements(block, &language, &["C_"]));
        out.push_str("}\n\n");
    }
    out.push_str(DERIVATIVES);
}

/// How many constraints there are, at least one, and the rows of each.
fn groups(outline: &Outline) -> (usize, String) {
    let groups: Vec<String> = outline.groups.iter().map(|g| format!("{{{}, {}}}", g.start, g.end)).collect();
    let text = if groups.is_empty() { "{0, 0}".to_owned() } else { groups.join(", ") };
    (room(groups.len()), text)
}

/// Zeros into the arrays.
fn clear(arrays: &[(&str, usize)], out: &mut String) {
    out.push_str("    int i_;\n");
    for (array, size) in arrays.iter().filter(|a| a.1 > 0) {
        let _ = writeln!(out, "    for (i_ = 0; i_ < {size}; i_++) {array}[i_] = 0.0;");
    }
}

/// Residuals of the rows as a function.
fn residuals(outline: &Outline, out: &mut String) {
    let language = C { name: &outline.name };
    if outline.shape.n_con + outline.shape.n_contact > 0 {
        let m = outline.shape.n_con;
        let _ = write!(
            out,
            "/* Residuals of the rows at position and velocity level */\n\
             static void NAME_residuals(double t_, const double *x_, const double *eta_, const double *p_, double *phi_, double *psi_)\n{{\n\
             \x20   int i_;\n    for (i_ = 0; i_ < {m}; i_++) {{\n        phi_[i_] = 0.0;\n        psi_[i_] = 0.0;\n    }}\n\
             \x20   (void)t_; (void)x_; (void)eta_; (void)p_; (void)phi_; (void)psi_;\n",
        );
        if let Some(block) = &outline.residuals {
            out.push_str(&outline.statements(block, &language, &["phi_", "psi_"]));
        }
        out.push_str("}\n\n");
    }
}

/// Projection and steps.
fn steps(outline: &Outline, out: &mut String) {
    if outline.baumgarte.is_none() {
        residuals(outline, out);
    }
    out.push_str("enum { NAME_PROJECTIONS = 20, NAME_STEPS = 1000000 };\n\n");
    let rows: Vec<&str> = outline.position_rows.iter().map(|p| if *p { "1" } else { "0" }).collect();
    let rows = if rows.is_empty() { "{0}".to_owned() } else { format!("{{{}}}", rows.join(", ")) };
    out.push_str(&STEP.replace("POSITION_ROWS", &rows));
    hybrid::steps(outline, out);
}

fn lists(outline: &Outline) -> [(&'static str, &[Item]); 5] {
    [
        ("coordinate_names", &outline.coordinates),
        ("speed_names", &outline.speeds),
        ("parameter_names", &outline.parameters),
        ("row_names", &outline.rows),
        ("input_names", &outline.inputs),
    ]
}

fn definitions(outline: &Outline, out: &mut String) {
    let s = &outline.shape;
    let language = C { name: &outline.name };
    let values: Vec<String> = outline.values.iter().map(|v| language.number(*v)).collect();
    let none = || vec!["0".to_owned()];
    let list = |items: Vec<String>| if items.is_empty() { none() } else { items }.join(",\n    ");
    let _ = writeln!(
        out,
        "const double NAME_default_parameters[{}] = {{\n    {}\n}};",
        room(values.len()),
        list(values)
    );
    for (array, items) in lists(outline) {
        let quoted = items.iter().map(|i| format!("\"{}\"", i.name)).collect();
        let size = room(items.len());
        let _ = writeln!(out, "const char *const NAME_{array}[{size}] = {{\n    {}\n}};", list(quoted));
    }
    out.push_str("\nenum {\n");
    let _ = writeln!(out, "    NAME_K = {},", s.n_con + s.n_slide);
    let _ = writeln!(out, "    NAME_ROWS = {},", room(s.n_con + s.n_slide));
    let _ = writeln!(out, "    NAME_POSITIONS = {},", outline.positions);
    if outline.control.is_some() {
        let _ = writeln!(out, "    NAME_REQUIREMENTS = {},", s.n_require);
        let _ = writeln!(out, "    NAME_INPUTS = {},", room(s.n_input));
        let _ = writeln!(out, "    NAME_TURNS = {}, /* corrections of the inputs */", outline.turns());
    }
    for (name, meaning, count) in COUNTS {
        let _ = writeln!(out, "    NAME_{name} = {count}, /* {meaning} */");
    }
    let _ = writeln!(out, "    NAME_CELLS = {},", outline.cells());
    let _ = writeln!(out, "    NAME_LONGEST = {}\n}};", outline.longest());
    out.push('\n');
    out.push_str(&language.tolerances(outline.control.is_some(), |meaning| format!("/* {meaning} */")));
    out.push('\n');
}

/// What the text looks up, and how.
fn lookups(outline: &Outline, text: &str) -> String {
    let language = C { name: &outline.name };
    let mut out = String::new();
    for (array, values) in outline.lookup_arrays(|array| text.contains(&format!("{}_{array}", outline.name)))
    {
        let values: Vec<String> = values.iter().map(|v| language.number(*v)).collect();
        let (count, lines) = (values.len(), rows_of_eight(&values));
        let _ = writeln!(out, "static const double NAME_{array}[{count}] = {{\n    {lines}\n}};");
    }
    if !out.is_empty() {
        out.push_str(LOOK_UP);
    }
    out
}

/// The tapes as functions.
fn blocks(outline: &Outline, out: &mut String) {
    let s = &outline.shape;
    let language = C { name: &outline.name };
    let inputs = "double t_, const double *x_, const double *eta_, const double *p_";
    let unused = "    (void)t_; (void)x_; (void)eta_; (void)p_;\n";
    let (n, m) = (s.n_eta, s.n_con);
    out.push_str("/* x' (K1), M and Q (K2), A and b (K3) */\n");
    let _ = writeln!(
        out,
        "static void NAME_terms({inputs},\n    double *x_dot_, double *M_, double *Q_, double *A_, double *b_)\n{{"
    );
    clear(&[("x_dot_", s.n_x), ("M_", n * n), ("Q_", n), ("A_", m * n), ("b_", m)], out);
    out.push_str(unused);
    out.push_str("    (void)A_; (void)b_;\n");
    out.push_str(&outline.statements(&outline.terms, &language, &["x_dot_", "M_", "Q_", "A_", "b_"]));
    out.push_str("}\n\n");
    if let Some(block) = &outline.whole {
        out.push_str(
            "/* x' and eta' (U1), lambda and A^T lambda (U2) with the solve written out; trusted_ is 1 where every pivot is far from\n   \
             zero and the constraints do not cancel nearly all of the acceleration */\n",
        );
        let _ = writeln!(
            out,
            "static void NAME_whole({inputs},\n    double *x_dot_, double *eta_dot_, double *lambda_, double *ideal_, double *trusted_)\n{{"
        );
        out.push_str(unused);
        out.push_str("    (void)lambda_; (void)ideal_;\n");
        let arrays = ["x_dot_", "eta_dot_", "lambda_", "ideal_", "trusted_"];
        out.push_str(&outline.statements(block, &language, &arrays));
        out.push_str("}\n\n");
    }
    if let Some(block) = &outline.nonideal {
        out.push_str(
            "/* C (K4), which may use multipliers and the sizes of the constraints' forces (U8) */\n",
        );
        let _ = writeln!(
            out,
            "static void NAME_nonideal({inputs},\n    const double *A_, const double *lambda_, double *C_)\n{{"
        );
        let (count, groups) = groups(outline);
        let _ = write!(
            out,
            "    static const int rows_[{count}][2] = {{{groups}}};\n    double reaction_[{count}];\n    int g_, i_, j_;\n\
             \x20   for (g_ = 0; g_ < {count}; g_++) {{\n        reaction_[g_] = 0.0;\n\
             \x20       for (j_ = 0; j_ < {n}; j_++) {{\n            double sum_ = 0.0;\n\
             \x20           for (i_ = rows_[g_][0]; i_ < rows_[g_][1]; i_++)\n                sum_ += A_[i_ * {n} + j_] * lambda_[i_];\n\
             \x20           reaction_[g_] = hypot(reaction_[g_], sum_);\n        }}\n    }}\n    (void)reaction_;\n",
        );
        out.push_str(unused);
        out.push_str(&outline.statements(block, &language, &["C_"]));
        out.push_str("}\n\n");
    }
    if let Some(block) = &outline.control {
        let (r, k) = (s.n_require, s.n_input);
        out.push_str("/* requirement rows A_c, b_c, force S of each input, cost W (C1) */\n");
        let _ = writeln!(
            out,
            "static void NAME_control_terms({inputs},\n    double *Ac_, double *bc_, double *S_, double *W_)\n{{"
        );
        clear(&[("Ac_", r * n), ("bc_", r), ("S_", n * k), ("W_", k * k)], out);
        out.push_str(unused);
        out.push_str(&outline.statements(block, &language, &["Ac_", "bc_", "S_", "W_"]));
        out.push_str("}\n\n");
    }
    hybrid::contact_terms(outline, out);
    if let Some([alpha, beta]) = outline.baumgarte {
        let _ = writeln!(out, "#define NAME_ALPHA {alpha:?}\n#define NAME_BETA {beta:?}\n");
        residuals(outline, out);
    }
}
