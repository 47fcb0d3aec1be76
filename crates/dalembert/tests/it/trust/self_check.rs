//! The self-check agrees with the engine on every model, and finds errors that are put into it on purpose.

use crate::support::{evaluate, load, load_file, model_names, start};
use dalembert::compile::Compiled;
use dalembert::diagnostic::Code;
use dalembert::{Evaluation, Workspace};

#[test]
fn the_second_road_agrees_on_every_model() {
    let mut asked = 0;
    for name in model_names() {
        let mut model = load_file(&name);
        let Ok(start) = model.start() else { continue };
        asked += 1;
        if let Err(d) = model.self_check(&start.state) {
            panic!("{name}: {}", d.message);
        }
    }
    assert!(asked > 60, "{asked} models were asked");
}

/// What the check says of an evaluation that was changed on purpose; that of the engine passes.
#[track_caller]
fn refuses(text: &str, change: impl FnOnce(&mut Evaluation)) {
    let mut model = load(text);
    let state = start(&mut model);
    let mut found = evaluate(&model, &state);
    assert!(model.compare_evaluation(&found).is_ok());
    change(&mut found);
    let code = model.compare_evaluation(&found).err().map(|d| d.code);
    assert_eq!(code, Some(Code::Internal));
}

/// The sleigh in quasi-velocities with the terms of its brackets (L1) left out of Q.
#[test]
fn wrong_structure_coefficients_are_found() {
    let text = "coordinate x, y, th\nspeed v = x'*cos(th) + y'*sin(th)\nspeed u = -x'*sin(th) + y'*cos(th)\n\
        kinetic (x'^2 + y'^2)/2 + 0.3*th'^2\ninitial x' = 1, y' = 0.4, th' = 0.5";
    let mut model: Workspace = load(text);
    let state = start(&mut model);
    assert!(model.self_check(&state).is_ok());
    let zero = dalembert_expr::Pool::ZERO;
    model.form.force.iter_mut().for_each(|f| *f = zero);
    let parameters = model.compiled.parameters().to_vec();
    model.compiled = Compiled::new(&mut model.system, &model.form, parameters);
    assert_eq!(model.self_check(&state).err().map(|d| d.code), Some(Code::Internal));
}

#[test]
fn accelerations_of_a_mistaken_mass_matrix_are_found() {
    let text = "coordinate x, y, z\nlet L = cross([x, y, z], [x', y', z'])\n\
        kinetic (L.x^2 + 2*L.y^2 + 3*L.z^2)/2\npotential 9.81*z\nconstraint s: x^2 + y^2 + z^2 = 1\n\
        initial x = 0.624, y ~ -0.78, z = 0.00128, x' = -0.567, y' ~ -0.453, z' = -0.2156";
    refuses(text, |found| {
        // Along the sphere, so that the constraint still holds.
        let x = found.state.x.clone();
        found.solution.eta_dot[0] -= 0.3 * x[1];
        found.solution.eta_dot[1] += 0.3 * x[0];
    });
}

#[test]
fn a_normal_force_that_answers_forbidden_work_is_found() {
    let text = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint floor: y = 0\n\
        nonideal work -5*delta(y)\nfriction on floor: coefficient 0.3, velocity x'\ninitial x' = 3";
    refuses(text, |found| {
        let s = &mut found.solution;
        (s.lambda[0], s.normal[0]) = (14.81, 14.81);
        (s.ideal_force[1], s.nonideal_force[1]) = (14.81, -5.0);
        (s.friction[0], s.nonideal_force[0], s.eta_dot[0]) = (-4.443, -4.443, -4.443);
    });
}

#[test]
fn multipliers_of_the_wrong_sign_are_found() {
    let text = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n\
        initial x = 0.6, y ~ -0.8, x' = 1";
    refuses(text, |found| found.solution.lambda[0] *= -1.0);
}

#[test]
fn rounding_of_a_force_that_the_constraints_leave_nothing_of_is_not_an_error() {
    // theta and phi cannot move, so nothing is left of the work along theta; rows of very different length are redundant.
    let rolling = "(2 + sin(theta))*(theta' - cos(1.237*theta - x)*x')";
    let text = format!(
        "coordinate theta, x, y, phi, s\nkinetic (x'^2 + y'^2 + s'^2 + phi'^2 + (s' + theta' - 0.5)^2)/2\n\
         constraint c1: 2.5*(theta + 0.5) = 2.5*(1.21 - 0.5*phi)\n\
         constraint again0: 100000*{rolling} = 100000*(2 + sin(theta))*(1.78 - 0.172*x)\n\
         constraint c0: 1000*{rolling} = 1000*(2 + sin(theta))*(1.78 - 0.172*x)\n\
         constraint again1: -7.5*(phi + 0.5) = -7.5*(1.17 - 0.5*theta)\n\
         nonideal work 0.5*reaction(c1)*y'*delta(theta)\n"
    );
    let mut model = load(&text);
    let state = start(&mut model);
    assert!(model.self_check(&state).is_ok());
}
