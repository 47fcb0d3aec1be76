//! Many motions at once, in the lanes of vector registers: each lane has its own run, time and step size.
//!
//! For systems without events or contacts, by explicit methods. States are brought back to the constraints after each
//! step (`keep`); a run that comes near a loss of rank is given back. Each lane is controlled by its own numbers
//! alone, so the result of a run depends neither on its neighbours nor on the lane it sat in. Methods, tolerances and
//! the law by which steps are chosen are those of [`crate::integrate()`]; roundings are not carried over from step to step,
//! so the two agree to the tolerance and not to the bit. What cannot be finished here (a derivative that is not to be trusted, a step
//! too small, numbers that are not finite) is given back, and belongs to the ordinary driver, from its start.
//!
//! A kernel that is one straight-line program gets the whole step as one program (`unrolled`) unless that would be
//! longer than [`MAX_UNROLLED`] operations; others step by loops over lanes (`looped`).
//!
//! ```
//! use dalembert_run::Options;
//! use dalembert_run::ensemble::{Ended, Ensemble, Job, LANES, LaneKernel};
//!
//! /// x'' = -k x, with a k for each run.
//! struct Springs;
//! impl LaneKernel for Springs {
//!     fn dim(&self) -> usize { 2 }
//!     fn constants(&self) -> usize { 1 }
//!     fn derivative(&self, inputs: &[f64], _: &mut [f64], out: &mut [f64]) {
//!         for l in 0..LANES {
//!             let [_t, x, v, k] = [0, 1, 2, 3].map(|n| inputs[n * LANES + l]);
//!             [v, -k * x, 1.0].iter().enumerate().for_each(|(n, value)| out[n * LANES + l] = *value);
//!         }
//!     }
//! }
//!
//! let ensemble = Ensemble::new(Box::new(Springs), &Options::default()).unwrap();
//! let jobs = (0..10).map(|k| Job { id: k, t: 0.0, t_end: 1.0, y: vec![1.0, 0.0], constants: vec![k as f64] });
//! let mut worst = 0.0f64;
//! ensemble.marcher().march(jobs, || false, |ended| match ended {
//!     Ended::Arrived { id, y, .. } => worst = worst.max((y[0] - (id as f64).sqrt().cos()).abs()),
//!     Ended::GivenBack { .. } => unreachable!("springs are easy"),
//! });
//! assert!(worst < 1e-9);
//! ```

mod control;
mod keep;
mod looped;
mod march;
mod unrolled;

pub use march::Marcher;

use super::explicit::Tableau;
use super::stepper::Tolerance;
use super::{Method, Options, dop853, tsit5};
use control::Control;
use dalembert_tape::{Lanes, Program};

/// Runs at a time.
pub const LANES: usize = Lanes::WIDTH;
/// Steps of more operations of the derivative than this are not written as one program. Measured up to here it is 1.2 to
/// 2 times as fast as loops, less so the longer it is.
pub const MAX_UNROLLED: usize = 60_000;

/// The derivative of four states at once. Number k of lane l stands at `k * LANES + l`.
pub trait LaneKernel: Send + Sync {
    /// How many numbers a state has.
    fn dim(&self) -> usize;

    /// How many numbers a run has besides (parameters, or what follows from them).
    fn constants(&self) -> usize;

    /// Numbers of workspace for a call.
    fn workspace(&self) -> usize {
        0
    }

    /// From t, the state and the constants to the derivative, and 1 where it can be trusted, else 0.
    fn derivative(&self, inputs: &[f64], workspace: &mut [f64], out: &mut [f64]);

    /// The same as a program for one state, where it is one.
    fn program(&self) -> Option<&Program> {
        None
    }

    /// How states are kept on constraints and invariants, if there are any.
    fn keep(&self) -> Option<&Keep> {
        None
    }
}

/// One step of Newton back to the constraints and invariants, as a program over the inputs of the derivative.
///
/// Its outputs: the state, the largest scaled residual before the step, 1 where the step can be trusted, then for each row
/// its pivot in the factorisation of A M^-1 A^T and the diagonal entry. The last constants of a run, one for each row, are
/// the least pivots with which the derivative is to be trusted; they are kept up to date here.
#[derive(Clone, Debug)]
pub struct Keep {
    /// The program.
    pub lanes: Lanes,
    /// Constraint rows.
    pub rows: usize,
}

/// A system with constraints or invariants: its derivative, as for [`Lanes`], and how they are kept.
#[derive(Clone, Debug)]
pub struct Constrained {
    /// The derivative.
    pub motion: Lanes,
    /// See [`Keep`].
    pub keep: Keep,
}

