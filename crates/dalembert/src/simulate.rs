//! The motion of a model: what was asked, the table of results, and how well it went.

mod finite;
mod options;
mod record;
mod tables_left;
mod variables;

use crate::compile::{CodeStats, Compiled};
use crate::energy_balance::Balance;
use crate::explain;
use crate::formalism::lagrangian::lagrangian_of;
use crate::formalism::poincare::dot;
use crate::parameters::Target;
use crate::sensitivity::Varied;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool, Symbol};
use dalembert_run::{
    Adjoint, Controller, Counters, Dynamics, Flow, Follower, Method, NotDifferentiable, Outcome, Pulled,
    RowWeights, Sensitivities, StartDirection, State, Stop, independent_rows, integrate_followed,
};
use dalembert_syntax::diagnostic::{Code, Diagnostic, nearest};
pub use finite::NotFinite;
pub(crate) use finite::judge;
pub use options::Resolved;
use record::Recorder;
pub use record::{KINDS, forces_of};
pub use variables::MotionForm;
use variables::Variables;

/// What a requirement without `decay` may be off by at the start, relative to its own terms and the coordinates in it.
const MET: f64 = 1e-6;

/// What was found out about a complete integral.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified {
    /// The residual vanishes identically, by exact arithmetic at random points.
    pub proved: bool,
    /// Largest residual at points in floating point, relative to its terms.
    pub worst: f64,
    /// How many points there were.
    pub points: usize,
    /// Rank of X_q dS/da_p along the constraints: the degrees of freedom.
    pub rank: usize,
    /// The constants, by place, that tell motions apart, as many as the rank; others, up to the number of coordinates, may have any
    /// value (P12).
    pub free: Vec<usize>,
}

/// What a complete integral says about a motion.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct IntegralReport {
    /// How H8 was verified.
    pub verified: Verified,
    /// The constants by name, at the start: a.
    pub constants: Vec<(String, f64)>,
    /// dS/da, constant too.
    pub b: Vec<f64>,
    /// Largest difference of a coordinate or speed from the integrated motion, relative to its size.
    pub difference: f64,
    /// How often S jumped along the motion.
    pub cuts: usize,
}

/// What to do; what is left out comes from the model's `simulate` statement, then from defaults.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Last time.
    pub until: Option<f64>,
    /// Spacing of the rows.
    pub every: Option<f64>,
    /// Step of methods whose steps are of fixed size; otherwise the spacing of the rows.
    pub step: Option<f64>,
    /// Rows at just these times (besides start and end) instead.
    pub times: Option<Vec<f64>>,
    /// Integrator, by name.
    pub method: Option<String>,
    /// Relative tolerance.
    pub rtol: Option<f64>,
    /// Absolute tolerance.
    pub atol: Option<f64>,
    /// Stabilisation by Baumgarte in place of projection: velocity and position gain.
    pub baumgarte: Option<(f64, f64)>,
    /// Budget of steps.
    pub max_steps: Option<usize>,
    /// The run ends with an error at so many events; 1,000,000 otherwise.
    pub max_events: Option<usize>,
    /// Starting state with its time, if not the model's at t = 0; see [`Workspace::start_at`].
    pub start: Option<State>,
    /// Parameters of the simulated system where they differ from those the controller believes in; in the units of the
    /// file, the name of a family for all its members.
    pub plant: Vec<(String, f64)>,
    /// Control is computed every so often and held in between.
    pub hold: Option<f64>,
    /// Integrate the work of each class of forces; by default where forces besides impressed and ideal ones act.
    pub balance: Option<bool>,
    /// The equations that are integrated.
    pub form: MotionForm,
    /// M_a of Suslov's form at the start, by name (`M_rod`); 0 otherwise. The motion does not depend on it (H6).
    pub multipliers: Vec<(String, f64)>,
    /// Interpret the tapes instead of running native code: slow, and the judge of the fast ways.
    pub interpret: bool,
    /// Fold the values of the parameters into the tapes of this run: fewer operations, the same terms to the bit.
    pub fold: bool,
    /// Integrate the Lagrangian along the motion.
    pub action: bool,
    /// Keep the forces at each row, as an animation shows them.
    pub forces: bool,
    /// Derivatives of every column by these: parameters as `m`, starting values as `theta(0)` and `x'(0)`.
    pub sensitivity: Vec<String>,
}

