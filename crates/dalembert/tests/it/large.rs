//! Large systems: chains, closed chains, trees and nets by entries give what they give written out, and everything on the
//! way grows as they do. Growth is asserted by counts, never by time.

use dalembert::run::{
    Accelerator, Capabilities, Dynamics, Flow, Level, Point, Projector, Shape, Solution, StartGuess, State,
    Taken, Terms, find_start,
};
use dalembert::{Overrides, Source, Workspace, simulate::Request};

fn load(text: &str, set: &[(&str, usize)]) -> Workspace {
    let set = set.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    Workspace::load(&Source::new("large.dal", text), &overrides).unwrap_or_else(|d| panic!("{d:?}"))
}

fn refused(text: &str) -> String {
    match Workspace::load(&Source::new("large.dal", text), &Overrides::default()) {
        Ok(_) => panic!("this is too large"),
        Err(diagnostics) => {
            let d = diagnostics.last().expect("something is wrong");
            format!("{}: {}", d.code.id(), d.message)
        }
    }
}

const CHAIN: &str = include_str!("../../../../models/link_chain.dal");
const NET: &str = include_str!("../../../../models/net.dal");

/// Links that hang from the one half their number: a binary tree of joints.
const TREE: &str = "
const K = 10, N = 2*K + 1
parameter m = 1, J = 0.01, l = 0.2, g = 9.81
coordinate x[1..N], y[1..N], th[1..N]
for i in 1..N {
    initial x[i] ~ 0, y[i] ~ -0.1*i, th[i] = 0.1*i
    kinetic m/2*(x[i]'^2 + y[i]'^2) + J/2*th[i]'^2
    potential m*g*y[i]
}
constraint root: [x[1], y[1]] = l/2*[cos(th[1]), sin(th[1])]
for i in 1..K {
    constraint even[i]: [x[2*i], y[2*i]] - l/2*[cos(th[2*i]), sin(th[2*i])] = [x[i], y[i]] + l/2*[cos(th[i]), sin(th[i])]
    constraint odd[i]: [x[2*i+1], y[2*i+1]] - l/2*[cos(th[2*i+1]), sin(th[2*i+1])] = [x[i], y[i]] + l/2*[cos(th[i]), sin(th[i])]
}
";

/// A ring of points joined by rods, with every rod written twice and a velocity row: redundant everywhere.
const RING: &str = "
const N = 30
parameter m = 1, R = 1, g = 9.81
coordinate x[1..N], y[1..N]
for i in 1..N {
    initial x[i] ~ R*cos(2*pi*i/N), y[i] ~ R*sin(2*pi*i/N), x[i]' ~ 0.3, y[i]' ~ 0.1*i/N
    kinetic m/2*(x[i]'^2 + y[i]'^2)
    potential m*g*y[i]
}
let s = (2*R*sin(pi/N))^2
for i in 2..N {
    constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = s
    constraint twin[i]: 2*(x[i] - x[i-1])^2 + 2*(y[i] - y[i-1])^2 = 2*s
}
constraint last: (x[1] - x[N])^2 + (y[1] - y[N])^2 = s
constraint drift: x[1]' = x[N]'
";

/// A kernel whose patterns are not shown: its matrices are written out.
struct Dense<'k>(&'k dyn Dynamics);

impl Dynamics for Dense<'_> {
    fn shape(&self) -> Shape {
        self.0.shape()
    }
    fn levels(&self) -> &[Level] {
        self.0.levels()
    }
    fn scratch_len(&self) -> usize {
        self.0.scratch_len()
    }
    fn terms(&self, at: Point<'_>, scratch: &mut [f64], out: &mut Terms) {
        self.0.terms(at, scratch, out);
    }
    fn residuals(&self, at: Point<'_>, scratch: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
        self.0.residuals(at, scratch, phi, psi);
    }
    fn position_gradient(&self, t: f64, x: &[f64], scratch: &mut [f64], out: &mut [f64]) {
        self.0.position_gradient(t, x, scratch, out);
    }
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { nonideal: self.0.capabilities().nonideal, ..Capabilities::default() }
    }
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    let size = a.iter().chain(b).fold(1e-300f64, |m, v| m.max(v.abs()));
    a.iter().zip(b).fold(0.0f64, |m, (x, y)| m.max((x - y).abs())) / size
}

fn solve(kernel: &dyn Dynamics, state: &State) -> Solution {
    Accelerator::new(kernel).solve(kernel, state.point()).expect("regular").clone()
}

/// A state off the constraints, the same every time.
fn shaken(state: &State, size: f64) -> State {
    let shift = |k: usize| size * ((k as f64 * 0.618_033_988_75).fract() - 0.5);
    let moved =
        |v: &[f64], first: usize| v.iter().enumerate().map(|(k, v)| v + shift(first + k)).collect::<Vec<_>>();
    State::new(state.t, &moved(&state.x, 0), &moved(&state.eta, state.x.len()))
}

