//! Results of bodies and joints by name: forces of joints and elements, energies and momenta.
//!
//! What joints do is known when all that acts on bodies has been read; until then a result is a symbol.

use super::super::results::control_on;
use super::super::roles::Role;
use super::super::scope::Binding;
use super::super::speeds::Kinematics;
use super::super::value::Value;
use super::super::{Elaborator, Fallible, Reported};
use super::algebra::{add, apply, cross, scale, sub};
use super::names::scalar;
use crate::bodies::{ElementKind, Joint, Vector, ZERO};
use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_syntax::ast::{self, Name};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::{Dimension, UnitInfo};

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
    pub(super) span: Span,
}

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

    /// The forces and moments of joints that were asked for, and their norms, with their units.
    fn joint_result_kinds(&mut self) -> Vec<(Expr, UnitInfo)> {
        let energy = self.energy_kind_of_bodies();
        if !matches!(energy, UnitInfo::Known(_)) {
            return Vec::new();
        }
        let per = |d: Dimension| energy.times(&UnitInfo::Known(d), &Rational::MINUS_ONE);
        let mut found = Vec::new();
        for request in &self.bodies.requests {
            let kind = match request.wanted {
                Wanted::Force => per(Dimension::length()),
                Wanted::Torque => per(Dimension::angle()),
                Wanted::Drive => continue,
            };
            let parts: Vec<Expr> = request.symbols.iter().map(|s| self.pool.var(*s)).collect();
            let squares: Vec<Expr> = parts.iter().map(|e| self.pool.mul(*e, *e)).collect();
            let square = self.pool.total(squares);
            found.push((self.pool.sqrt(square), kind.clone()));
            found.extend(parts.into_iter().map(|part| (part, kind.clone())));
        }
        found
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
            if wanted == Wanted::Drive
                && let Some(one) = self.drive_of_part(target, span)
            {
                return one;
            }
            if self.is_broken(target) {
                return Err(Reported);
            }
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

    /// `drive(J.turn)`: one of the generalised forces of a joint of several freedoms; `None` if there is no such joint.
    fn drive_of_part(&mut self, target: &str, span: Span) -> Option<Fallible<Value>> {
        let (joint, part) = target.rsplit_once('.')?;
        let slot = *self.bodies.plan.joint_of.get(joint)?;
        let (kind, is_plane) = (self.bodies.joints[slot].as_ref()?.kind, self.bodies.plan.is_plane);
        let names = match kind.speeds(is_plane) {
            [] => kind.coordinates(is_plane),
            speeds => speeds,
        };
        let k = names.iter().position(|name| *name == part)?;
        Some(self.request(slot, joint, Wanted::Drive, span).map(|all| match all {
            Value::Vector(mut parts) => parts.swap_remove(k),
            one => one,
        }))
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
        let count = match joint.kind.speeds(self.bodies.plan.is_plane).len() {
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

    /// What joints were asked for, in terms of state, accelerations and multipliers.
    pub(in super::super) fn body_results(
        &mut self,
        kinematics: &Kinematics,
        images: &[(Symbol, Expr)],
    ) -> Fallible<Vec<(Symbol, Expr)>> {
        self.bodies.result_kinds = self.joint_result_kinds();
        let requests = std::mem::take(&mut self.bodies.requests);
        if requests.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(part) = self.forces.nonideal.first()
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
        let reactions = requests.iter().any(|r| r.wanted != Wanted::Drive);
        let loads = if reactions { self.loads()? } else { Vec::new() };
        if reactions {
            self.bodies.loop_forces = self.loop_forces(&loads, images)?;
        }
        let (mut symbols, mut values) = (Vec::new(), Vec::new());
        for request in requests {
            let Some(joint) = self.bodies.joints[request.slot].clone() else { continue };
            if request.wanted == Wanted::Drive && self.is_actuated_apart(&joint.name) {
                let message = format!(
                    "the drive of `{}` is not known: control acts on it where it closes a loop, or at points too",
                    joint.name
                );
                let d = Diagnostic::error(Code::NotApplicable, request.span, message);
                let help = "write `cut` at another joint of the loop; `power(control)` is known in any case";
                return self.fail(d.help(help));
            }
            let parts = match request.wanted {
                Wanted::Drive => self.drives(request.slot, &joint, kinematics),
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

    /// Generalised forces of motors, control, springs and dampers on the freedoms of a joint.
    fn drives(&mut self, slot: usize, joint: &Joint, kinematics: &Kinematics) -> Vec<Expr> {
        let coordinates = joint.coordinates.iter().map(|&i| Binding::Coordinate(i));
        let speeds = joint.speeds.iter().map(|&s| Binding::Speed(s));
        let on: Vec<Binding> = if joint.speeds.is_empty() { coordinates.collect() } else { speeds.collect() };
        let same = |a: &Binding, b: &Binding| match (a, b) {
            (Binding::Coordinate(a), Binding::Coordinate(b)) | (Binding::Speed(a), Binding::Speed(b)) => {
                a == b
            }
            _ => false,
        };
        let is_plane = self.bodies.plan.is_plane;
        let freedoms = match joint.kind.speeds(is_plane).len() {
            0 => joint.kind.coordinates(is_plane).len(),
            speeds => speeds,
        };
        let count = if on.is_empty() { freedoms } else { on.len() };
        let mut sums: Vec<Vec<(Expr, Rational)>> = vec![Vec::new(); count];
        for (k, binding) in on.iter().enumerate() {
            let motors = self.forces.on.iter().filter(|(target, _)| same(target, binding));
            sums[k].extend(motors.map(|(_, part)| (part.expr, Rational::ONE)));
            if self.has_control_at_joints() {
                let speed = match *binding {
                    Binding::Speed(s) => self.frame.speeds[s].name.clone(),
                    Binding::Coordinate(i) => format!("{}'", self.frame.coordinates[i].name),
                    _ => continue,
                };
                if kinematics.speeds.iter().any(|known| known.name == speed) {
                    let symbol = self.pool.symbol(&control_on(&speed));
                    sums[k].push((self.pool.var(symbol), Rational::ONE));
                }
            }
        }
        // What acts on coordinates of a joint that has speeds of its own acts on these by x' = X eta.
        let mut on_coordinates: Vec<(usize, Expr, Rational)> = Vec::new();
        for (on, force) in &self.bodies.motors {
            match on {
                Binding::Freedom(j, k) if *j == slot => on_coordinates.push((*k, *force, Rational::ONE)),
                Binding::FreedomSpeed(j, k) if *j == slot => sums[*k].push((*force, Rational::ONE)),
                _ => {}
            }
        }
        if !joint.speeds.is_empty() {
            for (target, part) in &self.forces.on {
                let of_joint = |i: usize| joint.coordinates.iter().position(|&c| c == i);
                if let Binding::Coordinate(i) = target
                    && let Some(k) = of_joint(*i)
                {
                    on_coordinates.push((k, part.expr, Rational::ONE));
                }
            }
        }
        for element in &self.bodies.elements {
            if let ElementKind::Joint(on, k) = element.kind
                && on == slot
            {
                on_coordinates.extend(element.force.iter().map(|e| (k, *e, Rational::MINUS_ONE)));
            }
        }
        if joint.kind.speeds(is_plane).is_empty() {
            on_coordinates.into_iter().for_each(|(k, force, sign)| sums[k].push((force, sign)));
        } else if !on_coordinates.is_empty() {
            let Ok(X) = self.rates_by_speeds(joint) else { return vec![Pool::ZERO; count] };
            for (k, force, sign) in on_coordinates {
                for (sum, entry) in sums.iter_mut().zip(&X[k]) {
                    sum.push((self.pool.mul(*entry, force), sign.clone()));
                }
            }
        }
        sums.into_iter().map(|parts| self.pool.combine(parts)).collect()
    }
}
