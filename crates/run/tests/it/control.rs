//! C1 over random systems: what is required is met, at least cost, and nature's constraints are kept.

use crate::judge;
use crate::support::{product, same_cases, vector};
use dalembert_run::*;
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

/// A system at one state, with everything given as numbers.
#[derive(Clone, Debug)]
struct Given {
    n: usize,
    levels: Vec<Level>,
    terms: Terms,
    control: ControlTerms,
    inputs: usize,
}

impl Dynamics for Given {
    fn shape(&self) -> Shape {
        Shape {
            n_x: self.n,
            n_eta: self.n,
            n_con: self.terms.b.len(),
            n_require: self.control.b.len(),
            n_input: self.inputs,
            identity_frame: true,
            ..Shape::default()
        }
    }
    fn levels(&self) -> &[Level] {
        &self.levels
    }
    fn terms(&self, _: Point, _: &mut [f64], out: &mut Terms) {
        out.clone_from(&self.terms);
    }
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { control: Some(self), ..Capabilities::default() }
    }
}

impl Control for Given {
    fn control_terms(&self, _: Point, _: &mut [f64], out: &mut ControlTerms) {
        out.clone_from(&self.control);
    }
}

fn positive(n: usize, entries: &[f64]) -> Vec<f64> {
    let g = DMatrix::from_row_slice(n, n, entries);
    (&g * g.transpose() + DMatrix::identity(n, n) * 0.3).as_slice().to_vec()
}

/// n speeds, `m` natural rows, `r` requirements of which some are repeated, `k` inputs with a cost of their own.
fn system(constrained: bool) -> impl Strategy<Value = Given> {
    (2..6usize)
        .prop_flat_map(move |n| {
            let natural = if constrained { 0..n - 1 } else { 0..1 };
            (Just(n), natural, 1..=n.min(3), any::<bool>())
        })
        .prop_flat_map(|(n, m, r, repeated)| {
            let sizes = (Just((n, m, r, repeated)), vector(n * n), vector(n), vector(m * n), vector(n));
            (sizes, vector(r * n), vector(n * n))
        })
        .prop_map(|(((n, m, r, repeated), G, Q, A, z), A_c, W)| {
            let row = |A: &[f64], i: usize, z: &[f64]| (0..n).map(|j| A[i * n + j] * z[j]).sum::<f64>();
            let b: Vec<f64> = (0..m).map(|i| row(&A, i, &z)).collect();
            // A motion that keeps the natural rows and is what is required: the requirements are within reach of all forces.
            let mut b_c: Vec<f64> = (0..r).map(|i| row(&A_c, i, &z)).collect();
            let mut A_c = A_c;
            if repeated {
                let (again, right) = (A_c[..n].iter().map(|a| -2.0 * a).collect::<Vec<_>>(), -2.0 * b_c[0]);
                A_c.extend(again);
                b_c.push(right);
            }
            let terms = Terms { x_dot: vec![0.0; n], M: positive(n, &G), Q, A, b, sparsity: None };
            let S = (0..n * n).map(|k| if k / n == k % n { 1.0 } else { 0.0 }).collect();
            let control = ControlTerms { A: A_c, b: b_c, S, W: positive(n, &W), bounds: vec![] };
            Given { n, levels: vec![Level::Acceleration; m], terms, control, inputs: n }
        })
}

