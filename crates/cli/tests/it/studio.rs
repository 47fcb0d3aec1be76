//! The studio over real connections: who may ask, which files can be reached, what bounds a run.
#![cfg(all(unix, feature = "studio"))]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PENDULUM: &str = "parameter l = 1, g = 9.81\ncoordinate q\nkinetic l^2/2*q'^2\npotential -g*l*cos(q)\ninitial q = 1\nsimulate until 2";
/// Would take hours.
const ENDLESS: &str =
    "coordinate q\nkinetic q'^2/2\npotential -cos(q)\ninitial q = 1\nsimulate until 1e9 every 1e5";

struct Studio {
    child: Child,
    port: u16,
    token: String,
    folder: PathBuf,
}

impl Drop for Studio {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    fn last_line(&self) -> Value {
        serde_json::from_str(self.body.lines().last().unwrap()).unwrap()
    }
}

impl Studio {
    fn start(name: &str, options: &[&str]) -> Studio {
        let folder = std::env::temp_dir().join(format!("dalembert-studio-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_dalembert"))
            .arg("studio")
            .arg(&folder)
            .args(["--port", "0"])
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().strip_prefix("http://127.0.0.1:").and_then(|rest| rest.strip_suffix('/'));
        let port = port.unwrap_or_else(|| panic!("the address was {line:?}")).parse().unwrap();
        let mut studio = Studio { child, port, token: String::new(), folder };
        studio.token = studio.get("/api/session").json()["token"].as_str().unwrap().to_owned();
        studio
    }

    /// Sends a request; `head` are further lines.
    fn send(&self, method: &str, path: &str, head: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let length = body.len();
        let text = format!(
            "{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {length}\r\n{head}\r\n{body}"
        );
        // A server that refuses early may close before it has read all of it.
        let _ = stream.write_all(text.as_bytes());
        stream
    }

    fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}\r\n", self.port)
    }

    fn own(&self, page: &str) -> String {
        format!("{}x-dalembert-token: {}\r\nx-page: {page}\r\n", self.host(), self.token)
    }

    fn get(&self, path: &str) -> Answer {
        read(self.send("GET", path, &self.host(), ""))
    }

    fn post(&self, path: &str, body: &Value) -> Answer {
        read(self.send("POST", path, &self.own("one"), &body.to_string()))
    }

    fn put(&self, name: &str, body: &Value) -> Answer {
        read(self.send("PUT", &format!("/api/file/{name}"), &self.own("one"), &body.to_string()))
    }

    /// Processes that work for it.
    fn workers(&self) -> usize {
        let id = self.child.id();
        let listed = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
        let alive = |pid: &&str| {
            let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            !state.is_empty() && !state.contains(") Z ")
        };
        listed.split_whitespace().filter(alive).count()
    }
}

/// Reads an answer to its end; chunks are put together.
fn read(mut stream: TcpStream) -> Answer {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, raw) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let head = head.to_lowercase();
    let body = if head.contains("transfer-encoding: chunked") { unchunked(raw) } else { raw.to_owned() };
    Answer { status, head, body }
}

/// Reads until a word has come.
fn read_to(stream: &mut TcpStream, word: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut some = [0; 512];
    while !String::from_utf8_lossy(&bytes).contains(word) {
        let count = stream.read(&mut some).unwrap();
        assert!(count > 0, "the answer ended before {word:?}: {}", String::from_utf8_lossy(&bytes));
        bytes.extend_from_slice(&some[..count]);
    }
    bytes
}

fn unchunked(mut raw: &str) -> String {
    let mut body = String::new();
    while let Some((size, rest)) = raw.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            break;
        }
        body.push_str(&rest[..size]);
        raw = &rest[size + 2..];
    }
    body
}

