//! The numbers of a plot, for a page that draws them itself and shows the values at a place.
//!
//! ```text
//! {
//!   "x": {"name": "t", "unit": "s", "power": false, "values": f64[rows]},     ascending; power: shown as 10^x
//!   "panels": [{"title": "coordinates [m]", "lines": [{"name": "x", "unit": "m", "values": f64[rows]}]}],
//!   "marks": [[x, y, true], ...]       of the last panel: stable, unstable (false) or not known (null)
//! }
//! ```
//!
//! `f64[n]` is base64 as in films (`animation/json.rs`). All values are those of rows of the table: of a long table the
//! rows are chosen where the still picture needs them, so that the page stays small.

use super::{Plot, thin};
use crate::animation::doubles;
use serde_json::{Value, json};

/// Numbers of a page at most: a quarter of a megabyte in base64.
pub(super) const MAX_NUMBERS: usize = 24_000;
/// Buckets along the axis at first, as fine as the still picture.
const BUCKETS: usize = 1400;

impl Plot<'_> {
    /// The document at the head of this file.
    pub(super) fn numbers(&self) -> Value {
        let rows = self.shown_rows();
        let pick =
            |column: usize| doubles(&rows.iter().map(|k| self.table.row(*k)[column]).collect::<Vec<_>>());
        let line = |column: &usize| json!({ "name": self.table.columns[*column], "unit": self.unit(*column), "values": pick(*column) });
        // Points that nothing joins are marks, not a line.
        let joined = |column: &usize| {
            let values = self.column(*column);
            values.windows(2).any(|pair| pair.iter().all(|v| v.is_finite()))
        };
        let panels: Vec<Value> = self
            .panels
            .iter()
            .map(|panel| {
                let lines = panel.columns.iter().filter(|c| self.marks.is_empty() || joined(c)).map(line);
                json!({ "title": self.heading(panel), "lines": lines.collect::<Vec<_>>() })
            })
            .collect();
        let marks: Vec<Value> = self.marks.iter().map(|m| json!([m.at.0, m.at.1, m.stable])).collect();
        let mut x = match &self.power {
            Some((name, unit)) => json!({ "name": name, "unit": unit, "power": true }),
            None => json!({ "name": self.table.columns.first(), "unit": self.unit(0), "power": false }),
        };
        x["values"] = json!(pick(0));
        json!({ "x": x, "panels": panels, "marks": marks })
    }

    /// Rows of the table in ascending order of its first column: all, or those that show as much.
    fn shown_rows(&self) -> Vec<usize> {
        let x = self.column(0);
        let mut all: Vec<usize> = (0..x.len()).filter(|k| x[*k].is_finite()).collect();
        if !all.is_sorted_by(|a, b| x[*a] <= x[*b]) {
            all.sort_by(|a, b| x[*a].total_cmp(&x[*b]));
        }
        let columns: Vec<Vec<f64>> =
            self.panels.iter().flat_map(|p| &p.columns).map(|c| self.column(*c)).collect();
        let most = MAX_NUMBERS / (1 + columns.len());
        let mut buckets = BUCKETS;
        while all.len() > most {
            let kept = thin::rows(&all, &x, &columns, buckets);
            if kept.len() <= most || buckets <= 1 {
                return kept;
            }
            buckets /= 2;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dalembert::simulate::Table;

    fn decoded(text: &Value) -> Vec<f64> {
        let six = |c: u8| match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        let text = text.as_str().unwrap().trim_end_matches('=');
        let bits: Vec<u8> = text.bytes().flat_map(|c| (0..6).rev().map(move |b| six(c) >> b & 1)).collect();
        let bytes: Vec<u8> = bits.chunks_exact(8).map(|b| b.iter().fold(0, |v, bit| v << 1 | bit)).collect();
        bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
    }

    fn table(rows: usize, value: impl Fn(usize) -> f64) -> Table {
        let values = (0..rows).flat_map(|k| [k as f64 * 0.01, value(k)]).collect();
        Table { columns: vec!["t".into(), "x".into()], values }
    }

    #[test]
    fn short_tables_are_there_to_the_last_bit() {
        let table = table(101, |k| (k as f64 * 0.3).sin() / 3.0);
        let units = [Some("s".to_owned()), Some("m".to_owned())];
        let document = Plot::of_table("forces", &table, &units).numbers();
        assert_eq!(document["x"]["unit"], "s");
        let panel = &document["panels"][0];
        assert_eq!((&panel["title"], &panel["lines"][0]["unit"]), (&json!("forces [m]"), &json!("m")));
        let shown = decoded(&panel["lines"][0]["values"]);
        assert_eq!(shown, table.rows().map(|row| row[1]).collect::<Vec<_>>());
    }

    #[test]
    fn long_tables_show_rows_of_theirs_with_peaks_and_gaps() {
        let spike = |k: usize| if k == 123_457 { 9.0 } else { (k as f64 * 0.001).sin() };
        let table = table(200_000, |k| if k == 77_777 { f64::NAN } else { spike(k) });
        let document = Plot::of_table("", &table, &[None, None]).numbers();
        let (t, x) =
            (decoded(&document["x"]["values"]), decoded(&document["panels"][0]["lines"][0]["values"]));
        assert!(t.len() == x.len() && t.len() <= MAX_NUMBERS / 2, "{}", t.len());
        assert!(t.is_sorted() && x.contains(&9.0) && x.iter().any(|v| v.is_nan()));
        for (t, x) in t.iter().zip(&x) {
            let row = table.row((t / 0.01).round() as usize);
            assert!(row[0] == *t && (row[1] == *x || row[1].is_nan() && x.is_nan()));
        }
    }

    #[test]
    fn marks_stand_alone_where_nothing_joins_them() {
        let gap = f64::NAN;
        let values = vec![0.0, gap, -1.0, 2.0, 0.0, gap, -1.0, -2.0, 0.0, gap];
        let table = Table { columns: vec!["real".into(), "imaginary".into()], values };
        let document = Plot::of_poles("", &table).numbers();
        assert_eq!(document["panels"][0]["lines"], json!([]));
        assert_eq!(document["marks"], json!([[-1.0, 2.0, true], [-1.0, -2.0, true]]));
    }
}
