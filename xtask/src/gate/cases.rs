//! The cases: command lines for every model, and some for single models.

use std::path::Path;

/// A command line with the model that it reads.
pub struct Case {
    /// Model file as the command line names it.
    pub model: String,
    /// Text of the model.
    pub text: String,
    /// Command and arguments.
    pub words: Vec<String>,
}

impl Case {
    /// The command line.
    pub fn name(&self) -> String {
        self.words.join(" ")
    }
}

/// Commands for every model. `M` is the model, `S` a step of a fixed-step method.
const EVERY: &[&str] = &[
    "check M --json",
    "evaluate M --json",
    "analyze M --json",
    "verify M --json",
    "linearize M --json",
    "linearize M --settle --json",
    "equilibrium M --starts 5 --json",
    "fmt M --json",
    "fmt M --check --json",
    "export M --target c --out model.c",
    "export M --target rust --out model.rs",
    "export M --target python --out model.py",
    "export M --target fmu --out model.fmu",
];

/// Forms of the equations, each written in every [`FORMATS`].
const FORMS: &[&str] =
    &["kernel", "lagrange", "explicit", "hamilton", "poincare", "suslov", "energies", "hamilton-jacobi"];

const FORMATS: &[&str] = &["text", "latex", "python"];

/// Options of `simulate`, with tables, for every model. A run ends at the time of [`SHORTER`] where it has one.
const RUNS: &[&str] = &[
    "",
    "--method dop853",
    "--method tsit5",
    "--method radau",
    "--method rk4 --step S",
    "--method variational2 --step S",
    "--method variational4 --step S",
    "--method variational6 --step S",
    "--form hamilton",
    "--form suslov",
    "--form hamilton-jacobi",
    "--interpret",
    "--interpret --method radau",
    "--fold",
    "--no-self-check",
    "--baumgarte 5,5",
    "--balance --action",
    "--hold 0.05",
];

/// Outputs of `simulate` besides the CSV table, and pages.
const PAGES: &[&str] = &[
    "simulate M --out run.parquet --out run.json --json",
    "simulate M --plot run.svg --plot run.png --plot run.html --quiet",
    "simulate M --animate film.html --quiet",
    "report M --out page.html --quiet",
];

/// Last times of models whose own runs are long.
const SHORTER: &[(&str, &str)] =
    &[("bicycle", "0.5"), ("bricard", "1.5"), ("link_chain", "0.05"), ("net", "0.03"), ("n_four_bar", "4")];

