//! Recursions over a tree of rigid bodies, traced into straight-line programs (B1, B3, B4 of the mechanics).
//!
//! ```text
//! outward   velocities and accelerations with eta' = 0         -> wrench of every link (Newton-Euler)
//! inward    wrenches to the joints                              -> bias, Q = Q' - bias
//!           composite inertias                                  -> M
//!           articulated inertias, then accelerations outward    -> eta' = M^-1 (Q' - bias) without M
//! ```
//!
//! Everything is in the axes of the links, and the axes of a link are those of its joint, so that a joint turns two
//! components and leaves the third. Structural zeros, ones and signs cost nothing ([`Num`]); values are opaque: products
//! are not multiplied out, and what is used twice is computed once.
//!
//! The crate knows numbers of a tape and nothing of expressions, names or files.

#![allow(non_snake_case)]

mod articulated;
mod closure;
mod composite;
mod energies;
mod inertia;
mod joint;
mod linear;
mod looped;
mod newton_euler;
mod num;
mod regroup;
mod tree;

pub use articulated::articulated;
pub use closure::{ClosureRow, LinkPlace, Row, closure};
pub use composite::composite;
pub use energies::energies;
pub use inertia::PseudoInertia;
pub use linear::{Matrix, Vector, transposed};
pub use looped::{Acted, Looped};
pub use newton_euler::{Bias, bias, inertial_forces};
pub use num::{MASS_PIVOT, Num, Tracer};
pub use regroup::regroup;
pub use tree::{Freedom, Link, Tree};
