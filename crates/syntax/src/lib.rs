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
mod parser;
pub mod source;
mod token;
pub mod units;
pub mod words;

pub use ast::Ast;
pub use format::{expression_text, format, reformat};
pub use lexer::tokens;
pub use parser::{KEYWORDS, parse};
pub use source::{Source, Span};
pub use token::{RESERVED_WORDS, Token, TokenKind};

/// How deep brackets, signs, exponents, `if` and `for` may be nested in each other. Trees are read and walked by
/// recursion, so this bounds the stack: the deepest text fits into a thread of 2 MB even without optimisation.
pub const MAX_NESTING: usize = 100;

/// How many subscripts, components and primes may follow one operand, as in `P[1]'.x`; neighbouring primes count once.
pub const MAX_POSTFIX: usize = 8;

/// How many characters a number may have.
pub const MAX_NUMBER_LENGTH: usize = 400;

/// After this many errors reading stops: the text is no model.
pub const MAX_DIAGNOSTICS: usize = 200;
