//! The tree of bodies as numbers of a tape, for recursions over it (B1, B4) in place of M and Q in symbols.
//!
//! Joints of several freedoms that are rates are chains of pins and sliders without inertia between them. The axes of a
//! link are those of its joint; bodies that are welded move with the link that carries them. Expressions of placements
//! and inertias are lowered, and constants among them folded. Where a joint does not lend itself to it (a ball that
//! carries its first body, speeds of the user's own on joints), there is no tree and symbols are used.

use crate::bodies::algebra::{across, quaternion, screw_lead};
use crate::bodies::{
    ClosureRow, Joint, JointKind, JointRole, Matrix3, Multibody, Placement, Vector as Exprs,
};
use crate::system::System;
use dalembert_expr::{Expr, Symbol};
use dalembert_multibody::{ClosureRow as TracedRow, LinkPlace};
use dalembert_multibody::{Freedom, Link, Matrix, Num, PseudoInertia, Tracer, Tree, Vector, transposed};
use dalembert_tape::{Builder, Value};
use rustc_hash::FxHashMap;

/// Entries of fixed rotations this near to 0, 1 and -1 are these numbers.
const SNAP: f64 = 4e-16;

/// What is lowered for a tree, and how its joints move.
pub(super) struct TreePlan {
    bodies: Multibody,
    /// For each joint that carries: the quaternion's rotation, axes across, and the lead of a screw.
    shapes: Vec<JointShape>,
    /// The speed that is the rate of each coordinate.
    speed_of: Vec<Option<usize>>,
    /// Where declared speeds begin.
    declared: usize,
    /// Symbols of coordinates and speeds.
    x: Vec<Symbol>,
    eta: Vec<Symbol>,
}

#[derive(Clone, Copy, Default)]
struct JointShape {
    R: Option<Matrix3>,
    across: Option<[Exprs; 3]>,
    lead: Option<Expr>,
}

impl TreePlan {
    /// Of a system with bodies whose joints move by their own rates and speeds.
    pub fn of(system: &mut System) -> Option<TreePlan> {
        let bodies = system.bodies.clone()?;
        let mut speed_of = vec![None; system.frame.coordinates.len()];
        for (p, speed) in system.frame.speeds.iter().enumerate() {
            if let Some(i) = speed.rate_of {
                speed_of[i] = Some(p);
            }
        }
        let declared = system.frame.speeds.iter().filter(|s| s.rate_of.is_some()).count();
        let mut shapes = vec![JointShape::default(); bodies.joints.len()];
        for &j in &bodies.outward {
            let joint = &bodies.joints[j];
            let JointRole::Carries { reversed, .. } = joint.role else { return None };
            let pool = &mut system.pool;
            let shape = &mut shapes[j];
            if joint.speeds.is_empty() {
                if joint.coordinates.iter().any(|&i| speed_of[i].is_none()) {
                    return None;
                }
            } else if reversed {
                return None;
            } else {
                let e = &joint.coordinates[joint.coordinates.len() - 4..];
                let e: [Expr; 4] = std::array::from_fn(|k| pool.var(system.frame.coordinates[e[k]].symbol));
                shape.R = Some(quaternion(pool, &e));
            }
            if joint.kind == JointKind::Planar {
                shape.across = Some(across(pool, &joint.axes[0]));
            }
            if joint.kind == JointKind::Screw {
                shape.lead = Some(screw_lead(pool, joint.size));
            }
        }
        let x = system.frame.coordinates.iter().map(|c| c.symbol).collect();
        let eta = system.frame.speeds.iter().map(|s| s.symbol).collect();
        Some(TreePlan { bodies, shapes, speed_of, declared, x, eta })
    }

    /// Every expression that the tree is made of.
    pub fn expressions(&self, list: &mut Vec<Expr>) {
        let matrix = |list: &mut Vec<Expr>, m: &Matrix3| list.extend(m.iter().flatten());
        list.extend(self.bodies.gravity.iter().flatten());
        for body in &self.bodies.bodies {
            list.push(body.mass);
            list.extend(body.centre);
            matrix(list, &body.inertia);
        }
        for &j in &self.bodies.outward {
            let (joint, shape) = (&self.bodies.joints[j], &self.shapes[j]);
            for place in [&joint.first, &joint.second] {
                list.extend(place.at);
                matrix(list, &place.turned);
            }
            list.extend(joint.axes.iter().flatten());
            list.extend(shape.R.iter().chain(&shape.across).flatten().flatten());
            list.extend(shape.lead);
        }
        for joint in self.bodies.joints.iter().filter(|joint| !joint.rows.is_empty()) {
            for place in [&joint.first, &joint.second] {
                list.extend(place.at);
                matrix(list, &place.turned);
            }
            for row in &joint.rows {
                match row {
                    ClosureRow::Along(n) => list.extend(n),
                    ClosureRow::Across(pairs) => {
                        list.extend(pairs.iter().flat_map(|(f, g)| [f, g]).flatten())
                    }
                    ClosureRow::Distance | ClosureRow::Other => {}
                }
            }
        }
    }

