//! Starting values: what they are about and how those from outside replace those of the model.

use super::roles::{Allowed, State};
use super::scope::Binding;
use super::{Elaborator, Fallible, RawInitial, Reported};
use dalembert_syntax::ast::{self, StatementKind};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::parse;
use dalembert_syntax::source::Source;

impl Elaborator<'_> {
    pub(super) fn initial_value(&mut self, item: &ast::Initial) -> Fallible<()> {
        if item.target.name.text == "t" {
            return self.error(
                Code::InitialUnknown,
                item.target.span,
                "runs start at t = 0; time takes no starting value",
            );
        }
        let names = self.members(&item.target)?;
        let members = names.len();
        let values = self.value_of_each(&item.target, members, &item.value)?;
        for (k, name) in names.into_iter().enumerate() {
            let (value, kind) = values[k % values.len()].clone();
            self.allow(&[value], Allowed::only("a starting value", State::Nothing), item.value.span)?;
            let on = self.lookup(&name, item.target.span)?;
            if let Binding::Freedom(..) | Binding::FreedomSpeed(..) = on {
                self.guess_freedom(on, &name, item, value)?;
                continue;
            }
            let unit = match (&on, item.order) {
                (Binding::Coordinate(i), 0) => self.frame.coordinates[*i].kind.clone(),
                (Binding::Coordinate(i), 1) => self.frame.coordinates[*i].kind.per_time(),
                (Binding::Speed(i), 0) => self.frame.speeds[*i].kind.clone(),
                (Binding::Auxiliary(k), 0) => self.frame.auxiliaries[*k].kind.clone(),
                _ => {
                    let primes = "'".repeat(item.order as usize);
                    let message = format!("`{name}{primes}` is not a coordinate, rate or speed");
                    let d = Diagnostic::error(Code::InitialUnknown, item.target.span, message);
                    return self.fail(d.help(
                        "parameters are set by `parameter` or `--set`; accelerations follow from the motion",
                    ));
                }
            };
            self.same_unit(&unit, &kind, item.value.span)?;
            let span = self.foreign.is_none().then_some(item.target.span);
            let option = self.foreign.clone().map(|option| (option, members));
            let (order, fixed) = (item.order, item.fixed);
            self.store(RawInitial { on, order, fixed, value, span, option }, &name)?;
        }
        Ok(())
    }

    pub(super) fn store(&mut self, new: RawInitial, name: &str) -> Fallible<()> {
        let about = match &new.on {
            Binding::Coordinate(i) => (*i, new.order),
            Binding::Speed(i) => (*i, u32::MAX),
            Binding::Auxiliary(k) => (*k, u32::MAX - 1),
            _ => return Ok(()),
        };
        let next = self.experiment.initial.len();
        let k = *self.experiment.initial_of.entry(about).or_insert(next);
        if k == next {
            self.experiment.initial.push(new);
            return Ok(());
        }
        let old = &self.experiment.initial[k];
        if let (true, true, Some(here), Some(first)) = (old.fixed, new.fixed, new.span, old.span) {
            let primes = "'".repeat(new.order as usize);
            let d = Diagnostic::error(Code::FixedTwice, here, format!("`{name}{primes}` is given twice"));
            return self.fail(d.label(first, "first here"));
        }
        // One for a member replaces one for more of its family; otherwise nobody can say which one is meant.
        if let (Some((first, before)), Some((second, now))) = (&old.option, &new.option)
            && now >= before
        {
            let primes = "'".repeat(new.order as usize);
            let both =
                if first == second { format!("in `{first}`") } else { format!("`{first}` and `{second}`") };
            let message = format!("`{name}{primes}` is given twice: {both}");
            let d = Diagnostic::error(Code::BadOption, None, message);
            self.diagnostics.push(d.help("leave one of them out"));
            return Err(Reported);
        }
        // From outside, the new one replaces; within the model a fixed value wins over a guess.
        if new.span.is_none() || new.fixed || !old.fixed {
            self.experiment.initial[k] = new;
        }
        Ok(())
    }

    /// Starting values from outside replace those of the model.
    pub(super) fn override_initials(&mut self) {
        for text in self.overrides.initial.clone() {
            let source = Source::new("--initial", format!("initial {text}"));
            let (ast, diagnostics) = parse(&source);
            let items = match ast.body.statements.first().map(|s| s.kind.clone()) {
                Some(StatementKind::Initial(items))
                    if diagnostics.is_empty() && ast.body.statements.len() == 1 =>
                {
                    items
                }
                _ => {
                    let d =
                        Diagnostic::error(Code::BadOption, None, format!("`{text}` is not a starting value"));
                    self.diagnostics.push(d.help(match mended(&source, &diagnostics) {
                        Some(line) => format!("did you mean `{}`?", line.trim_start_matches("initial ")),
                        None => "write `--initial x=0.3` or `--initial \"x'=2\"`".to_owned(),
                    }));
                    continue;
                }
            };
            self.foreign = Some(format!("--initial {text}"));
            for item in &items {
                let _reported: Result<(), Reported> = self.initial_value(item);
            }
            self.foreign = None;
        }
    }
}

/// A line from outside with its first slip mended, if it is one that can be.
pub(super) fn mended(source: &Source, diagnostics: &[Diagnostic]) -> Option<String> {
    let (span, replacement) = diagnostics.first()?.suggestion.as_ref()?;
    let mut line = source.text.clone();
    line.replace_range(span.range(), replacement);
    Some(line)
}
