//! What the engine says about wrong models and failed runs, as a user sees it: one line in mechanical words, the place, and
//! advice that can be followed.

mod support;

use dalembert::diagnostic::{Style, render};
use dalembert::run::Flow;
use dalembert::{Model, Overrides, Source};
use insta::assert_snapshot;

/// Goes as far with a model as it can and shows what stops it.
fn said(text: &str) -> String {
    let source = Source::new("model.dal", text);
    let shown = |said: &[dalembert::diagnostic::Diagnostic]| render(said, &source, Style::Plain);
    let mut model = match Model::load(&source, &Overrides::default()) {
        Ok(model) => model,
        Err(said) => return shown(&said),
    };
    if let Err(said) = model.start() {
        return shown(&[*said]);
    }
    match model.simulate(&support::until(2.0), |_| Flow::Continue) {
        Err(said) => shown(&[*said]),
        Ok(motion) => match motion.failure {
            Some(said) => shown(&[said]),
            None => "the model runs\n".to_owned(),
        },
    }
}

#[test]
fn unknown_name_with_the_nearest_known() {
    assert_snapshot!(
        said("coordinate theta\n\
         kinetic theta'^2/2\n\
         potential -9.81*cos(thta)"),
        @r"
    error[E0301]: unknown name `thta`
     --> model.dal:3:21
      |
    3 | potential -9.81*cos(thta)
      |                     ^^^^
      |
    help: did you mean `theta`?
      |
    3 | potential -9.81*cos(theta)
      |                       +
    "
    );
}

#[test]
fn wrong_number_of_arguments() {
    assert_snapshot!(
        said("coordinate x, y\n\
         kinetic (x'^2 + y'^2)/2\n\
         potential atan2(y/x)"),
        @r"
    error[E0305]: `atan2` takes 2 arguments, not 1
     --> model.dal:3:11
      |
    3 | potential atan2(y/x)
      |           ^^^^^
    "
    );
}

#[test]
fn unknown_function() {
    assert_snapshot!(
        said("coordinate x\n\
         kinetic x'^2/2\n\
         potential 3*tg(x)"),
        @r"
    error[E0304]: unknown function `tg`
     --> model.dal:3:13
      |
    3 | potential 3*tg(x)
      |             ^^
      |
    help: did you mean `tan`?
      |
    3 - potential 3*tg(x)
    3 + potential 3*tan(x)
      |
    "
    );
}

#[test]
fn potential_that_depends_on_a_rate() {
    assert_snapshot!(
        said("parameter c = 0.1\n\
         coordinate x\n\
         kinetic x'^2/2\n\
         potential x^2 + c*x'"),
        @r"
    error[E0401]: the potential energy cannot depend on the rate `x'`
     --> model.dal:4:19
      |
    4 | potential x^2 + c*x'
      |                   ^^
      |
      = help: forces that depend on rates are given by `force`, `work` or `dissipation`, gyroscopic terms by `lagrangian`
    "
    );
}

#[test]
fn acceleration_in_a_constraint() {
    assert_snapshot!(
        said("coordinate x, y\n\
         kinetic (x'^2 + y'^2)/2\n\
         constraint line: x'' = 2*y"),
        @r"
    error[E0402]: a constraint cannot depend on the acceleration `x''`
     --> model.dal:3:18
      |
    3 | constraint line: x'' = 2*y
      |                  ^^^
      |
      = help: accelerations are results: use them in `output`
    "
    );
}

#[test]
fn vectors_of_different_sizes() {
    assert_snapshot!(
        said("coordinate x, y\n\
         let P = [x, y] + [1, 2, 3]\n\
         kinetic (x'^2 + y'^2)/2"),
        @r"
    error[E0405]: a vector of 2 and a vector of 3 do not go together
     --> model.dal:2:18
      |
    2 | let P = [x, y] + [1, 2, 3]
      |                  ^^^^^^^^^
      |
      = help: both sides need equally many components
    "
    );
}

#[test]
fn product_of_two_vectors() {
    assert_snapshot!(
        said("parameter m = 1\n\
         coordinate x, y\n\
         let P = [x, y]\n\
         kinetic m/2*P'*P'"),
        @r"
    error[E0405]: a product of two vectors may mean two things
     --> model.dal:4:16
      |
    4 | kinetic m/2*P'*P'
      |                ^^
      |
      = help: write `dot(a, b)` or `cross(a, b)`
    "
    );
}

