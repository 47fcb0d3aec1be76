//! Model text and places in it.
//!
//! A [`Source`] is a name and a text; a [`Span`] is a range of bytes of that text. Everything that can be wrong
//! with raw bytes (encoding, size) is said here, once, at the door. This module knows no tokens and no mechanics.

use std::ops::Range;

/// Largest model text that is read, in bytes. Far above any model written or generated so far; it keeps offsets
/// in 32 bits and a wrong file (a movie, a dump) from costing more than a message.
pub const MAX_SOURCE_BYTES: usize = 4 * 1024 * 1024;

/// A range of bytes of a [`Source`], end excluded.
///
/// ```
/// use dalembert_syntax::source::Span;
///
/// let both = Span::new(2, 5).to(Span::new(9, 12));
/// assert_eq!(both, Span::new(2, 12));
/// assert_eq!(&"a model of it"[Span::new(2, 7).range()], "model");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `start..end`.
    pub fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The empty span at one place.
    pub fn at(offset: u32) -> Span {
        Span::new(offset, offset)
    }

    /// From the beginning of this span to the end of another.
    pub fn to(self, other: Span) -> Span {
        Span::new(self.start, other.end.max(self.start))
    }

    /// The empty span just behind this one.
    pub fn after(self) -> Span {
        Span::at(self.end)
    }

    /// The span as a range of string indices.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl std::fmt::Debug for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// A line and a column as people count them: both from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Character in the line, from 1.
    pub column: usize,
}

/// A model text with the name it goes by in messages.
///
/// ```
/// use dalembert_syntax::source::{Source, Position};
///
/// let source = Source::new("pendulum.dal", "coordinate θ\npotential cos(θ)\n");
/// assert_eq!(source.position(25), Position { line: 2, column: 12 });
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// How messages call it, usually a path.
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl Source {
    /// A source from text at hand.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source { name: name.into(), text: text.into() }
    }

    /// The line and column of a byte offset; offsets past the end mean the end.
    pub fn position(&self, offset: u32) -> Position {
        let before = &self.text[..self.floor(offset as usize)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Position {
            line: before.bytes().filter(|&byte| byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }

    /// The text of a span (cut to the text, should it reach outside).
    pub fn slice(&self, span: Span) -> &str {
        &self.text[self.clamp(span)]
    }

    /// The whole line in which a span begins.
    pub fn line_at(&self, span: Span) -> &str {
        let at = self.floor(span.start as usize);
        let start = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        self.text[start..].lines().next().unwrap_or_default()
    }

    /// The span as indices that are safe to slice with, whatever the span.
    pub fn clamp(&self, span: Span) -> Range<usize> {
        let start = self.floor(span.start as usize);
        let end = self.floor(span.end as usize).max(start);
        start..end
    }

    fn floor(&self, offset: usize) -> usize {
        char_floor(&self.text, offset)
    }
}

/// The nearest character boundary of a text at or below an offset. As `str::floor_char_boundary`, which is newer than the
/// oldest Rust that builds this.
pub fn char_floor(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|k| text.is_char_boundary(*k)).unwrap_or(0)
}
