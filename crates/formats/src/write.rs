//! A robot as the text of a model: the tree first, then what acts on it, then what drives it.

mod actuators;
mod tree;

use crate::merge::Merged;
use crate::names::Names;
use crate::robot::{JointId, JointKind, Robot};
use crate::start::guesses;
use crate::turn::{number, vector};
use crate::xml::Log;
use dalembert_syntax::diagnostic::Code;
use std::fmt::Write;

/// What a robot is called in the model, and the text so far.
struct Writer<'a> {
    robot: &'a Robot,
    merged: &'a Merged,
    log: &'a mut Log,
    names: Names,
    /// Names of bodies, those that became frames too.
    bodies: Vec<String>,
    /// Names of joints; empty for those that are fixed. A free body without a named joint goes by its own name.
    joints: Vec<Vec<String>>,
    frames: Vec<String>,
    inputs: Vec<String>,
    text: String,
}

/// What was written.
pub struct Written {
    /// The text of the model.
    pub text: String,
    /// Names of the inputs.
    pub inputs: Vec<String>,
}

/// Writes a model.
pub fn write(robot: &Robot, merged: &Merged, head: &str, log: &mut Log) -> Written {
    let (bodies, joints, frames, inputs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (names, text) = (Names::default(), head.to_owned());
    let mut writer = Writer { robot, merged, log, names, bodies, joints, frames, inputs, text };
    writer.choose_names();
    writer.head();
    writer.tree();
    writer.elements();
    writer.couplings();
    writer.closures();
    writer.actuators();
    writer.start();
    Written { text: writer.text, inputs: writer.inputs }
}

impl Writer<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    /// Joints keep their names first, since those are the names of coordinates; then bodies, places and inputs.
    fn choose_names(&mut self) {
        for (b, body) in self.robot.bodies.iter().enumerate() {
            let mut names = Vec::new();
            for joint in body.joints.iter().filter(|_| !self.merged.is_fixed[b]) {
                names.push(match &joint.name {
                    Some(name) => self.names.of_file(name, "joint", joint.span, self.log),
                    None => String::new(),
                });
            }
            self.joints.push(names);
        }
        for (b, body) in self.robot.bodies.iter().enumerate() {
            let name = self.names.of_file(&body.name, "body", body.span, self.log);
            self.joints[b]
                .iter_mut()
                .filter(|joint| joint.is_empty())
                .for_each(|joint| joint.clone_from(&name));
            self.bodies.push(name);
        }
        for frame in &self.robot.frames {
            let name = self.names.of_file(&frame.name, "frame", frame.span, self.log);
            self.frames.push(name);
        }
        for actuator in &self.robot.actuators {
            let name = self.names.of_file(&actuator.name, "input", actuator.span, self.log);
            self.inputs.push(name);
        }
    }

    /// Title and gravity.
    fn head(&mut self) {
        let plain = |c: char| if c == '"' || c == '\\' || c.is_control() { ' ' } else { c };
        let title: String = self.robot.title.chars().take(200).map(plain).collect();
        self.line(format!("system \"{title}\""));
        match self.robot.gravity {
            [0.0, 0.0, z] if z < 0.0 => {
                self.line(format!("parameter g = {} {{m/s^2}}", number(-z)));
                self.line("gravity [0, 0, -g]");
            }
            g => self.line(format!("gravity {}", vector(&g))),
        }
    }

    /// The name of the coordinate of a joint of one freedom.
    fn coordinate(&self, (body, k): JointId) -> &str {
        &self.joints[body][k]
    }

    /// Whether a joint moves in the model.
    fn moves(&self, (body, _): JointId) -> bool {
        !self.merged.is_fixed[body]
    }

    /// Springs, dampers and friction of joints.
    fn elements(&mut self) {
        let mut lines = Vec::new();
        for (b, body) in self.robot.bodies.iter().enumerate() {
            for (k, joint) in body.joints.iter().enumerate().filter(|_| !self.merged.is_fixed[b]) {
                let name = self.joints[b][k].clone();
                if let Some((stiffness, rest)) = joint.spring {
                    let spring = self.names.fresh(&format!("{name}_spring"), "of_joint");
                    let rest = if rest == 0.0 { String::new() } else { format!(" angle {}", number(rest)) };
                    lines.push(format!("spring {spring}: {}{rest} at {name}", number(stiffness)));
                }
                if joint.damping != 0.0 && joint.kind.is_single() {
                    let damper = self.names.fresh(&format!("{name}_damping"), "of_joint");
                    lines.push(format!("damper {damper}: {} at {name}", number(joint.damping)));
                } else if joint.damping != 0.0 {
                    let squares = joint.kind.speeds().iter().map(|part| format!("{name}{part}^2"));
                    let squares: Vec<String> = squares.collect();
                    lines.push(format!("dissipation {}/2*({})", number(joint.damping), squares.join(" + ")));
                }
                if joint.friction != 0.0 {
                    for part in joint.kind.speeds() {
                        let target = format!("{name}{}", part.trim_end_matches('\''));
                        lines.push(format!("friction in {target}: limit {}", number(joint.friction)));
                    }
                }
            }
            if body.weightless != 0.0 && body.inertia.mass != 0.0 {
                lines.extend(self.lift(b));
            }
        }
        for tendon in &self.robot.tendons {
            if tendon.joints.iter().all(|(id, _)| self.moves(*id)) {
                let name = self.names.of_file(&tendon.name, "tendon", tendon.span, self.log);
                let part = |(id, c): &(JointId, f64)| (*c, self.coordinate(*id).to_owned());
                let terms: Vec<(f64, String)> = tendon.joints.iter().map(part).collect();
                lines.push(format!("let {name} = {}", sum(&terms)));
                if tendon.stiffness != 0.0 {
                    let stretch = sum(&[(1.0, name.clone()), (-tendon.rest, String::new())]);
                    lines.push(format!("potential {}/2*({stretch})^2", number(tendon.stiffness)));
                }
                if tendon.damping != 0.0 {
                    lines.push(format!("dissipation {}/2*({name}')^2", number(tendon.damping)));
                }
            }
        }
        self.section("Springs, dampers and friction of joints", lines);
    }

    /// The force that carries a part of the weight of a body.
    fn lift(&self, b: usize) -> Option<String> {
        let body = &self.robot.bodies[b];
        let (whole, place) = &self.merged.part_of[b];
        let whole = &self.bodies[(*whole)?];
        let share = body.weightless * body.inertia.mass;
        let force = self.robot.gravity.map(|g| -share * g);
        let centre = body.inertia.placed(&place.at, &place.turn.matrix()).centre;
        Some(format!("force {} at {} of {whole}", vector(&force), vector(&centre)))
    }

    fn section(&mut self, title: &str, lines: Vec<String>) {
        if lines.is_empty() {
            return;
        }
        let _ = write!(self.text, "\n# {title}\n");
        lines.iter().for_each(|line| self.line(line));
    }

    /// Joints that follow others.
    fn couplings(&mut self) {
        let mut lines = Vec::new();
        for coupling in &self.robot.couplings {
            let ids = [Some(coupling.follower), coupling.leader];
            if !ids.into_iter().flatten().all(|id| self.moves(id)) {
                continue;
            }
            let follower = self.coordinate(coupling.follower).to_owned();
            let wanted = coupling.name.clone().unwrap_or_else(|| format!("{follower}_coupling"));
            let name = self.names.fresh(&wanted, "coupling");
            let leader = coupling.leader.map(|id| self.coordinate(id).to_owned());
            let power = |k: usize| match (k, &leader) {
                (0, _) | (_, None) => String::new(),
                (1, Some(leader)) => leader.clone(),
                (k, Some(leader)) => format!("{leader}^{k}"),
            };
            let used =
                if leader.is_some() { &coupling.coefficients[..] } else { &coupling.coefficients[..1] };
            // The leader first: `f2 = 2*f1 + 0.1`.
            let mut terms: Vec<(f64, String)> =
                used.iter().enumerate().map(|(k, c)| (*c, power(k))).collect();
            terms.rotate_left(1);
            lines.push(format!("constraint {name}: {follower} = {}", sum(&terms)));
        }
        self.section("Joints that follow others", lines);
    }

    /// Places that stay together.
    fn closures(&mut self) {
        let mut lines = Vec::new();
        for closure in &self.robot.closures {
            let wanted = closure.name.clone().unwrap_or_else(|| "closure".to_owned());
            let name = self.names.of_file(&wanted, "loop", closure.span, self.log);
            let kind = if closure.is_weld { "weld" } else { JointKind::Ball.word() };
            let place = |(body, place): &(Option<usize>, crate::turn::Place)| {
                let on = body.map_or("ground", |b| self.bodies[b].as_str());
                format!("{on}{}", place.text())
            };
            let whole = |body: Option<usize>| body.and_then(|b| self.merged.part_of[b].0);
            if whole(closure.first.0) == whole(closure.second.0) {
                let message = "this joins a body to itself and is left out";
                self.log.say(Code::ImportIgnored, closure.span, message);
                continue;
            }
            let (first, second) = (place(&closure.first), place(&closure.second));
            lines.push(format!("joint {name}: {kind} {first} to {second}, cut"));
        }
        self.section("Joints that close loops", lines);
    }

    /// Guesses of the start where zero is not one.
    fn start(&mut self) {
        let mut lines = Vec::new();
        for (id, guess) in guesses(self.robot, &self.merged.is_fixed, self.log) {
            lines.push(format!("initial {} ~ {}", self.coordinate(id), number(guess)));
        }
        for (b, body) in self.robot.bodies.iter().enumerate() {
            for (k, joint) in body.joints.iter().enumerate().filter(|_| !self.merged.is_fixed[b]) {
                let Some(place) = &joint.start else { continue };
                let name = &self.joints[b][k];
                let quaternion = crate::algebra::to_quaternion(&place.turn.matrix());
                let values = place.at.iter().chain(&quaternion);
                let parts = ["x", "y", "z", "e0", "e1", "e2", "e3"].iter().zip(values);
                let plain = |part: &str, value: f64| value == f64::from(u8::from(part == "e0"));
                let said = parts.filter(|(part, value)| !plain(part, **value));
                let said: Vec<String> =
                    said.map(|(part, v)| format!("{name}.{part} ~ {}", number(*v))).collect();
                if !said.is_empty() {
                    lines.push(format!("initial {}", said.join(", ")));
                }
            }
        }
        self.section("Start", lines);
    }
}

/// A sum of terms; a factor of nothing is a number.
fn sum(terms: &[(f64, String)]) -> String {
    let mut out = String::new();
    for (c, factor) in terms.iter().filter(|(c, _)| *c != 0.0) {
        let sign = match (out.is_empty(), *c < 0.0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        let size = c.abs();
        let _ = match (factor.is_empty(), size == 1.0) {
            (true, _) => write!(out, "{sign}{}", number(size)),
            (false, true) => write!(out, "{sign}{factor}"),
            (false, false) => write!(out, "{sign}{}*{factor}", number(size)),
        };
    }
    if out.is_empty() { "0".to_owned() } else { out }
}
