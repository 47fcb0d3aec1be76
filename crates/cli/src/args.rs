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
  dalembert check pendulum.dal                       summary of the model and its initial conditions
  dalembert derive pendulum.dal --form lagrange      equations of motion
  dalembert simulate pendulum.dal --plot motion.svg  simulation and plot
  dalembert report pendulum.dal -o pendulum.html     everything on one page
  dalembert explain E0512                            more about a diagnostic

Exit codes: 0 done, 1 the model or the run failed, 2 wrong usage.";

/// Derive equations of motion, simulate mechanical systems and report every constraint force.
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
    /// Check a model: coordinates, kinds of constraints, degrees of freedom, consistent initial conditions
    Check(CheckArgs),
    /// Print the equations of motion in symbolic form
    Derive(DeriveArgs),
    /// Evaluate accelerations, constraint forces and all other quantities at one state
    Evaluate(EvaluateArgs),
    /// Simulate the motion: tables, plots, animations and a summary
    Simulate(Box<SimulateArgs>),
    /// Find the motion between two configurations in a given time, by Hamilton's principle
    Connect(Box<ConnectArgs>),
    /// Compute the Poisson bracket of two phase-space functions, the rate of the first, and Dirac's multipliers
    Brackets(BracketsArgs),
    /// Classify the constraints, integrate the integrable ones, find conserved quantities
    Analyze(AnalyzeArgs),
    /// Find equilibria and steady motions, their stability, and the potential energy around them
    Equilibrium(EquilibriumArgs),
    /// Linearize about a state: state-space matrices, eigenvalues, modes, mass, damping, stiffness
    Linearize(LinearizeArgs),
    /// Estimate parameters and initial values from measured data by least squares
    Fit(Box<FitArgs>),
    /// Run many simulations over parameters and initial values, on all cores
    Sweep(Box<SweepArgs>),
    /// Export the equations of motion as C, Rust or Python code, or as an FMU
    Export(ExportArgs),
    /// Convert a robot in URDF or MJCF to a model
    Import(ImportArgs),
    /// Format model files in place
    Fmt(FmtArgs),
    /// Explain the code of a diagnostic
    Explain(ExplainArgs),
    /// Run the language server: diagnostics, hover, completion, definitions, formatting
    Lsp(LspArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Derive the model by every applicable formalism and compare accelerations, forces and motions
    Verify(VerifyArgs),
    /// Write a report page: classification, equations, motion, forces, energy balance, constants
    Report(Box<ReportArgs>),
    /// Start a local web page to edit, derive, run and watch models
    Studio(StudioArgs),
    /// The process in which the studio runs models
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
    /// Set a parameter or const, as in --set m=2 (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Fix or guess an initial value, as in --initial "x'=2" or --initial x~1 (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = starting_value)]
    pub initial: Vec<String>,
    /// Set an input, as in --input u=2, "u=-3*x" or u=data.csv:column over its column t (repeatable)
    #[arg(long, value_name = "NAME=SIGNAL", value_parser = assignment)]
    pub input: Vec<(String, String)>,
    /// Interpolation between samples of inputs: step, linear or cubic
    #[arg(long, value_name = "HOW", default_value = "linear", value_parser = interpolation)]
    pub interpolate: dalembert::Interpolation,
    /// Print one JSON document instead of text (numbers that are not finite become null)
    #[arg(long)]
    pub json: bool,
    /// Significant digits on the terminal; JSON, files and `--out -` have all digits
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u8).range(1..=17))]
    pub digits: u8,
    /// Suppress the summary and progress bars
    #[arg(long, short)]
    pub quiet: bool,
    /// Skip the comparison with an independent second derivation
    #[arg(long)]
    pub no_self_check: bool,
    /// Time limit; the results computed so far are kept (exit code 1)
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
    /// Output format; python can be read by SymPy (the rate of x is x_dot)
    #[arg(long, value_enum, default_value = "text")]
    pub format: FormatName,
    /// Name common subexpressions z1, z2, ...
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
    /// The first function; its rate along the motion is printed too
    #[arg(value_name = "F", allow_hyphen_values = true)]
    pub f: String,
    /// The second function
    #[arg(value_name = "G", allow_hyphen_values = true)]
    pub g: String,
    /// Output format; python can be read by SymPy
    #[arg(long, value_enum, default_value = "text")]
    pub format: FormatName,
}

