//! The programs of a compiled system, listed once.
//!
//! The macro declares the table and the ways to visit all of it, so that scratch sizes, native code and folded
//! parameters cover every program: one that is added here is covered too.

use super::Compiled;
use dalembert_expr::{Expr, Pool, Symbol};
use dalembert_tape::Program;

/// Something that holds programs.
pub(super) trait Programmed {
    /// Visits each program.
    fn each(&self, visit: &mut dyn FnMut(&Program));
    /// Visits each program, to change it.
    fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Program));
}

impl Programmed for Program {
    fn each(&self, visit: &mut dyn FnMut(&Program)) {
        visit(self);
    }

    fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Program)) {
        visit(self);
    }
}

impl Programmed for Scattered {
    fn each(&self, visit: &mut dyn FnMut(&Program)) {
        visit(&self.program);
    }

    fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Program)) {
        visit(&mut self.program);
    }
}

impl Programmed for Lagrangian {
    fn each(&self, visit: &mut dyn FnMut(&Program)) {
        visit(&self.first.program);
        visit(&self.second.program);
    }

    fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Program)) {
        visit(&mut self.first.program);
        visit(&mut self.second.program);
    }
}

impl<T: Programmed> Programmed for Option<T> {
    fn each(&self, visit: &mut dyn FnMut(&Program)) {
        self.iter().for_each(|inner| inner.each(visit));
    }

    fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Program)) {
        self.iter_mut().for_each(|inner| inner.each_mut(visit));
    }
}

