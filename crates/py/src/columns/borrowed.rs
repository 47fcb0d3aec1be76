//! Memory of a table lent to others: a NumPy view, and Arrow's C data interface (two structs and their release).
//!
//! The only unsafe code of the package. It is sound because a [`Content`] is never changed once made, and because what
//! is lent keeps it alive: the NumPy array holds a reference to the Python object, each Arrow struct an [`Arc`].
#![allow(unsafe_code)]

use crate::columns::{Columns, Content};
use numpy::ndarray::ArrayView2;
use numpy::{PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::{CString, c_char, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

/// The numbers of a table as an array of shape (columns, rows) that cannot be written to.
pub fn view<'py>(table: &Bound<'py, Columns>) -> Bound<'py, PyArray2<f64>> {
    let content = &table.get().content;
    let shape = (content.width(), content.rows);
    let view = ArrayView2::from_shape(shape, &content.numbers).expect("a table has a number in every place");
    // SAFETY: `table` owns the numbers, never changes or moves them, and becomes the base of the array.
    let array = unsafe { PyArray2::borrow_from_array(&view, table.clone().into_any()) };
    array.readwrite().make_nonwriteable();
    array
}

/// <https://arrow.apache.org/docs/format/CDataInterface.html>
#[repr(C)]
struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

/// What a schema points to.
struct SchemaParts {
    _name: CString,
    children: Vec<*mut ArrowSchema>,
}

/// What an array points to.
struct ArrayParts {
    _content: Arc<Content>,
    buffers: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
}

// SAFETY: both are plain memory that belongs to whoever holds the struct; nothing in them is tied to a thread, and what
// the pointers of an array lead to is shared, never changed, and kept alive by an `Arc`.
unsafe impl Send for ArrowSchema {}
unsafe impl Send for ArrowArray {}

impl ArrowSchema {
    fn new(format: &'static std::ffi::CStr, name: &str, children: Vec<ArrowSchema>) -> PyResult<Self> {
        let name = CString::new(name).map_err(|_| PyValueError::new_err("a name with a zero byte"))?;
        let children = children.into_iter().map(|c| Box::into_raw(Box::new(c))).collect();
        let mut parts = Box::new(SchemaParts { _name: name, children });
        Ok(ArrowSchema {
            format: format.as_ptr(),
            name: parts._name.as_ptr(),
            metadata: std::ptr::null(),
            flags: 0,
            n_children: parts.children.len() as i64,
            children: parts.children.as_mut_ptr(),
            dictionary: null_mut(),
            release: Some(release_schema),
            private_data: Box::into_raw(parts).cast(),
        })
    }
}

impl ArrowArray {
    fn new(content: &Arc<Content>, buffers: Vec<*const c_void>, children: Vec<ArrowArray>) -> Self {
        let children = children.into_iter().map(|c| Box::into_raw(Box::new(c))).collect();
        let mut parts = Box::new(ArrayParts { _content: content.clone(), buffers, children });
        ArrowArray {
            length: content.rows as i64,
            null_count: 0,
            offset: 0,
            n_buffers: parts.buffers.len() as i64,
            n_children: parts.children.len() as i64,
            buffers: parts.buffers.as_mut_ptr(),
            children: parts.children.as_mut_ptr(),
            dictionary: null_mut(),
            release: Some(release_array),
            private_data: Box::into_raw(parts).cast(),
        }
    }
}

// A struct that nobody took is released here; whoever takes it marks it by setting `release` to null.
impl Drop for ArrowSchema {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: not released yet, or `release` would be null.
            unsafe { release(self) }
        }
    }
}

impl Drop for ArrowArray {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: not released yet, or `release` would be null.
            unsafe { release(self) }
        }
    }
}

/// SAFETY: called once, by the holder of a struct made by [`ArrowSchema::new`], as the interface demands.
unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: `private_data` and the children come from `Box::into_raw` and are given back once. A child that was moved
    // out has a null `release`, and dropping its box frees the shell only.
    unsafe {
        let parts = Box::from_raw((*schema).private_data.cast::<SchemaParts>());
        parts.children.iter().for_each(|child| drop(Box::from_raw(*child)));
        (*schema).release = None;
    }
}

/// SAFETY: called once, by the holder of a struct made by [`ArrowArray::new`], as the interface demands.
unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: as for the schema.
    unsafe {
        let parts = Box::from_raw((*array).private_data.cast::<ArrayParts>());
        parts.children.iter().for_each(|child| drop(Box::from_raw(*child)));
        (*array).release = None;
    }
}

/// The schema: a struct with a field for each column.
pub fn schema<'py>(py: Python<'py>, content: &Content) -> PyResult<Bound<'py, PyCapsule>> {
    let width = content.width();
    let field =
        |(k, name): (usize, &String)| ArrowSchema::new(if k < width { c"g" } else { c"u" }, name, Vec::new());
    let fields = content.names.iter().enumerate().map(field).collect::<PyResult<Vec<_>>>()?;
    PyCapsule::new_with_value(py, ArrowSchema::new(c"+s", "", fields)?, c"arrow_schema")
}

/// The data: buffers that are the columns themselves.
pub fn array<'py>(py: Python<'py>, content: &Arc<Content>) -> PyResult<Bound<'py, PyCapsule>> {
    let nothing: *const c_void = std::ptr::null();
    let numbers = (0..content.width()).map(|k| {
        let column = &content.numbers[k * content.rows..(k + 1) * content.rows];
        ArrowArray::new(content, vec![nothing, column.as_ptr().cast()], Vec::new())
    });
    let words = content.words.as_ref().map(|w| {
        ArrowArray::new(
            content,
            vec![nothing, w.offsets.as_ptr().cast(), w.bytes.as_ptr().cast()],
            Vec::new(),
        )
    });
    let batch = ArrowArray::new(content, vec![nothing], numbers.chain(words).collect());
    PyCapsule::new_with_value(py, batch, c"arrow_array")
}
