//! LaTeX that is printed can be set: every formula of every model goes through a parser of LaTeX mathematics.

use crate::support::*;
use dalembert::equations::{Form, write};
use dalembert_expr::Format;
use insta::assert_snapshot;
use pulldown_latex::{Parser, Storage, push_mathml};

/// What the parser has to say against a text, if anything.
fn fault(latex: &str) -> Option<String> {
    let storage = Storage::new();
    if let Some(error) = Parser::new(latex, &storage).find_map(Result::err) {
        return Some(error.to_string());
    }
    // Setting megabytes takes long and tells nothing that reading them does not.
    if latex.len() > 100_000 {
        return None;
    }
    let (storage, mut page) = (Storage::new(), String::new());
    push_mathml(&mut page, Parser::new(latex, &storage), Default::default()).err().map(|e| e.to_string())
}

#[test]
fn the_parser_knows_bad_latex() {
    assert_eq!(fault(r"\begin{aligned} x &= \frac{1}{2} \\ y &= \dot{x} \end{aligned}"), None);
    for bad in [r"x_{1", r"\begin{aligned} x", r"x_1_2", r"\nosuchcommand", r"\frac{1}", r"\left( x"] {
        assert!(fault(bad).is_some(), "{bad}");
    }
}

#[test]
fn every_formula_of_every_model_parses() {
    let (mut written, mut formulas) = (0, 0);
    for printed in printed_forms() {
        let Some(latex) = &printed.latex else { continue };
        if let Some(fault) = fault(latex) {
            panic!("{}, {}: {fault}\n{latex}", printed.model, printed.form);
        }
        written += 1;
        formulas += latex.matches("&=").count();
    }
    println!("{written} texts with {formulas} formulas");
    assert!(written > 250 && formulas > 2000, "{written} texts with {formulas} formulas");
}

/// Names and operators that no model file has.
#[test]
fn odd_names_and_operators_parse() {
    let text = "system \"100% & # of $x_1^2$ {odd} ~ \\\\ \"
        parameter alpha_0 = 1, B_max = 2, Ω = 3, k_1_2 = 2, long_name_x = 1
        const N = 3
        coordinate x_1, θ, q[1..N], x_1_dot_2
        kinetic x_1'^2/2 + θ'^2/2 + sum(i in 1..N, q[i]'^2)/2 + x_1_dot_2'^2/2
        potential alpha_0*abs(x_1) + B_max*atan2(θ, 1 + x_1^2) + Ω*max(q[1], q[2]^2)*min(q[3], 1) + log(2 + cos(θ))
        potential (if x_1 > 0 and not (θ >= 1) or q[1] == 2 then sinh(q[2])^2 else sqrt(1 + q[3]^2)^(1/3)) + k_1_2*long_name_x*exp(-q[1]^2)
        force x_1_dot_2 = -sign(x_1')*tanh(x_1') + asin(q[1]/9) + acos(q[1]/9) + 1e-20*t - 2.5e30 + tan(x_1)^(-2) + cosh(q[2])^k_1_2
        constraint rod_1: q[1]^2 + q[2]^2 = 1
        constraint two: [q[3]', x_1_dot_2'] = [θ', x_1']*t
        initial q[1] = 1";
    let mut model = load(text);
    for (word, form) in Form::ALL {
        let Ok(latex) = write(&mut model, form, Format::Latex) else { continue };
        assert_eq!(fault(&latex), None, "{word}\n{latex}");
    }
}

const WRITTEN: [Form; 4] = [Form::Lagrange, Form::Poincare, Form::Hamilton, Form::Suslov];

/// All four forms of a model, those that do not apply with the reason.
fn forms(name: &str) -> String {
    let one = |form: Form| match write(&mut load_file(name), form, Format::Latex) {
        Ok(latex) => {
            assert_eq!(fault(&latex), None, "{latex}");
            format!("% {form:?}\n{latex}")
        }
        Err(d) => format!("% {form:?}: {}\n", d.message),
    };
    WRITTEN.map(one).join("\n")
}

#[test]
fn rolling_disk() {
    assert_snapshot!(forms("rolling_disk"));
}

#[test]
fn spherical_pendulum_in_redundant_coordinates() {
    assert_snapshot!(forms("spherical_pendulum"));
}

#[test]
fn free_rigid_body() {
    assert_snapshot!(forms("rigid_body"));
}

#[test]
fn no_two_names_look_alike() {
    let mut notation = dalembert::notation::Notation::default();
    assert_eq!(notation.spell("theta1"), "\\theta_{1}");
    assert_eq!(notation.spell("theta_1"), "\\mathtt{theta\\_1}");
    assert_eq!(notation.spell("theta_1'"), "\\dot{\\mathtt{theta\\_1}}", "its rate goes with it");
    assert_eq!(notation.spell("theta1"), "\\theta_{1}", "and a name keeps its spelling");
    assert_eq!(
        (notation.name("theta_1"), notation.name("x'")),
        ("\\mathtt{theta\\_1}".into(), "\\dot{x}".into())
    );
}
