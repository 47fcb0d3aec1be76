//! Energies and co-energies, written out.

use super::write::{Style, Writer};
use crate::formalism::energies::{Energies, EnergyValues};
use crate::system::WrittenEnergy;
use crate::workspace::Workspace;
use dalembert_expr::{Format, Symbol};
use dalembert_syntax::diagnostic::Diagnostic;

pub(super) fn write(model: &mut Workspace, style: Style) -> Result<String, Box<Diagnostic>> {
    let potential_given = model.system.energies.potential;
    let energies = Energies::of(model)?;
    let [kinetic, potential] = model.system.energies.written.clone();
    // Bodies and force elements have energies that no statement gives; forces that are counted in V neither.
    let own = style.format == Format::Text && model.system.bodies.is_none();
    let kinetic = Some(kinetic).filter(|e| own && !e.text.is_empty());
    let potential = Some(potential)
        .filter(|e| own && !e.text.is_empty() && model.system.energies.potential == potential_given);
    let framed = model.form.frame.is_some();
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
        let written = match letter {
            "T*" => kinetic.as_ref(),
            "V" => potential.as_ref(),
            _ => None,
        };
        match (letter, written) {
            // Over coordinates and their rates: what a reader wrote is what a reader expects.
            (_, Some(e)) if e.definitions.is_empty() && !framed => w.line(&format!("{letter} = {}", e.text)),
            (_, Some(e)) => {
                w.function_as_written(pool, letter, value);
                w.note(&note_of(letter, e));
            }
            ("T*" | "V", None) => w.function_as_written(pool, letter, value),
            _ => w.function(pool, letter, value),
        }
    }
    e.reasons.iter().chain(&numbers).for_each(|note| w.note(note));
    Ok(w.finish(&mut model.system))
}

/// An energy as the model writes it, with the names that `let` gives.
fn note_of(letter: &str, written: &WrittenEnergy) -> String {
    let text = format!("as written: {letter} = {}", written.text);
    match written.definitions.is_empty() {
        true => text,
        false => format!("{text}, where {}", written.definitions.join(", ")),
    }
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
