//! What can be known of bodies before the model is read: their names, the joints between them, and the spanning tree.
//!
//! Joints may stand in any order and name bodies that come later, and the coordinates of a joint depend on whether it
//! carries a body or closes a loop (B1, B2). So the names of bodies, frames and joints are gathered first; values wait
//! until their statements are read.
//!
//! The tree: joints are taken in the order of their statements; one that joins two parts carries, one within a part
//! closes a loop. Joints whose coordinate is used (a spring, limits, a force, a fixed initial value) come before the
//! others, so that they are not cut; `cut` and rods never carry.

use super::super::{Elaborator, Overrides};
use crate::bodies::JointKind;
use dalembert_syntax::ast::{
    self, Ast, Block, Element, ElementPlace, Expr, ExprKind, JointOption, Place, StatementKind as S, Target,
    Turn,
};
use dalembert_syntax::parse;
use dalembert_syntax::source::Source;
use rustc_hash::{FxHashMap, FxHashSet};

/// The body that is fixed in space.
pub(super) const GROUND: &str = "ground";

/// A body as far as its statement has been looked at.
#[derive(Debug)]
pub(in super::super) struct PlannedBody {
    pub name: String,
    /// Only mass at its origin.
    is_particle: bool,
    /// The joint that carries it; `None` for a body that is free under its own name.
    pub joint: Option<usize>,
    pub parent: Option<usize>,
    /// How it moves where no joint carries it.
    pub free: JointKind,
}

/// A joint as far as its statement has been looked at.
#[derive(Debug)]
pub(in super::super) struct PlannedJoint {
    kind: JointKind,
    ends: [Option<usize>; 2],
    /// Whether both ends are at the origins of their bodies.
    at_origins: bool,
    is_cut: bool,
    is_kept: bool,
    /// The body that it carries, and whether from the second to the first.
    pub carries: Option<(usize, bool)>,
}

/// What is known beforehand.
#[derive(Default, Debug)]
pub(in super::super) struct Plan {
    pub is_plane: bool,
    pub bodies: Vec<PlannedBody>,
    pub body_of: FxHashMap<String, usize>,
    pub joints: Vec<PlannedJoint>,
    pub joint_of: FxHashMap<String, usize>,
    /// Bodies that frames are fixed on, by the name of the frame; `None` for the ground.
    pub frame_of: FxHashMap<String, Option<usize>>,
    /// Joints whose forces are asked for somewhere, by name; sums of reactions are formed only then.
    pub reactions_asked_for: bool,
}

/// Joints by name, with what a statement says of them, until all bodies are known.
#[derive(Default)]
struct Gathered {
    plan: Plan,
    frames: Vec<(String, String)>,
    joints: Vec<(String, JointKind, [String; 2], bool, bool)>,
    kept: FxHashSet<String>,
    /// Components of `gravity`, and of points and directions.
    gravity: Option<usize>,
    components: FxHashSet<usize>,
    lets: FxHashMap<String, Expr>,
}

/// Whether a model has any statement about bodies.
fn has_bodies(block: &Block) -> bool {
    block.statements.iter().any(|statement| match &statement.kind {
        S::Gravity(_) | S::Body(_) | S::Frame { .. } | S::Joint(_) | S::Element(_) | S::Torque { .. } => true,
        S::For { body, .. } => has_bodies(body),
        _ => false,
    })
}

/// Looks at a model; `None` if it has no bodies.
pub(in super::super) fn plan(ast: &Ast, overrides: &Overrides) -> Option<Plan> {
    if !has_bodies(&ast.body) {
        return None;
    }
    // Constants and indices are all that names depend on; what is wrong is reported when the model is read.
    let mut scout = Elaborator::new(overrides);
    let mut gathered = Gathered::default();
    gathered.block(&mut scout, &ast.body);
    gathered.overrides(&mut scout, overrides);
    Some(gathered.close())
}

