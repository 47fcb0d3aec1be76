//! Signals while the engine computes without the interpreter's lock.

use pyo3::prelude::*;
use std::time::{Duration, Instant};

/// How often the lock is taken to look.
pub const PAUSE: Duration = Duration::from_millis(50);

/// Looks for signals now and then, and keeps what a handler raises: `KeyboardInterrupt` after Ctrl-C.
pub struct SignalWatch {
    began: Instant,
    limit: Option<Duration>,
    looked: Instant,
    raised: Option<PyErr>,
}

impl SignalWatch {
    /// A watch over work that may take so many seconds.
    pub fn new(limit: Option<f64>) -> Self {
        let now = Instant::now();
        let limit = limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        SignalWatch { began: now, limit, looked: now, raised: None }
    }

    /// Whether the time is over.
    pub fn out_of_time(&self) -> bool {
        self.limit.is_some_and(|limit| self.began.elapsed() >= limit)
    }

    /// Whether a handler has raised or the time is over; `tell` is called first, at most as often.
    pub fn stop(&mut self, tell: impl FnOnce(Python<'_>) -> PyResult<()>) -> bool {
        if self.raised.is_none() && self.looked.elapsed() >= PAUSE {
            self.raised = Python::attach(|py| py.check_signals().and_then(|()| tell(py))).err();
            self.looked = Instant::now();
        }
        self.raised.is_some() || self.out_of_time()
    }

    /// What was raised.
    pub fn raised(self) -> Option<PyErr> {
        self.raised
    }
}
