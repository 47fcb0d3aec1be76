//! Derivatives in exported C, against those of the engine (S2), which differentiates other programs by another road.

use super::{folder, present, silently};
use crate::support::*;
use dalembert::derivatives::{Derivatives, StateDerivatives};
use dalembert::diagnostic::Code;
use dalembert::run::State;
use dalembert::{Model, Source, Workspace};
use dalembert_codegen::{COptions, write_c};
use std::fmt::Write;
use std::process::Command;

/// Both roads solve the same linear system by other decompositions.
const AGREE: f64 = 1e-10;

const CASES: [(&str, &str); 5] = [
    (
        "cart",
        "parameter m = 0.3, M = 1.2, l = 0.5, g = 9.81, c = 0.2\ninput u = 0.7\ncoordinate x, th\n\
         kinetic (M + m)*x'^2/2 + m*l*cos(th)*x'*th' + m*l^2*th'^2/2\npotential m*g*l*cos(th)\nforce x = u - c*x'\n\
         initial x = 0.1, th = 0.4, x' = 0.3, th' = -0.2",
    ),
    (
        "rod",
        "parameter m = 1.3, l = 0.9, g = 9.81, k = 0.1\ncoordinate x, y\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\n\
         constraint rod: x^2 + y^2 = l^2\nforce x = -k*x'*abs(x')\ninitial x = 0.9, y ~ 0, y' = 0.4",
    ),
    (
        "pressed",
        "parameter mu = 0.3, g = 9.81, a = 0.2\ncoordinate x, y, z\nkinetic (x'^2 + y'^2 + 2*z'^2)/2\npotential g*y + z^2\n\
         constraint plane: y = a*sin(x)\nconstraint roll: z' = x*x'\n\
         nonideal work -mu*reaction(plane)*x'*delta(x) - 0.1*multiplier(roll)^2*delta(z)\ninitial x = 0.5, y ~ 0, x' = 1, z' ~ 0.5",
    ),
    (
        "turning",
        "parameter J = 0.8, m = 2\ncoordinate x, y, phi\nspeed v = x'*cos(phi) + y'*sin(phi), w = phi', s = y'*cos(phi) - x'*sin(phi)\n\
         kinetic m/2*(x'^2 + y'^2) + J/2*phi'^2\nconstraint edge: s = 0\nforce v = sin(t) - 0.2*v\ninitial v = 1, w = 0.5, phi = 0.3",
    ),
    ("bare", "coordinate x\nkinetic x'^2/2\npotential x^4\ninitial x = 1"),
];

/// Prints the matrices at each state, in the order of the structure.
fn driver(name: &str, states: &[State]) -> String {
    let list = |values: &[f64]| values.iter().map(|v| format!("{v:?}")).collect::<Vec<_>>().join(", ");
    let mut out = String::from(
        "\n#include <stdio.h>\nint main(void)\n{\n    NAME_derivatives d;\n    unsigned long i;\n",
    );
    for s in states {
        let _ = write!(
            out,
            "    {{\n        const double x[] = {{{}}}, eta[] = {{{}}};\n\
             \x20       if (NAME_jacobian({:?}, x, eta, NAME_default_parameters, &d)) return 1;\n\
             \x20       for (i = 0; i < sizeof d / sizeof(double); i++) printf(\"%.17g \", ((double *)&d)[i]);\n\
             \x20       printf(\"\\n\");\n    }}\n",
            list(&s.x),
            list(&s.eta),
            s.t
        );
    }
    (out + "    return 0;\n}\n").replace("NAME_", &format!("{name}_"))
}

