//! Where names stand in a text and what they refer to.
//!
//! A name means one thing in a model, so an occurrence belongs to the declaration of that name; loop indices are known
//! in their loop. Constraints, requirements and events have names of their own. What a name is worth is not known here:
//! that is the survey of the elaborator.

use dalembert_syntax::ast::Ast;
use dalembert_syntax::source::Span;
use dalembert_syntax::words::is_reserved;
use dalembert_syntax::{Token, TokenKind};
use std::collections::HashMap;

/// What a name was declared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// `const`
    Const,
    /// `parameter`
    Parameter,
    /// `coordinate`
    Coordinate,
    /// `speed`
    Speed,
    /// `state`, `discrete`
    State,
    /// `input`
    Input,
    /// `let`
    Let,
    /// `output`
    Output,
    /// The index of a `for` or a `sum`.
    Index,
    /// A constant of a complete integral.
    Integration,
    /// `constraint`
    Constraint,
    /// `require`
    Requirement,
    /// `event`
    Event,
    /// `body`
    Body,
    /// `frame`
    Frame,
    /// `joint`
    Joint,
    /// `spring`, `damper`, `bushing`
    Element,
}

impl Sort {
    /// The word for it.
    pub fn describe(self) -> &'static str {
        match self {
            Sort::Const => "constant",
            Sort::Parameter => "parameter",
            Sort::Coordinate => "coordinate",
            Sort::Speed => "speed",
            Sort::State => "state variable",
            Sort::Input => "input",
            Sort::Let => "name for an expression",
            Sort::Output => "output",
            Sort::Index => "index",
            Sort::Integration => "constant of integration",
            Sort::Constraint => "constraint",
            Sort::Requirement => "requirement",
            Sort::Event => "event",
            Sort::Body => "body",
            Sort::Frame => "frame",
            Sort::Joint => "joint",
            Sort::Element => "force element",
        }
    }

    fn space(self) -> Space {
        match self {
            Sort::Constraint | Sort::Requirement => Space::Constraint,
            Sort::Event => Space::Event,
            _ => Space::Name,
        }
    }
}

/// Names of different spaces do not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Space {
    Name,
    Constraint,
    Event,
    /// Outputs under a name that stands for something else, as in `output energy = energy`.
    Column,
}

/// A thing that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entity {
    /// The name, without subscripts.
    pub name: String,
    /// What it is.
    pub sort: Sort,
    /// Where it is declared: the name, and the statement around it. A family may be declared in several places.
    pub places: Vec<(Span, Span)>,
    /// Where it is known, for an index; other names are known from their declaration on.
    pub scope: Option<Span>,
}

/// One place where a name stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The letters of the name.
    pub span: Span,
    /// The name with its primes, subscripts and a `δ`.
    pub extent: Span,
    /// The thing it refers to, by its place in the list; `None` for words of the language and unknown names.
    pub entity: Option<usize>,
    /// How many primes follow.
    pub order: u32,
    /// Whether it is a virtual displacement, `δx`.
    pub displacement: bool,
    /// What kind of word it is.
    pub usage: Usage,
}

/// What an occurrence is used as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// Where it is declared.
    Declaration,
    /// As a name.
    Name,
    /// As a function, an operation or a result that is called.
    Call,
    /// As a unit.
    Unit,
    /// As an integrator.
    Method,
}

/// The names of a text.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The things that have names, in the order of the text.
    pub entities: Vec<Entity>,
    /// All places of names, in the order of the text.
    pub occurrences: Vec<Occurrence>,
}

impl Names {
    /// Finds the names of a text that was read as far as it could be.
    pub(super) fn of(text: &str, tokens: &[Token], ast: &Ast) -> Names {
        let mut finder = Finder::new(text, tokens);
        finder.block(&ast.body);
        finder.unread();
        finder.resolve()
    }

    /// The occurrence at an offset, the smallest where several are.
    pub fn at(&self, offset: u32) -> Option<&Occurrence> {
        let around = self.occurrences.iter().filter(|o| o.extent.start <= offset && offset <= o.extent.end);
        // Between two names, as in `x|'`, the one that begins is nearer than the one that ends.
        around.min_by_key(|o| (o.extent.end == offset, o.extent.end - o.extent.start))
    }

    /// The occurrences of a thing, in the order of the text.
    pub fn of_entity(&self, entity: usize) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.iter().filter(move |o| o.entity == Some(entity))
    }
}

/// What a name is looked up as, once all declarations are known.
#[derive(Clone, Copy)]
enum Lookup {
    In(Space),
    Found(usize),
    Nothing,
}

