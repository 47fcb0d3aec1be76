//! Results and troubles as Python objects.

use dalembert::diagnostic::{Code, Diagnostic, Style, any_error, json, render};
use dalembert::{Source, internal};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;

/// A JSON document as dictionaries, lists, numbers and strings.
pub fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(yes) => yes.into_pyobject(py)?.to_owned().into_any(),
        Value::Number(n) => match n.as_i64() {
            Some(whole) => whole.into_pyobject(py)?.into_any(),
            None => n.as_f64().unwrap_or(f64::NAN).into_pyobject(py)?.into_any(),
        },
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Array(list) => {
            let items = list.iter().map(|v| object(py, v)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_any()
        }
        Value::Object(map) => {
            let dict = PyDict::new(py);
            for (key, value) in map {
                dict.set_item(key, object(py, value)?)?;
            }
            dict.into_any()
        }
    })
}

/// What goes wrong when a model is read: a `ModelError`.
pub fn model_error(py: Python<'_>, diagnostics: &[Diagnostic], source: &Source) -> PyErr {
    error(py, "ModelError", diagnostics, source)
}

/// What goes wrong when a model is read with values that it cannot have: a `RequestError`.
pub fn request_error(py: Python<'_>, diagnostics: &[Diagnostic], source: &Source) -> PyErr {
    error(py, "RequestError", diagnostics, source)
}

/// What goes wrong when a model is asked: a `RequestError` if the question is at fault, otherwise a `RunError`.
pub fn run_error(py: Python<'_>, diagnostic: &Diagnostic, source: &Source) -> PyErr {
    let class = if diagnostic.code == Code::BadOption { "RequestError" } else { "RunError" };
    error(py, class, std::slice::from_ref(diagnostic), source)
}

/// Errors are shown; notes and warnings beside them stay in the list.
fn error(py: Python<'_>, class: &str, diagnostics: &[Diagnostic], source: &Source) -> PyErr {
    let grave: Vec<Diagnostic> = match any_error(diagnostics) {
        true => diagnostics.iter().filter(|d| d.is_error()).cloned().collect(),
        false => diagnostics.to_vec(),
    };
    let class = if grave.iter().any(internal::is_internal) { "InternalError" } else { class };
    let text = render(&grave, source, Style::Plain);
    let made = || -> PyResult<PyErr> {
        let list = object(py, &json(diagnostics, source))?;
        let class = py.import("dalembert._errors")?.getattr(class)?;
        Ok(PyErr::from_value(class.call1((text.trim_end(), list))?))
    };
    made().unwrap_or_else(|trouble| trouble)
}
