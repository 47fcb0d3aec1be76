//! The directory of a sweep: what was asked, what is done, the results.

use super::checksum::{self, Checksum, ChecksumWriter, Checksums, MAX_TEXT};
use super::journal::Journal;
use crate::args::{SweepArgs, SweepFormat};
use crate::failure::reason;
use crate::failure::{Failure, cannot_write};
use dalembert::simulate::Table;
use dalembert::sweep::{Block, Sweep};
use dalembert_files::{LEFTOVER, read_text, replace};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What was found in the directory.
pub enum Opened {
    /// All was done before.
    Finished(Value),
    /// Something is left to do.
    Ready(Store),
}

/// Written last: where it is, the sweep is complete.
const SUMMARY: &str = "summary.json";

pub struct Store {
    dir: PathBuf,
    pub journal: Journal,
}

/// Opens a new directory, or one that a sweep with the same manifest left behind.
pub fn open(args: &SweepArgs, manifest: &Value, sweep: &Sweep) -> Result<Opened, Failure> {
    let dir = PathBuf::from(&args.out);
    fs::create_dir_all(&dir).map_err(|error| cannot_write(&dir, &error))?;
    let path = dir.join("manifest.json");
    let known = known(&path)?;
    if known.is_none() || !args.resume {
        check_empty(args, &dir)?;
    }
    match known.filter(|_| args.resume) {
        None => {
            put(&path, |out| writeln!(out, "{manifest:#}"))?;
        }
        Some(text) => compare(args, &text, manifest)?,
    }
    let summary = finished(args, &dir)?;
    let path = dir.join("journal");
    if let (Some(summary), false) = (&summary, path.exists()) {
        return Ok(Opened::Finished(summary.clone()));
    }
    let journal = Journal::open(&path, sweep.blocks()).map_err(|error| cannot_write(&path, &error))?;
    let Some(journal) = journal else {
        return Err(Failure::plain(format!("another process works in `{}`", args.out)));
    };
    if let Some(summary) = summary {
        // Complete, but for a journal that was not removed any more.
        remove(&path)?;
        return Ok(Opened::Finished(summary));
    }
    let mut store = Store { dir, journal };
    store.begin(args, sweep)?;
    Ok(Opened::Ready(store))
}

/// The summary of a sweep whose files are all there and as they were; refused if one was changed.
fn finished(args: &SweepArgs, dir: &Path) -> Result<Option<Value>, Failure> {
    let checksums = Checksums::read(dir);
    let whole = checksums.as_ref().map_or(Ok(false), |checksums| checksums.check(dir))?;
    let summary = known(&dir.join(SUMMARY))?;
    if checksums.is_none() && summary.is_some() && results(args, dir).exists() {
        let file = dir.join(checksum::FILE);
        let message = format!("without `{}` nobody knows whether the results are whole", file.display());
        let help = "delete the results or move them away, and `--resume` makes them again";
        return Err(Failure::plain(message).help(help));
    }
    Ok(summary.filter(|_| whole).and_then(|text| serde_json::from_str(&text).ok()))
}

/// Removes what a process that was killed left unfinished; the lock on the journal says that there is no other.
fn clear(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(LEFTOVER) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The text of a file of the sweep, if it is there.
fn known(path: &Path) -> Result<Option<String>, Failure> {
    match read_text(path, MAX_TEXT) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::plain(format!("cannot read `{}`: {}", path.display(), reason(&error)))),
    }
}

fn remove(path: &Path) -> Result<(), Failure> {
    dalembert_files::remove(path).map_err(|error| cannot_write(path, &error))
}

/// Refuses to write among other files; a sweep that had no time to begin does not count.
fn check_empty(args: &SweepArgs, dir: &Path) -> Result<(), Failure> {
    let entries = fs::read_dir(dir).map_err(|error| cannot_write(dir, &error))?;
    let ours = |name: &std::ffi::OsStr| args.resume && name.to_string_lossy().starts_with(LEFTOVER);
    if entries.flatten().all(|entry| ours(&entry.file_name())) {
        return Ok(());
    }
    let failure = Failure::plain(format!("the directory `{}` is not empty", args.out));
    Err(if dir.join("manifest.json").exists() {
        failure.help("give `--resume` to go on with the sweep in it, or another directory")
    } else {
        failure.help("give a directory that is new or empty")
    })
}

