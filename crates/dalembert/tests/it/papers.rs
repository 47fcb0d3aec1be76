//! The page that leads from the equations of the papers to commands and tests names only what exists.

use crate::support::*;
use dalembert::equations::Form;

const COMMANDS: [&str; 8] =
    ["check", "derive", "evaluate", "verify", "analyze", "equilibrium", "connect", "brackets"];

/// What stands in backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[test]
fn every_command_and_test_of_the_page_exists() {
    let page = file_text("docs/papers.md");
    let rows: Vec<Vec<&str>> = page
        .lines()
        .take_while(|l| !l.starts_with("## Examples"))
        .filter(|l| l.starts_with("| ") && !l.starts_with("| paper"))
        .map(|l| l.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect();
    assert!(rows.len() > 120, "{} rows", rows.len());
    for row in &rows {
        let [number, _, tag, command, test] = row[..] else { panic!("{row:?}") };
        assert!(!tag.is_empty(), "{number} has no tag");
        let command = quoted(command)[0];
        let words: Vec<&str> = command.split_whitespace().collect();
        assert!(COMMANDS.contains(&words[0]), "{command}");
        if let ["derive", "--form", form, ..] = words[..] {
            assert!(form.parse::<Form>().is_ok() || form == "legendre", "{command}");
        }
        let (module, function) = quoted(test)[0].split_once("::").expect("module::function");
        let source = file_text(&format!("crates/dalembert/tests/it/{module}.rs"));
        assert!(is_test(&source, function), "{test}");
    }
}

/// Whether a source has this test: a function of this name, not one that begins with it, marked as a test.
fn is_test(source: &str, function: &str) -> bool {
    let lines: Vec<&str> = source.lines().map(str::trim_start).collect();
    lines.iter().enumerate().any(|(k, line)| {
        line.starts_with(&format!("fn {function}("))
            && lines[..k].iter().rev().take_while(|l| l.starts_with("#[")).any(|l| l.starts_with("#[test]"))
    })
}

/// All numbers of the papers with numbered equations are there, one after the other.
#[test]
fn no_equation_is_left_out() {
    let page = file_text("docs/papers.md");
    for (paper, last) in [("[UK92]", 19), ("[U05a]", 39), ("[U05b]", 25), ("[G76]", 30)] {
        let section = page.split("\n## ").find(|s| s.starts_with(paper)).expect("a section");
        for number in 1..=last {
            assert!(section.contains(&format!("\n| ({number}) |")), "{paper} ({number})");
        }
    }
    for number in 1..=5 {
        assert!(page.contains(&format!("\n| (A{number}) |")), "[UK92] (A{number})");
    }
}

/// Every slide of [R] with a formula is in a row, alone or in a range.
#[test]
fn no_slide_is_left_out() {
    let page = file_text("docs/papers.md");
    let section = page.split("\n## ").find(|s| s.starts_with("[R]")).expect("a section");
    let mut seen = std::collections::BTreeSet::new();
    for row in section.lines().filter(|l| l.starts_with("| ") && !l.starts_with("| paper")) {
        let number = row.trim_start_matches("| ").split(" |").next().unwrap_or_default();
        let (first, last) = number.split_once('-').unwrap_or((number, number));
        let bounds = [first, last].map(|n| n.parse::<u32>().unwrap_or_else(|_| panic!("{row}")));
        seen.extend(bounds[0]..=bounds[1]);
    }
    // The others are titles and pictures.
    for slide in (4..=6).chain(9..=22).chain(25..=28).chain(30..=49) {
        assert!(seen.contains(&slide), "slide {slide}");
    }
}

/// Every example of the papers is a model that an oracle table is about.
#[test]
fn examples_are_models_with_oracles() {
    let page = file_text("docs/papers.md");
    let section = page.split("\n## ").find(|s| s.starts_with("Examples")).expect("a section");
    let rows: Vec<Vec<&str>> =
        section.lines().filter(|l| l.starts_with("| [")).map(|line| quoted(line)).collect();
    assert!(rows.len() >= 13, "{rows:?}");
    for row in rows {
        let [model, table] = row[..] else { panic!("{row:?}") };
        assert!(!file_text(model).is_empty());
        let name = model.trim_start_matches("models/").trim_end_matches(".dal");
        let table = file_text(table);
        assert!(table.lines().any(|l| l.trim() == format!("# model: {name}")), "{row:?}");
    }
}

/// Sections of the theory that have a source name the numbers of the papers beside our tags.
#[test]
fn the_theory_names_the_numbers_of_the_papers() {
    let page = file_text("docs/theory.md");
    for title in [
        "The kernel form",
        "The explicit equation of motion",
        "Friction",
        "Control",
        "Lagrange and Poincaré–Chetaev",
        "Appell, Maggi, Kane, Jourdain, Routh",
        "Hamilton",
        "Brackets",
        "Suslov",
        "Hamilton–Jacobi",
        "Action and motions between two configurations",
        "Energies and co-energies",
        "Classification of constraints",
        "Symmetry and conserved quantities",
        "Equilibrium",
    ] {
        let section = page.split("\n## ").find(|s| s.lines().next() == Some(title));
        let section = section.unwrap_or_else(|| panic!("{title}"));
        let head: Vec<&str> = section.lines().skip(1).take(4).collect();
        assert!(head.iter().any(|l| l.contains("papers.md")), "{title}: {head:?}");
        let numbered = head.iter().any(|l| l.contains(" (") || l.contains("slide"));
        assert!(numbered, "{title}: {head:?}");
    }
}

/// The places of the sources that are misprinted are on the page of errata.
#[test]
fn errata_are_listed() {
    let page = file_text("docs/errata.md");
    let places = |paper: &str| -> String {
        page.split("\n## ").find(|s| s.starts_with(paper)).unwrap_or_else(|| panic!("{paper}")).to_owned()
    };
    for (paper, list) in [
        ("[U05a]", &["after (4)", "after (19)", "(28)", "(29), (30)", "(36)-(38)"][..]),
        ("[U05b]", &["after (10)", "(13d)"]),
        ("[G76]", &["(5)", "(9), (10)", "(12)-(14), (17)", "(20)-(22)", "(16) or (18)", "before (27), (30)"]),
        ("[R]", &["| 5 |", "| 19 |", "| 22 |", "| 27 |", "| 32 |", "| 45 |", "| 46 |"]),
    ] {
        let section = places(paper);
        list.iter().for_each(|place| assert!(section.contains(place), "{paper} {place}"));
    }
}

/// A tag names one equation: it is defined in one place of the theory.
#[test]
fn tags_are_defined_once() {
    let page = file_text("docs/theory.md");
    let mut seen = std::collections::BTreeSet::new();
    let is_tag = |word: &str| {
        let digits = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
        digits.len() + 1 == word.len() && !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
    };
    let blocks = page.split("```").skip(1).step_by(2);
    for line in blocks.flat_map(str::lines) {
        if let Some((tag, _)) = line.split_once("  ").filter(|(tag, _)| is_tag(tag)) {
            assert!(seen.insert(tag.to_owned()), "{tag} is defined twice");
        }
    }
    for tag in ["K1", "U1", "H3", "H4", "H8", "P5"] {
        assert!(seen.contains(tag), "{tag} is not defined: {seen:?}");
    }
}
