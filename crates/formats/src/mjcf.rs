//! MJCF: nested bodies with joints, geoms and sites; classes of defaults; actuators and equalities.
//!
//! The joints of a body act in their order, each in the axes of the body. What the file calls qpos is our coordinate plus `ref`; a
//! free body has its position and quaternion in space. Checked against MuJoCo in the tests.

mod actuators;
mod equalities;
mod geoms;
mod joints;
mod places;
mod settings;

use crate::robot::{Body, Frame, Joint, JointId, JointKind, Robot};
use crate::turn::Place;
use crate::xml::{Log, children, span};
use dalembert_syntax::diagnostic::Code;
use dalembert_syntax::source::Span;
use geoms::{Geom, MassParts};
use roxmltree::Node;
use settings::{Defaults, Element, Settings};
use std::collections::HashMap;

/// A file while it is read.
struct File<'a, 'i> {
    settings: Settings,
    defaults: Defaults<'a, 'i>,
    robot: Robot,
    bodies: HashMap<&'a str, usize>,
    joints: HashMap<&'a str, JointId>,
    sites: HashMap<&'a str, usize>,
    /// Fixed tendons by their joints; none for those that are not imported.
    tendons: HashMap<&'a str, Option<Vec<(JointId, f64)>>>,
    colliding: Option<(Span, usize)>,
    seen: Option<(Span, usize)>,
    limits: Option<(Span, usize)>,
}

/// Where the content of an element is: on which body, with which class, placed how.
#[derive(Clone)]
struct Inside<'a> {
    body: Option<usize>,
    class: Option<&'a str>,
    place: Place,
}

/// Reads a model.
pub fn read(root: Node<'_, '_>, log: &mut Log) -> Robot {
    let settings = Settings::read(root, log);
    let defaults = Defaults::read(root, log);
    let title = root.attribute("model").unwrap_or("MuJoCo model").to_owned();
    let robot = Robot { title, gravity: settings.gravity, ..Robot::default() };
    let mut file = File {
        settings,
        defaults,
        robot,
        bodies: HashMap::new(),
        joints: HashMap::new(),
        sites: HashMap::new(),
        tendons: HashMap::new(),
        colliding: None,
        seen: None,
        limits: None,
    };
    for world in children(root).filter(|node| node.tag_name().name() == "worldbody") {
        let inside = Inside { body: None, class: None, place: Place::ORIGIN };
        file.content(world, &inside, &mut MassParts::default(), log);
    }
    if file.robot.bodies.is_empty() {
        log.say(Code::MissingInXml, span(root), "the model has no body");
    }
    file.scale_masses(root, log);
    equalities::tendons(root, &mut file, log);
    equalities::read(root, &mut file, log);
    actuators::read(root, &mut file, log);
    file.say_left(root, log);
    file.robot
}

impl<'a, 'i> File<'a, 'i> {
    /// Reads what is inside a body, the world or a frame. Elements are nested no deeper than the text is.
    fn content(
        &mut self,
        node: Node<'a, 'i>,
        inside: &Inside<'a>,
        mass: &mut MassParts<'a, 'i>,
        log: &mut Log,
    ) {
        for child in children(node) {
            match child.tag_name().name() {
                "body" => self.body(child, inside, log),
                "frame" => {
                    let own = places::place(&Element { nodes: vec![child] }, &self.settings, log);
                    let class = child.attribute("childclass").or(inside.class);
                    let inner = Inside { body: inside.body, class, place: inside.place.then(&own) };
                    self.content(child, &inner, mass, log);
                }
                "joint" | "freejoint" => self.joint(child, inside, log),
                "geom" => self.geom(child, inside, mass, log),
                "inertial" => {
                    let own = geoms::inertial(child, &self.settings, log);
                    mass.given = Some(own.placed(&inside.place.at, &inside.place.turn.matrix()));
                }
                "site" => self.site(child, inside, log),
                "camera" | "light" => count(&mut self.seen, child),
                tag => {
                    let message = format!("`<{tag}>` is not imported, and what it makes would be missing");
                    let help = "let MuJoCo write the compiled model (`mj_saveLastXML`) and import that";
                    log.advise(Code::NotImported, span(child), message, help);
                }
            }
        }
    }

