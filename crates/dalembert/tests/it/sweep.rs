//! Sweeps: the same numbers whatever the threads, and those of `simulate` run by run.

use crate::support::{load, load_with, model_text};
use dalembert::run::Flow;
use dalembert::sweep::{Axis, Figure, Plan, Sample, Status, Sweep, SweepRow, Tally};
use dalembert::{Overrides, Request, Workspace};
use std::sync::atomic::AtomicBool;

fn model(name: &str, overrides: &Overrides) -> Workspace {
    load_with(&model_text(name), overrides)
}

fn plan(vary: &[&str], sample: &[&str], runs: usize) -> Plan {
    Plan {
        vary: vary.iter().map(|t| Axis::read(t).unwrap()).collect(),
        sample: sample.iter().map(|t| Sample::read(t).unwrap()).collect(),
        runs,
        seed: 7,
        ..Plan::default()
    }
}

/// The rows in the order of the runs.
fn rows(
    sweep: &Sweep,
    threads: usize,
    order: impl IntoIterator<Item = usize, IntoIter: Send>,
) -> Vec<SweepRow> {
    let mut blocks = Vec::new();
    sweep.execute(threads, order, &AtomicBool::new(false), |block| {
        blocks.push(block);
        Flow::Continue
    });
    blocks.sort_by_key(|b| b.index);
    blocks.into_iter().flat_map(|b| b.rows).collect()
}

fn bits(rows: &[SweepRow]) -> Vec<Vec<u64>> {
    rows.iter().map(|row| row.numbers.iter().map(|v| v.to_bits()).collect()).collect()
}

/// How many runs went all the way in lanes.
fn in_lanes(sweep: &Sweep) -> usize {
    let mut count = 0;
    sweep.execute(1, 0..sweep.blocks(), &AtomicBool::new(false), |block| {
        count += block.in_lanes;
        Flow::Continue
    });
    count
}

#[test]
fn neither_threads_nor_order_change_a_bit() {
    // In lanes; with parameters; with constraints; redundant, one by one.
    let cases = [
        (
            "double_pendulum",
            plan(&["m2=0.5..2:3"], &["theta1~uniform(-3,3)", "theta2'~normal(0,1)"], 30),
            2.0,
        ),
        ("pendulum_chain", plan(&[], &["g~uniform(9,10)"], 12), 0.2),
        ("n_four_bar", plan(&[], &["g~uniform(9,10)"], 6), 0.5),
    ];
    for (name, mut plan, until) in cases {
        plan.request = Request { until: Some(until), rtol: Some(1e-6), ..Request::default() };
        let sweep =
            Sweep::new(model(name, &Overrides::default()), plan).unwrap_or_else(|d| panic!("{}", d.message));
        let known = rows(&sweep, 1, 0..sweep.blocks());
        assert_eq!(known.len(), sweep.runs());
        assert!(known.iter().all(|row| row.status == Status::Done), "{name}");
        for threads in [2, 3] {
            assert_eq!(
                bits(&rows(&sweep, threads, 0..sweep.blocks())),
                bits(&known),
                "{name}, {threads} threads"
            );
        }
        let backwards: Vec<usize> = (0..sweep.blocks()).rev().collect();
        assert_eq!(bits(&rows(&sweep, 2, backwards)), bits(&known), "{name}, backwards");
    }
}

/// Workspace, what is varied, what is drawn, whether in lanes, end, growth of errors.
type Case<'a> = (&'a str, &'a [&'a str], &'a [&'a str], bool, f64, f64);