/// Forms of the equations of motion.
#[derive(Clone, Copy, ValueEnum)]
pub enum FormName {
    /// M eta' = Q with the constraint equations A eta' = b
    Kernel,
    /// One equation per speed, with multipliers
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
    /// The Udwadia-Kalaba equation in its published form: B, B^+, e, K, Q_i, Q_ni and the control force
    Udwadia,
    /// Appell's function and equations, in independent accelerations
    Appell,
    /// Maggi's equations: one per degree of freedom, no multipliers
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
    /// State to evaluate at, as in --at "x=1, x'=0.2, t=0"; default: the initial conditions
    #[arg(long, value_name = "STATE", default_value = "", allow_hyphen_values = true)]
    pub at: String,
    /// Compare another possible acceleration with the actual one, as in --possible "x''=1, y''=0"; others keep their actual values
    #[arg(long, value_name = "ACCELERATIONS", allow_hyphen_values = true)]
    pub possible: Option<String>,
    /// Work of each class of forces on a virtual displacement, as in --virtual "x=1, y=0.5"; others are 0
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
    /// Fixed values, as in --at "theta=0.3, psi'=3"; the search for the others begins at the initial conditions
    #[arg(long, value_name = "STATE", default_value = "", allow_hyphen_values = true)]
    pub at: String,
    /// Number of initial guesses
    #[arg(long, value_name = "N", default_value_t = dalembert::equilibrium::DEFAULT_STARTS)]
    pub starts: usize,
    /// Search range, as in --within theta=-3..3 (repeatable)
    #[arg(long, value_name = "NAME=LOW..HIGH", allow_hyphen_values = true)]
    pub within: Vec<String>,
    /// Potential energy over a coordinate, as in --landscape theta=-3..3:200 (once or twice)
    #[arg(long, value_name = "NAME=LOW..HIGH:COUNT")]
    pub landscape: Vec<String>,
    /// Write the potential energy: .csv, .parquet or .json; `-` is CSV on standard output (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::files::table_target, requires = "landscape")]
    pub out: Vec<crate::files::TableTarget>,
    /// Add a second CSV line with the units, `# rad,J`
    #[arg(long, requires = "out")]
    pub units_row: bool,
    /// Plot the potential energy with the equilibria: .svg, .png or .html (repeatable)
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
    /// State to linearize about, as in --at "x=1, x'=0.2, t=0"; default: the initial conditions
    #[arg(long, value_name = "STATE", default_value = "", allow_hyphen_values = true)]
    pub at: String,
    /// Find the nearest equilibrium or steady motion first
    #[arg(long)]
    pub settle: bool,
    /// Coordinates (or speeds) to use as independent ones, as in --independent lean,steer
    #[arg(long, value_name = "NAMES")]
    pub independent: Option<String>,
    /// Eigenvalues as functions of a parameter or an initial value, as in --over v=0..10:101
    #[arg(long, value_name = "NAME=LOW..HIGH:COUNT")]
    pub over: Option<String>,
    /// Write the eigenvalues over the range: .csv, .parquet or .json; `-` is CSV on standard output (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::files::table_target, requires = "over")]
    pub out: Vec<crate::files::TableTarget>,
    /// Add a second CSV line with the units
    #[arg(long, requires = "out")]
    pub units_row: bool,
    /// Plot the eigenvalues over the range: .svg, .png or .html (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::files::plot_target, requires = "over")]
    pub plot: Vec<crate::files::PlotTarget>,
    /// Bode plot of every output for every input: .svg, .png or .html (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::files::plot_target, conflicts_with = "over")]
    pub bode: Vec<crate::files::PlotTarget>,
    /// Pole plot: the eigenvalues in the complex plane: .svg, .png or .html (repeatable)
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
    /// Target language
    #[arg(long, value_enum)]
    pub target: TargetName,
    /// Output file; default: standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<String>,
    /// Prefix of the names in C; default: from the name of the model file
    #[arg(long, value_name = "NAME", value_parser = an_identifier)]
    pub name: Option<String>,
    /// Also write a time-step function with projection onto the constraints (C)
    #[arg(long)]
    pub step: bool,
    /// Also write the Jacobians of rates, accelerations and multipliers (C)
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
    /// Output file; default: standard output
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<String>,
    /// Fix the root link of a URDF to the ground, whatever its name
    #[arg(long)]
    pub fixed_base: bool,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub json: bool,
    /// Report warnings and errors only
    #[arg(long, short)]
    pub quiet: bool,
    /// Time limit (exit code 1)
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
    /// Do not write; list the files that would change (exit code 1 if any)
    #[arg(long)]
    pub check: bool,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub json: bool,
    /// Print errors only
    #[arg(long, short)]
    pub quiet: bool,
    /// Time limit; files not yet formatted stay unchanged (exit code 1)
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub time_limit: Option<f64>,
}

#[derive(Args)]
#[command(after_help = "Example:\n  dalembert explain E0512")]
pub struct ExplainArgs {
    /// Code of a diagnostic, such as E0512; default: list all codes
    #[arg(value_parser = code)]
    pub code: Option<Code>,
    /// Print one JSON document instead of text
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
#[command(after_help = "An editor starts it; docs/editors.md describes the set-up.")]
pub struct LspArgs {
    /// Communicate over standard input and output (the default; editors often pass it)
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
    /// Port; 0 is any free one. Default: the first free one from 8765 on
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// Time limit for deriving or running a model, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub time_limit: u64,
    /// Memory limit, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(64..=1_048_576))]
    pub memory_limit: u64,
}

#[derive(Args)]
pub struct StudioWorkerArgs {
    /// Memory limit in MiB
    pub memory: u64,
}