macro_rules! programs {
    ($($(#[$doc:meta])* $name:ident: $type:ty,)*) => {
        /// Every program of a compiled system but the fused acceleration.
        #[derive(Clone)]
        pub(crate) struct Programs {
            $($(#[$doc])* pub(crate) $name: $type,)*
        }

        impl Programmed for Programs {
            fn each(&self, visit: &mut dyn FnMut(&Program)) {
                $(self.$name.each(visit);)*
            }

            fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Program)) {
                $(self.$name.each_mut(visit);)*
            }
        }
    };
}

programs! {
    /// x', M, Q, A, b.
    terms: Scattered,
    /// M z over z besides, where M has too many entries to be written out: columns of M one by one.
    columns: Option<Program>,
    /// C of K4, over multipliers and reactions too.
    nonideal: Option<Program>,
    /// Residuals of the constraint rows, at position and velocity level.
    residuals: Scattered,
    /// df/dx of the position rows.
    position_gradient: Scattered,
    /// X of K1.
    frame: Option<Scattered>,
    /// Functions that K1 conserves, with gradients.
    invariants: Program,
    /// Event functions.
    events: Program,
    /// What events assign.
    action_values: Option<Program>,
    /// Functions that vanish where constraint rows may have kinks or jump.
    switches: Program,
    /// The sides of comparisons that time alone decides.
    time_switches: Program,
    /// Outputs, then the energy.
    outputs: Program,
    /// Forces and torques of joints on loops, where outputs ask for any.
    loop_forces: Option<Program>,
    /// Derivatives for implicit methods.
    partials: Option<Scattered>,
    /// Sliding velocities, their rows, coefficients and normal forces.
    contact_terms: Option<Scattered>,
    /// A, b, S, W of C1.
    control_terms: Option<Scattered>,
    /// Least and greatest value of each input that has bounds.
    control_bounds: Option<Program>,
    /// Each requirement, and its derivatives that must vanish too.
    requirements: Option<Program>,
    /// Integrands along the motion: powers, and the Lagrangian.
    balance: Option<Program>,
    /// The Lagrangian with its derivatives, for Hamilton's principle.
    lagrangian: Option<Lagrangian>,
}

impl Programs {
    /// Numbers of scratch that the largest of them takes.
    pub(super) fn scratch_len(&self) -> usize {
        let mut most = 0;
        self.each(&mut |p| most = most.max(p.input_count() + p.register_count() + p.output_count()));
        most
    }
}

/// The programs of a Lagrangian.
#[derive(Clone)]
pub(crate) struct Lagrangian {
    /// L, y, r.
    pub first: Scattered,
    /// y_x, y_v, r_x, r_v over multipliers too.
    pub second: Scattered,
}

/// A tape whose outputs go to given places of several arrays.
#[derive(Clone)]
pub(crate) struct Scattered {
    pub(super) program: Program,
    pub(super) places: Scatter,
}

impl Scattered {
    /// Arrays of expressions; zeros are not computed.
    pub(crate) fn new(pool: &mut Pool, inputs: &[Symbol], arrays: &[Vec<(usize, Expr)>]) -> Self {
        let mut places = Vec::new();
        let mut outputs = Vec::new();
        for (a, entries) in arrays.iter().enumerate() {
            for (k, e) in entries.iter().filter(|(_, e)| *e != Pool::ZERO) {
                places.push((a, *k));
                outputs.push(*e);
            }
        }
        Scattered { program: pool.lower(inputs, &outputs), places: Scatter::new(places) }
    }

    /// Scratch that a run takes.
    pub(crate) fn need(&self) -> usize {
        self.program.input_count() + self.program.register_count() + self.program.output_count()
    }

    pub(crate) fn run<const N: usize>(&self, inputs: usize, scratch: &mut [f64], arrays: [&mut [f64]; N]) {
        self.run_to(&self.places, inputs, scratch, arrays);
    }

    /// Evaluates the program and scatters its outputs to the given places.
    pub(super) fn run_to<const N: usize>(
        &self,
        places: &Scatter,
        inputs: usize,
        scratch: &mut [f64],
        arrays: [&mut [f64]; N],
    ) {
        let (head, tail) = scratch.split_at_mut(inputs);
        let (registers, values) = tail.split_at_mut(self.program.register_count());
        self.program.run(head, registers, values);
        places.put(values, arrays);
    }
}

/// Places of outputs, in their order.
#[derive(Clone)]
pub(super) struct Scatter {
    /// For each output: which array, and where in it.
    pub each: Vec<(usize, usize)>,
    /// Runs of neighbouring places: array, first place, count. A large system has few.
    stretches: Vec<(usize, usize, usize)>,
    /// How many outputs go to each array.
    counts: Vec<usize>,
}

impl Scatter {
    /// From the place of each output; no two go to the same one.
    pub fn new(each: Vec<(usize, usize)>) -> Self {
        let mut stretches: Vec<(usize, usize, usize)> = Vec::new();
        let mut counts = Vec::new();
        for &(array, k) in &each {
            match stretches.last_mut() {
                Some((a, first, count)) if *a == array && *first + *count == k => *count += 1,
                _ => stretches.push((array, k, 1)),
            }
            if counts.len() <= array {
                counts.resize(array + 1, 0);
            }
            counts[array] += 1;
        }
        Scatter { each, stretches, counts }
    }

    /// Puts the outputs where they go, and zeros elsewhere. O(entries of the arrays).
    pub fn put<const N: usize>(&self, outputs: &[f64], mut arrays: [&mut [f64]; N]) {
        for (a, array) in arrays.iter_mut().enumerate() {
            if self.counts.get(a).is_none_or(|count| *count < array.len()) {
                array.fill(0.0);
            }
        }
        let mut next = 0;
        for &(a, first, count) in &self.stretches {
            match count {
                1 => arrays[a][first] = outputs[next],
                _ => arrays[a][first..first + count].copy_from_slice(&outputs[next..next + count]),
            }
            next += count;
        }
    }
}

/// What a writer of code needs of a compiled system. Places are (array, index in it).
pub struct Tapes<'c> {
    /// x', M, Q, A, b over `t, x, eta, parameters`.
    pub terms: (&'c Program, &'c [(usize, usize)]),
    /// Whether M is among them; that of a large tree of bodies is not written out.
    pub has_mass: bool,
    /// C, over multipliers and reactions too.
    pub nonideal: Option<&'c Program>,
    /// A, b, S, W of C1.
    pub control: Option<(&'c Program, &'c [(usize, usize)])>,
    /// Whether W is given.
    pub has_cost: bool,
    /// Rows of each constraint.
    pub groups: &'c [std::ops::Range<usize>],
    /// Residuals of the rows at position level (0 where a row has none) and at velocity level.
    pub residuals: (&'c Program, &'c [(usize, usize)]),
    /// Outputs, then the energy if it is known, over `t, x, eta, parameters, multipliers, reactions, eta', Q, ideal, nonideal,
    /// control`, and behind them friction, Gauss's function and works. None where forces in redundant loops are asked for.
    pub outputs: Option<&'c Program>,
    /// V, J, b, mu, mu_static and P of the contacts with friction.
    pub contacts: Option<(&'c Program, &'c [(usize, usize)])>,
    /// Event functions, over the inputs of the outputs where they need them.
    pub events: &'c Program,
    /// What events assign, over the inputs of the outputs.
    pub action_values: Option<&'c Program>,
    /// Functions that vanish where constraint rows may have kinks or jump.
    pub switches: &'c Program,
    /// The sides of comparisons that time alone decides: all on the left, then all on the right.
    pub time_switches: &'c Program,
}

impl Compiled {
    /// The tapes of x', M, Q, A, b; of C; and of A, b, S, W of control; with the places of their outputs.
    pub fn tapes(&self) -> Tapes<'_> {
        Tapes {
            terms: (&self.programs.terms.program, &self.programs.terms.places.each),
            has_mass: self.programs.columns.is_none(),
            nonideal: self.programs.nonideal.as_ref(),
            control: self.programs.control_terms.as_ref().map(|c| (&c.program, &c.places.each[..])),
            has_cost: self.control.has_cost,
            groups: &self.groups,
            residuals: (&self.programs.residuals.program, &self.programs.residuals.places.each),
            outputs: self.programs.loop_forces.is_none().then_some(&self.programs.outputs),
            contacts: self.programs.contact_terms.as_ref().map(|c| (&c.program, &c.places.each[..])),
            events: &self.programs.events,
            action_values: self.programs.action_values.as_ref(),
            switches: &self.programs.switches,
            time_switches: &self.programs.time_switches,
        }
    }
}
