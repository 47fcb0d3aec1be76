//! What is said about a model: codes, messages, places, advice.
//!
//! A [`Diagnostic`] is plain data; [`render`] makes it readable, [`json`] machine readable, [`Code::explain`] tells more
//! than fits on a screen. This module knows the text a message points into, and nothing of grammar or mechanics beyond
//! the words of the catalogue.

mod catalogue;
mod nearest;
mod render;

pub use catalogue::Code;
pub use nearest::nearest;
pub use render::{MAX_SHOWN, Style, json, render};

use crate::source::{MAX_SOURCE_BYTES, Source, Span};

/// How grave a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Note,
    /// Probably a mistake; the engine goes on.
    Warning,
    /// The model or the run cannot be used.
    Error,
}

impl Severity {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// One thing to say about a model.
///
/// ```
/// use dalembert_syntax::diagnostic::{Code, Diagnostic, Style, render};
/// use dalembert_syntax::source::{Source, Span};
///
/// let source = Source::new("pendulum.dal", "potential m*g*thta\n");
/// let diagnostic = Diagnostic::error(Code::UnknownName, Span::new(14, 18), "unknown name `thta`")
///     .help("did you mean `theta`?")
///     .suggest(Span::new(14, 18), "theta");
/// let shown = render(&[diagnostic], &source, Style::Plain);
/// assert!(shown.starts_with("error[E0301]: unknown name `thta`"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Which kind of message it is; stable across versions.
    pub code: Code,
    /// How grave.
    pub severity: Severity,
    /// The place, where there is one.
    pub span: Option<Span>,
    /// One terse line.
    pub message: String,
    /// Words at places. A label on the main span stands at its caret.
    pub labels: Vec<(Span, String)>,
    /// What to do.
    pub help: Option<String>,
    /// A replacement of a piece of text that would mend it.
    pub suggestion: Option<(Span, String)>,
}

impl Diagnostic {
    /// A diagnostic as grave as its code says.
    pub fn new(code: Code, span: impl Into<Option<Span>>, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: code.severity(),
            span: span.into(),
            message: message.into(),
            labels: Vec::new(),
            help: None,
            suggestion: None,
        }
    }

    /// An error.
    pub fn error(code: Code, span: impl Into<Option<Span>>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, span, message).severity(Severity::Error)
    }

    /// A warning.
    pub fn warning(code: Code, span: impl Into<Option<Span>>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, span, message).severity(Severity::Warning)
    }

    /// A note.
    pub fn note(code: Code, span: impl Into<Option<Span>>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, span, message).severity(Severity::Note)
    }

    /// Sets the severity.
    pub fn severity(mut self, severity: Severity) -> Diagnostic {
        self.severity = severity;
        self
    }

    /// Adds words at a place.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push((span, text.into()));
        self
    }

    /// Says what to do.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Offers a replacement.
    pub fn suggest(mut self, span: Span, replacement: impl Into<String>) -> Diagnostic {
        self.suggestion = Some((span, replacement.into()));
        self
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl std::fmt::Display for Diagnostic {
    /// One line; [`render`] shows the place in the text and the help too.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code.id(), self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// Everything that was found wrong with a model, as one error.
///
/// ```
/// use dalembert_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
/// fn load() -> Result<(), Box<dyn std::error::Error>> {
///     Err(Diagnostics::from(vec![Diagnostic::error(Code::UnknownName, None, "unknown name `thta`")]))?
/// }
/// assert_eq!(load().unwrap_err().to_string(), "E0301: unknown name `thta`");
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl std::fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (k, diagnostic) in self.iter().filter(|d| d.is_error()).enumerate() {
            write!(f, "{}{diagnostic}", if k > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

impl std::ops::Deref for Diagnostics {
    type Target = Vec<Diagnostic>;

    fn deref(&self) -> &Vec<Diagnostic> {
        &self.0
    }
}

impl From<Vec<Diagnostic>> for Diagnostics {
    fn from(list: Vec<Diagnostic>) -> Diagnostics {
        Diagnostics(list)
    }
}

impl From<Diagnostics> for Vec<Diagnostic> {
    fn from(diagnostics: Diagnostics) -> Vec<Diagnostic> {
        diagnostics.0
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Whether any of them is an error.
pub fn any_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

impl Source {
    /// A source from the bytes of a file, which may be too many or not UTF-8.
    ///
    /// ```
    /// use dalembert_syntax::{Source, diagnostic::Code};
    ///
    /// let error = Source::from_bytes("model.dal", b"system \xff".to_vec()).unwrap_err();
    /// assert_eq!(error.code, Code::NotUtf8);
    /// assert!(error.message.contains("byte 7"));
    /// ```
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Source, Box<Diagnostic>> {
        if let Some(too_large) = size_error(bytes.len()) {
            return Err(Box::new(too_large));
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Source::new(name, text)),
            Err(error) => Err(Box::new(encoding_error(&error))),
        }
    }
}

/// What to say about a text of this size, if it is too large.
pub(crate) fn size_error(bytes: usize) -> Option<Diagnostic> {
    (bytes > MAX_SOURCE_BYTES).then(|| {
        Diagnostic::error(
            Code::FileTooLarge,
            None,
            format!("the model text is longer than the {MAX_SOURCE_BYTES} bytes that are read"),
        )
        .help("use families and `for` blocks instead of writing every statement out")
    })
}

fn encoding_error(error: &std::string::FromUtf8Error) -> Diagnostic {
    let offset = error.utf8_error().valid_up_to();
    let line = error.as_bytes()[..offset].iter().filter(|&&byte| byte == b'\n').count() + 1;
    Diagnostic::error(
        Code::NotUtf8,
        None,
        format!("the model text is not UTF-8: byte {offset} (line {line}) begins no character"),
    )
    .help("save the file in the encoding UTF-8")
}
