//! Shared libraries from C sources, by the C compiler of the machine: the binary part of an FMU.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of source that are optimised, about 20000 operations: compilers take minutes for much more.
const MAX_OPTIMISED: usize = 1 << 20;

/// A folder that is removed when it is no longer needed.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Compiles a source to a shared library for this machine; `CC` names another compiler than `cc`. An error is in words.
pub fn compile_library(name: &str, source: &str) -> Result<Vec<u8>, String> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err("libraries are made on 64-bit Linux only; the sources are in the file".to_owned());
    }
    // Threads of one process compile side by side.
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("dalembert-library-{}-{number}", std::process::id()));
    std::fs::create_dir(&folder).map_err(|error| error.to_string())?;
    let folder = Scratch(folder);
    let made = |name: &Path| std::fs::read(name).map_err(|error| error.to_string());
    let (input, output) = (folder.0.join(format!("{name}.c")), folder.0.join(format!("{name}.so")));
    std::fs::write(&input, source).map_err(|error| error.to_string())?;
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let level = if source.len() > MAX_OPTIMISED { "-O0" } else { "-O2" };
    let run = Command::new(&compiler)
        .args(["-std=c99", level, "-shared", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-o"])
        .args([&output, &input])
        .arg("-lm")
        .stdin(Stdio::null())
        .output();
    match run {
        Ok(done) if done.status.success() => made(&output),
        Ok(done) => {
            let said = String::from_utf8_lossy(&done.stderr);
            Err(format!("`{compiler}` refused the source: {}", said.lines().next().unwrap_or_default()))
        }
        Err(_) => Err(format!("no C compiler `{compiler}` is found")),
    }
}
