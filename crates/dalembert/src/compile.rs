//! From kernel form to numbers: tapes behind the [`Dynamics`](dalembert_run::Dynamics) trait.
//!
//! Every tape reads the same beginning, `t, x, eta, parameters`; some read results after it. Only entries that
//! are not zero by structure are computed. A compiled system is immutable; workspaces are passed in.

mod adjoint;
mod fused;
mod kernel;
mod lanes;
mod laws;
mod loop_forces;
mod looped;
mod programs;
mod sparse;
pub(crate) mod switches;
mod tangents;
mod traced;
mod tree;
mod unrolled_laws;
mod unrolled_solve;
mod variation;

pub use fused::{CodeStats, FusedStats};

use crate::kernel_form::{KernelForm, Matrix, Places};
use crate::system::{ConstraintRow, InitialTarget, System};
use dalembert_expr::{Expr, Rational, Symbol};
use dalembert_run::{Level, Point, Shape, Solution, Sparsity, Terms};
use dalembert_tape::{Counts, Program};
use kernel::run_into;
pub(crate) use lanes::InLanes;
use programs::Programs;
pub use programs::Tapes;
pub(crate) use programs::{Lagrangian, Scattered};

/// A system ready to move.
#[derive(Clone)]
pub struct Compiled {
    pub(crate) shape: Shape,
    pub(crate) levels: Vec<Level>,
    parameters: Vec<f64>,
    /// Whether their values stand in the tapes: they can no longer change.
    folded: bool,
    /// Operations of `terms` before anything was folded.
    derived: Counts,
    /// Rows of each named constraint, for reactions.
    groups: Vec<std::ops::Range<usize>>,
    /// What is evaluated, by role.
    pub(crate) programs: Programs,
    /// Where M and A are mostly zeros.
    sparse: Option<sparse::Layout>,
    /// What is read of a solution, so that the rest need not be found.
    pub(crate) reads: Reads,
    /// Rows of joints that close loops.
    loop_rows: Vec<usize>,
    contacts: Vec<dalembert_run::Contact>,
    actions: Vec<dalembert_run::Action>,
    control: ControlLayout,
    /// The whole acceleration at once, where there is a way.
    whole: WholeAcceleration,
    /// The program of `M z` as native code, where loops have left it until it is asked for.
    native_columns: std::sync::OnceLock<Program>,
    /// Directional derivatives of all programs, where they have been asked for.
    tangents: Option<std::sync::Arc<tangents::Tangents>>,
    /// What `balance` integrates: powers, and this Lagrangian.
    quadratures: (bool, Vec<Expr>),
    pub(crate) scratch_len: usize,
}

/// What programs read of a solution.
#[derive(Clone)]
pub(crate) struct Reads {
    /// Whether anything reads the reactions of constraints.
    reactions: bool,
    /// Whether outputs or events read reactions or multipliers.
    multipliers: bool,
    /// Rows whose multipliers or reactions non-ideal work reads.
    rows: Vec<usize>,
    /// Whether events read accelerations or forces.
    pub(crate) solution_in_events: bool,
}

/// How the numbers of control are laid out.
#[derive(Clone, Default)]
struct ControlLayout {
    /// Whether the model gives a cost of its inputs.
    has_cost: bool,
    /// Which inputs have bounds; empty where none has.
    bounded: Vec<bool>,
    /// How many numbers `programs.requirements` gives for each requirement.
    requirement_lengths: Vec<usize>,
}

/// The whole acceleration as one program, or in loops over the links of a long tree, which go before the program.
#[derive(Clone, Default)]
struct WholeAcceleration {
    unrolled: Option<fused::FusedAcceleration>,
    looped: Option<looped::LoopedAcceleration>,
}

pub(crate) fn dense(list: &[Expr]) -> Vec<(usize, Expr)> {
    list.iter().copied().enumerate().collect()
}

pub(crate) fn matrix(rows: &[Vec<Expr>]) -> Vec<(usize, Expr)> {
    rows.iter().flatten().copied().enumerate().collect()
}

pub(crate) fn entries(matrix: &Matrix, n: usize) -> Vec<(usize, Expr)> {
    matrix.entries().map(|(p, q, e)| (p * n + q, e)).collect()
}

