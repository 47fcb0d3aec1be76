//! The end of a run in words.

use super::last_time;
use dalembert::compile::CodeStats;
use dalembert::number::rounded;
use dalembert::simulate::IntegralReport;
use dalembert::{Model, Motion};
use dalembert_run::Stop;

/// How a run went, as names and values for people with so many significant digits; the same at every run.
pub fn facts(model: &Model, motion: &Motion, digits: usize) -> Vec<(String, String)> {
    let plain = |value: f64| rounded(value, digits);
    let unit = model.system.energies.unit.shown().map_or(String::new(), |unit| format!(" {unit}"));
    let (counters, outcome) = (motion.counters(), &motion.outcome);
    let mut facts: Vec<(String, String)> = Vec::new();
    let mut put = |name: &str, value: String| facts.push((name.to_owned(), value));
    put("run", ending(motion, digits));
    match &motion.integral {
        Some(integral) => from_integral(&mut put, integral, digits),
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
        put(code_runner(code), code_in_words(code));
    }
    put("rows", motion.table.rows().count().to_string());
    if outcome.generic_rank > 0 {
        let residual = format!(
            "{} position, {} velocity (scaled)",
            tiny(outcome.largest_position_residual),
            tiny(outcome.largest_velocity_residual)
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
            format!(
                "{}{unit} at the start, change {}{unit}, largest deviation {}{unit}",
                plain(first),
                rounded(change, 3),
                rounded(deviation, 3)
            ),
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
            .map(|(name, work)| format!("{name} {}{unit}", plain(*work)))
            .collect();
        let residual = format!("residual {}{unit}", rounded(b.defect.abs(), 2));
        put(
            "energy balance",
            match shown.is_empty() {
                true => residual,
                false => format!("change {}{unit} = {}, {residual}", plain(b.change), shown.join(" + ")),
            },
        );
    }
    if let Some(action) = motion.action {
        put("action", plain(action));
    }
    if let Some(abbreviated) = motion.abbreviated_action {
        put("abbreviated action", format!("{} (integral of p dq)", plain(abbreviated)));
    }
    events(&mut facts, motion, digits);
    facts
}

fn ending(motion: &Motion, digits: usize) -> String {
    let t = format!("{} s", rounded(last_time(motion), digits));
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

/// What runs the equations.
fn code_runner(code: &CodeStats) -> &'static str {
    if code.native_bytes > 0 { "JIT" } else { "interpreter" }
}

/// Operations of an evaluation of the accelerations, before and after optimization.
fn code_in_words(code: &CodeStats) -> String {
    match &code.whole {
        Some(w) => format!(
            "{} operations per evaluation ({} before optimization, {} hoisted)",
            w.each.total(),
            w.derived.total(),
            w.once.total()
        ),
        None => {
            let derived = code.derived.total();
            let before = match code.terms.total() {
                terms if terms < derived => format!(" ({derived} before optimization)"),
                _ => String::new(),
            };
            format!("{} operations per evaluation of M, Q, A, b{before}", code.terms.total())
        }
    }
}

/// A motion that was solved from a complete integral.
fn from_integral(put: &mut impl FnMut(&str, String), integral: &IntegralReport, digits: usize) {
    let plain = |value: f64| rounded(value, digits);
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
    if verified.free.len() < integral.constants.len() {
        let free = verified.free.iter().filter_map(|k| integral.constants.get(*k));
        let free: Vec<&str> = free.map(|(name, _)| name.as_str()).collect();
        put(
            "free constants",
            format!("{}, each with its b; the motion does not depend on the others", free.join(", ")),
        );
    }
    if integral.cuts > 0 {
        put("cuts of S", format!("{} (b taken anew behind each)", integral.cuts));
    }
    put("difference", format!("{} from the integrated motion", tiny(integral.difference)));
}

/// Counts of events, with the times of the first few.
fn events(facts: &mut Vec<(String, String)>, motion: &Motion, digits: usize) {
    const SHOWN: usize = 5;
    let mut names: Vec<&str> = Vec::new();
    for event in &motion.events {
        if !names.contains(&event.name.as_str()) {
            names.push(&event.name);
        }
    }
    for name in names {
        let times: Vec<f64> = motion.events.iter().filter(|e| e.name == name).map(|e| e.t).collect();
        let shown: Vec<String> = times.iter().take(SHOWN).map(|t| rounded(*t, digits)).collect();
        let more = if times.len() > SHOWN { ", ..." } else { "" };
        facts.push((
            format!("event {name}"),
            format!("{}: t = {}{more} s", counted(times.len(), "time"), shown.join(", ")),
        ));
    }
}

/// `1 row`, `2 rows`.
/// A residual or an error, of which only the size is of interest.
fn tiny(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:.1e}") }
}

fn counted(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}
