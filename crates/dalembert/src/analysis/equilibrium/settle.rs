//! Newton to the nearest equilibrium or steady motion, or to the bottom of a valley of the potential.

mod descend;

use super::lasting::NOT_FOUND;
use crate::analysis::linearize::{Linearizer, Local, Preference, Preferences};
use crate::system::CoordinateSort;
use crate::workspace::Workspace;
use dalembert_linalg::Cod;
use dalembert_run::State;
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use descend::slid;

/// Newton steps at most.
const MAX_STEPS: usize = 60;
/// Steps of polishing at most.
const MAX_POLISH: usize = 60;
/// Halvings of a step that does not help.
const MAX_HALVINGS: usize = 12;
/// Rates below this, against the size of their rows, are zero.
const QUIET: f64 = 1e-13;
/// What passes when rounding allows no less.
pub(super) const NEARLY_QUIET: f64 = 1e-9;

/// Work of a search, in cubes of the number of variables.
const BUDGET: f64 = 1e9;

/// What stays as it is in the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct FixedVariables {
    /// Coordinates that are given, or ignorable.
    pub coordinates: Vec<usize>,
    /// Speeds that are given.
    pub speeds: Vec<usize>,
    /// Coordinates whose rates need not vanish.
    pub moving: Vec<usize>,
    /// All speeds stay: a search for rest.
    pub rest: bool,
    /// Steps keep the independent coordinates, at rest too.
    pub charted: bool,
}

impl FixedVariables {
    /// What is held when the rates of ignorable coordinates are unknowns of the search; `None` if there are none.
    pub(super) fn with_free_rates(&self) -> Option<FixedVariables> {
        (!self.moving.is_empty() && !self.speeds.is_empty() && !self.rest)
            .then(|| FixedVariables { speeds: Vec::new(), ..self.clone() })
    }
}

impl Linearizer {
    /// The equilibrium or steady motion next to a state. Ignorable coordinates keep their places and their rates. Where Newton's
    /// iteration does not go straight to one, it is the bottom of the valley of the potential in which a state of rest lies.
    /// Where no motion with these rates is steady, the forces decide them (Watt's governor) and they are unknowns too.
    pub fn settle(&self, model: &mut Workspace, state: &State) -> Result<State, Box<Diagnostic>> {
        let held = self.held(model, state)?;
        self.calls.set(0); // each search has its own budget
        let found = match self.newton(model, state, &held) {
            Some((found, true)) => Some(found),
            other => self.bottom(model, state, &held).or(other.map(|(found, _)| found)),
        };
        let found = found.or_else(|| self.quieten(model, state, &held.with_free_rates()?));
        let Some(found) = found else {
            let message = "no equilibrium or steady motion was found near this state";
            return Err(Box::new(Diagnostic::error(Code::NotConverged, None, message).help(NOT_FOUND)));
        };
        self.lasting(model, state, &found)?;
        Ok(found)
    }

    /// What a search for steady motions leaves alone.
    pub(crate) fn held(
        &self,
        model: &mut Workspace,
        state: &State,
    ) -> Result<FixedVariables, Box<Diagnostic>> {
        let here = self.local(model, state)?;
        let ignorable = self.ignorable(model, state, &here);
        let mut held = FixedVariables::default();
        for j in ignorable {
            let i = here.positions.independent[j];
            held.moving.push(i);
            held.coordinates.push(i);
            let speed =
                here.speeds.independent.iter().find(|p| model.system.frame.speeds[**p].rate_of == Some(i));
            held.speeds.extend(speed);
        }
        // What only events change is given.
        let discrete = |i: &usize| model.system.frame.coordinates[*i].sort == CoordinateSort::Discrete;
        let given = (0..model.system.frame.coordinates.len()).filter(discrete);
        let given: Vec<usize> = given.filter(|i| !held.coordinates.contains(i)).collect();
        held.coordinates.extend(given);
        Ok(held)
    }

