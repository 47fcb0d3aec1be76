//! Tables as Parquet: every column REQUIRED DOUBLE, plain encoding, no compression, row groups of [`GROUP`] rows.
//!
//! The file is `PAR1`, then for each row group one data page a column, then the footer, its length and `PAR1`. Page
//! headers and footer are Thrift structures in the compact protocol. Format: Apache Parquet, `parquet.thrift`. Only what
//! plain doubles need is written; pyarrow and polars read it unchanged.

use crate::simulate::Table;
use std::io::{Result, Write};

/// Rows of one group.
const GROUP: usize = 1 << 17;

/// Writes the table as Parquet. `notes` go into the key-value metadata of the file.
///
/// ```
/// use dalembert::{Table, export};
/// let table = Table { columns: vec!["t".into()], values: vec![0.0, 0.5] };
/// let mut out = Vec::new();
/// export::parquet(&table, &[("title", "Pendulum")], &mut out).unwrap();
/// assert!(out.starts_with(b"PAR1") && out.ends_with(b"PAR1"));
/// ```
pub fn parquet(table: &Table, notes: &[(&str, &str)], out: &mut impl Write) -> Result<()> {
    out.write_all(b"PAR1")?;
    let width = table.columns.len().max(1);
    let mut offset = 4;
    let mut groups = Vec::new();
    for rows in table.values.chunks(GROUP * width) {
        let count = rows.len() / width;
        let mut group = Group { rows: count, chunks: Vec::with_capacity(width) };
        for column in 0..table.columns.len() {
            let header = page_header(count);
            let mut data = Vec::with_capacity(count * 8);
            rows.chunks(width).for_each(|row| data.extend_from_slice(&row[column].to_le_bytes()));
            out.write_all(&header)?;
            out.write_all(&data)?;
            let size = header.len() + data.len();
            group.chunks.push((offset, size));
            offset += size;
        }
        groups.push(group);
    }
    let footer = footer(table, &groups, notes);
    out.write_all(&footer)?;
    out.write_all(&u32::try_from(footer.len()).unwrap_or(u32::MAX).to_le_bytes())?;
    out.write_all(b"PAR1")
}

/// Where a row group lies: offset and size of each column's page.
struct Group {
    rows: usize,
    chunks: Vec<(usize, usize)>,
}

/// `PageHeader` of a plain data page.
fn page_header(rows: usize) -> Vec<u8> {
    let mut w = Thrift::default();
    w.int(1, 0); // type DATA_PAGE
    w.int(2, rows * 8);
    w.int(3, rows * 8);
    w.open(5);
    w.int(1, rows);
    w.int(2, 0); // encoding PLAIN
    w.int(3, 3); // definition levels RLE (there are none)
    w.int(4, 3); // repetition levels RLE (there are none)
    w.close();
    w.close();
    w.bytes
}

/// `FileMetaData`.
fn footer(table: &Table, groups: &[Group], notes: &[(&str, &str)]) -> Vec<u8> {
    let mut w = Thrift::default();
    w.int(1, 1); // version
    w.list(2, STRUCT, table.columns.len() + 1);
    w.enter();
    w.text(4, "schema");
    w.int(5, table.columns.len());
    w.close();
    for name in &table.columns {
        w.enter();
        w.int(1, 5); // DOUBLE
        w.int(3, 0); // REQUIRED
        w.text(4, name);
        w.close();
    }
    w.long(3, groups.iter().map(|g| g.rows).sum());
    w.list(4, STRUCT, groups.len());
    for group in groups {
        row_group(&mut w, table, group);
    }
    if !notes.is_empty() {
        w.list(5, STRUCT, notes.len());
        for (key, value) in notes {
            w.enter();
            w.text(1, key);
            w.text(2, value);
            w.close();
        }
    }
    w.text(6, concat!("dalembert ", env!("CARGO_PKG_VERSION")));
    w.close();
    w.bytes
}

/// `RowGroup` with its `ColumnChunk`s.
fn row_group(w: &mut Thrift, table: &Table, group: &Group) {
    w.enter();
    w.list(1, STRUCT, group.chunks.len());
    for (name, (offset, size)) in table.columns.iter().zip(&group.chunks) {
        w.enter();
        w.long(2, *offset);
        w.open(3);
        w.int(1, 5); // DOUBLE
        w.list(2, I32, 1);
        w.varint(0); // PLAIN
        w.list(3, BINARY, 1);
        w.string(name);
        w.int(4, 0); // UNCOMPRESSED
        w.long(5, group.rows);
        w.long(6, *size);
        w.long(7, *size);
        w.long(9, *offset);
        w.close();
        w.close();
    }
    w.long(2, group.chunks.iter().map(|(_, size)| size).sum());
    w.long(3, group.rows);
    w.close();
}

const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Writer of the compact protocol. Begins inside a structure; [`Thrift::close`] ends the innermost one.
struct Thrift {
    bytes: Vec<u8>,
    /// The last field id of each open structure.
    last: Vec<u8>,
}

impl Default for Thrift {
    fn default() -> Self {
        Thrift { bytes: Vec::new(), last: vec![0] }
    }
}

impl Thrift {
    /// Field ids are small and ascending, so the short form with a difference of ids always fits.
    fn field(&mut self, id: u8, kind: u8) {
        let last = self.last.last_mut().expect("a structure is open");
        self.bytes.push(((id - *last) << 4) | kind);
        *last = id;
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// Zigzag of a number that is not negative.
    fn signed(&mut self, value: usize) {
        self.varint((value as u64) << 1);
    }

    fn int(&mut self, id: u8, value: usize) {
        self.field(id, I32);
        self.signed(value);
    }

    fn long(&mut self, id: u8, value: usize) {
        self.field(id, I64);
        self.signed(value);
    }

    fn text(&mut self, id: u8, value: &str) {
        self.field(id, BINARY);
        self.string(value);
    }

    fn string(&mut self, value: &str) {
        self.varint(value.len() as u64);
        self.bytes.extend_from_slice(value.as_bytes());
    }

    fn list(&mut self, id: u8, kind: u8, count: usize) {
        self.field(id, LIST);
        if count < 15 {
            self.bytes.push(((count as u8) << 4) | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            self.varint(count as u64);
        }
    }

    /// A structure as a field.
    fn open(&mut self, id: u8) {
        self.field(id, STRUCT);
        self.enter();
    }

    /// A structure as a member of a list.
    fn enter(&mut self) {
        self.last.push(0);
    }

    fn close(&mut self) {
        self.bytes.push(0);
        self.last.pop();
    }
}
