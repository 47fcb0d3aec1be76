//! Pixels as a PNG file: one IDAT chunk, eight bits a channel, no filter (drawings are mostly flat).

use super::raster::Raster;

/// zlib level: beyond it drawings hardly shrink.
const LEVEL: u8 = 6;

pub(super) fn encode(raster: &Raster) -> Vec<u8> {
    let mut header = Vec::new();
    header.extend_from_slice(&(raster.width as u32).to_be_bytes());
    header.extend_from_slice(&(raster.height as u32).to_be_bytes());
    header.extend_from_slice(&[8, 2, 0, 0, 0]); // eight bits, RGB, deflate, filters by row, no interlace
    let mut rows = Vec::with_capacity(raster.pixels.len() + raster.height);
    for row in raster.pixels.chunks(3 * raster.width.max(1)) {
        rows.push(0);
        rows.extend_from_slice(row);
    }
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut out, b"IHDR", &header);
    chunk(&mut out, b"IDAT", &miniz_oxide::deflate::compress_to_vec_zlib(&rows, LEVEL));
    chunk(&mut out, b"IEND", &[]);
    out
}

fn chunk(out: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    out.extend_from_slice(&(data.len() as u32).to_be_bytes());
    let start = out.len();
    out.extend_from_slice(kind);
    out.extend_from_slice(data);
    let sum = crc(&out[start..]);
    out.extend_from_slice(&sum.to_be_bytes());
}

/// CRC-32 of ISO 3309, bit by bit: a plot's file is small.
fn crc(bytes: &[u8]) -> u32 {
    let step = |sum: u32| if sum & 1 == 1 { 0xedb8_8320 ^ (sum >> 1) } else { sum >> 1 };
    !bytes.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), |s, _| step(s)))
}

#[cfg(test)]
mod tests {
    #[test]
    fn checksum_is_the_standard_one() {
        assert_eq!(super::crc(b"123456789"), 0xcbf4_3926);
    }
}
