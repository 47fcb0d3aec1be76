//! Motions of exported code with contacts that stick and slide, events and switches: agree with `simulate`.

use crate::support::{dalembert, model, scratch};
use std::path::Path;
use std::process::Command;

/// A brake worked by events that assign, and a force that a time switches.
const BRAKE: &str = "
discrete brake = 0
coordinate x
kinetic x'^2/2
force x = if t > 1 then 2 else 0
friction in x: limit 3*brake
event on: t - 0.5 do brake = 1
event off: t - 3 do brake = 0
event again: t - 4 do brake = 1
simulate until 5";

/// Bounces that are counted; the fourth one ends the motion.
const BALL: &str = "
parameter e = 0.8, g = 9.81
coordinate y
discrete n = 0
kinetic y'^2/2
potential g*y
event hit: y falling do y' = -e*y', n = n + 1
event enough: n - 3.5 rising stop
initial y = 1
simulate until 6";

/// A clutch with an input from outside, on quasi-velocities.
pub const CLUTCH: &str = "
parameter J1 = 1, J2 = 2
input press = 0.5
coordinate a, b
speed slip = a' - b', s = b'
kinetic J1/2*a'^2 + J2/2*b'^2
friction in slip: limit 2*press
initial s = 0, slip = 6
output wa = a', wb = b'
simulate until 6";

/// A slide that turns back shortly behind an event, within the next step.
const TURN: &str = "
discrete push = 0
coordinate x
kinetic x'^2/2
force x = push - 4*x
friction in x: limit 0.5
event kick: t - 1.569 rising do push = 0.1
initial x = 1
simulate until 3";

/// An event in both directions whose action takes its own function back through zero: it happens once.
const RETURN: &str = "
coordinate x
discrete n = 0.3
kinetic x'^2/2
potential x^2/2
force x = -n*x
event mark: x*x' - 0.1 do n = 0.3*x'', x' = -0.7*x'
initial x = -0.8, x' = 0.7
simulate until 3";

/// An event whose action leaves its own function at zero: the motion goes on to the side to which it was going.
const TOP: &str = "
coordinate x
discrete n = 0
kinetic x'^2/2
potential x^2/2
event top: x' falling do x' = -x', n = n + 1
initial x' = 1
simulate until 20";

/// A road with a kink, a force that comes and goes by the clock, and a state variable.
const ROAD: &str = "
parameter m = 1, g = 9.81
coordinate x, y
state z' = -z + x'^2/10
kinetic m/2*(x'^2 + y'^2)
potential m*g*y
constraint road: y = if x < 1 then 0 else (x - 1)^2/2
force x = if mod(t, 0.3) < 0.1 then 2 else -1
event mark: x - 1.5 rising do z = z + 1
initial x' = 5
simulate until 1";

/// Steps of exported C up to a time, by error control and by fixed steps, with the names of its state.
const DRIVER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "m.h"
int main(int count, char **word)
{
    double x[m_NX], eta[m_N], t = 0, until = atof(word[1]), dt = atof(word[2]);
    m_modes modes;
    int i, k, code;
    for (i = 0; i < m_NX + m_N; i++) {
        const char *name = i < m_NX ? m_coordinate_names[i] : m_speed_names[i - m_NX];
        double *to = i < m_NX ? &x[i] : &eta[i - m_NX];
        *to = 0.0;
        for (k = 3; k + 1 < count; k += 2)
            if (!strcmp(word[k], name))
                *to = atof(word[k + 1]);
    }
    code = m_start(t, x, eta, m_default_parameters, &modes);
    if (dt > 0)
        while (!code && t < until - 1e-9)
            code = m_step(&t, x, eta, m_default_parameters, dt < until - t ? dt : until - t, &modes);
    else if (!code)
        code = m_advance(&t, x, eta, m_default_parameters, until, 1e-11, &modes);
    printf("t,%.17g\n", t);
    for (i = 0; i < m_NX; i++) printf("%s,%.17g\n", m_coordinate_names[i], x[i]);
    for (i = 0; i < m_N; i++) printf("%s,%.17g\n", m_speed_names[i], eta[i]);
    return code;
}
"#;