#[test]
fn square_of_a_vector() {
    assert_snapshot!(
        said("parameter m = 1\n\
         coordinate x, y\n\
         let P = [x, y]\n\
         kinetic m/2*P'^2"),
        @r"
    error[E0406]: one number is wanted here, not a vector of 2
     --> model.dal:4:13
      |
    4 | kinetic m/2*P'^2
      |             ^^
      |
      = help: take a component (`P.x`), `dot(P, Q)` or `norm(P)`
    "
    );
}

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
      = help: coefficients may depend on coordinates and time: `speed u = cos(a)*x' + 2*y'`
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
    error[E0508]: the kinematics do not close: the bracket of the directions of `v` and `w` is no combination of directions of speeds
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
fn coordinate_without_inertia() {
    assert_snapshot!(
        said("coordinate x, y\n\
         kinetic x'^2/2\n\
         simulate until 1"),
        @r"
    error[E0503]: the mass matrix is singular at t = 0: nothing determines the acceleration of `y`
     --> model.dal:1:15
      |
    1 | coordinate x, y
      |               ^
      |
      = help: give `y` inertia in the kinetic energy, or a constraint that determines it
    "
    );
}

#[test]
fn constraints_that_contradict_each_other() {
    assert_snapshot!(
        said("coordinate x, y\n\
         kinetic (x'^2 + y'^2)/2\n\
         constraint slow: x' = t\n\
         constraint fast: x' = 2*t\n\
         simulate until 1"),
        @r"
    error[E0510]: at t = 0 these constraints cannot hold together: `fast`, `slow`
     --> model.dal:4:1
      |
    3 | constraint slow: x' = t
      | ----------------------- together with this one
    4 | constraint fast: x' = 2*t
      | ^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: remove one of them, or make their right sides agree
    "
    );
}

#[test]
fn constraints_that_contradict_at_the_start() {
    assert_snapshot!(
        said("coordinate x, y\n\
         kinetic (x'^2 + y'^2)/2\n\
         constraint floor: y = 0\n\
         constraint ceiling: y = 1\n\
         simulate until 1"),
        @r"
    error[E0512]: no starting configuration satisfies `ceiling`: at the values given its sides differ by 1
     --> model.dal:4:1
      |
    3 | constraint floor: y = 0
      | ----------------------- together with this one
    4 | constraint ceiling: y = 1
      | ^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: nothing is fixed: the constraints may contradict each other, or better guesses of the coordinates may be needed
    "
    );
}

#[test]
fn start_that_contradicts_a_constraint() {
    assert_snapshot!(
        said("parameter l = 1\n\
         coordinate x, y\n\
         kinetic (x'^2 + y'^2)/2\n\
         constraint rod: x^2 + y^2 = l^2\n\
         initial x = 2, y ~ 0\n\
         simulate until 1"),
        @r"
    error[E0512]: no starting configuration satisfies `rod`: at the values given its sides differ by 3
     --> model.dal:4:1
      |
    4 | constraint rod: x^2 + y^2 = l^2
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    5 | initial x = 2, y ~ 0
      |         - with the values fixed here
      |
      = help: change a fixed value, or write `~` instead of `=` for what may be adjusted
    "
    );
}

#[test]
fn starting_speeds_that_contradict_a_constraint() {
    assert_snapshot!(
        said("coordinate x, y\n\
         kinetic (x'^2 + y'^2)/2\n\
         constraint rod: x^2 + y^2 = 1\n\
         initial x = 1, y = 0, x' = 3\n\
         simulate until 1"),
        @r"
    error[E0512]: no starting speeds satisfy `rod`: at the values given the rates of its sides differ by 6
     --> model.dal:3:1
      |
    3 | constraint rod: x^2 + y^2 = 1
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: change a fixed value, or write `~` instead of `=` for what may be adjusted
    "
    );
}

#[test]
fn starting_value_given_twice() {
    assert_snapshot!(
        said("coordinate x\n\
         kinetic x'^2/2\n\
         initial x = 1\n\
         initial x' = 2, x = 3"),
        @r"
    error[E0514]: `x` is given twice
     --> model.dal:4:17
      |
    3 | initial x = 1
      |         - first here
    4 | initial x' = 2, x = 3
      |                 ^
    "
    );
}

#[test]
fn units_that_differ() {
    assert_snapshot!(
        said("parameter m = 1 {kg}, l = 2 {m}, g = 9.81 {m/s^2}\n\
         coordinate h {m}\n\
         kinetic m/2*h'^2\n\
         potential m*g*(h + m)"),
        @r"
    error[E0602]: units differ: m and kg
     --> model.dal:4:20
      |
    4 | potential m*g*(h + m)
      |                    ^ this is in kg
    "
    );
}

