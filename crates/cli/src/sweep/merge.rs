//! Blocks into one table, in the order of the runs.

use super::checksum::Checksum;
use super::store::{Store, put};
use crate::args::{SweepArgs, SweepFormat};
use crate::failure::{Failure, cannot_write};
use dalembert::sweep::{Sweep, Tally};
use dalembert_view::{ParquetWriter, field};
use std::io::{Error, ErrorKind, Result as Written, Write};

/// Rows of a group of a Parquet file.
const GROUP: usize = 1 << 16;

/// Writes the results and counts them.
pub fn merge(args: &SweepArgs, sweep: &Sweep, store: &mut Store) -> Result<(Tally, Checksum), Failure> {
    let path = store.results(args);
    store.journal.sync().map_err(|error| cannot_write(&path, &error))?;
    let mut tally = Tally::new(sweep);
    let checksum = put(&path, |out| match args.format {
        SweepFormat::Csv => csv(sweep, store, &mut tally, out),
        SweepFormat::Parquet => parquet(sweep, store, &mut tally, out),
    })?;
    Ok((tally, checksum))
}

fn csv(sweep: &Sweep, store: &mut Store, tally: &mut Tally, out: &mut impl Write) -> Written<()> {
    let names: Vec<String> = sweep.columns().iter().map(|name| field(name)).collect();
    writeln!(out, "{}", names.join(","))?;
    for block in 0..sweep.blocks() {
        let lines = store.journal.lines(block)?;
        out.write_all(lines.as_bytes())?;
        for line in lines.lines() {
            let (numbers, status) = read(line, sweep.columns().len())?;
            tally.add(&numbers, &status);
        }
    }
    Ok(())
}

fn parquet(sweep: &Sweep, store: &mut Store, tally: &mut Tally, out: &mut impl Write) -> Written<()> {
    let (numbers, texts) = sweep.columns().split_at(sweep.columns().len() - 1);
    let mut writer = ParquetWriter::new(out, numbers, texts)?;
    let (mut values, mut statuses): (Vec<f64>, Vec<String>) = (Vec::new(), Vec::new());
    let mut flush = |values: &mut Vec<f64>, statuses: &mut Vec<String>| {
        let words: Vec<&str> = statuses.iter().map(String::as_str).collect();
        let written = writer.group(values, &[&words]);
        values.clear();
        statuses.clear();
        written
    };
    for block in 0..sweep.blocks() {
        for line in store.journal.lines(block)?.lines() {
            let (numbers, status) = read(line, sweep.columns().len())?;
            tally.add(&numbers, &status);
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

/// A line of the journal: numbers, then the status, which may stand in quotes.
fn read(line: &str, columns: usize) -> Written<(Vec<f64>, String)> {
    let wrong = || Error::new(ErrorKind::InvalidData, "a row of the journal cannot be read");
    let mut parts = line.splitn(columns, ',');
    let numbers: Vec<f64> = parts
        .by_ref()
        .take(columns - 1)
        .map(|part| part.parse().map_err(|_| wrong()))
        .collect::<Written<_>>()?;
    let status = parts.next().ok_or_else(wrong)?;
    let inside = status.strip_prefix('"').and_then(|s| s.strip_suffix('"'));
    Ok((numbers, inside.map_or(status.to_owned(), |s| s.replace("\"\"", "\""))))
}
