//! Which bodies move as one: what is fixed to a body is part of it, what is fixed to the ground is part of that.
//!
//! Masses are added up in the axes of the body that moves. A joint that carries nothing of mass would move in a way that nothing
//! determines; it is fixed instead, and said.

use crate::inertia::{Inertia, is_possible};
use crate::robot::{JointId, Robot};
use crate::turn::Place;
use crate::xml::Log;
use dalembert_syntax::diagnostic::Code;
use std::collections::HashSet;

/// Inertias below this, for a mass of 1 kg, are what is left of a subtraction: their radius of gyration is 30 nm.
const ROUNDING: f64 = 1e-15;

/// How bodies are merged.
pub struct Merged {
    /// Whether a body is fixed on its parent.
    pub is_fixed: Vec<bool>,
    /// The body that each is a part of (none: the ground), and where it is on that.
    pub part_of: Vec<(Option<usize>, Place)>,
    /// Mass of each body that moves, with its parts.
    pub inertia: Vec<Inertia>,
    /// Mass of everything.
    pub total_mass: f64,
    /// Mass that is fixed to the ground.
    pub ground_mass: f64,
}

/// Finds what moves as one.
pub fn merge(robot: &Robot, log: &mut Log) -> Merged {
    let is_fixed = fixed(robot, log);
    let mut part_of: Vec<(Option<usize>, Place)> = Vec::with_capacity(robot.bodies.len());
    let mut parts: Vec<Vec<Inertia>> = robot.bodies.iter().map(|_| Vec::new()).collect();
    let mut ground = Vec::new();
    for (b, body) in robot.bodies.iter().enumerate() {
        let on = match (is_fixed[b], body.parent) {
            (false, _) => (Some(b), Place::ORIGIN),
            (true, None) => (None, body.place),
            (true, Some(parent)) => {
                let (whole, place) = part_of[parent];
                (whole, place.then(&body.place))
            }
        };
        part_of.push(on);
        if body.inertia.is_none() {
            if is_fixed[b] {
                continue;
            }
        } else if on.0 != Some(b) {
            let whole =
                on.0.map_or("the ground".to_owned(), |whole| format!("`{}`", robot.bodies[whole].name));
            let message = format!(
                "`{}` ({} kg) is fixed and becomes a part of {whole}",
                body.name,
                crate::algebra::rounded(body.inertia.mass)
            );
            log.say(Code::ImportMerged, body.span, message);
        }
        let moved = body.inertia.placed(&on.1.at, &on.1.turn.matrix());
        let moved = if on.1.is_origin() { body.inertia } else { moved };
        match on.0 {
            Some(whole) => parts[whole].push(moved),
            None => ground.push(moved),
        }
    }
    let massive = |list: &Vec<Inertia>| {
        let kept: Vec<Inertia> = list.iter().filter(|part| !part.is_none()).copied().collect();
        if kept.is_empty() { Inertia::default() } else { Inertia::joined(&kept) }
    };
    let mut inertia: Vec<Inertia> = parts.iter().map(massive).collect();
    for (b, whole) in inertia.iter_mut().enumerate() {
        let size = whole.about_centre.as_flattened().iter().fold(0.0, |m: f64, e| m.max(e.abs()));
        if size > 0.0 && size < ROUNDING * whole.mass {
            whole.about_centre = [[0.0; 3]; 3];
            let body = &robot.bodies[b];
            let message = format!(
                "the inertia of `{}` is rounding, {size:.0e} kg m^2, and is taken as zero",
                body.name
            );
            log.say(Code::ImportAssumed, body.span, message);
        }
    }
    check(robot, &is_fixed, &inertia, log);
    let total_mass = robot.bodies.iter().map(|body| body.inertia.mass).sum();
    let ground_mass = ground.iter().map(|part| part.mass).sum();
    Merged { is_fixed, part_of, inertia, total_mass, ground_mass }
}

/// Bodies that do not move on their parents: without joints, or with joints that carry nothing.
fn fixed(robot: &Robot, log: &mut Log) -> Vec<bool> {
    let mut has_mass: Vec<bool> = robot.bodies.iter().map(|body| !body.inertia.is_none()).collect();
    for b in (0..robot.bodies.len()).rev() {
        if let (true, Some(parent)) = (has_mass[b], robot.bodies[b].parent) {
            has_mass[parent] = true;
        }
    }
    let determined = determined(robot, &has_mass);
    let mut is_fixed = Vec::with_capacity(robot.bodies.len());
    for (b, body) in robot.bodies.iter().enumerate() {
        let idle = !(0..body.joints.len()).any(|k| determined.contains(&(b, k)));
        is_fixed.push(body.joints.is_empty() || idle);
        if idle && !body.joints.is_empty() {
            let name = body.joints[0].name.as_deref().unwrap_or(&body.name);
            let message =
                format!("`{name}` carries no mass, and nothing determines its motion: it is fixed at zero");
            log.advise(
                Code::ImportLeftOut,
                body.joints[0].span,
                message,
                format!("give `{}` its mass and inertia", body.name),
            );
        }
    }
    is_fixed
}

/// Joints whose motion something determines: inertia of their own, a closed loop, or a joint that they are coupled to.
fn determined(robot: &Robot, has_mass: &[bool]) -> HashSet<JointId> {
    let closed = |b: usize| robot.closures.iter().any(|c| [c.first.0, c.second.0].contains(&Some(b)));
    let mut found = HashSet::new();
    for (b, body) in robot.bodies.iter().enumerate() {
        let moved = has_mass[b] || closed(b);
        let joints = body.joints.iter().enumerate().filter(|(_, joint)| moved || joint.armature > 0.0);
        found.extend(joints.map(|(k, _)| (b, k)));
    }
    loop {
        let before = found.len();
        for coupling in &robot.couplings {
            let ends = [Some(coupling.follower), coupling.leader];
            if coupling.leader.is_none() || ends.iter().flatten().any(|id| found.contains(id)) {
                found.extend(ends.into_iter().flatten());
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Inertias that no body has, and free roots that have none.
fn check(robot: &Robot, is_fixed: &[bool], inertia: &[Inertia], log: &mut Log) {
    for (b, body) in robot.bodies.iter().enumerate().filter(|(b, _)| !is_fixed[*b]) {
        let (moments, _) = inertia[b].principal();
        if !is_possible(&moments) {
            let [x, y, z] = moments;
            let message = format!(
                "no body has the principal inertias {x:.6}, {y:.6} and {z:.6} that `{}` has",
                body.name
            );
            let help =
                "the largest is more than the others together, and `check` refuses it; correct the file";
            log.advise(Code::ImportInertia, body.span, message, help);
        }
        let is_root = body.parent.is_none() && body.joints.iter().any(|joint| joint.name.is_none());
        if is_root && inertia[b].is_none() {
            let message =
                format!("the free root `{}` has no mass, and its motion may not be determined", body.name);
            log.advise(Code::ImportInertia, body.span, message, "`--fixed-base` fixes it to the ground");
        }
    }
}
