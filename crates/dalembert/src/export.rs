//! Results for elsewhere: tables as CSV, JSON and Parquet, plots as SVG, PNG and HTML, the
//! motion as source text ([`code`]).
//!
//! Everything here writes into what it is given or returns it; files are the business of the faces. Numbers are
//! written with the fewest digits that read back exactly.
//!
//! ```
//! use dalembert::{Table, export};
//! let table = Table { columns: vec!["t".into(), "x'".into()], values: vec![0.0, 1.0, 0.5, f64::NAN] };
//! let mut out = Vec::new();
//! export::csv(&table, &mut out).unwrap();
//! assert_eq!(out, b"t,x'\n0,1\n0.5,NaN\n");
//! ```

pub(crate) mod animation;
pub mod code;
mod html;
pub(crate) mod markup;
mod parquet;
mod plot;
mod tables;

pub use animation::animation_page;
pub use html::html;
pub use parquet::{ParquetWriter, parquet};
pub use plot::{Drawing, FRAME_RATE, Field, FilmFrames, Panel, Plot, strobe};
pub use tables::{csv, field, json};

pub use crate::number::number;
