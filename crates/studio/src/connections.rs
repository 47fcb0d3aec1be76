//! Connections: how many, and how long they may keep the server waiting.
//!
//! A request that never ends must not stand in the way of others. Its head has [`HEAD`] to arrive, its body [`BODY`],
//! and an answer that nobody takes is given up after [`STALL`]. Beyond [`OPEN`] connections further ones are refused
//! at once.

use axum::Router;
use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Sleep, sleep, timeout};

use crate::server::{TOO_LARGE, trouble};

/// Time for the head of a request, or until the next request of a connection.
const HEAD: Duration = Duration::from_secs(20);
/// Time for the body of a request: the largest text takes milliseconds on loopback.
const BODY: Duration = Duration::from_secs(10);
/// Time for which an answer may find no reader.
const STALL: Duration = Duration::from_secs(60);
/// Connections that are open at once; a page needs about six.
const OPEN: usize = 128;
/// Pause after a connection that could not be taken, as when there are no file handles left.
const PAUSE: Duration = Duration::from_millis(50);

/// What is said to one connection too many.
const REFUSAL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\nretry-after: 5\r\n\r\n";

/// Serves connections until it is dropped.
pub async fn serve(listener: TcpListener, app: Router) {
    let places = Arc::new(Semaphore::new(OPEN));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            // One write that does not wait: nobody is owed more.
            let _ = stream.try_write(REFUSAL);
            continue;
        };
        let connection = http.serve_connection(
            TokioIo::new(Patient { stream, stalled: None }),
            TowerToHyperService::new(app.clone()),
        );
        tokio::spawn(async move {
            // Whoever breaks off, or takes too long, is not told.
            let _ = connection.await;
            drop(place);
        });
    }
}

/// The request with its whole body, or a refusal of one that is too large or takes too long.
#[expect(clippy::result_large_err, reason = "a refusal is a response")]
pub async fn whole(request: Request, most: usize) -> std::result::Result<Request, Response> {
    let (head, body) = request.into_parts();
    if body.size_hint().lower() > most as u64 {
        return Err(closing(trouble(StatusCode::PAYLOAD_TOO_LARGE, TOO_LARGE)));
    }
    match timeout(BODY, to_bytes(body, most)).await {
        Ok(Ok(bytes)) => Ok(Request::from_parts(head, Body::from(bytes))),
        Ok(Err(_)) => Err(closing(trouble(StatusCode::PAYLOAD_TOO_LARGE, TOO_LARGE))),
        Err(_) => Err(closing(trouble(StatusCode::REQUEST_TIMEOUT, "the request did not arrive in time"))),
    }
}

/// An answer after which the rest of the request is not waited for.
fn closing(mut response: Response) -> Response {
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// A stream that gives up where nothing can be written for a while.
struct Patient {
    stream: TcpStream,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    fn bounded<T>(&mut self, context: &mut Context<'_>, outcome: Poll<Result<T>>) -> Poll<Result<T>> {
        if outcome.is_ready() {
            self.stalled = None;
            return outcome;
        }
        let end = self.stalled.get_or_insert_with(|| Box::pin(sleep(STALL)));
        end.as_mut().poll(context).map(|()| Err(Error::new(ErrorKind::TimedOut, "nobody takes the answer")))
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, piece: &[u8]) -> Poll<Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, piece);
        self.bounded(context, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.bounded(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
