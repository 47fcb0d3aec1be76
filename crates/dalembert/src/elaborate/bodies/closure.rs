//! Joints that close loops (B2): rows at position level, and what the coordinates of such a joint are.
//!
//! With the places F on the first body and G on the second, d the vector from F to G in the axes of F and R the axes of
//! G there:
//!
//! ```text
//! points      d_k = 0 across what slides             multiplier: force on the second body at G
//! direction   n . (u x R u) = 0, n across u          multiplier: torque about n
//! turn        (R_32 - R_23)/2 = 0 and in turn        multiplier: torque
//! ```
//!
//! Gradients of these rows do not vanish where they hold, as those of the diagonal of R = 1 do. They also hold for axes
//! that point opposite ways and for half turns; `same_way` says which of the two it is.

use super::super::scope::Binding;
use super::super::{Elaborator, Fallible};
use super::algebra::{Motion, across, add, apply, cross, dot, scale, screw_lead, sub, transposed};
use super::motion::BodyMotion;
use crate::bodies::{ClosureRow, FixedFreedom, Joint, JointKind, JointRole, Matrix3, Vector, ZERO};
use crate::system::{Constraint, ConstraintRow};
use dalembert_expr::{Expr, Pool, Rational};
use dalembert_syntax::ast;
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;

/// Constant residuals of a closure, in metres and sines, up to which they are rounding of the places given.
const ROUNDING: f64 = 1e-14;

/// The second place of a joint as seen from the first.
pub(super) struct Gap {
    pub d: Vector,
    pub R: Matrix3,
}