/// Waits for something that will happen; gives up after a time that says it did not.
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn only_the_own_page_is_served() {
    let studio = Studio::start("guard", &[]);
    let status = |method: &str, head: &str| read(studio.send(method, "/api/files", head, "")).status;
    let host = studio.host();
    assert_eq!(status("GET", &host), 200);
    assert_eq!(status("GET", &format!("Host: localhost:{}\r\n", studio.port)), 200);
    assert_eq!(status("GET", &format!("Host: rebound.example:{}\r\n", studio.port)), 421);
    assert_eq!(status("GET", "Host: 127.0.0.1\r\n"), 421);
    assert_eq!(status("GET", &format!("{host}Origin: http://evil.example\r\n")), 403);
    let run = |head: &str| {
        read(studio.send("POST", "/api/check", head, &json!({ "text": PENDULUM }).to_string())).status
    };
    assert_eq!(run(&format!("{host}x-page: one\r\n")), 403);
    assert_eq!(run(&format!("{host}x-page: one\r\nOrigin: http://127.0.0.1:{}\r\n", studio.port)), 403);
    assert_eq!(run(&studio.own("one")), 200);
    assert_eq!(run(&format!("{}Origin: https://evil.example\r\n", studio.own("one"))), 403);
    assert_eq!(run(&studio.own("../..")), 400);
    // Every refusal has words, those of the framework too.
    let large = json!({ "text": " ".repeat((4 << 20) + 1) }).to_string();
    let refusals = [
        studio.send("GET", "/api/files", "Host: rebound.example\r\n", ""),
        studio.send("POST", "/api/check", &format!("{host}x-page: one\r\n"), "{}"),
        studio.send("PUT", "/api/file/%ff.dal", &studio.own("one"), "{}"),
        studio.send("PUT", "/api/files", &studio.own("one"), "{}"),
        studio.send("PUT", "/api/file/large.dal", &studio.own("one"), &large),
    ];
    for (refused, status) in refusals.into_iter().zip([421, 403, 400, 405, 413]) {
        let answer = read(refused);
        assert_eq!(answer.status, status);
        assert!(
            answer.json()["failed"]["message"].as_str().is_some_and(|m| !m.is_empty()),
            "{}",
            answer.body
        );
    }
    let page = studio.get("/");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("assets/studio.js"));
    for header in ["content-security-policy: default-src 'self'; script-src 'self';", "nosniff", "no-store"] {
        assert!(page.head.contains(header), "{header} in {}", page.head);
    }
    assert_eq!(studio.get("/assets/studio.js").status, 200);
    assert_eq!(studio.get("/../Cargo.toml").status, 404);
}

#[test]
fn files_of_the_folder_and_no_others() {
    let studio = Studio::start("files", &[]);
    let secret = studio.folder.with_extension("secret.dal");
    std::fs::write(&secret, "secret").unwrap();
    std::os::unix::fs::symlink(&secret, studio.folder.join("link.dal")).unwrap();
    let outside = secret.file_name().unwrap().to_str().unwrap();
    for name in [
        format!("..%2F{outside}"),
        format!("..%5C{outside}"),
        "%2Fetc%2Fpasswd".into(),
        "link.dal".into(),
        "x.txt".into(),
    ] {
        let answer = studio.get(&format!("/api/file/{name}"));
        assert_eq!(answer.status, 400, "{name}: {}", answer.body);
        assert_eq!(studio.put(&name, &json!({ "text": "mine", "version": null })).status, 400, "{name}");
    }
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "secret");
    std::fs::remove_file(secret).unwrap();

    assert_eq!(studio.get("/api/file/a.dal").status, 404);
    let first = studio.put("a.dal", &json!({ "text": PENDULUM, "version": null }));
    assert_eq!(first.status, 200, "{}", first.body);
    assert_eq!(studio.get("/api/files").json()["files"], json!(["a.dal"]));
    assert_eq!(studio.get("/api/file/a.dal").json()["text"], PENDULUM);
    std::fs::write(studio.folder.join("a.dal"), "changed elsewhere").unwrap();
    let again = studio.put("a.dal", &json!({ "text": "lost", "version": first.json()["version"] }));
    assert_eq!(again.status, 409);
    let forced = studio.put("a.dal", &json!({ "text": "mine", "version": again.json()["version"] }));
    assert_eq!(forced.status, 200);
    assert_eq!(std::fs::read_to_string(studio.folder.join("a.dal")).unwrap(), "mine");
}

