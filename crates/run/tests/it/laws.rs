//! Laws of the explicit equation of motion (U1-U9) over random systems.

use crate::judge;
use crate::support::{same_cases, vector};
use dalembert_run::*;
use nalgebra::{DMatrix, DVector, SymmetricEigen};
use proptest::prelude::*;

#[derive(Clone, Debug)]
struct System {
    n: usize,
    m: usize,
    terms: Terms,
    C: Vec<f64>,
    /// Rank of A by construction.
    rank: usize,
    /// Some motion that satisfies the rows, so that they are consistent.
    z: Vec<f64>,
}

/// Random M > 0, Q, C; `rank` independent rows and some that are sums of them; b consistent.
fn system() -> impl Strategy<Value = System> {
    (1..7usize)
        .prop_flat_map(|n| (Just(n), 0..=n, 0..3usize))
        .prop_flat_map(|(n, r, extra)| {
            let extra = if r == 0 { 0 } else { extra };
            (
                Just((n, r, extra)),
                vector(n * n),
                vector(n),
                vector(n),
                vector(r * n),
                vector(extra * r),
                vector(n),
            )
        })
        .prop_map(|((n, r, extra), G, Q, C, rows, mix, z)| {
            let g = DMatrix::from_row_slice(n, n, &G);
            let M = &g * g.transpose() + DMatrix::identity(n, n) * 0.3;
            let mut A = rows;
            for e in 0..extra {
                let row: Vec<f64> =
                    (0..n).map(|j| (0..r).map(|s| mix[e * r + s] * A[s * n + j]).sum()).collect();
                A.extend(row);
            }
            let m = r + extra;
            let b = (DMatrix::from_row_slice(m, n, &A) * DVector::from_row_slice(&z)).as_slice().to_vec();
            let terms = Terms { x_dot: vec![], M: M.as_slice().to_vec(), Q, A, b, sparsity: None };
            System { n, m, terms, C, rank: r, z }
        })
        .prop_filter("rank as meant, well away from loss", |s| {
            let rows = DMatrix::from_row_slice(s.rank, s.n, &s.terms.A[..s.rank * s.n]);
            judge::pseudo_inverse(&rows).1.iter().all(|s| *s > 3e-2)
        })
}

fn solve_with(s: &System, terms: &Terms, path: Path) -> Result<Solution, AccelerationError> {
    let m = terms.b.len();
    let shape = Shape { n_eta: s.n, n_con: m, ..Shape::default() };
    let mut accelerator = Accelerator::with_shape(shape, 0).with_nonideal();
    accelerator.path = path;
    accelerator.solve_terms(0.0, &[], terms, |_, C| C.copy_from_slice(&s.C))?;
    Ok(accelerator.solution().clone())
}

fn solve(s: &System) -> Solution {
    solve_with(s, &s.terms, Path::Auto).unwrap()
}

fn close(a: &[f64], b: &[f64], tol: f64) -> bool {
    let size = a.iter().chain(b).fold(1.0_f64, |m, v| m.max(v.abs()));
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tol * size)
}

fn vec_of(v: &[f64]) -> DVector<f64> {
    DVector::from_row_slice(v)
}

impl System {
    fn M(&self) -> DMatrix<f64> {
        DMatrix::from_row_slice(self.n, self.n, &self.terms.M)
    }
    fn A(&self) -> DMatrix<f64> {
        DMatrix::from_row_slice(self.m, self.n, &self.terms.A)
    }
    fn gauss(&self, z: &DVector<f64>) -> f64 {
        let r = self.M() * z - vec_of(&self.terms.Q) - vec_of(&self.C);
        (r.transpose() * self.M().try_inverse().unwrap() * &r)[0]
    }
    /// Orthogonal projector onto ker A.
    fn kernel_projector(&self) -> DMatrix<f64> {
        if self.m == 0 {
            return DMatrix::identity(self.n, self.n);
        }
        // By our own decomposition, whose null space is judged in `tests/it/linalg.rs`.
        let mut cod = dalembert_linalg::Cod::new(self.m, self.n);
        let rank = cod.factor(&self.terms.A, dalembert_linalg::RANK_TOL);
        let mut P = DMatrix::zeros(self.n, self.n);
        for j in 0..self.n - rank {
            let mut v = vec![0.0; self.n];
            cod.lq.null_vector(j, &mut v);
            P += vec_of(&v) * vec_of(&v).transpose();
        }
        P
    }
}

