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
mod options;
mod pool;
mod process;
mod responses;
mod server;
mod worker;

pub use options::{DEFAULT_PORT, Limits, Options};
pub use worker::{answer, work};

use std::net::SocketAddr;

/// How many ports from [`DEFAULT_PORT`] on are tried.
const PORTS: u16 = 50;

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
