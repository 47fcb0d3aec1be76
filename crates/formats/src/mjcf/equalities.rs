//! Equalities as ideal constraints, and fixed tendons.

use super::File;
use crate::algebra::{apply, product, sub, transposed};
use crate::robot::{Closure, Coupling, Tendon};
use crate::turn::{Place, Turn};
use crate::urdf::unknown;
use crate::xml::{Log, children, span, value_span};
use dalembert_syntax::diagnostic::Code;
use roxmltree::Node;

/// Reads all equalities.
pub fn read(root: Node<'_, '_>, file: &mut File<'_, '_>, log: &mut Log) {
    for section in children(root).filter(|node| node.tag_name().name() == "equality") {
        for node in children(section) {
            equality(node, file, log);
        }
    }
}

fn equality(node: Node<'_, '_>, file: &mut File<'_, '_>, log: &mut Log) {
    let kind = node.tag_name().name();
    let element = file.defaults.element(node, None, &["equality"], log);
    let active = log.word(element.with("active"), "active", &["true", "false"]) != Some("false");
    if !active || file.settings.is_disabled("equality") {
        return log.say(Code::ImportIgnored, span(node), format!("this {kind} is switched off by the file"));
    }
    let made = match kind {
        "connect" | "weld" => closure(node, kind == "weld", file, log),
        "joint" => coupling(node, file, log),
        _ => {
            return log.say(Code::ImportLeftOut, span(node), format!("the equality of a {kind} is left out"));
        }
    };
    if made.is_some() {
        let message = format!("this {kind} holds exactly in the model; MuJoCo lets it yield");
        log.say(Code::ImportHardened, span(node), message);
    }
}

fn coupling(node: Node<'_, '_>, file: &mut File<'_, '_>, log: &mut Log) -> Option<()> {
    let find = |name: &str, log: &mut Log| {
        let joint = node.attribute(name)?;
        let found = file.joints.get(joint).copied().filter(|id| file.robot.joint(*id).kind.is_single());
        if found.is_none() {
            unknown(log, value_span(node, name), "joint of one freedom", joint, file.joints.keys().copied());
        }
        found
    };
    log.needed(node, "joint1")?;
    let follower = find("joint1", log)?;
    let leader = find("joint2", log);
    if node.attribute("joint2").is_some() && leader.is_none() {
        return None;
    }
    let mut coefficients = vec![0.0, 1.0, 0.0, 0.0, 0.0];
    if let Some(given) = log.list(node, "polycoef") {
        coefficients.iter_mut().zip(&given).for_each(|(old, new)| *old = *new);
    }
    let name = node.attribute("name").map(str::to_owned);
    file.robot.couplings.push(Coupling { name, follower, leader, coefficients });
    Some(())
}

/// A body by an attribute; none is the ground.
fn body(node: Node<'_, '_>, name: &str, file: &File<'_, '_>, log: &mut Log) -> Option<Option<usize>> {
    let Some(wanted) = node.attribute(name) else { return Some(None) };
    if wanted == "world" {
        return Some(None);
    }
    let found = file.bodies.get(wanted).copied();
    if found.is_none() {
        unknown(log, value_span(node, name), "body", wanted, file.bodies.keys().copied());
    }
    found.map(Some)
}

fn closure(node: Node<'_, '_>, is_weld: bool, file: &mut File<'_, '_>, log: &mut Log) -> Option<()> {
    let (first, second) = match node.attribute("site1") {
        Some(_) => (site(node, "site1", file, log)?, site(node, "site2", file, log)?),
        None => {
            log.needed(node, "body1")?;
            let (one, two) = (body(node, "body1", file, log)?, body(node, "body2", file, log)?);
            let homes = (file.home(one), file.home(two));
            let relative = relative(&homes.0, &homes.1);
            if is_weld {
                let given = log.array::<7>(node, "relpose").filter(|v| v[3..] != [0.0; 4]);
                let given = given.map(|v| Place {
                    at: [v[0], v[1], v[2]],
                    turn: Turn::Quaternion([v[3], v[4], v[5], v[6]]),
                });
                ((one, given.unwrap_or(relative)), (two, Place::ORIGIN))
            } else {
                log.needed(node, "anchor")?;
                let at = log.array::<3>(node, "anchor")?;
                // The point of the second body that is at the anchor while all joints are zero.
                let away = sub(&at, &relative.at);
                let there = apply(&transposed(&relative.turn.matrix()), &away);
                let point = |at| Place { at, turn: Turn::None };
                ((one, point(at)), (two, point(there)))
            }
        }
    };
    let name = node.attribute("name").map(str::to_owned);
    file.robot.closures.push(Closure { name, span: span(node), is_weld, first, second });
    Some(())
}

