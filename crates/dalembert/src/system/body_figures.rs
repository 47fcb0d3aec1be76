//! What bodies and joints look like: solids in space and symbols of joints, as expressions over coordinates and parameters.
//!
//! Poses go outward along the tree (B1), without velocities; in the plane a body has one angle instead of a product of
//! rotations. A body without shapes, or of point masses alone, is drawn as sticks from the joint that carries it to its
//! other joints, or to its centre. Nothing here knows a motion or a screen.
//!
//! Checked by `crates/cli/tests/it/animate.rs`.

use crate::bodies::algebra::{across, add, apply, product, rotation, scale, unit};
use crate::bodies::motion::{JointVariables, Moving, relative_motion};
use crate::bodies::{
    Body, IDENTITY, Joint, JointKind, JointRole, Matrix3, Multibody, Placement, Solid, Vector, ZERO,
};
use crate::system::{DrawnPoint, Figure, SolidForm, System};
use dalembert_expr::{Expr, Pool};
use dalembert_syntax::units::UnitInfo;

/// Bodies that are drawn at most: poses of longer trees are large expressions.
pub(crate) const MAX_BODIES: usize = 400;

/// The solids of the bodies of a system and the symbols of its joints; none of a system without bodies. With `sticks` what
/// has no shape is drawn as sticks.
pub fn body_figures(system: &mut System, sticks: bool) -> Vec<Figure> {
    let Some(bodies) = &system.bodies else { return Vec::new() };
    if bodies.bodies.len() > MAX_BODIES {
        return Vec::new();
    }
    let pool = &mut system.pool;
    let coordinates = &system.frame.coordinates;
    let poses = poses(bodies, pool, |pool, joint| {
        joint.coordinates.iter().map(|&i| pool.var(coordinates[i].symbol)).collect()
    });
    let mut scene = Artist { pool, bodies, poses, figures: Vec::new() };
    for b in 0..bodies.bodies.len() {
        scene.body(b, sticks);
    }
    bodies.joints.iter().for_each(|joint| scene.joint(joint));
    scene.figures
}

/// Where a body is: its axes as columns, and its origin.
#[derive(Clone, Copy)]
struct Pose {
    R: Matrix3,
    p: Vector,
}

const GROUND: Pose = Pose { R: IDENTITY, p: ZERO };

fn poses(
    bodies: &Multibody,
    pool: &mut Pool,
    mut coordinates: impl FnMut(&mut Pool, &Joint) -> Vec<Expr>,
) -> Vec<Pose> {
    let mut moving = vec![Moving::GROUND; bodies.bodies.len()];
    let mut poses = vec![GROUND; bodies.bodies.len()];
    for &j in &bodies.outward {
        let joint = &bodies.joints[j];
        let JointRole::Carries { body, .. } = joint.role else { continue };
        let q = coordinates(pool, joint);
        let variables = JointVariables { rate: vec![Pool::ZERO; q.len()], speed: vec![Pool::ZERO; 6], q };
        let relative = relative_motion(pool, joint, &variables, bodies.is_plane);
        let parent = bodies.bodies[body].parent;
        let (at, before) = parent.map_or((Moving::GROUND, GROUND), |p| (moving[p], poses[p]));
        moving[body] = at.carry(pool, relative);
        let moved = apply(pool, &before.R, &relative.0.p);
        let R = match bodies.is_plane {
            true => rotation(pool, &unit(2), moving[body].angle),
            false => product(pool, &before.R, &relative.0.R),
        };
        poses[body] = Pose { R, p: add(pool, &before.p, &moved) };
    }
    poses
}

/// Draws one body and one joint after the other.
struct Artist<'s> {
    pool: &'s mut Pool,
    bodies: &'s Multibody,
    poses: Vec<Pose>,
    figures: Vec<Figure>,
}

