//! Steps for a loop in Python: states in, states out, one call a step.

use crate::convert::run_error;
use crate::system::{System, guarded};
use dalembert::{Source, internal};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;

/// Copies of a system that are moved on step by step.
#[pyclass(module = "dalembert._engine")]
pub struct Stepper {
    source: Source,
    stepper: dalembert::stepper::Stepper,
}

/// Of the last step: the copy, name, time, and whether the function rises.
type Event = (usize, String, f64, bool);

#[pymethods]
impl Stepper {
    #[new]
    fn new(py: Python<'_>, system: &System, dt: f64, method: String, substeps: usize) -> PyResult<Self> {
        let stepper =
            system.ask(py, |model| dalembert::stepper::Stepper::new(model, dt, &method, substeps))?;
        Ok(Stepper { source: system.source.clone(), stepper })
    }

    /// Begins again at a time, from one state in each row, or from the start of the model.
    #[pyo3(signature = (states, t = 0.0))]
    fn reset(&mut self, py: Python<'_>, states: Option<PyReadonlyArray2<'_, f64>>, t: f64) -> PyResult<()> {
        let states: Option<Vec<f64>> = states.map(|states| states.as_array().iter().copied().collect());
        let stepper = &mut self.stepper;
        guarded(py, &self.source, || stepper.reset_at(t, states.as_deref()))
    }

    /// One step of one system under an input that is a number, or none.
    #[pyo3(signature = (u = None))]
    fn step_one<'py>(&mut self, py: Python<'py>, u: Option<f64>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.step(py, u.as_slice())?;
        Ok(PyArray1::from_slice(py, self.stepper.states()))
    }

    /// One step of one system under several inputs.
    fn step_inputs<'py>(&mut self, py: Python<'py>, u: Vec<f64>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.step(py, &u)?;
        Ok(PyArray1::from_slice(py, self.stepper.states()))
    }

    /// One step of all systems, with their inputs in rows.
    fn step_all<'py>(
        &mut self,
        py: Python<'py>,
        u: Option<PyReadonlyArray2<'py, f64>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let inputs: Vec<f64> = u.map_or(Vec::new(), |u| u.as_array().iter().copied().collect());
        let stepper = &mut self.stepper;
        guarded(py, &self.source, || stepper.step(&inputs))?;
        Ok(self.states(py))
    }

    /// The states, one in each row.
    fn states<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        let (d, states) = (self.stepper.dimension(), self.stepper.states().to_vec());
        let shaped = Array2::from_shape_vec((states.len() / d.max(1), d), states);
        shaped.unwrap_or_default().into_pyarray(py)
    }

    /// Time reached.
    #[getter]
    fn t(&self) -> f64 {
        self.stepper.time()
    }

    /// What happened in the last step.
    #[getter]
    fn events(&self) -> Vec<Event> {
        self.stepper.events().iter().map(|(k, e)| (*k, e.name.clone(), e.t, e.rising)).collect()
    }

    /// Which systems have come to an event that stops.
    #[getter]
    fn stopped(&self) -> Vec<bool> {
        self.stepper.stopped().to_vec()
    }
}

impl Stepper {
    /// A step with the interpreter's lock held: it is shorter than what letting go of it costs.
    fn step(&mut self, py: Python<'_>, inputs: &[f64]) -> PyResult<()> {
        let stepper = &mut self.stepper;
        let done = internal::catch("a step", || stepper.step(inputs)).and_then(|done| done);
        done.map_err(|diagnostic| run_error(py, &diagnostic, &self.source))
    }
}
