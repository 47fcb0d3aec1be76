//! No text makes the reader fail, hang or overflow the stack.

use std::time::{Duration, Instant};

use dalembert::diagnostic::{Code, Style, any_error, json, render};
use dalembert::source::{MAX_SOURCE_BYTES, Source};
use dalembert::syntax::{MAX_DIAGNOSTICS, MAX_NESTING, format, parse};
use proptest::prelude::*;

use super::{models, problems};

/// Goes through everything that touches a text.
fn exercise(bytes: Vec<u8>) {
    let Ok(source) = Source::from_bytes("model.dal", bytes) else {
        return;
    };
    let (ast, diagnostics) = parse(&source);
    render(&diagnostics, &source, Style::Plain);
    render(&diagnostics, &source, Style::Styled);
    json(&diagnostics, &source);
    // A text without errors is said again by its canonical form; with errors the rest still formats to a fixed point.
    let text = format(&ast);
    let (again, problems) = parse(&Source::new("again.dal", text.as_str()));
    assert!(problems.is_empty(), "{:?}\n{problems:?}\n{text}", source.text);
    assert_eq!(ast.without_spans(), again.without_spans(), "{:?}\n{text}", source.text);
    assert_eq!(format(&again), text);
}

/// Characters that make trouble together.
fn awkward() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "'",
        "\"",
        "#",
        "\n",
        ";",
        ",",
        ":",
        ".",
        "..",
        "=",
        "==",
        "~",
        "^",
        "**",
        "-",
        "+",
        "*",
        "/",
        "<",
        "!=",
        "!",
        "\\",
        " ",
        "\t",
        "\r\n",
        "1",
        "2.5",
        "1e5",
        "1e999",
        ".",
        "x",
        "θ",
        "δx",
        "²",
        "if ",
        " then ",
        " else ",
        " and ",
        "not ",
        "for i in 1..3 {",
        "kinetic ",
        "constraint ",
        "initial ",
        "simulate until ",
        "sum(i in 1..2,",
        "body ",
        "draw line ",
        "parameter a = ",
        "coordinate ",
        "@",
        "\u{feff}",
        "\u{0}",
        "\u{300}",
        " at ",
        " stop",
        "force ",
        "let ",
        "system ",
    ]);
    prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        exercise(bytes);
    }

    #[test]
    fn random_text(text in "\\PC{0,200}") {
        exercise(text.into_bytes());
    }

    #[test]
    fn random_pieces(text in awkward()) {
        exercise(text.into_bytes());
    }

    #[test]
    fn damaged_models(
        which in 0..models::ALL.len(),
        cut in any::<prop::sample::Index>(),
        place in any::<prop::sample::Index>(),
        removed in 0usize..8,
        piece in awkward(),
        truncate in any::<bool>(),
    ) {
        let mut bytes = models::ALL[which].as_bytes().to_vec();
        let at = place.index(bytes.len());
        let end = (at + removed).min(bytes.len());
        let piece: String = piece.chars().take(6).collect();
        bytes.splice(at..end, piece.bytes());
        if truncate {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        exercise(bytes);
    }
}

#[test]
fn reserved_statements_end_where_their_text_does() {
    for text in [
        "body \"\"if ;for i in 1..3 {}",
        "body ,#\r\n}",
        "body.5, g",
        "for i in 1..2 { body a + }",
        "body a # b\n",
    ] {
        exercise(text.as_bytes().to_vec());
    }
}

#[test]
fn bytes_that_are_no_text_are_refused_at_the_door() {
    let said = Source::from_bytes("model.dal", b"system\n\xc3(".to_vec()).unwrap_err();
    assert_eq!(said.code, Code::NotUtf8);
    assert!(said.message.contains("byte 7 (line 2)"), "{}", said.message);
    let said = Source::from_bytes("model.dal", vec![b' '; MAX_SOURCE_BYTES + 1]).unwrap_err();
    assert_eq!(said.code, Code::FileTooLarge);
    assert_eq!(problems(&" ".repeat(MAX_SOURCE_BYTES + 1))[0].code, Code::FileTooLarge);
}

#[test]
fn nesting_is_bounded() {
    let bombs = [
        format!("let a = {}1{}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("let a = {}1", "-".repeat(100_000)),
        format!("let a = {}1", "not ".repeat(100_000)),
        format!("let a = 1{}", "^1".repeat(100_000)),
        format!("let a = x{}", "[1".repeat(100_000)),
        format!("let a = {}", "f(".repeat(100_000)),
        format!("let a = {}1", "if x then 1 else ".repeat(100_000)),
        format!("let a = x{}", ".x".repeat(100_000)),
        format!("parameter a = 1 {{{}", "(".repeat(100_000)),
        "for i in 1..2 {\n".repeat(100_000),
    ];
    for bomb in bombs {
        let codes: Vec<Code> = problems(&bomb).iter().map(|said| said.code).collect();
        assert!(codes.contains(&Code::TooDeep), "{codes:?} {}", &bomb[..60]);
    }
}

#[test]
fn the_deepest_allowed_trees_are_walked_safely() {
    // Each level as tall as the grammar permits.
    let levels = MAX_NESTING - 1;
    let text = format!("let a = {}1{}", "(0 < 1 + 2*x[0].x[".repeat(levels / 2), "].x)".repeat(levels / 2));
    exercise(text.into_bytes());
    let text = format!("let a = {}1{}", "(".repeat(levels), ")".repeat(levels));
    assert!(problems(&text).is_empty());
}

#[test]
fn flat_chains_may_be_long() {
    let n = 30_000;
    for text in [
        format!("let a = 1{}", " + x*2".repeat(n)),
        format!("let a = 1{}", "*x/2".repeat(n)),
        format!("let a = x{}", "'".repeat(n)),
        format!("let a = if x > 0{} then 1 else 2", " and x > 0".repeat(n)),
        format!("let a = [1{}]", ",\n x".repeat(n)),
    ] {
        assert!(problems(&text).is_empty());
        exercise(text.into_bytes());
    }
}

#[test]
fn large_broken_texts_are_refused_soon() {
    let fill = |piece: &str| piece.repeat(MAX_SOURCE_BYTES / 4 / piece.len());
    let start = Instant::now();
    for piece in [
        "@ ",
        "(",
        "[\n",
        "(\n",
        "}\n",
        "x = \n",
        "let a = (\n\n\n",
        "force a[;",
        "\"\n",
        "body {\n",
        "a b ",
        "#\n",
        "x'",
        "let a = b c d\n",
    ] {
        let source = Source::new("model.dal", fill(piece));
        let (_, diagnostics) = parse(&source);
        assert!(diagnostics.len() <= 2 * MAX_DIAGNOSTICS, "{piece:?}");
        assert_eq!(any_error(&diagnostics), piece != "#\n", "{piece:?}");
        render(&diagnostics, &source, Style::Plain);
    }
    // Generous: a slow machine passes, work that grows with the square of the text does not.
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}
