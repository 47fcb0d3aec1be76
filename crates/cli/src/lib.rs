//! The `dalembert` command: arguments in, engine, words or JSON out. Knows no mechanics of its own.
//!
//! Exit codes: 0 done, 1 the model or the run failed, 2 wrong usage.

mod analyze;
mod animate;
mod args;
mod check;
mod completions;
mod connect;
mod derive;
mod equilibrium;
mod evaluate;
mod explain;
mod export;
mod files;
mod fmt;
mod input;
mod linearize;
mod lsp;
mod paper;
mod progress;
mod report;
mod simulate;
mod studio;
mod summary;
mod sweep;
mod verify;
mod words;

pub mod parts;

use args::{Cli, Command};
use clap::Parser;
use report::Failure;
use std::process::ExitCode;

/// The command: arguments of the process in, exit code out.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let json = cli.command.json();
    match run(cli.command) {
        Ok(()) | Err(Failure::ReaderGone) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.tell(json);
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Check(args) => check::run(&args),
        Command::Derive(args) => derive::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Connect(args) => connect::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Fmt(args) => fmt::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Lsp(_) => lsp::run(),
        Command::Analyze(args) => analyze::run(&args),
        Command::Equilibrium(args) => equilibrium::run(&args),
        Command::Linearize(args) => linearize::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Report(args) => paper::run(&args),
        Command::Studio(args) => studio::run(&args),
        Command::StudioWorker(args) => studio::work(&args),
    }
}
