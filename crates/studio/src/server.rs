//! What can be asked over HTTP.
//!
//! | request | answer |
//! |---|---|
//! | `GET /`, `GET /assets/...` | the page |
//! | `GET /api/session` | token, folder, limits |
//! | `GET /api/examples` | the gallery |
//! | `GET /api/files`, `GET /api/file/NAME` | models of the folder, one of them with its version |
//! | `PUT /api/file/NAME` `{text, version}` | the new version; 409 if the file is another one by now |
//! | `POST /api/WHAT` | a request to a worker (see `worker`): one JSON document, for `run` lines of JSON |
//! | `POST /api/stop/WHAT` | ends it |
//!
//! A page names itself in the header `x-page`; requests of one page and kind supersede each other.

use crate::examples;
use crate::files::{FileError, Folder};
use crate::guard::{Guard, watch};
use crate::options::{Limits, Options};
use crate::pool::{Lane, Pool};
use crate::responses::{MAX_BODY, TOO_LARGE, json_response, refusal};
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};
use dalembert::source::MAX_SOURCE_BYTES;
use serde_json::{Map, Value, json};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;

/// The built page: names and contents.
const PAGE: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// What workers are asked for.
const REQUESTS: [&str; 12] = [
    "check",
    "hover",
    "complete",
    "format",
    "derive",
    "analyze",
    "linearize",
    "equilibria",
    "verify",
    "sweep",
    "report",
    "export",
];

struct Studio {
    folder: Folder,
    guard: Arc<Guard>,
    pool: Arc<Pool>,
    limits: Limits,
}

type Shared = State<Arc<Studio>>;

/// The whole service for a port.
pub fn app(options: &Options, port: u16) -> std::io::Result<Router> {
    let guard = Arc::new(Guard::new(port));
    let pool = Pool::new(options);
    tokio::spawn(tidy(Arc::clone(&pool)));
    let studio = Arc::new(Studio {
        folder: Folder::open(&options.folder)?,
        guard: Arc::clone(&guard),
        pool,
        limits: options.limits,
    });
    Ok(Router::new()
        .route("/api/session", get(session))
        .route("/api/examples", get(async || json_response(&examples::all())))
        .route("/api/files", get(files))
        .route("/api/file/{name}", get(read_file).put(write_file))
        .route("/api/run", post(run))
        .route("/api/stop/{what}", post(stop))
        .route("/api/{what}", post(ask))
        .fallback(get(page))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(middleware::from_fn_with_state(guard, watch))
        .with_state(studio))
}

async fn tidy(pool: Arc<Pool>) {
    loop {
        tokio::time::sleep(Duration::from_secs(30)).await;
        pool.tidy();
    }
}

async fn page(uri: Uri) -> Response {
    let name = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        name => name,
    };
    let Some((_, bytes)) = PAGE.iter().find(|(known, _)| *known == name) else {
        return refusal(StatusCode::NOT_FOUND, "there is no such page");
    };
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("woff2") => "font/woff2",
        Some("svg") => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    };
    ([(header::CONTENT_TYPE, kind)], *bytes).into_response()
}

async fn session(State(studio): Shared) -> Response {
    json_response(&json!({
        "token": studio.guard.token(),
        "version": env!("CARGO_PKG_VERSION"),
        "folder": studio.folder.path().display().to_string(),
        "writable": studio.folder.writable(),
        "time_limit": studio.limits.time.as_secs_f64(),
        "largest_text": MAX_SOURCE_BYTES,
        "memory_limit": studio.limits.memory,
    }))
}

async fn files(State(studio): Shared) -> Response {
    match aside(move || studio.folder.names()).await {
        Ok(names) => json_response(&json!({ "files": names })),
        Err(error) => {
            refusal(StatusCode::INTERNAL_SERVER_ERROR, &format!("the folder cannot be read: {error}"))
        }
    }
}

async fn read_file(State(studio): Shared, Path(name): Path<String>) -> Response {
    let (name, found) = aside(move || (name.clone(), studio.folder.read(&name))).await;
    match found {
        Ok(found) => json_response(&json!({ "text": found.text, "version": found.version })),
        Err(error) => file_refusal(&name, &error),
    }
}

