//! The compiled system as a kernel: inputs laid out, tapes run, results scattered.

use super::{Compiled, Inputs};
use crate::kernel_form::KernelForm;
use crate::system::Power;
use crate::system::System;
use dalembert_expr::Symbol;
use dalembert_run::{
    Action, Capabilities, Contact, ContactTerms, Contacts, Control, ControlTerms, Dynamics, Events, Fused,
    IdealForces, Lagrangian, Level, Nonideal, PartialDerivatives, Partials, Point, Quadratures,
    SecondVariation, Shape, Solution, Sparsity, Switches, Terms, TimeSwitches, Variation,
};
use dalembert_tape::Program;
use std::sync::Arc;

impl Compiled {
    /// Writes `t, x, eta, parameters`; returns how many.
    pub(crate) fn load(&self, t: f64, x: &[f64], eta: &[f64], scratch: &mut [f64]) -> usize {
        let mut end = 0;
        let mut put = |values: &[f64]| {
            scratch[end..end + values.len()].copy_from_slice(values);
            end += values.len();
        };
        put(&[t]);
        put(x);
        if eta.is_empty() {
            end += self.shape.n_eta; // the tape does not read them
        } else {
            put(eta);
        }
        scratch[end..end + self.parameters.len()].copy_from_slice(&self.parameters);
        end + self.parameters.len()
    }

    /// Writes `t, x, eta, parameters`, then multipliers and reactions; returns how many.
    pub(super) fn load_ideal(
        &self,
        at: Point<'_>,
        lambda: &[f64],
        A: &[f64],
        sparsity: Option<&Sparsity>,
        scratch: &mut [f64],
    ) -> usize {
        let mut end = self.load(at.t, at.x, at.eta, scratch);
        scratch[end..end + lambda.len()].copy_from_slice(lambda);
        end += lambda.len();
        for g in 0..if self.reads.reactions { self.groups.len() } else { 0 } {
            scratch[end + g] = self.generalised_reaction(g, lambda, A, sparsity);
        }
        end + self.groups.len()
    }

    /// Writes `t, x, eta, parameters`, then accelerations, forces, Gauss's function and works; returns how many.
    pub(super) fn load_results(
        &self,
        at: Point<'_>,
        terms: &Terms,
        s: &Solution,
        works: &[f64],
        scratch: &mut [f64],
    ) -> usize {
        let mut end = self.load_ideal(at, &s.lambda, &terms.A, terms.sparsity.as_deref(), scratch);
        let first = end - self.groups.len();
        for g in 0..if self.reads.reactions { self.groups.len() } else { 0 } {
            scratch[first + g] = self.reaction(g, s, terms);
        }
        for part in [&s.eta_dot, &terms.Q, &s.ideal_force, &s.nonideal_force, &s.control_force] {
            scratch[end..end + part.len()].copy_from_slice(part);
            end += self.shape.n_eta;
        }
        scratch[end..end + s.friction.len()].copy_from_slice(&s.friction);
        end += self.shape.n_slide;
        scratch[end] = s.gauss;
        end += 1;
        for (k, _) in Power::ALL.iter().enumerate() {
            scratch[end] = works.get(k).copied().unwrap_or(0.0);
            end += 1;
        }
        end
    }
}

pub(super) fn run_into(program: &Program, inputs: usize, scratch: &mut [f64], out: &mut [f64]) {
    let (head, registers) = scratch.split_at_mut(inputs);
    program.run(head, registers, out);
}

impl Compiled {
    /// M by `M z` for unit vectors z, with the state loaded. O(n) operations a column.
    fn mass_by_columns(&self, columns: &Program, inputs: usize, scratch: &mut [f64], M: &mut [f64]) {
        let n = self.shape.n_eta;
        let columns = match &self.whole.looped {
            None => columns,
            // Left until it is asked for: loops over links do without M.
            Some(_) => self.native_columns.get_or_init(|| {
                let mut native = columns.clone();
                native.compile();
                native
            }),
        };
        let mut room = vec![0.0; columns.register_count() + n];
        let (registers, column) = room.split_at_mut(columns.register_count());
        let head = &mut scratch[..inputs + n];
        head[inputs..].fill(0.0);
        for q in 0..n {
            head[inputs + q] = 1.0;
            columns.run(head, registers, &mut column[..n]);
            head[inputs + q] = 0.0;
            (0..n).for_each(|p| M[p * n + q] = column[p]);
        }
        // To the bit the same on both sides, as factors expect.
        for p in 0..n {
            (0..p).for_each(|q| M[q * n + p] = M[p * n + q]);
        }
    }
}