/// Accelerations, forces, multipliers, rank, projections and starts agree with those of matrices written out.
#[test]
fn by_entries_is_written_out() {
    for (text, set, redundant) in
        [(CHAIN, ("N", 60), 0), (TREE, ("K", 31), 0), (NET, ("G", 7), 0), (RING, ("N", 40), 39)]
    {
        let mut model = load(text, &[set]);
        let guess = model.guess().unwrap();
        let kernel = &model.compiled;
        assert!(kernel.sparsity().is_some(), "{}", &text[..40]);
        let dense = Dense(kernel);
        let (ours, theirs) = (find_start(kernel, &guess).unwrap(), find_start(&dense, &guess).unwrap());
        assert_eq!((ours.rank, theirs.rank), (kernel.levels().len() - redundant, ours.rank));
        // Both are the nearest solution to the guess, found to rounding.
        assert!(apart(&ours.state.x, &theirs.state.x) < 1e-9, "{}", apart(&ours.state.x, &theirs.state.x));
        let guess = StartGuess { state: shaken(&theirs.state, 1e-2), ..StartGuess::default() };
        let state = find_start(&dense, &guess).unwrap().state;
        let (a, b) = (solve(kernel, &state), solve(&dense, &state));
        assert_eq!(a.rank, b.rank);
        for (a, b) in [
            (&a.eta_dot, &b.eta_dot),
            (&a.a_free, &b.a_free),
            (&a.ideal_force, &b.ideal_force),
            (&a.lambda, &b.lambda),
        ] {
            assert!(apart(a, b) < 1e-11, "{} in {}", apart(a, b), &text[..60]);
        }
        // A state that has drifted off comes back to the same place.
        let off = shaken(&state, 1e-5);
        let [ours, theirs] = [kernel as &dyn Dynamics, &dense].map(|kernel| {
            let mut state = off.clone();
            Projector::new(kernel).project(kernel, 0.0, &mut state.x, &mut state.eta).unwrap();
            state
        });
        assert!(apart(&ours.x, &theirs.x) < 1e-12 && apart(&ours.eta, &theirs.eta) < 1e-10);
    }
}

/// Expressions, operations and fill for each member of a family stay the same.
#[test]
fn everything_grows_as_the_system_does() {
    for (text, name) in [(CHAIN, "N"), (TREE, "K"), (RING, "N")] {
        let [small, large] = [100, 400].map(|n| {
            let model = load(text, &[(name, n)]);
            let sparsity = model.compiled.sparsity().expect("sparse");
            [model.system.pool.len(), model.compiled.counts().total(), sparsity.fill(), sparsity.work()]
        });
        for (small, large) in small.into_iter().zip(large) {
            // Four times as many, and a little for the ends.
            assert!(large <= 4 * small + small / 4, "{small} -> {large}");
        }
    }
    let model = load(CHAIN, &[("N", 400)]);
    let counts = [
        model.compiled.sparsity().expect("sparse").fill(),
        model.compiled.counts().total(),
        model.system.pool.len(),
    ];
    // Entries of the factor, operations and expressions for each link.
    assert!(counts.iter().zip([13, 16, 100]).all(|(count, each)| *count <= each * 400), "{counts:?}");
}

/// A thousand links move, keep their joints and their energy.
#[test]
fn a_long_chain_falls() {
    let mut model = load(CHAIN, &[("N", 1000)]);
    let request =
        Request { until: Some(0.02), times: Some(vec![0.01]), rtol: Some(1e-8), ..Request::default() };
    let motion = model.simulate(&request, |_| Flow::Continue).unwrap();
    assert!(motion.failure.is_none(), "{:?}", motion.failure);
    assert_eq!(motion.outcome.generic_rank, 2000);
    assert!(motion.outcome.largest_position_residual < 1e-14);
    let (_, off) = motion.energy.unwrap();
    // Against the work of gravity, m g h of a thousand links falling 2 mm.
    assert!(off < 1e-6, "{off}");
    let end = motion.outcome.state;
    assert!(
        (end.x[1999] + 0.5 * 9.81 * 0.02f64.powi(2)).abs() < 1e-3,
        "the far end falls freely: {}",
        end.x[1999]
    );
}

/// Rows that are redundant everywhere, in a system too large for the dense judge: dropped, and nothing else changes.
#[test]
fn redundant_rows_of_a_large_system() {
    let mut model = load(RING, &[("N", 260)]);
    let start = model.start().unwrap();
    assert_eq!(start.rank, 261);
    let now = model.evaluate(&start.state).unwrap();
    assert_eq!((now.solution.rank, now.solution.path), (261, Taken::Sparse));
    // Twins share by least squares: the multiplier of twice the row is twice as large.
    let rows: Vec<&str> = model.system.constraints.rows.iter().map(|r| r.name.as_str()).collect();
    let of = |name: &str| now.solution.lambda[rows.iter().position(|r| *r == name).unwrap()];
    let size = now.solution.lambda.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    for i in [2, 100, 260] {
        let (one, two) = (of(&format!("rod[{i}]")), of(&format!("twin[{i}]")));
        assert!((two - 2.0 * one).abs() < 1e-9 * size, "{one} {two}");
    }
    assert_eq!(model.redundant_rows(&now.terms).len(), 259);
    let request = Request { until: Some(0.01), times: Some(vec![]), rtol: Some(1e-7), ..Request::default() };
    let motion = model.simulate(&request, |_| Flow::Continue).unwrap();
    assert!(motion.failure.is_none(), "{:?}", motion.failure);
    assert_eq!(motion.outcome.generic_rank, 261);
    let (energy, off) = motion.energy.unwrap();
    assert!(off < 1e-6 * energy.abs().max(1.0), "{off} of {energy}");
}

