//! Exact directional derivatives of the programs of a system: each tape differentiated forward.
//!
//! Nothing is derived again: [`Program::forward`] differentiates what is computed. So the derivative is that of the numbers
//! of a run, whatever statement they come from. The fused acceleration is differentiated as a whole, its solve included, for
//! several directions at once.

use super::programs::Scatter;
use super::{Compiled, Inputs, switches};
use crate::kernel_form::KernelForm;
use crate::system::System;
use dalembert_expr::{Expr, Symbol};
use dalembert_run::{
    ContactTerms, ControlTerms, Differentiable, Direction, FusedAdjoint, FusedDerivatives, FusedProgram,
    IdealForces, Point, Solution, Solved, Terms,
};
use dalembert_tape::Program;

/// Directions that one program follows at most.
const MOST_AT_ONCE: usize = 8;

/// Programs with one directional derivative each.
pub(super) struct Tangents {
    terms: Program,
    nonideal: Option<Program>,
    residuals: Program,
    contact_terms: Option<Program>,
    control_terms: Option<Program>,
    time_switches: Program,
    events: Program,
    outputs: Program,
    balance: Option<Program>,
    action_values: Option<Program>,
    /// Functions of the state at whose zeros the equations have kinks or jump.
    kinks: Program,
    kinks_along: Program,
    scratch_len: usize,
}

impl Compiled {
    /// Adds the directional derivatives of everything that is computed. For the programs as they are now.
    pub(crate) fn with_derivatives(&mut self, system: &mut System, form: &KernelForm) {
        if self.tangents.is_some() {
            return;
        }
        let forward = |p: &Program| {
            let mut program = p.forward(&vec![true; p.input_count()], 1);
            program.compile();
            program
        };
        let p = &self.programs;
        let inputs = Inputs::of(system, form);
        let kinks = state_kinks(system, form, &inputs);
        let mut kinks = system.pool.lower(&inputs.state, &kinks);
        kinks.compile();
        let mut tangents = Tangents {
            terms: forward(&p.terms.program),
            nonideal: p.nonideal.as_ref().map(forward),
            residuals: forward(&p.residuals.program),
            contact_terms: p.contact_terms.as_ref().map(|c| forward(&c.program)),
            control_terms: p.control_terms.as_ref().map(|c| forward(&c.program)),
            time_switches: forward(&p.time_switches),
            events: forward(&p.events),
            outputs: forward(&p.outputs),
            balance: p.balance.as_ref().map(forward),
            action_values: p.action_values.as_ref().map(forward),
            kinks_along: forward(&kinks),
            kinks,
            scratch_len: self.scratch_len,
        };
        let mut most = self.scratch_len;
        tangents.each(|p| most = most.max(p.input_count() + p.register_count() + p.output_count()));
        tangents.scratch_len = 2 * most;
        self.tangents = Some(std::sync::Arc::new(tangents));
    }

    fn derivative_programs(&self) -> &Tangents {
        self.tangents.as_ref().expect("derivatives are made before they are asked for")
    }

    /// Writes the change of `t, x, eta, parameters` at `start`; returns where it ends.
    fn load_direction(&self, along: Direction<'_>, start: usize, scratch: &mut [f64]) -> usize {
        let mut end = start;
        let parts: [&[f64]; 4] = [&[along.t], along.x, along.eta, along.parameters];
        for part in parts {
            scratch[end..end + part.len()].copy_from_slice(part);
            end += part.len();
        }
        end
    }

