//! What presses at a contact: the normal force of a constraint that has friction.
//!
//! A constraint can be written in many ways, and the length of its multiplier means nothing by itself: y = x tan(alpha)
//! and y cos(alpha) = x sin(alpha) are one plane. What presses is the force on a point of a body. It is found by the first
//! rule that applies:
//!
//! 0. **A joint.** Rows of a joint that closes a loop are distances along unit vectors at right angles: the multipliers are
//!    the force itself.
//! 1. **Translations.** Speeds of equal, constant inertia which make the sliding velocity a unit vector are the
//!    right-angled components of a point's velocity; others of the same inertia that the constraint touches belong to it. The normal
//!    force is the length of the constraint's force on them. Speeds that turn the body, or move another one, have other
//!    inertia and are left out; inertia that depends on where the point is belongs to the point, which rule 3 is for.
//!    Two bodies of equal mass share the force by action and reaction; where
//!    that and one body pressed askew cannot be told apart, rule 4. Speeds all in one other scale (P = l [xi, eta]) are
//!    components as well if the constraint is written in that scale too.
//! 2. **One translation.** The constraint touches one speed only, of constant inertia. Where the sliding velocity shows
//!    another scale than that of the coordinates, after rule 3.
//! 3. **A particle.** The kinetic energy of the speeds concerned is that of a particle in curved coordinates: its
//!    metric is flat. The mass is that which the sliding velocity shows, and N^2 = m lambda^T A M^-1 A^T lambda.
//!    A sliding velocity that is one on the constraint only is made tangential (`surface.rs`).
//! 4. **Assumed.** The multiplier itself, which is right if the constraint is written as a distance; with a warning.
//!
//! `normal` in the statement decides instead. Which of several redundant rows presses, one rule decides for all force laws
//! (`crates/run/src/acceleration/load_path.rs`; `open_loads.rs` says where it does not). The rules look at numbers at the start and beside it; what holds at both holds.

mod open_loads;
mod particle;
mod surface;

use crate::bodies::{ClosureRow, Joint, JointRole};
use crate::constraint::constraint_kind::neighbour;
use crate::derive::touch_again;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_linalg::{cholesky, solve_lower};
use dalembert_run::{Dynamics, Nonideal, State, Terms};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::units::UnitInfo;
use std::ops::Range;

/// Speeds of a sliding velocity, and of a contact, looked through at most.
const MAX_SLIDING: usize = 12;
const MAX_SPLIT: usize = 6;
/// What counts as equal.
const EQUAL: f64 = 1e-9;

impl Workspace {
    /// Decides what presses at each contact, where the model does not state it, and compiles the contacts with it; says where
    /// redundant constraints leave a force open that a force law reads.
    pub(crate) fn compile_contacts(&mut self) {
        if self.form.contacts.is_empty() && self.compiled.rows_read().is_empty() {
            return;
        }
        let views: Vec<View> = self.sample_states().into_iter().map(|state| View::at(self, state)).collect();
        let assumed: Vec<Diagnostic> = self.decide_normal_forces(&views);
        self.compiled.set_contacts(&mut self.system, &self.form);
        self.warn_open_loads(&views[0]);
        self.diagnostics.extend(assumed);
    }

    /// The contacts with parameters that have changed: the rules look at numbers.
    pub(crate) fn compile_contacts_again(&mut self) {
        if self.system.contacts.iter().all(|c| c.normal.is_some()) {
            return;
        }
        touch_again(&mut self.system, &mut self.form);
        self.compile_contacts();
    }

    /// The first rule that applies, for each contact whose `normal` is not stated. Returns a warning for each that none decides.
    fn decide_normal_forces(&mut self, views: &[View]) -> Vec<Diagnostic> {
        let mut assumed = Vec::new();
        for k in 0..self.form.contacts.len() {
            if self.system.contacts[k].normal.is_some() {
                continue;
            }
            let rows = self.form.contacts[k].rows.clone();
            if self.are_distances(k) {
                continue;
            }
            let found = match self.translations(k, views) {
                Translations::Found(speeds, factor) => Some(self.force_on(&rows, &speeds, factor)),
                Translations::Ambiguous => None,
                Translations::Absent if views[0].shows_scale(k) => {
                    particle::normal_force(self, k, views).or_else(|| self.force_on_one(k, views))
                }
                Translations::Absent => {
                    self.force_on_one(k, views).or_else(|| particle::normal_force(self, k, views))
                }
            };
            match found {
                Some(normal) => self.form.contacts[k].normal = normal,
                None => assumed.push(self.assumed(k)),
            }
        }
        assumed
    }

