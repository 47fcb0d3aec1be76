//! The other side of [`crate::process`]: a process that derives and runs models.
//!
//! | `do` | takes besides `text` | gives |
//! |---|---|---|
//! | `check` | `set` | `diagnostics`, and of a model without errors what it is |
//! | `hover`, `complete` | `at` | what editors show at an offset |
//! | `format` | | the text in canonical form |
//! | `derive` | `form` | `latex` |
//! | `analyze` | `set` | what `dalembert analyze` says |
//! | `linearize` | `set`, `initial`, `settle` | what `dalembert linearize` says, and the Bode plot |
//! | `equilibria`, `verify` | `set` | what the commands say |
//! | `sweep` | `set`, `vary`, `low`, `high`, `count`, `figure`, `column` | two columns |
//! | `report` | `set`, `until` | a page |
//! | `run` | `set`, `initial`, `until`, `every`, `method`, `rtol` | columns, film, summary, events |
//! | `export` | the same, and `what`, `name` | a file |
//!
//! `set` and `initial` are objects of names and numbers in SI units: parameters and starting values over those of the
//! text. They change nothing that must be derived again. Offsets are in bytes of UTF-8.

mod export;
mod facts;
mod language;
mod motion;
mod study;

use dalembert::diagnostic::{self, Diagnostic, Severity};
use dalembert::equations::Form;
use dalembert::{Model, Overrides, Source, internal};
use dalembert_expr::Format;
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};

/// A worker: reads requests from standard input, one a line, and answers on standard output until the input ends.
/// `memory` bounds its address space, in MiB, where the system can.
pub fn work(memory: u64) -> std::io::Result<()> {
    bound(memory)?;
    let halt = Arc::new(Cancellation::default());
    let (sender, requests) = mpsc::channel::<Value>();
    let listener = Arc::clone(&halt);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let Ok(value) = serde_json::from_str::<Value>(&line) else { break };
            match value["stop"].as_u64() {
                Some(id) => listener.set(id, value["why"].as_str().unwrap_or_default()),
                None if sender.send(value).is_ok() => {}
                None => break,
            }
        }
        // Whoever asked has gone; so does what they asked for.
        std::process::exit(0);
    });
    let mut bench = ModelCache::default();
    for request in requests {
        let order = WorkerRequest { id: request["id"].as_u64().unwrap_or_default(), request, halt: &halt };
        say(&bench.answer_or_report(&order))?;
    }
    Ok(())
}

/// What a worker answers to one request by itself, a line of JSON; `None` if it is not a request. Lines of progress go to
/// standard output as in [`work`].
pub fn answer(line: &str) -> Option<Value> {
    let request = serde_json::from_str::<Value>(line).ok()?;
    let order = WorkerRequest {
        id: request["id"].as_u64().unwrap_or_default(),
        request,
        halt: &Cancellation::default(),
    };
    Some(ModelCache::default().answer(&order).unwrap_or_else(|refusal| refusal))
}

#[cfg(unix)]
fn bound(memory: u64) -> std::io::Result<()> {
    let bytes = memory.saturating_mul(1024 * 1024);
    rlimit::Resource::AS.set(bytes, bytes)
}

#[cfg(not(unix))]
fn bound(_memory: u64) -> std::io::Result<()> {
    Ok(())
}

/// Writes a line.
fn say(value: &Value) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{value}")?;
    out.flush()
}

/// Which request is to end, and why.
#[derive(Default)]
struct Cancellation(Mutex<Option<(u64, String)>>);

impl Cancellation {
    fn set(&self, id: u64, why: &str) {
        if let Ok(mut halt) = self.0.lock() {
            *halt = Some((id, why.to_owned()));
        }
    }

    fn of(&self, id: u64) -> Option<String> {
        let halt = self.0.lock().ok()?;
        halt.as_ref().filter(|(which, _)| *which == id).map(|(_, why)| why.clone())
    }
}

/// One request.
struct WorkerRequest<'h> {
    id: u64,
    request: Value,
    halt: &'h Cancellation,
}

impl WorkerRequest<'_> {
    fn text(&self, key: &str) -> Option<&str> {
        self.request[key].as_str()
    }

    /// The names and numbers of `set` or `initial`.
    fn numbers(&self, key: &str) -> Vec<(String, f64)> {
        let pairs = self.request[key].as_object().into_iter().flatten();
        pairs.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))).collect()
    }
}

/// What was derived last, kept for the next request about the same text.
#[derive(Default)]
struct ModelCache {
    last: Option<(Source, Model)>,
}

impl ModelCache {
    /// The answer, also where the engine has a bug: then it says so, and the model in use is given up.
    fn answer_or_report(&mut self, order: &WorkerRequest<'_>) -> Value {
        let what = format!("`{}` of the studio", order.text("do").unwrap_or_default());
        let answered = internal::catch(&what, || self.answer(order).unwrap_or_else(|refusal| refusal));
        answered.unwrap_or_else(|diagnostic| {
            self.last = None;
            refusal(&[*diagnostic], &Source::new("model", ""))
        })
    }

