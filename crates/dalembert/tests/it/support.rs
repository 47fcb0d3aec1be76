//! What the suites share: loading models, running them to the end, comparing columns, repeatable random numbers.

use dalembert::diagnostic::{Diagnostic, Style, render};
use dalembert::equations::{Form, write};
use dalembert::run::{Flow, State, Stop};
use dalembert::{Evaluation, Motion, Overrides, Request, Source, Workspace};
use dalembert_expr::{Expr, Format, Pool, Symbol};
use proptest::test_runner::{Config, RngSeed};
use std::path::{Path, PathBuf};

/// The folder of the whole project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of a page or another file of the project.
pub fn file_text(name: &str) -> String {
    let path = root().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The text of a file in `models/`.
pub fn model_text(name: &str) -> String {
    file_text(&format!("models/{name}.dal"))
}

/// The names of all files in `models/`.
pub fn model_names() -> Vec<String> {
    let entries = std::fs::read_dir(root().join("models")).expect("the models are there");
    let mut names: Vec<String> = entries
        .filter_map(|e| e.ok()?.file_name().to_str()?.strip_suffix(".dal").map(str::to_owned))
        .collect();
    names.sort();
    names
}

pub fn sets(pairs: &[(&str, &str)]) -> Overrides {
    let set = pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    Overrides { set, ..Overrides::default() }
}

/// A model that must load.
pub fn load(text: &str) -> Workspace {
    load_with(text, &Overrides::default())
}

pub fn load_with(text: &str, overrides: &Overrides) -> Workspace {
    let source = Source::new("model.dal", text);
    match Workspace::load(&source, overrides) {
        Ok(model) => model,
        Err(said) => panic!("{}\n{text}", render(&said, &source, Style::Plain)),
    }
}

pub fn load_file(name: &str) -> Workspace {
    load(&model_text(name))
}

/// A form of a model file as a script for SymPy and in LaTeX; `None` where that is refused.
pub struct PrintedForm {
    pub model: String,
    pub form: &'static str,
    pub script: Option<String>,
    pub latex: Option<String>,
    /// How many expressions were written in another way on the way to the script, and the first that has another value then.
    pub rewritten: (usize, Option<String>),
}

/// What tidying has changed in a pool, at random points of both signs: an expression that is not what it was.
fn rewritten(pool: &mut Pool) -> (usize, Option<String>) {
    // Between rounding and the smallest term that could be lost.
    const SAME: f64 = 1e-8;
    let pairs: Vec<(Expr, Expr)> = pool.tidied().into_iter().filter(|(e, short)| e != short).collect();
    let all: Vec<Expr> = pairs.iter().flat_map(|(e, short)| [*e, *short]).collect();
    for seed in 0..3u64 {
        let lowest = if seed == 2 { -0.9 } else { 0.2 };
        let value = |s: Symbol| Rng::new(977 * seed + s.index() as u64).number(lowest, 0.9);
        let values = pool.evaluate_with_sizes(&all, value);
        for (k, (e, short)) in pairs.iter().enumerate() {
            let ((a, size), (b, other)) = (values[2 * k], values[2 * k + 1]);
            // Outside of the domain of one of them nothing can be compared.
            let differ = a.is_finite() && b.is_finite() && (a - b).abs() > SAME * size.max(other);
            if differ {
                let texts = [e, short].map(|e| pool.text(*e));
                return (
                    pairs.len(),
                    Some(format!("{a} and {b} of size {size}: {} is not {}", texts[0], texts[1])),
                );
            }
        }
    }
    (pairs.len(), None)
}

/// Every form of every model file, derived once for all tests that read them. Closed forms of larger models are in one
/// format only; the bicycle, whose megabyte of equations takes as long as all others, is left out.
pub fn printed_forms() -> &'static [PrintedForm] {
    const CLOSED: [Form; 5] = [Form::Explicit, Form::Udwadia, Form::Appell, Form::Maggi, Form::Kane];
    static FORMS: std::sync::OnceLock<Vec<PrintedForm>> = std::sync::OnceLock::new();
    FORMS.get_or_init(|| {
        let mut printed = Vec::new();
        for model in model_names().into_iter().filter(|name| name != "bicycle") {
            for (form, which) in Form::ALL {
                let mut workspace = load_file(&model);
                let script = write(&mut workspace, which, Format::Python).ok();
                let rewritten = rewritten(&mut workspace.system.pool);
                let short = workspace.system.frame.speeds.len() <= 2 || !CLOSED.contains(&which);
                let latex = short.then(|| write(&mut workspace, which, Format::Latex).ok()).flatten();
                printed.push(PrintedForm { model: model.clone(), form, script, latex, rewritten });
            }
        }
        printed
    })
}

/// What is wrong with a model that must not load.
pub fn refusal(text: &str) -> Vec<Diagnostic> {
    match Workspace::load(&Source::new("model.dal", text), &Overrides::default()) {
        Ok(_) => panic!("this model loads:\n{text}"),
        Err(said) => said.into(),
    }
}

