//! The course of a session: what may be asked when, which documents are open, and errors where something is asked
//! that cannot be answered.

use crate::answers::{self, Refusal};
use crate::checker::{Checked, Checker};
use crate::convert;
use crate::documents::Open;
use crate::position::Encoding;
use dalembert::diagnostic::Diagnostic;
use dalembert::internal;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Whether the session goes on.
pub enum Flow {
    /// It does.
    Continue,
    /// It ends, with this exit code.
    Exit(u8),
}

/// Where a session is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Fresh,
    Running,
    ShutDown,
}

/// A session with one client.
pub struct Server {
    phase: Phase,
    encoding: Encoding,
    /// Whether the client shows second places of a diagnostic.
    related: bool,
    documents: BTreeMap<String, Open>,
    revisions: u64,
    checker: Checker,
    outbox: Vec<Value>,
}

impl Server {
    /// A session that has not begun.
    pub fn new(checker: Checker) -> Server {
        Server {
            phase: Phase::Fresh,
            encoding: Encoding::default(),
            related: false,
            documents: BTreeMap::new(),
            revisions: 0,
            checker,
            outbox: Vec::new(),
        }
    }

    /// Takes a message of the client.
    pub fn receive(&mut self, message: &Value) -> Flow {
        let (id, params) = (message.get("id"), message.get("params").unwrap_or(&Value::Null));
        match (message.get("method").and_then(Value::as_str), id) {
            (Some("exit"), None) => return Flow::Exit(self.exit_code()),
            (Some(method), None) => {
                let noted = internal::catch(&format!("`{method}`"), || self.notified(method, params));
                if let Err(bug) = noted {
                    self.log(&reported(&bug));
                }
            }
            (Some(method), Some(id)) => {
                let answer = internal::catch(&format!("`{method}`"), || self.requested(method, params));
                let answer =
                    answer.unwrap_or_else(|bug| Err(Refusal::new(Refusal::INTERNAL, reported(&bug))));
                self.respond(id, answer);
            }
            // An answer to a request of ours; there are none.
            (None, Some(_)) if message.get("result").is_some() || message.get("error").is_some() => {}
            (None, id) => {
                let refusal = Refusal::new(Refusal::INVALID, "a message has a `method`");
                self.respond(id.unwrap_or(&Value::Null), Err(refusal));
            }
        }
        Flow::Continue
    }

    /// Answers bytes that are no message.
    pub fn garbled(&mut self, why: &str) -> Flow {
        self.respond(&Value::Null, Err(Refusal::new(Refusal::PARSE, why)));
        Flow::Continue
    }

    /// Publishes what was found, unless the text is another one by now.
    pub fn checked(&mut self, checked: Checked) -> Flow {
        if let Some(open) = self.documents.get_mut(&checked.uri)
            && open.revision == checked.revision
            && !open.lost
        {
            open.said = Some(checked.diagnostics);
            let diagnostics = convert::diagnostics(open, self.related);
            let version = open.version.clone();
            self.publish(&checked.uri, version, diagnostics);
        }
        Flow::Continue
    }

    /// What the process ends with now.
    pub fn exit_code(&self) -> u8 {
        u8::from(self.phase != Phase::ShutDown)
    }