impl Gathered {
    fn block(&mut self, scout: &mut Elaborator<'_>, block: &Block) {
        for statement in &block.statements {
            if scout.spend(1, statement.span).is_err() {
                return;
            }
            self.statement(scout, &statement.kind);
        }
    }

    fn statement(&mut self, scout: &mut Elaborator<'_>, kind: &S) {
        match kind {
            S::Const(list) => list.iter().for_each(|d| _ = scout.constant(d)),
            S::Let(list) => {
                self.lets.extend(list.iter().map(|d| (d.target.name.text.clone(), d.value.clone())));
            }
            S::For { index, range, body } => {
                let Ok((first, last)) = scout.range(range) else { return };
                let _reported = scout.with_index(index, first, last, |scout, _| {
                    self.block(scout, body);
                    Ok(())
                });
            }
            S::Gravity(field) => self.gravity = self.length(field),
            S::Body(body) => self.body(scout, body),
            S::Frame { name, place } => {
                self.place(place);
                if let (Ok(name), Ok(on)) = (scout.member(name), scout.member(&place.body)) {
                    self.frames.push((name, on));
                }
            }
            S::Joint(joint) => self.joint(scout, joint),
            S::Element(element) => self.element(scout, element),
            S::ForceOn { target, .. } | S::FrictionIn { target, .. } => self.keep(scout, target),
            S::Initial(items) => {
                items.iter().filter(|item| item.fixed).for_each(|item| self.keep(scout, &item.target));
            }
            S::Output(list) => {
                self.plan.reactions_asked_for |= list.iter().any(|d| asks_for_reactions(&d.value));
            }
            S::Event { value, actions, .. } => {
                let mut values = actions.iter().map(|a| &a.value).chain([value]);
                self.plan.reactions_asked_for |= values.any(asks_for_reactions);
                actions.iter().for_each(|action| self.keep(scout, &action.target));
            }
            _ => {}
        }
    }

    /// Joints with fixed initial values from outside keep their coordinates too.
    fn overrides(&mut self, scout: &mut Elaborator<'_>, overrides: &Overrides) {
        for text in &overrides.initial {
            let (ast, _) = parse(&Source::new("--initial", format!("initial {text}")));
            self.block(scout, &ast.body);
        }
    }

    fn body(&mut self, scout: &mut Elaborator<'_>, body: &ast::Body) {
        for (word, size) in body.parts.iter().flat_map(|part| &part.sizes) {
            let directed = ["from", "to", "at", "centre", "axis", "size", "inertia"];
            if directed.contains(&word.text.as_str()) {
                self.components.extend(self.length(size).filter(|n| word.text != "inertia" || *n == 3));
            }
        }
        let Ok(name) = scout.member(&body.name) else { return };
        let is_particle = match body.parts.as_slice() {
            [part] => matches!(part.shape.text.as_str(), "point" | "mass") && part.sizes.is_empty(),
            _ => false,
        };
        if !self.plan.body_of.contains_key(&name) {
            self.plan.body_of.insert(name.clone(), self.plan.bodies.len());
            let free = JointKind::Free;
            self.plan.bodies.push(PlannedBody { name, is_particle, joint: None, parent: None, free });
        }
    }

    fn place(&mut self, place: &Place) {
        self.components.extend(place.at.as_ref().and_then(|at| self.length(at)));
        match &place.turned {
            Some(Turn::Axis(..)) => self.components.extend([3]),
            Some(Turn::Matrix(e)) => self.components.extend(self.length(e)),
            None => {}
        }
    }

