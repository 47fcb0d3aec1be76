//! A model as it was understood, written out: kinematics, energies, forces, constraints, requirements.

use super::write::Writer;
use super::{ideal_images, write_kinematics};
use crate::workspace::Workspace;
use dalembert_expr::{Format, Pool};

/// A part of a model that has formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Kinematics where speeds are no rates, T, V, L, R, mass matrix.
    Energies,
    /// Applied forces on the speeds, and the virtual work of constraint forces.
    Forces,
    /// The rows of the constraints.
    Constraints,
    /// What control is to achieve.
    Requirements,
}

/// Writes a part of a model; `None` where it has no such part.
///
/// ```
/// use dalembert::{Model, Source, equations::{self, Part}};
/// use dalembert_expr::Format;
/// let text = "parameter k = 2\ncoordinate x\nkinetic x'^2/2\npotential k/2*x^2";
/// let mut model = Model::load(&Source::new("spring.dal", text), &Default::default()).unwrap().workspace();
/// let written = equations::state(&mut model, Part::Energies, Format::Text).unwrap();
/// assert_eq!(written, "T* = x'^2/2\nV = k*x^2/2\n");
/// assert_eq!(equations::state(&mut model, Part::Forces, Format::Text), None);
/// ```
pub fn state(model: &mut Workspace, part: Part, format: Format) -> Option<String> {
    let mut w = Writer::new(format, None);
    match part {
        Part::Energies => energies(model, &mut w),
        Part::Forces => forces(model, &mut w),
        Part::Constraints => {
            for row in &model.system.constraints.rows {
                let e = model.system.pool.simplify(row.residual);
                w.balance(&mut model.system.pool, e, Pool::ZERO);
            }
        }
        Part::Requirements => {
            for row in &model.system.control.rows {
                let e = model.system.pool.simplify(row.residual);
                w.balance(&mut model.system.pool, e, Pool::ZERO);
            }
        }
    }
    (!w.is_empty()).then(|| w.finish(&mut model.system))
}

fn energies(model: &mut Workspace, w: &mut Writer) {
    let system = &mut model.system;
    write_kinematics(w, &mut system.pool, &system.frame.coordinates, &model.form);
    let scalars = [
        ("T*", system.energies.kinetic),
        ("V", system.energies.potential),
        ("L", system.energies.lagrangian),
        ("R", system.forces.dissipation),
        ("S", system.experiment.complete_integral.as_ref().map(|s| s.action)),
    ];
    for (letter, e) in scalars {
        if let Some(e) = e {
            let e = system.pool.simplify(e);
            w.function(&mut system.pool, letter, e);
        }
    }
    if let Some(mass) = system.forces.mass.clone() {
        let rows: Vec<Vec<_>> =
            mass.iter().map(|row| row.iter().map(|e| system.pool.simplify(*e)).collect()).collect();
        w.matrix(&mut system.pool, "M", &rows);
    }
}

/// `Q'_x = ...` and `C_x = ...`, those that are not zero.
fn forces(model: &mut Workspace, w: &mut Writer) {
    let images = ideal_images(model);
    let system = &mut model.system;
    let nonideal = system.constraints.nonideal.clone().map(|c| system.pool.substitute(&c, &images));
    let groups = [("Q", Some(system.forces.applied.clone())), ("C", nonideal)];
    for (letter, forces) in groups {
        for (k, force) in forces.into_iter().flatten().enumerate() {
            let e = system.pool.simplify(force);
            if e != Pool::ZERO {
                w.component(&mut system.pool, letter, &system.frame.speeds[k].name, e);
            }
        }
    }
}