proptest! {
    #![proptest_config(same_cases(256, 20260))]

    #[test]
    fn constraints_hold_and_forces_balance(s in system()) {
        let out = solve(&s);
        prop_assert_eq!(out.rank, s.rank);
        prop_assert!(out.residual < 1e-12);
        let left = s.A() * vec_of(&out.eta_dot);
        prop_assert!(close(left.as_slice(), &s.terms.b, 1e-10));                         // K3
        let force = s.M() * vec_of(&out.eta_dot);
        let sum = vec_of(&s.terms.Q) + vec_of(&out.ideal_force) + vec_of(&out.nonideal_force);
        prop_assert!(close(force.as_slice(), sum.as_slice(), 1e-10));                    // U4
        let from_lambda = s.A().transpose() * vec_of(&out.lambda);
        prop_assert!(close(from_lambda.as_slice(), &out.ideal_force, 1e-10));            // Q_i = A^T lambda
    }

    #[test]
    fn virtual_work(s in system(), v in vector(7)) {
        let out = solve(&s);
        let v = s.kernel_projector() * vec_of(&v[..s.n]);
        prop_assert!(v.dot(&vec_of(&out.ideal_force)).abs() < 1e-9);                     // ideal
        let work = v.dot(&vec_of(&out.nonideal_force));
        prop_assert!((work - v.dot(&vec_of(&s.C))).abs() < 1e-9);                        // K4
    }

    #[test]
    fn gauss_minimum(s in system(), w in vector(7)) {
        let out = solve(&s);
        let at = vec_of(&out.eta_dot);
        let least = s.gauss(&at);
        prop_assert!((least - out.gauss).abs() < 1e-8 * (1.0 + least));                  // U7
        let other = &at + s.kernel_projector() * vec_of(&w[..s.n]);
        prop_assert!(s.gauss(&other) >= least - 1e-9 * (1.0 + least));
        // The motion the rows were made from is admissible too.
        prop_assert!(s.gauss(&vec_of(&s.z)) >= least - 1e-9 * (1.0 + least));
    }

    #[test]
    fn the_two_parts_are_orthogonal_in_the_metric_of_mass(s in system()) {
        let out = solve(&s);
        let inverse = s.M().try_inverse().unwrap();
        let product = (vec_of(&out.ideal_force).transpose() * inverse * vec_of(&out.nonideal_force))[0];
        prop_assert!(product.abs() < 1e-9, "U5: {}", product);
    }

    #[test]
    fn cholesky_form_is_the_symmetric_root_form(s in system()) {
        let out = solve(&s);
        let eigen = SymmetricEigen::new(s.M());
        let power = |p: f64| {
            &eigen.eigenvectors * DMatrix::from_diagonal(&eigen.eigenvalues.map(|v| v.powf(p))) * eigen.eigenvectors.transpose()
        };
        let (root, inverse_root) = (power(0.5), power(-0.5));
        let a = power(-1.0) * vec_of(&s.terms.Q);
        let (mut eta_dot, mut ideal) = (a.clone() + power(-1.0) * vec_of(&s.C), DVector::zeros(s.n));
        let mut lambda = DVector::zeros(s.m);
        if s.m > 0 {
            let B = s.A() * &inverse_root;
            let (pinv, _) = judge::pseudo_inverse(&B);
            let e = vec_of(&s.terms.b) - s.A() * &a;
            let identity = DMatrix::identity(s.n, s.n);
            eta_dot = &a + &inverse_root * (&pinv * &e + (identity - &pinv * &B) * &inverse_root * vec_of(&s.C));
            ideal = &root * &pinv * &e;
            // (B B^T)^+ = (B^+)^T B^+
            lambda = pinv.transpose() * &pinv * &e;
        }
        prop_assert!(close(&out.eta_dot, eta_dot.as_slice(), 1e-8));                     // U1
        prop_assert!(close(&out.ideal_force, ideal.as_slice(), 1e-8));                   // U2
        prop_assert!(close(&out.lambda, lambda.as_slice(), 1e-6));                       // minimum norm
    }

    #[test]
    fn gram_and_orthogonal_paths_agree(s in system()) {
        prop_assume!(s.rank == s.m && s.m > 0);
        let (gram, cod) = (solve_with(&s, &s.terms, Path::Gram).unwrap(), solve_with(&s, &s.terms, Path::Cod).unwrap());
        prop_assert!(matches!(gram.path, Taken::Gram | Taken::GramRefined) && cod.path == Taken::Cod);
        prop_assert!(close(&gram.eta_dot, &cod.eta_dot, 1e-11) && close(&gram.lambda, &cod.lambda, 1e-9));
    }

    #[test]
    fn rows_may_be_scaled_reordered_and_repeated(s in system(), scale in prop::collection::vec(-6.0..6.0_f64, 9), turn in 0..9usize) {
        prop_assume!(s.m > 0);
        let out = solve(&s);
        let mut terms = s.terms.clone();
        // Row i of the new system is row (i + turn) of the old, times a power of ten; the first is there twice.
        let order: Vec<usize> = (0..s.m).map(|i| (i + turn) % s.m).chain([turn % s.m]).collect();
        let factor = |i: usize| 10.0_f64.powf(scale[i % 9]) * if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        terms.A = order.iter().enumerate().flat_map(|(i, &k)| (0..s.n).map(move |j| (i, k * s.n + j))).map(|(i, p)| factor(i) * s.terms.A[p]).collect();
        terms.b = order.iter().enumerate().map(|(i, &k)| factor(i) * s.terms.b[k]).collect();
        let again = solve_with(&s, &terms, Path::Auto).unwrap();
        prop_assert_eq!(again.rank, out.rank);
        prop_assert!(close(&again.eta_dot, &out.eta_dot, 1e-9));
        prop_assert!(close(&again.ideal_force, &out.ideal_force, 1e-9));
        prop_assert!(close(&again.nonideal_force, &out.nonideal_force, 1e-9));
    }

    #[test]
    fn contradiction_is_an_error_that_names_a_row(s in system(), jump in 0.1..1.0_f64) {
        prop_assume!(s.rank < s.m);
        let mut terms = s.terms.clone();
        terms.b[s.m - 1] += jump;
        match solve_with(&s, &terms, Path::Auto) {
            Err(AccelerationError::Inconsistent { rows, residuals, .. }) => {
                prop_assert!(!rows.is_empty() && rows.len() == residuals.len());
            }
            other => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn null_space_form_agrees_where_both_hold(s in system()) {
        // Adding -k A^T A to M leaves the motion unchanged if Q follows (M z - Q changes by a force normal to ker A),
        // but makes M indefinite: U9 must give the same accelerations.
        prop_assume!(s.rank > 0);
        let out = solve(&s);
        let normal = s.A().transpose() * s.A();
        let M = s.M() - &normal * 50.0;
        prop_assume!(M.clone().cholesky().is_none());
        let mut terms = s.terms.clone();
        terms.M = M.as_slice().to_vec();
        let again = solve_with(&s, &terms, Path::Auto).unwrap();
        prop_assert_eq!(again.path, Taken::NullSpace);
        prop_assert!(close(&again.eta_dot, &out.eta_dot, 1e-7), "{:?} {:?}", again.eta_dot, out.eta_dot);
        prop_assert!(again.gauss.is_nan() && again.a_free.iter().all(|v| v.is_nan()));
    }

    #[test]
    fn nothing_panics_on_nonsense(s in system(), place in 0..1000usize, bad in prop::sample::select(vec![f64::NAN, f64::INFINITY, 1e308, 0.0])) {
        let mut terms = s.terms.clone();
        let all = [&mut terms.M, &mut terms.Q, &mut terms.A, &mut terms.b];
        let count: usize = all.iter().map(|v| v.len()).sum();
        let mut k = place % count;
        for values in all {
            if k < values.len() {
                values[k] = bad;
                break;
            }
            k -= values.len();
        }
        let out = solve_with(&s, &terms, Path::Auto);
        if let Ok(solution) = &out {
            prop_assert!(solution.eta_dot.iter().all(|v| v.is_finite()));
        }
        if !bad.is_finite() {
            let found = matches!(out, Err(AccelerationError::NotFinite { .. }));
            prop_assert!(found, "{:?}", out);
        }
    }
}

fn plain(n: usize, M: &[f64], Q: &[f64], A: &[f64], b: &[f64]) -> Result<Solution, AccelerationError> {
    let shape = Shape { n_eta: n, n_con: b.len(), ..Shape::default() };
    let mut accelerator = Accelerator::with_shape(shape, 0);
    let terms =
        Terms { x_dot: vec![], M: M.to_vec(), Q: Q.to_vec(), A: A.to_vec(), b: b.to_vec(), sparsity: None };
    accelerator.solve_terms(1.5, &[], &terms, |_, _| {})?;
    Ok(accelerator.solution().clone())
}

#[test]
fn zero_rows() {
    let M = [1.0, 0.0, 0.0, 1.0];
    let out = plain(2, &M, &[1.0, 2.0], &[0.0, 0.0], &[0.0]).unwrap();
    assert_eq!((out.rank, out.eta_dot.as_slice()), (0, &[1.0, 2.0][..]));
    let out = plain(2, &M, &[1.0, 2.0], &[0.0, 0.0], &[1e-3]);
    assert_eq!(out, Err(AccelerationError::Inconsistent { t: 1.5, rows: vec![0], residuals: vec![1.0] }));
}

#[test]
fn massless_coordinates() {
    // A massless point tied to a mass by a row: q2'' = q1'', so the mass feels both forces.
    let out = plain(2, &[2.0, 0.0, 0.0, 0.0], &[3.0, 1.0], &[1.0, -1.0], &[0.0]).unwrap();
    assert_eq!(out.path, Taken::NullSpace);
    assert!((out.eta_dot[0] - 2.0).abs() < 1e-14 && (out.eta_dot[1] - 2.0).abs() < 1e-14);
    assert!((out.lambda[0] - 1.0).abs() < 1e-14);
    assert!(close(&out.ideal_force, &[1.0, -1.0], 1e-14), "A^T lambda: {:?}", out.ideal_force);
    // Without the row nothing determines it.
    let out = plain(2, &[2.0, 0.0, 0.0, 0.0], &[3.0, 1.0], &[], &[]);
    assert!(matches!(out, Err(AccelerationError::MassSingular { speed: 1, .. })), "{out:?}");
    // All massless and free.
    let out = plain(2, &[0.0; 4], &[3.0, 1.0], &[], &[]);
    assert!(matches!(out, Err(AccelerationError::MassSingular { .. })), "{out:?}");
    // A singular direction that is not a coordinate.
    let out = plain(2, &[1.0, 2.0, 2.0, 4.0], &[0.0, 0.0], &[], &[]);
    assert!(matches!(out, Err(AccelerationError::MassSingular { speed: 0, .. })), "{out:?}");
    // Lagrangians with q1' q2' only have an indefinite, regular M.
    let out = plain(2, &[0.0, 1.0, 1.0, 0.0], &[3.0, 1.0], &[], &[]).unwrap();
    assert!((out.eta_dot[0] - 1.0).abs() < 1e-14 && (out.eta_dot[1] - 3.0).abs() < 1e-14);
}

#[test]
fn light_and_strongly_coupled_masses_are_not_singular() {
    for (m, coupling) in [(1e-20, 0.0), (1.0, 0.999)] {
        let M = [m, coupling, coupling, 1.0];
        // M times the accelerations (3, 2); the row stops the second speed.
        let Q = [3.0 * m + 2.0 * coupling, 3.0 * coupling + 2.0];
        let out = plain(2, &M, &Q, &[0.0, 1.0], &[0.0]).unwrap();
        assert_ne!(out.path, Taken::NullSpace);
        assert!(close(&out.a_free, &[3.0, 2.0], 1e-12), "{:?}", out.a_free);
        assert!(close(&out.eta_dot, &[Q[0] / m, 0.0], 1e-12), "{:?}", out.eta_dot);
    }
}

#[test]
fn a_contradiction_is_one_in_any_units_and_next_to_any_other_body() {
    // Twice the same row, with different right sides; the other speed has nothing to do with it.
    for (right, push, speed) in [(1.0, 1e14, 0.0), (1e-13, 0.0, 1e-9), (1e13, 0.0, 1e3)] {
        let shape = Shape { n_eta: 2, n_con: 2, ..Shape::default() };
        let terms = Terms {
            x_dot: vec![],
            M: vec![1.0, 0.0, 0.0, 1.0],
            Q: vec![push, 0.0],
            A: vec![0.0, 1.0, 0.0, 1.0],
            b: vec![right, 2.0 * right],
            sparsity: None,
        };
        let mut accelerator = Accelerator::with_shape(shape, 0);
        let result = accelerator.solve_terms(0.0, &[0.0, speed], &terms, |_, _| {});
        assert!(matches!(result, Err(AccelerationError::Inconsistent { .. })), "{right} {push} {speed}");
    }
}

#[test]
fn not_a_number_says_where() {
    let out = plain(2, &[1.0, 0.0, 0.0, 1.0], &[0.0, f64::NAN], &[], &[]);
    assert_eq!(out, Err(AccelerationError::NotFinite { t: 1.5, term: Term::Force, index: 1 }));
}

#[test]
fn nearly_dependent_rows_are_solved_to_their_conditioning() {
    // Two rows at angle d: refined Gram, then the orthogonal path; the answer is known.
    for (d, path, within) in
        [(1e-1, Taken::Gram, 1e-14), (1e-3, Taken::GramRefined, 1e-12), (1e-6, Taken::Cod, 1e-9)]
    {
        let A = [1.0, 0.0, 0.0, 1.0, d, 0.0];
        let out =
            plain(3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], &[0.0; 3], &A, &[1.0, 1.0 + 2.0 * d])
                .unwrap();
        assert_eq!(out.path, path, "{d}");
        assert!(
            (out.eta_dot[0] - 1.0).abs() < within && (out.eta_dot[1] - 2.0).abs() < within / d,
            "{d} {out:?}"
        );
        assert!((out.margin / d - 1.0).abs() < 1e-2);
        // The margin is one of directions, not of units.
        for unit in [1e-3, 1e3] {
            let (A, b) = (A.map(|a| unit * a), [unit, unit * (1.0 + 2.0 * d)]);
            let scaled = plain(3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], &[0.0; 3], &A, &b).unwrap();
            assert!((scaled.margin / out.margin - 1.0).abs() < 1e-6, "{d} {unit}");
        }
    }
}