/// A table of results with names.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// `t`, coordinates, speeds, momenta and multipliers of the form that was integrated, outputs.
    pub columns: Vec<String>,
    /// Row after row.
    pub values: Vec<f64>,
}

impl Table {
    /// The rows.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks(self.columns.len().max(1))
    }

    /// One row.
    pub fn row(&self, k: usize) -> &[f64] {
        &self.values[k * self.columns.len()..(k + 1) * self.columns.len()]
    }

    /// One column by name.
    pub fn column(&self, name: &str) -> Option<Vec<f64>> {
        let k = self.columns.iter().position(|c| c == name)?;
        Some(self.rows().map(|row| row[k]).collect())
    }
}

/// An event that was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EventRecord {
    /// Its name.
    pub name: String,
    /// When.
    pub t: f64,
    /// Whether its function rises there.
    pub rising: bool,
    /// The state there; of a contact that begins to stick or to slide only the time is known.
    pub state: Option<State>,
}

/// A computed motion. On failure the table holds what was computed before it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Motion {
    /// The results.
    pub table: Table,
    /// Events, in the order of time.
    pub events: Vec<EventRecord>,
    /// How the run ended.
    pub outcome: Outcome,
    /// The integrator used.
    pub method: Method,
    /// Energy at the start and its largest deviation from that in the table, where the model has an energy.
    pub energy: Option<(f64, f64)>,
    /// Energy at the end less that at the start.
    pub energy_change: Option<f64>,
    /// What accounts for it, where that was integrated and the model has an energy.
    pub balance: Option<Balance>,
    /// Integral of L over the motion, where it was asked for.
    pub action: Option<f64>,
    /// Integral of p dq (P11), where it was asked for and the frame does not drift.
    pub abbreviated_action: Option<f64>,
    /// What the complete integral says, where the motion was found from it.
    pub integral: Option<IntegralReport>,
    /// What the code it ran on was like; `None` where tapes were interpreted.
    pub code: Option<CodeStats>,
    /// Where asked for, the impressed, ideal, non-ideal and control force on each speed, row after row of the table.
    pub forces: Vec<f64>,
    /// Values of the parameters of the system that moved.
    pub parameters: Vec<f64>,
    /// Evaluations of the equations of the sensitivities, each for all directions.
    pub sensitivity_evaluations: usize,
    /// Why it ended early, if it did; or why its last state is not to be trusted.
    pub failure: Option<Diagnostic>,
    /// What else is to be said about it.
    pub warnings: Vec<Diagnostic>,
}

impl Motion {
    /// Work done.
    pub fn counters(&self) -> Counters {
        self.outcome.counters
    }
}

/// A number of the motion that is differentiated by a sweep backwards.
pub(crate) struct Sweep<'a> {
    pub varied: &'a [Varied],
    /// Rows that it reads.
    pub times: Vec<f64>,
    /// Whether it reads outputs.
    pub outputs: bool,
    /// What it makes of the row at a time.
    pub weights: &'a dyn Fn(f64, &Table) -> Option<RowWeights>,
}

/// What the sweep has found.
pub(crate) struct Swept {
    pub pulled: Result<Pulled, NotDifferentiable>,
    pub directions: Vec<StartDirection>,
}

/// A run.
pub(crate) enum Ran {
    Motion(Box<Motion>, Option<Swept>),
    /// There is no sweep: the acceleration is not one program.
    NoProgram,
}

