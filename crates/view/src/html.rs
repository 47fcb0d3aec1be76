//! A plot as a page that stands alone: the drawing and a table of facts about the run.
//!
//! The still picture is there for readers without scripts and for printing. Where scripts run, the page draws the same
//! numbers itself, with a cursor that shows values and with zoom (`assets/plot/plot.js`).

use super::markup::escaped;
use super::player::{PAGE_STYLE, POLICY, WATCH, inlined};
use super::plot::Drawing;

const STYLE: &str = include_str!("../assets/plot/plot.css");
const MODULES: [&str; 3] = [
    include_str!("../assets/player/film.js"),
    include_str!("../assets/plot/plot.js"),
    include_str!("../assets/plot/field.js"),
];

/// Replaces the still picture, or shows its values; the page can be asked how it went.
const START: &str = "const still = document.getElementById('still');
const numbers = JSON.parse(document.getElementById('numbers').textContent);
const host = document.getElementById('plots');
if (numbers.field) readField(host, still.querySelector('svg'), numbers.field);
else plotInto(host, numbers);
still.hidden = !numbers.field;
mark.wide = document.documentElement.scrollWidth > innerWidth;";

/// The page: what went wrong, the plot and `(name, value)` rows. It needs nothing from outside.
pub fn html(plot: &dyn Drawing, facts: &[(String, String)], failures: &[String]) -> String {
    let title = escaped(if plot.title().is_empty() { "Plot" } else { plot.title() });
    let rows: String = facts
        .iter()
        .map(|(name, value)| {
            format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(name), escaped(value))
        })
        .collect();
    let table = match rows.is_empty() {
        true => String::new(),
        false => format!("<table class=\"dal-facts\">\n{rows}</table>\n"),
    };
    let failures: String =
        failures.iter().map(|text| format!("<p class=\"dal-failure\">{}</p>\n", escaped(text))).collect();
    let numbers = plot.numbers();
    // Colours that mean something are the same in the dark.
    let class = match &numbers {
        Some(numbers) if numbers.get("field").is_none() => "dal-still",
        _ => "dal-still dal-colours",
    };
    let script = numbers.map(|numbers| {
        let numbers = numbers.to_string().replace('<', "\\u003c");
        let modules: String = MODULES.iter().map(|text| inlined(text)).collect();
        format!(
            "<script>{WATCH}</script>\n<script type=\"application/json\" id=\"numbers\">{numbers}</script>\n\
             <script type=\"module\">\n{modules}{START}\n</script>\n"
        )
    });
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{title}</title>\n<style>\n{PAGE_STYLE}{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n{failures}\
         <div id=\"plots\"></div>\n<div class=\"{class}\" id=\"still\">\n{}</div>\n{table}</main>\n{}</body>\n</html>\n",
        labelled(&plot.figure(), &title),
        script.unwrap_or_default(),
    )
}

/// A drawing with its name for those who cannot see it.
fn labelled(svg: &str, title: &str) -> String {
    svg.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"plot: {title}\" "), 1)
}
