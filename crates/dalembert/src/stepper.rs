//! A motion in steps, for somebody else's loop: a controller, an environment to learn in, hardware.
//!
//! A [`Stepper`] holds the states of one or many copies of a system and moves them on by `dt` under inputs that are held over the step.
//! A step is one of an explicit method of fixed step, or several; the state is brought back to the constraints, and nothing is
//! allocated. Where an event happens in a step, and for systems that stick, switch or saturate, the step is made by the driver of
//! [`simulate`](crate::Workspace::simulate): events are located, what they assign is done, no step lies across them.
//!
//! ```
//! use dalembert::{Model, Source, stepper::Stepper};
//! let text = "input u = 0\ncoordinate x\nkinetic x'^2/2\nforce x = u";
//! let model = Model::load(&Source::new("cart.dal", text), &Default::default()).unwrap();
//! let mut stepper = Stepper::new(&model, 0.5, "rk4", 1).unwrap();
//! stepper.reset(None).unwrap();
//! stepper.step(&[2.0]).unwrap();
//! assert_eq!(stepper.time(), 0.5);
//! assert!((stepper.states()[0] - 0.25).abs() < 1e-12 && (stepper.states()[1] - 1.0).abs() < 1e-12);
//! ```

use crate::explain;
use crate::model::Model;
use crate::simulate::{EventRecord, Request};
use crate::workspace::Workspace;
use dalembert_run::{
    ContactChange, Control, Dynamics, EventHit, EventRule, Events, Failure, Method, Observer, OneStep,
    Options, Output, Point, Row, Solution, State, Stop, integrate,
};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// Copies of a system that are moved on step by step.
pub struct Stepper {
    model: Workspace,
    one: OneStep,
    method: Method,
    dt: f64,
    substeps: usize,
    /// Values of all parameters, and which of them are inputs.
    values: Vec<f64>,
    inputs: Vec<usize>,
    /// Inputs of the model, and those of each copy that hold now.
    defaults: Vec<f64>,
    held: Vec<f64>,
    rules: Vec<EventRule>,
    /// Whether every step is made by the driver.
    by_driver: bool,
    t: f64,
    states: Vec<f64>,
    /// Event functions of each copy at its state, and room for those behind the step.
    guards: Vec<f64>,
    after: Vec<f64>,
    scratch: Vec<f64>,
    solution: Solution,
    before: Vec<f64>,
    events: Vec<(usize, EventRecord)>,
    stopped: Vec<bool>,
}

impl Stepper {
    /// Steps of length `dt`, each made of `substeps` steps of an explicit method: `rk4`, `tsit5` or `dop853`.
    pub fn new(
        model: impl Into<Model>,
        dt: f64,
        method: &str,
        substeps: usize,
    ) -> Result<Self, Box<Diagnostic>> {
        let mut model = model.into().workspace();
        let refuse = |message: String, help: &str| {
            Box::new(Diagnostic::error(Code::BadOption, None, message).help(help))
        };
        if !(dt > 0.0 && dt.is_finite()) || substeps == 0 {
            return Err(refuse(
                format!("a step cannot be {dt} in {substeps} parts"),
                "choose a positive step",
            ));
        }
        let explicit = "steps are made by `rk4`, `tsit5` or `dop853`";
        let named: Method =
            method.parse().map_err(|_| refuse(format!("there is no method `{method}`"), explicit))?;
        model.compiled.compile_native(&mut model.system, &model.form);
        model.check_memory()?;
        let start = model.start()?.state;
        model.check_once(&start)?;
        let Some(one) = OneStep::new(&model.compiled, named) else {
            return Err(refuse(format!("`{method}` is not an explicit method"), explicit));
        };
        let shape = model.compiled.shape();
        let inputs: Vec<usize> =
            model.system.parameters.iter().enumerate().filter(|(_, p)| p.is_input).map(|(k, _)| k).collect();
        let rules = model.options(&Request { until: Some(dt), ..Request::default() })?.options.events;
        let sudden = shape.n_contact + shape.n_switch + shape.n_time_switch > 0;
        let by_driver = sudden
            || model.compiled.has_control_bounds()
            || (shape.n_event > 0 && model.compiled.events_need_solution());
        Ok(Self {
            one,
            method: named,
            dt,
            substeps,
            defaults: inputs.iter().map(|k| model.compiled.parameters()[*k]).collect(),
            held: inputs.iter().map(|k| model.compiled.parameters()[*k]).collect(),
            values: model.compiled.parameters().to_vec(),
            inputs,
            rules,
            by_driver,
            t: start.t,
            states: start.x.iter().chain(&start.eta).copied().collect(),
            guards: vec![0.0; shape.n_event],
            after: vec![0.0; shape.n_event],
            scratch: vec![0.0; model.compiled.scratch_len()],
            solution: Solution::new(&shape),
            before: vec![0.0; shape.n_x + shape.n_eta],
            events: Vec::new(),
            stopped: vec![false],
            model,
        })
    }