impl Elaborator<'_> {
    /// A joint that closes a loop: its freedoms are values and not coordinates.
    pub(super) fn cut_joint(&mut self, slot: usize, joint: Joint) -> Fallible<()> {
        let (name, span) = (joint.name.clone(), joint.span);
        let parts = joint.kind.coordinates(self.bodies.plan.is_plane);
        for (k, part) in parts.iter().enumerate() {
            let name = if part.is_empty() { name.clone() } else { format!("{name}.{part}") };
            self.declare(&name, Binding::Freedom(slot, k), span)?;
        }
        for (k, part) in joint.kind.speeds(self.bodies.plan.is_plane).iter().enumerate() {
            self.declare(&format!("{name}.{part}"), Binding::FreedomSpeed(slot, k), span)?;
        }
        if parts.len() != 1 {
            self.declare(&name, Binding::Joint, span)?;
        }
        self.bodies.joints[slot] = Some(joint);
        Ok(())
    }

    pub(super) fn gap(&mut self, joint: &Joint, span: Span) -> Fallible<Gap> {
        let (first, second) = (self.motion(joint.first.body, span)?, self.motion(joint.second.body, span)?);
        Ok(self.gap_between(joint, &first, &second))
    }

    /// The gap as the model sees it: where reactions are asked for, its bodies are released.
    pub(super) fn seen_gap(&mut self, joint: &Joint, span: Span) -> Fallible<Gap> {
        let first = self.seen_motion(joint.first.body, span)?;
        let second = self.seen_motion(joint.second.body, span)?;
        Ok(self.gap_between(joint, &first, &second))
    }

    fn gap_between(&mut self, joint: &Joint, first: &BodyMotion, second: &BodyMotion) -> Gap {
        let pool = &mut self.pool;
        let [f, g] = [(first, &joint.first), (second, &joint.second)].map(|(body, place)| {
            let body = Motion { R: body.R, p: body.p, ..Motion::REST };
            body.then(pool, &Motion::fixed(&place.at, &place.turned))
        });
        let apart = sub(pool, &g.p, &f.p);
        let back = transposed(&f.R);
        Gap { d: apply(pool, &back, &apart), R: super::algebra::product(pool, &back, &g.R) }
    }

    /// The rows of all cut joints, as constraints named by their joint.
    pub(super) fn close_loops(&mut self) -> Fallible<()> {
        for slot in 0..self.bodies.joints.len() {
            let Some(joint) = self.bodies.joints[slot].clone() else { continue };
            if joint.role == (JointRole::Cut { constraint: None }) {
                self.close_loop(slot, &joint)?;
            }
        }
        Ok(())
    }

    /// The rows of a cut joint that is named before all have been read.
    pub(in super::super) fn close_loop_of(&mut self, target: &str) -> Fallible<()> {
        let joint = target.split_once('.').map_or(target, |(joint, _)| joint);
        let Some(&slot) = self.bodies.plan.joint_of.get(joint) else { return Ok(()) };
        let Some(joint) = self.bodies.joints[slot].clone() else { return Ok(()) };
        match joint.role == (JointRole::Cut { constraint: None }) {
            true => self.close_loop(slot, &joint),
            false => Ok(()),
        }
    }

    /// Whether a joint that carries its body, or a part of one, is called so.
    pub(in super::super) fn is_carrying_joint(&self, target: &str) -> bool {
        let joint = target.split_once('.').map_or(target, |(joint, _)| joint);
        let slot = self.bodies.plan.joint_of.get(joint);
        let joint = slot.and_then(|slot| self.bodies.joints[*slot].as_ref());
        joint.is_some_and(|joint| matches!(joint.role, JointRole::Carries { .. }))
    }

    fn close_loop(&mut self, slot: usize, joint: &Joint) -> Fallible<()> {
        let gap = self.gap(joint, joint.span)?;
        let (rows, same_way, shapes) = self.closure_rows(joint, &gap);
        let (first, group, span) = (self.constraints.rows.len(), self.constraints.list.len(), joint.span);
        self.limit(first + rows.len(), "constraint rows", span)?;
        for (part, residual) in rows {
            let name = format!("{}.{part}", joint.name);
            let residual = self.without_rounding(residual);
            self.constraints.row_by_name.entry(name.clone()).or_insert(self.constraints.rows.len());
            let kind = UnitInfo::Missing;
            self.constraints.rows.push(ConstraintRow {
                name,
                residual,
                kind,
                holonomic: true,
                on_accelerations: false,
                constraint: group,
                span,
            });
        }
        self.constraints.by_name.insert(joint.name.clone(), group);
        self.constraints.list.push(Constraint {
            name: joint.name.clone(),
            rows: first..self.constraints.rows.len(),
            span,
        });
        if let Some(joint) = &mut self.bodies.joints[slot] {
            joint.role = JointRole::Cut { constraint: Some(group) };
            (joint.same_way, joint.rows) = (same_way, shapes);
        }
        if self.keeps_places() { self.place_closure(joint, &gap, first) } else { Ok(()) }
    }

    /// The forces of a closure on both of its bodies, row by row: at its point on the second, and at the place of the
    /// first that is there, which is the point of the first moved along what the joint leaves free.
    fn place_closure(&mut self, joint: &Joint, gap: &Gap, first_row: usize) -> Fallible<()> {
        let size = if self.bodies.plan.is_plane { 2 } else { 3 };
        let (first, second) = (self.pose(&joint.first, joint.span)?, self.pose(&joint.second, joint.span)?);
        let pool = &mut self.pool;
        let (directions, free) = if joint.kind == JointKind::Rod {
            let square = dot(pool, &gap.d, &gap.d);
            let length = pool.sqrt(square);
            let inverse = pool.div(Pool::ONE, length);
            (vec![scale(pool, inverse, &gap.d)], ZERO)
        } else {
            let held: Vec<Vector> = held_points(pool, joint, size == 2).into_iter().map(|(_, n)| n).collect();
            let free = held.iter().fold(gap.d, |free, n| {
                let along = dot(pool, n, &gap.d);
                let part = scale(pool, along, n);
                sub(pool, &free, &part)
            });
            (held, if held_all(joint.kind) { ZERO } else { free })
        };
        // A joint to the ground that holds the direction acts at the point of its body: where on the line of the joint is
        // a matter of the couple.
        let holds_turns = matches!(joint.kind, JointKind::Slider | JointKind::Cylindrical);
        let free = if joint.second.body.is_none() && holds_turns { ZERO } else { free };
        let moved = apply(pool, &first.R, &free);
        let there = add(pool, &first.p, &moved);
        for (k, n) in directions.into_iter().enumerate() {
            let force = apply(&mut self.pool, &first.R, &n);
            let back = force.map(|e| self.pool.neg(e));
            for (body, at, force) in [(joint.second.body, second.p, force), (joint.first.body, there, back)] {
                if body.is_some() {
                    let (at, force) = (at[..size].to_vec(), force[..size].to_vec());
                    self.place_row_force(&joint.name, first_row + k, at, force);
                }
            }
        }
        Ok(())
    }

    /// A row that is a number holds or does not, wherever the bodies are; decimals on both sides leave rounding.
    fn without_rounding(&self, residual: Expr) -> Expr {
        let number = self.pool.as_number(residual).map(Rational::to_f64);
        if number.is_some_and(|r| r.abs() <= ROUNDING) { Pool::ZERO } else { residual }
    }

    /// Rows by the names of their parts, what must be positive besides, and what the rows hold.
    fn closure_rows(
        &mut self,
        joint: &Joint,
        gap: &Gap,
    ) -> (Vec<(String, Expr)>, Vec<Expr>, Vec<ClosureRow>) {
        let (mut rows, mut same_way, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
        let is_plane = self.bodies.plan.is_plane;
        let pool = &mut self.pool;
        if joint.kind == JointKind::Rod {
            let (square, length) = (dot(pool, &gap.d, &gap.d), joint.size.unwrap_or(Pool::ZERO));
            let distance = pool.sqrt(square);
            let row = ("force".to_owned(), pool.sub(distance, length));
            return (vec![row], same_way, vec![ClosureRow::Distance]);
        }
        for (name, n) in held_points(pool, joint, is_plane) {
            rows.push((format!("force.{name}"), dot(pool, &n, &gap.d)));
            shapes.push(ClosureRow::Along(n));
        }
        for (name, residual) in held_turns(pool, joint, &gap.R, is_plane, &mut same_way) {
            rows.push((format!("torque.{name}"), residual));
        }
        shapes.extend(held_directions(pool, joint, is_plane));
        if joint.kind == JointKind::Screw {
            let (turn, slide) = (self.freedom(joint, gap, 0), dot(&mut self.pool, &joint.axes[0], &gap.d));
            let lead = screw_lead(&mut self.pool, joint.size);
            let advance = self.pool.mul(lead, turn);
            let along = self.pool.sub(slide, advance);
            rows.push(("force.along".to_owned(), along));
            shapes.push(ClosureRow::Other);
        }
        (rows, same_way, shapes)
    }

    /// A starting value of a joint that closes a loop: it chooses between ways to close it. A value that is fixed must
    /// agree with what the other joints give; that is checked when the loop has been closed.
    pub(in super::super) fn guess_freedom(
        &mut self,
        on: Binding,
        name: &str,
        item: &ast::Initial,
        guess: Expr,
    ) -> Fallible<()> {
        let is_speed = item.order > 0 || matches!(on, Binding::FreedomSpeed(..));
        if item.fixed && is_speed {
            let message = format!("`{name}` closes a loop: its rate follows from those of the other joints");
            let d = Diagnostic::error(Code::InitialUnknown, item.target.span, message);
            return self
                .fail(d.help("fix another joint of the loop, write `~`, or mark another joint with `cut`"));
        }
        if !is_speed {
            let slides = match on {
                Binding::Freedom(slot, k) => self.slides(slot, k),
                _ => false,
            };
            let value = self.unreleased_value(on, name, item.target.span)?;
            self.bodies.guesses.push((value, guess));
            if item.fixed {
                let (name, span) = (name.to_owned(), item.target.span);
                self.bodies.fixed_freedoms.push(FixedFreedom { value, given: guess, slides, name, span });
            }
        }
        Ok(())
    }

    /// Whether a freedom is a displacement, for which whole turns mean nothing.
    fn slides(&self, slot: usize, k: usize) -> bool {
        let kind = self.bodies.joints[slot].as_ref().map(|joint| joint.kind);
        let part = kind.and_then(|kind| kind.coordinates(self.bodies.plan.is_plane).get(k).copied());
        kind.zip(part).is_some_and(|(kind, part)| slides(kind, part))
    }

    /// What a freedom of a cut joint is, as a function of the other coordinates.
    pub(super) fn freedom(&mut self, joint: &Joint, gap: &Gap, k: usize) -> Expr {
        let is_plane = self.bodies.plan.is_plane;
        let part = joint.kind.coordinates(is_plane).get(k).copied().unwrap_or_default();
        let axis = joint.axes.first().copied().unwrap_or(super::algebra::unit(2));
        match (joint.kind, part) {
            (JointKind::Slider, _) | (_, "slide") => dot(&mut self.pool, &axis, &gap.d),
            (JointKind::Planar, "x" | "y") => {
                let axes = across(&mut self.pool, &axis);
                dot(&mut self.pool, &axes[k], &gap.d)
            }
            (_, "x" | "y" | "z") => gap.d[k],
            (_, "e0" | "e1" | "e2" | "e3") => self.quaternion_of(&gap.R, part),
            (JointKind::Universal, "first") => {
                // R v = rot(u, a) v: v stays across u.
                let (u, v) = (joint.axes[0], joint.axes[1]);
                let image = apply(&mut self.pool, &gap.R, &v);
                self.angle_between(&v, &image, &u)
            }
            (JointKind::Universal, _) => {
                let (u, v) = (joint.axes[0], joint.axes[1]);
                let back = transposed(&gap.R);
                let image = apply(&mut self.pool, &back, &u);
                let angle = self.angle_between(&u, &image, &v);
                self.pool.neg(angle)
            }
            _ => {
                let n = across(&mut self.pool, &axis)[0];
                let image = apply(&mut self.pool, &gap.R, &n);
                self.angle_between(&n, &image, &axis)
            }
        }
    }

    /// The angle from `a` to `b` about an axis, all of length 1 and the vectors across it.
    fn angle_between(&mut self, a: &Vector, b: &Vector, axis: &Vector) -> Expr {
        let turned = cross(&mut self.pool, a, b);
        let (sine, cosine) = (dot(&mut self.pool, axis, &turned), dot(&mut self.pool, a, b));
        self.angle_of(sine, cosine)
    }

    /// The quaternion of a rotation, with a scalar part that is not negative.
    fn quaternion_of(&mut self, R: &Matrix3, part: &str) -> Expr {
        let pool = &mut self.pool;
        let trace = pool.total([Pool::ONE, R[0][0], R[1][1], R[2][2]]);
        let root = pool.sqrt(trace);
        let twice = pool.scale(root, Rational::from(2));
        let (i, j) = match part {
            "e0" => return pool.scale(root, Rational::HALF),
            "e1" => (2, 1),
            "e2" => (0, 2),
            _ => (1, 0),
        };
        let skew = pool.sub(R[i][j], R[j][i]);
        pool.div(skew, twice)
    }
}

