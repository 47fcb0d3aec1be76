//! A model as data, and its text.

use super::expression::{Expression as E, HyperDual, Place, name};
use crate::support::Rng;

/// A constant with its dimension.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// In SI units.
    pub value: f64,
    pub dimension: usize,
    /// Which unit of its dimension it is written in.
    pub unit: usize,
}

/// Units of each dimension with what they are in SI; the first is SI.
pub const UNITS: [&[(&str, f64)]; 5] = [
    &[("kg", 1.0), ("g", 1e-3), ("t", 1e3)],
    &[("J", 1.0), ("kJ", 1e3), ("mJ", 1e-3)],
    &[("N", 1.0), ("kN", 1e3), ("mN", 1e-3)],
    &[("rad", 1.0), ("deg", std::f64::consts::PI / 180.0)],
    &[("1/s", 1.0), ("1/ms", 1e3), ("1/min", 1.0 / 60.0)],
];

/// `left = right`, a constraint or a requirement.
#[derive(Clone, Debug)]
pub struct Row {
    pub name: String,
    pub left: E,
    pub right: E,
    pub holonomic: bool,
    /// The multiplier of the equation as first written is this times the one of the equation as it is now.
    pub scale: E,
}

/// What a coefficient of non-ideal work is multiplied by.
#[derive(Clone, Debug, PartialEq)]
pub enum Reads {
    Nothing,
    Multiplier(usize),
    Reaction(usize),
}

/// `nonideal work coefficient*reads*delta(coordinate)`.
#[derive(Clone, Debug)]
pub struct Law {
    pub coordinate: usize,
    pub coefficient: E,
    pub reads: Reads,
}

/// `friction on row`; the normal force is the multiplier of the equation as first written.
#[derive(Clone, Debug)]
pub struct Contact {
    pub row: usize,
    pub coefficient: f64,
    pub velocity: E,
}

#[derive(Clone, Debug)]
pub struct Requirement {
    pub row: Row,
    pub k1: f64,
    pub k0: f64,
}

#[derive(Clone, Debug, Default)]
pub struct Description {
    pub parameters: Vec<Parameter>,
    /// Coordinates in the order of their declaration.
    pub coordinates: Vec<usize>,
    pub kinetic: Vec<E>,
    pub potential: Vec<E>,
    pub lagrangian: Vec<E>,
    pub dissipation: Vec<E>,
    pub forces: Vec<(usize, E)>,
    pub forces_at: Vec<([E; 2], [E; 2])>,
    pub rows: Vec<Row>,
    pub laws: Vec<Law>,
    pub contacts: Vec<Contact>,
    pub requirements: Vec<Requirement>,
    pub actuated: Vec<usize>,
    pub events: Vec<E>,
    pub speeds: Vec<(String, E)>,
    /// Guesses of coordinates and rates.
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub t: f64,
    /// Statements that are there already, in their final form.
    pub more: Vec<String>,
    /// Seed of the order of statements.
    pub order: Option<u64>,
    /// This constraint and the next are written as one of two components.
    pub joined: Option<usize>,
    /// Whether single multipliers are unique.
    pub multipliers: bool,
    /// Whether the energy is that of the model as first written.
    pub energy: bool,
}

impl Description {
    pub fn n(&self) -> usize {
        self.q.len()
    }

    pub fn values(&self) -> Vec<f64> {
        self.parameters.iter().map(|p| p.value).collect()
    }

    /// The value of an expression at the start.
    pub fn value(&self, e: &E) -> f64 {
        let plain = |values: &[f64]| values.iter().map(|f| HyperDual::new(*f, 0.0, 0.0)).collect::<Vec<_>>();
        let (q, v, parameters) = (plain(&self.q), plain(&self.v), self.values());
        e.at(&Place { q: &q, v: &v, t: HyperDual::new(self.t, 0.0, 0.0), parameters: &parameters }).f
    }

    /// Every expression replaced; definitions of speeds and outputs stay.
    pub fn map(&self, change: &impl Fn(&E) -> Option<E>) -> Self {
        let mut new = self.clone();
        let row = |row: &mut Row| {
            for e in [&mut row.left, &mut row.right, &mut row.scale] {
                *e = e.map(change);
            }
        };
        let energies = [&mut new.kinetic, &mut new.potential, &mut new.lagrangian, &mut new.dissipation];
        energies.into_iter().flatten().chain(&mut new.events).for_each(|e| *e = e.map(change));
        new.forces.iter_mut().for_each(|(_, e)| *e = e.map(change));
        new.forces_at.iter_mut().for_each(|(f, _)| f.iter_mut().for_each(|e| *e = e.map(change)));
        new.forces_at.iter_mut().for_each(|(_, p)| p.iter_mut().for_each(|e| *e = e.map(change)));
        new.rows.iter_mut().for_each(row);
        new.requirements.iter_mut().for_each(|r| row(&mut r.row));
        new.laws.iter_mut().for_each(|law| law.coefficient = law.coefficient.map(change));
        new.contacts.iter_mut().for_each(|c| c.velocity = c.velocity.map(change));
        new
    }

