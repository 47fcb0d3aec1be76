//! Large systems: the sparse factorisation gives what the dense one gives, and costs what its entries cost.

use dalembert_linalg::Lcg;
use dalembert_run::{
    AccelerationError, Accelerator, Capabilities, Dynamics, Level, Method, Options, Pattern, Point, Row,
    Shape, Solution, Sparsity, State, Stop, Taken, Terms, integrate,
};
use proptest::prelude::*;
use std::sync::Arc;

/// Numbers at one state, given by entries or written out.
#[derive(Clone, Debug)]
struct Numbers {
    n: usize,
    mass: Vec<Vec<(usize, f64)>>,
    rows: Vec<Vec<(usize, f64)>>,
    Q: Vec<f64>,
    b: Vec<f64>,
    levels: Vec<Level>,
    sparsity: Option<Arc<Sparsity>>,
}

fn pattern(n: usize, rows: &[Vec<(usize, f64)>]) -> Pattern {
    Pattern::new(n, rows.iter().map(|row| row.iter().map(|e| e.0)))
}

impl Numbers {
    fn new(mass: Vec<Vec<(usize, f64)>>, rows: Vec<Vec<(usize, f64)>>, Q: Vec<f64>, b: Vec<f64>) -> Self {
        let (n, levels) = (mass.len(), vec![Level::Velocity; rows.len()]);
        let sparsity = Sparsity::new(pattern(n, &mass), pattern(n, &rows)).map(Arc::new);
        Self { n, mass, rows, Q, b, levels, sparsity }
    }

    fn dense(&self) -> Self {
        Self { sparsity: None, ..self.clone() }
    }

    fn solve(&self) -> Result<Solution, AccelerationError> {
        let (x, eta) = (vec![0.0; self.n], vec![0.0; self.n]);
        let mut accelerator = Accelerator::new(self);
        accelerator.solve(self, Point { t: 0.0, x: &x, eta: &eta }).cloned()
    }
}

impl Dynamics for Numbers {
    fn shape(&self) -> Shape {
        Shape { n_x: self.n, n_eta: self.n, n_con: self.rows.len(), identity_frame: true, ..Shape::default() }
    }

    fn levels(&self) -> &[Level] {
        &self.levels
    }

    fn terms(&self, at: Point<'_>, _: &mut [f64], out: &mut Terms) {
        out.x_dot.copy_from_slice(at.eta);
        out.Q.copy_from_slice(&self.Q);
        out.b.copy_from_slice(&self.b);
        let write = |list: &[Vec<(usize, f64)>], place: &dyn Fn(usize, usize) -> usize, out: &mut [f64]| {
            out.fill(0.0);
            for (i, row) in list.iter().enumerate() {
                row.iter().for_each(|&(j, v)| out[place(i, j)] = v);
            }
        };
        match &out.sparsity.clone() {
            Some(s) => {
                write(&self.mass, &|i, j| s.mass.place(i, j).unwrap(), &mut out.M);
                write(&self.rows, &|i, j| s.constraint.place(i, j).unwrap(), &mut out.A);
            }
            None => {
                write(&self.mass, &|i, j| i * self.n + j, &mut out.M);
                write(&self.rows, &|i, j| i * self.n + j, &mut out.A);
            }
        }
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { sparsity: self.sparsity.as_ref(), ..Capabilities::default() }
    }
}

/// Numbers in (-1, 1), the same for the same seed.
struct Draws(Lcg);

impl Draws {
    fn next(&mut self) -> f64 {
        2.0 * self.0.uniform() - 1.0
    }

    fn below(&mut self, n: usize) -> usize {
        (((self.next() + 1.0) / 2.0) * n as f64) as usize % n
    }
}

/// Positive definite with neighbours `reach` apart coupled.
fn banded_mass(n: usize, reach: usize, draws: &mut Draws) -> Vec<Vec<(usize, f64)>> {
    let mut mass: Vec<Vec<(usize, f64)>> = (0..n).map(|i| vec![(i, 2.0 + draws.next())]).collect();
    for i in 0..n.saturating_sub(reach) {
        let v = 0.4 * draws.next();
        mass[i].push((i + reach, v));
        mass[i + reach].insert(0, (i, v));
    }
    mass.iter_mut().for_each(|row| row.sort_by_key(|e| e.0));
    mass
}

