//! The system as it was understood: variables, parameters, energies, forces.

use super::html::{self, Cell};
use super::{Draft, Tag, formula};
use crate::documents;
use dalembert::equations::{Part, state};
use dalembert::hamilton_jacobi::HamiltonJacobi;
use dalembert::system::Contact;
use dalembert_expr::{Expr, Format, Rational};
use dalembert_syntax::units::UnitInfo;

/// Rows of a table of variables or parameters at most.
const MAX_ROWS: usize = 60;
/// Names in a sentence at most.
const MAX_NAMES: usize = 40;
/// Rows of a weight that is written out at most.
const MAX_WEIGHT_ROWS: usize = 12;

pub(super) fn section(draft: &mut Draft) -> String {
    draft.rests_on(&[Tag::K2]);
    let mut body = variables(draft);
    body.push_str(&parameters(draft));
    let elsewhere = draft.command("derive MODEL --form energies --format latex");
    if let Some(latex) = state(&mut draft.work, Part::Energies, Format::Latex) {
        let energies = html::paragraph(&energy_words(draft));
        body.push_str(&html::heading("Energies"));
        body.push_str(&energies);
        body.push_str(&formula::block(&latex, &elsewhere));
    }
    let elsewhere = draft.command("derive MODEL --form lagrange --format latex");
    body.push_str(&forces(draft, &elsewhere));
    body.push_str(&control(draft, &elsewhere));
    html::section("system", "The system", &body)
}

fn variables(draft: &mut Draft) -> String {
    let system = &draft.model.system;
    let quasi = system.frame.speeds.iter().any(|s| s.rate_of.is_none());
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let row = |name: &str, what: &str, kind: &UnitInfo| {
        vec![
            Cell::Html(formula::inline(&draft.notation.name(name))),
            Cell::code(name),
            Cell::text(what),
            unit(kind),
        ]
    };
    rows.extend(system.frame.coordinates.iter().map(|c| row(&c.name, "coordinate", &c.kind)));
    let speed = |s: &dalembert::system::Speed| match s.rate_of {
        Some(_) => row(&s.name, "speed, the rate of a coordinate", &s.kind),
        None => row(&s.name, "quasi-velocity", &s.kind),
    };
    rows.extend(system.frame.speeds.iter().map(speed));
    let mut words = format!(
        "{}, {}.",
        counted(system.frame.coordinates.len(), "coordinate"),
        counted(system.frame.speeds.len(), "speed")
    );
    if quasi {
        words.push_str(" Speeds are not all rates of coordinates: **x**′ = **X**₀ + **X** **η** (K1).");
    }
    words.push_str(
        " Upright bold letters are matrices and vectors of the general equations, not names of the model.",
    );
    let mut out = html::paragraph(&words);
    out.push_str(&cut(&["symbol", "in the model", "what", "unit"], rows));
    if quasi {
        draft.rests_on(&[Tag::K1]);
    }
    out
}

fn parameters(draft: &mut Draft) -> String {
    let values: Vec<f64> = documents::parameters(draft.model).into_iter().map(|(_, value)| value).collect();
    if values.is_empty() {
        return String::new();
    }
    let (system, notation) = (&mut draft.work.system, &draft.notation);
    let mut rows = Vec::new();
    for (p, value) in system.parameters.iter().zip(values) {
        let defined = match system.pool.symbols(&[p.value]).is_empty() {
            true => Cell::text(""),
            false => Cell::Html(formula::cell(&notation.print(&mut system.pool, p.value))),
        };
        rows.push(vec![
            Cell::Html(formula::inline(&notation.name(&p.name))),
            Cell::code(&p.name),
            Cell::exact(system.pool.as_number(p.value), value),
            unit(&p.kind),
            defined,
        ]);
    }
    html::heading("Parameters") + &cut(&["symbol", "in the model", "value", "unit", "defined as"], rows)
}

