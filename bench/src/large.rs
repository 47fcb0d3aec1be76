//! Chains of N links in redundant coordinates (models/link_chain.dal): what loading, starting and one acceleration cost,
//! and how that grows. The best of several repetitions, because the machine may be shared.

use dalembert_bench::chain::Chain;

const SIZES: [usize; 5] = [20, 100, 1000, 3000, 10_000];

fn main() {
    println!(
        "{:>6} {:>10} {:>10} {:>12} {:>12} {:>12} {:>8}",
        "N", "load ms", "start ms", "terms us", "solve us", "us / link", "fill"
    );
    for n in SIZES {
        let chain = Chain::new(n);
        let (terms, (whole, _)) = (chain.terms_us(), chain.solve_us());
        println!(
            "{n:>6} {:>10.1} {:>10.1} {terms:>12.1} {whole:>12.1} {:>12.3} {:>8}",
            chain.load_ms,
            chain.start_ms,
            whole / n as f64,
            chain.fill()
        );
    }
}
