//! A table that Python sees without copying: as one NumPy array, and as an Arrow record batch.

mod borrowed;

use numpy::{PyArray2, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use std::sync::Arc;

/// Columns of numbers, one after the other in one piece of memory, and perhaps a last column of words. Never changed
/// once made, so that arrays may share it.
pub struct Content {
    pub names: Vec<String>,
    pub rows: usize,
    /// Column after column.
    pub numbers: Vec<f64>,
    /// The last column, if it holds words.
    pub words: Option<Words>,
}

/// Words as Arrow keeps them: bytes in a row, and where each word begins and the last one ends.
pub struct Words {
    pub offsets: Vec<i32>,
    pub bytes: Vec<u8>,
}

impl Words {
    pub fn new<'a>(words: impl IntoIterator<Item = &'a str>) -> PyResult<Self> {
        let (mut offsets, mut bytes) = (vec![0], Vec::new());
        for word in words {
            bytes.extend_from_slice(word.as_bytes());
            let end = i32::try_from(bytes.len());
            offsets.push(end.map_err(|_| PyValueError::new_err("more than 2 GiB of words in a column"))?);
        }
        Ok(Words { offsets, bytes })
    }

    fn list(&self) -> Vec<&str> {
        let word = |pair: &[i32]| &self.bytes[pair[0] as usize..pair[1] as usize];
        self.offsets.windows(2).map(|pair| std::str::from_utf8(word(pair)).unwrap_or_default()).collect()
    }
}

impl Content {
    /// From rows of numbers one after the other.
    pub fn from_rows(names: Vec<String>, width: usize, values: &[f64], words: Option<Words>) -> Self {
        let rows = values.len().checked_div(width).unwrap_or(0);
        let mut numbers = Vec::with_capacity(values.len());
        for k in 0..width {
            numbers.extend(values.iter().skip(k).step_by(width.max(1)));
        }
        Content { names, rows, numbers, words }
    }

    /// How many columns hold numbers.
    pub fn width(&self) -> usize {
        self.names.len() - usize::from(self.words.is_some())
    }
}

/// A table with names.
#[pyclass(frozen, module = "dalembert._engine")]
pub struct Columns {
    pub content: Arc<Content>,
}

impl Columns {
    pub fn new(content: Content) -> Self {
        Columns { content: Arc::new(content) }
    }
}

#[pymethods]
impl Columns {
    /// From an array of shape (columns, rows), which is copied, and a last column of words.
    #[new]
    #[pyo3(signature = (names, numbers, words=None))]
    fn make(
        names: Vec<String>,
        numbers: PyReadonlyArray2<'_, f64>,
        words: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let array = numbers.as_array();
        let (width, rows) = array.dim();
        let fits = words.as_ref().is_none_or(|w| w.len() == rows);
        if names.len() != width + usize::from(words.is_some()) || !fits {
            return Err(PyValueError::new_err("names, numbers and words do not fit together"));
        }
        let words = words.map(|w| Words::new(w.iter().map(String::as_str))).transpose()?;
        let numbers = array.iter().copied().collect();
        Ok(Columns::new(Content { names, rows, numbers, words }))
    }

    /// Names of the columns.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.content.names.iter().map(String::as_str).collect()
    }

    /// The numbers, of shape (columns, rows): a view that cannot be written to.
    #[getter]
    fn numbers<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyArray2<f64>> {
        borrowed::view(slf)
    }

    /// The words of the last column, if it has them.
    #[getter]
    fn words(&self) -> Option<Vec<&str>> {
        self.content.words.as_ref().map(Words::list)
    }

    fn __len__(&self) -> usize {
        self.content.rows
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, me) = (slf.py(), slf.get());
        let parts = (me.names(), borrowed::view(slf), me.words()).into_pyobject(py)?;
        Ok((slf.get_type().into_any(), parts))
    }

    /// The table's schema, by the Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        borrowed::schema(py, &self.content)
    }

    /// Schema and data as a record batch, by the Arrow PyCapsule interface. Nothing is copied or cast.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        Ok((borrowed::schema(py, &self.content)?, borrowed::array(py, &self.content)?))
    }
}
