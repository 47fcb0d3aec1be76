//! Actuators: an input each, and the forces that follow from it.

use super::{Writer, sum};
use crate::robot::{Activation, Actuator, JointKind, Law, Transmission};
use crate::turn::number;
use dalembert_syntax::diagnostic::Code;
use std::collections::BTreeMap;

impl Writer<'_> {
    pub(super) fn actuators(&mut self) {
        let (mut inputs, mut lines) = (Vec::new(), Vec::new());
        // What acts on each joint of one freedom, for bounds on all of it together.
        let mut drives: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
        for k in 0..self.robot.actuators.len() {
            let actuator = &self.robot.actuators[k];
            if self.is_idle(actuator) {
                let message = format!("`{}` drives a joint that is fixed and is left out", actuator.name);
                self.log.say(Code::ImportIgnored, actuator.span, message);
                continue;
            }
            let input = self.inputs[k].clone();
            inputs.push(format!("input {input} = 0{}", self.unit(actuator)));
            let signal = self.signal(&input, &actuator.law, &mut lines);
            let force = self.force(actuator, &signal);
            match &actuator.transmission {
                Transmission::Joints(targets) => {
                    for (id, factor) in targets {
                        drives.entry(*id).or_default().push(scaled(*factor, &force));
                    }
                }
                Transmission::Freedoms(id, gear) => self.freedoms(*id, gear, &force, &mut lines),
                Transmission::Frame(f, gear) => self.wrench(*f, gear, &force, &mut lines),
            }
        }
        for (id, forces) in drives {
            let name = self.coordinate(id).to_owned();
            match self.robot.joint(id).drive_range {
                Some(range) => {
                    let all = forces.join(" + ").replace("+ -", "- ");
                    lines.push(format!("force {name} = {}", clamped(&all, range)));
                }
                None => lines.extend(forces.iter().map(|force| format!("force {name} = {force}"))),
            }
        }
        self.section("Actuators", inputs);
        lines.iter().for_each(|line| self.line(line));
    }

    /// Whether an actuator drives something that does not move in the model.
    fn is_idle(&self, actuator: &Actuator) -> bool {
        match &actuator.transmission {
            Transmission::Joints(targets) => !targets.iter().all(|(id, _)| self.moves(*id)),
            Transmission::Freedoms(id, _) => !self.moves(*id),
            Transmission::Frame(..) => false,
        }
    }

    /// The unit of an input, where it is a force or a torque.
    fn unit(&self, actuator: &Actuator) -> &'static str {
        match &actuator.transmission {
            Transmission::Joints(targets) if actuator.law.is_force => match targets[..] {
                [(id, _)] if self.robot.joint(id).kind == JointKind::Slider => " {N}",
                [_] => " {N*m}",
                _ => "",
            },
            _ => "",
        }
    }

    /// What acts: the input within its bounds, or a state that follows it.
    fn signal(&mut self, input: &str, law: &Law, lines: &mut Vec<String>) -> String {
        let bounded = law.signal_range.map_or_else(|| input.to_owned(), |range| clamped(input, range));
        let state = |writer: &mut Self| writer.names.fresh(&format!("{input}_activation"), "state");
        match law.activation {
            Activation::None => bounded,
            Activation::Integrator => {
                let name = state(self);
                lines.push(format!("state {name}' = {bounded}"));
                name
            }
            Activation::Filter(time) => {
                let name = state(self);
                lines.push(format!("state {name}' = ({bounded} - {name})/{}", number(time)));
                name
            }
        }
    }

    /// The force of an actuator before its transmission.
    fn force(&self, actuator: &Actuator, signal: &str) -> String {
        let law = &actuator.law;
        let mut terms = Vec::new();
        match law.gain {
            [gain, 0.0, 0.0] => terms.push((gain, signal.to_owned())),
            gain => {
                let inner = sum(&self.affine(&gain, &actuator.transmission));
                terms.push((1.0, format!("{}*{signal}", grouped(&inner))));
            }
        }
        terms.extend(self.affine(&law.bias, &actuator.transmission));
        let force = sum(&terms);
        law.force_range.map_or(force.clone(), |range| clamped(&force, range))
    }

    /// The terms of `c0 + c1 l + c2 l'`, with l the length of the transmission: the coordinates of the file with their factors.
    fn affine(&self, c: &[f64; 3], transmission: &Transmission) -> Vec<(f64, String)> {
        let targets = match transmission {
            Transmission::Joints(targets) => &targets[..],
            _ => &[],
        };
        let offset: f64 = targets.iter().map(|(id, factor)| factor * self.robot.joint(*id).reference).sum();
        let mut terms = Vec::new();
        for (scale, prime) in [(c[1], ""), (c[2], "'")] {
            let name = |id| format!("{}{prime}", self.coordinate(id));
            terms.extend(targets.iter().map(|(id, factor)| (scale * factor, name(*id))));
        }
        terms.push((c[0] + c[1] * offset, String::new()));
        terms
    }

    /// Forces at the freedoms of a ball or free joint: torques in the axes of the body, forces in those of space.
    fn freedoms(&mut self, (b, k): (usize, usize), gear: &[f64; 6], force: &str, lines: &mut Vec<String>) {
        let name = self.joints[b][k].clone();
        for (part, factor) in ["wx", "wy", "wz"].iter().zip(gear).filter(|(_, factor)| **factor != 0.0) {
            lines.push(format!("force {name}.{part} = {}", scaled(*factor, force)));
        }
        if gear[3..] != [0.0; 3] {
            let parts: Vec<String> = gear[3..].iter().map(|factor| scaled(*factor, force)).collect();
            lines.push(format!("force [{}] at {}.origin", parts.join(", "), self.bodies[b]));
        }
    }

    /// A force and a torque in the axes of a frame.
    fn wrench(&mut self, f: usize, gear: &[f64; 6], force: &str, lines: &mut Vec<String>) {
        let name = &self.frames[f];
        let Some(body) = self.robot.frames[f].body else { return };
        let along = |gear: &[f64]| {
            let parts: Vec<String> = gear.iter().map(|factor| scaled(*factor, force)).collect();
            format!("[{}] in {name}", parts.join(", "))
        };
        if gear[..3] != [0.0; 3] {
            lines.push(format!("force {} at {name}.origin", along(&gear[..3])));
        }
        if gear[3..] != [0.0; 3] {
            lines.push(format!("torque {} on {}", along(&gear[3..]), self.bodies[body]));
        }
    }
}

fn clamped(text: &str, (lower, upper): (f64, f64)) -> String {
    format!("max({}, min({}, {text}))", number(lower), number(upper))
}

/// In parentheses if it is a sum.
fn grouped(text: &str) -> String {
    if text.contains(' ') { format!("({text})") } else { text.to_owned() }
}

fn scaled(factor: f64, text: &str) -> String {
    if factor == 0.0 {
        return "0".to_owned();
    }
    // A sum and a call with spaces inside both keep their meaning in parentheses.
    let inner = if text.starts_with("max(") { text.to_owned() } else { grouped(text) };
    let inner = if factor == 1.0 { text.to_owned() } else { inner };
    match inner.strip_prefix('-').filter(|_| factor != 1.0) {
        Some(rest) => sum(&[(-factor, rest.to_owned())]),
        None => sum(&[(factor, inner)]),
    }
}