async fn write_file(State(studio): Shared, Path(name): Path<String>, body: Bytes) -> Response {
    let Some(request) = object(&body) else { return no_object() };
    let Some(text) = request.get("text").and_then(Value::as_str).map(str::to_owned) else {
        return refusal(StatusCode::BAD_REQUEST, "`text` is missing");
    };
    let seen = request.get("version").and_then(Value::as_str).map(str::to_owned);
    let (name, written) =
        aside(move || (name.clone(), studio.folder.write(&name, &text, seen.as_deref()))).await;
    match written {
        Ok(version) => json_response(&json!({ "version": version })),
        Err(error) => file_refusal(&name, &error),
    }
}

/// Does what may wait for a disk where nobody else waits for it.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
    }
}

async fn ask(State(studio): Shared, Path(what): Path<String>, headers: HeaderMap, body: Bytes) -> Response {
    if !REQUESTS.contains(&what.as_str()) {
        return refusal(StatusCode::NOT_FOUND, "there is no such request");
    }
    match begin(&studio, &what, &headers, &body) {
        Ok(mut lines) => {
            let mut last = String::new();
            while let Some(line) = lines.recv().await {
                last = line;
            }
            ([(header::CONTENT_TYPE, "application/json")], last).into_response()
        }
        Err(refused) => refused,
    }
}

async fn run(State(studio): Shared, headers: HeaderMap, body: Bytes) -> Response {
    match begin(&studio, "run", &headers, &body) {
        Ok(lines) => ([(header::CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(Lines(lines)))
            .into_response(),
        Err(refused) => refused,
    }
}

async fn stop(State(studio): Shared, Path(what): Path<String>, headers: HeaderMap) -> Response {
    match lane(&what, &headers) {
        Some(lane) => {
            studio.pool.stop(&lane);
            json_response(&json!({}))
        }
        None => no_page(),
    }
}

#[expect(clippy::result_large_err, reason = "a refusal is a response")]
fn begin(
    studio: &Studio,
    what: &str,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<mpsc::Receiver<String>, Response> {
    let lane = lane(what, headers).ok_or_else(no_page)?;
    let mut request = object(body).ok_or_else(no_object)?;
    request.insert("do".to_owned(), what.into());
    Ok(studio.pool.begin(lane, request))
}

/// The lane of a request: its page, as the header says, and its kind.
fn lane(what: &str, headers: &HeaderMap) -> Option<Lane> {
    let page = headers.get("x-page")?.to_str().ok()?;
    let fits = (1..=64).contains(&page.len()) && page.bytes().all(|b| b.is_ascii_alphanumeric());
    fits.then(|| (page.to_owned(), what.to_owned()))
}

fn object(body: &[u8]) -> Option<Map<String, Value>> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    }
}

fn no_object() -> Response {
    refusal(StatusCode::BAD_REQUEST, "the request is not a JSON object")
}

fn no_page() -> Response {
    refusal(StatusCode::BAD_REQUEST, "the header x-page must name the page, in letters and digits")
}

fn file_refusal(name: &str, error: &FileError) -> Response {
    match error {
        FileError::Name(why) => refusal(StatusCode::BAD_REQUEST, &format!("`{name}`: {why}")),
        FileError::Missing => {
            refusal(StatusCode::NOT_FOUND, &format!("there is no file `{name}` in the folder"))
        }
        FileError::TooLarge => refusal(StatusCode::PAYLOAD_TOO_LARGE, TOO_LARGE),
        FileError::System(why) => refusal(StatusCode::FORBIDDEN, &format!("`{name}`: {why}")),
        FileError::Changed(version) => {
            let message = match version {
                Some(_) => format!("`{name}` was changed elsewhere"),
                None => format!("`{name}` was removed elsewhere"),
            };
            let body = json!({ "failed": { "message": message }, "version": version });
            (StatusCode::CONFLICT, json_response(&body)).into_response()
        }
    }
}

/// Lines as the body of a response; when the reader goes away it is dropped, and the request ends.
struct Lines(mpsc::Receiver<String>);

impl futures_core::Stream for Lines {
    type Item = Result<String, std::convert::Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|line| line.map(|line| Ok(line + "\n")))
    }
}
