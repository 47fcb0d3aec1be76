//! Exact derivatives of the kernel form by the state, as tapes.
//!
//! ```text
//! F(x, eta; z, lambda) = M z - Q - A^T lambda      by x and eta, with z and lambda held
//! G(x, eta; z)         = A z - b                   by x and eta, with z held
//! psi                                              by x   (by eta it is A)
//! x'                                               by x and eta
//! C(x, eta; lambda, reactions)                     by all four
//! ```
//!
//! F and G are linear in z and lambda, so one tape serves for the derivative of A by itself too: the difference of two
//! runs. Differentiation is symbolic; no step size is involved.

use crate::compile::switches::kinks;
use crate::kernel_form::Places;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_run::Dynamics;
use dalembert_run::Point;
use dalembert_syntax::diagnostic::Diagnostic;
use dalembert_tape::Program;

/// A tape whose outputs are entries of several matrices.
struct Matrices {
    program: Program,
    /// For each output: which matrix, and where in it.
    places: Vec<(usize, usize)>,
    sizes: Vec<usize>,
}

impl Matrices {
    fn new(pool: &mut Pool, inputs: &[Symbol], matrices: &[(Vec<(usize, Expr)>, usize)]) -> Self {
        let (mut places, mut outputs) = (Vec::new(), Vec::new());
        for (a, (entries, _)) in matrices.iter().enumerate() {
            for (k, e) in entries.iter().filter(|(_, e)| *e != Pool::ZERO) {
                places.push((a, *k));
                outputs.push(*e);
            }
        }
        let sizes = matrices.iter().map(|(_, size)| *size).collect();
        Matrices { program: pool.lower(inputs, &outputs), places, sizes }
    }

    fn run(&self, inputs: &[f64]) -> Vec<Vec<f64>> {
        let mut registers = vec![0.0; self.program.register_count()];
        let mut values = vec![0.0; self.program.output_count()];
        self.program.run(inputs, &mut registers, &mut values);
        let mut out: Vec<Vec<f64>> = self.sizes.iter().map(|n| vec![0.0; *n]).collect();
        for (&(a, k), v) in self.places.iter().zip(&values) {
            out[a][k] = *v;
        }
        out
    }
}

/// The tapes of one model.
pub(crate) struct Derivatives {
    main: Matrices,
    nonideal: Option<Matrices>,
    /// What must not vanish where a derivative is to exist: arguments of `abs`, `sign`, sides of comparisons.
    kinks: Program,
    n_con: usize,
    n_groups: usize,
    /// Time occurs in the equations.
    pub timed: bool,
    /// Time occurs in their derivatives by the state.
    pub timed_derivatives: bool,
}

/// Derivatives of F, G, psi and x' at a state.
pub(crate) struct Slopes {
    pub F_x: Vec<f64>,
    pub F_eta: Vec<f64>,
    pub G_x: Vec<f64>,
    pub G_eta: Vec<f64>,
    pub x_dot_x: Vec<f64>,
    /// The frame X, but for auxiliary variables, whose rates may be any function of the speeds.
    pub x_dot_eta: Vec<f64>,
    pub psi_x: Vec<f64>,
}

/// Derivatives of C.
pub(crate) struct NonidealSlopes {
    pub C_x: Vec<f64>,
    pub C_eta: Vec<f64>,
    pub C_lambda: Vec<f64>,
    pub C_reaction: Vec<f64>,
}

