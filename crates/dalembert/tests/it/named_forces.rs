//! Friction, control and reactions in the equations that are written: under names with their laws, or refused.

use crate::support::load;
use dalembert::diagnostic::Code;
use dalembert::equations::{self, Form};
use dalembert_expr::Format;

const BLOCK: &str = "parameter m = 2, g = 9.81, mu = 0.3, stay = 0.4\ncoordinate x, y\nkinetic m/2*(x'^2 + y'^2)\n\
    potential m*g*y\nconstraint floor: y = 0\nfriction on floor: coefficient mu, static stay, velocity x'\ninitial x' = 1\n";
const LED: &str = "parameter m = 2, w = 3\ncoordinate x, y\nkinetic m/2*(x'^2 + y'^2)\nforce x = -w*x\n\
    require path: x = sin(t) decay 2, 1\nactuate x\ninitial x' = 1\n";

fn written(text: &str, form: Form, format: Format) -> String {
    equations::write(&mut load(text), form, format).unwrap()
}

fn has(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|l| l == *line), "no line `{line}` in\n{text}");
    }
}

#[test]
fn friction_stands_in_lagranges_equations_with_its_law() {
    let text = written(BLOCK, Form::Lagrange, Format::Text);
    has(
        &text,
        &[
            "m*x'' = friction_floor",
            "friction_floor = -mu*abs(lambda_floor)*sign(x')",
            "friction_limit_floor = stay*abs(lambda_floor)",
        ],
    );
}

#[test]
fn friction_and_control_stand_beside_q_in_the_kernel_form() {
    let text = written(BLOCK, Form::Kernel, Format::Text);
    has(&text, &["F = [friction_floor, 0]", "friction_floor = -mu*abs(lambda_floor)*sign(x')"]);
    let text = written(LED, Form::Kernel, Format::Text);
    has(&text, &["U = [control_x, 0]", "A_c = [[1, 0]]"]);
    let python = written(LED, Form::Kernel, Format::Python);
    assert!(python.contains("control_force = Matrix([control_x, 0])"), "{python}");
    assert!(python.contains("requirement_rhs = Matrix(["), "{python}");
}

#[test]
fn control_stands_in_lagranges_equations_with_what_it_must_achieve() {
    let text = written(LED, Form::Lagrange, Format::Text);
    assert!(text.lines().any(|l| l.ends_with("= control_x")), "{text}");
    assert!(text.lines().any(|l| l.starts_with("x'' = ") && l.contains("2*x'")), "with its decay\n{text}");
    let python = written(LED, Form::Lagrange, Format::Python);
    assert!(python.contains("control_x = Symbol(\"control_x\")"), "{python}");
}

#[test]
fn two_components_of_friction_have_a_name_each() {
    let text = "parameter m = 1, g = 9.81, mu = 0.5\ncoordinate x, y, z\nkinetic m/2*(x'^2 + y'^2 + z'^2)\n\
        potential m*g*z\nconstraint plane: z = 0\nfriction on plane: coefficient mu, velocity [x', y']\ninitial x' = 1\n";
    let text = written(text, Form::Lagrange, Format::Text);
    has(&text, &["m*x'' = friction_plane.x", "m*y'' = friction_plane.y"]);
    assert!(text.contains("sqrt(x'^2 + y'^2)"), "{text}");
}

#[test]
fn no_other_form_leaves_them_out() {
    let forms =
        [Form::Explicit, Form::Poincare, Form::Hamilton, Form::Suslov, Form::Maggi, Form::Kane, Form::Appell];
    for text in [BLOCK, LED] {
        // Control has a closed form in the accelerations (C1).
        for form in forms.into_iter().filter(|form| text == BLOCK || *form != Form::Explicit) {
            let refused = equations::write(&mut load(text), form, Format::Text).unwrap_err();
            assert_eq!(refused.code, Code::NotApplicable, "{form:?}");
            let help = refused.help.iter().map(|h| h.to_string()).collect::<String>();
            assert!(help.contains("lagrange"), "{form:?}: {help}");
        }
    }
}

#[test]
fn a_name_of_the_model_is_not_taken() {
    let text = BLOCK.replace("stay = 0.4", "stay = 0.4, friction_floor = 1");
    let refused = equations::write(&mut load(&text), Form::Lagrange, Format::Text).unwrap_err();
    assert_eq!(refused.code, Code::NotApplicable);
}

#[test]
fn reactions_are_defined_or_put_in() {
    let text = "parameter m = 2, g = 9.81, mu = 0.3\ncoordinate x, y\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\n\
        constraint floor: y = 0\nnonideal work -mu*reaction(floor)*sign(x')*delta(x)\ninitial x' = 1\n";
    for form in [Form::Kernel, Form::Lagrange, Form::Poincare, Form::Hamilton] {
        has(&written(text, form, Format::Text), &["reaction_floor = abs(lambda_floor)"]);
    }
    let explicit = written(text, Form::Explicit, Format::Text);
    assert!(!explicit.contains("reaction"), "{explicit}");
    let x = explicit.lines().find(|l| l.starts_with("x'' = ")).unwrap();
    assert!(x.contains("mu") && x.contains("sign(x')") && x.contains("abs("), "{x}");
}
