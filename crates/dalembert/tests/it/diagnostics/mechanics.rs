//! Speeds, energies, constraints, virtual work.

use super::said;
use insta::assert_snapshot;

#[test]
fn too_few_speeds() {
    assert_snapshot!(
        said("coordinate x, y\n\
         speed u = x' + y'\n\
         kinetic u^2/2"),
        @r"
    error[E0505]: 1 definition of speeds for the rates of 2 coordinates (x, y)
     --> model.dal:2:11
      |
    2 | speed u = x' + y'
      |           ^^^^^^^
      |
      = help: define as many speeds as rates occur in the definitions; a rate in no definition stays a speed by itself
    "
    );
}

#[test]
fn speeds_that_depend_on_each_other() {
    assert_snapshot!(
        said("coordinate x, y\n\
         speed u = x' + y'\n\
         speed v = 2*x' + 2*y'\n\
         kinetic (u^2 + v^2)/2"),
        @r"
    error[E0505]: these speeds do not determine the rates: their definitions depend on each other
     --> model.dal:2:11
      |
    2 |   speed u = x' + y'
      |  ___________^
    3 | | speed v = 2*x' + 2*y'
      | |_____________________^
      |
      = help: replace one of them by an independent combination of rates
    "
    );
}

#[test]
fn speed_not_linear_in_the_rates() {
    assert_snapshot!(
        said("coordinate x\n\
         speed u = x'^2\n\
         kinetic u^2/2"),
        @r"
    error[E0411]: the definition of a speed must be linear in the rates
     --> model.dal:2:11
      |
    2 | speed u = x'^2
      |           ^^^^
      |
      = help: coefficients may depend on coordinates and time: `speed u = cos(a)*x' + 2*y'`; speeds in a definition stand for their own definitions
    "
    );
}

#[test]
fn kinematics_that_do_not_close() {
    assert_snapshot!(
        said("coordinate x, y, theta\n\
         speed v, w\n\
         kinematics x' = v*cos(theta)\n\
         kinematics y' = v*sin(theta)\n\
         kinematics theta' = w\n\
         kinetic (v^2 + w^2)/2"),
        @r"
    error[E0508]: the kinematics do not close: the bracket of the directions of `v` and `w` is not a combination of directions of speeds
     --> model.dal:2:10
      |
    2 | speed v, w
      |          ^
      |
      = help: coordinates beyond the speeds must be redundant (as quaternions are); a rolling condition is a `constraint`, not kinematics
    "
    );
}

#[test]
fn speed_that_moves_nothing() {
    assert_snapshot!(
        said("coordinate x\n\
         speed u, w\n\
         kinematics x' = u\n\
         kinetic (u^2 + w^2)/2"),
        @r"
    error[E0506]: the speed `w` moves no coordinate
     --> model.dal:2:10
      |
    2 | speed u, w
      |          ^
      |
      = help: give its kinematics, one `kinematics x' = ...` for each coordinate it moves, or define it by rates; without them the equations of motion are not determined
    "
    );
}

#[test]
fn no_inertia() {
    assert_snapshot!(
        said("coordinate x\n\
         potential x^2"),
        @r"
    error[E0501]: the model has no inertia: no kinetic energy, Lagrangian or mass matrix
     |
     = help: write `kinetic m/2*x'^2`, `lagrangian ...`, or `mass [[m]]`
    "
    );
}

#[test]
fn no_coordinates() {
    assert_snapshot!(
        said("parameter m = 1"),
        @r"
    error[E0502]: the model has no coordinates
     |
     = help: declare them with `coordinate x, y`
    "
    );
}

#[test]
fn statement_that_is_not_available_yet() {
    assert_snapshot!(
        said("coordinate x, y\n\
         kinetic (x'^2 + y'^2)/2\n\
         constraint plane: y = 0\n\
         contact floor: y >= 0"),
        @r"
    error[E0801]: `contact` is not available yet
     --> model.dal:4:1
      |
    4 | contact floor: y >= 0
      | ^^^^^^^
      |
      = help: remove the statement to use the rest of the model
    "
    );
}

#[test]
fn multiplier_of_an_unknown_constraint() {
    assert_snapshot!(
        said("coordinate x, y\n\
         kinetic (x'^2 + y'^2)/2\n\
         constraint rod: x^2 + y^2 = 1\n\
         output pull = multiplier(rot)"),
        @r"
    error[E0306]: no constraint is called `rot`
     --> model.dal:4:26
      |
    4 | output pull = multiplier(rot)
      |                          ^^^
      |
    help: did you mean `rod`?
      |
    4 - output pull = multiplier(rot)
    4 + output pull = multiplier(rod)
      |
    "
    );
}

#[test]
fn virtual_displacement_outside_virtual_work() {
    assert_snapshot!(
        said("parameter F = 1\n\
         coordinate x\n\
         kinetic x'^2/2\n\
         force x = F*delta(x)"),
        @r"
    error[E0413]: a force cannot contain the virtual displacement `delta(x)`
     --> model.dal:4:13
      |
    4 | force x = F*delta(x)
      |             ^^^^^^^^
      |
      = help: virtual displacements belong into `work` and `nonideal work`
    "
    );
}

