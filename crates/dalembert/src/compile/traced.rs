//! M, Q and eta' of models with bodies by recursions over the tree, in place of those in symbols.
//!
//! What the model states besides bodies (drives, springs, applied forces, constraints) comes from symbols and is added.
//! Checked against the road through symbols by `tests/it/bodies/roads.rs` and by `verify`.

use super::Inputs;
use super::programs::{Scatter, Scattered};
use super::tree::{Closing, TreePlan};
use super::unrolled_laws as laws;
use super::unrolled_solve::{
    Candidate, Entries, Layout, MAX_OPERATIONS, MAX_RECURSIVE, MAX_SPARSE, Term, UnrolledSolve, Wanted,
};
use crate::kernel_form::KernelForm;
use crate::system::System;
use dalembert_expr::{Expr, Pool, Symbol};
use dalembert_multibody::{
    Acted, Looped, Num, Row, Tracer, Tree, articulated, bias, closure, composite, energies, inertial_forces,
};
use dalembert_tape::{Builder, Program, Value};
use rustc_hash::FxHashMap;

/// Unknowns beyond which unrolling is not tried.
const MAX_SPEEDS: usize = 40;
/// Unknowns beyond which M of bodies is not factored without loops.
const MAX_FACTORED: usize = 100;
/// Unknowns of a net of bodies beyond which it is not tried: the search for zeros is cubic.
const MAX_NET: usize = 300;
/// Links below which loops over classes of links are not tried.
const MIN_LOOPED_LINKS: usize = 60;
/// Operations beyond which such loops are faster than straight-line code, which then no longer fits the caches.
const MIN_LOOPED: usize = 20_000;

impl UnrolledSolve {
    /// With these rows, which stand for all. `None` where the system does not lend itself to it: other forces than ideal
    /// ones follow the constraints, it is too large, or the rows leave nothing free.
    pub fn new(system: &mut System, form: &KernelForm, wanted: Wanted<'_>) -> Option<Self> {
        let (n, m) = (form.speeds.len(), wanted.rows.len());
        if !laws::are_unrolled(system, form, wanted) || n == 0 || m >= n {
            return None;
        }
        let symbols = match form.is_deferred || n > MAX_SPEEDS {
            true => None,
            false => Self::from_symbols(system, form, wanted),
        };
        let recursive = if m == 0 && is_plain(system, form) { recursive(system, form) } else { None };
        let factored = match n > MAX_SPEEDS && recursive.is_some() || n > MAX_FACTORED {
            true => None,
            false => factored(system, form, wanted),
        };
        let by_recursion =
            shorter(factored, recursive).into_iter().map(|candidate| candidate.hoisted(wanted.fixed));
        symbols.into_iter().chain(by_recursion).min_by_key(|solve| solve.hoisted.each.counts().work())
    }
}

/// A tape with the tree on it, and the parts that come from symbols.
struct Traced {
    tape: Builder,
    tree: Tree,
    x_dot: Vec<Term>,
    /// Lower entries of M besides that of bodies.
    mass: Vec<(usize, usize, Value)>,
    /// Q besides that of bodies.
    force: Vec<Term>,
    rows: Vec<RowSource>,
    closings: Vec<Closing>,
}

/// Where a row of A and b comes from.
enum RowSource {
    /// Entries and right side from symbols.
    Symbols(Vec<(usize, Value)>, Term),
    /// A row of a joint that closes a loop.
    Closure(usize, usize),
}