/// Thirty thousand coordinates that are all coupled are refused with a sentence, in little time and memory.
/// A truss pinned at one end: well independent rows one by one, whose condition grows as the fourth power of the length.
/// With `braces` every cell has one row too many.
fn truss(braces: bool) -> String {
    let second = if braces { "constraint d2[i]: (x[i] - u[i-1])^2 + (y[i] - v[i-1])^2 = 2" } else { "" };
    format!(
        "const N = 10
parameter m = 0.5, g = 9.81
coordinate x[0..N], y[0..N], u[0..N], v[0..N]
for i in 0..N {{
    initial x[i] ~ i, y[i] ~ 0, u[i] ~ i, v[i] ~ 1
    kinetic m/2*(x[i]'^2 + y[i]'^2 + u[i]'^2 + v[i]'^2)
    potential m*g*(y[i] + v[i])
    constraint rung[i]: (x[i] - u[i])^2 + (y[i] - v[i])^2 = 1
}}
for i in 1..N {{
    constraint lo[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1
    constraint up[i]: (u[i] - u[i-1])^2 + (v[i] - v[i-1])^2 = 1
    constraint d1[i]: (u[i] - x[i-1])^2 + (v[i] - y[i-1])^2 = 2
    {second}
}}
constraint pin: [x[0], y[0]] = [0, 0]
"
    )
}

#[test]
fn long_trusses_fall_as_rigid_bodies() {
    for (n, braces) in [(60, false), (60, true), (400, false), (300, true)] {
        let mut model = load(&truss(braces), &[("N", n)]);
        let state = model.start().expect("a start").state;
        let s = solve(&model.compiled, &state);
        assert_eq!((s.rank, s.path), (4 * (n + 1) - 1, Taken::Sparse));
        // th'' = -g sum(x)/sum(x^2 + y^2) about the pin, over the nodes of both chords; the last node of the lower one.
        let (mut arm, mut inertia) = (0.0, 0.0);
        for i in 0..=n {
            let i = i as f64;
            (arm, inertia) = (arm + 2.0 * i, inertia + 2.0 * i * i + 1.0);
        }
        let exact = -9.81 * arm / inertia * n as f64;
        let got = s.eta_dot[(n + 1) + n];
        // Chords carry N^2 times the weight of a node: as many digits are rounding.
        assert!((got - exact).abs() < 1e-9, "{n} {braces}: {got} {exact}");
        let request = Request { until: Some(0.02), times: Some(vec![]), ..Request::default() };
        let motion = model.simulate(&request, |_| Flow::Continue).expect("it falls");
        assert!(motion.failure.is_none(), "{n} {braces}: {:?}", motion.failure);
        assert!(motion.counters().steps < 15, "{n} {braces}: {} steps", motion.counters().steps);
    }
}

#[test]
fn large_systems_that_are_not_sparse_are_refused() {
    let head = "const N = 2010\ncoordinate x[1..N]\n";
    let coupled = format!("{head}kinetic sum(i in 1..N, x[i]')^2 + sum(i in 1..N, x[i]'^2)\n");
    assert!(refused(&coupled).starts_with("E0802"), "{}", refused(&coupled));
    let massless = format!("{head}kinetic x[1]'^2\nconstraint c: x[1] = x[2]\n");
    assert!(refused(&massless).starts_with("E0802"));
    let quasi = "const N = 2010\ncoordinate x[1..N]\nspeed u[1..N]\nfor i in 1..N {\nkinematics x[i]' = 2*u[i]\nkinetic u[i]^2\n}\n";
    assert!(refused(quasi).starts_with("E0802"), "{}", refused(quasi));
    let required = format!("{head}kinetic sum(i in 1..N, x[i]'^2)\nrequire r: x[1] = 0 decay 2, 1\n");
    assert!(refused(&required).starts_with("E0802"));
}

/// What needs matrices in full says so.
#[test]
fn dense_features_refuse_large_systems() {
    let mut model = load(CHAIN, &[("N", 700)]);
    let request = Request { method: Some("radau".into()), until: Some(0.1), ..Request::default() };
    assert_eq!(model.simulate(&request, |_| Flow::Continue).unwrap_err().code.id(), "E0802");
    let kernel = dalembert::equations::write(
        &mut model,
        dalembert::equations::Form::Kernel,
        dalembert_expr::Format::Text,
    );
    assert_eq!(kernel.unwrap_err().code.id(), "E0802");
    assert_eq!(dalembert::analyze::analyze(&mut model).err().unwrap().code.id(), "E0802");
}
