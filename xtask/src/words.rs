//! `cargo xtask words`: the words of the language, from their one table into files that cannot read Rust.
//!
//! The TextMate grammar of the editors, the colours of the studio's editor, and the list of the manual. With `--check`
//! nothing is written, and a file that differs is an error; a test asks the same.

use crate::workspace::{Outcome, root};
use dalembert_syntax::words::{
    CONSTANTS, FREE_FUNCTIONS, FUNCTIONS, PARTS, RESERVED_WORDS, RESULTS, SHAPES, STATEMENTS, Word,
};
use std::fs;

/// A file and what is to be in it.
type Update = (&'static str, fn(&str) -> Option<String>);

const UPDATES: [Update; 3] = [
    ("editors/dal.tmLanguage.json", grammar),
    ("crates/studio/page/src/dal.ts", studio),
    ("docs/language.md", manual),
];

/// Runs the command.
pub fn command(arguments: &[String]) -> Outcome {
    let check = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--check"] => true,
        _ => return Err("words takes `--check` or nothing".to_owned()),
    };
    let stale = stale()?;
    for (path, text) in &stale {
        match check {
            true => println!("{path} does not have the words of the language: run `cargo xtask words`"),
            false => {
                fs::write(root().join(path), text).map_err(|error| format!("{path}: {error}"))?;
                println!("wrote {path}");
            }
        }
    }
    Ok(!check || stale.is_empty())
}

/// The files that differ from what the table gives, with the text they should have.
fn stale() -> Result<Vec<(&'static str, String)>, String> {
    let mut stale = Vec::new();
    for (path, update) in UPDATES {
        let now = fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))?;
        let then = update(&now).ok_or_else(|| format!("{path}: the place of the words was not found"))?;
        if now != then {
            stale.push((path, then));
        }
    }
    Ok(stale)
}

fn names(tables: &[&[Word]]) -> Vec<&'static str> {
    tables.iter().flat_map(|table| table.iter()).map(|word| word.name).collect()
}

/// The alternatives of each rule of the grammar.
fn grammar(text: &str) -> Option<String> {
    let rules: [(&str, Vec<&str>); 6] = [
        ("statement", names(&[STATEMENTS])),
        ("block", names(&[STATEMENTS])),
        ("result", names(&[RESULTS])),
        ("function", names(&[FUNCTIONS, FREE_FUNCTIONS])),
        ("word", RESERVED_WORDS.to_vec()),
        ("constant", names(&[CONSTANTS])),
    ];
    let mut text = text.to_owned();
    for (rule, words) in rules {
        let begin = text.find(&format!("\n    \"{rule}\": {{"))?;
        let (start, end) = alternatives(&text[begin..])?;
        text.replace_range(begin + start..begin + end, &words.join("|"));
    }
    Some(text)
}

/// Where the first group is that holds nothing but words and bars.
fn alternatives(text: &str) -> Option<(usize, usize)> {
    let plain = |inside: &str| {
        inside.contains('|') && inside.chars().all(|c| c.is_ascii_alphanumeric() || ['_', '|'].contains(&c))
    };
    text.match_indices('(').find_map(|(at, _)| {
        let inside = text[at + 1..].split(')').next()?;
        plain(inside).then(|| (at + 1, at + 1 + inside.len()))
    })
}

/// The two sets of words that the studio colours.
fn studio(text: &str) -> Option<String> {
    let set = |name: &str, words: Vec<&str>| {
        let lines: Vec<String> = wrapped(&words, 100).iter().map(|line| format!("  {line}\n")).collect();
        format!("const {name} = new Set(`\n{}`.trim().split(/\\s+/));\n", lines.concat())
    };
    let body = set("KEYWORDS", names(&[STATEMENTS, PARTS]))
        + &set("FUNCTIONS", names(&[FUNCTIONS, FREE_FUNCTIONS, RESULTS, CONSTANTS]));
    between(text, "// Words: written by `cargo xtask words`.\n", "// End of words.\n", &body)
}

/// The table of words of the manual.
fn manual(text: &str) -> Option<String> {
    let row = |kind: &str, table: &[Word]| {
        let words: Vec<String> = table.iter().map(|word| format!("`{}`", word.name)).collect();
        format!("| {kind} | {} |\n", words.join(" "))
    };
    let body = [
        "\n| | words |\n|---|---|\n".to_owned(),
        row("statements", STATEMENTS),
        row("functions", FUNCTIONS),
        row("functions whose names are free", FREE_FUNCTIONS),
        row("results", RESULTS),
        row("constants", CONSTANTS),
        row("words inside statements and expressions", PARTS),
        row("shapes of bodies", SHAPES),
        "\n".to_owned(),
    ];
    between(
        text,
        "<!-- words: written by `cargo xtask words` -->\n",
        "<!-- end of words -->\n",
        &body.concat(),
    )
}

/// The text with another body between two marks.
fn between(text: &str, begin: &str, end: &str, body: &str) -> Option<String> {
    let (head, rest) = text.split_once(begin)?;
    let (_, tail) = rest.split_once(end)?;
    Some(format!("{head}{begin}{body}{end}{tail}"))
}

/// Words in lines no longer than so many characters.
fn wrapped(words: &[&str], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push((*word).to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{alternatives, between, stale, wrapped};

    #[test]
    fn every_list_of_words_is_that_of_the_language() {
        let stale: Vec<&str> = stale().unwrap().into_iter().map(|(path, _)| path).collect();
        assert!(stale.is_empty(), "run `cargo xtask words`: {stale:?}");
    }

    #[test]
    fn pieces_of_text_are_found() {
        assert_eq!(alternatives(r"^([;{}])\s*(a|b_1)\b"), Some((12, 17)));
        assert_eq!(alternatives("(a)"), None);
        assert_eq!(between("x<1>y<2>z", "<1>", "<2>", "w").as_deref(), Some("x<1>w<2>z"));
        assert_eq!(between("x", "<1>", "<2>", "w"), None);
        assert_eq!(wrapped(&["ab", "c", "d"], 4), ["ab c", "d"]);
    }
}