    /// The model.
    pub fn model(&self) -> &Workspace {
        &self.model
    }

    /// How many coordinates and speeds a state has.
    pub fn dimension(&self) -> usize {
        self.before.len()
    }

    /// How many inputs the system has.
    pub fn input_count(&self) -> usize {
        self.inputs.len()
    }

    /// Time reached.
    pub fn time(&self) -> f64 {
        self.t
    }

    /// The states, coordinates and then speeds of one copy after the other.
    pub fn states(&self) -> &[f64] {
        &self.states
    }

    /// What happened in the last step: the copy, and the event.
    pub fn events(&self) -> &[(usize, EventRecord)] {
        &self.events
    }

    /// Which copies have come to an event that stops; they stay where they are until the next [`reset`](Stepper::reset).
    pub fn stopped(&self) -> &[bool] {
        &self.stopped
    }

    /// Begins again at t = 0 with the inputs of the model, from as many states as are given, or from the start of the model.
    /// States are brought onto the constraints.
    pub fn reset(&mut self, states: Option<&[f64]>) -> Result<(), Box<Diagnostic>> {
        self.reset_at(0.0, states)
    }

    /// As [`Stepper::reset`], at another time.
    pub fn reset_at(&mut self, t: f64, states: Option<&[f64]>) -> Result<(), Box<Diagnostic>> {
        let d = self.dimension();
        let count = states.map_or(1, |states| states.len() / d.max(1));
        match states {
            Some(states) if states.is_empty() || !states.len().is_multiple_of(d) => {
                let message = format!("{} numbers are not states of {d} each", states.len());
                return Err(Box::new(Diagnostic::error(Code::BadOption, None, message)));
            }
            Some(states) => {
                self.give_defaults(count);
                self.states.clear();
                self.states.extend_from_slice(states);
            }
            None => {
                self.give_defaults(count);
                let start = self.model.start()?.state;
                self.states.clear();
                self.states.extend(start.x.iter().chain(&start.eta));
            }
        }
        self.t = t;
        self.events.clear();
        self.stopped.clear();
        self.stopped.resize(count, false);
        self.guards.resize(count * self.after.len(), 0.0);
        for k in 0..count {
            let y = &mut self.states[k * d..(k + 1) * d];
            if let Err(failure) = self.one.begin(&self.model.compiled, self.t, y) {
                return Err(self.explain(&failure, k));
            }
            self.look(k);
            let n = self.after.len();
            self.guards[k * n..(k + 1) * n].copy_from_slice(&self.after);
        }
        Ok(())
    }

    /// Moves every copy on by the step under the given inputs, in SI, one copy after the other; without any, each copy keeps its own.
    pub fn step(&mut self, inputs: &[f64]) -> Result<(), Box<Diagnostic>> {
        let (d, m) = (self.dimension(), self.inputs.len());
        let count = self.states.len() / d;
        if !inputs.is_empty() && inputs.len() != m * count {
            let message = format!("{} values for {m} inputs of {count} systems", inputs.len());
            return Err(Box::new(Diagnostic::error(Code::BadOption, None, message)));
        }
        if !inputs.is_empty() {
            self.held.copy_from_slice(inputs);
        }
        self.events.clear();
        for k in 0..count {
            if self.stopped[k] {
                continue;
            }
            self.give(k);
            if let Err(failure) = self.move_on(k) {
                return Err(self.explain(&failure, k));
            }
        }
        self.t += self.dt;
        Ok(())
    }

    /// Holds the inputs of the model in every copy.
    fn give_defaults(&mut self, count: usize) {
        self.held = self.defaults.repeat(count);
        if count > 0 {
            self.give(0);
        }
    }

    /// Puts the inputs of a copy in place.
    fn give(&mut self, copy: usize) {
        let m = self.inputs.len();
        let held = &self.held[copy * m..(copy + 1) * m];
        if self.inputs.iter().zip(held).all(|(k, u)| self.values[*k] == *u) {
            return;
        }
        self.inputs.iter().zip(held).for_each(|(k, u)| self.values[*k] = *u);
        self.model.compiled.set_parameters(&self.values);
        self.one.refresh(&self.model.compiled);
    }