    /// The equilibrium at the bottom of the valley of the potential that a state of rest lies in.
    pub(super) fn bottom(
        &self,
        model: &mut Workspace,
        state: &State,
        held: &FixedVariables,
    ) -> Option<State> {
        if state.eta.iter().any(|v| *v != 0.0) {
            return None;
        }
        let resting = FixedVariables { rest: true, speeds: Vec::new(), ..held.clone() };
        let spent = self.calls.get();
        let low = self.descend(model, state, &resting);
        // The descent has its own bound, and what it reaches is worth the work of polishing.
        self.calls.set(0);
        let found = low.and_then(|low| self.quieten(model, &low, held));
        self.calls.set(spent);
        found
    }

    /// Newton from a state; `None` if it leads nowhere.
    pub(crate) fn quieten(&self, model: &Workspace, state: &State, held: &FixedVariables) -> Option<State> {
        self.newton(model, state, held).map(|(found, _)| found)
    }

    /// Newton's iteration to an equilibrium, and whether no step had to be shortened.
    fn newton(&self, model: &Workspace, state: &State, held: &FixedVariables) -> Option<(State, bool)> {
        let mut now = state.clone();
        let mut wishes = holding(model, held);
        let mut here = match self.plain(model, &now, &wishes) {
            Some(here) => here,
            None => {
                // What is held cannot all be independent; then it is held as far as it is.
                wishes = Preferences::default();
                self.plain(model, &now, &wishes)?
            }
        };
        let (mut left, mut straight) = (remainder(&here, held), true);
        for _ in 0..MAX_STEPS {
            if left <= QUIET || self.calls.get() > budget(model) {
                break;
            }
            let change = step(&now, &here, held);
            let mut better = None;
            for k in 0..MAX_HALVINGS {
                let Some(next) = stepped(model, &now, &here, held, &change, 0.5f64.powi(k as i32)) else {
                    continue;
                };
                let Some(there) = self.plain(model, &next, &wishes) else { continue };
                let after = remainder(&there, held);
                // Rows grow and shrink near singular forces: in the measure of where the step began it may be better too.
                if after < left || compared(&here, &there, held).is_some_and(|after| after < left) {
                    better = Some((next, there, after));
                    straight &= k == 0;
                    break;
                }
            }
            let Some((next, there, after)) = better else { break };
            (now, here, left) = (next, there, after);
        }
        if left > NEARLY_QUIET {
            return None;
        }
        let (now, left) = self.polish(model, now, here, held, &wishes, left);
        Some((tidied(self, model, now, held, left), straight))
    }

    /// Goes on until steps are rounding. At a root of multiplicity m Newton's steps shrink by 1 - 1/m only; then m steps are
    /// made at once (Aitken).
    fn polish(
        &self,
        model: &Workspace,
        mut now: State,
        mut here: Local,
        held: &FixedVariables,
        wishes: &Preferences,
        mut left: f64,
    ) -> (State, f64) {
        let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
        let mut before: Option<f64> = None;
        let mut change = step_with(&now, &here, held, 1e-13);
        for _ in 0..MAX_POLISH {
            let length = norm(&change);
            let size = now.x.iter().chain(&now.eta).fold(1.0f64, |m, v| m.max(v.abs()));
            let done = left == 0.0 || length <= 4.0 * f64::EPSILON * size || length > 0.5 * size;
            if done || self.calls.get() > budget(model) {
                break;
            }
            let ratio = before.map_or(0.0, |b| length / b);
            let multiple = if (0.3..0.99).contains(&ratio) { (1.0 / (1.0 - ratio)).min(30.0) } else { 1.0 };
            let tries = if multiple > 1.0 { vec![multiple.round(), multiple, 1.0] } else { vec![1.0] };
            // Along a curved valley rates grow for a moment: a second step goes back to its bottom.
            let next = tries.into_iter().find_map(|factor| {
                let (mut next, mut there) = (moved(model, &now, &here, held, &change, factor)?, None);
                for again in [true, false] {
                    let local = self.plain(model, &next, wishes)?;
                    let (after, on) = (remainder(&local, held), step_with(&next, &local, held, 1e-13));
                    if after < left && norm(&on) < length {
                        there = Some((next, local, on, after, factor));
                        break;
                    }
                    if again {
                        next = moved(model, &next, &local, held, &on, 1.0)?;
                    } else {
                        break;
                    }
                }
                there
            });
            let Some((next, there, on, after, factor)) = next else { break };
            before = (factor == 1.0).then_some(length);
            (now, here, change, left) = (next, there, on, after);
        }
        (now, left)
    }
}

