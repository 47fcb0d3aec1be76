//! Coulomb's law over random systems, and contacts written by hand.

use crate::support::{product, same_cases, vector};
use dalembert_run::*;
use proptest::prelude::*;

/// Bodies at one state: constant M, Q, rows of constraints, contacts with their sliding velocities.
#[derive(Clone, Debug)]
struct Bodies {
    n: usize,
    M: Vec<f64>,
    Q: Vec<f64>,
    A: Vec<f64>,
    /// Right sides of A eta' = b.
    b: Vec<f64>,
    levels: Vec<Level>,
    contacts: Vec<Contact>,
    J: Vec<f64>,
    mu: Vec<f64>,
    mu_static: Vec<f64>,
}

impl Bodies {
    fn rows(&self) -> usize {
        self.levels.len()
    }
    fn slides(&self) -> usize {
        self.J.len() / self.n
    }
}

impl Dynamics for Bodies {
    fn shape(&self) -> Shape {
        Shape {
            n_x: self.n,
            n_eta: self.n,
            n_con: self.rows(),
            n_contact: self.contacts.len(),
            n_slide: self.slides(),
            n_normal: self.contacts.iter().map(|c| c.normal.len()).sum(),
            identity_frame: true,
            ..Shape::default()
        }
    }
    fn levels(&self) -> &[Level] {
        &self.levels
    }
    fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
        out.x_dot.copy_from_slice(at.eta);
        out.M.copy_from_slice(&self.M);
        out.Q.copy_from_slice(&self.Q);
        out.A.copy_from_slice(&self.A);
        out.b.copy_from_slice(&self.b);
    }
    fn residuals(&self, at: Point, _: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
        let along = |z: &[f64], i: usize| (0..self.n).map(|j| self.A[i * self.n + j] * z[j]).sum::<f64>();
        (0..self.rows()).for_each(|i| (phi[i], psi[i]) = (along(at.x, i), along(at.eta, i)));
    }
    fn position_gradient(&self, _: f64, _: &[f64], _: &mut [f64], out: &mut [f64]) {
        out.copy_from_slice(&self.A);
    }
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { contacts: Some(self), ..Capabilities::default() }
    }
}

impl Contacts for Bodies {
    fn contacts(&self) -> &[Contact] {
        &self.contacts
    }
    fn contact_terms(&self, at: Point, _: &mut [f64], out: &mut ContactTerms) {
        out.J.copy_from_slice(&self.J);
        out.b.fill(0.0);
        out.mu.copy_from_slice(&self.mu);
        out.mu_static.copy_from_slice(&self.mu_static);
        out.P.fill(0.0);
        for (i, V) in out.V.iter_mut().enumerate() {
            *V = (0..self.n).map(|j| self.J[i * self.n + j] * at.eta[j]).sum();
        }
        for c in &self.contacts {
            for (i, r) in c.normal.clone().zip(c.rows.clone()) {
                out.P[i * self.rows() + r] = 1.0;
            }
        }
    }
}

