//! What went wrong in the numbers, in the user's names: indices become constraints, coordinates and speeds.

mod culprit;
mod open_loop;

use crate::bodies::Body;
use crate::number;
use crate::system::InitialTarget;
use crate::workspace::Workspace;
use culprit::{Entry, with_culprits};
use dalembert_linalg::{Cod, RANK_TOL, dot};
use dalembert_run::{
    AccelerationError, Dynamics, Failure, NotDifferentiable, Point, Refusal, StartError, StartGuess, State,
    Term,
};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;
use open_loop::open_loop;

/// Rows that are named besides the first in one message.
const NAMED: usize = 4;

/// No start.
pub(crate) fn of_start(error: &StartError, guess: &StartGuess, model: &Workspace) -> Diagnostic {
    let row = |r: usize| &model.system.constraints.rows[r];
    let first_fixed = model.system.experiment.initial.iter().filter(|i| i.fixed).find_map(|i| i.span);
    // Rows beyond the model's own are what the kinematics conserve (the norm of a quaternion).
    if let StartError::Position { row, .. }
    | StartError::Velocity { row, .. }
    | StartError::NotFinite { row: Some(row) } = error
        && *row >= model.system.constraints.rows.len()
    {
        let message = "at these starting values the kinematics leave the range of numbers";
        return Diagnostic::error(Code::NotFinite, first_fixed, message).help("give smaller starting values");
    }
    match error {
        StartError::Position { row, .. }
            if model.system.joint_of_constraint(model.system.constraints.rows[*row].constraint).is_some() =>
        {
            open_loop(guess, model)
        }
        StartError::Position { row, together, .. } => {
            let d = contradiction("configuration", *row, together, guess, model);
            let d = match first_fixed {
                Some(span) => d.label(span, "with the values fixed here"),
                None => d,
            };
            d.help(free_something(&guess.x_fixed, "coordinates"))
        }
        StartError::Velocity { row, together, .. } => {
            let guess = &with_given_rates(guess);
            let d = contradiction("speeds", *row, together, guess, model);
            if guess.conditions.is_empty() {
                return d.help(free_something(&guess.eta_fixed, "speeds"));
            }
            with_fixed_rates(d, model)
        }
        StartError::NotFinite { row: Some(r) } => {
            let message = format!("`{}` has no finite value at the starting guess", row(*r).name);
            Diagnostic::error(Code::NotFinite, row(*r).span, message)
                .help("give a guess away from the singular point, as in `initial x ~ 1`")
        }
        StartError::Condition { together, .. } => {
            match together.iter().find(|r| **r < model.system.constraints.rows.len()) {
                Some(row) => {
                    let d = contradiction("speeds", *row, together, &with_given_rates(guess), model);
                    with_fixed_rates(d, model)
                }
                None => {
                    let message = "the rates and speeds fixed at the start contradict each other";
                    with_fixed_rates(Diagnostic::error(Code::InconsistentStart, None, message), model)
                }
            }
        }
        StartError::NotFinite { row: None } => {
            Diagnostic::error(Code::NotFinite, None, "a starting value is not a finite number")
        }
        StartError::BadArguments { what } => Diagnostic::error(
            Code::BadOption,
            None,
            format!("the starting state does not fit the model: {what}"),
        ),
    }
}

fn event_name(model: &Workspace, event: usize) -> (&str, Option<Span>) {
    model.system.experiment.events.get(event).map_or(("?", None), |e| (e.name.as_str(), Some(e.span)))
}

/// The guess with the speeds nearest to it that have the rates which are given.
fn with_given_rates(guess: &StartGuess) -> StartGuess {
    let (n, m, mut guess) = (guess.state.eta.len(), guess.conditions.len(), guess.clone());
    let free = |j: usize| !guess.eta_fixed.get(j).copied().unwrap_or(false);
    let mut rows = vec![0.0; m * n];
    for (i, c) in guess.conditions.iter().enumerate() {
        (0..n).filter(|j| free(*j)).for_each(|j| rows[i * n + j] = c.row[j]);
    }
    let left: Vec<f64> = guess.conditions.iter().map(|c| c.right - dot(&c.row, &guess.state.eta)).collect();
    let (mut cod, mut change) = (Cod::new(m, n), vec![0.0; n]);
    cod.factor(&rows, RANK_TOL);
    cod.solve(&left, &mut change);
    guess.state.eta.iter_mut().zip(change).for_each(|(eta, change)| *eta += change);
    guess
}

