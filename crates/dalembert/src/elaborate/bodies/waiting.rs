//! Statements of a model with bodies may stand in any order: what is about a joint, body, frame or force element that is
//! stated later waits for it, and so does what uses a name that waits.
//!
//! Where nothing has to wait, statements are read as they stand.

use super::super::scope::Binding;
use super::super::{Elaborator, MAX_ERRORS};
use super::plan::declares_part;
use dalembert_expr::Rational;
use dalembert_syntax::ast::{Expr, ExprKind, Statement, StatementKind as S, Subscript, Target};

/// A statement that waits, with the indices of the loops around it.
#[derive(Debug)]
pub(super) struct Waiting<'a> {
    statement: &'a Statement,
    indices: Vec<(String, Rational)>,
}

/// What a statement that waits costs of the budget of work: it is kept, and looked at again.
const WAITING_COST: usize = 20;

impl<'a> Elaborator<'a> {
    /// Lets a statement wait if something that it is about has not been read; whether it does.
    pub(in super::super) fn wait(&mut self, statement: &'a Statement) -> bool {
        if self.bodies.unread == 0 && self.bodies.waiting.is_empty() {
            return false;
        }
        if matches!(statement.kind, S::For { .. }) || !self.has_to_wait(&statement.kind) {
            return false;
        }
        if self.spend(WAITING_COST, statement.span).is_err() {
            return true;
        }
        let declared = statement.kind.parts().declares;
        self.bodies.late_names.extend(declared.iter().map(|target| target.name.text.clone()));
        let names = self.loops.indices();
        let value = |name: &String| match self.scope.get(name) {
            Some(Binding::Number(value)) => Some((name.clone(), value.clone())),
            _ => None,
        };
        let indices = names.iter().filter_map(value).collect();
        self.bodies.waiting.push(Waiting { statement, indices });
        true
    }

    /// Reads what waits, as soon as it can be read; at last what waits for itself, so that it says what is wrong.
    pub(in super::super) fn read_waiting(&mut self) {
        loop {
            let waiting = std::mem::take(&mut self.bodies.waiting);
            self.bodies.late_names.clear();
            let count = waiting.len();
            for one in waiting {
                self.read_in_its_loops(one, Self::read_statement);
            }
            if self.bodies.waiting.len() == count {
                break;
            }
        }
        for one in std::mem::take(&mut self.bodies.waiting) {
            self.read_in_its_loops(one, Self::read_at_once);
        }
    }

    pub(in super::super) fn count_as_read(&mut self, statement: &Statement) {
        if declares_part(&statement.kind) {
            self.bodies.unread = self.bodies.unread.saturating_sub(1);
        }
    }

    fn read_in_its_loops(&mut self, waiting: Waiting<'a>, read: fn(&mut Self, &'a Statement)) {
        if self.budget == 0 || self.diagnostics.len() > MAX_ERRORS {
            return;
        }
        let span = waiting.statement.span;
        let names: Vec<&str> = waiting.indices.iter().map(|(name, _)| name.as_str()).collect();
        let bind = |(name, value): &(String, Rational)| {
            self.scope.exchange(name, Some((Binding::Number(value.clone()), span)))
        };
        let outside: Vec<_> = waiting.indices.iter().map(bind).collect();
        self.with_varying(&names, |this| read(this, waiting.statement));
        for (name, meaning) in names.iter().zip(outside) {
            self.scope.exchange(name, meaning);
        }
    }

    fn has_to_wait(&mut self, kind: &S) -> bool {
        // The plan knows what joints and frames are on beforehand; a name that waits they wait for.
        let is_planned = matches!(kind, S::Body(_) | S::Frame { .. } | S::Joint(_));
        let parts = kind.parts();
        parts.targets.into_iter().any(|target| {
            self.bodies.late_names.contains(&target.name.text) || (!is_planned && self.target_unread(target))
        }) || parts.expressions.into_iter().any(|e| self.mentions_unread(e))
    }

    fn target_unread(&mut self, target: &Target) -> bool {
        let name = &target.name.text;
        if target.subscripts.is_empty() {
            return self.is_unread(name);
        }
        let at = |subscript: &Subscript| match subscript {
            Subscript::At(e) => self.plain_index(e),
            Subscript::Over(_) => None,
        };
        let indices: Option<Vec<i64>> = target.subscripts.iter().map(at).collect();
        self.member_unread(name, indices)
    }

    fn mentions_unread(&mut self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Name(name) => self.is_unread(name),
            ExprKind::Call(name, _) if self.is_unread(&name.text) => true,
            ExprKind::Index(base, list) if matches!(base.kind, ExprKind::Name(_)) => {
                let ExprKind::Name(name) = &base.kind else { return false };
                let indices = list.iter().map(|index| self.plain_index(index)).collect();
                self.member_unread(name, indices)
            }
            ExprKind::Slice(base, _) if matches!(base.kind, ExprKind::Name(_)) => {
                let ExprKind::Name(name) = &base.kind else { return false };
                self.member_unread(name, None)
            }
            _ => e.parts().into_iter().any(|part| self.mentions_unread(part)),
        }
    }

    /// Whether a member of a family has not been read; where it is not known which one, whether any body has not.
    fn member_unread(&mut self, family: &str, indices: Option<Vec<i64>>) -> bool {
        match indices {
            Some(indices) => {
                let indices: Vec<String> = indices.iter().map(i64::to_string).collect();
                self.bodies.late_names.contains(family)
                    || self.is_unread(&format!("{family}[{}]", indices.join(",")))
            }
            None => {
                let is_planned = self.bodies.plan.families.contains(family);
                self.bodies.late_names.contains(family) || (is_planned && self.bodies.unread > 0)
            }
        }
    }

    /// Whether a name waits, or is of a joint, body, frame or force element that has not been read with all that says
    /// where it is.
    fn is_unread(&mut self, name: &str) -> bool {
        if self.bodies.late_names.contains(name) {
            return true;
        }
        let bound = self.scope.get(name);
        if matches!(bound, Some(Binding::Poisoned)) {
            return false;
        }
        if bound.is_none() && matches!(name, "momentum" | "centre_of_mass" | "angular_momentum") {
            return self.bodies.unread > 0;
        }
        let plan = &self.bodies.plan;
        if let Some(&j) = plan.joint_of.get(name) {
            let ends = plan.joints[j].ends;
            return match &self.bodies.joints[j] {
                None => true,
                Some(joint) => joint.coordinates.is_empty() && ends.into_iter().any(|b| !self.is_placed(b)),
            };
        }
        if let Some(&b) = plan.body_of.get(name) {
            return self.bodies.bodies[b].is_none() || !self.is_placed(Some(b));
        }
        if let Some(&on) = plan.frame_of.get(name) {
            return bound.is_none() || !self.is_placed(on);
        }
        plan.elements.contains(name) && !self.bodies.element_of.contains_key(name)
    }

    /// Whether the joints on the way to a body have been read.
    fn is_placed(&mut self, body: Option<usize>) -> bool {
        let mut way = Vec::new();
        let mut at = body;
        while let Some(b) = at.filter(|&b| !self.bodies.placed[b]) {
            let planned = &self.bodies.plan.bodies[b];
            let slot = planned.joint.unwrap_or(self.bodies.plan.joints.len() + b);
            at = planned.parent;
            way.push(b);
            if self.bodies.joints[slot].is_none() {
                // The way is looked at again each time.
                self.budget = self.budget.saturating_sub(way.len()).max(1);
                return false;
            }
        }
        way.into_iter().for_each(|b| self.bodies.placed[b] = true);
        true
    }
}
