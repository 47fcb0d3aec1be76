//! The Arrow schema of a table, by which Parquet files carry metadata of their columns.
//!
//! Parquet itself has no metadata for a column. Arrow's readers (pyarrow, polars, arrow-rs) look for the key
//! `ARROW:schema` of the file: an encapsulated IPC message with a `Schema`, in base64. Format: Apache Arrow, `Schema.fbs`,
//! `Message.fbs`; FlatBuffers internals. Only columns of doubles and of text are written, each with its unit.

/// A column of the schema.
pub(super) struct SchemaField<'a> {
    /// Its name.
    pub name: &'a str,
    /// Whether it is text; a double otherwise.
    pub text: bool,
    /// Its unit.
    pub unit: Option<&'a str>,
}

/// The value of `ARROW:schema`.
pub(super) fn arrow_schema(fields: &[SchemaField<'_>]) -> String {
    let message = message(fields);
    let mut bytes = vec![0xff; 4];
    bytes.extend_from_slice(&u32::try_from(message.len()).unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend_from_slice(&message);
    base64(&bytes)
}

/// `Message { version: V5, header: Schema { fields }, bodyLength: 0 }`.
fn message(fields: &[SchemaField<'_>]) -> Vec<u8> {
    let mut b = FlatBuffer::default();
    let fields: Vec<usize> = fields.iter().map(|f| field(&mut b, f)).collect();
    let fields = b.offsets(&fields);
    let schema = b.table(&[Slot::Empty, Slot::Offset(fields)]);
    const V5: u8 = 4;
    const SCHEMA: u8 = 1;
    let root = b.table(&[Slot::Short(V5), Slot::Byte(SCHEMA), Slot::Offset(schema), Slot::Long(0)]);
    b.finish(root)
}

/// `Field { name, nullable, type, children, custom_metadata }`.
fn field(b: &mut FlatBuffer, f: &SchemaField<'_>) -> usize {
    const FLOATING_POINT: u8 = 3;
    const UTF8: u8 = 5;
    const DOUBLE: u8 = 2;
    let metadata: Vec<usize> = f
        .unit
        .iter()
        .map(|unit| {
            let (key, value) = (b.string("unit"), b.string(unit));
            b.table(&[Slot::Offset(key), Slot::Offset(value)])
        })
        .collect();
    let metadata = b.offsets(&metadata);
    let children = b.offsets(&[]);
    let (kind, of) = match f.text {
        true => (UTF8, b.table(&[])),
        false => (FLOATING_POINT, b.table(&[Slot::Short(DOUBLE)])),
    };
    let name = b.string(f.name);
    b.table(&[
        Slot::Offset(name),
        Slot::Byte(0),
        Slot::Byte(kind),
        Slot::Offset(of),
        Slot::Empty,
        Slot::Offset(children),
        Slot::Offset(metadata),
    ])
}

/// A field of a table.
#[derive(Clone, Copy)]
enum Slot {
    Empty,
    Byte(u8),
    Short(u8),
    Long(u8),
    Offset(usize),
}

impl Slot {
    fn size(self) -> usize {
        match self {
            Slot::Empty => 0,
            Slot::Byte(_) => 1,
            Slot::Short(_) => 2,
            Slot::Offset(_) => 4,
            Slot::Long(_) => 8,
        }
    }
}

/// A FlatBuffer that is written from its end: places are distances from there, bytes are kept in reverse.
#[derive(Default)]
struct FlatBuffer {
    reversed: Vec<u8>,
}

impl FlatBuffer {
    fn put(&mut self, bytes: &[u8]) {
        self.reversed.extend(bytes.iter().rev());
    }

    /// Zeros, so that after `more` bytes the place is a multiple of `align`.
    fn align(&mut self, more: usize, align: usize) {
        while !(self.reversed.len() + more).is_multiple_of(align) {
            self.reversed.push(0);
        }
    }

    fn number(&mut self, value: usize) {
        self.put(&u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes());
    }

    /// The distance from here, where it is written, to what it points to.
    fn offset(&mut self, to: usize) {
        let here = self.reversed.len() + 4;
        self.number(here - to);
    }

    fn string(&mut self, text: &str) -> usize {
        self.align(text.len() + 1, 4);
        self.put(&[0]);
        self.put(text.as_bytes());
        self.number(text.len());
        self.reversed.len()
    }

    fn offsets(&mut self, places: &[usize]) -> usize {
        self.align(0, 4);
        places.iter().rev().for_each(|place| self.offset(*place));
        self.number(places.len());
        self.reversed.len()
    }

    fn table(&mut self, slots: &[Slot]) -> usize {
        self.align(0, 8);
        let end = self.reversed.len();
        let mut places = vec![0; slots.len()];
        // Wide fields first, so that none needs room for alignment between them.
        let mut order: Vec<usize> = (0..slots.len()).collect();
        order.sort_by_key(|k| std::cmp::Reverse(slots[*k].size()));
        for k in order {
            match slots[k] {
                Slot::Empty => continue,
                Slot::Byte(value) => self.put(&[value]),
                Slot::Short(value) => self.put(&u16::from(value).to_le_bytes()),
                Slot::Long(value) => self.put(&u64::from(value).to_le_bytes()),
                Slot::Offset(to) => self.offset(to),
            }
            places[k] = self.reversed.len();
        }
        self.align(0, 4);
        // The list of fields stands right before the table.
        self.number(4 + 2 * slots.len());
        let start = self.reversed.len();
        let short = |value: usize| u16::try_from(value).unwrap_or(u16::MAX).to_le_bytes();
        for place in places.iter().rev() {
            self.put(&short(if *place == 0 { 0 } else { start - place }));
        }
        self.put(&short(start - end));
        self.put(&short(4 + 2 * slots.len()));
        start
    }

    fn finish(mut self, root: usize) -> Vec<u8> {
        self.align(4, 8);
        self.offset(root);
        self.reversed.reverse();
        self.reversed
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |k: usize| u32::from(three.get(k).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for k in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * k)) as usize & 63];
            out.push(if k <= three.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn u32_at(bytes: &[u8], at: usize) -> usize {
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
    }

    /// Where field `k` of the table at `at` is.
    fn slot(bytes: &[u8], at: usize, k: usize) -> usize {
        let fields = at - u32_at(bytes, at);
        let place = fields + 4 + 2 * k;
        at + usize::from(u16::from_le_bytes(bytes[place..place + 2].try_into().unwrap()))
    }

    fn follow(bytes: &[u8], at: usize) -> usize {
        at + u32_at(bytes, at)
    }

    fn text(bytes: &[u8], at: usize) -> String {
        let (start, length) = (at + 4, u32_at(bytes, at));
        String::from_utf8(bytes[start..start + length].to_vec()).unwrap()
    }

    #[test]
    fn names_and_units_are_found_again() {
        let fields = [
            SchemaField { name: "t", text: false, unit: Some("s") },
            SchemaField { name: "theta'", text: false, unit: Some("rad/s") },
            SchemaField { name: "status", text: true, unit: None },
        ];
        let bytes = message(&fields);
        assert_eq!(bytes.len() % 8, 0);
        let root = u32_at(&bytes, 0);
        let schema = follow(&bytes, slot(&bytes, root, 2));
        let list = follow(&bytes, slot(&bytes, schema, 1));
        assert_eq!(u32_at(&bytes, list), 3);
        for (k, expected) in fields.iter().enumerate() {
            let field = follow(&bytes, list + 4 + 4 * k);
            assert_eq!(text(&bytes, follow(&bytes, slot(&bytes, field, 0))), expected.name);
            let metadata = follow(&bytes, slot(&bytes, field, 6));
            assert_eq!(u32_at(&bytes, metadata), usize::from(expected.unit.is_some()));
            if let Some(unit) = expected.unit {
                let pair = follow(&bytes, metadata + 4);
                assert_eq!(text(&bytes, follow(&bytes, slot(&bytes, pair, 0))), "unit");
                assert_eq!(text(&bytes, follow(&bytes, slot(&bytes, pair, 1))), unit);
            }
        }
    }

    #[test]
    fn base64_as_in_its_standard() {
        let cases = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        cases.iter().for_each(|(plain, coded)| assert_eq!(base64(plain.as_bytes()), *coded));
    }
}