#[test]
fn nonsense_is_refused_and_the_server_goes_on() {
    let studio = Studio::start("nonsense", &[]);
    for body in ["", "{", "[]", "\"text\"", "\u{0}", "{\"text\": 1}"] {
        let answer = read(studio.send("POST", "/api/run", &studio.own("one"), body));
        assert!(
            answer.status == 400 || answer.last_line()["failed"].is_object(),
            "{body:?}: {}",
            answer.body
        );
    }
    let large = "x".repeat(6 << 20);
    assert_eq!(read(studio.send("POST", "/api/check", &studio.own("one"), &large)).status, 413);
    assert_eq!(studio.post("/api/nothing", &json!({})).status, 404);
    let strange = json!({ "text": PENDULUM, "set": { "nobody": 1 }, "initial": { "q": f64::MAX } });
    assert!(
        studio.post("/api/run", &strange).last_line()["failed"]["message"]
            .as_str()
            .unwrap()
            .contains("nobody")
    );
    let deep =
        json!({ "text": format!("coordinate q\npotential {}q{}", "(".repeat(100_000), ")".repeat(100_000)) });
    assert!(!studio.post("/api/check", &deep).json()["diagnostics"].as_array().unwrap().is_empty());
    assert_eq!(studio.get("/api/files").status, 200);
}

#[test]
fn models_are_checked_derived_run_and_exported() {
    let studio = Studio::start("models", &[]);
    let wrong = studio.post("/api/check", &json!({ "text": "coordinate q\npotential thta" })).json();
    assert_eq!(
        (&wrong["diagnostics"][0]["line"], &wrong["diagnostics"][0]["column"]),
        (&json!(2), &json!(11))
    );
    let model = studio.post("/api/check", &json!({ "text": PENDULUM, "set": { "l": 2 } })).json();
    assert_eq!(model["sliders"][0], json!({ "name": "l", "value": 2.0, "default": 1.0, "unit": null }));
    assert_eq!(model["until"], 2.0);
    assert_eq!(model["start"][0]["fixed"], true);
    for form in ["lagrange", "explicit", "kernel", "hamilton", "poincare", "suslov", "energies"] {
        let derived = studio.post("/api/derive", &json!({ "text": PENDULUM, "form": form })).json();
        assert!(derived["latex"].as_str().is_some_and(|l| l.contains("begin{aligned}")), "{form}: {derived}");
    }
    let end = |set: Value| {
        let run = studio.post("/api/run", &json!({ "text": PENDULUM, "set": set })).last_line();
        assert_eq!(run["stop"], "end_time", "{run}");
        assert_eq!(run["film"]["format"], 2);
        run["final"]["q"].as_f64().unwrap()
    };
    let (one, two) = (end(json!({})), end(json!({ "l": 2 })));
    assert_ne!(one, two);
    // What a slider did is undone with it, and the numbers are those of the text with another value in it.
    assert_eq!(end(json!({})), one);
    let written = json!({ "text": PENDULUM.replace("l = 1", "l = 2") });
    let fresh = studio.post("/api/run", &written).last_line()["final"]["q"].as_f64().unwrap();
    assert!((fresh - two).abs() < 1e-12, "{fresh} {two}");
    let pushed = studio.post("/api/run", &json!({ "text": PENDULUM, "initial": { "q": 0.5 } })).last_line();
    assert_eq!(pushed["table"][1]["values"][0], 0.5);
    for (what, begins) in [
        ("csv", "t,q,q'\n0,1,0\n"),
        ("svg", "<svg"),
        ("html", "<!DOCTYPE html>"),
        ("latex", "\\begin"),
        ("c", "/*"),
        ("rust", "//"),
        ("python", "# a"),
    ] {
        let made =
            studio.post("/api/export", &json!({ "text": PENDULUM, "what": what, "name": "a.dal" })).json();
        assert!(made["text"].as_str().is_some_and(|t| t.starts_with(begins)), "{what}: {made}");
        assert!(made["file"].as_str().unwrap().starts_with("a."));
    }
    let parquet = studio.post("/api/export", &json!({ "text": PENDULUM, "what": "parquet" })).json();
    assert!(parquet["hex"].as_str().unwrap().starts_with("50415231"), "PAR1");
    let kept = studio.post("/api/analyze", &json!({ "text": PENDULUM })).json();
    assert_eq!(kept["conserved"][0]["proved"], true, "{kept}");
    let tip =
        studio.post("/api/hover", &json!({ "text": PENDULUM, "at": PENDULUM.find("q\n").unwrap() })).json();
    assert_eq!(tip["hover"]["name"], "q");
    let at = PENDULUM.find("potential").unwrap() + 3;
    let offers = studio.post("/api/complete", &json!({ "text": &PENDULUM[..at], "at": at })).json();
    assert_eq!(offers["completions"][0]["label"], "potential", "{offers}");
}

