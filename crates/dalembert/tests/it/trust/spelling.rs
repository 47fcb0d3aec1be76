//! Names with indices and components, printed: what is written is a name in the language it is written for.

use crate::support::*;
use dalembert::equations::{Form, write};
use dalembert_expr::Format;

/// A vector constraint in a family, on two pendulums in Cartesian coordinates, one above the other.
const PINS: &str = "
    parameter g = 9.81
    coordinate x[1..2], y[1..2], th[1..2]
    kinetic sum(k in 1..2, x[k]'^2 + y[k]'^2 + 0.1*th[k]'^2)/2
    potential sum(k in 1..2, g*y[k])
    for k in 1..2 {
      constraint pin[k]: [x[k], y[k]] = [k + sin(th[k]), -cos(th[k])]
    }
    nonideal work -0.1*norm(multiplier(pin[1]))*th[1]'*delta(th[1]) - 0.1*reaction(pin[2])*th[2]'*delta(th[2])";

/// What stands left of a lone equals sign.
fn assigned(script: &str) -> impl Iterator<Item = &str> {
    script.lines().filter(|l| !l.starts_with(['#', ' '])).filter_map(|l| Some(l.split_once(" = ")?.0))
}

#[test]
fn rows_of_a_vector_constraint_in_a_family_are_names_in_every_form() {
    let mut written = 0;
    for (name, form) in Form::ALL {
        for text in [PINS.to_owned(), PINS.lines().take(8).collect::<Vec<_>>().join("\n")] {
            let Ok(script) = write(&mut load(&text), form, Format::Python) else { continue };
            for left in assigned(&script) {
                let plain = left.chars().all(|c| c.is_alphanumeric() || c == '_');
                assert!(plain, "`{left}` is not a name of Python, form {name}:\n{script}");
            }
            let latex = write(&mut load(&text), form, Format::Latex).expect("written in Python too");
            // Remarks in words keep the names of the model.
            let formulas = latex.lines().filter(|l| !l.starts_with('%') && !l.contains("\\text{"));
            let odd: Vec<&str> = formulas.filter(|l| l.contains([']', '['])).collect();
            assert!(odd.is_empty(), "form {name}: {odd:#?}");
            written += 1;
        }
    }
    assert!(written >= 8, "most forms can be written: {written}");
    let script = write(&mut load(PINS), Form::Lagrange, Format::Python).expect("written");
    assert!(script.contains("lambda_pin_1_x = Symbol(\"lambda_pin_1_x\")"), "{script}");
}
