//! Who computes the control forces of a run: the simulated system itself, another model of it, and how often.

use super::tolerances::REACHED_WHILE_STICKING;
use crate::{
    AccelerationError, Accelerator, ContactModes, ControlInput, Dynamics, Point, StickingKernel, find_modes,
};

/// The controller of a run. The default is perfect: it knows the system and acts without delay.
#[derive(Clone, Copy, Default)]
pub struct Controller<'a> {
    /// The model from which control forces are computed, if it is not the simulated system: same coordinates, speeds,
    /// constraints and inputs, other numbers.
    pub model: Option<&'a dyn Dynamics>,
    /// Control forces are computed every so often and held in between (zero-order hold).
    pub hold: Option<f64>,
}

/// The controller at work.
#[derive(Default)]
pub(super) struct SampledController<'a> {
    model: Option<StickingKernel<'a>>,
    accelerator: Option<Accelerator>,
    inputs: Vec<f64>,
    /// Whether each input of the last sample is at a bound.
    pub at_bound: Vec<bool>,
    pub hold: Option<f64>,
}

impl<'a> SampledController<'a> {
    pub fn new(kernel: &'a dyn Dynamics, controller: &Controller<'a>, modes: &ContactModes) -> Self {
        let shape = kernel.shape();
        let hold = controller.hold.filter(|_| shape.n_require > 0);
        let apart = controller.model.or(hold.map(|_| kernel)).filter(|_| shape.n_require > 0);
        let (inputs, at_bound) = (vec![0.0; shape.n_input], vec![false; shape.n_input]);
        let mut controller = Self { model: None, accelerator: None, inputs, at_bound, hold };
        if let Some(model) = apart {
            controller.take(StickingKernel::new(model, modes.clone()));
        }
        controller
    }

    /// Whether another model, or a sample, decides the control.
    pub fn is_apart(&self) -> bool {
        self.model.is_some()
    }

    fn take(&mut self, model: StickingKernel<'a>) {
        self.accelerator = Some(model.accelerator());
        self.model = Some(model);
    }

    /// Contacts stick for the controller as they do for the system.
    pub fn set_modes(&mut self, modes: &ContactModes) {
        if let Some(model) = &self.model {
            let base = model.base();
            self.take(StickingKernel::new(base, modes.clone()));
        }
    }

    /// Computes the inputs from the controller's model; they must meet its requirements to `tolerance`.
    pub fn sample(&mut self, at: Point<'_>, tolerance: f64) -> Result<(), AccelerationError> {
        if let (Some(model), Some(accelerator)) = (&self.model, &mut self.accelerator) {
            accelerator.consistency_tol = tolerance;
            match accelerator.solve(model, at) {
                Ok(s) => {
                    self.inputs.copy_from_slice(&s.inputs);
                    let demand = s.demand.clone();
                    let bounds = accelerator.control_bounds().iter();
                    for ((at_bound, u), [least, most]) in self.at_bound.iter_mut().zip(demand).zip(bounds) {
                        *at_bound = !(*least..=*most).contains(&u);
                    }
                }
                // A contact that sticks would have to slide to meet the requirements: the inputs are those with which it slides.
                Err(AccelerationError::Unreachable { .. }) if !model.contacts().is_empty() => {
                    let base = model.base();
                    let wanted = StickingKernel::new(base, find_modes(base, at, ControlInput::Required)?);
                    let mut accelerator = wanted.accelerator();
                    self.inputs.copy_from_slice(&accelerator.solve(&wanted, at)?.inputs);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// What steers the system at a state.
    pub fn input(&mut self, at: Point<'_>, tolerance: f64) -> Result<ControlInput<'_>, AccelerationError> {
        if self.hold.is_none() {
            // Where contacts stick, what cannot be reached must be noticed at every state.
            let sticks = self.model.as_ref().is_some_and(|model| model.stuck_rows() > 0);
            self.sample(at, if sticks { tolerance.min(REACHED_WHILE_STICKING) } else { tolerance })?;
        }
        Ok(if self.model.is_some() { ControlInput::Given(&self.inputs) } else { ControlInput::Required })
    }

    /// The inputs at a state, to be reported; empty where the system steers itself or they are not known.
    pub fn inputs_at(&mut self, at: Point<'_>) -> Vec<f64> {
        match self.input(at, f64::INFINITY) {
            Ok(ControlInput::Given(inputs)) => inputs.to_vec(),
            Ok(ControlInput::Required) => Vec::new(),
            Err(_) => vec![f64::NAN; self.inputs.len()],
        }
    }
}
