//! Mutation testing without a build for each mutant (mutant schemata; Untch, Offutt, Harrold 1993).
//!
//! `cargo mutants --list --json` names the mutants. All of them are written into one copy of the sources, each behind
//! `crate::mutant::on(N)`, which compares N with the environment variable `MUTANT`. That copy is built once; then the
//! tests run once for each mutant. Mutants that do not compile are found by the messages of the compiler, left out and
//! counted as unviable.
//!
//! `dalembert-mutants SOURCE TREE OUTCOMES LIST...`, in which TREE is where the copy goes and OUTCOMES a table that a
//! later run continues: mutants once caught are not judged again, those that were missed are.

mod build;
mod judge;
mod list;
mod weave;

use std::error::Error;
use std::path::PathBuf;

/// Tests of a package: modules of its integration tests, which are one binary, and `lib` for its unit tests.
pub struct Stage {
    pub package: &'static str,
    pub modules: &'static [&'static str],
}

impl Stage {
    /// Whether a test of the integration tests, as the binary lists it, belongs to this stage.
    pub fn includes(&self, test: &str) -> bool {
        test.split_once("::").is_some_and(|(module, _)| self.modules.contains(&module))
    }
}

/// The name by which a stage asks for unit tests.
const UNIT_TESTS: &str = "lib";

/// What judges, in this order: packages from the bottom up.
const STAGES: [Stage; 2] = [
    Stage {
        package: "dalembert-run",
        modules: &[
            UNIT_TESTS,
            "linalg",
            "laws",
            "projection",
            "control",
            "start",
            "sparse",
            "friction",
            "motion",
            "variational",
        ],
    },
    Stage {
        package: "dalembert",
        modules: &[
            "agree",
            "quasi_velocities",
            "friction",
            "control",
            "vanishing_rows",
            "laws",
            "energies",
            "regress",
            "large",
            "trust",
        ],
    },
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().map(PathBuf::from);
    let (Some(source), Some(tree), Some(outcomes)) = (next(), next(), next()) else {
        return Err("usage: dalembert-mutants SOURCE TREE OUTCOMES LIST...".into());
    };
    // Tests run in the directories of their packages.
    let tree = std::path::absolute(tree)?;
    let mutants = list::read(&arguments.map(PathBuf::from).collect::<Vec<_>>())?;
    let mut unviable = judge::unviable(&outcomes, &mutants);
    loop {
        weave::copy(&source, &tree, &mutants, &mut unviable)?;
        let refused = build::refused(&tree)?;
        if refused.is_empty() {
            break;
        }
        println!("{} mutants do not compile", refused.len());
        unviable.extend(refused);
    }
    judge::all(&tree, &outcomes, &mutants, &unviable)
}
