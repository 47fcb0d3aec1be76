//! A text that an editor has open, with what was found in it.

use crate::names::{Names, Sort};
use dalembert::elaborate::{Survey, survey};
use dalembert_syntax::ast::{Ast, Block, StatementKind};
use dalembert_syntax::diagnostic::{Diagnostic, any_error};
use dalembert_syntax::source::{MAX_SOURCE_BYTES, Source, Span};
use dalembert_syntax::{self, Token, TokenKind};
use std::sync::OnceLock;

/// A text with everything that was found in it.
pub struct Document {
    /// The text.
    pub source: Source,
    /// What it declares and uses.
    pub names: Names,
    pub(crate) tokens: Vec<Token>,
    pub(crate) ast: Ast,
    /// What is wrong with the grammar.
    pub(crate) problems: Vec<Diagnostic>,
    survey: OnceLock<Survey>,
}

/// An entry of the outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name, with its subscripts as written.
    pub name: String,
    /// What it is; `None` for the title of the model.
    pub sort: Option<Sort>,
    /// The statement.
    pub span: Span,
    /// The name in it.
    pub selection: Span,
}

impl Document {
    /// Reads a text. The time is linear in its length; nothing is computed yet.
    pub fn new(source: Source) -> Document {
        let (ast, problems) = dalembert_syntax::parse(&source);
        let readable = source.text.len() <= MAX_SOURCE_BYTES;
        let tokens = if readable { dalembert_syntax::tokens(&source.text).0 } else { Vec::new() };
        let names = Names::of(&source.text, &tokens, &ast);
        Document { source, names, tokens, ast, problems, survey: OnceLock::new() }
    }

    /// What the elaborator knows of the names, asked for when it is needed first.
    pub fn survey(&self) -> &Survey {
        self.survey.get_or_init(|| survey(&self.ast))
    }

    /// Where the thing at an offset is declared; several places for a family declared by members.
    pub fn definition(&self, offset: u32) -> Vec<Span> {
        match self.entity_at(offset) {
            Some(entity) => self.names.entities[entity].places.iter().map(|place| place.0).collect(),
            None => Vec::new(),
        }
    }

    /// Every place of the thing at an offset, declarations included.
    pub fn references(&self, offset: u32) -> Vec<Span> {
        match self.entity_at(offset) {
            Some(entity) => self.names.of_entity(entity).map(|occurrence| occurrence.span).collect(),
            None => Vec::new(),
        }
    }

    /// The outline: the title, then what is declared, in the order of the text.
    pub fn symbols(&self) -> Vec<Symbol> {
        let mut symbols = self.title().into_iter().collect::<Vec<Symbol>>();
        for entity in self.names.entities.iter().filter(|entity| entity.sort != Sort::Index) {
            for &(selection, span) in &entity.places {
                let name = format!("{}{}", entity.name, self.subscripts_after(selection));
                symbols.push(Symbol { name, sort: Some(entity.sort), span, selection });
            }
        }
        symbols.sort_by_key(|symbol| symbol.selection);
        symbols
    }

    /// The text in canonical form, as `dalembert fmt` writes it; the diagnostics if it cannot be read.
    pub fn format(&self) -> Result<String, Vec<Diagnostic>> {
        match any_error(&self.problems) {
            true => Err(self.problems.clone()),
            false => dalembert_syntax::reformat(&self.ast).map_err(|d| vec![*d]),
        }
    }

    fn title(&self) -> Option<Symbol> {
        title_of(&self.ast.body)
    }

    pub(crate) fn entity_at(&self, offset: u32) -> Option<usize> {
        self.names.at(offset)?.entity
    }

    /// `[1..N]` behind a name, as written.
    fn subscripts_after(&self, name: Span) -> &str {
        let first = self.tokens.partition_point(|token| token.span.start < name.end);
        match self.tokens[first..].first() {
            Some(token) if token.kind == TokenKind::LeftBracket && token.span.start == name.end => {
                let close = self.tokens[first..].iter().find(|t| t.kind == TokenKind::RightBracket);
                close.map_or("", |close| self.source.slice(token.span.to(close.span)))
            }
            _ => "",
        }
    }
}

fn title_of(body: &Block) -> Option<Symbol> {
    body.statements.iter().find_map(|statement| match &statement.kind {
        StatementKind::System(title) => {
            Some(Symbol { name: title.clone(), sort: None, span: statement.span, selection: statement.span })
        }
        _ => None,
    })
}
