//! Functions of arguments, lists, families as vectors, numbers with units, more functions.

use crate::support::*;
use dalembert::diagnostic::Code;

fn codes(text: &str) -> Vec<Code> {
    refusal(text).iter().map(|d| d.code).collect()
}

fn outputs(text: &str) -> Vec<f64> {
    let mut model = load(text);
    let start = start(&mut model);
    evaluate(&model, &start).outputs
}

/// Values of outputs at the start, without the energy.
fn values(text: &str, count: usize) -> Vec<f64> {
    let model = format!("coordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n{text}");
    outputs(&model)[..count].to_vec()
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-14 * (1.0 + b.abs()), "{found:?}, not {expected:?}");
    }
}

#[test]
fn a_function_is_its_expression_with_the_arguments_put_in() {
    let found = values(
        "parameter m = 3
         let square(v) = dot(v, v)
         let T(mass, v) = mass/2*square(v)
         let Rz(a) = [[cos(a), -sin(a), 0], [sin(a), cos(a), 0], [0, 0, 1]]
         let P = Rz(x)*[1, 2, 3]
         initial x = 0.3, y = 2, z = -1, x' = 1, y' = 0.5
         output a = T(m, [x', y', z']), b = P.x, c = square(P), d = square([x, y])', e = T(T(1, [2, 0]), [1, 1])",
        5,
    );
    let b = 0.3f64.cos() - 2.0 * 0.3f64.sin();
    close(&found, &[1.5 * 1.25, b, 14.0, 2.0 * (0.3 + 2.0 * 0.5), 2.0]);
}

/// Arguments hide names of the model, also the index of a loop around the call, and families of that name.
#[test]
fn arguments_hide_names() {
    let found = values(
        "parameter m = 3, i = 7
         let f(m) = m^2 + i
         let g(i) = f(2*i) + m
         initial x = 1
         output a = f(x), b = g(x), c = sum(k in 1..3, f(k)), d = sum(k in 1..3, f(k)*m)",
        4,
    );
    close(&found, &[8.0, 14.0, 14.0 + 21.0, 3.0 * 35.0]);
}

#[test]
fn wrong_functions_are_refused() {
    let head = "coordinate x\nkinetic x'^2/2\n";
    for (text, code) in [
        ("let f(a) = f(a - 1)\noutput y = f(2)", Code::UnknownFunction),
        ("let f(a) = g(a)\nlet g(a) = a\noutput y = f(2)", Code::UnknownFunction),
        ("let f(a, b) = a*b\noutput y = f(2)", Code::WrongArity),
        ("let f(a, a) = a\noutput y = f(2, 3)", Code::DeclaredTwice),
        ("let f(sin) = 1\noutput y = f(2)", Code::ReservedName),
        ("let sin(a) = a\noutput y = sin(2)", Code::ReservedName),
        ("parameter floor = 2\noutput y = floor(2)", Code::UnknownFunction),
        ("let f(a) = a\noutput y = f", Code::ValueExpected),
        ("parameter l = 1 {m}, m = 1 {kg}\nlet f(a) = a + l\noutput y = f(m)", Code::UnitMismatch),
    ] {
        let found = codes(&format!("{head}{text}"));
        assert!(found.contains(&code), "{text}: {found:?}");
    }
}

#[test]
fn lists_give_each_member_its_value() {
    let text = "const N = 3
        parameter d[1..N] = [0.672, 0, 10] {cm}, k[1..N] = 2
        coordinate q[1..N] {m}
        kinetic dot(q[1..N]', q[1..N]')/2
        potential sum(i in 1..N, k[i]*(q[i] - d[i])^2)/2
        initial q[1..N] = [1, 2, 3], q[1..2]' = [-1, 0.5]
        output s = q[2..3], v = q[1..N]'";
    let mut model = load(text);
    assert_eq!(model.compiled.parameters(), [0.00672, 0.0, 0.1, 2.0, 2.0, 2.0]);
    let start = start(&mut model);
    assert_eq!(start.x, [1.0, 2.0, 3.0]);
    close(&evaluate(&model, &start).outputs[..5], &[2.0, 3.0, -1.0, 0.5, 0.0]);
    let one = load_with(text, &sets(&[("d[3]", "20")]));
    assert_eq!(one.compiled.parameters()[..3], [0.00672, 0.0, 0.2]);
    assert!(
        codes("parameter d[1..3] = [1, 2]\ncoordinate x\nkinetic x'^2").contains(&Code::DimensionMismatch)
    );
}

#[test]
fn numbers_have_units() {
    let found = values(
        "parameter l = 2 {m} + 50 {cm} + 0 {m}, w = (30 {deg/s}), f = 3 {ft} + (6 {in}), p = 2 {lbf}, m = 1 {lb}
         initial x = 80 {deg}, y = 150 {mm}, x' = 30 {deg/s}
         event far: x - 270 {deg}
         output a = x, b = l, c = w, d = f, e = p/m, g = sin(90 {deg}), h = x', k = y",
        8,
    );
    let degree = std::f64::consts::PI / 180.0;
    close(&found, &[80.0 * degree, 2.5, 30.0 * degree, 1.0668, 2.0 * 9.80665, 1.0, 30.0 * degree, 0.15]);
    // From outside: in the unit of the file, or in one of their own.
    let text = "parameter l = 20 {cm}\ncoordinate x {m}, a {rad}\nkinetic x'^2/2\nkinetic l^2*a'^2/2";
    for (given, expected) in [("50", 0.5), ("50 {mm}", 0.05), ("2 {in}", 0.0508)] {
        assert_eq!(load_with(text, &sets(&[("l", given)])).compiled.parameters(), [expected]);
    }
    let model = load(text);
    assert_eq!(model.assignments("a = 80 {deg}, x = 3 {cm}").unwrap()[1].1, 0.03);
    assert!(model.assignments("a = 80 {cm}").is_err());
    // The block of a loop stays a block.
    let looped = "coordinate q[1..2]\nkinetic (q[1]'^2 + q[2]'^2)/2\nfor i in 1..2 { force q[i] = 1 }";
    assert_eq!(load(looped).system.frame.coordinates.len(), 2);
}

#[test]
fn more_functions() {
    let found = values(
        "initial x = 0.7, y = -2.3, z = 1.6
         output a = floor(y), b = mod(y, z), c = log10(1000*x), d = asinh(x), e = acosh(z), f = atanh(x), g = floor(7/2), h = mod(-7, 3)
         output i = asinh(x)', j = mod(y, 2) + floor(z)
         initial x' = 2",
        10,
    );
    let expected = [
        -3.0,
        -2.3 + 1.6 * 2.0,
        700f64.log10(),
        0.7f64.asinh(),
        1.6f64.acosh(),
        0.7f64.atanh(),
        3.0,
        2.0,
        2.0 / (1.49f64).sqrt(),
        1.7 + 1.0,
    ];
    close(&found, &expected);
}

/// A force that jumps whenever an angle passes a multiple of a right angle: located as jumps of `sign` are.
#[test]
fn jumps_of_floor_are_located() {
    let by_floor =
        "coordinate x\nkinetic x'^2/2\nforce x = 0.2*mod(floor(2*x), 2) - 0.1\ninitial x = 0.1, x' = 1";
    let by_sign = "coordinate x\nkinetic x'^2/2\nforce x = -0.1*sign(sin(2*pi*x))\ninitial x = 0.1, x' = 1";
    let end = |text: &str| run(&mut load(text), &until(3.0)).outcome.state.x[0];
    assert!((end(by_floor) - end(by_sign)).abs() < 1e-8, "{} {}", end(by_floor), end(by_sign));
}

#[test]
fn a_rotation_matrix_knows_its_angular_velocity() {
    let found = values(
        "let Rz(a) = [[cos(a), -sin(a), 0], [sin(a), cos(a), 0], [0, 0, 1]]
         let Rx(a) = [[1, 0, 0], [0, cos(a), -sin(a)], [0, sin(a), cos(a)]]
         let w = angular_velocity(Rz(x)*Rx(y))
         initial x = 0.4, y = 1.1, x' = 2, y' = -3
         output w1 = w, w2 = angular_velocity([[cos(x), -sin(x)], [sin(x), cos(x)]])",
        4,
    );
    close(&found, &[-3.0 * 0.4f64.cos(), -3.0 * 0.4f64.sin(), 2.0, 2.0]);
}

/// Where two stretches of a table meet, one of them gives the slope.
#[test]
fn tables_have_one_slope_at_a_point() {
    let table = "[[0, 0], [1, 1], [2, 8], [3, 27], [4, 64]]";
    for (at, cubic, linear) in
        [(0.0, 0.0, 1.0), (1.0, 3.0, 7.0), (2.0, 12.0, 19.0), (3.0, 27.0, 37.0), (4.0, 48.0, 37.0)]
    {
        let text = format!(
            "table f = {table} cubic\ntable g = {table}\ninitial x = {at}, x' = 2\n\
             output a = diff(f(x), x), b = diff(g(x), x), c = f(x)'"
        );
        close(&values(&text, 3), &[cubic, linear, 2.0 * cubic]);
    }
}

/// Families of two subscripts take the rows of a matrix, bounds of control a unit, and an axis has a length.
#[test]
fn lists_of_rows_bounds_with_units_and_axes() {
    let found = values(
        "parameter k[1..2, 1..3] = [[1, 2, 3], [4, 5, 10 {cm}]]\noutput a = k[1,3], b = k[2,1], c = k[2,3]",
        3,
    );
    close(&found, &[3.0, 4.0, 0.1]);
    load(
        "coordinate x {m}\nparameter m = 1 {kg}\nkinetic m/2*x'^2\nrequire x = 1 {m} decay 2, 1\nactuate x in -5 {N}..2 {kN}",
    );
    let axis = "coordinate x\nkinetic x'^2/2\noutput R = rotation([0, 0, 0], x)";
    assert!(codes(axis).contains(&Code::BadOption));
}
