//! Robots in URDF and MJCF as model text.

use crate::convert::{model_error, object};
use dalembert::diagnostic::json;
use dalembert::source::MAX_SOURCE_BYTES;
use dalembert::{Source, internal};
use dalembert_files::read_text;
use dalembert_formats::{Options, import, include};
use pyo3::prelude::*;
use std::path::Path;

/// The text of the model of a robot, and everything that was merged, left out or assumed.
#[pyfunction]
pub fn import_robot(
    py: Python<'_>,
    text: String,
    name: String,
    fixed_base: bool,
) -> PyResult<(String, Bound<'_, PyAny>)> {
    // Files that it includes are in its folder.
    let folder = Path::new(&name).parent().unwrap_or(Path::new(""));
    let read =
        |file: &str| read_text(&folder.join(file), MAX_SOURCE_BYTES).map_err(|error| error.to_string());
    let source = Source::new(&name, text);
    let source = include(&source, read).map_err(|list| model_error(py, &list, &source))?;
    let made = py.detach(|| {
        let what = format!("the import of `{name}`");
        let made = internal::catch(&what, || import(&source, &Options { fixed_base }));
        made.unwrap_or_else(|found| Err(vec![*found].into()))
    });
    let made = made.map_err(|list| model_error(py, &list, &source))?;
    Ok((made.text, object(py, &json(&made.diagnostics, &source))?))
}
