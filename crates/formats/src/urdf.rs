//! URDF: links and joints of a tree.
//!
//! The joint frame is at `origin` on the parent link, and the child link is there while the joint is zero. An inertia is about
//! the centre of mass, in the axes of its own `origin`. Gravity is not part of the format.

use crate::algebra::Vec3;
use crate::inertia::Inertia;
use crate::robot::{Activation, Actuator, Body, Coupling, Joint, JointKind, Law, Robot, Transmission};
use crate::turn::{Angle, Place, Turn};
use crate::xml::{Log, child, children, span, value_span};
use dalembert_syntax::diagnostic::{Code, Diagnostic, nearest};
use dalembert_syntax::source::Span;
use roxmltree::Node;
use std::collections::HashMap;

/// Angles of joint origins this near to a quarter turn are quarter turns. Files have 1.5707963 where they mean pi/2.
const SNAP_TOL: f64 = 1e-6;

/// A `joint` element with what it joins.
struct Edge<'a, 'i> {
    node: Node<'a, 'i>,
    name: &'a str,
    parent: usize,
    child: usize,
}

/// What is counted instead of being said once for each place.
#[derive(Default)]
struct Left {
    visuals: Option<(Span, usize)>,
    collisions: Option<(Span, usize)>,
    speeds: Option<(Span, usize)>,
}

fn count(of: &mut Option<(Span, usize)>, node: Node<'_, '_>) {
    let (_, n) = of.get_or_insert((span(node), 0));
    *n += 1;
}

/// Reads a robot; `fixed_base` fixes its root to the ground whatever it is called.
pub fn read(root: Node<'_, '_>, fixed_base: bool, log: &mut Log) -> Robot {
    let mut robot = Robot {
        title: root.attribute("name").unwrap_or("robot").to_owned(),
        gravity: [0.0, 0.0, -9.81],
        ..Robot::default()
    };
    log.say(Code::ImportAssumed, span(root), "URDF has no gravity; 9.81 m/s^2 against z is assumed");
    refuse_macros(root, log);
    let links: Vec<Node<'_, '_>> = children(root).filter(|node| node.tag_name().name() == "link").collect();
    let names: Vec<&str> = links.iter().map(|node| log.needed(*node, "name").unwrap_or_default()).collect();
    let mut index: HashMap<&str, usize> = HashMap::new();
    for (k, name) in names.iter().enumerate() {
        if index.insert(name, k).is_some() {
            log.say(Code::XmlNameTwice, span(links[k]), format!("two links are called `{name}`"));
        }
    }
    if links.is_empty() {
        let message = "the robot has no link";
        match root.descendants().any(|n| n.tag_name().namespace().is_some_and(|ns| ns.contains("xacro"))) {
            true => {
                let help = "this file is a macro of xacro: expand it first, `xacro FILE > robot.urdf`";
                log.advise(Code::MissingInXml, span(root), message, help);
            }
            false => log.say(Code::MissingInXml, span(root), message),
        }
        return robot;
    }
    let mut left = Left::default();
    let edges = edges(root, &index, log);
    let Some(order) = order(&links, &edges, log) else { return robot };
    let mut place_of = vec![0; links.len()];
    for (k, edge) in order {
        place_of[k] = robot.bodies.len();
        let inertia = inertia(links[k], log, &mut left);
        let body = match edge {
            None => root_body(names[k], links[k], inertia, fixed_base, log),
            Some(edge) => {
                let edge = &edges[edge];
                let parent = Some(place_of[edge.parent]);
                jointed_body(names[k], links[k], parent, edge, inertia, (&mut left, log))
            }
        };
        robot.bodies.push(body);
    }
    mimics(&edges, &mut robot, log);
    transmissions(root, &mut robot, log);
    say_left(root, &left, log);
    robot
}

/// Files before `xacro` has seen them.
fn refuse_macros(root: Node<'_, '_>, log: &mut Log) {
    let is_macro =
        |node: &Node<'_, '_>| node.tag_name().namespace().is_some_and(|space| space.contains("xacro"));
    if let Some(node) = root.descendants().filter(Node::is_element).find(is_macro) {
        let message =
            format!("`<{}>` is a macro of xacro, and this file is not expanded", node.tag_name().name());
        log.advise(Code::NotImported, span(node), message, "expand the file with `xacro` first");
    }
}

