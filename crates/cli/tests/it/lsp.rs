//! Sessions of an editor with the built command, over its standard input and output.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const URI: &str = "file:///models/pendulum.dal";

/// Long enough for any machine: a session that hangs must fail.
const PATIENCE: Duration = Duration::from_secs(120);

struct Editor {
    process: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    requests: u64,
    /// Notifications that came while an answer was waited for.
    notices: Vec<Value>,
}

impl Editor {
    fn start() -> Editor {
        let mut process = Command::new(env!("CARGO_BIN_EXE_dalembert"))
            .args(["lsp", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command runs");
        let (sender, messages) = channel();
        let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                let _ = sender.send(message);
            }
        });
        let input = process.stdin.take();
        Editor { process, input, messages, requests: 0, notices: Vec::new() }
    }

    /// A session that has begun, with a client of these capabilities.
    fn initialized(capabilities: Value) -> (Editor, Value) {
        let mut editor = Editor::start();
        let params = json!({ "processId": null, "rootUri": null, "capabilities": capabilities });
        let answer = editor.request("initialize", params);
        editor.notify("initialized", json!({}));
        (editor, answer["result"]["capabilities"].clone())
    }

    fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("not closed yet");
        input.write_all(bytes).and_then(|()| input.flush()).expect("it listens");
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.write(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn next(&self) -> Value {
        self.messages.recv_timeout(PATIENCE).expect("an answer")
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
            self.notices.push(message);
        }
    }

    /// A request about a place of the document; its result.
    fn ask(&mut self, method: &str, line: u32, character: u32) -> Value {
        let position = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": { "uri": URI }, "position": position });
        self.request(&format!("textDocument/{method}"), params)["result"].take()
    }

    fn open(&mut self, text: &str) {
        let document = json!({ "uri": URI, "languageId": "dal", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn change(&mut self, version: u32, changes: Value) {
        let document = json!({ "uri": URI, "version": version });
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// The diagnostics of a version of the text.
    fn diagnostics(&mut self, version: u32) -> Vec<Value> {
        loop {
            let message = if self.notices.is_empty() { self.next() } else { self.notices.remove(0) };
            if message["method"] == "window/logMessage" {
                continue;
            }
            assert_eq!(message["method"], "textDocument/publishDiagnostics", "{message}");
            if message["params"]["version"] == version {
                return message["params"]["diagnostics"].as_array().expect("a list").clone();
            }
        }
    }

    /// Ends the session as the protocol wants it; the exit code.
    fn leave(mut self) -> Option<i32> {
        assert_eq!(self.request("shutdown", Value::Null)["result"], Value::Null);
        self.send(&json!({ "jsonrpc": "2.0", "method": "exit" }));
        self.process.wait().expect("it ends").code()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().strip_prefix("Content-Length: ") {
            Some(number) => length = number.parse().ok()?,
            None if line.trim().is_empty() => break,
            None => {}
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

fn range(line: u32, start: u32, end: u32) -> Value {
    json!({ "start": { "line": line, "character": start }, "end": { "line": line, "character": end } })
}

const PENDULUM: &str = "system \"Pendulum\"\nparameter m = 1 {kg}, l = 0.5 {m}, g = 9.81 {m/s^2}\n\
    coordinate θ {rad}\nlet 𝛼 = θ\nkinetic m*l^2/2*θ'^2\npotential -m*g*l*cos(𝛼)*cos(thta)\ninitial θ = 1\n";

#[test]
fn a_session_from_the_first_mistake_to_the_exit() {
    let related = json!({ "textDocument": { "publishDiagnostics": { "relatedInformation": true } } });
    let (mut editor, capabilities) = Editor::initialized(related);
    assert_eq!(capabilities["positionEncoding"], "utf-16");
    assert_eq!(capabilities["hoverProvider"], true);

    // The unknown name stands behind 𝛼, which is two units of UTF-16.
    editor.open(PENDULUM);
    let said = editor.diagnostics(1);
    let place = range(5, 29, 33);
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!((&said[0]["code"], &said[0]["severity"]), (&json!("E0301"), &json!(1)));
    assert_eq!(said[0]["range"], place);

    // Completion and a mended line.
    let list = editor.ask("completion", 5, 16);
    let labels: Vec<&str> =
        list["items"].as_array().unwrap().iter().filter_map(|i| i["label"].as_str()).collect();
    assert!(labels.contains(&"l"), "{labels:?}");
    editor.change(2, json!([{ "range": place, "text": "θ" }]));
    assert_eq!(editor.diagnostics(2), [] as [Value; 0]);

    let hover = editor.ask("hover", 4, 16);
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("rate of the coordinate `θ`"), "{text}");
    assert_eq!(hover["range"], range(4, 16, 18));
    assert_eq!(editor.ask("definition", 5, 29)[0]["range"], range(2, 11, 12));
    assert_eq!(editor.ask("references", 2, 11).as_array().unwrap().len(), 5);
    assert_eq!(editor.ask("documentHighlight", 3, 4).as_array().unwrap().len(), 2);
    let outline = editor.ask("documentSymbol", 0, 0);
    assert_eq!(outline[0]["name"], "Pendulum");
    assert_eq!(outline[5]["selectionRange"], range(3, 4, 6));

    assert_eq!(editor.ask("formatting", 0, 0), json!([]));
    editor.change(3, json!([{ "range": range(4, 7, 7), "text": "   " }]));
    let edit = editor.ask("formatting", 0, 0);
    assert!(edit[0]["newText"].as_str().unwrap().contains("\nkinetic m*l^2/2*θ'^2\n"));

    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn bytes_are_counted_where_the_client_prefers_them() {
    let utf8 = json!({ "general": { "positionEncodings": ["utf-32", "utf-8", "utf-16"] } });
    let (mut editor, capabilities) = Editor::initialized(utf8);
    assert_eq!(capabilities["positionEncoding"], "utf-8");
    editor.open(PENDULUM);
    let line = PENDULUM.lines().nth(5).unwrap();
    let start = line.find("thta").unwrap() as u32;
    assert_eq!(editor.diagnostics(1)[0]["range"], range(5, start, start + 4));
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn mistakes_with_a_replacement_offer_it() {
    let (mut editor, _) = Editor::initialized(json!({}));
    editor.open("coordinate x\nkinetik x'^2\n");
    let said = editor.diagnostics(1);
    assert_eq!(said[0]["data"]["newText"], "kinetic", "{said:?}");
    let params = json!({
        "textDocument": { "uri": URI }, "range": range(1, 2, 2), "context": { "diagnostics": said },
    });
    let actions = editor.request("textDocument/codeAction", params)["result"].take();
    assert_eq!(actions[0]["title"], "Replace `kinetik` by `kinetic`");
    let edit = &actions[0]["edit"]["changes"][URI][0];
    assert_eq!((&edit["range"], &edit["newText"]), (&range(1, 0, 7), &json!("kinetic")));
    editor.change(2, json!([{ "range": edit["range"], "text": edit["newText"] }]));
    assert_eq!(editor.diagnostics(2), [] as [Value; 0]);

    let rename = |name: &str| json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 11 }, "newName": name });
    let edits = editor.request("textDocument/rename", rename("y"));
    assert_eq!(edits["result"]["changes"][URI].as_array().unwrap().len(), 2);
    assert!(editor.request("textDocument/rename", rename("sin"))["error"]["message"].is_string());
}

#[test]
fn a_change_that_makes_no_sense_is_told_and_the_whole_text_mends_it() {
    let (mut editor, _) = Editor::initialized(json!({}));
    editor.open("coordinate x\nkinetic x'^2\n");
    assert_eq!(editor.diagnostics(1), [] as [Value; 0]);
    let senseless = json!({ "start": { "line": -1, "character": 0 }, "end": { "line": 0, "character": 2 } });
    editor.change(2, json!([{ "range": senseless, "text": "y" }]));
    let told = editor.next();
    assert_eq!(told["method"], "window/logMessage", "{told}");
    let params = json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 11 } });
    assert!(editor.request("textDocument/hover", params)["error"]["message"].is_string());
    editor.change(3, json!([{ "text": "coordinate x\nkinetic x'^2\n" }]));
    assert_eq!(editor.diagnostics(3), [] as [Value; 0]);

    let reversed = json!({ "start": { "line": 0, "character": 12 }, "end": { "line": 0, "character": 11 } });
    editor.change(4, json!([{ "range": reversed, "text": "y" }, { "range": range(1, 8, 9), "text": "y" }]));
    assert_eq!(editor.diagnostics(4), [] as [Value; 0]);
}

#[test]
fn the_newest_text_counts() {
    let (mut editor, _) = Editor::initialized(json!({}));
    editor.open("coordinate x\nkinetic ");
    for (version, text) in (2..40).zip("x'^2 + x'^2 + x'^2 + x'^2 + x'^2 + x'^2".split_inclusive(' ').cycle())
    {
        editor.change(version, json!([{ "range": range(1, 999, 999), "text": text }]));
    }
    editor.change(40, json!([{ "text": "coordinate x\nkinetic x'^2\n" }]));
    assert_eq!(editor.diagnostics(40), [] as [Value; 0]);
    editor.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    let params = json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 0 } });
    assert_eq!(editor.request("textDocument/hover", params)["error"]["code"], -32602);
}