    /// One copy.
    fn move_on(&mut self, k: usize) -> Result<(), Failure> {
        let (d, n) = (self.dimension(), self.after.len());
        if self.by_driver {
            return self.drive(k);
        }
        self.before.copy_from_slice(&self.states[k * d..(k + 1) * d]);
        let h = self.dt / self.substeps as f64;
        let kernel = &self.model.compiled;
        for part in 0..self.substeps {
            let t = self.t + part as f64 * h;
            self.one.step(kernel, t, h, &mut self.states[k * d..(k + 1) * d])?;
        }
        if n == 0 {
            return Ok(());
        }
        self.look_at(k, self.t + self.dt);
        let crossed = self.guards[k * n..(k + 1) * n].iter().zip(&self.after).any(|(a, b)| a * b <= 0.0);
        if crossed {
            // The step is made again where its events are located.
            self.states[k * d..(k + 1) * d].copy_from_slice(&self.before);
            return self.drive(k);
        }
        self.guards[k * n..(k + 1) * n].copy_from_slice(&self.after);
        Ok(())
    }

    /// One copy by the driver, to the end of the step or to an event that stops.
    fn drive(&mut self, k: usize) -> Result<(), Failure> {
        let (d, n, n_x) = (self.dimension(), self.after.len(), self.model.form.coordinates.len());
        let (x, eta) = self.states[k * d..(k + 1) * d].split_at(n_x);
        let start = State::new(self.t, x, eta);
        let fixed = self.method.has_fixed_step().then_some(self.dt / self.substeps as f64);
        let options = Options {
            method: self.method,
            fixed_step: fixed,
            output: Output::Ends,
            events: self.rules.clone(),
            ..Options::default()
        };
        let mut heard = Heard { model: &self.model, events: Vec::new() };
        let outcome = integrate(&self.model.compiled, &start, self.t + self.dt, &options, &mut heard);
        self.events.extend(heard.events.into_iter().map(|event| (k, event)));
        match outcome.stop {
            Stop::Failed(failure) => return Err(failure),
            Stop::Event(_) => self.stopped[k] = true,
            Stop::EndTime | Stop::Cancelled => {}
        }
        let y = &mut self.states[k * d..(k + 1) * d];
        y.iter_mut().zip(outcome.state.x.iter().chain(&outcome.state.eta)).for_each(|(y, v)| *y = *v);
        self.look_at(k, outcome.state.t);
        self.guards[k * n..(k + 1) * n].copy_from_slice(&self.after);
        Ok(())
    }

    fn look(&mut self, k: usize) {
        self.look_at(k, self.t);
    }

    /// The event functions of a copy, into `after`.
    fn look_at(&mut self, k: usize, t: f64) {
        if self.after.is_empty() {
            return;
        }
        let d = self.dimension();
        let (x, eta) = self.states[k * d..(k + 1) * d].split_at(self.model.form.coordinates.len());
        let at = Point { t, x, eta };
        self.model.compiled.events(at, &self.solution, &mut self.scratch, &mut self.after);
    }

    fn explain(&self, failure: &Failure, k: usize) -> Box<Diagnostic> {
        let d = self.dimension();
        let (x, eta) = self.states[k * d..(k + 1) * d].split_at(self.model.form.coordinates.len());
        Box::new(explain::of_motion(failure, &self.model, &State::new(self.t, x, eta), self.dt))
    }
}

/// Events of a step that the driver made.
struct Heard<'m> {
    model: &'m Workspace,
    events: Vec<EventRecord>,
}

impl Observer for Heard<'_> {
    fn row(&mut self, row: Row<'_>) {
        if let Some(EventHit { index, t, rising }) = row.event {
            let name = self.model.system.experiment.events[index].name.clone();
            let state = Some(State::new(row.t, row.x, row.eta));
            self.events.push(EventRecord { name, t, rising, state });
        }
    }

    fn contact(&mut self, t: f64, change: ContactChange) {
        let name = &self.model.system.contacts[change.contact].name;
        let what = if change.sticks { "sticks" } else { "slides" };
        let (name, rising) = (format!("{name} {what}"), !change.sticks);
        self.events.push(EventRecord { name, t, rising, state: None });
    }

    fn saturation(&mut self, t: f64, input: usize, at_bound: bool) {
        let name = self.model.input_names().get(input).cloned().unwrap_or_default();
        let what = if at_bound { "saturates" } else { "recovers" };
        self.events.push(EventRecord { name: format!("{name} {what}"), t, rising: at_bound, state: None });
    }
}
