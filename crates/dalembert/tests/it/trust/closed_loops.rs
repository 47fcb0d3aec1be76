//! Closed loops in space written as R = 1: the diagonal entries of R have gradients that vanish wherever the loop is closed.

use crate::support::{below, largest, load, run_text, sharply_until, start};
use dalembert::Request;

/// Links by Denavit and Hartenberg: twist `s[i]`, length `l[i]`, joint angle `q[i]`.
const LINKS: &str = "coordinate q[1..4]\n\
    for i in 1..4 {\n\
    let T[i] = [[cos(q[i]), -sin(q[i])*cos(s[i]), sin(q[i])*sin(s[i])], [sin(q[i]), cos(q[i])*cos(s[i]), -cos(q[i])*sin(s[i])], [0, sin(s[i]), cos(s[i])]]\n\
    let p[i] = [l[i]*cos(q[i]), l[i]*sin(q[i]), 0]\n\
    kinetic q[i]'^2/2\n\
    }\n\
    constraint turn: T[1]*T[2]*T[3]*T[4] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\n";

fn bennett(first: f64, guess: &str) -> String {
    format!(
        "parameter a = 1, alpha = 0.6, beta = 1.1, b = a*sin(beta)/sin(alpha), K = sin((beta + alpha)/2)/sin((beta - alpha)/2)\n\
         let s[1] = alpha\nlet s[2] = beta\nlet s[3] = alpha\nlet s[4] = beta\n\
         let l[1] = a\nlet l[2] = b\nlet l[3] = a\nlet l[4] = b\n{LINKS}\
         constraint close: p[1] + T[1]*(p[2] + T[2]*(p[3] + T[3]*p[4])) = [0, 0, 0]\n\
         output relation = tan(q[1]/2)*tan(q[2]/2)/K\n\
         initial q[1] = {first}, {guess}, q[1]' = 1"
    )
}

/// The closed form of the closure: tan(q1/2) tan(q2/2) = K, q3 = -q1, q4 = -q2 up to turns.
#[test]
fn a_bennett_linkage_starts_and_moves_with_one_freedom() {
    let exact = "q[2] ~ 2*atan(K/tan(0.35)), q[3] ~ -0.7, q[4] ~ -2*atan(K/tan(0.35))";
    for guess in [exact, "q[2] ~ 2.7, q[3] ~ -0.8, q[4] ~ -2.6"] {
        let text = bennett(0.7, guess);
        let mut model = load(&text);
        let state = start(&mut model);
        let found = model.evaluate(&state).expect("an acceleration");
        assert_eq!(found.solution.rank, 3, "{guess}");
        below("third angle", (state.x[2] + 0.7).abs(), 1e-9);
        for method in ["dop853", "radau"] {
            let request = Request { method: Some(method.into()), rtol: Some(1e-9), ..sharply_until(1.5) };
            let motion = run_text(&text, &request);
            let relation: Vec<f64> =
                motion.table.column("relation").expect("it").iter().map(|v| v - 1.0).collect();
            below(&format!("closure, {method}"), largest(&relation), 1e-8);
            below("energy", motion.energy.expect("an energy").1, 1e-6);
        }
    }
}

#[test]
fn a_spherical_four_bar_starts_and_moves() {
    let text = format!(
        "let s[1] = 0.5\nlet s[2] = 1.1\nlet s[3] = 0.9\nlet s[4] = 1.2\n\
         let l[1] = 0\nlet l[2] = 0\nlet l[3] = 0\nlet l[4] = 0\n{LINKS}\
         initial q[1] = 0.7, q[2] ~ -3.00, q[3] ~ -1.12, q[4] ~ -2.53, q[1]' = 1"
    );
    let mut model = load(&text);
    let state = start(&mut model);
    assert_eq!(model.evaluate(&state).expect("an acceleration").solution.rank, 3);
    let motion = run_text(&text, &Request { rtol: Some(1e-10), ..sharply_until(1.0) });
    below("energy", motion.energy.expect("an energy").1, 1e-7);
    below("closure", motion.outcome.largest_position_residual, 1e-9);
}
