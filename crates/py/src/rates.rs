//! The equations of motion as a function over arrays of states.

use crate::convert::run_error;
use crate::system::{System, guarded};
use crate::watch::SignalWatch;
use dalembert::derivatives::Derivatives;
use dalembert::diagnostic::Diagnostic;
use dalembert::vector_field::Worker;
use dalembert::{Model, Source};
use numpy::ndarray::{Array2, ArrayView2};
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::OnceLock;

/// States between two looks at the clock.
const BETWEEN_LOOKS: usize = 256;

/// What is asked at a state: the parts of the answer go to the last argument.
type Ask<'a> =
    dyn Fn(&mut Worker<'_>, f64, &[f64], &mut [Vec<f64>]) -> Result<(), Box<Diagnostic>> + Send + Sync + 'a;

/// A system made fast, to be asked at states. Arrays have one state in each column.
#[pyclass(frozen, module = "dalembert._engine")]
pub struct Rates {
    source: Source,
    rates: dalembert::vector_field::Rates,
    /// Made when they are asked for first.
    derivatives: OnceLock<Derivatives>,
}

#[pymethods]
impl Rates {
    #[new]
    fn new(py: Python<'_>, system: &System) -> PyResult<Self> {
        let rates = system.ask(py, |model| dalembert::vector_field::Rates::new(model))?;
        Ok(Rates { source: system.source.clone(), rates, derivatives: OnceLock::new() })
    }

    /// Rates of coordinates and speeds, as many rows as the states have. NaN where there are none, if that is wanted.
    fn rates<'py>(
        &self,
        py: Python<'py>,
        t: PyReadonlyArray1<'py, f64>,
        states: PyReadonlyArray2<'py, f64>,
        nan: bool,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let n = self.rates.dimension();
        let made =
            self.each(py, &t, &states, &[n], nan, &|worker, t, y, out| worker.rates(t, y, &mut out[0]))?;
        let [rates] = <[_; 1]>::try_from(made).expect("one array was asked for");
        Ok(rates.into_pyarray(py))
    }

    /// Accelerations and all forces, by name.
    fn solve<'py>(
        &self,
        py: Python<'py>,
        t: PyReadonlyArray1<'py, f64>,
        states: PyReadonlyArray2<'py, f64>,
        nan: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let model = self.rates.model();
        let (n, m, k) = (
            model.form.speeds.len(),
            model.system.constraints.rows.len(),
            dalembert_view::documents::input_names(model).len(),
        );
        let parts = ["acceleration", "ideal", "nonideal", "control", "multipliers", "inputs"];
        let made = self.each(py, &t, &states, &[n, n, n, n, m, k], nan, &|worker, t, y, out| {
            let s = worker.solve(t, y)?;
            let found =
                [&s.eta_dot, &s.ideal_force, &s.nonideal_force, &s.control_force, &s.lambda, &s.inputs];
            out.iter_mut().zip(found).for_each(|(to, from)| to.copy_from_slice(from));
            Ok(())
        })?;
        let dict = PyDict::new(py);
        for (name, array) in parts.into_iter().zip(made) {
            dict.set_item(name, array.into_pyarray(py))?;
        }
        Ok(dict)
    }

    /// Mass matrix and constraint matrix row by row, force and right side of the rows, by name.
    fn terms<'py>(
        &self,
        py: Python<'py>,
        t: PyReadonlyArray1<'py, f64>,
        states: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let model = self.rates.model();
        let (n, m) = (model.form.speeds.len(), model.system.constraints.rows.len());
        let names = ["mass_matrix", "force", "constraint_matrix", "constraint_rhs"];
        let made = self.each(py, &t, &states, &[n * n, n, m * n, m], false, &|worker, t, y, out| {
            let terms = worker.terms(t, y);
            let parts = [&terms.M, &terms.Q, &terms.A, &terms.b];
            // Rows of requirements, which follow those of the constraints, are left out.
            out.iter_mut()
                .zip(parts)
                .for_each(|(to, from)| to.iter_mut().zip(from).for_each(|(a, b)| *a = *b));
            Ok(())
        })?;
        let dict = PyDict::new(py);
        for (name, array) in names.into_iter().zip(made) {
            dict.set_item(name, array.into_pyarray(py))?;
        }
        Ok(dict)
    }

    /// Outputs that depend on the state alone, a row for each; others are NaN.
    fn outputs<'py>(
        &self,
        py: Python<'py>,
        t: PyReadonlyArray1<'py, f64>,
        states: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let count = self.rates.model().system.experiment.outputs.len();
        let made = self.each(py, &t, &states, &[count], false, &|worker, t, y, out| {
            worker.outputs(t, y, &mut out[0]);
            Ok(())
        })?;
        let [outputs] = <[_; 1]>::try_from(made).expect("one array was asked for");
        Ok(outputs.into_pyarray(py))
    }

    /// Names of inputs and parameters, in the order of the columns of derivatives.
    fn derivative_names(&self, py: Python<'_>) -> PyResult<(Vec<String>, Vec<String>)> {
        let derivatives = self.derivatives(py)?;
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        Ok((owned(derivatives.inputs()), owned(derivatives.parameters())))
    }

    /// Rates, multipliers and their derivatives, matrices row by row in each column.
    fn derive_at<'py>(
        &self,
        py: Python<'py>,
        t: PyReadonlyArray1<'py, f64>,
        states: PyReadonlyArray2<'py, f64>,
        nan: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let derivatives = self.derivatives(py)?;
        let (d, m) = (self.rates.dimension(), self.rates.model().system.constraints.rows.len());
        let (u, p) = (derivatives.inputs().len(), derivatives.parameters().len());
        let lengths = [d, m, d * d, d * u, d * p, m * d, m * u, m * p];
        let names = [
            "rates",
            "multipliers",
            "rates_by_state",
            "rates_by_input",
            "rates_by_parameter",
            "multipliers_by_state",
            "multipliers_by_input",
            "multipliers_by_parameter",
        ];
        let made = self.each(py, &t, &states, &lengths, nan, &|_, t, y, out| {
            let found = derivatives.at(t, y)?;
            let parts = [
                found.rates,
                found.multipliers,
                found.rates_by_state,
                found.rates_by_input,
                found.rates_by_parameter,
                found.multipliers_by_state,
                found.multipliers_by_input,
                found.multipliers_by_parameter,
            ];
            out.iter_mut().zip(parts).for_each(|(to, from)| to.copy_from_slice(&from));
            Ok(())
        })?;
        let dict = PyDict::new(py);
        for (name, array) in names.into_iter().zip(made) {
            dict.set_item(name, array.into_pyarray(py))?;
        }
        Ok(dict)
    }
}