impl LaneKernel for Constrained {
    fn dim(&self) -> usize {
        self.motion.dim()
    }

    fn constants(&self) -> usize {
        self.motion.constants()
    }

    fn workspace(&self) -> usize {
        self.motion.workspace()
    }

    fn derivative(&self, inputs: &[f64], workspace: &mut [f64], out: &mut [f64]) {
        self.motion.run(inputs, workspace, out);
    }

    fn program(&self) -> Option<&Program> {
        Some(self.motion.program())
    }

    fn keep(&self) -> Option<&Keep> {
        Some(&self.keep)
    }
}

/// Inputs: t, the state, constants. Outputs: the derivative, and whether to trust it.
impl LaneKernel for Lanes {
    fn dim(&self) -> usize {
        self.program().output_count().saturating_sub(1)
    }

    fn constants(&self) -> usize {
        self.program().input_count().saturating_sub(self.program().output_count())
    }

    fn workspace(&self) -> usize {
        Lanes::workspace(self)
    }

    fn derivative(&self, inputs: &[f64], workspace: &mut [f64], out: &mut [f64]) {
        self.run(inputs, workspace, out);
    }

    fn program(&self) -> Option<&Program> {
        Some(Lanes::program(self))
    }
}

/// A run to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its number, for whoever asked.
    pub id: usize,
    /// When it starts.
    pub t: f64,
    /// When it ends, later.
    pub t_end: f64,
    /// Where it starts.
    pub y: Vec<f64>,
    /// Its constants, without the least pivots of constraint rows.
    pub constants: Vec<f64>,
}

/// What became of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// It reached its end time.
    Arrived {
        /// Its number.
        id: usize,
        /// Where it ended.
        y: Vec<f64>,
        /// Accepted steps.
        steps: usize,
        /// Rejected steps.
        rejected: usize,
        /// Largest scaled residual of constraints and invariants at the end of a step.
        residual: f64,
    },
    /// The ordinary driver must make it, from its start.
    GivenBack {
        /// Its number.
        id: usize,
    },
}

/// A kernel with a method, ready to step. Shared by threads; each has its own [`Marcher`].
pub struct Ensemble {
    kernel: Box<dyn LaneKernel>,
    /// The whole step as one program.
    step: Option<Lanes>,
    table: &'static Tableau,
    tol: Tolerance,
    /// For methods with fixed steps: the step, or the thousandth part of a run.
    fixed: Option<Option<f64>>,
    h_max: f64,
    h_min_relative: f64,
    max_steps: usize,
}

impl Ensemble {
    /// `None` for methods that do not step in lanes, and for programs that are no derivatives.
    #[must_use]
    pub fn new(kernel: Box<dyn LaneKernel>, options: &Options) -> Option<Self> {
        let mut ensemble = Self::looped(kernel, options)?;
        let table = ensemble.table;
        let short = |p: &&Program| p.counts().total() * table.c.len() <= MAX_UNROLLED;
        ensemble.step = ensemble.kernel.program().filter(short).map(|p| {
            let dim = ensemble.kernel.dim();
            Lanes::new(unrolled::step_program(p, dim, table, ensemble.tol))
        });
        Some(ensemble)
    }

    /// The same without the step as one program, for comparison: slower, with the same bits.
    #[must_use]
    pub fn looped(kernel: Box<dyn LaneKernel>, options: &Options) -> Option<Self> {
        let derivative = |p: &Program| (1..=p.input_count()).contains(&p.output_count());
        if !kernel.program().is_none_or(derivative) {
            return None;
        }
        let table = match options.method {
            Method::Dop853 => &dop853::DOP853,
            Method::Tsit5 => &tsit5::TSIT5,
            Method::Rk4 => &tsit5::RK4,
            Method::Radau | Method::Variational2 | Method::Variational4 | Method::Variational6 => {
                return None;
            }
        };
        Some(Self {
            kernel,
            step: None,
            table,
            tol: Tolerance { rtol: options.rtol, atol: options.atol },
            fixed: (options.method == Method::Rk4).then_some(options.fixed_step),
            h_max: options.h_max.unwrap_or(f64::INFINITY),
            h_min_relative: options.h_min_relative,
            max_steps: options.max_steps,
        })
    }

    /// Operations of one step of one run, where it is one program.
    #[must_use]
    pub fn step_operations(&self) -> Option<usize> {
        self.step.as_ref().map(|s| s.program().counts().total())
    }

    /// A workspace for one thread.
    #[must_use]
    pub fn marcher(&self) -> Marcher<'_> {
        Marcher::new(self)
    }

    fn control(&self) -> Control {
        Control::new(self.table.exponent)
    }
}
