//! Actuators: force = gain * signal + bias, on what a transmission drives.
//!
//! All kinds of actuators share their defaults, as in MuJoCo: `position`, `velocity` and the others are spellings of `general`.

use super::File;
use super::settings::Element;
use crate::robot::{Activation, Actuator, JointKind, Law, Transmission};
use crate::urdf::unknown;
use crate::xml::{Log, children, span, value_span};
use dalembert_syntax::diagnostic::Code;
use roxmltree::Node;

/// Kinds that become forces.
const KINDS: [&str; 7] = ["general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder"];

/// The parameters of an actuator while defaults and the element are read.
struct Parameters {
    gain: [f64; 3],
    bias: [f64; 3],
    is_affine_gain: bool,
    has_bias: bool,
    activation: Option<Activation>,
    time: f64,
    /// Why it cannot be imported.
    refused: Option<&'static str>,
}

/// Reads all actuators.
pub fn read(root: Node<'_, '_>, file: &mut File<'_, '_>, log: &mut Log) {
    for section in children(root).filter(|node| node.tag_name().name() == "actuator") {
        for node in children(section) {
            actuator(node, file, log);
        }
    }
}

fn actuator(node: Node<'_, '_>, file: &mut File<'_, '_>, log: &mut Log) {
    let kind = node.tag_name().name();
    let said = node.attribute("name").map_or(format!("this {kind}"), |name| format!("`{name}`"));
    if file.settings.is_disabled("actuation") {
        return log.say(
            Code::ImportIgnored,
            span(node),
            format!("{said} is switched off by a flag of the file"),
        );
    }
    if !KINDS.contains(&kind) {
        return log.say(Code::ImportLeftOut, span(node), format!("{said} is left out: it is a {kind}"));
    }
    let element = file.defaults.element(node, None, &KINDS, log);
    let parameters = parameters(&element, log);
    if let Some(why) = parameters.refused {
        return log.say(Code::ImportLeftOut, span(node), format!("{said} is left out: {why}"));
    }
    let is_general = parameters.is_affine_gain || parameters.bias[1..] != [0.0; 2] && parameters.has_bias;
    let Some((transmission, named)) = transmission(&element, &said, is_general, file, log) else { return };
    let auto = file.settings.autolimits;
    let law = Law {
        gain: if parameters.is_affine_gain { parameters.gain } else { [parameters.gain[0], 0.0, 0.0] },
        bias: if parameters.has_bias { parameters.bias } else { [0.0; 3] },
        signal_range: signal_range(&element, &transmission, file, log),
        force_range: element.range("forcerange", "forcelimited", auto, log),
        activation: parameters.activation.unwrap_or(Activation::None),
        is_force: kind == "motor",
    };
    if element.range("actrange", "actlimited", auto, log).is_some() {
        let message = format!("the bounds of the activation of {said} are left out");
        log.say(Code::ImportLeftOut, value_span(element.with("actrange"), "actrange"), message);
    }
    let name = node.attribute("name").map_or(format!("{named}_{kind}"), str::to_owned);
    if node.attribute("name").is_none() {
        let message = format!("the actuator at `{named}` has no name; its input is `{name}`");
        log.say(Code::ImportAssumed, span(node), message);
    }
    file.robot.actuators.push(Actuator { name, span: span(node), transmission, law });
}

/// Bounds of the signal, perhaps those of the joint.
fn signal_range(
    element: &Element<'_, '_>,
    transmission: &Transmission,
    file: &File<'_, '_>,
    log: &mut Log,
) -> Option<(f64, f64)> {
    if file.settings.is_disabled("clampctrl") {
        return None;
    }
    let own = element.range("ctrlrange", "ctrllimited", file.settings.autolimits, log);
    let inherited = element.scalar("inheritrange", log).filter(|share| *share > 0.0);
    match (own, inherited, transmission) {
        (None, Some(share), Transmission::Joints(targets)) => {
            let joint = file.robot.joint(targets.first()?.0);
            let (low, high) = joint.limits?;
            let (middle, half) = ((low + high) / 2.0 + joint.reference, share * (high - low) / 2.0);
            Some((middle - half, middle + half))
        }
        _ => own,
    }
}

/// Gain, bias and activation, from the farthest default to the element.
fn parameters(element: &Element<'_, '_>, log: &mut Log) -> Parameters {
    let mut p = Parameters {
        gain: [1.0, 0.0, 0.0],
        bias: [0.0; 3],
        is_affine_gain: false,
        has_bias: false,
        activation: None,
        time: 1.0,
        refused: None,
    };
    for node in element.nodes.iter().rev() {
        apply(*node, &mut p, log);
    }
    p
}

