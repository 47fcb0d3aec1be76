//! How results and troubles reach the reader: standard output, standard error, JSON.

use dalembert::Source;
use dalembert::diagnostic::{self, Diagnostic, Style};
pub use dalembert_view::documents::{headline, object};
use serde_json::{Value, json};
use std::io::{ErrorKind, IsTerminal, Write};

/// Why a command ended early.
pub enum Failure {
    /// Something outside the model, in words.
    Plain {
        /// One line.
        message: String,
        /// What to do about it.
        help: Option<String>,
    },
    /// Something about the model.
    Model {
        /// Everything there is to say, warnings included.
        diagnostics: Vec<Diagnostic>,
        /// The text they point into.
        source: Source,
    },
    /// All has been said already.
    Told,
    /// Nobody reads standard output any more; that is fine.
    ReaderGone,
}

impl Failure {
    /// Trouble outside the model.
    pub fn plain(message: impl Into<String>) -> Failure {
        Failure::Plain { message: message.into(), help: None }
    }

    /// Trouble in the model, one diagnostic.
    pub fn of(diagnostic: Diagnostic, source: &Source) -> Failure {
        Failure::Model { diagnostics: vec![diagnostic], source: source.clone() }
    }

    /// Says what to do.
    pub fn help(self, text: impl Into<String>) -> Failure {
        match self {
            Failure::Plain { message, .. } => Failure::Plain { message, help: Some(text.into()) },
            other => other,
        }
    }

    /// Tells the reader, as JSON on standard output or in words on standard error.
    pub fn tell(&self, as_json: bool) {
        if as_json {
            if let Some(document) = self.document() {
                let _ = print_json(&document);
            }
            return;
        }
        match self {
            Failure::Plain { message, help } => {
                complain(&format!("error: {message}\n"));
                if let Some(help) = help {
                    complain(&format!("  = help: {help}\n"));
                }
            }
            Failure::Model { diagnostics, source } => show(diagnostics, source, false),
            Failure::Told | Failure::ReaderGone => {}
        }
    }

    /// `{"error": ..., "diagnostics": [...]}`.
    fn document(&self) -> Option<Value> {
        match self {
            Failure::Plain { message, help } => {
                Some(json!({ "error": message, "help": help, "diagnostics": [] }))
            }
            Failure::Model { diagnostics, source } => {
                let list = diagnostic::json(diagnostics, source);
                Some(json!({ "error": headline(diagnostics), "diagnostics": list }))
            }
            Failure::Told | Failure::ReaderGone => None,
        }
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
    crate::limit::writing();
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(stdout_failure)
}

/// What a failed write to standard output means.
pub fn stdout_failure(error: std::io::Error) -> Failure {
    match error.kind() {
        ErrorKind::BrokenPipe => Failure::ReaderGone,
        _ => Failure::plain(format!("cannot write to standard output: {error}")),
    }
}

/// Writes one JSON document to standard output.
pub fn print_json(document: &Value) -> Result<(), Failure> {
    print(&format!("{document:#}\n"))
}
