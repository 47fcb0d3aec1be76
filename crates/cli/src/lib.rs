//! The `dalembert` command: arguments in, engine, words or JSON out. Knows no mechanics of its own.
//!
//! Exit codes: 0 done, 1 the model or the run failed, 2 wrong usage.

mod analyze;
mod animate;
mod args;
mod brackets;
mod check;
mod completions;
mod connect;
mod derive;
mod equilibrium;
mod evaluate;
mod explain;
mod export;
mod failure;
#[cfg(test)]
mod faults;
mod files;
mod fit;
mod fmt;
mod import;
mod input;
mod limit;
mod linearize;
mod lsp;
mod output;
mod progress;
mod report;
mod simulate;
mod studio;
mod summary;
mod sweep;
mod text_table;
mod verify;

use args::{Cli, Command};
use dalembert::Source;
use failure::Failure;
use std::process::ExitCode;

/// The command: arguments of the process in, exit code out.
pub fn main() -> ExitCode {
    let cli = Cli::read(std::env::args_os()).unwrap_or_else(|error| error.exit());
    let json = cli.command.json();
    if let Some(digits) = cli.command.digits() {
        text_table::set_digits(digits);
    }
    limit::start(cli.command.time_limit(), move |failure| output::report_failure(failure, json));
    match guarded(&asked(), || run(cli.command)) {
        Ok(()) | Err(Failure::ReaderGone) => ExitCode::SUCCESS,
        Err(failure) => {
            output::report_failure(&failure, json);
            ExitCode::FAILURE
        }
    }
}

/// Does what was asked; an internal error is a failure like any other.
fn guarded(asked: &str, work: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    match dalembert::internal::catch(asked, work) {
        Ok(done) => done,
        Err(diagnostic) => Err(Failure::of(*diagnostic, &Source::new(asked, ""))),
    }
}

/// The command as it was given, for the report of an internal error.
fn asked() -> String {
    let words: Vec<String> = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
    format!("`dalembert {}`", words.join(" "))
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Check(args) => check::run(&args),
        Command::Derive(args) => derive::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Connect(args) => connect::run(&args),
        Command::Fit(args) => fit::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Fmt(args) => fmt::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Lsp(_) => lsp::run(),
        Command::Brackets(args) => brackets::run(&args),
        Command::Analyze(args) => analyze::run(&args),
        Command::Equilibrium(args) => equilibrium::run(&args),
        Command::Linearize(args) => linearize::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Studio(args) => studio::run(&args),
        Command::StudioWorker(args) => studio::work(&args),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_failure_that_asks_for_a_report() {
        let failed = guarded("`dalembert check x.dal`", || panic!("a row is missing"));
        let Err(Failure::Model { diagnostics, .. }) = failed else { panic!("it is a failure") };
        let said = &diagnostics[0];
        assert_eq!(said.code.id(), "E0901");
        assert!(said.message.contains("`dalembert check x.dal`: a row is missing"), "{}", said.message);
        assert!(said.help.iter().any(|help| help.contains("please report it")));
    }
}

/// Parts of the command that read what others have written, one by one: for the fuzzer of this repository.
pub mod parts {
    /// Whether a command line, beginning with the name of the command, can be read. Nothing is run.
    pub fn reads_arguments(words: &[String]) -> bool {
        crate::args::Cli::read(words).is_ok()
    }

    /// Whether a text is a block of a sweep: so many columns, for runs from 0 to so many.
    pub fn reads_block(text: &str, columns: usize, runs: usize) -> bool {
        crate::sweep::rows(text, columns, 0..runs).is_some()
    }
}
