//! Oracle tests: a model and a table of known values. Adding one adds files to `models/` and `oracles/`, no Rust.
//!
//! Each table is run as its header says; every row is compared. All failures are shown together.

use crate::support::root;
use dalembert::run::Flow;
use dalembert::{Motion, MotionForm, Overrides, Request, Source, Workspace};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Oracle {
    name: String,
    model: String,
    overrides: Overrides,
    until: Option<f64>,
    rtol: Option<f64>,
    method: Option<String>,
    sensitivity: Vec<String>,
    form: MotionForm,
    rows: Vec<OracleRow>,
}

struct OracleRow {
    t: Option<f64>,
    quantity: String,
    value: f64,
    relative: bool,
    tolerance: f64,
}

fn read(path: &Path) -> Oracle {
    let text = std::fs::read_to_string(path).expect("an oracle table is readable");
    let mut oracle = Oracle {
        name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        model: String::new(),
        overrides: Overrides::default(),
        until: None,
        rtol: None,
        method: None,
        sensitivity: Vec::new(),
        form: MotionForm::Explicit,
        rows: Vec::new(),
    };
    for line in text.lines().filter_map(|l| l.strip_prefix('#')) {
        let Some((key, value)) = line.split_once(':') else { continue };
        let value = value.trim().to_owned();
        match key.trim() {
            "model" => oracle.model = value,
            "set" => oracle
                .overrides
                .set
                .extend(value.split_once('=').map(|(a, b)| (a.trim().into(), b.trim().into()))),
            "initial" => oracle.overrides.initial.push(value),
            "until" => oracle.until = value.parse().ok(),
            "rtol" => oracle.rtol = value.parse().ok(),
            "sensitivity" => oracle.sensitivity = value.split(", ").map(str::to_owned).collect(),
            "method" => oracle.method = Some(value),
            "form" if value == "hamilton-jacobi" => oracle.form = MotionForm::HamiltonJacobi,
            _ => {}
        }
    }
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    for record in reader.records() {
        let record = record.expect("an oracle row");
        let (kind, tolerance) = record[3].trim().split_once(' ').expect("`rel 1e-9` or `abs 1e-9`");
        oracle.rows.push(OracleRow {
            t: record[0].trim().parse().ok(),
            quantity: record[1].trim().to_owned(),
            value: record[2].trim().parse().expect("a number"),
            relative: kind == "rel",
            tolerance: tolerance.parse().expect("a tolerance"),
        });
    }
    assert!(!oracle.rows.is_empty(), "{} has no rows", oracle.name);
    oracle
}

fn motion(oracle: &Oracle) -> Result<Motion, String> {
    let path = root().join("models").join(format!("{}.dal", oracle.model));
    let source = Source::new(
        &oracle.model,
        std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?,
    );
    let said = |d: &[dalembert::diagnostic::Diagnostic]| {
        dalembert::diagnostic::render(d, &source, dalembert::diagnostic::Style::Plain)
    };
    let mut model = Workspace::load(&source, &oracle.overrides).map_err(|d| said(&d))?;
    let mut times: Vec<f64> = oracle.rows.iter().filter_map(|r| r.t).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    // Events are looked for as long as the model itself runs; rows only as long as needed.
    let by_events = oracle.rows.iter().any(|r| r.t.is_none());
    let last = times.last().copied().filter(|t| *t > 0.0).or(Some(1e-3));
    let until = oracle.until.or(if by_events { None } else { last });
    let request = Request {
        until,
        times: Some(times),
        rtol: oracle.rtol,
        method: oracle.method.clone(),
        form: oracle.form,
        sensitivity: oracle.sensitivity.clone(),
        ..Request::default()
    };
    let motion = model.simulate(&request, |_| Flow::Continue).map_err(|d| said(&[*d]))?;
    match &motion.failure {
        Some(d) => Err(said(std::slice::from_ref(d))),
        None => Ok(motion),
    }
}

/// What the table says against what was computed: `None` if they agree.
fn compare(row: &OracleRow, motion: &Motion) -> Option<String> {
    let got = match row.quantity.strip_prefix("event:") {
        Some(event) => {
            let (name, k) = event.split_once(':')?;
            let k: usize = k.parse().ok()?;
            motion.events.iter().filter(|e| e.name == name).nth(k.wrapping_sub(1)).map(|e| e.t)
        }
        None => {
            let column = motion.table.columns.iter().position(|c| *c == row.quantity);
            let t = row.t.unwrap_or(f64::NAN);
            column.and_then(|c| {
                motion.table.rows().find(|r| (r[0] - t).abs() <= 1e-12 * (1.0 + t.abs())).map(|r| r[c])
            })
        }
    };
    let Some(got) = got else { return Some(format!("{} at {:?}: not found", row.quantity, row.t)) };
    let error = (got - row.value).abs() / if row.relative { row.value.abs() } else { 1.0 };
    let agrees = error <= row.tolerance;
    (!agrees).then(|| {
        format!(
            "{} at {:?}: {got:.15e}, not {:.15e}; error {error:.1e} > {:.0e}",
            row.quantity, row.t, row.value, row.tolerance
        )
    })
}

#[test]
fn every_table_holds_to_its_tolerance() {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(root().join("oracles"))
        .expect("the oracles are there")
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "csv"))
        .collect();
    paths.sort();
    let wanted = std::env::var("ORACLE").ok();
    let oracles: Vec<Oracle> = paths
        .iter()
        .map(|p| read(p))
        .filter(|o| wanted.as_ref().is_none_or(|w| o.name.contains(w.as_str())))
        .collect();
    let (next, report) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(oracle) = oracles.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let problems: Vec<String> = match motion(oracle) {
                        Err(message) => vec![message],
                        Ok(motion) => oracle.rows.iter().filter_map(|row| compare(row, &motion)).collect(),
                    };
                    let lines = problems.iter().map(|p| format!("{}: {p}", oracle.name));
                    report.lock().expect("no panic holds the lock").extend(lines);
                }
            });
        }
    });
    let mut report = report.into_inner().expect("no panic holds the lock");
    report.sort();
    let rows: usize = oracles.iter().map(|o| o.rows.len()).sum();
    println!("{} tables, {rows} values compared", oracles.len());
    assert!(report.is_empty(), "{} disagreements:\n{}", report.len(), report.join("\n"));
}