/// The joints, each with the links it joins.
fn edges<'a, 'i>(root: Node<'a, 'i>, index: &HashMap<&str, usize>, log: &mut Log) -> Vec<Edge<'a, 'i>> {
    let mut seen: HashMap<&str, ()> = HashMap::new();
    let mut edges = Vec::new();
    for node in children(root).filter(|node| node.tag_name().name() == "joint") {
        let Some(name) = log.needed(node, "name") else { continue };
        if seen.insert(name, ()).is_some() {
            log.say(Code::XmlNameTwice, span(node), format!("two joints are called `{name}`"));
        }
        let mut end = |tag: &str| -> Option<usize> {
            let Some(at) = child(node, tag) else {
                log.say(Code::MissingInXml, span(node), format!("the joint `{name}` has no `<{tag}>`"));
                return None;
            };
            let link = log.needed(at, "link")?;
            let found = index.get(link).copied();
            if found.is_none() {
                unknown(log, value_span(at, "link"), "link", link, index.keys().copied());
            }
            found
        };
        if let (Some(parent), Some(child)) = (end("parent"), end("child")) {
            edges.push(Edge { node, name, parent, child });
        }
    }
    edges
}

/// A name that the file does not have.
pub fn unknown<'n>(log: &mut Log, at: Span, what: &str, name: &str, known: impl Iterator<Item = &'n str>) {
    let shown: String = name.chars().take(80).collect();
    let d = Diagnostic::error(Code::UnknownInXml, at, format!("no {what} is called `{shown}`"));
    let mut known: Vec<&str> = known.collect();
    known.sort_unstable();
    let near = nearest(&shown, known).map(str::to_owned);
    log.push(match near {
        Some(near) => d.help(format!("did you mean `{near}`?")),
        None => d,
    });
}

/// Links from the root outwards, each with the joint that carries it. None if they are not a tree.
fn order<'a>(
    links: &[Node<'a, '_>],
    edges: &[Edge<'a, '_>],
    log: &mut Log,
) -> Option<Vec<(usize, Option<usize>)>> {
    let mut carried: Vec<Option<usize>> = vec![None; links.len()];
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    for (e, edge) in edges.iter().enumerate() {
        if let Some(other) = carried[edge.child].replace(e) {
            let message =
                format!("`{}` and `{}` carry the same link; URDF has no loops", edges[other].name, edge.name);
            log.advise(Code::NotATree, span(edge.node), message, "close the loop in the model, by a `joint`");
            return None;
        }
        below[edge.parent].push(e);
    }
    let mut roots = (0..links.len()).filter(|&k| carried[k].is_none());
    let Some(root) = roots.next() else {
        log.say(Code::NotATree, span(links[0]), "the links form a ring: none is the root");
        return None;
    };
    if let Some(second) = roots.next() {
        let name = |k: usize| links[k].attribute("name").unwrap_or_default();
        let message = format!("`{}` and `{}` are both the child of no joint", name(root), name(second));
        log.advise(Code::NotATree, span(links[second]), message, "a robot is one tree: join its parts");
        return None;
    }
    // In the order of the file, a branch at a time.
    let (mut order, mut ahead) = (Vec::new(), vec![(root, None)]);
    while let Some((k, edge)) = ahead.pop() {
        order.push((k, edge));
        ahead.extend(below[k].iter().rev().map(|&e| (edges[e].child, Some(e))));
    }
    if order.len() < links.len() {
        let mut reached = vec![false; links.len()];
        order.iter().for_each(|(k, _)| reached[*k] = true);
        let lost = reached.iter().position(|reached| !reached).unwrap_or(0);
        log.say(Code::NotATree, span(links[lost]), "this link is in a ring that the root does not reach");
        return None;
    }
    Some(order)
}

