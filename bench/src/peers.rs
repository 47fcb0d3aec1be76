//! The peers: a virtual environment with what PyPI has of them, programs of C, and what they print.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Packages, and the module that says whether one is there.
pub const PACKAGES: [(&str, &str); 5] = [
    ("casadi", "casadi"),
    ("mujoco", "mujoco"),
    ("pin", "pinocchio"),
    ("scipy", "scipy.integrate"),
    ("numba", "numba"),
];

/// What is installed.
pub struct Peers {
    /// The Python to ask.
    pub python: PathBuf,
    /// Modules that can be imported, with their versions.
    pub modules: Vec<(&'static str, String)>,
    /// Whether there is a C compiler.
    pub gcc: bool,
    /// What is missing, in plain words.
    pub missing: Vec<String>,
    folder: PathBuf,
}

fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}

impl Peers {
    /// Makes the environment under `folder` and installs the packages, unless `DALEMBERT_BENCH_PYTHON` names a Python
    /// that has them. What cannot be installed is left out.
    pub fn install(folder: &Path) -> Self {
        let mut missing = Vec::new();
        let python = match std::env::var_os("DALEMBERT_BENCH_PYTHON") {
            Some(python) => PathBuf::from(python),
            None => {
                let python = folder.join("bin").join("python");
                if !python.exists() && !succeeds(Command::new("python3").args(["-m", "venv"]).arg(folder)) {
                    missing.push("no virtual environment: python3 or its module venv is missing".to_owned());
                }
                for (package, module) in PACKAGES {
                    let import = format!("import {module}");
                    if python.exists() && !succeeds(Command::new(&python).args(["-c", &import])) {
                        eprintln!("installing {package}");
                        let mut pip = Command::new(&python);
                        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", package]);
                        succeeds(&mut pip);
                    }
                }
                python
            }
        };
        let mut modules = Vec::new();
        for (package, module) in PACKAGES {
            let top = module.split('.').next().unwrap_or(module);
            let ask = format!("import {module}, {top}; print({top}.__version__)");
            match Command::new(&python).args(["-c", &ask]).stderr(Stdio::null()).output() {
                Ok(o) if o.status.success() => {
                    modules.push((package, String::from_utf8_lossy(&o.stdout).trim().to_owned()));
                }
                _ => missing.push(format!(
                    "{package} is not installed and cannot be (offline?): its column is empty"
                )),
            }
        }
        let gcc = succeeds(Command::new("gcc").arg("--version"));
        if !gcc {
            missing.push("gcc is missing: no hand-written C, no C from CasADi, no MuJoCo".to_owned());
        }
        let folder = std::env::temp_dir().join(format!("dalembert_bench_{}", std::process::id()));
        if let Err(e) = std::fs::create_dir_all(&folder) {
            missing.push(format!("no folder for temporary files: {e}"));
        }
        Peers { python, modules, gcc, missing, folder }
    }

    /// Whether a package is there.
    pub fn has(&self, package: &str) -> bool {
        self.modules.iter().any(|(name, _)| *name == package)
    }

    /// The words that a script of `peers/` prints, if its package is there.
    pub fn script(&self, package: &str, name: &str, argument: &str, input: &str) -> Option<Vec<String>> {
        if !self.has(package) {
            return None;
        }
        let mut command = Command::new(&self.python);
        command.arg(source(name)).arg(argument);
        words(command, input)
    }

    /// A program of C in `peers/`, compiled.
    pub fn compiled(&self, name: &str, flags: &[&str], libraries: &[&str]) -> Option<PathBuf> {
        let program = self.folder.join(name.trim_end_matches(".c"));
        let mut gcc = Command::new("gcc");
        gcc.args(["-O3", "-march=native"])
            .args(flags)
            .arg(source(name))
            .arg("-o")
            .arg(&program)
            .args(libraries);
        (self.gcc && succeeds(&mut gcc)).then_some(program)
    }

    /// A file of its own for a text.
    pub fn file(&self, name: &str, text: &str) -> Option<PathBuf> {
        let path = self.folder.join(name);
        std::fs::write(&path, text).ok().map(|()| path)
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(name)
}

/// What a command prints, in words.
pub fn words(mut command: Command, input: &str) -> Option<Vec<String>> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    child.stdin.take()?.write_all(input.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.split_whitespace().map(str::to_owned).collect())
}

/// The first two words as numbers: a time, and a value to compare.
pub fn pair(words: &[String]) -> Option<(f64, f64)> {
    Some((words.first()?.parse().ok()?, words.get(1)?.parse().ok()?))
}
