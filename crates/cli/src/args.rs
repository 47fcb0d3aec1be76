//! What can be asked on the command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use dalembert::Request;
use dalembert::diagnostic::Code;
use dalembert::run::Method;

const EXAMPLES: &str = "\
Examples:
  dalembert check pendulum.dal                       what the model is, and where it starts
  dalembert derive pendulum.dal --form lagrange      its equations of motion
  dalembert simulate pendulum.dal --plot motion.svg  its motion
  dalembert report pendulum.dal -o pendulum.html     all of it on one page
  dalembert explain E0512                            more about a message

Exit codes: 0 done, 1 the model or the run failed, 2 wrong usage.";

/// Analytical mechanics: from a model on paper to its equations, its motion and every force in it.
#[derive(Parser)]
#[command(name = "dalembert", version, after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Read a model: coordinates, constraints and their kind, degrees of freedom, consistent start
    Check(CheckArgs),
    /// Write the equations of motion in symbols
    Derive(DeriveArgs),
    /// Accelerations, constraint forces and everything else at one state
    Evaluate(EvaluateArgs),
    /// Compute the motion: tables, plots and a summary
    Simulate(Box<SimulateArgs>),
    /// Find the motion between two configurations in a given time, by Hamilton's principle
    Connect(Box<ConnectArgs>),
    /// Classify the constraints, integrate what can be integrated, find conserved quantities
    Analyze(AnalyzeArgs),
    /// Positions of rest by virtual work, steady motions, their stability, and the potential energy around them
    Equilibrium(EquilibriumArgs),
    /// Linear system about a state: state matrix, eigenvalues, modes, mass, damping, stiffness
    Linearize(LinearizeArgs),
    /// Many runs over parameters and starting values, on all cores
    Sweep(Box<SweepArgs>),
    /// Write accelerations, constraint and control forces as a function in C, Rust or Python
    Export(ExportArgs),
    /// Format model files in place
    Fmt(FmtArgs),
    /// Tell more about the code of a message
    Explain(ExplainArgs),
    /// Serve an editor: diagnostics, hover, completion, definitions, formatting
    Lsp(LspArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Derive the model by every formalism that applies and compare: accelerations, forces, motions, principles
    Verify(VerifyArgs),
    /// Write the model on one page: classification, equations, motion, forces, balance, constants
    Report(Box<ReportArgs>),
    /// Serve a page on this machine to edit, derive, run and watch models
    Studio(StudioArgs),
    /// What the studio runs models in
    #[command(hide = true)]
    StudioWorker(StudioWorkerArgs),
}

impl Command {
    /// Whether one JSON document is wanted instead of words.
    pub fn json(&self) -> bool {
        match self {
            Command::Check(args) => args.common.json,
            Command::Derive(args) => args.common.json,
            Command::Evaluate(args) => args.common.json,
            Command::Simulate(args) => args.common.json,
            Command::Connect(args) => args.common.json,
            Command::Analyze(args) => args.common.json,
            Command::Equilibrium(args) => args.common.json,
            Command::Linearize(args) => args.common.json,
            Command::Sweep(args) => args.common.json,
            Command::Fmt(args) => args.json,
            Command::Explain(args) => args.json,
            Command::Completions(_) | Command::Lsp(_) => false,
            Command::Export(args) => args.common.json,
            Command::Verify(args) => args.common.json,
            Command::Report(args) => args.common.json,
            Command::Studio(_) | Command::StudioWorker(_) => false,
        }
    }
}

/// Options of every command that reads a model.
#[derive(Args)]
pub struct Common {
    /// Model file, or `-` for standard input
    pub model: String,
    /// Give a parameter or const another value, as in --set m=2 (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Fix or guess a starting value, as in --initial "x'=2" or --initial x~1 (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = starting_value)]
    pub initial: Vec<String>,
    /// Print one JSON document instead of words (numbers that are not finite become null)
    #[arg(long)]
    pub json: bool,
    /// Say nothing but results and errors
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Args)]
#[command(after_help = "\
Example:
  dalembert verify disk.dal --set m=3

