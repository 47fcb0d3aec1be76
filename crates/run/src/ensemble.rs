//! Many motions at once, in the lanes of vector registers: each lane has its own run, time and step size.
//!
//! For systems without contacts, by explicit methods. States are brought back to the constraints after each
//! step (`keep`); a run that comes near a loss of rank is given back. Each lane is controlled by its own numbers
//! alone, so the result of a run depends neither on its neighbours nor on the lane it sat in. Methods, tolerances and
//! the law by which steps are chosen are those of [`crate::integrate()`]; roundings are not carried over from step to step,
//! so the two agree to the tolerance and not to the bit. What cannot be finished here (a derivative that is not to be trusted, a step
//! too small, numbers that are not finite) is given back, and belongs to the ordinary driver, from its start.
//!
//! Events that stop a run are looked for inside every step as the ordinary driver does it, on the polynomial of the method,
//! and rows are given where [`Options::output`] asks for them (`within`). Events that do not stop are not looked for.
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
//! ensemble.driver().run(jobs, || false, |ended| match ended {
//!     Ended::Arrived { id, y, .. } => worst = worst.max((y[0] - (id as f64).sqrt().cos()).abs()),
//!     Ended::GivenBack { .. } => unreachable!("springs are easy"),
//! });
//! assert!(worst < 1e-9);
//! ```

mod event_screen;
mod interpolant;
mod kernel;
mod lane_driver;
mod lane_projection;
mod looped;
mod unrolled;

pub use kernel::{Keep, LaneKernel, Programs};
pub use lane_driver::LaneDriver;

use crate::hybrid::{EventHit, EventRule, Method, Options, Output};
use crate::method::step_size::{CoarsePowers, StepSizeControl};
use crate::method::stepper::Tolerance;
use crate::method::tableaux::Tableau;
use crate::method::{dop853, tableaux};
use dalembert_tape::{Lanes, Program};
use interpolant::Interpolant;

/// Runs at a time.
pub const LANES: usize = Lanes::WIDTH;
/// Steps of more operations of the derivative than this are not written as one program. Measured up to here it is 1.2 to
/// 2 times as fast as loops, less so the longer it is.
pub const MAX_UNROLLED: usize = 60_000;

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
    /// It reached its end time, or an event that stops it.
    Arrived {
        /// Its number.
        id: usize,
        /// When it ended.
        t: f64,
        /// Where it ended.
        y: Vec<f64>,
        /// What stopped it.
        event: Option<EventHit>,
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

/// A state on the way of a run, at a time that was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampled<'a> {
    /// The number of the run.
    pub id: usize,
    /// When.
    pub t: f64,
    /// The state.
    pub y: &'a [f64],
}

/// A kernel with a method, ready to step. Shared by threads; each has its own [`LaneDriver`].
pub struct Ensemble {
    kernel: Box<dyn LaneKernel>,
    /// The whole step as one program.
    step: Option<Lanes>,
    /// The step as one program that also gives dense output.
    whole_step: Option<Lanes>,
    table: &'static Tableau,
    /// The motion inside steps, where it may be wanted.
    interpolant: Option<Interpolant>,
    output: Output,
    rules: Vec<EventRule>,
    tol: Tolerance,
    /// For methods with fixed steps: the step that was asked for, if one was.
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
        if !ensemble.always_inside() {
            ensemble.step = ensemble.unrolled(None);
        }
        ensemble.whole_step = ensemble.interpolant.as_ref().and_then(|i| ensemble.unrolled(Some(i)));
        Some(ensemble)
    }

    /// The step as one program, unless it is too long.
    fn unrolled(&self, interpolant: Option<&Interpolant>) -> Option<Lanes> {
        let stages = self.table.c.len() + interpolant.map_or(0, |i| 1 + i.stages.len());
        let program = self.kernel.program().filter(|p| p.counts().total() * stages <= MAX_UNROLLED)?;
        let dim = self.kernel.dim();
        Some(Lanes::new(unrolled::step_program(program, dim, self.table, self.tol, interpolant)))
    }

    /// An ensemble whose steps are loops over stages instead of one program: slower, with the same bits; for comparison.
    #[must_use]
    pub fn looped(kernel: Box<dyn LaneKernel>, options: &Options) -> Option<Self> {
        let derivative = |p: &Program| (1..=p.input_count()).contains(&p.output_count());
        if !kernel.program().is_none_or(derivative) {
            return None;
        }
        let table = match options.method {
            Method::Dop853 => &dop853::DOP853,
            Method::Tsit5 => &tableaux::TSIT5,
            Method::Rk4 => &tableaux::RK4,
            Method::Radau | Method::Variational2 | Method::Variational4 | Method::Variational6 => {
                return None;
            }
        };
        let events = kernel.events().map_or(0, |events| events.program().output_count());
        let rules = options.events[..events.min(options.events.len())].to_vec();
        let at_times = match &options.output {
            Output::Steps | Output::Ends => false,
            Output::Every(_) | Output::StepsAndEvery(_) => true,
            Output::Times(times) => !times.is_empty(),
        };
        let inside = at_times || !rules.is_empty();
        let interpolant = if inside { Some(Interpolant::of(options.method, table)?) } else { None };
        Some(Self {
            kernel,
            step: None,
            whole_step: None,
            table,
            interpolant,
            output: options.output.clone(),
            rules,
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
        self.step.as_ref().or(self.whole_step.as_ref()).map(|s| s.program().counts().total())
    }

    /// Whether the motion inside of every step is looked at.
    fn always_inside(&self) -> bool {
        !self.rules.is_empty()
    }

    /// A workspace for one thread.
    #[must_use]
    pub fn driver(&self) -> LaneDriver<'_> {
        LaneDriver::new(self)
    }

    fn control(&self) -> StepSizeControl<CoarsePowers> {
        StepSizeControl::new(self.table.exponent, 1.0)
    }
}
