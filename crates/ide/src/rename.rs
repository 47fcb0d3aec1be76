//! Another name for a thing, at every place where it stands.

use crate::document::Document;
use crate::names::{Entity, Sort};
use dalembert_syntax::diagnostic::any_error;
use dalembert_syntax::source::{Source, Span};
use dalembert_syntax::words::is_reserved;
use dalembert_syntax::{RESERVED_WORDS, TokenKind, tokens};

impl Document {
    /// The places to be replaced when the thing at an offset gets another name, or why that cannot be.
    ///
    /// The text must be good grammar, for a use in a line that cannot be read might be missed; and no other name may
    /// come to mean something else.
    ///
    /// ```
    /// use dalembert_ide::{Document, Source};
    /// let document = Document::new(Source::new("", "coordinate x, y\nkinetic x'^2 + y'^2\nwork δx"));
    /// assert_eq!(document.rename(11, "z").unwrap().len(), 3);
    /// assert!(document.rename(11, "y").unwrap_err().contains("exists already"));
    /// assert!(document.rename(11, "if").unwrap_err().contains("a word of the language"));
    /// assert!(document.rename(11, "let").is_ok()); // it begins a statement only where one can begin
    /// ```
    pub fn rename(&self, offset: u32, name: &str) -> Result<Vec<Span>, String> {
        let Some(entity) = self.names.at(offset).and_then(|occurrence| occurrence.entity) else {
            return Err("there is no name here that the model declares".into());
        };
        if any_error(&self.problems) {
            return Err("the text has errors of grammar; mend them first, so that no place is missed".into());
        }
        self.check_new_name(name)?;
        let places: Vec<Span> = self.names.of_entity(entity).map(|occurrence| occurrence.span).collect();
        let after = Document::new(Source::new(&self.source.name, self.replaced(&places, name)));
        let meaning = |document: &Document| -> Vec<Option<usize>> {
            document.names.occurrences.iter().map(|occurrence| occurrence.entity).collect()
        };
        if any_error(&after.problems) || meaning(self) != meaning(&after) {
            return Err(format!("`{name}` would change what other names mean"));
        }
        Ok(places)
    }

    fn check_new_name(&self, name: &str) -> Result<(), String> {
        if is_reserved(name) || RESERVED_WORDS.contains(&name) {
            return Err(format!("`{name}` is a word of the language"));
        }
        let (words, problems) = tokens(name);
        let one_name = words.first().is_some_and(|word| {
            word.kind == TokenKind::Name && word.span.range() == (0..name.len()) && problems.is_empty()
        });
        if !one_name {
            return Err(format!(
                "`{name}` is not a name: letters, digits and `_`, not beginning with a digit"
            ));
        }
        match self.names.entities.iter().find(|entity| entity.name == name) {
            Some(Entity { sort, .. }) => {
                Err(format!("`{name}` exists already, as {} {}", article(*sort), sort.describe()))
            }
            None => Ok(()),
        }
    }

    fn replaced(&self, places: &[Span], name: &str) -> String {
        let mut text = String::with_capacity(self.source.text.len());
        let mut from = 0;
        for place in places {
            let place = self.source.clamp(*place);
            text.push_str(&self.source.text[from..place.start]);
            text.push_str(name);
            from = place.end;
        }
        text + &self.source.text[from..]
    }
}

fn article(sort: Sort) -> &'static str {
    match sort {
        Sort::Output | Sort::Index | Sort::Event => "an",
        _ => "a",
    }
}
