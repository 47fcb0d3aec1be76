//! The directory of a sweep: what was asked, what is done, the results.

use super::journal::Journal;
use crate::args::{SweepArgs, SweepFormat};
use crate::input::reason;
use crate::report::Failure;
use dalembert::export;
use dalembert::sweep::{Block, Sweep};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// What was found in the directory.
pub enum Opened {
    /// All was done before.
    Finished(Value),
    /// Something is left to do.
    Ready(Store),
}

pub struct Store {
    dir: PathBuf,
    pub journal: Journal,
}

/// Opens a new directory, or one that a sweep with the same manifest left behind.
pub fn open(args: &SweepArgs, manifest: &Value, sweep: &Sweep) -> Result<Opened, Failure> {
    let dir = PathBuf::from(&args.out);
    fs::create_dir_all(&dir).map_err(|error| refused(&dir, &error))?;
    let path = dir.join("manifest.json");
    let known = fs::read_to_string(&path).ok();
    if known.is_none() || !args.resume {
        check_empty(args, &dir)?;
    }
    match known.filter(|_| args.resume) {
        None => put(&path, |out| writeln!(out, "{manifest:#}"))?,
        Some(text) => compare(args, &text, manifest)?,
    }
    let finished = fs::read_to_string(dir.join("summary.json")).ok();
    if let Some(summary) = finished.and_then(|text| serde_json::from_str(&text).ok())
        && results(args, &dir).exists()
    {
        return Ok(Opened::Finished(summary));
    }
    let path = dir.join("journal");
    match Journal::open(&path, sweep.blocks()).map_err(|error| refused(&path, &error))? {
        Some(journal) => Ok(Opened::Ready(Store { dir, journal })),
        None => Err(Failure::plain(format!("another process works in `{}`", args.out))),
    }
}

/// Refuses to write among other files; a sweep that had no time to begin does not count.
fn check_empty(args: &SweepArgs, dir: &Path) -> Result<(), Failure> {
    let entries = fs::read_dir(dir).map_err(|error| refused(dir, &error))?;
    let ours = |name: &std::ffi::OsStr| args.resume && name == "manifest.json.part";
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
pub fn results(args: &SweepArgs, dir: &Path) -> PathBuf {
    dir.join(match args.format {
        SweepFormat::Csv => "results.csv",
        SweepFormat::Parquet => "results.parquet",
    })
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

    /// Keeps a block: its motions first, so that a block in the journal has them.
    pub fn keep(&mut self, args: &SweepArgs, block: &Block, lines: &str) -> Result<(), Failure> {
        if let Some(table) = &block.motions {
            let folder = self.dir.join("motions");
            fs::create_dir_all(&folder).map_err(|error| refused(&folder, &error))?;
            match args.format {
                SweepFormat::Csv => {
                    put(&folder.join(format!("{:08}.csv", block.index)), |out| export::csv(table, out))?;
                }
                SweepFormat::Parquet => {
                    put(&folder.join(format!("{:08}.parquet", block.index)), |out| {
                        export::parquet(table, &[], out)
                    })?;
                }
            }
        }
        let path = self.dir.join("journal");
        self.journal.add(block.index, lines).map_err(|error| refused(&path, &error))
    }

    /// The results are written: what they were made from can go.
    pub fn finish(&mut self, summary: &Value) -> Result<(), Failure> {
        put(&self.dir.join("summary.json"), |out| writeln!(out, "{summary:#}"))?;
        let path = self.dir.join("journal");
        fs::remove_file(&path).map_err(|error| refused(&path, &error))
    }
}

/// Writes a file so that it is there as a whole or not at all.
pub fn put(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> Result<(), Failure> {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    let part = PathBuf::from(name);
    let attempt = || {
        let mut out = BufWriter::with_capacity(1 << 16, File::create(&part)?);
        write(&mut out)?;
        out.flush()?;
        out.get_ref().sync_all()?;
        fs::rename(&part, path)
    };
    attempt().map_err(|error| refused(path, &error))
}

pub fn refused(path: &Path, error: &std::io::Error) -> Failure {
    Failure::plain(format!("cannot write `{}`: {}", path.display(), reason(error)))
}