impl Workspace {
    /// Computes the motion, and sweeps back.
    pub(crate) fn simulate_swept(
        &mut self,
        request: &Request,
        sweep: &Sweep<'_>,
    ) -> Result<Ran, Box<Diagnostic>> {
        variables::check(self, request)?;
        let names = sweep.varied.iter().map(|v| v.name.clone()).collect();
        self.check_sensitivity(&Request { sensitivity: names, ..request.clone() })?;
        if request.interpret {
            return Ok(Ran::NoProgram);
        }
        self.prepare(request)?;
        self.run(request, None, |_| Flow::Continue, Some(sweep))
    }

    /// Computes the motion. `progress` is told the time reached and may stop the run.
    pub fn simulate(
        &mut self,
        request: &Request,
        progress: impl FnMut(f64) -> Flow,
    ) -> Result<Motion, Box<Diagnostic>> {
        variables::check(self, request)?;
        if request.form == MotionForm::HamiltonJacobi {
            return self.jacobi_motion(request);
        }
        self.check_sensitivity(request)?;
        self.prepare(request)?;
        if request.plant.is_empty() && !request.fold {
            return self.run_alone(request, None, progress);
        }
        // The simulated system is another one; the controller keeps the model as it is written.
        let mut plant = self.clone();
        let planted = !request.plant.is_empty();
        if planted {
            plant.compiled = self.plant(&request.plant)?;
        }
        if request.fold {
            plant.compiled.fold_parameters();
            if !request.interpret {
                plant.compiled.compile_native(&mut plant.system, &plant.form);
            }
        }
        plant.run_alone(request, planted.then_some(&self.compiled), progress)
    }

    fn run_alone(
        &mut self,
        request: &Request,
        controller: Option<&Compiled>,
        progress: impl FnMut(f64) -> Flow,
    ) -> Result<Motion, Box<Diagnostic>> {
        match self.run(request, controller, progress, None)? {
            Ran::Motion(motion, _) => Ok(*motion),
            Ran::NoProgram => {
                Err(Box::new(Diagnostic::error(Code::Internal, None, "a run without a sweep has none")))
            }
        }
    }

    /// Derivatives and powers, where the run needs them.
    pub(crate) fn prepare(&mut self, request: &Request) -> Result<(), Box<Diagnostic>> {
        let method = self.options(request)?.options.method;
        variables::check(self, request)?;
        if method == Method::Radau {
            self.require_dense("an implicit method")?;
        }
        if request.form != MotionForm::Explicit {
            self.require_dense("this form")?;
        }
        if method == Method::Radau {
            self.derive_symbols()?;
            self.compiled.with_partials(&mut self.system, &self.form);
        }
        if method.is_variational() {
            variables::check_variational(self, request, method)?;
            self.make_variation(&format!("`{method}`"))?;
        }
        let actions = if request.action { self.action_rates()? } else { Vec::new() };
        let s = &self.system;
        let acting = s.experiment.events.iter().any(|event| !event.actions.is_empty());
        let working = s.constraints.nonideal.is_some()
            || !s.contacts.is_empty()
            || !s.control.rows.is_empty()
            || acting;
        if request.balance.unwrap_or(working) || Compiled::outputs_need_work(&mut self.system) {
            self.derive_symbols()?;
            self.compiled.with_quadratures(&mut self.system, &self.form, true, &actions);
        } else {
            self.compiled.with_quadratures(&mut self.system, &self.form, false, &actions);
        }
        if !request.interpret {
            self.compiled.compile_native(&mut self.system, &self.form);
        }
        self.check_memory()
    }

    /// What is integrated for the actions: L, and y eta where x' has no part without speeds.
    fn action_rates(&mut self) -> Result<Vec<Expr>, Box<Diagnostic>> {
        let L = lagrangian_of(self)?;
        let zeros: Vec<(Symbol, Expr)> = self.form.speeds.iter().map(|s| (*s, Pool::ZERO)).collect();
        let pool = &mut self.system.pool;
        let drift = pool.substitute(&self.form.x_dot, &zeros);
        if drift.iter().any(|e| *e != Pool::ZERO) {
            return Ok(vec![L]);
        }
        let eta: Vec<Expr> = self.form.speeds.iter().map(|s| pool.var(*s)).collect();
        Ok(vec![L, dot(pool, &self.form.momenta, &eta)])
    }

