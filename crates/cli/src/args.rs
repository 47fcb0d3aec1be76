//! What can be asked on the command line.

mod motions;
mod values;

pub use motions::{ConnectArgs, FitArgs, MotionFormName, ReportArgs, SimulateArgs, SweepArgs, SweepFormat};

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use dalembert::diagnostic::Code;
pub use values::Shard;
use values::{an_identifier, assignment, code, interpolation, positive, starting_value, two_numbers};

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

impl Cli {
    /// The command with its options. A number after a space may be negative, for every option.
    pub fn definition() -> clap::Command {
        let negative =
            |arg: clap::Arg| match arg.get_action().takes_values() && !arg.is_allow_hyphen_values_set() {
                true => arg.allow_negative_numbers(true),
                false => arg,
            };
        Cli::command().mut_subcommands(|command| command.mut_args(negative))
    }

    /// Reads a command line, beginning with the name of the command.
    pub fn read<T: Into<std::ffi::OsString> + Clone>(
        words: impl IntoIterator<Item = T>,
    ) -> Result<Cli, clap::Error> {
        let mut matches = Cli::definition().try_get_matches_from(words)?;
        Cli::from_arg_matches_mut(&mut matches)
    }
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
    /// Poisson bracket of two functions of the phase space, the rate of the first, and multipliers by Dirac's brackets
    Brackets(BracketsArgs),
    /// Classify the constraints, integrate what can be integrated, find conserved quantities
    Analyze(AnalyzeArgs),
    /// Positions of rest by virtual work, steady motions, their stability, and the potential energy around them
    Equilibrium(EquilibriumArgs),
    /// Linear system about a state: state matrix, eigenvalues, modes, mass, damping, stiffness
    Linearize(LinearizeArgs),
    /// Estimate parameters and starting values from measured columns, by least squares
    Fit(Box<FitArgs>),
    /// Many runs over parameters and starting values, on all cores
    Sweep(Box<SweepArgs>),
    /// Write accelerations, constraint and control forces as code in C, Rust, Python or as an FMU
    Export(ExportArgs),
    /// Make a model from a robot in URDF or MJCF
    Import(ImportArgs),
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
    /// Options of commands that read a model.
    fn common(&self) -> Option<&Common> {
        Some(match self {
            Command::Check(args) => &args.common,
            Command::Derive(args) => &args.common,
            Command::Evaluate(args) => &args.common,
            Command::Simulate(args) => &args.common,
            Command::Connect(args) => &args.common,
            Command::Brackets(args) => &args.common,
            Command::Fit(args) => &args.common,
            Command::Analyze(args) => &args.common,
            Command::Equilibrium(args) => &args.common,
            Command::Linearize(args) => &args.common,
            Command::Sweep(args) => &args.common,
            Command::Export(args) => &args.common,
            Command::Verify(args) => &args.common,
            Command::Report(args) => &args.common,
            Command::Fmt(_) | Command::Import(_) | Command::Explain(_) | Command::Completions(_) => {
                return None;
            }
            Command::Lsp(_) | Command::Studio(_) | Command::StudioWorker(_) => return None,
        })
    }

    /// Significant digits of numbers in words, where they are given.
    pub fn digits(&self) -> Option<usize> {
        self.common().map(|common| usize::from(common.digits))
    }

    /// Whether one JSON document is wanted instead of words.
    pub fn json(&self) -> bool {
        match self {
            Command::Fmt(args) => args.json,
            Command::Import(args) => args.json,
            Command::Explain(args) => args.json,
            _ => self.common().is_some_and(|common| common.json),
        }
    }

