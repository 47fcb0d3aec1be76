//! The same mechanics in other words: random models with all statements mixed, each beside a rewritten one that must have
//! the same accelerations, the same forces and the same motion. The models themselves are compared with a dense reference.
//!
//! `METAMORPHIC_SEEDS=1000 cargo test --release -p dalembert --test it trust::metamorphic` runs more of them.

use crate::support::*;
use dalembert::run::State;
use dalembert::{Overrides, Request, Source, Workspace};
use description::Description;
use std::sync::OnceLock;

mod description;
mod expression;
mod generator;
mod reference;
mod transformations;

const SEEDS: u64 = 60;
const DURATION: f64 = 0.2;
const FORCES: [&str; 4] = ["acceleration", "ideal", "nonideal", "control"];

/// What must not depend on how a model is written.
#[derive(Debug)]
struct Measured {
    state: State,
    /// Accelerations and generalised forces on each coordinate.
    forces: Vec<Vec<f64>>,
    multipliers: Vec<f64>,
    energy: f64,
    /// Each coordinate at a few times.
    motion: Vec<Vec<f64>>,
    events: Vec<(String, f64)>,
}

struct Case {
    seed: u64,
    model: Description,
    measured: Measured,
}

/// Loads and moves a model; what goes wrong as text.
fn measure(model: &Description) -> Result<Measured, String> {
    let text = model.text();
    let source = Source::new("model.dal", text.as_str());
    let said = |d: Box<dalembert::diagnostic::Diagnostic>| d.message.clone();
    let mut loaded = Workspace::load(&source, &Overrides::default())
        .map_err(|d| d.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("\n"))?;
    let state = loaded.start_at(model.t, None).map_err(said)?.state;
    let now = loaded.evaluate(&state).map_err(said)?;
    let output = |name: String| {
        let k = loaded.system.experiment.outputs.iter().position(|o| o.name == name);
        k.map_or(f64::NAN, |k| now.outputs[k])
    };
    let forces = FORCES.map(|f| (0..model.n()).map(|i| output(format!("{f}{i}"))).collect()).to_vec();
    let rows = if model.multipliers { model.rows.len() } else { 0 };
    let multipliers = (0..rows).map(|k| output(format!("multiplier{k}"))).collect();
    let energy = output("total".into());
    let request = Request {
        until: Some(model.t + DURATION),
        every: Some(DURATION / 4.0),
        rtol: Some(1e-10),
        atol: Some(1e-12),
        max_steps: Some(2_000),
        start: Some(state.clone()),
        ..Request::default()
    };
    let motion = loaded.simulate(&request, |_| dalembert::run::Flow::Continue).map_err(said)?;
    if let Some(failure) = &motion.failure {
        return Err(failure.message.clone());
    }
    let own = motion.events.iter().filter(|e| !e.name.contains(' '));
    let events = own.map(|e| (e.name.clone(), e.t - model.t)).collect();
    let motion = (0..model.n()).map(|i| column(&motion, expression::name(i))).collect();
    Ok(Measured { state, forces, multipliers, energy, motion, events })
}

/// The random models that have a regular start, their guesses replaced by it: a rewritten model starts there too, whatever
/// its measure of the nearest consistent state.
fn cases() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| {
        let more = std::env::var("METAMORPHIC_SEEDS").ok().and_then(|s| s.parse().ok());
        (0..more.unwrap_or(SEEDS)).filter_map(case).collect()
    })
}

fn case(seed: u64) -> Option<Case> {
    let mut model = generator::random_model(seed);
    let known = |model: &Description| reference::solve(model, &model.q, &model.v, model.t);
    if known(&model).is_some_and(|r| r.pivots < 1e-3) {
        return None;
    }
    let first = match measure(&model) {
        Ok(first) => first,
        Err(message) => {
            println!("seed {seed} is left out: {message}");
            return None;
        }
    };
    // A start far from the guess is near a singular configuration, where small differences grow.
    if largest(&first.state.eta) > 5.0 {
        return None;
    }
    (model.q, model.v) = (first.state.x.clone(), first.state.eta.clone());
    let measured =
        measure(&model).unwrap_or_else(|e| panic!("seed {seed} does not start again: {e}\n{}", model.text()));
    Some(Case { seed, model, measured })
}

/// Largest difference relative to the size of the numbers of a kind.
fn differ(a: &[f64], b: &[f64]) -> f64 {
    apart(a, b) / (1.0 + largest(a))
}

fn compare(what: &str, case: &Case, other: &Description) -> Vec<String> {
    let text =
        || format!("--- seed {}, {what} ---\n{}--- from ---\n{}", case.seed, other.text(), case.model.text());
    let a = &case.measured;
    let b = match measure(other) {
        Ok(b) => b,
        Err(message) => return vec![format!("{message}\n{}", text())],
    };
    let mut wrong = Vec::new();
    let mut check = |name: &str, measured: f64, bound: f64| {
        if measured.is_nan() || measured > bound {
            wrong.push(format!("{name} differ by {measured:.1e}"));
        }
    };
    for (k, name) in FORCES.iter().enumerate() {
        check(name, differ(&a.forces[k], &b.forces[k]), 1e-9);
    }
    if other.multipliers {
        check("multipliers", differ(&a.multipliers, &b.multipliers), 1e-9);
    }
    if other.energy {
        check("energies", differ(&[a.energy], &[b.energy]), 1e-9);
    }
    // A normal force has a kink where a multiplier changes its sign, and steps across it are less exact.
    let bound = if case.model.contacts.is_empty() { 1e-8 } else { 1e-6 };
    for (i, (a, b)) in a.motion.iter().zip(&b.motion).enumerate() {
        check(&format!("motions of {}", expression::name(i)), differ(a, b), bound);
    }
    let names = |m: &Measured| m.events.iter().map(|e| e.0.clone()).collect::<Vec<_>>();
    let times = |m: &Measured| m.events.iter().map(|e| e.1).collect::<Vec<_>>();
    if names(a) == names(&b) {
        check("times of events", differ(&times(a), &times(&b)), 10.0 * bound);
    } else {
        wrong.push(format!("events {:?} and {:?}", a.events, b.events));
    }
    if wrong.is_empty() { wrong } else { vec![format!("{}\n{}", wrong.join("\n"), text())] }
}