    fn joint(&mut self, scout: &mut Elaborator<'_>, joint: &ast::Joint) {
        self.place(&joint.first);
        self.place(&joint.second);
        let (mut is_cut, mut is_kept) = (false, false);
        for option in &joint.options {
            match option {
                JointOption::Axes(_, axes) => {
                    let lengths: Vec<usize> = axes.iter().filter_map(|axis| self.length(axis)).collect();
                    self.components.extend(lengths);
                }
                JointOption::Cut(_) => is_cut = true,
                JointOption::Limits(..) | JointOption::Armature(..) => is_kept = true,
                JointOption::Restitution(..) => {}
            }
        }
        let Some(kind) = JointKind::by_name(&joint.kind.text) else { return };
        let ends = [&joint.first.body, &joint.second.body].map(|body| scout.member(body));
        let (Ok(name), [Ok(first), Ok(second)]) = (scout.member(&joint.name), ends) else { return };
        if is_kept {
            self.kept.insert(name.clone());
        }
        let plain = |place: &Place| place.at.is_none() && place.turned.is_none();
        let at_origins = plain(&joint.first) && plain(&joint.second);
        self.joints.push((name, kind, [first, second], at_origins, is_cut));
    }

    fn element(&mut self, scout: &mut Elaborator<'_>, element: &Element) {
        match &element.place {
            ElementPlace::At(joint) => self.keep(scout, joint),
            ElementPlace::Between(a, b) => {
                for point in [a, b] {
                    if let ExprKind::Of(at, _) = &point.kind {
                        self.components.extend(self.length(at));
                    }
                }
            }
        }
    }

    /// A joint whose coordinate is used.
    fn keep(&mut self, scout: &mut Elaborator<'_>, target: &Target) {
        let joint = Target { part: None, ..target.clone() };
        if let Ok(names) = scout.members(&joint) {
            self.kept.extend(names);
        }
    }

    /// How many components an expression has, as far as it is written out.
    fn length(&self, e: &Expr) -> Option<usize> {
        self.length_within(e, 16)
    }

    fn length_within(&self, e: &Expr, depth: usize) -> Option<usize> {
        let depth = depth.checked_sub(1)?;
        let inside = |e: &Expr| self.length_within(e, depth);
        match &e.kind {
            ExprKind::Vector(parts) => Some(parts.len()),
            ExprKind::Name(name) => inside(self.lets.get(name)?),
            ExprKind::Neg(inner) => inside(inner),
            ExprKind::Sum(terms) => terms.iter().find_map(|term| inside(&term.expr)),
            ExprKind::Product(factors) => factors.iter().find_map(|factor| inside(&factor.expr)),
            ExprKind::Call(name, _) if ["rpy", "quaternion", "rotation"].contains(&name.text.as_str()) => {
                Some(3)
            }
            _ => None,
        }
    }

    fn close(mut self) -> Plan {
        self.plan.is_plane = match self.gravity {
            Some(n) => n == 2,
            None => self.components.contains(&2) && !self.components.contains(&3),
        };
        for (frame, on) in std::mem::take(&mut self.frames) {
            if let Some(body) = self.place_of(&on) {
                self.plan.frame_of.insert(frame, body);
            }
        }
        for (name, kind, [first, second], at_origins, is_cut) in std::mem::take(&mut self.joints) {
            let (Some(first), Some(second)) = (self.place_of(&first), self.place_of(&second)) else {
                continue;
            };
            let is_kept = self.kept.contains(&name);
            self.plan.joint_of.entry(name).or_insert(self.plan.joints.len());
            let ends = [first, second];
            self.plan.joints.push(PlannedJoint { kind, ends, at_origins, is_cut, is_kept, carries: None });
        }
        self.plan.span_tree();
        self.plan
    }

    /// The body of a name; `Some(None)` is the ground.
    fn place_of(&self, name: &str) -> Option<Option<usize>> {
        if name == GROUND && !self.plan.body_of.contains_key(GROUND) {
            return Some(None);
        }
        let body = self.plan.body_of.get(name).map(|body| Some(*body));
        body.or_else(|| self.plan.frame_of.get(name).copied())
    }
}

