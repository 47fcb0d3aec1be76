//! Blocks into the results, in the order of the runs.

use super::blocks::Row;
use super::checksum::{Checksum, Files, put};
use super::store::Store;
use crate::args::{SweepArgs, SweepFormat};
use crate::failure::{Failure, cannot_write};
use dalembert::sweep::{Sweep, Tally};
use dalembert_view::{ParquetWriter, field};
use serde_json::{Value, json};
use std::io::{Error, Result as Written, Write};
use std::ops::Range;

/// Rows of a group of a Parquet file.
const GROUP: usize = 1 << 16;
/// Rows of a file of a data set, about: files hold whole blocks.
const PARTITION: usize = 1 << 20;

/// What a data set consists of.
pub const DATASET: &str = "dataset.json";

/// Blocks as they are merged, with what went wrong in one of them.
struct Merge<'a> {
    sweep: &'a Sweep,
    store: &'a Store,
    tally: Tally,
    damaged: Option<Failure>,
}

/// Writes the results and counts them.
pub fn merge(args: &SweepArgs, sweep: &Sweep, store: &Store) -> Result<(Tally, Files), Failure> {
    let mut merge = Merge { sweep, store, tally: Tally::new(sweep), damaged: None };
    let all = 0..sweep.blocks();
    let files = match args.format {
        SweepFormat::Csv => {
            merge.file("results.csv", |merge, out| merge.csv(all, out)).map(|file| vec![file])
        }
        SweepFormat::Parquet => {
            merge.file("results.parquet", |merge, out| merge.parquet(all, out)).map(|file| vec![file])
        }
        SweepFormat::Dataset => merge.dataset(),
    }?;
    Ok((merge.tally, files))
}

impl Merge<'_> {
    /// Writes a file; a block that cannot be read is told rather than the file that it was meant for.
    fn file(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut Self, &mut dyn Write) -> Written<()>,
    ) -> Result<(String, Checksum), Failure> {
        let written = put(&self.store.dir.join(name), |out| write(self, out));
        match self.damaged.take() {
            Some(failure) => Err(failure),
            None => written.map(|checksum| (name.to_owned(), checksum)),
        }
    }

    /// The text and the rows of a block, which are counted.
    fn block(&mut self, block: usize) -> Written<(String, Vec<Row>)> {
        let (text, rows) = self.store.blocks.read(self.sweep, block).map_err(|failure| {
            self.damaged = Some(failure);
            Error::other("a block cannot be read")
        })?;
        rows.iter().for_each(|(numbers, status)| self.tally.add(numbers, status));
        Ok((text, rows))
    }

    fn csv(&mut self, blocks: Range<usize>, out: &mut dyn Write) -> Written<()> {
        let names: Vec<String> = self.sweep.columns().iter().map(|name| field(name)).collect();
        writeln!(out, "{}", names.join(","))?;
        for block in blocks {
            out.write_all(self.block(block)?.0.as_bytes())?;
        }
        Ok(())
    }

    fn parquet(&mut self, blocks: Range<usize>, out: &mut dyn Write) -> Written<()> {
        let (numbers, texts) = self.sweep.columns().split_at(self.sweep.columns().len() - 1);
        let units = self.sweep.units_of(self.sweep.columns());
        let mut writer = ParquetWriter::new(out, numbers, texts)?.with_units(&units);
        let (mut values, mut statuses): (Vec<f64>, Vec<String>) = (Vec::new(), Vec::new());
        let mut flush = |values: &mut Vec<f64>, statuses: &mut Vec<String>| {
            let words: Vec<&str> = statuses.iter().map(String::as_str).collect();
            let written = writer.group(values, &[&words]);
            values.clear();
            statuses.clear();
            written
        };
        for block in blocks {
            for (numbers, status) in self.block(block)?.1 {
                values.extend(numbers);
                statuses.push(status);
                if statuses.len() == GROUP {
                    flush(&mut values, &mut statuses)?;
                }
            }
        }
        if !statuses.is_empty() {
            flush(&mut values, &mut statuses)?;
        }
        writer.finish(&[])
    }

    /// A folder of Parquet files, and the list of them.
    fn dataset(&mut self) -> Result<Files, Failure> {
        let folder = self.store.dir.join("results");
        std::fs::create_dir_all(&folder).map_err(|error| cannot_write(&folder, &error))?;
        let (mut files, mut parts) = (Vec::new(), Vec::new());
        let size = PARTITION.div_ceil(self.sweep.runs_of(0).len().max(1));
        for (part, first) in (0..self.sweep.blocks()).step_by(size).enumerate() {
            let blocks = first..(first + size).min(self.sweep.blocks());
            let runs = self.sweep.runs_of(blocks.start).start..self.sweep.runs_of(blocks.end - 1).end;
            let name = format!("results/part-{part:05}.parquet");
            let file = self.file(&name, |merge, out| merge.parquet(blocks, out))?;
            parts.push(
                json!({ "path": name, "first_run": runs.start, "rows": runs.len(), "bytes": file.1.bytes(),
                "checksum": format!("{:016x}", file.1.sum()) }),
            );
            files.push(file);
        }
        let list = self.list(parts);
        files.push(self.file(DATASET, |_, out| writeln!(out, "{list:#}"))?);
        Ok(files)
    }

    fn list(&self, parts: Vec<Value>) -> Value {
        let kind = |name: &String| if name == "status" { "string" } else { "double" };
        let columns = self.sweep.columns();
        let units = self.sweep.units_of(columns);
        let described = |(name, unit): (&String, &Option<String>)| json!({ "name": name, "type": kind(name), "unit": unit });
        let columns: Vec<Value> = columns.iter().zip(&units).map(described).collect();
        json!({ "format": "parquet", "rows": self.sweep.runs(), "columns": columns, "partitions": parts })
    }
}
