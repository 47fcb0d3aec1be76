//! The rows of the comparison.

use dalembert_bench::cart::{Cart, Many, ready};
use dalembert_bench::chain::Chain;
use dalembert_bench::peers::{Peers, pair, words};
use dalembert_bench::pendulums;
use dalembert_bench::table::{Figure, Line};
use dalembert_bench::timing::fastest;
use dalembert_bench::whole::{CASES, Case, matched, run};
use std::path::PathBuf;
use std::process::Command;

/// The best figures of the peers of a row.
#[derive(Default)]
struct Best {
    figures: Vec<Figure>,
    remark: String,
}

impl Best {
    /// Takes a peer's time, and its value, which must agree with ours to `within`.
    fn take(&mut self, name: &str, told: Option<(f64, f64)>, ours: f64, within: f64) {
        let Some((time, value)) = told else { return };
        if (value - ours).abs() > within * ours.abs().max(1.0) {
            self.say(&format!("{name} differs: {value} and {ours}"));
        }
        match self.figures.iter_mut().find(|f| f.name == name) {
            Some(f) => f.value = f.value.min(time),
            None => self.figures.push(Figure { name: name.to_owned(), value: time }),
        }
    }

    fn say(&mut self, words: &str) {
        if !self.remark.contains(words) {
            let comma = if self.remark.is_empty() { "" } else { "; " };
            self.remark = format!("{}{comma}{words}", self.remark);
        }
    }
}

/// At most so many times what a peer takes, if it is here.
fn at_most(times: f64, name: &str, ours: f64, peers: &[Figure]) -> Option<(String, bool)> {
    let peer = peers.iter().find(|f| f.name == name)?;
    Some((format!("{times} times {name}"), ours <= times * peer.value))
}

fn hand(program: Option<&PathBuf>) -> Option<(f64, f64)> {
    pair(&words(Command::new(program?), "")?)
}

/// One acceleration of the cart with 2 and 10 links.
pub fn accelerations(peers: &Peers, rounds: usize) -> Vec<Line> {
    let c = peers.compiled("cart2.c", &[], &["-lm"]);
    let row = |n: usize| {
        let mut cart = Cart::new(n);
        let (mut best, mut ours) = (Best::default(), f64::INFINITY);
        let size = n.to_string();
        for _ in 0..rounds {
            ours = ours.min(cart.ns());
            let known = cart.acceleration();
            if n == 2 {
                best.take("C by hand", hand(c.as_ref()), known, 1e-9);
            }
            let casadi = peers.script("casadi", "casadi_c.py", &size, "");
            best.take("CasADi C", casadi.and_then(|w| pair(&w)), known, 1e-9);
            let mujoco = peers.script("mujoco", "mujoco_cart.py", &size, "");
            best.take("MuJoCo", mujoco.and_then(|w| pair(&w)), known, 1e-7);
            if let Some(told) = peers.script("pin", "pinocchio_cart.py", &size, "") {
                best.take("Pinocchio", pair(&told), known, 1e-9);
                if told.get(2).is_some_and(|way| way == "Python") {
                    best.say("Pinocchio called from Python, the call included");
                }
            }
        }
        best.say("mj_forward of MuJoCo does more than the acceleration (stages of contact, actuators, sensors); MuJoCo and Pinocchio treat any tree in space");
        let work = format!("one acceleration, cart with {n} links");
        let (times, peer) = if n == 2 { (1.2, "C by hand") } else { (1.0, "CasADi C") };
        let aim = at_most(times, peer, ours, &best.figures);
        Line { work, unit: "ns", rate: false, ours, peers: best.figures, aim, remark: best.remark }
    };
    [2, 10].map(row).into()
}