/// Whether the coordinate of a joint is a displacement.
pub(super) fn slides(kind: JointKind, part: &str) -> bool {
    kind == JointKind::Slider || !matches!(part, "" | "turn" | "first" | "second")
}

/// Directions along which the two points of a joint stay together, with their names.
pub(super) fn held_points(pool: &mut Pool, joint: &Joint, is_plane: bool) -> Vec<(&'static str, Vector)> {
    let all = ["x", "y", "z"];
    let whole = if is_plane { 2 } else { 3 };
    match joint.kind {
        JointKind::Free | JointKind::FreePoint | JointKind::Rod => Vec::new(),
        JointKind::Planar if is_plane => Vec::new(),
        JointKind::Planar => vec![(axis_name(&joint.axes[0]), joint.axes[0])],
        JointKind::Slider if is_plane => {
            let [x, y, _] = joint.axes[0];
            let n = [pool.neg(y), x, Pool::ZERO];
            vec![(if y == Pool::ZERO { "y" } else { "x" }, n)]
        }
        JointKind::Slider | JointKind::Cylindrical | JointKind::Screw => named_across(pool, &joint.axes[0]),
        _ => (0..whole).map(|k| (all[k], super::algebra::unit(k))).collect(),
    }
}

/// Whether a joint leaves no displacement free.
fn held_all(kind: JointKind) -> bool {
    matches!(kind, JointKind::Pin | JointKind::Universal | JointKind::Ball | JointKind::Weld)
}

