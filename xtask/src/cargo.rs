//! `cargo xtask check` and `cargo xtask bless`: the usual calls of cargo, in order.

use crate::workspace::{Outcome, root};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Checks format, lints and tests, as `.ci/run` does before its longer parts. Ends at the first that fails.
pub fn check(arguments: &[String]) -> Outcome {
    none(arguments)?;
    let python = root().join("crates/py");
    Ok(cargo(root(), &["fmt", "--all", "--check"])?
        && cargo(&python, &["fmt", "--check"])?
        && cargo(root(), &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?
        && cargo(root(), &["test", "--workspace"])?)
}

/// Records the snapshots of the tests anew and lists the files that differ from the last commit.
///
/// Snapshots inside a test file cannot be written while it runs: they are left beside it as `.pending-snap`, for
/// `cargo insta accept`.
pub fn bless(arguments: &[String]) -> Outcome {
    none(arguments)?;
    let mut tests = command("cargo", root(), &["test", "--workspace", "--no-fail-fast"]);
    let passed = succeeds(tests.env("INSTA_UPDATE", "always").env("INSTA_FORCE_PASS", "1"))?;
    println!("\nChanged files:");
    let pending = ["ls-files", "--others", "--ignored", "--exclude=.*.pending-snap"];
    let listed = succeeds(&mut command("git", root(), &["status", "--short"]))?
        && succeeds(&mut command("git", root(), &pending))?;
    Ok(listed && passed)
}

/// Builds the release binary of the command line and returns its path.
pub fn release_binary() -> Result<PathBuf, String> {
    if !cargo(root(), &["build", "--release", "--package", "dalembert-cli"])? {
        return Err("the release binary does not build".to_owned());
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(root().join(target).join("release").join(format!("dalembert{}", std::env::consts::EXE_SUFFIX)))
}

fn none(arguments: &[String]) -> Result<(), String> {
    arguments.first().map_or(Ok(()), |argument| Err(format!("`{argument}` is not an option of this command")))
}

fn cargo(directory: &Path, arguments: &[&str]) -> Outcome {
    eprintln!("== cargo {}", arguments.join(" "));
    succeeds(&mut command("cargo", directory, arguments))
}

fn command(program: &str, directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.current_dir(directory).args(arguments);
    command
}

fn succeeds(command: &mut Command) -> Outcome {
    let status = command.status().map_err(|error| format!("cannot run {command:?}: {error}"))?;
    Ok(status.success())
}
