//! Accelerations and masses of imported files against MuJoCo 4.0.0 (`mj_forward`; loops: its mass matrix and Jacobian with
//! U1 in NumPy) and Pinocchio 4.1.0 (`fingers`: its tree with the mimic joint as a row), at random states.
//!
//! Tables have a row for each number: state, what (`at`, `input`, `force`, `acceleration`, `mass`), name, value. Speeds of free bodies
//! are in the axes of the body, as in the language.

use dalembert::{Model, Overrides, Signal};
use dalembert_formats::{Imported, Options, import};
use dalembert_syntax::Source;

fn imported(name: &str, text: &str) -> Imported {
    import(&Source::new(name, text), &Options::default()).unwrap_or_else(|d| panic!("{name}: {d}"))
}

/// Both programs agree with each other to rounding; 1e-11 of the largest leaves room for the order of sums.
fn agrees(name: &str, file: &str, table: &str) {
    let made = imported(name, file);
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let mass: f64 = rows.iter().find(|r| r[1] == "mass").and_then(|r| r[3].parse().ok()).expect("a mass");
    assert!((made.total_mass / mass - 1.0).abs() < 1e-12, "{} kg, not {mass} kg", made.total_mass);
    let states = rows.iter().filter_map(|r| r[0].parse::<usize>().ok()).max().unwrap_or(0);
    for state in 0..=states {
        let of = |what: &str| -> Vec<(&str, &str)> {
            let here = rows.iter().filter(|r| r[0] == state.to_string() && r[1] == what);
            here.map(|r| (r[2], r[3])).collect()
        };
        let forces: String = of("force").iter().map(|(name, v)| format!("force {name} = {v}\n")).collect();
        let input =
            of("input").iter().map(|(n, v)| ((*n).to_owned(), Signal::Expression((*v).to_owned()))).collect();
        let overrides = Overrides { input, ..Overrides::default() };
        let source = Source::new(name, format!("{}{forces}", made.text));
        let model = Model::load(&source, &overrides).unwrap_or_else(|d| panic!("{name}: {d}\n{}", made.text));
        let at: Vec<String> = of("at").iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let guess = model.guess().unwrap_or_else(|d| panic!("{d}")).state;
        let point = model.state_at(guess, &at.join(", ")).unwrap_or_else(|d| panic!("{d}"));
        let now = model.evaluate(&point).unwrap_or_else(|d| panic!("{d}"));
        let wanted: Vec<(&str, f64)> =
            of("acceleration").iter().map(|(name, v)| (*name, v.parse().expect("a number"))).collect();
        let size = wanted.iter().fold(0.0, |m: f64, (_, v)| m.max(v.abs()));
        assert!(
            wanted.len() == model.system.frame.speeds.len(),
            "{} of {}",
            wanted.len(),
            model.system.frame.speeds.len()
        );
        for (speed, value) in wanted {
            let k = model.system.frame.speeds.iter().position(|s| s.name == speed).expect(speed);
            let off = (now.solution.eta_dot[k] - value).abs();
            assert!(off <= 1e-11 * size, "{name}, state {state}: {speed} is off by {off:.1e} of {size:.1e}");
        }
    }
}

macro_rules! cases {
    ($($name:ident $ending:literal)*) => {
        $(#[test]
        fn $name() {
            let file = include_str!(concat!("cases/", stringify!($name), ".", $ending));
            agrees(stringify!($name), file, include_str!(concat!("cases/", stringify!($name), ".csv")));
        })*
    };
}

cases! { fingers "urdf" floating_arm "xml" actuators "xml" two_floating "xml" loops "xml" }

/// Masses of `floating_arm` by body, from MuJoCo.
#[test]
fn masses_of_geoms_are_those_of_mujoco() {
    let made = imported("floating_arm.xml", include_str!("cases/floating_arm.xml"));
    let text = format!("{}output m1 = base.mass, m2 = fore.mass, m3 = ball.mass\n", made.text);
    let model = Model::load(&Source::new("", text), &Overrides::default()).expect("it loads");
    let now = model.evaluate(&model.start().expect("it starts").state).expect("it has accelerations");
    for (found, wanted) in
        now.outputs.iter().zip([6.6333450789637025, 0.9858918252290003, 1.4074335088082275])
    {
        assert!((found / wanted - 1.0).abs() < 1e-12, "{found} {wanted}");
    }
}