/// Residuals of the turns that a joint holds, with their names.
fn held_turns(
    pool: &mut Pool,
    joint: &Joint,
    R: &Matrix3,
    is_plane: bool,
    same_way: &mut Vec<Expr>,
) -> Vec<(&'static str, Expr)> {
    let skew = |pool: &mut Pool, i: usize, j: usize| {
        let difference = pool.sub(R[i][j], R[j][i]);
        pool.scale(difference, Rational::HALF)
    };
    match (joint.kind, is_plane) {
        (JointKind::Weld | JointKind::Slider, true) => {
            same_way.push(R[0][0]);
            vec![("z", R[1][0])]
        }
        (_, true) | (JointKind::Ball | JointKind::Free | JointKind::FreePoint | JointKind::Rod, _) => {
            Vec::new()
        }
        (JointKind::Weld | JointKind::Slider, _) => {
            let trace = pool.total([R[0][0], R[1][1], R[2][2]]);
            same_way.push(trace);
            [("x", 2, 1), ("y", 0, 2), ("z", 1, 0)].map(|(name, i, j)| (name, skew(pool, i, j))).to_vec()
        }
        (JointKind::Universal, _) => {
            let (u, v) = (joint.axes[0], joint.axes[1]);
            let image = apply(pool, R, &v);
            let n = cross(pool, &u, &v);
            let cosine = dot(pool, &u, &image);
            // The torque about u x v that keeps them at right angles grows as minus the cosine.
            vec![(axis_name(&n), pool.neg(cosine))]
        }
        _ => {
            let u = joint.axes[0];
            let image = apply(pool, R, &u);
            same_way.push(dot(pool, &u, &image));
            let turned = cross(pool, &u, &image);
            let across = named_across(pool, &u);
            across.into_iter().map(|(name, n)| (name, dot(pool, &n, &turned))).collect()
        }
    }
}