fn site(
    node: Node<'_, '_>,
    name: &str,
    file: &File<'_, '_>,
    log: &mut Log,
) -> Option<(Option<usize>, Place)> {
    let wanted = log.needed(node, name)?;
    let Some(&frame) = file.sites.get(wanted) else {
        unknown(log, value_span(node, name), "site", wanted, file.sites.keys().copied());
        return None;
    };
    let frame = &file.robot.frames[frame];
    Some((frame.body, frame.place))
}

/// Where `two` is as seen from `one`.
fn relative(one: &Place, two: &Place) -> Place {
    let back = transposed(&one.turn.matrix());
    let at = apply(&back, &sub(&two.at, &one.at));
    Place { at, turn: Turn::of_matrix(&product(&back, &two.turn.matrix())) }
}

/// Reads tendons: fixed ones are sums of coordinates, others are left out.
pub fn tendons<'a>(root: Node<'a, '_>, file: &mut File<'a, '_>, log: &mut Log) {
    for section in children(root).filter(|node| node.tag_name().name() == "tendon") {
        for node in children(section) {
            let name = node.attribute("name");
            let joints = match node.tag_name().name() {
                "fixed" => fixed(node, file, log),
                kind => {
                    log.say(Code::ImportLeftOut, span(node), format!("a {kind} tendon is left out"));
                    None
                }
            };
            if let Some(name) = name {
                file.tendons.insert(name, joints);
            }
        }
    }
}

fn fixed(node: Node<'_, '_>, file: &mut File<'_, '_>, log: &mut Log) -> Option<Vec<((usize, usize), f64)>> {
    let mut joints = Vec::new();
    for part in children(node).filter(|part| part.tag_name().name() == "joint") {
        let name = log.needed(part, "joint")?;
        let Some(&id) = file.joints.get(name).filter(|id| file.robot.joint(**id).kind.is_single()) else {
            unknown(
                log,
                value_span(part, "joint"),
                "joint of one freedom",
                name,
                file.joints.keys().copied(),
            );
            return None;
        };
        joints.push((id, log.scalar(part, "coef").unwrap_or(1.0)));
    }
    let element = file.defaults.element(node, None, &["tendon"], log);
    for name in ["range", "frictionloss", "armature", "actuatorfrcrange"] {
        if element.text(name).is_some() {
            let message = format!("`{name}` of a tendon is left out");
            log.say(Code::ImportLeftOut, value_span(element.with(name), name), message);
        }
    }
    let off = |flag: &str, value: Option<f64>| {
        if file.settings.is_disabled(flag) { 0.0 } else { value.unwrap_or(0.0) }
    };
    let stiffness = off("spring", log.positive(element.with("stiffness"), "stiffness"));
    let damping = off("damper", log.positive(element.with("damping"), "damping"));
    // The length while all joints are zero.
    let home: f64 = joints.iter().map(|(id, c)| c * file.robot.joint(*id).reference).sum();
    let rest = match log.list(element.with("springlength"), "springlength").as_deref() {
        Some([low, high]) if low != high => {
            let message = "a range of lengths at which a tendon is slack is taken as its middle";
            let at = value_span(element.with("springlength"), "springlength");
            log.say(Code::ImportLeftOut, at, message);
            (low + high) / 2.0 - home
        }
        Some([length, ..]) if *length >= 0.0 => length - home,
        _ => 0.0,
    };
    if stiffness != 0.0 || damping != 0.0 {
        let name = node.attribute("name").unwrap_or("tendon").to_owned();
        file.robot.tendons.push(Tendon {
            name,
            span: span(node),
            joints: joints.clone(),
            stiffness,
            rest,
            damping,
        });
    }
    Some(joints)
}
