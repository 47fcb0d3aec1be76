//! Many motions at once: each as if it were alone, and as the ordinary driver makes it.

use dalembert_run::ensemble::{Ended, Ensemble, Job, Keep, LANES, LaneKernel, Programs, Sampled};
use dalembert_run::{
    Crossing, Dynamics, EventRule, Level, Method, Options, Output, Point, Row, Shape, State, Terms, integrate,
};
use dalembert_tape::{Builder, Lanes, Op, Program};
use proptest::prelude::*;

/// A pendulum of length 1/k that is pushed: a'' = -k sin a - c a' + 0.3 cos t, as a tape over t, a, w, k, c.
fn pushed() -> Program {
    let mut b = Builder::new(5);
    let [t, a, w, k, c] = [0, 1, 2, 3, 4].map(|n| b.input(n));
    let sine = b.push(Op::Sin, &[a]);
    let weight = b.push(Op::Mul, &[k, sine]);
    let drag = b.push(Op::Mul, &[c, w]);
    let cosine = b.push(Op::Cos, &[t]);
    let strength = b.constant(0.3);
    let push = b.push(Op::Mul, &[strength, cosine]);
    let rest = b.push(Op::Sub, &[push, drag]);
    let acceleration = b.push(Op::Sub, &[rest, weight]);
    let far = b.constant(1e4);
    let size = b.push(Op::Abs, &[a]);
    let trusted = b.push(Op::Less, &[size, far]);
    b.finish(&[w, acceleration, trusted])
}

/// The same for the ordinary driver.
struct Pushed {
    k: f64,
    c: f64,
}

impl Dynamics for Pushed {
    fn shape(&self) -> Shape {
        Shape { n_x: 1, n_eta: 1, identity_frame: true, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        &[]
    }
    fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
        out.x_dot[0] = at.eta[0];
        out.M[0] = 1.0;
        out.Q[0] = 0.3 * at.t.cos() - self.c * at.eta[0] - self.k * at.x[0].sin();
    }
    fn residuals(&self, _: Point, _: &mut [f64], _: &mut [f64], _: &mut [f64]) {}
    fn position_gradient(&self, _: f64, _: &[f64], _: &mut [f64], _: &mut [f64]) {}
}

fn job(id: usize) -> Job {
    let spread = |ratio: f64| (id as f64 * ratio).fract();
    let y = vec![5.0 * spread(0.618_033_988) - 2.5, 2.0 * spread(0.754_877_666) - 1.0];
    Job { id, t: 0.0, t_end: 3.0 + spread(0.3), y, constants: vec![1.0 + spread(0.5698), 0.1] }
}

/// The pushed pendulum with an event function a^2 - 1.
fn stopped() -> Box<Programs> {
    let mut b = Builder::new(5);
    let (a, one) = (b.input(1), b.constant(1.0));
    let square = b.push(Op::Mul, &[a, a]);
    let g = b.push(Op::Sub, &[square, one]);
    let events = Some(Lanes::new(b.finish(&[g])));
    Box::new(Programs { motion: Lanes::new(pushed()), keep: None, events })
}

/// t and state of each row.
type Rows = Vec<(f64, Vec<f64>)>;

/// What was told of each run, by number: rows and how it ended.
fn told(ensemble: &Ensemble, jobs: impl IntoIterator<Item = Job>) -> Vec<(Rows, Ended)> {
    let (mut rows, mut all) = (std::collections::BTreeMap::new(), Vec::new());
    let note = |row: Sampled<'_>| rows.entry(row.id).or_insert_with(Vec::new).push((row.t, row.y.to_vec()));
    ensemble.driver().march_with_rows(jobs, || false, note, |ended| all.push(ended));
    all.sort_by_key(|ended| match ended {
        Ended::Arrived { id, .. } | Ended::GivenBack { id } => *id,
    });
    all.into_iter().zip(rows.into_values()).map(|(ended, rows)| (rows, ended)).collect()
}

/// Ends by number.
fn ends(ensemble: &Ensemble, jobs: impl IntoIterator<Item = Job>) -> Vec<(usize, Ended)> {
    let mut all = Vec::new();
    ensemble.driver().run(
        jobs,
        || false,
        |ended| {
            let (Ended::Arrived { id, .. } | Ended::GivenBack { id }) = ended;
            all.push((id, ended));
        },
    );
    all.sort_by_key(|(id, _)| *id);
    all
}

fn ensemble(method: Method, rtol: f64) -> Ensemble {
    let options = Options { method, rtol, atol: rtol, fixed_step: Some(0.01), ..Options::default() };
    Ensemble::new(Box::new(Lanes::new(pushed())), &options).expect("an explicit method")
}