    /// The system with other values of some parameters; those defined from them follow.
    fn plant(&mut self, changes: &[(String, f64)]) -> Result<Compiled, Box<Diagnostic>> {
        let refuse = |message: String, help: String| {
            Box::new(Diagnostic::error(Code::BadOption, None, message).help(help))
        };
        if self.system.control.rows.is_empty() {
            let message =
                "the model has no controller whose parameters could differ from the system's".to_owned();
            return Err(refuse(
                message,
                "change parameters with `--set`, or require something with `require`".into(),
            ));
        }
        let names: Vec<String> = self.system.parameters.iter().map(|p| p.name.clone()).collect();
        let mut given = vec![None; names.len()];
        for (name, value) in changes {
            match self.target(name) {
                Some(Target::Parameters(places)) => {
                    let size = |k: usize| self.system.parameters[k].unit_size;
                    places.iter().for_each(|k| given[*k] = Some(value * size(*k)));
                }
                _ => {
                    let near = nearest(name, names.iter().map(String::as_str));
                    let help = near.map_or(format!("its parameters are: {}", names.join(", ")), |near| {
                        format!("did you mean `{near}`?")
                    });
                    return Err(refuse(format!("the model has no parameter `{name}`"), help));
                }
            }
        }
        let values = crate::compile::parameter_values_with(&mut self.system, &given);
        match values.iter().position(|v| !v.is_finite()) {
            Some(k) => Err(refuse(
                format!("the parameter `{}` of the plant has no finite value", names[k]),
                "change what it is computed from".into(),
            )),
            None => Ok(self.compiled.with_parameters(values)),
        }
    }

