//! The engine of the Python package: texts and numbers in, arrays and plain objects out. No mechanics here; what is
//! computed is asked of the crate `dalembert`, without the interpreter's lock. The pages of the package are written in
//! Python, in `python/dalembert`.

mod columns;
mod connect;
mod convert;
mod export;
mod formats;
mod rates;
mod report;
mod simulate;
mod stepper;
mod sweep;
mod system;
mod watch;

use pyo3::prelude::*;

/// Compiled part of the package; use `dalembert` itself.
#[pymodule]
mod _engine {
    #[pymodule_export]
    use super::columns::Columns;
    #[pymodule_export]
    use super::connect::connect;
    #[pymodule_export]
    use super::export::export;
    #[pymodule_export]
    use super::formats::import_robot;
    #[pymodule_export]
    use super::rates::Rates;
    #[pymodule_export]
    use super::report::report;
    #[pymodule_export]
    use super::simulate::{animate, simulate};
    #[pymodule_export]
    use super::stepper::Stepper;
    #[pymodule_export]
    use super::sweep::Sweep;
    #[pymodule_export]
    use super::system::{System, explain, methods, panic_for_tests, write_file};
    /// Bytes of a model's text at most.
    #[pymodule_export]
    const LARGEST_TEXT: usize = dalembert::source::MAX_SOURCE_BYTES;
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the name Python knows it by")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