    /// The tree alone, on a tape that begins with time, coordinates, speeds and parameters.
    pub fn tree(&self, system: &mut System, state: &[Symbol], tape: &mut Builder) -> Tree {
        let mut list = Vec::new();
        self.expressions(&mut list);
        let lowered = system.pool.lower_into(tape, state, &list);
        let values: FxHashMap<Expr, Value> = list.into_iter().zip(lowered).collect();
        self.build(tape, &values).0
    }

    /// The joint and the number of the row in it, where recursions know a row of the model.
    pub(crate) fn closure_of(&self, system: &System, row: usize) -> Option<(usize, usize)> {
        let constraint = system.constraints.rows[row].constraint;
        let closing = JointRole::Cut { constraint: Some(constraint) };
        let j = self.bodies.joints.iter().position(|joint| joint.role == closing)?;
        let k = row.checked_sub(system.constraints.named[constraint].rows.start)?;
        let known = self.bodies.joints[j].rows.get(k).is_some_and(|row| !matches!(row, ClosureRow::Other));
        known.then_some((j, k))
    }

    /// The tree, from the values of its expressions; inputs of the tape are time, coordinates, speeds, parameters.
    pub fn build(&self, tape: &mut Builder, values: &FxHashMap<Expr, Value>) -> (Tree, Vec<Closing>) {
        let inputs: Vec<Value> = (0..1 + self.x.len() + self.eta.len()).map(|k| tape.input(k)).collect();
        let mut t = Tracer::new(tape);
        let ground = Place { link: None, R: t.identity(), p: [Num::Zero; 3] };
        let mut build =
            Build { plan: self, values, inputs, places: Vec::new(), tree: Tree::default(), ground };
        build.places = vec![build.ground; self.bodies.bodies.len()];
        build.tree.speeds = self.eta.len();
        if let Some(field) = &self.bodies.gravity {
            build.tree.gravity = build.vector(&mut t, field);
        }
        for &j in &self.bodies.outward {
            build.joint(&mut t, j);
        }
        dalembert_multibody::regroup(&mut t, &mut build.tree);
        let closings = (0..self.bodies.joints.len()).map(|j| build.closing(&mut t, j)).collect();
        (build.tree, closings)
    }
}

/// A joint that closes a loop, in numbers; without rows where it carries a body.
pub(super) struct Closing {
    pub places: [LinkPlace; 2],
    pub rows: Vec<TracedRow>,
}

/// Where a body is on its link.
#[derive(Clone, Copy)]
struct Place {
    link: Option<usize>,
    R: Matrix,
    p: Vector,
}

struct Build<'a> {
    plan: &'a TreePlan,
    values: &'a FxHashMap<Expr, Value>,
    /// Time, coordinates, speeds.
    inputs: Vec<Value>,
    places: Vec<Place>,
    tree: Tree,
    ground: Place,
}

