//! `dalembert lsp`: the language server on standard input and output.

use crate::failure::Failure;
use std::io::{BufReader, ErrorKind, stdin, stdout};

pub fn run() -> Result<(), Failure> {
    match dalembert_lsp::serve(BufReader::new(stdin()), stdout().lock()) {
        Ok(0) => Ok(()),
        // The client left without saying so; there is nobody to tell.
        Ok(_) => Err(Failure::Reported),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::ReaderGone),
        Err(error) => Err(Failure::plain(format!("the editor cannot be written to: {error}"))),
    }
}