/// What S is: a complete integral only where that was verified.
fn integral_words(draft: &mut Draft) -> &'static str {
    if draft.model.system.experiment.complete_integral.is_none() {
        return "";
    }
    let verified = HamiltonJacobi::of(&mut draft.work).and_then(|jacobi| jacobi.verify(&mut draft.work));
    match verified {
        Ok(found) if found.proved => "S a complete integral of the Hamilton–Jacobi equation (proved)",
        Ok(_) => "S a complete integral of the Hamilton–Jacobi equation (checked at random places)",
        Err(_) => {
            "S was given as a complete integral of the Hamilton–Jacobi equation, but was not verified as one"
        }
    }
}

fn energy_words(draft: &mut Draft) -> String {
    let integral = integral_words(draft);
    let s = &draft.model.system;
    let parts = [
        (s.energies.kinetic.is_some(), "T* is the kinetic co-energy"),
        (s.energies.potential.is_some(), "V the potential energy"),
        (s.energies.lagrangian.is_some(), "L a Lagrangian given as such"),
        (s.forces.dissipation.is_some(), "R Rayleigh's function of dissipation"),
        (s.experiment.complete_integral.is_some(), integral),
        (s.forces.mass.is_some(), "**M** the mass matrix, given directly"),
    ];
    let said: Vec<&str> = parts.iter().filter(|(there, _)| *there).map(|(_, words)| *words).collect();
    if said.is_empty() { "Kinematics of the speeds:".to_owned() } else { format!("{}.", said.join(", ")) }
}

fn forces(draft: &mut Draft, elsewhere: &str) -> String {
    let mut out = String::new();
    if let Some(latex) = state(&mut draft.work, Part::Forces, Format::Latex) {
        out.push_str(&html::paragraph(
            if draft.model.system.constraints.nonideal.is_some() {
                "**Q** are applied forces on the speeds, **C** the work that constraint forces do in virtual displacements:"
            } else {
                "**Q** are applied forces on the speeds:"
            },
        ));
        out.push_str(&formula::block(&latex, elsewhere));
    }
    if draft.model.system.constraints.nonideal.is_some() {
        draft.rests_on(&[Tag::K4, Tag::U3]);
    }
    if !draft.model.system.contacts.is_empty() {
        draft.rests_on(&[Tag::Friction]);
        let contacts = draft.model.system.contacts.clone();
        let rows = contacts.iter().map(|contact| contact_row(draft, contact)).collect();
        out.push_str(&html::paragraph("Contacts with Coulomb friction:"));
        out.push_str(&cut(&["contact", "sliding velocity", "coefficient", "static"], rows));
    }
    if out.is_empty() { out } else { html::heading("Forces") + &out }
}