/// Random inertia and forces; k contacts, each pressed by a row of its own and sliding with one or two components. The
/// coefficients are moderate, so that friction does not run away with the normal forces.
fn bodies() -> impl Strategy<Value = (Bodies, Vec<f64>)> {
    (1..4usize)
        .prop_flat_map(|k| (Just(k), prop::collection::vec(1..3usize, k)))
        .prop_flat_map(|(k, components)| {
            let slides: usize = components.iter().sum();
            let n = k + slides + 1;
            let parts = (vector(n * n), vector(n), vector(k * n), vector(slides * n), vector(n));
            (Just((k, components, n)), parts, prop::collection::vec(0.02..0.15_f64, k))
        })
        .prop_map(|((k, components, n), (G, Q, A, J, eta), mu)| {
            let entry = |i: usize, j: usize| {
                (0..n).map(|l| 0.3 * G[i * n + l] * G[j * n + l]).sum::<f64>() + f64::from(u8::from(i == j))
            };
            let M = (0..n * n).map(|p| entry(p / n, p % n)).collect();
            let mut first = 0;
            let contacts = (0..k)
                .map(|c| {
                    let slide = first..first + components[c];
                    first = slide.end;
                    Contact { rows: c..c + 1, slide, normal: c..c + 1 }
                })
                .collect();
            let mu_static = mu.iter().map(|m| 1.5 * m).collect();
            let levels = vec![Level::Position; k];
            let bodies = Bodies { n, M, Q, A, b: vec![0.0; k], levels, contacts, J, mu, mu_static };
            (bodies, eta)
        })
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

proptest! {
    #![proptest_config(same_cases(400, 20262))]

    /// Sliding contacts: f = -mu N V/|V| with the normal force that acts, M eta' = Q + A^T lambda + J^T f, A eta' = 0.
    #[test]
    fn the_law_holds_where_contacts_slide((system, eta) in bodies()) {
        let x = vec![0.0; system.n];
        let Ok(s) = accelerate(&system, Point { t: 0.0, x: &x, eta: &eta }) else { return Ok(()) };
        prop_assert!(norm(&product(&system.A, &s.eta_dot)) < 1e-9);
        let V = product(&system.J, &eta);
        for (k, c) in system.contacts.iter().enumerate() {
            prop_assert!((s.normal[k] - s.lambda[k].abs()).abs() < 1e-10 * (1.0 + s.normal[k]));
            let speed = norm(&V[c.slide.clone()]);
            for i in c.slide.clone() {
                let law = -system.mu[k] * s.normal[k] * V[i] / speed;
                prop_assert!((s.friction[i] - law).abs() < 1e-9 * (1.0 + s.normal[k]));
            }
        }
        let inertia = product(&system.M, &s.eta_dot);
        for j in 0..system.n {
            let forces: f64 = system.Q[j]
                + (0..system.rows()).map(|r| system.A[r * system.n + j] * s.lambda[r]).sum::<f64>()
                + (0..system.slides()).map(|i| system.J[i * system.n + j] * s.friction[i]).sum::<f64>();
            prop_assert!((inertia[j] - forces).abs() < 1e-9);
            let parts = system.Q[j] + s.ideal_force[j] + s.nonideal_force[j];
            prop_assert!((inertia[j] - parts).abs() < 1e-9, "U4");
        }
    }

    /// From rest: a contact that sticks stays below its limit and does not accelerate; one that lets go moves off against
    /// its friction, which then is that of sliding.
    #[test]
    fn the_law_holds_at_rest((system, _) in bodies(), push in 0.1..3.0_f64) {
        let system = Bodies { Q: system.Q.iter().map(|q| q * push).collect(), ..system };
        let zero = vec![0.0; system.n];
        let at = Point { t: 0.0, x: &zero, eta: &zero };
        let Ok(modes) = find_modes(&system, at, ControlInput::Required) else { return Ok(()) };
        let sticking = StickingKernel::new(&system, modes);
        let mut reporter = Reporter::new(&sticking);
        let s = reporter.solve(&sticking, at, ControlInput::Required).expect("a solution").clone();
        let off = product(&system.J, &s.eta_dot);
        for (k, c) in system.contacts.iter().enumerate() {
            let (f, away) = (&s.friction[c.slide.clone()], &off[c.slide.clone()]);
            let size = 1.0 + s.normal[k];
            if sticking.modes().sticks(k) {
                prop_assert!(norm(f) <= system.mu_static[k] * s.normal[k] * (1.0 + 1e-9));
                prop_assert!(norm(away) < 1e-9 * size);
            } else {
                prop_assert!((norm(f) - system.mu[k] * s.normal[k]).abs() < 1e-9 * size);
                // f and V' in opposite directions.
                let along: f64 = f.iter().zip(away).map(|(f, a)| f * a).sum();
                prop_assert!((along + norm(f) * norm(away)).abs() < 1e-6 * size * (1e-3 + norm(away)), "{f:?} {away:?}");
            }
        }
        // U2 and U3: together they are what moves the system, and apart they are M-orthogonal.
        let inertia = product(&system.M, &s.eta_dot);
        for j in 0..system.n {
            prop_assert!((inertia[j] - system.Q[j] - s.ideal_force[j] - s.nonideal_force[j]).abs() < 1e-9);
        }
    }
}

/// The same bodies with each V in space: its own components, that of its constraint (which is zero), turned about.
fn with_normal_components(system: &Bodies, angle: f64) -> (Bodies, Vec<Vec<f64>>) {
    let n = system.n;
    let (mut J, mut contacts, mut turns) = (Vec::new(), Vec::new(), Vec::new());
    for (k, c) in system.contacts.iter().enumerate() {
        let own = &system.J[c.slide.start * n..c.slide.end * n];
        let rows: Vec<&[f64]> = own.chunks(n).chain([&system.A[k * n..(k + 1) * n]]).collect();
        let (count, first) = (rows.len(), J.len() / n);
        // A rotation in the plane of the last two, then in that of the first and the last.
        let mut turn: Vec<f64> =
            (0..count * count).map(|p| f64::from(u8::from(p / count == p % count))).collect();
        for (i, angle) in [(count - 2, angle), (0, 0.7 * angle)] {
            let (s, c) = f64::sin_cos(angle);
            for j in 0..count {
                let (a, b) = (turn[i * count + j], turn[(count - 1) * count + j]);
                (turn[i * count + j], turn[(count - 1) * count + j]) = (c * a - s * b, s * a + c * b);
            }
        }
        for row in turn.chunks(count) {
            J.extend((0..n).map(|j| (0..count).map(|i| row[i] * rows[i][j]).sum::<f64>()));
        }
        contacts.push(Contact { slide: first..first + count, ..c.clone() });
        turns.push(turn);
    }
    (Bodies { J, contacts, ..system.clone() }, turns)
}

proptest! {
    #![proptest_config(same_cases(300, 20262))]

    /// A component of V that the constraint decides changes neither what sticks nor any force.
    #[test]
    fn components_of_the_constraints_carry_nothing((system, _) in bodies(), angle in 0.1..3.0_f64) {
        let zero = vec![0.0; system.n];
        let at = Point { t: 0.0, x: &zero, eta: &zero };
        let (spatial, turns) = with_normal_components(&system, angle);
        let (Ok(plain), Ok(other)) = (accelerate(&system, at), accelerate(&spatial, at)) else {
            prop_assert!(accelerate(&system, at).is_err() == accelerate(&spatial, at).is_err());
            return Ok(());
        };
        for j in 0..system.n {
            prop_assert!((plain.eta_dot[j] - other.eta_dot[j]).abs() < 1e-9);
        }
        for (k, c) in system.contacts.iter().enumerate() {
            prop_assert!((plain.normal[k] - other.normal[k]).abs() < 1e-7);
            let f: Vec<f64> = plain.friction[c.slide.clone()].iter().copied().chain([0.0]).collect();
            let turned = product(&turns[k], &f);
            for (i, expected) in spatial.contacts[k].slide.clone().zip(turned) {
                prop_assert!((other.friction[i] - expected).abs() < 1e-7, "{:?} {}", other.friction, expected);
            }
        }
    }

    /// A further constraint asks for V' of the first contact: it slides that way, whatever its friction, and the law of
    /// the others holds.
    #[test]
    fn contacts_that_are_carried_off_slide((system, _) in bodies(), pull in 0.1..2.0_f64, back in any::<bool>()) {
        let n = system.n;
        let pull = if back { -pull } else { pull };
        let (mut A, mut b, mut levels) = (system.A.clone(), system.b.clone(), system.levels.clone());
        A.extend(&system.J[..n]);
        b.push(pull);
        levels.push(Level::Position);
        let system = Bodies { A, b, levels, ..system };
        let zero = vec![0.0; n];
        let at = Point { t: 0.0, x: &zero, eta: &zero };
        let modes = match find_modes(&system, at, ControlInput::Required) {
            Ok(modes) => modes,
            // Friction may run away with a normal force; it does not fail to find what to do.
            Err(AccelerationError::FrictionParadox { .. }) => return Ok(()),
            Err(error) => return Err(TestCaseError::fail(format!("{error:?}"))),
        };
        prop_assert!(!modes.sticks(0));
        let s = accelerate(&system, at).expect("a solution");
        let off = product(&system.J, &s.eta_dot);
        prop_assert!((off[0] - pull).abs() < 1e-9);
        for (k, c) in system.contacts.iter().enumerate() {
            let (f, away) = (&s.friction[c.slide.clone()], &off[c.slide.clone()]);
            let size = 1.0 + s.normal[k];
            if modes.sticks(k) {
                prop_assert!(norm(f) <= system.mu_static[k] * s.normal[k] * (1.0 + 1e-9) && norm(away) < 1e-9 * size);
            } else {
                let along: f64 = f.iter().zip(away).map(|(f, a)| f * a).sum();
                prop_assert!((norm(f) - system.mu[k] * s.normal[k]).abs() < 1e-9 * size);
                prop_assert!((along + norm(f) * norm(away)).abs() < 1e-6 * size * (1e-3 + norm(away)));
            }
        }
    }
}

/// A block of unit mass on the floor, pushed by a spring k towards x = 0 with one or two horizontal components. The floor
/// may be a belt that runs along x.
struct Block {
    k: f64,
    belt: f64,
    components: usize,
    contact: [Contact; 1],
}

impl Block {
    fn new(k: f64, components: usize) -> Self {
        Self {
            k,
            belt: 0.0,
            components,
            contact: [Contact { rows: 0..1, slide: 0..components, normal: 0..1 }],
        }
    }
}

impl Dynamics for Block {
    fn shape(&self) -> Shape {
        Shape {
            n_x: 3,
            n_eta: 3,
            n_con: 1,
            n_contact: 1,
            n_slide: self.components,
            n_normal: 1,
            n_quadrature: 1,
            identity_frame: true,
            ..Shape::default()
        }
    }
    fn levels(&self) -> &[Level] {
        &[Level::Position]
    }
    fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
        out.x_dot.copy_from_slice(at.eta);
        out.M.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        out.Q.copy_from_slice(&[-self.k * at.x[0], -self.k * at.x[1], -10.0]);
        out.A.copy_from_slice(&[0.0, 0.0, 1.0]);
        out.b[0] = 0.0;
    }
    fn residuals(&self, at: Point, _: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
        (phi[0], psi[0]) = (at.x[2], at.eta[2]);
    }
    fn position_gradient(&self, _: f64, _: &[f64], _: &mut [f64], out: &mut [f64]) {
        out.copy_from_slice(&[0.0, 0.0, 1.0]);
    }
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { contacts: Some(self), quadratures: Some(self), ..Capabilities::default() }
    }
}