/// Each run is the run that `simulate` makes with `--set` and `--initial`, to the tolerance.
#[test]
fn agrees_with_simulate_run_by_run() {
    // Errors grow with the motion: 1e4 is for a chaotic one.
    let cases: [Case; 14] = [
        ("double_pendulum", &["l2=0.5..1.5:3"], &["theta1~uniform(-1,1)"], true, 3.0, 1e4),
        ("bead_hoop", &[], &["g~normal(9.81,0.1)"], true, 2.0, 1e4),
        ("pendulum_chain", &["g=9,10"], &[], true, 0.5, 1e4),
        ("pendulum_redundant", &["g=9,10"], &[], true, 0.5, 1e4),
        ("bricard", &["g=9,10"], &[], true, 0.5, 1e4),
        ("rolling_disk", &["r=0.4..0.6:2"], &["theta'~normal(2,0.1)"], true, 1.0, 1e4),
        ("bead_hoop_rheonomic", &["g=9,10"], &[], true, 1.0, 1e4),
        ("appell_hamel", &["g=9,10"], &[], true, 1.0, 1e4),
        ("suslov", &["I1=1,2"], &[], true, 1.0, 1e4),
        ("bicycle", &["g=9,10"], &[], true, 0.2, 1e4),
        ("rough_wedge", &["m=1,3,4"], &[], false, 0.3, 1e4), // equal masses at one of them
        ("rough_hoop", &["mu=0.1,0.3"], &["m~uniform(0.1,0.3)"], false, 0.5, 1e4),
        ("rigid_body", &[], &["w1~normal(0,1)"], true, 0.5, 1e4),
        ("chaplygin_sleigh", &[], &["m~uniform(1,2)"], true, 1.0, 1e4),
    ];
    for (name, vary, sample, in_lanes, until, growth) in cases {
        let rtol = 1e-9;
        let mut plan = plan(vary, sample, if sample.is_empty() { 1 } else { 3 });
        let request = Request { until: Some(until), rtol: Some(rtol), ..Request::default() };
        plan.request = request.clone();
        let (axes, draws) = (plan.vary.clone(), plan.sample.clone());
        let sweep = Sweep::new(model(name, &Overrides::default()), plan)
            .unwrap_or_else(|d| panic!("{name}: {}", d.message));
        assert_eq!(sweep.in_lanes(), in_lanes, "{name}");
        let names: Vec<&str> =
            axes.iter().map(|a| a.name.as_str()).chain(draws.iter().map(|s| s.name.as_str())).collect();
        assert_eq!(self::in_lanes(&sweep), if in_lanes { sweep.runs() } else { 0 }, "{name}");
        for (run, row) in rows(&sweep, 2, 0..sweep.blocks()).iter().enumerate() {
            assert_eq!(row.numbers[0], run as f64);
            let residual = row.numbers[row.numbers.len() - 2];
            assert!(residual < 1e-14, "{name} run {run}: residual {residual:e}");
            let mut overrides = Overrides::default();
            for ((name, value), column) in names.iter().zip(&row.numbers[1..]).zip(&sweep.columns()[1..]) {
                let text = dalembert_view::number(*value);
                match column.ends_with("(0)") {
                    true => overrides.initial.push(format!("{name}={text}")),
                    false => overrides.set.push((name.to_string(), text)),
                }
            }
            let motion = model(name, &overrides).simulate(&request, |_| Flow::Continue).unwrap();
            let last = motion.table.rows().last().unwrap().to_vec();
            let found = &row.numbers[1 + names.len()..][..last.len()];
            for (k, (a, b)) in found.iter().zip(&last).enumerate() {
                let allowed = growth * rtol * (1.0 + b.abs());
                assert!((a - b).abs() <= allowed, "{name} run {run} {}: {a} {b}", motion.table.columns[k]);
            }
        }
    }
}

/// Runs that pass a loss of rank are given back by the lanes, and stay on their branch; those before it are not.
#[test]
fn a_loss_of_rank_is_not_for_lanes() {
    for (until, stays) in [(0.3, true), (2.0, false)] {
        let model = model("n_four_bar", &Overrides::default());
        let mut plan = plan(&["g=9,9.5,10"], &[], 1);
        plan.request.until = Some(until);
        let sweep = Sweep::new(model, plan).unwrap_or_else(|d| panic!("{}", d.message));
        assert!(sweep.in_lanes());
        assert_eq!(in_lanes(&sweep), if stays { 3 } else { 0 });
        for row in rows(&sweep, 1, 0..sweep.blocks()) {
            let [x0, x1, y0, y1] = [3, 4, 6, 7].map(|k| row.numbers[k]);
            assert!((x1 - x0 - 1.0).abs() < 1e-9 && (y1 - y0).abs() < 1e-9, "off its branch: {row:?}");
        }
    }
}

