//! Ours and the peers that are installed, in one run: every work is done in turn by each, several rounds, and the best of
//! each counts. Prints the table and writes it to bench/runs/. `-- quick` takes one round and 1000 pendulums.

mod compare_rows;

use compare_rows::{accelerations, chains, ensemble, loading, motions, states};
use dalembert_bench::peers::Peers;
use dalembert_bench::table::{self, Line};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok().filter(|o| o.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The machine and the versions, in words.
fn circumstances(peers: &Peers) -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = information.lines().find_map(|l| l.strip_prefix("model name")?.split(": ").nth(1));
    let rustc = said("rustc", &["--version"]).unwrap_or_else(|| "rustc".to_owned());
    let gcc = said("gcc", &["-dumpfullversion"]).map_or(String::new(), |v| format!(", gcc {v}"));
    let mut out = format!("{cores} cores ({}), {rustc}{gcc}", processor.unwrap_or("unknown processor"));
    for (name, version) in &peers.modules {
        let _ = write!(out, ", {name} {version}");
    }
    out
}

fn main() {
    let quick = std::env::args().any(|a| a == "quick");
    let rounds = if quick { 1 } else { 3 };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    let peers = Peers::install(&target.join("bench-venv"));
    for word in &peers.missing {
        eprintln!("{word}");
    }
    let mut lines: Vec<Line> = Vec::new();
    let mut add = |made: Vec<Line>| {
        made.iter().for_each(|line| eprintln!("done: {}", line.work));
        lines.extend(made);
    };
    add(accelerations(&peers, rounds));
    add(states(&peers, rounds));
    add(loading(&peers, rounds));
    add(motions(&peers));
    add(chains(&peers, rounds));
    add(ensemble(&peers, if quick { 1000 } else { 10_000 }, rounds));

    let date = said("date", &["-u", "+%Y-%m-%d"]).unwrap_or_else(|| "undated".to_owned());
    let mut text = format!("# {date}: ours and the peers in one run\n\n{}.\n", circumstances(&peers));
    text.push_str(
        "`cargo run --release -p dalembert-bench --bin compare`; the best of many short batches of each, in turns. The \
         machine may be\nshared: ratios mean more than times. No aim stands where the peer it is measured by is not here.\n",
    );
    for word in &peers.missing {
        let _ = write!(text, "\nLeft out: {word}.");
    }
    let _ = write!(text, "\n{}", table::write(&lines));
    print!("{text}");
    // A quick run is a look, not a record.
    if !quick {
        let file = root.join("bench").join("runs").join(format!("{date}.md"));
        match std::fs::write(&file, text) {
            Ok(()) => eprintln!("written to bench/runs/{date}.md"),
            Err(e) => eprintln!("bench/runs/{date}.md cannot be written: {e}"),
        }
    }
}
