//! Signals while the engine computes without the interpreter's lock.

use pyo3::prelude::*;
use std::time::{Duration, Instant};

/// How often the lock is taken to look.
pub const PAUSE: Duration = Duration::from_millis(50);

/// Looks for signals now and then, and keeps what a handler raises: `KeyboardInterrupt` after Ctrl-C.
pub struct Watch {
    looked: Instant,
    raised: Option<PyErr>,
}

impl Watch {
    pub fn new() -> Self {
        Watch { looked: Instant::now(), raised: None }
    }

    /// Whether a handler has raised; `tell` is called first, at most as often.
    pub fn stop(&mut self, tell: impl FnOnce(Python<'_>) -> PyResult<()>) -> bool {
        if self.raised.is_none() && self.looked.elapsed() >= PAUSE {
            self.raised = Python::attach(|py| py.check_signals().and_then(|()| tell(py))).err();
            self.looked = Instant::now();
        }
        self.raised.is_some()
    }

    /// What was raised.
    pub fn raised(self) -> Option<PyErr> {
        self.raised
    }
}