impl Compiled {
    /// The whole acceleration as one program, where there is one.
    #[inline]
    pub fn fused(&self) -> Option<&dyn Fused> {
        match &self.whole.looped {
            Some(looped) => Some(looped),
            None => self.whole.unrolled.as_ref().map(|program| program as &dyn Fused),
        }
    }

    /// The patterns of M and A of a large system.
    pub fn sparsity(&self) -> Option<&Arc<Sparsity>> {
        self.sparse.as_ref().map(|layout| &layout.sparsity)
    }
}

impl Dynamics for Compiled {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn levels(&self) -> &[Level] {
        &self.levels
    }

    fn scratch_len(&self) -> usize {
        self.scratch_len
    }

    fn terms(&self, at: Point<'_>, scratch: &mut [f64], out: &mut Terms) {
        let inputs = self.load(at.t, at.x, at.eta, scratch);
        let places = match (&self.sparse, &out.sparsity) {
            (Some(layout), Some(_)) => &layout.places,
            _ => &self.programs.terms.places,
        };
        let arrays = [&mut out.x_dot[..], &mut out.M, &mut out.Q, &mut out.A, &mut out.b];
        self.programs.terms.run_to(places, inputs, scratch, arrays);
        if let Some(columns) = &self.programs.columns {
            self.mass_by_columns(columns, inputs, scratch, &mut out.M);
        }
    }

    fn residuals(&self, at: Point<'_>, scratch: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
        let inputs = self.load(at.t, at.x, at.eta, scratch);
        self.programs.residuals.run(inputs, scratch, [phi, psi]);
    }

    fn position_gradient(&self, t: f64, x: &[f64], scratch: &mut [f64], out: &mut [f64]) {
        let inputs = self.load(t, x, &[], scratch);
        self.programs.position_gradient.run(inputs, scratch, [out]);
    }

    fn frame(&self, t: f64, x: &[f64], scratch: &mut [f64], X: &mut [f64]) {
        match &self.programs.frame {
            Some(frame) => {
                let inputs = self.load(t, x, &[], scratch);
                frame.run(inputs, scratch, [X]);
            }
            None => {
                X.fill(0.0);
                (0..self.shape.n_x).for_each(|i| X[i * self.shape.n_eta + i] = 1.0);
            }
        }
    }

    fn invariants(&self, x: &[f64], scratch: &mut [f64], value: &mut [f64], gradient: &mut [f64]) {
        let inputs = self.load(0.0, x, &[], scratch);
        let (head, tail) = scratch.split_at_mut(inputs);
        let (registers, out) = tail.split_at_mut(self.programs.invariants.register_count());
        self.programs.invariants.run(head, registers, out);
        let n = value.len();
        value.copy_from_slice(&out[..n]);
        gradient.copy_from_slice(&out[n..n + gradient.len()]);
    }

    fn capabilities(&self) -> Capabilities<'_> {
        let (shape, programs) = (&self.shape, &self.programs);
        Capabilities {
            sparsity: self.sparsity(),
            fused: self.fused(),
            nonideal: programs.nonideal.is_some().then_some(self),
            contacts: (shape.n_contact > 0).then_some(self),
            sliding: None,
            control: programs.control_terms.is_some().then_some(self),
            events: (shape.n_event > 0).then_some(self),
            switches: (shape.n_switch > 0).then_some(self),
            time_switches: (shape.n_time_switch > 0).then_some(self),
            quadratures: programs.balance.is_some().then_some(self),
            partials: programs.partials.is_some().then_some(self),
            lagrangian: programs.lagrangian.is_some().then_some(self),
            multipliers_unread: !self.reads.multipliers,
        }
    }
}

impl Nonideal for Compiled {
    fn nonideal(&self, at: Point<'_>, ideal: &IdealForces<'_>, scratch: &mut [f64], C: &mut [f64]) {
        let Some(program) = &self.programs.nonideal else { return C.fill(0.0) };
        let inputs = self.load_ideal(at, ideal.lambda, ideal.A, ideal.sparsity, scratch);
        run_into(program, inputs, scratch, C);
    }

