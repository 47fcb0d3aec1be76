//! `event NAME: E [rising|falling] [stop] [do x' = E, ...]`: zero crossings, and what changes there.
//!
//! What an event assigns is a coordinate, a speed, a state variable or a discrete value; the new values are expressions over
//! the values before it. A rate that is not a speed itself is assigned through the inverse of K1, eta = Y x' + ..., the other
//! rates as they were: `eta+ = eta + Y (x'+ - x')`.

use super::roles::{Allowed, State};
use super::scope::Binding;
use super::speeds::Kinematics;
use super::{Elaborator, Fallible};
use crate::system::{Action, Event, InitialTarget};
use dalembert_expr::{Expr, Pool};
use dalembert_syntax::ast::{self, Assignment, Target};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::units::UnitInfo;

impl Elaborator<'_> {
    pub(super) fn event(
        &mut self,
        target: &Target,
        value: &ast::Expr,
        direction: Option<ast::Direction>,
        stop: bool,
        actions: &[Assignment],
    ) -> Fallible<()> {
        let span = target.span;
        let name = self.member(target)?;
        if self.experiment.events.iter().any(|e| e.name == name) {
            let message = format!("an event called `{name}` exists already");
            return self.error(Code::DeclaredTwice, span, &message);
        }
        let part = self.part(value, everything("an event"))?;
        let rising = direction.map(|d| d == ast::Direction::Rising);
        let mut list = Vec::new();
        for action in actions {
            self.assignment(action, &mut list)?;
        }
        self.experiment.events.push(Event { name, value: part.expr, rising, stop, actions: list, span });
        Ok(())
    }

    /// One item behind `do`, for each member of a family.
    fn assignment(&mut self, item: &Assignment, list: &mut Vec<Action>) -> Fallible<()> {
        let names = self.members(&item.target)?;
        let values = self.value_of_each(&item.target, names.len(), &item.value)?;
        let exprs: Vec<Expr> = values.iter().map(|v| v.0).collect();
        self.allow_in(&item.value, &exprs, everything("what an event assigns"))?;
        for (k, name) in names.into_iter().enumerate() {
            let (value, kind) = values[k % values.len()].clone();
            let (target, unit) = self.assigned(&name, item)?;
            self.same_unit(&unit, &kind, item.value.span)?;
            let span = item.target.span;
            let primes = "'".repeat(item.order as usize);
            if let Some(first) = list.iter().find(|a: &&Action| a.target == target).map(|a| a.span) {
                let message = format!("the event assigns `{name}{primes}` twice");
                let d = Diagnostic::error(Code::AssignedTwice, span, message);
                return self.fail(d.label(first, "first here"));
            }
            list.push(Action { target, value, span });
        }
        Ok(())
    }

    /// What a name stands for that an event assigns, and its unit. Declared speeds are counted among themselves, and
    /// auxiliary variables behind the coordinates, until the speeds are known.
    fn assigned(&mut self, name: &str, item: &Assignment) -> Fallible<(InitialTarget, UnitInfo)> {
        let on = self.lookup(name, item.target.span)?;
        match (&on, item.order) {
            (Binding::Coordinate(i), 0) => {
                Ok((InitialTarget::Coordinate(*i), self.frame.coordinates[*i].kind.clone()))
            }
            (Binding::Coordinate(i), 1) => {
                Ok((InitialTarget::Rate(*i), self.frame.coordinates[*i].kind.per_time()))
            }
            (Binding::Speed(s), 0) => Ok((InitialTarget::Speed(*s), self.frame.speeds[*s].kind.clone())),
            (Binding::Auxiliary(k), 0) => {
                let place = AUXILIARY + k;
                Ok((InitialTarget::Coordinate(place), self.frame.auxiliaries[*k].kind.clone()))
            }
            _ => {
                let primes = "'".repeat(item.order as usize);
                let what = match &on {
                    Binding::Poisoned => return Err(super::Reported),
                    Binding::Parameter(k) if self.parameters[*k].is_input => "an input",
                    on => on.word(),
                };
                let message = match item.order {
                    0 => format!("an event cannot assign `{name}`, {what}"),
                    _ => format!("an event cannot assign `{name}{primes}`: it follows from the equations"),
                };
                let d = Diagnostic::error(Code::NotAssignable, item.target.span, message);
                self.fail(d.help(
                    "events assign coordinates, their rates or speeds, `state` variables and `discrete` values",
                ))
            }
        }
    }

    /// What events assign as coordinates and speeds of the system.
    pub(super) fn close_events(&mut self, k: &Kinematics) -> Fallible<()> {
        let n_x = self.frame.coordinates.len();
        let (own, speed_of) = (k.speeds.len() - self.frame.definitions.len(), k.speed_of(n_x));
        for e in 0..self.experiment.events.len() {
            let (mut closed, mut rates) = (Vec::new(), Vec::new());
            for action in std::mem::take(&mut self.experiment.events[e].actions) {
                let target = match action.target {
                    InitialTarget::Coordinate(i) if i >= AUXILIARY => {
                        InitialTarget::Coordinate(n_x + self.auxiliary_place(i - AUXILIARY))
                    }
                    InitialTarget::Speed(s) => InitialTarget::Speed(own + s),
                    InitialTarget::Rate(i) => match speed_of[i] {
                        Some(p) => InitialTarget::Speed(p),
                        None => {
                            rates.push((i, action));
                            continue;
                        }
                    },
                    target => target,
                };
                closed.push(Action { target, ..action });
            }
            self.assign_rates(k, &rates, &mut closed)?;
            self.experiment.events[e].actions = closed;
        }
        Ok(())
    }

    /// Rates that are not speeds: the change of all speeds that they come to.
    fn assign_rates(
        &mut self,
        k: &Kinematics,
        rates: &[(usize, Action)],
        closed: &mut Vec<Action>,
    ) -> Fallible<()> {
        let Some(span) = rates.first().map(|(_, a)| a.span) else { return Ok(()) };
        let Some(inverse) = &k.inverse else {
            let name = &self.frame.coordinates[rates[0].0].name;
            let message = format!("the speeds do not follow from `{name}'`, so an event cannot assign it");
            let d = Diagnostic::error(Code::NotAssignable, span, message);
            return self.fail(d.help("assign the declared speeds instead"));
        };
        let changes: Vec<(usize, Expr)> =
            rates.iter().map(|(i, a)| (*i, self.pool.sub(a.value, k.rates[*i]))).collect();
        for (p, row) in inverse.iter().enumerate() {
            let terms: Vec<Expr> = changes.iter().map(|(i, d)| self.pool.mul(row[*i], *d)).collect();
            let change = self.pool.total(terms);
            if change == Pool::ZERO {
                continue;
            }
            let target = InitialTarget::Speed(p);
            if let Some(first) = closed.iter().find(|a| a.target == target).map(|a| a.span) {
                let message = format!("the event assigns the speed `{}` twice", k.speeds[p].name);
                let d = Diagnostic::error(Code::AssignedTwice, span, message);
                return self.fail(d.label(first, "here, and by a rate"));
            }
            let now = self.pool.var(k.speeds[p].symbol);
            closed.push(Action { target, value: self.pool.add(now, change), span });
        }
        Ok(())
    }
}

/// Auxiliary variables are counted from here until it is known how many coordinates there are.
const AUXILIARY: usize = usize::MAX / 2;

fn everything(what: &'static str) -> Allowed {
    let base = Allowed::only(what, State::Velocity).with_signals();
    Allowed { ideal_results: true, results: true, ..base }
}