#[test]
fn unknown_unit() {
    assert_snapshot!(
        said("parameter m = 1 {kgg}\n\
         coordinate x\n\
         kinetic m/2*x'^2"),
        @r"
    error[E0601]: unknown unit `kgg`
     --> model.dal:1:17
      |
    1 | parameter m = 1 {kgg}
      |                 ^^^^^
      |
      = help: did you mean `kg`?
    "
    );
}

#[test]
fn coordinate_in_degrees() {
    assert_snapshot!(
        said("coordinate theta {deg}\n\
         kinetic theta'^2/2"),
        @r"
    error[E0603]: coordinates and speeds are in coherent SI units
     --> model.dal:1:18
      |
    1 | coordinate theta {deg}
      |                  ^^^^^
      |
      = help: use m, kg, s, rad; parameters may be given in any unit and are converted
    "
    );
}

#[test]
fn statement_that_is_not_available_yet() {
    assert_snapshot!(
        said("coordinate x, y\n\
         kinetic (x'^2 + y'^2)/2\n\
         constraint plane: y = 0\n\
         friction on plane: coefficient 0.3, velocity x'"),
        @r"
    error[E0801]: `friction` is not available yet
     --> model.dal:4:1
      |
    4 | friction on plane: coefficient 0.3, velocity x'
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: sliding friction can be written as `nonideal work` with `reaction(NAME)`
    "
    );
}

#[test]
fn subscript_out_of_range() {
    assert_snapshot!(
        said("const N = 3\n\
         coordinate q[1..N]\n\
         kinetic sum(i in 1..N, q[i]'^2/2)\n\
         potential sum(i in 1..N, (q[i+1] - q[i])^2)"),
        @r"
    error[E0403]: there is no `q[4]`
     --> model.dal:4:27
      |
    4 | potential sum(i in 1..N, (q[i+1] - q[i])^2)
      |                           ^^^^^^
      |
      = help: `q` runs from 1 to 3
    "
    );
}