#[test]
fn every_example_is_a_model() {
    let studio = Studio::start("examples", &[]);
    let examples = studio.get("/api/examples").json();
    for example in examples.as_array().unwrap() {
        let checked = studio.post("/api/check", &json!({ "text": example["text"] })).json();
        let wrong = checked["diagnostics"].as_array().unwrap().iter().find(|d| d["severity"] == "error");
        assert_eq!(wrong, None, "{}", example["name"]);
        assert!(checked["degrees_of_freedom"].is_number(), "{}", example["name"]);
    }
}

#[test]
fn the_time_limit_keeps_what_was_computed() {
    let studio = Studio::start("time", &["--time-limit", "1"]);
    let run = studio.post("/api/run", &json!({ "text": ENDLESS })).last_line();
    assert_eq!((&run["stop"], &run["stopped"]), (&json!("cancelled"), &json!("time")), "{run}");
    assert!(run["table"][0]["values"].as_array().unwrap().len() > 1);
    // The same worker goes on.
    assert_eq!(studio.post("/api/run", &json!({ "text": PENDULUM })).last_line()["stop"], "end_time");
}

#[test]
fn what_cannot_be_stopped_softly_is_killed() {
    let studio = Studio::start("kill", &["--time-limit", "1"]);
    // Deriving it takes many seconds, and hears nothing on the way.
    let text = include_str!("../../../../models/link_chain.dal").replace("const N = 20", "const N = 16000");
    let answer = studio.post("/api/derive", &json!({ "text": text, "form": "lagrange" })).json();
    assert!(answer["failed"]["message"].as_str().unwrap().contains("longer than it may"), "{answer}");
    wait_until("the worker is gone", || studio.workers() == 0);
    assert!(studio.post("/api/derive", &json!({ "text": PENDULUM })).json()["latex"].is_string());
}

#[test]
fn memory_is_bounded() {
    let studio = Studio::start("memory", &["--memory-limit", "200"]);
    let text = "coordinate x\nkinetic x'^2/2\ninitial x' = 1\nsimulate until 1 every 1e-7";
    let run = studio.post("/api/run", &json!({ "text": text })).last_line();
    let message = run["failed"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("more memory than the 200 MiB"), "{message} {}", run["summary"]);
    assert_eq!(studio.post("/api/run", &json!({ "text": PENDULUM })).last_line()["stop"], "end_time");
}

#[test]
fn a_reader_who_leaves_ends_the_run() {
    let studio = Studio::start("leave", &[]);
    let mut stream =
        studio.send("POST", "/api/run", &studio.own("one"), &json!({ "text": ENDLESS }).to_string());
    read_to(&mut stream, "progress");
    assert_eq!(studio.workers(), 1);
    drop(stream);
    wait_until("the worker is gone", || studio.workers() == 0);
}

#[test]
fn newer_requests_take_the_place_of_older_ones_of_the_same_page() {
    let studio = Studio::start("pages", &[]);
    let endless = json!({ "text": ENDLESS }).to_string();
    let begin = |page: &str| {
        let mut stream = studio.send("POST", "/api/run", &studio.own(page), &endless);
        let mut rest = read_to(&mut stream, "progress");
        std::thread::spawn(move || {
            let _ = stream.read_to_end(&mut rest);
            String::from_utf8(rest).unwrap()
        })
    };
    let (one, other) = (begin("one"), begin("other"));
    assert_eq!(studio.post("/api/run", &json!({ "text": PENDULUM })).last_line()["stop"], "end_time");
    let ended = one.join().unwrap();
    assert!(ended.contains("{\"ended\":\"superseded\"}"), "{ended}");
    // The other page still runs, until it says stop; then it has what was computed.
    assert!(!other.is_finished());
    assert_eq!(read(studio.send("POST", "/api/stop/run", &studio.own("other"), "")).status, 200);
    let ended = other.join().unwrap();
    assert!(ended.contains("\"stopped\":\"cancelled\"") && ended.contains("\"table\""), "{ended}");
}

#[test]
fn folders_and_ports_that_cannot_be_served_are_refused_in_words() {
    let run = |args: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_dalembert")).arg("studio").args(args).output().unwrap();
        (out.status.code(), String::from_utf8(out.stderr).unwrap())
    };
    let (code, said) = run(&["no/such/folder"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("is not a folder"), "{said}");
    let studio = Studio::start("port", &[]);
    let (code, said) = run(&[Path::new(".").to_str().unwrap(), "--port", &studio.port.to_string()]);
    assert_eq!(code, Some(1));
    assert!(said.contains("in use"), "{said}");
}