fn solve(given: &Given) -> Solution {
    let zero = vec![0.0; given.n];
    accelerate(given, Point { t: 0.0, x: &zero, eta: &zero }).expect("a solution")
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

proptest! {
    #![proptest_config(same_cases(300, 20261))]

    /// With the inverse mass as cost and no natural constraints control is the force nature itself would use: U2.
    #[test]
    fn control_with_the_inverse_mass_is_the_ideal_force_of_a_constraint(given in system(false)) {
        let natural = Given { terms: Terms { A: vec![], b: vec![], ..given.terms.clone() }, levels: vec![], ..given.clone() };
        let controlled = solve(&Given { control: ControlTerms { W: vec![], ..given.control.clone() }, ..natural.clone() });
        let constrained = solve(&Given {
            terms: Terms { A: given.control.A.clone(), b: given.control.b.clone(), ..given.terms.clone() },
            levels: vec![Level::Acceleration; given.control.b.len()],
            control: ControlTerms::default(),
            inputs: 0,
            n: given.n,
        });
        prop_assert!(apart(&controlled.eta_dot, &constrained.eta_dot) < 1e-9);
        prop_assert!(apart(&controlled.control_force, &constrained.ideal_force) < 1e-9);
        // The same with W = M^-1 written out.
        let M = DMatrix::from_row_slice(given.n, given.n, &given.terms.M);
        let W = M.try_inverse().expect("M is positive").as_slice().to_vec();
        let written = solve(&Given { control: ControlTerms { W, ..given.control.clone() }, ..natural });
        prop_assert!(apart(&written.control_force, &constrained.ideal_force) < 1e-8);
    }

    /// Requirements and natural constraints hold; of all inputs that do it these cost least.
    #[test]
    fn control_meets_what_is_required_at_least_cost(given in system(true), other in vector(6)) {
        let s = solve(&given);
        let scale = 1.0 + s.inputs.iter().fold(0.0_f64, |m, u| m.max(u.abs()));
        prop_assert!(apart(&product(&given.control.A, &s.eta_dot), &given.control.b) < 1e-9 * scale);
        prop_assert!(apart(&product(&given.terms.A, &s.eta_dot), &given.terms.b) < 1e-9 * scale);
        // Inputs that change nothing of what is required, from the null space of A_c P: here by least squares.
        let (n, r) = (given.n, given.control.b.len());
        let mut reach = DMatrix::zeros(r, n);
        for j in 0..n {
            let mut pushed = given.clone();
            pushed.terms.Q = (0..n).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
            pushed.terms.b.iter_mut().for_each(|b| *b = 0.0);
            pushed.control = ControlTerms::default();
            pushed.inputs = 0;
            let z = solve(&pushed).eta_dot;
            product(&given.control.A, &z).iter().enumerate().for_each(|(i, v)| reach[(i, j)] = *v);
        }
        let (pseudo, strengths) = judge::pseudo_inverse(&reach);
        // Reach that nearly vanishes in some direction says nothing but rounding.
        let strongest = strengths.iter().fold(0.0_f64, |m, s| m.max(*s));
        prop_assume!(!strengths.iter().any(|s| *s > 1e-6 * strongest && *s < 1e-2 * strongest));
        let d = DVector::from_row_slice(&other[..n]);
        let idle = &d - &pseudo * (&reach * &d);
        let W = DMatrix::from_row_slice(n, n, &given.control.W);
        let u = DVector::from_row_slice(&s.inputs);
        // Stationary: the cost does not change to first order.
        let slope = (u.transpose() * &W * &idle)[(0, 0)];
        prop_assert!(slope.abs() < 1e-7 * scale * scale * (1.0 + W.norm()), "{slope}");
    }
}

#[test]
fn what_is_out_of_reach_is_said_with_what_is_missing() {
    // Unit mass in the plane; y'' = 1 is required, only x can be pushed.
    let mut given = Given {
        n: 2,
        levels: vec![],
        terms: Terms {
            x_dot: vec![0.0; 2],
            M: vec![1.0, 0.0, 0.0, 1.0],
            Q: vec![0.0; 2],
            A: vec![],
            b: vec![],
            sparsity: None,
        },
        control: ControlTerms {
            A: vec![0.0, 1.0],
            b: vec![1.0],
            S: vec![1.0, 0.0],
            W: vec![],
            bounds: vec![],
        },
        inputs: 1,
    };
    let zero = [0.0; 2];
    let at = Point { t: 0.5, x: &zero, eta: &zero };
    match accelerate(&given, at) {
        Err(AccelerationError::Unreachable { t, rows, residuals, missing }) => {
            assert_eq!((t, rows, residuals, missing), (0.5, vec![0], vec![1.0], vec![0.0, 1.0]));
        }
        other => panic!("{other:?}"),
    }
    // A natural constraint y'' = 0 forbids it: no force helps.
    given.terms.A = vec![0.0, 1.0];
    given.terms.b = vec![0.0];
    given.levels = vec![Level::Acceleration];
    given.control.S = vec![1.0, 0.0, 0.0, 1.0];
    given.inputs = 2;
    match accelerate(&given, at) {
        Err(AccelerationError::Unreachable { missing, .. }) => assert_eq!(missing, [0.0, 0.0]),
        other => panic!("{other:?}"),
    }
    // A cost that is not positive.
    given.terms.A.clear();
    given.terms.b.clear();
    given.levels.clear();
    given.control.W = vec![1.0, 0.0, 0.0, 0.0];
    assert!(matches!(accelerate(&given, at), Err(AccelerationError::CostNotPositive { input: 1, .. })));
}

#[test]
fn what_is_missing_does_not_depend_on_units_and_has_all_its_components() {
    // A mass in space; only x can be pushed, and accelerations across it are required, of any size.
    for size in [1e-20, 1.0, 1e20] {
        let given = Given {
            n: 3,
            levels: vec![],
            terms: Terms {
                x_dot: vec![0.0; 3],
                M: vec![2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0],
                Q: vec![0.0; 3],
                A: vec![],
                b: vec![],
                sparsity: None,
            },
            control: ControlTerms {
                A: vec![0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
                b: vec![3.0 * size, -4.0 * size],
                S: vec![1.0, 0.0, 0.0],
                W: vec![],
                bounds: vec![],
            },
            inputs: 1,
        };
        match accelerate(&given, Point { t: 0.0, x: &[0.0; 3], eta: &[0.0; 3] }) {
            Err(AccelerationError::Unreachable { mut rows, missing, .. }) => {
                rows.sort_unstable();
                assert_eq!(rows, [0, 1]);
                assert!(apart(&missing, &[0.0, 0.6, -0.8]) < 1e-15, "{missing:?}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Redundant requirements, and one in a small unit: it is met all the same.
#[test]
fn a_requirement_in_a_small_unit_next_to_redundant_ones_is_met() {
    let (A, b) = (vec![1.0, 0.0, 0.0, 1e-5, 2.0, 0.0], vec![1.0, -3e-5, 2.0]);
    let identity = vec![1.0, 0.0, 0.0, 1.0];
    let terms = Terms {
        x_dot: vec![0.0; 2],
        M: identity.clone(),
        Q: vec![0.0; 2],
        A: Vec::new(),
        b: Vec::new(),
        sparsity: None,
    };
    let control = ControlTerms { A, b, S: identity.clone(), W: identity, bounds: vec![] };
    let s = solve(&Given { n: 2, levels: Vec::new(), terms, control, inputs: 2 });
    assert!(apart(&s.eta_dot, &[1.0, -3.0]) < 1e-12, "{:?}", s.eta_dot);
}