Exit code 1 if a check fails.")]
pub struct VerifyArgs {
    #[command(flatten)]
    pub common: Common,
}

#[derive(Args)]
#[command(after_help = "Example:\n  dalembert check chain.dal --set N=6 --json")]
pub struct CheckArgs {
    #[command(flatten)]
    pub common: Common,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  dalembert derive disk.dal                                  M, Q, A, b of the kernel form
  dalembert derive disk.dal --form lagrange --format latex   for a paper
  dalembert derive disk.dal --form explicit --format python  for SymPy")]
pub struct DeriveArgs {
    #[command(flatten)]
    pub common: Common,
    /// Form of the equations
    #[arg(long, value_enum, default_value = "kernel")]
    pub form: FormName,
    /// How they are written; python can be read by SymPy (the rate of x is x_dot)
    #[arg(long, value_enum, default_value = "text")]
    pub format: FormatName,
}

/// Forms of the equations of motion.
#[derive(Clone, Copy, ValueEnum)]
pub enum FormName {
    /// M eta' = Q with the constraint rows A eta' = b
    Kernel,
    /// One equation a speed, with multipliers
    Lagrange,
    /// Accelerations in closed form
    Explicit,
    /// The Hamiltonian and the canonical equations
    Hamilton,
    /// Structure coefficients, momenta and their rates, nonholonomy of the constraints
    Poincare,
    /// Momenta with multipliers in them, for linear constraints
    Suslov,
    /// Energies and co-energies: T, T*, V, V*, L, H, H*, L*
    Energies,
    /// The complete integral of the model, verified, with the momenta and constants it gives
    HamiltonJacobi,
}

/// How formulas are written.
#[derive(Clone, Copy, ValueEnum)]
pub enum FormatName {
    /// In the model language
    Text,
    /// For typesetting
    Latex,
    /// For SymPy
    Python,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  dalembert evaluate disk.dal                          at the start
  dalembert evaluate disk.dal --at \"psi=1, theta'=3\"   elsewhere; what is not named stays as at the start")]
pub struct EvaluateArgs {
    #[command(flatten)]
    pub common: Common,
    /// State to evaluate at, as in --at "x=1, x'=0.2, t=0"; the rest comes from the start
    #[arg(long, value_name = "STATE", default_value = "", allow_hyphen_values = true)]
    pub at: String,
}

/// How a motion is integrated; what is left out comes from the model.
#[derive(Args)]
pub struct Stepping {
    /// Last time
    #[arg(long, value_name = "T", value_parser = positive)]
    pub until: Option<f64>,
    /// Integrator
    #[arg(long, value_name = "NAME", value_parser = Method::ALL.map(Method::name))]
    pub method: Option<String>,
    /// Step of rk4 and the variational methods (without it the spacing of the rows)
    #[arg(long, value_name = "H", value_parser = positive)]
    pub step: Option<f64>,
    /// Relative tolerance of a step
    #[arg(long, value_name = "R", value_parser = positive)]
    pub rtol: Option<f64>,
    /// Absolute tolerance of a step
    #[arg(long, value_name = "A", value_parser = positive)]
    pub atol: Option<f64>,
    /// Give up after this many steps
    #[arg(long, value_name = "N")]
    pub max_steps: Option<usize>,
}

