//! Layers: which module may import which.
//!
//! `layers.txt` lists, for each crate, its top-level modules from the bottom up. A module may import
//! those before it in the list; an import of a later one is an error, so cycles are too. Crates are
//! listed from the bottom up in the same file. Inside a module with submodules, siblings must not
//! import each other in a cycle. A child may use its parent and a parent its children: a file and its
//! folder are one module. Tests are not looked at: modules behind `#[cfg(test)]`, in the
//! file or in one of their own, and files named `tests.rs`.
//!
//! Paths are read from the tokens `crate::`, `super::`, `self::` and `use` trees; names that a module
//! re-exports lead to where they are defined.

use crate::workspace::{Outcome, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A module by its path from the root of its crate: `["integrate", "drive"]`; the root is empty.
type Module = Vec<String>;

/// `cargo xtask layers`: prints the imports that the layers do not allow.
pub fn command(arguments: &[String]) -> Outcome {
    if let Some(argument) = arguments.first() {
        return Err(format!("`{argument}` is not an argument of layers"));
    }
    let found = violations(root());
    for line in &found {
        println!("{line}");
    }
    Ok(found.is_empty())
}

/// What is wrong with the imports of the workspace at `root`; empty if the layers hold.
pub fn violations(root: &Path) -> Vec<String> {
    let table = match fs::read_to_string(root.join("xtask/layers.txt")) {
        Ok(text) => parse_table(&text),
        Err(error) => return vec![format!("xtask/layers.txt: {error}")],
    };
    let mut found = unlisted(root, &table);
    found.extend(crate_order(root, &table));
    for (folder, order) in &table {
        let sources = read_sources(&root.join(folder).join("src"));
        let edges = imports(&sources);
        found.extend(check_order(folder, order, &sources, &edges));
        found.extend(check_siblings(folder, &edges));
    }
    found
}

/// The table: one paragraph a crate, `folder: module module ...` over several indented lines.
fn parse_table(text: &str) -> Vec<(String, Vec<String>)> {
    let mut table: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines().map(|line| line.split('#').next().unwrap_or("")) {
        let modules = match line.split_once(':') {
            Some((folder, rest)) => {
                table.push((folder.trim().to_owned(), Vec::new()));
                rest
            }
            None => line,
        };
        if let Some((_, order)) = table.last_mut() {
            order.extend(modules.split_whitespace().map(str::to_owned));
        }
    }
    table
}

/// Folders of `crates` that the table does not name.
fn unlisted(root: &Path, table: &[(String, Vec<String>)]) -> Vec<String> {
    let entries = fs::read_dir(root.join("crates")).into_iter().flatten().flatten();
    let packages = entries.filter(|entry| entry.path().join("Cargo.toml").is_file());
    let mut found: Vec<String> = packages
        .map(|entry| format!("crates/{}", entry.file_name().to_string_lossy()))
        .filter(|folder| !table.iter().any(|(known, _)| known == folder))
        .map(|folder| format!("{folder} is not in xtask/layers.txt"))
        .collect();
    found.sort();
    found
}

/// A crate may depend on crates that are listed before it.
fn crate_order(root: &Path, table: &[(String, Vec<String>)]) -> Vec<String> {
    let mut below: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = Vec::new();
    let manifest =
        |folder: &str| fs::read_to_string(root.join(folder).join("Cargo.toml")).unwrap_or_default();
    for (rank, (folder, _)) in table.iter().enumerate() {
        let text = manifest(folder);
        let name = text.lines().find_map(|line| line.strip_prefix("name = ")).unwrap_or("").trim_matches('"');
        below.insert(name.to_owned(), rank);
    }
    for (rank, (folder, _)) in table.iter().enumerate() {
        for dependency in dependencies(&manifest(folder)) {
            if below.get(&dependency).is_some_and(|&other| other >= rank) {
                found.push(format!("{folder} depends on {dependency}, which is not below it"));
            }
        }
    }
    found
}

/// Names under `[dependencies]` of a manifest.
fn dependencies(manifest: &str) -> Vec<String> {
    let section = manifest.lines().skip_while(|line| line.trim() != "[dependencies]").skip(1);
    let name = |line: &str| line.split(['.', '=', ' ']).next().unwrap_or("").to_owned();
    section.take_while(|line| !line.starts_with('[')).map(name).filter(|name| !name.is_empty()).collect()
}

/// The modules of a crate with their text, comments and strings removed; test modules are left out.
fn read_sources(src: &Path) -> BTreeMap<Module, String> {
    let mut sources: BTreeMap<Module, String> = BTreeMap::new();
    let mut folders = vec![src.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap_or_default();
                // A package may have both `lib.rs` and `main.rs`.
                sources.entry(module_of(src, &path)).or_default().push_str(&strip(&text));
            }
        }
    }
    without_tests(sources)
}

