//! The compiled system made fast: native code for its tapes, and the whole acceleration as one of them.

use super::Compiled;
use super::looped::{LoopedAcceleration, all_finite};
use super::programs::Programmed;
use super::traced;
use super::unrolled_solve::{Layout, UnrolledSolve, Wanted};
use crate::kernel_form::KernelForm;
use crate::system::System;
use dalembert_linalg::{cholesky, pivot_share};
use dalembert_run::tolerance;
use dalembert_run::{Dynamics, Fused, Point, Terms};
use dalembert_tape::{Builder, Counts, Lanes, Program};

/// Operations up to which programs beside loops over links become native code when the model is made fast.
const MAX_BESIDE_LOOPS: usize = 10_000;

/// [`UnrolledSolve`] for given values of the parameters.
#[derive(Clone)]
pub(super) struct FusedAcceleration {
    pub layout: Layout,
    /// How many numbers x' and eta' are, and the place of the one that says whether they can be trusted.
    rates: usize,
    trusted: usize,
    derived: Counts,
    /// The rows solved for, in the order of pivots.
    pub rows: Vec<usize>,
    pub once: Program,
    pub each: Program,
    /// What `once` gave.
    constants: Vec<f64>,
    /// Room for it.
    registers: Vec<f64>,
}

impl FusedAcceleration {
    fn new(straight: UnrolledSolve, rows: &[usize], parameters: &[f64]) -> Self {
        let hoisted = straight.hoisted;
        let mut each = hoisted.each;
        each.compile();
        let layout = straight.layout;
        let mut quick = Self {
            rates: layout.n_x + layout.n,
            trusted: layout.len() - 1,
            layout,
            derived: straight.derived,
            rows: rows.to_vec(),
            once: hoisted.once,
            each,
            constants: Vec::new(),
            registers: Vec::new(),
        };
        quick.set_parameters(parameters);
        quick
    }

    /// Computes what depends on the parameters alone.
    pub fn set_parameters(&mut self, parameters: &[f64]) {
        self.constants.resize(self.once.output_count(), 0.0);
        self.registers.resize(self.once.register_count(), 0.0);
        self.once.run(parameters, &mut self.registers, &mut self.constants);
    }

    /// What depends on the parameters alone.
    pub fn constants(&self) -> &[f64] {
        &self.constants
    }
}

impl Fused for FusedAcceleration {
    fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Inputs, with what comes of the parameters in place, and registers.
    fn workspace(&self) -> Vec<f64> {
        let mut workspace = vec![0.0; self.each.input_count() + self.each.register_count()];
        self.refresh(&mut workspace);
        workspace
    }

    fn refresh(&self, workspace: &mut [f64]) {
        let state = self.each.input_count() - self.constants.len();
        workspace[state..state + self.constants.len()].copy_from_slice(&self.constants);
    }

    fn results(&self) -> Vec<f64> {
        vec![0.0; self.layout.len()]
    }

    #[inline]
    fn accelerate_in_place(&self, workspace: &mut [f64], out: &mut [f64]) -> bool {
        self.accelerate_unchecked(workspace, out) && all_finite(&out[..self.rates])
    }

    #[inline]
    fn accelerate_unchecked(&self, workspace: &mut [f64], out: &mut [f64]) -> bool {
        let (inputs, registers) = workspace.split_at_mut(self.each.input_count());
        self.each.run(inputs, registers, out);
        out[self.trusted] == 1.0
    }
}

/// The whole acceleration as one program: its operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FusedStats {
    /// As it was derived.
    pub derived: Counts,
    /// What is left of it for a state: common factors taken out, parameters set apart, products fused with sums.
    pub each: Counts,
    /// What is done once for given parameters.
    pub once: Counts,
}

/// Three states that nothing is special about, the time behind each.
fn generic_states(d: usize) -> impl Iterator<Item = Vec<f64>> {
    let value = |k: usize, i: usize| 0.2 + (0.618_033_988_749_895 * (3 * i + k) as f64).fract();
    (1..=3).map(move |k| (0..=d).map(|i| value(k, i)).collect())
}

fn looped_stats(looped: &LoopedAcceleration) -> FusedStats {
    let (each, once) = looped.counts();
    FusedStats { derived: each, each, once }
}

