//! The start, the motion, and what follows from the run: forces, balance, accuracy.

use super::html::{self, Cell};
use super::system::cut;
use super::{Draft, Stage, Tag, forces, formula, results};
use crate::{Animation, documents};
use crate::{Plot, strobe};
use dalembert::Model;
use dalembert::number::DIGITS;
use dalembert::simulate::{Motion, Request, Table};
use dalembert::system::InitialTarget;
use dalembert_run::{ConsistentState, Flow, Stop};
use dalembert_syntax::diagnostic::{Code, Diagnostic, Severity};

/// Instants of the table.
const INSTANTS: usize = 9;
/// Columns of the table besides the time at most.
const MAX_COLUMNS: usize = 28;
/// Events at most.
const MAX_EVENTS: usize = 40;
/// Letters across a page in a table, and those that the space between two columns takes.
const LETTERS: usize = 80;
const BETWEEN: usize = 3;
/// Work is integrated by itself up to so many speeds.
const BALANCED: usize = 60;

/// Everything about the start and the motion from it.
pub(super) fn sections(draft: &mut Draft, progress: &mut dyn FnMut(Stage) -> Flow) -> String {
    let start = match draft.model.start() {
        Ok(start) => start,
        Err(diagnostic) => return html::section("start", "Starting state", &draft.trouble(*diagnostic)),
    };
    let mut out = html::section("start", "Starting state", &starting(draft, &start));
    if !draft.wanted.motion {
        return out;
    }
    if draft.wanted.request.until.is_none() && draft.model.system.experiment.run.is_none() {
        let d = Diagnostic::new(Code::BadOption, None, "no end time is given for the simulation");
        let d = d
            .severity(Severity::Warning)
            .help("write `simulate until 10` in the model, or give `--until 10`");
        return out + &html::section("motion", "Motion", &draft.trouble(d));
    }
    let observed = forces::Observed::new(draft.model);
    let request = request(draft);
    let run = observed.model(draft.model).simulate(&request, |t| progress(Stage::Motion(t)));
    let motion = match run {
        Ok(motion) => motion,
        Err(diagnostic) => return out + &html::section("motion", "Motion", &draft.trouble(*diagnostic)),
    };
    draft.rests_on(&[Tag::U1]);
    let (motion, forces) = observed.split(motion);
    out.push_str(&html::section("motion", "Motion", &moved(draft, &motion)));
    out.push_str(&forces::section(draft, &observed, &forces));
    out.push_str(&results::balance(draft, &motion));
    out.push_str(&results::accuracy(draft, &motion, &request));
    out
}

fn request(draft: &Draft) -> Request {
    let model = draft.model;
    let mut request = draft.wanted.request.clone();
    let variational = request.method.as_deref().is_some_and(|name| name.starts_with("variational"));
    let small = model.form.speeds.len() <= BALANCED;
    request.balance =
        (small && !variational && model.system.energies.total.is_some()).then_some(true).or(request.balance);
    request.forces = draft.wanted.player;
    request
}

fn starting(draft: &Draft, start: &ConsistentState) -> String {
    let model = draft.model;
    let n_x = model.form.coordinates.len();
    let given = |k: usize| {
        let target = k.checked_sub(n_x).map_or(InitialTarget::Coordinate(k), InitialTarget::Speed);
        match model.system.experiment.initial.iter().rev().find(|i| i.target == target) {
            Some(i) if i.fixed => ("given", model.system.pool.as_number(i.value)),
            Some(_) => ("near a guess", None),
            None => ("found", None),
        }
    };
    let pairs = documents::state_pairs(model, &start.state);
    let rows = pairs.into_iter().enumerate().map(|(k, (name, value))| {
        let symbol = formula::inline(&draft.notation.name(name));
        let (how, written) = given(k);
        vec![Cell::Html(symbol), Cell::code(name), Cell::exact(written, value), Cell::text(how)]
    });
    let rows: Vec<Vec<Cell>> = rows.collect();
    let words = "The consistent state nearest to the values of the model; values that are not given are guessed as zero.";
    html::paragraph(words) + &cut(&["symbol", "in the model", "value at t = 0", "how"], rows)
}