impl Contacts for Block {
    fn contacts(&self) -> &[Contact] {
        &self.contact
    }
    fn contact_terms(&self, at: Point, _: &mut [f64], out: &mut ContactTerms) {
        out.J.fill(0.0);
        for c in 0..self.components {
            out.V[c] = at.eta[c];
            out.J[[c, c]] = 1.0;
        }
        out.V[0] -= self.belt;
        out.b.fill(0.0);
        (out.mu[0], out.mu_static[0], out.P[0]) = (0.2, 0.3, 1.0);
    }
}

impl Quadratures for Block {
    fn rates(&self, at: Point, s: &Solution, _: &mut [f64], out: &mut [f64]) {
        out[0] = s.nonideal_force.iter().zip(at.eta).map(|(f, v)| f * v).sum();
    }
}

struct Changes(Vec<(f64, bool)>, f64);

impl Observer for Changes {
    fn row(&mut self, row: Row<'_>) {
        self.1 = row.integrals[0];
    }
    fn contact(&mut self, t: f64, change: ContactChange) {
        self.0.push((t, change.sticks));
    }
}

#[test]
fn a_spring_and_a_block_swing_by_half_periods_and_stop() {
    // w = 2, mu g/w^2 = 0.5: each half swing is shorter by 1, from 3.2 to -2.2 to 1.2 to -0.2, where it stays.
    for method in [Method::Dop853, Method::Tsit5, Method::Radau] {
        let options = Options { method, rtol: 1e-10, atol: 1e-12, ..Options::default() };
        let mut changes = Changes(Vec::new(), 0.0);
        let start = State::new(0.0, &[3.2, 0.0, 0.0], &[0.0; 3]);
        let outcome = integrate(&Block::new(4.0, 1), &start, 1e4, &options, &mut changes);
        assert_eq!(outcome.stop, Stop::EndTime);
        let half = std::f64::consts::FRAC_PI_2;
        assert_eq!(changes.0.len(), 3, "{method} {:?}", changes.0);
        for (k, (t, sticks)) in changes.0.iter().enumerate() {
            assert!((t - half * (k + 1) as f64).abs() < 1e-8, "{method} {t}");
            assert_eq!(*sticks, k == 2);
        }
        assert!((outcome.state.x[0] + 0.2).abs() < 1e-8 && outcome.state.eta == [0.0; 3], "{method}");
        let lost = 0.5 * 4.0 * (0.2 * 0.2 - 3.2 * 3.2);
        assert!((changes.1 - lost).abs() < 1e-7, "{method}: work {} instead of {lost}", changes.1);
    }
}

