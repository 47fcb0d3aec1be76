//! What can be known of bodies before the model is read: their names, the joints between them, and the spanning tree.
//!
//! Joints may stand in any order and name bodies that come later, and the coordinates of a joint depend on whether it
//! carries a body or closes a loop (B1, B2). So the names of bodies, frames and joints are gathered first; values wait
//! until their statements are read.
//!
//! The tree: joints are taken in the order of their statements; one that joins two parts carries, one within a part
//! closes a loop. Joints whose coordinate is used come before the others ([`Use`]), so that they are not cut; rods never
//! carry, and `cut` is obeyed where the coordinate is not needed.

use super::super::{Elaborator, Overrides};
use super::plane::Dimensions;
use crate::bodies::JointKind;
use dalembert_syntax::ast::{
    self, Actuator, ActuatorKind, Ast, Block, Element, ElementPlace, Expr, ExprKind, JointOption, Place,
    Shape, StatementKind as S, Target, Turn,
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
    /// Mass at one point alone.
    is_particle: bool,
    /// That point, if it is not the origin.
    centre: Option<Expr>,
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
    pub ends: [Option<usize>; 2],
    /// Where the ends are on their bodies, if not at the origins.
    at: [Option<Expr>; 2],
    is_cut: bool,
    use_of: Use,
    /// The body that it carries, and whether from the second to the first.
    pub carries: Option<(usize, bool)>,
}

/// How the coordinate of a joint is used, from what can do without it to what cannot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    /// By nothing.
    #[default]
    None,
    /// By a guess at the start: what is guessed is where bodies are put.
    Guessed,
    /// By a spring, a damper, a force or limits, which can act on the freedom of a joint that is cut.
    Wanted,
    /// By friction, control or an armature, which are simpler with a coordinate.
    Preferred,
    /// By a fixed initial value or an event that sets it.
    Needed,
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
    /// Force elements by name.
    pub elements: FxHashSet<String>,
    /// Families of any of these, by their plain name.
    pub families: FxHashSet<String>,
    /// How many statements declare them.
    pub statements: usize,
    /// Joints whose forces are asked for somewhere, by name; sums of reactions are formed only then.
    pub reactions_asked_for: bool,
}

/// Joints by name, with what a statement says of them, until all bodies are known.
#[derive(Default)]
struct Gathered {
    plan: Plan,
    frames: Vec<(String, String)>,
    joints: Vec<GatheredJoint>,
    uses: FxHashMap<String, Use>,
    dimensions: Dimensions,
}

