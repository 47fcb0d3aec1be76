//! The TextMate grammar of the editors against the words of the language: its lists are written by hand, for editors
//! read no Rust. `editors/check-grammar.mjs` runs it over all models with the engine of VS Code.

use dalembert::run::Method;
use dalembert::syntax::{KEYWORDS, RESERVED_WORDS};
use dalembert_syntax::words::{CONSTANTS, FREE_FUNCTIONS, FUNCTIONS, PARTS, RESULTS, Word};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

fn grammar() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/dal.tmLanguage.json");
    serde_json::from_str(&std::fs::read_to_string(path).expect("the grammar")).expect("JSON")
}

/// The words in the last group of alternatives of a pattern.
fn words(pattern: &str) -> BTreeSet<&str> {
    let mut groups = pattern.split('(').filter_map(|piece| piece.split_once(')')).map(|(inside, _)| inside);
    let plain = |inside: &&str| inside.contains('|') && !inside.contains(['[', '?', ':', '\\']);
    groups.rfind(plain).unwrap_or("").split('|').collect()
}

fn names(table: &[Word]) -> BTreeSet<&str> {
    table.iter().map(|word| word.name).collect()
}

/// Every string under one of the keys, with the key.
fn strings<'v>(value: &'v Value, keys: &[&str], found: &mut Vec<&'v str>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                match inner {
                    Value::String(text) if keys.contains(&key.as_str()) => found.push(text),
                    _ => strings(inner, keys, found),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|inner| strings(inner, keys, found)),
        _ => {}
    }
}

#[test]
fn lists_of_words_are_those_of_the_language() {
    let grammar = grammar();
    let list = |rule: &str| words(grammar["repository"][rule]["match"].as_str().expect(rule));
    let keywords: BTreeSet<&str> = KEYWORDS.into_iter().collect();
    assert_eq!(list("statement"), keywords);
    assert_eq!(list("block"), keywords);
    assert_eq!(list("function"), names(FUNCTIONS).union(&names(FREE_FUNCTIONS)).copied().collect());
    assert_eq!(list("result"), names(RESULTS));
    assert_eq!(list("constant"), names(CONSTANTS));
    assert_eq!(list("word"), RESERVED_WORDS.into_iter().collect());
    assert_eq!(list("method"), Method::ALL.map(Method::name).into_iter().collect());
}

#[test]
fn words_inside_statements_are_known() {
    let grammar = grammar();
    let mut found: BTreeSet<&str> = RESERVED_WORDS.into_iter().collect();
    for (name, rule) in grammar["repository"].as_object().unwrap() {
        let Some(begin) = rule["begin"].as_str().filter(|_| KEYWORDS.contains(&name.as_str())) else {
            continue;
        };
        assert!(begin.contains(&format!("({name})")), "{begin}");
        for pattern in rule["patterns"].as_array().unwrap() {
            let text = pattern["match"].as_str().unwrap_or("");
            found.extend(text.trim_start_matches(r"\b(").trim_end_matches(r")\b").split('|'));
        }
    }
    found.remove("");
    assert_eq!(found, names(PARTS));
}

#[test]
fn patterns_can_be_read_and_rules_exist() {
    let grammar = grammar();
    let (mut patterns, mut includes) = (Vec::new(), Vec::new());
    strings(&grammar, &["match", "begin", "end"], &mut patterns);
    strings(&grammar, &["include"], &mut includes);
    assert!(patterns.len() > 20);
    for pattern in patterns {
        assert!(regex_syntax::parse(pattern).is_ok(), "{pattern}");
    }
    for rule in includes.iter().filter_map(|include| include.strip_prefix('#')) {
        assert!(grammar["repository"].get(rule).is_some(), "{rule}");
    }
}
