//! The page that leads from the equations of the papers to commands and tests names only what exists.

use crate::support::*;
use dalembert::equations::Form;

const COMMANDS: [&str; 7] = ["check", "derive", "evaluate", "verify", "analyze", "equilibrium", "connect"];

/// What stands in backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[test]
fn every_command_and_test_of_the_page_exists() {
    let page = file_text("docs/papers.md");
    let rows: Vec<Vec<&str>> = page
        .lines()
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
        if let ["derive", "--form", form] = words[..] {
            assert!(form.parse::<Form>().is_ok(), "{command}");
        }
        let (module, function) = quoted(test)[0].split_once("::").expect("module::function");
        let source = file_text(&format!("crates/dalembert/tests/it/{module}.rs"));
        assert!(source.contains(&format!("fn {function}")), "{test}");
    }
}

/// All numbers of the papers with numbered equations are there, one after the other.
#[test]
fn no_equation_is_left_out() {
    let page = file_text("docs/papers.md");
    for (paper, last) in [("[UK92]", 19), ("[U05a]", 39), ("[U05b]", 25), ("[G76]", 26)] {
        let section = page.split("\n## ").find(|s| s.starts_with(paper)).expect("a section");
        for number in 1..=last {
            assert!(section.contains(&format!("\n| ({number}) |")), "{paper} ({number})");
        }
    }
}