impl Artist<'_> {
    fn pose(&self, body: Option<usize>) -> Pose {
        body.map_or(GROUND, |b| self.poses[b])
    }

    /// Components of a vector that a picture takes.
    fn shown(&self, v: Vector) -> Vec<Expr> {
        v[..if self.bodies.is_plane { 2 } else { 3 }].to_vec()
    }

    fn place(&mut self, name: &str, body: Option<usize>, at: &Vector) -> DrawnPoint {
        let Pose { R, p } = self.pose(body);
        let arm = apply(self.pool, &R, at);
        let at = add(self.pool, &p, &arm);
        DrawnPoint { name: name.to_owned(), at: self.shown(at), kind: UnitInfo::Number }
    }

    fn direction(&mut self, body: Option<usize>, along: &Vector) -> Vec<Expr> {
        let R = self.pose(body).R;
        let along = apply(self.pool, &R, along);
        self.shown(along)
    }

    fn body(&mut self, b: usize, sticks: bool) {
        let bodies = self.bodies;
        let body = &bodies.bodies[b];
        if sticks && body.solids.iter().all(|solid| matches!(solid, Solid::Point(_))) {
            self.sticks(b, body);
        }
        for solid in &body.solids {
            let figure = self.solid(b, &body.name, solid);
            self.figures.push(figure);
        }
    }

    fn solid(&mut self, b: usize, name: &str, solid: &Solid) -> Figure {
        let here = Some(b);
        let mut drawn = (SolidForm::Point, Vec::new(), None, Vec::new());
        match solid {
            Solid::Cylinder { from, to, radius } => {
                drawn.0 = if radius.is_some() { SolidForm::Cylinder } else { SolidForm::Rod };
                drawn.1 = vec![*from, *to];
                drawn.2 = *radius;
            }
            Solid::Ball { centre, radius } => {
                (drawn.0, drawn.1, drawn.2) = (SolidForm::Ball, vec![*centre], Some(*radius));
                drawn.3 = (0..3).map(unit).collect();
            }
            Solid::Disk { centre, axis, radius, is_hoop } => {
                drawn.0 = if *is_hoop { SolidForm::Hoop } else { SolidForm::Disk };
                (drawn.1, drawn.2) = (vec![*centre], Some(*radius));
                // A direction that turns with it, then its axis.
                let [mark, _, _] = across(self.pool, axis);
                drawn.3 = vec![mark, *axis];
            }
            Solid::Box { centre, size } => {
                (drawn.0, drawn.1) = (SolidForm::Box, vec![*centre]);
                drawn.3 = (0..3).map(|k| scale(self.pool, size[k], &unit(k))).collect();
            }
            Solid::Point(at) => drawn.1 = vec![*at],
        }
        let (form, places, radius, axes) = drawn;
        if self.bodies.is_plane && form == SolidForm::Box {
            return self.figure(name, form, here, &places, radius, &axes[..2]);
        }
        if self.bodies.is_plane && !axes.is_empty() {
            return self.figure(name, form, here, &places, radius, &axes[..1]);
        }
        self.figure(name, form, here, &places, radius, &axes)
    }

    fn figure(
        &mut self,
        name: &str,
        form: SolidForm,
        body: Option<usize>,
        places: &[Vector],
        radius: Option<Expr>,
        axes: &[Vector],
    ) -> Figure {
        let places = places.iter().map(|at| self.place(name, body, at)).collect();
        let axes = axes.iter().map(|axis| self.direction(body, axis)).collect();
        Figure::Solid { form, body: name.to_owned(), places, radius, axes }
    }

    /// From the joint that carries a body to the other joints on it, or to its centre.
    fn sticks(&mut self, b: usize, body: &Body) {
        let bodies = self.bodies;
        let on_body = |place: &Placement| (place.body == Some(b)).then_some(place.at);
        let carrier = &bodies.joints[body.joint];
        let Some(root) = on_body(&carrier.first).or_else(|| on_body(&carrier.second)) else { return };
        let others = bodies.joints.iter().enumerate().filter(|(j, _)| *j != body.joint);
        let mut ends: Vec<Vector> =
            others.flat_map(|(_, joint)| [on_body(&joint.first), on_body(&joint.second)]).flatten().collect();
        let points = body.solids.iter().filter_map(|solid| match solid {
            Solid::Point(at) => Some(*at),
            _ => None,
        });
        ends.extend(points);
        if ends.is_empty() {
            ends.push(body.centre);
        }
        let mut drawn: Vec<Vector> = vec![root];
        for end in ends {
            if !drawn.contains(&end) {
                drawn.push(end);
                let figure = self.figure(&body.name, SolidForm::Rod, Some(b), &[root, end], None, &[]);
                self.figures.push(figure);
            }
        }
    }

    /// The symbol of a joint at its place on the first body.
    fn joint(&mut self, joint: &Joint) {
        if matches!(joint.kind, JointKind::Free | JointKind::FreePoint) {
            return;
        }
        let first = &joint.first;
        let at = self.place(&joint.name, first.body, &first.at);
        let axes: Vec<Vec<Expr>> = joint
            .axes
            .iter()
            .map(|axis| {
                let turned = apply(self.pool, &first.turned, axis);
                self.direction(first.body, &turned)
            })
            .collect();
        // A slider slides: its box is where the second body is.
        let moves = matches!(
            joint.kind,
            JointKind::Slider | JointKind::Cylindrical | JointKind::Screw | JointKind::Planar
        );
        let second = match moves || joint.kind == JointKind::Rod {
            true => Some(self.place(&joint.name, joint.second.body, &joint.second.at)),
            false => None,
        };
        let grounded = first.body.is_none() || joint.second.body.is_none();
        let places = [at].into_iter().chain(second).collect();
        self.figures.push(Figure::Joint {
            kind: joint.kind,
            name: joint.name.clone(),
            places,
            axes,
            grounded,
        });
    }
}
