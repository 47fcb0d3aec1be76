//! Equilibria and steady motions from several starts.

use super::settle::FixedVariables;
use crate::analysis::linearize::{Linearization, Linearizer, Range, StabilityVerdict};
use crate::workspace::{Evaluation, Workspace};
use dalembert_run::{Dynamics, Projector, State, Terms};
use dalembert_syntax::diagnostic::{Code, Diagnostic, nearest};
use std::f64::consts::{PI, TAU};

/// Starts unless asked otherwise.
pub const DEFAULT_STARTS: usize = 100;
/// Starts at most.
pub(crate) const MAX_STARTS: usize = 100_000;
/// Two results are the same if no coordinate differs by more.
const SAME: f64 = 1e-6;
/// Up to so many coordinates steps keep the independent ones. That takes longer and arrives less often, but at more places:
/// linkages fold over where the shortest way back to the constraints does not.
const MAX_CHARTED: usize = 12;
/// How far the starts are spread in coordinates that are no angles, in turn.
const SPREADS: [f64; 4] = [0.5, 1.5, 4.0, 0.1];

/// Where to look beside a result, in parts of a coordinate.
const BESIDE: [f64; 8] = [0.1, -0.1, 0.3, -0.3, 1.0, -1.0, 0.03, -0.03];

/// What to look for.
#[derive(Clone, Debug, Default)]
pub struct EquilibriumSearch {
    /// Values that are held, as in `--at`.
    pub at: String,
    /// How many starts; [`DEFAULT_STARTS`] if 0.
    pub starts: usize,
    /// Where to look, for some of the coordinates.
    pub within: Vec<Range>,
}

/// An equilibrium or a steady motion.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Equilibrium {
    /// Its linear system, with its kind and stability.
    pub linear: Linearization,
    /// Forces there.
    pub now: Evaluation,
    /// Potential energy (V less the part of the kinetic energy without rates), where it is known.
    pub potential: Option<f64>,
    /// Dimension of the set of neighbouring ones, to first order; 0 if it stands alone.
    pub family: usize,
}

/// What was found.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Equilibria {
    /// Each once, nearest to the start first.
    pub equilibria: Vec<Equilibrium>,
    /// Starts that were tried.
    pub starts: usize,
    /// Starts that led somewhere.
    pub converged: usize,
    /// Members that were found of families of which one is listed: rest can be kept on the way to it.
    pub not_listed: usize,
    /// Whether the constraints allow rest at all.
    pub rest_possible: bool,
    /// Coordinates that are angles: a full turn changes nothing. They are given between -pi and pi.
    pub angles: Vec<usize>,
    /// Results where no linear system exists, with the reason.
    pub troubles: Vec<String>,
    /// Why there may be equilibria that are not found.
    pub notes: Vec<String>,
}

impl Workspace {
    /// Positions of rest, and steady motions where the start has them.
    ///
    /// ```
    /// use dalembert::{Model, Source, equilibrium::EquilibriumSearch, linearize::StabilityVerdict};
    /// let text = "
    ///     parameter m = 1, r = 0.5, g = 9.81, W = 6
    ///     coordinate theta
    ///     kinetic m/2*r^2*(theta'^2 + W^2*sin(theta)^2)
    ///     potential -m*g*r*cos(theta)
    /// ";
    /// let model = Model::load(&Source::new("hoop.dal", text), &Default::default()).map_err(|d| d[0].message.clone())?;
    /// let found = model.equilibria(&EquilibriumSearch::default()).map_err(|d| d.message)?;
    /// // The bottom, the top, and two between them on the sides.
    /// assert_eq!(found.equilibria.len(), 4);
    /// let stable = found.equilibria.iter().filter(|e| e.linear.stability.as_ref().unwrap().verdict == StabilityVerdict::Stable);
    /// let angles: Vec<f64> = stable.map(|e| e.linear.state.x[0].abs()).collect();
    /// assert!(angles.len() == 2 && angles.iter().all(|a| (a.cos() - 9.81/(0.5*36.0)).abs() < 1e-14));
    /// # Ok::<(), String>(())
    /// ```
    pub fn equilibria(&mut self, search: &EquilibriumSearch) -> Result<Equilibria, Box<Diagnostic>> {
        self.equilibria_watched(search, &mut |_, _| {})
    }

