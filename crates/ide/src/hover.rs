//! What is shown about the word at an offset.

use crate::context::Context;
use crate::document::Document;
use crate::names::{Entity, Occurrence, Sort, Usage};
use dalembert::elaborate::{ConstraintFact, Fact};
use dalembert_run::Method;
use dalembert_syntax::source::{Span, char_floor};
use dalembert_syntax::units;
use dalembert_syntax::words::{self, Word};

/// What is known of the word at an offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The word, with its primes.
    pub span: Span,
    /// The word with its primes, as text.
    pub name: String,
    /// What it is, in a few words: `coordinate in m`, `function`.
    pub what: String,
    /// Further lines.
    pub details: Vec<String>,
    /// The statement that declares it, or how a word of the language is used.
    pub code: Option<String>,
}

impl Hover {
    /// As Markdown.
    pub fn markdown(&self) -> String {
        let mut text = format!("**`{}`**: {}\n", self.name, self.what);
        for detail in &self.details {
            text.push_str(&format!("\n{detail}\n"));
        }
        if let Some(code) = &self.code {
            text.push_str(&format!("\n```dal\n{code}\n```\n"));
        }
        text
    }
}

/// How much of a declaration is shown.
const MAX_CODE: usize = 600;

impl Document {
    /// What is known of the word at an offset; nothing in comments, strings and between words.
    pub fn hover(&self, offset: u32) -> Option<Hover> {
        match self.names.at(offset) {
            Some(occurrence) => self.hover_name(occurrence),
            None => self.hover_word(offset),
        }
    }

    fn hover_name(&self, occurrence: &Occurrence) -> Option<Hover> {
        let name = self.source.slice(occurrence.span);
        let word = |what: &str, word: &Word| self.of_word(occurrence.span, what, word);
        match (occurrence.usage, occurrence.entity) {
            (_, Some(entity)) => Some(self.hover_entity(occurrence, &self.names.entities[entity])),
            (Usage::Call, _) => words::find(words::FUNCTIONS, name)
                .or_else(|| words::find(words::FREE_FUNCTIONS, name))
                .map(|found| word("function", found))
                .or_else(|| words::find(words::RESULTS, name).map(|found| word("result", found))),
            (Usage::Unit, _) => self.hover_unit(occurrence.span, name),
            (Usage::Method, _) => {
                let method: Method = name.parse().ok()?;
                let details = vec![crate::complete::about_method(method).to_owned()];
                Some(self.plain(occurrence.span, "integrator", details))
            }
            _ => {
                let name = if name == "π" { "pi" } else { name };
                words::find(words::CONSTANTS, name).map(|found| word("word of the language", found))
            }
        }
    }

    /// A keyword, or a word inside a statement.
    fn hover_word(&self, offset: u32) -> Option<Hover> {
        let first = self.tokens.partition_point(|token| token.span.end < offset);
        let touching = self.tokens[first..].iter().take_while(|token| token.span.start <= offset);
        let letters = |span: Span| self.source.slice(span).starts_with(char::is_alphabetic);
        let token = touching.filter(|token| letters(token.span)).max_by_key(|token| token.span.start)?;
        let name = self.source.slice(token.span);
        let context = Context::of(self, token.span.end)?;
        if context.before.is_empty() {
            return words::find(words::STATEMENTS, name)
                .map(|word| self.of_word(token.span, "statement", word));
        }
        words::find(words::PARTS, name).map(|word| self.of_word(token.span, "word of the language", word))
    }

    fn of_word(&self, span: Span, what: &str, word: &Word) -> Hover {
        let code = (word.usage != word.name).then(|| word.usage.to_owned());
        Hover { code, ..self.plain(span, what, vec![word.about.to_owned()]) }
    }

    fn plain(&self, span: Span, what: &str, details: Vec<String>) -> Hover {
        Hover { span, name: self.source.slice(span).to_owned(), what: what.to_owned(), details, code: None }
    }

    fn hover_unit(&self, span: Span, name: &str) -> Option<Hover> {
        Some(self.plain(span, "unit", vec![units::describe(name)?]))
    }

