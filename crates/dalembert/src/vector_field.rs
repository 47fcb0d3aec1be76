//! The equations of motion as a function: rates of coordinates and speeds, and the forces, at any state.
//!
//! For those who bring their own integrator or ask at many states. The function is immutable and shared by threads; each
//! takes a [`Worker`] with workspaces of its own.
//!
//! ```
//! use dalembert::{Model, Source, vector_field::Rates};
//! let text = "parameter k = 4\ncoordinate x\nkinetic x'^2/2\npotential k*x^2/2";
//! let rates = Rates::new(&Model::load(&Source::new("spring.dal", text), &Default::default()).unwrap()).unwrap();
//! let (mut worker, mut rate) = (rates.worker(), [0.0; 2]);
//! worker.rates(0.0, &[0.5, 3.0], &mut rate).unwrap();
//! assert_eq!(rate, [3.0, -2.0]);
//! ```

use crate::explain;
use crate::model::Model;
use crate::workspace::Workspace;
use dalembert_run::{AccelerationError, Accelerator, Contacts, Dynamics, Point, Solution, Terms, accelerate};
use dalembert_syntax::diagnostic::Diagnostic;

/// A model made fast, to be asked at states.
pub struct Rates {
    model: Workspace,
}

impl Rates {
    /// Native code for the model, and its whole acceleration as one program where it lends itself to it.
    pub fn new(model: impl Into<Model>) -> Result<Rates, Box<Diagnostic>> {
        let mut model = model.into().workspace();
        model.compiled.compile_native(&mut model.system, &model.form);
        model.check_memory()?;
        Ok(Rates { model })
    }

    /// The model.
    pub fn model(&self) -> &Workspace {
        &self.model
    }

    /// How many coordinates and speeds a state has.
    pub fn dimension(&self) -> usize {
        self.model.form.coordinates.len() + self.model.form.speeds.len()
    }

    /// Workspaces for one thread.
    pub fn worker(&self) -> Worker<'_> {
        Worker { rates: self, accelerator: Accelerator::new(&self.model.compiled), solution: None }
    }
}

/// Asks at one state after the other.
pub struct Worker<'r> {
    rates: &'r Rates,
    accelerator: Accelerator,
    /// Of a system with contacts, whose modes are found anew at each state.
    solution: Option<Solution>,
}

impl Worker<'_> {
    /// x' and eta' at the state `y` (coordinates, then speeds), into as many numbers.
    pub fn rates(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<(), Box<Diagnostic>> {
        let compiled = &self.rates.model.compiled;
        let (x, eta) = y.split_at(compiled.shape().n_x);
        let at = Point { t, x, eta };
        let (x_dot, eta_dot) = out.split_at_mut(x.len());
        let solved = if compiled.contacts().is_empty() {
            self.accelerator.rates(compiled, at, x_dot, eta_dot)
        } else {
            // What sticks changes accelerations, not the kinematics.
            accelerate(compiled, at).map(|solution| {
                let mut terms = Terms::of(compiled);
                compiled.terms(at, &mut vec![0.0; compiled.scratch_len()], &mut terms);
                x_dot.copy_from_slice(&terms.x_dot);
                eta_dot.copy_from_slice(&solution.eta_dot);
            })
        };
        solved.map_err(|error| self.explain(&error, at))
    }

    /// Accelerations, forces and multipliers at the state `y`.
    pub fn solve(&mut self, t: f64, y: &[f64]) -> Result<&Solution, Box<Diagnostic>> {
        let compiled = &self.rates.model.compiled;
        let (x, eta) = y.split_at(compiled.shape().n_x);
        let at = Point { t, x, eta };
        if compiled.contacts().is_empty() {
            let solved = self.accelerator.solve(compiled, at).map(|_| ());
            return match solved {
                Ok(()) => Ok(self.accelerator.solution()),
                Err(error) => Err(self.explain(&error, at)),
            };
        }
        match accelerate(compiled, at) {
            Ok(solution) => Ok(self.solution.insert(solution)),
            Err(error) => Err(self.explain(&error, at)),
        }
    }

    /// Mass matrix, force and constraint rows at the state `y` as full matrices (K2, K3): `M eta' = Q`, `A eta' = b`.
    /// Nothing is solved, so a singular mass matrix is an answer too.
    pub fn terms(&mut self, t: f64, y: &[f64]) -> Terms {
        let compiled = &self.rates.model.compiled;
        let (x, eta) = y.split_at(compiled.shape().n_x);
        let mut terms = Terms::of(compiled);
        compiled.terms(Point { t, x, eta }, &mut vec![0.0; compiled.scratch_len()], &mut terms);
        terms.written_out()
    }

    /// The outputs at the state `y`; NaN where one needs accelerations or forces.
    pub fn outputs(&mut self, t: f64, y: &[f64], out: &mut [f64]) {
        let compiled = &self.rates.model.compiled;
        let (x, eta) = y.split_at(compiled.shape().n_x);
        let mut values = vec![0.0; compiled.output_count()];
        compiled.glance(Point { t, x, eta }, &mut vec![0.0; compiled.scratch_len()], &mut values);
        out.iter_mut().zip(values).for_each(|(to, from)| *to = from);
    }

    fn explain(&self, error: &AccelerationError, at: Point<'_>) -> Box<Diagnostic> {
        Box::new(explain::of_acceleration(error, &self.rates.model, Some(at)))
    }
}