    /// Seconds that it may take; the studio bounds each of its requests instead.
    pub fn time_limit(&self) -> Option<f64> {
        match self {
            Command::Fmt(args) => args.time_limit,
            Command::Import(args) => args.time_limit,
            _ => self.common().and_then(|common| common.time_limit),
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
    /// Give an input a value, as in --input u=2, "u=-3*x" or u=data.csv:column over its column t (repeatable)
    #[arg(long, value_name = "NAME=SIGNAL", value_parser = assignment)]
    pub input: Vec<(String, String)>,
    /// What is between the samples of inputs: step, linear or cubic
    #[arg(long, value_name = "HOW", default_value = "linear", value_parser = interpolation)]
    pub interpolate: dalembert::Interpolation,
    /// Print one JSON document instead of words (numbers that are not finite become null)
    #[arg(long)]
    pub json: bool,
    /// Significant digits of numbers in words; JSON, files and `--out -` have all of them
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u8).range(1..=17))]
    pub digits: u8,
    /// Suppress the summary and progress bars
    #[arg(long, short)]
    pub quiet: bool,
    /// Do not compare the equations of motion with a second derivation before they are used
    #[arg(long)]
    pub no_self_check: bool,
    /// End after this time; a run keeps what it has computed (exit code 1)
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub time_limit: Option<f64>,
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
  dalembert derive disk.dal --form explicit --format python  for SymPy
  dalembert derive disk.dal --form udwadia --names           shared parts under names of their own
  dalembert derive disk.dal --form legendre --function \"k*u^4/4\" --variables u")]
pub struct DeriveArgs {
    #[command(flatten)]
    pub common: Common,
    /// Form of the equations
    #[arg(long, value_enum, default_value = "kernel")]
    pub form: FormName,
    /// How they are written; python can be read by SymPy (the rate of x is x_dot)
    #[arg(long, value_enum, default_value = "text")]
    pub format: FormatName,
    /// Give names z1, z2, ... to parts that the equations share
    #[arg(long)]
    pub names: bool,
    /// The function that `--form legendre` transforms, as in --function "k*u^4/4"
    #[arg(long, value_name = "F", allow_hyphen_values = true, required_if_eq("form", "legendre"))]
    pub function: Option<String>,
    /// Variables of that function, as in --variables "u, v": names of the model or new ones
    #[arg(long, value_name = "NAMES", required_if_eq("form", "legendre"))]
    pub variables: Option<String>,
    /// Where `--form legendre` is also given in numbers, as in --at "u=1" or, for slopes, --at "v_u=3, u=1"
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, requires = "function")]
    pub at: Option<String>,
    /// Operators on the constants of the complete integral for `--form hamilton-jacobi`, as in --operators "a*d_a, d_c"
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub operators: Option<String>,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  dalembert brackets pendulum.dal x p_x                    {x, p_x} = 1 and x'
  dalembert brackets kepler.dal \"x*p_y - y*p_x\" H         angular momentum: the bracket vanishes
  dalembert brackets pendulum.dal p_x H --format latex     for a paper

Functions are written over coordinates, momenta p_x (p_u of a speed u), speeds, rates, t, parameters, and H.")]
pub struct BracketsArgs {
    #[command(flatten)]
    pub common: Common,
    /// The first function, whose rate along the motion is given too
    #[arg(value_name = "F", allow_hyphen_values = true)]
    pub f: String,
    /// The second function
    #[arg(value_name = "G", allow_hyphen_values = true)]
    pub g: String,
    /// How expressions are written; python can be read by SymPy
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
    /// The Legendre transform of a function that is given by --function and --variables
    Legendre,
    /// The explicit equation as its papers write it: B, B^+, e, K, Q_i, Q_ni and the control force
    Udwadia,
    /// Appell's function and equations, in independent accelerations
    Appell,
    /// Maggi's equations: one a degree of freedom, no multipliers
    Maggi,
    /// Kane's equations with partial velocities
    Kane,
    /// The Routhian: ignorable coordinates replaced by their momenta
    Routh,
    /// Stationary integral of L + mu psi, for comparison only
    Vakonomic,
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

impl FormatName {
    /// As the engine calls it.
    pub fn format(self) -> dalembert_expr::Format {
        match self {
            FormatName::Text => dalembert_expr::Format::Text,
            FormatName::Latex => dalembert_expr::Format::Latex,
            FormatName::Python => dalembert_expr::Format::Python,
        }
    }
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  dalembert evaluate disk.dal                          at the start
  dalembert evaluate disk.dal --at \"psi=1, theta'=3\"   elsewhere; what is not named stays as at the start
  dalembert evaluate disk.dal --possible \"x''=1\"       another acceleration, by the minimum principle
  dalembert evaluate disk.dal --virtual \"x=1, y=0.5\"   work of all forces on a displacement")]