fn with_fixed_rates(mut d: Diagnostic, model: &Workspace) -> Diagnostic {
    let fixed = |i: &&crate::system::Initial| i.fixed && !matches!(i.target, InitialTarget::Coordinate(_));
    for span in model.system.experiment.initial.iter().filter(fixed).filter_map(|i| i.span).take(NAMED) {
        d = match d.span {
            None => Diagnostic { span: Some(span), ..d },
            Some(_) => d.label(span, "with what is fixed here"),
        };
    }
    d.help("change a fixed rate, or write `~` instead of `=` for what may be adjusted")
}

/// Residuals at the values that were given, by position and by rate.
fn at_the_guess(model: &Workspace, guess: &StartGuess) -> (Vec<f64>, Vec<f64>) {
    let m = model.system.constraints.rows.len();
    let (mut phi, mut psi) = (vec![0.0; m], vec![0.0; m]);
    let mut scratch = vec![0.0; model.compiled.scratch_len()];
    model.compiled.residuals(guess.state.point(), &mut scratch, &mut phi, &mut psi);
    (phi, psi)
}

/// No values of a kind satisfy some rows together, or one by itself. Where it is not known which they are it is told of
/// the row that a search ended at.
fn contradiction(
    what: &str,
    ended_at: usize,
    together: &[usize],
    guess: &StartGuess,
    model: &Workspace,
) -> Diagnostic {
    let rows = &model.system.constraints.rows;
    let (phi, psi) = at_the_guess(model, guess);
    let violation = |r: usize| if what == "configuration" { phi[r].abs() } else { psi[r].abs() };
    let mut blamed: Vec<usize> = together.iter().copied().filter(|r| *r < rows.len()).collect();
    if blamed.is_empty() {
        let worst = (0..rows.len()).max_by(|a, b| violation(*a).total_cmp(&violation(*b)));
        blamed.push(ended_at);
        blamed.extend(worst.filter(|w| *w != ended_at && violation(ended_at) == 0.0));
    }
    // What is violated at the values given comes first, and in the order of the text.
    blamed.sort_by_key(|r| violation(*r) == 0.0);
    let (first, others) = (blamed[0], &blamed[1..]);
    let names: Vec<String> = others.iter().take(NAMED).map(|r| format!("`{}`", rows[*r].name)).collect();
    let more = others.len().saturating_sub(NAMED);
    let with = match (names.join(", "), more) {
        (names, _) if names.is_empty() => String::new(),
        (names, 0) => format!(" together with {names}"),
        (names, more) => format!(" together with {names} and {more} more"),
    };
    let verb = format!(
        "no starting {what} {} `{}`{with}",
        if what == "speeds" { "satisfy" } else { "satisfies" },
        rows[first].name
    );
    let message = format!("{verb}: {}", off_by(model, guess, first, what == "speeds"));
    let d = Diagnostic::error(Code::InconsistentStart, rows[first].span, message);
    others.iter().take(NAMED).fold(d, |d, r| d.label(rows[*r].span, "together with this one"))
}

/// How far the sides of a row are apart at the values that were given.
fn off_by(model: &Workspace, guess: &StartGuess, row: usize, speeds: bool) -> String {
    let (phi, psi) = at_the_guess(model, guess);
    let (what, residual) = match phi[row] {
        phi if model.system.constraints.rows[row].holonomic && (phi == 0.0 || speeds && psi[row] != 0.0) => {
            ("the rates of its sides", psi[row])
        }
        0.0 => ("its sides", psi[row]),
        residual => ("its sides", residual),
    };
    format!("at the values given {what} differ by {}", number::short(residual.abs()))
}

