//! The studio: a page on loopback to edit, derive, run and watch models.
//!
//! ```text
//! page (page/, embedded) --HTTP on 127.0.0.1--> server --lines of JSON--> worker processes --> the crate `dalembert`
//! ```
//!
//! The server knows files, requests and processes, and no mechanics. Whatever a model could do to time or memory it does
//! in a worker process, which is bounded, replaceable, and keeps the model it has derived, so that a run with another
//! parameter begins at once. The page and the examples are part of the program.

mod connections;
mod examples;
mod files;
mod guard;
mod pool;
mod process;
mod server;
mod worker;

pub use worker::{answer, work};

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// The port that is tried first when none is asked for.
pub const DEFAULT_PORT: u16 = 8765;
/// How many ports after it are tried.
const PORTS: u16 = 50;

/// What the studio is to serve.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder whose `.dal` files are listed, opened and saved.
    pub folder: PathBuf,
    /// The port; 0 is any, `None` the first free one from [`DEFAULT_PORT`] on.
    pub port: Option<u16>,
    /// What one request may cost.
    pub limits: Limits,
    /// The command of a worker process: a program that calls [`work`], and its arguments.
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

/// Serves until Ctrl-C. `ready` is told the address.
pub fn serve(options: &Options, ready: impl FnOnce(SocketAddr)) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = bind(options.port).await?;
        let address = listener.local_addr()?;
        let app = server::app(options, address.port())?;
        ready(address);
        let ended = async { tokio::signal::ctrl_c().await.unwrap_or_default() };
        tokio::select! {
            () = connections::serve(listener, app) => Ok(()),
            () = ended => Ok(()),
        }
    })
}

/// A listener on loopback only.
async fn bind(port: Option<u16>) -> std::io::Result<tokio::net::TcpListener> {
    let listen = |port: u16| tokio::net::TcpListener::bind(("127.0.0.1", port));
    let Some(port) = port else {
        for port in DEFAULT_PORT..DEFAULT_PORT + PORTS {
            match listen(port).await {
                Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {}
                other => return other,
            }
        }
        return listen(0).await;
    };
    listen(port).await
}
