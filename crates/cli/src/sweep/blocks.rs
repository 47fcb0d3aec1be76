//! Finished blocks: `DIR/blocks/NUMBER.csv`, a file for each, written beside its place and renamed.
//!
//! A block whose file exists is done, and there is nothing else to know: no list to keep, no lock to hold. Whoever
//! makes a block writes the same bytes, so processes on several machines may share the directory, and one that is
//! killed leaves nothing but a file under another name. Motions, where they are wanted, are written before their block.

use super::checksum::put;
use crate::failure::{Failure, cannot_write, reason};
use dalembert::simulate::Table;
use dalembert::sweep::{Block, Sweep};
use dalembert_files::{LEFTOVER, read_text};
use dalembert_view::{field, number};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The folder of finished blocks, and that of their motions.
const FOLDER: &str = "blocks";
pub const MOTIONS: &str = "motions";

/// Longest file of a block that is read, in bytes.
const MAX_BLOCK_BYTES: usize = 1 << 30;

/// One run as it is kept: its numbers, and how it ended.
pub type Row = (Vec<f64>, String);

pub struct Blocks {
    dir: PathBuf,
    /// How files with motions end, where there are any.
    motions: Option<&'static str>,
}

impl Blocks {
    pub fn new(dir: &Path, motions: Option<&'static str>) -> Blocks {
        Blocks { dir: dir.to_owned(), motions }
    }

    /// Which of so many blocks are done.
    pub fn done(&self, blocks: usize) -> Vec<bool> {
        let files = numbers(&self.dir.join(FOLDER), "csv");
        let motions = self.motions.map(|extension| numbers(&self.dir.join(MOTIONS), extension));
        let has = |block: &usize| motions.as_ref().is_none_or(|known| known.contains(block));
        (0..blocks).map(|block| files.contains(&block) && has(&block)).collect()
    }

    fn path(&self, block: usize) -> PathBuf {
        self.dir.join(FOLDER).join(format!("{block:08}.csv"))
    }

    /// The file with the motions of a block, from the directory of the sweep.
    pub fn motions_of(&self, block: usize) -> Option<String> {
        Some(format!("{MOTIONS}/{block:08}.{}", self.motions?))
    }

    /// Keeps a block: its motions first, so that a block that exists has them.
    pub fn keep(&self, block: &Block) -> Result<(), Failure> {
        if let (Some(table), Some(name)) = (&block.motions, self.motions_of(block.index)) {
            self.keep_motions(&self.dir.join(name), table)?;
        }
        let path = self.path(block.index);
        folder_of(&path)?;
        put(&path, |out| out.write_all(lines(block).as_bytes())).map(drop)
    }

    fn keep_motions(&self, path: &Path, table: &Table) -> Result<(), Failure> {
        folder_of(path)?;
        put(path, |out| match self.motions {
            Some("csv") => dalembert_view::csv(table, out),
            _ => dalembert_view::parquet(table, &[], &[], out),
        })
        .map(drop)
    }

    /// The rows of a block with the lines they were read from. Refused, with the name of the file, where these are
    /// not the runs of the block.
    pub fn read(&self, sweep: &Sweep, block: usize) -> Result<(String, Vec<Row>), Failure> {
        let path = self.path(block);
        let refuse = |why: &str| {
            Failure::plain(format!("cannot read `{}`: {why}", path.display()))
                .help("delete it, and `--resume` makes it again")
        };
        let text = read_text(&path, MAX_BLOCK_BYTES).map_err(|error| refuse(&reason(&error)))?;
        let rows = rows(&text, sweep.columns().len(), sweep.runs_of(block));
        rows.map(|rows| (text, rows)).ok_or_else(|| refuse("it does not hold the runs of its block"))
    }

    /// Removes the blocks, which the results have taken in, and what killed processes left unfinished.
    pub fn remove(&self) -> Result<(), Failure> {
        [self.dir.clone(), self.dir.join(MOTIONS)].iter().for_each(|folder| clear(folder));
        let path = self.dir.join(FOLDER);
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(cannot_write(&path, &error)),
            _ => Ok(()),
        }
    }

    /// Whether a name at the top of the directory is of a sweep that is not complete.
    pub fn is_ours(name: &str) -> bool {
        [FOLDER, MOTIONS, "manifest.json"].contains(&name) || name.starts_with(LEFTOVER)
    }
}

/// Numbers of the files of a folder that end like this.
fn numbers(folder: &Path, extension: &str) -> HashSet<usize> {
    let number = |name: &str| name.strip_suffix(extension)?.strip_suffix('.')?.parse().ok();
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| number(&entry.file_name().to_string_lossy())).collect()
}

fn folder_of(path: &Path) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))
}

fn clear(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(LEFTOVER) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The rows of a block as lines of CSV.
fn lines(block: &Block) -> String {
    let mut text = String::new();
    for row in &block.rows {
        for value in &row.numbers {
            let _ = write!(text, "{},", number(*value));
        }
        text.push_str(&field(&row.status.text()));
        text.push('\n');
    }
    text
}

/// The rows of a text: so many columns, for these runs and no others.
pub fn rows(text: &str, columns: usize, runs: Range<usize>) -> Option<Vec<Row>> {
    let whole = text.is_empty() || text.ends_with('\n');
    let rows: Vec<Row> = text.lines().map(|line| row(line, columns)).collect::<Option<_>>()?;
    let numbered =
        rows.iter().zip(runs.clone()).all(|((numbers, _), run)| numbers.first() == Some(&(run as f64)));
    (whole && numbered && rows.len() == runs.len()).then_some(rows)
}

/// A line: numbers, then the status, which may be in quotes.
fn row(line: &str, columns: usize) -> Option<Row> {
    let mut parts = line.splitn(columns, ',');
    let numbers = parts.by_ref().take(columns - 1).map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let status = parts.next()?;
    let inside = status.strip_prefix('"').and_then(|s| s.strip_suffix('"'));
    Some((numbers, inside.map_or(status.to_owned(), |s| s.replace("\"\"", "\""))))
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn a_block_holds_its_runs_and_no_others() {
        let text = "4,0.5,done\n5,-1e-3,\"event a,\"\"b\"\"\"\n";
        let read = rows(text, 3, 4..6).unwrap();
        assert_eq!(read[1], (vec![5.0, -1e-3], "event a,\"b\"".to_owned()));
        for (text, columns, runs) in [
            (text, 3, 4..7),
            (text, 3, 5..7),
            (text, 4, 4..6),
            (&text[..text.len() - 1], 3, 4..6),
            (&text[..14], 3, 4..6),
            ("", 3, 4..5),
            ("x,0.5,done\n", 3, 4..5),
        ] {
            assert_eq!(rows(text, columns, runs.clone()), None, "{text} {columns} {runs:?}");
        }
    }
}
