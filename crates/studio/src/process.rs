//! A worker process: a line with a request in, lines with progress and a last line with the answer out.
//!
//! ```text
//! in:   {"id": 7, "do": "run", "text": "...", ...}      a request; one at a time
//!       {"stop": 7, "why": "..."}                       end it soon and keep what was computed
//! out:  {"progress": 0.25, "t": 2.5}                    any number of these
//!       {...}                                           anything else is the answer, and the last line
//! ```
//!
//! It ends when its standard input does. Dropping it kills it.

use crate::options::Limits;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

/// Bytes of standard error that are kept.
const TAIL: usize = 2000;

/// How long a process that closed its output may take to end.
const LAST_WORDS: std::time::Duration = std::time::Duration::from_millis(500);

/// A running worker.
pub struct Process {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    complaints: Arc<Mutex<VecDeque<u8>>>,
    memory: u64,
    id: u64,
}

impl Process {
    /// Starts one.
    pub fn start(command: &(PathBuf, Vec<OsString>), limits: &Limits) -> std::io::Result<Process> {
        let mut child = Command::new(&command.0)
            .args(&command.1)
            .arg(limits.memory.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let missing = || std::io::Error::other("a pipe of the worker is missing");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(missing)?).lines();
        let complaints = Arc::new(Mutex::new(VecDeque::new()));
        tokio::spawn(keep_tail(child.stderr.take().ok_or_else(missing)?, Arc::clone(&complaints)));
        Ok(Process { child, input, output, complaints, memory: limits.memory, id: 0 })
    }

    /// Hands a request over.
    pub async fn ask(
        &mut self,
        mut request: serde_json::Map<String, serde_json::Value>,
    ) -> std::io::Result<()> {
        self.id += 1;
        request.insert("id".to_owned(), self.id.into());
        self.say(&serde_json::Value::Object(request)).await
    }

    /// Asks it to end the request soon.
    pub async fn stop(&mut self, why: &str) -> std::io::Result<()> {
        self.say(&serde_json::json!({ "stop": self.id, "why": why })).await
    }

    async fn say(&mut self, value: &serde_json::Value) -> std::io::Result<()> {
        self.input.write_all(format!("{value}\n").as_bytes()).await
    }

    /// The next line; `None` when the process has ended. Safe to be dropped before it is done.
    pub async fn line(&mut self) -> Option<String> {
        self.output.next_line().await.ok().flatten()
    }

    /// Why it has ended without an answer, in words, with what to try.
    pub async fn epitaph(&mut self) -> (String, String) {
        let status = tokio::time::timeout(LAST_WORDS, self.child.wait()).await;
        let _ = self.child.kill().await;
        tokio::task::yield_now().await;
        let said: Vec<u8> =
            self.complaints.lock().map_or_else(|_| Vec::new(), |tail| tail.iter().copied().collect());
        let said = String::from_utf8_lossy(&said).into_owned();
        if said.contains("memory allocation of") {
            let message = format!("this needs more memory than the {} MiB it may use", self.memory);
            return (
                message,
                "use smaller families, or start the studio with a larger `--memory-limit`".to_owned(),
            );
        }
        if status.is_ok_and(|status| status.is_ok_and(|status| killed(&status))) {
            let message = "the process that worked on this was ended from outside".to_owned();
            return (message, "try again; a system that is short of memory ends processes".to_owned());
        }
        let last = said.lines().rev().find(|line| !line.trim().is_empty() && !line.starts_with("note:"));
        let message =
            format!("the engine ended without an answer: {}", last.unwrap_or("no reason was given"));
        (message, "this is a bug of dalembert; please report it with the model".to_owned())
    }
}

/// Ended by a signal that no program sends itself.
#[cfg(unix)]
fn killed(status: &std::process::ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    const OUTSIDE: [i32; 4] = [1, 2, 9, 15]; // hang-up, interrupt, kill, terminate
    status.signal().is_some_and(|signal| OUTSIDE.contains(&signal))
}

#[cfg(not(unix))]
fn killed(_status: &std::process::ExitStatus) -> bool {
    false
}

async fn keep_tail(mut from: ChildStderr, tail: Arc<Mutex<VecDeque<u8>>>) {
    let mut buffer = [0; 512];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        let Ok(mut tail) = tail.lock() else { return };
        tail.extend(&buffer[..read]);
        let excess = tail.len().saturating_sub(TAIL);
        tail.drain(..excess);
    }
}
