//! Whole motions at a wanted error: time of the loosest tolerance that meets it, judged by a motion at 1e-13.

use dalembert_bench::whole::{CASES, matched};

fn main() {
    let only = std::env::args().nth(1);
    for case in CASES.iter().filter(|c| only.as_ref().is_none_or(|o| c.name.contains(o.as_str()))) {
        matched(case, |tol, error, made| {
            println!(
                "{:22} tol {tol:.0e}: error {error:.1e}, {:.4} s, {} steps, {} evaluations; aim {} s at {:e}",
                case.name, made.seconds, made.steps, made.evaluations, case.aim, case.error
            );
        });
    }
}
