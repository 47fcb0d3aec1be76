//! Which freedom of a joint a spring or damper acts on.

use super::super::scope::Binding;
use super::super::{Elaborator, Fallible, Reported};
use crate::bodies::JointKind;
use dalembert_expr::Expr;
use dalembert_syntax::ast::{self, Target};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

impl Elaborator<'_> {
    /// The joint of a name, which of its freedoms is meant, what that is, and its value.
    pub(super) fn joint_freedom(
        &mut self,
        element: &ast::Element,
        target: &Target,
    ) -> Fallible<(usize, usize, Binding, Expr)> {
        let mut name = self.member(target)?;
        let joint = self.member(&Target { part: None, ..target.clone() })?;
        let Some(&slot) = self.bodies.plan.joint_of.get(&joint) else {
            if self.is_broken(&joint) {
                return Err(Reported);
            }
            let message = format!("no joint is called `{joint}`");
            return self.error(Code::UnknownName, target.span, &message);
        };
        let binding = self.scope.get(&name).cloned();
        let Some((kind, coordinates)) =
            self.bodies.joints[slot].as_ref().map(|j| (j.kind, j.coordinates.clone()))
        else {
            if matches!(binding, Some(Binding::Poisoned)) {
                return Err(Reported);
            }
            let d = Diagnostic::error(
                Code::UnknownName,
                target.span,
                format!("the joint `{joint}` is stated later"),
            );
            return self.fail(d.help("state the joint before what acts on it"));
        };
        let binding = match binding {
            Some(Binding::Joint) if self.is_angular_spring(element, kind) => {
                name = format!("{joint}.turn");
                let message = format!("this spring acts on `{name}`, the only angle of `{joint}`");
                let d = Diagnostic::note(Code::AngleOfJoint, target.span, message);
                self.diagnostics.push(d.help(format!("write `at {name}`")));
                self.scope.get(&name).cloned()
            }
            other => other,
        };
        match binding {
            Some(binding @ (Binding::Coordinate(_) | Binding::Freedom(..))) => {
                let k = match binding {
                    Binding::Coordinate(i) => coordinates.iter().position(|&c| c == i).unwrap_or(0),
                    Binding::Freedom(_, k) => k,
                    _ => 0,
                };
                let value = self.value_of_binding(binding.clone(), &name, target.span)?;
                let (q, _) = self.as_scalar(value, target.span)?;
                Ok((slot, k, binding, q))
            }
            Some(Binding::Poisoned) => Err(Reported),
            _ => self.no_single_freedom(&joint, &name, kind, target),
        }
    }

    /// Whether an element is a spring with an `angle`, on a joint of several freedoms of which one is an angle.
    fn is_angular_spring(&self, element: &ast::Element, kind: JointKind) -> bool {
        element.kind == ast::ElementKind::Spring
            && element.rest.as_ref().is_some_and(|(word, _)| word.text == "angle")
            && kind.coordinates(self.bodies.plan.is_plane).contains(&"turn")
    }

    /// A spring or damper needs one freedom, and the joint has several, or none.
    fn no_single_freedom<T>(
        &mut self,
        joint: &str,
        name: &str,
        kind: JointKind,
        target: &Target,
    ) -> Fallible<T> {
        let is_plane = self.bodies.plan.is_plane;
        let parts = kind.coordinates(is_plane).iter();
        let parts = parts.filter(|part| !matches!(**part, "e0" | "e1" | "e2" | "e3"));
        let usable: Vec<String> = parts
            .map(
                |part| if part.is_empty() { format!("`at {joint}`") } else { format!("`at {joint}.{part}`") },
            )
            .collect();
        let message = match kind {
            _ if name != joint => format!("`{name}` is not a freedom that a spring or damper can act on"),
            JointKind::Weld => {
                format!("the weld `{joint}` has no freedom that a spring or damper can act on")
            }
            JointKind::Rod => {
                format!("the rod `{joint}` has no coordinate that a spring or damper can act on")
            }
            _ => format!(
                "the {} joint `{joint}` has {} freedoms, and a spring or damper acts on one",
                kind.name(),
                kind.freedoms(is_plane)
            ),
        };
        let bushing = "use a `bushing` between frames of its bodies, or `torque T on B from A`";
        let help = match kind {
            JointKind::Weld => "replace the weld by a `bushing`".to_owned(),
            JointKind::Rod => "put the spring or damper `between` two points".to_owned(),
            _ if usable.is_empty() => bushing.to_owned(),
            JointKind::Free if !is_plane => format!("write {}; for rotations {bushing}", usable.join(" or ")),
            _ => format!("write {}", usable.join(" or ")),
        };
        self.fail(Diagnostic::error(Code::BadOption, target.span, message).help(help))
    }
}