    fn answer(&mut self, order: &WorkerRequest<'_>) -> Result<Value, Value> {
        let source = Source::from_bytes("model", order.text("text").unwrap_or_default().as_bytes().to_vec())
            .map_err(|d| refusal(&[*d], &Source::new("model", "")))?;
        match order.text("do") {
            Some("hover") => Ok(language::hover(source, order)),
            Some("complete") => Ok(language::complete(source, order)),
            Some("format") => language::format(source),
            Some("check") => Ok(self.check(source, order)),
            Some("derive") => self.derive(source, order),
            Some("analyze") => self.analyze(source, order),
            Some("linearize") => self.study(source, order, study::linearize),
            Some("equilibria") => {
                self.study(source, order, |model, source, _| study::equilibria(model, source))
            }
            Some("verify") => self.study(source, order, |model, source, _| study::verify(model, source)),
            Some("sweep") => self.study(source, order, study::sweep),
            Some("report") => {
                self.study(source, order, |m, source, order| Ok(study::report(m, source, order)))
            }
            Some("run") => self.run(source, order),
            Some("export") => self.export(source, order),
            #[cfg(test)]
            Some("panic") => panic!("a row is missing"),
            _ => Err(failed("there is no such request", "")),
        }
    }

    /// The model of a text with its parameters set, derived only if it is another text than last time.
    fn model(&mut self, source: Source, order: &WorkerRequest<'_>) -> Result<(&Source, Model), Value> {
        if self.last.as_ref().is_none_or(|(known, _)| known.text != source.text) {
            self.last = None;
            match Model::load(&source, &Overrides::default()) {
                Ok(model) => self.last = Some((source, model)),
                Err(diagnostics) => return Err(refusal(&diagnostics, &source)),
            }
        }
        let Some((source, model)) = &self.last else { return Err(failed("no model was kept", "")) };
        let model = model.with_parameters(&order.numbers("set")).map_err(|d| refusal(&[*d], source))?;
        Ok((source, model))
    }

    fn check(&mut self, source: Source, order: &WorkerRequest<'_>) -> Value {
        match self.model(source, order) {
            Ok((source, model)) => facts::of(&model, source),
            Err(refused) => json!({ "diagnostics": refused["failed"]["diagnostics"] }),
        }
    }

    fn derive(&mut self, source: Source, order: &WorkerRequest<'_>) -> Result<Value, Value> {
        let (source, model) = self.model(source, order)?;
        let wrong = |d: Box<Diagnostic>| refusal(&[*d], source);
        let form: Form = order.text("form").unwrap_or("lagrange").parse().map_err(wrong)?;
        let latex = model.equations(form, Format::Latex).map_err(wrong)?;
        Ok(json!({ "latex": latex }))
    }

    fn analyze(&mut self, source: Source, order: &WorkerRequest<'_>) -> Result<Value, Value> {
        let (source, model) = self.model(source, order)?;
        facts::analysis(&model, source)
    }

    fn study(
        &mut self,
        source: Source,
        order: &WorkerRequest<'_>,
        ask: impl FnOnce(&Model, &Source, &WorkerRequest<'_>) -> Result<Value, Value>,
    ) -> Result<Value, Value> {
        let (source, model) = self.model(source, order)?;
        ask(&model, source, order)
    }

    fn run(&mut self, source: Source, order: &WorkerRequest<'_>) -> Result<Value, Value> {
        let (source, model) = self.model(source, order)?;
        motion::run(&model, source, order)
    }

    fn export(&mut self, source: Source, order: &WorkerRequest<'_>) -> Result<Value, Value> {
        let (source, model) = self.model(source, order)?;
        export::export(&model, source, order)
    }
}

/// What is wrong with the model or the run.
fn refusal(diagnostics: &[Diagnostic], source: &Source) -> Value {
    let first = diagnostics.iter().find(|d| d.severity == Severity::Error).or(diagnostics.first());
    json!({ "failed": {
        "message": first.map_or("the request failed", |d| d.message.as_str()),
        "help": first.and_then(|d| d.help.as_deref()),
        "code": first.map(|d| d.code.id()),
        "diagnostics": diagnostic::json(diagnostics, source),
    }})
}

/// What is wrong with the request.
fn failed(message: &str, help: &str) -> Value {
    json!({ "failed": { "message": message, "help": help, "diagnostics": [] } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_internal_error_is_an_answer_and_the_next_request_is_served() {
        let (halt, mut bench) = (Cancellation::default(), ModelCache::default());
        let mut ask = |request: Value| bench.answer_or_report(&WorkerRequest { id: 1, request, halt: &halt });
        let text = "coordinate x\nkinetic x'^2\n";
        let answer = ask(json!({ "do": "panic", "text": text }));
        let said = answer["failed"]["message"].as_str().unwrap_or_default();
        assert!(said.contains("internal error while running `panic`") && said.contains("a row is missing"));
        assert!(answer["failed"]["help"].as_str().unwrap_or_default().contains("report"));
        assert_eq!(ask(json!({ "do": "check", "text": text }))["coordinates"], json!(["x"]));
    }
}
