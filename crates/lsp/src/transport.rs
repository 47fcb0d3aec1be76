//! Messages on a stream: a header with the length, an empty line, JSON.

use serde_json::Value;
use std::io::{self, BufRead, Read, Write};

/// Longest message that is read, in bytes; a model text has 4 MiB at most, and JSON may double it.
const MAX_MESSAGE: usize = 64 * 1024 * 1024;
/// Longest line of a header.
const MAX_HEADER: u64 = 4096;

/// What was read.
pub enum Incoming {
    /// JSON.
    Message(Value),
    /// Something else, and why it is none.
    Garbled(String),
    /// The end of the stream.
    End,
}

/// Reads one message.
pub fn read(input: &mut impl BufRead) -> io::Result<Incoming> {
    let (mut length, mut lines) = (None, 0);
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(MAX_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(Incoming::End);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() && lines > 0 {
            break;
        }
        lines += usize::from(!line.is_empty());
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("Content-Length")
        {
            length = value.trim().parse::<usize>().ok();
        }
    }
    match length {
        None => Ok(Incoming::Garbled("a message begins with `Content-Length: N` and an empty line".into())),
        Some(length) if length > MAX_MESSAGE => {
            io::copy(&mut input.by_ref().take(length as u64), &mut io::sink())?;
            Ok(Incoming::Garbled(format!("a message of {length} bytes, more than {MAX_MESSAGE}")))
        }
        Some(length) => body(input, length),
    }
}

fn body(input: &mut impl BufRead, length: usize) -> io::Result<Incoming> {
    let mut bytes = Vec::new();
    if input.by_ref().take(length as u64).read_to_end(&mut bytes)? < length {
        return Ok(Incoming::End);
    }
    Ok(match serde_json::from_slice(&bytes) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Garbled(format!("no JSON: {error}")),
    })
}

/// Writes one message.
pub fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}
