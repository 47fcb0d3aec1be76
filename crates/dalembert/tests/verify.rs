//! `verify` passes on every model file, and finds a wrong term wherever it is put.
#![allow(non_snake_case)]

mod support;

use dalembert::verify::{Verification, verify};
use support::*;

fn verified(model: &mut dalembert::Model) -> Verification {
    verify(model).unwrap_or_else(|d| panic!("{}", d.message))
}

fn told(found: &Verification) -> String {
    let mut text = String::new();
    for c in &found.checks {
        let mark = if c.passed { "" } else { "  FAILED" };
        text += &format!("  {:<22} {:.1e} of {:.1e} ({}){mark}\n", c.name, c.worst, c.tolerance, c.count);
    }
    for s in &found.skipped {
        text += &format!("  {:<22} - {}\n", s.name, s.reason);
    }
    text
}

#[test]
fn every_model_file_passes() {
    let mut failed = Vec::new();
    for name in model_names() {
        let began = std::time::Instant::now();
        let found = verified(&mut load_file(&name));
        println!("{name} ({} states, {:.1e} s) {:?}\n{}", found.states, found.span, began.elapsed(), told(&found));
        if !found.passed() {
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}