/// Linear systems that a search may compute: large models get fewer.
pub(super) fn budget(model: &Workspace) -> usize {
    let n = (model.form.coordinates.len() + model.form.speeds.len()) as f64;
    (BUDGET / (n * n * n)).clamp(50.0, 1e6) as usize
}

/// What is held should be independent, so that it can be.
pub(super) fn holding(model: &Workspace, held: &FixedVariables) -> Preferences {
    let mark = |n: usize, list: &[usize]| {
        (0..n).map(|i| if list.contains(&i) { Preference::Required } else { Preference::Open }).collect()
    };
    Preferences {
        coordinates: mark(model.form.coordinates.len(), &held.coordinates),
        speeds: mark(model.form.speeds.len(), &held.speeds),
    }
}

/// Which states are unknown, and which rates must vanish.
pub(super) fn roles(here: &Local, held: &FixedVariables) -> (Vec<usize>, Vec<usize>) {
    let d_x = here.positions.dimension();
    let x = |k: usize| here.positions.independent[k];
    let unknown = (0..here.dimension()).filter(|&k| match k.checked_sub(d_x) {
        None => !held.coordinates.contains(&x(k)),
        Some(w) => !held.rest && !held.speeds.contains(&here.speeds.independent[w]),
    });
    let quiet = (0..here.dimension()).filter(|&k| k >= d_x || !held.moving.contains(&x(k)));
    (unknown.collect(), quiet.collect())
}

/// What each rate is measured against: the size of its row. A row that is nearly nothing is not blown up, or it would
/// dominate near solutions where its derivative vanishes; rates of coordinates and of speeds have other units of time.
pub(super) fn weights(here: &Local) -> Vec<f64> {
    let (d, d_x) = (here.dimension(), here.positions.dimension());
    let row = |i: usize| here.S.row(i).iter().map(|v| v.abs()).sum::<f64>();
    let most = |rows: std::ops::Range<usize>| rows.map(row).fold(0.0, f64::max);
    let (of_x, of_eta) = (most(0..d_x), most(d_x..d));
    let least = |i: usize| if i < d_x { 1e-2 * of_x } else { 1e-2 * of_eta };
    (0..d).map(|i| row(i).max(least(i)).max(f64::MIN_POSITIVE)).collect()
}

/// The largest rate that should vanish, against its row.
pub(super) fn remainder(here: &Local, held: &FixedVariables) -> f64 {
    let (_, quiet) = roles(here, held);
    let weight = weights(here);
    quiet.iter().map(|&i| here.rates[i].abs() / weight[i]).fold(0.0, f64::max)
}

/// The largest rate that should vanish at another state, against the rows of this one; `None` if they are of other variables.
fn compared(here: &Local, there: &Local, held: &FixedVariables) -> Option<f64> {
    let same = here.positions.independent == there.positions.independent
        && here.speeds.independent == there.speeds.independent;
    let (_, quiet) = roles(there, held);
    let weight = weights(here);
    same.then(|| quiet.iter().map(|&i| there.rates[i].abs() / weight[i]).fold(0.0, f64::max))
}

fn step(now: &State, here: &Local, held: &FixedVariables) -> Vec<f64> {
    step_with(now, here, held, 1e-10)
}

