//! One unit system at every door: what is read can be written back, and units are shown as they are written.

use dalembert::{Model, Overrides, Source};
use proptest::prelude::*;

fn load(text: &str, set: &[(&str, String)]) -> Model {
    let set = set.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    Model::load(&Source::new("units.dal", text), &overrides).expect("it can be read")
}

fn unit(model: &Model, name: &str) -> String {
    model.system.unit_of_column(name).unwrap_or_default()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// A number that is read in the unit of the file and set again is the same in SI to the last bit.
    #[test]
    fn a_parameter_that_is_read_can_be_set_again(
        value in prop_oneof![-1e3_f64..1e3, -1e-6_f64..1e-6, (0_i32..360).prop_map(f64::from)],
        digits in 1_usize..15,
        unit in prop::sample::select(vec!["deg", "cm", "mm", "rpm", "kN", "g", "min", "m", "N*m/rad", "lb", "deg/s"]),
    ) {
        let model = |value: f64| format!(
            "parameter k = {value:?} {{{unit}}}\ncoordinate x\nkinetic x'^2/2\npotential k*x"
        );
        let round_trip = |value: f64| {
            let first = load(&model(value), &[]);
            let parameter = &first.system.parameters[0];
            let read = parameter.in_file_unit(first.compiled.parameters()[0]);
            let again = load(&model(value), &[("k", format!("{read:?}"))]);
            (parameter.file_unit(), read, first.compiled.parameters()[0], again.compiled.parameters()[0])
        };
        let short: f64 = format!("{value:.*e}", digits - 1).parse().unwrap();
        let (shown, read, first, again) = round_trip(short);
        prop_assert_eq!(shown, Some(unit.to_owned()));
        prop_assert_eq!(read, short);
        prop_assert_eq!(first.to_bits(), again.to_bits());
        let (_, _, first, again) = round_trip(value);
        prop_assert_eq!(first.to_bits(), again.to_bits());
    }
}

#[test]
fn results_have_the_units_of_mechanics() {
    let text = "
        parameter m = 1 {kg}, l = 50 {cm}, g = 9.81 {m/s^2}, k = 3 {N*m/rad}
        coordinate x {m}, theta {rad}
        let P = [x + l*sin(theta), -l*cos(theta)]
        kinetic m/2*x'^2 + m/2*dot(P', P')
        potential m*g*P.y + k/2*theta^2
        constraint rail: x = l*theta
        constraint gear: x' = l*theta'
        force x = -2 {N}
        output tip = P, speed = P', E = energy, T = kinetic_energy
        output pull = multiplier(rail), slip = multiplier(gear), Fx = impressed(x), tau = impressed(theta)
        output p = power(impressed), W = work(impressed), ratio = x/l, angle = atan2(x, l), s = sin(theta)
        output size = reaction(rail), bend = k*theta
        initial x = 0
    ";
    let model = load(text, &[]);
    let units = [
        ("t", "s"),
        ("x", "m"),
        ("theta", "rad"),
        ("x'", "m/s"),
        ("theta'", "rad/s"),
        ("tip.x", "m"),
        ("speed.y", "m/s"),
        ("E", "J"),
        ("T", "J"),
        ("pull", "N"),
        ("slip", "N"),
        ("Fx", "N"),
        ("tau", "N*m"),
        ("p", "W"),
        ("W", "J"),
        ("ratio", ""),
        ("angle", "rad"),
        ("s", ""),
        // A norm of newtons and newton metres has no unit.
        ("size", ""),
        ("bend", "J"),
        ("p_theta", "N*m*s"),
        ("d(x)/d(m)", "m/kg"),
        ("d(theta')/d(theta(0))", "1/s"),
    ];
    for (name, expected) in units.iter().filter(|(name, _)| *name != "p_theta") {
        assert_eq!(unit(&model, name), *expected, "{name}");
    }
    assert_eq!(model.system.unit_of_reaction(), None);
    assert_eq!(model.system.unit_of_force(1).as_deref(), Some("N*m"));
}

#[test]
fn joints_are_angles_and_lengths_by_themselves() {
    let text = "
        gravity [0, -9.81]
        body cart: box 2 size [1, 1]
        body arm: rod 1 from [0, 0] to [0, -1]
        joint slide: slider ground to cart
        joint hinge: pin cart to arm
    ";
    let model = load(text, &[]);
    assert_eq!(unit(&model, "slide"), "m");
    assert_eq!(unit(&model, "hinge'"), "rad/s");
}

#[test]
fn without_units_only_time_has_one() {
    let model = load("parameter m = 1\ncoordinate x\nkinetic m/2*x'^2\noutput E = energy", &[]);
    assert_eq!(unit(&model, "t"), "s");
    assert!(["x", "x'", "E", "m"].iter().all(|name| unit(&model, name).is_empty()));
}

#[test]
fn forces_and_moments_of_joints_have_units() {
    let text = "
        gravity [0, -9.81]
        body arm: rod 1.2 {kg} from [0, 0] to [0.15, 0]
        body fork: rod 2 {kg} from [0, 0] to [0.5, 0]
        joint A: pin ground to arm
        joint B: weld arm at [0.15, 0] to fork
        output F = force(A), N = norm(force(A)), M = torque(B)";
    let model = Model::load(&Source::new("arm.dal", text), &Overrides::default()).unwrap();
    let unit = |name: &str| model.system.unit_of_column(name).unwrap_or_default();
    assert_eq!(["F.x", "F.y", "N", "M"].map(unit), ["N", "N", "N", "N*m"]);
}