    /// Coefficients that are constants are looked at before anything is computed with them.
    pub(crate) fn check_coefficients(&mut self) {
        let mut variables = self.form.coordinates.clone();
        variables.extend(self.form.speeds.iter().copied().chain([self.form.time]));
        let constant = |model: &mut Self, e: Expr| {
            let varies = model.system.pool.depends_on(e, &variables);
            (!varies).then(|| model.constant(e))
        };
        for k in 0..self.system.contacts.len() {
            let contact = self.system.contacts[k].clone();
            let sliding = constant(self, contact.coefficient);
            let still = constant(self, contact.r#static);
            if sliding.is_some_and(|mu| mu < 0.0) || still.is_some_and(|mu| mu < 0.0) {
                let message = match contact.constraint {
                    Some(_) => format!("the coefficient of friction on `{}` is negative", contact.name),
                    None => format!("the limit of friction in `{}` is negative", contact.name),
                };
                let d = Diagnostic::error(Code::BadCoefficient, contact.span, message);
                self.diagnostics.push(d.help("friction acts against the sliding velocity by itself"));
            } else if sliding.zip(still).is_some_and(|(sliding, still)| still < sliding) {
                let message =
                    format!("static friction on `{}` is weaker than sliding friction", contact.name);
                let d = Diagnostic::warning(Code::StaticBelowSliding, contact.span, message);
                self.diagnostics.push(d.help("under a load between the two the contact can neither stick nor slide, and a run ends (E0711); make `static` at least as large"));
            }
        }
        for row in self.system.control.rows.clone() {
            let known: Option<Vec<f64>> = row.decay.iter().map(|k| constant(self, *k)).collect();
            let Some(known) = known else { continue };
            let message = if known.iter().any(|v| *v < 0.0 || v.is_nan()) {
                format!("the error of `{}` would grow: a coefficient of its decay is negative", row.name)
            } else if grows(&known) {
                format!(
                    "the error of `{}` would grow: its decay has a root with a positive real part",
                    row.name
                )
            } else {
                continue;
            };
            self.diagnostics.push(Diagnostic::error(Code::BadCoefficient, row.span, message));
        }
    }

    /// The start and a state beside it, as far as they can be found.
    pub fn sample_states(&mut self) -> Vec<State> {
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

    /// Rule 0: whether the rows of a contact are distances that a joint keeps.
    fn are_distances(&self, k: usize) -> bool {
        let Some(bodies) = &self.system.bodies else { return false };
        let (of, rows) = (self.system.contacts[k].constraint, self.form.contacts[k].rows.clone());
        let is_joint = |joint: &&Joint| of.is_some() && joint.role == JointRole::Cut { constraint: of };
        let Some(joint) = bodies.joints.iter().find(is_joint) else { return false };
        let first = of.map_or(0, |group| self.system.constraints.named[group].rows.start);
        let is_distance = |row: &ClosureRow| matches!(row, ClosureRow::Distance | ClosureRow::Along(_));
        rows.into_iter().all(|r| joint.rows.get(r - first).is_some_and(is_distance))
    }

    /// The entries of A on some speeds, by speeds and rows, times a factor.
    fn force_on(&mut self, rows: &Range<usize>, speeds: &[usize], factor: Expr) -> Vec<Vec<Expr>> {
        let (matrix, pool) = (&self.form.constraint_matrix, &mut self.system.pool);
        let mut entry = |r: usize, p: usize| {
            let e = matrix[r].iter().find(|(q, _)| *q == p).map_or(Pool::ZERO, |(_, e)| *e);
            pool.mul(e, factor)
        };
        speeds.iter().map(|&p| rows.clone().map(|r| entry(r, p)).collect()).collect()
    }

    /// Whether a speed can be the component of a point's velocity: constant inertia, no angle.
    fn may_translate(&mut self, p: usize) -> bool {
        let angle = self.system.frame.speeds[p].rate_of.is_some_and(|i| {
            matches!(&self.system.frame.coordinates[i].kind, UnitInfo::Known(d) if *d == dalembert_syntax::units::Dimension::none())
        });
        let mut variables = self.form.coordinates.clone();
        variables.push(self.form.time);
        !angle && !self.system.pool.depends_on(self.form.mass_matrix.get(p, p), &variables)
    }

    /// Rule 1.
    fn translations(&mut self, k: usize, views: &[View]) -> Translations {
        let rows = self.form.contacts[k].rows.clone();
        let n = views[0].n;
        let slid: Vec<usize> = (0..n).filter(|&p| views.iter().any(|v| v.slides_on(k, p))).collect();
        let pressed: Vec<usize> = (0..n).filter(|&p| views.iter().any(|v| v.presses_on(&rows, p))).collect();
        if slid.len() > MAX_SLIDING {
            return Translations::Absent;
        }
        let mut ambiguous = false;
        let able: Vec<usize> = slid.iter().copied().filter(|&p| self.may_translate(p)).collect();
        for point in small_subsets(&able) {
            let inertia = self.form.mass_matrix.get(point[0], point[0]);
            let same = |this: &Self, p: usize| this.form.mass_matrix.get(p, p) == inertia;
            if !point.iter().all(|&p| same(self, p)) {
                continue;
            }
            // In the scale of the coordinates, or all of it in another one.
            let unit = views.iter().all(|v| v.is_unit(k, &point));
            let scale = views[0].scale(k, &point);
            let scaled = !unit
                && point.len() == slid.len()
                && scale > 0.0
                && views.iter().all(|v| v.is_of_length(k, &point, scale));
            if !unit && !scaled {
                continue;
            }
            let mut others: Vec<usize> = Vec::new();
            for &p in pressed.iter().filter(|p| !slid.contains(p)) {
                if same(self, p) && self.may_translate(p) {
                    others.push(p);
                }
            }
            let mut speeds: Vec<usize> = point.iter().chain(&others).copied().collect();
            // What turns a body is left out.
            let rest: Vec<usize> =
                able.iter().copied().filter(|&p| !point.contains(&p) && same(self, p)).collect();
            let evenly = splits_evenly(views, &rows, &others);
            let two = evenly && !rest.is_empty() && views.iter().all(|v| v.is_unit(k, &rest));
            if two {
                speeds.extend(&rest);
            }
            let good = |v: &View| v.is_uncoupled(&speeds) && v.is_across(k, &rows, &speeds, two);
            let curved =
                slid.iter().chain(&pressed).any(|&q| !speeds.contains(&q) && self.turns_about(q, &speeds));
            if curved || !views.iter().all(good) {
                continue;
            }
            let alike = |v: &View| {
                rows.clone()
                    .all(|r| (part(v.row(r), v.row(r), &speeds).sqrt() - scale).abs() <= EQUAL * scale)
            };
            // Two bodies of which one cannot slide, or one body pressed askew; a scale that the constraint does not
            // share: numbers do not tell.
            if (evenly && !two) || (scaled && !views.iter().all(alike)) {
                ambiguous = true;
            } else if scaled {
                let squares = point.iter().map(|&p| self.form.contacts[k].matrix[0][p]);
                let pool = &mut self.system.pool;
                let squares: Vec<Expr> = squares.map(|e| pool.mul(e, e)).collect();
                let square = pool.total(squares);
                let scale = pool.sqrt(square);
                return Translations::Found(speeds, pool.div(Pool::ONE, scale));
            } else {
                let half = self.system.pool.number(Rational::HALF);
                let factor = if two { self.system.pool.sqrt(half) } else { Pool::ONE };
                return Translations::Found(speeds, factor);
            }
        }
        if ambiguous { Translations::Ambiguous } else { Translations::Absent }
    }

    /// Whether the inertia of a speed depends on where a point with these speeds is.
    fn turns_about(&mut self, q: usize, point: &[usize]) -> bool {
        let rates = point.iter().filter_map(|&p| self.system.frame.speeds[p].rate_of);
        let places: Vec<Symbol> = rates.map(|i| self.form.coordinates[i]).collect();
        self.system.pool.depends_on(self.form.mass_matrix.get(q, q), &places)
    }

    /// Rule 2.
    fn force_on_one(&mut self, k: usize, views: &[View]) -> Option<Vec<Vec<Expr>>> {
        let rows = self.form.contacts[k].rows.clone();
        let pressed: Vec<usize> =
            (0..views[0].n).filter(|&p| views.iter().any(|v| v.presses_on(&rows, p))).collect();
        let [p] = pressed[..] else { return None };
        let alone = (0..views[0].n).all(|q| q == p || self.form.mass_matrix.get(p, q) == Pool::ZERO);
        if !alone || !self.may_translate(p) {
            return None;
        }
        surface::slide_along(self, k, &pressed, &[vec![Pool::ONE]], views)?;
        Some(self.force_on(&rows, &pressed, Pool::ONE))
    }

    /// Rule 4.
    fn assumed(&self, k: usize) -> Diagnostic {
        let contact = &self.system.contacts[k];
        let named: Vec<String> = contact
            .rows
            .clone()
            .map(|r| format!("multiplier({})", self.system.constraints.rows[r].name))
            .collect();
        let message = format!(
            "the normal force at `{}` is taken to be its multiplier, which it is if the constraint is written as a distance",
            contact.name
        );
        let written = if named.len() == 1 { named[0].clone() } else { format!("[{}]", named.join(", ")) };
        let help = format!("say what presses to be sure: `normal {written}`, scaled as needed");
        Diagnostic::warning(Code::NormalForceAssumed, contact.span, message).help(help)
    }
}

/// What rule 1 finds.
enum Translations {
    /// The speeds of the point, and a factor on the force on them.
    Found(Vec<usize>, Expr),
    /// Speeds of one body or of two.
    Ambiguous,
    Absent,
}

/// Subsets of up to three, the small ones first.
fn small_subsets(of: &[usize]) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = of.iter().map(|&p| vec![p]).collect();
    let mut first = 0;
    for _ in 1..3 {
        let last = all.len();
        for k in first..last {
            let beyond = all[k].last().copied().unwrap_or(0);
            let longer: Vec<Vec<usize>> =
                of.iter().filter(|&&p| p > beyond).map(|&p| [all[k].clone(), vec![p]].concat()).collect();
            all.extend(longer);
        }
        first = last;
    }
    all
}

/// Whether some speeds fall into two groups on which the constraint presses equally: those of two bodies.
fn splits_evenly(views: &[View], rows: &Range<usize>, speeds: &[usize]) -> bool {
    if speeds.len() < 2 || speeds.len() > MAX_SPLIT {
        return false;
    }
    (1..(1usize << speeds.len()) - 1).any(|choice| {
        let group = |side: usize| -> Vec<usize> {
            let chosen = speeds.iter().enumerate().filter(|(i, _)| (choice >> i & 1) == side);
            chosen.map(|(_, &p)| p).collect()
        };
        let (one, two) = (group(0), group(1));
        views.iter().all(|v| {
            rows.clone().all(|r| {
                let (a, b) = (part(v.row(r), v.row(r), &one), part(v.row(r), v.row(r), &two));
                (a - b).abs() <= EQUAL * (a + b)
            })
        })
    })
}

/// The dot product over some components.
fn part(a: &[f64], b: &[f64], speeds: &[usize]) -> f64 {
    speeds.iter().map(|&p| a[p] * b[p]).sum()
}

/// The numbers of all contacts at a state.
struct View {
    state: State,
    n: usize,
    terms: Terms,
    slide: Vec<Range<usize>>,
    J: Vec<f64>,
}

impl View {
    fn at(model: &mut Workspace, state: State) -> Self {
        let shape = model.compiled.shape();
        let mut scratch = vec![0.0; model.compiled.scratch_len()];
        let mut terms = Terms::new(&shape);
        model.compiled.terms(state.point(), &mut scratch, &mut terms);
        let mut rows: Vec<Expr> = Vec::new();
        let mut slide = Vec::new();
        for contact in &model.form.contacts {
            let first = rows.len() / shape.n_eta.max(1);
            slide.push(first..first + contact.matrix.len());
            rows.extend(contact.matrix.iter().flatten());
        }
        let J = model.compiled.values(&mut model.system, &model.form, &rows, state.point());
        View { n: shape.n_eta, terms, slide, J, state }
    }