#[test]
fn rows_that_are_nearly_dependent_one_after_the_other_are_not_left_to_their_squares() {
    // Each row is at an angle d to those before it: together their squares have lost all digits.
    let d = 1e-4;
    let A = [1.0, 0.0, 0.0, 1.0, d, 0.0, 1.0, d, d];
    let b = [1.0, 1.0 + 2.0 * d, 1.0 + 5.0 * d];
    let out = plain(3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], &[0.0; 3], &A, &b).unwrap();
    assert_eq!((out.path, out.rank), (Taken::Cod, 3));
    assert!(close(&out.eta_dot, &[1.0, 2.0, 3.0], 1e-10), "{:?}", out.eta_dot);
}

#[test]
fn worked_results_of_the_papers() {
    // Block on a rough incline: friction depends on the ideal force (U8).
    struct Incline {
        theta: f64,
        mu: f64,
    }
    impl Dynamics for Incline {
        fn shape(&self) -> Shape {
            Shape { n_x: 2, n_eta: 2, n_con: 1, identity_frame: true, ..Shape::default() }
        }
        fn levels(&self) -> &[Level] {
            &[Level::Position]
        }
        fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
            out.x_dot.copy_from_slice(at.eta);
            out.M.copy_from_slice(&[2.0, 0.0, 0.0, 2.0]);
            out.Q.copy_from_slice(&[0.0, -2.0 * 9.81]);
            out.A.copy_from_slice(&[-self.theta.tan(), 1.0]);
            out.b[0] = 0.0;
        }
        fn capabilities(&self) -> Capabilities<'_> {
            Capabilities { nonideal: Some(self), ..Capabilities::default() }
        }
    }

    impl Nonideal for Incline {
        fn nonideal(&self, at: Point, ideal: &IdealForces, _: &mut [f64], C: &mut [f64]) {
            let normal = ideal.Q_i[0].hypot(ideal.Q_i[1]);
            let speed = at.eta[0].hypot(at.eta[1]);
            (0..2).for_each(|i| C[i] = -self.mu * normal * at.eta[i] / speed);
        }
    }
    let (theta, mu, mg) = (0.4_f64, 0.3, 2.0 * 9.81);
    let (s, c) = theta.sin_cos();
    let out = accelerate(&Incline { theta, mu }, Point { t: 0.0, x: &[0.0, 0.0], eta: &[c, s] }).unwrap();
    for (force, want) in out.ideal_force.iter().zip([-mg * s * c, mg * c * c]) {
        assert!((force - want).abs() < 1e-13);
    }
    for (force, want) in out.nonideal_force.iter().zip([-mu * mg * c * c, -mu * mg * c * s]) {
        assert!((force - want).abs() < 1e-13);
    }
}

