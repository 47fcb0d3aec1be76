//! Commands that make motions.

use super::values::{Shard, axis, figures, finite, named_number, positive, sample, shard, two_numbers};
use super::{Common, FormName};
use clap::{Args, ValueEnum};
use dalembert::Request;
use dalembert::run::Method;

/// How a motion is integrated; defaults come from the model.
#[derive(Args)]
pub struct Stepping {
    /// End time
    #[arg(long, value_name = "T", value_parser = positive)]
    pub until: Option<f64>,
    /// Integrator
    #[arg(long, value_name = "NAME", value_parser = Method::ALL.map(Method::name))]
    pub method: Option<String>,
    /// Step of rk4 and the variational methods; default: the output interval
    #[arg(long, value_name = "H", value_parser = positive)]
    pub step: Option<f64>,
    /// Relative error tolerance per step
    #[arg(long, value_name = "R", value_parser = positive)]
    pub rtol: Option<f64>,
    /// Absolute error tolerance per step
    #[arg(long, value_name = "A", value_parser = positive)]
    pub atol: Option<f64>,
    /// Maximum number of steps
    #[arg(long, value_name = "N")]
    pub max_steps: Option<usize>,
}

impl Stepping {
    /// The options as a request for a motion, without output rows.
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

Ctrl-C ends the run; the results so far are written.")]
pub struct SimulateArgs {
    #[command(flatten)]
    pub common: Common,
    /// Output interval; default: 1/500 of the run
    #[arg(long, value_name = "DT", value_parser = positive)]
    pub every: Option<f64>,
    #[command(flatten)]
    pub stepping: Stepping,
    /// Formulation to integrate
    #[arg(long, value_enum, default_value = "explicit")]
    pub form: MotionFormName,
    /// Initial value of Suslov's multiplier of a constraint, as in --multiplier M_rod=0.3; the motion does not depend on it
    /// (repeatable)
    #[arg(long, value_name = "M_NAME=VALUE", value_parser = named_number)]
    pub multiplier: Vec<(String, f64)>,
    /// Write the table: .csv, .parquet or .json; `-` is CSV on standard output (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::files::table_target)]
    pub out: Vec<crate::files::TableTarget>,
    /// Add a second CSV line with the units, `# s,rad,rad/s`
    #[arg(long, requires = "out")]
    pub units_row: bool,
    /// Plot the motion: .svg, .png or .html (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::files::plot_target)]
    pub plot: Vec<crate::files::PlotTarget>,
    /// Animate the `draw` statements: .html is an offline page, .gif and .mp4 need ffmpeg (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::animate::animation_target)]
    pub animate: Vec<crate::animate::AnimationTarget>,
    /// Make the page of --animate interactive: it integrates in the browser, with sliders for parameters and initial values
    #[arg(long, requires = "animate")]
    pub live: bool,
    /// Columns to plot, as in --columns x,y,x'; the name of a vector stands for all its components
    #[arg(long, value_name = "NAMES", requires = "plot")]
    pub columns: Option<String>,
    /// Use Baumgarte stabilization with these gains instead of projection
    #[arg(long, value_name = "ALPHA,BETA", value_parser = two_numbers, allow_hyphen_values = true)]
    pub baumgarte: Option<(f64, f64)>,
    /// Parameters of the simulated plant that differ from the controller's model, as in --plant m=1.1, in the units
    /// of the file (repeatable)
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub plant: Vec<String>,
    /// Sample the controller every DT, with zero-order hold
    #[arg(long, value_name = "DT", value_parser = positive)]
    pub hold: Option<f64>,
    /// Report the energy balance: work of each class of forces (on by default with friction, non-ideal or control forces)
    #[arg(long)]
    pub balance: bool,
    /// Report the action (integral of L dt) and the abbreviated action (integral of p dq)
    #[arg(long)]
    pub action: bool,
    /// Add sensitivities of every column to parameters and initial values, as in --sensitivity "m, l, theta(0), x'(0)"
    #[arg(long, value_name = "NAMES")]
    pub sensitivity: Option<String>,
    /// Use the interpreter instead of JIT-compiled code (slow; for cross-checking)
    #[arg(long)]
    pub interpret: bool,
    /// Compile the parameter values as constants: fewer operations
    #[arg(long)]
    pub fold: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  dalembert fit pendulum.dal --data swing.csv --free \"l=0.4, c=0.01, theta(0)\"
  dalembert fit spring.dal --data bench.csv --free k,c --json

The file has a header with a column `t` and columns named like coordinates, speeds or outputs, in SI units unless a
line `# s,deg,mm` behind the header says otherwise. Columns with other names are left out.")]
pub struct FitArgs {
    #[command(flatten)]
    pub common: Common,
    /// Measured data: a .csv file
    #[arg(long, value_name = "FILE")]
    pub data: String,
    /// Parameters to estimate, with initial guesses, as in --free "k=1, c=0.1, theta(0)"
    #[arg(long, value_name = "NAMES", allow_hyphen_values = true)]
    pub free: String,
    #[command(flatten)]
    pub stepping: Stepping,
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
    /// Output page (.html), or `-` for standard output
    #[arg(long, short, value_name = "FILE", value_parser = crate::files::page_target)]
    pub out: String,
    /// Form of the equations (repeatable; default: Lagrange, and kernel and explicit where they are short)
    #[arg(long, value_enum)]
    pub form: Vec<FormName>,
    /// Output interval; default: 1/500 of the run
    #[arg(long, value_name = "DT", value_parser = positive)]
    pub every: Option<f64>,
    #[command(flatten)]
    pub stepping: Stepping,
    /// Omit the simulation and everything that depends on it
    #[arg(long, conflicts_with_all = ["until", "every", "method", "step", "rtol", "atol", "max_steps", "animate"])]
    pub no_motion: bool,
    /// Add an animation player to the page
    #[arg(long)]
    pub animate: bool,
    /// Include the comparison of all applicable formalisms, as in `verify`
    #[arg(long)]
    pub verify: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  dalembert sweep hoop.dal --vary W=0..10:200 --out hoop              200 speeds of rotation
  dalembert sweep pendulum.dal --vary m=1,2,5 --vary k=0.1..10:9:log --out grid
  dalembert sweep pendulum.dal --sample \"theta1~normal(1.5,0.1)\" --sample \"theta1'~uniform(-1,1)\" --runs 10000 --out cloud
  dalembert sweep ... --out cloud --resume                            resume after Ctrl-C, a crash or a power cut

DIR/results.csv (or .parquet) has one row per run: the varied values, the final state and outputs, and the status.
The results do not depend on the number of threads or on interruptions.")]
pub struct SweepArgs {
    #[command(flatten)]
    pub common: Common,
    /// Values of a parameter or initial value: NAME=LOW..HIGH:COUNT, ...:log or NAME=V1,V2 (repeatable: every combination)
    #[arg(long, value_name = "NAME=VALUES", allow_hyphen_values = true, value_parser = axis)]
    pub vary: Vec<String>,
    /// Random parameter or initial value: NAME~normal(mean,deviation), uniform(low,high), loguniform(low,high)
    #[arg(long, value_name = "NAME~DISTRIBUTION", allow_hyphen_values = true, value_parser = sample)]
    pub sample: Vec<String>,
    /// Runs at each combination of the varied values
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub runs: usize,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Directory for the results, new or empty
    #[arg(long, value_name = "DIR")]
    pub out: String,
    /// Resume the sweep in DIR
    #[arg(long)]
    pub resume: bool,
    /// Run part K of N; all parts share DIR, in any order and on any machine
    #[arg(long, value_name = "K/N", value_parser = shard, conflicts_with = "merge")]
    pub shard: Option<Shard>,
    /// Merge the results of finished shards without running anything
    #[arg(long, conflicts_with = "resume")]
    pub merge: bool,
    /// Statistics of each run instead of its final state, as in "max(x), rms(v)"; also min, mean, first, last
    #[arg(long, value_name = "FIGURES", value_parser = figures)]
    pub keep: Option<String>,
    /// Format of the results
    #[arg(long, value_enum, default_value = "csv")]
    pub format: SweepFormat,
    /// Also write each motion to DIR/motions, with this output interval; with --keep, the interval of the statistics
    #[arg(long, value_name = "DT", value_parser = positive)]
    pub every: Option<f64>,
    #[command(flatten)]
    pub stepping: Stepping,
    /// Number of threads; default: one per core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// How the results of a sweep are written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SweepFormat {
    /// Text
    Csv,
    /// Columnar binary file
    Parquet,
    /// A folder of Parquet files with a manifest, for DuckDB, Polars and Arrow
    Dataset,
}

impl SweepFormat {
    /// As it is written on the command line.
    pub fn name(self) -> &'static str {
        match self {
            SweepFormat::Csv => "csv",
            SweepFormat::Parquet => "parquet",
            SweepFormat::Dataset => "dataset",
        }
    }