    /// Runs a program over the state; its changes are the second half of the outputs.
    fn run_state<'s>(
        &self,
        program: &Program,
        at: Point<'_>,
        along: Direction<'_>,
        scratch: &'s mut [f64],
    ) -> &'s [f64] {
        let end = self.load(at.t, at.x, at.eta, scratch);
        let end = self.load_direction(along, end, scratch);
        changes(program, end, scratch)
    }

    /// Changes of reactions with those of multipliers and rows.
    fn reaction_change(&self, g: usize, (lambda, dl): (&[f64], &[f64]), (A, dA): (&Terms, &Terms)) -> f64 {
        let n = self.shape.n_eta;
        let (mut force, mut change) = (vec![0.0; n], vec![0.0; n]);
        for r in self.groups[g].clone() {
            A.row(r).entries().for_each(|(p, a)| {
                force[p] += a * lambda[r];
                change[p] += a * dl[r];
            });
            dA.row(r).entries().for_each(|(p, a)| change[p] += a * lambda[r]);
        }
        let size = force.iter().fold(0.0f64, |m, f| m.hypot(*f));
        if size > 0.0 { force.iter().zip(&change).map(|(f, c)| f * c).sum::<f64>() / size } else { 0.0 }
    }

    /// Writes the changes of results behind that of the state, in the order of `load_results`.
    fn load_result_changes(
        &self,
        along: Direction<'_>,
        here: Solved<'_>,
        change: Solved<'_>,
        start: usize,
        scratch: &mut [f64],
    ) -> usize {
        let mut end = self.load_direction(along, start, scratch);
        let (s, d) = (here.solution, change.solution);
        scratch[end..end + d.lambda.len()].copy_from_slice(&d.lambda);
        end += d.lambda.len();
        for g in 0..self.groups.len() {
            scratch[end + g] = match self.contacts.iter().position(|c| c.rows == self.groups[g]) {
                Some(contact) => d.normal[contact],
                None if self.reads.reactions => {
                    self.reaction_change(g, (&s.lambda, &d.lambda), (here.terms, change.terms))
                }
                None => 0.0,
            };
        }
        end += self.groups.len();
        for part in [&d.eta_dot, &change.terms.Q, &d.ideal_force, &d.nonideal_force, &d.control_force] {
            scratch[end..end + part.len()].copy_from_slice(part);
            end += self.shape.n_eta;
        }
        scratch[end..end + d.friction.len()].copy_from_slice(&d.friction);
        end += self.shape.n_slide;
        scratch[end] = d.gauss;
        end += 1;
        for k in 0..crate::system::Power::ALL.len() {
            scratch[end] = change.integrals.get(k).copied().unwrap_or(0.0);
            end += 1;
        }
        end
    }

    fn run_results<'s>(
        &self,
        program: &Program,
        at: Point<'_>,
        along: Direction<'_>,
        (here, change): (Solved<'_>, Solved<'_>),
        scratch: &'s mut [f64],
    ) -> &'s [f64] {
        let natural = natural_part(here.solution, self.shape.n_con);
        let solution = natural.as_ref().unwrap_or(here.solution);
        let here = Solved { solution, ..here };
        let end = self.load_results(at, here.terms, here.solution, here.integrals, scratch);
        let end = self.load_result_changes(along, here, change, end, scratch);
        changes(program, end, scratch)
    }
}

/// The solution with the multipliers of the natural rows alone, where contacts stick.
fn natural_part(solution: &Solution, rows: usize) -> Option<Solution> {
    (solution.lambda.len() > rows).then(|| {
        let mut natural = solution.clone();
        natural.lambda.truncate(rows);
        natural
    })
}

/// Runs a program whose inputs are in place; the second half of its outputs.
fn changes<'s>(program: &Program, inputs: usize, scratch: &'s mut [f64]) -> &'s [f64] {
    let (head, tail) = scratch.split_at_mut(inputs);
    let (registers, out) = tail.split_at_mut(program.register_count());
    program.run(head, registers, out);
    let count = program.output_count() / 2;
    &out[count..2 * count]
}

