//! The requests about a document, each answered from its newest text.

use crate::convert;
use crate::documents::Open;
use crate::position::Encoding;
use dalembert::source::Span;
use dalembert_ide::Usage;
use serde_json::{Value, json};

/// Why a request has no result: a code of the protocol and a message.
pub struct Refusal {
    pub code: i32,
    pub message: String,
}

impl Refusal {
    pub const PARSE: i32 = -32700;
    pub const INVALID: i32 = -32600;
    pub const UNKNOWN: i32 = -32601;
    pub const PARAMETERS: i32 = -32602;
    pub const UNINITIALIZED: i32 = -32002;
    pub const FAILED: i32 = -32803;
    pub const INTERNAL: i32 = -32603;

    pub fn new(code: i32, message: impl Into<String>) -> Refusal {
        Refusal { code, message: message.into() }
    }

    /// Parameters that make no sense.
    pub fn parameters(message: &str) -> Refusal {
        Refusal::new(Refusal::PARAMETERS, message)
    }

    /// A request that makes sense but cannot be done.
    pub fn failed(message: impl Into<String>) -> Refusal {
        Refusal::new(Refusal::FAILED, message)
    }
}

/// An answer to a request about an open document.
pub type Answer = fn(&Open, &Value) -> Result<Value, Refusal>;

/// The answer to a method, if there is one.
pub fn to(method: &str) -> Option<Answer> {
    Some(match method {
        "textDocument/hover" => hover,
        "textDocument/completion" => completion,
        "textDocument/definition" => definition,
        "textDocument/references" => references,
        "textDocument/documentHighlight" => highlight,
        "textDocument/documentSymbol" => symbols,
        "textDocument/formatting" => formatting,
        "textDocument/codeAction" => quick_fixes,
        "textDocument/prepareRename" => prepare_rename,
        "textDocument/rename" => rename,
        #[cfg(test)]
        "test/panic" => |_, _| panic!("a row is missing"),
        _ => return None,
    })
}

/// What the server can do, as the client is told.
pub fn capabilities(encoding: Encoding) -> Value {
    json!({
        "positionEncoding": encoding.name(),
        "textDocumentSync": { "openClose": true, "change": 2 },
        "hoverProvider": true,
        "completionProvider": { "triggerCharacters": [".", "(", "{"] },
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "documentFormattingProvider": true,
        "codeActionProvider": { "codeActionKinds": ["quickfix"] },
        "renameProvider": { "prepareProvider": true },
    })
}

fn offset(open: &Open, params: &Value) -> Result<u32, Refusal> {
    let position = params.get("position").and_then(|position| open.offset(position));
    position.map(|offset| offset as u32).ok_or_else(|| Refusal::parameters("`position` is missing"))
}

fn hover(open: &Open, params: &Value) -> Result<Value, Refusal> {
    let hover = open.document().hover(offset(open, params)?);
    Ok(hover.map_or(Value::Null, |hover| {
        let contents = json!({ "kind": "markdown", "value": hover.markdown() });
        json!({ "contents": contents, "range": open.range(hover.span) })
    }))
}

fn completion(open: &Open, params: &Value) -> Result<Value, Refusal> {
    let items = open.document().completions(offset(open, params)?);
    let items = items.iter().enumerate();
    let items: Vec<Value> = items.map(|(order, item)| convert::completion(open, order, item)).collect();
    Ok(json!({ "isIncomplete": false, "items": items }))
}

fn definition(open: &Open, params: &Value) -> Result<Value, Refusal> {
    Ok(locations(open, open.document().definition(offset(open, params)?)))
}

fn references(open: &Open, params: &Value) -> Result<Value, Refusal> {
    let at = offset(open, params)?;
    let wanted = params.pointer("/context/includeDeclaration").and_then(Value::as_bool).unwrap_or(true);
    let declared = if wanted { Vec::new() } else { open.document().definition(at) };
    let places = open.document().references(at).into_iter().filter(|span| !declared.contains(span));
    Ok(locations(open, places.collect()))
}

fn locations(open: &Open, spans: Vec<Span>) -> Value {
    spans.into_iter().map(|span| open.location(span)).collect()
}

fn highlight(open: &Open, params: &Value) -> Result<Value, Refusal> {
    let names = &open.document().names;
    let Some(entity) = names.at(offset(open, params)?).and_then(|occurrence| occurrence.entity) else {
        return Ok(json!([]));
    };
    let highlights = names.of_entity(entity).map(|occurrence| {
        let kind = if occurrence.usage == Usage::Declaration { 3 } else { 2 };
        json!({ "range": open.range(occurrence.span), "kind": kind })
    });
    Ok(highlights.collect())
}

fn symbols(open: &Open, _: &Value) -> Result<Value, Refusal> {
    Ok(open.document().symbols().iter().map(|symbol| convert::symbol(open, symbol)).collect())
}

/// One edit for the whole text; none where it is canonical or cannot be read, which diagnostics say.
fn formatting(open: &Open, _: &Value) -> Result<Value, Refusal> {
    Ok(match open.document().format() {
        Ok(text) if text != open.text => json!([{ "range": open.whole(), "newText": text }]),
        Ok(_) => json!([]),
        Err(_) => Value::Null,
    })
}

/// The replacements that diagnostics of this very text offer.
fn quick_fixes(open: &Open, params: &Value) -> Result<Value, Refusal> {
    let range = params.get("range").and_then(|range| open.offsets(range));
    let (start, end) = range.ok_or_else(|| Refusal::parameters("`range` is missing"))?;
    let meets = |span: Span| span.start as usize <= end && start <= span.end as usize;
    let said = open.said.iter().flatten();
    let near = said.filter(|said| said.span.is_some_and(meets));
    Ok(near.filter_map(|said| convert::quick_fix(open, said)).collect())
}

fn prepare_rename(open: &Open, params: &Value) -> Result<Value, Refusal> {
    let occurrence = open.document().names.at(offset(open, params)?);
    let occurrence = occurrence.filter(|occurrence| occurrence.entity.is_some());
    Ok(occurrence.map_or(Value::Null, |occurrence| {
        let placeholder = open.document().source.slice(occurrence.span);
        json!({ "range": open.range(occurrence.span), "placeholder": placeholder })
    }))
}

fn rename(open: &Open, params: &Value) -> Result<Value, Refusal> {
    let name = params.get("newName").and_then(Value::as_str);
    let name = name.ok_or_else(|| Refusal::parameters("`newName` is missing"))?;
    let places = open.document().rename(offset(open, params)?, name).map_err(Refusal::failed)?;
    let edits: Vec<Value> =
        places.into_iter().map(|span| json!({ "range": open.range(span), "newText": name })).collect();
    Ok(json!({ "changes": { open.uri(): edits } }))
}
