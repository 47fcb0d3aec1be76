//! Exported code is compiled, run and compared with the engine, number by number: agree.
//!
//! A tool that a machine does not have (`cc`, `python3`) is named and its language skipped; `rustc` is always there.

mod friction;
mod jacobian;
mod starts;

use crate::support::*;
use dalembert::Workspace;
use dalembert::diagnostic::Code;
use dalembert::run::{AccelerationError, Flow, State, accelerate};
use dalembert_codegen::{self as code, Target};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Against the largest number of its array, or one: both roads round, the exported one by another decomposition.
const AGREE: f64 = 1e-12;

/// A model, what it is called in the code, and the states to compare at.
struct Case {
    name: String,
    model: Workspace,
    states: Vec<State>,
}

/// Constraints of nature, requirements on top of them, inputs that are no speeds' own, and a cost.
const GUIDED: &str = "
    parameter m = 2, M = 3, l = 0.8, g = 9.81
    coordinate s, x, y, phi
    kinetic M/2*s'^2 + m/2*(x'^2 + y'^2) + 0.1*phi'^2
    potential m*g*y + cos(phi)
    constraint rod: (x - s)^2 + y^2 = l^2
    require swing: x - s = 0.3*sin(t) decay 2, 1
    require turn: phi = sin(2*t) decay 3, 4
    actuate s, x, phi
    weight [[2, 0.3, 0], [0.3, 1 + s^2, 0], [0, 0, 5]]
    initial s = 0.1, x ~ 0.2, y ~ -1";

/// Control whose inputs change the force that they work against more than that changes what is asked for.
const PRESSED: &str = "
    parameter mu = 1.5, g = 9.81
    coordinate x, y
    kinetic (x'^2 + y'^2)/2
    potential g*y
    constraint plane: y = 0.1*sin(x)
    nonideal work -mu*multiplier(plane)*delta(x)
    require r: x' = 1 + t
    actuate x, y
    weight [1, 2]
    initial x' = 1";

/// Every function and condition of the language; forces that follow the multipliers, and control against them.
const FUNCTIONS: &str = "
    parameter a = 0.7, θ = 0.2
    coordinate q[1..2], x, sin_ , lambda
    let f = asin(0.3*sin(q[1])) + acos(0.2*cos(q[2])) + atan(x) + atan2(x, 2 + lambda) + tan(0.1*q[1]) + sinh(0.2*x)
    let h = cosh(0.3*x) + tanh(q[2]) + exp(-x^2) + log(2 + x^2) + sqrt(3 + q[1]^2) + abs(x) + sign(q[2]) + asinh(x) + acosh(2 + x^2) + atanh(0.3*sin(x)) + 0.01*floor(3*x) + 0.02*mod(x, 0.4) + log10(3 + x^2)
    let k = min(q[1], q[2]) + max(x, 0.1) + (2 + x^2)^1.3 + (if x > 0 and q[1] <= 1 then 1/x else a*x) + (if not (x < 0) or q[2] == 1 then θ else 0)
    kinetic (q[1]'^2 + q[2]'^2 + x'^2 + 2*sin_'^2 + lambda'^2)/2*(1 + 0.1*cos(q[1]))
    potential 0.1*f + 0.2*h
    force [0.1*f, 0.1*h, 0.1*k, 0.2*k, 0]
    constraint c: q[1] + q[2]*x + sin_ = 0.4
    constraint d: [lambda' + x*q[1]', q[2]' - sin_'] = [0, 0]
    nonideal work -0.1*norm(multiplier(d))*(q[1]'*delta(q[1]) + x'*delta(x)) - 0.05*reaction(c)*delta(lambda)
    require r: x = 0.1*t decay 1, 1
    actuate q[1], x, lambda
    initial q[1] ~ 0.4, q[2] ~ 0.1, x ~ 0.3";

fn case(name: &str, mut model: Workspace, seed: u64) -> Case {
    let start = start(&mut model);
    let mut states = vec![start.clone()];
    // Along the motion, where constraints hold ...
    let (n_x, n) = (start.x.len(), start.eta.len());
    let motion =
        model.simulate(&until(0.5), |_| Flow::Continue).unwrap_or_else(|d| panic!("{name}: {}", d.message));
    let columns = motion.table.columns.len();
    for row in motion.table.values.chunks(columns).skip(7).step_by(13) {
        states.push(State::new(row[0], &row[1..=n_x], &row[n_x + 1..=n_x + n]));
    }
    // ... and off it.
    let mut rng = Rng::new(seed);
    for _ in 0..4 {
        let near = |v: &f64, rng: &mut Rng| v + 0.3 * rng.number(-1.0, 1.0);
        let x: Vec<f64> = start.x.iter().map(|v| near(v, &mut rng)).collect();
        let eta: Vec<f64> = start.eta.iter().map(|v| near(v, &mut rng)).collect();
        states.push(State::new(rng.number(0.0, 2.0), &x, &eta));
    }
    Case { name: name.to_owned(), model, states }
}

/// Made once for all languages.
fn cases() -> &'static [Case] {
    static CASES: std::sync::OnceLock<Vec<Case>> = std::sync::OnceLock::new();
    CASES.get_or_init(make_cases)
}

