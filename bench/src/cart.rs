//! The n-link pendulum on a cart (models/cart_pendulum_chain.dal): one acceleration, and many states in lanes.

use crate::timing::best_ns;
use dalembert::run::{Point, State};
use dalembert::{Overrides, Source, Workspace};
use dalembert_tape::Lanes;
use std::hint::black_box;

const MODEL: &str = include_str!("../../models/cart_pendulum_chain.dal");

/// From text to native functions.
pub fn ready(n: usize) -> Workspace {
    let overrides = Overrides { set: vec![("N".into(), n.to_string())], ..Overrides::default() };
    let mut model = Workspace::load(&Source::new("cart.dal", MODEL), &overrides).expect("the model is good");
    model.compiled.compile_native(&mut model.system, &model.form);
    model
}

/// One state at a time.
pub struct Cart {
    /// The model, ready to run.
    pub model: Workspace,
    start: State,
    scratch: Vec<f64>,
    out: Vec<f64>,
}

impl Cart {
    /// With n links.
    pub fn new(n: usize) -> Self {
        let mut model = ready(n);
        let start = model.start().expect("no constraints").state;
        let scratch = model.compiled.fused().expect("one program").workspace();
        Cart { model, start, scratch, out: vec![0.0; 2 * (n + 1) + 1] }
    }

    /// So many accelerations at the start. The program is looked up once, as a run does.
    pub fn accelerate(&mut self, times: usize) {
        let fused = self.model.compiled.fused().expect("one program");
        for _ in 0..times {
            let at = Point { t: 0.0, x: &self.start.x, eta: &self.start.eta };
            assert!(fused.accelerate(black_box(at), &mut self.scratch, &mut self.out));
        }
    }

    /// Nanoseconds of one acceleration.
    pub fn ns(&mut self) -> f64 {
        best_ns(1, || self.accelerate(2000)) / 2000.0
    }

    /// x'' as last found.
    pub fn acceleration(&self) -> f64 {
        self.out[self.start.x.len()]
    }
}

/// States at once that are compared with hand-written C.
pub const STATES: usize = 256;

/// 256 states in blocks of four lanes.
pub struct Many {
    lanes: Lanes,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
    workspace: Vec<f64>,
    first: usize,
}

impl Many {
    /// The start of each state has its angles turned by 0.001 more than the one before. `None` where the system has no
    /// lanes.
    pub fn new(n: usize) -> Option<Self> {
        let cart = Cart::new(n);
        let kernel = &cart.model.compiled;
        let lanes = kernel.lanes()?;
        let (start, width) = (&cart.start, cart.start.x.len());
        let values: Vec<f64> =
            [0.0].iter().chain(&start.x).chain(&start.eta).chain(kernel.lane_constants()).copied().collect();
        assert_eq!(values.len(), lanes.program().input_count());
        let turned = |k: usize, state: usize| {
            values[k] + if (2..=width).contains(&k) { 0.001 * state as f64 } else { 0.0 }
        };
        let inputs = (0..STATES / 4)
            .flat_map(|block| (0..values.len()).flat_map(move |k| (0..4).map(move |l| (k, 4 * block + l))))
            .map(|(k, state)| turned(k, state))
            .collect();
        let outputs = vec![0.0; lanes.program().output_count() * STATES];
        let workspace = vec![0.0; lanes.workspace()];
        Some(Many { lanes, inputs, outputs, workspace, first: 4 * width })
    }

    /// All accelerations.
    pub fn accelerate(&mut self) {
        self.lanes.run_blocks(black_box(&self.inputs), &mut self.workspace, &mut self.outputs);
    }

    /// Nanoseconds a state.
    pub fn ns(&mut self) -> f64 {
        best_ns(50, || self.accelerate()) / STATES as f64
    }

    /// x'' of the first state as last found.
    pub fn acceleration(&self) -> f64 {
        self.outputs[self.first]
    }
}