#[test]
fn two_components_along_a_line_are_one() {
    let options = Options::default();
    let (c, s) = (0.6, 0.8);
    let start = State::new(0.0, &[3.2 * c, 3.2 * s, 0.0], &[0.0; 3]);
    let mut changes = Changes(Vec::new(), 0.0);
    let outcome = integrate(&Block::new(4.0, 2), &start, 100.0, &options, &mut changes);
    assert_eq!(outcome.stop, Stop::EndTime);
    assert_eq!(changes.0.len(), 3, "{:?}", changes.0);
    assert!((outcome.state.x[0] + 0.2 * c).abs() < 1e-8 && (outcome.state.x[1] + 0.2 * s).abs() < 1e-8);
}

#[test]
fn controllers_and_arguments_that_do_not_fit_are_refused() {
    let start = State::new(0.0, &[0.0; 3], &[0.0; 3]);
    let other = Block::new(1.0, 2);
    let controller = Controller { model: Some(&other), hold: None };
    let mut quiet = Changes(Vec::new(), 0.0);
    let block = Block::new(1.0, 1);
    let outcome = integrate_controlled(&block, &controller, &start, 1.0, &Options::default(), &mut quiet);
    assert!(matches!(outcome.stop, Stop::Failed(Failure::BadArguments { .. })));
    let controller = Controller { model: None, hold: Some(0.0) };
    let outcome = integrate_controlled(&block, &controller, &start, 1.0, &Options::default(), &mut quiet);
    assert!(matches!(outcome.stop, Stop::Failed(Failure::BadArguments { .. })));
}