/// Arguments of `abs`, `sign`, `floor`, `min`, `max` and comparisons that depend on the state, and on nothing that only the
/// solved motion knows.
fn state_kinks(system: &mut System, form: &KernelForm, inputs: &Inputs) -> Vec<Expr> {
    let all = switches::moving_parts(form);
    let found = switches::kinks(&mut system.pool, &all);
    let state: Vec<Symbol> = form.coordinates.iter().chain(&form.speeds).copied().collect();
    let beyond: Vec<Symbol> = inputs.results[inputs.state.len()..].to_vec();
    let pool = &mut system.pool;
    let mut kinks: Vec<Expr> = Vec::new();
    for e in found {
        if pool.depends_on(e, &state) && !pool.depends_on(e, &beyond) && !kinks.contains(&e) {
            kinks.push(e);
        }
    }
    kinks
}

impl Tangents {
    fn each(&self, mut visit: impl FnMut(&Program)) {
        let fixed = [
            &self.terms,
            &self.residuals,
            &self.time_switches,
            &self.events,
            &self.outputs,
            &self.kinks,
            &self.kinks_along,
        ];
        let some =
            [&self.nonideal, &self.contact_terms, &self.control_terms, &self.balance, &self.action_values];
        fixed.into_iter().chain(some.into_iter().flatten()).for_each(&mut visit);
    }
}

impl Differentiable for Compiled {
    fn parameter_count(&self) -> usize {
        self.parameters.len()
    }

    fn derivative_scratch_len(&self) -> usize {
        self.derivative_programs().scratch_len
    }

    fn terms_along(&self, at: Point<'_>, along: Direction<'_>, scratch: &mut [f64], out: &mut Terms) {
        let places: &Scatter = match (&self.sparse, &out.sparsity) {
            (Some(layout), Some(_)) => &layout.places,
            _ => &self.programs.terms.places,
        };
        let values = self.run_state(&self.derivative_programs().terms, at, along, scratch);
        places.put(values, [&mut out.x_dot[..], &mut out.M, &mut out.Q, &mut out.A, &mut out.b]);
    }

    fn nonideal_along(
        &self,
        at: Point<'_>,
        along: Direction<'_>,
        ideal: &IdealForces<'_>,
        (dl, dA): (&[f64], &[f64]),
        scratch: &mut [f64],
        C: &mut [f64],
    ) {
        let Some(program) = &self.derivative_programs().nonideal else { return C.fill(0.0) };
        let end = self.load_ideal(at, ideal.lambda, ideal.A, ideal.sparsity, scratch);
        let mut end = self.load_direction(along, end, scratch);
        scratch[end..end + dl.len()].copy_from_slice(dl);
        end += dl.len();
        let layout = |A: &[f64]| Terms {
            A: A.to_vec(),
            Q: vec![0.0; self.shape.n_eta],
            sparsity: ideal.sparsity.and(self.sparse.as_ref()).map(|s| s.sparsity.clone()),
            ..Terms::default()
        };
        for g in 0..self.groups.len() {
            scratch[end + g] = match self.reads.reactions {
                true => self.reaction_change(g, (ideal.lambda, dl), (&layout(ideal.A), &layout(dA))),
                false => 0.0,
            };
        }
        end += self.groups.len();
        C.copy_from_slice(changes(program, end, scratch));
    }

    fn residuals_along(
        &self,
        at: Point<'_>,
        along: Direction<'_>,
        scratch: &mut [f64],
        phi: &mut [f64],
        psi: &mut [f64],
    ) {
        let values = self.run_state(&self.derivative_programs().residuals, at, along, scratch);
        self.programs.residuals.places.put(values, [phi, psi]);
    }

    fn contact_terms_along(
        &self,
        at: Point<'_>,
        along: Direction<'_>,
        scratch: &mut [f64],
        out: &mut ContactTerms<'_>,
    ) {
        let programs = (&self.derivative_programs().contact_terms, &self.programs.contact_terms);
        if let (Some(program), Some(tape)) = programs {
            let values = self.run_state(program, at, along, scratch);
            let ContactTerms { V, J, b, mu, mu_static, P } = out;
            tape.places.put(values, [V, J, b, mu, mu_static, P]);
        }
    }

