//! What the editor asks about a place in the text.

use super::{WorkerRequest, refusal};
use dalembert::Source;
use dalembert::source::Span;
use dalembert_ide::{CompletionKind, Document};
use serde_json::{Value, json};

/// Completions that are offered.
const OFFERED: usize = 100;

/// `{hover: {span, name, what, details, code}}`, or `null` where there is nothing to say.
pub fn hover(source: Source, order: &WorkerRequest<'_>) -> Value {
    let hover = Document::new(source).hover(offset(order));
    json!({ "hover": hover.map(|h| json!({
        "span": span(h.span),
        "name": h.name,
        "what": h.what,
        "details": h.details,
        "code": h.code,
    }))})
}

/// `{completions: [{label, kind, detail, documentation, replace}]}`, with kinds as editors call them.
pub fn complete(source: Source, order: &WorkerRequest<'_>) -> Value {
    let kind = |kind| match kind {
        CompletionKind::Keyword => "keyword",
        CompletionKind::Function => "function",
        CompletionKind::Constant | CompletionKind::Unit | CompletionKind::Method => "constant",
        CompletionKind::Name(_) => "variable",
        CompletionKind::Member => "property",
    };
    let completions = Document::new(source).completions(offset(order)).into_iter().take(OFFERED);
    let offered = completions.map(|c| {
        json!({
            "label": c.label,
            "kind": kind(c.kind),
            "detail": c.detail,
            "documentation": c.documentation,
            "replace": span(c.replace),
        })
    });
    json!({ "completions": offered.collect::<Value>() })
}

/// `{text}` in canonical form.
pub fn format(source: Source) -> Result<Value, Value> {
    let document = Document::new(source);
    match document.format() {
        Ok(text) => Ok(json!({ "text": text })),
        Err(diagnostics) => Err(refusal(&diagnostics, &document.source)),
    }
}

fn offset(order: &WorkerRequest<'_>) -> u32 {
    order.request["at"].as_u64().and_then(|at| u32::try_from(at).ok()).unwrap_or(u32::MAX)
}

fn span(span: Span) -> Value {
    json!({ "start": span.start, "end": span.end })
}