/// What events assign: which variable of (x, eta), and its value.
fn actions_of(system: &System, n_x: usize) -> (Vec<dalembert_run::Action>, Vec<Expr>) {
    let (mut actions, mut values) = (Vec::new(), Vec::new());
    for (event, action) in
        system.experiment.events.iter().enumerate().flat_map(|(k, e)| e.actions.iter().map(move |a| (k, a)))
    {
        let variable = match action.target {
            InitialTarget::Coordinate(i) | InitialTarget::Rate(i) => i,
            InitialTarget::Speed(p) => n_x + p,
        };
        actions.push(dalembert_run::Action { event, variable });
        values.push(action.value);
    }
    (actions, values)
}

/// The symbols of the common beginning, then those of results.
pub(crate) struct Inputs {
    pub(crate) state: Vec<Symbol>,
    ideal: Vec<Symbol>,
    results: Vec<Symbol>,
}

impl Inputs {
    pub(crate) fn of(system: &System, form: &KernelForm) -> Self {
        let mut state = vec![form.time];
        state.extend(form.coordinates.iter().chain(&form.speeds).chain(&form.parameters));
        let o = &system.observables;
        let mut ideal = state.clone();
        ideal.extend(o.multipliers.iter().chain(&o.reactions));
        let mut results = ideal.clone();
        results.extend(system.frame.speeds.iter().map(|s| s.acceleration));
        results.extend(o.impressed.iter().chain(&o.ideal).chain(&o.nonideal).chain(&o.control));
        results.extend(o.friction.iter().copied().chain(o.gauss).chain(o.works.iter().copied()));
        Inputs { state, ideal, results }
    }
}

impl Compiled {
    /// Lowers the kernel form, with the given values of parameters.
    pub fn new(system: &mut System, form: &KernelForm, parameters: Vec<f64>) -> Self {
        let mut compiled = Compiled::without_contacts(system, form, parameters);
        compiled.set_contacts(system, form);
        compiled
    }

