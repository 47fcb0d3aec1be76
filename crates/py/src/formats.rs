//! Robots in URDF and MJCF as model text.

use crate::convert::{model_error, object};
use dalembert::diagnostic::json;
use dalembert::{Source, internal};
use dalembert_formats::{Options, import};
use pyo3::prelude::*;

/// The text of the model of a robot, and everything that was merged, left out or assumed.
#[pyfunction]
pub fn import_robot(
    py: Python<'_>,
    text: String,
    name: String,
    fixed_base: bool,
) -> PyResult<(String, Bound<'_, PyAny>)> {
    let source = Source::new(&name, text);
    let made = py.detach(|| {
        let what = format!("the import of `{name}`");
        let made = internal::catch(&what, || import(&source, &Options { fixed_base }));
        made.unwrap_or_else(|found| Err(vec![*found].into()))
    });
    let made = made.map_err(|list| model_error(py, &list, &source))?;
    Ok((made.text, object(py, &json(&made.diagnostics, &source))?))
}