impl Plan {
    /// Chooses the joints that carry bodies (B1) and gives every body its parent.
    fn span_tree(&mut self) {
        let ground = self.bodies.len();
        let mut part: Vec<usize> = (0..=ground).collect();
        let mut branches: Vec<Vec<usize>> = vec![Vec::new(); ground + 1];
        for kept in [true, false] {
            for (j, joint) in self.joints.iter().enumerate() {
                let carries = !joint.is_cut && joint.kind != JointKind::Rod && joint.is_kept == kept;
                let [a, b] = joint.ends.map(|end| end.unwrap_or(ground));
                let (of_a, of_b) = (root(&mut part, a), root(&mut part, b));
                if carries && of_a != of_b {
                    part[of_a] = of_b;
                    branches[a].push(j);
                    branches[b].push(j);
                }
            }
        }
        let mut seen = vec![false; ground + 1];
        // The ground first; a part that is not tied to it moves with its first body.
        for start in std::iter::once(ground).chain(0..ground) {
            if !seen[start] {
                self.walk(start, &branches, &mut seen);
            }
        }
        self.find_particles();
    }

    fn walk(&mut self, start: usize, branches: &[Vec<usize>], seen: &mut [bool]) {
        let ground = self.bodies.len();
        seen[start] = true;
        let mut stack = vec![start];
        while let Some(at) = stack.pop() {
            for &j in &branches[at] {
                let [a, b] = self.joints[j].ends.map(|end| end.unwrap_or(ground));
                let (next, reversed) = if a == at { (b, false) } else { (a, true) };
                if !seen[next] {
                    seen[next] = true;
                    self.joints[j].carries = Some((next, reversed));
                    self.bodies[next].joint = Some(j);
                    self.bodies[next].parent = (at != ground).then_some(at);
                    stack.push(next);
                }
            }
        }
    }

    /// A free point mass that nothing turns has no turn.
    fn find_particles(&mut self) {
        for b in 0..self.bodies.len() {
            let body = &self.bodies[b];
            let free = body.is_particle && body.joint.is_none();
            let turned = |joint: &PlannedJoint| {
                let held = matches!(joint.kind, JointKind::Ball | JointKind::Rod) && joint.at_origins;
                joint.ends.contains(&Some(b)) && (joint.carries.is_some() || !held)
            };
            if free && !self.joints.iter().any(turned) {
                self.bodies[b].free = JointKind::FreePoint;
            }
        }
    }
}

/// The representative of a part.
fn root(part: &mut [usize], mut at: usize) -> usize {
    while part[at] != at {
        part[at] = part[part[at]];
        at = part[at];
    }
    at
}

/// Whether an expression asks for the force or torque of a joint.
fn asks_for_reactions(e: &Expr) -> bool {
    let any = |parts: &[Expr]| parts.iter().any(asks_for_reactions);
    match &e.kind {
        ExprKind::Call(name, args) => matches!(name.text.as_str(), "force" | "torque") || any(args),
        ExprKind::Number(_) | ExprKind::Quantity(..) | ExprKind::Name(_) => false,
        ExprKind::Slice(a, _) => asks_for_reactions(a),
        ExprKind::Index(a, list) => asks_for_reactions(a) || any(list),
        ExprKind::Component(a, _) | ExprKind::Prime(a, _) | ExprKind::Neg(a) | ExprKind::Not(a) => {
            asks_for_reactions(a)
        }
        ExprKind::SumOver(sum) => asks_for_reactions(&sum.body),
        ExprKind::Vector(list) | ExprKind::And(list) | ExprKind::Or(list) => any(list),
        ExprKind::Sum(terms) => terms.iter().any(|term| asks_for_reactions(&term.expr)),
        ExprKind::Product(factors) => factors.iter().any(|factor| asks_for_reactions(&factor.expr)),
        ExprKind::Power(a, b) | ExprKind::Compare(_, a, b) | ExprKind::Of(a, b) | ExprKind::In(a, b) => {
            asks_for_reactions(a) || asks_for_reactions(b)
        }
        ExprKind::If(parts) => {
            [&parts.condition, &parts.then, &parts.otherwise].into_iter().any(asks_for_reactions)
        }
    }
}