fn table(file: &str, until: &str, rtol: &str) -> Vec<(String, f64, f64)> {
    let answer =
        dalembert(&["simulate", file, "--until", until, "--every", until, "--rtol", rtol, "--out", "-"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let mut lines = answer.stdout.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().expect("a header");
    let rows: Vec<Vec<f64>> =
        lines.map(|row| row.iter().map(|v| v.parse().expect("a number")).collect()).collect();
    let (first, last) = (rows.first().expect("a start"), rows.last().expect("an end"));
    names.iter().enumerate().map(|(k, name)| ((*name).to_owned(), first[k], last[k])).collect()
}

/// The end of a motion in C and by the engine: largest difference. The program ends with this code.
fn compared(folder: &Path, file: &str, until: &str, dt: &str, code: i32) -> f64 {
    let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let written =
        dalembert(&["export", file, "--target", "c", "--step", "--name", "m", "--out", &path("m.c")]);
    assert_eq!(written.code, 0, "{}", written.stderr);
    std::fs::write(folder.join("main.c"), DRIVER).expect("written");
    let flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-o"];
    let sources = [path("m"), path("main.c"), path("m.c"), "-lm".to_owned()];
    let built = Command::new("cc").args(flags).args(sources).output().expect("cc runs");
    assert!(built.status.success(), "{file}: {}", String::from_utf8_lossy(&built.stderr));
    let expected = table(file, until, "1e-12");
    let mut run = Command::new(path("m"));
    run.args([until, dt]);
    for (name, start, _) in &expected {
        run.args([name.clone(), format!("{start:?}")]);
    }
    let run = run.output().expect("it runs");
    assert_eq!(run.status.code(), Some(code), "{file}");
    let end = String::from_utf8_lossy(&run.stdout).into_owned();
    let difference = |line: &str| {
        let (name, value) = line.rsplit_once(',').expect("a name and a value");
        let (_, _, wanted) = expected.iter().find(|(known, ..)| known == name).expect("a column");
        (value.parse::<f64>().expect("a number") - wanted).abs()
    };
    end.lines().map(difference).fold(0.0, f64::max)
}

#[test]
fn friction_and_events_in_c_move_as_in_the_engine() {
    if Command::new("cc").arg("--version").output().is_err() {
        eprintln!("SKIPPED: `cc` is not on this machine");
        return;
    }
    let folder = scratch("export_motion");
    let text = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    };
    let cases = [
        (model("rough_incline"), "1", 0),
        (model("stick_slip_belt"), "20", 0),
        (model("rough_puck"), "2", 0),
        (model("stacked_blocks"), "6", 0),
        (model("rough_hoop"), "4", 0),
        (model("sledge"), "2", 0),
        (text("brake.dal", BRAKE), "5", 0),
        (text("ball.dal", BALL), "6", 10),
        (text("clutch.dal", CLUTCH), "6", 0),
        (text("road.dal", ROAD), "1", 0),
        (text("turn.dal", TURN), "3", 0),
        (text("return.dal", RETURN), "3", 0),
        (text("top.dal", TOP), "20", 0),
    ];
    for (file, until, code) in &cases {
        let apart = compared(&folder, file, until, "0", *code);
        assert!(apart < 1e-8, "{file}: {apart:e}");
    }
    // Fixed steps are cut where something happens: their order remains.
    for (file, until, dt, most) in [
        (&cases[1].0, "5", "0.01", 1e-9),
        (&cases[6].0, "5", "0.01", 1e-10),
        (&cases[3].0, "6", "0.02", 1e-9),
    ] {
        let apart = compared(&folder, file, until, dt, 0);
        assert!(apart < most, "{file} in steps of {dt}: {apart:e}");
    }
}