/// Fixed steps are those of `simulate`: only roundings differ.
#[test]
fn fixed_steps_are_those_of_simulate() {
    for step in [None, Some(0.004)] {
        let mut plan = plan(&["theta1=1,2"], &[], 1);
        let request = Request { until: Some(1.0), method: Some("rk4".into()), step, ..Request::default() };
        plan.request = request.clone();
        let sweep = Sweep::new(model("double_pendulum", &Overrides::default()), plan).unwrap();
        assert!(sweep.in_lanes());
        for row in rows(&sweep, 1, 0..sweep.blocks()) {
            let overrides =
                Overrides { initial: vec![format!("theta1={}", row.numbers[1])], ..Overrides::default() };
            let motion = model("double_pendulum", &overrides).simulate(&request, |_| Flow::Continue).unwrap();
            let steps = row.numbers[row.numbers.len() - 1];
            assert_eq!(steps as usize, motion.outcome.counters.steps);
            let last = motion.table.rows().last().unwrap();
            assert!(
                row.numbers[2..].iter().zip(last).all(|(a, b)| (a - b).abs() < 1e-11),
                "{row:?} {last:?}"
            );
        }
    }
}

/// Parameters defined from others, starts that depend on parameters, and units follow.
#[test]
fn what_depends_on_parameters_follows() {
    let text = "parameter a = 200 {cm}, b = 3*a\ncoordinate x\nkinetic x'^2/2\npotential 0\ninitial x = b, x' = a\n\
                output s = a + b\nsimulate until 1/a";
    let model = || load(text);
    let plan = plan(&["a=50,100,200"], &[], 1);
    let sweep = Sweep::new(model(), plan).unwrap_or_else(|d| panic!("{}", d.message));
    for row in rows(&sweep, 1, 0..sweep.blocks()) {
        let [a, t, x, v, s] = [1, 2, 3, 4, 5].map(|k| row.numbers[k]);
        let a = 0.01 * a;
        assert!((t - 1.0 / a).abs() < 1e-15 && v == a && s == 4.0 * a, "{row:?}");
        assert!((x - (3.0 * a + 1.0)).abs() < 1e-12, "{row:?}");
    }
}

#[test]
fn grids_have_the_last_axis_fastest() {
    let model = load("parameter a = 1, b = 1\ncoordinate x\nkinetic (a + b)*x'^2/2\nsimulate until 1");
    let sweep = Sweep::new(model, plan(&["a=1..2:2", "b=10,20,30"], &["x~uniform(0,1)"], 2)).unwrap();
    assert_eq!(sweep.runs(), 12);
    let grid: Vec<(f64, f64)> = (0..12).map(|k| sweep.values(k)).map(|v| (v[0], v[1])).collect();
    assert_eq!(grid[..4], [(1.0, 10.0), (1.0, 10.0), (1.0, 20.0), (1.0, 20.0)]);
    assert_eq!(grid[10..], [(2.0, 30.0), (2.0, 30.0)]);
    let draws: Vec<f64> = (0..12).map(|k| sweep.values(k)[2]).collect();
    assert!((1..12).all(|k| !draws[..k].contains(&draws[k])), "all draws differ");
    let covered: Vec<usize> = (0..sweep.blocks()).flat_map(|b| sweep.runs_of(b)).collect();
    assert_eq!(covered, (0..12).collect::<Vec<_>>());
}

/// Moments of 40000 draws, within five standard errors; other names and seeds give other draws.
#[test]
fn draws_have_their_distribution() {
    let n = 40_000;
    let draws = |text: &str, seed: u64| -> Vec<f64> {
        let sample = Sample::read(text).unwrap();
        (0..n).map(|k| sample.at(seed, k)).collect()
    };
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let error = 5.0 / (n as f64).sqrt();
    for seed in [0, 1, u64::MAX] {
        let x = draws("x~normal(2,3)", seed);
        let z: Vec<f64> = x.iter().map(|x| (x - 2.0) / 3.0).collect();
        let power = |p: i32| mean(&z.iter().map(|z| z.powi(p)).collect::<Vec<_>>());
        assert!(power(1).abs() < error && (power(2) - 1.0).abs() < 1.5 * error, "{} {}", power(1), power(2));
        assert!(power(3).abs() < 4.0 * error && (power(4) - 3.0).abs() < 10.0 * error);
        let u = draws("x~uniform(-1,3)", seed);
        assert!(u.iter().all(|u| (-1.0..3.0).contains(u)) && (mean(&u) - 1.0).abs() < 1.2 * error);
        let l = draws("x~loguniform(0.01,100)", seed);
        let logs: Vec<f64> = l.iter().map(|l| l.log10()).collect();
        assert!(l.iter().all(|l| (0.01..=100.0).contains(l)) && mean(&logs).abs() < 1.2 * error);
        // No correlation between neighbours, names and seeds.
        let others =
            [draws("y~normal(2,3)", seed), draws("x~normal(2,3)", seed ^ 1), [&x[1..], &x[..1]].concat()];
        for other in others {
            let product: Vec<f64> = z.iter().zip(&other).map(|(a, b)| a * (b - 2.0) / 3.0).collect();
            assert!(mean(&product).abs() < error);
        }
    }
}

