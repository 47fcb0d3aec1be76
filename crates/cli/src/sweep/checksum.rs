//! Length and checksum of finished files: what was changed since is neither trusted nor written over.
//!
//! `DIR/checksums` has a line `BYTES CHECKSUM PATH` for each file of a complete sweep.

use crate::failure::{Failure, cannot_write};
use dalembert_files::{read_text, replace};
use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};
use std::fs::File;
use std::io::{ErrorKind, Read, Result as Written, Write};
use std::path::Path;

/// Where they stand.
pub const FILE: &str = "checksums";

/// Longest text of a sweep that is read, in bytes: there is a line for each file with motions.
pub const MAX_TEXT: usize = 1 << 28;

/// What a file was when it was finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksum {
    bytes: u64,
    sum: u64,
}

impl Checksum {
    /// Of nothing: FNV-1a begins with this.
    const EMPTY: Checksum = Checksum { bytes: 0, sum: 0xcbf2_9ce4_8422_2325 };

    fn add(&mut self, piece: &[u8]) {
        self.bytes += piece.len() as u64;
        self.sum = piece.iter().fold(self.sum, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3));
    }

    /// Over several pieces.
    pub fn of(pieces: &[&[u8]]) -> Checksum {
        let mut checksum = Checksum::EMPTY;
        pieces.iter().for_each(|piece| checksum.add(piece));
        checksum
    }

    /// The checksum alone.
    pub fn sum(&self) -> u64 {
        self.sum
    }

    /// The length alone.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads what [`Display`] wrote.
    fn read(bytes: &str, sum: &str) -> Option<Checksum> {
        Some(Checksum { bytes: bytes.parse().ok()?, sum: u64::from_str_radix(sum, 16).ok()? })
    }

    /// Of a file, or of so many of its bytes.
    pub fn of_file(path: &Path, most: u64) -> Written<Checksum> {
        let mut file = File::open(path)?.take(most);
        let (mut checksum, mut piece) = (Checksum::EMPTY, vec![0; 1 << 20]);
        loop {
            match file.read(&mut piece)? {
                0 => return Ok(checksum),
                n => checksum.add(&piece[..n]),
            }
        }
    }

    /// Whether the file is there, which may be; refused if it is there and another one.
    pub fn check(&self, path: &Path) -> Result<bool, Failure> {
        // A file that has grown is another one, however long it is.
        let now = match Checksum::of_file(path, self.bytes.saturating_add(1)) {
            Ok(now) if now == *self => return Ok(true),
            Ok(now) => now,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(cannot_write(path, &error)),
        };
        let what = if now.bytes == self.bytes {
            "its checksum is another one".to_owned()
        } else {
            let bytes = std::fs::metadata(path).map_or(now.bytes, |found| found.len());
            format!("it has {bytes} bytes and had {}", self.bytes)
        };
        let path = path.display();
        Err(Failure::plain(format!("`{path}` was changed after the sweep had written it: {what}"))
            .help("delete it or move it away, and `--resume` makes it again; nothing was written over"))
    }
}

impl Display for Checksum {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:016x}", self.bytes, self.sum)
    }
}

/// Those of the files of a directory, by their paths in it.
#[derive(Default)]
pub struct Checksums(pub BTreeMap<String, Checksum>);

impl Checksums {
    /// What is known about a directory; `None` where nothing readable is.
    pub fn read(dir: &Path) -> Option<Checksums> {
        let text = read_text(&dir.join(FILE), MAX_TEXT).ok()?;
        let line = |line: &str| {
            let mut words = line.splitn(3, ' ');
            let checksum = Checksum::read(words.next()?, words.next()?)?;
            Some((words.next()?.to_owned(), checksum))
        };
        text.lines().map(line).collect::<Option<_>>().map(Checksums)
    }

    /// Whether all files are there; refused if one is another.
    pub fn check(&self, dir: &Path) -> Result<bool, Failure> {
        let mut all = true;
        for (path, checksum) in &self.0 {
            all &= checksum.check(&dir.join(path))?;
        }
        Ok(all)
    }

    pub fn text(&self) -> String {
        self.0.iter().map(|(path, checksum)| format!("{checksum} {path}\n")).collect()
    }
}

/// What is written while it is written.
pub struct ChecksumWriter<'a> {
    out: &'a mut dyn Write,
    checksum: Checksum,
}

impl<'a> ChecksumWriter<'a> {
    pub fn new(out: &'a mut dyn Write) -> ChecksumWriter<'a> {
        ChecksumWriter { out, checksum: Checksum::EMPTY }
    }

    /// Of what has been written.
    pub fn checksum(&self) -> Checksum {
        self.checksum
    }
}

impl Write for ChecksumWriter<'_> {
    fn write(&mut self, piece: &[u8]) -> Written<usize> {
        let n = self.out.write(piece)?;
        self.checksum.add(&piece[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> Written<()> {
        self.out.flush()
    }
}

/// Files by their names in the directory of the sweep.
pub type Files = Vec<(String, Checksum)>;

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
