//! Builds the copy, and reads from the compiler's messages which mutants it refuses.

use crate::{STAGES, Stage, UNIT_TESTS};
use serde_json::Value;
use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn messages(tree: &Path, arguments: &[&str]) -> Result<(bool, Vec<Value>), Box<dyn Error>> {
    let out = Command::new("cargo")
        .current_dir(tree)
        .args(arguments)
        .arg("--message-format=json")
        .stderr(Stdio::inherit())
        .output()?;
    let lines = String::from_utf8(out.stdout)?;
    Ok((out.status.success(), lines.lines().filter_map(|l| serde_json::from_str(l).ok()).collect()))
}

/// The mutants that the compiler's errors point to; none when all is well.
pub fn refused(tree: &Path) -> Result<BTreeSet<u32>, Box<dyn Error>> {
    let mut arguments = vec!["build", "--lib"];
    for stage in &STAGES {
        arguments.extend(["-p", stage.package]);
    }
    let (good, messages) = messages(tree, &arguments)?;
    let mut refused = BTreeSet::new();
    for message in messages.iter().map(|m| &m["message"]).filter(|m| m["level"] == "error") {
        let spans = message["spans"].as_array().map_or(&[][..], Vec::as_slice);
        let primary = spans.iter().filter(|s| s["is_primary"] == true);
        let other = spans.iter().filter(|s| s["is_primary"] != true);
        match primary.chain(other).find_map(|span| mutant_at(tree, span)) {
            Some(id) => {
                refused.insert(id);
            }
            None if spans.is_empty() => {}
            None => return Err(message["rendered"].as_str().unwrap_or("an error without words").into()),
        }
    }
    if !good && refused.is_empty() {
        return Err("the copy does not compile, and no message says why".into());
    }
    Ok(refused)
}

/// The mutant whose text, between its marks, a span begins in.
fn mutant_at(tree: &Path, span: &Value) -> Option<u32> {
    let text = std::fs::read_to_string(tree.join(span["file_name"].as_str()?)).ok()?;
    let at = span["byte_start"].as_u64()? as usize;
    let open = text.get(..at + 2)?.rfind("/*<")?;
    let id: u32 = text[open + 3..].split("*/").next()?.parse().ok()?;
    (open + text[open..].find(&format!("/*{id}>*/"))? >= at).then_some(id)
}

/// A program of tests.
pub struct Program {
    pub package: &'static str,
    pub target: String,
    pub path: PathBuf,
    pub directory: PathBuf,
}

/// Builds the integration tests of a stage, and its unit tests if it asks for them.
pub fn tests(tree: &Path, stage: &Stage) -> Result<Vec<Program>, Box<dyn Error>> {
    let mut arguments = vec!["test", "--no-run", "-p", stage.package];
    arguments.extend(["--test", "it"]);
    if stage.modules.contains(&UNIT_TESTS) {
        arguments.push("--lib");
    }
    let (good, messages) = messages(tree, &arguments)?;
    if !good {
        return Err(format!("the tests of {} do not build", stage.package).into());
    }
    let mut tests = Vec::new();
    for row in messages.iter().filter(|m| m["profile"]["test"] == true) {
        let Some(program) = row["executable"].as_str() else { continue };
        let kind = row["target"]["kind"][0].as_str().unwrap_or_default();
        let name =
            if kind == "test" { row["target"]["name"].as_str().unwrap_or_default() } else { UNIT_TESTS };
        let manifest = Path::new(row["manifest_path"].as_str().unwrap_or_default());
        tests.push(Program {
            package: stage.package,
            target: name.to_owned(),
            path: program.into(),
            directory: manifest.parent().unwrap_or(tree).to_owned(),
        });
    }
    Ok(tests)
}