fn root_body(name: &str, node: Node<'_, '_>, inertia: Inertia, fixed_base: bool, log: &mut Log) -> Body {
    let is_ground = name == "world" || fixed_base;
    let joints = match is_ground {
        true => Vec::new(),
        false => vec![Joint::new(None, span(node), JointKind::Free)],
    };
    if name != "world" {
        let message = match is_ground {
            true => format!("the root link `{name}` is fixed to the ground, as was asked for"),
            false => format!("the root link `{name}` is free; a root called `world` would be the ground"),
        };
        let help = "`--fixed-base` fixes it";
        let d = Diagnostic::new(Code::ImportAssumed, span(node), message);
        log.push(if is_ground { d } else { d.help(help) });
    }
    body(name, node, None, Place::ORIGIN, joints, inertia)
}

fn body(
    name: &str,
    node: Node<'_, '_>,
    parent: Option<usize>,
    place: Place,
    joints: Vec<Joint>,
    inertia: Inertia,
) -> Body {
    Body {
        name: name.to_owned(),
        span: span(node),
        parent,
        place,
        mount: None,
        joints,
        inertia,
        weightless: 0.0,
    }
}

fn jointed_body(
    name: &str,
    link: Node<'_, '_>,
    parent: Option<usize>,
    edge: &Edge<'_, '_>,
    inertia: Inertia,
    (left, log): (&mut Left, &mut Log),
) -> Body {
    let place = origin(edge.node, Some(SNAP_TOL), log);
    let kinds = ["revolute", "continuous", "prismatic", "fixed", "floating", "planar"];
    let _ = log.needed(edge.node, "type");
    let word = log.word(edge.node, "type", &kinds).unwrap_or("fixed");
    let kind = match word {
        "revolute" | "continuous" => Some(JointKind::Pin),
        "prismatic" => Some(JointKind::Slider),
        "floating" => Some(JointKind::Free),
        "planar" => Some(JointKind::Planar),
        _ => None,
    };
    let joint = kind.map(|kind| joint(edge, kind, word, left, log));
    let mut body = body(name, link, parent, place, joint.into_iter().collect(), inertia);
    if body.joints.is_empty() {
        body.mount = Some((edge.name.to_owned(), span(edge.node)));
    }
    body
}

fn joint(edge: &Edge<'_, '_>, kind: JointKind, word: &str, left: &mut Left, log: &mut Log) -> Joint {
    let node = edge.node;
    let mut joint = Joint::new(Some(edge.name.to_owned()), span(node), kind);
    joint.axis = [1.0, 0.0, 0.0];
    match child(node, "axis") {
        Some(axis) => joint.axis = log.direction(axis, "xyz").unwrap_or(joint.axis),
        None if kind != JointKind::Free => {
            let message = format!("`{}` has no axis; x is assumed, the default of the format", edge.name);
            log.say(Code::ImportAssumed, span(node), message);
        }
        None => {}
    }
    if let Some(dynamics) = child(node, "dynamics") {
        joint.damping = log.positive(dynamics, "damping").unwrap_or(0.0);
        joint.friction = log.positive(dynamics, "friction").unwrap_or(0.0);
    }
    for (tag, what) in [("safety_controller", "a safety controller"), ("calibration", "a calibration")] {
        if let Some(at) = child(node, tag) {
            log.say(Code::ImportIgnored, span(at), format!("{what} is not imported"));
        }
    }
    let limit = child(node, "limit");
    if let Some(limit) = limit {
        if ["effort", "velocity"].iter().any(|name| limit.attribute(*name).is_some()) {
            count(&mut left.speeds, limit);
        }
        if kind.is_single() && word != "continuous" {
            joint.limits = range(edge, limit, log);
        }
    } else if matches!(word, "revolute" | "prismatic") {
        let message = format!("`{}` has no limits in the file and gets none", edge.name);
        log.say(Code::ImportAssumed, span(node), message);
    }
    joint
}