    /// All of the kernel form but its contacts: what it takes to find a start, before it is decided what presses.
    pub(crate) fn without_contacts(system: &mut System, form: &KernelForm, parameters: Vec<f64>) -> Self {
        let inputs = Inputs::of(system, form);
        system.pool.set_constants(&form.parameters);
        let (n_x, n, m) = (form.coordinates.len(), form.speeds.len(), form.velocity_residuals.len());
        let pool = &mut system.pool;
        let sparse_A: Vec<(usize, Expr)> = form
            .constraint_matrix
            .iter()
            .enumerate()
            .flat_map(|(r, row)| row.iter().map(move |(p, e)| (r * n + p, *e)))
            .collect();
        let symbols = (!form.is_deferred).then(|| {
            Scattered::new(
                pool,
                &inputs.state,
                &[
                    dense(&form.x_dot),
                    entries(&form.mass_matrix, n),
                    dense(&form.force),
                    sparse_A,
                    dense(&form.constraint_right),
                ],
            )
        });
        let (recursive, columns) = traced::terms(system, form, symbols.is_some()).unzip();
        let terms = symbols.into_iter().chain(recursive).min_by_key(|terms| terms.program.counts().work());
        let columns = columns.flatten();
        let pool = &mut system.pool;
        let terms = terms.unwrap_or_else(|| Scattered::new(pool, &inputs.state, &[]));
        let phi: Vec<(usize, Expr)> =
            form.position_residuals.iter().enumerate().filter_map(|(r, f)| f.map(|f| (r, f))).collect();
        let residuals = Scattered::new(pool, &inputs.state, &[phi.clone(), dense(&form.velocity_residuals)]);
        let (mut gradient, places) = (Vec::new(), Places::new(&form.coordinates));
        for (r, f) in &phi {
            // Where x' = eta the slopes of f are the row of A.
            let row = match &form.frame {
                None => form.constraint_matrix[*r].clone(),
                Some(_) => places.gradient(pool, *f),
            };
            gradient.extend(row.into_iter().map(|(i, e)| (r * n_x + i, e)));
        }
        let position_gradient = Scattered::new(pool, &inputs.state, &[gradient]);
        let frame = form.frame.as_ref().map(|rows| Scattered::new(pool, &inputs.state, &[matrix(rows)]));
        let mut invariants = form.invariants.clone();
        for f in &form.invariants {
            invariants.extend(pool.gradient(*f, &form.coordinates));
        }
        let invariants = pool.lower(&inputs.state, &invariants);
        let nonideal = form.nonideal.as_ref().map(|C| pool.lower(&inputs.ideal, C));
        let values: Vec<Expr> = system.experiment.events.iter().map(|e| e.value).collect();
        let events_need_solution = {
            let beyond: Vec<Symbol> = inputs.results[inputs.state.len()..].to_vec();
            values.iter().any(|e| pool.depends_on(*e, &beyond))
        };
        let events = pool.lower(&inputs.results, &values);
        let (actions, assigned) = actions_of(system, n_x);
        let pool = &mut system.pool;
        let action_values = (!actions.is_empty()).then(|| pool.lower(&inputs.results, &assigned));
        let switches = switches::of_rows(pool, form);
        let n_switch = switches.len();
        let switches = pool.lower(&inputs.state, &switches);
        let (time_switches, n_instant) = switches::of_time(pool, form);
        let n_time_switch = time_switches.len() / 2;
        let time_switches = pool.lower(&inputs.state, &time_switches);
        let values: Vec<Expr> =
            system.experiment.outputs.iter().map(|o| o.value).chain(system.energies.total).collect();
        let outputs = traced::outputs(system, &inputs, &values);
        let pool = &mut system.pool;
        let shared = system.bodies.as_ref().map(|bodies| &bodies.loop_forces).filter(|list| !list.is_empty());
        let loop_forces = shared.map(|list| pool.lower(&inputs.results, list));
        let readers =
            values.into_iter().chain(system.experiment.events.iter().map(|e| e.value)).chain(assigned);
        let readers: Vec<Expr> = readers.collect();
        let mut read = |symbols: &[Symbol]| readers.iter().any(|e| pool.depends_on(*e, symbols));
        let reactions = &system.observables.reactions;
        let multipliers_read = read(reactions) || read(&system.observables.multipliers);
        let reactions_read =
            read(reactions) || form.nonideal.iter().flatten().any(|e| pool.depends_on(*e, reactions));
        let rows_read = rows_read(system, form);
        let sparse = match columns {
            None => sparse::Layout::of(form, &terms.places.each),
            Some(_) => None,
        };
        let shape = Shape {
            n_x,
            n_eta: n,
            n_con: m,
            n_invariant: form.invariants.len(),
            n_event: system.experiment.events.len(),
            n_switch,
            n_time_switch,
            n_instant,
            identity_frame: form.frame.is_none(),
            ..Shape::default()
        };
        let level = |row: &ConstraintRow| match (row.holonomic, row.on_accelerations) {
            (true, _) => Level::Position,
            (false, false) => Level::Velocity,
            (false, true) => Level::Acceleration,
        };
        let derived = terms.program.counts();
        let mut compiled = Compiled {
            shape,
            levels: system.constraints.rows.iter().map(level).collect(),
            parameters,
            programs: Programs {
                terms,
                columns,
                nonideal,
                residuals,
                position_gradient,
                frame,
                invariants,
                events,
                action_values,
                switches,
                time_switches,
                outputs,
                loop_forces,
                partials: None,
                contact_terms: None,
                control_terms: None,
                control_bounds: None,
                requirements: None,
                balance: None,
                lagrangian: None,
            },
            folded: false,
            derived,
            groups: system.constraints.named.iter().map(|c| c.rows.clone()).collect(),
            sparse,
            reads: Reads {
                reactions: reactions_read,
                multipliers: multipliers_read,
                rows: rows_read,
                solution_in_events: events_need_solution,
            },
            loop_rows: loop_rows(system),
            contacts: Vec::new(),
            actions,
            control: ControlLayout::default(),
            whole: WholeAcceleration::default(),
            native_columns: std::sync::OnceLock::new(),
            tangents: None,
            quadratures: (false, Vec::new()),
            scratch_len: 0,
        };
        compiled.set_control(system, form);
        compiled.size_scratch();
        compiled
    }