impl Traced {
    /// With these rows, on a tape with some inputs besides those of the state and the parameters.
    fn new(system: &mut System, form: &KernelForm, rows: &[usize], besides_state: usize) -> Option<Traced> {
        let besides = form.besides_bodies.as_ref()?;
        let plan = TreePlan::of(system)?;
        let mass: Vec<_> = besides.mass_matrix.entries().filter(|(p, q, _)| q <= p).collect();
        let mut list: Vec<Expr> = form.x_dot.iter().chain(&besides.force).copied().collect();
        list.extend(mass.iter().map(|(.., e)| *e));
        let closures: Vec<Option<(usize, usize)>> =
            rows.iter().map(|&r| plan.closure_of(system, r)).collect();
        for (&r, _) in rows.iter().zip(&closures).filter(|(_, closure)| closure.is_none()) {
            list.extend(form.constraint_matrix[r].iter().map(|(_, e)| *e));
            list.push(form.constraint_right[r]);
        }
        plan.expressions(&mut list);
        let inputs = Inputs::of(system, form);
        let mut tape = Builder::new(inputs.state.len() + besides_state);
        let lowered = system.pool.lower_into(&mut tape, &inputs.state, &list);
        let values: FxHashMap<Expr, Value> = list.into_iter().zip(lowered).collect();
        let (tree, closings) = plan.build(&mut tape, &values);
        let term = |e: &Expr| (*e != Pool::ZERO).then(|| values[e]);
        let mut traced = Traced {
            x_dot: form.x_dot.iter().map(term).collect(),
            mass: mass.iter().map(|(p, q, e)| (*p, *q, values[e])).collect(),
            force: besides.force.iter().map(term).collect(),
            rows: Vec::new(),
            closings,
            tape,
            tree,
        };
        for (&r, closure) in rows.iter().zip(&closures) {
            traced.rows.push(match closure {
                Some((joint, k)) => RowSource::Closure(*joint, *k),
                None => {
                    let entries = form.constraint_matrix[r].iter().map(|(p, e)| (*p, values[e])).collect();
                    RowSource::Symbols(entries, term(&form.constraint_right[r]))
                }
            });
        }
        Some(traced)
    }

    /// How many lower entries of M belong to bodies.
    fn mass_entries(&self) -> usize {
        let links = &self.tree.links;
        let mut above = vec![0; links.len()];
        let mut entries = 0;
        for (i, link) in links.iter().enumerate() {
            above[i] = link.parent.map_or(0, |p| above[p]) + link.freedom.count();
            entries += above[i] * link.freedom.count();
        }
        entries
    }

    /// `M z` over the inputs of the tape and z behind them.
    fn columns(mut self, form: &KernelForm) -> Program {
        let n = self.tree.speeds;
        let first = 1 + form.coordinates.len() + n + form.parameters.len();
        let z: Vec<Num> = (0..n).map(|q| Num::Value(self.tape.input(first + q))).collect();
        let mut t = Tracer::new(&mut self.tape);
        let motion = bias(&mut t, &self.tree);
        let mut forces = inertial_forces(&mut t, &self.tree, &motion, &z);
        for (p, q, v) in &self.mass {
            let one = t.mul(Num::Value(*v), z[*q]);
            forces[*p] = t.add(forces[*p], one);
            if p != q {
                let other = t.mul(Num::Value(*v), z[*p]);
                forces[*q] = t.add(forces[*q], other);
            }
        }
        let outputs: Vec<Value> = forces.into_iter().map(|f| t.value(f)).collect();
        self.tape.finish(&outputs)
    }

    /// Q, and M by composite inertias where it is wanted.
    fn entries(mut self, with_mass: bool) -> Entries {
        let n = self.tree.speeds;
        let mut t = Tracer::new(&mut self.tape);
        let motion = bias(&mut t, &self.tree);
        let needed = motion.forces(&mut t, &self.tree);
        let own = if with_mass { composite(&mut t, &self.tree, &motion) } else { Vec::new() };
        let mut M: Vec<Vec<Num>> = (0..n).map(|i| vec![Num::Zero; i + 1]).collect();
        let besides = self.mass.iter().filter(|_| with_mass).map(|(p, q, v)| (*p, *q, Num::Value(*v)));
        for (p, q, entry) in own.into_iter().chain(besides) {
            M[p][q] = t.add(M[p][q], entry);
        }
        let mut Q = Vec::with_capacity(n);
        for (applied, needed) in self.force.iter().zip(needed) {
            let sum = t.sub(number(*applied), needed);
            Q.push(term(&mut t, sum));
        }
        let M = M.into_iter().map(|row| row.into_iter().map(|e| term(&mut t, e)).collect()).collect();
        let closures: Vec<Vec<Row>> = self
            .closings
            .iter()
            .map(|closing| {
                let [first, second] = &closing.places;
                closure(&mut t, &self.tree, &motion, [first, second], &closing.rows)
            })
            .collect();
        let (mut A, mut b) = (Vec::new(), Vec::new());
        for row in &self.rows {
            let mut dense = vec![None; n];
            match row {
                RowSource::Symbols(entries, right) => {
                    entries.iter().for_each(|(p, v)| dense[*p] = Some(*v));
                    b.push(*right);
                }
                RowSource::Closure(joint, k) => {
                    let (entries, right) = &closures[*joint][*k];
                    entries.iter().for_each(|(p, e)| dense[*p] = term(&mut t, *e));
                    b.push(term(&mut t, *right));
                }
            }
            A.push(dense);
        }
        Entries { tape: self.tape, x_dot: self.x_dot, M, Q, A, b }
    }
}

