//! The text of imported models: what a person reads.

use dalembert::{Model, Overrides};
use dalembert_formats::{Format, Imported, Options, import};
use dalembert_syntax::Source;
use dalembert_syntax::diagnostic::Code;

fn made(text: &str) -> Imported {
    import(&Source::new("dir/robot.urdf", text), &Options::default()).unwrap_or_else(|d| panic!("{d}"))
}

fn codes(made: &Imported) -> Vec<Code> {
    made.diagnostics.iter().map(|d| d.code).collect()
}

/// Loads a text, finds its start, and gives the value of a coordinate there.
fn start_of(text: &str, name: &str) -> f64 {
    let model =
        Model::load(&Source::new("", text), &Overrides::default()).unwrap_or_else(|d| panic!("{d}\n{text}"));
    let start = model.start().unwrap_or_else(|d| panic!("{d}\n{text}"));
    let k = model.system.frame.coordinates.iter().position(|c| c.name == name).expect(name);
    start.state.x[k]
}

const MASS: &str = "<inertial><origin xyz='0.1 0 0'/><mass value='2'/>\
    <inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial>";

fn arm(joint: &str) -> String {
    format!(
        "<robot name='arm'><link name='world'/><link name='one'>{MASS}</link><link name='two'>{MASS}</link>\
         <joint name='a' type='continuous'><parent link='world'/><child link='one'/><axis xyz='0 0 1'/></joint>{joint}</robot>"
    )
}

fn second(kind: &str, more: &str) -> String {
    arm(&format!(
        "<joint name='b' type='{kind}'><parent link='one'/><child link='two'/><axis xyz='0 1 0'/>{more}</joint>"
    ))
}

#[test]
fn a_small_arm_reads_well() {
    let made = made(&second(
        "revolute",
        "<origin xyz='0 0 0.3' rpy='1.5707963 0 0'/><limit lower='-1' upper='2'/><dynamics damping='0.5' friction='0.2'/>",
    ));
    let expected = "\
# Imported from robot.urdf (URDF). Units: m, kg, s, rad.
# Total mass 4 kg.
system \"arm\"
parameter g = 9.81 {m/s^2}
gravity [0, 0, -g]

frame world: ground
body one: mass 2, centre [0.1, 0, 0], inertia [0.1, 0.1, 0.1]
joint a: pin world to one, axis [0, 0, 1]
body two: mass 2, centre [0.1, 0, 0], inertia [0.1, 0.1, 0.1]
joint b: pin one at [0, 0, 0.3] turned rpy(pi/2, 0, 0) to two, axis [0, 1, 0], limits -1..2

# Springs, dampers and friction of joints
damper b_damping: 0.5 at b
friction in b: limit 0.2
";
    assert_eq!(made.text, expected);
    assert_eq!((made.format, made.bodies, made.joints, made.title.as_str()), (Format::Urdf, 2, 2, "arm"));
    assert_eq!(codes(&made), [Code::ImportAssumed, Code::ImportSnapped]);
}

#[test]
fn limits_that_exclude_zero_move_the_guess() {
    let text = made(&second("prismatic", "<limit lower='0.2' upper='0.6'/>")).text;
    assert!(text.contains("initial b ~ 0.4"), "{text}");
    assert_eq!(start_of(&text, "b"), 0.4);
}

#[test]
fn a_mimic_is_a_constraint_and_starts_where_it_holds() {
    let third = format!(
        "<link name='three'>{MASS}</link><joint name='c' type='revolute'><parent link='two'/><child link='three'/>\
         <axis xyz='1 0 0'/><limit lower='1' upper='3'/><mimic joint='b' multiplier='-2' offset='0.5'/></joint></robot>"
    );
    let file = second("revolute", "<limit lower='-3' upper='3'/>").replace("</robot>", &third);
    let text = made(&file).text;
    assert!(text.contains("constraint c_mimic: c = -2*b + 0.5"), "{text}");
    let (b, c) = (start_of(&text, "b"), start_of(&text, "c"));
    assert!((c - (0.5 - 2.0 * b)).abs() < 1e-12 && (1.0..=3.0).contains(&c), "{b} {c}");
}

