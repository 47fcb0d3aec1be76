//! The built page as a table of names and bytes, so that the program needs no files beside it.

use std::fmt::Write;
use std::path::Path;

fn main() {
    let root = std::env::var("CARGO_MANIFEST_DIR").expect("cargo names the directory of the crate");
    let dist = Path::new(&root).join("page/dist");
    println!("cargo::rerun-if-changed={}", dist.display());
    let mut files = Vec::new();
    collect(&dist, &mut files);
    files.sort();
    let mut table = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(&dist).expect("it was found there").to_string_lossy().replace('\\', "/");
        writeln!(table, "    ({name:?}, include_bytes!({:?})),", file.display().to_string())
            .expect("a string");
    }
    table.push_str("]\n");
    let out = std::env::var("OUT_DIR").expect("cargo names the directory for this");
    std::fs::write(Path::new(&out).join("page.rs"), table).expect("the table can be written");
}

fn collect(folder: &Path, files: &mut Vec<std::path::PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("page/dist is part of the repository");
    for entry in entries.flatten() {
        match entry.path() {
            path if path.is_dir() => collect(&path, files),
            path => files.push(path),
        }
    }
}