/// What making a system fast has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CodeStats {
    /// Operations of M, Q, A, b, as they were derived.
    pub derived: Counts,
    /// What is left of them: fewer where parameters are folded.
    pub terms: Counts,
    /// The whole acceleration, where it is one program.
    pub whole: Option<FusedStats>,
    /// Bytes of native code; 0 where tapes are interpreted.
    pub native_bytes: usize,
}

impl Compiled {
    /// Native code for every tape, and the acceleration as one program where the system lends itself to it. Nothing
    /// changes but the speed and the last digits.
    pub fn compile_native(&mut self, system: &mut System, form: &KernelForm) {
        let rows: Vec<usize> = (0..self.shape.n_con).collect();
        match self.sparse {
            _ if self.whole.unrolled.is_some() => {}
            None => self.fuse(system, form, &rows),
            Some(_) if form.is_deferred => {
                let fixed = self.folded.then_some(self.parameters.as_slice());
                let net = traced::factored_net(system, form, &rows, fixed);
                self.whole.unrolled = net.map(|s| FusedAcceleration::new(s, &rows, &self.parameters));
            }
            Some(_) => {}
        }
        // Beside loops over links the others are asked for at rows of a table, and large: native code costs more than it saves.
        let most = if self.whole.looped.is_some() { MAX_BESIDE_LOOPS } else { usize::MAX };
        self.programs.each_mut(&mut |p| {
            if p.counts().total() <= most {
                p.compile();
            }
        });
        self.size_scratch();
    }

    /// The acceleration as one program with these rows, which stand for all along the motion.
    pub fn fuse(&mut self, system: &mut System, form: &KernelForm, rows: &[usize]) {
        if rows.is_empty() && self.whole.unrolled.is_none() && self.whole.looped.is_none() {
            self.whole.looped = LoopedAcceleration::new(system, form, self);
        }
        if self.whole.looped.is_none() {
            self.fuse_straight(system, form, rows);
        }
    }

    /// The acceleration (U1) as one straight-line program with these rows. Unlike loops over links it can be differentiated.
    pub(crate) fn fuse_straight(&mut self, system: &mut System, form: &KernelForm, rows: &[usize]) {
        if self.whole.unrolled.as_ref().is_none_or(|q| q.rows != rows) {
            let fixed = self.folded.then_some(self.parameters.as_slice());
            // Recursions over bodies judge their pivots at every state.
            let regular = form.is_deferred || self.has_inertia();
            let straight = regular
                .then(|| UnrolledSolve::new(system, form, Wanted::accelerations(rows, fixed)))
                .flatten();
            let fused = straight.map(|s| FusedAcceleration::new(s, rows, &self.parameters));
            // Requirements that are redundant or out of reach everywhere are never trusted.
            let within_reach =
                |f: &FusedAcceleration| self.shape.n_require == 0 || self.is_trusted_somewhere(f);
            self.whole.unrolled = fused.filter(within_reach);
        }
    }

    fn is_trusted_somewhere(&self, fused: &FusedAcceleration) -> bool {
        let (mut workspace, mut out) = (fused.workspace(), fused.results());
        let (n_x, d) = (self.shape.n_x, self.shape.n_x + self.shape.n_eta);
        generic_states(d).any(|state| {
            let at = Point { t: state[d], x: &state[..n_x], eta: &state[n_x..d] };
            fused.accelerate(at, &mut workspace, &mut out)
        })
    }

