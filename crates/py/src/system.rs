//! A model that answers questions. Nothing that is asked changes it; answers are computed without the interpreter's lock, so
//! that any number of threads may ask one system at a time.

use crate::convert::{model_error, object, request_error, run_error};
use crate::watch::SignalWatch;
use dalembert::Request;
use dalembert::diagnostic::{Code, Diagnostic};
use dalembert::equilibrium::EquilibriumSearch;
use dalembert::fit::{FitRequest, Measurements};
use dalembert::gradient::{CostTerm, GradientRoad};
use dalembert::linearize::{Linearizer, Over, Range};
use dalembert::run::Flow;
use dalembert::run::Method;
use dalembert::{Interpolation, Model, Overrides, Samples, Signal, Source, internal};
use dalembert_expr::Format;
use dalembert_view::documents;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;

type Answer<'py> = PyResult<Bound<'py, PyAny>>;

/// A system read from text, with changed parameters and starting values.
#[pyclass(frozen, module = "dalembert._engine")]
pub struct System {
    pub source: Source,
    pub model: Model,
}

impl System {
    /// Asks the model.
    pub fn ask<T: Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&Model) -> Result<T, Box<Diagnostic>> + Send,
    ) -> PyResult<T> {
        self.guarded(py, || question(&self.model))
    }

    /// Works without the interpreter's lock; what goes wrong, bugs of the engine too, is an exception of the package.
    pub fn guarded<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce() -> Result<T, Box<Diagnostic>> + Send,
    ) -> PyResult<T> {
        guarded(py, &self.source, work)
    }

    fn answer<'py>(
        &self,
        py: Python<'py>,
        question: impl FnOnce(&Model) -> Result<Value, Box<Diagnostic>> + Send,
    ) -> Answer<'py> {
        object(py, &self.ask(py, question)?)
    }
}

/// Asks about the model of a text; a panic becomes an `InternalError` that names what was asked.
pub fn guarded<T: Send>(
    py: Python<'_>,
    source: &Source,
    work: impl FnOnce() -> Result<T, Box<Diagnostic>> + Send,
) -> PyResult<T> {
    let what = format!("what was asked of `{}`", source.name);
    let done = py.detach(|| internal::catch(&what, work)).and_then(|done| done);
    done.map_err(|diagnostic| run_error(py, &diagnostic, source))
}

/// What is given for an input: its name, an expression, or times, values and what is between them.
type GivenInput = (String, Option<String>, Vec<f64>, Vec<f64>, String);

fn signal((name, expression, times, values, between): GivenInput) -> (String, Signal) {
    let interpolation = match between.as_str() {
        "step" => Interpolation::Step,
        "cubic" => Interpolation::Cubic,
        _ => Interpolation::Linear,
    };
    let points = times.into_iter().zip(values).collect();
    let samples = || Signal::Samples(Samples { points, interpolation });
    (name, expression.map_or_else(samples, Signal::Expression))
}

#[pymethods]
impl System {
    /// Reads, derives and compiles a model.
    #[new]
    fn load(
        py: Python<'_>,
        text: String,
        name: String,
        set: Vec<(String, String)>,
        initial: Vec<String>,
        inputs: Vec<GivenInput>,
    ) -> PyResult<Self> {
        let input = inputs.into_iter().map(signal).collect();
        let overrides = Overrides { set, initial, input, ..Overrides::default() };
        let load = |source: &Source, overrides: &Overrides| {
            let read =
                internal::catch(&format!("the reading of `{name}`"), || Model::load(source, overrides));
            read.unwrap_or_else(|internal| Err(vec![*internal].into()))
        };
        let read = py.detach(|| match Source::from_bytes(&name, text.into_bytes()) {
            Err(diagnostic) => Err((Source::new(&name, ""), vec![*diagnostic])),
            Ok(source) => match load(&source, &overrides) {
                Ok(model) => Ok((source, model)),
                Err(diagnostics) => Err((source, diagnostics.0)),
            },
        });
        let (source, model) = read.map_err(|(source, list)| {
            let asked =
                !(overrides.set.is_empty() && overrides.initial.is_empty() && overrides.input.is_empty());
            let alone = || py.detach(|| load(&source, &Overrides::default()).is_ok());
            // A model that can be read by itself is not at fault.
            if asked && alone() { request_error(py, &list, &source) } else { model_error(py, &list, &source) }
        })?;
        Ok(System { source, model })
    }

    /// Title, or nothing.
    #[getter]
    fn title(&self) -> Option<&str> {
        self.model.system.title.as_deref()
    }

    /// Names of coordinates.
    #[getter]
    fn coordinates(&self) -> Vec<&str> {
        self.model.system.frame.coordinates.iter().map(|c| c.name.as_str()).collect()
    }

    /// Names of speeds.
    #[getter]
    fn speeds(&self) -> Vec<&str> {
        self.model.system.frame.speeds.iter().map(|s| s.name.as_str()).collect()
    }

