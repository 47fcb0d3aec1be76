//! Files to keep: tables, pictures, the animation, equations, source text.

use super::{WorkerRequest, failed, motion, refusal};
use dalembert::equations::Form;
use dalembert::{Model, Source};
use dalembert_codegen as code;
use dalembert_expr::Format;
use dalembert_view::{Animation, Plot};
use serde_json::{Value, json};

/// The file that is asked for: `{file, mime, text}`, or `hex` in place of `text` where the file is no text.
pub fn export(model: &Model, source: &Source, order: &WorkerRequest<'_>) -> Result<Value, Value> {
    let what = order.text("what").unwrap_or_default();
    let name = code::identifier(order.text("name").unwrap_or("model").trim_end_matches(".dal"));
    let file = |ending: &str, mime: &str, text: String| {
        Ok(json!({ "file": format!("{name}.{ending}"), "mime": mime, "text": text }))
    };
    let wrong = |d: Box<_>| refusal(&[*d], source);
    match what {
        "latex" => {
            let form: Form = order.text("form").unwrap_or("lagrange").parse().map_err(wrong)?;
            file("tex", "text/x-tex", model.equations(form, Format::Latex).map_err(wrong)? + "\n")
        }
        "c" => file("c", "text/x-c", code::write(model, code::Target::C, &name).map_err(wrong)?),
        "rust" => file("rs", "text/x-rust", code::write(model, code::Target::Rust, &name).map_err(wrong)?),
        "python" => {
            file("py", "text/x-python", code::write(model, code::Target::Python, &name).map_err(wrong)?)
        }
        "live" => {
            let motion = motion::simulate(model, source, order)?;
            let page = dalembert_view::live_page(&mut model.workspace(), &motion).map_err(wrong)?;
            file("html", "text/html", page)
        }
        "csv" | "json" | "parquet" | "svg" | "html" => {
            let title = model.system.title.clone().unwrap_or_default();
            let motion = motion::simulate(model, source, order)?;
            let units = model.system.units_of(&motion.table.columns);
            let mut bytes = Vec::new();
            let written = match what {
                "csv" => dalembert_view::csv(&motion.table, &mut bytes),
                "json" => dalembert_view::json(&motion.table, &units, &mut bytes),
                "parquet" => dalembert_view::parquet(&motion.table, &units, &[("title", &title)], &mut bytes),
                "svg" => return file("svg", "image/svg+xml", Plot::of_motion(model, &motion.table).svg()),
                _ => {
                    let film = Animation::new(model, &motion).map_err(wrong)?;
                    return file("html", "text/html", dalembert_view::animation_page(&film));
                }
            };
            written.map_err(|error| failed(&format!("the file could not be made: {error}"), ""))?;
            match String::from_utf8(bytes) {
                Ok(text) => file(what, if what == "csv" { "text/csv" } else { "application/json" }, text),
                Err(raw) => Ok(json!({
                    "file": format!("{name}.{what}"),
                    "mime": "application/octet-stream",
                    "hex": hex(raw.as_bytes()),
                })),
            }
        }
        _ => Err(failed(&format!("`{what}` is nothing that can be exported"), "")),
    }
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |d: u8| char::from(DIGITS[usize::from(d)]);
    bytes.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]).collect()
}