/// Every model beside what a transformation makes of it, where it applies; at least `least` of the built-in seeds.
fn same_mechanics(
    what: &str,
    least: usize,
    transform: impl Fn(&Description, &mut Rng) -> Option<Description>,
) {
    let (mut ran, mut wrong) = (0, Vec::new());
    for case in cases() {
        let mut rng = Rng::new(case.seed ^ 0x5eed);
        let Some(other) = transform(&case.model, &mut rng) else { continue };
        ran += 1;
        wrong.extend(compare(what, case, &other));
    }
    println!("{what}: {ran} models");
    assert!(
        wrong.is_empty(),
        "{} of {ran} differ\n{}",
        wrong.len(),
        wrong[..wrong.len().min(3)].join("\n\n")
    );
    assert!(ran >= least, "{what} ran {ran} times only");
}

#[test]
fn metamorphic_models_agree_with_a_dense_reference() {
    let (mut ran, mut wrong) = (0, Vec::new());
    for case in cases() {
        let Measured { state, forces, .. } = &case.measured;
        let Some(r) = reference::solve(&case.model, &state.x, &state.eta, state.t) else { continue };
        ran += 1;
        let pairs = [&r.acceleration, &r.ideal, &r.nonideal, &r.control];
        let mut off: Vec<f64> = forces.iter().zip(pairs).map(|(a, b)| differ(a, b)).collect();
        off.push(differ(&case.measured.multipliers, &r.multipliers));
        off.push(r.residual);
        if largest(&off) > 1e-10 {
            wrong.push(format!("seed {}: {off:?}\n{}", case.seed, case.model.text()));
        }
    }
    println!("reference: {ran} models");
    assert!(
        wrong.is_empty(),
        "{} of {ran} differ\n{}",
        wrong.len(),
        wrong[..wrong.len().min(3)].join("\n\n")
    );
    assert!(ran >= 40, "the reference ran {ran} times only");
}

#[test]
fn metamorphic_zero_forces_change_nothing() {
    same_mechanics("zero forces", 40, transformations::zero_forces);
}

#[test]
fn metamorphic_split_energies_are_the_same_energy() {
    same_mechanics("split energies", 40, transformations::split_energies);
}

#[test]
fn metamorphic_unrelated_coordinates_change_nothing() {
    same_mechanics("an unrelated coordinate", 40, transformations::unrelated_coordinate);
}

#[test]
fn metamorphic_scaled_rows_are_the_same_constraint() {
    same_mechanics("scaled rows", 20, transformations::scaled_rows);
}

#[test]
fn metamorphic_rewritten_rows_are_the_same_constraint() {
    same_mechanics("rewritten rows", 20, transformations::rewritten_rows);
}

#[test]
fn metamorphic_differentiated_rows_are_the_same_constraint() {
    same_mechanics("rates of rows", 15, transformations::differentiated_rows);
}

#[test]
fn metamorphic_duplicated_rows_change_nothing() {
    same_mechanics("duplicated rows", 20, transformations::duplicated_rows);
}

#[test]
fn metamorphic_rows_of_one_vector_are_the_same_constraints() {
    same_mechanics("vectors of rows", 8, transformations::joined_rows);
}

#[test]
fn metamorphic_forces_by_other_statements_are_the_same_forces() {
    same_mechanics("other statements", 40, transformations::other_statements);
}

#[test]
fn metamorphic_friction_of_coefficient_zero_changes_nothing() {
    same_mechanics("friction of coefficient zero", 15, transformations::zero_friction);
}

#[test]
fn metamorphic_renamed_speeds_are_the_same_motion() {
    same_mechanics("renamed speeds", 40, transformations::renamed_speeds);
}

#[test]
fn metamorphic_nested_speeds_are_the_same_motion() {
    same_mechanics("nested speeds", 40, transformations::nested_speeds);
}

#[test]
fn metamorphic_speeds_in_place_of_rates_are_the_same_motion() {
    same_mechanics("recombined speeds", 40, transformations::recombined_speeds);
}

#[test]
fn metamorphic_units_are_a_matter_of_writing() {
    same_mechanics("other units", 40, transformations::other_units);
}

#[test]
fn metamorphic_statements_may_come_in_any_order() {
    same_mechanics("another order", 40, transformations::another_order);
}

#[test]
fn metamorphic_a_shift_in_time_changes_nothing() {
    same_mechanics("shifted time", 40, transformations::shifted_time);
}

#[test]
fn metamorphic_transformations_may_follow_each_other() {
    same_mechanics("several at once", 40, transformations::several);
}
