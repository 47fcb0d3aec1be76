//! The mutants as `cargo mutants --list --json` names them.

use serde_json::Value;
use std::error::Error;
use std::path::PathBuf;

/// One change of the program.
pub struct Mutant {
    /// What `MUTANT` is set to for it, from 1.
    pub id: u32,
    pub name: String,
    pub package: String,
    pub file: String,
    /// Where the changed text begins: line and column from 1.
    pub at: (usize, usize),
    pub genre: Genre,
    pub replacement: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Genre {
    FnValue,
    BinaryOperator,
    UnaryOperator,
    MatchArmGuard,
}

pub fn read(lists: &[PathBuf]) -> Result<Vec<Mutant>, Box<dyn Error>> {
    let mut mutants = Vec::new();
    for list in lists {
        let rows: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(list)?)?;
        for row in &rows {
            let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
            let number = |key: &str| row["span"]["start"][key].as_u64().unwrap_or(0) as usize;
            let genre = match row["genre"].as_str().unwrap_or_default() {
                "FnValue" => Genre::FnValue,
                "BinaryOperator" => Genre::BinaryOperator,
                "UnaryOperator" => Genre::UnaryOperator,
                "MatchArmGuard" => Genre::MatchArmGuard,
                other => return Err(format!("mutants of genre {other} are not implemented").into()),
            };
            mutants.push(Mutant {
                id: mutants.len() as u32 + 1,
                name: text("name"),
                package: text("package"),
                file: text("file"),
                at: (number("line"), number("column")),
                genre,
                replacement: text("replacement"),
            });
        }
    }
    Ok(mutants)
}
