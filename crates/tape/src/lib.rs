//! Straight-line programs over `f64`.
//!
//! A [`Program`] is what an expression becomes when it must be fast: a list of instructions without
//! branches, a fixed number of registers, inputs and outputs. This crate knows neither symbols nor
//! mechanics. [`Program::compile`] turns it into native code with the same results, [`Lanes`] runs it for four states at
//! once. A program is built through a [`Builder`], which shares equal values as they are made.
//!
//! ```
//! use dalembert_tape::{Builder, Op};
//!
//! let mut tape = Builder::new(2); // inputs 0 and 1
//! let (x, y) = (tape.input(0), tape.input(1));
//! let xx = tape.push(Op::Mul, &[x, x]);
//! let yy = tape.push(Op::Mul, &[y, y]);
//! let sum = tape.push(Op::Add, &[xx, yy]);
//! let r = tape.push(Op::Sqrt, &[sum]);
//! let program = tape.finish(&[r]);
//!
//! let mut registers = vec![0.0; program.register_count()];
//! let mut out = [0.0];
//! program.run(&[3.0, 4.0], &mut registers, &mut out);
//! assert_eq!(out, [5.0]);
//! assert_eq!(program.counts().total(), 4);
//! ```

mod builder;
mod forward;
mod fuse;
mod hoist;
mod lanes;
mod linearize;
mod listing;
mod lookup;
mod op;
mod program;
mod reverse;
#[allow(unsafe_code)] // asks for fused products where the machine has them
mod trig;
pub mod wasm;

pub use builder::{Builder, Value};
pub use hoist::Hoisted;
pub use lanes::Lanes;
pub use linearize::Linearized;
pub use listing::{Listing, Operand, Operands, Statement};
pub use lookup::{Lookup, MAX_COLUMNS};
pub use op::Op;
pub use program::{Counts, Program};