/// A joint whose ends are names yet.
struct GatheredJoint {
    name: String,
    kind: JointKind,
    ends: [String; 2],
    at: [Option<Expr>; 2],
    is_cut: bool,
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
        expressions(kind).into_iter().for_each(|e| self.dimensions.points(e));
        if declares_part(kind) {
            self.plan.statements += 1;
            let declared = kind.parts().declares.into_iter().filter(|target| !target.subscripts.is_empty());
            self.plan.families.extend(declared.map(|target| target.name.text.clone()));
        }
        match kind {
            S::Const(list) => list.iter().for_each(|d| _ = scout.constant(d)),
            S::Let(list) => self.dimensions.names(list),
            S::For { index, range, body } => {
                let Ok((first, last)) = scout.range(range) else { return };
                let _reported = scout.with_index(index, first, last, |scout, _| {
                    self.block(scout, body);
                    Ok(())
                });
            }
            S::Gravity(field) => self.dimensions.gravity(field),
            S::Torque { torque, .. } => self.dimensions.moment(torque),
            S::Body(body) => self.body(scout, body),
            S::Frame { name, place } => {
                self.place(place);
                if let (Ok(name), Ok(on)) = (scout.member(name), scout.member(&place.body)) {
                    self.frames.push((name, on));
                }
            }
            S::Joint(joint) => self.joint(scout, joint),
            S::Element(element) => self.element(scout, element),
            S::ForceOn { target, .. } => self.keep(scout, target, Use::Wanted),
            S::FrictionIn { target, .. } => self.keep(scout, target, Use::Preferred),
            S::Actuate(list) => {
                for actuator in list {
                    if let ActuatorKind::On(target) = &actuator.kind {
                        self.keep(scout, target, Use::Preferred);
                    }
                }
            }
            S::Initial(items) => {
                for item in items {
                    self.keep(scout, &item.target, if item.fixed { Use::Needed } else { Use::Guessed });
                }
            }
            S::Output(list) => {
                self.plan.reactions_asked_for |= list.iter().any(|d| asks_for_reactions(&d.value));
            }
            S::Event { value, actions, .. } => {
                let mut values = actions.iter().map(|a| &a.value).chain([value]);
                self.plan.reactions_asked_for |= values.any(asks_for_reactions);
                actions.iter().for_each(|action| self.keep(scout, &action.target, Use::Needed));
            }
            _ => {}
        }
    }

    /// Joints with fixed initial values from outside keep their coordinates too.
    fn overrides(&mut self, scout: &mut Elaborator<'_>, overrides: &Overrides) {
        for text in overrides.initial.iter().chain(&overrides.kept) {
            let (ast, _) = parse(&Source::new("--initial", format!("initial {text}")));
            self.block(scout, &ast.body);
        }
    }

    fn body(&mut self, scout: &mut Elaborator<'_>, body: &ast::Body) {
        for (word, size) in body.parts.iter().flat_map(|part| &part.sizes) {
            match word.text.as_str() {
                "from" | "to" | "at" | "centre" | "axis" | "size" => self.dimensions.vector(size),
                "inertia" => self.dimensions.moment(size),
                _ => {}
            }
        }
        let Ok(name) = scout.member(&body.name) else { return };
        let (is_particle, centre) = match body.parts.as_slice() {
            [part] => {
                let size = |word: &str| part.sizes.iter().find(|(known, _)| known.text == word);
                let is_point = part.shape.text == "point" || part.shape.text == "mass";
                let centre = size("at").or_else(|| size("centre")).map(|(_, at)| at);
                (is_point && size("inertia").is_none(), centre.and_then(away_from_origin))
            }
            _ => (false, None),
        };
        if !self.plan.body_of.contains_key(&name) {
            self.plan.body_of.insert(name.clone(), self.plan.bodies.len());
            let free = JointKind::Free;
            self.plan.bodies.push(PlannedBody { name, is_particle, centre, joint: None, parent: None, free });
        }
    }

    fn place(&mut self, place: &Place) {
        place.at.iter().for_each(|at| self.dimensions.vector(at));
        match &place.turned {
            Some(Turn::Axis(..)) => self.dimensions.turn_in_space(),
            Some(Turn::Matrix(e)) => self.dimensions.vector(e),
            None => {}
        }
    }

    fn joint(&mut self, scout: &mut Elaborator<'_>, joint: &ast::Joint) {
        self.place(&joint.first);
        self.place(&joint.second);
        let (mut is_cut, mut use_of) = (false, Use::None);
        for option in &joint.options {
            match option {
                JointOption::Axes(_, axes) => axes.iter().for_each(|axis| self.dimensions.vector(axis)),
                JointOption::Cut(_) => is_cut = true,
                JointOption::Limits(..) => use_of = use_of.max(Use::Wanted),
                JointOption::Armature(..) => use_of = use_of.max(Use::Preferred),
                JointOption::Restitution(..) => {}
            }
        }
        let Some(kind) = JointKind::by_name(&joint.kind.text) else { return };
        let ends = [&joint.first.body, &joint.second.body].map(|body| scout.member(body));
        let (Ok(name), [Ok(first), Ok(second)]) = (scout.member(&joint.name), ends) else { return };
        self.uses.entry(name.clone()).and_modify(|known| *known = use_of.max(*known)).or_insert(use_of);
        let at = [&joint.first, &joint.second].map(|place| place.at.as_ref().and_then(away_from_origin));
        self.joints.push(GatheredJoint { name, kind, ends: [first, second], at, is_cut });
    }

    fn element(&mut self, scout: &mut Elaborator<'_>, element: &Element) {
        if let ElementPlace::At(joint) = &element.place {
            self.keep(scout, joint, Use::Wanted);
        }
        self.plan.elements.extend(scout.member(&element.name));
    }

    /// A joint whose coordinate is used.
    fn keep(&mut self, scout: &mut Elaborator<'_>, target: &Target, use_of: Use) {
        let joint = Target { part: None, ..target.clone() };
        for name in scout.members(&joint).unwrap_or_default() {
            let known = self.uses.entry(name).or_default();
            *known = use_of.max(*known);
        }
    }

    fn close(mut self) -> Plan {
        self.plan.is_plane = self.dimensions.is_plane();
        for (frame, on) in std::mem::take(&mut self.frames) {
            if let Some(body) = self.place_of(&on) {
                self.plan.frame_of.insert(frame, body);
            }
        }
        for GatheredJoint { name, kind, ends, at, is_cut } in std::mem::take(&mut self.joints) {
            let [Some(first), Some(second)] = ends.map(|end| self.place_of(&end)) else {
                continue;
            };
            let use_of = self.uses.get(&name).copied().unwrap_or_default();
            self.plan.joint_of.entry(name).or_insert(self.plan.joints.len());
            let ends = [first, second];
            self.plan.joints.push(PlannedJoint { kind, ends, at, is_cut, use_of, carries: None });
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
    /// Whether a loop is cut where the model says so by `cut`.
    pub fn has_chosen_cuts(&self) -> bool {
        self.joints.iter().any(|joint| joint.is_cut && joint.carries.is_none())
    }

    /// Chooses the joints that carry bodies (B1) and gives every body its parent.
    fn span_tree(&mut self) {
        let ground = self.bodies.len();
        let mut part: Vec<usize> = (0..=ground).collect();
        let mut branches: Vec<Vec<usize>> = vec![Vec::new(); ground + 1];
        for use_of in [Use::Needed, Use::Preferred, Use::Wanted, Use::Guessed, Use::None] {
            for (j, joint) in self.joints.iter().enumerate() {
                let is_cut = joint.kind == JointKind::Rod || (joint.is_cut && use_of != Use::Needed);
                let carries = joint.use_of == use_of && !is_cut;
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
                let at_mass =
                    joint.ends.iter().zip(&joint.at).all(|(end, at)| *end != Some(b) || *at == body.centre);
                let held = matches!(joint.kind, JointKind::Ball | JointKind::Rod) && at_mass;
                joint.ends.contains(&Some(b)) && (joint.carries.is_some() || !held)
            };
            if free && !self.joints.iter().any(turned) {
                self.bodies[b].free = JointKind::FreePoint;
            }
        }
    }
}

/// Whether a statement declares something that others may be about before it has been read.
pub(in super::super) fn declares_part(kind: &S) -> bool {
    matches!(kind, S::Body(_) | S::Frame { .. } | S::Joint(_) | S::Element(_))
}

/// A place other than the origin, without spans.
fn away_from_origin(at: &Expr) -> Option<Expr> {
    let is_zero = |e: &Expr| matches!(&e.kind, ExprKind::Number(n) if n.parse() == Ok(0.0));
    let is_origin = matches!(&at.kind, ExprKind::Vector(parts) if parts.iter().all(is_zero));
    (!is_origin).then(|| at.without_spans())
}

/// Expressions of a statement in which points and directions on bodies are found.
fn expressions(kind: &S) -> Vec<&Expr> {
    match kind {
        S::Let(list) | S::Output(list) => list.iter().map(|d| &d.value).collect(),
        S::ForceAt { force, point } => vec![force, point],
        S::Constraint(equation) | S::Require { equation, .. } => vec![&equation.left, &equation.right],
        S::Torque { torque: e, .. } | S::Event { value: e, .. } | S::Work(e) | S::Potential(e) => vec![e],
        S::Actuate(list) => list.iter().flat_map(actuated).collect(),
        S::Draw(Shape::Point(e) | Shape::Trace(e) | Shape::Circle { centre: e, .. }) => vec![e],
        S::Draw(Shape::Line(list)) => list.iter().collect(),
        S::Element(element) => match &element.place {
            ElementPlace::Between(a, b) => vec![a, b],
            ElementPlace::At(_) => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn actuated(actuator: &Actuator) -> Vec<&Expr> {
    match &actuator.kind {
        ActuatorKind::At { force, point } => vec![force, point],
        ActuatorKind::On(_) => Vec::new(),
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
    let asks = matches!(&e.kind, ExprKind::Call(name, _) if matches!(name.text.as_str(), "force" | "torque"));
    asks || e.parts().into_iter().any(asks_for_reactions)
}
