//! `--animate FILE.html --live`: pages that compute, in Node and in Chromium, against `simulate`.

use crate::support::browser::{Browser, attribute, text};
use crate::support::{dalembert, model, scratch, with_input};
use std::process::Command;

/// The last state of a motion: coordinates, then speeds.
fn last_row(name: &str, more: &[&str], columns: usize) -> Vec<f64> {
    let path = model(name);
    let args =
        [&["simulate", path.as_str(), "--quiet", "--rtol", "1e-12", "--atol", "1e-13", "--out", "-"], more];
    let answer = dalembert(&args.concat());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let row = answer.stdout.lines().last().expect("a row");
    row.split(',').skip(1).take(columns).map(|v| v.parse().expect("a number")).collect()
}

/// Loads the script of a page without a document, moves sliders, prints the last state.
const IN_NODE: &str = r#"
const page = require('fs').readFileSync(process.argv[1], 'utf8');
const spec = JSON.parse(page.match(/id="model">(.*?)<\/script>/s)[1]);
const script = page.match(/<script type="module">\n(.*)<\/script>/s)[1];
const live = script.slice(script.indexOf('const RANK'), script.indexOf('/**\n * Sliders'));
const Model = new Function('short', `${live}\nreturn Model;`)(String);
Model.of(spec).then((model) => {
  const settings = model.settings();
  for (const word of process.argv.slice(2)) {
    const [name, value] = word.split('=');
    const k = spec.parameters.findIndex((p) => p.name === name);
    if (k >= 0) settings.parameters.set(k, Number(value));
    else settings.start.set(spec.initial.findIndex((s) => s.name === name), Number(value));
  }
  console.log(model.film(settings).states.at(-1).join(' '));
});
"#;

fn numbers(text: &str) -> Vec<f64> {
    text.split_whitespace().map(|v| v.parse().expect("a number")).collect()
}

fn agree(name: &str, found: &[f64], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len(), "{name}");
    for (found, wanted) in found.iter().zip(wanted) {
        let off = (found - wanted).abs() / wanted.abs().max(1.0);
        assert!(off < 1e-9, "{name}: {found}, not {wanted}");
    }
}

const CASES: [(&str, &[&str], &[&str]); 4] = [
    ("double_pendulum", &["l1=0.7"], &["theta2=0.4"]),
    ("rolling_disk", &["r=0.8"], &["psi'=0.9"]),
    // A rod of another length: the start is completed by the constraints.
    ("double_pendulum_cartesian", &[], &[]),
    ("heavy_top", &[], &[]),
];

#[test]
fn sliders_move_the_model_as_simulate_does() {
    if Command::new("node").arg("--version").output().is_err() {
        eprintln!("left out: Node is not installed");
        return;
    }
    for (name, parameters, starts) in CASES {
        let page = scratch("live_node").join(format!("{name}.html"));
        let path = model(name);
        let made =
            dalembert(&["simulate", &path, "--until", "2", "--quiet", "--animate", text(&page), "--live"]);
        assert_eq!(made.code, 0, "{}", made.stderr);
        assert!(std::fs::metadata(&page).expect("a page").len() < 400_000);
        let run = |words: &[&str]| {
            let output =
                Command::new("node").args(["-e", IN_NODE, text(&page)]).args(words).output().expect("Node");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            numbers(&String::from_utf8_lossy(&output.stdout))
        };
        let as_it_stands = run(&[]);
        let until = ["--until", "2"];
        agree(name, &as_it_stands, &last_row(name, &until, as_it_stands.len()));
        if !parameters.is_empty() {
            let moved = run(&[parameters, starts].concat());
            let sets = parameters.iter().flat_map(|p| ["--set", *p]);
            let more: Vec<&str> =
                sets.chain(starts.iter().flat_map(|s| ["--initial", *s])).chain(until).collect();
            agree(name, &moved, &last_row(name, &more, moved.len()));
        }
    }
}

#[test]
fn pages_compute_in_a_browser() {
    let Some(browser) = Browser::find("live_browser") else { return };
    for (name, moved, set) in
        [("double_pendulum", "#t=1&m2=0.8", "m2=0.8"), ("rolling_disk", "#t=1&r=0.8", "r=0.8")]
    {
        let page = scratch("live_browser_pages").join(format!("{name}.html"));
        let made = dalembert(&[
            "simulate",
            &model(name),
            "--until",
            "2",
            "--quiet",
            "--animate",
            text(&page),
            "--live",
        ]);
        assert_eq!(made.code, 0, "{}", made.stderr);
        for (address, width, more) in [("#t=1", 1280, None), (moved, 390, Some(set))] {
            let done = |dom: &String| dom.contains("data-last=");
            let mut looks = (0..5).map(|_| browser.dom(&page, address, width));
            let dom = looks.find(done).unwrap_or_else(|| panic!("{name}{address} computes nothing"));
            assert_eq!(
                (attribute(&dom, "errors"), attribute(&dom, "wide")),
                ("0", "false"),
                "{name}{address}"
            );
            let found = numbers(attribute(&dom, "last"));
            let sets: Vec<&str> =
                more.iter().flat_map(|set| ["--set", *set]).chain(["--until", "2"]).collect();
            agree(name, &found, &last_row(name, &sets, found.len()));
        }
    }
}

#[test]
fn what_a_page_cannot_compute_is_refused() {
    let page = scratch("live_refused").join("page.html");
    let friction = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint floor: y = 0\n\
                    friction on floor: coefficient 0.3, velocity x'\nsimulate until 1\n";
    let answer = with_input(&["simulate", "-", "--animate", text(&page), "--live"], friction);
    assert_eq!(answer.code, 1, "{}", answer.stdout);
    assert!(
        answer.stderr.contains("`friction` on `floor` cannot be computed in a page"),
        "{}",
        answer.stderr
    );
    assert!(answer.stderr.contains("leave out `--live`") && !page.exists(), "{}", answer.stderr);
    let alone = with_input(&["simulate", "-", "--live"], "coordinate x\nkinetic x'^2/2\nsimulate until 1\n");
    assert_eq!(alone.code, 2);
}