    /// Expressions over t, x, eta and the parameters at a state.
    pub(crate) fn values(
        &self,
        system: &mut System,
        form: &KernelForm,
        list: &[Expr],
        at: Point<'_>,
    ) -> Vec<f64> {
        let inputs = Inputs::of(system, form);
        let program = system.pool.lower(&inputs.state, list);
        let mut scratch = vec![0.0; inputs.state.len() + program.register_count()];
        let mut out = vec![0.0; list.len()];
        let end = self.load(at.t, at.x, at.eta, &mut scratch);
        run_into(&program, end, &mut scratch, &mut out);
        out
    }

    /// Adds the derivatives that implicit methods need:
    /// F = M eta' - Q - C - A^T lambda, G = A eta' - b, x', by x and eta, with eta' and lambda held.
    pub(crate) fn with_partials(&mut self, system: &mut System, form: &KernelForm) {
        if self.programs.partials.is_some() {
            return;
        }
        let inputs = Inputs::of(system, form);
        let (n_x, n) = (form.coordinates.len(), form.speeds.len());
        let accelerations: Vec<Symbol> = system.frame.speeds.iter().map(|s| s.acceleration).collect();
        let pool = &mut system.pool;
        let mut F: Vec<Vec<(Expr, Rational)>> = Vec::new();
        for (p, Q_p) in form.force.iter().enumerate() {
            let mut parts = vec![(*Q_p, Rational::MINUS_ONE)];
            parts.extend(form.nonideal.as_ref().map(|C| (C[p], Rational::MINUS_ONE)));
            for (q, e) in form.mass_matrix.row(p) {
                let z = pool.var(accelerations[*q]);
                parts.push((pool.mul(*e, z), Rational::ONE));
            }
            F.push(parts);
        }
        let mut G = Vec::new();
        for (r, row) in form.constraint_matrix.iter().enumerate() {
            let lambda = pool.var(system.observables.multipliers[r]);
            let mut parts = vec![(form.constraint_right[r], Rational::MINUS_ONE)];
            for (p, e) in row {
                F[*p].push((pool.mul(*e, lambda), Rational::MINUS_ONE));
                let z = pool.var(accelerations[*p]);
                parts.push((pool.mul(*e, z), Rational::ONE));
            }
            G.push(pool.combine(parts));
        }
        let F: Vec<Expr> = F.into_iter().map(|parts| pool.combine(parts)).collect();
        let mut by = |list: &[Expr], symbols: &[Symbol], width: usize| -> Vec<(usize, Expr)> {
            let (mut entries, places) = (Vec::new(), Places::new(symbols));
            for (r, e) in list.iter().enumerate() {
                let row = places.gradient(pool, *e);
                entries.extend(row.into_iter().map(|(i, e)| (r * width + i, e)));
            }
            entries
        };
        let arrays = [
            by(&F, &form.coordinates, n_x),
            by(&F, &form.speeds, n),
            by(&G, &form.coordinates, n_x),
            by(&G, &form.speeds, n),
            by(&form.x_dot, &form.coordinates, n_x),
            by(&form.x_dot, &form.speeds, n),
        ];
        self.programs.partials = Some(Scattered::new(pool, &inputs.results, &arrays));
        self.size_scratch();
    }

    fn size_scratch(&mut self) {
        self.scratch_len = self.programs.scratch_len();
    }

    /// Events change nothing from now on.
    pub(crate) fn forget_actions(&mut self) {
        self.actions.clear();
        self.programs.action_values = None;
    }

    /// The values of the parameters.
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    /// Gives the parameters other values, as many as there are. Nothing is derived again.
    pub(crate) fn set_parameters(&mut self, values: &[f64]) {
        assert!(!self.folded, "parameters that are folded into the tapes stay as they are");
        self.parameters.copy_from_slice(values);
        if let Some(quick) = &mut self.whole.unrolled {
            quick.set_parameters(values);
        }
        if let Some(looped) = &mut self.whole.looped {
            looped.set_parameters(values);
        }
    }

    /// Operations of one evaluation of x', M, Q, A, b.
    pub fn counts(&self) -> Counts {
        self.programs.terms.program.counts()
    }

    /// How many numbers [`Compiled::outputs`] gives: the outputs, then the energy if it is known.
    pub fn output_count(&self) -> usize {
        self.programs.outputs.output_count()
    }