    fn body(&mut self, node: Node<'a, 'i>, inside: &Inside<'a>, log: &mut Log) {
        let element = Element { nodes: vec![node] };
        let own = places::place(&element, &self.settings, log);
        let id = self.robot.bodies.len();
        let name = node.attribute("name").map_or_else(|| format!("body{}", id + 1), str::to_owned);
        match node.attribute("name") {
            Some(known) if self.bodies.insert(known, id).is_some() => {
                log.say(Code::XmlNameTwice, span(node), format!("two bodies are called `{known}`"));
            }
            Some(_) => {}
            None => log.say(
                Code::ImportAssumed,
                span(node),
                format!("this body has no name and is called `{name}`"),
            ),
        }
        if node.attribute("mocap") == Some("true") {
            let message = format!("`{name}` is moved from outside in MuJoCo and stays where it is here");
            log.say(Code::ImportAssumed, span(node), message);
        }
        let weightless = log.scalar(node, "gravcomp").unwrap_or(0.0);
        self.robot.bodies.push(Body {
            name: name.clone(),
            span: span(node),
            parent: inside.body,
            place: inside.place.then(&own),
            mount: None,
            joints: Vec::new(),
            inertia: Default::default(),
            weightless,
        });
        let class = node.attribute("childclass").or(inside.class);
        let inner = Inside { body: Some(id), class, place: Place::ORIGIN };
        let mut mass = MassParts::default();
        self.content(node, &inner, &mut mass, log);
        self.robot.bodies[id].inertia = mass.decide(&name, node, &self.settings, log);
        self.release(id, log);
    }

    /// A free joint stands alone, on a body of the world, and its place is where the body starts.
    fn release(&mut self, id: usize, log: &mut Log) {
        let body = &mut self.robot.bodies[id];
        let Some(free) = body.joints.iter().position(|joint| joint.kind == JointKind::Free) else { return };
        if body.joints.len() > 1 || body.parent.is_some() {
            let message = "a free joint is the only joint of a body of the world";
            log.say(Code::BadXmlValue, body.joints[free].span, message);
            return;
        }
        body.joints[free].start = Some(std::mem::replace(&mut body.place, Place::ORIGIN));
    }

    fn joint(&mut self, node: Node<'a, 'i>, inside: &Inside<'a>, log: &mut Log) {
        let Some(b) = inside.body else {
            return log.say(Code::BadXmlValue, span(node), "the world has no joints");
        };
        let mut joint = if node.tag_name().name() == "freejoint" {
            Joint::new(node.attribute("name").map(str::to_owned), span(node), JointKind::Free)
        } else {
            let element = self.defaults.element(node, inside.class, &["joint"], log);
            joints::joint(&element, &inside.place, &self.settings, log)
        };
        let k = self.robot.bodies[b].joints.len();
        if joint.limits.is_some() {
            count(&mut self.limits, node);
        }
        match node.attribute("name") {
            Some(name) if self.joints.insert(name, (b, k)).is_some() => {
                log.say(Code::XmlNameTwice, span(node), format!("two joints are called `{name}`"));
            }
            None if joint.kind != JointKind::Free => {
                let name = format!("{}_{}{}", self.robot.bodies[b].name, joint.kind.word(), k + 1);
                log.say(
                    Code::ImportAssumed,
                    span(node),
                    format!("this joint has no name and is called `{name}`"),
                );
                joint.name = Some(name);
            }
            _ => {}
        }
        self.robot.bodies[b].joints.push(joint);
    }