/// Events, failures and starts that are not found are rows like others.
#[test]
fn every_run_gets_its_row() {
    let text = "parameter h = 1\ncoordinate y\nkinetic y'^2/2\npotential 10*y\ninitial y = h\nevent ground: y falling stop\nsimulate until 1";
    let sweep = Sweep::new(load(text), plan(&["h=1,50"], &[], 1)).unwrap();
    assert_eq!(in_lanes(&sweep), 2);
    let all = rows(&sweep, 2, 0..sweep.blocks());
    assert_eq!(all[0].status, Status::Event("ground".into()));
    assert!((all[0].numbers[2] - 0.2f64.sqrt()).abs() < 1e-9);
    assert_eq!(all[1].status, Status::Done);

    // x^2 = c has no start for c < 0, and blows up never.
    let text = "parameter c = 1\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint s: x^2 = c\ninitial x ~ 1\nsimulate until 1";
    let sweep = Sweep::new(load(text), plan(&["c=-1,1"], &[], 1)).unwrap();
    let all = rows(&sweep, 1, 0..sweep.blocks());
    assert!(matches!(&all[0].status, Status::Failed(_)) && all[0].numbers[3].is_nan(), "{all:?}");
    assert_eq!(all[1].status, Status::Done);
    let mut tally = Tally::new(&sweep);
    all.iter().for_each(|row| tally.add(&row.numbers, &row.status.text()));
    assert_eq!((tally.done, tally.failed.values().sum::<usize>()), (1, 1));

    // x'' = 2 x^3 with x = 1/(1 - t): the lanes give it back, the driver says why.
    let text = "parameter v = 1\ncoordinate x\nmass [[1]]\nforce [2*x^3]\ninitial x = 1, x' = v\noutput a = x''\nsimulate until 2";
    let sweep = Sweep::new(load(text), plan(&["v=1,-1"], &[], 1)).unwrap();
    assert!(sweep.in_lanes());
    let all = rows(&sweep, 1, 0..sweep.blocks());
    assert!(matches!(&all[0].status, Status::Failed(d) if d.code.id().starts_with("E07")), "{:?}", all[0]);
    assert!((all[0].numbers[2] - 1.0).abs() < 1e-3, "it came to t = 1");
    // x = 1/(1 + t): acceleration 2 x^3 at t = 2.
    assert_eq!(all[1].status, Status::Done);
    assert!((all[1].numbers[5] - 2.0 / 27.0).abs() < 1e-8, "{:?}", all[1]);
}

#[test]
fn motions_hold_every_run() {
    let mut plan = plan(&["m2=1,2"], &["theta1~uniform(0,1)"], 3);
    plan.request = Request { until: Some(1.0), every: Some(0.25), ..Request::default() };
    plan.motions = true;
    let sweep = Sweep::new(model("double_pendulum", &Overrides::default()), plan).unwrap();
    let mut seen = Vec::new();
    sweep.execute(2, 0..sweep.blocks(), &AtomicBool::new(false), |block| {
        let table = block.motions.expect("asked for");
        assert_eq!(table.columns[..2], ["run", "t"]);
        seen.extend(table.rows().map(|row| (row[0], row[1])));
        Flow::Continue
    });
    seen.sort_by(|a, b| a.partial_cmp(b).unwrap());
    assert_eq!(seen.len(), 6 * 5);
    assert_eq!(seen[5..7], [(1.0, 0.0), (1.0, 0.25)]);
}

