//! What the studio serves, and what a request may cost.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The port that is tried first when none is asked for.
pub const DEFAULT_PORT: u16 = 8765;

/// What the studio is to serve.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder whose `.dal` files are listed, opened and saved.
    pub folder: PathBuf,
    /// The port; 0 is any, `None` the first free one from [`DEFAULT_PORT`] on.
    pub port: Option<u16>,
    /// What one request may cost.
    pub limits: Limits,
    /// The command of a worker process: a program that calls [`work`](crate::work), and its arguments.
    pub worker: (PathBuf, Vec<OsString>),
}

/// What one request may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Wall time.
    pub time: Duration,
    /// Address space of a worker process, in MiB.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { time: Duration::from_secs(60), memory: 4096 }
    }
}
