//! No text makes the pipeline fail or hang: parse, elaborate, derive, compile, start, evaluate, a short motion. There is always a
//! result, or something is said.

use std::sync::mpsc;
use std::time::Duration;

use crate::support::*;
use dalembert::diagnostic::{Style, any_error, render};
use dalembert::equations::{Form, write};
use dalembert::run::Flow;
use dalembert::{Overrides, Request, Source, Workspace};
use dalembert_expr::Format;

/// Generous: the slowest case takes a fraction of a second here, a hang takes for ever.
const PATIENCE: Duration = Duration::from_secs(60);

/// Goes through everything with a text. Returns how far it came.
fn exercise(text: &str) -> usize {
    let source = Source::new("model.dal", text);
    let mut model = match Workspace::load(&source, &Overrides::default()) {
        Ok(model) => model,
        Err(said) => {
            assert!(any_error(&said), "a refusal says why");
            assert!(!render(&said, &source, Style::Plain).is_empty());
            return 0;
        }
    };
    render(&model.diagnostics, &source, Style::Plain);
    for form in [Form::Kernel, Form::Lagrange, Form::Explicit] {
        if let Err(said) = write(&mut model, form, Format::Text) {
            assert!(!said.message.is_empty());
        }
    }
    let state = match model.start() {
        Ok(started) => started.state,
        Err(said) => {
            assert!(said.is_error() && !said.message.is_empty());
            return 1;
        }
    };
    if let Err(said) = model.evaluate(&state) {
        assert!(said.is_error() && !said.message.is_empty());
    }
    let request = Request {
        until: Some(0.05),
        every: Some(0.01),
        rtol: Some(1e-4),
        max_steps: Some(200),
        method: Some(if text.len().is_multiple_of(3) { "radau" } else { "dop853" }.into()),
        ..Request::default()
    };
    match model.simulate(&request, |_| Flow::Continue) {
        Ok(motion) => assert!(motion.failure.is_some() || !motion.table.values.is_empty()),
        Err(said) => assert!(said.is_error() && !said.message.is_empty()),
    }
    2
}

/// Exercises texts one after the other beside a clock; returns how many came how far.
fn all_within_patience(texts: Vec<String>) -> [usize; 3] {
    let (tell, hear) = mpsc::channel();
    let copy = texts.clone();
    let worker = std::thread::spawn(move || {
        for (k, text) in copy.iter().enumerate() {
            let reached = exercise(text);
            tell.send((k, reached)).expect("the clock is still there");
        }
    });
    let mut counts = [0; 3];
    for text in &texts {
        match hear.recv_timeout(PATIENCE) {
            Ok((_, reached)) => counts[reached] += 1,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("no end after {PATIENCE:?}:\n{text}"),
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                let cause = worker.join().expect_err("it stopped early");
                let cause = cause.downcast_ref::<String>().cloned().unwrap_or_default();
                panic!("{cause}\nby this text:\n{text}");
            }
        }
    }
    println!("{} refused, {} without a start, {} moved", counts[0], counts[1], counts[2]);
    counts
}

/// Words, numbers, strings and signs of a model, with the spaces between them.
fn tokens(text: &str) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' || c == '.' => 1,
        ' ' => 2,
        _ => 0,
    };
    for c in text.lines().map(|l| l.split('#').next().unwrap_or("")).collect::<Vec<_>>().join("\n").chars() {
        match list.last_mut() {
            Some(last) if kind(c) != 0 && last.chars().next_back().map(kind) == Some(kind(c)) => last.push(c),
            _ => list.push(c.to_string()),
        }
    }
    list
}

const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1e308",
    "1e-308",
    "1e300*1e300",
    "0/0",
    "1/0",
    "1e18",
    "-0.5",
    "2^9^9^9",
    "1e-200",
    "99999",
    "sqrt(-1)",
];
const PIECES: &[&str] = &[
    "+",
    "-",
    "*",
    "/",
    "^",
    "'",
    "''",
    "(",
    ")",
    "[",
    "]",
    ",",
    "=",
    "~",
    " if 1 < 2 then ",
    " else 0",
    "t",
    "pi",
    "0",
    "delta(x)",
    "sqrt(",
    "log(",
    "exp(",
    "atan2(",
    "sum(i in 1..3,",
    "x'",
    "\n",
    ".x",
    "[1]",
    "δ",
    "energy",
    "multiplier(",
    "{m}",
];

fn damaged(tokens: &[String], rng: &mut Rng) -> String {
    let mut list = tokens.to_vec();
    for _ in 0..1 + rng.below(3) {
        let (i, j) = (rng.below(list.len()), rng.below(list.len()));
        match rng.below(6) {
            0 => drop(list.remove(i)),
            1 => list.insert(j, list[i].clone()),
            2 => list.swap(i, j),
            3 => list.insert(i, PIECES[rng.below(PIECES.len())].to_owned()),
            _ => {
                let numbers: Vec<usize> =
                    (0..list.len()).filter(|&k| list[k].parse::<f64>().is_ok()).collect();
                if let Some(&k) = numbers.get(rng.below(numbers.len())) {
                    list[k] = NUMBERS[rng.below(NUMBERS.len())].to_owned();
                }
            }
        }
        if list.is_empty() {
            return String::new();
        }
    }
    list.concat()
}