#[test]
fn nonsense_is_refused() {
    let sweep = |plan: Plan| {
        Sweep::new(model("double_pendulum", &Overrides::default()), plan).err().map(|d| d.message)
    };
    let said = |plan: Plan, words: &str| {
        let message = sweep(plan).expect("refused");
        assert!(message.contains(words), "{message}");
    };
    said(plan(&[], &[], 1), "nothing changes");
    said(plan(&["m1=1,2"], &[], 5), "all be the same");
    said(plan(&["mass=1,2"], &[], 1), "not a parameter");
    said(plan(&["m1=1,2", "m1=1..2:3"], &[], 1), "twice");
    said(plan(&["m1=1,2"], &["m1~normal(1,1)"], 2), "twice");
    said(plan(&["m1=1..2:1000000", "m2=1..2:1000000"], &[], 1), "more than");
    said(plan(&[], &["m1~normal(1,1)"], 0), "no runs");
    let mut endless = plan(&["m1=1,2"], &[], 1);
    endless.request.rtol = Some(7.0);
    said(endless, "tolerance");
    for text in [
        "",
        "=",
        "m=",
        "m=1..",
        "m=1..2",
        "m=1..2:x",
        "m=1..2:3:4",
        "m=1..1:3",
        "m=nan,1",
        "m=1,,2",
        "m=x",
        "m=1..2:0",
    ] {
        assert!(Axis::read(text).is_err(), "{text}");
    }
    for text in [
        "",
        "x",
        "x~",
        "x~normal",
        "x~normal(1)",
        "x~normal(1,-1)",
        "x~uniform(1,2",
        "~normal(0,1)",
        "x~loguniform(-1,1)",
    ] {
        assert!(Sample::read(text).is_err(), "{text}");
    }
}

/// A sweep that is told to stop does, and hands out whole blocks only.
#[test]
fn cancelling_stops_between_and_within_blocks() {
    let mut plan = plan(&[], &["theta1~uniform(-3,3)"], 4000);
    plan.request = Request { until: Some(2.0), rtol: Some(1e-6), ..Request::default() };
    let sweep = Sweep::new(model("double_pendulum", &Overrides::default()), plan).unwrap();
    let (mut taken, cancel) = (0, AtomicBool::new(false));
    sweep.execute(2, 0..sweep.blocks(), &cancel, |block| {
        assert_eq!(block.rows.len(), sweep.runs_of(block.index).len());
        taken += 1;
        if taken == 3 { Flow::Cancel } else { Flow::Continue }
    });
    assert_eq!(taken, 3);
}

/// Figures of a run are those of the definitions, over the rows of its motion.
#[test]
fn figures_are_those_of_the_definitions() {
    let keep = Figure::read("max(x), min(x) , mean(x),rms(x), first(x), last(x)").unwrap();
    assert_eq!((keep[1].name.as_str(), keep[1].column.as_str()), ("min(x)", "x"));
    let text = "parameter k = 9\ncoordinate x\nkinetic x'^2/2\npotential k*x^2/2\ninitial x = 1, x' = -6\n";
    let model = || load(text);
    let request = Request { until: Some(2.0), every: Some(0.25), ..Request::default() };
    let x = model().simulate(&request, |_| Flow::Continue).unwrap().table.column("x").unwrap();
    let plan = Plan { request, keep, ..plan(&["k=9,16"], &[], 1) };
    let sweep = Sweep::new(model(), plan).unwrap();
    let row = &rows(&sweep, 1, 0..sweep.blocks())[0];
    let n = x.len() as f64;
    let expected = [
        x.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        x.iter().copied().fold(f64::INFINITY, f64::min),
        x.iter().sum::<f64>() / n,
        (x.iter().map(|x| x * x).sum::<f64>() / n).sqrt(),
        x[0],
        x[x.len() - 1],
    ];
    let first = sweep.columns().iter().position(|c| c == "max(x)").unwrap();
    for (name, (found, expected)) in
        sweep.columns()[first..].iter().zip(row.numbers[first..].iter().zip(expected))
    {
        assert!((found - expected).abs() < 1e-9, "{name}: {found}, not {expected}");
    }
}

#[test]
fn figures_that_cannot_be_read_are_refused() {
    for text in ["", "x", "max()", "largest(x)", "max(x", "max(x),"] {
        assert!(Figure::read(text).is_err(), "{text}");
    }
    let said = |text: &str| {
        let plan = Plan { keep: Figure::read(text).unwrap(), ..plan(&["g=9,10"], &[], 1) };
        Sweep::new(crate::support::load_file("pendulum"), plan)
            .err()
            .map(|d| d.help.clone().unwrap_or_default())
    };
    assert!(said("max(thta)").is_some_and(|help| help.contains("did you mean `theta`")));
    assert!(said("max(theta), max(theta)").is_some() && said("max(theta), min(theta)").is_none());
}