impl Rates {
    fn derivatives(&self, py: Python<'_>) -> PyResult<&Derivatives> {
        if let Some(made) = self.derivatives.get() {
            return Ok(made);
        }
        let model = Model::from(self.rates.model().clone());
        let made = guarded(py, &self.source, || Derivatives::new(model))?;
        Ok(self.derivatives.get_or_init(|| made))
    }

    /// Asks at each state; gives one array for each of the lengths, a column for each state.
    fn each(
        &self,
        py: Python<'_>,
        t: &PyReadonlyArray1<'_, f64>,
        states: &PyReadonlyArray2<'_, f64>,
        lengths: &[usize],
        nan: bool,
        ask: &Ask<'_>,
    ) -> PyResult<Vec<Array2<f64>>> {
        let (t, states) = (t.as_array().to_vec(), states.as_array().to_owned());
        let (n, count) = states.dim();
        if n != self.rates.dimension() || (t.len() != count && t.len() != 1) {
            let message =
                format!("states of shape {n} x {count} and {} times do not fit this system", t.len());
            return Err(PyValueError::new_err(message));
        }
        let mut watch = SignalWatch::new(None);
        let made = guarded(py, &self.source, || {
            Ok(self.loop_over(&t, states.view(), lengths, nan, &mut watch, ask))
        })?;
        if let Some(raised) = watch.raised() {
            return Err(raised);
        }
        made.map_err(|(k, diagnostic)| {
            let mut diagnostic = *diagnostic;
            if count > 1 {
                diagnostic.message = format!("{} (state number {k}, counted from 0)", diagnostic.message);
            }
            run_error(py, &diagnostic, &self.source)
        })
    }

    fn loop_over(
        &self,
        t: &[f64],
        states: ArrayView2<'_, f64>,
        lengths: &[usize],
        nan: bool,
        watch: &mut SignalWatch,
        ask: &Ask<'_>,
    ) -> Result<Vec<Array2<f64>>, (usize, Box<Diagnostic>)> {
        let (n, count) = states.dim();
        let mut worker = self.rates.worker();
        let mut y = vec![0.0; n];
        let mut parts: Vec<Vec<f64>> = lengths.iter().map(|len| vec![0.0; *len]).collect();
        let mut made: Vec<Array2<f64>> = lengths.iter().map(|len| Array2::zeros((*len, count))).collect();
        for k in 0..count {
            if k % BETWEEN_LOOKS == 0 && watch.stop(|_| Ok(())) {
                break;
            }
            y.iter_mut().zip(states.column(k)).for_each(|(to, from)| *to = *from);
            match ask(&mut worker, t[k.min(t.len() - 1)], &y, &mut parts) {
                Ok(()) => {}
                Err(_) if nan => parts.iter_mut().for_each(|part| part.fill(f64::NAN)),
                Err(diagnostic) => return Err((k, diagnostic)),
            }
            for (array, part) in made.iter_mut().zip(&parts) {
                array.column_mut(k).iter_mut().zip(part).for_each(|(to, from)| *to = *from);
            }
        }
        Ok(made)
    }
}
