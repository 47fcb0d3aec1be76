//! `dalembert verify`: every road that applies to a model, compared.

use crate::args::VerifyArgs;
use crate::failure::Failure;
use crate::input::{Loaded, Remarks, load};
use crate::output::{print, print_json};
use crate::text_table::{cells, counted, table};
use dalembert::Model;
use dalembert::verify::Verification;
use dalembert_view::documents;

pub fn run(args: &VerifyArgs) -> Result<(), Failure> {
    let Loaded { source, model } = load(&args.common, Remarks::Warnings)?;
    let found = model.verify().map_err(|d| Failure::of(*d, &source))?;
    if args.common.json {
        print_json(&documents::verification(&model, &found, &source))?;
    } else {
        print(&text(&model, &found))?;
    }
    if found.passed() { Ok(()) } else { Err(Failure::Reported) }
}

fn text(model: &Model, found: &Verification) -> String {
    let mut out = String::new();
    if let Some(title) = &model.system.title {
        out.push_str(&format!("{title}\n\n"));
    }
    let mut rows = vec![cells(["check", "worst", "tolerance", "", "compares"])];
    for c in &found.checks {
        let verdict = if c.passed { "passed" } else { "FAILED" };
        let numbers = [format!("{:.1e}", c.worst), format!("{:.1e}", c.tolerance)];
        rows.push([c.name.to_owned()].into_iter().chain(numbers).chain(cells([verdict, c.what])).collect());
    }
    table(&mut out, "", &rows);
    if !found.skipped.is_empty() {
        let mut rows = vec![cells(["not applicable", "because"])];
        rows.extend(found.skipped.iter().map(|s| cells([s.name, s.reason.as_str()])));
        out.push('\n');
        table(&mut out, "", &rows);
    }
    let failed = found.checks.iter().filter(|c| !c.passed).count();
    let verdict = match failed {
        _ if found.checks.is_empty() => "nothing could be compared".to_owned(),
        0 => format!("all {} passed", counted(found.checks.len(), "check")),
        _ => format!("{failed} of {} failed", counted(found.checks.len(), "check")),
    };
    let (states, span) = (counted(found.states, "state"), found.span);
    out.push_str(&format!("\n{verdict}, at {states} near the motion until t = {span:.3}\n"));
    out
}