/// A random row over a few neighbouring speeds.
fn random_row(n: usize, draws: &mut Draws) -> Vec<(usize, f64)> {
    let (first, width) = (draws.below(n), 1 + draws.below(5));
    let size = 10f64.powf(3.0 * draws.next());
    let last = (first + width).min(n);
    (first..last).map(|j| (j, size * (draws.next() + 1.5 * draws.next().signum()))).collect()
}

fn combination(
    rows: &[Vec<(usize, f64)>],
    b: &[f64],
    i: usize,
    j: usize,
    w: f64,
) -> (Vec<(usize, f64)>, f64) {
    let mut sum: std::collections::BTreeMap<usize, f64> = rows[i].iter().copied().collect();
    rows[j].iter().for_each(|&(k, v)| *sum.entry(k).or_default() += w * v);
    (sum.into_iter().collect(), b[i] + w * b[j])
}

/// A system with `extra` redundant rows.
fn random_system(n: usize, m: usize, extra: usize, reach: usize, seed: u64) -> Numbers {
    let mut draws = Draws(Lcg::new(seed));
    let mass = if reach == 0 {
        (0..n).map(|i| vec![(i, 1.5 + draws.next())]).collect()
    } else {
        banded_mass(n, reach, &mut draws)
    };
    let mut rows: Vec<Vec<(usize, f64)>> = Vec::new();
    // One pivot a row, so that the first m are independent and not badly so.
    for k in 0..m {
        let mut row = random_row(n, &mut draws);
        let largest = row.iter().fold(0.0f64, |s, e| s.max(e.1.abs()));
        let own = k * n / m;
        row.retain(|e| e.0 != own);
        row.push((own, 8.0 * largest));
        row.sort_by_key(|e| e.0);
        rows.push(row);
    }
    let mut b: Vec<f64> =
        rows.iter().map(|r| r.iter().fold(0.0f64, |s, e| s.max(e.1.abs())) * draws.next()).collect();
    for _ in 0..extra {
        let (i, j, w) = (draws.below(m), draws.below(m), draws.next());
        let (row, right) = combination(&rows, &b, i, j, if i == j { 0.0 } else { w });
        rows.push(row);
        b.push(right);
    }
    let Q = (0..n).map(|_| draws.next()).collect();
    Numbers::new(mass, rows, Q, b)
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    let size = a.iter().chain(b).fold(1e-300f64, |m, v| m.max(v.abs()));
    a.iter().zip(b).fold(0.0f64, |m, (x, y)| m.max((x - y).abs())) / size
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Independent rows of sizes over six orders of magnitude, any M: the same solution.
    #[test]
    fn sparse_is_dense(n in 6usize..60, share in 0.1f64..0.9, reach in 0usize..4, seed in any::<u64>()) {
        let system = random_system(n, ((n as f64 * share) as usize).max(1), 0, reach, seed);
        let (sparse, dense) = (system.solve().unwrap(), system.dense().solve().unwrap());
        prop_assert_eq!(sparse.rank, dense.rank);
        for (s, d) in [
            (&sparse.eta_dot, &dense.eta_dot), (&sparse.a_free, &dense.a_free),
            (&sparse.ideal_force, &dense.ideal_force), (&sparse.lambda, &dense.lambda),
        ] {
            // Multipliers of rows of unequal sizes are compared by the largest; their digits go with the condition.
            prop_assert!(apart(s, d) < 1e-11, "{} {:?}", apart(s, d), sparse.path);
        }
        prop_assert!((sparse.gauss - dense.gauss).abs() <= 1e-10 * dense.gauss.abs() + 1e-14);
    }
}

