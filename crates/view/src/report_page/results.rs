//! What the run and the equations say about themselves: balance, accuracy, constants, other roads.

use super::html::{self, Cell};
use super::{AnalysisResult, Draft, Tag, formula};
use crate::documents;
use dalembert::Model;
use dalembert::analyze::Conserved;
use dalembert::number::DIGITS;
use dalembert::simulate::{Motion, Request};
use dalembert::verify::verify;

/// The change of energy and what accounts for it.
pub(super) fn balance(draft: &mut Draft, motion: &Motion) -> String {
    let body = match (&motion.balance, motion.energy) {
        (Some(b), Some((first, _))) => {
            draft.rests_on(&[Tag::Balance]);
            let rows = [
                ("energy at the start", first),
                ("change of the energy", b.change),
                ("work of forces without a potential", b.nonconservative),
                ("work of moving constraints", b.ideal),
                ("work of non-ideal constraint forces, friction among them", b.nonideal),
                ("work of control forces", b.control),
                ("explicit dependence on time", b.explicit),
                ("left open: change less all work", b.defect),
            ];
            let events = b.events.map(|jumps| ("change at events", jumps));
            let rows = rows[..7].iter().chain(&events).chain(&rows[7..]);
            let rows: Vec<Vec<Cell>> =
                rows.map(|(name, value)| vec![Cell::text(*name), Cell::Number(*value)]).collect();
            html::table(&["", "over the motion"], &rows)
        }
        (None, Some((first, deviation))) => format!(
            "<p>Energy {} at the start, largest deviation {}; work was not integrated.</p>\n",
            html::number(first),
            html::size(deviation)
        ),
        _ => html::paragraph(
            "No energy is known where a mass matrix is given directly, so there is no balance.",
        ),
    };
    html::section("balance", "Energy balance", &body)
}

/// Method, tolerances, steps, residuals.
pub(super) fn accuracy(draft: &mut Draft, motion: &Motion, request: &Request) -> String {
    let left_out = |name: &str| {
        matches!(name, "run" | "JIT" | "interpreter" | "energy balance") || name.starts_with("event ")
    };
    let mut facts: Vec<(String, String)> = documents::facts(draft.model, motion, DIGITS)
        .into_iter()
        .filter(|(name, _)| !left_out(name))
        .map(|(name, value)| (name, html::measured(&value)))
        .collect();
    if let Ok(resolved) = draft.work.options(request) {
        let o = resolved.options;
        let words = match o.fixed_step {
            Some(step) => format!("fixed step {}", html::number(step)),
            None => {
                format!("relative {}, absolute {} for each step", html::number(o.rtol), html::number(o.atol))
            }
        };
        facts.insert(1.min(facts.len()), ("tolerances".to_owned(), words));
    }
    if !draft.model.system.constraints.rows.is_empty() {
        let words = "smallest along the motion; 0 where rank is lost";
        let margin = format!("{} ({words})", html::size(motion.outcome.smallest_margin));
        facts.push(("conditioning of the constraints".to_owned(), margin));
    }
    html::section("accuracy", "Accuracy", &html::facts(&facts))
}

/// What the motion conserves.
pub(super) fn conserved(draft: &mut Draft, analysis: &AnalysisResult) -> String {
    let body = match analysis {
        Err(_) => html::paragraph("Not looked for: there is no analysis, see the constraints."),
        Ok(analysis) => {
            let mut body = match analysis.conserved.is_empty() {
                true if untried(draft.model) => html::paragraph(NOT_LOOKED_FOR),
                true => html::paragraph("Nothing is conserved by the symmetries that were tried."),
                false => {
                    draft.rests_on(&[Tag::Noether]);
                    constants(draft, &analysis.conserved)
                }
            };
            analysis.remarks.iter().for_each(|remark| body.push_str(&html::remark(remark)));
            body
        }
    };
    html::section("conserved", "Conserved quantities", &body)
}

const NOT_LOOKED_FOR: &str = "Not looked for: symmetries are those of a Lagrangian without friction, control forces or a direct mass matrix.";

/// Whether symmetries mean nothing for a model, so that none is tried.
fn untried(model: &Model) -> bool {
    let s = &model.system;
    !s.contacts.is_empty() || !s.control.rows.is_empty() || s.forces.mass.is_some()
}

/// The quantities as formulas, then what is known of each. Script letters are the page's own.
fn constants(draft: &Draft, quantities: &[Conserved]) -> String {
    let letter = |k: usize| format!("\\mathcal{{J}}_{{{}}}", k + 1);
    let lines = quantities.iter().enumerate().map(|(k, c)| format!("{} &= {}", letter(k), c.latex));
    let formulas = formula::lines(lines.collect(), &draft.command("analyze MODEL"));
    let row = |(k, c): (usize, &Conserved)| {
        vec![
            Cell::Html(formula::inline(&letter(k))),
            Cell::text(&c.name),
            Cell::text(&c.generator),
            Cell::Html(shown_by(c)),
        ]
    };
    let rows: Vec<Vec<Cell>> = quantities.iter().enumerate().map(row).collect();
    formulas + &html::table(&["", "quantity", "symmetry", "shown by"], &rows)
}

fn shown_by(c: &Conserved) -> String {
    let proof = if c.proved { "its rate is zero by the equations" } else { "its rate was not examined" };
    let drift = match c.drift {
        Some(drift) => format!("drift {} along a motion", html::size(drift)),
        None => "not checked along a motion".to_owned(),
    };
    format!("{proof}; {drift}")
}

/// Every other road, compared.
pub(super) fn verification(draft: &mut Draft) -> String {
    let found = match verify(&mut draft.work) {
        Ok(found) => found,
        Err(diagnostic) => {
            return html::section("verification", "Verification", &draft.trouble(*diagnostic));
        }
    };
    draft.failed |= !found.passed();
    let row = |c: &dalembert::verify::Check| {
        vec![
            Cell::code(c.name),
            Cell::Html(if c.passed { "passed".into() } else { "<strong>failed</strong>".into() }),
            Cell::Html(html::size(c.worst)),
            Cell::Html(html::size(c.tolerance)),
            Cell::text(c.what),
        ]
    };
    let mut body = html::paragraph(&format!(
        "Formalisms that apply, compared at {} states near the motion until t = {:.3}.",
        found.states, found.span
    ));
    let rows: Vec<Vec<Cell>> = found.checks.iter().map(row).collect();
    body.push_str(&html::table(&["check", "", "worst", "may be", "compares"], &rows));
    if !found.skipped.is_empty() {
        let rows: Vec<Vec<Cell>> =
            found.skipped.iter().map(|s| vec![Cell::code(s.name), Cell::text(&s.reason)]).collect();
        body.push_str(&html::table(&["not applicable", "because"], &rows));
    }
    html::section("verification", "Verification", &body)
}