impl Build<'_> {
    fn num(&self, t: &mut Tracer<'_>, e: Expr) -> Num {
        t.given(self.values[&e])
    }

    fn vector(&self, t: &mut Tracer<'_>, v: &Exprs) -> Vector {
        v.map(|e| self.num(t, e))
    }

    fn matrix(&self, t: &mut Tracer<'_>, m: &Matrix3) -> Matrix {
        m.map(|row| self.vector(t, &row))
    }

    fn coordinate(&self, i: usize) -> Num {
        Num::Value(self.inputs[1 + i])
    }

    fn speed(&self, p: usize) -> Num {
        Num::Value(self.inputs[1 + self.plan.x.len() + p])
    }

    /// Adds the links of a joint and the body that it carries.
    fn joint(&mut self, t: &mut Tracer<'_>, j: usize) {
        let joint = &self.plan.bodies.joints[j];
        let JointRole::Carries { body, reversed } = joint.role else { return };
        let (from, to) = if reversed { (&joint.second, &joint.first) } else { (&joint.first, &joint.second) };
        let (own_axes, mut freedoms) = self.freedoms(t, j, joint);
        if reversed {
            freedoms.reverse();
            freedoms.iter_mut().for_each(|(freedom, _)| reverse(freedom));
        }
        let parent = from.body.map_or(self.ground, |b| self.places[b]);
        let (turned, at) = self.on_body(t, from, &own_axes);
        let at = moved(t, &parent, &at);
        let mut at = snapped_vector(t, &at);
        let turned = t.product(&parent.R, &turned);
        let mut turned = snapped(t, &turned);
        let mut link = parent.link;
        let identity = t.identity();
        for (freedom, speed) in freedoms {
            let inertia = PseudoInertia::NONE;
            self.tree.links.push(Link { parent: link, at, turned, freedom, inertia, speed });
            link = Some(self.tree.links.len() - 1);
            (at, turned) = ([Num::Zero; 3], identity);
        }
        // What is left is the place of the joint on the link; the body is behind it.
        let (behind, lever) = self.on_body(t, to, &own_axes);
        let back = transposed(&behind);
        let lever = t.apply3(&back, &lever).map(|c| -c);
        let joint_place = Place { link, R: turned, p: at };
        let R = t.product(&turned, &back);
        let p = moved(t, &joint_place, &lever);
        let place = Place { link, R: snapped(t, &R), p: snapped_vector(t, &p) };
        self.places[body] = place;
        self.add_inertia(t, body, &place);
    }

    fn add_inertia(&mut self, t: &mut Tracer<'_>, b: usize, place: &Place) {
        let body = &self.plan.bodies.bodies[b];
        let (mass, centre) = (self.num(t, body.mass), self.vector(t, &body.centre));
        let inertia = self.matrix(t, &body.inertia);
        let own = PseudoInertia::new(t, mass, &centre, &inertia);
        let moved = own.turned(t, &place.R).shifted(t, &place.p);
        let carrying = match place.link {
            Some(link) => &mut self.tree.links[link].inertia,
            None => &mut self.tree.ground,
        };
        *carrying = carrying.plus(t, &moved);
    }

    /// The axes of a joint on one of its bodies, and its origin there.
    fn on_body(&self, t: &mut Tracer<'_>, place: &Placement, own_axes: &Matrix) -> (Matrix, Vector) {
        let turned = self.matrix(t, &place.turned);
        (t.product(&turned, own_axes), self.vector(t, &place.at))
    }

    /// The rows of a joint that closes a loop; those known by their expressions alone hold nothing here.
    fn closing(&self, t: &mut Tracer<'_>, j: usize) -> Closing {
        let joint = &self.plan.bodies.joints[j];
        let rows: Vec<TracedRow> = joint
            .rows
            .iter()
            .map(|row| match row {
                ClosureRow::Along(n) => TracedRow::Along(self.vector(t, n)),
                ClosureRow::Across(pairs) => TracedRow::Across(
                    pairs.iter().map(|(f, g)| (self.vector(t, f), self.vector(t, g))).collect(),
                ),
                ClosureRow::Distance => TracedRow::Distance,
                ClosureRow::Other => TracedRow::Across(Vec::new()),
            })
            .collect();
        let places = match rows.is_empty() {
            true => [LinkPlace { link: None, at: [Num::Zero; 3], turned: self.ground.R }; 2],
            false => [&joint.first, &joint.second].map(|place| self.link_place(t, place)),
        };
        Closing { places, rows }
    }

    fn link_place(&self, t: &mut Tracer<'_>, place: &Placement) -> LinkPlace {
        let body = place.body.map_or(self.ground, |b| self.places[b]);
        let (turned, at) = (self.matrix(t, &place.turned), self.vector(t, &place.at));
        let (turned, at) = (t.product(&body.R, &turned), moved(t, &body, &at));
        LinkPlace { link: body.link, at: snapped_vector(t, &at), turned: snapped(t, &turned) }
    }

    /// Axes in which a joint turns about one of them, as columns, and its freedoms with their speeds.
    fn freedoms(&self, t: &mut Tracer<'_>, j: usize, joint: &Joint) -> (Matrix, Vec<(Freedom, usize)>) {
        let identity = t.identity();
        let shape = &self.plan.shapes[j];
        let speed = |k: usize| self.plan.speed_of[joint.coordinates[k]].unwrap_or(0);
        let turn = |axis: Vector, k: usize, lead: Num| {
            let (angle, rate) = (self.coordinate(joint.coordinates[k]), self.speed(speed(k)));
            (Freedom::Turn { axis, angle, rate, lead }, speed(k))
        };
        let slide = |axis: Vector, k: usize| {
            let (way, rate) = (self.coordinate(joint.coordinates[k]), self.speed(speed(k)));
            (Freedom::Slide { axis, way, rate }, speed(k))
        };
        let axes: Vec<Vector> = joint.axes.iter().map(|axis| self.vector(t, axis)).collect();
        match joint.kind {
            JointKind::Weld | JointKind::Rod => (identity, Vec::new()),
            JointKind::Pin | JointKind::Slider | JointKind::Cylindrical | JointKind::Screw => {
                let (own, axis) = aligned(t, &axes[0]);
                let lead = shape.lead.map_or(Num::Zero, |e| self.num(t, e));
                let list = match joint.kind {
                    JointKind::Slider => vec![slide(axis, 0)],
                    JointKind::Cylindrical => vec![slide(axis, 1), turn(axis, 0, Num::Zero)],
                    _ => vec![turn(axis, 0, lead)],
                };
                (own, list)
            }
            JointKind::Universal => {
                (identity, vec![turn(axes[0], 0, Num::Zero), turn(axes[1], 1, Num::Zero)])
            }
            JointKind::Planar | JointKind::Free if joint.speeds.is_empty() => {
                let own = shape.across.map_or(identity, |axes| transposed(&self.matrix(t, &axes)));
                let [x, y, z] = identity;
                (own, vec![slide(x, 0), slide(y, 1), turn(z, 2, Num::Zero)])
            }
            JointKind::FreePoint => {
                (identity, (0..joint.coordinates.len()).map(|k| slide(identity[k], k)).collect())
            }
            JointKind::Ball | JointKind::Free | JointKind::Planar => {
                let first = self.plan.declared + joint.speeds.first().copied().unwrap_or(0);
                let three = |k: usize| std::array::from_fn(|i| self.speed(first + k + i));
                let R = shape.R.map_or(identity, |R| self.matrix(t, &R));
                let freedom = match joint.kind {
                    JointKind::Ball => Freedom::Ball { R, w: three(0) },
                    _ => {
                        let p = std::array::from_fn(|i| self.coordinate(joint.coordinates[i]));
                        Freedom::Free { R, p, w: three(0), v: three(3) }
                    }
                };
                (identity, vec![(freedom, first)])
            }
        }
    }
}

