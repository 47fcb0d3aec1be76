//! Length and checksum of finished files: what was changed since is neither trusted nor written over.
//!
//! `DIR/checksums` has a line `BYTES CHECKSUM PATH` for each file of a complete sweep.

use super::store::refused;
use crate::report::Failure;
use dalembert_files::read_text;
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
pub struct Seal {
    bytes: u64,
    sum: u64,
}

impl Seal {
    /// Of nothing: FNV-1a begins with this.
    const EMPTY: Seal = Seal { bytes: 0, sum: 0xcbf2_9ce4_8422_2325 };

    fn add(&mut self, piece: &[u8]) {
        self.bytes += piece.len() as u64;
        self.sum = piece.iter().fold(self.sum, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3));
    }

    /// Over several pieces.
    pub fn of(pieces: &[&[u8]]) -> Seal {
        let mut seal = Seal::EMPTY;
        pieces.iter().for_each(|piece| seal.add(piece));
        seal
    }

    /// The checksum alone.
    pub fn sum(&self) -> u64 {
        self.sum
    }

    /// Reads what [`Display`] wrote.
    pub fn read(bytes: &str, sum: &str) -> Option<Seal> {
        Some(Seal { bytes: bytes.parse().ok()?, sum: u64::from_str_radix(sum, 16).ok()? })
    }

    /// Of a file, or of so many of its bytes.
    fn of_file(path: &Path, most: u64) -> Written<Seal> {
        let mut file = File::open(path)?.take(most);
        let (mut seal, mut piece) = (Seal::EMPTY, vec![0; 1 << 20]);
        loop {
            match file.read(&mut piece)? {
                0 => return Ok(seal),
                n => seal.add(&piece[..n]),
            }
        }
    }

    /// Whether the file is there, which may be; refused if it is there and another one.
    pub fn check(&self, path: &Path) -> Result<bool, Failure> {
        // A file that has grown is another one, however long it is.
        let now = match Seal::of_file(path, self.bytes.saturating_add(1)) {
            Ok(now) if now == *self => return Ok(true),
            Ok(now) => now,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(refused(path, &error)),
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

impl Display for Seal {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:016x}", self.bytes, self.sum)
    }
}

/// Those of the files of a directory, by their paths in it.
#[derive(Default)]
pub struct Seals(pub BTreeMap<String, Seal>);

impl Seals {
    /// What is known about a directory; `None` where nothing readable is.
    pub fn read(dir: &Path) -> Option<Seals> {
        let text = read_text(&dir.join(FILE), MAX_TEXT).ok()?;
        let line = |line: &str| {
            let mut words = line.splitn(3, ' ');
            let seal = Seal::read(words.next()?, words.next()?)?;
            Some((words.next()?.to_owned(), seal))
        };
        text.lines().map(line).collect::<Option<_>>().map(Seals)
    }

    /// Whether all files are there; refused if one is another.
    pub fn check(&self, dir: &Path) -> Result<bool, Failure> {
        let mut all = true;
        for (path, seal) in &self.0 {
            all &= seal.check(&dir.join(path))?;
        }
        Ok(all)
    }

    pub fn text(&self) -> String {
        self.0.iter().map(|(path, seal)| format!("{seal} {path}\n")).collect()
    }
}

/// What is sealed while it is written.
pub struct Sealed<'a> {
    out: &'a mut dyn Write,
    seal: Seal,
}

impl<'a> Sealed<'a> {
    pub fn new(out: &'a mut dyn Write) -> Sealed<'a> {
        Sealed { out, seal: Seal::EMPTY }
    }

    /// Of what has been written.
    pub fn seal(&self) -> Seal {
        self.seal
    }
}

impl Write for Sealed<'_> {
    fn write(&mut self, piece: &[u8]) -> Written<usize> {
        let n = self.out.write(piece)?;
        self.seal.add(&piece[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> Written<()> {
        self.out.flush()
    }
}