    /// An expression in coordinates, time and parameters.
    fn evaluate(&self, model: &mut Workspace, e: Expr) -> f64 {
        let (form, parameters) = (&model.form, model.compiled.parameters());
        model.system.pool.evaluate(e, |s| {
            let place = form.coordinates.iter().position(|c| *c == s).map(|i| self.state.x[i]);
            let parameter = || form.parameters.iter().position(|p| *p == s).map(|i| parameters[i]);
            place.or_else(parameter).unwrap_or(if s == form.time { self.state.t } else { f64::NAN })
        })
    }

    fn sliding(&self, k: usize) -> Vec<&[f64]> {
        self.slide[k].clone().map(|i| &self.J[i * self.n..(i + 1) * self.n]).collect()
    }

    fn row(&self, r: usize) -> &[f64] {
        &self.terms.A[r * self.n..(r + 1) * self.n]
    }

    fn slides_on(&self, k: usize, p: usize) -> bool {
        self.sliding(k).iter().any(|a| a[p] != 0.0)
    }

    fn presses_on(&self, rows: &Range<usize>, p: usize) -> bool {
        rows.clone().any(|r| self.row(r)[p] != 0.0)
    }

    /// Whether the components of the sliding velocity are of unit length and at right angles on these speeds.
    fn is_unit(&self, k: usize, speeds: &[usize]) -> bool {
        self.is_of_length(k, speeds, 1.0)
    }

