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
use std::future::{Future, poll_fn};
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Sleep, sleep, timeout};

use crate::responses::{TOO_LARGE, refusal};

/// Time for the head of a request, or until the next request of a connection.
const HEAD: Duration = Duration::from_secs(20);
/// Time for the body of a request: the largest text takes milliseconds on loopback.
const BODY: Duration = Duration::from_secs(10);
/// Time for which an answer may find no reader.
const STALL: Duration = Duration::from_secs(60);
/// Connections that are open at once; a page needs about six.
const OPEN: usize = 128;
/// Time to take a refusal.
const GOODBYE: Duration = Duration::from_secs(1);
/// Bodies up to so many times the limit are taken before they are refused, so that the refusal is read.
const TAKEN: u64 = 16;
/// Pause after a connection that could not be taken, as when there are no file handles left.
const PAUSE: Duration = Duration::from_millis(50);

/// What is said to one connection too many.
const REFUSAL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\nretry-after: 5\r\n\r\n";

/// Serves connections until it is dropped.
pub async fn serve(listener: TcpListener, app: Router) {
    serve_within(listener, app, HEAD, OPEN).await;
}

async fn serve_within(listener: TcpListener, app: Router, head: Duration, open: usize) {
    let places = Arc::new(Semaphore::new(open));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(head);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            tokio::spawn(timeout(GOODBYE, refuse(stream)));
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

/// Says that there is no place. What has been sent is taken first: a connection closed over it would lose the answer.
async fn refuse(mut stream: TcpStream) {
    let _ = stream.write_all(REFUSAL).await;
    let _ = stream.shutdown().await;
    let mut rest = [0; 1024];
    while let Ok(1..) = stream.read(&mut rest).await {}
}

/// The request with its whole body, or a refusal of one that is too large or takes too long.
pub async fn whole(request: Request, most: usize) -> std::result::Result<Request, Response> {
    whole_within(request, most, BODY).await
}

async fn whole_within(
    request: Request,
    most: usize,
    time: Duration,
) -> std::result::Result<Request, Response> {
    let (head, mut body) = request.into_parts();
    let announced = body.size_hint().lower();
    if announced > most as u64 {
        if announced <= TAKEN * most as u64 {
            let all =
                async { while let Some(Ok(_)) = poll_fn(|c| Pin::new(&mut body).poll_frame(c)).await {} };
            let _ = timeout(time, all).await;
        }
        return Err(closing(refusal(StatusCode::PAYLOAD_TOO_LARGE, TOO_LARGE)));
    }
    match timeout(time, to_bytes(body, most)).await {
        Ok(Ok(bytes)) => Ok(Request::from_parts(head, Body::from(bytes))),
        Ok(Err(_)) => Err(closing(refusal(StatusCode::PAYLOAD_TOO_LARGE, TOO_LARGE))),
        Err(_) => Err(closing(refusal(StatusCode::REQUEST_TIMEOUT, "the request did not arrive in time"))),
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

#[cfg(test)]
mod tests {
    use super::*;
    use axum::middleware::{Next, from_fn};
    use axum::routing::any;
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpStream as Client};
    use std::time::Instant;

    /// Time for heads and bodies here.
    const SHORT: Duration = Duration::from_millis(300);

    /// A server with short times and few places, for clients that block.
    fn with_server(open: usize, clients: impl FnOnce(SocketAddr) + Send + 'static) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let read = async |request: Request, next: Next| match whole_within(request, 1000, SHORT).await {
                Ok(request) => next.run(request).await,
                Err(refusal) => refusal,
            };
            let app = Router::new().fallback(any(async || "hello")).layer(from_fn(read));
            let clients = tokio::task::spawn_blocking(move || clients(address));
            tokio::select! {
                () = serve_within(listener, app, SHORT, open) => {}
                done = clients => done.unwrap(),
            }
        });
    }

    fn ask(address: SocketAddr, text: &str) -> Client {
        let mut client = Client::connect(address).unwrap();
        client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let _ = client.write_all(text.as_bytes());
        client
    }

    fn answer(mut client: Client) -> String {
        let mut said = String::new();
        let _ = client.read_to_string(&mut said);
        said
    }

    const GOOD: &str = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

    #[test]
    fn requests_that_never_end_do_not_stand_in_the_way() {
        with_server(8, |address| {
            let began = Instant::now();
            let head = ask(address, "GET / HTTP/1.1\r\nHost: x\r\n");
            let body = ask(address, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\nhalf");
            assert!(answer(ask(address, GOOD)).ends_with("hello"));
            assert!(answer(body).starts_with("HTTP/1.1 408"), "the body has its time");
            assert!(!answer(head).contains("200 OK"), "the head has its time");
            assert!(began.elapsed() < Duration::from_secs(15));
        });
    }

    #[test]
    fn a_length_beyond_the_limit_is_refused_at_once() {
        with_server(8, |address| {
            let long = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n";
            assert!(answer(ask(address, long)).starts_with("HTTP/1.1 413"));
            let chunks = "7D0\r\n".to_owned() + &"x".repeat(2000) + "\r\n0\r\n\r\n";
            let chunked = format!("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}");
            assert!(answer(ask(address, &chunked)).starts_with("HTTP/1.1 413"));
        });
    }

    #[test]
    fn one_connection_too_many_is_refused_and_places_become_free() {
        with_server(2, |address| {
            let held: Vec<Client> = (0..2).map(|_| ask(address, "GET / HTTP/1.1\r\n")).collect();
            std::thread::sleep(Duration::from_millis(100));
            assert!(answer(ask(address, GOOD)).starts_with("HTTP/1.1 503"));
            held.into_iter().for_each(|client| drop(answer(client)));
            assert!(answer(ask(address, GOOD)).ends_with("hello"));
        });
    }
}