    fn control_terms_along(
        &self,
        at: Point<'_>,
        along: Direction<'_>,
        scratch: &mut [f64],
        out: &mut ControlTerms,
    ) {
        let programs = (&self.derivative_programs().control_terms, &self.programs.control_terms);
        if let (Some(program), Some(tape)) = programs {
            if self.control.has_cost {
                out.W.resize(self.shape.n_input * self.shape.n_input, 0.0);
            }
            let values = self.run_state(program, at, along, scratch);
            tape.places.put(values, [&mut out.A, &mut out.b, &mut out.S, &mut out.W]);
        }
    }

    fn time_switches_along(&self, t: f64, along: Direction<'_>, scratch: &mut [f64], g: &mut [f64]) {
        let (x, eta) = (vec![0.0; self.shape.n_x], vec![0.0; self.shape.n_eta]);
        let at = Point { t, x: &x, eta: &eta };
        let sides = self.run_state(&self.derivative_programs().time_switches, at, along, scratch);
        let (left, right) = sides.split_at(g.len());
        g.iter_mut().zip(left.iter().zip(right)).for_each(|(g, (l, r))| *g = l - r);
    }

    fn kink_count(&self) -> usize {
        self.derivative_programs().kinks.output_count()
    }

    fn kinks(&self, at: Point<'_>, scratch: &mut [f64], g: &mut [f64]) {
        let inputs = self.load(at.t, at.x, at.eta, scratch);
        super::run_into(&self.derivative_programs().kinks, inputs, scratch, g);
    }

    fn kinks_along(&self, at: Point<'_>, along: Direction<'_>, scratch: &mut [f64], g: &mut [f64]) {
        g.copy_from_slice(self.run_state(&self.derivative_programs().kinks_along, at, along, scratch));
    }

    fn events_along(
        &self,
        at: Point<'_>,
        along: Direction<'_>,
        here: Solved<'_>,
        change: Solved<'_>,
        scratch: &mut [f64],
        g: &mut [f64],
    ) {
        let program = &self.derivative_programs().events;
        g.copy_from_slice(self.run_results(program, at, along, (here, change), scratch));
    }

    fn outputs_len(&self) -> usize {
        self.programs.outputs.output_count()
    }

    fn outputs_along(
        &self,
        at: Point<'_>,
        along: Direction<'_>,
        here: Solved<'_>,
        change: Solved<'_>,
        scratch: &mut [f64],
        out: &mut [f64],
    ) {
        let program = &self.derivative_programs().outputs;
        out.copy_from_slice(self.run_results(program, at, along, (here, change), scratch));
    }

    fn rates_along(
        &self,
        at: Point<'_>,
        along: Direction<'_>,
        here: Solved<'_>,
        change: Solved<'_>,
        scratch: &mut [f64],
        out: &mut [f64],
    ) {
        match &self.derivative_programs().balance {
            None => out.fill(0.0),
            Some(program) => {
                out.copy_from_slice(self.run_results(program, at, along, (here, change), scratch))
            }
        }
    }

    fn actions_along(
        &self,
        at: Point<'_>,
        along: Direction<'_>,
        here: Solved<'_>,
        change: Solved<'_>,
        scratch: &mut [f64],
        values: &mut [f64],
    ) {
        if let Some(program) = &self.derivative_programs().action_values {
            values.copy_from_slice(self.run_results(program, at, along, (here, change), scratch));
        }
    }

    fn fused_derivatives(&self, parameters: &[Vec<f64>]) -> Option<Box<dyn FusedDerivatives + '_>> {
        // The program of a net is long, and several times as long with its derivatives; loops through its entries are not.
        let quick = self.whole.unrolled.as_ref().filter(|_| self.sparse.is_none())?;
        let all = quick.rows.len() == self.shape.n_con;
        (all && !parameters.is_empty()).then(|| Box::new(Fused::new(self, parameters)) as _)
    }

    fn fused_program(&self) -> Option<FusedProgram<'_>> {
        let quick = self.whole.unrolled.as_ref().filter(|_| self.sparse.is_none())?;
        Some(FusedProgram {
            all_rows: quick.rows.len() == self.shape.n_con,
            once: &quick.once,
            each: &quick.each,
            constants: quick.constants(),
            parameters: &self.parameters,
        })
    }

    fn fused_adjoint(&self) -> Option<Box<dyn FusedAdjoint + '_>> {
        super::adjoint::Transposed::new(self).map(|t| Box::new(t) as _)
    }
}