fn free_something(fixed: &[bool], what: &str) -> String {
    if fixed.iter().all(|f| *f) {
        format!("all {what} are fixed: write `~` instead of `=` for those that may be adjusted")
    } else if fixed.iter().any(|f| *f) {
        "change a fixed value, or write `~` instead of `=` for what may be adjusted".to_owned()
    } else {
        format!(
            "nothing is fixed: the constraints may contradict each other, or better guesses of the {what} may be needed"
        )
    }
}

/// Nothing determines how a body moves.
fn undetermined(body: &Body, name: &str) -> Diagnostic {
    let message =
        format!("nothing determines the motion of `{}` along `{name}`: it has no inertia there", body.name);
    Diagnostic::error(Code::MotionUndetermined, body.span, message).help(
        "give the body mass and inertia (a thin rod has none about itself, a `cylinder` has), the joint an `armature`, \
         or hold it by another joint (`universal` instead of `ball`) or constraint",
    )
}

/// No acceleration, at a state where that is known.
pub(crate) fn of_acceleration(
    error: &AccelerationError,
    model: &Workspace,
    at: Option<Point<'_>>,
) -> Diagnostic {
    let system = &model.system;
    match error {
        AccelerationError::NotFinite { t, term, index } => not_finite(*t, *term, *index, model, at),
        AccelerationError::MassSingular { t, speed, pivot } => {
            let (name, span): (&str, Option<Span>) = match system.frame.speeds.get(*speed) {
                Some(s) => (&s.name, Some(s.span)),
                None => ("a speed", None),
            };
            let name = name.strip_suffix('\'').unwrap_or(name);
            if let Some(body) = system.body_of_speed(*speed) {
                return undetermined(body, name);
            }
            let size = if *pivot == 0.0 { String::new() } else { format!(" (pivot {pivot:.1e})") };
            let message = format!(
                "the mass matrix is singular at t = {at}: nothing determines the acceleration of `{name}`{size}",
                at = number::short(*t)
            );
            Diagnostic::error(Code::MassSingular, span, message).help(format!(
                "give `{name}` inertia in the kinetic energy, or a constraint that determines it"
            ))
        }
        AccelerationError::Inconsistent { t, rows, .. } => {
            // Rows beyond those of constraints belong to contacts that stick.
            let mut named: Vec<String> = rows
                .iter()
                .take(1 + NAMED)
                .map(|r| {
                    system
                        .constraints
                        .rows
                        .get(*r)
                        .map_or("a sticking contact".into(), |row| format!("`{}`", row.name))
                })
                .collect();
            if rows.len() > 1 + NAMED {
                named.push(format!("and {} more", rows.len() - 1 - NAMED));
            }
            let span = rows.iter().find_map(|r| system.constraints.rows.get(*r)).map(|row| row.span);
            let message = format!(
                "at t = {} these constraints cannot hold together: {}",
                number::short(*t),
                named.join(", ")
            );
            let mut d = Diagnostic::error(Code::ContradictoryConstraints, span, message);
            for row in rows.iter().skip(1).filter_map(|r| system.constraints.rows.get(*r)).take(4) {
                d = d.label(row.span, "together with this one");
            }
            d.help("remove one of them, or make their right sides agree")
        }
        AccelerationError::FrictionParadox { t, contact, solutions } => {
            let (name, span) = contact_name(model, *contact);
            let message = match solutions.as_slice() {
                [] => format!("at t = {} the law of friction on `{name}` has no solution", number::short(*t)),
                known if known.iter().all(|N| N.is_finite()) => {
                    let known: Vec<String> = known.iter().map(|N| number::short(*N)).collect();
                    format!(
                        "at t = {} the law of friction on `{name}` has {} solutions, normal forces {}",
                        number::short(*t),
                        known.len(),
                        known.join(" and ")
                    )
                }
                _ => format!(
                    "at t = {} the law of friction on `{name}` may have several solutions or none: friction acts back on normal forces too strongly to tell",
                    number::short(*t)
                ),
            };
            Diagnostic::error(Code::FrictionParadox, span, message)
                .help("this is Painleve's paradox: rigid bodies with this friction do not decide the motion; reduce the coefficient, or model the contact with some give")
        }
        AccelerationError::FrictionUnsettled { t, contact } => {
            let (name, span) = contact_name(model, *contact);
            let message =
                format!("at t = {} the contact `{name}` can neither stick nor slide", number::short(*t));
            Diagnostic::error(Code::FrictionUnsettled, span, message).help(unsettled(model, span))
        }
        AccelerationError::Unreachable { t, rows, residuals, missing } => {
            unreachable(*t, rows, residuals, missing, model)
        }
        AccelerationError::CostNotPositive { t, .. } => {
            let span = system.control.weight.as_ref().map(|(_, span)| *span);
            let message = match span {
                Some(_) => {
                    format!("the weight of the control is not positive definite at t = {}", number::short(*t))
                }
                None => format!(
                    "two actuators push the same way at t = {}: nothing decides between them",
                    number::short(*t)
                ),
            };
            Diagnostic::error(Code::CostNotPositive, span, message)
                .help("give a `weight` that is positive for every combination of control forces")
        }
    }
}

