//! Forces with names (B5): what joints do through their bearings, what drives do, energies and momenta of bodies.
//!
//! The force of a joint that carries a body is what the parts outboard of it need beyond all that acts on them
//! (Newton-Euler, inward along the tree); what motors, springs and dampers do along the freedoms of the joint is taken
//! away, for bearings hold only across them. A joint that closes a loop has the multipliers of its rows.
//!
//! What the model itself does to a body (forces at points, constraints, friction, potentials) is known only as
//! expressions of where the body is. So where reactions are asked for, the model sees each body released: displaced by
//! f and turned by phi, which are zero. Derivatives by them are force and torque on the body; then they are put to zero.

use super::super::roles::Role;
use super::super::scope::Binding;
use super::super::value::Value;
use super::super::{Elaborator, Fallible, Reported};
use super::algebra::{add, apply, apply_transposed, column, cross, dot, neg, scale, sub, unit};
use super::closure::{held_points, held_torques};
use super::motion::{BodyMotion, screw_lead};
use super::names::scalar;
use crate::bodies::{ElementKind, Joint, JointKind, JointRole, Matrix3, Vector, ZERO};
use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_syntax::ast::{self, Name};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;

/// A force at a point and a torque, in space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrench {
    pub point: Vector,
    pub force: Vector,
    pub torque: Vector,
}

/// What a joint is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Force,
    Torque,
    Drive,
}

/// A result of a joint, to be formed when all forces are known.
#[derive(Clone, Debug)]
pub(super) struct Request {
    slot: usize,
    wanted: Wanted,
    symbols: Vec<Symbol>,
    span: Span,
}

/// The displacement and turn that release a body, with their rates and virtual changes.
#[derive(Clone, Debug)]
pub(super) struct Release {
    body: usize,
    symbols: [Symbol; 6],
    rates: [Symbol; 6],
    accelerations: [Symbol; 6],
    changes: [Symbol; 6],
}

/// Force and torque about the origin of a body, in its axes.
type Load = (Vector, Vector);

