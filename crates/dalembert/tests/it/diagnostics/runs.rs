//! Starts and motions.

use super::said;
use insta::assert_snapshot;

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
    error[E0512]: no starting configuration satisfies `ceiling` together with `floor`: at the values given its sides differ by 1
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

/// Rates that are no speeds themselves count as fixed, and the residual is the one with these rates.
#[test]
fn starting_rates_that_contradict_a_constraint_on_speeds() {
    let sleigh = "coordinate x, y, th
        speed v = x'*cos(th) + y'*sin(th), u = -x'*sin(th) + y'*cos(th)
        kinetic (u^2 + v^2 + th'^2)/2
        constraint blade: u = 0
        initial th = 0.5, x' = 1, y' = 2
        simulate until 1";
    assert_snapshot!(said(sleigh), @r"
    error[E0512]: no starting speeds satisfy `blade`: at the values given its sides differ by 1.2757
     --> model.dal:4:9
      |
    4 |         constraint blade: u = 0
      |         ^^^^^^^^^^^^^^^^^^^^^^^
    5 |         initial th = 0.5, x' = 1, y' = 2
      |                           -       - with what is fixed here
      |                           |
      |                           with what is fixed here
      |
      = help: change a fixed rate, or write `~` instead of `=` for what may be adjusted
    ");
    let straight = "coordinate x, y
        speed u = x' + y', v = x' - y'
        kinetic (u^2 + v^2)/2
        constraint c: x = y
        initial x' = 1, u = 3
        simulate until 1";
    let told = said(straight);
    assert!(told.contains("satisfy `c`: at the values given the rates of its sides differ by 1\n"), "{told}");
    let both = "coordinate x, y
        speed u = x' + y', v = x' - y'
        kinetic (u^2 + v^2)/2
        initial x' = 1, y' = 1, u = 3
        simulate until 1";
    let told = said(both);
    assert!(told.contains("the rates and speeds fixed at the start contradict each other"), "{told}");
}

#[test]
fn constraints_that_contradict_each_other_among_others() {
    assert_snapshot!(
        said("coordinate x, y, z, w\n\
         kinetic (x'^2 + y'^2 + z'^2 + w'^2)/2\n\
         constraint good: z + w = 1\n\
         constraint narrow: x + y = 1\n\
         constraint fine: z - w = x/5\n\
         constraint wide: x + y = 3\n\
         simulate until 1"),
        @r"
    error[E0512]: no starting configuration satisfies `narrow` together with `wide`: at the values given its sides differ by 1
     --> model.dal:4:1
      |
    4 | constraint narrow: x + y = 1
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    5 | constraint fine: z - w = x/5
    6 | constraint wide: x + y = 3
      | -------------------------- together with this one
      |
      = help: nothing is fixed: the constraints may contradict each other, or better guesses of the coordinates may be needed
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
fn motion_that_ends_in_finite_time() {
    assert_snapshot!(
        said("coordinate x\n\
         kinetic x'^2/2\n\
         force x = 6*x^2\n\
         initial x = 1, x' = 2\n\
         simulate until 2"),
        @r"
    error[E0701]: the integration came to a standstill at t = 1: step 2.0e-14, `x'` moves fastest
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
    error[E0703]: the generalised force on `x'` is not a finite number at t = 0
     --> model.dal:3:11
      |
    3 | force x = 1/x
      |           ^^^
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
    error[E0703]: the generalised force on `x'` is not a finite number at t = 1.4937
     --> model.dal:3:11
      |
    3 | force x = -sqrt(x)
      |           ^^^^^^^^
      |
      = help: look for a division by zero, or a root or logarithm of a negative number, at this state
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
      = help: start from a state away from the singular one, or give every rate along one of the branches that meet there; velocity constraints that are nonlinear in the rates degenerate at rest
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
    error[E0803]: unknown method `euler`; known: dop853, tsit5, rk4, radau, variational2, variational4, variational6
     --> model.dal:3:25
      |
    3 | simulate until 1 method euler
      |                         ^^^^^
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
    error[E0701]: the integration came to a standstill at t = 1: step 2.0e-14, `y'` moves fastest
     |
     = help: the mechanism may have reached the end of its range, or the motion may end in a singularity there; a force that jumps with the sign of a rate chatters when the rate vanishes; for stiff forces try `method radau`
    "
    );
}

/// The statement whose own part is not finite is named, whatever else adds to the same entry.
#[test]
fn statements_behind_a_term_that_is_not_finite() {
    for (text, line) in [
        ("coordinate x\nkinetic x'^2/2\npotential x^2\npotential 1/x", "4 | potential 1/x"),
        ("coordinate x, y\nkinetic x'^2/(2*y)\nkinetic x'^2 + y'^2", "2 | kinetic x'^2/(2*y)"),
        ("coordinate x, y\nlagrangian (x'^2 + y'^2)/2 + log(x)\nforce y = 1/2", "2 | lagrangian"),
        ("coordinate x\nkinetic x'^2/2\nforce x = -x\nwork delta(x)/x", "4 | work delta(x)/x"),
        ("coordinate x\nkinetic x'^2/2\nforce [1/x, 0] at [x, 2]", "3 | force [1/x, 0] at"),
        ("coordinate x\nkinetic x'^2/2\ndissipation x'^2/x\ninitial x' = 1", "3 | dissipation x'^2/x"),
        ("coordinate x\nmass [[1/x]]\nforce [x]", "2 | mass [[1/x]]"),
        ("coordinate x\nmass [[1]]\nforce [1/x]", "3 | force [1/x]"),
        (
            "coordinate x, y\nspeed u = x' + y', v = x' - y'\nkinetic u^2 + v^2\npotential sqrt(y)",
            "4 | potential sqrt(y)",
        ),
        // On the way the state is not known, but only one of these can end so.
        (
            "coordinate x\nkinetic x'^2/2\nforce x = -x^2\npotential x^2\nforce x = -sqrt(x)\ninitial x = 1",
            "5 | force x = -sqrt(x)",
        ),
    ] {
        let said = said(text);
        assert!(said.contains("E0703") && said.contains(line), "{text}\n{said}");
        let named = said.lines().filter(|l| l.trim_start().starts_with(|c: char| c.is_ascii_digit())).count();
        assert_eq!(named, 1, "{text}\n{said}");
    }
}

#[test]
fn constraint_with_a_kink() {
    assert_snapshot!(
        said("coordinate x, y\n\
         kinetic (x'^2 + y'^2)/2\n\
         potential 9.81*y\n\
         constraint track: y = abs(x)\n\
         initial x = 1, y = 1\n\
         simulate until 3"),
        @r"
    error[E0706]: at t = 0.6386 what the constraint `track` demands of the speeds jumps by 6.2642: that takes an impact, which is not available
     --> model.dal:4:1
      |
    4 | constraint track: y = abs(x)
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: make its pieces meet with equal slopes, for example by rounding the kink off, or end the motion there with an `event` that stops and begin another one behind it
    "
    );
}

/// A rod of a metre beside a coordinate of a thousand million.
#[test]
fn start_off_a_constraint_beside_a_large_coordinate() {
    let text = "coordinate x, y, s\nkinetic (x'^2 + y'^2 + s'^2)/2\nconstraint rod: x^2 + y^2 = 1\ninitial x = 0.95, y = 0, s = 1e9\nsimulate until 1";
    assert!(said(text).contains("error[E0512]"), "{}", said(text));
}