    /// Names of constraint rows.
    #[getter]
    fn rows(&self) -> Vec<&str> {
        self.model.system.constraints.rows.iter().map(|r| r.name.as_str()).collect()
    }

    /// Names of control inputs; none without requirements.
    #[getter]
    fn inputs(&self) -> Vec<&str> {
        documents::input_names(&self.model)
    }

    /// Names of the signals from outside.
    #[getter]
    fn signals(&self) -> Vec<&str> {
        let inputs = self.model.system.parameters.iter().filter(|p| p.is_input);
        inputs.map(|p| p.name.as_str()).collect()
    }

    /// Names of outputs.
    #[getter]
    fn outputs(&self) -> Vec<&str> {
        self.model.system.experiment.outputs.iter().map(|o| o.name.as_str()).collect()
    }

    /// Names of events.
    #[getter]
    fn events(&self) -> Vec<&str> {
        self.model.system.experiment.events.iter().map(|e| e.name.as_str()).collect()
    }

    /// Names of the events that end a run.
    #[getter]
    fn stops(&self) -> Vec<&str> {
        self.model.system.experiment.events.iter().filter(|e| e.stop).map(|e| e.name.as_str()).collect()
    }

    /// Names, values and units of parameters as the model gives them: what can be set again.
    #[getter]
    fn parameters(&self) -> Vec<(&str, f64, Option<String>)> {
        let values = documents::parameters(&self.model).into_iter().zip(&self.model.system.parameters);
        values.map(|((name, value), p)| (name, p.in_file_unit(value), p.file_unit())).collect()
    }

    /// Names and values of parameters, in SI.
    #[getter]
    fn si_parameters(&self) -> Vec<(&str, f64)> {
        documents::parameters(&self.model)
    }

    /// Units of columns by their names; nothing where a unit is not known.
    fn units(&self, names: Vec<String>) -> Vec<Option<String>> {
        self.model.system.units_of(&names)
    }

