//! The manual is part of the program: every model in it loads, every link in it leads somewhere.
//!
//! A fenced block marked `dal` is a whole model; `dal run` is one that is also moved; `dal fragment` is a
//! piece of a model, whose grammar alone is checked; `dal error E0512` is a model that must be refused with that code.

use crate::support::{file_text, root};
use dalembert::diagnostic::{Diagnostic, Style, any_error, render};
use dalembert::run::Flow;
use dalembert::{MotionForm, Overrides, Request, Source, Workspace, syntax};
use std::path::PathBuf;

/// The pages: those at the root of the project, in `docs` and in `oracles`.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = ["", "docs", "oracles"]
        .iter()
        .filter_map(|folder| std::fs::read_dir(root().join(folder)).ok())
        .flatten()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect();
    pages.sort();
    pages
}

/// A fenced block: where its text begins, the words behind the fence, and the text.
struct Block {
    line: usize,
    words: Vec<String>,
    text: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (k, line) in page.lines().enumerate() {
        match (line.trim_start().strip_prefix("```"), open.as_mut()) {
            (Some(words), None) => {
                let words = words.split_whitespace().map(str::to_owned).collect();
                open = Some(Block { line: k + 2, words, text: String::new() });
            }
            (Some(_), Some(_)) => found.extend(open.take()),
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    found
}

/// What is wrong with a block; nothing if it is as its words say.
fn check(block: &Block) -> Result<(), String> {
    let source = Source::new("manual", block.text.clone());
    let said = |d: &[Diagnostic]| render(d, &source, Style::Plain);
    let words: Vec<&str> = block.words.iter().skip(1).map(String::as_str).collect();
    if words.first() == Some(&"fragment") {
        let (_, diagnostics) = syntax::parse(&source);
        return if any_error(&diagnostics) { Err(said(&diagnostics)) } else { Ok(()) };
    }
    let loaded = Workspace::load(&source, &Overrides::default());
    match (words.as_slice(), loaded) {
        ([], Ok(_)) => Ok(()),
        (["run"], Ok(mut model)) => run(&mut model).map_err(|d| said(&[*d])),
        (["error", code], result) => {
            let diagnostics = match result {
                Err(diagnostics) => diagnostics.0,
                Ok(mut model) => run(&mut model).err().map(|d| *d).into_iter().collect(),
            };
            let refused = diagnostics.iter().any(|d| d.is_error() && d.code.id() == *code);
            if refused { Ok(()) } else { Err(format!("not refused with {code}:\n{}", said(&diagnostics))) }
        }
        ([] | ["run"], Err(diagnostics)) => Err(said(&diagnostics)),
        (words, _) => Err(format!("unknown words behind the fence: {words:?}")),
    }
}

/// The run that the model asks for, or a short one.
fn run(model: &mut Workspace) -> Result<(), Box<Diagnostic>> {
    let until = model.system.experiment.run.is_none().then_some(0.05);
    let motion = model.simulate(&Request { until, ..Request::default() }, |_| Flow::Continue)?;
    let failure = motion.failure.map_or(Ok(()), |d| Err(Box::new(d)));
    if failure.is_err() || model.system.experiment.complete_integral.is_none() {
        return failure;
    }
    // A complete integral is there to be used.
    let request = Request { until, form: MotionForm::HamiltonJacobi, ..Request::default() };
    let motion = model.simulate(&request, |_| Flow::Continue)?;
    assert!(motion.integral.is_some_and(|report| report.difference < 1e-8));
    motion.failure.map_or(Ok(()), |d| Err(Box::new(d)))
}

#[test]
fn every_model_in_the_manual_is_good() {
    let mut problems = Vec::new();
    let mut count = 0;
    for path in pages() {
        let text = std::fs::read_to_string(&path).expect("a page is readable");
        for block in blocks(&text).iter().filter(|b| b.words.first().is_some_and(|w| w == "dal")) {
            count += 1;
            if let Err(problem) = check(block) {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                problems.push(format!("{name}:{}\n{problem}", block.line));
            }
        }
    }
    assert!(
        problems.is_empty(),
        "{} models of the manual are wrong:\n{}",
        problems.len(),
        problems.join("\n")
    );
    assert!(count >= 20, "only {count} models were found in the manual");
}

/// Targets of `[text](target)` outside of code.
fn links(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut code = false;
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
        }
        if code {
            continue;
        }
        // Every second piece stands between backquotes.
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for piece in prose.split("](").skip(1) {
            found.extend(piece.split(')').next().map(str::to_owned));
        }
    }
    found
}

