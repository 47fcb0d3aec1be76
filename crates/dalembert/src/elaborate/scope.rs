//! Names and what they stand for.

pub(super) use super::bindings::{Binding, Scope};
use super::{Elaborator, Fallible, Reported};
use dalembert_syntax::ast::{self, ExprKind, Subscript, Target};
use dalembert_syntax::diagnostic::{Code, Diagnostic, nearest};
use dalembert_syntax::source::Span;
use dalembert_syntax::words::{OBSERVABLES, PLAIN_OBSERVABLES, is_reserved};

impl Elaborator<'_> {
    /// Declares a name; `q[1..N]` has been unrolled to its members already.
    pub(super) fn declare(&mut self, name: &str, binding: Binding, span: Span) -> Fallible<()> {
        let plain = name.split('[').next().unwrap_or(name);
        if is_reserved(plain) {
            let message = format!("`{plain}` is a word of the language and cannot be declared");
            return self
                .fail(Diagnostic::error(Code::ReservedName, span, message).help("choose another name"));
        }
        let member = plain.len() < name.len();
        let clash = match member {
            true if self.scope.get(plain).is_some() => Some(plain),
            false if self.scope.family(plain).is_some() => Some(plain),
            _ if self.scope.get(name).is_some() => Some(name),
            _ => None,
        };
        if let Some(clash) = clash {
            let mut d =
                Diagnostic::error(Code::DeclaredTwice, span, format!("`{clash}` is declared already"));
            if let Some((binding, first)) = self.scope.bound(clash) {
                d = d.label(*first, format!("here, as {}", binding.word()));
            }
            return self.fail(d);
        }
        self.scope.bind(name, binding, span);
        Ok(())
    }

    /// Whether a name, or the family it is a member of, has a declaration that failed.
    pub(super) fn is_broken(&self, name: &str) -> bool {
        self.scope.is_broken(name.split(['[', '.']).next().unwrap_or(name))
    }

    /// Lets later uses of a name whose declaration failed pass in silence.
    pub(super) fn poison(&mut self, target: &Target) {
        self.scope.poison(&target.name.text, target.span);
    }

    /// The members a target names: one for `x` and `q[i]`, many for `q[1..N]`.
    pub(super) fn members(&mut self, target: &Target) -> Fallible<Vec<String>> {
        let mut names = vec![String::new()];
        for subscript in &target.subscripts {
            let values: Vec<i64> = match subscript {
                Subscript::At(e) => vec![self.whole_number(e)?],
                Subscript::Over(range) => {
                    let (first, last) = self.range(range)?;
                    (first..=last).collect()
                }
            };
            let count = names.len().saturating_mul(values.len());
            self.spend(count, target.span)?;
            names = names
                .iter()
                .flat_map(|prefix| {
                    values
                        .iter()
                        .map(move |v| if prefix.is_empty() { v.to_string() } else { format!("{prefix},{v}") })
                })
                .collect();
        }
        let plain = &target.name.text;
        let part = target.part.as_ref().map_or(String::new(), |part| format!(".{}", part.text));
        Ok(match target.subscripts.is_empty() {
            true => vec![format!("{plain}{part}")],
            false => names.into_iter().map(|indices| format!("{plain}[{indices}]{part}")).collect(),
        })
    }

    /// The one member a target names.
    pub(super) fn member(&mut self, target: &Target) -> Fallible<String> {
        let mut names = self.members(target)?;
        match names.len() {
            1 => Ok(names.swap_remove(0)),
            _ => self.error(Code::RangeNotHere, target.span, "one member is wanted here, not a range"),
        }
    }

    /// The one name that a statement declares. After a range instead of it, uses of the family say nothing more.
    pub(super) fn declared(&mut self, target: &Target, statement: &str) -> Fallible<String> {
        let ranges = target.subscripts.iter().any(|s| matches!(s, Subscript::Over(_)));
        if !ranges {
            return self.member(target).inspect_err(|_| self.poison(target));
        }
        self.poison(target);
        let name = &target.name.text;
        let message = format!("`{statement}` declares one `{name}`, not a range of them");
        let help = format!("repeat it: `for i in 1..N {{ {statement} {name}[i] ... }}`");
        self.fail(Diagnostic::error(Code::RangeNotHere, target.span, message).help(help))
    }

    /// What a name stands for, or a diagnostic with the nearest known one.
    pub(super) fn lookup(&mut self, name: &str, span: Span) -> Fallible<Binding> {
        if let Some(binding) = self.scope.get(name) {
            let binding = binding.clone();
            return if matches!(binding, Binding::Poisoned) { Err(Reported) } else { Ok(binding) };
        }
        if let Some(plain) = name.find('[').map(|i| &name[..i]) {
            return self.missing_member(name, plain, span);
        }
        if let Some(count) = self.scope.family(name) {
            let form = ["i"; 8][..count.min(8)].join(", ");
            let message = format!("`{name}` is a family; one member is `{name}[{form}]`");
            return self.error(Code::NotAFamily, span, &message);
        }
        if OBSERVABLES.contains(&name) {
            return self.error(
                Code::WrongArity,
                span,
                &format!("`{name}` takes an argument, as in `{name}(x)`"),
            );
        }
        self.unknown_name(name, span)
    }

    fn missing_member(&mut self, name: &str, plain: &str, span: Span) -> Fallible<Binding> {
        if self.scope.is_broken(plain) {
            return Err(Reported);
        }
        if self.scope.family(plain).is_some() {
            let d = Diagnostic::error(Code::IndexOutOfRange, span, format!("there is no `{name}`"));
            return self.fail(match self.scope.extent(plain) {
                Some((first, last)) => d.help(format!("`{plain}` runs from {first} to {last}")),
                None => d,
            });
        }
        match self.scope.get(plain) {
            Some(Binding::Poisoned) => Err(Reported),
            Some(binding) => {
                let message = format!("`{plain}` is {}, not a family", binding.word());
                self.error(Code::NotAFamily, span, &message)
            }
            None => self.unknown_name(plain, span),
        }
    }

    fn unknown_name(&mut self, name: &str, span: Span) -> Fallible<Binding> {
        let mut d = Diagnostic::error(Code::UnknownName, span, format!("unknown name `{name}`"));
        let rate_of = ["_dot", "dot", "d"].iter().find_map(|end| name.strip_suffix(end));
        let coordinate = rate_of.filter(|x| matches!(self.scope.get(x), Some(Binding::Coordinate(_))));
        if let Some(x) = coordinate {
            d = d.help(format!("the rate of `{x}` is `{x}'`")).suggest(span, format!("{x}'"));
            return self.fail(d);
        }
        let later = self.declarations.get(name).filter(|place| place.start > span.start);
        if let Some(place) = later.filter(|_| self.foreign.is_none()) {
            d.message = format!("`{name}` is used before it is declared");
            let d = d.label(*place, "declared here").help("move the declaration before its first use");
            return self.fail(d);
        }
        if let Some(help) = name.split_once('.').and_then(|(joint, _)| self.names_of_joint(joint)) {
            return self.fail(d.help(help));
        }
        let known = self.scope.plain_names();
        let known = known.into_iter().chain(["t", "pi"]).chain(PLAIN_OBSERVABLES.iter().copied());
        d = match nearest(name, known) {
            Some(near) => d.help(format!("did you mean `{near}`?")).suggest(span, near),
            None => {
                d.help("names are declared before they are used: `parameter`, `coordinate`, `speed`, `let`")
            }
        };
        self.fail(d)
    }

    /// The full name an expression spells, such as `rolling.x` or `rod[3]`, for constraints.
    pub(super) fn spelt_name(&mut self, e: &ast::Expr) -> Fallible<String> {
        match &e.kind {
            ExprKind::Name(name) => Ok(name.clone()),
            ExprKind::Component(base, part) => Ok(format!("{}.{}", self.spelt_name(base)?, part.text)),
            ExprKind::Index(base, indices) => {
                let mut values = Vec::new();
                for i in indices {
                    values.push(self.whole_number(i)?.to_string());
                }
                Ok(format!("{}[{}]", self.spelt_name(base)?, values.join(",")))
            }
            _ => self.error(Code::UnknownConstraint, e.span, "the name of a constraint is wanted here"),
        }
    }
}
