//! Energies and co-energies, written out.

use super::write::Writer;
use crate::diagnostic::Diagnostic;
use crate::energies::Energies;
use crate::model::Model;
use dalembert_expr::Format;

pub(super) fn write(model: &mut Model, format: Format) -> Result<String, Box<Diagnostic>> {
    let energies = Energies::of(model)?;
    let pool = &mut model.system.pool;
    let mut w = Writer::new(format, model.system.title.as_deref());
    for (symbol, e) in energies.efforts.iter().zip(&energies.effort_values) {
        w.definition(pool, *symbol, *e);
    }
    let e = &energies;
    for (letter, value) in [
        ("T*", e.kinetic_coenergy),
        ("T", e.kinetic_energy),
        ("V", e.potential),
        ("V*", e.potential_coenergy),
        ("L", Some(e.lagrangian)),
        ("H", Some(e.hamiltonian)),
        ("H*", e.hamiltonian_star),
        ("L*", e.lagrangian_star),
    ] {
        if let Some(value) = value {
            w.function(pool, letter, value);
        }
    }
    e.reasons.iter().for_each(|reason| w.note(reason));
    Ok(w.finish(pool))
}
