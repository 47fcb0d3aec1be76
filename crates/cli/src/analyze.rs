//! `dalembert analyze`: what kind the constraints are, and what the motion conserves.

use crate::args::AnalyzeArgs;
use crate::failure::Failure;
use crate::input::{Loaded, Remarks, load};
use crate::output::{print, print_json};
use crate::text_table::{counted, entry, table};
use dalembert::Model;
use dalembert::analyze::{Analysis, Conserved, ConstraintSet, RowReport, Verdict};
use dalembert_view::documents;

/// Width of the labels.
const MARGIN: usize = 26;

pub fn run(args: &AnalyzeArgs) -> Result<(), Failure> {
    let Loaded { source, model } = load(&args.common, Remarks::Warnings)?;
    let analysis = model.analyze().map_err(|d| Failure::of(*d, &source))?;
    if args.common.json {
        return print_json(&documents::analysis(&model, &analysis, &source));
    }
    print(&text(&model, &analysis))
}

fn text(model: &Model, analysis: &Analysis) -> String {
    let mut out = String::new();
    if let Some(title) = &model.system.title {
        out.push_str(&format!("{title}\n\n"));
    }
    rows(&mut out, &analysis.rows);
    set(&mut out, model, &analysis.set);
    conserved(&mut out, &analysis.conserved);
    for remark in analysis.set.remarks.iter().chain(&analysis.remarks) {
        entry(&mut out, "remark", MARGIN, std::slice::from_ref(remark));
    }
    out
}

fn rows(out: &mut String, rows: &[RowReport]) {
    if rows.is_empty() {
        return entry(out, "constraints", MARGIN, &["none".to_owned()]);
    }
    let mut lines = String::new();
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let word =
                |yes: bool, this: &str, other: &str| if yes { this.to_owned() } else { other.to_owned() };
            vec![
                row.name.clone(),
                row.kind.name().to_owned(),
                row.alone().to_owned(),
                word(row.scleronomic, "scleronomic", "rheonomic"),
                word(row.catastatic, "catastatic", "acatastatic"),
                row.integral.as_ref().map_or(String::new(), |i| format!("keeps {}", i.expression)),
            ]
        })
        .collect();
    table(&mut lines, "", &cells);
    for (k, line) in lines.lines().enumerate() {
        let label = if k == 0 { "constraints" } else { "" };
        out.push_str(&format!("{label:<MARGIN$}{line}\n"));
    }
}

fn set(out: &mut String, model: &Model, set: &ConstraintSet) {
    if set.verdict == Verdict::Free {
        return entry(out, "degrees of freedom", MARGIN, &[set.degrees_of_freedom.to_string()]);
    }
    let sure = set.certainty.caveat().map_or(String::new(), |caveat| format!(" ({caveat})"));
    entry(out, "the set", MARGIN, &[format!("{}{sure}", set.verdict.name())]);
    if let Some(reason) = &set.undecided {
        entry(out, "not decided", MARGIN, std::slice::from_ref(reason));
    }
    let total = counted(model.system.constraints.rows.len(), "row");
    entry(out, "rank", MARGIN, &[format!("{} of {total}", set.rank)]);
    entry(out, "degrees of freedom", MARGIN, &[set.degrees_of_freedom.to_string()]);
    if let (Some(growth), Some(closure), Some(count)) =
        (&set.growth, set.closure, set.integrable_combinations)
    {
        let list: Vec<String> = growth.iter().map(usize::to_string).collect();
        entry(
            out,
            "growth of the Lie flag",
            MARGIN,
            &[format!("{}; closure {closure} of {}", list.join(", "), closure + count)],
        );
        entry(out, "integrable combinations", MARGIN, &[format!("{count}")]);
    }
    for (k, integral) in set.integrals.iter().enumerate() {
        entry(out, if k == 0 { "integrals" } else { "" }, MARGIN, std::slice::from_ref(&integral.expression));
    }
    if set.integrals_not_found > 0 {
        let text = format!("{} of which no closed form was found", counted(set.integrals_not_found, "more"));
        entry(
            out,
            if set.integrals.is_empty() { "integrals" } else { "" },
            MARGIN,
            &[text.replace("mores", "more")],
        );
    }
    for singular in &set.singular {
        entry(out, "singular", MARGIN, &[format!("rank {} where {}", singular.rank, singular.place)]);
    }
}

fn conserved(out: &mut String, list: &[Conserved]) {
    if list.is_empty() {
        return entry(out, "conserved", MARGIN, &["nothing by the symmetries that were tried".to_owned()]);
    }
    for (k, quantity) in list.iter().enumerate() {
        let label = if k == 0 { "conserved" } else { "" };
        out.push_str(&format!("{label:<MARGIN$}{} = {}\n", quantity.name, quantity.expression));
        let drift = match quantity.drift {
            Some(0.0) => "no drift along a motion".to_owned(),
            Some(drift) if quantity.verified => format!("drift {drift:.1e} along a motion"),
            Some(drift) => format!("drift {drift:.1e} along a motion: more than rounding"),
            None => "not checked along a motion".to_owned(),
        };
        let proof = if quantity.proved { "rate zero by the equations" } else { "rate not examined" };
        out.push_str(&format!("{:<MARGIN$}  by {}; {proof}; {drift}\n", "", quantity.generator));
    }
}