#[test]
fn a_paradox_names_its_contact_and_both_normal_forces() {
    // Two bodies on the floor, the second with a contact that slides at a slope: N = |-3 + 2 N| has the solutions 1 and 3.
    let system = Bodies {
        n: 4,
        M: (0..16).map(|p| f64::from(u8::from(p / 4 == p % 4))).collect(),
        Q: vec![0.0, -10.0, 0.0, 3.0],
        A: vec![0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        b: vec![0.0; 2],
        levels: vec![Level::Position; 2],
        contacts: vec![
            Contact { rows: 0..1, slide: 0..1, normal: 0..1 },
            Contact { rows: 1..2, slide: 1..2, normal: 1..2 },
        ],
        J: vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 4.0],
        mu: vec![0.2, 0.5],
        mu_static: vec![0.2, 0.5],
    };
    match accelerate(&system, Point { t: 0.0, x: &[0.0; 4], eta: &[1.0, 0.0, 1.0, 0.0] }) {
        Err(AccelerationError::FrictionParadox { contact, mut solutions, .. }) => {
            solutions.sort_by(f64::total_cmp);
            assert_eq!((contact, solutions.len()), (1, 2));
            assert!((solutions[0] - 1.0).abs() < 1e-14 && (solutions[1] - 3.0).abs() < 1e-14);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_contact_rests_where_its_velocity_is_rounding() {
    let sticks = |kernel: &dyn Dynamics, eta: &[f64]| {
        let x = vec![0.0; eta.len()];
        find_modes(kernel, Point { t: 0.0, x: &x, eta }, ControlInput::Required).unwrap().sticks(0)
    };
    // Of the speed of a belt, and of a speed along which the contact does not slide.
    let belt = Block { belt: 3e3, ..Block::new(0.0, 1) };
    assert!(
        sticks(&belt, &[3e3 * (1.0 + 1e-13), 0.0, 0.0]) && !sticks(&belt, &[3e3 * (1.0 + 1e-9), 0.0, 0.0])
    );
    let still = Block::new(0.0, 1);
    assert!(sticks(&still, &[5e-14, 1e3, 0.0]) && !sticks(&still, &[1e-9, 1e3, 0.0]));
    // Of two large speeds, and not of two small ones: a block on another that is pressed onto it.
    let pair = Bodies {
        n: 3,
        M: vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        Q: vec![0.0, 0.0, -10.0],
        A: vec![0.0, 0.0, 1.0],
        b: vec![0.0],
        levels: vec![Level::Position],
        contacts: vec![Contact { rows: 0..1, slide: 0..1, normal: 0..1 }],
        J: vec![1.0, -1.0, 0.0],
        mu: vec![0.2],
        mu_static: vec![0.3],
    };
    for size in [1e-6, 1e6] {
        assert!(sticks(&pair, &[size * (1.0 + 1e-13), size, 0.0]), "{size}");
        assert!(!sticks(&pair, &[size * (1.0 + 1e-9), size, 0.0]), "{size}");
    }
}

#[test]
fn friction_is_not_counted_as_constraint_in_the_function_of_gauss() {
    // The floor's 10 alone departs from the motion under weight and friction, whose 2 are a force like any other.
    let s = accelerate(&Block::new(0.0, 1), Point { t: 0.0, x: &[0.0; 3], eta: &[1.0, 0.0, 0.0] }).unwrap();
    assert!((s.friction[0] + 2.0).abs() < 1e-14 && (s.gauss - 100.0).abs() < 1e-12, "{s:?}");
}

#[test]
fn a_contact_breaks_away_in_the_same_direction_in_any_units() {
    // Inertia couples the two components, so that the direction is not that of the push.
    let block = |size: f64| Bodies {
        n: 3,
        M: vec![2.0, 0.5, 0.3, 0.5, 1.0, 0.2, 0.3, 0.2, 1.0],
        Q: vec![30.0 * size, 10.0 * size, -10.0 * size],
        A: vec![0.0, 0.0, 1.0],
        b: vec![0.0],
        levels: vec![Level::Position],
        contacts: vec![Contact { rows: 0..1, slide: 0..2, normal: 0..1 }],
        J: vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0],
        mu: vec![0.2],
        mu_static: vec![0.3],
    };
    let at = Point { t: 0.0, x: &[0.0; 3], eta: &[0.0; 3] };
    let plain = accelerate(&block(1.0), at).unwrap();
    assert!((norm(&plain.friction) - 0.2 * plain.normal[0]).abs() < 1e-12);
    for size in [1e-8, 1e8] {
        let scaled = accelerate(&block(size), at).unwrap();
        for (a, b) in plain.friction.iter().zip(&scaled.friction) {
            assert!((a - b / size).abs() < 1e-10, "{size}: {a} {}", b / size);
        }
        // Against the way it moves off.
        let turn = scaled.friction[0] * scaled.eta_dot[1] - scaled.friction[1] * scaled.eta_dot[0];
        assert!(turn.abs() < 1e-9 * norm(&scaled.friction) * norm(&scaled.eta_dot[..2]), "{size} {turn}");
    }
}

/// An actuator between two blocks becomes longer: the contacts of the two cannot both stick. The light block slides, the
/// heavy one and a third block elsewhere do not.
#[test]
fn only_contacts_in_the_way_of_a_constraint_slide() {
    let masses = [2.0, 1.0, 10.0];
    let (n, mut M, mut Q, mut A, mut J) = (6, vec![0.0; 36], vec![0.0; 6], vec![0.0; 24], vec![0.0; 18]);
    for (k, mass) in masses.into_iter().enumerate() {
        let (x, z) = (2 * k, 2 * k + 1);
        (M[x * n + x], M[z * n + z], Q[z]) = (mass, mass, -10.0 * mass);
        (A[k * n + z], J[k * n + x]) = (1.0, 1.0);
    }
    (A[3 * n + 2], A[3 * n + 4]) = (-1.0, 1.0);
    let contact = |k: usize| Contact { rows: k..k + 1, slide: k..k + 1, normal: k..k + 1 };
    let system = Bodies {
        n,
        M,
        Q,
        A,
        b: vec![0.0, 0.0, 0.0, 1.0],
        levels: vec![Level::Position; 4],
        contacts: (0..3).map(contact).collect(),
        J,
        mu: vec![0.2; 3],
        mu_static: vec![0.3; 3],
    };
    let at = Point { t: 0.0, x: &[0.0; 6], eta: &[0.0; 6] };
    let modes = find_modes(&system, at, ControlInput::Required).unwrap();
    assert_eq!((0..3).map(|k| modes.sticks(k)).collect::<Vec<_>>(), [true, false, true]);
    // The force of the actuator: 1 for the acceleration of the light block and 0.2 * 10 against its friction.
    let s = accelerate(&system, at).unwrap();
    for (found, expected) in s.friction.iter().zip([0.0, 2.0, -3.0]) {
        assert!((found - expected).abs() < 1e-12, "{:?}", s.friction);
    }
    assert!((s.eta_dot[2] + 1.0).abs() < 1e-12 && s.eta_dot[4].abs() < 1e-12, "{:?}", s.eta_dot);
}

/// A block on the floor that is moved along x = s(t): at rest until t = 1, then x = (t - 1)^3. Its event is a normal force
/// of half its weight: it is pulled up with the force 4 t.
struct Carried(Block);

impl Dynamics for Carried {
    fn shape(&self) -> Shape {
        Shape { n_con: 2, n_event: 1, ..self.0.shape() }
    }
    fn levels(&self) -> &[Level] {
        &[Level::Position; 2]
    }
    fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
        out.x_dot.copy_from_slice(at.eta);
        out.M.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        out.Q.copy_from_slice(&[0.0, 0.0, 4.0 * at.t - 10.0]);
        out.A.copy_from_slice(&[0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
        out.b.copy_from_slice(&[0.0, 6.0 * (at.t - 1.0).max(0.0)]);
    }
    fn residuals(&self, at: Point, _: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
        let since = (at.t - 1.0).max(0.0);
        phi.copy_from_slice(&[at.x[2], at.x[0] - since.powi(3)]);
        psi.copy_from_slice(&[at.eta[2], at.eta[0] - 3.0 * since * since]);
    }
    fn position_gradient(&self, _: f64, _: &[f64], _: &mut [f64], out: &mut [f64]) {
        out.copy_from_slice(&[0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
    }
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities {
            contacts: Some(self),
            events: Some(self),
            quadratures: Some(self),
            ..Capabilities::default()
        }
    }
}

impl Contacts for Carried {
    fn contacts(&self) -> &[Contact] {
        self.0.contacts()
    }
    fn contact_terms(&self, at: Point, scratch: &mut [f64], out: &mut ContactTerms) {
        out.P.fill(0.0);
        self.0.contact_terms(at, scratch, out);
    }
}

impl Events for Carried {
    fn events(&self, _: Point, s: &Solution, _: &mut [f64], g: &mut [f64]) {
        g[0] = s.lambda[0] - 5.0;
    }
}

impl Quadratures for Carried {
    /// The power of friction; the constraint does the same work with the other sign.
    fn rates(&self, at: Point, s: &Solution, _: &mut [f64], out: &mut [f64]) {
        out[0] = s.friction[0] * at.eta[0];
    }
}

/// A contact that the constraints carry off slides from then on, and an event of the normal force is where that force is.
#[test]
fn a_block_that_is_moved_begins_to_slide() {
    let events = vec![EventRule { crossing: Crossing::Both, stop: false }];
    for method in [Method::Dop853, Method::Tsit5, Method::Radau] {
        let options =
            Options { method, rtol: 1e-10, atol: 1e-12, events: events.clone(), ..Options::default() };
        let mut seen = Carriage::default();
        let start = State::new(0.0, &[0.0; 3], &[0.0; 3]);
        let outcome = integrate(&Carried(Block::new(0.0, 1)), &start, 2.0, &options, &mut seen);
        assert_eq!(outcome.stop, Stop::EndTime, "{method}");
        assert_eq!(seen.slides.len(), 1, "{method} {:?}", seen.slides);
        assert!((seen.slides[0] - 1.0).abs() < 1e-4, "{method} {:?}", seen.slides);
        // The integral of -0.2 (10 - 4 t) 3 (t - 1)^2 from 1 to 2.
        assert!((seen.work + 0.6).abs() < 1e-7, "{method}: {}", seen.work);
        assert_eq!(seen.events.len(), 1, "{method} {:?}", seen.events);
        assert!((seen.events[0] - 1.25).abs() < 1e-10, "{method} {:?}", seen.events);
    }
}

#[derive(Default)]
struct Carriage {
    slides: Vec<f64>,
    events: Vec<f64>,
    work: f64,
}

impl Observer for Carriage {
    fn row(&mut self, row: Row<'_>) {
        self.work = row.integrals[0];
        self.events.extend(row.event.map(|e| e.t));
    }
    fn contact(&mut self, t: f64, change: ContactChange) {
        assert!(!change.sticks);
        self.slides.push(t);
    }
}
