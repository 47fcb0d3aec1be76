//! `cargo xtask surface`: the names that the library `dalembert` shows its users, compared with `xtask/surface.txt`.
//!
//! A name is shown if it is `pub` in `lib.rs`, or in a module that is `pub` there, and neither is hidden from the
//! documentation. Read as text, so that no build is needed. What the workspace's own crates reach beyond it is hidden and
//! not listed.

use crate::workspace::{Outcome, root};
use std::fs;
use std::path::Path;

/// More names than this are no longer a surface that one reads at a glance.
const MOST: usize = 100;

/// Where the names are recorded.
const RECORD: &str = "xtask/surface.txt";

/// Runs the command.
pub fn command(arguments: &[String]) -> Outcome {
    let names = surface(&root().join("crates/dalembert/src"))?;
    let text = names.join("\n") + "\n";
    let file = root().join(RECORD);
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {}
        ["--bless"] => {
            fs::write(&file, &text).map_err(|error| format!("{RECORD}: {error}"))?;
            println!("recorded {} names", names.len());
            return Ok(true);
        }
        _ => return Err("surface takes `--bless` or nothing".to_owned()),
    }
    let recorded = fs::read_to_string(&file).unwrap_or_default();
    let differences = differences(&recorded, &names);
    print!("{text}{} names\n{}", names.len(), differences.join("\n"));
    Ok(differences.is_empty())
}

/// What the record and the names do not share, and whether there are too many.
fn differences(recorded: &str, names: &[String]) -> Vec<String> {
    let recorded: Vec<&str> = recorded.lines().collect();
    let new = names.iter().filter(|name| !recorded.contains(&name.as_str()));
    let gone = recorded.iter().filter(|name| !names.iter().any(|other| other == *name));
    let mut found: Vec<String> = new.map(|name| format!("new: {name}")).collect();
    found.extend(gone.map(|name| format!("gone: {name}")));
    if names.len() > MOST {
        found.push(format!("{} names are more than {MOST}", names.len()));
    }
    found
}

/// The names in order, each with its module.
fn surface(src: &Path) -> Result<Vec<String>, String> {
    let read = |file: &str| fs::read_to_string(src.join(file)).map_err(|error| format!("{file}: {error}"));
    let mut names = Vec::new();
    for name in shown(&read("lib.rs")?) {
        match name.strip_suffix("::;") {
            Some(module) => {
                let inside = shown(&read(&format!("{module}.rs"))?);
                names.extend(inside.iter().map(|name| format!("{module}::{name}")));
            }
            None => names.push(name),
        }
    }
    names.sort();
    Ok(names)
}

/// Public names of a file that are not hidden: those of modules in it with their path, modules of their own file as
/// `module::;`.
fn shown(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let (mut hidden, mut inside) = (false, String::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        let depth = line.len() - code.len();
        if line == "}" {
            inside.clear();
        }
        if depth > 0 && inside.is_empty() || code.starts_with("//") {
            continue;
        }
        if code.starts_with("#[") {
            hidden |= code == "#[doc(hidden)]";
            continue;
        }
        let is_hidden = std::mem::take(&mut hidden);
        let Some(item) = code.strip_prefix("pub ") else { continue };
        let mut item = item.to_owned();
        while item.starts_with("use ") && !item.ends_with(';') {
            let Some(more) = lines.next() else { break };
            item += more.trim();
        }
        if let Some(module) = item.strip_prefix("mod ") {
            match module.strip_suffix(" {") {
                Some(module) if !is_hidden => inside = format!("{module}::"),
                _ if !is_hidden => names.push(module.replace(';', "::;")),
                _ => {}
            }
        } else if !is_hidden {
            names.extend(item_names(&item).into_iter().map(|name| format!("{inside}{name}")));
        }
    }
    names
}

/// The names that an item defines or passes on.
fn item_names(item: &str) -> Vec<String> {
    let last = |path: &str| {
        let path = path.rsplit(" as ").next().unwrap_or(path);
        path.rsplit("::").next().unwrap_or(path).trim().to_owned()
    };
    if let Some(tree) = item.strip_prefix("use ") {
        let list =
            tree.trim_end_matches(';').split_once('{').map_or(tree.trim_end_matches(';'), |(_, list)| list);
        let names = list.trim_end_matches('}').split(',').map(last);
        return names.filter(|name| !name.is_empty()).collect();
    }
    let kinds = ["const", "unsafe", "fn", "struct", "enum", "trait", "type", "static"];
    let mut words = item.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.find(|word| !kinds.contains(word)).map(str::to_owned).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_surface_is_as_recorded() {
        let names = surface(&root().join("crates/dalembert/src")).expect("the sources of the library");
        let recorded = fs::read_to_string(root().join(RECORD)).expect("the record");
        let found = differences(&recorded, &names);
        assert!(found.is_empty(), "{}\n`cargo xtask surface --bless` records them", found.join("\n"));
    }

    #[test]
    fn hidden_and_private_names_are_not_shown() {
        let text = "pub use a::{B, C as D};\n#[doc(hidden)]\npub use e::F;\nmod g;\npub mod h;\n\
                    pub mod i {\n    pub use j::{\n        K, L,\n    };\n    #[doc(hidden)]\n    pub use j::m;\n}\n\
                    #[derive(Debug)]\npub struct N<T> {\n    pub o: T,\n}\npub(crate) fn p() {}\npub const fn q() {}\n";
        assert_eq!(shown(text), ["B", "D", "h::;", "i::K", "i::L", "N", "q"]);
    }

    #[test]
    fn a_name_that_comes_or_goes_is_told() {
        assert_eq!(differences("A\nB\n", &["A".to_owned(), "C".to_owned()]), ["new: C", "gone: B"]);
    }
}
