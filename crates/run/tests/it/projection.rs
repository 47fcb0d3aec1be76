//! Projection: idempotent, blind to the scale of rows, shortest in the metric of the masses.

use crate::kernels::*;
use crate::support::same_cases;
use dalembert_run::*;
use proptest::prelude::*;

fn bumped(N: usize, bumps: &[f64]) -> State {
    let mut s = four_bar_state(N, 0.0, 0.7, 1.3);
    let n = s.x.len();
    (0..n).for_each(|i| s.x[i] += bumps[i % bumps.len()]);
    (0..n).for_each(|i| s.eta[i] -= 2.0 * bumps[(i + 3) % bumps.len()]);
    s
}

fn project(kernel: &dyn Dynamics, s: &State) -> (State, bool, Residuals) {
    let (mut out, mut projector) = (s.clone(), Projector::new(kernel));
    projector.measure(kernel, s.point());
    let moved = projector.project(kernel, out.t, &mut out.x, &mut out.eta).unwrap();
    let left = projector.residuals(kernel, out.point());
    (out, moved, left)
}

proptest! {
    #![proptest_config(same_cases(64, 20260))]

    #[test]
    fn idempotent_and_on_the_constraints(bumps in prop::collection::vec(-1e-2..1e-2_f64, 7)) {
        let kernel = four_bar(2, |_| 1.0, |i| i as f64, 9.81);
        let (once, moved, left) = project(&kernel, &bumped(2, &bumps));
        prop_assert!(moved && left.position < 2e-15 && left.velocity < 2e-15, "{:?}", left);
        let (twice, ..) = project(&kernel, &once);
        for (a, b) in once.x.iter().chain(&once.eta).zip(twice.x.iter().chain(&twice.eta)) {
            prop_assert!((a - b).abs() < 1e-14);
        }
    }

    #[test]
    fn the_scale_of_rows_does_not_matter(bumps in prop::collection::vec(-1e-2..1e-2_f64, 7), scale in prop::collection::vec(-6.0..6.0_f64, 5)) {
        let kernel = four_bar(2, |_| 1.0, |_| 1.0, 9.81);
        let mut scaled = four_bar(2, |_| 1.0, |_| 1.0, 9.81);
        scaled.rows = kernel.rows.iter().zip(&scale).map(|(row, s)| row.clone().scaled(10.0_f64.powf(*s))).collect();
        let (a, b) = (project(&kernel, &bumped(2, &bumps)).0, project(&scaled, &bumped(2, &bumps)).0);
        for (a, b) in a.x.iter().chain(&a.eta).zip(b.x.iter().chain(&b.eta)) {
            prop_assert!((a - b).abs() < 1e-9);
        }
    }

    #[test]
    fn small_moves_are_shortest_in_the_metric_of_mass(bumps in prop::collection::vec(-1e-5..1e-5_f64, 7)) {
        let kernel = four_bar(2, |i| 1.0 + i as f64, |_| 1.0, 9.81);
        let from = bumped(2, &bumps);
        let (to, ..) = project(&kernel, &from);
        // M (to - from) lies in the range of A^T: with r1 = M v and A z = 0 the tangent part z vanishes.
        let v: Vec<f64> = to.x.iter().zip(&from.x).map(|(a, b)| a - b).collect();
        let mut terms = Terms::new(&kernel.shape());
        kernel.terms(to.point(), &mut [], &mut terms);
        terms.Q = (0..6).map(|i| (0..6).map(|j| kernel.M[i * 6 + j] * v[j]).sum()).collect();
        terms.b.fill(0.0);
        let mut accelerator = Accelerator::with_shape(kernel.shape(), 0);
        accelerator.solve_terms(0.0, &[], &terms, |_, _| {}).unwrap();
        for z in &accelerator.solution().eta_dot {
            prop_assert!(z.abs() < 1e-8, "{}", z);
        }
    }
}

#[test]
fn redundant_rows_and_failure() {
    let mut kernel = four_bar(1, |_| 1.0, |_| 1.0, 9.81);
    kernel.rows.push(kernel.rows[0].clone().scaled(3.0));
    kernel.levels.push(Level::Position);
    let (_, _, left) = project(&kernel, &bumped(1, &[1e-3, -2e-3, 5e-4]));
    assert!(left.position < 2e-15 && left.velocity < 2e-15, "{left:?}");

    // Contradicting rows: |B0| = 1 and |B0| = 2.
    kernel.rows.push(Row2::distance(P2::At(0), P2::Fixed([0.0, 0.0]), 2.0));
    kernel.levels.push(Level::Position);
    let s = bumped(1, &[0.0]);
    let (mut x, mut eta) = (s.x.clone(), s.eta.clone());
    let error = Projector::new(&kernel).project(&kernel, 0.0, &mut x, &mut eta).unwrap_err();
    assert!(error.residual > 1e-2, "{error:?}");
    // Not a number: an error, no panic.
    x[0] = f64::NAN;
    assert!(Projector::new(&kernel).project(&kernel, 0.0, &mut x, &mut eta).is_err());
}

