//! Forces along the motion: multipliers and sizes of constraint forces by name, friction, control.

use super::html::{self, Cell};
use super::system::cut;
use super::{Draft, Tag};
use crate::Plot;
use crate::documents;
use dalembert::Model;
use dalembert::simulate::{Motion, Table};
use dalembert::system::{Output, Speed};
use dalembert_expr::Symbol;
use dalembert_syntax::diagnostic::Severity;
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;

/// Forces that are followed along the motion at most.
pub const MAX_FORCES: usize = 80;

/// The model with its forces among its outputs, so that they are those of the run itself.
pub(super) struct Observed {
    /// `None` where there is nothing to follow, or too much.
    model: Option<Model>,
    /// Each force, in the order of the added columns.
    forces: Vec<Followed>,
    /// How many there are.
    all: usize,
}

impl Observed {
    pub fn new(model: &Model) -> Observed {
        let wanted = symbols(model);
        let none = Observed { model: None, forces: Vec::new(), all: wanted.len() };
        if wanted.is_empty() || wanted.len() > MAX_FORCES {
            return none;
        }
        let mut system = model.system.clone();
        for force in &wanted {
            let value = system.pool.var(force.symbol);
            let (name, kind) = (force.name.clone(), UnitInfo::Missing);
            system.experiment.outputs.push(Output { name, value, kind, span: Span::at(0) });
        }
        match Model::of(system, model.diagnostics.clone()) {
            Ok(observed) => Observed { model: Some(observed), forces: wanted, ..none },
            Err(_) => none,
        }
    }

    /// What is to be run.
    pub fn model<'m>(&'m self, model: &'m Model) -> &'m Model {
        self.model.as_ref().unwrap_or(model)
    }

    /// The motion with the columns of the model itself, and the forces.
    pub fn split(&self, mut motion: Motion) -> (Motion, Table) {
        let width = motion.table.columns.len();
        let own = width - self.forces.len();
        let mut forces = Table { columns: vec!["t".to_owned()], values: Vec::new() };
        forces.columns.extend(motion.table.columns.drain(own..));
        let mut kept = Vec::new();
        for row in motion.table.values.chunks(width.max(1)) {
            kept.extend_from_slice(&row[..own]);
            forces.values.push(row[0]);
            forces.values.extend_from_slice(&row[own..]);
        }
        motion.table.values = kept;
        (motion, forces)
    }
}

/// A force that is followed along the motion.
struct Followed {
    name: String,
    what: &'static str,
    unit: Option<String>,
    symbol: Symbol,
}

/// What can be followed.
fn symbols(model: &Model) -> Vec<Followed> {
    let (s, o) = (&model.system, &model.system.observables);
    let mut all = Vec::new();
    let rows = s.constraints.rows.iter().zip(&o.multipliers);
    all.extend(rows.enumerate().map(|(r, (row, symbol))| Followed {
        name: format!("λ {}", row.name),
        what: "multiplier",
        unit: s.unit_of_multiplier(r),
        symbol: *symbol,
    }));
    let is_contact = |k: usize| s.contacts.iter().any(|contact| contact.constraint == Some(k));
    let constraints = s.constraints.named.iter().zip(&o.reactions).enumerate();
    // A norm of forces and moments together means nothing.
    let mixed = s.mixes_force_units();
    let constraints = constraints.filter(|(k, _)| is_contact(*k) || !mixed);
    all.extend(constraints.map(|(k, (c, symbol))| {
        let what = match is_contact(k) {
            true => "normal force N of the contact",
            false => "size of the constraint force",
        };
        Followed { name: format!("|{}|", c.name), what, unit: s.unit_of_reaction(), symbol: *symbol }
    }));
    let mut friction = o.friction.iter();
    for contact in &s.contacts {
        for (k, symbol) in friction.by_ref().take(contact.velocity.len()).enumerate() {
            let part = if contact.velocity.len() == 1 { String::new() } else { format!(" {}", k + 1) };
            let name = format!("friction {}{part}", contact.name);
            all.push(Followed { name, what: "friction", unit: None, symbol: *symbol });
        }
    }
    let per_speed = |list: &[Symbol], there: bool, word: &str, what: &'static str| -> Vec<_> {
        let speeds = s.frame.speeds.iter().zip(list).enumerate().filter(|_| there);
        let force = |(p, (speed, symbol)): (usize, (&Speed, &Symbol))| {
            let (name, unit) = (format!("{word} {}", speed.name), s.unit_of_force(p));
            Followed { name, what, unit, symbol: *symbol }
        };
        speeds.map(force).collect()
    };
    all.extend(per_speed(&o.nonideal, s.constraints.nonideal.is_some(), "Q_ni on", "non-ideal force (U3)"));
    all.extend(per_speed(&o.control, !s.control.rows.is_empty(), "u on", "control force"));
    all
}

