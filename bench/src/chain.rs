//! Chains of N links in redundant coordinates (models/link_chain.dal).

use crate::timing::fastest;
use dalembert::run::{Accelerator, Dynamics, State, Terms};
use dalembert::{Overrides, Source, Workspace};
use std::hint::black_box;
use std::time::Instant;

/// A chain ready to run.
pub struct Chain {
    n: usize,
    model: Workspace,
    start: State,
    /// Milliseconds from text to compiled system.
    pub load_ms: f64,
    /// Milliseconds to the start.
    pub start_ms: f64,
}

impl Chain {
    /// With n links.
    pub fn new(n: usize) -> Self {
        let source = Source::new("link_chain.dal", include_str!("../../models/link_chain.dal"));
        let overrides = Overrides { set: vec![("N".into(), n.to_string())], ..Overrides::default() };
        let begin = Instant::now();
        let mut model = Workspace::load(&source, &overrides).expect("the model is good");
        let load_ms = begin.elapsed().as_secs_f64() * 1e3;
        let begin = Instant::now();
        let start = model.start().expect("the start is on the constraints").state;
        let start_ms = begin.elapsed().as_secs_f64() * 1e3;
        model.compiled.compile_native(&mut model.system, &model.form);
        Chain { n, model, start, load_ms, start_ms }
    }

    fn repeat(&self) -> usize {
        (200_000 / self.n).clamp(20, 2000)
    }

    /// Microseconds of K1-K3 alone.
    pub fn terms_us(&self) -> f64 {
        let kernel = &self.model.compiled;
        let (mut terms, mut scratch) = (Terms::of(kernel), vec![0.0; kernel.scratch_len()]);
        fastest(self.repeat(), || kernel.terms(self.start.point(), &mut scratch, &mut terms)) * 1e6
    }

    /// Microseconds of one acceleration, and the angular acceleration of the first link.
    pub fn solve_us(&self) -> (f64, f64) {
        let kernel = &self.model.compiled;
        let mut accelerator = Accelerator::new(kernel);
        let mut angular = 0.0;
        let seconds = fastest(self.repeat(), || {
            angular = accelerator.solve(kernel, self.start.point()).expect("regular").eta_dot[2 * self.n];
        });
        (seconds * 1e6, angular)
    }

    /// So many accelerations at the start.
    pub fn accelerate(&self, times: usize) {
        let kernel = &self.model.compiled;
        let mut accelerator = Accelerator::new(kernel);
        for _ in 0..times {
            black_box(accelerator.solve(kernel, black_box(self.start.point())).expect("regular"));
        }
    }

    /// Entries of the factor.
    pub fn fill(&self) -> usize {
        self.model.compiled.sparsity().map_or(0, |s| s.fill())
    }
}
