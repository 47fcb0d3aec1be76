//! What presses at a contact: the normal force of a constraint that has friction.
//!
//! A constraint can be written in many ways, and the length of its multiplier means nothing by itself: y = x tan(alpha)
//! and y cos(alpha) = x sin(alpha) are one plane. The force on a point of a body is what presses. So among the speeds that
//! the constraint or the sliding velocity touch, those are looked for which move one point by right-angled components:
//! equal inertia, sliding velocity of unit length and at right angles to the constraint. The normal force is the
//! length of the constraint's force on these. Speeds that turn a body, or move another body, are left out by
//! themselves. Where none are found (a tip at the end of turning links) the multiplier itself is taken: right if the
//! constraint is written as a distance; and that is said. `normal` in the statement decides it.
//!
//! The search looks at numbers at the start and beside it; what holds at both holds.

use crate::diagnostic::{Code, Diagnostic};
use crate::kinds::neighbour;
use crate::model::Model;
use dalembert_expr::Pool;
use dalembert_run::{ContactTerms, Kernel, State, Terms};

/// Speeds looked through at most.
const MAX_SPEEDS: usize = 30;
/// What counts as equal.
const EQUAL: f64 = 1e-9;

impl Model {
    /// Finds the normal forces that the model does not state.
    pub(crate) fn find_normal_forces(&mut self) {
        let open: Vec<usize> =
            (0..self.form.contacts.len()).filter(|&k| self.system.contacts[k].normal.is_none()).collect();
        if open.is_empty() {
            return;
        }
        let states = self.sample_states();
        let views: Vec<View> = states.iter().map(|state| View::at(self, state)).collect();
        for k in open {
            let rows = self.form.contacts[k].rows.clone();
            match point_speeds(&views, k, rows.clone()) {
                Some(speeds) => {
                    let entry = |r: usize, p: usize| {
                        let row = &self.form.constraint_matrix[r];
                        row.iter().find(|(q, _)| *q == p).map_or(Pool::ZERO, |(_, e)| *e)
                    };
                    self.form.contacts[k].normal =
                        speeds.iter().map(|&p| rows.clone().map(|r| entry(r, p)).collect()).collect();
                }
                None => {
                    let contact = &self.system.contacts[k];
                    let named: Vec<String> =
                        rows.map(|r| format!("multiplier({})", self.system.rows[r].name)).collect();
                    let message = format!(
                        "the normal force at `{}` is taken to be its multiplier: it is if the constraint is a distance",
                        contact.name
                    );
                    let help = format!("say what presses to be sure, as in `normal {}`", named.join(" + "));
                    self.diagnostics
                        .push(Diagnostic::note(Code::NormalForceAssumed, contact.span, message).help(help));
                }
            }
        }
        self.compiled.set_contacts(&mut self.system, &self.form);
    }

    /// The start and a state beside it, as far as they can be found.
    fn sample_states(&mut self) -> Vec<State> {
        let (n_x, n) = (self.form.coordinates.len(), self.form.speeds.len());
        let start = match self.start() {
            Ok(started) => started.state,
            Err(_) => match self.guess() {
                Ok(guess) => guess.state,
                Err(_) => State::new(0.0, &vec![0.0; n_x], &vec![0.0; n]),
            },
        };
        let beside = neighbour(self, &start).map(|started| started.state);
        [start].into_iter().chain(beside).collect()
    }
}

/// The numbers of all contacts at a state.
struct View {
    n: usize,
    terms: Terms,
    slide: Vec<std::ops::Range<usize>>,
    J: Vec<f64>,
}

impl View {
    fn at(model: &Model, state: &State) -> Self {
        let shape = model.compiled.shape();
        let mut scratch = vec![0.0; model.compiled.scratch_len()];
        let mut terms = Terms::new(&shape);
        model.compiled.terms(state.point(), &mut scratch, &mut terms);
        let mut room = vec![0.0; ContactTerms::room(&shape)];
        let (mut contacts, _) = ContactTerms::carve(&shape, &mut room);
        model.compiled.contact_terms(state.point(), &mut scratch, &mut contacts);
        let slide = model.compiled.contacts().iter().map(|c| c.slide.clone()).collect();
        View { n: shape.n_eta, terms, slide, J: contacts.J.to_vec() }
    }

    fn sliding(&self, k: usize) -> impl Iterator<Item = &[f64]> {
        self.slide[k].clone().map(|i| &self.J[i * self.n..(i + 1) * self.n])
    }

    fn row(&self, r: usize) -> &[f64] {
        &self.terms.A[r * self.n..(r + 1) * self.n]
    }

    /// Whether the speeds move one point by right-angled components, and the contact slides across its constraint.
    fn is_point(&self, k: usize, rows: std::ops::Range<usize>, speeds: &[usize]) -> bool {
        let M = |i: usize, j: usize| self.terms.M[i * self.n + j];
        let mass = M(speeds[0], speeds[0]);
        let uniform = speeds.iter().all(|&i| {
            speeds.iter().all(|&j| (M(i, j) - if i == j { mass } else { 0.0 }).abs() <= EQUAL * mass)
        });
        let part = |a: &[f64], b: &[f64]| speeds.iter().map(|&p| a[p] * b[p]).sum::<f64>();
        let size = |a: &[f64]| part(a, a).sqrt();
        let sliding: Vec<&[f64]> = self.sliding(k).collect();
        let orthonormal = sliding.iter().enumerate().all(|(i, a)| {
            let expected = |j: usize| if i == j { 1.0 } else { 0.0 };
            sliding.iter().enumerate().all(|(j, b)| (part(a, b) - expected(j)).abs() <= EQUAL)
        });
        // All components of the velocity of the point, its normal one too, may have been given.
        let whole = sliding.len() == speeds.len() && sliding.len() > 1;
        let across = rows.clone().all(|r| {
            whole
                || sliding.iter().all(|a| part(a, self.row(r)).abs() <= EQUAL * size(self.row(r)).max(1e-300))
        });
        mass > 0.0 && uniform && orthonormal && across && rows.into_iter().any(|r| size(self.row(r)) > 0.0)
    }
}

/// The fewest speeds that move the point of contact; or the one that the constraint touches.
fn point_speeds(views: &[View], k: usize, rows: std::ops::Range<usize>) -> Option<Vec<usize>> {
    let n = views.first()?.n;
    let pressed = |p: usize| views.iter().any(|v| rows.clone().any(|r| v.row(r)[p] != 0.0));
    let slid = |p: usize| views.iter().any(|v| v.sliding(k).any(|a| a[p] != 0.0));
    let touched: Vec<usize> = (0..n).filter(|&p| pressed(p) || slid(p)).take(MAX_SPEEDS).collect();
    let good = |speeds: &[usize]| views.iter().all(|v| v.is_point(k, rows.clone(), speeds));
    let pairs =
        || touched.iter().enumerate().flat_map(|(a, &i)| touched[a + 1..].iter().map(move |&j| vec![i, j]));
    let triples = || {
        pairs().flat_map(|pair| {
            let beyond = touched.iter().filter(|l| **l > pair[1]);
            beyond.map(|&l| vec![pair[0], pair[1], l]).collect::<Vec<_>>()
        })
    };
    let found = pairs().find(|speeds| good(speeds)).or_else(|| triples().find(|speeds| good(speeds)));
    let single: Vec<usize> = (0..n).filter(|&p| pressed(p)).collect();
    found.or_else(|| (single.len() == 1).then_some(single))
}
