//! Open documents: their texts as the client edits them, and what was found in them.

use crate::position::{ClientPosition, Encoding, Lines};
use dalembert::Source;
use dalembert::diagnostic::Diagnostic;
use dalembert::source::Span;
use dalembert_ide::Document;
use serde_json::{Value, json};
use std::cell::OnceCell;

/// An open document.
pub struct Open {
    uri: String,
    /// The version the client gave it, as it came.
    pub version: Value,
    /// Counts texts, over all documents.
    pub revision: u64,
    /// The text.
    pub text: String,
    lines: Lines,
    encoding: Encoding,
    document: OnceCell<Document>,
    /// Whether a change made no sense, so that the text may not be the client's until it is sent as a whole.
    pub lost: bool,
    /// What was said about this very text, once it is known.
    pub said: Option<Vec<Diagnostic>>,
}

impl Open {
    /// A document that was just opened.
    pub fn new(uri: &str, text: String, encoding: Encoding) -> Open {
        Open {
            uri: uri.to_owned(),
            version: Value::Null,
            revision: 0,
            lines: Lines::of(&text),
            text,
            encoding,
            document: OnceCell::new(),
            lost: false,
            said: None,
        }
    }

    /// What the client calls it.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// What the text declares and uses, read when it is asked for first.
    pub fn document(&self) -> &Document {
        self.document.get_or_init(|| Document::new(Source::new(&self.uri, self.text.as_str())))
    }

    /// Applies a change: a piece of text in a range, or the whole text. `None` if it makes no sense.
    pub fn change(&mut self, change: &Value) -> Option<()> {
        let piece = change.get("text")?.as_str()?;
        match change.get("range") {
            None | Some(Value::Null) => {
                self.text = piece.to_owned();
                self.lost = false;
            }
            Some(_) if self.lost => return None,
            Some(range) => {
                let (start, end) = self.offsets(range)?;
                self.text.replace_range(start..end, piece);
            }
        }
        self.lines = Lines::of(&self.text);
        self.document = OnceCell::new();
        self.said = None;
        Some(())
    }

    /// A range of the client as offsets, in order.
    pub fn offsets(&self, range: &Value) -> Option<(usize, usize)> {
        let (start, end) = (self.offset(range.get("start")?)?, self.offset(range.get("end")?)?);
        Some((start.min(end), start.max(end)))
    }

    /// A position of the client as an offset.
    pub fn offset(&self, position: &Value) -> Option<usize> {
        let count = |name: &str| Some(usize::try_from(position.get(name)?.as_u64()?).unwrap_or(usize::MAX));
        let place = ClientPosition { line: count("line")?, character: count("character")? };
        Some(self.lines.offset(&self.text, place, self.encoding))
    }

    /// A span as a range of the client.
    pub fn range(&self, span: Span) -> Value {
        json!({ "start": self.position(span.start as usize), "end": self.position(span.end as usize) })
    }

    /// The whole text as a range of the client.
    pub fn whole(&self) -> Value {
        json!({ "start": self.position(0), "end": self.position(self.text.len()) })
    }

    /// A span of this document, for another reader.
    pub fn location(&self, span: Span) -> Value {
        json!({ "uri": self.uri, "range": self.range(span) })
    }

    fn position(&self, offset: usize) -> Value {
        let ClientPosition { line, character } = self.lines.place(&self.text, offset, self.encoding);
        json!({ "line": line, "character": character })
    }
}
