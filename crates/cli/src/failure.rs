//! Why a command ended early, before it is known how the reader will be told.

use dalembert::Source;
use dalembert::diagnostic::{self, Diagnostic};
use dalembert_view::documents::headline;
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::path::Path;

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
    Reported,
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

    /// `{"error": ..., "diagnostics": [...]}`.
    pub fn document(&self) -> Option<Value> {
        match self {
            Failure::Plain { message, help } => {
                Some(json!({ "error": message, "help": help, "diagnostics": [] }))
            }
            Failure::Model { diagnostics, source } => {
                let list = diagnostic::json(diagnostics, source);
                Some(json!({ "error": headline(diagnostics), "diagnostics": list }))
            }
            Failure::Reported | Failure::ReaderGone => None,
        }
    }
}

/// What a failed write to standard output means.
pub fn stdout_failure(error: std::io::Error) -> Failure {
    match error.kind() {
        ErrorKind::BrokenPipe => Failure::ReaderGone,
        _ => Failure::plain(format!("cannot write to standard output: {error}")),
    }
}

/// A file that cannot be written, and why.
pub fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::plain(format!("cannot write `{}`: {}", path.display(), reason(error)))
}

/// The system's words for a failed file operation, without the number.
pub fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}
