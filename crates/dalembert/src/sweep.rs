//! Many runs of one model over parameters and starting values.
//!
//! A [`Plan`] says what changes from run to run; a [`Sweep`] is the plan made ready for a model. Runs are numbered and
//! made in blocks, on as many threads as wanted; a block's rows depend on its number alone, so neither the number of
//! threads nor the order changes a digit, and blocks that are known already need not be made again. Systems without
//! contacts and control, whose stopping events need the state alone, go through [`dalembert_run::ensemble`], several in
//! the lanes of vector registers; the others, and runs that are difficult, through [`Model::simulate`], one for each
//! thread at a time. No files here.
//!
//! ```
//! use dalembert::{Model, Request, Source, run::Flow};
//! use dalembert::sweep::{Axis, Plan, Sample, Status, Sweep};
//!
//! let text = "parameter k = 1\ncoordinate x\nkinetic x'^2/2\npotential k*x^2/2\ninitial x = 1\noutput E = energy";
//! let model = Model::load(&Source::new("spring.dal", text), &Default::default()).unwrap();
//! let plan = Plan {
//!     vary: vec![Axis::read("k=1..9:5").unwrap()],
//!     sample: vec![Sample::read("x'~uniform(-1,1)").unwrap()],
//!     runs: 10, // at each k
//!     request: Request { until: Some(1.0), ..Request::default() },
//!     ..Plan::default()
//! };
//! let sweep = Sweep::new(&model, plan).unwrap();
//! assert_eq!(sweep.columns(), ["run", "k", "x'(0)", "t", "x", "x'", "E", "energy_change", "residual", "steps", "status"]);
//! let mut seen = 0;
//! sweep.execute(2, 0..sweep.blocks(), &Default::default(), |block| {
//!     for row in &block.rows {
//!         let [k, v0, x] = [row.numbers[1], row.numbers[2], row.numbers[4]];
//!         assert_eq!(row.status, Status::Done);
//!         assert!((x - (k.sqrt().cos() + v0 * k.sqrt().sin() / k.sqrt())).abs() < 1e-8);
//!         seen += 1;
//!     }
//!     Flow::Continue
//! });
//! assert_eq!(seen, 50);
//! ```

mod figures;
mod tally;
mod targets;
mod vary;
mod worker;

pub use figures::{Figure, Statistic};
pub use tally::{Spread, Tally};
pub use vary::{Axis, Distribution, Sample, Values};

use crate::compile::{Compiled, InLanes};
use crate::model::Model;
use crate::simulate::{MotionForm, Request, Resolved, Table};
use crate::workspace::Workspace;
use dalembert_run::ensemble::Ensemble;
use dalembert_run::{Dynamics, Events, Options, Output};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use figures::Kept;
use targets::Targets;

/// Runs of one sweep at most.
#[doc(hidden)]
pub const MAX_RUNS: usize = 1_000_000_000;
/// Runs of a block at most, in lanes and one by one, in sweeps of up to [`MAX_BLOCKS`] blocks.
const MAX_BLOCK: (usize, usize) = (256, 64);
/// Blocks of a sweep, about: a block is a file while the sweep is not complete.
const MAX_BLOCKS: usize = 1 << 16;
/// Numbers of the motions of a block, about.
const MOTION_NUMBERS: f64 = 1e6;

/// What to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// A grid: every combination of these values, the last one changing fastest.
    pub vary: Vec<Axis>,
    /// What is drawn anew for each run.
    pub sample: Vec<Sample>,
    /// Runs at each point of the grid.
    pub runs: usize,
    /// What the draws depend on, besides the number of the run and the name.
    pub seed: u64,
    /// How each run is made; its `start` and `times` are not looked at.
    pub request: Request,
    /// Whether whole motions are wanted, with the spacing of the request.
    pub motions: bool,
    /// Figures of the rows of a run, in place of its end; motions are then not handed out.
    pub keep: Vec<Figure>,
}