/// Removes modules named `tests`, those declared behind `#[cfg(test)]`, and what is below them.
fn without_tests(mut sources: BTreeMap<Module, String>) -> BTreeMap<Module, String> {
    let mut tests: Vec<Module> = Vec::new();
    for (module, text) in &sources {
        for (_, after) in text.match_indices(TEST_MODULE).map(|(at, mark)| text.split_at(at + mark.len())) {
            if let Some((name, _)) = after.split_once(';').filter(|(name, _)| is_name(name)) {
                tests.push([module.as_slice(), &[name.to_owned()]].concat());
            }
        }
    }
    let is_test = |module: &Module| {
        module.iter().any(|part| part == "tests") || tests.iter().any(|test| module.starts_with(test))
    };
    sources.retain(|module, _| !is_test(module));
    sources
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// `src/integrate/drive.rs` is `integrate::drive`; `lib.rs` and `main.rs` are the root.
fn module_of(src: &Path, path: &Path) -> Module {
    let inside: PathBuf = path.strip_prefix(src).unwrap_or(path).with_extension("");
    let mut module: Module = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let is_root = |last: &String| module.len() == 1 && (last == "lib" || last == "main");
    if module.last().is_some_and(|last| last == "mod" || is_root(last)) {
        module.pop();
    }
    module
}

/// How a test module begins.
const TEST_MODULE: &str = "#[cfg(test)]\nmod ";

/// The text before the first test module that is written in the file itself.
fn before_tests(text: &str) -> &str {
    let body = |at: usize| {
        let rest = &text[at + TEST_MODULE.len()..];
        rest.find(['{', ';']).is_some_and(|end| rest[end..].starts_with('{'))
    };
    let begins = text.match_indices(TEST_MODULE).map(|(at, _)| at).find(|&at| body(at));
    begins.map_or(text, |at| &text[..at])
}

/// Text without comments, strings and the tests at the end of a file.
fn strip(text: &str) -> String {
    let text = before_tests(text);
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '/']) {
        kept.push_str(&rest[..at]);
        let tail = &rest[at..];
        let length = if tail.starts_with("//") {
            tail.find('\n').unwrap_or(tail.len())
        } else if tail.starts_with("/*") {
            tail.find("*/").map_or(tail.len(), |end| end + 2)
        } else if tail.starts_with('"') && !kept.ends_with('\'') && !kept.ends_with('\\') {
            string_length(tail, &kept)
        } else {
            1
        };
        rest = &tail[length..];
    }
    kept.push_str(rest);
    kept
}