/// A point of a place, in the axes of its link.
fn moved(t: &mut Tracer<'_>, place: &Place, at: &Vector) -> Vector {
    let turned = t.apply3(&place.R, at);
    t.add3(&place.p, &turned)
}

/// A joint seen from its other body: pins and sliders go the other way.
fn reverse(freedom: &mut Freedom) {
    if let Freedom::Turn { axis, .. } | Freedom::Slide { axis, .. } = freedom {
        *axis = axis.map(|c| -c);
    }
}

/// Axes with the third along a direction that is constant and not along one of them, and the direction in them.
fn aligned(t: &mut Tracer<'_>, axis: &Vector) -> (Matrix, Vector) {
    let identity = t.identity();
    let along = (0..3).any(|k| (0..3).all(|i| i == k || axis[i].is_zero()));
    let numbers: Option<Vec<f64>> = axis.iter().map(|c| t.constant_of(*c)).collect();
    let Some(u) = numbers.filter(|_| !along) else { return (identity, *axis) };
    let least = (0..3).min_by(|&a, &b| u[a].abs().total_cmp(&u[b].abs())).unwrap_or(0);
    let mut first = [0.0; 3];
    let (j, k) = ((least + 1) % 3, (least + 2) % 3);
    let length = u[j].hypot(u[k]);
    (first[j], first[k]) = (-u[k] / length, u[j] / length);
    let second: [f64; 3] = std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        u[j] * first[k] - u[k] * first[j]
    });
    let columns = [first.map(|c| t.constant(c)), second.map(|c| t.constant(c)), *axis];
    (transposed(&columns), identity[2])
}

/// A fixed rotation without the rounding of right angles.
fn snapped(t: &mut Tracer<'_>, a: &Matrix) -> Matrix {
    a.map(|row| {
        row.map(|entry| match t.constant_of(entry) {
            Some(c) if c.abs() < SNAP => Num::Zero,
            Some(c) if (c.abs() - 1.0).abs() < SNAP => t.constant(c.signum()),
            _ => entry,
        })
    })
}

/// A fixed point without components that are rounding of others.
fn snapped_vector(t: &mut Tracer<'_>, a: &Vector) -> Vector {
    let numbers = a.map(|c| t.constant_of(c));
    let largest = numbers.iter().flatten().fold(0.0f64, |m, c| m.max(c.abs()));
    std::array::from_fn(|i| match numbers[i] {
        Some(c) if c.abs() < SNAP * largest => Num::Zero,
        _ => a[i],
    })
}
