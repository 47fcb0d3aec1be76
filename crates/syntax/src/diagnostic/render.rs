//! Diagnostics for people and for programs.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet, renderer::DecorStyle,
};
use serde_json::{Value, json};

use super::{Diagnostic, Severity};
use crate::source::{Source, Span};

/// How many diagnostics are shown at most; the rest is counted.
pub const MAX_SHOWN: usize = 50;

/// How much text around a place is handed to the renderer: beyond it labels are told by their line, and places on
/// endless lines by line and column.
const MAX_WINDOW_BYTES: usize = 16 * 1024;

/// Whether colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Text only.
    Plain,
    /// With terminal colours.
    Styled,
}

/// The diagnostics as text, each with the lines it points at; at most [`MAX_SHOWN`], then "and N more".
///
/// The text ends in a newline unless there is nothing to say.
pub fn render(diagnostics: &[Diagnostic], source: &Source, style: Style) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics.iter().take(MAX_SHOWN) {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&render_one(diagnostic, source, style));
        out.push('\n');
    }
    if diagnostics.len() > MAX_SHOWN {
        out.push_str(&format!("\nand {} more\n", diagnostics.len() - MAX_SHOWN));
    }
    out
}

fn render_one(diagnostic: &Diagnostic, source: &Source, style: Style) -> String {
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Styled => Renderer::styled(),
    };
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code.id());
    let mut main = with_place(Group::with_title(title), diagnostic, source);
    let mut groups = Vec::with_capacity(2);
    let patch = diagnostic.suggestion.as_ref().and_then(|(span, text)| patched(source, *span, text));
    // Help with a replacement stands above the mended line, help alone below the message.
    match (&diagnostic.help, patch) {
        (help, Some(patch)) => {
            let title = Level::HELP.secondary_title(help.as_deref().unwrap_or("like this"));
            groups.push(main);
            groups.push(Group::with_title(title).element(patch));
        }
        (help, None) => {
            if let Some(help) = help {
                main = main.element(Level::HELP.message(help.as_str()));
            }
            groups.push(main);
        }
    }
    renderer.decor_style(DecorStyle::Ascii).render(&groups)
}

/// Adds the lines a diagnostic points at, marked.
fn with_place<'a>(group: Group<'a>, diagnostic: &'a Diagnostic, source: &'a Source) -> Group<'a> {
    let main = diagnostic.span;
    let labels = diagnostic.labels.iter().map(|(span, _)| *span);
    let wide = window(source, labels.chain(main));
    let Some(window) = wide.or_else(|| window(source, main)) else {
        return match main {
            Some(span) => group.element(origin(source, span)),
            None => group,
        };
    };
    let mut snippet = window.snippet(source);
    if let Some(span) = main {
        let mut caret = AnnotationKind::Primary.span(window.within(source, span));
        if let Some((_, text)) = diagnostic.labels.iter().find(|(at, _)| *at == span) {
            caret = caret.label(text.as_str());
        }
        snippet = snippet.annotation(caret);
    }
    let mut far = Vec::new();
    for (span, text) in diagnostic.labels.iter().filter(|(at, _)| Some(*at) != main) {
        if window.contains(source, *span) {
            let range = window.within(source, *span);
            snippet = snippet.annotation(AnnotationKind::Context.span(range).label(text.as_str()));
        } else {
            far.push(Level::NOTE.message(format!("line {}: {text}", source.position(span.start).line)));
        }
    }
    far.into_iter().fold(group.element(snippet), Group::element)
}

/// The place alone, for lines too long to show.
fn origin(source: &Source, span: Span) -> Origin<'_> {
    let place = source.position(span.start);
    Origin::path(source.name.as_str()).line(place.line).char_column(place.column)
}

fn patched<'a>(source: &'a Source, span: Span, text: &'a str) -> Option<Snippet<'a, Patch<'a>>> {
    let window = window(source, [span])?;
    let range = window.within(source, span);
    let snippet = Snippet::source(window.text(source)).path(source.name.as_str()).line_start(window.line);
    Some(snippet.patch(Patch::new(range, text)))
}

/// The whole lines that some spans touch: only these are handed to the renderer, whatever the size of the file.
struct Window {
    bytes: Range<usize>,
    line: usize,
}

