//! Parts of the command that read what others have written, one by one: for the fuzzer of this repository.

use crate::args::Cli;
use crate::sweep::Journal;
use std::path::Path;

/// Whether a command line, beginning with the name of the command, can be read. Nothing is run.
pub fn reads_arguments(words: &[String]) -> bool {
    Cli::read(words).is_ok()
}

/// Opens the journal of a sweep of so many blocks, cuts off what is damaged, and reads the blocks that are whole: how many.
///
/// # Errors
///
/// Where the file cannot be read or written.
pub fn read_journal(path: &Path, blocks: usize) -> std::io::Result<usize> {
    let Some(mut journal) = Journal::open(path, blocks)? else { return Ok(0) };
    let mut whole = 0;
    for block in 0..journal.len() {
        if journal.has(block) {
            whole += 1;
            match journal.lines(block) {
                // Lines that are not text are refused.
                Err(error) if error.kind() != std::io::ErrorKind::InvalidData => return Err(error),
                _ => {}
            }
        }
    }
    Ok(whole)
}

/// Adds a block to the journal of a sweep.
///
/// # Errors
///
/// Where the file cannot be read or written.
pub fn add_to_journal(path: &Path, blocks: usize, block: usize, lines: &str) -> std::io::Result<()> {
    match Journal::open(path, blocks)? {
        Some(mut journal) if block < blocks => journal.add(block, lines, None),
        _ => Ok(()),
    }
}
