//! The constraints, what kind they are, and what they leave free.

use super::html::{self, Cell};
use super::system::{counted, cut, listed};
use super::{AnalysisResult, Draft, Tag, formula};
use crate::documents;
use crate::markup::escaped;
use dalembert::analyze::{Analysis, ConstraintSet, RowReport};
use dalembert::equations::{Part, state};
use dalembert_expr::Format;

pub(super) fn section(draft: &mut Draft, analysis: &AnalysisResult) -> String {
    let mut body = match state(&mut draft.work, Part::Constraints, Format::Latex) {
        Some(latex) => written(draft, &latex),
        None => html::paragraph("There are no constraints: the coordinates are free."),
    };
    let findings = documents::check(draft.model);
    if !findings.kinds.is_empty() {
        let word = |yes: bool, this: &str, other: &str| Cell::text(if yes { this } else { other });
        let row = |k: &dalembert::constraint_kind::ConstraintKind| {
            vec![
                Cell::code(&k.name),
                Cell::text(k.rows.len().to_string()),
                word(k.holonomic, "positions", "rates"),
                word(k.linear, "linear", "nonlinear"),
                word(k.scleronomic, "scleronomic", "rheonomic"),
                word(k.catastatic, "catastatic", "acatastatic"),
            ]
        };
        let rows = findings.kinds.iter().map(row).collect();
        body.push_str(&cut(&["constraint", "rows", "written in", "in the rates", "time", "rest"], rows));
    }
    match analysis {
        Ok(analysis) => body.push_str(&classified(draft, analysis)),
        Err(diagnostic) => body.push_str(&draft.trouble(diagnostic.clone())),
    }
    for remark in findings.diagnostics.iter().filter(|d| !d.is_error()) {
        body.push_str(&html::remark(&format!("{}.", remark.message)));
    }
    html::section("constraints", "Constraints and their classification", &body)
}

fn written(draft: &mut Draft, latex: &str) -> String {
    draft.rests_on(&[Tag::K3]);
    let names: Vec<&str> = draft.model.system.constraints.named.iter().map(|c| c.name.as_str()).collect();
    let elsewhere = draft.command("derive MODEL --form lagrange --format latex");
    html::paragraph(&format!("The rows of {}:", listed(&names))) + &formula::block(latex, &elsewhere)
}

fn classified(draft: &mut Draft, analysis: &Analysis) -> String {
    let mut out = String::new();
    if !analysis.rows.is_empty() {
        draft.rests_on(&[Tag::Brackets]);
        let row = |r: &RowReport| {
            vec![
                Cell::code(&r.name),
                Cell::text(r.kind.name()),
                Cell::text(r.alone()),
                r.integral.as_ref().map_or(Cell::text(""), |i| Cell::Html(formula::cell(&i.latex))),
            ]
        };
        let rows = analysis.rows.iter().map(row).collect();
        out.push_str(&html::heading("Classification"));
        out.push_str(&cut(&["row", "kind", "by itself", "keeps constant"], rows));
    }
    out.push_str(&html::facts(&set(draft, &analysis.set)));
    if !analysis.set.integrals.is_empty() {
        let lines = analysis.set.integrals.iter().map(|i| format!("{} &= \\mathrm{{const}}", i.latex));
        out.push_str(&html::paragraph("The constraints keep constant:"));
        out.push_str(&formula::lines(lines.collect(), &draft.command("analyze MODEL")));
    }
    for remark in &analysis.set.remarks {
        out.push_str(&html::remark(remark));
    }
    out
}

fn set(draft: &Draft, set: &ConstraintSet) -> Vec<(String, String)> {
    let mut facts: Vec<(String, String)> = Vec::new();
    let mut put = |name: &str, markup: String| facts.push((name.to_owned(), markup));
    let caveat = set.certainty.caveat().map_or(String::new(), |c| format!(" ({})", escaped(c)));
    put("together", format!("<strong>{}</strong>{caveat}", set.verdict.name()));
    if let Some(reason) = &set.undecided {
        put("not decided", escaped(reason));
    }
    let rows = draft.model.system.constraints.rows.len();
    if rows > 0 {
        put("rank", format!("{} of {}", set.rank, counted(rows, "row")));
    }
    put("degrees of freedom", set.degrees_of_freedom.to_string());
    if let (Some(growth), Some(closure), Some(count)) =
        (&set.growth, set.closure, set.integrable_combinations)
        && rows > 0
    {
        let list: Vec<String> = growth.iter().map(usize::to_string).collect();
        put(
            "growth of the Lie flag",
            format!("{}; closure {closure} of {}", list.join(", "), closure + count),
        );
        put("integrable combinations", count.to_string());
    }
    if set.integrals_not_found > 0 {
        put("more integrals", format!("{} of which no closed form was found", set.integrals_not_found));
    }
    for singular in &set.singular {
        put("singular", format!("rank {} where {}", singular.rank, html::code(&singular.place)));
    }
    facts
}