fn number(term: Term) -> Num {
    term.map_or(Num::Zero, Num::Value)
}

fn term(t: &mut Tracer<'_>, a: Num) -> Term {
    (!a.is_zero()).then(|| t.value(a))
}

/// Entries of M that are written out.
const MAX_ENTRIES: usize = 3_000;

/// x', M, Q, A, b of all rows by recursions; where M has too many entries the rest, and a program of M z. `optional` where
/// there is another way.
pub(super) fn terms(
    system: &mut System,
    form: &KernelForm,
    optional: bool,
) -> Option<(Scattered, Option<Program>)> {
    let rows: Vec<usize> = (0..form.constraint_matrix.len()).collect();
    let traced = Traced::new(system, form, &rows, 0)?;
    let n = form.speeds.len();
    let columns = traced.mass_entries() > MAX_ENTRIES;
    if columns && optional {
        return None;
    }
    let Entries { tape, x_dot, M, Q, A, b } = traced.entries(!columns);
    let columns = if columns { Some(Traced::new(system, form, &[], n)?.columns(form)) } else { None };
    let (mut places, mut outputs) = (Vec::new(), Vec::new());
    let mut put = |array: usize, k: usize, value: Term| {
        if let Some(value) = value {
            places.push((array, k));
            outputs.push(value);
        }
    };
    x_dot.iter().enumerate().for_each(|(k, v)| put(0, k, *v));
    for p in 0..n {
        (0..n).for_each(|q| put(1, p * n + q, M[p.max(q)][p.min(q)]));
    }
    Q.iter().enumerate().for_each(|(k, v)| put(2, k, *v));
    for (r, row) in A.iter().enumerate() {
        row.iter().enumerate().for_each(|(p, v)| put(3, r * n + p, *v));
    }
    b.iter().enumerate().for_each(|(k, v)| put(4, k, *v));
    Some((Scattered { program: tape.finish(&outputs), places: Scatter::new(places) }, columns))
}

/// Expressions over the state and results, with energies of bodies that are only named taken by recursion.
pub(super) fn outputs(system: &mut System, inputs: &Inputs, list: &[Expr]) -> Program {
    let named = system.deferred_energies().map(|names| [names.kinetic, names.potential]);
    let read = |names: &[Symbol; 2]| list.iter().any(|e| system.pool.depends_on(*e, names));
    let Some((names, plan)) = named.filter(read).and_then(|names| Some((names, TreePlan::of(system)?)))
    else {
        return system.pool.lower(&inputs.results, list);
    };
    let mut tape = Builder::new(inputs.results.len());
    let tree = plan.tree(system, &inputs.state, &mut tape);
    let mut t = Tracer::new(&mut tape);
    let (T, V) = energies(&mut t, &tree);
    let given = [(names[0], t.value(T)), (names[1], t.value(V))];
    let values = system.pool.lower_with(&mut tape, &inputs.results, &given, list);
    tape.finish(&values)
}

/// Both where what is done about their operations may decide, otherwise the shorter one.
fn shorter(one: Option<Candidate>, other: Option<Candidate>) -> Vec<Candidate> {
    let mut both: Vec<Candidate> = one.into_iter().chain(other).collect();
    let least = both.iter().map(|candidate| candidate.derived.work()).min().unwrap_or(0);
    both.retain(|candidate| candidate.derived.work() <= least + least / 8);
    both
}