    fn hover_entity(&self, occurrence: &Occurrence, entity: &Entity) -> Hover {
        let (what, mut details) = match entity.sort {
            Sort::Constraint | Sort::Requirement => self.about_constraint(entity),
            Sort::Body | Sort::Frame | Sort::Element => (entity.sort.describe().to_owned(), Vec::new()),
            Sort::Index | Sort::Event | Sort::Integration => (entity.sort.describe().to_owned(), Vec::new()),
            _ => self.about_name(occurrence, entity),
        };
        if let [_, _, ..] = entity.places[..] {
            details.push(format!("declared at {} places", entity.places.len()));
        }
        let extent =
            if occurrence.order > 0 || occurrence.displacement { occurrence.extent } else { occurrence.span };
        Hover {
            span: extent,
            name: self.source.slice(extent).to_owned(),
            what,
            details,
            code: self.declaration(entity),
        }
    }

    fn about_name(&self, occurrence: &Occurrence, entity: &Entity) -> (String, Vec<String>) {
        let fact = self.survey().names.get(&entity.name);
        let sort = entity.sort.describe();
        let mut what = match (occurrence.displacement, occurrence.order, entity.sort) {
            (true, ..) => format!("virtual displacement of the {sort} `{}`", entity.name),
            (_, 0, _) => sort.to_owned(),
            (_, 1, Sort::Speed) => format!("acceleration, the rate of the speed `{}`", entity.name),
            (_, 1, _) => format!("rate of the {sort} `{}`", entity.name),
            (_, 2, Sort::Coordinate) => format!("acceleration of the coordinate `{}`", entity.name),
            (_, n, _) => format!("derivative {n} of the {sort} `{}`", entity.name),
        };
        let Some(fact) = fact else { return (what, Vec::new()) };
        if matches!(entity.sort, Sort::Let | Sort::Output) && occurrence.order == 0 {
            what = format!("{what}, {}", fact.shape);
        }
        if let Some(unit) = &fact.unit {
            let rates = if occurrence.displacement { 0 } else { occurrence.order };
            let unit = (0..rates).fold(unit.clone(), |unit, _| unit.per_time());
            what = if unit.is_none() { what } else { format!("{what} in {unit}") };
        }
        (what, details(fact, occurrence.order))
    }

    fn about_constraint(&self, entity: &Entity) -> (String, Vec<String>) {
        let sort = entity.sort.describe();
        match self.survey().constraints.get(&entity.name) {
            Some(fact) => (format!("{} {sort}", kind(fact)), rows(fact).into_iter().collect()),
            None => (sort.to_owned(), Vec::new()),
        }
    }

    /// The statement that declares a thing, cut where it is long.
    pub(super) fn declaration(&self, entity: &Entity) -> Option<String> {
        let (name, statement) = entity.places.first()?;
        let text = match entity.sort {
            Sort::Index => self.source.line_at(*name),
            _ => self.source.slice(*statement),
        };
        let cut = char_floor(text, MAX_CODE);
        let more = if cut < text.len() { "..." } else { "" };
        Some(format!("{}{more}", text[..cut].trim()))
    }
}

fn details(fact: &Fact, order: u32) -> Vec<String> {
    let family = (fact.members > 0).then(|| format!("family of {} members", fact.members));
    let value = fact.value.filter(|_| order == 0).map(|value| {
        let unit = fact.unit.as_ref().filter(|unit| !unit.is_none());
        let unit = unit.map_or(String::new(), |unit| format!(" {unit}"));
        let of = if fact.members > 0 { "first value" } else { "value" };
        format!("{of} {}{unit}", number(value))
    });
    family.into_iter().chain(value).collect()
}

/// A number with the fewest digits that read back, whatever its size.
fn number(value: f64) -> String {
    match value.abs() {
        size if size != 0.0 && !(1e-4..1e15).contains(&size) => format!("{value:e}"),
        _ => value.to_string(),
    }
}

fn kind(fact: &ConstraintFact) -> String {
    let level = match (fact.holonomic, fact.linear) {
        (true, _) => "holonomic",
        (false, true) => "linear velocity",
        (false, false) => "nonlinear velocity",
    };
    format!("{}{level}", if fact.rheonomic { "rheonomic " } else { "" })
}

fn rows(fact: &ConstraintFact) -> Option<String> {
    (fact.rows != 1).then(|| format!("{} rows", fact.rows))
}