impl Stepping {
    /// The same as a request, without rows.
    pub fn request(&self) -> Request {
        Request {
            until: self.until,
            method: self.method.clone(),
            step: self.step,
            rtol: self.rtol,
            atol: self.atol,
            max_steps: self.max_steps,
            ..Request::default()
        }
    }
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  dalembert simulate disk.dal --until 20 --out disk.csv --plot disk.png
  dalembert simulate disk.dal --out - | head
  dalembert simulate stiff.dal --method radau --rtol 1e-8 --json

Ctrl-C ends the run; what was computed until then is written.")]
pub struct SimulateArgs {
    #[command(flatten)]
    pub common: Common,
    /// Spacing of the rows (without it 500 intervals)
    #[arg(long, value_name = "DT", value_parser = positive)]
    pub every: Option<f64>,
    #[command(flatten)]
    pub stepping: Stepping,
    /// Equations that are integrated
    #[arg(long, value_enum, default_value = "explicit")]
    pub form: MotionFormName,
    /// Write the table: .csv, .parquet or .json; `-` is CSV on standard output (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::files::table_target)]
    pub out: Vec<crate::files::TableTarget>,
    /// Draw the motion: .svg, .png or .html (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::files::plot_target)]
    pub plot: Vec<crate::files::PlotTarget>,
    /// Animate what `draw` statements say: .html is a page that plays offline, .gif and .mp4 need ffmpeg (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::animate::animation_target)]
    pub animate: Vec<crate::animate::AnimationTarget>,
    /// Columns that the plot shows, as in --columns x,y,x'
    #[arg(long, value_name = "NAMES", requires = "plot")]
    pub columns: Option<String>,
    /// Stabilise constraints by Baumgarte with these gains instead of projecting
    #[arg(long, value_name = "ALPHA,BETA", value_parser = two_numbers)]
    pub baumgarte: Option<(f64, f64)>,
    /// Parameters of the simulated system that differ from what its controller believes, as in --plant m=1.1, in the units
    /// of the file (repeatable)
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub plant: Vec<String>,
    /// Compute control forces every DT and hold them in between
    #[arg(long, value_name = "DT", value_parser = positive)]
    pub hold: Option<f64>,
    /// Account for the change of energy by the work of each class of forces (without it where friction, non-ideal or control forces act)
    #[arg(long)]
    pub balance: bool,
    /// Give the action of the motion, the integral of its Lagrangian over time
    #[arg(long)]
    pub action: bool,
    /// Interpret the equations instead of running native code: slower, and the judge of it
    #[arg(long)]
    pub interpret: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  dalembert report disk.dal -o disk.html
  dalembert report disk.dal -o disk.html --form hamilton --form explicit --verify
  dalembert report disk.dal -o disk.html --until 20 --animate

What cannot be made is said on the page and on standard error; the rest is written.")]
pub struct ReportArgs {
    #[command(flatten)]
    pub common: Common,
    /// The page: a name that ends in .html, or `-` for standard output
    #[arg(long, short, value_name = "FILE", value_parser = crate::files::page_target)]
    pub out: String,
    /// Form of the equations (repeatable; without it Lagrange's, and kernel and closed form where they are short)
    #[arg(long, value_enum)]
    pub form: Vec<FormName>,
    /// Spacing of the rows (without it 500 intervals)
    #[arg(long, value_name = "DT", value_parser = positive)]
    pub every: Option<f64>,
    #[command(flatten)]
    pub stepping: Stepping,
    /// Leave the motion out, and what follows from it
    #[arg(long, conflicts_with_all = ["until", "every", "method", "step", "rtol", "atol", "max_steps", "animate"])]
    pub no_motion: bool,
    /// Put a player of the motion on the page, besides the still pictures
    #[arg(long)]
    pub animate: bool,
    /// Compare all formalisms that apply, as `verify` does
    #[arg(long)]
    pub verify: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  dalembert sweep hoop.dal --vary W=0..10:200 --out hoop              200 speeds of rotation
  dalembert sweep pendulum.dal --vary m=1,2,5 --vary k=0.1..10:9:log --out grid
  dalembert sweep pendulum.dal --sample \"theta1~normal(1.5,0.1)\" --sample \"theta1'~uniform(-1,1)\" --runs 10000 --out cloud
  dalembert sweep ... --out cloud --resume                            go on after Ctrl-C, a crash or a power cut

A row a run goes to DIR/results.csv (or .parquet): what was varied, the state and the outputs at the end, how it went.
Neither the number of threads nor interruptions change a digit.")]
pub struct SweepArgs {
    #[command(flatten)]
    pub common: Common,
    /// Values of a parameter or a start: NAME=LOW..HIGH:COUNT, ...:log or NAME=V1,V2 (repeatable: every combination)
    #[arg(long, value_name = "NAME=VALUES", allow_hyphen_values = true, value_parser = axis)]
    pub vary: Vec<String>,
    /// Draw a parameter or a start anew for each run: NAME~normal(mean,deviation), uniform(low,high), loguniform(low,high)
    #[arg(long, value_name = "NAME~DISTRIBUTION", allow_hyphen_values = true, value_parser = sample)]
    pub sample: Vec<String>,
    /// Runs at each combination of the varied values
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub runs: usize,
    /// Another seed, other draws
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Directory for the results, new or empty
    #[arg(long, value_name = "DIR")]
    pub out: String,
    /// Go on with the sweep in that directory
    #[arg(long)]
    pub resume: bool,
    /// Format of the results
    #[arg(long, value_enum, default_value = "csv")]
    pub format: SweepFormat,
    /// Write whole motions too, with rows this far apart, in DIR/motions
    #[arg(long, value_name = "DT", value_parser = positive)]
    pub every: Option<f64>,
    #[command(flatten)]
    pub stepping: Stepping,
    /// Threads (without it one for each core)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// How the results of a sweep are written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SweepFormat {
    /// Text
    Csv,
    /// Columns of doubles, and one of text
    Parquet,
}

/// Forms of the equations that can be integrated.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MotionFormName {
    /// Coordinates and speeds, constraints of any rank
    Explicit,
    /// Coordinates and momenta
    Hamilton,
    /// Coordinates and momenta with multipliers in them, for linear constraints
    Suslov,
    /// Nothing is integrated: the complete integral of the model gives the motion
    HamiltonJacobi,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  dalembert connect throw.dal --to \"x=10, y=0\" --until 2                     rates that hit, and the action
  dalembert connect sphere.dal --to \"x=0, y=1\" --via \"x=0, y=-1\" --via \"x=-1, y=0\" --until 1
                                                    the other way round, with way points for every quarter

The start is the model's; `=` fixes a coordinate of the end, `~` guesses it, what is left out stays if it can.")]
pub struct ConnectArgs {
    #[command(flatten)]
    pub common: Common,
    /// Configuration at the end, as in --to "x=1, y~-2"
    #[arg(long, value_name = "CONFIGURATION", allow_hyphen_values = true)]
    pub to: String,
    /// Configuration near which the first path passes (repeatable, in the order of time)
    #[arg(long, value_name = "CONFIGURATION", allow_hyphen_values = true)]
    pub via: Vec<String>,
    /// Time of arrival
    #[arg(long, value_name = "T", value_parser = positive)]
    pub until: Option<f64>,
    /// Spacing of the rows (without it 500 intervals)
    #[arg(long, value_name = "DT", value_parser = positive)]
    pub every: Option<f64>,
    /// Write the table of the motion: .csv, .parquet or .json; `-` is CSV on standard output (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::files::table_target)]
    pub out: Vec<crate::files::TableTarget>,
    /// Draw the motion: .svg, .png or .html (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::files::plot_target)]
    pub plot: Vec<crate::files::PlotTarget>,
    /// Animate what `draw` statements say: .html is a page that plays offline, .gif and .mp4 need ffmpeg (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::animate::animation_target)]
    pub animate: Vec<crate::animate::AnimationTarget>,
}

#[derive(Args)]
#[command(after_help = "Example:\n  dalembert analyze sleigh.dal --set a=0")]
pub struct AnalyzeArgs {
    #[command(flatten)]
    pub common: Common,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  dalembert equilibrium hoop.dal                              all that can be found, with forces and stability
  dalembert equilibrium disk.dal --at \"theta=0.35, psi'=3\"    steady turning with these values
  dalembert equilibrium hoop.dal --landscape theta=-3..3:200 --plot hoop.svg")]
pub struct EquilibriumArgs {
    #[command(flatten)]
    pub common: Common,
    /// Values that are held, as in --at "theta=0.3, psi'=3"; the rest is searched from the start
    #[arg(long, value_name = "STATE", default_value = "", allow_hyphen_values = true)]
    pub at: String,
    /// How many starts to search from
    #[arg(long, value_name = "N", default_value_t = dalembert::equilibrium::DEFAULT_STARTS)]
    pub starts: usize,
    /// Where to look, as in --within theta=-3..3 (repeatable)
    #[arg(long, value_name = "NAME=LOW..HIGH", allow_hyphen_values = true)]
    pub within: Vec<String>,
    /// Potential energy over a coordinate, as in --landscape theta=-3..3:200 (once or twice)
    #[arg(long, value_name = "NAME=LOW..HIGH:COUNT")]
    pub landscape: Vec<String>,
    /// Write the landscape: .csv, .parquet or .json; `-` is CSV on standard output (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::files::table_target, requires = "landscape")]
    pub out: Vec<crate::files::TableTarget>,
    /// Draw the landscape with the equilibria: .svg, .png or .html (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::files::plot_target, requires = "landscape")]
    pub plot: Vec<crate::files::PlotTarget>,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  dalembert linearize top.dal                                        about the start
  dalembert linearize hoop.dal --settle                              about the equilibrium nearest to it
  dalembert linearize bicycle.dal --independent roll,steer           matrices in lean and steer
  dalembert linearize hoop.dal --over W=0..10:101 --plot roots.svg   eigenvalues over a parameter")]
pub struct LinearizeArgs {
    #[command(flatten)]
    pub common: Common,
    /// State to linearise about, as in --at "x=1, x'=0.2, t=0"; the rest comes from the start, on the constraints
    #[arg(long, value_name = "STATE", default_value = "", allow_hyphen_values = true)]
    pub at: String,
    /// Go to the nearest equilibrium or steady motion first
    #[arg(long)]
    pub settle: bool,
    /// Coordinates (or speeds) that the matrices should be about, as in --independent lean,steer
    #[arg(long, value_name = "NAMES")]
    pub independent: Option<String>,
    /// Eigenvalues over a parameter or a starting value, as in --over v=0..10:101
    #[arg(long, value_name = "NAME=LOW..HIGH:COUNT")]
    pub over: Option<String>,
    /// Write the eigenvalues over the range: .csv, .parquet or .json; `-` is CSV on standard output (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::files::table_target, requires = "over")]
    pub out: Vec<crate::files::TableTarget>,
    /// Draw the eigenvalues over the range: .svg, .png or .html (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::files::plot_target, requires = "over")]
    pub plot: Vec<crate::files::PlotTarget>,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  dalembert export disk.dal --target c --out disk.c && cc -std=c99 -O2 -Wall -c disk.c
  dalembert export disk.dal --target rust --out src/disk.rs
  dalembert export disk.dal --target python --set r=0.3 | less

The function takes time, coordinates, speeds and parameters; the file says their order. It needs a mathematical
library and nothing else, and allocates no memory (C, Rust). Models with `friction` are refused.")]
pub struct ExportArgs {
    #[command(flatten)]
    pub common: Common,
    /// Language
    #[arg(long, value_enum)]
    pub target: TargetName,
    /// Write this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<String>,
    /// Beginning of the names in C; otherwise from the name of the model file
    #[arg(long, value_name = "NAME", value_parser = an_identifier)]
    pub name: Option<String>,
}

/// What a model can be exported to.
#[derive(Clone, Copy, ValueEnum)]
pub enum TargetName {
    /// C99 (and C++)
    C,
    /// A Rust module
    Rust,
    /// A Python module
    Python,
    /// Not available yet
    Fmu,
}

#[derive(Args)]
#[command(
    after_help = "Examples:\n  dalembert fmt models/*.dal\n  dalembert fmt --check models/*.dal\n  dalembert fmt - < draft.dal"
)]
pub struct FmtArgs {
    /// Model files; `-` formats standard input to standard output
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// Change nothing, only tell which files would change (exit code 1 if any)
    #[arg(long)]
    pub check: bool,
    /// Print one JSON document instead of words
    #[arg(long)]
    pub json: bool,
    /// Say nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Args)]
#[command(after_help = "Example:\n  dalembert explain E0512")]
pub struct ExplainArgs {
    /// Code of a message, such as E0512; without it all codes are listed
    #[arg(value_parser = code)]
    pub code: Option<Code>,
    /// Print one JSON document instead of words
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(
    after_help = "Example:\n  dalembert completions bash > ~/.local/share/bash-completion/completions/dalembert"
)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

#[derive(Args)]
#[command(after_help = "An editor starts it; docs/editors.md tells how to set one up.")]
pub struct LspArgs {
    /// Speak on standard input and output, which is the only way; editors often say so
    #[arg(long)]
    pub stdio: bool,
}

/// Commands to come take any arguments.
#[derive(Args)]
#[command(after_help = "\
Example:
  dalembert studio models --open

The page is at the address that is printed, for this machine only. Ctrl-C ends it.")]
pub struct StudioArgs {
    /// Folder whose .dal files are listed, opened and saved
    #[arg(default_value = ".")]
    pub folder: std::path::PathBuf,
    /// Port; 0 is any free one. Without it the first free one from 8765 on
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// Seconds that deriving or running a model may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub time_limit: u64,
    /// Memory that it may take, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(64..=1_048_576))]
    pub memory_limit: u64,
}

#[derive(Args)]
pub struct StudioWorkerArgs {
    /// Memory in MiB
    pub memory: u64,
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write it as NAME=VALUE".to_owned()),
    }
}

fn starting_value(text: &str) -> Result<String, String> {
    let parts = text.split_once(['=', '~']);
    match parts {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => Ok(text.to_owned()),
        _ => Err("write it as NAME=VALUE (fixed) or NAME~VALUE (a guess)".to_owned()),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("a positive number is wanted".to_owned()),
    }
}

/// The text of a `--vary` that can be read; what it names is looked up once the model is known.
fn axis(text: &str) -> Result<String, String> {
    readable(text, dalembert::sweep::Axis::read(text))
}

/// The same for `--sample`.
fn sample(text: &str) -> Result<String, String> {
    readable(text, dalembert::sweep::Sample::read(text))
}

fn readable<T>(
    text: &str,
    read: Result<T, Box<dalembert::diagnostic::Diagnostic>>,
) -> Result<String, String> {
    match read {
        Ok(_) => Ok(text.to_owned()),
        Err(d) => Err([d.message.as_str()]
            .into_iter()
            .chain(d.help.iter().map(String::as_str))
            .collect::<Vec<_>>()
            .join("; ")),
    }
}

fn two_numbers(text: &str) -> Result<(f64, f64), String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some([a, b]) if a.is_finite() && b.is_finite() => Ok((*a, *b)),
        _ => Err("two numbers with a comma between them are wanted, as in 10,10".to_owned()),
    }
}

fn an_identifier(text: &str) -> Result<String, String> {
    let first = text.starts_with(|c: char| c.is_ascii_alphabetic());
    if first && text.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()) {
        return Ok(text.to_owned());
    }
    Err("an identifier is wanted: ASCII letters, digits and _, a letter first".to_owned())
}

fn code(text: &str) -> Result<Code, String> {
    Code::from_id(text).ok_or_else(|| "there is no such code; `dalembert explain` lists them all".to_owned())
}
