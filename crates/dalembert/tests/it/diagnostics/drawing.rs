//! `draw` statements that cannot be drawn.

use super::said;
use insta::assert_snapshot;

/// A particle, and a statement about it.
fn of(statement: &str) -> String {
    said(&format!(
        "parameter r = 1 {{kg}}\ncoordinate x {{m}}, y {{m}}\nkinetic (x'^2 + y'^2)/2\n{statement}"
    ))
}

#[test]
fn a_point_needs_two_or_three_components() {
    assert_snapshot!(of("draw point x"), @r"
    error[E0407]: a point of two or three components is wanted here, not a scalar
     --> model.dal:4:12
      |
    4 | draw point x
      |            ^
      |
      = help: write it as `[x, y]` or `[x, y, z]`
    ");
    assert_snapshot!(of("draw line [x, y], [x, y, x, y]"), @r"
    error[E0405]: a point of two or three components is wanted here, not a vector of 4
     --> model.dal:4:19
      |
    4 | draw line [x, y], [x, y, x, y]
      |                   ^^^^^^^^^^^^
      |
      = help: write it as `[x, y]` or `[x, y, z]`
    ");
    assert_snapshot!(of("draw trace [[x, y], [y, x]]"), @r"
    error[E0405]: a point of two or three components is wanted here, not a 2 by 2 matrix
     --> model.dal:4:12
      |
    4 | draw trace [[x, y], [y, x]]
      |            ^^^^^^^^^^^^^^^^
      |
      = help: write it as `[x, y]` or `[x, y, z]`
    ");
}

#[test]
fn pictures_show_positions() {
    assert_snapshot!(of("draw point [x, y']"), @r"
    error[E0401]: what is drawn cannot depend on the rate `y'`
     --> model.dal:4:16
      |
    4 | draw point [x, y']
      |                ^^
      |
      = help: pictures show positions; give what depends on rates as an `output`
    ");
    assert_snapshot!(of("draw point [x, energy]"), @r"
    error[E0414]: what is drawn cannot depend on the result `energy`
     --> model.dal:4:16
      |
    4 | draw point [x, energy]
      |                ^^^^^^
      |
      = help: results are used in `output`; `reaction` and `multiplier` also in `nonideal work`
    ");
}

#[test]
fn names_are_known() {
    assert_snapshot!(of("draw line [0, 0], P"), @r"
    error[E0301]: unknown name `P`
     --> model.dal:4:19
      |
    4 | draw line [0, 0], P
      |                   ^
      |
      = help: names are declared before they are used: `parameter`, `coordinate`, `speed`, `let`
    ");
}

#[test]
fn units_are_not_mixed() {
    assert_snapshot!(of("draw circle [x, y], r"), @r"
    error[E0602]: units differ: m and kg
     --> model.dal:4:21
      |
    4 | draw circle [x, y], r
      |                     ^ this is in kg
    ");
    assert_snapshot!(of("draw point [x, r]"), @r"
    error[E0602]: units differ: m and kg
     --> model.dal:4:12
      |
    4 | draw point [x, r]
      |            ^^^^^^ this is in kg
    ");
    assert_snapshot!(of("draw point [x, y]\ndraw point [r, r]"), @r"
    error[E0602]: units differ: m and kg
     --> model.dal:5:12
      |
    5 | draw point [r, r]
      |            ^^^^^^ this is in kg
    ");
}

#[test]
fn a_normal_has_three_components() {
    assert_snapshot!(of("draw circle [x, y], 1, [0, 1]"), @r"
    error[E0405]: the normal of a circle has three components, not 2
     --> model.dal:4:24
      |
    4 | draw circle [x, y], 1, [0, 1]
      |                        ^^^^^^
      |
      = help: leave it out for a circle in the plane of the first two components
    ");
}

#[test]
fn shapes_have_names() {
    assert_snapshot!(of("draw box [x, y]"), @r"
    error[E0201]: expected `point` or `line` or `circle` or `trace`, found `box`
     --> model.dal:4:6
      |
    4 | draw box [x, y]
      |      ^^^ `point` or `line` or `circle` or `trace` belongs here
    ");
    assert_snapshot!(of("draw line [x, y]"), @r"
    error[E0205]: the statement stops where `,` is expected
     --> model.dal:4:17
      |
    4 | draw line [x, y]
      |                 ^
    ");
}

#[test]
fn what_is_right_is_drawn() {
    assert_eq!(
        of("draw circle [x, y], 0.2, [0, t, 1]\nfor i in 1..3 { draw line [i, 0], [x, y], [0, i] }"),
        "the model runs\n"
    );
}
