//! Joints of a body. Coordinates are those of MuJoCo less `ref`.

use super::places::angle;
use super::settings::{Element, Settings};
use crate::algebra::apply;
use crate::robot::{Joint, JointKind};
use crate::turn::Place;
use crate::xml::{Log, span, value_span};
use dalembert_syntax::diagnostic::Code;

/// Reads a `joint` of a body that a frame places in the body.
pub fn joint(element: &Element<'_, '_>, on: &Place, settings: &Settings, log: &mut Log) -> Joint {
    let node = element.node();
    let kinds = ["hinge", "slide", "ball", "free"];
    let kind = match log.word(element.with("type"), "type", &kinds) {
        Some("slide") => JointKind::Slider,
        Some("ball") => JointKind::Ball,
        Some("free") => JointKind::Free,
        _ => JointKind::Pin,
    };
    let mut joint = Joint::new(node.attribute("name").map(str::to_owned), span(node), kind);
    let at = log.array::<3>(element.with("pos"), "pos").unwrap_or([0.0; 3]);
    let axis = log.direction(element.with("axis"), "axis").unwrap_or([0.0, 0.0, 1.0]);
    if kind != JointKind::Free {
        joint.at = on.then(&Place { at, ..Place::ORIGIN }).at;
    }
    joint.axis = if on.is_origin() { axis } else { apply(&on.turn.matrix(), &axis) };
    joint.armature = log.positive(element.with("armature"), "armature").unwrap_or(0.0);
    dissipation(element, &mut joint, settings, log);
    range(element, &mut joint, settings, log);
    if log.list(element.with("springdamper"), "springdamper").is_some_and(|v| v.iter().any(|v| *v != 0.0)) {
        let message = "`springdamper` is left out: it depends on the inertia of the whole";
        let help = "give `stiffness` and `damping`";
        log.advise(
            Code::ImportLeftOut,
            value_span(element.with("springdamper"), "springdamper"),
            message,
            help,
        );
    }
    joint
}

/// An angle of a hinge in radians, or the length of a slide.
fn measure(value: f64, kind: JointKind, settings: &Settings) -> f64 {
    if kind == JointKind::Slider { value } else { angle(value, settings).value() }
}

/// A coefficient of which newer files may give more than one, for powers of the coordinate.
fn coefficient(element: &Element<'_, '_>, name: &str, log: &mut Log) -> f64 {
    let node = element.with(name);
    let values = log.list(node, name).unwrap_or_default();
    if values.iter().skip(1).any(|value| *value != 0.0) {
        let message = format!("`{name}` is left out beyond its first coefficient");
        log.say(Code::ImportLeftOut, value_span(node, name), message);
    }
    let value = values.first().copied().unwrap_or(0.0);
    if value < 0.0 {
        log.say(Code::BadXmlValue, value_span(node, name), format!("`{name}` cannot be negative"));
    }
    value.max(0.0)
}

/// Damping, dry friction and springs.
fn dissipation(element: &Element<'_, '_>, joint: &mut Joint, settings: &Settings, log: &mut Log) {
    let off = |flag: &str, value: f64| if settings.is_disabled(flag) { 0.0 } else { value };
    joint.reference = match joint.kind.is_single() {
        true => measure(element.scalar("ref", log).unwrap_or(0.0), joint.kind, settings),
        false => 0.0,
    };
    joint.damping = off("damper", coefficient(element, "damping", log));
    joint.friction =
        off("frictionloss", log.positive(element.with("frictionloss"), "frictionloss").unwrap_or(0.0));
    let stiffness = off("spring", coefficient(element, "stiffness", log));
    if stiffness == 0.0 {
        return;
    }
    if joint.kind.is_single() {
        let slack = measure(element.scalar("springref", log).unwrap_or(0.0), joint.kind, settings);
        joint.spring = Some((stiffness, slack - joint.reference));
    } else {
        let message = "the spring of a ball or free joint is left out";
        let help = "a `bushing` between two frames is a spring of the language that acts on turns";
        log.advise(Code::ImportLeftOut, value_span(element.with("stiffness"), "stiffness"), message, help);
    }
}

/// Limits, less the reference.
fn range(element: &Element<'_, '_>, joint: &mut Joint, settings: &Settings, log: &mut Log) {
    let found = element.range("range", "limited", settings.autolimits, log);
    let drive = element.range("actuatorfrcrange", "actuatorfrclimited", settings.autolimits, log);
    joint.drive_range = drive.filter(|_| joint.kind.is_single());
    let Some((low, high)) = found else { return };
    if settings.is_disabled("limit") {
        let message = "this limit is switched off by a flag of the file";
        log.say(Code::ImportIgnored, value_span(element.with("range"), "range"), message);
    } else if joint.kind.is_single() {
        let shifted = |value: f64| measure(value, joint.kind, settings) - joint.reference;
        joint.limits = Some((shifted(low), shifted(high)));
    } else {
        let message = "a limit of a ball joint is left out";
        log.say(Code::ImportLeftOut, value_span(element.with("range"), "range"), message);
    }
}