/// A row that is a sum of others with another right side: all of them are named, whatever their units are.
#[test]
fn all_rows_of_a_contradiction_are_named_in_any_units() {
    for units in [[1.0, 1.0, 1.0], [1e4, 1.0, 1e-4], [1e-5, 1e5, 1.0]] {
        let identity: Vec<f64> = (0..16).map(|k| f64::from(u8::from(k / 4 == k % 4))).collect();
        let mut A = vec![0.0; 20];
        for (i, unit) in units.into_iter().enumerate() {
            A[i * 4 + i] = unit;
        }
        // The sum of the three, and a row that has nothing to do with it.
        A[12..15].fill(1.0);
        A[19] = 1.0;
        match plain(4, &identity, &[0.0; 4], &A, &[0.0, 0.0, 0.0, 1.0, 0.5]) {
            Err(AccelerationError::Inconsistent { mut rows, .. }) => {
                rows.sort_unstable();
                assert_eq!(rows, [0, 1, 2, 3], "{units:?}");
            }
            other => panic!("{units:?}: {other:?}"),
        }
    }
}

/// Two speeds, the second in a unit of its own, and rows of which a force law reads the first.
struct Supports {
    unit: f64,
    /// The rows in the plain unit.
    rows: Vec<[f64; 2]>,
}

