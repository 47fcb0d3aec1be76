//! Tables as text: CSV and JSON.

use dalembert::number::number;
use dalembert::simulate::Table;
use std::io::{Result, Write};

/// The table as CSV: a line of names, then a line a row. Names with commas or quotes stand in quotes.
pub fn csv(table: &Table, out: &mut impl Write) -> Result<()> {
    head(table, out)?;
    rows(table, out)
}

fn head(table: &Table, out: &mut impl Write) -> Result<()> {
    let names: Vec<String> = table.columns.iter().map(|name| field(name)).collect();
    writeln!(out, "{}", names.join(","))
}

fn rows(table: &Table, out: &mut impl Write) -> Result<()> {
    for row in table.rows() {
        for (k, value) in row.iter().enumerate() {
            if k > 0 {
                out.write_all(b",")?;
            }
            out.write_all(number(*value).as_bytes())?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// The table as CSV with a second line of units, `# s,rad,rad/s`; nothing stands where a unit is not known.
///
/// ```
/// use dalembert::Table;
/// let table = Table { columns: vec!["t".into(), "x".into()], values: vec![0.0, 1.0] };
/// let mut out = Vec::new();
/// dalembert_view::csv_with_units(&table, &[Some("s".into()), None], &mut out).unwrap();
/// assert_eq!(out, b"t,x\n# s,\n0,1\n");
/// ```
pub fn csv_with_units(table: &Table, units: &[Option<String>], out: &mut impl Write) -> Result<()> {
    head(table, out)?;
    let units: Vec<&str> = units.iter().map(|unit| unit.as_deref().unwrap_or_default()).collect();
    writeln!(out, "# {}", units.join(","))?;
    rows(table, out)
}

/// A text as a field of CSV: in quotes where it must be.
pub fn field(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

/// The table as one JSON document `{"columns": [...], "units": {...}, "rows": [[...], ...]}`; without units the key is
/// left out. JSON has no NaN and no infinity: they become `null`.
///
/// ```
/// use dalembert::{Table};
/// use dalembert_view::{self as export};
/// let table = Table { columns: vec!["t".into(), "q[1]".into()], values: vec![0.0, 1.5, 1e-9, f64::INFINITY] };
/// let mut out = Vec::new();
/// export::json(&table, &[], &mut out).unwrap();
/// assert_eq!(String::from_utf8(out).unwrap(), "{\"columns\":[\"t\",\"q[1]\"],\"rows\":[\n[0.0,1.5],\n[1e-9,null]\n]}\n");
/// ```
pub fn json(table: &Table, units: &[Option<String>], out: &mut impl Write) -> Result<()> {
    out.write_all(b"{\"columns\":")?;
    serde_json::to_writer(&mut *out, &table.columns)?;
    let known: serde_json::Map<String, serde_json::Value> = table
        .columns
        .iter()
        .zip(units)
        .filter_map(|(name, unit)| Some((name.clone(), unit.clone()?.into())))
        .collect();
    if !known.is_empty() {
        out.write_all(b",\"units\":")?;
        serde_json::to_writer(&mut *out, &known)?;
    }
    out.write_all(b",\"rows\":[")?;
    for (k, row) in table.rows().enumerate() {
        out.write_all(if k == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, row)?;
    }
    out.write_all(b"\n]}\n")
}
