//! A loop of joints that cannot be closed: at which joint it stays open, and how far.

use super::at_the_guess;
use crate::bodies::{Joint, JointKind};
use crate::number;
use crate::workspace::Workspace;
use dalembert_linalg::norm;
use dalembert_run::{StartGuess, least_gap};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// A part of a gap below this part of the other is not told of.
const SMALL: f64 = 1e-6;

/// How far the places of a joint are from where it holds them.
struct Gap<'a> {
    joint: &'a Joint,
    /// Length, and sine of the angle.
    apart: f64,
    turned: f64,
}

/// No position closes the loops from a guess: the joint that is farthest open where they are closed best.
pub(super) fn open_loop(guess: &StartGuess, model: &Workspace) -> Diagnostic {
    let nearest = least_gap(&model.compiled, guess);
    let place = if nearest.is_some() { "in the nearest position found" } else { "at the values given" };
    let mut at = guess.clone();
    at.state.x = nearest.unwrap_or(at.state.x);
    let gaps = gaps(&at, model);
    let widest = gaps.iter().max_by(|a, b| a.apart.max(a.turned).total_cmp(&b.apart.max(b.turned)));
    let help = "check lengths and places, give better guesses with `~`, or fix fewer starting values";
    let (span, message) = match widest {
        Some(gap) => (
            Some(gap.joint.span),
            format!("the loop cannot be closed at joint `{}`: {} {place}", gap.joint.name, gap.told()),
        ),
        None => (None, "the loops of joints cannot be closed".to_owned()),
    };
    Diagnostic::error(Code::LoopNotClosed, span, message).help(help)
}

fn gaps<'a>(at: &StartGuess, model: &'a Workspace) -> Vec<Gap<'a>> {
    let (phi, _) = at_the_guess(model, at);
    let constraints = &model.system.constraints;
    let mut gaps = Vec::new();
    for (k, constraint) in constraints.named.iter().enumerate() {
        let Some(joint) = model.system.joint_of_constraint(k) else { continue };
        let turns = |row: usize| constraints.rows[row].name.starts_with(&format!("{}.torque", joint.name));
        let (turned, apart): (Vec<usize>, Vec<usize>) = constraint.rows.clone().partition(|row| turns(*row));
        let length = |rows: Vec<usize>| norm(&rows.into_iter().map(|row| phi[row]).collect::<Vec<f64>>());
        gaps.push(Gap { joint, apart: length(apart), turned: length(turned) });
    }
    gaps
}

impl Gap<'_> {
    fn told(&self) -> String {
        let apart = number::short(self.apart);
        let apart = match self.joint.kind {
            JointKind::Rod => format!("the distance of its points differs from its length by {apart}"),
            JointKind::Pin | JointKind::Ball | JointKind::Universal | JointKind::Weld => {
                format!("its points stay {apart} apart")
            }
            _ => format!("its points stay {apart} apart across its axis"),
        };
        let angle = number::short(self.turned.min(1.0).asin());
        let turned = format!("its axes stay turned apart by {angle} rad");
        match (self.apart > SMALL * self.turned, self.turned > SMALL * self.apart) {
            (true, true) => format!("{apart} and {turned}"),
            (false, true) => turned,
            _ => apart,
        }
    }
}