impl Elaborator<'_> {
    /// `force(J)`, `torque(J)`, `drive(J)`, `kinetic_energy(B)`, `angular_momentum(P)`
    pub(in super::super) fn body_result(
        &mut self,
        name: &Name,
        args: &[ast::Expr],
        span: Span,
    ) -> Fallible<Value> {
        let [argument] = args else {
            let message = format!("`{}` takes 1 argument, not {}", name.text, args.len());
            return self.error(Code::WrongArity, name.span, &message);
        };
        match name.text.as_str() {
            "kinetic_energy" => {
                let body = self.spelt_name(argument)?;
                match self.place_by_name(&body, argument.span)?.body {
                    Some(b) => Ok(scalar(self.kinetic_of(b, span)?)),
                    None => Ok(scalar(Pool::ZERO)),
                }
            }
            "angular_momentum" => {
                let value = self.value(argument)?;
                let about = self.space_vector(&value, argument.span)?;
                let total = self.momenta(&about, span)?;
                Ok(self.turn_value(&total.1))
            }
            wanted => {
                let target = self.spelt_name(argument)?;
                let wanted = match wanted {
                    "force" => Wanted::Force,
                    "torque" => Wanted::Torque,
                    _ => Wanted::Drive,
                };
                self.of_joint_or_element(&target, wanted, argument.span)
            }
        }
    }

    fn of_joint_or_element(&mut self, target: &str, wanted: Wanted, span: Span) -> Fallible<Value> {
        if let Some(&k) = self.bodies.element_of.get(target) {
            let element = &self.bodies.elements[k];
            let parts = match wanted {
                Wanted::Force => element.force.clone(),
                Wanted::Torque if element.kind == ElementKind::Bushing => element.torque.clone(),
                _ => {
                    let message = format!("`{target}` is a spring or damper: it has a `force`");
                    return self.error(Code::NotApplicable, span, &message);
                }
            };
            return Ok(match parts[..] {
                [one] => scalar(one),
                _ => Value::Vector(parts.into_iter().map(scalar).collect()),
            });
        }
        let Some(&slot) = self.bodies.plan.joint_of.get(target) else {
            let message = format!("no joint, spring or damper is called `{target}`");
            let d = Diagnostic::error(Code::UnknownName, span, message);
            let known = self.bodies.plan.joint_of.keys().chain(self.bodies.element_of.keys());
            let mut known: Vec<&str> = known.map(String::as_str).collect();
            known.sort_unstable();
            let near = dalembert_syntax::diagnostic::nearest(target, known).map(str::to_owned);
            return self.fail(match near {
                Some(near) => d.help(format!("did you mean `{near}`?")).suggest(span, near),
                None => d.help("state force elements before they are used"),
            });
        };
        self.request(slot, target, wanted, span)
    }

    /// Symbols for a result of a joint.
    fn request(&mut self, slot: usize, target: &str, wanted: Wanted, span: Span) -> Fallible<Value> {
        let known = self.bodies.requests.iter().find(|r| r.slot == slot && r.wanted == wanted);
        let symbols = match known {
            Some(request) => request.symbols.clone(),
            None => {
                let count = match (wanted, self.bodies.plan.is_plane) {
                    (Wanted::Drive, _) => self.driven(slot)?,
                    (Wanted::Torque, true) => 1,
                    (Wanted::Force, true) => 2,
                    _ => 3,
                };
                let word = match wanted {
                    Wanted::Force => "force",
                    Wanted::Torque => "torque",
                    Wanted::Drive => "drive",
                };
                let names: Vec<String> = (0..count).map(|k| format!("{word}({target}).{k}")).collect();
                let symbols: Vec<Symbol> =
                    names.iter().map(|name| self.symbol_with_role(name, Role::Result)).collect();
                self.bodies.requests.push(Request { slot, wanted, symbols: symbols.clone(), span });
                symbols
            }
        };
        let parts: Vec<Value> = symbols.into_iter().map(|s| scalar(self.pool.var(s))).collect();
        Ok(match <[Value; 1]>::try_from(parts) {
            Ok([one]) => one,
            Err(parts) => Value::Vector(parts),
        })
    }

    /// How many generalised forces a joint has: one for each speed.
    fn driven(&mut self, slot: usize) -> Fallible<usize> {
        let Some(joint) = &self.bodies.joints[slot] else { return Err(Reported) };
        let count = match joint.speeds.len() {
            0 => joint.kind.coordinates(self.bodies.plan.is_plane).len(),
            speeds => speeds,
        };
        if count == 0 {
            let (message, span) = (format!("`{}` has no freedom to drive", joint.name), joint.span);
            return self.error(Code::NotApplicable, span, &message);
        }
        Ok(count)
    }

    /// Momentum and angular momentum about a point, of all bodies.
    fn momenta(&mut self, about: &Vector, span: Span) -> Fallible<(Vector, Vector)> {
        let (mut linear, mut angular) = (ZERO, ZERO);
        for b in 0..self.bodies.bodies.len() {
            let Some(body) = self.bodies.bodies[b].clone() else { continue };
            let motion = self.motion(Some(b), span)?;
            let pool = &mut self.pool;
            let lever = cross(pool, &motion.w, &body.centre);
            let v = add(pool, &motion.v, &lever);
            let p = scale(pool, body.mass, &v);
            let p = apply(pool, &motion.R, &p);
            let arm = apply(pool, &motion.R, &body.centre);
            let arm = add(pool, &motion.p, &arm);
            let arm = sub(pool, &arm, about);
            let spin = apply(pool, &body.inertia, &motion.w);
            let spin = apply(pool, &motion.R, &spin);
            let orbit = cross(pool, &arm, &p);
            let whole = add(pool, &spin, &orbit);
            linear = add(pool, &linear, &p);
            angular = add(pool, &angular, &whole);
        }
        Ok((linear, angular))
    }

    /// `momentum`, `centre_of_mass`
    pub(in super::super) fn plain_body_result(&mut self, name: &str, span: Span) -> Fallible<Value> {
        if name == "momentum" {
            let (linear, _) = self.momenta(&ZERO, span)?;
            return Ok(self.vector_value(&linear));
        }
        let (mut mass, mut moment) = (Pool::ZERO, ZERO);
        for b in 0..self.bodies.bodies.len() {
            let Some(body) = self.bodies.bodies[b].clone() else { continue };
            let motion = self.motion(Some(b), span)?;
            let arm = apply(&mut self.pool, &motion.R, &body.centre);
            let centre = add(&mut self.pool, &motion.p, &arm);
            let one = scale(&mut self.pool, body.mass, &centre);
            moment = add(&mut self.pool, &moment, &one);
            mass = self.pool.add(mass, body.mass);
        }
        let centre = moment.map(|e| self.pool.div(e, mass));
        Ok(self.vector_value(&centre))
    }

    /// Where the model sees a body: released where reactions are asked for.
    pub(super) fn seen_motion(&mut self, body: Option<usize>, span: Span) -> Fallible<BodyMotion> {
        let motion = self.motion(body, span)?;
        let Some(b) = body.filter(|_| self.bodies.plan.reactions_asked_for) else { return Ok(motion) };
        let release = self.release(b);
        let pool = &mut self.pool;
        let f: Vector = std::array::from_fn(|k| pool.var(release.symbols[k]));
        let phi: Vector = std::array::from_fn(|k| pool.var(release.symbols[3 + k]));
        let turning: Vector = std::array::from_fn(|k| pool.var(release.rates[3 + k]));
        // R + [phi] R, column by column; w + phi' in the axes of the body.
        let columns: [Vector; 3] = std::array::from_fn(|k| {
            let axis = column(&motion.R, k);
            let turned = cross(pool, &phi, &axis);
            add(pool, &axis, &turned)
        });
        let R: Matrix3 = super::algebra::transposed(&columns);
        let extra = apply_transposed(pool, &motion.R, &turning);
        Ok(BodyMotion { R, p: add(pool, &motion.p, &f), w: add(pool, &motion.w, &extra), ..motion })
    }

    fn release(&mut self, b: usize) -> Release {
        if let Some(release) = self.bodies.releases.iter().find(|release| release.body == b) {
            return release.clone();
        }
        let name = self.bodies.plan.bodies[b].name.clone();
        let mut six = |what: &str, role: Role| -> [Symbol; 6] {
            std::array::from_fn(|k| self.symbol_with_role(&format!("{what}{k} of {name}"), role))
        };
        let symbols = six("release", Role::Parameter);
        let rates = six("release'", Role::Rate);
        let accelerations = six("release''", Role::Acceleration);
        let changes = six("delta(release)", Role::Displacement);
        for k in 0..6 {
            let [v, a, delta] = [rates[k], accelerations[k], changes[k]].map(|s| self.pool.var(s));
            self.dot.define(symbols[k], v);
            self.dot.define(rates[k], a);
            self.virtual_change.define(symbols[k], delta);
        }
        let release = Release { body: b, symbols, rates, accelerations, changes };
        self.bodies.releases.push(release.clone());
        release
    }

    /// Releases are zero wherever they are not asked about.
    pub(in super::super) fn release_images(&self) -> Vec<(Symbol, Expr)> {
        let all = |r: &Release| [r.symbols, r.rates, r.accelerations, r.changes].concat();
        self.bodies.releases.iter().flat_map(all).map(|s| (s, Pool::ZERO)).collect()
    }

    /// What joints were asked for, in terms of state, accelerations and multipliers.
    pub(in super::super) fn body_results(
        &mut self,
        images: &[(Symbol, Expr)],
    ) -> Fallible<Vec<(Symbol, Expr)>> {
        let requests = std::mem::take(&mut self.bodies.requests);
        if requests.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(part) = self.nonideal.first()
            && let Some(request) = requests.iter().find(|r| r.wanted != Wanted::Drive)
        {
            let d = Diagnostic::error(
                Code::NotApplicable,
                request.span,
                "forces of joints are not known with `nonideal work`",
            );
            let (d, span) = (d, part.span);
            return self.fail(d.label(span, "stated here"));
        }
        let carried = |r: &Request| self.bodies.joints[r.slot].as_ref().is_some_and(super::carries);
        let loads = match requests.iter().any(|r| r.wanted != Wanted::Drive && carried(r)) {
            true => self.loads()?,
            false => Vec::new(),
        };
        let (mut symbols, mut values) = (Vec::new(), Vec::new());
        for request in requests {
            let Some(joint) = self.bodies.joints[request.slot].clone() else { continue };
            let parts = match request.wanted {
                Wanted::Drive => self.drives(request.slot, &joint),
                wanted => {
                    let (force, torque) = self.bearing(&joint, &loads)?;
                    match wanted {
                        Wanted::Force => self.vector_value(&force).scalars(),
                        _ => self.turn_value(&torque).scalars(),
                    }
                }
            };
            symbols.extend(request.symbols);
            values.extend(parts);
        }
        let values = self.pool.substitute(&values, images);
        Ok(symbols.into_iter().zip(values).collect())
    }

    /// Generalised forces of motors, springs and dampers on the freedoms of a joint.
    fn drives(&mut self, slot: usize, joint: &Joint) -> Vec<Expr> {
        let coordinates = joint.coordinates.iter().map(|&i| Binding::Coordinate(i));
        let speeds = joint.speeds.iter().map(|&s| Binding::Speed(s));
        let on: Vec<Binding> = if joint.speeds.is_empty() { coordinates.collect() } else { speeds.collect() };
        let same = |a: &Binding, b: &Binding| match (a, b) {
            (Binding::Coordinate(a), Binding::Coordinate(b)) | (Binding::Speed(a), Binding::Speed(b)) => {
                a == b
            }
            _ => false,
        };
        let mut sums: Vec<Vec<(Expr, Rational)>> = vec![Vec::new(); on.len().max(1)];
        for (k, binding) in on.iter().enumerate() {
            let motors = self.forces_on.iter().filter(|(target, _)| same(target, binding));
            sums[k].extend(motors.map(|(_, part)| (part.expr, Rational::ONE)));
        }
        for element in self.bodies.elements.iter().filter(|e| e.kind == ElementKind::Joint(slot)) {
            sums[0].extend(element.force.iter().map(|e| (*e, Rational::MINUS_ONE)));
        }
        sums.into_iter().map(|parts| self.pool.combine(parts)).collect()
    }

    /// Force and torque of the bearings of a joint on its second body, at its point there, in space.
    fn bearing(&mut self, joint: &Joint, loads: &[Load]) -> Fallible<(Vector, Vector)> {
        match &joint.role {
            JointRole::Cut { .. } => self.closing_force(joint),
            JointRole::Carries { body, reversed } => {
                let load = loads.get(*body).copied().unwrap_or((ZERO, ZERO));
                let total = self.carrying_force(joint, *body, *reversed, load)?;
                self.across_freedoms(joint, total)
            }
        }
    }

    /// All that goes through a joint that carries a body, at Q of its second body.
    fn carrying_force(
        &mut self,
        joint: &Joint,
        body: usize,
        reversed: bool,
        load: Load,
    ) -> Fallible<(Vector, Vector)> {
        let motion = self.motion(Some(body), joint.span)?;
        let at = self.pose(&joint.second, joint.span)?.p;
        let pool = &mut self.pool;
        let (force, torque) = (apply(pool, &motion.R, &load.0), apply(pool, &motion.R, &load.1));
        let arm = sub(pool, &motion.p, &at);
        let moved = cross(pool, &arm, &force);
        let torque = add(pool, &torque, &moved);
        Ok(match reversed {
            true => (neg(pool, &force), neg(pool, &torque)),
            false => (force, torque),
        })
    }

    /// Bearings hold across the freedoms of a joint; the rest is its drive.
    fn across_freedoms(
        &mut self,
        joint: &Joint,
        (force, torque): (Vector, Vector),
    ) -> Fallible<(Vector, Vector)> {
        let first = self.pose(&joint.first, joint.span)?;
        let second = self.pose(&joint.second, joint.span)?;
        let pool = &mut self.pool;
        let axis = joint.axes.first().copied().unwrap_or(unit(2));
        let u = apply(pool, &first.R, &axis);
        let along = |pool: &mut Pool, v: &Vector| {
            let size = dot(pool, &u, v);
            scale(pool, size, &u)
        };
        let across = |pool: &mut Pool, v: &Vector| {
            let part = along(pool, v);
            sub(pool, v, &part)
        };
        Ok(match joint.kind {
            JointKind::Weld => (force, torque),
            JointKind::Pin => (force, across(pool, &torque)),
            JointKind::Slider => (across(pool, &force), torque),
            JointKind::Cylindrical => (across(pool, &force), across(pool, &torque)),
            JointKind::Screw => {
                let lead = screw_lead(pool, joint.size);
                let thrust = dot(pool, &u, &force);
                let held = pool.mul(lead, thrust);
                let (across, held) = (across(pool, &torque), scale(pool, held, &u));
                (force, sub(pool, &across, &held))
            }
            JointKind::Universal => {
                let v = apply(pool, &second.R, &joint.axes[1]);
                let n = cross(pool, &u, &v);
                let size = dot(pool, &n, &torque);
                (force, scale(pool, size, &n))
            }
            JointKind::Ball => (force, ZERO),
            JointKind::Planar if !self.bodies.plan.is_plane => (along(pool, &force), across(pool, &torque)),
            JointKind::Planar | JointKind::Free | JointKind::FreePoint | JointKind::Rod => (ZERO, ZERO),
        })
    }

    /// The multipliers of a closure as force and torque on its second body.
    fn closing_force(&mut self, joint: &Joint) -> Fallible<(Vector, Vector)> {
        let is_plane = self.bodies.plan.is_plane;
        let multipliers = self.multipliers_of(joint);
        let gap = self.gap(joint, joint.span)?;
        let first = self.pose(&joint.first, joint.span)?;
        let pool = &mut self.pool;
        let (mut force, mut torque) = (ZERO, ZERO);
        let mut rest = multipliers.iter().copied();
        if joint.kind == JointKind::Rod {
            let square = dot(pool, &gap.d, &gap.d);
            let length = pool.sqrt(square);
            let pull = rest.next().map_or(Pool::ZERO, |m| pool.div(m, length));
            force = scale(pool, pull, &gap.d);
        }
        for ((_, n), multiplier) in held_points(pool, joint, is_plane).into_iter().zip(rest.by_ref()) {
            let part = scale(pool, multiplier, &n);
            force = add(pool, &force, &part);
        }
        for (n, multiplier) in held_torques(pool, joint, &gap.R, is_plane).into_iter().zip(rest.by_ref()) {
            let part = scale(pool, multiplier, &n);
            torque = add(pool, &torque, &part);
        }
        if let (JointKind::Screw, Some(multiplier)) = (joint.kind, rest.next()) {
            let lead = screw_lead(pool, joint.size);
            let held = pool.mul(lead, multiplier);
            let (along, about) = (scale(pool, multiplier, &joint.axes[0]), scale(pool, held, &joint.axes[0]));
            force = add(pool, &force, &along);
            torque = sub(pool, &torque, &about);
        }
        Ok((apply(pool, &first.R, &force), apply(pool, &first.R, &torque)))
    }

    fn multipliers_of(&mut self, joint: &Joint) -> Vec<Expr> {
        let JointRole::Cut { constraint: Some(group) } = joint.role else { return Vec::new() };
        let rows = self.constraints[group].rows.clone();
        rows.map(|r| {
            let name = format!("multiplier({})", self.rows[r].name);
            let symbol = self.symbol_with_role(&name, Role::IdealResult);
            self.pool.var(symbol)
        })
        .collect()
    }

    /// What goes through the joint of every body: what it and those it carries need beyond what acts on them.
    fn loads(&mut self) -> Fallible<Vec<Load>> {
        let mut loads = self.needs()?;
        let span = Span::default();
        let order = self.inward();
        for b in order {
            let Some(parent) = self.bodies.plan.bodies[b].parent else { continue };
            let relative = self.motion(Some(b), span)?.relative;
            let pool = &mut self.pool;
            let (force, torque) =
                (apply(pool, &relative.R, &loads[b].0), apply(pool, &relative.R, &loads[b].1));
            let lever = cross(pool, &relative.p, &force);
            let torque = add(pool, &torque, &lever);
            loads[parent] = (add(pool, &loads[parent].0, &force), add(pool, &loads[parent].1, &torque));
        }
        Ok(loads)
    }

    /// Bodies with those that they carry before them.
    fn inward(&self) -> Vec<usize> {
        let bodies: Vec<_> = self.bodies.bodies.iter().flatten().cloned().collect();
        let order = super::outward(&bodies);
        let body_of: rustc_hash::FxHashMap<usize, usize> =
            bodies.iter().enumerate().map(|(b, body)| (body.joint, b)).collect();
        order.into_iter().rev().filter_map(|joint| body_of.get(&joint).copied()).collect()
    }

    /// m a and the change of spin of each body, less what acts on it, about its origin and in its axes.
    fn needs(&mut self) -> Fallible<Vec<Load>> {
        let acting = self.acting()?;
        let mut loads = Vec::new();
        for (b, (force, torque)) in acting.into_iter().enumerate() {
            let Some(body) = self.bodies.bodies[b].clone() else { return Err(Reported) };
            let motion = self.motion(Some(b), body.span)?;
            let pool = &mut self.pool;
            let lever = cross(pool, &motion.w, &body.centre);
            let v = add(pool, &motion.v, &lever);
            let changes = v.map(|e| self.dot.apply(pool, e));
            let spinning = motion.w.map(|e| self.dot.apply(pool, e));
            let carried = cross(pool, &motion.w, &v);
            let a = add(pool, &changes, &carried);
            let inertial = scale(pool, body.mass, &a);
            let spin = apply(pool, &body.inertia, &motion.w);
            let (grows, turns) = (apply(pool, &body.inertia, &spinning), cross(pool, &motion.w, &spin));
            let about_centre = add(pool, &grows, &turns);
            let arm = cross(pool, &body.centre, &inertial);
            let needed = add(pool, &about_centre, &arm);
            let (force, torque) =
                (apply_transposed(pool, &motion.R, &force), apply_transposed(pool, &motion.R, &torque));
            loads.push((sub(pool, &inertial, &force), sub(pool, &needed, &torque)));
        }
        Ok(loads)
    }

    /// Everything that acts on each body but the joint that carries it: force, and torque about its origin, in space.
    fn acting(&mut self) -> Fallible<Vec<Load>> {
        let mut wrenches = self.bodies.wrenches.clone();
        for joint in self.bodies.joints.clone().iter().flatten().filter(|joint| !super::carries(joint)) {
            let (force, torque) = self.closing_force(joint)?;
            let point = self.pose(&joint.second, joint.span)?.p;
            let (back, turned) = (neg(&mut self.pool, &force), neg(&mut self.pool, &torque));
            let ends = [(joint.second.body, force, torque), (joint.first.body, back, turned)];
            for (body, force, torque) in ends {
                wrenches.extend(body.map(|b| (b, Wrench { point, force, torque })));
            }
        }
        let mut acting: Vec<Load> = vec![(ZERO, ZERO); self.bodies.bodies.len()];
        for (b, wrench) in wrenches {
            let origin = self.motion(Some(b), Span::default())?.p;
            let pool = &mut self.pool;
            let arm = sub(pool, &wrench.point, &origin);
            let moved = cross(pool, &arm, &wrench.force);
            let torque = add(pool, &wrench.torque, &moved);
            acting[b] = (add(pool, &acting[b].0, &wrench.force), add(pool, &acting[b].1, &torque));
        }
        self.weights(&mut acting)?;
        self.released_forces(&mut acting);
        Ok(acting)
    }

    fn weights(&mut self, acting: &mut [Load]) -> Fallible<()> {
        let Some((field, span)) = self.bodies.gravity else { return Ok(()) };
        for (b, load) in acting.iter_mut().enumerate() {
            let Some(body) = self.bodies.bodies[b].clone() else { continue };
            let motion = self.motion(Some(b), span)?;
            let pool = &mut self.pool;
            let weight = scale(pool, body.mass, &field);
            let arm = apply(pool, &motion.R, &body.centre);
            let moment = cross(pool, &arm, &weight);
            *load = (add(pool, &load.0, &weight), add(pool, &load.1, &moment));
        }
        Ok(())
    }

    /// What statements of the model do to bodies: virtual work on their releases.
    fn released_forces(&mut self, acting: &mut [Load]) {
        let releases = self.bodies.releases.clone();
        if releases.is_empty() {
            return;
        }
        let all = |of: fn(&Release) -> [Symbol; 6]| -> Vec<Symbol> { releases.iter().flat_map(of).collect() };
        let (symbols, rates, changes) = (all(|r| r.symbols), all(|r| r.rates), all(|r| r.changes));
        let mut sums: Vec<Vec<(Expr, Rational)>> = vec![Vec::new(); symbols.len()];
        let mut gather = |pool: &mut Pool, e: Expr, by: &[Symbol], factor: Expr, sign: Rational| {
            for (k, slope) in pool.gradient(e, by).into_iter().enumerate() {
                if slope != Pool::ZERO {
                    sums[k].push((pool.mul(slope, factor), sign.clone()));
                }
            }
        };
        let pool = &mut self.pool;
        for (force, point, _) in &self.forces_at {
            force.iter().zip(point).for_each(|(f, p)| gather(pool, *p, &symbols, *f, Rational::ONE));
        }
        for part in &self.potential {
            gather(pool, part.expr, &symbols, Pool::ONE, Rational::MINUS_ONE);
        }
        for part in &self.dissipation {
            gather(pool, part.expr, &rates, Pool::ONE, Rational::MINUS_ONE);
        }
        for part in &self.work {
            gather(pool, part.expr, &changes, Pool::ONE, Rational::ONE);
        }
        for row in &self.rows {
            let symbol = pool.symbol(&format!("multiplier({})", row.name));
            let multiplier = pool.var(symbol);
            gather(
                pool,
                row.residual,
                if row.holonomic { &symbols } else { &rates },
                multiplier,
                Rational::ONE,
            );
        }
        for contact in &self.contacts {
            for (c, velocity) in contact.velocity.iter().enumerate() {
                let symbol = pool.symbol(&format!("friction({}).{c}", contact.name));
                let friction = pool.var(symbol);
                gather(pool, *velocity, &rates, friction, Rational::ONE);
            }
        }
        let zero = self.release_images();
        let totals: Vec<Expr> = sums.into_iter().map(|parts| self.pool.combine(parts)).collect();
        let totals = self.pool.substitute(&totals, &zero);
        for (release, six) in releases.iter().zip(totals.chunks(6)) {
            let load = &mut acting[release.body];
            let (force, torque) = ([six[0], six[1], six[2]], [six[3], six[4], six[5]]);
            *load = (add(&mut self.pool, &load.0, &force), add(&mut self.pool, &load.1, &torque));
        }
    }
}
