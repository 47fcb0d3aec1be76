//! Symbols: hash-consed expressions with exact rationals.
//!
//! A [`Pool`] holds expressions; an [`Expr`] is a handle into it. Constructors keep sums and products
//! canonical, so that equal handles mean equal expressions; everything else (derivatives, substitution,
//! simplification, printing, lowering to a tape) is a pass over the shared graph. Knows no mechanics.
//!
//! ```
//! use dalembert_expr::{Format, Function, Pool};
//!
//! let mut pool = Pool::new();
//! let (theta, l) = (pool.symbol("theta"), pool.named("l"));
//! let angle = pool.var(theta);
//! let cos = pool.call1(Function::Cos, angle);
//! let height = pool.mul(l, cos);                       // l cos(theta)
//! let slope = pool.diff(height, theta);
//! assert_eq!(pool.text(slope), "-l*sin(theta)");
//! assert_eq!(pool.print(slope, Format::Latex), r"-l \, \sin\left(\theta\right)");
//!
//! let program = pool.lower(&[theta], &[slope]);        // l is not an input: its value is missing
//! let (mut registers, mut out) = (vec![0.0; program.register_count()], [0.0]);
//! program.run(&[1.0], &mut registers, &mut out);
//! assert!(out[0].is_nan());
//! ```

mod common;
mod construct;
mod diff;
pub mod echelon;
mod evaluate;
mod function;
mod integrate;
mod jet;
mod linear;
mod lookup;
mod lower;
mod modular;
mod pool;
mod print;
mod rational;
mod residue;
mod shape;
mod shared_parts;
mod shorten;
mod simplify;
mod special;
mod substitute;
mod switch;
mod tidy;

pub use diff::Derivation;
pub use evaluate::Zero;
pub use function::Function;
pub use jet::Jet;
pub use linear::Linear;
pub use modular::Sample;
pub use pool::{Expr, MAX_NUMBER_BITS, MAX_WEIGHT, Node, Pool, Symbol, Weighted};
pub use print::{Format, MAX_PRINTED};
pub use rational::Rational;
pub use residue::{Field, PRIMES, Residue};
pub use shape::Shape;
pub use switch::Switch;
