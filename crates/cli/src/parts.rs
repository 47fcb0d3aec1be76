//! Parts of the command that read what others have written, one by one: for the fuzzer of this repository.

use crate::args::Cli;

/// Whether a command line, beginning with the name of the command, can be read. Nothing is run.
pub fn reads_arguments(words: &[String]) -> bool {
    Cli::read(words).is_ok()
}

/// Whether a text is a block of a sweep: so many columns, for runs from 0 to so many.
pub fn reads_block(text: &str, columns: usize, runs: usize) -> bool {
    crate::sweep::rows(text, columns, 0..runs).is_some()
}