/// Beyond the size at which doubtful cases are given to the dense decompositions, rows are dropped by the sparse one.
#[test]
fn redundant_rows_are_dropped_and_multipliers_are_shared() {
    for (seed, reach) in [(0, 0), (1, 1), (2, 3)] {
        let mut system = random_system(500, 250, 5, reach, seed);
        let (sparse, dense) = (system.solve().unwrap(), system.dense().solve().unwrap());
        assert_eq!((sparse.rank, sparse.path), (250, Taken::Sparse));
        assert_eq!(dense.rank, 250);
        assert!(apart(&sparse.eta_dot, &dense.eta_dot) < 1e-12, "{}", apart(&sparse.eta_dot, &dense.eta_dot));
        assert!(apart(&sparse.ideal_force, &dense.ideal_force) < 1e-12);
        // Of minimum norm in both.
        assert!(apart(&sparse.lambda, &dense.lambda) < 1e-10, "{}", apart(&sparse.lambda, &dense.lambda));
        // Contradicting rows are an error that names them (U6).
        system.b[252] += 1.0 + system.b[252].abs();
        let Err(AccelerationError::Inconsistent { rows, .. }) = system.solve() else {
            panic!("rows contradict")
        };
        let Err(AccelerationError::Inconsistent { rows: judged, .. }) = system.dense().solve() else {
            panic!("rows contradict")
        };
        let (mut rows, mut judged) = (rows, judged);
        rows.sort_unstable();
        judged.sort_unstable();
        assert!(rows.contains(&252) && judged.contains(&252), "{rows:?} {judged:?}");
        assert!(rows.len() >= 2);
    }
}

/// Rows in any units, in a system too large for the dense decompositions: none is taken for one that has vanished.
#[test]
fn units_of_rows_do_not_matter() {
    let system = random_system(700, 200, 0, 1, 5);
    let plain = system.solve().unwrap();
    for unit in [1e-20, 1e20] {
        let mut scaled = system.clone();
        scaled.rows.iter_mut().flatten().for_each(|e| e.1 *= unit);
        scaled.b.iter_mut().for_each(|b| *b *= unit);
        let scaled = scaled.solve().unwrap();
        assert_eq!((scaled.rank, scaled.path), (200, Taken::Sparse));
        assert!(apart(&scaled.eta_dot, &plain.eta_dot) < 1e-12, "{}", apart(&scaled.eta_dot, &plain.eta_dot));
        assert!((scaled.margin / plain.margin - 1.0).abs() < 1e-9);
    }
}

/// Rows at small angles to others, in a system too large for the dense decompositions: refinement gives the digits back.
#[test]
fn nearly_dependent_rows_of_a_large_system_lose_no_digits() {
    let mut system = random_system(700, 150, 0, 1, 11);
    for k in 0..5 {
        let near = system.rows[7 * k].iter().map(|&(j, v)| (j, v * (1.0 + 1e-4 * (j as f64).sin())));
        system.rows.push(near.collect());
        system.levels.push(Level::Velocity);
    }
    // Right sides of accelerations that are not large.
    let b = system.rows.iter().map(|row| row.iter().map(|(j, v)| v * (*j as f64).cos()).sum());
    let system = Numbers::new(system.mass, system.rows.clone(), system.Q, b.collect());
    let (sparse, dense) = (system.solve().unwrap(), system.dense().solve().unwrap());
    assert_eq!((sparse.rank, sparse.path, dense.rank), (155, Taken::Sparse, 155));
    // The margin is 1e-6, so that ten digits are left of sixteen.
    for (s, d) in [
        (&sparse.eta_dot, &dense.eta_dot),
        (&sparse.ideal_force, &dense.ideal_force),
        (&sparse.lambda, &dense.lambda),
    ] {
        assert!(apart(s, d) < 1e-8, "{}", apart(s, d));
    }
}

/// Many dropped rows: multipliers of minimum norm by conjugate gradients are those of the dense decomposition.
#[test]
fn many_redundant_rows_share_multipliers_too() {
    for seed in 0..3 {
        let system = random_system(500, 250, 80, seed as usize % 3, 10 + seed);
        let (sparse, dense) = (system.solve().unwrap(), system.dense().solve().unwrap());
        assert_eq!((sparse.rank, sparse.path, dense.rank), (250, Taken::Sparse, 250));
        assert!(apart(&sparse.eta_dot, &dense.eta_dot) < 1e-11, "{}", apart(&sparse.eta_dot, &dense.eta_dot));
        // The digits of multipliers go with the condition of the rows, in both.
        assert!(apart(&sparse.lambda, &dense.lambda) < 1e-9, "{}", apart(&sparse.lambda, &dense.lambda));
    }
}

