//! What mutations begin with: the models of the repository, commands of the manual, requests and messages around models,
//! and the cases that were found before.

use crate::mutate;
use crate::random::{Choose, Rng};
use crate::targets::Target;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Model texts beyond this are not mutated: they take long and show nothing that shorter ones do not.
const LONGEST_MODEL: usize = 6000;
/// Mutants that can still be read and are mutated again.
const MOST_ALIVE: usize = 400;

/// The folder of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The folder of the kept cases of a target.
pub fn cases(target: Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(target.name())
}

/// The files of a folder, in the order of their names.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}

/// What to begin with.
pub struct Corpus {
    models: Vec<String>,
    commands: Vec<Vec<String>>,
    robots: Vec<String>,
    kept: Vec<(Target, Vec<u8>)>,
    /// Mutants that could be read.
    alive: Vec<String>,
}

impl Corpus {
    /// From the files of the repository.
    pub fn load() -> Corpus {
        let models = files(&repository().join("models"));
        let text = |path: &PathBuf| std::fs::read_to_string(path).ok();
        let models: Vec<String> =
            models.iter().filter_map(text).filter(|t| t.len() <= LONGEST_MODEL).collect();
        let pages = files(&repository().join("docs"));
        let pages: Vec<String> = pages.iter().filter_map(text).collect();
        let commands = pages.iter().flat_map(|page| page.lines()).filter_map(command).collect();
        let folders = ["models", "crates/formats/tests/it/cases"].map(|folder| repository().join(folder));
        let is_robot =
            |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "urdf" || ending == "xml");
        let robots = folders.iter().flat_map(|folder| files(folder)).collect::<Vec<_>>();
        let robots = robots.iter().filter(is_robot).filter_map(text).collect();
        let mut kept = Vec::new();
        for target in Target::ALL {
            kept.extend(files(&cases(target)).iter().filter_map(|p| Some((target, std::fs::read(p).ok()?))));
        }
        Corpus { models, commands, robots, kept, alive: Vec::new() }
    }

    /// A mutant that was read is worth changing again.
    pub fn keep_alive(&mut self, text: &str, rng: &mut Rng) {
        if text.len() > LONGEST_MODEL {
            return;
        }
        if self.alive.len() < MOST_ALIVE {
            self.alive.push(text.to_owned());
        } else {
            let place = rng.below(MOST_ALIVE);
            self.alive[place] = text.to_owned();
        }
    }

    /// The next case for a target.
    pub fn next(&self, target: Target, rng: &mut Rng) -> Vec<u8> {
        if rng.once_in(10) {
            let known: Vec<Vec<u8>> =
                self.kept.iter().filter(|(of, _)| *of == target).map(|(_, bytes)| bytes.clone()).collect();
            if !known.is_empty() {
                return mutate::bytes(rng.pick(&known), rng);
            }
        }
        match target {
            Target::Text => self.model(rng),
            Target::Arguments => self.arguments(rng),
            Target::Block => block(rng),
            Target::Studio => self.request(rng),
            Target::Messages => self.messages(rng),
            Target::Robots => self.robot(rng),
        }
    }

    fn any_model(&self, rng: &mut Rng) -> String {
        if !self.alive.is_empty() && rng.once_in(2) { rng.pick(&self.alive) } else { rng.pick(&self.models) }
    }

    fn model(&self, rng: &mut Rng) -> Vec<u8> {
        let (text, other) = (self.any_model(rng), self.any_model(rng));
        let mutant = mutate::model(&text, &other, rng);
        // Most are changed by tokens; bytes are changed in a few.
        if rng.once_in(12) { mutate::bytes(mutant.into_bytes(), rng) } else { mutant.into_bytes() }
    }

    fn arguments(&self, rng: &mut Rng) -> Vec<u8> {
        let (words, other) = (rng.pick(&self.commands), rng.pick(&self.commands));
        let text = mutate::words(words, &other, rng).join("\n");
        if rng.once_in(6) { mutate::bytes(text.into_bytes(), rng) } else { text.into_bytes() }
    }

    /// A robot with pieces exchanged, repeated or lost; elements, attributes and values are the pieces.
    fn robot(&self, rng: &mut Rng) -> Vec<u8> {
        let (text, other) = (rng.pick(&self.robots), rng.pick(&self.robots));
        let cut = |text: &str| -> Vec<String> {
            text.split_inclusive(['"', '>', ' ']).map(str::to_owned).collect()
        };
        let (words, others) = (cut(&text), cut(&other));
        let mutant = mutate::words(words, &others, rng).concat();
        if rng.once_in(8) { mutate::bytes(mutant.into_bytes(), rng) } else { mutant.into_bytes() }
    }

    /// A request to a worker of the studio.
    fn request(&self, rng: &mut Rng) -> Vec<u8> {
        let text = String::from_utf8_lossy(&self.model(rng)).into_owned();
        let what = ["check", "hover", "complete", "format", "derive", "analyze", "run", "export"];
        let mut request = json!({
            "id": 1, "do": rng.pick(&what), "text": text, "at": rng.below(text.len() + 2),
            "form": rng.pick(&["lagrange", "kernel", "explicit", "poincare", "hamilton", "suslov", "energies"]),
            "what": rng.pick(&["csv", "json", "svg", "png", "html", "parquet", "c", "python", "rust"]),
            "name": "x", "until": 0.05, "every": 0.01, "rtol": 1e-4, "set": {"m": 1.0}, "initial": {"x": 0.1},
        });
        for _ in 0..rng.below(4) {
            mutate::value(&mut request, rng);
        }
        let line = request.to_string().into_bytes();
        if rng.once_in(10) { mutate::bytes(line, rng) } else { line }
    }

    /// A conversation with the language server.
    fn messages(&self, rng: &mut Rng) -> Vec<u8> {
        let text = String::from_utf8_lossy(&self.model(rng)).into_owned();
        let document = json!({"uri": "file:///a.dal", "languageId": "dal", "version": 1, "text": text});
        let mut talk = vec![
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                "params": {"capabilities": {"general": {"positionEncodings": [rng.pick(&["utf-8", "utf-16", "utf-32"])]}}}}),
            json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}),
            json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}}),
        ];
        for id in 2..2 + rng.below(8) {
            talk.push(question(id, &text, rng));
        }
        talk.push(json!({"jsonrpc": "2.0", "id": 99, "method": "shutdown"}));
        talk.push(json!({"jsonrpc": "2.0", "method": "exit"}));
        for _ in 0..rng.below(3) {
            let k = rng.below(talk.len());
            mutate::value(&mut talk[k], rng);
        }
        let stream: String = talk
            .iter()
            .map(Value::to_string)
            .map(|body| format!("Content-Length: {}\r\n\r\n{body}", body.len()))
            .collect();
        if rng.once_in(8) { mutate::bytes(stream.into_bytes(), rng) } else { stream.into_bytes() }
    }
}

