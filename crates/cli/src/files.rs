//! Files that a run writes: which format, and whether it can be written, before the run is made.

use crate::failure::{Failure, cannot_write, stdout_failure};
use dalembert::{Model, Table};
use dalembert_files::{OutputFile, replace, same};
use dalembert_view::{self, Drawing};
use std::collections::HashSet;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Where a table goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableTarget {
    /// CSV on standard output.
    Standard,
    /// CSV.
    Csv(String),
    /// Parquet.
    Parquet(String),
    /// JSON.
    Json(String),
}

/// Where a plot goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlotTarget {
    /// Vector graphics.
    Svg(String),
    /// Pixels.
    Png(String),
    /// A page with the plot and the summary.
    Html(String),
}

/// What a file says about its table.
pub struct About {
    title: String,
    units: Vec<Option<String>>,
    units_row: bool,
}

impl About {
    /// Of a table of this model; `units_row` is the second line of CSV.
    pub fn new(model: &Model, table: &Table, units_row: bool) -> About {
        let units = model.system.units_of(&table.columns);
        About { title: model.system.title.clone().unwrap_or_default(), units, units_row }
    }

    /// With other units of some columns, by their names.
    pub fn with(mut self, table: &Table, unit: impl Fn(&str) -> Option<String>) -> About {
        for (known, name) in self.units.iter_mut().zip(&table.columns) {
            *known = unit(name).or_else(|| known.take());
        }
        self
    }

    /// The units of its columns.
    pub fn units(&self) -> &[Option<String>] {
        &self.units
    }

    fn csv(&self, table: &Table, out: &mut impl Write) -> std::io::Result<()> {
        match self.units_row {
            true => dalembert_view::csv_with_units(table, &self.units, out),
            false => dalembert_view::csv(table, out),
        }
    }
}

/// Reads `--out`.
pub fn table_target(text: &str) -> Result<TableTarget, String> {
    match (text, extension(text).as_str()) {
        ("-", _) => Ok(TableTarget::Standard),
        (_, "csv") => Ok(TableTarget::Csv(text.to_owned())),
        (_, "parquet") => Ok(TableTarget::Parquet(text.to_owned())),
        (_, "json") => Ok(TableTarget::Json(text.to_owned())),
        _ => Err("the name must end in .csv, .parquet or .json, or be `-`".to_owned()),
    }
}

/// Reads `--plot`.
pub fn plot_target(text: &str) -> Result<PlotTarget, String> {
    match extension(text).as_str() {
        "svg" => Ok(PlotTarget::Svg(text.to_owned())),
        "png" => Ok(PlotTarget::Png(text.to_owned())),
        "html" => Ok(PlotTarget::Html(text.to_owned())),
        _ => Err("the name must end in .svg, .png or .html".to_owned()),
    }
}

/// Reads the name of a page.
pub fn page_target(text: &str) -> Result<String, String> {
    match (text, extension(text).as_str()) {
        ("-", _) | (_, "html" | "htm") => Ok(text.to_owned()),
        _ => Err("the name must end in .html, or be `-`".to_owned()),
    }
}

pub fn extension(path: &str) -> String {
    Path::new(path).extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

impl TableTarget {
    /// The file, unless it is standard output.
    pub fn path(&self) -> Option<&str> {
        match self {
            TableTarget::Standard => None,
            TableTarget::Csv(path) | TableTarget::Parquet(path) | TableTarget::Json(path) => Some(path),
        }
    }

    /// Writes the table.
    pub fn write(&self, table: &Table, about: &About) -> Result<(), Failure> {
        let units = &about.units;
        match self {
            TableTarget::Standard => {
                let mut out = BufWriter::new(std::io::stdout().lock());
                about.csv(table, &mut out).and_then(|()| out.flush()).map_err(stdout_failure)
            }
            TableTarget::Csv(path) => put(path, |out| about.csv(table, out)),
            TableTarget::Parquet(path) => {
                put(path, |out| dalembert_view::parquet(table, units, &[("title", &about.title)], out))
            }
            TableTarget::Json(path) => put(path, |out| dalembert_view::json(table, units, out)),
        }
    }
}

impl PlotTarget {
    /// The file.
    pub fn path(&self) -> &str {
        match self {
            PlotTarget::Svg(path) | PlotTarget::Png(path) | PlotTarget::Html(path) => path,
        }
    }

    /// Draws the plot.
    pub fn write(&self, plot: &dyn Drawing, facts: &[(String, String)]) -> Result<(), Failure> {
        self.write_of(plot, facts, &[])
    }

    /// Draws the plot of a run that may have failed: a page begins with what went wrong.
    pub fn write_of(
        &self,
        plot: &dyn Drawing,
        facts: &[(String, String)],
        failures: &[String],
    ) -> Result<(), Failure> {
        let bytes = match self {
            PlotTarget::Svg(_) => plot.svg().into_bytes(),
            PlotTarget::Png(_) => plot.png(),
            PlotTarget::Html(_) => dalembert_view::html(plot, facts, failures).into_bytes(),
        };
        put(self.path(), |out| out.write_all(&bytes))
    }
}

/// Writes a file: as a whole, or not at all.
pub fn put(
    path: &str,
    write: impl FnOnce(&mut BufWriter<OutputFile>) -> std::io::Result<()>,
) -> Result<(), Failure> {
    crate::limit::writing();
    replace(Path::new(path), write).map_err(|error| refused(path, &error))
}

/// Whether all files of a command on this model can be written; two results in one file are wrong usage.
pub fn probe_all(paths: &[String], model: &str) -> Result<(), Failure> {
    let mut seen = HashSet::new();
    for path in paths {
        // A device takes as much as it is given.
        let device = std::fs::metadata(path).is_ok_and(|found| !found.is_file());
        if !device && !seen.insert(place(path)) {
            let message = format!("`{path}` would be written twice; give each result a file of its own\n");
            clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, message).exit();
        }
    }
    paths.iter().try_for_each(|path| probe(path, model))
}

/// One path for each file, as far as that can be known before it is there.
fn place(path: &str) -> PathBuf {
    let path = Path::new(path);
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

/// Whether a result can be written, found out before it is computed. A result over the model, by whatever links, is
/// wrong usage.
pub fn probe(path: &str, model: &str) -> Result<(), Failure> {
    if model != "-" && same(Path::new(path), Path::new(model)) {
        let message = format!("`{path}` is the model itself; give the result a file of its own\n");
        clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, message).exit();
    }
    dalembert_files::probe(Path::new(path)).map_err(|error| refused(path, &error))
}

pub fn refused(path: &str, error: &std::io::Error) -> Failure {
    let failure = cannot_write(Path::new(path), error);
    match Path::new(path).parent() {
        Some(parent) if !parent.as_os_str().is_empty() && !parent.exists() => {
            failure.help(format!("the directory `{}` does not exist", parent.display()))
        }
        _ => failure,
    }
}