/// The window of some spans, if there are any and the window is small enough to be shown.
fn window(source: &Source, spans: impl IntoIterator<Item = Span>) -> Option<Window> {
    let all = spans
        .into_iter()
        .map(|span| source.clamp(span))
        .reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))?;
    let start = source.text[..all.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = source.text[all.end..].find('\n').map_or(source.text.len(), |newline| all.end + newline);
    let line = source.text[..start].bytes().filter(|&byte| byte == b'\n').count() + 1;
    (end - start <= MAX_WINDOW_BYTES).then_some(Window { bytes: start..end, line })
}

impl Window {
    fn snippet<'a>(&self, source: &'a Source) -> Snippet<'a, Annotation<'a>> {
        Snippet::source(self.text(source)).path(source.name.as_str()).line_start(self.line).fold(true)
    }

    /// The lines. Ends of lines of two bytes, as Windows has them, become a blank and one byte: places stay where they are.
    fn text<'a>(&self, source: &'a Source) -> Cow<'a, str> {
        let text = &source.text[self.bytes.clone()];
        if text.contains('\r') { Cow::Owned(text.replace('\r', " ")) } else { Cow::Borrowed(text) }
    }

    fn contains(&self, source: &Source, span: Span) -> bool {
        let range = source.clamp(span);
        self.bytes.start <= range.start && range.end <= self.bytes.end
    }

    fn within(&self, source: &Source, span: Span) -> Range<usize> {
        let range = source.clamp(span);
        range.start - self.bytes.start..range.end - self.bytes.start
    }
}

/// The diagnostics as a JSON list of objects with the keys `code`, `severity`, `message`, `line`, `column`, `end`,
/// `help`, `labels` and `suggestion`; lines and columns count from 1, absent parts are `null`. Nothing is left out.
///
/// ```
/// use dalembert_syntax::diagnostic::{Code, Diagnostic, json};
/// use dalembert_syntax::source::{Source, Span};
///
/// let source = Source::new("model.dal", "coordinate x\npotential y");
/// let said = json(&[Diagnostic::error(Code::UnknownName, Span::new(23, 24), "unknown name `y`")], &source);
/// assert_eq!(said[0]["code"], "E0301");
/// assert_eq!((&said[0]["line"], &said[0]["column"]), (&2.into(), &11.into()));
/// ```
pub fn json(diagnostics: &[Diagnostic], source: &Source) -> Value {
    diagnostics.iter().map(|diagnostic| one_json(diagnostic, source)).collect()
}

fn one_json(diagnostic: &Diagnostic, source: &Source) -> Value {
    let mut object = json!({
        "code": diagnostic.code.id(),
        "severity": diagnostic.severity.name(),
        "message": diagnostic.message,
    });
    place_into(&mut object, diagnostic.span, source);
    object["help"] = json!(diagnostic.help);
    object["labels"] =
        diagnostic.labels.iter().map(|(span, text)| placed_text("message", *span, text, source)).collect();
    object["suggestion"] = diagnostic
        .suggestion
        .as_ref()
        .map_or(Value::Null, |(span, text)| placed_text("replacement", *span, text, source));
    object
}

fn placed_text(key: &str, span: Span, text: &str, source: &Source) -> Value {
    let mut object = json!({ key: text });
    place_into(&mut object, Some(span), source);
    object
}

fn place_into(object: &mut Value, span: Option<Span>, source: &Source) {
    let place = span.map(|span| (source.position(span.start), source.position(span.end)));
    object["line"] = json!(place.map(|(start, _)| start.line));
    object["column"] = json!(place.map(|(start, _)| start.column));
    object["end"] = place.map_or(Value::Null, |(_, end)| json!({ "line": end.line, "column": end.column }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Code;

    #[test]
    fn ends_of_lines_of_two_bytes_are_not_shown() {
        let source = Source::new("model.dal", "coordinate x\r\npotential y\r\n");
        let said = Diagnostic::error(Code::UnknownName, Span::new(24, 25), "unknown name `y`");
        let text = render(&[said], &source, Style::Plain);
        assert!(text.contains("model.dal:2:11") && text.contains("2 | potential y"), "{text}");
        assert!(text.chars().all(|c| c == '\n' || c == ' ' || c.is_ascii_graphic()), "{text}");
    }
}
