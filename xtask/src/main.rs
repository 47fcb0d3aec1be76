//! Commands for those who change Dalembert: `cargo xtask COMMAND`.
//!
//! A command is one function that takes its arguments and returns whether all is well. A new one needs a module and a
//! line in [`COMMANDS`].

mod cargo;
mod gate;
mod layers;
mod surface;
mod words;
mod workspace;

use std::process::ExitCode;
use workspace::Outcome;

/// A command: name, one line of help, function.
type Command = (&'static str, &'static str, fn(&[String]) -> Outcome);

const COMMANDS: &[Command] = &[
    ("check", "Check format, lints and tests of both workspaces", cargo::check),
    ("bless", "Record the snapshots of the tests anew and list the files that changed", cargo::bless),
    ("gate", "Run every command on every model and compare the results with xtask/gate.txt", gate::command),
    ("layers", "List imports between modules that xtask/layers.txt does not allow", layers::command),
    (
        "surface",
        "List the names that the library shows its users; --bless records them in xtask/surface.txt",
        surface::command,
    ),
    (
        "words",
        "Write the words of the language into grammars and the manual; --check only compares",
        words::command,
    ),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let chosen = arguments.first().and_then(|name| COMMANDS.iter().find(|(known, ..)| known == name));
    let Some((_, _, command)) = chosen else {
        eprint!("{}", help());
        return ExitCode::from(2);
    };
    match command(&arguments[1..]) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn help() -> String {
    let lines: String = COMMANDS.iter().map(|(name, line, _)| format!("  {name:<8}{line}\n")).collect();
    format!("Usage: cargo xtask <COMMAND>\n\nCommands:\n{lines}\nOptions of gate:\n{}", gate::HELP)
}
