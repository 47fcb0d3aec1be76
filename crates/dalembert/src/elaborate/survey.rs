//! What is known of the names of a model, for editors: shape, unit, value, kind. It is taken from the elaborator
//! itself, so that an editor says of a name what the engine understands by it.

use super::roles::Role;
use super::scope::Binding;
use super::value::Value;
use super::{Elaborator, Overrides};
use crate::system::Constraint;
use dalembert_expr::{Expr, Symbol};
use dalembert_syntax::Ast;
use dalembert_syntax::units::{Dimension, UnitInfo};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// How many expressions, members and turns of loops are looked at: a small part of what a model may have, so that
/// the answer comes while somebody waits for it. Names declared beyond are not known.
const SURVEYED_STEPS: usize = 50_000;

/// What is known of the names of a model.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// Constants, parameters, coordinates, speeds, `let` names and outputs, families by their plain name.
    pub names: BTreeMap<String, Fact>,
    /// Constraints and requirements, families by their plain name.
    pub constraints: BTreeMap<String, ConstraintFact>,
}

/// What is known of a name; of a family, what is known of its first member.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// `a scalar`, `a vector of 3`, `a condition`.
    pub shape: String,
    /// The coherent SI unit, where it is known.
    pub unit: Option<Dimension>,
    /// Its value in SI, where parameters decide it.
    pub value: Option<f64>,
    /// How many members the family has that were looked at; 0 for a plain name.
    pub members: usize,
}

/// What is known of a constraint or requirement; of a family, of its first member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstraintFact {
    /// How many scalar equations it has.
    pub rows: usize,
    /// No rate occurs in it.
    pub holonomic: bool,
    /// Linear in the rates.
    pub linear: bool,
    /// Time occurs in it.
    pub rheonomic: bool,
}

/// Looks at the names of a model, whatever may be wrong with the rest of it.
///
/// ```
/// use dalembert::{Source, elaborate::survey, syntax::parse};
/// let (ast, _) = parse(&Source::new("", "parameter l = 50 {cm}, half = l/2\ncoordinate q[1..3]\npotential oops"));
/// let survey = survey(&ast);
/// assert_eq!(survey.names["half"].value, Some(0.25));
/// assert_eq!(survey.names["half"].unit.as_ref().unwrap().to_string(), "m");
/// assert_eq!(survey.names["q"].members, 3);
/// ```
pub fn survey(ast: &Ast) -> Survey {
    let overrides = Overrides::default();
    let mut this = Elaborator::new(&overrides);
    this.budget = SURVEYED_STEPS;
    this.read_model(ast);
    Survey { names: this.facts(), constraints: this.constraint_facts() }
}

impl Elaborator<'_> {
    fn facts(&mut self) -> BTreeMap<String, Fact> {
        let mut families: BTreeMap<String, (usize, String)> = BTreeMap::new();
        for name in self.scope.names() {
            let (plain, member) = match name.split_once('[') {
                Some((plain, _)) => (plain, 1),
                None => (name.as_str(), 0),
            };
            let (members, first) = families.entry(plain.to_owned()).or_insert((0, name.clone()));
            *members += member;
            if order(&name) < order(first) {
                first.clone_from(&name);
            }
        }
        let values = self.parameter_values();
        let fact = |(plain, (members, first)): (String, (usize, String))| {
            let binding = self.scope.get(&first)?.clone();
            Some((plain, self.fact(binding, members, &values)?))
        };
        families.into_iter().filter_map(fact).collect()
    }

    fn fact(&mut self, binding: Binding, members: usize, values: &FxHashMap<Symbol, f64>) -> Option<Fact> {
        let value = match &binding {
            Binding::Poisoned | Binding::Body(_) | Binding::Frame(_) => return None,
            Binding::Joint | Binding::Freedom(..) | Binding::FreedomSpeed(..) => return None,
            _ => self.bound_value(binding),
        };
        let (unit, number) = match &value {
            Value::Scalar(e, kind) => (unit_of(kind), self.known_number(*e, values)),
            Value::Vector(parts) => (common_unit(parts), None),
            Value::Condition(_) => (None, None),
        };
        Some(Fact { shape: value.describe(), unit, value: number, members })
    }

    /// The values of the parameters, each over those before it.
    pub(super) fn parameter_values(&mut self) -> FxHashMap<Symbol, f64> {
        let mut values = FxHashMap::default();
        for p in 0..self.parameters.len() {
            let (symbol, e) = (self.parameters[p].symbol, self.parameters[p].value);
            let value = self.pool.evaluate(e, |s| values.get(&s).copied().unwrap_or(f64::NAN));
            values.insert(symbol, value);
        }
        values
    }

    /// The value of an expression of parameters.
    fn known_number(&mut self, e: Expr, values: &FxHashMap<Symbol, f64>) -> Option<f64> {
        if self.pool.symbols(&[e]).iter().any(|s| !values.contains_key(s)) {
            return None;
        }
        Some(self.pool.evaluate(e, |s| values[&s])).filter(|value| value.is_finite())
    }

    fn constraint_facts(&mut self) -> BTreeMap<String, ConstraintFact> {
        let mut facts = BTreeMap::new();
        for k in 0..self.constraints.list.len() {
            let Constraint { name, rows, .. } = self.constraints.list[k].clone();
            let residuals: Vec<Expr> = self.constraints.rows[rows].iter().map(|row| row.residual).collect();
            self.constraint_fact(&mut facts, &name, &residuals);
        }
        for k in 0..self.control.requirements.len() {
            let Constraint { name, rows, .. } = self.control.requirements[k].clone();
            let residuals: Vec<Expr> = self.control.rows[rows].iter().map(|row| row.residual).collect();
            self.constraint_fact(&mut facts, &name, &residuals);
        }
        facts
    }

    fn constraint_fact(
        &mut self,
        facts: &mut BTreeMap<String, ConstraintFact>,
        name: &str,
        residuals: &[Expr],
    ) {
        let plain = name.split('[').next().unwrap_or(name);
        if facts.contains_key(plain) {
            return;
        }
        let symbols = self.pool.symbols(residuals);
        let rates: Vec<Symbol> = symbols.iter().copied().filter(|s| self.role(*s) == Role::Rate).collect();
        let fact = ConstraintFact {
            rows: residuals.len(),
            holonomic: rates.is_empty(),
            linear: residuals.iter().all(|e| self.pool.linear(*e, &rates).is_some()),
            rheonomic: symbols.contains(&self.time),
        };
        facts.insert(plain.to_owned(), fact);
    }
}

/// Members by their subscripts as numbers: `q[2]` is before `q[10]`.
fn order(name: &str) -> Vec<i64> {
    let inside = name.split_once('[').map_or("", |(_, inside)| inside.trim_end_matches(']'));
    inside.split(',').filter_map(|index| index.parse().ok()).collect()
}

fn unit_of(kind: &UnitInfo) -> Option<Dimension> {
    match kind {
        UnitInfo::Known(dimension) => Some(dimension.clone()),
        UnitInfo::Missing | UnitInfo::Number => None,
    }
}

/// The unit that all components share.
fn common_unit(parts: &[Value]) -> Option<Dimension> {
    let of = |value: &Value| match value {
        Value::Scalar(_, kind) => unit_of(kind),
        Value::Vector(parts) => common_unit(parts),
        Value::Condition(_) => None,
    };
    let first = of(parts.first()?)?;
    parts.iter().all(|part| of(part).as_ref() == Some(&first)).then_some(first)
}