/// Collects declarations and uses.
pub(super) struct Finder<'a> {
    pub text: &'a str,
    pub tokens: &'a [Token],
    entities: Vec<Entity>,
    known: HashMap<(Space, &'a str), usize>,
    occurrences: Vec<(Occurrence, Lookup)>,
    /// Indices of the loops around, innermost last.
    indices: Vec<(&'a str, usize)>,
    /// Statements that were read: what stands outside of them was not.
    pub covered: Vec<Span>,
}

impl<'a> Finder<'a> {
    fn new(text: &'a str, tokens: &'a [Token]) -> Finder<'a> {
        Finder {
            text,
            tokens,
            entities: Vec::new(),
            known: HashMap::new(),
            occurrences: Vec::new(),
            indices: Vec::new(),
            covered: Vec::new(),
        }
    }

    pub fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// The first name from a place on: parentheses and comments may stand before it.
    pub fn name_from(&self, start: u32) -> Option<Span> {
        let first = self.tokens.partition_point(|token| token.span.start < start);
        self.tokens[first..].iter().find(|token| token.kind == TokenKind::Name).map(|token| token.span)
    }

    /// The end of the primes that follow a place directly.
    fn primes(&self, end: u32) -> (u32, u32) {
        let first = self.tokens.partition_point(|token| token.span.start < end);
        let count = self.tokens[first..].iter().take_while(|token| token.kind == TokenKind::Prime).count();
        let last = self.tokens[first..first + count].last();
        (last.map_or(end, |token| token.span.end), count as u32)
    }

    /// Whether a name stands for an expression, so that its calls are those of a function of the model.
    pub fn is_function(&self, name: &str) -> bool {
        self.known.get(&(Space::Name, name)).is_some_and(|&entity| self.entities[entity].sort == Sort::Let)
    }

    /// A name is declared.
    pub fn declare(&mut self, name: Span, sort: Sort, statement: Span) {
        let text = self.slice(name);
        let mut space = sort.space();
        let taken = self.known.get(&(space, text)).is_some_and(|&e| self.entities[e].sort != Sort::Output);
        if sort == Sort::Output && (is_reserved(text) || taken) {
            space = Space::Column;
        }
        let entity = match self.known.get(&(space, text)) {
            Some(&entity) => entity,
            None => self.entity(text, sort, None),
        };
        self.known.insert((space, text), entity);
        self.entities[entity].places.push((name, statement));
        self.note(name, name, Lookup::Found(entity), Usage::Declaration);
    }

    fn entity(&mut self, name: &str, sort: Sort, scope: Option<Span>) -> usize {
        self.entities.push(Entity { name: name.to_owned(), sort, places: Vec::new(), scope });
        self.entities.len() - 1
    }

    /// Runs a part of the walk in which an index is known.
    pub fn with_index(&mut self, index: Span, scope: Span, part: impl FnOnce(&mut Self)) {
        let name = self.slice(index);
        let entity = self.entity(name, Sort::Index, Some(scope));
        self.entities[entity].places.push((index, scope));
        self.note(index, index, Lookup::Found(entity), Usage::Declaration);
        self.indices.push((name, entity));
        part(self);
        self.indices.pop();
    }

    /// A name is used; `end` is that of its subscripts.
    pub fn name_used(&mut self, name: Span, end: u32, space: Space) {
        let text = self.slice(name);
        let index = self.indices.iter().rev().find(|(known, _)| *known == text);
        let lookup = match index {
            Some((_, entity)) if space == Space::Name => Lookup::Found(*entity),
            _ => Lookup::In(space),
        };
        let (extent_end, order) = if space == Space::Name { self.primes(end) } else { (end, 0) };
        let end = if order > 0 { extent_end } else { name.end };
        self.note(name, Span::new(name.start, end), lookup, Usage::Name);
        if let Some((occurrence, _)) = self.occurrences.last_mut() {
            occurrence.order = order;
        }
    }

    /// A word that refers to no declaration.
    pub fn word_used(&mut self, span: Span, usage: Usage) {
        self.note(span, span, Lookup::Nothing, usage);
    }

    fn note(&mut self, span: Span, extent: Span, lookup: Lookup, usage: Usage) {
        let occurrence = Occurrence { span, extent, entity: None, order: 0, displacement: false, usage };
        self.occurrences.push((occurrence, lookup));
    }

    /// Gives every occurrence its declaration.
    fn resolve(self) -> Names {
        let Finder { text, entities, known, occurrences, .. } = self;
        let resolved = occurrences.into_iter().map(|(mut occurrence, lookup)| {
            let name = text.get(occurrence.span.range()).unwrap_or("");
            occurrence.entity = match lookup {
                Lookup::Nothing => None,
                Lookup::Found(entity) => Some(entity),
                Lookup::In(space) => known.get(&(space, name)).copied(),
            };
            if occurrence.entity.is_none()
                && let (Lookup::In(Space::Name), Some(moved)) = (lookup, name.strip_prefix('δ'))
                && let Some(&entity) = known.get(&(Space::Name, moved))
                && matches!(entities[entity].sort, Sort::Coordinate | Sort::Speed)
            {
                occurrence.entity = Some(entity);
                occurrence.displacement = true;
                occurrence.span.start += 'δ'.len_utf8() as u32;
            }
            occurrence
        });
        let mut occurrences: Vec<Occurrence> = resolved.collect();
        occurrences.sort_by_key(|o| (o.span.start, o.span.end));
        Names { entities, occurrences }
    }
}
