//! Masses of bodies: given, or of their geoms by density.

use super::places::place;
use super::settings::{Element, FromGeoms, Settings};
use crate::algebra::{add, norm, scale, sub, z_to};
use crate::inertia::{Inertia, Shape, is_possible};
use crate::turn::{Place, Turn};
use crate::xml::{Log, span, value_span};
use dalembert_syntax::diagnostic::Code;
use roxmltree::Node;

const TYPES: [&str; 9] =
    ["plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"];

/// A geom, as far as it has mass.
pub enum Geom {
    /// Its mass in the axes of the body.
    Solid(Inertia),
    /// It has none.
    Massless,
    /// Its mass would have to be computed from what is not read.
    Unknown,
}

/// Reads a geom of a body.
pub fn geom(element: &Element<'_, '_>, on: &Place, settings: &Settings, log: &mut Log) -> Geom {
    let kind = log.word(element.with("type"), "type", &TYPES);
    let kind = if element.text("type").is_none() { Some("sphere") } else { kind };
    let group = element.scalar("group", log).unwrap_or(0.0);
    if group < settings.groups.0 || group > settings.groups.1 {
        return Geom::Massless;
    }
    let mass = log.positive(element.with("mass"), "mass");
    let density = log.positive(element.with("density"), "density").unwrap_or(1000.0);
    let nothing = mass.unwrap_or(density) == 0.0;
    let Some(kind) = kind.filter(|kind| !matches!(*kind, "plane" | "hfield") && !nothing) else {
        return Geom::Massless;
    };
    let is_shell = log.word(element.with("shellinertia"), "shellinertia", &["true", "false"]) == Some("true");
    if is_shell || matches!(kind, "mesh" | "sdf") || element.text("mesh").is_some() {
        return Geom::Unknown;
    }
    let own = place(element, settings, log);
    let Some((shape, own)) = shape(kind, element, own, log) else { return Geom::Massless };
    let at = on.then(&own);
    let inertia = shape.of_mass(mass.unwrap_or_else(|| density * shape.volume()));
    Geom::Solid(inertia.placed(&at.at, &at.turn.matrix()))
}

/// The shape of a geom and where it is.
fn shape(kind: &str, element: &Element<'_, '_>, own: Place, log: &mut Log) -> Option<(Shape, Place)> {
    let node = element.with("size");
    let mut size = log.list(node, "size").unwrap_or_default();
    size.resize(3, 0.0);
    let mut at = own;
    if let Some(ends) = log.array::<6>(element.with("fromto"), "fromto") {
        let (from, to) = ([ends[0], ends[1], ends[2]], [ends[3], ends[4], ends[5]]);
        let along = sub(&from, &to);
        let half = norm(&along) / 2.0;
        if half < 1e-12 || kind == "sphere" {
            let message = "`fromto` is for capsules, cylinders, boxes and ellipsoids between two points";
            log.say(Code::BadXmlValue, value_span(element.with("fromto"), "fromto"), message);
            return None;
        }
        size = if matches!(kind, "box" | "ellipsoid") {
            vec![size[0], size[0], half]
        } else {
            vec![size[0], half, 0.0]
        };
        at = Place { at: scale(0.5, &add(&from, &to)), turn: Turn::of_matrix(&z_to(&along)) };
    }
    let (needed, shape) = match kind {
        "sphere" => (1, Shape::Sphere(size[0])),
        "capsule" => (2, Shape::Capsule(size[0], size[1])),
        "cylinder" => (2, Shape::Cylinder(size[0], size[1])),
        "ellipsoid" => (3, Shape::Ellipsoid([size[0], size[1], size[2]])),
        _ => (3, Shape::Box([size[0], size[1], size[2]])),
    };
    if size[..needed].iter().any(|value| *value <= 0.0) {
        let message = format!("a {kind} has {needed} positive sizes");
        log.say(Code::BadXmlValue, value_span(node, "size"), message);
        return None;
    }
    Some((shape, at))
}

/// The `inertial` element of a body.
pub fn inertial(node: Node<'_, '_>, settings: &Settings, log: &mut Log) -> Inertia {
    let element = Element { nodes: vec![node] };
    let own = place(&element, settings, log);
    let mass = log.needed(node, "mass").and_then(|_| log.positive(node, "mass")).unwrap_or(0.0);
    let diagonal = log.array::<3>(node, "diaginertia");
    let full = log.array::<6>(node, "fullinertia");
    let about_centre = match (diagonal, full) {
        (_, Some([xx, yy, zz, xy, xz, yz])) => [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]],
        (Some([x, y, z]), None) => [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]],
        (None, None) => {
            let message = "an `<inertial>` needs `diaginertia` or `fullinertia`";
            log.say(Code::MissingInXml, span(node), message);
            return Inertia::default();
        }
    };
    let placed = Inertia { mass, centre: [0.0; 3], about_centre };
    placed.placed(&own.at, &own.turn.matrix())
}

/// What is known of the mass of a body while it is read.
#[derive(Default)]
pub struct MassParts<'a, 'i> {
    /// Its `inertial` element.
    pub given: Option<Inertia>,
    /// Its geoms that have mass.
    pub geoms: Vec<Inertia>,
    /// A geom of which the mass is not known.
    pub unknown: Option<Node<'a, 'i>>,
}

impl MassParts<'_, '_> {
    /// The mass of the body, as the compiler options say.
    pub fn decide(&self, name: &str, node: Node<'_, '_>, settings: &Settings, log: &mut Log) -> Inertia {
        let from_geoms = match settings.from_geoms {
            FromGeoms::Always => true,
            FromGeoms::Never => false,
            FromGeoms::Auto => self.given.is_none(),
        };
        if let (true, Some(unknown)) = (from_geoms, self.unknown) {
            let message = format!("the mass of `{name}` needs this geom, and meshes and shells are not read");
            log.advise(Code::NotImported, span(unknown), message, "give the body its `<inertial>`");
        }
        let made = match (from_geoms, &self.given) {
            (true, _) if self.geoms.is_empty() => Inertia::default(),
            (true, _) => Inertia::joined(&self.geoms),
            (false, given) => given.unwrap_or_default(),
        };
        bounded(made, name, node, settings, log)
    }
}

/// `boundmass`, `boundinertia` and `balanceinertia`.
fn bounded(made: Inertia, name: &str, node: Node<'_, '_>, settings: &Settings, log: &mut Log) -> Inertia {
    let (least_mass, least_inertia) = settings.bounds;
    let mut made = made;
    if made.mass < least_mass {
        made.mass = least_mass;
        let message = format!("the mass of `{name}` is raised to {least_mass} by `boundmass`");
        log.say(Code::ImportAssumed, span(node), message);
    }
    let (moments, axes) = made.principal();
    if moments.iter().any(|moment| *moment < least_inertia) {
        made = made.with_principal(&moments.map(|moment| moment.max(least_inertia)), &axes);
        let message = format!("inertias of `{name}` are raised to {least_inertia} by `boundinertia`");
        log.say(Code::ImportAssumed, span(node), message);
    }
    let (moments, axes) = made.principal();
    if settings.balance && !is_possible(&moments) {
        let mean = moments.iter().sum::<f64>() / 3.0;
        made = made.with_principal(&[mean; 3], &axes);
        let message = format!("the inertias of `{name}` are set to their mean by `balanceinertia`");
        log.say(Code::ImportAssumed, span(node), message);
    }
    made
}