    fn rows_read(&self) -> &[usize] {
        &self.reads.rows
    }
}

impl Events for Compiled {
    fn events(&self, at: Point<'_>, solution: &Solution, scratch: &mut [f64], g: &mut [f64]) {
        // Reactions and impressed forces need A and Q, which are evaluated anew: events that use them are rare.
        let inputs = if self.reads.solution_in_events {
            let mut terms = Terms::of(self);
            self.terms(at, scratch, &mut terms);
            self.load_results(at, &terms, solution, &[], scratch)
        } else {
            self.load(at.t, at.x, at.eta, scratch);
            self.programs.events.input_count()
        };
        run_into(&self.programs.events, inputs, scratch, g);
    }

    fn events_need_solution(&self) -> bool {
        self.reads.solution_in_events
    }

    fn actions(&self) -> &[Action] {
        &self.actions
    }

    fn action_values(&self, at: Point<'_>, solution: &Solution, scratch: &mut [f64], values: &mut [f64]) {
        if let Some(program) = &self.programs.action_values {
            let mut terms = Terms::of(self);
            self.terms(at, scratch, &mut terms);
            let inputs = self.load_results(at, &terms, solution, &[], scratch);
            run_into(program, inputs, scratch, values);
        }
    }
}

impl Switches for Compiled {
    fn switches(&self, at: Point<'_>, scratch: &mut [f64], g: &mut [f64]) {
        let inputs = self.load(at.t, at.x, at.eta, scratch);
        run_into(&self.programs.switches, inputs, scratch, g);
    }
}

impl TimeSwitches for Compiled {
    fn time_switches(&self, t: f64, scratch: &mut [f64], g: &mut [f64]) {
        let (left, right) = self.time_sides(t, scratch);
        g.iter_mut().zip(left.iter().zip(right)).for_each(|(g, (l, r))| *g = l - r);
    }

    /// Time is on the left of the first ones, see `switches::of_time`.
    fn instants(&self, scratch: &mut [f64]) -> Vec<f64> {
        self.time_sides(0.0, scratch).1[..self.shape.n_instant].to_vec()
    }
}

impl Compiled {
    /// Both sides of the switches of time.
    fn time_sides<'s>(&self, t: f64, scratch: &'s mut [f64]) -> (&'s [f64], &'s [f64]) {
        let first = 1 + self.shape.n_x + self.shape.n_eta;
        let inputs = first + self.parameters.len();
        scratch[0] = t; // the tape reads no state
        scratch[first..inputs].copy_from_slice(&self.parameters);
        let (head, tail) = scratch.split_at_mut(inputs);
        let (registers, sides) = tail.split_at_mut(self.programs.time_switches.register_count());
        self.programs.time_switches.run(head, registers, sides);
        let (left, right) = sides.split_at(self.shape.n_time_switch);
        (left, &right[..self.shape.n_time_switch])
    }
}

impl Contacts for Compiled {
    fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    fn contact_terms(&self, at: Point<'_>, scratch: &mut [f64], out: &mut ContactTerms<'_>) {
        if let Some(tape) = &self.programs.contact_terms {
            let inputs = self.load(at.t, at.x, at.eta, scratch);
            let ContactTerms { V, J, b, mu, mu_static, P } = out;
            tape.run(inputs, scratch, [V, J, b, mu, mu_static, P]);
        }
    }
}

impl Control for Compiled {
    fn has_control_bounds(&self) -> bool {
        self.programs.control_bounds.is_some()
    }

    fn control_terms(&self, at: Point<'_>, scratch: &mut [f64], out: &mut ControlTerms) {
        if let Some(tape) = &self.programs.control_terms {
            if self.control.has_cost {
                out.W.resize(self.shape.n_input * self.shape.n_input, 0.0);
            }
            let inputs = self.load(at.t, at.x, at.eta, scratch);
            tape.run(inputs, scratch, [&mut out.A, &mut out.b, &mut out.S, &mut out.W]);
        }
        if let Some(program) = &self.programs.control_bounds {
            let inputs = self.load(at.t, at.x, at.eta, scratch);
            let (head, tail) = scratch.split_at_mut(inputs);
            let (registers, values) = tail.split_at_mut(program.register_count());
            program.run(head, registers, &mut values[..program.output_count()]);
            out.bounds.clear();
            let mut pairs = values.chunks(2);
            let unbounded = [f64::NEG_INFINITY, f64::INFINITY];
            let own =
                |pairs: &mut std::slice::Chunks<'_, f64>| pairs.next().map_or(unbounded, |p| [p[0], p[1]]);
            out.bounds
                .extend(self.control.bounded.iter().map(|b| if *b { own(&mut pairs) } else { unbounded }));
        }
    }
}

