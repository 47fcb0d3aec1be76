//! Everything at one state.

use super::{object, state_pairs, units};
use dalembert::constraint_kind::redundancy;
use dalembert::energies::EnergyValues;
use dalembert::explicit_terms::{Possible, VirtualWork};
use dalembert::{Evaluation, Model, Source, Workspace};
use dalembert_run::{Contacts, Line, State};
use dalembert_syntax::diagnostic::{self, Code, Diagnostic};
use serde_json::{Map, Value, json};

/// The model's start, or its guess as it stands with a warning.
pub fn start_or_guess(model: &Model, remarks: &mut Vec<Diagnostic>) -> Result<State, Box<Diagnostic>> {
    match model.start() {
        Ok(started) => Ok(started.state),
        Err(error) => {
            let guess = model.guess()?;
            let mut warning = error.severity(diagnostic::Severity::Warning);
            warning.help = Some("evaluated at the starting values as they are written".to_owned());
            remarks.push(warning);
            Ok(guess.state)
        }
    }
}

/// Outputs that have no finite value at this state.
pub fn output_remarks(model: &Model, now: &Evaluation) -> Vec<Diagnostic> {
    let values =
        model.system.experiment.outputs.iter().zip(&now.outputs).filter(|(_, value)| !value.is_finite());
    let remark = |name: &str, value: f64, span| {
        let message = format!("`{name}` is not a finite number at this state: it is {value}");
        Diagnostic::warning(Code::OutputNotFinite, span, message)
    };
    values.map(|(output, value)| remark(&output.name, *value, output.span)).collect()
}

/// Rows that vanish or depend on others at this state.
pub fn rank_remarks(model: &Model, now: &Evaluation) -> Vec<Diagnostic> {
    let rows = &model.system.constraints.rows;
    if now.solution.rank >= rows.len() {
        return Vec::new();
    }
    let vanishes = |r: usize| now.terms.row(r).values.iter().all(|v| *v == 0.0);
    let mut remarks = Vec::new();
    // Loops of joints are often redundant, and their rows then vanish for good reason.
    let closes = |r: usize| model.system.joint_of_constraint(rows[r].constraint).is_some();
    for r in (0..rows.len()).filter(|r| vanishes(*r) && !closes(*r)) {
        let message =
            format!("`{}` constrains no acceleration at this state: its gradient vanishes", rows[r].name);
        let help = if rows[r].holonomic {
            "the configuration is singular; the motion through it is not decided by this constraint"
        } else {
            "constraints that are nonlinear in the rates degenerate at rest; evaluate at a state in motion"
        };
        remarks.push(Diagnostic::warning(Code::DegenerateState, rows[r].span, message).help(help));
    }
    let dependent: Vec<usize> =
        model.redundant_rows(&now.terms).into_iter().filter(|r| !vanishes(*r)).collect();
    remarks.extend(redundancy(model, &dependent));
    remarks.extend(model.unique_forces(now));
    remarks
}

/// What was found at a state as JSON.
pub fn evaluation(model: &Model, now: &Evaluation, remarks: &[Diagnostic], source: &Source) -> Value {
    let (system, solution) = (&model.system, &now.solution);
    let row_names = || system.constraints.rows.iter().map(|row| row.name.as_str());
    let mut state = object(state_pairs(model, &now.state));
    state["t"] = json!(now.state.t);
    let mut all = model.diagnostics.clone();
    all.extend(remarks.iter().cloned());
    let explicit = model.explicit_terms(now);
    let values = model.workspace().input_values(&now.state);
    json!({
        "state": state,
        "units": units(model, state_and_outputs(model)),
        "speeds": system.frame.speeds.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(),
        "mass": matrix(now, system.frame.speeds.len(), |i| now.terms.mass_row(i)),
        "impressed": now.terms.Q,
        "constraint_matrix": matrix(now, system.constraints.rows.len(), |i| now.terms.row(i)),
        "constraint_rhs": now.terms.b,
        "nonideal_term": explicit.nonideal_term,
        "constraint_scaled": explicit.constraint_scaled,
        "constraint_scaled_pinv": explicit.constraint_scaled_pinv,
        "nonideal_acceleration": explicit.nonideal_acceleration,
        "error_signal": explicit.error_signal,
        "gain": explicit.gain,
        "virtual_displacements": explicit.virtual_displacements,
        "requirement_matrix": explicit.requirement_matrix,
        "requirement_rhs": explicit.requirement_rhs,
        "requirement_error": explicit.control.as_ref().map(|control| &control.error),
        "control_gain": explicit.control.as_ref().map(|control| &control.gain),
        "acceleration": solution.eta_dot,
        "unconstrained_acceleration": solution.a_free,
        "ideal": solution.ideal_force,
        "nonideal": solution.nonideal_force,
        "control": solution.control_force,
        "inputs": object(input_names(model).into_iter().zip(solution.inputs.iter().copied())),
        "input_values": object(values.iter().map(|(name, value)| (name.as_str(), *value))),
        "contacts": contacts(model, now),
        "multipliers": object(row_names().zip(solution.lambda.iter().copied())),
        "reactions": object(reactions(model, now)),
        "residuals": object(row_names().zip(now.residuals.iter().copied()).chain(requirements(model, now))),
        "rank": solution.rank,
        "gauss": solution.gauss,
        "energy": now.energy,
        "outputs": object(outputs(model, now)),
        "diagnostics": diagnostic::json(&all, source),
    })
}

