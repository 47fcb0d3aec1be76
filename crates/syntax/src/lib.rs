//! Model text to syntax tree and back.
//!
//! [`parse`] reads a text into an [`Ast`] and says everything that is wrong with its grammar; [`format()`] writes a tree
//! as canonical text. Names, shapes, units and mechanics are not known here: `potential sin(q, [1])` is good grammar.
//!
//! ```
//! use dalembert_syntax::{Source, format, parse};
//!
//! let source = Source::new("drop.dal", "coordinate  y;kinetic m / 2*y'^2   # falls\n");
//! let (ast, diagnostics) = parse(&source);
//! assert!(diagnostics.is_empty());
//! assert_eq!(format(&ast), "coordinate y\nkinetic m/2*y'^2 # falls\n");
//! ```

pub mod ast;
pub mod diagnostic;
mod format;
pub mod internal;
mod lexer;
mod limits;
mod parser;
pub mod source;
mod token;
pub mod units;
pub mod words;

pub use ast::Ast;
pub use format::{expression_text, format, reformat, unit_text};
pub use lexer::tokens;
pub use limits::{MAX_DIAGNOSTICS, MAX_NESTING, MAX_NUMBER_LENGTH, MAX_POSTFIX};
pub use parser::parse;
pub use source::{Source, Span};
pub use token::{Token, TokenKind};
pub use words::{KEYWORDS, RESERVED_WORDS};
