//! The motion as source code for elsewhere, or as an FMU.

use crate::system::{System, refuse};
use dalembert_codegen::{self as code, COptions, FmiVersion, Target};
use pyo3::prelude::*;

type Exported = (Option<String>, String, Option<Vec<u8>>, Option<String>);

/// Header, source, archive, and why an archive has no library: what there is of it for a target.
#[pyfunction]
pub fn export(
    py: Python<'_>,
    system: &System,
    target: &str,
    name: &str,
    step: bool,
    jacobian: bool,
    fmi: u32,
) -> PyResult<Exported> {
    system.ask(py, |model| {
        if let Ok(start) = model.start() {
            model.check_once(&start.state)?;
        }
        let name = code::identifier(name);
        let version = if fmi == 2 { FmiVersion::Two } else { FmiVersion::Three };
        match target {
            "c" => {
                let (header, source) = code::write_c(model, &name, COptions { step, jacobian })?;
                Ok((Some(header), source, None, None))
            }
            "rust" => Ok((None, code::write(model, Target::Rust, &name)?, None, None)),
            "python" => Ok((None, code::write(model, Target::Python, &name)?, None, None)),
            "fmu" => {
                let fmu = code::write_fmu(model, &name, version, None)?;
                let library = dalembert_files::compile_library(&fmu.name, &fmu.source);
                let archive = fmu.archive(library.as_deref().ok());
                Ok((None, fmu.source, Some(archive), library.err()))
            }
            other => Err(refuse(&format!("there is no target `{other}`"), "c, rust, python, fmu")),
        }
    })
}
