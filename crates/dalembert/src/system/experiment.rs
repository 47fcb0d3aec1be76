//! Where a motion starts, what is observed of it, and how it is computed.

use dalembert_expr::{Expr, Symbol};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;

/// Where a motion starts, what is observed of it, and how it is computed.
#[derive(Clone, Default)]
pub struct Experiment {
    /// Starting values.
    pub initial: Vec<Initial>,
    /// Columns of the result.
    pub outputs: Vec<Output>,
    /// Zero crossings.
    pub events: Vec<Event>,
    /// Where tables are asked, so that a run beyond their points can be told.
    pub table_uses: Vec<TableUse>,
    /// What `simulate` does by default.
    pub run: Option<Run>,
    /// A complete integral of the Hamilton-Jacobi equation, to be verified and used.
    pub complete_integral: Option<CompleteIntegral>,
}

/// What a starting value is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialTarget {
    /// A coordinate.
    Coordinate(usize),
    /// A speed.
    Speed(usize),
    /// The rate of a coordinate that is not a speed itself.
    Rate(usize),
}

/// A starting value.
#[derive(Clone, Copy, Debug)]
pub struct Initial {
    /// Of what.
    pub target: InitialTarget,
    /// `=` rather than `~`.
    pub fixed: bool,
    /// The value, over parameters.
    pub value: Expr,
    /// Where it stands.
    pub span: Option<Span>,
}

/// A column of the result.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Its value, over state, accelerations and observables.
    pub value: Expr,
    /// Its unit, as far as known.
    pub kind: UnitInfo,
    /// Where it stands.
    pub span: Span,
}

/// A zero crossing to locate.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// What crosses zero.
    pub value: Expr,
    /// Which crossings count; both when `None`.
    pub rising: Option<bool>,
    /// Whether the motion ends there.
    pub stop: bool,
    /// What changes there, all from values before it.
    pub actions: Vec<Action>,
    /// Where it stands.
    pub span: Span,
}

/// A table of the model at an argument.
#[derive(Clone, Debug, PartialEq)]
pub struct TableUse {
    /// Name of the table.
    pub name: String,
    /// The argument.
    pub argument: Expr,
    /// First and last abscissa.
    pub range: [f64; 2],
    /// Where it is asked.
    pub span: Span,
}

/// Every expression of events with its place: what crosses zero, and what is assigned.
pub(crate) fn event_expressions(events: &mut [Event]) -> impl Iterator<Item = (&mut Expr, Span)> {
    events.iter_mut().flat_map(|event| {
        let values = event.actions.iter_mut().map(|action| (&mut action.value, action.span));
        std::iter::once((&mut event.value, event.span)).chain(values)
    })
}

/// A new value at an event.
#[derive(Clone, Debug)]
pub struct Action {
    /// A variable of x or a speed; the rate of a coordinate only until the speeds are known.
    pub target: InitialTarget,
    /// The value, over state, accelerations and observables before the event.
    pub value: Expr,
    /// Where it stands.
    pub span: Span,
}

/// The `simulate` statement, over parameters.
#[derive(Clone, Debug)]
pub struct Run {
    /// Last time.
    pub until: Expr,
    /// Spacing of the output.
    pub every: Option<Expr>,
    /// Integrator, with its place.
    pub method: Option<(String, Span)>,
    /// Tolerance.
    pub tolerance: Option<Expr>,
    /// Where it stands.
    pub span: Span,
}

/// The `complete_integral` statement: S over coordinates, time, parameters and its constants.
#[derive(Clone, Debug)]
pub struct CompleteIntegral {
    /// The constants of integration, by name.
    pub constants: Vec<(String, Symbol)>,
    /// S.
    pub action: Expr,
    /// Where it stands.
    pub span: Span,
}