/// Why a contact may neither stick nor slide.
fn unsettled(model: &Workspace, span: Option<Span>) -> &'static str {
    let below = |d: &Diagnostic| d.code == Code::StaticBelowSliding && d.span == span;
    if model.diagnostics.iter().any(below) {
        "its static coefficient is below the sliding one: under a load between the two it lets go and cannot slide; make `static` at least as large as the coefficient"
    } else if model.system.contacts.len() == 1 {
        "look whether its static coefficient falls below the sliding one there: under a load between the two it lets go and cannot slide"
    } else {
        "several contacts at rest act on each other; try other coefficients, or less of them at rest at once"
    }
}

fn contact_name(model: &Workspace, contact: usize) -> (&str, Option<Span>) {
    model.system.contacts.get(contact).map_or(("?", None), |c| (c.name.as_str(), Some(c.span)))
}

fn unreachable(t: f64, rows: &[usize], residuals: &[f64], missing: &[f64], model: &Workspace) -> Diagnostic {
    let system = &model.system;
    let left: Vec<String> = rows
        .iter()
        .zip(residuals)
        .take(4)
        .map(|(r, left)| format!("`{}` by {}", system.control.rows[*r].name, number::short(left.abs())))
        .collect();
    let message =
        format!("at t = {} what is required is out of reach: {} short", number::short(t), left.join(", "));
    let span = rows.first().map(|r| system.control.rows[*r].span);
    let mut d = Diagnostic::error(Code::Unreachable, span, message);
    for r in rows.iter().skip(1).take(3) {
        d = d.label(system.control.rows[*r].span, "and this one");
    }
    let direction: Vec<String> = missing
        .iter()
        .enumerate()
        .filter(|(_, v)| v.abs() > 0.01)
        .map(|(p, v)| {
            let name = &system.frame.speeds[p].name;
            format!("{} on `{}`", number::short(*v), name.strip_suffix('\'').unwrap_or(name))
        })
        .collect();
    if direction.is_empty() {
        return d.help("no force helps: the requirements contradict each other or the constraints; drop one, or let its error `decay`");
    }
    let mut help =
        format!("a force in the direction {} is missing; add it to `actuate`", direction.join(", "));
    if let Some(reason) = &model.form.not_differentiated {
        help += &format!(" (no higher derivative is used: {reason})");
    }
    d.help(help)
}

