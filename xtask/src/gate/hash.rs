//! FNV-1a with 128 bits.
//!
//! A hash of the gate must notice a changed digit and be the same on every platform and with every compiler; nobody
//! attacks it. Two different results share 128 well-mixed bits with a probability of about 1e-38, and FNV needs ten
//! lines instead of a dependency. <http://www.isthe.com/chongo/tech/comp/fnv/>

const OFFSET: u128 = 0x6c62272e07bb014262b821756295c58d;
const PRIME: u128 = 0x0000000001000000000000000000013b;

/// A hash that grows part by part.
pub struct Hash(u128);

impl Hash {
    /// Hash of nothing.
    pub fn new() -> Hash {
        Hash(OFFSET)
    }

    /// Adds bytes, with their number: bytes that move from one part to the next change the hash.
    pub fn part(&mut self, bytes: &[u8]) {
        self.bytes(bytes);
        self.bytes(&(bytes.len() as u64).to_le_bytes());
    }

    /// 32 hexadecimal digits.
    pub fn text(&self) -> String {
        format!("{:032x}", self.0)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(PRIME);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Hash;

    #[test]
    fn published_values() {
        // Test vectors of the authors of FNV.
        for (text, expected) in [
            ("", "6c62272e07bb014262b821756295c58d"),
            ("a", "d228cb696f1a8caf78912b704e4a8964"),
            ("foobar", "343e1662793c64bf6f0d3597ba446f18"),
        ] {
            let mut hash = Hash::new();
            hash.bytes(text.as_bytes());
            assert_eq!(hash.text(), expected, "{text}");
        }
    }

    #[test]
    fn one_digit_or_another_border_changes_it() {
        let of = |parts: &[&str]| {
            let mut hash = Hash::new();
            parts.iter().for_each(|part| hash.part(part.as_bytes()));
            hash.text()
        };
        assert_eq!(of(&["1.5", "2"]), of(&["1.5", "2"]));
        assert_ne!(of(&["1.5", "2"]), of(&["1.6", "2"]));
        assert_ne!(of(&["1.5", "2"]), of(&["1.", "52"]));
        assert_ne!(of(&["1.5"]), of(&["1.5", ""]));
    }
}
