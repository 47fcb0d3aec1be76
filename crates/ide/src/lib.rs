//! What editors ask about a model text, whatever protocol they speak: diagnostics, hover, completion, definitions,
//! references, an outline, renaming, canonical form. Offsets and spans are bytes of the text; any offset has an answer.
//!
//! ```
//! use dalembert_ide::{Document, Source};
//!
//! let text = "parameter l = 50 {cm}\ncoordinate theta {rad}\npotential 9.81*l*cos(theta)\n";
//! let document = Document::new(Source::new("pendulum.dal", text));
//! let last_theta = text.rfind("theta").unwrap() as u32;
//! let hover = document.hover(last_theta).unwrap();
//! assert!(hover.markdown().contains("coordinate"));
//! assert_eq!(document.definition(last_theta)[0].start as usize, text.find("theta").unwrap());
//! let after_cos = text.rfind("theta").unwrap() as u32 + 2;
//! assert!(document.completions(after_cos).iter().any(|c| c.label == "theta"));
//! ```
//!
//! Text that is being typed is mostly wrong. Statements that can be read are answered from the syntax tree, the others
//! from their words; values, shapes and units come from the elaborator ([`Document::survey`]), which
//! takes what it can understand.

mod broken_lines;
mod check;
mod complete;
mod context;
mod document;
mod hover;
mod names;
mod rename;
mod resolve;

pub use check::{MAX_CHECKED, MAX_CHECKED_EXPRESSIONS, diagnostics};
pub use complete::{Completion, CompletionKind};
pub use dalembert_syntax::source::Source;
pub use document::{Document, Symbol};
pub use hover::Hover;
pub use names::{Entity, Names, Occurrence, Sort, Usage};
