//! The equations of motion in one form or several.

use super::{Draft, Tag, formula, html};
use dalembert::equations::{Form, write};
use dalembert_expr::Format;

/// The kernel form is shown by itself up to so many speeds and rows together.
const SMALL: usize = 8;
/// The closed form is shown by itself while it, and Lagrange's form, take at most so many characters of LaTeX.
const SHORT: usize = 2_500;

pub(super) fn section(draft: &mut Draft) -> String {
    let mut body = named_forces(draft);
    match &draft.wanted.forms {
        Some(forms) => {
            for form in forms {
                body.push_str(&asked(draft, *form));
            }
        }
        None => match write(&mut draft.work, Form::Lagrange, Format::Latex) {
            Ok(latex) => {
                body.push_str(&shown(draft, Form::Lagrange, &latex));
                body.push_str(&where_short(draft, latex.len()));
            }
            Err(diagnostic) => body.push_str(&draft.trouble(*diagnostic)),
        },
    }
    if draft.model.system.constraints.nonideal.is_some() && body.contains(title(draft, Form::Lagrange)) {
        body.push_str(&html::remark(
            "λ is the multiplier of the ideal forces (U2), here and along the motion; Λ, where it occurs, also holds \
             the constraints' answer to **C**.",
        ));
    }
    html::section("equations", "Equations of motion", &body)
}

/// Forces that stand under names of their own, because they are found at each state.
fn named_forces(draft: &Draft) -> String {
    let mut out = String::new();
    if !draft.model.system.contacts.is_empty() {
        out.push_str(&html::remark(
            "Coulomb friction is written with names of its own: which contacts stick is decided along the motion.",
        ));
    }
    if !draft.model.system.control.rows.is_empty() {
        out.push_str(&html::remark(
            "Control forces stand under names of their own: they are what the requirements take, state by state (C1).",
        ));
    }
    out
}

/// A form that was asked for: it is there, or it is said why not.
fn asked(draft: &mut Draft, form: Form) -> String {
    match write(&mut draft.work, form, Format::Latex) {
        Ok(latex) => shown(draft, form, &latex),
        Err(diagnostic) => html::heading(title(draft, form)) + &draft.trouble(*diagnostic),
    }
}

/// Kernel form and closed form of small systems; nothing is lost where they are left out. Where Lagrange's equations are
/// long the closed form is not looked for: it takes long to make, and is longer still.
fn where_short(draft: &mut Draft, lagrange: usize) -> String {
    if draft.model.form.speeds.len() + draft.model.system.constraints.rows.len() > SMALL {
        return html::remark(&format!(
            "The kernel form **M**, **Q**, **A**, **b** and the closed form are shown up to {SMALL} speeds and rows together; `{}` writes the first.",
            draft.command("derive MODEL --form kernel")
        ));
    }
    let mut out = match write(&mut draft.work, Form::Kernel, Format::Latex) {
        Ok(latex) => shown(draft, Form::Kernel, &latex),
        Err(d) => html::remark(&format!("No kernel form: {}.", d.message)),
    };
    let closed = (lagrange <= SHORT).then(|| write(&mut draft.work, Form::Explicit, Format::Latex));
    out.push_str(&match closed {
        Some(Ok(latex)) if latex.len() <= SHORT => shown(draft, Form::Explicit, &latex),
        Some(Err(d)) => html::remark(&format!("No closed form: {}.", d.message)),
        _ => html::remark(&format!(
            "The closed form is long; `{}` writes it.",
            draft.command("derive MODEL --form explicit")
        )),
    });
    out
}

fn shown(draft: &mut Draft, form: Form, latex: &str) -> String {
    let (words, tags) = about(form, draft.constrained());
    draft.rests_on(tags);
    let name = Form::ALL.iter().find(|(_, known)| *known == form).map_or("", |(name, _)| name);
    let elsewhere = draft.command(&format!("derive MODEL --form {name} --format latex"));
    html::heading(title(draft, form)) + &html::paragraph(words) + &formula::block(latex, &elsewhere)
}

fn title(draft: &Draft, form: Form) -> &'static str {
    match form {
        Form::Lagrange if !draft.constrained() => "Lagrange's equations",
        Form::Kernel => "Kernel form",
        Form::Lagrange => "Lagrange's equations with multipliers",
        Form::Explicit => "Accelerations in closed form",
        Form::Poincare => "Equations of Poincaré and Chetaev",
        Form::Hamilton => "Hamilton's equations",
        Form::Suslov => "Suslov's equations",
        Form::Energies => "Energies and co-energies",
        Form::HamiltonJacobi => "Hamilton–Jacobi",
        Form::Udwadia => "The explicit equation of Udwadia and Kalaba",
        Form::Appell => "Appell's equations",
        Form::Maggi => "Maggi's equations",
        Form::Kane => "Kane's equations",
        Form::Routh => "Routh's equations",
        Form::Vakonomic => "Vakonomic equations",
    }
}

/// A sentence, and the equations of the theory behind it.
fn about(form: Form, constrained: bool) -> (&'static str, &'static [Tag]) {
    match form {
        Form::Kernel if !constrained => ("**M** **η**′ = **Q** (K2).", &[Tag::K2]),
        Form::Lagrange if !constrained => ("One equation for each speed (L2).", &[Tag::L2]),
        Form::Explicit if !constrained => ("Accelerations without unknowns (U1).", &[Tag::U1]),
        Form::Poincare if !constrained => {
            ("Structure coefficients of the frame, momenta and their rates (L1, L2).", &[Tag::L1, Tag::L2])
        }
        Form::Hamilton if !constrained => ("The Hamiltonian and the canonical equations (H1).", &[Tag::H1]),
        Form::Kernel => (
            "**M** **η**′ = **Q** without constraints, **A** **η**′ = **b** by them (K2, K3).",
            &[Tag::K2, Tag::K3],
        ),
        Form::Lagrange => (
            "One equation for each speed, a multiplier λ for each row, then the rows as they were imposed (L2).",
            &[Tag::L2, Tag::U2],
        ),
        Form::Explicit => ("Accelerations and multipliers without unknowns (U1).", &[Tag::U1]),
        Form::Poincare => (
            "Structure coefficients of the frame, momenta and their rates, nonholonomy of the rows (L1, L2, H5).",
            &[Tag::L1, Tag::L2],
        ),
        Form::Hamilton => ("The Hamiltonian and the canonical equations with multipliers (H1).", &[Tag::H1]),
        Form::Suslov => ("Momenta with multipliers in them (H3, H4, H6).", &[Tag::H3]),
        Form::Energies => ("Energies by Legendre's transforms, where they have closed forms.", &[]),
        Form::HamiltonJacobi => {
            ("The complete integral of the model, verified, and what follows from it (H8).", &[Tag::H8])
        }
        Form::Udwadia => {
            ("Every matrix between **M**, **Q**, **A**, **b** and the acceleration (U1 to U5).", &[Tag::U1])
        }
        Form::Appell => ("Appell's function and its derivatives by independent accelerations (P6).", &[]),
        Form::Maggi => ("One equation for each degree of freedom, no multipliers (P7).", &[]),
        Form::Kane => ("Generalised active and inertia forces on independent speeds (P7).", &[]),
        Form::Routh => ("Ignorable coordinates replaced by their constant momenta (P9).", &[]),
        Form::Vakonomic => {
            ("For comparison; not the equations of motion of a nonholonomic system (P10).", &[])
        }
    }
}
