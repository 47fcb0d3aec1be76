//! A model opened for work: expressions may be made in it, programs added to it, parameters given other values.
//!
//! [`Model`](crate::Model) shares one that nothing changes; every question is asked of a copy.

use crate::compile::{Compiled, has_recursion, parameter_values};
use crate::derive::{derive, derive_besides_bodies};
use crate::elaborate::{MAX_DENSE, Overrides, read};
use crate::kernel_form::KernelForm;
use crate::system::System;
use dalembert_expr::Expr;
use dalembert_run::{State, Terms};
use dalembert_syntax::diagnostic::{Code, Diagnostic, Diagnostics, any_error};
use dalembert_syntax::source::Source;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Speeds and rows up to which M and A are given in full, whatever the layout they are computed in.
pub(crate) const WRITTEN_OUT: usize = 500;
/// Speeds up to which the equations of models with bodies are derived in symbols at once.
const SMALL: usize = 3;

/// A model of one's own: its system with the pool of its expressions, its equations and their compiled form.
///
/// ```
/// use dalembert::{Model, Source, hamilton::Canonical};
/// let text = "coordinate x\nkinetic x'^2/2\npotential x^4";
/// let model = Model::load(&Source::new("spring.dal", text), &Default::default())?;
/// let mut work = model.workspace();
/// let canonical = Canonical::of(&mut work)?; // expressions in the pool of this workspace
/// assert!(work.system.pool.depends_on(canonical.hamiltonian, &work.form.coordinates));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Workspace {
    /// What the model says.
    pub system: System,
    /// Its equations of motion.
    pub form: KernelForm,
    /// The equations as programs over floating-point numbers.
    pub compiled: Compiled,
    /// Warnings and notes from reading it.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether its equations are still to be compared with a second derivation before they are used. Copies share the answer.
    unchecked: Arc<AtomicBool>,
    /// What it was read from.
    origin: Option<Arc<(Source, Overrides)>>,
    /// What its start is found by where it says by `cut` where loops are cut, once it has been asked for.
    pub(crate) own_cuts: Option<Box<OwnCuts>>,
}

/// The model without `cut`, kept from one start to the next (`start/own_cuts.rs`).
#[derive(Clone)]
pub(crate) struct OwnCuts {
    /// Names of values that are given from outside: their joints are not cut.
    pub given: Vec<String>,
    /// That model, and there the values of the state's names here; `None` where a body would not be free that is free
    /// here.
    pub other: Option<(Workspace, Vec<Expr>)>,
}

/// Everything at one state.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Evaluation {
    /// The state.
    pub state: State,
    /// x', M, Q, A, b; by entries beyond [`WRITTEN_OUT`] speeds or rows.
    pub terms: Terms,
    /// Accelerations, forces, multipliers, rank.
    pub solution: dalembert_run::Solution,
    /// Residual of each row: position level where the row is holonomic, else velocity level.
    pub residuals: Vec<f64>,
    /// Values of the model's outputs.
    pub outputs: Vec<f64>,
    /// Energy, where it is known.
    pub energy: Option<f64>,
    /// Whether each contact with friction sticks.
    pub sticks: Vec<bool>,
}

impl Workspace {
    /// Reads, derives and compiles a model. On error: everything that is wrong with it.
    pub fn load(source: &Source, overrides: &Overrides) -> Result<Workspace, Diagnostics> {
        match read(source, overrides) {
            (Some(system), diagnostics) => Ok(Workspace {
                origin: Some(Arc::new((source.clone(), overrides.clone()))),
                ..Workspace::of(system, diagnostics)?
            }),
            (None, diagnostics) => Err(diagnostics.into()),
        }
    }

    /// The system once more with the points at which its forces act ([`System::placed`]), in expressions of its own;
    /// `None` for a system that does not come from a text.
    pub fn free_body_diagram(&self) -> Option<System> {
        let (source, overrides) = self.origin()?;
        let (ast, _) = dalembert_syntax::parse(source);
        crate::elaborate::with_places(&ast, overrides)
    }

    /// What it was read from, if from a text.
    pub(crate) fn origin(&self) -> Option<(&Source, &Overrides)> {
        self.origin.as_deref().map(|(source, overrides)| (source, overrides))
    }