fn all() -> Vec<&'static Case> {
    cases().iter().collect()
}

fn make_cases() -> Vec<Case> {
    let files = [
        "pendulum",
        "pendulum_redundant",
        "pendulum_massless",
        "rolling_disk",
        "appell_nonideal",
        "incline_nonideal",
        "bricard",
        "n_four_bar",
        "satellite_circle",
        "double_pendulum_track",
        "double_pendulum_tip",
        "relativistic_particle",
        "rigid_body",
        "andrews_squeezer",
        "one_sided_spring",
        "bicycle",
    ];
    let mut cases: Vec<Case> =
        files.iter().enumerate().map(|(k, name)| case(name, load_file(name), k as u64)).collect();
    // All bars in one line: rank is lost.
    let bars = cases.iter_mut().find(|c| c.name == "n_four_bar").expect("it is above");
    bars.states.push(State::new(0.0, &[1.0, 2.0, 3.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 0.0, -1.0, -1.0, -1.0]));
    cases.push(case("guided", load(GUIDED), 31));
    cases.push(case("pressed", load(PRESSED), 37));
    // Control of a system whose mass matrix is singular.
    let driven =
        model_text("pendulum_massless") + "\nrequire r: theta = 1.2 + t^2 decay 1, 1\nactuate x, theta";
    cases.push(case("driven", load(&driven), 33));
    let mut functions = case("functions", load(FUNCTIONS), 32);
    // One branch of a condition is infinite here, the other one counts.
    let mut edge = functions.states[0].clone();
    edge.x[2] = 0.0;
    functions.states.push(edge);
    cases.push(functions);
    let points: Vec<String> =
        (0..60).map(|k| format!("[{}, {}]", k as f64 / 10.0 - 1.0, (k * k % 17) as f64)).collect();
    let points = points.join(", ");
    let tables = format!(
        "coordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\ntable f = [{points}]\ntable g = [{points}] cubic\n\
         table h = [{points}] step\npotential f(x)/20 + g(y)/30\nforce z = h(t) - h(x)*z'/20\n\
         constraint c: z + x = 0.1*g(y + x)\ninitial x ~ 0.4, y ~ 0.3"
    );
    cases.push(case("tables", load(&tables), 41));
    cases.extend(troubles());
    cases
}

