//! What kind a constraint is, and what the constraints leave free.
//!
//! Kinds are read off the expressions: whether a rate occurs, whether it occurs linearly, whether time does. Whether
//! a velocity constraint can be integrated is a question of brackets and is not answered here.

use crate::kernel_form::Places;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool, Symbol};
use dalembert_run::{ConsistentState, Dynamics, Projector, StartGuess, State, Terms, find_start};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// How far from the start the rank is looked at again, relative to the size of each variable.
const NEARBY: f64 = 1e-2;

/// A constraint in words of mechanics.
pub struct ConstraintKind {
    /// Its name.
    pub name: String,
    /// The names of its rows.
    pub rows: Vec<String>,
    /// No rate occurs in it.
    pub holonomic: bool,
    /// It is linear in accelerations.
    pub on_accelerations: bool,
    /// Linear in the speeds.
    pub linear: bool,
    /// Time does not occur in it.
    pub scleronomic: bool,
    /// Rest satisfies it at velocity level.
    pub catastatic: bool,
}

impl ConstraintKind {
    /// `holonomic`, `velocity` or `acceleration`.
    pub fn kind(&self) -> &'static str {
        match (self.holonomic, self.on_accelerations) {
            (true, _) => "holonomic",
            (false, false) => "velocity",
            (false, true) => "acceleration",
        }
    }
}

/// The kinds of all constraints.
pub fn kinds(model: &mut Workspace) -> Vec<ConstraintKind> {
    let constraints = model.system.constraints.named.clone();
    let speeds = Places::new(&model.form.speeds);
    constraints
        .iter()
        .map(|constraint| {
            let rows = constraint.rows.clone();
            ConstraintKind {
                name: constraint.name.clone(),
                rows: model.system.constraints.rows[rows.clone()]
                    .iter()
                    .map(|row| row.name.clone())
                    .collect(),
                on_accelerations: model.system.constraints.rows[rows.clone()]
                    .iter()
                    .any(|row| row.on_accelerations),
                holonomic: model.system.constraints.rows[rows.clone()].iter().all(|row| row.holonomic),
                linear: rows.clone().all(|r| linear(model, &speeds, r)),
                scleronomic: rows.clone().all(|r| !timed(model, r)),
                catastatic: rows.clone().all(|r| keeps_rest(model, &speeds, r)),
            }
        })
        .collect()
}

fn linear(model: &mut Workspace, speeds: &Places, row: usize) -> bool {
    let psi = model.form.velocity_residuals[row];
    if model.system.constraints.rows[row].holonomic {
        return true;
    }
    let present: Vec<Symbol> = speeds.present(&mut model.system.pool, psi).into_iter().map(|p| p.1).collect();
    model.system.pool.linear(psi, &present).is_some()
}

pub(crate) fn timed(model: &mut Workspace, row: usize) -> bool {
    let (residual, time) = (model.system.constraints.rows[row].residual, model.system.time);
    if !model.system.pool.depends_on(residual, &[time]) {
        return false;
    }
    let simple = model.system.pool.simplify(residual);
    model.system.pool.depends_on(simple, &[time])
}

pub(crate) fn keeps_rest(model: &mut Workspace, speeds: &Places, row: usize) -> bool {
    let psi = model.form.velocity_residuals[row];
    let present = speeds.present(&mut model.system.pool, psi);
    let zeros: Vec<(Symbol, Expr)> = present.into_iter().map(|(_, s)| (s, Pool::ZERO)).collect();
    let at_rest = model.system.pool.substitute(&[psi], &zeros)[0];
    model.system.pool.simplify(at_rest) == Pool::ZERO
}

/// What the constraints leave free at the start and around it.
pub struct Freedom {
    /// Rank of the rows at the start.
    pub rank: usize,
    /// Rank at a neighbouring state on the constraints.
    pub rank_nearby: usize,
    /// Rows that follow from earlier ones.
    pub redundant: Vec<usize>,
}