    pub fn text(&self) -> String {
        let mut lines = self.declarations();
        let (mut first, mut then) = (self.dynamics(), self.users());
        if let Some(seed) = self.order {
            let mut rng = Rng::new(seed);
            shuffle(&mut first, &mut rng);
            shuffle(&mut then, &mut rng);
        }
        lines.extend(first);
        lines.extend(self.more.iter().cloned());
        lines.extend(then);
        lines.join("\n") + "\n"
    }

    fn declarations(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (k, p) in self.parameters.iter().enumerate() {
            let (unit, size) = UNITS[p.dimension][p.unit];
            lines.push(format!("parameter p{k} = {} {{{unit}}}", p.value / size));
        }
        let names: Vec<&str> = self.coordinates.iter().map(|i| name(*i)).collect();
        lines.push(format!("coordinate {}", names.join(", ")));
        lines.extend(self.speeds.iter().map(|(u, e)| format!("speed {u} = {e}")));
        lines
    }

    /// Energies, forces, constraints.
    fn dynamics(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let energies = [
            ("kinetic", &self.kinetic),
            ("potential", &self.potential),
            ("lagrangian", &self.lagrangian),
            ("dissipation", &self.dissipation),
        ];
        for (word, list) in energies {
            lines.extend(list.iter().map(|e| format!("{word} {e}")));
        }
        lines.extend(self.forces.iter().map(|(i, e)| format!("force {} = {e}", name(*i))));
        lines.extend(
            self.forces_at.iter().map(|(f, p)| format!("force [{}, {}] at [{}, {}]", f[0], f[1], p[0], p[1])),
        );
        for (k, r) in self.rows.iter().enumerate() {
            let first = self.joined.is_some_and(|j| j + 1 == k).then(|| &self.rows[k - 1]);
            match first {
                _ if self.joined == Some(k) => {}
                None => lines.push(format!("constraint {}: {} = {}", r.name, r.left, r.right)),
                Some(f) => lines
                    .push(format!("constraint both: [{}, {}] = [{}, {}]", f.left, r.left, f.right, r.right)),
            }
        }
        lines
    }

    /// What names constraints, and what asks for results.
    fn users(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for law in &self.laws {
            let reads = match law.reads {
                Reads::Nothing => String::new(),
                Reads::Multiplier(r) => format!("{}*multiplier({})*", self.rows[r].scale, self.rows[r].name),
                Reads::Reaction(r) => format!("reaction({})*", self.rows[r].name),
            };
            lines.push(format!("nonideal work {reads}{}*delta({})", law.coefficient, name(law.coordinate)));
        }
        for c in &self.contacts {
            let row = &self.rows[c.row];
            lines.push(format!(
                "friction on {}: coefficient {}, velocity {}, normal {}*multiplier({})",
                row.name, c.coefficient, c.velocity, row.scale, row.name
            ));
        }
        for r in &self.requirements {
            let decay = if r.row.holonomic { format!("{}, {}", r.k1, r.k0) } else { r.k0.to_string() };
            lines.push(format!("require {}: {} = {} decay {decay}", r.row.name, r.row.left, r.row.right));
        }
        if !self.actuated.is_empty() {
            let names: Vec<&str> = self.actuated.iter().map(|i| name(*i)).collect();
            lines.push(format!("actuate {}", names.join(", ")));
        }
        lines.extend(self.events.iter().enumerate().map(|(k, e)| format!("event e{k}: {e}")));
        for i in 0..self.n() {
            let q = name(i);
            lines.push(format!("initial {q} ~ {:?}, {q}' ~ {:?}", self.q[i], self.v[i]));
            lines.push(format!("output acceleration{i} = {q}''"));
            lines.push(format!("output ideal{i} = ideal({q})"));
            lines.push(format!("output nonideal{i} = nonideal({q})"));
            lines.push(format!("output control{i} = control({q})"));
        }
        if self.multipliers {
            let rows = self.rows.iter().enumerate();
            lines.extend(
                rows.map(|(k, r)| format!("output multiplier{k} = {}*multiplier({})", r.scale, r.name)),
            );
        }
        lines.push("output total = energy".into());
        lines
    }
}

fn shuffle(lines: &mut [String], rng: &mut Rng) {
    for k in (1..lines.len()).rev() {
        lines.swap(k, rng.below(k + 1));
    }
}