/// The start of a model that must have one.
pub fn start(model: &mut Workspace) -> State {
    model.start().unwrap_or_else(|d| panic!("{}", d.message)).state
}

/// Everything at a state that must be regular.
pub fn evaluate(model: &Workspace, state: &State) -> Evaluation {
    model.evaluate(state).unwrap_or_else(|d| panic!("{}", d.message))
}

/// A motion that must reach its end.
pub fn run(model: &mut Workspace, request: &Request) -> Motion {
    let motion = model.simulate(request, |_| Flow::Continue).unwrap_or_else(|d| panic!("{}", d.message));
    if let Some(failure) = &motion.failure {
        panic!("{}", failure.message);
    }
    assert!(matches!(motion.outcome.stop, Stop::EndTime | Stop::Event(_)), "{:?}", motion.outcome.stop);
    motion
}

pub fn until(t: f64) -> Request {
    Request { until: Some(t), every: Some(t / 50.0), ..Request::default() }
}

/// The same at a tolerance near the limit of double precision, for comparisons of motions.
pub fn sharply_until(t: f64) -> Request {
    Request { rtol: Some(1e-12), ..until(t) }
}

pub fn run_text(text: &str, request: &Request) -> Motion {
    run(&mut load(text), request)
}

pub fn column(motion: &Motion, name: &str) -> Vec<f64> {
    motion.table.column(name).unwrap_or_else(|| panic!("no column `{name}` in {:?}", motion.table.columns))
}

pub fn last(motion: &Motion, name: &str) -> f64 {
    *column(motion, name).last().expect("a motion has rows")
}

/// Largest absolute value.
pub fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, v| if v.is_nan() { f64::INFINITY } else { f64::max(m, v.abs()) })
}

/// Largest difference of two columns.
pub fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "as many rows in both");
    largest(&a.iter().zip(b).map(|(x, y)| x - y).collect::<Vec<_>>())
}

/// Largest difference of some columns of two motions.
pub fn motions_apart(a: &Motion, b: &Motion, columns: &[&str]) -> f64 {
    largest(&columns.iter().map(|c| apart(&column(a, c), &column(b, c))).collect::<Vec<_>>())
}

/// How far a column strays from its first value.
pub fn stray(motion: &Motion, name: &str) -> f64 {
    let values = column(motion, name);
    largest(&values.iter().map(|v| v - values[0]).collect::<Vec<_>>())
}

/// Fails with the measured number; prints it for those who ask (`--nocapture`).
#[track_caller]
pub fn below(what: &str, measured: f64, bound: f64) {
    println!("{what}: {measured:.1e} (bound {bound:.0e})");
    assert!(measured <= bound, "{what}: {measured:.3e} exceeds {bound:.0e}");
}

/// Matrix times vector, row-major.
pub fn times(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    let n = vector.len();
    if n == 0 {
        return Vec::new();
    }
    matrix.chunks(n).map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum()).collect()
}

/// Transposed matrix (m by n) times vector (m).
pub fn transposed_times(matrix: &[f64], vector: &[f64], n: usize) -> Vec<f64> {
    let mut out = vec![0.0; n];
    for (row, v) in matrix.chunks(n.max(1)).zip(vector) {
        row.iter().zip(&mut out).for_each(|(a, o)| *o += a * v);
    }
    out
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// So many random cases, the same ones every time: a law that fails can be looked at.
pub fn same_cases(n: u32, seed: u64) -> Config {
    let times = std::env::var("CASES_TIMES").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    Config { failure_persistence: None, rng_seed: RngSeed::Fixed(seed), ..Config::with_cases(n * times) }
}

pub use dalembert_linalg::Rng;

/// Random numbers for models.
pub trait ShortNumbers {
    /// Between `low` and `high`, with few digits so that it can be written into a model exactly.
    fn number(&mut self, low: f64, high: f64) -> f64;

    /// So many between -1 and 1.
    fn numbers(&mut self, n: usize) -> Vec<f64>;
}

impl ShortNumbers for Rng {
    fn number(&mut self, low: f64, high: f64) -> f64 {
        let u = self.uniform_closed();
        ((low + (high - low) * u) * 1000.0).round() / 1000.0
    }

    fn numbers(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.number(-1.0, 1.0)).collect()
    }
}

/// Classical RK4 with many small steps: a judge that shares no code with the engine. Returns the last state.
pub fn rk4<const N: usize>(
    mut y: [f64; N],
    until: f64,
    steps: usize,
    f: impl Fn(f64, &[f64; N]) -> [f64; N],
) -> [f64; N] {
    let h = until / steps as f64;
    let shifted = |y: &[f64; N], k: &[f64; N], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
    for s in 0..steps {
        let t = s as f64 * h;
        let k1 = f(t, &y);
        let k2 = f(t + h / 2.0, &shifted(&y, &k1, h / 2.0));
        let k3 = f(t + h / 2.0, &shifted(&y, &k2, h / 2.0));
        let k4 = f(t + h, &shifted(&y, &k3, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    y
}