    fn geom(&mut self, node: Node<'a, 'i>, inside: &Inside<'a>, mass: &mut MassParts<'a, 'i>, log: &mut Log) {
        let element = self.defaults.element(node, inside.class, &["geom"], log);
        let bits = |name: &str, log: &mut Log| element.scalar(name, log).unwrap_or(1.0) != 0.0;
        if bits("contype", log) || bits("conaffinity", log) {
            count(&mut self.colliding, node);
        } else {
            count(&mut self.seen, node);
        }
        match geoms::geom(&element, &inside.place, &self.settings, log) {
            Geom::Solid(inertia) => mass.geoms.push(inertia),
            Geom::Unknown => mass.unknown = mass.unknown.or(Some(node)),
            Geom::Massless => {}
        }
    }

    fn site(&mut self, node: Node<'a, 'i>, inside: &Inside<'a>, log: &mut Log) {
        let element = self.defaults.element(node, inside.class, &["site"], log);
        let mut place = places::place(&element, &self.settings, log);
        if let Some(ends) = log.array::<6>(element.with("fromto"), "fromto") {
            place.at = std::array::from_fn(|k| (ends[k] + ends[k + 3]) / 2.0);
        }
        let id = self.robot.frames.len();
        let name = node.attribute("name").map_or_else(|| format!("site{}", id + 1), str::to_owned);
        if let Some(name) = node.attribute("name") {
            self.sites.insert(name, id);
        }
        let place = inside.place.then(&place);
        self.robot.frames.push(Frame { name, span: span(node), body: inside.body, place });
    }

    /// `settotalmass`: all masses and inertias in proportion.
    fn scale_masses(&mut self, root: Node<'_, '_>, log: &mut Log) {
        let total: f64 = self.robot.bodies.iter().map(|body| body.inertia.mass).sum();
        let Some(wanted) = self.settings.total_mass.filter(|_| total > 0.0) else { return };
        let factor = wanted / total;
        for body in &mut self.robot.bodies {
            body.inertia.mass *= factor;
            body.inertia.about_centre = body.inertia.about_centre.map(|row| row.map(|e| factor * e));
        }
        log.say(
            Code::ImportAssumed,
            span(root),
            format!("masses are scaled to {wanted} kg by `settotalmass`"),
        );
    }

    /// Where a body is while all joints are zero.
    fn home(&self, body: Option<usize>) -> Place {
        let mut place = Place::ORIGIN;
        let mut at = body;
        while let Some(b) = at {
            let body = &self.robot.bodies[b];
            let start = body.joints.first().and_then(|joint| joint.start);
            place = body.place.then(&start.unwrap_or(Place::ORIGIN)).then(&place);
            at = body.parent;
        }
        place
    }

    /// What was left out, once for each kind.
    fn say_left(&self, root: Node<'_, '_>, log: &mut Log) {
        if let Some((at, n)) = self.colliding.filter(|_| !self.settings.is_disabled("contact")) {
            let message = format!("contact between geoms is left out ({n} of them can touch others)");
            log.say(Code::ImportLeftOut, at, message);
        }
        if let Some((at, n)) = self.limits {
            let message =
                format!("limits of joints are rigid in the model; MuJoCo lets them yield ({n} of them)");
            log.say(Code::ImportHardened, at, message);
        }
        if let Some((at, n)) = self.seen {
            let message =
                format!("cameras, lights and geoms that touch nothing are not imported ({n} of them)");
            log.say(Code::ImportIgnored, at, message);
        }
        for node in children(root) {
            match node.tag_name().name() {
                "compiler" | "option" | "default" | "worldbody" | "actuator" | "equality" | "tendon" => {}
                "include" => {
                    let help = "import it from its folder, or put the content of the file in its place";
                    log.advise(Code::NotImported, span(node), "other files are not read here", help);
                }
                "deformable" | "extension" => {
                    let message = format!("`<{}>` is left out", node.tag_name().name());
                    log.say(Code::ImportLeftOut, span(node), message);
                }
                tag => log.say(Code::ImportIgnored, span(node), format!("`<{tag}>` is not imported")),
            }
        }
    }
}

fn count(of: &mut Option<(Span, usize)>, node: Node<'_, '_>) {
    let (_, n) = of.get_or_insert((span(node), 0));
    *n += 1;
}
