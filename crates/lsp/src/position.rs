//! Places as editors count them: lines from 0, and code units of an encoding in the line from 0.

use dalembert_syntax::source::char_floor;

/// In which units a client counts characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// Two bytes each, what clients count in unless they agree on something else.
    #[default]
    Utf16,
}

impl Encoding {
    /// What the protocol calls it.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16 => "utf-16",
        }
    }

    fn length(self, c: char) -> usize {
        match self {
            Encoding::Utf8 => c.len_utf8(),
            Encoding::Utf16 => c.len_utf16(),
        }
    }
}

/// A place as the client counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClientPosition {
    /// Line, from 0.
    pub line: usize,
    /// Code units before it in the line.
    pub character: usize,
}

/// Where the lines of a text begin.
///
/// ```
/// use dalembert_lsp::{Encoding, Lines, ClientPosition};
///
/// let text = "coordinate θ, 𝛼\nkinetic θ'^2";
/// let lines = Lines::of(text);
/// let place = lines.place(text, text.find('\n').unwrap(), Encoding::Utf16);
/// assert_eq!(place, ClientPosition { line: 0, character: 16 }); // 𝛼 counts twice, θ once
/// assert_eq!(lines.offset(text, place, Encoding::Utf16), text.find('\n').unwrap());
/// ```
#[derive(Clone, Debug)]
pub struct Lines(Vec<usize>);

impl Lines {
    /// Finds the lines; they end with `\n`, `\r\n` or `\r`, as the protocol says.
    pub fn of(text: &str) -> Lines {
        let bytes = text.as_bytes();
        let ends =
            |&at: &usize| bytes[at] == b'\n' || (bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
        Lines(std::iter::once(0).chain((0..bytes.len()).filter(ends).map(|at| at + 1)).collect())
    }

    /// The place of an offset; inside a character it is that of the character.
    pub fn place(&self, text: &str, offset: usize, encoding: Encoding) -> ClientPosition {
        let offset = char_floor(text, offset);
        let line = self.0.partition_point(|start| *start <= offset) - 1;
        let character = text[self.0[line]..offset].chars().map(|c| encoding.length(c)).sum();
        ClientPosition { line, character }
    }

    /// The offset of a place; beyond the end of a line it is that end, beyond the last line the end of the text.
    pub fn offset(&self, text: &str, place: ClientPosition, encoding: Encoding) -> usize {
        let Some(&start) = self.0.get(place.line) else { return text.len() };
        let end = self.0.get(place.line + 1).copied().unwrap_or(text.len());
        let line = text[start..end].trim_end_matches(['\n', '\r']);
        let mut units = 0;
        for (at, c) in line.char_indices() {
            units += encoding.length(c);
            if units > place.character {
                return start + at;
            }
        }
        start + line.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn places_and_offsets_are_inverse(text in "[aθ𝛼é \n]{0,40}(\r\n|\r)?[bφ\n]{0,10}", at in 0..200_usize) {
            let lines = Lines::of(&text);
            for encoding in [Encoding::Utf8, Encoding::Utf16] {
                let offset = text.floor_char_boundary(at);
                let place = lines.place(&text, offset, encoding);
                let back = lines.offset(&text, place, encoding);
                // Between `\r` and `\n` there is no place of its own.
                let inside = text[..offset].ends_with('\r') && text[offset..].starts_with('\n');
                prop_assert_eq!(back, if inside { offset - 1 } else { offset });
            }
        }
    }

    #[test]
    fn places_beyond_the_text_are_its_end() {
        let text = "ab\ncd";
        let lines = Lines::of(text);
        let at = |line, character| lines.offset(text, ClientPosition { line, character }, Encoding::Utf16);
        assert_eq!((at(0, 99), at(1, 99), at(7, 0)), (2, 5, 5));
    }

    #[test]
    fn half_a_character_is_its_beginning() {
        let lines = Lines::of("𝛼x");
        assert_eq!(lines.offset("𝛼x", ClientPosition { line: 0, character: 1 }, Encoding::Utf16), 0);
        assert_eq!(lines.offset("𝛼x", ClientPosition { line: 0, character: 2 }, Encoding::Utf16), 4);
    }
}