/// Rows of a small system that are plainly redundant are dropped by the sparse factorisation too.
#[test]
fn plain_redundancy_of_a_small_system_is_not_in_doubt() {
    let system = random_system(30, 12, 3, 1, 7);
    let (sparse, dense) = (system.solve().unwrap(), system.dense().solve().unwrap());
    assert_eq!((sparse.rank, sparse.path, dense.rank), (12, Taken::Sparse, 12));
    assert!(apart(&sparse.eta_dot, &dense.eta_dot) < 1e-12, "{}", apart(&sparse.eta_dot, &dense.eta_dot));
    assert!(apart(&sparse.lambda, &dense.lambda) < 1e-11, "{}", apart(&sparse.lambda, &dense.lambda));
}

/// A small system with a row that is nearly redundant is decided by the dense decompositions, to the same digits.
#[test]
fn doubtful_cases_of_small_systems_are_dense() {
    let mut system = random_system(30, 12, 3, 1, 7);
    // Off by a millionth: a pivot of 1e-12, which may be rounding or a direction of its own.
    for k in 12..15 {
        system.rows[k].iter_mut().for_each(|e| e.1 *= 1.0 + 1e-6 * (e.0 as f64).sin());
    }
    // Right sides of accelerations that are not large.
    let b = system.rows.iter().map(|row| row.iter().map(|(j, v)| v * (*j as f64).cos()).sum());
    system.b = b.collect();
    let (sparse, dense) = (system.solve().unwrap(), system.dense().solve().unwrap());
    assert_eq!(sparse.path, dense.path);
    assert_eq!((sparse.eta_dot, sparse.lambda), (dense.eta_dot, dense.lambda));
}

/// A massless speed: U9 for a small system, an error for a large one, never a wrong answer.
#[test]
fn a_singular_mass_matrix_is_noticed() {
    for (n, small) in [(40, true), (700, false)] {
        let mut system = random_system(n, n / 4, 0, 1, 3);
        let row = &mut system.mass[5];
        row.iter_mut().for_each(|e| e.1 = 0.0);
        for i in [4, 6] {
            system.mass[i].iter_mut().filter(|e| e.0 == 5).for_each(|e| e.1 = 0.0);
        }
        match (system.solve(), small) {
            (Ok(s), true) => assert_eq!(s.path, Taken::NullSpace),
            (Err(AccelerationError::MassSingular { speed, .. }), _) => assert!(small || speed == 5),
            other => panic!("{:?}", other.0.map(|s| s.path)),
        }
    }
}

