//! Writing: beside, complete, then in place.

use crate::place::{Destination, place, writable};
use crate::step::step;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// How the names of unfinished files begin. A process that is killed may leave one behind; it is safe to delete.
pub const LEFTOVER: &str = ".dalembert-";
/// Names that are tried for a file beside another.
const NAMES: usize = 100;

/// A file that is being written.
pub struct OutputFile {
    file: File,
}

impl OutputFile {
    /// A file that is open for writing.
    pub fn new(file: File) -> OutputFile {
        OutputFile { file }
    }

    /// The file itself, for reading, seeking and locks.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Waits until the disk has the content.
    pub fn sync(&self) -> Result<()> {
        step()?;
        self.file.sync_data()
    }

    /// Cuts the file off, or fills it up.
    pub fn set_len(&self, bytes: u64) -> Result<()> {
        step()?;
        self.file.set_len(bytes)
    }
}

impl Write for OutputFile {
    fn write(&mut self, piece: &[u8]) -> Result<usize> {
        if let Err(error) = step() {
            // A disk that fills up takes what fits.
            let _ = self.file.write(&piece[..piece.len() / 2]);
            return Err(error);
        }
        self.file.write(piece)
    }

    fn flush(&mut self) -> Result<()> {
        self.file.flush()
    }
}

/// An unfinished file, removed when it is dropped without having been put in its place.
struct UnfinishedFile {
    path: PathBuf,
    finished: bool,
}

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        if !self.finished {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Begins a new file beside another, with the same ending.
fn create(path: &Path) -> Result<(OutputFile, UnfinishedFile)> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    step()?;
    let ending = path.extension().map_or(String::new(), |ending| format!(".{}", ending.to_string_lossy()));
    for _ in 0..NAMES {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let beside = path.with_file_name(format!("{LEFTOVER}{}-{number}{ending}", std::process::id()));
        // New, so that no link or file of somebody else is written to.
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(file) => return Ok((OutputFile::new(file), UnfinishedFile { path: beside, finished: false })),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(Error::new(ErrorKind::AlreadyExists, "too many unfinished files are in its directory"))
}

/// Whether a file can be written, found out without changing it: a long run must not end at a misspelt directory.
pub fn probe(path: &Path) -> Result<()> {
    match place(path)? {
        Destination::Stream(path) => OpenOptions::new().write(true).open(path).map(drop),
        Destination::File(path, known) => {
            writable(&path, known.as_ref())?;
            create(&path).map(drop)
        }
    }
}

/// Writes a file: as a whole, or not at all.
///
/// # Errors
///
/// What the system says. A file that was there before is then as it was.
pub fn replace<T>(path: &Path, write: impl FnOnce(&mut BufWriter<OutputFile>) -> Result<T>) -> Result<T> {
    let fill = |output: OutputFile| {
        let mut out = BufWriter::with_capacity(1 << 16, output);
        let done = write(&mut out)?;
        out.flush()?;
        Ok(done)
    };
    match place(path)? {
        Destination::Stream(path) => {
            step()?;
            fill(OutputFile::new(OpenOptions::new().write(true).open(path)?))
        }
        Destination::File(path, known) => {
            writable(&path, known.as_ref())?;
            let (output, part) = create(&path)?;
            let done = fill(output)?;
            finish(part, &path).map(|()| done)
        }
    }
}

/// Has a file written by somebody else, who is told where: beside its place, or a device directly.
///
/// # Errors
///
/// What `make` or the system says. A file that was there before is then as it was.
pub fn make_beside<T>(path: &Path, make: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
    match place(path)? {
        Destination::Stream(path) => make(&path),
        Destination::File(path, known) => {
            writable(&path, known.as_ref())?;
            let (output, part) = create(&path)?;
            drop(output);
            let done = make(&part.path)?;
            finish(part, &path).map(|()| done)
        }
    }
}

/// Completes a file on the disk and puts it in its place, with the permissions of the one before.
fn finish(mut part: UnfinishedFile, path: &Path) -> Result<()> {
    if let Ok(before) = std::fs::metadata(path) {
        step()?;
        std::fs::set_permissions(&part.path, before.permissions())?;
    }
    step()?;
    OpenOptions::new().write(true).open(&part.path)?.sync_all()?;
    step()?;
    std::fs::rename(&part.path, path)?;
    part.finished = true;
    // The new name reaches the disk with its directory. The file is complete under the one or the other name by now.
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty())
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Removes a file, if it is there.
pub fn remove(path: &Path) -> Result<()> {
    step()?;
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
