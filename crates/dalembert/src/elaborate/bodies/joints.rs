//! `frame` and `joint` statements: axes, coordinates of joints that carry a body, limits.

use super::super::scope::Binding;
use super::super::{Elaborator, Fallible, Part};
use super::algebra::{quaternion, unit};
use super::places::ROTATION_TOL;
use crate::bodies::{IDENTITY, Joint, JointKind, JointRole, Limit, Placement, Vector, ZERO};
use dalembert_expr::{Expr, Pool, Rational};
use dalembert_syntax::ast::{self, JointOption, Place, Target};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;

/// Twice the rates of a quaternion by angular velocities in the turned axes: which component, and its sign.
pub(super) const QUATERNION_RATES: [[(usize, i64); 3]; 4] = [
    [(1, -1), (2, -1), (3, -1)],
    [(0, 1), (3, -1), (2, 1)],
    [(3, 1), (0, 1), (1, -1)],
    [(2, -1), (1, 1), (0, 1)],
];

/// A joint whose places are the origins of its bodies.
pub(super) fn unplaced(name: &str, kind: JointKind, on: (Option<usize>, Option<usize>), span: Span) -> Joint {
    let place = |body| Placement { body, at: ZERO, turned: IDENTITY };
    Joint {
        name: name.to_owned(),
        kind,
        first: place(on.0),
        second: place(on.1),
        axes: Vec::new(),
        size: None,
        role: JointRole::Cut { constraint: None },
        coordinates: Vec::new(),
        speeds: Vec::new(),
        armature: None,
        limits: Vec::new(),
        same_way: Vec::new(),
        rows: Vec::new(),
        span,
    }
}

