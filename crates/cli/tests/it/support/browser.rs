//! Pages in a browser, where one is installed.

use super::{dalembert, model, scratch};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// A program of this machine, or a line that says why the test ends here.
pub fn found(names: &[&str]) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let all: Vec<PathBuf> = std::env::split_paths(&folders).collect();
    let hit = names.iter().find_map(|name| all.iter().map(|dir| dir.join(name)).find(|path| path.is_file()));
    if hit.is_none() {
        println!("skipped: none of {} is installed", names.join(", "));
    }
    hit
}

/// A browser that runs once, with a profile of its own.
pub struct Browser {
    program: PathBuf,
    pub dir: PathBuf,
}

impl Browser {
    /// A browser of this machine, with a directory for a test.
    pub fn find(test: &str) -> Option<Browser> {
        let program = found(&["chromium", "chromium-browser", "google-chrome"])?;
        Some(Browser { program, dir: scratch(test) })
    }

    fn open(&self, page: &Path, fragment: &str, width: usize, height: usize, task: &str) -> Output {
        let profile = self.dir.join(format!("profile-{width}"));
        let flags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars \
                     --disable-background-networking --disable-component-update --disable-sync --enable-logging=stderr";
        Command::new(&self.program)
            .args(flags.split_whitespace())
            .arg(format!("--user-data-dir={}", text(&profile)))
            .arg(format!("--window-size={width},{height}"))
            .args(["--virtual-time-budget=2000", task])
            .arg(format!("file://{}{fragment}", text(page)))
            .stdin(Stdio::null())
            .output()
            .expect("the browser runs")
    }

    /// The page as it is after two seconds.
    pub fn dom(&self, page: &Path, fragment: &str, width: usize) -> String {
        let output = self.open(page, fragment, width, 800, "--dump-dom");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("CONSOLE"), "the page complains: {said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// A picture of the page, checked for size and for not being blank.
    pub fn picture(
        &self,
        page: &Path,
        fragment: &str,
        (width, height): (usize, usize),
        name: &str,
    ) -> PathBuf {
        let file = self.dir.join(name);
        self.open(page, fragment, width, height, &format!("--screenshot={}", text(&file)));
        let bytes = std::fs::read(&file).expect("a screenshot");
        let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&bytes[1..4], number(16), number(20)), (&b"PNG"[..], width, height));
        assert!(bytes.len() > width * height / 40, "not blank: {} bytes", bytes.len());
        file
    }

    /// The page that plays a model of the collection.
    pub fn page(&self, name: &str) -> PathBuf {
        let page = self.dir.join(format!("{name}.html"));
        let answer = dalembert(&["simulate", &model(name), "--animate", text(&page), "--quiet"]);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        page
    }
}

/// A data attribute of a page.
pub fn attribute<'d>(dom: &'d str, name: &str) -> &'d str {
    let key = format!("data-{name}=\"");
    let at = dom.find(&key).unwrap_or_else(|| panic!("no {name} in {}", &dom[..dom.len().min(600)]));
    let rest = &dom[at + key.len()..];
    &rest[..rest.find('"').expect("a closing quote")]
}