/// The range of a joint, where the file gives one that can be kept.
fn range(edge: &Edge<'_, '_>, limit: Node<'_, '_>, log: &mut Log) -> Option<(f64, f64)> {
    let given = ["lower", "upper"].iter().any(|name| limit.attribute(*name).is_some());
    let lower = log.scalar(limit, "lower").unwrap_or(0.0);
    let upper = log.scalar(limit, "upper").unwrap_or(0.0);
    if given && lower <= upper {
        return Some((lower, upper));
    }
    let message = match given {
        true => format!(
            "the limits of `{}` are in the wrong order, {lower} to {upper}, and are left out",
            edge.name
        ),
        false => format!("`{}` has limits without `lower` and `upper`; it gets none", edge.name),
    };
    let code = if given { Code::ImportLeftOut } else { Code::ImportAssumed };
    log.say(code, span(limit), message);
    None
}

/// The `origin` of an element; right angles are made exact where a tolerance is given.
fn origin(node: Node<'_, '_>, snap: Option<f64>, log: &mut Log) -> Place {
    let Some(origin) = child(node, "origin") else { return Place::ORIGIN };
    let at: Vec3 = log.array::<3>(origin, "xyz").unwrap_or([0.0; 3]);
    let angles = log.array::<3>(origin, "rpy").unwrap_or([0.0; 3]);
    let mut changed = Vec::new();
    let turn = angles.map(|value| match snap.and_then(|tolerance| Angle::snapped(value, tolerance)) {
        Some(angle) => {
            // Rounding of the last digit is no change.
            if (angle.value() - value).abs() > 1e-15 {
                changed.push(format!("{value:?} is taken as {}", angle.text()));
            }
            angle
        }
        None => Angle::Radians(value),
    });
    if !changed.is_empty() {
        log.say(Code::ImportSnapped, value_span(origin, "rpy"), changed.join(", "));
    }
    if let Some(q) = log.array::<4>(origin, "quat_xyzw").filter(|q| *q != [0.0; 4]) {
        return Place { at, turn: Turn::Quaternion([q[3], q[0], q[1], q[2]]) };
    }
    Place { at, turn: Turn::Rpy(turn) }
}

/// Mass of a link, in its axes; none if the file says nothing.
fn inertia(link: Node<'_, '_>, log: &mut Log, left: &mut Left) -> Inertia {
    for node in children(link) {
        match node.tag_name().name() {
            "visual" => count(&mut left.visuals, node),
            "collision" => count(&mut left.collisions, node),
            _ => {}
        }
    }
    let Some(node) = child(link, "inertial") else { return Inertia::default() };
    let place = origin(node, None, log);
    let missing = |tag: &str| format!("an `<inertial>` needs its `<{tag}>`");
    let mass = match child(node, "mass") {
        Some(at) => log.needed(at, "value").and_then(|_| log.positive(at, "value")).unwrap_or(0.0),
        None => {
            log.say(Code::MissingInXml, span(node), missing("mass"));
            0.0
        }
    };
    let Some(at) = child(node, "inertia") else {
        log.say(Code::MissingInXml, span(node), missing("inertia"));
        return Inertia::default();
    };
    let mut entry = |name: &str| match log.needed(at, name) {
        Some(_) => log.scalar(at, name).unwrap_or(0.0),
        None => 0.0,
    };
    let [xx, xy, xz, yy, yz, zz] = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"].map(&mut entry);
    let own = Inertia { mass, centre: [0.0; 3], about_centre: [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]] };
    own.placed(&place.at, &place.turn.matrix())
}

/// Joints that follow others: `value = multiplier * other + offset`.
fn mimics(edges: &[Edge<'_, '_>], robot: &mut Robot, log: &mut Log) {
    for edge in edges {
        let Some(node) = child(edge.node, "mimic") else { continue };
        let (multiplier, offset) = (log.scalar(node, "multiplier"), log.scalar(node, "offset"));
        let Some(leader) = log.needed(node, "joint") else { continue };
        let movable = |robot: &Robot, name: &str| {
            robot.joint_named(name).filter(|id| robot.joint(*id).kind.is_single())
        };
        let (follower, found) = (movable(robot, edge.name), movable(robot, leader));
        let Some(follower) = follower else {
            let message =
                format!("`{}` does not move by one coordinate and follows no other joint", edge.name);
            log.say(Code::ImportIgnored, span(node), message);
            continue;
        };
        let Some(found) = found.filter(|found| *found != follower) else {
            let message = format!(
                "`{}` would follow `{leader}`, which is not a movable joint: it moves freely",
                edge.name
            );
            let help = match edges.iter().any(|other| other.name == leader) {
                true => "a joint follows a revolute, continuous or prismatic one".to_owned(),
                false => {
                    let near = nearest(leader, edges.iter().map(|other| other.name)).map(str::to_owned);
                    near.map_or("the file has no such joint".to_owned(), |near| {
                        format!("did you mean `{near}`?")
                    })
                }
            };
            log.advise(Code::ImportLeftOut, value_span(node, "joint"), message, help);
            continue;
        };
        let coefficients = vec![offset.unwrap_or(0.0), multiplier.unwrap_or(1.0)];
        let name = Some(format!("{}_mimic", edge.name));
        robot.couplings.push(Coupling { name, follower, leader: Some(found), coefficients });
    }
}