fn alone(job: &Job, rtol: f64) -> Vec<f64> {
    let options = Options { rtol, atol: rtol, output: Output::Ends, ..Options::default() };
    let start = State::new(job.t, &job.y[..1], &job.y[1..]);
    let kernel = Pushed { k: job.constants[0], c: job.constants[1] };
    let end = integrate(&kernel, &start, job.t_end, &options, &mut |_: Row| {});
    vec![end.state.x[0], end.state.eta[0]]
}

fn worst(method: Method, rtol: f64) -> f64 {
    let difference = |(id, ended): (usize, Ended)| match ended {
        Ended::Arrived { y, .. } => {
            let known = alone(&job(id), 1e-13);
            y.iter().zip(known).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        }
        Ended::GivenBack { .. } => panic!("run {id} was given back"),
    };
    ends(&ensemble(method, rtol), (0..23).map(job)).into_iter().map(difference).fold(0.0, f64::max)
}

/// Within some tens of steps the errors of steps add up and grow a little: two digits are enough of a margin.
#[test]
fn agrees_with_the_ordinary_driver_to_the_tolerance() {
    for method in [Method::Dop853, Method::Tsit5] {
        for rtol in [1e-5, 1e-8, 1e-11] {
            let error = worst(method, rtol);
            assert!(error < 100.0 * rtol && error > 0.0, "{method} at {rtol:e}: {error:e}");
        }
    }
    assert!(worst(Method::Dop853, 1e-13) < 2e-12);
}

/// Halving the fixed step divides the error by 2^4.
#[test]
fn fixed_steps_have_their_order() {
    let error = |step: f64| {
        let options = Options { method: Method::Rk4, fixed_step: Some(step), ..Options::default() };
        let ensemble = Ensemble::new(Box::new(Lanes::new(pushed())), &options).expect("explicit");
        let job = Job { t_end: 3.2, ..job(7) };
        let known = alone(&job, 1e-13);
        match &ends(&ensemble, [job])[0].1 {
            Ended::Arrived { y, steps, .. } => {
                assert_eq!(*steps, (3.2 / step).round() as usize);
                (y[0] - known[0]).abs()
            }
            Ended::GivenBack { .. } => panic!("given back"),
        }
    };
    let order = (error(0.08) / error(0.04)).log2();
    assert!((order - 4.0).abs() < 0.3, "order {order}");
}

/// The error falls with the power of the step that the order says: at equal work, tolerance by tolerance.
#[test]
fn errors_follow_the_tolerance() {
    for method in [Method::Dop853, Method::Tsit5] {
        let (loose, tight) = (worst(method, 1e-4), worst(method, 1e-8));
        let decades = (loose / tight).log10();
        assert!((2.0..6.0).contains(&decades), "{method}: {decades} decades of error for 4 of tolerance");
    }
}

/// One program and loops do the same operations in the same order.
#[test]
fn unrolled_and_looped_steps_have_the_same_bits() {
    for method in [Method::Dop853, Method::Tsit5, Method::Rk4] {
        let options = Options { method, rtol: 1e-7, fixed_step: Some(0.05), ..Options::default() };
        let lanes = || Box::new(Lanes::new(pushed()));
        let unrolled = Ensemble::new(lanes(), &options).expect("explicit");
        let looped = Ensemble::looped(lanes(), &options).expect("explicit");
        assert!(unrolled.step_operations().is_some() && looped.step_operations().is_none());
        assert_eq!(ends(&unrolled, (0..9).map(job)), ends(&looped, (0..9).map(job)), "{method}");
    }
}