/// Bodies in a row, on a tree, in a net: what is filled grows as the system does (a net: as N log N, like nested
/// dissection).
#[test]
fn fill_grows_with_the_system() {
    let link = |i: usize| [3 * i, 3 * i + 1, 3 * i + 2];
    let chain = |count: usize, parent: &dyn Fn(usize) -> usize| {
        let mut rows = Vec::new();
        for i in 0..count {
            for axis in 0..2 {
                let mut row = vec![link(i)[axis], link(i)[2]];
                if i > 0 {
                    row.extend([link(parent(i))[axis], link(parent(i))[2]]);
                }
                row.sort_unstable();
                rows.push(row);
            }
        }
        Sparsity::new(Pattern::diagonal(3 * count), Pattern::new(3 * count, rows)).unwrap()
    };
    for parent in [&(|i: usize| i - 1) as &dyn Fn(usize) -> usize, &|i: usize| (i - 1) / 2] {
        let (short, long) = (chain(500, parent), chain(5000, parent));
        assert!(long.fill() <= 10 * short.fill() + 200, "{} {}", short.fill(), long.fill());
        assert!(long.work() <= 11 * short.work(), "{} {}", short.work(), long.work());
        assert!(long.fill() < 22 * 5000, "{}", long.fill());
    }
    // Coupled masses: consistent finite elements in a row, every node held by a row with its neighbour.
    let coupled = |count: usize| {
        let mass = (0..count).map(|i| i.saturating_sub(1)..(i + 2).min(count));
        let rows = (0..count - 1).map(|i| [i, i + 1]);
        Sparsity::new(Pattern::new(count, mass), Pattern::new(count, rows)).unwrap()
    };
    let (short, long) = (coupled(500), coupled(5000));
    assert!(long.fill() <= 10 * short.fill() + 200, "{} {}", short.fill(), long.fill());
    let net = |side: usize| {
        let node = |i: usize, j: usize| 3 * (i * side + j);
        let mut rows = Vec::new();
        for i in 0..side {
            for j in 0..side {
                for (a, b) in [(i + 1, j), (i, j + 1)] {
                    if a < side && b < side {
                        let (p, q) = (node(i, j), node(a, b));
                        rows.push([p, p + 1, p + 2, q, q + 1, q + 2]);
                    }
                }
            }
        }
        Sparsity::new(Pattern::diagonal(3 * side * side), Pattern::new(3 * side * side, rows)).unwrap()
    };
    let (short, long) = (net(10), net(40));
    assert!(long.fill() < 16 * 3 * short.fill(), "{} {}", short.fill(), long.fill());
}

/// What would fill memory is refused, not tried.
#[test]
fn a_system_that_is_not_sparse_is_refused() {
    let n = 10_000;
    // A hub to which every row is tied: A M^-1 A^T is full.
    let rows: Vec<[usize; 2]> = (1..n).map(|i| [0, i]).collect();
    assert!(Sparsity::new(Pattern::diagonal(n), Pattern::new(n, rows)).is_none());
    // No inertia by structure.
    assert!(Sparsity::new(Pattern::new(2, [vec![0], vec![]]), Pattern::new(2, [vec![1]])).is_none());
}

/// A system with one row that becomes shorter along the motion.
struct Fading(Numbers);

impl Dynamics for Fading {
    fn shape(&self) -> Shape {
        self.0.shape()
    }

    fn levels(&self) -> &[Level] {
        self.0.levels()
    }

    fn terms(&self, at: Point<'_>, scratch: &mut [f64], out: &mut Terms) {
        self.0.terms(at, scratch, out);
        let fade = (-40.0 * at.t).exp();
        out.b[3] *= fade;
        let sparsity = out.sparsity.clone();
        for &(j, _) in &self.0.rows[3] {
            let place = sparsity.as_ref().map_or(3 * self.0.n + j, |s| s.constraint.place(3, j).unwrap());
            out.A[place] *= fade;
        }
    }

    fn capabilities(&self) -> Capabilities<'_> {
        self.0.capabilities()
    }
}

/// The margin of rows that become shorter is that of the dense factorisation.
#[test]
fn a_row_that_becomes_shorter_lowers_the_margin() {
    // Rows that have nothing in common: the margin is by how much the third is shorter than it was lately.
    let mass = (0..30).map(|i| vec![(i, 1.0 + i as f64)]).collect();
    let rows = (0..12).map(|i| vec![(2 * i, 1.0), (2 * i + 1, 0.5)]).collect();
    let system = Numbers::new(mass, rows, vec![1.0; 30], vec![0.0; 12]);
    assert!(system.sparsity.is_some());
    let start = State::new(0.0, &[0.0; 30], &[0.0; 30]);
    let options = Options { method: Method::Rk4, fixed_step: Some(0.02), ..Options::default() };
    let margin = |kernel: &dyn Dynamics| {
        let out = integrate(kernel, &start, 0.1, &options, &mut |_: Row| {});
        assert_eq!(out.stop, Stop::EndTime);
        out.smallest_margin
    };
    let (sparse, dense) = (margin(&Fading(system.clone())), margin(&Fading(system.dense())));
    assert!((sparse / dense - 1.0).abs() < 1e-6, "{sparse} {dense}");
    assert!(sparse < 0.6 && margin(&system) > 0.99, "{sparse}");
}