    /// The whole acceleration with all rows as one program over t, x, eta and the parameters, for texts in other languages:
    /// x', eta', multipliers, ideal forces (U2), and whether they can be trusted. `None` where the system does not lend
    /// itself to it.
    pub fn whole_program(&self, system: &mut System, form: &KernelForm) -> Option<Program> {
        // Texts in other languages have multipliers and forces beside the accelerations, by the general solve.
        let laws = self.programs.nonideal.is_some() || self.shape.n_require > 0;
        if laws || self.sparse.is_some() || !(form.is_deferred || self.has_inertia()) {
            return None;
        }
        let rows: Vec<usize> = (0..self.shape.n_con).collect();
        if rows.is_empty() && LoopedAcceleration::new(system, form, self).is_some() {
            return None;
        }
        let solve = UnrolledSolve::new(system, form, Wanted { rows: &rows, fixed: None, forces: true })?;
        let (state, count) = (1 + self.shape.n_x + self.shape.n_eta, self.parameters.len());
        let mut tape = Builder::new(state + count);
        let parameters: Vec<_> = (state..state + count).map(|k| tape.input(k)).collect();
        let constants = tape.inline(&solve.hoisted.once.listing(), &parameters);
        let inputs: Vec<_> = (0..state).map(|k| tape.input(k)).chain(constants).collect();
        let outputs = tape.inline(&solve.hoisted.each.listing(), &inputs);
        let trusted = solve.layout.len() - 1;
        // Recursions over trees without rows give no forces.
        let none = vec![tape.constant(0.0); if outputs.len() == trusted + 1 { self.shape.n_eta } else { 0 }];
        let forces = outputs[trusted + 1..].iter().chain(&none);
        let rates = outputs[..state - 1].iter();
        let wanted: Vec<_> = rates.chain(forces).chain([&outputs[trusted]]).copied().collect();
        Some(tape.finish(&wanted))
    }

    /// One program beside loops over links where there are such: for derivatives.
    pub(crate) fn straighten(&mut self, system: &mut System, form: &KernelForm) {
        if self.whole.looped.is_some() {
            self.fuse_straight(system, form, &[]);
        }
    }

    /// Whether M is regular at some generic state. Where it is not (bodies in Euler parameters and their rates), its pivots are
    /// rounding everywhere, and the unrolled solve, which eliminates M first, has nothing to stand on.
    fn has_inertia(&self) -> bool {
        let (n_x, n) = (self.shape.n_x, self.shape.n_eta);
        let mut terms = Terms::of(self);
        let (mut scratch, mut work) = (vec![0.0; self.scratch_len()], vec![0.0; n]);
        let mut seen = false;
        for state in generic_states(n_x + n) {
            let at = Point { t: state[n_x + n], x: &state[..n_x], eta: &state[n_x..n_x + n] };
            self.terms(at, &mut scratch, &mut terms);
            if terms.M.iter().all(|v| v.is_finite()) {
                seen = true;
                let regular = cholesky(&mut terms.M, n).is_ok()
                    && pivot_share(&terms.M, n, &mut work) > tolerance::MASS;
                if regular {
                    return true;
                }
            }
        }
        !seen
    }

    /// The parameters' values in their place in every tape, where constants are folded. Terms keep their bits; from now on
    /// parameters cannot change.
    pub(crate) fn fold_parameters(&mut self) {
        let first = 1 + self.shape.n_x + self.shape.n_eta;
        let values = self.parameters.clone();
        self.programs.each_mut(&mut |p| *p = p.folded(first, &values));
        (self.whole.unrolled, self.whole.looped, self.folded) = (None, None, true);
        self.native_columns = std::sync::OnceLock::new();
        self.size_scratch();
    }

    /// Operation counts and code size.
    pub fn speed(&self) -> CodeStats {
        let quick = self.whole.unrolled.as_ref();
        CodeStats {
            derived: self.derived,
            terms: self.programs.terms.program.counts(),
            whole: self.whole.looped.as_ref().map(looped_stats).or(quick.map(|q| FusedStats {
                derived: q.derived,
                each: q.each.counts(),
                once: q.once.counts(),
            })),
            native_bytes: self.programs.terms.program.native_bytes()
                + quick.map_or(0, |q| q.each.native_bytes())
                + self.whole.looped.as_ref().map_or(0, LoopedAcceleration::native_bytes),
        }
    }

    /// The whole acceleration for four states at a time, where the system lends itself to it: inputs t, x, eta and the
    /// values of [`Compiled::lane_constants`]; outputs x', eta', pivots and diagonal of A M^-1 A^T, and 1 where they
    /// can be trusted.
    pub fn lanes(&self) -> Option<Lanes> {
        self.whole.unrolled.as_ref().map(|q| Lanes::new(q.each.clone()))
    }

    /// What the lanes need of the parameters.
    pub fn lane_constants(&self) -> &[f64] {
        self.whole.unrolled.as_ref().map_or(&[], |q| &q.constants)
    }
}