impl Elaborator<'_> {
    pub(in super::super) fn frame(&mut self, target: &Target, place: &Place) -> Fallible<()> {
        let name = self.declared(target, "frame")?;
        let placement = self.placement(place).inspect_err(|_| self.poison(target))?;
        self.declare(&name, Binding::Frame(self.bodies.frames.len()), target.span)?;
        self.bodies.frames.push(placement);
        Ok(())
    }

    pub(in super::super) fn joint(&mut self, joint: &ast::Joint, span: Span) -> Fallible<()> {
        let name = self.declared(&joint.name, "joint")?;
        let read = self.read_joint(&name, joint, span);
        let read = read.inspect_err(|_| self.poison_joint(&name, &joint.name))?;
        let Some(&j) = self.bodies.plan.joint_of.get(&name) else { return Ok(()) };
        if self.bodies.joints[j].is_some() {
            let message = format!("a joint called `{name}` exists already");
            return self.error(Code::DeclaredTwice, joint.name.span, &message);
        }
        match self.bodies.plan.joints[j].carries {
            Some((body, reversed)) => self.carrying_joint(j, read, body, reversed)?,
            None => self.cut_joint(j, read)?,
        }
        self.limits(j, joint)
    }

    /// Uses of the coordinates of a joint that could not be read say nothing more.
    fn poison_joint(&mut self, name: &str, target: &Target) {
        self.poison(target);
        for part in ["turn", "slide", "first", "second", "x", "y", "z", "e0", "e1", "e2", "e3"] {
            self.scope.poison(&format!("{name}.{part}"), target.span);
        }
    }

    fn read_joint(&mut self, name: &str, joint: &ast::Joint, span: Span) -> Fallible<Joint> {
        let Some(kind) = JointKind::by_name(&joint.kind.text) else {
            return self.error(Code::UnknownName, joint.kind.span, "no joint is of this kind");
        };
        let is_plane = self.bodies.plan.is_plane;
        let in_space = [JointKind::Cylindrical, JointKind::Screw, JointKind::Universal, JointKind::Ball];
        if is_plane && in_space.contains(&kind) {
            let message = format!("a {} joint is for models in space, and this one is plane", kind.name());
            let d = Diagnostic::error(Code::NotApplicable, joint.kind.span, message);
            return self.fail(d.help("in the plane use `pin`, `slider`, `planar`, `free`, `weld` or `rod`"));
        }
        let (first, second) = (self.placement(&joint.first), self.placement(&joint.second));
        let (first, second) = (first?, second?);
        if first.body == second.body {
            let message = format!("`{name}` joins a body to itself");
            return self.error(Code::BadOption, joint.second.body.span, &message);
        }
        let size = joint.size.as_ref().map(|e| self.constant_scalar(e, "a size of a joint")).transpose()?;
        if let (JointKind::Rod, Some(e), Some(given)) = (kind, size, &joint.size) {
            self.refuse_short_rod(e, given.span)?;
        }
        let axes = self.joint_axes(kind, joint)?;
        let armature = joint.options.iter().find_map(|option| match option {
            JointOption::Armature(_, e) => Some(e),
            _ => None,
        });
        let armature = armature.map(|e| self.constant_scalar(e, "an armature")).transpose()?;
        if let Some((word, e)) = joint.options.iter().find_map(|option| match option {
            JointOption::Restitution(word, e) => Some((word, e)),
            _ => None,
        }) {
            self.constant_scalar(e, "a restitution")?;
            let message = "restitution has no effect: impacts are not available yet";
            let d = Diagnostic::warning(Code::RestitutionIgnored, word.span, message);
            let help =
                format!("a run that passes a limit goes on and reports the event `{name}.upper passed`");
            self.diagnostics.push(d.help(help));
        }
        Ok(Joint { first, second, size, axes, armature, ..unplaced(name, kind, (None, None), span) })
    }

    /// The distance of two points has no gradient where it is zero.
    fn refuse_short_rod(&mut self, length: Expr, span: Span) -> Fallible<()> {
        match self.parameter_numbers(&[length])[..] {
            [value] if value <= 0.0 => {
                let message = format!("the length of a rod is positive, and this one is {value}");
                let d = Diagnostic::error(Code::BadOption, span, message);
                self.fail(d.help("a rod of length 0 is a `pin` (plane) or a `ball` (space)"))
            }
            _ => Ok(()),
        }
    }

    /// The axes of a joint: given, or z; x and y of a universal joint; x of a slider in the plane.
    fn joint_axes(&mut self, kind: JointKind, joint: &ast::Joint) -> Fallible<Vec<Vector>> {
        let given = joint.options.iter().find_map(|option| match option {
            JointOption::Axes(word, axes) => Some((word, axes)),
            _ => None,
        });
        let is_plane = self.bodies.plan.is_plane;
        let wanted = match kind {
            JointKind::Universal => 2,
            JointKind::Pin | JointKind::Slider | JointKind::Cylindrical | JointKind::Screw => 1,
            JointKind::Planar => 1,
            _ => 0,
        };
        let Some((word, given)) = given else {
            return Ok(match kind {
                JointKind::Universal => vec![unit(0), unit(1)],
                JointKind::Slider if is_plane => vec![unit(0)],
                _ => vec![unit(2); wanted],
            });
        };
        if given.len() != wanted {
            let message = format!("a {} joint has {wanted} axes, not {}", kind.name(), given.len());
            return self.error(Code::DimensionMismatch, word.span, &message);
        }
        let axes: Vec<Fallible<Vector>> = given.iter().map(|axis| self.axis(axis)).collect();
        let axes: Vec<Vector> = axes.into_iter().collect::<Fallible<_>>()?;
        if let [u, v] = axes[..] {
            let cosine = super::algebra::dot(&mut self.pool, &u, &v);
            if self.parameter_numbers(&[cosine])[0].abs() > ROTATION_TOL {
                let d = Diagnostic::error(
                    Code::BadOption,
                    word.span,
                    "the axes of a universal joint are at right angles",
                );
                return self.fail(d.help("two pins in turn have axes at any angle"));
            }
        }
        Ok(axes)
    }

    /// Declares coordinates and speeds of a joint that carries a body.
    pub(super) fn carrying_joint(
        &mut self,
        slot: usize,
        mut joint: Joint,
        body: usize,
        reversed: bool,
    ) -> Fallible<()> {
        let (kind, is_plane, span) = (joint.kind, self.bodies.plan.is_plane, joint.span);
        joint.role = JointRole::Carries { body, reversed };
        for part in kind.coordinates(is_plane) {
            let name = if part.is_empty() { joint.name.clone() } else { format!("{}.{part}", joint.name) };
            joint.coordinates.push(self.new_coordinate(&name, UnitInfo::Missing, span)?);
        }
        for part in kind.speeds(is_plane) {
            let name = format!("{}.{part}", joint.name);
            joint.speeds.push(self.new_speed(&name, None, UnitInfo::Missing, span)?);
        }
        if kind.coordinates(is_plane).len() != 1 && self.scope.get(&joint.name).is_none() {
            self.declare(&joint.name.clone(), Binding::Joint, span)?;
        }
        self.quaternion_kinematics(&joint);
        if let Some(armature) = joint.armature {
            self.armature(&joint, armature);
        }
        self.bodies.joints[slot] = Some(joint);
        Ok(())
    }

    /// K1 of a quaternion in the rates about the carried axes, and of a position in the velocity along them.
    fn quaternion_kinematics(&mut self, joint: &Joint) {
        if joint.speeds.is_empty() {
            return;
        }
        let at = joint.coordinates.len() - 4;
        let e: [Expr; 4] = std::array::from_fn(|k| self.coordinate_value(joint.coordinates[at + k]));
        let speeds: Vec<Expr> =
            joint.speeds.iter().map(|&s| self.pool.var(self.frame.speeds[s].symbol)).collect();
        for (k, row) in QUATERNION_RATES.iter().enumerate() {
            let parts: Vec<_> = (0..3)
                .map(|i| (self.pool.mul(e[row[i].0], speeds[i]), &Rational::HALF * &Rational::from(row[i].1)))
                .collect();
            let rate = self.pool.combine(parts);
            self.frame.kinematics[joint.coordinates[at + k]] = Some((rate, joint.span));
        }
        if let [vx, vy, vz] = speeds[3..] {
            let R = quaternion(&mut self.pool, &e);
            let rates = super::algebra::apply(&mut self.pool, &R, &[vx, vy, vz]);
            for (k, rate) in rates.into_iter().enumerate() {
                self.frame.kinematics[joint.coordinates[k]] = Some((rate, joint.span));
            }
        }
    }

    pub(super) fn coordinate_value(&mut self, i: usize) -> Expr {
        self.pool.var(self.frame.coordinates[i].symbol)
    }

    /// `Ja/2 q'^2` for every coordinate of the joint, or speed.
    fn armature(&mut self, joint: &Joint, armature: Expr) {
        let rates: Vec<Expr> = match joint.speeds.is_empty() {
            true => {
                joint.coordinates.iter().map(|&i| self.pool.var(self.frame.coordinates[i].rate)).collect()
            }
            false => joint.speeds.iter().map(|&s| self.pool.var(self.frame.speeds[s].symbol)).collect(),
        };
        let squares: Vec<Expr> = rates.into_iter().map(|rate| self.pool.powi(rate, 2)).collect();
        let sum = self.pool.total(squares);
        let half = self.pool.scale(armature, Rational::HALF);
        let expr = self.pool.mul(half, sum);
        self.energies.kinetic.push(Part { expr, kind: UnitInfo::Missing, span: joint.span });
    }

    /// `limits a..b` of a joint: events where it passes one.
    fn limits(&mut self, j: usize, joint: &ast::Joint) -> Fallible<()> {
        for option in &joint.options {
            let JointOption::Limits(word, part, range) = option else { continue };
            let name = self.member(&joint.name)?;
            let name = match part {
                Some(part) => format!("{name}.{}", part.text),
                None => name,
            };
            let lower = self.constant_scalar(&range.first, "a limit")?;
            let upper = self.constant_scalar(&range.last, "a limit")?;
            if let [lower, upper] = self.parameter_numbers(&[lower, upper])[..]
                && lower > upper
            {
                let message =
                    format!("the limits of `{name}` are in the wrong order: {lower} is above {upper}");
                return self.error(Code::BadOption, range.span, &message);
            }
            let Some(on @ (Binding::Coordinate(_) | Binding::Freedom(..))) = self.scope.get(&name).cloned()
            else {
                let message = format!("`{name}` is not one freedom that limits can be on");
                let d = Diagnostic::error(Code::BadOption, word.span, message);
                return self.fail(d.help("a joint of several freedoms names one: `limits turn a..b`"));
            };
            // The joints on the way to a joint that closes a loop may be stated later.
            let value = match on {
                Binding::Coordinate(i) => self.coordinate_value(i),
                _ => Pool::ZERO,
            };
            if let Binding::Freedom(_, k) = on {
                let at = self.bodies.joints[j].as_ref().map_or(0, |joint| joint.limits.len());
                self.bodies.limited_freedoms.push((j, at, k));
            }
            let limit = Limit { value, name, lower, upper, span: range.span };
            if let Some(joint) = &mut self.bodies.joints[j] {
                joint.limits.push(limit);
            }
        }
        Ok(())
    }
}