/// The length of the string literal at the start of `tail`; raw ones end with their hashes.
fn string_length(tail: &str, before: &str) -> usize {
    let hashes = before.len() - before.trim_end_matches('#').len();
    if before.trim_end_matches('#').ends_with('r') {
        let end = format!("\"{}", "#".repeat(hashes));
        return tail[1..].find(&end).map_or(tail.len(), |at| at + 1 + end.len());
    }
    let mut escaped = false;
    for (at, letter) in tail.char_indices().skip(1) {
        match letter {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    tail.len()
}

/// Every module with the modules it imports from, its own crate only.
fn imports(sources: &BTreeMap<Module, String>) -> BTreeSet<(Module, Module)> {
    let exports = re_exports(sources);
    let mut edges = BTreeSet::new();
    for (module, text) in sources {
        for path in paths(text) {
            if let Some(target) = resolve(module, &path, sources, &exports)
                && &target != module
            {
                edges.insert((module.clone(), target));
            }
        }
    }
    edges
}

/// Names a module passes on with `pub use`, by module and name, with the path they come from.
fn re_exports(sources: &BTreeMap<Module, String>) -> BTreeMap<(Module, String), Vec<String>> {
    let mut exports = BTreeMap::new();
    for (module, text) in sources {
        for statement in text.split(';') {
            let public = statement.rfind("pub use ").or_else(|| statement.rfind("pub(crate) use "));
            let Some(at) = public else { continue };
            let tree = statement[at..].split_once(" use ").map_or("", |(_, tree)| tree);
            for mut path in expand(tree.trim()) {
                let name = match path.iter().position(|part| part == "as") {
                    Some(at) => {
                        let name = path.get(at + 1).cloned();
                        path.truncate(at);
                        name
                    }
                    None => path.last().cloned(),
                };
                if !matches!(path.first().map(String::as_str), Some("crate" | "self" | "super")) {
                    path.insert(0, "self".into());
                }
                exports.insert((module.clone(), name.unwrap_or_default()), path);
            }
        }
    }
    exports
}

/// All paths of a file that begin with `crate`, `super` or `self`, and those that `use` a child.
fn paths(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for word in ["crate::", "super::", "self::"] {
        for (at, _) in text.match_indices(word) {
            let before = text[..at].chars().next_back();
            let inside = |letter: char| letter.is_alphanumeric() || ['_', ':', '$'].contains(&letter);
            if !before.is_some_and(inside) {
                found.extend(expand(&text[at..]));
            }
        }
    }
    for (at, _) in text.match_indices("use ") {
        if text[..at].ends_with(['\n', ' ']) || at == 0 {
            let tree = &text[at + 4..];
            found.extend(expand(tree).into_iter().map(|mut path| {
                if !matches!(path.first().map(String::as_str), Some("crate" | "self" | "super")) {
                    path.insert(0, "self".into());
                }
                path
            }));
        }
    }
    found
}

/// The paths of a `use` tree, or of a plain path, at the start of `text`.
fn expand(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut stack: Vec<Vec<String>> = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let length =
            rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
        if length > 0 {
            path.push(rest[..length].to_owned());
            rest = &rest[length..];
            let tail = rest.trim_start();
            if let Some(after) = tail.strip_prefix("as ") {
                path.push("as".into());
                rest = after;
                continue;
            }
            if !stack.is_empty() {
                rest = tail;
            }
        }
        if let Some(after) = rest.strip_prefix("::{") {
            stack.push(path.clone());
            rest = after;
        } else if let Some(after) = rest.strip_prefix("::*") {
            path.push("*".into());
            rest = after;
        } else if rest.starts_with("::<") {
            found.push(path);
            return found;
        } else if let Some(after) = rest.strip_prefix("::") {
            rest = after;
        } else if rest.starts_with('{') && path.is_empty() && stack.is_empty() {
            stack.push(Vec::new());
            rest = &rest[1..];
        } else if let (Some(after), Some(base)) = (rest.strip_prefix(','), stack.last()) {
            found.push(std::mem::replace(&mut path, base.clone()));
            rest = after;
        } else if let (Some(after), true) = (rest.strip_prefix('}'), !stack.is_empty()) {
            // After a trailing comma nothing was added to the base.
            if stack.last() != Some(&path) {
                found.push(std::mem::take(&mut path));
            }
            stack.pop();
            rest = after.trim_start();
            if stack.is_empty() {
                return found;
            }
            // What follows a closed group is a comma or another closing brace.
            if let (Some(after), Some(base)) = (rest.strip_prefix(','), stack.last()) {
                path = base.clone();
                rest = after;
            }
        } else {
            found.push(path);
            return found;
        }
    }
}

/// The module that defines what `path` names, as seen from `module`.
fn resolve(
    module: &Module,
    path: &[String],
    sources: &BTreeMap<Module, String>,
    exports: &BTreeMap<(Module, String), Vec<String>>,
) -> Option<Module> {
    let mut at = module.clone();
    let mut parts = path.iter();
    match parts.next()?.as_str() {
        "crate" => at.clear(),
        "super" => drop(at.pop()?),
        "self" => {
            let first = path.get(1)?;
            let child = [at.as_slice(), std::slice::from_ref(first)].concat();
            if !sources.contains_key(&child) && first != "super" {
                return None;
            }
        }
        _ => return None,
    }
    let mut hops = 0;
    let mut rest: Vec<String> = parts.cloned().collect();
    while !rest.is_empty() {
        let name = rest.remove(0);
        if name == "super" {
            at.pop()?;
            continue;
        }
        let child = [at.as_slice(), std::slice::from_ref(&name)].concat();
        if sources.contains_key(&child) {
            at = child;
        } else if let Some(origin) = exports.get(&(at.clone(), name)).filter(|_| hops < 8) {
            hops += 1;
            let mut start = origin.iter();
            match start.next().map(String::as_str) {
                Some("crate") => at.clear(),
                Some("super") => drop(at.pop()?),
                _ => {}
            }
            let before = rest;
            rest = start.cloned().collect();
            rest.extend(before);
            // A re-export from another crate leads out of this one.
            let first = rest.iter().take(1).cloned().collect::<Vec<_>>();
            let inside = sources.contains_key(&[at.as_slice(), &first].concat());
            if !inside && first.iter().all(|part| part != "super") && origin.len() > 2 {
                return Some(at);
            }
        } else {
            break;
        }
    }
    Some(at)
}

/// Imports between top-level modules that the order does not allow, and modules missing in it.
fn check_order(
    folder: &str,
    order: &[String],
    sources: &BTreeMap<Module, String>,
    edges: &BTreeSet<(Module, Module)>,
) -> Vec<String> {
    let rank = |name: &String| order.iter().position(|other| other == name);
    let mut found = Vec::new();
    let top: BTreeSet<&String> = sources.keys().filter_map(|module| module.first()).collect();
    for name in &top {
        if rank(name).is_none() {
            found.push(format!("{folder}: module {name} is not in xtask/layers.txt"));
        }
    }
    for name in order.iter().filter(|name| !top.contains(name)) {
        found.push(format!("{folder}: xtask/layers.txt names {name}, which does not exist"));
    }
    for (from, to) in edges {
        match (from.first(), to.first()) {
            (Some(a), Some(b)) if a != b && rank(b) >= rank(a) => {
                found.push(format!(
                    "{folder}: {} imports {}, which is above it",
                    from.join("::"),
                    to.join("::")
                ));
            }
            (Some(_), None) => {
                found.push(format!("{folder}: {} imports from the root of its crate", from.join("::")))
            }
            _ => {}
        }
    }
    found
}

/// Cycles between the children of one module.
fn check_siblings(folder: &str, edges: &BTreeSet<(Module, Module)>) -> Vec<String> {
    let mut families: BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (from, to) in edges {
        let shared = from.iter().zip(to).take_while(|(a, b)| a == b).count();
        if shared > 0 && shared < from.len() && shared < to.len() {
            let family = families.entry(from[..shared].to_vec()).or_default();
            family.entry(from[shared].clone()).or_default().insert(to[shared].clone());
        }
    }
    let mut found = Vec::new();
    for (parent, mut family) in families {
        // What imports no sibling that is left is at the bottom; what remains at the end is a cycle.
        loop {
            let left: BTreeSet<String> = family.keys().cloned().collect();
            let before = family.len();
            family.retain(|_, targets| targets.iter().any(|target| left.contains(target)));
            if family.len() == before {
                break;
            }
        }
        if !family.is_empty() {
            let targets = |b: &BTreeSet<String>| b.iter().cloned().collect::<Vec<_>>().join(", ");
            let names: Vec<String> = family.iter().map(|(a, b)| format!("{a} -> {}", targets(b))).collect();
            found.push(format!("{folder}: cycle inside {}: {}", parent.join("::"), names.join("; ")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{check_order, check_siblings, expand, imports, strip, violations, without_tests};
    use std::collections::BTreeMap;

    /// Modules of a crate from pairs of a path and a text; the root has an empty path.
    fn sources(files: &[(&str, &str)]) -> BTreeMap<Vec<String>, String> {
        let parts = |path: &str| path.split("::").filter(|p| !p.is_empty()).map(str::to_owned).collect();
        without_tests(files.iter().map(|(path, text)| (parts(path), strip(text))).collect())
    }

    fn order(files: &[(&str, &str)], order: &[&str]) -> Vec<String> {
        let (sources, order) =
            (sources(files), order.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        check_order("crate", &order, &sources, &imports(&sources))
    }

    fn siblings(files: &[(&str, &str)]) -> Vec<String> {
        check_siblings("crate", &imports(&sources(files)))
    }

    #[test]
    fn the_layers_hold() {
        let found = violations(crate::workspace::root());
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    #[test]
    fn an_import_from_above_is_refused() {
        let files = [("low", "use crate::high::Thing;\n"), ("high", "pub struct Thing;\n")];
        assert_eq!(order(&files, &["low", "high"]), ["crate: low imports high, which is above it"]);
        assert!(order(&files, &["high", "low"]).is_empty());
        let path = [("low", "fn f() { crate::high::deep::g(); }\n"), ("high", ""), ("high::deep", "")];
        assert_eq!(order(&path, &["low", "high"]), ["crate: low imports high::deep, which is above it"]);
    }

    #[test]
    fn what_is_in_the_root_is_not_imported() {
        let files = [("", "pub struct Options;\nmod low;\n"), ("low", "use crate::Options;\n")];
        assert_eq!(order(&files, &["low"]), ["crate: low imports from the root of its crate"]);
    }

    #[test]
    fn modules_and_the_table_agree() {
        let found = order(&[("low", "")], &["lost"]);
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn a_cycle_of_siblings_is_refused() {
        let files = [
            ("a", ""),
            ("a::one", "use super::two::Two;\n"),
            ("a::two", "use crate::a::one::One;\n"),
            ("a::three", "use super::one::One;\n"),
        ];
        let found = siblings(&files);
        assert_eq!(found, ["crate: cycle inside a: one -> two; three -> one; two -> one"]);
        assert!(siblings(&files[..2]).is_empty(), "a parent and its child are one module");
    }

    #[test]
    fn names_that_are_passed_on_lead_to_where_they_are_defined() {
        let files = [
            ("", "mod low;\nmod high;\npub use high::Thing;\n"),
            ("low", "use crate::Thing;\n"),
            ("high", "mod deep;\npub use deep::Thing;\n"),
            ("high::deep", "pub struct Thing;\n"),
        ];
        assert_eq!(order(&files, &["low", "high"]), ["crate: low imports high::deep, which is above it"]);
    }

    #[test]
    fn groups_and_lines_of_a_use_are_read() {
        let paths: Vec<String> = expand("crate::{\n    a::{One, two::*},\n    b as c,\n    d,\n};\n")
            .iter()
            .map(|path| path.join("::"))
            .collect();
        assert_eq!(paths, ["crate::a::One", "crate::a::two::*", "crate::b::as::c", "crate::d"]);
        let files = [("low", "use crate::{\n    high::{\n        Thing,\n    },\n};\n"), ("high", "")];
        assert_eq!(order(&files, &["low", "high"]).len(), 1);
    }

    #[test]
    fn comments_strings_and_tests_do_not_count() {
        let text = "//! See [`crate::high`].\nconst A: &str = \"crate::high::X\";\nconst B: char = '\"';\n\
                    /* use crate::high::X; */ const C: &str = r#\"a \" crate::high::X\"#;\n\
                    #[cfg(test)]\nmod checks;\n#[cfg(test)]\nmod tests {\n    use crate::high::X;\n}\n";
        let files = [("low", text), ("low::checks", "use crate::high::X;\n"), ("high", "")];
        let found = order(&files, &["low", "high"]);
        assert!(found.is_empty(), "{found:?}");
        assert!(!sources(&files).contains_key(&vec!["low".to_owned(), "checks".to_owned()]));
    }
}
