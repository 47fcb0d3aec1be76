//! Which statements are behind a force or an inertia that is not a finite number.
//!
//! The terms of M and Q are sums over statements. Each statement's own part is written out and evaluated at the state; what
//! is not finite there is to blame. Where the state is not known, those parts are suspected that can leave the finite numbers.

use super::NAMED;
use crate::kernel_form::Places;
use crate::system::Law;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Function, Node, Pool, Rational, Symbol};
use dalembert_run::Point;
use dalembert_syntax::diagnostic::Diagnostic;
use dalembert_syntax::source::Span;
use rustc_hash::FxHashSet;

/// Pools of more nodes than this are not copied for a message.
const MAX_COPIED: usize = 200_000;

/// What is not a finite number.
#[derive(Clone, Copy)]
pub(super) enum Entry {
    /// An entry of the mass matrix.
    Inertia(usize, usize),
    /// The generalised force on a speed.
    Force(usize),
}

/// Names the statements behind a force or an inertia.
pub(super) fn with_culprits(
    mut d: Diagnostic,
    model: &Workspace,
    entry: Entry,
    at: Option<Point<'_>>,
) -> Diagnostic {
    let Culprits { spans, certain } = culprits(model, entry, at);
    let word = if certain { "and this one" } else { "or this one" };
    d.span = spans.first().copied();
    spans.into_iter().skip(1).take(NAMED).fold(d, |d, span| d.label(span, word))
}

/// Places of statements, each once and in the order of the text.
struct Culprits {
    spans: Vec<Span>,
    /// Whether their parts are not finite; otherwise they may become so.
    certain: bool,
}

/// The statements to blame for an entry, at a state if there is one.
fn culprits(model: &Workspace, entry: Entry, at: Option<Point<'_>>) -> Culprits {
    let mut found = Culprits { spans: Vec::new(), certain: false };
    if model.system.pool.len() > MAX_COPIED {
        return found;
    }
    let mut pool = model.system.pool.clone();
    let parts = parts(model, &mut pool, entry);
    if let Some(at) = at {
        let values = values(model, at);
        let value = |s: Symbol| values.binary_search_by_key(&s, |v| v.0).map_or(f64::NAN, |k| values[k].1);
        found.certain = true;
        let bad = parts.iter().filter(|(_, es)| es.iter().any(|e| !pool.evaluate(*e, value).is_finite()));
        found.spans = bad.map(|(span, _)| *span).collect();
    }
    if found.spans.is_empty() {
        found.certain = false;
        let form = &model.form;
        let state = Places::new(form.coordinates.iter().chain(&form.speeds).chain([&form.time]));
        let suspected =
            parts.iter().filter(|(_, es)| es.iter().any(|e| may_be_infinite(&mut pool, &state, *e)));
        found.spans = suspected.map(|(span, _)| *span).collect();
    }
    found.spans.sort_by_key(|span| span.start);
    found.spans.dedup();
    found
}

/// The values of all symbols of the model at a state, sorted by symbol.
fn values(model: &Workspace, at: Point<'_>) -> Vec<(Symbol, f64)> {
    let form = &model.form;
    let mut values = vec![(form.time, at.t)];
    values.extend(form.coordinates.iter().copied().zip(at.x.iter().copied()));
    values.extend(form.speeds.iter().copied().zip(at.eta.iter().copied()));
    values.extend(model.constants());
    values.sort_unstable_by_key(|v| v.0);
    values
}

/// What each statement adds to an entry: the terms of L2, L3 and Q' as far as it is behind them.
fn parts(model: &Workspace, pool: &mut Pool, entry: Entry) -> Vec<(Span, Vec<Expr>)> {
    let system = &model.system;
    let terms = Terms::new(model);
    let mut found = Vec::new();
    for contribution in &system.forces.contributions {
        let parts: Vec<Expr> = match (&contribution.law, entry) {
            (Law::Energy(e), Entry::Inertia(p, q)) => {
                let momentum = terms.by_speed(pool, *e, p);
                momentum.and_then(|g| terms.by_speed(pool, g, q)).into_iter().collect()
            }
            (Law::Energy(e), Entry::Force(p)) => terms.of_energy(pool, *e, p),
            (Law::Dissipation(R), Entry::Force(p)) => terms.by_speed(pool, *R, p).into_iter().collect(),
            (Law::Forces(forces), Entry::Force(p)) => {
                forces.iter().filter(|(on, _)| *on == p).map(|(_, f)| *f).collect()
            }
            (_, Entry::Inertia(..)) => Vec::new(),
        };
        found.push((contribution.span, parts));
    }
    if let (Some(mass), Some(span), Entry::Inertia(p, q)) =
        (&system.forces.mass, system.forces.mass_span, entry)
    {
        found.push((span, mass.get(p).and_then(|row| row.get(q)).copied().into_iter().collect()));
    }
    found
}

/// Derivatives of what one statement says.
struct Terms {
    speeds: Places,
    /// Coordinates, and time behind them.
    places: Places,
    /// The coordinate whose rate each speed is. In quasi-velocities every slope and momentum may act on every speed.
    coordinate_of: Option<Vec<usize>>,
}

impl Terms {
    fn new(model: &Workspace) -> Self {
        let form = &model.form;
        Terms {
            speeds: Places::new(&form.speeds),
            places: Places::new(form.coordinates.iter().chain([&form.time])),
            coordinate_of: model.system.frame.speeds.iter().map(|s| s.rate_of).collect(),
        }
    }

    /// The derivative by the speed `p`, if that occurs.
    fn by_speed(&self, pool: &mut Pool, e: Expr, p: usize) -> Option<Expr> {
        self.speeds.gradient(pool, e).into_iter().find(|(q, _)| *q == p).map(|(_, g)| g)
    }

    /// What an energy adds to the force on the speed `p`: slopes along it, and the changes of its momentum.
    fn of_energy(&self, pool: &mut Pool, e: Expr, p: usize) -> Vec<Expr> {
        let mut slopes = self.places.gradient(pool, e);
        match &self.coordinate_of {
            Some(of) => slopes.retain(|(i, _)| of.get(p) == Some(i)),
            None => slopes.extend(self.speeds.gradient(pool, e)),
        }
        if let Some(momentum) = self.by_speed(pool, e, p) {
            slopes.extend(self.places.gradient(pool, momentum));
        }
        slopes.into_iter().map(|(_, e)| e).collect()
    }
}

/// Whether an expression of finite numbers can be infinite or undefined at some state.
fn may_be_infinite(pool: &mut Pool, state: &Places, e: Expr) -> bool {
    let (mut seen, mut left) = (FxHashSet::default(), vec![e]);
    while let Some(e) = left.pop() {
        if !seen.insert(e) || state.present(pool, e).is_empty() {
            continue;
        }
        let node = pool.node(e).clone();
        node.for_each_child(|child| left.push(child));
        let suspected = match node {
            Node::Product(factors) => {
                factors.iter().any(|(base, power)| awkward(power) && !state.present(pool, *base).is_empty())
            }
            Node::Power(..) => true,
            Node::Call(f, _) => {
                matches!(f, Function::Tan | Function::Asin | Function::Acos | Function::Exp | Function::Log)
                    || matches!(f, Function::Acosh | Function::Atanh)
            }
            _ => false,
        };
        if suspected {
            return true;
        }
    }
    false
}

/// Whether not every number has such a power.
fn awkward(power: &Rational) -> bool {
    power.is_negative() || !power.is_integer()
}