impl Dynamics for Supports {
    fn shape(&self) -> Shape {
        Shape { n_x: 2, n_eta: 2, n_con: self.rows.len(), identity_frame: true, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        &[Level::Acceleration; 4][..self.rows.len()]
    }
    fn terms(&self, _: Point, _: &mut [f64], out: &mut Terms) {
        out.M.copy_from_slice(&[1.0, 0.0, 0.0, self.unit * self.unit]);
        for (out, [a, b]) in out.A.chunks_mut(2).zip(&self.rows) {
            out.copy_from_slice(&[*a, b * self.unit]);
        }
    }
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { nonideal: Some(self), ..Capabilities::default() }
    }
}

impl Nonideal for Supports {
    fn nonideal(&self, _: Point, _: &IdealForces, _: &mut [f64], C: &mut [f64]) {
        C.fill(0.0);
    }
    fn rows_read(&self) -> &[usize] {
        &[0]
    }
}

/// The row that is read carries, the first of parallel rows carries for the others, whatever the units of speeds and the
/// factors of rows are; and rows that are not redundant all carry.
#[test]
fn which_rows_carry_does_not_depend_on_units() {
    let at = Point { t: 0.0, x: &[0.0; 2], eta: &[0.0; 2] };
    for unit in [1.0, 1e-13, 1e13] {
        for factor in [1.0, 2.0, -3.0, 0.3, 1e-7, 1e8] {
            let rows = vec![[1.0, 0.0], [1.0, 1.0], [factor, factor]];
            assert_eq!(carrying_rows(&Supports { unit, rows }, at), [0, 1], "{unit} {factor}");
            let rows = vec![[1.0, 0.0], [1.0, 1.0], [factor, factor], [1.0, 2.0]];
            assert_eq!(carrying_rows(&Supports { unit, rows }, at), [0, 1, 3], "{unit} {factor}");
        }
        assert_eq!(carrying_rows(&Supports { unit, rows: vec![[1.0, 0.0], [1.0, 1.0]] }, at), [0, 1]);
    }
}