fn step_with(now: &State, here: &Local, held: &FixedVariables, rank_tol: f64) -> Vec<f64> {
    let d = here.dimension();
    let (unknown, quiet) = roles(here, held);
    let weight = weights(here);
    let J: Vec<f64> = quiet
        .iter()
        .flat_map(|&i| unknown.iter().map(|&j| here.S[[i, j]] / weight[i]).collect::<Vec<_>>())
        .collect();
    let right: Vec<f64> = quiet.iter().map(|&i| -here.rates[i] / weight[i]).collect();
    let mut cod = Cod::new(quiet.len(), unknown.len());
    cod.factor(&J, rank_tol);
    let mut change = vec![0.0; unknown.len()];
    cod.solve(&right, &mut change);
    // Angles and lengths alike: a step of more than one, or of its own size where that is larger, is more than the
    // derivative can promise.
    let d_x = here.positions.dimension();
    let own = |k: usize| match k.checked_sub(d_x) {
        None => now.x[here.positions.independent[k]],
        Some(w) => now.eta[here.speeds.independent[w]],
    };
    let sizes = unknown.iter().map(|k| own(*k).abs().max(1.0));
    let longest = change.iter().zip(sizes).fold(0.0f64, |m, (v, size)| m.max(v.abs() / size));
    let most = here.rates.len() as f64;
    if longest > most {
        change.iter_mut().for_each(|v| *v *= most / longest);
    }
    let mut full = vec![0.0; d];
    unknown.iter().zip(change).for_each(|(k, v)| full[*k] = v);
    full
}

/// One step of Newton. At rest with nothing held the shortest way back to the constraints serves as well as the one that
/// keeps the independent coordinates, is there after long steps too, and costs far less.
fn stepped(
    model: &Workspace,
    now: &State,
    here: &Local,
    held: &FixedVariables,
    change: &[f64],
    factor: f64,
) -> Option<State> {
    if !held.rest || held.charted || !held.coordinates.is_empty() {
        return moved(model, now, here, held, change, factor);
    }
    let change: Vec<f64> = change[..here.positions.dimension()].iter().map(|v| factor * v).collect();
    slid(model, now, here, held, &change)
}

pub(super) fn moved(
    model: &Workspace,
    now: &State,
    here: &Local,
    held: &FixedVariables,
    change: &[f64],
    factor: f64,
) -> Option<State> {
    let (d, d_x) = (here.dimension(), here.positions.dimension());
    let mut next = now.clone();
    // Along the tangent, so that the constraints are met nearby.
    for (i, v) in next.x.iter_mut().enumerate() {
        *v += factor * (0..d_x).map(|c| here.directions[[i, c]] * change[c]).sum::<f64>();
    }
    if !held.rest {
        let n_x = next.x.len();
        for (p, v) in next.eta.iter_mut().enumerate() {
            *v += factor * (0..d).map(|c| here.directions[[n_x + p, c]] * change[c]).sum::<f64>();
        }
    }
    if next.x.iter().chain(&next.eta).any(|v| !v.is_finite()) {
        return None;
    }
    let found = model.on_constraints(&next, &now.x, &here.positions.independent, &here.speeds.independent)?;
    if held.rest && found.eta.iter().any(|v| v.abs() > 1e-12) {
        return None;
    }
    Some(found)
}

/// Entries that are rounding become zero, if nothing is lost by it.
fn tidied(
    linearizer: &Linearizer,
    model: &Workspace,
    state: State,
    held: &FixedVariables,
    left: f64,
) -> State {
    let mut tidy = state.clone();
    tidy.x.iter_mut().chain(&mut tidy.eta).filter(|v| v.abs() < 1e-11).for_each(|v| *v = 0.0);
    if tidy == state {
        return state;
    }
    let on = model.on_constraints(&tidy, &state.x, &[], &[]);
    match on.and_then(|s| Some((linearizer.plain(model, &s, &Preferences::default())?, s))) {
        Some((there, s)) if remainder(&there, held) <= left.max(QUIET) => s,
        _ => state,
    }
}