/// Residuals of a closure (B2) as products of directions that are fixed on either side.
fn held_directions(pool: &mut Pool, joint: &Joint, is_plane: bool) -> Vec<ClosureRow> {
    let unit = super::algebra::unit;
    match (joint.kind, is_plane) {
        (JointKind::Weld | JointKind::Slider, true) => vec![ClosureRow::Across(vec![(unit(1), unit(0))])],
        (_, true) | (JointKind::Ball | JointKind::Free | JointKind::FreePoint | JointKind::Rod, _) => {
            Vec::new()
        }
        (JointKind::Weld | JointKind::Slider, _) => {
            let half = |pool: &mut Pool, k: usize, sign: Rational| {
                let c = pool.number(&Rational::HALF * &sign);
                scale(pool, c, &unit(k))
            };
            let mut skew = |i: usize, j: usize| {
                let (plus, minus) = (half(pool, i, Rational::ONE), half(pool, j, Rational::MINUS_ONE));
                ClosureRow::Across(vec![(plus, unit(j)), (minus, unit(i))])
            };
            vec![skew(2, 1), skew(0, 2), skew(1, 0)]
        }
        (JointKind::Universal, _) => {
            let u = super::algebra::neg(pool, &joint.axes[0]);
            vec![ClosureRow::Across(vec![(u, joint.axes[1])])]
        }
        _ => {
            let u = joint.axes[0];
            let across = named_across(pool, &u);
            let row = |(_, n): (_, Vector)| ClosureRow::Across(vec![(cross(pool, &n, &u), u)]);
            across.into_iter().map(row).collect()
        }
    }
}

/// Directions in which a joint holds turns, in the axes of its first place (those of a universal joint move with it).
pub(super) fn held_torques(pool: &mut Pool, joint: &Joint, R: &Matrix3, is_plane: bool) -> Vec<Vector> {
    match (joint.kind, is_plane) {
        (JointKind::Weld | JointKind::Slider, true) => vec![super::algebra::unit(2)],
        (_, true) | (JointKind::Ball | JointKind::Free | JointKind::FreePoint | JointKind::Rod, _) => {
            Vec::new()
        }
        (JointKind::Weld | JointKind::Slider, _) => (0..3).map(super::algebra::unit).collect(),
        (JointKind::Universal, _) => {
            let image = apply(pool, R, &joint.axes[1]);
            vec![cross(pool, &joint.axes[0], &image)]
        }
        _ => named_across(pool, &joint.axes[0]).into_iter().map(|(_, n)| n).collect(),
    }
}

/// Two directions across an axis: the other two axes of the joint where it is one of them, else any, called x and y.
fn named_across(pool: &mut Pool, u: &Vector) -> Vec<(&'static str, Vector)> {
    let negative = u.map(|e| pool.neg(e));
    match (0..3).find(|&k| *u == super::algebra::unit(k) || negative == super::algebra::unit(k)) {
        Some(k) => {
            let others = (0..3).filter(|&i| i != k);
            others.map(|i| (["x", "y", "z"][i], super::algebra::unit(i))).collect()
        }
        None => {
            let axes = across(pool, u);
            vec![("x", axes[0]), ("y", axes[1])]
        }
    }
}

fn axis_name(u: &Vector) -> &'static str {
    let along = |k: usize| (0..3).all(|i| i == k || u[i] == Pool::ZERO);
    ["x", "y", "z"][(0..3).find(|&k| along(k)).unwrap_or(2)]
}