    /// The outputs of the model at a state whose motion has been solved, and the energy. `works` are those of
    /// [`crate::system::Power::ALL`] since the start of the run, or nothing.
    pub fn outputs(&self, at: Point<'_>, terms: &Terms, solution: &Solution, works: &[f64], out: &mut [f64]) {
        let mut scratch = vec![0.0; self.scratch_len];
        let least = self.least_loop_forces(at, terms, solution);
        let solution = least.as_ref().unwrap_or(solution);
        let inputs = self.load_results(at, terms, solution, works, &mut scratch);
        run_into(&self.programs.outputs, inputs, &mut scratch, out);
    }

    /// A copy of the compiled system with other parameter values.
    pub fn with_parameters(&self, parameters: Vec<f64>) -> Self {
        let mut other = self.clone();
        other.set_parameters(&parameters);
        other
    }

    /// The size of the force of one constraint: the normal force where friction acts on it, otherwise the norm of the
    /// generalised force.
    pub fn reaction(&self, group: usize, solution: &Solution, terms: &Terms) -> f64 {
        match self.contacts.iter().position(|c| !c.has_given_limit() && c.rows == self.groups[group]) {
            Some(contact) => solution.normal[contact],
            None => self.generalised_reaction(group, &solution.lambda, &terms.A, terms.sparsity.as_deref()),
        }
    }

    /// The norm of the ideal generalised force of one constraint.
    pub(crate) fn generalised_reaction(
        &self,
        group: usize,
        lambda: &[f64],
        A: &[f64],
        sparsity: Option<&Sparsity>,
    ) -> f64 {
        let n = self.shape.n_eta;
        if let Some(sparsity) = sparsity {
            return sparse::reaction(self.groups[group].clone(), lambda, A, &sparsity.constraint);
        }
        let component = |p: usize| self.groups[group].clone().map(|r| A[r * n + p] * lambda[r]).sum::<f64>();
        (0..n).map(component).fold(0.0f64, f64::hypot)
    }
}

/// Rows of joints that close loops.
fn loop_rows(system: &System) -> Vec<usize> {
    let closes = |r: &usize| system.joint_of_constraint(system.constraints.rows[*r].constraint).is_some();
    match system.bodies {
        Some(_) => (0..system.constraints.rows.len()).filter(closes).collect(),
        None => Vec::new(),
    }
}

/// Rows whose multipliers or reactions the non-ideal forces read.
fn rows_read(system: &mut System, form: &KernelForm) -> Vec<usize> {
    let Some(C) = &form.nonideal else { return Vec::new() };
    let o = &system.observables;
    let pool = &mut system.pool;
    let mut read = |symbol: Symbol| C.iter().any(|e| pool.depends_on(*e, &[symbol]));
    let mut rows: Vec<usize> =
        (0..system.constraints.rows.len()).filter(|&r| read(o.multipliers[r])).collect();
    for (g, constraint) in system.constraints.named.iter().enumerate() {
        if read(o.reactions[g]) {
            rows.extend(constraint.rows.clone());
        }
    }
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// Whether accelerations can be found by recursions over the bodies of a system.
pub(crate) fn has_recursion(system: &mut System) -> bool {
    tree::TreePlan::of(system).is_some()
}

/// The value of each parameter, in order: each may use those before it.
pub(crate) fn parameter_values(system: &mut System) -> Vec<f64> {
    parameter_values_with(system, &vec![None; system.parameters.len()])
}

/// Parameter values with some of them given; those defined from them follow.
pub(crate) fn parameter_values_with(system: &mut System, given: &[Option<f64>]) -> Vec<f64> {
    let mut values: Vec<f64> = Vec::with_capacity(system.parameters.len());
    let places: rustc_hash::FxHashMap<Symbol, usize> =
        system.parameters.iter().enumerate().map(|(i, p)| (p.symbol, i)).collect();
    for i in 0..system.parameters.len() {
        let e = system.parameters[i].value;
        let known = |s: Symbol| places.get(&s).and_then(|k| values.get(*k)).copied().unwrap_or(f64::NAN);
        let v = given[i].unwrap_or_else(|| system.pool.evaluate(e, known));
        values.push(v);
    }
    values
}