    /// What the model is, as `dalembert check --json` says it.
    fn check<'py>(&self, py: Python<'py>) -> Answer<'py> {
        self.answer(py, |model| {
            let findings = documents::check(model);
            Ok(documents::checked(model, &findings, &self.source))
        })
    }

    /// The starting state: coordinates, then speeds.
    fn start(&self, py: Python<'_>, t: f64) -> PyResult<Vec<f64>> {
        let state = self.ask(py, |model| model.start_at(t, None))?.state;
        Ok(state.x.into_iter().chain(state.eta).collect())
    }

    /// Everything at one state, as `dalembert evaluate --json` says it.
    fn evaluate<'py>(&self, py: Python<'py>, at: &str) -> Answer<'py> {
        self.answer(py, |model| {
            let mut remarks = Vec::new();
            let mut state = documents::start_or_guess(model, &mut remarks)?;
            model.set_state(&mut state, at)?;
            let now = model.evaluate(&state)?;
            remarks.extend(documents::rank_remarks(model, &now));
            remarks.extend(documents::output_remarks(model, &now));
            Ok(documents::evaluation(model, &now, &remarks, &self.source))
        })
    }

    /// The equations of motion in a form, as text, LaTeX or a script for SymPy.
    fn derive(&self, py: Python<'_>, form: &str, format: &str) -> PyResult<String> {
        self.ask(py, |model| model.equations(form.parse()?, format_of(format)?))
    }

    /// The Poisson bracket of two functions, as `dalembert brackets --json` says it.
    fn brackets<'py>(&self, py: Python<'py>, f: &str, g: &str, format: &str) -> Answer<'py> {
        self.answer(py, |model| {
            let written = model.brackets(f, g, format_of(format)?)?;
            Ok(documents::brackets(model, &written, &self.source))
        })
    }

    /// Constraints and conserved quantities, as `dalembert analyze --json` says it.
    fn analyze<'py>(&self, py: Python<'py>) -> Answer<'py> {
        self.answer(py, |model| {
            let found = model.analyze()?;
            Ok(documents::analysis(model, &found, &self.source))
        })
    }

    /// All roads compared, as `dalembert verify --json` says it.
    fn verify<'py>(&self, py: Python<'py>) -> Answer<'py> {
        self.answer(py, |model| {
            let found = model.verify()?;
            Ok(documents::verification(model, &found, &self.source))
        })
    }

    /// Positions of rest and steady motions, as `dalembert equilibrium --json` says it.
    fn equilibrium<'py>(
        &self,
        py: Python<'py>,
        at: String,
        starts: usize,
        within: Vec<String>,
    ) -> Answer<'py> {
        self.answer(py, |model| {
            let within = within.iter().map(|text| Range::read(text)).collect::<Result<_, _>>()?;
            let found = model.equilibria(&EquilibriumSearch { at, starts, within })?;
            Ok(documents::equilibria(model, &found, &self.source, &[]))
        })
    }

    /// The linear system about a state, as `dalembert linearize --json` says it.
    fn linearize<'py>(
        &self,
        py: Python<'py>,
        at: &str,
        settle: bool,
        independent: Vec<String>,
    ) -> Answer<'py> {
        self.answer(py, |model| {
            let mut work = model.workspace();
            let linearizer = Linearizer::new(&mut work, &independent)?;
            let state = work.operating_point(at)?;
            let state = if settle { linearizer.settle(&mut work, &state)? } else { state };
            let linear = linearizer.at(&mut work, &state)?;
            Ok(documents::linearization(model, &linear, &self.source))
        })
    }

    /// Parameters and starting values from measured columns, as `dalembert fit --json` says it.
    fn fit<'py>(
        &self,
        py: Python<'py>,
        times: Vec<f64>,
        columns: Vec<(String, Vec<f64>)>,
        free: Vec<(String, Option<f64>)>,
        rtol: Option<f64>,
    ) -> Answer<'py> {
        self.answer(py, |model| {
            let mut watch = SignalWatch::new(None);
            let request = FitRequest { free, motion: Request { rtol, ..Request::default() } };
            let flow = |_| if watch.stop(|_| Ok(())) { Flow::Cancel } else { Flow::Continue };
            let found = model.workspace().fit(&Measurements { times, columns }, &request, flow)?;
            Ok(documents::fit(model, &found, &self.source))
        })
    }

    /// A number of a motion and its derivatives by parameters and starting values: columns at the end, and squares of columns
    /// less values at times.
    #[allow(clippy::too_many_arguments)]
    fn gradient<'py>(
        &self,
        py: Python<'py>,
        at_end: Vec<String>,
        squares: Vec<(String, Vec<f64>, Vec<f64>, f64)>,
        by: Vec<String>,
        until: Option<f64>,
        rtol: Option<f64>,
        atol: Option<f64>,
        road: Option<String>,
    ) -> Answer<'py> {
        self.answer(py, |model| {
            let road = match road.as_deref() {
                None => None,
                Some("adjoint") => Some(GradientRoad::Adjoint),
                Some("forward") => Some(GradientRoad::Forward),
                Some(other) => return Err(refuse(&format!("there is no way `{other}`"), "adjoint, forward")),
            };
            let mut cost: Vec<CostTerm> = at_end.into_iter().map(CostTerm::Final).collect();
            cost.extend(squares.into_iter().map(|(column, times, values, scale)| CostTerm::Squares {
                column,
                times,
                values,
                scale,
            }));
            let request = Request { until, rtol, atol, ..Request::default() };
            let found = model.workspace().gradient(&request, &cost, &by, road)?;
            let adjoint = found.road == GradientRoad::Adjoint;
            Ok(serde_json::json!({
                "value": found.value,
                "gradient": found.by,
                "way": if adjoint { "adjoint" } else { "forward" },
                "evaluations": found.evaluations,
                "motion_evaluations": found.motion.counters().evaluations,
            }))
        })
    }

    /// Eigenvalues over a range, as `dalembert linearize --over --json` says it.
    fn eigenvalues<'py>(
        &self,
        py: Python<'py>,
        over: &str,
        at: String,
        settle: bool,
        independent: Vec<String>,
    ) -> Answer<'py> {
        self.answer(py, |model| {
            let range = Range::read(over)?;
            let found = model.eigenvalues_over(&range, &Over { at, independent, settle })?;
            Ok(documents::eigenvalues(model, &range, &found, &[]))
        })
    }
}

/// A format by its name.
fn format_of(name: &str) -> Result<Format, Box<Diagnostic>> {
    match name {
        "text" => Ok(Format::Text),
        "latex" => Ok(Format::Latex),
        "python" => Ok(Format::Python),
        other => Err(refuse(&format!("there is no format `{other}`"), "text, latex, python")),
    }
}

/// A question that cannot be answered.
pub fn refuse(message: &str, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(Code::BadOption, None, message).help(help))
}

/// More about a code such as `E0512`.
#[pyfunction]
pub fn explain(code: &str) -> PyResult<String> {
    Code::from_id(code)
        .map(Code::explain)
        .ok_or_else(|| PyKeyError::new_err(format!("there is no code {code}")))
}

/// Names of the integrators.
#[pyfunction]
pub fn methods() -> Vec<&'static str> {
    Method::ALL.iter().map(|m| m.name()).collect()
}

/// Panics, as only a bug of the engine does: the tests of the package see what becomes of it.
#[pyfunction]
pub fn panic_for_tests(py: Python<'_>) -> PyResult<()> {
    guarded(py, &Source::new("model", ""), || panic!("a row is missing"))
}

/// Writes a text to a file: as a whole, or not at all.
#[pyfunction]
pub fn write_file(py: Python<'_>, path: PathBuf, text: &str) -> PyResult<()> {
    Ok(py.detach(|| dalembert_files::replace(&path, |out| out.write_all(text.as_bytes())))?)
}