    /// Finds equilibria and steady motions; `watch` is told how many starts are done, and of how many.
    pub fn equilibria_watched(
        &mut self,
        search: &EquilibriumSearch,
        watch: &mut dyn FnMut(usize, usize),
    ) -> Result<Equilibria, Box<Diagnostic>> {
        let base = self.operating_point(&search.at)?;
        let linearizer = Linearizer::new(self, &[])?;
        let named = self.assignments(&search.at)?;
        check_within(self, &search.within)?;
        let starts = if search.starts == 0 { DEFAULT_STARTS } else { search.starts.min(MAX_STARTS) };
        let mut found = Equilibria { starts, ..Equilibria::default() };
        let names = |list: &[String]| -> Vec<usize> {
            (0..list.len()).filter(|k| named.iter().any(|(n, _)| *n == list[*k])).collect()
        };
        let coordinates: Vec<String> = self.system.frame.coordinates.iter().map(|c| c.name.clone()).collect();
        let speeds: Vec<String> = self.system.frame.speeds.iter().map(|s| s.name.clone()).collect();
        let (given_x, given_eta) = (names(&coordinates), names(&speeds));

        let all: Vec<usize> = (0..base.eta.len()).collect();
        let still = State::new(base.t, &base.x, &vec![0.0; base.eta.len()]);
        let resting = self.on_constraints(&still, &base.x, &[], &all);
        found.rest_possible = resting.is_some();
        let moving = base.eta.iter().any(|v| *v != 0.0);
        let mut hunts = Vec::new();
        if let Some(state) = resting.filter(|_| given_eta.is_empty()) {
            let mut held = found.held(linearizer.held(self, &state));
            held.coordinates.extend(&given_x);
            (held.rest, held.speeds) = (true, Vec::new());
            hunts.push((state, held));
        }
        if moving {
            let mut held = found.held(linearizer.held(self, &base));
            held.coordinates.extend(&given_x);
            if !given_eta.is_empty() {
                held.speeds.clone_from(&given_eta);
            }
            if !held.moving.is_empty() {
                hunts.push((base.clone(), held));
            }
        }
        let mut periodic = periodic(self, &base);
        // A range counts turns.
        for (turns, c) in periodic.iter_mut().zip(&self.system.frame.coordinates) {
            *turns &= !search.within.iter().any(|r| r.name == c.name);
        }
        found.angles = (0..periodic.len()).filter(|i| periodic[*i]).collect();
        let joints = self.system.bodies.iter().flat_map(|bodies| &bodies.joints);
        let quaternions: Vec<Vec<usize>> =
            joints.filter_map(|joint| joint.quaternion().map(<[usize]>::to_vec)).collect();
        let of = |state, held| Hunt {
            base: state,
            held,
            periodic: &periodic,
            quaternions: &quaternions,
            within: &search.within,
        };
        let total = starts * hunts.len();
        for (h, (state, held)) in hunts.iter().enumerate() {
            let hunt = of(state, held);
            hunt.run(self, &linearizer, starts, &mut found, &mut |k| watch(h * starts + k, total));
        }
        // Rates that the forces decide are unknowns where no steady motion has those of the start.
        let steady = |e: &Equilibrium| e.linear.state.eta.iter().any(|v| *v != 0.0);
        if given_eta.is_empty()
            && !found.equilibria.iter().any(steady)
            && let Some((state, held)) = hunts.iter().find(|(_, held)| !held.rest)
            && let Some(held) = held.with_free_rates()
        {
            let hunt = of(state, &held);
            hunt.run(self, &linearizer, starts, &mut found, &mut |_| {});
        }
        if found.converged > 0 {
            found.notes.clear(); // the start alone was in the way
        }
        if found.starts < starts {
            found.notes.push(format!(
                "the search ended after {} of {starts} starts: that is as much work as it may take for a model of this size",
                found.starts
            ));
        }
        if linearizer.derivatives.have_kinks() {
            found.notes.push(
                "forces have kinks or jumps (`abs`, `sign`, `min`, `max`, `if`): equilibria at them are not found"
                    .to_owned(),
            );
        }
        let distance = |e: &Equilibrium| -> f64 {
            e.linear.state.x.iter().zip(&base.x).map(|(a, b)| (a - b) * (a - b)).sum()
        };
        found.equilibria.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        Ok(found)
    }
}