/// 256 states at once.
pub fn states(peers: &Peers, rounds: usize) -> Vec<Line> {
    let flags = ["-ffast-math", "-fopenmp-simd"];
    let c = peers.compiled("cart2_simd.c", &flags, &["-lmvec", "-lm"]);
    let Some(mut many) = Many::new(2) else { return Vec::new() };
    let (mut best, mut ours) = (Best::default(), f64::INFINITY);
    for _ in 0..rounds {
        ours = ours.min(many.ns());
        best.take("C by hand, vectorised", hand(c.as_ref()), many.acceleration(), 1e-9);
    }
    best.say("C with -ffast-math: sines to 4 ulp");
    let work = "256 states at once, cart with 2 links, a state".to_owned();
    let aim = at_most(1.5, "C by hand, vectorised", ours, &best.figures);
    vec![Line { work, unit: "ns", rate: false, ours, peers: best.figures, aim, remark: best.remark }]
}

/// Milliseconds from text to native function.
const LOADED: f64 = 8.0;

/// Text to native function.
pub fn loading(peers: &Peers, rounds: usize) -> Vec<Line> {
    let (mut best, mut ours) = (Best::default(), f64::INFINITY);
    let mut cart = Cart::new(10);
    cart.accelerate(1);
    for _ in 0..rounds {
        ours = ours.min(fastest(20, || drop(ready(10))) * 1e3);
        let casadi = peers.script("casadi", "casadi_cart.py", "10", "");
        best.take("CasADi", casadi.and_then(|w| pair(&w)), cart.acceleration(), 1e-9);
    }
    best.say("CasADi: interpreted function, nothing compiled, one evaluation included, CPU time; ours: machine code, wall time");
    let work = "text to native function, cart with 10 links".to_owned();
    let aim = Some((format!("{LOADED} ms"), ours <= LOADED));
    vec![Line { work, unit: "ms", rate: false, ours, peers: best.figures, aim, remark: best.remark }]
}

/// Share of the motion that SciPy makes.
const PART: f64 = 0.1;
/// Seconds that a peer may take for its motion, all tolerances together.
const PATIENCE: f64 = 60.0;

fn listed(values: &[f64]) -> String {
    values.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
}

/// SciPy on the equations that we export.
fn scipy(peers: &Peers, case: &Case) -> Option<Vec<String>> {
    let (module, start) = case.exported()?;
    let path = peers.file(&format!("motion_{}.py", case.mechanism), &module)?;
    let known = run(&mut case.model(), case.until * PART, 1e-13).end;
    let (x, eta, known) = (listed(&start.x), listed(&start.eta), listed(&known));
    let input = format!("{} {} {PATIENCE}\n{x}\n{eta}\n{known}\n", case.until * PART, case.error);
    peers.script("scipy", "scipy_motion.py", path.to_str()?, &input)
}

/// Package, script and name of those that make the whole motion of a mechanism of bodies and joints.
const MOVERS: [(&str, &str, &str); 3] = [
    ("casadi", "casadi_motion.py", "CasADi with CVODES"),
    ("mujoco", "mujoco_motion.py", "MuJoCo RK4"),
    ("pin", "pinocchio_motion.py", "Pinocchio in SciPy's DOP853"),
];

/// Takes a peer's motion: a figure where it meets the error, a remark on how far it came where it does not.
fn take_motion(best: &mut Best, name: &str, told: &[String]) {
    let word = |k: usize| told.get(k).map_or("", String::as_str);
    match (pair(told), word(3)) {
        (Some((seconds, error)), "met") => {
            best.figures.push(Figure { name: name.into(), value: seconds });
            best.say(&format!("{name}: error {error:.1e}"));
        }
        (Some((seconds, error)), _) => {
            best.say(&format!("{name}: not reached, at best {error:.1e} in {seconds:.2} s"));
        }
        (None, _) => best.say(&format!("{name}: no motion within {PATIENCE} s")),
    }
}

