//! The explicit equation of motion as its papers write it: M, Q, A, b, B, B^+, e, K, C, a_ni, Q_i, Q_ni, Q_c and eta'.

use super::write::{Style, Writer};
use super::{note_chetaev, note_dropped, write_kinematics, write_multipliers};
use crate::closed_form::udwadia::ExplicitEquation;
use crate::workspace::Workspace;
use dalembert_syntax::diagnostic::Diagnostic;

pub(super) fn write(model: &mut Workspace, style: Style) -> Result<String, Box<Diagnostic>> {
    let found = ExplicitEquation::of(model)?;
    let form = model.form.clone();
    let mut w = Writer::new(style, model.system.title.as_deref());
    write_kinematics(&mut w, &mut model.system.pool, &model.system.frame.coordinates, &form);
    note_dropped(&mut w, model, &found.dropped);
    note_chetaev(&mut w, model);
    let names: Vec<String> = model.system.frame.speeds.iter().map(|s| format!("{}'", s.name)).collect();
    let pool = &mut model.system.pool;
    w.vector_of_names("eta'", &names);
    w.matrix(pool, "M", &found.mass);
    w.vector(pool, "Q", &found.force);
    w.vector(pool, "a", &found.unconstrained);
    let constrained = !found.matrix.is_empty();
    if constrained {
        w.matrix(pool, "A", &found.matrix);
        w.vector(pool, "b", &found.right);
    }
    if let Some(control) = &found.control {
        if !control.dropped.is_empty() {
            let rows = control.dropped.iter().map(|r| model.system.control.rows[*r].name.as_str());
            w.note(&format!(
                "requirements that follow from others, left out: {}",
                rows.collect::<Vec<_>>().join(", ")
            ));
        }
        w.matrix(pool, "A_c", &control.matrix);
        w.vector(pool, "b_c", &control.right);
    }
    let required = found.control.as_ref().is_some_and(|c| c.everywhere);
    if constrained || required {
        write_gain(&mut w, model, &found, constrained);
    }
    let pool = &mut model.system.pool;
    if let Some(c) = &found.nonideal_term {
        w.vector(pool, "C", c);
    }
    if let Some(a) = &found.nonideal_acceleration {
        w.vector(pool, "a_ni", a);
    }
    if constrained {
        w.vector(pool, "Q_i", &found.ideal_force);
    }
    if let Some(f) = &found.nonideal_force {
        w.vector(pool, "Q_ni", f);
    }
    if let Some(control) = &found.control {
        w.vector(pool, "Q_c", &control.force);
    }
    for (name, e) in names.iter().zip(&found.acceleration) {
        w.equation(pool, name, *e);
    }
    write_multipliers(&mut w, model, &found.multipliers);
    Ok(w.finish(&mut model.system))
}

/// B and B^+ where the root of M has a closed form, e and K always.
fn write_gain(w: &mut Writer, model: &mut Workspace, found: &ExplicitEquation, constrained: bool) {
    let pool = &mut model.system.pool;
    if !constrained {
        w.note("B, e and K of the requirements");
    }
    match (&found.scaled, &found.scaled_pinv) {
        (Some(scaled), Some(pinv)) => {
            w.matrix(pool, "B", scaled);
            w.matrix(pool, "B^+", pinv);
        }
        _ => w.note("B = A M^(-1/2) has no short closed form here; what follows is written by A M^-1 A^T, without roots"),
    }
    w.vector(pool, "e", &found.error);
    w.matrix(pool, "K", &found.gain);
}