/// A command of the manual: what follows `dalembert` on a line of its own.
fn command(line: &str) -> Option<Vec<String>> {
    let rest = line.trim().trim_start_matches("$ ").strip_prefix("dalembert ")?;
    let words = rest.split(['#', '|']).next()?.split_whitespace().map(|w| w.trim_matches('"').to_owned());
    Some(std::iter::once("dalembert".to_owned()).chain(words).collect())
}

/// A question or a change about an open document.
fn question(id: usize, text: &str, rng: &mut Rng) -> Value {
    let lines = text.lines().count() + 2;
    let place = json!({"line": rng.below(lines), "character": rng.below(60)});
    let range = json!({"start": place, "end": {"line": rng.below(lines), "character": rng.below(60)}});
    let document = json!({"uri": "file:///a.dal", "version": id});
    if rng.once_in(3) {
        let change = json!({"range": range, "text": rng.pick(&["", "x", "θ\n", "'", "kinetic x'^2/2\n", "[", "\u{1F600}"])});
        let params = json!({"textDocument": document, "contentChanges": [change]});
        return json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": params});
    }
    let methods = [
        "hover",
        "completion",
        "definition",
        "references",
        "documentSymbol",
        "formatting",
        "codeAction",
        "rename",
        "prepareRename",
        "documentHighlight",
        "signatureHelp",
        "foldingRange",
        "semanticTokens/full",
        "inlayHint",
    ];
    let params = json!({"textDocument": document, "position": place, "range": range, "newName": "y",
        "context": {"includeDeclaration": true, "diagnostics": []}, "options": {"tabSize": 4, "insertSpaces": true}});
    json!({"jsonrpc": "2.0", "id": id, "method": format!("textDocument/{}", rng.pick(&methods)), "params": params})
}

/// A block of a sweep, changed.
fn block(rng: &mut Rng) -> Vec<u8> {
    let (columns, rows) = (1 + rng.below(4), rng.below(6));
    let line = |k: usize, rng: &mut Rng| {
        let numbers: String = (1..columns).map(|_| format!(",{}", rng.below(1000))).collect();
        format!("{k}{numbers},{}\n", rng.pick(&["done", "E0701", "\"event \"\"a\"\"\""]))
    };
    let bytes = (0..rows).map(|k| line(k, rng)).collect::<String>().into_bytes();
    if rng.once_in(5) { bytes } else { mutate::bytes(bytes, rng) }
}