    /// How the names of its files end.
    pub fn extension(self) -> &'static str {
        match self {
            SweepFormat::Csv => "csv",
            SweepFormat::Parquet | SweepFormat::Dataset => "parquet",
        }
    }
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
    /// The motion from the complete integral of the model, without integration
    HamiltonJacobi,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  dalembert connect throw.dal --to \"x=10, y=0\" --until 2                     rates that hit, and the action
  dalembert connect sphere.dal --to \"x=0, y=1\" --via \"x=0, y=-1\" --via \"x=-1, y=0\" --until 1
                                                    the other way round, with way points for every quarter
  dalembert connect throw.dal --to \"x=10, y=0\" --energy 60                   least action: the time is found

The start is the model's; `=` fixes a coordinate of the end, `~` guesses it, what is left out stays if it can.")]
pub struct ConnectArgs {
    #[command(flatten)]
    pub common: Common,
    /// Configuration at the end, as in --to "x=1, y~-2"
    #[arg(long, value_name = "CONFIGURATION", allow_hyphen_values = true)]
    pub to: String,
    /// Waypoint of the initial guess (repeatable, in the order of time)
    #[arg(long, value_name = "CONFIGURATION", allow_hyphen_values = true)]
    pub via: Vec<String>,
    /// Arrival time
    #[arg(long, value_name = "T", value_parser = positive)]
    pub until: Option<f64>,
    /// Energy of the motion instead of the arrival time (least action at fixed energy)
    #[arg(long, value_name = "E", value_parser = finite, conflicts_with = "until")]
    pub energy: Option<f64>,
    /// Output interval; default: 1/500 of the run
    #[arg(long, value_name = "DT", value_parser = positive)]
    pub every: Option<f64>,
    /// Write the table of the motion: .csv, .parquet or .json; `-` is CSV on standard output (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::files::table_target)]
    pub out: Vec<crate::files::TableTarget>,
    /// Add a second CSV line with the units, `# s,rad,rad/s`
    #[arg(long, requires = "out")]
    pub units_row: bool,
    /// Plot the motion: .svg, .png or .html (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::files::plot_target)]
    pub plot: Vec<crate::files::PlotTarget>,
    /// Animate the `draw` statements: .html is an offline page, .gif and .mp4 need ffmpeg (repeatable)
    #[arg(long, value_name = "FILE", value_parser = crate::animate::animation_target)]
    pub animate: Vec<crate::animate::AnimationTarget>,
}
