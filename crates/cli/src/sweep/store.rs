//! The directory of a sweep: what was asked, what is done, the results.

use super::blocks::Blocks;
use super::checksum::{self, Checksum, Checksums, Files, MAX_TEXT, put};
use crate::args::{SweepArgs, SweepFormat};
use crate::failure::reason;
use crate::failure::{Failure, cannot_write};
use dalembert::sweep::Sweep;
use dalembert_files::{LEFTOVER, read_text};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What was found in the directory.
pub enum Opened {
    /// All was done before.
    Finished(Value),
    /// Something is left to do; which blocks are done already.
    Ready(Store, Vec<bool>),
}

/// Written last: where it is, the sweep is complete.
const SUMMARY: &str = "summary.json";

pub struct Store {
    pub dir: PathBuf,
    pub blocks: Blocks,
}

/// Opens a new directory, or one that a sweep with the same manifest left behind.
pub fn open(args: &SweepArgs, manifest: &Value, sweep: &Sweep) -> Result<Opened, Failure> {
    let dir = PathBuf::from(&args.out);
    let path = dir.join("manifest.json");
    let known = known(&path)?;
    if args.merge && known.is_none() {
        let failure = Failure::plain(format!("there is no sweep in `{}`", args.out));
        return Err(failure.help("make its runs first, with `--shard K/N` in the place of `--merge`"));
    }
    fs::create_dir_all(&dir).map_err(|error| cannot_write(&dir, &error))?;
    // Shards need no word to go on: they find the directory as others have left it.
    let again = args.resume || args.merge || args.shard.is_some();
    if known.is_none() || !again {
        check_empty(args, &dir)?;
    }
    match known.filter(|_| again) {
        None => {
            put(&path, |out| writeln!(out, "{manifest:#}"))?;
        }
        Some(text) => compare(args, &text, manifest)?,
    }
    let motions = (args.every.is_some() && args.keep.is_none()).then(|| args.format.extension());
    let store = Store { blocks: Blocks::new(&dir, motions), dir };
    if let Some(summary) = finished(args, &store.dir)? {
        // Complete, but perhaps for blocks that were not removed any more.
        store.blocks.remove()?;
        return Ok(Opened::Finished(summary));
    }
    // From here on the sweep is not complete.
    remove(&store.dir.join(SUMMARY))?;
    let done = store.blocks.done(sweep.blocks());
    Ok(Opened::Ready(store, done))
}

/// The summary of a sweep whose files are all there and as they were; refused if one was changed.
fn finished(args: &SweepArgs, dir: &Path) -> Result<Option<Value>, Failure> {
    let checksums = Checksums::read(dir);
    let whole = checksums.as_ref().map_or(Ok(false), |checksums| checksums.check(dir))?;
    let summary = known(&dir.join(SUMMARY))?;
    if checksums.is_none() && summary.is_some() && dir.join(results_name(args)).exists() {
        let file = dir.join(checksum::FILE);
        let message = format!("without `{}` nobody knows whether the results are whole", file.display());
        let help = "delete the results or move them away, and `--resume` makes them again";
        return Err(Failure::plain(message).help(help));
    }
    Ok(summary.filter(|_| whole).and_then(|text| serde_json::from_str(&text).ok()))
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
    let ours = |name: &str| match args.shard {
        // Another shard may just have begun.
        Some(_) => Blocks::is_ours(name),
        None => args.resume && name.starts_with(LEFTOVER),
    };
    if entries.flatten().all(|entry| ours(&entry.file_name().to_string_lossy())) {
        return Ok(());
    }
    let failure = Failure::plain(format!("the directory `{}` is not empty", args.out));
    Err(if dir.join("manifest.json").exists() {
        failure.help("give `--resume` to resume the sweep in it, or another directory")
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

/// The file of the results, or their folder.
pub fn results_name(args: &SweepArgs) -> &'static str {
    match args.format {
        SweepFormat::Csv => "results.csv",
        SweepFormat::Parquet => "results.parquet",
        SweepFormat::Dataset => "results",
    }
}

impl Store {
    /// The results are written: what they were made from can go, once their lengths and checksums are kept.
    pub fn finish(&self, results: Files, summary: &Value, blocks: usize) -> Result<(), Failure> {
        let summary = format!("{summary:#}\n");
        let mut checksums = Checksums::default();
        checksums.0.extend(results);
        checksums.0.insert(SUMMARY.to_owned(), Checksum::of(&[summary.as_bytes()]));
        for name in (0..blocks).filter_map(|block| self.blocks.motions_of(block)) {
            let path = self.dir.join(&name);
            let checksum = Checksum::of_file(&path, u64::MAX).map_err(|error| cannot_write(&path, &error))?;
            checksums.0.insert(name, checksum);
        }
        put(&self.dir.join(checksum::FILE), |out| out.write_all(checksums.text().as_bytes()))?;
        put(&self.dir.join(SUMMARY), |out| out.write_all(summary.as_bytes()))?;
        self.blocks.remove()
    }
}
