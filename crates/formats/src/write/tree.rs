//! Bodies, frames and joints, each after what it is on.

use super::Writer;
use crate::algebra::{Vec3, norm};
use crate::inertia::Inertia;
use crate::turn::{Place, Turn, number, vector};

impl Writer<'_> {
    pub(super) fn tree(&mut self) {
        let mut sites: Vec<Vec<usize>> = vec![Vec::new(); self.robot.bodies.len()];
        let mut on_ground = Vec::new();
        for (f, frame) in self.robot.frames.iter().enumerate() {
            match frame.body {
                Some(b) => sites[b].push(f),
                None => on_ground.push(f),
            }
        }
        self.line("");
        on_ground.into_iter().for_each(|f| self.site(f));
        for b in 0..self.robot.bodies.len() {
            if self.merged.is_fixed[b] {
                self.fixed_body(b);
            } else {
                self.moving_body(b);
            }
            sites[b].clone().into_iter().for_each(|f| self.site(f));
        }
    }

    /// The name of what a body is on.
    fn parent(&self, b: usize) -> String {
        self.robot.bodies[b].parent.map_or_else(|| "ground".to_owned(), |parent| self.bodies[parent].clone())
    }

    /// A body that does not move on its parent is a frame there; so is the joint that fixes it.
    fn fixed_body(&mut self, b: usize) {
        let body = &self.robot.bodies[b];
        let (parent, place, name) = (self.parent(b), body.place.text(), self.bodies[b].clone());
        let held = body.joints.first().and_then(|joint| Some((joint.name.clone()?, joint.span)));
        match body.mount.clone().or(held) {
            Some((mount, span)) => {
                let mount = self.names.of_file(&mount, "joint", span, self.log);
                self.line(format!("frame {mount}: {parent}{place}"));
                self.line(format!("frame {name}: {mount}"));
            }
            None => self.line(format!("frame {name}: {parent}{place}")),
        }
    }

    fn site(&mut self, f: usize) {
        let frame = &self.robot.frames[f];
        let on = frame.body.map_or("ground", |b| self.bodies[b].as_str());
        let line = format!("frame {}: {on}{}", self.frames[f], frame.place.text());
        self.line(line);
    }

    fn moving_body(&mut self, b: usize) {
        let (body, name) = (&self.robot.bodies[b], self.bodies[b].clone());
        let inertia = self.merged.inertia[b];
        let joints = &body.joints;
        // A body with several joints has a massless one between each two of them.
        let mut before = self.parent(b);
        let mut place = body.place;
        for (k, joint) in joints.iter().enumerate() {
            let last = k + 1 == joints.len();
            let after = match last {
                true => name.clone(),
                false => self.names.fresh(&format!("{name}_after_{}", self.joints[b][k]), "body"),
            };
            let own = if last { inertia } else { Inertia::default() };
            self.line(body_line(&after, &own));
            if joint.name.is_some() {
                let at = Place { at: joint.at, turn: Turn::None };
                let first = place.then(&at).text();
                let options = self.options(b, k);
                let line =
                    format!("joint {}: {} {before}{first} to {after}", self.joints[b][k], joint.kind.word());
                self.line(format!("{line}{}{options}", at.text()));
            }
            (before, place) = (after, Place::ORIGIN);
        }
    }

    /// Axis, limits and armature of a joint.
    fn options(&self, b: usize, k: usize) -> String {
        let joint = &self.robot.bodies[b].joints[k];
        let mut out = String::new();
        if joint.kind.is_single() || joint.kind == crate::robot::JointKind::Planar {
            // What rounding left of a sine is no direction.
            let size = norm(&joint.axis);
            let axis = joint.axis.map(|c| if c.abs() < 1e-15 * size { 0.0 } else { c });
            out.push_str(&format!(", axis {}", vector(&axis)));
        }
        if let Some((lower, upper)) = joint.limits {
            out.push_str(&format!(", limits {}..{}", number(lower), number(upper)));
        }
        if joint.armature != 0.0 {
            out.push_str(&format!(", armature {}", number(joint.armature)));
        }
        out
    }
}

fn body_line(name: &str, inertia: &Inertia) -> String {
    let mut out = format!("body {name}: mass {}", number(inertia.mass));
    if inertia.centre != [0.0; 3] {
        out.push_str(&format!(", centre {}", vector(&inertia.centre)));
    }
    let m = &inertia.about_centre;
    let diagonal: Vec3 = [m[0][0], m[1][1], m[2][2]];
    if [m[0][1], m[0][2], m[1][2]] != [0.0; 3] {
        let rows = m.map(|row| vector(&row));
        out.push_str(&format!(", inertia [{}]", rows.join(", ")));
    } else if diagonal != [0.0; 3] {
        out.push_str(&format!(", inertia {}", vector(&diagonal)));
    }
    out
}