fn not_finite(t: f64, term: Term, index: usize, model: &Workspace, at: Option<Point<'_>>) -> Diagnostic {
    let (n, system) = (model.form.speeds.len().max(1), &model.system);
    let speed = |p: usize| system.frame.speeds.get(p).map_or("?", |s| s.name.as_str());
    let row = |r: usize| system.constraints.rows.get(r).map_or("?", |r| r.name.as_str());
    let (what, span) = match term {
        Term::XDot => (
            format!("the rate of `{}`", system.frame.coordinates.get(index).map_or("?", |c| c.name.as_str())),
            None,
        ),
        Term::MassMatrix => {
            (format!("the mass matrix entry of `{}` and `{}`", speed(index / n), speed(index % n)), None)
        }
        Term::Force => (format!("the generalised force on `{}`", speed(index)), None),
        Term::ConstraintMatrix => (
            format!("the gradient of `{}` by `{}`", row(index / n), speed(index % n)),
            system.constraints.rows.get(index / n).map(|r| r.span),
        ),
        Term::ConstraintRight => (
            format!("the second derivative of `{}`", row(index)),
            system.constraints.rows.get(index).map(|r| r.span),
        ),
        Term::Nonideal => {
            (format!("the non-ideal force on `{}`", speed(index)), system.constraints.nonideal_span)
        }
        Term::Friction => {
            let (name, span) = contact_name(model, index);
            (format!("the friction on `{name}`"), span)
        }
        Term::Control => (
            "what is required of the control, or its cost,".to_owned(),
            system.control.rows.first().map(|r| r.span),
        ),
        Term::Acceleration => (format!("the acceleration of `{}`", speed(index)), None),
    };
    let message = format!("{what} is not a finite number at t = {}", number::short(t));
    let d = Diagnostic::error(Code::StateNotFinite, span, message);
    let d = match term {
        Term::MassMatrix => with_culprits(d, model, Entry::Inertia(index / n, index % n), at),
        Term::Force => with_culprits(d, model, Entry::Force(index), at),
        _ => d,
    };
    d.help("look for a division by zero, or a root or logarithm of a negative number, at this state")
}

/// Beyond so many spans of the run from zero, time itself is what is too coarse for short steps.
const FAR_FROM_ZERO: f64 = 1e9;