impl Equilibria {
    /// What stays in the search; why the start has no linear system is kept for the case that nothing is found.
    fn held(&mut self, found: Result<FixedVariables, Box<Diagnostic>>) -> FixedVariables {
        found.unwrap_or_else(|d| {
            let why = format!("there is no linear system at the start: {}", d.message);
            if !self.notes.contains(&why) {
                self.notes.push(why);
            }
            FixedVariables::default()
        })
    }
}

struct Hunt<'a> {
    base: &'a State,
    held: &'a FixedVariables,
    periodic: &'a [bool],
    /// Coordinates of bodies that are quaternions, by fours.
    quaternions: &'a [Vec<usize>],
    within: &'a [Range],
}

impl Hunt<'_> {
    fn run(
        &self,
        model: &mut Workspace,
        linearizer: &Linearizer,
        starts: usize,
        found: &mut Equilibria,
        done: &mut dyn FnMut(usize),
    ) {
        let mut seen: Vec<State> = found.equilibria.iter().map(|e| e.linear.state.clone()).collect();
        done(0);
        // Where the system comes to rest by itself is looked at first.
        let bottom = if self.held.rest { linearizer.bottom(model, self.base, self.held) } else { None };
        if let Some(state) = bottom {
            self.keep(model, linearizer, state, &mut seen, found);
        }
        let held = FixedVariables { charted: self.base.x.len() <= MAX_CHARTED, ..self.held.clone() };
        for k in 0..starts {
            if linearizer.calls.get() > super::settle::budget(model) {
                found.starts = found.starts.min(k);
                return;
            }
            done(k);
            let Some(start) = self.start(model, k) else { continue };
            let Some(state) = linearizer.quieten(model, &start, &held) else { continue };
            self.keep(model, linearizer, state, &mut seen, found);
        }
        self.look_beside(model, linearizer, &held, starts, &mut seen, found);
    }

    /// Starts beside isolated results, one coordinate moved at a time: where forces become singular between equilibria, the
    /// next one often lies on the same line (the points of Lagrange on the axis of the primaries). As many again as there
    /// were starts at most; they are not counted.
    fn look_beside(
        &self,
        model: &mut Workspace,
        linearizer: &Linearizer,
        held: &FixedVariables,
        starts: usize,
        seen: &mut Vec<State>,
        found: &mut Equilibria,
    ) {
        let (converged, not_listed) = (found.converged, found.not_listed);
        let (mut k, mut tried) = (0, 0);
        while k < found.equilibria.len() && tried < starts {
            let (from, isolated) =
                (found.equilibria[k].linear.state.clone(), found.equilibria[k].family == 0);
            k += 1;
            let free = (0..from.x.len()).filter(|i| isolated && !held.coordinates.contains(i));
            for (i, step) in free.flat_map(|i| BESIDE.iter().map(move |step| (i, step))) {
                if tried >= starts || linearizer.calls.get() > super::settle::budget(model) {
                    break;
                }
                tried += 1;
                let mut start = from.clone();
                start.x[i] += step * from.x[i].abs().max(0.3);
                let Some(start) = self.placed(model, start) else { continue };
                let Some(state) = linearizer.quieten(model, &start, held) else { continue };
                self.keep(model, linearizer, state, seen, found);
            }
        }
        (found.converged, found.not_listed) = (converged, not_listed);
    }

    /// Examines and lists a result, unless it is known already or not where it was looked for.
    fn keep(
        &self,
        model: &mut Workspace,
        linearizer: &Linearizer,
        mut state: State,
        seen: &mut Vec<State>,
        found: &mut Equilibria,
    ) {
        found.converged += 1;
        self.wrap(&mut state);
        if !self.inside(model, &state) || seen.iter().any(|other| self.same(other, &state)) {
            return;
        }
        seen.push(state.clone());
        let e = match self.examine(model, linearizer, &state) {
            Ok(e) => e,
            Err(d) if found.troubles.contains(&d.message) => return,
            Err(d) => return found.troubles.push(d.message),
        };
        let known = |o: &Equilibrium| {
            let (from, to) = (&e.linear.state, &o.linear.state);
            o.family == e.family
                && alike(o, &e)
                && linearizer.joined(model, from, to, self.held, self.periodic)
        };
        // Points of a flat place that rounding cannot tell apart are one.
        let undecided = |e: &Equilibrium| {
            e.linear.stability.as_ref().is_none_or(|s| s.verdict == StabilityVerdict::Undecided)
        };
        let merged = || {
            found.equilibria.iter().any(|o| {
                (undecided(o) || undecided(&e))
                    && linearizer.connected(model, &o.linear.state, &e.linear.state, self.held)
            })
        };
        match e.family > 0 && found.equilibria.iter().any(known) {
            true => found.not_listed += 1,
            false if merged() => {}
            false => found.equilibria.push(e),
        }
    }

    fn inside(&self, model: &Workspace, state: &State) -> bool {
        self.within.iter().all(|range| {
            let i = model.system.frame.coordinates.iter().position(|c| c.name == range.name);
            let slack = 1e-9 * (range.high - range.low).abs();
            let (low, high) = (range.low.min(range.high) - slack, range.low.max(range.high) + slack);
            i.is_none_or(|i| (low..=high).contains(&state.x[i]))
        })
    }

    /// The k-th start: the base itself, then points spread around it, on the constraints.
    fn start(&self, model: &Workspace, k: usize) -> Option<State> {
        if k == 0 {
            return Some(self.base.clone());
        }
        let mut state = self.base.clone();
        for i in 0..state.x.len() {
            if self.held.coordinates.contains(&i) {
                continue;
            }
            let name = &model.system.frame.coordinates[i].name;
            let u = (k as f64 * root(i) + 0.31 * i as f64).fract();
            state.x[i] = match self.within.iter().find(|r| r.name == *name) {
                Some(range) => range.low + (range.high - range.low) * u,
                None if self.periodic[i] => self.base.x[i] + PI * (2.0 * u - 1.0),
                None => {
                    // Small values may be the size of the system, or a start near zero: both in turn.
                    let own = self.base.x[i].abs();
                    let size = if k % 8 < 4 && own > 0.0 { own } else { own.max(1.0) };
                    self.base.x[i] + SPREADS[k % 4] * size * (2.0 * u - 1.0)
                }
            };
        }
        self.placed(model, state)
    }

    /// A state brought onto the constraints, with what is held as it is.
    fn placed(&self, model: &Workspace, mut state: State) -> Option<State> {
        let mut projector = Projector::new(&model.compiled);
        projector.hold_invariants(&model.compiled, &self.base.x);
        let (mut x, mut eta) = (state.x.clone(), state.eta.clone());
        if projector.project(&model.compiled, state.t, &mut x, &mut eta).is_ok() {
            state.x = x;
        }
        let speeds: Vec<usize> = match self.held.rest {
            true => (0..state.eta.len()).collect(),
            false => self.held.speeds.clone(),
        };
        model.on_constraints(&state, &self.base.x, &self.held.coordinates, &speeds)
    }

    fn wrap(&self, state: &mut State) {
        for (i, v) in state.x.iter_mut().enumerate() {
            if self.periodic[i] && !self.held.coordinates.contains(&i) && v.abs() > PI + 1e-9 {
                *v -= TAU * (*v / TAU).round();
            }
            if self.periodic[i] && !self.held.coordinates.contains(&i) && *v < -PI + 1e-9 {
                *v += TAU;
            }
        }
    }

    fn same(&self, a: &State, b: &State) -> bool {
        // q and -q turn a body alike.
        let mut b = b.clone();
        for e in self.quaternions {
            if e.iter().map(|&i| a.x[i] * b.x[i]).sum::<f64>() < 0.0 {
                e.iter().for_each(|&i| b.x[i] = -b.x[i]);
            }
        }
        let x = (0..a.x.len()).filter(|i| !self.held.moving.contains(i)).all(|i| {
            let gap = (a.x[i] - b.x[i]).abs();
            let gap = if self.periodic[i] { gap.min((gap - TAU).abs()) } else { gap };
            gap <= SAME * (1.0 + a.x[i].abs())
        });
        x && a.eta.iter().zip(&b.eta).all(|(a, b)| (a - b).abs() <= SAME * (1.0 + a.abs()))
    }

    fn examine(
        &self,
        model: &mut Workspace,
        linearizer: &Linearizer,
        state: &State,
    ) -> Result<Equilibrium, Box<Diagnostic>> {
        let linear = linearizer.lasting(model, self.base, state)?;
        let now = model.evaluate(state)?;
        let potential = super::landscape::Potential::new(model).map(|v| v.at(model, state));
        let family = linearizer.family_dimension(model, state, self.held);
        Ok(Equilibrium { linear, now, potential, family })
    }
}