/// The anchors of a page, as they are made from headings.
fn anchors(page: &str) -> Vec<String> {
    let heading = |line: &str| {
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        let text: String = line.trim_start_matches('#').trim().to_lowercase().chars().filter(kept).collect();
        text.replace(' ', "-")
    };
    page.lines().filter(|line| line.starts_with('#')).map(heading).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut broken = Vec::new();
    for path in pages() {
        let page = std::fs::read_to_string(&path).expect("a page is readable");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for link in links(&page) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { path.clone() } else { path.with_file_name("").join(file) };
            let leads = match std::fs::read_to_string(&target) {
                Ok(text) => anchor.is_empty() || anchors(&text).iter().any(|a| a == anchor),
                Err(_) => target.exists() && anchor.is_empty(),
            };
            if !leads {
                broken.push(format!("{name}: {link}"));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

/// The limits that the manual names are those of the code.
#[test]
fn limits_in_the_manual_are_those_of_the_code() {
    let page = file_text("docs/limits.md");
    let limits = [
        ("MAX_SOURCE_BYTES", dalembert::source::MAX_SOURCE_BYTES),
        ("MAX_NESTING", syntax::MAX_NESTING),
        ("MAX_POSTFIX", syntax::MAX_POSTFIX),
        ("MAX_NUMBER_LENGTH", syntax::MAX_NUMBER_LENGTH),
        ("MAX_DIAGNOSTICS", syntax::MAX_DIAGNOSTICS),
        ("MAX_STEPS", dalembert::elaborate::MAX_STEPS),
        ("MAX_UNKNOWNS", dalembert::elaborate::MAX_UNKNOWNS),
        ("MAX_DENSE", dalembert::elaborate::MAX_DENSE),
        ("MAX_FILL", dalembert::run::MAX_FILL),
        ("MAX_WEIGHT", dalembert_expr::MAX_WEIGHT),
        ("MAX_PRINTED", dalembert_expr::MAX_PRINTED as usize),
        ("MAX_EXPLICIT", dalembert::equations::MAX_EXPLICIT),
        ("MAX_BRACKET_WORK", dalembert::analyze::MAX_BRACKET_WORK as usize),
        ("MAX_BRACKET_SPEEDS", dalembert::analyze::MAX_BRACKET_SPEEDS),
        ("MAX_CANDIDATES", dalembert::analyze::MAX_CANDIDATES),
        ("MAX_AFFINE", dalembert::analyze::MAX_AFFINE),
        ("MAX_CHECKED", dalembert_ide::MAX_CHECKED),
        ("MAX_EXPORTED", dalembert_codegen::MAX_EXPORTED),
        ("MAX_WORKSPACE", dalembert_codegen::MAX_WORKSPACE),
        ("MAX_RUNS", dalembert::sweep::MAX_RUNS),
        ("MAX_UNROLLED", dalembert::run::ensemble::MAX_UNROLLED),
        ("MAX_FRAMES", dalembert_view::animation::MAX_FRAMES),
        ("MAX_NUMBERS", dalembert_view::animation::MAX_NUMBERS),
        ("MAX_FIGURES", dalembert_view::scene::MAX_FIGURES),
        ("MAX_FORMULA", dalembert_view::report_page::MAX_FORMULA),
        ("MAX_FORCES", dalembert_view::report_page::MAX_FORCES),
        ("MAX_SHOWN", dalembert::diagnostic::MAX_SHOWN),
    ];
    for (name, value) in limits {
        let row = page.lines().find(|line| line.starts_with('|') && line.contains(&format!("`{name}`")));
        let row = row.unwrap_or_else(|| panic!("`{name}` is missing in the table of limits"));
        let digits: String = row.chars().filter(|c| *c != ' ').collect();
        assert!(digits.contains(&value.to_string()), "`{name}` is {value}, the table says: {row}");
    }
}