#[test]
fn kinds_of_joints_become_those_of_the_language() {
    assert!(made(&second("floating", "")).text.contains("joint b: free one to two\n"));
    assert!(made(&second("planar", "")).text.contains("joint b: planar one to two, axis [0, 1, 0]\n"));
    let fixed = made(&second("fixed", "<origin xyz='1 0 0'/>"));
    assert!(fixed.text.contains("frame b: one at [1, 0, 0]\nframe two: b\n"), "{}", fixed.text);
    assert!(fixed.text.contains("body one: mass 4, centre [0.6, 0, 0]"), "{}", fixed.text);
    assert!(codes(&fixed).contains(&Code::ImportMerged));
    for text in [made(&second("floating", "")).text, made(&second("planar", "")).text, fixed.text] {
        Model::load(&Source::new("", &text), &Overrides::default()).unwrap_or_else(|d| panic!("{d}\n{text}"));
    }
}

#[test]
fn a_root_that_is_not_the_world_is_free_unless_it_is_fixed() {
    let file = arm("").replace("world", "base");
    let file = file.replace("<link name='base'/>", &format!("<link name='base'>{MASS}</link>"));
    let file = file.replace(&format!("<link name='two'>{MASS}</link>"), "");
    let free = made(&file);
    assert!(free.text.contains("body base: mass 2"), "{}", free.text);
    assert_eq!(start_of(&free.text, "base.e0"), 1.0);
    let fixed = import(&Source::new("", &file), &Options { fixed_base: true }).expect("it is imported");
    assert!(fixed.text.contains("frame base: ground"), "{}", fixed.text);
    assert_eq!(fixed.ground_mass, 2.0);
}

#[test]
fn a_joint_that_carries_nothing_is_fixed_and_said() {
    let file = second("revolute", "<limit lower='-1' upper='1'/>");
    let file = file.replace(&format!("<link name='two'>{MASS}</link>"), "<link name='two'/>");
    let made = made(&file);
    assert!(made.text.contains("frame b: one\nframe two: b\n"), "{}", made.text);
    assert!(codes(&made).contains(&Code::ImportLeftOut));
}

#[test]
fn a_transmission_is_an_input() {
    let file = arm("<transmission name='t'><joint name='a'/><actuator name='motor'>\
        <mechanicalReduction>50</mechanicalReduction></actuator></transmission>");
    let file = file.replace(&format!("<link name='two'>{MASS}</link>"), "");
    let made = made(&file);
    assert!(made.text.contains("input motor = 0 {N*m}\nforce a = 50*motor\n"), "{}", made.text);
    assert_eq!(made.inputs, ["motor"]);
}

#[test]
fn every_name_of_the_file_is_one_of_the_model() {
    let file =
        second("continuous", "").replace("'one'", "'a'").replace("'two'", "'if'").replace("'b'", "'x y-1'");
    let made = made(&file);
    assert!(made.text.contains("joint a: pin world to a_body"), "{}", made.text);
    assert!(made.text.contains("joint x_y_1: pin a_body to if_body"), "{}", made.text);
    assert_eq!(codes(&made).iter().filter(|code| **code == Code::ImportRenamed).count(), 3);
    Model::load(&Source::new("", &made.text), &Overrides::default()).unwrap_or_else(|d| panic!("{d}"));
}

#[test]
fn free_bodies_of_mujoco_start_where_the_file_puts_them() {
    let file = "<mujoco><worldbody><body name='b' pos='1 2 3' euler='0 0 90'><freejoint name='r'/>\
        <geom type='box' size='1 2 3'/></body></worldbody></mujoco>";
    let made = made(file);
    assert!(made.text.contains("joint r: free ground to b"), "{}", made.text);
    assert_eq!([start_of(&made.text, "r.x"), start_of(&made.text, "r.z")], [1.0, 3.0]);
    assert!((start_of(&made.text, "r.e3") - 0.5f64.sqrt()).abs() < 1e-15);
    // Contact of the box with whatever is left out is said.
    assert!(codes(&made).contains(&Code::ImportLeftOut));
}
