//! `dalembert report`: a model on one page.

use crate::args::ReportArgs;
use crate::derive::name_of;
use crate::failure::Failure;
use crate::files::{probe, put};
use crate::input::{Loaded, Remarks, load};
use crate::limit;
use crate::output::{complain, headline, print, print_json, report_failure, show};
use crate::progress::RunProgress;
use dalembert::diagnostic::{self, Diagnostic};
use dalembert::equations::Form;
use dalembert::{Overrides, Request, Source};
use dalembert_view::report_page::{self, ReportPage, Stage, Wanted};
use serde_json::json;
use std::io::Write;

pub fn run(args: &ReportArgs) -> Result<(), Failure> {
    let to_stdout = args.out == "-";
    if to_stdout && args.common.json {
        let message = "`--json` and `--out -` both claim standard output";
        clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, format!("{message}\n")).exit();
    }
    let Loaded { source, model } = load(&args.common, Remarks::Warnings)?;
    if !to_stdout {
        probe(&args.out, &args.common.model)?;
    }
    let wanted = wanted(args).map_err(|d| Failure::of(*d, &source))?;
    let mut watch = RunProgress::new(args.stepping.until.or_else(|| model.end_time()), !args.common.quiet);
    let page = report_page::write(&model, &source, &wanted, &mut |stage| match stage {
        Stage::Analysis => watch.says("analysis"),
        Stage::Equations => watch.says("equations"),
        Stage::Motion(t) => watch.at(t),
        Stage::Verification => watch.says("verification"),
    });
    watch.done();
    match to_stdout {
        true => print(&page.html)?,
        false => put(&args.out, |out| out.write_all(page.html.as_bytes()))?,
    }
    let known: Vec<Diagnostic> = model.diagnostics.clone();
    tell(args, &page, &known, &source, to_stdout)
}

fn wanted(args: &ReportArgs) -> Result<Wanted, Box<Diagnostic>> {
    let forms = args.form.iter().map(|form| name_of(*form).parse::<Form>()).collect::<Result<Vec<_>, _>>()?;
    Ok(Wanted {
        request: Request { every: args.every, ..args.stepping.request() },
        forms: (!forms.is_empty()).then_some(forms),
        motion: !args.no_motion,
        player: args.animate,
        verify: args.verify,
        overrides: Overrides { set: args.common.set.clone(), initial: args.common.initial.clone() },
    })
}

/// Says where the page is, and what is not on it.
fn tell(
    args: &ReportArgs,
    page: &ReportPage,
    known: &[Diagnostic],
    source: &Source,
    to_stdout: bool,
) -> Result<(), Failure> {
    let out_of_time = limit::ended("the page has what was computed by then").filter(|_| page.failed);
    if args.common.json {
        let all: Vec<Diagnostic> = known.iter().chain(&page.troubles).cloned().collect();
        let mut document = json!({
            "files": [args.out],
            "bytes": page.html.len(),
            "complete": page.troubles.is_empty(),
            "diagnostics": diagnostic::json(&all, source),
        });
        if page.failed {
            document["error"] = json!(match (&out_of_time, page.troubles.is_empty()) {
                (Some(Failure::Plain { message, .. }), _) => message.clone(),
                (_, true) => "a check of the verification failed".to_owned(),
                (_, false) => headline(&page.troubles),
            });
        }
        print_json(&document)?;
    } else {
        show(&page.troubles, source, args.common.quiet);
        out_of_time.iter().for_each(|ended| report_failure(ended, false));
        if page.failed && page.troubles.is_empty() {
            complain("error: a check of the verification failed; the page says which\n");
        }
        if !args.common.quiet && !to_stdout {
            print(&format!("wrote {}\n", args.out))?;
        }
    }
    if page.failed { Err(Failure::Reported) } else { Ok(()) }
}