fn shuffled_lines(text: &str, rng: &mut Rng) -> String {
    let mut lines: Vec<&str> = text.lines().filter(|l| !l.trim_start().starts_with('#')).collect();
    for _ in 0..1 + rng.below(3) {
        let (i, j) = (rng.below(lines.len()), rng.below(lines.len()));
        match rng.below(3) {
            0 => drop(lines.remove(i)),
            1 => lines.insert(j, lines[i]),
            _ => lines.swap(i, j),
        }
    }
    lines.join("\n")
}

/// Small ones, so that many cases fit.
const SMALL: &[&str] = &[
    "pendulum",
    "rolling_disk",
    "appell_nonideal",
    "rigid_body",
    "renton_pendulum",
    "chaplygin_sleigh_quasi",
    "units_pendulum",
    "vibration_absorber",
    "ziegler_column",
    "bead_rod",
    "oscillator_chain",
    "particle_nonlinear",
    "incline_nonideal",
    "foucault",
    "suslov",
    "one_sided_spring",
    "relativistic_particle",
    "pendulum_massless",
    "rough_incline",
    "satellite_circle",
    "thrust_puck",
];

#[test]
fn models_with_damaged_tokens() {
    let mut rng = Rng::new(101);
    let sources: Vec<Vec<String>> = SMALL.iter().map(|name| tokens(&model_text(name))).collect();
    let texts = (0..600).map(|k| damaged(&sources[k % sources.len()], &mut rng)).collect();
    let [refused, _, moved] = all_within_patience(texts);
    assert!(refused > 50 && moved > 50, "the damage is neither always fatal nor always harmless");
}

#[test]
fn models_with_lines_lost_doubled_and_exchanged() {
    let mut rng = Rng::new(202);
    let texts = (0..500).map(|k| shuffled_lines(&model_text(SMALL[k % SMALL.len()]), &mut rng)).collect();
    all_within_patience(texts);
}

#[test]
fn every_number_of_a_model_made_extreme() {
    let mut texts = Vec::new();
    for name in ["rolling_disk", "appell_nonideal", "pendulum_massless", "units_pendulum"] {
        let list = tokens(&model_text(name));
        for (k, _) in list.iter().enumerate().filter(|(_, t)| t.parse::<f64>().is_ok()) {
            for number in NUMBERS {
                let mut list = list.clone();
                list[k] = (*number).to_owned();
                texts.push(list.concat());
            }
        }
    }
    all_within_patience(texts);
}

#[test]
fn random_bytes_and_pieces() {
    let mut rng = Rng::new(303);
    let mut texts = Vec::new();
    for _ in 0..300 {
        let bytes: Vec<u8> = (0..rng.below(200)).map(|_| rng.next_u64() as u8).collect();
        texts.push(String::from_utf8_lossy(&bytes).into_owned());
        let pieces: Vec<&str> = (0..rng.below(30)).map(|_| PIECES[rng.below(PIECES.len())]).collect();
        texts.push(format!("coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential {}", pieces.concat()));
        texts.push(format!("coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint {}", pieces.concat()));
    }
    all_within_patience(texts);
}

/// Statements that are wrong, extreme or strange, one a line (`;;` for a new line), each in a small model.
fn awkward_statements() -> Vec<String> {
    let in_model = |statement: &str| {
        format!("coordinate x, y\nkinetic (x'^2 + y'^2)/2\n{statement}\ninitial x = 1, y ~ 1")
    };
    let deep = |open: &str, close: &str| format!("potential {}x{}", open.repeat(100), close.repeat(100));
    let mut list: Vec<String> = include_str!("support/awkward.txt")
        .lines()
        .map(|line| in_model(&line.replace(" ;; ", "\n")))
        .collect();
    for statement in [
        deep("(", ")"),
        deep("sin(", ")"),
        deep("-(", ")"),
        deep("sqrt(1 + ", ")"),
        deep("(x*", " + y)^2"),
        deep("exp(x*", ")"),
        deep("(1/(1 + ", "))"),
        deep("x^(", ")"),
        format!("potential {}", "(x + y)*".repeat(200) + "1"),
        format!("potential {}", "x/".repeat(3000) + "2"),
        (1..40)
            .map(|i| format!("let a{i} = a{}*a{0} + x*a{0}", i - 1))
            .fold("let a0 = x + y".to_owned(), |a, b| a + "\n" + &b)
            + "\npotential a39",
        (1..40)
            .map(|i| format!("let b{i} = sin(b{})*(b{0} + y)", i - 1))
            .fold("let b0 = x + y".to_owned(), |a, b| a + "\n" + &b)
            + "\nkinetic b39*x'^2",
    ] {
        list.push(in_model(&statement));
    }
    list
}

#[test]
fn awkward_statements_in_a_small_model() {
    let mut texts = awkward_statements();
    texts.extend(
        ["", "\n\n", "#", "coordinate x", "kinetic 1", "\u{feff}coordinate x\nkinetic x'^2", "system \"x\""]
            .map(str::to_owned),
    );
    all_within_patience(texts);
}

/// What the kinematics conserve has rows of its own in the search for a start, beyond the model's.
#[test]
fn a_quaternion_beyond_the_range_of_numbers() {
    let text = model_text("suslov").replace("e0 = 1", "e0 = 1e308");
    assert_eq!(all_within_patience(vec![text]), [0, 1, 0]);
}