impl Quadratures for Compiled {
    fn rates(&self, at: Point<'_>, solution: &Solution, scratch: &mut [f64], out: &mut [f64]) {
        match &self.programs.balance {
            None => out.fill(0.0),
            Some(program) => {
                // No power asks for A or Q: forces come with the solution.
                let nothing = [0.0; 0];
                let mut end = self.load(at.t, at.x, at.eta, scratch);
                scratch[end..program.input_count()].fill(0.0);
                end += solution.lambda.len() + self.groups.len();
                for part in [
                    &solution.eta_dot[..],
                    &nothing,
                    &solution.ideal_force,
                    &solution.nonideal_force,
                    &solution.control_force,
                ] {
                    scratch[end..end + part.len()].copy_from_slice(part);
                    end += self.shape.n_eta;
                }
                run_into(program, program.input_count(), scratch, out);
            }
        }
    }
}

impl PartialDerivatives for Compiled {
    fn partials(
        &self,
        at: Point<'_>,
        eta_dot: &[f64],
        lambda: &[f64],
        scratch: &mut [f64],
        out: &mut Partials,
    ) {
        let Some(partials) = &self.programs.partials else { return };
        // Reactions are held with the multipliers; C enters F as it is at this state.
        let mut end = self.load(at.t, at.x, at.eta, scratch);
        let inputs = partials.program.input_count();
        scratch[end..inputs].fill(0.0);
        scratch[end..end + lambda.len()].copy_from_slice(lambda);
        end += lambda.len();
        if !self.groups.is_empty() && self.programs.nonideal.is_some() {
            let mut terms = Terms::of(self);
            let mut spare = vec![0.0; self.scratch_len];
            self.terms(at, &mut spare, &mut terms);
            for g in 0..self.groups.len() {
                scratch[end + g] = self.generalised_reaction(g, lambda, &terms.A, terms.sparsity.as_deref());
            }
        }
        end += self.groups.len();
        scratch[end..end + eta_dot.len()].copy_from_slice(eta_dot);
        partials.run(
            inputs,
            scratch,
            [
                &mut out.dF_dx,
                &mut out.dF_deta,
                &mut out.dG_dx,
                &mut out.dG_deta,
                &mut out.dx_dot_dx,
                &mut out.dx_dot_deta,
            ],
        );
    }
}

impl Lagrangian for Compiled {
    fn variation(&self, at: Point<'_>, scratch: &mut [f64], out: &mut Variation) {
        self.run_variation(at, scratch, out);
    }

    fn second_variation(
        &self,
        at: Point<'_>,
        lambda: &[f64],
        scratch: &mut [f64],
        out: &mut SecondVariation,
    ) {
        self.run_second(at, lambda, scratch, out);
    }
}

impl Compiled {
    /// The outputs, then the energy if it is known; NaN where they need more than the state. `scratch` is as long as
    /// [`Dynamics::scratch_len`](dalembert_run::Dynamics::scratch_len) says.
    pub(crate) fn glance(&self, at: Point<'_>, scratch: &mut [f64], out: &mut [f64]) {
        let inputs = self.programs.outputs.input_count();
        scratch[..inputs].fill(f64::NAN);
        self.load(at.t, at.x, at.eta, scratch);
        run_into(&self.programs.outputs, inputs, scratch, out);
    }

    /// Whether an output needs accelerations or forces.
    pub(crate) fn outputs_need_solution(system: &mut System, form: &KernelForm) -> bool {
        let inputs = Inputs::of(system, form);
        let beyond: Vec<Symbol> = inputs.results[inputs.state.len()..].to_vec();
        let pool = &mut system.pool;
        system.experiment.outputs.iter().any(|o| pool.depends_on(o.value, &beyond))
    }
}
