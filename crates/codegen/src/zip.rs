//! A zip archive of stored files: what an FMU is. Sources and small libraries gain little by compression.

/// The bytes of an archive with these files, by their paths.
///
/// ```
/// let archive = dalembert_codegen::zip(&[("a/b.txt".to_owned(), b"hello".to_vec())]);
/// assert!(archive.starts_with(b"PK\x03\x04") && archive.ends_with(&[0, 0]));
/// ```
pub fn zip(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (path, content) in files {
        let offset = out.len() as u32;
        let mut entry = Vec::new();
        // Version 2.0, names in UTF-8, stored, the first day of the format's calendar: same text, same bytes.
        for part in [20u16, 0x0800, 0, 0, 0x21] {
            entry.extend(part.to_le_bytes());
        }
        for part in [checksum(content), content.len() as u32, content.len() as u32] {
            entry.extend(part.to_le_bytes());
        }
        entry.extend((path.len() as u16).to_le_bytes());
        entry.extend(0u16.to_le_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&entry);
        out.extend(path.as_bytes());
        out.extend(content);
        directory.extend(b"PK\x01\x02");
        directory.extend(20u16.to_le_bytes());
        directory.extend(&entry);
        // No comment, first disk, no attributes.
        directory.extend([0u8; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(path.as_bytes());
    }
    let (start, size, count) = (out.len() as u32, directory.len() as u32, files.len() as u16);
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend(0u16.to_le_bytes());
    out
}

/// CRC-32, bit by bit.
fn checksum(content: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg()))
    };
    !content.iter().fold(!0, step)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(super::checksum(b"123456789"), 0xCBF4_3926);
    }
}