/// States at which there is no answer, and the code for it.
fn troubles() -> Vec<Case> {
    let still = |name: &str, text: &str, x: &[f64]| {
        let model = load(text);
        let n = model.form.speeds.len();
        Case { name: name.to_owned(), model, states: vec![State::new(0.0, x, &vec![0.0; n])] }
    };
    let plane = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\n";
    vec![
        still("infinite", "coordinate x\nkinetic x'^2/2\npotential 1/x", &[0.0]),
        still("massless", "coordinate x, y\nkinetic x'^2/2\npotential x*y", &[1.0, 1.0]),
        still(
            "against",
            &format!("{plane}constraint a: x + y = sin(t)\nconstraint b: x + y = t^2"),
            &[0.0, 0.0],
        ),
        still("beyond", &format!("{plane}require a: x = t^2\nactuate y"), &[0.0, 0.0]),
        still(
            "twice",
            &format!("{plane}require a: x = t^2\nactuate x, y\nweight [[1, 2], [2, 1]]"),
            &[0.0, 0.0],
        ),
        still(
            "again",
            &format!("{plane}constraint a: x + y = t^2\nconstraint b: 3*x + 3*y = 3*t^2"),
            &[0.0, 0.0],
        ),
    ]
}

/// What the engine says, as the exported function would: code, rank, and the arrays in order.
fn expected(case: &Case, state: &State) -> (i32, usize, Vec<Vec<f64>>) {
    let solution = match accelerate(&case.model.compiled, state.point()) {
        Ok(solution) => solution,
        Err(error) => {
            let code = match error {
                AccelerationError::NotFinite { .. } => 1,
                AccelerationError::MassSingular { .. } => 2,
                AccelerationError::Inconsistent { .. } => 3,
                AccelerationError::Unreachable { .. } => 4,
                AccelerationError::CostNotPositive { .. } => 5,
                other => panic!("{}: {other:?}", case.name),
            };
            return (code, 0, Vec::new());
        }
    };
    let now = evaluate(&case.model, state);
    let s = solution;
    let arrays = vec![
        now.terms.x_dot,
        s.eta_dot,
        s.ideal_force,
        s.nonideal_force,
        s.control_force,
        s.lambda,
        s.inputs,
    ];
    (0, s.rank, arrays)
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("export_code").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn exported(case: &Case, target: Target) -> String {
    code::write(&case.model, target, &case.name).unwrap_or_else(|d| panic!("{}: {}", case.name, d.message))
}

/// Whether a tool can be started; says so if not.
fn present(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok_and(|o| o.status.success());
    if !found {
        eprintln!("SKIPPED: `{tool}` is not on this machine, so its code is not checked here");
    }
    found
}

/// Runs a tool that must succeed without a word.
fn silently(command: &mut Command) {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{command:?}\n{said}");
}

/// Feeds the states of a case and compares what comes back. Returns the largest difference.
fn compare(case: &Case, command: &mut Command) -> f64 {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
    let lines = case.states.iter().map(|s| {
        let numbers = std::iter::once(&s.t).chain(&s.x).chain(&s.eta);
        numbers.map(|v| format!("{v:?}")).collect::<Vec<_>>().join(" ") + "\n"
    });
    let text: String = lines.collect();
    child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("the program reads");
    let output = child.wait_with_output().expect("the program ends");
    let answers = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(answers.lines().count(), case.states.len(), "{}: {command:?}", case.name);
    let mut worst = 0.0_f64;
    for (state, line) in case.states.iter().zip(answers.lines()) {
        let numbers: Vec<f64> = line.split_whitespace().map(|w| w.parse().expect("a number")).collect();
        let (code, rank, arrays) = expected(case, state);
        let place = format!("{} by {:?} at {state:?}", case.name, command.get_program());
        assert_eq!(numbers[0] as i32, code, "code of {place}");
        if code != 0 {
            assert!(numbers[2..].iter().all(|v| v.is_nan()), "{place}: no number passes for an answer");
            continue;
        }
        assert_eq!(numbers[1] as usize, rank, "rank of {place}");
        let mut rest = &numbers[2..];
        for (k, want) in arrays.iter().enumerate() {
            let (got, tail) = rest.split_at(want.len());
            rest = tail;
            let difference = apart(got, want) / largest(want).max(1.0);
            assert!(difference <= AGREE, "array {k} of {place}: {difference:.1e}\n{got:?}\n{want:?}");
            worst = worst.max(difference);
        }
        assert!(rest.is_empty(), "{place}");
    }
    worst
}

/// C, compiled with a level of optimisation: the largest difference from the engine.
fn in_c(folder: &Path, cases: &[&Case], level: &str) -> f64 {
    let one = |case: &Case| {
        let file = folder.join(format!("{}.c", case.name));
        let driver = include_str!("export_code/driver.c").replace("NAME_", &format!("{}_", case.name));
        std::fs::write(&file, exported(case, Target::C) + &driver).expect("written");
        let program = file.with_extension("exe");
        let flags = ["-std=c99", level, "-Wall", "-Wextra", "-Wpedantic"];
        silently(Command::new("cc").args(flags).arg(&file).arg("-o").arg(&program).arg("-lm"));
        compare(case, &mut Command::new(&program))
    };
    cases.iter().map(|case| one(case)).fold(0.0, f64::max)
}

#[test]
fn c_says_what_the_engine_says() {
    if present("cc") {
        below("exported C against the engine", in_c(&folder("c"), &all(), "-O1"), AGREE);
    }
}

/// Where matrices have one entry, compilers see every index; each level of optimisation warns of others.
#[test]
fn c_of_one_speed_compiles_in_silence_at_every_level() {
    if !present("cc") {
        return;
    }
    let folder = folder("c_levels");
    let tail = "initial x = 3, x' = 0";
    for (name, text) in [
        ("steered", format!("coordinate x\nkinetic x'^2/2\nrequire r: x = 1 decay 2\n{tail}")),
        ("twice", format!("coordinate x\nkinetic x'^2/2\nrequire r: [x, 2*x] = [1, 2] decay 2\n{tail}")),
        ("held", format!("coordinate x\nkinetic x'^2/2\nconstraint c: x = 3\n{tail}")),
        ("free", format!("coordinate x\nkinetic x'^2/2\npotential x^2\n{tail}")),
        ("still", format!("coordinate x\nmass [[0]]\nforce [0]\nconstraint c: x = 3\n{tail}")),
    ] {
        let file = folder.join(format!("{name}.c"));
        std::fs::write(&file, exported(&case(name, load(&text), 1), Target::C)).expect("written");
        for level in ["-O0", "-O1", "-O2", "-O3"] {
            let flags = ["-std=c99", level, "-Wall", "-Wextra", "-Wpedantic", "-c"];
            silently(Command::new("cc").args(flags).arg(&file).arg("-o").arg(file.with_extension("o")));
        }
    }
}

/// Rust, in one program for all of them: a compiler is slow to start.
fn in_rust(folder: &Path, cases: &[&Case]) -> f64 {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let (mut main, mut arms) =
        (String::from("#![deny(warnings)]\n#![allow(non_snake_case)]\n"), String::new());
    for case in cases {
        std::fs::write(folder.join(format!("{}.rs", case.name)), exported(case, Target::Rust))
            .expect("written");
        main += &format!("mod {};\n", case.name);
        main += &include_str!("export_code/driver.rs").replace("NAME", &case.name);
        arms += &format!("        \"{0}\" => drive_{0}(),\n", case.name);
    }
    main += &format!(
        "fn main() {{\n    match std::env::args().nth(1).as_deref().unwrap_or(\"\") {{\n{arms}        _ => {{}}\n    }}\n}}\n"
    );
    let (file, program) = (folder.join("main.rs"), folder.join("main.exe"));
    std::fs::write(&file, main).expect("written");
    silently(
        Command::new(rustc)
            .args(["--edition", "2021", "-C", "opt-level=0"])
            .arg(&file)
            .arg("-o")
            .arg(&program),
    );
    cases.iter().map(|case| compare(case, Command::new(&program).arg(&case.name))).fold(0.0, f64::max)
}

#[test]
fn rust_says_what_the_engine_says() {
    below("exported Rust against the engine", in_rust(&folder("rust"), &all()), AGREE);
}

/// In a crate without `std`, as written.
#[test]
fn rust_builds_without_std() {
    let folder = folder("no_std");
    let cases = all();
    let mut library = String::from("#![no_std]\n#![deny(warnings)]\n#![allow(non_snake_case)]\n");
    for case in &cases[..cases.len().min(3)] {
        std::fs::write(folder.join(format!("{}.rs", case.name)), exported(case, Target::Rust))
            .expect("written");
        library += &format!("pub mod {};\n", case.name);
    }
    let file = folder.join("lib.rs");
    std::fs::write(&file, library).expect("written");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let flags = ["--edition", "2021", "--crate-type", "lib", "--emit", "metadata"];
    silently(Command::new(rustc).args(flags).arg(&file).arg("-o").arg(folder.join("lib.rmeta")));
}

/// Python, one process a case.
fn in_python(folder: &Path, cases: &[&Case]) -> f64 {
    let one = |case: &Case| {
        let file = folder.join(format!("{}.py", case.name));
        std::fs::write(&file, exported(case, Target::Python) + include_str!("export_code/driver.py"))
            .expect("written");
        compare(case, Command::new("python3").arg(&file))
    };
    cases.iter().map(|case| one(case)).fold(0.0, f64::max)
}

#[test]
fn python_says_what_the_engine_says() {
    if present("python3") {
        below("exported Python against the engine", in_python(&folder("python"), &all()), AGREE);
    }
}

/// The cases above compare codes with the engine's refusals; here is that every code occurs.
#[test]
fn every_trouble_has_its_code() {
    let code = |case: &Case| (case.name.clone(), expected(case, &case.states[0]).0);
    let codes: Vec<(String, i32)> = troubles().iter().map(code).collect();
    let wanted =
        [("infinite", 1), ("massless", 2), ("against", 3), ("beyond", 4), ("twice", 5), ("again", 0)];
    assert_eq!(codes, wanted.map(|(name, code)| (name.to_owned(), code)));
    let again = troubles().pop().expect("the last one");
    assert_eq!(expected(&again, &again.states[0]).1, 1, "two rows, one direction");
}

#[test]
fn giants_are_refused() {
    let chain = load_with(&model_text("oscillator_chain"), &sets(&[("N", "400")]));
    let refusal = code::write(&chain, Target::C, "chain").expect_err("a call would take megabytes");
    assert_eq!(refusal.code, Code::TooLarge);
    let series = load("coordinate q\nkinetic q'^2/2\npotential sum(k in 1..8000, sin(k*q)/k)");
    let text =
        code::write(&series, Target::C, "series").expect("tens of thousands of operations are written");
    assert!(text.lines().count() > 20_000 && code::MAX_EXPORTED >= 200_000, "{}", text.lines().count());
}

/// Where nothing but masses, forces and independent constraints decides a motion, exported code does the operations of
/// native code.
#[test]
fn systems_are_exported_with_their_solve() {
    let models = [
        ("double_pendulum", true),
        ("pendulum_redundant", true),
        ("andrews_squeezer", true),
        // Rows that follow from others, and forces that follow the rows.
        ("bricard", false),
        ("appell_nonideal", false),
    ];
    for (name, whole) in models {
        let case = case(name, load(&model_text(name)), 1);
        let [c, rust] = [Target::C, Target::Rust].map(|target| exported(&case, target));
        assert_eq!(c.contains(&format!("{name}_whole(t, x, eta, p")), whole, "{name}");
        assert_eq!(rust.contains("whole(t, x, eta, p"), whole, "{name}");
    }
}