/// Motors of transmissions: torque at the joint is that of the motor times the reduction.
fn transmissions(root: Node<'_, '_>, robot: &mut Robot, log: &mut Log) {
    for node in children(root).filter(|node| node.tag_name().name() == "transmission") {
        let (joint, actuator) = (child(node, "joint"), child(node, "actuator"));
        let (Some(joint), Some(actuator)) = (joint, actuator) else {
            log.say(
                Code::ImportIgnored,
                span(node),
                "a transmission without joint and actuator is not imported",
            );
            continue;
        };
        let several = |tag: &str| children(node).filter(|child| child.tag_name().name() == tag).count() > 1;
        let Some(name) = log.needed(joint, "name") else { continue };
        let id = robot.joint_named(name).filter(|id| robot.joint(*id).kind.is_single());
        let Some(id) = id.filter(|_| !several("joint") && !several("actuator")) else {
            let message =
                format!("the transmission at `{name}` does not drive one movable joint and is not imported");
            log.say(Code::ImportIgnored, span(node), message);
            continue;
        };
        let reduction = |at: Node<'_, '_>| {
            let text = child(at, "mechanicalReduction")?.text()?.trim().parse::<f64>().ok()?;
            (text.is_finite() && text != 0.0 && text.abs() < 1e9).then_some(text)
        };
        let factor = reduction(actuator).or_else(|| reduction(joint)).unwrap_or(1.0);
        let input = actuator.attribute("name").map_or_else(|| format!("{name}_motor"), str::to_owned);
        let message = format!("the transmission at `{name}` becomes the input `{input}` of a motor");
        log.say(Code::ImportAssumed, span(node), message);
        robot.actuators.push(Actuator {
            name: input,
            span: span(actuator),
            transmission: Transmission::Joints(vec![(id, factor)]),
            law: Law {
                gain: [1.0, 0.0, 0.0],
                bias: [0.0; 3],
                signal_range: None,
                force_range: None,
                activation: Activation::None,
                is_force: true,
            },
        });
    }
}

/// What was left out, once for each kind.
fn say_left(root: Node<'_, '_>, left: &Left, log: &mut Log) {
    let of = |counted: Option<(Span, usize)>, what: &str| {
        counted.map(|(at, n)| (at, format!("{what} is not imported ({n} of them)")))
    };
    let counted = [
        of(left.visuals, "the look of links"),
        of(left.collisions, "the collision geometry of links"),
        of(left.speeds, "a limit of effort or velocity"),
    ];
    for (at, message) in counted.into_iter().flatten() {
        log.say(Code::ImportIgnored, at, message);
    }
    let mut known: Vec<(&str, Span, usize)> = Vec::new();
    for node in children(root) {
        let tag = node.tag_name().name();
        if matches!(tag, "link" | "joint" | "transmission" | "material") {
            continue;
        }
        match known.iter().position(|(name, ..)| *name == tag) {
            Some(at) => known[at].2 += 1,
            None if known.len() < 100 => known.push((tag, span(node), 1)),
            None => {}
        }
    }
    for (tag, at, n) in known {
        let times = if n == 1 { String::new() } else { format!(" ({n} of them)") };
        log.say(Code::ImportIgnored, at, format!("`<{tag}>` is not imported{times}"));
    }
}