/// Pictures and the table.
fn moved(draft: &mut Draft, motion: &Motion) -> String {
    let mut out = html::paragraph(&ending(draft.model, motion));
    if let Some(failure) = &motion.failure {
        out.push_str(&draft.trouble(failure.clone()));
    } else if motion.outcome.stop == Stop::Cancelled {
        let message = format!("the run was interrupted at t = {}", documents::last_time(motion));
        out.push_str(&draft.trouble(Diagnostic::error(Code::BadOption, None, message)));
    }
    for warning in &motion.warnings {
        out.push_str(&draft.trouble(warning.clone()));
    }
    out.push_str(&film(draft, motion));
    if motion.table.rows().count() > 1 {
        let mut plot = Plot::of_motion(draft.model, &motion.table);
        plot.title.clear();
        out.push_str(&html::figure(&plot.svg(), "Coordinates, speeds and outputs over time."));
    }
    out + &instants(draft.model, &motion.table) + &events(draft.model, motion)
}

fn ending(model: &Model, motion: &Motion) -> String {
    let facts = documents::facts(model, motion, DIGITS);
    let run = facts.iter().find(|(name, _)| name == "run").map_or("", |(_, value)| value.as_str());
    format!("The run {run}. Method {}, {} rows.", motion.method, motion.table.rows().count())
}

fn film(draft: &mut Draft, motion: &Motion) -> String {
    let film = match Animation::new(draft.model, motion) {
        Ok(film) => film,
        Err(diagnostic) => return draft.trouble(diagnostic.severity(Severity::Warning)),
    };
    let mut out = match strobe(&film) {
        Some(svg) => html::figure(&svg, "The motion at some instants."),
        None => String::new(),
    };
    if draft.wanted.player {
        out.push_str(&format!("<div class=\"player\">\n{}</div>\n", crate::player::player(&film)));
    }
    out
}

/// The table at a handful of times, in pieces that fit across a page.
fn instants(model: &Model, table: &Table) -> String {
    let count = table.rows().count();
    if count == 0 {
        return String::new();
    }
    let shown = INSTANTS.min(count);
    let rows: Vec<usize> = (0..shown).map(|k| (count - 1) * k / (shown - 1).max(1)).collect();
    let columns = table.columns.len().min(MAX_COLUMNS + 1);
    let named: Vec<String> = table
        .columns
        .iter()
        .map(|name| match model.system.unit_of_column(name) {
            Some(unit) => format!("{name} [{unit}]"),
            None => name.clone(),
        })
        .collect();
    let width = |c: usize| {
        let numbers = rows.iter().map(|k| html::letters(&html::number(table.row(*k)[c])));
        numbers.chain([named[c].chars().count()]).max().unwrap_or(0) + BETWEEN
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = html::heading("At some times");
    for piece in across(&widths) {
        let head: Vec<&str> = [0].iter().chain(&piece).map(|c| named[*c].as_str()).collect();
        let row = |k: &usize| [0].iter().chain(&piece).map(|c| Cell::Number(table.row(*k)[*c])).collect();
        let rows: Vec<Vec<Cell>> = rows.iter().map(row).collect();
        out.push_str(&html::table(&head, &rows));
    }
    if table.columns.len() > columns {
        out.push_str(&html::remark(&format!("{} more columns are left out.", table.columns.len() - columns)));
    }
    out
}

/// Columns of pieces that fit across a page, each beside the first column, which is in all of them.
fn across(widths: &[usize]) -> Vec<Vec<usize>> {
    let Some((first, others)) = widths.split_first() else { return Vec::new() };
    let (mut pieces, mut used): (Vec<Vec<usize>>, usize) = (Vec::new(), 0);
    for (k, wide) in others.iter().enumerate() {
        match pieces.last_mut() {
            Some(last) if used + wide <= LETTERS => {
                last.push(k + 1);
                used += wide;
            }
            _ => {
                pieces.push(vec![k + 1]);
                used = first + wide;
            }
        }
    }
    pieces
}

fn events(model: &Model, motion: &Motion) -> String {
    let said: Vec<(String, String)> = documents::facts(model, motion, DIGITS)
        .into_iter()
        .filter(|(name, _)| name.starts_with("event "))
        .map(|(name, value)| (name, html::measured(&value)))
        .collect();
    let Some(shown) = said.chunks(MAX_EVENTS).next() else { return String::new() };
    let mut out = html::heading("Events") + &html::facts(shown);
    if said.len() > MAX_EVENTS {
        out.push_str(&html::remark(&format!("{} more events are left out.", said.len() - MAX_EVENTS)));
    }
    out
}
