//! Where a file really is, whether it can be written, and whether two paths are one file.

use std::fs::{Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

/// Links to links that are followed.
const LINKS: usize = 40;

/// What is to be written to.
pub(crate) enum Destination {
    /// A plain file, or none yet: what is written beside takes its place. Links have been followed.
    File(PathBuf, Option<Metadata>),
    /// A device, a pipe, or what a process has opened already: written to directly.
    Stream(PathBuf),
}

/// Where a path leads.
pub(crate) fn place(path: &Path) -> Result<Destination> {
    // The names of what is open now, as in /dev/stdout: what reads from there must not be handed another file.
    if ["/dev", "/proc"].iter().any(|root| path.starts_with(root)) {
        return Ok(Destination::Stream(path.to_owned()));
    }
    let real = follow(path)?;
    match std::fs::metadata(&real) {
        Ok(found) if found.is_dir() => Err(Error::new(ErrorKind::IsADirectory, "it is a directory")),
        Ok(found) if found.is_file() => Ok(Destination::File(real, Some(found))),
        Ok(_) => Ok(Destination::Stream(real)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Destination::File(real, None)),
        Err(error) => Err(error),
    }
}

/// The path behind links; the last one need not lead to a file that is there.
fn follow(path: &Path) -> Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(link) = std::fs::read_link(&path) else { return Ok(path) };
        path = path.parent().map_or_else(|| link.clone(), |folder| folder.join(&link));
    }
    Err(Error::other("too many links follow each other"))
}

/// A file that may not be written is not replaced either.
pub(crate) fn writable(path: &Path, known: Option<&Metadata>) -> Result<()> {
    match known {
        Some(_) => OpenOptions::new().write(true).open(path).map(drop),
        None => Ok(()),
    }
}

/// Whether two paths lead to one file that is there, by whatever names and links.
pub fn same(a: &Path, b: &Path) -> bool {
    match (std::fs::metadata(a), std::fs::metadata(b)) {
        (Ok(one), Ok(other)) => one_file(&one, &other, a, b),
        _ => false,
    }
}

#[cfg(unix)]
fn one_file(one: &Metadata, other: &Metadata, _: &Path, _: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn one_file(_: &Metadata, _: &Metadata, a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
