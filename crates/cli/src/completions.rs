//! `dalembert completions`.

use crate::args::{Cli, CompletionsArgs};
use crate::failure::Failure;
use crate::output::print;
use clap::CommandFactory;

pub fn run(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "dalembert", &mut script);
    print(&String::from_utf8_lossy(&script))
}