/// Irrational steps, a different one for each coordinate, spread points evenly.
fn root(i: usize) -> f64 {
    const ROOTS: [f64; 8] = [
        0.618_033_988_75,
        0.414_213_562_37,
        0.732_050_807_57,
        0.236_067_977_50,
        0.645_751_311_06,
        0.316_624_790_36,
        0.605_551_275_46,
        0.123_105_625_62,
    ];
    (ROOTS[i % 8] * (1 + i / 8) as f64).fract()
}

fn alike(a: &Equilibrium, b: &Equilibrium) -> bool {
    a.linear.stability.as_ref().map(|s| s.verdict) == b.linear.stability.as_ref().map(|s| s.verdict)
}

/// Which coordinates are angles: nothing in the equations changes after a turn. Looked at in two places.
fn periodic(model: &Workspace, base: &State) -> Vec<bool> {
    let kernel = &model.compiled;
    let values = |state: &State| {
        let shape = kernel.shape();
        let mut scratch = vec![0.0; kernel.scratch_len()];
        let mut terms = Terms::new(&shape);
        kernel.terms(state.point(), &mut scratch, &mut terms);
        let (mut phi, mut psi) = (vec![0.0; shape.n_con], vec![0.0; shape.n_con]);
        kernel.residuals(state.point(), &mut scratch, &mut phi, &mut psi);
        [terms.x_dot, terms.M, terms.Q, terms.A, terms.b, phi, psi].concat()
    };
    let place = |k: usize| {
        let spread = |list: &[f64], offset: usize| -> Vec<f64> {
            let shift = |i: usize| ((i + offset + 3 * k) as f64 * 0.754_877_666_25).fract() - 0.3;
            list.iter().enumerate().map(|(i, v)| v + shift(i)).collect()
        };
        State::new(base.t, &spread(&base.x, 1), &spread(&base.eta, 7))
    };
    (0..base.x.len())
        .map(|i| {
            (0..2).all(|k| {
                let here = place(k);
                let mut there = here.clone();
                there.x[i] += TAU;
                let (a, b) = (values(&here), values(&there));
                let size = a.iter().fold(1e-12, |m: f64, v| m.max(v.abs()));
                a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 1e-11 * size)
            })
        })
        .collect()
}

fn check_within(model: &Workspace, ranges: &[Range]) -> Result<(), Box<Diagnostic>> {
    if let Some(r) = ranges.iter().find(|r| r.low >= r.high) {
        let message = format!("the range of `{}` ends at {} before it begins at {}", r.name, r.high, r.low);
        let help = format!("write it as \"{}={}..{}\"", r.name, r.high, r.low);
        return Err(Box::new(Diagnostic::error(Code::BadOption, None, message).help(help)));
    }
    let names: Vec<&str> = model.system.frame.coordinates.iter().map(|c| c.name.as_str()).collect();
    match ranges.iter().find(|r| !names.contains(&r.name.as_str())) {
        None => Ok(()),
        Some(range) => {
            let message = format!("`{}` is not a coordinate of this model", range.name);
            let d = Diagnostic::error(Code::BadOption, None, message);
            Err(Box::new(match nearest(&range.name, names.iter().copied()) {
                Some(near) => d.help(format!("did you mean `{near}`?")),
                None => d.help(format!("the coordinates are {}", names.join(", "))),
            }))
        }
    }
}
