//! Energies and co-energies, written out.

use super::write::{Style, Writer};
use crate::formalism::energies::{Energies, EnergyValues};
use crate::system::{System, WrittenEnergy};
use crate::workspace::Workspace;
use dalembert_expr::{Format, Function, Symbol};
use dalembert_syntax::diagnostic::Diagnostic;

pub(super) fn write(model: &mut Workspace, style: Style) -> Result<String, Box<Diagnostic>> {
    let potential_given = model.system.energies.potential;
    let energies = Energies::of(model)?;
    let kinetic = as_written(&model.system, 0);
    // Forces that are counted in V are not in the statement.
    let potential =
        as_written(&model.system, 1).filter(|_| model.system.energies.potential == potential_given);
    let numbers = numbers(model, &energies);
    let pool = &mut model.system.pool;
    let mut w = Writer::new(style, model.system.title.as_deref());
    for (symbol, e) in energies.efforts.iter().zip(&energies.effort_values) {
        w.definition(pool, *symbol, *e);
    }
    for (symbol, e) in &energies.slopes {
        w.definition(pool, *symbol, *e);
    }
    let e = &energies;
    if e.hamiltonian.is_none() {
        for (symbol, value) in e.momenta.iter().zip(&e.momentum_values) {
            w.definition(pool, *symbol, *value);
        }
    }
    for (letter, value) in [
        ("T*", e.kinetic_coenergy),
        ("T", e.kinetic_energy),
        ("V", e.potential),
        ("V*", e.potential_coenergy),
        ("L", Some(e.lagrangian)),
        ("H", e.hamiltonian),
        ("H*", e.hamiltonian_star),
        ("L*", e.lagrangian_star),
    ] {
        let Some(value) = value else { continue };
        let text = match letter {
            "T*" => kinetic.as_ref(),
            "V" => potential.as_ref(),
            _ => None,
        };
        match (letter, text) {
            (_, Some(text)) if style.format == Format::Text => w.line(&format!("{letter} = {text}")),
            ("T*" | "V", _) => w.function_as_written(pool, letter, value),
            _ => w.function(pool, letter, value),
        }
    }
    e.reasons.iter().chain(&numbers).for_each(|note| w.note(note));
    Ok(w.finish(&mut model.system))
}

/// The expression of the one statement that gives an energy, where all names in it are known to the reader: coordinates,
/// speeds, parameters and functions, no `let` and no index.
fn as_written(system: &System, which: usize) -> Option<String> {
    let WrittenEnergy::One(text) = &system.energies.written[which] else { return None };
    let known = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_digit())
            || ["t", "pi"].contains(&name)
            || system.frame.coordinates.iter().any(|c| c.name == name)
            || system.frame.speeds.iter().any(|s| s.name == name)
            || system.parameters.iter().any(|p| p.name == name)
            || Function::ALL.iter().any(|f| f.name() == name)
            || name == "sqrt"
    };
    let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let plain = parts.filter(|part| !part.is_empty()).all(known);
    (plain && !text.contains(['{', '[', ':'])).then(|| text.clone())
}

/// Where a transform has no closed form: the values at the start, or why there are none.
fn numbers(model: &mut Workspace, energies: &Energies) -> Vec<String> {
    let e = energies;
    let transformed = [e.potential_coenergy, e.hamiltonian_star, e.lagrangian_star];
    let separate = e.kinetic_coenergy.is_some();
    let closed = e.hamiltonian.is_some()
        && (!separate || transformed.iter().all(Option::is_some) || e.efforts.is_empty());
    if closed {
        return Vec::new();
    }
    let Ok(start) = model.start() else { return Vec::new() };
    let Ok(values) = EnergyValues::at(model, &start.state) else { return Vec::new() };
    let number = |v: f64| crate::number::number(v + 0.0);
    let pool = &model.system.pool;
    let law = |symbols: &[Symbol], values: &[f64]| -> Vec<String> {
        symbols.iter().zip(values).map(|(s, v)| format!("{} = {}", pool.name(*s), number(*v))).collect()
    };
    let mut list = law(&energies.momenta, &values.momenta);
    list.extend(law(&energies.efforts, &values.efforts));
    list.extend(values.list().into_iter().map(|(letter, v)| format!("{letter} = {}", number(v))));
    let mut notes = vec![format!("at the start: {}", list.join(", "))];
    notes.extend(values.reasons.iter().map(|reason| format!("at the start {reason}")));
    notes
}
