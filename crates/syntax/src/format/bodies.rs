//! Statements about rigid bodies as text.

use super::expressions::{expr, factor, list, part_of_body, range, sum, target};
use crate::ast::{Body, BodyPart, Element, ElementPlace, Joint, JointOption, Place, Turn};

pub(super) fn body(body: &Body) -> String {
    let parts: Vec<String> = body.parts.iter().map(part).collect();
    format!("body {}: {}", target(&body.name), parts.join(" + "))
}

fn part(part: &BodyPart) -> String {
    let mut text = format!("{} {}", part.shape.text, part_of_body(&part.mass));
    let listed = part.shape.text == "mass";
    for (word, size) in &part.sizes {
        text.push_str(if listed { ", " } else { " " });
        text.push_str(&format!("{} {}", word.text, part_of_body(size)));
    }
    if part.about_origin {
        text.push_str(" about origin");
    }
    text
}

pub(super) fn place(place: &Place) -> String {
    let mut text = target(&place.body);
    if let Some(at) = &place.at {
        text.push_str(&format!(" at {}", expr(at)));
    }
    match &place.turned {
        Some(Turn::Axis(axis, angle)) => {
            text.push_str(&format!(" turned axis {} by {}", expr(axis), expr(angle)));
        }
        Some(Turn::Matrix(matrix)) => text.push_str(&format!(" turned {}", expr(matrix))),
        None => {}
    }
    text
}

pub(super) fn joint(joint: &Joint) -> String {
    let size = match (&joint.size, joint.kind.text.as_str()) {
        (Some(size), "screw") => format!(" pitch {}", factor(size)),
        (Some(size), _) => format!(" length {}", factor(size)),
        (None, _) => String::new(),
    };
    let (name, kind) = (target(&joint.name), &joint.kind.text);
    let mut text = format!("joint {name}: {kind}{size} {} to {}", place(&joint.first), place(&joint.second));
    for option in &joint.options {
        text.push_str(&format!(", {}", joint_option(option)));
    }
    text
}

fn joint_option(option: &JointOption) -> String {
    match option {
        JointOption::Axes(word, axes) => format!("{} {}", word.text, list(axes, expr)),
        JointOption::Limits(word, Some(of), over) => format!("{} {} {}", word.text, of.text, range(over)),
        JointOption::Limits(word, None, over) => format!("{} {}", word.text, range(over)),
        JointOption::Restitution(word, e) | JointOption::Armature(word, e) => {
            format!("{} {}", word.text, expr(e))
        }
        JointOption::Cut(word) => word.text.clone(),
    }
}

pub(super) fn element(element: &Element) -> String {
    let mut text =
        format!("{} {}: {}", element.kind.word(), target(&element.name), list(&element.values, expr));
    if let Some((word, rest)) = &element.rest {
        text.push_str(&format!(" {} {}", word.text, expr(rest)));
    }
    match &element.place {
        ElementPlace::Between(a, b) => text.push_str(&format!(" between {} and {}", sum(a), sum(b))),
        ElementPlace::At(joint) => text.push_str(&format!(" at {}", target(joint))),
    }
    text
}
