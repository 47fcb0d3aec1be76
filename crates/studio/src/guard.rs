//! Who may speak to the server: the page it served, from this machine, and nobody else.
//!
//! - `Host` must be ours: a foreign name that resolves to 127.0.0.1 (DNS rebinding) is turned away.
//! - `Origin`, where a browser sends one, must be ours: other pages are turned away.
//! - What is not a GET needs the token of this process, in a header that no form of another page can send.

use crate::connections::whole;
use crate::responses::{self, MAX_BODY, TOO_LARGE};
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, HOST, HeaderName, HeaderValue, ORIGIN};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

/// The header that carries the token.
pub const TOKEN: &str = "x-dalembert-token";

/// Scripts from here only, nothing from elsewhere. Styles may be written by scripts: the editor and the equations do.
const POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; object-src 'none'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS: [(&str, &str); 5] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("cache-control", "no-store"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// What requests are measured against.
pub struct Guard {
    hosts: Vec<String>,
    token: String,
}

impl Guard {
    /// A guard with a new token.
    pub fn new(port: u16) -> Guard {
        let names = ["127.0.0.1", "localhost"];
        let mut hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
        if port == 80 {
            hosts.extend(names.map(str::to_owned)); // browsers leave the port of HTTP away
        }
        Guard { hosts, token: random() + &random() }
    }

    /// The token, for the page.
    pub fn token(&self) -> &str {
        &self.token
    }

    fn refusal(&self, method: &Method, headers: &HeaderMap) -> Option<(StatusCode, &'static str)> {
        let text = |name: HeaderName| headers.get(name).map(|v| v.to_str().unwrap_or("?"));
        let ours = |host: &str| self.hosts.iter().any(|known| known == host);
        if !text(HOST).is_some_and(ours) || headers.get_all(HOST).iter().count() != 1 {
            let why = "this server answers as 127.0.0.1 or localhost only";
            return Some((StatusCode::MISDIRECTED_REQUEST, why));
        }
        if text(ORIGIN).is_some_and(|origin| !origin.strip_prefix("http://").is_some_and(ours)) {
            return Some((StatusCode::FORBIDDEN, "another page may not speak to this server"));
        }
        let token = || headers.get(TOKEN).is_some_and(|v| v.as_bytes() == self.token.as_bytes());
        if *method != Method::GET && *method != Method::HEAD && !token() {
            return Some((
                StatusCode::FORBIDDEN,
                "this page belongs to a studio that has ended: load the page again",
            ));
        }
        None
    }
}

/// Turns away who may not ask, and puts the headers on every answer.
pub async fn watch(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let mut response = match guard.refusal(request.method(), request.headers()) {
        Some((status, why)) => responses::refusal(status, why),
        None => match whole(request, MAX_BODY).await {
            Ok(request) => in_json(next.run(request).await).await,
            Err(refusal) => refusal,
        },
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Refusals of the framework, such as of a body that is too large, in the form of our own.
async fn in_json(response: Response) -> Response {
    let status = response.status();
    let kind = response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    if !(status.is_client_error() || status.is_server_error()) || kind == Some(b"application/json") {
        return response;
    }
    let said = to_bytes(response.into_body(), 1000).await.unwrap_or_default();
    match (status, String::from_utf8_lossy(&said).trim()) {
        (StatusCode::PAYLOAD_TOO_LARGE, _) => responses::refusal(status, TOO_LARGE),
        (_, "") => responses::refusal(status, status.canonical_reason().unwrap_or("the request was refused")),
        (_, said) => responses::refusal(status, said),
    }
}

/// 64 bits that nobody can guess: a keyed hash whose keys come from the system.
pub fn random() -> String {
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u128(std::time::UNIX_EPOCH.elapsed().map_or(0, |d| d.as_nanos()));
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(method: Method, pairs: &[(&'static str, &str)], guard: &Guard) -> Option<u16> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        guard.refusal(&method, &headers).map(|(status, _)| status.as_u16())
    }

    #[test]
    fn only_the_own_page_passes() {
        let guard = Guard::new(80);
        let token = guard.token().to_owned();
        let host = ("host", "127.0.0.1:80");
        assert_eq!(refused(Method::GET, &[host], &guard), None);
        assert_eq!(refused(Method::GET, &[("host", "localhost:80")], &guard), None);
        assert_eq!(refused(Method::GET, &[("host", "localhost")], &guard), None);
        assert_eq!(refused(Method::GET, &[("host", "localhost")], &Guard::new(81)), Some(421));
        assert_eq!(refused(Method::GET, &[], &guard), Some(421));
        assert_eq!(refused(Method::GET, &[("host", "evil.example:80")], &guard), Some(421));
        assert_eq!(refused(Method::GET, &[host, ("host", "evil.example")], &guard), Some(421));
        assert_eq!(refused(Method::GET, &[host, ("origin", "http://evil.example")], &guard), Some(403));
        assert_eq!(refused(Method::GET, &[host, ("origin", "null")], &guard), Some(403));
        assert_eq!(refused(Method::POST, &[host], &guard), Some(403));
        assert_eq!(refused(Method::POST, &[host, (TOKEN, "0000")], &guard), Some(403));
        let good = [host, ("origin", "http://127.0.0.1:80"), (TOKEN, token.as_str())];
        assert_eq!(refused(Method::POST, &good, &guard), None);
        assert_ne!(Guard::new(80).token(), token);
    }
}