/// A wheel that rolls, by the row (0.6 phi' - s') sin(phi) = 0, which vanishes at phi = 0.
struct Wheel {
    mass: f64,
}

impl Dynamics for Wheel {
    fn shape(&self) -> Shape {
        Shape { n_x: 2, n_eta: 2, n_con: 1, identity_frame: true, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        &[Level::Velocity]
    }
    fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
        let ((sin, cos), slip) = (at.x[0].sin_cos(), 0.6 * at.eta[0] - at.eta[1]);
        out.x_dot.copy_from_slice(at.eta);
        out.M.copy_from_slice(&[self.mass, 0.0, 0.0, self.mass]);
        out.Q.copy_from_slice(&[self.mass, 0.0]);
        out.A.copy_from_slice(&[0.6 * sin, -sin]);
        out.b[0] = -slip * at.eta[0] * cos;
    }
}

/// How near a row is to vanishing does not depend on the unit of mass: it is measured by what it is nearby.
#[test]
fn a_row_that_vanishes_is_measured_alike_in_any_unit_of_mass() {
    let margin = |mass: f64| {
        let (kernel, eta) = (Wheel { mass }, [1.0, 0.6]);
        let mut accelerator = Accelerator::new(&kernel);
        let rank = accelerator.solve(&kernel, Point { t: 0.0, x: &[0.0; 2], eta: &eta }).unwrap().rank;
        assert_eq!(rank, 0, "{mass}");
        let s = accelerator.solve(&kernel, Point { t: 0.0, x: &[1e-6, 6e-7], eta: &eta }).unwrap();
        assert!(s.rank == 1 && (0.6 * s.eta_dot[0] - s.eta_dot[1]).abs() < 1e-9, "{mass} {s:?}");
        s.margin
    };
    let plain = margin(1.0);
    assert!((1e-3..0.1).contains(&plain), "{plain}");
    for mass in [1e-8, 1e-3, 1e3, 1e8] {
        assert!((margin(mass) / plain - 1.0).abs() < 1e-9, "{mass}: {} {plain}", margin(mass));
    }
}