/// The motion from `start` could not go on; `span` is how far it was to go in time.
pub(crate) fn of_motion(failure: &Failure, model: &Workspace, start: &State, span: f64) -> Diagnostic {
    let names = model.state_names();
    let state = |k: usize| names.get(k).copied().unwrap_or("?");
    match failure {
        Failure::StepTooSmall { t, h, .. } if t.abs() > FAR_FROM_ZERO * span.abs() => {
            let message = format!(
                "t = {} is too large for steps of {:.1e}: the numbers next to it are {:.1e} away",
                number::short(*t),
                h.abs(),
                t.abs().next_up() - t.abs()
            );
            Diagnostic::error(Code::StepTooSmall, None, message)
                .help("begin nearer to t = 0; forces that depend on time can be written in `t0 + t` with a parameter `t0`")
        }
        Failure::StepTooSmall { t, h, fastest } => {
            let message = format!(
                "the integration came to a standstill at t = {}: step {h:.1e}, `{}` moves fastest",
                number::short(*t),
                state(*fastest)
            );
            let help = if model.system.control.rows.is_empty() && !model.system.constraints.rows.is_empty() {
                "the mechanism may have reached the end of its range, or the motion may end in a singularity there; a force that jumps with the sign of a rate chatters when the rate vanishes; for stiff forces try `method radau`"
            } else if model.system.control.rows.is_empty() {
                "the motion may end in a singularity there; a force that jumps with the sign of a rate chatters when the rate vanishes; for stiff forces try `method radau`"
            } else {
                "control may be losing its hold there: the forces it may use can hardly produce what is required, and grow without bound; see `actuate` and the control forces in the table"
            };
            Diagnostic::error(Code::StepTooSmall, None, message).help(help)
        }
        Failure::StepNotSolved { t, h } => {
            let message = format!(
                "a step of {} from t = {} has no solution nearby",
                number::short(h.abs()),
                number::short(*t)
            );
            Diagnostic::error(Code::StepNotSolved, None, message)
                .help("choose a shorter step with `--step`; near positions where constraints lose rank or forces are not smooth, another method")
        }
        Failure::NotFinite { t, index } => Diagnostic::error(
            Code::StateNotFinite,
            None,
            format!("`{}` is not a finite number after t = {}", state(*index), number::short(*t)),
        )
        .help("the motion leaves the region where the model is defined"),
        Failure::Acceleration(error) => {
            let at_start = matches!(error, AccelerationError::NotFinite { t, .. } if *t == start.t);
            of_acceleration(error, model, at_start.then(|| start.point()))
        }
        Failure::ProjectionFailed { t, row, residual } => {
            let (name, span) = model
                .system
                .constraints
                .rows
                .get(*row)
                .map_or(("sticking contact", None), |r| (r.name.as_str(), Some(r.span)));
            let message = format!(
                "the constraint `{name}` cannot be satisfied at t = {}: residual {residual:.0e}",
                number::short(*t)
            );
            Diagnostic::error(Code::ConstraintDrift, span, message)
                .help("the mechanism may have reached the end of its range, or constraints may contradict each other there")
        }
        Failure::ConstraintJump { t, row, of_speeds, jump } => {
            let (name, span) = model
                .system
                .constraints
                .rows
                .get(*row)
                .map_or(("?", None), |r| (r.name.as_str(), Some(r.span)));
            let (t, jump) = (number::short(*t), number::short(jump.abs()));
            let (message, help) = if *of_speeds {
                (
                    format!(
                        "at t = {t} what the constraint `{name}` demands of the speeds jumps by {jump}: that takes an impact, which is not available"
                    ),
                    "make its pieces meet with equal slopes, for example by rounding the kink off, or end the motion there with an `event` that stops and begin another one behind it",
                )
            } else {
                (
                    format!("at t = {t} the constraint `{name}` jumps by {jump}: no motion follows it"),
                    "make its pieces meet, in value and in slope, or end the motion there with an `event` that stops and begin another one behind it",
                )
            };
            Diagnostic::error(Code::ConstraintJump, span, message).help(help)
        }
        Failure::DegenerateStart { t, rank, generic_rank } => {
            let message = format!(
                "the constraints degenerate at the start (t = {}): rank {rank} instead of {generic_rank}, the motion from there is not determined",
                number::short(*t)
            );
            let span = model.system.constraints.rows.first().map(|r| r.span);
            Diagnostic::error(Code::DegenerateConfiguration, span, message)
                .help("start from a state away from the singular one, or give every rate along one of the branches that meet there; velocity constraints that are nonlinear in the rates degenerate at rest")
        }
        Failure::Accumulation { t, event, limit } => {
            let (name, span) = event_name(model, *event);
            let message = format!(
                "the event `{name}` happens ever faster and accumulates at t = {}: the motion ends at t = {}",
                number::short(*limit),
                number::short(*t)
            );
            Diagnostic::error(Code::EventsAccumulate, span, message).help(
                "end the run there with a second event that stops, or let a `discrete` value say that it has come to rest",
            )
        }
        Failure::Contradiction { t, variable, events: [a, b] } => {
            let ((first, span), (second, other)) = (event_name(model, *a), event_name(model, *b));
            let (variable, t) = (state(*variable), number::short(*t));
            let message = format!(
                "the events `{first}` and `{second}` happen together at t = {t} and assign different values to `{variable}`"
            );
            let d = Diagnostic::error(Code::EventsContradict, other, message);
            let d = span.into_iter().fold(d, |d, span| d.label(span, "the other one"));
            d.help("assign it in one of them, or the same value in both")
        }
        Failure::OffConstraints { t, event, row, residual, of_rate } => {
            let (name, span) = event_name(model, *event);
            let row = model.system.constraints.rows.get(*row);
            let constraint = row.map_or("?", |row| row.name.as_str());
            let what = if *of_rate { "the speeds behind" } else { "the positions behind" };
            let message = format!(
                "{what} the event `{name}` at t = {} do not satisfy the constraint `{constraint}`: residual {residual:.0e}",
                number::short(*t)
            );
            let d = Diagnostic::error(Code::EventOffConstraints, span, message);
            let d = row.into_iter().fold(d, |d, row| d.label(row.span, "this one"));
            d.help("assign all coordinates and speeds that the constraint ties together")
        }
        Failure::Chatter { t, contact } => {
            let (name, span) = contact_name(model, *contact);
            let message = format!(
                "the contact `{name}` changes between sticking and sliding without end at t = {}",
                number::short(*t)
            );
            Diagnostic::error(Code::FrictionUnsettled, span, message)
                .help("the law of friction may be undecided there; a static coefficient a little above the sliding one often is enough")
        }
        Failure::TooManySteps { t, steps } => Diagnostic::error(
            Code::TooManySteps,
            None,
            format!("{steps} steps were spent by t = {}", number::short(*t)),
        )
        .help("loosen the tolerance, shorten the run, or try `method radau` if the model is stiff"),
        Failure::NotDifferentiable { t, reason } => not_differentiable(*t, reason, model),
        Failure::BadArguments { what } => {
            Diagnostic::error(Code::BadOption, None, format!("the run cannot be made: {what}"))
        }
    }
}