/// Commands for single models: `M` is the model whose name comes first.
const SINGLE: &[(&str, &str)] = &[
    // Motions between two configurations.
    ("double_pendulum", "connect M --to theta1=0.3,theta2=-0.2 --until 0.6 --json --out path.csv"),
    ("pendulum", "connect M --to theta=0.5 --until 0.7 --json --out path.csv"),
    ("kepler", "connect M --to x=0,y=1 --until 1.5 --json --out path.csv --plot path.svg"),
    ("foucault", "connect M --to x=0.1,y=0.2 --until 1 --json --out path.csv"),
    (
        "spherical_pendulum",
        "connect M --to x=0.2,y=0.3 --until 0.5 --json --out path.csv --animate film.html",
    ),
    ("spherical_pendulum_angles", "connect M --to theta=1,phi=0.4 --until 0.5 --json --out path.csv"),
    ("pendulum_redundant", "connect M --to x=0.5 --until 0.4 --json --out path.csv"),
    ("hj_circle", "connect M --to x=0.2 --until 2 --json --out path.csv"),
    ("cart_pendulum_chain", "connect M --to x=0.1 --until 0.3 --json --out path.csv"),
    ("rolling_disk", "connect M --to x=1 --until 1 --json"),
    // Sweeps in lanes.
    (
        "double_pendulum",
        "sweep M --sample theta1~uniform(-3,3) --runs 40 --seed 3 --until 2 --rtol 1e-6 --out runs --json",
    ),
    ("double_pendulum", "sweep M --vary m2=1..2:7 --until 1 --method tsit5 --out runs --json"),
    ("double_pendulum", "sweep M --vary m2=1..2:7 --until 1 --method rk4 --step 0.01 --out runs --json"),
    ("double_pendulum_cartesian", "sweep M --vary l2=0.8..1.2:9 --until 1 --out runs --json"),
    ("pendulum_redundant", "sweep M --sample m~normal(1,0.1) --runs 20 --until 1 --out runs --json"),
    ("rolling_disk", "sweep M --vary r=0.2..0.8:9:log --until 1 --out runs --json"),
    ("rolling_disk", "sweep M --vary r=0.2..0.8:9 --until 1 --format parquet --every 0.1 --out runs --json"),
    ("link_chain", "sweep M --set N=8 --vary m=1..2:5 --until 0.1 --out runs --json"),
    // Sweeps alone: stiff, with friction, and with events that end the run.
    ("spring_pendulum_stiff", "sweep M --vary k=1e4..1e6:3:log --until 1 --out runs --json"),
    ("rough_incline", "sweep M --vary mu=0.1..0.9:9 --out runs --json"),
    ("stick_slip_belt", "sweep M --vary v=0.2..1:5 --until 5 --out runs --json"),
    ("incline_nonideal", "sweep M --vary mu=0.1..0.9:9 --out runs --json"),
    ("one_sided_spring", "sweep M --vary h=0.2..1:9 --every 0.1 --out runs --json"),
    ("pendulum", "sweep M --sample theta~uniform(-3,3) --runs 30 --until 3 --out runs --json"),
    // Families that are large enough for sparse matrices.
    ("link_chain", "simulate M --set N=150 --until 0.02 --out run.csv --json"),
    ("link_chain", "simulate M --set N=150 --until 0.02 --interpret --out run.csv --json"),
    ("link_chain", "evaluate M --set N=500 --json"),
    ("net", "simulate M --set G=9 --until 0.01 --out run.csv --json"),
    ("pendulum_chain", "simulate M --set N=60 --until 0.1 --out run.csv --json"),
    ("oscillator_chain", "simulate M --set N=200 --until 0.2 --out run.csv --json"),
    ("oscillator_chain", "simulate M --set N=60 --until 0.2 --method radau --out run.csv --json"),
    ("n_four_bar", "simulate M --set N=20 --until 1 --out run.csv --json"),
    ("cart_pendulum_chain", "derive M --set N=3 --form explicit"),
    // States, tolerances and ends that the model does not have.
    ("pendulum", "evaluate M --at theta=1,theta'=-0.5,t=2 --json"),
    (
        "pendulum",
        "simulate M --initial theta=3 --initial theta'~0.1 --rtol 1e-6 --atol 1e-9 --out run.csv --json",
    ),
    ("pendulum", "simulate M --max-steps 5 --out run.csv --json"),
    ("pendulum", "simulate M --every 0.3 --columns theta --plot run.svg --out - --quiet"),
    ("double_pendulum_track", "simulate M --plant m2=1.2 --out run.csv --json"),
    ("double_pendulum_track", "simulate M --plant m2=1.2 --hold 0.01 --out run.csv --json"),
    ("double_pendulum_tip", "simulate M --plant m1=0.9 --hold 0.02 --balance --out run.csv --json"),
    ("bicycle", "linearize M --independent roll,steer --json"),
    ("bead_hoop", "linearize M --over W=0..10:21 --settle --out roots.csv --plot roots.svg --json"),
    ("bead_hoop", "equilibrium M --landscape theta=-3..3:50 --out landscape.csv --plot landscape.svg --json"),
    (
        "double_pendulum",
        "equilibrium M --landscape theta1=-3..3:12 --landscape theta2=-3..3:12 --out land.csv --json",
    ),
    ("rolling_disk_lean", "equilibrium M --starts 30 --json"),
    ("slider_crank", "equilibrium M --within x=0..2 --json"),
    ("rolling_disk", "report M --form kernel --form hamilton --verify --animate --out page.html --quiet"),
    ("pendulum", "report M --no-motion --out - --quiet"),
];

