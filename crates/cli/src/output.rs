//! How results and failures reach the reader: standard output, standard error, JSON.

use crate::failure::{Failure, stdout_failure};
use crate::limit;
use dalembert::Source;
use dalembert::diagnostic::{self, Diagnostic, Style};
pub use dalembert_view::documents::headline;
use serde_json::Value;
use std::io::{IsTerminal, Write};

/// Reports a failure, as JSON on standard output or in words on standard error.
pub fn report_failure(failure: &Failure, as_json: bool) {
    if as_json {
        if let Some(document) = failure.document() {
            let _ = print_json(&document);
        }
        return;
    }
    match failure {
        Failure::Plain { message, help } => {
            complain(&format!("error: {message}\n"));
            if let Some(help) = help {
                complain(&format!("  = help: {help}\n"));
            }
        }
        Failure::Model { diagnostics, source } => show(diagnostics, source, false),
        Failure::Reported | Failure::ReaderGone => {}
    }
}

/// Shows diagnostics on standard error; when quiet, errors only.
pub fn show(diagnostics: &[Diagnostic], source: &Source, quiet: bool) {
    let wanted: Vec<Diagnostic> = diagnostics.iter().filter(|d| !quiet || d.is_error()).cloned().collect();
    let coloured = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let style = if coloured { Style::Styled } else { Style::Plain };
    complain(&diagnostic::render(&wanted, source, style));
}

/// Writes to standard error; that it may be closed is no reason to stop.
pub fn complain(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Writes to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    // What is being said is said to its end.
    limit::writing();
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(stdout_failure)
}

/// Writes one JSON document to standard output.
pub fn print_json(document: &Value) -> Result<(), Failure> {
    print(&format!("{document:#}\n"))
}
