//! The model language: reading, writing, complaining.

mod generate;
mod messages;
mod models;
mod reading;
mod robust;
mod round_trip;

use dalembert::diagnostic::{Diagnostic, Style, render};
use dalembert::source::Source;
use dalembert::syntax::{Ast, parse};

/// Reads a text that must be right.
fn read(text: &str) -> Ast {
    let source = Source::new("model.dal", text);
    let (ast, diagnostics) = parse(&source);
    assert!(diagnostics.is_empty(), "{}\n{text}", render(&diagnostics, &source, Style::Plain));
    ast
}

/// What is wrong with a text.
fn problems(text: &str) -> Vec<Diagnostic> {
    parse(&Source::new("model.dal", text)).1
}

/// What is wrong with a text, as shown.
fn shown(text: &str) -> String {
    let source = Source::new("model.dal", text);
    render(&parse(&source).1, &source, Style::Plain)
}