    /// Messages for the client.
    pub fn outbox(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.outbox)
    }

    fn respond(&mut self, id: &Value, answer: Result<Value, Refusal>) {
        self.outbox.push(match answer {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(Refusal { code, message }) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
            }
        });
    }

    /// Tells the client about its own mistakes.
    fn log(&mut self, message: &str) {
        let params = json!({ "type": 1, "message": message });
        self.outbox.push(json!({ "jsonrpc": "2.0", "method": "window/logMessage", "params": params }));
    }

    fn publish(&mut self, uri: &str, version: Value, diagnostics: Value) {
        let mut params = json!({ "uri": uri, "diagnostics": diagnostics });
        if version.is_i64() || version.is_u64() {
            params["version"] = version;
        }
        let method = "textDocument/publishDiagnostics";
        self.outbox.push(json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn requested(&mut self, method: &str, params: &Value) -> Result<Value, Refusal> {
        match (self.phase, method) {
            (Phase::Fresh, "initialize") => Ok(self.initialize(params)),
            (Phase::Fresh, _) => {
                Err(Refusal::new(Refusal::UNINITIALIZED, "the first request is `initialize`"))
            }
            (Phase::ShutDown, _) => Err(Refusal::new(Refusal::INVALID, "the server has been shut down")),
            (_, "initialize") => Err(Refusal::new(Refusal::INVALID, "`initialize` appears once")),
            (_, "shutdown") => {
                self.phase = Phase::ShutDown;
                Ok(Value::Null)
            }
            (_, method) => {
                let Some(answer) = answers::to(method) else {
                    return Err(Refusal::new(Refusal::UNKNOWN, format!("`{method}` is not known here")));
                };
                let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
                let uri = uri.ok_or_else(|| Refusal::parameters("`textDocument.uri` is missing"))?;
                let open = self.documents.get(uri);
                let open = open.ok_or_else(|| Refusal::parameters("this document is not open"))?;
                if open.lost {
                    return Err(Refusal::failed("the text is unknown since a change that made no sense"));
                }
                answer(open, params)
            }
        }
    }

    fn initialize(&mut self, params: &Value) -> Value {
        self.phase = Phase::Running;
        let encodings = params.pointer("/capabilities/general/positionEncodings");
        let offered = encodings.and_then(Value::as_array).is_some_and(|list| list.contains(&json!("utf-8")));
        self.encoding = if offered { Encoding::Utf8 } else { Encoding::Utf16 };
        let related = "/capabilities/textDocument/publishDiagnostics/relatedInformation";
        self.related = params.pointer(related).and_then(Value::as_bool).unwrap_or(false);
        json!({
            "capabilities": answers::capabilities(self.encoding),
            "serverInfo": { "name": "dalembert", "version": env!("CARGO_PKG_VERSION") },
        })
    }

    fn notified(&mut self, method: &str, params: &Value) {
        if self.phase != Phase::Running {
            return;
        }
        let Some(uri) = params.pointer("/textDocument/uri").and_then(Value::as_str) else { return };
        match method {
            "textDocument/didOpen" => self.opened(uri, params),
            "textDocument/didChange" => self.changed(uri, params),
            "textDocument/didClose" => self.closed(uri),
            _ => {}
        }
    }

    fn opened(&mut self, uri: &str, params: &Value) {
        if let Some(text) = params.pointer("/textDocument/text").and_then(Value::as_str) {
            self.documents.insert(uri.to_owned(), Open::new(uri, text.to_owned(), self.encoding));
            self.edited(uri, params);
        }
    }

    fn changed(&mut self, uri: &str, params: &Value) {
        let changes = params.get("contentChanges").and_then(Value::as_array);
        let (Some(open), Some(changes)) = (self.documents.get_mut(uri), changes) else { return };
        // After a change that makes no sense the text is no longer the client's, and later ranges would hit other
        // places. A notification has no answer, so the client is told, and the text waits for one sent as a whole.
        let was_lost = open.lost;
        for change in changes {
            open.lost |= open.change(change).is_none();
        }
        if !open.lost {
            return self.edited(uri, params);
        }
        open.said = None;
        if !was_lost {
            self.log(&format!("a change of {uri} makes no sense; open it again, or send its whole text"));
            self.publish(uri, Value::Null, json!([]));
        }
    }

    fn closed(&mut self, uri: &str) {
        if self.documents.remove(uri).is_some() {
            self.publish(uri, Value::Null, json!([]));
        }
    }

    /// There is a new text: it gets a number and is checked.
    fn edited(&mut self, uri: &str, params: &Value) {
        self.revisions += 1;
        if let Some(open) = self.documents.get_mut(uri) {
            open.revision = self.revisions;
            open.version = params.pointer("/textDocument/version").cloned().unwrap_or(Value::Null);
            self.checker.check(uri, open.revision, &open.text);
        }
    }
}

/// An internal error in one line.
fn reported(bug: &Diagnostic) -> String {
    let help = bug.help.as_deref().unwrap_or_default();
    format!("{}; {help}", bug.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_internal_error_is_an_answer_and_the_session_goes_on() {
        let mut server = Server::new(Checker::start(|_| true));
        let mut ask = |message: Value| {
            server.receive(&message);
            server.outbox().pop().unwrap_or_default()
        };
        let request = |method: &str, params: Value| json!({ "id": 1, "method": method, "params": params });
        let document = json!({ "textDocument": { "uri": "a.dal", "text": "coordinate x\n" } });
        ask(request("initialize", json!({})));
        ask(json!({ "method": "textDocument/didOpen", "params": document }));
        let answer = ask(request("test/panic", document.clone()));
        assert_eq!(answer["error"]["code"], Refusal::INTERNAL);
        let said = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(said.contains("a row is missing") && said.contains("report"), "{said}");
        assert!(ask(request("textDocument/documentSymbol", document))["result"].is_array());
    }
}