#[test]
fn subscript_that_is_not_whole() {
    assert_snapshot!(
        said("parameter N = 3\n\
         coordinate q[1..N]\n\
         kinetic q[1]'^2/2"),
        @r"
    error[E0404]: a whole number is wanted here, known when the model is read
     --> model.dal:2:17
      |
    2 | coordinate q[1..N]
      |                 ^
      |
      = help: use numbers, `const` names and loop indices
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
fn division_by_zero() {
    assert_snapshot!(
        said("coordinate x\n\
         kinetic x'^2/2\n\
         potential x/(2 - 2)"),
        @r"
    error[E0415]: division by zero
     --> model.dal:3:13
      |
    3 | potential x/(2 - 2)
      |             ^^^^^^^
    "
    );
}

#[test]
fn parameter_that_is_no_finite_number() {
    assert_snapshot!(
        said("parameter a = 2, b = sqrt(1 - a), c = 1/(a - 2)\n\
         coordinate x\n\
         kinetic x'^2/2\n\
         potential b*x + c*x"),
        @r"
    error[E0415]: the parameter `b` has no finite value
     --> model.dal:1:18
      |
    1 | parameter a = 2, b = sqrt(1 - a), c = 1/(a - 2)
      |                  ^
      |
      = help: look for a division by zero, or a root or logarithm of a negative number

    error[E0415]: the parameter `c` has no finite value
     --> model.dal:1:35
      |
    1 | parameter a = 2, b = sqrt(1 - a), c = 1/(a - 2)
      |                                   ^
      |
      = help: look for a division by zero, or a root or logarithm of a negative number
    "
    );
}

#[test]
fn several_mistakes_at_once() {
    assert_snapshot!(
        said("parameter m = 1, k = \n\
         coordinate x, y\n\
         kinetic m/2*(x'^2 + z'^2)\n\
         potential k*x^2/2 + q\n\
         constraint rod: x^2 + y^2 = [1, 2]\n\
         initial x = y\n\
         output f = multiplier(bar)"),
        @r"
    error[E0205]: the statement stops where an expression is expected
     --> model.dal:1:21
      |
    1 | parameter m = 1, k = 
      |                     ^

    error[E0301]: unknown name `z`
     --> model.dal:3:21
      |
    3 | kinetic m/2*(x'^2 + z'^2)
      |                     ^
      |
      = help: names are declared before they are used: `parameter`, `coordinate`, `speed`, `let`

    error[E0301]: unknown name `q`
     --> model.dal:4:21
      |
    4 | potential k*x^2/2 + q
      |                     ^
      |
      = help: names are declared before they are used: `parameter`, `coordinate`, `speed`, `let`

    error[E0405]: a scalar and a vector of 2 do not go together
     --> model.dal:5:29
      |
    5 | constraint rod: x^2 + y^2 = [1, 2]
      |                             ^^^^^^
      |
      = help: take a component (`P.x`), `dot(P, Q)` or `norm(P)` of the vector

    error[E0416]: a starting value must be known beforehand, it cannot depend on `y`
     --> model.dal:6:13
      |
    6 | initial x = y
      |             ^
      |
      = help: write it with numbers, parameters and constants

    error[E0306]: no constraint is called `bar`
     --> model.dal:7:23
      |
    7 | output f = multiplier(bar)
      |                       ^^^
      |
      = help: name it where it is imposed: `constraint NAME: ...`
    "
    );
}

#[test]
fn motion_that_ends_in_finite_time() {
    assert_snapshot!(
        said("coordinate x\n\
         kinetic x'^2/2\n\
         force x = 6*x^2\n\
         initial x = 1, x' = 2\n\
         simulate until 2"),
        @r"
    error[E0701]: the integration came to a standstill at t = 1.0000000000008542: step 2.0e-14, `x'` moves fastest
     |
     = help: the motion may end in a singularity there; a force that jumps with the sign of a rate chatters when the rate vanishes; for stiff forces try `method radau`
    "
    );
}

#[test]
fn force_that_is_not_defined_at_the_start() {
    assert_snapshot!(
        said("coordinate x\n\
         kinetic x'^2/2\n\
         force x = 1/x\n\
         simulate until 1"),
        @r"
    error[E0703]: the generalised force on `x'` is no finite number at t = 0
     |
     = help: look for a division by zero, or a root or logarithm of a negative number, at this state
    "
    );
}

#[test]
fn motion_that_leaves_the_domain_of_a_root() {
    assert_snapshot!(
        said("coordinate x\n\
         kinetic x'^2/2\n\
         force x = -sqrt(x)\n\
         initial x = 1\n\
         simulate until 10"),
        @r"
    error[E0703]: the generalised force on `x'` is no finite number at t = 1.4936684004436218
     |
     = help: look for a division by zero, or a root or logarithm of a negative number, at this state
    "
    );
}

#[test]
fn family_that_is_far_too_large() {
    assert_snapshot!(
        said("const N = 1e9\n\
         coordinate q[1..N]\n\
         kinetic sum(i in 1..N, q[i]'^2)"),
        @r"
    error[E0802]: the model grows beyond 4000000 expressions, members and turns of loops
     --> model.dal:2:14
      |
    2 | coordinate q[1..N]
      |              ^^^^
      |
      = help: use smaller families
    "
    );
}

#[test]
fn start_where_a_nonlinear_constraint_degenerates() {
    assert_snapshot!(
        said("parameter g = 9.81, c = 0.5\n\
         coordinate x, y, z\n\
         kinetic (x'^2 + y'^2 + z'^2)/2\n\
         potential g*z\n\
         constraint cone: x'^2 + y'^2 = c^2*z'^2\n\
         simulate until 1"),
        @r"
    error[E0515]: the constraints degenerate at the start (t = 0): rank 0 instead of 1, the motion from there is not determined
     --> model.dal:5:1
      |
    5 | constraint cone: x'^2 + y'^2 = c^2*z'^2
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: start from a state away from the singular one; velocity constraints that are nonlinear in the rates degenerate at rest
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
fn unknown_method() {
    assert_snapshot!(
        said("coordinate x\n\
         kinetic x'^2/2\n\
         simulate until 1 method euler"),
        @r"
    error[E0803]: unknown method `euler`; known: dop853, tsit5, rk4, radau
     --> model.dal:3:25
      |
    3 | simulate until 1 method euler
      |                         ^^^^^
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
fn name_declared_twice() {
    assert_snapshot!(
        said("parameter m = 1\n\
         coordinate x, m\n\
         kinetic x'^2/2"),
        @r"
    error[E0302]: `m` is declared already
     --> model.dal:2:15
      |
    1 | parameter m = 1
      |           - here, as a parameter
    2 | coordinate x, m
      |               ^
    "
    );
}

#[test]
fn mechanism_at_the_end_of_its_range() {
    assert_snapshot!(
        said("coordinate x, y\n\
         kinetic (x'^2 + y'^2)/2\n\
         constraint circle: x^2 + y^2 = 1\n\
         constraint push: x = t\n\
         initial x = 0, y ~ 1\n\
         simulate until 2"),
        @r"
    error[E0705]: the constraint `circle` cannot be kept at t = 1.0000000019316337: residual 9.5e-9
     --> model.dal:3:1
      |
    3 | constraint circle: x^2 + y^2 = 1
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: the mechanism may have reached the end of its range, or constraints may contradict each other there
    "
    );
}