/// The fused acceleration with several directional derivatives.
struct Fused<'c> {
    compiled: &'c Compiled,
    /// Programs for groups of directions, each with its inputs in place behind the state.
    parts: Vec<(Program, Vec<f64>, usize)>,
    registers: Vec<f64>,
    out: Vec<f64>,
}

impl<'c> Fused<'c> {
    fn new(compiled: &'c Compiled, parameters: &[Vec<f64>]) -> Self {
        let quick = compiled.whole.unrolled.as_ref().expect("asked where there is one");
        let (d, constants) = (compiled.shape.n_x + compiled.shape.n_eta, quick.constants());
        // What depends on the parameters alone changes with them once for all.
        let once = quick.once.forward(&vec![true; quick.once.input_count()], 1);
        let mut room = vec![0.0; once.register_count()];
        let constant_changes: Vec<Vec<f64>> = parameters
            .iter()
            .map(|change| {
                let inputs: Vec<f64> = compiled.parameters.iter().chain(change).copied().collect();
                let mut out = vec![0.0; once.output_count()];
                once.run(&inputs, &mut room, &mut out);
                out.split_off(constants.len())
            })
            .collect();
        let mut parts = Vec::new();
        for group in constant_changes.chunks(MOST_AT_ONCE) {
            let moves = |k: usize| group.iter().any(|c| c[k] != 0.0);
            let mut varying = vec![false];
            varying.resize(1 + d, true);
            varying.extend((0..constants.len()).map(moves));
            let mut program = quick.each.forward(&varying, group.len());
            program.compile();
            let mut inputs = vec![0.0; 1 + d];
            inputs.extend(constants);
            for change in group {
                inputs.extend(vec![0.0; d]);
                inputs.extend(change.iter().enumerate().filter(|(k, _)| moves(*k)).map(|(_, v)| *v));
            }
            parts.push((program, inputs, group.len()));
        }
        let most = |of: fn(&Program) -> usize| parts.iter().map(|(p, ..)| of(p)).max().unwrap_or(0);
        let (registers, out) = (most(Program::register_count), most(Program::output_count));
        Fused { compiled, parts, registers: vec![0.0; registers], out: vec![0.0; out] }
    }
}

impl FusedDerivatives for Fused<'_> {
    fn changes(&mut self, at: Point<'_>, S: &[f64], out: &mut [f64]) -> bool {
        let (n_x, d) = (at.x.len(), at.x.len() + at.eta.len());
        let Some(quick) = &self.compiled.whole.unrolled else { return false };
        let (values, constants) = (quick.layout.len(), quick.constants().len());
        let mut first = 0;
        for (program, inputs, count) in &mut self.parts {
            inputs[0] = at.t;
            inputs[1..1 + n_x].copy_from_slice(at.x);
            inputs[1 + n_x..1 + d].copy_from_slice(at.eta);
            let start = 1 + d + constants;
            let width = (inputs.len() - start) / *count;
            for k in 0..*count {
                inputs[start + k * width..start + k * width + d]
                    .copy_from_slice(&S[(first + k) * d..(first + k + 1) * d]);
            }
            program.run(inputs, &mut self.registers, &mut self.out);
            if self.out[values - 1] != 1.0 {
                return false;
            }
            for k in 0..*count {
                let change = &self.out[(k + 1) * values..(k + 1) * values + d];
                out[(first + k) * d..(first + k + 1) * d].copy_from_slice(change);
            }
            first += *count;
        }
        out.iter().all(|v| v.is_finite())
    }
}