pub struct EvaluateArgs {
    #[command(flatten)]
    pub common: Common,
    /// State to evaluate at, as in --at "x=1, x'=0.2, t=0"; the rest comes from the start
    #[arg(long, value_name = "STATE", default_value = "", allow_hyphen_values = true)]
    pub at: String,
    /// Compare another acceleration with the actual one, as in --possible "x''=1, y''=0"; the rest stays as it is
    #[arg(long, value_name = "ACCELERATIONS", allow_hyphen_values = true)]
    pub possible: Option<String>,
    /// Work of each class of forces on a displacement, as in --virtual "x=1, y=0.5"; the rest is 0
    #[arg(long, value_name = "DISPLACEMENT", allow_hyphen_values = true)]
    pub r#virtual: Option<String>,
    /// Energies and co-energies T*, T, V, V*, L, H, H*, L* with p and e, by Newton's method where there is no closed form
    #[arg(long)]
    pub energies: bool,
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
    /// Write the units of the columns as a second line of CSV, `# rad,J`
    #[arg(long, requires = "out")]
    pub units_row: bool,
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
  dalembert linearize hoop.dal --over W=0..10:101 --plot roots.svg   eigenvalues over a parameter
  dalembert linearize cart.dal --bode cart.svg --poles poles.svg     response of outputs to inputs, eigenvalues")]
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
    /// Write the units of the columns as a second line of CSV
    #[arg(long, requires = "out")]
    pub units_row: bool,
    /// Draw the eigenvalues over the range: .svg, .png or .html (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::files::plot_target, requires = "over")]
    pub plot: Vec<crate::files::PlotTarget>,
    /// Draw magnitude and phase of every output for every input: .svg, .png or .html (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::files::plot_target, conflicts_with = "over")]
    pub bode: Vec<crate::files::PlotTarget>,
    /// Draw the eigenvalues in the complex plane: .svg, .png or .html (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::files::plot_target, conflicts_with = "over")]
    pub poles: Vec<crate::files::PlotTarget>,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  dalembert export disk.dal --target c --out disk.c && cc -std=c99 -O2 -Wall -c disk.c
  dalembert export disk.dal --target rust --out src/disk.rs
  dalembert export disk.dal --target python --set r=0.3 | less
  dalembert export disk.dal --target fmu --out disk.fmu

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
    /// Also write projection onto the constraints and steps in time (C)
    #[arg(long)]
    pub step: bool,
    /// Also write derivatives of rates, accelerations and multipliers by coordinates, speeds, inputs and parameters (C)
    #[arg(long)]
    pub jacobian: bool,
    /// Version of FMI: 3 or 2
    #[arg(long, value_name = "VERSION", default_value_t = 3, value_parser = clap::value_parser!(u8).range(2..=3))]
    pub fmi: u8,
    /// Stabilise constraints of an FMU in model exchange by Baumgarte with these gains instead of projecting in event mode
    #[arg(long, value_name = "ALPHA,BETA", value_parser = two_numbers, allow_hyphen_values = true)]
    pub baumgarte: Option<(f64, f64)>,
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
    /// A functional mock-up unit (FMI): model exchange and co-simulation
    Fmu,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  dalembert import robot.urdf -o robot.dal     bodies, joints, limits, damping, inputs
  dalembert import robot.xml | less            MJCF
  dalembert import arm.urdf --fixed-base -o arm.dal && dalembert check arm.dal

Everything that is merged, left out or assumed is reported with its place in the file.")]
pub struct ImportArgs {
    /// URDF or MJCF file, or `-` for standard input
    pub file: String,
    /// Write this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<String>,
    /// Fix the root link of a URDF to the ground, whatever its name
    #[arg(long)]
    pub fixed_base: bool,
    /// Print one JSON document instead of words
    #[arg(long)]
    pub json: bool,
    /// Report warnings and errors only
    #[arg(long, short)]
    pub quiet: bool,
    /// End after this time (exit code 1)
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub time_limit: Option<f64>,
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
    /// End after this time, with the files that are left unchanged (exit code 1)
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub time_limit: Option<f64>,
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
