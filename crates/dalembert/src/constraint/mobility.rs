//! The tree, the loops and the freedoms of a model with bodies.
//!
//! Gruebler's count takes all rows of joints for independent; rows that follow from others make the true mobility
//! larger. Both are told, with the rank of the rows of each loop.

use crate::bodies::{Joint, JointRole, Multibody};
use crate::workspace::Workspace;
use dalembert_linalg::{Cod, RANK_TOL};
use dalembert_run::{Dynamics, State, Terms};

/// A loop: the joints on it, and the rows of the one that closes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The joint that closes it, and then those of the tree on the way round.
    pub joints: Vec<String>,
    /// Rows of the closure.
    pub rows: usize,
    /// How many of them are independent.
    pub rank: usize,
}

/// Loops and freedoms.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mobility {
    /// Freedoms by Gruebler's count, of bodies and joints.
    pub counted: i64,
    /// One loop for each joint that is cut.
    pub loops: Vec<Loop>,
}

impl Mobility {
    /// Looks at a model; `None` if it has no bodies.
    pub fn at(model: &Workspace, state: &State) -> Option<Mobility> {
        let bodies = model.system.bodies.as_ref()?;
        let mut terms = Terms::of(&model.compiled);
        let mut scratch = vec![0.0; model.compiled.scratch_len()];
        model.compiled.terms(state.point(), &mut scratch, &mut terms);
        let cut = bodies.joints.iter().filter_map(|joint| match joint.role {
            JointRole::Cut { constraint: Some(group) } => Some((joint, group)),
            _ => None,
        });
        let loops = cut.map(|(joint, group)| {
            let rows = model.system.constraints.named[group].rows.clone();
            let (count, rank) = (rows.len(), rank(&terms, rows, model.form.speeds.len()));
            Loop { joints: way_round(bodies, joint), rows: count, rank }
        });
        Some(Mobility { counted: counted(bodies), loops: loops.collect() })
    }
}

/// Gruebler: freedoms of bodies less what joints hold.
fn counted(bodies: &Multibody) -> i64 {
    let all = if bodies.is_plane { 3 } else { 6 };
    let held = |joint: &Joint| all - joint.kind.freedoms(bodies.is_plane) as i64;
    all * bodies.bodies.len() as i64 - bodies.joints.iter().map(held).sum::<i64>()
}

fn rank(terms: &Terms, rows: std::ops::Range<usize>, n: usize) -> usize {
    let mut A = vec![0.0; rows.len() * n];
    for (k, r) in rows.clone().enumerate() {
        terms.row(r).entries().for_each(|(q, value)| A[k * n + q] = value);
    }
    Cod::new(rows.len(), n).factor(&A, RANK_TOL)
}

/// The joint that closes a loop and those that carry its bodies, up to where they meet.
fn way_round(bodies: &Multibody, joint: &Joint) -> Vec<String> {
    let to_ground = |start: Option<usize>| {
        let mut way = Vec::new();
        let mut at = start;
        while let Some(b) = at {
            way.push(bodies.bodies[b].joint);
            at = bodies.bodies[b].parent;
        }
        way
    };
    let (mut first, mut second) = (to_ground(joint.first.body), to_ground(joint.second.body));
    while first.last().is_some() && first.last() == second.last() {
        first.pop();
        second.pop();
    }
    let name = |j: &usize| bodies.joints[*j].name.clone();
    std::iter::once(joint.name.clone()).chain(first.iter().map(name)).chain(second.iter().map(name)).collect()
}
