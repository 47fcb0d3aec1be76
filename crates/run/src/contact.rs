//! Coulomb friction: contacts that stick and slide.
//!
//! A contact belongs to a constraint, whose force presses, and has a sliding velocity V = J eta + V0 with one, two or
//! three components. Its friction force f does the virtual work f . J v:
//!
//! ```text
//! slides   f = -mu N V/|V|                 N = |P lambda|, the normal force, lambda the multipliers that act
//! sticks   V = 0 is a constraint (K6), f its multiplier, as long as |f| <= mu_static N
//! ```
//!
//! So sticking is sticking, not slow creep: a contact at rest adds rows to A and is kept there by projection like any
//! other constraint. [`ContactModes`] says which contacts stick, [`StickingKernel`] is the kernel with their rows added, [`find_modes`]
//! finds the modes at a state, and the driver watches the functions of [`StickingKernel::margins`] for the next change.
//!
//! **Feedback on the normal force.** lambda depends on f: with d_k the generalised force of contact k for N_k = 1 and
//! l_k the multipliers which answer it, lambda = lambda_0 + sum N_k l_k, so that N_k = |p_k + sum_j N_j q_kj|. If no
//! friction force has a component against a constraint all q vanish and U8's explicit order, N from the ideal force, is
//! exact. Otherwise the equations are solved (see `normal`), and where they have no solution or several (Painleve's
//! paradox) that is an error, not a choice.
//!
//! **What the constraints decide** of V is not for friction to hold: f has no part there, and a contact that they carry off
//! does not stick (see `lead`). That holds for all contacts that stick taken together (see `relief`).
//!
//! **Undetermined shares.** If contacts that stick share a load in a way the equations do not determine, each is loaded
//! in proportion to what it can carry.
//!
//! Checked by `tests/it/friction.rs`: closed forms, the law itself over random systems, energy, hours at rest.

mod find_modes;
mod modes;
mod reporter;

pub use find_modes::{ModeChange, find_modes, find_modes_after};
pub use modes::{ContactModes, Mode, StickingKernel};
pub use reporter::{Reporter, accelerate};

/// By how much of its limit a static friction force may pass it: rounding.
pub const SLACK: f64 = 1e-12;
