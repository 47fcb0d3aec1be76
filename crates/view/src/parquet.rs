//! Tables as Parquet: every column REQUIRED DOUBLE (or UTF-8 text), plain encoding, no compression, row groups of
//! [`GROUP`] rows.
//!
//! The file is `PAR1`, then for each row group one data page a column, then the footer, its length and `PAR1`. Page
//! headers and footer are Thrift structures in the compact protocol. Format: Apache Parquet, `parquet.thrift`. Only what
//! plain columns need is written; pyarrow and polars read it unchanged.

use super::arrow_schema::{SchemaField, arrow_schema};
use dalembert::simulate::Table;
use std::io::{Result, Write};

/// Rows of one group.
const GROUP: usize = 1 << 17;

/// Writes the table as Parquet. `notes` go into the key-value metadata of the file, `units` of columns into the
/// metadata of Arrow fields under the key `unit`.
///
/// ```
/// use dalembert::{Table};
/// use dalembert_view::{self as export};
/// let table = Table { columns: vec!["t".into()], values: vec![0.0, 0.5] };
/// let mut out = Vec::new();
/// export::parquet(&table, &[Some("s".into())], &[("title", "Pendulum")], &mut out).unwrap();
/// assert!(out.starts_with(b"PAR1") && out.ends_with(b"PAR1"));
/// ```
pub fn parquet(
    table: &Table,
    units: &[Option<String>],
    notes: &[(&str, &str)],
    out: &mut impl Write,
) -> Result<()> {
    let width = table.columns.len().max(1);
    let mut writer = ParquetWriter::new(out, &table.columns, &[])?.with_units(units);
    for rows in table.values.chunks(GROUP * width) {
        writer.group(rows, &[])?;
    }
    writer.finish(notes)
}

/// A file that is written group by group, so that it need not fit in memory: columns of numbers, then columns of text.
///
/// ```
/// use dalembert_view::ParquetWriter;
/// let mut out = Vec::new();
/// let mut writer = ParquetWriter::new(&mut out, &["run".into(), "x".into()], &["status".into()]).unwrap();
/// writer.group(&[0.0, 0.3, 1.0, 0.4], &[&["done", "E0701"]]).unwrap();
/// writer.finish(&[]).unwrap();
/// assert!(out.starts_with(b"PAR1") && out.ends_with(b"PAR1"));
/// ```
pub struct ParquetWriter<W> {
    out: W,
    columns: Vec<ParquetColumn>,
    offset: usize,
    groups: Vec<Group>,
}

struct ParquetColumn {
    name: String,
    text: bool,
    unit: Option<String>,
}

impl<W: Write> ParquetWriter<W> {
    /// Begins a file.
    pub fn new(mut out: W, numbers: &[String], texts: &[String]) -> Result<Self> {
        out.write_all(b"PAR1")?;
        let column = |text: bool| move |name: &String| ParquetColumn { name: name.clone(), text, unit: None };
        let columns = numbers.iter().map(column(false)).chain(texts.iter().map(column(true))).collect();
        Ok(Self { out, columns, offset: 4, groups: Vec::new() })
    }

    /// Gives the first columns their units.
    #[must_use]
    pub fn with_units(mut self, units: &[Option<String>]) -> Self {
        self.columns.iter_mut().zip(units).for_each(|(column, unit)| column.unit.clone_from(unit));
        self
    }

    /// Writes a group of rows: the numbers row after row, then the texts column after column.
    pub fn group(&mut self, numbers: &[f64], texts: &[&[&str]]) -> Result<()> {
        let width = self.columns.iter().filter(|c| !c.text).count();
        let count = numbers.len().checked_div(width).or(texts.first().map(|t| t.len())).unwrap_or(0);
        let mut group = Group { rows: count, chunks: Vec::with_capacity(self.columns.len()) };
        for column in 0..width {
            let mut data = Vec::with_capacity(count * 8);
            numbers.chunks(width).for_each(|row| data.extend_from_slice(&row[column].to_le_bytes()));
            self.page(&mut group, &data)?;
        }
        for column in texts {
            let mut data = Vec::new();
            for text in *column {
                data.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
                data.extend_from_slice(text.as_bytes());
            }
            self.page(&mut group, &data)?;
        }
        self.groups.push(group);
        Ok(())
    }

    fn page(&mut self, group: &mut Group, data: &[u8]) -> Result<()> {
        let header = page_header(group.rows, data.len());
        self.out.write_all(&header)?;
        self.out.write_all(data)?;
        let size = header.len() + data.len();
        group.chunks.push((self.offset, size));
        self.offset += size;
        Ok(())
    }

    /// Ends the file.
    pub fn finish(mut self, notes: &[(&str, &str)]) -> Result<()> {
        let schema = match self.columns.iter().any(|c| c.unit.is_some()) {
            true => Some(arrow_schema(&self.columns.iter().map(ParquetColumn::field).collect::<Vec<_>>())),
            false => None,
        };
        let notes: Vec<(&str, &str)> =
            notes.iter().copied().chain(schema.iter().map(|s| ("ARROW:schema", s.as_str()))).collect();
        let footer = footer(&self.columns, &self.groups, &notes);
        self.out.write_all(&footer)?;
        self.out.write_all(&u32::try_from(footer.len()).unwrap_or(u32::MAX).to_le_bytes())?;
        self.out.write_all(b"PAR1")
    }
}

/// Where a row group lies: offset and size of each column's page.
struct Group {
    rows: usize,
    chunks: Vec<(usize, usize)>,
}

/// `PageHeader` of a plain data page.
fn page_header(rows: usize, bytes: usize) -> Vec<u8> {
    let mut w = Thrift::default();
    w.int(1, 0); // type DATA_PAGE
    w.int(2, bytes);
    w.int(3, bytes);
    w.open(5);
    w.int(1, rows);
    w.int(2, 0); // encoding PLAIN
    w.int(3, 3); // definition levels RLE (there are none)
    w.int(4, 3); // repetition levels RLE (there are none)
    w.close();
    w.close();
    w.bytes
}

impl ParquetColumn {
    fn field(&self) -> SchemaField<'_> {
        SchemaField { name: &self.name, text: self.text, unit: self.unit.as_deref() }
    }

    /// `Type`: DOUBLE or BYTE_ARRAY.
    fn kind(&self) -> usize {
        if self.text { 6 } else { 5 }
    }
}

/// `FileMetaData`.
fn footer(columns: &[ParquetColumn], groups: &[Group], notes: &[(&str, &str)]) -> Vec<u8> {
    let mut w = Thrift::default();
    w.int(1, 1); // version
    w.list(2, STRUCT, columns.len() + 1);
    w.enter();
    w.text(4, "schema");
    w.int(5, columns.len());
    w.close();
    for column in columns {
        w.enter();
        w.int(1, column.kind());
        w.int(3, 0); // REQUIRED
        w.text(4, &column.name);
        if column.text {
            w.int(6, 0); // UTF8
        }
        w.close();
    }
    w.long(3, groups.iter().map(|g| g.rows).sum());
    w.list(4, STRUCT, groups.len());
    for group in groups {
        row_group(&mut w, columns, group);
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
fn row_group(w: &mut Thrift, columns: &[ParquetColumn], group: &Group) {
    w.enter();
    w.list(1, STRUCT, group.chunks.len());
    for (column, (offset, size)) in columns.iter().zip(&group.chunks) {
        w.enter();
        w.long(2, *offset);
        w.open(3);
        w.int(1, column.kind());
        w.list(2, I32, 1);
        w.varint(0); // PLAIN
        w.list(3, BINARY, 1);
        w.string(&column.name);
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
