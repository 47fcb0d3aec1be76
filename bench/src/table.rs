//! The table of a run: one row a work, ours, each peer, the ratio to the best peer, the aim.

use std::fmt::Write;

/// One peer's figure.
pub struct Figure {
    /// Who, and by what means where that matters.
    pub name: String,
    /// In the unit of the row.
    pub value: f64,
}

/// One work.
pub struct Line {
    /// What is done.
    pub work: String,
    /// Unit of all figures; for rates more is better.
    pub unit: &'static str,
    /// Whether the figures are rates.
    pub rate: bool,
    /// Ours.
    pub ours: f64,
    /// Those that were there.
    pub peers: Vec<Figure>,
    /// The aim in words, and whether it is met; nothing where none is set.
    pub aim: Option<(String, bool)>,
    /// Remarks: errors, tolerances, what is scaled.
    pub remark: String,
}

impl Line {
    /// The best peer's figure over ours for times, ours over the peer's for rates: how many times faster we are.
    pub fn advantage(&self) -> Option<f64> {
        let peers = self.peers.iter().map(|p| p.value);
        if self.rate {
            peers.reduce(f64::max).map(|best| self.ours / best)
        } else {
            peers.reduce(f64::min).map(|best| best / self.ours)
        }
    }
}

fn number(value: f64) -> String {
    match value.abs() {
        v if v >= 1000.0 => format!("{value:.0}"),
        v if v >= 100.0 => format!("{value:.1}"),
        v if v >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.2e}"),
    }
}

/// All rows as Markdown.
pub fn write(lines: &[Line]) -> String {
    let mut out = String::from(
        "| work | ours | peers | times faster than the best peer | aim | met | remarks |\n|---|---|---|---|---|---|---|\n",
    );
    for line in lines {
        let peers: Vec<String> =
            line.peers.iter().map(|p| format!("{} {}", p.name, number(p.value))).collect();
        let (aim, met) = match &line.aim {
            Some((aim, met)) => (aim.as_str(), if *met { "yes" } else { "**no**" }),
            None => ("", ""),
        };
        let advantage = line.advantage().map_or("no peer".to_owned(), |a| {
            if a < 1.0 { format!("**{a:.2}** (slower)") } else { format!("{a:.2}") }
        });
        let _ = writeln!(
            out,
            "| {} | {} {} | {} | {advantage} | {aim} | {met} | {} |",
            line.work,
            number(line.ours),
            line.unit,
            peers.join("; "),
            line.remark
        );
    }
    out
}