#[test]
fn virtual_work_not_linear() {
    assert_snapshot!(
        said("parameter F = 1\n\
         coordinate x\n\
         kinetic x'^2/2\n\
         work F*delta(x)^2"),
        @r"
    error[E0412]: virtual work must be linear in the virtual displacements
     --> model.dal:4:6
      |
    4 | work F*delta(x)^2
      |      ^^^^^^^^^^^^
      |
      = help: every term is a force times one `delta(x)`
    "
    );
}

#[test]
fn virtual_work_with_a_bare_term() {
    assert_snapshot!(
        said("parameter F = 1\n\
         coordinate x\n\
         kinetic x'^2/2\n\
         work F*delta(x) + 3"),
        @r"
    error[E0412]: a term of this virtual work has no virtual displacement
     --> model.dal:4:6
      |
    4 | work F*delta(x) + 3
      |      ^^^^^^^^^^^^^^
      |
      = help: every term is a force times `delta(x)`
    "
    );
}

#[test]
fn nonideal_work_without_constraints() {
    assert_snapshot!(
        said("coordinate x\n\
         kinetic x'^2/2\n\
         nonideal work -x'*delta(x)"),
        @r"
    error[E0804]: non-ideal work belongs to constraints, and the model has none
     --> model.dal:3:15
      |
    3 | nonideal work -x'*delta(x)
      |               ^^^^^^^^^^^^
      |
      = help: a force that is not due to a constraint is given by `force` or `work`
    "
    );
}

#[test]
fn result_used_in_a_force() {
    assert_snapshot!(
        said("parameter mu = 0.3\n\
         coordinate x, y\n\
         kinetic (x'^2 + y'^2)/2\n\
         constraint floor: y = 0\n\
         force x = -mu*multiplier(floor)"),
        @r"
    error[E0414]: a force cannot depend on the result `multiplier(floor)`
     --> model.dal:5:15
      |
    5 | force x = -mu*multiplier(floor)
      |               ^^^^^^^^^^^^^^^^^
      |
      = help: results are used in `output`; `reaction` and `multiplier` also in `nonideal work`
    "
    );
}

#[test]
fn mass_matrix_that_is_not_symmetric() {
    assert_snapshot!(
        said("coordinate x, y\n\
         mass [[2, 1], [0, 2]]\n\
         force [0, -1]"),
        @r"
    error[E0504]: the mass matrix is not symmetric: entries (2, 1) and (1, 2) differ
     --> model.dal:2:6
      |
    2 | mass [[2, 1], [0, 2]]
      |      ^^^^^^^^^^^^^^^^
    "
    );
}

#[test]
fn mass_matrix_of_the_wrong_size() {
    assert_snapshot!(
        said("coordinate x, y, z\n\
         mass [[2, 1], [1, 2]]"),
        @r"
    error[E0405]: the mass matrix must be 3 by 3, one row for each of x', y', z'
     --> model.dal:2:6
      |
    2 | mass [[2, 1], [1, 2]]
      |      ^^^^^^^^^^^^^^^^
    "
    );
}

#[test]
fn constraint_without_unknowns() {
    assert_snapshot!(
        said("parameter a = 1, b = 2\n\
         coordinate x\n\
         kinetic x'^2/2\n\
         constraint lengths: a = b"),
        @r"
    error[E0511]: `lengths` contains no coordinate and no rate: it cannot constrain the motion
     --> model.dal:4:1
      |
    4 | constraint lengths: a = b
      | ^^^^^^^^^^^^^^^^^^^^^^^^^
    "
    );
}

#[test]
fn energy_of_a_direct_form() {
    assert_snapshot!(
        said("coordinate x\n\
         mass [[2]]\n\
         force [-x]\n\
         output E = energy"),
        @r"
    error[E0414]: `energy` is not defined for this model
     --> model.dal:4:8
      |
    4 | output E = energy
      |        ^
      |
      = help: energies are known where `kinetic`, `potential` or `lagrangian` give them
    "
    );
}

#[test]
fn dissipation_without_rates() {
    let warned = |text: &str| {
        let model = crate::support::load(&format!("coordinate x, y\nkinetic (x'^2 + y'^2)/2\n{text}"));
        model.diagnostics.iter().filter(|d| d.code.id() == "W0503").count()
    };
    assert_eq!(warned("dissipation 0.5*x^2"), 1);
    assert_eq!(warned("dissipation 0.5*x'^2"), 0);
    assert_eq!(warned("let P = [x, y]\ndissipation dot(P, P)\ndissipation dot(P', P')"), 1);
    assert_eq!(warned("speed u = x' + y', v = x' - y'\ndissipation u^2"), 0);
}

/// A range stands for its members, in their order, and each may be actuated once.
#[test]
fn ranges_of_actuators() {
    let text = |list: &str| {
        format!(
            "coordinate q[1..3]\nkinetic sum(i in 1..3, q[i]'^2)/2\nrequire r: q[1] + q[2] = 1 decay 1\nactuate {list}\nweight [1, 5]"
        )
    };
    let [range, members] = ["q[1..2]", "q[1], q[2]"].map(|list| {
        let mut model = crate::support::load(&text(list));
        let state = crate::support::start(&mut model);
        crate::support::evaluate(&model, &state).solution.control_force
    });
    assert_eq!(range, members);
    assert!((range[0] - 5.0 * range[1]).abs() < 1e-14 && range[0] > 0.0, "{range:?}");
    assert_eq!(crate::support::refusal(&text("q[2], q[1..2]"))[0].code.id(), "E0302");
    assert_eq!(crate::support::refusal(&text("q[1..4]"))[0].code.id(), "E0403");
}
