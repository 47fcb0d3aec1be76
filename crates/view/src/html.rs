//! A plot as a page that stands alone: the drawing and a table of facts about the run.

use super::markup::escaped;
use super::plot::Drawing;

const STYLE: &str = "body{font-family:Helvetica,Arial,sans-serif;color:#222;background:#fff;max-width:60rem;margin:2rem auto;padding:0 1rem}\
svg{width:100%;height:auto}table{border-collapse:collapse;margin-top:1rem}\
th,td{text-align:left;padding:.25rem 1.5rem .25rem 0;border-bottom:1px solid #ddd;font-weight:normal;vertical-align:top}\
th{color:#666}td{font-variant-numeric:tabular-nums}";

/// The page: the plot and `(name, value)` rows. It needs nothing from outside.
pub fn html(plot: &dyn Drawing, facts: &[(String, String)]) -> String {
    let title = escaped(if plot.title().is_empty() { "Motion" } else { plot.title() });
    let rows: String = facts
        .iter()
        .map(|(name, value)| format!("<tr><th>{}</th><td>{}</td></tr>\n", escaped(name), escaped(value)))
        .collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n{}<table>\n{rows}</table>\n</body>\n</html>\n",
        plot.svg()
    )
}