/// No sensitivities from here on.
pub(crate) fn not_differentiable(t: f64, reason: &NotDifferentiable, model: &Workspace) -> Diagnostic {
    let at = number::short(t);
    let grazing = |what: String, span| {
        let message = format!("at t = {at} the motion only grazes {what}: behind it there is no derivative");
        Diagnostic::error(Code::Grazing, span, message)
            .help("move the threshold, or end the run before it; rows up to there are kept")
    };
    let refused = |message: String| {
        Diagnostic::error(Code::NoSensitivity, None, message)
            .help("leave `--sensitivity` out, or simplify the law")
    };
    match reason {
        NotDifferentiable::GrazingEvent(k) => {
            let event = &model.system.experiment.events[*k];
            grazing(format!("the event `{}`", event.name), Some(event.span))
        }
        NotDifferentiable::GrazingContact(k) => {
            let contact = &model.system.contacts[*k];
            grazing(
                format!("the limit at which `{}` begins to stick or to slide", contact.name),
                Some(contact.span),
            )
        }
        NotDifferentiable::GrazingSwitch => grazing("a jump of a force".to_owned(), None),
        NotDifferentiable::Unannounced => refused(format!(
            "at t = {at} constraints carry off a contact that sticks: that is not differentiated"
        )),
        NotDifferentiable::JumpedEvent(k) => {
            let event = &model.system.experiment.events[*k];
            let message = format!(
                "at t = {at} the function of the event `{}` jumps through zero: its time is not differentiated",
                event.name
            );
            Diagnostic::error(Code::NoSensitivity, event.span, message)
                .help("let the event watch what makes the function jump")
        }
        NotDifferentiable::Reset(k) => {
            let event = &model.system.experiment.events[*k];
            let message = format!("what the event `{}` sets at t = {at} is not differentiated", event.name);
            Diagnostic::error(Code::NoSensitivity, event.span, message).help("end the run before it")
        }
        NotDifferentiable::CannotVary { direction, row } => {
            let row = &model.system.constraints.rows[*row];
            let message = format!("direction {} breaks `{}`", direction + 1, row.name);
            Diagnostic::error(Code::CannotVaryAlone, row.span, message)
                .help("vary something that determines the others")
        }
        NotDifferentiable::Refused(refusal) => refused(format!(
            "at t = {at} there is no derivative of the accelerations: {}",
            refused_law(*refusal)
        )),
        NotDifferentiable::Acceleration(error) => of_acceleration(error, model, None),
        NotDifferentiable::TooManySteps => refused(format!(
            "at t = {at} the equations of the sensitivities are too stiff for explicit steps"
        )),
    }
}

/// What is not differentiated, in words.
pub(crate) fn refused_law(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::SharedLoad => "a force law reads forces that redundant constraints share",
        Refusal::NonidealWithFriction => "non-ideal work and friction act together",
        Refusal::ControlWithReactions => {
            "control acts together with friction, or with non-ideal work that reads constraint forces"
        }
        Refusal::SharedDirections => {
            "a contact sticks in some directions and is led by constraints in others"
        }
        Refusal::BoundedControl => "an input of control is at its bound",
        Refusal::SingularMass => "masses are singular where friction, non-ideal work or control act",
    }
}