/// Whole motions at matched error.
pub fn motions(peers: &Peers) -> Vec<Line> {
    let row = |case: &Case| {
        let mut best = Best::default();
        let (ours, error, tol) = matched(case, |_, _, _| {})?;
        best.say(&format!("ours at tolerance {tol:.0e}, error {error:.1e}"));
        let known = listed(&run(&mut case.model(), case.until, 1e-13).end);
        let input = format!("{} {} {PATIENCE}\n{known}\n", case.until, case.error);
        for (package, script, name) in MOVERS.iter().filter(|m| case.independent || m.0 != "casadi") {
            if let Some(told) = peers.script(package, script, case.mechanism, &input) {
                take_motion(&mut best, name, &told);
            }
        }
        if let Some(told) = scipy(peers, case) {
            match pair(&told) {
                Some((seconds, error)) => {
                    best.figures.push(Figure { name: "SciPy".into(), value: seconds / PART });
                    let tolerance = told.get(2).cloned().unwrap_or_default();
                    best.say(&format!(
                        "SciPy: DOP853 on our exported Python with NumPy for the accelerations, a tenth of the motion times \
                         ten, tolerance {tolerance}, error {error:.1e} there; judged over that tenth alone, which favours SciPy; interpreted equations, which does not"
                    ));
                }
                None => best.say(&format!("SciPy: not within {PATIENCE} s for a tenth of the motion")),
            }
        }
        let aim = Some((format!("{} s", case.aim), ours <= case.aim));
        let work = format!("{}, {} s, error {:e}", case.name, case.until, case.error);
        Some(Line { work, unit: "s", rate: false, ours, peers: best.figures, aim, remark: best.remark })
    };
    CASES.iter().filter_map(row).collect()
}

/// One acceleration of long chains.
pub fn chains(peers: &Peers, rounds: usize) -> Vec<Line> {
    let mut before: Option<(usize, f64)> = None;
    let row = |(n, most): (usize, f64)| {
        let chain = Chain::new(n);
        let (mut best, mut ours) = (Best::default(), f64::INFINITY);
        for _ in 0..rounds {
            let (us, angular) = chain.solve_us();
            ours = ours.min(us);
            let told = peers.script("scipy", "scipy_chain.py", &n.to_string(), "");
            best.take("SciPy sparse", told.and_then(|w| pair(&w)), angular, 1e-6);
        }
        if let Some((k, us)) = before {
            let growth = (ours / us).ln() / (n as f64 / k as f64).ln();
            best.say(&format!("grows as N^{growth:.2} since N = {k}"));
        }
        before = Some((n, ours));
        let aim = Some((format!("{most} us"), ours <= most));
        let work = format!("one acceleration, chain of {n} links");
        Line { work, unit: "us", rate: false, ours, peers: best.figures, aim, remark: best.remark }
    };
    [(100, 30.0), (1000, 300.0), (10_000, 3000.0)].map(row).into()
}

/// Double pendulums a CPU second, at the error of the peer at 1e-6.
pub fn ensemble(peers: &Peers, runs: usize, rounds: usize) -> Vec<Line> {
    let starts = pendulums::starts(runs);
    let known = pendulums::ours("dop853", 1e-12, runs, 1);
    let Some((name, command)) = pendulums::contender(&peers.python) else { return Vec::new() };
    let tolerances = [1e-5, 1e-6, 1e-7];
    let (mut curve, mut theirs, mut error) = ([(0.0, 0.0f64); 3], 0.0f64, 0.0);
    for _ in 0..rounds {
        for (point, tolerance) in curve.iter_mut().zip(tolerances) {
            let made = pendulums::ours("dop853", tolerance, runs, 2);
            *point =
                (pendulums::median_error(&made, &known), point.1.max(runs as f64 / made.seconds.max(1e-3)));
        }
        if let Some(made) = pendulums::peer(command(), 1e-6, 2, &starts) {
            error = pendulums::median_error(&made, &known);
            theirs = theirs.max(runs as f64 / made.seconds);
        }
    }
    let Some(ours) = pendulums::rate_at(&curve, error) else { return Vec::new() };
    let figures = vec![Figure { name: name.to_owned(), value: theirs }];
    let aim = Some(("2 times Numba".to_owned(), ours >= 2.0 * theirs));
    let work = format!("{runs} double pendulums, 10 s, tolerance 1e-6: motions a CPU second");
    let remark = format!("at the peer's median error {error:.1e}; ours dop853, whole sweeps on one thread");
    vec![Line { work, unit: "1/s", rate: true, ours, peers: figures, aim, remark }]
}