impl Derivatives {
    pub(crate) fn new(model: &mut Workspace) -> Result<Self, Box<Diagnostic>> {
        model.derive_symbols()?;
        let (form, system) = (&model.form, &mut model.system);
        let (n_x, n, m) = (form.coordinates.len(), form.speeds.len(), form.velocity_residuals.len());
        let mut inputs = vec![form.time];
        inputs.extend(form.coordinates.iter().chain(&form.speeds).chain(&form.parameters));
        inputs.extend(system.observables.multipliers.iter().chain(&system.observables.reactions));
        let accelerations: Vec<Symbol> = system.frame.speeds.iter().map(|s| s.acceleration).collect();
        inputs.extend(&accelerations);
        let multipliers = system.observables.multipliers.clone();
        let reactions = system.observables.reactions.clone();
        let pool = &mut system.pool;
        let mut F: Vec<Vec<(Expr, Rational)>> = Vec::new();
        for (p, Q_p) in form.force.iter().enumerate() {
            let mut parts = vec![(*Q_p, Rational::MINUS_ONE)];
            for (q, e) in form.mass_matrix.row(p) {
                let z = pool.var(accelerations[*q]);
                parts.push((pool.mul(*e, z), Rational::ONE));
            }
            F.push(parts);
        }
        let mut G = Vec::new();
        for (r, row) in form.constraint_matrix.iter().enumerate() {
            let lambda = pool.var(multipliers[r]);
            let mut parts = vec![(form.constraint_right[r], Rational::MINUS_ONE)];
            for (p, e) in row {
                F[*p].push((pool.mul(*e, lambda), Rational::MINUS_ONE));
                let z = pool.var(accelerations[*p]);
                parts.push((pool.mul(*e, z), Rational::ONE));
            }
            G.push(pool.combine(parts));
        }
        let F: Vec<Expr> = F.into_iter().map(|parts| pool.combine(parts)).collect();
        let mut by = |list: &[Expr], symbols: &[Symbol]| {
            let width = symbols.len();
            let (mut entries, places) = (Vec::new(), Places::new(symbols));
            for (r, e) in list.iter().enumerate() {
                let row = places.gradient(pool, *e);
                entries.extend(row.into_iter().map(|(i, e)| (r * width + i, e)));
            }
            (entries, list.len() * width)
        };
        let arrays = [
            by(&F, &form.coordinates),
            by(&F, &form.speeds),
            by(&G, &form.coordinates),
            by(&G, &form.speeds),
            by(&form.x_dot, &form.coordinates),
            by(&form.x_dot, &form.speeds),
            by(&form.velocity_residuals, &form.coordinates),
        ];
        let nonideal = form
            .nonideal
            .as_ref()
            .map(|C| [by(C, &form.coordinates), by(C, &form.speeds), by(C, &multipliers), by(C, &reactions)]);
        debug_assert_eq!(arrays[0].1, n * n_x);
        let time = [form.time];
        let slopes =
            arrays.iter().chain(nonideal.iter().flatten()).flat_map(|(list, _)| list).map(|(_, e)| *e);
        let slopes: Vec<Expr> = slopes.collect();
        let mut all: Vec<Expr> =
            F.iter().chain(&G).chain(&form.x_dot).chain(&form.velocity_residuals).copied().collect();
        all.extend(form.nonideal.iter().flatten());
        let timed = all.iter().any(|e| pool.depends_on(*e, &time));
        let timed_derivatives = timed && slopes.iter().any(|e| pool.depends_on(*e, &time));
        let kinks = kinks(pool, &all);
        let derivatives = Derivatives {
            main: Matrices::new(pool, &inputs, &arrays),
            nonideal: nonideal.map(|arrays| Matrices::new(pool, &inputs, &arrays)),
            kinks: pool.lower(&inputs, &kinks),
            n_con: m,
            n_groups: reactions.len(),
            timed,
            timed_derivatives,
        };
        model.check_memory()?;
        Ok(derivatives)
    }

    fn inputs(
        &self,
        model: &Workspace,
        at: Point<'_>,
        z: &[f64],
        lambda: &[f64],
        reactions: &[f64],
    ) -> Vec<f64> {
        let mut inputs = vec![at.t];
        inputs.extend(at.x.iter().chain(at.eta).chain(model.compiled.parameters()).chain(lambda));
        inputs.extend((0..self.n_groups).map(|g| reactions.get(g).copied().unwrap_or(0.0)));
        inputs.extend(z);
        debug_assert_eq!(lambda.len(), self.n_con);
        inputs
    }

    /// At a state, for given z and lambda.
    pub(crate) fn slopes(&self, model: &Workspace, at: Point<'_>, z: &[f64], lambda: &[f64]) -> Slopes {
        let list = self.main.run(&self.inputs(model, at, z, lambda, &[]));
        let [F_x, F_eta, G_x, G_eta, x_dot_x, x_dot_eta, psi_x] =
            <[Vec<f64>; 7]>::try_from(list).expect("the tape has seven matrices");
        Slopes { F_x, F_eta, G_x, G_eta, x_dot_x, x_dot_eta, psi_x }
    }

    /// Those of C, for the ideal multipliers and reactions; `None` without non-ideal work.
    pub(crate) fn nonideal(
        &self,
        model: &Workspace,
        at: Point<'_>,
        lambda: &[f64],
        reactions: &[f64],
    ) -> Option<NonidealSlopes> {
        let z = vec![0.0; model.compiled.shape().n_eta];
        let list = self.nonideal.as_ref()?.run(&self.inputs(model, at, &z, lambda, reactions));
        let [C_x, C_eta, C_lambda, C_reaction] =
            <[Vec<f64>; 4]>::try_from(list).expect("the tape has four matrices");
        Some(NonidealSlopes { C_x, C_eta, C_lambda, C_reaction })
    }

    /// Whether the equations contain `abs`, `sign`, `min`, `max` or a condition.
    pub(crate) fn have_kinks(&self) -> bool {
        self.kinks.output_count() > 0
    }

    /// Whether an argument of `abs`, `sign`, `min`, `max` or a condition vanishes at a state.
    pub(crate) fn at_a_kink(
        &self,
        model: &Workspace,
        at: Point<'_>,
        lambda: &[f64],
        reactions: &[f64],
    ) -> bool {
        let z = vec![0.0; model.compiled.shape().n_eta];
        let inputs = self.inputs(model, at, &z, lambda, reactions);
        let mut registers = vec![0.0; self.kinks.register_count()];
        let mut values = vec![0.0; self.kinks.output_count()];
        self.kinks.run(&inputs, &mut registers, &mut values);
        values.iter().any(|v| v.abs() < 1e-11)
    }
}