/// The engine's matrices, cut as the structure has them; an empty matrix takes one number there.
fn expected(model: &Workspace, at: &StateDerivatives) -> Vec<Option<f64>> {
    let (nx, n, m) = (
        model.system.frame.coordinates.len(),
        model.system.frame.speeds.len(),
        model.system.constraints.rows.len(),
    );
    let inputs: Vec<bool> = model.system.parameters.iter().map(|p| p.is_input).collect();
    let mut out = Vec::new();
    for (rows, by_state, by_input, by_parameter, count) in [
        (0..nx, &at.rates_by_state, &at.rates_by_input, &at.rates_by_parameter, nx + n),
        (nx..nx + n, &at.rates_by_state, &at.rates_by_input, &at.rates_by_parameter, nx + n),
        (0..m, &at.multipliers_by_state, &at.multipliers_by_input, &at.multipliers_by_parameter, m),
    ] {
        let entry =
            |list: &[f64], row: usize, column: usize| list[row * (list.len() / count.max(1)) + column];
        let matrix = |columns: usize, value: &dyn Fn(usize, usize) -> f64| -> Vec<Option<f64>> {
            let all: Vec<Option<f64>> = rows
                .clone()
                .flat_map(|i| (0..columns).map(move |j| (i, j)))
                .map(|(i, j)| Some(value(i, j)))
                .collect();
            if all.is_empty() { vec![None] } else { all }
        };
        out.extend(matrix(nx, &|i, j| entry(by_state, i, j)));
        out.extend(matrix(n, &|i, j| entry(by_state, i, nx + j)));
        out.extend(matrix(inputs.len(), &|i, j| {
            let before = inputs[..j].iter().filter(|is_input| **is_input == inputs[j]).count();
            entry(if inputs[j] { by_input } else { by_parameter }, i, before)
        }));
    }
    out
}

#[test]
fn derivatives_in_c_are_those_of_the_engine() {
    if !present("cc") {
        return;
    }
    let folder = folder("jacobian");
    for (name, text) in CASES {
        let mut model = load(text);
        let start = start(&mut model);
        let motion = run(&mut model, &until(0.4));
        let (nx, n, width) = (start.x.len(), start.eta.len(), motion.table.columns.len());
        let rows = motion.table.values.chunks(width).step_by(200);
        let states: Vec<State> =
            rows.map(|row| State::new(row[0], &row[1..=nx], &row[nx + 1..=nx + n])).collect();
        let options = COptions { step: true, jacobian: true };
        let (_, code) = write_c(&model, name, options).unwrap_or_else(|d| panic!("{name}: {}", d.message));
        let file = folder.join(format!("{name}.c"));
        std::fs::write(&file, code + &driver(name, &states)).expect("written");
        let program = file.with_extension("exe");
        let flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic"];
        silently(Command::new("cc").args(flags).arg(&file).arg("-o").arg(&program).arg("-lm"));
        let output = Command::new(&program).output().expect("the program runs");
        assert!(output.status.success(), "{name}");
        let said = String::from_utf8(output.stdout).expect("UTF-8");
        let source = Source::new("case.dal", text);
        let derivatives = Derivatives::new(Model::load(&source, &Default::default()).expect("loads"))
            .unwrap_or_else(|d| panic!("{name}: {}", d.message));
        for (state, line) in states.iter().zip(said.lines()) {
            let y: Vec<f64> = state.x.iter().chain(&state.eta).copied().collect();
            let at = derivatives.at(state.t, &y).unwrap_or_else(|d| panic!("{name}: {}", d.message));
            let got: Vec<f64> = line.split_whitespace().map(|w| w.parse().expect("a number")).collect();
            let want = expected(&model, &at);
            assert_eq!(got.len(), want.len(), "{name}");
            let scale = want.iter().flatten().fold(1.0f64, |m, v| m.max(v.abs()));
            for (k, (got, want)) in got.iter().zip(&want).enumerate() {
                let Some(want) = want else { continue };
                below(&format!("{name}: entry {k}"), (got - want).abs() / scale, AGREE);
            }
        }
    }
}

#[test]
fn requirements_have_no_derivatives_in_c() {
    let model = load("coordinate x\nkinetic x'^2/2\nrequire r: x = sin(t) decay 2\ninitial x = 1");
    let options = COptions { jacobian: true, ..COptions::default() };
    let refusal = write_c(&model, "steered", options).expect_err("refused");
    assert_eq!(refusal.code, Code::NotApplicable);
    assert!(refusal.help.is_some());
}
