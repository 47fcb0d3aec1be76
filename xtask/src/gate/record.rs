//! The recorded results, `xtask/gate.txt`, and what differs from them.
//!
//! One line for each case, sorted by name: hash of the outputs, exit code with the codes of the diagnostics, name.
//! The name is the command line.

use std::collections::BTreeMap;

/// Result of a case: `(hash, exit)`.
pub type Result = (String, String);

/// Results by the names of their cases.
pub type Record = BTreeMap<String, Result>;

/// Names of cases whose result is not the recorded one.
#[derive(Debug, Default, PartialEq)]
pub struct Differences {
    /// Recorded with another result.
    pub changed: Vec<String>,
    /// Recorded, but no longer run.
    pub missing: Vec<String>,
    /// Run, but not recorded.
    pub new: Vec<String>,
}

/// Reads `gate.txt`.
pub fn read(text: &str) -> std::result::Result<Record, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(number, line)| {
            let mut fields = line.splitn(3, "  ");
            match (fields.next(), fields.next(), fields.next()) {
                (Some(hash), Some(exit), Some(name)) => {
                    Ok((name.to_owned(), (hash.to_owned(), exit.to_owned())))
                }
                _ => Err(format!("line {} of the record is not `hash  exit  name`", number + 1)),
            }
        })
        .collect()
}

/// Writes `gate.txt`.
pub fn write(record: &Record) -> String {
    record.iter().map(|(name, (hash, exit))| format!("{hash}  {exit}  {name}\n")).collect()
}

/// Compares what was recorded with what came out.
pub fn compare(recorded: &Record, now: &Record) -> Differences {
    let names = |of: &Record, keep: &dyn Fn(&str, &Result) -> bool| -> Vec<String> {
        of.iter().filter(|(name, result)| keep(name, result)).map(|(name, _)| name.clone()).collect()
    };
    Differences {
        changed: names(now, &|name, result| recorded.get(name).is_some_and(|before| before != result)),
        missing: names(recorded, &|name, _| !now.contains_key(name)),
        new: names(now, &|name, _| !recorded.contains_key(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Differences, compare, read, write};

    const BEFORE: &str = "aa  0  check models/a.dal\nbb  1:E0512  derive models/a.dal --form hamilton\n";

    #[test]
    fn written_as_read() {
        assert_eq!(write(&read(BEFORE).unwrap()), BEFORE);
        assert_eq!(read("# a comment\n\n").unwrap().len(), 0);
        assert!(read("aa 0 check").unwrap_err().contains("line 1"));
    }

    #[test]
    fn nothing_differs_from_itself() {
        let record = read(BEFORE).unwrap();
        assert_eq!(compare(&record, &record), Differences::default());
    }

    #[test]
    fn changed_missing_and_new() {
        let now = "aa  1:E0901  check models/a.dal\ncc  0  check models/b.dal\n";
        let found = compare(&read(BEFORE).unwrap(), &read(now).unwrap());
        assert_eq!(found.changed, ["check models/a.dal"]);
        assert_eq!(found.missing, ["derive models/a.dal --form hamilton"]);
        assert_eq!(found.new, ["check models/b.dal"]);
    }
}
