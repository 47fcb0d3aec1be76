//! Finished blocks, in the order in which they were finished: a file that only grows.
//!
//! ```text
//! block NUMBER BYTES CHECKSUM
//! block NUMBER BYTES CHECKSUM BYTES CHECKSUM
//! lines of CSV, as many bytes as said
//! ```
//!
//! The second pair is of the file with the motions of the block, where they are kept.
//!
//! A record counts if it is whole and its checksum is right. What follows the last such record, left by a process that
//! was killed or by a machine that lost its power, is cut off when the file is opened again.

use super::checksum::Checksum;
use dalembert_files::OutputFile;
use std::fs::{OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Read, Result, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Between two times that the disk is waited for.
const PAUSE: Duration = Duration::from_secs(1);

pub struct Journal {
    file: OutputFile,
    end: u64,
    synced: Instant,
    blocks: Vec<Option<Record>>,
}

/// Where the lines of a block are, and what its motions were.
#[derive(Clone, Copy)]
struct Record {
    place: u64,
    length: usize,
    motions: Option<Checksum>,
}

struct Header {
    block: usize,
    bytes: u64,
    sum: u64,
    motions: Option<Checksum>,
}

impl Journal {
    /// Opens or begins a journal for so many blocks; `None` if another process writes it.
    pub fn open(path: &Path, blocks: usize) -> Result<Option<Journal>> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Ok(None),
            // Where files cannot be locked there is no protection.
            Err(TryLockError::Error(_)) | Ok(()) => {}
        }
        let file = OutputFile::new(file);
        let mut journal = Journal { file, end: 0, synced: Instant::now(), blocks: vec![None; blocks] };
        journal.scan()?;
        journal.file.set_len(journal.end)?;
        Ok(Some(journal))
    }

    /// Finds the whole records from the beginning.
    fn scan(&mut self) -> Result<()> {
        let length = self.file.file().metadata()?.len();
        let mut reader = BufReader::with_capacity(1 << 20, self.file.file());
        let (mut header, mut body) = (String::new(), Vec::new());
        loop {
            header.clear();
            // A line that is no text ends the good part like any other damage.
            let Ok(size) = (&mut reader).take(100).read_line(&mut header) else { return Ok(()) };
            let Some(Header { block, bytes, sum, motions }) = read_header(&header) else { return Ok(()) };
            let start = self.end + size as u64;
            if block >= self.blocks.len() || bytes > length.saturating_sub(start) {
                return Ok(());
            }
            body.clear();
            (&mut reader).take(bytes).read_to_end(&mut body)?;
            if body.len() as u64 != bytes || record_sum(block, &body, motions) != sum {
                return Ok(());
            }
            self.blocks[block] = Some(Record { place: start, length: body.len(), motions });
            self.end = start + bytes;
        }
    }

    /// How many blocks there are to be.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether a block is there.
    pub fn has(&self, block: usize) -> bool {
        self.blocks.get(block).is_some_and(Option::is_some)
    }

    /// What the motions of a block were when they were kept.
    pub fn motions(&self, block: usize) -> Option<Checksum> {
        self.blocks.get(block).copied().flatten()?.motions
    }

    /// A block that must be made again.
    pub fn forget(&mut self, block: usize) {
        self.blocks[block] = None;
    }

    /// Adds a block.
    pub fn add(&mut self, block: usize, lines: &str, motions: Option<Checksum>) -> Result<()> {
        let sum = record_sum(block, lines.as_bytes(), motions);
        let more = motions.map_or(String::new(), |checksum| format!(" {checksum}"));
        let header = format!("block {block} {} {sum:016x}{more}\n", lines.len());
        self.file.file().seek(SeekFrom::Start(self.end))?;
        self.file.write_all(format!("{header}{lines}").as_bytes())?;
        let place = self.end + header.len() as u64;
        self.blocks[block] = Some(Record { place, length: lines.len(), motions });
        self.end += (header.len() + lines.len()) as u64;
        if self.synced.elapsed() > PAUSE {
            self.sync()?;
            self.synced = Instant::now();
        }
        Ok(())
    }

    /// Waits until the disk has it all.
    pub fn sync(&self) -> Result<()> {
        self.file.sync()
    }

    /// The lines of a block.
    pub fn lines(&mut self, block: usize) -> Result<String> {
        let Some(Record { place, length, .. }) = self.blocks[block] else { return Ok(String::new()) };
        let mut text = vec![0; length];
        self.file.file().seek(SeekFrom::Start(place))?;
        self.file.file().read_exact(&mut text)?;
        String::from_utf8(text).map_err(|_| std::io::ErrorKind::InvalidData.into())
    }
}

fn record_sum(block: usize, body: &[u8], motions: Option<Checksum>) -> u64 {
    let more = motions.map_or(String::new(), |checksum| checksum.to_string());
    Checksum::of(&[&(block as u64).to_le_bytes(), body, more.as_bytes()]).sum()
}

fn read_header(line: &str) -> Option<Header> {
    let words: Vec<&str> = line.strip_suffix('\n')?.split(' ').collect();
    let ["block", block, bytes, sum, more @ ..] = words.as_slice() else { return None };
    let motions = match more {
        [] => None,
        [bytes, sum] => Some(Checksum::read(bytes, sum)?),
        _ => return None,
    };
    let sum = u64::from_str_radix(sum, 16).ok()?;
    Some(Header { block: block.parse().ok()?, bytes: bytes.parse().ok()?, sum, motions })
}