/// Whether the same was asked before; says what differs.
fn compare(args: &SweepArgs, text: &str, manifest: &Value) -> Result<(), Failure> {
    let damaged = || Failure::plain(format!("the manifest in `{}` is damaged", args.out));
    let known: Value = serde_json::from_str(text).map_err(|_| damaged())?;
    let (Some(known), Some(now)) = (known.as_object(), manifest.as_object()) else { return Err(damaged()) };
    for (key, value) in now {
        let before = known.get(key).unwrap_or(&Value::Null);
        if before != value {
            let what = match key.as_str() {
                "model" => "the text of the model has changed".to_owned(),
                "program" => format!("it was begun by {before}"),
                key => format!("`--{key}` was {before} and is {value} now"),
            };
            let failure = Failure::plain(format!("cannot resume the sweep in `{}`: {what}", args.out));
            return Err(failure.help("repeat the command as it was, or begin anew in another directory"));
        }
    }
    Ok(())
}

/// The file of the results.
pub fn results_name(args: &SweepArgs) -> &'static str {
    match args.format {
        SweepFormat::Csv => "results.csv",
        SweepFormat::Parquet => "results.parquet",
    }
}

fn results(args: &SweepArgs, dir: &Path) -> PathBuf {
    dir.join(results_name(args))
}

/// The folder of the motions, and the file of those of a block in the directory.
pub const MOTIONS: &str = "motions";

fn motions(args: &SweepArgs, block: usize) -> String {
    let extension = match args.format {
        SweepFormat::Csv => "csv",
        SweepFormat::Parquet => "parquet",
    };
    format!("{MOTIONS}/{block:08}.{extension}")
}

impl Store {
    /// Where the results go.
    pub fn results(&self, args: &SweepArgs) -> PathBuf {
        results(args, &self.dir)
    }

    /// Numbers of the blocks that are not there yet.
    pub fn missing(&self, blocks: usize) -> std::vec::IntoIter<usize> {
        let missing: Vec<usize> = (0..blocks).filter(|b| !self.journal.has(*b)).collect();
        missing.into_iter()
    }

    /// How many runs are there.
    pub fn runs_done(&self, sweep: &Sweep) -> usize {
        (0..sweep.blocks()).filter(|b| self.journal.has(*b)).map(|b| sweep.runs_of(b).len()).sum()
    }

    /// From here on the sweep is not complete, and blocks whose motions are gone are missing.
    fn begin(&mut self, args: &SweepArgs, sweep: &Sweep) -> Result<(), Failure> {
        remove(&self.dir.join(SUMMARY))?;
        [self.dir.clone(), self.dir.join(MOTIONS)].iter().for_each(|folder| clear(folder));
        for block in 0..sweep.blocks() {
            if let Some(checksum) = self.journal.motions(block)
                && !checksum.check(&self.dir.join(motions(args, block)))?
            {
                self.journal.forget(block);
            }
        }
        Ok(())
    }

    /// Keeps a block: its motions first, so that a block in the journal has them.
    pub fn keep(&mut self, args: &SweepArgs, block: &Block, lines: &str) -> Result<(), Failure> {
        let checksum = match &block.motions {
            Some(table) => Some(self.keep_motions(args, block.index, table)?),
            None => None,
        };
        let path = self.dir.join("journal");
        self.journal.add(block.index, lines, checksum).map_err(|error| cannot_write(&path, &error))
    }

    fn keep_motions(&self, args: &SweepArgs, block: usize, table: &Table) -> Result<Checksum, Failure> {
        let folder = self.dir.join(MOTIONS);
        fs::create_dir_all(&folder).map_err(|error| cannot_write(&folder, &error))?;
        put(&self.dir.join(motions(args, block)), |out| match args.format {
            SweepFormat::Csv => dalembert_view::csv(table, out),
            SweepFormat::Parquet => dalembert_view::parquet(table, &[], &[], out),
        })
    }

    /// The results are written: what they were made from can go, once it is known how long they are and what they add up to.
    pub fn finish(&mut self, args: &SweepArgs, results: Checksum, summary: &Value) -> Result<(), Failure> {
        let summary = format!("{summary:#}\n");
        let mut checksums = Checksums::default();
        checksums.0.insert(results_name(args).to_owned(), results);
        checksums.0.insert(SUMMARY.to_owned(), Checksum::of(&[summary.as_bytes()]));
        for block in 0..self.journal.len() {
            checksums.0.extend(self.journal.motions(block).map(|checksum| (motions(args, block), checksum)));
        }
        put(&self.dir.join(checksum::FILE), |out| out.write_all(checksums.text().as_bytes()))?;
        put(&self.dir.join(SUMMARY), |out| out.write_all(summary.as_bytes()))?;
        remove(&self.dir.join("journal"))
    }
}

/// Writes a file so that it is there as a whole or not at all; tells what it is.
pub fn put(
    path: &Path,
    write: impl FnOnce(&mut ChecksumWriter<'_>) -> std::io::Result<()>,
) -> Result<Checksum, Failure> {
    let written = replace(path, |out| {
        let mut written = ChecksumWriter::new(out);
        write(&mut written)?;
        Ok(written.checksum())
    });
    written.map_err(|error| cannot_write(path, &error))
}