/// All cases for the models in a directory.
pub fn all(models: &Path) -> Result<Vec<Case>, String> {
    let entries = std::fs::read_dir(models).map_err(|error| format!("{}: {error}", models.display()))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "dal"));
    paths.sort();
    let mut cases = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let model = format!("models/{name}.dal");
        cases.extend(of_model(&name, &text).iter().map(|line| {
            Case {
                model: model.clone(),
                text: text.clone(),
                words: line
                    .split_whitespace()
                    .map(|word| if word == "M" { &model } else { word }.to_owned())
                    .collect(),
            }
        }));
    }
    Ok(cases)
}

/// Command lines for a model.
fn of_model(name: &str, text: &str) -> Vec<String> {
    let shorter = SHORTER.iter().find(|(model, _)| *model == name);
    let until = shorter.map_or(String::new(), |(_, time)| format!(" --until {time}"));
    let step = step(shorter.map_or_else(|| last_time(text), |(_, time)| time.parse().ok()));
    let mut lines: Vec<String> = EVERY.iter().map(|line| (*line).to_owned()).collect();
    for form in FORMS {
        lines.extend(FORMATS.iter().map(|format| format!("derive M --form {form} --format {format}")));
    }
    lines.extend(
        RUNS.iter().map(|run| format!("simulate M {run}{until} --out run.csv --json").replace(" S", &step)),
    );
    lines.extend(PAGES.iter().map(|page| format!("{page}{until}")));
    if let Some((parameter, value)) = parameter(text) {
        let vary = format!("{parameter}={}..{}", short(0.9 * value), short(1.1 * value));
        lines.push(format!("sweep M --vary {vary}:5 --every 0.1{until} --out runs --json"));
        lines.push(format!("linearize M --over {vary}:5 --out roots.csv --plot roots.svg --json"));
    }
    lines.extend(SINGLE.iter().filter(|(model, _)| *model == name).map(|(_, line)| (*line).to_owned()));
    lines
}

/// Last time of the model's own run, where it is a plain number.
fn last_time(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix("simulate until "))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Step of a fixed-step method: 400 steps a run.
fn step(until: Option<f64>) -> String {
    format!(" {}", until.unwrap_or(1.0) / 400.0)
}

/// A number without the rounding of its last digits.
fn short(value: f64) -> f64 {
    format!("{value:.9e}").parse().unwrap_or(value)
}

/// First parameter that has a plain number for a value.
fn parameter(text: &str) -> Option<(&str, f64)> {
    let lines = text.lines().filter_map(|line| line.trim_start().strip_prefix("parameter "));
    lines.flat_map(|line| line.split(',')).find_map(|item| {
        let (name, value) = item.split_once('=')?;
        let value = value.split_whitespace().next()?.parse().ok()?;
        Some((name.trim(), value)).filter(|(name, _)| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
    })
}

#[cfg(test)]
mod tests {
    use super::{all, last_time, parameter};
    use std::collections::BTreeSet;

    #[test]
    fn what_a_model_says() {
        let text = "parameter m[1..3] = 1, k = 40 {N/m} # stiffness\nsimulate until 2.5 tolerance 1e-9\n";
        assert_eq!(parameter(text), Some(("k", 40.0)));
        assert_eq!(last_time(text), Some(2.5));
        assert_eq!((parameter("coordinate x"), last_time("coordinate x")), (None, None));
    }

    #[test]
    fn every_model_has_cases_and_no_name_occurs_twice() {
        let cases = all(&crate::workspace::root().join("models")).unwrap();
        let names: BTreeSet<String> = cases.iter().map(|case| case.name()).collect();
        let models: BTreeSet<&str> = cases.iter().map(|case| case.model.as_str()).collect();
        assert_eq!(names.len(), cases.len());
        assert!(models.len() > 60, "{}", models.len());
    }
}