    fn run(
        &mut self,
        request: &Request,
        controller: Option<&Compiled>,
        mut progress: impl FnMut(f64) -> Flow,
        sweep: Option<&Sweep<'_>>,
    ) -> Result<Ran, Box<Diagnostic>> {
        let options = self.options(request)?;
        let start = match &request.start {
            Some(state) => state.clone(),
            None => self.start()?.state,
        };
        self.check_once(&start)?;
        // A start given from outside may be anywhere; what the model finds has been judged.
        let mut warnings: Vec<Diagnostic> =
            self.judge_rows(&start, Code::InconsistentStart, false, false).into_iter().collect();
        let sizes = self.requirement_sizes(&start);
        self.check_requirements(controller.unwrap_or(&self.compiled), &start, &sizes)?;
        if !request.interpret {
            self.select_rows(&start);
        }
        let variables = Variables::new(self, request)?;
        let outset = variables.momenta_of(&start)?;
        let mut columns = vec!["t".to_owned()];
        columns.extend(self.system.table_names().into_iter().map(str::to_owned));
        columns.extend(self.form_columns(request.form));
        columns.extend(self.system.experiment.outputs.iter().map(|o| o.name.clone()));
        let varied = self.varied(&request.sensitivity)?;
        let own = columns.len();
        for v in &varied {
            columns.extend((1..own).map(|k| format!("d({})/d({})", columns[k], v.name)).collect::<Vec<_>>());
        }
        let wanted = sweep.map_or(varied.as_slice(), |sweep| sweep.varied);
        let directions = match wanted.is_empty() && sweep.is_none() {
            true => Vec::new(),
            false => {
                self.prepare_derivatives()?;
                self.directions(wanted, &start, request.start.is_some())?
            }
        };
        let sizes: Vec<f64> = varied.iter().map(|v| self.varied_size(v, &start)).collect();
        let works = Compiled::outputs_need_work(&mut self.system);
        let mut follower = (!varied.is_empty()).then(|| {
            let integrals = if works { self.compiled.shape().n_quadrature } else { 0 };
            let starts: Vec<Vec<f64>> =
                directions.iter().map(|d| d.x.iter().chain(&d.eta).copied().collect()).collect();
            let parameters = directions.iter().map(|d| d.parameters.clone()).collect();
            let outputs = !self.system.experiment.outputs.is_empty();
            let how = (options.options.rtol, outputs, integrals);
            Sensitivities::new(&self.compiled, &starts, parameters, sizes, how)
        });
        let mut adjoint = match sweep {
            None => None,
            Some(sweep) => {
                let parameters: Vec<Vec<f64>> = directions.iter().map(|d| d.parameters.clone()).collect();
                let how = (options.options.rtol, sweep.outputs);
                match Adjoint::new(&self.compiled, &parameters, sweep.times.clone(), how) {
                    None => return Ok(Ran::NoProgram),
                    found => found,
                }
            }
        };
        let steering = Controller { model: controller.map(|c| c as &dyn Dynamics), hold: request.hold };
        let recorder = Recorder::new(self, &variables, own, request, &mut progress);
        let mut recorder = recorder.with_sensitivities(varied.len());
        let mut outcome = integrate_followed(
            variables.kernel(&self.compiled),
            &steering,
            &outset,
            options.until,
            &options.options,
            &mut recorder,
            match &mut adjoint {
                Some(adjoint) => Some(adjoint as &mut dyn Follower),
                None => follower.as_mut().map(|f| f as &mut dyn Follower),
            },
        );
        let sensitivity_evaluations = follower.map_or(0, |f| f.evaluations());
        let Recorder {
            saturated,
            values,
            events,
            energies,
            jumped,
            trouble,
            integrals,
            residuals,
            forces,
            ..
        } = recorder;
        let table = Table { columns, values };
        let swept = adjoint.zip(sweep).map(|(adjoint, sweep)| Swept {
            pulled: adjoint.sweep(|t| (sweep.weights)(t, &table)),
            directions,
        });
        if let Some(residuals) = residuals {
            outcome.largest_position_residual = residuals.position;
            outcome.largest_velocity_residual = residuals.velocity;
            outcome.generic_rank = self.system.constraints.rows.len(); // the form asks for independent rows
        }
        outcome.state = variables.speeds_of(&outcome.state);
        let failure = match &outcome.stop {
            Stop::Failed(reason) => Some(
                variables
                    .branch_lost(reason)
                    .unwrap_or_else(|| explain::of_motion(reason, self, &start, options.until - start.t)),
            ),
            _ => trouble,
        };
        let failure = failure.or_else(|| {
            let kept = request.baumgarte.is_none() && !options.options.method.has_fixed_step();
            let from_momenta = !matches!(variables, Variables::Speeds);
            let d = self.judge_rows(&outcome.state, Code::ConstraintDrift, kept, from_momenta)?;
            if d.is_error() {
                return Some(d.help("what was computed is kept; a smaller tolerance or another formulation of the constraint may help"));
            }
            warnings.push(d);
            None
        });
        warnings.extend(saturated.map(|(t, input)| self.saturated(t, input)));
        // They are the last of what was integrated along.
        let wanted = if request.action { self.action_rates()?.len() } else { 0 };
        let actions = integrals[integrals.len().saturating_sub(wanted)..].to_vec();
        let first = energies.first().copied();
        let energy = first.map(|e0| (e0, energies.iter().fold(0.0f64, |m, e| m.max((e - e0).abs()))));
        let energy_change = first.zip(energies.last()).map(|(e0, e1)| e1 - e0);
        let method = options.options.method;
        let code = (!request.interpret).then(|| self.compiled.speed());
        warnings.extend(self.tables_left(&table));
        warnings.extend(self.unique_forces_at(&start));
        let (not_finite, about_outputs) = judge(self, &table);
        warnings.extend(about_outputs);
        let motion = Motion {
            code,
            table,
            events,
            outcome,
            method,
            energy,
            energy_change,
            balance: energy_change.and_then(|change| Balance::new(change, jumped, &integrals)),
            integral: None,
            action: actions.first().copied(),
            abbreviated_action: actions.get(1).copied(),
            forces: forces.unwrap_or_default(),
            sensitivity_evaluations,
            parameters: self.compiled.parameters().to_vec(),
            failure: failure.or(not_finite),
            warnings,
        };
        Ok(Ran::Motion(Box::new(motion), swept))
    }

