//! Responses that every part of the server gives: JSON, and refusals in words.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use dalembert::source::MAX_SOURCE_BYTES;
use serde_json::{Value, json};

/// Longest body of a request: a text of the largest size, and what is around it.
pub const MAX_BODY: usize = MAX_SOURCE_BYTES + 64 * 1024;

/// The message about texts above [`MAX_SOURCE_BYTES`].
pub const TOO_LARGE: &str = "the text is larger than a model may be";

/// A JSON document.
pub fn json_response(value: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

/// A refusal in words.
pub fn refusal(status: StatusCode, message: &str) -> Response {
    (status, json_response(&json!({ "failed": { "message": message } }))).into_response()
}