fn state_and_outputs(model: &Model) -> Vec<&str> {
    let outputs = model.system.experiment.outputs.iter().map(|o| o.name.as_str());
    ["t"].into_iter().chain(model.state_names()).chain(outputs).collect()
}

/// Another acceleration compared with the actual one, as JSON.
pub fn possible(other: &Possible) -> Value {
    json!({
        "kept": other.kept,
        "residual": other.residual,
        "gauss": other.gauss,
        "gauss_excess": other.gauss_excess,
        "deviation": other.deviation,
    })
}

/// The work of each class of forces on a virtual displacement, as JSON.
pub fn virtual_work(work: &VirtualWork) -> Value {
    json!({
        "kept": work.kept,
        "work": {
            "applied": work.applied,
            "ideal": work.ideal,
            "nonideal": work.nonideal,
            "control": work.control,
        },
        "points": work.points.iter().map(|(name, delta)| (name.clone(), json!(delta))).collect::<Map<_, _>>(),
    })
}

/// Energies and co-energies at a state, as JSON; `null` for what does not exist.
pub fn energies(values: &EnergyValues) -> Value {
    json!({
        "kinetic_coenergy": values.kinetic_coenergy,
        "kinetic_energy": values.kinetic_energy,
        "potential_energy": values.potential,
        "potential_coenergy": values.potential_coenergy,
        "lagrangian": values.lagrangian,
        "hamiltonian": values.hamiltonian,
        "hamiltonian_star": values.hamiltonian_star,
        "lagrangian_star": values.lagrangian_star,
        "momenta": values.momenta,
        "efforts": values.efforts,
        "remarks": values.reasons,
    })
}

/// How far each requirement is from being met, by the names of their rows.
fn requirements<'m>(model: &'m Model, now: &Evaluation) -> impl Iterator<Item = (&'m str, f64)> {
    let errors = model.compiled.requirement_errors(now.state.point());
    let names = model.system.control.rows.iter().map(|row| row.name.as_str());
    names.zip(errors.into_iter().map(|errors| errors[0]))
}

/// Row after row; of a large system the entries as `[row, column, value]`.
fn matrix<'a>(now: &Evaluation, rows: usize, row: impl Fn(usize) -> Line<'a>) -> Value {
    if now.terms.sparsity.is_none() {
        return (0..rows).map(|i| json!(row(i).values)).collect();
    }
    let entries =
        (0..rows).flat_map(|i| row(i).entries().map(move |(j, v)| json!([i, j, v])).collect::<Vec<_>>());
    json!({ "rows": rows, "columns": now.terms.Q.len(), "entries": entries.collect::<Value>() })
}

/// The size of the force of each constraint.
pub fn reactions<'m>(model: &'m Model, now: &Evaluation) -> Vec<(&'m str, f64)> {
    let constraints = model.system.constraints.named.iter().enumerate();
    constraints
        .map(|(k, c)| (c.name.as_str(), model.compiled.reaction(k, &now.solution, &now.terms)))
        .collect()
}

/// The names of the control inputs: actuated coordinates, or every speed; none where nothing is required.
pub fn input_names(model: &Workspace) -> Vec<&str> {
    if model.system.control.rows.is_empty() {
        return Vec::new();
    }
    match &model.system.control.actuators {
        Some(list) => list.iter().map(|(name, _)| name.as_str()).collect(),
        None => model.system.frame.speeds.iter().map(|s| s.name.as_str()).collect(),
    }
}

/// Contacts with friction: what they do and what acts on them.
fn contacts(model: &Model, now: &Evaluation) -> Value {
    let places = model.compiled.contacts();
    let one = |(k, contact): (usize, &dalembert::system::Contact)| {
        json!({
            "name": contact.name,
            "sticks": now.sticks[k],
            "normal": now.solution.normal[k],
            "friction": now.solution.friction[places[k].slide.clone()],
        })
    };
    model.system.contacts.iter().enumerate().map(one).collect()
}

/// The model's outputs.
pub fn outputs<'m>(model: &'m Model, now: &Evaluation) -> Vec<(&'m str, f64)> {
    model.system.experiment.outputs.iter().map(|o| o.name.as_str()).zip(now.outputs.iter().copied()).collect()
}
