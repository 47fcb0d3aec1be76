//! Running the built command.

pub mod browser;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// What the command answered.
pub struct Answer {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Answer {
    fn from(output: Output) -> Answer {
        Answer {
            code: output.status.code().expect("it was not killed"),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// Standard output as the one JSON document it must be.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.stdout, self.stderr))
    }
}

/// The command with its arguments.
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dalembert"));
    command.args(args).stdin(Stdio::null());
    command
}

/// Runs the command.
pub fn dalembert(args: &[&str]) -> Answer {
    Answer::from(command(args).output().expect("the command runs"))
}

/// Runs the command with a text on standard input.
pub fn with_input(args: &[&str], text: &str) -> Answer {
    let mut child = command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    // The command may refuse its arguments without reading.
    let _ = child.stdin.take().expect("piped").write_all(text.as_bytes());
    Answer::from(child.wait_with_output().expect("the command ends"))
}

/// A model of the collection.
pub fn model(name: &str) -> String {
    format!("{}/../../models/{name}.dal", env!("CARGO_MANIFEST_DIR"))
}

/// An empty directory of its own for a test.
pub fn scratch(name: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a scratch directory");
    dir
}
