//! Answers of the language in the words of the protocol.

use crate::documents::Open;
use dalembert::diagnostic::{Diagnostic, Severity};
use dalembert::source::Span;
use dalembert_ide::{Completion, CompletionKind, Sort, Symbol};
use serde_json::{Value, json};

/// What was said about the text of a document. Second places are told apart if the client shows them, and in words
/// otherwise.
pub fn diagnostics(open: &Open, related: bool) -> Value {
    open.said.iter().flatten().map(|said| diagnostic(open, said, related)).collect()
}

fn diagnostic(open: &Open, said: &Diagnostic, related: bool) -> Value {
    let mut message = said.message.clone();
    let elsewhere = said.labels.iter().filter(|(span, _)| Some(*span) != said.span);
    let places: Vec<Value> =
        elsewhere.map(|(span, text)| json!({ "location": open.location(*span), "message": text })).collect();
    for (span, text) in &said.labels {
        if Some(*span) == said.span {
            message.push_str(&format!("\n{text}"));
        } else if !related {
            message.push_str(&format!("\n{text}: `{}`", open.document().source.slice(*span)));
        }
    }
    if let Some(help) = &said.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    let mut value = json!({
        "range": open.range(said.span.unwrap_or_default()),
        "severity": severity(said.severity),
        "code": said.code.id(),
        "source": "dalembert",
        "message": message,
    });
    if related && !places.is_empty() {
        value["relatedInformation"] = places.into();
    }
    if let Some((span, text)) = &said.suggestion {
        value["data"] = json!({ "range": open.range(*span), "newText": text });
    }
    value
}

/// The replacement that a diagnostic offers.
pub fn quick_fix(open: &Open, said: &Diagnostic) -> Option<Value> {
    let (span, text) = said.suggestion.as_ref()?;
    let old = open.document().source.slice(*span);
    let title = match (old.trim(), text.trim()) {
        ("", new) => format!("Insert `{new}`"),
        (old, "") => format!("Remove `{old}`"),
        (old, new) => format!("Replace `{old}` by `{new}`"),
    };
    let edit = json!({ "range": open.range(*span), "newText": text });
    Some(json!({
        "title": title,
        "kind": "quickfix",
        "diagnostics": [diagnostic(open, said, false)],
        "isPreferred": true,
        "edit": { "changes": { open.uri(): [edit] } },
    }))
}

/// A completion; `order` keeps the order in which they come.
pub fn completion(open: &Open, order: usize, item: &Completion) -> Value {
    let mut value = json!({
        "label": item.label,
        "kind": completion_kind(item.kind),
        "detail": item.detail,
        "sortText": format!("{order:05}"),
        "textEdit": { "range": open.range(item.replace), "newText": item.label },
    });
    if let Some(text) = &item.documentation {
        value["documentation"] = json!({ "kind": "markdown", "value": text });
    }
    value
}

/// An entry of the outline.
pub fn symbol(open: &Open, symbol: &Symbol) -> Value {
    let selection = Span::new(symbol.selection.start.max(symbol.span.start), symbol.selection.end);
    json!({
        "name": if symbol.name.is_empty() { "untitled" } else { symbol.name.as_str() },
        "detail": symbol.sort.map_or("system", Sort::describe),
        "kind": symbol.sort.map_or(2, symbol_kind),
        "range": open.range(symbol.span.to(selection)),
        "selectionRange": open.range(selection),
    })
}

fn severity(severity: Severity) -> u8 {
    match severity {
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Note => 3,
    }
}

/// `CompletionItemKind`
fn completion_kind(kind: CompletionKind) -> u8 {
    match kind {
        CompletionKind::Keyword => 14,
        CompletionKind::Function => 3,
        CompletionKind::Constant => 21,
        CompletionKind::Name(Sort::Const | Sort::Parameter | Sort::Integration) => 21,
        CompletionKind::Name(Sort::Constraint | Sort::Requirement) => 18,
        CompletionKind::Name(_) => 6,
        CompletionKind::Unit => 11,
        CompletionKind::Method => 20,
        CompletionKind::Member => 5,
    }
}

/// `SymbolKind`
fn symbol_kind(sort: Sort) -> u8 {
    match sort {
        Sort::Const | Sort::Parameter | Sort::Integration => 14,
        Sort::Coordinate | Sort::Speed | Sort::State | Sort::Input | Sort::Let | Sort::Index => 13,
        Sort::Output => 8,
        Sort::Constraint | Sort::Requirement => 7,
        Sort::Event => 24,
        Sort::Body | Sort::Frame => 19,
        Sort::Joint | Sort::Element => 13,
    }
}
