//! What can be typed at an offset.

use crate::context::Context;
use crate::document::Document;
use crate::names::{Entity, Sort};
use crate::resolve::{OF_CLASS, OF_CONSTRAINT};
use dalembert::system::Power;
use dalembert_run::Method;
use dalembert_syntax::source::Span;
use dalembert_syntax::units;
use dalembert_syntax::words::{self, Word};
use dalembert_syntax::words::{OBSERVABLES, PLAIN_OBSERVABLES};
use dalembert_syntax::{Token, TokenKind};

/// What a completion is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// A word of the grammar.
    Keyword,
    /// A function, an operation or a result that is called.
    Function,
    /// A name that is there without a declaration.
    Constant,
    /// A name of the model.
    Name(Sort),
    /// A unit.
    Unit,
    /// An integrator.
    Method,
    /// A component of a vector, or a class of forces.
    Member,
}

/// Something that can be typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The text.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// What the completion is, in a few words.
    pub detail: String,
    /// More about it.
    pub documentation: Option<String>,
    /// What it takes the place of: the part of the word before the offset.
    pub replace: Span,
}

/// Words that may follow, by the keyword of the statement.
const TAILS: &[(&str, &[&str])] = &[
    ("simulate", &["until", "every", "method", "tolerance"]),
    ("force", &["at"]),
    ("require", &["decay"]),
    ("event", &["rising", "falling", "stop"]),
    ("friction", &["on", "coefficient", "velocity", "static", "normal"]),
    ("draw", &["point", "line", "circle", "trace"]),
    ("nonideal", &["work"]),
    ("for", &["in"]),
];

/// Statements whose items begin with a name that is new.
const DECLARING: &[&str] =
    &["const", "parameter", "coordinate", "speed", "let", "output", "event", "for", "complete_integral"];

impl Document {
    /// What can be typed at an offset, by what stands before it. Words that do not begin as the one being typed
    /// are left out.
    pub fn completions(&self, offset: u32) -> Vec<Completion> {
        let Some(context) = Context::of(self, offset) else { return Vec::new() };
        let mut list = List { document: self, context: &context, items: Vec::new() };
        list.fill();
        let typed = self.source.slice(context.word).to_lowercase();
        let mut items = list.items;
        items.retain(|item| item.label.to_lowercase().starts_with(&typed));
        items
    }
}

/// The completions of one place.
struct List<'d> {
    document: &'d Document,
    context: &'d Context,
    items: Vec<Completion>,
}

