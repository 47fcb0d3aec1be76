//! The end of a run in words.

use super::last_time;
use dalembert::Motion;
use dalembert::compile::CodeStats;
use dalembert::number::number;
use dalembert::simulate::IntegralReport;
use dalembert_run::Stop;

/// How a run went, as names and values for people; the same at every run.
pub fn facts(motion: &Motion) -> Vec<(String, String)> {
    let (counters, outcome) = (motion.counters(), &motion.outcome);
    let mut facts: Vec<(String, String)> = Vec::new();
    let mut put = |name: &str, value: String| facts.push((name.to_owned(), value));
    put("run", ending(motion));
    match &motion.integral {
        Some(integral) => from_integral(&mut put, integral),
        None => put("method", motion.method.to_string()),
    }
    if motion.integral.is_none() {
        put("steps", format!("{} ({} rejected)", counters.steps, counters.rejected));
        put("evaluations", counters.evaluations.to_string());
    }
    if counters.jacobians > 0 {
        put(
            "jacobians",
            format!("{} ({})", counters.jacobians, counted(counters.factorisations, "factorisation")),
        );
    }
    if let Some(code) = &motion.code {
        put("code", code_in_words(code));
    }
    put("rows", motion.table.rows().count().to_string());
    if outcome.generic_rank > 0 {
        let residual = format!(
            "{:.1e} position, {:.1e} velocity (scaled)",
            outcome.largest_position_residual, outcome.largest_velocity_residual
        );
        put("largest residual", residual);
        put("constraint rank", outcome.generic_rank.to_string());
    }
    if counters.rank_crossings > 0 {
        put("singular passages", format!("{} (constraints lost rank, or nearly)", counters.rank_crossings));
    }
    if outcome.degenerate_start {
        put("start", "constraints lose rank there; the motion continues the branch around it".to_owned());
    }
    if let (Some((first, deviation)), Some(change)) = (motion.energy, motion.energy_change) {
        put(
            "energy",
            format!("{} at the start, change {change:.3e}, largest deviation {deviation:.3e}", plain(first)),
        );
    }
    if let Some(b) = &motion.balance {
        let works = [
            ("non-conservative", b.nonconservative),
            ("moving constraints", b.ideal),
            ("non-ideal", b.nonideal),
            ("control", b.control),
            ("explicit time", b.explicit),
            ("events", b.events.unwrap_or(0.0)),
        ];
        let largest = works.iter().fold(b.change.abs(), |m, (_, work)| m.max(work.abs()));
        let shown: Vec<String> = works
            .iter()
            .filter(|(_, work)| work.abs() > 1e-12 * largest)
            .map(|(name, work)| format!("{name} {work:.6e}"))
            .collect();
        let shown = if shown.is_empty() { "no work".to_owned() } else { shown.join(" + ") };
        put("energy balance", format!("{:.6e} = {shown}, open by {:.1e}", b.change, b.defect.abs()));
    }
    if let Some(action) = motion.action {
        put("action", plain(action));
    }
    events(&mut facts, motion);
    facts
}

fn ending(motion: &Motion) -> String {
    let t = plain(last_time(motion));
    match motion.outcome.stop {
        Stop::EndTime => format!("reached t = {t}"),
        Stop::Event(_) => {
            let name = motion.events.last().map_or("event", |event| event.name.as_str());
            format!("stopped by event `{name}` at t = {t}")
        }
        Stop::Cancelled => format!("interrupted at t = {t}; what was computed is kept"),
        Stop::Failed(_) => format!("failed after t = {t}; what was computed is kept"),
    }
}

/// Operations of an acceleration before and after, and what runs them.
fn code_in_words(code: &CodeStats) -> String {
    let made = if code.native_bytes > 0 { "native" } else { "interpreted" };
    match &code.whole {
        Some(w) => format!(
            "{} operations an acceleration ({} as derived; {} done once), {made}",
            w.each.total(),
            w.derived.total(),
            w.once.total()
        ),
        None => {
            let derived = code.derived.total();
            let before = match code.terms.total() {
                terms if terms < derived => format!(" ({derived} as derived)"),
                _ => String::new(),
            };
            format!("{} operations for M, Q, A, b{before}, {made}", code.terms.total())
        }
    }
}

/// A motion that was solved from a complete integral.
fn from_integral(put: &mut impl FnMut(&str, String), integral: &IntegralReport) {
    let verified = &integral.verified;
    put("method", "complete integral (b = dS/da solved for the coordinates)".to_owned());
    put(
        "dS/dt + H = 0",
        match verified.proved {
            true => "proved".to_owned(),
            false => format!("at {} places, to {:.0e} of its terms", verified.points, verified.worst),
        },
    );
    let constants = integral.constants.iter().zip(&integral.b);
    let constants: Vec<String> =
        constants.map(|((name, a), b)| format!("{name} = {}, b_{name} = {}", plain(*a), plain(*b))).collect();
    put("constants", constants.join("; "));
    if integral.cuts > 0 {
        put("cuts of S", format!("{} (b taken anew behind each)", integral.cuts));
    }
    put("difference", format!("{:.1e} from the integrated motion", integral.difference));
}

/// Counts of events, with the times of the first few.
fn events(facts: &mut Vec<(String, String)>, motion: &Motion) {
    const SHOWN: usize = 5;
    let mut names: Vec<&str> = Vec::new();
    for event in &motion.events {
        if !names.contains(&event.name.as_str()) {
            names.push(&event.name);
        }
    }
    for name in names {
        let times: Vec<f64> = motion.events.iter().filter(|e| e.name == name).map(|e| e.t).collect();
        let shown: Vec<String> = times.iter().take(SHOWN).map(|t| plain(*t)).collect();
        let more = if times.len() > SHOWN { ", ..." } else { "" };
        facts.push((
            format!("event {name}"),
            format!("{}: t = {}{more}", counted(times.len(), "time"), shown.join(", ")),
        ));
    }
}

/// A number in full, without a sign on zero.
fn plain(value: f64) -> String {
    number(value + 0.0)
}

/// `1 row`, `2 rows`.
fn counted(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}