    /// What is to be said where control reaches its bounds.
    fn saturated(&self, t: f64, input: usize) -> Diagnostic {
        let name = self.input_names().get(input).cloned().unwrap_or_default();
        let message =
            format!("the control force `{name}` reaches its bound at t = {}", crate::number::short(t));
        let span = self.system.control.rows.first().map(|row| row.span);
        let d = Diagnostic::warning(Code::ControlSaturated, span, message);
        d.help("requirements are met as far as the bounds allow from there on; the events say how long")
    }

    /// The names of the control inputs.
    pub fn input_names(&self) -> Vec<String> {
        match &self.system.control.actuators {
            Some(list) => list.iter().map(|(name, _)| name.clone()).collect(),
            None => self.system.frame.speeds.iter().map(|s| s.name.clone()).collect(),
        }
    }

    /// Options that sensitivities do not go with.
    fn check_sensitivity(&self, request: &Request) -> Result<(), Box<Diagnostic>> {
        if request.sensitivity.is_empty() {
            return Ok(());
        }
        let options = [
            (request.form != MotionForm::Explicit, "`--form`"),
            (request.baumgarte.is_some(), "`--baumgarte`"),
            (!request.plant.is_empty(), "`--plant`"),
            (request.hold.is_some(), "`--hold`"),
            (request.fold, "`--fold`"),
        ];
        if let Some((_, option)) = options.iter().find(|(used, _)| *used) {
            let message = format!("sensitivities are not computed together with {option}");
            return Err(Box::new(
                Diagnostic::error(Code::NoSensitivity, None, message).help("leave one of the two out"),
            ));
        }
        self.varied(&request.sensitivity).map(|_| ())
    }

    /// Where the rows are redundant, the fast way solves some that stand for all.
    pub(crate) fn select_rows(&mut self, start: &State) {
        if self.system.constraints.rows.is_empty() {
            return;
        }
        if let Some(rows) = self.independent_rows_at(start) {
            self.compiled.fuse(&mut self.system, &self.form, &rows);
        }
    }

    /// Rows that stand for all at a state: some of a redundant set, otherwise all in their order.
    pub(crate) fn independent_rows_at(&self, at: &State) -> Option<Vec<usize>> {
        let mut rows = independent_rows(&self.compiled, at.point())?;
        if rows.len() == self.system.constraints.rows.len() {
            rows.sort_unstable();
        }
        Some(rows)
    }

    /// Requirements that do not decay must hold at the start.
    fn check_requirements(
        &self,
        controller: &Compiled,
        start: &State,
        sizes: &[Vec<f64>],
    ) -> Result<(), Box<Diagnostic>> {
        let errors = controller.requirement_errors(start.point());
        for ((row, errors), sizes) in self.system.control.rows.iter().zip(errors).zip(sizes) {
            let off = errors.iter().zip(sizes).position(|(e, size)| e.abs() > MET * size);
            let Some(k) = off.filter(|_| row.decay.is_empty()) else { continue };
            let (what, off) = match k {
                0 => (String::new(), errors[k]),
                1 if row.holonomic => ("the rate of ".to_owned(), errors[k]),
                _ => (format!("what the inputs must keep of derivative {k} of "), errors[k]),
            };
            let message = format!(
                "at the start {what}`{}` is off by {}, and no decay is given for it",
                row.name,
                crate::number::short(off.abs())
            );
            let d = Diagnostic::error(Code::RequirementNotMet, row.span, message);
            let help = match (row.holonomic, errors.len()) {
                (true, 2) => "add `decay 2, 1`",
                _ => "add `decay 1`",
            };
            return Err(Box::new(d.help(format!("{help} (or faster), or start where it holds"))));
        }
        Ok(())
    }
}