/// Rows at given times, and the way to an event that stops: as a run by itself, whatever the neighbours, by one program
/// as by loops.
#[test]
fn steps_are_looked_into() {
    let stop = EventRule { crossing: Crossing::Rising, stop: true };
    for method in [Method::Dop853, Method::Tsit5, Method::Rk4] {
        let (output, fixed_step) = (Output::Every(0.125), Some(0.01));
        let options =
            Options { method, rtol: 1e-9, output, fixed_step, events: vec![stop], ..Options::default() };
        let unrolled = Ensemble::new(stopped(), &options).expect("explicit");
        let looped = Ensemble::looped(stopped(), &options).expect("explicit");
        assert!(unrolled.step_operations().is_some() && looped.step_operations().is_none());
        let together = told(&unrolled, (0..23).map(job));
        assert_eq!(together, told(&looped, (0..23).map(job)), "{method}");
        let mut halts = 0;
        for (id, (rows, ended)) in together.iter().enumerate() {
            assert_eq!(told(&unrolled, [job(id)])[0], (rows.clone(), ended.clone()), "{method} {id}");
            let Ended::Arrived { t, y, event, .. } = ended else { panic!("{method} {id} was given back") };
            halts += usize::from(event.is_some());
            assert_eq!(rows.last(), Some(&(*t, y.clone())));
            assert!(event.is_none() || (y[0].abs() - 1.0).abs() < 1e-12, "{method} {id}: stopped at {y:?}");
            for (k, (time, state)) in rows.iter().enumerate().skip(1) {
                assert!(k + 1 == rows.len() || *time == 0.125 * k as f64);
                let known = alone(&Job { t_end: *time, ..job(id) }, 1e-13);
                let off = state.iter().zip(&known).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(off < 1e-6, "{method} {id} at {time}: {off:e}");
                // Nothing was missed on the way.
                assert!(
                    k < 2 || k + 1 == rows.len() || !(rows[k - 1].1[0].abs() < 1.0 && state[0].abs() > 1.0)
                );
            }
        }
        assert!((5..20).contains(&halts), "{halts}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]
    /// Whatever else is in the lanes, in whatever order, a run has the bits it has alone.
    #[test]
    fn neighbours_do_not_matter(
        ids in prop::collection::vec(0usize..40, 1..12),
        tsit5 in any::<bool>(),
        wild in prop::collection::vec((0usize..12, -1e300f64..1e300), 0..3),
    ) {
        let ensemble = ensemble(if tsit5 { Method::Tsit5 } else { Method::Dop853 }, 1e-7);
        let mut jobs: Vec<Job> = ids.iter().enumerate().map(|(k, id)| Job { id: k, ..job(*id) }).collect();
        for (k, y) in wild {
            let place = k % jobs.len();
            jobs[place].y[0] = y;
        }
        let together = ends(&ensemble, jobs.clone());
        prop_assert_eq!(together.len(), jobs.len());
        for (k, ended) in together {
            prop_assert_eq!(&ends(&ensemble, [jobs[k].clone()])[0].1, &ended);
        }
    }
}

/// What cannot be trusted, or cannot be stepped, is given back; nothing hangs and nothing is lost.
#[test]
fn trouble_is_given_back() {
    /// y' = y^2 blows up at t = 1.
    struct Blow;
    impl LaneKernel for Blow {
        fn dim(&self) -> usize {
            1
        }
        fn constants(&self) -> usize {
            0
        }
        fn derivative(&self, inputs: &[f64], _: &mut [f64], out: &mut [f64]) {
            for l in 0..LANES {
                out[l] = inputs[LANES + l] * inputs[LANES + l];
                out[LANES + l] = 1.0;
            }
        }
    }
    let jobs = |t_end: f64| {
        (0..6).map(move |id| Job {
            id,
            t: 0.0,
            t_end: if id == 3 { t_end } else { 0.5 },
            y: vec![1.0],
            constants: Vec::new(),
        })
    };
    for method in [Method::Dop853, Method::Tsit5, Method::Rk4] {
        let options = Options { method, ..Options::default() };
        let ensemble = Ensemble::new(Box::new(Blow), &options).expect("explicit");
        let all = ends(&ensemble, jobs(2.0));
        assert_eq!(all.len(), 6);
        for (id, ended) in all {
            assert_eq!(matches!(ended, Ended::GivenBack { .. }), id == 3, "{method} {id}: {ended:?}");
        }
    }
    assert!(
        Ensemble::new(Box::new(Blow), &Options { method: Method::Radau, ..Options::default() }).is_none()
    );
    let far = Job { y: vec![2e4, 0.0], ..job(1) };
    let backwards = Job { t_end: -1.0, ..job(2) };
    let nothing = Job { y: vec![f64::NAN, 0.0], ..job(3) };
    for ended in ends(&ensemble(Method::Dop853, 1e-6), [far, backwards, nothing]) {
        assert!(matches!(ended.1, Ended::GivenBack { .. }), "{ended:?}");
    }
    let strange = Job { constants: Vec::new(), ..job(5) };
    assert!(matches!(ends(&ensemble(Method::Dop853, 1e-6), [strange])[0].1, Ended::GivenBack { .. }));
    let nothing = Lanes::new(Builder::new(3).finish(&[]));
    assert!(Ensemble::new(Box::new(nothing), &Options::default()).is_none());
    let standing = Job { t_end: 0.0, ..job(4) };
    assert!(matches!(
        ends(&ensemble(Method::Dop853, 1e-6), [standing])[0].1,
        Ended::Arrived { steps: 0, .. }
    ));
}

/// A pendulum in the plane, (x, y) with x^2 + y^2 = 1, as tapes over t, x, y, v, w, g and the least pivot: its derivative,
/// and one step of Newton back to the circle.
fn pendulum_on_a_circle() -> Programs {
    let mut b = Builder::new(7);
    let [x, y, v, w, g, least] = [1, 2, 3, 4, 5, 6].map(|n| b.input(n));
    let sum = |b: &mut Builder, p: [_; 2], q: [_; 2]| {
        let (first, second) = (b.push(Op::Mul, &[p[0], q[0]]), b.push(Op::Mul, &[p[1], q[1]]));
        b.push(Op::Add, &[first, second])
    };
    let (square, speed) = (sum(&mut b, [x, y], [x, y]), sum(&mut b, [v, w], [v, w]));
    let weight = b.push(Op::Mul, &[g, y]);
    let right = b.push(Op::Sub, &[weight, speed]);
    let lambda = b.push(Op::Div, &[right, square]);
    let (pull, lift) = (b.push(Op::Mul, &[x, lambda]), b.push(Op::Mul, &[y, lambda]));
    let fall = b.push(Op::Sub, &[lift, g]);
    let trusted = b.push(Op::Less, &[least, square]);
    let motion = b.finish(&[v, w, pull, fall, trusted]);

    let mut b = Builder::new(7);
    let [x, y, v, w] = [1, 2, 3, 4].map(|n| b.input(n));
    let (square, psi) = (sum(&mut b, [x, y], [x, y]), sum(&mut b, [x, y], [v, w]));
    let (one, half) = (b.constant(1.0), b.constant(0.5));
    let off = b.push(Op::Sub, &[square, one]);
    let f = b.push(Op::Mul, &[half, off]);
    let mut out = Vec::new();
    for (value, along, residual) in [(x, x, f), (y, y, f), (v, x, psi), (w, y, psi)] {
        let part = b.push(Op::Div, &[residual, square]);
        let change = b.push(Op::Mul, &[part, along]);
        out.push(b.push(Op::Sub, &[value, change]));
    }
    let (position, velocity) = (b.push(Op::Abs, &[f]), b.push(Op::Abs, &[psi]));
    out.extend([b.push(Op::Max, &[position, velocity]), one, square, square]);
    let keep = Keep { lanes: Lanes::new(b.finish(&out)), rows: 1 };
    Programs { motion: Lanes::new(motion), keep: Some(keep), events: None }
}

/// In an angle: a'' = -g sin a.
fn pendulum_in_an_angle() -> Lanes {
    let mut b = Builder::new(4);
    let [a, w, g] = [1, 2, 3].map(|n| b.input(n));
    let sine = b.push(Op::Sin, &[a]);
    let weight = b.push(Op::Mul, &[g, sine]);
    let acceleration = b.push(Op::Neg, &[weight]);
    let one = b.constant(1.0);
    Lanes::new(b.finish(&[w, acceleration, one]))
}

/// States stay on their constraint and move as in an angle; where there is no way back the run is given back.
#[test]
fn constraints_are_kept_in_lanes() {
    let (gravity, angle) = (|id: usize| 5.0 + id as f64, |id: usize| 0.3 + 0.2 * id as f64);
    for method in [Method::Dop853, Method::Tsit5, Method::Rk4] {
        let options =
            Options { method, rtol: 1e-10, atol: 1e-12, fixed_step: Some(1e-3), ..Options::default() };
        let circle = Ensemble::new(Box::new(pendulum_on_a_circle()), &options).expect("an explicit method");
        let turning = Ensemble::new(Box::new(pendulum_in_an_angle()), &options).expect("an explicit method");
        let job = |id: usize, y: Vec<f64>| Job { id, t: 0.0, t_end: 5.0, y, constants: vec![gravity(id)] };
        let flat = (0..9).map(|id| job(id, vec![angle(id).sin(), -angle(id).cos(), 0.0, 0.0]));
        let round = (0..9).map(|id| job(id, vec![angle(id), 0.0]));
        for ((_, found), (_, known)) in ends(&circle, flat).into_iter().zip(ends(&turning, round)) {
            let (Ended::Arrived { y, residual, .. }, Ended::Arrived { y: a, .. }) = (found, known) else {
                panic!("{method}: a run was given back")
            };
            assert!(residual < 1e-15, "{method}: residual {residual:e}");
            let off = (y[0] - a[0].sin()).abs().max((y[1] + a[0].cos()).abs());
            assert!(off < 1e-7, "{method}: {off:e}");
        }
    }
    let far = Job { id: 0, t: 0.0, t_end: 5.0, y: vec![0.0, 0.0, 1.0, 0.0], constants: vec![9.81] };
    let circle =
        Ensemble::new(Box::new(pendulum_on_a_circle()), &Options::default()).expect("an explicit method");
    assert_eq!(ends(&circle, [far]), [(0, Ended::GivenBack { id: 0 })]);
}