    /// Derives and compiles a system; `diagnostics` is what has been said about it so far.
    pub fn of(mut system: System, mut diagnostics: Vec<Diagnostic>) -> Result<Workspace, Diagnostics> {
        let parameters = parameter_values(&mut system);
        for (p, v) in system.parameters.iter().zip(&parameters) {
            if !v.is_finite() {
                let message = format!("the parameter `{}` has no finite value", p.name);
                diagnostics.push(
                    Diagnostic::error(Code::NotFinite, p.span, message)
                        .help("look for a division by zero, or a root or logarithm of a negative number"),
                );
            }
        }
        if any_error(&diagnostics) {
            return Err(diagnostics.into());
        }
        // Small systems are cheap in symbols, and friction asks them what presses where that is not stated.
        let presses_are_known = system.contacts.iter().all(|contact| contact.normal.is_some());
        let is_deferred =
            system.frame.speeds.len() > SMALL && presses_are_known && has_recursion(&mut system);
        if !is_deferred || system.events_read_energies() {
            system.write_body_energies();
        }
        let derived = if is_deferred { derive_besides_bodies(&mut system) } else { derive(&mut system) };
        let form = match derived {
            Ok(form) => form,
            Err(diagnostic) => {
                diagnostics.push(*diagnostic);
                return Err(diagnostics.into());
            }
        };
        let compiled = Compiled::without_contacts(&mut system, &form, parameters);
        let mut model = Workspace {
            system,
            form,
            compiled,
            diagnostics,
            unchecked: Arc::new(AtomicBool::new(true)),
            origin: None,
            own_cuts: None,
        };
        model.check_coefficients();
        if any_error(&model.diagnostics) {
            return Err(model.diagnostics.into());
        }
        if !model.form.invariants.is_empty() {
            // What is wrong with the start is said where it is used; what is changed in it, here.
            let _ = model.start();
        }
        model.compile_contacts();
        if let Err(diagnostic) = model.check_sparse() {
            return Err(model.diagnostics.into_iter().chain([*diagnostic]).collect::<Vec<_>>().into());
        }
        match model.check_memory() {
            Ok(()) => Ok(model),
            Err(diagnostic) => {
                Err(model.diagnostics.into_iter().chain([*diagnostic]).collect::<Vec<_>>().into())
            }
        }
    }

    /// M, Q and momenta in symbols, where loading the model has left them for later.
    pub fn derive_symbols(&mut self) -> Result<(), Box<Diagnostic>> {
        self.system.write_body_energies();
        if self.form.is_deferred {
            let whole = derive(&mut self.system)?;
            // Rows and contacts may have been changed since.
            let form = &mut self.form;
            (form.mass_matrix, form.force, form.momenta) = (whole.mass_matrix, whole.force, whole.momenta);
            form.is_deferred = false;
        }
        Ok(())
    }

    /// A system whose equations are known, to be compared with another: nothing is said about it, nothing checked.
    pub(crate) fn bare(system: System, form: KernelForm, compiled: Compiled) -> Workspace {
        let unchecked = Arc::new(AtomicBool::new(false));
        Workspace { system, form, compiled, diagnostics: Vec::new(), unchecked, origin: None, own_cuts: None }
    }

    /// Events that would change the state end the motion instead.
    pub(crate) fn stop_at_jumps(&mut self) {
        for event in &mut self.system.experiment.events {
            event.stop |= !event.actions.is_empty();
            event.actions.clear();
        }
        self.compiled.forget_actions();
    }

    /// Leaves out the comparison of the equations with a second derivation, here and in copies made from now on.
    pub(crate) fn skip_self_check(&mut self) {
        self.unchecked = Arc::new(AtomicBool::new(false));
    }

    /// [`Workspace::self_check`] unless it has been passed, or is not wanted.
    pub fn check_once(&mut self, state: &State) -> Result<(), Box<Diagnostic>> {
        if self.unchecked.load(Ordering::Relaxed) {
            self.self_check(state)?;
            self.unchecked.store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    /// What an exhausted pool returns means nothing, so nothing is said from it.
    pub fn check_memory(&self) -> Result<(), Box<Diagnostic>> {
        if !self.system.pool.exhausted() {
            return Ok(());
        }
        let d = Diagnostic::error(
            Code::TooLarge,
            None,
            "the equations of this model outgrow the memory they may use",
        );
        Err(Box::new(d.help("use smaller families, or coordinates in which the energies are shorter")))
    }

    /// A system too large for matrices written out must be sparse.
    fn check_sparse(&self) -> Result<(), Box<Diagnostic>> {
        let (n, m) = (self.form.speeds.len(), self.system.constraints.rows.len());
        if n.max(m) <= MAX_DENSE || self.compiled.sparsity().is_some() {
            return Ok(());
        }
        let message =
            format!("{n} speeds and {m} constraint rows are too many: nearly all depend on each other");
        let d = Diagnostic::error(Code::TooLarge, None, message);
        Err(Box::new(d.help(format!(
            "beyond {MAX_DENSE} each speed must have inertia, and speeds and rows may be coupled with few others"
        ))))
    }

    /// Refuses what needs matrices written out, for a system too large for it.
    pub(crate) fn require_dense(&self, what: &str) -> Result<(), Box<Diagnostic>> {
        let (n, m) = (self.form.speeds.len(), self.system.constraints.rows.len());
        if n.max(m).max(self.form.coordinates.len()) <= MAX_DENSE {
            return Ok(());
        }
        let message =
            format!("{what} takes matrices in full, and {n} speeds with {m} constraint rows are too many");
        let d = Diagnostic::error(Code::TooLarge, None, message);
        Err(Box::new(d.help(format!("up to {MAX_DENSE} of each; use smaller families"))))
    }
}