impl List<'_> {
    fn fill(&mut self) {
        let Some(last) = self.context.before.last().copied() else {
            return self.words(words::STATEMENTS, CompletionKind::Keyword, |_| true);
        };
        let keyword = self.text(self.context.before[0]);
        if self.context.bracket() == Some(TokenKind::LeftBrace) {
            return self.units();
        }
        if last.kind == TokenKind::Dot {
            return ["x", "y", "z"].iter().for_each(|part| self.member(part, "component"));
        }
        if keyword == "simulate" && self.text(last) == "method" {
            return self.methods();
        }
        if self.argument(last) || self.target(keyword, last) {
            return;
        }
        if DECLARING.contains(&keyword) && self.begins_item(last) {
            return;
        }
        if self.ends_operand(keyword, last) {
            return self.tail(keyword);
        }
        self.expression(keyword);
    }

    fn text(&self, token: Token) -> &'static str {
        let text = self.document.source.slice(token.span);
        let tables = [words::STATEMENTS, words::PARTS];
        tables.iter().find_map(|table| words::find(table, text)).map_or("", |word| word.name)
    }

    /// The argument of a result: a constraint, a class of forces, a coordinate or speed.
    fn argument(&mut self, last: Token) -> bool {
        let Some(name) = self.context.called(self.document) else { return false };
        if last.kind != TokenKind::LeftParen {
            return false;
        }
        if OF_CONSTRAINT.contains(&name) {
            self.names(|e| e.sort == Sort::Constraint || (e.sort == Sort::Requirement && name == "residual"));
        } else if OF_CLASS.contains(&name) {
            Power::ALL.iter().for_each(|class| self.member(class.name(), "class of forces"));
        } else if OBSERVABLES.contains(&name) {
            self.state();
        } else {
            return false;
        }
        true
    }

    /// The beginning of an item that acts on something that exists.
    fn target(&mut self, keyword: &str, last: Token) -> bool {
        let first = self.context.before.len() == 1;
        match keyword {
            "initial" | "actuate" if self.begins_item(last) => self.state(),
            "kinematics" if first => self.names(|e| e.sort == Sort::Coordinate),
            "friction" if self.text(last) == "on" => self.names(|e| e.sort == Sort::Constraint),
            "friction" if first => self.parts(&["on"]),
            "friction" if self.begins_item(last) || last.kind == TokenKind::Colon => {
                self.parts(&["coefficient", "velocity", "static", "normal"]);
            }
            "simulate" if first => self.parts(&["until"]),
            "nonideal" if first => self.parts(&["work"]),
            "draw" if first => self.parts(&["point", "line", "circle", "trace"]),
            "system" => {}
            _ => return false,
        }
        true
    }

    /// Whether a new item of the statement's list begins here.
    fn begins_item(&self, last: Token) -> bool {
        self.context.before.len() == 1 || (last.kind == TokenKind::Comma && self.context.open.is_empty())
    }

    /// Whether an operand ends before the word, so that none can begin.
    fn ends_operand(&self, keyword: &str, last: Token) -> bool {
        use TokenKind::*;
        match last.kind {
            Number | Text | Prime | RightParen | RightBracket | RightBrace => true,
            Name => self.context.before.len() > 1 && !tail_of(keyword).contains(&self.text(last)),
            _ => false,
        }
    }

    fn tail(&mut self, keyword: &str) {
        if self.context.called(self.document) == Some("sum") {
            return self.parts(&["in"]);
        }
        if self.context.open.is_empty() {
            self.parts(tail_of(keyword));
        }
        if self.context.before.iter().any(|token| token.kind == TokenKind::If) {
            self.parts(&["then", "else"]);
        }
        self.parts(&["and", "or"]);
    }

    fn expression(&mut self, keyword: &str) {
        let asks = matches!(keyword, "output" | "event");
        let pressed = matches!(keyword, "nonideal" | "friction");
        self.names(|e| match e.sort {
            Sort::Constraint | Sort::Requirement | Sort::Event => false,
            Sort::Output => asks,
            Sort::Integration => keyword == "complete_integral",
            _ => true,
        });
        self.words(words::CONSTANTS, CompletionKind::Constant, |word| {
            asks || !PLAIN_OBSERVABLES.contains(&word.name)
        });
        let works = matches!(keyword, "work" | "nonideal");
        self.words(words::FUNCTIONS, CompletionKind::Function, |word| word.name != "delta" || works);
        self.words(words::RESULTS, CompletionKind::Function, |word| {
            asks || (pressed && matches!(word.name, "multiplier" | "reaction"))
        });
        self.parts(&["if", "not"]);
    }

    /// Names that are known here: declared before, or indices of the loops around.
    fn names(&mut self, wanted: impl Fn(&Entity) -> bool) {
        let at = self.context.word.start;
        let known = |entity: &&Entity| match entity.scope {
            Some(scope) => scope.start < at && at <= scope.end,
            None => entity.places.iter().any(|place| place.0.end < at),
        };
        let document = self.document;
        for entity in document.names.entities.iter().filter(known).filter(|entity| wanted(entity)) {
            let detail = entity.sort.describe();
            let code = document.declaration(entity).map(|code| format!("```dal\n{code}\n```"));
            if self.items.iter().all(|item| item.label != entity.name) {
                self.push(&entity.name, CompletionKind::Name(entity.sort), detail, code);
            }
        }
    }

    fn state(&mut self) {
        self.names(|entity| matches!(entity.sort, Sort::Coordinate | Sort::Speed));
    }

    fn units(&mut self) {
        for name in units::names() {
            self.push(name, CompletionKind::Unit, "unit", units::describe(name));
        }
    }

    fn methods(&mut self) {
        for method in Method::ALL {
            let about = about_method(method).to_owned();
            self.push(method.name(), CompletionKind::Method, "integrator", Some(about));
        }
    }

    fn member(&mut self, name: &str, detail: &str) {
        self.push(name, CompletionKind::Member, detail, None);
    }

    fn parts(&mut self, names: &[&str]) {
        self.words(words::PARTS, CompletionKind::Keyword, |word| names.contains(&word.name));
        self.words(words::STATEMENTS, CompletionKind::Keyword, |word| names.contains(&word.name));
    }

    fn words(&mut self, table: &'static [Word], kind: CompletionKind, wanted: impl Fn(&Word) -> bool) {
        for word in table.iter().filter(|word| wanted(word)) {
            self.push(word.name, kind, word.usage, Some(word.about.to_owned()));
        }
    }

    fn push(&mut self, label: &str, kind: CompletionKind, detail: &str, documentation: Option<String>) {
        let (label, detail) = (label.to_owned(), detail.to_owned());
        self.items.push(Completion { label, kind, detail, documentation, replace: self.context.word });
    }
}

fn tail_of(keyword: &str) -> &'static [&'static str] {
    TAILS.iter().find(|(word, _)| *word == keyword).map_or(&[], |(_, tail)| tail)
}

/// An integrator in a line.
pub fn about_method(method: Method) -> &'static str {
    match method {
        Method::Dop853 => "Dormand-Prince of order 8; the default.",
        Method::Tsit5 => "Tsitouras of order 5.",
        Method::Rk4 => "Classical Runge-Kutta of order 4 with fixed step.",
        Method::Radau => "Radau IIA of order 5, for stiff systems.",
        Method::Variational2 => "Variational of order 2 with fixed step.",
        Method::Variational4 => "Variational of order 4 with fixed step.",
        Method::Variational6 => "Variational of order 6 with fixed step.",
    }
}
