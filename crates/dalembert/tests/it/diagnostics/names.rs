//! Names, values, vectors, subscripts, units.

use super::said;
use insta::assert_snapshot;

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
fn acceleration_in_an_energy() {
    assert_snapshot!(
        said("coordinate x, y\n\
         kinetic (x'^2 + y'^2)/2\n\
         potential x''"),
        @r"
    error[E0402]: the potential energy cannot depend on the acceleration `x''`
     --> model.dal:3:11
      |
    3 | potential x''
      |           ^^^
      |
      = help: accelerations are results: use them in `output`; `constraint` and `require` may be linear in them
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
        said("parameter m = 1, k =\n\
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

/// A vector on the left of a matrix is a row: v M = M^T v.
#[test]
fn row_times_a_matrix() {
    let mut model = crate::support::load(
        "coordinate x, y\nlet P = [x, y], M = [[1, 2, 3], [4, 5, 6]]\nkinetic dot(P'*[[1, 0], [0, 2]], P')/2\n\
         output a = P*M, b = transpose(M)*P, c = 2*P*[[1, 2], [3, 4]]*[[0, 1], [1, 0]]\ninitial x = 2, y = 7",
    );
    let state = crate::support::start(&mut model);
    let now = crate::support::evaluate(&model, &state);
    assert_eq!(now.outputs, [30.0, 39.0, 48.0, 30.0, 39.0, 48.0, 64.0, 46.0]);
    assert_eq!(now.terms.M, [1.0, 0.0, 0.0, 2.0]);
    let refused =
        crate::support::refusal("coordinate x\nkinetic x'^2\noutput a = [x, x, x]*[[1, 2], [3, 4]]");
    assert_eq!(refused[0].message, "a vector of 3 and a 2 by 2 matrix do not go together");
}

/// What is wrong in an option is said with the option.
#[test]
fn options_are_named() {
    let text = "parameter k = 1\ncoordinate x\nkinetic k*x'^2/2";
    let said = |set: &[(&str, &str)], initial: &str| {
        let mut overrides = crate::support::sets(set);
        overrides.initial = [initial].iter().filter(|i| !i.is_empty()).map(|i| (*i).to_owned()).collect();
        let loaded = dalembert::Workspace::load(&dalembert::Source::new("model.dal", text), &overrides);
        let said = loaded.err().expect("a refusal").0.swap_remove(0);
        assert_eq!(said.span, None);
        said.message
    };
    assert_eq!(said(&[("k", "1/0")], ""), "division by zero in `--set k=1/0`");
    assert_eq!(said(&[("k", "nan")], ""), "unknown name `nan` in `--set k=nan`");
    assert_eq!(said(&[], "x=1/0"), "division by zero in `--initial x=1/0`");
    assert_eq!(said(&[], "z=1"), "unknown name `z` in `--initial z=1`");
}