/// A rigid body by a unit quaternion (w, x, y, z) and its angular velocity in its own axes: no spin about its third axis
/// (a row of speeds, which comes first), whose inclination to the vertical is given.
struct Body;

impl Body {
    fn inclination_gradient(q: &[f64]) -> [f64; 4] {
        [2.0 * q[0], -2.0 * q[1], -2.0 * q[2], 2.0 * q[3]]
    }
    fn rows(q: &[f64]) -> [[f64; 3]; 2] {
        let (g, X) = (Self::inclination_gradient(q), Self::motion(q));
        [[0.0, 0.0, 1.0], [0, 1, 2].map(|j| (0..4).map(|i| g[i] * X[i][j]).sum())]
    }
    /// q' = X omega.
    fn motion(q: &[f64]) -> [[f64; 3]; 4] {
        let half = |v: [f64; 3]| v.map(|v| v / 2.0);
        let [w, x, y, z] = [q[0], q[1], q[2], q[3]];
        [half([-x, -y, -z]), half([w, -z, y]), half([z, w, -x]), half([-y, x, w])]
    }
}

impl Dynamics for Body {
    fn shape(&self) -> Shape {
        Shape { n_x: 4, n_eta: 3, n_con: 2, n_invariant: 1, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        &[Level::Velocity, Level::Position]
    }
    fn terms(&self, at: Point, scratch: &mut [f64], out: &mut Terms) {
        let mut X = [0.0; 12];
        self.frame(at.t, at.x, scratch, &mut X);
        out.x_dot.iter_mut().zip(X.chunks(3)).for_each(|(d, row)| *d = dot(row, at.eta));
        out.M.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0]);
        out.A.copy_from_slice(Self::rows(at.x).as_flattened());
    }
    fn residuals(&self, at: Point, _: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
        let [w, x, y, z] = [at.x[0], at.x[1], at.x[2], at.x[3]];
        phi.copy_from_slice(&[0.0, w * w - x * x - y * y + z * z - 0.28]);
        psi.iter_mut().zip(Self::rows(at.x)).for_each(|(psi, row)| *psi = dot(&row, at.eta));
    }
    fn position_gradient(&self, _: f64, x: &[f64], _: &mut [f64], out: &mut [f64]) {
        out.fill(0.0);
        out[4..].copy_from_slice(&Self::inclination_gradient(x));
    }
    fn frame(&self, _: f64, x: &[f64], _: &mut [f64], X: &mut [f64]) {
        X.copy_from_slice(Self::motion(x).as_flattened());
    }
    fn invariants(&self, x: &[f64], _: &mut [f64], value: &mut [f64], gradient: &mut [f64]) {
        value[0] = dot(x, x);
        gradient.iter_mut().zip(x).for_each(|(g, x)| *g = 2.0 * x);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Speeds that are not rates of coordinates, an invariant, and rows of two levels.
#[test]
fn a_body_comes_back_to_its_unit_quaternion_and_its_rows() {
    // A tilt by the arccosine of 0.28.
    let upright = [0.8, 0.36, 0.48, 0.0];
    let mut projector = Projector::new(&Body);
    projector.hold_invariants(&Body, &upright);
    // As far away as a step of an integrator leads: squares of that are rounding.
    let (mut q, mut omega) = (upright.map(|v| v * (1.0 - 3e-8) + 1e-8), [0.3, -0.2, 0.1]);
    assert!(projector.project(&Body, 0.0, &mut q, &mut omega).unwrap());
    assert!((dot(&q, &q) - 1.0).abs() < 4e-16, "{}", dot(&q, &q) - 1.0);
    let (mut phi, mut psi) = ([0.0; 2], [0.0; 2]);
    Body.residuals(Point { t: 0.0, x: &q, eta: &omega }, &mut [], &mut phi, &mut psi);
    assert!(phi[1].abs() < 1e-15 && psi.iter().all(|v| v.abs() < 1e-15), "{phi:?} {psi:?}");
    assert!(upright.iter().zip(&q).all(|(a, b)| (a - b).abs() < 1e-7), "not far away: {q:?}");
}

/// A change of a state loses what the constraints do not allow, and a change which they allow stays as it is.
#[test]
fn tangent_changes_keep_the_rows() {
    let q = [0.8, 0.36, 0.48, 0.0];
    let mut projector = Projector::new(&Body);
    projector.prepare_tangent(&Body, Point { t: 0.0, x: &q, eta: &[0.0; 3] });
    let (mut dq, mut domega) = ([0.1, 0.2, -0.3, 0.4], [0.5, -0.6, 0.7]);
    projector.tangent(&mut dq, &mut domega);
    assert!(dot(&Body::inclination_gradient(&q), &dq).abs() < 1e-15);
    assert!(Body::rows(&q).iter().all(|row| dot(row, &domega).abs() < 1e-15));
    let (mut again, mut omega_again) = (dq, domega);
    projector.tangent(&mut again, &mut omega_again);
    assert!(again.iter().zip(&dq).all(|(a, b)| (a - b).abs() < 1e-15));
    assert!(omega_again.iter().zip(&domega).all(|(a, b)| (a - b).abs() < 1e-15));

    // Speeds that are rates of coordinates: A dx = 0 and A deta = 0.
    let (kernel, s) = (four_bar(2, |_| 1.0, |_| 1.0, 9.81), four_bar_state(2, 0.0, 0.7, 1.3));
    let mut terms = Terms::new(&kernel.shape());
    kernel.terms(s.point(), &mut [], &mut terms);
    let mut projector = Projector::new(&kernel);
    projector.prepare_tangent(&kernel, s.point());
    let (mut dx, mut deta) = ([1.0, -2.0, 0.5, 0.3, 0.7, -1.1], [0.2, 0.4, -0.6, 0.8, 1.0, 1.2]);
    projector.tangent(&mut dx, &mut deta);
    for row in terms.A.chunks(6) {
        assert!(dot(row, &dx).abs() < 1e-14 && dot(row, &deta).abs() < 1e-14, "{dx:?} {deta:?}");
    }
    assert!(dot(&dx, &dx) > 0.1 && dot(&deta, &deta) > 0.1, "the motion of the linkage is left");
}

#[test]
fn stabilisation_pulls_back_by_its_two_coefficients() {
    // A eta' = b - 2 alpha psi - beta^2 phi (C2).
    let (kernel, s) = (four_bar(1, |_| 1.0, |_| 1.0, 9.81), bumped(1, &[1e-3, -2e-3, 5e-4]));
    let (alpha, beta) = (1.5, 3.0);
    let mut accelerator = Accelerator::new(&kernel);
    accelerator.baumgarte = Some(Baumgarte { alpha, beta });
    let solution = accelerator.solve(&kernel, s.point()).unwrap().clone();
    let mut terms = Terms::new(&kernel.shape());
    kernel.terms(s.point(), &mut [], &mut terms);
    let (mut phi, mut psi) = ([0.0; 3], [0.0; 3]);
    kernel.residuals(s.point(), &mut [], &mut phi, &mut psi);
    for (i, row) in terms.A.chunks(4).enumerate() {
        let asked = terms.b[i] - 2.0 * alpha * psi[i] - beta * beta * phi[i];
        assert!((dot(row, &solution.eta_dot) - asked).abs() < 1e-13, "{i}");
    }
}

#[test]
fn rates_are_those_of_the_solution() {
    let (kernel, s) = (four_bar(1, |_| 1.0, |_| 1.0, 9.81), four_bar_state(1, 0.0, 0.7, 1.3));
    let (mut x_dot, mut eta_dot) = ([0.0; 4], [0.0; 4]);
    Accelerator::new(&kernel).rates(&kernel, s.point(), &mut x_dot, &mut eta_dot).unwrap();
    let solution = accelerate(&kernel, s.point()).unwrap();
    assert_eq!((&x_dot[..], &eta_dot[..]), (&s.eta[..], &solution.eta_dot[..]));
}

/// Far from the constraints the way back to the unit quaternion leads off the inclination, which is not free of the
/// quaternion's scale, and the way back to the inclination off the unit quaternion: both hold at the end.
#[test]
fn a_displaced_body_satisfies_its_inclination_and_its_unit_quaternion() {
    let upright = [0.8, 0.36, 0.48, 0.0];
    for (size, bumps) in
        [(2e-2, [1.0, -0.7, 0.4, 0.9]), (1e-1, [-0.5, 1.0, 0.8, -0.3]), (1e-4, [0.2, 1.0, -1.0, 0.6])]
    {
        let mut projector = Projector::new(&Body);
        projector.hold_invariants(&Body, &upright);
        let mut q: Vec<f64> = upright.iter().zip(bumps).map(|(q, bump)| q + size * bump).collect();
        let mut omega = [0.3, -0.2, 0.1];
        assert!(projector.project(&Body, 0.0, &mut q, &mut omega).unwrap());
        let (mut phi, mut psi) = ([0.0; 2], [0.0; 2]);
        Body.residuals(Point { t: 0.0, x: &q, eta: &omega }, &mut [], &mut phi, &mut psi);
        assert!((dot(&q, &q) - 1.0).abs() < 1e-12, "{size}: {:e}", dot(&q, &q) - 1.0);
        assert!(phi[1].abs() < 1e-12, "{size}: {:e}", phi[1]);
        assert!(psi.iter().all(|v| v.abs() < 1e-12), "{size}: {psi:?}");
    }
}