pub(super) fn section(draft: &mut Draft, observed: &Observed, table: &Table) -> String {
    if observed.all == 0 {
        let words = "No constraint, friction or control forces act; impressed forces follow from the state.";
        return html::section("forces", "Forces", &html::paragraph(words));
    }
    if observed.forces.is_empty() {
        return html::section("forces", "Forces", &at_start(draft, observed));
    }
    draft.rests_on(&[Tag::U2]);
    let forces = observed.forces.iter().enumerate();
    let rows: Vec<Vec<Cell>> = forces.map(|(k, force)| extremes(table, k + 1, force)).collect();
    let mut body = html::paragraph(
        "Along the motion, at the rows of its table. A multiplier λ belongs to a row written as left side minus right side; \
         the size |…| of the force of a constraint is the norm of its generalised force on the speeds, at a contact with friction the normal force N.",
    );
    let head = ["force", "what", "unit", "at the start", "least", "at t", "greatest", "at t"];
    body.push_str(&cut(&head, rows));
    if table.rows().count() > 1 {
        let mut units = vec![draft.model.system.unit_of_column("t")];
        units.extend(observed.forces.iter().map(|force| force.unit.clone()));
        let plot = Plot::of_table("forces", table, &units);
        body.push_str(&html::figure(&plot.svg(), "Forces over time."));
    }
    html::section("forces", "Forces", &body)
}

/// A force with its least and greatest finite value; rows without a value are counted.
fn extremes(table: &Table, column: usize, force: &Followed) -> Vec<Cell> {
    let (mut least, mut greatest, mut missing) =
        ((f64::NAN, f64::INFINITY), (f64::NAN, f64::NEG_INFINITY), 0);
    for row in table.rows() {
        let (t, value) = (row[0], row[column]);
        if !value.is_finite() {
            missing += 1;
            continue;
        }
        // What differs by rounding alone counts as the same, so that the first time is told.
        let rounding = 1e-10 * value.abs();
        if value < least.1 - rounding {
            least = (t, value);
        }
        if value > greatest.1 + rounding {
            greatest = (t, value);
        }
    }
    let first = table.rows().next().map_or(f64::NAN, |row| row[column]);
    let what = match missing {
        0 => force.what.to_owned(),
        1 => format!("{}; at 1 row it has no value", force.what),
        _ => format!("{}; at {missing} rows it has no value", force.what),
    };
    let unit = force.unit.clone().unwrap_or_default();
    let numbers = [first, least.1, least.0, greatest.1, greatest.0];
    [Cell::code(&table.columns[column]), Cell::text(what), Cell::text(unit)]
        .into_iter()
        .chain(numbers.map(Cell::Number))
        .collect()
}

/// Too many to follow: what acts at the start.
fn at_start(draft: &mut Draft, observed: &Observed) -> String {
    let words = format!(
        "There are {} multipliers and forces, more than the {MAX_FORCES} that are followed along the motion. At the start:",
        observed.all
    );
    let start = draft.model.start().and_then(|start| draft.model.evaluate(&start.state));
    let now = match start {
        Ok(now) => now,
        Err(diagnostic) => return draft.trouble(diagnostic.severity(Severity::Warning)),
    };
    let rows = documents::reactions(draft.model, &now)
        .into_iter()
        .map(|(name, size)| vec![Cell::code(name), Cell::Number(size)]);
    html::paragraph(&words) + &cut(&["constraint", "size of its force"], rows.collect())
}