#[test]
fn nonsense_is_answered_with_errors() {
    let mut editor = Editor::start();
    assert_eq!(editor.request("textDocument/hover", json!({}))["error"]["code"], -32002);
    editor.request("initialize", json!({ "capabilities": 7 }));
    assert_eq!(editor.request("initialize", json!({}))["error"]["code"], -32600);
    assert_eq!(editor.request("textDocument/dance", json!({}))["error"]["code"], -32601);
    assert_eq!(editor.request("textDocument/hover", json!([1, 2]))["error"]["code"], -32602);
    editor.write(b"Content-Length: 5\r\n\r\n{oops");
    assert_eq!(editor.next()["error"]["code"], -32700);
    editor.write(b"Hello: there\r\n\r\n");
    assert_eq!(editor.next()["error"]["code"], -32700);
    editor.send(&json!([1, "two", { "three": 4 }]));
    assert_eq!(editor.next()["error"]["code"], -32600);
    editor.send(&json!({ "id": 99, "params": {} }));
    assert_eq!(editor.next()["error"]["code"], -32600);
    editor.notify("textDocument/didOpen", json!({ "textDocument": { "uri": 5 } }));
    editor.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": "nobody" }, "contentChanges": 3 }),
    );
    editor.open("coordinate x\n");
    let odd = json!([{ "text": 5 }, { "range": "here", "text": "y" }, { "range": range(9, 9, 1), "text": "kinetic x'^2" }]);
    editor.change(2, odd);
    editor.change(3, json!([{ "text": "coordinate x\nkinetic x'^2" }]));
    assert_eq!(editor.diagnostics(3), [] as [Value; 0], "after changes without sense the whole text counts");
    let far = json!({ "line": u64::MAX, "character": u64::MAX });
    let params = json!({ "textDocument": { "uri": URI }, "position": far });
    assert!(editor.request("textDocument/completion", params)["result"].is_object());
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn the_server_ends_with_its_client() {
    let (mut editor, _) = Editor::initialized(json!({}));
    editor.open(PENDULUM);
    editor.input = None;
    assert_eq!(editor.process.wait().expect("it ends").code(), Some(1));

    let (mut editor, _) = Editor::initialized(json!({}));
    editor.send(&json!({ "jsonrpc": "2.0", "method": "exit" }));
    assert_eq!(editor.process.wait().expect("it ends").code(), Some(1), "no shutdown before the exit");
}