/// The whole acceleration with M by composite inertias, factored.
fn factored(system: &mut System, form: &KernelForm, wanted: Wanted<'_>) -> Option<Candidate> {
    Traced::new(system, form, wanted.rows, 0)?.entries(true).solved(system, form, wanted, MAX_OPERATIONS)
}

/// The whole acceleration (U1) of a net of bodies with constraints between them, whose M and A are mostly zeros: M by
/// composite inertias, factored with A in a sparse order.
pub(super) fn factored_net(
    system: &mut System,
    form: &KernelForm,
    rows: &[usize],
    fixed: Option<&[f64]>,
) -> Option<UnrolledSolve> {
    let (n, m) = (form.speeds.len(), rows.len());
    if !is_plain(system, form) || m == 0 || m >= n || n > MAX_NET {
        return None;
    }
    let wanted = Wanted::accelerations(rows, fixed);
    let solved = Traced::new(system, form, rows, 0)?.entries(true).solved(system, form, wanted, MAX_SPARSE);
    solved.map(|candidate| candidate.hoisted(fixed))
}

/// Whether nothing but impressed and ideal forces acts.
fn is_plain(system: &System, form: &KernelForm) -> bool {
    form.nonideal.is_none() && system.contacts.is_empty() && system.control.rows.is_empty()
}

impl Traced {
    /// Applied forces and inertia besides that of bodies, for each speed; `None` where some speed is not that of a link,
    /// or such inertia is between two speeds.
    fn besides_links(&self) -> Option<(Vec<Num>, Vec<Num>)> {
        let n = self.tree.speeds;
        let moved: usize = self.tree.links.iter().map(|link| link.freedom.count()).sum();
        if moved != n || self.mass.iter().any(|(p, q, _)| p != q) {
            return None;
        }
        let mut extra = vec![Num::Zero; n];
        self.mass.iter().for_each(|(p, _, v)| extra[*p] = Num::Value(*v));
        Some((self.force.iter().map(|f| number(*f)).collect(), extra))
    }
}

/// The whole acceleration by articulated bodies in loops over classes of links (B1): of long trees without constraints.
pub(super) fn looped(system: &mut System, form: &KernelForm, fixed: Option<&[f64]>) -> Option<Looped> {
    let links = system.bodies.as_ref().map_or(0, |bodies| bodies.outward.len());
    if links < MIN_LOOPED_LINKS || !form.constraint_matrix.is_empty() || !is_plain(system, form) {
        return None;
    }
    let mut traced = Traced::new(system, form, &[], 0)?;
    let (applied, extra) = traced.besides_links()?;
    let mut t = Tracer::new(&mut traced.tape);
    let given = |v: &Term, t: &mut Tracer<'_>| v.map_or(Num::Zero, |v| t.given(v));
    let x_dot: Vec<Num> = traced.x_dot.iter().map(|v| given(v, &mut t)).collect();
    let acted = Acted { tree: &traced.tree, x_dot: &x_dot, applied: &applied, extra: &extra };
    let varying = 1 + form.coordinates.len() + form.speeds.len();
    Looped::new(traced.tape, &acted, varying, fixed).filter(|looped| looped.counts().total() > MIN_LOOPED)
}

/// The whole acceleration by articulated bodies: no constraints, no inertia between speeds besides that of bodies.
fn recursive(system: &mut System, form: &KernelForm) -> Option<Candidate> {
    let mut traced = Traced::new(system, form, &[], 0)?;
    let n = traced.tree.speeds;
    let (applied, extra) = traced.besides_links()?;
    let mut t = Tracer::new(&mut traced.tape);
    let motion = bias(&mut t, &traced.tree);
    let eta_dot = articulated(&mut t, &traced.tree, &motion, &applied, &extra)?;
    let mut outputs: Vec<Value> = traced.x_dot.iter().map(|v| t.value(number(*v))).collect();
    outputs.extend(eta_dot.iter().map(|z| t.value(*z)).collect::<Vec<_>>());
    outputs.push(t.sound());
    let layout = Layout { n_x: form.coordinates.len(), n, m: 0 };
    Candidate::of_tape(traced.tape, &outputs, layout, MAX_RECURSIVE)
}
