//! Running cases: each in an empty directory of its own, with a copy of its model, on all threads.

use super::cases::Case;
use super::filter::{codes, filter};
use super::hash::Hash;
use super::record;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// No case may take longer, in seconds. A result that depends on the clock is not recorded.
const LIMIT: u64 = 300;

/// A binary under test.
pub struct Binary {
    path: PathBuf,
    /// Name and version as it prints them.
    version: String,
    /// Threads of a sweep, and cases at a time.
    threads: usize,
}

/// What a case gave.
pub struct Answer {
    /// Position of the case among those that were run.
    pub case: usize,
    /// Hash and exit.
    pub result: record::Result,
    /// Outputs without what may vary, by name; standard output is `stdout`.
    pub outputs: Vec<(String, Vec<u8>)>,
    /// Wall time.
    pub time: Duration,
}

impl Answer {
    /// Whether the time limit has decided the result.
    pub fn out_of_time(&self) -> bool {
        self.time >= Duration::from_secs(LIMIT)
    }

    /// Writes the outputs into a directory that is named after the case.
    pub fn keep(&self, name: &str, directory: &Path) -> Result<(), String> {
        let readable = |c: char| if c.is_ascii_alphanumeric() || "=.-".contains(c) { c } else { '_' };
        let folder = directory.join(name.chars().map(readable).collect::<String>());
        for (file, bytes) in &self.outputs {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap_or(&folder)).map_err(|error| told(&path, &error))?;
            fs::write(&path, bytes).map_err(|error| told(&path, &error))?;
        }
        fs::write(folder.join("exit"), format!("{}\n", self.result.1)).map_err(|error| told(&folder, &error))
    }
}

impl Binary {
    /// A binary that says its version.
    pub fn new(path: &Path, threads: usize) -> Result<Binary, String> {
        let path = fs::canonicalize(path).map_err(|error| told(path, &error))?;
        let said = Command::new(&path).arg("--version").output().map_err(|error| told(&path, &error))?;
        let version = String::from_utf8_lossy(&said.stdout).trim().to_owned();
        Ok(Binary { path, version, threads })
    }

    /// Runs all cases and hands each answer over as it comes.
    pub fn run(
        &self,
        cases: &[Case],
        each: impl FnMut(Answer) -> Result<(), String> + Send,
    ) -> Result<(), String> {
        let scratch = std::env::temp_dir().join(format!("dalembert-gate-{}", std::process::id()));
        let next = AtomicUsize::new(0);
        let (each, trouble) = (Mutex::new(each), Mutex::new(None));
        let worker = || {
            loop {
                let at = next.fetch_add(1, Ordering::SeqCst);
                let Some(case) = cases.get(at) else { return };
                let answer = self.run_one(case, at, &scratch.join(at.to_string()));
                let mut each = each.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                if let Err(error) = answer.and_then(&mut *each) {
                    // No further case begins.
                    next.store(cases.len(), Ordering::SeqCst);
                    *trouble.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(error);
                }
            }
        };
        std::thread::scope(|scope| (0..self.threads).for_each(|_| drop(scope.spawn(worker))));
        let _ = fs::remove_dir_all(&scratch);
        trouble.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()).map_or(Ok(()), Err)
    }

    fn run_one(&self, case: &Case, at: usize, directory: &Path) -> Result<Answer, String> {
        let copy = directory.join(&case.model);
        let folder = copy.parent().unwrap_or(directory);
        fs::create_dir_all(folder).map_err(|error| told(folder, &error))?;
        fs::write(&copy, &case.text).map_err(|error| told(&copy, &error))?;
        let began = Instant::now();
        let said = self.command(case, directory).output().map_err(|error| told(&self.path, &error))?;
        let time = began.elapsed();

        // Outputs: standard output, then files by name. The model counts only where the command has changed it.
        let mut outputs = vec![("stdout".to_owned(), filter(&said.stdout, &self.version))];
        for path in files(directory)? {
            let bytes = fs::read(&path).map_err(|error| told(&path, &error))?;
            if path != copy || bytes != case.text.as_bytes() {
                let name = path.strip_prefix(directory).unwrap_or(&path).to_string_lossy().into_owned();
                outputs.push((name, filter(&bytes, &self.version)));
            }
        }
        fs::remove_dir_all(directory).map_err(|error| told(directory, &error))?;

        let mut hash = Hash::new();
        for (name, bytes) in &outputs {
            hash.part(name.as_bytes());
            hash.part(bytes);
        }
        let exit = said.status.code().map_or("signal".to_owned(), |code| code.to_string());
        let codes = codes(&said.stdout, &said.stderr).join(",");
        let exit = if codes.is_empty() { exit } else { format!("{exit}:{codes}") };
        Ok(Answer { case: at, result: (hash.text(), exit), outputs, time })
    }

    fn command(&self, case: &Case, directory: &Path) -> Command {
        let mut command = Command::new(&self.path);
        command.current_dir(directory).stdin(Stdio::null()).args(&case.words);
        command.args(["--time-limit", &LIMIT.to_string()]);
        if case.words[0] == "sweep" {
            command.args(["--threads", &self.threads.to_string()]);
        }
        command
    }
}

/// All files below a directory, sorted.
fn files(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).map_err(|error| told(directory, &error))? {
        let path = entry.map_err(|error| told(directory, &error))?.path();
        if path.is_dir() { found.append(&mut files(&path)?) } else { found.push(path) }
    }
    found.sort();
    Ok(found)
}

fn told(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