fn contact_row(draft: &mut Draft, contact: &Contact) -> Vec<Cell> {
    let (pool, notation) = (&mut draft.work.system.pool, &draft.notation);
    let mut print = |e| {
        let e = pool.simplify(e);
        formula::cell(&notation.print(pool, e))
    };
    let velocity: Vec<String> = contact.velocity.iter().map(|e| print(*e)).collect();
    vec![
        Cell::code(&contact.name),
        Cell::Html(velocity.join(", ")),
        Cell::Html(print(contact.coefficient)),
        Cell::Html(print(contact.r#static)),
    ]
}

fn control(draft: &mut Draft, elsewhere: &str) -> String {
    let Some(latex) = state(&mut draft.work, Part::Requirements, Format::Latex) else { return String::new() };
    draft.rests_on(&[Tag::C1]);
    let names: Vec<&str> = draft.model.system.control.requirements.iter().map(|r| r.name.as_str()).collect();
    let inputs = documents::input_names(draft.model);
    let words = format!(
        "The motion shall meet {}; control may use {}. The force of least cost does it (C1).",
        listed(&names),
        listed(&inputs)
    );
    let mut out =
        html::heading("Requirements") + &html::paragraph(&words) + &formula::block(&latex, elsewhere);
    out.push_str(&decays(draft));
    let weight = draft.model.system.control.weight.clone();
    if let Some((rows, _)) = weight {
        out.push_str(&weighing(draft, &rows, elsewhere));
    }
    out
}

/// The matrix by which inputs are weighed.
fn weighing(draft: &mut Draft, rows: &[Vec<Expr>], elsewhere: &str) -> String {
    const COST: &str = "The cost of the inputs **u** is **u**ᵀ **W** **u**";
    if rows.len() > MAX_WEIGHT_ROWS {
        let n = rows.len();
        return html::paragraph(&format!(
            "{COST}; **W** has {n} rows, more than the {MAX_WEIGHT_ROWS} a page shows, which are in the text of the model."
        ));
    }
    let (pool, notation) = (&mut draft.work.system.pool, &draft.notation);
    let mut row =
        |row: &Vec<Expr>| row.iter().map(|e| notation.print(pool, *e)).collect::<Vec<_>>().join(" & ");
    let rows: Vec<String> = rows.iter().map(&mut row).collect();
    let latex = format!("\\mathbf{{W}} = \\begin{{bmatrix}} {} \\end{{bmatrix}}", rows.join(" \\\\ "));
    html::paragraph(&format!("{COST} with")) + &formula::block(&latex, elsewhere)
}

/// How errors of the requirements decay (C2).
fn decays(draft: &mut Draft) -> String {
    let rows = draft.model.system.control.rows.clone();
    let (pool, notation) = (&mut draft.work.system.pool, &draft.notation);
    let mut equations = Vec::new();
    for row in rows {
        let order = row.decay.len().max(if row.holonomic { 2 } else { 1 });
        let Some(law) = row.law(pool, order).filter(|_| !row.decay.is_empty()) else { continue };
        let error = if row.holonomic { "h" } else { r"\psi" };
        let derivative = |k: usize| match k {
            0 => error.to_owned(),
            1 => format!(r"\dot{{{error}}}"),
            2 => format!(r"\ddot{{{error}}}"),
            _ => format!("{error}^{{({k})}}"),
        };
        let mut latex = derivative(order);
        for (k, coefficient) in law.iter().enumerate() {
            let coefficient = notation.print(pool, *coefficient);
            latex += &format!(r" + \left({coefficient}\right) {}", derivative(order - 1 - k));
        }
        latex += " = 0";
        equations.push(vec![Cell::code(&row.name), Cell::Html(formula::cell(&latex))]);
    }
    if equations.is_empty() {
        return String::new();
    }
    html::paragraph("Errors, left side minus right side, decay by:")
        + &cut(&["requirement", "its error"], equations)
}

/// A table of as many rows as a page shows.
pub(super) fn cut(head: &[&str], mut rows: Vec<Vec<Cell>>) -> String {
    let left = rows.len().saturating_sub(MAX_ROWS);
    rows.truncate(MAX_ROWS);
    let mut out = html::table(head, &rows);
    if left > 0 {
        out.push_str(&html::remark(&format!("{left} more rows are left out.")));
    }
    out
}

/// A unit as a product of powers.
fn unit(kind: &UnitInfo) -> Cell {
    let UnitInfo::Known(dimension) = kind else { return Cell::text("") };
    let power = |(name, power): (&str, &Rational)| match power.is_one() {
        true => name.to_owned(),
        false => format!("{name}<sup>{}</sup>", power.to_string().replace('-', "−")),
    };
    let parts: Vec<String> = dimension.powers().map(power).collect();
    let markup = if parts.is_empty() { "1".to_owned() } else { parts.join("\u{2009}") };
    Cell::Html(format!("<span class=\"unit\">{markup}</span>"))
}

/// Names in a sentence, as many as a reader takes.
pub(super) fn listed(names: &[impl AsRef<str>]) -> String {
    let shown = names
        .iter()
        .take(MAX_NAMES)
        .map(|name| format!("`{}`", name.as_ref()))
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(MAX_NAMES) {
        0 => shown,
        left => format!("{shown} and {left} more"),
    }
}

pub(super) fn counted(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}
