//! Many runs: a plan made ready, and its blocks of runs made here or anywhere.

use crate::columns::{Columns, Content, Words};
use crate::system::{System, guarded, refuse};
use crate::watch::{PAUSE, SignalWatch};
use dalembert::diagnostic::Diagnostic;
use dalembert::run::Flow;
use dalembert::sweep::{Axis, Block, Figure, Plan, Sample};
use dalembert::{Request, Source};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};

/// Numbers of a table of results at most, about 1 GB; more belong into files.
const MAX_NUMBERS: f64 = 125e6;

/// What is swept, and how each run is made.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct SweepRequest {
    vary: Vec<String>,
    sample: Vec<String>,
    keep: Option<String>,
    runs: usize,
    seed: u64,
    until: Option<f64>,
    every: Option<f64>,
    method: Option<String>,
    rtol: Option<f64>,
    atol: Option<f64>,
    step: Option<f64>,
    max_steps: Option<usize>,
}

/// A plan made ready for a system.
#[pyclass(frozen, module = "dalembert._engine")]
pub struct Sweep {
    source: Source,
    sweep: dalembert::sweep::Sweep,
    motion_columns: usize,
}

type Made = (Columns, Option<Columns>, Vec<usize>, Option<PyErr>);

#[pymethods]
impl Sweep {
    #[new]
    fn new(py: Python<'_>, system: &System, wish: SweepRequest) -> PyResult<Self> {
        let motion_columns =
            2 + system.model.state_names().len() + system.model.system.experiment.outputs.len();
        let sweep = system.ask(py, |model| {
            let plan = wish.plan()?;
            let sweep = dalembert::sweep::Sweep::new(model, plan)?;
            if sweep.numbers() > MAX_NUMBERS {
                let what = if wish.every.is_some() { "results and motions" } else { "results" };
                let message = format!("the {what} of {} runs do not fit in memory", sweep.runs());
                return Err(refuse(&message, "the command `dalembert sweep` writes them to files"));
            }
            Ok(sweep)
        })?;
        Ok(Sweep { source: system.source.clone(), sweep, motion_columns })
    }

    /// How many runs.
    #[getter]
    fn runs(&self) -> usize {
        self.sweep.runs()
    }

    /// How many blocks of runs.
    #[getter]
    fn blocks(&self) -> usize {
        self.sweep.blocks()
    }

    /// Whether several runs go in the lanes of vector registers.
    #[getter]
    fn in_lanes(&self) -> bool {
        self.sweep.in_lanes()
    }

    /// Makes blocks on as many threads, and joins them in their order. `progress` is told how many runs are done. Gives
    /// the results, the motions if they are wanted, the blocks made, and what a signal handler or `progress` raised.
    #[pyo3(signature = (blocks, threads, progress=None))]
    fn make(
        &self,
        py: Python<'_>,
        blocks: Vec<usize>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Made> {
        let (mut made, raised) =
            guarded(py, &self.source, || Ok(self.execute(blocks, threads, progress.as_ref())))?;
        made.sort_by_key(|block| block.index);
        let indices = made.iter().map(|block| block.index).collect();
        Ok((self.results(&made)?, self.motions(&made), indices, raised))
    }
}

impl Sweep {
    /// The engine's threads work; this one receives, and looks for signals.
    fn execute(
        &self,
        blocks: Vec<usize>,
        threads: usize,
        progress: Option<&Py<PyAny>>,
    ) -> (Vec<Block>, Option<PyErr>) {
        let (cancel, mut watch, mut made) = (AtomicBool::new(false), SignalWatch::new(None), Vec::new());
        let (sender, receiver) = sync_channel::<Block>(16);
        let mut runs = 0;
        std::thread::scope(|scope| {
            let (sweep, cancel) = (&self.sweep, &cancel);
            scope.spawn(move || {
                sweep.execute(threads, blocks, cancel, |block| match sender.send(block) {
                    Ok(()) => Flow::Continue,
                    Err(_) => Flow::Cancel,
                });
            });
            loop {
                match receiver.recv_timeout(PAUSE) {
                    Ok(block) => {
                        runs += block.rows.len();
                        made.push(block);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                let tell = |py: Python<'_>| progress.map_or(Ok(()), |f| f.call1(py, (runs,)).map(|_| ()));
                if watch.stop(tell) {
                    cancel.store(true, Ordering::Relaxed);
                }
            }
        });
        (made, watch.raised())
    }

    fn results(&self, made: &[Block]) -> PyResult<Columns> {
        let (names, rows) = (self.sweep.columns().to_vec(), || made.iter().flat_map(|block| &block.rows));
        let values: Vec<f64> = rows().flat_map(|row| row.numbers.iter().copied()).collect();
        let status: Vec<String> = rows().map(|row| row.status.text()).collect();
        let words = Words::new(status.iter().map(String::as_str))?;
        let width = names.len() - 1;
        Ok(Columns::new(Content::from_rows(names, width, &values, Some(words))))
    }

    fn motions(&self, made: &[Block]) -> Option<Columns> {
        let tables: Vec<_> = made.iter().filter_map(|block| block.motions.as_ref()).collect();
        let names = tables.first()?.columns.clone();
        let values: Vec<f64> = tables.iter().flat_map(|table| table.values.iter().copied()).collect();
        Some(Columns::new(Content::from_rows(names, self.motion_columns, &values, None)))
    }
}

impl SweepRequest {
    fn plan(&self) -> Result<Plan, Box<Diagnostic>> {
        let vary = self.vary.iter().map(|text| Axis::read(text)).collect::<Result<_, _>>()?;
        let sample = self.sample.iter().map(|text| Sample::read(text)).collect::<Result<_, _>>()?;
        let request = Request {
            until: self.until,
            every: self.every,
            method: self.method.clone(),
            rtol: self.rtol,
            atol: self.atol,
            step: self.step,
            max_steps: self.max_steps,
            ..Request::default()
        };
        let keep = self.keep.as_deref().map_or(Ok(Vec::new()), Figure::read)?;
        let (runs, seed, motions) = (self.runs, self.seed, self.every.is_some());
        Ok(Plan { vary, sample, runs, seed, request, motions, keep })
    }
}