    /// Whether the components of the sliding velocity have this length and are at right angles on these speeds.
    fn is_of_length(&self, k: usize, speeds: &[usize], length: f64) -> bool {
        let (sliding, square) = (self.sliding(k), length * length);
        (0..sliding.len()).all(|i| {
            let expected = |j: usize| if i == j { square } else { 0.0 };
            let off = |j: usize| (part(sliding[i], sliding[j], speeds) - expected(j)).abs();
            (0..sliding.len()).all(|j| off(j) <= EQUAL * square)
        })
    }

    /// The length of the first component of the sliding velocity on these speeds.
    fn scale(&self, k: usize, speeds: &[usize]) -> f64 {
        self.sliding(k).first().map_or(0.0, |a| part(a, a, speeds).sqrt())
    }

    /// Whether no speed goes into the sliding velocity as it is.
    fn shows_scale(&self, k: usize) -> bool {
        !self.sliding(k).iter().any(|a| a.iter().any(|v| (v.abs() - 1.0).abs() <= EQUAL))
    }

    /// Whether the mass matrix is diagonal on these speeds.
    fn is_uncoupled(&self, speeds: &[usize]) -> bool {
        let M = |i: usize, j: usize| self.terms.M[i * self.n + j];
        let off = |i: usize, j: usize| i == j || M(i, j).abs() <= EQUAL * M(i, i).abs();
        speeds.iter().all(|&i| M(i, i) > 0.0 && speeds.iter().all(|&j| off(i, j)))
    }