impl Freedom {
    /// Finds the start, and looks at it; what is wrong if there is none, or no motion from it.
    pub fn at_start(model: &mut Workspace) -> Result<(ConsistentState, Freedom), Box<Diagnostic>> {
        let start = model.start()?;
        let found = model.evaluate(&start.state)?;
        let mut freedom = Freedom::at(model, &start);
        if model.system.constraints.rows.iter().any(|row| row.on_accelerations) {
            // The start satisfies none of these, but the motion does.
            freedom.rank = found.solution.rank;
            freedom.rank_nearby = freedom.rank_nearby.max(freedom.rank);
        }
        Ok((start, freedom))
    }

    /// Looks at the start and beside it.
    pub fn at(model: &Workspace, start: &ConsistentState) -> Freedom {
        let nearby = neighbour(model, &start.state).filter(|other| other.rank > start.rank);
        let state = nearby.as_ref().map_or(&start.state, |other| &other.state);
        let redundant = model.redundant_rows(&constraint_terms(model, state));
        Freedom { rank: start.rank, rank_nearby: nearby.as_ref().map_or(start.rank, |n| n.rank), redundant }
    }

    /// What is worth saying about it: redundant rows, and a start where rank is lost.
    pub fn remarks(&self, model: &Workspace) -> Vec<Diagnostic> {
        let lost = (self.rank < self.rank_nearby).then(|| degenerate(model, self));
        redundancy(model, &self.redundant).into_iter().chain(lost).collect()
    }

    /// Speeds less independent rows.
    pub fn degrees(&self, model: &Workspace) -> usize {
        model.form.speeds.len() - self.rank_nearby
    }
}

/// The note about rows that follow from others.
pub fn redundancy(model: &Workspace, rows: &[usize]) -> Option<Diagnostic> {
    let first = rows.first()?;
    let named: Vec<String> =
        rows.iter().map(|r| format!("`{}`", model.system.constraints.rows[*r].name)).collect();
    let verb = if rows.len() == 1 { "follows" } else { "follow" };
    let message = format!("{} {verb} from the other constraints", named.join(", "));
    let note =
        Diagnostic::note(Code::RedundantConstraints, model.system.constraints.rows[*first].span, message);
    Some(note.help("the motion is not affected; single multipliers are shared in the way of least squares"))
}

fn degenerate(model: &Workspace, freedom: &Freedom) -> Diagnostic {
    let message = format!(
        "the constraints degenerate at the start: rank {} there, {} around it",
        freedom.rank, freedom.rank_nearby
    );
    let span = model.system.constraints.rows.first().map(|row| row.span);
    Diagnostic::warning(Code::DegenerateState, span, message)
        .help("degrees of freedom are those around it; start elsewhere if the motion from there is not what you mean")
}

/// A consistent state near another one, in no particular direction. What the kinematics conserve is kept.
pub(crate) fn neighbour(model: &Workspace, state: &State) -> Option<ConsistentState> {
    let shifted = |values: &[f64], offset: usize| -> Vec<f64> {
        let shift = |k: usize| 0.5 + ((k + offset) as f64 * 0.618_033_988_75).fract();
        values.iter().enumerate().map(|(k, v)| v + NEARBY * (1.0 + v.abs()) * shift(k)).collect()
    };
    let (mut x, mut eta) = (shifted(&state.x, 0), shifted(&state.eta, state.x.len()));
    let mut projector = Projector::new(&model.compiled);
    projector.hold_invariants(&model.compiled, &state.x);
    projector.project(&model.compiled, state.t, &mut x, &mut eta).ok()?;
    let guess = StartGuess {
        state: State::new(state.t, &x, &eta),
        bodies: model.system.bodies.is_some(),
        ..StartGuess::default()
    };
    find_start(&model.compiled, &guess).ok()
}

fn constraint_terms(model: &Workspace, state: &State) -> Terms {
    let mut terms = Terms::of(&model.compiled);
    let mut scratch = vec![0.0; model.compiled.scratch_len()];
    model.compiled.terms(state.point(), &mut scratch, &mut terms);
    terms
}
