//! Text to tree and back.

use dalembert::diagnostic::Code;
use dalembert::source::{MAX_SOURCE_BYTES, Source};
use dalembert::syntax::{MAX_NESTING, format, parse, reformat};
use proptest::prelude::*;

use super::generate::model;
use super::{models, read};

#[test]
fn models_survive_formatting() {
    for text in models::ALL {
        let ast = read(text);
        let formatted = format(&ast);
        assert_eq!(ast.without_spans(), read(&formatted).without_spans());
        assert_eq!(formatted, format(&read(&formatted)));
        let comments = |text: &str| text.matches('#').count();
        assert_eq!(comments(text), comments(&formatted), "no comment is lost");
    }
}

/// What `fmt --check` asks of every file in `models/`.
#[test]
fn models_of_the_project_are_formatted() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    let files = std::fs::read_dir(folder).expect("the folder").map(|file| file.expect("a file").path());
    let models: Vec<_> = files.filter(|path| path.extension().is_some_and(|e| e == "dal")).collect();
    assert!(!models.is_empty());
    for path in models {
        let text = std::fs::read_to_string(&path).expect("text");
        let formatted = reformat(&read(&text)).expect("it says the same");
        assert!(formatted == text, "run `dalembert fmt {}`", path.display());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn every_tree_is_read_back(ast in model()) {
        let text = format(&ast);
        let (again, problems) = parse(&Source::new("model.dal", text.as_str()));
        prop_assert!(problems.is_empty(), "{problems:?}\n{text}");
        prop_assert_eq!(&ast.without_spans(), &again.without_spans(), "{}", text);
        prop_assert_eq!(format(&again), text);
    }
}

/// A text of so many levels around a name.
fn nested(before: &str, after: &str, levels: usize) -> String {
    format!("potential {}x{}\n", before.repeat(levels), after.repeat(levels))
}

#[test]
fn what_can_be_read_can_be_formatted_however_deep_it_is() {
    let shapes = [
        ("if a < b then ", " else c"),
        ("if a < b then c else ", ""),
        ("if a < b then c + ", " else d"),
        ("if ", " < 1 then a else b"),
        ("1 + if a < b then c else 2*", ""),
        ("-if a < b then c else ", ""),
        ("2^if a < b then c else ", ""),
        ("a == not ", ""),
        ("not a == not ", ""),
        ("not if a then b else ", ""),
        ("a and not b or if c then d else ", ""),
        ("(if a < b then ", " else c)*2 + 1"),
        ("f(if a < b then ", " else c) + 1"),
        ("-(a + ", ")^2"),
        ("[x, 1 - ", "].y"),
    ];
    for (before, after) in shapes {
        let reads = |levels: usize| {
            let (_, said) = parse(&Source::new("m", nested(before, after, levels)));
            said.is_empty()
        };
        let deepest = (1..=MAX_NESTING).take_while(|levels| reads(*levels)).last().unwrap_or(0);
        assert!(deepest > 10, "{before}");
        for levels in [1, 5, deepest / 2, deepest - 1, deepest] {
            let ast = read(&nested(before, after, levels));
            let text = reformat(&ast).unwrap_or_else(|d| panic!("{before}, {levels}: {}", d.message));
            assert_eq!(reformat(&read(&text)).ok(), Some(text), "{before}, {levels}");
        }
    }
}

#[test]
fn a_text_that_would_grow_beyond_the_limit_is_refused() {
    // Each statement is indented by four spaces for each level of its block.
    let (depth, lines) = (90, MAX_SOURCE_BYTES / 200);
    let text =
        format!("{}{}{}", "for i in 1..2 {\n".repeat(depth), "work i\n".repeat(lines), "}\n".repeat(depth));
    let error = reformat(&read(&text)).expect_err("it is too long");
    assert_eq!(error.code, Code::FileTooLarge);
}