    /// Whether the contact slides across its constraint, which does press. All components of the velocity of the point,
    /// its normal one too, may have been given.
    fn is_across(&self, k: usize, rows: &Range<usize>, speeds: &[usize], two_bodies: bool) -> bool {
        let size = |a: &[f64]| part(a, a, speeds).sqrt();
        let whole = self.sliding(k).len() == speeds.len() && speeds.len() > 1 && !two_bodies;
        let across = |r: usize| {
            self.sliding(k).iter().all(|a| part(a, self.row(r), speeds).abs() <= EQUAL * size(self.row(r)))
        };
        rows.clone().all(|r| whole || across(r)) && rows.clone().any(|r| size(self.row(r)) > 0.0)
    }
}

/// The inverse of a small positive matrix.
fn inverted(g: &[f64], d: usize) -> Option<Vec<f64>> {
    let mut L = g.to_vec();
    cholesky(&mut L, d).ok()?;
    let columns: Vec<Vec<f64>> = (0..d)
        .map(|j| {
            let mut e: Vec<f64> = (0..d).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
            solve_lower(&L, d, &mut e);
            e
        })
        .collect();
    let entry = |i: usize, j: usize| columns[i].iter().zip(&columns[j]).map(|(a, b)| a * b).sum();
    Some((0..d * d).map(|p| entry(p / d, p % d)).collect())
}

/// Routh's criterion: whether s^r + k_{r-1} s^{r-1} + ... + k_0 has a root with a positive real part. Coefficients that are not
/// negative make no such root up to the second order.
fn grows(coefficients: &[f64]) -> bool {
    if coefficients.len() < 3 {
        return false;
    }
    let all: Vec<f64> = [1.0].into_iter().chain(coefficients.iter().copied()).collect();
    let mut above: Vec<f64> = all.iter().copied().step_by(2).collect();
    let mut below: Vec<f64> = all.iter().copied().skip(1).step_by(2).collect();
    while !below.is_empty() {
        if below[0] < 0.0 {
            return true;
        }
        if below[0] == 0.0 {
            return below.iter().any(|v| *v != 0.0); // otherwise on the boundary
        }
        let factor = above[0] / below[0];
        let at = |list: &[f64], k: usize| list.get(k).copied().unwrap_or(0.0);
        let next = (1..above.len()).map(|k| at(&above, k) - factor * at(&below, k)).collect();
        above = std::mem::replace(&mut below, next);
    }
    false
}
