//! Reading within bounds: a device, a pipe or a file of the wrong kind does not fill the memory.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Reads at most so many bytes. One more than what is allowed shows the caller that there was too much.
pub fn up_to(from: impl Read, bytes: usize) -> Result<Vec<u8>> {
    let mut read = Vec::new();
    from.take(bytes as u64).read_to_end(&mut read)?;
    Ok(read)
}

/// The text of a file that is no longer than so many bytes.
///
/// # Errors
///
/// `FileTooLarge` if it is longer, `InvalidData` if it is not UTF-8, or what the system says.
pub fn read_text(path: &Path, limit: usize) -> Result<String> {
    let bytes = up_to(File::open(path)?, limit.saturating_add(1))?;
    if bytes.len() > limit {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("it is longer than {limit} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endless_stream_is_read_up_to_its_bound() {
        assert_eq!(up_to(std::io::repeat(b'x'), 1000).unwrap().len(), 1000);
        assert_eq!(up_to(&b"short"[..], 1000).unwrap(), b"short");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn an_endless_device_is_too_large() {
        let error = read_text(Path::new("/dev/zero"), 1000).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
    }
}