impl Default for Plan {
    fn default() -> Self {
        Plan {
            vary: Vec::new(),
            sample: Vec::new(),
            runs: 1,
            seed: 0,
            request: Request::default(),
            motions: false,
            keep: Vec::new(),
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// At its end time.
    Done,
    /// At an event that stops, by name.
    Event(String),
    /// Early, or not at all.
    Failed(Box<Diagnostic>),
}

impl Status {
    /// `done`, `event NAME`, or the code of the failure.
    pub fn text(&self) -> String {
        match self {
            Status::Done => "done".to_owned(),
            Status::Event(name) => format!("event {name}"),
            Status::Failed(diagnostic) => diagnostic.code.id().to_owned(),
        }
    }
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SweepRow {
    /// One number for each column but the last.
    pub numbers: Vec<f64>,
    /// The last column.
    pub status: Status,
}

/// Runs that were made together.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its number.
    pub index: usize,
    /// Its runs, in order.
    pub rows: Vec<SweepRow>,
    /// How many of them went all the way in lanes; the others were made one by one.
    pub in_lanes: usize,
    /// Their motions one after the other, where they are wanted.
    pub motions: Option<Table>,
}

/// A plan made ready for a model.
pub struct Sweep {
    model: Workspace,
    plan: Plan,
    targets: Targets,
    kept: Kept,
    runs: usize,
    block: usize,
    columns: Vec<String>,
    lanes: Option<(Ensemble, InLanes)>,
    /// End time and options, where they are the same for all runs.
    resolved: Resolved,
    /// Whether an output needs more than the state.
    solved_outputs: bool,
}

impl Sweep {
    /// Resolves the names, makes the model fast and chooses the way to run it. Refuses what cannot be swept.
    pub fn new(model: impl Into<Model>, mut plan: Plan) -> Result<Sweep, Box<Diagnostic>> {
        let mut model = model.into().workspace();
        let targets = Targets::new(&model, &plan)?;
        let runs = count(&plan)?;
        let kept = Kept::new(&plan.keep, &motion_columns(&model))?;
        plan.motions |= !kept.is_empty();
        plan.request.start = None;
        plan.request.times = (!plan.motions).then(Vec::new);
        model.prepare(&plan.request)?;
        if let Ok(start) = model.start() {
            model.check_once(&start.state)?;
            if !plan.request.interpret {
                // Most runs will choose the same, and then need not be compiled for.
                model.select_rows(&start.state);
            }
        }
        let resolved = model.options(&plan.request)?;
        let lanes = lanes(&mut model, &plan, &resolved.options);
        let solved_outputs = Compiled::outputs_need_solution(&mut model.system, &model.form);
        let block = block_size(&model, &plan, runs, lanes.is_some(), &resolved);
        let columns = columns(&model, &targets, &kept);
        Ok(Sweep { model, plan, targets, kept, runs, block, columns, lanes, resolved, solved_outputs })
    }

    /// How many runs.
    pub fn runs(&self) -> usize {
        self.runs
    }

    /// How many blocks.
    pub fn blocks(&self) -> usize {
        self.runs.div_ceil(self.block)
    }

    /// The runs of a block.
    pub fn runs_of(&self, block: usize) -> std::ops::Range<usize> {
        let first = block.saturating_mul(self.block).min(self.runs);
        first..(first + self.block).min(self.runs)
    }

    /// The number of the run, what was varied and drawn, `t`, the state and the outputs at the end (or the figures that
    /// are kept in their place), `energy_change`, `residual` (the largest scaled one of the constraints), `steps`, `status`.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The units of columns of the results or of motions: that of the file for varied parameters, SI for all others.
    pub fn units_of(&self, columns: &[String]) -> Vec<Option<String>> {
        let system = &self.model.system;
        let unit = |name: &String| {
            let parameter = system.parameters.iter().find(|p| p.name == *name);
            // `x(0)` of a starting value, `max(x)` of a figure.
            let inner = name
                .strip_suffix("(0)")
                .or_else(|| name.strip_suffix(')')?.split_once('(').map(|(_, of)| of));
            match (name.as_str(), parameter) {
                ("energy_change", _) => system.unit_of_energy(),
                (_, Some(parameter)) => parameter.file_unit(),
                (_, None) => system.unit_of_column(name).or_else(|| system.unit_of_column(inner?)),
            }
        };
        columns.iter().map(unit).collect()
    }

    /// Names of the outputs, or of the figures where these are kept, and their first column.
    pub fn outputs(&self) -> (usize, Vec<&str>) {
        let names: Vec<&str> = match self.kept.is_empty() {
            true => self.model.system.experiment.outputs.iter().map(|o| o.name.as_str()).collect(),
            false => self.kept.names().collect(),
        };
        (self.columns.len() - 4 - names.len(), names)
    }

    /// Whether several runs go in the lanes of vector registers.
    pub fn in_lanes(&self) -> bool {
        self.lanes.is_some()
    }

    /// How many numbers all results take at most, with the motions if they are wanted.
    pub fn numbers(&self) -> f64 {
        let rows = match self.resolved.options.output {
            Output::Every(dt) if self.plan.motions && self.kept.is_empty() => self.resolved.until / dt + 2.0,
            _ => 0.0,
        };
        let width = 2 + self.model.state_names().len() + self.model.system.experiment.outputs.len();
        self.runs as f64 * (self.columns.len() as f64 + rows * width as f64)
    }

    /// What is varied and drawn in a run, in the units they were given in.
    pub fn values(&self, run: usize) -> Vec<f64> {
        let mut point = run / self.plan.runs;
        let mut values: Vec<f64> = Vec::with_capacity(self.plan.vary.len() + self.plan.sample.len());
        for axis in self.plan.vary.iter().rev() {
            values.push(axis.at(point % axis.len()));
            point /= axis.len();
        }
        values.reverse();
        values.extend(self.plan.sample.iter().map(|s| s.at(self.plan.seed, run)));
        values
    }
}

fn count(plan: &Plan) -> Result<usize, Box<Diagnostic>> {
    let refuse = |message: String, help: &str| {
        Err(Box::new(Diagnostic::error(Code::BadOption, None, message).help(help)))
    };
    if plan.vary.is_empty() && plan.sample.is_empty() {
        return refuse(
            "nothing changes from run to run".into(),
            "give `--vary m=1..2:10` or `--sample x~normal(0,1)`",
        );
    }
    if plan.sample.is_empty() && plan.runs > 1 {
        let message = format!("{} runs at each point would all be the same", plan.runs);
        return refuse(message, "draw something with `--sample`, or leave `--runs` out");
    }
    let mut lengths = plan.vary.iter().map(Axis::len).chain([plan.runs]);
    let total = lengths.try_fold(1usize, |product, n| product.checked_mul(n));
    match total {
        Some(0) => refuse("no runs are asked for".into(), "give `--runs 1` or more"),
        Some(total) if total <= MAX_RUNS => Ok(total),
        _ => refuse(format!("that would be more than {MAX_RUNS} runs"), "take fewer values"),
    }
}

/// The way through lanes, for systems and options that lend themselves to it.
fn lanes(model: &mut Workspace, plan: &Plan, options: &Options) -> Option<(Ensemble, InLanes)> {
    let request = &plan.request;
    let output = if plan.motions { options.output.clone() } else { Output::Ends };
    let shape = model.compiled.shape();
    let asked = request.form == MotionForm::Explicit && request.plant.is_empty() && request.hold.is_none();
    // The ordinary driver judges the switches of constraints, ends steps at those of time, and does what events do.
    let acting = !model.compiled.actions().is_empty()
        || model.system.constraints.rows.iter().any(|row| row.on_accelerations);
    if shape.n_quadrature + shape.n_switch + shape.n_time_switch > 0 || acting || !asked {
        return None;
    }
    let mut rows = Vec::new();
    if shape.n_con > 0 {
        let start = model.start().ok()?.state;
        let kept = options.projection && options.singular_care && options.baumgarte.is_none();
        rows = model.independent_rows_at(&start).filter(|_| kept)?;
    }
    if shape.n_con + shape.n_invariant > 0 {
        model.derive_symbols().ok()?; // the way back to the constraints is by M in symbols
    }
    let programs = InLanes::new(&mut model.system, &model.form, &model.compiled, rows)?;
    // Events that do not stop leave no trace in a row.
    let events = options.events.iter().copied().filter(|event| event.stop).collect();
    let options = Options { events, output, ..options.clone() };
    Some((Ensemble::new(programs.kernel(), &options)?, programs))
}

fn block_size(model: &Workspace, plan: &Plan, runs: usize, in_lanes: bool, resolved: &Resolved) -> usize {
    let motion = match resolved.options.output {
        Output::Every(dt) if plan.motions => resolved.until / dt * model.state_names().len() as f64,
        _ => 0.0,
    };
    let most = (MOTION_NUMBERS / motion.max(1.0)) as usize;
    if in_lanes {
        // Whole groups of lanes, and enough blocks for all threads.
        return (runs / 64).min(most).clamp(4, MAX_BLOCK.0.max(runs / MAX_BLOCKS)).next_multiple_of(4);
    }
    (runs / 1000).clamp(1, most.clamp(1, MAX_BLOCK.1.max(runs / MAX_BLOCKS)))
}

/// Columns of the rows of one run: `t`, the state, the outputs.
fn motion_columns(model: &Workspace) -> Vec<String> {
    let mut columns = vec!["t".to_owned()];
    columns.extend(model.system.table_names().into_iter().map(str::to_owned));
    columns.extend(model.system.experiment.outputs.iter().map(|o| o.name.clone()));
    columns
}

fn columns(model: &Workspace, targets: &Targets, kept: &Kept) -> Vec<String> {
    let mut columns = vec!["run".to_owned()];
    columns.extend(targets.columns());
    match kept.is_empty() {
        true => columns.extend(motion_columns(model)),
        false => columns.extend(kept.names().map(str::to_owned)),
    }
    columns.extend(["energy_change", "residual", "steps", "status"].map(str::to_owned));
    columns
}