fn apply(node: Node<'_, '_>, p: &mut Parameters, log: &mut Log) {
    let first = |log: &mut Log, name: &str, old: f64| log.scalar(node, name).unwrap_or(old);
    match node.tag_name().name() {
        "motor" => {
            (p.gain, p.is_affine_gain, p.has_bias, p.activation) = ([1.0, 0.0, 0.0], false, false, None);
        }
        "position" | "intvelocity" => {
            let kp = first(log, "kp", p.gain[0]);
            let kv = first(log, "kv", -p.bias[2]);
            (p.gain, p.bias) = ([kp, 0.0, 0.0], [0.0, -kp, -kv]);
            (p.is_affine_gain, p.has_bias) = (false, true);
            if node.attribute("dampratio").is_some() {
                p.refused = Some("`dampratio` depends on the inertia of the whole; give `kv`");
            }
            let time = first(log, "timeconst", 0.0);
            p.activation = match node.tag_name().name() {
                "intvelocity" => Some(Activation::Integrator),
                _ => (time > 0.0).then_some(Activation::Filter(time)),
            };
        }
        "velocity" => {
            let kv = first(log, "kv", p.gain[0]);
            (p.gain, p.bias) = ([kv, 0.0, 0.0], [0.0, 0.0, -kv]);
            (p.is_affine_gain, p.has_bias, p.activation) = (false, true, None);
        }
        "damper" => {
            let kv = first(log, "kv", 1.0);
            (p.gain, p.is_affine_gain, p.has_bias) = ([0.0, 0.0, -kv], true, false);
        }
        "cylinder" => {
            let diameter = log.scalar(node, "diameter");
            let area = diameter.map_or(1.0, |d| std::f64::consts::PI / 4.0 * d * d);
            let area = first(log, "area", area);
            let bias = log.array::<3>(node, "bias").unwrap_or([0.0; 3]);
            (p.gain, p.bias, p.is_affine_gain, p.has_bias) = ([area, 0.0, 0.0], bias, false, true);
            p.activation = Some(Activation::Filter(first(log, "timeconst", 1.0)));
        }
        _ => general(node, p, log),
    }
}

fn general(node: Node<'_, '_>, p: &mut Parameters, log: &mut Log) {
    for (name, into) in [("gainprm", &mut p.gain), ("biasprm", &mut p.bias)] {
        let values = log.list(node, name).unwrap_or_default();
        into.iter_mut().zip(&values).for_each(|(old, new)| *old = *new);
    }
    if let Some(time) = log.list(node, "dynprm").and_then(|values| values.first().copied()) {
        p.time = time;
    }
    match node.attribute("gaintype") {
        Some("fixed") => p.is_affine_gain = false,
        Some("affine") => p.is_affine_gain = true,
        Some(_) => p.refused = Some("its gain is neither fixed nor affine"),
        None => {}
    }
    match node.attribute("biastype") {
        Some("none") => p.has_bias = false,
        Some("affine") => p.has_bias = true,
        Some(_) => p.refused = Some("its bias is neither none nor affine"),
        None => {}
    }
    match node.attribute("dyntype") {
        Some("none") => p.activation = None,
        Some("integrator") => p.activation = Some(Activation::Integrator),
        Some("filter" | "filterexact") => p.activation = Some(Activation::Filter(p.time)),
        Some(_) => p.refused = Some("its activation is not none, an integrator or a filter"),
        None => {
            if let Some(Activation::Filter(_)) = p.activation {
                p.activation = Some(Activation::Filter(p.time));
            }
        }
    }
    if matches!(p.activation, Some(Activation::Filter(time)) if time <= 0.0) {
        p.refused = Some("its time constant is not positive");
    }
}

/// What an actuator drives, and by what it is named.
fn transmission(
    element: &Element<'_, '_>,
    said: &str,
    is_general: bool,
    file: &File<'_, '_>,
    log: &mut Log,
) -> Option<(Transmission, String)> {
    let mut gear = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    if let Some(values) = log.list(element.with("gear"), "gear") {
        gear.iter_mut().zip(&values).for_each(|(old, new)| *old = *new);
    }
    let left_out = |log: &mut Log, why: &str| {
        log.say(Code::ImportLeftOut, span(element.node()), format!("{said} is left out: {why}"));
        None
    };
    let node = element.node();
    if let Some(name) = node.attribute("joint").or(node.attribute("jointinparent")) {
        let at = value_span(node, if node.attribute("joint").is_some() { "joint" } else { "jointinparent" });
        let Some(&id) = file.joints.get(name) else {
            unknown(log, at, "joint", name, file.joints.keys().copied());
            return None;
        };
        let kind = file.robot.joint(id).kind;
        let made = match kind {
            JointKind::Pin | JointKind::Slider => Transmission::Joints(vec![(id, gear[0])]),
            _ if node.attribute("jointinparent").is_some() => {
                return left_out(log, "it acts in the axes of the parent of a ball or free joint");
            }
            _ if is_general => return left_out(log, "it depends on the angle of a ball or free joint"),
            JointKind::Ball => Transmission::Freedoms(id, [gear[0], gear[1], gear[2], 0.0, 0.0, 0.0]),
            _ => Transmission::Freedoms(id, [gear[3], gear[4], gear[5], gear[0], gear[1], gear[2]]),
        };
        return Some((made, name.to_owned()));
    }
    if let Some(name) = node.attribute("tendon") {
        return match file.tendons.get(name) {
            Some(Some(joints)) => {
                let joints = joints.iter().map(|(id, c)| (*id, c * gear[0])).collect();
                Some((Transmission::Joints(joints), name.to_owned()))
            }
            Some(None) => left_out(log, "its tendon is not imported"),
            None => {
                unknown(log, value_span(node, "tendon"), "tendon", name, file.tendons.keys().copied());
                None
            }
        };
    }
    if let Some(name) = node.attribute("site").filter(|_| node.attribute("refsite").is_none() && !is_general)
    {
        let Some(&frame) = file.sites.get(name) else {
            unknown(log, value_span(node, "site"), "site", name, file.sites.keys().copied());
            return None;
        };
        return Some((Transmission::Frame(frame, gear), name.to_owned()));
    }
    left_out(log, "its transmission is not to a joint, a fixed tendon or a force at a site")
}
